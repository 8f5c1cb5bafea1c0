/* tensor_type.h - reads a tensor type of Triton's IR around a layout's text.
 * SPDX-License-Identifier: MIT
 *
 * This file includes only the headers.
 */
#ifndef LL_TENSOR_TYPE_H
#define LL_TENSOR_TYPE_H

#include "families.h"

/* rank, sizes: the shape; rank 0: there is no type. bits: of an element.
 * memory: 1 for memdesc, whose last shape, of `axes` sizes, is that of the
 * allocation; axes 0: it is not named. */
typedef struct tensor_type {
    unsigned rank, sizes[16], bits;
    unsigned memory, axes, all[16];
} tensor_type;

/* Returns the position after a comment at p, or p. */
static inline unsigned type_comment(const char *s, unsigned p) {
    if (s[p] == '/' && s[p + 1u] == '/') {
        while (s[p] && s[p] != '\n') {
            ++p;
        }
    }
    return p;
}

static inline int type_begins(const char *s, const char *word) {
    unsigned k = 0;
    while (word[k] && s[k] == word[k]) {
        ++k;
    }
    return !word[k];
}

/* Returns the position of the first < of tensor<..> or memdesc<..> outside
 * comments, or that of the end. */
static inline unsigned type_in(const char *s) {
    unsigned p = 0;
    while (s[p]) {
        const unsigned over = type_comment(s, p);
        if (over == p && type_begins(s + p, "tensor<")) {
            return p + 6u;
        }
        if (over == p && type_begins(s + p, "memdesc<")) {
            return p + 7u;
        }
        p = over > p ? over : p + 1u;
    }
    return p;
}

/* Returns the position of the first of these characters from p on, outside
 * brackets and comments. */
static inline unsigned type_outside(const char *s, unsigned p, const char *of) {
    unsigned depth = 0;
    while (s[p] && (depth || !ll_char_is_one_of_(s[p], of))) {
        const unsigned over = type_comment(s, p);
        const int arrow = s[p] == '-' && s[p + 1u] == '>';
        depth += ll_char_is_one_of_(s[p], "<[{(") ? 1u : 0u;
        depth -= depth && ll_char_is_one_of_(s[p], ">]})") ? 1u : 0u;
        p = over > p ? over : p + (arrow ? 2u : 1u);
    }
    return p;
}

/* Reads sizes such as 64x64 at p, at most 16. Returns the position after the
 * last size, or after the x before an element type. */
static inline unsigned type_sizes(const char *s, unsigned p, unsigned *n,
                                  unsigned *sizes) {
    *n = 0;
    while (*n < 16u && ll_is_digit_(s[p])) {
        const unsigned long long x = ll_text_number_(s, &p);
        sizes[(*n)++] = x >> 31 ? 0x7fffffffu : (unsigned)x;
        if (s[p] != 'x') {
            break;
        }
        ++p;
    }
    return p;
}

/* Returns the bits of an element type such as f16, f8E4M3FN, i1 or a pointer;
 * more than 128: it is not a type. */
static inline unsigned type_bits(const char *s, unsigned p) {
    if (s[p] == '!') {
        return 64;
    }
    unsigned n = 0;
    while (s[p + n] && !ll_char_is_one_of_(s[p + n], "0123456789,><")) {
        ++n;
    }
    unsigned at = p + n;
    const unsigned bits = notation_number(s, &at);
    return !n || at == p + n || bits > 128u ? 129u : bits == 1u ? 8u : bits;
}

/* Splits a type such as tensor<64x64xf16, #name> or !ttg.memdesc<8x64xf16,
 * #name, #smem, mutable, 64x64>, leaving blanks around the attribute. Returns
 * 0, or the number, from 1, of the character where the type is malformed. */
static inline unsigned take_type(char *s, tensor_type *t) {
    const tensor_type none = LL_ZERO;
    const unsigned open = type_in(s);
    *t = none;
    if (!s[open]) {
        return 0;
    }
    t->memory = s[open - 1u] == 'c' ? 1u : 0u;
    const unsigned at = type_sizes(s, open + 1u, &t->rank, t->sizes);
    t->bits = type_bits(s, at);
    const unsigned comma = type_outside(s, at, ",>");
    const unsigned end = s[comma] ? type_outside(s, comma + 1u, ",>") : comma;
    const unsigned close = type_outside(s, end, ">");
    if (!t->rank || s[at - 1u] != 'x' || t->bits > 128u || !s[close] ||
        s[comma] != ',') {
        *t = none;
        return open + 1u;
    }
    for (unsigned p = end; s[p] == ',';) {
        p = notation_blank(s, p + 1u);
        if (ll_is_digit_(s[p])) {
            type_sizes(s, p, &t->axes, t->all);
        }
        p = type_outside(s, p, ",>");
    }
    unsigned from = open;
    while (from > 0 && !ll_char_is_one_of_(s[from - 1u], " \t\n(,")) {
        --from;
    }
    for (unsigned p = from; p <= close; ++p) {
        s[p] = p <= comma || p >= end ? ' ' : s[p];
    }
    return 0;
}

#endif
