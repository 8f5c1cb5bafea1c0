/* attention_weigh.h - the softmax so far of a lane's two rows, one tile of keys
 * after the other, in the accumulators of mma and wgmma.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_WEIGH_H
#define LL_ATTENTION_WEIGH_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"

/* Returns which of the lane's two rows register r belongs to. */
LL_FN unsigned row_of(unsigned r) { return r >> 1 & 1; }

/* Turns the scores of a tile into softmax weights, relative to the largest
 * score so far. Weights are at most 2^up. All are per row:
 *   tile    largest score of this tile
 *   most    running maximum, updated
 *   sum     running sum of this lane's weights, updated
 *   factor  set to the scale of everything accumulated so far */
template <unsigned N>
static __device__ void weigh_tile(float (&scores)[N], const float (&tile)[2],
                                  float (&most)[2], float (&sum)[2],
                                  float (&factor)[2], float scale,
                                  float up = 0) {
    float base[2];
    LL_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
        const float top = fmaxf(tile[k], most[k]);
        base[k] = top == -INFINITY ? 0 : top * scale;
        factor[k] = ll_ptx_ex2(most[k] * scale - base[k]);
        base[k] -= up;
        most[k] = top;
        sum[k] *= factor[k];
    }
    LL_UNROLL
    for (unsigned r = 0; r < N; ++r) {
        scores[r] = ll_ptx_ex2(fmaf(scores[r], scale, -base[row_of(r)]));
        sum[row_of(r)] += scores[r];
    }
}

#endif
