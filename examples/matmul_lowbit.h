/* matmul_lowbit.h - weights of 4 bits: how they are stored for operand A of
 * wgmma and become its registers, and a check of a product with them.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_LOWBIT_H
#define LL_MATMUL_LOWBIT_H

#include "hopper.h"
#include "matmul.h"
#include "ll_ptx.h"

#ifndef OPERAND
#define OPERAND bf16
#endif

/* The type of activations, bf16, f16 or e4m3, and that of the product. */
constexpr type IS = OPERAND, OUT_IS = IS == f16 ? f16 : bf16;

/* e2m1 with a scale 2^e for each 32 elements along k; -8 to 7 with a bf16 scale
 * for each 64; e2m1 with an e4m3 scale for each 16. */
enum format { mxfp4, s4, nvfp4 };

/* ---- Storage ------------------------------------------------------------- */

/* Tiles of 64 x DEPTH, elements and then scales: their bytes. */
enum : unsigned {
    BITS = bits_of(IS),
    SLICE = 256 / BITS, /* of k, of one product */
    DEPTH = 64,
    WORDS = 64 * DEPTH / 2,
    WORDS_A = DEPTH * BITS / 64 /* registers of operand A */
};
LL_FN unsigned tile_of(format f) { return WORDS + (f == nvfp4 ? 256 : 128); }

/* 64 x 64 of W in registers. Storage has the same order: the bits of the
 * element's number there are those of register, lane and warp. */
LL_LAYOUT(A, ll_ptx_wgmma_a(64, DEPTH, BITS, 4));

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
              "");

/* All weights lack this power of two until the end. */
LL_FN float lacking(format f) {
    return IS == bf16   ? 0x1p64f
           : IS == e4m3 ? 0x1p-4f
           : f == nvfp4 ? 0x1p7f
                        : 0x1p4f;
}

/* Pair p of the elements of a word, as two numbers that lack a power of two. */
template <format F> LL_FN unsigned pair_f16(unsigned w, unsigned p) {
    const unsigned e2m1 = 0x8e008e00u, s4_at = 0x03c003c0u;
    return F == s4 ? (p == 0   ? w
                      : p == 1 ? w << 4
                      : p == 2 ? w >> 4
                               : w << 24 | w >> 8) &
                         s4_at
           : p == 0 ? w & e2m1
           : p == 1 ? (w << 29 | w >> 3) & e2m1
           : p == 2 ? (w << 7 ^ w << 4) & e2m1
                    : (w << 7 ^ (w << 25 | w >> 7)) & e2m1;
}
template <format F> LL_FN unsigned pair(unsigned w, unsigned p) {
    const unsigned e2m1 = 0x81c081c0u, low = 0x000f000fu;
    return IS == f16 ? pair_f16<F>(w, p)
           : F == s4 ? (p & 2 ? w >> 8 : w) & (p & 1 ? low << 4 : low)
           : p == 0  ? w & e2m1
           : p == 1  ? (w << 12 | w >> 20) & e2m1
           : p == 2  ? (w << 2 ^ w << 6) & e2m1
                     : (w << 2 ^ (w << 8 | w >> 24)) & e2m1;
}

/* For e4m3: elements 4h to 4h + 3 of a word, which are of one row. Their sizes
 * are numbers of bytes of `lut`, their signs at the highest bits of bytes. */
LL_FN unsigned sizes(unsigned w, unsigned h) { return w >> 16 * h & 0x7777u; }
LL_FN unsigned signs(unsigned w, unsigned h) {
    return w << 4 * h & 0x80808080u;
}

