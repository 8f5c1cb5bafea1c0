// convert.cu - times conversions against the limit of shared memory
// SPDX-License-Identifier: MIT
//
// Each of 1056 blocks of 128 threads takes a tile of its own from layout A to
// layout B and back in a loop. After each conversion it XORs the data with a
// word known only at run time. The time of one round trip of all blocks is the
// difference between a long and a short loop, divided by the difference of
// their trips. The contenders of a case run in turn, round after round.
//
// Before the clock starts, each block makes three round trips and one more
// conversion, and the device compares the result with its tile of random
// elements in layout B. Before that, every element is set to a wrong value.
//
//   ll            the plan of ll_plan_of
//   ll-shared     through shared memory, if ll uses shuffles
//   ll-shuffles   by shuffles, if possible and ll uses shared memory
//   padded+4      row-major shared memory, rows 4 bytes longer, not beside cub
//   padded+16     the same, 16 bytes longer, with accesses of up to 16 bytes
//   cub*          cub::BlockExchange, and both algorithms of cub::WarpExchange
//
// With -DLL_BENCH_GATHERS=1 a trip is a gather of gather.cu, and the check
// makes three.
//
// Limits, at the device's highest clock: `roof` is 128 bytes per clock and
// multiprocessor, with the tile written once and read once in each direction
// (for a gather, one wavefront per clock, with the wavefronts of its indices).
// `shuffle_roof` is one warp shuffle per clock.
//
// Build and run: bench/run.sh convert, bench/run.sh gather. With --profile FILE
// the program measures nothing: for ncu, one block of each contender makes 1
// round trip and then 11, and FILE lists the names.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "convert.h"

namespace {

enum : unsigned { blocks = 1056, rounds = 9, warm_ups = 1 };
enum : unsigned { few = 500, many = 2500 };
const size_t most = size_t(blocks) * 512 * 64 * 4; // bytes of all tiles
const size_t guard = 4096;                         // bytes after the results
unsigned char *source, *result;
unsigned *from_on_device;
unsigned long long *wrong_on_device;
int failures;
double clocks_per_ns, units;

// ---- Data and checks ------------------------------------------------

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void fill(unsigned *dst, size_t words) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < words;
         k += step) {
        dst[k] = mixed(unsigned(k) + 1);
    }
}

// Returns the expected element k of the results; each has `tile` elements.
template <class T>
__device__ T expected(const T *src, const unsigned *from, unsigned tile,
                      size_t k) {
    return src[k / tile * tile + from[k % tile]];
}

template <class T>
__global__ void spoil(T *dst, const T *src, const unsigned *from,
                      unsigned tile) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
         k < size_t(blocks) * tile; k += step) {
        dst[k] = T(~expected(src, from, tile, k));
    }
}

template <class T>
__global__ void compare(const T *dst, const T *src, const unsigned *from,
                        unsigned tile, unsigned long long *wrong) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    const unsigned char *behind =
        reinterpret_cast<const unsigned char *>(dst + size_t(blocks) * tile);
    unsigned long long mine = 0;
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
         k < size_t(blocks) * tile; k += step) {
        mine += dst[k] != expected(src, from, tile, k);
        mine += k < guard && behind[k] != 0xa5;
    }
    if (mine) {
        atomicAdd(wrong, mine);
    }
}

template <class T> void verify_as(const conversion &of, contender &k) {
    const unsigned tile = of.m * of.n;
    T *dst = reinterpret_cast<T *>(result);
    const T *src = reinterpret_cast<const T *>(source);
    MUST(cudaMemcpy(from_on_device, of.from.data(), tile * sizeof(unsigned),
                    cudaMemcpyHostToDevice));
    MUST(cudaMemset(wrong_on_device, 0, sizeof *wrong_on_device));
    spoil<<<1024, 256>>>(dst, src, from_on_device, tile);
    MUST(cudaMemset(dst + size_t(blocks) * tile, 0xa5, guard));
    k.launch(result, source, blocks, 3);
    MUST(cudaGetLastError());
    compare<<<1024, 256>>>(dst, src, from_on_device, tile, wrong_on_device);
    MUST(cudaMemcpy(&k.wrong, wrong_on_device, sizeof k.wrong,
                    cudaMemcpyDeviceToHost));
}

