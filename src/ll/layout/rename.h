/* ---- Shape surgery ---------------------------------------------------- */
#ifndef LL_LAYOUT_RENAME_H
#define LL_LAYOUT_RENAME_H

#include "eliminate.h"

/* Shape surgery. These functions change how bits are named, ordered and
 * grouped, not where elements are. A `list` is a text of names. Names that the
 * layout lacks fail with LL_EMISSING. */

/* Private: returns the listed dimensions of s, in the order of s or list. */
LL_FN ll_shape ll_shape_listed_(const ll_shape *s, const char *list,
                                int in_order) {
    const ll_shape l = ll_shape_of(list);
    ll_shape t = LL_ZERO;
    t.err = l.err;
    for (unsigned k = 0; k < l.n; ++k) {
        if (ll_shape_find_(s, l.dim[k]) == s->n) {
            t.value = t.err ? t.value : (unsigned)(l.dim[k] >> 30);
            t = ll_shape_bad_(t, LL_EMISSING);
        }
    }
    const ll_shape *order = in_order ? s : &l;
    for (unsigned k = 0; !t.err && k < order->n; ++k) {
        unsigned at = ll_shape_find_(s, order->dim[k]);
        if (ll_shape_find_(&l, order->dim[k]) < l.n) {
            t = ll_shape_add_(t, s->dim[at], s->bits[at]);
        }
    }
    return t;
}

/* ll_sub(a, ins, outs): returns the part of a from the listed inputs to the
 * listed outputs, in the order of a.
 * Example: ll_sub(L("register: j0 | lane: i0^j1"), "lane", "i") is
 *          L("lane: i0");
 */
LL_FN ll_layout ll_sub(ll_layout a, const char *ins, const char *outs) {
    const ll_shape in = ll_shape_listed_(&a.in, ins, 1);
    const ll_shape out = ll_shape_listed_(&a.out, outs, 1);
    ll_layout b = ll_layout_bad_shape_(ll_layout_bad_shape_(a, &in), &out);
    return b.err ? b : ll_layout_onto_(ll_layout_from_(a, &in), &out);
}

/* ll_order_in(a, list), ll_order_out(a, list): put inputs or outputs in list
 * order, fastest first. The list names all of them. Fail with LL_EMATCH.
 * Example: ll_order_out(L("lane: i0 j0"), "i j") is
 *          L("lane: i0 j0 -> i=2 | j=2");
 */
LL_FN ll_layout ll_order_in(ll_layout a, const char *list) {
    const ll_shape s = ll_shape_listed_(&a.in, list, 0);
    ll_layout b = ll_layout_bad_shape_(a, &s);
    b = s.n == a.in.n ? b : ll_layout_bad_(b, LL_EMATCH);
    return b.err ? b : ll_layout_from_(a, &s);
}

LL_FN ll_layout ll_order_out(ll_layout a, const char *list) {
    const ll_shape s = ll_shape_listed_(&a.out, list, 0);
    ll_layout b = ll_layout_bad_shape_(a, &s);
    b = s.n == a.out.n ? b : ll_layout_bad_(b, LL_EMATCH);
    return b.err ? b : ll_layout_onto_(a, &s);
}

/* ll_reshape_in(a, s), ll_reshape_out(a, s): return a with its packed inputs or
 * outputs divided into the dimensions of s. Fail with LL_ETOTAL.
 * Example: ll_reshape_out(L("lane: i0 i1 i2"), ll_shape_of("j=2 i=4")) is
 *          L("lane: j0 i0 i1");
 */
LL_FN ll_layout ll_reshape_in(ll_layout a, ll_shape s) {
    a = ll_layout_bad_shape_(a, &s);
    if (a.err || ll_shape_bits_(&s) != ll_shape_bits_(&a.in)) {
        return ll_layout_bad_(a, LL_ETOTAL);
    }
    a.in = s;
    return a;
}

LL_FN ll_layout ll_reshape_out(ll_layout a, ll_shape s) {
    a = ll_layout_bad_shape_(a, &s);
    if (a.err || ll_shape_bits_(&s) != ll_shape_bits_(&a.out)) {
        return ll_layout_bad_(a, LL_ETOTAL);
    }
    a.out = s;
    return a;
}

/* Private: returns a shape with all bits of s in one dimension d. */
LL_FN ll_shape ll_shape_flat_(const ll_shape *s, ll_dim d) {
    const ll_shape none = LL_ZERO;
    return ll_shape_add_(none, d, ll_shape_bits_(s));
}

/* ll_flatten_in(a, d), ll_flatten_out(a, d): merge inputs or outputs into d.
 * Example: ll_flatten_out(L("lane: j0 i0"), LL_OFFSET) is
 *          L("lane: offset0 offset1");
 */
LL_FN ll_layout ll_flatten_in(ll_layout a, ll_dim d) {
    return ll_reshape_in(a, ll_shape_flat_(&a.in, d));
}

LL_FN ll_layout ll_flatten_out(ll_layout a, ll_dim d) {
    return ll_reshape_out(a, ll_shape_flat_(&a.out, d));
}

/* Private: returns the shape with some of its dimensions renamed. */
LL_FN ll_shape ll_renamed_(const ll_shape *s, const char *from,
                           const char *to) {
    const ll_shape old = ll_shape_listed_(s, from, 0);
    const ll_shape now = ll_shape_of(to);
    ll_shape t = LL_ZERO;
    t = ll_shape_bad_(ll_shape_bad_(t, old.err), now.err);
    t = old.n == now.n ? t : ll_shape_bad_(t, LL_EMATCH);
    for (unsigned k = 0; !t.err && k < s->n; ++k) {
        unsigned at = ll_shape_find_(&old, s->dim[k]);
        t = ll_shape_add_(t, at < old.n ? now.dim[at] : s->dim[k], s->bits[k]);
    }
    return t;
}

