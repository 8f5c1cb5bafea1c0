/* count.h - the place of every token at its experts
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXPERTS_COUNT_H
#define LL_EXPERTS_COUNT_H

#include "experts.h"

namespace ll_kernels {

enum : unsigned {
    COUNT_WARPS = EXPERTS_THREADS / 32,
    COUNT_ENTRIES = 2 * EXPERTS_THREADS /* of a block */
};

/* Returns the expert of entry k of the routing table, or ~0. */
__device__ inline unsigned expert_of(const experts_rank &g, const int *experts,
                                     unsigned k) {
    const unsigned e = k < g.tokens * g.shape.top ? (unsigned)experts[k] : ~0u;
    return e < g.shape.experts ? e : ~0u;
}

/* Adds the entries before those of this block to before[expert]. Lanes with the
 * same expert add as one. */
__device__ inline void count_earlier(const experts_rank &g, const int *experts,
                                     unsigned *before) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = threadIdx.x; k < blockIdx.x * COUNT_ENTRIES;
         k += EXPERTS_THREADS) {
        const unsigned e = expert_of(g, experts, k);
        const unsigned same = __match_any_sync(~0u, e);
        if (e != ~0u && same >> lane == 1u) {
            atomicAdd(before + e, (unsigned)__popc((int)same));
        }
    }
}

/* A warp has two times 32 entries of a block. Returns the place of entry
 * number `half` among those of its warp, and adds to the warp's counts. */
__device__ inline unsigned count_by_warp(unsigned e, unsigned *count) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned same = __match_any_sync(~0u, e);
    const unsigned before = (unsigned)__popc((int)(same & ((1u << lane) - 1u)));
    const unsigned at = (e != ~0u ? count[e] : 0u) + before;
    __syncwarp();
    if (e != ~0u && before == 0) {
        count[e] = at + (unsigned)__popc((int)same);
    }
    __syncwarp();
    return at;
}

/* Replaces the counts of each warp by the sums of all entries before it. The
 * last block tells all ranks the sums of all. */
__device__ inline void count_before(const experts_rank &g, unsigned *counts,
                                    const unsigned *before) {
    const experts_shape &s = g.shape;
    for (unsigned e = threadIdx.x; e < s.experts; e += EXPERTS_THREADS) {
        unsigned sum = before[e];
        LL_UNROLL
        for (unsigned w = 0; w < COUNT_WARPS; ++w) {
            const unsigned own = counts[w * s.experts + e];
            counts[w * s.experts + e] = sum;
            sum += own;
        }
        for (unsigned r = 0; r < s.ranks && blockIdx.x + 1 == gridDim.x; ++r) {
            g.part<unsigned>(r, g.parts.counts)[g.rank * s.experts + e] = sum;
        }
    }
}

/* Writes the place of an entry, and its weight, to all ranks. */
__device__ inline void send_place(const experts_rank &g, const float *weights,
                                  unsigned k, unsigned place) {
    const experts_shape &s = g.shape;
    const size_t at = (size_t)g.rank * s.tokens * s.top + k;
    if (k < s.tokens * s.top) {
        const float weight = k < g.tokens * s.top ? weights[k] : 0;
        for (unsigned r = 0; r < s.ranks; ++r) {
            g.part<unsigned>(r, g.parts.places)[at] = place;
            g.part<float>(r, g.parts.weights)[at] = weight;
        }
    }
}

/* Counts this block's entries and sends their places. counts: [1 + warps]
 * [experts], all 0. */
__device__ inline void count_block(const experts_rank &g, const int *experts,
                                   const float *weights, unsigned *counts) {
    const unsigned warp = threadIdx.x / 32, n = g.shape.experts;
    unsigned *const before = counts + COUNT_WARPS * n;
    const unsigned k =
        blockIdx.x * COUNT_ENTRIES + warp * 64 + threadIdx.x % 32;
    unsigned e[2], at[2];
    for (unsigned half = 0; half < 2; ++half) {
        e[half] = expert_of(g, experts, k + 32 * half);
        at[half] = count_by_warp(e[half], counts + warp * n);
    }
    count_earlier(g, experts, before);
    __syncthreads();
    count_before(g, counts, before);
    __syncthreads();
    for (unsigned half = 0; half < 2; ++half) {
        send_place(g, weights, k + 32 * half,
                   e[half] == ~0u
                       ? (unsigned)EXPERTS_NOWHERE
                       : e[half] << EXPERTS_PLACE_BITS |
                             (counts[warp * n + e[half]] + at[half]));
    }
}

