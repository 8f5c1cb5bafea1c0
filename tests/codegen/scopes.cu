// scopes.cu - named barriers as literals, a block of any shape, and a plan for
// the target that is compiled for.
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_rows(32, 32, 4));
LL_LAYOUT(TURNED, ll_trans(LL_GET(ROWS), "j i"));
LL_PLAN(TURN, ROWS, TURNED, 32, LL_SM75);
LL_SCOPE(LATE, threadIdx.x - 512, LL_THREADS(ROWS), LL_BARRIER(3));
LL_SCOPE(FLAT, threadIdx.y * 16 + threadIdx.x, 128, __syncthreads());
LL_SCOPE(EITHER, threadIdx.x % 128, 128, LL_BARRIER_AT(1 + threadIdx.x / 128));

#define TURN_IN(NAME, SCOPE)                                                \
    extern "C" __global__ void NAME(float *dst, const float *src) {         \
        __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];   \
        float a[LL_REGS(ROWS)], b[LL_REGS(ROWS)];                           \
        LL_IN(SCOPE);                                                       \
        LL_LOAD(a, ROWS, src, 32);                                          \
        LL_CONVERT(b, a, TURN, smem);                                       \
        LL_SYNC();                                                          \
        LL_STORE(b, ROWS, dst, 32);                                         \
    }
TURN_IN(in_late, LATE)
TURN_IN(in_flat, FLAT)
TURN_IN(in_either, EITHER)

LL_LAYOUT(BYTES, ll_rows(64, 64, 2));
LL_LAYOUT(SIDES, ll_trans(LL_GET(BYTES), "j i"));
LL_PLAN(HERE, BYTES, SIDES, 16, LL_TARGET_HERE);
extern "C" __global__ void for_here(unsigned short *dst,
                                    const unsigned short *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(HERE)];
    unsigned a[LL_WORDS(BYTES, 16)], b[LL_WORDS(SIDES, 16)];
    LL_LOAD(a, BYTES, src, 64);
    LL_CONVERT(b, a, HERE, smem);
    LL_STORE(b, BYTES, dst, 64);
}

// CHECK-LABEL: .entry in_late(
// CHECK-COUNT-2: bar.sync 3, 128;
// CHECK-NOT:     bar.sync
// CHECK:         ret;
// CHECK-LABEL: .entry in_flat(
// CHECK:         %tid.y
// CHECK-COUNT-2: bar.sync {{.*}}0;
// CHECK-NOT:     bar.sync
// CHECK:         ret;
// CHECK-LABEL: .entry in_either(
// CHECK-COUNT-2: bar.sync %r{{[0-9]+}}, 128;
// CHECK-NOT:     bar.sync
// CHECK:         ret;
// CHECK-LABEL: .entry for_here(
// CHECK:         {{ldmatrix|stmatrix}}
// CHECK:         ret;
