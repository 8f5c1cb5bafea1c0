/* groups.h - formats in which a group of elements shares a scale
 * SPDX-License-Identifier: MIT
 *
 *     fp8    e4m3, a float for each 128 elements
 *     mxfp8  e4m3, a power of two for each 32: a byte, the exponent plus 127
 *     nvfp4  e2m1, an e4m3 for each 16, and a float for the whole tensor
 */
#ifndef LL_GROUPS_H
#define LL_GROUPS_H

#include "quantise.h"

namespace ll_kernels {

/* A format has
 *   bits            bits of an element
 *   group           elements that share a scale
 *   group_major     0: the scales of a line are adjacent in memory. 1: the
 *                   scales of all lines for the same group are, as the tensor
 *                   maps of a GEMM take them.
 *   blocks          blocks of quantise_groups that fit a multiprocessor
 *   memory_type     elements in memory, as LL_STORE takes them
 *   scale_type      a scale in memory
 *   scales()        From the largest magnitudes of N groups: their scales, and
 *                   what their elements are multiplied by. inverse_all: one
 *                   over the scale of the tensor, which only nvfp4 has.
 *   pack()          converts the elements of a word, the first lowest */
struct fp8 : e4m3_format {
    enum : unsigned { group = 128, group_major = 1, blocks = 3 };
    typedef unsigned char memory_type;
    typedef float scale_type;
    template <unsigned N>
    static __device__ void scales(float (&scale)[N], float (&inverse)[N],
                                  const float (&peak)[N], float) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            scale[r] = scale_for<false>(peak[r], inverse + r);
        }
    }
};
struct mxfp8 : e4m3_format {
    enum : unsigned { group = 32, group_major = 0, blocks = 4 };
    typedef unsigned char memory_type, scale_type;
    template <unsigned N>
    static __device__ void scales(unsigned char (&scale)[N],
                                  float (&inverse)[N], const float (&peak)[N],
                                  float) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) { /* the largest e4m3 is 1.75 * 2^8 */
            const unsigned e = __float_as_uint(peak[r]) >> 23;
            scale[r] = (unsigned char)(e < 9 ? 1 : e - 8);
            inverse[r] = __uint_as_float((254u - scale[r]) << 23);
        }
    }
};
struct nvfp4 {
    enum : unsigned { bits = 4, group = 16, group_major = 0, blocks = 5 };
    typedef ll_b4x2 memory_type;
    typedef unsigned char scale_type;
    template <unsigned N>
    static __device__ void scales(unsigned char (&scale)[N],
                                  float (&inverse)[N], const float (&peak)[N],
                                  float inverse_all) {
        unsigned words[(N + 3) / 4];
        float x[(N + 3) / 4 * 4] = {};
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) { /* the largest e2m1 is 6 */
            x[r] = peak[r] * inverse_all * (1 / 6.0f);
        }
        LL_CAST(words, x, ll_e4m3, ll_f32);
        LL_CAST(x, words, ll_f32, ll_e4m3);
        memcpy(scale, words, N);
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            inverse[r] =
                x[r] > 0 ? __fdividef(inverse_all * 0x1p-14f, x[r]) : 0;
        }
    }
    /* Takes elements times 2^-14, whose f16 have the exponents of e2m1. */
    static __device__ unsigned pack(const float (&x)[8]) {
        unsigned w = 0;
        LL_UNROLL
        for (unsigned k = 0; k < 4; ++k) { /* 6 at most, ties to even */
            const unsigned h = ll_ptx_cvt_f16x2(x[k], x[k + 4]);
            const unsigned a = __vminu2(h & 0x7fff7fffu, 0x0e000e00u);
            const unsigned near = a + 0x00ff00ffu + (a >> 9 & 0x00010001u);
            const unsigned digits = k < 3 ? near >> (9 - 4 * k) : near << 3;
            const unsigned sign = k < 3 ? h >> (12 - 4 * k) : h;
            w |= digits & 0x00070007u << 4 * k;
            w |= sign & 0x00080008u << 4 * k;
        }
        return w;
    }
};

/* A result: elements, and a scale for each group of a line. Both are null if
 * the result is not wanted. */
struct quantised {
    unsigned char *elements;
    void *scales;
};

/* Stores the scales of a tile, and sets `inverse` to what its elements are
 * multiplied by.
 *   GROUPS       which group each register belongs to
 *   peak         largest magnitudes of the groups
 *   inverse_all  one over the scale of the tensor
 *   line, at     the tile starts at element `at` of this line
 *   lines, n     the matrix has this many lines of n elements */
template <class FORMAT, class GROUPS, unsigned N>
__device__ void store_scales(float (&inverse)[N], const float (&peak)[N],
                             float inverse_all, quantised result, size_t line,
                             size_t at, unsigned lines, unsigned n) {
    typedef typename FORMAT::scale_type scale_type;
    scale_type scale[N], *const to = (scale_type *)result.scales;
    const unsigned left = lines - (unsigned)line, per_line = n / FORMAT::group;
    const unsigned groups =
        (n - (unsigned)at + FORMAT::group - 1) / FORMAT::group;
    FORMAT::scales(scale, inverse, peak, inverse_all);
    if constexpr (FORMAT::group_major) {
        LL_STORE(scale, GROUPS, to + at / FORMAT::group * lines + line, lines,
                 groups, left);
    } else {
        LL_STORE(scale, GROUPS, to + line * per_line + at / FORMAT::group,
                 per_line, left, groups);
    }
}

/* Splits the axis along which elements share scales: a tile of 128 x 128, of
 * pairs of adjacent elements of a row, gets an axis k within a group. */
LL_FN ll_layout groups_of_rows(ll_layout pairs, unsigned group) {
    return ll_reshape_out(pairs, group == 128  ? ll_shape_of("k=64 j=1 i=128")
                                 : group == 32 ? ll_shape_of("k=16 j=4 i=128")
                                               : ll_shape_of("k=8 j=8 i=128"));
}
LL_FN ll_layout groups_of_columns(ll_layout pairs, unsigned group) {
    return ll_reshape_out(pairs, group == 128  ? ll_shape_of("j=64 k=128 i=1")
                                 : group == 32 ? ll_shape_of("j=64 k=32 i=4")
                                               : ll_shape_of("j=64 k=16 i=8"));
}
LL_FN ll_layout transposed_if(bool transposed, ll_layout a) {
    return transposed ? ll_trans(a, "j i") : a;
}

} // namespace ll_kernels

#endif
