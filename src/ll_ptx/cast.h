/* ---- Conversions of number types -------------------------------------- */
#ifndef LL_PTX_CAST_H
#define LL_PTX_CAST_H

#include "../ll/kernel/convert.h"
#include "instructions/lanes.h"
#include "instructions/convert.h"
#include "cast_order.h"

#ifdef LL_PTX_DEVICE_

/* Private: returns nibbles 2k and 2k + 1 of x, each in the low bits of a
 * half. */
LL_DEVICE unsigned ll_ptx_nibbles_(unsigned x, unsigned k) {
    const unsigned from = 8u * (k % 2u); /* nibbles 0 and 4, or 2 and 6 */
    return ll_ptx_prmt(x >> from & 0xf000fu, x >> (from + 4u) & 0xf000fu,
                       k < 2u ? 0x5410u : 0x7632u);
}

/* Private: returns ll_ptx_cvt_f16x2_e4m3x2 of the high half of x, without a
 * shift. */
LL_DEVICE unsigned ll_ptx_f16x2_high_(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; "
                 "cvt.rn.f16x2.e4m3x2 %0, h; }",
                 (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

/* Private: returns pair k of the numbers in word x as f16x2; ll_ptx_bf16_pair_
 * returns it as bf16x2. An integer goes into the low mantissa bits of a number
 * with a known exponent, and that number is subtracted. A small float is moved
 * to the place of the wider one, and a multiplication corrects its exponent. */
template <class FROM_>
LL_DEVICE unsigned ll_ptx_f16_pair_(unsigned x, unsigned k) {
    const unsigned one = 0x3c003c00u;
    if constexpr (ll_is_same_<FROM_, ll_u8>::value) {
        const unsigned y = ll_ptx_prmt(x, 0x64646464u, k ? 0x4342u : 0x4140u);
        return ll_ptx_fma_f16x2(y, one, 0xe400e400u); /* - 1024 */
    } else if constexpr (ll_is_same_<FROM_, ll_u4>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k) | 0x64006400u;
        return ll_ptx_fma_f16x2(y, one, 0xe400e400u);
    } else if constexpr (ll_is_same_<FROM_, ll_e2m3>::value) {
        const unsigned y = ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
        const unsigned z = (y >> 1 & 0xf800f80u) | (y & 0x20002000u) << 2;
        return ll_ptx_fma_f16x2(z, 0x74007400u, 0x80008000u); /* 2^14 */
    } else if constexpr (ll_is_same_<FROM_, ll_e3m2>::value) {
        const unsigned y = ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
        const unsigned z = (y & 0x1f001f00u) | (y & 0x20002000u) << 2;
        return ll_ptx_fma_f16x2(z, 0x6c006c00u, 0x80008000u); /* 2^12 */
    } else if constexpr (ll_is_same_<FROM_, ll_s8>::value) {
        const unsigned y = ll_ptx_prmt(x ^ 0x80808080u, 0x64646464u,
                                       k ? 0x4342u : 0x4140u);
        return ll_ptx_fma_f16x2(y, one, 0xe480e480u); /* - 1152 */
    } else if constexpr (ll_is_same_<FROM_, ll_s4>::value) {
        const unsigned y = ll_ptx_nibbles_(x ^ 0x88888888u, k) | 0x64006400u;
        return ll_ptx_fma_f16x2(y, one, 0xe408e408u); /* - 1032 */
    } else if constexpr (ll_is_same_<FROM_, ll_e2m1>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k);
        const unsigned z = (y & 0x70007u) << 9 | (y & 0x80008u) << 12;
        return ll_ptx_fma_f16x2(z, 0x74007400u, 0x80008000u); /* 2^14 */
    } else if constexpr (ll_is_same_<FROM_, ll_e5m2>::value) {
        return ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
    } else if constexpr (ll_is_same_<FROM_, ll_e4m3>::value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
        return k ? ll_ptx_f16x2_high_(x) : ll_ptx_cvt_f16x2_e4m3x2(x);
#else
        const unsigned y = ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
        const unsigned z = (y & 0x80008000u) | (y >> 1 & 0x3f803f80u);
        return ll_ptx_fma_f16x2(z, 0x5c005c00u, 0x80008000u); /* 2^8 */
#endif
    } else {
        return x;
    }
}

