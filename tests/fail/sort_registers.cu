// ll: the array has given_ elements below, but must have needed_: LL_REGS of its layout
// shows: given_=3U, needed_=8U
#define LL_SORTS
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
LL_SORT_PLAN(LINES, IN, LL_J, 32, LL_SM90);

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(LINES)];
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 32);
#ifdef TWIN
    LL_SORT(a, a, LINES, smem, ll_up());
#else
    float few[3];
    LL_SORT(few, a, LINES, smem, ll_up());
    a[0] = few[0];
#endif
    LL_STORE(a, IN, dst, 32);
}
