/* attention_weigh.h - the softmax so far of a lane's two rows, one tile of keys
 * after the other, in the accumulators of mma and wgmma.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_WEIGH_H
#define LL_ATTENTION_WEIGH_H

/* The one of a lane's two rows that register r is in. */
LL_FN unsigned row_of(unsigned r) { return r >> 1 & 1; }

/* Scores become weights relative to the largest score so far: `most`, which was
 * that of earlier tiles; `tile` is that of this one. `sum` is of a lane's
 * weights, of up to 2^up; `factor` becomes by how much earlier ones shrink. */
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
