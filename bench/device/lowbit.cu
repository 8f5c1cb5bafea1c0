/* lowbit.cu - measures matmul_lowbit.cu: decoding against the copy rate of the
 * memory, prefill against matmul_hopper.cu with weights of OPERAND. Activations
 * have the type OPERAND.
 * SPDX-License-Identifier: MIT
 *
 *     bench-lowbit >FILE
 *
 * Decoding: a graph launches the kernel on several copies of the weights in
 * turn, together 256 MiB or more, so that none are in the L2 cache. A row has
 * the time of a launch, and the bytes of the weights with their scales per
 * second, as a share of the copy rate (bytes read and written) of the same
 * process: rested, after 0.06 s of idleness, and sustained, after 0.15 s of
 * decoding. The clock left by preceding GEMMs changes the time by up to a
 * fifth.
 *
 * Prefill: rested, 5 ms of launches after 0.12 s of idleness, and sustained, 10
 * ms back to back after a second of GEMMs. Medians, in turn with the GEMM of
 * OPERAND. Elements are random; fp8 and activations are random normal.
 */
#define LL_NO_MAIN
#include "examples/kernels/matmul/matmul_lowbit.cu"
#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

extern "C" const char *ll_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k);

static __device__ unsigned mix(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Returns random scales of 2^-8 to 2^-5, as they are stored. */
template <format F> LL_FN unsigned scales_from(unsigned r) {
    if (IS_BF16) {
        return F == mxfp4   ? 0xb5b5b5b5u + (r & 0x03030303u)
               : F == nvfp4 ? 0x10101010u + (r & 0x07070707u)
                            : (188u << 23 | 188u << 7) + (r & 0x007f007fu);
    }
    unsigned all = 0;
    for (unsigned at = 0; at < 32; at += F == s4 ? 16 : 8) {
        all |= stored_scale<F>(F == s4      ? 119u << 7 | (r >> at & 127)
                               : F == mxfp4 ? 119 + (r >> at & 3)
                                            : 8 + (r >> at & 7),
                               0)
               << at;
    }
    return all;
}

static __device__ float normal(unsigned x) {
    const unsigned r = mix(x * 2u), s = mix(x * 2u + 1);
    return sqrtf(-2 * logf((r + 1.0f) * 0x1p-32f)) *
           cospif((float)s * 0x1p-31f);
}

/* Writes random elements and scales; `order` packs a word. */
template <format F>
__global__ void fill_weights(unsigned *w, size_t words, ll_layout order) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t x = blockIdx.x * blockDim.x + threadIdx.x; x < words;
         x += step) {
        unsigned r = mix((unsigned)x);
        if (F == fp8) {
            const unsigned y = 4 * (unsigned)x;
            r = ll_apply(order,
                         ll_ptx_cvt_e4m3x2(normal(y), normal(y + 1)) |
                             ll_ptx_cvt_e4m3x2(normal(y + 2), normal(y + 3))
                                 << 16);
        } else if (x % (tile_bytes(F) / 4) >= element_bytes(F) / 4) {
            r = scales_from<F>(r);
        }
        w[x] = r;
    }
}

/* Writes random normal numbers. */
__global__ void fill_normal(activation *x, size_t count) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t y = blockIdx.x * blockDim.x + threadIdx.x; y < count;
         y += step) {
        const float f = normal((unsigned)y);
        x[y] = IS_E4M3  ? (activation)ll_ptx_cvt_e4m3x2(f, 0)
               : IS_F16 ? (activation)ll_ptx_cvt_f16x2(f, 0)
                        : (activation)(__float_as_uint(f) >> 16);
    }
}

__global__ void copy(uint4 *to, const uint4 *from) {
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    to[x] = from[x];
}

typedef std::function<void(cudaStream_t)> run;

/* Returns the mean seconds per launch over `count` launches. */
static double burst(const run &f, unsigned count, cudaStream_t stream) {
    cudaEvent_t from, to;
    float ms = 0;
    MUST(cudaEventCreate(&from));
    MUST(cudaEventCreate(&to));
    MUST(cudaEventRecord(from, stream));
    for (unsigned x = 0; x < count; ++x) {
        f(stream);
    }
    MUST(cudaEventRecord(to, stream));
    MUST(cudaEventSynchronize(to));
    MUST(cudaEventElapsedTime(&ms, from, to));
    MUST(cudaEventDestroy(from));
    MUST(cudaEventDestroy(to));
    return 1e-3 * ms / count;
}

