/* row_layout.h - how a row lies in the registers of a block or a cluster
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_LAYOUT_H
#define LL_ROW_LAYOUT_H

#include "ll_ptx.h"

namespace ll_kernels {

/* The layout of a row.
 *   wide    adjacent elements per access of a lane
 *   each    elements per lane
 *   warps   warps per row and block
 *   blocks  blocks of a cluster that share a row
 *   tall    rows per block
 * Each warp has a contiguous part of the row. */
LL_FN ll_layout row_of(unsigned wide, unsigned each, unsigned warps,
                       unsigned blocks, unsigned tall) {
    ll_layout a = ll_mul(ll_identity(wide, LL_REGISTER, LL_J),
                         ll_identity(32, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(each / wide, LL_REGISTER, LL_J));
    a = ll_mul(a, ll_identity(warps, LL_WARP, LL_J));
    a = ll_mul(a, ll_identity(tall, LL_WARP, LL_I));
    return blocks > 1u ? ll_mul(a, ll_identity(blocks, LL_BLOCK, LL_J)) : a;
}

/* Returns the smallest power of two that is at least x. */
LL_FN unsigned power_from(unsigned x) {
    return x & (x - 1) ? power_from(x + (x & -x)) : x;
}

/* Returns how many blocks a multiprocessor must hold at least, for
 * __launch_bounds__. With prefetch (`ahead`) it needs several, so that some
 * work while others wait.
 *   bytes  bytes of the row in the registers of a lane
 *   warps  warps per block */
LL_FN unsigned resident(unsigned bytes, unsigned warps, unsigned ahead) {
    const unsigned each = warps * (bytes + 160);
    return !ahead || each > 3400 ? 1 : each > 2816 ? 2 : 5632 / each;
}

/* Returns the bytes of shared memory for `ahead` row buffers and their
 * barriers. */
LL_FN unsigned ring(unsigned bytes, unsigned warps, unsigned ahead) {
    return (ahead * warps * (32 * bytes + 8) + 15) / 16 * 16;
}

} // namespace ll_kernels

#endif
