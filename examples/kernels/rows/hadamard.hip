/* hadamard.hip - how do lanes and warps add and subtract in pairs?
 * SPDX-License-Identifier: MIT
 *
 * A Hadamard transform of 2^k numbers adds and subtracts pairs that differ in
 * one bit of their index, for each of the k bits. The layout says where such a
 * pair is, and each bit is taken the cheapest way:
 *   - bits of the register: the pair is in one lane;
 *   - bits of the lane: the same layout with that bit flipped (ll_flip) is what
 *     the other lane of each pair has. A plan brings it without shared memory:
 *     by DPP where lanes are among 16, beyond them as the target can;
 *   - bits of the warp: LL_CONVERT to a layout in which they are bits of the
 *     register, through LDS, once for all of them. From there rows are stored.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/rows/hadamard.hip
 *        nvcc -x cu -std=c++17 -O3 -arch=sm_90 -I. ..
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 */
#include "../hip.h"

/* row_of(2, each, threads), after which bits of registers and of warps have
 * changed places. */
LL_FN ll_layout last_of(unsigned each, unsigned threads) {
    ll_layout a = ll_mul(ll_identity(8, LL_REGISTER, LL_J),
                         ll_identity(LANES, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(threads / LANES, LL_WARP, LL_J));
    a = ll_mul(a, ll_identity(each / 8, LL_REGISTER, LL_J));
    return ll_mul(a, ll_identity(1, LL_WARP, LL_I));
}

/* Adds and subtracts for each bit of the register from `bit` on. */
template <unsigned EACH>
__device__ void mix_registers(float (&a)[EACH], unsigned bit) {
    LL_UNROLL
    for (; bit < EACH; bit *= 2) {
        LL_UNROLL
        for (unsigned r = 0; r < EACH; ++r) {
            if (!(r & bit)) {
                const float x = a[r], y = a[r | bit];
                a[r] = x + y, a[r | bit] = x - y;
            }
        }
    }
}

/* The same for each bit of the lane: index bits BIT to 2 + log2(LANES). */
template <unsigned THREADS, unsigned BIT, unsigned EACH>
__device__ void mix_lanes(float (&a)[EACH]) {
    if constexpr (8 * LANES >> BIT > 1) {
        LL_LAYOUT(ROW, row_of(2, EACH, THREADS));
        LL_LAYOUT(FLIPPED, ll_flip(LL_GET(ROW), LL_J, 1u << BIT));
        LL_PLAN(FLIP, ROW, FLIPPED, 32, TARGET);
        LL_EXPECT_KIND(FLIP, LL_SHUFFLES);
        const float sign = LL_AT(ROW, LL_J, 0) >> BIT & 1 ? -1.0f : 1.0f;
        float b[EACH];
        LL_CONVERT(b, a, FLIP, (unsigned char *)nullptr);
        LL_EACH(r, ROW) { a[r] = a[r] * sign + b[r]; }
        mix_lanes<THREADS, BIT + 1>(a);
    }
}

/* Row number blockIdx.x of dst becomes the Hadamard transform of that of src,
 * times `scale`: of EACH x THREADS numbers. */
template <class T, unsigned EACH, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    hadamard(T *dst, const T *src, float scale) {
    LL_LAYOUT(ROW, row_of(sizeof(T), EACH, THREADS));
    LL_LAYOUT(LAST, last_of(EACH, THREADS));
    LL_PLAN(TRIP, ROW, LAST, 32, TARGET);
    LL_EXPECT_NO_CONFLICTS(TRIP);
    static_assert(EACH / 8 >= THREADS / LANES, "bits of warps find room");
    __shared__ ALIGNED unsigned char smem[LL_SMEM_BYTES(TRIP)];
    const size_t at = (size_t)blockIdx.x * EACH * THREADS;
    float a[EACH], b[EACH];
    T x[EACH];
    LL_LOAD(x, ROW, src + at, 0);
    LL_EACH(r, ROW) { a[r] = (float)x[r]; }
    mix_registers(a, 1);
    mix_lanes<THREADS, 3>(a);
    LL_CONVERT(b, a, TRIP, smem);
    mix_registers(b, EACH / (THREADS / LANES));
    LL_EACH(r, LAST) { x[r] = (T)(b[r] * scale); }
    LL_STORE(x, LAST, dst + at, 0);
}

#ifndef LL_NO_MAIN

template <class T, unsigned EACH, unsigned THREADS>
unsigned check(unsigned rows) {
    const unsigned n = EACH * THREADS;
    const table<T> src(rows, n, n, -1, 1);
    table<T> dst(rows, n);
    numbers x(n);
    unsigned wrong = 0;
    hadamard<T, EACH, THREADS><<<rows, THREADS>>>(dst.device, src.device,
                                                  0.125f);
    MUST(cudaGetLastError());
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            x[j] = src.at(i, j) / 8;
        }
        hadamard_by_hand(x);
        wrong += wrong_in_row(dst, i, x, 5e-3, 1e-4);
    }
    printf("%u rows of %u: %u wrong\n", rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<f16, 16, 64>(3);
    wrong += check<f16, 32, 128>(2) + check<bf16, 64, 128>(1);
#ifndef LL_PTX_H /* 64 KiB of LDS */
    wrong += check<f16, 64, 256>(1);
#endif
    return verdict(wrong);
}

#endif
