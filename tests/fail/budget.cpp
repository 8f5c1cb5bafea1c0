// ll: PLAN: the conversion needs more bytes of shared memory than that: a further pass needs a register that is the same on both sides
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN_WITHIN(PLAN, IN, OUT, 32, LL_SM90, 16384);
#else
LL_PLAN_WITHIN(PLAN, IN, OUT, 32, LL_SM90, 1024);
#endif
