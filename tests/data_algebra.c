/* data_algebra.c - the operations on layouts, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * What an operation of the data computes is left to the library; what is a
 * convention of the source of the data (which dimensions are taken out before
 * a system is solved, how sizes are cut, in which order registers are tried)
 * is written here, on top of it.
 */
#include "check_data.h"

/* ---- Making layouts, products, inverses --------------------------------- */

static const ll_shape none = LL_ZERO;

/* A factor of size 0 vanishes: the layout without dimensions. */
static void op_strided_1d(check_case *c) {
    unsigned size = get_number(c, "size");
    unsigned stride = get_number(c, "stride");
    ll_dim in = get_dim(c, "inDim");
    ll_dim out = get_dim(c, "outDim");
    want_layout(c, "layout",
                size ? ll_strided(size, stride, in, out) : ll_zero(none, none));
}

static void op_zeros_1d(check_case *c) {
    unsigned size = get_number(c, "size");
    unsigned out_size = get_number(c, "outDimSize");
    ll_dim in = get_dim(c, "inDim");
    ll_dim out = get_dim(c, "outDim");
    want_layout(c, "layout",
                size ? ll_zeros(size, in, out, out_size) : ll_zero(none, none));
}

static void op_product(check_case *c) {
    ll_layout inner = get_layout(c, "inner");
    want_layout(c, "layout", ll_mul(inner, get_layout(c, "outer")));
}

static void op_compose(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_compose(get_layout(c, "outer"), a));
}

static void op_invert(check_case *c) {
    want_layout(c, "layout", ll_inv(get_layout(c, "layout")));
}

static void op_pseudoinvert(check_case *c) {
    want_layout(c, "layout", ll_pinv(get_layout(c, "layout")));
}

static void op_lstsq(check_case *c) {
    ll_layout b = get_layout(c, "A");
    ll_layout x = ll_solve(b, get_layout(c, "B"), LL_FIRST);
    want_layout_or(c, "layout", x,
                   x.err == LL_EMATCH ? LL_EMATCH : LL_ENOSOLUTION);
}

/* The layout with the outputs of another: their order and sizes. */
static ll_layout onto(ll_layout a, ll_shape out) {
    char text[MAX_TEXT];
    for (unsigned k = 0; k < out.n; ++k) {
        a = ll_resize_out(a, out.dim[k], ll_size(out, out.dim[k]));
    }
    list_of(out, 0, text);
    return ll_order_out(a, text);
}

/* The columns of one input dimension. */
static ll_layout columns_of(ll_layout a, ll_dim d) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    name_of(d, in);
    list_of(a.out, 0, out);
    return ll_sub(a, in, out);
}

/* The layout without one input dimension. */
static ll_layout without_input(ll_layout a, ll_dim d) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    list_of(a.in, d, in);
    list_of(a.out, 0, out);
    return ll_sub(a, in, out);
}

/* An x with b(x(..)) = a(..). The dimensions in which a and b have the same
 * columns are taken out, solved by the identity, and put back. */
ll_layout solve_rest(ll_layout b, ll_layout a) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    const ll_shape from = a.in;
    const ll_shape to = b.in;
    ll_layout same = ll_zero(none, none);
    a = onto(a, b.out);
    for (unsigned k = 0; k < from.n; ++k) {
        ll_dim d = from.dim[k];
        if (ll_is_equal(columns_of(a, d), columns_of(b, d))) {
            same = ll_mul(same, ll_identity(ll_size(from, d), d, d));
            a = without_input(a, d);
            b = without_input(b, d);
        }
    }
    list_of(from, 0, in);
    list_of(to, 0, out);
    ll_layout x = ll_mul(ll_solve(b, a, LL_FIRST), same);
    return ll_order_out(ll_order_in(x, in), out);
}

static void op_invert_and_compose(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", solve_rest(get_layout(c, "outer"), a));
}

/* The bits of an input dimension whose columns are 0. */
unsigned zero_bits(ll_layout a, ll_dim d) {
    const ll_layout s = columns_of(a, d);
    unsigned zeros = 0;
    for (unsigned k = 0; !s.err && 1u << k < ll_size(s.in, d); ++k) {
        zeros |= s.basis[k] ? 0u : 1u << k;
    }
    return zeros;
}

