/* launch_next.h - a kernel that is launched under the one before it.
 * SPDX-License-Identifier: MIT
 *
 * Launches take a microsecond or two. From sm_90 on the next kernel is on the
 * processors when the last one ends; elsewhere it is launched then.
 */
#ifndef LL_LAUNCH_NEXT_H
#define LL_LAUNCH_NEXT_H

#include <cuda_runtime.h>

/* Waits for what the kernel before writes; before, lets the next one be
 * launched, which waits too. */
static __device__ void take_turn(bool next) {
#if !LL_EMULATE && __CUDA_ARCH__ >= 900
    if (next) {
        ll_ptx_griddepcontrol_launch_dependents();
    }
    ll_ptx_griddepcontrol_wait();
#endif
}

/* Launches a kernel, before the end of the one before it where the GPU can. */
template <class... P, class... A>
static cudaError_t launch_next(void (*kernel)(P...), dim3 blocks,
                               unsigned threads, unsigned shared, A... args) {
    int device = 0, major = 0;
    cudaLaunchAttribute how = {};
    how.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    how.val.programmaticStreamSerializationAllowed = 1;
    cudaError_t err = cudaGetDevice(&device);
    err = err ? err
              : cudaDeviceGetAttribute(
                    &major, cudaDevAttrComputeCapabilityMajor, device);
    const cudaLaunchConfig_t config = {blocks, dim3(threads), shared,
                                       0,      &how,          major >= 9};
    return err ? err : cudaLaunchKernelEx(&config, kernel, (P)args...);
}

#endif
