/* attention_lazy.h - a worker of attention_fp8.cu that multiplies ahead, and
 * seldom takes the largest score.
 * SPDX-License-Identifier: MIT
 *
 * It starts the scores of the next tile, and the sums of the last weights,
 * before it raises 2 to the powers of this tile: they have long ended when it
 * wants them. Powers and scores have registers of their own for that.
 */
#ifndef LL_ATTENTION_LAZY_H
#define LL_ATTENTION_LAZY_H

#include <limits.h>

constexpr float MOST = 8.8f; /* powers are up to it, as 448 is the largest e4m3 */

/* The softmax so far of a lane's two rows: what is subtracted from scores, which
 * is FACTOR less than the largest one was when it was taken, and the lane's sum
 * of weights. Rows that have seen no key take whatever comes first: then `limit`
 * is less than any power's bits. */
struct lazy_softmax {
    float base[2], sum[2];
    bool seen[2];
    int limit;
};

/* What a worker has. `tile` is the last one whose scores are taken. */
struct work {
    float scores[LL_REGS(SCORES)], powers[LL_REGS(SCORES)], factor[2];
    unsigned weights[LL_WORDS(WEIGHTS, 8)];
    lazy_softmax x;
    place k, v;
    unsigned smem, worker;
    int tile;
};

/* Starts the sums of the last weights. */
LL_DEVICE void start_sums(float (&sums)[PARTS][LL_REGS(SUMS)], const work &w) {
    start_sums(sums, w.weights,
               DESC_V + ((w.smem + AT_V + BYTES_K * w.v.stage) >> 4));
}

/* Starts the scores of the next tile, and sums if there are weights. */
template <bool SUM>
LL_DEVICE void start(float (&sums)[PARTS][LL_REGS(SUMS)], work &w,
                     const task &t) {
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

/* Powers become at most 2^FACTOR, and `factor` by how much earlier weights
 * shrink. */
LL_DEVICE void rebase(work &w) {
    LL_IN(WORKER);
    float most[2], by[2];
    LL_REDUCE(most, w.powers, LARGEST, 0,
              [](float a, float b) { return fmaxf(a, b); });
    LL_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
        const bool any = most[k] > -INFINITY;
        by[k] = any && (most[k] > MOST || !w.x.seen[k]) ? most[k] - FACTOR : 0;
        w.factor[k] = w.x.seen[k] ? ll_ptx_ex2(-by[k]) : 1;
        w.x.base[k] += by[k];
        w.x.sum[k] *= w.factor[k];
        w.x.seen[k] = w.x.seen[k] || any;
    }
    LL_EACH(r, SCORES) { w.powers[r] -= by[row_of(r)]; }
    w.x.limit = w.x.seen[0] && w.x.seen[1] ? __float_as_int(MOST) : INT_MIN;
}

/* The scores of the next tile, which have come, become powers: 2 to them are the
 * weights. The base stays where no power is too large for e4m3. Floats above 0
 * are in the order of integers, of which one instruction compares three. */
LL_DEVICE void take_scores(work &w, const shape &s, const task &t) {
    int top[4] = {INT_MIN, INT_MIN, INT_MIN, INT_MIN};
    release(w.smem + EMPTY_K + 8 * w.k.stage);
    w.k.next();
    mask(w.scores, s, t, w.worker, --w.tile);
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(SCORES); r += 2) {
        int &most = top[r / 2 % 4];
        for (unsigned k = r; k < r + 2; ++k) {
            w.powers[k] = fmaf(w.scores[k], s.scale, -w.x.base[row_of(k)]);
        }
        most = max(most, max(__float_as_int(w.powers[r]),
                             __float_as_int(w.powers[r + 1])));
    }
    w.factor[0] = w.factor[1] = 1;
    if (__any_sync(~0u, max(max(top[0], top[1]), max(top[2], top[3])) >
                            w.x.limit)) {
        rebase(w);
    }
}

/* Powers become weights, which count in the sum. */
LL_DEVICE void weights_of(work &w) {
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(SCORES); ++r) {
        w.powers[r] = ll_ptx_ex2(w.powers[r]);
        w.x.sum[row_of(r)] += w.powers[r];
    }
}

/* Powers become weights, as operand A once the products have ended. */
LL_DEVICE void take_powers(work &w) {
    weights_of(w);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    round_to_weights(w.weights, w.powers);
}

/* The same, and the sums, which have come, are scaled. */
LL_DEVICE void take_sums(float (&sums)[PARTS][LL_REGS(SUMS)], work &w) {
    weights_of(w);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    for (auto &part : sums) {
        ll_ptx_wgmma_wait_group<0>(part);
    }
    release(w.smem + EMPTY_V + 8 * w.v.stage);
    w.v.next();
    if (__any_sync(~0u, w.factor[0] != 1 || w.factor[1] != 1)) {
        scale(sums, w.factor);
    }
    round_to_weights(w.weights, w.powers);
}

/* All tiles of a worker; the sums of the last weights have started. */
LL_DEVICE void pass_over(float (&sums)[PARTS][LL_REGS(SUMS)], work &w,
                         const shape &s, const task &t) {
    start<false>(sums, w, t);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    take_scores(w, s, t);
    if (w.tile > t.low) {
        start<false>(sums, w, t);
        take_powers(w);
        while (w.tile - 1 > t.low) {
            take_scores(w, s, t);
            start<true>(sums, w, t);
            take_sums(sums, w);
        }
        take_scores(w, s, t);
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

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][LL_REGS(SUMS)],
                              unsigned smem, const shape &s, const task &t,
                              unsigned worker, float values_by, places &p) {
    LL_IN(WORKER);
    float all[2];
    work w;
    w.x = {{0, 0}, {0, 0}, {false, false}, INT_MIN};
    w.k = p.k;
    w.v = p.v;
    w.smem = smem;
    w.worker = worker;
    const int high = seen(s, t, worker);
    for (w.tile = t.high; w.tile > high; --w.tile) { /* other workers' */
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * w.k.stage, w.k.parity);
        release(smem + EMPTY_K + 8 * w.k.stage);
        w.k.next();
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * w.v.stage, w.v.parity);
        release(smem + EMPTY_V + 8 * w.v.stage);
        w.v.next();
        turn(worker, w.tile, t);
        pass(worker, w.tile, t);
    }
    ll_ptx_mbarrier_wait(smem + FULL_Q, p.q);
    if (w.tile > t.low) {
        pass_over(sums, w, s, t);
    }
    release(smem + EMPTY_Q);
    LL_REDUCE(all, w.x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    for (auto &part : sums) {
        ll_ptx_wgmma_wait_group<0>(part);
    }
    if (high > t.low) {
        release(smem + EMPTY_V + 8 * w.v.stage);
        w.v.next();
    }
    p.k = w.k;
    p.v = w.v;
    for (float &sum : all) { sum = sum == 0 ? 0 : values_by * (1 / sum); }
    scale(sums, all);
}

#endif
