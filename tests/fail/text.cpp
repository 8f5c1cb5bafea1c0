// ll: OUT: the text is not a layout: a group, column, name or size was expected
// and: ll: the text is wrong at character CHARACTER_, counted from 1
// shows: CHARACTER_ ?= ?16|ll_wrong_at_<16|16U? == 0
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("register: j0 | lane: i0 i1"));
#else
LL_LAYOUT(OUT, ll_parse("register: j0 | lane i0 i1"));
#endif
