// ll: LL_CAST: b and a must be arrays of unsigned, but of float for ll_f32 and of double for ll_f64
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