void verify(const conversion &of, contender &k) {
    of.bits == 8    ? verify_as<unsigned char>(of, k)
    : of.bits == 16 ? verify_as<unsigned short>(of, k)
                    : verify_as<unsigned>(of, k);
    if (k.wrong) {
        ++failures;
        fprintf(stderr, "%s, %u bits, %s: %llu elements wrong\n",
                of.name.c_str(), of.bits, k.who.c_str(), k.wrong);
    }
}

// ---- Measuring ------------------------------------------------

struct watch {
    cudaEvent_t start, stop;
    watch() {
        MUST(cudaEventCreate(&start));
        MUST(cudaEventCreate(&stop));
    }
    double ns(const contender &k, unsigned trips) {
        float ms = 0;
        MUST(cudaEventRecord(start));
        k.launch(result, source, blocks, trips);
        MUST(cudaEventRecord(stop));
        MUST(cudaEventSynchronize(stop));
        MUST(cudaEventElapsedTime(&ms, start, stop));
        return ms * 1e6;
    }
};

void measure(conversion &of, watch &w) {
    for (unsigned r = 0; r < warm_ups + rounds; ++r) {
        for (contender &k : of.all) {
            const double lo = w.ns(k, few), hi = w.ns(k, many);
            if (r >= warm_ups) {
                k.ns.push_back(std::max(hi - lo, 0.0) / (many - few));
            }
        }
    }
    MUST(cudaGetLastError());
}

double quantile(std::vector<double> v, double q) {
    std::sort(v.begin(), v.end());
    return v[size_t(q * double(v.size() - 1) + 0.5)];
}

std::string row_name(const conversion &of, const contender &k) {
    return (LL_BENCH_GATHERS ? "gather/" : "convert/") + of.name + "/u" +
           std::to_string(of.bits) + "/" + k.who;
}

void counters(benchmark::State &state, const contender &k, double bytes) {
    const double ns = quantile(k.ns, 0.5);
    const double limit = ns * clocks_per_ns * units; // clocks of all units
    state.counters["ns"] = ns;
    state.counters["spread"] =
        ns > 0 ? (quantile(k.ns, 0.9) - quantile(k.ns, 0.1)) / ns : 0;
    state.counters["registers"] = k.registers;
    state.counters["spilled_bytes"] = k.spilled;
    state.counters["smem_bytes"] = k.smem;
    state.counters["blocks_per_sm"] = k.resident;
    if (!strcmp(k.plan.kind, "shared") && limit > 0) {
        state.counters["roof"] =
            (LL_BENCH_GATHERS ? k.plan.wavefronts : 4 * bytes / 128) * blocks /
            limit;
    }
    if (k.plan.cycles) {
        state.counters["shuffles"] = k.plan.shuffles;
        state.counters["byte_permutes"] = k.plan.permutes;
        state.counters["selects"] = k.plan.selects;
        state.counters["wavefronts"] = k.plan.wavefronts;
        state.counters["cycles_planned"] = k.plan.cycles;
    }
    if (k.plan.shuffles && limit > 0) {
        state.counters["shuffle_roof"] =
            double(k.plan.shuffles) * warps * blocks / limit;
    }
}

