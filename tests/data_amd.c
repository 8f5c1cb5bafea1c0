/* data_amd.c - AMD's matrix operands, their modifiers, transposing loads and
 * LDS phases, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * The lines have no params: the name of the file is the operation. They count
 * elements within a register where the library counts elements alone, and call
 * the axes block, row and col where it has b, i and j.
 */
#include "../ll_amd.h"
#include "check_data.h"
#include <stdlib.h>
#include <string.h>

/* What a line says about an instruction. */
typedef struct operand {
    const char *name; /* mnemonic */
    char which;       /* A B C D K */
    unsigned gfx, lanes;
    unsigned m, n, k, blocks;
    unsigned bits; /* of an element of A, where which is K */
} operand;

static const char *get_text(check_case *c, const char *key) {
    const char *text = json_string_value(get_value(c, key));
    if (!text) {
        fail(c, "%s was expected to be a text", key);
    }
    return text ? text : "";
}

/* The first of the targets, as the hex number it is; "gfx11", a family, as its
 * first member. */
static unsigned get_gfx(check_case *c, const char *text) {
    unsigned gfx = 0;
    if (strncmp(text, "gfx", 3) != 0) {
        fail(c, "a gfx was expected");
        return 0;
    }
    gfx = (unsigned)strtoul(text + 3, NULL, 16);
    return gfx == 0x11u || gfx == 0x12u ? gfx << 8 : gfx;
}

/* The bits of the type at the end of a mnemonic: v_swmmac_i32_16x16x32_iu8. */
static unsigned last_bits(check_case *c, const char *name) {
    const char *last = strrchr(name, '_');
    size_t at = last ? strcspn(last, "0123456789") : 0;
    if (!last || !last[at]) {
        fail(c, "a mnemonic ends in a type");
        return 0;
    }
    return (unsigned)strtoul(last + at, NULL, 10);
}

static operand get_operand(check_case *c) {
    operand o = LL_ZERO;
    const json_t *gfx = json_array_get(get_value(c, "gfx"), 0);
    o.name = get_text(c, "instruction");
    o.which = get_text(c, "operand")[0];
    o.gfx = get_gfx(c, json_is_string(gfx) ? json_string_value(gfx) : "");
    o.lanes = get_number(c, "wave");
    o.m = get_number(c, "m");
    o.n = get_number(c, "n");
    o.k = get_number(c, "k");
    o.blocks = get_number(c, "blocks");
    o.bits = get_number(c, "elem_bits");
    if (o.which == 'K') {
        o.bits = last_bits(c, o.name);
    }
    return o;
}

static int starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static int is_sparse(operand o) {
    return starts(o.name, "v_smfmac") || starts(o.name, "v_swmmac");
}

static ll_layout layout_of(check_case *c, operand o) {
    const ll_shape none = LL_ZERO;
    switch (o.which) {
    case 'A':
        return starts(o.name, "v_mfma")
                   ? ll_amd_mfma_a(o.m, o.k, o.blocks, o.bits)
               : starts(o.name, "v_smfmac") ? ll_amd_smfmac_a(o.m, o.k, o.bits)
               : starts(o.name, "v_wmma")
                   ? ll_amd_wmma_a(o.gfx, o.lanes, o.k, o.bits)
                   : ll_amd_swmmac_a(o.gfx, o.lanes, o.k, o.bits);
    case 'B':
        return starts(o.name, "v_mfma")
                   ? ll_amd_mfma_b(o.k, o.n, o.blocks, o.bits)
               : starts(o.name, "v_smfmac") ? ll_amd_smfmac_b(o.k, o.n, o.bits)
               : starts(o.name, "v_wmma")
                   ? ll_amd_wmma_b(o.gfx, o.lanes, o.k, o.bits)
                   : ll_amd_swmmac_b(o.gfx, o.lanes, o.k, o.bits);
    case 'C':
    case 'D':
        return starts(o.name, "v_mfma") || starts(o.name, "v_smfmac")
                   ? ll_amd_mfma_c(o.m, o.n, o.blocks, o.bits)
                   : ll_amd_wmma_c(o.gfx, o.lanes, o.bits);
    case 'K':
        return starts(o.name, "v_smfmac")
                   ? ll_amd_smfmac_k(o.m, o.k, o.bits)
                   : ll_amd_swmmac_k(o.gfx, o.lanes, o.k, o.bits);
    default:
        fail(c, "there is no operand %c", o.which);
        return ll_zero(none, none);
    }
}

