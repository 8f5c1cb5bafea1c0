/* attention_lazy.h - a worker of attention_fp8.cu that multiplies ahead, and
 * seldom takes the largest scores.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_LAZY_H
#define LL_ATTENTION_LAZY_H

#include "attention_seldom.h"

typedef lazy_softmax rows_softmax;
#include "attention_pass.h"

LL_DEVICE void pass_most(float (&sums)[PARTS][LL_REGS(SUMS)], work &w,
                         const shape &s, const task &t) {
    int left = w.tile - (t.high - 1 - (int)FIRST);
    while (w.tile - 1 > t.low) {
        pass_one(sums, w, s, t);
        if (--left == 0 && w.tile - 1 > t.low) {
            move_sums(sums, w.moved_by, w.worker, has_moved(t, w.tile));
            left = TOGETHER;
        }
    }
}

/* The base stays where no power is too large for e4m3. */
LL_DEVICE void take_scores(work &w, const shape &s, const task &t) {
    release(w.smem + EMPTY_K + 8 * w.k.stage);
    w.k.next();
    mask(w.scores, s, t, w.worker, --w.tile);
    const bool large = set_powers(w.powers, w.scores, w.x, s.scale);
    w.factor[0] = w.factor[1] = 1;
    if (__any_sync(~0u, large)) {
        rebase(w.powers, w.x, w.factor);
    }
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][LL_REGS(SUMS)],
                              unsigned smem, const shape &s, const task &t,
                              unsigned worker, float values_by, places &p) {
    LL_IN(WORKER);
    float all[2];
    work w;
    begin(w, smem, worker, p);
    const int high = seen(s, t, worker);
    leave_to_others(w, t, high);
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
        if (has_moved(t, t.low + 1)) {
            take_moved(sums, w.moved_by, worker);
        }
        release(smem + EMPTY_V + 8 * w.v.stage);
        w.v.next();
    }
    p.k = w.k;
    p.v = w.v;
    for (float &sum : all) { sum = sum == 0 ? 0 : values_by * (1 / sum); }
    scale(sums, all);
}

#endif
