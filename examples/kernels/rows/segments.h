/* segments.h - sums that start again where a segment starts, within a warp.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SEGMENTS_H
#define LL_SEGMENTS_H

#include "rows.h"

/* A sum since the last start of a segment, and whether there is a start. */
struct since {
    float sum;
    unsigned start;
};
/* The second one follows the first. */
struct join {
    __device__ float operator()(float x, float y) const { return x + y; }
    __device__ since operator()(since x, since y) const {
        return {y.start ? y.sum : x.sum + y.sum, x.start | y.start};
    }
};

/* What a lane's next number does to the sum before it; byte k of `starts` says
 * whether a segment starts there. */
__device__ inline float next_sum(float sum, float x, unsigned starts,
                                 unsigned k) {
    return (starts >> 8 * k & 0xff ? 0 : sum) + x;
}

/* before[v] becomes what the warp has before vector v of the lane, `own` are
 * sums in the vectors; returns what the warp has. A lane adds the sums of lanes
 * back to the last one in which a segment starts. */
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

/* A block's part of a row as one number for each warp, in all of its lanes. */
LL_FN ll_layout totals_of(unsigned warps) {
    return ll_mul(ll_zeros(32, LL_LANE, LL_J, 1),
                  ll_identity(warps, LL_WARP, LL_J));
}

#endif
