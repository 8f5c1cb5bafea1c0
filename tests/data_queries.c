/* data_queries.c - what Triton reads off a layout, and the swizzle that it takes
 * for an operand, for check_data.c.
 * SPDX-License-Identifier: MIT
 */
#include "data_tri.h"
#include <string.h>

/* ---- Reading a layout --------------------------------------------------- */

columns input_columns(ll_layout a, ll_dim in) {
    columns l = LL_ZERO;
    for (; 1u << l.n < ll_size(a.in, in) && l.n < LL_MAX_BITS; ++l.n) {
        l.v[l.n] = ll_apply(a, ll_pack(a.in, in, 1u << l.n));
    }
    return l;
}

/* The first axis that a column touches; the rank if there is none. */
static unsigned axis_of(ll_layout a, unsigned column) {
    unsigned k = 0;
    while (k < a.out.n && ll_unpack(a.out, axis(k), column) == 0) {
        ++k;
    }
    return k;
}

/* How many inputs there are along each axis. */
static tensor count_of(ll_layout a, columns l) {
    tensor t = LL_ZERO;
    for (; t.n < a.out.n; ++t.n) {
        t.size[t.n] = 1;
    }
    for (unsigned k = 0; k < l.n; ++k) {
        unsigned d = axis_of(a, l.v[k]);
        if (d < t.n) {
            t.size[d] *= 2u;
        }
    }
    return t;
}

/* The axes in the order of their first column, then the others, last first. */
static tensor order_of(ll_layout a, columns l) {
    tensor order = LL_ZERO;
    unsigned seen = 0;
    for (unsigned k = 0; k < l.n + a.out.n; ++k) {
        unsigned d =
            k < l.n ? axis_of(a, l.v[k]) : a.out.n - 1u - (k - l.n);
        if (d < a.out.n && !(seen >> d & 1u)) {
            order.size[order.n++] = d;
            seen |= 1u << d;
        }
    }
    return order;
}

/* The neighbours that the first registers hold along each axis. */
static tensor contiguous_of(ll_layout a, columns l, tensor order) {
    const columns nothing = LL_ZERO;
    tensor t = count_of(a, nothing);
    unsigned k = 0;
    for (unsigned m = 0; m < order.n; ++m) {
        unsigned d = order.size[m];
        while (k < l.n && l.v[k] == ll_pack(a.out, axis(d), t.size[d])) {
            t.size[d] *= 2u;
            ++k;
        }
    }
    return t;
}

/* The registers without the last ones that only repeat the whole. */
static columns without_repetitions(ll_layout a, columns l) {
    unsigned size[LL_MAX_DIMS] = LL_ZERO;
    for (unsigned d = 0; d < a.out.n; ++d) {
        size[d] = ll_size(a.out, axis(d));
    }
    while (l.n) {
        unsigned last = l.v[l.n - 1u];
        unsigned d = axis_of(a, last);
        if (d == a.out.n || last != ll_pack(a.out, axis(d), size[d] / 2u)) {
            break;
        }
        size[d] /= 2u;
        --l.n;
    }
    return l;
}

static void op_linear_queries(check_case *c) {
    const ll_layout a = get_layout(c, "layout");
    const columns r = input_columns(a, LL_REGISTER);
    const columns lanes = input_columns(a, LL_LANE);
    const columns warps = input_columns(a, LL_WARP);
    const tensor order = order_of(a, r);
    const struct {
        const char *key;
        tensor is;
    } want[] = {
        {"contigPerThread", contiguous_of(a, r, order)},
        {"elemsPerThread", count_of(a, r)},
        {"sizePerThread", count_of(a, without_repetitions(a, r))},
        {"threadsPerWarp", count_of(a, lanes)},
        {"warpsPerCTA", count_of(a, warps)},
        {"order", order},
        {"threadOrder", order_of(a, lanes)},
        {"warpOrder", order_of(a, warps)},
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; ++k) {
        want_numbers(c, want[k].key, want[k].is.n, want[k].is.size);
    }
}

/* ---- The swizzle for an operand ----------------------------------------- */

typedef struct swizzle_of {
    unsigned vec, per_phase, max_phase;
} swizzle_of;

static unsigned over(unsigned a, unsigned b) { return b ? a / b : 0u; }

static unsigned at_least_1(unsigned a) { return a ? a : 1u; }

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* 128 bytes a phase; the accesses of a matrix load are 8 rows of 16 bytes. */
static swizzle_of for_nvidia(unsigned width, unsigned inner, unsigned bits,
                             int k_inside) {
    swizzle_of s = LL_ZERO;
    const unsigned rows = bits == 64u ? 4u : 8u;
    const unsigned stride = k_inside ? rows : 4u * width;
    s.vec = k_inside ? 4u * width : rows;
    s.per_phase = at_least_1(over(1024, bits * inner));
    const unsigned most = at_least_1(least(stride, over(1024, s.vec * bits)));
    s.max_phase = at_least_1(most / s.per_phase);
    return s;
}

/* All banks a phase, and at most as many phases as lanes read side by side. */
static swizzle_of for_amd(unsigned vec, unsigned inner, unsigned bits,
                          unsigned banks, unsigned lanes) {
    swizzle_of s = LL_ZERO;
    s.vec = vec;
    s.per_phase = at_least_1(over(over(32u * banks, bits), inner));
    s.max_phase = at_least_1(least(lanes / s.per_phase, over(inner, vec)));
    return s;
}

static swizzle_of for_operand(check_case *parent, unsigned width,
                              unsigned inner, unsigned bits, int k_inside) {
    const json_t *name = get_value(parent, "kind");
    const char *kind = json_string_value(name);
    const swizzle_of plain = {1, 1, 1};
    if (!kind || strcmp(kind, "nvidia_mma") == 0) {
        return for_nvidia(width, inner, bits, k_inside);
    }
    const tensor instr = get_each(parent, "instrShape", 3);
    const unsigned version = get_number(parent, "version");
    if (strcmp(kind, "amd_wmma") == 0) {
        width = least(width, over(128, bits));
        return k_inside ? for_amd(width, inner, bits, 32, instr.size[0])
                        : plain;
    }
    const int gfx950 = version == 4u;
    const int turns = gfx950 && (bits == 8u || bits == 16u);
    return k_inside || turns ? for_amd(width, inner, bits, gfx950 ? 64 : 32, 16)
                             : plain;
}

static void op_swizzled_shared_params(check_case *c) {
    check_case operand = *c;
    operand.params = get_value(c, "dotOperand");
    check_case parent = operand;
    parent.params = get_value(&operand, "parent");
    const tensor t = get_tensor(c, "shape");
    const tensor order = get_each(c, "order", t.n);
    const unsigned b = get_number(&operand, "opIdx") ? 1u : 0u;
    const unsigned inner = order.size[0];
    if (t.n < 2u || inner >= t.n) {
        fail(c, "an operand has two axes");
        return;
    }
    const swizzle_of s =
        for_operand(&parent, get_number(&operand, "kWidth"), t.size[inner],
                    get_number(c, "bitwidth"), inner == t.n - 1u - b);
    want_number(c, "vec", s.vec);
    want_number(c, "perPhase", s.per_phase);
    want_number(c, "maxPhase", s.max_phase);
    if (parent.why[0] || operand.why[0]) {
        fail(c, "%s%s", parent.why, operand.why);
    }
}

const check_op check_queries[] = {
    {"linear_queries", op_linear_queries},
    {"swizzled_shared_params_for_dot_operand", op_swizzled_shared_params},
    {0, 0},
};
