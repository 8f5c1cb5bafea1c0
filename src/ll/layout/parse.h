/* ---- Reading text ----------------------------------------------------- */
#ifndef LL_LAYOUT_PARSE_H
#define LL_LAYOUT_PARSE_H

#include "make.h"

/* Reading text, in two passes. The first pass finds the dimensions and sizes,
 * the second pass fills in the columns. */

typedef struct ll_reader_ {
    const char *s;
    unsigned p;   /* number of the next character */
    unsigned err;
    int fill;     /* 1 in the second pass */
    char end;     /* the character after the text */
    ll_layout a;
} ll_reader_;

LL_FN void ll_reader_fail_(ll_reader_ *r, unsigned err) {
    if (!r->err) {
        r->err = err;
    }
}

/* Private: widens output d until it has bit number `bit`; adds it if absent. */
LL_FN void ll_reader_grow_(ll_reader_ *r, ll_dim d, unsigned bit) {
    unsigned k = ll_shape_find_(&r->a.out, d);
    if (k == r->a.out.n) {
        r->a.out = ll_shape_add_(r->a.out, d, 0);
        ll_reader_fail_(r, r->a.out.err);
    }
    if (!r->err && r->a.out.bits[k] <= bit) {
        r->a.out.bits[k] = (unsigned short)(bit + 1u);
        if (ll_shape_start_(&r->a.out, r->a.out.n) > LL_MAX_BITS) {
            ll_reader_fail_(r, LL_EBITS);
        }
    }
}

/* Private: reads one term, `j3` or `dim0.3`. Returns its bit; 0 in pass 1. */
LL_FN unsigned ll_read_term_(ll_reader_ *r) {
    unsigned from = r->p;
    unsigned n = ll_name_length_(r->s + from);
    unsigned name = n;
    if (r->s[from + n] == '.') {
        r->p = from + n + 1u;
    } else {
        while (name > 0 && ll_is_digit_(r->s[from + name - 1u])) {
            --name;
        }
        r->p = from + name;
    }
    if (n == 0 || !ll_is_digit_(r->s[r->p])) {
        r->p = from;
        ll_reader_fail_(r, LL_ETEXT);
        return 0;
    }
    unsigned long long number = ll_text_number_(r->s, &r->p);
    unsigned bit = number < LL_MAX_BITS ? (unsigned)number : LL_MAX_BITS;
    ll_dim d = ll_dim_read_(r->s + from, name);
    if (d == 0 || bit >= LL_MAX_BITS) {
        ll_reader_fail_(r, d ? LL_EBITS : LL_ENAME);
    } else if (!r->fill) {
        ll_reader_grow_(r, d, bit);
    }
    r->p = r->err ? from : r->p;
    if (ll_char_code_(r->s[r->p]) && !r->err) {
        ll_reader_fail_(
            r, LL_ETEXT); /* two terms without `^` or a blank between */
    }
    return r->fill ? ll_pack(r->a.out, d, ll_shift_(1u, bit)) : 0u;
}

/* Private: reads one column, `0` or terms joined by `^`, and returns it. */
LL_FN unsigned ll_read_column_(ll_reader_ *r) {
    if (r->s[r->p] == '0' && !ll_char_code_(r->s[r->p + 1u])) {
        ++r->p;
        return 0;
    }
    unsigned y = ll_read_term_(r);
    while (!r->err && r->s[r->p] == '^') {
        ++r->p;
        y ^= ll_read_term_(r);
    }
    return y;
}

