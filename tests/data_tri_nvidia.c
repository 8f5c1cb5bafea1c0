/* data_tri_nvidia.c - Triton's layouts for machines of NVIDIA, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * Composed from the operands and tiles of ll_ptx.h by Triton's rules: how warps
 * are ordered, what is repeated first, how tensor memory is filled.
 */
#include "../ll_ptx.h"
#include "data_tri.h"
#include <string.h>

/* ---- Registers of mma.sync and wgmma ------------------------------------ */

/* The tile that all of them share, m x n along the axes outer and inner: 8 rows
 * of an operand with `width` elements in 32 bits; the rest is in
 * registers, outer axis first. */
static ll_layout mma_tile(tensor order, unsigned m, unsigned n, unsigned width,
                          unsigned inner, unsigned outer) {
    ll_layout a = start("register lane", order);
    a = operand_along(
        a, ll_ptx_fragment_a(8, 4u * width, width ? 32u / width : 0u), outer,
        inner);
    a = rest_along(a, LL_REGISTER, m, outer);
    return rest_along(a, LL_REGISTER, n, inner);
}

static void op_nvidia_mma_tile(check_case *c) {
    const tensor size = get_tensor(c, "tileShape");
    const tensor order = get_each(c, "order", size.n);
    const tensor again = get_each(c, "repOrder", size.n);
    const unsigned inner = order.size[0];
    const unsigned outer = order.size[1];
    if (size.n < 2u || inner >= size.n || outer >= size.n) {
        fail(c, "a tile has two axes");
        return;
    }
    want_layout(c, "layout",
                mma_tile(again, size.size[outer], size.size[inner],
                         get_number(c, "kWidth"), inner, outer));
}

/* The warps of mma.sync go along the last axis first, those of wgmma (version
 * 3) along the first. */
static tensor warp_order(check_case *c, unsigned n) {
    return get_number(c, "versionMajor") == 3u ? first_first(n) : last_first(n);
}

static int is_matrix(check_case *c, tensor t) {
    if (t.n < 2u) {
        fail(c, "a matrix has two axes");
    }
    return t.n >= 2u;
}

static ll_layout make_accumulator(check_case *c, tensor t) {
    const tensor instr = get_tensor(c, "instrShape");
    const unsigned at = get_number(c, "versionMajor") == 3u ? 0u : t.n - 2u;
    ll_layout a = start("register", first_first(t.n));
    if (!is_matrix(c, t) || instr.n < at + 2u) {
        return a;
    }
    a = mma_tile(last_first(t.n), instr.size[at], instr.size[at + 1u], 2,
                 t.n - 1u, t.n - 2u);
    a = along_all(a, LL_WARP, get_each(c, "warpsPerCTA", t.n),
                  warp_order(c, t.n), NO_AXIS);
    return fit(a, get_blocks(c, t.n), t);
}

/* 16 rows of A or 8 columns of B, and twice four times `width` along k; for
 * double precision, half of that. */
static ll_layout make_operand(check_case *c, tensor t) {
    const unsigned b = get_number(c, "opIdx");
    const unsigned width = get_number(c, "kWidth");
    const tensor instr = get_tensor(c, "instrShape");
    ll_layout a = start("register", first_first(t.n));
    if (!is_matrix(c, t) || b > 1u || instr.n < 2u) {
        return a;
    }
    const unsigned k = t.n - 1u - b;
    const unsigned other = t.n - 2u + b;
    const int small =
        get_number(c, "versionMajor") == 2u && instr.size[instr.n - 2u] == 8u;
    a = mma_tile(matrix_first(t.n, k, other), b || small ? 8 : 16,
                 small ? 4u * width : 8u * width, width, k, other);
    a = along_all(a, LL_WARP, get_each(c, "warpsPerCTA", t.n),
                  warp_order(c, t.n), k);
    return fit(a, clamp(get_blocks(c, t.n), axis(k), 1), t);
}

/* ---- Shared memory of wgmma and TMA ------------------------------------- */

/* Eight rows of as many bytes as are swizzled; with pads (of 4-bit elements),
 * each 16 places hold 8 elements twice. */
static ll_layout core_matrix(check_case *c, int plain) {
    const unsigned bytes = get_number(c, "swizzlingByteWidth");
    const unsigned bits = get_number(c, "elementBitWidth");
    const unsigned wide = bytes > 16u ? bytes : 16u;
    const unsigned cols = bits ? 8u * wide / bits : 0u;
    const unsigned sizes[2] = {8, cols};
    ll_layout a = operand_along(
        start("offset", first_first(2)),
        plain ? ll_row_major(ll_tensor(2, sizes))
              : ll_ptx_smem_k(8, cols, bits, bytes < 32u ? 0u : bytes),
        0, 1);
    if (get_flag(c, "fp4Padded")) {
        ll_layout fold = ll_identity(8, axis(0), axis(0));
        fold = along(fold, axis(1), 8, 1);
        fold = ll_mul(fold, ll_zeros(2, axis(1), axis(1), 1));
        a = ll_compose(along(fold, axis(1), cols / 16u, 1), a);
    }
    return a;
}

