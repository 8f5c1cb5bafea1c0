// ll: LOAD: no transposing load has elements of so many bits
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(LOAD, ll_amd_ds_read_tr(16));
#else
LL_LAYOUT(LOAD, ll_amd_ds_read_tr(32));
#endif
