// ll: LOAD: a transposing load needs elements of 4, 8 or 16 bits (ds_load_tr: 8 or 16)
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(LOAD, ll_amd_ds_read_tr(16));
#else
LL_LAYOUT(LOAD, ll_amd_ds_read_tr(32));
#endif
