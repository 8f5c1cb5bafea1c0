/* reshard.h - a kernel that executes a plan of ll_reshard_of between the GPUs
 * of one host, and its arguments.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_H
#define LL_EXAMPLE_RESHARD_H

#include "ll_ptx.h"
#include "tools/reshard/ll_reshard.h"
#include <type_traits>
#include <utility>

namespace ll_kernels {

enum { RESHARD_RANKS = 16, RESHARD_THREADS = 256 };

/* Shardings of 2^rows x 2^cols elements over 2^gpus memories:
 *   BY_ROW     a block of rows each
 *   BY_COLUMN  a block of columns each, stored column by column
 *   BY_BLOCK   columns in contiguous tiles of 64 x 64; each GPU begins with
 *              other rows
 *   BY_HEAD    heads of 128 columns, one after the other
 *   BY_TURNS   elements of a row round-robin
 *   BY_PIECE   a block of columns each, stored row by row
 * Over a grid of GPUs:
 *   BY_GRID    a block of rows and of columns each
 *   BY_COPY    all of the matrix each
 *   BY_GROUP   a block of rows per row of the grid
 *   BY_TWICE   as BY_GRID, twice in each memory */
enum {
    BY_ROW,
    BY_COLUMN,
    BY_BLOCK,
    BY_HEAD,
    BY_TURNS,
    BY_PIECE,
    SHARDINGS,
    BY_GRID = SHARDINGS,
    BY_COPY,
    BY_GROUP,
    BY_TWICE
};

LL_FN ll_layout sharding(unsigned kind, unsigned rows, unsigned cols,
                         unsigned gpus) {
    const ll_dim gpu = ll_dim_of("gpu"), here = LL_OFFSET;
    const unsigned g = 1u << gpus, m = 1u << rows, n = 1u << cols;
    const unsigned j = kind == BY_BLOCK ? 64u : kind == BY_HEAD ? 128u : n / g;
    const unsigned i = kind == BY_BLOCK ? 64u : kind == BY_ROW ? m / g : m;
    const ll_layout none = ll_zero(ll_shape_of("offset gpu"),
                                   ll_shape_of("j i"));
    if (kind == BY_ROW) {
        return ll_mul(ll_mul(ll_mul(none, ll_identity(n, here, LL_J)),
                             ll_identity(i, here, LL_I)),
                      ll_identity(g, gpu, LL_I));
    }
    if (kind == BY_TURNS) {
        return ll_mul(ll_mul(ll_mul(none, ll_identity(g, gpu, LL_J)),
                             ll_identity(j, here, LL_J)),
                      ll_identity(m, here, LL_I));
    }
    ll_layout a = ll_mul(none, ll_identity(kind == BY_COLUMN ? i : j, here,
                                           kind == BY_COLUMN ? LL_I : LL_J));
    a = ll_mul(a, ll_identity(kind == BY_COLUMN ? j : i, here,
                              kind == BY_COLUMN ? LL_J : LL_I));
    a = ll_mul(ll_mul(a, ll_identity(n / g / j, here, LL_J)),
               ll_identity(m / i, here, LL_I));
    a = ll_mul(a, ll_identity(g, gpu, LL_J));
    for (unsigned k = 0; k < gpus && kind == BY_BLOCK; ++k) {
        a.basis[ll_shape_bits_(&a.in) - gpus + k] ^=
            ll_pack(a.out, LL_I, 1u << (rows - gpus + k));
    }
    return a;
}

/* Returns a sharding over a grid of memories: 2^(gpus / 2) rows along the axis
 * node, the columns along the axis gpu. */
LL_FN ll_layout sharding_of_grid(unsigned kind, unsigned rows, unsigned cols,
                                 unsigned gpus) {
    const ll_dim gpu = ll_dim_of("gpu"), node = ll_dim_of("node");
    const unsigned wide = 1u << (gpus - gpus / 2u), high = 1u << gpus / 2u;
    const bool both = kind == BY_GRID || kind == BY_TWICE;
    const unsigned j = (1u << cols) / (both ? wide : 1u);
    const unsigned i = (1u << rows) / (kind == BY_COPY ? 1u : high);
    ll_layout a = ll_zero(ll_shape_of("offset gpu node"), ll_shape_of("j i"));
    a = ll_mul(ll_mul(a, ll_identity(j, LL_OFFSET, LL_J)),
               ll_identity(i, LL_OFFSET, LL_I));
    a = ll_mul(a, ll_zeros(kind == BY_TWICE ? 2 : 1, LL_OFFSET, LL_J, 1));
    a = ll_mul(a, both ? ll_identity(wide, gpu, LL_J)
                       : ll_zeros(wide, gpu, LL_J, 1));
    return ll_mul(a, kind == BY_COPY ? ll_zeros(high, node, LL_J, 1)
                                     : ll_identity(high, node, LL_I));
}

