// ll: OUT: a size is a power of two, at least 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_rows(64, 128, 2));
#else
LL_LAYOUT(OUT, ll_rows(64, 96, 2));
#endif
