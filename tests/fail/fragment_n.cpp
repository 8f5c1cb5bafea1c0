// ll: OUT: n is 8 for mma, at least 8 for wgmma, and a power of two from 8 to 256 for tcgen05.mma
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_fragment_b(16, 8, 16));
#else
LL_LAYOUT(OUT, ll_ptx_fragment_b(16, 16, 16));
#endif