/* Returns a sharding over the axis gpu or, with `grid`, over gpu and node. */
LL_FN ll_layout sharding_over(unsigned kind, unsigned rows, unsigned cols,
                              unsigned gpus, bool grid) {
    if (kind >= SHARDINGS) {
        return sharding_of_grid(kind, rows, cols, gpus);
    }
    const ll_layout a = sharding(kind, rows, cols, gpus);
    ll_shape s =
        ll_with(ll_shape_of(""), LL_OFFSET, ll_size(a.in, LL_OFFSET));
    s = ll_with(s, ll_dim_of("gpu"), 1u << (gpus - gpus / 2u));
    return grid ? ll_reshape_in(a, ll_with(s, ll_dim_of("node"),
                                           1u << gpus / 2u))
                : a;
}

/* The contribution of one bit of an element's number:
 *   far   to the offset in the peer's memory
 *   peer  to the peer's rank
 *   near  to the offset in this rank's memory */
struct reshard_bit {
    unsigned far, peer, near;
};

/* The plan of one rank, as the kernel takes it. `bit` has the bits of an
 * element's number in its tile, in the order of this rank's memory, then the
 * bits of the tile's number. */
struct reshard_move {
    unsigned char *far[RESHARD_RANKS]; /* the memories of all ranks */
    unsigned char *near;
    unsigned *flags[RESHARD_RANKS]; /* of all ranks, see wait_for_peers */
    unsigned rank, ranks, tiles;    /* log2 of the tiles */
    unsigned epoch;                 /* counts the calls; 0: without flags */
    unsigned wait;                  /* 1: also wait until all peers are done */
    reshard_bit zero, bit[LL_MAX_BITS];
    unsigned sum; /* rank bits that tell the holders of partial sums apart */
    unsigned mixed; /* 1: a tile has elements of several ranks */
    unsigned copies, copy[LL_MAX_BITS]; /* as in ll_reshard */
};

/* Returns the layout of a block's tile. The lanes of a warp hold consecutive 16
 * bytes; then come a lane's further 16 bytes, then the warps. Bit k in this
 * order is bit order[k] of the tile; `order` has 4 bits per entry. */
LL_FN ll_layout reshard_tile_layout(unsigned bits, unsigned vector,
                                    unsigned long long order) {
    const unsigned more = bits - vector - 8u;
    ll_layout a = ll_zero(
        ll_with(ll_with(ll_with(ll_shape_of(""), LL_REGISTER,
                                1u << (vector + more)),
                        LL_LANE, 32), LL_WARP, 8),
        ll_with(ll_shape_of(""), LL_J, 1u << bits));
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned at = k < vector              ? k
                            : k < vector + 5u        ? k + more
                            : k < vector + 5u + more ? k - 5u
                                                     : k;
        a.basis[at] = 1u << (order >> 4u * k & 15u);
    }
    return a;
}

/* Flags of a rank. Rank r sets word r to the epoch when it is ready, and word
 * RESHARD_RANKS + r when it is done. Each call has a new epoch. A wait gives up
 * after some seconds and sets word RESHARD_LATE, which the host checks. */
enum { RESHARD_LATE = 2 * RESHARD_RANKS, RESHARD_TICKET, RESHARD_FLAGS };

/* Loads a flag with acquire semantics. */
__device__ inline unsigned load_flag(unsigned *flag) {
#if LL_EMULATE
    return atomicAdd_system(flag, 0u);
#else
    unsigned x;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                 : "=r"(x)
                 : "l"(flag)
                 : "memory");
    return x;
#endif
}

/* Stores a flag with release semantics. */
__device__ inline void store_flag(unsigned *flag, unsigned x) {
#if LL_EMULATE
    atomicExch_system(flag, x);
#else
    asm volatile("st.release.sys.global.u32 [%0], %1;"
                 :
                 : "l"(flag), "r"(x)
                 : "memory");
#endif
}