/* Private: reads a group: `name:` and columns, or `1:` and the affine part. */
LL_FN void ll_read_group_(ll_reader_ *r) {
    unsigned n = ll_name_length_(r->s + r->p);
    int affine = n == 1u && r->s[r->p] == '1';
    ll_dim d = ll_dim_read_(r->s + r->p, n);
    if (n == 0 || r->s[r->p + n] != ':' || (d == 0 && !affine)) {
        ll_reader_fail_(r, n && r->s[r->p + n] == ':' ? LL_ENAME : LL_ETEXT);
        return;
    }
    unsigned k = r->a.in.n;
    if (!affine) {
        r->a.in = ll_shape_add_(r->a.in, d, 0);
        ll_reader_fail_(r, r->a.in.err);
    }
    r->p += r->err ? 0u : n + 1u;
    ll_text_blank_(r->s, &r->p);
    unsigned columns = 0;
    while (!r->err && ll_char_code_(r->s[r->p])) {
        if (affine ? columns == 1u
                   : ll_shape_bits_(&r->a.in) == LL_MAX_BITS) {
            ll_reader_fail_(r, affine ? LL_ETEXT : LL_EBITS);
            return;
        }
        unsigned y = ll_read_column_(r);
        if (affine) {
            r->a.offset = y;
        } else {
            r->a.basis[ll_shape_bits_(&r->a.in)] = y;
            ++r->a.in.bits[k];
        }
        ++columns;
        ll_text_blank_(r->s, &r->p);
    }
    if (affine && columns == 0) {
        ll_reader_fail_(r, LL_ETEXT);
    }
}

/* Private: reads the tail `j=16 | i=16` and returns its sizes. */
LL_FN ll_shape ll_read_sizes_(ll_reader_ *r) {
    ll_shape tail = LL_ZERO;
    int more = ll_char_code_(r->s[r->p]) != 0;
    while (!r->err && more) {
        unsigned n = ll_name_length_(r->s + r->p);
        ll_dim d = ll_dim_read_(r->s + r->p, n);
        unsigned from = r->p;
        r->p += n;
        if (d == 0 || r->s[r->p] != '=') {
            r->p = from;
            ll_reader_fail_(r, d || !n ? LL_ETEXT : LL_ENAME);
            return tail;
        }
        ++r->p;
        tail = ll_shape_add_(tail, d, ll_log2_(ll_text_number_(r->s, &r->p)));
        if (tail.err) {
            r->p = from;
            ll_reader_fail_(r, tail.err);
        }
        ll_text_blank_(r->s, &r->p);
        more = r->s[r->p] == '|';
        if (!more && ll_char_code_(r->s[r->p])) {
            ll_reader_fail_(r, LL_ETAIL);
        }
        r->p += more ? 1u : 0u;
        ll_text_blank_(r->s, &r->p);
    }
    return tail;
}

LL_FN ll_shape ll_shape_reversed_(ll_shape s) {
    ll_shape t = s;
    for (unsigned k = 0; k < s.n; ++k) {
        t.dim[k] = s.dim[s.n - 1u - k];
        t.bits[k] = s.bits[s.n - 1u - k];
    }
    return t;
}

/* Private: fails because the tail at `from`, such as `16x16`, has not one size
 * for each output. out.err tells ll_error so; out.value is their number. */
LL_FN void ll_read_bad_count_(ll_reader_ *r, unsigned from) {
    unsigned sizes = 0;
    for (unsigned p = from; ll_is_digit_(r->s[p]); ++sizes) {
        ll_text_number_(r->s, &p);
        p += r->s[p] == 'x' ? 1u : 0u;
    }
    ll_reader_fail_(r, LL_ETEXT);
    if (r->err == LL_ETEXT && sizes != r->a.out.n) {
        r->a.out.err = LL_ETAIL;
        r->a.out.value = sizes;
    }
}

/* Private: reads the tail `16x16`: outputs in usual order, slowest first. */
LL_FN ll_shape ll_read_extents_(ll_reader_ *r) {
    const unsigned start = r->p;
    ll_shape tail = LL_ZERO;
    unsigned more = r->a.out.n;
    while (!r->err && more > 0) {
        unsigned from = r->p;
        unsigned bits = ll_log2_(ll_text_number_(r->s, &r->p));
        --more;
        tail = ll_shape_add_(tail, r->a.out.dim[more], bits);
        if (from == r->p || tail.err) {
            r->p = from;
            ll_reader_fail_(r, tail.err);
            ll_read_bad_count_(r, start);
        } else if (more && r->s[r->p] != 'x') {
            ll_read_bad_count_(r, start);
        }
        r->p += more && !r->err ? 1u : 0u;
    }
    if (!r->err && (r->s[r->p] == 'x' || ll_is_digit_(r->s[r->p]))) {
        ll_read_bad_count_(r, start);
    }
    return ll_shape_reversed_(tail);
}

