/* notation.h - reads layouts and targets that a user types, for llshow.c and
 * the viewer.
 * SPDX-License-Identifier: MIT
 *
 * A layout is text of ll.h, an attribute of Triton, text of CuTe, or the name
 * of a family with its numbers: `rows(64, 64, 4)`. `trans(..)` around any of
 * them exchanges rows and columns. This file includes only the headers.
 */
#ifndef NOTATION_H
#define NOTATION_H

#include "ll_amd.h"
#include "ll_ptx.h"

#include "../views/ll_views.h"

enum { NOTATION_ARGS = 6 };

/* The numbers in a family's parentheses. n is NOTATION_ARGS + 1 if they are not
 * a list of numbers. */
typedef struct notation_args {
    unsigned n;
    unsigned v[NOTATION_ARGS];
    unsigned end; /* end of the text read */
} notation_args;

static inline unsigned notation_blank(const char *s, unsigned p) {
    ll_text_blank_(s, &p);
    return p;
}

/* Reads decimal numbers, or hexadecimal numbers after 0x. */
static inline unsigned notation_number(const char *s, unsigned *p) {
    if (s[*p] != '0' || s[*p + 1u] != 'x') {
        const unsigned long long x = ll_text_number_(s, p);
        return x >> 31 ? 0x7fffffffu : (unsigned)x;
    }
    unsigned x = 0;
    *p += 2u;
    for (; ll_char_is_one_of_(s[*p], "0123456789abcdef"); ++*p) {
        x = x << 4 | (s[*p] <= '9' ? (unsigned)(s[*p] - '0')
                                   : (unsigned)(s[*p] - 'a') + 10u);
    }
    return x;
}

static inline notation_args notation_list(const char *s, unsigned p) {
    notation_args a = {0, {0}, 0};
    p = notation_blank(s, p + 1u);
    while (ll_is_digit_(s[p]) && a.n < NOTATION_ARGS) {
        a.v[a.n++] = notation_number(s, &p);
        p = notation_blank(s, p);
        if (s[p] == ',') {
            p = notation_blank(s, p + 1u);
        } else {
            break;
        }
    }
    if (s[p] != ')') {
        a.n = NOTATION_ARGS + 1u;
    }
    a.end = s[p] ? p + 1u : p;
    return a;
}

static inline ll_layout notation_swizzled(const unsigned *v) {
    const unsigned sizes[2] = {v[0], v[1]};
    return ll_swizzled(ll_tensor(2, sizes), v[2], v[3], v[4]);
}

