// gather.cu - gathers along an axis, by every kind of plan, beside each other
// SPDX-License-Identifier: MIT
//
// x = gather(x, index) in a loop, in 1056 blocks of 128 threads: a tile and
// random indices lie in registers, four columns of a row in a lane, lanes along
// the rest of the row, warps below each other. The time of one gather of all
// blocks is the difference between a long and a short loop. Elements lie packed
// in 32-bit words; indices one in a word, the same in each trip, so that the
// compiler may keep what it makes of them; and (`packed`) four in a word, others
// in each trip as far as it knows.
//
// The tile after three gathers must be what the host makes of it. With
// -DLL_BLOCKS=1 -DLL_FEW=1 -DLL_MANY=2 -DLL_ROUNDS=1 that is what is left for
// the emulator to do.
//
// Build and run: nvcc -std=c++17 -O3 -arch=sm_90 -I. bench/gather.cu
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "examples/check.h"
#include "ll_ptx.h"

#ifndef LL_BLOCKS
#define LL_BLOCKS 1056
#endif
#ifndef LL_FEW
#define LL_FEW 200
#endif
#ifndef LL_MANY
#define LL_MANY 1000
#endif
#ifndef LL_ROUNDS
#define LL_ROUNDS 9
#endif

namespace {

enum : unsigned { blocks = LL_BLOCKS, threads = 128, rounds = LL_ROUNDS };
enum : unsigned { few = LL_FEW, many = LL_MANY, checked = 3 };

// ---- The cases ----------------------------------------------------------

template <unsigned M, unsigned N> struct tile {
    LL_CONSTANT_ ll_layout get() {
        return ll_blocked(
            ll_with(ll_with(ll_shape_of(""), LL_J, N), LL_I, M),
            ll_shape_of("j=4"),
            ll_with(ll_with(ll_shape_of(""), LL_J, N / 4), LL_I, 128 / N),
            ll_shape_of("i=4"));
    }
};

template <class A, unsigned AXIS, unsigned BITS, unsigned KIND>
struct plan_for {
    LL_CONSTANT_ ll_gathering get() {
        return ll_gather_by(A::get(), A::get(), AXIS, BITS, LL_SM90, KIND);
    }
};

template <unsigned BITS> struct element_of;
template <> struct element_of<8> { typedef unsigned char type; };
template <> struct element_of<16> { typedef unsigned short type; };
template <> struct element_of<32> { typedef unsigned type; };

// ---- Kernels ------------------------------------------------------------

template <class PLAN> __device__ void wait() {
    if (LL_GET(PLAN).kind == LL_SHARED) {
        if (LL_GET(PLAN).step[LL_GET(PLAN).n - 1].op == LL_OP_SYNC_BLOCK) {
            __syncthreads();
        } else {
            __syncwarp();
        }
    }
}

// Index number k, from one in a word or from four.
template <bool PACKED, unsigned L>
__device__ void load_indices(unsigned (&idx)[L], const unsigned *from) {
    LL_UNROLL for (unsigned r = 0; r < L; ++r) {
        idx[r] = PACKED ? 0 : from[r * threads + threadIdx.x];
        LL_UNROLL for (unsigned b = 0; PACKED && b < 4; ++b) {
            idx[r] |= from[(4 * r + b) * threads + threadIdx.x] << 8 * b;
        }
    }
}

// For all that the compiler knows, they are others.
template <unsigned L> __device__ void renew(unsigned (&idx)[L]) {
#if !LL_EMULATE
    LL_UNROLL for (unsigned r = 0; r < L; ++r) {
        asm volatile("" : "+r"(idx[r]));
    }
#else
    (void)idx;
#endif
}

template <class A, unsigned AXIS, unsigned BITS, unsigned KIND, bool PACKED>
__global__ void __launch_bounds__(threads)
    loop(typename element_of<BITS>::type *dst,
         const typename element_of<BITS>::type *src, const unsigned *index,
         unsigned ld, unsigned trips) {
    typedef plan_for<A, AXIS, BITS, KIND> PLAN;
    extern __shared__ __align__(16) unsigned char smem[];
    constexpr unsigned n = LL_WORDS(A, BITS);
    unsigned a[n], idx[PACKED ? LL_WORDS(A, 8) : LL_REGS(A)];
    LL_LOAD(a, A, src, ld);
    load_indices<PACKED>(idx, index);
    for (unsigned k = 0; k < trips; ++k) {
        unsigned b[n];
        if (PACKED) { renew(idx); }
        LL_GATHER(b, a, idx, PLAN, smem);
        LL_UNROLL for (unsigned r = 0; r < n; ++r) { a[r] = b[r]; }
        wait<PLAN>();
    }
    LL_STORE(a, A, dst, ld);
}

// ---- Measuring ----------------------------------------------------------

int failures;

#if LL_EMULATE
template <class F> float milliseconds(F &&go) {
    go();
    return 0;
}
#else
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
#endif

const char *kind_name(unsigned kind) {
    const char *const name[] = {"nothing", "registers", "shuffles", "shared"};
    return name[kind];
}

// What the loop should leave, by the definition.
template <class T>
std::vector<T> expected(std::vector<T> x, const std::vector<unsigned> &at,
                        unsigned m, unsigned n, unsigned axis) {
    for (unsigned trip = 0; trip < checked; ++trip) {
        std::vector<T> y(x.size());
        for (unsigned i = 0; i < m; ++i) {
            for (unsigned j = 0; j < n; ++j) {
                const unsigned k = at[i * n + j];
                y[i * n + j] = axis ? x[i * n + k] : x[k * n + j];
            }
        }
        x = y;
    }
    return x;
}

// The indices of a tile, in the order in which threads read them.
std::vector<unsigned> by_thread(const ll_layout &a,
                                const std::vector<unsigned> &at) {
    std::vector<unsigned> index(at.size());
    const unsigned regs = ll_size(a.in, LL_REGISTER);
    for (unsigned t = 0; t < threads; ++t) {
        for (unsigned r = 0; r < regs; ++r) {
            index[r * threads + t] = at[ll_apply(a, t * regs + r)];
        }
    }
    return index;
}

template <class A, unsigned AXIS, unsigned BITS, unsigned KIND, bool PACKED>
void measure(const char *name, unsigned m, unsigned n, const char *how) {
    typedef typename element_of<BITS>::type T;
    const ll_gathering p = plan_for<A, AXIS, BITS, KIND>::get();
    auto kernel = loop<A, AXIS, BITS, KIND, PACKED>;
    std::vector<T> src(m * n), dst(m * n);
    std::vector<unsigned> at(m * n);
    T *d_src, *d_dst;
    unsigned *d_index;
    const size_t bytes = src.size() * sizeof(T), words = at.size() * 4;
    randomise(src.data(), bytes, BITS + m + n);
    randomise(at.data(), words, n);
    for (unsigned &k : at) { k = (k >> 7) % (AXIS ? n : m); }
    const std::vector<unsigned> index = by_thread(A::get(), at);
    MUST(cudaMalloc((void **)&d_src, bytes));
    MUST(cudaMalloc((void **)&d_dst, bytes));
    MUST(cudaMalloc((void **)&d_index, words));
    MUST(cudaMemcpy(d_src, src.data(), bytes, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(d_index, index.data(), words, cudaMemcpyHostToDevice));
    MUST(cudaMemset(d_dst, 0x5a, bytes));
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
        (int)p.smem_bytes));
    const auto go = [=](unsigned trips) {
        kernel<<<blocks, threads, p.smem_bytes>>>(d_dst, d_src, d_index, n,
                                                  trips);
    };
    go(checked);
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(dst.data(), d_dst, bytes, cudaMemcpyDeviceToHost));
    const bool wrong = dst != expected(src, at, m, n, AXIS);
    failures += wrong;
    std::vector<double> ns;
    for (unsigned k = 0; k < rounds + 1; ++k) {
        const float lo = milliseconds([&] { go(few); });
        const float hi = milliseconds([&] { go(many); });
        if (k) { ns.push_back((hi - lo) * 1e6 / (many - few)); }
    }
    std::sort(ns.begin(), ns.end());
    // What the estimate says, at 1.98 GHz on 132 multiprocessors.
    const double guess = double(p.cycles) * 4 * blocks / 132 / 1.98;
    std::printf("%s %2u bit %3ux%-2u %-6s %-6s %10.1f ns estimated %8.1f "
                "%-9s smem %6u turns %u%s\n",
                name, BITS, m, n, how, PACKED ? "packed" : "words",
                ns[ns.size() / 2], guess, kind_name(p.kind), p.smem_bytes,
                p.turn.at.n, wrong ? " WRONG" : "");
    std::fflush(stdout);
    MUST(cudaFree(d_src));
    MUST(cudaFree(d_dst));
    MUST(cudaFree(d_index));
}

