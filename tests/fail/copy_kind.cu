// ll: LL_COPY: the plan must store vectors to shared memory in one pass: LL_PLAN_BY with LL_COPIES makes such plans
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 2));
LL_LAYOUT(OUT, ll_ptx_mma_a(64, 64, 16, 4));
#ifdef TWIN
LL_PLAN_BY(TURN, IN, OUT, 16, LL_SM90, LL_COPIES);
#else
LL_PLAN(TURN, IN, IN, 16, LL_SM90);
#endif

__global__ void kernel(float *dst, const short *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    LL_COPY(TURN, smem, src, 64);
    dst[threadIdx.x] = smem[threadIdx.x];
}
