/* cumsum.hip - what layout does a running sum want, and how does it get it?
 * SPDX-License-Identifier: MIT
 *
 * A lane that has elements side by side adds them up without asking anybody,
 * and passes one number on. Memory wants the opposite: lanes side by side, 16
 * bytes each. A block loads a row as memory wants it, and one plan brings each
 * lane its own run of elements; LL_SCAN makes the running sums there, over
 * registers, then lanes (DPP), then warps (LDS); a second plan brings them
 * back.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/rows/cumsum.hip
 *        nvcc -x cu -std=c++17 -O3 -arch=sm_90 -I. ..
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 */
#include "../hip.h"

/* A row. Each thread holds `each` adjacent elements of it. */
LL_FN ll_layout runs_of(unsigned each, unsigned threads) {
    ll_layout a = ll_mul(ll_identity(each, LL_REGISTER, LL_J),
                         ll_identity(LANES, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(threads / LANES, LL_WARP, LL_J));
    return ll_mul(a, ll_identity(1, LL_WARP, LL_I));
}

/* Row number blockIdx.x of dst becomes the running sums of that of src. A row
 * has n elements, a multiple of 4, at most EACH of each thread. */
template <unsigned EACH, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    cumsum(float *dst, const float *src, unsigned n) {
    LL_LAYOUT(ROW, row_of(4, EACH, THREADS));
    LL_LAYOUT(RUNS, runs_of(EACH, THREADS));
    LL_PLAN(THERE, ROW, RUNS, 32, TARGET);
    LL_PLAN(BACK, RUNS, ROW, 32, TARGET);
    LL_SCAN_PLAN(SUMS, RUNS, LL_J, 32, TARGET);
    LL_EXPECT_NO_CONFLICTS(THERE);
    LL_EXPECT_NO_CONFLICTS(BACK);
    __shared__ ALIGNED unsigned char smem[LL_SMEM_BYTES(THERE)];
    __shared__ ALIGNED unsigned char of_warps[LL_SMEM_BYTES(SUMS)];
    static_assert(LL_SMEM_BYTES(BACK) <= sizeof smem, "the way back fits");
    const size_t at = (size_t)blockIdx.x * n;
    float a[EACH], b[EACH];
    LL_LOAD(a, ROW, src + at, 0, 1, n);
    LL_CONVERT(b, a, THERE, smem);
    LL_SCAN(a, b, SUMS, of_warps, ll_add());
    LL_CONVERT(b, a, BACK, smem); /* the scan has waited for the block */
    LL_STORE(b, ROW, dst + at, 0, 1, n);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many sums are wrong. */
template <unsigned EACH, unsigned THREADS>
unsigned check(unsigned rows, unsigned n) {
    const table<float> src(rows, n, 1, -1, 1);
    table<float> dst(rows, n);
    unsigned wrong = 0;
    cumsum<EACH, THREADS><<<rows, THREADS>>>(dst.device, src.device, n);
    MUST(cudaGetLastError());
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        double sum = 0, most = 1;
        for (unsigned j = 0; j < n; ++j) {
            sum += src.at(i, j);
            most = fmax(most, fabs(sum));
            wrong += !(fabs(dst.at(i, j) - sum) <= 2e-6 * most);
        }
    }
    printf("%u rows of %u: %u wrong\n", rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<4, 256>(3, 1024) + check<16, 256>(2, 4000);
    return verdict(wrong + check<16, 512>(2, 8192));
}

#endif
