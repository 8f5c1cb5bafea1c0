// ll: FIRST: this argument must be the name of a layout of LL_LAYOUT, without LL_GET
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(FIRST, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, FIRST, OUT, 32, LL_SM90);
#endif
