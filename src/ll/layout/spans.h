/* ---- Spans ------------------------------------------------------------ */
#ifndef LL_LAYOUT_SPANS_H
#define LL_LAYOUT_SPANS_H

#include "eliminate.h"

/* A span is a list of vectors that stands for the subspace they generate. The
 * planner asks for the vectors that two subspaces share, and for the part of
 * one subspace outside another. One elimination answers either. */

typedef struct ll_span_ {
    unsigned n;
    unsigned v[LL_MAX_BITS];
} ll_span_;

/* Private: appends a vector to a list that is not full. */
LL_FN void ll_span_push_(ll_span_ *l, unsigned v) {
    if (l->n < LL_MAX_BITS) {
        l->v[l->n] = v;
        ++l->n;
    }
}

/* Private: loads the vectors of a list as rows that are their own mixes. */
LL_FN void ll_load_span_(ll_echelon_ *r, const ll_span_ *l) {
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(r, l->v[k], l->v[k]);
    }
}

/* Private: reduces v by a list that only this function extends, appends the
 * rest if it is not 0, and returns it: 0 if v lies in their span. The highest
 * bit of each vector is 0 in all later vectors. An XOR with the vector
 * therefore clears this bit of v exactly if it makes v smaller. */
LL_FN unsigned ll_span_extend_(ll_span_ *reduced, unsigned v) {
    for (unsigned k = 0; k < reduced->n; ++k) {
        v = (v ^ reduced->v[k]) < v ? v ^ reduced->v[k] : v;
    }
    if (v) {
        ll_span_push_(reduced, v);
    }
    return v;
}

/* Private: returns the vectors of a list with images that are independent of
 * `have` and of the images before them. */
LL_FN ll_span_ ll_span_fresh_(const ll_span_ *have, const ll_span_ *l,
                              const ll_span_ *image) {
    ll_span_ reduced = LL_ZERO;
    ll_span_ fresh = LL_ZERO;
    for (unsigned k = 0; k < have->n; ++k) {
        ll_span_extend_(&reduced, have->v[k]);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        if (ll_span_extend_(&reduced, image->v[k])) {
            ll_span_push_(&fresh, l->v[k]);
        }
    }
    return fresh;
}

/* Private: returns the vectors of `more` that are independent of `have` and of
 * the vectors before them in `more`. */
LL_FN ll_span_ ll_span_independent_(const ll_span_ *have,
                                    const ll_span_ *more) {
    return ll_span_fresh_(have, more, more);
}

/* Private: appends vectors of `from` outside the list's span, up to n. */
LL_FN void ll_span_append_(ll_span_ *l, const ll_span_ *from, unsigned n) {
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < l->n && l->n < n; ++k) {
        ll_span_extend_(&reduced, l->v[k]);
    }
    for (unsigned k = 0; k < from->n && l->n < n; ++k) {
        if (ll_span_extend_(&reduced, from->v[k])) {
            ll_span_push_(l, from->v[k]);
        }
    }
}

/* Private: returns a basis of the spans' intersection, in the order of a. If a
 * vector of a depends on b and earlier ones, its part from b is in both. */
LL_FN ll_span_ ll_span_intersect_(const ll_span_ *a, const ll_span_ *b) {
    const ll_span_ none = LL_ZERO;
    ll_span_ l = LL_ZERO;
    ll_echelon_ r = LL_ZERO;
    ll_load_span_(&r, b);
    for (unsigned k = 0; k < a->n; ++k) {
        ll_echelon_load_(&r, a->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    for (unsigned k = b->n; k < r.n; ++k) {
        if (ll_echelon_vector_(&r, k) == 0) {
            ll_span_push_(&l, ll_echelon_mix_(&r, k));
        }
    }
    return ll_span_independent_(&none, &l);
}

/* Private: returns columns from..to-1 of a layout. */
LL_FN ll_span_ ll_span_of_columns_(const ll_layout *a, unsigned from,
                                   unsigned to) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        ll_span_push_(&l, a->basis[k]);
    }
    return l;
}

/* Private: removes components along the first n vectors of the basis. */
LL_FN void ll_span_project_low_(ll_span_ *l, const ll_span_ *basis,
                                unsigned n) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < basis->n; ++k) {
        ll_echelon_load_(&r, basis->v[k], k < n ? basis->v[k] : 0u);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(&r, l->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, basis->n);
    for (unsigned k = 0; k < l->n; ++k) {
        l->v[k] ^= ll_echelon_mix_(&r, basis->n + k);
    }
}

/* Private: returns the number of leading vectors of l in the span of b. */
LL_FN unsigned ll_in_span_(const ll_span_ *l, const ll_span_ *b) {
    ll_echelon_ r = LL_ZERO;
    unsigned n = 0;
    ll_load_span_(&r, b);
    ll_load_span_(&r, l);
    ll_echelon_eliminate_(&r, 0, b->n);
    while (n < l->n && ll_echelon_vector_(&r, b->n + n) == 0) {
        ++n;
    }
    return n;
}

/* Private: returns the coordinates of each vector in a basis: bit k is set if
 * vector k of the basis is part of the sum. */
LL_FN ll_span_ ll_span_terms_(const ll_span_ *basis, const ll_span_ *l) {
    ll_echelon_ r = LL_ZERO;
    ll_span_ terms = LL_ZERO;
    for (unsigned k = 0; k < basis->n; ++k) {
        ll_echelon_load_(&r, basis->v[k], 1u << k);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(&r, l->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, basis->n);
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&terms, ll_echelon_mix_(&r, basis->n + k));
    }
    return terms;
}

/* Private: returns the OR of the vectors. */
LL_FN unsigned ll_span_or_(const ll_span_ *l) {
    unsigned any = 0;
    for (unsigned k = 0; k < l->n; ++k) {
        any |= l->v[k];
    }
    return any;
}

/* Private: returns XORs of vectors l->v[k] whose XOR of image->v[k] is 0. */
LL_FN ll_span_ ll_span_nullspace_(const ll_span_ *l, const ll_span_ *image) {
    ll_echelon_ r = LL_ZERO;
    ll_span_ zero = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(&r, image->v[k], l->v[k]);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    for (unsigned k = 0; k < r.n; ++k) {
        if (ll_echelon_vector_(&r, k) == 0) {
            ll_span_push_(&zero, ll_echelon_mix_(&r, k));
        }
    }
    return zero;
}

/* Private: returns the unit vectors of bits from..to-1. */
LL_FN ll_span_ ll_span_units_(unsigned from, unsigned to) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        ll_span_push_(&l, 1u << k);
    }
    return l;
}

/* Private: removes components in span s, completed by unit vectors. */
LL_FN void ll_span_project_(ll_span_ *l, const ll_span_ *s) {
    const ll_span_ all = ll_span_units_(0, LL_MAX_BITS);
    ll_span_ basis = *s;
    ll_span_append_(&basis, &all, LL_MAX_BITS);
    ll_span_project_low_(l, &basis, s->n);
}

#endif
