/* kv_ring.h - the stages of shared memory through which tiles of K and V go
 * from TMA to the workers
 * SPDX-License-Identifier: MIT
 *
 * TILES says where they are: AT_K and AT_V are tiles, FULL_K .. EMPTY_V the
 * mbarriers of their stages, FULL_Q that of Q, which is at the start.
 */
#ifndef LL_KV_RING_H
#define LL_KV_RING_H

#include "../hopper.h"
#include "warpgroups.h"

namespace ll_kernels {

/* A position in a ring of stages. The parity changes with each round. */
template <unsigned STAGES> struct ring_position {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* The positions of a warp in the rings of K and V, and the parity of Q. */
template <unsigned STAGES> struct ring_positions {
    ring_position<STAGES> k, v;
    unsigned q;
};

/* Initialises the mbarriers of K and V. Called by one thread. */
template <class TILES> static __device__ void init_ring(unsigned smem) {
    for (unsigned k = 0; k < TILES::STAGES; ++k) {
        ll_ptx_mbarrier_init(smem + TILES::FULL_K + 8 * k, 1);
        ll_ptx_mbarrier_init(smem + TILES::FULL_V + 8 * k, 1);
        ll_ptx_mbarrier_init(smem + TILES::EMPTY_K + 8 * k, TILES::WORKERS);
        ll_ptx_mbarrier_init(smem + TILES::EMPTY_V + 8 * k, TILES::WORKERS);
    }
}

/* Starts to copy Q. Called by one thread. */
template <class TILES>
static __device__ void load_q(unsigned smem, const CUtensorMap *map_q,
                              const tile_job &t) {
    ll_ptx_mbarrier_arrive_expect_tx(smem + TILES::FULL_Q,
                                     TILES::WORKERS * TILES::BYTES_Q);
    for (unsigned x = 0; x < TILES::WORKERS * TILES::BOXES; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            smem + TILES::BOX_BYTES_Q * x, map_q, smem + TILES::FULL_Q,
            (int)(x % TILES::BOXES * TILES::BOX), (int)t.head,
            t.row_start + t.row + (int)(x / TILES::BOXES * 64), (int)t.batch);
    }
}

/* Starts to copy the boxes of a tile of K or V to shared memory `to`; the
 * mbarrier `bar` counts their bytes. Called by one thread. */
template <class TILES>
static __device__ void load_boxes(unsigned to, unsigned bar,
                                  const CUtensorMap *map, const tile_job &t,
                                  int tile) {
    LL_UNROLL
    for (unsigned x = 0; x < TILES::BOXES; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            to + TILES::BOX_BYTES_K * x, map, bar, (int)(TILES::BOX * x),
            (int)t.kv_head, t.key_start + tile * (int)TILES::KEYS,
            (int)t.batch);
    }
}

/* Skips a tile that only other workers need: waits for its stages and releases
 * them. */
template <class TILES>
static __device__ void skip_tile(unsigned smem, ring_position<TILES::STAGES> &k,
                                 ring_position<TILES::STAGES> &v) {
    ll_ptx_mbarrier_wait(smem + TILES::FULL_K + 8 * k.stage, k.parity);
    release(smem + TILES::EMPTY_K + 8 * k.stage);
    k.next();
    ll_ptx_mbarrier_wait(smem + TILES::FULL_V + 8 * v.stage, v.parity);
    release(smem + TILES::EMPTY_V + 8 * v.stage);
    v.next();
}

} // namespace ll_kernels

#endif
