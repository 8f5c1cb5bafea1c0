/* matmul_sync_load.h - how do tiles of A and B get from memory to shared memory
 * and to registers?
 * SPDX-License-Identifier: MIT
 *
 * Rows that start at multiples of 16 bytes are copied by cp.async. Other rows
 * pass through registers. Beyond the edges of a matrix both read zeros.
 */
#ifndef LL_MATMUL_SYNC_LOAD_H
#define LL_MATMUL_SYNC_LOAD_H

#include "matmul_sync_tiles.h"

namespace ll_kernels {

/* Returns how many of `most` elements from `at` on are within `size`. */
static __device__ unsigned count_left(unsigned size, unsigned at,
                                      unsigned most) {
    return at >= size ? 0 : size - at < most ? size - at : most;
}

/* ---- By cp.async --------------------------------------------------------- */

/* The operands of a tile of C.
 *   a, b      the matrices from the tile's row and column on
 *   rows      of A that are left, at most those of the tile
 *   cols      of B that are left
 *   lda, ldb  distances of adjacent rows, or columns, in memory */
template <class T> struct tile_operands {
    typedef typename T::element_a element_a;
    typedef typename T::element_b element_b;
    const element_a *a;
    const element_b *b;
    unsigned rows, cols, k, lda, ldb;
    __device__ tile_operands(const void *matrix_a, const void *matrix_b,
                             unsigned row, unsigned col, unsigned m, unsigned n,
                             unsigned depth) {
        lda = T::A_BY_COLUMNS ? m : depth;
        ldb = T::B_BY_COLUMNS ? depth : n;
        a = (const element_a *)matrix_a +
            (T::A_BY_COLUMNS ? row : (size_t)row * lda);
        b = (const element_b *)matrix_b +
            (T::B_BY_COLUMNS ? (size_t)col * ldb : col);
        rows = count_left(m, row, T::ROWS);
        cols = count_left(n, col, T::COLS);
        k = depth;
    }
};

/* Starts the copies of a tile of A to a stage, from `at` of k on. IS_WHOLE: the
 * tile is within the matrix; otherwise the rest is filled with zeros. */
template <class T, bool IS_WHOLE>
static __device__ void copy_a(unsigned char *stage, const tile_operands<T> &of,
                              unsigned at) {
    typedef typename copy_plans<T>::COPY_A COPY_A;
    const auto *a = of.a + (T::A_BY_COLUMNS ? (size_t)at * of.lda : at);
    const unsigned deep = count_left(of.k, at, T::DEPTH);
    if constexpr (IS_WHOLE) {
        LL_COPY(COPY_A, stage, a, of.lda);
    } else {
        LL_COPY(COPY_A, stage, a, of.lda, T::A_BY_COLUMNS ? deep : of.rows,
                T::A_BY_COLUMNS ? of.rows : deep);
    }
}

/* The same for a tile of B, which follows the tile of A. */
template <class T, bool IS_WHOLE>
static __device__ void copy_b(unsigned char *stage, const tile_operands<T> &of,
                              unsigned at) {
    typedef typename copy_plans<T>::COPY_B COPY_B;
    const auto *b = of.b + (T::B_BY_COLUMNS ? at : (size_t)at * of.ldb);
    const unsigned deep = count_left(of.k, at, T::DEPTH);
    if constexpr (IS_WHOLE) {
        LL_COPY(COPY_B, stage + T::BYTES_A, b, of.ldb);
    } else {
        LL_COPY(COPY_B, stage + T::BYTES_A, b, of.ldb,
                T::B_BY_COLUMNS ? of.cols : deep,
                T::B_BY_COLUMNS ? deep : of.cols);
    }
}

/* A slice of both operands in registers, as it is in memory. */
template <class T> struct raw_slice {
    typedef mma_layouts<T, T::MMA_K> L;
    typedef typename L::A A;
    typedef typename L::B B;
    unsigned a[LL_WORDS(A, T::BITS_A)], b[LL_WORDS(B, T::BITS_B)];
    /* Loads slice S of a stage, by ldmatrix where that fits. */
    template <unsigned S> __device__ void load(const unsigned char *stage) {
        typedef typename slice_plans<T, S>::LOAD_A LOAD_A;
        typedef typename slice_plans<T, S>::LOAD_B LOAD_B;
        LL_LOAD_SHARED(a, LOAD_A, stage);
        LL_LOAD_SHARED(b, LOAD_B, stage + T::BYTES_A);
    }
};

/* ---- To registers -------------------------------------------------------- */

/* Loads the tile at row i and column j of an m x n matrix: rows x cols, as
 * LAYOUT has them. Of a matrix by columns it is the transposed tile of the
 * transposed matrix. Inlined before it is optimised, so that the compiler
 * schedules it with the rest of the kernel. */
template <class LAYOUT, bool BY_COLUMNS, class E, unsigned N>
static __forceinline__ __device__ void
load_rows(unsigned (&to)[N], const E *matrix, unsigned i, unsigned j,
          unsigned m, unsigned n, unsigned rows, unsigned cols) {
    const unsigned y = BY_COLUMNS ? j : i, x = BY_COLUMNS ? i : j;
    const unsigned high = BY_COLUMNS ? n : m, wide = BY_COLUMNS ? m : n;
    LL_LOAD(to, LAYOUT, matrix + (unsigned long long)y * wide + x, wide,
            count_left(high, y, BY_COLUMNS ? cols : rows),
            count_left(wide, x, BY_COLUMNS ? rows : cols));
}

} // namespace ll_kernels

#endif
