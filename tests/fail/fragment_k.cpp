// ll: OUT: k is a power of two, and four lanes hold k elements in whole registers: at most 256 bits, 512 in B, or 16 of 64 bits; 256 bits for wgmma
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_fragment_a(16, 8, 16));
#else
LL_LAYOUT(OUT, ll_ptx_fragment_a(16, 4, 16));
#endif
