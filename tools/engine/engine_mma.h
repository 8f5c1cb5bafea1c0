/* engine_mma.h - mma.sync in the kernels of engine.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_MMA_H
#define LL_ENGINE_MMA_H

#include "engine_product.h"

/* Finds the largest mma.sync of a type that the target has and that fits k. */
static void find_mma(product *x) {
    static const char *const all[] = {
        "m16n8k16_f32_f16",  "m16n8k8_f32_f16",   "m16n8k16_f32_bf16",
        "m16n8k8_f32_bf16",  "m16n8k32_f32_e4m3", "m16n8k16_f32_e4m3",
        "m16n8k32_f32_e5m2", "m16n8k16_f32_e5m2", "m16n8k32_s32_s8",
        "m16n8k16_s32_s8",   "m8n8k16_s32_s8",    "m16n8k32_s32_u8",
        "m16n8k16_s32_u8",   "m8n8k16_s32_u8",    "m16n8k64_s32_s4",
        "m16n8k32_s32_s4",   "m8n8k32_s32_s4",    "m16n8k64_s32_u4",
        "m16n8k32_s32_u4",   "m8n8k32_s32_u4",    "m16n8k8_f32_tf32",
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
    snprintf(name, sizeof name, "mma_m16n8k%u_f32_%s_%s", 256u / x->bits,
             x->type,
             x->block == 16u  ? "mxf4nvf4_4x"
             : x->bits == 4u ? "mxf4"
                             : "mxf8f6f4");
    snprintf(x->name, sizeof x->name, "ll_ptx_%s", name);
    x->how = x->bits <= 8u && !x->counts ? BY_MMA : BY_HAND;
    x->lacks = x->how == BY_HAND || has(name) ? NULL : "mma.sync with scales";
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

#endif
