// reshard.cu - tensors that change hands between the GPUs of a host.
// SPDX-License-Identifier: MIT
//
// reshard [check|sanitize|time] FILE: every pair of shardings of
// examples/reshard.h, elements of 8, 16 and 32 bits. Each element is compared
// with the layouts on the GPU. The limit is a plain kernel that reads from the
// peer what must cross, both ways at once, with 16 bytes a lane; the time is
// that of the slower GPU, the median of several bursts.
#include "../examples/check.h"

#include "../examples/reshard_kernels.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

// The ranks, 2^LOG_GPUS; several of them share a GPU where there are fewer.
#ifndef LOG_GPUS
#define LOG_GPUS 1
#endif

// Bytes of a GPU: of a check, and of measurements.
constexpr size_t SIZES[] = {(size_t)4 << 20, (size_t)64 << 20, (size_t)1 << 30};

static const char *const names[] = {"row",  "column", "block",
                                    "head", "turns",  "piece"};

struct gpu {
    int device;
    unsigned char *src, *dst;
    unsigned *flags, *wrong;
    cudaStream_t stream;
    cudaEvent_t from, to;
};

static std::vector<gpu> gpus;
static unsigned epoch;

// Do kernels wait for those of the other GPUs? Not where they may run one after
// the other: on a single GPU, and under a checker.
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

// The columns of a layout for one rank: element y at each offset.
struct columns {
    unsigned n, base, column[LL_MAX_BITS];
};

static columns columns_of(const ll_layout &a, unsigned rank) {
    columns c = {};
    c.base = ll_apply(a, ll_pack(a.in, ll_dim_of("gpu"), rank));
    c.n = ll_log2_(ll_size(a.in, LL_OFFSET));
    for (unsigned k = 0; k < c.n; ++k) {
        c.column[k] = ll_apply(a, ll_pack(a.in, LL_OFFSET, 1u << k)) ^ a.offset;
    }
    return c;
}

// Writes what each offset holds, or counts the offsets that hold anything else.
template <class T> __global__ void visit(T *data, columns c, unsigned *wrong) {
    const size_t n = (size_t)1 << c.n;
    unsigned bad = 0;
    for (size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x; o < n;
         o += (size_t)gridDim.x * blockDim.x) {
        unsigned y = c.base;
        for (unsigned k = 0; k < c.n; ++k) {
            y ^= o >> k & 1u ? c.column[k] : 0u;
        }
        y = (y ^ y >> 15) * 0x85ebca6bu;
        const T value = (T)(y ^ y >> 13 ^ y >> 21);
        if (wrong) {
            bad += data[o] != value;
        } else {
            data[o] = value;
        }
    }
    if (bad) {
        atomicAdd(wrong, bad);
    }
}

LL_FN ll_topology host() {
    return ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
}

// Pairs of shardings that are measured.
LL_FN bool is_pair(unsigned from, unsigned to) {
    return from != to && (from != BY_PIECE || to == BY_ROW) &&
           (to != BY_PIECE || from == BY_ROW);
}

// A pair of shardings, and how it is executed.
struct job {
    unsigned from, to, bits;
    size_t bytes; // of a GPU
    ll_layout a, b;
    reshard_job by;
};

