// ll: BEST: a sort needs a price: define LL_SORTS and set e->sort = ll_sort_cycles
// and: ll: the graph is wrong at character CHARACTER_ of line 2
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
