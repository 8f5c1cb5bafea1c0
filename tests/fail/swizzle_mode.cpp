// ll: OUT: a swizzle mode has swizzle 0, 32, 64 or 128 and atom 16, or swizzle 128 and atom 32 or 64 (an operand of wgmma or tcgen05.mma: 32); flip is 8 with atom 32, or 0
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_tma(32, 16, 0));
#else
LL_LAYOUT(OUT, ll_ptx_tma(32, 32, 0));
#endif
