// ll: OUT: a dimension that is asked for is not in the layout
// and: ll: the missing dimension is SPELT_
// shows: <'h', 'e', 'a', 'd', ' '>
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
#else
LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "head i"));
#endif
