// ll: tcgen05: only sm_100, sm_103 and sm_110 have it, by their own name
#define LL_TENSOR
#include "ll_ptx.h"

__global__ void kernel(unsigned *dst) {
    unsigned r[2] = {threadIdx.x, 1};
#ifndef TWIN
    ll_ptx_tcgen05_ld_32x32b<2>(r, 0);
#endif
    dst[threadIdx.x] = r[0] + r[1];
}
