// ll: SUM: a dimension that is asked for is not in the layout
// and: ll: the layout lacks this axis; its axes follow, with their sizes
// shows: ll_has_<.*'k'>,.*ll_has_<.*64U?, 'j'>,.*ll_has_<.*32U?, 'i'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 64, 4));

#ifdef TWIN
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, LL_SM90);
LL_SCAN_PLAN(DOWN, IN, LL_I, 32, LL_SM90);
#else
LL_REDUCE_PLAN(SUM, IN, LL_K, 32, LL_SM90);
#endif
