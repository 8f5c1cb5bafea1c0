// ll: OUT: a matrix in shared memory has rows 8, or 16 if transposed with element_bits 8; element_bits 8 or 16; and n is 1, 2 or 4
#include "ll_ptx.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_ptx_matrix(8, 16, 0, 4));
#else
LL_LAYOUT(OUT, ll_ptx_matrix(8, 16, 0, 3));
#endif
