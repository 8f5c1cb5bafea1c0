// ll: OUT: b of Swizzle<b, m, s> is at most |s|, and all bits below 32
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_cute_swizzle(1024, 3, 4, 3));
#else
LL_LAYOUT(OUT, ll_cute_swizzle(1024, 3, 4, 2));
#endif