/* A block bit that b ignores is set to that of the block that asks. */
ll_layout solve_block_local(ll_layout b, ll_layout a) {
    ll_layout x = solve_rest(b, a);
    unsigned free_bits = ll_pack(x.out, LL_BLOCK, zero_bits(b, LL_BLOCK));
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        unsigned own = ll_unpack(x.in, LL_BLOCK, 1u << k);
        x.basis[k] &= ~free_bits;
        x.basis[k] |= ll_pack(x.out, LL_BLOCK, own) & free_bits;
    }
    return x;
}

static void op_invert_and_compose_block_local(check_case *c) {
    ll_layout b = get_layout(c, "A");
    want_layout(c, "layout", solve_block_local(b, get_layout(c, "B")));
}

static void op_divide_left(check_case *c) {
    ll_layout a = get_layout(c, "A");
    want_layout_or(c, "layout", ll_div(a, get_layout(c, "B")), LL_ENOTILE);
}

static void op_divide_right(check_case *c) {
    ll_layout a = get_layout(c, "A");
    want_layout_or(c, "layout", ll_rdiv(a, get_layout(c, "B")), LL_ENOTILE);
}

/* ---- Names, order and sizes --------------------------------------------- */

static void op_reshape_ins(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_reshape_in(a, get_shape(c, "newInDims")));
}

static void op_reshape_outs(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_reshape_out(a, get_shape(c, "newOutDims")));
}

static void op_transpose_ins(check_case *c) {
    char order[MAX_TEXT];
    get_names(c, "order", order);
    want_layout(c, "layout", ll_order_in(get_layout(c, "layout"), order));
}

static void op_transpose_outs(check_case *c) {
    char order[MAX_TEXT];
    get_names(c, "order", order);
    want_layout(c, "layout", ll_order_out(get_layout(c, "layout"), order));
}

static ll_layout get_sublayout(check_case *c) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    get_names(c, "inDims", in);
    get_names(c, "outDims", out);
    return ll_sub(get_layout(c, "layout"), in, out);
}

static void op_sublayout(check_case *c) {
    want_layout(c, "layout", get_sublayout(c));
}

static void op_sublayout_is_zero(check_case *c) {
    ll_layout a = get_sublayout(c);
    want_flag(c, "value", ll_is_equal(a, ll_zero(a.in, a.out)));
}

static void op_resize_in_dim(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    ll_dim d = get_dim(c, "dim");
    want_layout(c, "layout", ll_resize_in(a, d, get_number(c, "newSize")));
}

static void op_resize_out_dim(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    ll_dim d = get_dim(c, "dim");
    want_layout(c, "layout", clamp(a, d, get_number(c, "newSize")));
}

static void op_concat_ins(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_concat_in(a, get_layout(c, "other")));
}

static void op_concat_outs(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_concat_out(a, get_layout(c, "other")));
}

/* A shape without one of its dimensions. */
static ll_shape without(ll_shape s, ll_dim d) {
    ll_shape t = none;
    for (unsigned k = 0; k < s.n; ++k) {
        t = s.dim[k] == d ? t : ll_with(t, s.dim[k], ll_size(s, s.dim[k]));
    }
    return t;
}

static void op_squeeze_ins(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout",
                ll_reshape_in(a, without(a.in, get_dim(c, "dim"))));
}

static void op_squeeze_outs(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout",
                ll_reshape_out(a, without(a.out, get_dim(c, "dim"))));
}

static void op_zeros_like(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_zero(a.in, a.out));
}

/* A list of [old name, new name], as two shapes without sizes. */
static void get_renames(check_case *c, const char *key, char *from, char *to) {
    const json_t *list = get_value(c, key);
    ll_shape old = none;
    ll_shape now = none;
    for (size_t k = 0; k < json_array_size(list); ++k) {
        const json_t *pair = json_array_get(list, k);
        old = ll_with(old, read_dim(c, json_array_get(pair, 0)), 1);
        now = ll_with(now, read_dim(c, json_array_get(pair, 1)), 1);
    }
    if (old.err || now.err) {
        fail(c, "%s cannot be two lists of names", key);
    }
    list_of(old, 0, from);
    list_of(now, 0, to);
}