/* Waits until the flags of all ranks from word `first` on have the epoch. */
__device__ inline void wait_for_peers(const reshard_move &m, unsigned first) {
    const unsigned most = LL_EMULATE ? 1000u : 3000000u, look = most / 1000u;
    unsigned *own = m.flags[m.rank];
    for (unsigned tries = 1; threadIdx.x < m.ranks; ++tries) {
        const unsigned seen = load_flag(own + first + threadIdx.x);
        if ((int)(seen - m.epoch) >= 0) {
            break;
        }
        if (tries > most ||
            (tries % look == 0 && load_flag(own + RESHARD_LATE))) {
            atomicExch(own + RESHARD_LATE, 1u);
            break;
        }
    }
}

/* Sets this rank's flag of all ranks; `first`: 0 or RESHARD_RANKS. */
__device__ inline void signal_peers(const reshard_move &m, unsigned first) {
    if (threadIdx.x < m.ranks) {
        store_flag(m.flags[threadIdx.x] + first + m.rank, m.epoch);
    }
}

/* The first block signals that this rank is ready. Blocks whose tile comes from
 * or goes to a peer wait for the peers. */
__device__ inline void begin_tile(const reshard_move &m, unsigned peer) {
    if (m.epoch && blockIdx.x == 0) {
        signal_peers(m, 0);
    }
    if (m.epoch && (m.mixed || peer != m.rank)) {
        wait_for_peers(m, 0);
        __syncthreads();
    }
}

/* The last block signals that this rank is done and, with m.wait, waits for the
 * peers. The fence orders what the threads of the block read or wrote to peers
 * before the ticket. */
template <bool PUSH>
__device__ inline void end_tile(const reshard_move &m) {
    __shared__ unsigned ticket;
    if (!m.epoch) {
        return;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        PUSH ? __threadfence_system() : __threadfence();
        ticket = atomicAdd(m.flags[m.rank] + RESHARD_TICKET, 1u);
    }
    __syncthreads();
    if (ticket + 1u == gridDim.x) {
        m.flags[m.rank][RESHARD_TICKET] = 0;
        signal_peers(m, RESHARD_RANKS);
        if (m.wait) {
            wait_for_peers(m, RESHARD_RANKS);
        }
    }
}

__device__ inline reshard_bit operator^(reshard_bit a, reshard_bit b) {
    return reshard_bit{a.far ^ b.far, a.peer ^ b.peer, a.near ^ b.near};
}

/* Returns the offsets of number x of n bits: the XOR of the plan's bits from
 * bit `first` on where x has a 1. */
template <unsigned N>
__device__ inline reshard_bit
block_offsets(const reshard_move &m, unsigned first, unsigned n, unsigned x) {
    reshard_bit at = {0, 0, 0};
    LL_UNROLL
    for (unsigned k = 0; k < N; ++k) {
        const unsigned on = k < n ? 0u - (x >> k & 1u) : 0u;
        const reshard_bit b = m.bit[first + k < LL_MAX_BITS ? first + k : 0u];
        at = at ^ reshard_bit{b.far & on, b.peer & on, b.near & on};
    }
    return at;
}

/* Returns the offsets of a thread's vector number v in an order of the tile. */
template <unsigned BITS, unsigned VECTOR, unsigned long long ORDER>
__device__ inline reshard_bit thread_offsets(const reshard_move &m,
                                             unsigned v) {
    reshard_bit at = {0, 0, 0};
    LL_UNROLL
    for (unsigned k = VECTOR; k < BITS; ++k) {
        const unsigned lane = k - VECTOR, more = BITS - VECTOR - 8u;
        const unsigned x = lane < 5u          ? threadIdx.x >> lane
                           : lane < 5u + more ? v >> (lane - 5u)
                                              : threadIdx.x >> (lane - more);
        const reshard_bit b = m.bit[ORDER >> 4u * k & 15u];
        const unsigned on = 0u - (x & 1u);
        at = at ^ reshard_bit{b.far & on, b.peer & on, b.near & on};
    }
    return at;
}

