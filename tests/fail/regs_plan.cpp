// ll: LL_REGS, LL_WORDS, LL_THREADS, LL_BLOCKS and LL_VECTOR take the name of a layout of LL_LAYOUT
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_PLAN(TURN, IN, IN, 32, LL_SM90);

#ifdef TWIN
unsigned words[LL_REGS(IN)];
#else
unsigned words[LL_REGS(TURN)];
#endif
