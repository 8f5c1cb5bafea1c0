// reshard.cu - resharding between the GPUs of a host.
// SPDX-License-Identifier: MIT
//
// reshard [check|sanitize|time] FILE: every pair of shardings of reshard.h,
// with elements of 8, 16 and 32 bits; some of them by the kernel of any order;
// and NCCL's own operations: copies, and partial sums of bf16, f16 and f32. The
// GPU compares each element with the layouts. The limit is a plain kernel that
// reads the same bytes from the peer, both ways at once, 16 bytes per lane.
// Times are of the slower GPU, the median of several bursts.
#include "examples/kernels/check.h"

#include "examples/kernels/reshard/reshard_kernels.h"
#include <algorithm>
#include <cstring>
#include <cuda_fp16.h>
#include <string>
#include <vector>

using namespace ll_kernels;

// There are 2^LOG_GPUS ranks; several share a GPU if there are fewer GPUs.
#ifndef LOG_GPUS
#define LOG_GPUS 1
#endif

// Bytes per GPU: one size for checks, two for measurements.
constexpr size_t SIZES[] = {(size_t)4 << 20, (size_t)64 << 20, (size_t)1 << 30};

static const char *const names[] = {"row",   "column", "block",
                                    "head",  "turns",  "piece",
                                    "block", "copies"};

struct gpu {
    int device;
    unsigned char *src, *dst;
    unsigned *flags, *wrong;
    cudaStream_t stream;
    cudaEvent_t from, to;
};

static std::vector<gpu> gpus;
static unsigned epoch;

// Do kernels wait for the kernels of other GPUs? Not if they may run one after
// the other: on a single GPU, or under a checker.
static bool together;

static void open_gpus(size_t bytes) {
    int n = 0;
    MUST(cudaGetDeviceCount(&n));
    together = together && n >= 1 << LOG_GPUS;
    gpus.resize(1u << LOG_GPUS);
    for (int r = 0; r < 1 << LOG_GPUS; ++r) {
        gpu &g = gpus[(size_t)r];
        g.device = r % n;
        MUST(cudaSetDevice(g.device));
        for (int e = 0; e < 1 << LOG_GPUS && e < n && r < n; ++e) {
            if (e != r) {
                MUST(cudaDeviceEnablePeerAccess(e, 0));
            }
        }
        MUST(cudaMalloc((void **)&g.src, bytes));
        MUST(cudaMalloc((void **)&g.dst, bytes));
        MUST(cudaMalloc((void **)&g.flags, RESHARD_FLAGS * 4));
        MUST(cudaMalloc((void **)&g.wrong, 4));
        MUST(cudaMemset(g.flags, 0, RESHARD_FLAGS * 4));
        MUST(cudaStreamCreate(&g.stream));
        MUST(cudaEventCreate(&g.from));
        MUST(cudaEventCreate(&g.to));
        MUST(cudaDeviceSynchronize());
    }
}

// The columns of a layout for one rank; they map an offset to its element y.
struct columns {
    unsigned n, base, column[LL_MAX_BITS];
};

static columns columns_of(const ll_layout &a, unsigned rank) {
    columns c = {};
    c.n = a.in.bits[0]; // of the offset; the others are the rank
    c.base = ll_apply(a, rank << c.n);
    for (unsigned k = 0; k < c.n; ++k) {
        c.column[k] = ll_apply(a, ll_pack(a.in, LL_OFFSET, 1u << k)) ^ a.offset;
    }
    return c;
}

// Returns the value of element y: random bits; with SUM, the addend of a rank,
// or for rank ~0 the sum over all ranks. Addends and sums are small integers,
// exact in every type.
template <class T, class SUM>
__device__ T value(unsigned y, unsigned rank, unsigned ranks) {
    y = (y ^ y >> 15) * 0x85ebca6bu;
    if constexpr (std::is_void<SUM>::value) {
        return (T)(y ^ y >> 13 ^ y >> 21);
    } else {
        const unsigned part = y >> 28;
        const unsigned x = rank == ~0u
                               ? ranks * part + ranks * (ranks - 1u) / 2u
                               : part + rank;
        const unsigned word = __float_as_uint((float)x);
        return std::is_same<SUM, reshard_f16>::value
                   ? (T)__half_as_ushort(__float2half_rn((float)x))
                   : (T)(word >> (32u - 8u * (unsigned)sizeof(T)));
    }
}

