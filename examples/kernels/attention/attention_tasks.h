/* attention_tasks.h - which rows and keys does a block of attention.cu or
 * attention_fp8.cu have, who starts products, and which keys does a row see?
 * SPDX-License-Identifier: MIT
 *
 * The kernel has defined ROWS, KEYS, BOX, BOXES, STAGES, WORKERS, SCORES, SUMS,
 * LARGEST, col_of, WORKER and WGMMA, where Q, K, V and their mbarriers are, and
 * FACTOR: weights are up to 2^FACTOR.
 */
#ifndef LL_ATTENTION_TASKS_H
#define LL_ATTENTION_TASKS_H

#include "attention_weigh.h"

/* What a block computes: some rows of one head of one sequence. The tiles
 * [low, high) contain every key that any of its rows sees. */
struct tile_job {
    unsigned batch, head, kv_head; /* batch is 0 where sequences have starts */
    int row, rows, keys;           /* of the sequence */
    int row_start, key_start;
    int low, high;
};

/* Returns job number x. Jobs come in groups of `group` heads, so that their
 * keys stay in the L2 cache. Within a group, rows that see the most keys come
 * first. With `turns`, every second group, counted from the last, runs in the
 * opposite order. */
static __device__ tile_job find(const shape &s, unsigned x,
                                bool turns = false) {
    const unsigned most = (s.rows + ROWS - 1) / ROWS;
    const unsigned first = x / (s.group * most) * s.group;
    const unsigned all = s.batch * s.heads;
    const unsigned count = all - first < s.group ? all - first : s.group;
    const unsigned in = x - first * most;
    const unsigned head = first + in % count;
    const bool up = turns && (all - 1 - first) / s.group % 2;
    const unsigned block = up ? in / count : most - 1 - in / count;
    tile_job t = {head / s.heads,
                  head % s.heads,
                  head % s.heads / (s.heads / s.kv_heads),
                  (int)(block * ROWS),
                  (int)s.rows,
                  (int)s.keys,
                  0,
                  0,
                  0,
                  0};
    if (s.row_start) {
        t.row_start = s.row_start[t.batch];
        t.key_start = s.key_start[t.batch];
        t.rows = s.row_start[t.batch + 1] - t.row_start;
        t.keys = s.key_start[t.batch + 1] - t.key_start;
        t.batch = 0;
    }
    const int past = t.keys - t.rows; /* row 0 sees keys to it */
    const int end = s.causal ? t.row + (int)ROWS + past : t.keys;
    const int begin = s.window ? t.row + past + 1 - (int)s.window : 0;
    t.high = ((end < t.keys ? end : t.keys) + (int)KEYS - 1) / (int)KEYS;
    t.low = begin > 0 ? begin / (int)KEYS : 0;
    t.high = t.high > t.low && end > 0 && t.row < t.rows ? t.high : t.low;
    return t;
}

/* A position in a ring of stages; the parity changes with each round. */
struct place {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* Where a warp is in the rings of K and V, and the parity of Q. */
struct places {
    place k, v;
    unsigned q;
};

/* One thread: starts the copies of Q. */
static __device__ void load_rows(unsigned smem, const CUtensorMap *map_q,
                                 const tile_job &t) {
    ll_ptx_mbarrier_arrive_expect_tx(smem + FULL_Q, WORKERS * BYTES_Q);
    for (unsigned x = 0; x < WORKERS * BOXES; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            smem + BOX_BYTES_Q * x, map_q, smem + FULL_Q,
            (int)(x % BOXES * BOX), (int)t.head,
            t.row_start + t.row + (int)(x / BOXES * 64), (int)t.batch);
    }
}

/* Workers start products in turn, those below tile `end`: each waits for the
 * one before it. */
static __device__ void turn(unsigned worker, int end, const tile_job &t) {
    if (worker || end < t.high) {
        ll_ptx_bar_at<256>(1 + WORKERS + worker);
    }
}
static __device__ void pass(unsigned worker, int end, const tile_job &t) {
    if (worker + 1 < WORKERS || end - 1 > t.low) {
        ll_ptx_bar_arrive_at<256>(1 + WORKERS + (worker + 1) % WORKERS);
    }
}

