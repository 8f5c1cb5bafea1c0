// ll: OUT: an axis is i, j, k, .. up to x, and a new one leaves no gap after the last
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_unsqueeze(ll_parse("lane: i0"), LL_J));
#else
LL_LAYOUT(OUT, ll_unsqueeze(ll_parse("lane: i0"), LL_K));
#endif
