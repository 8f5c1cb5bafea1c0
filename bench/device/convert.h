// convert.h - a case of convert.cu and its contenders
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_CONVERT_H
#define LL_BENCH_CONVERT_H

#include <functional>
#include <string>
#include <vector>

#include "examples/kernels/check.h"
#include "ll_ptx.h"

enum : unsigned { threads = 128, warps = threads / 32 };

// The cost of a trip by its plan: instructions per lane, wavefronts per block.
struct planned {
    const char *kind;
    unsigned shuffles, permutes, selects, wavefronts, cycles;
};

// A kernel that converts the tiles of `blocks` blocks from layout A to B and
// back.
struct contender {
    std::string who;
    std::function<void(void *dst, const void *src, unsigned blocks,
                       unsigned trips)>
        launch;
    planned plan;
    unsigned smem;      // bytes per block
    unsigned registers; // per thread
    unsigned spilled;   // bytes per thread
    int resident;       // blocks per multiprocessor
    std::vector<double> ns;
    unsigned long long wrong;
};

struct conversion {
    std::string name;
    unsigned m, n, bits;
    std::vector<unsigned> from; // from[k]: source in the tile of result k
    std::vector<contender> all;
};

// Returns a word of equal elements; every trip XORs the data with it twice.
constexpr unsigned repeated(unsigned bits) {
    return bits == 8 ? 0xb5b5b5b5u : bits == 16 ? 0xb92fb92fu : 0x9e3779b9u;
}

template <unsigned BITS> struct element_of;
template <> struct element_of<8> { typedef unsigned char type; };
template <> struct element_of<16> { typedef unsigned short type; };
template <> struct element_of<32> { typedef unsigned type; };

// Returns the contender of a kernel.
// c: third argument of the kernel; `entry` passes the word for the XOR
// smem: bytes of dynamic shared memory
template <class T, class C>
contender entry_with(const char *who,
                     void (*kernel)(T *, const T *, C, unsigned), C c,
                     unsigned smem, planned plan) {
    cudaFuncAttributes is;
    contender e = {};
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(smem)));
    MUST(cudaFuncGetAttributes(&is, kernel));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&e.resident, kernel,
                                                       int(threads), smem));
    e.who = who;
    e.plan = plan;
    e.smem = smem + unsigned(is.sharedSizeBytes);
    e.registers = unsigned(is.numRegs);
    e.spilled = unsigned(is.localSizeBytes);
    e.launch = [=](void *dst, const void *src, unsigned blocks,
                   unsigned trips) {
        kernel<<<blocks, threads, smem>>>(static_cast<T *>(dst),
                                          static_cast<const T *>(src), c,
                                          trips);
    };
    return e;
}

template <class T>
contender entry(const char *who,
                void (*kernel)(T *, const T *, unsigned, unsigned),
                unsigned smem, planned plan) {
    return entry_with(who, kernel, repeated(8 * sizeof(T)), smem, plan);
}

// ---- Layouts of more than one file ---------------------------------------

constexpr ll_shape matrix(unsigned rows, unsigned cols) {
    return ll_with(ll_with(ll_shape_of(""), LL_J, cols), LL_I, rows);
}

// A blocked layout: registers RI x RJ, lanes LI x LJ, warps along i.
template <unsigned M, unsigned N, unsigned RI, unsigned RJ, unsigned LI,
          unsigned LJ>
struct blocked {
    LL_CONSTANT_ ll_layout get() {
        return ll_blocked(matrix(M, N), matrix(RI, RJ), matrix(LI, LJ),
                          matrix(warps, 1));
    }
};

// Stores the registers of a lane unchanged: word w of thread t at w * threads
// + t.
template <unsigned N> __device__ void dump(void *tile, const unsigned (&b)[N]) {
    unsigned *to = static_cast<unsigned *>(tile) + threadIdx.x;
#pragma unroll
    for (unsigned w = 0; w < N; ++w) {
        to[w * threads] = b[w];
    }
}

// Returns the index in the tile of each element that `dump` stores, for
// registers in layout B. Tiles are row-major, so an index is the packed
// coordinates with j lowest.
template <class B, unsigned BITS> std::vector<unsigned> source_of() {
    const ll_layout b = LL_GET(B);
    constexpr unsigned regs = LL_REGS(B), pack = 32 / BITS;
    static_assert(regs * threads == ll_size(LL_GET(B).out, LL_I) *
                                        ll_size(LL_GET(B).out, LL_J),
                  "no copies");
    std::vector<unsigned> from(regs * threads);
    for (unsigned x = 0; x < regs * threads; ++x) {
        const unsigned r = x % regs, t = x / regs;
        unsigned y = b.offset;
        for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
            y ^= x >> k & 1u ? b.basis[k] : 0u;
        }
        from[(r / pack * threads + t) * pack + r % pack] = y;
    }
    return from;
}

