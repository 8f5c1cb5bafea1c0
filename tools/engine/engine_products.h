/* engine_products.h - matrix products in the kernels of engine.c, by the
 * layouts that were chosen.
 * SPDX-License-Identifier: MIT
 *
 * Each family of instructions has a file of its own: engine_mma.h,
 * engine_wgmma.h, engine_tcgen05.h, engine_amd.h. It finds the instruction of a
 * product (find_..) and writes it (write_..). engine_product.h has what the
 * families share; this file picks the family.
 *
 * A graph gives the bits of a number. An option gives the type: --type16
 * (f16, bf16), --type8 (e4m3, e5m2, s8, u8) or --type4 (s4, u4, e2m1). A 4-bit
 * number takes a byte until it is part of an operand's word, or of a tile that
 * tcgen05 reads. Accumulators have 32 bits, or 64 for f64. Other products are
 * functions to be filled in.
 */
#ifndef LL_ENGINE_PRODUCTS_H
#define LL_ENGINE_PRODUCTS_H

#include "engine_amd.h"
#include "engine_mma.h"
#include "engine_tcgen05.h"
#include "engine_wgmma.h"

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

/* Returns whether operand k is stored as bytes of two numbers. */
static int is_packed(unsigned p, unsigned k) {
    const product x = product_of(&e.op[p]);
    return x.how == BY_TCGEN05 && x.bits == 4u && (k || !x.from_tensor);
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
