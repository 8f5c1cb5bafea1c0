// ll: OUT: BEST has no value with this name, or no layout k of it
#define LL_ENGINE
#include "ll_ptx.h"

LL_ASSIGN(BEST,
          "x = load 64x64:32 contiguous=1x64 align=16\n"
          "store x contiguous=1x64 align=16\n",
          4, LL_SM90);
#ifdef TWIN
LL_ASSIGNED(OUT, BEST, "x", 0);
#else
LL_ASSIGNED(OUT, BEST, "x", 1);
#endif
int result = LL_GET(OUT).err;