/* Private: returns number k of word x as a float. */
template <class FROM_> LL_DEVICE float ll_ptx_f32_of_(unsigned x, unsigned k) {
    unsigned y = 0;
    float f = 0;
    if constexpr (ll_is_same_<FROM_, ll_bf16>::value) {
        y = k ? x & 0xffff0000u : x << 16;
        LL_MEMCPY_(&f, &y, 4);
        return f;
    } else if constexpr (ll_is_same_<FROM_, ll_s8>::value) {
        y = ll_ptx_prmt(x ^ 0x80808080u, 0x4b000000u, 0x7540u | k);
        LL_MEMCPY_(&f, &y, 4);
        return f - 8388736.0f; /* 2^23 + 128 */
    } else if constexpr (ll_is_same_<FROM_, ll_u8>::value) {
        y = ll_ptx_prmt(x, 0x4b000000u, 0x7540u | k);
        LL_MEMCPY_(&f, &y, 4);
        return f - 8388608.0f; /* 2^23 */
    } else {
        y = ll_ptx_f16_pair_<FROM_>(x, k / 2u);
        return k % 2u ? ll_ptx_cvt_f32_f16_high(y) : ll_ptx_cvt_f32_f16_low(y);
    }
}

template <class FROM_>
LL_DEVICE unsigned ll_ptx_bf16_pair_(unsigned x, unsigned k) {
    if constexpr (ll_is_same_<FROM_, ll_bf16>::value) {
        return x;
    } else if constexpr (ll_is_same_<FROM_, ll_u4>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k) | 0x43004300u;
        return ll_ptx_fma_bf16x2(y, 0x3f803f80u, 0xc300c300u); /* - 128 */
    } else if constexpr (ll_is_same_<FROM_, ll_s4>::value) {
        const unsigned y = ll_ptx_nibbles_(x ^ 0x88888888u, k) | 0x43004300u;
        return ll_ptx_fma_bf16x2(y, 0x3f803f80u, 0xc308c308u); /* - 136 */
    } else if constexpr (ll_is_same_<FROM_, ll_e2m1>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k);
        const unsigned z = (y & 0x70007u) << 6 | (y & 0x80008u) << 12;
        return ll_ptx_fma_bf16x2(z, 0x7e807e80u, 0x80008000u); /* 2^126 */
    } else {
        const float low = ll_ptx_f32_of_<FROM_>(x, 2u * k);
        const float high = ll_ptx_f32_of_<FROM_>(x, 2u * k + 1u);
        unsigned a = 0, b = 0;
        LL_MEMCPY_(&a, &low, 4);
        LL_MEMCPY_(&b, &high, 4);
        return ll_ptx_prmt(a, b, 0x7632u);
    }
}

/* Private: returns number n of array a as a float. */
template <class FROM_, class A_>
LL_DEVICE float ll_ptx_number_(const A_ *a, unsigned n) {
    constexpr unsigned each = 32u / ll_ptx_bits_of_<FROM_>::value;
    if constexpr (ll_is_same_<FROM_, ll_f32>::value) {
        return a[n];
    } else {
        return ll_ptx_f32_of_<FROM_>(a[n / each], n % each);
    }
}

/* Private: a small float. bits: its bits without the sign. man: its mantissa
 * bits. top: the largest number, as a float's bit pattern. nan: the result for
 * NaN. */
template <class T_> struct ll_ptx_float_ { enum : unsigned { bits = 0 }; };
template <> struct ll_ptx_float_<ll_e2m1> {
    enum : unsigned { bits = 3, man = 1, top = 0x40c00000u, nan = 7 };
};
template <> struct ll_ptx_float_<ll_e2m3> {
    enum : unsigned { bits = 5, man = 3, top = 0x40f00000u, nan = 31 };
};
template <> struct ll_ptx_float_<ll_e3m2> {
    enum : unsigned { bits = 5, man = 2, top = 0x41e00000u, nan = 31 };
};
template <> struct ll_ptx_float_<ll_e4m3> {
    enum : unsigned { bits = 7, man = 3, top = 0x43e00000u, nan = 127 };
};
template <> struct ll_ptx_float_<ll_e5m2> {
    enum : unsigned { bits = 7, man = 2, top = 0x47600000u, nan = 127 };
};

