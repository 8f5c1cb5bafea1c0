/* mixed_pair.cu - examples/matmul.cu of one pair of types, in the four orders
 * of its operands, for bench/mixed.cu. SPDX-License-Identifier: MIT
 *
 * Build: nvcc -std=c++17 -O3 -arch=native -DTYPE_A=s8 -DTYPE_B=f16 -I. \
 *            -c bench/mixed_pair.cu -o s8-f16.o
 */
#define LL_NO_MAIN
#define LL_TENSOR
#include "../examples/matmul.h"
#include "ll_ptx.h"
#include "mixed.h"

#define COLS_A 0
#define COLS_B 0
namespace rows_rows {
#include "../examples/matmul.cu"
}
#undef COLS_A
#define COLS_A 1
namespace cols_rows {
#include "../examples/matmul.cu"
}
#undef COLS_B
#define COLS_B 1
namespace cols_cols {
#include "../examples/matmul.cu"
}
#undef COLS_A
#define COLS_A 0
namespace rows_cols {
#include "../examples/matmul.cu"
}

static const mixed pair{
    {{TYPE_A, TYPE_B, rows_rows::C_IS, false, false, rows_rows::launch},
     {TYPE_A, TYPE_B, rows_cols::C_IS, false, true, rows_cols::launch},
     {TYPE_A, TYPE_B, cols_rows::C_IS, true, false, cols_rows::launch},
     {TYPE_A, TYPE_B, cols_cols::C_IS, true, true, cols_cols::launch}}};
