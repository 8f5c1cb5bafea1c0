/* matmul_multiply.h - how are the tensor cores kept busy from the first stage
 * of a block to its last?
 * SPDX-License-Identifier: MIT
 *
 * A warpgroup multiplies the stages that matmul_load.h fills. Two stages are
 * always in flight, across the end of a tile too: the next tile starts before
 * the epilogue of the previous one.
 */
#ifndef LL_MATMUL_MULTIPLY_H
#define LL_MATMUL_MULTIPLY_H

#include "matmul_load.h"
#include "matmul_split.h"
#include "matmul_store.h"
#include "warpgroup.h"

namespace ll_kernels {

/* Tells the blocks that fill a stage that this warpgroup has read it. Each of
 * the first `threads` threads arrives at the mbarrier of block `to`, which may
 * differ between threads. */
static __device__ void release_stage(unsigned empty, unsigned to,
                                     unsigned threads) {
    if (threadIdx.x % 128 < threads) {
        ll_ptx_mbarrier_arrive_cluster_relaxed(ll_ptx_mapa(empty, to));
    }
}

/* sum += a b for a slice; sum = a b if `more` is 0. */
template <dtype IN, unsigned WIDE>
static __device__ void multiply_slice(float *sum, unsigned long long a,
                                      unsigned long long b, unsigned more) {
    if constexpr (IN == dtype::bf16) {
        ll_ptx_wgmma_f32_bf16<WIDE>(sum, a, b, more);
    } else if constexpr (IN == dtype::f16) {
        ll_ptx_wgmma_f32_f16<WIDE>(sum, a, b, more);
    } else {
        ll_ptx_wgmma_f32_e4m3<WIDE>(sum, a, b, more);
    }
}

/* Starts the products of a stage, which are added to the sums if `more`. */
template <class T>
static __device__ void start_stage(float *sum, unsigned worker,
                                   const ring_stage<T> &p, unsigned more) {
    const unsigned long long a = T::DESC + (p.a() >> 4);
    const unsigned long long b =
        T::DESC + ((p.b() + worker * T::NEXT_ROWS) >> 4);
    ll_ptx_mbarrier_wait(p.full(), p.parity);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < T::DEPTH / T::SLICE; ++s) {
        multiply_slice<T::IN, T::ROWS>(sum, b + (s * T::NEXT_K >> 4),
                                       a + (s * T::NEXT_K >> 4), more + s);
    }
    ll_ptx_wgmma_commit_group();
}

/* The stages that a warpgroup multiplies: the products of the two from `oldest`
 * on are in flight, those of `left` more of the tile have not started. */
template <class T> struct wgmma_pipeline {
    ring_stage<T> oldest, next;
    unsigned left;
    __device__ void begin(float *sum, unsigned worker, unsigned steps) {
        next = oldest;
#pragma unroll 1 /* the same code for both, which compiles faster */
        for (unsigned x = 0; x < 2; ++x) {
            start_stage(sum, worker, next, x);
            next.next();
        }
        left = steps - 2;
    }
    /* Releases the oldest stage; its products are done. */
    __device__ void release_oldest(const tile_scheduler<T> &t,
                                   unsigned threads) {
        release_stage(oldest.empty(),
                      t.split * t.neighbours +
                          (t.neighbours > 1 ? threadIdx.x % 128 : 0),
                      threads);
        oldest.next();
    }
    /* Waits for the oldest stage, releases it and starts one more, if any are
     * left. */
    __device__ void step(float *sum, unsigned worker,
                         const tile_scheduler<T> &t, unsigned threads) {
        if (left) {
            ll_ptx_wgmma_wait_group<1>();
            release_oldest(t, threads);
            start_stage(sum, worker, next, 1);
            next.next();
            --left;
        }
    }
    __device__ void finish(float *sum, unsigned worker,
                           const tile_scheduler<T> &t, unsigned threads) {
        while (left) {
            step(sum, worker, t, threads);
        }
        ll_ptx_wgmma_wait_group<1>();
        release_oldest(t, threads);
        ll_ptx_wgmma_wait_group<0>();
        release_oldest(t, threads);
    }
};

/* A warpgroup: multiplies and stores all tiles of its block. Calls
 * epilogue(sum, row, col) on the accumulators of each tile, before they are
 * rounded. */
template <class T, class EPILOGUE>
static __device__ void
multiply_all_tiles(unsigned char *memory, const gemm_maps &maps,
                   const gemm_problem &p, tile_scheduler<T> t,
                   EPILOGUE epilogue) {
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    unsigned char *const to = memory + T::AT_C + worker * T::BYTES_C;
    float sum[T::ROWS / 2];
    rounded_tile<T> c;
    wgmma_pipeline<T> f = {{smem, 0, 0}};
    unsigned row = 0, col = 0;
    bool is_first = true;
    while (t.next(p)) {
        f.begin(sum, worker, t.steps);
        if (!is_first) { /* the previous tile */
            store_tile(c, to, maps, row, col,
                       [&] { f.step(sum, worker, t, p.neighbours); });
        }
        f.finish(sum, worker, t, p.neighbours);
        is_first = false;
        row = t.row, col = t.col + 64 * worker;
        epilogue(sum, row, col);
        c.round(sum);
    }
    if (t.has_split_tile) {
        ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
        write_partial_sums<T>(sum, memory + worker * T::BYTES_SUMS);
        LL_BARRIER_CLUSTER();
        add_partial_sums<T>(p, smem, t);
    } else {
        store_last_tile(c, memory, worker, maps, row, col);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
}

} // namespace ll_kernels

#endif
