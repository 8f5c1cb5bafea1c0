// ll: LL_MULTICAST_BOX: so many blocks do not share this tile: see ll_ptx_multicast_of
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