// Writes the value of each offset, or counts the offsets with another value.
template <class T, class SUM>
__global__ void visit(T *data, columns c, unsigned rank, unsigned ranks,
                      unsigned *wrong) {
    const size_t n = (size_t)1 << c.n;
    unsigned bad = 0;
    for (size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x; o < n;
         o += (size_t)gridDim.x * blockDim.x) {
        unsigned y = c.base;
        for (unsigned k = 0; k < c.n; ++k) {
            y ^= o >> k & 1u ? c.column[k] : 0u;
        }
        const T x = value<T, SUM>(y, wrong ? ~0u : rank, ranks);
        if (wrong) {
            bad += data[o] != x;
        } else {
            data[o] = x;
        }
    }
    if (bad) {
        atomicAdd(wrong, bad);
    }
}

// GPUs of one host: both axes of a grid have the same links.
LL_FN ll_topology host() {
    return ll_topology_with(ll_topology_of(2000), "gpu", 350, 12000);
}

// Is this pair of shardings measured?
LL_FN bool is_pair(unsigned from, unsigned to) {
    return from != to && (from != BY_PIECE || to == BY_ROW) &&
           (to != BY_PIECE || from == BY_ROW);
}

// A pair of shardings, and how it is executed.
struct job {
    unsigned from, to, bits;
    size_t bytes; // per GPU
    ll_layout a, b;
    reshard_job by;
    bool crosses;
};

// With `sums`, each GPU holds partial sums of a whole matrix of `bytes`.
LL_FN job job_of(unsigned from, unsigned to, unsigned bits, size_t bytes,
                 bool sums = false) {
    const bool whole = from == BY_COPY || to == BY_COPY;
    unsigned all = 0;
    job j = {};
    while ((bits / 8ull) << all < bytes) {
        ++all;
    }
    all += whole ? 0u : LOG_GPUS;
    j.from = from;
    j.to = to;
    j.bits = bits;
    j.bytes = bytes;
    j.a = sharding_over(from, all / 2, all - all / 2, LOG_GPUS, whole);
    j.b = sharding_over(to, all / 2, all - all / 2, LOG_GPUS, whole);
    j.by = reshard_job_of(j.a, j.b, bits,
                          whole ? ll_topology_beside(host(), "node") : host(),
                          16384, sums ? "gpu node" : "");
    return j;
}

// All pairs at all sizes.
template <class T> struct pairs {
    static constexpr unsigned N = 3 * SHARDINGS * SHARDINGS;
    static constexpr unsigned BITS = 17 - ll_log2_(8 * sizeof(T));
    LL_FN reshard_job of(unsigned k) {
        const unsigned from = k / SHARDINGS % SHARDINGS, to = k % SHARDINGS;
        reshard_job none = {};
        none.tile.err = 1;
        return is_pair(from, to) ? job_of(from, to, 8 * sizeof(T),
                                          SIZES[k / SHARDINGS / SHARDINGS])
                                       .by
                                 : none;
    }
};

// No pair: all take the kernel of any order.
struct any_order {
    static constexpr unsigned N = 1, BITS = 0;
    LL_FN reshard_job of(unsigned) {
        reshard_job none = {};
        none.tile.err = 1;
        return none;
    }
};

// NCCL's own operations: all-gather, reduce-scatter, reduce-scatter with a
// transposition, all-reduce.
constexpr unsigned LIKE_NCCL[4][2] = {{BY_ROW, BY_COPY}, {BY_COPY, BY_ROW},
                                      {BY_COPY, BY_COLUMN}, {BY_COPY, BY_COPY}};
template <class T> struct pairs_like_nccl {
    static constexpr unsigned N = 12;
    static constexpr unsigned BITS = 17 - ll_log2_(8 * sizeof(T));
    LL_FN reshard_job of(unsigned k) {
        return job_of(LIKE_NCCL[k % 4][0], LIKE_NCCL[k % 4][1], 8 * sizeof(T),
                      SIZES[k / 4], LIKE_NCCL[k % 4][0] == BY_COPY)
            .by;
    }
};

