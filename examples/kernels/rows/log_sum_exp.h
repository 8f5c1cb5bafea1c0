/* log_sum_exp.h - the largest number of a row and the sum of exponentials
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_LOG_SUM_EXP_H
#define LL_LOG_SUM_EXP_H

#include "packed.h"

namespace ll_kernels {

/* Returns 2^x by one instruction. */
__device__ inline float power(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Returns log2(x) by one instruction. */
__device__ inline float logarithm(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

/* The largest of some numbers, and the sum of exp(x - most). */
struct peak {
    float most, sum;
};

/* Merges two peaks. The result has the same bits for (x, y) and (y, x), because
 * all lanes must get the same. */
struct merge {
    __device__ peak operator()(peak x, peak y) const {
        const bool first = x.most > y.most;
        const float less = power(-fabsf(x.most - y.most) * LOG2E);
        const float high = first ? x.sum : y.sum, low = first ? y.sum : x.sum;
        return {first ? x.most : y.most, fmaf(low, less, high)};
    }
};

/* Returns the peak of a lane's numbers. Sets e to their exponentials. */
template <class ELEMENT, unsigned N, unsigned M>
__device__ peak peak_of(float (&e)[M], const unsigned (&a)[N], float most) {
    const float down = most * LOG2E;
    float sums[4] = {};
    LL_UNROLL
    for (unsigned r = 0; r < M; ++r) {
        e[r] = power(fmaf(number<ELEMENT>(a, r), LOG2E, -down));
        sums[r % 4] += e[r];
    }
    return {most, (sums[0] + sums[1]) + (sums[2] + sums[3])};
}

} // namespace ll_kernels

#endif
