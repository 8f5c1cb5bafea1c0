// ll: an element of the array has given_ bits below, but must have needed_, or be a word of 32 bits
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
#ifdef TWIN
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
#else
    double a[LL_REGS(IN)], b[LL_REGS(OUT)];
#endif
    a[0] = src[threadIdx.x];
    LL_CONVERT(b, a, TURN, smem);
    dst[threadIdx.x] = b[0];
}
