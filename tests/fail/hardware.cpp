// ll: P: a layout of registers has no inputs but register, lane, warp and block
#include "ll_ptx.h"

LL_LAYOUT(A, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | warp: i5"));
LL_LAYOUT(B, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | wrap: i5"));

#ifdef TWIN
LL_PLAN(P, A, A, 32, LL_SM90);
#else
LL_PLAN(P, A, B, 32, LL_SM90);
#endif
