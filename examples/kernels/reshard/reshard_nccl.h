/* reshard_nccl.h - executes a plan of ll_reshard_of between GPUs with NCCL.
 * SPDX-License-Identifier: MIT
 *
 * Messages of all ranks that need no sums or copies are in chunks of
 * reshard_nccl_chunks.h: one kernel packs a chunk for all peers, a group sends
 * it, and on the other side nothing is left to do, or a kernel unpacks it, all
 * on streams of their own. What is started is listed beforehand (nccl_plan).
 *
 * Other messages are split into chunks one after the other. While one chunk is
 * sent on the transport's stream, the next is packed on a second stream, the
 * preceding one is unpacked on a third, and local data is moved on a fourth.
 * Packing is hidden except for the first and the last chunk, so these are
 * small. Ranks of one host need no messages: if a rank can read the memory of
 * another, a kernel does, on the fourth stream.
 *
 * NCCL's stream has the highest priority, since its few blocks wait only for
 * the peer. The host waits when ranks compare their plans and at the end; after
 * a time-out it aborts the communicator.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_H
#define LL_EXAMPLE_RESHARD_NCCL_H

#include "reshard_nccl_chunks.h"
#include "reshard_nccl_wire.h"
#include <algorithm>

namespace ll_kernels {

/* Maps a number to the offset base ^ (XOR of the columns of its set bits), or
 * to itself without columns. Weights: what a bit of an offset adds to an
 * address. */
struct nccl_map {
    unsigned base, column[LL_MAX_BITS], weight[LL_MAX_BITS];
};

/* The elements of a chunk that exist. */
struct nccl_sizes {
    ragged_map elements;
    ragged sizes;
};

template <class T>
__global__ void nccl_copy(T *to, const nccl_map a, const T *from,
                          const nccl_map b, unsigned bits) {
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t m = first; m >> bits == 0;
         m += (size_t)gridDim.x * blockDim.x) {
        unsigned x = a.base, y = b.base;
        for (unsigned k = 0; k < bits; ++k) {
            x ^= m >> k & 1u ? a.column[k] : 0u;
            y ^= m >> k & 1u ? b.column[k] : 0u;
        }
        to[x] = from[y];
    }
}

__device__ inline unsigned nccl_address(const nccl_map &a, unsigned m,
                                        unsigned bits) {
    unsigned x = a.base, at = 0;
    for (unsigned k = 0; k < bits; ++k) {
        x ^= m >> k & 1u ? a.column[k] : 0u;
    }
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        at += x >> k & 1u ? a.weight[k] : 0u;
    }
    return at;
}

__device__ inline bool nccl_exists(const nccl_sizes &s, unsigned m,
                                   unsigned bits) {
    unsigned y = s.elements.base;
    bool has = true;
    for (unsigned k = 0; k < bits; ++k) {
        y ^= m >> k & 1u ? s.elements.column[k] : 0u;
    }
    for (unsigned k = 0; k < s.sizes.n; ++k) {
        const ragged_axis a = s.sizes.axis[k];
        const unsigned x = y >> a.start & ((1u << a.bits) - 1u);
        const unsigned low = x & ((1u << a.low) - 1u);
        has = has && low < a.part && (x >> a.low) * a.part + low < a.size;
    }
    return has;
}

/* Moves a chunk between memories of any sizes. */
template <class T>
__global__ void nccl_carry(T *to, const __grid_constant__ nccl_map a,
                           const T *from, const __grid_constant__ nccl_map b,
                           const __grid_constant__ nccl_sizes s,
                           unsigned bits) {
    for (unsigned m = blockIdx.x * blockDim.x + threadIdx.x; m >> bits == 0;
         m += gridDim.x * blockDim.x) {
        if (nccl_exists(s, m, bits)) {
            to[nccl_address(a, m, bits)] = from[nccl_address(b, m, bits)];
        }
    }
}

/* The parts of a sum in the order of the ranks, each packed as a chunk. */
struct nccl_parts {
    unsigned n;
    const void *from[RESHARD_RANKS];
};

