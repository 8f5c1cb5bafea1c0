// transpose.cu - times transposes against a copy
// SPDX-License-Identifier: MIT
//
// For every type and size, all kernels run in turn, round after round, each
// between two device events. A round starts and ends with the copy kernel that
// of_copy refers to. Large matrices are launched once per measurement. Small
// matrices are measured in two ways: `single`, once as well, with the delay of
// a launch, and, under their plain name, by twenty launches between two events,
// queued beforehand. Successive launches use different buffers, together larger
// than the L2 cache.
//
// Before the clock starts, the device compares each kernel's whole output with
// the source. Before that, every element of the output is set to a wrong value,
// and the bytes after it to a pattern that must remain.
//
// Build and run: bench/run.sh gpu
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "compile/hand.cu"
#include "compile/layout.cu"
#include "peers.h"
#include "turn.h"

namespace {

enum : unsigned { rounds = 21, warm_ups = 2, batch = 20, most_slots = 16 };
const size_t pool = size_t(1) << 30; // bytes of sources, and of results
const size_t guard = 4096;           // bytes after each result
unsigned char *sources, *results;
unsigned long long *wrong_on_device;
int failures;

// ---- Data and checks ------------------------------------------------

__device__ unsigned long long mixed(unsigned long long x) {
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185ull;
    x ^= x >> 27;
    x *= 0x81dadef4bc2dd44dull;
    return x ^ x >> 33;
}

__global__ void fill(unsigned long long *dst, size_t words) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < words;
         k += step) {
        dst[k] = mixed(k + 1);
    }
}

// Keeps the device busy while the host queues launches.
__global__ void hold(long long clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {}
}

// Returns what element k of the result must be.
template <class T>
__device__ T expected(const T *src, size_t k, size_t m, size_t n, bool turned) {
    return turned ? src[k % m * n + k / m] : src[k];
}

template <class T>
__global__ void spoil(T *dst, const T *src, size_t m, size_t n, bool turned) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < m * n;
         k += step) {
        dst[k] = T(~expected(src, k, m, n, turned));
    }
}

template <class T>
__global__ void compare(const T *dst, const T *src, size_t m, size_t n,
                        bool turned, unsigned long long *wrong) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    unsigned long long mine = 0;
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < m * n;
         k += step) {
        mine += dst[k] != expected(src, k, m, n, turned);
    }
    const unsigned char *behind =
        reinterpret_cast<const unsigned char *>(dst + m * n);
    if (blockIdx.x == 0) {
        for (size_t k = threadIdx.x; k < guard; k += blockDim.x) {
            mine += behind[k] != 0xa5;
        }
    }
    if (mine) {
        atomicAdd(wrong, mine);
    }
}

// ---- Wavefronts in shared memory --------------------------------------

// Returns the wavefronts of one access: 32 byte addresses, `bytes` each.
unsigned served(const unsigned *at, unsigned bytes) {
    const unsigned lanes = bytes <= 4 ? 32 : 128 / bytes;
    unsigned total = 0;
    for (unsigned first = 0; first < 32; first += lanes) {
        std::vector<unsigned> bank[32];
        size_t most = 0;
        for (unsigned l = first; l < first + lanes; ++l) {
            for (unsigned w = at[l] / 4; w * 4 < at[l] + bytes; ++w) {
                std::vector<unsigned> &b = bank[w % 32];
                if (std::find(b.begin(), b.end(), w) == b.end()) {
                    b.push_back(w);
                }
                most = std::max(most, b.size());
            }
        }
        total += unsigned(most);
    }
    return total;
}

// Returns the wavefronts of a tile of 32 x 32 with rows of 33 elements.
unsigned padded_served(unsigned size) {
    unsigned total = 0, in[32], out[32];
    for (unsigned r = 0; r < 32; ++r) {
        for (unsigned l = 0; l < 32; ++l) {
            in[l] = (r * 33 + l) * size;
            out[l] = (l * 33 + r) * size;
        }
        total += served(in, size) + served(out, size);
    }
    return total;
}

unsigned wide_served(unsigned size, unsigned side, unsigned pad) {
    const unsigned row = side * size + pad, wide = 16 / size;
    const unsigned across = side / wide;
    const unsigned part = pad % 16 == 0 ? 16 : pad % 8 == 0 ? 8 : 4;
    unsigned total = 0, at[32];
    for (unsigned c = 0; c < side * across; c += 32) {
        for (unsigned k = 0; k < 16; k += part) {
            for (unsigned l = 0; l < 32; ++l) {
                at[l] = (c + l) / across * row + (c + l) % across * 16 + k;
            }
            total += served(at, part);
        }
        for (unsigned k = 0; k < wide; ++k) {
            for (unsigned l = 0; l < 32; ++l) {
                at[l] = ((c + l) % across * wide + k) * row +
                        (c + l) / across * size;
            }
            total += served(at, size);
        }
    }
    return total;
}

