// ll: LOOK: a dimension that is asked for is not in the layout
// and: ll: the layout lacks this axis; its axes follow, with their sizes
// shows: ll_has_<.*'k'>,.*ll_has_<.*64U?, 'j'>,.*ll_has_<.*64U?, 'i'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);

#ifdef TWIN
LL_GATHER_PLAN(LOOK, IN, IN, LL_J, 32, LL_SM90);
#else
LL_GATHER_PLAN(LOOK, IN, IN, LL_K, 32, LL_SM90);
#endif
