/* cuda_fp16.h - half precision: __half, __half2 and their functions. */
#ifndef EMU_CUDA_FP16_H
#define EMU_CUDA_FP16_H

#include "emu_floats.h"

typedef emu_float16<5, 10> __half;
typedef emu_float16x2<__half> __half2;
typedef __half::raw __half_raw;
struct __half2_raw {
    unsigned short x, y;
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

EMU_FN_ __half __ushort_as_half(unsigned short u) {
    return __half::of_pattern(u);
}
EMU_FN_ __half __short_as_half(short u) {
    return __half::of_pattern((unsigned short)u);
}
EMU_FN_ unsigned short __half_as_ushort(__half h) { return h.pattern(); }
EMU_FN_ short __half_as_short(__half h) { return (short)h.pattern(); }

EMU_FN_ float __half2float(__half h) { return h.value(); }
EMU_FN_ __half __float2half(float x) { return __half::round(x); }
EMU_FN_ __half __float2half_rn(float x) { return __half::round(x); }
EMU_FN_ __half __float2half_rz(float x) { return __half::round(x, EMU_RZ); }
EMU_FN_ __half __float2half_rd(float x) { return __half::round(x, EMU_RD); }
EMU_FN_ __half __float2half_ru(float x) { return __half::round(x, EMU_RU); }
EMU_FN_ __half __double2half(double x) { return __half::round(x); }
EMU_INTEGERS_OF_16_(half, __half)

EMU_FN_ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
EMU_FN_ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
EMU_FN_ __half2 __half2half2(__half a) { return __half2(a, a); }
EMU_FN_ __half2 __float2half2_rn(float x) {
    return __half2(__float2half(x), __float2half(x));
}
EMU_FN_ __half2 __floats2half2_rn(float x, float y) {
    return __half2(__float2half(x), __float2half(y));
}
EMU_FN_ __half2 __float22half2_rn(float2 v) {
    return __floats2half2_rn(v.x, v.y);
}
EMU_FN_ float2 __half22float2(__half2 h) { return make_float2(h.x, h.y); }
EMU_FN_ __half __low2half(__half2 h) { return h.x; }
EMU_FN_ __half __high2half(__half2 h) { return h.y; }
EMU_FN_ __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
EMU_FN_ __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
EMU_FN_ __half2 __lows2half2(__half2 a, __half2 b) {
    return __half2(a.x, b.x);
}
EMU_FN_ __half2 __highs2half2(__half2 a, __half2 b) {
    return __half2(a.y, b.y);
}

EMU_MEMORY_OF_16_(__half)
EMU_MEMORY_OF_16_(__half2)

#endif
