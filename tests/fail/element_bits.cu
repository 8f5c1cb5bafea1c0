// ll: an element of the array has 32 bits, of src, dst or the plan 16: convert first, as by LL_CAST
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, IN, OUT, 16, LL_SM90);
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_LOAD(a, IN, src, 64);
    LL_CONVERT(b, a, TURN, smem);
    dst[threadIdx.x] = b[0];
}
