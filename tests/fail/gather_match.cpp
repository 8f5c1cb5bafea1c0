// ll: LOOK: the dimensions of the two layouts, or of a layout and a list of them, must have the same names and fitting sizes
// and: ll: the layouts of a plan differ in this dimension; ll_compare prints both
// shows: ll_has_<ll_beside_<.*IN_ll_.*, 64U?, 'i'>,.*ll_has_<ll_beside_<.*WHICH_ll_.*, 32U?, 'i'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_LAYOUT(WHICH, ll_rows(64, 16, 4));
#else
LL_LAYOUT(WHICH, ll_rows(32, 16, 4));
#endif
LL_GATHER_PLAN(LOOK, IN, WHICH, LL_J, 32, LL_SM90);
