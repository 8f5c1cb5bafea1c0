/* matmul_lowbit.h - weights of 4 and 8 bits: how they are stored for operand A
 * of wgmma and become its registers, and a check of a product with them.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_LOWBIT_H
#define LL_MATMUL_LOWBIT_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "../hopper.h"
#include "matmul.h"
#include "ll_ptx.h"
#include <math.h>

#ifndef OPERAND
#define OPERAND bf16
#endif

/* The type of activations, bf16, f16 or e4m3, and that of the product. */
constexpr type IS = OPERAND, OUT_IS = IS == f16 ? f16 : bf16;

/* e2m1 with a scale 2^e for each 32 elements along k; -8 to 7 with a bf16 scale
 * for each 64; e2m1 with an e4m3 scale for each 16; e4m3. */
enum format { mxfp4, s4, nvfp4, fp8 };

/* ---- Storage ------------------------------------------------------------- */

/* Tiles of 64 x DEPTH, elements and then scales: their bytes. */
enum : unsigned {
    BITS = bits_of(IS),
    SLICE = 256 / BITS, /* of k, of one product */
    DEPTH = 64,
    WORDS_A = DEPTH * BITS / 64 /* registers of operand A */
};
LL_FN unsigned bits_of(format f) { return f == fp8 ? 8 : 4; }
LL_FN unsigned elements_of(format f) { return 64 * DEPTH * bits_of(f) / 8; }
LL_FN unsigned tile_of(format f) {
    return elements_of(f) + (f == fp8 ? 0 : f == nvfp4 ? 256 : 128);
}

/* 64 x 64 of W in registers. Storage has the same order: the bits of the
 * element's number there are those of register, lane and warp. A lane has 32
 * bytes of fp8: the first 16 of all lanes of a warp precede the others, so that
 * each access has no bank conflicts. */
LL_LAYOUT(A, ll_ptx_wgmma_a(64, DEPTH, BITS, 4));
LL_FN ll_layout stored_as(format f) {
    ll_layout a = LL_GET(A);
    for (unsigned k = 4; f == fp8 && k < 9; ++k) {
        const unsigned half = a.basis[k];
        a.basis[k] = a.basis[k + 1];
        a.basis[k + 1] = half;
    }
    return a;
}

/* The scales that a lane needs are one or two words, the same in four lanes. */
LL_LAYOUT(SCALES_16, ll_scales_of(LL_GET(A), LL_J, 16)); /* a byte each */
LL_LAYOUT(SCALES_32, ll_scales_of(LL_GET(A), LL_J, 32)); /* a byte each */
LL_LAYOUT(SCALES_64, ll_scales_of(LL_GET(A), LL_J, 64)); /* two bytes each */
static_assert(ll_is_equal(LL_GET(SCALES_32),
                          ll_parse("register: i3 j0 | lane: 0 0 i0 i1 i2 | "
                                   "warp: i4 i5")) &&
                  ll_is_equal(LL_GET(SCALES_16),
                              ll_parse("register: i3 j0 j1 | "
                                       "lane: 0 0 i0 i1 i2 | warp: i4 i5")),
              "lanes have the scales that unpack reads");

/* Whether weights are f16 in registers: as X is, or before they are e4m3. */
LL_FN bool is_f16(format f) {
    return IS == f16 || (IS == e4m3 && (f == s4 || f == nvfp4));
}

/* All weights lack this power of two until the end. With it they are rounded to
 * e4m3, as normal numbers if scales are 2^-14 to 0.2 (s4) or 4 to 448 (nvfp4).
 */
LL_FN float lacking(format f) {
    return f == fp8     ? (IS == f16 ? 0x1p8f : 1)
           : IS == bf16 ? 0x1p64f
           : f == nvfp4 ? 0x1p7f
           : IS == f16  ? 0x1p4f
           : f == s4    ? 0x1p-8f
                        : 0x1p-4f;
}

