/* ---- Instructions: mma with a sparse A -------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_MMA_SPARSE_H
#define LL_PTX_INSTRUCTIONS_MMA_SPARSE_H

#include "bodies.h"

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* mma.sp: mma.sync with a sparse A, which stores half of its k columns. (PTX,
 * "mma.sp".) a holds the stored elements, as the fragment of half the k. Of
 * each group of four neighbours along k two are stored (of 32 bits, one of two;
 * of 4 bits, two of four pairs). e is the metadata: for each stored element, in
 * increasing order, two bits with its number in the group. ll_ptx_sparse_e says
 * which lane describes which element. If only some lanes of a quad are needed
 * to describe A, SELECT_ says which: one lane, 0 to 3, for m16n8k16 with 16
 * bits and m16n8k8; one pair of lanes, 0 or 1, for m16n8k32 with 16 and 8 bits,
 * m16n8k16 with 32 and m16n8k64 with 4. */
#define LL_MMA_SP_(text, op, nc, na, nb)                                    \
    LL_PTX_LANES_("mma.sp::ordered_metadata.sync.aligned." text             \
                      LL_MMA_SP_##nc##_##na##_,                             \
                  (LL_X##nc##_(op, c, 0)),                                  \
                  (LL_X##na##_(LL_I32_, a, 0), LL_X##nb##_(LL_I32_, b, 0),  \
                   LL_I32_(e), LL_IMM_(SELECT_)))
#define LL_MMA_SP_4_2_                                                      \
    " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, %9;"
#define LL_MMA_SP_2_2_ " {%0, %1}, {%2, %3}, {%4, %5}, {%0, %1}, %6, %7;"
#define LL_MMA_SP_4_4_                                                      \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, "             \
    "{%0, %1, %2, %3}, %12, %13;"
#define LL_MMA_SP_2_4_                                                      \
    " {%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%0, %1}, %10, %11;"
#define LL_MMA_SP_F32_(text, nc, na, nb)                                    \
    LL_MMA_SP_(text, LL_IOF32_, nc, na, nb)
#define LL_MMA_SP_S32_(text, nc, na, nb)                                    \
    LL_MMA_SP_(text, LL_IOS32_, nc, na, nb)
#define LL_MMA_SP_F16_(text, nc, na, nb)                                    \
    LL_MMA_SP_(text, LL_IO32_, nc, na, nb)

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f32_f16(float *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f16_f16(unsigned *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f32_bf16(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_f32_f16(float *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_f16_f16(unsigned *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k32.row.col.f16.f16.f16.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_f32_bf16(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k8_f32_tf32(float *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f32_tf32(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_s8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_s8_u8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_u8_s8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.u8.s8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_u8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.u8.u8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s8.s8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s8_u8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s8.u8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u8_s8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u8.s8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u8.u8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s4(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s4_u4(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s4.u4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u4_s4(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u4.s4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u4(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u4.u4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_s4(int *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.s4.s4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_s4_u4(int *c, const unsigned *a,
                                                 const unsigned *b,
                                                 unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.s4.u4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_u4_s4(int *c, const unsigned *a,
                                                 const unsigned *b,
                                                 unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.u4.s4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_u4(int *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.u4.u4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3(unsigned *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e4m3.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2(float *c, const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e4m3.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e5m2(unsigned *c,
                                                    const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e4m3.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3(float *c, const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e5m2.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e4m3(unsigned *c,
                                                    const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e5m2.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e5m2.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2(unsigned *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e5m2.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e5m2.f16", 2, 4, 4);
}

#endif

#endif
