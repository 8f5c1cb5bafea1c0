// ll: include ll_ptx.h (NVIDIA) or ll_amd.h (AMD)
#ifdef TWIN
# include "ll_ptx.h"
#endif
#include "ll_amd.h" // alone

#ifdef TWIN
#define HERE LL_SM90
#else
#define HERE LL_GFX1100
#endif

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, HERE);
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, HERE);

__global__ void kernel(float *dst) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)] = {}, b[LL_REGS(OUT)] = {};
    LL_CONVERT(b, a, TURN, smem);
    LL_REDUCE_EACH(b, b, SUM, smem, ll_add());
    dst[threadIdx.x] = b[0];
}
