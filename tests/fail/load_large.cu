// ll: a lane has more than 4096 bytes of the tile, but registers for 1020: use more warps, or parts of the tile in turn
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(IN, ll_rows(64, 64, 4));
#else
LL_LAYOUT(IN, ll_rows(4096, 4096, 4));
#endif

__global__ void kernel(const float *src) {
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 4096);
}
