/* data_tri_amd.c - Triton's layouts for machines of AMD, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * Composed from the operands of ll_amd.h by Triton's rules: how warps and tiles
 * are ordered and what is repeated first. k is a label, so that Triton may give
 * a lane more of it, or other parts of it, than the instruction names.
 */
#include "../ll_amd.h"
#include "data_tri.h"
#include <string.h>

/* A matrix instruction: m x n x k. */
static int get_instruction(check_case *c, tensor t, tensor *instr) {
    *instr = get_each(c, "instrShape", 3);
    if (t.n < 2u || !instr->size[0] || !instr->size[1]) {
        fail(c, "a matrix has two axes, an instruction rows and columns");
        return 0;
    }
    return 1;
}

/* ---- MFMA --------------------------------------------------------------- */

/* The result of one instruction. 64 x 4 and 4 x 64 are 4 x 4 of several blocks,
 * which lie side by side. */
static ll_layout mfma_result(unsigned m, unsigned n, unsigned bits) {
    const unsigned side = m < n ? m : n;
    const unsigned sizes[2] = {m, n};
    const ll_layout a =
        ll_amd_mfma_c(side, side, m == n || !side ? 1u : 64u / side, bits);
    return ll_reshape_out(m < n ? ll_order_out(a, "j b i") : a,
                          ll_tensor(2, sizes));
}

/* Transposed, the sides change places. The columns are filled before there is a
 * second row of tiles. */
static ll_layout make_mfma(check_case *c, tensor t) {
    const int turned = get_flag(c, "isTransposed");
    const tensor tiles = get_each(c, "tilesPerWarp", t.n);
    const tensor warps = get_each(c, "warpsPerCTA", t.n);
    const ll_layout blocks = get_blocks(c, t.n);
    tensor instr = LL_ZERO;
    ll_layout a = start("register lane warp", last_first(t.n));
    if (!get_instruction(c, t, &instr)) {
        return a;
    }
    const unsigned m = t.n - 2u;
    const unsigned n = t.n - 1u;
    a = operand_along(a,
                      mfma_result(instr.size[turned], instr.size[!turned],
                                  get_number(c, "elementBitWidth")),
                      turned ? n : m, turned ? m : n);
    a = along(a, LL_REGISTER, tiles.size[n], n);
    a = along(a, LL_WARP, warps.size[n], n);
    a = rest_along(a, LL_REGISTER, part_of(blocks, t).size[n], n);
    a = along(a, LL_REGISTER, tiles.size[m], m);
    a = along(a, LL_WARP, warps.size[m], m);
    for (unsigned k = m; k-- > 0;) {
        a = along(a, LL_WARP, warps.size[k], k);
    }
    return fit(a, blocks, t);
}

/* The side of an instruction that the operand has: m or n. */
static unsigned side_of(tensor instr, unsigned b, int turned) {
    return instr.size[(b != 0) != (turned != 0) ? 1 : 0];
}

/* A dense operand: `width` elements along k in each lane. Of 4 rows with 64
 * lanes, and of 64 rows, which take 16 such in turn, there is no instruction. */
static ll_layout mfma_operand(ll_layout a, unsigned lines, unsigned width,
                              unsigned other, unsigned k) {
    if (lines == 16u || lines == 32u) {
        const unsigned bits = width > 8u ? 8u : width > 1u ? 16u : 32u;
        return operand_along(
            a, ll_amd_mfma_a(lines, width * (64u / lines), 1, bits), other, k);
    }
    a = along(a, LL_REGISTER, width, k);
    a = along(a, LL_LANE, lines, other);
    a = along(a, LL_LANE, lines ? 64u / lines : 0u, k);
    return along(a, LL_REGISTER, lines == 64u ? 16 : 1, k);
}

