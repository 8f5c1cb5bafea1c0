// ll: OUT: a dimension that is asked for is not in the layout
// and: ll: the missing dimension is SPELT_
// shows: <'j', ' '
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_flip(ll_parse("lane: i0 i1"), LL_I, 3));
#else
LL_LAYOUT(OUT, ll_flip(ll_parse("lane: i0 i1"), LL_J, 3));
#endif