// ---- The library --------------------------------------------------------

template <class A, class B, unsigned BITS, unsigned KIND> struct plan_for {
    LL_CONSTANT_ ll_plan get() {
        return ll_plan_by(A::get(), B::get(), BITS, LL_SM90, KIND);
    }
};

template <class PLAN> __host__ __device__ constexpr bool meets_block() {
    return LL_GET(PLAN).kind == LL_SHARED &&
           LL_GET(PLAN).step[2].op == LL_OP_SYNC_BLOCK;
}

// Waits until all threads that may still read shared memory have arrived, so
// that it can be used again.
template <class FORTH, class BACK> __device__ void wait() {
    if constexpr (meets_block<FORTH>() || meets_block<BACK>()) {
        __syncthreads();
    } else if constexpr (LL_GET(FORTH).kind == LL_SHARED ||
                         LL_GET(BACK).kind == LL_SHARED) {
        __syncwarp();
    }
}

// Every block has its own tile. The last conversion is not reversed, so at the
// end the registers hold the tile in layout B.
template <class A, class B, unsigned BITS, unsigned KIND>
__global__ void __launch_bounds__(threads)
    ll_trip(typename element_of<BITS>::type *dst,
            const typename element_of<BITS>::type *src, unsigned c,
            unsigned trips) {
    typedef plan_for<A, B, BITS, KIND> FORTH;
    typedef plan_for<B, A, BITS, KIND> BACK;
    constexpr unsigned rows = ll_size(LL_GET(A).out, LL_I);
    constexpr unsigned cols = ll_size(LL_GET(A).out, LL_J);
    constexpr unsigned n = LL_WORDS(A, BITS), m = LL_WORDS(B, BITS);
    extern __shared__ __align__(16) unsigned char smem[];
    unsigned a[n], b[m];
    LL_LOAD(a, A, src + size_t(blockIdx.x) * rows * cols, cols);
    for (unsigned k = 0; k < trips; ++k) {
        LL_CONVERT(b, a, FORTH, smem);
        for (unsigned r = 0; r < m; ++r) {
            b[r] ^= c;
        }
        wait<FORTH, BACK>();
        LL_CONVERT(a, b, BACK, smem);
        for (unsigned r = 0; r < n; ++r) {
            a[r] ^= c;
        }
        wait<FORTH, BACK>();
    }
    LL_CONVERT(b, a, FORTH, smem);
    dump(dst + size_t(blockIdx.x) * rows * cols, b);
}

inline void count(planned &sum, const ll_plan &p) {
    for (unsigned k = 0; k < p.n; ++k) {
        const ll_step &s = p.step[k];
        sum.shuffles += s.op == LL_OP_SHUFFLE ? s.count : 0;
        sum.permutes += s.op == LL_OP_RENAME ? s.count : 0;
        sum.selects += s.op == LL_OP_SELECT ? s.count : 0;
        sum.wavefronts += s.op == LL_OP_STORE || s.op == LL_OP_LOAD
                              ? s.count * s.wavefronts * warps
                          : s.op == LL_OP_SHUFFLE ? s.count * warps
                          : s.op == LL_OP_SYNC_BLOCK // it, and the caller's
                              ? s.count + 1
                              : 0;
    }
    sum.cycles += p.cycles;
}

template <class A, class B, unsigned BITS, unsigned KIND>
void add_plan(conversion &to, const char *who) {
    typedef plan_for<A, B, BITS, KIND> FORTH;
    typedef plan_for<B, A, BITS, KIND> BACK;
    const ll_plan forth = LL_GET(FORTH), back = LL_GET(BACK);
    const char *const kinds[] = {"nothing", "registers", "shuffles", "shared"};
    planned sum = {};
    sum.kind = kinds[forth.kind > back.kind ? forth.kind : back.kind];
    count(sum, forth);
    count(sum, back);
    to.all.push_back(entry(who, ll_trip<A, B, BITS, KIND>,
                           forth.smem_bytes > back.smem_bytes ? forth.smem_bytes
                                                              : back.smem_bytes,
                           sum));
}

// Adds the plan that the cost model chooses and, if there is one, a plan of the
// other kind.
template <class A, class B, unsigned BITS> void add_ll(conversion &to) {
    typedef plan_for<A, B, BITS, LL_ANY> BEST;
    typedef plan_for<A, B, BITS, LL_SHUFFLES> FORTH;
    typedef plan_for<B, A, BITS, LL_SHUFFLES> BACK;
    constexpr unsigned kind = LL_GET(BEST).kind;
    static_assert(LL_GET(BEST).err == LL_OK, "there is no plan");
    add_plan<A, B, BITS, LL_ANY>(to, "ll");
    if constexpr (kind == LL_SHUFFLES) {
        add_plan<A, B, BITS, LL_SHARED>(to, "ll-shared");
    } else if constexpr (kind == LL_SHARED) {
        if constexpr (!LL_GET(FORTH).err && !LL_GET(BACK).err) {
            add_plan<A, B, BITS, LL_SHUFFLES>(to, "ll-shuffles");
        }
    }
}