template <bool ON> struct when {};

template <class A, unsigned AXIS, unsigned BITS, unsigned KIND>
void by_kind(const char *, unsigned, unsigned, const char *, when<false>) {}

template <class A, unsigned AXIS, unsigned BITS, unsigned KIND>
void by_kind(const char *name, unsigned m, unsigned n, const char *how,
             when<true>) {
    measure<A, AXIS, BITS, KIND, false>(name, m, n, how);
    if constexpr (AXIS == 1) {
        measure<A, AXIS, BITS, KIND, true>(name, m, n, how);
    }
}

template <class A, unsigned AXIS, unsigned BITS, unsigned KIND>
void if_any(const char *name, unsigned m, unsigned n, const char *how) {
    by_kind<A, AXIS, BITS, KIND>(
        name, m, n, how,
        when<plan_for<A, AXIS, BITS, KIND>::get().err == LL_OK>());
}

template <unsigned M, unsigned N, unsigned AXIS, unsigned BITS> void kinds() {
    const char *name = AXIS ? "axis 1" : "axis 0";
    typedef tile<M, N> A;
    if_any<A, AXIS, BITS, LL_REGISTERS>(name, M, N, "");
    if_any<A, AXIS, BITS, LL_SHUFFLES>(name, M, N, "");
    if_any<A, AXIS, BITS, LL_SHARED>(name, M, N, "");
    if_any<A, AXIS, BITS, LL_ANY>(name, M, N, "chosen");
}

template <unsigned BITS> void all() {
    kinds<512, 4, 1, BITS>();
    kinds<512, 8, 1, BITS>();
    kinds<512, 16, 1, BITS>();
#ifndef LL_SMALL
    kinds<512, 32, 1, BITS>();
    kinds<512, 64, 1, BITS>();
#endif
    kinds<512, 8, 0, BITS>();
}

} // namespace

int main() {
    all<8>();
    all<16>();
    all<32>();
    return failures != 0;
}