/* Bits between the elements of a register: those of 16-bit C and D of RDNA3 lie
 * in the halves of their own register. */
static unsigned slot_bits(operand o) {
    int alone = (o.which == 'C' || o.which == 'D') && o.bits == 16u &&
                o.gfx >> 8 == 0x11u;
    return o.which == 'K' ? 2u : alone ? 32u : o.bits;
}

/* The axes as the data call them: block, row, col, in that order. */
static ll_layout named_outputs(ll_layout a) {
    a = ll_resize_out(a, LL_AMD_B, ll_size(a.out, LL_AMD_B));
    a = ll_rename_out(a, "b i j", "block row col");
    return ll_order_out(a, "block row col");
}

/* Splits register into element and register, 2^`bits` elements or fewer. */
static ll_shape split_registers(ll_shape s, unsigned bits) {
    ll_shape t = LL_ZERO;
    unsigned all = ll_log2_(ll_size(s, LL_REGISTER));
    bits = bits < all ? bits : all;
    t = ll_with(t, ll_dim_of("element"), 1u << bits);
    t = ll_with(t, LL_REGISTER, 1u << (all - bits));
    return ll_with(t, LL_LANE, ll_size(s, LL_LANE));
}

/* The list of [input, bit] whose columns are 0; 1 where a register or a lane
 * is among them. */
static int want_zero_bases(check_case *c, ll_layout a) {
    const json_t *list = get_value(c, "zero_bases");
    size_t found = 0;
    int copies = 0;
    ++c->compared;
    for (unsigned d = 0; d < a.in.n; ++d) {
        for (unsigned bit = 0; bit < a.in.bits[d]; ++bit) {
            const json_t *entry = json_array_get(list, found);
            if (a.basis[ll_shape_start_(&a.in, d) + bit] == 0) {
                if (read_dim(c, json_array_get(entry, 0)) != a.in.dim[d] ||
                    read_number(c, json_array_get(entry, 1)) != bit) {
                    fail(c, "zero_bases[%u] is another", (unsigned)found);
                }
                copies |= d != 0;
                ++found;
            }
        }
    }
    if (json_array_size(list) != found) {
        fail(c, "zero_bases has %u entries", (unsigned)found);
    }
    return copies;
}

static void want_offset(check_case *c, ll_shape s, unsigned word) {
    unsigned offset[LL_MAX_DIMS] = LL_ZERO;
    for (unsigned k = 0; k < s.n; ++k) {
        offset[k] = ll_unpack(s, s.dim[k], word);
    }
    want_numbers(c, "offset", s.n, offset);
    want_flag(c, "linear", word == 0);
}

/* Which half the modifier chooses, from the layout under it. */
static unsigned bit_offset(check_case *c, operand o, ll_layout a) {
    const json_t *modifiers = get_value(c, "modifiers");
    unsigned high = json_integer_value(json_object_get(modifiers, "opsel")) == 4;
    if (slot_bits(o) == o.bits || o.which == 'K') {
        return 0;
    }
    a = ll_amd_opsel(a, high);
    return 16u * ll_unpack(a.out, LL_REGISTER, a.offset);
}

/* Lanes that an operand occupies: of RDNA4 those whose columns are not 0. */
static unsigned lanes_of(operand o, ll_layout a) {
    return o.gfx >> 8 == 0x12u
               ? 1u << ll_rank(ll_sub(a, "lane", "b i j"))
               : o.lanes;
}