// Returns the wavefronts of a plan, for all warps.
unsigned plan_served(const ll_plan &p, unsigned warps) {
    unsigned total = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        total += p.step[k].wavefronts << (p.step[k].at.n - p.step[k].at.vector);
    }
    return total * warps;
}

// ---- Measuring ------------------------------------------------

struct kernel {
    std::string name;
    bool turned;
    std::function<void(void *, const void *)> launch;
    double wavefronts; // per tile; 0 without shared memory
    double tile_bytes;
    std::vector<double> seconds;
    unsigned long long wrong;
};

kernel row(const char *name, bool turned,
           std::function<void(void *, const void *)> launch,
           double wavefronts = 0, double tile_bytes = 0) {
    return kernel{name, turned, launch, wavefronts, tile_bytes, {}, 0};
}

// The buffers of successive launches.
struct buffers {
    size_t bytes, stride, slots, next;
    explicit buffers(size_t b)
        : bytes(b), stride((b + 255) / 256 * 256 + guard),
          slots(std::min<size_t>(std::max<size_t>(pool / b, 1), most_slots)),
          next(0) {}
    const void *src(size_t k) const { return sources + k * stride; }
    void *dst(size_t k) const { return results + k * stride; }
    void go(const kernel &k) {
        k.launch(dst(next), src(next));
        next = (next + 1) % slots;
    }
};

template <class T>
void verify(kernel &k, const buffers &on, unsigned m, unsigned n) {
    MUST(cudaMemset(wrong_on_device, 0, sizeof *wrong_on_device));
    for (size_t s = 0; s < on.slots; ++s) {
        T *dst = static_cast<T *>(on.dst(s));
        const T *src = static_cast<const T *>(on.src(s));
        spoil<<<2048, 256>>>(dst, src, m, n, k.turned);
        MUST(cudaMemset(dst + size_t(m) * n, 0xa5, guard));
        k.launch(dst, src);
        compare<<<2048, 256>>>(dst, src, m, n, k.turned, wrong_on_device);
        MUST(cudaGetLastError());
    }
    MUST(cudaMemcpy(&k.wrong, wrong_on_device, sizeof k.wrong,
                    cudaMemcpyDeviceToHost));
    if (k.wrong) {
        ++failures;
        fprintf(stderr, "%s, %ux%u of %zu bytes: %llu elements wrong\n",
                k.name.c_str(), m, n, sizeof(T), k.wrong);
    }
}

void measure(std::vector<kernel> &all, buffers &on, unsigned launches) {
    cudaEvent_t start, stop;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    for (kernel &k : all) {
        k.seconds.clear();
    }
    for (unsigned r = 0; r < warm_ups + rounds; ++r) {
        for (size_t k = 0; k <= all.size(); ++k) {
            kernel &now = all[k % all.size()]; // all[0], the copy, twice
            float ms = 0;
            if (launches > 1) {
                hold<<<1, 1>>>(200000);
            }
            MUST(cudaEventRecord(start));
            for (unsigned l = 0; l < launches; ++l) {
                on.go(now);
            }
            MUST(cudaEventRecord(stop));
            MUST(cudaEventSynchronize(stop));
            MUST(cudaEventElapsedTime(&ms, start, stop));
            if (r >= warm_ups) {
                now.seconds.push_back(ms * 1e-3 / launches);
            }
        }
    }
    MUST(cudaGetLastError());
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(stop));
}

double quantile(std::vector<double> v, double q) {
    std::sort(v.begin(), v.end());
    return v[size_t(q * double(v.size() - 1) + 0.5)];
}

// Adds a row of the report.
void report(const std::string &name, const kernel &k, double bytes,
            double copied) {
    auto *b = benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State &state) {
            size_t sample = 0;
            for (auto _ : state) {
                state.SetIterationTime(k.seconds[sample++ % k.seconds.size()]);
            }
            const double median = quantile(k.seconds, 0.5);
            state.counters["GB/s"] = bytes / median * 1e-9;
            state.counters["of_copy"] = copied / median;
            state.counters["spread"] =
                (quantile(k.seconds, 0.9) - quantile(k.seconds, 0.1)) / median;
            if (k.tile_bytes > 0) {
                state.counters["wavefronts"] = k.wavefronts;
                state.counters["wavefronts_per_KiB"] =
                    k.wavefronts / k.tile_bytes * 1024;
            }
            if (k.wrong) {
                state.SkipWithError("wrong elements");
            }
        });
    b->UseManualTime()->Unit(benchmark::kMicrosecond);
    b->Iterations(benchmark::IterationCount(k.seconds.size()));
}

