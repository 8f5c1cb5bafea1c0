// hadamard.cu - a Hadamard transform of rows of 8k: each number is read once
// by accesses of 16 bytes, bits of lanes are done by products, and it makes one
// trip through shared memory, for the bits of warps.
// TARGETS 90
#define LL_NO_MAIN
#include "../../examples/kernels/rows/hadamard.cu"

template __global__ void hadamard<bf16, 13, 1, 0>(unsigned, unsigned,
                                                  unsigned *, bf16 *,
                                                  const bf16 *, float);

// CHECK-LABEL: .entry _Z8hadamardI13__nv_bfloat16Lj13ELj1E
// CHECK-COUNT-4:  ld.global{{.*}}v4
// CHECK-COUNT-24: mma.sync.aligned.m16n8k16
// CHECK-COUNT-8:  st.shared.v4
// CHECK-COUNT-8:  ld.shared.v4
// CHECK-COUNT-8:  st.global{{.*}}v2
// CHECK-NOT:      {{st\.global|ld\.global|st\.shared|mma\.sync|shfl}}
// CHECK:          ret;
