/* matmul_maps.h - the tensor maps of a GEMM on Hopper
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_MAPS_H
#define LL_MATMUL_MAPS_H

#include "../hopper.h"
#include "matmul_forms.h"
#include "matmul_tiles.h"

namespace ll_kernels {

struct gemm_maps {
    CUtensorMap a, b, c;
};

/* Returns the type of 8-bit and 16-bit elements in a tensor map. */
static constexpr CUtensorMapDataType map_type(dtype t) {
    return bits_of(t) == 8   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
           : t == dtype::f16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                             : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

/* Makes the maps of A and B for tiles of the form T. Returns an error message,
 * or null. */
template <class T>
static const char *make_operand_maps(gemm_maps *to, const void *a,
                                     const void *b, const gemm_problem &p) {
    const char *bad = map_of_rows(
        &to->a, a, map_type(T::IN), p.m, p.k,
        box_rows(T::PADDED_ROWS, p.stacked ? 1 : p.neighbours), T::BOX.box[0]);
    return bad ? bad
               : map_of_rows(&to->b, b, map_type(T::IN), p.n, p.k,
                             box_rows(T::COLS, p.stacked ? p.neighbours : 1),
                             T::BOX.box[0]);
}

/* Makes all maps. Returns an error message, or null. */
template <class T>
static const char *make_maps(gemm_maps *to, const void *a, const void *b,
                             const gemm_problem &p) {
    const char *bad = make_operand_maps<T>(to, a, b, p);
    return bad ? bad
               : map_of_rows(&to->c, p.c, map_type(T::RESULT), p.m, p.n,
                             T::STORE_ROWS, T::BOX_C.box[0]);
}

} // namespace ll_kernels

#endif
