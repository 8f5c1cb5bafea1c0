/* emu_floats.h - 8-bit and 16-bit floats: one conversion each way for all
 * formats, and the type behind __half and __nv_bfloat16. Arithmetic rounds
 * once: the exact result, or a 64-bit one, to the nearest number.
 */
#ifndef EMU_FLOATS_H
#define EMU_FLOATS_H

#include <math.h>
#include <type_traits>

enum { EMU_RN, EMU_RZ, EMU_RD, EMU_RU };

/* The pattern of a finite a > 0 with M mantissa bits, as if the exponent were
 * unbounded. */
EMU_FN_ unsigned emu_pattern(long double a, int bias, int M_, bool nearest,
                             bool away) {
    int e = ilogbl(a);
    e = e < 1 - bias ? 1 - bias : e;
    const long double q = scalbnl(a, M_ - e), whole = floorl(q), r = q - whole;
    unsigned n = (unsigned)whole;
    n += nearest ? r > 0.5L || (r == 0.5L && (n & 1)) : away && r > 0;
    return ((unsigned)(e + bias - 1) << M_) + n;
}

/* The pattern of x with E exponent and M mantissa bits, with the infinities and
 * NaN of IEEE. */
EMU_FN_ unsigned emu_pack(long double x, int E_, int M_, int mode = EMU_RN) {
    const int bias = (1 << (E_ - 1)) - 1;
    const unsigned inf = ((1u << E_) - 1) << M_, minus = signbit(x) ? 1 : 0;
    const unsigned sign = minus << (E_ + M_);
    const bool nearest = mode == EMU_RN;
    const bool away = mode == (minus ? EMU_RD : EMU_RU);
    if (isnan(x)) {
        return inf | ((1u << M_) - 1);
    }
    if (isinf(x) || x == 0) {
        return sign | (x == 0 ? 0 : inf);
    }
    if (ilogbl(x) > bias) {
        return sign | (nearest || away ? inf : inf - 1);
    }
    return sign | emu_pattern(fabsl(x), bias, M_, nearest, away);
}

/* The value of a pattern. */
EMU_FN_ float emu_unpack(unsigned bits, int E_, int M_) {
    const int bias = (1 << (E_ - 1)) - 1, top = (1 << E_) - 1;
    const int e = (int)(bits >> M_) & top;
    const unsigned m = bits & ((1u << M_) - 1), minus = bits >> (E_ + M_) & 1;
    if (e == top) {
        unsigned w = minus << 31 | 0x7f800000u | m << (23 - M_);
        float f;
        memcpy(&f, &w, 4);
        return f;
    }
    const float v = e ? ldexpf((float)(m | 1u << M_), e - bias - M_)
                      : ldexpf((float)m, 1 - bias - M_);
    return minus ? -v : v;
}

/* x as an integer in a rounding mode, saturated. NaN gives 0, or for 64 bits
 * the pattern with only the top bit set. */
template <class T_> EMU_FN_ T_ emu_integer(double x, int mode) {
    const double r = mode == EMU_RN   ? nearbyint(x)
                     : mode == EMU_RZ ? trunc(x)
                     : mode == EMU_RD ? floor(x)
                                      : ceil(x);
    const bool sign = std::is_signed<T_>::value;
    const double top = ldexp(1, (int)sizeof(T_) * 8 - sign);
    const T_ low = (T_)((T_)1 << (sizeof(T_) * 8 - 1));
    const T_ most = (T_)(sign ? ~(T_)0 ^ low : ~(T_)0);
    if (isnan(x)) {
        return sizeof(T_) == 8 ? low : 0;
    }
    return r >= top ? most : r < (sign ? -top : 0) ? (T_)(sign ? ~most : 0)
                                                   : (T_)r;
}

/* x as a float in a rounding mode. */
EMU_FN_ float emu_to_float(long double x, int mode) {
    const float r = (float)x;
    const bool high = r > x, low = r < x;
    const float toward = mode == EMU_RD || (mode == EMU_RZ && r > 0)
                             ? -INFINITY : INFINITY;
    const bool wrong = mode != EMU_RN && (toward < 0 ? high : low);
    return wrong ? nextafterf(r, toward) : r;
}

template <int E_, int M_> struct emu_raw16 {
    unsigned short x;
};

