// ll: BOXES: no swizzle mode of the tensor copy engine puts the rows and columns of the box where the memory layout has them
#include "ll_ptx.h"

LL_LAYOUT(TILE, ll_ptx_smem_k(64, 64, 16, 128));
LL_LAYOUT(SMALL, ll_parse("offset: j0 i0 j1 i1 j2 i2"));
#ifdef TWIN
LL_TENSOR_MAP(BOXES, ll_ptx_tensor_of(LL_GET(TILE), 64, 64, 16));
#else
LL_TENSOR_MAP(BOXES, ll_ptx_tensor_of(LL_GET(SMALL), 8, 8, 16));
#endif
unsigned copies = LL_GET(BOXES).copies;
