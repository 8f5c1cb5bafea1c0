// ll: LL_MMA: SB must have the scales of all columns of B and all of k: tiles of ll_ptx_scale_b
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_fragment_a(16, 32, 8));
LL_LAYOUT(B, ll_ptx_fragment_b(32, 8, 8));
LL_LAYOUT(C, ll_ptx_fragment_c(16, 8));
LL_LAYOUT(SA, ll_ptx_scale_a(1));
LL_LAYOUT(SB, ll_ptx_scale_b(2));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 8)] = {}, b[LL_WORDS(B, 8)] = {};
    unsigned sa[1] = {}, sb[1] = {};
    float c[LL_REGS(C)] = {};
#ifdef TWIN
    LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_f32_e4m3);
#else
    LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_f32_e4m3_mxf8f6f4, sa, SA,
           sb, SB);
#endif
    dst[threadIdx.x] = c[0] + (float)(sa[0] + sb[0]);
}
