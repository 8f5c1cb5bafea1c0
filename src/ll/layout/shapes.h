/* ---- Shapes ----------------------------------------------------------- */
#ifndef LL_LAYOUT_SHAPES_H
#define LL_LAYOUT_SHAPES_H

#include "rename.h"
#include "permute.h"
#include "questions.h"

/* Shape operations of tensor programs. Each function returns the layout that
 * has the operation's result already in place, so that no element moves.
 * ll_x_back undoes ll_x. The axes of the result are again called i, j, .. in
 * the usual order. (Paper, section 4.4 and appendix, "Layout Engine".)
 * ll_reshape_out reshapes in both directions. */

/* Private: factors for building layouts. ll_layout_empty_ starts with the
 * listed dimensions, all of size 1, and fixes their order. ll_layout_by_
 * appends `size` values of an input along an output. ll_layout_copies_ appends
 * `size` values of an input that hold copies. */
LL_FN ll_layout ll_layout_empty_(const char *ins, const char *outs) {
    return ll_zero(ll_shape_of(ins), ll_shape_of(outs));
}

LL_FN ll_layout ll_layout_by_(ll_layout a, unsigned size, ll_dim in,
                              ll_dim out) {
    return ll_mul(a, ll_identity(size, in, out));
}

LL_FN ll_layout ll_layout_copies_(ll_layout a, unsigned size, ll_dim in) {
    return ll_mul(a, ll_zeros(size, in, a.out.dim[0], 1));
}

/* Private: returns the shape of a matrix. */
LL_FN ll_shape ll_shape_matrix_(unsigned rows, unsigned cols) {
    const unsigned sizes[2] = {rows, cols};
    return ll_tensor(2, sizes);
}

/* Private: returns the layout with outputs renamed i, j, .., slowest first. */
LL_FN ll_layout ll_axes_(ll_layout a) {
    for (unsigned k = 0; k < a.out.n; ++k) {
        a.out.dim[k] = ll_axis(a.out.n - 1u - k);
    }
    return a;
}

/* ll_trans(a, list): returns a with its axes in another order, as in
 * numpy.transpose. The list names all axes of a: the first is axis i of the
 * result, the second is axis j, and so on. ll_trans_back(a, list) undoes it.
 * Fail with LL_EMATCH, ll_trans also with LL_EMISSING.
 * Example: ll_trans(L("lane: i0 j0 j1"), "j i") is L("lane: j0 i0 i1");
 * Example: ll_trans(L("lane: i0 j0 j1 k0 k1 k2"), "k i j") is
 *          L("lane: j0 k0 k1 i0 i1 i2");
 * Example: ll_trans_back(ll_trans(L("lane: k0 j0 i0"), "k i j"), "k i j") is
 *          L("lane: k0 j0 i0");
 */
LL_FN ll_layout ll_trans(ll_layout a, const char *list) {
    const ll_shape s = ll_shape_listed_(&a.out, list, 0);
    const ll_shape order = ll_shape_reversed_(s);
    ll_layout b = ll_layout_bad_shape_(a, &s);
    b = s.n == a.out.n ? b : ll_layout_bad_(b, LL_EMATCH);
    return b.err ? b : ll_axes_(ll_layout_onto_(a, &order));
}

LL_FN ll_layout ll_trans_back(ll_layout a, const char *list) {
    const ll_shape l = ll_shape_of(list);
    const ll_shape s = a.out;
    a = ll_layout_bad_(a, l.err);
    a = l.n == s.n ? a : ll_layout_bad_(a, LL_EMATCH);
    for (unsigned k = 0; !a.err && k < s.n; ++k) {
        a.out.dim[k] = l.dim[s.n - 1u - k];
    }
    const ll_shape sorted = ll_shape_sorted_(a.out);
    return a.err ? a : ll_layout_onto_(a, &sorted);
}

/* Private: returns the index of axis d among the outputs; s->n if it is absent.
 * d may also be the number of an axis, counted from the slowest. */
LL_FN unsigned ll_axis_at_(const ll_shape *s, ll_dim d) {
    const unsigned k = d < s->n ? s->n - 1u - (unsigned)d : s->n;
    return d < LL_MAX_DIMS ? k : ll_shape_find_(s, d);
}

/* ll_unsqueeze(a, d): returns a with a new axis d of size 1. Later axes are
 * renamed: a new j turns i, j into i, j, k. Fails with LL_EAXIS if d is not an
 * axis or would leave a gap, LL_EDIMS if there are 16 axes already.
 * ll_unsqueeze_back(a, d): returns a without axis d. Fails with LL_EMISSING,
 * and with LL_EONE if the axis has more than one element.
 * Example: ll_unsqueeze(L("lane: i0 j0"), LL_J) is
 *          L("lane: i0 k0 -> k=2 | j=1 | i=2");
 * Example: ll_unsqueeze(L("lane: i0"), LL_K).err is LL_EAXIS;
 */
