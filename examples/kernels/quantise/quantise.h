/* quantise.h - magnitudes, scales, and the conversion of a tile to e4m3 or
 * another narrow format
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_QUANTISE_H
#define LL_QUANTISE_H

#include "../rows/rows.h"

namespace ll_kernels {

/* The larger of two pairs of 16-bit magnitudes, which are ordered as whole
 * numbers are. */
struct larger_magnitudes {
    __device__ unsigned operator()(unsigned x, unsigned y) const {
        return __vmaxu2(x, y);
    }
};

/* Returns the scale of elements with magnitudes up to `peak`, and sets *inverse
 * to what the elements are multiplied by. The largest e4m3 is 448. With
 * POWER_OF_TWO the scale is a power of two, as in the OCP's microscaling
 * formats, and the largest elements may saturate. */
template <bool POWER_OF_TWO>
__device__ float scale_for(float peak, float *inverse) {
    if constexpr (POWER_OF_TWO) {
        const unsigned e = __float_as_uint(peak) >> 23;
        const unsigned scale = e < 9 ? 1 : e - 8;
        *inverse = __uint_as_float((254 - scale) << 23);
        return __uint_as_float(scale << 23);
    } else {
        const float scale = fmaxf(peak, 1e-12f) * (1 / 448.0f);
        *inverse = __fdividef(1, scale);
        return scale;
    }
}

/* The format e4m3. `pack` converts the elements of a word, the first lowest. */
struct e4m3_format {
    enum : unsigned { bits = 8 };
    static __device__ unsigned pack(const float (&x)[4]) {
        unsigned w[1];
        LL_CAST(w, x, ll_e4m3, ll_f32);
        return w[0];
    }
};

/* Converts a tile to FORMAT. Element r of q is element source(r) of a, times
 * inverse(source(r)); without `source` it is element r. */
template <class FORMAT, class ELEMENT, unsigned N, unsigned M, class INVERSE,
          class SOURCE>
__device__ void quantise_tile(unsigned (&q)[N], const unsigned (&a)[M],
                              INVERSE inverse, SOURCE source) {
    constexpr unsigned per_word = 32 / FORMAT::bits;
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        float x[per_word];
        LL_UNROLL
        for (unsigned k = 0; k < per_word; ++k) {
            const unsigned r = source(w * per_word + k);
            x[k] = number<ELEMENT>(a, r) * inverse(r);
        }
        q[w] = FORMAT::pack(x);
    }
}
template <class FORMAT, class ELEMENT, unsigned N, unsigned M, class INVERSE>
__device__ void quantise_tile(unsigned (&q)[N], const unsigned (&a)[M],
                              INVERSE inverse) {
    quantise_tile<FORMAT, ELEMENT>(q, a, inverse, [](unsigned r) { return r; });
}

} // namespace ll_kernels

#endif
