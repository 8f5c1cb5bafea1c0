// ll: LL_SMEM_BYTES takes the name of a plan, such as of LL_PLAN
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_PLAN(TURN, IN, IN, 32, LL_SM90);

#ifdef TWIN
unsigned words[LL_SMEM_BYTES(TURN)];
#else
unsigned words[LL_SMEM_BYTES(IN)];
#endif
