/* ---- Types ------------------------------------------------------------ */
#ifndef LL_BASE_TYPES_H
#define LL_BASE_TYPES_H

#include "portability.h"
#include "errors.h"

/* The types that all rooms share. A dimension is its name, packed into a word.
 * A shape lists dimensions, fastest first, with log2 of each size. A layout has
 * one column (a packed output) per bit of its packed input, and one offset.
 * Types for a single subject are in its room. */

/* A dimension is its name: six bits per character, the first character highest.
 * Comparing two dimensions therefore compares their names. */
typedef unsigned long long ll_dim;

#define LL_REGISTER ((ll_dim)0x4851c94d4152000)
#define LL_LANE ((ll_dim)0x301385000000000)
#define LL_WARP ((ll_dim)0x5c1490000000000)
#define LL_BLOCK ((ll_dim)0x08c3c32c0000000)
#define LL_OFFSET ((ll_dim)0x3c6193154000000)
#define LL_I ((ll_dim)0x240000000000000)
#define LL_J ((ll_dim)0x280000000000000)
#define LL_K ((ll_dim)0x2c0000000000000)

/* The dimensions of one side of a layout, fastest first. */
typedef struct ll_shape {
    unsigned err; /* LL_OK, or the first error */
    unsigned n;   /* number of dimensions */
    ll_dim dim[LL_MAX_DIMS];
    unsigned short bits[LL_MAX_DIMS]; /* log2 of the size */
    unsigned value; /* with LL_ESIZE: the rejected size; with LL_EMISSING: the
                       missing name, as for LL_AT_DIMENSION */
} ll_shape;

/* What the member `at` of a layout holds: nothing; the position of a character
 * in the text for ll_parse, counted from 1; a rejected value; or the first five
 * characters of the name of a missing dimension d, d >> 30. */
enum { LL_AT_NOTHING, LL_AT_CHARACTER, LL_AT_VALUE, LL_AT_DIMENSION };

/* A layout maps a packed input x with the bits x0, x1, .. to the packed output
 * y = basis[0] x0 ^ basis[1] x1 ^ .. ^ offset. */
typedef struct ll_layout {
    unsigned err; /* LL_OK, or the first error */
    unsigned at;  /* position of the error, or the rejected value */
    unsigned is;  /* LL_AT_NOTHING .. LL_AT_DIMENSION */
    ll_shape in, out;
    unsigned basis[LL_MAX_BITS]; /* packed outputs */
    unsigned offset;             /* packed output of x = 0 */
} ll_layout;

LL_FN unsigned ll_ones_(unsigned bits) {
    return bits >= 32u ? ~0u : (1u << bits) - 1u;
}

