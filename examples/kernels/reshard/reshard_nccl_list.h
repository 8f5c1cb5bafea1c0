/* reshard_nccl_list.h - lists what a plan of chunks for all peers starts.
 * SPDX-License-Identifier: MIT
 *
 * Chunks are messages, or, if the staging memory of all ranks is in windows,
 * kernels push them there. Then the receiver copies a chunk to its place while
 * the next one is pushed, and nothing is packed on the sender. The two halves
 * of the staging memory alternate between calls: a rank that pushes the next
 * call's first chunk does not wait until its peers have copied the last one.
 *
 * Or kernels pack chunks, and copy engines copy them there or, if a chunk is
 * one piece and dst is in a window, to its place. They are faster than stores
 * of kernels, but a chunk must be packed before.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_LIST_H
#define LL_EXAMPLE_RESHARD_NCCL_LIST_H

#include "reshard_nccl_direct.h"

namespace ll_kernels {

/* Returns the staging memory of chunk c of a message to a rank (way 0), or from
 * it (1). */
inline char *nccl_slot(const nccl_run &r, const nccl_chunked &x, unsigned way,
                       unsigned rank, unsigned c) {
    const size_t size = x.job.plan.bits / 8u;
    return r.staging + ((((size_t)way * r.t->ranks + rank) << x.bits) +
                        ((size_t)c << (x.bits - x.steps))) *
                           size;
}

/* The same in the staging memory of a peer, for what this rank pushes there. */
inline char *nccl_far_slot(const nccl_run &r, const nccl_chunked &x,
                           unsigned peer, unsigned c) {
    return r.peer_staging[peer] +
           (nccl_slot(r, x, 0, r.t->rank, c) - r.staging);
}

/* Adds a message of a chunk to its group. place: of its pieces in a memory of
 * the far side, here or at the peer, or null if they are not sent in place. */
inline void nccl_add_pieces(const nccl_chunked &x, std::vector<nccl_pair> *all,
                            unsigned peer, const char *staged,
                            const char *place, bool here, bool goes) {
    const size_t size = x.job.plan.bits / 8u;
    const bool some = nccl_in_place(x);
    const unsigned pieces = some ? nccl_pieces(x) : 0u;
    const size_t bytes = size << (x.bits - x.steps - pieces);
    for (unsigned k = 0; k >> pieces == 0; ++k) {
        const size_t at = nccl_spread_bits(k << x.run, x.mask & ~x.chunk);
        const char *const from =
            some && here ? place + at * size : staged + k * bytes;
        all->push_back(goes ? nccl_pair{peer, from, nullptr, bytes, 0}
                            : nccl_pair{peer, nullptr, from, 0, bytes});
    }
}

/* Are chunks copied to their places in the arrays of peers? */
inline bool nccl_copies_in_place(const nccl_run &r) {
    return r.list.means == NCCL_COPIES && r.peer_dst[0] &&
           !nccl_pieces(r.list.how);
}

/* Adds what a copy engine copies to a peer. */
inline void nccl_add_copy(const nccl_run &r, const nccl_chunked &x,
                          nccl_stage *s, unsigned peer, unsigned c) {
    const size_t size = x.job.plan.bits / 8u;
    const unsigned part = nccl_spread_bits(c, x.chunk);
    unsigned base = 0;
    if (nccl_reaches(x, r.t->rank, peer, &base)) {
        const char *const to = nccl_copies_in_place(r)
                                   ? r.peer_dst[peer] + (base ^ part) * size
                                   : nccl_far_slot(r, x, peer, c);
        s->pairs.push_back({peer, nccl_slot(r, x, 1, peer, c), to,
                            size << (x.bits - x.steps), 0});
    }
}

/* Adds a chunk's messages with a peer. staged: of the rows on the far side,
 * which are at `place` in the array here; or null. */
inline void nccl_add_messages(const nccl_run &r, const nccl_chunked &x,
                              nccl_stage *s, unsigned peer, unsigned c,
                              const char *staged, const char *place) {
    const bool push = x.job.push;
    unsigned unused = 0;
    if (nccl_reaches(x, r.t->rank, peer, &unused)) { /* packs or unpacks */
        nccl_add_pieces(x, &s->pairs, peer, nccl_slot(r, x, !push, peer, c),
                        nullptr, false, push);
    }
    if (place) {
        nccl_add_pieces(x, &s->pairs, peer, staged, place, true, !push);
    }
}

