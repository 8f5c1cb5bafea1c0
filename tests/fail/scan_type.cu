// ll: an element of the array has given_ bits below, but must have needed_, the plan's element bits
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
#ifdef TWIN
LL_SCAN_PLAN(LINES, IN, LL_J, 32, LL_SM90);
enum { N = LL_REGS(IN) };
#else
LL_SCAN_PLAN(LINES, IN, LL_J, 16, LL_SM90);
enum { N = LL_REGS(IN) };
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(LINES)];
    float a[LL_REGS(IN)], b[N];
    LL_EACH(r, IN) { a[r] = src[threadIdx.x + r]; }
    LL_SCAN(b, a, LINES, smem, [](float x, float y) { return x + y; });
    dst[threadIdx.x] = b[0];
}
