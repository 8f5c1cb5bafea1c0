/* matmul_types.h - the types of elements that the GEMM examples multiply
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_TYPES_H
#define LL_MATMUL_TYPES_H

#include "ll.h"

namespace ll_kernels {

enum class dtype { s8, s16, s32, s64, e4m3, e5m2, f16, bf16, f32, f64 };

LL_FN unsigned bits_of(dtype t) {
    return t == dtype::s8 || t == dtype::e4m3 || t == dtype::e5m2   ? 8u
           : t == dtype::s16 || t == dtype::f16 || t == dtype::bf16 ? 16u
           : t == dtype::s32 || t == dtype::f32                     ? 32u
                                                                    : 64u;
}

} // namespace ll_kernels

#endif
