// ll: FEED: a memory layout has the input offset alone, and no two offsets hold the same element; a plan of kind LL_NOTHING, LL_REGISTERS or LL_LANES has no memory
#include "ll_ptx.h"

LL_LAYOUT(A, ll_ptx_mma_a(64, 64, 16, 4));

#ifdef TWIN
LL_PLAN_THROUGH(FEED, A, A, 16, LL_SM90, ll_ptx_smem_k(64, 64, 16, 128));
#else
LL_PLAN_THROUGH(FEED, A, A, 16, LL_SM90, LL_GET(A));
#endif
