/* segments.h - sums that start again where a segment starts, within a warp.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SEGMENTS_H
#define LL_SEGMENTS_H

#include "rows.h"

namespace ll_kernels {

/* A sum since the last start of a segment, and whether there is a start. */
struct since {
    float sum;
    unsigned start;
};
/* Combines two adjacent sums; y follows x. */
struct join {
    __device__ float operator()(float x, float y) const { return x + y; }
    __device__ since operator()(since x, since y) const {
        return {y.start ? y.sum : x.sum + y.sum, x.start | y.start};
    }
};

/* Adds the lane's next number to the sum, which restarts at 0 if byte k of
 * `starts` is not 0. */
__device__ inline float next_sum(float sum, float x, unsigned starts,
                                 unsigned k) {
    return (starts >> 8 * k & 0xff ? 0 : sum) + x;
}

/* Scans the warp's vectors. `own` has the sum of each vector of the lane. Sets
 * before[v] to the sum of all vectors of the warp before vector v, and returns
 * the sum of the warp. A lane adds up sums back to the last lane in which a
 * segment starts. */
template <unsigned V>
__device__ since in_warp(since (&before)[V], const since (&own)[V]) {
    const unsigned lane = threadIdx.x % 32;
    since all = {};
    LL_UNROLL
    for (unsigned v = 0; v < V; ++v) {
        const unsigned starts = __ballot_sync(~0u, own[v].start != 0);
        const unsigned here = starts & ((2u << lane) - 1);
        const unsigned back = lane - 31 + __clz(here | 1);
        float sum = own[v].sum;
        LL_UNROLL
        for (unsigned d = 1; d < 32; d *= 2) {
            const float x = __shfl_up_sync(~0u, sum, d);
            sum += back >= d ? x : 0;
        }
        const float x = __shfl_up_sync(~0u, sum, 1);
        before[v] = join()(all, {lane ? x : 0, starts & ((1u << lane) - 1)});
        all = join()(all, {__shfl_sync(~0u, sum, 31), starts});
    }
    return all;
}

/* The layout of one number per warp, the same in all lanes. */
LL_FN ll_layout totals_of(unsigned warps) {
    return ll_mul(ll_zeros(32, LL_LANE, LL_J, 1),
                  ll_identity(warps, LL_WARP, LL_J));
}

} // namespace ll_kernels

#endif
