/* test_floats.cu - the conversions of half, bfloat16 and 8-bit floats, for all
 * patterns. What is expected follows from the values of the patterns alone: a
 * number is rounded to the nearest value, of two to that of the even pattern.
 * SPDX-License-Identifier: MIT
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

static int passed, failed;

static void check(bool ok, const char *what, double x, unsigned got) {
    ok ? ++passed : ++failed;
    if (!ok && failed < 20) {
        printf("wrong: %s of %a: 0x%x\n", what, x, got);
    }
}

/* A format by its fields; 0 to `last` are its numbers that are not negative,
 * `above` is what rounds up from them, -1 when nothing does. */
struct format {
    const char *name;
    int exponent, mantissa, last, above;
    unsigned (*to)(float);
    float (*from)(unsigned);
};

static unsigned to_half(float x) { return __half_as_ushort(__float2half(x)); }
static float of_half(unsigned b) {
    return __half2float(__ushort_as_half((unsigned short)b));
}
static unsigned to_bf16(float x) {
    return __bfloat16_as_ushort(__float2bfloat16(x));
}
static float of_bf16(unsigned b) {
    return __bfloat162float(__ushort_as_bfloat16((unsigned short)b));
}
static unsigned to_e4m3(float x) { return __nv_fp8_e4m3(x).__x; }
static unsigned to_e5m2(float x) { return __nv_fp8_e5m2(x).__x; }
static unsigned to_e4m3_nan(float x) {
    return __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3);
}
static unsigned to_e5m2_inf(float x) {
    return __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2);
}
static float of_e4m3(unsigned b) {
    __nv_fp8_e4m3 v;
    v.__x = (unsigned char)b;
    return float(v);
}
static float of_e5m2(unsigned b) {
    __nv_fp8_e5m2 v;
    v.__x = (unsigned char)b;
    return float(v);
}

static const format formats[] = {
    {"half", 5, 10, 0x7bff, 0x7c00, to_half, of_half},
    {"bfloat16", 8, 7, 0x7f7f, 0x7f80, to_bf16, of_bf16},
    {"e4m3", 4, 3, 0x7e, -1, to_e4m3, of_e4m3},
    {"e5m2", 5, 2, 0x7b, -1, to_e5m2, of_e5m2},
    {"e4m3 without saturation", 4, 3, 0x7e, 0x7f, to_e4m3_nan, of_e4m3},
    {"e5m2 without saturation", 5, 2, 0x7b, 0x7c, to_e5m2_inf, of_e5m2},
};

/* The value that a pattern has by definition, be it finite or not. */
static double defined(const format &f, int b) {
    const int e = b >> f.mantissa, m = b & ((1 << f.mantissa) - 1);
    const int bias = (1 << (f.exponent - 1)) - 1, one = 1 << f.mantissa;
    double v = e ? one + m : m;
    for (int k = (e ? e : 1) - bias - f.mantissa; k; k += k < 0 ? 1 : -1) {
        v = k < 0 ? v / 2 : v * 2;
    }
    return v;
}

static void rounds(const format &f, float x, int pattern) {
    const unsigned sign = 1u << (f.exponent + f.mantissa);
    check(f.to(x) == (unsigned)pattern, f.name, x, f.to(x));
    check(f.to(-x) == ((unsigned)pattern | sign), f.name, -x, f.to(-x));
}

/* Each number, and between it and the next one the middle and its neighbours.
 * The next one of the last number is the power of two that would follow. */
static void numbers(const format &f) {
    for (int b = 0; b <= f.last; b++) {
        const double v = defined(f, b), next = defined(f, b + 1);
        const double middle = (v + next) / 2;
        const int up = b < f.last ? b + 1 : f.above < 0 ? f.last : f.above;
        const float x = (float)middle;
        check(f.from((unsigned)b) == v, "value", v, (unsigned)b);
        rounds(f, (float)v, b);
        if (isinf(x) || x != middle) {
            continue; /* no float: below the subnormal floats of bfloat16 */
        }
        rounds(f, x, b % 2 ? up : b);
        rounds(f, nextafterf(x, 0), b);
        rounds(f, nextafterf(x, INFINITY), up);
    }
    if (f.exponent < 8) {
        rounds(f, 3e38f, f.above < 0 ? f.last : f.above);
    }
    rounds(f, INFINITY, f.above < 0 ? f.last : f.above);
}

