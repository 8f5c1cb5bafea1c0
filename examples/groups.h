/* groups.h - formats in which a group of numbers shares a scale.
 * SPDX-License-Identifier: MIT
 *
 * mxfp8: e4m3, of which 32 share a power of two, a byte that counts from
 * 2^-127. nvfp4: e2m1, of which 16 share an e4m3, and all a float.
 */
#ifndef LL_GROUPS_H
#define LL_GROUPS_H

#include "quantise.h"

/* scale: of the largest magnitudes of N groups, their scales, and what their
 * numbers are multiplied by; `all` is one over the scale of all groups.
 * word: the numbers of a word, the first lowest. */
struct mxfp8 : as_e4m3 {
    enum : unsigned { group = 32 };
    typedef unsigned char memory;
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
    enum : unsigned { bits = 4, group = 16 };
    typedef ll_b4x2 memory;
    template <unsigned N>
    static __device__ void scale(unsigned char (&s)[N], float (&by)[N],
                                 const float (&most)[N], float all) {
        unsigned words[(N + 3) / 4];
        float x[(N + 3) / 4 * 4] = {};
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) { /* the largest e2m1 is 6 */
            x[r] = most[r] * (all / 6);
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
            w |= ((near >> 9 & 0x00070007u) | (h >> 12 & 0x00080008u)) << 4 * k;
        }
        return w;
    }
};

/* A result: elements, and a scale for each group of a line, or null. */
struct quantised {
    unsigned char *elements, *scales;
};

#endif
