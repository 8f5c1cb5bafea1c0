// ll: PUT: the memory of a plan must be the value of a layout, such as LL_GET(LAYOUT) or LL_GET(PLAN).memory
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_PLAN_THROUGH(PUT, IN, IN, 32, LL_SM90, LL_GET(TURN).memory);
#else
LL_PLAN_THROUGH(PUT, IN, IN, 32, LL_SM90, LL_GET(TURN));
#endif
