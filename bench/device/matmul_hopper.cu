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
    return launch_matmul(c, a, b, m, n, k);
}

/* Sets four[0] to [3] to the choice of launch_matmul: form, neighbours, splits,
 * and whether neighbours are stacked. */
extern "C" void ll_matmul_choice(unsigned *four, unsigned m, unsigned n,
                                 unsigned k) {
    gemm_problem p = {0, 1, m, n, k, 1, 1, processors_here()};
    four[0] = choose_form(HOPPER_FORMS(), p, gemm_layouts<IN>::DEPTH);
    four[1] = p.neighbours;
    four[2] = p.splits;
    four[3] = p.stacked;
}

/* Runs the GEMM with the given choice. */
extern "C" const char *ll_matmul_as(void *c, const void *a, const void *b,
                                    unsigned m, unsigned n, unsigned k,
                                    unsigned number, unsigned neighbours,
                                    unsigned splits) {
    return launch_number(
        HOPPER_FORMS(), number, a, b,
        {c, 1, m, n, k, neighbours, splits, processors_here()});
}
