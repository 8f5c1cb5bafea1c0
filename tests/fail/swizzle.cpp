// ll: OUT: a swizzle's vec, per_phase and max_phase are powers of two, and vec * max_phase is at most the columns
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_swizzled(ll_shape_of("j=64 i=8"), 8, 1, 8));
#else
LL_LAYOUT(OUT, ll_swizzled(ll_shape_of("j=32 i=8"), 8, 1, 8));
#endif
