/* target.h - the machine that a kernel under test is for: NVIDIA's; or with
 * TARGET_GFX the AMD GPU of that number in hex, 0x942, with TARGET_LANES lanes,
 * 32 where it does not say. TARGET is for plans, COPYING for those of LL_COPY.
 * SPDX-License-Identifier: MIT
 */
#ifndef TARGET_H
#define TARGET_H

#ifdef EMU_GFX
#define TARGET_GFX EMU_GFX
#endif
#ifdef EMU_WARP
#define TARGET_LANES EMU_WARP
#endif
#ifndef TARGET_LANES
#define TARGET_LANES 32
#endif

#ifdef TARGET_GFX
#include "ll_amd.h"
#define TARGET ll_amd_target(TARGET_GFX, TARGET_LANES)
#define COPYING TARGET
#else
#define TARGET LL_SM90
#define COPYING LL_SM80 /* the first one */
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
