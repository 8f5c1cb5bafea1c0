/* fp8_in_place_worker.h - a worker for heads of 64, with few registers, as a
 * block has three
 * SPDX-License-Identifier: MIT
 *
 * The 64 exponentials of a tile take a warp 512 cycles and dominate, so as much
 * other work as possible is overlapped with them. Scores are turned into
 * probabilities in place when the preceding product has finished; some are
 * rounded while others are exponentiated. Some exponentials are polynomials,
 * two 16-bit numbers at a time. Tensor cores add up the probabilities: V has 8
 * more columns, of ones.
 *
 * Tensor cores would lose a quarter of a sum of 16,384 probabilities. So every
 * few tiles the accumulators are spilled, and the sums of probabilities to
 * floats in the same way.
 */
#ifndef LL_FP8_IN_PLACE_WORKER_H
#define LL_FP8_IN_PLACE_WORKER_H

#include "fp8_lazy_maximum.h"
#include "fp8_spilled_sums.h"
#include "kv_ring.h"
#include "score_tile.h"

namespace ll_kernels {

template <class TILES> struct in_place_worker {
    typedef typename TILES::SCORES SCORES;
    typedef typename TILES::OUTPUT OUTPUT;
    typedef typename TILES::OPERAND_P OPERAND_P;
    typedef typename TILES::ORDERED ORDERED;
    typedef lazy_maximum<TILES> maximum;
    typedef spilled_sums<TILES> spills;
    enum : unsigned {
        FULL_K = TILES::FULL_K,
        EMPTY_K = TILES::EMPTY_K,
        FULL_V = TILES::FULL_V,
        EMPTY_V = TILES::EMPTY_V,
        EMPTY_Q = TILES::EMPTY_Q,
        BYTES_V = TILES::BYTES_V,
        OF_O = LL_REGS(OUTPUT), /* registers; those behind are sums */
        POLYNOMIALS = 4         /* of 16 words of probabilities */
    };

    /* The last of `sums` are sums of probabilities, each twice. */
    struct worker_state {
        float scores[LL_REGS(SCORES)], sums[TILES::PARTS][OF_O + 4];
        unsigned probabilities[LL_WORDS(OPERAND_P, 8)];
        typename maximum::state x;
        float spilled_by[2]; /* the spilled sums are still to be scaled by it */
        ring_position<TILES::STAGES> k, v;
        unsigned smem, worker;
        int tile;
    };

    /* Spills O to shared memory, and the sums of probabilities to floats. */
    LL_DEVICE void spill_all(worker_state &w, const tile_job &t) {
        spills::spill(w.sums, w.spilled_by, w.worker,
                      spills::has_spilled(t, w.tile));
        for (unsigned k = OF_O; k < OF_O + 4; ++k) {
            w.x.sum[register_row(k)] += w.sums[0][k];
            w.sums[0][k] = -w.sums[0][k];
        }
    }

    /* Scales everything accumulated by the `factor` of its row. */
    LL_DEVICE void rescale(worker_state &w, const float (&factor)[2]) {
        LL_UNROLL
        for (unsigned r = 0; r < OF_O + 4; ++r) {
            w.sums[0][r] *= factor[register_row(r)];
        }
        w.spilled_by[0] *= factor[0];
        w.spilled_by[1] *= factor[1];
    }

    /* Returns 2^a and 2^b as f16. A polynomial with an error of 0.2 % raises 2
     * to the fraction, of -1/2 to 1/2; the whole part is added to the bits of
     * the exponent. */
    LL_DEVICE unsigned exp2_pair(float a, float b) {
        const unsigned one = 0x3c003c00, minus = 0xbc00bc00;
        const unsigned up = 0x66006600, down = 0xe600e600; /* 1536 */
        const unsigned c1 = 0x39a139a1, c2 = 0x33bd33bd;   /* 0.7036, 0.2418 */
        const unsigned p = ll_ptx_cvt_f16x2(fmaxf(a, -13), fmaxf(b, -13));
        const unsigned high = ll_ptx_fma_f16x2(p, one, up); /* 1536 + whole */
        const unsigned whole = ll_ptx_fma_f16x2(high, one, down);
        const unsigned rest = ll_ptx_fma_f16x2(whole, minus, p);
        const unsigned slope = ll_ptx_fma_f16x2(rest, c2, c1);
        return (high << 10) - (0x6600u << 10) +
               ll_ptx_fma_f16x2(slope, rest, one);
    }

    /* Turns powers into P, as operand A. */
    LL_DEVICE void exponentiate(worker_state &w) {
        LL_IN(WARPGROUP);
        float copies[LL_REGS(ORDERED)], powers[LL_REGS(OPERAND_P)];
        LL_EACH(r, ORDERED) { copies[r] = w.scores[r]; }
        LL_CONVERT(powers, copies, typename TILES::RENAME, 0);
        LL_UNROLL
        for (unsigned k = 0; k < LL_WORDS(OPERAND_P, 8); ++k) {
            float *x = powers + 4 * k;
            unsigned word[1];
            if (k * POLYNOMIALS % 16 + POLYNOMIALS >= 16) {
                const unsigned pairs[2] = {exp2_pair(x[0], x[1]),
                                           exp2_pair(x[2], x[3])};
                LL_CAST(word, pairs, ll_e4m3, ll_f16);
            } else {
                const float quad[4] = {ll_ptx_ex2(x[0]), ll_ptx_ex2(x[1]),
                                       ll_ptx_ex2(x[2]), ll_ptx_ex2(x[3])};
                LL_CAST(word, quad, ll_e4m3, ll_f32);
            }
            w.probabilities[k] = word[0];
        }
    }

    /* Starts O += P V, and waits for it. */
    LL_DEVICE void start_output(worker_state &w) {
        const unsigned at = w.smem + TILES::AT_V + BYTES_V * w.v.stage;
        LL_UNROLL
        for (unsigned k = 0; k < TILES::KEYS / 32; ++k) {
            ll_ptx_wgmma_f32_e4m3_ra<TILES::HEAD_DIM + TILES::ONES>(
                w.sums[0], w.probabilities + 4 * k,
                TILES::DESC_V + ((at + 32 * k) >> 4), 1);
        }
        ll_ptx_wgmma_commit_group();
    }
    LL_DEVICE void wait_for_output(worker_state &w) {
        ll_ptx_wgmma_wait_group<0>(w.sums[0]);
        release(w.smem + EMPTY_V + 8 * w.v.stage);
        w.v.next();
    }

    /* Starts the scores of the next tile and, if there is a P, O += P V. Waits
     * for the scores. */
    template <bool HAS_P> LL_DEVICE void start(worker_state &w) {
        ll_ptx_mbarrier_wait(w.smem + FULL_K + 8 * w.k.stage, w.k.parity);
        if (HAS_P) {
            ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
        }
        ll_ptx_wgmma_fence();
        start_scores<TILES>(
            w.scores,
            TILES::DESC_Q + ((w.smem + w.worker * TILES::BYTES_Q) >> 4),
            TILES::DESC_K +
                ((w.smem + TILES::AT_K + TILES::BYTES_K * w.k.stage) >> 4));
        if (HAS_P) {
            start_output(w);
        }
        ll_ptx_wgmma_wait_group<HAS_P>(w.scores);
        release(w.smem + EMPTY_K + 8 * w.k.stage);
        w.k.next();
    }

    /* Turns scores, which have arrived, into probabilities. */
    template <bool HAS_P>
    LL_DEVICE void softmax_step(worker_state &w, const attention_shape &s,
                                const tile_job &t) {
        float factor[2];
        mask_scores<TILES>(w.scores, s, t, w.worker, --w.tile);
        const bool large =
            maximum::set_powers(w.scores, w.scores, w.x, s.scale);
        if (HAS_P) {
            wait_for_output(w);
        }
        if (__any_sync(~0u, large)) {
            maximum::rebase(w.scores, w.x, factor);
            rescale(w, factor);
        }
        exponentiate(w);
    }

    /* Skips the tiles from t.high down to `high`, which other workers need. */
    LL_DEVICE void skip_masked_tiles(worker_state &w, const tile_job &t,
                                     int high) {
        for (w.tile = t.high; w.tile > high; --w.tile) {
            skip_tile<TILES>(w.smem, w.k, w.v);
        }
    }

    /* Runs all tiles of a worker. */
    LL_DEVICE void run_all_tiles(worker_state &w, const attention_shape &s,
                                 const tile_job &t) {
        for (float &sum : w.sums[0]) {
            sum = 0;
        }
        start<false>(w);
        softmax_step<false>(w, s, t);
        for (int end = t.high - 1 - (int)spills::FIRST;;
             end -= (int)spills::BETWEEN) {
            const int stop = max(end, t.low);
            while (w.tile > stop) {
                start<true>(w);
                softmax_step<true>(w, s, t);
            }
            if (w.tile == t.low) {
                break;
            }
            spill_all(w, t);
        }
        ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
        ll_ptx_wgmma_fence();
        start_output(w);
        release(w.smem + EMPTY_Q);
        wait_for_output(w);
        if (spills::has_spilled(t, t.low)) {
            spills::take_back(w.sums, w.spilled_by, w.worker);
        }
        w.x.sum[0] += w.sums[0][OF_O];
        w.x.sum[1] += w.sums[0][OF_O + 2];
    }

    /* Computes 64 rows of O, scaled by output_scale, and releases the stages
     * that the next job needs. */
    static __device__ void run(typename TILES::output_registers &output,
                               unsigned smem, const attention_shape &s,
                               const tile_job &t, unsigned worker,
                               float output_scale,
                               ring_positions<TILES::STAGES> &p) {
        LL_IN(WARPGROUP);
        float total[2];
        worker_state w;
        w.x = maximum::first();
        w.spilled_by[0] = w.spilled_by[1] = 1;
        w.k = p.k;
        w.v = p.v;
        w.smem = smem;
        w.worker = worker;
        skip_masked_tiles(w, t, tiles_seen<TILES::KEYS>(s, t, worker));
        ll_ptx_mbarrier_wait(smem + TILES::FULL_Q, p.q);
        if (w.tile > t.low) {
            run_all_tiles(w, s, t);
        } else {
            release(smem + EMPTY_Q);
        }
        p.k = w.k;
        p.v = w.v;
        if (tiles_seen<TILES::KEYS>(s, t, worker) == t.low) {
            return;
        }
        for (unsigned k = 0; k < 2; ++k) {
            total[k] = w.x.sum[k] == 0 ? 0 : output_scale / w.x.sum[k];
        }
        LL_EACH(r, OUTPUT) {
            output[0][r] = w.sums[0][r] * total[register_row(r)];
        }
    }
};

} // namespace ll_kernels

#endif
