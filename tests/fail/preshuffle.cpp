// ll: SHUFFLE: elements to be side by side are a power of two, as many as a lane holds along the axis and other lanes do not
// and: ll: got VALUE_
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(SHUFFLE,
          ll_preshuffle(ll_parse("register: j0 j2 | lane: j1"), LL_J, 4));
#else
LL_LAYOUT(SHUFFLE,
          ll_preshuffle(ll_parse("register: j0 i0 | lane: j1"), LL_J, 4));
#endif