// ---- Padded rows, as written by hand --------------------------------------

// The bytes that bit K of L's input (registers, lanes, warps) adds to the
// address, in row-major memory with rows ROW bytes apart.
template <class L, unsigned K, unsigned SIZE, unsigned ROW> struct stride_of {
    static constexpr unsigned part(ll_dim d) {
        return LL_GET(L).basis[K] >>
                   ll_shape_start_(&LL_GET(L).out,
                                   ll_shape_find_(&LL_GET(L).out, d)) &
               (ll_size(LL_GET(L).out, d) - 1u);
    }
    enum : unsigned { value = part(LL_I) * ROW + part(LL_J) * SIZE };
};

template <class L, unsigned FROM, unsigned SIZE, unsigned ROW, unsigned... K>
__device__ unsigned place(unsigned x, ll_seq_<K...>) {
    return (0u + ... +
            ((x >> K & 1u) * stride_of<L, FROM + K, SIZE, ROW>::value));
}

// One side of the exchange. An access moves adjacent elements of a lane's row,
// as far as the padding keeps them aligned.
template <class L, unsigned SIZE, unsigned PAD> struct side {
    enum : unsigned {
        cols = ll_size(LL_GET(L).out, LL_J),
        row = cols * SIZE + PAD,
        low = LL_GET(L).in.bits[0],
        high = ll_shape_bits_(&LL_GET(L).in) - low,
        regs = 1u << low
    };
    template <unsigned K = 0> static constexpr unsigned together() {
        if constexpr (K < low && (SIZE << K) < PAD && (SIZE << K) < 16) {
            return stride_of<L, K, SIZE, row>::value == SIZE << K
                       ? together<K + 1>()
                       : SIZE << K;
        } else {
            return SIZE << K;
        }
    }
    enum : unsigned { bytes = together(), step = bytes / SIZE };

    static __device__ unsigned thread() {
        return place<L, low, SIZE, row>(threadIdx.x,
                                        typename ll_seq_upto_<high>::type());
    }
    static __device__ unsigned at(unsigned r) {
        return place<L, 0, SIZE, row>(r, typename ll_seq_upto_<low>::type());
    }

    template <unsigned N>
    static __device__ void put(unsigned char *smem, const unsigned (&a)[N]) {
        smem += thread();
#pragma unroll
        for (unsigned r = 0; r < regs; r += step) {
            const unsigned w = r * SIZE / 4, shift = r * SIZE % 4 * 8;
            unsigned char *to = smem + at(r);
            if constexpr (bytes == 1) {
                *to = static_cast<unsigned char>(a[w] >> shift);
            } else if constexpr (bytes == 2) {
                *reinterpret_cast<unsigned short *>(to) =
                    static_cast<unsigned short>(a[w] >> shift);
            } else if constexpr (bytes == 4) {
                *reinterpret_cast<unsigned *>(to) = a[w];
            } else if constexpr (bytes == 8) {
                *reinterpret_cast<uint2 *>(to) = make_uint2(a[w], a[w + 1]);
            } else {
                *reinterpret_cast<uint4 *>(to) =
                    make_uint4(a[w], a[w + 1], a[w + 2], a[w + 3]);
            }
        }
    }

    template <unsigned N>
    static __device__ void take(unsigned (&a)[N], const unsigned char *smem) {
        smem += thread();
#pragma unroll
        for (unsigned r = 0; r < regs; r += step) {
            const unsigned w = r * SIZE / 4, shift = r * SIZE % 4 * 8;
            const unsigned char *from = smem + at(r);
            if constexpr (bytes <= 2) {
                const unsigned x =
                    bytes == 1
                        ? *from
                        : *reinterpret_cast<const unsigned short *>(from);
                a[w] = shift ? a[w] | x << shift : x;
            } else if constexpr (bytes == 4) {
                a[w] = *reinterpret_cast<const unsigned *>(from);
            } else if constexpr (bytes == 8) {
                const uint2 v = *reinterpret_cast<const uint2 *>(from);
                a[w] = v.x, a[w + 1] = v.y;
            } else {
                const uint4 v = *reinterpret_cast<const uint4 *>(from);
                a[w] = v.x, a[w + 1] = v.y, a[w + 2] = v.z, a[w + 3] = v.w;
            }
        }
    }
};

