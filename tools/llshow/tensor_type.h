/* tensor_type.h - reads a tensor type of Triton's IR around a layout's text.
 * SPDX-License-Identifier: MIT
 *
 * This file includes only the headers.
 */
#ifndef LL_TENSOR_TYPE_H
#define LL_TENSOR_TYPE_H

#include "families.h"

#define TYPE_FORM "a type must look like tensor<64x64xf16, #name>"
#define TYPE_REST                                                              \
    "after its attribute a type has a memory, mutable and the shape of the "   \
    "allocation, as in #smem, mutable, 4x64x32"

#define TYPE_SPACE                                                             \
    "the memory of a type is #smem (#ttg.shared_memory) or #tmem "             \
    "(#ttng.tensor_memory), or a name that is defined as one of them"

/* rank, sizes: the shape; rank 0: there is no type. bits: of an element.
 * memory: 1 for memdesc, whose last shape, of `axes` sizes, is that of the
 * allocation; axes 0: it is not named. space: the memory that stands after the
 * attribute, at character `at`, from 0. why: the sentence for a malformed
 * type. */
typedef struct tensor_type {
    unsigned rank, sizes[16], bits;
    unsigned memory, axes, all[16];
    unsigned space, at;
    const char *why;
} tensor_type;

enum { TYPE_NO_SPACE, TYPE_SHARED, TYPE_TENSOR };

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

/* Returns the position after a name such as f8E4M3FN or #ttg.shared_memory. */
static inline unsigned type_name(const char *s, unsigned p) {
    while (ll_is_digit_(s[p]) || (s[p] >= 'a' && s[p] <= 'z') ||
           (s[p] >= 'A' && s[p] <= 'Z') || ll_char_is_one_of_(s[p], "_.!#")) {
        ++p;
    }
    return p;
}

/* Returns the position after <..> at p, of names, commas and blanks; p if it is
 * not closed. */
static inline unsigned type_arguments(const char *s, unsigned p) {
    unsigned depth = 0, at = p;
    do {
        depth += s[at] == '<' ? 1u : 0u;
        depth -= s[at] == '>' ? 1u : 0u;
        const unsigned next = type_name(s, at);
        if (next == at && !ll_char_is_one_of_(s[at], "<>, ")) {
            return p;
        }
        at = next == at ? at + 1u : next;
    } while (depth);
    return at;
}

/* Reads an element type such as f16, f8E4M3FN, i1 or !tt.ptr<f16, 1>, and its
 * bits. Returns the position after it, or p if it is not a type. */
static inline unsigned type_element(const char *s, unsigned p, unsigned *bits) {
    if (s[p] == '!') {
        const unsigned name = type_name(s, p);
        const unsigned end = type_arguments(s, name);
        *bits = 64;
        return s[name] == '<' && end == name ? p : end;
    }
    unsigned at = p;
    while (s[at] >= 'a' && s[at] <= 'z') {
        ++at;
    }
    const unsigned digits = at;
    const unsigned read = notation_number(s, &at);
    *bits = read == 1u ? 8u : read;
    return digits > p && at > digits && read && read <= 128u ? type_name(s, at)
                                                             : p;
}

#define TYPE_OPEN "this bracket is not closed"
#define TYPE_STRAY "this bracket closes none"

/* Returns the number, from 1, of a bracket without a partner, and the sentence
 * *why, for the one at p and those inside; 0 if all are closed. */
static inline unsigned type_unclosed(const char *s, unsigned p,
                                     const char **why) {
    enum { DEEP = 64 };
    unsigned at[DEEP] = LL_ZERO;
    unsigned depth = 0;
    *why = TYPE_OPEN;
    do {
        const unsigned over = type_comment(s, p);
        const int arrow = s[p] == '-' && s[p + 1u] == '>';
        const unsigned closes = arrow || over > p ? 0u : ll_bracket_(s[p], 1);
        if (over == p && ll_bracket_(s[p], 0) && depth < DEEP) {
            at[depth++] = p;
        } else if (!s[p]) {
            return at[depth - 1u] + 1u;
        }
        if (closes && closes != ll_bracket_(s[at[depth - 1u]], 0)) {
            unsigned k = depth;
            while (k && closes != ll_bracket_(s[at[k - 1u]], 0)) {
                --k;
            }
            *why = k ? TYPE_OPEN : TYPE_STRAY;
            return (k ? at[depth - 1u] : p) + 1u;
        }
        depth -= closes ? 1u : 0u;
        p = over > p ? over : p + (arrow ? 2u : 1u);
    } while (depth);
    return 0;
}

