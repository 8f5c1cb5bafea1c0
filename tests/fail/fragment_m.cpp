// ll: OUT: m is 8 or 16 for mma, and 32, 64 or 128 for tcgen05.mma
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_fragment_a(16, 16, 16));
#else
LL_LAYOUT(OUT, ll_ptx_fragment_a(64, 16, 16));
#endif
