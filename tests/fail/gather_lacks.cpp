// ll: SUM: the layout must hold every element along the axis of a reduction, scan, sort or gather, but it lacks a bit of the axis
// and: ll: LAYOUT_ lacks bit BIT_ of the axis AXIS_
// shows: ll_lacks_bit_<.*IN.*8U?, 'j'|LAYOUT_=.*IN.*, BIT_=8U, AXIS_=<'j'>
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(IN, ll_parse("register: j0 j8 | lane: j3 j4 j5 j6 j7 | warp: j1 j2"));
#else
LL_LAYOUT(IN, ll_parse("register: j0 | lane: j3 j4 j5 j6 j7 | "
                       "warp: j1 j2 -> j=512"));
#endif
LL_GATHER_PLAN(SUM, IN, IN, LL_J, 32, LL_SM90);
