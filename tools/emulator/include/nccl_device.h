/* nccl_device.h - the calls of NCCL in kernels that the emulator knows.
 * SPDX-License-Identifier: MIT
 */
#ifndef EMU_NCCL_DEVICE_H
#define EMU_NCCL_DEVICE_H

#include "nccl.h"

__device__ static inline void *ncclGetLsaPointer(ncclWindow_t w, size_t offset,
                                                 int rank) {
    return w->base[rank] + offset;
}

#endif
