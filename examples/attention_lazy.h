/* attention_lazy.h - a worker of attention_fp8.cu that multiplies ahead, and
 * seldom takes the largest scores.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_LAZY_H
#define LL_ATTENTION_LAZY_H

#include <limits.h>

constexpr float MOST = 8.8f; /* powers are up to it: e4m3 ends at 448 */

/* Producers: start all copies, and turn V. */
static __device__ void produce(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const task &t,
                               places &p) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    int next = t.high; /* the tile below is copied next */
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_wait(smem + EMPTY_Q, p.q ^ 1);
        load_rows(smem, map_q, t);
    }
    for (int x = t.high + 1; x-- > t.low;) {
        if (threadIdx.x == 0 && next > t.low) {
            load_both(smem, map_k, map_v, p.k, t, --next);
        }
        __syncwarp();
        if (x < t.high) {
            turn_tile(memory, p.v);
        }
    }
}

/* The softmax so far of a lane's two rows: what is subtracted from scores,
 * which is FACTOR less than the largest one was when it was taken, and the
 * lane's sum of weights. Where a row has seen no key, `limit` is less than the
 * bits of any power. */
struct lazy_softmax {
    float base[2], sum[2];
    bool seen[2];
    int limit;
};

typedef lazy_softmax rows_softmax;
#include "attention_pass.h"

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

/* The base stays where no power is too large for e4m3. Floats above 0 are in
 * the order of integers, of which one instruction compares three. */
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
        release(smem + EMPTY_V + 8 * w.v.stage);
        w.v.next();
    }
    p.k = w.k;
    p.v = w.v;
    for (float &sum : all) { sum = sum == 0 ? 0 : values_by * (1 / sum); }
    scale(sums, all);
}

#endif
