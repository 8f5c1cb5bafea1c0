// cluster.cu - conversions among the blocks of a cluster; each for its own part.
// TARGETS 90 100 120
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                         "warp: i3 j5 | block: i4 i5"));
LL_LAYOUT(COLS, ll_parse("register: i0 i1 j2 | lane: i2 i3 i4 j0 j1 | "
                         "warp: j3 i5 | block: j4 j5"));
LL_LAYOUT(ALL, ll_parse("register: j0 j1 i2 i4 i5 | lane: j2 j3 j4 i0 i1 | "
                        "warp: i3 j5 | block: 0 0"));
LL_PLAN(FAR, ROWS, COLS, 32, LL_SM90);
LL_PLAN(NEAR, ALL, COLS, 32, LL_SM90);
LL_PLAN_WITHIN(TWICE, ROWS, ALL, 32, LL_SM90, LL_SMEM_BYTES(FAR) / 2);

#define CONVERT(NAME, FROM, TO, PLAN)                                       \
    extern "C" __global__ void NAME(float *dst, const float *src) {         \
        __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];   \
        float a[LL_REGS(FROM)], b[LL_REGS(TO)];                             \
        LL_EACH(r, FROM) { a[r] = src[r * 128 + threadIdx.x]; }             \
        LL_CONVERT(b, a, PLAN, smem);                                       \
        LL_EACH(r, TO) { dst[r * 128 + threadIdx.x] = b[r]; }               \
    }
CONVERT(far, ROWS, COLS, FAR)
CONVERT(near, ALL, COLS, NEAR)
CONVERT(twice, ROWS, ALL, TWICE)

// CHECK-LABEL: .entry far(
// CHECK:          {{st.shared|stmatrix}}
// CHECK:          barrier.cluster.arrive.release.aligned
// CHECK:          barrier.cluster.wait.acquire.aligned
// CHECK:          mapa.shared::cluster.u32
// CHECK-NOT:      mapa
// CHECK:          ld.shared::cluster.v2
// CHECK:          barrier.cluster.arrive.release.aligned
// CHECK:          barrier.cluster.wait.acquire.aligned
// CHECK-NOT:      {{barrier|bar\.sync}}
// CHECK:          ret;
// CHECK-LABEL: .entry near(
// CHECK-NOT:      {{barrier.cluster|mapa|shared::cluster}}
// CHECK:          bar.sync
// CHECK:          ret;
// CHECK-LABEL: .entry twice(
// CHECK-COUNT-4:  barrier.cluster.wait.acquire.aligned
// CHECK-NOT:      {{barrier|bar\.sync}}
// CHECK:          ret;
