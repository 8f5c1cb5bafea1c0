/* reshard_ragged_kernels.h - kernels that move ragged tensors between the GPUs
 * of a host, with the plans of reshard.h and the memories of reshard_ragged.h.
 * SPDX-License-Identifier: MIT
 *
 * A block moves a tile of the padded tensor through shared memory. A run of the
 * tile is contiguous in a memory and may start at any element: aligned 16 bytes
 * are one access, the ends are accessed element by element. Padding is never
 * touched; a tile of padding only takes part in the flags. Plans without a tile
 * move one element per thread. Partial sums are added on the way, as in
 * reshard.h: all ranks that hold parts of a sum have the same elements at the
 * same offsets, in memories with the same alignment.
 */
#ifndef LL_EXAMPLE_RESHARD_RAGGED_KERNELS_H
#define LL_EXAMPLE_RESHARD_RAGGED_KERNELS_H

#include "reshard_kernels.h"
#include "reshard_ragged.h"

namespace ll_kernels {

enum { RAGGED_DIGITS = 10, RAGGED_AXES = 6 };

/* The digits of an offset: digit k starts at bit first[k]. */
struct ragged_digits {
    unsigned n, first[RAGGED_DIGITS + 1];
};

/* The runs of a tile in one order:
 *   bits  log2 of the elements of a run
 *   axis  axis along which runs lie
 *   low   lowest index bit of this axis that runs span */
struct ragged_runs {
    unsigned bits, axis, low;
};

/* Further arguments of a kernel, beside a reshard_move. */
struct ragged_move {
    unsigned axes, element[LL_MAX_BITS], element_0;
    ragged_axis axis[RAGGED_AXES];
    ragged_digits near_digits, far_digits;
    unsigned near_weight[RAGGED_DIGITS];
    unsigned far_weight[RESHARD_RANKS][RAGGED_DIGITS];
    ragged_runs near_runs, far_runs;
};

/* Returns the address of an offset: the sum of its digits times their weights.
 */
__device__ inline unsigned ragged_address(const ragged_digits &d,
                                          const unsigned *weight,
                                          unsigned offset) {
    unsigned at = 0;
    for (unsigned k = 0; k < d.n; ++k) {
        const unsigned bits = d.first[k + 1] - d.first[k];
        at += (offset >> d.first[k] & ((1u << bits) - 1u)) * weight[k];
    }
    return at;
}

/* Returns the number of elements of a run that exist; y is the first. */
__device__ inline unsigned ragged_count(const ragged_move &g,
                                        const ragged_runs &r, unsigned y) {
    unsigned n = 1u << r.bits;
    for (unsigned k = 0; k < g.axes; ++k) {
        const ragged_axis a = g.axis[k];
        const unsigned x = y >> a.start & ((1u << a.bits) - 1u);
        const unsigned low = x & ((1u << a.low) - 1u), q = r.low;
        const unsigned first = (x >> a.low) * a.part;
        const unsigned left = first < a.size ? a.size - first : 0u;
        const unsigned end = left < a.part ? left : a.part;
        const unsigned more = low < end ? end - low : 0u;
        const unsigned some = (more + (1u << q) - 1u) >> q;
        n = k == r.axis ? (some < n ? some : n) : more ? n : 0u;
    }
    return n;
}

/* A run of a tile: its offsets in both memories, its place in the tile, and the
 * number of its elements that exist. */
struct ragged_run {
    reshard_bit at;
    unsigned place, count;
};

__device__ inline ragged_run ragged_run_of(const reshard_move &m,
                                           const ragged_move &g,
                                           const ragged_runs &r,
                                           ragged_run base, unsigned y,
                                           unsigned bits,
                                           unsigned long long order,
                                           unsigned number) {
    base.place = place_in_tile(order, bits, number << r.bits);
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned on = 0u - (base.place >> k & 1u);
        const reshard_bit b = m.bit[k];
        base.at = base.at ^ reshard_bit{b.far & on, b.peer & on, b.near & on};
        y ^= g.element[k] & on;
    }
    base.count = ragged_count(g, r, y);
    return base;
}

/* Loads an element of a peer. With SUM, returns the sum over all ranks that
 * differ from the peer in the bits m.sum, added as load_words does. */
