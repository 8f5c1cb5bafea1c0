/* transpose_short.h - transposes unaligned matrices of at most 256 rows.
 * SPDX-License-Identifier: MIT
 *
 * A tile has all rows, so its transpose is one contiguous run of the result. In
 * shared memory this run has the same offset from 16 bytes as in the result, so
 * elements that were written one by one leave as vectors that are aligned on
 * both sides. Lanes also load aligned vectors, the first of a row up to 15
 * bytes early, and drop what is outside the tile. All loads are in flight at
 * once.
 */
#ifndef LL_TRANSPOSE_SHORT_H
#define LL_TRANSPOSE_SHORT_H

#include "../launch_stream.h"
#include "ll_ptx.h"
#include <string.h>

namespace ll_kernels {

enum { SHORT_ROWS = 256, SHORT_THREADS = 256 };

/* Sets dst, n x m, to the transpose of src, m x n, and likewise the matrices
 * that follow. m is at most SHORT_ROWS; rows of a tile have 128 bytes. */
template <class T>
__global__ void __launch_bounds__(SHORT_THREADS, 4)
    transpose_short(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr unsigned wide = 16 / sizeof(T), across = 8, most = 8;
    constexpr unsigned width = across * wide, step = SHORT_THREADS;
    extern __shared__ __align__(16) unsigned char smem[];
    const unsigned j = blockIdx.x * width, cols = n - j < width ? n - j : width;
    const size_t all = (size_t)m * n * gridDim.y;
    const T *const end = src + all, *const begin = src;
    const T *const s = src + (size_t)m * n * blockIdx.y + j;
    T *const d = dst + ((size_t)n * blockIdx.y + j) * m;
    const unsigned lead = (unsigned)((size_t)d % 16 / sizeof(T));
    T *const tile = (T *)smem + lead;
    /* Elements by which the first vector of row i starts before column j. */
    auto early_of = [&](unsigned i) {
        return (unsigned)((size_t)(s + (size_t)i * n) % 16 / sizeof(T));
    };
    /* Loads vector l of row i; at the ends of src only what exists. */
    auto get = [&](unsigned i, unsigned l) {
        const T *p = s + (size_t)i * n;
        p += (int)(l * wide) - (int)early_of(i);
        uint4 v = {};
        if (p >= begin && p + wide <= end) {
            v = *(const uint4 *)p;
        } else {
            T x[wide];
            memcpy(x, &v, 16);
            LL_UNROLL
            for (unsigned k = 0; k < wide; ++k) {
                if (p + k >= begin && p + k < end) {
                    x[k] = p[k];
                }
            }
            memcpy(&v, x, 16);
        }
        return v;
    };
    /* Stores the elements of a vector that belong to the tile. */
    auto put = [&](unsigned i, unsigned l, uint4 v) {
        const int col = (int)(l * wide) - (int)early_of(i);
        T x[wide];
        memcpy(x, &v, 16);
        T *at = tile + col * (int)m + (int)i;
        LL_UNROLL
        for (unsigned k = 0; k < wide; ++k) {
            if ((unsigned)(col + (int)k) < cols) {
                *at = x[k];
            }
            at += m;
        }
    };
    for (unsigned t = threadIdx.x; t < m * across; t += step * most) {
        uint4 v[most];
        LL_UNROLL
        for (unsigned q = 0; q < most; ++q) {
            const unsigned u = t + q * step, i = u / across, l = u % across;
            v[q] = make_uint4(0, 0, 0, 0);
            if (i < m && l * wide < cols + wide) {
                v[q] = get(i, l);
            }
        }
        LL_UNROLL
        for (unsigned q = 0; q < most; ++q) {
            const unsigned u = t + q * step, i = u / across, l = u % across;
            if (i < m) {
                put(i, l, v[q]);
            }
        }
    }
    for (unsigned i = threadIdx.x; i < m; i += step) {
        if (across * wide - early_of(i) < cols) {
            put(i, across, get(i, across)); /* rows that start early */
        }
    }
    __syncthreads();
    const unsigned stop = lead + cols * m;
    const T *const from = (const T *)smem;
    T *const to = d - lead;
    for (unsigned q = threadIdx.x; q * wide < stop; q += step) {
        if (q * wide >= lead && (q + 1) * wide <= stop) {
            ((uint4 *)to)[q] = ((const uint4 *)from)[q];
        } else {
            for (unsigned k = q * wide; k < (q + 1) * wide; ++k) {
                if (k >= lead && k < stop) {
                    to[k] = from[k];
                }
            }
        }
    }
}

/* Launches the kernel for `count` matrices. */
template <class T>
void launch_transpose_short(T *dst, const T *src, unsigned m, unsigned n,
                            unsigned count) {
    constexpr unsigned width = 128 / sizeof(T);
    transpose_short<<<dim3((n + width - 1) / width, count), SHORT_THREADS,
                      128 * m + 16, launch_stream()>>>(dst, src, m, n);
}

} // namespace ll_kernels

#endif
