// ll: LL_SCOPE(HALF, number, threads, barrier): the barrier is missing
#include "ll_ptx.h"

#ifdef TWIN
LL_SCOPE(HALF, LL_THREAD(), 128, LL_BARRIER(1));
#else
LL_SCOPE(HALF, LL_THREAD(), 128);
#endif
