// ll: TURN: LL_EXPECT_VECTOR takes a layout of LL_LAYOUT
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_EXPECT_VECTOR(IN, 4);
#else
LL_EXPECT_VECTOR(TURN, 4);
#endif
