// ll: the layout lacks this axis; its axes follow, with their sizes
// shows: ll_has_<.*'k'>,.*ll_has_<.*64U?, 'j'>,.*ll_has_<.*64U?, 'i'>
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));

__global__ void kernel(unsigned *dst) {
#ifdef TWIN
    LL_EACH(r, IN) { dst[r] = LL_AT(IN, LL_J, r); }
#else
    LL_EACH(r, IN) { dst[r] = LL_AT(IN, LL_K, r); }
#endif
}
