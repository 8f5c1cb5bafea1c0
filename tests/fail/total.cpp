// ll: OUT: the new sizes must hold as many elements as the old
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_reshape_out(ll_parse("lane: i0 i1"), ll_shape_of("j=2 i=2")));
#else
LL_LAYOUT(OUT, ll_reshape_out(ll_parse("lane: i0 i1"), ll_shape_of("j=4 i=2")));
#endif
