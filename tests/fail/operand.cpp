// ll: OUT: element_bits of a matrix operand is 1, 4, 6, 8, 16, 32 or 64, and what the instruction takes
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_mma_a(64, 64, 16, 4));
#else
LL_LAYOUT(OUT, ll_ptx_mma_a(64, 64, 12, 4));
#endif
