/* lowbit_format.h - weights of 4 and 8 bits as they are stored: formats, the
 * order of elements and scales, and the bits of elements in a word
 * SPDX-License-Identifier: MIT
 *
 * Storage has the order of operand A of wgmma: register, lane, warp. So one
 * access of 16 bytes gives a lane its part of a tile of 64 x 64 elements, four
 * slices of k (of e4m3 two), and it needs no other lane.
 *
 * Eight elements share a word, and the places of their bits in it are free as
 * well. A shift and a mask make a pair of elements two numbers of 16 bits:
 *
 * bf16  The bits of e2m1 belong at 15, 8, 7 and 6, which gives the number times
 *       2^-126. Four such patterns do not fit into a word side by side. They do
 *       with some bits stored as XOR of others: word_pair takes 4 shifts and 4
 *       masks for 8 elements. It is linear over F2, hence a layout, and packing
 *       a word is its inverse (lowbit_pack.h). s4 is cheaper: a bf16 below
 *       2^-125 is its 8 lowest bits times 2^-133, so that x + 8 at bits 0 to 3,
 *       or 4 to 7, is a number already.
 * f16   The places are others: 15, 11, 10 and 9 for e2m1, 6 to 9 for x + 8.
 * e4m3  mxfp4 is looked up in a table (lowbit_unpack.h). s4 and nvfp4 are f16
 *       before they are e4m3.
 *
 * fp8 takes as few instructions. Its bits belong at 15 and 10 to 4 of a bf16,
 * which gives the number times 2^-120, and at 15 and 13 to 7 of an f16, the
 * number times 2^-8. For e4m3 its words are operands as they are.
 */
#ifndef LL_LOWBIT_FORMAT_H
#define LL_LOWBIT_FORMAT_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"
#include "matmul_types.h"
#include <type_traits>

#ifndef OPERAND
#define OPERAND bf16
#endif

