// ll: the operation after smem must be a function of two elements of the arrays' type that returns one, or ll_add(), ll_min() and so on, with their parentheses
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
LL_LAYOUT(OUT, ll_reduce(LL_GET(IN), LL_J));
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, LL_SM90);

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SUM)];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_LOAD(a, IN, src, 32);
#ifdef TWIN
    LL_REDUCE(b, a, SUM, smem, ll_max());
#else
    LL_REDUCE(b, a, SUM, smem, ll_and());
#endif
    dst[threadIdx.x] = b[0];
}