static void op_nvmma_core_matrix(check_case *c) {
    check_case inner = *c;
    inner.params = get_value(c, "encoding");
    want_layout(c, "layout",
                core_matrix(&inner, get_flag(c, "disableSwizzle")));
    if (inner.why[0]) {
        fail(c, "%s", inner.why);
    }
}

/* What one TMA instruction copies: at most 256 along each axis, and one row of
 * a core matrix along the contiguous one. */
static tensor tma_box(check_case *c, tensor part) {
    const unsigned bytes = get_number(c, "swizzlingByteWidth");
    const unsigned bits = get_number(c, "elementBitWidth");
    const unsigned pads = get_flag(c, "fp4Padded") ? 2u : 1u;
    const unsigned fast = get_flag(c, "transposed") ? 0u : part.n - 1u;
    tensor box = part;
    box.size[fast] *= pads;
    for (unsigned k = 0; k < box.n; ++k) {
        box.size[k] = box.size[k] < 256u ? box.size[k] : 256u;
    }
    if (bytes && bits) {
        box.size[fast] = 8u * bytes / bits;
    }
    box.size[fast] /= pads;
    return box;
}

/* The box seen as a matrix of core matrices, with all axes but the last, or (if
 * transposed) all but the first, in its rows or columns. */
static ll_layout swizzled_box(check_case *c, tensor box) {
    const unsigned turned = get_flag(c, "transposed") ? 1u : 0u;
    const unsigned last = box.size[box.n - 1u];
    unsigned outer = 1;
    ll_shape s = LL_ZERO;
    ll_shape axes = LL_ZERO;
    for (unsigned k = 0; k + 1u < box.n; ++k) {
        outer *= box.size[k];
    }
    s = ll_with(s, axis(0), turned ? last : outer);
    s = ll_with(s, axis(1), turned ? outer : last);
    for (unsigned k = box.n; k-- > 0;) {
        unsigned d = (k + turned) % box.n;
        axes = ll_with(axes, axis(d), box.size[d]);
    }
    ll_layout a = ll_tiled(core_matrix(c, 0), s, ll_shape_of(""));
    a = ll_order_out(a, "dim1 dim0");
    return ll_reshape_out(a, axes);
}

static ll_layout make_nvmma_shared(check_case *c, tensor t) {
    const ll_layout blocks = get_blocks(c, t.n);
    char text[MAX_TEXT];
    if (t.n == 0) {
        return start("offset", t);
    }
    const tensor box = tma_box(c, part_of(blocks, t));
    if (t.n < 2u || get_number(c, "swizzlingByteWidth") == 0) {
        const tensor order = last_first(t.n);
        ll_layout a = start("offset", order);
        return fit(along_all(a, LL_OFFSET, box, order, NO_AXIS), blocks, t);
    }
    list_axes(t.n, first_first(t.n).size, text);
    return fit(ll_order_out(swizzled_box(c, box), text), blocks, t);
}

/* ---- Tensor memory ------------------------------------------------------ */

#define ROW (ll_dim_of("row"))
#define COL (ll_dim_of("col"))

static ll_layout accumulator(ll_layout a, unsigned rows, unsigned cols,
                             int folded) {
    const ll_layout d = ll_ptx_tcgen05_d(rows, cols, folded);
    return operand_along(
        a, ll_rename_in(ll_order_in(d, "dp tcol"), "dp tcol", "row col"), 0, 1);
}

/* A block of 64 rows lies in the lower half of each quarter of the 128 rows of
 * tensor memory. The other half holds the next block, or nothing; a pair of
 * blocks (twoCTAs) puts the second half of the columns below the first. */
static ll_layout half_block(ll_layout a, tensor part, unsigned cols, int pair) {
    const unsigned rows[7] = {0, 1, 2, 3, 6, 4, 5};
    if (pair) {
        return accumulator(a, 64, cols, 1);
    }
    a = along(along(a, ROW, 64, 0), COL, cols, 1);
    a = part.size[0] > 64u    ? along(a, ROW, 2, 0)
        : part.size[1] > cols ? along(a, ROW, 2, 1)
                              : copies(a, ROW, 2);
    return ll_permute(a, ROW, ll_perm_of(7, 7, rows));
}

static ll_layout make_tensor_memory(check_case *c, tensor t) {
    const ll_layout blocks = get_blocks(c, t.n);
    const tensor part = part_of(blocks, t);
    const unsigned rows = get_number(c, "blockM");
    unsigned cols = get_number(c, "blockN");
    ll_layout a = start("row col", first_first(2));
    if (t.n != 2u) {
        fail(c, "tensor memory has two axes");
        return a;
    }
    cols = cols < part.size[1] ? cols : part.size[1];
    a = copies(a, COL, get_number(c, "colStride"));
    a = copies(a, COL, get_flag(c, "fp4Padded") ? 2 : 1);
    if (rows == 64u) {
        a = half_block(a, part, cols, get_flag(c, "twoCTAs"));
    } else {
        a = accumulator(a, rows, cols, 0);
    }
    a = rest_along(a, COL, part.size[0], 0);
    return fit(rest_along(a, COL, part.size[1], 1), blocks, t);
}

