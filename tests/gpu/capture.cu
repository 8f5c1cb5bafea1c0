/* capture.cu - every launcher records its first launch into a graph.
 * SPDX-License-Identifier: MIT
 *
 * In a global capture no launch goes to the default stream, no call allocates
 * and none waits for the device: each would be an error. The graph then runs
 * twice at the same time. Its results are those of a plain launch.
 *
 * Build: nvcc -std=c++17 -arch=sm_90a -lcuda -I. tests/gpu/capture.cu -o capture
 */
#define LL_NO_MAIN
#define LL_SORTS
#define LL_TENSOR
#include "../../examples/kernels/attention/attention_kernel.h"
#include "../../examples/kernels/matmul/matmul_check.h"
#include "../../examples/kernels/matmul/matmul_choice.h"
#include "../../examples/kernels/matmul/matmul_sync_load.h"
#include "../../examples/kernels/matmul/matmul_sync_multiply.h"
#include "../../examples/kernels/lookup/embedding.cu"
#include "../../examples/kernels/lookup/embedding_backward.cu"
#include "../../examples/kernels/lookup/gather_gemv.cu"
#include "../../examples/kernels/move/permute.cu"
#include "../../examples/kernels/move/transpose.cu"
#include "../../examples/kernels/quantise/quantise.cu"
#include "../../examples/kernels/rows/crossentropy_gradient.cu"
#include "../../examples/kernels/rows/cumsum.cu"
#include "../../examples/kernels/rows/hadamard.cu"
#include "../../examples/kernels/rows/norm.cu"
#include "../../examples/kernels/rows/norm_backward.cu"
#include "../../examples/kernels/rows/rmsnorm_backward.cu"
#include "../../examples/kernels/rows/rope.cu"
#include "../../examples/kernels/rows/softmax.cu"
#include "../../examples/kernels/rows/topk.cu"
namespace by_attention {
#include "../../examples/kernels/attention/attention.cu"
}
namespace by_any_types {
#include "../../examples/kernels/matmul/matmul.cu"
}
#define OPERAND e4m3
namespace by_hopper {
#include "../../examples/kernels/matmul/matmul_hopper.cu"
}

static const size_t BYTES = 64 << 20; /* of each memory */
static unsigned char *from, *third, *to[3], *host[3];
static unsigned passed, failed;

/* Random numbers of 16 bits, at most 2; as floats they are small too. */
static void fill(unsigned char *at, unsigned seed) {
    unsigned short *const x = (unsigned short *)host[0];
    randomise(x, BYTES, seed);
    for (size_t k = 0; k < BYTES / 2; ++k) {
        x[k] = (unsigned short)((x[k] & 0x807f) | 0x3f80);
    }
    MUST(cudaMemcpy(at, x, BYTES, cudaMemcpyHostToDevice));
}

/* Records a launch, f(result), and runs it. Returns an error message, or
 * null. */
template <class F> static const char *in_graph(F f, cudaStream_t *streams) {
    cudaGraph_t graph[2] = {};
    cudaGraphExec_t ready[2] = {};
    const char *bad = nullptr;
    for (int copy = 0; copy < 2 && !bad; ++copy) {
        launch_stream() = streams[copy];
        bad = said(cudaStreamBeginCapture(streams[copy],
                                          cudaStreamCaptureModeGlobal));
        bad = bad ? bad : f(to[copy]);
        const char *const late =
            said(cudaStreamEndCapture(streams[copy], &graph[copy]));
        bad = bad ? bad : late;
        bad = bad ? bad : said(cudaGraphInstantiate(&ready[copy], graph[copy]));
    }
    for (int copy = 0; copy < 2 && !bad; ++copy) {
        bad = said(cudaGraphLaunch(ready[copy], streams[copy]));
    }
    launch_stream() = 0;
    bad = bad ? bad : said(cudaDeviceSynchronize());
    for (int copy = 0; copy < 2; ++copy) {
        ready[copy] ? (void)cudaGraphExecDestroy(ready[copy]) : (void)0;
        graph[copy] ? (void)cudaGraphDestroy(graph[copy]) : (void)0;
    }
    return bad;
}

