/* ---- Conversions of numbers in another order -------------------------- */
#ifndef LL_PTX_CAST_ORDER_H
#define LL_PTX_CAST_ORDER_H

#include "../ll/kernel/convert.h"
#include "instructions/lanes.h"
#include "instructions/convert.h"
#include "twiddle.h"

#ifdef LL_PTX_DEVICE_

/* The types of LL_CAST. */
typedef struct ll_s4 ll_s4;
typedef struct ll_u4 ll_u4;
typedef struct ll_s8 ll_s8;
typedef struct ll_u8 ll_u8;
typedef struct ll_e2m1 ll_e2m1;
typedef struct ll_e2m3 ll_e2m3;
typedef struct ll_e3m2 ll_e3m2;
typedef struct ll_e4m3 ll_e4m3;
typedef struct ll_e5m2 ll_e5m2;
typedef struct ll_f16 ll_f16;
typedef struct ll_bf16 ll_bf16;
typedef struct ll_f32 ll_f32;
typedef struct ll_f64 ll_f64;

/* Private: the bits that a number takes; 8 for 6-bit types, 0 for a type that
 * LL_CAST does not convert from. */
template <class T_> struct ll_ptx_bits_of_ { enum : unsigned { value = 0 }; };
template <> struct ll_ptx_bits_of_<ll_s4> { enum : unsigned { value = 4 }; };
template <> struct ll_ptx_bits_of_<ll_u4> { enum : unsigned { value = 4 }; };
template <> struct ll_ptx_bits_of_<ll_e2m1> { enum : unsigned { value = 4 }; };
template <> struct ll_ptx_bits_of_<ll_s8> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_u8> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e2m3> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e3m2> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e4m3> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e5m2> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_f16> { enum : unsigned { value = 16 }; };
template <> struct ll_ptx_bits_of_<ll_bf16> { enum : unsigned { value = 16 }; };
template <> struct ll_ptx_bits_of_<ll_f32> { enum : unsigned { value = 32 }; };

/* Private: numbers FROM_ in words of storage ORDER_, and what FROM_ says. */
template <class FROM_, class ORDER_> struct ll_ptx_in_order_ {};
template <class FROM_, class ORDER_>
struct ll_ptx_bits_of_<ll_ptx_in_order_<FROM_, ORDER_>> {
    enum : unsigned { value = ll_ptx_bits_of_<FROM_>::value };
};
template <class FROM_> struct ll_ptx_order_in_ { enum : bool { is = false }; };
template <class FROM_, class ORDER_>
struct ll_ptx_order_in_<ll_ptx_in_order_<FROM_, ORDER_>> {
    enum : bool { is = true };
    typedef FROM_ from;
    typedef ORDER_ order;
};

/* Private: whether LL_CAST converts these types from words in an order. */
template <class TO_, class FROM_> struct ll_ptx_ordered_types_ {
    enum : bool {
        s4 = ll_is_same_<FROM_, ll_s4>::value,
        u4 = ll_is_same_<FROM_, ll_u4>::value,
        wide = ll_is_same_<TO_, ll_f16>::value ||
               ll_is_same_<TO_, ll_bf16>::value,
        value = (wide && (s4 || u4 || ll_is_same_<FROM_, ll_e2m1>::value)) ||
                (ll_is_same_<TO_, ll_s8>::value && (s4 || u4)) ||
                (ll_is_same_<TO_, ll_u8>::value && u4)
    };
};

/* Private: how to unpack a word of storage ORDER_ into numbers TO_. The integer
 * may start above bit 0 of a mantissa, but not of a byte. */
template <class TO_, class ORDER_> LL_FN ll_ptx_twiddle ll_ptx_order_of_() {
    return ll_ptx_untwiddle(LL_GET(ORDER_), ll_ptx_bits_of_<TO_>::value,
                            ll_is_same_<TO_, ll_f16>::value    ? 10u
                            : ll_is_same_<TO_, ll_bf16>::value ? 7u
                                                               : 4u);
}

