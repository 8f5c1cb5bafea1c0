/* engine_products.h - matrix products in the kernels of engine.c, by the
 * layouts that were chosen.
 * SPDX-License-Identifier: MIT
 *
 * Each family of instructions has a file of its own: engine_mma.h,
 * engine_wgmma.h, engine_tcgen05.h, engine_amd.h. It finds the instruction of a
 * product (find_..) and writes it (write_..). This file has what they share.
 *
 * A graph gives the bits of a number. The type is that of an option: --type16
 * (f16, bf16), --type8 (e4m3, e5m2, s8, u8) or --type4 (s4, u4, e2m1). A 4-bit
 * number takes a byte until it is part of an operand's word, or of a tile that
 * tcgen05 reads. Accumulators have 32 bits, or 64 for f64. Other products are
 * functions to be filled in.
 */
#ifndef LL_ENGINE_PRODUCTS_H
#define LL_ENGINE_PRODUCTS_H

enum { BY_HAND, BY_MMA, BY_WGMMA, BY_TCGEN05, BY_AMD };

/* The target and types of the kernel. */
static struct {
    unsigned gfx, lanes, sm;
    const char *type16, *type8, *type4; /* type4: null, or the type */
} made_for;

typedef struct product {
    unsigned how;
    const char *type;   /* type of the operands */
    unsigned bits;      /* bits per operand number */
    unsigned rows, cols, depth;
    unsigned m, n, k;   /* of one instruction */
    int from_tensor;    /* A comes from tensor memory */
    int scaled;
    unsigned block;     /* numbers along k that share a scale */
    int counts;         /* the accumulators are integers */
    char name[64];      /* name of the instruction's function */
    const char *lacks;  /* missing on the target, or null */
} product;

static int is_by(const ll_engine_op *o, const char *name) {
    return ll_engine_is_word_(o->by, o->by_length, name);
}

static const char *type_of_bits(unsigned bits, int scaled) {
    return bits == 64u   ? "f64"
           : bits == 32u ? made_for.gfx ? "f32" : "tf32"
           : bits == 16u ? made_for.type16
           : bits == 8u  ? made_for.type8
           : made_for.type4 ? made_for.type4
           : scaled         ? "e2m1"
                            : "s4";
}

/* Returns whether the target has the instruction of a function's name. */
static int has(const char *name) {
    char target[16], said[80] = "";
    if (made_for.gfx) {
        snprintf(target, sizeof target, "gfx%x", made_for.gfx);
        return ll_amd_has(target, name);
    }
    snprintf(target, sizeof target, "sm_%u%s", made_for.sm,
             made_for.sm >= 90u ? "a" : "");
    for (unsigned k = 0; name[k] && strlen(said) < 70u; ++k) {
        const char *kind = k && name[k - 1u] == '_' &&
                                   !strncmp(name + k, "mxf", 3)
                               ? "kind::"
                               : "";
        snprintf(said + strlen(said), 12, "%s%c", kind,
                 name[k] == '_' ? '.' : name[k]);
    }
    return ll_ptx_has(target, said);
}

static product product_of(const ll_engine_op *o);
static const char *tile_of(unsigned v);

/* ---- Registers ----------------------------------------------------------- */

/* Returns the register with element y if each column is one bit. */
static unsigned register_of(unsigned id, unsigned y) {
    const ll_engine_flat *f = &e.flat[id];
    unsigned r = 0;
    for (unsigned k = 0; k < f->n[0]; ++k) {
        r |= (f->basis[k] & y) != 0 ? 1u << k : 0u;
    }
    return r;
}

/* Returns whether a lane has element y, in the same warp. */
static int is_in_lane(unsigned id, unsigned y) {
    const ll_engine_flat *f = &e.flat[id];
    for (unsigned k = 0; k < f->n[0]; ++k) {
        y &= ~f->basis[k];
    }
    return y == 0;
}

static unsigned words(unsigned v, unsigned id) {
    return ((e.value[v].element_bits << e.flat[id].n[0]) + 31u) / 32u;
}

