// ll: OUT: a swizzle has vec, per_phase and max_phase that are powers of two, vec * max_phase at most the columns
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_swizzled(ll_shape_of("j=64 i=8"), 8, 1, 8));
#else
LL_LAYOUT(OUT, ll_swizzled(ll_shape_of("j=32 i=8"), 8, 1, 8));
#endif