/* Types of partial sums: numbers of 32 bits, or two of 16 bits per word. */
struct reshard_f32 {
    static constexpr unsigned PER = 1;
    __device__ static float number(unsigned word, unsigned) {
        return __uint_as_float(word);
    }
    __device__ static unsigned word(const float *s) {
        return __float_as_uint(*s);
    }
};
struct reshard_f16 {
    static constexpr unsigned PER = 2;
    __device__ static float number(unsigned word, unsigned k) {
        return k ? ll_ptx_cvt_f32_f16_high(word) : ll_ptx_cvt_f32_f16_low(word);
    }
    __device__ static unsigned word(const float *s) {
        return ll_ptx_cvt_f16x2(s[0], s[1]);
    }
};
struct reshard_bf16 {
    static constexpr unsigned PER = 2;
    __device__ static float number(unsigned word, unsigned k) {
        return __uint_as_float(k ? word & 0xffff0000u : word << 16u);
    }
    __device__ static unsigned word(const float *s) {
        return ll_ptx_cvt_bf16x2(s[0], s[1]);
    }
};

/* Adds 16 bytes of two ranks to the sums s; with `begin`, sets the sums. */
template <class SUM>
__device__ inline void add_words(float *s, uint4 x, uint4 y, bool begin) {
    const unsigned a[4] = {x.x, x.y, x.z, x.w}, b[4] = {y.x, y.y, y.z, y.w};
    LL_UNROLL
    for (unsigned k = 0; k < 4u * SUM::PER; ++k) {
        const float first = SUM::number(a[k / SUM::PER], k % SUM::PER);
        s[k] = (begin ? first : s[k] + first) +
               SUM::number(b[k / SUM::PER], k % SUM::PER);
    }
}

/* Loads 16 bytes of a peer. With SUM, returns the sums over all ranks that
 * differ from the peer in the bits m.sum. They are added as floats in the order
 * of the ranks and rounded once, so every rank gets the same sums. */
template <class SUM>
__device__ inline uint4 load_words(const reshard_move &m, unsigned peer,
                                   size_t at) {
    if constexpr (std::is_void<SUM>::value) {
        return __ldcs((const uint4 *)(m.far[peer] + at));
    } else {
        const unsigned low = m.sum & (0u - m.sum), rest = m.sum ^ low;
        float s[4u * SUM::PER];
        unsigned part = 0;
        do {
            const unsigned rank = (peer & ~m.sum) | part;
            const uint4 x = __ldcs((const uint4 *)(m.far[rank] + at));
            const uint4 y = __ldcs((const uint4 *)(m.far[rank | low] + at));
            add_words<SUM>(s, x, y, !part);
            part = (part - rest) & rest; /* the next subset */
        } while (part);
        return make_uint4(SUM::word(s), SUM::word(s + SUM::PER),
                          SUM::word(s + 2u * SUM::PER),
                          SUM::word(s + 3u * SUM::PER));
    }
}

LL_FN unsigned long long identity_order() { return 0xfedcba9876543210ull; }

/* Moves one tile per block: from the peers' memories to this rank's, or with
 * PUSH from this rank's to the peers'.
 *   ORDER  order of the tile in the peers' memories
 *   SUM    type of the partial sums that are added on the way, or void */
template <class T, unsigned BITS, unsigned long long ORDER, bool PUSH,
          class SUM = void>
__global__ void __launch_bounds__(RESHARD_THREADS)
    reshard(const __grid_constant__ reshard_move m) {
    constexpr unsigned SIZE = sizeof(T), VECTOR = SIZE == 1   ? 4
                                                  : SIZE == 2 ? 3
                                                  : SIZE == 4 ? 2
                                                  : SIZE == 8 ? 1
                                                              : 0;
    constexpr unsigned N = (1u << BITS) * SIZE / (16u * RESHARD_THREADS);
    constexpr unsigned long long SAME = identity_order();
    LL_LAYOUT(FROM, reshard_tile_layout(BITS, VECTOR, PUSH ? SAME : ORDER));
    LL_LAYOUT(TO, reshard_tile_layout(BITS, VECTOR, PUSH ? ORDER : SAME));
    LL_PLAN(TURN, FROM, TO, 8 * SIZE, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN) + 16];
    __align__(16) unsigned a[4 * N], b[4 * N];

    const reshard_bit base = m.zero ^ block_offsets<LL_MAX_BITS - BITS>(
                                          m, BITS, m.tiles, blockIdx.x);
    begin_tile(m, base.peer);
    LL_UNROLL
    for (unsigned v = 0; v < N; ++v) {
        const reshard_bit at =
            base ^ thread_offsets<BITS, VECTOR, PUSH ? SAME : ORDER>(m, v);
        const uint4 x =
            PUSH ? __ldcs((const uint4 *)(m.near + (size_t)at.near * SIZE))
                 : load_words<SUM>(m, at.peer, (size_t)at.far * SIZE);
        a[4 * v] = x.x, a[4 * v + 1] = x.y, a[4 * v + 2] = x.z;
        a[4 * v + 3] = x.w;
    }
    LL_CONVERT(b, a, TURN, smem);
    LL_UNROLL
    for (unsigned v = 0; v < N; ++v) {
        const reshard_bit at =
            base ^ thread_offsets<BITS, VECTOR, PUSH ? ORDER : SAME>(m, v);
        unsigned char *to = PUSH ? m.far[at.peer] + (size_t)at.far * SIZE
                                 : m.near + (size_t)at.near * SIZE;
        __stcs((uint4 *)to, make_uint4(b[4 * v], b[4 * v + 1], b[4 * v + 2],
                                       b[4 * v + 3]));
    }
    end_tile<PUSH>(m);
}