/* Private: rounds a float to the nearest small float, as cvt does on targets
 * that have it. Below the normal numbers it adds a float whose last place has
 * the value of the small float's last place; else it rounds the bit pattern. */
template <class TO_> LL_DEVICE unsigned ll_ptx_round_(float x) {
    typedef ll_ptx_float_<TO_> to;
    constexpr unsigned exponent = to::bits - to::man;
    constexpr unsigned bias = (1u << (exponent - 1u)) - 1u;
    constexpr unsigned least = (128u - bias) << 23; /* the smallest normal */
    constexpr unsigned magic = (151u - bias - to::man) << 23;
    unsigned u = 0, y = 0;
    LL_MEMCPY_(&u, &x, 4);
    const unsigned sign = u >> 31 << to::bits, a = u & 0x7fffffffu;
    const unsigned b = a < to::top ? a : (unsigned)to::top;
    const unsigned half = (1u << (22u - to::man)) - 1u;
    const unsigned last = b >> (23u - to::man) & 1u;
    const unsigned normal = ((b + half + last) >> (23u - to::man)) -
                            ((127u - bias) << to::man);
    float f = 0, m = 0;
    const unsigned of_m = magic;
    LL_MEMCPY_(&f, &b, 4);
    LL_MEMCPY_(&m, &of_m, 4);
    f += m;
    LL_MEMCPY_(&y, &f, 4);
    const unsigned z = b < least ? y - magic : normal;
    return a > 0x7f800000u ? (unsigned)to::nan : z | sign;
}

/* Private: whether the target has cvt to fp8, and to numbers of 6 and 4
 * bits. */
#if defined(__CUDA_ARCH__)
#define LL_PTX_CVT_8_ (__CUDA_ARCH__ >= 890)
#define LL_PTX_CVT_6_ (LL_PTX_FAMILY_ && __CUDA_ARCH__ >= 1000)
#else
#define LL_PTX_CVT_8_ 1
#define LL_PTX_CVT_6_ 1
#endif

/* Private: converts two floats to small floats, side by side in the low
 * bits. */
template <class TO_> LL_DEVICE unsigned ll_ptx_small_pair_(float x, float y) {
    constexpr bool is_8 = ll_ptx_float_<TO_>::bits == 7;
#if LL_PTX_CVT_8_
    if constexpr (ll_is_same_<TO_, ll_e4m3>::value) {
        return ll_ptx_cvt_e4m3x2(x, y);
    } else if constexpr (ll_is_same_<TO_, ll_e5m2>::value) {
        return ll_ptx_cvt_e5m2x2(x, y);
    }
#endif
#if LL_PTX_CVT_6_
    if constexpr (ll_is_same_<TO_, ll_e2m3>::value) {
        return ll_ptx_cvt_e2m3x2(x, y);
    } else if constexpr (ll_is_same_<TO_, ll_e3m2>::value) {
        return ll_ptx_cvt_e3m2x2(x, y);
    } else if constexpr (ll_is_same_<TO_, ll_e2m1>::value) {
        return ll_ptx_cvt_e2m1x2(x, y);
    }
#endif
    if constexpr (is_8 ? !LL_PTX_CVT_8_ : !LL_PTX_CVT_6_) {
        return ll_ptx_round_<TO_>(x) | ll_ptx_round_<TO_>(y)
                                           << ll_ptx_bits_of_<TO_>::value;
    } else {
        return 0;
    }
}

/* Private: converts four floats to 8-bit floats. Both pairs are in one asm
 * text, so that the assembler lets each cvt write its half of the word. */
template <class TO_>
LL_DEVICE unsigned ll_ptx_small_quad_(float a, float b, float c, float d) {
    unsigned y = 0;
    if constexpr (ll_is_same_<TO_, ll_e4m3>::value) {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e4m3x2.f32 l, %2, %1; "
                     "cvt.rn.satfinite.e4m3x2.f32 h, %4, %3; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(y)),
                     (LL_IF32_(a), LL_IF32_(b), LL_IF32_(c), LL_IF32_(d)));
    } else {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e5m2x2.f32 l, %2, %1; "
                     "cvt.rn.satfinite.e5m2x2.f32 h, %4, %3; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(y)),
                     (LL_IF32_(a), LL_IF32_(b), LL_IF32_(c), LL_IF32_(d)));
    }
    return y;
}

