// ll: TAKE: the dimensions of the two layouts, or of a layout and a list of them, must have the same names and fitting sizes
// and: ll: the layouts of a plan differ in this dimension; ll_compare prints both
// shows: ll_has_<ll_named_<WIDE_ll_, .*>, 128U?, 'j'>,.*ll_has_<TAKE_memory_, 64U?, 'j'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_LAYOUT(WIDE, ll_rows(64, 64, 4));
#else
LL_LAYOUT(WIDE, ll_rows(64, 128, 4));
#endif
LL_PLAN_THROUGH(TAKE, WIDE, WIDE, 32, LL_SM90, LL_GET(TURN).memory);