// Returns whether each warp keeps its elements. These layouts hold each element
// once, so comparing the warp bits is enough.
template <class A, class B> __host__ __device__ constexpr bool keeps_warps() {
    const ll_layout &a = LL_GET(A), &b = LL_GET(B);
    const unsigned n = ll_shape_bits_(&a.in), m = ll_shape_bits_(&b.in);
    bool same = true;
    for (unsigned k = 1; k <= ll_log2_(warps); ++k) {
        same = same && a.basis[n - k] == b.basis[m - k];
    }
    return same;
}

template <class A, class B> __device__ void meet() {
    if constexpr (keeps_warps<A, B>()) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

template <class A, class B, unsigned BITS, unsigned PAD>
__global__ void __launch_bounds__(threads)
    padded_trip(typename element_of<BITS>::type *dst,
                const typename element_of<BITS>::type *src, unsigned c,
                unsigned trips) {
    typedef side<A, BITS / 8, PAD> ONE;
    typedef side<B, BITS / 8, PAD> OTHER;
    constexpr unsigned rows = ll_size(LL_GET(A).out, LL_I);
    constexpr unsigned cols = ll_size(LL_GET(A).out, LL_J);
    constexpr unsigned n = LL_WORDS(A, BITS), m = LL_WORDS(B, BITS);
    extern __shared__ __align__(16) unsigned char smem[];
    unsigned a[n], b[m];
    LL_LOAD(a, A, src + size_t(blockIdx.x) * rows * cols, cols);
    for (unsigned k = 0; k < trips; ++k) {
        ONE::put(smem, a);
        meet<A, B>();
        OTHER::take(b, smem);
        for (unsigned r = 0; r < m; ++r) {
            b[r] ^= c;
        }
        meet<A, B>();
        OTHER::put(smem, b);
        meet<A, B>();
        ONE::take(a, smem);
        for (unsigned r = 0; r < n; ++r) {
            a[r] ^= c;
        }
        meet<A, B>();
    }
    ONE::put(smem, a);
    meet<A, B>();
    OTHER::take(b, smem);
    dump(dst + size_t(blockIdx.x) * rows * cols, b);
}

template <class A, class B, unsigned BITS, unsigned PAD>
void add_padded(conversion &to, const char *who) {
    planned plan = {};
    plan.kind = "shared";
    to.all.push_back(entry(who, padded_trip<A, B, BITS, PAD>,
                           to.m * side<A, BITS / 8, PAD>::row, plan));
}

// ---- A case -------------------------------------------------------------

template <class A, class B, unsigned BITS>
conversion &add_case(std::vector<conversion> &all, const char *name) {
    conversion c = {};
    c.name = name;
    c.m = ll_size(LL_GET(A).out, LL_I);
    c.n = ll_size(LL_GET(A).out, LL_J);
    c.bits = BITS;
    c.from = source_of<B, BITS>();
    static_assert(LL_GET(A).out.dim[0] == LL_J && LL_GET(B).out.dim[0] == LL_J,
                  "source_of counts on it");
    add_ll<A, B, BITS>(c);
    all.push_back(c);
    return all.back();
}

template <class A, class B, unsigned BITS>
void add_padded_case(std::vector<conversion> &all, const char *name) {
    conversion &c = add_case<A, B, BITS>(all, name);
    add_padded<A, B, BITS, 4>(c, "padded+4");
    add_padded<A, B, BITS, 16>(c, "padded+16");
}

// The parts of the benchmark, one object file each: of convert_part.cu and
// convert_cub.cu, or, with -DLL_BENCH_GATHERS=1, of gather.cu.
#ifndef LL_BENCH_GATHERS
#define LL_BENCH_GATHERS 0
#endif
// clang-format off
#if LL_BENCH_GATHERS
#define LL_BENCH_PARTS(X)                                                   \
    X(gathers, 8) X(gathers_32, 8) X(gathers_64, 8)                         \
    X(gathers, 16) X(gathers_32, 16) X(gathers_64, 16)                      \
    X(gathers, 32) X(gathers_32, 32) X(gathers_64, 32)
#else
#define LL_BENCH_PARTS(X)                                                   \
    X(tiles, 8) X(tiles, 16) X(tiles, 32)                                   \
    X(operands, 8) X(operands, 16) X(operands, 32)                          \
    X(cub, 8) X(cub, 16) X(cub, 32)
#endif
// clang-format on
#define LL_BENCH_NAME_(what, bits) add_##what##_##bits
#define LL_BENCH_NAME(what, bits) LL_BENCH_NAME_(what, bits)
#define LL_BENCH_DECLARE_(what, bits) \
    void LL_BENCH_NAME(what, bits)(std::vector<conversion> & all);
LL_BENCH_PARTS(LL_BENCH_DECLARE_)

#endif
