// ll: WORD: numbers of 2 or 4 bits become ones of 8 or 16, which have room for them: bits <= room <= to_bits
#define LL_TENSOR
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(WORD, ll_ptx_twiddled(4, 16, 10));
#else
LL_LAYOUT(WORD, ll_ptx_twiddled(6, 16, 10));
#endif
