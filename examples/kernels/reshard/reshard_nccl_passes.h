/* reshard_nccl_passes.h - chunks of messages one after the other.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_PASSES_H
#define LL_EXAMPLE_RESHARD_NCCL_PASSES_H

#include "reshard_nccl_maps.h"
#include "reshard_nccl_run.h"
#include <algorithm>

namespace ll_kernels {

struct nccl_chunk {
    size_t at;
    unsigned bits;
};

/* Returns the chunks of a message. If all of it may be staged, the first and
 * the last chunk are 1 / 2^steps of the message and the sizes double towards
 * the middle; otherwise chunks are equal. They have at least 2^least elements.
 */
inline std::vector<nccl_chunk> nccl_chunks(const ll_reshard &p, unsigned least,
                                           unsigned steps) {
    std::vector<nccl_chunk> all;
    const unsigned most = p.message > least ? p.message - least : 0;
    const size_t bytes = (size_t)(p.bits / 8u) << p.message;
    if (steps == NCCL_ANY_STEPS) {
        for (steps = 0; steps < 4 && bytes >> (steps + 1) >= 16u << 20;) {
            ++steps;
        }
    }
    const unsigned u = p.chunk < p.message ? 0 : steps < most ? steps : most;
    const size_t units = (size_t)1 << u;
    for (size_t at = 0; u == 0 && at >> p.message == 0;
         at += (size_t)1 << p.chunk) {
        all.push_back({at, p.chunk});
    }
    for (size_t at = 0; u && at < units;) {
        const size_t left = units - at, n = at < units / 2 ? at : left / 2;
        const unsigned log = n ? ll_log2_(n) : 0;
        all.push_back({at << (p.message - u), p.message - u + log});
        at += (size_t)1 << log;
    }
    return all;
}

/* Returns the staging address of part s of the sent (way 0) or received (1)
 * data. */
inline char *nccl_staged_at(const nccl_run &r, unsigned way, unsigned s,
                            size_t at) {
    const ll_reshard &p = r.g->plan;
    const size_t size = p.bits / 8u, n = (size_t)1 << p.chunk;
    return r.staging + ((r.buffer * 2u + way) * r.parts + s) * size * n +
           (at & (n - 1u)) * size;
}

/* Returns a chunk of a message and its elements that exist. */
inline ragged_chunk nccl_piece(const nccl_run &r, const ll_message &x,
                               const nccl_chunk &c, nccl_sizes *s) {
    ragged_plan g = *r.g;
    g.plan.chunk = c.bits;
    const ragged_chunk piece = ragged_chunk_of(&g, &x, c.at);
    *s = nccl_sizes{piece.elements, g.sizes};
    return piece;
}

/* Packs a chunk that a rank sends, unless it is contiguous. Returns its address
 * and number of elements. */
inline const char *nccl_pack(const nccl_run &r, const ll_message &x,
                             const nccl_chunk &c, char *to, size_t *elements) {
    const ll_reshard &p = r.g->plan;
    const unsigned size = p.bits / 8u;
    nccl_sizes s;
    const ragged_chunk piece = nccl_piece(r, x, c, &s);
    *elements = piece.array.elements;
    if (!r.is_ragged &&
        nccl_is_contiguous(p.source.basis, piece.source, c.bits)) {
        return r.src + (size_t)piece.source * size;
    }
    const nccl_map from = nccl_part(p.source.basis, piece.source, 0, c.bits);
    const nccl_map same = nccl_part(nullptr, 0, 0, c.bits);
    if (!r.is_ragged) {
        nccl_move(to, same, r.src, from, c.bits, size, r.w->packs);
    } else if (piece.array.elements) {
        nccl_ragged(to, nccl_with_weights(same, piece.array), r.src,
                    nccl_with_weights(from, r.from), s, c.bits, size,
                    r.w->packs);
    }
    return to;
}

/* Sets the argument of a kernel of reshard.h that writes a chunk to its places,
 * from the staging memory or from this rank's memory. Returns false if its
 * tiles do not fit the chunk. */
