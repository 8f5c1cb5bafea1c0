/* groups.h - formats in which a group of numbers shares a scale.
 * SPDX-License-Identifier: MIT
 *
 * fp8: e4m3, of which 128 share a float. mxfp8: e4m3, of which 32 share a power
 * of two, a byte that counts from 2^-127. nvfp4: e2m1, of which 16 share an
 * e4m3, and all a float.
 */
#ifndef LL_GROUPS_H
#define LL_GROUPS_H

#include "quantise.h"

namespace ll_kernels {

/* `across`: the scales of one group of each line follow each other, as a
 * product's tensor copies want them; else those of a line do.
 * scale: of the largest magnitudes of N groups, their scales, and what their
 * numbers are multiplied by; `all` is one over the scale of all groups.
 * word: the numbers of a word, the first lowest. */
struct fp8 : as_e4m3 {
    enum : unsigned { group = 128, across = 1, blocks = 3 };
    typedef unsigned char memory;
    typedef float kind;
    template <unsigned N>
    static __device__ void scale(float (&s)[N], float (&by)[N],
                                 const float (&most)[N], float) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            s[r] = scale_of<false>(most[r], by + r);
        }
    }
};
struct mxfp8 : as_e4m3 {
    enum : unsigned { group = 32, across = 0, blocks = 4 };
    typedef unsigned char memory, kind;
    template <unsigned N>
    static __device__ void scale(unsigned char (&s)[N], float (&by)[N],
                                 const float (&most)[N], float) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) { /* the largest e4m3 is 1.75 * 2^8 */
            const unsigned e = __float_as_uint(most[r]) >> 23;
            s[r] = (unsigned char)(e < 9 ? 1 : e - 8);
            by[r] = __uint_as_float((254u - s[r]) << 23);
        }
    }
};
struct nvfp4 {
    enum : unsigned { bits = 4, group = 16, across = 0, blocks = 5 };
    typedef ll_b4x2 memory;
    typedef unsigned char kind;
    template <unsigned N>
    static __device__ void scale(unsigned char (&s)[N], float (&by)[N],
                                 const float (&most)[N], float all) {
        unsigned words[(N + 3) / 4];
        float x[(N + 3) / 4 * 4] = {};
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) { /* the largest e2m1 is 6 */
            x[r] = most[r] * all * (1 / 6.0f);
        }
        LL_CAST(words, x, ll_e4m3, ll_f32);
        LL_CAST(x, words, ll_f32, ll_e4m3);
        memcpy(s, words, N);
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            by[r] = x[r] > 0 ? __fdividef(all * 0x1p-14f, x[r]) : 0;
        }
    }
    /* Of numbers times 2^-14, whose f16 have the exponents of e2m1. */
    static __device__ unsigned word(const float (&x)[8]) {
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

/* A result: elements, and a scale for each group of a line, or null. */
struct quantised {
    unsigned char *elements;
    void *scales;
};

/* Stores the scales of a tile that starts at number `at` of a line, of `lines`
 * with n numbers each; OF: who has them. `by`: what numbers are multiplied
 * by. */
template <class F, class OF, unsigned N>
__device__ void put_scales(float (&by)[N], const float (&most)[N], float all,
                           quantised x, size_t line, size_t at, unsigned lines,
                           unsigned n) {
    typename F::kind s[N], *const to = (typename F::kind *)x.scales;
    const unsigned left = lines - (unsigned)line, wide = n / F::group;
    const unsigned groups = (n - (unsigned)at + F::group - 1) / F::group;
    F::scale(s, by, most, all);
    if constexpr (F::across) {
        LL_STORE(s, OF, to + at / F::group * lines + line, lines, groups, left);
    } else {
        LL_STORE(s, OF, to + line * wide + at / F::group, wide, left, groups);
    }
}

/* The groups of pairs of numbers of a tile of 128 x 128. */
LL_FN ll_layout grouped(ll_layout pairs, unsigned group) {
    return ll_reshape_out(pairs, group == 128  ? ll_shape_of("k=64 j=1 i=128")
                                 : group == 32 ? ll_shape_of("k=16 j=4 i=128")
                                               : ll_shape_of("k=8 j=8 i=128"));
}
LL_FN ll_layout grouped_down(ll_layout pairs, unsigned group) {
    return ll_reshape_out(pairs, group == 128  ? ll_shape_of("j=64 k=128 i=1")
                                 : group == 32 ? ll_shape_of("j=64 k=32 i=4")
                                               : ll_shape_of("j=64 k=16 i=8"));
}
/* Lines by groups, or the other way round. */
LL_FN ll_layout turned_if(bool turned, ll_layout a) {
    return turned ? ll_trans(a, "j i") : a;
}

} // namespace ll_kernels

#endif
