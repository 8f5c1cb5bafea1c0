// ll: PLAN: the conversion or gather cannot be made by means of that kind
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN_BY(PLAN, IN, OUT, 32, LL_SM90, LL_SHARED);
#else
LL_PLAN_BY(PLAN, IN, OUT, 32, LL_SM90, LL_SHUFFLES);
#endif
