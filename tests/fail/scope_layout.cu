// ll: LL_IN takes the name of a scope of LL_SCOPE
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_SCOPE(HALF, LL_THREAD(), 128, LL_BARRIER(1));

__global__ void kernel(float *dst, const float *src) {
#ifdef TWIN
    LL_IN(HALF);
#else
    LL_IN(IN);
#endif
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
    LL_SYNC();
    LL_STORE(a, IN, dst, 64);
}
