// ll: OPERAND: MFMA: m = n must be 4, 16 or 32, blocks 1 or as many as fill the lanes, bits 4 to 64 (SMFMAC: 8 or 16), and k as an instruction has it for these
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(OPERAND, ll_amd_mfma_a(16, 16, 1, 16));
#else
LL_LAYOUT(OPERAND, ll_amd_mfma_a(8, 16, 1, 16));
#endif
