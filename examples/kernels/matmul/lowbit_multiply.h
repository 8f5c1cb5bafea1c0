/* lowbit_multiply.h - how are weights unpacked while the tensor cores multiply?
 * SPDX-License-Identifier: MIT
 *
 * A warpgroup unpacks a step of DEPTH to operand A, in registers, while wgmma
 * multiplies the previous one.
 */
#ifndef LL_LOWBIT_MULTIPLY_H
#define LL_LOWBIT_MULTIPLY_H

#include "lowbit_tiles.h"
#include "lowbit_unpack.h"

namespace ll_kernels {

/* Tells the producer that this warp has read a stage. */
template <class T>
static __device__ void release_stage(unsigned smem, unsigned stage) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ll_ptx_mbarrier_arrive(smem + T::EMPTY + 8 * stage);
    }
}

/* sum += a b for a slice; sum = a b if `more` is 0. */
template <unsigned TOKENS>
static __device__ void multiply_slice(float *sum, const unsigned *a,
                                      unsigned long long b, unsigned more) {
    if constexpr (IS_E4M3) {
        ll_ptx_wgmma_f32_e4m3_ra<TOKENS>(sum, a, b, more);
    } else if constexpr (IS_F16) {
        ll_ptx_wgmma_f32_f16_ra<TOKENS>(sum, a, b, more);
    } else {
        ll_ptx_wgmma_f32_bf16_ra<TOKENS>(sum, a, b, more);
    }
}

/* Computes the accumulators of a warpgroup from `stages` stages. A stage is
 * released when no wgmma reads it any more. */
template <format F, class T>
static __device__ void multiply_tile(float (&sum)[T::TOKENS / 2], unsigned smem,
                                     unsigned worker, unsigned stages,
                                     ring_position<T> &p) {
    const unsigned thread = threadIdx.x % 128;
    unsigned a[T::WORKER_STEPS][WORDS_A], previous = 0;
    for (unsigned n = 0; n < stages; ++n) {
        const unsigned stage = smem + T::STAGE * p.stage;
        const unsigned first =
            T::SHARES > 1 ? worker / T::PANELS * T::WORKER_STEPS : 0;
        const unsigned x = stage + first * T::BYTES_X;
        const unsigned w = stage + T::STEPS * T::BYTES_X +
                           worker % T::PANELS * T::BYTES_W +
                           first * T::BYTES_TILE;
        ll_ptx_mbarrier_wait(smem + T::FULL + 8 * p.stage, p.parity);
        LL_UNROLL
        for (unsigned u = 0; u < T::WORKER_STEPS; ++u) {
            const unsigned from = w + u * T::BYTES_TILE;
            const unsigned long long desc =
                T::DESC + ((x + u * T::BYTES_X) >> 4);
            if (IS_E4M3 && F == fp8) { /* the words are operand A: wait early */
                ll_ptx_wgmma_wait_group<T::WORKER_STEPS - 1>();
            }
            const ll_words words = load_elements<F>(
                from + thread / 32 * T::BYTES_WARP, thread % 32);
            const ll_words scales =
                load_scales<F>(from + element_bytes(F), thread / 4);
            ll_ptx_wgmma_wait_group<T::WORKER_STEPS - 1>();
            unpack_tile<F>(a[u], words, scales);
            ll_ptx_wgmma_fence();
            LL_UNROLL
            for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
                multiply_slice<T::TOKENS>(sum, a[u] + 4 * s,
                                          desc + (s * T::NEXT_K >> 4),
                                          u + s ? 1 : n);
            }
            ll_ptx_wgmma_commit_group();
        }
        if (n) { /* its products ended before these steps were unpacked */
            release_stage<T>(smem, previous);
        }
        previous = p.stage;
        p.next();
    }
    ll_ptx_wgmma_wait_group<0>();
    release_stage<T>(smem, previous);
}

} // namespace ll_kernels

#endif