static ll_layout make_mfma_operand(check_case *c, tensor t) {
    const unsigned b = get_number(c, "opIdx");
    const tensor tiles = get_each(c, "tilesPerWarp", t.n);
    tensor instr = LL_ZERO;
    ll_layout a = start("register", first_first(t.n));
    if (!get_instruction(c, t, &instr) || b > 1u) {
        return a;
    }
    const unsigned k = t.n - 1u - b;
    const unsigned other = t.n - 2u + b;
    const ll_layout blocks = clamp(get_blocks(c, t.n), axis(k), 1);
    a = start("register lane warp", matrix_first(t.n, k, other));
    a = mfma_operand(a, side_of(instr, b, 0), get_number(c, "kWidth"), other,
                     k);
    a = rest_along(a, LL_REGISTER, part_of(blocks, t).size[k], k);
    a = along(a, LL_REGISTER, tiles.size[other], other);
    a = along_all(a, LL_WARP, get_each(c, "warpsPerCTA", t.n), last_first(t.n),
                  k);
    return fit(a, blocks, t);
}

/* ---- WMMA --------------------------------------------------------------- */

/* The registers and warps of the tiles, laid out by ctaLayout. */
static ll_layout add_tiles(ll_layout a, ll_layout tiles) {
    char text[MAX_TEXT];
    list_of(a.out, 0, text);
    return ll_mul(a, ll_order_out(tiles, text));
}

static ll_layout make_wmma(check_case *c, tensor t) {
    const unsigned turned = get_flag(c, "isTransposed") ? 1u : 0u;
    const int first = get_number(c, "version") == 1u;
    tensor instr = LL_ZERO;
    ll_layout a = start("register lane warp", last_first(t.n));
    if (!get_instruction(c, t, &instr)) {
        return a;
    }
    const unsigned down = turned ? t.n - 1u : t.n - 2u;
    const unsigned across = turned ? t.n - 2u : t.n - 1u;
    a = operand_along(a, ll_amd_wmma_c(first ? 0x1100 : 0x1200, 32, 32), down,
                      across);
    a = rest_along(a, LL_REGISTER, instr.size[0], down);
    a = add_tiles(a, get_layout(c, "ctaLayout"));
    return fit(a, get_blocks(c, t.n), t);
}

/* ctaLayout of an operand: nothing along k. */
static ll_layout tiles_of_operand(check_case *c, unsigned k) {
    ll_layout tiles = clamp(get_layout(c, "ctaLayout"), axis(k), 1);
    return drop_columns(tiles, LL_REGISTER, zero_bits(tiles, LL_REGISTER));
}

/* A dense operand. Of RDNA4 a lane takes the 8 bytes that the instruction names
 * from wherever: `width` elements in a row. */
static ll_layout wmma_operand(ll_layout a, unsigned version, unsigned width,
                              unsigned other, unsigned k) {
    if (version == 1u) {
        return operand_along(a, ll_amd_wmma_a(0x1100, 32, width, 16), other, k);
    }
    a = along(a, LL_REGISTER, width, k);
    return along(along(a, LL_LANE, 16, other), LL_LANE, 2, k);
}

static ll_layout make_wmma_operand(check_case *c, tensor t) {
    const unsigned b = get_number(c, "opIdx");
    const int turned = get_flag(c, "isTransposed");
    tensor instr = LL_ZERO;
    ll_layout a = start("register", first_first(t.n));
    if (!get_instruction(c, t, &instr) || b > 1u) {
        return a;
    }
    const unsigned k = t.n - 1u - b;
    const unsigned other = t.n - 2u + b;
    const ll_layout blocks = clamp(get_blocks(c, t.n), axis(k), 1);
    a = start("register lane warp", matrix_first(t.n, k, other));
    a = wmma_operand(a, get_number(c, "version"), get_number(c, "kWidth"),
                     other, k);
    a = rest_along(a, LL_REGISTER, instr.size[2], k);
    a = rest_along(a, LL_REGISTER, side_of(instr, b, turned), other);
    a = add_tiles(a, tiles_of_operand(c, k));
    return fit(a, blocks, t);
}

