// ll: FIRST: the first elements of an axis are a power of two, and no more than the axis has
#define LL_SORTS
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));

#ifdef TWIN
LL_TOP_PLAN(FIRST, IN, LL_J, 32, 32, LL_SM90);
#else
LL_TOP_PLAN(FIRST, IN, LL_J, 64, 32, LL_SM90);
#endif
