// ll: LL_MMA: array e must have the words of E: one word for the registers of each ll_ptx_sparse_e
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_fragment_a(16, 16, 16));
LL_LAYOUT(B, ll_ptx_fragment_b(32, 8, 16));
LL_LAYOUT(C, ll_ptx_fragment_c(16, 8));
LL_LAYOUT(E, ll_ptx_sparse_e(32, 16));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {};
#ifdef TWIN
    unsigned e[1] = {};
#else
    unsigned e[2] = {};
#endif
    float c[LL_REGS(C)] = {};
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_sp_m16n8k32_f32_f16, e, E);
    dst[threadIdx.x] = c[0];
}
