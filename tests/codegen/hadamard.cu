// hadamard.cu - a Hadamard transform of rows of 8k: each number is read once
// and written once by accesses of 16 bytes, and makes two trips of them.
// TARGETS 90
#define LL_NO_MAIN
#include "../../examples/hadamard.cu"

template __global__ void hadamard<bf16, 13, 1>(bf16 *, const bf16 *, float,
                                               unsigned);

// CHECK-LABEL: .entry _Z8hadamardI13__nv_bfloat16Lj13ELj1E
// CHECK-COUNT-8:  ld.global{{.*}}v4
// CHECK-COUNT-16: stmatrix
// CHECK-COUNT-16: ld.shared.v4
// CHECK-COUNT-16: stmatrix
// CHECK-COUNT-16: ld.shared.v4
// CHECK-COUNT-8:  st.global{{.*}}v4
// CHECK-NOT:      {{st\.global|ld\.global|st\.shared}}
// CHECK:          ret;
