// fused.h - what the fused_*.cu programs share: the GPUs of a host, times,
// random data and rows of the record `fused`.
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_FUSED_H
#define LL_BENCH_FUSED_H

#include "examples/kernels/check.h"
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#ifndef LOG_GPUS
#define LOG_GPUS 1
#endif

namespace fused {

constexpr unsigned RANKS = 1u << LOG_GPUS, BURSTS = 7;

// A GPU of this process, which drives all of them. Rank r is GPU r.
struct gpu {
    cudaStream_t stream;
    cudaEvent_t from, to;
};

inline std::vector<gpu> &gpus() {
    static std::vector<gpu> all;
    return all;
}

// Opens RANKS GPUs with access to each other's memory. Returns an error
// message, or null.
inline const char *open_gpus() {
    int n = 0;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); // loading may wait for a kernel
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    MUST(cudaGetDeviceCount(&n));
    if (n < (int)RANKS) {
        return "there are fewer GPUs than ranks";
    }
    gpus().resize(RANKS);
    for (unsigned r = 0; r < RANKS; ++r) {
        MUST(cudaSetDevice((int)r));
        for (unsigned e = 0; e < RANKS; ++e) {
            if (e != r) {
                MUST(cudaDeviceEnablePeerAccess((int)e, 0));
            }
        }
        MUST(cudaStreamCreateWithFlags(&gpus()[r].stream,
                                       cudaStreamNonBlocking));
        MUST(cudaEventCreate(&gpus()[r].from));
        MUST(cudaEventCreate(&gpus()[r].to));
    }
    return NULL;
}

// Calls run(r) for each rank with its GPU selected.
template <class F> void each_rank(F run) {
    for (unsigned r = 0; r < RANKS; ++r) {
        MUST(cudaSetDevice((int)r));
        run(r);
    }
}

inline void wait_all() {
    each_rank([](unsigned r) {
        MUST(cudaStreamSynchronize(gpus()[r].stream));
        MUST(cudaGetLastError());
    });
}

// Returns microseconds per call of a burst of n calls, on the slowest GPU.
template <class F> double burst_of(const F &run, unsigned n) {
    double slowest = 0;
    each_rank([](unsigned r) {
        MUST(cudaEventRecord(gpus()[r].from, gpus()[r].stream));
    });
    for (unsigned k = 0; k < n; ++k) {
        run();
    }
    each_rank([](unsigned r) {
        MUST(cudaEventRecord(gpus()[r].to, gpus()[r].stream));
    });
    wait_all();
    for (const gpu &g : gpus()) {
        float ms = 0;
        MUST(cudaEventElapsedTime(&ms, g.from, g.to));
        slowest = std::max(slowest, 1000.0 * ms / n);
    }
    return slowest;
}

// Returns microseconds per call of each way: the median of BURSTS bursts of n
// calls. The ways take turns, so that all meet the same clocks. run() starts a
// call on the streams of all ranks.
inline std::vector<double>
times_of(const std::vector<std::function<void()>> &ways, unsigned n) {
    std::vector<std::vector<double>> us(ways.size());
    std::vector<double> medians;
    for (unsigned burst = 0; burst <= BURSTS; ++burst) {
        for (size_t k = 0; k < ways.size(); ++k) {
            const double one = burst_of(ways[k], burst ? n : 2);
            if (burst) {
                us[k].push_back(one);
            }
        }
    }
    for (std::vector<double> &some : us) {
        std::sort(some.begin(), some.end());
        medians.push_back(some[BURSTS / 2]);
    }
    return medians;
}

// Returns the microseconds of a call of one way, as times_of does.
template <class F> double time_of(F run, unsigned n) {
    return times_of({std::function<void()>(run)}, n)[0];
}

// Returns `bytes` bytes of rank r, all 0xee.
template <class T> T *memory_of(unsigned r, size_t bytes) {
    void *p = NULL;
    MUST(cudaSetDevice((int)r));
    MUST(cudaMalloc(&p, bytes));
    MUST(cudaMemset(p, 0xee, bytes));
    return (T *)p;
}

// Returns element x of a random tensor times 64: a whole number from -64 to 64.
__host__ __device__ inline int random_integer(size_t x, unsigned seed) {
    unsigned y = (unsigned)x * 2654435761u ^ seed * 0x9e3779b9u;
    y = (y ^ y >> 15) * 0x85ebca6bu;
    y = (y ^ y >> 13) * 0xc2b2ae35u;
    return (int)((y ^ y >> 16) % 129u) - 64;
}

// Returns element x of a random tensor: bf16 from -1 to 1 in steps of 1 / 64.
__host__ __device__ inline float random_value(size_t x, unsigned seed) {
    return (float)random_integer(x, seed) / 64.0f;
}

// Fills n elements of bf16 from element `first` of a random tensor on.
__global__ void fill_bf16(unsigned short *to, size_t n, size_t first,
                          unsigned seed) {
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x < n;
         x += (size_t)gridDim.x * blockDim.x) {
        to[x] =
            (unsigned short)(__float_as_uint(random_value(first + x, seed)) >>
                             16);
    }
}

// The time of another way to do the same, under the name that the table shows.
struct peer {
    std::string name;
    double us;
};

// Writes one row, a JSON object on a line of its own.
//   kernel      what is computed: "GEMM to rows"
//   shape       as the table shows it
//   wrong       wrong elements of all ways
//   us          of the one kernel
//   in_turn_us  of our kernels one after the other
//   peers       of others; bench/peers/fused_*.py adds PyTorch's
inline void write_row(FILE *f, const char *kernel, const char *shape,
                      size_t wrong, double us, double in_turn_us,
                      const std::vector<peer> &peers) {
    fprintf(f,
            "{\"kernel\": \"%s\", \"shape\": \"%s\", \"wrong\": %zu, "
            "\"us\": %.2f, \"in_turn_us\": %.2f, \"peers\": {",
            kernel, shape, wrong, us, in_turn_us);
    for (size_t k = 0; k < peers.size(); ++k) {
        fprintf(f, "%s\"%s\": %.2f", k ? ", " : "", peers[k].name.c_str(),
                peers[k].us);
    }
    fprintf(f, "}}\n");
    fflush(f);
    printf("%s, %s: %zu wrong, %.2f us, in turn %.2f (%.2f times)\n", kernel,
           shape, wrong, us, in_turn_us, in_turn_us / us);
    for (const peer &p : peers) {
        printf("    %s %.2f us\n", p.name.c_str(), p.us);
    }
    fflush(stdout);
}

} // namespace fused

#endif
