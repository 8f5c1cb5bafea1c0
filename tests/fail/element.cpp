// ll: TURN: an element has 8, 16, 32, 64 or 128 bits, or 6, one to a byte; or 4, which conversions and tiles move two to a byte
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, IN, OUT, 24, LL_SM90);
#endif
