/* 14_epilogue.cu - how does a GEMM epilogue store its accumulators with
 * coalesced writes?
 * SPDX-License-Identifier: MIT
 *
 * After mma.sync, a lane's accumulators are pairs of neighbours of a row, 4
 * bytes of f16. One store of a warp reaches eight rows, 16 bytes of each: half
 * of a 32-byte sector, the unit in which memory is written. So an epilogue
 * first converts the accumulators to rows, 16 bytes per lane. ll_global_of
 * counts the sectors of either form, and the plan says what the conversion
 * costs.
 *
 * A bias, one number per column, is added before: LL_AT says which column a
 * register holds. The shared memory of the operands is free after the main
 * loop, so a real kernel passes that as smem.
 *
 * Build:
 *     tools/emulator/emucc -I. examples/lessons/14_epilogue.cu -o 14_epilogue
 *     or nvcc -std=c++17 -arch=sm_90 -I. examples/lessons/14_epilogue.cu
 * Output:
 *     Stored as they are: 64 stores of 4 bytes, each touches 8 sectors
 *     Stored as rows: 16 stores of 16 bytes, each touches 16 sectors
 *     Between: data goes through shared memory, 32768 bytes, about 132 cycles per warp
 *       1. each lane stores 128 elements to shared memory in 16 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       2. __syncthreads()
 *       3. each lane loads 128 elements from shared memory in 16 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       memory offset: j0 i3 i6 j1 j2 i0 j6 i5 i4 i2 i1 j1^j3 j2^j4 j5^i0
 *       optimal: no shared-memory layout needs fewer wavefronts for vector accesses
 *     0 wrong
 */
#include "../kernels/check.h"
#include "ll_ptx.h"
#include <cuda_fp16.h>

enum : unsigned { M = 128, N = 128 };

LL_LAYOUT(SUMS, ll_ptx_mma_c(M, N, 4));
LL_LAYOUT(ROWS, LL_ROWS(.rows = M, .cols = N, .bytes = 2, .warps = 4));
LL_PLAN(OUT, SUMS, ROWS, 16, LL_SM80);
LL_EXPECT_NO_CONFLICTS(OUT);

__global__ void epilogue(__half *dst, const __half *bias) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(OUT)];
    unsigned sums[LL_WORDS(SUMS, 16)], rows[LL_WORDS(ROWS, 16)];
    LL_EACH(r, SUMS) { /* what a GEMM would leave: i - j; plus the bias */
        const unsigned i = LL_AT(SUMS, LL_I, r), j = LL_AT(SUMS, LL_J, r);
        const __half x = __hadd(__float2half((float)i - (float)j), bias[j]);
        const unsigned bits = __half_as_ushort(x);
        sums[r / 2] = r % 2 ? sums[r / 2] | bits << 16 : bits;
    }
    LL_CONVERT(rows, sums, OUT, smem);
    LL_STORE(rows, ROWS, dst, N);
}

static void show(const char *what, ll_layout a) {
    const ll_global g = ll_global_of(a, 16, 16, LL_SM80);
    printf("%s: %u stores of %u bytes, each touches %u sectors\n", what, g.count,
           g.bytes, g.sectors);
}

int main() {
    static char text[2000];
    show("Stored as they are", LL_GET(SUMS));
    show("Stored as rows", LL_GET(ROWS));
    ll_explain(LL_GET(OUT), text, sizeof text);
    printf("Between: %s", text);

    enum { SIZE = M * N };
    static __half bias[N], have[SIZE];
    __half *dst, *on_gpu;
    unsigned wrong = 0;
    for (unsigned j = 0; j < N; ++j) {
        bias[j] = __float2half((float)(j % 7));
    }
    MUST(cudaMalloc((void **)&dst, sizeof have));
    MUST(cudaMalloc((void **)&on_gpu, sizeof bias));
    MUST(cudaMemcpy(on_gpu, bias, sizeof bias, cudaMemcpyHostToDevice));
    epilogue<<<1, LL_THREADS(SUMS)>>>(dst, on_gpu);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(have, dst, sizeof have, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < SIZE; ++k) {
        wrong += __half2float(have[k]) !=
                 (float)(k / N) - (float)(k % N) + (float)(k % N % 7);
    }
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
