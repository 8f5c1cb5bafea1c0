// ll: OPERAND: a WMMA has gfx 0x1100 to 0x1103, 0x1150 to 0x1153, 0x1200 or 0x1201 (SWMMAC the last two), 32 or 64 lanes, bits of 4, 8, 16 (C: 16, 32), and a k that an instruction has with them
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(OPERAND, ll_amd_wmma_a(0x1200, 32, 16, 16));
#else
LL_LAYOUT(OPERAND, ll_amd_wmma_a(0x942, 64, 16, 16));
#endif
