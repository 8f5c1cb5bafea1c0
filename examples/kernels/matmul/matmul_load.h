/* matmul_load.h - how do the operands of a product reach shared memory?
 * SPDX-License-Identifier: MIT
 *
 * One thread of each block starts copies for all of its tiles
 * (matmul_hopper.cu). They fill a ring of stages, in which each stage has two
 * mbarriers.
 */
#ifndef LL_MATMUL_LOAD_H
#define LL_MATMUL_LOAD_H

/* A number that is the same in all lanes of a warp, so that the compiler knows
 * it and keeps what depends on it in uniform registers. */
static __device__ unsigned uniform(unsigned x) {
    return __shfl_sync(~0u, x, 0);
}

/* A place in the ring; the parity changes with each round. */
template <class T> struct place {
    unsigned smem, stage, parity;
    __device__ unsigned b() const { return smem + T::STAGE * stage; }
    __device__ unsigned a() const { return b() + T::BYTES_B; }
    __device__ unsigned full() const { return smem + T::FULL + 8 * stage; }
    __device__ unsigned empty() const { return smem + T::EMPTY + 8 * stage; }
    __device__ void next() {
        stage = stage + 1 == T::STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* Starts the copies of a tile. Neighbours that need the same rows of an operand
 * copy every so many of its boxes each, to all of them. */
template <class T>
static __device__ void load(place<T> &p, const maps &of, const tiles<T> &t) {
    const unsigned mask = ((1u << t.beside) - 1u) << t.share * t.beside;
    const auto copy = [&](unsigned to, const CUtensorMap *map, int k,
                          unsigned row, unsigned rows, unsigned box,
                          bool shared) {
        const unsigned by = shared ? t.beside * box : box;
        for (unsigned i = shared ? t.rank * box : 0; i < rows; i += by) {
            if (shared) {
                ll_ptx_cp_async_bulk_tensor_load_multicast_2d(
                    to + i * 128, map, p.full(), mask, k, (int)(row + i));
            } else {
                ll_ptx_cp_async_bulk_tensor_load_2d(to + i * 128, map, p.full(),
                                                    k, (int)(row + i));
            }
        }
    };
    for (unsigned s = t.begin; s < t.begin + t.steps; ++s) {
        const int at = (int)(s * DEPTH);
        ll_ptx_mbarrier_wait(p.empty(), p.parity);
        ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE);
        copy(p.b(), &of.b, at, t.col, T::COLS, t.box_b,
             t.beside > 1 && t.above);
        copy(p.a(), &of.a, at, t.row, T::PADDED, t.box_a,
             t.beside > 1 && !t.above);
        p.next();
    }
}

/* One thread: starts the copies of all tiles. */
template <class T>
static __device__ void produce(unsigned smem, const maps &of, const problem &p,
                               tiles<T> t) {
    place<T> at = {smem, 0, 1}; /* the ring is empty */
    for (unsigned x = t.first; x < t.whole; x += t.by) {
        t.find(x);
        load(at, of, t);
    }
    if (t.is_shared) {
        t.find_shared(p);
        load(at, of, t);
    }
    for (unsigned s = 0; s < T::STAGES && !t.is_shared; ++s) {
        ll_ptx_mbarrier_wait(at.empty(), at.parity); /* all have arrived */
        at.next();
    }
}

#endif
