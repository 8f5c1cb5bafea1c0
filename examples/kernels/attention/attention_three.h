/* attention_three.h - the worker of attention_fp8.cu for heads of 64; a block
 * has three.
 * SPDX-License-Identifier: MIT
 *
 * The 64 exponentials of a tile take a warp 512 cycles and dominate, so as much
 * other work as possible is overlapped with them. Scores are turned into
 * weights in place when the preceding product has finished; some are rounded
 * while others are exponentiated. Some exponentials are polynomials, two 16-bit
 * numbers at a time. Tensor cores add up the weights: V has 8 more columns, of
 * ones.
 *
 * Tensor cores would lose a quarter of a sum of 16,384 weights. So every few
 * tiles the accumulators are spilled (fp8_spilled_sums.h), and the sums of
 * weights to floats in the same way.
 */
#ifndef LL_ATTENTION_THREE_H
#define LL_ATTENTION_THREE_H

#include "fp8_lazy_max.h"

enum : unsigned {
    ALL = LL_REGS(SUMS),
    POLYNOMIALS = 4 /* of 16 words of weights */
};

/* A worker's registers. The last of `sums` are sums of weights, twice each. */
struct worker_state {
    float scores[LL_REGS(SCORES)], sums[PARTS][ALL + 4];
    unsigned weights[LL_WORDS(WEIGHTS, 8)];
    lazy_softmax x;
    float moved_by[2]; /* moved sums are still to be multiplied by it */
    place k, v;
    unsigned smem, worker;
    int tile;
};

/* Sums move to shared memory, and those of weights to floats. */
LL_DEVICE void move_all(worker_state &w, const tile_job &t) {
    move_sums(w.sums, w.moved_by, w.worker, has_moved(t, w.tile));
    for (unsigned k = ALL; k < ALL + 4; ++k) {
        w.x.sum[row_of(k)] += w.sums[0][k];
        w.sums[0][k] = -w.sums[0][k];
    }
}

/* All sums are multiplied by `factor` of their row. */
LL_DEVICE void shrink(worker_state &w, const float (&factor)[2]) {
    LL_UNROLL
    for (unsigned r = 0; r < ALL + 4; ++r) {
        w.sums[0][r] *= factor[row_of(r)];
    }
    w.moved_by[0] *= factor[0];
    w.moved_by[1] *= factor[1];
}

/* 2 to two powers as numbers of 16 bits. A polynomial, which is off by 0.2 %,
 * raises 2 to the rest, of -1/2 to 1/2; the whole part is added to the bits of
 * the exponent. */
LL_DEVICE unsigned raised(float a, float b) {
    const unsigned one = 0x3c003c00, minus = 0xbc00bc00;
    const unsigned up = 0x66006600, down = 0xe600e600; /* 1536 */
    const unsigned c1 = 0x39a139a1, c2 = 0x33bd33bd;   /* 0.7036, 0.2418 */
    const unsigned p = ll_ptx_cvt_f16x2(fmaxf(a, -13), fmaxf(b, -13));
    const unsigned high = ll_ptx_fma_f16x2(p, one, up); /* 1536 + whole */
    const unsigned whole = ll_ptx_fma_f16x2(high, one, down);
    const unsigned rest = ll_ptx_fma_f16x2(whole, minus, p);
    const unsigned slope = ll_ptx_fma_f16x2(rest, c2, c1);
    return (high << 10) - (0x6600u << 10) + ll_ptx_fma_f16x2(slope, rest, one);
}

/* Powers become weights, as operand A. */
LL_DEVICE void take_weights(worker_state &w) {
    LL_IN(WORKER);
    float copies[LL_REGS(ORDERED)], powers[LL_REGS(WEIGHTS)];
    LL_EACH(r, ORDERED) { copies[r] = w.scores[r]; }
    LL_CONVERT(powers, copies, RENAME, 0);
    LL_UNROLL
    for (unsigned k = 0; k < LL_WORDS(WEIGHTS, 8); ++k) {
        float *x = powers + 4 * k;
        unsigned word[1];
        if (k * POLYNOMIALS % 16 + POLYNOMIALS >= 16) {
            const unsigned pairs[2] = {raised(x[0], x[1]), raised(x[2], x[3])};
            LL_CAST(word, pairs, ll_e4m3, ll_f16);
        } else {
            const float quad[4] = {ll_ptx_ex2(x[0]), ll_ptx_ex2(x[1]),
                                   ll_ptx_ex2(x[2]), ll_ptx_ex2(x[3])};
            LL_CAST(word, quad, ll_e4m3, ll_f32);
        }
        w.weights[k] = word[0];
    }
}

