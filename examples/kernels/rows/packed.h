/* packed.h - numbers of 16 or 32 bits in 32-bit registers
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PACKED_H
#define LL_PACKED_H

#include "ll_ptx.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace ll_kernels {

typedef __nv_bfloat16 bf16;
typedef __half f16;

/* Returns element r of packed registers as a float. */
template <class ELEMENT>
__device__ float number(const unsigned *a, unsigned r) {
    if constexpr (sizeof(ELEMENT) == 4) {
        return __uint_as_float(a[r]);
    } else if constexpr (std::is_same<ELEMENT, bf16>::value) {
        return __uint_as_float(r % 2 ? a[r / 2] & 0xffff0000u : a[r / 2] << 16);
    } else {
        return __half2float(
            __ushort_as_half((unsigned short)(a[r / 2] >> r % 2 * 16)));
    }
}

/* Packs f(0), f(1), .. into the registers `a`. */
template <class ELEMENT, unsigned N, class F>
__device__ void put_numbers(unsigned (&a)[N], F f) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        if constexpr (sizeof(ELEMENT) == 4) {
            a[w] = __float_as_uint(f(w));
        } else if constexpr (std::is_same<ELEMENT, bf16>::value) {
            const __nv_bfloat162 x =
                __floats2bfloat162_rn(f(2 * w), f(2 * w + 1));
            memcpy(a + w, &x, 4);
        } else {
            const __half2 x = __floats2half2_rn(f(2 * w), f(2 * w + 1));
            memcpy(a + w, &x, 4);
        }
    }
}

/* Loads registers of a lane from shared memory, 16 bytes in turn. */
template <unsigned N>
__device__ void take_back(unsigned (&a)[N], const unsigned char *from) {
    LL_UNROLL
    for (unsigned w = 0; w < N; w += 4) {
        const uint4 v = *(const uint4 *)(from + w * 4 * blockDim.x);
        memcpy(a + w, &v, 16);
    }
}

/* Makes the compiler unpack numbers anew in each pass over a row; otherwise it
 * would keep the unpacked ones in further registers. */
template <unsigned N> __device__ void keep_packed(unsigned (&a)[N]) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        asm("" : "+r"(a[w]));
    }
}

/* Returns the largest number; 16-bit numbers are compared two at a time. */
template <class ELEMENT, unsigned N>
__device__ float largest(unsigned (&a)[N]) {
    if constexpr (sizeof(ELEMENT) == 2) {
        typedef decltype(__halves2bfloat162(bf16(), bf16())) bf16x2;
        typedef std::conditional_t<std::is_same<ELEMENT, bf16>::value, bf16x2,
                                   __half2>
            pair;
        unsigned most[1] = {a[0]};
        LL_UNROLL
        for (unsigned w = 1; w < N; ++w) {
            pair x, y;
            memcpy(&x, most, 4);
            memcpy(&y, a + w, 4);
            x = __hmax2(x, y);
            memcpy(most, &x, 4);
        }
        return fmaxf(fmaxf(number<ELEMENT>(most, 0), number<ELEMENT>(most, 1)),
                     -2.3e38f);
    } else {
        float most = -2.3e38f;
        LL_UNROLL
        for (unsigned w = 0; w < N; ++w) {
            most = fmaxf(most, number<ELEMENT>(a, w));
        }
        return most;
    }
}

} // namespace ll_kernels

#endif