/* Private: the same for the f16 numbers in two words. */
template <class TO_> LL_DEVICE unsigned ll_ptx_small_pairs_(unsigned x,
                                                            unsigned y) {
    unsigned z = 0;
    if constexpr (ll_is_same_<TO_, ll_e4m3>::value) {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e4m3x2.f16x2 l, %1; "
                     "cvt.rn.satfinite.e4m3x2.f16x2 h, %2; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(z)), (LL_I32_(x), LL_I32_(y)));
    } else {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e5m2x2.f16x2 l, %1; "
                     "cvt.rn.satfinite.e5m2x2.f16x2 h, %2; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(z)), (LL_I32_(x), LL_I32_(y)));
    }
    return z;
}

/* Private: rounds two floats to 16 bits. */
template <class TO_> LL_DEVICE unsigned ll_ptx_half_pair_(float x, float y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return ll_is_same_<TO_, ll_f16>::value ? ll_ptx_cvt_f16x2(x, y)
                                            : ll_ptx_cvt_bf16x2(x, y);
#else
    unsigned a = 0, b = 0;
    if constexpr (ll_is_same_<TO_, ll_f16>::value) {
        LL_PTX_PURE_("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; "
                     "cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }",
                     (LL_O32_(a)), (LL_IF32_(x), LL_IF32_(y)));
        return a;
    }
    LL_MEMCPY_(&a, &x, 4);
    LL_MEMCPY_(&b, &y, 4);
    a = (a & 0x7fffffffu) > 0x7f800000u ? a | 0x400000u
                                        : a + 0x7fffu + (a >> 16 & 1u);
    b = (b & 0x7fffffffu) > 0x7f800000u ? b | 0x400000u
                                        : b + 0x7fffu + (b >> 16 & 1u);
    return ll_ptx_prmt(a, b, 0x7632u);
#endif
}

/* Private: rounds a pair to integers and puts them into the lowest bits of a
 * word, with `rest` above them. So callers pack the last pair of a word
 * first. */
template <class TO_>
LL_DEVICE unsigned ll_ptx_pack_(float x, float y, unsigned rest) {
    const int low = ll_ptx_cvt_rni_s32(x), high = ll_ptx_cvt_rni_s32(y);
    if constexpr (ll_is_same_<TO_, ll_s8>::value) {
        return ll_ptx_cvt_pack_s8(low, high, rest);
    } else if constexpr (ll_is_same_<TO_, ll_u8>::value) {
        return ll_ptx_cvt_pack_u8(low, high, rest);
    } else if constexpr (ll_is_same_<TO_, ll_s4>::value) {
        return ll_ptx_cvt_pack_s4(low, high, rest);
    } else {
        return ll_ptx_cvt_pack_u4(low, high, rest);
    }
}

/* Private: returns word n of numbers of up to 8 bits, from the numbers in a.
 * From e2m1 to fp8, a table of two words has the magnitudes, and the signs are
 * added. From s4 to s8, a multiplication extends the signs. */
