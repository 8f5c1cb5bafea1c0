// ll: LL_MMA: E must have the metadata of all rows of A and all of k: tiles of ll_ptx_sparse_e
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_fragment_a(16, 16, 16));
LL_LAYOUT(B, ll_ptx_fragment_b(32, 8, 16));
LL_LAYOUT(C, ll_ptx_fragment_c(16, 8));
#ifdef TWIN
LL_LAYOUT(E, ll_ptx_sparse_e(32, 16));
#else
LL_LAYOUT(E, ll_ptx_sparse_e(16, 16));
#endif

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {}, e[1] = {};
    float c[LL_REGS(C)] = {};
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_sp_m16n8k32_f32_f16, e, E);
    dst[threadIdx.x] = c[0];
}
