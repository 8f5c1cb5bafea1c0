/* hip.h - what the lessons in HIP share: one source for hipcc, for a clang that
 * has no ROCm, for nvcc and for the emulator; numbers; rows in registers.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_HIP_LESSONS_H
#define LL_HIP_LESSONS_H

#ifdef __global__ /* hipcc, nvcc or the emulator */
#if LL_EMULATE
#include <hip/hip_runtime.h>
#endif
#ifdef __HIP__ /* a result of hipFree that nobody wants */
#pragma clang diagnostic ignored "-Wunused-result"
#endif
#include "rows_check.h"
#define ON_BOTH __host__ __device__
#else /* device code alone: no header says what these are */
#define LL_NO_MAIN
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n, ...)                                           \
    __attribute__((amdgpu_flat_work_group_size(n, n)                        \
                       __VA_OPT__(, amdgpu_waves_per_eu(__VA_ARGS__))))
#define ON_BOTH __attribute__((host, device))
#define INFINITY __builtin_inff()
typedef __SIZE_TYPE__ size_t;
struct places {
    unsigned x, y;
};
#define blockIdx (places{__builtin_amdgcn_workgroup_id_x(), \
                         __builtin_amdgcn_workgroup_id_y()})
#endif

#if defined(__CUDACC__) && !defined(__HIP__) || \
    (LL_EMULATE && !defined(EMU_GFX))
#include "ll_ptx.h"
#include <cuda_fp16.h>
typedef __half f16;
#else
#include "ll_amd.h"
typedef _Float16 f16;
#endif

#define ALIGNED __attribute__((aligned(16)))

/* What a file is compiled for. A warp has 64 lanes on gfx9, and 32 on RDNA and
 * NVIDIA. The host's pass does not know, so a block has the same number of
 * threads everywhere. */
#if defined(__GFX11__)
#define TARGET LL_GFX1100
#elif defined(__GFX12__)
#define TARGET LL_GFX1201
#else
#define TARGET LL_TARGET_HERE
#endif
enum : unsigned { LANES = TARGET.lanes };

/* A float without the lower half of its bits, rounded to the nearest. */
struct bf16 {
    unsigned short bits;
    bf16() = default;
    ON_BOTH bf16(float f) {
#if defined(__AMDGCN__) && __clang_major__ >= 19 /* gfx950 can do it */
        bits = __builtin_bit_cast(unsigned short, (__bf16)f);
        return;
#endif
        const unsigned w = __builtin_bit_cast(unsigned, f);
        bits = (unsigned short)((w + 0x7fffu + (w >> 16 & 1u)) >> 16);
    }
    ON_BOTH operator float() const {
        return __builtin_bit_cast(float, (unsigned)bits << 16);
    }
};

/* 2^x, log2(x), 1 / x and 1 / sqrt(x): one instruction each. */
#if defined(__AMDGCN__)
#if __has_builtin(__builtin_amdgcn_exp2f)
__device__ inline float power(float x) { return __builtin_amdgcn_exp2f(x); }
__device__ inline float logarithm(float x) { return __builtin_amdgcn_logf(x); }
#else /* the compilers of ROCm 5: a few more, as they keep denormals */
__device__ inline float power(float x) { return __builtin_exp2f(x); }
__device__ inline float logarithm(float x) { return __builtin_log2f(x); }
#endif
__device__ inline float inverse(float x) { return __builtin_amdgcn_rcpf(x); }
__device__ inline float inverse_root(float x) {
    return __builtin_amdgcn_rsqf(x);
}
#elif defined(__CUDA_ARCH__) || LL_EMULATE
__device__ inline float power(float x) { return exp2f(x); }
__device__ inline float logarithm(float x) { return log2f(x); }
__device__ inline float inverse(float x) { return 1 / x; }
__device__ inline float inverse_root(float x) { return rsqrtf(x); }
#else /* the host's pass */
__device__ float power(float), logarithm(float), inverse(float);
__device__ float inverse_root(float);
#endif

/* A row of n = THREADS * each elements of `bytes` bytes: each lane has 16 bytes
 * side by side, a warp's lie side by side too, and the warps' in turn. */
LL_FN ll_layout row_of(unsigned bytes, unsigned each, unsigned threads) {
    const unsigned wide = each * bytes < 16 ? each : 16 / bytes;
    ll_layout a = ll_mul(ll_identity(wide, LL_REGISTER, LL_J),
                         ll_identity(LANES, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(each / wide, LL_REGISTER, LL_J));
    a = ll_mul(a, ll_identity(threads / LANES, LL_WARP, LL_J));
    return ll_mul(a, ll_identity(1, LL_WARP, LL_I));
}

#endif
