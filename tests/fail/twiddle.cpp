// ll: WAY: no shift and mask unpack a word of this storage: the bits of a number lie side by side, and every (to_bits / bits)-th number to_bits above the one before
#define LL_TENSOR
#include "ll_ptx.h"

LL_LAYOUT(WORD, ll_ptx_twiddled(4, 16, 10));
LL_LAYOUT(INORDER, ll_parse("offset: bit0 bit1 e0 e1 e2"));
#ifdef TWIN
LL_TWIDDLE(WAY, ll_ptx_untwiddle(LL_GET(WORD), 16, 10));
#else
LL_TWIDDLE(WAY, ll_ptx_untwiddle(LL_GET(INORDER), 16, 10));
#endif
unsigned words = LL_GET(WAY).words;