// ---- The kernels ------------------------------------------------

dim3 grid_of(unsigned m, unsigned n, unsigned side) {
    return dim3((n + side - 1) / side, (m + side - 1) / side);
}

template <class T, unsigned R, unsigned PAD, bool FITS> struct add_wide {
    static void to(std::vector<kernel> &, const char *, unsigned, unsigned) {}
};

template <class T, unsigned R, unsigned PAD> struct add_wide<T, R, PAD, true> {
    static void to(std::vector<kernel> &all, const char *name, unsigned m,
                   unsigned n) {
        all.push_back(row(
            name, true,
            [=](void *d, const void *s) {
                padded_wide<T, R, PAD><<<grid_of(m, n, R), 2 * R>>>(
                    static_cast<T *>(d), static_cast<const T *>(s), m, n);
            },
            wide_served(sizeof(T), R, PAD), R * R * sizeof(T)));
    }
};

// Adds a kernel whose padding is whole elements, if its tile fits 48 KiB.
template <class T, unsigned R, unsigned PAD>
void wide(std::vector<kernel> &all, const char *name, unsigned m, unsigned n) {
    add_wide<T, R, PAD,
             PAD % sizeof(T) == 0 &&
                 R *(R * sizeof(T) + PAD) <= 48 * 1024>::to(all, name, m, n);
}

template <class T> void by_compile(std::vector<kernel> &, unsigned, unsigned) {}

template <>
void by_compile<unsigned>(std::vector<kernel> &all, unsigned m, unsigned n) {
    typedef unsigned T;
    all.push_back(row(
        "hand", true,
        [=](void *d, const void *s) {
            by_hand<<<grid_of(m, n, 64), 256>>>(
                static_cast<T *>(d), static_cast<const T *>(s), m, n);
        },
        2 * 64 * 64 * 4 / 128, 64 * 64 * 4));
    all.push_back(row(
        "layout_of_hand", true,
        [=](void *d, const void *s) {
            by_layout<<<grid_of(m, n, 64), 256>>>(
                static_cast<T *>(d), static_cast<const T *>(s), m, n);
        },
        2 * 64 * 64 * 4 / 128, 64 * 64 * 4));
}

template <class T>
std::vector<kernel> kernels(unsigned m, unsigned n, unsigned units) {
    const size_t bytes = size_t(m) * n * sizeof(T);
    const bool even = m * sizeof(T) % 16 == 0 && n * sizeof(T) % 16 == 0;
    std::vector<kernel> all;
    all.push_back(row("copy", false, [=](void *d, const void *s) {
        copy<<<units * 16, 512>>>(static_cast<unsigned char *>(d),
                                  static_cast<const unsigned char *>(s), bytes);
    }));
    all.push_back(row("copy_flat", false, [=](void *d, const void *s) {
        copy_flat<<<unsigned((bytes / 16 + 16 + 255) / 256), 256>>>(
            static_cast<unsigned char *>(d),
            static_cast<const unsigned char *>(s), bytes);
    }));
    all.push_back(row("memcpy", false, [=](void *d, const void *s) {
        MUST(cudaMemcpyAsync(d, s, bytes, cudaMemcpyDeviceToDevice));
    }));
    all.push_back(row("naive", true, [=](void *d, const void *s) {
        naive<T><<<tile_grid(32, 32, m, n), 128>>>(static_cast<T *>(d),
                                             static_cast<const T *>(s), m, n);
    }));
    all.push_back(row(
        "padded", true,
        [=](void *d, const void *s) {
            padded<T><<<tile_grid(32, 32, m, n), 128>>>(
                static_cast<T *>(d), static_cast<const T *>(s), m, n);
        },
        padded_served(sizeof(T)), 32 * 32 * sizeof(T)));
    if (even) {
        wide<T, 64, 4>(all, "padded_wide_64+4", m, n);
        wide<T, 64, 8>(all, "padded_wide_64+8", m, n);
        wide<T, 64, 16>(all, "padded_wide_64+16", m, n);
        wide<T, 128, 4>(all, "padded_wide_128+4", m, n);
        wide<T, 128, 16>(all, "padded_wide_128+16", m, n);
        by_compile<T>(all, m, n);
    }
    all.push_back(row("layout", true, [=](void *d, const void *s) {
        transposed(static_cast<T *>(d), static_cast<const T *>(s), m, n);
    }));
    return all;
}

