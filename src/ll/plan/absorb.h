/* ---- The best order of an axis ---------------------------------------- */
#ifndef LL_PLAN_ABSORB_H
#define LL_PLAN_ABSORB_H

#include "../layout/multiply.h"
#include "../layout/spans.h"
#include "hardware.h"

/* Orders of an axis. The summed axis of a matmul may have any order; these
 * functions choose an order that widens accesses or avoids a conversion. */

/* ll_preshuffle(a, d, elements): returns the new number of each element of axis
 * d, such that a lane of ll_renumber(a, d, result) holds `elements` of them
 * contiguously along d, aligned, in its registers. If d is the fastest axis,
 * one access moves the whole vector. The bits of d that lanes hold come next,
 * so that lanes are contiguous as well.
 *
 * Use it for axis k of a matmul with an operand of few bits per element. A
 * layout counts elements: once converted to more bits in registers, the operand
 * has the layout of any other operand, but its accesses to memory move the same
 * elements in fewer bytes. The result of the matmul does not change if both
 * operands are shuffled. Either load both operands shuffled, or load one
 * shuffled and store the other, which hardware reads in its own order, with
 * element x at the place of s(x), where s is the result. For scales, pass the
 * shuffled layout to ll_scales_of. ll_bitcast counts elements of 4 bits in
 * pairs. (Paper, section 5.2, "Data Shuffling".) Fails with LL_EMISSING,
 * LL_EVECTOR (`elements` is no power of two, or a lane holds fewer).
 * Example: ll_preshuffle(L("register: j0 i3 j3 | lane: j1 j2 i0 i1 i2"),
 *                        LL_J, 4) is L("j: j0 j2 j3 j1");
 * Example: ll_preshuffle(L("register: j0 | lane: j1"), LL_J, 4).err is
 *          LL_EVECTOR;
 */
LL_FN ll_layout ll_preshuffle(ll_layout a, ll_dim d, unsigned elements) {
    const ll_layout h = ll_hardware_(a);
    const unsigned at = ll_shape_find_(&h.out, d);
    const unsigned bits = ll_log2_(elements);
    if (h.err || at == h.out.n) {
        return ll_layout_lacking_(h, d);
    }
    const ll_shape none = LL_ZERO;
    const unsigned n = h.out.bits[at];
    const unsigned start = ll_shape_start_(&h.out, at);
    const ll_shape one = ll_shape_add_(none, d, n);
    const ll_span_ axis = ll_span_units_(start, start + n);
    ll_layout order = ll_zero(one, one);
    ll_span_ lanes = LL_ZERO;
    for (unsigned k = h.in.bits[0]; k < ll_shape_bits_(&h.in); ++k) {
        ll_span_push_(&lanes, h.basis[k] & ll_shift_(ll_ones_(n), start));
    }
    const ll_span_ regs = ll_span_of_columns_(&h, 0, h.in.bits[0]);
    const ll_span_ held = ll_span_intersect_(&regs, &axis);
    ll_span_ all = ll_span_independent_(&lanes, &held);
    if (all.n < bits) { /* LL_NO_BITS_ is more than any */
        return ll_layout_bad_value_(order, LL_EVECTOR, elements);
    }
    all.n = bits;
    ll_span_append_(&all, &lanes, LL_MAX_BITS);
    ll_span_append_(&all, &axis, LL_MAX_BITS);
    for (unsigned k = 0; k < n; ++k) {
        order.basis[k] = ll_shift_down_(all.v[k], start);
    }
    return ll_inv(order);
}

/* Private: returns the part of column k of a along axis number `at`; for
 * k = LL_MAX_BITS, of the constant. */
LL_FN unsigned ll_on_axis_(const ll_layout *a, unsigned at, unsigned k) {
    const unsigned v = k < LL_MAX_BITS ? a->basis[k] : a->offset;
    return ll_shape_field_(&a->out, at, v);
}

/* Private: notes that u maps to v, unless earlier notes determine u or v. */
LL_FN void ll_span_becomes_(ll_span_ *from, ll_span_ *to, unsigned u,
                            unsigned v) {
    ll_span_ a = LL_ZERO;
    ll_span_ b = LL_ZERO;
    ll_span_push_(&a, u);
    ll_span_push_(&b, v);
    if (ll_span_independent_(from, &a).n && ll_span_independent_(to, &b).n) {
        ll_span_push_(from, u);
        ll_span_push_(to, v);
    }
}

