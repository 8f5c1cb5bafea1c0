// ll: LL_LOAD takes the name of a layout of LL_LAYOUT
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

__global__ void kernel(unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[16384];
    unsigned a[LL_REGS(IN)], b[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
#ifdef TWIN
    LL_LOAD(b, IN, src, 64);
#else
    LL_LOAD(b, TURN, src, 64);
#endif
    dst[threadIdx.x] = b[0];
}
