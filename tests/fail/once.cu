// ll: IN: a size is a power of two, at least 1
// and: ll: got VALUE_
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(IN, ll_rows(64, 64, 4));
#else
LL_LAYOUT(IN, ll_rows(64, 96, 4));
#endif
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
LL_EXPECT_KIND(TURN, LL_SHARED);
LL_EXPECT_NO_CONFLICTS(TURN);
LL_EXPECT_VECTOR(IN, 4);

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_LOAD(a, IN, src, 64);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, OUT, dst, 64);
}
