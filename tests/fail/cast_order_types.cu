// ll: LL_CAST: from LL_TWIDDLED numbers, FROM must be ll_s4, ll_u4 or ll_e2m1 and TO ll_f16 or ll_bf16, or FROM ll_s4 and TO ll_s8, or FROM ll_u4 and TO ll_s8 or ll_u8
#include "ll_ptx.h"

LL_LAYOUT(ORDER, ll_ptx_twiddled(4, 8, 8));

__global__ void kernel(unsigned *dst) {
    unsigned a[1] = {threadIdx.x}, b[2];
#ifdef TWIN
    LL_CAST(b, a, ll_u8, LL_TWIDDLED(ll_u4, ORDER));
#else
    LL_CAST(b, a, ll_u8, LL_TWIDDLED(ll_s4, ORDER));
#endif
    dst[threadIdx.x] = b[0] + b[1];
}
