/* row_launch.h - launches kernels of rows
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_LAUNCH_H
#define LL_ROW_LAUNCH_H

#include <atomic>

#include "../check.h"
#include "../launch_stream.h"
#include "row_layout.h"
#include "row_refusals.h"

namespace ll_kernels {

/* Returns whether the stream of this thread's launches records a graph. */
inline cudaError_t records_graph(bool *does) {
    cudaError_t err = cudaSuccess;
#if LL_EMULATE
    *does = false;
#else
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    err = cudaStreamIsCapturing(launch_stream(), &status);
    *does = status != cudaStreamCaptureStatusNone;
#endif
    return err;
}

/* The counters of launches, 0 in each GPU's memory from the start: as many as
 * launches that a GPU may have in its queues. */
enum { COUNTERS = 1024, PER_LAUNCH = 16 };
static __device__ unsigned row_counters[COUNTERS * PER_LAUNCH];

/* Sets *count to the counters of a launch with prefetch: the rows that were
 * drawn, for up to 8 alignments, and the clusters that are done. They are 0
 * before and after the launch. Two kinds of launches get no counter (null), and
 * their clusters take rows by turns: launches of short rows, which would draw
 * faster than a counter can count, and launches recorded into a graph, whose
 * copies may run at once. Allocates nothing. Returns an error message, or
 * null. */
inline const char *counter(unsigned **count, unsigned ahead, unsigned n) {
    static std::atomic<unsigned> turn;
    bool in_graph = false;
    *count = nullptr;
    if (!ahead || n < 8192) {
        return nullptr;
    }
    cudaError_t err = records_graph(&in_graph);
    if (err || in_graph) {
        return said(err);
    }
    err = cudaGetSymbolAddress((void **)count, row_counters);
    *count += PER_LAUNCH * (turn++ % COUNTERS) * !err;
    return said(err);
}

/* Sets *held to how many clusters of a kernel run on the GPU at once. Caches
 * the last answer of this thread, for each type of kernel. */
template <class... A>
cudaError_t held_at_once(int *held, void (*kernel)(A...),
                         const cudaLaunchConfig_t &config, unsigned blocks) {
    static thread_local struct {
        void (*kernel)(A...);
        size_t bytes;
        unsigned threads, blocks;
        int gpu, held;
    } last;
    int gpu = 0;
    cudaError_t err = cudaGetDevice(&gpu);
    if (!err && (last.kernel != kernel || last.gpu != gpu ||
                 last.bytes != config.dynamicSmemBytes ||
                 last.threads != config.blockDim.x || last.blocks != blocks)) {
#if LL_EMULATE
        *held = 8;
#else
        cudaLaunchConfig_t one = config;
        one.numAttrs = 1;
        err = cudaOccupancyMaxActiveClusters(held, kernel, &one);
#endif
        if (err) {
            return err;
        }
        last = {kernel, config.dynamicSmemBytes, config.blockDim.x, blocks, gpu,
                *held};
    }
    *held = last.held;
    return err;
}

/* Launches a kernel with clusters. Returns an error message, or null.
 *   clusters  set to the number of clusters launched
 *   bytes     dynamic shared memory
 *   fit       if not 0: launch at most as many clusters as run at once, and a
 *             multiple of `fit`
 *   blocks    blocks per cluster */
template <class... A>
const char *launch_some(unsigned *clusters, unsigned bytes, unsigned fit,
                        void (*kernel)(A...), unsigned grid, unsigned threads,
                        unsigned blocks, A... arguments) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {dim3(grid),       dim3(threads), bytes,
                                 launch_stream(), &cluster,      blocks > 1};
    cudaError_t err = cudaSuccess;
    if (blocks > 8) {
        err = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    if (!err && bytes > 16 << 10) { /* with static memory, more than 48 KiB */
        err = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    }
    if (!err && fit) {
        int held = 0;
        err = held_at_once(&held, kernel, config, blocks);
        const unsigned most = held < (int)fit ? fit : held / fit * fit;
        config.gridDim.x = grid / blocks < most ? grid : most * blocks;
    }
    *clusters = config.gridDim.x / blocks;
    return said(err ? err : cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <class... A>
const char *launch(void (*kernel)(A...), unsigned grid, unsigned threads,
                   unsigned blocks, A... arguments) {
    unsigned clusters;
    return launch_some(&clusters, 0, 0, kernel, grid, threads, blocks,
                       arguments...);
}

/* Launches a kernel that may start while the preceding kernel still runs; the
 * kernel waits for it by griddepcontrol. */
template <class... A>
const char *launch_early(void (*kernel)(A...), unsigned grid, unsigned threads,
                         A... arguments) {
    cudaLaunchAttribute next = {};
    next.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    next.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {dim3(grid),       dim3(threads), 0,
                                       launch_stream(), &next,         1};
    return said(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/* How a kernel processes rows of n elements.
 *   rings     prefetched matrices
 *   most      largest number of clusters
 *   alike     all rows of a cluster must have the same alignment
 *   clusters  if not null: set to the number of clusters
 *   drawn     the kernel has SAME_ALIGNMENT
 *   more      further bytes of dynamic shared memory */
struct row_launch {
    unsigned rows, n, rings = 1, most = ~0u;
    bool alike = false;
    unsigned *clusters = nullptr;
    bool drawn = false;
    unsigned more = 0;
};

/* Launches `whole` if rows fill the tile of a cluster, else `some`, with the
 * rows, their counter and `arguments`. Short rows without a counter have the
 * same alignment, so that weights stay in registers. Returns an error message,
 * or null. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          class... A>
const char *launch_rows(void (*whole)(unsigned, unsigned, unsigned *, A...),
                        void (*some)(unsigned, unsigned, unsigned *, A...),
                        const row_launch &x, A... arguments) {
    constexpr unsigned tile = PER_LANE * WARPS * 32 * CLUSTER_BLOCKS,
                       wide = 16 / sizeof(ELEMENT);
    constexpr bool all = PER_LANE == power_from(PER_LANE);
    const bool fits = all && x.n == tile && x.rows % ROWS_PER_BLOCK == 0;
    const bool alike = !fits && (x.alike || x.drawn || x.n < 8192);
    const unsigned groups = (x.rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    unsigned *count = nullptr, clusters;
    /* Blocks of a part that is no power of two have no room for all of it. */
    const char *bad = misfit(x.rows, x.n, tile - (!all && x.n == tile),
                             all ? wide : 128 / sizeof(ELEMENT));
    bad = bad ? bad : counter(&count, x.alike && !fits ? 0 : PREFETCH, x.n);
    return bad ? bad
               : launch_some(x.clusters ? x.clusters : &clusters,
                             x.rings * ring(PER_LANE * sizeof(ELEMENT),
                                            WARPS * ROWS_PER_BLOCK, PREFETCH) +
                                 x.more,
                             PREFETCH == 0 && !(x.drawn && !fits) ? 0
                             : alike                              ? wide
                                                                  : 1,
                             fits ? whole : some,
                             (groups < x.most ? groups : x.most) *
                                 CLUSTER_BLOCKS,
                             32 * WARPS * ROWS_PER_BLOCK, CLUSTER_BLOCKS,
                             x.rows, x.n, count, arguments...);
}

} // namespace ll_kernels

#endif
