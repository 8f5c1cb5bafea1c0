/* attention_pass.h - the loop of an overlapped worker over its tiles.
 * SPDX-License-Identifier: MIT
 *
 * It starts the scores of the next tile, and the sums of the last weights,
 * before it raises 2 to the powers of this tile: they have long ended when it
 * wants them. Powers and scores have registers of their own for that.
 * overlapped.h and attention_lazy.h say what powers are: each has a type
 * rows_softmax and the functions that are declared here.
 */
#ifndef LL_ATTENTION_PASS_H
#define LL_ATTENTION_PASS_H

#include "fp8_spilled_sums.h"

/* What a worker has. `tile` is the last one whose scores are taken. */
struct worker_state {
    float scores[LL_REGS(SCORES)], powers[LL_REGS(SCORES)], factor[2];
    float moved_by[2]; /* moved sums are still to be multiplied by it */
    unsigned weights[LL_WORDS(WEIGHTS, 8)];
    rows_softmax x;
    place k, v;
    unsigned smem, worker;
    int tile;
};

/* The scores of the next tile, which have come, become powers: 2 to them are
 * the weights. */
LL_DEVICE void softmax_step(worker_state &w, const shape &s, const tile_job &t);

/* All tiles between the first one and the last one. */
LL_DEVICE void pass_most(float (&sums)[PARTS][LL_REGS(SUMS)], worker_state &w,
                         const shape &s, const tile_job &t);

/* Powers become weights, which count in the sum. */
LL_DEVICE void weights_of(worker_state &w) {
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(SCORES); ++r) {
        w.powers[r] = ll_ptx_ex2(w.powers[r]);
        w.x.sum[row_of(r)] += w.powers[r];
    }
}

/* Starts the sums of the last weights. */
LL_DEVICE void start_sums(float (&sums)[PARTS][LL_REGS(SUMS)],
                          const worker_state &w) {
    start_sums(sums, w.weights,
               DESC_V + ((w.smem + AT_V + BYTES_K * w.v.stage) >> 4));
}

/* Starts the scores of the next tile, and sums if there are weights. */
template <bool SUM>
LL_DEVICE void start(float (&sums)[PARTS][LL_REGS(SUMS)], worker_state &w,
                     const tile_job &t) {
    ll_ptx_mbarrier_wait(w.smem + FULL_K + 8 * w.k.stage, w.k.parity);
    if (SUM) {
        ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
    }
    turn(w.worker, w.tile, t);
    ll_ptx_wgmma_fence();
    start_scores(w.scores, DESC_Q + ((w.smem + w.worker * BYTES_Q) >> 4),
                 DESC_K + ((w.smem + AT_K + BYTES_K * w.k.stage) >> 4));
    if (SUM) {
        start_sums(sums, w);
    }
    pass(w.worker, w.tile, t);
}

/* Powers become weights, as operand A once the products have ended. */
LL_DEVICE void take_powers(worker_state &w) {
    weights_of(w);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    round_to_weights(w.weights, w.powers);
}

/* The same, and the sums, which have come, are scaled. */
LL_DEVICE void take_sums(float (&sums)[PARTS][LL_REGS(SUMS)], worker_state &w) {
    weights_of(w);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    for (auto &part : sums) {
        ll_ptx_wgmma_wait_group<0>(part);
    }
    release(w.smem + EMPTY_V + 8 * w.v.stage);
    w.v.next();
    if (!LAZY || __any_sync(~0u, w.factor[0] != 1 || w.factor[1] != 1)) {
        scale(sums, w.factor);
        w.moved_by[0] *= w.factor[0];
        w.moved_by[1] *= w.factor[1];
    }
    round_to_weights(w.weights, w.powers);
}

/* A tile between the first one and the last one. */
LL_DEVICE void pass_one(float (&sums)[PARTS][LL_REGS(SUMS)], worker_state &w,
                        const shape &s, const tile_job &t) {
    softmax_step(w, s, t);
    start<true>(sums, w, t);
    take_sums(sums, w);
}

/* All tiles of a worker; the sums of the last weights have started. */
LL_DEVICE void run_all_tiles(float (&sums)[PARTS][LL_REGS(SUMS)],
                             worker_state &w, const shape &s,
                             const tile_job &t) {
    start<false>(sums, w, t);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    softmax_step(w, s, t);
    if (w.tile > t.low) {
        start<false>(sums, w, t);
        take_powers(w);
        pass_most(sums, w, s, t);
        softmax_step(w, s, t);
        ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
        ll_ptx_wgmma_fence();
        start_sums(sums, w);
        take_sums(sums, w);
    } else {
        take_powers(w);
    }
    ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
    ll_ptx_wgmma_fence();
    start_sums(sums, w);
}

/* The tiles from t.high down to `high`, which are other workers'. */
LL_DEVICE void skip_masked_tiles(worker_state &w, const tile_job &t, int high) {
    for (w.tile = t.high; w.tile > high; --w.tile) {
        leave(w.smem, w.k, w.v);
        turn(w.worker, w.tile, t);
        pass(w.worker, w.tile, t);
    }
}

#endif
