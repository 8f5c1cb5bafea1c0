#include "first_header.cuh"
/* test_first_header.cu - a finding names the file of its line, also if that is
 * the first header that a program includes.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

static int passed, failed;

__global__ void own(float *p) { p[threadIdx.x] = 1.0f; }
static const int own_line = __LINE__ - 1;

/* The only finding so far is at that place. */
static void expect(const char *file, int line) {
    char place[64];
    snprintf(place, sizeof place, "/%s:%d: out of bounds: ", file, line);
    const bool ok = emu_error_count() == 1 && strstr(emu_error(0), place);
    ok ? ++passed : ++failed;
    if (!ok) {
        printf("not at %s: %s\n", place, emu_errors());
    }
    emu_expected();
}

int main() {
    float *p;
    cudaMalloc(&p, 16);
    first_plain<<<1, 8>>>(p);
    expect("first_header.cuh", 2);
    first_template<<<1, 8>>>(p);
    expect("first_header.cuh", 5);
    own<<<1, 8>>>(p);
    expect("test_first_header.cu", own_line);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
