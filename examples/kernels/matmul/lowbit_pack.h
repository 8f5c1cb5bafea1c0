/* lowbit_pack.h - packs weights of 4 and 8 bits on the host, in the order of
 * lowbit_format.h
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_LOWBIT_PACK_H
#define LL_LOWBIT_PACK_H

#include "lowbit_format.h"
#include <string.h>

namespace ll_kernels {

/* ---- Words --------------------------------------------------------------- */

/* Return the elements of a word as numbers of 8 or 4 bits, the first one
 * lowest. */
LL_FN unsigned unpacked_fp8(unsigned w) {
    unsigned all = 0;
    for (unsigned h = 0; h < 32 && !IS_E4M3; h += 8) {
        const unsigned z = fp8_pair(w, h / 16) >> h % 16 * 2;
        all |= ((z >> (IS_F16 ? 7 : 4) & 127) | (z >> 8 & 128)) << h;
    }
    return IS_E4M3 ? w : all;
}
template <format F> LL_FN unsigned unpacked(unsigned w) {
    const bool has_table = IS_E4M3 && F == mxfp4;
    unsigned all = 0;
    for (unsigned e = 0; e < 8 && has_table; ++e) {
        all |= (magnitudes(w, e / 4) >> 4 * (e % 4) & 7) << 4 * e |
               (signs(w, e / 4) >> (8 * (e % 4) + 7) & 1) << (4 * e + 3);
    }
    for (unsigned p = 0; p < 4 && !has_table; ++p) {
        const unsigned z = word_pair<F>(w, p);
        const unsigned y = z >> (is_f16_first(F) ? F == s4 ? 6 : 9
                                 : F == s4       ? 4 * (p & 1)
                                                 : 6);
        all |= (F == s4 ? (y & 15) | (y >> 12 & 240)
                        : (y & 7) | (z >> 12 & 8) | (y >> 12 & 112) |
                              (z >> 24 & 128))
               << 8 * p;
    }
    return all;
}

/* Returns the layout that packs a word: the inverse of `unpacked`, which is
 * linear. */
template <format F> LL_FN ll_layout packing() {
    const ll_shape none = LL_ZERO;
    const ll_shape word = ll_with(ll_with(none, LL_J, 65536), LL_I, 65536);
    ll_layout bits = ll_zero(word, word);
    for (unsigned k = 0; k < 32; ++k) {
        bits.basis[k] = F == fp8 ? unpacked_fp8(1u << k) : unpacked<F>(1u << k);
    }
    return ll_inv(bits);
}

/* ---- Scales -------------------------------------------------------------- */

/* Returns whether a scale that is not 0 can be stored. */
template <format F> LL_FN bool is_scale_in_range(unsigned s) {
    return F == nvfp4 ? s <= 126
           : IS_E4M3  ? (F == s4 ? s >= 105u << 7 && s < 128u << 7
                                 : s >= 118 && s <= 129)
           : IS_F16   ? (F == s4 ? s >= 100u << 7 && s < 129u << 7
                                 : s >= 108 && s <= 132)
           : F == s4  ? s < 185u << 7
                      : s >= 66 && s <= 192;
}

/* Returns a scale of row i as it is stored: the bits from which unpacking makes
 * a bf16 or f16. An e4m3 gets an exponent of 5 bits, so that all are normal
 * numbers. */
template <format F> LL_FN unsigned stored_scale(unsigned s, unsigned i) {
    unsigned up = 0;
    while (F == nvfp4 && s && (s << up) < 8) {
        ++up;
    }
    const unsigned e5m3 =
        s < 8 ? (4 - up) << 3 | ((s << up) & 7) : s + (3 << 3);
    return !s           ? 0
           : F == nvfp4 ? e5m3 + (is_f16_first(F) ? 12 << 3 : 0)
           : IS_E4M3    ? (F == s4 ? (s << 3) - (104 << 10) : s - 118)
           : IS_F16     ? (F == s4 ? (s << 3) - (98 << 10) : (s - 102) << 3)
           : F == mxfp4 ? s + 62
                        : s + ((69 - (i & 8) / 2) << 7);
}

/* Packs the scales of the tile at a row and a column of W, n x k. Returns an
 * error message, or null. */
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
        if (s && !is_scale_in_range<F>(s)) {
            return IS_E4M3
                       ? "a scale of W is out of range: 2^-9 to 4 for mxfp4, "
                         "2^-22 to 2 for s4, 0 to 448 for nvfp4"
                   : IS_F16 ? "a scale of W is out of range: 2^-19 to 2^5 for "
                              "mxfp4, 2^-27 to 4 for s4, 0 to 448 for nvfp4"
                            : "a scale of W is out of range: 2^-61 to 2^65 for "
                              "mxfp4, 0 to 2^57 for s4, 0 to 448 for nvfp4";
        }
        s = stored_scale<F>(s, i);
        memcpy(to + x * (F == s4 ? 2 : 1), &s, F == s4 ? 2 : 1);
    }
    return 0;
}

/* ---- W ------------------------------------------------------------------- */

/* Packs W, n x k, to weight_bytes(F, n, k) bytes. Returns an error message, or
 * null.
 *   elements  by rows, a byte each (s4: x + 8)
 *   scales    by rows, as e8m0, bf16 or e4m3; fp8 has none */
template <format F>
static const char *
pack_weights(unsigned char *to, const unsigned char *elements,
             const unsigned short *scales, unsigned n, unsigned k) {
    static const ll_layout word = packing<F>(), order = stored_elements(F);
    const unsigned bits = bits_of(F), mask = (1u << bits) - 1;
    const char *bad = 0;
    for (size_t at = 0; at < weight_bytes(F, n, k) && !bad;
         at += tile_bytes(F)) {
        const unsigned tile = (unsigned)(at / tile_bytes(F));
        const unsigned row = tile / tiles_along_k(k) * 64;
        const unsigned col = tile % tiles_along_k(k) * DEPTH;
        for (unsigned x = 0; x < element_bytes(F) / 4; ++x) {
            unsigned plain = 0;
            for (unsigned e = 0; e < 32 / bits; ++e) {
                const unsigned y = ll_apply(order, 32 / bits * x + e);
                const unsigned i = row + ll_unpack(order.out, LL_I, y);
                const unsigned j = col + ll_unpack(order.out, LL_J, y);
                const size_t z = (size_t)i * k + j;
                if (i < n && j < k && (F == fp8 || scales[z / group_of(F)])) {
                    plain |= (elements[z] & mask) << bits * e;
                    bad = F == fp8 && (elements[z] & 127) == 127
                              ? "an element of W is not a number"
                              : bad;
                }
            }
            plain = ll_apply(word, plain);
            memcpy(to + at + 4 * x, &plain, 4);
        }
        if constexpr (F != fp8) {
            bad = pack_scales<F>(to + at + element_bytes(F), scales, row, col,
                                 n, k);
        }
    }
    return bad;
}

} // namespace ll_kernels

#endif