/* Writes the words of operand k in registers, as x0, x1 .. */
static void write_words(unsigned p, unsigned k, const unsigned *tuple,
                        unsigned each, unsigned n) {
    const unsigned v = e.operand[e.op[p].at + k];
    indent();
    printf("unsigned x%u[%u];\n", k, n);
    indent();
    if (each) {
        printf("bytes_of<%u>(x%u, ", each, k);
    } else if (e.value[v].element_bits == 4u) {
        printf("nibbles_of<0>(x%u, ", k);
    } else {
        printf("words_of(x%u, ", k);
    }
    write_operand(v, tuple[k], p, 0);
    printf(");\n");
}

/* ---- Slices of tiles in shared memory: wgmma, tcgen05 -------------------- */

/* Writes the address of operand k in shared memory. */
static void write_address(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    indent();
    printf("unsigned a%u = address(", k);
    if (tuple[k] == o->in_place[k]) {
        printf("%s", tile_of(e.operand[o->at + k]));
    } else {
        printf("tile_%u_%u", p, k);
    }
    printf(");\n");
}

/* Writes the descriptor of a slice of operand k. */
static void write_slice(unsigned p, unsigned k, unsigned at) {
    printf("slice(DESC%u_%u, a%u + %u)", p, k, k, at);
}

/* Returns the operand in shared memory as the instructions see it. */
static ll_layout operand_of(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned id = tuple[k] == o->in_place[k] ? tuple[k] : stored_to(p, k);
    const ll_layout m = memory_of(e.operand[o->at + k], id);
    return k ? ll_trans(m, "j i") : m;
}

/* Returns the bytes from the tile to the slice at i, j. */
static unsigned slice_at(ll_layout a, const product *x, unsigned m, unsigned i,
                         unsigned j) {
    return ll_ptx_desc_slice(a, m, x->k, x->bits, i, j).at;
}

static int is_turned(ll_layout a, const product *x, unsigned m) {
    return ll_ptx_desc_of(a, m, x->k, x->bits).mn_major != 0;
}

/* Returns the register bit that selects one of two 4-bit numbers that share a
 * byte of operand k's tile, or NONE if a lane does not hold both. */
static unsigned pair_bit(unsigned p, unsigned k) {
    unsigned tuple[OPERANDS];
    const unsigned id = stored_to(p, k);
    unsigned bit = LL_ENGINE_NONE;
    if (id == LL_ENGINE_NONE || !executed(p, 0, tuple)) {
        return LL_ENGINE_NONE;
    }
    const ll_engine_flat *f = &e.flat[tuple[k]];
    for (unsigned b = 0; b < ll_flat_total_(f); ++b) {
        if (f->basis[b] & e.flat[id].basis[0]) {
            if (b >= f->n[0] || bit != LL_ENGINE_NONE ||
                f->basis[b] != e.flat[id].basis[0]) {
                return LL_ENGINE_NONE;
            }
            bit = b;
        }
    }
    return bit;
}

/* Returns whether operand k is stored as bytes of two numbers. */
static int is_packed(unsigned p, unsigned k) {
    const product x = product_of(&e.op[p]);
    return x.how == BY_TCGEN05 && x.bits == 4u && (k || !x.from_tensor);
}

/* ---- Families ------------------------------------------------------------ */

#include "engine_mma.h"
#include "engine_wgmma.h"
#include "engine_tcgen05.h"
#include "engine_amd.h"

/* Returns how product o is written. */
static product product_of(const ll_engine_op *o) {
    product x = {0};
    if (!ll_engine_is_dot_(o->kind) || !o->by_length) {
        return x;
    }
    const ll_engine_value *a = &e.value[e.operand[o->at]];
    const ll_engine_value *b = &e.value[e.operand[o->at + 1u]];
    const ll_engine_value *c = &e.value[e.operand[o->at + o->n_in]];
    const ll_engine_value *add = &e.value[e.operand[o->at + o->n_in - 1u]];
    x.scaled = o->kind == LL_ENGINE_DOT_SCALED;
    const int adds = o->n_in == (x.scaled ? 5u : 3u);
    x.bits = a->element_bits;
    x.type = type_of_bits(x.bits, x.scaled);
    x.counts = x.bits <= 8u && (*x.type == 's' || *x.type == 'u');
    x.rows = 1u << a->size[0];
    x.depth = 1u << a->size[1];
    x.cols = 1u << b->size[1];
    x.from_tensor = is_by(o, "tcgen05_ta");
    x.block = x.scaled ? x.depth >> e.value[e.operand[o->at + 2u]].size[1] : 0u;
    if (b->element_bits != x.bits || x.bits < 4u || (x.bits & (x.bits - 1u)) ||
        c->element_bits != (x.bits == 64u ? 64u : 32u) ||
        (adds && add->element_bits != c->element_bits) ||
        (x.scaled && x.block != 32u &&
         !(x.block == 16u && x.bits == 4u && !made_for.gfx))) {
        return x;
    }
    if (is_by(o, "mma")) {
        x.scaled ? find_scaled_mma(&x) : find_mma(&x);
    } else if (is_by(o, "wgmma")) {
        find_wgmma(&x);
    } else if (x.from_tensor || is_by(o, "tcgen05")) {
        find_tcgen05(&x, (unsigned)(o - e.op));
    } else {
        find_amd(&x, o);
    }
    return x;
}