template <class TO_, class FROM_, class A_>
LL_DEVICE unsigned ll_ptx_small_word_(const A_ *a, unsigned n) {
    constexpr unsigned bits = ll_ptx_bits_of_<TO_>::value, each = 32u / bits;
    unsigned y = 0;
    if constexpr (ll_is_same_<TO_, FROM_>::value) {
        return a[n];
    } else if constexpr (ll_is_same_<FROM_, ll_e2m1>::value && bits == 8 &&
                         ll_ptx_float_<TO_>::bits == 7) {
        const bool e4m3 = ll_is_same_<TO_, ll_e4m3>::value;
        const unsigned x = a[n / 2u] >> 16u * (n % 2u);
        y = ll_ptx_prmt(e4m3 ? 0x3c383000u : 0x3e3c3800u,
                        e4m3 ? 0x4c484440u : 0x46444240u, x & 0x7777u);
        return y | (ll_ptx_prmt(0x80808080u, 0x80808080u, x) & 0x1010101u) << 7;
    } else if constexpr (ll_is_same_<FROM_, ll_s4>::value &&
                         ll_is_same_<TO_, ll_s8>::value) {
        const unsigned x = a[n / 2u];
        y = ll_ptx_prmt(x & 0xf0f0f0fu, x >> 4 & 0xf0f0f0fu,
                        n % 2u ? 0x7362u : 0x5140u);
        return y | (y & 0x8080808u) * 0x1eu;
    } else if constexpr (ll_ptx_float_<TO_>::bits == 0) {
        for (unsigned k = each; k; k -= 2u) {
            y = ll_ptx_pack_<TO_>(ll_ptx_number_<FROM_>(a, n * each + k - 2u),
                                  ll_ptx_number_<FROM_>(a, n * each + k - 1u),
                                  y);
        }
        return y;
    } else if constexpr (LL_PTX_CVT_8_ && ll_is_same_<FROM_, ll_f16>::value &&
                         ll_ptx_float_<TO_>::bits == 7) {
        return ll_ptx_small_pairs_<TO_>(a[2u * n], a[2u * n + 1u]);
    } else if constexpr (LL_PTX_CVT_8_ && ll_ptx_float_<TO_>::bits == 7) {
        return ll_ptx_small_quad_<TO_>(ll_ptx_number_<FROM_>(a, 4u * n),
                                       ll_ptx_number_<FROM_>(a, 4u * n + 1u),
                                       ll_ptx_number_<FROM_>(a, 4u * n + 2u),
                                       ll_ptx_number_<FROM_>(a, 4u * n + 3u));
    } else {
        for (unsigned k = 0; k < each; k += 2u) {
            y |= ll_ptx_small_pair_<TO_>(
                     ll_ptx_number_<FROM_>(a, n * each + k),
                     ll_ptx_number_<FROM_>(a, n * each + k + 1u))
                 << k * bits;
        }
        return y;
    }
}

/* Private: returns result n of a conversion: a word, or one wider number. */
template <class TO_, class FROM_, class T_, class A_>
LL_DEVICE T_ ll_ptx_cast_one_(const A_ *a, unsigned n) {
    constexpr unsigned each = 32u / ll_ptx_bits_of_<FROM_>::value;
    constexpr bool half = ll_is_same_<TO_, ll_f16>::value;
    constexpr bool rounds = ll_is_same_<FROM_, ll_f32>::value ||
                            ll_is_same_<FROM_, ll_bf16>::value == half;
    if constexpr (!ll_is_same_<T_, unsigned>::value) {
        return (T_)ll_ptx_number_<FROM_>(a, n);
    } else if constexpr (ll_ptx_bits_of_<TO_>::value < 16) {
        return ll_ptx_small_word_<TO_, FROM_>(a, n);
    } else if constexpr (rounds && ll_ptx_bits_of_<FROM_>::value >= 16 &&
                         !ll_is_same_<TO_, FROM_>::value) {
        return ll_ptx_half_pair_<TO_>(ll_ptx_number_<FROM_>(a, 2u * n),
                                      ll_ptx_number_<FROM_>(a, 2u * n + 1u));
    } else if constexpr (half) {
        return ll_ptx_f16_pair_<FROM_>(a[2u * n / each], n % (each / 2u));
    } else {
        return ll_ptx_bf16_pair_<FROM_>(a[2u * n / each], n % (each / 2u));
    }
}

template <class TO_, class FROM_, class T_, unsigned M_, class A_, unsigned N_,
          unsigned... I_>
LL_DEVICE void ll_ptx_cast_all_(T_ (&b)[M_], const A_ (&a)[N_],
                                ll_seq_<I_...>) {
    ((b[I_] = ll_ptx_cast_one_<TO_, FROM_, T_>(a, I_)), ...);
}

/* Private: the type of an element of an array of such numbers. */
template <class TO_> struct ll_ptx_wide_ { typedef unsigned type; };
template <> struct ll_ptx_wide_<ll_f32> { typedef float type; };
template <> struct ll_ptx_wide_<ll_f64> { typedef double type; };

