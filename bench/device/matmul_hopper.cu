/* matmul_hopper.cu - the GEMMs of matmul_hopper.cu as functions that
 * peers/matmul.py calls.
 * SPDX-License-Identifier: MIT
 *
 * C = A B^T of row-major matrices of the type OPERAND. Each function returns an
 * error message, or null.
 */
#define LL_NO_MAIN
#include "examples/kernels/matmul/matmul_hopper.cu"

extern "C" const char *ll_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    return launch(c, a, b, m, n, k);
}

/* Sets four[0] to [3] to the choice of `launch`: form, neighbours, shares (k
 * splits), and whether neighbours are above each other. */
extern "C" void ll_matmul_choice(unsigned *four, unsigned m, unsigned n,
                                 unsigned k) {
    problem p = {0, 1, m, n, k, 1, 1, processors_here()};
    four[0] = choose(p, DEPTH);
    four[1] = p.beside;
    four[2] = p.shares;
    four[3] = p.above;
}

/* Runs the GEMM with the given choice. */
extern "C" const char *ll_matmul_as(void *c, const void *a, const void *b,
                                    unsigned m, unsigned n, unsigned k,
                                    unsigned number, unsigned beside,
                                    unsigned shares) {
    return LAUNCHERS[number](
        a, b, {c, 1, m, n, k, beside, shares, processors_here()});
}
