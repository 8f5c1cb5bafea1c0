// ll: the array to fill must not have const elements
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#ifdef TWIN
typedef float number;
#else
typedef const float number;
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)];
    number b[LL_REGS(OUT)] = {};
    LL_LOAD(a, IN, src, 64);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, IN, dst, 64);
}
