/* matmul_sync_multiply.h - how are operands of two types multiplied by
 * mma.sync?
 * SPDX-License-Identifier: MIT
 *
 * Elements come to registers as they are in memory. Here they are widened, word
 * by word, to the type of the instruction.
 */
#ifndef LL_MATMUL_SYNC_MULTIPLY_H
#define LL_MATMUL_SYNC_MULTIPLY_H

#include "matmul_sync_tiles.h"

namespace ll_kernels {

/* Returns element k of packed words as a double. */
template <dtype FROM>
static __device__ double as_double(const unsigned *w, unsigned k) {
    const unsigned bits = bits_of(FROM);
    const unsigned v = w[k * bits / 32] >> k * bits % 32;
    double d = 0;
    float f = 0;
    if constexpr (FROM == dtype::f64) {
        LL_MEMCPY_(&d, w + 2 * k, 8);
    } else if constexpr (FROM == dtype::s64) {
        d = (double)(long long)((unsigned long long)w[2 * k + 1] << 32 |
                                w[2 * k]);
    } else if constexpr (FROM == dtype::f32) {
        LL_MEMCPY_(&f, w + k, 4);
        d = f;
    } else {
        d = FROM == dtype::s16 ? (double)(short)v : (double)(int)v;
    }
    return d;
}

/* Converts the words of an operand from a type to the type of the
 * instruction. */
template <dtype FROM, dtype WIDE, class W, unsigned M, unsigned N>
static __device__ void widen(W (&to)[M], const unsigned (&from)[N]) {
    typedef std::conditional_t<WIDE == dtype::f16, ll_f16, ll_bf16> half;
    typedef std::conditional_t<WIDE == dtype::f64, ll_f64, half> wide;
    if constexpr (FROM == WIDE && WIDE != dtype::f64) {
        LL_UNROLL
        for (unsigned k = 0; k < M; ++k) {
            to[k] = from[k];
        }
    } else if constexpr (WIDE == dtype::f32) {
        typedef std::conditional_t<FROM == dtype::f16, ll_f16, ll_bf16> narrow;
        float f[M];
        LL_CAST(f, from, ll_f32, narrow);
        LL_UNROLL
        for (unsigned k = 0; k < M; ++k) {
            LL_MEMCPY_(&to[k], &f[k], 4);
        }
    } else if constexpr (FROM == dtype::s8) {
        LL_CAST(to, from, wide, ll_s8);
    } else if constexpr (FROM == dtype::e4m3) {
        LL_CAST(to, from, wide, ll_e4m3);
    } else if constexpr (FROM == dtype::e5m2) {
        LL_CAST(to, from, wide, ll_e5m2);
    } else if constexpr (FROM == dtype::f16) {
        LL_CAST(to, from, wide, ll_f16);
    } else if constexpr (FROM == dtype::bf16) {
        LL_CAST(to, from, wide, ll_bf16);
    } else {
        LL_UNROLL
        for (unsigned k = 0; k < M; ++k) {
            to[k] = as_double<FROM>(from, k);
        }
    }
}

/* Returns the words that `registers` elements of the instruction fill. */
template <class T> LL_FN unsigned words_of(unsigned registers) {
    return registers * T::BITS / (8 * (unsigned)sizeof(typename T::word));
}

/* `K` of k of both operands of a tile T, in the type of the instruction. */
template <class T, unsigned K> struct wide_operands {
    typedef mma_layouts<T, K> L;
    typedef typename L::A A;
    typedef typename L::B B;
    typename T::word a[words_of<T>(LL_REGS(A))], b[words_of<T>(LL_REGS(B))];
    template <unsigned N, unsigned M>
    __device__ void set(const unsigned (&raw_a)[N],
                        const unsigned (&raw_b)[M]) {
        widen<T::TYPE_OF_A, T::WIDE>(a, raw_a);
        widen<T::TYPE_OF_B, T::WIDE>(b, raw_b);
    }
};

/* The accumulators of a tile T in the registers of a lane. */
template <class T> struct tile_sums {
    typedef typename mma_layouts<T, T::MMA_K>::C C;
    static constexpr unsigned COUNT =
        T::RESULT == dtype::f16 ? +LL_WORDS(C, 16) : +LL_REGS(C);
};

/* sum += a b */
template <class T, unsigned K, unsigned N>
static __device__ void multiply(typename T::accumulator (&sum)[N],
                                const wide_operands<T, K> &operands) {
    typedef mma_layouts<T, K> L;
    typedef typename L::A A;
    typedef typename L::B B;
    typedef typename L::C C;
    const auto &a = operands.a;
    const auto &b = operands.b;
    if constexpr (T::WIDE == dtype::s8) {
        LL_MMA(sum, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_s32_s8);
    } else if constexpr (T::RESULT == dtype::f16) {
        LL_MMA(sum, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f16_f16);
    } else if constexpr (T::WIDE == dtype::f16) {
        LL_MMA(sum, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_f16);
    } else if constexpr (T::WIDE == dtype::bf16) {
        LL_MMA(sum, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    } else if constexpr (T::WIDE == dtype::f32) {
        LL_MMA(sum, C, a, A, b, B, 32, ll_ptx_mma_m16n8k8_f32_tf32);
    } else {
        LL_MMA(sum, C, a, A, b, B, 64, ll_ptx_mma_m8n8k4_f64_f64);
    }
}

} // namespace ll_kernels

#endif
