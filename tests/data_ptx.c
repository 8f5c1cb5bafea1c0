/* data_ptx.c - operands and memory tiles of NVIDIA's instructions, for
 * check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * The lines have no params: the file's name is the op, and what is to be built
 * is read from the name of the instruction or of the layout. Rows and columns
 * are called row and col in the data, i and j in the library; in every list of
 * the data the rows come first.
 */
#include "../ll_ptx.h"
#include "check_data.h"
#include <stdio.h>
#include <string.h>

#define ASM_TEXT 2048 /* characters of an instruction with its operands */

typedef struct builder {
    const char *name; /* the line is for this one if it starts so */
    ll_layout (*make)(check_case *c, const char *text);
} builder;

/* ---- Reading names ------------------------------------------------------ */

static const char *get_text(check_case *c, const char *key) {
    const char *text = json_string_value(get_value(c, key));
    if (!text) {
        fail(c, "%s was expected to be a text", key);
    }
    return text ? text : "";
}

static int starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static int has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

static int is_operand(check_case *c, const char *name) {
    return strcmp(get_text(c, "operand"), name) == 0;
}

/* The number behind the first `before` in a text. */
static unsigned number_after(check_case *c, const char *text,
                             const char *before) {
    const char *at = strstr(text, before);
    unsigned number = 0;
    if (!at || sscanf(at + strlen(before), "%u", &number) != 1) {
        fail(c, "no number behind '%s' in %s", before, text);
    }
    return number;
}

typedef struct product {
    unsigned m, n, k;
} product;

/* m16n8k16; wgmma's n may be a letter. */
static product get_product(check_case *c, const char *text) {
    product p = LL_ZERO;
    const char *at = text;
    for (; *at; ++at) {
        if (sscanf(at, ".m%un%uk%u", &p.m, &p.n, &p.k) == 3 ||
            sscanf(at, ".m%unNk%u", &p.m, &p.k) == 2) {
            return p;
        }
    }
    fail(c, "no m, n, k in %s", text);
    return p;
}

/* ---- Registers ---------------------------------------------------------- */

static ll_layout none(check_case *c, const char *text) {
    const ll_shape s = LL_ZERO;
    fail(c, "not implemented: %s", text);
    return ll_zero(s, s);
}

/* The bits that an element takes: f8f6f4 has bytes for 4 and 6 bits as well. */
static unsigned container_bits(check_case *c, const char *text) {
    const int bytes = has(text, "f8f6f4") && !is_operand(c, "C");
    return bytes ? 8u : get_number(c, "elem_bits");
}

/* m8n8k4 with f16: .row or .col for A and then for B. */
static ll_layout make_quad(check_case *c, const char *text) {
    const char *a = strstr(text, "k4.") + 3;
    return is_operand(c, "A")   ? ll_ptx_quad_a(starts(a, "row"))
           : is_operand(c, "B") ? ll_ptx_quad_b(starts(a + 4, "row"))
                                : ll_ptx_quad_c(get_number(c, "elem_bits"));
}

static ll_layout make_mma(check_case *c, const char *text) {
    const product p = get_product(c, text);
    const unsigned stored = starts(text, "mma.sp") ? p.k / 2u : p.k;
    const unsigned bits = container_bits(c, text);
    if (p.m == 8 && p.k == 4 && !has(text, "f64")) {
        return make_quad(c, text);
    }
    if (is_operand(c, "SFA") || is_operand(c, "SFB")) {
        unsigned scales = number_after(c, text, "scale_vec::");
        return is_operand(c, "SFA") ? ll_ptx_scale_a(scales)
                                    : ll_ptx_scale_b(scales);
    }
    return is_operand(c, "A")   ? ll_ptx_fragment_a(p.m, stored, bits)
           : is_operand(c, "B") ? ll_ptx_fragment_b(p.k, p.n, bits)
           : is_operand(c, "C") ? ll_ptx_fragment_c(p.m, p.n)
                                : none(c, text);
}

