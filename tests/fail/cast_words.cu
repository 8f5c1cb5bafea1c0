// ll: LL_CAST: an array of numbers is one of words, but of floats for ll_f32
#define LL_TENSOR
#include "ll_ptx.h"

__global__ void kernel(float *dst) {
    unsigned a[1] = {threadIdx.x};
    float b[2];
#ifdef TWIN
    LL_CAST(b, a, ll_f32, ll_f16);
#else
    LL_CAST(b, a, ll_bf16, ll_f16);
#endif
    dst[threadIdx.x] = b[0] + b[1];
}