template <class TO_, class FROM_, class T_, unsigned M_, class A_, unsigned N_>
LL_DEVICE void ll_ptx_cast_(T_ (&b)[M_], const A_ (&a)[N_]) {
    constexpr unsigned from = ll_ptx_bits_of_<FROM_>::value;
    constexpr bool wide = ll_is_same_<TO_, ll_f64>::value ||
                          ll_is_same_<TO_, ll_f32>::value;
    constexpr unsigned to = wide ? 32u : (unsigned)ll_ptx_bits_of_<TO_>::value;
    static_assert(from && to,
                  "ll: LL_CAST: TO and FROM must be ll_s4, ll_u4, ll_s8, "
                  "ll_u8, ll_e2m1, ll_e2m3, ll_e3m2, ll_e4m3, ll_e5m2, ll_f16, "
                  "ll_bf16 or ll_f32; TO may be ll_f64");
    constexpr bool is =
        ll_is_same_<T_, typename ll_ptx_wide_<TO_>::type>::value &&
        ll_is_same_<A_, typename ll_ptx_wide_<FROM_>::type>::value;
    static_assert(is || !from || !to,
                  "ll: LL_CAST: b and a must be arrays of unsigned, but of "
                  "float for ll_f32 and of double for ll_f64");
    constexpr bool fit = M_ * from == N_ * to;
    static_assert(fit || !is || !from || !to,
                  "ll: LL_CAST: b and a must have the same number of "
                  "elements");
    typedef typename ll_seq_upto_<M_>::type words;
    if constexpr (!(from && to && is && fit)) {
        return;
    } else if constexpr (ll_ptx_order_in_<FROM_>::is) {
        typedef ll_ptx_order_in_<FROM_> in;
        ll_ptx_cast_ordered_<TO_, typename in::from, typename in::order>(
            b, a, words());
    } else {
        ll_ptx_cast_all_<TO_, FROM_>(b, a, words());
    }
}

/* LL_CAST(b, a, TO, FROM) converts the numbers of array a, in registers, to the
 * numbers of array b. TO and FROM are types: ll_s4, ll_u4, ll_s8, ll_u8,
 * ll_e2m1, ll_e2m3, ll_e3m2, ll_e4m3, ll_e5m2, ll_f16 and ll_bf16, in words,
 * packed as in memory (6-bit numbers in the low bits of a byte), ll_f32 in
 * floats, and for TO ll_f64 in doubles. The numbers of a lane stay in order.
 *
 * If TO has all values of FROM, the result is exact. Else it is the nearest
 * number, ties to even. A number that is too large is set to the largest
 * number if TO is an integer or a float of 8 bits or fewer, and to infinity if
 * TO is ll_f16 or ll_bf16. NaN turns into 0 in an integer, and into the
 * largest number in a float without NaN. Up to sm_88, the NaN of e4m3 turns
 * into 480 in a wider number. A pair takes two to four instructions. A number
 * takes about ten if the target has no cvt: to fp8 up to sm_88, to 6 and 4
 * bits without sm_100f, sm_110f or sm_120f.
 *
 *     unsigned a[LL_WORDS(A, 8)], wide[LL_WORDS(A, 16)];
 *     LL_CAST(wide, a, ll_f16, ll_s8);
 *
 * FROM is LL_TWIDDLED(ll_s4, ORDER) if the bits of a word are in another order.
 * The numbers in b are in the order of their elements. ORDER is the name of a
 * layout offset -> bit, e, such as that of ll_ptx_twiddled. From ll_s4, ll_u4
 * and ll_e2m1 TO may be ll_f16 or ll_bf16, from ll_s4 also ll_s8, and from
 * ll_u4 ll_s8 or ll_u8. To 16 bits, signed numbers take no more instructions
 * than unsigned ones.
 *
 *     LL_LAYOUT(ORDER, ll_ptx_twiddled(4, 16, 10));
 *     unsigned a[LL_WORDS(A, 4)], wide[LL_WORDS(A, 16)];
 *     LL_CAST(wide, a, ll_f16, LL_TWIDDLED(ll_s4, ORDER));
 */
#define LL_CAST(b, a, TO, FROM) ll_ptx_cast_<TO, FROM>(b, a)
#define LL_TWIDDLED(FROM, ORDER)                                            \
    decltype(ll_ptx_in_order_<FROM, LL_TYPE_(ORDER)>())

#endif

#endif
