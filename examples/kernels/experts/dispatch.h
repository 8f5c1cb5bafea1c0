/* dispatch.h - brings the rows of tokens to their experts
 * SPDX-License-Identifier: MIT
 *
 * Some warps send: they load the row of each token once, and store it at the
 * experts of this rank and once at each other rank that has one of its experts.
 * All others receive: they copy rows that arrive to their experts. A flag per
 * token says that its row has arrived, so nobody waits for more than it needs.
 */
#ifndef LL_EXPERTS_DISPATCH_H
#define LL_EXPERTS_DISPATCH_H

#include "../quantise/groups.h"
#include "experts.h"

namespace ll_kernels {

/* Rows for experts: of bf16, or of e4m3 with a scale per 128 elements. */
struct expert_rows {
    void *elements;
    float *scales;
};

/* The part of a row of bf16 that a warp has in registers. */
struct bf16_part {
    enum : unsigned { bytes = 2, each = 32, size = 32 * each };
    unsigned words[each / 2];

    /* Loads the part from element j of a row on; `left` elements follow. */
    __device__ void take(const bf16 *x, unsigned left) {
        LL_LAYOUT(ROW, row_of(8, each, 1, 1, 1));
        LL_IN(EXPERTS_WARP);
        LL_LOAD_BY(words, ROW, LL_STREAM, x, 0, 1, left);
    }
    __device__ void load(const expert_rows &from, size_t row, unsigned j,
                         unsigned hidden) {
        take((const bf16 *)from.elements + row * hidden + j, hidden - j);
    }
    __device__ void store(const expert_rows &to, size_t row, unsigned j,
                          unsigned hidden) const {
        LL_LAYOUT(ROW, row_of(8, each, 1, 1, 1));
        LL_IN(EXPERTS_WARP);
        LL_STORE_BY(words, ROW, LL_STREAM,
                    (bf16 *)to.elements + row * hidden + j, 0, 1, hidden - j);
    }
};

/* The part of a row of e4m3. A lane has 16 elements side by side, so that it
 * stores 16 bytes. */
LL_LAYOUT(E4M3_PART, row_of(16, 32, 1, 1, 1));
LL_LAYOUT(E4M3_PAIRS, ll_reshape_out(ll_bitcast(LL_GET(E4M3_PART), 16, 32),
                                     ll_shape_of("k=64 j=8")));
LL_LAYOUT(E4M3_GROUPS, ll_reduce(LL_GET(E4M3_PAIRS), LL_K));

struct e4m3_part {
    enum : unsigned { bytes = 1, size = 1024 };
    unsigned words[8];
    float scale[LL_REGS(E4M3_GROUPS)];