LL_FN job job_of(unsigned from, unsigned to, unsigned bits, size_t bytes) {
    unsigned all = LOG_GPUS;
    job j = {};
    while ((bits / 8ull) << (all - LOG_GPUS) < bytes) {
        ++all;
    }
    j.from = from;
    j.to = to;
    j.bits = bits;
    j.bytes = bytes;
    j.a = sharding(from, all / 2, all - all / 2, LOG_GPUS);
    j.b = sharding(to, all / 2, all - all / 2, LOG_GPUS);
    j.by = reshard_job_of(j.a, j.b, bits, host(), 16384);
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

template <class T> static bool start(const job &j) {
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
        m.epoch = epoch;
        m.wait = together;
        MUST(cudaSetDevice(gpus[r].device));
        const bool own =
            reshard_run<T, pairs<T>>(m, j.by.tile, j.by.push, gpus[r].stream);
        ok = own && ok;
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

// A first call, in which no kernel waits for another, lets every GPU load it.
template <class T> static size_t check(const job &j) {
    const bool as_asked = together;
    size_t wrong = 0;
    together = false;
    wrong += start<T>(j) ? 0 : 1;
    together = as_asked;
    wait_all();
    for (int pass = 0; pass < 2; ++pass) {
        for (unsigned r = 0; r < gpus.size(); ++r) {
            gpu &g = gpus[r];
            MUST(cudaSetDevice(gpus[r].device));
            if (pass == 0) {
                MUST(cudaMemsetAsync(g.dst, 0xee, j.bytes, g.stream));
                visit<T><<<1024, 256, 0, g.stream>>>((T *)g.src,
                                                     columns_of(j.a, r), NULL);
            } else {
                MUST(cudaMemsetAsync(g.wrong, 0, 4, g.stream));
                visit<T><<<1024, 256, 0, g.stream>>>(
                    (T *)g.dst, columns_of(j.b, r), g.wrong);
            }
        }
        wait_all();
        if (pass == 0) {
            wrong += start<T>(j) ? 0 : 1;
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

// Microseconds of one of `n` calls of a burst on the slower GPU: the median.
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

// Each GPU reads from the others, in turn, what must cross; its own part stays.
// Where nothing crosses, it copies its own memory.
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

template <class T>
static size_t measure(FILE *f, unsigned from, unsigned to, size_t bytes,
                      const double *limits, bool timed, const char **comma) {
    const job j = job_of(from, to, 8 * sizeof(T), bytes);
    if (j.by.tile.err) {
        printf("%s -> %s: %s\n", names[from], names[to],
               ll_reshard_strerror(j.by.tile.err));
        return 1;
    }
    const size_t wrong = check<T>(j);
    if (wrong) {
        printf("%s -> %s, %zu bits: %zu wrong; order %llx, %s\n", names[from],
               names[to], 8 * sizeof(T), wrong, reshard_order(j.by.tile),
               j.by.push ? "push" : "pull");
    }
    const double us =
        timed && !wrong
            ? time_of([&] { start<T>(j); }, bytes < (size_t)1 << 28 ? 20 : 4)
            : 0;
    const size_t cross = (size_t)ll_reshard_bytes(j.by.plan, 0, 0);
    const double least = limits[cross != 0];
    fprintf(f,
            "%s\n  {\"from\": \"%s\", \"to\": \"%s\", \"bits\": %zu, "
            "\"bytes\": %zu, \"crosses\": %zu, \"means\": \"%s\", "
            "\"wrong\": %zu",
            *comma, names[from], names[to], 8 * sizeof(T), bytes, cross,
            j.by.push ? "push" : "pull", wrong);
    if (us > 0) {
        fprintf(f,
                ", \"us\": %.2f, \"limit_us\": %.2f, \"of_limit\": %.4f, "
                "\"gbps\": %.1f, \"modelled_us\": %.2f",
                us, least, least / us,
                (double)(cross ? cross : 2 * bytes) / us / 1e3,
                ll_reshard_us(j.by.plan));
        printf("%6s -> %-6s %2zu bits %5zu MiB %9.2f us, %.3f of the limit\n",
               names[from], names[to], 8 * sizeof(T), bytes >> 20, us,
               least / us);
    }
    fprintf(f, "}");
    *comma = ",";
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
        const double least[2] = {timed ? limit(bytes, false) : 0,
                                 timed ? limit(bytes, true) : 0};
        for (unsigned from = 0; from < SHARDINGS; ++from) {
            for (unsigned to = 0; to < SHARDINGS; ++to) {
                if (!is_pair(from, to) ||
                    (what == "sanitize" && from > 1 && to > 1)) {
                    continue;
                }
                wrong += measure<unsigned char>(f, from, to, bytes, least,
                                                timed, &comma);
                wrong += measure<unsigned short>(f, from, to, bytes, least,
                                                 timed, &comma);
                wrong +=
                    measure<unsigned>(f, from, to, bytes, least, timed, &comma);
                fflush(f);
            }
        }
        if (timed) {
            printf("%zu MiB: a plain kernel reads %.1f GB/s from its peers\n",
                   bytes >> 20,
                   (double)(bytes - bytes / gpus.size()) / least[1] / 1e3);
        }
    }
    fprintf(f, "\n ]}\n");
    fclose(f);
    printf(wrong ? "%zu wrong\n" : "0 wrong\n", wrong);
    return wrong != 0;
}