static double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

static unsigned char *memory_of(size_t bytes) {
    unsigned char *p = 0;
    MUST(cudaMalloc((void **)&p, bytes));
    return p;
}

static void must_say_nothing(const char *bad) {
    if (bad) {
        fprintf(stderr, "%s\n", bad);
        exit(1);
    }
}

static bool first_row = true;
static void row(const char *text) {
    printf("%s\n  %s", first_row ? "" : ",", text);
    fflush(stdout);
    first_row = false;
}

static const char *const NAME = IS_BF16 ? "bf16" : IS_F16 ? "f16" : "e4m3";

static const char *const FORMATS[] = {"mxfp4", "int4", "nvfp4", "fp8"};

template <format F>
static void multiply(const void *c, const unsigned char *x,
                     const unsigned char *w, unsigned m, unsigned n, unsigned k,
                     cudaStream_t stream) {
    must_say_nothing(launch_lowbit<F>((void *)c, x, w, m, n, k, stream));
}

/* All memory, allocated once: after memory is freed, copies are slower for a
 * while. */
struct arena {
    unsigned char *w, *x, *c, *plain_w;
    size_t w_bytes;
    double copy_rate;
    cudaStream_t stream;
};

static void measure_copy(arena &a) {
    const size_t bytes = (size_t)1 << 29;
    std::vector<double> all;
    for (unsigned x = 0; x < 9; ++x) {
        all.push_back(burst(
            [&](cudaStream_t s) {
                copy<<<(unsigned)(bytes / 16 / 256), 256, 0, s>>>(
                    (uint4 *)(a.w + bytes), (const uint4 *)a.w);
            },
            4, a.stream));
    }
    a.copy_rate = 2.0 * (double)bytes / median(all);
}

/* Returns the median of nine bursts of two. */
static double nine(const run &f, cudaStream_t stream) {
    std::vector<double> all;
    for (unsigned x = 0; x < 9; ++x) {
        all.push_back(burst(f, 2, stream));
    }
    return median(all);
}

