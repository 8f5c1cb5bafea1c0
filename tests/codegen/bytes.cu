// bytes.cu - matrices of bytes, of the families that have them.
// TARGETS 100f 120f
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_rows(128, 128, 1));
LL_LAYOUT(TURNED, ll_trans(LL_GET(ROWS), "j i"));
LL_LAYOUT(HALVES,
          LL_ROWS(.rows = 16, .cols = 16, .bytes = 1, .access = 8, .warps = 1));
LL_LAYOUT(OPERAND, ll_ptx_mma_b(16, 16, 8, 1));
LL_PLAN(TURN, ROWS, TURNED, 8, LL_SM100F);
LL_PLAN(FEED, HALVES, OPERAND, 8, LL_SM100F);
LL_EXPECT_NO_CONFLICTS(TURN);
LL_EXPECT_NO_CONFLICTS(FEED);

extern "C" __global__ void turn_bytes(unsigned char *dst, const unsigned char *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    unsigned a[LL_WORDS(ROWS, 8)], b[LL_WORDS(TURNED, 8)];
    LL_LOAD(a, ROWS, src, 128);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, ROWS, dst, 128);
}

extern "C" __global__ void feed(unsigned *dst, const unsigned char *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(FEED)];
    unsigned a[LL_WORDS(HALVES, 8)], b[LL_WORDS(OPERAND, 8)];
    LL_LOAD(a, HALVES, src, 16);
    LL_CONVERT(b, a, FEED, smem);
    dst[2 * threadIdx.x] = b[0];
    dst[2 * threadIdx.x + 1] = b[1];
}

// CHECK-LABEL:   .entry turn_bytes(
// CHECK-COUNT-8: stmatrix.sync.aligned.m16n8.x4.trans.shared.b8
// CHECK:         bar.sync
// CHECK-COUNT-16: ld.shared.v2.u32
// CHECK:         ret;
// CHECK-LABEL:   .entry feed(
// CHECK:         st.shared.v2.u32
// CHECK:         bar.{{(warp.)?}}sync
// CHECK:         ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8
// CHECK-NOT:     prmt
// CHECK:         ret;
