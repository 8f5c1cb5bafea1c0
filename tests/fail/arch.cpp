// ll: D: the target lacks the instruction that was asked for, or the manual spells it otherwise
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(D, ll_ptx_need(ll_ptx_wgmma_d(64, 64, 4), "sm_90a", "wgmma"));
#else
LL_LAYOUT(D, ll_ptx_need(ll_ptx_wgmma_d(64, 64, 4), "sm_90", "wgmma"));
#endif
