// ll: the inputs of a layout of registers must be register, lane, warp and block; SPELT_ below is another one
// shows: 'o', 'f', 'f', 's', 'e', 't'
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(IN, ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4"));
#else
LL_LAYOUT(IN, ll_parse("offset: j0 j1 | lane: i0 i1 i2 i3 i4"));
#endif

__global__ void kernel(float *dst, const float *src) {
    float a[4];
    LL_LOAD(a, IN, src, 4);
    LL_STORE(a, IN, dst, 4);
}
