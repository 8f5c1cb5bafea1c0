// ll: wgmma: COLS_ must be a multiple of 8 from 8 to 256 (for s32 accumulators: 8, 24 or a multiple of 16)
#define LL_TENSOR
#define LL_PTX_ANY_TARGET_
#include "ll_ptx.h"

#ifdef TWIN
enum { COLUMNS = 64 };
#else
enum { COLUMNS = 100 };
#endif

__global__ void kernel(float *dst, unsigned long long a) {
    float d[128] = {};
    ll_ptx_wgmma_f32_bf16<COLUMNS>(d, a, a, 0);
    dst[threadIdx.x] = d[0];
}
