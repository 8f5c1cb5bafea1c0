/* attention_lazy.h - an overlapped worker of attention_fp8.cu that rarely
 * updates the running maximum.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_LAZY_H
#define LL_ATTENTION_LAZY_H

#include "fp8_lazy_max.h"

typedef lazy_softmax rows_softmax;
#include "attention_pass.h"

LL_DEVICE void pass_most(float (&sums)[PARTS][LL_REGS(SUMS)], worker_state &w,
                         const shape &s, const tile_job &t) {
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
LL_DEVICE void softmax_step(worker_state &w, const shape &s,
                            const tile_job &t) {
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
                              unsigned smem, const shape &s, const tile_job &t,
                              unsigned worker, float values_by, places &p) {
    LL_IN(WORKER);
    float all[2];
    worker_state w;
    begin(w, smem, worker, p);
    const int high = seen(s, t, worker);
    skip_masked_tiles(w, t, high);
    ll_ptx_mbarrier_wait(smem + FULL_Q, p.q);
    if (w.tile > t.low) {
        run_all_tiles(sums, w, s, t);
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
