/* reshard_nccl.h - executes a plan of ll_reshard_of between GPUs with NCCL.
 * SPDX-License-Identifier: MIT
 *
 * By the first of these ways that can:
 * 1. One kernel between the arrays of all ranks (reshard_nccl_direct.h), if src
 *    or dst of all ranks is in a window: memory of nccl_get, or the caller's
 *    from ncclMemAlloc after nccl_know (reshard_nccl_memory.h). Windows take
 *    NCCL 2.28 and ranks that are GPUs of one host.
 * 2. Chunks in the staging memory of the peers, if that is in a window on all
 *    ranks: kernels push them there, or copy engines copy what kernels packed
 *    (reshard_nccl_list.h).
 * 3. Messages of chunks (reshard_nccl_chunks.h): one kernel packs a chunk for
 *    all peers, a group sends it, and on the other side nothing is left to do,
 *    or a kernel unpacks it, all on streams of their own.
 * 4. Messages one after the other (reshard_nccl_passes.h), for partial sums,
 *    copies, ragged sizes, and staging memory of less than a message. While one
 *    chunk is sent, the next is packed on a second stream, the preceding one is
 *    unpacked on a third, and local data is moved on a fourth. What a rank can
 *    read in the memory of another takes no message, but a kernel on the fourth
 *    stream.
 *
 * NCCL's stream has the highest priority, since its few blocks wait only for
 * the peer. The host waits when ranks compare their plans and at the end; after
 * a time-out it aborts the communicator. Windows between hosts (NCCL's GIN) are
 * not used.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_H
#define LL_EXAMPLE_RESHARD_NCCL_H

#include "reshard_nccl_list.h"
#include "reshard_nccl_passes.h"

namespace ll_kernels {

/* Starts a plan after the work on `stream`; later work on `stream` and on the
 * wire's stream waits for its end. steps: see nccl_chunks. */
template <template <class> class PAIRS>
int nccl_start(nccl_run &r, cudaStream_t stream, unsigned steps) {
    const ll_reshard &p = r.g->plan;
    unsigned least = 0;
    if (r.direct.good) {
        return nccl_start_direct<PAIRS>(r, stream);
    }
    if (!r.list.stage.empty()) {
        return nccl_start_list<PAIRS>(r, stream);
    }
    for (unsigned k = 0; k < r.tile.bits && !r.tile.err; ++k) {
        for (; r.tile.x[k] >> least; ++least) {}
    }
    r.w->staged = 0;
    const std::vector<nccl_chunk> chunks = nccl_chunks(p, least, steps);
    bool stayed = false;
    int err = nccl_begin(r, stream);
    for (unsigned k = 0; k < ll_reshard_rounds(p) && !err; ++k) {
        const unsigned d = ll_reshard_round(p, k);
        const bool read = !p.sum && nccl_memory(r, r.t->rank ^ d);
        for (size_t n = 0; n < chunks.size() && !err; ++n) {
            if (!(d & p.sum) && !read) {
                err = nccl_passes<PAIRS>(r, d, chunks[n]);
                if (!stayed) { /* behind the first packing */
                    nccl_move_local<PAIRS>(r);
                    stayed = true;
                }
            }
        }
    }
    if (!stayed && !err) {
        nccl_move_local<PAIRS>(r);
    }
    const int end = nccl_end(r, stream);
    return err ? err : end;
}

/* Executes a plan from src to dst, after the work on `stream`, with
 * nccl_staging() bytes of GPU memory. near: for each rank the address at which
 * this rank reads its src, or null if only messages reach it; an empty src has
 * an address too. Two ranks read each other's memory, or neither does. */
template <template <class> class PAIRS = nccl_no_pairs>
int nccl_reshard(transport *t, const ragged_plan *g, const void *src, void *dst,
                 void *staging, cudaStream_t stream,
                 unsigned sums = NCCL_NO_SUMS, unsigned steps = NCCL_ANY_STEPS,
                 const void *const *near = nullptr) {
    const ll_reshard &p = g->plan;
    const bool bad = p.err || 1u << ll_shape_bits_(&p.mesh) != t->ranks ||
                     t->ranks > RESHARD_RANKS ||
                     !p.sum != (sums == NCCL_NO_SUMS);
    if (!bad) {
        nccl_tell_places(t, *g, src, dst, staging);
    }
    int err = t->agree(t, bad ? 0ull : ragged_number(g));
    err = bad ? RANKS_PLAN : err;
    if (!err) {
        nccl_run r = nccl_run_of(t, g, src, dst, staging, sums, near);
        nccl_find_peers(&r);
        nccl_plan(&r, steps);
        err = nccl_start<PAIRS>(r, stream, steps);
    }
    return err ? err : t->finish(t);
}

} // namespace ll_kernels

#endif
