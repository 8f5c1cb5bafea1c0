// ll: a tile of row-major memory: a tile in memory has one or two axes
#include "ll_ptx.h"

LL_LAYOUT(FLAT, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4"));
LL_LAYOUT(CUBE, ll_parse("register: k0 | lane: i0 i1 i2 j0 j1"));

__global__ void kernel(float *dst, const float *src) {
#ifdef TWIN
    float a[LL_REGS(FLAT)];
    LL_LOAD(a, FLAT, src, 2);
#else
    float a[LL_REGS(CUBE)];
    LL_LOAD(a, CUBE, src, 2);
#endif
    dst[threadIdx.x] = a[0];
}
