// ll: OUT: a column has a bit outside of its dimension's size
// and: ll: the text is wrong at character CHARACTER_, counted from 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: i0 i1 i3 -> i=16"));
#else
LL_LAYOUT(OUT, ll_parse("lane: i0 i1 i3 -> i=8"));
#endif