inline bool nccl_tiles(const nccl_run &r, const ll_message &x,
                       const nccl_chunk &c, bool staged, reshard_move *m) {
    const ll_reshard &p = r.g->plan;
    const ll_reshard_tile &t = r.tile;
    const unsigned inputs = ll_shape_bits_(&p.source.in), n = ll_ones_(c.bits);
    const unsigned own = ll_ones_(p.target.out.bits[0]);
    const unsigned far = ll_ones_(p.source.out.bits[0]);
    unsigned base = t.origin, free = t.bits;
    bool good = !t.err && !p.copies;
    *m = reshard_move{};
    m->ranks = 1;
    for (unsigned k = 0; k < inputs && good; ++k) {
        const unsigned v = t.x[k];
        if (v & ~n) {
            good = k >= t.bits;
            base ^= (x.x | (unsigned)c.at) & ll_leading_bit_(v) ? v : 0u;
        } else {
            const unsigned from = ll_apply(p.source, v) ^ p.source.offset;
            const unsigned to = ll_apply(p.target, v) ^ p.target.offset;
            m->bit[k < t.bits ? k : free++] =
                reshard_bit{staged ? v : from & far, 0, to & own};
        }
    }
    m->tiles = free - t.bits;
    m->zero = reshard_bit{staged ? base & n : ll_apply(p.source, base) & far, 0,
                          ll_apply(p.target, base) & own};
    return good;
}

/* Returns the offset of copy number k: the XOR of its columns. */
inline unsigned nccl_copy_of(const ll_reshard &p, unsigned copy) {
    unsigned at = 0;
    for (unsigned k = 0; k < p.copies; ++k) {
        at ^= copy >> k & 1u ? p.copy[k] : 0u;
    }
    return at;
}

/* Writes a chunk to its places, from the staging memory or from this rank's
 * memory. */
template <template <class> class PAIRS>
void nccl_unpack(const nccl_run &r, const ll_message &x, const nccl_chunk &c,
                 const char *from, bool staged, cudaStream_t stream) {
    const ll_reshard &p = r.g->plan;
    const unsigned size = p.bits / 8u;
    nccl_sizes s;
    const ragged_chunk piece = nccl_piece(r, x, c, &s);
    reshard_move m;
    if (!r.is_ragged && nccl_tiles(r, x, c, staged, &m)) {
        m.far[0] = (unsigned char *)(size_t)from;
        m.near = (unsigned char *)r.dst;
        (size == 1u   ? nccl_tiled<unsigned char, PAIRS>
         : size == 2u ? nccl_tiled<unsigned short, PAIRS>
         : size == 4u ? nccl_tiled<unsigned, PAIRS>
         : size == 8u ? nccl_tiled<uint2, PAIRS>
                      : nccl_tiled<uint4, PAIRS>)(m, r.tile, false, stream);
        return;
    }
    const nccl_map at =
        staged ? nccl_part(nullptr, 0, 0, c.bits)
               : nccl_part(p.source.basis, piece.source, 0, c.bits);
    for (unsigned copy = 0; copy < 1u << p.copies; ++copy) {
        const nccl_map there = nccl_part(
            p.target.basis, piece.target ^ nccl_copy_of(p, copy), 0, c.bits);
        if (!r.is_ragged) {
            nccl_move(r.dst, there, from, at, c.bits, size, stream);
        } else if (piece.array.elements) {
            nccl_ragged(r.dst, nccl_with_weights(there, r.to), from,
                        nccl_with_weights(at, staged ? piece.array : r.from), s,
                        c.bits, size, stream);
        }
    }
}

/* Adds up the parts of a chunk at its places. */
inline void nccl_add_parts(const nccl_run &r, const ll_message &x,
                           const nccl_chunk &c, const nccl_parts &parts) {
    const ll_reshard &p = r.g->plan;
    nccl_sizes s;
    const ragged_chunk piece = nccl_piece(r, x, c, &s);
    const nccl_map from =
        nccl_with_weights(nccl_part(nullptr, 0, 0, c.bits), piece.array);
    const unsigned n = nccl_blocks(c.bits);
    const cudaStream_t stream = r.w->unpacks;
    unsigned short *const half = (unsigned short *)r.dst;
    for (unsigned copy = 0; copy < 1u << p.copies; ++copy) {
        const nccl_map to = nccl_with_weights(
            nccl_part(p.target.basis, piece.target ^ nccl_copy_of(p, copy), 0,
                      c.bits),
            r.to);
        r.sums == NCCL_BF16 ? nccl_add<unsigned short, reshard_bf16>
            <<<n, 256, 0, stream>>>(half, to, parts, from, s, c.bits)
        : r.sums == NCCL_F16 ? nccl_add<unsigned short, reshard_f16>
            <<<n, 256, 0, stream>>>(half, to, parts, from, s, c.bits)
                             : nccl_add<unsigned, reshard_f32>
            <<<n, 256, 0, stream>>>((unsigned *)r.dst, to, parts, from, s,
                                    c.bits);
    }
}

/* Packs what a rank sends at distance d as part k. Received data goes straight
 * to its place if that is contiguous and holds no sum, else to staging memory.
 * Data in a peer's memory that this rank reads is packed from there. */