/* Adds what a chunk passes to a peer, and its rows. */
inline void nccl_add_peer(const nccl_run &r, const nccl_chunked &x,
                          nccl_stage *s, nccl_rows *rows, unsigned peer,
                          unsigned c) {
    const size_t size = x.job.plan.bits / 8u;
    const unsigned part = nccl_spread_bits(c, x.chunk);
    const bool push = x.job.push, sends = r.list.means == NCCL_MESSAGES;
    unsigned base = 0;
    const bool far = nccl_reaches(x, peer, r.t->rank, &base);
    const char *const memory = push ? r.dst : r.src;
    const char *const place = far ? memory + (base ^ part) * size : nullptr;
    char *const staged = nccl_slot(r, x, push && sends, peer, c);
    if (sends) {
        nccl_add_messages(r, x, s, peer, c, staged, place);
    } else if (r.list.means == NCCL_COPIES) {
        nccl_add_copy(r, x, s, peer, c);
    }
    if (far && !(sends ? nccl_in_place(x) : nccl_copies_in_place(r))) {
        rows->staged[rows->n] = (unsigned char *)staged;
        rows->strided[rows->n++] = (unsigned char *)(size_t)place;
    }
}

/* Adds the kernels of a chunk: one for all ranks if what stays is one piece
 * too, else one for each peer. */
inline void nccl_add_tiles(const nccl_run &r, const nccl_chunked &x,
                           nccl_stage *s, unsigned c) {
    const unsigned me = r.t->rank, size = x.job.plan.bits / 8u;
    const bool all = !nccl_pieces(x), push = x.job.push;
    const unsigned packed = !push || r.list.means == NCCL_COPIES;
    unsigned base = 0;
    for (unsigned k = 0; k < (all ? 1u : r.t->ranks); ++k) {
        const bool at = all || (k != me && nccl_reaches(x, me, k, &base));
        reshard_move m = nccl_tiles_of(x, me, all ? RESHARD_RANKS : k, c);
        for (unsigned peer = 0; peer < r.t->ranks; ++peer) {
            m.far[peer] =
                (unsigned char *)(r.list.means == NCCL_PUSHES
                                      ? nccl_far_slot(r, x, peer, c)
                                      : nccl_slot(r, x, packed, peer, c));
        }
        if (nccl_reaches(x, me, me, &base)) {
            m.far[me] = (unsigned char *)(size_t)(push ? r.dst : r.src) +
                        (size_t)(base ^ nccl_spread_bits(c, x.chunk)) * size;
        }
        m.near = (unsigned char *)(size_t)(push ? r.src : r.dst);
        if (at) {
            s->tiles.push_back(m);
        }
    }
}

/* Returns the best job of a plan with chunks; not good if there is none. */
inline nccl_chunked nccl_chosen(const ragged_plan &g, unsigned steps,
                                unsigned way) {
    const ll_reshard &p = g.plan;
    const reshard_job pull = {p, reshard_pull_tile(p, 16384), false};
    const reshard_job push =
        reshard_job_of(g.from, g.to, p.bits, p.topology, 16384);
    nccl_chunked a = nccl_chunked_of(push, steps);
    nccl_chunked b = nccl_chunked_of(pull, steps);
    a.good = push.push && nccl_can_run(a) && a.bits == p.message &&
             way != NCCL_UNPACKS;
    b.good = nccl_can_run(b) && b.bits == p.message && way != NCCL_PACKS;
    const bool worse = a.good && b.good &&
                       (nccl_in_place(b) != nccl_in_place(a)
                            ? nccl_in_place(b)
                            : nccl_pieces(b) <= nccl_pieces(a));
    return a.good && !worse ? a : b;
}

/* Is chunk c the first of a group? Each group costs some microseconds, but the
 * first packing and the last unpacking are not hidden. So groups grow from one
 * chunk at the beginning, if there is something to pack, to several, and shrink
 * to one at the end, if there is something to unpack. */
inline bool nccl_begins_group(const nccl_chunked &x, unsigned c, bool equal) {
    const bool before = x.job.push || !nccl_in_place(x);
    const bool after = !x.job.push || !nccl_in_place(x);
    const unsigned all = 1u << x.steps, left = all - c;
    const unsigned n = !after || (before && c <= left) ? c : left;
    return equal || !c || !(n & (n - 1u));
}

/* Adds chunk c to what is started. */
inline void nccl_add_chunk(nccl_run *r, const nccl_chunked &x, unsigned c,
                           bool equal) {
    nccl_rows rows = nccl_rows_of(x);
    if (nccl_begins_group(x, c, equal)) {
        r->list.stage.push_back(nccl_stage{});
    }
    nccl_stage *const s = &r->list.stage.back();
    nccl_add_tiles(*r, x, s, c);
    for (unsigned d = 1; d < r->t->ranks; ++d) {
        nccl_add_peer(*r, x, s, &rows, r->t->rank ^ d, c);
    }
    if (rows.n) {
        s->rows.push_back(rows);
    }
}

