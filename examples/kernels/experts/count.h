/* count.h - the place of every token at its experts
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXPERTS_COUNT_H
#define LL_EXPERTS_COUNT_H

#include "experts.h"

namespace ll_kernels {

enum : unsigned { COUNT_WARPS = EXPERTS_THREADS / 32 };

/* Entries [from, to) of the routing table that a warp counts. */
struct count_range {
    unsigned from, to;
    __device__ explicit count_range(unsigned entries) {
        const unsigned each = (entries + 32 * COUNT_WARPS - 1) /
                              (32 * COUNT_WARPS) * 32;
        from = threadIdx.x / 32 * each;
        to = from + each;
    }
};

/* Writes the place of each entry among those of its warp, and how many entries
 * of the warp each expert has: counts[warp][expert], zeroed. */
__device__ inline void count_by_warp(const experts_rank &g, const int *experts,
                                     unsigned *counts, unsigned *places) {
    const experts_shape &s = g.shape;
    const unsigned all = s.tokens * s.top, own = g.tokens * s.top;
    const count_range range(all);
    unsigned *const count = counts + threadIdx.x / 32 * s.experts;
    const unsigned lane = threadIdx.x % 32;
    unsigned ahead = range.from + lane < own
                         ? (unsigned)experts[range.from + lane]
                         : ~0u;
    for (unsigned k = range.from + lane; k - lane < range.to; k += 32) {
        const unsigned e = ahead < s.experts ? ahead : ~0u;
        ahead = k + 32 < own && k + 32 < range.to ? (unsigned)experts[k + 32]
                                                  : ~0u;
        const unsigned same = __match_any_sync(~0u, e);
        const unsigned before = __popc(same & ((1u << lane) - 1u));
        const unsigned at = (e < s.experts ? count[e] : 0) + before;
        __syncwarp();
        if (e < s.experts && before == 0) {
            count[e] = at + __popc(same);
        }
        __syncwarp();
        if (k < all) {
            places[k] = e < s.experts ? e << EXPERTS_PLACE_BITS | at
                                      : EXPERTS_NOWHERE;
        }
    }
}

/* Replaces the counts of each warp by the sums of the warps before, and tells
 * all ranks the sums of all. */
__device__ inline void count_before(const experts_rank &g, unsigned *counts) {
    const experts_shape &s = g.shape;
    for (unsigned e = threadIdx.x; e < s.experts; e += EXPERTS_THREADS) {
        unsigned sum = 0;
        for (unsigned w = 0; w < COUNT_WARPS; ++w) {
            const unsigned own = counts[w * s.experts + e];
            counts[w * s.experts + e] = sum;
            sum += own;
        }
        for (unsigned r = 0; r < s.ranks; ++r) {
            g.part<unsigned>(r, g.parts.counts)[g.rank * s.experts + e] = sum;
        }
    }
}

/* Writes the final places, and the weights, to all ranks. */
__device__ inline void send_places(const experts_rank &g, const float *weights,
                                   const unsigned *counts) {
    const experts_shape &s = g.shape;
    const unsigned all = s.tokens * s.top, own = g.tokens * s.top;
    const size_t at = (size_t)g.rank * all;
    const count_range range(all);
    const unsigned *const count = counts + threadIdx.x / 32 * s.experts;
    const unsigned *const places =
        g.part<unsigned>(g.rank, g.parts.places) + at;
    for (unsigned k = range.from + threadIdx.x % 32; k < range.to && k < all;
         k += 32) {
        const unsigned p = places[k];
        const unsigned place =
            p == EXPERTS_NOWHERE ? p : p + count[p >> EXPERTS_PLACE_BITS];
        const float weight = k < own ? weights[k] : 0;
        for (unsigned r = 0; r < s.ranks; ++r) {
            g.part<unsigned>(r, g.parts.places)[at + k] = place;
            g.part<float>(r, g.parts.weights)[at + k] = weight;
        }
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

/* One block. */
__global__ void __launch_bounds__(EXPERTS_THREADS)
    experts_count_kernel(const __grid_constant__ experts_rank g,
                         const int *experts, const float *weights) {
    extern __shared__ __align__(16) unsigned char shared[];
    unsigned *const counts = (unsigned *)shared;
    const experts_shape &s = g.shape;
    const unsigned epoch = experts_begin(g, EXPERTS_COUNT);
    if (g.phases & EXPERTS_SEND) {
        for (unsigned k = threadIdx.x; k < COUNT_WARPS * s.experts;
             k += EXPERTS_THREADS) {
            counts[k] = 0;
        }
        __syncthreads();
        count_by_warp(g, experts, counts,
                      g.part<unsigned>(g.rank, g.parts.places) +
                          (size_t)g.rank * s.tokens * s.top);
        __syncthreads();
        if (g.phases == EXPERTS_BOTH) {
            experts_wait_all(g, EXPERTS_COUNT, EXPERTS_READY, epoch);
        }
        count_before(g, counts);
        __syncthreads();
        send_places(g, weights, counts);
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x < s.ranks) {
            store_flag(g.flags(threadIdx.x, EXPERTS_COUNT) + EXPERTS_ARRIVED +
                           g.rank,
                       epoch);
        }
    }
    if (g.phases & EXPERTS_RECEIVE) {
        experts_wait_all(g, EXPERTS_COUNT, EXPERTS_ARRIVED, epoch);
        place_experts(g);
    }
    experts_end(g, EXPERTS_COUNT, epoch);
}

/* Launches the kernel on `stream`.
 *   experts  [tokens][top]; another number than that of an expert is left out
 *   weights  [tokens][top]
 * Afterwards this rank's memory has `first`, the first row of each expert and
 * the end of the last one. Returns an error message, or null. */
inline const char *experts_count(const experts_rank &g, const int *experts,
                                 const float *weights, cudaStream_t stream) {
    const unsigned bytes = 4 * COUNT_WARPS * g.shape.experts;
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
    experts_count_kernel<<<1, EXPERTS_THREADS, bytes, stream>>>(g, experts,
                                                               weights);
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
