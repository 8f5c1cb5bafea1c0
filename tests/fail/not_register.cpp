// ll: OUT: the axis to split must be one bit of the register number, alone
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_split(ll_parse("register: j0 | lane: i0")));
#else
LL_LAYOUT(OUT, ll_split(ll_parse("register: i0 | lane: j0")));
#endif
