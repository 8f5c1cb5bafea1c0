/* reshard_nccl_run.h - a plan in progress on a rank: its messages and
 * streams.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_RUN_H
#define LL_EXAMPLE_RESHARD_NCCL_RUN_H

#include "reshard_nccl_chunks.h"
#include "reshard_nccl_wire.h"

namespace ll_kernels {

/* The type of partial sums. */
enum { NCCL_NO_SUMS, NCCL_BF16, NCCL_F16, NCCL_F32 };

/* Steps: log2 of the chunks of a message, or what is measured to be fastest. Of
 * messages one by one: halvings that leave 16 MiB to the first chunk, at most
 * 4. */
enum { NCCL_ANY_STEPS = 32 };

/* By what data moves, or the fastest that can:
 *   DIRECT    one kernel between the arrays
 *   PUSHES    kernels push into the staging memory of the peers
 *   COPIES    copy engines copy there what kernels packed, or to the arrays
 *   MESSAGES  NCCL's */
enum { NCCL_ANY_MEANS, NCCL_DIRECT, NCCL_PUSHES, NCCL_COPIES, NCCL_MESSAGES };

/* No known pairs of shardings: the kernel for any order unpacks. */
template <class T> struct nccl_no_pairs {
    static constexpr unsigned N = 1, BITS = 0;
    LL_FN reshard_job of(unsigned) {
        reshard_job none = {};
        none.tile.err = LL_RESHARD_ETILE;
        return none;
    }
};

/* A part of a group: what goes to a peer, and what comes. */
struct nccl_pair {
    unsigned peer;
    const char *goes, *comes;
    size_t out, in;
};

/* Chunks that are sent together: the kernels of their tiles, the rows on the
 * other side, and their group. */
struct nccl_stage {
    std::vector<reshard_move> tiles;
    std::vector<nccl_rows> rows;
    std::vector<nccl_pair> pairs;
};

/* What a plan of chunks starts, in order.
 *   means   NCCL_PUSHES, NCCL_COPIES or NCCL_MESSAGES
 *   number  of the plan and of all ranks' staging memory, if kernels push
 *   own     what stays */
struct nccl_list {
    nccl_chunked how;
    unsigned means;
    unsigned long long number;
    std::vector<reshard_move> own;
    std::vector<nccl_stage> stage;
};

/* The kernel of reshard_nccl_direct.h that moves everything, if `good`. */
struct nccl_direct {
    bool good;
    reshard_job job;
    reshard_move move;
};

/* A plan in progress on a rank. peer_src, peer_dst, peer_staging: the addresses
 * at which this rank's kernels reach the memory of all ranks, or null. */
struct nccl_run {
    transport *t;
    nccl_wire *w;
    const ragged_plan *g;
    const char *src;
    char *dst, *staging;
    const void *const *near; /* the src of each rank, null if far; or null */
    bool reads;              /* kernels read the src of some peers */
    bool is_ragged;
    unsigned sums, parts, buffer;
    ragged_memory from, to;
    ll_reshard_tile tile;
    nccl_list list;     /* of nccl_plan, or empty */
    nccl_direct direct; /* of nccl_plan */
    char *peer_src[RESHARD_RANKS], *peer_dst[RESHARD_RANKS];
    char *peer_staging[RESHARD_RANKS];
};

/* Returns the memory of a rank, or null if only messages reach it. */
inline const char *nccl_memory(const nccl_run &r, unsigned rank) {
    return rank == r.t->rank ? r.src
           : r.near          ? (const char *)r.near[rank]
           : r.reads         ? r.peer_src[rank]
                             : nullptr;
}

/* Returns the run with the memory of another rank as its source. */
inline nccl_run nccl_beside(nccl_run r, unsigned rank) {
    r.src = nccl_memory(r, rank);
    r.from = ragged_before(r.g, rank);
    return r;
}

/* Returns whether everything that a rank sends is staged at once. */
inline bool nccl_fits_staging(const ll_reshard &p) {
    return p.chunk == p.message &&
           ll_reshard_rounds(p) >> ll_popcount_(p.sum) <= 1u + !p.sum;
}

/* Returns the bytes of staging memory that nccl_reshard needs for sent and
 * received data, with two halves if not everything is staged at once. */
