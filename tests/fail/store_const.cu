// ll: LL_STORE: dst must not point to const elements
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));

__global__ void kernel(float *dst, const float *src) {
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
#ifdef TWIN
    LL_STORE(a, IN, dst, 64);
#else
    LL_STORE(a, IN, src, 64);
#endif
}