/* Returns a plan's bits for one rank. The plan of a push leads from the peers'
 * memories to this rank's, against the direction of the data. */
inline reshard_move reshard_numbers(const ll_reshard &p,
                                    const ll_reshard_tile &t, unsigned rank) {
    const unsigned far = p.source.out.bits[0], near = p.target.out.bits[0];
    reshard_move m = {};
    m.rank = rank;
    m.ranks = 1u << ll_shape_bits_(&p.mesh);
    m.tiles = t.rest;
    m.sum = p.sum;
    m.mixed = p.sum != 0;
    m.copies = p.copies;
    for (unsigned k = 0; k < p.copies; ++k) {
        m.copy[k] = p.copy[k];
    }
    for (unsigned k = 0; k <= ll_shape_bits_(&p.source.in); ++k) {
        const bool last = k == ll_shape_bits_(&p.source.in);
        const unsigned x = last ? t.origin : t.x[k];
        const unsigned source = ll_apply(p.source, x) ^
                                (last ? 0u : p.source.offset);
        const unsigned target = ll_apply(p.target, x) ^
                                (last ? 0u : p.target.offset);
        const reshard_bit b = {source & ll_ones_(far),
                               ll_shift_down_(source, far),
                               target & ll_ones_(near)};
        const unsigned of_rank =
            k < t.bits + t.rest || last
                ? 0u
                : ll_shape_repack_(x & ~ll_ones_(t.bits + t.rest), &p.source.in,
                                   &p.mesh);
        m.mixed |= k < t.bits && b.peer;
        if (k < t.bits + t.rest) {
            m.bit[k] = b;
        } else if (last || rank & of_rank) {
            m.zero.far ^= b.far;
            m.zero.peer ^= b.peer;
            m.zero.near ^= b.near;
        }
    }
    return m;
}

/* Returns whether data crosses a link. If not, no rank waits for another and
 * the epoch is 0. */
LL_FN bool reshard_crosses(const ll_reshard &p) {
    unsigned long long bytes = 0;
    for (unsigned r = 0; r < 1u << ll_shape_bits_(&p.mesh); ++r) {
        for (unsigned level = 0; level < p.mesh.n; ++level) {
            bytes += ll_reshard_bytes(p, r, level);
        }
    }
    return bytes != 0;
}

/* Returns the order of a tile with 4 bits per entry, as the kernel takes it. */
LL_FN unsigned long long reshard_order(const ll_reshard_tile &t) {
    unsigned long long order = 0;
    for (unsigned k = 0; k < t.bits; ++k) {
        order |= (unsigned long long)t.order[k] << 4u * k;
    }
    return order;
}

/* Launches the kernel for the tile's order if the order is in ORDERS. Returns
 * false if it is not. */
template <class T, unsigned BITS, bool PUSH, class SUM,
          unsigned long long... ORDERS>
bool reshard_launch_known(const reshard_move &m, const ll_reshard_tile &t,
                          cudaStream_t stream) {
    const unsigned long long order = reshard_order(t);
    bool found = false;
    if (t.err || t.bits != BITS) {
        return false;
    }
    ((order == ORDERS
          ? (void)(reshard<T, BITS, ORDERS, PUSH, SUM>
                   <<<1u << m.tiles, RESHARD_THREADS, 0, stream>>>(m),
                   found = true)
          : (void)0),
     ...);
    return found;
}

} // namespace ll_kernels

#endif
