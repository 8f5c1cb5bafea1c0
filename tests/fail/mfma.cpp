// ll: OPERAND: an MFMA has m = n of 4, 16 or 32, one block or as many as fill the lanes, bits of 4 to 64 (SMFMAC 8, 16), and a k that an instruction has with them
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(OPERAND, ll_amd_mfma_a(16, 16, 1, 16));
#else
LL_LAYOUT(OPERAND, ll_amd_mfma_a(8, 16, 1, 16));
#endif
