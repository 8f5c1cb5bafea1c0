// ll: BEST: a text is a null pointer
#define LL_ENGINE
#include "ll_ptx.h"

#ifdef TWIN
LL_ASSIGN(BEST, "x = load 32x64:32\ny = map x\nstore y\n", 4, LL_SM90);
#else
LL_ASSIGN(BEST, nullptr, 4, LL_SM90);
#endif