/* The eight elements of a word: numbers of 4 bits, the first one lowest. */
template <format F> LL_FN unsigned codes(unsigned w) {
    unsigned all = 0;
    for (unsigned e = 0; e < 8 && IS == e4m3; ++e) {
        all |= (sizes(w, e / 4) >> 4 * (e % 4) & 7) << 4 * e |
               (signs(w, e / 4) >> (8 * (e % 4) + 7) & 1) << (4 * e + 3);
    }
    for (unsigned p = 0; p < 4 && IS != e4m3; ++p) {
        const unsigned z = pair<F>(w, p);
        const unsigned y = z >> (IS == f16 ? F == s4 ? 6 : 9
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
        bits.basis[k] = codes<F>(1u << k);
    }
    return ll_inv(bits);
}

/* Elements of k that share a scale; tiles along k, and bytes of W as it is
 * stored, with zeros beyond its edges. */
LL_FN unsigned group_of(format f) {
    return f == s4 ? 64 : f == mxfp4 ? 32 : 16;
}
LL_FN unsigned deep_of(unsigned k) { return (k + 255) / 256 * 4; }
LL_FN size_t bytes_of(format f, unsigned n, unsigned k) {
    return (size_t)((n + 127) / 128 * 2) * deep_of(k) * tile_of(f);
}

/* Whether a scale that is not 0 can be stored. */
template <format F> LL_FN bool is_in_range(unsigned s) {
    return F == nvfp4   ? s <= 126
           : IS == e4m3 ? s >= 118 && s <= 129
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
           : IS == e4m3 ? s - 118
           : F == nvfp4 ? e5m3 + (IS == f16 ? 12 << 3 : 0)
           : IS == f16  ? (F == s4 ? (s << 3) - (98 << 10) : (s - 102) << 3)
           : F == mxfp4 ? s + 62
                        : s + ((69 - (i & 8) / 2) << 7);
}

/* Stores W: elements by rows, a byte each (s4: x + 8), and scales by rows, as
 * e8m0 or bf16. Returns null, or a sentence that says why it cannot. */
template <format F>
static const char *pack(unsigned char *to, const unsigned char *elements,
                        const unsigned short *scales, unsigned n, unsigned k) {
    static const ll_layout word = packing<F>(), a = LL_GET(A);
    static const ll_layout scale = F == s4      ? LL_GET(SCALES_64)
                                   : F == mxfp4 ? LL_GET(SCALES_32)
                                                : LL_GET(SCALES_16);
    const unsigned width = /* log2 of a lane's scales */
        F == s4      ? 1
        : F == mxfp4 ? 2
                     : 3;
    for (size_t at = 0; at < bytes_of(F, n, k); at += tile_of(F)) {
        const unsigned tile = (unsigned)(at / tile_of(F)), deep = deep_of(k);
        const unsigned row = tile / deep * 64;
        const unsigned col = tile % deep * DEPTH;
        for (unsigned x = 0; x < WORDS / 4; ++x) {
            unsigned plain = 0;
            for (unsigned e = 0; e < 8; ++e) {
                const unsigned y = ll_apply(a, 8 * x + e);
                const unsigned i = row + ll_unpack(a.out, LL_I, y);
                const unsigned j = col + ll_unpack(a.out, LL_J, y);
                plain |=
                    (i < n && j < k && scales[((size_t)i * k + j) / group_of(F)]
                         ? elements[(size_t)i * k + j] & 15u
                         : 0u)
                    << 4 * e;
            }
            plain = ll_apply(word, plain);
            memcpy(to + at + 4 * x, &plain, 4);
        }
        for (unsigned x = 0; x < 64u << (width - 1); ++x) {
            const unsigned y =
                ll_apply(scale, x % (1u << width) | x >> width << (width + 2));
            const unsigned i = row + ll_unpack(scale.out, LL_I, y);
            const unsigned j =
                col / group_of(F) + ll_unpack(scale.out, LL_J, y);
            unsigned s = i < n && j < k / group_of(F)
                             ? scales[(size_t)i * (k / group_of(F)) + j]
                             : 0;
            if (s && !is_in_range<F>(s)) {
                return IS == e4m3 ? "a scale of W is out of range: 2^-9 to 4"
                       : IS == f16
                           ? "a scale of W is out of range: 2^-19 to 2^5 for "
                             "mxfp4, 2^-27 to 4 for s4, 0 to 448 for nvfp4"
                           : "a scale of W is out of range: 2^-61 to 2^65 for "
                             "mxfp4, 0 to 2^57 for s4, 0 to 448 for nvfp4";
            }
            s = stored_scale<F>(s, i);
            memcpy(to + at + WORDS + x * (F == s4 ? 2 : 1), &s,
                   F == s4 ? 2 : 1);
        }
    }
    return 0;
}

/* ---- Words of weights ---------------------------------------------------- */

/* What four lanes need of the scales of a tile. */
template <format F>
static __device__ ll_words scales_of(unsigned from, unsigned four) {
    return F == nvfp4 ? ll_ptx_ld_shared_b64(from + 8 * four)
                      : ll_ptx_ld_shared_b32(from + 4 * four);
}

static inline __device__ unsigned fma2(unsigned a, unsigned b, unsigned c) {
    return IS == f16 ? ll_ptx_fma_f16x2(a, b, c) : ll_ptx_fma_bf16x2(a, b, c);
}

static __device__ unsigned rounded(float x, float y) {
    return OUT_IS == f16 ? ll_ptx_cvt_f16x2(x, y) : ll_ptx_cvt_bf16x2(x, y);
}

/* The four registers of slice s of 16 bits. They alternate between rows i and
 * i + 8, and `scales` has what the lane needs of both. */
template <format F>
static __device__ void unpack(unsigned *a, unsigned w, unsigned scales,
                              unsigned s) {
    LL_UNROLL
    for (unsigned p = 0; p < 4; ++p) {
        const unsigned row = p & 1, none = 0x80008000u;
        if (F == s4) { /* of bf16, pack has divided the second row's by 16 */
            const unsigned x = ll_ptx_prmt(scales, 0, row ? 0x3232 : 0x1010);
            const unsigned bias = IS == f16 ? 0x82008200u
                                  : row     ? 0x80808080u
                                            : 0x80088008u;
            a[p] = fma2(pair<F>(w, p), x, fma2(x, bias, none));
        } else {
            const unsigned byte = row + (F == nvfp4 ? s % 2 : s / 2) * 2;
            const unsigned x = ll_ptx_prmt(scales, 0, 0x4040u + 0x0101u * byte);
            a[p] = fma2(
                pair<F>(w, p),
                F == nvfp4 && IS == bf16 ? x * 16 + 0x59805980u : x << 7, none);
        }
    }
}

/* Two registers of slice s of e4m3, of rows i and i + 8. `scales` has exponents
 * from that on with which the least size has an exponent of 1. */
static __device__ void unpack_e4m3(unsigned *a, unsigned w, unsigned scales,
                                   unsigned s) {
    LL_UNROLL
    for (unsigned row = 0; row < 2; ++row) {
        const unsigned x = ll_ptx_prmt(scales, 0, 0x4440u + row + 2 * s);
        const unsigned low = 0x14100800u + x * 0x08080800u;
        const unsigned high = 0x24201c18u + x * 0x08080808u;
        a[row] = ll_ptx_prmt(low, high, sizes(w, row)) | signs(w, row);
    }
}

/* The registers of operand A that a lane's words are. */
template <format F>
static __device__ void unpack(unsigned (&a)[WORDS_A], const ll_words &words,
                              const ll_words &scales) {
    static_assert(IS != e4m3 || F == mxfp4, "the others are not exact in e4m3");
    LL_UNROLL
    for (unsigned s = 0; s < 4; ++s) {
        if constexpr (IS == e4m3) {
            unpack_e4m3(a + 2 * s, words.w[s], scales.w[0], s / 2);
        } else {
            unpack<F>(a + 4 * s, words.w[s], scales.w[F == nvfp4 ? s / 2 : 0],
                      s);
        }
    }
}

/* ---- The check ----------------------------------------------------------- */

/* A scale, and what an element is with it: whole numbers. */
template <format F> static unsigned short scale_at(size_t x) {
    return (unsigned short)(F == s4      ? pattern(bf16, 1 + (int)(x % 3))
                            : F == mxfp4 ? 128 + x % 2
                                         : pattern(e4m3, 2 + 2 * (int)(x % 3)));
}
template <format F> static int weight_at(unsigned code, size_t group) {
    static const int halves[] = {0, 1, 2, 3, 4, 6, 8, 12};
    return F == s4 ? ((int)code - 8) * (1 + (int)(group % 3))
                   : (code & 8 ? -1 : 1) * halves[code & 7] *
                         (F == mxfp4 ? 1 << group % 2 : 1 + (int)(group % 3));
}

typedef const char *launcher(void *c, const void *x, const void *w, unsigned m,
                             unsigned n, unsigned k, cudaStream_t stream);

/* Runs a product, checks it and prints the speed; returns what is wrong. */
template <format F>
static size_t demonstrate(launcher *launch, unsigned m, unsigned n,
                          unsigned k) {
    const unsigned group = group_of(F);
    const size_t size = (size_t)n * k, step = (size_t)m * n / 8192 + 1;
    unsigned char *elements = (unsigned char *)malloc(size + 1), *w;
    unsigned char *stored = (unsigned char *)malloc(bytes_of(F, n, k) + 1);
    unsigned short *scales = (unsigned short *)malloc(size / group * 2 + 2), *c;
    unsigned short *host = (unsigned short *)malloc((size_t)m * n * 2 + 2);
    size_t wrong = 0;
    randomise(elements, size, 5);
    for (size_t x = 0; x < size / group; ++x) {
        scales[x] = scale_at<F>(x);
    }
    const char *bad = pack<F>(stored, elements, scales, n, k);
    void *x = matrix_of(IS, (size_t)m * k, 1);
    MUST(cudaMalloc((void **)&w, bytes_of(F, n, k) + 1));
    MUST(cudaMalloc((void **)&c, (size_t)m * n * 2 + 1));
    MUST(cudaMemcpy(w, stored, bytes_of(F, n, k), cudaMemcpyHostToDevice));
    const float ms =
        timed([&] { bad = bad ? bad : launch(c, x, w, m, n, k, 0); });
    printf("%u x %u x %u: ", m, n, k);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host, c, (size_t)m * n * 2, cudaMemcpyDeviceToHost));
    for (size_t y = 0; y < (size_t)m * n; y += step) {
        const size_t row = y % n * k;
        long long sum = 0;
        for (size_t z = 0; z < k; ++z) {
            sum += (long long)value_at(y / n * k + z, 1) *
                   weight_at<F>(elements[row + z] & 15u, (row + z) / group);
        }
        wrong += !is_right(OUT_IS, (unsigned char *)(host + y), sum);
    }
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
