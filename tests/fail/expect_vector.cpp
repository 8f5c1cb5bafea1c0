// ll: OUT: a lane does not hold 8 contiguous elements of a row
#include "ll_ptx.h"

LL_LAYOUT(OUT, ll_rows(64, 64, 4));

#ifdef TWIN
LL_EXPECT_VECTOR(OUT, 4);
#else
LL_EXPECT_VECTOR(OUT, 8);
#endif
