// ll: OUT: the first layout does not reach every element that the second one holds (ll_compare tells which)
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_solve(ll_parse("lane: i0 i1"), ll_parse("warp: i1"), LL_LOCAL));
#else
LL_LAYOUT(OUT, ll_solve(ll_parse("lane: i0 i0 -> 4"), ll_parse("warp: i1"),
                        LL_LOCAL));
#endif
