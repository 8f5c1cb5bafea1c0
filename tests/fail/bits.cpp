// ll: OUT: a layout has at most 32 bits on each side
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: i15 j15"));
#else
LL_LAYOUT(OUT, ll_parse("lane: i15 j16"));
#endif