static int is_any_by(unsigned how) {
    int any = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        any = any || product_of(&e.op[p]).how == how;
    }
    return any;
}

/* Prints a sentence if the target does not have an instruction. */
static int can_run(void) {
    for (unsigned p = 0; p < e.ops; ++p) {
        const product x = product_of(&e.op[p]);
        if (x.lacks) {
            const char *vendor = made_for.gfx ? "gfx" : "sm_";
            fprintf(stderr,
                    made_for.gfx ? "engine: %s%x has no %s\n"
                                 : "engine: %s%u has no %s\n",
                    vendor, made_for.gfx ? made_for.gfx : made_for.sm, x.lacks);
            return 0;
        }
    }
    return 1;
}

/* ---- Constants ----------------------------------------------------------- */

/* Writes operand k of a product as the instructions take it: its layout in
 * registers, or its layout from shared memory offsets, transposed so that k is
 * j. */
static void write_taken(unsigned p, unsigned k, const unsigned *tuple,
                        const product *x) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at + k];
    if (in_registers(o, k, tuple)) {
        const unsigned id = o->kind == LL_ENGINE_DOT && k < 2u &&
                                    e.fixed[o->at + k] != LL_ENGINE_NONE
                                ? e.fixed[o->at + k]
                                : tuple[k];
        ll_str(ll_engine_layout(&e, v, id), buffer, sizeof buffer);
        printf("LL_LAYOUT(IN%u_%u, ll_parse(\"%s\"));\n", p, k, buffer);
        return;
    }
    const unsigned id =
        tuple[k] == o->in_place[k] ? tuple[k] : stored_to(p, k);
    const unsigned m = k ? x->n : x->m;
    ll_str(memory_of(v, id), buffer, sizeof buffer);
    printf(k ? "LL_LAYOUT(IN%u_%u, ll_trans(ll_parse(\"%s\"), \"j i\"));\n"
             : "LL_LAYOUT(IN%u_%u, ll_parse(\"%s\"));\n",
           p, k, buffer);
    printf("constexpr ll_ptx_desc SLICE%u_%u = ll_ptx_desc_slice(LL_GET(IN%u_"
           "%u), %u, %u, %u, 0, 0);\n"
           "static_assert(!SLICE%u_%u.err, \"no descriptor has this tile\");\n"
           "constexpr unsigned long long DESC%u_%u = ll_ptx_desc_%s(SLICE%u_%u"
           ", 0);\n",
           p, k, p, k, m, x->k, x->bits, p, k, p, k,
           x->how == BY_WGMMA ? "wgmma" : "tcgen05", p, k);
}

static void write_product_constants(unsigned p) {
    const ll_engine_op *o = &e.op[p];
    const product x = product_of(o);
    unsigned tuple[OPERANDS];
    if (x.how == BY_HAND || x.how == BY_AMD || !executed(p, 0, tuple)) {
        return;
    }
    for (unsigned k = 0; k < (x.scaled ? 4u : 2u); ++k) {
        write_taken(p, k, tuple, &x);
    }
    if (x.how == BY_TCGEN05) {
        write_idesc(p, &x);
    }
}