LL_FN unsigned ll_popcount_(unsigned x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Private: returns log2 of a size; LL_NO_BITS_ if it is no power of two. */
#define LL_NO_BITS_ ~0u
LL_FN unsigned ll_log2_(unsigned long long size) {
    unsigned bits = 0;
    while (bits < 64u && size != 1ull << bits) {
        ++bits;
    }
    return bits < 64u ? bits : LL_NO_BITS_;
}

LL_FN unsigned ll_char_code_(char c) {
    return c >= 'a' && c <= 'z'   ? (unsigned)(c - 'a') + 1u
           : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 27u
           : c >= '0' && c <= '9' ? (unsigned)(c - '0') + 53u
           : c == '_'             ? 63u
                                  : 0u;
}

LL_FN int ll_is_digit_(char c) { return c >= '0' && c <= '9'; }

/* Private: returns the dimension named by the first n characters of s; 0 if n
 * is 0, if n is above LL_MAX_NAME, or if the name starts with a digit. */
LL_FN ll_dim ll_dim_read_(const char *s, unsigned n) {
    ll_dim d = 0;
    for (unsigned k = 0; k < LL_MAX_NAME; ++k) {
        d = d << 6 | (k < n ? ll_char_code_(s[k]) : 0u);
    }
    return n > LL_MAX_NAME || n == 0 || ll_is_digit_(s[0]) ? 0 : d;
}

LL_FN unsigned ll_name_length_(const char *s) {
    unsigned n = 0;
    while (ll_char_code_(s[n])) {
        ++n;
    }
    return n;
}

/* Private: returns the index of dimension d in a shape; s->n if absent. */
LL_FN unsigned ll_shape_find_(const ll_shape *s, ll_dim d) {
    unsigned k = 0;
    while (k < s->n && s->dim[k] != d) {
        ++k;
    }
    return k;
}

/* Private: returns the number of packed bits below dimension k, up to k = n. */
LL_FN unsigned ll_shape_start_(const ll_shape *s, unsigned k) {
    unsigned bits = 0;
    for (unsigned d = 0; d < k; ++d) {
        bits += s->bits[d];
    }
    return bits;
}

LL_FN unsigned ll_shape_bits_(const ll_shape *s) {
    unsigned bits = ll_shape_start_(s, s->n < LL_MAX_DIMS ? s->n : LL_MAX_DIMS);
    return bits < LL_MAX_BITS ? bits : LL_MAX_BITS;
}

LL_FN unsigned ll_shape_field_(const ll_shape *s, unsigned k, unsigned x) {
    unsigned at = ll_shape_start_(s, k);
    return at >= 32u ? 0u : x >> at & ll_ones_(s->bits[k]);
}

LL_FN unsigned ll_shift_(unsigned x, unsigned by) {
    return by >= 32u ? 0u : x << by;
}

LL_FN unsigned ll_shift_down_(unsigned x, unsigned by) {
    return by >= 32u ? 0u : x >> by;
}

/* Private: converts a packed word from the shape `from` to the shape `to`.
 * Drops dimensions that `to` lacks; those that `from` lacks are 0. */
LL_FN unsigned ll_shape_repack_(unsigned x, const ll_shape *from,
                                const ll_shape *to) {
    unsigned y = 0;
    for (unsigned k = 0; k < from->n; ++k) {
        unsigned at = ll_shape_find_(to, from->dim[k]);
        if (at < to->n) {
            y |= ll_shift_(ll_shape_field_(from, k, x) & ll_ones_(to->bits[at]),
                           ll_shape_start_(to, at));
        }
    }
    return y;
}

/* Private: returns 1 if `to` has every dimension of `from`, at least as large.
 * With `same`, `to` must have no other dimension. */
LL_FN int ll_shape_fits_(const ll_shape *from, const ll_shape *to, int same) {
    int ok = !same || from->n == to->n;
    for (unsigned k = 0; k < from->n; ++k) {
        unsigned at = ll_shape_find_(to, from->dim[k]);
        ok = ok && at < to->n && from->bits[k] <= to->bits[at];
    }
    return ok;
}

/* Private: returns 1 if two shapes are equal but for their order. */
LL_FN int ll_shape_fits_both_(const ll_shape *a, const ll_shape *b) {
    return ll_shape_fits_(a, b, 0) && ll_shape_fits_(b, a, 0);
}

LL_FN ll_shape ll_shape_bad_(ll_shape s, unsigned err) {
    s.err = s.err ? s.err : err;
    return s;
}

LL_FN ll_layout ll_layout_bad_(ll_layout a, unsigned err) {
    a.err = a.err ? a.err : err;
    return a;
}

/* Private: returns a with an error and its cause, unless a has an error. */
LL_FN ll_layout ll_layout_bad_value_(ll_layout a, unsigned err,
                                     unsigned value) {
    if (!a.err && err) {
        a.at = value;
        a.is = LL_AT_VALUE;
    }
    return ll_layout_bad_(a, err);
}

/* Private: the same for a lack of dimension d (or of axis number d). */
LL_FN ll_layout ll_layout_lacking_(ll_layout a, ll_dim d) {
    const unsigned name = (unsigned)(d >> 30);
    const int first = a.err == LL_OK;
    a = ll_layout_bad_value_(a, LL_EMISSING, name ? name : (unsigned)d);
    a.is = first && name ? (unsigned)LL_AT_DIMENSION : a.is;
    return a;
}

/* Private: the same with the error of a shape, if the shape has one. */
LL_FN ll_layout ll_layout_bad_shape_(ll_layout a, const ll_shape *s) {
    return s->err == LL_ESIZE ? ll_layout_bad_value_(a, s->err, s->value)
           : s->err == LL_EMISSING
               ? ll_layout_lacking_(a, (ll_dim)s->value << 30)
               : ll_layout_bad_(a, s->err);
}

/* Private: returns an empty layout with an error. */
LL_FN ll_layout ll_layout_none_(unsigned err) {
    const ll_layout a = LL_ZERO;
    return ll_layout_bad_(a, err);
}

/* Private: returns a if it is invalid, else b. */
LL_FN ll_layout ll_layout_worst_(ll_layout a, ll_layout b) {
    return a.err ? a : b;
}

#endif