/* Is a plan executed one message after the other? */
inline bool nccl_needs_rounds(const nccl_run &r) {
    const ll_reshard &p = r.g->plan;
    return r.is_ragged || p.sum || p.copies || p.chunk < p.message;
}

/* Can a kernel push, or pack for copy engines? Pieces have at least 512 bytes,
 * since rows are copied. */
inline bool nccl_can_push(const nccl_run &r, const nccl_chunked &x) {
    const size_t bytes = (size_t)(x.job.plan.bits / 8u) << x.run;
    return r.peer_staging[0] && x.good && x.job.push &&
           bytes >= (size_t)NCCL_ROW;
}

/* A number of the plan and of the staging memory of all ranks. */
inline unsigned long long nccl_number(const nccl_run &r) {
    unsigned long long h = ragged_number(r.g);
    for (unsigned k = 0; k < r.t->ranks; ++k) {
        const unsigned long long place = r.w->places[k].staging;
        h = ranks_mix(h, &place, sizeof place);
    }
    return h ? h : 1;
}

/* Returns what is fastest between two H200 (bench/notes/reshard.md): by what
 * chunks move if the staging memory is in windows, and their steps. Chunks of
 * messages pay if these are large and NCCL knows the memory. */
inline unsigned nccl_default_means(const ll_reshard &p) {
    const size_t bytes = (size_t)(p.bits / 8u) << p.message;
    return bytes < (size_t)NCCL_LARGE ? NCCL_PUSHES : NCCL_COPIES;
}

inline unsigned nccl_default_steps(const nccl_run &r, unsigned means) {
    const ll_reshard &p = r.g->plan;
    const size_t bytes = (size_t)(p.bits / 8u) << p.message;
    if (means == NCCL_PUSHES) {
        return bytes < (size_t)NCCL_LARGE / 8u ? 0u : 1u;
    }
    const bool known =
        means == NCCL_COPIES || nccl_is_registered(r.w, r.staging);
    return bytes < (size_t)NCCL_LARGE || !known ? 0u : 2u;
}

/* Lists chunks that move by some means. Lists nothing if they cannot. */
inline void nccl_list_chunks(nccl_run *r, unsigned steps, unsigned way,
                             bool equal, unsigned means) {
    const unsigned me = r->t->rank;
    const bool sent = means == NCCL_MESSAGES;
    const unsigned all = !reshard_crosses(r->g->plan) ? 0u
                         : steps == NCCL_ANY_STEPS
                             ? nccl_default_steps(*r, means)
                             : steps;
    const nccl_chunked x =
        nccl_chosen(*r->g, all, sent ? way : (unsigned)NCCL_PACKS);
    unsigned base = 0;
    r->list = nccl_list{};
    r->list.how = x;
    r->list.means = means;
    r->list.number = means == NCCL_PUSHES ? nccl_number(*r) : 0;
    if (!x.good || (!sent && !nccl_can_push(*r, x))) {
        return;
    }
    for (unsigned c = 0; c >> x.steps == 0; ++c) {
        nccl_add_chunk(r, x, c, equal || means == NCCL_COPIES);
    }
    if (nccl_pieces(x) && nccl_reaches(x, me, me, &base)) {
        reshard_move m = nccl_tiles_of(x, me, me, 1u << x.steps);
        m.far[me] = (unsigned char *)(size_t)(x.job.push ? r->dst : r->src);
        m.near = (unsigned char *)(size_t)(x.job.push ? r->src : r->dst);
        r->list.own.push_back(m);
    }
}

/* Plans how a run executes.
 *   steps  2^steps chunks of a message
 *   way    which side has the kernel, of messages
 *   equal  each chunk is a group
 *   means  by what data moves
 * If the plan cannot be executed so, nothing is listed. */
inline void nccl_plan(nccl_run *r, unsigned steps = NCCL_ANY_STEPS,
                      unsigned way = NCCL_ANY_WAY, bool equal = false,
                      unsigned means = NCCL_ANY_MEANS) {
    const bool any = means == NCCL_ANY_MEANS, rounds = nccl_needs_rounds(*r);
    const unsigned first = nccl_default_means(r->g->plan);
    r->list = nccl_list{};
    r->direct = nccl_direct{};
    if (means == NCCL_DIRECT || (any && steps == NCCL_ANY_STEPS)) {
        nccl_plan_direct(r);
    }
    if (r->direct.good || r->near) {
        return;
    }
    r->reads = rounds && any && r->peer_src[0];
    for (unsigned k = NCCL_PUSHES; k <= NCCL_MESSAGES && !rounds; ++k) {
        const bool asked = any ? k == first || k == NCCL_MESSAGES : k == means;
        if (asked && r->list.stage.empty()) {
            nccl_list_chunks(r, steps, way, equal, k);
        }
    }
}