/* Where x + 8 of a pair lies in two f16, and a word with pair p there. */
enum : unsigned { S4_F16 = 0x03c003c0 };
LL_FN unsigned s4_f16(unsigned w, unsigned p) {
    return p == 0 ? w : p == 1 ? w << 4 : p == 2 ? w >> 4 : w << 24 | w >> 8;
}

/* Pair p of the elements of a word, as two numbers that lack a power of two. */
template <format F> LL_FN unsigned pair_f16(unsigned w, unsigned p) {
    const unsigned e2m1 = 0x8e008e00u;
    return F == s4  ? s4_f16(w, p) & S4_F16
           : p == 0 ? w & e2m1
           : p == 1 ? (w << 29 | w >> 3) & e2m1
           : p == 2 ? (w << 7 ^ w << 4) & e2m1
                    : (w << 7 ^ (w << 25 | w >> 7)) & e2m1;
}
LL_FN unsigned pair_fp8(unsigned w, unsigned p) {
    return IS == f16 ? (p ? w << 7 ^ w << 1 : w) & 0xbf80bf80u
                     : (p ? w >> 4 ^ w << 4 : w) & 0x87f087f0u;
}
template <format F> LL_FN unsigned pair(unsigned w, unsigned p) {
    const unsigned e2m1 = 0x81c081c0u, low = 0x000f000fu;
    return F == fp8    ? pair_fp8(w, p)
           : is_f16(F) ? pair_f16<F>(w, p)
           : F == s4   ? (p & 2 ? w >> 8 : w) & (p & 1 ? low << 4 : low)
           : p == 0    ? w & e2m1
           : p == 1    ? (w << 12 | w >> 20) & e2m1
           : p == 2    ? (w << 2 ^ w << 6) & e2m1
                       : (w << 2 ^ (w << 8 | w >> 24)) & e2m1;
}

/* mxfp4 for e4m3: elements 4h to 4h + 3 of a word, which are of one row. Their
 * sizes number bytes of a table, their signs are at the highest bits of bytes.
 */
LL_FN unsigned sizes(unsigned w, unsigned h) { return w >> 16 * h & 0x7777u; }
LL_FN unsigned signs(unsigned w, unsigned h) {
    return w << 4 * h & 0x80808080u;
}

/* The elements of a word: numbers of 4 or 8 bits, the first one lowest. */
LL_FN unsigned codes_fp8(unsigned w) {
    unsigned all = 0;
    for (unsigned h = 0; h < 32 && IS != e4m3; h += 8) {
        const unsigned z = pair_fp8(w, h / 16) >> h % 16 * 2;
        all |= ((z >> (IS == f16 ? 7 : 4) & 127) | (z >> 8 & 128)) << h;
    }
    return IS == e4m3 ? w : all;
}
template <format F> LL_FN unsigned codes(unsigned w) {
    const bool tables = IS == e4m3 && F == mxfp4;
    unsigned all = 0;
    for (unsigned e = 0; e < 8 && tables; ++e) {
        all |= (sizes(w, e / 4) >> 4 * (e % 4) & 7) << 4 * e |
               (signs(w, e / 4) >> (8 * (e % 4) + 7) & 1) << (4 * e + 3);
    }
    for (unsigned p = 0; p < 4 && !tables; ++p) {
        const unsigned z = pair<F>(w, p);
        const unsigned y = z >> (is_f16(F) ? F == s4 ? 6 : 9
                                 : F == s4 ? 4 * (p & 1)
                                           : 6);
        all |= (F == s4 ? (y & 15) | (y >> 12 & 240)
                        : (y & 7) | (z >> 12 & 8) | (y >> 12 & 112) |
                              (z >> 24 & 128))
               << 8 * p;
    }
    return all;
}

/* The word that has these elements: the inverse of a linear function. */
template <format F> LL_FN ll_layout packing() {
    const ll_shape none = LL_ZERO;
    const ll_shape word = ll_with(ll_with(none, LL_J, 65536), LL_I, 65536);
    ll_layout bits = ll_zero(word, word);
    for (unsigned k = 0; k < 32; ++k) {
        bits.basis[k] = F == fp8 ? codes_fp8(1u << k) : codes<F>(1u << k);
    }
    return ll_inv(bits);
}

