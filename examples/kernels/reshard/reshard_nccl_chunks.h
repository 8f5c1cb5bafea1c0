/* reshard_nccl_chunks.h - how messages between all GPUs are cut into chunks.
 * SPDX-License-Identifier: MIT
 *
 * A kernel of reshard.h has a near side, this rank's memory, and a far side.
 * Here the far side of each peer is staging memory, in the order of the peer's
 * memory without the bits that a message does not reach. A kernel that pushes
 * packs so for all peers; one that pulls unpacks so. On the other rank, a chunk
 * is then one piece, some segments, or rows of a matrix: a piece and segments
 * are sent from there or received there, rows are copied by warps.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_CHUNKS_H
#define LL_EXAMPLE_RESHARD_NCCL_CHUNKS_H

#include "reshard_kernels.h"
#include <vector>

namespace ll_kernels {

/* Which kernel, and when a chunk is one or more segments of its own. */
enum { NCCL_ANY_WAY, NCCL_PACKS, NCCL_UNPACKS };
enum { NCCL_SEGMENTS = 5, NCCL_ROW = 512 };
enum { NCCL_LARGE = 256 << 20 }; /* messages with four chunks by default */
#ifndef NCCL_SEGMENT_BYTES
#define NCCL_SEGMENT_BYTES (64 << 20) /* shorter ones are staged */
#endif

/* A plan whose messages have chunks.
 *   bits      log2 of the elements of a message
 *   steps     log2 of the chunks of a message
 *   mask      bits of a far offset that a message reaches
 *   chunk     those that number its chunks
 *   run       log2 of the elements of a chunk side by side in the far memory
 *   mixed     a tile has elements of several peers */
struct nccl_chunked {
    bool good, mixed;
    reshard_job job;
    unsigned bits, steps, mask, chunk, run;
};

/* Returns the bits of x where the mask has bits, side by side. */
inline unsigned nccl_pack_bits(unsigned x, unsigned mask) {
    unsigned y = 0;
    for (unsigned n = 0; mask; mask &= mask - 1u, ++n) {
        y |= x & mask & (0u - mask) ? 1u << n : 0u;
    }
    return y;
}

/* The inverse: the bits of x where the mask has bits. */
inline unsigned nccl_spread_bits(unsigned x, unsigned mask) {
    unsigned y = 0;
    for (; mask; mask &= mask - 1u, x >>= 1) {
        y |= x & 1u ? mask & (0u - mask) : 0u;
    }
    return y;
}

/* Returns the chunks of a job, 2^steps of a message if there are bits for them;
 * not good if offsets or ranks are no permutations of bits. */
inline nccl_chunked nccl_chunked_of(const reshard_job &job, unsigned steps) {
    nccl_chunked x = {};
    x.job = job;
    x.good = !job.plan.err && !job.tile.err && !job.plan.sum &&
             !job.plan.copies;
    if (!x.good) {
        return x;
    }
    const unsigned n = job.tile.bits + job.tile.rest;
    const reshard_move m = reshard_numbers(job.plan, job.tile, 0);
    unsigned ranks = 0, others = 0, free = 0;
    for (unsigned k = 0; k < n; ++k) {
        const reshard_bit b = m.bit[k];
        const unsigned one = b.peer ? b.peer : b.far;
        x.good = x.good && one && !(one & (one - 1u)) &&
                 !(one & (b.peer ? ranks : x.mask)) &&
                 !(b.peer && b.far && k < job.tile.bits);
        x.mixed = x.mixed || (b.peer && k < job.tile.bits);
        ranks |= b.peer;
        others |= b.peer ? b.far : 0u;
        x.mask |= b.peer ? 0u : b.far;
        free |= b.peer || k < job.tile.bits ? 0u : b.far;
    }
    for (free &= ~others; free && x.steps < steps; ++x.steps) {
        x.chunk |= ll_leading_bit_(free);
        free &= ~x.chunk;
    }
    x.bits = ll_popcount_(x.mask);
    while (x.run < x.bits - x.steps &&
           (x.mask & ~x.chunk) >> x.run & 1u) {
        ++x.run;
    }
    return x;
}

/* Returns the log2 of the pieces of a chunk in the far memory. */
inline unsigned nccl_pieces(const nccl_chunked &x) {
    return x.bits - x.steps - x.run;
}

/* Is a chunk sent or received in place there? */
inline bool nccl_in_place(const nccl_chunked &x) {
    const size_t bytes = (size_t)(x.job.plan.bits / 8u) << x.run;
    return !nccl_pieces(x) || (nccl_pieces(x) <= NCCL_SEGMENTS &&
                               bytes >= (size_t)NCCL_SEGMENT_BYTES);
}

/* Returns whether it can be executed: a tile of several peers also has what
 * stays, so a chunk is one piece; rows are copied 512 bytes at a time. */
inline bool nccl_can_run(const nccl_chunked &x) {
    const size_t bytes = (size_t)(x.job.plan.bits / 8u) << x.run;
    return x.good && (!x.mixed || !nccl_pieces(x)) &&
           (nccl_in_place(x) || bytes >= (size_t)NCCL_ROW);
}

