/* search_spans.h - sets, lists and spans of vectors, for the memory search.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_SEARCH_SPANS_H
#define TEST_SEARCH_SPANS_H

#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* Places for 2^regs registers of random lanes: bits in a random order, or sums
 * of them. */
TEST_FN ll_layout sums_of_places(unsigned regs, unsigned lanes, int sums) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(in, LL_LANE, 1u << lanes);
    ll_layout x = ll_zero(in, ll_with(ll_shape_of(""), LL_OFFSET,
                                      1u << (regs + lanes)));
    for (unsigned k = 0; k < regs + lanes; ++k) {
        const unsigned m = test_random(k + 1u);
        x.basis[k] = x.basis[m];
        x.basis[m] = 1u << k;
    }
    for (unsigned k = 0; sums && k < 4u; ++k) {
        const unsigned from = test_random(regs + lanes);
        const unsigned to = test_random(regs + lanes);
        x.basis[to] ^= from != to ? x.basis[from] : 0u;
    }
    return x;
}

/* All sums of n vectors of at most 8 bits, as a set. */
TEST_FN void sums_of(const unsigned *v, unsigned n, unsigned char *set) {
    unsigned sums[256] = LL_ZERO, count = 1;
    memset(set, 0, 256);
    set[0] = 1;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned before = count;
        for (unsigned x = 0; !set[v[k]] && x < before; ++x) {
            sums[count++] = sums[x] ^ v[k];
        }
        for (unsigned x = before; x < count; ++x) {
            set[sums[x]] = 1;
        }
    }
}

TEST_FN ll_layout random_nibbles(unsigned regs, unsigned lanes, unsigned dims,
                                 const ll_layout *like) {
    ll_shape out = ll_with(ll_shape_of(""), LL_J, 1u << dims);
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1);
    ll_layout a = ll_zero(in, ll_with(out, LL_I, 1u << (8u - dims)));
    for (unsigned k = 0; k < regs + lanes; ++k) {
        a.basis[k] = 1u << test_random(8) | test_random(2) << test_random(8);
        if (k < regs && like && test_random(3)) {
            a.basis[k] = like->basis[test_random(like->in.bits[0] + 1u)];
        }
    }
    a.offset = test_random(3) ? 0u : test_random(256);
    return a;
}

TEST_FN unsigned size_of_set(const unsigned char *set) {
    unsigned n = 0;
    for (unsigned x = 0; x < 256u; ++x) {
        n += set[x];
    }
    return n;
}

TEST_FN void span_of_list(const ll_span_ *l, unsigned char *set) {
    sums_of(l->v, l->n, set);
}

/* Appends v to a list of independent vectors if it is not one of their sums. */
TEST_FN void append_new(ll_span_ *l, unsigned v) {
    unsigned char set[256];
    span_of_list(l, set);
    if (!set[v]) {
        l->v[l->n++] = v;
    }
}

TEST_FN int is_list(const ll_span_ *a, const ll_span_ *b, unsigned n) {
    int same = a->n >= n && b->n >= n;
    for (unsigned k = 0; same && k < n; ++k) {
        same = a->v[k] == b->v[k];
    }
    return same;
}

TEST_FN ll_span_ random_vectors(unsigned most, int independent) {
    ll_span_ l = LL_ZERO;
    for (unsigned n = test_random(most + 1u); n > 0; --n) {
        const unsigned v = test_random(2) ? 1u << test_random(8)
                                          : test_random(256);
        if (independent) {
            append_new(&l, v);
        } else {
            l.v[l.n++] = v;
        }
    }
    return l;
}

TEST_FN ll_span_ columns_of(const ll_layout *a, unsigned from, unsigned to) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        l.v[l.n++] = a->basis[k];
    }
    return l;
}

#endif
