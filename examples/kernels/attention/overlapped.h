/* overlapped.h - a worker of attention_fp8.cu that overlaps the products of the
 * next tile with the softmax of this one, and takes the maximum of each tile.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_OVERLAPPED_H
#define LL_OVERLAPPED_H

typedef softmax rows_softmax;
#include "attention_pass.h"

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

LL_DEVICE void softmax_step(worker_state &w, const shape &s,
                            const tile_job &t) {
    float most[2], base[2];
    release(w.smem + EMPTY_K + 8 * w.k.stage);
    w.k.next();
    mask(w.scores, s, t, w.worker, --w.tile);
    largest(most, w.scores);
    bases_of(base, most, w.x.most, w.x.sum, w.factor, s.scale);
    powers_of(w.powers, w.scores, base, s.scale);
}

LL_DEVICE void pass_most(float (&sums)[PARTS][LL_REGS(SUMS)], worker_state &w,
                         const shape &s, const tile_job &t) {
    for (int end = t.high - 1 - (int)FIRST;; end -= (int)TOGETHER) {
        const int stop = max(end, t.low + 1);
        while (w.tile > stop) { pass_one(sums, w, s, t); }
        if (w.tile == t.low + 1) {
            return;
        }
        move_sums(sums, w.moved_by, w.worker, has_moved(t, w.tile));
    }
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][LL_REGS(SUMS)],
                              unsigned smem, const shape &s, const tile_job &t,
                              unsigned worker, float values_by) {
    LL_IN(WORKER);
    float all[2];
    worker_state w;
    w.x = {{-INFINITY, -INFINITY}, {0, 0}};
    w.moved_by[0] = w.moved_by[1] = 1;
    w.k = w.v = {0, 0};
    w.smem = smem;
    w.worker = worker;
    const int high = seen(s, t, worker);
    skip_masked_tiles(w, t, high);
    if (w.tile == t.low) {
        return;
    }
    ll_ptx_mbarrier_wait(smem + FULL_Q, 0);
    run_all_tiles(sums, w, s, t);
    LL_REDUCE(all, w.x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    for (auto &part : sums) {
        ll_ptx_wgmma_wait_group<0>(part);
    }
    if (has_moved(t, t.low + 1)) {
        take_moved(sums, w.moved_by, worker);
    }
    for (float &sum : all) { sum = sum == 0 ? 0 : values_by * (1 / sum); }
    scale(sums, all);
}

#endif
