/* matmul_scaled.cu - matmul_scaled.cu as functions that
 * peers/scaled.py calls. SPDX-License-Identifier: MIT
 *
 * C = A B^T of e4m3, with scales of rows, or of blocks. Each function returns
 * an error message, or null.
 */
#define LL_NO_MAIN
#include "examples/kernels/matmul/matmul_scaled.cu"

extern "C" const char *ll_scaled(unsigned by_blocks, void *c, const void *a,
                                 const void *b, const float *scales_a,
                                 const float *scales_b, unsigned m, unsigned n,
                                 unsigned k) {
    return launch_scaled(by_blocks, c, a, b, {scales_a, scales_b}, m, n, k);
}

/* Runs the GEMM with the given choice in place of ll_scaled's. */
extern "C" const char *ll_scaled_as(unsigned by_blocks, void *c, const void *a,
                                    const void *b, const float *scales_a,
                                    const float *scales_b, unsigned m,
                                    unsigned n, unsigned k, unsigned number,
                                    unsigned neighbours, unsigned splits) {
    return launch_scaled_number(
        scaled_forms(), by_blocks, number, a, b, {scales_a, scales_b},
        {c, 1, m, n, k, neighbours, splits, processors_here()});
}
