/* matmul_hopper.cu - the product of examples/matmul_hopper.cu as a function that
 * bench/matmul.py calls. SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../examples/matmul_hopper.cu"

/* C = A B^T of row-major bf16 matrices. Null, or what is wrong. */
extern "C" const char *ll_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    return launch(c, a, b, m, n, k);
}
