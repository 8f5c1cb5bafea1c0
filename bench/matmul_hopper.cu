/* matmul_hopper.cu - the products of examples/matmul_hopper.cu and
 * examples/matmul_split.cu as functions that bench/matmul.py calls.
 * SPDX-License-Identifier: MIT
 *
 * C = A B^T of row-major matrices of the type OPERAND. They return null, or
 * what is wrong.
 */
#define LL_NO_MAIN
#include "../examples/matmul_split.cu"

extern "C" const char *ll_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    return launch(c, a, b, m, n, k);
}

/* With few tiles, by parts of k. `how` is for bench/matmul.py --tune. */
extern "C" const char *ll_matmul_how(void *c, const void *a, const void *b,
                                     unsigned m, unsigned n, unsigned k,
                                     unsigned how) {
    return launch_how(c, a, b, m, n, k, how);
}
