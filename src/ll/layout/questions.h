/* ---- Questions -------------------------------------------------------- */
#ifndef LL_LAYOUT_QUESTIONS_H
#define LL_LAYOUT_QUESTIONS_H

#include "multiply.h"
#include "solve.h"

/* Questions about a layout: Do two inputs hold the same element? Is every
 * element held? Which elements are contiguous? Each answer comes from a rank or
 * a mask, never from a loop over elements. */

/* ll_is_injective(a): returns 1 if no two inputs hold the same element.
 * ll_is_surjective(a): returns 1 if every element is held. ll_is_invertible(a):
 * returns 1 if a is both. All return 0 if a is invalid.
 * Example: ll_is_injective(L("lane: i0 0")) is 0;
 * Example: ll_is_surjective(L("lane: i0 0")) is 1;
 */
LL_FN int ll_is_injective(ll_layout a) {
    return !a.err && ll_rank(a) == ll_shape_bits_(&a.in);
}

LL_FN int ll_is_surjective(ll_layout a) {
    return !a.err && ll_rank(a) == ll_shape_bits_(&a.out);
}

LL_FN int ll_is_invertible(ll_layout a) {
    return ll_is_injective(a) && ll_is_surjective(a);
}

/* ll_is_distributed(a): returns 1 if every element is held, each column has at
 * most one bit, no nonzero column occurs twice, and there is no affine part.
 * (Paper, section 4, "Distributed Layout".)
 * Example: ll_is_distributed(L("register: j0 0 | lane: i0")) is 1;
 * Example: ll_is_distributed(L("register: j0 | lane: i0^j0")) is 0;
 */
LL_FN int ll_is_distributed(ll_layout a) {
    unsigned seen = 0;
    int ok = !a.err && a.offset == 0;
    for (unsigned k = 0; ok && k < ll_shape_bits_(&a.in); ++k) {
        ok = ll_popcount_(a.basis[k]) <= 1u && !(seen & a.basis[k]);
        seen |= a.basis[k];
    }
    return ok && seen == ll_ones_(ll_shape_bits_(&a.out));
}

/* ll_is_memory(a): returns 1 if a is invertible, each column has one or two
 * bits, and there is no affine part. (Paper, section 4, "Memory Layout".)
 * Example: ll_is_memory(L("offset: j0 i0^j0")) is 1;
 */
LL_FN int ll_is_memory(ll_layout a) {
    int ok = ll_is_invertible(a) && a.offset == 0;
    for (unsigned k = 0; ok && k < ll_shape_bits_(&a.in); ++k) {
        ok = ll_popcount_(a.basis[k]) <= 2u;
    }
    return ok;
}

/* ll_free_bits(a): returns the mask of the packed input bits with columns that
 * depend on earlier columns; 0 if a is invalid. Any element that an input with
 * such a bit set holds, an input with the bit clear holds as well.
 * ll_unpack(a.in, d, mask) selects the bits of dimension d.
 * Example: ll_free_bits(L("register: j0 0 | lane: i0 | warp: i0")) is 10;
 */
LL_FN unsigned ll_free_bits(ll_layout a) {
    const ll_echelon_ r = ll_echelon_of_(&a);
    unsigned free_bits = 0;
    for (unsigned k = 0; !a.err && k < r.n; ++k) {
        free_bits |= ll_echelon_vector_(&r, k) ? 0u : 1u << k;
    }
    return free_bits;
}

/* ll_reaches(a, y): returns 1 if some input holds the packed output y.
 * Example: ll_reaches(L("lane: i0^i1"), 3) is 1;
 * Example: ll_reaches(L("lane: i0^i1"), 1) is 0;
 */
LL_FN int ll_reaches(ll_layout a, unsigned y) {
    ll_echelon_ r = ll_echelon_of_columns_(&a, 0, ll_shape_bits_(&a.in));
    const unsigned n = r.n;
    ll_echelon_load_(&r, y ^ a.offset, 0);
    ll_echelon_eliminate_(&r, 0, n);
    return !a.err && ll_echelon_vector_(&r, n) == 0;
}

/* ll_contiguous(a, d): returns the number of elements along output d, from 0
 * on, that the first input dimension holds in order: the size of the largest
 * identity that ll_div removes from a. Returns 0 if a is invalid.
 * Example: ll_contiguous(L("register: j0 j1 i0 | lane: j2"), LL_J) is 4;
 */
LL_FN unsigned ll_contiguous(ll_layout a, ll_dim d) {
    unsigned best = 1;
    const ll_shape none = LL_ZERO;
    ll_dim first = a.in.n ? a.in.dim[0] : 0;
    for (unsigned bits = 1; bits < 32u; ++bits) {
        ll_layout t = ll_identity(1u << bits, first, d);
        t = a.in.n ? t : ll_zero(none, none);
        best = ll_div(a, t).err || !a.in.n ? best : 1u << bits;
    }
    return a.err ? 0u : best;
}

/* ll_along(a, d): returns the largest 2^n such that output d takes every value
 * from 0 to 2^n - 1 (XORed with the affine part); the other outputs do not
 * matter. Returns 0 for 2^32 and for an invalid layout.
 * Example: ll_along(L("lane: i0^j0 i1 -> 8x2"), LL_I) is 4;
 */
