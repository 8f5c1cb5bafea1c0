// ll: how must be 0, LL_STREAM, LL_WIDE or both
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));

__global__ void kernel(float *dst, const float *src) {
    float a[LL_REGS(IN)];
#ifdef TWIN
    LL_LOAD_BY(a, IN, LL_STREAM | LL_WIDE, src, 64);
#else
    LL_LOAD_BY(a, IN, 16, src, 64);
#endif
    dst[threadIdx.x] = a[0];
}
