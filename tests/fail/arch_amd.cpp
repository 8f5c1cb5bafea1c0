// ll: LOAD: the target lacks the instruction that was asked for, or the manual spells it otherwise
#include "ll_amd.h"

#ifdef TWIN
LL_LAYOUT(LOAD, ll_amd_need(ll_amd_ds_read_tr(16), "gfx950",
                            "ds_read_tr16_b64"));
#else
LL_LAYOUT(LOAD, ll_amd_need(ll_amd_ds_read_tr(16), "gfx942",
                            "ds_read_tr16_b64"));
#endif
