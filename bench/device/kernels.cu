// kernels.cu - the bandwidth-bound kernels of examples/, for peers/kernels.py
// SPDX-License-Identifier: MIT
//
// A library of entries, several tilings of each kernel. With -DLL_ALONE=FILE it
// is a program for choosing tilings: it times the entries of that file beside a
// copy kernel and checks no result.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. -Iexamples -shared
//        -Xcompiler -fPIC bench/device/kernels.cu -o build/kernels.so
#define LL_NO_MAIN
#define LL_MATRIX // for hadamard.cu, before any header
#include "examples/kernels/rows/crossentropy.cu"
#include "examples/kernels/rows/crossentropy_gradient.cu"
#include "examples/kernels/rows/hadamard.cu"
#include "examples/kernels/rows/norm.cu"
#include "examples/kernels/rows/norm_backward.cu"
#include "examples/kernels/quantise/quantise.cu"
#include "examples/kernels/rows/rmsnorm_backward.cu"
#include "examples/kernels/rows/rope.cu"
#include "examples/kernels/rows/softmax.cu"
#include "entries.h"

#include <algorithm>
#include <string>
#include <vector>

// The arguments of an entry: matrices of rows x n elements, and other arrays.
struct arguments {
    void *dst;
    const void *src, *gain, *bias;
    float *losses, *scales; // of rows, followed by those of columns
    const float *cosine, *sine;
    const int *targets;
    unsigned rows, n;
    const void *dout; // backward pass: input, then outputs and scratch
    void *dgain, *dbias, *sums;
};

template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, bool LOG = false, bool AGAIN = false>
void run_softmax(const arguments &x) {
    MUST(softmax_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD, LOG, AGAIN>(
        (T *)x.dst, (const T *)x.src, x.rows, x.n));
}

template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, bool LAYER, unsigned KEEP = 0>
void run_norm(const arguments &x) {
    MUST(norm_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD, LAYER, KEEP>(
        (T *)x.dst, (const T *)x.src, (const T *)x.gain, (const T *)x.bias,
        x.rows, x.n, 1e-5f, (T *)x.sums));
}

template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD, bool LAYER>
void run_backward(const arguments &x) {
    const T *const dout = (const T *)x.dout, *const src = (const T *)x.src;
    const T *const gain = (const T *)x.gain;
    if constexpr (LAYER) {
        MUST(norm_backward_by<T, EACH, WARPS, BLOCKS, AHEAD>(
            (T *)x.dst, (T *)x.dgain, (T *)x.dbias, (float2 *)x.sums, dout, src,
            gain, x.rows, x.n, 1e-5f));
    } else {
        MUST(rmsnorm_backward_by<T, EACH, WARPS, BLOCKS, AHEAD>(
            (T *)x.dst, (T *)x.dgain, (float *)x.sums, dout, src, gain, x.rows,
            x.n, 1e-5f));
    }
}

template <class T, unsigned EACH, unsigned WARPS>
void run_loss(const arguments &x) {
    MUST(loss_by<T, EACH, WARPS>(x.losses, (const T *)x.src, x.targets, x.rows,
                                 x.n));
}

template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD>
void run_gradient(const arguments &x) {
    MUST(crossentropy_by<T, EACH, WARPS, BLOCKS, AHEAD>(
        x.losses, (T *)x.dst, (const T *)x.src, x.targets, x.rows, x.n, 1.0f));
}

// Rows are tokens of n / D heads, at 4096 positions.
template <class T, unsigned HEADS, unsigned D, unsigned WARPS, bool FAR>
void run_rope(const arguments &x) {
    MUST(rope_by<T, HEADS, D, WARPS, FAR>((T *)x.dst, (const T *)x.src,
                                          x.cosine, x.sine, x.rows,
                                          x.n / HEADS / D, 4096));
}

template <class T, bool POWER> void run_quantise(const arguments &x) {
    unsigned char *to = (unsigned char *)x.dst;
    MUST(quantise_by<T, POWER>(to, to + (size_t)x.rows * x.n, x.scales,
                               x.scales + (size_t)x.rows * ((x.n + 127) / 128),
                               (const T *)x.src, x.rows, x.n));
}

template <class T, unsigned K, unsigned TALL, unsigned AHEAD>
void run_hadamard(const arguments &x) {
    MUST(hadamard_by<T, K, TALL, AHEAD>((T *)x.dst, (const T *)x.src, x.rows,
                                        1 / sqrtf(1u << K)));
}

#define SOFTMAX(T, E, W, B, H, AHEAD)                                       \
    {"softmax", type_of<T>, TILE(E, W, B), 0, TILING(E, W, B, H, AHEAD),    \
     run_softmax<T, E, W, B, H, AHEAD>}
#define SOFTMAX_AGAIN(T, E, W, B, H, AHEAD)                                 \
    {"softmax", type_of<T>, TILE(E, W, B), 0,                               \
     TILING(E, W, B, H, AHEAD) ", exponentials twice",                      \
     run_softmax<T, E, W, B, H, AHEAD, false, true>}
#define LOG_SOFTMAX(T, E, W, B, H, AHEAD)                                   \
    {"log-softmax", type_of<T>, TILE(E, W, B), 0, TILING(E, W, B, H, AHEAD), \
     run_softmax<T, E, W, B, H, AHEAD, true>}
#define RMSNORM(T, E, W, B, H, AHEAD)                                       \
    {"rmsnorm", type_of<T>, TILE(E, W, B), 0, TILING(E, W, B, H, AHEAD),    \
     run_norm<T, E, W, B, H, AHEAD, false>}
#define LAYERNORM(T, E, W, B, H, AHEAD)                                     \
    {"layernorm", type_of<T>, TILE(E, W, B), 0, TILING(E, W, B, H, AHEAD),  \
     run_norm<T, E, W, B, H, AHEAD, true>}
