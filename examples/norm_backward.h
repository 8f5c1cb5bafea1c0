/* norm_backward.h - what norm_backward.cu combines along rows, and how it adds
 * the sums of all blocks down columns.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_NORM_BACKWARD_H
#define LL_NORM_BACKWARD_H

#include "norm.h"

struct plus {
    __device__ float2 operator()(float2 p, float2 q) const {
        return make_float2(p.x + q.x, p.y + q.y);
    }
};

/* Of as many numbers x each, with weights w: the mean of x, the mean of
 * (x - mean)^2, the sum of w, and that of w * (x - mean). Exact where the mean
 * is large, and the same bits for (p, q) and (q, p). */
struct alignas(16) weighted {
    float mean, square, sum, product;
};
struct merged {
    __device__ weighted operator()(weighted p, weighted q) const {
        const float d = 0.5f * (q.mean - p.mean);
        return {0.5f * (p.mean + q.mean),
                fmaf(d, d, 0.5f * (p.square + q.square)), p.sum + q.sum,
                fmaf(d, q.sum - p.sum, p.product + q.product)};
    }
};

/* Blocks that a multiprocessor holds, by the registers that lanes need. Fewer
 * with more registers are faster where a block has whole rows alone. */
LL_FN unsigned blocks_held(unsigned each, unsigned warps, bool layer,
                           bool alone) {
    const unsigned registers =
        each * (layer ? 14 : 13) / 4 + (layer && alone ? 60 : 44);
    const unsigned blocks = 2048 / (warps * registers);
    return blocks ? blocks : 1;
}

/* The gradients of gain and bias: of each column, the sum of all clusters'. A
 * block has WIDE columns, and lanes and warps down them. */
template <class T, unsigned WIDE, unsigned WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    add_sums(T *dgain, T *dbias, const float2 *sums, unsigned parts,
             unsigned n) {
    constexpr unsigned tall = 32 / WIDE;
    LL_LAYOUT(COLUMNS, ll_mul(ll_mul(ll_identity(WIDE, LL_LANE, LL_J),
                                     ll_identity(tall, LL_LANE, LL_I)),
                              ll_identity(WARPS, LL_WARP, LL_I)));
    LL_REDUCE_PLAN(DOWN, COLUMNS, LL_I, 64, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(DOWN)];
    const unsigned j = blockIdx.x * WIDE + LL_AT(COLUMNS, LL_J, 0);
    float2 own[1] = {{0, 0}}, all[1];
#pragma unroll 4
    for (unsigned i = LL_AT(COLUMNS, LL_I, 0); i < parts && j < n;
         i += tall * WARPS) {
        const float2 x = sums[(size_t)i * n + j];
        own->x += x.x, own->y += x.y;
    }
    LL_REDUCE(all, own, DOWN, smem, plus());
    if (threadIdx.x < WIDE && j < n) {
        dgain[j] = (T)all->x;
        dbias ? (void)(dbias[j] = (T)all->y) : (void)0;
    }
}

#endif
