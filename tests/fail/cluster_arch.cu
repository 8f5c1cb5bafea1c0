// ll: LL_CLUSTER_REDUCE and LL_CLUSTER_SCAN: this GPU has no clusters (sm_90 and later have them)
// arch: sm_80
#define LL_CLUSTERS
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(ROW, ll_parse("lane: j0 j1 j2 j3 j4"));
#else
LL_LAYOUT(ROW, ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6"));
#endif
LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);

__global__ void kernel(unsigned *p) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SUM)];
    unsigned a[LL_REGS(ROW)] = {p[threadIdx.x]};
    LL_CLUSTER_REDUCE(a, a, SUM, smem, 0, ll_add());
    p[threadIdx.x] = a[0];
}
