// ll: OUT: n is 8 for mma, at least 8 for wgmma, and a power of two up to 256 for tcgen05.mma, at least 128 / m if the columns are folded
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_fragment_b(16, 8, 16));
#else
LL_LAYOUT(OUT, ll_ptx_fragment_b(16, 16, 16));
#endif
