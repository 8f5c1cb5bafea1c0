// ll: BEST: define LL_ENGINE before including ll.h
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_rows(64, 64, 4));
#else
LL_ASSIGN(BEST,
          "x = load 64x64:32 contiguous=1x64 align=16\n"
          "store x contiguous=1x64 align=16\n",
          4, LL_SM90);
LL_ASSIGNED(OUT, BEST, "x", 0);
#endif
LL_PLAN(TURN, OUT, OUT, 32, LL_SM90);
unsigned words[LL_REGS(OUT)];
