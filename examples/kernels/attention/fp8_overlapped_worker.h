/* fp8_overlapped_worker.h - a worker that overlaps the products of the next
 * tile with the softmax of this one
 * SPDX-License-Identifier: MIT
 *
 * It starts the scores of the next tile and O += P V of the preceding tile
 * before it raises 2 to the powers of this tile: they have ended long before it
 * needs them. So powers and scores have registers of their own.
 */
#ifndef LL_FP8_OVERLAPPED_WORKER_H
#define LL_FP8_OVERLAPPED_WORKER_H

#include "fp8_spilled_sums.h"
#include "kv_ring.h"
#include "score_tile.h"

namespace ll_kernels {

/* How the loop over tiles finds the next spill: by a loop in a loop, or by a
 * counter. Which is faster depends on the head dimension. */
enum class spill_loop { NESTED, COUNTED };

/* MAXIMUM is lazy_maximum or tile_maximum: how scores become powers. */
template <class TILES, class MAXIMUM, spill_loop SPILLS>
struct overlapped_worker {
    typedef typename TILES::SCORES SCORES;
    typedef typename TILES::OPERAND_P OPERAND_P;
    typedef typename TILES::output_registers output_registers;
    typedef spilled_sums<TILES> spills;
    enum : unsigned {
        FULL_K = TILES::FULL_K,
        EMPTY_K = TILES::EMPTY_K,
        FULL_V = TILES::FULL_V,
        EMPTY_V = TILES::EMPTY_V,
        WORKERS = TILES::WORKERS
    };

    /* `tile` is the last one whose scores were taken. */
    struct worker_state {
        float scores[LL_REGS(SCORES)], powers[LL_REGS(SCORES)], factor[2];
        float spilled_by[2]; /* the spilled sums are still to be scaled by it */
        unsigned probabilities[LL_WORDS(OPERAND_P, 8)];
        typename MAXIMUM::state x;
        ring_position<TILES::STAGES> k, v;
        unsigned smem, worker;
        int tile;
    };

    /* Turns the scores of the next tile, which have arrived, into powers. */
    LL_DEVICE void softmax_step(worker_state &w, const attention_shape &s,
                                const tile_job &t) {
        release(w.smem + EMPTY_K + 8 * w.k.stage);
        w.k.next();
        mask_scores<TILES>(w.scores, s, t, w.worker, --w.tile);
        MAXIMUM::step(w.powers, w.scores, w.x, w.factor, s.scale);
    }

    /* Turns powers into probabilities and adds those to the sum. */
    LL_DEVICE void exponentiate(worker_state &w) {
        LL_UNROLL
        for (unsigned r = 0; r < LL_REGS(SCORES); ++r) {
            w.powers[r] = ll_ptx_ex2(w.powers[r]);
            w.x.sum[register_row(r)] += w.powers[r];
        }
    }

    /* Starts O += P V. */
    LL_DEVICE void start_output(output_registers &output,
                                const worker_state &w) {
        TILES::start_output(
            output, w.probabilities,
            TILES::DESC_V +
                ((w.smem + TILES::AT_V + TILES::BYTES_V * w.v.stage) >> 4));
    }

    /* Starts the scores of the next tile and, if there is a P, O += P V. */
    template <bool HAS_P>
    LL_DEVICE void start(output_registers &output, worker_state &w,
                         const tile_job &t) {
        ll_ptx_mbarrier_wait(w.smem + FULL_K + 8 * w.k.stage, w.k.parity);
        if (HAS_P) {
            ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
        }
        wait_turn<WORKERS>(w.worker, w.tile, t);
        ll_ptx_wgmma_fence();
        start_scores<TILES>(
            w.scores,
            TILES::DESC_Q + ((w.smem + w.worker * TILES::BYTES_Q) >> 4),
            TILES::DESC_K +
                ((w.smem + TILES::AT_K + TILES::BYTES_K * w.k.stage) >> 4));
        if (HAS_P) {
            start_output(output, w);
        }
        pass_turn<WORKERS>(w.worker, w.tile, t);
    }

    /* Turns powers into P, as operand A, when the products have ended. */
    LL_DEVICE void finish_first(worker_state &w) {
        exponentiate(w);
        ll_ptx_wgmma_wait_group<0>(w.scores);
        TILES::round_probabilities(w.probabilities, w.powers);
    }

    /* The same; O, which has arrived as well, is scaled. */
    LL_DEVICE void finish(output_registers &output, worker_state &w) {
        exponentiate(w);
        ll_ptx_wgmma_wait_group<0>(w.scores);
        for (auto &part : output) {
            ll_ptx_wgmma_wait_group<0>(part);
        }
        release(w.smem + EMPTY_V + 8 * w.v.stage);
        w.v.next();
        if (__any_sync(~0u, w.factor[0] != 1 || w.factor[1] != 1)) {
            scale_rows(output, w.factor);
            w.spilled_by[0] *= w.factor[0];
            w.spilled_by[1] *= w.factor[1];
        }
        TILES::round_probabilities(w.probabilities, w.powers);
    }