LL_FN ll_layout ll_unsqueeze(ll_layout a, ll_dim d) {
    const ll_shape s = a.out;
    unsigned k = 0;
    while (k < LL_MAX_DIMS && d != k && d != ll_axis(k)) {
        ++k;
    }
    if (a.err || k > s.n || s.n >= LL_MAX_DIMS) {
        return ll_layout_bad_(a, s.n < LL_MAX_DIMS ? LL_EAXIS : LL_EDIMS);
    }
    unsigned at = s.n - k;
    for (unsigned b = s.n; b > at; --b) {
        a.out.bits[b] = s.bits[b - 1u];
    }
    a.out.bits[at] = 0;
    ++a.out.n;
    return ll_axes_(a);
}

LL_FN ll_layout ll_unsqueeze_back(ll_layout a, ll_dim d) {
    const ll_shape s = a.out;
    const unsigned at = ll_axis_at_(&s, d);
    if (a.err || at >= s.n) {
        return ll_layout_lacking_(a, d);
    }
    for (unsigned b = at; b + 1u < s.n; ++b) {
        a.out.bits[b] = s.bits[b + 1u];
    }
    --a.out.n;
    return s.bits[at]
               ? ll_layout_bad_value_(a, LL_EONE, ll_shift_(1u, s.bits[at]))
               : ll_axes_(a);
}

/* Private: returns the layout without the register bits set in `drop`. */
LL_FN ll_layout ll_drop_registers_(ll_layout a, unsigned drop) {
    ll_perm p = LL_ZERO;
    unsigned at = ll_shape_find_(&a.in, LL_REGISTER);
    p.of = at < a.in.n ? a.in.bits[at] : 0u;
    for (unsigned k = 0; k < p.of; ++k) {
        if (!(drop >> k & 1u)) {
            p.bit[p.n] = k;
            ++p.n;
        }
    }
    return at < a.in.n ? ll_permute(a, LL_REGISTER, p) : a;
}

/* Private: returns the register bits with nonzero columns inside `mask`. */
LL_FN unsigned ll_registers_in_(const ll_layout *a, unsigned mask) {
    unsigned at = ll_shape_find_(&a->in, LL_REGISTER);
    unsigned start = ll_shape_start_(&a->in, at);
    unsigned found = 0;
    for (unsigned k = 0; at < a->in.n && k < a->in.bits[at]; ++k) {
        unsigned y = a->basis[start + k];
        found |= y && !(y & ~mask) ? 1u << k : 0u;
    }
    return found;
}

/* ll_broadcast(a, d, size): returns a with axis d, which has size 1, repeated:
 * every lane holds its elements `size` times, in new registers.
 * ll_broadcast_back(a, d): returns a with axis d cut to size 1, without
 * register bits that ran along d alone. Fail with LL_EMISSING, LL_EONE (axis d
 * does not have size 1), LL_ESIZE.
 * Example: ll_broadcast(L("lane: i0 -> j=1 | i=2"), LL_J, 2) is
 *          L("lane: i0 | register: j0");
 */
LL_FN ll_layout ll_broadcast(ll_layout a, ll_dim d, unsigned size) {
    unsigned at = ll_shape_find_(&a.out, d);
    if (a.err || at == a.out.n || a.out.bits[at]) {
        return at == a.out.n ? ll_layout_lacking_(a, d)
                             : ll_layout_bad_value_(
                                   a, LL_EONE, ll_shift_(1u, a.out.bits[at]));
    }
    return ll_layout_by_(a, size, LL_REGISTER, d);
}

LL_FN ll_layout ll_broadcast_back(ll_layout a, ll_dim d) {
    const ll_shape none = LL_ZERO;
    const ll_shape one = ll_shape_add_(none, d, 0);
    if (a.err || ll_shape_find_(&a.out, d) == a.out.n) {
        return ll_layout_lacking_(a, d);
    }
    unsigned alone = ll_registers_in_(&a, ll_shape_bits_of_(&a.out, &one));
    return ll_drop_registers_(ll_resize_out(a, d, 1), alone);
}

/* ll_reduce(a, d): returns the layout of the result of a reduction along axis
 * d. The axis is removed and later axes are renamed. Lanes and warps along d
 * hold copies of the result; register bits that ran along d alone are dropped.
 * Fails with LL_EMISSING. ll_reduce_back(a, d, size): returns a layout that
 * ll_reduce turns into a, with the elements along d in new registers. Fails
 * with LL_EAXIS, LL_EDIMS, LL_ESIZE.
 * Example: ll_reduce(L("register: j0 | lane: i0 j1"), LL_J) is
 *          L("register: | lane: i0 0");
 * Example: ll_reduce_back(L("register: | lane: i0 0"), LL_J, 2) is
 *          L("register: j0 | lane: i0 0");
 */