/* ll_rename_in(a, from, to), ll_rename_out: return a with dimensions renamed,
 * all at once, so that names can be exchanged. Fail with LL_EMATCH, LL_ETWICE.
 * Example: ll_rename_out(L("lane: i0 j0"), "i j", "j i") is
 *          L("lane: j0 i0 -> i=2 | j=2");
 */
LL_FN ll_layout ll_rename_in(ll_layout a, const char *from, const char *to) {
    const ll_shape s = ll_renamed_(&a.in, from, to);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s) : ll_reshape_in(a, s);
}

LL_FN ll_layout ll_rename_out(ll_layout a, const char *from, const char *to) {
    const ll_shape s = ll_renamed_(&a.out, from, to);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s) : ll_reshape_out(a, s);
}

/* Private: returns the shape with one size changed; adds d if absent. */
LL_FN ll_shape ll_shape_resized_(ll_shape s, ll_dim d, unsigned size) {
    unsigned k = ll_shape_find_(&s, d);
    unsigned bits = ll_log2_(size);
    if (k == s.n) {
        return ll_with(s, d, size);
    }
    s.bits[k] = (unsigned short)(bits < 32u ? bits : 0u);
    s.value = bits < 32u ? 0u : size;
    return bits >= 32u                   ? ll_shape_bad_(s, LL_ESIZE)
           : ll_shape_start_(&s, s.n) > LL_MAX_BITS ? ll_shape_bad_(s, LL_EBITS)
                                         : s;
}

/* ll_resize_in(a, d, size): returns a with another size of input d. A smaller
 * size drops the high bits, a larger size adds copies; an absent d is added.
 * ll_resize_out: cuts output d to its low bits, or enlarges its space.
 * Example: ll_resize_in(L("lane: i0 i1"), LL_LANE, 2) is L("lane: i0 -> 4");
 * Example: ll_resize_out(L("lane: i0 i1"), LL_I, 2) is L("lane: i0 0");
 */
LL_FN ll_layout ll_resize_in(ll_layout a, ll_dim d, unsigned size) {
    const ll_shape s = ll_shape_resized_(a.in, d, size);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s)
                          : ll_layout_from_(a, &s);
}

LL_FN ll_layout ll_resize_out(ll_layout a, ll_dim d, unsigned size) {
    const ll_shape s = ll_shape_resized_(a.out, d, size);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s)
                          : ll_layout_onto_(a, &s);
}

/* Private: returns the dimensions of a, then the dimensions of b. */
LL_FN ll_shape ll_both_(ll_shape a, const ll_shape *b) {
    for (unsigned k = 0; k < b->n; ++k) {
        a = ll_shape_add_(a, b->dim[k], b->bits[k]);
    }
    return a;
}

/* ll_concat_in(a, b): appends the inputs of b to the inputs of a.
 * ll_concat_out(a, b): appends the outputs of b to the outputs of a. The other
 * side must be equal. Fail with LL_EMATCH, LL_ETWICE, LL_EBITS.
 * Example: ll_concat_in(L("lane: i0 -> 4"), L("warp: i1")) is
 *          L("lane: i0 | warp: i1");
 * Example: ll_concat_out(L("lane: i0"), L("lane: j0")) is
 *          L("lane: i0^j0 -> i=2 | j=2");
 */
LL_FN ll_layout ll_concat_in(ll_layout a, ll_layout b) {
    ll_layout c = ll_layout_worst_(a, b);
    if (c.err || !ll_shape_fits_both_(&a.out, &b.out)) {
        return ll_layout_bad_(c, LL_EMATCH);
    }
    const ll_shape out = a.out;
    b = ll_layout_onto_(b, &out);
    c = ll_zero(ll_both_(a.in, &b.in), out);
    unsigned n = ll_shape_bits_(&a.in);
    for (unsigned k = 0; !c.err && k < ll_shape_bits_(&c.in); ++k) {
        c.basis[k] = k < n ? a.basis[k] : b.basis[k - n];
    }
    c.offset = a.offset ^ b.offset;
    return c;
}

LL_FN ll_layout ll_concat_out(ll_layout a, ll_layout b) {
    ll_layout c = ll_layout_worst_(a, b);
    if (c.err || !ll_shape_fits_both_(&a.in, &b.in)) {
        return ll_layout_bad_(c, LL_EMATCH);
    }
    const ll_shape in = a.in;
    b = ll_layout_from_(b, &in);
    c = ll_zero(in, ll_both_(a.out, &b.out));
    unsigned n = ll_shape_bits_(&a.out);
    for (unsigned k = 0; !c.err && k < ll_shape_bits_(&in); ++k) {
        c.basis[k] = a.basis[k] | ll_shift_(b.basis[k], n);
    }
    c.offset = a.offset | ll_shift_(b.offset, n);
    return c;
}

/* ll_flip(a, d, x): returns a with coordinate d replaced by d ^ x. If all bits
 * of x are set, the axis is reversed; if one bit is, it starts at that power of
 * two. Fails with LL_EMISSING, LL_ERANGE.
 * Example: ll_flip(L("lane: i0 i1"), LL_I, 3) is
 *          L("lane: i0 i1 | 1: i0^i1");
 */
LL_FN ll_layout ll_flip(ll_layout a, ll_dim d, unsigned x) {
    unsigned at = ll_shape_find_(&a.out, d);
    if (a.err || at == a.out.n) {
        return ll_layout_lacking_(a, d);
    }
    if (x & ~ll_ones_(a.out.bits[at])) {
        return ll_layout_bad_(a, LL_ERANGE);
    }
    a.offset ^= ll_pack(a.out, d, x);
    return a;
}

#endif
