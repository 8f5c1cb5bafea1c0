// ll: LL_CAST: TO and FROM must be ll_s4, ll_u4, ll_s8, ll_u8, ll_e2m1, ll_e2m3, ll_e3m2, ll_e4m3, ll_e5m2, ll_f16, ll_bf16 or ll_f32; TO may be ll_f64
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
