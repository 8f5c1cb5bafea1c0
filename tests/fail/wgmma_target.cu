// ll: wgmma: this target lacks it; compile with -arch=sm_90a
// arch: sm_80
#define LL_TENSOR
#ifdef TWIN
#define LL_PTX_ANY_TARGET_
#endif
#include "ll_ptx.h"

__global__ void kernel(float *dst, unsigned long long a) {
    float d[32] = {};
    ll_ptx_wgmma_f32_bf16<64>(d, a, a, 0);
    dst[threadIdx.x] = d[0];
}
