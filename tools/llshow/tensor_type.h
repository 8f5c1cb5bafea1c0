/* tensor_type.h - reads a tensor type of Triton's IR around a layout's text.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TENSOR_TYPE_H
#define LL_TENSOR_TYPE_H

#include <stdlib.h>
#include <string.h>

/* Shape and element bits. rank 0: there is no type; bits 0: it does not name
 * them. */
typedef struct tensor_type {
    unsigned rank, sizes[16], bits;
} tensor_type;

/* Returns the first `<` of tensor<..> or memdesc<..> outside comments, or
 * NULL. */
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

/* Returns the first of these characters outside brackets. */
static inline char *outside(char *s, const char *of) {
    for (unsigned depth = 0; *s && (depth || !strchr(of, *s)); ++s) {
        depth += strchr("<[{(", *s) ? 1u : 0u;
        depth -= depth && strchr(">]})", *s) ? 1u : 0u;
    }
    return s;
}

/* Returns the bits of an element type such as f16, f8E4M3FN, i1 or a pointer.
 * 0: the type does not say; more than 128: it is not a type. */
static inline unsigned bits_of_type(const char *at) {
    if (*at == '!') {
        return 64;
    }
    const size_t n = strcspn(at, "0123456789,>");
    const unsigned long bits = strtoul(at + n, NULL, 10);
    return !n || bits > 128u ? 129u : bits == 1u ? 8u : (unsigned)bits;
}

/* Splits a type such as tensor<64x64xf16, #name> or !ttg.memdesc<64x64xf16,
 * #name, ..>, leaving blanks around the attribute. Returns NULL, or the place
 * where the type is malformed. */
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
