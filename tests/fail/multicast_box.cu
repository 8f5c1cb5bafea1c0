// ll: LL_MULTICAST_BOX: blocks must be 2, 4 or 8 and cut TILE into slices of whole boxes: see ll_ptx_multicast_of
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(TILE, ll_ptx_smem_k(256, 64, 16, 128));

#ifdef TWIN
enum { BLOCKS = 2 };
#else
enum { BLOCKS = 3 };
#endif

__global__ void kernel(unsigned *dst) {
    dst[threadIdx.x] = LL_MULTICAST_BOX(TILE, 256, 64, 16, BLOCKS,
                                        threadIdx.x, 0).at;
}
