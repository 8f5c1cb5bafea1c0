// ll: LL_MMA: array c must have the registers of C: LL_REGS(C), but for accumulators of f16 LL_WORDS(C, 16)
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {};
#ifdef TWIN
    float c[LL_REGS(C)] = {};
#else
    float c[16] = {};
#endif
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    dst[threadIdx.x] = (float)c[0];
}
