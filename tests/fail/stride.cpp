// ll: OUT: a stride is a power of two, at least 1
// and: ll: got VALUE_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_strided(8, 4, LL_LANE, LL_I));
#else
LL_LAYOUT(OUT, ll_strided(8, 6, LL_LANE, LL_I));
#endif
