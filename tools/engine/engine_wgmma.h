/* engine_wgmma.h - wgmma products in the kernels of engine.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_WGMMA_H
#define LL_ENGINE_WGMMA_H

#include "engine_product.h"

static void find_wgmma(product *x) {
    x->how = x->bits <= 32u && !x->scaled ? BY_WGMMA : BY_HAND;
    x->lacks = !has("wgmma")    ? "wgmma"
               : x->bits == 4u ? "wgmma of 4 bits"
                               : NULL;
    x->m = 64;
    x->n = x->cols < 256u ? x->cols : 256u;
    x->k = 256u / x->bits;
    snprintf(x->name, sizeof x->name, "ll_ptx_wgmma_%s_%s",
             x->counts ? "s32" : "f32", x->type);
}

/* Writes the wgmma instructions of a product. With A in registers (_ra) they
 * take its words. All take the rows of their warpgroup. */
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

#endif
