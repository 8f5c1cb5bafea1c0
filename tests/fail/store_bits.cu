// ll: an element of the array has 32 bits, of src, dst or the plan 16: convert first, as by LL_CAST
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));

__global__ void kernel(float *dst, const float *src) {
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
#ifdef TWIN
    LL_STORE(a, IN, dst, 64);
#else
    LL_STORE(a, IN, (unsigned short *)dst, 64);
#endif
}
