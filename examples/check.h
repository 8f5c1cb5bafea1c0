/* check.h - what the lessons share: memory on the device, random data, launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_CHECK_H
#define LL_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* A launch that the emulator understands too. */
#ifndef LL_LAUNCH
#define LL_LAUNCH(kernel, grid, block, smem_bytes, ...)                     \
    kernel<<<grid, block, smem_bytes>>>(__VA_ARGS__)
#endif

/* Ends the program with the place and the sentence of a failed CUDA call. */
#define MUST(call) must((call), #call, __FILE__, __LINE__)
static inline void must(cudaError_t err, const char *what, const char *file,
                        int line) {
    if (err != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, what,
                cudaGetErrorString(err));
        exit(1);
    }
}

/* Random bytes, the same for the same seed (xorshift). */
static inline void randomise(void *data, size_t bytes, unsigned seed) {
    unsigned char *p = (unsigned char *)data;
    unsigned x = seed * 2654435761u + 1u;
    for (size_t k = 0; k < bytes; ++k) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        p[k] = (unsigned char)(x >> 11);
    }
}

#endif
