// ll: LL_MMA: arrays sa and sb must have the words of SA and SB: one word for four registers
// arch: sm_120a
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_fragment_a(16, 32, 8));
LL_LAYOUT(B, ll_ptx_fragment_b(32, 8, 8));
LL_LAYOUT(C, ll_ptx_fragment_c(16, 8));
LL_LAYOUT(SA, ll_ptx_scale_a(1));
LL_LAYOUT(SB, ll_ptx_scale_b(1));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 8)] = {}, b[LL_WORDS(B, 8)] = {};
#ifdef TWIN
    unsigned sa[1] = {}, sb[1] = {};
#else
    unsigned sa[1] = {}, sb[2] = {};
#endif
    float c[LL_REGS(C)] = {};
    LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_f32_e4m3_mxf8f6f4, sa, SA,
           sb, SB);
    dst[threadIdx.x] = c[0] + (float)(sa[0] + sb[0]);
}
