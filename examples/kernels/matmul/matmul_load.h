/* matmul_load.h - how do the operands of a GEMM reach shared memory?
 * SPDX-License-Identifier: MIT
 *
 * One thread of each block, the producer, starts TMA copies for all tiles of
 * the block. They fill a ring of stages; each stage has two mbarriers.
 */
#ifndef LL_MATMUL_LOAD_H
#define LL_MATMUL_LOAD_H

#include "matmul_maps.h"

namespace ll_kernels {

/* A stage of the ring; the parity flips with each round. */
template <class T> struct ring_stage {
    unsigned smem, stage, parity;
    __device__ unsigned b() const { return smem + T::STAGE * stage; }
    __device__ unsigned a() const { return b() + T::BYTES_B; }
    __device__ unsigned full() const { return smem + T::FULL + 8 * stage; }
    __device__ unsigned empty() const { return smem + T::EMPTY + 8 * stage; }
    __device__ void next() {
        stage = stage + 1 == T::STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* Starts the copies of a tile. Of an operand that neighbours share, each of
 * them copies a part of the boxes, to all of them. */
template <class T>
static __device__ void load_tile(ring_stage<T> &p, const gemm_maps &maps,
                                 const tile_scheduler<T> &t) {
    const unsigned mask = ((1u << t.neighbours) - 1u) << t.split * t.neighbours;
    const auto copy = [&](unsigned to, const CUtensorMap *map, int k,
                          unsigned row, unsigned rows, unsigned box,
                          bool shared) {
        const unsigned stride = shared ? t.neighbours * box : box;
        for (unsigned i = shared ? t.rank * box : 0; i < rows; i += stride) {
            if (shared) {
                ll_ptx_cp_async_bulk_tensor_load_multicast_2d(
                    to + i * 128, map, p.full(), mask, k, (int)(row + i));
            } else {
                ll_ptx_cp_async_bulk_tensor_load_2d(to + i * 128, map, p.full(),
                                                    k, (int)(row + i));
            }
        }
    };
    for (unsigned s = t.begin; s < t.begin + t.steps; ++s) {
        const int at = (int)(s * T::DEPTH);
        ll_ptx_mbarrier_wait(p.empty(), p.parity);
        ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE);
        copy(p.b(), &maps.b, at, t.col, T::COLS, t.box_b,
             t.neighbours > 1 && t.stacked);
        copy(p.a(), &maps.a, at, t.row, T::PADDED_ROWS, t.box_a,
             t.neighbours > 1 && !t.stacked);
        p.next();
    }
}

/* One thread: starts the copies of all tiles of its block. At the end waits
 * until all stages are empty, unless the cluster meets at a barrier later. */
template <class T>
static __device__ void load_all_tiles(unsigned smem, const gemm_maps &maps,
                                      const gemm_problem &p,
                                      tile_scheduler<T> t) {
    ring_stage<T> at = {smem, 0, 1}; /* the ring is empty */
    for (unsigned x = t.first; x < t.whole; x += t.stride) {
        t.find(x);
        load_tile(at, maps, t);
    }
    if (t.has_split_tile) {
        t.find_split_tile(p);
        load_tile(at, maps, t);
    }
    for (unsigned s = 0; s < T::STAGES && !t.has_split_tile; ++s) {
        ll_ptx_mbarrier_wait(at.empty(), at.parity); /* all have arrived */
        at.next();
    }
}

} // namespace ll_kernels

#endif
