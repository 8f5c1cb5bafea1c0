/* ---- Elimination ------------------------------------------------------ */
#ifndef LL_LAYOUT_ELIMINATE_H
#define LL_LAYOUT_ELIMINATE_H

#include "write.h"

/* One elimination answers every question of the algebra. Each vector is loaded
 * as a row together with its mix, a mask of the inputs that XOR to the row.
 * Elimination brings the rows to echelon form and updates the mixes. Rank,
 * inverse, solution, nullspace and intersection are then read off the rows. */

/* The solver. The low half of a row is a vector. The high half is its mix, a
 * mask of the loaded vectors that XOR to it. Elimination XORs rows into later
 * rows. Where a vector becomes 0, its mix names the vectors that cancel. */
#define LL_ECHELON_ROWS_ (3u * LL_MAX_BITS + 4u)
typedef struct ll_echelon_ {
    unsigned n;
    LL_ALIGN_(64)
    unsigned long long row[LL_ECHELON_ROWS_ + 1u]; /* last: overflow */
} ll_echelon_;

LL_FN void ll_echelon_load_(ll_echelon_ *r, unsigned vector, unsigned mix) {
    r->row[r->n] = (unsigned long long)mix << 32 | vector;
    r->n += r->n < LL_ECHELON_ROWS_ ? 1u : 0u;
}

LL_FN unsigned ll_echelon_vector_(const ll_echelon_ *r, unsigned k) {
    return (unsigned)r->row[k];
}

LL_FN unsigned ll_echelon_mix_(const ll_echelon_ *r, unsigned k) {
    return (unsigned)(r->row[k] >> 32);
}

/* Private: Gaussian elimination. Clears the pivot of each row from..to-1, in
 * order, in all later rows. Such a row is then 0 if and only if it depends on
 * earlier rows, and every row from `to` on is reduced by all of them. A mask
 * replaces a branch, because branches on random bits cost more than the work
 * they save. The loop is split at multiples of 8 so that each vector load reads
 * what a single store wrote; otherwise store forwarding stalls. (Saves a
 * quarter of ll_solve's time, 16x16.) */
LL_FN void ll_echelon_eliminate_(ll_echelon_ *r, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; ++k) {
        const unsigned long long row = r->row[k];
        const unsigned pivot = (unsigned)row & (~(unsigned)row + 1u);
        const unsigned n = pivot ? r->n : 0u;
        unsigned m = k + 1u;
        for (; m < n && m % 8u; ++m) {
            r->row[m] ^= row & (0ull - ((r->row[m] & pivot) != 0));
        }
        for (; m < n; ++m) {
            r->row[m] ^= row & (0ull - ((r->row[m] & pivot) != 0));
        }
    }
}

/* Private: eliminates the rows and returns their rank. */
LL_FN unsigned ll_echelon_rank_(ll_echelon_ *r) {
    unsigned rank = 0;
    ll_echelon_eliminate_(r, 0, r->n);
    for (unsigned k = 0; k < r->n; ++k) {
        rank += ll_echelon_vector_(r, k) ? 1u : 0u;
    }
    return rank;
}

/* Private: returns columns from..to-1 as rows; mixes are their input bits. */
LL_FN ll_echelon_ ll_echelon_of_columns_(const ll_layout *a, unsigned from,
                                         unsigned to) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        ll_echelon_load_(&r, a->basis[k], 1u << k);
    }
    return r;
}

/* Private: returns all columns of a layout as eliminated rows. */
LL_FN ll_echelon_ ll_echelon_of_(const ll_layout *a) {
    ll_echelon_ r = ll_echelon_of_columns_(a, 0, ll_shape_bits_(&a->in));
    ll_echelon_eliminate_(&r, 0, r.n);
    return r;
}

/* Private: returns the output for x without the affine part. */
LL_FN unsigned ll_layout_linear_(const ll_layout *a, unsigned x) {
    unsigned y = 0;
    for (unsigned k = 0; k < LL_MAX_BITS && x >> k; ++k) {
        y ^= a->basis[k] & (0u - (x >> k & 1u));
    }
    return y;
}

/* Private: returns 1 if both shapes pack words alike, but for size 1. */
LL_FN int ll_shape_alike_(const ll_shape *a, const ll_shape *b) {
    unsigned p = 0;
    unsigned q = 0;
    while (p < a->n || q < b->n) {
        if (p < a->n && a->bits[p] == 0) {
            ++p;
        } else if (q < b->n && b->bits[q] == 0) {
            ++q;
        } else if (p < a->n && q < b->n && a->dim[p] == b->dim[q] &&
                   a->bits[p] == b->bits[q]) {
            ++p;
            ++q;
        } else {
            return 0;
        }
    }
    return 1;
}

/* Private: returns the layout with its outputs packed as in the shape `out`. */
LL_FN ll_layout ll_layout_onto_(ll_layout a, const ll_shape *out) {
    const ll_shape from = a.out;
    if (ll_shape_alike_(&from, out)) {
        a.out = *out;
        return a;
    }
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        a.basis[k] = ll_shape_repack_(a.basis[k], &from, out);
    }
    a.offset = ll_shape_repack_(a.offset, &from, out);
    a.out = *out;
    return a;
}

/* Private: returns a valid layout with inputs packed as in the shape `in`. */
LL_FN ll_layout ll_layout_from_(ll_layout a, const ll_shape *in) {
    if (ll_shape_alike_(&a.in, in)) {
        a.in = *in;
        return a;
    }
    ll_layout b = ll_zero(*in, a.out);
    b.offset = a.offset;
    for (unsigned k = 0; k < ll_shape_bits_(in); ++k) {
        b.basis[k] =
            ll_layout_linear_(&a, ll_shape_repack_(1u << k, in, &a.in));
    }
    return b;
}

/* ll_apply(a, x): returns the packed output for the packed input x; 0 if a is
 * invalid. Bits of x above the inputs are ignored.
 * Example: ll_apply(L("lane: i0 i1 | 1: i0"), 2) is 3;
 */
LL_FN unsigned ll_apply(ll_layout a, unsigned x) {
    return a.err
               ? 0u
               : a.offset ^
                     ll_layout_linear_(&a, x & ll_ones_(ll_shape_bits_(&a.in)));
}

/* ll_is_equal(a, b): returns 1 if both are valid and equal, shapes included.
 * Example: ll_is_equal(L("lane: i0"), L("lane: i0 -> 4")) is 0;
 */
LL_FN int ll_is_equal(ll_layout a, ll_layout b) {
    int same = !a.err && !b.err && a.offset == b.offset &&
               ll_shape_same_(&a.in, &b.in) && ll_shape_same_(&a.out, &b.out);
    for (unsigned k = 0; same && k < ll_shape_bits_(&a.in); ++k) {
        same = a.basis[k] == b.basis[k];
    }
    return same;
}

#endif
