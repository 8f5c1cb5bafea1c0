/* data_layouts.c - layouts by their family, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * layout_from_encoding: {shape, encoding} -> layout. The encoding has a kind,
 * which is looked up in a table of its own, and parameters. All lists of the
 * data have the slowest axis first, except `order`, which names the axes from
 * the fastest on.
 */
#include "../ll_amd.h"
#include "check_data.h"
#include <string.h>

/* A tensor: its axes are dim0, dim1, .. */
typedef struct tensor {
    unsigned n;
    unsigned size[LL_MAX_DIMS];
} tensor;

typedef struct family {
    const char *kind;
    ll_layout (*make)(check_case *c, tensor t);
} family;

static ll_layout make(check_case *c, const json_t *encoding, tensor t);

/* A list of numbers for the axes, as a shape in the order of `order`. */
static ll_shape in_order(check_case *c, unsigned n, const unsigned *order,
                         const unsigned *count) {
    ll_shape s = LL_ZERO;
    for (unsigned k = 0; k < n; ++k) {
        s = ll_with(s, axis(order[k]), order[k] < n ? count[order[k]] : 0);
    }
    if (s.err) {
        fail(c, "sizes: %s", ll_strerror(s.err));
    }
    return s;
}

static ll_shape get_counts(check_case *c, const char *key, tensor t,
                           const unsigned *order) {
    unsigned count[MAX_LIST] = LL_ZERO;
    if (get_numbers(c, key, count) != t.n) {
        fail(c, "%s needs a number for each axis", key);
    }
    return in_order(c, t.n, order, count);
}

static ll_layout make_blocked(check_case *c, tensor t) {
    unsigned left[LL_MAX_DIMS] = LL_ZERO;
    unsigned order[MAX_LIST] = LL_ZERO;
    if (get_numbers(c, "order", order) != t.n) {
        fail(c, "order does not name each axis once");
    }
    ll_layout blocks = cut_blocks(get_layout(c, "cga"), t.n, t.size, left);
    ll_layout a = ll_blocked(in_order(c, t.n, order, left),
                             get_counts(c, "sizePerThread", t, order),
                             get_counts(c, "threadsPerWarp", t, order),
                             get_counts(c, "warpsPerCTA", t, order));
    return add_blocks(a, blocks);
}

/* The parent on the tensor with one more axis of size 1, which is then taken
 * away, and with it the registers that hold copies. */
static ll_layout make_slice(check_case *c, tensor t) {
    unsigned at = get_number(c, "dim");
    tensor wide = t;
    ll_shape s = LL_ZERO;
    if (at > t.n || t.n >= LL_MAX_DIMS) {
        fail(c, "there is no room for axis %u", at);
        return ll_zero(s, s);
    }
    wide.size[at] = 1;
    ++wide.n;
    for (unsigned k = 0; k < t.n; ++k) {
        wide.size[k < at ? k : k + 1u] = t.size[k];
        s = ll_with(s, axis(k), t.size[k]);
    }
    ll_layout a = make(c, get_value(c, "parent"), wide);
    return drop_columns(ll_reshape_out(a, s), LL_REGISTER,
                        zero_bits(a, LL_REGISTER));
}

static ll_layout make_amd_rotating(check_case *c, tensor t) {
    unsigned left[LL_MAX_DIMS] = LL_ZERO;
    unsigned order[MAX_LIST] = LL_ZERO;
    if (get_numbers(c, "order", order) != t.n) {
        fail(c, "order does not name each axis once");
    }
    ll_layout blocks = cut_blocks(get_layout(c, "cga"), t.n, t.size, left);
    ll_layout a = ll_amd_rotating(
        in_order(c, t.n, order, left), get_number(c, "vec"),
        get_number(c, "perPhase"), get_number(c, "maxPhase"));
    return add_blocks(a, blocks);
}

static const family families[] = {
    {"blocked", make_blocked},
    {"amd_rotating_shared", make_amd_rotating},
    {"slice", make_slice},
};

static ll_layout make(check_case *c, const json_t *encoding, tensor t) {
    const char *kind = json_string_value(json_object_get(encoding, "kind"));
    const ll_shape none = LL_ZERO;
    ll_layout a = ll_zero(none, none);
    check_case inner = *c;
    inner.params = encoding;
    for (size_t k = 0; k < sizeof families / sizeof *families; ++k) {
        if (kind && strcmp(kind, families[k].kind) == 0) {
            a = families[k].make(&inner, t);
            if (inner.why[0]) {
                fail(c, "%s", inner.why);
            }
            return a;
        }
    }
    fail(c, "not implemented: %s", kind ? kind : "an encoding without a kind");
    return a;
}

static void op_layout_from_encoding(check_case *c) {
    unsigned shape[MAX_LIST] = LL_ZERO;
    tensor t = LL_ZERO;
    t.n = get_numbers(c, "shape", shape);
    if (t.n > LL_MAX_DIMS) {
        fail(c, "%s", ll_strerror(LL_EDIMS));
        t.n = 0;
    }
    for (unsigned k = 0; k < t.n; ++k) {
        t.size[k] = shape[k];
    }
    want_layout(c, "layout", make(c, get_value(c, "encoding"), t));
}

const check_op check_layouts[] = {
    {"layout_from_encoding", op_layout_from_encoding},
    {0, 0},
};
