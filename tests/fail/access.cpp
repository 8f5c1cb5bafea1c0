// ll: OUT: an access has 1, 2, 4, 8 or 16 bytes, at least one element, and contiguous elements in each lane
// and: ll: got VALUE_
#include "ll.h"

constexpr ll_rows_spec with(unsigned access) {
    return {64, 64, 4, access, 1, 32, 4};
}

#ifdef TWIN
LL_LAYOUT(OUT, ll_rows_of(with(4)));
#else
LL_LAYOUT(OUT, ll_rows_of(with(2)));
#endif
