// ll: OUT: a layout has at most 32 bits on each side
// and: ll: the text is wrong at character CHARACTER_, counted from 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: i15 j15"));
#else
LL_LAYOUT(OUT, ll_parse("lane: i15 j16"));
#endif
