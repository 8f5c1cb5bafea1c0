/* instructions.h - what the tests of single instructions share: checks, and the
 * buffers that a kernel reads and writes. BYTES is their size.
 * SPDX-License-Identifier: MIT
 */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include <stdio.h>

typedef unsigned u32;
typedef unsigned char u8;
typedef unsigned long long u64;
static int passed, failed;

#define CHECK(x) check((x) != 0, #x, __LINE__)

static void check(int ok, const char *text, int line) {
    ok ? passed++ : failed++;
    if (!ok) {
        printf("line %d: failed: %s\n%s", line, text, emu_errors());
    }
}

/* What a kernel reads and writes; on the host, as all memory is here. */
struct work {
    u8 *in, *out;
};

static work fresh() {
    work w = {0, 0};
    cudaMalloc(&w.in, BYTES);
    cudaMalloc(&w.out, BYTES);
    for (int i = 0; i < BYTES; i++) {
        u8 v = (u8)(i * 7 + i / 256);
        cudaMemcpy(w.in + i, &v, 1, cudaMemcpyHostToDevice);
    }
    cudaMemset(w.out, 0xee, BYTES);
    emu_reset();
    return w;
}

static u8 at(const u8 *p, int i) {
    u8 v = 0;
    cudaMemcpy(&v, p + i, 1, cudaMemcpyDeviceToHost);
    return v;
}

#endif
