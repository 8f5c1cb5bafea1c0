// LL_EXPECT_CYCLES takes a plan
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_PLAN(TURN, IN, IN, 32, LL_SM90);

#ifdef TWIN
LL_EXPECT_CYCLES(TURN, 4);
#else
LL_EXPECT_CYCLES(LL_GET(TURN), 4);
#endif
