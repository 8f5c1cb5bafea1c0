// ll: TURN: data goes further than that kind of conversion or gather brings it
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 2));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN_BY(TURN, IN, OUT, 16, LL_SM80, LL_COPIES);
#else
LL_PLAN_BY(TURN, OUT, IN, 16, LL_SM80, LL_COPIES);
#endif
