// ll: OUT: the layout is not the identity on the dimensions
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_quotient(ll_parse("lane: lane1 lane0 | warp: warp0"), "warp"));
#else
LL_LAYOUT(OUT, ll_quotient(ll_parse("lane: lane1 lane0 | warp: warp0"), "lane"));
#endif