LL_FN unsigned ll_along(ll_layout a, ll_dim d) {
    const unsigned at = ll_shape_find_(&a.out, d);
    const unsigned bits = at < a.out.n ? a.out.bits[at] : 0u;
    ll_echelon_ r = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = 0; bits && k < ll_shape_bits_(&a.in); ++k) {
        ll_echelon_load_(&r, ll_shape_field_(&a.out, at, a.basis[k]), 1u << k);
    }
    const unsigned cols = r.n;
    for (unsigned k = 0; k < bits; ++k) {
        ll_echelon_load_(&r, 1u << k, 0);
    }
    ll_echelon_eliminate_(&r, 0, cols);
    while (!a.err && n < bits && ll_echelon_vector_(&r, cols + n) == 0) {
        ++n;
    }
    return a.err ? 0u : ll_shift_(1u, n);
}

/* Private: returns the packed bits of the listed dimensions that s has. */
LL_FN unsigned ll_shape_bits_of_(const ll_shape *s, const ll_shape *list) {
    unsigned bits = 0;
    for (unsigned k = 0; k < list->n; ++k) {
        unsigned at = ll_shape_find_(s, list->dim[k]);
        bits |= at < s->n ? ll_shift_(ll_ones_(s->bits[at]),
                                      ll_shape_start_(s, at))
                          : 0u;
    }
    return bits;
}

/* ll_is_trivial(a, list): returns 1 if a is the identity on the listed
 * dimensions, they reach no other output, and no other input reaches them. A
 * conversion with such a map moves nothing across these dimensions. Returns 0
 * if either side of a lacks one of them.
 * Example: ll_is_trivial(L("lane: lane1 lane0 | warp: warp0"), "warp") is 1;
 * Example: ll_is_trivial(L("lane: lane1 lane0 | warp: warp0"), "lane") is 0;
 */
LL_FN int ll_is_trivial(ll_layout a, const char *list) {
    const ll_shape l = ll_shape_of(list);
    const unsigned in = ll_shape_bits_of_(&a.in, &l);
    const unsigned out = ll_shape_bits_of_(&a.out, &l);
    int ok = !a.err && !l.err && (a.offset & out) == 0;
    for (unsigned k = 0; k < l.n; ++k) {
        unsigned p = ll_shape_find_(&a.in, l.dim[k]);
        unsigned q = ll_shape_find_(&a.out, l.dim[k]);
        ok = ok && p < a.in.n && q < a.out.n && a.in.bits[p] == a.out.bits[q];
    }
    for (unsigned k = 0; ok && k < ll_shape_bits_(&a.in); ++k) {
        ok = in >> k & 1u
                 ? a.basis[k] == ll_shape_repack_(1u << k, &a.in, &a.out)
                 : (a.basis[k] & out) == 0;
    }
    return ok;
}

/* Private: returns the shape without the listed dimensions. */
LL_FN ll_shape ll_shape_without_(const ll_shape *s, const ll_shape *list) {
    ll_shape t = LL_ZERO;
    for (unsigned k = 0; k < s->n; ++k) {
        if (ll_shape_find_(list, s->dim[k]) == list->n) {
            t.dim[t.n] = s->dim[k];
            t.bits[t.n] = s->bits[k];
            ++t.n;
        }
    }
    return t;
}

/* ll_quotient(a, list): returns a without the listed dimensions, on which it
 * must be trivial. Fails with LL_ENOTTRIVIAL.
 * Example: ll_quotient(L("lane: lane1 lane0 | warp: warp0"), "warp") is
 *          L("lane: lane1 lane0");
 */
LL_FN ll_layout ll_quotient(ll_layout a, const char *list) {
    const ll_shape l = ll_shape_of(list);
    const ll_shape in = ll_shape_without_(&a.in, &l);
    const ll_shape out = ll_shape_without_(&a.out, &l);
    if (a.err || !ll_is_trivial(a, list)) {
        return ll_layout_bad_(a, list ? LL_ENOTTRIVIAL : LL_ENULL);
    }
    return ll_layout_onto_(ll_layout_from_(a, &in), &out);
}

/* Private: a dimension in which two shapes differ. */
typedef struct ll_difference_ {
    ll_dim dim;       /* 0 for none */
    unsigned size[2]; /* in each shape; 0 if the shape lacks it */
} ll_difference_;

/* Private: returns the slowest dimension that one of two shapes lacks, or that
 * is larger in b than in a; with `equal`, also if it is smaller. */
LL_FN ll_difference_ ll_difference_of_(ll_shape a, ll_shape b, int equal) {
    ll_difference_ d = LL_ZERO;
    for (unsigned k = 0; k < a.n + b.n; ++k) {
        const ll_dim dim = k < a.n ? a.dim[k] : b.dim[k - a.n];
        const unsigned p = ll_shape_find_(&a, dim);
        const unsigned q = ll_shape_find_(&b, dim);
        const int fits = p < a.n && q < b.n &&
                         (equal ? b.bits[q] == a.bits[p]
                                : b.bits[q] <= a.bits[p]);
        if (!fits && (!d.dim || ll_dim_usual_(dim) < ll_dim_usual_(d.dim))) {
            d.dim = dim;
            d.size[0] = p < a.n ? ll_shift_(1u, a.bits[p]) : 0u;
            d.size[1] = q < b.n ? ll_shift_(1u, b.bits[q]) : 0u;
        }
    }
    return d;
}

#endif
