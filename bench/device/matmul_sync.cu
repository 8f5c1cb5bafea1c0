/* matmul_sync.cu - the GEMM of matmul.cu as a function that
 * peers/matmul.py calls. SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#ifndef TYPE_A
#define TYPE_A f16
#define TYPE_B f16
#define COLS_B 1
#endif
#include "examples/kernels/matmul/matmul.cu"

/* C = A B^T of row-major f16 matrices, C in f32. Returns an error message, or
 * null. */
extern "C" const char *ll_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    return launch_matmul(c, a, b, m, n, k);
}
