// convert.cu - the three kinds of a conversion.
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_rows(32, 32, 4));
LL_LAYOUT(SAME, ll_rows(32, 32, 4));
LL_LAYOUT(RENAMED, ll_permute(LL_GET(ROWS), LL_REGISTER,
                              ll_perm_swap(3, 0, 2)));
LL_LAYOUT(TURNED, ll_trans(LL_GET(ROWS), "j i"));
LL_PLAN(NOTHING, ROWS, SAME, 32, LL_SM75);
LL_PLAN(REGISTERS, ROWS, RENAMED, 32, LL_SM75);
LL_PLAN(SHARED, ROWS, TURNED, 32, LL_SM75);
LL_EXPECT_KIND(NOTHING, LL_NOTHING);
LL_EXPECT_KIND(REGISTERS, LL_REGISTERS);
LL_EXPECT_KIND(SHARED, LL_SHARED);

#define CONVERT(NAME, PLAN)                                                 \
    extern "C" __global__ void NAME(float *dst, const float *src) {         \
        __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];   \
        float a[LL_REGS(ROWS)], b[LL_REGS(ROWS)];                           \
        LL_LOAD(a, ROWS, src, 32);                                          \
        LL_CONVERT(b, a, PLAN, smem);                                       \
        LL_STORE(b, ROWS, dst, 32);                                         \
    }
CONVERT(by_nothing, NOTHING)
CONVERT(by_registers, REGISTERS)
CONVERT(by_shared, SHARED)

// CHECK-LABEL: .entry by_nothing(
// CHECK-NOT:      {{\.shared\.|bar|shfl}}
// CHECK:          ret;
// CHECK-LABEL: .entry by_registers(
// CHECK-NOT:      {{\.shared\.|bar|shfl}}
// CHECK:          ret;
// CHECK-LABEL: .entry by_shared(
// CHECK:          st.shared.v4
// CHECK:          bar.sync
// CHECK:          {{ld.shared|ldmatrix}}
// CHECK:          ret;