/* rows(rows, cols, bytes, lanes, warps). The last two are optional. */
static inline ll_layout notation_rows(const unsigned *v, unsigned n) {
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

/* One line per family: name, smallest and largest number of arguments, argument
 * names, and the layout. */
#define NOTATION_FAMILIES(X)                                                 \
    X("rows", 3, 5, "rows, cols, bytes[, lanes[, warps]]",                   \
      notation_rows(v, a.n))                                                 \
    X("row_major", 2, 2, "rows, cols", ll_row_major(ll_tensor(2, v)))        \
    X("col_major", 2, 2, "rows, cols", ll_col_major(ll_tensor(2, v)))        \
    X("swizzled", 5, 5, "rows, cols, vec, per_phase, max_phase",             \
      notation_swizzled(v))                                                  \
    X("mma_a", 4, 4, "rows, cols, bits, warps",                              \
      ll_ptx_mma_a(v[0], v[1], v[2], v[3]))                                  \
    X("mma_b", 4, 4, "rows, cols, bits, warps",                              \
      ll_ptx_mma_b(v[0], v[1], v[2], v[3]))                                  \
    X("mma_c", 3, 3, "rows, cols, warps", ll_ptx_mma_c(v[0], v[1], v[2]))    \
    X("wgmma_a", 4, 4, "rows, cols, bits, warps",                            \
      ll_ptx_wgmma_a(v[0], v[1], v[2], v[3]))                                \
    X("wgmma_d", 3, 3, "rows, cols, warps",                                  \
      ll_ptx_wgmma_d(v[0], v[1], v[2]))                                      \
    X("smem_k", 4, 4, "rows, cols, bits, swizzle",                           \
      ll_ptx_smem_k(v[0], v[1], v[2], v[3]))                                 \
    X("smem_mn", 5, 5, "rows, cols, bits, swizzle, atom",                    \
      ll_ptx_smem_mn(v[0], v[1], v[2], v[3], v[4]))                          \
    X("mfma_a", 4, 4, "m, k, blocks, bits",                                  \
      ll_amd_mfma_a(v[0], v[1], v[2], v[3]))                                 \
    X("mfma_b", 4, 4, "k, n, blocks, bits",                                  \
      ll_amd_mfma_b(v[0], v[1], v[2], v[3]))                                 \
    X("mfma_c", 4, 4, "m, n, blocks, bits",                                  \
      ll_amd_mfma_c(v[0], v[1], v[2], v[3]))                                 \
    X("wmma_a", 4, 4, "gfx, lanes, k, bits",                                 \
      ll_amd_wmma_a(v[0], v[1], v[2], v[3]))                                 \
    X("wmma_b", 4, 4, "gfx, lanes, k, bits",                                 \
      ll_amd_wmma_b(v[0], v[1], v[2], v[3]))                                 \
    X("wmma_c", 3, 3, "gfx, lanes, bits", ll_amd_wmma_c(v[0], v[1], v[2]))

#define NOTATION_NAME(name, least, most, numbers, made) " " name

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

/* Reads a family whose name has n characters from p on. */
static inline ll_foreign notation_family(const char *s, unsigned p,
                                         unsigned n) {
    ll_foreign f = LL_ZERO;
    notation_args a = {NOTATION_ARGS + 1u, {0}, 0};
    if (s[p + n] == '(') {
        a = notation_list(s, p + n);
    }
    const unsigned *v = a.v;
    const int more = a.n <= NOTATION_ARGS && s[notation_blank(s, a.end)];
#define NOTATION_CASE(name, least, most, numbers, made)                      \
    if (notation_is(s + p, n, name)) {                                       \
        if (a.n < (least) || a.n > (most)) {                                 \
            return notation_bad(p, name "(" numbers ") was expected");       \
        }                                                                    \
        if (more) {                                                          \
            return notation_bad(a.end, "unexpected text after the family");  \
        }                                                                    \
        f.layout = made;                                                     \
        return f;                                                            \
    }
    NOTATION_FAMILIES(NOTATION_CASE)
#undef NOTATION_CASE
    return notation_bad(p, "there is no family of this name; the families are"
                           NOTATION_FAMILIES(NOTATION_NAME));
}

/* Returns the memory layout of a CuTe layout function. It may skip offsets if
 * every skipped bit of the offset is always 0; a memory layout cannot express
 * others. */
static inline ll_foreign notation_cute(const char *text, unsigned p) {
    ll_foreign f = ll_from_cute(text);
    if (f.layout.err) {
        return f;
    }
    const ll_layout at = f.layout;
    const ll_layout made = ll_inv(at);
    if (!made.err) {
        f.layout = made;
        return f;
    }
    f.layout = ll_pinv(at);
    const ll_layout back = ll_rinv(f.layout);
    const int same = ll_is_injective(at) && !f.layout.err && !back.err;
    return !ll_is_injective(at)
               ? notation_bad(p, "two elements have the same offset, so this "
                                 "is not a memory layout")
           : same && ll_is_equal(back, at)
               ? f
               : notation_bad(p, "the layout skips offsets; a memory layout "
                                 "can do so only by bits of the offset that "
                                 "are always 0");
}

/* Returns the start of a text: after `memory`, as in a line of ll_explain. */
static inline unsigned notation_memory(const char *text) {
    const unsigned p = notation_blank(text, 0);
    const unsigned n = ll_name_length_(text + p);
    const unsigned next = notation_blank(text, p + n);
    return notation_is(text + p, n, "memory") && next > p + n ? next : p;
}

/* Reads a text without `trans(..)` around it. */
static inline ll_foreign notation_plain(const char *text, unsigned rank,
                                        const unsigned *sizes) {
    ll_foreign f = LL_ZERO;
    const unsigned p = notation_memory(text);
    const unsigned n = ll_name_length_(text + p);
    if (text[p] == '#' || (text[p] == '/' && text[p + 1u] == '/')) {
        f = ll_from_triton(text, rank, sizes);
        if (!rank) {
            f = notation_bad(p, "an attribute of Triton needs a shape");
        }
    } else if (text[p] == '(' || text[p] == '_' || ll_is_digit_(text[p]) ||
               notation_is(text + p, n, "Swizzle") ||
               notation_is(text + p, n, "Sw")) {
        f = notation_cute(text, p);
    } else if (n && (text[p + n] == '(' || !text[notation_blank(text, p + n)])) {
        f = notation_family(text, p, n);
    } else {
        f.layout = ll_parse(text + p);
        f.layout.at += f.layout.is == LL_AT_CHARACTER ? p : 0u;
    }
    return f;
}

/* Returns 1 if a text inside `turns` parentheses does not close them. Comments
 * do not count. */
static inline int notation_lacks(const char *s, unsigned turns) {
    unsigned open = turns;
    for (unsigned p = 0; turns && s[p]; ++p) {
        if (s[p] == '/' && s[p + 1u] == '/') {
            while (s[p + 1u] && s[p + 1u] != '\n') {
                ++p;
            }
            continue;
        }
        open += s[p] == '(' ? 1u : 0u;
        open -= s[p] == ')' && open ? 1u : 0u;
    }
    return open != 0 && turns;
}

/* Returns the element bits that a text names (elementBitWidth = 16 or
 * smem_ptr[16b]), or 0. */
static inline unsigned notation_bits(const char *s) {
    static const char key[] = "elementBitWidth", ptr[] = "_ptr[";
    unsigned bits = 0;
    for (unsigned p = 0; s[p] && !bits; ++p) {
        unsigned k = 0;
        unsigned m = 0;
        while (key[k] && s[p + k] == key[k]) {
            ++k;
        }
        while (ptr[m] && s[p + m] == ptr[m]) {
            ++m;
        }
        if (!key[k] || !ptr[m]) {
            unsigned q = notation_blank(s, p + (key[k] ? m : k));
            q = s[q] == '=' && !key[k] ? notation_blank(s, q + 1u) : q;
            bits = notation_number(s, &q);
        }
    }
    return bits;
}

/* Returns 1 if a text is an attribute of Triton, which needs a shape. */
static inline int notation_has_shape(const char *s) {
    unsigned p = notation_blank(s, 0);
    while (notation_is(s + p, 6, "trans(")) {
        p = notation_blank(s, p + 6u);
    }
    return s[p] == '#' || (s[p] == '/' && s[p + 1u] == '/');
}

/* Writes the bits of axes that no register or offset has, for example those of
 * a misspelt axis. */
static inline void notation_missing(ll_writer_ *w, ll_layout a) {
    unsigned all = a.offset;
    const char *before = "no register or offset holds an element with ";
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        all |= a.basis[k];
    }
    for (unsigned d = a.out.n; d-- > 0;) {
        for (unsigned k = 0; k < a.out.bits[d]; ++k) {
            if (!(all >> (ll_shape_start_(&a.out, d) + k) & 1u)) {
                ll_write_(w, before);
                ll_write_name_(w, a.out.dim[d]);
                ll_write_number_(w, k);
                before = ", ";
            }
        }
    }
    ll_write_(w, *before == ',' ? " = 1" : "");
}

