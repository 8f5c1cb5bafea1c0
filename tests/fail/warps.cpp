// ll: OUT: warps is a power of two, at least 4 for wgmma
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_wgmma_d(64, 64, 4));
#else
LL_LAYOUT(OUT, ll_ptx_wgmma_d(64, 64, 2));
#endif
