/* test_stack.cu - a valid kernel that needs much stack on the CPU: a gather of
 * 64-bit elements by shuffles, from 32 registers and all lanes.
 * SPDX-License-Identifier: MIT
 */
#include "../../ll_ptx.h"

#include <cuda_runtime.h>
#include <stdio.h>

typedef unsigned long long u64;
enum { COLUMNS = 512, LANES = 32 };

LL_LAYOUT(ROWS, ll_parse("register: j5 j6 j7 j8 i0 | lane: j0 j1 j2 j3 j4"));
struct PLAN {
    LL_CONSTANT_ ll_gather_plan get() {
        return ll_gather_by(LL_GET(ROWS), LL_GET(ROWS), 1, 64, LL_SM90,
                            LL_SHUFFLES);
    }
};

/* Both words of an element depend on its row and its column. */
static __device__ u64 element(unsigned i, unsigned j) {
    return (u64)(i + 2 * j + 1) * 0x9e3779b97f4a7c15ull;
}

/* Register r of a lane takes column `lane * 7 + r * 13` of its row. */
static __device__ unsigned column(unsigned lane, unsigned r) {
    return (lane * 7 + r * 13) % COLUMNS;
}

__global__ void gather(u64 *result) {
    u64 src[LL_REGS(ROWS)], out[LL_REGS(ROWS)];
    unsigned index[LL_REGS(ROWS)];
    LL_EACH(r, ROWS) {
        src[r] = element(LL_AT(ROWS, LL_I, r), LL_AT(ROWS, LL_J, r));
        index[r] = column(threadIdx.x, r);
    }
    LL_GATHER(out, src, index, PLAN, (void *)0);
    LL_EACH(r, ROWS) { result[threadIdx.x * LL_REGS(ROWS) + r] = out[r]; }
}

int main() {
    const unsigned n = LL_REGS(ROWS);
    unsigned passed = 0, failed = 0;
    u64 *result;
    cudaMalloc(&result, LANES * n * sizeof *result);
    gather<<<1, LANES>>>(result);
    for (unsigned k = 0; k < LANES * n; k++) {
        const unsigned lane = k / n, r = k % n, i = r >> 4; /* i0: bit 4 */
        const bool right = result[k] == element(i, column(lane, r));
        if (!right && !failed) {
            printf("lane %u, register %u holds %llx\n", lane, r, result[k]);
        }
        right ? ++passed : ++failed;
    }
    cudaFree(result);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