#define EMU_COMPARE_(name, op)                                               \
    friend bool __h##name(number a, number b) {                              \
        return a.value() op b.value();                                       \
    }                                                                        \
    friend bool __h##name##u(number a, number b) {                           \
        return a.unordered(b) || a.value() op b.value();                     \
    }                                                                        \
    friend bool operator op(const number &a, const number &b) {              \
        return a.value() op b.value();                                       \
    }
#define EMU_BINARY_(name, op)                                                \
    friend number __h##name(number a, number b) {                            \
        return round((long double)a.value() op b.value());                   \
    }                                                                        \
    friend number __h##name##_rn(number a, number b) {                       \
        return round((long double)a.value() op b.value());                   \
    }                                                                        \
    friend number __h##name##_sat(number a, number b) {                      \
        return clamped(__h##name(a, b));                                     \
    }                                                                        \
    friend number operator op(const number &a, const number &b) {            \
        return __h##name(a, b);                                              \
    }                                                                        \
    friend number &operator op##=(number &a, const number &b) {              \
        return a = __h##name(a, b);                                          \
    }
#define EMU_UNARY_(name, value_of)                                           \
    friend number name(number a) {                                           \
        const float x = a.value();                                           \
        return round(value_of);                                              \
    }
#define EMU_FROM_(T_)                                                         \
    emu_float16(T_ v) : bits(pack(v)) {}                                      \
    emu_float16 &operator=(T_ v) { return bits = pack(v), *this; }
#define EMU_TO_(T_)                                                           \
    operator T_() const { return emu_integer<T_>(value(), EMU_RZ); }

/* A 16-bit float. Functions on it are friends. */
template <int E_, int M_> class emu_float16 {
    typedef emu_float16 number;
    unsigned short bits;

    static unsigned short pack(long double v, int mode = EMU_RN) {
        return (unsigned short)emu_pack(v, E_, M_, mode);
    }
    bool unordered(number b) const {
        return isnan(value()) || isnan(b.value());
    }
    static number clamped(number a) {
        const float x = a.value();
        return round(x > 0 ? (x < 1 ? x : 1) : 0);
    }

public:
    typedef emu_raw16<E_, M_> raw;

    emu_float16() = default;
    emu_float16(raw r) : bits(r.x) {}
    EMU_FROM_(float)
    EMU_FROM_(double)
    EMU_FROM_(short)
    EMU_FROM_(unsigned short)
    EMU_FROM_(int)
    EMU_FROM_(unsigned)
    EMU_FROM_(long)
    EMU_FROM_(unsigned long)
    EMU_FROM_(long long)
    EMU_FROM_(unsigned long long)
    operator raw() const { return raw{bits}; }
    operator float() const { return value(); }
    operator bool() const { return (bits << 1 & 0xffff) != 0; }
    EMU_TO_(char)
    EMU_TO_(signed char)
    EMU_TO_(unsigned char)
    EMU_TO_(short)
    EMU_TO_(unsigned short)
    EMU_TO_(int)
    EMU_TO_(unsigned)
    EMU_TO_(long)
    EMU_TO_(unsigned long)
    EMU_TO_(long long)
    EMU_TO_(unsigned long long)

    float value() const { return emu_unpack(bits, E_, M_); }
    unsigned short pattern() const { return bits; }
    static number of_pattern(unsigned short b) { return number(raw{b}); }
    static number round(long double v, int mode = EMU_RN) {
        return of_pattern(pack(v, mode));
    }

    EMU_BINARY_(add, +)
    EMU_BINARY_(sub, -)
    EMU_BINARY_(mul, *)
    EMU_COMPARE_(eq, ==)
    EMU_COMPARE_(ne, !=)
    EMU_COMPARE_(lt, <)
    EMU_COMPARE_(le, <=)
    EMU_COMPARE_(gt, >)
    EMU_COMPARE_(ge, >=)
    friend number __hdiv(number a, number b) {
        return round(a.value() / b.value());
    }
    friend number operator/(const number &a, const number &b) {
        return __hdiv(a, b);
    }
    friend number &operator/=(number &a, const number &b) {
        return a = __hdiv(a, b);
    }
    friend number __hfma(number a, number b, number c) {
        return round((long double)a.value() * b.value() + c.value());
    }
    friend number __hfma_sat(number a, number b, number c) {
        return clamped(__hfma(a, b, c));
    }
    friend number __hfma_relu(number a, number b, number c) {
        const number r = __hfma(a, b, c);
        return r.value() < 0 ? round(0) : r;
    }
    friend number __hneg(number a) {
        return isnan(a.value()) ? round(NAN) : of_pattern(a.bits ^ 0x8000);
    }
    friend number __habs(number a) {
        return isnan(a.value()) ? round(NAN) : of_pattern(a.bits & 0x7fff);
    }
    friend number operator-(const number &a) { return __hneg(a); }
    friend number operator+(const number &a) { return a; }
    friend number &operator++(number &a) { return a = __hadd(a, round(1)); }
    friend number &operator--(number &a) { return a = __hsub(a, round(1)); }
    friend number operator++(number &a, int) {
        const number old = a;
        return ++a, old;
    }
    friend number operator--(number &a, int) {
        const number old = a;
        return --a, old;
    }
    friend bool __hisnan(number a) { return isnan(a.value()); }
    friend int __hisinf(number a) {
        return !isinf(a.value()) ? 0 : a.value() < 0 ? -1 : 1;
    }
    friend number __hmax(number a, number b) {
        const bool take = isnan(a.value()) || a.value() < b.value() ||
                          (a.value() == b.value() && a.bits >> 15);
        return __hisnan(a) && __hisnan(b) ? round(NAN) : take ? b : a;
    }
    friend number __hmin(number a, number b) {
        const bool take = isnan(a.value()) || a.value() > b.value() ||
                          (a.value() == b.value() && b.bits >> 15);
        return __hisnan(a) && __hisnan(b) ? round(NAN) : take ? b : a;
    }
    friend number __hmax_nan(number a, number b) {
        return a.unordered(b) ? round(NAN) : __hmax(a, b);
    }
    friend number __hmin_nan(number a, number b) {
        return a.unordered(b) ? round(NAN) : __hmin(a, b);
    }
    EMU_UNARY_(hsqrt, sqrtf(x))
    EMU_UNARY_(hrsqrt, 1 / sqrt((double)x))
    EMU_UNARY_(hrcp, 1 / (double)x)
    EMU_UNARY_(hexp, exp((double)x))
    EMU_UNARY_(hexp2, exp2((double)x))
    EMU_UNARY_(hexp10, pow(10, (double)x))
    EMU_UNARY_(hlog, log((double)x))
    EMU_UNARY_(hlog2, log2((double)x))
    EMU_UNARY_(hlog10, log10((double)x))
    EMU_UNARY_(hsin, sin((double)x))
    EMU_UNARY_(hcos, cos((double)x))
    EMU_UNARY_(htanh, tanh((double)x))
    EMU_UNARY_(htanh_approx, tanh((double)x))
    EMU_UNARY_(hfloor, floorf(x))
    EMU_UNARY_(hceil, ceilf(x))
    EMU_UNARY_(htrunc, truncf(x))
    EMU_UNARY_(hrint, rintf(x))
};

