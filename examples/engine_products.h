/* engine_products.h - the arithmetic of products in the kernels of engine.c:
 * mma.sync, wgmma, tcgen05, MFMA and WMMA, by the layouts that were chosen.
 * SPDX-License-Identifier: MIT
 *
 * A graph says how many bits a number has, the options --type16 (f16, bf16) and
 * --type8 (e4m3, e5m2, s8, u8) which type it is. Sums have 32 bits, those of
 * f64 64. Other products become a function to be filled in.
 */
#ifndef LL_ENGINE_PRODUCTS_H
#define LL_ENGINE_PRODUCTS_H

static void indent(void);
static void write_operand(unsigned v, unsigned id, unsigned p, unsigned k);

enum { BY_HAND, BY_MMA, BY_WGMMA, BY_TCGEN05, BY_AMD };

/* What the kernel is for. */
static struct {
    unsigned gfx, lanes, sm;
    const char *type16, *type8;
} made_for;

typedef struct product {
    unsigned how;
    const char *type;   /* of the operands */
    unsigned bits;      /* of one of their numbers */
    unsigned rows, cols, depth;
    unsigned m, n, k;   /* of one instruction */
    int from_tensor;    /* A comes from tensor memory */
    int scaled;
    int counts;         /* the sums are whole numbers */
    char name[64];      /* of the instruction's function */
    const char *lacks;  /* what the target lacks, or null */
} product;

static int is_by(const ll_engine_op *o, const char *name) {
    return ll_engine_is_word_(o->by, o->by_length, name);
}

static const char *type_of_bits(unsigned bits) {
    return bits == 64u   ? "f64"
           : bits == 32u ? made_for.gfx ? "f32" : "tf32"
           : bits == 16u ? made_for.type16
                         : made_for.type8;
}

/* Whether the target has the instruction of a function's name. */
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

/* The largest mma.sync of a type that the target has and that k fills. */
static void find_mma(product *x) {
    static const char *const all[] = {
        "m16n8k16_f32_f16",  "m16n8k8_f32_f16",   "m16n8k16_f32_bf16",
        "m16n8k8_f32_bf16",  "m16n8k32_f32_e4m3", "m16n8k16_f32_e4m3",
        "m16n8k32_f32_e5m2", "m16n8k16_f32_e5m2", "m16n8k32_s32_s8",
        "m16n8k16_s32_s8",   "m8n8k16_s32_s8",    "m16n8k32_s32_u8",
        "m16n8k16_s32_u8",   "m8n8k16_s32_u8",    "m16n8k8_f32_tf32",
        "m16n8k4_f32_tf32",  "m16n8k16_f64_f64",  "m16n8k8_f64_f64",
        "m16n8k4_f64_f64",   "m8n8k4_f64_f64"};
    x->how = BY_HAND;
    x->lacks = "mma.sync of this type";
    for (unsigned n = 0; n < sizeof all / sizeof *all && x->how == BY_HAND;
         ++n) {
        char name[48];
        const char *k = strchr(all[n], 'k');
        snprintf(name, sizeof name, "mma_%s", all[n]);
        if (!strcmp(strrchr(all[n], '_') + 1, x->type) && has(name) &&
            strtoul(k + 1, NULL, 10) <= x->depth) {
            x->how = BY_MMA;
            x->lacks = NULL;
            snprintf(x->name, sizeof x->name, "ll_ptx_%s", name);
        }
    }
}

static void find_scaled_mma(product *x) {
    char name[48];
    snprintf(name, sizeof name, "mma_m16n8k32_f32_%s_mxf8f6f4", x->type);
    snprintf(x->name, sizeof x->name, "ll_ptx_%s", name);
    x->how = x->bits == 8u && !x->counts ? BY_MMA : BY_HAND;
    x->lacks = x->how == BY_HAND || has(name) ? NULL : "mma.sync with scales";
}

