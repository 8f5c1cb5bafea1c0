// ll: SLICE: the atoms of the swizzle mode must lie at constant strides that LBO and SBO can hold
#include "ll_ptx.h"

LL_LAYOUT(TILE, ll_ptx_smem_k(64, 64, 16, 128));
#ifdef TWIN
LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(TILE), 64, 16, 16));
#else
LL_LAYOUT(MIXED, ll_parse("offset: j0 j1 j2 j3 i0 i1 j3^i2 i4 i3 i5"));
LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(MIXED), 64, 16, 16));
#endif
unsigned at = LL_GET(SLICE).at;
