/* reshard_kernels.h - which kernel executes a plan of ll_reshard_of.
 * SPDX-License-Identifier: MIT
 *
 * The pairs of shardings that a program knows are constants: the compiler finds
 * the order of each one's tile, and each order gets the kernel of reshard.h,
 * whose conversion the planner chose. A plan that only the run knows has a
 * kernel as well: it takes the order as an argument and turns the tile element
 * by element in shared memory.
 */
#ifndef LL_EXAMPLE_RESHARD_KERNELS_H
#define LL_EXAMPLE_RESHARD_KERNELS_H

#include "reshard.h"

/* How a pair is executed. Between two GPUs, both ways at once, writes to peers
 * are 9 % faster than reads from them: data is pushed, by the plan of the way
 * back, where each element has one place before and after, and the memory of
 * the peers has 16 bytes side by side of what a lane writes. Else it is pulled,
 * as are partial sums, which ranks hold that differ in the axes `sums`. */
struct reshard_job {
    ll_reshard plan;
    ll_reshard_tile tile;
    bool push;
};

/* The tile of a plan that is pulled: further places of an element begin where
 * 16 bytes do. */
LL_FN ll_reshard_tile reshard_pull_of(const ll_reshard &p, unsigned bytes) {
    ll_reshard_tile t = ll_reshard_tile_of(p, bytes, 128);
    unsigned any = 0;
    for (unsigned k = 0; k < p.copies; ++k) {
        any |= p.copy[k];
    }
    if (!t.err && any * (p.bits / 8u) % 16u) {
        t.err = LL_RESHARD_ETILE;
    }
    return t;
}

LL_FN reshard_job reshard_job_of(const ll_layout &from, const ll_layout &to,
                                 unsigned bits, const ll_topology &t,
                                 unsigned bytes, const char *sums = "") {
    const unsigned all = ll_shape_bits_(&from.out);
    reshard_job j = {}, back = {};
    j.plan = ll_reshard_sum(from, sums, to, bits, t);
    j.tile = reshard_pull_of(j.plan, bytes);
    if (j.plan.err || j.plan.sum || ll_shape_bits_(&from.in) != all ||
        ll_shape_bits_(&to.in) != all) {
        return j;
    }
    back.push = true;
    back.plan = ll_reshard_of(to, from, bits, t);
    back.tile = ll_reshard_tile_of(back.plan, bytes, 128);
    return back.tile.err ? j : back;
}

/* The place in the order of the own memory of number x in an order of a tile of
 * 2^bits elements. */
__device__ inline unsigned reshard_place(unsigned long long order,
                                         unsigned bits, unsigned x) {
    unsigned at = 0;
    for (unsigned k = 0; k < bits; ++k) {
        at ^= (x >> k & 1u) << (order >> 4u * k & 15u);
    }
    return at;
}

/* Where an element of the tile lies in shared memory. Groups of 16 bytes take
 * other banks in each 128 bytes. */
template <class T>
__device__ inline T *reshard_cell(unsigned char *tile, unsigned place) {
    const unsigned at = place * (unsigned)sizeof(T);
    return (T *)(tile + (at ^ (at >> 3u & 0x70u)));
}

/* Where the 16 bytes lie whose first element has number x in an order of the
 * tile, in the peers' memory and in the own. */
__device__ inline reshard_bit reshard_words(const reshard_move &m,
                                            reshard_bit at,
                                            unsigned long long order,
                                            unsigned bits, unsigned x) {
    const unsigned place = reshard_place(order, bits, x);
    for (unsigned k = 0; k < bits; ++k) {
        const reshard_bit b = m.bit[k];
        const unsigned on = 0u - (place >> k & 1u);
        at = at ^ reshard_bit { b.far &on, b.peer &on, b.near &on };
    }
    return at;
}

/* What copy number c adds to an offset. */
__device__ inline unsigned reshard_copy(const reshard_move &m, unsigned c) {
    unsigned at = 0;
    for (unsigned k = 0; k < m.copies; ++k) {
        at ^= c >> k & 1u ? m.copy[k] : 0u;
    }
    return at;
}