/* Starts scores = Q K^T; the tiles' descriptors. A product takes 32 bytes of
 * each row, which lie side by side in a box. */
static __device__ void start_scores(float *scores, unsigned long long q,
                                    unsigned long long k) {
    constexpr unsigned slices = BOX / (FP8 ? 32 : 16);
    LL_UNROLL
    for (unsigned x = 0; x < BOXES * slices; ++x) {
        const unsigned box = x / slices, slice = 32 * (x % slices);
        WGMMA<KEYS>(scores, q + ((BOX_BYTES_Q * box + slice) >> 4),
                    k + ((BOX_BYTES_K * box + slice) >> 4), x);
    }
    ll_ptx_wgmma_commit_group();
}

static __device__ void release(unsigned bar) {
    if (threadIdx.x % 128 == 0) {
        ll_ptx_mbarrier_arrive(bar);
    }
}

/* A tile of other workers: its stages are free again, once it has come. */
static __device__ void leave(unsigned smem, place &k, place &v) {
    ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
    release(smem + EMPTY_K + 8 * k.stage);
    k.next();
    ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
    release(smem + EMPTY_V + 8 * v.stage);
    v.next();
}

/* How many tiles, counted from key 0, a worker's rows see. */
static __device__ int seen(const shape &s, const tile_job &t, unsigned worker) {
    const int row = t.row + (int)(64 * worker), end = row + 64 + t.keys - t.rows;
    const int tiles = end > 0 ? (end + (int)KEYS - 1) / (int)KEYS : 0;
    const int high = s.causal && tiles < t.high ? tiles : t.high;
    return row >= t.rows || high < t.low ? t.low : high;
}

/* Scores of keys that a row does not see become minus infinity, in tiles that
 * have any. */
static __device__ void mask(float *scores, const shape &s, const tile_job &t,
                            unsigned worker, int tile) {
    LL_IN(WORKER);
    const int row = t.row + (int)(64 * worker) + t.keys - t.rows;
    const int begin = tile * (int)KEYS, end = begin + (int)KEYS;
    if (end <= t.keys && (!s.causal || end - 1 <= row) &&
        (!s.window || begin + (int)s.window > row + 63)) {
        return;
    }
    int first[2], last[2]; /* columns, from the lane's first one on */
    const int lane = begin + (int)LL_AT(SCORES, LL_J, 0);
    for (unsigned k = 0; k < 2; ++k) {
        const int i = row + (int)LL_AT(SCORES, LL_I, 2 * k);
        last[k] = (s.causal && i + 1 < t.keys ? i + 1 : t.keys) - lane;
        first[k] = s.window ? i + 1 - (int)s.window - lane : 0;
    }
    LL_EACH(r, SCORES) {
        const int j = (int)col_of(r);
        const bool seen = j >= first[row_of(r)] && j < last[row_of(r)];
        scores[r] = seen ? scores[r] : -INFINITY;
    }
}

/* What is wrong with a shape, or null. */
static const char *wrong_shape(const shape &s) {
    const unsigned rows = s.row_start ? s.all_rows : s.rows;
    const unsigned keys = s.row_start ? s.all_keys : s.keys;
    if (!s.batch || !s.heads || !s.kv_heads || !rows || !keys || !s.rows ||
        !s.keys || s.heads % s.kv_heads) {
        return "batch, heads, rows and keys are at least 1, and heads are a "
               "multiple of the heads of keys";
    }
    if (!s.row_start != !s.key_start) {
        return "rows and keys have starts, or neither has";
    }
    if (rows > 1u << 30 || keys > 1u << 30 || s.window > 1u << 30 ||
        (double)s.batch * s.heads * ((s.rows + ROWS - 1) / ROWS) > 1u << 30) {
        return "there are at most 2^30 rows, keys, and blocks";
    }
    return 0;
}

/* The softmax so far of a lane's two rows. */
struct softmax {
    float most[2], sum[2]; /* the largest score, the lane's sum of weights */
};

static __device__ void scale(float (&sums)[PARTS][LL_REGS(SUMS)],
                             const float (&factor)[2]) {
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
        LL_EACH(r, SUMS) { sums[p][r] *= factor[row_of(r)]; }
    }
}

#endif
