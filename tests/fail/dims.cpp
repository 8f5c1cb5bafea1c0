// ll: OUT: a layout has at most 16 dimensions on each side
// and: ll: the text is wrong at character CHARACTER_, counted from 1
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_parse("lane: a0 b0 c0 d0 e0 f0 g0 h0 "
                        "A0 B0 C0 D0 E0 F0 G0 H0"));
#else
LL_LAYOUT(OUT, ll_parse("lane: a0 b0 c0 d0 e0 f0 g0 h0 "
                        "A0 B0 C0 D0 E0 F0 G0 H0 k0"));
#endif
