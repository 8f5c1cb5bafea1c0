// ll: OUT: the dimensions of the two layouts must have the same names and fitting sizes, and a list must name them all
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
#else
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j"));
#endif
