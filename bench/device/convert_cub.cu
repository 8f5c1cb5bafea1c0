// convert_cub.cu - cases of convert.cu beside cub: -DLL_BENCH_BITS=8, 16
// or 32
// SPDX-License-Identifier: MIT
//
// From blocked to striped, as cub::BlockExchange and cub::WarpExchange do:
// adjacent elements are first in one thread, then in adjacent lanes.
#include <cub/block/block_exchange.cuh>
#include <cub/warp/warp_exchange.cuh>

#include "convert.h"

namespace {

enum : unsigned { bits = LL_BENCH_BITS };

// One row per block. Blocked: a thread holds ITEMS adjacent elements. Striped:
// a warp holds 32 adjacent elements, the next warp the next 32, and so on round
// after round.
template <unsigned ITEMS> struct block_blocked {
    LL_CONSTANT_ ll_layout get() {
        return ll_blocked(matrix(1, threads * ITEMS), matrix(1, ITEMS),
                          matrix(1, 32), matrix(1, warps));
    }
};
template <unsigned ITEMS> struct block_striped {
    LL_CONSTANT_ ll_layout get() {
        return ll_blocked(matrix(1, threads * ITEMS), matrix(1, 1),
                          matrix(1, 32), matrix(1, warps));
    }
};

template <class T, unsigned ITEMS> struct of_block {
    typedef block_blocked<ITEMS> BLOCKED;
    typedef block_striped<ITEMS> STRIPED;
    typedef cub::BlockExchange<T, threads, ITEMS> exchange;
    typedef typename exchange::TempStorage storage;
    static __device__ exchange in(storage &s) { return exchange(s); }
    static __device__ void wait() { __syncthreads(); }
};

// One row per warp.
template <class T, cub::WarpExchangeAlgorithm HOW> struct of_warp {
    typedef blocked<warps, 1024, 1, 32, 1, 32> BLOCKED;
    typedef blocked<warps, 1024, 1, 1, 1, 32> STRIPED;
    typedef cub::WarpExchange<T, 32, 32, HOW> exchange;
    struct storage {
        typename exchange::TempStorage of[warps];
    };
    static __device__ exchange in(storage &s) {
        return exchange(s.of[threadIdx.x / 32]);
    }
    static __device__ void wait() { __syncwarp(); }
};

template <unsigned N, class T> __device__ void words(unsigned (&w)[N], T *b) {
    constexpr unsigned pack = 4 / sizeof(T);
    for (unsigned k = 0; k < N * pack; ++k) {
        w[k / pack] = (k % pack ? w[k / pack] : 0u) |
                      unsigned(b[k]) << k % pack * 8 * unsigned(sizeof(T));
    }
}

template <class T, class E>
__global__ void __launch_bounds__(threads)
    cub_trip(T *dst, const T *src, unsigned c, unsigned trips) {
    typedef typename E::BLOCKED A;
    constexpr unsigned rows = ll_size(LL_GET(A).out, LL_I);
    constexpr unsigned cols = ll_size(LL_GET(A).out, LL_J);
    constexpr unsigned n = LL_REGS(A);
    __shared__ typename E::storage memory;
    T a[n], b[n];
    LL_LOAD(a, A, src + size_t(blockIdx.x) * rows * cols, cols);
    for (unsigned k = 0; k < trips; ++k) {
        E::in(memory).BlockedToStriped(a, b);
        for (unsigned r = 0; r < n; ++r) {
            b[r] = T(b[r] ^ c);
        }
        E::wait();
        E::in(memory).StripedToBlocked(b, a);
        for (unsigned r = 0; r < n; ++r) {
            a[r] = T(a[r] ^ c);
        }
        E::wait();
    }
    E::in(memory).BlockedToStriped(a, b);
    unsigned w[LL_WORDS(A, bits)];
    words(w, b);
    dump(dst + size_t(blockIdx.x) * rows * cols, w);
}

typedef element_of<bits>::type element;

template <class E>
void add_cub(conversion &to, const char *who, const char *kind) {
    planned plan = {};
    plan.kind = kind;
    to.all.push_back(entry(who, cub_trip<element, E>, 0, plan));
}

template <unsigned ITEMS>
void of_blocks(std::vector<conversion> &all, const char *name) {
    add_cub<of_block<element, ITEMS>>(
        add_case<block_blocked<ITEMS>, block_striped<ITEMS>, bits>(all, name),
        "cub", "shared");
}

void cases(std::vector<conversion> &all) {
    of_blocks<64>(all, "block-striped-64");
    if constexpr (bits == 32) {
        of_blocks<16>(all, "block-striped-16");
    }
    typedef of_warp<element, cub::WARP_EXCHANGE_SMEM> memory;
    typedef of_warp<element, cub::WARP_EXCHANGE_SHUFFLE> shuffles;
    conversion &c = add_case<memory::BLOCKED, memory::STRIPED, bits>(
        all, "warp-striped-32");
    add_cub<memory>(c, "cub-shared", "shared");
    add_cub<shuffles>(c, "cub-shuffles", "shuffles");
}

} // namespace

void LL_BENCH_NAME(cub, LL_BENCH_BITS)(std::vector<conversion> &all) {
    cases(all);
}
