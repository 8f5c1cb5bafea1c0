// ll: the array has given_ elements below, but must have needed_: LL_REGS of its layout, or LL_WORDS words
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));

__global__ void kernel(float *dst, const float *src) {
#ifdef TWIN
    float a[LL_REGS(IN)];
#else
    float a[LL_REGS(IN) + 1];
#endif
    LL_LOAD(a, IN, src, 64);
    dst[threadIdx.x] = a[0];
}