/* Returns a warp's access between registers and memory, as ll_view_banks. For
 * padded memory it is the access with the most wavefronts, over all registers
 * and warps. */
static inline ll_view notation_banks(ll_layout a, const ll_foreign *m,
                                     unsigned bits, unsigned bytes,
                                     unsigned op, ll_target t) {
    ll_view most = ll_view_padded(
        ll_view_banks(a, m->layout, bits, bytes, op, t), *m);
    const unsigned regs = m->pads ? ll_size(a.in, LL_REGISTER) : 1u;
    const unsigned warps = m->pads ? ll_size(a.in, LL_WARP) : 1u;
    for (unsigned n = 1; !most.err && n < regs * warps; ++n) {
        ll_layout b = a;
        b.offset = ll_apply(a, ll_pack(a.in, LL_REGISTER, n % regs) |
                                   ll_pack(a.in, LL_WARP, n / regs));
        const ll_view v = ll_view_padded(
            ll_view_banks(b, m->layout, bits, bytes, op, t), *m);
        most = v.err || v.rows > most.rows ? v : most;
    }
    return most;
}

/* Returns the largest bytes per access: ll_widest, but at most a pad or the
 * distance between two pads. */
static inline unsigned notation_widest(ll_layout a, const ll_foreign *m,
                                       unsigned bits, ll_target t) {
    unsigned most = ll_widest(a, m->layout, bits, t.access_bytes);
    for (unsigned k = 0; k < m->pads && most; ++k) {
        const unsigned least =
            m->every[k] < m->pad[k] ? m->every[k] : m->pad[k];
        while (most > 1u && most > 1ull * least * ll_element_held_(bits) / 8u) {
            most /= 2u;
        }
    }
    return most;
}

