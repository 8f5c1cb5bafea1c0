// ll: wgmma: COLS_ must be a multiple of 8 from 8 to 256 (for s32 accumulators: 8, 24 or a multiple of 16)
#define LL_TENSOR
#define LL_PTX_ANY_TARGET_
#include "ll_ptx.h"

#ifdef TWIN
enum { COLUMNS = 48 };
#else
enum { COLUMNS = 40 };
#endif

__global__ void kernel(float *dst, unsigned long long a) {
    int d[128] = {};
    ll_ptx_wgmma_s32_s8<COLUMNS>(d, a, a, 0);
    dst[threadIdx.x] = (float)d[0];
}
