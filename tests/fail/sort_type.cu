// ll: an element of the array has given_ bits below, but must have needed_, the plan's element bits
// shows: given_=32U, needed_=64U
#define LL_SORTS
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
#ifdef TWIN
LL_SORT_PLAN(LINES, IN, LL_J, 32, LL_SM90);
#else
LL_SORT_PLAN(LINES, IN, LL_J, 64, LL_SM90);
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(LINES)];
    float a[LL_REGS(IN)];
    LL_EACH(r, IN) { a[r] = src[threadIdx.x + r]; }
    LL_SORT(a, a, LINES, smem, ll_up());
    dst[threadIdx.x] = a[0];
}
