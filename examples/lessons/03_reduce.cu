/* 03_reduce.cu - how does a thread block reduce or scan a tile?
 * SPDX-License-Identifier: MIT
 *
 * Two warps hold a 32 x 32 tile as mma.sync leaves its accumulator. The first
 * kernel sums each column. A reduction first combines the registers of a lane,
 * then lanes by shuffles, then warps through shared memory. If the layout holds
 * copies of an element, each element counts once, and all copies of a result
 * have the same bits.
 *
 * The second kernel scans each column: element i becomes the sum of rows 0 to
 * i. A scan keeps the order of the elements, so the operation need not commute.
 * LL_SCAN_BEFORE leaves out row i itself (an exclusive scan).
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/lessons/03_reduce.cu -o 03_reduce
 *        tools/emulator/emucc -I. examples/lessons/03_reduce.cu -o 03_reduce
 * Output:
 *     The tile
 *       register: j0 i3 j3 j4 | lane: j1 j2 i0 i1 i2 | warp: i4
 *     The sums; 0 is a column of copies
 *       register: i0 i3 i4 | lane: i1 i2 0 0 0 | warp: 0
 *     To reduce: 16 registers are reduced to 8, about 52 cycles per warp
 *       each lane combines 16 registers into 8
 *       7 exchanges combine the registers of 8 lanes
 *       between warps: data goes through shared memory, 256 bytes, about 21 cycles per warp
 *       1. each lane stores 1 element to shared memory in 1 access of 4 bytes, 1 wavefront: no bank conflicts
 *       2. __syncthreads()
 *       3. each lane loads 16 elements from shared memory in 4 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       memory offset: j0 j3 j1 j2 j4 i4
 *       optimal: no shared-memory layout needs fewer wavefronts for vector accesses
 *       each lane combines 16 registers into 8
 *     To scan: 16 registers, about 301 cycles per warp
 *       each lane scans 8 lines of 2 registers
 *       48 exchanges combine the totals of 8 lanes
 *       between warps: data goes through shared memory, 256 bytes, about 28 cycles per warp
 *       1. each lane stores 8 elements to shared memory in 2 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       2. __syncthreads()
 *       3. each lane loads 16 elements from shared memory in 4 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       memory offset: j0 j3 j1 j2 i4 j4
 *       optimal: no shared-memory layout needs fewer wavefronts for vector accesses
 *       each lane combines 2 totals per line
 *     0 wrong sums, 0 wrong elements of the scan
 */
#include "../kernels/check.h"
#include "ll_ptx.h"

enum { N = 32 };

LL_LAYOUT(TILE, ll_ptx_mma_c(N, N, 2));
LL_LAYOUT(SUMS, ll_reduce(LL_GET(TILE), LL_I)); /* the axis j is now i */
LL_REDUCE_PLAN(DOWN, TILE, LL_I, 32, LL_SM90);  /* element bits, target */
LL_SCAN_PLAN(SO_FAR, TILE, LL_I, 32, LL_SM90);

__global__ void column_sums(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(DOWN)];
    float a[LL_REGS(TILE)], b[LL_REGS(SUMS)];
    LL_LOAD(a, TILE, src, N);
    LL_REDUCE(b, a, DOWN, smem, ll_add());
    LL_STORE(b, SUMS, dst, 0);
}

__global__ void running_sums(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SO_FAR)];
    float a[LL_REGS(TILE)], b[LL_REGS(TILE)];
    LL_LOAD(a, TILE, src, N);
    LL_SCAN(b, a, SO_FAR, smem, ll_add());
    LL_STORE(b, TILE, dst, N);
}

int main(void) {
    static float src[N][N], sums[N], scan[N][N];
    static char text[2000];
    float *a, *b;
    int wrong_sums = 0, wrong_scan = 0;
    for (int k = 0; k < N * N; ++k) {
        src[k / N][k % N] = (float)(k % 127);
    }
    MUST(cudaMalloc((void **)&a, sizeof src));
    MUST(cudaMalloc((void **)&b, sizeof scan));
    MUST(cudaMemcpy(a, src, sizeof src, cudaMemcpyHostToDevice));
    column_sums<<<1, LL_THREADS(TILE)>>>(b, a);
    MUST(cudaMemcpy(sums, b, sizeof sums, cudaMemcpyDeviceToHost));
    running_sums<<<1, LL_THREADS(TILE)>>>(b, a);
    MUST(cudaMemcpy(scan, b, sizeof scan, cudaMemcpyDeviceToHost));
    for (int j = 0; j < N; ++j) {
        float sum = 0;
        for (int i = 0; i < N; ++i) {
            sum += src[i][j];
            wrong_scan += scan[i][j] != sum;
        }
        wrong_sums += sums[j] != sum;
    }
    ll_str(LL_GET(TILE), text, sizeof text);
    printf("The tile\n  %s\n", text);
    ll_str(LL_GET(SUMS), text, sizeof text);
    printf("The sums; 0 is a column of copies\n  %s\n", text);
    ll_explain_reduce(LL_GET(DOWN), text, sizeof text);
    printf("To reduce: %s", text);
    ll_explain_scan(LL_GET(SO_FAR), text, sizeof text);
    printf("To scan: %s", text);
    printf("%d wrong sums, %d wrong elements of the scan\n", wrong_sums,
           wrong_scan);
    return wrong_sums + wrong_scan != 0;
}
