// ll: LL_SORT: the order after smem must be ll_up() or ll_down(), with the parentheses, or a function of two elements that says whether the first comes before the second
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
    LL_SORT(a, a, LINES, smem, ll_down);
#endif
    LL_STORE(a, IN, dst, 32);
}
