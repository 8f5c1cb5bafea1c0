/* warpgroup.h - the threads of a warpgroup as a scope, values that its lanes
 * share, and sums rounded to 16 bits
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_WARPGROUP_H
#define LL_WARPGROUP_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"
#include "matmul_types.h"

namespace ll_kernels {

LL_SCOPE(WARPGROUP, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Returns x, which is the same in all lanes of a warp. The compiler then knows
 * that, and keeps what depends on x in uniform registers. */
static __device__ unsigned uniform(unsigned x) {
    return __shfl_sync(~0u, x, 0);
}

/* Returns x and y, rounded to RESULT (f16 or bf16), in one word. */
template <dtype RESULT>
static __device__ unsigned round_pair(float x, float y) {
    return RESULT == dtype::f16 ? ll_ptx_cvt_f16x2(x, y)
                                : ll_ptx_cvt_bf16x2(x, y);
}

} // namespace ll_kernels

#endif
