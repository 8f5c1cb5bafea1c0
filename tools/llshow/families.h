/* families.h - layouts by the name of a family: `rows(64, 64, 4)`.
 * SPDX-License-Identifier: MIT
 *
 * A family is named as the function that makes it, without ll_, ll_ptx_ or
 * ll_amd_. This file includes only the headers.
 */
#ifndef LLSHOW_FAMILIES_H
#define LLSHOW_FAMILIES_H

#include "ll_amd.h"
#include "ll_ptx.h"

#include "../views/ll_views.h"

enum { FAMILY_ARGS = 6 };

/* The numbers in a family's parentheses. n is FAMILY_ARGS + 1 if they are not a
 * list of numbers. */
typedef struct family_args {
    unsigned n;
    unsigned v[FAMILY_ARGS];
    unsigned decimal; /* bit k: number k has no 0x or gfx before it */
    unsigned end;     /* end of the text read */
    const char *lacks; /* what is missing there in a malformed list, or 0 */
} family_args;

static inline unsigned notation_blank(const char *s, unsigned p) {
    ll_text_blank_(s, &p);
    return p;
}

static inline int notation_is(const char *s, unsigned n, const char *word) {
    unsigned k = 0;
    while (k < n && word[k] && s[k] == word[k]) {
        ++k;
    }
    return k == n && !word[k];
}

static inline ll_foreign notation_bad(unsigned at, const char *why) {
    ll_foreign f = LL_ZERO;
    f.layout.err = LL_ETEXT;
    f.layout.at = at + 1u;
    f.layout.is = LL_AT_CHARACTER;
    f.why = why;
    return f;
}

/* Reads hexadecimal digits. */
static inline unsigned notation_hex(const char *s, unsigned *p) {
    unsigned x = 0;
    for (; ll_char_is_one_of_(s[*p], "0123456789abcdef"); ++*p) {
        x = x >> 28 ? x : x << 4 | (s[*p] <= '9' ? (unsigned)(s[*p] - '0')
                                    : (unsigned)(s[*p] - 'a') + 10u);
    }
    return x;
}

/* Reads a decimal number, a hexadecimal number after 0x, or the number of a
 * target: gfx1100 is 0x1100. */
static inline unsigned notation_number(const char *s, unsigned *p) {
    if (s[*p] == '0' && s[*p + 1u] == 'x') {
        *p += 2u;
        return notation_hex(s, p);
    }
    if (s[*p] == 'g' && s[*p + 1u] == 'f' && s[*p + 2u] == 'x') {
        *p += 3u;
        return notation_hex(s, p);
    }
    const unsigned long long x = ll_text_number_(s, p);
    return x >> 31 ? 0x7fffffffu : (unsigned)x;
}

static inline family_args family_list(const char *s, unsigned p) {
    family_args a = {0, {0}, 0, 0, 0};
    int more = 1; /* at the start, and after a comma */
    p = notation_blank(s, p + 1u);
    while ((ll_is_digit_(s[p]) || s[p] == 'g') && a.n < FAMILY_ARGS) {
        a.decimal |= s[p] != 'g' && s[p + 1u] != 'x' ? 1u << a.n : 0u;
        a.v[a.n++] = notation_number(s, &p);
        p = notation_blank(s, p);
        more = s[p] == ',';
        if (more) {
            p = notation_blank(s, p + 1u);
        } else {
            break;
        }
    }
    a.end = p;
    if (s[p] != ')') {
        const int number = ll_is_digit_(s[p]) || s[p] == 'g';
        a.lacks = !s[p]                             ? "a ) is missing"
                  : number && a.n == FAMILY_ARGS ? "there are too many numbers"
                  : number                       ? "a , is missing"
                  : more                         ? "a number is missing"
                                                 : "a , or ) is missing";
        a.n = FAMILY_ARGS + 1u;
        return a;
    }
    ++a.end;
    return a;
}

static inline ll_layout family_swizzled(const unsigned *v) {
    const unsigned sizes[2] = {v[0], v[1]};
    return ll_swizzled(ll_tensor(2, sizes), v[2], v[3], v[4]);
}

