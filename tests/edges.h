/* edges.h - layouts of 32 bits and sixteen dimensions a side.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_EDGES_H
#define TEST_EDGES_H

#include "definition.h"

#define LOW "register lane warp block a b c d"
#define HIGH "e f g h A B C D"
#define FAST "x w v u t s r q"
#define SLOW "p o n m l k j i"
static const char *const places = LOW " " HIGH;
static const char *const axes = FAST " " SLOW;

/* Ways in which 32 bits stand in sixteen dimensions. Behind the last bit there
 * may be dimensions of size 1. */
static const unsigned short ways[6][16] = {
    {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    {5, 5, 5, 5, 5, 5, 2},
    {32},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32},
    {31, 1},
    {0, 1, 0, 30, 0, 0, 0, 0, 0, 0, 1}};

TEST_FN ll_shape full(const char *names, unsigned way) {
    ll_shape s = ll_shape_of(names);
    for (unsigned k = 0; k < 16u; ++k) {
        s.bits[k] = ways[way][k];
    }
    return s;
}

TEST_FN unsigned low_ones(unsigned n) {
    return n < 32u ? (1u << n) - 1u : ~0u;
}

/* The coordinate of a word along dimension number k, by definition. */
TEST_FN unsigned along(const ll_shape *s, unsigned k, unsigned word) {
    unsigned long long rest = word;
    for (unsigned m = 0; m < k; ++m) {
        rest >>= s->bits[m];
    }
    return (unsigned)rest & low_ones(s->bits[k]);
}

static unsigned number_of(const ll_shape *s, ll_dim d) {
    unsigned k = 0;
    while (k < s->n && s->dim[k] != d) {
        ++k;
    }
    return k;
}

/* The word of `to` with the coordinates that x has in `from`. */
TEST_FN unsigned repacked(const ll_shape *from, const ll_shape *to,
                          unsigned x) {
    unsigned long long y = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < to->n; ++k) {
        const unsigned m = number_of(from, to->dim[k]);
        const unsigned long long c = m < from->n ? along(from, m, x) : 0u;
        y |= (c & low_ones(to->bits[k])) << at;
        at += to->bits[k];
    }
    return (unsigned)y;
}

#endif
