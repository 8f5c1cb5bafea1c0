// ll: OUT: the dimensions of the two layouts, or of a layout and a list of them, must have the same names and fitting sizes
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_compose(ll_parse("i: x0 x1"), ll_parse("lane: i1 i0")));
#else
LL_LAYOUT(OUT, ll_compose(ll_parse("j: x0 x1"), ll_parse("lane: i1 i0")));
#endif
