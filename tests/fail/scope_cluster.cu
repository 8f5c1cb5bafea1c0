// ll: a plan of kind LL_CLUSTER needs a scope with the barrier LL_BARRIER_CLUSTER()
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_parse("register: j0 j1 | lane: j2 j3 i0 i1 i2 | block: i3"));
LL_LAYOUT(OUT, ll_parse("register: j0 i3 | lane: j2 j3 i0 i1 i2 | block: j1"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#ifdef TWIN
LL_SCOPE(ALL, threadIdx.x, 32, LL_BARRIER_CLUSTER());
#else
LL_SCOPE(ALL, threadIdx.x, 32, __syncthreads());
#endif

__global__ void kernel(unsigned *dst) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    LL_IN(ALL);
    unsigned a[LL_REGS(IN)] = {threadIdx.x}, b[LL_REGS(OUT)];
    LL_CONVERT(b, a, TURN, smem);
    dst[threadIdx.x] = b[0];
}