/* Each block moves one tile of 2^bits elements, in any order, to all places. */
template <class T, bool PUSH, class SUM = void>
__global__ void __launch_bounds__(RESHARD_THREADS)
    reshard_any(const __grid_constant__ reshard_move m,
                unsigned long long order, unsigned bits) {
    constexpr size_t SIZE = sizeof(T);
    constexpr unsigned N = 16u / sizeof(T);
    const unsigned long long same = reshard_identity();
    const unsigned long long from = PUSH ? same : order;
    const unsigned long long to = PUSH ? order : same;
    extern __shared__ __align__(16) unsigned char tile[];
    union {
        uint4 words;
        T element[N];
    } v;

    const reshard_bit base =
        m.zero ^ reshard_at<LL_MAX_BITS>(m, bits, m.tiles, blockIdx.x);
    reshard_begins(m, base.peer);
    for (unsigned x = threadIdx.x * N; x < 1u << bits; x += blockDim.x * N) {
        const reshard_bit at = reshard_words(m, base, from, bits, x);
        v.words = PUSH ? __ldcs((const uint4 *)(m.near + at.near * SIZE))
                       : reshard_reads<SUM>(m, at.peer, at.far * SIZE);
        for (unsigned e = 0; e < N; ++e) {
            const unsigned place = reshard_place(from, bits, x + e);
            *reshard_cell<T>(tile, place) = v.element[e];
        }
    }
    __syncthreads();
    for (unsigned x = threadIdx.x * N; x < 1u << bits; x += blockDim.x * N) {
        for (unsigned e = 0; e < N; ++e) {
            const unsigned place = reshard_place(to, bits, x + e);
            v.element[e] = *reshard_cell<T>(tile, place);
        }
        const reshard_bit at = reshard_words(m, base, to, bits, x);
        for (unsigned c = 0; c < 1u << m.copies; ++c) {
            const unsigned near = at.near ^ reshard_copy(m, c);
            __stcs((uint4 *)(PUSH ? m.far[at.peer] + at.far * SIZE
                                  : m.near + near * SIZE),
                   v.words);
        }
    }
    reshard_ends<PUSH>(m);
}

/* The order of a pair's tile and the way that data goes; 0 if it has no tile,
 * or a small one. PAIRS has the number of pairs N, log2 of the elements of a
 * tile BITS, and of(k), the job of pair k. Each is a constant of its own. */
struct reshard_way {
    unsigned long long order;
    bool push;
};
template <class PAIRS, unsigned K> struct reshard_way_of {
    LL_FN reshard_way made() {
        const reshard_job j = PAIRS::of(K);
        const bool good = !j.tile.err && j.tile.bits == PAIRS::BITS;
        return {good ? reshard_order(j.tile) : 0, j.push};
    }
    static constexpr reshard_way value = made();
};

/* The orders of all pairs that go one way, each once. */
template <unsigned N> struct reshard_orders {
    unsigned n;
    unsigned long long order[N];
};
template <class PAIRS, bool PUSH, unsigned... K>
constexpr reshard_orders<PAIRS::N>
reshard_orders_of(std::integer_sequence<unsigned, K...>) {
    const reshard_way all[] = {reshard_way_of<PAIRS, K>::value...};
    reshard_orders<PAIRS::N> found = {};
    for (const reshard_way &w : all) {
        bool seen = !w.order || w.push != PUSH;
        for (unsigned k = 0; k < found.n; ++k) {
            seen = seen || found.order[k] == w.order;
        }
        if (!seen) {
            found.order[found.n++] = w.order;
        }
    }
    return found;
}

/* The kernels of the pairs that go one way. start() returns false if none has
 * the order of a tile. */
template <class T, class PAIRS, bool PUSH, class SUM> struct reshard_kernels {
    static constexpr reshard_orders<PAIRS::N> all =
        reshard_orders_of<PAIRS, PUSH>(
            std::make_integer_sequence<unsigned, PAIRS::N>());

    template <unsigned... K>
    static bool find(const reshard_move &m, const ll_reshard_tile &t,
                     cudaStream_t s, std::integer_sequence<unsigned, K...>) {
        return reshard_start<T, PAIRS::BITS, PUSH, SUM, all.order[K]...>(m, t,
                                                                         s);
    }
    static bool start(const reshard_move &m, const ll_reshard_tile &t,
                      cudaStream_t s) {
        return find(m, t, s, std::make_integer_sequence<unsigned, all.n>());
    }
};

/* Starts the kernel of a job: that of its order, or the one of any order, which
 * also writes elements to several places. Returns true if it is the former.
 * SUM: what partial sums are. */
template <class T, class PAIRS, class SUM = void>
bool reshard_run(const reshard_move &m, const ll_reshard_tile &t, bool push,
                 cudaStream_t stream) {
    if (!m.copies &&
        (push ? reshard_kernels<T, PAIRS, true, void>::start(m, t, stream)
              : reshard_kernels<T, PAIRS, false, SUM>::start(m, t, stream))) {
        return true;
    }
    const unsigned tiles = 1u << m.tiles;
    const size_t bytes = sizeof(T) << t.bits;
    const unsigned long long order = reshard_order(t);
    if (push) {
        reshard_any<T, true>
            <<<tiles, RESHARD_THREADS, bytes, stream>>>(m, order, t.bits);
    } else {
        reshard_any<T, false, SUM>
            <<<tiles, RESHARD_THREADS, bytes, stream>>>(m, order, t.bits);
    }
    return false;
}

#endif
