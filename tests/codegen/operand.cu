// operand.cu - operands of 16 bits from rows: words arrive in place, so that no
// kernel permutes bytes.
// TARGETS 90 100 120
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_rows(64, 64, 2));
LL_LAYOUT(B, ll_ptx_mma_b(64, 64, 16, 4));
LL_LAYOUT(D, ll_ptx_wgmma_d(64, 64, 4));
LL_PLAN(BY_PLAN, ROWS, B, 16, LL_SM90);
LL_PLAN_THROUGH(FOR_WGMMA, D, D, 16, LL_SM90,
                ll_ptx_smem_mn(64, 64, 16, 128, 16));

extern "C" __global__ void b_from_rows(unsigned *dst,
                                       const unsigned short *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(BY_PLAN)];
    unsigned short a[LL_REGS(ROWS)], b[LL_REGS(B)];
    LL_LOAD(a, ROWS, src, 64);
    LL_CONVERT(b, a, BY_PLAN, smem);
    for (unsigned k = 0; k < LL_REGS(B) / 2; ++k) {
        dst[k * 128 + threadIdx.x] = b[2 * k] | b[2 * k + 1] << 16;
    }
}
// CHECK-LABEL: .entry b_from_rows(
// CHECK-NOT:      {{prmt|shf}}
// CHECK-COUNT-16: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT:      {{prmt|shf|ldmatrix}}
// CHECK:          ret;

extern "C" __global__ void d_to_memory(uint4 *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(FOR_WGMMA)];
    unsigned d[LL_WORDS(D, 16)];
    for (unsigned k = 0; k < LL_WORDS(D, 16); ++k) {
        d[k] = src[k * 128 + threadIdx.x];
    }
    LL_STORE_SHARED(d, FOR_WGMMA, smem);
    __syncthreads();
    for (unsigned k = 0; k < 4; ++k) {
        dst[k * 128 + threadIdx.x] = ((uint4 *)smem)[k * 128 + threadIdx.x];
    }
}
// CHECK-LABEL: .entry d_to_memory(
// CHECK-NOT:      {{prmt|shf}}
// CHECK-COUNT-4:  stmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT:      {{prmt|shf|stmatrix}}
// CHECK:          ret;