    __device__ void take(const bf16 *x, unsigned left) {
        LL_REDUCE_PLAN(PEAKS, E4M3_PAIRS, LL_K, 32, LL_SM90);
        LL_IN(EXPERTS_WARP);
        unsigned a[16], b[16], pairs[LL_REGS(E4M3_GROUPS)];
        float peak[LL_REGS(E4M3_GROUPS)], inverse[LL_REGS(E4M3_GROUPS)];
        LL_LOAD_BY(a, E4M3_PART, LL_STREAM, x, 0, 1, left);
        LL_EACH(r, E4M3_PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
        keep_packed(a);
        LL_REDUCE(pairs, b, PEAKS, 0, larger_magnitudes());
        LL_EACH(r, E4M3_GROUPS) {
            const unsigned most = __vmaxu2(pairs[r], pairs[r] >> 16);
            peak[r] = number<bf16>(&most, 0);
        }
        fp8::scales(scale, inverse, peak, 1);
        quantise_tile<fp8, bf16>(words, a,
                                 [&](unsigned r) { return inverse[r / 16]; });
    }
    __device__ void load(const expert_rows &from, size_t row, unsigned j,
                         unsigned hidden) {
        LL_IN(EXPERTS_WARP);
        LL_LOAD_BY(words, E4M3_PART, LL_STREAM,
                   (const unsigned char *)from.elements + row * hidden + j, 0,
                   1, hidden - j);
        LL_LOAD(scale, E4M3_GROUPS,
                from.scales + row * (hidden / 128) + j / 128, 0, 1,
                (hidden - j) / 128);
    }
    __device__ void store(const expert_rows &to, size_t row, unsigned j,
                          unsigned hidden) const {
        LL_IN(EXPERTS_WARP);
        LL_STORE_BY(words, E4M3_PART, LL_STREAM,
                    (unsigned char *)to.elements + row * hidden + j, 0, 1,
                    hidden - j);
        LL_STORE(scale, E4M3_GROUPS, to.scales + row * (hidden / 128) + j / 128,
                 0, 1, (hidden - j) / 128);
    }
};

/* Where rows of a rank arrive at rank r. */
template <class PART>
__device__ expert_rows arrived_rows(const experts_rank &g, unsigned r,
                                    unsigned source) {
    const size_t tokens = (size_t)source * g.shape.tokens;
    const unsigned hidden = g.shape.hidden;
    return {g.part<unsigned char>(r, g.parts.rows) +
                tokens * hidden * PART::bytes,
            g.part<float>(r, g.parts.scales) + tokens * (hidden / 128)};
}

/* Stores the part of a row at the experts in the set of lanes `all`. */
template <class PART>
__device__ void store_at_experts(const PART &part, const expert_rows &experts,
                                 unsigned all, unsigned row, unsigned j,
                                 unsigned hidden) {
    experts_each(all, [&](unsigned k) {
        part.store(experts, __shfl_sync(~0u, row, (int)k), j, hidden);
    });
}

/* Stores the row of an own token at its experts here, and at other ranks. */
template <class PART>
__device__ void send_row(const experts_rank &g, const bf16 *x,
                         const expert_rows &experts, unsigned t,
                         unsigned epoch) {
    const unsigned hidden = g.shape.hidden, lane = threadIdx.x % 32;
    const experts_targets to(g, g.rank, t);
    const unsigned ranks = to.ranks(g) & ~(1u << g.rank);
    const unsigned row = to.row(g, g.rank);
    const unsigned all = __ballot_sync(~0u, row != ~0u);
    for (unsigned j = 0; j < hidden && (ranks | all); j += PART::size) {
        PART part;
        part.take(x + (size_t)t * hidden + j, hidden - j);
        experts_each(ranks, [&](unsigned r) {
            part.store(arrived_rows<PART>(g, r, g.rank), t, j, hidden);
        });
        store_at_experts(part, experts, all, row, j, hidden);
    }
    __syncwarp();
    if (ranks >> lane & 1u) {
        store_flag(g.part<unsigned>(lane, g.parts.sent) +
                       (size_t)g.rank * g.shape.tokens + t,
                   epoch);
    }
}

/* Copies the row of another rank's token to its experts. */
template <class PART>
__device__ void receive_row(const experts_rank &g, const expert_rows &experts,
                            unsigned source, unsigned t, unsigned epoch) {
    const unsigned hidden = g.shape.hidden;
    const experts_targets to(g, source, t);
    const unsigned row = to.row(g, source);
    const unsigned all = __ballot_sync(~0u, row != ~0u);
    const expert_rows from = arrived_rows<PART>(g, g.rank, source);
    if (!all) {
        return;
    }
    if (threadIdx.x % 32 == 0) {
        experts_wait(g,
                     g.part<unsigned>(g.rank, g.parts.sent) +
                         (size_t)source * g.shape.tokens + t,
                     epoch);
    }
    __syncwarp();
    for (unsigned j = 0; j < hidden; j += PART::size) {
        PART part;
        part.load(from, t, j, hidden);
        store_at_experts(part, experts, all, row, j, hidden);
    }
}

template <class PART>
__global__ void __launch_bounds__(EXPERTS_THREADS, 1)
    experts_dispatch_kernel(const __grid_constant__ experts_rank g,
                            const bf16 *x, const expert_rows experts,
                            experts_blocks blocks) {
    const unsigned epoch = experts_begin(g, EXPERTS_DISPATCH);
    const unsigned others = g.shape.ranks - 1u;
    if (g.phases & EXPERTS_SEND) {
        for (unsigned t = blocks.first(); t < g.tokens; t += blocks.step()) {
            send_row<PART>(g, x, experts, t, epoch);
        }
    }
    if (g.phases & EXPERTS_RECEIVE) {
        experts_queue queue(g, EXPERTS_DISPATCH);
        for (unsigned k; (k = queue.get()) < g.shape.tokens * others;) {
            receive_row<PART>(g, experts,
                              (g.rank + k % others + 1u) % g.shape.ranks,
                              k / others, epoch);
        }
    }
    experts_end(g, EXPERTS_DISPATCH, epoch);
}

/* Launches the kernel on `stream`, after experts_count.
 *   PART     bf16_part or e4m3_part: what crosses, and what experts get
 *   x        [tokens][hidden]
 *   experts  [capacity][hidden], and for e4m3 scales [capacity][hidden / 128]
 * Returns an error message, or null. */
template <class PART>
const char *experts_dispatch(const experts_rank &g, const bf16 *x,
                             const expert_rows &experts,
                             const experts_blocks &blocks,
                             cudaStream_t stream) {
    if (const char *const bad = experts_misfit(g)) {
        return bad;
    }
    if (PART::bytes == 1 && (g.shape.hidden % 128 || !experts.scales)) {
        return "rows of e4m3 have a multiple of 128 elements, and scales";
    }
    if ((size_t)x % 16 || (size_t)experts.elements % 16) {
        return "rows start at multiples of 16 bytes";
    }
    if (const char *const bad = blocks.misfit()) {
        return bad;
    }
    experts_dispatch_kernel<PART>
        <<<blocks.all, EXPERTS_THREADS, 0, stream>>>(g, x, experts, blocks);
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
