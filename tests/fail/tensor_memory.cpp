// ll: OUT: tcgen05.ld has lanes 32 with bits 32, or lanes 16 with bits 64, 128 or 256; n is a power of two that takes at most 128 registers
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_tmem(16, 256, 32, 32));
#else
LL_LAYOUT(OUT, ll_ptx_tmem(16, 256, 64, 32));
#endif
