// ll: BEST: a sort has no price unless the graph was told of one
// and: ll: CHARACTER_ of line 2 is where the graph is wrong
#define LL_ENGINE
#include "ll_ptx.h"

#ifdef TWIN
#define ALONG_X "scan"
#else
#define ALONG_X "sort"
#endif
LL_ASSIGN(BEST,
          "x = load 64x64:32 contiguous=1x64 align=16\n"
          "s = " ALONG_X " x axis=1\n"
          "store s contiguous=1x64 align=16\n",
          4, LL_SM90);
int result = LL_GET(BEST).err;