inline nccl_pair nccl_prepare(const nccl_run &r, unsigned d,
                              const nccl_chunk &c, unsigned k) {
    const ll_reshard &p = r.g->plan;
    const size_t size = p.bits / 8u;
    const ll_message from = ll_reshard_message(p, r.t->rank, d);
    const ll_message to = ll_reshard_message(p, r.t->rank ^ d, d);
    const bool near = nccl_memory(r, r.t->rank ^ d) != nullptr;
    nccl_pair x = {r.t->rank ^ d, nullptr, nullptr, 0, 0};
    if (near && from.exists) {
        size_t unused;
        x.comes = nccl_pack(nccl_beside(r, x.peer), from, c,
                            nccl_staged_at(r, 1, k, c.at), &unused);
    }
    if (!near && to.exists) {
        x.goes = nccl_pack(r, to, c, nccl_staged_at(r, 0, k, c.at), &x.out);
    }
    if (!near && from.exists) {
        nccl_sizes unused;
        const ragged_chunk a = nccl_piece(r, from, c, &unused);
        const bool flat = !r.is_ragged && !p.sum && !p.copies &&
                          nccl_is_contiguous(p.target.basis, a.target, c.bits);
        x.in = a.array.elements;
        x.comes = flat ? r.dst + (size_t)a.target * size
                       : nccl_staged_at(r, 1, k, c.at);
    }
    x.out *= size;
    x.in *= size;
    return x;
}

/* Exchanges a chunk of the messages at distance d, for sums at the distances of
 * all parts, as one group. */
inline int nccl_exchange(const nccl_run &r, unsigned d, const nccl_chunk &c,
                         std::vector<nccl_pair> *pairs) {
    const unsigned sum = r.g->plan.sum;
    for (unsigned k = 0, s = 0; k < r.parts; ++k, s = (s - sum) & sum) {
        pairs->push_back(nccl_prepare(r, d ^ s, c, k));
    }
    return nccl_pass_group(r.w, *pairs);
}

/* Packs, exchanges and unpacks a chunk. */
template <template <class> class PAIRS>
int nccl_passes(nccl_run &r, unsigned d, const nccl_chunk &c) {
    const ll_reshard &p = r.g->plan;
    std::vector<nccl_pair> pairs;
    if (!(c.at & ll_ones_(p.chunk))) { /* another half of the staging memory */
        r.buffer = nccl_fits_staging(p) ? 0u : 1u - r.buffer;
        cudaStreamWaitEvent(r.w->packs, r.w->sent[r.buffer], 0);
        cudaStreamWaitEvent(r.w->packs, r.w->unpacked[r.buffer], 0);
        cudaStreamWaitEvent(r.w->stream, r.w->unpacked[r.buffer], 0);
    }
    const int err = nccl_exchange(r, d, c, &pairs);
    const ll_message x = ll_reshard_message(p, r.t->rank, d);
    if (!err && x.exists && p.sum) {
        nccl_parts parts = {r.parts, {nullptr}};
        std::sort(pairs.begin(), pairs.end(),
                  [](const nccl_pair &a, const nccl_pair &b) {
                      return a.peer < b.peer;
                  });
        for (unsigned k = 0; k < r.parts; ++k) {
            parts.from[k] = pairs[k].comes;
        }
        nccl_add_parts(r, x, c, parts);
    } else if (!err && x.exists &&
               pairs[0].comes == nccl_staged_at(r, 1, 0, c.at)) {
        nccl_unpack<PAIRS>(r, x, c, pairs[0].comes, true, r.w->unpacks);
    }
    cudaEventRecord(r.w->sent[r.buffer], r.w->stream);
    cudaEventRecord(r.w->unpacked[r.buffer], r.w->unpacks);
    return err;
}

/* Moves what a rank keeps and what it reads from peers' memory. */
template <template <class> class PAIRS>
void nccl_move_local(const nccl_run &r) {
    const ll_reshard &p = r.g->plan;
    const nccl_chunk whole = {0, p.message};
    for (unsigned k = 0; k < ll_reshard_rounds(p) && !p.sum; ++k) {
        const unsigned d = ll_reshard_round(p, k), peer = r.t->rank ^ d;
        const ll_message x = ll_reshard_message(p, r.t->rank, d);
        if (x.exists && nccl_memory(r, peer)) {
            const nccl_run by = nccl_beside(r, peer);
            nccl_unpack<PAIRS>(by, x, whole, by.src, false, r.w->stays);
        }
    }
}

} // namespace ll_kernels

#endif
