/* attention_ahead.h - a worker of attention_fp8.cu that multiplies ahead.
 * SPDX-License-Identifier: MIT
 *
 * It starts the scores of the next tile, and the sums of the last weights,
 * before it raises 2 to the powers of this tile: they have long ended when it
 * wants them. Powers and scores have registers of their own for that.
 */
#ifndef LL_ATTENTION_AHEAD_H
#define LL_ATTENTION_AHEAD_H

/* The largest score is replaced by one that would have a weight of more than
 * 2^SLACK times its own: sums are seldom scaled. */
constexpr float SLACK = 1;

/* What is subtracted from scores of this tile: the largest one so far, which
 * `most` was of earlier tiles; `tile` is that of this one. `sum` is of a lane's
 * weights; `factor` becomes by how much earlier ones shrink, or 1. */
LL_DEVICE void bases_of(float (&base)[2], const float (&tile)[2],
                        float (&most)[2], float (&sum)[2], float (&factor)[2],
                        float scale) {
    LL_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
        const bool more = (tile[k] - most[k]) * scale > SLACK;
        const float top = more ? tile[k] : most[k];
        const float from = top == -INFINITY ? 0 : top;
        factor[k] = ll_ptx_ex2((most[k] - from) * scale);
        base[k] = from * scale - FACTOR;
        most[k] = top;
        sum[k] *= factor[k];
    }
}

/* Scores become powers: 2 to them are the weights. */
template <unsigned N>
LL_DEVICE void powers_of(float (&powers)[N], const float (&scores)[N],
                         const float (&base)[2], float scale) {
    LL_UNROLL
    for (unsigned r = 0; r < N; ++r) {
        powers[r] = fmaf(scores[r], scale, -base[row_of(r)]);
    }
}

/* Powers become weights, which count in the sum. */
template <unsigned N>
LL_DEVICE void weights_of(float (&powers)[N], float (&sum)[2]) {
    LL_UNROLL
    for (unsigned r = 0; r < N; ++r) {
        powers[r] = ll_ptx_ex2(powers[r]);
        sum[row_of(r)] += powers[r];
    }
}

/* What a worker has. `tile` is the last one whose scores are taken. */
struct work {
    float scores[LL_REGS(SCORES)], powers[LL_REGS(SCORES)], factor[2];
    unsigned weights[LL_WORDS(WEIGHTS, 8)];
    softmax x;
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

/* The largest score of each row. Numbers that are not negative are in the order
 * of integers, which are compared twice as fast. */
LL_DEVICE void largest(float (&most)[2],
                       const float (&scores)[LL_REGS(SCORES)]) {
    LL_IN(WORKER);
    int bits[LL_REGS(SCORES)], top[2];
    LL_EACH(r, SCORES) { bits[r] = __float_as_int(scores[r]); }
    LL_REDUCE(top, bits, LARGEST, 0,
              [](int a, int b) { return a > b ? a : b; });
    most[0] = __int_as_float(top[0]);
    most[1] = __int_as_float(top[1]);
    if (__any_sync(~0u, top[0] < 0 || top[1] < 0)) {
        LL_REDUCE(most, scores, LARGEST, 0,
                  [](float a, float b) { return fmaxf(a, b); });
    }
}

/* The scores of the next tile, which have come, become powers. */
LL_DEVICE void take_scores(work &w, const shape &s, const task &t) {
    float most[2], base[2];
    release(w.smem + EMPTY_K + 8 * w.k.stage);
    w.k.next();
    mask(w.scores, s, t, w.worker, --w.tile);
    largest(most, w.scores);
    bases_of(base, most, w.x.most, w.x.sum, w.factor, s.scale);
    powers_of(w.powers, w.scores, base, s.scale);
}

/* Powers become weights, as operand A once the products have ended. */
LL_DEVICE void take_powers(work &w) {
    weights_of(w.powers, w.x.sum);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    round_to_weights(w.weights, w.powers);
}

/* The same, and the sums, which have come, are scaled. */
LL_DEVICE void take_sums(float (&sums)[PARTS][LL_REGS(SUMS)], work &w) {
    weights_of(w.powers, w.x.sum);
    ll_ptx_wgmma_wait_group<0>(w.scores);
    for (auto &part : sums) {
        ll_ptx_wgmma_wait_group<0>(part);
    }
    release(w.smem + EMPTY_V + 8 * w.v.stage);
    w.v.next();
    if (!LAZY || __any_sync(~0u, w.factor[0] != 1 || w.factor[1] != 1)) {
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
    w.x = {{-INFINITY, -INFINITY}, {0, 0}};
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
    if (w.tile == t.low) {
        return;
    }
    pass_over(sums, w, s, t);
    LL_REDUCE(all, w.x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    for (auto &part : sums) {
        ll_ptx_wgmma_wait_group<0>(part);
    }
    for (float &sum : all) { sum = sum == 0 ? 0 : values_by * (1 / sum); }
    scale(sums, all);
}

#endif
