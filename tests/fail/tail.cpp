// ll: OUT: named sizes after -> have a | between them, the fastest first, as in -> j=16 | i=16
// and: ll: the text is wrong at character CHARACTER_, counted from 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: i0 i1 -> i=4 | j=2"));
#else
LL_LAYOUT(OUT, ll_parse("lane: i0 i1 -> i=4 j=2"));
#endif