/* Does the kernel of rank `near` reach the memory of rank `far`? Sets the
 * offset there of element 0 of that message. */
inline bool nccl_reaches(const nccl_chunked &x, unsigned near, unsigned far,
                         unsigned *base) {
    const reshard_job &j = x.job;
    const reshard_move m = reshard_numbers(j.plan, j.tile, near);
    reshard_bit at = m.zero;
    for (unsigned k = 0; k < j.tile.bits + j.tile.rest; ++k) {
        if ((at.peer ^ far) & m.bit[k].peer) {
            at.far ^= m.bit[k].far;
            at.peer ^= m.bit[k].peer;
        }
    }
    *base = at.far & ~x.mask;
    return at.peer == far;
}

/* Returns the argument of the kernel: for one peer, or for all if `peer` is
 * RESHARD_RANKS. c: the chunk, in staging memory; or of the whole message, in
 * the peer's own memory, if c is 2^steps. */
inline reshard_move nccl_tiles_of(const nccl_chunked &x, unsigned rank,
                                  unsigned peer, unsigned c) {
    const ll_reshard_tile &t = x.job.tile;
    const bool whole = c >> x.steps;
    const unsigned chunk = whole ? 0u : x.chunk, mask = x.mask & ~chunk;
    const unsigned wanted = nccl_spread_bits(c, chunk);
    reshard_move m = reshard_numbers(x.job.plan, t, rank);
    unsigned n = t.bits;
    m.ranks = 1;
    for (unsigned k = t.bits; k < t.bits + t.rest; ++k) {
        const reshard_bit b = m.bit[k];
        const bool of_peer = b.peer && peer < RESHARD_RANKS;
        const bool flips = of_peer ? (m.zero.peer ^ peer) & b.peer
                                   : (m.zero.far ^ wanted) & b.far;
        if (!of_peer && (b.peer || !(b.far & chunk))) {
            m.bit[n++] = b;
        } else if (flips) {
            m.zero.far ^= b.far;
            m.zero.peer ^= b.peer;
            m.zero.near ^= b.near;
        }
    }
    m.tiles = n - t.bits;
    for (unsigned k = 0; k < n && !whole; ++k) {
        m.bit[k].far = nccl_pack_bits(m.bit[k].far, mask);
    }
    m.zero.far = whole ? m.zero.far : nccl_pack_bits(m.zero.far, mask);
    return m;
}

/* Rows of 512 bytes of several messages: side by side in staging memory, and in
 * units of 16 bytes at the XOR of columns in this rank's memory. */
struct nccl_rows {
    unsigned n, bits, column[LL_MAX_BITS];
    unsigned char *staged[RESHARD_RANKS], *strided[RESHARD_RANKS];
};

template <bool GATHER>
__global__ void __launch_bounds__(256)
    nccl_copy_rows(const __grid_constant__ nccl_rows r) {
    const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    uint4 *const staged = (uint4 *)r.staged[blockIdx.y];
    uint4 *const strided = (uint4 *)r.strided[blockIdx.y];
    uint4 v[4] = {};
    uint4 *to[4];
    LL_UNROLL
    for (unsigned k = 0; k < 4u; ++k) {
        const unsigned row = blockIdx.x * 32u + k * 8u + warp;
        unsigned at = 0;
        for (unsigned b = 0; b < r.bits; ++b) {
            at ^= row >> b & 1u ? r.column[b] : 0u;
        }
        uint4 *const here = staged + (size_t)row * 32u + lane;
        uint4 *const there = strided + at + lane;
        to[k] = row >> r.bits ? nullptr : GATHER ? here : there;
        if (to[k]) {
            v[k] = __ldcs(GATHER ? there : here);
        }
    }
    LL_UNROLL
    for (unsigned k = 0; k < 4u; ++k) {
        if (to[k]) {
            __stcs(to[k], v[k]);
        }
    }
}

/* Returns the rows of a chunk, without messages. */
inline nccl_rows nccl_rows_of(const nccl_chunked &x) {
    const unsigned size = x.job.plan.bits / 8u, mask = x.mask & ~x.chunk;
    const unsigned row = ll_log2_((unsigned)NCCL_ROW / size);
    nccl_rows r = {};
    for (unsigned k = row; k < x.bits - x.steps; ++k) {
        const size_t at = nccl_spread_bits(1u << k, mask);
        r.column[r.bits++] = (unsigned)(at * size / 16u);
    }
    return r;
}

inline void nccl_start_rows(const nccl_rows &r, bool gather,
                            cudaStream_t stream) {
    const dim3 blocks(r.bits < 5u ? 1u : 1u << (r.bits - 5u), r.n);
    if (gather) {
        nccl_copy_rows<true><<<blocks, 256, 0, stream>>>(r);
    } else {
        nccl_copy_rows<false><<<blocks, 256, 0, stream>>>(r);
    }
}

} // namespace ll_kernels

#endif
