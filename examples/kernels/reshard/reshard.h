/* reshard.h - a kernel that executes a plan of ll_reshard_of between the GPUs
 * of one host, and what it is told about the plan.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_H
#define LL_EXAMPLE_RESHARD_H

#define LL_TENSOR
#include "ll_ptx.h"
#include "tools/reshard/ll_reshard.h"
#include <type_traits>
#include <utility>

enum { RESHARD_RANKS = 16, RESHARD_THREADS = 256 };

/* How 2^rows x 2^cols elements lie in 2^gpus memories: rows of the matrix in
 * each; columns, each of them contiguous; columns in contiguous tiles of 64 x
 * 64, where each GPU begins with other rows; heads of 128 columns, one after
 * the other; elements that take turns; or pieces of all rows. Beyond those: a
 * part of the rows and of the columns, all of it in each, a part of the rows in
 * as many memories as a grid has columns, and the first of these twice in each.
 */
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

/* Those of two axes: 2^(gpus / 2) rows of memories along the axis node, the
 * others of a row along gpu. */
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

/* A sharding over gpu, or over both axes of the same memories. */
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

/* What one bit of a number contributes: to the offset in the memory of a peer,
 * to the peer's rank, and to the offset in the own memory. */
struct reshard_bit {
    unsigned far, peer, near;
};

/* A plan for one rank. Bits of an element's number in its tile come in the
 * order of the own memory; then bits of the tile's number. */
struct reshard_move {
    unsigned char *far[RESHARD_RANKS]; /* the memories of all ranks */
    unsigned char *near;
    unsigned *flags[RESHARD_RANKS]; /* of all ranks, see reshard_waits */
    unsigned rank, ranks, tiles;    /* log2 of the tiles */
    unsigned epoch;                 /* counts the calls; 0: without flags */
    unsigned wait;                  /* 1: until all peers are done as well */
    reshard_bit zero, bit[LL_MAX_BITS];
    unsigned sum; /* bits in which ranks differ that hold partial sums */
    unsigned mixed; /* 1: a tile is of several ranks */
    unsigned copies, copy[LL_MAX_BITS]; /* further places, as in ll_reshard */
};

/* The tile of a block. Threads hold 16 bytes; a warp's lanes follow each other,
 * then a thread's further 16 bytes, then warps. Bit k of this order is bit
 * order[k] of the tile, in 4 bits each. */
LL_FN ll_layout reshard_side(unsigned bits, unsigned vector,
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

/* Flags: peers set word r of a rank to the epoch when rank r is ready, and word
 * RANKS + r when rank r is done. Each call has a new epoch. A wait ends after
 * some seconds with a mark in word 2 RANKS, which the host looks at. */
enum { RESHARD_LATE = 2 * RESHARD_RANKS, RESHARD_TICKET, RESHARD_FLAGS };

/* The value of a flag. What is read after it was set before it by its writer.
 */
__device__ inline unsigned reshard_seen(unsigned *flag) {
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

/* Sets a flag, after what was read and written before it. */
__device__ inline void reshard_sets(unsigned *flag, unsigned x) {
#if LL_EMULATE
    atomicExch_system(flag, x);
#else
    asm volatile("st.release.sys.global.u32 [%0], %1;"
                 :
                 : "l"(flag), "r"(x)
                 : "memory");
#endif
}

__device__ inline void reshard_waits(const reshard_move &m, unsigned first) {
    const unsigned most = LL_EMULATE ? 1000u : 3000000u, look = most / 1000u;
    unsigned *own = m.flags[m.rank];
    for (unsigned tries = 1; threadIdx.x < m.ranks; ++tries) {
        const unsigned seen = reshard_seen(own + first + threadIdx.x);
        if ((int)(seen - m.epoch) >= 0) {
            break;
        }
        if (tries > most ||
            (tries % look == 0 && reshard_seen(own + RESHARD_LATE))) {
            atomicExch(own + RESHARD_LATE, 1u);
            break;
        }
    }
}

__device__ inline void reshard_says(const reshard_move &m, unsigned first) {
    if (threadIdx.x < m.ranks) {
        reshard_sets(m.flags[threadIdx.x] + first + m.rank, m.epoch);
    }
}

/* The first block says that this rank is ready. Each whose tile is not this
 * rank's own, before and after, waits for the peers. */
__device__ inline void reshard_begins(const reshard_move &m, unsigned peer) {
    if (m.epoch && blockIdx.x == 0) {
        reshard_says(m, 0);
    }
    if (m.epoch && (m.mixed || peer != m.rank)) {
        reshard_waits(m, 0);
        __syncthreads();
    }
}

/* The last block says that this rank is done, and waits for the peers. The
 * fence is for what all threads of a block have read, or written to peers. */
template <bool PUSH>
__device__ inline void reshard_ends(const reshard_move &m) {
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
        reshard_says(m, RESHARD_RANKS);
        if (m.wait) {
            reshard_waits(m, RESHARD_RANKS);
        }
    }
}

__device__ inline reshard_bit operator^(reshard_bit a, reshard_bit b) {
    return reshard_bit{a.far ^ b.far, a.peer ^ b.peer, a.near ^ b.near};
}

/* The sum of the bits of x, from bit `first` of the plan on. */
template <unsigned N>
__device__ inline reshard_bit reshard_at(const reshard_move &m,
                                         unsigned first, unsigned n,
                                         unsigned x) {
    reshard_bit at = {0, 0, 0};
    LL_UNROLL
    for (unsigned k = 0; k < N; ++k) {
        const unsigned on = k < n ? 0u - (x >> k & 1u) : 0u;
        const reshard_bit b = m.bit[first + k < LL_MAX_BITS ? first + k : 0u];
        at = at ^ reshard_bit{b.far & on, b.peer & on, b.near & on};
    }
    return at;
}

/* What the bits of a thread and of its 16 bytes number v contribute, in an
 * order of the tile. */
template <unsigned BITS, unsigned VECTOR, unsigned long long ORDER>
__device__ inline reshard_bit reshard_thread(const reshard_move &m,
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

/* What partial sums are: numbers of 32 bits, or two of 16 in a word. */
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

/* Adds 16 bytes of two ranks to sums, or begins sums with them. */
template <class SUM>
__device__ inline void reshard_adds(float *s, uint4 x, uint4 y, bool begin) {
    const unsigned a[4] = {x.x, x.y, x.z, x.w}, b[4] = {y.x, y.y, y.z, y.w};
    LL_UNROLL
    for (unsigned k = 0; k < 4u * SUM::PER; ++k) {
        const float first = SUM::number(a[k / SUM::PER], k % SUM::PER);
        s[k] = (begin ? first : s[k] + first) +
               SUM::number(b[k / SUM::PER], k % SUM::PER);
    }
}

/* 16 bytes of a peer, or the sums of those of all ranks that differ from it in
 * the bits m.sum. They are added as floats in the order of the ranks, and
 * rounded once, so every rank that wants a sum has the same. */
template <class SUM>
__device__ inline uint4 reshard_reads(const reshard_move &m, unsigned peer,
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
            reshard_adds<SUM>(s, x, y, !part);
            part = (part - rest) & rest; /* the next subset */
        } while (part);
        return make_uint4(SUM::word(s), SUM::word(s + SUM::PER),
                          SUM::word(s + 2u * SUM::PER),
                          SUM::word(s + 3u * SUM::PER));
    }
}

