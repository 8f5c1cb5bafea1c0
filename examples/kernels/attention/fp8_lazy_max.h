/* fp8_lazy_max.h - the softmax of attention_fp8.cu for heads of 64 and 128.
 * It rarely updates the running maximum.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_FP8_LAZY_MAX_H
#define LL_FP8_LAZY_MAX_H

#include "fp8_spilled_sums.h"
#include <limits.h>

constexpr float MOST = 8.8f; /* powers are up to it: e4m3 ends at 448 */

/* The softmax so far of a lane's two rows: what is subtracted from scores,
 * which is FACTOR less than the largest one was when it was taken, and the
 * lane's sum of weights. Where a row has seen no key, `limit` is less than the
 * bits of any power. */
struct lazy_softmax {
    float base[2], sum[2];
    bool seen[2];
    int limit;
};

/* Scores become powers: 2 to them are the weights. Says whether one is too
 * large for e4m3. Floats above 0 are in the order of integers, of which one
 * instruction compares three. */
LL_DEVICE bool set_powers(float (&powers)[LL_REGS(SCORES)],
                          const float (&scores)[LL_REGS(SCORES)],
                          const lazy_softmax &x, float scale) {
    int top[4] = {INT_MIN, INT_MIN, INT_MIN, INT_MIN};
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(SCORES); r += 2) {
        int &most = top[r / 2 % 4];
        for (unsigned k = r; k < r + 2; ++k) {
            powers[k] = fmaf(scores[k], scale, -x.base[row_of(k)]);
        }
        most = max(most, max(__float_as_int(powers[r]),
                             __float_as_int(powers[r + 1])));
    }
    return max(max(top[0], top[1]), max(top[2], top[3])) > x.limit;
}

/* Powers become at most 2^FACTOR, and `factor` by how much earlier weights
 * shrink. */
LL_DEVICE void rebase(float (&powers)[LL_REGS(SCORES)], lazy_softmax &x,
                      float (&factor)[2]) {
    LL_IN(WORKER);
    float most[2], by[2];
    LL_REDUCE(most, powers, LARGEST, 0,
              [](float a, float b) { return fmaxf(a, b); });
    LL_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
        const bool any = most[k] > -INFINITY;
        by[k] = any && (most[k] > MOST || !x.seen[k]) ? most[k] - FACTOR : 0;
        factor[k] = x.seen[k] ? ll_ptx_ex2(-by[k]) : 1;
        x.base[k] += by[k];
        x.sum[k] *= factor[k];
        x.seen[k] = x.seen[k] || any;
    }
    LL_EACH(r, SCORES) { powers[r] -= by[row_of(r)]; }
    x.limit = x.seen[0] && x.seen[1] ? __float_as_int(MOST) : INT_MIN;
}

/* Starts what a worker has. */
template <class WORK>
LL_DEVICE void begin(WORK &w, unsigned smem, unsigned worker, const places &p) {
    w.x = {{0, 0}, {0, 0}, {false, false}, INT_MIN};
    w.moved_by[0] = w.moved_by[1] = 1;
    w.k = p.k;
    w.v = p.v;
    w.smem = smem;
    w.worker = worker;
}

#endif