/* A sparse product has 512 bits of A's elements along k. */
static ll_layout make_wgmma(check_case *c, const char *text) {
    const product p = get_product(c, text);
    const unsigned stored = has(text, ".sp.") ? p.k / 2u : p.k;
    const unsigned bits = get_number(c, "elem_bits");
    const unsigned sizes[2] = {p.m, p.k};
    return is_operand(c, "A")   ? ll_ptx_wgmma_a(p.m, stored, bits, 4)
           : is_operand(c, "C") ? ll_ptx_wgmma_d(p.m, p.n, 4)
           : is_operand(c, "E") ? ll_tiled(ll_ptx_sparse_e(p.k, 512u / p.k),
                                           ll_tensor(2, sizes),
                                           ll_shape_of("i=4"))
                                : none(c, text);
}

/* ldmatrix, stmatrix. A stmatrix that transposes names its fragment, m x n,
 * and not the element in memory. One matrix has no number. */
static ll_layout make_matrix(check_case *c, const char *text) {
    const int trans = has(text, ".trans");
    const unsigned m = number_after(c, text, ".m");
    const char *at = strstr(text, ".x");
    const unsigned n = number_after(c, text, ".x");
    const unsigned fragment_n = number_after(c, strstr(text, ".m") + 2, "n");
    const unsigned rows = trans && text[0] == 's' ? fragment_n : m;
    const unsigned bits = at && has(at, ".b16") ? 16u : 8u;
    ll_layout a = is_operand(c, "addr") ? ll_ptx_matrix_rows(rows, n)
                                        : ll_ptx_matrix(rows, bits, trans, n);
    return n > 1u ? a : ll_sub(a, a.in.n > 1u ? "register lane" : "lane",
                               a.in.n > 1u ? "i j" : "i");
}

static ll_layout make_movmatrix(check_case *c, const char *text) {
    (void)text;
    ll_layout a = ll_ptx_matrix(8, 16, is_operand(c, "dst"), 1);
    return ll_sub(a, "register lane", "i j");
}

/* ---- Tensor memory ------------------------------------------------------ */

static ll_layout make_tmem(check_case *c, const char *text) {
    const char *shape = strstr(text, ".aligned.");
    unsigned lanes = 0;
    unsigned bits = 0;
    int end = 0;
    shape = shape ? shape + strlen(".aligned.") : "";
    if (sscanf(shape, "%ux%ub%n", &lanes, &bits, &end) != 2) {
        fail(c, "no shape in %s", text);
    }
    const char *rest = shape + end;
    const unsigned element = has(rest, "pack::16b") ? 16u : 32u;
    const unsigned n = number_after(c, rest, ".x");
    return starts(rest, "x2.")
               ? ll_ptx_tmem_x2(n, element, get_number(c, "imm_half_splitoff"))
               : ll_ptx_tmem(lanes, bits, n, element);
}

/* The data goes the other way: rows and columns to tensor memory. */
static ll_layout make_accumulator(check_case *c, const char *text) {
    const int pair = has(text, "cta_group::2");
    const unsigned m = number_after(c, text, "M=") / (pair ? 2u : 1u);
    const unsigned n = number_after(c, text, "N=");
    const int folded = pair || has(text, ".ws.");
    return ll_order_in(ll_rinv(ll_ptx_tcgen05_d(m, n, folded)), "i j");
}

/* ---- Shared memory ------------------------------------------------------ */

/* The sizes `(128,64)` of tile_to_shape, or those of the atom. */
static void get_sizes(const char *text, unsigned *rows, unsigned *cols) {
    const char *at = strstr(text, ", (");
    unsigned r = 0;
    unsigned k = 0;
    if (at && sscanf(at, ", (%u,%u)", &r, &k) == 2) {
        *rows = r;
        *cols = k;
    }
}

/* GMMA::Layout_K_SW128_Atom<f16>: Layout_MAJOR_MODE_Atom<type>. */
static ll_layout make_gmma(check_case *c, const char *text) {
    const int mn = has(text, "Layout_MN_");
    if (!mn && has(text, "_32B_")) {
        return none(c, text);
    }
    const unsigned swizzle =
        has(text, "_INTER_") ? 0u : number_after(c, text, "_SW");
    const unsigned atom = has(text, "_32B_") ? 32u : 16u;
    const unsigned bits = get_number(c, "elem_bits");
    const unsigned wide = (swizzle ? swizzle : 16u) * 8u / (bits ? bits : 8u);
    const unsigned lines = 128u / atom;
    unsigned rows = mn ? wide : lines;
    unsigned cols = mn ? lines : wide;
    get_sizes(text, &rows, &cols);
    return mn ? ll_ptx_smem_mn(rows, cols, bits, swizzle, atom)
              : ll_ptx_smem_k(rows, cols, bits, swizzle);
}

