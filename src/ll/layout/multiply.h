/* ---- Products and quotients ------------------------------------------- */
#ifndef LL_LAYOUT_MULTIPLY_H
#define LL_LAYOUT_MULTIPLY_H

#include "eliminate.h"

/* Products combine layouts side by side (ll_mul) or one after the other
 * (ll_compose). Quotients take them apart again. */

/* Private: returns the dimensions of a and b in an order that respects both,
 * a's first where there is a choice. Sizes of shared dimensions multiply. */
LL_FN ll_shape ll_merge_(const ll_shape *a, const ll_shape *b) {
    ll_shape s = LL_ZERO;
    unsigned p = 0;
    unsigned q = 0;
    while (!s.err && (p < a->n || q < b->n)) {
        unsigned in_b = p < a->n ? ll_shape_find_(b, a->dim[p]) : b->n;
        int shared = in_b < b->n;
        int take_a = p < a->n && (!shared || in_b == q);
        int take_b =
            !take_a && q < b->n && ll_shape_find_(a, b->dim[q]) == a->n;
        if (!take_a && !take_b) {
            return ll_shape_bad_(s, LL_EORDER);
        }
        unsigned bits = (take_a ? a->bits[p] : 0u) +
                        (take_b || shared ? b->bits[q] : 0u);
        s = ll_shape_add_(s, take_a ? a->dim[p] : b->dim[q], bits);
        p += take_a ? 1u : 0u;
        q += take_b || shared ? 1u : 0u;
    }
    return s;
}

/* Private: a packed word, split into a low and a high part. The lowest
 * low.bits[k] bits of dimension k go to the low part. */
typedef struct ll_halves_ {
    ll_shape all, low, high;
} ll_halves_;

LL_FN unsigned ll_halves_part_(const ll_halves_ *h, unsigned x, int high) {
    const ll_shape *to = high ? &h->high : &h->low;
    unsigned y = 0;
    for (unsigned k = 0; k < h->all.n; ++k) {
        unsigned part = ll_shape_field_(&h->all, k, x);
        part = high ? ll_shift_down_(part, h->low.bits[k])
                    : part & ll_ones_(h->low.bits[k]);
        y |= ll_shift_(part, ll_shape_start_(to, k));
    }
    return y;
}

/* Private: joins a low and a high part into one packed word. */
LL_FN unsigned ll_join_halves_(const ll_halves_ *h, unsigned low,
                               unsigned high) {
    unsigned x = 0;
    for (unsigned k = 0; k < h->all.n; ++k) {
        unsigned part = ll_shape_field_(&h->low, k, low) |
                        ll_shift_(ll_shape_field_(&h->high, k, high),
                                  h->low.bits[k]);
        x |= ll_shift_(part, ll_shape_start_(&h->all, k));
    }
    return x;
}

/* Private: splits the shape `all`. `part`, which must fit, gives the sizes of
 * the low (or high) part; a dimension that it lacks has size 1 there. */
LL_FN ll_halves_ ll_cut_(const ll_shape *all, const ll_shape *part,
                         int high) {
    ll_halves_ h = LL_ZERO;
    h.all = *all;
    h.low = *all;
    h.high = *all;
    for (unsigned k = 0; k < all->n; ++k) {
        unsigned at = ll_shape_find_(part, all->dim[k]);
        unsigned bits = at < part->n ? part->bits[at] : 0u;
        unsigned rest = all->bits[k] - bits;
        h.low.bits[k] = (unsigned short)(high ? rest : bits);
        h.high.bits[k] = (unsigned short)(high ? bits : rest);
    }
    return h;
}

/* ll_mul(a, b): returns the product, which builds a large layout from a tile
 * and its repetitions. Sizes of shared dimensions multiply: a takes the low
 * bits, b takes the high bits, and neither affects the other (block diagonal).
 * The dimensions are in an order that respects both, a's first where there is a
 * choice. (Paper, section 4, "Product".) Fails with LL_EORDER if no order
 * respects both, LL_EDIMS, LL_EBITS.
 * Example: ll_mul(L("register: j0 | lane: i0"), L("lane: j0 | warp: i0")) is
 *          L("register: j0 | lane: i0 j1 | warp: i1");
 */
