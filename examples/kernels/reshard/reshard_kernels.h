/* reshard_kernels.h - picks the kernel that executes a plan of ll_reshard_of.
 * SPDX-License-Identifier: MIT
 *
 * Pairs of shardings that are known at compile time are constants: each order
 * of a tile gets an instance of the kernel of reshard.h, with a planned
 * conversion. Plans that are known only at run time take the kernel of
 * reshard_any_order.h. */
#ifndef LL_EXAMPLE_RESHARD_KERNELS_H
#define LL_EXAMPLE_RESHARD_KERNELS_H

#include "reshard_any_order.h"

namespace ll_kernels {

/* How a pair of shardings is executed. Between two GPUs that both send, writes
 * to peers are 9 % faster than reads from them. So data is pushed, by the plan
 * of the opposite direction, if each element has one place before and after and
 * lanes can write 16 contiguous bytes to the peers. Otherwise data is pulled,
 * as are partial sums, which lie in ranks that differ along the axes `sums`. */
struct reshard_job {
    ll_reshard plan;
    ll_reshard_tile tile;
    bool push;
};

/* Returns the tile of a plan that is pulled, with an error if copies of an
 * element differ in their offset from 16 bytes. */
LL_FN ll_reshard_tile reshard_pull_tile(const ll_reshard &p, unsigned bytes) {
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
    j.tile = reshard_pull_tile(j.plan, bytes);
    if (j.plan.err || j.plan.sum || ll_shape_bits_(&from.in) != all ||
        ll_shape_bits_(&to.in) != all) {
        return j;
    }
    back.push = true;
    back.plan = ll_reshard_of(to, from, bits, t);
    back.tile = ll_reshard_tile_of(back.plan, bytes, 128);
    return back.tile.err ? j : back;
}

/* Returns the number, in the order of this rank's memory, of element x in
 * another order of a tile of 2^bits elements. */
__device__ inline unsigned place_in_tile(unsigned long long order,
                                         unsigned bits, unsigned x) {
    unsigned at = 0;
    for (unsigned k = 0; k < bits; ++k) {
        at ^= (x >> k & 1u) << (order >> 4u * k & 15u);
    }
    return at;
}

/* Returns the address in shared memory of an element of the tile. Groups of 16
 * bytes are swizzled: they use other banks in each line of 128 bytes. */
template <class T>
__device__ inline T *shared_element(unsigned char *tile, unsigned place) {
    const unsigned at = place * (unsigned)sizeof(T);
    return (T *)(tile + (at ^ (at >> 3u & 0x70u)));
}

/* The order of a pair's tile and the direction of its data. `order` is 0 if the
 * pair has no tile of 2^BITS elements. PAIRS has the number of pairs N, the
 * log2 of a tile's elements BITS, and of(k), the job of pair k. */
struct tile_direction {
    unsigned long long order;
    bool push;
};
template <class PAIRS, unsigned K> struct tile_direction_of {
    LL_FN tile_direction made() {
        const reshard_job j = PAIRS::of(K);
        const bool good = !j.tile.err && j.tile.bits == PAIRS::BITS;
        return {good ? reshard_order(j.tile) : 0, j.push};
    }
    static constexpr tile_direction value = made();
};

/* The distinct orders of all pairs with one direction. */
template <unsigned N> struct reshard_orders {
    unsigned n;
    unsigned long long order[N];
};
template <class PAIRS, bool PUSH, unsigned... K>
constexpr reshard_orders<PAIRS::N>
reshard_orders_of(std::integer_sequence<unsigned, K...>) {
    const tile_direction all[] = {tile_direction_of<PAIRS, K>::value...};
    reshard_orders<PAIRS::N> found = {};
    for (const tile_direction &w : all) {
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

/* The kernels of the pairs with one direction. start() returns false if none
 * has the order of the tile. */
template <class T, class PAIRS, bool PUSH, class SUM> struct reshard_kernels {
    static constexpr reshard_orders<PAIRS::N> all =
        reshard_orders_of<PAIRS, PUSH>(
            std::make_integer_sequence<unsigned, PAIRS::N>());

    template <unsigned... K>
    static bool find(const reshard_move &m, const ll_reshard_tile &t,
                     cudaStream_t s, std::integer_sequence<unsigned, K...>) {
        return reshard_launch_known<T, PAIRS::BITS, PUSH, SUM, all.order[K]...>(
            m, t, s);
    }
    static bool start(const reshard_move &m, const ll_reshard_tile &t,
                      cudaStream_t s) {
        return find(m, t, s, std::make_integer_sequence<unsigned, all.n>());
    }
};

/* Launches the kernel of a job: the instance for its order and returns true, or
 * the kernel for any order, which also writes copies, and returns false. SUM:
 * type of partial sums. */
template <class T, class PAIRS, class SUM = void>
bool reshard_launch(const reshard_move &m, const ll_reshard_tile &t, bool push,
                    cudaStream_t stream) {
    if (!m.copies &&
        (push ? reshard_kernels<T, PAIRS, true, void>::start(m, t, stream)
              : reshard_kernels<T, PAIRS, false, SUM>::start(m, t, stream))) {
        return true;
    }
    (push ? any_order_launch<true, void> : any_order_launch<false, SUM>)(
        m, t, sizeof(T), stream);
    return false;
}

} // namespace ll_kernels

#endif
