/* matmul_split.h - how do blocks that share a tile of C add up their sums?
 * SPDX-License-Identifier: MIT
 *
 * Where C has fewer tiles than the GPU has processors, each block of a cluster
 * multiplies a part of k (matmul_hopper.cu). In the end each lays its sums down
 * in its shared memory, where the stages were, and adds up a part of the tile
 * that it reads from the memory of all blocks that share it.
 *
 * Rows of C lie one after the other, 64 sums each. Groups of 32 bytes are
 * permuted by the row, so that neither writing nor reading has bank conflicts.
 */
#ifndef LL_MATMUL_SPLIT_H
#define LL_MATMUL_SPLIT_H

LL_PLAN_THROUGH(PARTIAL, SUMS, SUMS, 32, LL_SM90,
                ll_swizzled(ll_shape_of("i=64 j=16"), 8, 2, 4));
LL_EXPECT_NO_CONFLICTS(PARTIAL);

template <class T>
static __device__ void lay_down(const float *sum, unsigned char *smem) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned j = 0; j < T::PADDED; j += 16) {
        float some[LL_REGS(SUMS)];
        LL_UNROLL
        for (unsigned r = 0; r < LL_REGS(SUMS); ++r) {
            some[r] = j / 2 + r < T::ROWS / 2 ? sum[j / 2 + r] : 0;
        }
        LL_STORE_SHARED(some, PARTIAL, smem + 4 * 64 * j);
    }
}

/* The sums of all shares for four neighbours of a row of C, of which number x
 * are at byte 16 x of each. */
template <class T>
static __device__ void add_four(float *sum, unsigned at, const tiles<T> &t) {
    for (unsigned share = 0; share < t.shares; ++share) {
        const ll_words w = ll_ptx_ld_shared_cluster_b128(
            ll_ptx_mapa(at, share * t.beside + t.rank));
        LL_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
            sum[e] += __uint_as_float(w.w[e]);
        }
    }
}

/* Adds up a part of the tile and stores it in C. Loads from other blocks take
 * long, so those of COUNT groups of four and all shares start together. */
template <class T, unsigned SHARES>
static __device__ void add_shares(const problem &p, unsigned smem,
                                  const tiles<T> &t) {
    enum : unsigned { COUNT = 8 / SHARES, ALL = T::COLS * T::PADDED / 4 };
    const unsigned by = SHARES * (T::THREADS - 128);
    unsigned x = t.share * (T::THREADS - 128) + threadIdx.x - 128;
    for (; x < ALL; x += COUNT * by) {
        ll_words w[COUNT][SHARES];
        LL_UNROLL
        for (unsigned y = 0; y < COUNT * SHARES; ++y) {
            const unsigned s = y % SHARES, g = x + y / SHARES * by;
            w[y / SHARES][s] = ll_ptx_ld_shared_cluster_b128(ll_ptx_mapa(
                smem + 16 * (g < ALL ? g : x), s * t.beside + t.rank));
        }
        LL_UNROLL
        for (unsigned y = 0; y < COUNT; ++y) {
            const unsigned g = x + y * by, i = g / 16 % T::PADDED;
            const unsigned j =
                64 * (g / 16 / T::PADDED) + 4 * (g % 16 ^ (i & 6));
            float sum[4] = LL_ZERO;
            LL_UNROLL
            for (unsigned s = 0; s < 4 * SHARES; ++s) {
                sum[s % 4] += __uint_as_float(w[y][s / 4].w[s % 4]);
            }
            if (g < ALL && i < T::ROWS && t.row + i < p.m && t.col + j < p.n) {
                uint2 *const to =
                    (uint2 *)((unsigned *)p.c +
                              ((size_t)(t.row + i) * p.n + t.col + j) / 2);
                *to = make_uint2(rounded(sum[0], sum[1]),
                                 rounded(sum[2], sum[3]));
            }
        }
    }
}

template <class T>
static __device__ void add_up(const problem &p, unsigned smem,
                              const tiles<T> &t) {
    switch (t.shares) {
    case 2:
        return add_shares<T, 2>(p, smem, t);
    case 3:
        return add_shares<T, 3>(p, smem, t);
    case 4:
        return add_shares<T, 4>(p, smem, t);
    default:
        return add_shares<T, 6>(p, smem, t);
    }
}

#endif
