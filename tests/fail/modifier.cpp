// ll: READ: cbsz must be at most log2 of the blocks, abid below 2^cbsz, blgp at most 7, an index set within 32 bits, high 0 or 1
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(READ, ll_amd_cbsz(ll_amd_mfma_a(16, 4, 4, 16), 2, 3));
#else
LL_LAYOUT(READ, ll_amd_cbsz(ll_amd_mfma_a(16, 4, 4, 16), 2, 4));
#endif
