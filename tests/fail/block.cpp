// ll: TURN: data crosses blocks, which takes a conversion on a target with clusters of that many blocks; elsewhere what a lane needs must lie in its own block, in the same place in every block
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5"));
LL_LAYOUT(OUT, ll_parse("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0"));

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, IN, OUT, 32, LL_SM80);
#endif