static void op_matrix(check_case *c) {
    const operand o = get_operand(c);
    const unsigned slot = slot_bits(o);
    const unsigned wide = slot > 32u ? slot : 32u;
    const int sparse = is_sparse(o);
    const int grouped = sparse && (o.which == 'A' || o.which == 'K');
    ll_layout a = layout_of(c, o);
    ll_layout b = ll_resize_out(a, LL_AMD_B, ll_size(a.out, LL_AMD_B));
    unsigned lanes = lanes_of(o, b);
    unsigned bits = ll_size(a.in, LL_REGISTER) * slot;
    want_number(c, "bit_offset", bit_offset(c, o, a));
    a = named_outputs(ll_resize_in(a, LL_LANE, lanes));
    a = ll_reshape_in(a, split_registers(a.in, ll_log2_(wide / slot)));
    ++c->compared;
    if (!ll_is_equal(a, read_layout(c, c->params))) {
        fail(c, "another layout (%s)", ll_strerror(a.err));
    }
    want_number(c, "regs", bits < 32u ? 1u : bits / 32u);
    want_number(c, "reg_bits", wide);
    want_number(c, "slot_bits", slot);
    want_number(c, "lanes", lanes);
    want_number(c, "lanes_in_wave", o.lanes);
    want_number(c, "col_group", grouped ? 4 : 1);
    want_flag(c, "sparse", sparse);
    want_flag(c, "broadcast", want_zero_bases(c, a));
    want_flag(c, "surjective",
              ll_rank(a) + (grouped ? 2u : 0u) == ll_shape_bits_(&a.out));
    want_offset(c, a.out, a.offset);
    want_number(c, "entries",
                1u << (ll_shape_bits_(&a.in) - (grouped ? 1u : 0u)));
    if (o.which == 'K') {
        want_number(c, "index_sets", 32u / bits);
    }
}

/* Registers as the data have them: units of 2^pack elements, and those of one
 * register together. */
static ll_layout in_units(ll_layout at, unsigned pack, unsigned bits) {
    ll_shape s = split_registers(at.out, bits + pack);
    ll_shape t = s;
    t.bits[0] = (unsigned short)(t.bits[0] - pack);
    ll_layout unit = ll_zero(s, t);
    for (unsigned k = pack; k < ll_shape_bits_(&s); ++k) {
        unit.basis[k] = 1u << (k - pack);
    }
    return ll_compose(unit, ll_reshape_out(at, s));
}

static ll_layout modified(check_case *c, operand o, ll_layout a) {
    const json_t *m = get_value(c, "modifiers");
    unsigned abid = (unsigned)json_integer_value(json_object_get(m, "abid"));
    unsigned opsel = (unsigned)json_integer_value(json_object_get(m, "opsel"));
    unsigned cbsz = (unsigned)json_integer_value(json_object_get(m, "cbsz"));
    unsigned blgp = (unsigned)json_integer_value(json_object_get(m, "blgp"));
    /* In a sparse product abid and opsel choose indices and leave A alone. */
    return o.which == 'A'   ? ll_amd_cbsz(a, cbsz, is_sparse(o) ? 0u : abid)
           : o.which == 'B' ? ll_amd_blgp(a, blgp)
                            : ll_amd_index_set(a, abid + opsel);
}

static void op_modifier(check_case *c) {
    const operand o = get_operand(c);
    const int sparse = is_sparse(o);
    const int grouped = sparse && (o.which == 'A' || o.which == 'K');
    const unsigned unit = (o.which == 'K' ? 2u : o.bits) << grouped;
    const unsigned wide = unit > 32u ? unit : 32u;
    ll_layout a = modified(c, o, layout_of(c, o));
    a = in_units(a, grouped ? 1 : 0, ll_log2_(wide / unit));
    a = ll_resize_in(a, LL_AMD_B, ll_size(a.in, LL_AMD_B));
    a = ll_rename_in(a, "b i j", "block row col");
    a = ll_order_in(a, "block row col");
    ll_layout other = read_layout(c, c->params);
    want_offset(c, a.out, a.offset);
    other.offset = a.offset;
    if (!ll_is_equal(a, other)) {
        fail(c, "another layout (%s)", ll_strerror(a.err));
    }
    want_number(c, "reg_bits", wide);
    want_number(c, "unit_bits", unit);
    want_number(c, "source_lanes",
                1u << ll_rank(ll_sub(a, "block row col", "lane")));
    want_flag(c, "affine", 1);
    want_flag(c, "sparse", sparse);
    want_number(c, "entries", 1u << ll_shape_bits_(&a.in));
}

