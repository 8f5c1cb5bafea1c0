// ll: the array holds 4-bit elements, two per byte, so the pointer must be to ll_b4x2; it is to elements of 8 bits
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_bitcast(ll_rows(64, 32, 1), 8, 4));

#ifdef TWIN
typedef ll_b4x2 element;
#else
typedef unsigned char element;
#endif

__global__ void kernel(const element *src, unsigned *out) {
    unsigned a[LL_WORDS(IN, 4)] = {0};
    LL_LOAD(a, IN, src, 32);
    out[threadIdx.x] = a[0];
}
