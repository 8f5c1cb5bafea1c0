// ll: a constant of the tensor cores: define LL_TENSOR before ll_ptx.h is included
#ifdef TWIN
#define LL_TENSOR
#endif
#include "ll_ptx.h"

LL_LAYOUT(WORD, ll_parse("offset: bit0 bit1 e2 e0 e1"));
LL_TWIDDLE(WAY, ll_ptx_untwiddle(LL_GET(WORD), 8, 8));
LL_TWIDDLE(SAME, ll_ptx_untwiddle(LL_GET(WORD), 8, 8));
unsigned words = LL_GET(WAY).words + LL_GET(SAME).words;
