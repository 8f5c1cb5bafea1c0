// ll: OUT: a dimension is named twice on one side
// and: ll: the text is wrong at character CHARACTER_, counted from 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: i0 | warp: i1"));
#else
LL_LAYOUT(OUT, ll_parse("lane: i0 | lane: i1"));
#endif
