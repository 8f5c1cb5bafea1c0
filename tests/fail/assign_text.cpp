// ll: BEST: unknown operation or key
// and: ll: the graph is wrong at character CHARACTER_ of line 2
// shows: CHARACTER_ ?= ?5|ll_assign_at_<2, 5
#define LL_ENGINE
#include "ll_ptx.h"

#ifdef TWIN
#define SUM_OF_X "reduce"
#else
#define SUM_OF_X "redduce"
#endif
LL_ASSIGN(BEST,
          "x = load 64x64:32 contiguous=1x64 align=16\n"
          "s = " SUM_OF_X " x axis=1\n"
          "store s contiguous=64 align=16\n",
          4, LL_SM90);
int result = LL_GET(BEST).err;
