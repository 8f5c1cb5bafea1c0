/* matmul_sync_tiles.h - the tiles of a GEMM by mma.sync, their layouts, and the
 * plans by which operands reach registers without bank conflicts
 * SPDX-License-Identifier: MIT
 *
 * The order of a matrix is a transposed layout, and nothing else.
 */
#ifndef LL_MATMUL_SYNC_TILES_H
#define LL_MATMUL_SYNC_TILES_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"
#include "matmul_sync_types.h"

namespace ll_kernels {

/* ---- Tiles --------------------------------------------------------------- */

/* A tile describes what a block computes: ROWS x COLS of C, by WARPS_M x
 * WARPS_N warps, DEPTH of k at a time. P is a sync_types. */
/* clang-format off */

/* Copies by cp.async fill a ring of stages. Where k is contiguous, DEPTH is a
 * line of 128 bytes: copies of half lines would take as long. */
template <class P> struct piped_tile : P { enum : unsigned {
    ROWS = P::BITS == 64 ? 64 : 128, COLS = P::BITS == 64 ? 64 : 256,
    NARROW_A = P::A_BY_COLUMNS ? +P::BITS : +P::BITS_A, /* bits along k */
    NARROW_B = P::B_BY_COLUMNS ? +P::BITS_B : +P::BITS,
    NARROW = P::BITS == 64 ? 64 : NARROW_A < NARROW_B ? +NARROW_A : +NARROW_B,
    DEPTH = 128 * 8 / NARROW,
    WARPS_M = P::BITS == 64 ? 2 : ROWS / 64,
    WARPS_N = P::BITS == 64 ? 2 : COLS / 64,
    THREADS = 32 * WARPS_M * WARPS_N, SLICES = DEPTH / P::MMA_K,
    BYTES_A = ROWS * DEPTH * P::BITS_A / 8,
    BYTES_B = COLS * DEPTH * P::BITS_B / 8, STAGE = BYTES_A + BYTES_B,
    STAGES = 3 * STAGE > 163 * 1024 ? 2 : 3, SMEM = STAGES * STAGE
}; };

/* Tiles pass through registers on their way to shared memory. */
template <class P> struct register_tile : P { enum : unsigned {
    ROWS = P::BITS == 64 ? 64 : 128, COLS = ROWS,
    DEPTH = P::BITS >= 32 ? 16 : P::BITS == 8 ? 64 : 32,
    WARPS_M = 2, WARPS_N = 2, THREADS = 32 * WARPS_M * WARPS_N
}; };
/* clang-format on */

/* ---- Layouts ------------------------------------------------------------- */

LL_FN ll_layout transposed_if(bool by_columns, ll_layout a) {
    return by_columns ? ll_trans(a, "j i") : a;
}

/* Returns a fragment, repeated to fill rows x cols: `y` warps along axis d,
 * which is the fastest, and `x` along axis e. An axis that the fragment lacks
 * holds copies. */
LL_FN ll_layout repeated(ll_layout fragment, unsigned rows, unsigned cols,
                         ll_dim d, unsigned y, ll_dim e, unsigned x) {
    const ll_shape none = LL_ZERO;
    return ll_tiled(fragment, ll_with(ll_with(none, LL_J, cols), LL_I, rows),
                    ll_with(ll_with(none, d, y), e, x));
}

/* Return `depth` of k of the operands, and the accumulators, of a tile T. */
template <class T> LL_FN ll_layout operand_a(unsigned depth) {
    return repeated(ll_ptx_fragment_a(T::MMA_M, T::MMA_K, T::BITS), T::ROWS,
                    depth, LL_I, T::WARPS_M, LL_K, T::WARPS_N);
}
template <class T> LL_FN ll_layout operand_b(unsigned depth) {
    return repeated(ll_ptx_fragment_b(T::MMA_K, 8, T::BITS), depth, T::COLS,
                    LL_K, T::WARPS_M, LL_J, T::WARPS_N);
}
template <class T> LL_FN ll_layout accumulators() {
    return repeated(ll_ptx_fragment_c(T::MMA_M, 8), T::ROWS, T::COLS, LL_I,
                    T::WARPS_M, LL_J, T::WARPS_N);
}

/* Return slice s of the operands: MMA_K of the DEPTH of a tile. */
template <class T> LL_FN ll_layout slice_a(unsigned s) {
    return ll_flip(ll_resize_out(operand_a<T>(T::MMA_K), LL_J, T::DEPTH), LL_J,
                   T::MMA_K * s);
}
template <class T> LL_FN ll_layout slice_b(unsigned s) {
    return ll_flip(ll_resize_out(operand_b<T>(T::MMA_K), LL_I, T::DEPTH), LL_I,
                   T::MMA_K * s);
}

/* What LL_MMA multiplies at once: `K` of k. */
template <class T, unsigned K> struct mma_layouts {
    LL_LAYOUT(A, operand_a<T>(K));
    LL_LAYOUT(B, operand_b<T>(K));
    LL_LAYOUT(C, accumulators<T>());
};

/* ---- Plans of piped tiles ------------------------------------------------ */

/* How cp.async copies tiles, 16 bytes at a time, to where ldmatrix finds no
 * bank conflicts. A tile has the order of memory. */
template <class T> struct copy_plans {
    LL_LAYOUT(A, transposed_if(T::A_BY_COLUMNS, operand_a<T>(T::DEPTH)));
    LL_LAYOUT(B, transposed_if(T::B_BY_COLUMNS, operand_b<T>(T::DEPTH)));
    LL_LAYOUT(FROM_A, ll_rows_for(LL_GET(A), T::BITS_A / 8));
    LL_LAYOUT(FROM_B, ll_rows_for(LL_GET(B), T::BITS_B / 8));
    LL_PLAN_BY(COPY_A, FROM_A, A, T::BITS_A, LL_SM80, LL_COPIES);
    LL_PLAN_BY(COPY_B, FROM_B, B, T::BITS_B, LL_SM80, LL_COPIES);
};

/* How slice S gets from there to registers. */
template <class T, unsigned S> struct slice_plans {
    typedef copy_plans<T> copied;
    typedef typename copied::FROM_A FROM_A;
    typedef typename copied::FROM_B FROM_B;
    typedef typename copied::COPY_A COPY_A;
    typedef typename copied::COPY_B COPY_B;
    LL_LAYOUT(A, transposed_if(T::A_BY_COLUMNS, slice_a<T>(S)));
    LL_LAYOUT(B, transposed_if(T::B_BY_COLUMNS, slice_b<T>(S)));
    LL_PLAN_THROUGH(LOAD_A, FROM_A, A, T::BITS_A, LL_SM80,
                    LL_GET(COPY_A).memory);
    LL_PLAN_THROUGH(LOAD_B, FROM_B, B, T::BITS_B, LL_SM80,
                    LL_GET(COPY_B).memory);
    static constexpr unsigned CONFLICTS =
        ll_conflicts(LL_GET(LOAD_A)) + ll_conflicts(LL_GET(LOAD_B));
};

/* ---- Plans of tiles through registers ------------------------------------ */

/* Returns rows in memory, loaded by 16 bytes per access if they are aligned,
 * otherwise by single elements. */
template <class T>
LL_FN ll_layout rows_in_memory(unsigned rows, unsigned cols, unsigned bits,
                               bool aligned) {
    ll_rows_spec s = LL_ZERO;
    s.rows = rows;
    s.cols = cols;
    s.bytes = bits / 8;
    s.access = aligned ? 16 : s.bytes;
    s.warps = T::THREADS / 32;
    return ll_rows_of(s);
}

/* How tiles are loaded from memory, ROWS_A and ROWS_B, and converted to
 * operands. The rows of a matrix by columns are its columns. */
template <class T, bool ALIGNED> struct register_plans {
    LL_LAYOUT(A, operand_a<T>(T::DEPTH));
    LL_LAYOUT(B, operand_b<T>(T::DEPTH));
    LL_LAYOUT(ROWS_A,
              T::A_BY_COLUMNS
                  ? rows_in_memory<T>(T::DEPTH, T::ROWS, T::BITS_A, ALIGNED)
                  : rows_in_memory<T>(T::ROWS, T::DEPTH, T::BITS_A, ALIGNED));
    LL_LAYOUT(ROWS_B,
              T::B_BY_COLUMNS
                  ? rows_in_memory<T>(T::COLS, T::DEPTH, T::BITS_B, ALIGNED)
                  : rows_in_memory<T>(T::DEPTH, T::COLS, T::BITS_B, ALIGNED));
    LL_LAYOUT(FROM_A, transposed_if(T::A_BY_COLUMNS, LL_GET(ROWS_A)));
    LL_LAYOUT(FROM_B, transposed_if(T::B_BY_COLUMNS, LL_GET(ROWS_B)));
    LL_PLAN(CONVERT_A, FROM_A, A, T::BITS_A, LL_SM80);
    LL_PLAN(CONVERT_B, FROM_B, B, T::BITS_B, LL_SM80);
};

/* Whether aligned matrices take piped tiles. Columns of bytes are transposed
 * faster in registers, and slices with bank conflicts load faster through
 * registers. */
template <class P>
constexpr bool IS_PIPED = !(P::BITS_A == 8 && P::A_BY_COLUMNS) &&
                          slice_plans<piped_tile<P>, 0>::CONFLICTS == 0;

} // namespace ll_kernels

#endif