LL_FN ll_layout ll_mul(ll_layout a, ll_layout b) {
    ll_layout bad = ll_layout_worst_(a, b);
    if (bad.err) {
        return bad;
    }
    ll_layout c = ll_zero(ll_merge_(&a.in, &b.in), ll_merge_(&a.out, &b.out));
    if (c.err) {
        return c;
    }
    const ll_halves_ in = ll_cut_(&c.in, &a.in, 0);
    const ll_halves_ out = ll_cut_(&c.out, &a.out, 0);
    const ll_shape a_out = out.low;
    const ll_shape b_out = out.high;
    a = ll_layout_onto_(a, &a_out);
    b = ll_layout_onto_(b, &b_out);
    for (unsigned k = 0; k < ll_shape_bits_(&c.in); ++k) {
        unsigned x =
            ll_shape_repack_(ll_halves_part_(&in, 1u << k, 0), &in.low, &a.in);
        unsigned y =
            ll_shape_repack_(ll_halves_part_(&in, 1u << k, 1), &in.high, &b.in);
        c.basis[k] = ll_join_halves_(&out, ll_layout_linear_(&a, x),
                                     ll_layout_linear_(&b, y));
    }
    c.offset = ll_join_halves_(&out, a.offset, b.offset);
    return c;
}

/* ll_compose(b, a): returns b after a. The outputs of a must be the inputs of
 * b, with the same names and no larger sizes. Fails with LL_EMATCH.
 * Example: ll_compose(L("i: x1 x0"), L("lane: i0^i1 i1")) is
 *          L("lane: x0^x1 x0");
 */
LL_FN ll_layout ll_compose(ll_layout b, ll_layout a) {
    ll_layout c = ll_layout_worst_(a, b);
    if (c.err) {
        return c;
    }
    c = ll_zero(a.in, b.out);
    if (!ll_shape_fits_(&a.out, &b.in, 1)) {
        return ll_layout_bad_(c, LL_EMATCH);
    }
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        c.basis[k] =
            ll_layout_linear_(&b, ll_shape_repack_(a.basis[k], &a.out, &b.in));
    }
    c.offset = b.offset ^
               ll_layout_linear_(&b, ll_shape_repack_(a.offset, &a.out, &b.in));
    return c;
}

/* Private: returns the quotient of a by a tile in its low (or high) bits. */
LL_FN ll_layout ll_divide_(ll_layout a, ll_layout t, int high) {
    ll_layout c = ll_layout_worst_(a, t);
    if (c.err) {
        return c;
    }
    if (!ll_shape_fits_(&t.in, &a.in, 0) ||
        !ll_shape_fits_(&t.out, &a.out, 0)) {
        return ll_layout_bad_(ll_zero(a.in, a.out), LL_ENOTILE);
    }
    const ll_halves_ in = ll_cut_(&a.in, &t.in, high);
    const ll_halves_ out = ll_cut_(&a.out, &t.out, high);
    const ll_shape *tile_out = high ? &out.high : &out.low;
    c = ll_zero(high ? in.low : in.high, high ? out.low : out.high);
    int ok = ll_shape_repack_(ll_halves_part_(&out, a.offset, high), tile_out,
                              &t.out) == t.offset;
    c.offset = ll_halves_part_(&out, a.offset, !high);
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        unsigned tile = ll_halves_part_(&in, 1u << k, high);
        unsigned rest = ll_halves_part_(&in, 1u << k, !high);
        unsigned x = ll_shape_repack_(tile, high ? &in.high : &in.low, &t.in);
        unsigned y = ll_shape_repack_(ll_halves_part_(&out, a.basis[k], high),
                                      tile_out, &t.out);
        unsigned z = ll_halves_part_(&out, a.basis[k], !high);
        ok = ok && y == ll_layout_linear_(&t, x) && (rest || z == 0);
        for (unsigned m = 0; rest && m < LL_MAX_BITS; ++m) {
            c.basis[m] = rest == 1u << m ? z : c.basis[m];
        }
    }
    return ok ? c : ll_layout_bad_(c, LL_ENOTILE);
}

/* ll_div(a, t): left division. Returns the layout c with a = ll_mul(t, c):
 * removes tile t from the low bits of a and renumbers the others from 0. An
 * instruction with the tile t can move a exactly if c is valid. (Paper, section
 * 4, "Left Division", and section 5.3.) ll_rdiv(a, t) removes t from the high
 * bits: a = ll_mul(c, t). Both keep all dimensions of a. Fail with LL_ENOTILE.
 * Example: ll_div(L("register: j0 j1 | lane: i0"), L("register: j0")) is
 *          L("register: j0 | lane: i0");
 * Example: ll_rdiv(L("register: j0 j1 | lane: i0"), L("register: j0")) is
 *          L("register: j0 | lane: i0");
 * Example: ll_div(L("register: j1 j0"), L("register: j0")).err is LL_ENOTILE;
 */
LL_FN ll_layout ll_div(ll_layout a, ll_layout t) {
    return ll_divide_(a, t, 0);
}

LL_FN ll_layout ll_rdiv(ll_layout a, ll_layout t) {
    return ll_divide_(a, t, 1);
}

#endif
