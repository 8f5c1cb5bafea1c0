// convert.cu - conversions between register layouts, beside the hardware limit
// SPDX-License-Identifier: MIT
//
// A tile goes from layout A to layout B and back in a loop, with an XOR by a
// number of run time between, in 1056 blocks of 128 threads. The time of one
// round trip of all blocks is the difference between a long and a short loop.
// The result must be the tile again. Elements lie packed in 32-bit words.
//
// Every case is planned as the cost model wants it and, where both can be had,
// by shuffles and through shared memory alone.
//
// Build and run: bench/run.sh convert
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "examples/check.h"
#include "ll_ptx.h"

namespace {

enum : unsigned { blocks = 1056, threads = 128, rounds = 9 };
enum : unsigned { few = 500, many = 2500 };

// ---- The cases ----------------------------------------------------------

#define SHAPE(text) ll_shape_of(text)

// 16 bytes of a row for a lane, the warps below each other; and its transpose.
template <unsigned M, unsigned N, unsigned BITS> struct rows16 {
    LL_CONSTANT_ ll_layout get() { return ll_rows(M, N, BITS / 8); }
};
template <unsigned M, unsigned N, unsigned BITS> struct cols16 {
    LL_CONSTANT_ ll_layout get() {
        return ll_trans(ll_rows(N, M, BITS / 8), "j i");
    }
};
template <unsigned M, unsigned N, unsigned BITS> struct mma_c {
    LL_CONSTANT_ ll_layout get() { return ll_ptx_mma_c(M, N, 4); }
};
template <unsigned M, unsigned N, unsigned BITS> struct wgmma_d {
    LL_CONSTANT_ ll_layout get() {
        return ll_tiled(ll_ptx_wgmma_d(64, 16, 4),
                        ll_with(ll_with(SHAPE(""), LL_J, N), LL_I, M),
                        SHAPE(""));
    }
};
template <unsigned M, unsigned N, unsigned BITS> struct mma_a {
    LL_CONSTANT_ ll_layout get() { return ll_ptx_mma_a(M, N, BITS, 4); }
};
template <unsigned M, unsigned N, unsigned BITS> struct wgmma_a {
    LL_CONSTANT_ ll_layout get() {
        return ll_tiled(ll_ptx_wgmma_a(64, 256 / BITS, BITS, 4),
                        ll_with(ll_with(SHAPE(""), LL_J, N), LL_I, M),
                        SHAPE(""));
    }
};

// A block of registers and of lanes; warps along i.
template <unsigned M, unsigned N, unsigned RI, unsigned RJ, unsigned LI,
          unsigned LJ>
struct blocked {
    LL_CONSTANT_ ll_layout get() {
        return ll_blocked(ll_with(ll_with(SHAPE(""), LL_J, N), LL_I, M),
                          ll_with(ll_with(SHAPE(""), LL_J, RJ), LL_I, RI),
                          ll_with(ll_with(SHAPE(""), LL_J, LJ), LL_I, LI),
                          SHAPE("i=4"));
    }
};

// ---- Kernels ------------------------------------------------------------

template <class A, class B, unsigned BITS, unsigned KIND> struct plan_for {
    LL_CONSTANT_ ll_plan get() {
        return ll_plan_by(A::get(), B::get(), BITS, LL_SM90, KIND);
    }
};

// A word of equal elements.
template <unsigned BITS> constexpr unsigned repeated() {
    return BITS == 8 ? 0xb5b5b5b5u : BITS == 16 ? 0xb92fb92fu : 0x9e3779b9u;
}

template <unsigned BITS> struct element_of;
template <> struct element_of<8> { typedef unsigned char type; };
template <> struct element_of<16> { typedef unsigned short type; };
template <> struct element_of<32> { typedef unsigned type; };

template <class PLAN> __device__ void wait() {
    if (LL_GET(PLAN).kind == LL_SHARED) {
        if (LL_GET(PLAN).step[2].op == LL_OP_SYNC_BLOCK) {
            __syncthreads();
        } else {
            __syncwarp();
        }
    }
}

template <class A, class B, unsigned BITS, unsigned KIND>
__global__ void __launch_bounds__(threads)
    round_trip(typename element_of<BITS>::type *dst,
               const typename element_of<BITS>::type *src, unsigned ld,
               unsigned c, unsigned trips) {
    typedef plan_for<A, B, BITS, KIND> FORTH;
    typedef plan_for<B, A, BITS, KIND> BACK;
    extern __shared__ __align__(16) unsigned char smem[];
    constexpr unsigned n = LL_WORDS(A, BITS), m = LL_WORDS(B, BITS);
    unsigned a[n], b[m];
    LL_LOAD(a, A, src, ld);
    for (unsigned k = 0; k < trips; ++k) {
        LL_CONVERT(b, a, FORTH, smem);
        for (unsigned r = 0; r < m; ++r) { b[r] ^= c; }
        wait<FORTH>();
        LL_CONVERT(a, b, BACK, smem);
        for (unsigned r = 0; r < n; ++r) { a[r] ^= c; }
        wait<BACK>();
    }
    LL_STORE(a, A, dst, ld);
}

// ---- Measuring ----------------------------------------------------------

int failures;

template <class F> float milliseconds(F &&go) {
    cudaEvent_t start, stop;
    float ms = 0;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaEventRecord(start));
    go();
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&ms, start, stop));
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(stop));
    return ms;
}

