/* ---- Views: CuTe's notation ------------------------------------------- */
#ifndef LL_VIEWS_CUTE_H
#define LL_VIEWS_CUTE_H

#include "../ll/text/explain.h"
#include "triton.h"

/* CuTe writes a layout as Shape:Stride, a function from coordinates to an
 * offset: the sum of each coordinate times its stride. If sizes are powers of
 * two and no addition carries, that sum is an XOR, and the function is a layout
 * here, with a column for each bit of a coordinate. A composition `A o B`
 * applies B first; A may be a swizzle. */

/* Private: a layout while it is read. col: a column for each bit of its index,
 * mode by mode, the first mode the fastest. bits: the number of bits of each
 * mode. */
typedef struct ll_modes_ {
    unsigned n;
    unsigned col[LL_MAX_BITS];
    unsigned modes;
    unsigned bits[LL_MAX_DIMS];
    unsigned offset;
    unsigned held; /* bits of an element of the pointer; 0: no pointer */
    unsigned meet; /* where two strides meet in one bit, from 1; 0: nowhere */
} ll_modes_;

/* Private: reads 8 or _8 and moves *p past it. */
LL_FN unsigned ll_cute_number_(ll_note_ *r, unsigned *p) {
    *p += r->s[*p] == '_' ? 1u : 0u;
    const unsigned x = ll_note_digits_(r, p);
    *p = ll_note_over_(r, *p);
    if (r->s[*p] == '@') {
        ll_note_blame_(r, *p, "a stride is a number of elements here");
    }
    return x;
}

/* Private: finds the pads of an offset that is a sum: with its columns in order
 * of size, element 2^k lies at column k. Sets *order to the number of each
 * column in that order. Returns 0 if there are no such pads. */
LL_FN int ll_cute_pads_(const ll_modes_ *a, unsigned *order, ll_foreign *f) {
    for (unsigned k = 0; k < a->n; ++k) {
        order[k] = 0;
        for (unsigned n = 0; n < a->n; ++n) {
            order[k] += a->col[n] < a->col[k] ||
                                (n < k && a->col[n] == a->col[k])
                            ? 1u
                            : 0u;
        }
    }
    for (unsigned at = 0; at < a->n; ++at) {
        unsigned k = 0;
        while (order[k] != at) {
            ++k;
        }
        unsigned long long place = 1ull << at;
        for (unsigned n = 0; n < f->pads; ++n) {
            place += 1ull * ((1u << at) / f->every[n]) * f->pad[n];
        }
        if (a->col[k] < place ||
            (a->col[k] > place && f->pads == LL_MAX_PADS)) {
            return 0;
        }
        if (a->col[k] > place) {
            f->every[f->pads] = 1u << at;
            f->pad[f->pads++] = (unsigned)(a->col[k] - place);
        }
    }
    return a->offset == 0;
}

/* Private: sets `to` to the columns in order of size, the largest first. */
LL_FN void ll_cute_sorted_(const ll_modes_ *a, unsigned *to) {
    for (unsigned k = 0; k < a->n; ++k) {
        unsigned at = k;
        for (; at && to[at - 1u] < a->col[k]; --at) {
            to[at] = to[at - 1u];
        }
        to[at] = a->col[k];
    }
}

/* Private: returns 1 if two elements have the same offset, a sum: if some
 * columns, each with a sign, add up to 0. Tries the largest column first, and
 * gives up after 2^16 steps: then it returns 0. */
LL_FN int ll_cute_overlaps_(const ll_modes_ *a) {
    unsigned col[LL_MAX_BITS] = LL_ZERO;
    unsigned turn[LL_MAX_BITS + 1u] = LL_ZERO; /* 0: none, 1: plus, 2: minus */
    long long sum[LL_MAX_BITS + 1u] = LL_ZERO;
    long long rest[LL_MAX_BITS + 1u] = LL_ZERO;
    unsigned used[LL_MAX_BITS + 1u] = LL_ZERO;
    ll_cute_sorted_(a, col);
    for (unsigned k = a->n; k-- > 0;) {
        rest[k] = rest[k + 1u] + col[k];
    }
    unsigned k = 0;
    for (unsigned step = 0; step < 65536u && a->n; ++step) {
        if (turn[k] == 3u || k == a->n) {
            if (!k) {
                break;
            }
            --k;
            continue;
        }
        const unsigned sign = turn[k]++;
        const long long y = sign == 0   ? sum[k]
                            : sign == 1 ? sum[k] + col[k]
                                        : sum[k] - col[k];
        if ((sign == 2u && !used[k]) || y > rest[k + 1u] ||
            -y > rest[k + 1u]) {
            continue;
        }
        used[k + 1u] = used[k] | (sign != 0 ? 1u : 0u);
        if (used[k + 1u] && y == 0) {
            return 1;
        }
        sum[++k] = y;
        turn[k] = 0;
    }
    return 0;
}