/* Adds the parts as floats and rounds once. */
template <class T, class SUM>
__global__ void nccl_add(T *to, const __grid_constant__ nccl_map a,
                         const __grid_constant__ nccl_parts parts,
                         const __grid_constant__ nccl_map b,
                         const __grid_constant__ nccl_sizes s, unsigned bits) {
    for (unsigned m = blockIdx.x * blockDim.x + threadIdx.x; m >> bits == 0;
         m += gridDim.x * blockDim.x) {
        const unsigned at = nccl_address(b, m, bits);
        float sum[2] = {0, 0};
        for (unsigned k = 0; k < parts.n && nccl_exists(s, m, bits); ++k) {
            const float x = SUM::number(((const T *)parts.from[k])[at], 0);
            *sum = k ? *sum + x : x;
        }
        if (nccl_exists(s, m, bits)) {
            to[nccl_address(a, m, bits)] = (T)SUM::word(sum);
        }
    }
}

/* Returns the map of 2^bits elements from element `first` on; without columns
 * it maps to the numbers of the elements. */
inline nccl_map nccl_part(const unsigned *column, unsigned base, size_t first,
                          unsigned bits) {
    nccl_map a = {};
    a.base = base;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.column[k] = k < bits ? column ? column[k] : 1u << k : 0u;
        a.base ^= column && first >> k & 1u ? column[k] : 0u;
        a.weight[k] = 1u << k;
    }
    return a;
}

/* Makes pairs of elements the elements of a map. Returns false if pairs are not
 * contiguous. */
inline bool nccl_pair_elements(nccl_map *a, unsigned bits) {
    unsigned low = a->base;
    for (unsigned k = 1; k < bits; ++k) {
        low |= a->column[k];
    }
    if (!bits || a->column[0] != 1u || low & 1u) {
        return false;
    }
    a->base >>= 1u;
    for (unsigned k = 0; k + 1u < LL_MAX_BITS; ++k) {
        a->column[k] = a->column[k + 1u] >> 1u;
    }
    return true;
}

inline unsigned nccl_blocks(unsigned bits) {
    return bits < 8u ? 1u : bits > 20u ? 4096u : 1u << (bits - 8u);
}

/* Copies 2^bits elements of `size` bytes between maps, up to 16 bytes at a
 * time. */
inline void nccl_move(void *to, nccl_map a, const void *from, nccl_map b,
                      unsigned bits, unsigned size, cudaStream_t s) {
    for (nccl_map x = a, y = b; size < 16u && nccl_pair_elements(&x, bits) &&
                                nccl_pair_elements(&y, bits);) {
        a = x, b = y;
        size *= 2u;
        --bits;
    }
    const unsigned n = nccl_blocks(bits);
    size == 1u   ? nccl_copy<<<n, 256, 0, s>>>((unsigned char *)to, a,
                                               (const unsigned char *)from, b,
                                               bits)
    : size == 2u ? nccl_copy<<<n, 256, 0, s>>>((unsigned short *)to, a,
                                               (const unsigned short *)from, b,
                                               bits)
    : size == 4u ? nccl_copy<<<n, 256, 0, s>>>((unsigned *)to, a,
                                               (const unsigned *)from, b, bits)
    : size == 8u ? nccl_copy<<<n, 256, 0, s>>>((uint2 *)to, a,
                                               (const uint2 *)from, b, bits)
                 : nccl_copy<<<n, 256, 0, s>>>((uint4 *)to, a,
                                               (const uint4 *)from, b, bits);
}

/* The type of partial sums. */
enum { NCCL_NO_SUMS, NCCL_BF16, NCCL_F16, NCCL_F32 };

/* Steps: halvings that leave 16 MiB to the first chunk of a message, at most 4.
 */
enum { NCCL_ANY_STEPS = 32 };

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

/* What a plan of chunks starts, in order; `own`: what stays. */
struct nccl_list {
    nccl_chunked how;
    std::vector<reshard_move> own;
    std::vector<nccl_stage> stage;
};

