// ll: OUT: a dimension that is asked for is not in the layout
// and: ll: the missing dimension is SPELT_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_blocked(ll_shape_of("j=16 i=16"), ll_shape_of("j=2"),
                          ll_shape_of("j=8 i=4"), ll_shape_of("i=2")));
#else
LL_LAYOUT(OUT, ll_blocked(ll_shape_of("j=16 i=16"), ll_shape_of("k=2"),
                          ll_shape_of("j=8 i=4"), ll_shape_of("i=2")));
#endif