/* Private: blames a layout whose offset is a sum that carries. what: what is
 * done with it that needs an XOR. */
LL_FN void ll_cute_no_sum_(ll_note_ *r, const ll_modes_ *a, const char *what) {
    ll_foreign f = LL_ZERO;
    unsigned order[LL_MAX_BITS] = LL_ZERO;
    if (a->meet && !r->why) {
        const int padded = what && ll_cute_pads_(a, order, &f);
        ll_note_blame_(r, a->meet - 1u,
                       padded ? what
                       : ll_cute_overlaps_(a)
                           ? "two elements have the same offset"
                           : "two strides meet in one bit, so the offset is no "
                             "XOR, and these are no padded rows");
    }
}

/* Private: adds one size and its stride to a mode. */
LL_FN void ll_add_mode_(ll_note_ *r, ll_modes_ *a, unsigned at, unsigned mode,
                        unsigned size, unsigned long long stride) {
    const unsigned bits = ll_log2_(size);
    unsigned all = 0;
    if (bits > 30u) {
        ll_note_blame_got_(r, at, size, "this size must be a power of two");
        return;
    }
    if (mode >= LL_MAX_DIMS || a->n + bits > LL_MAX_BITS ||
        stride * (size - 1u) >> 32) {
        ll_note_blame_(r, at, "the layout has more than 16 modes, or more than "
                              "2^32 elements");
        return;
    }
    for (unsigned k = 0; k < a->n; ++k) {
        all |= a->col[k];
    }
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned col = (unsigned)(stride << k);
        a->meet = col & all && !a->meet ? at + 1u : a->meet;
        all |= col;
        a->col[a->n++] = col;
    }
    a->bits[mode] += bits;
    a->modes = a->modes > mode ? a->modes : mode + 1u;
}

/* Private: reads a shape at *p and, if there is one, its stride, which must
 * have the same parentheses; it walks both side by side. Without a stride the
 * layout is compact. */
LL_FN ll_modes_ ll_cute_layout_(ll_note_ *r, unsigned *p) {
    ll_modes_ a = LL_ZERO;
    unsigned s = *p;
    unsigned depth = 0;
    unsigned mode = 0;
    unsigned long long compact = 1;
    unsigned d = r->s[s] == '(' ? ll_note_behind_(r, s)
                                : s + ll_name_length_(r->s + s);
    d = ll_note_over_(r, d);
    const int strided = r->s[d] == ':';
    d = strided ? ll_note_over_(r, d + 1u) : s; /* the stride, or the shape */
    do {
        const char c = r->s[s];
        if (!depth && ll_char_is_one_of_(c, "),")) {
            ll_note_blame_(r, s, "a shape was expected");
        } else if (r->s[d] != c && (ll_char_is_one_of_(c, "(),") ||
                             ll_char_is_one_of_(r->s[d], "(),"))) {
            ll_note_blame_(r, d,
                           "the stride has other parentheses than the shape");
        }
        depth += c == '(' ? 1u : 0u;
        depth -= c == ')' && depth ? 1u : 0u;
        mode += c == ',' && depth == 1u ? 1u : 0u;
        if (ll_char_is_one_of_(c, "(),")) {
            s = ll_note_over_(r, s + 1u);
            d = r->why ? d : ll_note_over_(r, d + 1u);
        } else {
            const unsigned at = s;
            const unsigned size = ll_cute_number_(r, &s);
            const unsigned long long stride =
                strided && !r->why ? ll_cute_number_(r, &d) : compact;
            compact *= size;
            ll_add_mode_(r, &a, at, mode, size, stride);
            d = strided ? d : s;
        }
    } while (depth && !r->why);
    *p = d;
    return a;
}

/* Private: checks the address of a pointer after its parenthesis at p: unset,
 * (nil), or a number such as 0x7f00. */
