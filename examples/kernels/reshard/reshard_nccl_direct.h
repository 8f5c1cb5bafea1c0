/* reshard_nccl_direct.h - the kernels of reshard.h in windows of NCCL.
 * SPDX-License-Identifier: MIT
 *
 * If all ranks are GPUs of one host and the arrays lie in windows, one kernel
 * moves everything: it packs straight into the memory of the peers, or reads
 * theirs. It waits for the kernels of the peers by flags in a window, so it
 * needs no message. A kernel ends when no peer touches this rank's memory any
 * more. Calls of a wire run one after the other on any streams; all ranks make
 * the same calls in the same order.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_DIRECT_H
#define LL_EXAMPLE_RESHARD_NCCL_DIRECT_H

#include "reshard_nccl_memory.h"
#include "reshard_nccl_run.h"

namespace ll_kernels {

/* Sets this rank's places, which the next nccl_agree tells the others. */
inline void nccl_tell_places(transport *t, const ragged_plan &g,
                             const void *src, const void *dst,
                             const void *staging) {
    nccl_wire *const w = (nccl_wire *)t->self;
    const size_t size = g.plan.bits / 8u;
    w->own = nccl_places{};
    if (!g.plan.err) {
        w->own.src =
            nccl_place(w, src, size * ragged_before(&g, t->rank).elements);
        w->own.dst =
            nccl_place(w, dst, size * ragged_after(&g, t->rank).elements);
        w->own.staging = nccl_place(w, staging, nccl_staging(g.plan));
    }
}

/* Sets the addresses of a memory of all ranks, or null if one has no window. */
inline bool nccl_find(const nccl_run &r, unsigned long long nccl_places::*place,
                      char **at) {
    bool all = true;
    for (unsigned k = 0; k < r.t->ranks; ++k) {
        at[k] = nccl_address_of(r.w, k, r.w->places[k].*place);
        all = all && at[k];
    }
    for (unsigned k = 0; k < r.t->ranks && !all; ++k) {
        at[k] = nullptr;
    }
    return all;
}

/* Sets the addresses of the peers' memory after nccl_agree; all ranks call it.
 */
inline void nccl_find_peers(nccl_run *r) {
    bool some = nccl_find(*r, &nccl_places::src, r->peer_src);
    some = nccl_find(*r, &nccl_places::dst, r->peer_dst) || some;
    some = nccl_find(*r, &nccl_places::staging, r->peer_staging) || some;
    if (some && !nccl_make_flags(r->t)) {
        r->peer_src[0] = r->peer_dst[0] = r->peer_staging[0] = nullptr;
    }
}

/* Returns the job that the windows allow: to push, or else to pull. Its tile
 * has an error if there is none. */
inline reshard_job nccl_direct_job(const nccl_run &r) {
    const ragged_plan &g = *r.g;
    const ll_reshard &p = g.plan;
    const reshard_job push =
        reshard_job_of(g.from, g.to, p.bits, p.topology, 16384);
    reshard_job pull = {p, reshard_pull_tile(p, 16384), false};
    if (r.peer_dst[0] && push.push && !p.sum && !p.copies) {
        return push;
    }
    if (!r.peer_src[0] || p.err) {
        pull.tile.err = LL_RESHARD_ETILE;
    }
    return pull;
}

/* Sets the flags of all ranks in the argument of a kernel. */
inline void nccl_set_flags(const nccl_run &r, reshard_move *m) {
    const nccl_wire *const w = r.w;
    const unsigned long long flags =
        nccl_place(w, w->flags, RESHARD_FLAGS * sizeof *w->flags);
    for (unsigned k = 0; k < r.t->ranks; ++k) {
        m->flags[k] = (unsigned *)nccl_address_of(w, k, flags);
    }
}

