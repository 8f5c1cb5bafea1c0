// ll: an element of the array has given_ bits below, but must have needed_, the plan's element bits
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
LL_LAYOUT(OUT, ll_reduce(LL_GET(IN), LL_J));
#ifdef TWIN
LL_REDUCE_PLAN(LINES, IN, LL_J, 32, LL_SM90);
#else
LL_REDUCE_PLAN(LINES, IN, LL_J, 16, LL_SM90);
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(LINES)];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_EACH(r, IN) { a[r] = src[threadIdx.x + r]; }
    LL_REDUCE(b, a, LINES, smem, [](float x, float y) { return x + y; });
    dst[threadIdx.x] = b[0];
}
