// ll: OUT: the layout does not reach every element, so it has no right inverse
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_rinv(ll_parse("lane: i0 i1 i0")));
#else
LL_LAYOUT(OUT, ll_rinv(ll_parse("lane: i0 i2 i0")));
#endif
