// ll: the plan uses instructions of its target (matrix accesses, copies, clusters) that the GPU compiled for lacks: LL_TARGET_HERE is the target of that GPU
#include "ll_ptx.h"

LL_LAYOUT(A, ll_rows(128, 128, 1));
LL_LAYOUT(B, ll_trans(ll_rows(128, 128, 1), "j i"));
#ifdef TWIN
LL_PLAN(TURN, A, B, 8, LL_SM90);
#else
LL_PLAN(TURN, A, B, 8, LL_SM100F);
#endif

__global__ void turn(unsigned *dst, const unsigned char *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    unsigned a[LL_WORDS(A, 8)], b[LL_WORDS(B, 8)];
    LL_LOAD(a, A, src, 128);
    LL_CONVERT(b, a, TURN, smem);
    dst[threadIdx.x] = b[0];
}