LL_FN ll_layout ll_reduce(ll_layout a, ll_dim d) {
    const unsigned at = ll_axis_at_(&a.out, d);
    const ll_dim axis = at < a.out.n ? a.out.dim[at] : d;
    return ll_unsqueeze_back(ll_broadcast_back(a, axis), axis);
}

LL_FN ll_layout ll_reduce_back(ll_layout a, ll_dim d, unsigned size) {
    const ll_layout b = ll_unsqueeze(a, d);
    return ll_broadcast(b, d < LL_MAX_DIMS ? ll_axis((unsigned)d) : d, size);
}

/* ll_join(a): returns the layout of two tensors of layout a, joined along a new
 * last axis of size 2. The bit of that axis is the lowest register bit.
 * ll_split(a): splits the last axis and returns the layout of each half. The
 * axis must have size 2 and a register bit of its own, or ll_split fails with
 * LL_ENOTREGISTER. Each undoes the other, except for the register bit's place.
 * Example: ll_join(L("register: i0 | lane: i1")) is
 *          L("register: j0 i0 | lane: i1");
 * Example: ll_split(L("register: i0 | lane: j0")).err is LL_ENOTREGISTER;
 */
LL_FN ll_layout ll_join(ll_layout a) {
    const ll_layout b = ll_unsqueeze(a, a.out.n);
    return b.err ? b
                 : ll_mul(ll_identity(2, LL_REGISTER, ll_axis(b.out.n - 1u)),
                          b);
}

LL_FN ll_layout ll_split(ll_layout a) {
    unsigned last = a.out.n && a.out.bits[0] == 1u;
    unsigned alone = last ? ll_registers_in_(&a, 1u) : 0u;
    unsigned others = a.offset;
    ll_layout b = ll_drop_registers_(a, alone);
    for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
        others |= b.basis[k];
    }
    if (a.err || ll_popcount_(alone) != 1u || (others & 1u)) {
        return ll_layout_bad_(a, LL_ENOTREGISTER);
    }
    return ll_unsqueeze_back(ll_resize_out(b, a.out.dim[0], 1), a.out.n - 1u);
}

/* Private: returns a with axis d split: a group is a new axis after d. */
LL_FN ll_layout ll_grouped_(ll_layout a, ll_dim d, unsigned group) {
    const unsigned at = ll_shape_find_(&a.out, d);
    const unsigned bits = ll_log2_(group);
    a = at == a.out.n ? ll_layout_lacking_(a, d) : a;
    if (a.err || bits > a.out.bits[at]) { /* LL_NO_BITS_ is above every size */
        return ll_layout_bad_value_(a, LL_EGROUP, group);
    }
    a = ll_unsqueeze(a, a.out.n - at);
    ll_shape s = a.out;
    if (!a.err) {
        s.bits[at] = (unsigned short)bits;
        s.bits[at + 1u] = (unsigned short)(s.bits[at + 1u] - bits);
    }
    return ll_reshape_out(a, s);
}

/* ll_scales_of(a, d, group): returns the layout of the scales of a tensor of
 * layout a with one scale per `group` elements along axis d, as in mxfp8 and
 * mxfp4 (32 along k). Every lane holds the scales that its elements need: axis
 * d is split, and the group is reduced away. ll_scales_each(a, d, group):
 * returns the layout of the scales with all registers of a, so that each
 * register has its scale. A conversion from ll_scales_of to this layout only
 * renames registers. ll_scales_back(s, d, group): returns a layout of the whole
 * tensor with each scale of layout s in place: a group fills new registers.
 *
 * Use these in kernels that multiply by the scales themselves (paper, section
 * 5.2, "Software Emulation"). For instructions that apply scales, see
 * ll_ptx_scale_a and ll_amd_mfma_scale_a. Axes are i, j, .. in the usual order.
 * Fail with LL_EMISSING, LL_EGROUP (the group is not a power of two, or is
 * larger than the axis).
 * Example: ll_scales_of(L("register: j0 j3 | lane: j1 j2 i0"), LL_J, 8) is
 *          L("register: j0 | lane: 0 0 i0");
 * Example: ll_scales_each(L("register: j0 j3 | lane: j1 j2 i0"), LL_J, 8) is
 *          L("register: 0 j0 | lane: 0 0 i0");
 * Example: ll_scales_back(L("register: j0 | lane: 0 i0"), LL_J, 4) is
 *          L("register: j2 j0 j1 | lane: 0 i0");
 * Example: ll_scales_of(L("register: j0 | lane: i0"), LL_J, 4).err is
 *          LL_EGROUP;
 */