static void op_wmma_cta_layout(check_case *c) {
    const unsigned n = get_number(c, "rank");
    const tensor order = last_first(n < LL_MAX_DIMS ? n : 0u);
    char text[MAX_TEXT];
    ll_layout a = start("register warp", order);
    a = along_all(a, LL_REGISTER, get_each(c, "tilesPerWarp", order.n), order,
                  NO_AXIS);
    a = along_all(a, LL_WARP, get_each(c, "warpsPerCTA", order.n), order,
                  NO_AXIS);
    list_axes(order.n, first_first(order.n).size, text);
    want_layout(c, "layout", ll_order_out(a, text));
}

/* ---- Scales: rows (or columns) of an operand, and scales along k -------- */

static void op_scaled_mfma_scale_layout(check_case *c) {
    const tensor t = get_each(c, "dotOperandShape", 2);
    const unsigned b = get_number(c, "dotOperandIdx") ? 1u : 0u;
    const unsigned side = get_number(c, "mfmaMDim");
    const tensor warps = get_each(c, "warpsPerCTA", 2);
    ll_layout a = start("register lane warp", first_first(2));
    a = operand_along(a, ll_amd_mfma_scale_a(side, side ? 2048u / side : 0u), 0,
                      1);
    a = rest_along(a, LL_REGISTER, t.size[1], 1);
    a = along(a, LL_REGISTER, get_each(c, "tilesPerWarp", 2).size[b], 0);
    a = b ? along(a, LL_WARP, warps.size[1], 0)
          : copies(a, LL_WARP, warps.size[1]);
    a = b ? copies(a, LL_WARP, warps.size[0])
          : along(a, LL_WARP, warps.size[0], 0);
    want_layout(c, "layout", fit(a, get_blocks(c, 2), t));
}

/* The lanes from 16 on would hold copies; they hold the next rows instead, and
 * the instruction is told from which half to take scales. */
static ll_layout rows_to_upper_lanes(ll_layout a) {
    unsigned n = 0;
    unsigned rows = 0;
    while (1u << n < ll_size(a.in, LL_REGISTER)) {
        ++n;
    }
    while (rows < n && ll_unpack(a.out, axis(0), a.basis[rows]) == 0) {
        ++rows;
    }
    if (rows == n) {
        return a;
    }
    a.basis[n + 4u] = a.basis[rows];
    return drop_columns(a, LL_REGISTER, 1u << rows);
}

static void op_scaled_wmma_scale_layout(check_case *c) {
    const tensor t = get_each(c, "dotOperandShape", 2);
    const unsigned b = get_number(c, "dotOperandIdx") ? 1u : 0u;
    tensor instr = LL_ZERO;
    ll_layout a = start("register lane warp", last_first(2));
    instr.size[0] = get_number(c, "wmmaMDim");
    instr.size[1] = get_number(c, "wmmaNDim");
    const unsigned side = side_of(instr, b, get_flag(c, "isTransposed"));
    ll_layout tiles = tiles_of_operand(c, 1u - b);
    tiles = b ? ll_rename_out(tiles, "dim0 dim1", "dim1 dim0") : tiles;
    a = along(a, LL_REGISTER, t.size[1], 1);
    a = copies(along(a, LL_LANE, 16, 0), LL_LANE, 2);
    a = rest_along(a, LL_REGISTER, side, 0);
    a = fit(add_tiles(a, tiles), get_blocks(c, 2), t);
    want_layout(c, "layout",
                side == instr.size[0] || side > 16u ? rows_to_upper_lanes(a)
                                                    : a);
}

/* ---- Memory and stores -------------------------------------------------- */

/* A copy by the tensor data mover: each warp that takes part moves a block. The
 * hint tells which warps do, without it the first ones. */
