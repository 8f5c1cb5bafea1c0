/* tile_jobs.h - splits attention into jobs of a block, and says which keys they
 * need
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TILE_JOBS_H
#define LL_TILE_JOBS_H

#include "attention_shape.h"
#include <cuda_runtime.h>

namespace ll_kernels {

/* What a block computes: some rows of one head of one sequence. The tiles
 * [low, high) of keys contain every key that any of its rows sees. */
struct tile_job {
    unsigned batch, head, kv_head; /* batch is 0 if sequences have starts */
    int row, rows, keys;           /* of the sequence */
    int row_start, key_start;
    int low, high;
};

/* Returns job number x. A job has ROWS rows, a tile KEYS keys. Jobs come in
 * groups of `group` heads, so that their keys stay in the L2 cache. Within a
 * group, rows that see the most keys come first. If `alternate`, every second
 * group, counted from the last, runs in the opposite order. */
template <unsigned ROWS, unsigned KEYS>
static __device__ tile_job find_job(const attention_shape &s, unsigned x,
                                    bool alternate = false) {
    const unsigned most = (s.rows + ROWS - 1) / ROWS;
    const unsigned first = x / (s.group * most) * s.group;
    const unsigned all = s.batch * s.heads;
    const unsigned count = all - first < s.group ? all - first : s.group;
    const unsigned in = x - first * most;
    const unsigned head = first + in % count;
    const bool up = alternate && (all - 1 - first) / s.group % 2;
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

/* Returns the end of the tiles that a worker's 64 rows see; at most t.high, and
 * t.low if they see none. */
template <unsigned KEYS>
static __device__ int tiles_seen(const attention_shape &s, const tile_job &t,
                                 unsigned worker) {
    const int row = t.row + (int)(64 * worker),
              end = row + 64 + t.keys - t.rows;
    const int tiles = end > 0 ? (end + (int)KEYS - 1) / (int)KEYS : 0;
    const int high = s.causal && tiles < t.high ? tiles : t.high;
    return row >= t.rows || high < t.low ? t.low : high;
}

} // namespace ll_kernels

#endif