/* Functions that kernels with products call. */
static const char words_function[] =
    "template <unsigned long long W_, class T_, unsigned long long N_>\n"
    "static __device__ void words_of(unsigned (&to)[W_], const T_ (&from)[N_]) "
    "{\n"
    "    static_assert(sizeof(to) == sizeof(from), \"\");\n"
    "    memcpy(to, from, sizeof(to));\n}\n\n"
    "/* EACH_ bytes to a word. */\n"
    "template <unsigned EACH_, unsigned long long W_, unsigned long long N_>\n"
    "static __device__ void bytes_of(unsigned (&to)[W_], const unsigned char "
    "(&from)[N_]) {\n"
    "    LL_UNROLL\n"
    "    for (unsigned w = 0; w < W_; ++w) {\n"
    "        to[w] = 0;\n"
    "        LL_UNROLL\n"
    "        for (unsigned k = 0; k < EACH_ && EACH_ * w + k < N_; ++k) {\n"
    "            to[w] |= (unsigned)from[EACH_ * w + k] << 8 * k;\n"
    "        }\n    }\n}\n\n";

static const char nibbles_function[] =
    "/* Eight numbers of 4 bits to a word. Bit 0 and bit BIT_ of their numbers "
    "change places. */\n"
    "template <unsigned BIT_, unsigned long long W_, unsigned long long N_>\n"
    "static __device__ void nibbles_of(unsigned (&to)[W_], const unsigned char "
    "(&from)[N_]) {\n"
    "    static_assert(W_ == (N_ + 7) / 8, \"\");\n"
    "    LL_UNROLL\n"
    "    for (unsigned w = 0; w < W_; ++w) {\n"
    "        to[w] = 0;\n"
    "        LL_UNROLL\n"
    "        for (unsigned k = 0; k < 8 && 8 * w + k < N_; ++k) {\n"
    "            const unsigned n = 8 * w + k;\n"
    "            const unsigned other = (n ^ n >> BIT_) & 1;\n"
    "            to[w] |= (from[n ^ other ^ other << BIT_] & 15u) << 4 * k;\n"
    "        }\n    }\n}\n\n";

static void write_product_functions(void) {
    int any = 0, nibbles = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const product x = product_of(&e.op[p]);
        any = any || (x.how != BY_HAND && (x.how != BY_AMD || x.scaled));
        nibbles = nibbles || (x.how != BY_HAND && x.bits == 4u);
    }
    printf("%s%s", any ? words_function : "", nibbles ? nibbles_function : "");
}

/* ---- The product --------------------------------------------------------- */

/* sum[r] = or += the addend, or 0. */
static void write_addend(unsigned p, const product *x, const unsigned *tuple,
                         const char *sets) {
    const ll_engine_op *o = &e.op[p];
    const unsigned last = o->n_in - 1u;
    indent();
    printf("LL_EACH(r, L%u_%u) {\n", e.operand[o->at + o->n_in],
           tuple[o->n_in]);
    indent();
    printf("    sum[r] %s ", sets);
    if (o->n_in == (x->scaled ? 5u : 3u)) {
        printf("(%s)", x->counts ? "int" : x->bits == 64u ? "double" : "float");
        write_operand(e.operand[o->at + last], tuple[last], p, 0);
        printf("[r];\n");
    } else {
        printf("0;\n");
    }
    indent();
    printf("}\n");
}

static void write_product(unsigned p, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const product x = product_of(o);
    const unsigned c = e.operand[o->at + o->n_in];
    indent();
    printf("{ /* the product */\n");
    ++e.depth;
    indent();
    printf("%s sum[1 << %u];\n",
           x.counts          ? "int"
           : x.bits == 64u ? "double"
                           : "float",
           e.flat[tuple[o->n_in]].n[0]);
    if (x.how == BY_TCGEN05) {
        write_tcgen05(p, &x, tuple);
        write_addend(p, &x, tuple, "+=");
    } else {
        write_addend(p, &x, tuple, "=");
        x.how == BY_MMA     ? write_mma(p, &x, tuple)
        : x.how == BY_WGMMA ? write_wgmma(p, &x, tuple)
                            : write_amd(p, &x, tuple);
    }
    indent();
    printf("LL_EACH(r, L%u_%u) {\n", c, tuple[o->n_in]);
    indent();
    printf("    %s[r] = (%s)sum[r];\n", name_of(c, tuple[o->n_in]),
           type_of(c));
    indent();
    printf("}\n");
    --e.depth;
    indent();
    printf("}\n");
}

#endif