/* A plan in progress on a rank. */
struct nccl_run {
    transport *t;
    nccl_wire *w;
    const ragged_plan *g;
    const char *src;
    char *dst, *staging;
    const void *const *near; /* the src of each rank, null if far; or null */
    bool is_ragged;
    unsigned sums, parts, buffer;
    ragged_memory from, to;
    ll_reshard_tile tile;
    nccl_list list; /* of nccl_plan, or empty */
};

/* Returns the memory of a rank, or null if only messages reach it. */
inline const char *nccl_memory(const nccl_run &r, unsigned rank) {
    return rank == r.t->rank ? r.src
           : r.near          ? (const char *)r.near[rank]
                             : nullptr;
}

/* Returns the run with the memory of another rank as its source. */
inline nccl_run nccl_beside(nccl_run r, unsigned rank) {
    r.src = nccl_memory(r, rank);
    r.from = ragged_before(r.g, rank);
    return r;
}

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

/* Returns whether everything that a rank sends is staged at once. */
inline bool nccl_fits_staging(const ll_reshard &p) {
    return p.chunk == p.message &&
           ll_reshard_rounds(p) >> ll_popcount_(p.sum) <= 1u + !p.sum;
}

/* Returns the bytes of staging memory that nccl_reshard needs for sent and
 * received data, with two halves if not everything is staged at once. */
