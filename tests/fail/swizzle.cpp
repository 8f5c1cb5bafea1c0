// ll: OUT: swizzle is 0, 32, 64 or 128 bytes, and atom is 16, or 32 or 64 where swizzle is 128
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_tma(32, 16, 0));
#else
LL_LAYOUT(OUT, ll_ptx_tma(32, 32, 0));
#endif