    /* Runs a tile between the first one and the last one. */
    LL_DEVICE void run_tile(output_registers &output, worker_state &w,
                            const attention_shape &s, const tile_job &t) {
        softmax_step(w, s, t);
        start<true>(output, w, t);
        finish(output, w);
    }

    LL_DEVICE void spill(output_registers &output, worker_state &w,
                         const tile_job &t) {
        spills::spill(output, w.spilled_by, w.worker,
                      spills::has_spilled(t, w.tile));
    }

    /* Runs all tiles between the first one and the last one. */
    LL_DEVICE void run_middle_tiles(output_registers &output, worker_state &w,
                                    const attention_shape &s,
                                    const tile_job &t) {
        if constexpr (SPILLS == spill_loop::COUNTED) {
            int left = w.tile - (t.high - 1 - (int)spills::FIRST);
            while (w.tile - 1 > t.low) {
                run_tile(output, w, s, t);
                if (--left == 0 && w.tile - 1 > t.low) {
                    spill(output, w, t);
                    left = spills::BETWEEN;
                }
            }
        } else {
            for (int end = t.high - 1 - (int)spills::FIRST;;
                 end -= (int)spills::BETWEEN) {
                const int stop = max(end, t.low + 1);
                while (w.tile > stop) {
                    run_tile(output, w, s, t);
                }
                if (w.tile == t.low + 1) {
                    return;
                }
                spill(output, w, t);
            }
        }
    }

    /* Runs all tiles of a worker; the last O += P V has started. */
    LL_DEVICE void run_all_tiles(output_registers &output, worker_state &w,
                                 const attention_shape &s, const tile_job &t) {
        start<false>(output, w, t);
        ll_ptx_wgmma_wait_group<0>(w.scores);
        softmax_step(w, s, t);
        if (w.tile > t.low) {
            start<false>(output, w, t);
            finish_first(w);
            run_middle_tiles(output, w, s, t);
            softmax_step(w, s, t);
            ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
            ll_ptx_wgmma_fence();
            start_output(output, w);
            finish(output, w);
        } else {
            finish_first(w);
        }
        ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
        ll_ptx_wgmma_fence();
        start_output(output, w);
    }

    /* Skips the tiles from t.high down to `high`, which other workers need. */
    LL_DEVICE void skip_masked_tiles(worker_state &w, const tile_job &t,
                                     int high) {
        for (w.tile = t.high; w.tile > high; --w.tile) {
            skip_tile<TILES>(w.smem, w.k, w.v);
            wait_turn<WORKERS>(w.worker, w.tile, t);
            pass_turn<WORKERS>(w.worker, w.tile, t);
        }
    }

    /* Computes 64 rows of O, scaled by output_scale. A persistent block also
     * releases the stages that the next job needs. */
    static __device__ void run(output_registers &output, unsigned smem,
                               const attention_shape &s, const tile_job &t,
                               unsigned worker, float output_scale,
                               ring_positions<TILES::STAGES> &p) {
        LL_IN(WARPGROUP);
        float total[2];
        worker_state w;
        w.x = MAXIMUM::first();
        w.spilled_by[0] = w.spilled_by[1] = 1;
        w.k = p.k;
        w.v = p.v;
        w.smem = smem;
        w.worker = worker;
        const int high = tiles_seen<TILES::KEYS>(s, t, worker);
        skip_masked_tiles(w, t, high);
        if (!TILES::PERSISTENT && w.tile == t.low) {
            return;
        }
        ll_ptx_mbarrier_wait(smem + TILES::FULL_Q, p.q);
        if (!TILES::PERSISTENT || w.tile > t.low) {
            run_all_tiles(output, w, s, t);
        }
        if constexpr (TILES::PERSISTENT) {
            release(smem + TILES::EMPTY_Q);
        }
        LL_REDUCE(total, w.x.sum, typename TILES::TOTAL, 0,
                  [](float a, float b) { return a + b; });
        for (auto &part : output) {
            ll_ptx_wgmma_wait_group<0>(part);
        }
        if (!TILES::PERSISTENT || high > t.low) {
            if (spills::has_spilled(t, t.low + 1)) {
                spills::take_back(output, w.spilled_by, worker);
            }
            if (TILES::PERSISTENT) {
                release(smem + EMPTY_V + 8 * w.v.stage);
                w.v.next();
            }
        }
        p.k = w.k;
        p.v = w.v;
        for (float &sum : total) {
            sum = sum == 0 ? 0 : output_scale * (1 / sum);
        }
        scale_rows(output, total);
    }
};

} // namespace ll_kernels

#endif
