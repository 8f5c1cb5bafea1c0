// ll: OUT: a permutation names each bit at most once, and only bits that exist
#include "ll.h"

#ifdef TWIN
LL_LAYOUT(OUT, ll_permute(ll_parse("register: j0 j1"), LL_REGISTER,
                          ll_perm_swap(2, 0, 1)));
#else
LL_LAYOUT(OUT, ll_permute(ll_parse("register: j0 j1"), LL_REGISTER,
                          ll_perm_swap(2, 0, 2)));
#endif