/* Elements of k that share a scale; tiles along k, and bytes of W as it is
 * stored, with zeros beyond its edges. */
LL_FN unsigned group_of(format f) {
    return f == s4 ? 64 : f == mxfp4 ? 32 : f == nvfp4 ? 16 : 64;
}
LL_FN unsigned deep_of(unsigned k) { return (k + 255) / 256 * 4; }
LL_FN size_t bytes_of(format f, unsigned n, unsigned k) {
    return (size_t)((n + 127) / 128 * 2) * deep_of(k) * tile_of(f);
}

/* Whether a scale that is not 0 can be stored. */
template <format F> LL_FN bool is_in_range(unsigned s) {
    return F == nvfp4   ? s <= 126
           : IS == e4m3 ? (F == s4 ? s >= 105u << 7 && s < 128u << 7
                                   : s >= 118 && s <= 129)
           : IS == f16  ? (F == s4 ? s >= 100u << 7 && s < 129u << 7
                                   : s >= 108 && s <= 132)
           : F == s4    ? s < 185u << 7
                        : s >= 66 && s <= 192;
}

/* A scale as it is stored, of row i: the bits that unpack makes a bf16 or f16
 * of. An e4m3 gets an exponent of 5 bits, so that none is below the least. */
template <format F> LL_FN unsigned stored_scale(unsigned s, unsigned i) {
    unsigned up = 0;
    while (F == nvfp4 && s && (s << up) < 8) {
        ++up;
    }
    const unsigned e5m3 =
        s < 8 ? (4 - up) << 3 | ((s << up) & 7) : s + (3 << 3);
    return !s           ? 0
           : F == nvfp4 ? e5m3 + (is_f16(F) ? 12 << 3 : 0)
           : IS == e4m3 ? (F == s4 ? (s << 3) - (104 << 10) : s - 118)
           : IS == f16  ? (F == s4 ? (s << 3) - (98 << 10) : (s - 102) << 3)
           : F == mxfp4 ? s + 62
                        : s + ((69 - (i & 8) / 2) << 7);
}

/* The scales of a tile, which starts at a row and a column. */
template <format F>
static const char *pack_scales(unsigned char *to, const unsigned short *scales,
                               unsigned row, unsigned col, unsigned n,
                               unsigned k) {
    static const ll_layout scale = F == s4      ? LL_GET(SCALES_64)
                                   : F == mxfp4 ? LL_GET(SCALES_32)
                                                : LL_GET(SCALES_16);
    const unsigned width = /* log2 of a lane's scales */
        F == s4      ? 1
        : F == mxfp4 ? 2
                     : 3;
    for (unsigned x = 0; x < 64u << (width - 1); ++x) {
        const unsigned y =
            ll_apply(scale, x % (1u << width) | x >> width << (width + 2));
        const unsigned i = row + ll_unpack(scale.out, LL_I, y);
        const unsigned j = col / group_of(F) + ll_unpack(scale.out, LL_J, y);
        unsigned s = i < n && j < k / group_of(F)
                         ? scales[(size_t)i * (k / group_of(F)) + j]
                         : 0;
        if (s && !is_in_range<F>(s)) {
            return IS == e4m3
                       ? "a scale of W is out of range: 2^-9 to 4 for mxfp4, "
                         "2^-22 to 2 for s4, 0 to 448 for nvfp4"
                   : IS == f16
                       ? "a scale of W is out of range: 2^-19 to 2^5 for "
                         "mxfp4, 2^-27 to 4 for s4, 0 to 448 for nvfp4"
                       : "a scale of W is out of range: 2^-61 to 2^65 for "
                         "mxfp4, 0 to 2^57 for s4, 0 to 448 for nvfp4";
        }
        s = stored_scale<F>(s, i);
        memcpy(to + x * (F == s4 ? 2 : 1), &s, F == s4 ? 2 : 1);
    }
    return 0;
}

