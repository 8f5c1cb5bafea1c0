/* ---- Equations and inverses ------------------------------------------- */
#ifndef LL_LAYOUT_SOLVE_H
#define LL_LAYOUT_SOLVE_H

#include "eliminate.h"

/* One elimination solves b x = a, as in ll_solve(b, a). Inverses are solutions;
 * nullspaces and images come from the same elimination. */

/* Which preimage ll_solve chooses if there are several. */
enum {
    LL_FIRST, /* use the first independent columns only */
    LL_LIGHT, /* the fewest bits */
    LL_LOCAL  /* same lane if possible, else warp, else block; then LL_LIGHT */
};

/* Private: inputs that map to 0 and can make a preimage lighter. Inputs with a
 * zero column of their own cannot and are left out. */
typedef struct ll_relations_ {
    unsigned n;
    unsigned mix[LL_MAX_BITS];
} ll_relations_;

LL_FN void ll_relations_find_(ll_relations_ *r, const ll_echelon_ *rows,
                              const ll_layout *b, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; ++k) {
        if (ll_echelon_vector_(rows, k) == 0 && b->basis[k]) {
            r->mix[r->n] = ll_echelon_mix_(rows, k);
            ++r->n;
        }
    }
}

/* Private: returns an XOR of x and relations that has few bits. Up to ten
 * relations: tries all XORs, in Gray code order. More: adds them greedily. */
LL_FN unsigned ll_relations_lighten_(const ll_relations_ *r, unsigned x) {
    unsigned best = x;
    if (r->n <= 10u) {
        for (unsigned g = 1; g < 1u << r->n; ++g) {
            unsigned flip = 0;
            while (!(g >> flip & 1u)) {
                ++flip;
            }
            x ^= r->mix[flip];
            best = ll_popcount_(x) < ll_popcount_(best) ? x : best;
        }
        return best;
    }
    for (unsigned again = 1; again;) {
        again = 0;
        for (unsigned k = 0; k < r->n; ++k) {
            if (ll_popcount_(best ^ r->mix[k]) < ll_popcount_(best)) {
                best ^= r->mix[k];
                again = 1;
            }
        }
    }
    return best;
}

/* Private: ll_wanted_ returns column k of the n columns to solve for; for k =
 * n, the affine part. ll_solve_answer_ returns where its preimage is stored. */
LL_FN unsigned ll_wanted_(const ll_layout *b, const ll_layout *a, unsigned k,
                          unsigned n) {
    return k < n ? a->basis[k] : a->offset ^ b->offset;
}

LL_FN unsigned *ll_solve_answer_(ll_layout *x, unsigned k, unsigned n) {
    return k < n ? &x->basis[k] : &x->offset;
}

/* Private: solves for the columns and the offset of a under b, close to home:
 * each preimage differs from its bit's own place only in the fewest possible
 * leading dimensions of b. The bit stays set if it lies beyond them; their
 * columns supply the rest. Returns 0 if every column has a preimage. */
LL_FN unsigned ll_solve_near_(const ll_layout *b, const ll_layout *a,
                              ll_layout *x) {
    ll_echelon_ r = ll_echelon_of_columns_(b, 0, ll_shape_bits_(&b->in));
    ll_relations_ light = LL_ZERO;
    const unsigned cols = r.n;
    const unsigned n = ll_shape_bits_(&a->in);
    const int alike = ll_shape_alike_(&a->in, &b->in);
    unsigned home[LL_MAX_BITS + 1u] = LL_ZERO; /* each bit's own place in b */
    unsigned long long open = ((unsigned long long)1 << (n + 1u)) - 1u;
    unsigned reached = 0;
    for (unsigned k = 0; k <= n; ++k) {
        unsigned y = ll_wanted_(b, a, k, n);
        if (k < n) { /* the affine part has no place */
            home[k] =
                alike ? 1u << k : ll_shape_repack_(1u << k, &a->in, &b->in);
        }
        ll_echelon_load_(&r, y, 0);
        ll_echelon_load_(&r, y ^ ll_layout_linear_(b, home[k]), home[k]);
    }
    for (unsigned d = 0; d == 0 || d < b->in.n; ++d) {
        unsigned to = reached + (d < b->in.n ? b->in.bits[d] : 0u);
        ll_echelon_eliminate_(&r, reached, to);
        ll_relations_find_(&light, &r, b, reached, to);
        reached = to;
        for (unsigned k = 0; k <= n; ++k) {
            unsigned keep = home[k] & ~ll_ones_(reached);
            unsigned at = cols + 2u * k + (keep ? 1u : 0u);
            if ((open >> k & 1u) && ll_echelon_vector_(&r, at) == 0) {
                *ll_solve_answer_(x, k, n) =
                    ll_relations_lighten_(&light, ll_echelon_mix_(&r, at));
                open &= ~((unsigned long long)1 << k);
            }
        }
    }
    return open ? 1u : 0u;
}

