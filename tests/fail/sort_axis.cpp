// ll: LINES: a dimension that is asked for is not in the layout
// and: ll: the layout lacks this axis; its axes follow, with their sizes
// shows: ll_has_<.*'k'>,.*ll_has_<.*32U?, 'j'>
#define LL_SORTS
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(32, 32, 4));

#ifdef TWIN
LL_SORT_PLAN(LINES, IN, LL_J, 32, LL_SM90);
#else
LL_SORT_PLAN(LINES, IN, LL_K, 32, LL_SM90);
#endif
