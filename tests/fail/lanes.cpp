// ll: TURN: the lane bits of a layout must be those of the target
// and: ll: the two layouts have FROM_ and TO_ lanes below, but a warp of the target has TARGET_
// shows: ll_lanes_<64U?, 32U?, 32U?|FROM_ ?= ?64
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | warp: i5"));
LL_LAYOUT(WIDE, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 i5"));
LL_LAYOUT(OUT, ll_parse("register: i0 | lane: j0 i1 i2 i3 i4 | warp: i5"));

#ifdef TWIN
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#else
LL_PLAN(TURN, WIDE, OUT, 32, LL_SM90);
#endif
