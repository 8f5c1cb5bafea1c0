// ll: OUT: a swizzle has vec, per_phase and max_phase that are powers of two, vec * max_phase at most the columns; or b of at most |s|, and all bits below 32; or 0, 32, 64 or 128 bytes, and atom 16, or 32 or 64 where they are 128
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_tma(32, 16, 0));
#else
LL_LAYOUT(OUT, ll_ptx_tma(32, 32, 0));
#endif