const char *kind_name(unsigned kind) {
    const char *const name[] = {"nothing", "registers", "shuffles", "shared"};
    return name[kind];
}

unsigned counted(const ll_plan &p, unsigned op, unsigned alt) {
    unsigned n = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        n += p.step[k].op == op || p.step[k].op == alt ? p.step[k].count : 0;
    }
    return n;
}

template <class A, class B, unsigned BITS, unsigned KIND>
void measure(const char *name, unsigned m, unsigned n, const char *how) {
    typedef typename element_of<BITS>::type T;
    const ll_plan forth = plan_for<A, B, BITS, KIND>::get();
    const ll_plan back = plan_for<B, A, BITS, KIND>::get();
    if (forth.err || back.err) {
        return;
    }
    const unsigned smem = std::max(forth.smem_bytes, back.smem_bytes);
    auto kernel = round_trip<A, B, BITS, KIND>;
    std::vector<T> src(m * n), dst(m * n);
    T *d_src, *d_dst;
    randomise(src.data(), src.size() * sizeof(T), BITS + m + n);
    MUST(cudaMalloc(&d_src, src.size() * sizeof(T)));
    MUST(cudaMalloc(&d_dst, src.size() * sizeof(T)));
    MUST(cudaMemcpy(d_src, src.data(), src.size() * sizeof(T),
                    cudaMemcpyHostToDevice));
    MUST(cudaMemset(d_dst, 0x5a, src.size() * sizeof(T)));
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
    const auto go = [=](unsigned trips) {
        kernel<<<blocks, threads, smem>>>(d_dst, d_src, n, repeated<BITS>(), trips);
    };
    go(3);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(dst.data(), d_dst, src.size() * sizeof(T),
                    cudaMemcpyDeviceToHost));
    if (dst != src) {
        std::printf("WRONG %s %u %s\n", name, BITS, how);
        ++failures;
    }
    std::vector<double> ns;
    for (unsigned k = 0; k < rounds + 1; ++k) {
        const float lo = milliseconds([&] { go(few); });
        const float hi = milliseconds([&] { go(many); });
        if (k) { ns.push_back((hi - lo) * 1e6 / (many - few)); }
    }
    std::sort(ns.begin(), ns.end());
    const double bytes = double(m) * n * BITS / 8;
    const double roof = 4 * bytes * blocks / 132 / 128 / 1.98;
    const unsigned shuffles = counted(forth, LL_OP_SHUFFLE, LL_OP_SHUFFLE) +
                              counted(back, LL_OP_SHUFFLE, LL_OP_SHUFFLE);
    const unsigned logic = counted(forth, LL_OP_RENAME, LL_OP_SELECT) +
                           counted(back, LL_OP_RENAME, LL_OP_SELECT);
    const double shuffle_roof = double(shuffles) * blocks * 4 / 132 / 1.98;
    std::printf("%-40s %2u %-8s %9.1f ns roof %.2f shfl %u (%.2f) logic %u "
                "cycles %u+%u st %u ld %u %s\n",
                name, BITS, how, ns[ns.size() / 2], roof / ns[ns.size() / 2],
                shuffles, shuffle_roof / ns[ns.size() / 2], logic,
                forth.cycles, back.cycles,
                counted(forth, LL_OP_STORE, LL_OP_STORE) +
                    counted(back, LL_OP_STORE, LL_OP_STORE),
                counted(forth, LL_OP_LOAD, LL_OP_LOAD) +
                    counted(back, LL_OP_LOAD, LL_OP_LOAD),
                kind_name(forth.kind));
    std::fflush(stdout);
    MUST(cudaFree(d_src));
    MUST(cudaFree(d_dst));
}

