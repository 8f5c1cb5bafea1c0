/* data_shapes.c - the shape operations of a tensor program, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * The axes of the data are called dim0, dim1, .., with the slowest first in
 * every list; those of the library i, j, .., with the fastest first.
 */
#include "check_data.h"

/* The layout with the axes of the library. */
static ll_layout get_source(check_case *c) {
    ll_layout a = get_layout(c, "src");
    unsigned sizes[LL_MAX_DIMS] = LL_ZERO;
    unsigned shape[MAX_LIST] = LL_ZERO;
    unsigned order[LL_MAX_DIMS] = LL_ZERO;
    unsigned n = get_numbers(c, "shape", shape);
    char text[MAX_TEXT];
    for (unsigned k = 0; k < a.out.n; ++k) {
        sizes[k] = ll_size(a.out, axis(k));
        order[k] = a.out.n - 1u - k;
        if (n != a.out.n || sizes[k] != shape[k]) {
            fail(c, "src does not have the shape");
        }
    }
    list_axes(a.out.n, order, text);
    return ll_reshape_out(ll_order_out(a, text), ll_tensor(a.out.n, sizes));
}

/* Compares a layout with the axes of the library, and its shape. */
static void want_result(check_case *c, ll_layout a) {
    unsigned shape[MAX_LIST] = LL_ZERO;
    unsigned order[LL_MAX_DIMS] = LL_ZERO;
    unsigned n = get_numbers(c, "resultShape", shape);
    ll_shape s = LL_ZERO;
    char text[MAX_TEXT];
    if (a.err || n != a.out.n) {
        fail(c, "%s, and %u axes", ll_strerror(a.err), a.out.n);
        ++c->compared;
        return;
    }
    for (unsigned k = 0; k < n; ++k) {
        unsigned size = ll_size(a.out, ll_axis(k));
        order[k] = k;
        if (size != shape[k]) {
            fail(c, "axis %u has size %u, expected %u", k, size, shape[k]);
        }
    }
    for (unsigned k = n; k-- > 0;) {
        s = ll_with(s, axis(k), shape[k]);
    }
    list_axes(n, order, text);
    want_layout(c, "layout", ll_order_out(ll_reshape_out(a, s), text));
}

static void op_infer_trans(check_case *c) {
    unsigned order[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "order", order);
    ll_shape s = LL_ZERO;
    char text[MAX_TEXT];
    for (unsigned k = 0; k < n; ++k) {
        s = ll_with(s, ll_axis(order[k]), 1);
    }
    list_of(s, 0, text);
    want_result(c, ll_trans(get_source(c), text));
}

static void op_infer_reshape(check_case *c) {
    unsigned shape[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "resultShape", shape);
    want_result(c, ll_reshape_out(get_source(c), ll_tensor(n, shape)));
}

static void op_infer_expand_dims(check_case *c) {
    want_result(c, ll_unsqueeze(get_source(c), get_number(c, "axis")));
}

static void op_infer_reduce(check_case *c) {
    want_result(c, ll_reduce(get_source(c), get_number(c, "axis")));
}

static void op_infer_join(check_case *c) {
    want_result(c, ll_join(get_source(c)));
}

static void op_infer_split(check_case *c) {
    want_result(c, ll_split(get_source(c)));
}

/* Two elements where there was one, side by side in registers. */
static void op_infer_fp4_to_fp(check_case *c) {
    ll_dim d = ll_axis(get_number(c, "axis"));
    want_result(c, ll_mul(ll_identity(2, LL_REGISTER, d), get_source(c)));
}

const check_op check_shapes[] = {
    {"infer_trans", op_infer_trans},
    {"infer_reshape", op_infer_reshape},
    {"infer_expand_dims", op_infer_expand_dims},
    {"infer_reduce", op_infer_reduce},
    {"infer_join", op_infer_join},
    {"infer_split", op_infer_split},
    {"infer_fp4_to_fp", op_infer_fp4_to_fp},
    {0, 0},
};
