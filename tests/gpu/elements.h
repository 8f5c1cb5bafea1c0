/* elements.h - what the kernels under test share: elements that tell their
 * number, and the verdict on what the threads counted.
 * SPDX-License-Identifier: MIT
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "verdict.h"
#include <string.h>

/* An element made of its number: all bytes matter. */
template <class T> __device__ T element(unsigned number) {
    unsigned char bytes[sizeof(T)];
    T x;
    for (unsigned k = 0; k < sizeof(T); ++k) {
        bytes[k] = (unsigned char)((number + 1u) * 2654435761u >> (k % 4 * 8));
        bytes[k] = (unsigned char)(bytes[k] ^ (k / 4 * 37));
    }
    memcpy(&x, bytes, sizeof(T));
    return x;
}

template <class T> __device__ bool differs(T x, T y) {
    const unsigned char *p = (const unsigned char *)&x;
    const unsigned char *q = (const unsigned char *)&y;
    bool d = false;
    for (unsigned k = 0; k < sizeof(T); ++k) {
        d = d || p[k] != q[k];
    }
    return d;
}

struct wide {
    unsigned w[4];
};

static void judge(const char *what, unsigned bytes, unsigned threads,
                  const unsigned *device, unsigned more) {
    static unsigned wrong[8192];
    unsigned bad = more;
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(wrong, device, threads * sizeof *wrong,
                    cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < threads; ++k) {
        bad += wrong[k];
    }
    verdict(bad, "%s, %u bytes", what, bytes);
}

#endif
