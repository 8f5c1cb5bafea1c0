// ll: OUT: a name has at most 10 of a-z A-Z 0-9 _, no digit first
// and: ll: the text is wrong at character CHARACTER_, counted from 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("accumulate: i0"));
#else
LL_LAYOUT(OUT, ll_parse("accumulator: i0"));
#endif
