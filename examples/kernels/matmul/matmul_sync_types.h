/* matmul_sync_types.h - the types of a GEMM by mma.sync: operands of any two
 * types, the type that both are multiplied in, and the accumulators
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_SYNC_TYPES_H
#define LL_MATMUL_SYNC_TYPES_H

#include "matmul_types.h"
#include <type_traits>

namespace ll_kernels {

/* Returns whether every number of type t is a number of type `wide`. */
LL_FN bool holds(dtype wide, dtype t) {
    const bool small = t == dtype::s8 || t == dtype::e4m3 || t == dtype::e5m2;
    return wide == dtype::f64 || t == wide || (small && wide != dtype::s8) ||
           (wide == dtype::f32 && (t == dtype::f16 || t == dtype::bf16));
}

/* Returns the type with the cheapest instruction that holds all numbers of both
 * types; f32 stands for tf32. */
LL_FN dtype common_type(dtype a, dtype b) {
    const dtype f16 = dtype::f16, bf16 = dtype::bf16, f32 = dtype::f32;
    return a == dtype::s8 && b == dtype::s8   ? a
           : holds(f16, a) && holds(f16, b)   ? f16
           : holds(bf16, a) && holds(bf16, b) ? bf16
           : a != f32 && b != f32 && holds(f32, a) && holds(f32, b)
               ? f32
               : dtype::f64;
}

/* The unsigned integer of a number of bits, as which LL_LOAD moves elements. */
template <unsigned BITS> struct bits_type { typedef unsigned long long type; };
template <> struct bits_type<8> { typedef unsigned char type; };
template <> struct bits_type<16> { typedef unsigned short type; };
template <> struct bits_type<32> { typedef unsigned type; };

/* The types of C = A B and the orders of its operands.
 *   A, B            types of the operands in memory
 *   C               f32, or f16 for accumulators of f16
 *   COLUMNS_A, _B   whether the operand is stored by columns */
template <dtype A, dtype B, dtype C, bool COLUMNS_A, bool COLUMNS_B>
struct sync_types {
    static constexpr dtype TYPE_OF_A = A, TYPE_OF_B = B;
    static constexpr dtype WIDE = common_type(A, B); /* of the instruction */
    static constexpr dtype RESULT = WIDE == dtype::s8    ? dtype::s32
                                    : WIDE == dtype::f64 ? dtype::f64
                                    : WIDE == dtype::f16 && C == dtype::f16
                                        ? dtype::f16
                                        : dtype::f32;
    static_assert(C == dtype::f32 || C == RESULT,
                  "only products of f16 have accumulators of f16");
    static constexpr bool A_BY_COLUMNS = COLUMNS_A, B_BY_COLUMNS = COLUMNS_B;

    enum : unsigned {
        BITS_A = bits_of(A),
        BITS_B = bits_of(B),
        BITS = bits_of(WIDE),
        MMA_M = BITS == 64 ? 8 : 16, /* rows of one instruction */
        MMA_K = 256 / BITS           /* k of one instruction */
    };

    /* An element of A and of B in memory. */
    typedef typename bits_type<BITS_A>::type element_a;
    typedef typename bits_type<BITS_B>::type element_b;

    /* A register of an operand, a register of the accumulators (with two f16),
     * and an element of C in memory. */
    typedef std::conditional_t<WIDE == dtype::f64, double, unsigned> word;
    typedef std::conditional_t<
        WIDE == dtype::s8, int,
        std::conditional_t<WIDE == dtype::f64, double, float>>
        wide_result;
    typedef std::conditional_t<RESULT == dtype::f16, unsigned, wide_result>
        accumulator;
    typedef std::conditional_t<RESULT == dtype::f16, unsigned short,
                               wide_result>
        result;
};

} // namespace ll_kernels

#endif
