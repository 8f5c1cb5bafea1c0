// ll: src or dst must point to elements, not to void
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
#ifdef TWIN
typedef float element;
#else
typedef void element;
#endif

__global__ void kernel(float *dst, const element *src) {
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
    LL_STORE(a, IN, dst, 64);
}
