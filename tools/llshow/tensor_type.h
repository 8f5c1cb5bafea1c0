/* tensor_type.h - a tensor's type in Triton's IR, around the text of a layout.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TENSOR_TYPE_H
#define LL_TENSOR_TYPE_H

#include <stdlib.h>
#include <string.h>

/* The shape, and the bits of an element; rank 0 if there is no type, bits 0 if
 * it does not say them. */
typedef struct tensor_type {
    unsigned rank, sizes[16], bits;
} tensor_type;

/* The first `<` of tensor<..> or memdesc<..> outside of comments, or NULL. */
static inline char *type_in(char *s) {
    for (; *s; ++s) {
        if (s[0] == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
            s -= !*s;
        } else if (strncmp(s, "tensor<", 7) == 0) {
            return s + 6;
        } else if (strncmp(s, "memdesc<", 8) == 0) {
            return s + 7;
        }
    }
    return NULL;
}

/* The first of these characters that stands in no brackets. */
static inline char *outside(char *s, const char *of) {
    for (unsigned depth = 0; *s && (depth || !strchr(of, *s)); ++s) {
        depth += strchr("<[{(", *s) ? 1u : 0u;
        depth -= depth && strchr(">]})", *s) ? 1u : 0u;
    }
    return s;
}

/* The bits of an element's type, as of f16, f8E4M3FN, i1 or a pointer; 0 if it
 * does not say them, and more than 128 if it is no type. */
static inline unsigned bits_of_type(const char *at) {
    if (*at == '!') {
        return 64;
    }
    const size_t n = strcspn(at, "0123456789,>");
    const unsigned long bits = strtoul(at + n, NULL, 10);
    return !n || bits > 128u ? 129u : bits == 1u ? 8u : (unsigned)bits;
}

/* Takes a type as tensor<64x64xf16, #name> or !ttg.memdesc<64x64xf16, #name,
 * ..> apart: blanks stay around the attribute. Returns NULL, or the place of a
 * type that is not like that. */
static inline const char *take_type(char *s, tensor_type *t) {
    char *open = type_in(s);
    char *at = open ? open + 1 : s;
    memset(t, 0, sizeof *t);
    if (!open) {
        return NULL;
    }
    while (t->rank < 16u && *at >= '0' && *at <= '9') {
        t->sizes[t->rank++] = (unsigned)strtoul(at, &at, 10);
        at += *at == 'x';
    }
    t->bits = bits_of_type(at);
    char *comma = outside(at, ",>");
    char *end = *comma ? outside(comma + 1, ",>") : comma;
    char *close = outside(end, ">");
    if (!t->rank || t->bits > 128u || !*close || *comma != ',') {
        return open;
    }
    while (open > s && !strchr(" \t\n(", open[-1])) {
        --open;
    }
    memset(open, ' ', (size_t)(comma + 1 - open));
    memset(end, ' ', (size_t)(close + 1 - end));
    return NULL;
}

#endif
