/* matmul_split.h - how do blocks that split a tile along k add up their sums?
 * SPDX-License-Identifier: MIT
 *
 * If C has fewer tiles than the GPU has multiprocessors, each block of a
 * cluster multiplies a part of k. At the end each block writes its partial sums
 * to its shared memory, where the stages were. Then it adds up a part of the
 * tile, which it reads from the shared memory of all blocks of the tile.
 *
 * Rows of C follow each other, 64 sums each. Groups of 32 bytes are permuted by
 * the row, so that neither writing nor reading has bank conflicts.
 */
#ifndef LL_MATMUL_SPLIT_H
#define LL_MATMUL_SPLIT_H

#include "matmul_forms.h"
#include "matmul_tiles.h"
#include "warpgroup.h"

namespace ll_kernels {

/* How the accumulators of 16 rows of C lie in shared memory. */
template <class T> struct partial_layout {
    typedef typename T::SUMS SUMS;
    LL_PLAN_THROUGH(PARTIAL, SUMS, SUMS, 32, LL_SM90,
                    ll_swizzled(ll_shape_of("i=64 j=16"), 8, 2, 4));
    LL_EXPECT_NO_CONFLICTS(PARTIAL);
};

/* Writes the partial sums of a warpgroup to shared memory. */
template <class T>
static __device__ void write_partial_sums(const float *sum,
                                          unsigned char *smem) {
    typedef typename T::SUMS SUMS;
    typedef typename partial_layout<T>::PARTIAL PARTIAL;
    LL_IN(WARPGROUP);
    LL_UNROLL
    for (unsigned j = 0; j < T::PADDED_ROWS; j += 16) {
        float some[LL_REGS(SUMS)];
        LL_UNROLL
        for (unsigned r = 0; r < LL_REGS(SUMS); ++r) {
            some[r] = j / 2 + r < T::ROWS / 2 ? sum[j / 2 + r] : 0;
        }
        LL_STORE_SHARED(some, PARTIAL, smem + 4 * 64 * j);
    }
}

/* Adds up the partial sums of all splits for four adjacent elements of a row of
 * C, which are at address `at` of each block. */
template <class T>
static __device__ void add_four(float *sum, unsigned at,
                                const tile_scheduler<T> &t) {
    for (unsigned split = 0; split < t.splits; ++split) {
        const ll_words w = ll_ptx_ld_shared_cluster_b128(
            ll_ptx_mapa(at, split * t.neighbours + t.rank));
        LL_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
            sum[e] += __uint_as_float(w.w[e]);
        }
    }
}

/* Adds up the block's part of the tile and stores it in C. Loads from other
 * blocks take long, so the loads of COUNT groups of four sums and all splits
 * start together. */
template <class T, unsigned SPLITS>
static __device__ void add_splits(const gemm_problem &p, unsigned smem,
                                  const tile_scheduler<T> &t) {
    enum : unsigned { COUNT = 8 / SPLITS, ALL = T::COLS * T::PADDED_ROWS / 4 };
    const unsigned stride = SPLITS * (T::THREADS - 128);
    unsigned x = t.split * (T::THREADS - 128) + threadIdx.x - 128;
    for (; x < ALL; x += COUNT * stride) {
        ll_words w[COUNT][SPLITS];
        LL_UNROLL
        for (unsigned y = 0; y < COUNT * SPLITS; ++y) {
            const unsigned s = y % SPLITS, g = x + y / SPLITS * stride;
            w[y / SPLITS][s] = ll_ptx_ld_shared_cluster_b128(ll_ptx_mapa(
                smem + 16 * (g < ALL ? g : x), s * t.neighbours + t.rank));
        }
        LL_UNROLL
        for (unsigned y = 0; y < COUNT; ++y) {
            const unsigned g = x + y * stride, i = g / 16 % T::PADDED_ROWS;
            const unsigned j =
                64 * (g / 16 / T::PADDED_ROWS) + 4 * (g % 16 ^ (i & 6));
            float sum[4] = LL_ZERO;
            LL_UNROLL
            for (unsigned s = 0; s < 4 * SPLITS; ++s) {
                sum[s % 4] += __uint_as_float(w[y][s / 4].w[s % 4]);
            }
            if (g < ALL && i < T::ROWS && t.row + i < p.m && t.col + j < p.n) {
                uint2 *const to =
                    (uint2 *)((unsigned *)p.c +
                              ((size_t)(t.row + i) * p.n + t.col + j) / 2);
                *to = make_uint2(round_pair<T::RESULT>(sum[0], sum[1]),
                                 round_pair<T::RESULT>(sum[2], sum[3]));
            }
        }
    }
}

/* add_splits for the number of splits of the tile: 2, 3, 4 or 6. */
template <class T>
static __device__ void add_partial_sums(const gemm_problem &p, unsigned smem,
                                        const tile_scheduler<T> &t) {
    switch (t.splits) {
    case 2:
        return add_splits<T, 2>(p, smem, t);
    case 3:
        return add_splits<T, 3>(p, smem, t);
    case 4:
        return add_splits<T, 4>(p, smem, t);
    default:
        return add_splits<T, 6>(p, smem, t);
    }
}

} // namespace ll_kernels

#endif
