// ll: OUT: a text or a list of numbers is a null pointer
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: i0"));
#else
LL_LAYOUT(OUT, ll_parse(nullptr));
#endif