static void op_rename_dims(check_case *c) {
    char from[MAX_TEXT];
    char to[MAX_TEXT];
    ll_layout a = get_layout(c, "layout");
    get_renames(c, "inRenames", from, to);
    a = ll_rename_in(a, from, to);
    get_renames(c, "outRenames", from, to);
    want_layout(c, "layout", ll_rename_out(a, from, to));
}

/* The layout without the columns of d that `drop` marks. */
ll_layout drop_columns(ll_layout a, ll_dim d, unsigned drop) {
    unsigned bits[LL_MAX_BITS] = LL_ZERO;
    unsigned of = 0;
    unsigned n = 0;
    for (; 1u << of < ll_size(a.in, d); ++of) {
        if (!(drop >> of & 1u)) {
            bits[n] = of;
            ++n;
        }
    }
    return ll_permute(a, d, ll_perm_of(of, n, bits));
}

static void op_remove_zero_bases_along_dim(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    ll_dim d = get_dim(c, "dim");
    want_layout(c, "layout", drop_columns(a, d, zero_bits(a, d)));
}

/* The axes beyond the one that goes move up. */
static void op_remove_standard_dim(check_case *c) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    ll_layout a = get_layout(c, "layout");
    list_of(a.in, 0, in);
    list_of(a.out, axis(get_number(c, "dim")), out);
    a = ll_sub(a, in, out);
    ll_shape s = none;
    for (unsigned k = 0; k < a.out.n; ++k) {
        s = ll_with(s, axis(k), ll_size(a.out, a.out.dim[k]));
    }
    want_layout(c, "layout", ll_reshape_out(a, s));
}

static void op_layout_within_block(check_case *c) {
    want_layout(c, "layout",
                ll_resize_in(get_layout(c, "layout"), LL_BLOCK, 1));
}

/* The merge of two lists of names is as of a product without columns. */
static void op_supremum(check_case *c) {
    char text[MAX_TEXT];
    get_names(c, "x", text);
    ll_layout x = ll_zero(ll_shape_of(text), none);
    get_names(c, "y", text);
    ll_layout y = ll_zero(ll_shape_of(text), none);
    want_names(c, "dims", ll_mul(x, y).in);
}

/* ---- Questions ---------------------------------------------------------- */

static void op_is_trivial_over(check_case *c) {
    char dims[MAX_TEXT];
    get_names(c, "dims", dims);
    want_flag(c, "value", ll_is_trivial(get_layout(c, "layout"), dims));
}

static void op_is_identity_on_out_dim(check_case *c) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    ll_layout a = get_layout(c, "layout");
    list_of(a.in, 0, in);
    name_of(get_dim(c, "dim"), out);
    want_flag(c, "value", ll_is_trivial(ll_sub(a, in, out), out));
}

static void op_square_sublayout_is_identity(check_case *c) {
    char dims[MAX_TEXT];
    get_names(c, "dims", dims);
    ll_layout a = ll_sub(get_layout(c, "layout"), dims, dims);
    want_flag(c, "value", ll_is_trivial(a, dims));
}

static void op_quotient(check_case *c) {
    char dims[MAX_TEXT];
    get_names(c, "dims", dims);
    want_layout_or(c, "layout", ll_quotient(get_layout(c, "layout"), dims),
                   LL_ENOTTRIVIAL);
}

/* The packed word of a list of [name, value]. */
static unsigned get_word(check_case *c, const char *key, ll_shape s) {
    const json_t *list = get_value(c, key);
    unsigned word = 0;
    for (size_t k = 0; k < json_array_size(list); ++k) {
        const json_t *pair = json_array_get(list, k);
        ll_dim d = read_dim(c, json_array_get(pair, 0));
        word |= ll_pack(s, d, read_number(c, json_array_get(pair, 1)));
    }
    return word;
}

/* Each output depends on its own rows of the matrix alone, so a layout of more
 * outputs than the library holds is applied as several, side by side. */
