// ll: LL_MMA: the target of this compilation lacks the instruction
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 8, 4));
LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 8, 4));
LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 8)] = {}, b[LL_WORDS(B, 8)] = {};
    float c[LL_REGS(C)] = {};
#ifdef TWIN
    LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_f32_e4m3);
#else
    LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_f32_e4m3_f8f6f4);
#endif
    dst[threadIdx.x] = c[0];
}
