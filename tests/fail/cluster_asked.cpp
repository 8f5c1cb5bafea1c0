// ll: SUM: define LL_CLUSTERS before including ll.h
// and: ll: RUN: define LL_CLUSTERS before including ll.h
#include "ll_ptx.h"

LL_LAYOUT(ROW, ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6"));
#ifdef TWIN
LL_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);
LL_REDUCE_PLAN(RUN, ROW, LL_J, 32, LL_SM90);
#else
LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);
LL_CLUSTER_SCAN_PLAN(RUN, ROW, LL_J, 32, LL_SM90);
#endif
LL_EXPECT_CYCLES(SUM, 1000);
unsigned words[LL_SMEM_BYTES(RUN)];
