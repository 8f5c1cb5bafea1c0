// ll: LL_BARRIER: the id must be 1 to 15 (0 is __syncthreads), and the scope must be of whole warps
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
LL_LAYOUT(OUT, ll_trans(ll_rows(32, 32, 4), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#ifdef TWIN
LL_SCOPE(ALL, threadIdx.x, 128, LL_BARRIER(15));
#else
LL_SCOPE(ALL, threadIdx.x, 128, LL_BARRIER(16));
#endif

__global__ void kernel(unsigned *dst) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    LL_IN(ALL);
    unsigned a[LL_REGS(IN)] = {threadIdx.x}, b[LL_REGS(OUT)];
    LL_CONVERT(b, a, TURN, smem);
    dst[threadIdx.x] = b[0];
}
