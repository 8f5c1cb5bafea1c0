/* warpgroups.h - the warpgroups of a block: their barrier, and their turns at
 * the tensor cores
 * SPDX-License-Identifier: MIT
 *
 * Warpgroup 0 are the producers. Each other warpgroup is a worker, which
 * computes 64 rows of O. Workers start matrix products in turn, so that the
 * softmax of one runs while the tensor cores work for another.
 */
#ifndef LL_WARPGROUPS_H
#define LL_WARPGROUPS_H

#ifndef LL_MATRIX /* products of matrices */
#define LL_MATRIX
#endif
#include "ll_ptx.h"
#include "tile_jobs.h"

namespace ll_kernels {

LL_SCOPE(WARPGROUP, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* One thread of the warpgroup arrives at an mbarrier. */
static __device__ void release(unsigned bar) {
    if (threadIdx.x % 128 == 0) {
        ll_ptx_mbarrier_arrive(bar);
    }
}

/* A worker waits for the preceding one before it starts products of the tiles
 * below `end`, and lets the next one start after that. */
template <unsigned WORKERS>
static __device__ void wait_turn(unsigned worker, int end, const tile_job &t) {
    if (worker || end < t.high) {
        ll_ptx_bar_at<256>(1 + WORKERS + worker);
    }
}
template <unsigned WORKERS>
static __device__ void pass_turn(unsigned worker, int end, const tile_job &t) {
    if (worker + 1 < WORKERS || end - 1 > t.low) {
        ll_ptx_bar_arrive_at<256>(1 + WORKERS + (worker + 1) % WORKERS);
    }
}

} // namespace ll_kernels

#endif