#define EMU_PAIRWISE_(name, one)                                             \
    friend pair name(pair a) { return pair(one(a.x), one(a.y)); }
#define EMU_PAIRWISE2_(name, one)                                            \
    friend pair name(pair a, pair b) {                                       \
        return pair(one(a.x, b.x), one(a.y, b.y));                           \
    }
#define EMU_PAIRWISE3_(name, one)                                            \
    friend pair name(pair a, pair b, pair c) {                               \
        return pair(one(a.x, b.x, c.x), one(a.y, b.y, c.y));                 \
    }
#define EMU_PAIR_COMPARE_(name, op)                                           \
    friend pair __h##name##2(pair a, pair b) {                                \
        return pair(T_(__h##name(a.x, b.x) ? 1.0f : 0.0f),                    \
                    T_(__h##name(a.y, b.y) ? 1.0f : 0.0f));                   \
    }                                                                         \
    friend bool __hb##name##2(pair a, pair b) {                               \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                    \
    }                                                                         \
    friend unsigned __h##name##2_mask(pair a, pair b) {                       \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) |                          \
               (__h##name(a.y, b.y) ? 0xffff0000u : 0);                       \
    }                                                                         \
    friend bool operator op(const pair &a, const pair &b) {                   \
        return __hb##name##2(a, b);                                           \
    }
#define EMU_PAIR_OPERATOR_(op, function)                                     \
    friend pair operator op(const pair &a, const pair &b) {                  \
        return function(a, b);                                               \
    }                                                                        \
    friend pair &operator op##=(pair &a, const pair &b) {                    \
        return a = function(a, b);                                           \
    }