LL_FN void ll_cute_address_(ll_note_ *r, unsigned p) {
    const unsigned from = ll_note_over_(r, p + 1u);
    const int hex = r->s[from] == '0' && r->s[from + 1u] == 'x';
    const char *const digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    unsigned at = from + (hex ? 2u : 0u);
    const unsigned first = at;
    while (ll_char_is_one_of_(r->s[at], digits)) {
        ++at;
    }
    const unsigned n = ll_name_length_(r->s + from);
    const int named = ll_is_word_(r, from, n, "unset") ||
                      ll_is_word_(r, from, n, "nil") || r->s[from] == '(';
    if (!named && (at == first || r->s[ll_note_over_(r, at)] != ')')) {
        ll_note_blame_word_(r, from, n, "unset ",
                            "an address is unset, or a number such as 0x7f00");
    }
}

/* Private: reads the name of a pointer and the bits of its elements:
 * smem_ptr[16b](unset). Returns the position after it. */
LL_FN unsigned ll_cute_pointer_(ll_note_ *r, unsigned p, ll_modes_ *a) {
    const unsigned from = p;
    p += ll_name_length_(r->s + p);
    if (r->s[p] == '<') {
        ll_note_blame_(r, from, "a pointer to sparse elements is not read");
    }
    if (r->s[p] == '[') {
        unsigned at = ll_note_over_(r, p + 1u);
        const unsigned bits = at;
        a->held = ll_note_digits_(r, &at);
        if (!a->held || a->held > 128u) {
            ll_note_blame_got_(r, bits, a->held,
                               "an element of a pointer has 1 to 128 bits");
        }
        if (r->s[at] != 'b' || r->s[at + 1u] != ']') {
            ll_note_blame_got_(r, at, a->held,
                               "a b was expected after the bits of an element, "
                               "as in smem_ptr[16b]");
        }
        p = ll_note_behind_(r, p);
    }
    if (r->s[p] == '(') {
        ll_cute_address_(r, p);
    }
    return r->s[p] == '(' ? ll_note_over_(r, ll_note_behind_(r, p))
                          : ll_note_over_(r, p);
}

/* Private: applies Swizzle<b, m, s>, with s negative if `up`. With a pointer it
 * swizzles byte addresses, so its bits are converted to bits of the offset. */
LL_FN void ll_cute_apply_swizzle_(ll_note_ *r, unsigned from, const unsigned *v,
                                  unsigned up, ll_modes_ *a) {
    const unsigned held = a->held ? ll_log2_(a->held) : 3u;
    const unsigned low = v[1] + 3u > held ? v[1] + 3u - held : 0u;
    const unsigned lost = held > v[1] + 3u ? held - v[1] - 3u : 0u;
    const unsigned bits = v[0] > lost ? v[0] - lost : 0u;
    if (held > 31u) {
        ll_note_blame_(r, from,
                       "a swizzle of bytes has elements of 1, 2, 4, 8, .. "
                       "bits");
    } else if (v[0] > v[2] || low + v[2] + bits > 32u) {
        ll_note_blame_(r, from, ll_strerror(LL_ECUTE));
    }
    for (unsigned k = 0; k <= a->n && !r->why; ++k) {
        unsigned *y = k < a->n ? &a->col[k] : &a->offset;
        const unsigned moved =
            ll_shift_down_(*y, low + (up ? 0u : v[2])) & ll_ones_(bits);
        *y ^= ll_shift_(moved, low + (up ? v[2] : 0u));
    }
}

/* Private: reads Swizzle<b, m, s> after its word, and the pointer that may
 * follow as in Sw<3,4,3>_smem_ptr[16b](unset), and applies it. Returns the
 * position after it. */
LL_FN unsigned ll_cute_swizzled_(ll_note_ *r, unsigned p, ll_modes_ *a) {
    unsigned v[3] = {0, 0, 0};
    unsigned up = 0; /* s is negative */
    const unsigned from = p;
    for (unsigned k = 0; k < 3u && !r->why; ++k) {
        p = ll_note_over_(r, p + 1u);
        up = k == 2u && r->s[p] == '-' ? 1u : 0u;
        p += up;
        v[k] = ll_note_digits_(r, &p);
        p = ll_note_over_(r, p);
        if (r->s[p] != (k < 2u ? ',' : '>')) {
            ll_note_blame_(r, p, "Swizzle<b, m, s> was expected");
        }
    }
    const int pointer = !r->why && r->s[p + 1u] == '_';
    const unsigned end = r->why    ? p
                         : pointer ? ll_cute_pointer_(r, p + 2u, a)
                                   : ll_note_over_(r, p + 1u);
    ll_cute_apply_swizzle_(r, from, v, up, a);
    return end;
}

