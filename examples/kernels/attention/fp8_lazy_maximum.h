/* fp8_lazy_maximum.h - softmax in e4m3 that rarely updates the running maximum
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_FP8_LAZY_MAXIMUM_H
#define LL_FP8_LAZY_MAXIMUM_H

#include "softmax_tile.h"
#include "warpgroups.h"
#include <limits.h>

namespace ll_kernels {

/* Probabilities are 2 to the power of scaled scores less a base. The base
 * changes only if a probability would be too large for e4m3; it is then
 * TILES::MAX_LOG2 less than the largest scaled score. */
template <class TILES> struct lazy_maximum {
    typedef typename TILES::SCORES SCORES;
    typedef float tile[LL_REGS(SCORES)];

    static constexpr float LARGEST_POWER = 8.8f; /* e4m3 ends at 448 */

    /* The softmax so far of a lane's two rows. */
    struct state {
        float base[2], sum[2]; /* the sum is of this lane's probabilities */
        bool seen[2];          /* has the row seen a key? */
        int limit; /* largest power as bits; less than any if a row has seen
                      no key */
    };
    static __device__ state first() {
        return {{0, 0}, {0, 0}, {false, false}, INT_MIN};
    }

    /* Sets the powers, and returns whether one is too large for e4m3. Positive
     * floats are ordered like integers, and one instruction compares three
     * integers. */
    LL_DEVICE bool set_powers(tile &powers, const tile &scores, const state &x,
                              float scale) {
        int top[4] = {INT_MIN, INT_MIN, INT_MIN, INT_MIN};
        LL_UNROLL
        for (unsigned r = 0; r < LL_REGS(SCORES); r += 2) {
            int &most = top[r / 2 % 4];
            for (unsigned k = r; k < r + 2; ++k) {
                powers[k] = fmaf(scores[k], scale, -x.base[register_row(k)]);
            }
            most = max(most, max(__float_as_int(powers[r]),
                                 __float_as_int(powers[r + 1])));
        }
        return max(max(top[0], top[1]), max(top[2], top[3])) > x.limit;
    }

    /* Lowers powers to at most MAX_LOG2 in rows that need it. Sets `factor` to
     * the scale of everything accumulated so far. */
    LL_DEVICE void rebase(tile &powers, state &x, float (&factor)[2]) {
        LL_IN(WARPGROUP);
        float most[2], by[2];
        LL_REDUCE(most, powers, typename TILES::LARGEST, 0,
                  [](float a, float b) { return fmaxf(a, b); });
        LL_UNROLL
        for (unsigned k = 0; k < 2; ++k) {
            const bool any = most[k] > -INFINITY;
            by[k] = any && (most[k] > LARGEST_POWER || !x.seen[k])
                        ? most[k] - TILES::MAX_LOG2
                        : 0;
            factor[k] = x.seen[k] ? ll_ptx_ex2(-by[k]) : 1;
            x.base[k] += by[k];
            x.sum[k] *= factor[k];
            x.seen[k] = x.seen[k] || any;
        }
        LL_EACH(r, SCORES) { powers[r] -= by[register_row(r)]; }
        x.limit =
            x.seen[0] && x.seen[1] ? __float_as_int(LARGEST_POWER) : INT_MIN;
    }

    /* Both: sets powers and factor. */
    LL_DEVICE void step(tile &powers, const tile &scores, state &x,
                        float (&factor)[2], float scale) {
        const bool large = set_powers(powers, scores, x, scale);
        factor[0] = factor[1] = 1;
        if (__any_sync(~0u, large)) {
            rebase(powers, x, factor);
        }
    }
};

} // namespace ll_kernels

#endif