template <class T, class SUM>
__device__ inline T load_element(const reshard_move &m, unsigned peer,
                                 size_t at) {
    if constexpr (std::is_void<SUM>::value) {
        return *(const T *)(m.far[peer] + at);
    } else {
        float s[2] = {0, 0};
        unsigned part = 0;
        do {
            const unsigned rank = (peer & ~m.sum) | part;
            const float x = SUM::number(*(const T *)(m.far[rank] + at), 0);
            *s = part ? *s + x : x;
            part = (part - m.sum) & m.sum; /* the next subset */
        } while (part);
        return (T)SUM::word(s);
    }
}

/* Moves 16 bytes of a run between its memory and the tile; at the ends of the
 * run only what exists. Vector 0 is the one in which the run starts. SUM: type
 * of partial sums, if the run is a peer's. */
template <class T, bool STORE, class SUM>
__device__ inline void move_vector(const reshard_move &m, unsigned peer, T *run,
                                   unsigned word, unsigned count,
                                   unsigned char *tile, unsigned place,
                                   unsigned long long order, unsigned bits) {
    constexpr bool ADDS = !std::is_void<SUM>::value;
    const size_t at = ADDS ? (size_t)((unsigned char *)run - m.far[peer]) : 0;
    constexpr unsigned V = 16u / sizeof(T);
    const unsigned phase = (unsigned)((size_t)run / sizeof(T) % V);
    const unsigned first = word * V - phase; /* wraps before the run */
    const bool whole = first < count && count - first >= V;
    union {
        uint4 words;
        T element[V];
    } v;
    if (!STORE && whole) {
        v.words = ADDS ? load_words<SUM>(m, peer, at + first * sizeof(T))
                       : __ldcs((const uint4 *)(run + first));
    }
    const unsigned here = place ^ place_in_tile(order, bits, first & ~(V - 1u));
    const unsigned next =
        place ^ place_in_tile(order, bits, (first & ~(V - 1u)) + V);
    LL_UNROLL
    for (unsigned e = 0; e < V; ++e) {
        const unsigned x = first + e, carry = (x ^ first) & ~(V - 1u);
        T *const cell = shared_element<T>(
            tile, (carry ? next : here) ^ place_in_tile(order, bits, x % V));
        if (x >= count) {
            continue;
        }
        if (STORE && whole) {
            v.element[e] = *cell;
        } else if (STORE) {
            run[x] = *cell;
        } else {
            *cell = whole  ? v.element[e]
                    : ADDS ? load_element<T, SUM>(m, peer, at + x * sizeof(T))
                           : run[x];
        }
    }
    if (STORE && whole) {
        __stcs((uint4 *)(run + first), v.words);
    }
}

/* Returns the address of a run in the peer's memory (far) or of a copy in this
 * rank's. */
template <class T>
__device__ inline T *run_address(const reshard_move &m, const ragged_move &g,
                                 const reshard_bit &at, bool far,
                                 unsigned copy) {
    if (far) {
        return (T *)m.far[at.peer] + ragged_address(g.far_digits,
                                                    g.far_weight[at.peer],
                                                    at.far);
    }
    return (T *)m.near + ragged_address(g.near_digits, g.near_weight,
                                        at.near ^ copy_offset(m, copy));
}

/* Moves the runs of a block's tile between one of its memories and the tile. */
template <class T, bool FAR, bool STORE, class SUM>
__device__ inline void move_runs(const reshard_move &m, const ragged_move &g,
                                 reshard_bit at, unsigned y, unsigned bits,
                                 unsigned long long order,
                                 unsigned char *tile) {
    constexpr unsigned V = 16u / sizeof(T);
    const ragged_runs &r = FAR ? g.far_runs : g.near_runs;
    const unsigned words = ((1u << r.bits) + V - 1u) / V + 1u;
    const ragged_run base = {at, 0, 0};
    for (unsigned w = threadIdx.x; w < words << (bits - r.bits);
         w += blockDim.x) {
        const unsigned number = w / words;
        const ragged_run run =
            ragged_run_of(m, g, r, base, y, bits, order, number);
        const unsigned places = FAR || !STORE ? 1u : 1u << m.copies;
        for (unsigned c = 0; c < places && run.count; ++c) {
            move_vector<T, STORE, SUM>(
                m, run.at.peer, run_address<T>(m, g, run.at, FAR, c),
                w - number * words, run.count, tile, run.place, order, bits);
        }
    }
}

/* Returns the first element of tile x, whose bits start at bit `first` of the
 * plan. */
