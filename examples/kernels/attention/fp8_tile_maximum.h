/* fp8_tile_maximum.h - softmax in e4m3 that takes the maximum of each tile
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_FP8_TILE_MAXIMUM_H
#define LL_FP8_TILE_MAXIMUM_H

#include "softmax_tile.h"
#include "warpgroups.h"

namespace ll_kernels {

/* Probabilities are 2 to the power of scaled scores less a base, which is
 * TILES::MAX_LOG2 less than the running maximum. */
template <class TILES> struct tile_maximum {
    typedef typename TILES::SCORES SCORES;
    typedef typename TILES::LARGEST LARGEST;
    typedef float tile[LL_REGS(SCORES)];

    /* The running maximum changes only if the probability of a score would be
     * more than 2^SLACK times its own: O is seldom rescaled. */
    static constexpr float SLACK = 1;

    typedef running_softmax state;
    static __device__ state first() { return {{-INFINITY, -INFINITY}, {0, 0}}; }

    /* All are per row:
     *   base    set to what is subtracted from the scaled scores of this tile
     *   tile    largest score of this tile
     *   most    running maximum, updated
     *   sum     running sum of this lane's probabilities, rescaled
     *   factor  set to the scale of everything accumulated so far */
    LL_DEVICE void set_base(float (&base)[2], const float (&tile)[2],
                            float (&most)[2], float (&sum)[2],
                            float (&factor)[2], float scale) {
        LL_UNROLL
        for (unsigned k = 0; k < 2; ++k) {
            const bool more = (tile[k] - most[k]) * scale > SLACK;
            const float top = more ? tile[k] : most[k];
            const float from = top == -INFINITY ? 0 : top;
            factor[k] = ll_ptx_ex2((most[k] - from) * scale);
            base[k] = from * scale - TILES::MAX_LOG2;
            most[k] = top;
            sum[k] *= factor[k];
        }
    }

    /* Sets `most` to the largest score of each row. Floats that are not
     * negative are ordered like integers, which are compared twice as fast. */
    LL_DEVICE void set_largest(float (&most)[2], const tile &scores) {
        LL_IN(WARPGROUP);
        int bits[LL_REGS(SCORES)], top[2];
        LL_EACH(r, SCORES) { bits[r] = __float_as_int(scores[r]); }
        LL_REDUCE(top, bits, LARGEST, 0,
                  [](int a, int b) { return a > b ? a : b; });
        most[0] = __int_as_float(top[0]);
        most[1] = __int_as_float(top[1]);
        if (__any_sync(~0u, top[0] < 0 || top[1] < 0)) {
            LL_REDUCE(most, scores, LARGEST, 0,
                      [](float a, float b) { return fmaxf(a, b); });
        }
    }

    /* Sets the powers, and `factor` to the scale of everything accumulated so
     * far. */
    LL_DEVICE void step(tile &powers, const tile &scores, state &x,
                        float (&factor)[2], float scale) {
        float most[2], base[2];
        set_largest(most, scores);
        set_base(base, most, x.most, x.sum, factor, scale);
        LL_EACH(r, SCORES) {
            powers[r] = fmaf(scores[r], scale, -base[register_row(r)]);
        }
    }
};

} // namespace ll_kernels

#endif
