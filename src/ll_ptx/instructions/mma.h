/* ---- Instructions: mma ------------------------------------------------ */
#ifndef LL_PTX_INSTRUCTIONS_MMA_H
#define LL_PTX_INSTRUCTIONS_MMA_H

#include "bodies.h"

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* mma.sync: all lanes of a warp together compute c = a b + c for one tile. a
 * and b are the words of ll_ptx_fragment_a and _b, c the elements of
 * ll_ptx_fragment_c (two 16-bit elements per word). The name has the shape and
 * the types: of c, of a, and of b if it differs. and_popc and xor_popc count
 * the ones of a AND b, or of a XOR b. Before sm_80, only m8n8 and m16n8k8 with
 * f16 exist. On sm_90, mma.sync on 4 bits, 1 bit and fp8 is emulated with other
 * instructions and slow. */
#define LL_MMA_BODY_(text, c, oc, nc, a, oa, na, b, ob, nb, list)           \
    LL_PTX_LANES_("mma.sync.aligned." text list, (LL_X##nc##_(oc, c, 0)),   \
                  (LL_X##na##_(oa, a, 0), LL_X##nb##_(ob, b, 0)))
#define LL_MMA_2_1_1_ " {%0, %1}, {%2}, {%3}, {%0, %1};"
#define LL_MMA_4_2_1_ " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
#define LL_MMA_4_4_2_                                                       \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define LL_MMA_2_2_1_ " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
#define LL_MMA_2_4_2_ " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
#define LL_MMA_4_2_2_                                                       \
    " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
#define LL_MMA_8_2_2_                                                       \
    " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "             \
    "{%0, %1, %2, %3, %4, %5, %6, %7};"
#define LL_MMA_4_8_4_                                                       \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "               \
    "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
#define LL_MMA_F32_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IOF32_, nc, a, LL_I32_, na, b, LL_I32_, nb,    \
            LL_MMA_##nc##_##na##_##nb##_)
#define LL_MMA_S32_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IOS32_, nc, a, LL_I32_, na, b, LL_I32_, nb,    \
            LL_MMA_##nc##_##na##_##nb##_)
#define LL_MMA_F16_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IO32_, nc, a, LL_I32_, na, b, LL_I32_, nb,     \
            LL_MMA_##nc##_##na##_##nb##_)
#define LL_MMA_F64_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IOF64_, nc, a, LL_IF64_, na, b, LL_IF64_, nb,  \
            LL_MMA_##nc##_##na##_##nb##_)

LL_DEVICE void ll_ptx_mma_m16n8k8_f32_f16(float *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_F32_("m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_f16(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f32_bf16(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_bf16(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f16_f16(unsigned *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_F16_("m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_f16(unsigned *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k4_f32_tf32(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f32_tf32(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f64_f64(double *c, const double *a,
                                         const double *b) {
    LL_MMA_F64_("m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k4_f64_f64(double *c, const double *a,
                                          const double *b) {
    LL_MMA_F64_("m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f64_f64(double *c, const double *a,
                                          const double *b) {
    LL_MMA_F64_("m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f64_f64(double *c, const double *a,
                                           const double *b) {
    LL_MMA_F64_("m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4);
}

/* mma.m8n8k4 with f16: four 8 x 8 tiles at once, one in each quad pair, with
 * the operands ll_ptx_quad_a, _b and _c. The name says which of a and b are
 * row-major. Slow from sm_80 on. */
LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_row_row(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.row.row.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_row_col(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_col_row(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.col.row.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_col_col(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.col.col.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_row_row(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.row.row.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_row_col(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.row.col.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_col_row(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.col.row.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_col_col(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.col.col.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_s8(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_s8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.s8.s8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_s8_u8(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.s8.u8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_s8_u8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.s8.u8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s8_u8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s8.u8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_u8_s8(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.u8.s8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_u8_s8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.u8.s8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u8_s8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u8.s8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_u8(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.u8.u8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_u8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.u8.u8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u8.u8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_s4(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.s4.s4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s4.s4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_s4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.s4.s4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_s4_u4(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.s4.u4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s4_u4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s4.u4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_s4_u4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.s4.u4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_u4_s4(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.u4.s4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u4_s4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u4.s4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_u4_s4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.u4.s4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_u4(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.u4.u4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u4.u4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_u4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.u4.u4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k128_s32_b1_and_popc(int *c, const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_S32_("m8n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k128_s32_b1_and_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k128.row.col.s32.b1.b1.s32.and.popc", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k256_s32_b1_and_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k128_s32_b1_xor_popc(int *c, const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_S32_("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k128_s32_b1_xor_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k256_s32_b1_xor_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e4m3(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e4m3.e4m3.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e4m3(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e4m3.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e4m3_e5m2(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e4m3.e5m2.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e4m3_e5m2(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e4m3.e5m2.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e5m2(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e5m2(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e4m3.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e5m2_e4m3(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e5m2.e4m3.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e5m2_e4m3(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e5m2.e4m3.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e4m3(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e4m3(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e5m2.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e5m2(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e5m2.e5m2.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e5m2(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e5m2.e5m2.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e5m2.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e5m2.f16", 2, 4, 2);
}

#endif

#endif
