/* engine_amd.h - MFMA and WMMA in the kernels of engine.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_AMD_H
#define LL_ENGINE_AMD_H

#include "engine_product.h"

/* AMD has other names for the types. */
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
        {"mfma_scale16", "e2m1", "mfma_scale_f32_16x16x128_f8f6f4"},
        {"mfma_scale32", "e2m1", "mfma_scale_f32_32x32x64_f8f6f4"},
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

/* Writes a scaled product by MFMA, tile by tile. */
static void write_amd_scaled(unsigned p, const product *x,
                             const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned m = strstr(x->name, "16x16") ? 16u : 32u;
    const unsigned k = 2048u / m, scales = x->depth / 32u;
    const char *type = x->bits == 4u         ? "FP4"
                       : x->type[1] == '4' ? "FP8"
                                           : "BF8";
    const unsigned each = 32u / x->bits; /* numbers per word */
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
                   "*(const unsigned (*)[%u])(x0 + %u), *(const unsigned (*)"
                   "[%u])(x1 + %u), ",
                   x->name, type, type, m * m / 64u,
                   register_of(tuple[o->n_in], i * x->cols + j), x->bits,
                   register_of(tuple[0], i * x->depth + y) / each, x->bits,
                   register_of(tuple[1], y * x->cols + j) / each);
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

#endif
