// ll: TURN: the plan costs more than 20 cycles (ll_explain shows why)
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#ifdef TWIN
LL_EXPECT_CYCLES(TURN, 80);
#else
LL_EXPECT_CYCLES(TURN, 20);
#endif