/* Swizzle<b,m,s> of as many numbers as the line has. */
static ll_layout make_functor(check_case *c, const char *text) {
    const ll_layout line = read_layout(c, c->params);
    unsigned b = 0;
    unsigned m = 0;
    int s = 0;
    if (sscanf(text, "Swizzle<%u,%u,%d>", &b, &m, &s) != 3) {
        fail(c, "no three numbers in %s", text);
    }
    return ll_cute_swizzle(ll_size(line.in, LL_OFFSET), b, m, s);
}

static int is_power(unsigned x) { return x && (x & (x - 1u)) == 0; }

/* The sizes in a label: 16x128, or 832 for 8 x 32, where only one cut leaves
 * two powers of two. */
static void read_label(check_case *c, const char *label, unsigned *rows,
                       unsigned *cols) {
    unsigned all = 0;
    *rows = *cols = 0;
    if (sscanf(label, "%ux%u", rows, cols) == 2) {
        return;
    }
    if (sscanf(label, "%u", &all) != 1) {
        fail(c, "no sizes in %s", label);
    }
    for (unsigned ten = 10; ten <= all && ten < 100000u; ten *= 10u) {
        if (is_power(all / ten) && is_power(all % ten)) {
            *rows = all / ten;
            *cols = all % ten;
        }
    }
}

/* composition(S325{}, L3232{}): Swizzle<3,2,5> of a layout. L is row-major,
 * with an x in its name contiguous along the longer axis; T is made of
 * row-major tiles, one below the other and then side by side. */
static ll_layout make_composed(check_case *c, const char *text) {
    unsigned digits = 0;
    unsigned rows = 0;
    unsigned cols = 0;
    char kind = 0;
    const char *at = strstr(text, "composition(");
    if (!at || sscanf(at, "composition(S%u{}, %c", &digits, &kind) != 2) {
        fail(c, "no swizzle and layout in %s", text);
        return none(c, text);
    }
    const char *label = strchr(at, ',') + 3;
    read_label(c, label, &rows, &cols);
    int down = has(label, "x") && rows > cols;
    const unsigned sizes[2] = {rows, cols};
    ll_layout a = down ? ll_col_major(ll_tensor(2, sizes))
                       : ll_row_major(ll_tensor(2, sizes));
    if (kind == 'T') {
        const ll_layout line = read_layout(c, c->params);
        const ll_dim names[2] = {ll_dim_of("row"), ll_dim_of("col")};
        for (unsigned k = 0; k < 2u && sizes[k]; ++k) {
            unsigned size = ll_size(line.in, names[k]);
            size = size > 1u ? size : ll_size(line.out, names[k]);
            a = ll_mul(a, ll_identity(size / sizes[k], LL_OFFSET, ll_axis(k)));
        }
    }
    rows = ll_size(a.out, LL_I);
    cols = ll_size(a.out, LL_J);
    get_sizes(at, &rows, &cols);
    const ll_shape shape =
        ll_with(ll_with(ll_shape_of(""), LL_I, rows), LL_J, cols);
    return ll_cute_tiled(a, shape, digits / 100u, digits / 10u % 10u,
                         (int)(digits % 10u));
}

/* CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B. */
static ll_layout make_tma(check_case *c, const char *text) {
    const unsigned swizzle =
        has(text, "_NONE") ? 0u : number_after(c, text, "SWIZZLE_");
    const unsigned atom =
        has(text, "ATOM_") ? number_after(c, text, "ATOM_") : 16u;
    const unsigned flip =
        has(text, "FLIP_") ? number_after(c, text, "FLIP_") : 0u;
    ll_layout a = ll_ptx_tma(swizzle, atom, flip);
    want_number(c, "pattern_bytes", ll_size(a.in, LL_OFFSET));
    return a;
}

/* ---- Comparing ---------------------------------------------------------- */