__device__ inline unsigned first_element(const reshard_move &m,
                                         const ragged_move &g, unsigned first,
                                         unsigned x) {
    unsigned y = g.element_0;
    for (unsigned k = 0; k < m.tiles; ++k) {
        y ^= x >> k & 1u ? g.element[first + k] : 0u;
    }
    return y;
}

/* Moves one tile of 2^bits elements per block. */
template <class T, bool PUSH, class SUM = void>
__global__ void __launch_bounds__(RESHARD_THREADS)
    reshard_ragged(const __grid_constant__ reshard_move m,
                   const __grid_constant__ ragged_move g,
                   unsigned long long order, unsigned bits) {
    extern __shared__ __align__(16) unsigned char tile[];
    const unsigned long long same = identity_order();
    const reshard_bit base =
        m.zero ^ block_offsets<LL_MAX_BITS>(m, bits, m.tiles, blockIdx.x);
    const unsigned y = first_element(m, g, bits, blockIdx.x);
    begin_tile(m, base.peer);
    move_runs<T, !PUSH, false, SUM>(m, g, base, y, bits, PUSH ? same : order,
                                    tile);
    __syncthreads();
    move_runs<T, PUSH, true, void>(m, g, base, y, bits, PUSH ? order : same,
                                   tile);
    end_tile<PUSH>(m);
}

/* Moves one element per thread, to all its copies. */
template <class T, class SUM = void>
__global__ void __launch_bounds__(RESHARD_THREADS)
    reshard_single(const __grid_constant__ reshard_move m,
                   const __grid_constant__ ragged_move g) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    begin_tile(m, m.rank);
    if (x >> m.tiles == 0) {
        const reshard_bit at =
            m.zero ^ block_offsets<LL_MAX_BITS>(m, 0, m.tiles, x);
        const ragged_runs one = {0, 0, 0};
        if (ragged_count(g, one, first_element(m, g, 0, x))) {
            T *const there = run_address<T>(m, g, at, true, 0);
            const T v = load_element<T, SUM>(
                m, at.peer, (size_t)((unsigned char *)there - m.far[at.peer]));
            for (unsigned c = 0; c < 1u << m.copies; ++c) {
                *run_address<T>(m, g, at, false, c) = v;
            }
        }
    }
    end_tile<false>(m);
}

/* Sets the digits that fit all memories of a list; empty memories do not count.
 * Returns 0 if there are more than RAGGED_DIGITS. */
inline int ragged_digits_of(ragged_digits *d, const ragged_memory *memory,
                            unsigned memories, unsigned bits) {
    *d = ragged_digits{};
    for (unsigned k = 0; k < bits; ++k) {
        bool more = k > 0;
        for (unsigned r = 0; r < memories && more; ++r) {
            more = !memory[r].elements ||
                   memory[r].weight[k] == 2 * memory[r].weight[k - 1];
        }
        if (!more && d->n == RAGGED_DIGITS) {
            return 0;
        }
        if (!more) {
            d->first[d->n++] = k;
        }
        d->first[d->n] = k + 1;
    }
    return 1;
}

/* Returns the longest runs of a tile in one memory. The lowest bits of the
 * offset must be consecutive index bits of one axis, which no other bit
 * changes. */
inline ragged_runs ragged_runs_of(const reshard_move &m, const ragged_move &g,
                                  const ll_reshard_tile &t, bool far,
                                  unsigned most) {
    ragged_runs r = {};
    unsigned axis = 0;
    for (r.bits = most < t.bits ? most : t.bits; r.bits; --r.bits) {
        const unsigned first = g.element[far ? t.order[0] : 0];
        unsigned others = g.element_0;
        unsigned offsets = far ? m.zero.far : m.zero.near;
        bool good = first && !(first & (first - 1u));
        for (unsigned k = 0; k < t.bits + t.rest; ++k) {
            const unsigned at = far && k < t.bits ? t.order[k] : k;
            const unsigned o = far ? m.bit[at].far : m.bit[at].near;
            if (k < r.bits) {
                good = good && g.element[at] == first << k && o == 1u << k &&
                       !m.bit[at].peer;
            } else {
                others |= g.element[at];
                offsets |= o;
            }
        }
        axis = 0;
        while (axis + 1 < g.axes && first >= 1u << g.axis[axis + 1].start) {
            ++axis;
        }
        r.axis = axis;
        r.low = good ? ll_log2_(first) - g.axis[axis].start : 0;
        if (good && r.low + r.bits <= g.axis[axis].low &&
            !(others & ll_ones_(r.bits) << ll_log2_(first)) &&
            !(offsets & ll_ones_(r.bits))) {
            return r;
        }
    }
    return ragged_runs{};
}

