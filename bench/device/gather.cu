// gather.cu - gathers along an axis, cases of convert.cu:
// -DLL_BENCH_WHAT=gathers, gathers_32 or gathers_64, and -DLL_BENCH_BITS=8, 16
// or 32
// SPDX-License-Identifier: MIT
//
// Each trip computes x = gather(x, index). A tile and random indices lie in
// registers: four columns of a row per lane, lanes along the rest of the row,
// warps along i. All trips and blocks use the same indices. Elements are packed
// in 32-bit words, indices lie one per word, as in triton_convert.py.
// The 256 indices of 512x64 would take all registers of a lane, so they lie
// four per word, and an empty asm in each trip makes the compiler unpack them
// again.
//
//   ll                          the plan of ll_gather_of
//   ll-registers, ll-shuffles,  the other kinds of plan, if there are any
//   ll-shared
#include "convert.h"

namespace {

enum : unsigned { bits = LL_BENCH_BITS };

template <unsigned M, unsigned N> struct tile {
    LL_CONSTANT_ ll_layout get() {
        return ll_blocked(matrix(M, N), matrix(1, 4), matrix(128 / N, N / 4),
                          matrix(warps, 1));
    }
};

template <class A, unsigned AXIS, unsigned KIND> struct gathering {
    LL_CONSTANT_ ll_gather_plan get() {
        return ll_gather_by(A::get(), A::get(), AXIS, bits, LL_SM90, KIND);
    }
};

// ---- Kernel -------------------------------------------------------------

template <class PLAN> __host__ __device__ constexpr unsigned barrier() {
    return LL_GET(PLAN).kind == LL_SHARED
               ? LL_GET(PLAN).step[LL_GET(PLAN).n - 1].op
               : 0;
}

// Does a word hold four indices?
template <class A> __host__ __device__ constexpr bool is_packed() {
    return LL_REGS(A) >= 256;
}

// Returns the second argument of __launch_bounds__. If source and result take
// twice the registers of a thread, it asks for one block per multiprocessor:
// see LL_GATHER.
template <class A> constexpr int least_blocks() {
    return LL_WORDS(A, bits) >= 256 ? 1 : 0;
}

template <class A, unsigned N>
__device__ void load_indices(unsigned (&idx)[N], const unsigned *index) {
    LL_UNROLL for (unsigned k = 0; k < N; ++k) { idx[k] = 0; }
    LL_EACH(r, A) {
        constexpr unsigned each = LL_REGS(A) / N;
        idx[r / each] |= index[r * threads + threadIdx.x]
                         << 8 * (r % each);
    }
}

// Hides the values from the compiler.
template <unsigned N> __device__ void renew(unsigned (&idx)[N]) {
#if defined(__CUDA_ARCH__)
    LL_UNROLL for (unsigned k = 0; k < N; ++k) {
        asm volatile("" : "+r"(idx[k]));
    }
#endif
    (void)idx;
}

template <class A, class PLAN>
__global__ void __launch_bounds__(threads, least_blocks<A>())
    gather_trip(typename element_of<bits>::type *dst,
                const typename element_of<bits>::type *src,
                const unsigned *index, unsigned trips) {
    constexpr unsigned rows = ll_size(LL_GET(A).out, LL_I);
    constexpr unsigned cols = ll_size(LL_GET(A).out, LL_J);
    constexpr unsigned n = LL_WORDS(A, bits);
    extern __shared__ __align__(16) unsigned char smem[];
    unsigned a[n], idx[is_packed<A>() ? LL_WORDS(A, 8) : LL_REGS(A)];
    LL_LOAD(a, A, src + size_t(blockIdx.x) * rows * cols, cols);
    load_indices<A>(idx, index);
    for (unsigned k = 0; k < trips; ++k) {
        unsigned b[n];
        if constexpr (is_packed<A>()) {
            renew(idx);
        }
        LL_GATHER(b, a, idx, PLAN, smem);
        LL_UNROLL for (unsigned r = 0; r < n; ++r) { a[r] = b[r]; }
        if constexpr (barrier<PLAN>() == LL_OP_SYNC_BLOCK) {
            __syncthreads();
        } else if constexpr (barrier<PLAN>() == LL_OP_SYNC_WARP) {
            __syncwarp();
        }
    }
    LL_STORE(a, A, dst + size_t(blockIdx.x) * rows * cols, cols);
}

// ---- Costs by the plan --------------------------------------------------

unsigned odd(unsigned x) { return unsigned(__builtin_popcount(x)) & 1u; }

// Returns the wavefronts in which 32 lanes read words at these addresses: the
// largest number of different words in one bank.
unsigned wavefronts_of(const unsigned (&address)[32]) {
    unsigned load[32] = {}, most = 0;
    for (unsigned k = 0; k < 32; ++k) {
        bool known = false;
        for (unsigned m = 0; m < k; ++m) {
            known = known || address[m] / 4 == address[k] / 4;
        }
        load[address[k] / 4 % 32] += !known;
    }
    for (unsigned n : load) {
        most = n > most ? n : most;
    }
    return most;
}

// Returns the wavefronts of all loads of a block, for these indices.
unsigned read_wavefronts(const ll_gather_plan &p,
                         const std::vector<unsigned> &index) {
    unsigned sum = 0;
    for (unsigned k = 0; k < index.size() / 32; ++k) {
        unsigned address[32];
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned t = k % warps * 32 + lane, r = k / warps;
            unsigned from = r; // lanes may take registers in other orders
            for (unsigned s = 0; s < p.turn.at.n; ++s) {
                from ^= odd(t & p.turn.at.place[s]) ? p.turn.at.reg[s] : 0u;
            }
            address[lane] = ll_map_at(p.fetch.thread, t) ^
                            ll_map_at(p.value, index[from * threads + t]) ^
                            ll_places(&p.fetch.at, r);
        }
        sum += wavefronts_of(address);
    }
    return sum;
}