/* Private: returns the vectors of axis `at` that registers hold, outside l. */
LL_FN ll_span_ ll_held_along_(const ll_layout *a, unsigned at,
                              const ll_span_ *l) {
    const unsigned start = ll_shape_start_(&a->out, at);
    const ll_span_ axis = ll_span_units_(start, start + a->out.bits[at]);
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    ll_span_ held = ll_span_intersect_(&regs, &axis);
    for (unsigned k = 0; k < held.n; ++k) {
        held.v[k] = ll_shift_down_(held.v[k], start);
    }
    return ll_span_independent_(l, &held);
}

/* ll_absorb(a, b, d): returns the new number of each element of axis d, such
 * that ll_renumber(a, d, result) has the data where b wants it, as far as an
 * order of that axis can: in the same lanes and warps first, then in the same
 * registers. If the accumulators of a matmul are an operand of the next matmul,
 * its axis k is such an axis: it is summed over in any order, if the other
 * operand is renumbered as well. If a and b differ in d alone, no data leaves
 * its lane: the result has a constant where those of a and b differ. Fails with
 * LL_EMISSING, LL_EMATCH (the axes differ in size).
 * Example: ll_absorb(L("register: j0 i3 j3 | lane: j1 j2 i0 i1 i2"),
 *          L("register: j0 j1 i3 | lane: j2 j3 i0 i1 i2"), LL_J) is
 *          L("j: j0 j2 j3 j1");
 * Example: ll_absorb(L("lane: j0 j1"), L("lane: j0 j1 | 1: j0"), LL_J) is
 *          L("j: j0 j1 | 1: j0");
 * Example: ll_absorb(L("register: j0"), L("register: j0 j1"), LL_J).err is
 *          LL_EMATCH;
 */
LL_FN ll_layout ll_absorb(ll_layout a, ll_layout b, ll_dim d) {
    const ll_layout x = ll_hardware_(a);
    const ll_layout y = ll_hardware_(b);
    const ll_layout worst = ll_layout_worst_(x, y);
    const unsigned i = ll_shape_find_(&x.out, d);
    const unsigned j = ll_shape_find_(&y.out, d);
    if (worst.err || i == x.out.n || j == y.out.n) {
        return ll_layout_lacking_(worst, d);
    }
    const unsigned n = x.out.bits[i];
    if (y.out.bits[j] != n) {
        return ll_layout_bad_(worst, LL_EMATCH);
    }
    ll_span_ from = LL_ZERO;
    ll_span_ to = LL_ZERO;
    for (unsigned step = 0; step < 4u; ++step) { /* lanes, .., registers */
        const unsigned in = (step + 1u) % 4u;
        const unsigned s = ll_shape_start_(&x.in, in);
        const unsigned r = ll_shape_start_(&y.in, in);
        for (unsigned k = 0; k < x.in.bits[in] && k < y.in.bits[in]; ++k) {
            ll_span_becomes_(&from, &to, ll_on_axis_(&x, i, s + k),
                             ll_on_axis_(&y, j, r + k));
        }
    }
    const ll_span_ some = ll_held_along_(&x, i, &from);
    const ll_span_ same = ll_held_along_(&y, j, &to);
    for (unsigned k = 0; k < some.n && k < same.n; ++k) {
        ll_span_becomes_(&from, &to, some.v[k], same.v[k]);
    }
    const ll_span_ all = ll_span_units_(0, n);
    ll_span_append_(&from, &all, LL_MAX_BITS);
    ll_span_append_(&to, &all, LL_MAX_BITS);
    const ll_shape none = LL_ZERO;
    const ll_shape one = ll_shape_add_(none, d, n);
    ll_layout before = ll_zero(one, one);
    ll_layout after = before;
    for (unsigned k = 0; k < n; ++k) {
        before.basis[k] = from.v[k];
        after.basis[k] = to.v[k];
    }
    before.offset = ll_on_axis_(&x, i, LL_MAX_BITS);
    after.offset = ll_on_axis_(&y, j, LL_MAX_BITS);
    return ll_compose(after, ll_inv(before));
}

#endif