/* Stores W: elements by rows, a byte each (s4: x + 8), and scales by rows, as
 * e8m0, bf16 or e4m3; fp8 has none. Returns null, or a sentence that says why
 * it cannot. */
template <format F>
static const char *pack(unsigned char *to, const unsigned char *elements,
                        const unsigned short *scales, unsigned n, unsigned k) {
    static const ll_layout word = packing<F>(), a = stored_as(F);
    const unsigned bits = bits_of(F), most = (1u << bits) - 1;
    const char *bad = 0;
    for (size_t at = 0; at < bytes_of(F, n, k) && !bad; at += tile_of(F)) {
        const unsigned tile = (unsigned)(at / tile_of(F)), deep = deep_of(k);
        const unsigned row = tile / deep * 64;
        const unsigned col = tile % deep * DEPTH;
        for (unsigned x = 0; x < elements_of(F) / 4; ++x) {
            unsigned plain = 0;
            for (unsigned e = 0; e < 32 / bits; ++e) {
                const unsigned y = ll_apply(a, 32 / bits * x + e);
                const unsigned i = row + ll_unpack(a.out, LL_I, y);
                const unsigned j = col + ll_unpack(a.out, LL_J, y);
                const size_t z = (size_t)i * k + j;
                if (i < n && j < k && (F == fp8 || scales[z / group_of(F)])) {
                    plain |= (elements[z] & most) << bits * e;
                    bad = F == fp8 && (elements[z] & 127) == 127
                              ? "an element of W is not a number"
                              : bad;
                }
            }
            plain = ll_apply(word, plain);
            memcpy(to + at + 4 * x, &plain, 4);
        }
        if constexpr (F != fp8) {
            bad = pack_scales<F>(to + at + elements_of(F), scales, row, col, n,
                                 k);
        }
    }
    return bad;
}

/* ---- Words of weights ---------------------------------------------------- */

/* What a lane needs of the elements of a tile, from those of its warp on. */
template <format F>
static __device__ ll_words elements_at(unsigned from, unsigned lane) {
    ll_words all = ll_ptx_ld_shared_b128(from + 16 * lane);
    if (F == fp8) {
        const ll_words high = ll_ptx_ld_shared_b128(from + 512 + 16 * lane);
        LL_MEMCPY_(all.w + 4, high.w, 16);
    }
    return all;
}

/* What four lanes need of the scales of a tile. */
template <format F>
static __device__ ll_words scales_of(unsigned from, unsigned four) {
    const ll_words none = LL_ZERO;
    return F == fp8     ? none
           : F == nvfp4 ? ll_ptx_ld_shared_b64(from + 8 * four)
                        : ll_ptx_ld_shared_b32(from + 4 * four);
}

static inline __device__ unsigned fma2(unsigned a, unsigned b, unsigned c) {
    return IS == bf16 ? ll_ptx_fma_bf16x2(a, b, c) : ll_ptx_fma_f16x2(a, b, c);
}

static __device__ unsigned rounded(float x, float y) {
    return OUT_IS == f16 ? ll_ptx_cvt_f16x2(x, y) : ll_ptx_cvt_bf16x2(x, y);
}

/* A half of a word twice, which an fma2 takes without an instruction. */
static __device__ unsigned twice(unsigned x, unsigned high) {
    unsigned y = 0;
    if (high) {
        LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; "
                     "mov.b32 %0, {h, h}; }",
                     (LL_O32_(y)), (LL_I32_(x)));
    } else {
        LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; "
                     "mov.b32 %0, {l, l}; }",
                     (LL_O32_(y)), (LL_I32_(x)));
    }
    return y;
}

/* (x & y) | z: of two constants the compiler would make two instructions. */
static __device__ unsigned and_or(unsigned x, unsigned y, unsigned z) {
    unsigned all = 0;
    LL_PTX_PURE_("lop3.b32 %0, %1, %2, %3, 0xea;", (LL_O32_(all)),
                 (LL_I32_(x), LL_I32_(y), LL_I32_(z)));
    return all;
}