LL_FN unsigned long long reshard_identity() { return 0xfedcba9876543210ull; }

/* Each block moves one tile: from the peers' memories to the own, or with PUSH
 * from the own to the peers'. ORDER is that of the peers' memories. SUM: what
 * partial sums are, if they are added on the way. */
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
    constexpr unsigned long long SAME = reshard_identity();
    LL_LAYOUT(FROM, reshard_side(BITS, VECTOR, PUSH ? SAME : ORDER));
    LL_LAYOUT(TO, reshard_side(BITS, VECTOR, PUSH ? ORDER : SAME));
    LL_PLAN(TURN, FROM, TO, 8 * SIZE, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN) + 16];
    __align__(16) unsigned a[4 * N], b[4 * N];

    const reshard_bit base =
        m.zero ^ reshard_at<LL_MAX_BITS - BITS>(m, BITS, m.tiles, blockIdx.x);
    reshard_begins(m, base.peer);
    LL_UNROLL
    for (unsigned v = 0; v < N; ++v) {
        const reshard_bit at =
            base ^ reshard_thread<BITS, VECTOR, PUSH ? SAME : ORDER>(m, v);
        const uint4 x =
            PUSH ? __ldcs((const uint4 *)(m.near + (size_t)at.near * SIZE))
                 : reshard_reads<SUM>(m, at.peer, (size_t)at.far * SIZE);
        a[4 * v] = x.x, a[4 * v + 1] = x.y, a[4 * v + 2] = x.z;
        a[4 * v + 3] = x.w;
    }
    LL_CONVERT(b, a, TURN, smem);
    LL_UNROLL
    for (unsigned v = 0; v < N; ++v) {
        const reshard_bit at =
            base ^ reshard_thread<BITS, VECTOR, PUSH ? ORDER : SAME>(m, v);
        unsigned char *to = PUSH ? m.far[at.peer] + (size_t)at.far * SIZE
                                 : m.near + (size_t)at.near * SIZE;
        __stcs((uint4 *)to, make_uint4(b[4 * v], b[4 * v + 1], b[4 * v + 2],
                                       b[4 * v + 3]));
    }
    reshard_ends<PUSH>(m);
}

/* The numbers of a plan for one rank. The plan of a push leads from the peers'
 * memories to the own, against the direction in which data moves. */
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

/* Does data cross a link? Without, no rank waits for another: epoch is 0. */
LL_FN bool reshard_crosses(const ll_reshard &p) {
    unsigned long long bytes = 0;
    for (unsigned r = 0; r < 1u << ll_shape_bits_(&p.mesh); ++r) {
        for (unsigned level = 0; level < p.mesh.n; ++level) {
            bytes += ll_reshard_bytes(p, r, level);
        }
    }
    return bytes != 0;
}

/* The order of a tile as the kernel takes it. */
LL_FN unsigned long long reshard_order(const ll_reshard_tile &t) {
    unsigned long long order = 0;
    for (unsigned k = 0; k < t.bits; ++k) {
        order |= (unsigned long long)t.order[k] << 4u * k;
    }
    return order;
}

/* Starts the kernel whose order the tile has, of a list of orders; returns
 * false if there is none. */
template <class T, unsigned BITS, bool PUSH, class SUM,
          unsigned long long... ORDERS>
bool reshard_start(const reshard_move &m, const ll_reshard_tile &t,
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

#endif