/* rows(rows, cols, bytes, lanes, warps). The last two are optional. */
static inline ll_layout family_rows(const unsigned *v, unsigned n) {
    ll_rows_spec s = LL_ZERO;
    s.rows = v[0];
    s.cols = v[1];
    s.bytes = v[2];
    s.lanes = n > 3u ? v[3] : 32u;
    s.warps = n > 4u ? v[4] : 4u;
    return !s.bytes                ? ll_rows(v[0], v[1], 0)
           : !s.lanes || !s.warps ? ll_layout_none_(LL_ESIZE)
                                   : ll_rows_of(s);
}

/* Returns the first number, a GPU: gfx1100, 0x1100 and 1100 are the same. */
static inline unsigned family_gfx(const family_args *a) {
    const unsigned x = a->v[0];
    return !(a->decimal & 1u) || x > 9999u
               ? x
               : (x / 1000u << 12) | (x / 100u % 10u << 8) |
                     (x / 10u % 10u << 4) | x % 10u;
}

/* One line per family: name, smallest and largest number of arguments, argument
 * names, bits of an element (0: the numbers do not say them), and the
 * layout. */
#define NOTATION_FAMILIES(X)                                                 \
    X("rows", 3, 5, "rows, cols, bytes[, lanes[, warps]]", 8u * v[2],        \
      family_rows(v, a.n))                                                   \
    X("row_major", 2, 2, "rows, cols", 0, ll_row_major(ll_tensor(2, v)))     \
    X("col_major", 2, 2, "rows, cols", 0, ll_col_major(ll_tensor(2, v)))     \
    X("swizzled", 5, 5, "rows, cols, vec, per_phase, max_phase", 0,          \
      family_swizzled(v))                                                    \
    X("mma_a", 4, 4, "rows, cols, bits, warps", v[2],                        \
      ll_ptx_mma_a(v[0], v[1], v[2], v[3]))                                  \
    X("mma_b", 4, 4, "rows, cols, bits, warps", v[2],                        \
      ll_ptx_mma_b(v[0], v[1], v[2], v[3]))                                  \
    X("mma_c", 3, 3, "rows, cols, warps", 0,                                 \
      ll_ptx_mma_c(v[0], v[1], v[2]))                                        \
    X("wgmma_a", 4, 4, "rows, cols, bits, warps", v[2],                      \
      ll_ptx_wgmma_a(v[0], v[1], v[2], v[3]))                                \
    X("wgmma_d", 3, 3, "rows, cols, warps", 0,                               \
      ll_ptx_wgmma_d(v[0], v[1], v[2]))                                      \
    X("scale_a", 1, 1, "scales", 8, ll_ptx_scale_a(v[0]))                    \
    X("scale_b", 1, 1, "scales", 8, ll_ptx_scale_b(v[0]))                    \
    X("sparse_e", 2, 2, "k, bits", 0, ll_ptx_sparse_e(v[0], v[1]))           \
    X("ldmatrix", 4, 4, "rows, bits, trans, matrices", v[1],                 \
      ll_ptx_matrix(v[0], v[1], (int)v[2], v[3]))                            \
    X("ldmatrix_rows", 2, 2, "rows, matrices", 0,                            \
      ll_ptx_matrix_rows(v[0], v[1]))                                        \
    X("tmem", 4, 4, "lanes, bits_per_lane, n, bits", v[3],                   \
      ll_ptx_tmem(v[0], v[1], v[2], v[3]))                                   \
    X("tcgen05_ld", 4, 4, "lanes, bits_per_lane, n, bits", v[3],             \
      ll_ptx_tmem(v[0], v[1], v[2], v[3]))                                   \
    X("tmem_x2", 3, 3, "n, bits, split", v[1],                               \
      ll_ptx_tmem_x2(v[0], v[1], v[2]))                                      \
    X("tcgen05_d", 3, 3, "m, n, folded", 0,                                  \
      ll_ptx_tcgen05_d(v[0], v[1], (int)v[2]))                               \
    X("smem_k", 4, 4, "rows, cols, bits, swizzle", v[2],                     \
      ll_ptx_smem_k(v[0], v[1], v[2], v[3]))                                 \
    X("smem_mn", 5, 5, "rows, cols, bits, swizzle, atom", v[2],              \
      ll_ptx_smem_mn(v[0], v[1], v[2], v[3], v[4]))                          \
    X("mfma_a", 4, 4, "m, k, blocks, bits", v[3],                            \
      ll_amd_mfma_a(v[0], v[1], v[2], v[3]))                                 \
    X("mfma_b", 4, 4, "k, n, blocks, bits", v[3],                            \
      ll_amd_mfma_b(v[0], v[1], v[2], v[3]))                                 \
    X("mfma_c", 4, 4, "m, n, blocks, bits", v[3],                            \
      ll_amd_mfma_c(v[0], v[1], v[2], v[3]))                                 \
    X("mfma_scale_a", 2, 2, "m, k", 8, ll_amd_mfma_scale_a(v[0], v[1]))      \
    X("mfma_scale_b", 2, 2, "k, n", 8, ll_amd_mfma_scale_b(v[0], v[1]))      \
    X("smfmac_a", 3, 3, "m, k, bits", v[2],                                  \
      ll_amd_smfmac_a(v[0], v[1], v[2]))                                     \
    X("smfmac_b", 3, 3, "k, n, bits", v[2],                                  \
      ll_amd_smfmac_b(v[0], v[1], v[2]))                                     \
    X("wmma_a", 4, 4, "gfx, lanes, k, bits", v[3],                           \
      ll_amd_wmma_a(family_gfx(&a), v[1], v[2], v[3]))                     \
    X("wmma_b", 4, 4, "gfx, lanes, k, bits", v[3],                           \
      ll_amd_wmma_b(family_gfx(&a), v[1], v[2], v[3]))                     \
    X("wmma_c", 3, 3, "gfx, lanes, bits", v[2],                              \
      ll_amd_wmma_c(family_gfx(&a), v[1], v[2]))                           \
    X("swmmac_a", 4, 4, "gfx, lanes, k, bits", v[3],                         \
      ll_amd_swmmac_a(family_gfx(&a), v[1], v[2], v[3]))                   \
    X("swmmac_b", 4, 4, "gfx, lanes, k, bits", v[3],                         \
      ll_amd_swmmac_b(family_gfx(&a), v[1], v[2], v[3]))

