// ll: OUT: the matrix is singular, so it has no inverse
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_inv(ll_parse("lane: i0 i0^i1")));
#else
LL_LAYOUT(OUT, ll_inv(ll_parse("lane: i0 i0 -> 4")));
#endif
