// ll: OPERAND: WMMA: gfx must be 0x1100 to 0x1103, 0x1150 to 0x1153, 0x1200 or 0x1201 (SWMMAC: the last two), lanes 32 or 64, bits 4, 8 or 16 (C: 16 or 32), and k as an instruction has it for these
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(OPERAND, ll_amd_wmma_a(0x1200, 32, 16, 16));
#else
LL_LAYOUT(OPERAND, ll_amd_wmma_a(0x942, 64, 16, 16));
#endif
