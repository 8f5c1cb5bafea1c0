// ll: LL_LOAD takes the name of a layout of LL_LAYOUT
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
#ifdef TWIN
    LL_LOAD(a, IN, src, 64);
#else
    LL_LOAD(a, LL_GET(IN), src, 64);
#endif
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, OUT, dst, 64);
}