/* Private: returns the sort key of a dimension. A dimension with a larger key
 * is faster. The usual order of outputs is register, lane, warp, block, then
 * the axes from the last letter to the first. */
LL_FN ll_dim ll_dim_usual_(ll_dim d) {
    return d == LL_REGISTER ? ~(ll_dim)0
           : d == LL_LANE   ? ~(ll_dim)1
           : d == LL_WARP   ? ~(ll_dim)2
           : d == LL_BLOCK  ? ~(ll_dim)3
                            : d;
}

LL_FN ll_shape ll_shape_sorted_(ll_shape s) {
    for (unsigned k = 0; k < s.n; ++k) {
        for (unsigned m = k + 1u; m < s.n; ++m) {
            if (ll_dim_usual_(s.dim[m]) > ll_dim_usual_(s.dim[k])) {
                ll_dim d = s.dim[k];
                const unsigned short b = s.bits[k];
                s.dim[k] = s.dim[m];
                s.bits[k] = s.bits[m];
                s.dim[m] = d;
                s.bits[m] = b;
            }
        }
    }
    return s;
}

LL_FN void ll_read_tail_(ll_reader_ *r) {
    unsigned from = r->p;
    ll_text_blank_(r->s, &r->p);
    ll_shape tail = ll_is_digit_(r->s[r->p]) ? ll_read_extents_(r)
                                             : ll_read_sizes_(r);
    if (!r->err && !ll_shape_fits_(&r->a.out, &tail, 0)) {
        r->p = from;
        ll_reader_fail_(r, LL_ERANGE);
    }
    r->a.out = r->err ? r->a.out : tail;
}

/* Private: reads the text once. Only the first pass reads the tail. */
LL_FN void ll_read_(ll_reader_ *r) {
    const ll_shape none = LL_ZERO;
    r->p = 0;
    r->a.in = none;
    ll_text_blank_(r->s, &r->p);
    while (!r->err && ll_char_code_(r->s[r->p])) {
        int last = ll_is_digit_(r->s[r->p]);
        ll_read_group_(r);
        if (!r->err && r->s[r->p] == '|' && !last) {
            ++r->p;
            ll_text_blank_(r->s, &r->p);
            if (!ll_char_code_(r->s[r->p])) {
                ll_reader_fail_(r, LL_ETEXT);
            }
        }
    }
    if (r->fill || r->err) {
        return;
    }
    r->a.out = ll_shape_sorted_(r->a.out);
    if (r->s[r->p] == '-' && r->s[r->p + 1u] == '>') {
        r->p += 2u;
        ll_read_tail_(r);
        ll_text_blank_(r->s, &r->p);
    }
    if (r->s[r->p] != r->end) {
        ll_reader_fail_(r, LL_ETEXT);
    }
}

/* Private: returns the layout of a text that ends before character `end`. */
LL_FN ll_layout ll_parse_to_(const char *text, char end) {
    ll_reader_ r = LL_ZERO;
    r.s = text;
    r.end = end;
    ll_read_(&r);
    if (!r.err) {
        r.fill = 1;
        ll_read_(&r);
    }
    r.a.err = r.err;
    r.a.at = r.err ? r.p + 1u : 0u;
    r.a.is = r.err ? LL_AT_CHARACTER : LL_AT_NOTHING;
    return r.a;
}

/* ll_parse(text): returns the layout that a text describes (see the guide). On
 * failure, `at` is the position of the offending character, counted from 1.
 * Example: ll_apply(ll_parse("register: j0 i0 | lane: j1^i0"), 4) is 6;
 * Example: ll_parse("register: j0 ?").err is LL_ETEXT;
 * Example: ll_parse("register: j0 ?").at is 14;
 * Example: ll_parse("lane: i5 -> i=8").err is LL_ERANGE;
 */
LL_FN ll_layout ll_parse(const char *text) {
    return text ? ll_parse_to_(text, '\0') : ll_layout_none_(LL_ENULL);
}

#endif
