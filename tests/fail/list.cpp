// ll: OUT: the dimensions of the two layouts, or of a layout and a list of them, must have the same names and fitting sizes
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
#else
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j"));
#endif
