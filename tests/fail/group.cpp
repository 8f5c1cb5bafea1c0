// ll: OUT: a group of elements with one scale is a power of two, and no larger than the axis
// and: ll: got VALUE_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_scales_of(ll_rows(64, 64, 1), LL_J, 64));
#else
LL_LAYOUT(OUT, ll_scales_of(ll_rows(64, 64, 1), LL_J, 48));
#endif
