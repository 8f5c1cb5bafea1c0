/* attention_splits.h - how do several blocks share the keys of a sequence, and
 * who adds up what they found?
 * SPDX-License-Identifier: MIT
 *
 * Each split has its part of O, and of each row the largest score and the sum
 * of weights. The second kernel adds them up. attention_decode.cu has defined
 * HEAD, KEYS, WARPS and cache.
 */
#ifndef LL_ATTENTION_SPLITS_H
#define LL_ATTENTION_SPLITS_H

enum : unsigned { SHARES = 1024 / HEAD }; /* threads of add_up for a column */

/* A sum of weighted values of one column, of weights, and the largest score. */
struct column {
    float value, sum, most;
    __device__ void take(const column &x, float scale) {
        const float top = fmaxf(most, x.most);
        const float base = top == -INFINITY ? 0 : top;
        const float mine = ll_ptx_ex2((most - base) * scale);
        const float its = ll_ptx_ex2((x.most - base) * scale);
        value = value * mine + x.value * its;
        sum = sum * mine + x.sum * its;
        most = top;
    }
};

/* Adds the splits up: a block for a head, HEAD columns, and SHARES threads for
 * each, which have every other split. */
__global__ void __launch_bounds__(HEAD *SHARES)
    add_up(unsigned short *o, const float *sums, const float *most,
           const float *weights, const cache c) {
    __shared__ float all[3][SHARES][HEAD];
    const size_t heads = (size_t)c.batch * c.heads, head = blockIdx.x;
    const unsigned x = threadIdx.x % HEAD, share = threadIdx.x / HEAD;
    column mine = {0, 0, -INFINITY};
    take_turn(false);
#pragma unroll 4
    for (unsigned s = share; s < c.splits; s += SHARES) {
        const size_t at = s * heads + head;
        mine.take({sums[at * HEAD + x], weights[at], most[at]}, c.scale);
    }
    all[0][share][x] = mine.value;
    all[1][share][x] = mine.sum;
    all[2][share][x] = mine.most;
    __syncthreads();
    if (share == 0) {
        for (unsigned s = 1; s < SHARES; ++s) {
            mine.take({all[0][s][x], all[1][s][x], all[2][s][x]}, c.scale);
        }
        o[head * HEAD + x] = (unsigned short)ll_ptx_cvt_bf16x2(
            mine.sum == 0 ? 0 : mine.value / mine.sum, 0);
    }
}

/* Bytes that launch_decode needs as `room`. */
static size_t room_of(const cache &c) {
    return (size_t)c.splits * c.batch * c.heads * (HEAD + 2) * 4;
}

/* How many blocks share a sequence, so that all start at once, one on each of
 * the processors. */
static unsigned splits_of(const cache &c, unsigned longest,
                          unsigned processors) {
    const unsigned groups = (c.heads / c.kv_heads + 15) / 16;
    const unsigned wanted = processors / (c.batch * c.kv_heads * groups);
    const unsigned most = longest / (KEYS * WARPS * 4);
    const unsigned splits = wanted < most ? wanted : most;
    return splits ? splits : 1;
}

#endif