/* Pair p of word s, of row i or i + 8, times its scale; `scales` has what the
 * lane needs of both rows. */
template <format F>
static __device__ unsigned scaled(unsigned w, unsigned scales, unsigned s,
                                  unsigned p, unsigned row) {
    const unsigned none = 0x80008000u;
    if (F == s4) { /* of bf16, pack has divided the second row's by 16 */
        const unsigned x = twice(scales, row);
        const unsigned bias = IS == e4m3  ? 0xce00ce00u
                              : IS == f16 ? 0x82008200u
                              : row       ? 0x80808080u
                                          : 0x80088008u;
        const unsigned y = /* times 2^18 for e4m3 */
            IS == e4m3 ? and_or(s4_f16(w, p), S4_F16, 0x4c004c00u)
                       : pair<F>(w, p);
        return fma2(y, x, fma2(x, bias, none));
    }
    const bool second = F == nvfp4 ? s % 2 : s / 2;
    const unsigned x = ll_ptx_prmt(scales, 0, second ? 0x4342 : 0x4140);
    return fma2(
        pair<F>(w, p),
        twice(F == nvfp4 && IS == bf16 ? x * 16 + 0x59805980u : x << 7, row),
        none);
}

/* The four registers of slice s of 16 bits, of rows i and i + 8 in turn. */
template <format F>
static __device__ void unpack(unsigned *a, unsigned w, unsigned scales,
                              unsigned s) {
    LL_UNROLL
    for (unsigned p = 0; p < 4; ++p) {
        a[p] = scaled<F>(w, scales, s, p, p & 1);
    }
}

/* Two registers of slice s of e4m3, of rows i and i + 8. With mxfp4 `scales`
 * has exponents from that on with which the least size has an exponent of 1. */
template <format F>
static __device__ void unpack_e4m3(unsigned *a, unsigned w, unsigned scales,
                                   unsigned s) {
    LL_UNROLL
    for (unsigned row = 0; row < 2; ++row) {
        if (F == mxfp4) {
            const unsigned x =
                ll_ptx_prmt(scales, 0, 0x4440u + row + s / 2 * 2);
            const unsigned low = 0x14100800u + x * 0x08080800u;
            const unsigned high = 0x24201c18u + x * 0x08080808u;
            a[row] = ll_ptx_prmt(low, high, sizes(w, row)) | signs(w, row);
        } else {
            const unsigned y[] = {scaled<F>(w, scales, s, 2 * row, row),
                                  scaled<F>(w, scales, s, 2 * row + 1, row)};
            unsigned x[1];
            LL_CAST(x, y, ll_e4m3, ll_f16);
            a[row] = x[0];
        }
    }
}

/* The registers of operand A that words of fp8 are. */
static __device__ void unpack_fp8(unsigned *a, const ll_words &words) {
    LL_UNROLL
    for (unsigned x = 0; x < WORDS_A; ++x) {
        a[x] = IS == e4m3 ? words.w[x % 8] : pair<fp8>(words.w[x / 2], x % 2);
        if (IS == bf16) {
            a[x] = fma2(a[x], 0x7b807b80u, 0x80008000u); /* times 2^120 */
        }
    }
}

/* The registers of operand A that a lane's words are. */
template <format F>
static __device__ void unpack(unsigned (&a)[WORDS_A], const ll_words &words,
                              const ll_words &scales) {
    if constexpr (F == fp8) {
        unpack_fp8(a, words);
    } else {
        LL_UNROLL
        for (unsigned s = 0; s < 4; ++s) {
            const unsigned x = scales.w[F == nvfp4 ? s / 2 : 0];
            if constexpr (IS == e4m3) {
                unpack_e4m3<F>(a + 2 * s, words.w[s], x, s);
            } else {
                unpack<F>(a + 4 * s, words.w[s], x, s);
            }
        }
    }
}

/* ---- The check ----------------------------------------------------------- */

/* The elements of the check: all codes; s4 and nvfp4 for e4m3 and fp8 such that
 * sums of a row have few bits, since products of e4m3 are added with 14. */
