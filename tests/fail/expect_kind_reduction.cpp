// ll: TURN: LL_EXPECT_KIND takes a plan of LL_PLAN or LL_GATHER_PLAN
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(MOVE, IN, OUT, 32, LL_SM90);
LL_REDUCE_PLAN(TURN, IN, LL_J, 32, LL_SM90);

#ifdef TWIN
LL_EXPECT_KIND(MOVE, LL_SHARED);
#else
LL_EXPECT_KIND(TURN, LL_SHARED);
#endif
