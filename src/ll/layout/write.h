/* ---- Writing text ----------------------------------------------------- */
#ifndef LL_LAYOUT_WRITE_H
#define LL_LAYOUT_WRITE_H

#include "parse.h"

/* Writing text. A function that prints writes as much as fits into the caller's
 * buffer and counts the characters of the whole text. */

typedef struct ll_writer_ {
    char *s;
    unsigned size, len;
} ll_writer_;

LL_FN void ll_write_char_(ll_writer_ *w, char c) {
    if (w->len + 1u < w->size) {
        w->s[w->len] = c;
        w->s[w->len + 1u] = 0;
    }
    ++w->len;
}

LL_FN void ll_write_(ll_writer_ *w, const char *s) {
    for (unsigned k = 0; s[k]; ++k) {
        ll_write_char_(w, s[k]);
    }
}

LL_FN void ll_write_number_(ll_writer_ *w, unsigned long long x) {
    unsigned long long ten = 1;
    while (x / ten >= 10u) {
        ten *= 10u;
    }
    for (; ten; ten /= 10u) {
        ll_write_char_(w, (char)('0' + (int)(x / ten % 10u)));
    }
}

/* Private: returns the character of a code: the inverse of ll_char_code_. */
LL_FN char ll_char_of_code_(unsigned code) {
    return (char)(code <= 26u   ? 'a' + (int)code - 1
                  : code <= 52u ? 'A' + (int)code - 27
                  : code <= 62u ? '0' + (int)code - 53
                                : '_');
}

/* Private: writes a name; returns 1 if its last character is a digit. */
LL_FN int ll_write_name_(ll_writer_ *w, ll_dim d) {
    unsigned last = 0;
    for (unsigned k = LL_MAX_NAME; k-- > 0;) {
        unsigned c = (unsigned)(d >> 6u * k) & 63u;
        if (c) {
            ll_write_char_(w, ll_char_of_code_(c));
            last = c;
        }
    }
    return last >= 53u && last <= 62u;
}

LL_FN ll_writer_ ll_writer_on_(char *buf, unsigned size) {
    ll_writer_ w = LL_ZERO;
    w.s = buf;
    w.size = buf ? size : 0u;
    if (w.size) {
        buf[0] = 0;
    }
    return w;
}

/* Private: writes one column: its output bits joined by `^`, or `0`. */
LL_FN void ll_write_column_(ll_writer_ *w, const ll_shape *out, unsigned y) {
    const char *join = "";
    for (unsigned k = 0; k < out->n; ++k) {
        unsigned part = ll_shape_field_(out, k, y);
        for (unsigned bit = 0; bit < out->bits[k]; ++bit) {
            if (part >> bit & 1u) {
                ll_write_(w, join);
                if (ll_write_name_(w, out->dim[k])) {
                    ll_write_char_(w, '.');
                }
                ll_write_number_(w, bit);
                join = "^";
            }
        }
    }
    ll_write_(w, *join ? "" : "0");
}

/* Private: returns the output shape that columns and affine part determine. */
LL_FN ll_shape ll_shape_told_(const ll_layout *a) {
    const ll_shape none = LL_ZERO;
    ll_shape told = none;
    unsigned all = a->offset;
    for (unsigned k = 0; k < ll_shape_bits_(&a->in); ++k) {
        all |= a->basis[k];
    }
    for (unsigned k = 0; k < a->out.n; ++k) {
        unsigned part = ll_shape_field_(&a->out, k, all);
        if (part) {
            told.dim[told.n] = a->out.dim[k];
            while (told.bits[told.n] < 32u && part >> told.bits[told.n]) {
                ++told.bits[told.n];
            }
            ++told.n;
        }
    }
    return ll_shape_sorted_(told);
}

LL_FN int ll_shape_same_names_(const ll_shape *a, const ll_shape *b) {
    int same = a->n == b->n;
    for (unsigned k = 0; same && k < a->n; ++k) {
        same = a->dim[k] == b->dim[k];
    }
    return same;
}

LL_FN int ll_shape_same_bits_(const ll_shape *a, const ll_shape *b) {
    int same = a->n == b->n;
    for (unsigned k = 0; same && k < a->n; ++k) {
        same = a->bits[k] == b->bits[k];
    }
    return same;
}

LL_FN int ll_shape_same_(const ll_shape *a, const ll_shape *b) {
    return ll_shape_same_names_(a, b) && ll_shape_same_bits_(a, b);
}

LL_FN void ll_write_tail_(ll_writer_ *w, const ll_layout *a) {
    const ll_shape told = ll_shape_told_(a);
    int names = ll_shape_same_names_(&told, &a->out);
    if (names && ll_shape_same_bits_(&told, &a->out)) {
        return;
    }
    ll_write_(w, " ->");
    for (unsigned k = 0; k < a->out.n; ++k) {
        const unsigned at = names ? a->out.n - 1u - k : k;
        ll_write_(w, k == 0 ? " " : names ? "x" : " | ");
        if (!names) {
            ll_write_name_(w, a->out.dim[at]);
            ll_write_char_(w, '=');
        }
        ll_write_number_(w, 1ull << a->out.bits[at]);
    }
}

#define LL_CASE_(arg, code, number, text)                                   \
    if ((arg) == (unsigned)(code)) {                                        \
        return text;                                                        \
    }

/* ll_strerror(err): returns the sentence of an error code.
 * Example: ll_strerror(LL_OK)[0] is 'n';
 */
LL_FN const char *ll_strerror(unsigned err) {
    LL_ERRORS(LL_CASE_, err)
    return err == LL_OK ? "no error" : "an unknown error";
}
#undef LL_CASE_

/* ll_str(a, buf, size): writes the text of a layout, which ll_parse reads back,
 * or the sentence of the error if the layout is invalid. Writes at most `size`
 * bytes with the final 0; returns the length of the whole text without it. */
LL_FN unsigned ll_str(ll_layout a, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (a.err) {
        ll_write_(&w, ll_strerror(a.err));
        return w.len;
    }
    for (unsigned k = 0; k < a.in.n; ++k) {
        ll_write_(&w, k ? " | " : "");
        ll_write_name_(&w, a.in.dim[k]);
        ll_write_char_(&w, ':');
        for (unsigned bit = 0; bit < a.in.bits[k]; ++bit) {
            ll_write_char_(&w, ' ');
            ll_write_column_(&w, &a.out,
                             a.basis[ll_shape_start_(&a.in, k) + bit]);
        }
    }
    if (a.offset) {
        ll_write_(&w, a.in.n ? " | 1: " : "1: ");
        ll_write_column_(&w, &a.out, a.offset);
    }
    ll_write_tail_(&w, &a);
    return w.len;
}

#endif
