// ll: include ll_reshard.h instead of defining LL_RESHARD
#ifndef TWIN
#define LL_RESHARD
#endif
#include "ll.h"