inline size_t nccl_staging(const ll_reshard &p) {
    const size_t one = (size_t)(p.bits / 8u) << p.chunk;
    const size_t slow =
        (one << ll_popcount_(p.sum)) * (nccl_fits_staging(p) ? 2u : 4u);
    const size_t quick = one << (1u + ll_shape_bits_(&p.mesh));
    return p.chunk == p.message && !p.sum && !p.copies && quick > slow ? quick
                                                                       : slow;
}

template <class T, template <class> class PAIRS>
void nccl_tiled(const reshard_move &m, const ll_reshard_tile &t, bool push,
                cudaStream_t stream) {
    reshard_launch<T, PAIRS<T>>(m, t, push, stream);
}

/* Sends and receives as one group, after the packing and before the unpacking
 * that are started later. */
inline int nccl_pass_group(nccl_wire *w, const std::vector<nccl_pair> &pairs) {
    cudaEventRecord(w->packed, w->packs);
    cudaStreamWaitEvent(w->stream, w->packed, 0);
    ncclResult_t err = w->comm ? ncclGroupStart() : ncclInvalidUsage;
    for (const nccl_pair &x : pairs) {
        w->out += x.out;
        if (!err && x.out) {
            err = ncclSend(x.goes, x.out, ncclUint8, (int)x.peer, w->comm,
                           w->stream);
        }
        if (!err && x.in) {
            err = ncclRecv((void *)(size_t)x.comes, x.in, ncclUint8,
                           (int)x.peer, w->comm, w->stream);
        }
    }
    err = err ? err : ncclGroupEnd();
    cudaEventRecord(w->arrived, w->stream);
    cudaStreamWaitEvent(w->unpacks, w->arrived, 0);
    return err ? RANKS_LOST : RANKS_OK;
}

/* Makes the streams wait for `stream` (begin), or `stream` wait for all of
 * them. */
inline void nccl_join_streams(nccl_wire *w, cudaStream_t stream, bool begin) {
    const cudaStream_t all[] = {w->stream, w->packs, w->unpacks, w->stays};
    cudaEventRecord(w->begin, stream);
    for (const cudaStream_t s : all) {
        if (begin) {
            cudaStreamWaitEvent(s, w->begin, 0);
        } else {
            cudaEventRecord(w->end, s);
            cudaStreamWaitEvent(stream, w->end, 0);
        }
    }
}

/* Makes the streams wait until the peers' data can be read. */
inline int nccl_begin(const nccl_run &r, cudaStream_t stream) {
    nccl_join_streams(r.w, stream, true);
    const int err = r.reads ? nccl_barrier(r.w, r.t->ranks) : RANKS_OK;
    cudaEventRecord(r.w->begin, r.w->stream);
    cudaStreamWaitEvent(r.w->packs, r.w->begin, 0);
    cudaStreamWaitEvent(r.w->stays, r.w->begin, 0);
    return err;
}

/* Makes `stream` wait until all streams are done and no peer reads this rank's
 * memory. */
inline int nccl_end(const nccl_run &r, cudaStream_t stream) {
    nccl_join_streams(r.w, r.w->stream, false);
    const int err = r.reads ? nccl_barrier(r.w, r.t->ranks) : RANKS_OK;
    cudaEventRecord(r.w->end, r.w->stream);
    cudaStreamWaitEvent(stream, r.w->end, 0);
    return err;
}

/* Returns the argument of nccl_start. sums: type of partial sums; near: see
 * nccl_run. */
inline nccl_run nccl_run_of(transport *t, const ragged_plan *g, const void *src,
                            void *dst, void *staging, unsigned sums,
                            const void *const *near = nullptr) {
    const ragged full = ragged_of(g->from.out);
    nccl_run r = {};
    r.t = t;
    r.w = (nccl_wire *)t->self;
    r.g = g;
    r.src = (const char *)src;
    r.dst = (char *)dst;
    r.staging = (char *)staging;
    r.near = near;
    r.reads = near != nullptr;
    r.sums = sums;
    r.parts = 1u << ll_popcount_(g->plan.sum);
    r.is_ragged = memcmp(&full, &g->sizes, sizeof full) != 0;
    r.from = ragged_before(g, t->rank);
    r.to = ragged_after(g, t->rank);
    r.tile = reshard_pull_tile(g->plan, 16384);
    return r;
}

} // namespace ll_kernels

#endif