LL_FN ll_layout ll_scales_of(ll_layout a, ll_dim d, unsigned group) {
    return ll_reduce(ll_grouped_(a, d, group),
                     a.out.n - ll_shape_find_(&a.out, d));
}

LL_FN ll_layout ll_scales_each(ll_layout a, ll_dim d, unsigned group) {
    const unsigned k = a.out.n - ll_shape_find_(&a.out, d);
    a = ll_grouped_(a, d, group);
    return a.err ? a
                 : ll_unsqueeze_back(
                       ll_resize_out(a, a.out.dim[a.out.n - 1u - k], 1), k);
}

LL_FN ll_layout ll_scales_back(ll_layout s, ll_dim d, unsigned group) {
    const unsigned at = ll_shape_find_(&s.out, d);
    if (s.err || at == s.out.n) {
        return ll_layout_lacking_(s, d);
    }
    if (ll_log2_(group) == LL_NO_BITS_) {
        return ll_layout_bad_value_(s, LL_EGROUP, group);
    }
    const unsigned k = s.out.n - at;
    s = ll_reduce_back(s, k, group);
    ll_shape all = s.out;
    if (!s.err) {
        all.bits[at + 1u] += all.bits[at];
        all.bits[at] = 0;
    }
    return ll_unsqueeze_back(ll_reshape_out(s, all), k);
}

/* ll_renumber(a, d, s): returns a with each coordinate x of axis d replaced by
 * s(x). The layout s has one input and one output of that size, under any
 * names. Renumbering k of A and B only reorders a matmul's sum; ll_preshuffle
 * finds an s that widens accesses. Fails with LL_EMISSING, LL_EMATCH.
 * Example: ll_renumber(L("lane: i0 j0 j1"), LL_J, L("k: k1 k0")) is
 *          L("lane: i0 j1 j0");
 */
LL_FN ll_layout ll_renumber(ll_layout a, ll_dim d, ll_layout s) {
    const unsigned at = ll_shape_find_(&a.out, d);
    ll_layout all = ll_layout_bad_(
        ll_layout_bad_(ll_shape_identity_(&a.out), a.err), s.err);
    if (all.err || at == a.out.n) {
        return ll_layout_lacking_(all, d);
    }
    const unsigned start = ll_shape_start_(&a.out, at);
    const unsigned n = a.out.bits[at];
    if (s.in.n != 1u || s.out.n != 1u || s.in.bits[0] != n ||
        s.out.bits[0] != n) {
        return ll_layout_bad_(all, LL_EMATCH);
    }
    for (unsigned k = 0; k < n; ++k) {
        all.basis[start + k] = ll_shift_(s.basis[k], start);
    }
    all.offset = ll_shift_(s.offset, start);
    return ll_compose(all, a);
}

/* Private: returns the input that repeats a layout: offset, else register. */
LL_FN ll_dim ll_layout_inner_(const ll_layout *a) {
    return ll_shape_find_(&a->in, LL_OFFSET) < a->in.n ? LL_OFFSET
                                                       : LL_REGISTER;
}

/* ll_bitcast(a, from_bits, to_bits): returns the layout of the same bytes in
 * the same places, as elements of to_bits instead of from_bits. Smaller
 * elements lengthen the fastest axis; its new low bits are the lowest register
 * (or offset) bits. Larger elements shorten the axis. Each lane must then hold
 * them whole in neighbouring registers, else LL_EWHOLE. Fails with LL_ECAST if
 * a size is not 1, 2, 4, .. or 128 bits, LL_ENOAXIS.
 * Example: ll_bitcast(L("register: j0 | lane: j1 i0"), 16, 8) is
 *          L("register: j0 j1 | lane: j2 i0");
 * Example: ll_bitcast(L("register: j0 | lane: j1 i0"), 16, 32) is
 *          L("register: | lane: j0 i0");
 * Example: ll_bitcast(L("lane: j0 i0"), 16, 32).err is LL_EWHOLE;
 */
LL_FN ll_layout ll_bitcast(ll_layout a, unsigned from_bits, unsigned to_bits) {
    const unsigned from = ll_log2_(from_bits);
    const unsigned to = ll_log2_(to_bits);
    if (a.err || a.out.n == 0) {
        return ll_layout_bad_(a, LL_ENOAXIS);
    }
    if (from > 7u || to > 7u) {
        return ll_layout_bad_value_(a, LL_ECAST,
                                    from > 7u ? from_bits : to_bits);
    }
    const unsigned size = 1u << (from > to ? from - to : to - from);
    const ll_layout t = ll_identity(size, ll_layout_inner_(&a), a.out.dim[0]);
    const ll_layout b = from >= to ? ll_mul(t, a) : ll_div(a, t);
    return b.err == LL_ENOTILE ? ll_layout_bad_(a, LL_EWHOLE) : b;
}

#endif
