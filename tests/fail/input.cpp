// ll: the inputs of a layout of registers must be register, lane, warp and block; SPELT_ below is another one
// shows: 'r', 'e', 'g', 's', 't', 'e', 'r'
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(IN, ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4"));
#else
LL_LAYOUT(IN, ll_parse("regster: j0 j1 | lane: i0 i1 i2 i3 i4"));
#endif
float elements[LL_REGS(IN)];
unsigned threads[LL_THREADS(IN)];
