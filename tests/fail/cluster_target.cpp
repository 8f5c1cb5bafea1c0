// ll: SUM: data crosses blocks, which takes a conversion on a target with clusters of that many blocks; elsewhere what a lane needs must lie in its own block, in the same place in every block
#define LL_CLUSTERS
#include "ll_ptx.h"

LL_LAYOUT(ROW, ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6"));
#ifdef TWIN
LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);
#else
LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM80);
#endif
