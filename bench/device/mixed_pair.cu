/* mixed_pair.cu - matmul.cu of one pair of types, in the four orders
 * of its operands, for mixed.cu. SPDX-License-Identifier: MIT
 *
 * Build: nvcc -std=c++17 -O3 -arch=native -DTYPE_A=s8 -DTYPE_B=f16 -I. \
 *            -c mixed_pair.cu -o s8-f16.o
 */
#define LL_NO_MAIN
#include "examples/kernels/matmul/matmul_sync_load.h"
#include "examples/kernels/matmul/matmul_sync_multiply.h"
#include "mixed.h"

/* Each pair has its own names; otherwise the linker would merge the kernels of
 * different pairs. */
#define NAME__(a, b, order) order##_of_##a##_##b
#define NAME_(a, b, order) NAME__(a, b, order)
#define NAME(order) NAME_(TYPE_A, TYPE_B, order)

#define COLS_A 0
#define COLS_B 0
namespace NAME(rows_rows) {
#include "examples/kernels/matmul/matmul.cu"
}
#undef COLS_A
#define COLS_A 1
namespace NAME(cols_rows) {
#include "examples/kernels/matmul/matmul.cu"
}
#undef COLS_B
#define COLS_B 1
namespace NAME(cols_cols) {
#include "examples/kernels/matmul/matmul.cu"
}
#undef COLS_A
#define COLS_A 0
namespace NAME(rows_cols) {
#include "examples/kernels/matmul/matmul.cu"
}

#define GEMM(order, cols_a, cols_b)                           \
    {                                                         \
        ll_kernels::dtype::TYPE_A, ll_kernels::dtype::TYPE_B, \
            NAME(order)::gemm_types::RESULT, cols_a, cols_b,  \
            NAME(order)::launch_matmul                        \
    }
static const mixed pair{
    {GEMM(rows_rows, false, false), GEMM(rows_cols, false, true),
     GEMM(cols_rows, true, false), GEMM(cols_cols, true, true)}};
