/* barriers.cu - two roles that wait at barriers of their own and at one of both,
 * by hand, without a race: no element of memory is used twice, and a barrier
 * parts each store from its loads. compute-sanitizer of CUDA 13.0 calls it a
 * race all the same, once the threads that store have a barrier of their own,
 * and then its word on such kernels of scopes.cu is worth nothing. The emulator
 * finds no race in either.
 * SPDX-License-Identifier: MIT
 */
#include <cuda_runtime.h>
#include "verdict.h"

enum { ROUNDS = 8, ROLE = 128 };

__device__ void wait_for(unsigned id, unsigned threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Each thread of role 0 hands numbers to two others, one of them of role 1,
 * which hands them on. */
__global__ void roles(unsigned *out) {
    __shared__ unsigned own[2][ROUNDS][ROLE], tile[ROUNDS][ROLE];
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    const unsigned role = thread / ROLE, i = thread % ROLE;
    unsigned sum = 0;
    for (unsigned k = 0; k < ROUNDS; ++k) {
        if (role == 0) {
            own[0][k][i] = k * i;
            wait_for(1, ROLE);
            sum += own[0][k][(i + 37) % ROLE];
            tile[k][i] = k * 1000 + i;
        }
        wait_for(3, 2 * ROLE);
        if (role == 1) {
            sum += tile[k][(i + 5) % ROLE];
            own[1][k][i] = sum;
            wait_for(2, ROLE);
            sum += own[1][k][(i + 37) % ROLE];
        }
    }
    out[thread] = sum;
}

int main(void) {
    static unsigned got[2 * ROLE], sums[ROLE], next[ROLE];
    unsigned *out, wrong = 0;
    MUST(cudaMalloc(&out, sizeof got));
    roles<<<1, dim3(32, 8)>>>(out);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < ROLE; ++i) {
        wrong += got[i] != (i + 37) % ROLE * (ROUNDS * (ROUNDS - 1) / 2);
    }
    for (unsigned k = 0; k < ROUNDS; ++k) {
        for (unsigned i = 0; i < ROLE; ++i) {
            sums[i] += k * 1000 + (i + 5) % ROLE;
        }
        for (unsigned i = 0; i < ROLE; ++i) {
            next[i] = sums[i] + sums[(i + 37) % ROLE];
        }
        memcpy(sums, next, sizeof sums);
    }
    for (unsigned i = 0; i < ROLE; ++i) {
        wrong += got[ROLE + i] != sums[i];
    }
    verdict(wrong, "two roles by hand");
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
