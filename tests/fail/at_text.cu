// ll: LL_AT: an axis must be LL_I, LL_J and so on, or its number, not a text
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));

__global__ void kernel(unsigned *dst) {
#ifdef TWIN
    LL_EACH(r, IN) { dst[r] = LL_AT(IN, LL_J, r); }
#else
    LL_EACH(r, IN) { dst[r] = LL_AT(IN, "j", r); }
#endif
}
