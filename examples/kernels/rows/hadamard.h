/* hadamard.h - Hadamard transforms of what the lanes of a warp hold.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_HADAMARD_H
#define LL_HADAMARD_H

#ifndef LL_MATRIX
#define LL_MATRIX
#endif
#include "rows.h"

namespace ll_kernels {

/* Adds one to *count and sets *was to its old value. Without a counter, adds
 * the number of blocks to *was. Inline PTX, because the compiler would copy the
 * result, and wait for it, and would combine increments of several lanes. */
__device__ inline void add_one(unsigned *was, unsigned *count) {
#if LL_EMULATE
    *was = count ? atomicAdd(count, 1u) : *was + gridDim.x;
#else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u64 p, %1, 0;\n\t"
                 "@p atom.global.inc.u32 %0, [%1], 0x7fffffff;\n\t"
                 "@!p add.u32 %0, %0, %2;\n\t}"
                 : "+r"(*was)
                 : "l"(count), "r"(gridDim.x)
                 : "memory");
#endif
}

/* Adds and subtracts for each of these bits of the register. */
template <unsigned BITS, unsigned N>
__device__ void butterflies(float (&a)[N]) {
    LL_UNROLL
    for (unsigned bit = 1; bit < N; bit *= 2) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            if (BITS & bit && !(r & bit)) {
                const float x = a[r], y = a[r | bit];
                a[r] = x + y, a[r | bit] = x - y;
            }
        }
    }
}

/* c += h b. h is the lane's part of the signs, times 1: that of row i and
 * column j is the parity of i & j. */
template <class ELEMENT>
__device__ void add_product(float *c, const unsigned *b) {
    constexpr bool is_half = std::is_same<ELEMENT, f16>::value;
    const unsigned i = threadIdx.x % 32 / 4, j = threadIdx.x % 4 * 2;
    const unsigned low = __popc(i & j) << 15, high = __popc(i & (j + 1)) << 31;
    const unsigned w =
        (is_half ? 0x3c003c00u : 0x3f803f80u) | (low & 0x8000u) | high;
    const unsigned h[4] = {w, w, w, w ^ 0x80008000u}; /* bit 3 of i and of j */
    is_half ? ll_ptx_mma_m16n8k16_f32_f16(c, h, b)
            : ll_ptx_mma_m16n8k16_f32_bf16(c, h, b);
}

/* The bits of lanes and bits 0 to 2 of the register. */
template <class ELEMENT, unsigned N>
__device__ void mix_lanes(float (&a)[N], const unsigned (&words)[N / 2]) {
    memset(a, 0, sizeof a);
    LL_UNROLL
    for (unsigned r = 0; r < N; r += 4) {
        add_product<ELEMENT>(a + r, words + r / 2);
    }
    LL_UNROLL
    for (unsigned r = 0; r < N; r += r % 4 ? 6 : 2) {
        const float x[4] = {a[r], a[r + 1], a[r + 4], a[r + 5]};
        float sum[4] = {};
        unsigned high[2], low[2];
        put_numbers<bf16>(high, [&](unsigned k) { return x[k]; });
        put_numbers<bf16>(
            low, [&](unsigned k) { return x[k] - number<bf16>(high, k); });
        add_product<bf16>(sum, low);
        add_product<bf16>(sum, high);
        a[r] = sum[0], a[r + 1] = sum[1], a[r + 4] = sum[2], a[r + 5] = sum[3];
    }
}

} // namespace ll_kernels

#endif