/* Reads a layout of at most 4,000 characters. The sizes are for attributes of
 * Triton. Text of CuTe becomes offset -> tensor. */
static inline ll_foreign notation_layout(const char *text, unsigned rank,
                                         const unsigned *sizes) {
    char inner[4000];
    unsigned p = notation_blank(text, 0);
    unsigned turns = 0;
    while (notation_is(text + p, 6, "trans(")) {
        p = notation_blank(text, p + 6u);
        ++turns;
    }
    if (!text[p] || (turns && text[p] == ')')) {
        return notation_bad(p, turns ? "the parentheses of trans(..) are empty"
                                     : "the text is empty");
    }
    unsigned n = 0;
    while (text[p + n]) {
        if (n + 1u == sizeof inner) {
            return notation_bad(p, "the text is too long: at most 4,000 "
                                   "characters");
        }
        inner[n] = text[p + n];
        ++n;
    }
    if (notation_lacks(text + p, turns)) {
        return notation_bad(p + n, ") was expected at the end");
    }
    for (unsigned k = 0; k < turns; ++k) {
        while (n && ll_char_is_one_of_(inner[n - 1u], " \n\t\r")) {
            --n;
        }
        if (!n || inner[n - 1u] != ')') {
            return notation_bad(p + n, ") was expected");
        }
        --n;
    }
    inner[n] = 0;
    ll_foreign f = notation_plain(inner, rank, sizes);
    f.layout.at += f.layout.is == LL_AT_CHARACTER ? p : 0u;
    if (turns % 2u && !f.layout.err) {
        f.layout = ll_trans(f.layout, "j i");
    }
    return f;
}

/* Reads sm_90, gfx942, gfx1100 or gfx1100w64. */
static inline ll_target notation_target(const char *s) {
    ll_target none = {0};
    unsigned p = 3;
    none.err = LL_ETARGET;
    if (s[0] == 's' && s[1] == 'm' && s[2] == '_') {
        const unsigned sm = notation_number(s, &p);
        return s[p] && s[p] != 'a' && s[p] != 'f' ? none : ll_ptx_target(sm);
    }
    if (s[0] == 'g' && s[1] == 'f' && s[2] == 'x') {
        unsigned gfx = 0;
        for (; ll_char_is_one_of_(s[p], "0123456789abcdef"); ++p) {
            gfx = gfx << 4 | (s[p] <= '9' ? (unsigned)(s[p] - '0')
                                          : (unsigned)(s[p] - 'a') + 10u);
        }
        const int wide = s[p] == 'w' && s[p + 1u] == '6' && s[p + 2u] == '4';
        return s[p] && !wide
                   ? none
                   : ll_amd_target(gfx, wide || gfx < 0x1000u ? 64 : 32);
    }
    return none;
}

#endif
