/* matmul_store.h - how does a tile of C get to global memory while the tensor
 * cores compute the next one?
 * SPDX-License-Identifier: MIT
 *
 * The sums of a warpgroup are rounded to words, half as many registers
 * (matmul_hopper.cu). Then the products of the next tile start, which need the
 * registers of the sums, and meanwhile the words go by stmatrix to shared
 * memory and from there, by the copy engine, to C.
 */
#ifndef LL_MATMUL_STORE_H
#define LL_MATMUL_STORE_H

static __device__ unsigned rounded(float x, float y) {
    return OUT_IS == f16 ? ll_ptx_cvt_f16x2(x, y) : ll_ptx_cvt_bf16x2(x, y);
}

/* The words of C of a warpgroup: for each 16 rows of a tile, what OUT takes. */
template <class T> struct words {
    unsigned of[T::PADDED / 16][LL_WORDS(SUMS, 16)];
    __device__ void round(const float *sum, float scale) {
        LL_UNROLL
        for (unsigned x = 0; x < T::ROWS / 4; ++x) {
            of[x / 4][x % 4] =
                rounded(scale * sum[2 * x], scale * sum[2 * x + 1]);
        }
    }
};

/* Stores them, a piece after the other: while the copy engine reads one from a
 * half of `smem`, the next is written to the other half. */
template <class T>
static __device__ void store(const words<T> &c, unsigned char *smem,
                             const maps &of, unsigned row, unsigned col) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned x = 0; x < T::PIECES * T::PIECE; x += T::PIECE) {
        const unsigned end = x + T::PIECE < T::ROWS ? x + T::PIECE : T::ROWS;
        unsigned char *const to = smem + x % (2 * T::PIECE) * 128;
        LL_UNROLL
        for (unsigned i = x; i < end; i += 16) {
            LL_STORE_SHARED(c.of[i / 16], OUT, to + 128 * (i - x));
        }
        ll_ptx_fence_proxy_async();
        if (threadIdx.x % 128 == 0) { /* the piece before was read */
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
        LL_SYNC();
        if (threadIdx.x % 128 == 0) {
            const unsigned from = (unsigned)__cvta_generic_to_shared(to);
            for (unsigned i = x; i < end; i += T::BOX) {
                ll_ptx_cp_async_bulk_tensor_store_2d(
                    &of.c, from + 128 * (i - x), (int)col, (int)(row + i));
            }
            ll_ptx_cp_async_bulk_commit_group();
        }
    }
}

#endif