#define KEEPING(T, E, W, B, AHEAD, LAYER, KEEP)                             \
    {LAYER ? "layernorm" : "rmsnorm", type_of<T>, TILE(E, W, B), 0,         \
     TILING(E, W, B, 1, AHEAD) ", weights kept: " #KEEP,                    \
     run_norm<T, E, W, B, 1, AHEAD, LAYER, KEEP>}
#define BACKWARD(T, E, W, B, AHEAD, LAYER)                                  \
    {LAYER ? "layernorm backward" : "rmsnorm backward", type_of<T>,         \
     TILE(E, W, B), 0, TILING(E, W, B, 1, AHEAD),                           \
     run_backward<T, E, W, B, AHEAD, LAYER>}
#define LOSS(T, E, W)                                                       \
    {"crossentropy", type_of<T>, 1u << 18, 0, #E " each, " #W " warps",     \
     run_loss<T, E, W>}
#define GRADIENT(T, E, W, B, AHEAD)                                         \
    {"crossentropy with gradient", type_of<T>, TILE(E, W, B), 0,            \
     TILING(E, W, B, 1, AHEAD), run_gradient<T, E, W, B, AHEAD>}
#define ROPE(T, H, D, W, FAR)                                               \
    {FAR ? "rope" : "rope of neighbours", type_of<T>, 4096, 0,              \
     #H " heads of " #D ", " #W " warps", run_rope<T, H, D, W, FAR>}
#define HADAMARD(T, K, TALL, AHEAD)                                         \
    {"hadamard", type_of<T>, 1u << K, 0, #TALL " rows, ahead: " #AHEAD,     \
     run_hadamard<T, K, TALL, AHEAD>}
#define QUANTISE(T, POWER)                                                  \
    {POWER ? "mx-like quantise both ways" : "quantise both ways",           \
     type_of<T>, 16384, 0, "128 x 128", run_quantise<T, POWER>}
const entry entries[] = {
#ifdef LL_ALONE
#include LL_ALONE
#else
#include "kernels.h"
#endif
};

const unsigned entry_count = sizeof entries / sizeof *entries;

#ifdef LL_ALONE

__global__ void fill(unsigned *dst) {
    const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = (unsigned)k * 2654435761u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    dst[k] = (x & 0x83ff83ffu) | 0x3c003c00u; // numbers near 1 and -1
}

// The GPU waits here while the host fills the queue.
__global__ void wait() {
    const long long from = clock64();
    while (clock64() - from < 60000) {
    }
}

template <class F> float median(F f) {
    std::vector<float> all;
    cudaEvent_t from, to;
    MUST(cudaEventCreate(&from));
    MUST(cudaEventCreate(&to));
    for (int k = 0; k < 9; ++k) {
        float ms;
        wait<<<1, 1>>>();
        MUST(cudaEventRecord(from));
        f();
        MUST(cudaEventRecord(to));
        MUST(cudaEventSynchronize(to));
        MUST(cudaGetLastError());
        MUST(cudaEventElapsedTime(&ms, from, to));
        if (k > 1) {
            all.push_back(ms);
        }
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

int main(int argc, char **argv) {
    const size_t bytes = size_t(1) << 30;
    const std::string only = argc > 1 ? argv[1] : "";
    arguments x = {};
    void *src, *weights, *targets, *losses, *scales, *sums;
    MUST(cudaMalloc(&x.dst, bytes));
    MUST(cudaMalloc(&src, bytes));
    MUST(cudaMalloc(&weights, 4 << 20));
    MUST(cudaMalloc(&losses, 4 << 20));
    MUST(cudaMalloc(&scales, 64 << 20));
    MUST(cudaMalloc(&targets, 4 << 20));
    MUST(cudaMalloc(&sums, size_t(1) << 29));
    MUST(cudaMemset(targets, 0, 4 << 20));
    fill<<<bytes / 1024, 256>>>((unsigned *)src);
    fill<<<4096, 256>>>((unsigned *)weights);
    x.src = src, x.gain = x.bias = weights;
    x.dout = (const char *)src + bytes / 2, x.sums = sums;
    x.dgain = scales, x.dbias = (char *)scales + (1 << 20);
    x.scales = (float *)scales, x.cosine = x.sine = (float *)weights;
    x.losses = (float *)losses, x.targets = (const int *)targets;
    const auto by_copy = [&] {
        copy_of(x.dst, x.src);
    };
    for (const entry &e : entries) {
        const std::string name = e.kernel;
        const bool reads = name == "crossentropy";
        const bool back = name.find("backward") + 1;
        const bool even = name.find("rope") + 1 || name.find("quan") + 1 ||
                          name.find("hada") + 1;
        const unsigned size = std::string(e.type) == "f32" ? 4 : 2;
        if (name.find(only) == std::string::npos) {
            continue;
        }
        float of_copy[2] = {};
        for (int odd = 0; odd < 2 - even; ++odd) {
            x.n = e.tile - (odd ? 9 : 0);
            x.rows = (unsigned)(bytes / size / x.n / (1 + back));
            const double moved =
                (double)x.rows * x.n * size * (reads ? 1 : back ? 3 : 2);
            const float one = median(by_copy), two = median([&] { e.run(x); });
            of_copy[odd] =
                (float)(moved / two / (2.0 * (double)bytes / one));
        }
        printf("%s %s %u: %.3f, odd %.3f: %s\n", e.kernel, e.type, e.tile,
               of_copy[0], of_copy[1], e.tiling);
        fflush(stdout);
    }
    const float ms = median(by_copy);
    printf("copy %.0f GB/s\n", 2e-6 * (double)bytes / ms);
}

#endif
