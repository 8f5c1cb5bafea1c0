// ll: tcgen05 needs sm_100, sm_103 or sm_110 with suffix a or f: compile with -gencode arch=compute_100a,code=sm_100a
#define LL_TENSOR
#include "ll_ptx.h"

__global__ void kernel(unsigned *dst) {
    unsigned r[2] = {threadIdx.x, 1};
#ifndef TWIN
    ll_ptx_tcgen05_ld_32x32b<2>(r, 0);
#endif
    dst[threadIdx.x] = r[0] + r[1];
}
