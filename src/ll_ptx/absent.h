/* ---- What LL_TENSOR adds ---------------------------------------------- */
#ifndef LL_PTX_ABSENT_H
#define LL_PTX_ABSENT_H

#include "instructions/bodies.h"

/* Without LL_TENSOR the macros that need it say so. */
#if defined(LL_PTX_DEVICE_) && !defined(LL_TENSOR)
#define LL_TENSOR_ABSENT_(move)                                             \
    static_assert(false, "ll: " move ": define LL_TENSOR before ll_ptx.h "  \
                         "is included")
#define LL_MMA(...) LL_TENSOR_ABSENT_("LL_MMA")
#define LL_CAST(...) LL_TENSOR_ABSENT_("LL_CAST")
#define LL_MULTICAST_BOX(...) LL_TENSOR_ABSENT_("LL_MULTICAST_BOX")
#endif

#endif
