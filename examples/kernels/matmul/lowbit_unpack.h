/* lowbit_unpack.h - how do stored weights become registers of operand A?
 * SPDX-License-Identifier: MIT
 *
 * word_pair makes two elements two numbers that lack a power of two. One fma
 * for both applies their scale, and for s4 the bias. bf16 and f16 are exact or
 * rounded once.
 *
 * e4m3 has no fma. For mxfp4 a multiply-add of the scale's exponent to four
 * bytes at once makes a table of the eight magnitudes, in two registers; prmt
 * looks four elements up, and their signs are or-ed to them. A selector of prmt
 * has four bits and needs three; the fourth holds signs. s4 and nvfp4 are f16
 * first. There the product of an element and its scale is exact, so only the
 * conversion to e4m3 rounds.
 */
#ifndef LL_LOWBIT_UNPACK_H
#define LL_LOWBIT_UNPACK_H

#include "lowbit_format.h"

namespace ll_kernels {

/* ---- Loads --------------------------------------------------------------- */

/* Returns the words of a lane of the elements of a tile; those of its warp are
 * at `from`. */
template <format F>
static __device__ ll_words load_elements(unsigned from, unsigned lane) {
    ll_words all = ll_ptx_ld_shared_b128(from + 16 * lane);
    if (F == fp8) {
        const ll_words high = ll_ptx_ld_shared_b128(from + 512 + 16 * lane);
        LL_MEMCPY_(all.w + 4, high.w, 16);
    }
    return all;
}

/* Returns the scales of a tile that four lanes need. */
template <format F>
static __device__ ll_words load_scales(unsigned from, unsigned four) {
    const ll_words none = LL_ZERO;
    return F == fp8     ? none
           : F == nvfp4 ? ll_ptx_ld_shared_b64(from + 8 * four)
                        : ll_ptx_ld_shared_b32(from + 4 * four);
}

/* ---- Pairs of 16 bits ---------------------------------------------------- */

static inline __device__ unsigned fma2(unsigned a, unsigned b, unsigned c) {
    return IS_BF16 ? ll_ptx_fma_bf16x2(a, b, c) : ll_ptx_fma_f16x2(a, b, c);
}

/* Returns a half of a word twice. An fma2 takes it without an instruction. */
static __device__ unsigned half_twice(unsigned x, unsigned high) {
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

/* Returns (x & y) | z in one instruction; the compiler would make two if y and
 * z are constants. */
static __device__ unsigned and_or(unsigned x, unsigned y, unsigned z) {
    unsigned all = 0;
    LL_PTX_PURE_("lop3.b32 %0, %1, %2, %3, 0xea;", (LL_O32_(all)),
                 (LL_I32_(x), LL_I32_(y), LL_I32_(z)));
    return all;
}

/* Returns pair p of word s times its scale. `second`: the pair is of row i + 8,
 * not of row i; `scales` has what the lane needs of both rows. */
template <format F>
static __device__ unsigned scaled_pair(unsigned w, unsigned scales, unsigned s,
                                       unsigned p, unsigned second) {
    const unsigned minus_0 = 0x80008000u;
    if (F == s4) { /* packing divided bf16 scales of the second row by 16 */
        const unsigned x = half_twice(scales, second);
        const unsigned bias = IS_E4M3  ? 0xce00ce00u
                              : IS_F16 ? 0x82008200u
                              : second ? 0x80808080u
                                       : 0x80088008u;
        const unsigned y = /* times 2^18 for e4m3 */
            IS_E4M3 ? and_or(s4_to_f16(w, p), S4_IN_F16, 0x4c004c00u)
                    : word_pair<F>(w, p);
        return fma2(y, x, fma2(x, bias, minus_0));
    }
    const bool is_high = F == nvfp4 ? s % 2 : s / 2;
    const unsigned x = ll_ptx_prmt(scales, 0, is_high ? 0x4342 : 0x4140);
    return fma2(
        word_pair<F>(w, p),
        half_twice(F == nvfp4 && IS_BF16 ? x * 16 + 0x59805980u : x << 7,
                   second),
        minus_0);
}

/* ---- Slices -------------------------------------------------------------- */

/* Sets the four registers of slice s for 16 bits, of rows i and i + 8 in
 * turn. */
template <format F>
static __device__ void unpack_slice(unsigned *a, unsigned w, unsigned scales,
                                    unsigned s) {
    LL_UNROLL
    for (unsigned p = 0; p < 4; ++p) {
        a[p] = scaled_pair<F>(w, scales, s, p, p & 1);
    }
}

/* Sets two registers of slice s for e4m3, of rows i and i + 8. Scales of mxfp4
 * are exponents; 0 gives the least magnitude an exponent of 1. */
template <format F>
static __device__ void unpack_slice_e4m3(unsigned *a, unsigned w,
                                         unsigned scales, unsigned s) {
    LL_UNROLL
    for (unsigned row = 0; row < 2; ++row) {
        if (F == mxfp4) {
            const unsigned x =
                ll_ptx_prmt(scales, 0, 0x4440u + row + s / 2 * 2);
            const unsigned low = 0x14100800u + x * 0x08080800u;
            const unsigned high = 0x24201c18u + x * 0x08080808u;
            a[row] = ll_ptx_prmt(low, high, magnitudes(w, row)) | signs(w, row);
        } else {
            const unsigned y[] = {
                scaled_pair<F>(w, scales, s, 2 * row, row),
                scaled_pair<F>(w, scales, s, 2 * row + 1, row)};
            unsigned x[1];
            LL_CAST(x, y, ll_e4m3, ll_f16);
            a[row] = x[0];
        }
    }
}

/* ---- Tiles --------------------------------------------------------------- */

static __device__ void unpack_fp8(unsigned *a, const ll_words &words) {
    LL_UNROLL
    for (unsigned x = 0; x < WORDS_A; ++x) {
        a[x] = IS_E4M3 ? words.w[x % 8] : word_pair<fp8>(words.w[x / 2], x % 2);
        if (IS_BF16) {
            a[x] = fma2(a[x], 0x7b807b80u, 0x80008000u); /* times 2^120 */
        }
    }
}

/* Sets the registers of operand A from a lane's words and the scales that it
 * needs. */
template <format F>
static __device__ void unpack_tile(unsigned (&a)[WORDS_A],
                                   const ll_words &words,
                                   const ll_words &scales) {
    if constexpr (F == fp8) {
        unpack_fp8(a, words);
    } else {
        LL_UNROLL
        for (unsigned s = 0; s < 4; ++s) {
            const unsigned x = scales.w[F == nvfp4 ? s / 2 : 0];
            if constexpr (IS_E4M3) {
                unpack_slice_e4m3<F>(a + 2 * s, words.w[s], x, s);
            } else {
                unpack_slice<F>(a + 4 * s, words.w[s], x, s);
            }
        }
    }
}

} // namespace ll_kernels

#endif
