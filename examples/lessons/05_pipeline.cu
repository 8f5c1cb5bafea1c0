/* 05_pipeline.cu - how do I feed mma.sync by cp.async without bank conflicts?
 * SPDX-License-Identifier: MIT
 *
 * LL_COPY (cp.async) copies a tile from global to shared memory, without
 * registers, while the kernel computes. LL_COPIES makes a plan for that: it
 * keeps 16 bytes of a row together, as cp.async needs, and still neither the
 * copies nor the loads have bank conflicts. ldmatrix then loads the fragments
 * of operand A.
 *
 * There are two buffers. While a tile is read from one, the next tile is in
 * flight to the other. To keep the lesson short, the kernel does not multiply:
 * it counts the words of A that hold two ones.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/lessons/05_pipeline.cu -o 05_pipeline
 *     or tools/emulator/emucc -I. examples/lessons/05_pipeline.cu -o 05_pipeline
 * Output:
 *     data goes through shared memory, 8192 bytes, about 36 cycles per warp
 *       1. each lane stores 32 elements to shared memory in 4 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *          or LL_COPY, in copies of the same width
 *       2. __syncthreads()
 *       3. each lane loads 32 elements from shared memory in 4 matrix accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       memory offset: j0 j1 j2 j3 j4 j5 i5 i4 i3 j3^i0 j4^i1 j5^i2
 *     1471 pairs found, 1471 expected
 */
#include "../kernels/check.h"
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 64, 16, 4)); /* 64 x 64, 16 bits, four warps */
LL_LAYOUT(ROWS, ll_rows_for(LL_GET(A), 2)); /* who copies what; 2 bytes each */
LL_PLAN_BY(FEED, ROWS, A, 16, LL_SM80, LL_COPIES);
LL_EXPECT_NO_CONFLICTS(FEED);

__global__ void count(unsigned *pairs, const unsigned short *src,
                      unsigned tiles) {
    __shared__ __align__(16) unsigned char smem[2][LL_SMEM_BYTES(FEED)];
    unsigned a[LL_WORDS(A, 16)], n = 0, ld = 64 * tiles;
    LL_COPY(FEED, smem[0], src, ld);
    LL_COPY_COMMIT(); /* closes a group of copies */
    for (unsigned k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) {
            LL_COPY(FEED, smem[(k + 1) % 2], src + 64 * (k + 1), ld);
        }
        LL_COPY_COMMIT();
        LL_COPY_WAIT(1); /* for all groups but the newest */
        __syncthreads();
        LL_LOAD_SHARED(a, FEED, smem[k % 2]);
        __syncthreads(); /* before the next copy overwrites this buffer */
        for (unsigned w = 0; w < LL_WORDS(A, 16); ++w) {
            n += a[w] == 0x10001;
        }
    }
    pairs[threadIdx.x] = n;
}

int main(void) {
    enum { TILES = 3 };
    static unsigned short src[64][64 * TILES];
    static char text[2000];
    unsigned short *a;
    unsigned *b, pairs[LL_THREADS(A)], found = 0, expected = 0;
    randomise(src, sizeof src, 1);
    for (int i = 0; i < 64; ++i) {
        for (int j = 0; j < 64 * TILES; ++j) {
            src[i][j] &= 1;
            expected += j % 2 && src[i][j - 1] && src[i][j];
        }
    }
    MUST(cudaMalloc((void **)&a, sizeof src));
    MUST(cudaMalloc((void **)&b, sizeof pairs));
    MUST(cudaMemcpy(a, src, sizeof src, cudaMemcpyHostToDevice));
    count<<<1, LL_THREADS(A)>>>(b, a, TILES);
    MUST(cudaMemcpy(pairs, b, sizeof pairs, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < LL_THREADS(A); ++k) {
        found += pairs[k];
    }
    ll_explain(LL_GET(FEED), text, sizeof text);
    printf("%s", text);
    printf("%u pairs found, %u expected\n", found, expected);
    return found != expected;
}
