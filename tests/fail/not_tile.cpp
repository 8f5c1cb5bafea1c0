// ll: OUT: the layout is not block diagonal on the tile
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_div(ll_parse("register: j0 j1"), ll_parse("register: j0")));
#else
LL_LAYOUT(OUT, ll_div(ll_parse("register: j1 j0"), ll_parse("register: j0")));
#endif
