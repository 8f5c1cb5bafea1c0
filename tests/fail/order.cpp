// ll: OUT: the dimensions of the two layouts are in contradictory orders
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_mul(ll_parse("register: j0 | lane: i0"),
                      ll_parse("register: j0 | lane: i0")));
#else
LL_LAYOUT(OUT, ll_mul(ll_parse("register: j0 | lane: i0"),
                      ll_parse("lane: i0 | register: j0")));
#endif
