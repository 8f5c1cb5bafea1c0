// ll: OUT: warps is a power of two, at least 4 for wgmma, which has at least 64 rows
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_wgmma_d(64, 64, 4));
#else
LL_LAYOUT(OUT, ll_ptx_wgmma_d(64, 64, 2));
#endif