/* Private: applies layout b, as a function of one index, after layout a. */
LL_FN void ll_cute_then_(ll_note_ *r, unsigned at, const ll_modes_ *b,
                         ll_modes_ *a) {
    for (unsigned k = 0; k <= a->n; ++k) {
        unsigned *y = k < a->n ? &a->col[k] : &a->offset;
        unsigned z = 0;
        for (unsigned bit = 0; bit < b->n; ++bit) {
            z ^= *y >> bit & 1u ? b->col[bit] : 0u;
        }
        if (ll_shift_down_(*y, b->n)) {
            ll_note_blame_(r, at,
                           "the following layout reaches beyond this one");
        }
        *y = z;
    }
}

/* Private: adds a number to the offset. Returns the position after it. */
LL_FN unsigned ll_cute_offset_(ll_note_ *r, unsigned p, ll_modes_ *a) {
    unsigned end = p;
    unsigned all = a->offset;
    const unsigned x = ll_cute_number_(r, &end);
    if (x) {
        ll_cute_no_sum_(r, a, "an offset before padded rows cannot be read");
    }
    for (unsigned k = 0; k < a->n; ++k) {
        all |= a->col[k];
    }
    if (x & all) {
        ll_note_blame_(r, p, "this offset meets a bit of the layout after it");
    }
    a->offset |= x;
    return end;
}

/* Private: the terms of a composition: where each begins and ends. A term that
 * has a `(` or a `:` is a layout. */
typedef struct ll_chain_ {
    unsigned n;
    unsigned at[8], end[8];
    int layout[8];
} ll_chain_;

LL_FN ll_chain_ ll_cute_terms_(ll_note_ *r) {
    ll_chain_ t = LL_ZERO;
    unsigned p = ll_note_over_(r, 0);
    t.at[0] = p;
    while (r->s[p] && !r->why) {
        const unsigned n = ll_name_length_(r->s + p);
        if (n == 1u && r->s[p] == 'o') {
            t.end[t.n] = p;
            p = ll_note_over_(r, p + 1u);
            if (t.n == 7u) {
                ll_note_blame_(r, p, "a composition has at most 8 terms");
                break;
            }
            t.at[++t.n] = p;
            continue;
        }
        t.layout[t.n] = t.layout[t.n] || r->s[p] == ':' ||
                        (r->s[p] == '(' && p == t.at[t.n]);
        p = ll_char_is_one_of_(r->s[p], "([<") ? ll_note_behind_(r, p)
                                               : p + (n ? n : 1u);
        p = ll_note_over_(r, p);
    }
    t.end[t.n++] = p;
    return t;
}

/* Private: applies term k of a composition to the layout after it. */
LL_FN void ll_cute_term_(ll_note_ *r, const ll_chain_ *t, unsigned k,
                         ll_modes_ *a) {
    const unsigned p = t->at[k];
    const unsigned n = ll_name_length_(r->s + p);
    unsigned end = p;
    if (k + 1u == t->n && n && !ll_is_digit_(r->s[p]) && r->s[p] != '_') {
        ll_note_blame_(r, p, "the last term is Shape:Stride");
    } else if (t->layout[k] || k + 1u == t->n) {
        const ll_modes_ b = ll_cute_layout_(r, &end);
        if (!r->why && end != t->end[k]) {
            ll_note_blame_(r, end, "the end of the layout was expected");
        }
        if (k + 1u == t->n) {
            *a = b;
        } else if (!r->why) {
            const char *const why =
                "padded rows can be read alone, not in a composition";
            ll_cute_no_sum_(r, &b, why);
            ll_cute_no_sum_(r, a, why);
            ll_cute_then_(r, p, &b, a);
        }
    } else if (ll_is_word_(r, p, n, "Swizzle") || ll_is_word_(r, p, n, "Sw") ||
               ll_is_word_(r, p, n, "S")) {
        if (r->s[p + n] != '<') {
            ll_note_blame_(r, p + n, "Swizzle<b, m, s> was expected");
        } else {
            ll_cute_no_sum_(r, a, "a swizzle of padded rows cannot be read: "
                                  "pad the rows or swizzle them");
            end = ll_cute_swizzled_(r, p + n, a);
            if (!r->why && end != t->end[k]) {
                ll_note_blame_(r, end, "o was expected");
            }
        }
    } else if (ll_is_digit_(r->s[p]) || r->s[p] == '_') {
        end = ll_cute_offset_(r, p, a);
        if (!r->why && end != t->end[k]) {
            ll_note_blame_(r, end, "o was expected");
        }
    } else if (n) {
        end = ll_cute_pointer_(r, p, a);
        if (!r->why && end != t->end[k]) {
            ll_note_blame_(r, end, "o was expected");
        }
    } else {
        ll_note_blame_(r, p, "a layout, a swizzle or an offset was expected");
    }
}

