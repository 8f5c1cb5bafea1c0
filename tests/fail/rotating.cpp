// ll: MEMORY: vec * max_phase is at most the size of the fastest of two dimensions or more
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(MEMORY, ll_amd_rotating(ll_shape_of("j=32 i=8"), 8, 1, 4));
#else
LL_LAYOUT(MEMORY, ll_amd_rotating(ll_shape_of("j=16 i=8"), 8, 1, 4));
#endif