namespace ll_kernels {

/* ---- Types --------------------------------------------------------------- */

/* The type of activations: bf16, f16 or e4m3; and of C. */
constexpr dtype ACTIVATION = dtype::OPERAND;
constexpr dtype OUTPUT = ACTIVATION == dtype::f16 ? dtype::f16 : dtype::bf16;
constexpr bool IS_BF16 = ACTIVATION == dtype::bf16,
               IS_F16 = ACTIVATION == dtype::f16,
               IS_E4M3 = ACTIVATION == dtype::e4m3;

/* An activation in memory. */
typedef std::conditional_t<IS_E4M3, unsigned char, unsigned short> activation;

/* Formats of weights:
 *   mxfp4  e2m1 with a scale 2^e for each 32 elements along k
 *   s4     -8 to 7 with a bf16 scale for each 64
 *   nvfp4  e2m1 with an e4m3 scale for each 16
 *   fp8    e4m3 */
enum format { mxfp4, s4, nvfp4, fp8 };

LL_FN unsigned bits_of(format f) { return f == fp8 ? 8 : 4; }

/* Returns the elements of k that share a scale. */
LL_FN unsigned group_of(format f) {
    return f == s4 ? 64 : f == mxfp4 ? 32 : f == nvfp4 ? 16 : 64;
}

/* Returns whether weights are f16 in registers: as activations are, or before
 * they are converted to e4m3. */
LL_FN bool is_f16_first(format f) {
    return IS_F16 || (IS_E4M3 && (f == s4 || f == nvfp4));
}

/* Returns the power of two that all weights lack until the end. With it they
 * are rounded to e4m3, as normal numbers if scales are 2^-14 to 0.2 (s4) or 4
 * to 448 (nvfp4). */
LL_FN float missing_factor(format f) {
    return f == fp8     ? (IS_F16 ? 0x1p8f : 1)
           : IS_BF16    ? 0x1p64f
           : f == nvfp4 ? 0x1p7f
           : IS_F16     ? 0x1p4f
           : f == s4    ? 0x1p-8f
                        : 0x1p-4f;
}

/* ---- Tiles --------------------------------------------------------------- */

enum : unsigned {
    BITS = bits_of(ACTIVATION),
    SLICE = 256 / BITS,            /* of k, of one wgmma */
    DEPTH = 64,                    /* of k, of a tile */
    WORDS_A = DEPTH * BITS / 64,   /* registers of operand A */
    TOKEN_BYTES = DEPTH * BITS / 8 /* of a token's activations, for DEPTH */
};

/* Return the bytes of a stored tile of 64 x DEPTH: of its elements, and with
 * the scales that follow them. */
LL_FN unsigned element_bytes(format f) { return 64 * DEPTH * bits_of(f) / 8; }
LL_FN unsigned tile_bytes(format f) {
    return element_bytes(f) + (f == fp8 ? 0 : f == nvfp4 ? 256 : 128);
}

/* W, n x k, is stored in panels of 64 features. The tiles of a panel follow
 * each other along k. Both numbers are rounded up, with zeros beyond the edges
 * of W. Return the number of panels, the tiles of a panel, and the bytes of
 * all. */
LL_FN unsigned stored_panels(unsigned n) { return (n + 127) / 128 * 2; }
LL_FN unsigned tiles_along_k(unsigned k) { return (k + 255) / 256 * 4; }
LL_FN size_t weight_bytes(format f, unsigned n, unsigned k) {
    return (size_t)stored_panels(n) * tiles_along_k(k) * tile_bytes(f);
}

/* A tile of W in registers. */
LL_LAYOUT(TILE_W, ll_ptx_wgmma_a(64, DEPTH, BITS, 4));

/* Returns the layout of a stored tile. The number of a stored element is its
 * register, lane and warp in TILE_W. A lane has 32 bytes of fp8: the first 16
 * bytes of all lanes of a warp come before the others, so that no access has
 * bank conflicts. */
LL_FN ll_layout stored_elements(format f) {
    ll_layout a = LL_GET(TILE_W);
    for (unsigned k = 4; f == fp8 && k < 9; ++k) {
        const unsigned half = a.basis[k];
        a.basis[k] = a.basis[k + 1];
        a.basis[k + 1] = half;
    }
    return a;
}

/* The scales that a lane needs are one or two words, the same in four lanes. */
LL_LAYOUT(SCALES_16, ll_scales_of(LL_GET(TILE_W), LL_J, 16)); /* a byte each */
LL_LAYOUT(SCALES_32, ll_scales_of(LL_GET(TILE_W), LL_J, 32)); /* a byte each */
LL_LAYOUT(SCALES_64, ll_scales_of(LL_GET(TILE_W), LL_J, 64)); /* two bytes */
static_assert(ll_is_equal(LL_GET(SCALES_32),
                          ll_parse("register: i3 j0 | lane: 0 0 i0 i1 i2 | "
                                   "warp: i4 i5")) &&
                  ll_is_equal(LL_GET(SCALES_16),
                              ll_parse("register: i3 j0 j1 | "
                                       "lane: 0 0 i0 i1 i2 | warp: i4 i5")),
              "lanes have the scales that unpack reads");

/* ---- Words --------------------------------------------------------------- */

/* Where x + 8 of a pair lies in two f16, and a word with pair p there. */
enum : unsigned { S4_IN_F16 = 0x03c003c0 };
LL_FN unsigned s4_to_f16(unsigned w, unsigned p) {
    return p == 0 ? w : p == 1 ? w << 4 : p == 2 ? w >> 4 : w << 24 | w >> 8;
}

/* Return pair p of the elements of a word, as two numbers that lack a power of
 * two. */
template <format F> LL_FN unsigned f16_pair(unsigned w, unsigned p) {
    const unsigned e2m1 = 0x8e008e00u;
    return F == s4  ? s4_to_f16(w, p) & S4_IN_F16
           : p == 0 ? w & e2m1
           : p == 1 ? (w << 29 | w >> 3) & e2m1
           : p == 2 ? (w << 7 ^ w << 4) & e2m1
                    : (w << 7 ^ (w << 25 | w >> 7)) & e2m1;
}
LL_FN unsigned fp8_pair(unsigned w, unsigned p) {
    return IS_F16 ? (p ? w << 7 ^ w << 1 : w) & 0xbf80bf80u
                  : (p ? w >> 4 ^ w << 4 : w) & 0x87f087f0u;
}
template <format F> LL_FN unsigned word_pair(unsigned w, unsigned p) {
    const unsigned e2m1 = 0x81c081c0u, low = 0x000f000fu;
    return F == fp8          ? fp8_pair(w, p)
           : is_f16_first(F) ? f16_pair<F>(w, p)
           : F == s4         ? (p & 2 ? w >> 8 : w) & (p & 1 ? low << 4 : low)
           : p == 0          ? w & e2m1
           : p == 1          ? (w << 12 | w >> 20) & e2m1
           : p == 2          ? (w << 2 ^ w << 6) & e2m1
                             : (w << 2 ^ (w << 8 | w >> 24)) & e2m1;
}

/* mxfp4 for e4m3: elements 4h to 4h + 3 of a word, which are of one row. Return
 * their magnitudes, which select bytes of a table, and their signs, at the
 * highest bits of bytes. */
LL_FN unsigned magnitudes(unsigned w, unsigned h) {
    return w >> 16 * h & 0x7777u;
}
LL_FN unsigned signs(unsigned w, unsigned h) {
    return w << 4 * h & 0x80808080u;
}

} // namespace ll_kernels

#endif