/* Private: asserts that LL_CAST can read words of storage ORDER_. */
template <class TO_, class FROM_, class ORDER_>
LL_FN bool ll_ptx_order_is_good_() {
    LL_WANTS_CONSTANT_(ORDER_, ll_layout,
                        "LL_TWIDDLED takes the name of a layout of LL_LAYOUT");
    constexpr bool types = ll_ptx_ordered_types_<TO_, FROM_>::value;
    static_assert(types,
                  "ll: LL_CAST: from LL_TWIDDLED numbers, FROM must be ll_s4, "
                  "ll_u4 or ll_e2m1 and TO ll_f16 or ll_bf16, or FROM ll_s4 "
                  "and TO ll_s8, or FROM ll_u4 and TO ll_s8 or ll_u8");
    if constexpr (types && ll_constant_is_good_<ORDER_, ll_layout>()) {
        constexpr ll_ptx_twiddle t = ll_ptx_order_of_<TO_, ORDER_>();
        constexpr bool good =
            !t.err && t.words * 4u == ll_ptx_bits_of_<TO_>::value;
        static_assert(good,
                      "ll: LL_CAST: the order must be one that a shift and a "
                      "mask unpack, as that of ll_ptx_twiddled(4, 16, 10) for "
                      "16 bits, or (4, 8, 8) for 8 bits");
        return good;
    } else {
        return false;
    }
}

/* Private: returns x moved down by S_ bits, or up by -S_ bits. */
template <int S_> LL_DEVICE unsigned ll_ptx_moved_(unsigned x) {
    if constexpr (S_ < 0) {
        return x << -S_;
    } else {
        return x >> S_;
    }
}

/* Private: returns two numbers as f16x2 or bf16x2. MASK_ is where integers lie
 * after a shift by SHIFT_, AT_ the lowest bit in its half. They go into the
 * mantissa of 2^MAN_, which is then subtracted. */
template <class TO_, class FROM_, int SHIFT_, unsigned MASK_, unsigned AT_>
LL_DEVICE unsigned ll_ptx_ordered_pair_(unsigned x) {
    constexpr bool half = ll_is_same_<TO_, ll_f16>::value;
    constexpr unsigned man = half ? 10u : 7u, both = 0x10001u;
    constexpr unsigned bias = half ? 15u : 127u;
    constexpr int low = SHIFT_ + (int)AT_;
    unsigned z = 0, factor = 0, minus = 0;
    if constexpr (ll_is_same_<FROM_, ll_e2m1>::value) {
        z = (ll_ptx_moved_<low - (int)man + 1>(x) & (7u << (man - 1u)) * both) |
            (ll_ptx_moved_<low - 12>(x) & 0x80008000u);
        factor = (2u * bias - 1u) << man;
        minus = 0x8000u;
    } else {
        constexpr unsigned sign = ll_is_same_<FROM_, ll_s4>::value ? 8u << AT_
                                                                   : 0u;
        z = (ll_ptx_moved_<SHIFT_>(x) & MASK_) ^
            (((bias + man) << man) | sign) * both;
        factor = (bias - AT_) << man;
        minus = 0x8000u | (bias + man - AT_) << man | sign;
    }
    return half ? ll_ptx_fma_f16x2(z, factor * both, minus * both)
                : ll_ptx_fma_bf16x2(z, factor * both, minus * both);
}

/* Private: returns word K_ of the numbers in word x of storage ORDER_. A
 * multiplication extends the signs. */
template <class TO_, class FROM_, class ORDER_, unsigned K_>
LL_DEVICE unsigned ll_ptx_ordered_word_(unsigned x) {
    constexpr ll_ptx_twiddle t = ll_ptx_order_of_<TO_, ORDER_>();
    constexpr int shift = t.shift[K_];
    constexpr unsigned mask = t.mask[K_], at = t.at[K_];
    if constexpr (ll_ptx_bits_of_<TO_>::value == 16) {
        return ll_ptx_ordered_pair_<TO_, FROM_, shift, mask, at>(x);
    } else {
        const unsigned y = ll_ptx_moved_<shift>(x) & mask;
        return ll_is_same_<FROM_, ll_u4>::value
                   ? y
                   : y | (y & 0x8080808u) * 0x1eu;
    }
}

template <class TO_, class FROM_, class ORDER_, class T_, unsigned M_, class A_,
          unsigned N_, unsigned... I_>
LL_DEVICE void ll_ptx_cast_ordered_(T_ (&b)[M_], const A_ (&a)[N_],
                                    ll_seq_<I_...>) {
    if constexpr (ll_ptx_order_is_good_<TO_, FROM_, ORDER_>()) {
        constexpr unsigned each = M_ / N_;
        ((b[I_] = ll_ptx_ordered_word_<TO_, FROM_, ORDER_, I_ % each>(
              a[I_ / each])),
         ...);
    }
}

#endif

#endif
