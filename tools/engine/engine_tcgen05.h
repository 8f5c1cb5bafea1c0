/* engine_tcgen05.h - tcgen05 products in the kernels of engine.c, and their
 * tensor memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_TCGEN05_H
#define LL_ENGINE_TCGEN05_H

#include "engine_product.h"

/* Scaled 4-bit numbers are stored as bytes of two numbers. */
static void find_tcgen05(product *x, unsigned p) {
    const int pairs = x->bits == 4u && x->scaled && !x->counts &&
                      (x->from_tensor || pair_bit(p, 0) != LL_ENGINE_NONE) &&
                      pair_bit(p, 1) != LL_ENGINE_NONE;
    const char *kind = pairs             ? x->block == 16u ? "mxf4nvf4_block16"
                                                           : "mxf4"
                       : x->scaled       ? "mxf8f6f4"
                       : x->bits == 32u  ? "tf32"
                       : x->bits == 16u  ? "f16"
                       : x->counts       ? "i8"
                                         : "f8f6f4";
    x->how = pairs || (x->bits >= 8u && x->bits <= (x->scaled ? 8u : 32u) &&
                       !(x->scaled && x->counts))
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

static void write_idesc(unsigned p, const product *x) {
    printf("constexpr ll_ptx_idesc IDESC%u = ll_ptx_idesc_of(\"kind::%.*s.%s."
           "%s.%s%s\", 1, %u, %u, ",
           p, (int)strcspn(x->name + 19, "_"), x->name + 19,
           x->counts ? "s32" : "f32", x->type, x->type,
           !x->scaled          ? ""
           : x->block == 16u ? ".ue4m3"
                             : ".ue8m0",
           x->m, x->n);
    if (x->from_tensor) {
        printf("ll_ptx_desc()");
    } else {
        printf("SLICE%u_0", p);
    }
    printf(", SLICE%u_1);\nstatic_assert(!IDESC%u.err, \"there is no such "
           "product\");\n",
           p, p);
}

/* Returns the column of tensor memory with element y of operand k (2, 3:
 * scales, 4: accumulators), counted from the operand's first column. */
static unsigned column_of(const product *x, unsigned k, unsigned y) {
    const unsigned scales = x->scaled ? x->depth / x->block : 1u;
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

/* Returns the first column of operand k: accumulators, A, scales of A, scales
 * of B. k = 5: the number of columns. */
static unsigned first_column(const product *x, unsigned k) {
    const unsigned groups = x->scaled ? (x->depth / x->block + 3u) / 4u : 0u;
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

/* Writes loads or stores between a lane's words and tensor memory, `each`
 * elements per word, with as many consecutive columns at once as possible. */
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
    char wide[24]; /* 64 rows: both halves of a warp have them */
    snprintf(wide, sizeof wide, x->m < 128u ? "16x32bx2<%u, 0" : "32x32b<%u",
             1u << run);
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
        if (*name == 'l') {
            printf("ll_ptx_tcgen05_ld_%s>(x%u + %u, at%u + %u);\n", wide, k,
                   w, k, column_of(x, k, y));
        } else {
            printf("ll_ptx_tcgen05_st_32x32b<%u>(at%u + %u, x%u + %u);\n",
                   1u << run, k, column_of(x, k, y), k, w);
        }
    }
}

/* Lanes store the operands that the product reads from tensor memory. */
static void write_tensor_stores(unsigned p, const product *x,
                                const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned along = x->scaled ? x->depth / x->block : 0u;
    const unsigned scales = along < 4u ? along : 4u;
    if (x->from_tensor) {
        write_words(p, 0, tuple, 0, words(e.operand[o->at], tuple[0]));
        write_columns("st", x, 0, tuple[0], 32u / x->bits);
    }
    if (x->scaled && e.counts[2] > 2u) { /* the other warps have copies */
        indent();
        printf("if (threadIdx.x < 128) {\n");
    }
    for (unsigned k = 2; k < (x->scaled ? 4u : 0u); ++k) {
        write_words(p, k, tuple, scales,
                    (1u << e.flat[tuple[k]].n[0]) / scales);
        write_columns("st", x, k, tuple[k], scales);
    }
    if (x->scaled && e.counts[2] > 2u) {
        indent();
        printf("}\n");
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

/* Writes one tcgen05 instruction: rows from i, columns from j, and k. */
static void write_tcgen05_one(unsigned p, const product *x,
                              const unsigned *tuple, unsigned i, unsigned j,
                              unsigned k) {
    const unsigned y = x->scaled ? k / x->block : 0u;
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
                   column_of(x, 2, i * (x->depth / x->block) + y),
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

#endif
