/* 04_gather.cu - how does a thread block gather elements by an index?
 * SPDX-License-Identifier: MIT
 *
 * out[i][j] = src[i][index[i][j]], where src, index and out lie in registers of
 * the same layout. The register, lane and warp of an element are linear in the
 * bits of its index. The library treats these bits as additional inputs and
 * solves for them, so a few XORs turn an index into a register, a lane or an
 * address.
 *
 * The planner prices three ways: selects among a lane's own registers,
 * shuffles, and shared memory. In shared memory the bank of an element depends
 * as little as possible on the index: here a load takes one wavefront whatever
 * the indices are. An index out of range is taken modulo the length of the
 * axis, so no index reads out of bounds.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/lessons/04_gather.cu -o 04_gather
 *        tools/emulator/emucc -I. examples/lessons/04_gather.cu -o 04_gather
 * Output:
 *     Four warps: data goes through shared memory, 8192 bytes, about 36 cycles per warp
 *       1. 16 selects reorder each lane's registers
 *       2. each lane stores 16 elements to shared memory in 16 accesses of 4 bytes, 1 wavefront each: no bank conflicts
 *       3. __syncthreads()
 *       4. each lane loads the elements at its indices in 16 accesses of 4 bytes, about 1 wavefront each, in its own order: 16 selects before and 16 after
 *     One warp: data goes through shared memory, 2048 bytes, about 33 cycles per warp
 *       1. 16 selects reorder each lane's registers
 *       2. each lane stores 16 elements to shared memory in 16 accesses of 4 bytes, 1 wavefront each: no bank conflicts
 *       3. __syncwarp()
 *       4. each lane loads the elements at its indices in 16 accesses of 4 bytes, about 1 wavefront each, in its own order: 16 selects before and 16 after
 *       next best: by shuffles, about 66 cycles per warp
 *     One warp, by shuffles: data stays in its warp, about 66 cycles per warp
 *       1. 64 shuffles exchange all words that indices may select
 *     0 wrong
 */
#include "../kernels/check.h"
#include "ll_ptx.h"

enum { ROWS = 64, COLS = 32 };

LL_LAYOUT(TILE, ll_parse("register: j0 j1 i4 i5 | lane: j2 i0 i1 i2 i3 | "
                         "warp: j3 j4"));
LL_GATHER_PLAN(PICK, TILE, TILE, LL_J, 32, LL_SM90);
LL_LAYOUT(WARP, ll_parse("register: j0 j1 i4 i5 | lane: j2 i0 i1 i2 i3"));
LL_GATHER_PLAN(BEST, WARP, WARP, LL_J, 32, LL_SM90);
LL_GATHER_PLAN_BY(SHUFFLED, WARP, WARP, LL_J, 32, LL_SM90, LL_SHUFFLES);

__global__ void pick(float *dst, const float *src, const unsigned *index) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PICK)];
    float a[LL_REGS(TILE)], b[LL_REGS(TILE)];
    unsigned idx[LL_REGS(TILE)];
    LL_LOAD(a, TILE, src, COLS);
    LL_LOAD(idx, TILE, index, COLS);
    LL_GATHER(b, a, idx, PICK, smem);
    LL_STORE(b, TILE, dst, COLS);
}

static void explain(const char *what, ll_gather_plan plan) {
    static char text[1000];
    ll_explain_gather(plan, text, sizeof text);
    printf("%s: %s", what, text);
}

int main(void) {
    static float src[ROWS][COLS], dst[ROWS][COLS];
    static unsigned index[ROWS][COLS];
    float *a, *b;
    unsigned *c;
    int wrong = 0;
    randomise(index, sizeof index, 1);
    for (int k = 0; k < ROWS * COLS; ++k) {
        src[k / COLS][k % COLS] = (float)k;
    }
    MUST(cudaMalloc((void **)&a, sizeof src));
    MUST(cudaMalloc((void **)&b, sizeof dst));
    MUST(cudaMalloc((void **)&c, sizeof index));
    MUST(cudaMemcpy(a, src, sizeof src, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(c, index, sizeof index, cudaMemcpyHostToDevice));
    pick<<<1, LL_THREADS(TILE)>>>(b, a, c);
    MUST(cudaMemcpy(dst, b, sizeof dst, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < COLS; ++j) {
            wrong += dst[i][j] != src[i][index[i][j] % COLS];
        }
    }
    explain("Four warps", LL_GET(PICK));
    explain("One warp", LL_GET(BEST));
    explain("One warp, by shuffles", LL_GET(SHUFFLED));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
