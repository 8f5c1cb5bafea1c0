/* transpose_words.h - loads and stores unaligned rows by words and sectors.
 * SPDX-License-Identifier: MIT
 *
 * transpose_odd.cu says why. read_tile takes the aligned words around each run
 * of a row and shifts them by 0 to 3 bytes; write_tile cuts each row where a
 * sector of 32 bytes starts.
 */
#ifndef LL_TRANSPOSE_WORDS_H
#define LL_TRANSPOSE_WORDS_H

#include "ll_ptx.h"
#include <string.h>
#include <utility>

namespace ll_kernels {

/* Checks that `layers` layers of blocks can transpose matrices of m x n
 * elements. Returns an error message, or null. */
inline const char *odd_refusal(const void *dst, const void *src, unsigned m,
                               unsigned n, unsigned size, size_t layers) {
    const size_t longest = (size_t)(m > n ? m : n) * size;
    return !m || !n || !layers
               ? "there is a matrix, and it has rows and columns"
           : longest > ~0u - 512
               ? "a row, or a column, has at most 2^32 - 513 bytes"
           : layers > 65535
               ? "of columns up to 32768 tiles long there are at most 65535"
           : ((size_t)dst | (size_t)src) % size
               ? "a matrix starts at a multiple of its elements' size"
               : nullptr;
}

/* Calls f(0), f(1), .. f(N - 1); each argument is an integral_constant. */
template <class F, unsigned... K>
__device__ void for_each_in(F f, std::integer_sequence<unsigned, K...>) {
    (f(std::integral_constant<unsigned, K>()), ...);
}

template <unsigned N, class F> __device__ void for_each_constant(F f) {
    for_each_in(f, std::make_integer_sequence<unsigned, N>());
}

/* Distance of register R from register 0 in dimension D. In a blocked layout
 * registers and lanes have different bits, so the distance is added. */
template <class LAYOUT, unsigned R, ll_dim D>
constexpr unsigned register_offset =
    ll_unpack(LL_GET(LAYOUT).out, D, ll_apply(LL_GET(LAYOUT), R));

/* Loads a tile that starts at row i and column j of src, m x n. A lane takes
 * each run of RUN bytes from RUN + 4 bytes of aligned words. These may extend
 * past the row, but not past the matrix: at its end a tile loads single
 * elements. Rows outside the matrix are 0. */
template <class FROM, unsigned RUN, class T>
__device__ void read_tile(T *a, const T *src, long long i, unsigned j,
                          unsigned m, unsigned n, bool is_at_end) {
    constexpr unsigned size = sizeof(T), regs = LL_REGS(FROM);
    constexpr unsigned words = RUN / 4, step = RUN / size;
    i += LL_AT(FROM, LL_I, 0);
    j += LL_AT(FROM, LL_J, 0);
    const unsigned char *p =
        reinterpret_cast<const unsigned char *>(src) + (i * n + j) * size;
    const unsigned row = n * size;
    if (is_at_end) {
        for_each_constant<regs * size / 4>([&](auto number) {
            constexpr unsigned r = decltype(number)::value * 4 / size;
            const long long at = i + register_offset<FROM, r, LL_I>;
            const unsigned col = j + register_offset<FROM, r, LL_J>;
            const unsigned end = at >= 0 && at < m ? n : 0;
            unsigned word = 0;
            LL_UNROLL
            for (unsigned e = 0; e < 4 / size; ++e) {
                word |= col + e < end ? (unsigned)src[at * n + col + e]
                                            << 8 * size * e % 32 : 0;
            }
            memcpy(a + r, &word, 4);
        });
        return;
    }
    unsigned in[regs / step][words + 1];
    for_each_constant<regs / step>([&](auto number) {
        constexpr unsigned k = decltype(number)::value;
        constexpr unsigned di = register_offset<FROM, k * step, LL_I>;
        const unsigned char *q =
            p + (size_t)row * di + size * register_offset<FROM, k * step, LL_J>;
        q -= (size_t)q % 4;
        const bool is_there = (unsigned long long)(i + di) < m;
        LL_UNROLL
        for (unsigned w = 0; w < words + (size < 4); ++w) {
            in[k][w] = is_there ? __ldg((const unsigned *)q + w) : 0;
        }
    });
    for_each_constant<regs / step>([&](auto number) {
        constexpr unsigned k = decltype(number)::value;
        const unsigned at = (unsigned)(size_t)p +
                            row * register_offset<FROM, k * step, LL_I> +
                            size * register_offset<FROM, k * step, LL_J>;
        LL_UNROLL
        for (unsigned w = 0; w < words; ++w) {
            const unsigned word =
                size == 4 ? in[k][w]
                          : __funnelshift_r(in[k][w], in[k][w + 1], 8 * at);
            memcpy(a + k * step + w * 4 / size, &word, 4);
        }
    });
}

/* Writes a word with elements i to i + 4 / sizeof(T) - 1 of a row of m
 * elements. Elements outside the row are left out. */
template <class T>
__device__ void write_word(unsigned char *p, unsigned word, long long i,
                           unsigned m) {
    constexpr unsigned size = sizeof(T), n = 4 / size;
    if (i >= 0 && i + n <= m) {
        *(unsigned *)p = word;
        return;
    }
    LL_UNROLL
    for (unsigned e = 0; e < n; ++e) {
        if (i + e >= 0 && i + e < m) {
            ((T *)p)[e] = (T)(word >> 8 * size * e % 32);
        }
    }
}

/* Stores a transposed tile at row j and column i of dst, n x m. Each row starts
 * at the sector of 32 bytes that holds column i, up to 31 bytes earlier; the
 * tile has 32 bytes before column i for this. INNER: the matrix has all columns
 * of the tile. */
template <class TO, bool INNER, class T>
__device__ void write_tile(T *dst, const T *b, unsigned j, unsigned i,
                           unsigned n, unsigned m) {
    constexpr unsigned size = sizeof(T), wide = 4 / size, high = wide;
    constexpr unsigned bytes = ll_size(LL_GET(TO).out, LL_J) * size;
    constexpr unsigned parts = bytes / 128, rows = LL_REGS(TO) / wide / parts;
    const unsigned lane = threadIdx.x % 32;
    const bool is_last_in = 128 * (parts - 1) + 4 * lane < bytes - 32;
    j += LL_AT(TO, LL_I, 0);
    unsigned char *start =
        reinterpret_cast<unsigned char *>(dst) + ((size_t)j * m + i) * size;
    for_each_constant<rows>([&](auto number) {
        constexpr unsigned k = decltype(number)::value;
        constexpr unsigned r = (k % high + k / high * high * parts) * wide;
        constexpr unsigned dj = register_offset<TO, r, LL_I>;
        unsigned char *p = start + (size_t)m * size * dj;
        const unsigned early = (unsigned)(size_t)p % 32, skip = 32 - early;
        const unsigned from = lane + skip / 4;
        unsigned now[parts + 1] = {}, next[parts + 1] = {};
        LL_UNROLL
        for (unsigned q = 0; q < parts; ++q) {
            unsigned word;
            memcpy(&word, b + r + q * high * wide, 4);
            now[q] = __shfl_sync(0xffffffffu, word, from % 32);
            next[q] = size < 4
                          ? __shfl_sync(0xffffffffu, word, (from + 1) % 32) : 0;
        }
        p -= early;
        LL_UNROLL
        for (unsigned q = 0; q < parts; ++q) {
            const unsigned first = from < 32 ? now[q] : now[q + 1];
            const unsigned second = from < 31 ? next[q] : next[q + 1];
            const unsigned word =
                size == 4 ? first : __funnelshift_r(first, second, 8 * skip);
            const unsigned at = 128 * q + 4 * lane;
            if (j + dj < n && (q + 1 < parts || is_last_in)) {
                if (INNER) {
                    *(unsigned *)(p + at) = word;
                } else {
                    write_word<T>(p + at, word,
                                  (long long)i + at / size - early / size, m);
                }
            }
        }
    });
}

} // namespace ll_kernels

#endif