/* Private: reads all terms of a composition. */
LL_FN ll_modes_ ll_cute_modes_(ll_note_ *r) {
    ll_modes_ a = LL_ZERO;
    const ll_chain_ t = ll_cute_terms_(r);
    for (unsigned k = t.n; k-- > 0 && !r->why;) {
        ll_cute_term_(r, &t, k, &a);
    }
    return a;
}

/* Private: returns the function of what was read, or its error. */
LL_FN ll_foreign ll_cute_made_(const ll_note_ *r, const ll_modes_ *a) {
    ll_foreign f = LL_ZERO;
    unsigned all = 0;
    if (r->why) {
        ll_note_tell_(r, &f);
        return f;
    }
    unsigned at = 0;
    for (unsigned mode = a->modes; mode-- > 0;) {
        f.layout.in = ll_shape_add_(f.layout.in, ll_axis(mode), a->bits[mode]);
        unsigned from = 0;
        for (unsigned k = 0; k < mode; ++k) {
            from += a->bits[k];
        }
        for (unsigned k = 0; k < a->bits[mode]; ++k, ++at) {
            f.layout.basis[at] = a->col[from + k];
            all |= a->col[from + k];
        }
    }
    f.layout.offset = a->offset;
    f.bits = a->held;
    unsigned bits = 0;
    for (all |= a->offset; bits < 32u && all >> bits; ++bits) {}
    f.layout.out = ll_shape_add_(f.layout.out, LL_OFFSET, bits);
    return f;
}

/* ll_from_cute(text): returns the function of CuTe's text, from coordinates to
 * offset. The axes i, j, .. are the modes at the top, the first one i. Terms
 * are joined by `o`. The last term is Shape:Stride, or a shape alone, which is
 * compact; the others are layouts, swizzles, offsets and pointers. A swizzle
 * before `smem_ptr[16b]`, or `Sw<..>_smem_ptr[16b]`, permutes bytes, as in
 * CuTe; all others permute elements. Sizes are powers of two. If no two
 * elements share a place, ll_inv of the result is the memory layout offset ->
 * tensor. If there are gaps, ll_pinv is, provided that an added offset has no
 * bit in a gap. In a layout of threads and values the modes are lanes and
 * registers: name them with ll_rename_in and ll_reshape_out. Fails with
 * LL_ETEXT, the character and the sentence `why`. Source: CUTLASS.
 * Example: ll_from_cute("(2,4):(4,1)").layout is
 *          L("j: offset0 offset1 | i: offset2");
 * Example: ll_inv(ll_from_cute("Swizzle<1,0,2> o (2,4):(4,1)").layout) is
 *          L("offset: j0 j1 i0^j0");
 * Example: ll_inv(ll_from_cute("Sw<1,1,2> o smem_ptr[16b](unset) o "
 *          "(2,4):(4,1)").layout) is L("offset: j0 j1 i0^j0");
 * Example: ll_reshape_out(ll_rename_in(ll_from_cute("((4,8),(2,2)):((32,1),"
 *          "(16,8))").layout, "i j", "lane register"),
 *          ll_shape_of("i=16 j=8")) is L("register: j0 i3 | "
 *          "lane: j1 j2 i0 i1 i2 -> i=16 | j=8");
 * Example: ll_from_cute("(3,4):(4,1)").layout.at is 2;
 */
