// ll: LL_CAST: b and a must have the same number of elements
#define LL_TENSOR
#include "ll_ptx.h"

__global__ void kernel(unsigned *dst) {
#ifdef TWIN
    unsigned a[2] = {threadIdx.x, 1}, b[4];
#else
    unsigned a[2] = {threadIdx.x, 1}, b[2];
#endif
    LL_CAST(b, a, ll_f16, ll_s8);
    dst[threadIdx.x] = b[0] + b[1];
}
