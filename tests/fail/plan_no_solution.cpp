// ll: TURN: the first layout does not reach every element that the second one holds (ll_compare tells which)
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4"));
LL_LAYOUT(HOLES, ll_parse("register: 0 | lane: i0 i1 i2 i3 i4 -> j=2 | i=32"));
LL_LAYOUT(OUT, ll_parse("register: i0 | lane: j0 i1 i2 i3 i4"));

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, HOLES, OUT, 32, LL_SM90);
#endif
