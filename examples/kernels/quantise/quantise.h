/* quantise.h - what kernels that quantise share: the larger of magnitudes,
 * scales, and tiles of numbers as e4m3 or in another format.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_QUANTISE_H
#define LL_QUANTISE_H

#include "../rows/rows.h"

namespace ll_kernels {

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

/* A format of `bits`: its words of numbers, the first lowest. */
struct as_e4m3 {
    enum : unsigned { bits = 8 };
    static __device__ unsigned word(const float (&x)[4]) {
        unsigned w[1];
        LL_CAST(w, x, ll_e4m3, ll_f32);
        return w[0];
    }
};

/* Numbers in the format F: number r is element at(r) times f(at(r)). */
template <class F, class ELEMENT, unsigned N, unsigned M, class BY, class AT>
__device__ void quantise_tile(unsigned (&q)[N], const unsigned (&a)[M], BY f,
                              AT at) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        float x[32 / F::bits];
        LL_UNROLL
        for (unsigned k = 0; k < 32 / F::bits; ++k) {
            const unsigned r = at(w * (32 / F::bits) + k);
            x[k] = number<ELEMENT>(a, r) * f(r);
        }
        q[w] = F::word(x);
    }
}
template <class F, class ELEMENT, unsigned N, unsigned M, class BY>
__device__ void quantise_tile(unsigned (&q)[N], const unsigned (&a)[M], BY f) {
    quantise_tile<F, ELEMENT>(q, a, f, [](unsigned r) { return r; });
}

} // namespace ll_kernels

#endif
