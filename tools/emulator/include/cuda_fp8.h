/* cuda_fp8.h - 8-bit floats: e4m3, which has no infinities, and e5m2. */
#ifndef EMU_CUDA_FP8_H
#define EMU_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* Above its largest number, e4m3 has only NaN. */
EMU_FN_ __nv_fp8_storage_t emu_to_fp8(long double x, __nv_saturation_t s,
                                      __nv_fp8_interpretation_t k) {
    const bool e4 = k == __NV_E4M3;
    const unsigned most = e4 ? 0x7e : 0x7b, sign = signbit(x) ? 0x80 : 0;
    const long double a = fabsl(x);
    if (isnan(x) || a == 0) {
        return isnan(x) ? 0x7f : (__nv_fp8_storage_t)sign;
    }
    const int bias = e4 ? 7 : 15;
    unsigned n = a > 1e9L ? 255 : emu_pattern(a, bias, e4 ? 3 : 2, true, false);
    n = n <= most ? n : s == __NV_SATFINITE ? most : most + 1;
    return (__nv_fp8_storage_t)(sign | n);
}

EMU_FN_ float emu_from_fp8(__nv_fp8_storage_t b, __nv_fp8_interpretation_t k) {
    if (k == __NV_E5M2) {
        return emu_unpack(b, 5, 2);
    }
    const int e = b >> 3 & 15, m = b & 7;
    const float v = e ? ldexpf((float)(m | 8), e - 10) : ldexpf((float)m, -9);
    return (b & 0x7f) == 0x7f ? NAN : b >> 7 ? -v : v;
}

EMU_FN_ __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s,
                                                 __nv_fp8_interpretation_t k) {
    return emu_to_fp8(x, s, k);
}
EMU_FN_ __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s,
                                                  __nv_fp8_interpretation_t k) {
    return emu_to_fp8(x, s, k);
}
EMU_FN_ __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s,
                        __nv_fp8_interpretation_t k) {
    return emu_to_fp8(__half(x).value(), s, k);
}
EMU_FN_ __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s,
                            __nv_fp8_interpretation_t k) {
    return emu_to_fp8(__nv_bfloat16(x).value(), s, k);
}
EMU_FN_ __nv_fp8x2_storage_t
__nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s,
                         __nv_fp8_interpretation_t k) {
    return (__nv_fp8x2_storage_t)(emu_to_fp8(x.x, s, k) |
                                  emu_to_fp8(x.y, s, k) << 8);
}
EMU_FN_ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                           __nv_fp8_interpretation_t k) {
    return __half(emu_from_fp8(x, k));
}
EMU_FN_ __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                               __nv_fp8_interpretation_t k) {
    __half2_raw r;
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x & 255), k).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), k).x;
    return r;
}

#define EMU_FROM_8_(T_)                                                       \
    explicit emu_float8(T_ v) : __x(emu_to_fp8(v, __NV_SATFINITE, K_)) {}
#define EMU_TO_8_(T_)                                                         \
    explicit operator T_() const {                                            \
        return emu_integer<T_>(emu_from_fp8(__x, K_), EMU_RZ);                \
    }

/* An 8-bit float. Conversions to it saturate and are explicit. */
template <__nv_fp8_interpretation_t K_> struct emu_float8 {
    __nv_fp8_storage_t __x;

    emu_float8() = default;
    explicit emu_float8(__half v)
        : __x(emu_to_fp8(v.value(), __NV_SATFINITE, K_)) {}
    explicit emu_float8(__nv_bfloat16 v)
        : __x(emu_to_fp8(v.value(), __NV_SATFINITE, K_)) {}
    EMU_FROM_8_(float)
    EMU_FROM_8_(double)
    EMU_FROM_8_(short)
    EMU_FROM_8_(unsigned short)
    EMU_FROM_8_(int)
    EMU_FROM_8_(unsigned)
    EMU_FROM_8_(long)
    EMU_FROM_8_(unsigned long)
    EMU_FROM_8_(long long)
    EMU_FROM_8_(unsigned long long)
    explicit operator float() const { return emu_from_fp8(__x, K_); }
    explicit operator double() const { return emu_from_fp8(__x, K_); }
    explicit operator __half() const { return emu_from_fp8(__x, K_); }
    explicit operator __nv_bfloat16() const { return emu_from_fp8(__x, K_); }
    explicit operator bool() const { return (__x & 0x7f) != 0; }
    EMU_TO_8_(char)
    EMU_TO_8_(signed char)
    EMU_TO_8_(unsigned char)
    EMU_TO_8_(short)
    EMU_TO_8_(unsigned short)
    EMU_TO_8_(int)
    EMU_TO_8_(unsigned)
    EMU_TO_8_(long)
    EMU_TO_8_(unsigned long)
    EMU_TO_8_(long long)
    EMU_TO_8_(unsigned long long)
};
typedef emu_float8<__NV_E4M3> __nv_fp8_e4m3;
typedef emu_float8<__NV_E5M2> __nv_fp8_e5m2;

template <__nv_fp8_interpretation_t K_> struct emu_float8x2 {
    __nv_fp8x2_storage_t __x;

    emu_float8x2() = default;
    explicit emu_float8x2(float2 v)
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, K_)) {}
    explicit emu_float8x2(__half2 v) : emu_float8x2(__half22float2(v)) {}
    explicit emu_float8x2(__nv_bfloat162 v)
        : emu_float8x2(__bfloat1622float2(v)) {}
    explicit operator float2() const {
        return make_float2(emu_from_fp8((__nv_fp8_storage_t)(__x & 255), K_),
                           emu_from_fp8((__nv_fp8_storage_t)(__x >> 8), K_));
    }
    explicit operator __half2() const {
        return __float22half2_rn((float2) * this);
    }
};
typedef emu_float8x2<__NV_E4M3> __nv_fp8x2_e4m3;
typedef emu_float8x2<__NV_E5M2> __nv_fp8x2_e5m2;

template <__nv_fp8_interpretation_t K_> struct emu_float8x4 {
    __nv_fp8x4_storage_t __x;

    emu_float8x4() = default;
    explicit emu_float8x4(float4 v)
        : __x((unsigned)emu_float8x2<K_>(make_float2(v.x, v.y)).__x |
              (unsigned)emu_float8x2<K_>(make_float2(v.z, v.w)).__x << 16) {}
    explicit operator float4() const {
        emu_float8x2<K_> low, high;
        low.__x = (__nv_fp8x2_storage_t)(__x & 0xffff);
        high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
        const float2 a = (float2)low, b = (float2)high;
        return make_float4(a.x, a.y, b.x, b.y);
    }
};
typedef emu_float8x4<__NV_E4M3> __nv_fp8x4_e4m3;
typedef emu_float8x4<__NV_E5M2> __nv_fp8x4_e5m2;

#endif
