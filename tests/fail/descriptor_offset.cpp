// ll: SLICE: shared memory that hardware reads or writes by a descriptor has no affine part
#include "ll_ptx.h"

LL_LAYOUT(TILE, ll_ptx_smem_k(64, 64, 16, 128));
#ifdef TWIN
LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(TILE), 64, 16, 16));
#else
LL_LAYOUT(FLIPPED, ll_flip(LL_GET(TILE), LL_I, 1));
LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(FLIPPED), 64, 16, 16));
#endif
unsigned at = LL_GET(SLICE).at;
