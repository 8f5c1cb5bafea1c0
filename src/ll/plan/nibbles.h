/* ---- Elements of 4 bits ----------------------------------------------- */
#ifndef LL_PLAN_NIBBLES_H
#define LL_PLAN_NIBBLES_H

#include "../layout/solve.h"
#include "../layout/spans.h"

/* Two elements of 4 bits share a byte, in registers and in memory. The element
 * with the lower number is in the low half. Plans for them move bytes. If both
 * sides hold elements e and e ^ u in registers, for a vector u of the tensor,
 * each byte is such a pair, and the plan is for the tensor without u. If u is
 * the column of a register bit other than 0, swapping nibbles within the lane
 * moves it to bit 0. Without such a u, or if another column has a component
 * along it, the elements move apart, one in the low half of each byte. */

/* How the nibbles of a lane are rearranged before or after the steps of a plan.
 * Any other number k up to 31 swaps register bits 0 and k. */
enum { LL_STAY = 0, LL_APART = LL_MAX_BITS };

/* How the elements of 4 bits of two sides are paired to bytes. */
typedef struct ll_pairs_ {
    unsigned u;      /* XOR of the two elements of a byte; 0: apart */
    unsigned before; /* of the source: LL_STAY, a register bit, LL_APART */
    unsigned after;  /* of the result */
} ll_pairs_;

/* Private: returns the instructions per word to swap register bits 0 and k.
 * Within a word these are two shifts and two bitwise selects. Two words that
 * exchange nibbles take these four together. */
LL_FN unsigned ll_nibble_cost_(unsigned k) {
    return k == 0 ? 0u : k < 3u ? 4u : 2u;
}

/* Private: adds the columns of c but column k, and its offset from `offset`. */
LL_FN void ll_span_add_others_(ll_span_ *l, const ll_layout *c, unsigned k,
                               unsigned offset) {
    ll_span_ columns = ll_span_of_columns_(c, 0, ll_shape_bits_(&c->in));
    ll_span_ rest = LL_ZERO;
    columns.v[k] = columns.n ? 0u : columns.v[k];
    ll_span_push_(&rest, c->offset ^ offset);
    ll_span_append_(l, &columns, LL_MAX_BITS);
    ll_span_append_(l, &rest, LL_MAX_BITS);
}

/* Private: returns 1 if u is not 0 and lies outside the span of the others.
 * Every byte is then a pair, always in the same order. */
LL_FN int ll_is_pair_(unsigned u, const ll_span_ *others) {
    ll_span_ one = LL_ZERO;
    ll_span_push_(&one, u);
    return u && ll_in_span_(&one, others) == 0;
}

/* Private: returns the cheapest way to pair elements of a and b, which have
 * their registers first. A tie goes to the lowest registers. If `only` is not
 * 0, pairs differ in that vector. */
LL_FN ll_pairs_ ll_pairs_of_(const ll_layout *a, const ll_layout *b,
                             unsigned only) {
    ll_pairs_ best = {0, a->in.bits[0] ? (unsigned)LL_APART : 0u,
                      b->in.bits[0] ? (unsigned)LL_APART : 0u};
    unsigned cost = ~0u;
    for (unsigned k = 0; k < a->in.bits[0]; ++k) {
        for (unsigned m = 0; m < b->in.bits[0]; ++m) {
            const unsigned c = ll_nibble_cost_(k) + ll_nibble_cost_(m);
            ll_span_ others = LL_ZERO;
            if (c >= cost || a->basis[k] != b->basis[m] ||
                (only && a->basis[k] != only)) {
                continue;
            }
            ll_span_add_others_(&others, a, k, a->offset);
            ll_span_add_others_(&others, b, m, a->offset);
            if (ll_is_pair_(a->basis[k], &others)) {
                best.u = a->basis[k];
                best.before = k;
                best.after = m;
                cost = c;
            }
        }
    }
    return best;
}

/* Private: returns y in the tensor without u: clears the lowest bit of u in y
 * by an XOR with u, and removes this bit. */
LL_FN unsigned ll_modulo_(unsigned y, unsigned u) {
    const unsigned low = u & (0u - u);
    const unsigned z = y & low ? y ^ u : y;
    return (z & (low - 1u)) | (z >> 1 & ~(low - 1u));
}

/* Private: returns the layout of the pairs that differ in u: swaps register (or
 * offset) bits k and 0, then removes bit 0 and u. */
LL_FN ll_layout ll_nibbles_paired_(const ll_layout *a, unsigned k, unsigned u) {
    const unsigned n = ll_shape_bits_(&a->in);
    ll_layout p = *a;
    unsigned d = 0;
    while (ll_shift_down_(u & (0u - u), ll_shape_start_(&a->out, d + 1u))) {
        ++d;
    }
    --p.out.bits[d];
    p.basis[k] = a->basis[0];
    for (unsigned c = 0; c < n; ++c) {
        p.basis[c] = c + 1u < n ? ll_modulo_(p.basis[c + 1u], u) : 0u;
    }
    p.offset = ll_modulo_(a->offset, u);
    --p.in.bits[0];
    return p;
}

/* Private: returns the layout of elements of 4 bits that lie apart: the lowest
 * register bit, which selects the half of a byte, moves to the top. */
LL_FN ll_layout ll_nibbles_apart_(ll_layout a) {
    const unsigned n = a.in.bits[0];
    const unsigned half = a.basis[0];
    for (unsigned k = 0; k + 1u < n; ++k) {
        a.basis[k] = a.basis[k + 1u];
    }
    if (n) {
        a.basis[n - 1u] = half;
    }
    return a;
}

/* Private: turns memory m of the pairs of a into memory of elements of 4 bits.
 * a must hold every element of the other side. Offset bit 0 has the column u.
 * Every other column stands for two vectors that differ in u; the result takes
 * the vector in `space`, which contains the other columns of a but not u. */
LL_FN ll_layout ll_nibbles_unpaired_(const ll_layout *m, const ll_layout *a,
                                     ll_pairs_ p) {
    const unsigned below = (p.u & (0u - p.u)) - 1u;
    const unsigned n = m->in.bits[0] + 1u;
    ll_layout x = *m;
    ll_span_ space = LL_ZERO;
    x.out = a->out;
    ll_span_add_others_(&space, a, p.before, a->offset);
    for (unsigned k = 0; k < ll_shape_bits_(&x.out); ++k) {
        const ll_span_ unit = ll_span_units_(k, k + 1u);
        ll_span_ more = space;
        ll_span_append_(&more, &unit, LL_MAX_BITS);
        space = ll_is_pair_(p.u, &more) ? more : space;
    }
    for (unsigned k = n; k > 0; --k) {
        const unsigned y = k == n ? m->offset : m->basis[k - 1u];
        const unsigned from = k == n ? a->offset : 0u;
        const unsigned z = (y & below) | ll_shift_(y & ~below, 1);
        ll_span_ one = LL_ZERO;
        ll_span_push_(&one, z ^ from);
        *ll_solve_answer_(&x, k, n) = ll_in_span_(&one, &space) ? z : z ^ p.u;
    }
    x.basis[0] = p.u;
    x.in.bits[0] = (unsigned short)n;
    return x;
}

#endif