/* Returns the position after the bracket that closes the one at p, which is
 * closed. */
static inline unsigned type_closed(const char *s, unsigned p) {
    const char close = "]}>)"[ll_bracket_(s[p], 0) - 1u];
    const char set[2] = {close, 0};
    return type_outside(s, p + 1u, set) + 1u;
}

/* Returns the memory of a name of n characters: #smem and #ttg.shared_memory are
 * shared, #tmem and #ttng.tensor_memory tensor memory, with digits after them or
 * not. Another name must be defined ahead of the type. */
static inline unsigned type_space(const char *s, unsigned p, unsigned n) {
    ll_note_ r = LL_ZERO;
    r.s = s;
    for (unsigned hop = 0; hop < 8u && n; ++hop) {
        unsigned from = p + 1u, end = p + n;
        for (unsigned k = p; k < p + n; ++k) {
            from = s[k] == '.' ? k + 1u : from;
        }
        while (end > from && ll_is_digit_(s[end - 1u])) {
            --end;
        }
        if (notation_is(s + from, end - from, "smem") ||
            notation_is(s + from, end - from, "shared_memory")) {
            return TYPE_SHARED;
        }
        if (notation_is(s + from, end - from, "tmem") ||
            notation_is(s + from, end - from, "tensor_memory")) {
            return TYPE_TENSOR;
        }
        p = ll_note_defined_(&r, p, n);
        n = p ? ll_hash_length_(&r, p) : 0u;
    }
    return TYPE_NO_SPACE;
}

/* Reads a word after the attribute of a memdesc: its memory, such as #smem,
 * mutable, or the shape of the allocation. Returns the position after it, or p
 * if it is none of these. */
static inline unsigned type_word(const char *s, unsigned p, tensor_type *t) {
    const unsigned end = type_name(s, p);
    if (ll_is_digit_(s[p])) {
        const unsigned last = type_sizes(s, p, &t->axes, t->all);
        return last == end && s[last - 1u] != 'x' ? last : p;
    }
    if (s[p] == '#' && end > p + 1u) {
        t->at = p;
        t->space = type_space(s, p, end - p);
        t->why = t->space ? t->why : TYPE_SPACE;
    }
    const int is = s[p] == '#' ? end > p + 1u
                               : notation_is(s + p, end - p, "mutable");
    return is ? end : p;
}

/* Reads what stands after an attribute, from its end on. Returns the position of
 * the > that closes the type, or of what is no such word. */
static inline unsigned type_close(const char *s, unsigned p, tensor_type *t) {
    while (s[p] == ',') {
        const unsigned word = notation_blank(s, p + 1u);
        const unsigned after = type_word(s, word, t);
        if (after == word) {
            return s[word] == '>' ? p : word;
        }
        p = notation_blank(s, after);
    }
    return p;
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
    const char *why = 0;
    const unsigned bracket = type_unclosed(s, open, &why);
    if (bracket) {
        t->why = why;
        return bracket;
    }
    t->memory = s[open - 1u] == 'c' ? 1u : 0u;
    const unsigned at = type_sizes(s, open + 1u, &t->rank, t->sizes);
    const unsigned element = type_element(s, at, &t->bits);
    const unsigned comma = notation_blank(s, element);
    const int is = t->rank && s[at - 1u] == 'x' && element > at &&
                   s[comma] == ',';
    const unsigned end = is ? type_outside(s, comma + 1u, ",>") : comma;
    const unsigned close = is ? type_close(s, end, t) : end;
    if (!is || s[close] != '>') {
        const int more = is && s[close];
        *t = none;
        t->why = more ? TYPE_REST : TYPE_FORM;
        return (more ? close : open) + 1u;
    }
    if (t->why) {
        const tensor_type wrong = *t;
        *t = none;
        t->why = wrong.why;
        return wrong.at + 1u;
    }
    unsigned from = open;
    while (from > 0 && type_name(s, from - 1u) > from - 1u) {
        --from;
    }
    for (unsigned p = from; p <= close; ++p) {
        s[p] = p <= comma || p >= end ? ' ' : s[p];
    }
    return 0;
}

#endif
