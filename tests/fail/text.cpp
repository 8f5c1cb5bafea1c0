// ll: OUT: the text is not a layout: a group, column, name or size was expected
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("register: j0 | lane: i0 i1"));
#else
LL_LAYOUT(OUT, ll_parse("register: j0 | lane i0 i1"));
#endif