// Sets the wavefronts that the plan of the example's tile predicts, with
// accesses of 16 bytes to global memory.
template <class T> void count_layout(kernel &k, size_t bytes) {
    const unsigned size = sizeof(T);
    const tile t = tile_for(size, is_large(bytes));
    const ll_plan p = ll_plan_of(
        row_tile(t.rows, t.cols, size, 16, t.warps),
        ll_trans(row_tile(t.cols, t.rows, size, 16, t.warps), "j i"), 8 * size,
        LL_SM90);
    if (p.err == LL_OK) {
        k.wavefronts = plan_served(p, t.warps);
        k.tile_bytes = double(t.rows) * t.cols * size;
    }
}

template <class T> void matrix(unsigned m, unsigned n, unsigned units) {
    const size_t bytes = size_t(m) * n * sizeof(T);
    const std::string start = "transpose/u" + std::to_string(8 * sizeof(T)) +
                              "/" + std::to_string(m) + "x" +
                              std::to_string(n) + "/";
    buffers on(bytes);
    std::vector<kernel> all = kernels<T>(m, n, units);
    if (m * sizeof(T) % 16 == 0 && n * sizeof(T) % 16 == 0) {
        count_layout<T>(all.back(), bytes);
    }
    for (kernel &k : all) {
        verify<T>(k, on, m, n);
    }
    const bool small = bytes < pool / 4;
    for (int batched = 0; batched <= int(small); ++batched) {
        measure(all, on, batched ? unsigned(batch) : 1);
        const double copied = quantile(all[0].seconds, 0.5);
        for (const kernel &k : all) {
            report(start + (small && !batched ? "single/" : "") + k.name, k,
                   2.0 * double(bytes), copied);
        }
    }
}

void context(const cudaDeviceProp &device) {
    int driver = 0, runtime = 0, sm_khz = 0, memory_khz = 0;
    MUST(cudaDriverGetVersion(&driver));
    MUST(cudaRuntimeGetVersion(&runtime));
    MUST(cudaDeviceGetAttribute(&sm_khz, cudaDevAttrClockRate, 0));
    MUST(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    const auto add = [](const char *key, const std::string &value) {
        benchmark::AddCustomContext(key, value);
    };
    const auto from = [&](const char *key, const char *variable) {
        const char *value = getenv(variable);
        add(key, value ? value : "unknown");
    };
    add("device", device.name);
    add("driver_cuda", std::to_string(driver));
    add("runtime_cuda", std::to_string(runtime));
    add("sm_clock_MHz_max", std::to_string(sm_khz / 1000));
    add("memory_clock_MHz_max", std::to_string(memory_khz / 1000));
    add("l2_bytes", std::to_string(device.l2CacheSize));
    add("compiler", "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                        std::to_string(__CUDACC_VER_MINOR__) + "." +
                        std::to_string(__CUDACC_VER_BUILD__));
    add("rounds", std::to_string(rounds));
    from("commit", "LL_COMMIT");
    from("command", "LL_COMMAND");
    from("driver", "LL_DRIVER");
    from("clocks", "LL_CLOCKS");
}

} // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    cudaDeviceProp device;
    MUST(cudaGetDeviceProperties(&device, 0));
    const unsigned units = unsigned(device.multiProcessorCount);
    context(device);

    const size_t room = pool + most_slots * (guard + 256);
    MUST(cudaMalloc(reinterpret_cast<void **>(&sources), room));
    MUST(cudaMalloc(reinterpret_cast<void **>(&results), room));
    MUST(cudaMalloc(reinterpret_cast<void **>(&wrong_on_device),
                    sizeof *wrong_on_device));
    fill<<<units * 8, 512>>>(reinterpret_cast<unsigned long long *>(sources),
                             room / 8);
    MUST(cudaDeviceSynchronize());

    matrix<unsigned char>(32768, 32768, units);
    matrix<unsigned short>(16384, 32768, units);
    matrix<unsigned>(16384, 16384, units);
    matrix<unsigned long long>(16384, 8192, units);
    matrix<unsigned char>(4096, 4096, units);
    matrix<unsigned short>(4096, 4096, units);
    matrix<unsigned>(4096, 4096, units);
    matrix<unsigned long long>(4096, 4096, units);
    matrix<unsigned char>(5003, 7001, units);
    matrix<unsigned short>(5003, 7001, units);
    matrix<unsigned>(5003, 7001, units);
    benchmark::RunSpecifiedBenchmarks();
    return failures != 0;
}
