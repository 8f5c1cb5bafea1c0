// ll: LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, smem, turn, op, first): b and a must be arrays of one type, not pointers, turn a number, op an operation and first an element
#define LL_CLUSTERS
#include "ll_ptx.h"

LL_LAYOUT(ROW, ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6"));
LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);
LL_CLUSTER_SCAN_PLAN(RUN, ROW, LL_J, 32, LL_SM90);

__global__ void kernel(unsigned *p) {
    __shared__ __align__(16) unsigned char smem[2048];
    unsigned a[LL_REGS(ROW)] = {p[threadIdx.x]};
    LL_CLUSTER_BEGIN(SUM, smem);
#ifdef TWIN
    LL_CLUSTER_SCAN_BEFORE(a, a, RUN, smem, 0, ll_add(), 0);
#else
    LL_CLUSTER_SCAN_BEFORE(a, p, RUN, smem, 0, ll_add(), 0);
#endif
    LL_CLUSTER_END(SUM, smem);
    p[threadIdx.x] = a[0];
}