static void op_apply(check_case *c) {
    const json_t *value = get_value(c, "layout");
    const json_t *want = json_object_get(c->expect, "outs");
    size_t n = json_array_size(json_object_get(value, "out"));
    if (json_array_size(want) != n) {
        fail(c, "outs has %zu entries, expected %zu", n, json_array_size(want));
    }
    for (size_t first = 0; first < n; first += LL_MAX_DIMS) {
        size_t count = n - first < LL_MAX_DIMS ? n - first : LL_MAX_DIMS;
        ll_layout a = read_outputs(c, value, first, count);
        unsigned y = ll_apply(a, get_word(c, "ins", a.in));
        for (unsigned k = 0; k < a.out.n; ++k) {
            const json_t *pair = json_array_get(want, first + k);
            unsigned got = ll_unpack(a.out, a.out.dim[k], y);
            if (read_dim(c, json_array_get(pair, 0)) != a.out.dim[k] ||
                read_number(c, json_array_get(pair, 1)) != got) {
                fail(c, "output %zu is %u, or has another name", first + k,
                     got);
            }
        }
    }
    ++c->compared;
}

static void op_free_variable_masks(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    unsigned masks[LL_MAX_DIMS] = LL_ZERO;
    for (unsigned k = 0; k < a.in.n; ++k) {
        masks[k] = ll_unpack(a.in, a.in.dim[k], ll_free_bits(a));
    }
    want_pairs(c, "masks", a.in, masks);
}

static void op_num_consecutive_in_out(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_number(c, "value", ll_contiguous(a, a.out.n ? a.out.dim[0] : 0));
}

static void op_contiguous_elems_along_output_dim(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_number(c, "value", ll_along(a, get_dim(c, "outDim")));
}

static void op_properties(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    want_flag(c, "surjective", ll_is_surjective(a));
    want_flag(c, "injective", ll_is_injective(a));
    want_flag(c, "invertible", ll_is_invertible(a));
}

/* All bits of all columns. */
static unsigned any_bit(ll_layout a) {
    unsigned all = 0;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        all |= a.basis[k];
    }
    return all;
}

static void op_output_basis_mask(check_case *c) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    get_names(c, "inDims", in);
    name_of(get_dim(c, "outDim"), out);
    want_number(c, "value", any_bit(ll_sub(get_layout(c, "layout"), in, out)));
}

static void op_input_basis_mask(check_case *c) {
    char in[MAX_TEXT];
    char out[MAX_TEXT];
    ll_dim d = get_dim(c, "inDim");
    name_of(d, in);
    get_names(c, "outDims", out);
    ll_layout a = ll_sub(get_layout(c, "layout"), in, out);
    want_number(c, "value", (ll_size(a.in, d) - 1u) & ~zero_bits(a, d));
}

static void op_factor_maximal_identity_prefix(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    ll_dim in = get_dim(c, "inDim");
    ll_dim out = get_dim(c, "outDim");
    unsigned most = get_number(c, "maxSize");
    ll_layout rest = a;
    unsigned best = 1;
    for (unsigned size = 2; size && size <= most; size *= 2u) {
        ll_layout q = ll_div(a, ll_identity(size, in, out));
        best = q.err ? best : size;
        rest = q.err ? rest : q;
    }
    want_number(c, "size", best);
    want_layout(c, "quotient", rest);
}

/* ---- Tensors ------------------------------------------------------------ */

static void op_identity_standard_nd(check_case *c) {
    unsigned shape[MAX_LIST] = LL_ZERO;
    unsigned order[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "shape", shape);
    ll_dim in = get_dim(c, "inDim");
    ll_layout a = ll_zero(ll_with(none, in, 1), none);
    if (get_numbers(c, "order", order) != n) {
        fail(c, "shape and order differ in length");
    }
    for (unsigned k = 0; k < n && order[k] < n; ++k) {
        a = ll_mul(a, ll_identity(shape[order[k]], in, axis(order[k])));
    }
    want_layout(c, "layout", a);
}

/* The axes of the data stand with the slowest first, packed words with the
 * fastest first. */