template <format F>
static unsigned char element_at(unsigned char random, size_t row) {
    const unsigned size = (unsigned)row * 7 % 15 * 8 + (random & 15);
    if (F == fp8) {
        const bool none = IS == e4m3 && random & 112;
        return (unsigned char)((random & 128) | (none          ? 0
                                                 : size == 127 ? 126
                                                               : size));
    }
    return IS == e4m3 && F != mxfp4 && random & 240 ? (F == s4 ? 8 : 0)
                                                    : random & 15;
}

/* Scale x of the check: products with rounding are of all sizes. */
template <format F> static unsigned short scale_at(size_t x, size_t row) {
    const unsigned low = (unsigned)x % 8,
                   size = (unsigned)row * 7 % 15 * 8 + low;
    if (IS == e4m3 && F != mxfp4) {
        return (unsigned short)(F == s4
                                    ? (109 + row * 7 % 19) << 7 | (37 * x & 127)
                                : size < 119 ? size + 8
                                             : 126);
    }
    return (unsigned short)(F == s4      ? pattern(bf16, 1 + (int)(x % 3))
                            : F == mxfp4 ? 128 + x % 2
                                         : pattern(e4m3, 2 + 2 * (int)(x % 3)));
}

/* A number that is stored as e4m3, and one that is rounded to it. */
static float of_e4m3(unsigned code) {
    const unsigned e = code >> 3 & 15, m = code & 7;
    return (code & 128 ? -1.0f : 1.0f) *
           ldexpf((float)(e ? m + 8 : m), (int)(e ? e : 1) - 10);
}
static float to_e4m3(float x) {
    int e;
    frexpf(x, &e); /* x is 2^(e - 1) or more */
    e = e > -5 ? e - 4 : -9;
    const float y = ldexpf(rintf(ldexpf(x, -e)), e);
    return y > 448 ? 448 : y < -448 ? -448 : y;
}

