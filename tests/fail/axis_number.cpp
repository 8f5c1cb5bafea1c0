// ll: SUM: a dimension that is asked for is not in the layout
// and: ll: the layout lacks this axis; its axes follow, with their sizes
// shows: ll_axis_number_<2U?>,.*ll_has_<.*64U?, 'j'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_REDUCE_PLAN(SUM, IN, 1, 32, LL_SM90);
#else
LL_REDUCE_PLAN(SUM, IN, 2, 32, LL_SM90);
#endif
