// ll: TURN: the target has no copies from global to shared memory, which LL_COPIES is for: a plan of LL_PLAN takes tiles through registers
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 2));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
#ifdef TWIN
LL_PLAN_BY(TURN, IN, OUT, 16, LL_SM80, LL_COPIES);
#else
LL_PLAN_BY(TURN, IN, OUT, 16, LL_SM75, LL_COPIES);
#endif