static ll_layout turned(ll_layout a) {
    unsigned n = a.out.n;
    ll_shape s = none;
    for (unsigned k = n; k-- > 0;) {
        s = ll_with(s, a.out.dim[k], ll_size(a.out, a.out.dim[k]));
    }
    return onto(a, s);
}

static void op_reshape_layout(check_case *c) {
    unsigned shape[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "shape", shape);
    ll_layout a = get_layout(c, "layout");
    ll_shape s = none;
    for (unsigned k = n; k-- > 0;) {
        s = ll_with(s, axis(k), shape[k]);
    }
    want_layout(c, "layout", turned(ll_reshape_out(turned(a), s)));
}

static void op_transpose_linear_layout(check_case *c) {
    char text[MAX_TEXT];
    unsigned order[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "order", order);
    list_axes(n, order, text);
    ll_layout a = ll_order_out(get_layout(c, "layout"), text);
    ll_shape s = none;
    for (unsigned k = 0; k < n && k < a.out.n; ++k) {
        s = ll_with(s, axis(k), ll_size(a.out, a.out.dim[k]));
    }
    want_layout(c, "layout", ll_reshape_out(a, s));
}

/* The sizes of some outputs, {name: size}; 0 where there is none. */
static unsigned get_extent(check_case *c, ll_dim d) {
    char name[MAX_TEXT];
    name_of(d, name);
    const json_t *value = json_object_get(get_value(c, "shape"), name);
    return value ? read_number(c, value) : 0;
}

static void op_ensure_layout_not_larger_than(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    unsigned before = zero_bits(a, LL_REGISTER);
    int keep = get_flag(c, "broadcastRegisters");
    for (unsigned k = 0; k < a.out.n; ++k) {
        unsigned size = get_extent(c, a.out.dim[k]);
        a = size ? clamp(a, a.out.dim[k], size) : a;
    }
    unsigned drop = zero_bits(a, LL_REGISTER) & ~before;
    want_layout(c, "layout", keep ? a : drop_columns(a, LL_REGISTER, drop));
}

/* The layout repeated along d, in the first input, until it has that size. */
static ll_layout grow(ll_layout a, ll_dim d, unsigned size) {
    unsigned has = ll_size(a.out, d);
    return size <= has || a.in.n == 0
               ? a
               : ll_mul(a, ll_identity(size / has, a.in.dim[0], d));
}

static void op_ensure_layout_not_smaller_than(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    for (unsigned k = 0; k < a.out.n; ++k) {
        a = grow(a, a.out.dim[k], get_extent(c, a.out.dim[k]));
    }
    want_layout(c, "layout", a);
}

ll_layout cut_blocks(ll_layout blocks, unsigned n, const unsigned *shape,
                     unsigned *left) {
    for (unsigned k = 0; k < n; ++k) {
        blocks = clamp(blocks, axis(k), shape[k]);
        left[k] = shape[k] / ll_size(blocks.out, axis(k));
        left[k] = left[k] ? left[k] : 1u;
    }
    return blocks;
}

/* The outputs of a and of the blocks may stand in contradictory orders. */
ll_layout add_blocks(ll_layout a, ll_layout blocks) {
    char text[MAX_TEXT];
    list_of(a.out, 0, text);
    a = ll_mul(a, ll_order_out(blocks, text));
    list_of(blocks.out, 0, text);
    return ll_order_out(a, text);
}

/* Repeated, or cut, along each axis in the order of its outputs. */
static void op_combine_cta_cga_with_shape(check_case *c) {
    unsigned shape[MAX_LIST] = LL_ZERO;
    unsigned left[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "shape", shape);
    ll_layout a = get_layout(c, "ctaLayout");
    ll_layout blocks = cut_blocks(get_layout(c, "cga"), n, shape, left);
    const ll_shape order = a.out;
    for (unsigned k = 0; k < order.n; ++k) {
        for (unsigned m = 0; m < n; ++m) {
            if (order.dim[k] == axis(m)) {
                a = clamp(grow(a, axis(m), left[m]), axis(m), left[m]);
            }
        }
    }
    want_layout(c, "layout", add_blocks(a, blocks));
}

