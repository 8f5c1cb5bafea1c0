// ll: LL_COPY: the tile's type must have the plan's element bits
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 2));
LL_PLAN_BY(TURN, IN, IN, 16, LL_SM80, LL_COPIES);
#ifdef TWIN
typedef short element;
#else
typedef float element;
#endif

__global__ void kernel(float *dst, const element *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    LL_COPY(TURN, smem, src, 64);
    dst[threadIdx.x] = smem[threadIdx.x];
}
