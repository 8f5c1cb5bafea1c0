/* persistent_blocks.h - the jobs of a block that runs one after another
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PERSISTENT_BLOCKS_H
#define LL_PERSISTENT_BLOCKS_H

#include "tile_jobs.h"

namespace ll_kernels {

/* A loop over the jobs of a block. Each round has a job for each block. If
 * `alternate`, the lengths of jobs differ, and blocks take every second round
 * in the opposite order, which makes up for most of it. Steps of lengths are
 * left: two rounds later they go to other blocks, `SHIFT` places further. */
template <class TILES> struct persistent_blocks {
    enum : unsigned { SHIFT = 41 }; /* of 0 to 61 it leaves least */
    unsigned jobs, x, round;
    bool alternate;

    __device__ persistent_blocks(unsigned all, bool alternates)
        : jobs(all), x(blockIdx.x), round(0), alternate(alternates) {}
    __device__ bool left() const { return x < jobs; }
    __device__ void next() {
        const unsigned all = gridDim.x;
        unsigned at = blockIdx.x;
        ++round;
        if (alternate) {
            at = (at + round / 2 * SHIFT) % all;
            at = round % 2 ? all - 1 - at : at;
        }
        x = round * all + at;
    }
    __device__ tile_job job(const attention_shape &s) const {
        return find_job<TILES::ROWS, TILES::KEYS>(s, x, alternate);
    }
};

} // namespace ll_kernels

#endif