static void op_tdm_layout(check_case *c) {
    const tensor t = get_tensor(c, "blockShape");
    const tensor warps = get_each(c, "warpsPerCTA", t.n);
    const json_t *hint = get_value(c, "warpUsedHint");
    const unsigned total = get_number(c, "totalWarps");
    const ll_dim message = ll_dim_of("message");
    unsigned bit[LL_MAX_BITS] = LL_ZERO;
    unsigned active = 0;
    unsigned used = 1;
    unsigned n = 0;
    ll_layout a = start("message warp", first_first(t.n));
    for (unsigned k = 0; k < t.n; ++k) {
        used *= warps.size[k];
        a = along(a, message, warps.size[k] ? t.size[k] / warps.size[k] : 0u,
                  k);
    }
    a = along_all(a, LL_WARP, warps, first_first(t.n), NO_AXIS);
    a = copies(a, LL_WARP, used ? total / used : 0u);
    active = json_is_null(hint) ? used - 1u : 0u;
    for (unsigned k = 0; k < 32u && !json_is_null(hint); ++k) {
        active |= read_number(c, hint) >> k & 1u ? k : 0u;
    }
    unsigned spare = 0;
    while (1u << spare < used) {
        ++spare;
    }
    unsigned taken = 0;
    for (; 1u << n < total && n < 31u; ++n) {
        bit[n] = active >> n & 1u ? taken++ : spare++;
    }
    a = ll_permute(a, LL_WARP, ll_perm_of(n, n, bit));
    want_layout(c, "layout", add_blocks(a, get_blocks(c, t.n)));
}

/* Lanes exchange halves so that each has eight columns in a row: two bits of
 * the column change places. */
static void op_mfma_like_store_layout(check_case *c) {
    check_case type = *c;
    type.params = get_value(c, "type");
    check_case enc = type;
    enc.params = get_value(&type, "enc");
    const tensor t = get_tensor(&type, "shape");
    const char *elem = json_string_value(get_value(&type, "elem"));
    const json_t *kind = json_object_get(enc.params, "kind");
    int ok = elem && strstr("f16 bf16", elem) && t.n == 2u && kind &&
             strcmp(json_string_value(kind), "amd_mfma") == 0;
    ok = ok && get_number(&enc, "version") == 4u &&
         get_flag(&enc, "isTransposed");
    tensor instr = LL_ZERO;
    ok = ok && get_instruction(&enc, t, &instr) &&
         instr.size[0] == instr.size[1];
    const unsigned side = instr.size[0];
    ok =
        ok && (side == 32u || (side == 16u && t.size[1] >= 32u &&
                               get_each(&enc, "warpsPerCTA", 2).size[1] == 1u));
    if (!ok) {
        want_null(c, "layout");
        return;
    }
    unsigned n = 0;
    while (1u << n < t.size[1]) {
        ++n;
    }
    ll_layout swap = ll_mul(ll_identity(t.size[0], axis(0), axis(0)),
                            ll_identity(t.size[1], axis(1), axis(1)));
    swap = ll_permute(swap, axis(1), ll_perm_swap(n, 2, side == 32u ? 3 : 4));
    want_layout(c, "layout",
                ll_compose(swap, make(&type, get_value(&type, "enc"), t)));
}

/* ---- Compiled conversions ------------------------------------------------ */

/* The text of a layout is as of its encoding, with rows i and columns j. */
static void want_notation(check_case *c, const char *key,
                          const char *encoding) {
    char text[MAX_TEXT];
    ll_layout a = make(c, get_value(c, encoding), get_each(c, "shape", 2));
    a = ll_order_out(ll_sub(a, "register lane warp", "dim1 dim0"), "dim1 dim0");
    ll_str(ll_rename_out(a, "dim1 dim0", "j i"), text, sizeof text);
    want_text(c, key, text);
}

static void op_triton_amd_counts(check_case *c) {
    want_notation(c, "src", "src_encoding");
    want_notation(c, "dst", "dst_encoding");
}

const family amd_families[] = {
    {"amd_mfma", make_mfma},
    {"amd_wmma", make_wmma},
    {"dot_operand<amd_mfma>", make_mfma_operand},
    {"dot_operand<amd_wmma>", make_wmma_operand},
    {0, 0},
};

const check_op check_amd[] = {
    {"wmma_cta_layout", op_wmma_cta_layout},
    {"scaled_mfma_scale_layout", op_scaled_mfma_scale_layout},
    {"scaled_wmma_scale_layout", op_scaled_wmma_scale_layout},
    {"tdm_layout", op_tdm_layout},
    {"mfma_like_store_layout", op_mfma_like_store_layout},
    {"triton_amd_counts", op_triton_amd_counts},
    {0, 0},
};
