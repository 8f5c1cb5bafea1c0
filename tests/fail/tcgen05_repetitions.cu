// ll: tcgen05.ld, tcgen05.st: the repetitions are a power of two, and the registers at most 128
#define LL_TENSOR
#define LL_PTX_ANY_TARGET_
#include "ll_ptx.h"

__global__ void kernel(unsigned *dst) {
    unsigned r[4] = {threadIdx.x, 1};
#ifdef TWIN
    ll_ptx_tcgen05_ld_32x32b<4>(r, 0);
#else
    ll_ptx_tcgen05_ld_32x32b<3>(r, 0);
#endif
    dst[threadIdx.x] = r[0] + r[1];
}