/* From the counts of all ranks: the first row of each expert of this rank, and
 * within it of each rank. */
__device__ inline void place_experts(const experts_rank &g) {
    const experts_shape &s = g.shape;
    LL_LAYOUT(EACH, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7 i8 i9"));
    LL_SCAN_PLAN(SCAN, EACH, LL_I, 32, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SCAN)];
    const unsigned here = g.here(), e = threadIdx.x;
    const unsigned *const counts = g.part<unsigned>(g.rank, g.parts.counts);
    unsigned *const first = g.part<unsigned>(g.rank, g.parts.first);
    unsigned *const base = g.part<unsigned>(g.rank, g.parts.base);
    unsigned rows[1] = {0}, end[1];
    for (unsigned r = 0; r < s.ranks && e < here; ++r) {
        rows[0] += counts[r * s.experts + g.rank * here + e];
    }
    rows[0] = (rows[0] + s.align - 1u) & ~(s.align - 1u);
    LL_SCAN(end, rows, SCAN, smem, ll_add());
    if (e < here) {
        unsigned at = end[0] - rows[0];
        first[e] = at;
        for (unsigned r = 0; r < s.ranks; ++r) {
            base[r * here + e] = at;
            at += counts[r * s.experts + g.rank * here + e];
        }
    }
    if (e + 1 == here) {
        first[here] = end[0];
        g.part<unsigned>(g.rank, g.parts.flags)[EXPERTS_OVER] =
            end[0] > s.capacity ? end[0] : 0;
    }
}

/* Whether this block is the last one to come here. */
__device__ inline bool is_last_block(unsigned *ticket) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        last = atomicAdd(ticket, 1u) + 1u == gridDim.x;
        if (last) {
            *ticket = 0;
        }
        __threadfence_system();
    }
    __syncthreads();
    return last;
}

/* A block has COUNT_ENTRIES entries. The last one to end tells the peers, and
 * places the experts when all peers have come. */
__global__ void __launch_bounds__(EXPERTS_THREADS)
    experts_count_kernel(const __grid_constant__ experts_rank g,
                         const int *experts, const float *weights) {
    extern __shared__ __align__(16) unsigned char shared[];
    unsigned *const counts = (unsigned *)shared;
    unsigned *const flags = g.flags(g.rank, EXPERTS_COUNT);
    const unsigned epoch = experts_begin(g, EXPERTS_COUNT);
    if (g.phases & EXPERTS_SEND) {
        for (unsigned k = threadIdx.x; k < (COUNT_WARPS + 1) * g.shape.experts;
             k += EXPERTS_THREADS) {
            counts[k] = 0;
        }
        __syncthreads();
        count_block(g, experts, weights, counts);
    }
    if (!is_last_block(flags + EXPERTS_TICKET)) {
        return;
    }
    if (g.phases & EXPERTS_SEND && threadIdx.x < g.shape.ranks) {
        store_flag(g.flags(threadIdx.x, EXPERTS_COUNT) + EXPERTS_ARRIVED +
                       g.rank,
                   epoch);
    }
    if (g.phases & EXPERTS_RECEIVE) {
        experts_wait_all(g, EXPERTS_COUNT, EXPERTS_ARRIVED, epoch);
        place_experts(g);
        if (threadIdx.x == 0) {
            flags[EXPERTS_EPOCH] = epoch;
        }
    }
}

/* Launches the kernel on `stream`.
 *   experts  [tokens][top]; another number than that of an expert is left out
 *   weights  [tokens][top]
 * Afterwards this rank's memory has `first`, the first row of each expert and
 * the end of the last one. Returns an error message, or null. */
inline const char *experts_count(const experts_rank &g, const int *experts,
                                 const float *weights, cudaStream_t stream) {
    const unsigned bytes = 4 * (COUNT_WARPS + 1) * g.shape.experts;
    const unsigned entries = g.shape.tokens * g.shape.top;
    const unsigned blocks = (entries + COUNT_ENTRIES - 1) / COUNT_ENTRIES;
    if (const char *const bad = experts_misfit(g)) {
        return bad;
    }
    if (g.tokens && (!experts || !weights)) {
        return "the pointer to experts or weights is null";
    }
    if (bytes > 48u << 10) {
        const cudaError_t err = cudaFuncSetAttribute(
            experts_count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)bytes);
        if (err) {
            return said(err);
        }
    }
    experts_count_kernel<<<blocks, EXPERTS_THREADS, bytes, stream>>>(g, experts,
                                                                     weights);
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