/* Sets the kernel that moves everything, if there is one. */
inline void nccl_plan_direct(nccl_run *r) {
    nccl_direct *const d = &r->direct;
    *d = nccl_direct{};
    if (r->is_ragged || (!r->peer_src[0] && !r->peer_dst[0])) {
        return;
    }
    d->job = nccl_direct_job(*r);
    d->good = !d->job.tile.err;
    if (!d->good) {
        return;
    }
    const bool push = d->job.push;
    d->move = reshard_numbers(d->job.plan, d->job.tile, r->t->rank);
    for (unsigned k = 0; k < r->t->ranks; ++k) {
        d->move.far[k] =
            (unsigned char *)(push ? r->peer_dst[k] : r->peer_src[k]);
    }
    nccl_set_flags(*r, &d->move);
    d->move.near = (unsigned char *)(size_t)(push ? r->src : r->dst);
    d->move.wait = 1;
}

/* Starts the kernel: the instance for a known pair, or for partial sums the one
 * that adds them. */
template <template <class> class PAIRS>
void nccl_launch_direct(const nccl_run &r, const reshard_move &m,
                        cudaStream_t s) {
    const reshard_job &j = r.direct.job;
    const unsigned size = j.plan.bits / 8u;
    typedef nccl_no_pairs<unsigned short> two;
    typedef nccl_no_pairs<unsigned> four;
    r.sums == NCCL_BF16
        ? (void)reshard_launch<unsigned short, two, reshard_bf16>(m, j.tile,
                                                                  false, s)
    : r.sums == NCCL_F16
        ? (void)reshard_launch<unsigned short, two, reshard_f16>(m, j.tile,
                                                                 false, s)
    : r.sums == NCCL_F32
        ? (void)reshard_launch<unsigned, four, reshard_f32>(m, j.tile, false, s)
    : size == 1u ? nccl_tiled<unsigned char, PAIRS>(m, j.tile, j.push, s)
    : size == 2u ? nccl_tiled<unsigned short, PAIRS>(m, j.tile, j.push, s)
    : size == 4u ? nccl_tiled<unsigned, PAIRS>(m, j.tile, j.push, s)
    : size == 8u ? nccl_tiled<uint2, PAIRS>(m, j.tile, j.push, s)
                 : nccl_tiled<uint4, PAIRS>(m, j.tile, j.push, s);
}

/* Returns the epoch of the next kernel that waits for peers; 0 is none. */
inline unsigned nccl_next_epoch(nccl_wire *w) {
    w->epoch += w->epoch + 1u ? 1u : 2u;
    return w->epoch;
}

/* Waits on the GPU until all ranks are here, and have done what their streams
 * did before. */
__global__ void nccl_meet(const __grid_constant__ reshard_move m) {
    signal_peers(m, 0);
    wait_for_peers(m, 0);
}

/* Starts nccl_meet. The emulator runs one kernel after the other, so a message
 * takes its place. */
inline int nccl_start_meeting(const nccl_run &r, cudaStream_t stream) {
    reshard_move m = {};
    if (LL_EMULATE) {
        return nccl_barrier(r.w, r.t->ranks);
    }
    m.rank = r.t->rank;
    m.ranks = r.t->ranks;
    m.epoch = nccl_next_epoch(r.w);
    nccl_set_flags(r, &m);
    nccl_meet<<<1, 32, 0, stream>>>(m);
    return cudaPeekAtLastError() ? RANKS_LOST : RANKS_OK;
}

/* Starts the kernel of nccl_plan_direct on `stream`, behind the last one of the
 * wire. The emulator runs one kernel after the other, so messages take the
 * place of flags. */
template <template <class> class PAIRS>
int nccl_start_direct(nccl_run &r, cudaStream_t stream) {
    nccl_wire *const w = r.w;
    reshard_move m = r.direct.move;
    const bool crosses = reshard_crosses(r.g->plan);
    int err = LL_EMULATE ? nccl_barrier(w, r.t->ranks) : RANKS_OK;
    m.epoch = crosses && !LL_EMULATE ? nccl_next_epoch(w) : 0u;
    cudaStreamWaitEvent(stream, w->moved, 0);
    nccl_launch_direct<PAIRS>(r, m, stream);
    err = cudaPeekAtLastError() ? RANKS_LOST : err;
    cudaEventRecord(w->moved, stream);
    cudaStreamWaitEvent(w->stream, w->moved, 0);
    return LL_EMULATE && !err ? nccl_barrier(w, r.t->ranks) : err;
}

} // namespace ll_kernels

#endif
