// ll: LL_SCAN takes the name of a plan of LL_SCAN_PLAN
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_SCAN_PLAN(RUN, IN, LL_J, 32, LL_SM90);

__global__ void kernel(unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[16384];
    unsigned a[LL_REGS(IN)], b[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
#ifdef TWIN
    LL_SCAN(b, a, RUN, smem, [](unsigned x, unsigned y) { return x + y; });
#else
    LL_SCAN(b, a, IN, smem, [](unsigned x, unsigned y) { return x + y; });
#endif
    dst[threadIdx.x] = b[0];
}