static void no_numbers() {
    check(to_half(NAN) == 0x7fff, "half", NAN, to_half(NAN));
    check(to_bf16(NAN) == 0x7fff, "bfloat16", NAN, to_bf16(NAN));
    check(to_e4m3(NAN) == 0x7f, "e4m3", NAN, to_e4m3(NAN));
    check(to_e5m2(NAN) == 0x7f, "e5m2", NAN, to_e5m2(NAN));
    for (unsigned b = 0x7c01; b < 0x8000; b++) {
        check(isnan(of_half(b)) && isnan(of_half(b | 0x8000)), "NaN", b, b);
    }
    for (unsigned b = 0x7f81; b < 0x8000; b++) {
        check(isnan(of_bf16(b)) && isnan(of_bf16(b | 0x8000)), "NaN", b, b);
    }
    check(isinf(of_half(0x7c00)) && of_half(0xfc00) < 0, "inf", 0, 0);
    check(isinf(of_bf16(0x7f80)) && of_bf16(0xff80) < 0, "inf", 0, 0);
    check(isnan(of_e4m3(0x7f)) && isnan(of_e4m3(0xff)), "NaN", 0, 0x7f);
    check(isinf(of_e5m2(0x7c)) && isnan(of_e5m2(0x7d)), "inf", 0, 0x7c);
}

/* A sum and a product of halves are exact in double: then one rounding, which
 * the compiler's own type does where it has one. */
static void arithmetic() {
    unsigned s = 1;
    for (int k = 0; k < 200000; k++) {
        s = s * 1664525u + 1013904223u;
        const unsigned a = s >> 16, b = (s * 2654435761u) >> 16;
        const __half x = __ushort_as_half((unsigned short)a);
        const __half y = __ushort_as_half((unsigned short)b);
        const double p = (double)of_half(a) * of_half(b);
        const double q = (double)of_half(a) + of_half(b);
        if (isnan(p) || isnan(q)) {
            continue;
        }
#ifdef __FLT16_MANT_DIG__
        _Float16 hp = (_Float16)p, hq = (_Float16)q;
        unsigned short wp, wq;
        __builtin_memcpy(&wp, &hp, 2);
        __builtin_memcpy(&wq, &hq, 2);
        check(__half_as_ushort(__hmul(x, y)) == wp, "product", p, wp);
        check(__half_as_ushort(x + y) == wq, "sum", q, wq);
#else
        check(__half_as_ushort(x * y) == __half_as_ushort(__double2half(p)),
              "product", p, a);
        check(__half_as_ushort(x + y) == __half_as_ushort(__double2half(q)),
              "sum", q, a);
#endif
    }
}

/* Rounding in a direction: the two neighbours of what is no half. */
static void directions() {
    for (unsigned b = 0; b < 0x7bff; b++) {
        const float x = nextafterf(of_half(b), INFINITY);
        check(__half_as_ushort(__float2half_rz(x)) == b, "rz", x, b);
        check(__half_as_ushort(__float2half_rd(x)) == b, "rd", x, b);
        check(__half_as_ushort(__float2half_ru(x)) == b + 1, "ru", x, b);
        check(__half_as_ushort(__float2half_rd(-x)) == (b + 1 | 0x8000u),
              "rd", -x, b);
        check(__half_as_ushort(__float2half_ru(-x)) == (b | 0x8000u), "ru",
              -x, b);
    }
}

int main() {
    for (const format &f : formats) {
        numbers(f);
    }
    no_numbers();
    arithmetic();
    directions();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
