// copy.cu - copies from a row-major tile to shared memory, past the registers.
// TARGETS 80 90 100 120
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_rows(64, 64, 2));
LL_LAYOUT(PAIRS, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 4));
LL_LAYOUT(A, ll_ptx_mma_a(64, 64, 16, 4));
LL_PLAN_BY(FEED, ROWS, A, 16, LL_SM80, LL_COPIES);
LL_EXPECT_NO_CONFLICTS(FEED);

// 16 bytes each, at literal distances; then an operand by ldmatrix.
extern "C" __global__ void fed(unsigned *dst, const unsigned short *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(FEED)];
    unsigned a[LL_WORDS(A, 16)];
    LL_COPY(FEED, smem, src, 64);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    __syncthreads();
    LL_LOAD_SHARED(a, FEED, smem);
    LL_EACH(r, A) { dst[r / 2 * 128 + threadIdx.x] = a[r / 2]; }
}
// CHECK-LABEL: .entry fed(
// CHECK-NOT:      {{ld.global|st.shared}}
// CHECK:          add.s64 [[FROM:%rd[0-9]+]],
// CHECK:          cp.async.cg.shared.global [[[TO:%r[0-9]+]]], [[[FROM]]], 16;
// CHECK:          add.s64 [[DOWN:%rd[0-9]+]], [[FROM]], 2048;
// CHECK-NEXT:     cvta.to.global.u64 [[NEXT:%rd[0-9]+]], [[DOWN]];
// CHECK:          add.s32 [[THERE:%r[0-9]+]], [[TO]], 256;
// CHECK:          cp.async.cg.shared.global [[[THERE]]], [[[NEXT]]], 16;
// CHECK-COUNT-2:  cp.async.cg.shared.global {{.*}}, {{.*}}, 16;
// CHECK-NOT:      {{cp.async.c[ag]|st.shared}}
// CHECK:          cp.async.commit_group
// CHECK:          cp.async.wait_group 0
// CHECK:          bar.sync
// CHECK-COUNT-4:  ldmatrix.sync.aligned.m8n8.x4.shared
// CHECK-NOT:      {{ldmatrix|ld.shared}}
// CHECK:          ret;

// Ragged: as many bytes are read as are there, the others are zeros.
LL_PLAN_BY(NARROW, PAIRS, A, 16, LL_SM80, LL_COPIES);
extern "C" __global__ void ragged(const unsigned short *src, unsigned ld,
                                  unsigned rows, unsigned cols) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(FEED)];
    LL_COPY(FEED, smem, src, ld, rows, cols);
    LL_COPY(NARROW, smem, src, ld, rows, cols);
}
// CHECK-LABEL: .entry ragged(
// CHECK-COUNT-4:  cp.async.cg.shared.global {{.*}}, {{.*}}, 16, %r
// CHECK-NOT:      cp.async.cg
// CHECK-COUNT-16: cp.async.ca.shared.global {{.*}}, {{.*}}, 4, %r
// CHECK-NOT:      cp.async
// CHECK:          ret;
