// ll: SLICE: the lowest rows and columns do not lie as any swizzle mode wants them
#include "ll_ptx.h"

LL_LAYOUT(TILE, ll_ptx_smem_k(64, 64, 16, 128));
LL_LAYOUT(ROWS, ll_row_major(ll_shape_of("j=64 i=64")));
#ifdef TWIN
LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(TILE), 64, 16, 16));
#else
LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(ROWS), 64, 16, 16));
#endif
unsigned long long bits = ll_ptx_desc_wgmma(LL_GET(SLICE), 1024);
