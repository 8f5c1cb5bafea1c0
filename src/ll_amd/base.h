/* ---- Configuration and portability ------------------------------------ */
#ifndef LL_AMD_BASE_H
#define LL_AMD_BASE_H

#include "../ll/base/configuration.h"

/* The macros of ll.h configure this header too; it has none of its own. With
 * LL_EMULATE, an emulator on the host provides the compiler's built-ins. */

/* LL_AMD_(name) is the compiler's built-in of that name. LL_AMD_READ_(x, space,
 * T, address, on) reads the T at an address into x in lanes where `on` is not
 * 0; LL_AMD_WRITE_ writes x to the address in those lanes. LL_AMD_READ_NT_ and
 * LL_AMD_WRITE_NT_ add the nontemporal hint, for data that is used once.
 * Address space 1 is global memory, 3 is LDS. LL_AMD_SHARED_(p) is the LDS
 * address of a pointer, LL_AMD_THREAD_ is threadIdx.x. The emulator defines its
 * own versions of these macros, and the type of a buffer. */
#if !LL_EMULATE
#define LL_AMD_(name) __builtin_amdgcn_##name
#define LL_AMD_AT_(space, T, address)                                       \
    ((__attribute__((address_space(space))) T *)(__SIZE_TYPE__)(address))
#define LL_AMD_READ_(x, space, T, address, on)                              \
    if (on) {                                                               \
        (x) = *LL_AMD_AT_(space, const T, address);                         \
    }
#define LL_AMD_WRITE_(x, space, T, address, on)                             \
    if (on) {                                                               \
        *LL_AMD_AT_(space, T, address) = (x);                               \
    }
#define LL_AMD_READ_NT_(x, space, T, address, on)                           \
    if (on) {                                                               \
        (x) = __builtin_nontemporal_load(                                   \
            LL_AMD_AT_(space, const T, address));                           \
    }
#define LL_AMD_WRITE_NT_(x, space, T, address, on)                          \
    if (on) {                                                               \
        __builtin_nontemporal_store(x, LL_AMD_AT_(space, T, address));      \
    }
#define LL_AMD_SHARED_(p)                                                   \
    ((unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3)))            \
                               const void *)(p))
#define LL_AMD_THREAD_ __builtin_amdgcn_workitem_id_x()
#endif

#endif