template <class T, class PAIRS, class SUM> static bool start(const job &j) {
    bool ok = true;
    ++epoch;
    for (unsigned r = 0; r < gpus.size() && !together; ++r) {
        const std::vector<unsigned> ready(RESHARD_RANKS, epoch);
        MUST(cudaSetDevice(gpus[r].device));
        MUST(cudaMemcpy(gpus[r].flags, ready.data(), RESHARD_RANKS * 4,
                        cudaMemcpyHostToDevice));
    }
    for (unsigned r = 0; r < gpus.size(); ++r) {
        reshard_move m = reshard_numbers(j.by.plan, j.by.tile, r);
        for (unsigned k = 0; k < gpus.size(); ++k) {
            m.far[k] = j.by.push ? gpus[k].dst : gpus[k].src;
            m.flags[k] = gpus[k].flags;
        }
        m.near = j.by.push ? gpus[r].src : gpus[r].dst;
        m.epoch = j.crosses ? epoch : 0;
        m.wait = together;
        MUST(cudaSetDevice(gpus[r].device));
        const bool own = m.sum ? reshard_launch<T, PAIRS, SUM>(
                                     m, j.by.tile, j.by.push, gpus[r].stream)
                               : reshard_launch<T, PAIRS>(
                                     m, j.by.tile, j.by.push, gpus[r].stream);
        ok = (own || !PAIRS::BITS) && ok; // an order has its own kernel
    }
    return ok;
}

static void wait_all() {
    for (unsigned r = 0; r < gpus.size(); ++r) {
        MUST(cudaSetDevice(gpus[r].device));
        MUST(cudaStreamSynchronize(gpus[r].stream));
        MUST(cudaGetLastError());
    }
}

