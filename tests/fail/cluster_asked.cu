// ll: SUM: define LL_CLUSTERS before including ll.h
// at: LL_CLUSTER_REDUCE_PLAN(SUM
#ifdef TWIN
#define LL_CLUSTERS
#endif
#include "ll_ptx.h"

LL_LAYOUT(ROW, ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6"));
LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);

__global__ void kernel(unsigned *p) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SUM)];
    unsigned a[LL_REGS(ROW)] = {p[threadIdx.x]};
    LL_CLUSTER_BEGIN(SUM, smem);
    LL_CLUSTER_REDUCE(a, a, SUM, smem, 0, ll_add());
    LL_CLUSTER_END(SUM, smem);
    p[threadIdx.x] = a[0] + smem[0];
}