/* Private: solves for any place. Returns 0 if every column has a preimage. */
LL_FN unsigned ll_solve_any_(const ll_layout *b, const ll_layout *a, int light,
                             ll_layout *x) {
    ll_echelon_ r = ll_echelon_of_columns_(b, 0, ll_shape_bits_(&b->in));
    ll_relations_ zero = LL_ZERO;
    const unsigned cols = r.n;
    const unsigned n = ll_shape_bits_(&a->in);
    const unsigned wanted = n + (a->offset == b->offset ? 0u : 1u);
    unsigned left = 0;
    for (unsigned k = 0; k < wanted; ++k) {
        ll_echelon_load_(&r, ll_wanted_(b, a, k, n), 0);
    }
    ll_echelon_eliminate_(&r, 0, cols);
    if (light) {
        ll_relations_find_(&zero, &r, b, 0, cols);
    }
    for (unsigned k = 0; k < wanted; ++k) {
        const unsigned mix = ll_echelon_mix_(&r, cols + k);
        *ll_solve_answer_(x, k, n) =
            light ? ll_relations_lighten_(&zero, mix) : mix;
        left |= ll_echelon_vector_(&r, cols + k);
    }
    return left;
}

/* ll_solve(b, a, policy): returns an x with b(x(p)) = a(p): it maps each input
 * of a to an input of b with the same element. For two distributed layouts, x
 * tells where to fetch each register of a. The policy chooses if several inputs
 * of b hold an element. LL_FIRST uses only columns of b that are independent of
 * earlier columns. LL_LIGHT takes the fewest bits. LL_LOCAL stays in the same
 * lane if possible, else in the same warp, else in the same block, and then
 * takes the fewest bits. (Paper, section 5.4.) Fails with LL_EMATCH,
 * LL_ENOSOLUTION.
 * Example: ll_solve(L("lane: i0 i1"), L("warp: i1 i0"), LL_FIRST) is
 *          L("warp: lane1 lane0");
 * Example: ll_solve(L("lane: i0 | warp: 0"), L("lane: i0 | warp: 0"),
 *                   LL_LOCAL) is L("lane: lane0 | warp: warp0");
 * Example: ll_solve(L("lane: i0 | warp: 0"), L("lane: i0 | warp: 0"),
 *                   LL_FIRST) is L("lane: lane0 | warp: 0 -> lane=2 | warp=2");
 */
LL_FN ll_layout ll_solve(ll_layout b, ll_layout a, unsigned policy) {
    ll_layout x = LL_ZERO;
    if (b.err || a.err) {
        return ll_layout_worst_(b, a);
    }
    x.in = a.in;
    x.out = b.in;
    if (!ll_shape_same_(&a.out, &b.out)) {
        if (!ll_shape_fits_(&a.out, &b.out, 1)) {
            return ll_layout_bad_(x, LL_EMATCH);
        }
        a = ll_layout_onto_(a, &b.out);
    }
    unsigned left = policy == LL_LOCAL
                        ? ll_solve_near_(&b, &a, &x)
                        : ll_solve_any_(&b, &a, policy == LL_LIGHT, &x);
    x.err = left ? (unsigned)LL_ENOSOLUTION : (unsigned)LL_OK;
    return x;
}

/* Private: returns the identity from a shape to itself. */
LL_FN ll_layout ll_shape_identity_(const ll_shape *s) {
    ll_layout a = ll_zero(*s, *s);
    for (unsigned k = 0; k < ll_shape_bits_(s) && k < LL_MAX_BITS; ++k) {
        a.basis[k] = 1u << k;
    }
    return a;
}

/* ll_rank(a): returns the rank of the matrix; 0 if a is invalid.
 * Example: ll_rank(L("lane: i0 0 i0")) is 1;
 */