static void idle(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

template <format F>
static void decode(const arena &a, unsigned m, unsigned n, unsigned k) {
    const size_t bytes = weight_bytes(F, n, k);
    const unsigned copies =
        (unsigned)((((size_t)256 << 20) + bytes - 1) / bytes) + 1;
    const unsigned count = copies * (64 / copies + 1);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    char text[400];
    MUST(cudaStreamBeginCapture(a.stream, cudaStreamCaptureModeThreadLocal));
    for (unsigned x = 0; x < count; ++x) {
        multiply<F>(a.c, a.x, a.w + x % copies * bytes, m, n, k, a.stream);
    }
    MUST(cudaStreamEndCapture(a.stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    const run once = [&](cudaStream_t s) { MUST(cudaGraphLaunch(exec, s)); };
    idle(0.06);
    burst(once, 2, a.stream);
    const double s = nine(once, a.stream) / count;
    burst(once, (unsigned)(0.15 / (s * count)) + 1, a.stream);
    const double hot = nine(once, a.stream) / count;
    snprintf(text, sizeof text,
             "{\"what\": \"decode\", \"activations\": \"%s\", "
             "\"format\": \"%s\", \"m\": %u, \"n\": %u, \"k\": %u, "
             "\"us\": %.2f, \"weights_gbps\": %.0f, \"share\": %.4f, "
             "\"tflops\": %.1f, \"sustained_us\": %.2f, "
             "\"sustained_share\": %.4f}",
             NAME, FORMATS[F], m, n, k, 1e6 * s, 1e-9 * (double)bytes / s,
             (double)bytes / s / a.copy_rate, 2e-12 * m * n * k / s, 1e6 * hot,
             (double)bytes / hot / a.copy_rate);
    row(text);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* Returns the median seconds per launch of each function, measured in turn. */
static std::vector<double> turns(const std::vector<run> &f, double idle,
                                 double seconds, double flops,
                                 cudaStream_t stream) {
    std::vector<std::vector<double>> all(f.size());
    std::vector<double> found;
    const unsigned count = (unsigned)(seconds * 6e14 / flops) + 1;
    for (unsigned r = 0; r < 5; ++r) {
        for (size_t y = 0; y < f.size(); ++y) {
            const size_t x = (y + r) % f.size();
            MUST(cudaStreamSynchronize(stream));
            ::idle(idle);
            all[x].push_back(burst(f[x], count, stream));
        }
    }
    for (const std::vector<double> &v : all) {
        found.push_back(median(v));
    }
    return found;
}

/* Returns the quarter of the weights' memory that holds format F. */
template <format F> static unsigned char *quarter_of(const arena &a) {
    return a.w + F * (a.w_bytes / 4);
}

template <format F> static void fill(unsigned char *w, size_t bytes) {
    fill_weights<F><<<1024, 256>>>((unsigned *)w, bytes / 4, packing<F>());
    MUST(cudaDeviceSynchronize());
}

template <format F>
static run prefilled(const arena &a, unsigned m, unsigned n, unsigned k) {
    fill<F>(quarter_of<F>(a), a.w_bytes / 4);
    return [=](cudaStream_t s) {
        multiply<F>(a.c, a.x, quarter_of<F>(a), m, n, k, s);
    };
}

static void prefill(const arena &a, unsigned m, unsigned n, unsigned k) {
    const double flops = 2.0 * m * n * k;
    const std::vector<run> f = {
        [&](cudaStream_t) {
            must_say_nothing(ll_matmul(a.c, a.x, a.plain_w, m, n, k));
        },
        prefilled<mxfp4>(a, m, n, k), prefilled<s4>(a, m, n, k),
        prefilled<nvfp4>(a, m, n, k), prefilled<fp8>(a, m, n, k)};
    char text[400];
    for (const run &x : f) {
        x(0);
    }
    MUST(cudaDeviceSynchronize());
    const std::vector<double> rested = turns(f, 0.12, 0.005, flops, 0);
    burst(f[0], (unsigned)(6e14 / flops) + 1, 0);
    const std::vector<double> hot = turns(f, 0, 0.01, flops, 0);
    for (size_t x = 0; x < f.size(); ++x) {
        snprintf(text, sizeof text,
                 "{\"what\": \"prefill\", \"activations\": \"%s\", "
                 "\"format\": \"%s\", \"m\": %u, \"n\": %u, \"k\": %u, "
                 "\"rested_tflops\": %.1f, "
                 "\"rested_ratio\": %.4f, \"sustained_tflops\": %.1f, "
                 "\"sustained_ratio\": %.4f}",
                 NAME, x ? FORMATS[x - 1] : NAME, m, n, k,
                 1e-12 * flops / rested[x], rested[0] / rested[x],
                 1e-12 * flops / hot[x], hot[0] / hot[x]);
        row(text);
    }
}

template <format F> static void decode_all(const arena &a) {
    static const unsigned sizes[] = {4096, 8192, 16384};
    static const unsigned tokens[] = {1, 8, 16, 32, 64, 128, 256};
    fill<F>(a.w, a.w_bytes);
    for (unsigned size : sizes) {
        for (unsigned m : tokens) {
            decode<F>(a, m, size, size);
        }
    }
}

static const char *setting(const char *name) {
    const char *text = getenv(name);
    return text ? text : "unknown";
}

int main() {
    arena a = {};
    cudaDeviceProp device;
    MUST(cudaGetDeviceProperties(&device, 0));
    MUST(cudaStreamCreate(&a.stream));
    a.w_bytes = (size_t)1 << 30;
    a.w = memory_of(a.w_bytes);
    a.x = memory_of((size_t)2 * 16384 * 8192);
    a.c = memory_of((size_t)2 * 16384 * 8192);
    a.plain_w = memory_of((size_t)2 * 8192 * 8192);
    fill_normal<<<1024, 256>>>((activation *)a.x, (size_t)16384 * 8192);
    fill_normal<<<1024, 256>>>((activation *)a.plain_w, (size_t)8192 * 8192);
    measure_copy(a);
    printf("{\n \"context\": {\"device\": \"%s\", \"driver\": \"%s\", "
           "\"commit\": \"%s\", \"command\": \"%s\", "
           "\"copy_gbps\": %.0f},\n \"lowbit\": [",
           device.name, setting("LL_DRIVER"), setting("LL_COMMIT"),
           setting("LL_COMMAND"), 1e-9 * a.copy_rate);
    decode_all<mxfp4>(a);
    decode_all<nvfp4>(a);
    decode_all<s4>(a);
    decode_all<fp8>(a);
    for (unsigned m = 1024; m <= 8192; m *= 2) {
        prefill(a, m, 8192, 8192);
    }
    printf("\n ]\n}\n");
    return 0;
}
