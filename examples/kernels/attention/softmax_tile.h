/* softmax_tile.h - softmax of a row, one tile of keys after the other, in the
 * accumulators of mma and wgmma
 * SPDX-License-Identifier: MIT
 *
 * A lane has elements of two rows. What it keeps of them is an array of 2.
 */
#ifndef LL_SOFTMAX_TILE_H
#define LL_SOFTMAX_TILE_H

#ifndef LL_MATRIX /* products of matrices */
#define LL_MATRIX
#endif
#include "ll_ptx.h"
#include "attention_shape.h"

namespace ll_kernels {

/* Returns which of the lane's two rows register r of an accumulator belongs to,
 * and how many columns after the lane's first one it is. */
LL_FN unsigned register_row(unsigned r) { return r >> 1 & 1; }
LL_FN unsigned register_column(unsigned r) { return (r & 1) + r / 4 * 8; }

/* Return whether they are true of the layout of an accumulator. */
LL_FN bool has_register_rows(ll_layout a) {
    bool is = true;
    for (unsigned r = 0; r < 1u << a.in.bits[0]; ++r) {
        is = is &&
             register_row(r) == (ll_unpack(a.out, LL_I, ll_apply(a, r)) != 0);
    }
    return is;
}
LL_FN bool has_register_columns(ll_layout a) {
    bool is = true;
    for (unsigned r = 0; r < 1u << a.in.bits[0]; ++r) {
        is = is && register_column(r) == ll_unpack(a.out, LL_J, ll_apply(a, r));
    }
    return is;
}

/* The softmax so far of a lane's two rows. */
struct running_softmax {
    float most[2]; /* largest score so far */
    float sum[2];  /* of this lane's probabilities */
};

/* Turns the scores of a tile into probabilities, relative to the largest score
 * so far. Probabilities are at most 2^max_log2. All are per row:
 *   tile    largest score of this tile
 *   most    running maximum, updated
 *   sum     running sum of this lane's probabilities, updated
 *   factor  set to the scale of everything accumulated so far */
template <unsigned N>
static __device__ void softmax_tile(float (&scores)[N], const float (&tile)[2],
                                    float (&most)[2], float (&sum)[2],
                                    float (&factor)[2], float scale,
                                    float max_log2 = 0) {
    float base[2];
    LL_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
        const float top = fmaxf(tile[k], most[k]);
        base[k] = top == -INFINITY ? 0 : top * scale;
        factor[k] = ll_ptx_ex2(most[k] * scale - base[k]);
        base[k] -= max_log2;
        most[k] = top;
        sum[k] *= factor[k];
    }
    LL_UNROLL
    for (unsigned r = 0; r < N; ++r) {
        scores[r] = ll_ptx_ex2(fmaf(scores[r], scale, -base[register_row(r)]));
        sum[register_row(r)] += scores[r];
    }
}

/* Multiplies accumulators by a factor per row. */
template <unsigned PARTS, unsigned N>
static __device__ void scale_rows(float (&output)[PARTS][N],
                                  const float (&factor)[2]) {
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            output[p][r] *= factor[register_row(r)];
        }
    }
}

/* Rounds floats, two to a word. */
template <number_format FORMAT, unsigned N>
static __device__ void round_pairs(unsigned (&words)[N], const float *x) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        words[w] = FORMAT == number_format::F16
                       ? ll_ptx_cvt_f16x2(x[2 * w], x[2 * w + 1])
                       : ll_ptx_cvt_bf16x2(x[2 * w], x[2 * w + 1]);
    }
}

} // namespace ll_kernels

#endif
