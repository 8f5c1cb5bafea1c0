/* algebra.h - small layouts, all of them, for the tests of the algebra.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ALGEBRA_H
#define TEST_ALGEBRA_H

#include "definition.h"

/* The size of a space of n bits; n < 32. */
static unsigned count_of(const ll_shape *s) { return 1u << bits_in(s); }

static unsigned weight(unsigned x) {
    unsigned n = 0;
    for (; x; x >>= 1) {
        n += x & 1u;
    }
    return n;
}

/* The coordinate of a packed word along a dimension, by definition. */
static unsigned coordinate(const ll_shape *s, ll_dim d, unsigned word) {
    unsigned long long rest = word;
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return (unsigned)(rest & ((1ull << s->bits[k]) - 1u));
        }
        rest >>= s->bits[k];
    }
    return 0;
}

/* The word of `to` that has the same coordinates as x has in `from`. */
static unsigned repacked(const ll_shape *from, const ll_shape *to,
                         unsigned x) {
    unsigned long long y = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < to->n; ++k) {
        unsigned long long c = coordinate(from, to->dim[k], x);
        y |= (c & ((1ull << to->bits[k]) - 1u)) << at;
        at += to->bits[k];
    }
    return (unsigned)y;
}

static int hits(const ll_layout *a, unsigned y) {
    int hit = 0;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        hit |= value(a, x) == y;
    }
    return hit;
}

/* Ways to split bits among at most three dimensions; 0 stands for none. */
static const unsigned splits[3][6][3] = {
    {{2, 0, 0}, {1, 1, 0}, {0, 1, 1}, {0, 2, 0}, {1, 0, 1}, {0, 0, 2}},
    {{3, 0, 0}, {1, 2, 0}, {0, 2, 1}, {1, 1, 1}, {0, 3, 0}, {1, 0, 2}},
    {{4, 0, 0}, {1, 3, 0}, {3, 0, 1}, {2, 2, 0}, {1, 2, 1}, {0, 2, 2}}};

static ll_shape split(unsigned bits, unsigned way, const char *names) {
    const ll_shape all = ll_shape_of(names);
    ll_shape s = LL_ZERO;
    for (unsigned k = 0; k < 3u; ++k) {
        unsigned n = splits[bits - 2u][way][k];
        s = n ? ll_with(s, all.dim[k], 1u << n) : s;
    }
    return s;
}

static const char *const hardware = "register lane warp";
static const char *const tensor = "k j i";

/* The matrix of a code, its columns one after another. */
static ll_layout matrix(unsigned code, unsigned cols, unsigned rows,
                        unsigned way) {
    ll_layout a = ll_zero(split(cols, way % 6u, hardware),
                          split(rows, way / 6u % 6u, tensor));
    for (unsigned k = 0; k < cols; ++k) {
        a.basis[k] = code >> (k * rows) & ((1u << rows) - 1u);
    }
    return a;
}

typedef void (*each_fn)(ll_layout a);

/* Every distributed layout of four input bits, split in every way. */
static void each_distributed(each_fn fn) {
    for (unsigned code = 0; code < 625u; ++code) {
        unsigned rest = code;
        unsigned seen = 0;
        int ok = 1;
        ll_layout a = LL_ZERO;
        for (unsigned k = 0; k < 4u; ++k, rest /= 5u) {
            a.basis[k] = rest % 5u ? 1u << (rest % 5u - 1u) : 0u;
            ok = ok && !(seen & a.basis[k]);
            seen |= a.basis[k];
        }
        unsigned rows = weight(seen);
        if (!ok || seen != (1u << rows) - 1u || rows < 2u) {
            continue;
        }
        for (unsigned way = 0; way < 36u; ++way) {
            a.in = split(4, way % 6u, hardware);
            a.out = split(rows, way / 6u, tensor);
            CHECK(ll_is_distributed(a));
            fn(a);
        }
    }
}

/* The least weight among the x with a(x) = y, over the linear part. */
static unsigned lightest(const ll_layout *a, unsigned y) {
    unsigned best = 99;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        unsigned w = weight(x);
        best = (value(a, x) ^ a->offset) == y && w < best ? w : best;
    }
    return best;
}

#endif
