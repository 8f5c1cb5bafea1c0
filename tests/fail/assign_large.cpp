// ll: BEST: the graph is too large for LL_ASSIGN, which solves about a dozen operations: ll_engine_solve has no such limit
#define LL_ENGINE
#include "ll_ptx.h"

#ifdef TWIN
#define MORE
#else
#define MORE                                                                \
    "a = map x\nb = map x\nc = map x\nd = map x\ne = map x\nf = map x\n"    \
    "g = map x\nh = map x\ni = map x\nj = map x\nk = map x\nl = map x\n"    \
    "m = map x\nn = map x\no = map x\np = map x\nq = map x\nr = map x\n"    \
    "t = map x\nu = map x\nv = map x\nw = map x\ny = map x\nz = map x\n"
#endif
LL_ASSIGN(BEST,
          "x = load 64x64:32 contiguous=1x64 align=16\n" MORE
          "s = reduce x axis=1\n"
          "store s contiguous=64 align=16\n",
          4, LL_SM90);
int result = LL_GET(BEST).err;