/* A pair of 16-bit floats. */
template <class T_> struct alignas(4) emu_float16x2 {
    typedef emu_float16x2 pair;
    T_ x, y;

    emu_float16x2() = default;
    emu_float16x2(const T_ &a, const T_ &b) : x(a), y(b) {}

    EMU_PAIRWISE2_(__hadd2, __hadd)
    EMU_PAIRWISE2_(__hsub2, __hsub)
    EMU_PAIRWISE2_(__hmul2, __hmul)
    EMU_PAIRWISE2_(__hadd2_rn, __hadd)
    EMU_PAIRWISE2_(__hsub2_rn, __hsub)
    EMU_PAIRWISE2_(__hmul2_rn, __hmul)
    EMU_PAIRWISE2_(__hadd2_sat, __hadd_sat)
    EMU_PAIRWISE2_(__hsub2_sat, __hsub_sat)
    EMU_PAIRWISE2_(__hmul2_sat, __hmul_sat)
    EMU_PAIRWISE2_(__h2div, __hdiv)
    EMU_PAIRWISE2_(__hmax2, __hmax)
    EMU_PAIRWISE2_(__hmin2, __hmin)
    EMU_PAIRWISE2_(__hmax2_nan, __hmax_nan)
    EMU_PAIRWISE2_(__hmin2_nan, __hmin_nan)
    EMU_PAIRWISE3_(__hfma2, __hfma)
    EMU_PAIRWISE3_(__hfma2_sat, __hfma_sat)
    EMU_PAIRWISE3_(__hfma2_relu, __hfma_relu)
    EMU_PAIRWISE_(__hneg2, __hneg)
    EMU_PAIRWISE_(__habs2, __habs)
    EMU_PAIRWISE_(h2sqrt, hsqrt)
    EMU_PAIRWISE_(h2rsqrt, hrsqrt)
    EMU_PAIRWISE_(h2rcp, hrcp)
    EMU_PAIRWISE_(h2exp, hexp)
    EMU_PAIRWISE_(h2exp2, hexp2)
    EMU_PAIRWISE_(h2exp10, hexp10)
    EMU_PAIRWISE_(h2log, hlog)
    EMU_PAIRWISE_(h2log2, hlog2)
    EMU_PAIRWISE_(h2log10, hlog10)
    EMU_PAIRWISE_(h2sin, hsin)
    EMU_PAIRWISE_(h2cos, hcos)
    EMU_PAIRWISE_(h2tanh, htanh)
    EMU_PAIRWISE_(h2tanh_approx, htanh)
    EMU_PAIRWISE_(h2floor, hfloor)
    EMU_PAIRWISE_(h2ceil, hceil)
    EMU_PAIRWISE_(h2trunc, htrunc)
    EMU_PAIRWISE_(h2rint, hrint)
    EMU_PAIR_COMPARE_(eq, ==)
    EMU_PAIR_COMPARE_(ne, !=)
    EMU_PAIR_COMPARE_(lt, <)
    EMU_PAIR_COMPARE_(le, <=)
    EMU_PAIR_COMPARE_(gt, >)
    EMU_PAIR_COMPARE_(ge, >=)
    EMU_PAIR_OPERATOR_(+, __hadd2)
    EMU_PAIR_OPERATOR_(-, __hsub2)
    EMU_PAIR_OPERATOR_(*, __hmul2)
    EMU_PAIR_OPERATOR_(/, __h2div)
    friend pair operator-(const pair &a) { return __hneg2(a); }
    friend pair __hisnan2(pair a) {
        return pair(T_(__hisnan(a.x) ? 1.0f : 0.0f),
                    T_(__hisnan(a.y) ? 1.0f : 0.0f));
    }
    friend float __low2float(pair a) { return a.x; }
    friend float __high2float(pair a) { return a.y; }
    friend pair __lowhigh2highlow(pair a) { return pair(a.y, a.x); }
};

/* What CUDA's headers define for a format besides the friends: shuffles, cached
 * loads and stores, atomic additions. */
#define EMU_MEMORY_OF_16_(T_)                                                 \
    EMU_SHUFFLES_(T_)                                                         \
    EMU_CACHED_(T_)                                                           \
    EMU_FN_ T_ atomicAdd(T_ *p, T_ v) {                                       \
        return emu_update_(p, [=](T_ a) { return a + v; });                   \
    }

/* Conversions between T and an integer type; `name` is CUDA's name for it. */
#define EMU_INTEGER_OF_16_(half, T_, I_, name, mode, MODE_)                    \
    EMU_FN_ I_ __##half##2##name##_##mode(T_ h) {                             \
        return emu_integer<I_>(h.value(), MODE_);                              \
    }                                                                         \
    EMU_FN_ T_ __##name##2##half##_##mode(I_ i) { return T_::round(i, MODE_); }
