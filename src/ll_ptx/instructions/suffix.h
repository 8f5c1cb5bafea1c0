/* ---- Instructions of targets with a suffix ------------------------------ */
#ifndef LL_PTX_INSTRUCTIONS_SUFFIX_H
#define LL_PTX_INSTRUCTIONS_SUFFIX_H

#include "../../ll/kernel/constants.h"
#include "../target.h"
#include "bodies.h"

#ifdef LL_PTX_DEVICE_

/* Private: sm_90a has wgmma and setmaxnreg, sm_90 does not; tcgen05 needs a
 * suffix as well. With -arch=sm_90a nvcc compiles a file for compute_90 too; in
 * that pass nothing tells that the other one exists. So that pass accepts
 * these functions: a call prints a sentence and stops the kernel. A kernel that
 * was built for sm_90 alone therefore fails when it runs. A target that lacks
 * the instruction under every suffix is refused when a product of wgmma or a
 * load or store of tensor memory is compiled. NVRTC and clang have one pass
 * and refuse sm_90 as well.
 *
 * LL_PTX_BARE_ is 1 in a pass of nvcc for a target from sm_90 on without a
 * suffix. LL_SFX_ is LL_PTX_, but stops the kernel in that pass. LL_WGMMA_HERE_
 * and LL_TCGEN05_HERE_ are 0 where the target is refused. */
#if defined(__CUDA_ARCH__) && !defined(LL_PTX_ANY_TARGET_)
#define LL_PTX_AMONG_(from, to)                                             \
    (__CUDA_ARCH__ >= (from) && __CUDA_ARCH__ < (to))
#if !LL_PTX_FAMILY_ && !defined(__CUDA_ARCH_FEAT_SM90_ALL) &&               \
    LL_PTX_AMONG_(900, 9999) && !defined(__clang__) &&                      \
    !defined(__CUDACC_RTC__)
#define LL_PTX_BARE_ 1
#else
#define LL_PTX_BARE_ 0
#endif
#if LL_PTX_AMONG_(900, 901) &&                                              \
    (LL_PTX_BARE_ || defined(__CUDA_ARCH_FEAT_SM90_ALL))
#define LL_WGMMA_HERE_ 1
#else
#define LL_WGMMA_HERE_ 0
#endif
#if LL_PTX_AMONG_(1000, 1200) && (LL_PTX_FAMILY_ || LL_PTX_BARE_)
#define LL_TCGEN05_HERE_ 1
#else
#define LL_TCGEN05_HERE_ 0
#endif
#else
#define LL_PTX_BARE_ 0
#define LL_WGMMA_HERE_ 1
#define LL_TCGEN05_HERE_ 1
#endif

#if LL_PTX_BARE_
LL_DEVICE void ll_ptx_stop_(void) {
    if (threadIdx.x % 32u == 0) {
        (void)printf("ll: this kernel was built for sm_%u; it needs "
                     "-arch=sm_%ua\n",
                     LL_PTX_SM_, LL_PTX_SM_);
    }
    __trap();
    __builtin_unreachable();
}
#define LL_SFX_(text, outputs, inputs) ll_ptx_stop_()
#else
#define LL_SFX_ LL_PTX_
#endif

#endif

#endif
