// ll: include ll_ptx.h (NVIDIA) or ll_amd.h (AMD)
// at: LL_PLAN(TURN
#ifdef TWIN
# include "ll_ptx.h"
#endif
#include "ll.h" // alone

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
LL_EXPECT_NO_CONFLICTS(TURN);
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, LL_SM80);
