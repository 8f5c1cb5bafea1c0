// ll: LINES: define LL_SORTS before including ll.h
// and: ll: FIRST: define LL_SORTS before including ll.h
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));
#ifdef TWIN
LL_PLAN(LINES, IN, IN, 32, LL_SM90);
LL_LAYOUT(OUT, LL_GET(LINES).memory);
#else
LL_SORT_PLAN(LINES, IN, LL_J, 32, LL_SM90);
LL_TOP_PLAN(FIRST, IN, LL_J, 4, 32, LL_SM90);
LL_LAYOUT(OUT, LL_GET(FIRST).to);
#endif
LL_EXPECT_CYCLES(LINES, 1000);
unsigned words[LL_SMEM_BYTES(LINES)];
