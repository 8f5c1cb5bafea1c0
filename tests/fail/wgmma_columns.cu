// ll: wgmma: the columns are a power of two from 8 to 256, or, of sums of 32 bits, 96, 112, 176, 200, 208, 216, 224, 232 or 240
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