#define FAMILY_NAME(name, least, most, numbers, bits, made) " " name

/* Reads a family whose name has n characters from p on. f.bits: of an element,
 * if the numbers say them. */
static inline ll_foreign family_layout(const char *s, unsigned p, unsigned n) {
    ll_foreign f = LL_ZERO;
    family_args a = {FAMILY_ARGS + 1u, {0}, 0, p, 0};
    if (s[p + n] == '(') {
        a = family_list(s, p + n);
    }
    const unsigned *v = a.v;
    const char *expected = 0;
    unsigned range[2] = {0, 0};
#define FAMILY_CASE(name, least, most, numbers, of_bits, made)               \
    if (notation_is(s + p, n, name)) {                                       \
        expected = name "(" numbers ") was expected";                        \
        range[0] = least;                                                    \
        range[1] = most;                                                     \
        f.bits = of_bits;                                                    \
        f.layout = made;                                                     \
    }
    NOTATION_FAMILIES(FAMILY_CASE)
#undef FAMILY_CASE
    if (!expected) {
        return notation_bad(p, "there is no family of this name; the families "
                               "are" NOTATION_FAMILIES(FAMILY_NAME)
                               "; trans(A), inv(A) and swizzle(A, B) make a "
                               "layout of others");
    }
    if (a.n < range[0] || a.n > range[1]) {
        f = notation_bad(a.lacks ? a.end : p, expected);
        f.key = a.lacks;
        return f;
    }
    if (s[notation_blank(s, a.end)]) {
        return notation_bad(a.end, "unexpected text after the family");
    }
    return f;
}

#endif
