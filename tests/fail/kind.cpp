// ll: PLAN: data goes further than that kind of conversion or gather brings it (LL_SHUFFLES: within its warp, LL_SHARED: its block); or for LL_COPIES no lane has 4 bytes of a row
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN_BY(PLAN, IN, OUT, 32, LL_SM90, LL_SHARED);
#else
LL_PLAN_BY(PLAN, IN, OUT, 32, LL_SM90, LL_SHUFFLES);
#endif
