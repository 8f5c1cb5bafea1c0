/* matmul_store.h - how does a tile of C get to global memory while the tensor
 * cores compute the next one?
 * SPDX-License-Identifier: MIT
 *
 * The accumulators of a warpgroup are rounded to words, half as many registers.
 * Then the products of the next tile start, which need the accumulators.
 * Meanwhile stmatrix writes the words to shared memory, and TMA stores them to
 * C.
 */
#ifndef LL_MATMUL_STORE_H
#define LL_MATMUL_STORE_H

#include "matmul_maps.h"
#include "warpgroup.h"

namespace ll_kernels {

/* The rounded tile of a warpgroup: for each 16 rows, the registers of OUT. */
template <class T> struct rounded_tile {
    typedef typename T::SUMS SUMS;
    unsigned words[T::PADDED_ROWS / 16][LL_WORDS(SUMS, 16)];
    __device__ void round(const float *sum) {
        LL_UNROLL
        for (unsigned x = 0; x < T::ROWS / 4; ++x) {
            words[x / 4][x % 4] =
                round_pair<T::RESULT>(sum[2 * x], sum[2 * x + 1]);
        }
    }
};

/* Writes rows `from` to `end` of a tile to shared memory. */
template <class T>
static __device__ void write_rows(const rounded_tile<T> &c, unsigned char *smem,
                                  unsigned from, unsigned end) {
    typedef typename T::OUT OUT;
    LL_IN(WARPGROUP);
    LL_UNROLL
    for (unsigned i = from; i < end; i += 16) {
        LL_STORE_SHARED(c.words[i / 16], OUT, smem + 128 * (i - from));
    }
    ll_ptx_fence_proxy_async();
}

/* One thread of a warpgroup: starts the TMA stores of these rows to C. */
template <class T>
static __device__ void start_store(unsigned char *smem, const gemm_maps &maps,
                                   unsigned row, unsigned col, unsigned rows) {
    const unsigned from = (unsigned)__cvta_generic_to_shared(smem);
    if (threadIdx.x % 128 == 0) {
        for (unsigned i = 0; i < rows; i += T::STORE_ROWS) {
            ll_ptx_cp_async_bulk_tensor_store_2d(&maps.c, from + 128 * i,
                                                 (int)col, (int)(row + i));
        }
        ll_ptx_cp_async_bulk_commit_group();
    }
}

/* Stores a tile piece by piece: while TMA reads one from a half of `smem`, the
 * next is written to the other half. Calls after() after each piece, to go on
 * with the next tile. */
template <class T, class F>
static __device__ void store_tile(const rounded_tile<T> &c, unsigned char *smem,
                                  const gemm_maps &maps, unsigned row,
                                  unsigned col, F after) {
    LL_IN(WARPGROUP);
    LL_UNROLL
    for (unsigned x = 0; x < T::PIECES * T::PIECE; x += T::PIECE) {
        const unsigned end = x + T::PIECE < T::ROWS ? x + T::PIECE : T::ROWS;
        unsigned char *const to = smem + x % (2 * T::PIECE) * 128;
        write_rows(c, to, x, end);
        if (threadIdx.x % 128 == 0) { /* the previous piece was read */
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
        LL_SYNC();
        start_store<T>(to, maps, row + x, col, end - x);
        after();
    }
}

/* Stores the last tile of a block: in one piece, where the stages were. */
template <class T>
static __device__ void store_last_tile(const rounded_tile<T> &c,
                                       unsigned char *memory, unsigned worker,
                                       const gemm_maps &maps, unsigned row,
                                       unsigned col) {
    LL_IN(WARPGROUP);
    unsigned char *const to = memory + worker * T::PADDED_ROWS * 128;
    ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
    write_rows(c, to, 0, T::ROWS);
    LL_SYNC();
    start_store<T>(to, maps, row, col, T::ROWS);
}

} // namespace ll_kernels

#endif