LL_FN ll_foreign ll_from_cute(const char *text) {
    ll_note_ r = LL_ZERO;
    if (!text) {
        ll_foreign f = LL_ZERO;
        f.layout.err = LL_ENULL;
        return f;
    }
    r.s = text;
    const ll_modes_ a = ll_cute_modes_(&r);
    ll_cute_no_sum_(&r, &a, "padded rows are a layout of memory alone, so the "
                            "function of coordinates is no XOR");
    return ll_cute_made_(&r, &a);
}

/* Private: returns the memory layout of a function from coordinates to offsets
 * that has no pads. */
LL_FN ll_foreign ll_cute_inverse_(ll_note_ *r, ll_foreign f) {
    const ll_layout at = f.layout;
    const ll_layout made = ll_inv(at);
    if (f.layout.err || !made.err) {
        f.layout = f.layout.err ? f.layout : made;
        return f;
    }
    f.layout = ll_pinv(at);
    const ll_layout back = ll_rinv(f.layout);
    const int whole = ll_is_injective(at);
    if (!whole || f.layout.err || back.err || !ll_is_equal(back, at)) {
        ll_note_blame_(r, ll_note_over_(r, 0),
                       whole ? "the layout skips offsets; a memory layout can "
                               "do so only by bits of the offset that are "
                               "always 0"
                             : "two elements have the same offset, so this is "
                               "not a memory layout");
        const ll_modes_ none = LL_ZERO;
        return ll_cute_made_(r, &none);
    }
    return f;
}

/* ll_memory_from_cute(text): returns the memory layout of CuTe's text, offset
 * -> tensor, for the layouts that ll_from_cute reads. It may skip bits of the
 * offset that are always 0. Rows may be padded, as those of (32,32):(33,1),
 * without a swizzle: then the result has pads. Fails with LL_ETEXT, the
 * character and the sentence `why`.
 * Example: ll_memory_from_cute("(2,4):(8,1)").layout is
 *          L("offset: j0 j1 0 i0");
 * Example: ll_memory_from_cute("(4,8):(9,1)").layout is
 *          L("offset: j0 j1 j2 i0 i1");
 * Example: ll_memory_from_cute("(4,8):(9,1)").pad[0] is 1;
 * Example: ll_memory_from_cute("(4,8):(0,1)").layout.err is LL_ETEXT;
 */
LL_FN ll_foreign ll_memory_from_cute(const char *text) {
    ll_note_ r = LL_ZERO;
    ll_foreign pads = LL_ZERO;
    unsigned order[LL_MAX_BITS] = LL_ZERO;
    if (!text) {
        pads.layout.err = LL_ENULL;
        return pads;
    }
    r.s = text;
    ll_modes_ a = ll_cute_modes_(&r);
    if (!r.why && a.meet && ll_cute_pads_(&a, order, &pads)) {
        for (unsigned k = 0; k < a.n; ++k) {
            a.col[k] = 1u << order[k];
        }
        pads.layout = ll_inv(ll_cute_made_(&r, &a).layout);
        pads.bits = a.held;
        return pads;
    }
    ll_cute_no_sum_(&r, &a, 0);
    return ll_cute_inverse_(&r, ll_cute_made_(&r, &a));
}

/* ll_foreign_error(name, f, buf, size): writes the error of a text that is not
 * a layout, as ll_error does: "ll: A: the attribute lacks a key: order (at
 * character 6, counted from 1)". */
LL_FN unsigned ll_foreign_error(const char *name, ll_foreign f, char *buf,
                                unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (!f.why) {
        return ll_error(name, f.layout, buf, size);
    }
    ll_write_(&w, "ll: ");
    ll_write_(&w, name ? name : "");
    ll_write_(&w, name ? ": " : "");
    ll_write_(&w, f.why);
    ll_write_(&w, f.key ? ": " : "");
    ll_write_(&w, f.key ? f.key : "");
    if (f.meant) {
        ll_write_(&w, "; did you mean ");
        for (unsigned k = 0; k < f.letters; ++k) {
            ll_write_char_(&w, f.meant[k]);
        }
        ll_write_char_(&w, '?');
    }
    if (f.valued) {
        ll_write_(&w, " (got ");
        ll_write_number_(&w, f.got);
        ll_write_char_(&w, ')');
    }
    ll_write_(&w, " (at character ");
    ll_write_number_(&w, f.layout.at);
    ll_write_(&w, ", counted from 1)");
    return w.len;
}

#endif
