// ll: OUT: Swizzle<b, m, s> has b at most |s| and m + |s| + b at most 32; with s negative it moves bits up, so the size has to be at least 2^(m + |s| + b), or at most 2^m
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_cute_swizzle(1024, 3, 4, 3));
#else
LL_LAYOUT(OUT, ll_cute_swizzle(1024, 3, 4, 2));
#endif
