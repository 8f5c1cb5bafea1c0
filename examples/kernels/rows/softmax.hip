/* softmax.hip - how does a row stay in registers, on AMD and on NVIDIA?
 * SPDX-License-Identifier: MIT
 *
 * A softmax needs the largest element of a row and the sum of all exponentials
 * before it can write the first result. Each row is read once, by a block that
 * keeps it in registers, 16 bytes to an access. A thread makes a pair of its
 * own elements, the largest one and the sum relative to it, and one LL_REDUCE
 * combines all pairs: within 16 lanes by DPP, beyond them by permlane swaps
 * (gfx950), permlanes (RDNA) or LDS permutes, and from warp to warp through
 * LDS. The kernel names a layout and an operation; which instructions that are
 * is the target's business, also whether a warp has 64 lanes or 32.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/rows/softmax.hip
 *        nvcc -x cu -std=c++17 -O3 -arch=sm_90 -I. ..
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 */
#include "../hip.h"

constexpr float LOG2E = 1.44269504f, LN2 = 0.693147181f, LEAST = -1e38f;

struct peak {
    float most, sum; /* of e^(x - most) */
};

/* Has the same bits for (x, y) and (y, x), as all lanes need the same. */
struct merge {
    __device__ peak operator()(peak x, peak y) const {
        const bool first = x.most > y.most;
        const peak high = first ? x : y, low = first ? y : x;
        const float less = power((low.most - high.most) * LOG2E);
        return {high.most, high.sum + low.sum * less};
    }
};

/* Row number blockIdx.x of dst becomes the softmax of that of src, or its
 * logarithm. A row has n elements, whole lines of 16 bytes, at most EACH of
 * each thread; WHOLE: as many. */
template <class T, unsigned EACH, unsigned THREADS, bool LOG, bool WHOLE>
__global__ void __launch_bounds__(THREADS)
    softmax(T *dst, const T *src, unsigned n) {
    LL_LAYOUT(ROW, row_of(sizeof(T), EACH, THREADS));
    LL_LAYOUT(PAIRS, row_of(sizeof(peak), 1, THREADS));
    LL_REDUCE_PLAN(ALL, PAIRS, LL_J, 8 * sizeof(peak), TARGET);
    __shared__ ALIGNED unsigned char smem[LL_SMEM_BYTES(ALL)];
    const size_t at = (size_t)blockIdx.x * n;
    const unsigned cols = WHOLE ? EACH * THREADS : n;
    peak own[1] = {{LEAST, 0}}, all[1];
    T a[EACH];
    LL_LOAD(a, ROW, src + at, 0, 1, cols);
    LL_EACH(r, ROW) {
        a[r] = LL_AT(ROW, LL_J, r) < cols ? a[r] : (T)-INFINITY;
        own->most = (float)a[r] > own->most ? (float)a[r] : own->most;
    }
    LL_EACH(r, ROW) {
        own->sum += power(((float)a[r] - own->most) * LOG2E);
    }
    LL_REDUCE(all, own, ALL, smem, merge());
    const float down = all->most * LOG2E + logarithm(all->sum);
    LL_EACH(r, ROW) {
        const float x = (float)a[r];
        a[r] = (T)(LOG ? x - down * LN2 : power(x * LOG2E - down));
    }
    LL_STORE(a, ROW, dst + at, 0, 1, cols);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class T, unsigned EACH, unsigned THREADS, bool LOG>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, -10, 10);
    table<T> dst(rows, n);
    unsigned wrong = 0;
    if (n == EACH * THREADS) {
        softmax<T, EACH, THREADS, LOG, true>
            <<<rows, THREADS>>>(dst.device, src.device, n);
    } else {
        softmax<T, EACH, THREADS, LOG, false>
            <<<rows, THREADS>>>(dst.device, src.device, n);
    }
    MUST(cudaGetLastError());
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        wrong += wrong_in_row(dst, i, softmax_by_hand(src, i, LOG),
                              sizeof(T) == 4 ? 2e-6 : 5e-3, 1e-7);
    }
    printf("%2u bits, %s of %u rows of %u elements: %u wrong\n",
           8 * (unsigned)sizeof(T), LOG ? "log-softmax" : "softmax", rows, n,
           wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<float, 4, 256, false>(3, 1024);
    wrong += check<float, 4, 256, true>(3, 1000);
    wrong += check<bf16, 16, 256, false>(2, 4096);
    wrong += check<f16, 32, 256, true>(2, 6008);
    return verdict(wrong + check<f16, 64, 512, false>(1, 32768));
}

#endif
