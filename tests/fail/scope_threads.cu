// ll: the scope has GIVEN_ threads below, but must have NEEDED_, the LL_THREADS of the layouts (give a side with fewer warps its own plan by LL_PLAN_THROUGH)
// shows: GIVEN_ ?= ?64|ll_scope_has_<.*64U?, .*128U?>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
#ifdef TWIN
LL_SCOPE(FEW, threadIdx.x, 128, LL_BARRIER(1));
#else
LL_SCOPE(FEW, threadIdx.x, 64, LL_BARRIER(1));
#endif

__global__ void kernel(float *dst, const float *src) {
    LL_IN(FEW);
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 32);
    dst[threadIdx.x] = a[0];
}
