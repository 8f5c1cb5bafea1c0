/* lowbit_load.h - how do weights and activations reach shared memory?
 * SPDX-License-Identifier: MIT
 *
 * One thread of each block, the producer, fills a ring of stages: weights by
 * bulk copies, as they are stored, and activations by TMA, as operand B.
 */
#ifndef LL_LOWBIT_LOAD_H
#define LL_LOWBIT_LOAD_H

#include "../hopper.h"
#include "lowbit_tiles.h"

namespace ll_kernels {

/* The stage that the producer fills next: stage k of tile x of a block, and its
 * position in the ring. */
template <class T> struct load_position {
    unsigned x, k, row, col;
    ring_position<T> at;
    __device__ load_position(const lowbit_scheduler &t)
        : x(0), k(0), row(0), col(0), at{0, 0} {
        t.find(0, row, col);
    }
    __device__ void next(const lowbit_scheduler &t) {
        at.next();
        if (++k == t.stages) {
            k = 0;
            t.find(++x, row, col);
        }
    }
};

/* One thread: starts the copies of the weights of a stage, one for each
 * panel. `rows`: the tokens that TMA will load. */
template <class T>
static __device__ void load_weights(unsigned smem, const unsigned char *w,
                                    unsigned panel_tiles, unsigned rows,
                                    const lowbit_scheduler &t,
                                    const load_position<T> &p) {
    const unsigned full = smem + T::FULL + 8 * p.at.stage;
    ll_ptx_mbarrier_wait(smem + T::EMPTY + 8 * p.at.stage, !p.at.parity);
    ll_ptx_mbarrier_arrive_expect_tx(full, T::STEPS * TOKEN_BYTES * rows +
                                               T::PANELS * T::BYTES_W);
    LL_UNROLL
    for (unsigned v = 0; v < T::PANELS; ++v) {
        const size_t at =
            (size_t)(p.row * T::PANELS + v < t.panels ? p.row * T::PANELS + v
                                                      : t.panels - 1) *
                panel_tiles +
            (t.first + p.k) * T::STEPS;
        ll_ptx_cp_async_bulk_load(smem + T::STAGE * p.at.stage +
                                      T::STEPS * T::BYTES_X + v * T::BYTES_W,
                                  (unsigned long long)(w + at * T::BYTES_TILE),
                                  T::BYTES_W, full);
    }
}

/* One thread: starts all copies of its block. The first stages of weights are
 * loaded while the preceding kernel, which may write X, still runs; more of
 * them would delay X. */
template <class T>
static __device__ void
load_all_tiles(unsigned smem, const unsigned char *w, const CUtensorMap *map_x,
               unsigned panel_tiles, unsigned rows, const lowbit_scheduler &t) {
    unsigned n = 0, early = 0;
    for (load_position<T> p(t); early < EARLY_STAGES && p.x < t.tiles;
         p.next(t)) {
        load_weights(smem, w, panel_tiles, rows, t, p);
        ++early;
    }
    ll_ptx_griddepcontrol_wait();
    for (load_position<T> p(t); p.x < t.tiles; p.next(t)) {
        if (n++ >= early) {
            load_weights(smem, w, panel_tiles, rows, t, p);
        }
        LL_UNROLL
        for (unsigned u = 0; u < T::STEPS; ++u) {
            ll_ptx_cp_async_bulk_tensor_load_2d(
                smem + T::STAGE * p.at.stage + u * T::BYTES_X, map_x,
                smem + T::FULL + 8 * p.at.stage,
                (int)(((t.first + p.k) * T::STEPS + u) * DEPTH),
                (int)(p.col * T::TOKENS));
        }
    }
}

/* The warpgroups that multiply: write zeros to the tokens from `rows` on, which
 * no copy fills, in all stages. Eight lanes write 128 bytes of one step, or
 * nothing. */
template <class T>
static __device__ void clear_missing_tokens(unsigned char *memory,
                                            unsigned rows) {
    const unsigned each = (T::BYTES_X - TOKEN_BYTES * rows) / 16;
    const unsigned lanes = TOKEN_BYTES < 128 ? (each + 7) & ~7u : each;
    for (unsigned x = threadIdx.x - 128; x < T::STAGES * T::STEPS * lanes;
         x += 128 * T::WORKERS) {
        const unsigned step = x / lanes;
        if (x % lanes < each) {
            *(uint4 *)(memory + step / T::STEPS * T::STAGE +
                       step % T::STEPS * T::BYTES_X + TOKEN_BYTES * rows +
                       x % lanes * 16) = uint4{};
        }
    }
    ll_ptx_fence_proxy_async();
    ll_ptx_bar_at<128 * T::WORKERS>(T::WORKERS + 1);
}

} // namespace ll_kernels

#endif
