/* definition.h - what a layout is, by its definition and by nothing of ll.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef DEFINITION_H
#define DEFINITION_H

#include "test.h"

#include "../ll.h"

/* The value of a layout at a packed input, by its definition. */
TEST_FN unsigned value(const ll_layout *a, unsigned x) {
    unsigned y = a->offset;
    for (unsigned k = 0; x; ++k, x >>= 1) {
        y ^= x & 1u ? a->basis[k] : 0u;
    }
    return y;
}

TEST_FN unsigned bits_in(const ll_shape *s) {
    unsigned n = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        n += s->bits[k];
    }
    return n;
}

/* The packed word of a shape with dimension d equal to x, by definition. */
TEST_FN unsigned placed(const ll_shape *s, ll_dim d, unsigned x) {
    unsigned at = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return x << at;
        }
        at += s->bits[k];
    }
    return 0;
}

TEST_FN unsigned held_bits(const ll_shape *s, ll_dim d) {
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return s->bits[k];
        }
    }
    return 0;
}

#endif
