/* combine.h - brings the experts' results back to their tokens
 * SPDX-License-Identifier: MIT
 *
 * Some warps send: they add up the weighted rows of another rank's token that
 * lie here, and store this partial sum at the token's rank. All others receive:
 * they add the rows of own tokens that lie here and the partial sums of other
 * ranks. All sums are of floats. A partial sum crosses as floats or as bf16. */
#ifndef LL_EXPERTS_COMBINE_H
#define LL_EXPERTS_COMBINE_H

#include "dispatch.h"

namespace ll_kernels {

/* The part of a sum that a warp has in registers. SUM: the type of a partial
 * sum in memory. Lanes have 16 bytes of it side by side. */
template <class SUM> struct sum_part {
    enum : unsigned { size = 512, wide = 16 / sizeof(SUM) };
    float x[16];

    /* Adds w times what the experts return for a token in a row. */
    __device__ void add_words(const unsigned (&words)[8], float w) {
        LL_UNROLL
        for (unsigned r = 0; r < 16; ++r) {
            x[r] += w * number<bf16>(words, r);
        }
    }
    static __device__ void load_row(unsigned (&words)[8], const bf16 *row,
                                    unsigned left) {
        LL_LAYOUT(ROW, row_of(wide, 16, 1, 1, 1));
        LL_IN(EXPERTS_WARP);
        LL_LOAD_BY(words, ROW, LL_STREAM, row, 0, 1, left);
    }
    __device__ void add_partial(const SUM *from, unsigned left) {
        LL_LAYOUT(ROW, row_of(wide, 16, 1, 1, 1));
        LL_IN(EXPERTS_WARP);
        unsigned words[4 * sizeof(SUM)];
        LL_LOAD_BY(words, ROW, LL_STREAM, from, 0, 1, left);
        LL_UNROLL
        for (unsigned r = 0; r < 16; ++r) {
            x[r] += number<SUM>(words, r);
        }
    }
    template <class T> __device__ void store(T *to, unsigned left) const {
        LL_LAYOUT(ROW, row_of(wide, 16, 1, 1, 1));
        LL_IN(EXPERTS_WARP);
        unsigned words[4 * sizeof(T)];
        put_numbers<T>(words, [&](unsigned r) { return x[r]; });
        LL_STORE_BY(words, ROW, LL_STREAM, to, 0, 1, left);
    }
    /* Sets the sum to that of the rows in the set of lanes `all`, with the
     * weight of their lane. Two rows are on the way at a time. */
    __device__ void add_rows(const bf16 *y, unsigned all, unsigned row,
                             float weight, unsigned j, unsigned hidden) {
        LL_UNROLL
        for (unsigned r = 0; r < 16; ++r) {
            x[r] = 0;
        }
        while (all) {
            const int k = __ffs((int)all) - 1;
            all &= all - 1u;
            const int m = all ? __ffs((int)all) - 1 : k;
            all &= all - 1u;
            const unsigned p = __shfl_sync(~0u, row, k);
            const unsigned q = __shfl_sync(~0u, row, m);
            unsigned a[8], b[8];
            load_row(a, y + (size_t)p * hidden + j, hidden - j);
            if (m != k) {
                load_row(b, y + (size_t)q * hidden + j, hidden - j);
            }
            add_words(a, __shfl_sync(~0u, weight, k));
            if (m != k) {
                add_words(b, __shfl_sync(~0u, weight, m));
            }
        }
    }
};

/* Where partial sums of a rank arrive at rank r. */
template <class SUM>
__device__ SUM *arrived_sum(const experts_rank &g, unsigned r, unsigned from,
                            unsigned token) {
    return (SUM *)g.part<unsigned char>(r, g.parts.sums) +
           ((size_t)from * g.shape.tokens + token) * g.shape.hidden;
}

/* The weight of lane k's expert of a token. */
__device__ inline float weight_of(const experts_rank &g, unsigned source,
                                  unsigned t) {
    const unsigned lane = threadIdx.x % 32, top = g.shape.top;
    return lane < top ? g.part<float>(g.rank, g.parts.weights)
                            [((size_t)source * g.shape.tokens + t) * top + lane]
                      : 0;
}

/* Stores the partial sum of another rank's token there. */
template <class SUM>
__device__ void send_sum(const experts_rank &g, const bf16 *y, unsigned source,
                         unsigned t, unsigned epoch) {
    const unsigned hidden = g.shape.hidden;
    const experts_targets to(g, source, t);
    const unsigned row = to.row(g, source);
    const unsigned all = __ballot_sync(~0u, row != ~0u);
    const float weight = weight_of(g, source, t);
    if (!__ballot_sync(~0u, to.owner == g.rank)) {
        return;
    }
    SUM *const there = arrived_sum<SUM>(g, source, g.rank, t);
    for (unsigned j = 0; j < hidden; j += sum_part<SUM>::size) {
        sum_part<SUM> sum;
        sum.add_rows(y, all, row, weight, j, hidden);
        sum.store(there + j, hidden - j);
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        store_flag(g.part<unsigned>(source, g.parts.returned) +
                       (size_t)g.rank * g.shape.tokens + t,
                   epoch);
    }
}

/* The sum of an own token. */
template <class SUM>
__device__ void receive_sum(const experts_rank &g, const bf16 *y, bf16 *out,
                            unsigned t, unsigned epoch) {
    const unsigned hidden = g.shape.hidden, lane = threadIdx.x % 32;
    const experts_targets to(g, g.rank, t);
    const unsigned row = to.row(g, g.rank);
    const unsigned all = __ballot_sync(~0u, row != ~0u);
    const unsigned ranks = to.ranks(g) & ~(1u << g.rank);
    const float weight = weight_of(g, g.rank, t);
    if (ranks >> lane & 1u) {
        experts_wait(g,
                     g.part<unsigned>(g.rank, g.parts.returned) +
                         (size_t)lane * g.shape.tokens + t,
                     epoch);
    }
    __syncwarp();
    for (unsigned j = 0; j < hidden; j += sum_part<SUM>::size) {
        sum_part<SUM> sum;
        sum.add_rows(y, all, row, weight, j, hidden);
        experts_each(ranks, [&](unsigned r) {
            sum.add_partial(arrived_sum<SUM>(g, g.rank, r, t) + j, hidden - j);
        });
        sum.store(out + (size_t)t * hidden + j, hidden - j);
    }
}

template <class SUM>
__global__ void __launch_bounds__(EXPERTS_THREADS, 1)
    experts_combine_kernel(const __grid_constant__ experts_rank g,
                           const bf16 *y, bf16 *out, experts_blocks blocks) {
    const unsigned epoch = experts_begin(g, EXPERTS_COMBINE);
    const unsigned others = g.shape.ranks - 1u;
    if (g.phases & EXPERTS_SEND) {
        for (unsigned k = blocks.first(); k < g.shape.tokens * others;
             k += blocks.step()) {
            send_sum<SUM>(g, y, (g.rank + k % others + 1u) % g.shape.ranks,
                          k / others, epoch);
        }
    }
    if (g.phases & EXPERTS_RECEIVE) {
        experts_queue queue(g, EXPERTS_COMBINE);
        for (unsigned t; (t = queue.get()) < g.tokens;) {
            receive_sum<SUM>(g, y, out, t, epoch);
        }
    }
    experts_end(g, EXPERTS_COMBINE, epoch);
}

/* Launches the kernel on `stream`, after experts_count.
 *   SUM  float, or bf16 for half the bytes: the type of a partial sum that
 *        crosses a link
 *   y    [capacity][hidden], results of the experts
 *   out  [tokens][hidden]
 * Returns an error message, or null. */
template <class SUM>
const char *experts_combine(const experts_rank &g, const bf16 *y, bf16 *out,
                            const experts_blocks &blocks, cudaStream_t stream) {
    if (const char *const bad = experts_misfit(g)) {
        return bad;
    }
    if ((size_t)y % 16 || (size_t)out % 16) {
        return "rows start at multiples of 16 bytes";
    }
    if (const char *const bad = blocks.misfit()) {
        return bad;
    }
    experts_combine_kernel<SUM>
        <<<blocks.all, EXPERTS_THREADS, 0, stream>>>(g, y, out, blocks);
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
