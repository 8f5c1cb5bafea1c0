/* data_layouts.c - layouts by their family, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * layout_from_encoding: {shape, encoding} -> layout. The encoding has a kind,
 * which is looked up in the tables of families, and parameters. All lists of
 * the data have the slowest axis first, except `order`, which names the axes from
 * the fastest on. Here are the families that belong to no vendor.
 */
#include "../bench/device/padded.h"
#include "data_tri.h"
#include <stdio.h>
#include <string.h>

/* ---- Tensors and products ----------------------------------------------- */

tensor get_tensor(check_case *c, const char *key) {
    unsigned numbers[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, key, numbers);
    tensor t = LL_ZERO;
    if (n > LL_MAX_DIMS) {
        fail(c, "%s", ll_strerror(LL_EDIMS));
        n = 0;
    }
    for (unsigned k = 0; k < n; ++k) {
        t.size[k] = numbers[k];
    }
    t.n = n;
    return t;
}

tensor get_each(check_case *c, const char *key, unsigned rank) {
    tensor t = get_tensor(c, key);
    if (t.n != rank) {
        fail(c, "%s needs a number for each axis", key);
        t.n = rank;
    }
    return t;
}

tensor matrix_first(unsigned n, unsigned inner, unsigned outer) {
    tensor order = LL_ZERO;
    if (inner < n) {
        order.size[order.n++] = inner;
    }
    if (outer < n) {
        order.size[order.n++] = outer;
    }
    for (unsigned k = n; k-- > 0;) {
        if (k != inner && k != outer) {
            order.size[order.n++] = k;
        }
    }
    return order;
}

tensor last_first(unsigned n) { return matrix_first(n, n, n); }

tensor first_first(unsigned n) {
    tensor order = LL_ZERO;
    for (; order.n < n; ++order.n) {
        order.size[order.n] = order.n;
    }
    return order;
}

/* The sizes of a tensor in an order of its axes. */
static ll_shape in_order(tensor t, tensor order) {
    ll_shape s = LL_ZERO;
    for (unsigned k = 0; k < order.n; ++k) {
        unsigned d = order.size[k];
        s = ll_with(s, axis(d), d < t.n ? t.size[d] : 0u);
    }
    return s;
}

ll_layout start(const char *inputs, tensor order) {
    tensor one = order;
    for (unsigned k = 0; k < one.n; ++k) {
        one.size[k] = 1;
    }
    return ll_zero(ll_shape_of(inputs), in_order(one, order));
}

ll_layout along(ll_layout a, ll_dim in, unsigned count, unsigned d) {
    return ll_mul(a, ll_identity(count, in, axis(d)));
}

ll_layout copies(ll_layout a, ll_dim in, unsigned count) {
    return ll_mul(a, ll_zeros(count, in, a.out.dim[0], 1));
}

ll_layout along_all(ll_layout a, ll_dim in, tensor count, tensor order,
                    unsigned except) {
    for (unsigned k = 0; k < order.n; ++k) {
        unsigned d = order.size[k];
        unsigned n = d < count.n ? count.size[d] : 0u;
        a = d == except ? copies(a, in, n) : along(a, in, n, d);
    }
    return a;
}

ll_layout operand_along(ll_layout a, ll_layout operand, unsigned rows,
                        unsigned cols) {
    const int swap =
        ll_shape_find_(&a.out, axis(rows)) > ll_shape_find_(&a.out, axis(cols));
    const unsigned named[2] = {rows, cols};
    const unsigned order[2] = {named[swap], named[!swap]};
    char text[MAX_TEXT];
    list_axes(2, named, text);
    operand = ll_rename_out(operand, "i j", text);
    list_axes(2, order, text);
    return ll_mul(a, ll_order_out(operand, text));
}

ll_layout rest_along(ll_layout a, ll_dim in, unsigned size, unsigned d) {
    unsigned has = ll_size(a.out, axis(d));
    return along(a, in, has && size > has ? size / has : 1u, d);
}

ll_layout get_blocks(check_case *c, unsigned rank) {
    return json_object_get(c->params, "cga")
               ? get_layout(c, "cga")
               : start("block", first_first(rank));
}

tensor part_of(ll_layout blocks, tensor t) {
    tensor part = t;
    cut_blocks(blocks, t.n, t.size, part.size);
    return part;
}

