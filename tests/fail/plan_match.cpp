// ll: TURN: the dimensions of the two layouts, or of a layout and a list of them, must have the same names and fitting sizes
// and: ll: the layouts of a plan differ in this dimension; ll_compare prints both
// shows: ll_has_<ll_named_<SMALL_ll_, .*>, 32U?, 'j'>,.*ll_has_<ll_named_<OUT_ll_, .*>, 64U?, 'j'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_LAYOUT(SMALL, ll_rows(64, 32, 4));

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, SMALL, OUT, 32, LL_SM90);
#endif