/* Scales: 32 rows, for each quarter again; in the columns up to 4 along k and
 * 4 times 32 rows, and then these blocks, in the order that is asked for. */
static ll_layout make_tensor_memory_scales(check_case *c, tensor t) {
    const ll_layout blocks = get_blocks(c, t.n);
    const tensor part = part_of(blocks, t);
    const json_t *order = get_value(c, "blockRepOrder");
    const char *name = json_string_value(order);
    const unsigned first = name && strcmp(name, "k_then_mn") == 0 ? 1u : 0u;
    ll_layout a = start("row col", first_first(2));
    if (t.n != 2u) {
        fail(c, "scales have two axes");
        return a;
    }
    a = copies(along(a, ROW, 32, 0), ROW, 4);
    a = along(a, COL, 4, 1);
    a = along(a, COL, part.size[0] < 128u ? 2 : 4, 0);
    a = rest_along(a, COL, part.size[first], first);
    a = rest_along(a, COL, part.size[1u - first], 1u - first);
    return fit(a, blocks, t);
}

/* The layout of what was allocated, cut; columns behind the last one that still
 * holds something are dropped. */
static void op_tensor_memory_subview(check_case *c) {
    check_case inner = *c;
    inner.params = get_value(c, "type");
    const tensor t = get_tensor(&inner, "shape");
    const tensor all = get_each(&inner, "allocShape", t.n);
    ll_layout a = make(&inner, get_value(&inner, "enc"), all);
    for (unsigned k = 0; k < t.n; ++k) {
        a = clamp(a, axis(k), t.size[k]);
    }
    unsigned zeros = zero_bits(a, COL);
    for (unsigned cols = ll_size(a.in, COL); cols > 1u; cols /= 2u) {
        unsigned last = 0;
        while (2u << last < cols) {
            ++last;
        }
        if (!(zeros >> last & 1u)) {
            break;
        }
        a = drop_columns(a, COL, 1u << last);
    }
    want_layout(c, "layout", a);
    if (inner.why[0]) {
        fail(c, "%s", inner.why);
    }
}

/* ---- Scales ------------------------------------------------------------- */

/* Scales of mma.sync; those of B are given as rows. */
static void op_sm120_scale_layout(check_case *c) {
    const tensor t = get_tensor(c, "shape");
    const unsigned b = get_number(c, "opIdx");
    const tensor warps = get_each(c, "warpsPerCTA", t.n);
    ll_layout a = start("register lane warp", last_first(t.n));
    if (!is_matrix(c, t)) {
        return;
    }
    const unsigned row = t.n - 2u;
    a = b ? operand_along(a, ll_ptx_scale_b(1), t.n - 1u, row)
          : operand_along(a, ll_ptx_scale_a(1), row, t.n - 1u);
    for (unsigned k = t.n; k-- > 0;) {
        int skip = k == t.n - 1u ? !b : k == row && b;
        a = skip ? copies(a, LL_WARP, warps.size[k])
                 : along(a, LL_WARP, warps.size[k], k < row ? k : row);
    }
    want_layout(c, "layout", fit(a, get_blocks(c, t.n), t));
}

/* Shared memory from which scales are copied to tensor memory: 4 along k, 4
 * times 32 rows, 32 rows, and then the next along k. */
static void op_scale_smem_layout(check_case *c) {
    const tensor t = get_each(c, "shape", 2);
    const unsigned rows[7] = {5, 6, 0, 1, 2, 3, 4};
    ll_layout a = start("offset", last_first(2));
    a = along(a, LL_OFFSET, 128, 0);
    a = ll_permute(a, LL_OFFSET, ll_perm_of(7, 7, rows));
    a = ll_mul(along(start("offset", last_first(2)), LL_OFFSET, 4, 1), a);
    want_layout(c, "layout", fit(a, get_blocks(c, 2), t));
}

const family nvidia_families[] = {
    {"nvidia_mma", make_accumulator},
    {"dot_operand<nvidia_mma>", make_operand},
    {"nvmma_shared", make_nvmma_shared},
    {"tensor_memory", make_tensor_memory},
    {"tensor_memory_scales", make_tensor_memory_scales},
    {0, 0},
};

const check_op check_nvidia[] = {
    {"nvidia_mma_tile", op_nvidia_mma_tile},
    {"nvmma_core_matrix", op_nvmma_core_matrix},
    {"tensor_memory_subview", op_tensor_memory_subview},
    {"sm120_dot_scaled_scale_layout", op_sm120_scale_layout},
    {"scale_smem_layout_for_tmem_copy", op_scale_smem_layout},
    {0, 0},
};
