// ll: LL_CAST: there is no conversion between these numbers
#define LL_TENSOR
#include "ll_ptx.h"

__global__ void kernel(unsigned *dst) {
    unsigned a[2] = {threadIdx.x, 1}, b[2];
#ifdef TWIN
    LL_CAST(b, a, ll_f16, ll_bf16);
#else
    LL_CAST(b, a, ll_f16, ll_f64);
#endif
    dst[threadIdx.x] = b[0] + b[1];
}