/* Starts kernels of a list. */
template <template <class> class PAIRS>
void nccl_start_tiles(const nccl_chunked &x,
                      const std::vector<reshard_move> &all, cudaStream_t s) {
    const unsigned size = x.job.plan.bits / 8u;
    for (const reshard_move &m : all) {
        (size == 1u   ? nccl_tiled<unsigned char, PAIRS>
         : size == 2u ? nccl_tiled<unsigned short, PAIRS>
         : size == 4u ? nccl_tiled<unsigned, PAIRS>
         : size == 8u ? nccl_tiled<uint2, PAIRS>
                      : nccl_tiled<uint4, PAIRS>)(m, x.job.tile, x.job.push, s);
    }
}

/* Moves what a list pushes and what comes to the other half of the staging
 * memory, whose first half it names. */
inline void nccl_use_half(const nccl_run &r, unsigned half, nccl_stage *s) {
    const nccl_chunked &x = r.list.how;
    const size_t more = nccl_slot(r, x, half, 0, 0) - nccl_slot(r, x, 0, 0, 0);
    for (reshard_move &m : s->tiles) {
        for (unsigned peer = 0; peer < r.t->ranks; ++peer) {
            m.far[peer] += peer == r.t->rank ? 0u : more;
        }
    }
    for (nccl_rows &rows : s->rows) {
        for (unsigned k = 0; k < rows.n; ++k) {
            rows.staged[k] += more;
        }
    }
}

/* Begins a list. Before kernels or copy engines write to peers, all ranks meet;
 * not if the last call pushed the same plan, and so to the other half. */
inline int nccl_begin_list(nccl_run &r, cudaStream_t stream) {
    nccl_wire *const w = r.w;
    const bool sends = r.list.means == NCCL_MESSAGES;
    const bool again = r.list.number && w->staged == r.list.number;
    cudaStreamWaitEvent(stream, w->moved, 0);
    int err = nccl_begin(r, stream);
    if (!sends && !again) {
        err = err ? err : nccl_start_meeting(r, w->packs);
    }
    w->half = again ? 1u - w->half : 0u;
    w->staged = r.list.number;
    return err;
}

/* Passes a stage to the peers, after the packing and before the unpacking that
 * are started later. */
inline int nccl_pass_stage(const nccl_run &r, const nccl_stage &s) {
    nccl_wire *const w = r.w;
    int err = RANKS_OK;
    if (r.list.means == NCCL_MESSAGES) {
        return nccl_pass_group(w, s.pairs);
    }
    cudaEventRecord(w->packed, w->packs);
    cudaStreamWaitEvent(w->stream, w->packed, 0);
    for (const nccl_pair &x : s.pairs) {
        if (!err && cudaMemcpyAsync((void *)(size_t)x.comes, x.goes, x.out,
                                    cudaMemcpyDeviceToDevice, w->stream)) {
            err = RANKS_LOST;
        }
    }
    err = err ? err : nccl_start_meeting(r, w->stream);
    cudaEventRecord(w->arrived, w->stream);
    cudaStreamWaitEvent(w->unpacks, w->arrived, 0);
    return err;
}

/* Starts the list of nccl_plan: group k is packed or pushed while group k - 1
 * is sent and group k - 2 unpacked. */
template <template <class> class PAIRS>
int nccl_start_list(nccl_run &r, cudaStream_t stream) {
    const nccl_list &list = r.list;
    const bool push = list.how.job.push;
    int err = nccl_begin_list(r, stream);
    for (size_t k = 0; k < list.stage.size() && !err; ++k) {
        nccl_stage s = list.stage[k];
        nccl_use_half(r, list.means == NCCL_PUSHES ? r.w->half : 0u, &s);
        if (push) {
            nccl_start_tiles<PAIRS>(list.how, s.tiles, r.w->packs);
        }
        for (size_t n = 0; n < s.rows.size() && !push; ++n) {
            nccl_start_rows(s.rows[n], true, r.w->packs);
        }
        err = nccl_pass_stage(r, s);
        if (!push) {
            nccl_start_tiles<PAIRS>(list.how, s.tiles, r.w->unpacks);
        }
        for (size_t n = 0; n < s.rows.size() && push; ++n) {
            nccl_start_rows(s.rows[n], false, r.w->unpacks);
        }
        if (k == 0) { /* behind the first packing */
            nccl_start_tiles<PAIRS>(list.how, list.own, r.w->stays);
        }
    }
    const int end = nccl_end(r, stream);
    cudaEventRecord(r.w->moved, stream);
    return err ? err : end;
}

} // namespace ll_kernels

#endif