static void op_transpose(check_case *c) {
    const char *name = get_text(c, "instruction");
    unsigned bits = get_number(c, "elem_bits");
    ll_layout a = starts(name, "ds_read") ? ll_amd_ds_read_tr(bits)
                                          : ll_amd_ds_load_tr(bits);
    unsigned n = ll_size(a.in, LL_REGISTER);
    unsigned together = 0;
    /* The lanes that exchange: those below the first that stays. */
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        together |= a.basis[k] == 1u << k ? 0u : a.basis[k];
    }
    want_number(c, "wave", ll_size(a.in, LL_LANE));
    want_number(c, "elements_per_lane", n);
    want_number(c, "lanes_in_group", (together >> ll_log2_(n)) + 1u);
    want_flag(c, "bijective", ll_is_invertible(a));
    a = ll_rename_in(a, "register", "element");
    a = ll_rename_out(a, "register", "element");
    if (!ll_is_equal(a, read_layout(c, c->params))) {
        fail(c, "another layout (%s)", ll_strerror(a.err));
    }
}

/* The lanes of the phase of lane 0, in increasing order. */
static unsigned span(const unsigned *basis, unsigned n, unsigned *lanes) {
    unsigned found = 0;
    for (unsigned lane = 0; lane < 64u; ++lane) {
        for (unsigned mix = 0; mix < 1u << n; ++mix) {
            unsigned sum = 0;
            for (unsigned k = 0; k < n; ++k) {
                sum ^= mix >> k & 1u ? basis[k] : 0u;
            }
            if (sum == lane) {
                lanes[found++] = lane;
                break;
            }
        }
    }
    return found;
}

static void op_phases(check_case *c) {
    const unsigned wave = get_number(c, "wave");
    const ll_target t =
        ll_amd_target(get_gfx(c, get_text(c, "gfx")), wave);
    const unsigned op =
        strcmp(get_text(c, "op"), "read") == 0 ? LL_READ : LL_WRITE;
    const unsigned bits = get_number(c, "bits");
    const unsigned width = bits == 96u ? 3u : bits / 64u;
    const unsigned *basis = t.phase[op][width];
    unsigned lanes[64] = LL_ZERO;
    unsigned n = 0;
    while (n < 6u && basis[n]) {
        ++n;
    }
    want_number(c, "banks", t.err ? 0u : t.banks[op][width]);
    want_number(c, "bank_bytes", t.bank_bytes);
    want_numbers(c, "phase_basis", n, basis);
    want_number(c, "lanes_per_phase", 1u << n);
    want_number(c, "phases", wave >> n);
    want_numbers(c, "phase0", span(basis, n, lanes), lanes);
}

/* ---- Instructions and targets ------------------------------------------- */

/* The built-ins of AMD's compiler. */
static void op_amd_builtins(check_case *c) {
    static const char *const tested[] = {
        "gfx900", "gfx908",  "gfx90a",  "gfx942",  "gfx950",
        "gfx1030", "gfx1100", "gfx1150", "gfx1201", "gfx1250"};
    const char *text = get_text(c, "builtin");
    for (size_t k = 0; k < sizeof tested / sizeof *tested; ++k) {
        const int has_it = list_has(get_value(c, "compiles_on"), tested[k]);
        ++c->compared;
        if (ll_amd_has(tested[k], text) != has_it) {
            fail(c, "%s: %s %s it", text, tested[k], has_it ? "has" : "lacks");
        }
    }
}

const check_op check_isa[] = {
    {"amd_builtins", op_amd_builtins},
    {"amd_lds_phases", op_phases},
    {"amd_matrix_cases", op_matrix},
    {"amd_matrix_cases_gfx950", op_matrix},
    {"amd_matrix_modifier_cases", op_modifier},
    {"amd_transpose_loads", op_transpose},
    {0, 0},
};
