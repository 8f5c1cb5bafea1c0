// ll: OUT: a cast to wider elements needs all parts of each in neighbouring registers of one lane, or at neighbouring offsets
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_bitcast(ll_parse("register: j0 | lane: i0"), 8, 16));
#else
LL_LAYOUT(OUT, ll_bitcast(ll_parse("register: i0 | lane: j0"), 8, 16));
#endif