/* An element with its scale. */
template <format F> static float weight_at(unsigned code, unsigned scale) {
    static const float sizes_of[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    const unsigned bits = scale << 16;
    float s = F == mxfp4 ? ldexpf(1, (int)scale - 127) : of_e4m3(scale);
    if (F == s4) {
        memcpy(&s, &bits, 4);
    }
    const float x = F == fp8  ? of_e4m3(code)
                    : F == s4 ? (float)(code & 15) - 8
                              : (code & 8 ? -1.0f : 1.0f) * sizes_of[code & 7];
    return F == fp8     ? x
           : IS == e4m3 ? to_e4m3(x * s / lacking(F)) * lacking(F)
                        : x * s;
}

/* Whether an element of C is that number, rounded to the nearest. */
static bool is_near(unsigned short c, double want) {
    const float f = (float)want;
    unsigned w = 0;
    memcpy(&w, &f, 4);
    const unsigned z = w + 0xfff + (w >> 13 & 1); /* 10 bits of mantissa */
    return OUT_IS == bf16
               ? c == (unsigned short)((w + 0x7fff + (w >> 16 & 1)) >> 16)
               : c == (unsigned short)(f == 0 ? 0
                                              : (w >> 31) << 15 |
                                                    ((z >> 13 & 0x3ffff) -
                                                     (112 << 10)));
}

typedef const char *launcher(void *c, const void *x, const void *w, unsigned m,
                             unsigned n, unsigned k, cudaStream_t stream,
                             float scale);

/* The weights of row `row` of the check, with the scales that they have. */
template <format F>
static void weights_of(float *to, const unsigned char *elements,
                       const unsigned short *scales, size_t row, size_t k) {
    for (size_t x = row * k; x < row * k + k; ++x) {
        to[x % k] =
            weight_at<F>(elements[x], F == fp8 ? 0u : scales[x / group_of(F)]);
    }
}

/* What the check multiplies the product by: f16 has such numbers. */
static const float UNIT = 0x1p-5f;

/* How many elements of C are wrong: of all, or of some rows of W by some tokens
 * where they are many. */
template <format F>
static size_t wrong_of(const unsigned short *c, const unsigned char *elements,
                       const unsigned short *scales, size_t m, size_t n,
                       size_t k) {
    const size_t step = n > 1024 ? n / 256 | 1 : 1;
    const size_t tokens = m * (n / step) > 8192 ? m * (n / step) / 8192 | 1 : 1;
    float *w = (float *)malloc(k * sizeof *w);
    size_t wrong = 0;
    for (size_t row = 0; row < n; row += step) {
        weights_of<F>(w, elements, scales, row, k);
        for (size_t y = 0; y < m; y += tokens) {
            double sum = 0;
            for (size_t z = 0; z < k; ++z) {
                sum += (double)value_at(y * k + z, 1) * (double)w[z];
            }
            wrong += !is_near(c[y * n + row], sum * (double)UNIT);
        }
    }
    free(w);
    return wrong;
}

/* Runs a product, checks it and prints the speed; returns what is wrong. */
template <format F>
static size_t demonstrate(launcher *launch, unsigned m, unsigned n,
                          unsigned k) {
    const size_t size = (size_t)n * k, groups = size / group_of(F);
    unsigned char *elements = (unsigned char *)malloc(size + 1), *w;
    unsigned char *stored = (unsigned char *)malloc(bytes_of(F, n, k) + 1);
    unsigned short *scales = (unsigned short *)malloc(groups * 2 + 2), *c;
    unsigned short *host = (unsigned short *)malloc((size_t)m * n * 2 + 2);
    randomise(elements, size, 5);
    for (size_t x = 0; x < size; ++x) {
        elements[x] = element_at<F>(elements[x], x / k);
    }
    for (size_t x = 0; x < groups; ++x) {
        scales[x] = scale_at<F>(x, x * group_of(F) / k);
    }
    const char *bad = pack<F>(stored, elements, scales, n, k);
    void *x = matrix_of(IS, (size_t)m * k, 1);
    MUST(cudaMalloc((void **)&w, bytes_of(F, n, k) + 1));
    MUST(cudaMalloc((void **)&c, (size_t)m * n * 2 + 1));
    MUST(cudaMemcpy(w, stored, bytes_of(F, n, k), cudaMemcpyHostToDevice));
    const float ms =
        timed([&] { bad = bad ? bad : launch(c, x, w, m, n, k, 0, UNIT); });
    printf("%u x %u x %u: ", m, n, k);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host, c, (size_t)m * n * 2, cudaMemcpyDeviceToHost));
    const size_t wrong = wrong_of<F>(host, elements, scales, m, n, k);
    MUST(cudaFree(x));
    MUST(cudaFree(w));
    MUST(cudaFree(c));
    free(elements);
    free(stored);
    free(scales);
    free(host);
#if LL_EMULATE
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%zu wrong, %llu bank conflicts\n%s", wrong, lost, emu_errors());
    (void)ms;
    return wrong + lost + (size_t)emu_error_count();
#else
    printf("%zu wrong, %.3f ms, %.1f T/s, %.0f GB/s of weights\n", wrong, ms,
           2e-9 * m * n * k / ms, 1e-6 * bytes_of(F, n, k) / ms);
    return wrong;
#endif
}

/* The shape that the command names, or all of a list: the exit status. */
template <format F, unsigned N>
int demonstrate_all(launcher *launch, const unsigned (&shapes)[N][3], int argc,
                    char **argv) {
    size_t wrong = 0;
    if (argc > 3) {
        return demonstrate<F>(launch, (unsigned)atoi(argv[1]),
                              (unsigned)atoi(argv[2]),
                              (unsigned)atoi(argv[3])) != 0;
    }
    for (const unsigned(&s)[3] : shapes) {
        const bool large = (double)s[0] * s[1] * s[2] > 1e7;
        wrong +=
            large && !on_gpu() ? 0 : demonstrate<F>(launch, s[0], s[1], s[2]);
    }
    return wrong != 0;
}

#endif
