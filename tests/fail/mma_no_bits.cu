// ll: LL_MMA: element_bits is missing before the instruction: LL_MMA(c, C, a, A, b, B, element_bits, instruction)
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(16, 16, 16, 1));
LL_LAYOUT(B, ll_ptx_mma_b(16, 8, 16, 1));
LL_LAYOUT(C, ll_ptx_mma_c(16, 8, 1));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {1}, b[LL_WORDS(B, 16)] = {2};
    float c[LL_REGS(C)] = {0};
#ifdef TWIN
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_f16);
#else
    LL_MMA(c, C, a, A, b, B, ll_ptx_mma_m16n8k16_f32_f16);
#endif
    dst[threadIdx.x] = c[0] + (float)(a[0] + b[0]);
}
