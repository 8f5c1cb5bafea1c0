// ll: TURN: a kind is LL_NOTHING, LL_REGISTERS, LL_SHUFFLES, LL_SHARED, LL_CLUSTER or LL_ANY; of a conversion LL_COPIES as well
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
#ifdef TWIN
LL_PLAN_BY(TURN, IN, OUT, 32, LL_SM90, LL_ANY);
#else
LL_PLAN_BY(TURN, IN, OUT, 32, LL_SM90, LL_COPIES + 1);
#endif
