// ll: tcgen05.ld, tcgen05.st: the repetitions are a power of two, and the registers at most 128
// and: ll: tcgen05: this target lacks it; compile with -arch=sm_100a, sm_103a or sm_110a
#define LL_TENSOR
#include "ll_ptx.h"

__global__ void kernel(unsigned *dst) {
    unsigned r[4] = {threadIdx.x, 1};
#ifndef TWIN
    ll_ptx_tcgen05_ld_32x32b<3>(r, 0);
#endif
    dst[threadIdx.x] = r[0] + r[1];
}
