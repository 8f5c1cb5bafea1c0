// ll: OUT: the layout has no axis: it has no output
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_bitcast(ll_parse("register: j0"), 8, 16));
#else
LL_LAYOUT(OUT, ll_bitcast(ll_parse("register:"), 8, 16));
#endif