/* ---- Register permutations ---------------------------------------------- */

static ll_perm get_perm(check_case *c, const char *key, unsigned of) {
    unsigned bits[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, key, bits);
    ll_perm p = ll_perm_of(of == ~0u ? n : of, n, bits);
    if (p.err) {
        fail(c, "%s: %s", key, ll_strerror(p.err));
        return ll_perm_of(0, 0, bits);
    }
    return p;
}

static void want_perm(check_case *c, const char *key, ll_perm p) {
    if (p.err) {
        want_null(c, key);
    } else {
        want_numbers(c, key, p.n, p.bit);
    }
}

static void op_column_action_apply_layout(check_case *c) {
    ll_perm p = get_perm(c, "action", get_number(c, "inSizeLog2"));
    ll_layout a = get_layout(c, "layout");
    want_layout(c, "layout", ll_permute(a, get_dim(c, "inDim"), p));
}

static void op_column_action_apply_values(check_case *c) {
    unsigned old[MAX_LIST] = LL_ZERO;
    unsigned now[MAX_LIST] = LL_ZERO;
    unsigned bits = get_number(c, "inSizeLog2");
    ll_perm p = get_perm(c, "action", bits);
    if (bits > 8u || get_numbers(c, "values", old) != 1u << bits) {
        fail(c, "there must be 2^inSizeLog2 values");
        return;
    }
    for (unsigned k = 0; k < 1u << p.n; ++k) {
        now[k] = old[ll_perm_index(p, k)];
    }
    want_numbers(c, "values", 1u << p.n, now);
}

static void op_column_action_inverse(check_case *c) {
    want_perm(c, "action", ll_perm_inv(get_perm(c, "action", ~0u)));
}

static void op_column_action_left_compose(check_case *c) {
    ll_perm p = get_perm(c, "action", ~0u);
    want_perm(c, "action", ll_perm_then(p, get_perm(c, "other", ~0u)));
}

/* The registers in another order: first those that `first` marks. */
static ll_perm marked_first(unsigned of, unsigned first, unsigned rest) {
    unsigned bits[LL_MAX_BITS] = LL_ZERO;
    unsigned n = 0;
    for (unsigned part = 0; part < 2u; ++part) {
        for (unsigned k = 0; k < of && k < LL_MAX_BITS; ++k) {
            if ((part ? rest : first) >> k & 1u) {
                bits[n] = k;
                ++n;
            }
        }
    }
    return ll_perm_of(of, n, bits);
}

/* Bits of the number of registers. */
static unsigned register_bits(ll_layout a) {
    unsigned n = 0;
    while (1u << n < ll_size(a.in, LL_REGISTER)) {
        ++n;
    }
    return n;
}

static void op_action_remove_broadcasted_regs(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    unsigned zeros = zero_bits(a, LL_REGISTER);
    want_perm(c, "action", marked_first(register_bits(a), ~zeros, 0));
}

/* The tile in the low (or high) bits of the outputs of a, and its registers
 * alone. */
static ll_layout tile_within(ll_layout a, ll_layout tile, int left) {
    ll_shape rest = none;
    ll_shape one = none;
    for (unsigned k = 0; k < a.out.n; ++k) {
        unsigned size = ll_size(a.out, a.out.dim[k]);
        unsigned part = ll_size(tile.out, a.out.dim[k]);
        rest = ll_with(rest, a.out.dim[k], part > size ? 1u : size / part);
        one = ll_with(one, a.out.dim[k], part);
    }
    ll_layout pad = ll_zero(none, rest);
    tile = onto(ll_resize_in(tile, LL_REGISTER, ll_size(tile.in, LL_REGISTER)),
                one);
    tile = left ? ll_mul(tile, pad) : ll_mul(pad, tile);
    return columns_of(tile, LL_REGISTER);
}

/* The permutation p and then the bits that it drops; with `last`, these stand
 * before it. */
