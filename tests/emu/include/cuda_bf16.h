/* cuda_bf16.h - bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions. */
#ifndef EMU_CUDA_BF16_H
#define EMU_CUDA_BF16_H

#include "emu_floats.h"

typedef emu_float16<8, 7> __nv_bfloat16;
typedef emu_float16x2<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat16::raw __nv_bfloat16_raw;
struct __nv_bfloat162_raw {
    unsigned short x, y;
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

EMU_FN_ __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) {
    return __nv_bfloat16::of_pattern(u);
}
EMU_FN_ __nv_bfloat16 __short_as_bfloat16(short u) {
    return __nv_bfloat16::of_pattern((unsigned short)u);
}
EMU_FN_ unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) {
    return h.pattern();
}
EMU_FN_ short __bfloat16_as_short(__nv_bfloat16 h) {
    return (short)h.pattern();
}

EMU_FN_ float __bfloat162float(__nv_bfloat16 h) { return h.value(); }
EMU_FN_ __nv_bfloat16 __float2bfloat16(float x) {
    return __nv_bfloat16::round(x);
}
EMU_FN_ __nv_bfloat16 __float2bfloat16_rn(float x) {
    return __nv_bfloat16::round(x);
}
EMU_FN_ __nv_bfloat16 __float2bfloat16_rz(float x) {
    return __nv_bfloat16::round(x, EMU_RZ);
}
EMU_FN_ __nv_bfloat16 __float2bfloat16_rd(float x) {
    return __nv_bfloat16::round(x, EMU_RD);
}
EMU_FN_ __nv_bfloat16 __float2bfloat16_ru(float x) {
    return __nv_bfloat16::round(x, EMU_RU);
}
EMU_FN_ __nv_bfloat16 __double2bfloat16(double x) {
    return __nv_bfloat16::round(x);
}
EMU_INTEGERS_OF_16_(bfloat16, __nv_bfloat16)

EMU_FN_ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat162(a, b);
}
EMU_FN_ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat162(a, b);
}
EMU_FN_ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
    return __nv_bfloat162(a, a);
}
EMU_FN_ __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return __nv_bfloat162(__float2bfloat16(x), __float2bfloat16(y));
}
EMU_FN_ __nv_bfloat162 __float2bfloat162_rn(float x) {
    return __floats2bfloat162_rn(x, x);
}
EMU_FN_ __nv_bfloat162 __float22bfloat162_rn(float2 v) {
    return __floats2bfloat162_rn(v.x, v.y);
}
EMU_FN_ float2 __bfloat1622float2(__nv_bfloat162 h) {
    return make_float2(h.x, h.y);
}
EMU_FN_ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
EMU_FN_ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
EMU_FN_ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) {
    return __nv_bfloat162(h.x, h.x);
}
EMU_FN_ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) {
    return __nv_bfloat162(h.y, h.y);
}
EMU_FN_ __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x, b.x);
}
EMU_FN_ __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.y, b.y);
}

EMU_MEMORY_OF_16_(__nv_bfloat16)
EMU_MEMORY_OF_16_(__nv_bfloat162)

#endif
