// ll: OUT: a DPAS has sizes that are powers of two, 1, 2 or 4 ops a channel, and lanes that fill whole rows of the operand, no more than it has
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_dpas_a(8, 8, 2, 16));
#else
LL_LAYOUT(OUT, ll_dpas_a(8, 8, 3, 16));
#endif
