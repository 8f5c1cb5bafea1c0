// ll: LINES: define LL_SORTS before including ll.h
// at: LL_SORT_PLAN(LINES
#ifdef TWIN
#define LL_SORTS
#endif
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
LL_SORT_PLAN(LINES, IN, LL_J, 32, LL_SM90);

__global__ void kernel(unsigned *p) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(LINES)];
    unsigned a[LL_REGS(IN)];
    LL_LOAD(a, IN, p, 32);
    LL_SORT(a, a, LINES, smem, ll_up());
    p[threadIdx.x] = a[0] + smem[0];
}
