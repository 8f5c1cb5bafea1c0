/* dependent_launch.h - launches a kernel while the preceding one still runs.
 * SPDX-License-Identifier: MIT
 *
 * A launch takes a microsecond or two. From sm_90 on the next kernel is already
 * on the multiprocessors when the preceding one ends; on other GPUs it is
 * launched only then.
 */
#ifndef LL_DEPENDENT_LAUNCH_H
#define LL_DEPENDENT_LAUNCH_H

#include "launch_stream.h"

/* With `next`, lets the next kernel launch early. Then waits until the
 * preceding kernel's writes are visible. */
static __device__ void wait_for_preceding(bool next) {
#if !LL_EMULATE && __CUDA_ARCH__ >= 900
    if (next) {
        ll_ptx_griddepcontrol_launch_dependents();
    }
    ll_ptx_griddepcontrol_wait();
#endif
}

/* Launches a kernel on the thread's stream, early where the GPU can. */
template <class... P, class... A>
static cudaError_t launch_dependent(void (*kernel)(P...), dim3 blocks,
                                    unsigned threads, unsigned shared,
                                    A... args) {
    int device = 0, major = 0;
    cudaLaunchAttribute how = {};
    how.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    how.val.programmaticStreamSerializationAllowed = 1;
    cudaError_t err = cudaGetDevice(&device);
    err = err ? err
              : cudaDeviceGetAttribute(
                    &major, cudaDevAttrComputeCapabilityMajor, device);
    const cudaLaunchConfig_t config = {
        blocks, dim3(threads), shared, ll_kernels::launch_stream(), &how,
        major >= 9};
    return err ? err : cudaLaunchKernelEx(&config, kernel, (P)args...);
}

#endif
