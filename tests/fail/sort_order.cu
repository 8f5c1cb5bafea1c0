// ll: LL_SORT: ll_up and ll_down order integers, floating-point numbers, and ll_keyed with such a key; for other types give a function that says whether x comes before y
#define LL_SORTS
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
LL_SORT_PLAN(LINES, IN, LL_J, 32, LL_SM90);

#ifdef TWIN
typedef float number;
#else
struct number {
    short high, low;
};
#endif

__global__ void kernel(number *dst, const number *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(LINES)];
    number a[LL_REGS(IN)];
    LL_EACH(r, IN) { a[r] = src[threadIdx.x + r]; }
    LL_SORT(a, a, LINES, smem, ll_up());
    dst[threadIdx.x] = a[0];
}