inline size_t nccl_staging(const ll_reshard &p) {
    const size_t one = (size_t)(p.bits / 8u) << p.chunk;
    const size_t slow = (one << ll_popcount_(p.sum)) *
                        (nccl_fits_staging(p) ? 2u : 4u);
    const size_t quick = one << (1u + ll_shape_bits_(&p.mesh));
    return p.chunk == p.message && !p.sum && !p.copies && quick > slow ? quick
                                                                       : slow;
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

/* Returns whether a chunk is contiguous in a memory. */
inline bool nccl_is_contiguous(const unsigned *column, unsigned base,
                               unsigned bits) {
    bool flat = !(base & ll_ones_(bits));
    for (unsigned k = 0; k < bits; ++k) {
        flat = flat && column[k] == 1u << k;
    }
    return flat;
}

/* Returns the map with the weights of a memory. */
inline nccl_map nccl_with_weights(nccl_map a, const ragged_memory &m) {
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.weight[k] = k < m.n ? m.weight[k] : 0u;
    }
    return a;
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

template <class T>
void nccl_carries(void *to, const nccl_map &a, const void *from,
                  const nccl_map &b, const nccl_sizes &s, unsigned bits,
                  cudaStream_t stream) {
    nccl_carry<T><<<nccl_blocks(bits), 256, 0, stream>>>((T *)to, a,
                                                         (const T *)from, b, s,
                                                         bits);
}

/* The same for elements of any size. */
inline void nccl_ragged(void *to, const nccl_map &a, const void *from,
                        const nccl_map &b, const nccl_sizes &s, unsigned bits,
                        unsigned size, cudaStream_t stream) {
    (size == 1u   ? nccl_carries<unsigned char>
     : size == 2u ? nccl_carries<unsigned short>
     : size == 4u ? nccl_carries<unsigned>
     : size == 8u ? nccl_carries<uint2>
                  : nccl_carries<uint4>)(to, a, from, b, s, bits, stream);
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

template <class T, template <class> class PAIRS>
void nccl_tiled(const reshard_move &m, const ll_reshard_tile &t, bool push,
                cudaStream_t stream) {
    reshard_launch<T, PAIRS<T>>(m, t, push, stream);
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
    const nccl_map at = staged ? nccl_part(nullptr, 0, 0, c.bits)
                               : nccl_part(p.source.basis, piece.source, 0,
                                           c.bits);
    for (unsigned copy = 0; copy < 1u << p.copies; ++copy) {
        const nccl_map there =
            nccl_part(p.target.basis, piece.target ^ nccl_copy_of(p, copy), 0,
                      c.bits);
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

/* Makes the streams wait until the peers' data can be read. */
inline int nccl_begin(const nccl_run &r, cudaStream_t stream) {
    nccl_join_streams(r.w, stream, true);
    const int err = r.near ? nccl_barrier(r.w, r.t->ranks) : RANKS_OK;
    cudaEventRecord(r.w->begin, r.w->stream);
    cudaStreamWaitEvent(r.w->packs, r.w->begin, 0);
    cudaStreamWaitEvent(r.w->stays, r.w->begin, 0);
    return err;
}

/* Makes `stream` wait until all streams are done and no peer reads this rank's
 * memory. */
inline int nccl_end(const nccl_run &r, cudaStream_t stream) {
    nccl_join_streams(r.w, r.w->stream, false);
    const int err = r.near ? nccl_barrier(r.w, r.t->ranks) : RANKS_OK;
    cudaEventRecord(r.w->end, r.w->stream);
    cudaStreamWaitEvent(stream, r.w->end, 0);
    return err;
}

/* Returns the staging memory of chunk c of a message to a rank (way 0), or from
 * it (1). */
inline char *nccl_slot(const nccl_run &r, const nccl_chunked &x, unsigned way,
                       unsigned rank, unsigned c) {
    const size_t size = x.job.plan.bits / 8u;
    return r.staging + ((((size_t)way * r.t->ranks + rank) << x.bits) +
                        ((size_t)c << (x.bits - x.steps))) * size;
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
        const char *const from = some && here ? place + at * size
                                              : staged + k * bytes;
        all->push_back(goes ? nccl_pair{peer, from, nullptr, bytes, 0}
                            : nccl_pair{peer, nullptr, from, 0, bytes});
    }
}

/* Adds a chunk's messages with a peer, and its rows. */
inline void nccl_add_peer(const nccl_run &r, const nccl_chunked &x,
                          nccl_stage *s, nccl_rows *rows, unsigned peer,
                          unsigned c) {
    const unsigned me = r.t->rank, size = x.job.plan.bits / 8u;
    const unsigned part = nccl_spread_bits(c, x.chunk);
    const bool push = x.job.push;
    unsigned base = 0, unused = 0;
    const bool far = nccl_reaches(x, peer, me, &base);
    const bool near = nccl_reaches(x, me, peer, &unused);
    const char *const memory = push ? r.dst : r.src;
    const char *const place = memory + (size_t)(base ^ part) * size;
    char *const staged = nccl_slot(r, x, push, peer, c);
    if (near) { /* the kernel's side: packed here, or unpacked */
        nccl_add_pieces(x, &s->pairs, peer, nccl_slot(r, x, !push, peer, c),
                        nullptr, false, push);
    }
    if (far) {
        nccl_add_pieces(x, &s->pairs, peer, staged, place, true, !push);
    }
    if (far && !nccl_in_place(x)) {
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
    unsigned base = 0;
    for (unsigned k = 0; k < (all ? 1u : r.t->ranks); ++k) {
        const bool at = all || (k != me && nccl_reaches(x, me, k, &base));
        reshard_move m = nccl_tiles_of(x, me, all ? RESHARD_RANKS : k, c);
        for (unsigned peer = 0; peer < r.t->ranks; ++peer) {
            m.far[peer] = (unsigned char *)nccl_slot(r, x, !push, peer, c);
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

/* Lists what a plan with 2^steps chunks starts, if it is one. By default there is
 * one chunk: between two H200 each group of messages costs some 20 us, and more
 * chunks took longer at 64 MiB and at 1 GiB. equal: each chunk is a group. */
inline void nccl_plan(nccl_run *r, unsigned steps = NCCL_ANY_STEPS,
                      unsigned way = NCCL_ANY_WAY, bool equal = false) {
    const ll_reshard &p = r->g->plan;
    const unsigned me = r->t->rank;
    r->list = nccl_list{};
    if (r->near || r->is_ragged || p.sum || p.copies || p.chunk < p.message) {
        return;
    }
    const bool chunks = reshard_crosses(p) && steps != NCCL_ANY_STEPS;
    const nccl_chunked x = nccl_chosen(*r->g, chunks ? steps : 0u, way);
    unsigned base = 0;
    r->list.how = x;
    for (unsigned c = 0; x.good && c >> x.steps == 0; ++c) {
        nccl_add_chunk(r, x, c, equal);
    }
    if (x.good && nccl_pieces(x) && nccl_reaches(x, me, me, &base)) {
        reshard_move m = nccl_tiles_of(x, me, me, 1u << x.steps);
        m.far[me] = (unsigned char *)(size_t)(x.job.push ? r->dst : r->src);
        m.near = (unsigned char *)(size_t)(x.job.push ? r->src : r->dst);
        r->list.own.push_back(m);
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

/* Starts the list of nccl_plan: group k is packed while group k - 1 is sent and
 * group k - 2 unpacked. */
template <template <class> class PAIRS>
int nccl_start_list(nccl_run &r, cudaStream_t stream) {
    const nccl_list &list = r.list;
    const bool push = list.how.job.push;
    int err = nccl_begin(r, stream);
    for (size_t k = 0; k < list.stage.size() && !err; ++k) {
        const nccl_stage &s = list.stage[k];
        if (push) {
            nccl_start_tiles<PAIRS>(list.how, s.tiles, r.w->packs);
        }
        for (size_t n = 0; n < s.rows.size() && !push; ++n) {
            nccl_start_rows(s.rows[n], true, r.w->packs);
        }
        err = nccl_pass_group(r.w, s.pairs);
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
    return err ? err : end;
}

/* Starts a plan after the work on `stream`; later work on `stream` and on the
 * wire's stream waits for its end. steps: see nccl_chunks. */
template <template <class> class PAIRS>
int nccl_start(nccl_run &r, cudaStream_t stream, unsigned steps) {
    const ll_reshard &p = r.g->plan;
    unsigned least = 0;
    if (!r.list.stage.empty()) {
        return nccl_start_list<PAIRS>(r, stream);
    }
    for (unsigned k = 0; k < r.tile.bits && !r.tile.err; ++k) {
        for (; r.tile.x[k] >> least; ++least) {
        }
    }
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

/* Returns the argument of nccl_start. sums: type of partial sums; near: see
 * nccl_run. */
inline nccl_run nccl_run_of(transport *t, const ragged_plan *g, const void *src,
                            void *dst, void *staging, unsigned sums,
                            const void *const *near = nullptr) {
    const ragged full = ragged_of(g->from.out);
    nccl_run r = {t, (nccl_wire *)t->self, g, (const char *)src, (char *)dst,
                  (char *)staging, near, false, sums,
                  1u << ll_popcount_(g->plan.sum), 0, {}, {}, {}, {}};
    r.is_ragged = memcmp(&full, &g->sizes, sizeof full) != 0;
    r.from = ragged_before(g, t->rank);
    r.to = ragged_after(g, t->rank);
    r.tile = reshard_pull_tile(g->plan, 16384);
    return r;
}

/* Executes a plan from src to dst, after the work on `stream`, with
 * nccl_staging() bytes of GPU memory. near: for each rank the address at which
 * this rank reads its src, or null if only messages reach it; an empty src has
 * an address too. Two ranks read each other's memory, or neither does. */
template <template <class> class PAIRS = nccl_no_pairs>
int nccl_reshard(transport *t, const ragged_plan *g, const void *src, void *dst,
                 void *staging, cudaStream_t stream,
                 unsigned sums = NCCL_NO_SUMS,
                 unsigned steps = NCCL_ANY_STEPS,
                 const void *const *near = nullptr) {
    const ll_reshard &p = g->plan;
    const bool bad = p.err || 1u << ll_shape_bits_(&p.mesh) != t->ranks ||
                     t->ranks > RESHARD_RANKS ||
                     !p.sum != (sums == NCCL_NO_SUMS);
    int err = t->agree(t, bad ? 0ull : ragged_number(g));
    err = bad ? RANKS_PLAN : err;
    if (!err) {
        nccl_run r = nccl_run_of(t, g, src, dst, staging, sums, near);
        nccl_plan(&r, steps);
        err = nccl_start<PAIRS>(r, stream, steps);
    }
    return err ? err : t->finish(t);
}

} // namespace ll_kernels

#endif