LL_FN unsigned ll_rank(ll_layout a) {
    ll_echelon_ r =
        ll_echelon_of_columns_(&a, 0, a.err ? 0u : ll_shape_bits_(&a.in));
    return ll_echelon_rank_(&r);
}

/* ll_inv(a): returns the inverse of a. Fails with LL_ESINGULAR.
 * Example: ll_inv(L("lane: i0 i0^i1")) is L("i: lane0 lane0^lane1");
 * Example: ll_inv(L("lane: i0 i0 -> 4")).err is LL_ESINGULAR;
 */
LL_FN ll_layout ll_inv(ll_layout a) {
    const ll_layout x = ll_solve(a, ll_shape_identity_(&a.out), LL_FIRST);
    return x.err || ll_shape_bits_(&a.in) != ll_shape_bits_(&a.out)
               ? ll_layout_bad_(a, LL_ESINGULAR)
               : x;
}

/* ll_rinv(a): returns a right inverse with few bits: one place for each
 * element. The number of bits is minimal, here and for LL_LIGHT and LL_LOCAL,
 * if at most ten nonzero columns depend on earlier columns. (Paper, section 4,
 * "Right Inverse".) Fails with LL_ENOTONTO.
 * Example: ll_rinv(L("register: i0^i1 i0 i1")) is
 *          L("i: register1 register2 -> register=8");
 */
LL_FN ll_layout ll_rinv(ll_layout a) {
    const ll_layout x = ll_solve(a, ll_shape_identity_(&a.out), LL_LIGHT);
    return x.err ? ll_layout_bad_(a, LL_ENOTONTO) : x;
}

/* ll_pinv(a): returns a pseudo-inverse g, which every layout has: a(g(y)) = y
 * for each y that a reaches. It uses only columns of a that are independent of
 * earlier columns and keeps the affine part: g(a(0)) = 0.
 * Example: ll_pinv(L("lane: i1 i1")) is L("i: 0 lane0 -> lane=4");
 */
LL_FN ll_layout ll_pinv(ll_layout a) {
    if (a.err) {
        return a;
    }
    ll_echelon_ r = ll_echelon_of_columns_(&a, 0, ll_shape_bits_(&a.in));
    const unsigned cols = r.n;
    ll_layout g = ll_zero(a.out, a.in);
    for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
        ll_echelon_load_(&r, 1u << k, 0);
    }
    ll_echelon_eliminate_(&r, 0, cols);
    for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
        g.basis[k] = ll_echelon_mix_(&r, cols + k);
    }
    g.offset = ll_layout_linear_(&g, a.offset);
    return g;
}

#define LL_BASIS ((ll_dim)0x0814c94c0000000)

/* ll_nullspace(a): returns a basis of the inputs that the linear part of a maps
 * to 0, as a layout from `basis` to the inputs of a. ll_image(a): in the same
 * form, a basis of the outputs that it reaches.
 * Example: ll_nullspace(L("lane: i0 i1 i0")) is L("basis: lane0^lane2 -> 8");
 * Example: ll_image(L("lane: i0 0 i0 -> 4")) is L("basis: i0 -> 4");
 */
LL_FN ll_layout ll_nullspace(ll_layout a) {
    const ll_shape none = LL_ZERO;
    ll_layout k = ll_zero(ll_shape_add_(none, LL_BASIS, 0), a.in);
    const ll_echelon_ r = ll_echelon_of_(&a);
    for (unsigned c = 0; c < r.n; ++c) {
        if (ll_echelon_vector_(&r, c) == 0) {
            k.basis[k.in.bits[0]] = ll_echelon_mix_(&r, c);
            ++k.in.bits[0];
        }
    }
    return a.err ? a : k;
}

LL_FN ll_layout ll_image(ll_layout a) {
    const ll_shape none = LL_ZERO;
    ll_layout i = ll_zero(ll_shape_add_(none, LL_BASIS, 0), a.out);
    const ll_echelon_ r = ll_echelon_of_(&a);
    for (unsigned c = 0; c < r.n; ++c) {
        if (ll_echelon_vector_(&r, c)) {
            i.basis[i.in.bits[0]] = a.basis[c];
            ++i.in.bits[0];
        }
    }
    return a.err ? a : i;
}

#endif