ll_layout fit(ll_layout a, ll_layout blocks, tensor t) {
    tensor part = t;
    ll_shape s = LL_ZERO;
    blocks = cut_blocks(blocks, t.n, t.size, part.size);
    for (unsigned k = 0; k < a.out.n; ++k) {
        for (unsigned d = 0; d < t.n; ++d) {
            if (a.out.dim[k] == axis(d)) {
                s = ll_with(s, axis(d), part.size[d]);
            }
        }
    }
    return add_blocks(ll_tiled(a, s, ll_shape_of("")), blocks);
}

/* ---- Families ----------------------------------------------------------- */

static ll_layout make_blocked(check_case *c, tensor t) {
    const tensor order = get_each(c, "order", t.n);
    const ll_layout blocks = get_blocks(c, t.n);
    const ll_layout a =
        ll_blocked(in_order(part_of(blocks, t), order),
                   in_order(get_each(c, "sizePerThread", t.n), order),
                   in_order(get_each(c, "threadsPerWarp", t.n), order),
                   in_order(get_each(c, "warpsPerCTA", t.n), order));
    return fit(a, blocks, t);
}

/* An operand of a product that each lane makes alone: it holds all of k. */
static ll_layout make_blocked_operand(check_case *c, tensor t) {
    const unsigned k = t.n - (get_number(c, "opIdx") ? 2u : 1u);
    const tensor order = get_each(c, "order", t.n);
    const ll_layout blocks = clamp(get_blocks(c, t.n), axis(k), 1);
    tensor size = get_each(c, "sizePerThread", t.n);
    ll_layout a = start("register lane warp", order);
    if (k >= t.n) {
        fail(c, "an operand has two axes");
        return a;
    }
    size.size[k] = part_of(blocks, t).size[k];
    a = along_all(a, LL_REGISTER, size, order, NO_AXIS);
    a = along_all(a, LL_LANE, get_each(c, "threadsPerWarp", t.n), order, k);
    a = along_all(a, LL_WARP, get_each(c, "warpsPerCTA", t.n), order, k);
    return fit(a, blocks, t);
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

/* A mark for each bit of the numbers below the size. */
static unsigned ones(unsigned size) {
    unsigned mask = 0;
    for (unsigned k = 0; k < 31u && 1u << k < size; ++k) {
        mask |= 1u << k;
    }
    return mask;
}

/* Memory whose rows are swizzled. A swizzle beyond the columns is as of a
 * wider matrix, cut. */
typedef ll_layout swizzle(ll_shape s, unsigned vec, unsigned per_phase,
                          unsigned max_phase);

static ll_layout make_memory(check_case *c, tensor t, swizzle *make_rows) {
    const tensor order = get_each(c, "order", t.n);
    const ll_layout blocks = get_blocks(c, t.n);
    const tensor part = part_of(blocks, t);
    const unsigned col = order.n ? order.size[0] : 0u;
    const unsigned vec = t.n > 1u ? get_number(c, "vec") : 1u;
    const unsigned phases = t.n > 1u ? get_number(c, "maxPhase") : 1u;
    tensor wide = part;
    if (t.n == 0 || col >= t.n) {
        fail(c, "order does not name an axis");
        return start("offset", first_first(t.n));
    }
    const unsigned has = part.size[col];
    wide.size[col] = vec * phases > has ? vec * phases : has;
    ll_layout a = make_rows(in_order(wide, order), vec,
                            get_number(c, "perPhase"), phases);
    a = drop_columns(a, LL_OFFSET, ones(wide.size[col]) & ~ones(has));
    return fit(ll_resize_out(a, axis(col), has), blocks, t);
}

static ll_layout make_swizzled(check_case *c, tensor t) {
    belongs("ll_swizzled");
    return make_memory(c, t, ll_swizzled);
}

static ll_layout make_rotating(check_case *c, tensor t) {
    belongs("ll_swizzled");
    return make_memory(c, t, ll_rotated);
}

static const family basic_families[] = {
    {"blocked", make_blocked},
    {"slice", make_slice},
    {"dot_operand<blocked>", make_blocked_operand},
    {"swizzled_shared", make_swizzled},
    {"amd_rotating_shared", make_rotating},
    {0, 0},
};

static const family *find_family(const char *kind) {
    const family *const tables[] = {basic_families, nvidia_families,
                                    amd_families};
    for (unsigned k = 0; k < 3u; ++k) {
        for (const family *f = tables[k]; f->kind; ++f) {
            if (strcmp(f->kind, kind) == 0) {
                return f;
            }
        }
    }
    return NULL;
}

/* An operand is a family of its parent, with the parameters of both. */
ll_layout make(check_case *c, const json_t *encoding, tensor t) {
    const char *kind = json_string_value(json_object_get(encoding, "kind"));
    json_t *all = json_copy(json_object_get(encoding, "parent"));
    const json_t *parent = json_object_get(all, "kind");
    char name[64];
    int operand = kind && strcmp(kind, "dot_operand") == 0;
    snprintf(name, sizeof name, operand ? "%s<%s>" : "%s",
             kind ? kind : "an encoding without a kind",
             parent ? json_string_value(parent) : "");
    const family *f = find_family(name);
    check_case inner = *c;
    inner.params = encoding;
    if (operand && all) {
        json_object_set(all, "opIdx", json_object_get(encoding, "opIdx"));
        json_object_set(all, "kWidth", json_object_get(encoding, "kWidth"));
        inner.params = all;
    }
    ll_layout a = f ? f->make(&inner, t) : start("register", first_first(t.n));
    json_decref(all);
    if (!f) {
        fail(c, "not implemented: %s", name);
    } else if (inner.why[0]) {
        fail(c, "%s", inner.why);
    }
    return a;
}

static void op_layout_from_encoding(check_case *c) {
    tensor t = get_tensor(c, "shape");
    want_layout(c, "layout", make(c, get_value(c, "encoding"), t));
}

/* ---- Operations on layouts of memory ------------------------------------ */

/* Along each axis some blocks, and copies of these. */
static void op_cga_from_split_params(check_case *c) {
    const tensor blocks = get_tensor(c, "ctasPerCGA");
    const tensor split = get_each(c, "ctaSplitNum", blocks.n);
    const tensor order = get_each(c, "ctaOrder", blocks.n);
    char text[MAX_TEXT];
    ll_layout a = start("block", order);
    for (unsigned k = 0; k < order.n; ++k) {
        unsigned d = order.size[k];
        if (d < blocks.n && split.size[d]) {
            a = along(a, LL_BLOCK, split.size[d], d);
            a = copies(a, LL_BLOCK, blocks.size[d] / split.size[d]);
        }
    }
    list_axes(order.n, first_first(order.n).size, text);
    want_layout(c, "layout", ll_order_out(a, text));
}

/* The tensor goes through memory in parts of the size repShape. */
static void op_choose_shmem(check_case *c) {
    const tensor all = get_tensor(c, "tensorShape");
    const tensor part = get_each(c, "repShape", all.n);
    const tensor order = get_each(c, "order", all.n);
    const ll_dim again = ll_dim_of("iteration");
    ll_layout a = start("offset iteration block", order);
    a = along_all(a, LL_OFFSET, part, order, NO_AXIS);
    for (unsigned k = 0; k < order.n; ++k) {
        unsigned d = order.size[k];
        a = rest_along(a, again, d < all.n ? all.size[d] : 0u, d);
    }
    want_layout(c, "layout", a);
}

/* Where an offset goes with pads after several intervals. */
static unsigned padded(check_case *c, unsigned offset) {
    const json_t *list = get_value(c, "intervalPads");
    unsigned at = offset;
    for (size_t k = 0; k < json_array_size(list); ++k) {
        unsigned pair[MAX_LIST] = LL_ZERO;
        if (read_numbers(c, json_array_get(list, k), pair) != 2u) {
            fail(c, "a pad is an interval and a number of elements");
        }
        at += padded_offset(offset, pair[0], pair[1]) - offset;
    }
    return at;
}

static void op_padded_offset(check_case *c) {
    unsigned offset[MAX_LIST] = LL_ZERO;
    unsigned n = get_numbers(c, "offsets", offset);
    for (unsigned k = 0; k < n; ++k) {
        offset[k] = padded(c, offset[k]);
    }
    want_numbers(c, "positions", n, offset);
}

/* One more than the place of the last element. */
static void op_padded_size(check_case *c) {
    const tensor t = get_tensor(c, "shape");
    unsigned n = 1;
    for (unsigned k = 0; k < t.n; ++k) {
        n *= t.size[k];
    }
    want_number(c, "value", n ? padded(c, n - 1u) + 1u : 0u);
}

static void op_padded_linear_component(check_case *c) {
    const tensor t = get_tensor(c, "shape");
    const tensor order = get_each(c, "order", t.n);
    want_layout(c, "layout",
                fit(ll_row_major(in_order(t, order)), get_blocks(c, t.n), t));
}

const check_op check_layouts[] = {
    {"layout_from_encoding", op_layout_from_encoding},
    {"cga_from_split_params", op_cga_from_split_params},
    {"choose_shmem_layout_for_reg_to_reg", op_choose_shmem},
    {"padded_offset", op_padded_offset},
    {"padded_size", op_padded_size},
    {"padded_linear_component", op_padded_linear_component},
    {0, 0},
};