/* How a pair of ragged shardings is executed: a job of reshard_kernels.h, with
 * or without a tile, and the shardings of far and near memories. */
struct ragged_job {
    unsigned err;
    reshard_job by;
    ragged_plan plan;
};

inline ragged_job ragged_job_of(const ll_layout &from, const ll_layout &to,
                                unsigned bits, const ll_topology &t,
                                unsigned bytes, const ragged &sizes,
                                const char *sums = "") {
    ragged_job j = {};
    j.by = reshard_job_of(from, to, bits, t, bytes, sums);
    if (j.by.tile.err && !j.by.plan.err) {
        ll_reshard_tile &tile = j.by.tile;
        tile = ll_reshard_tile{};
        tile.rest = j.by.plan.message + j.by.plan.peers;
        for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
            tile.x[k] = 1u << k;
        }
    }
    const ll_layout near = ll_layout_onto_(to, &from.out);
    j.plan = ragged_plan_of(j.by.plan, j.by.push ? near : from,
                            j.by.push ? from : near, sizes);
    j.err = j.by.plan.err ? j.by.plan.err
            : sizes.n > RAGGED_AXES ? (unsigned)LL_RESHARD_ETILE : 0u;
    return j;
}

/* Sets the further arguments of a rank's kernel. Returns false if a memory has
 * too many digits. */
inline bool ragged_numbers(const ragged_job &j, const reshard_move &m,
                           ragged_move *g) {
    const ll_reshard &p = j.by.plan;
    const ragged_plan &r = j.plan;
    ragged_memory far[RESHARD_RANKS];
    const ragged_memory near = ragged_after(&r, m.rank);
    *g = ragged_move{};
    g->axes = r.sizes.n;
    for (unsigned k = 0; k < g->axes; ++k) {
        g->axis[k] = r.sizes.axis[k];
    }
    for (unsigned k = 0; k < m.ranks; ++k) {
        far[k] = ragged_before(&r, k);
    }
    if (!ragged_digits_of(&g->near_digits, &near, 1, near.n) ||
        !ragged_digits_of(&g->far_digits, far, m.ranks, far[0].n)) {
        return false;
    }
    for (unsigned d = 0; d < RAGGED_DIGITS; ++d) {
        g->near_weight[d] = near.weight[g->near_digits.first[d]];
        for (unsigned k = 0; k < m.ranks; ++k) {
            g->far_weight[k][d] = far[k].weight[g->far_digits.first[d]];
        }
    }
    const ragged_map zero = ragged_of_rank(&p, &r.from, 0);
    const ragged_map own = ragged_of_rank(&p, &r.from, m.zero.peer);
    g->element_0 = ragged_element(&own, m.zero.far);
    for (unsigned k = 0; k < j.by.tile.bits + j.by.tile.rest; ++k) {
        const ragged_map peer = ragged_of_rank(&p, &r.from, m.bit[k].peer);
        g->element[k] = ragged_element(&peer, m.bit[k].far) ^ zero.base;
    }
    g->near_runs = ragged_runs_of(m, *g, j.by.tile, false,
                                  g->near_digits.first[1]);
    g->far_runs = ragged_runs_of(m, *g, j.by.tile, true,
                                 g->far_digits.first[1]);
    return true;
}

/* Launches the kernel of a ragged job on a rank. SUM: type of partial sums. */
template <class T, class SUM = void>
void ragged_launch(const ragged_job &j, reshard_move m, const ragged_move &g,
                   cudaStream_t stream) {
    const ll_reshard_tile &t = j.by.tile;
    const unsigned long long order = reshard_order(t);
    const size_t bytes = sizeof(T) << t.bits;
    if (!t.bits) {
        const unsigned blocks = ((1u << t.rest) + RESHARD_THREADS - 1u) /
                                RESHARD_THREADS;
        m.mixed = 1;
        reshard_single<T, SUM><<<blocks, RESHARD_THREADS, 0, stream>>>(m, g);
    } else if (j.by.push) {
        reshard_ragged<T, true><<<1u << m.tiles, RESHARD_THREADS, bytes,
                                  stream>>>(m, g, order, t.bits);
    } else {
        reshard_ragged<T, false, SUM><<<1u << m.tiles, RESHARD_THREADS, bytes,
                                        stream>>>(m, g, order, t.bits);
    }
}

} // namespace ll_kernels

#endif
