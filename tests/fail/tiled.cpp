// ll: OUT: a size is a power of two, at least 1
// and: ll: got VALUE_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_tiled(ll_parse("register: j0 | lane: i0"),
                        ll_shape_of("j=8 i=4"), ll_shape_of("i=2")));
#else
LL_LAYOUT(OUT, ll_tiled(ll_parse("register: j0 | lane: i0"),
                        ll_shape_of("j=8 i=4"), ll_shape_of("i=3")));
#endif
