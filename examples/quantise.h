/* quantise.h - what kernels that quantise share: the larger of magnitudes,
 * scales, and numbers as e4m3.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_QUANTISE_H
#define LL_QUANTISE_H

#include "rows.h"

/* Magnitudes of 16 bits are ordered as whole numbers are. */
struct larger {
    __device__ unsigned operator()(unsigned x, unsigned y) const {
        return __vmaxu2(x, y);
    }
};

/* A line's scale, and what its elements are multiplied by. The largest e4m3 is
 * 448. POWER: a scale is a power of two, as in the OCP's microscaling formats,
 * and a magnitude may then saturate. */
template <bool POWER> __device__ float scale_of(float most, float *by) {
    if constexpr (POWER) {
        const unsigned e = __float_as_uint(most) >> 23;
        const unsigned scale = e < 9 ? 1 : e - 8;
        *by = __uint_as_float((254 - scale) << 23);
        return __uint_as_float(scale << 23);
    } else {
        const float scale = fmaxf(most, 1e-12f) * (1 / 448.0f);
        *by = __fdividef(1, scale);
        return scale;
    }
}

/* Four numbers as e4m3, the first lowest. */
__device__ inline unsigned bytes_of(float a, float b, float c, float d) {
    const float all[4] = {a, b, c, d};
    unsigned q[1];
    LL_CAST(q, all, ll_e4m3, ll_f32);
    return q[0];
}

/* The tile of 16 words: f(r) multiplies element r. */
template <class T, class F>
__device__ void quantise_tile(unsigned (&q)[16], const unsigned (&a)[32], F f) {
    LL_UNROLL
    for (unsigned w = 0; w < 16; ++w) {
        const unsigned r = 4 * w;
        q[w] = bytes_of(number<T>(a, r) * f(r), number<T>(a, r + 1) * f(r + 1),
                        number<T>(a, r + 2) * f(r + 2),
                        number<T>(a, r + 3) * f(r + 3));
    }
}

#endif
