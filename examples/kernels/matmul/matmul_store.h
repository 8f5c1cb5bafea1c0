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
    __device__ void round(const float *sum) {
        LL_UNROLL
        for (unsigned x = 0; x < T::ROWS / 4; ++x) {
            of[x / 4][x % 4] = rounded(sum[2 * x], sum[2 * x + 1]);
        }
    }
};

/* Rows `from` to `end` to shared memory, */
template <class T>
static __device__ void put(const words<T> &c, unsigned char *smem,
                           unsigned from, unsigned end) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned i = from; i < end; i += 16) {
        LL_STORE_SHARED(c.of[i / 16], OUT, smem + 128 * (i - from));
    }
    ll_ptx_fence_proxy_async();
}

/* and from there, by one thread, to C. */
template <class T>
static __device__ void send(unsigned char *smem, const maps &of, unsigned row,
                            unsigned col, unsigned rows) {
    const unsigned from = (unsigned)__cvta_generic_to_shared(smem);
    if (threadIdx.x % 128 == 0) {
        for (unsigned i = 0; i < rows; i += T::BOX) {
            ll_ptx_cp_async_bulk_tensor_store_2d(&of.c, from + 128 * i,
                                                 (int)col, (int)(row + i));
        }
        ll_ptx_cp_async_bulk_commit_group();
    }
}

/* Stores them, a piece after the other: while the copy engine reads one from a
 * half of `smem`, the next is written to the other half. After each piece,
 * `after` goes on with the next tile. */
template <class T, class F>
static __device__ void store(const words<T> &c, unsigned char *smem,
                             const maps &of, unsigned row, unsigned col,
                             F after) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned x = 0; x < T::PIECES * T::PIECE; x += T::PIECE) {
        const unsigned end = x + T::PIECE < T::ROWS ? x + T::PIECE : T::ROWS;
        unsigned char *const to = smem + x % (2 * T::PIECE) * 128;
        put(c, to, x, end);
        if (threadIdx.x % 128 == 0) { /* the piece before was read */
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
        LL_SYNC();
        send<T>(to, of, row + x, col, end - x);
        after();
    }
}

/* The last tile of a block: all at once, where the stages were. */
template <class T>
static __device__ void store_last(const words<T> &c, unsigned char *memory,
                                  unsigned worker, const maps &of, unsigned row,
                                  unsigned col) {
    LL_IN(WORKER);
    unsigned char *const to = memory + worker * T::PADDED * 128;
    ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
    put(c, to, 0, T::ROWS);
    LL_SYNC();
    send<T>(to, of, row, col, T::ROWS);
}

#endif
