// ll: OUT: elements are cast between sizes of 1, 2, 4, .. or 128 bits
// and: ll: got VALUE_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_bitcast(ll_rows(64, 64, 1), 8, 4));
#else
LL_LAYOUT(OUT, ll_bitcast(ll_rows(64, 64, 1), 8, 12));
#endif
