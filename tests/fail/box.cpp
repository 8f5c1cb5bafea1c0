// ll: OUT: rows and cols must be powers of two that hold whole atoms of the swizzle
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_smem_k(64, 64, 16, 128));
#else
LL_LAYOUT(OUT, ll_ptx_smem_k(64, 32, 16, 128));
#endif