planned cost_of(const ll_gather_plan &p, const std::vector<unsigned> &index) {
    const char *const kinds[] = {"nothing", "registers", "shuffles", "shared"};
    planned sum = {};
    sum.kind = kinds[p.kind];
    sum.cycles = p.cycles;
    sum.shuffles = p.kind == LL_SHUFFLES ? p.fetch.count : 0;
    sum.wavefronts = sum.shuffles * warps;
    for (unsigned k = 0; k < p.n; ++k) {
        const ll_step &s = p.step[k];
        sum.wavefronts += s.op == LL_OP_STORE ? s.count * s.wavefronts * warps
                          : s.op == LL_OP_SYNC_BLOCK ? 2 // and the caller's
                                                     : 0;
    }
    sum.wavefronts += p.kind == LL_SHARED ? read_wavefronts(p, index) : 0;
    return sum;
}

// ---- Cases --------------------------------------------------------------

// Random indices of a tile.
// index: by registers and threads
// from: the source of each element after three gathers, row-major
template <class A> struct randomly {
    std::vector<unsigned> index, from;
    const unsigned *on_device;

    randomly(unsigned m, unsigned n, unsigned axis)
        : index(m * n), from(m * n) {
        std::vector<unsigned> at(m * n);
        unsigned *copy;
        randomise(at.data(), at.size() * sizeof at[0], n);
        for (unsigned &k : at) {
            k = (k >> 7) % (axis ? n : m);
        }
        for (unsigned y = 0; y < m * n; ++y) {
            from[y] = y;
            for (unsigned trip = 0; trip < 3; ++trip) {
                const unsigned k = at[from[y]];
                from[y] = axis ? from[y] / n * n + k : k * n + from[y] % n;
            }
        }
        const unsigned regs = LL_REGS(A);
        for (unsigned x = 0; x < m * n; ++x) {
            index[x % regs * threads + x / regs] = at[ll_apply(LL_GET(A), x)];
        }
        MUST(
            cudaMalloc(reinterpret_cast<void **>(&copy), m * n * sizeof *copy));
        MUST(cudaMemcpy(copy, index.data(), m * n * sizeof *copy,
                        cudaMemcpyHostToDevice));
        on_device = copy; // until the program ends
    }
};

template <class A, class PLAN>
void add_one(conversion &to, const char *who, const randomly<A> &by) {
    const ll_gather_plan p = LL_GET(PLAN);
    to.all.push_back(entry_with(who, gather_trip<A, PLAN>, by.on_device,
                                p.smem_bytes, cost_of(p, by.index)));
}

template <class A, unsigned AXIS, unsigned KIND>
void add_kind(conversion &to, const char *who, const randomly<A> &by) {
    typedef gathering<A, AXIS, KIND> PLAN;
    typedef gathering<A, AXIS, LL_ANY> BEST;
    if constexpr (!LL_GET(PLAN).err && LL_GET(PLAN).kind != LL_GET(BEST).kind) {
        add_one<A, PLAN>(to, who, by);
    }
}

template <unsigned M, unsigned N, unsigned AXIS>
void add(std::vector<conversion> &all) {
    typedef tile<M, N> A;
    typedef gathering<A, AXIS, LL_ANY> BEST;
    static_assert(LL_GET(BEST).err == LL_OK, "there is no plan");
    const randomly<A> by(M, N, AXIS);
    conversion c = {};
    c.name = (AXIS ? "axis1-" : "axis0-") + std::to_string(M) + "x" +
             std::to_string(N);
    c.m = M;
    c.n = N;
    c.bits = bits;
    c.from = by.from;
    add_one<A, BEST>(c, "ll", by);
    add_kind<A, AXIS, LL_REGISTERS>(c, "ll-registers", by);
    add_kind<A, AXIS, LL_SHUFFLES>(c, "ll-shuffles", by);
    add_kind<A, AXIS, LL_SHARED>(c, "ll-shared", by);
    all.push_back(c);
}

// Templates, so that only LL_BENCH_WHAT is compiled.
template <class LIST> void gathers(LIST &all) {
    add<512, 4, 1>(all);
    add<512, 8, 1>(all);
    add<512, 16, 1>(all);
    add<512, 8, 0>(all);
}
template <class LIST> void gathers_32(LIST &all) { add<512, 32, 1>(all); }
template <class LIST> void gathers_64(LIST &all) { add<512, 64, 1>(all); }

} // namespace

void LL_BENCH_NAME(LL_BENCH_WHAT, LL_BENCH_BITS)(std::vector<conversion> &all) {
    LL_BENCH_WHAT(all);
}