// Adds a row of the report.
void report(const conversion &of, const contender &k) {
    const double bytes = double(of.m) * of.n * of.bits / 8;
    auto *b = benchmark::RegisterBenchmark(
        row_name(of, k).c_str(), [=](benchmark::State &state) {
            size_t sample = 0;
            for (auto _ : state) {
                state.SetIterationTime(k.ns[sample++ % k.ns.size()] * 1e-9);
            }
            counters(state, k, bytes);
            state.SetLabel(k.plan.kind);
            if (k.wrong) {
                state.SkipWithError("wrong elements");
            }
        });
    b->UseManualTime()->Unit(benchmark::kNanosecond);
    b->Iterations(benchmark::IterationCount(k.ns.size()));
}

void context(const cudaDeviceProp &device, int sm_khz) {
    int driver = 0, runtime = 0;
    MUST(cudaDriverGetVersion(&driver));
    MUST(cudaRuntimeGetVersion(&runtime));
    const auto add = [](const char *key, const std::string &value) {
        benchmark::AddCustomContext(key, value);
    };
    const auto from = [&](const char *key, const char *variable) {
        const char *value = getenv(variable);
        add(key, value ? value : "unknown");
    };
    add("device", device.name);
    add("multiprocessors", std::to_string(device.multiProcessorCount));
    add("driver_cuda", std::to_string(driver));
    add("runtime_cuda", std::to_string(runtime));
    add("sm_clock_MHz_max", std::to_string(sm_khz / 1000));
    add("compiler", "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                        std::to_string(__CUDACC_VER_MINOR__) + "." +
                        std::to_string(__CUDACC_VER_BUILD__));
    add("blocks", std::to_string(blocks));
    add("rounds", std::to_string(rounds));
    from("commit", "LL_COMMIT");
    from("command", "LL_COMMAND");
    from("driver", "LL_DRIVER");
    from("clocks", "LL_CLOCKS");
}

// ---- Profiling ------------------------------------------------

int profile(const std::vector<conversion> &all, const char *path) {
    FILE *names = fopen(path, "w");
    if (!names) {
        fprintf(stderr, "convert: cannot write %s\n", path);
        return 1;
    }
    for (const conversion &of : all) {
        for (const contender &k : of.all) {
            if (k.smem || k.plan.shuffles) {
                k.launch(result, source, 1, 1);
                k.launch(result, source, 1, 11);
                MUST(cudaDeviceSynchronize());
                fprintf(names, "%s\n", row_name(of, k).c_str());
            }
        }
    }
    return fclose(names) != 0;
}

} // namespace

int main(int argc, char **argv) {
    const bool profiled = argc == 3 && !strcmp(argv[1], "--profile");
    if (!profiled) {
        benchmark::Initialize(&argc, argv);
        if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
            return 1;
        }
    }
    int sm_khz = 0;
    cudaDeviceProp device;
    MUST(cudaGetDeviceProperties(&device, 0));
    MUST(cudaDeviceGetAttribute(&sm_khz, cudaDevAttrClockRate, 0));
    clocks_per_ns = sm_khz * 1e-6;
    units = device.multiProcessorCount;
    MUST(cudaMalloc(reinterpret_cast<void **>(&source), most));
    MUST(cudaMalloc(reinterpret_cast<void **>(&result), most + guard));
    MUST(cudaMalloc(reinterpret_cast<void **>(&from_on_device), most / blocks));
    MUST(cudaMalloc(reinterpret_cast<void **>(&wrong_on_device),
                    sizeof *wrong_on_device));
    fill<<<1024, 256>>>(reinterpret_cast<unsigned *>(source), most / 4);
    MUST(cudaDeviceSynchronize());

    std::vector<conversion> all;
#define ADD(what, bits) LL_BENCH_NAME(what, bits)(all);
    LL_BENCH_PARTS(ADD)
    if (profiled) {
        return profile(all, argv[2]);
    }
    context(device, sm_khz);
    watch w;
    for (conversion &of : all) {
        for (contender &k : of.all) {
            verify(of, k);
        }
        measure(of, w);
        for (const contender &k : of.all) {
            report(of, k);
        }
    }
    benchmark::RunSpecifiedBenchmarks();
    return failures != 0;
}