static ll_perm completed(ll_perm p, int last) {
    unsigned bits[LL_MAX_BITS] = LL_ZERO;
    unsigned taken = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        taken |= 1u << p.bit[k];
    }
    const ll_perm others = marked_first(p.of, ~taken, 0);
    for (unsigned k = 0; k < p.n; ++k) {
        bits[last ? others.n + k : k] = p.bit[k];
    }
    for (unsigned k = 0; k < others.n; ++k) {
        bits[last ? k : p.n + k] = others.bit[k];
    }
    return p.err ? p : ll_perm_of(p.of, p.of, bits);
}

/* The permutation of the registers of a that may make a divisible by a tile.
 * For each register bit of the tile it takes the first bit of a not yet taken
 * that has the same column; these come first (or last), then the others. */
static ll_perm perm_for(ll_layout a, ll_layout tile, int left) {
    const ll_layout t = tile_within(a, tile, left);
    const ll_layout r = columns_of(a, LL_REGISTER);
    unsigned of = register_bits(a);
    unsigned bits[LL_MAX_BITS] = LL_ZERO;
    unsigned taken = 0;
    unsigned n = register_bits(t);
    ll_perm p = ll_perm_of(of, 0, bits);
    p.err = t.err || r.err || n > of ? LL_ENOTILE : LL_OK;
    for (unsigned m = 0; !p.err && m < n; ++m) {
        unsigned k = 0;
        while (k < of && (taken >> k & 1u || r.basis[k] != t.basis[m])) {
            ++k;
        }
        p.err = k == of ? LL_ENOTILE : LL_OK;
        taken |= k == of ? 0u : 1u << k;
        bits[m] = k;
    }
    return p.err ? p : completed(ll_perm_of(of, n, bits), !left);
}

static void op_reg_perm_for_divide(check_case *c) {
    ll_layout a = get_layout(c, "A");
    ll_layout tile = get_layout(c, "B");
    want_perm(c, "action", perm_for(a, tile, get_flag(c, "left")));
}

/* The widest access of at most 128 bits. With a cap on its elements the
 * registers stay in their order. */
static void op_largest_vectorisation(check_case *c) {
    ll_layout a = get_layout(c, "cvt");
    unsigned element = get_number(c, "bitwidth");
    const json_t *cap = get_value(c, "maxVecElems");
    int fixed = !json_is_null(cap);
    unsigned n = element ? 128u / element : 0u;
    unsigned most = fixed ? read_number(c, cap) : n;
    const ll_perm same = marked_first(register_bits(a), ~0u, 0);
    for (n = n < most ? n : most; n > 1u; n /= 2u) {
        ll_layout tile = ll_identity(n, LL_REGISTER, LL_OFFSET);
        ll_perm p = fixed ? same : perm_for(a, tile, 1);
        if (!ll_div(ll_permute(a, LL_REGISTER, p), tile).err) {
            want_number(c, "vecElems", n);
            want_perm(c, "action", p);
            return;
        }
    }
    want_number(c, "vecElems", 1);
    want_perm(c, "action", same);
}

/* What is left of cvt when the tile, wherever its bits are, is taken out of
 * its columns; the rest must keep off the bits of the tile. */
static void op_get_reps(check_case *c) {
    ll_layout a = get_layout(c, "cvt");
    ll_layout tile = get_layout(c, "tile");
    char text[MAX_TEXT];
    unsigned bad = 0;
    const ll_shape in = tile.in;
    for (unsigned k = 0; k < a.in.n; ++k) {
        ll_dim d = a.in.dim[k];
        bad |= ll_size(in, d) > ll_size(a.in, d) ? 1u : 0u;
        tile = ll_resize_in(tile, d, ll_size(a.in, d));
    }
    list_of(a.in, 0, text);
    tile = onto(ll_order_in(tile, text), a.out);
    unsigned mask = any_bit(tile);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.basis[k] ^= tile.basis[k];
        bad |= a.basis[k] & (tile.basis[k] ? ~0u : mask);
    }
    if (tile.err || bad) {
        want_null(c, "layout");
    } else {
        want_layout(c, "layout", a);
    }
}

/* The registers of one instruction first, then those whose bits no address has,
 * so that they may be added to it, then the others. */
