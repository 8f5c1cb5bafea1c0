// ll: LL_REDUCE takes the name of a plan of LL_REDUCE_PLAN
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
LL_LAYOUT(SUMS, ll_reduce(LL_GET(IN), LL_J));
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, LL_SM90);

__global__ void kernel(unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[16384];
    unsigned a[LL_REGS(IN)], b[LL_REGS(SUMS)];
    LL_LOAD(a, IN, src, 64);
#ifdef TWIN
    LL_REDUCE(b, a, SUM, smem, [](unsigned x, unsigned y) { return x + y; });
#else
    LL_REDUCE(b, a, TURN, smem, [](unsigned x, unsigned y) { return x + y; });
#endif
    dst[threadIdx.x] = b[0];
}
