// ll: TURN: the plan is not of kind LL_REGISTERS
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_EXPECT_KIND(TURN, LL_SHARED);
#else
LL_EXPECT_KIND(TURN, LL_REGISTERS);
#endif
