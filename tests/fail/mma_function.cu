// ll: LL_MMA: instruction must be a function of ll_ptx.h for one mma.sync, such as ll_ptx_mma_m16n8k16_f32_bf16
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {};
    float c[LL_REGS(C)] = {};
#ifdef TWIN
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
#else
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_ldmatrix_x4);
#endif
    dst[threadIdx.x] = (float)c[0];
}
