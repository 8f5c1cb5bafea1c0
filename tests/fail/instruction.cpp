// ll: PRODUCT: m is 8 or 16 for mma, and 32, 64 or 128 for tcgen05.mma
#define LL_TENSOR
#include "ll_ptx.h"

LL_DESCRIPTOR(SLICE,
              ll_ptx_desc_of(ll_ptx_smem_k(128, 16, 16, 32), 128, 16, 16));
#ifdef TWIN
enum { ROWS = 128 };
#else
enum { ROWS = 96 };
#endif
LL_INSTRUCTION(PRODUCT, ll_ptx_idesc_of("kind::f16.f32.bf16.bf16", 1, ROWS,
                                        128, LL_GET(SLICE), LL_GET(SLICE)));
unsigned bits = LL_GET(PRODUCT).bits;