/* Compares the first `bytes` of what a graph and a plain launch write. */
template <class F> static void captures(const char *name, size_t bytes, F f) {
    cudaStream_t streams[2];
    for (int k = 0; k < 2; ++k) {
        MUST(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    }
    for (int k = 0; k < 3; ++k) {
        MUST(cudaMemset(to[k], 0, BYTES));
    }
    MUST(cudaDeviceSynchronize());
    const char *bad = in_graph(f, streams);
    bad = bad ? bad : f(to[2]);
    bad = bad ? bad : said(cudaDeviceSynchronize());
    for (int k = 0; k < 3 && !bad; ++k) {
        bad = said(cudaMemcpy(host[k], to[k], bytes, cudaMemcpyDeviceToHost));
    }
    size_t written = 0;
    for (size_t k = 0; k < bytes; ++k) {
        written += host[2][k] != 0;
    }
    bad = bad                                  ? bad
          : written < bytes / 4                ? "nothing is written"
          : memcmp(host[0], host[2], bytes)    ? "a graph writes another result"
          : memcmp(host[1], host[2], bytes)    ? "two graphs disturb each other"
                                               : nullptr;
    bad ? ++failed : ++passed;
    if (bad) {
        printf("FAIL %s: %s\n", name, bad);
    }
    for (int k = 0; k < 2; ++k) {
        MUST(cudaStreamDestroy(streams[k]));
    }
}

static void of_rows() {
    const bf16 *const x = (const bf16 *)from, *const w = (const bf16 *)third;
    captures("softmax, short rows", 2 << 20, [=](void *d) {
        return softmax_by<bf16, 32, 1, 1, 4, 0, false>((bf16 *)d, x, 1024,
                                                       1024);
    });
    captures("softmax, long rows", 2 * 400 * 32768, [=](void *d) {
        return softmax_by<bf16, 32, 16, 4, 1, 2, false>((bf16 *)d, x, 400,
                                                        32768);
    });
    captures("softmax, rows of odd length", 2 * 400 * 32767, [=](void *d) {
        return softmax_by<bf16, 32, 16, 4, 1, 2, false>((bf16 *)d, x, 400,
                                                        32767);
    });
    captures("norm", 2 * 400 * 32768, [=](void *d) {
        return norm_by<bf16, 32, 16, 4, 1, 2, true>((bf16 *)d, x, w, w, 400,
                                                    32768, 1e-5f);
    });
    captures("cumsum", 2 << 20, [=](void *d) {
        return cumsum_by<bf16, 16, 4, 1, 0, false>((bf16 *)d, x, nullptr, 512,
                                                   2048);
    });
    captures("hadamard", 2 << 20, [=](void *d) {
        return hadamard_by<bf16, 14, 1>((bf16 *)d, x, 64, 0.01f);
    });
    captures("topk", 2 * 8 * 512, [=](void *d) {
        return topk_by<bf16, 8, 16, 1, 1>(
            (bf16 *)d, (unsigned *)((char *)d + (1 << 20)), x, 512, 512);
    });
    captures("rope", 2 << 20, [=](void *d) {
        return rope_by<bf16, 8, 64, 1, true>(
            (bf16 *)d, x, (const float *)third, (const float *)third, 512, 2,
            512);
    });
}

static void of_more() {
    const bf16 *const x = (const bf16 *)from;
    static int *which;
    MUST(cudaMalloc((void **)&which, 1 << 16));
    MUST(cudaMemset(which, 0, 1 << 16));
    captures("cross-entropy", 2 * 256 * 512, [=](void *d) {
        return crossentropy_by<bf16, 16, 1, 1, 1>(
            (float *)((char *)d + (1 << 20)), (bf16 *)d, x, which, 256u, 512u,
            1);
    });
    captures("embedding", 2 << 20, [=](void *d) {
        return embed_by((bf16 *)d, x, which, 4096, 256, 64,
                        (char *)d + (8 << 20));
    });
    captures("embedding, backward", 1024, [=](void *d) {
        return embed_backward_by((float *)d, x, which, 4096, 64, 256,
                                 (char *)d + (8 << 20));
    });
    captures("gather of matrices", 4 * 2 * 512, [=](void *d) {
        return gather_gemv_by<1>((float *)d, (const signed char *)from, which,
                                 2, (const bf16 *)third, 512, 512);
    });
    captures("quantise", 1 << 20, [=](void *d) {
        unsigned char *const q = (unsigned char *)d;
        return quantise_by<bf16, false>(q, q + (2 << 20),
                                        (float *)(q + (4 << 20)),
                                        (float *)(q + (5 << 20)), x, 1024,
                                        1024);
    });
    captures("transpose", 2 << 20, [=](void *d) {
        launch_transpose<unsigned short, 64, 64, 4, 16, 16>(
            (unsigned short *)d, (const unsigned short *)from, 1024, 1024);
        return said(cudaGetLastError());
    });
    captures("transpose of odd sizes", 2 * 1001 * 1003, [=](void *d) {
        return launch_transpose_odd((unsigned short *)d,
                                    (const unsigned short *)from, 1001, 1003);
    });
    captures("transpose of few rows", 2 * 101 * 1003, [=](void *d) {
        return launch_transpose_odd((unsigned short *)d,
                                    (const unsigned short *)from, 101, 1003);
    });
    const unsigned sizes[3] = {16, 64, 128}, order[3] = {2, 0, 1};
    captures("permute", 2 * 16 * 64 * 128, [=](void *d) {
        return permute((unsigned short *)d, (const unsigned short *)from, 3,
                       sizes, order);
    });
}

static void of_products() {
    captures("matmul", 4 * 256 * 256, [](void *d) {
        return by_any_types::launch_matmul(d, from, third, 256, 256, 256);
    });
    captures("matmul by wgmma", 2 * 512 * 512, [](void *d) {
        return by_hopper::launch_matmul(d, from, third, 512, 512, 512);
    });
    attention_shape s = {};
    s.batch = 1, s.rows = s.keys = 512, s.heads = s.kv_heads = 2;
    captures("attention", 2 * 512 * 2 * 128, [=](void *d) {
        return by_attention::launch_on(d, from, from, third, s,
                                       launch_stream());
    });
}

int main() {
    MUST(cudaMalloc((void **)&from, BYTES));
    MUST(cudaMalloc((void **)&third, BYTES));
    for (int k = 0; k < 3; ++k) {
        MUST(cudaMalloc((void **)&to[k], BYTES));
        host[k] = (unsigned char *)malloc(BYTES);
        MUST(host[k] ? cudaSuccess : cudaErrorMemoryAllocation);
    }
    fill(from, 1);
    fill(third, 2);
    of_rows();
    of_more();
    of_products();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
