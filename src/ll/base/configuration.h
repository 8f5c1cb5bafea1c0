/* ---- Configuration ---------------------------------------------------- */
#ifndef LL_BASE_CONFIGURATION_H
#define LL_BASE_CONFIGURATION_H

#define LL_VERSION_MAJOR 0
#define LL_VERSION_MINOR 4
#define LL_VERSION_PATCH 0
#define LL_VERSION                                                          \
    (LL_VERSION_MAJOR * 10000 + LL_VERSION_MINOR * 100 + LL_VERSION_PATCH)

#define LL_MAX_BITS 32u /* on each side of a layout, all dimensions together */
#define LL_MAX_DIMS 16u /* on each side of a layout */
#define LL_MAX_NAME 10u /* characters in the name of a dimension */

#ifndef LL_EMULATE
#define LL_EMULATE 0 /* 1: device code calls an emulator on the host */
#endif

#ifndef LL_DEBUG
#define LL_DEBUG 0 /* 1: check which threads call; the emulator always does */
#endif

/* Optional rooms. Define the macro of a room before including the header:
 * LL_ENGINE, LL_SORTS, LL_CLUSTERS, and LL_MATRIX (matrix instructions, in
 * ll_ptx.h). Two more are headers of their own. */
#ifdef LL_VIEWS
#error "ll: include ll_views.h instead of defining LL_VIEWS"
#endif
#ifdef LL_RESHARD
#error "ll: include ll_reshard.h instead of defining LL_RESHARD"
#endif

#endif