/* The layout with the names of the data, the rows first. */
static ll_layout in_words(ll_layout a) {
    const char *const order[] = {"i", "j", "matrix", "mma", "dp", "tcol"};
    char out[MAX_TEXT] = "";
    for (unsigned k = 0; k < sizeof order / sizeof *order; ++k) {
        for (unsigned d = 0; d < a.out.n; ++d) {
            if (a.out.dim[d] == ll_dim_of(order[k])) {
                strcat(out, out[0] ? " " : "");
                strcat(out, order[k]);
            }
        }
    }
    a = out[0] ? ll_order_out(a, out) : a;
    for (unsigned side = 0; side < 2u; ++side) {
        ll_shape *s = side ? &a.out : &a.in;
        for (unsigned k = 0; k < s->n; ++k) {
            s->dim[k] = s->dim[k] == LL_I   ? ll_dim_of("row")
                        : s->dim[k] == LL_J ? ll_dim_of("col")
                                            : s->dim[k];
        }
    }
    return a;
}

/* The line itself is the layout. */
static void want_line(check_case *c, ll_layout a) {
    const ll_layout b = read_layout(c, c->expect);
    char got[100];
    char other[100];
    a = in_words(a);
    ++c->compared;
    if (!ll_is_equal(a, b)) {
        ll_str(a, got, sizeof got);
        ll_str(b, other, sizeof other);
        fail(c, "it is %s, expected %s", got, other);
    }
    want_flag(c, "injective", ll_is_injective(a));
    want_flag(c, "surjective", ll_is_surjective(a));
}

static void run_builder(check_case *c, const builder *of, const char *name,
                        const char *text) {
    for (; of->name; ++of) {
        if (starts(name, of->name)) {
            want_line(c, of->make(c, text));
            return;
        }
    }
    fail(c, "not implemented: %s", text);
}

static void op_ptx_fragments(check_case *c) {
    static const builder of[] = {
        {"mma.", make_mma},           {"wgmma.", make_wgmma},
        {"ldmatrix.", make_matrix},   {"stmatrix.", make_matrix},
        {"movmatrix.", make_movmatrix}, {"tcgen05.ld.", make_tmem},
        {"tcgen05.st.", make_tmem},   {"tcgen05.mma.", make_accumulator},
        {0, 0},
    };
    const char *text = get_text(c, "instruction");
    run_builder(c, of, text, text);
    if (json_object_get(c->params, "regs32")) {
        const ll_layout a = read_layout(c, c->params);
        const unsigned bits =
            container_bits(c, text) * ll_size(a.in, LL_REGISTER);
        want_number(c, "regs32", (bits + 31u) / 32u);
    }
}

/* The descriptor of the first instruction's part of a tile. */
static void want_descriptor(check_case *c, ll_layout a) {
    check_case inner = *c;
    unsigned slice[MAX_LIST] = LL_ZERO;
    inner.params = inner.expect = get_value(c, "wgmma_desc");
    get_numbers(&inner, "slice", slice);
    const ll_ptx_desc d = ll_ptx_desc_of(a, slice[0], slice[1],
                                         get_number(c, "elem_bits"));
    if (d.err) {
        fail(&inner, "%s", ll_strerror(d.err));
    }
    want_number(&inner, "layout_type",
                (unsigned)(ll_ptx_desc_wgmma(d, 0) >> 62));
    want_number(&inner, "lbo_bytes", d.lbo);
    want_number(&inner, "sbo_bytes", d.sbo);
    if (inner.why[0]) {
        fail(c, "%s", inner.why);
    }
}

static void op_cute_swizzles(check_case *c) {
    static const builder of[] = {
        {"gmma_", make_gmma},         {"swizzle_functor", make_functor},
        {"composed", make_composed},  {"tma_swizzle", make_tma},
        {0, 0},
    };
    const char *family = get_text(c, "family");
    const char *text = get_text(c, "expression");
    const int back = strcmp(get_text(c, "map"), "offset_of") == 0;
    for (const builder *b = of; b->name; ++b) {
        if (starts(family, b->name)) {
            const ll_layout a = b->make(c, text);
            if (json_object_get(c->params, "wgmma_desc")) {
                want_descriptor(c, a);
            }
            want_line(c, back ? ll_order_in(ll_inv(a), "i j") : a);
            return;
        }
    }
    fail(c, "not implemented: %s", text);
}

/* ---- Instructions and targets ------------------------------------------- */

/* data_wrappers.cc */
const char *wrapper_text(unsigned k);

/* The one instruction of a text, without the predicate that guards it, with no
 * blank but the first, and unsigned types as bits. */
