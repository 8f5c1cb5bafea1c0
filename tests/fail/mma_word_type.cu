// ll: LL_MMA: arrays a and b must be of unsigned, but of double for f64
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));

__global__ void kernel(float *dst) {
#ifdef TWIN
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {};
#else
    unsigned a[LL_WORDS(A, 16)] = {};
    float b[LL_WORDS(B, 16)] = {};
#endif
    float c[LL_REGS(C)] = {};
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    dst[threadIdx.x] = (float)c[0];
}