// Checks a job; returns the number of wrong elements. In the first call no
// kernel waits for another, so that every GPU can load it.
template <class T, class PAIRS, class SUM> static size_t check(const job &j) {
    const bool as_asked = together;
    const unsigned ranks = (unsigned)gpus.size();
    size_t wrong = 0;
    together = false;
    wrong += start<T, PAIRS, SUM>(j) ? 0 : 1;
    together = as_asked;
    wait_all();
    for (int pass = 0; pass < 2; ++pass) {
        for (unsigned r = 0; r < gpus.size(); ++r) {
            gpu &g = gpus[r];
            MUST(cudaSetDevice(gpus[r].device));
            if (pass == 0) {
                MUST(cudaMemsetAsync(g.dst, 0xee, j.bytes, g.stream));
                visit<T, SUM><<<1024, 256, 0, g.stream>>>(
                    (T *)g.src, columns_of(j.a, r), r, ranks, NULL);
            } else {
                MUST(cudaMemsetAsync(g.wrong, 0, 4, g.stream));
                visit<T, SUM><<<1024, 256, 0, g.stream>>>(
                    (T *)g.dst, columns_of(j.b, r), r, ranks, g.wrong);
            }
        }
        wait_all();
        if (pass == 0) {
            wrong += start<T, PAIRS, SUM>(j) ? 0 : 1;
            wait_all();
        }
    }
    for (unsigned r = 0; r < gpus.size(); ++r) {
        unsigned n = 0, late = 0;
        MUST(cudaSetDevice(gpus[r].device));
        MUST(cudaMemcpy(&n, gpus[r].wrong, 4, cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(&late, gpus[r].flags + RESHARD_LATE, 4,
                        cudaMemcpyDeviceToHost));
        MUST(cudaMemset(gpus[r].flags + RESHARD_LATE, 0, 4));
        wrong += n + late;
    }
    return wrong;
}

// Returns microseconds per call on the slower GPU: the median of several bursts
// of n calls.
template <class F> static double time_of(F run, unsigned n) {
    std::vector<double> us;
    run();
    wait_all();
    for (unsigned k = 0; k < 7; ++k) {
        double slowest = 0;
        for (unsigned r = 0; r < gpus.size(); ++r) {
            MUST(cudaSetDevice(gpus[r].device));
            MUST(cudaEventRecord(gpus[r].from, gpus[r].stream));
        }
        for (unsigned m = 0; m < n; ++m) {
            run();
        }
        for (unsigned r = 0; r < gpus.size(); ++r) {
            MUST(cudaSetDevice(gpus[r].device));
            MUST(cudaEventRecord(gpus[r].to, gpus[r].stream));
        }
        wait_all();
        for (unsigned r = 0; r < gpus.size(); ++r) {
            float ms = 0;
            MUST(cudaEventElapsedTime(&ms, gpus[r].from, gpus[r].to));
            slowest = std::max(slowest, 1000.0 * ms / n);
        }
        us.push_back(slowest);
    }
    std::sort(us.begin(), us.end());
    return us[us.size() / 2];
}

__global__ void __launch_bounds__(256) read_peer(uint4 *dst, const uint4 *src) {
    const size_t k = (size_t)blockIdx.x * 1024 + threadIdx.x;
    uint4 x[4];
#pragma unroll
    for (unsigned v = 0; v < 4; ++v) {
        x[v] = __ldcs(src + k + 256 * v);
    }
#pragma unroll
    for (unsigned v = 0; v < 4; ++v) {
        __stcs(dst + k + 256 * v, x[v]);
    }
}

// Returns the time of a plain kernel. Each GPU reads its part from every other
// GPU in turn; its own part stays. If nothing crosses, it copies its own
// memory.
static double limit(size_t bytes, bool crosses) {
    const size_t part = crosses ? bytes / gpus.size() : bytes;
    return time_of(
        [=] {
            for (unsigned r = 0; r < gpus.size(); ++r) {
                MUST(cudaSetDevice(gpus[r].device));
                for (unsigned d = crosses; d < (crosses ? gpus.size() : 1);
                     ++d) {
                    read_peer<<<(unsigned)(part / 16384), 256, 0,
                                gpus[r].stream>>>(
                        (uint4 *)(gpus[r].dst + d * part),
                        (uint4 *)gpus[r ^ d].src);
                }
            }
        },
        bytes < (size_t)1 << 28 ? 20 : 4);
}

// Microseconds of reading from the peers, and of copying the same bytes.
struct limits {
    double crosses, stays;
};

static limits limits_of(size_t bytes, bool timed) {
    return timed ? limits{limit(bytes, true), limit(bytes, false)} : limits{};
}

template <class T, class PAIRS, class SUM>
static size_t measure(FILE *f, job j, const char *type, limits l, bool timed,
                      const char **comma) {
    if (j.by.tile.err) {
        printf("%s -> %s: %s\n", names[j.from], names[j.to],
               ll_reshard_strerror(j.by.tile.err));
        return 1;
    }
    j.crosses = reshard_crosses(j.by.plan);
    const ll_reshard forth = j.by.push ? ll_reshard_of(j.a, j.b, j.bits,
                                                       j.by.plan.topology)
                                       : j.by.plan; // a push has the way back
    const size_t wrong = check<T, PAIRS, SUM>(j), bytes = j.bytes;
    if (wrong) {
        printf("%s -> %s, %s: %zu wrong; order %llx, %s\n", names[j.from],
               names[j.to], type, wrong, reshard_order(j.by.tile),
               j.by.push ? "push" : "pull");
    }
    const double us = timed && !wrong
                          ? time_of([&] { start<T, PAIRS, SUM>(j); },
                                    bytes < (size_t)1 << 28 ? 20 : 4)
                          : 0;
    size_t cross = 0;
    for (unsigned level = 0; level < j.by.plan.mesh.n; ++level) {
        cross += (size_t)ll_reshard_bytes(j.by.plan, 0, level);
    }
    const double least = cross ? l.crosses : l.stays;
    fprintf(f,
            "%s\n  {\"from\": \"%s\", \"to\": \"%s\", \"bits\": %zu, "
            "\"type\": \"%s\", \"bytes\": %zu, \"crosses\": %zu, "
            "\"means\": \"%s\", %s\"wrong\": %zu",
            *comma, j.by.plan.sum ? "sums" : names[j.from], names[j.to],
            8 * sizeof(T), type, bytes, cross, j.by.push ? "push" : "pull",
            PAIRS::BITS ? "" : "\"order\": \"any\", ", wrong);
    if (us > 0) {
        fprintf(f,
                ", \"us\": %.2f, \"limit_us\": %.2f, \"of_limit\": %.4f, "
                "\"gbps\": %.1f, \"modelled_us\": %.2f",
                us, least, least / us,
                (double)(cross ? cross : 2 * bytes) / us / 1e3,
                ll_reshard_us(forth));
        printf("%6s -> %-6s %-4s %5zu MiB %9.2f us, %.3f of the limit%s\n",
               j.by.plan.sum ? "sums" : names[j.from], names[j.to], type,
               bytes >> 20, us, least / us,
               PAIRS::BITS ? "" : ", in any order");
    }
    fprintf(f, "}");
    *comma = ",";
    return wrong;
}

// Some pairs in any order.
static size_t measure_any_order(FILE *f, size_t bytes, limits l, bool timed,
                                const char **comma) {
    const unsigned some[][2] = {
        {BY_ROW, BY_COLUMN}, {BY_ROW, BY_TURNS}, {BY_TURNS, BY_ROW}};
    size_t wrong = 0;
    for (const unsigned *pair : some) {
        wrong += measure<unsigned char, any_order, void>(
            f, job_of(pair[0], pair[1], 8, bytes), "u8", l, timed, comma);
        wrong += measure<unsigned short, any_order, void>(
            f, job_of(pair[0], pair[1], 16, bytes), "u16", l, timed, comma);
        wrong += measure<unsigned, any_order, void>(
            f, job_of(pair[0], pair[1], 32, bytes), "u32", l, timed, comma);
    }
    return wrong;
}

// A pair of shardings, with elements of three sizes.
static size_t measure_pair(FILE *f, unsigned from, unsigned to, size_t bytes,
                           limits l, bool timed, const char **comma) {
    size_t wrong = 0;
    wrong += measure<unsigned char, pairs<unsigned char>, void>(
        f, job_of(from, to, 8, bytes), "u8", l, timed, comma);
    wrong += measure<unsigned short, pairs<unsigned short>, void>(
        f, job_of(from, to, 16, bytes), "u16", l, timed, comma);
    return wrong + measure<unsigned, pairs<unsigned>, void>(
                       f, job_of(from, to, 32, bytes), "u32", l, timed, comma);
}

// Measures NCCL's own operations. The limit of an all-reduce is gpus.size()
// times that of one crossing.
static size_t measure_like_nccl(FILE *f, size_t bytes, limits l, bool timed,
                                const char **comma) {
    typedef pairs_like_nccl<unsigned short> p16;
    typedef pairs_like_nccl<unsigned> p32;
    size_t wrong = measure<unsigned short, p16, void>(
        f, job_of(BY_ROW, BY_COPY, 16, bytes), "u16", l, timed, comma);
    for (unsigned k = 1; k < 4; ++k) {
        const unsigned to = LIKE_NCCL[k][1];
        const job j16 = job_of(BY_COPY, to, 16, bytes, true);
        const job j32 = job_of(BY_COPY, to, 32, bytes, true);
        const double more = to == BY_COPY ? (double)gpus.size() : 1;
        const limits m = {more * l.crosses, l.stays};
        wrong += measure<unsigned short, p16, reshard_bf16>(f, j16, "bf16", m,
                                                            timed, comma);
        wrong += measure<unsigned short, p16, reshard_f16>(f, j16, "f16", m,
                                                           timed, comma);
        wrong += measure<unsigned, p32, reshard_f32>(f, j32, "f32", m, timed,
                                                     comma);
    }
    return wrong;
}

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "check";
    const bool timed = what == "time";
    const char *const device = getenv("LL_DEVICE"), *comma = "";
    const char *const commit = getenv("LL_COMMIT");
    const char *const driver = getenv("LL_DRIVER");
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); // loading may wait for a kernel
    FILE *f = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (!f || (what != "check" && what != "sanitize" && !timed)) {
        fprintf(stderr, "usage: reshard check|sanitize|time FILE\n");
        return 2;
    }
    together = what != "sanitize";
    open_gpus(SIZES[timed ? 2 : 1]);
    fprintf(f,
            "{\"context\": {\"device\": \"%s\", \"gpus\": %zu, \"driver\": "
            "\"%s\", \"commit\": \"%s\", \"command\": \"bench/run.sh "
            "reshard\"},\n \"reshard\": [",
            device ? device : "", gpus.size(), driver ? driver : "",
            commit ? commit : "");
    size_t wrong = 0;
    for (unsigned size = 0; size < (timed ? 2u : 1u); ++size) {
        const size_t bytes = SIZES[timed ? size + 1 : 0];
        const limits l = limits_of(bytes, timed);
        for (unsigned from = 0; from < SHARDINGS; ++from) {
            for (unsigned to = 0; to < SHARDINGS; ++to) {
                if (is_pair(from, to) &&
                    (what != "sanitize" || from < 2 || to < 2)) {
                    wrong +=
                        measure_pair(f, from, to, bytes, l, timed, &comma);
                    fflush(f);
                }
            }
        }
        wrong += measure_any_order(f, bytes, l, timed, &comma);
        wrong += measure_like_nccl(f, bytes, l, timed, &comma);
        if (timed) {
            printf("%zu MiB: a plain kernel reads %.1f GB/s from its peers\n",
                   bytes >> 20,
                   (double)(bytes - bytes / gpus.size()) / l.crosses / 1e3);
        }
    }
    fprintf(f, "\n ]}\n");
    fclose(f);
    printf(wrong ? "%zu wrong\n" : "0 wrong\n", wrong);
    return wrong != 0;
}
