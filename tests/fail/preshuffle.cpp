// ll: SHUFFLE: an access has 1, 2, 4, 8 or 16 bytes, at least one element, and contiguous elements in each lane
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(SHUFFLE,
          ll_preshuffle(ll_parse("register: j0 j2 | lane: j1"), LL_J, 4));
#else
LL_LAYOUT(SHUFFLE,
          ll_preshuffle(ll_parse("register: j0 i0 | lane: j1"), LL_J, 4));
#endif
