/* add_splits.h - adds up the results of the blocks that share a sequence
 * SPDX-License-Identifier: MIT
 *
 * Each split has its part of O and, for each row, the largest score and the sum
 * of probabilities. A kernel of its own adds them up if there are several.
 */
#ifndef LL_ADD_SPLITS_H
#define LL_ADD_SPLITS_H

#include "ll_ptx.h"
#include "../dependent_launch.h"
#include "paged_cache.h"

namespace ll_kernels {

/* One column of O: the sum of values times probabilities, the sum of
 * probabilities, and the largest score. */
struct column_sum {
    float value, sum, most;
    __device__ void add(const column_sum &x, float scale) {
        const float top = fmaxf(most, x.most);
        const float base = top == -INFINITY ? 0 : top;
        const float mine = ll_ptx_ex2((most - base) * scale);
        const float its = ll_ptx_ex2((x.most - base) * scale);
        value = value * mine + x.value * its;
        sum = sum * mine + x.sum * its;
        most = top;
    }
};

/* Adds up the splits. A block has one head of one sequence, and SHARES threads
 * for each of its HEAD_DIM columns; thread x of them has splits x, x + SHARES
 * and so on. It starts LOADS loads before it adds: 40 splits of heads of 128
 * are loaded at once.
 *   o      bf16, batch x heads x HEAD_DIM
 *   parts  of O: splits x batch x heads x HEAD_DIM
 *   most   largest scores: splits x batch x heads
 *   sums   of probabilities: likewise */
template <unsigned HEAD_DIM, unsigned SHARES = 1024 / HEAD_DIM,
          unsigned LOADS = 5>
__global__ void __launch_bounds__(HEAD_DIM *SHARES)
    add_splits(unsigned short *o, const float *parts, const float *most,
               const float *sums, const paged_cache c) {
    __shared__ float all[3][SHARES][HEAD_DIM];
    const size_t heads = (size_t)c.batch * c.heads, head = blockIdx.x;
    const unsigned x = threadIdx.x % HEAD_DIM, share = threadIdx.x / HEAD_DIM;
    column_sum mine = {0, 0, -INFINITY};
    wait_for_preceding(false);
    for (unsigned s = share; s < c.splits; s += LOADS * SHARES) {
        column_sum some[LOADS];
        LL_UNROLL
        for (unsigned k = 0; k < LOADS; ++k) {
            const size_t at = (s + k * SHARES) * heads + head;
            some[k] = {0, 0, -INFINITY};
            if (s + k * SHARES < c.splits) {
                some[k] = {parts[at * HEAD_DIM + x], sums[at], most[at]};
            }
        }
        LL_UNROLL
        for (unsigned k = 0; k < LOADS; ++k) {
            mine.add(some[k], c.scale);
        }
    }
    all[0][share][x] = mine.value;
    all[1][share][x] = mine.sum;
    all[2][share][x] = mine.most;
    __syncthreads();
    if (share == 0) {
        for (unsigned s = 1; s < SHARES; ++s) {
            mine.add({all[0][s][x], all[1][s][x], all[2][s][x]}, c.scale);
        }
        o[head * HEAD_DIM + x] = (unsigned short)ll_ptx_cvt_bf16x2(
            mine.sum == 0 ? 0 : mine.value / mine.sum, 0);
    }
}

/* Returns the bytes of memory for the results of all splits. */
inline size_t split_bytes(const paged_cache &c, unsigned head_dim) {
    return (size_t)c.splits * c.batch * c.heads * (head_dim + 2) * 4;
}

} // namespace ll_kernels

#endif
