// ll: LL_MMA: array a must have the words of A: LL_WORDS(A, element_bits)
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));

__global__ void kernel(float *dst) {
#ifdef TWIN
    unsigned a[LL_WORDS(A, 16)] = {};
#else
    unsigned a[LL_REGS(A)] = {};
#endif
    unsigned b[LL_WORDS(B, 16)] = {};
    float c[LL_REGS(C)] = {};
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    dst[threadIdx.x] = c[0];
}
