/* attention_splits.h - how many blocks share the keys of a sequence, and who
 * adds up what they found?
 * SPDX-License-Identifier: MIT
 *
 * Each split has its part of O, and of each row the largest score and the sum
 * of weights. A second kernel adds them up, where there are several.
 * attention_decode.cu has defined decode, cache, HEAD, KEYS, WARPS and SMEM.
 */
#ifndef LL_ATTENTION_SPLITS_H
#define LL_ATTENTION_SPLITS_H

/* Threads of add_up for a column, and loads that one starts before it adds: 40
 * splits of heads of 128 are loaded at once. */
enum : unsigned { SHARES = 1024 / HEAD, AT_ONCE = 5 };

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
    wait_for_preceding(false);
    for (unsigned s = share; s < c.splits; s += AT_ONCE * SHARES) {
        column some[AT_ONCE];
        LL_UNROLL
        for (unsigned k = 0; k < AT_ONCE; ++k) {
            const size_t at = (s + k * SHARES) * heads + head;
            some[k] = {0, 0, -INFINITY};
            if (s + k * SHARES < c.splits) {
                some[k] = {sums[at * HEAD + x], weights[at], most[at]};
            }
        }
        LL_UNROLL
        for (unsigned k = 0; k < AT_ONCE; ++k) {
            mine.take(some[k], c.scale);
        }
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

/* O = softmax(Q K^T / sqrt(HEAD)) V. Returns null, or a sentence that says why
 * it cannot. */
static const char *launch_decode(void *o, void *room, const void *q,
                                 const void *k, const void *v, cache c) {
    if (!c.batch || !c.heads || !c.kv_heads || c.heads % c.kv_heads ||
        !c.splits) {
        return "batch, heads and splits are at least 1, and heads are a "
               "multiple of the heads of keys";
    }
    if (c.page % KEYS || !c.page) {
        return "a page has a multiple of 16 rows";
    }
    if (c.batch > 65535 || c.heads > 65535 || c.splits > 65535) {
        return "batch, heads and splits are at most 65535";
    }
    if ((size_t)o % 16 || (size_t)q % 16 || (size_t)k % 16 || (size_t)v % 16) {
        return "a tensor does not start at a multiple of 16 bytes";
    }
    const size_t rows = (size_t)c.splits * c.batch * c.heads;
    float *sums = (float *)room, *most = sums + rows * HEAD;
    c.scale = 1.44269504f / sqrtf(HEAD);
    const dim3 blocks(c.splits,
                      c.kv_heads * ((c.heads / c.kv_heads + 15) / 16), c.batch);
    cudaError_t err = cudaFuncSetAttribute(
        decode, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM);
    err = err ? err
              : launch_dependent(decode, blocks, 32 * WARPS, SMEM, o, sums,
                                 most, most + rows, q, k, v, c);
    err = err || c.splits == 1
              ? err
              : launch_dependent(add_up, dim3(c.batch * c.heads), HEAD * SHARES,
                                 0, o, sums, most, most + rows, c);
    return said(err);
}

#endif
