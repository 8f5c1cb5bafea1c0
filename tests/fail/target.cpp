// ll: TURN: the target is not one that this library knows, or it does not have that many lanes
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, ll_ptx_target(90));
#else
LL_PLAN(TURN, IN, OUT, 32, ll_ptx_target(70));
#endif
