// ll: SUM: an axis must be LL_I, LL_J and so on, or its number, not a text
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
#ifdef TWIN
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, LL_SM90);
#else
LL_REDUCE_PLAN(SUM, IN, "j", 32, LL_SM90);
#endif
unsigned bytes = LL_SMEM_BYTES(SUM);
