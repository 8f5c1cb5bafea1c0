/* reshard_any_order.h - the kernel for plans that are known only at run time.
 * SPDX-License-Identifier: MIT
 *
 * The order of a tile is an argument. A thread loads 16 bytes of the source and
 * stores each element where the target's order has it in shared memory; then it
 * loads 16 bytes of that order and stores them to the target. Every address is
 * an XOR of what the bits of a vector's number add to it, which the host works
 * out. Neighbours that stay neighbours are one wider element. */
#ifndef LL_EXAMPLE_RESHARD_ANY_ORDER_H
#define LL_EXAMPLE_RESHARD_ANY_ORDER_H

#include "reshard.h"

namespace ll_kernels {

/* What a bit of a vector's number in its tile adds: to its offset, in vectors
 * of 16 bytes; to the rank of the peer, if that memory is a peer's; and to its
 * address in shared memory, in bytes. */
struct any_bit {
    unsigned offset, peer, shared;
};

/* What a bit of the tile's number adds. */
struct any_rest {
    unsigned from, to, peer;
};

/* A tile in any order. `element`: what the bits of an element's number in its
 * vector add to its address in shared memory. `wide`: log2 of its bytes. */
enum { ANY_VECTOR_BITS = 11, ANY_THREAD_BITS = 8 };
struct any_tile {
    unsigned vectors, wide; /* log2 */
    any_rest zero, rest[LL_MAX_BITS];
    any_bit from[ANY_VECTOR_BITS], to[ANY_VECTOR_BITS];
    unsigned element[4];
};

/* Returns what vector number x of a tile adds. */
__device__ inline any_bit vector_at(const any_bit *bit, unsigned x) {
    any_bit at = {0, 0, 0};
    LL_UNROLL
    for (unsigned k = 0; k < ANY_VECTOR_BITS; ++k) {
        const unsigned on = 0u - (x >> k & 1u);
        at.offset ^= bit[k].offset & on;
        at.peer ^= bit[k].peer & on;
        at.shared ^= bit[k].shared & on;
    }
    return at;
}

/* Returns the offsets of a tile. */
__device__ inline any_rest tile_at(const any_tile &t, unsigned tiles,
                                   unsigned x) {
    any_rest at = t.zero;
    for (unsigned k = 0; k < tiles; ++k) {
        const unsigned on = 0u - (x >> k & 1u);
        at.from ^= t.rest[k].from & on;
        at.to ^= t.rest[k].to & on;
        at.peer ^= t.rest[k].peer & on;
    }
    return at;
}

/* Returns the offset of copy number c of an element, in the unit of m.copy. */
__device__ inline unsigned copy_offset(const reshard_move &m, unsigned c) {
    unsigned at = 0;
    for (unsigned k = 0; k < m.copies; ++k) {
        at ^= c >> k & 1u ? m.copy[k] : 0u;
    }
    return at;
}

/* The type of 2^LOG bytes. */
template <unsigned LOG>
using any_element = std::conditional_t<
    LOG == 0, unsigned char,
    std::conditional_t<
        LOG == 1, unsigned short,
        std::conditional_t<LOG == 2, unsigned,
                           std::conditional_t<LOG == 3, uint2, uint4>>>>;

/* Stores the elements of 2^LOG bytes of a vector to shared memory. */
template <unsigned LOG>
__device__ inline void scatter_vector(const any_tile &t, unsigned char *tile,
                                      unsigned at, uint4 words) {
    union {
        uint4 words;
        any_element<LOG> element[16u >> LOG];
    } v;
    v.words = words;
    LL_UNROLL
    for (unsigned e = 0; e < 16u >> LOG; ++e) {
        unsigned to = at;
        LL_UNROLL
        for (unsigned k = 0; k + LOG < 4u; ++k) {
            to ^= e >> k & 1u ? t.element[k] : 0u;
        }
        *(any_element<LOG> *)(tile + to) = v.element[e];
    }
}

/* Moves one tile per block, in any order and to all copies; each thread has V
 * vectors in flight. m.copy is in vectors. */
template <unsigned LOG, unsigned V, bool PUSH, class SUM = void>
__global__ void __launch_bounds__(RESHARD_THREADS)
    reshard_any_order(const __grid_constant__ reshard_move m,
                      const __grid_constant__ any_tile t) {
    extern __shared__ __align__(16) unsigned char tile[];
    const unsigned n = 1u << t.vectors;
    const any_rest base = tile_at(t, m.tiles, blockIdx.x);
    begin_tile(m, base.peer);
    for (unsigned x = threadIdx.x; x < n; x += RESHARD_THREADS * V) {
        uint4 words[V];
        LL_UNROLL
        for (unsigned v = 0; v < V; ++v) {
            const any_bit at = vector_at(t.from, x + v * RESHARD_THREADS);
            const size_t byte = (size_t)(base.from ^ at.offset) * 16u;
            words[v] = PUSH ? __ldcs((const uint4 *)(m.near + byte))
                            : load_words<SUM>(m, base.peer ^ at.peer, byte);
        }
        LL_UNROLL
        for (unsigned v = 0; v < V; ++v) {
            const any_bit at = vector_at(t.from, x + v * RESHARD_THREADS);
            scatter_vector<LOG>(t, tile, at.shared, words[v]);
        }
    }
    __syncthreads();
    for (unsigned x = threadIdx.x; x < n; x += RESHARD_THREADS * V) {
        LL_UNROLL
        for (unsigned v = 0; v < V; ++v) {
            const any_bit at = vector_at(t.to, x + v * RESHARD_THREADS);
            const uint4 words = *(const uint4 *)(tile + at.shared);
            unsigned char *const to =
                PUSH ? m.far[base.peer ^ at.peer] : m.near;
            for (unsigned c = 0; c < 1u << m.copies; ++c) {
                const unsigned o = base.to ^ at.offset ^ copy_offset(m, c);
                __stcs((uint4 *)(to + (size_t)o * 16u), words);
            }
        }
    }
    end_tile<PUSH>(m);
}

/* Returns an address in shared memory with the bank bits 4 to 6, which 16 bytes
 * keep, XORed with what `swizzle` says of the bits from 7 on. */
inline unsigned any_swizzled(const unsigned *swizzle, unsigned at) {
    unsigned y = at;
    for (unsigned k = 7; k < 20u; ++k) {
        y ^= at >> k & 1u ? swizzle[k] : 0u;
    }
    return y;
}

/* Sets which bits from 7 on of an address in shared memory reach the bank bits
 * 4 to 6, so that the lanes of a warp store to different banks. Lane k stores
 * at bit to[k] of the address. */
inline void any_swizzle_of(unsigned *swizzle, const unsigned *to,
                           unsigned lanes) {
    unsigned used = 0, next = 4;
    for (unsigned k = 0; k < lanes; ++k) {
        used |= 1u << to[k];
    }
    for (unsigned k = 0; k < lanes; ++k) {
        while (next < 7u && used >> next & 1u) {
            ++next;
        }
        if (to[k] >= 7u && next < 7u) {
            swizzle[to[k]] = 1u << next++;
        }
    }
}

/* Returns where bit k of an element's number before the move is after it. */
inline unsigned any_place(const ll_reshard_tile &t, bool push, unsigned k) {
    unsigned at = 0;
    for (; push && t.order[at] != k; ++at) {
    }
    return push ? at : t.order[k];
}

/* Returns a tile of elements of `size` bytes, as the kernel takes it. */
inline any_tile any_tile_of(const reshard_move &m, const ll_reshard_tile &t,
                            unsigned size, bool push) {
    const unsigned log = ll_log2_(size), vector = 4u - log;
    unsigned swizzle[20] = {0}, lanes[5] = {0}, n = 0;
    any_tile a = {};
    a.vectors = t.bits - vector;
    for (unsigned k = vector; k < t.bits && n < 5u; ++k) {
        lanes[n++] = log + any_place(t, push, k);
    }
    any_swizzle_of(swizzle, lanes, n);
    for (unsigned k = 0; k < t.bits; ++k) {
        const reshard_bit x = m.bit[push ? k : t.order[k]];
        const reshard_bit y = m.bit[push ? t.order[k] : k];
        const unsigned byte = 1u << (log + any_place(t, push, k));
        if (k < vector) {
            a.element[k] = any_swizzled(swizzle, byte);
            continue;
        }
        a.from[k - vector] = {(push ? x.near : x.far) >> vector,
                              push ? 0u : x.peer, any_swizzled(swizzle, byte)};
        a.to[k - vector] = {(push ? y.far : y.near) >> vector,
                            push ? y.peer : 0u,
                            any_swizzled(swizzle, 1u << (log + k))};
    }
    for (unsigned k = 0; k <= m.tiles; ++k) {
        const reshard_bit x = k < m.tiles ? m.bit[t.bits + k] : m.zero;
        const any_rest r = {(push ? x.near : x.far) >> vector,
                            (push ? x.far : x.near) >> vector, x.peer};
        (k < m.tiles ? a.rest[k] : a.zero) = r;
    }
    a.wide = log; /* neighbours that stay neighbours are one element */
    while (a.wide < 4u && any_place(t, push, a.wide - log) == a.wide - log) {
        ++a.wide;
    }
    for (unsigned k = 0; k < vector; ++k) {
        a.element[k] = k + a.wide - log < vector ? a.element[k + a.wide - log]
                                                 : 0u;
    }
    return a;
}

template <unsigned LOG, bool PUSH, class SUM>
void any_order_start(const reshard_move &m, const any_tile &t,
                     cudaStream_t stream) {
    const unsigned tiles = 1u << m.tiles, bytes = 16u << t.vectors;
    if (t.vectors >= ANY_THREAD_BITS + 2u) {
        reshard_any_order<LOG, 4, PUSH, SUM>
            <<<tiles, RESHARD_THREADS, bytes, stream>>>(m, t);
    } else {
        reshard_any_order<LOG, 1, PUSH, SUM>
            <<<tiles, RESHARD_THREADS, bytes, stream>>>(m, t);
    }
}

/* Launches the kernel for a tile of elements of `size` bytes. */
template <bool PUSH, class SUM>
void any_order_launch(reshard_move m, const ll_reshard_tile &t, unsigned size,
                      cudaStream_t stream) {
    const any_tile a = any_tile_of(m, t, size, PUSH);
    for (unsigned k = 0; k < m.copies; ++k) {
        m.copy[k] = m.copy[k] * size / 16u;
    }
    (a.wide == 0   ? any_order_start<0, PUSH, SUM>
     : a.wide == 1 ? any_order_start<1, PUSH, SUM>
     : a.wide == 2 ? any_order_start<2, PUSH, SUM>
     : a.wide == 3 ? any_order_start<3, PUSH, SUM>
                   : any_order_start<4, PUSH, SUM>)(m, a, stream);
}

} // namespace ll_kernels

#endif
