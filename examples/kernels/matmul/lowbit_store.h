/* lowbit_store.h - how do accumulators get to C?
 * SPDX-License-Identifier: MIT
 *
 * With more than 128 tokens a warpgroup has all of k: it rounds its
 * accumulators, and TMA stores them. Otherwise the warpgroups of a block and
 * two blocks of a cluster may share k. Then they add their partial sums through
 * distributed shared memory.
 */
#ifndef LL_LOWBIT_STORE_H
#define LL_LOWBIT_STORE_H

#include "../hopper.h"
#include "lowbit_tiles.h"
#include "warpgroup.h"

namespace ll_kernels {

/* A warpgroup: rounds STORED_TOKENS of its accumulators and starts to store
 * them at a row (feature) and column (token). First waits until the previous
 * store has read `smem`. */
static __device__ void store_tile(const float *sum, float scale,
                                  unsigned char *smem, const CUtensorMap *map_c,
                                  unsigned row, unsigned col) {
    LL_IN(WARPGROUP);
    unsigned words[LL_WORDS(STORED_SUMS, 16)];
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(STORED_SUMS, 16); ++w) {
        words[w] =
            round_pair<OUTPUT>(scale * sum[2 * w], scale * sum[2 * w + 1]);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
    LL_SYNC();
    LL_STORE_SHARED(words, STORE_C, smem);
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_tensor_store_2d(
            map_c, (unsigned)__cvta_generic_to_shared(smem), (int)row,
            (int)col);
        ll_ptx_cp_async_bulk_commit_group();
    }
}

/* Adds the partial sums of the warpgroups of a cluster that share k. Each
 * writes its own where the ring was; then it adds and stores its share of the
 * registers. */
template <class T>
static __device__ void
add_partial_sums(const float *sum, float scale, unsigned smem,
                 const lowbit_scheduler &t, unsigned short *c, unsigned row,
                 unsigned col, unsigned m, unsigned n) {
    typedef typename T::SUMS SUMS;
    LL_IN(WARPGROUP);
    const unsigned worker = threadIdx.x / 128 - 1;
    const unsigned panel = worker % T::PANELS;
    const unsigned rank =
        blockIdx.x % t.splits * T::SHARES + worker / T::PANELS;
    const unsigned share = LL_REGS(SUMS) / (t.splits * T::SHARES);
    const unsigned at = smem + threadIdx.x % 128 * 4;
    ll_ptx_bar_at<128 * T::WORKERS>(T::WORKERS + 1); /* the ring is read */
    LL_EACH(q, SUMS) {
        ll_words v = LL_ZERO;
        LL_MEMCPY_(v.w, sum + q, 4);
        ll_ptx_st_shared_b32(at + 512 * (T::WORKERS * q + worker), v);
    }
    LL_BARRIER_CLUSTER();
#pragma unroll 2
    for (unsigned y = 0; y < share; ++y) {
        const unsigned q = share * rank + y;
        const unsigned i = row + LL_AT(SUMS, LL_I, q);
        const unsigned x = col + LL_AT(SUMS, LL_J, q);
        float partial[MAX_SPLITS * T::SHARES], all = 0;
        LL_UNROLL
        for (unsigned b = 0; b < MAX_SPLITS * T::SHARES; ++b) {
            const unsigned from =
                T::WORKERS * q + b / MAX_SPLITS * T::PANELS + panel;
            const ll_words v = ll_ptx_ld_shared_cluster_b32(
                ll_ptx_mapa(at + 512 * from, b % MAX_SPLITS % t.splits));
            LL_MEMCPY_(&partial[b], v.w, 4);
        }
        LL_UNROLL
        for (unsigned b = 0; b < MAX_SPLITS * T::SHARES; ++b) {
            all += b % MAX_SPLITS < t.splits ? partial[b] : 0;
        }
        if (i < n && x < m) {
            c[(size_t)x * n + i] =
                (unsigned short)round_pair<OUTPUT>(scale * all, 0);
        }
    }
}

} // namespace ll_kernels

#endif