/* Starts the sums of the last weights. */
LL_DEVICE void start_sums(worker_state &w) {
    const unsigned at = w.smem + AT_V + BYTES_V * w.v.stage;
    LL_UNROLL
    for (unsigned k = 0; k < KEYS / 32; ++k) {
        ll_ptx_wgmma_f32_e4m3_ra<HEAD + ONES>(w.sums[0], w.weights + 4 * k,
                                              DESC_V + ((at + 32 * k) >> 4), 1);
    }
    ll_ptx_wgmma_commit_group();
}

LL_DEVICE void await_sums(worker_state &w) {
    ll_ptx_wgmma_wait_group<0>(w.sums[0]);
    release(w.smem + EMPTY_V + 8 * w.v.stage);
    w.v.next();
}

/* Starts the scores of the next tile, and sums if there are weights. */
template <bool SUM> LL_DEVICE void start(worker_state &w) {
    ll_ptx_mbarrier_wait(w.smem + FULL_K + 8 * w.k.stage, w.k.parity);
    if (SUM) {
        ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
    }
    ll_ptx_wgmma_fence();
    start_scores(w.scores, DESC_Q + ((w.smem + w.worker * BYTES_Q) >> 4),
                 DESC_K + ((w.smem + AT_K + BYTES_K * w.k.stage) >> 4));
    if (SUM) {
        start_sums(w);
    }
    ll_ptx_wgmma_wait_group<SUM>(w.scores);
    release(w.smem + EMPTY_K + 8 * w.k.stage);
    w.k.next();
}

/* Scores, which have come, become weights. */
template <bool SUM>
LL_DEVICE void softmax_step(worker_state &w, const shape &s,
                            const tile_job &t) {
    float factor[2];
    mask(w.scores, s, t, w.worker, --w.tile);
    const bool large = set_powers(w.scores, w.scores, w.x, s.scale);
    if (SUM) {
        await_sums(w);
    }
    if (__any_sync(~0u, large)) {
        rebase(w.scores, w.x, factor);
        shrink(w, factor);
    }
    take_weights(w);
}

/* The tiles from t.high down to `high`, which are other workers'. */
LL_DEVICE void skip_masked_tiles(worker_state &w, const tile_job &t, int high) {
    for (w.tile = t.high; w.tile > high; --w.tile) {
        leave(w.smem, w.k, w.v);
    }
}

/* All tiles of a worker. */
LL_DEVICE void run_all_tiles(worker_state &w, const shape &s,
                             const tile_job &t) {
    for (float &sum : w.sums[0]) { sum = 0; }
    start<false>(w);
    softmax_step<false>(w, s, t);
    for (int end = t.high - 1 - (int)FIRST;; end -= (int)TOGETHER) {
        const int stop = max(end, t.low);
        while (w.tile > stop) {
            start<true>(w);
            softmax_step<true>(w, s, t);
        }
        if (w.tile == t.low) {
            break;
        }
        move_all(w, t);
    }
    ll_ptx_mbarrier_wait(w.smem + FULL_V + 8 * w.v.stage, w.v.parity);
    ll_ptx_wgmma_fence();
    start_sums(w);
    release(w.smem + EMPTY_Q);
    await_sums(w);
    if (has_moved(t, t.low)) {
        take_moved(w.sums, w.moved_by, w.worker);
    }
    w.x.sum[0] += w.sums[0][ALL];
    w.x.sum[1] += w.sums[0][ALL + 2];
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][ALL], unsigned smem,
                              const shape &s, const tile_job &t,
                              unsigned worker, float values_by, places &p) {
    LL_IN(WORKER);
    float all[2];
    worker_state w;
    begin(w, smem, worker, p);
    skip_masked_tiles(w, t, seen(s, t, worker));
    ll_ptx_mbarrier_wait(smem + FULL_Q, p.q);
    if (w.tile > t.low) {
        run_all_tiles(w, s, t);
    } else {
        release(smem + EMPTY_Q);
    }
    p.k = w.k;
    p.v = w.v;
    if (seen(s, t, worker) == t.low) {
        return;
    }
    for (unsigned k = 0; k < 2; ++k) {
        all[k] = w.x.sum[k] == 0 ? 0 : values_by / w.x.sum[k];
    }
    LL_EACH(r, SUMS) { sums[0][r] = w.sums[0][r] * all[row_of(r)]; }
}

#endif
