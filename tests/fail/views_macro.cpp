// ll: include ll_views.h instead of defining LL_VIEWS
#ifndef TWIN
#define LL_VIEWS
#endif
#include "ll.h"