static void find_wgmma(product *x) {
    x->how = x->bits <= 32u && !x->scaled ? BY_WGMMA : BY_HAND;
    x->lacks = has("wgmma") ? NULL : "wgmma";
    x->m = 64;
    x->n = x->cols < 256u ? x->cols : 256u;
    x->k = 256u / x->bits;
    snprintf(x->name, sizeof x->name, "ll_ptx_wgmma_%s_%s",
             x->counts ? "s32" : "f32", x->type);
}

static void find_tcgen05(product *x) {
    const char *kind = x->scaled         ? "mxf8f6f4"
                       : x->bits == 32u  ? "tf32"
                       : x->bits == 16u  ? "f16"
                       : x->counts       ? "i8"
                                         : "f8f6f4";
    x->how = x->bits <= (x->scaled ? 8u : 32u) && !(x->scaled && x->counts)
                 ? BY_TCGEN05
                 : BY_HAND;
    x->lacks = !has("tcgen05")                                    ? "tcgen05"
               : !strcmp(kind, "i8") && !has("tcgen05_mma_kind::i8")
                   ? "tcgen05 of whole numbers"
                   : NULL;
    x->m = x->rows < 128u ? x->rows : 128u;
    x->n = x->cols < 256u ? x->cols : 256u;
    x->k = 256u / x->bits;
    snprintf(x->name, sizeof x->name, "ll_ptx_tcgen05_mma_%s%s", kind,
             x->from_tensor ? "_ta" : "");
}

/* AMD's types have names of their own. */
static void find_amd(product *x, const ll_engine_op *o) {
    static const char *const all[][3] = {
        {"mfma16", "f16", "mfma_f32_16x16x16f16"},
        {"mfma32", "f16", "mfma_f32_32x32x8f16"},
        {"mfma16", "bf16", "mfma_f32_16x16x16bf16_1k"},
        {"mfma32", "bf16", "mfma_f32_32x32x8bf16_1k"},
        {"mfma16", "e4m3", "mfma_f32_16x16x32_fp8_fp8"},
        {"mfma32", "e4m3", "mfma_f32_32x32x16_fp8_fp8"},
        {"mfma16", "e5m2", "mfma_f32_16x16x32_bf8_bf8"},
        {"mfma32", "e5m2", "mfma_f32_32x32x16_bf8_bf8"},
        {"mfma16", "s8", "mfma_i32_16x16x32_i8"},
        {"mfma32", "s8", "mfma_i32_32x32x16_i8"},
        {"mfma16", "f32", "mfma_f32_16x16x4f32"},
        {"mfma32", "f32", "mfma_f32_32x32x2f32"},
        {"mfma16", "f64", "mfma_f64_16x16x4f64"},
        {"mfma_scale16", "e4m3", "mfma_scale_f32_16x16x128_f8f6f4"},
        {"mfma_scale32", "e4m3", "mfma_scale_f32_32x32x64_f8f6f4"},
        {"mfma_scale16", "e5m2", "mfma_scale_f32_16x16x128_f8f6f4"},
        {"mfma_scale32", "e5m2", "mfma_scale_f32_32x32x64_f8f6f4"},
        {"wmma_w32", "f16", "wmma_f32_16x16x16_f16_w32"},
        {"wmma_w32", "bf16", "wmma_f32_16x16x16_bf16_w32"},
        {"wmma_w32", "s8", "wmma_i32_16x16x16_iu8_w32"},
        {"wmma_w32_gfx12", "f16", "wmma_f32_16x16x16_f16_w32_gfx12"},
        {"wmma_w32_gfx12", "bf16", "wmma_f32_16x16x16_bf16_w32_gfx12"},
        {"wmma_w32_gfx12", "e4m3", "wmma_f32_16x16x16_fp8_fp8_w32_gfx12"},
        {"wmma_w32_gfx12", "e5m2", "wmma_f32_16x16x16_bf8_bf8_w32_gfx12"},
        {"wmma_w32_gfx12", "s8", "wmma_i32_16x16x16_iu8_w32_gfx12"}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        if (is_by(o, all[n][0]) && !strcmp(x->type, all[n][1])) {
            x->how = BY_AMD;
            x->lacks = has(all[n][2]) ? NULL : all[n][2];
            snprintf(x->name, sizeof x->name, "ll_amd_%s", all[n][2]);
        }
    }
}

