// ll: LL_MMA(c, C, a, A, b, B, element_bits, instruction, ..): c, a, b, e, sa and sb must be arrays of registers; e, sa and sb of unsigned
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_fragment_a(16, 16, 16));
LL_LAYOUT(B, ll_ptx_fragment_b(32, 8, 16));
LL_LAYOUT(C, ll_ptx_fragment_c(16, 8));
LL_LAYOUT(E, ll_ptx_sparse_e(32, 16));

__global__ void kernel(float *dst) {
    unsigned a[LL_WORDS(A, 16)] = {}, b[LL_WORDS(B, 16)] = {};
    unsigned e[1] = {};
    float c[LL_REGS(C)] = {};
#ifdef TWIN
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_sp_m16n8k32_f32_f16, e, E);
#else
    unsigned *const words = e;
    LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_sp_m16n8k32_f32_f16, words, E);
#endif
    dst[threadIdx.x] = c[0] + (float)e[0];
}
