// ll: OUT: an axis that is taken away or repeated has size 1
// and: ll: got VALUE_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_unsqueeze_back(ll_parse("lane: i0 -> j=1 | i=2"), LL_J));
#else
LL_LAYOUT(OUT, ll_unsqueeze_back(ll_parse("lane: i0 j0"), LL_J));
#endif
