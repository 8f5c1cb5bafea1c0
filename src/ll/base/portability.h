/* ---- Portability ------------------------------------------------------ */
#ifndef LL_BASE_PORTABILITY_H
#define LL_BASE_PORTABILITY_H

#include "configuration.h"

/* LL_CPLUSPLUS_ is the year and month of the C++ standard. MSVC leaves
 * __cplusplus at C++98 and has another macro. Its old preprocessor passes
 * __VA_ARGS__ as one argument, which no macro here can take. */
#if defined(_MSVC_TRADITIONAL) && _MSVC_TRADITIONAL
#error "ll: MSVC's old preprocessor is not supported: add /Zc:preprocessor"
#endif
#if defined(_MSVC_LANG)
#define LL_CPLUSPLUS_ _MSVC_LANG
#elif defined(__cplusplus)
#define LL_CPLUSPLUS_ __cplusplus
#endif

/* LL_MSVC_ is 1 for MSVC itself, which lacks the attributes and built-ins of
 * GNU. No run-time compiler is meant: NVRTC and hipRTC find no <string.h>. */
#if defined(_MSC_VER) && !defined(__clang__)
#define LL_MSVC_ 1
#else
#define LL_MSVC_ 0
#endif

/* LL_UNUSED_ precedes what may stay unused without a warning. */
#if !LL_MSVC_
#define LL_UNUSED_ __attribute__((unused))
#elif defined(LL_CPLUSPLUS_) && LL_CPLUSPLUS_ >= 201703L
#define LL_UNUSED_ [[maybe_unused]]
#else
#define LL_UNUSED_
#endif

/* LL_CONSTEXPR is 1 if functions can be evaluated at compile time. */
#if defined(LL_CPLUSPLUS_)
#if LL_CPLUSPLUS_ >= 201402L
#define LL_CONSTEXPR 1
#else
#define LL_CONSTEXPR 0
#endif
#define LL_ZERO {}
#define LL_ALIGN_(n) alignas(n)
#else
#define LL_CONSTEXPR 0
#define LL_ZERO {0}
#define LL_ALIGN_(n) _Alignas(n)
#endif

/* LL_INIT_ after a member zeroes it where an initializer omits it. */
#if LL_CONSTEXPR
#define LL_INIT_ {}
#else
#define LL_INIT_
#endif

/* LL_GPU is 1 in a compiler that builds kernels (CUDA or HIP, both passes). */
#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define LL_GPU 1
#else
#define LL_GPU 0
#endif

#if !LL_GPU
#define LL_HOST_DEVICE_
#elif defined(__clang__)
#define LL_HOST_DEVICE_ __attribute__((host)) __attribute__((device))
#else
#define LL_HOST_DEVICE_ __host__ __device__
#endif

/* LL_FN precedes every function: callable on host and device, constexpr where
 * possible, and silent when unused. */
#if LL_CONSTEXPR
#define LL_FN LL_UNUSED_ LL_HOST_DEVICE_ static constexpr
#else
#define LL_FN LL_UNUSED_ LL_HOST_DEVICE_ static inline
#endif

/* NVRTC provides memcpy without a header, but not the built-in. It requires
 * __host__ __device__ on every function that a device constant may call. */
#if defined(__CUDACC_RTC__)
#define LL_MEMCPY_ memcpy
#define LL_CONSTANT_ LL_HOST_DEVICE_ static constexpr
#elif LL_MSVC_
#include <string.h>
#define LL_MEMCPY_ memcpy
#define LL_CONSTANT_ static constexpr
#else
#define LL_MEMCPY_ __builtin_memcpy
#define LL_CONSTANT_ static constexpr
#endif

/* LL_DEVICE precedes every device function. */
#if LL_EMULATE
#define LL_DEVICE static inline __attribute__((unused, always_inline))
#elif defined(__clang__) && LL_GPU
#define LL_DEVICE                                                           \
    __attribute__((device, unused, always_inline)) static inline
#elif LL_GPU
#define LL_DEVICE LL_UNUSED_ static __device__ __forceinline__
#endif

/* LL_UNROLL precedes device loops. Host compilers warn about its pragma. */
#if LL_GPU && (defined(__CUDA_ARCH__) || defined(__clang__))
#define LL_UNROLL _Pragma("unroll")
#else
#define LL_UNROLL
#endif

#endif