static void plain_text(const char *text, char *to, size_t room) {
    size_t used = 0;
    int blanks = 0;
    const char *guard = strstr(text, "@p ");
    for (text = guard ? guard + 3 : text; *text && *text != ';'; ++text) {
        blanks += *text == ' ';
        if ((*text != ' ' || blanks == 1) && used + 1u < room) {
            const int is_unsigned =
                *text == 'u' && used && to[used - 1u] == '.';
            to[used++] = is_unsigned ? 'b' : *text;
        }
    }
    to[used] = 0;
    /* A product of ours adds to its accumulator: the same registers again. */
    char *sum = starts(to, "mma.sync.") && !has(to, "block_scale")
                    ? strrchr(to, '{') : NULL;
    if (sum) {
        *sum = 0;
    }
}

/* Products with metadata or scales, and tcgen05: the operands in their order of
 * appearance, without the sum that is added to; literals count as operands. */
static void number_operands(char *text) {
    char was[ASM_TEXT];
    unsigned names[160];
    unsigned n = 0;
    unsigned braces = 0;
    const int is_mma = starts(text, "mma.");
    size_t used = strcspn(text, " ");
    (void)snprintf(was, sizeof was, "%s", text);
    for (const char *p = was + used; *p;) {
        const int is_operand_at = *p == '%' || (*p >= '0' && *p <= '9');
        braces += *p == '{';
        if (is_mma && *p == '{' && braces == 4u) {
            p = strchr(p, '}') + 1; /* the sum */
        } else if (is_operand_at) {
            const unsigned name =
                *p == '%' ? (unsigned)strtoul(p + 1, NULL, 10) : 1000u + n;
            unsigned k = 0;
            for (; k < n && names[k] != name; ++k) {
            }
            n += k == n && n < 159u;
            names[k] = name;
            used += (size_t)snprintf(text + used, 8, "%%%u", k);
            for (p += *p == '%'; (*p >= '0' && *p <= '9') || *p == 'x'; ++p) {
            }
        } else {
            text[used++] = *p++;
        }
    }
    text[used] = 0;
}

static int is_numbered(const char *text) {
    return starts(text, "mma.sp") || starts(text, "tcgen05.") ||
           (starts(text, "mma.") && has(text, "block_scale"));
}

/* Where ll_ptx.h has functions of the line's mnemonic, one has its text. */
static void want_wrapper(check_case *c) {
    char want[ASM_TEXT];
    char got[ASM_TEXT] = "";
    const char *text = get_text(c, "asm");
    unsigned same = 0;
    unsigned equal = 0;
    plain_text(text, want, sizeof want);
    if (is_numbered(want)) {
        number_operands(want);
    }
    const size_t mnemonic = strcspn(want, " ");
    for (unsigned k = 0; (text = wrapper_text(k)) != NULL; ++k) {
        plain_text(text, got, sizeof got);
        if (is_numbered(got)) {
            number_operands(got);
        }
        same += strcspn(got, " ") == mnemonic &&
                strncmp(got, want, mnemonic) == 0;
        equal += strcmp(got, want) == 0;
    }
    /* What no target assembles has no function. */
    const int none = json_array_size(get_value(c, "assembles_on")) == 0;
    if (none ? equal > 0 : same > 0 && equal != 1u) {
        fail(c, "%u functions are of this name, %u have this text", same,
             equal);
    }
}

static void op_ptx_assembled(check_case *c) {
    static const char *const tested[] = {
        "sm_75",   "sm_80",   "sm_89",   "sm_90",   "sm_90a", "sm_100",
        "sm_100a", "sm_100f", "sm_103a", "sm_110a", "sm_120", "sm_120a"};
    const char *text = get_text(c, "instruction");
    for (size_t k = 0; k < sizeof tested / sizeof *tested; ++k) {
        const int has_it = list_has(get_value(c, "assembles_on"), tested[k]);
        ++c->compared;
        if (ll_ptx_has(tested[k], text) != has_it) {
            fail(c, "%s %s it", tested[k], has_it ? "has" : "lacks");
        }
    }
    want_wrapper(c);
}

const check_op check_ptx[] = {
    {"ptx_fragments", op_ptx_fragments},
    {"ptx_assembled", op_ptx_assembled},
    {"cute_swizzles", op_cute_swizzles},
    {0, 0},
};
