// ll: LL_COPY: 4, 8 or 16 bytes must be contiguous both in a row of the tile and in shared memory: LL_PLAN_BY with LL_COPIES makes such plans
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 2));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN_BY(TURN, IN, OUT, 16, LL_SM90, LL_COPIES);
#else
LL_PLAN_BY(TURN, OUT, IN, 16, LL_SM80, LL_ANY);
#endif

__global__ void kernel(float *dst, const short *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    LL_COPY(TURN, smem, src, 64);
    dst[threadIdx.x] = smem[threadIdx.x];
}