static void op_action_additive_strides(check_case *c) {
    ll_layout a = get_layout(c, "layout");
    ll_layout address = get_layout(c, "addrLayout");
    unsigned used =
        any_bit(onto(address, a.out)) |
        ll_pack(a.out, LL_OFFSET, get_number(c, "maskSpanOffsets")) |
        ll_pack(a.out, LL_BLOCK, get_number(c, "maskSpanBlocks"));
    unsigned within = get_number(c, "regsPerInst") - 1u;
    const ll_layout r = columns_of(a, LL_REGISTER);
    unsigned of = register_bits(a);
    unsigned first = 0;
    unsigned count = 1;
    for (unsigned k = 0; k < of; ++k) {
        first |= (within >> k & 1u) || !(r.basis[k] & used) ? 1u << k : 0u;
        count *= first >> k & 1u ? 2u : 1u;
    }
    want_number(c, "numAdditive", count);
    want_perm(c, "action", marked_first(of, first, ~first));
}

/* ---- The table ---------------------------------------------------------- */

const check_op check_algebra[] = {
    {"strided_1d", op_strided_1d},
    {"zeros_1d", op_zeros_1d},
    {"product", op_product},
    {"compose", op_compose},
    {"invert", op_invert},
    {"pseudoinvert", op_pseudoinvert},
    {"invert_and_compose", op_invert_and_compose},
    {"lstsq", op_lstsq},
    {"invert_and_compose_block_local", op_invert_and_compose_block_local},
    {"divide_left", op_divide_left},
    {"divide_right", op_divide_right},
    {"reshape_ins", op_reshape_ins},
    {"reshape_outs", op_reshape_outs},
    {"transpose_ins", op_transpose_ins},
    {"transpose_outs", op_transpose_outs},
    {"sublayout", op_sublayout},
    {"sublayout_is_zero", op_sublayout_is_zero},
    {"is_trivial_over", op_is_trivial_over},
    {"is_identity_on_out_dim", op_is_identity_on_out_dim},
    {"square_sublayout_is_identity", op_square_sublayout_is_identity},
    {"quotient", op_quotient},
    {"apply", op_apply},
    {"free_variable_masks", op_free_variable_masks},
    {"num_consecutive_in_out", op_num_consecutive_in_out},
    {"contiguous_elems_along_output_dim", op_contiguous_elems_along_output_dim},
    {"resize_in_dim", op_resize_in_dim},
    {"resize_out_dim", op_resize_out_dim},
    {"concat_ins", op_concat_ins},
    {"concat_outs", op_concat_outs},
    {"squeeze_ins", op_squeeze_ins},
    {"squeeze_outs", op_squeeze_outs},
    {"zeros_like", op_zeros_like},
    {"rename_dims", op_rename_dims},
    {"remove_zero_bases_along_dim", op_remove_zero_bases_along_dim},
    {"remove_standard_dim", op_remove_standard_dim},
    {"layout_within_block", op_layout_within_block},
    {"properties", op_properties},
    {"supremum", op_supremum},
    {"identity_standard_nd", op_identity_standard_nd},
    {"reshape_layout", op_reshape_layout},
    {"transpose_linear_layout", op_transpose_linear_layout},
    {"ensure_layout_not_larger_than", op_ensure_layout_not_larger_than},
    {"ensure_layout_not_smaller_than", op_ensure_layout_not_smaller_than},
    {"combine_cta_cga_with_shape", op_combine_cta_cga_with_shape},
    {"output_basis_mask", op_output_basis_mask},
    {"input_basis_mask", op_input_basis_mask},
    {"factor_maximal_identity_prefix", op_factor_maximal_identity_prefix},
    {"column_action_apply_layout", op_column_action_apply_layout},
    {"column_action_apply_values", op_column_action_apply_values},
    {"column_action_inverse", op_column_action_inverse},
    {"column_action_left_compose", op_column_action_left_compose},
    {"action_remove_broadcasted_regs", op_action_remove_broadcasted_regs},
    {"reg_perm_for_divide", op_reg_perm_for_divide},
    {"largest_vectorisation", op_largest_vectorisation},
    {"get_reps", op_get_reps},
    {"action_additive_strides", op_action_additive_strides},
    {0, 0},
};
