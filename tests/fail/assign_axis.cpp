// ll: BEST: the value does not have this axis, or not with this size
// and: ll: the graph is wrong at character CHARACTER_ of line 2
#define LL_ENGINE
#include "ll_ptx.h"

#ifdef TWIN
#define AXIS_OF_X "1"
#else
#define AXIS_OF_X "2"
#endif
LL_ASSIGN(BEST,
          "x = load 64x64:32 contiguous=1x64 align=16\n"
          "s = reduce x axis=" AXIS_OF_X "\n"
          "store s contiguous=64 align=16\n",
          4, LL_SM90);
int result = LL_GET(BEST).err;
