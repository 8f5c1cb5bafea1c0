// ll: LL_CAST: the order must be one that a shift and a mask unpack, as that of ll_ptx_twiddled(4, 16, 10) for 16 bits, or (4, 8, 8) for 8 bits
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(ORDER, ll_ptx_twiddled(4, 16, 10));
#else
LL_LAYOUT(ORDER, ll_parse("offset: bit0 bit1 e0 e1 e2"));
#endif

__global__ void kernel(unsigned *dst) {
    unsigned a[1] = {threadIdx.x}, b[4];
    LL_CAST(b, a, ll_f16, LL_TWIDDLED(ll_s4, ORDER));
    dst[threadIdx.x] = b[0] + b[1] + b[2] + b[3];
}
