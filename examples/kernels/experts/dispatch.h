/* dispatch.h - brings the rows of tokens to their experts
 * SPDX-License-Identifier: MIT
 *
 * Some warps send: they load the row of each token once, and store it at all of
 * its experts of this rank and at the first one of each other rank. All others
 * receive: they copy rows that arrive to the other experts. A flag per piece of
 * a row says that it has arrived, so nobody waits for more than it needs. */
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

/* Those of all ranks, which this rank can read and write. */
struct experts_arrays {
    expert_rows of[EXPERTS_RANKS];
};

/* The part of a row of bf16 that a warp has in registers. */
struct bf16_part {
    enum : unsigned { bytes = 2, each = 32, size = EXPERTS_TILE };
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
    enum : unsigned { bytes = 1, size = EXPERTS_TILE };
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

/* Stores a piece of an own token's row at its experts. */
template <class PART>
__device__ void send_row(const experts_rank &g, const bf16 *x,
                         const experts_arrays &experts, unsigned t,
                         unsigned piece, unsigned epoch) {
    const unsigned hidden = g.shape.hidden, lane = threadIdx.x % 32;
    const experts_targets to(g, g.rank, t);
    const unsigned row = to.row(g, g.rank);
    const unsigned owner = row == ~0u ? ~0u : to.owner;
    const unsigned same = __match_any_sync(~0u, owner);
    const bool crosses =
        owner != ~0u && owner != g.rank && !(same & ((1u << lane) - 1u));
    const unsigned all = __ballot_sync(~0u, owner == g.rank || crosses);
    const unsigned end = all ? g.end(piece) : 0;
    for (unsigned j = piece * g.parts.width; j < end; j += PART::size) {
        PART part;
        part.take(x + (size_t)t * hidden + j, hidden - j);
        experts_each(all, [&](unsigned k) {
            const unsigned r = __shfl_sync(~0u, owner, (int)k);
            part.store(experts.of[r], __shfl_sync(~0u, row, (int)k), j, hidden);
        });
    }
    __syncwarp();
    if (crosses) {
        store_flag(g.flag(owner, g.parts.sent, g.rank, t, piece), epoch);
    }
}

/* Waits for a piece of another rank's token at its first expert here, and
 * copies it to the others. */
template <class PART>
__device__ void receive_row(const experts_rank &g, const expert_rows &experts,
                            unsigned source, unsigned t, unsigned piece,
                            unsigned epoch) {
    const unsigned hidden = g.shape.hidden;
    const experts_targets to(g, source, t);
    const unsigned row = to.row(g, source);
    const unsigned all = __ballot_sync(~0u, row != ~0u && to.owner == g.rank);
    const unsigned others = all & (all - 1u), end = others ? g.end(piece) : 0;
    const unsigned from = __shfl_sync(~0u, row, __ffs((int)all) - 1);
    if (all && threadIdx.x % 32 == 0) {
        experts_wait(g, g.flag(g.rank, g.parts.sent, source, t, piece), epoch);
    }
    __syncwarp();
    for (unsigned j = piece * g.parts.width; j < end; j += PART::size) {
        PART part;
        part.load(experts, from, j, hidden);
        experts_each(others, [&](unsigned k) {
            part.store(experts, __shfl_sync(~0u, row, (int)k), j, hidden);
        });
    }
}

template <class PART>
__global__ void __launch_bounds__(EXPERTS_THREADS, 1)
    experts_dispatch_kernel(const __grid_constant__ experts_rank g,
                            const bf16 *x,
                            const __grid_constant__ experts_arrays experts,
                            experts_blocks blocks) {
    const unsigned epoch = experts_begin(g, EXPERTS_DISPATCH);
    const unsigned others = g.shape.ranks - 1u, pieces = g.parts.pieces;
    if (g.phases & EXPERTS_SEND) {
        for (unsigned k = blocks.first(); k < g.tokens * pieces;
             k += blocks.step()) {
            send_row<PART>(g, x, experts, k / pieces, k % pieces, epoch);
        }
    }
    if (g.phases & EXPERTS_RECEIVE) {
        const unsigned all = g.shape.tokens * pieces * others;
        experts_queue queue(g, EXPERTS_DISPATCH);
        for (unsigned k; (k = queue.get()) < all;) {
            const unsigned far = k % others + 1u, at = k / others;
            receive_row<PART>(g, experts.of[g.rank],
                              (g.rank + far) % g.shape.ranks, at / pieces,
                              at % pieces, epoch);
        }
    }
    experts_end(g, EXPERTS_DISPATCH, epoch);
}

/* Launches the kernel on `stream`, after experts_count.
 *   PART     bf16_part or e4m3_part: what crosses, and what experts get
 *   x        [tokens][hidden]
 *   experts  of each rank [capacity][hidden], and for e4m3 scales [capacity]
 *            [hidden / 128]
 * Returns an error message, or null. */
template <class PART>
const char *experts_dispatch(const experts_rank &g, const bf16 *x,
                             const experts_arrays &experts,
                             const experts_blocks &blocks,
                             cudaStream_t stream) {
    if (const char *const bad = experts_misfit(g)) {
        return bad;
    }
    for (unsigned r = 0; r < g.shape.ranks; ++r) {
        const expert_rows &rows = experts.of[r];
        if (PART::bytes == 1 && (g.shape.hidden % 128 || !rows.scales)) {
            return "rows of e4m3 have a multiple of 128 elements, and scales";
        }
        if ((size_t)x % 16 || (size_t)rows.elements % 16) {
            return "rows start at multiples of 16 bytes";
        }
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