/* How product o is written. */
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
    x.type = type_of_bits(x.bits);
    x.counts = x.bits == 8u && (*x.type == 's' || *x.type == 'u');
    x.rows = 1u << a->size[0];
    x.depth = 1u << a->size[1];
    x.cols = 1u << b->size[1];
    x.from_tensor = is_by(o, "tcgen05_ta");
    if (b->element_bits != x.bits || x.bits < 8u || (x.bits & (x.bits - 1u)) ||
        c->element_bits != (x.bits == 64u ? 64u : 32u) ||
        (adds && add->element_bits != c->element_bits)) {
        return x;
    }
    if (is_by(o, "mma")) {
        x.scaled ? find_scaled_mma(&x) : find_mma(&x);
    } else if (is_by(o, "wgmma")) {
        find_wgmma(&x);
    } else if (x.from_tensor || is_by(o, "tcgen05")) {
        find_tcgen05(&x);
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

/* One sentence if the target lacks an instruction. */
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

/* ---- Tiles --------------------------------------------------------------- */

/* Whether a product reads the tile that loop value `p` carries. */
static int carries_tile(unsigned p) {
    const ll_engine_op *c = &e.op[p];
    ll_engine_way_to_ w;
    for (unsigned q = 0; q < 2u * e.ops && c->kind == LL_ENGINE_CARRY; ++q) {
        const ll_engine_op *o = &e.op[q / 2u];
        if (!ll_engine_is_dot_(o->kind) || q % 2u >= o->n_in ||
            o->in_place[q % 2u] == LL_ENGINE_NONE ||
            !ll_engine_brought_(&e, e.operand[o->at + q % 2u],
                                o->in_place[q % 2u], &w)) {
            continue;
        }
        for (unsigned k = 0; k < w.n; ++k) {
            if (e.value[w.value[k]].def == p) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether what loop value p takes next may be the tile of value v, as it is or
 * turned or carried. */
static int is_on_way(unsigned p, unsigned v) {
    unsigned list[LL_ENGINE_WAY_] = {e.operand[e.op[p].at + 1u]};
    unsigned n = 1;
    for (unsigned k = 0; k < n; ++k) {
        const ll_engine_op *o = &e.op[e.value[list[k]].def];
        if (list[k] == v) {
            return 1;
        }
        for (unsigned i = 0; i < o->n_in && (o->kind == LL_ENGINE_TRANS ||
                                             o->kind == LL_ENGINE_CARRY);
             ++i) {
            if (!is_in(e.operand[o->at + i], list, n) && n < LL_ENGINE_WAY_) {
                list[n++] = e.operand[o->at + i];
            }
        }
    }
    return 0;
}

/* The tiles of copy p: one more for each loop value that keeps one while the
 * next is brought. */
static unsigned tiles_of(unsigned p) {
    const unsigned v = e.operand[e.op[p].at];
    unsigned n = 1;
    for (unsigned c = 0; c < e.ops && e.op[p].n_out; ++c) {
        n += e.op[c].kind == LL_ENGINE_CARRY && carries_tile(c) &&
             e.value[e.operand[e.op[c].at + 2u]].weight <= e.op[p].weight &&
             is_on_way(c, v);
    }
    return n;
}

/* Where the tile of value v, which lies in place, begins: what a copy fills, or
 * what a loop carries. */
static const char *tile_of(unsigned v) {
    static char names[4][24];
    static unsigned next;
    char *s = names[next++ % 4u];
    const ll_engine_op *o = &e.op[e.value[v].def];
    while (o->kind == LL_ENGINE_TRANS) {
        o = &e.op[e.value[e.operand[o->at]].def];
    }
    if (o->kind == LL_ENGINE_CARRY) {
        snprintf(s, 24, "carried_%u", (unsigned)(o - e.op));
    } else {
        snprintf(s, 24, "%s_%u", tiles_of((unsigned)(o - e.op)) > 1u ? "now"
                                                                     : "tile",
                 (unsigned)(o - e.op));
    }
    return s;
}

/* ---- Constants ----------------------------------------------------------- */

/* Operand k of a product, as the instructions take it: its layout in registers
 * or, turned so that k is j, from offsets in shared memory. */
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

static void write_idesc(unsigned p, const product *x) {
    printf("constexpr ll_ptx_idesc IDESC%u = ll_ptx_idesc_of(\"kind::%.*s.%s."
           "%s.%s%s\", 1, %u, %u, ",
           p, (int)strcspn(x->name + 19, "_"), x->name + 19,
           x->counts ? "s32" : "f32", x->type, x->type,
           x->scaled ? ".ue8m0" : "", x->m, x->n);
    if (x->from_tensor) {
        printf("ll_ptx_desc()");
    } else {
        printf("SLICE%u_0", p);
    }
    printf(", SLICE%u_1);\nstatic_assert(!IDESC%u.err, \"there is no such "
           "product\");\n",
           p, p);
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
static void write_product_functions(void) {
    int any = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const product x = product_of(&e.op[p]);
        any = any || (x.how != BY_HAND && (x.how != BY_AMD || x.scaled));
    }
    if (any) {
        printf("template <unsigned long long W_, class T_, unsigned long long "
               "N_>\n"
               "static __device__ void words_of(unsigned (&to)[W_], const T_ "
               "(&from)[N_]) {\n"
               "    static_assert(sizeof(to) == sizeof(from), \"\");\n"
               "    memcpy(to, from, sizeof(to));\n}\n\n"
               "/* EACH_ bytes to a word. */\n"
               "template <unsigned EACH_, unsigned long long W_, unsigned long "
               "long N_>\n"
               "static __device__ void bytes_of(unsigned (&to)[W_], const "
               "unsigned char (&from)[N_]) {\n"
               "    LL_UNROLL\n"
               "    for (unsigned w = 0; w < W_; ++w) {\n"
               "        to[w] = 0;\n"
               "        LL_UNROLL\n"
               "        for (unsigned k = 0; k < EACH_ && EACH_ * w + k < N_; "
               "++k) {\n"
               "            to[w] |= (unsigned)from[EACH_ * w + k] << 8 * k;\n"
               "        }\n    }\n}\n\n");
    }
}

/* ---- The product --------------------------------------------------------- */

/* The register that has element y if the columns are bits of their own. */
static unsigned register_of(unsigned id, unsigned y) {
    const ll_engine_flat *f = &e.flat[id];
    unsigned r = 0;
    for (unsigned k = 0; k < f->n[0]; ++k) {
        r |= (f->basis[k] & y) != 0 ? 1u << k : 0u;
    }
    return r;
}

/* Whether a lane has element y, and not another warp. */
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

/* The words of operand k in registers, as x0, x1 .. */
static void write_words(unsigned p, unsigned k, const unsigned *tuple,
                        unsigned each, unsigned n) {
    const unsigned v = e.operand[e.op[p].at + k];
    indent();
    printf("unsigned x%u[%u];\n", k, n);
    indent();
    if (each) {
        printf("bytes_of<%u>(x%u, ", each, k);
    } else {
        printf("words_of(x%u, ", k);
    }
    write_operand(v, tuple[k], p, 0);
    printf(");\n");
}

static void write_mma(unsigned p, const product *x, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *v = e.operand + o->at;
    for (unsigned k = 0; k < 2u && x->bits < 64u; ++k) {
        write_words(p, k, tuple, 0, words(v[k], tuple[k]));
    }
    for (unsigned k = 2; k < (x->scaled ? 4u : 0u); ++k) {
        write_words(p, k, tuple, 4, words(v[k], tuple[k]));
    }
    indent();
    printf("LL_MMA(sum, L%u_%u", v[o->n_in], tuple[o->n_in]);
    for (unsigned k = 0; k < 2u; ++k) {
        printf(", ");
        if (x->bits < 64u) {
            printf("x%u", k);
        } else {
            write_operand(v[k], tuple[k], p, 0);
        }
        printf(", IN%u_%u", p, k);
    }
    printf(", %u, %s", x->bits, x->name);
    printf(x->scaled ? ", x2, IN%u_2, x3, IN%u_3);\n" : ");\n", p, p);
}

/* Where operand k lies in shared memory. */
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

/* The descriptor of a slice of operand k. */
static void write_slice(unsigned p, unsigned k, unsigned at) {
    printf("slice(DESC%u_%u, a%u + %u)", p, k, k, at);
}

/* The operand in shared memory as the instructions see it. */
static ll_layout operand_of(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned id = tuple[k] == o->in_place[k] ? tuple[k] : stored_to(p, k);
    const ll_layout m = memory_of(e.operand[o->at + k], id);
    return k ? ll_trans(m, "j i") : m;
}

/* Bytes from the tile to the slice at i, j. */
static unsigned slice_at(ll_layout a, const product *x, unsigned m, unsigned i,
                         unsigned j) {
    return ll_ptx_desc_slice(a, m, x->k, x->bits, i, j).at;
}

static int is_turned(ll_layout a, const product *x, unsigned m) {
    return ll_ptx_desc_of(a, m, x->k, x->bits).mn_major != 0;
}

/* The instructions of a product by wgmma: those of A in registers (_ra) take
 * its words, and all take the rows of their warpgroup. */
static void write_wgmma_all(unsigned p, const product *x,
                            const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const int lanes = in_registers(o, 0, tuple);
    const unsigned c = tuple[o->n_in];
    const ll_layout b = operand_of(p, 1, tuple);
    const ll_layout a = lanes ? b : operand_of(p, 0, tuple);
    for (unsigned i = 0; i < x->rows; i += x->m) {
        for (unsigned j = 0;
             j < x->cols && is_in_lane(c, i * x->cols); j += x->n) {
            for (unsigned k = 0; k < x->depth; k += x->k) {
                indent();
                printf("%s%s<%u", x->name, lanes ? "_ra" : "", x->n);
                if (x->bits == 16u && !lanes) {
                    printf(", %d", is_turned(a, x, x->m));
                }
                printf(x->bits == 16u ? ", %d>(" : ">(",
                       is_turned(b, x, x->n));
                printf("sum + %u, ", register_of(c, i * x->cols + j));
                if (lanes) {
                    printf("x0 + %u", register_of(tuple[0], i * x->depth + k) *
                                          x->bits / 32u);
                } else {
                    write_slice(p, 0, slice_at(a, x, x->m, i, k));
                }
                printf(", ");
                write_slice(p, 1, slice_at(b, x, x->n, j, k));
                printf(", 1);\n");
            }
        }
    }
}

static void write_wgmma(unsigned p, const product *x, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const ll_engine_flat *f = &e.flat[tuple[o->n_in]];
    const int lanes = in_registers(o, 0, tuple);
    if (lanes) {
        write_words(p, 0, tuple, 0, words(e.operand[o->at], tuple[0]));
    } else {
        const ll_layout a = operand_of(p, 0, tuple);
        write_address(p, 0, tuple);
        for (unsigned k = 2; k < f->n[2]; ++k) { /* rows of a warpgroup */
            const unsigned i = f->basis[f->n[0] + f->n[1] + k] / x->cols;
            if (i) {
                indent();
                printf("a0 += (threadIdx.x >> %u & 1) * %u;\n", 5u + k,
                       slice_at(a, x, x->m, i, 0));
            }
        }
    }
    write_address(p, 1, tuple);
    indent();
    printf("ll_ptx_wgmma_fence();\n");
    write_wgmma_all(p, x, tuple);
    indent();
    printf("ll_ptx_wgmma_commit_group();\n");
    indent();
    printf("ll_ptx_wgmma_wait_group<0>();\n");
}

/* The column of tensor memory in which operand k (2, 3: the scales; 4: the
 * sums) has element y of its value, counted from the first one. */
static unsigned column_of(const product *x, unsigned k, unsigned y) {
    const unsigned scales = x->depth / 32u;
    const unsigned high = x->cols < 32u ? 1u : x->cols / 32u;
    switch (k) {
    case 0:
        return (y / x->depth / x->m * x->depth + y % x->depth) * x->bits / 32u;
    case 2:
        return y % scales / 4u * (x->rows / 32u) + y / scales / 32u;
    case 3:
        return y / x->cols / 4u * high + y % x->cols / 32u;
    default:
        return y / x->cols / x->m * x->cols + y % x->cols;
    }
}

/* The first column of operand k: sums, A, scales of A, scales of B, and, with
 * 5, how many there are. */
static unsigned first_column(const product *x, unsigned k) {
    const unsigned groups = (x->depth / 32u + 3u) / 4u;
    const unsigned high = x->cols < 32u ? 1u : x->cols / 32u;
    const unsigned sums = x->rows / x->m * x->cols;
    const unsigned a =
        x->from_tensor ? x->rows / x->m * x->depth * x->bits / 32u : 0u;
    return k == 4u   ? 0u
           : k == 0u ? sums
           : k == 2u ? sums + a
           : k == 3u ? sums + a + groups * (x->rows / 32u)
                     : sums + a + (x->scaled ? groups * (x->rows / 32u + high)
                                             : 0u);
}

/* Columns of tensor memory that the kernel needs. */
static unsigned columns(void) {
    unsigned most = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const product x = product_of(&e.op[p]);
        const unsigned n = x.how == BY_TCGEN05 ? first_column(&x, 5) : 0u;
        most = n > most ? n : most;
    }
    unsigned n = most ? 32u : 0u;
    while (n < most) {
        n *= 2u;
    }
    return n;
}

/* Moves between the words of a lane and tensor memory, `each` elements a word:
 * as many columns at once as follow each other. */
static void write_columns(const char *name, const product *x, unsigned k,
                          unsigned id, unsigned each) {
    const ll_engine_flat *f = &e.flat[id];
    const unsigned n = (1u << f->n[0]) / each;
    const unsigned skip = ll_log2_(each);
    unsigned run = 0;
    while (run < 7u && run + skip < f->n[0] &&
           column_of(x, k, f->basis[run + skip]) == 1u << run) {
        ++run;
    }
    char wide[2][24];
    snprintf(wide[0], 24, "32x32b<%u", 1u << run);
    snprintf(wide[1], 24, "16x32bx2<%u, 0", 1u << run);
    indent();
    printf("const unsigned at%u = tmem + (threadIdx.x / 32 %% 4 * 32 << 16) + "
           "%u",
           k, first_column(x, k));
    for (unsigned b = 2; b < f->n[2]; ++b) {
        const unsigned y = f->basis[f->n[0] + f->n[1] + b];
        if (y) {
            printf(" + (threadIdx.x >> %u & 1) * %u", 5u + b,
                   column_of(x, k, y));
        }
    }
    printf(";\n");
    for (unsigned w = 0; w < n; w += 1u << run) {
        unsigned y = 0;
        for (unsigned b = 0; b < f->n[0]; ++b) {
            y |= w * each >> b & 1u ? f->basis[b] : 0u;
        }
        indent();
        if (*name == 'l') { /* of 64 rows both halves of a warp have them */
            printf("ll_ptx_tcgen05_ld_%s>(x%u + %u, at%u + %u);\n",
                   x->m < 128u ? wide[1] : wide[0], k, w, k,
                   column_of(x, k, y));
        } else {
            printf("ll_ptx_tcgen05_st_32x32b<%u>(at%u + %u, x%u + %u);\n",
                   1u << run, k, column_of(x, k, y), k, w);
        }
    }
}

/* Lanes store what the product takes from tensor memory. */
static void write_tensor_stores(unsigned p, const product *x,
                                const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned scales = x->depth / 32u < 4u ? x->depth / 32u : 4u;
    if (x->from_tensor) {
        write_words(p, 0, tuple, 0, words(e.operand[o->at], tuple[0]));
        write_columns("st", x, 0, tuple[0], 32u / x->bits);
    }
    for (unsigned k = 2; k < (x->scaled ? 4u : 0u); ++k) {
        write_words(p, k, tuple, scales,
                    (1u << e.flat[tuple[k]].n[0]) / scales);
        write_columns("st", x, k, tuple[k], scales);
    }
    if (x->from_tensor || x->scaled) {
        indent();
        printf("ll_ptx_tcgen05_wait_st();\n");
        indent();
        printf("ll_ptx_tcgen05_fence_before_thread_sync();\n");
        indent();
        printf("__syncthreads();\n");
        indent();
        printf("ll_ptx_tcgen05_fence_after_thread_sync();\n");
    }
}

/* One instruction by tcgen05: rows from i, columns from j, and k. */
static void write_tcgen05_one(unsigned p, const product *x,
                              const unsigned *tuple, unsigned i, unsigned j,
                              unsigned k) {
    const unsigned y = k / 32u;
    indent();
    printf("    %s(tmem + %u, ", x->name,
           column_of(x, 4, i * x->cols + j) + first_column(x, 4));
    if (x->from_tensor) {
        printf("tmem + %u, ",
               column_of(x, 0, i * x->depth + k) + first_column(x, 0));
    } else {
        write_slice(p, 0, slice_at(operand_of(p, 0, tuple), x, x->m, i, k));
        printf(", ");
    }
    write_slice(p, 1, slice_at(operand_of(p, 1, tuple), x, x->n, j, k));
    printf(", IDESC%u.bits", p);
    if (x->scaled) {
        printf(" | %#xu, tmem + %u, tmem + %u", (y % 4u) << 29 | (y % 4u) << 4,
               first_column(x, 2) +
                   column_of(x, 2, i * (x->depth / 32u) + y),
               first_column(x, 3) + column_of(x, 3, y * x->cols + j));
    }
    printf(", %d);\n", k != 0);
}

static void write_tcgen05(unsigned p, const product *x,
                          const unsigned *tuple) {
    const unsigned c = tuple[e.op[p].n_in];
    write_tensor_stores(p, x, tuple);
    for (unsigned k = x->from_tensor ? 1u : 0u; k < 2u; ++k) {
        write_address(p, k, tuple);
    }
    indent();
    printf("if (threadIdx.x == 0) {\n");
    for (unsigned i = 0; i < x->rows; i += x->m) {
        for (unsigned j = 0; j < x->cols; j += x->n) {
            for (unsigned k = 0; k < x->depth; k += x->k) {
                write_tcgen05_one(p, x, tuple, i, j, k);
            }
        }
    }
    indent();
    printf("    ll_ptx_tcgen05_commit(address(&done));\n");
    indent();
    printf("}\n");
    indent();
    printf("ll_ptx_mbarrier_wait(address(&done), done_phase);\n");
    indent();
    printf("done_phase ^= 1;\n");
    indent();
    printf("ll_ptx_tcgen05_fence_after_thread_sync();\n");
    indent();
    printf("unsigned x4[1 << %u];\n", e.flat[c].n[0]);
    write_columns("ld", x, 4, c, 1);
    indent();
    printf("ll_ptx_tcgen05_wait_ld();\n");
    indent();
    printf("memcpy(sum, x4, sizeof sum);\n");
    indent();
    printf("ll_ptx_tcgen05_fence_before_thread_sync();\n");
    indent();
    printf("__syncthreads();\n");
}

/* A product with scales by MFMA, tile by tile. */
static void write_amd_scaled(unsigned p, const product *x,
                             const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned m = strstr(x->name, "16x16") ? 16u : 32u;
    const unsigned k = 2048u / m, scales = x->depth / 32u;
    const char *type = *x->type == 'e' && x->type[1] == '4' ? "FP8" : "BF8";
    for (unsigned n = 0; n < 2u; ++n) {
        write_words(p, n, tuple, 0, words(e.operand[o->at + n], tuple[n]));
    }
    for (unsigned i = 0; i < x->rows; i += m) {
        for (unsigned n = 0;
             n < x->cols / m * (x->depth / k) &&
             is_in_lane(tuple[o->n_in], i * x->cols);
             ++n) {
            const unsigned j = n % (x->cols / m) * m;
            const unsigned y = n / (x->cols / m) * k;
            indent();
            printf("%s<LL_AMD_%s, LL_AMD_%s>(*(float (*)[%u])(sum + %u), "
                   "*(const unsigned (*)[8])(x0 + %u), *(const unsigned (*)"
                   "[8])(x1 + %u), ",
                   x->name, type, type, m * m / 64u,
                   register_of(tuple[o->n_in], i * x->cols + j),
                   register_of(tuple[0], i * x->depth + y) / 4u,
                   register_of(tuple[1], y * x->cols + j) / 4u);
            write_operand(e.operand[o->at + 2u], tuple[2], p, 0);
            printf("[%u], ", register_of(tuple[2], i * scales + y / 32u));
            write_operand(e.operand[o->at + 3u], tuple[3], p, 0);
            printf("[%u]);\n", register_of(tuple[3], y / 32u * x->cols + j));
        }
    }
}

static void write_amd(unsigned p, const product *x, const unsigned *tuple) {
    if (x->scaled) {
        write_amd_scaled(p, x, tuple);
        return;
    }
    indent();
    printf("%s(sum, ", x->name);
    write_operand(e.operand[e.op[p].at], tuple[0], p, 0);
    printf(", ");
    write_operand(e.operand[e.op[p].at + 1u], tuple[1], p, 0);
    printf(");\n");
}

/* sum[r] = or += what is added, or 0. */
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

/* Tensor memory, for the whole kernel. */
static void write_tensor_memory(int begins) {
    if (!columns()) {
        return;
    }
    if (begins) {
        printf("    __shared__ unsigned tmem_at;\n"
               "    __shared__ __align__(8) unsigned long long done;\n"
               "    unsigned done_phase = 0;\n"
               "    if (threadIdx.x < 32) {\n"
               "        ll_ptx_tcgen05_alloc(address(&tmem_at), %u);\n"
               "        ll_ptx_tcgen05_relinquish_alloc_permit();\n"
               "    }\n"
               "    if (threadIdx.x == 0) {\n"
               "        ll_ptx_mbarrier_init(address(&done), 1);\n"
               "    }\n"
               "    ll_ptx_fence_mbarrier_init();\n"
               "    ll_ptx_tcgen05_fence_before_thread_sync();\n"
               "    __syncthreads();\n"
               "    ll_ptx_tcgen05_fence_after_thread_sync();\n"
               "    const unsigned tmem = tmem_at;\n",
               columns());
        return;
    }
    printf("    __syncthreads();\n"
           "    if (threadIdx.x < 32) {\n"
           "        ll_ptx_tcgen05_dealloc(tmem, %u);\n"
           "    }\n",
           columns());
}

#endif