template <class A, class B, unsigned BITS>
void both(const char *name, unsigned m, unsigned n) {
    measure<A, B, BITS, LL_ANY>(name, m, n, "best");
    if (plan_for<A, B, BITS, LL_ANY>::get().kind == LL_SHUFFLES) {
        measure<A, B, BITS, LL_SHARED>(name, m, n, "shared");
    }
    if (!plan_for<A, B, BITS, LL_SHUFFLES>::get().err &&
        plan_for<A, B, BITS, LL_ANY>::get().kind == LL_SHARED) {
        measure<A, B, BITS, LL_SHUFFLES>(name, m, n, "shuffles");
    }
}

template <unsigned BITS> void all() {
    both<rows16<128, 128, BITS>, cols16<128, 128, BITS>, BITS>(
        "row16B->col16B", 128, 128);
    both<rows16<128, 128, BITS>, blocked<128, 128, 1, 1, 32, 1>, BITS>(
        "row16B->1elem col-of-lanes", 128, 128);
    both<blocked<16, 64, 1, 8, 4, 8>, blocked<16, 64, 4, 2, 1, 32>, BITS>(
        "[1,8]x[4,8]->[4,2]x[1,32]", 16, 64);
    both<blocked<16, 128, 1, 4, 1, 32>, blocked<16, 128, 1, 1, 1, 32>, BITS>(
        "[1,4]x[1,32]->[1,1]x[1,32]", 16, 128);
    both<blocked<32, 64, 1, 16, 8, 4>, blocked<32, 64, 2, 8, 4, 8>, BITS>(
        "[1,16]x[8,4]->[2,8]x[4,8]", 32, 64);
    both<mma_c<128, 128, BITS>, rows16<128, 128, BITS>, BITS>(
        "mma2 acc->row16B", 128, 128);
    both<wgmma_d<128, 128, BITS>, rows16<128, 128, BITS>, BITS>(
        "mma3 acc->row16B", 128, 128);
}

template <unsigned BITS> void narrow() {
    both<rows16<128, 64, BITS>, mma_a<128, 64, BITS>, BITS>(
        "row16B->mma2 operandA", 128, 64);
    both<wgmma_d<128, 128, BITS>, wgmma_a<128, 128, BITS>, BITS>(
        "mma3 acc->mma3 operandA", 128, 128);
    both<mma_c<128, 64, BITS>, mma_a<128, 64, BITS>, BITS>(
        "mma2 acc->mma2 operandA", 128, 64);
}

} // namespace

int main() {
    all<8>();
    narrow<8>();
    all<16>();
    narrow<16>();
    all<32>();
    return failures != 0;
}
