// ll: LL_MMA: A must have tiles of operand a of the instruction: ll_ptx_mma_a, or tiles of ll_ptx_fragment_a(m, k, element_bits) with the m and k in its name; a sparse A has k / 2, and its metadata follow B
#define LL_TENSOR
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
#else
LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 8, 4));
#endif
LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {};
    float c[LL_REGS(C)] = {};
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    dst[threadIdx.x] = (float)c[0];
}