#define EMU_MODES_OF_16_(half, T_, I_, name)                                  \
    EMU_INTEGER_OF_16_(half, T_, I_, name, rn, EMU_RN)                        \
    EMU_INTEGER_OF_16_(half, T_, I_, name, rz, EMU_RZ)                        \
    EMU_INTEGER_OF_16_(half, T_, I_, name, rd, EMU_RD)                        \
    EMU_INTEGER_OF_16_(half, T_, I_, name, ru, EMU_RU)
#define EMU_INTEGERS_OF_16_(half, T_)                                         \
    EMU_MODES_OF_16_(half, T_, short, short)                                  \
    EMU_MODES_OF_16_(half, T_, unsigned short, ushort)                        \
    EMU_MODES_OF_16_(half, T_, int, int)                                      \
    EMU_MODES_OF_16_(half, T_, unsigned, uint)                                \
    EMU_MODES_OF_16_(half, T_, long long, ll)                                 \
    EMU_MODES_OF_16_(half, T_, unsigned long long, ull)

/* All functions of a type T and its pair T2. `name` and `pair` are CUDA's
 * names. */
#define EMU_NAMES_OF_16_(name, T_, pair, T2_)                                  \
    EMU_FN_ T_ __ushort_as_##name(unsigned short u) {                         \
        return T_::of_pattern(u);                                             \
    }                                                                         \
    EMU_FN_ T_ __short_as_##name(short u) {                                   \
        return T_::of_pattern((unsigned short)u);                             \
    }                                                                         \
    EMU_FN_ unsigned short __##name##_as_ushort(T_ h) { return h.pattern(); } \
    EMU_FN_ short __##name##_as_short(T_ h) { return (short)h.pattern(); }    \
    EMU_FN_ float __##name##2float(T_ h) { return h.value(); }                \
    EMU_FN_ T_ __float2##name(float x) { return T_::round(x); }               \
    EMU_FN_ T_ __float2##name##_rn(float x) { return T_::round(x); }          \
    EMU_FN_ T_ __float2##name##_rz(float x) { return T_::round(x, EMU_RZ); }  \
    EMU_FN_ T_ __float2##name##_rd(float x) { return T_::round(x, EMU_RD); }  \
    EMU_FN_ T_ __float2##name##_ru(float x) { return T_::round(x, EMU_RU); }  \
    EMU_FN_ T_ __double2##name(double x) { return T_::round(x); }             \
    EMU_INTEGERS_OF_16_(name, T_)                                             \
    EMU_FN_ T2_ __halves2##pair(T_ a, T_ b) { return T2_(a, b); }               \
    EMU_FN_ T2_ make_##pair(T_ a, T_ b) { return T2_(a, b); }                   \
    EMU_FN_ T2_ __##name##2##pair(T_ a) { return T2_(a, a); }                   \
    EMU_FN_ T2_ __floats2##pair##_rn(float x, float y) {                       \
        return T2_(T_::round(x), T_::round(y));                                \
    }                                                                         \
    EMU_FN_ T2_ __float2##pair##_rn(float x) {                                 \
        return T2_(T_::round(x), T_::round(x));                                \
    }                                                                         \
    EMU_FN_ T2_ __float22##pair##_rn(float2 v) {                               \
        return T2_(T_::round(v.x), T_::round(v.y));                            \
    }                                                                         \
    EMU_FN_ float2 __##pair##2float2(T2_ h) { return make_float2(h.x, h.y); }  \
    EMU_FN_ T_ __low2##name(T2_ h) { return h.x; }                             \
    EMU_FN_ T_ __high2##name(T2_ h) { return h.y; }                            \
    EMU_FN_ T2_ __low2##pair(T2_ h) { return T2_(h.x, h.x); }                    \
    EMU_FN_ T2_ __high2##pair(T2_ h) { return T2_(h.y, h.y); }                   \
    EMU_FN_ T2_ __lows2##pair(T2_ a, T2_ b) { return T2_(a.x, b.x); }             \
    EMU_FN_ T2_ __highs2##pair(T2_ a, T2_ b) { return T2_(a.y, b.y); }            \
    EMU_MEMORY_OF_16_(T_)                                                     \
    EMU_MEMORY_OF_16_(T2_)

#endif
