/* mixed_pair.cu - matmul.cu of one pair of types, in the four orders
 * of its operands, for mixed.cu. SPDX-License-Identifier: MIT
 *
 * Build: nvcc -std=c++17 -O3 -arch=native -DTYPE_A=s8 -DTYPE_B=f16 -I. \
 *            -c mixed_pair.cu -o s8-f16.o
 */
#define LL_NO_MAIN
#define LL_TENSOR
#include "examples/kernels/matmul/matmul.h"
#include "ll_ptx.h"
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

static const mixed pair{{{TYPE_A, TYPE_B, NAME(rows_rows)::C_IS, false, false,
                          NAME(rows_rows)::launch},
                         {TYPE_A, TYPE_B, NAME(rows_cols)::C_IS, false, true,
                          NAME(rows_cols)::launch},
                         {TYPE_A, TYPE_B, NAME(cols_rows)::C_IS, true, false,
                          NAME(cols_rows)::launch},
                         {TYPE_A, TYPE_B, NAME(cols_cols)::C_IS, true, true,
                          NAME(cols_cols)::launch}}};
