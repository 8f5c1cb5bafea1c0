/* ---- Instructions: conversions of numbers ----------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_CONVERT_H
#define LL_PTX_INSTRUCTIONS_CONVERT_H

#include "bodies.h"

#ifdef LL_PTX_DEVICE_

/* ex2: approximates 2^x; denormals count as 0. */
LL_DEVICE float ll_ptx_ex2(float x) {
    float y = 0;
    LL_PTX_PURE_("ex2.approx.ftz.f32 %0, %1;", (LL_OF32_(y)), (LL_IF32_(x)));
    return y;
}

/* cvt: rounds two floats to the nearest numbers of 16 bits, `low` in the low
 * half of the word. */
LL_DEVICE unsigned ll_ptx_cvt_f16x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rn.f16x2.f32 %0, %1, %2;", (LL_O32_(y)),
                 (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_bf16x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rn.bf16x2.f32 %0, %1, %2;", (LL_O32_(y)),
                 (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

/* cvt: converts numbers of a word to wider ones. f16x2_e4m3x2 takes the two in
 * the low half; f32_f16_low and _high take that half of x. */
LL_DEVICE unsigned ll_ptx_cvt_f16x2_e4m3x2(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rn.f16x2.e4m3x2 %0, %1;", (LL_O32_(y)), (LL_I16_(x)));
    return y;
}

LL_DEVICE float ll_ptx_cvt_f32_f16_low(unsigned x) {
    float y = 0;
    LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }",
                 (LL_OF32_(y)), (LL_I32_(x)));
    return y;
}

LL_DEVICE float ll_ptx_cvt_f32_f16_high(unsigned x) {
    float y = 0;
    LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }",
                 (LL_OF32_(y)), (LL_I32_(x)));
    return y;
}

/* cvt: rounds two floats, or the two f16 of a word, to the nearest numbers of 8
 * bits or fewer, `low` in the low bits of the result: 8 bits each, 4 for e2m1.
 * A number that is too large gives the largest number; so does NaN if the type
 * has none. */
LL_DEVICE unsigned ll_ptx_cvt_e4m3x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e4m3x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e5m2x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e5m2x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e2m3x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e2m3x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e3m2x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e3m2x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e2m1x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b8 d; cvt.rn.satfinite.e2m1x2.f32 d, %1, %2; "
                 "cvt.u32.u8 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e4m3x2_f16x2(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e4m3x2.f16x2 d, %1; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e5m2x2_f16x2(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e5m2x2.f16x2 d, %1; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

/* cvt.rni: rounds to the nearest integer, ties to even; NaN gives 0. cvt.pack:
 * saturates two integers to 8 or 4 bits and puts them into the lowest bits,
 * with the low bits of `rest` above them. */
LL_DEVICE int ll_ptx_cvt_rni_s32(float x) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rni.s32.f32 %0, %1;", (LL_O32_(y)), (LL_IF32_(x)));
    return (int)y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_s8(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_u8(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_s4(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_u4(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

/* fma: a b + c, rounded once, for both numbers of a word. */
LL_DEVICE unsigned ll_ptx_fma_f16x2(unsigned a, unsigned b, unsigned c) {
    unsigned y = 0;
    LL_PTX_PURE_("fma.rn.f16x2 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(c)));
    return y;
}

LL_DEVICE unsigned ll_ptx_fma_bf16x2(unsigned a, unsigned b, unsigned c) {
    unsigned y = 0;
    LL_PTX_PURE_("fma.rn.bf16x2 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(c)));
    return y;
}

#endif

#endif
