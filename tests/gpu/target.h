/* target.h - the machine that a kernel under test is for: NVIDIA's, or with
 * EMU_GFX, under the emulator, AMD's of that number.
 * SPDX-License-Identifier: MIT
 */
#ifndef TARGET_H
#define TARGET_H

#if defined(EMU_GFX) && defined(EMU_WARP)
#include "ll_amd.h"
#define TARGET ll_amd_target(EMU_GFX, EMU_WARP)
#elif defined(EMU_GFX)
#include "ll_amd.h"
#define TARGET ll_amd_target(EMU_GFX, 32)
#else
#define TARGET LL_SM90
#endif
#include "ll_ptx.h"
#include "ll_amd.h" /* of the second one the tables alone */

/* A layout of 32 lanes as the target has it: with 64 the lowest warp bit is a
 * lane bit. */
LL_FN ll_layout on_target(ll_layout a) {
    const unsigned wide = TARGET.lanes == 64u;
    a.in.bits[1] += wide;
    a.in.bits[2] -= wide;
    return a;
}
#define LAYOUT(NAME, ...) LL_LAYOUT(NAME, on_target(__VA_ARGS__))

#endif
