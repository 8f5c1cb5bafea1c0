// ll: LL_COPY: copies must be as wide as the plan's stores, which are wider than its pieces of a row: LL_PLAN_BY with LL_COPIES makes such plans
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 128, 4));
LL_LAYOUT(OUT, ll_trans(ll_rows(128, 64, 4), "j i"));
#ifdef TWIN
LL_PLAN_BY(TURN, IN, OUT, 32, LL_SM90, LL_COPIES);
#else
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    LL_COPY(TURN, smem, src, 128);
    dst[threadIdx.x] = smem[threadIdx.x];
}
