// ll: ll_ptx_untwiddle: define LL_TENSOR before ll_ptx.h is included
#include "ll_ptx.h"

#ifdef TWIN
constexpr ll_ptx_twiddle WAY = ll_ptx_twiddle();
#else
constexpr ll_ptx_twiddle WAY =
    ll_ptx_untwiddle(ll_parse("offset: bit0 bit1 e2 e0 e1"), 8, 8);
#endif

unsigned words = WAY.words;
