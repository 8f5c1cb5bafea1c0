// fused_gemm.h - what the GEMMs of fused_matmul.cu and fused_matmul_sums.cu
// share: memory, exact results, launches, and cuBLASLt.
// SPDX-License-Identifier: MIT
//
// A and B are random, of both signs, and multiples of 1 / 64. Sums of their
// products are exact in f32, and each element of C is compared bit by bit with
// sums of whole numbers.
#ifndef LL_BENCH_FUSED_GEMM_H
#define LL_BENCH_FUSED_GEMM_H

#include "fused.h"

#define LL_NO_MAIN
// The forms that choose_form takes for these shapes.
#define HOPPER_FORMS                                        \
    form_list<gemm_form<IN, 2, 200>, gemm_form<IN, 2, 224>, \
              gemm_form<IN, 2, 256>>
#include "examples/kernels/matmul/matmul_hopper.cu"

#include "examples/kernels/matmul/matmul_exchange.h"
#include "examples/kernels/reshard/reshard_engine.h"
#include "examples/kernels/reshard/reshard_kernels.h"
#include <cublasLt.h>
#include <functional>
#include <nccl.h>

using namespace fused;

typedef unsigned short half_t;

#define LT(...) must_lt((__VA_ARGS__), #__VA_ARGS__)
static void must_lt(cublasStatus_t status, const char *what) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(1);
    }
}

#define NCCL(...) must_nccl((__VA_ARGS__), #__VA_ARGS__)
static void must_nccl(ncclResult_t status, const char *what) {
    if (status != ncclSuccess) {
        fprintf(stderr, "%s: %s\n", what, ncclGetErrorString(status));
        exit(1);
    }
}

// ---- Memory -----------------------------------------------------------------

// The memories of a rank.
//   a, b     its operands, k contiguous
//   part     what its GEMM computes
//   c        its rows of C
//   staging  what comes from other ranks
//   flags    of the fused kernel, then of reshards
struct rank_memory {
    half_t *a, *b, *part, *c, *staging, *want;
    unsigned *flags, *wrong;
    unsigned char *workspace;
    cudaStream_t side;
    cudaEvent_t begin, end, block;
    cublasLtHandle_t lt;
    ncclComm_t comm;
    reshard_side_stream copies;
};

// C = A B of m x n elements. A rank multiplies all of k and some columns, or
// with `sums` a part of k and all columns.
struct shape {
    unsigned m, n, k;
    bool sums;
    unsigned rows() const { return m / RANKS; } // that a rank owns
    unsigned cols() const { return sums ? n : n / RANKS; }
    unsigned depth() const { return sums ? k / RANKS : k; }
};

static rank_memory ranks[RANKS];
static unsigned epoch;
constexpr size_t WORKSPACE = 64 << 20;

static void open_rank(unsigned r) {
    rank_memory &x = ranks[r];
    const size_t most = (size_t)8192 * 8192 * 2;
    x.a = memory_of<half_t>(r, most);
    x.b = memory_of<half_t>(r, most);
    x.part = memory_of<half_t>(r, most);
    x.c = memory_of<half_t>(r, most);
    x.staging = memory_of<half_t>(r, most);
    x.want = memory_of<half_t>(r, most);
    x.workspace = memory_of<unsigned char>(r, WORKSPACE);
    x.flags = memory_of<unsigned>(r, 8 * EXCHANGE_FLAGS);
    MUST(cudaMemset(x.flags, 0, 8 * EXCHANGE_FLAGS));
    x.wrong = memory_of<unsigned>(r, 4);
    MUST(cudaStreamCreateWithFlags(&x.side, cudaStreamNonBlocking));
    for (cudaEvent_t *e : {&x.begin, &x.end, &x.block}) {
        MUST(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
    }
    MUST(open_side_stream(&x.copies));
    LT(cublasLtCreate(&x.lt));
    MUST(cudaDeviceSynchronize());
}

static void open_ranks() {
    int devices[RANKS];
    ncclComm_t comms[RANKS];
    for (unsigned r = 0; r < RANKS; ++r) {
        open_rank(r);
        devices[r] = (int)r;
    }
    NCCL(ncclCommInitAll(comms, (int)RANKS, devices));
    for (unsigned r = 0; r < RANKS; ++r) {
        ranks[r].comm = comms[r];
    }
}

// ---- What is right ----------------------------------------------------------

// Returns a number of 64 x 64ths, rounded to bf16.
__device__ inline half_t rounded(float x) {
    const unsigned bits = __float_as_uint(x);
    return (half_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Writes rows of C from row `first` on: 64 x 64 elements per block, 4 x 4 per
// thread, by exact sums of whole numbers. With several parts of k, the sum of
// each is rounded, and their sum again.
__global__ void __launch_bounds__(256)
    reference(half_t *want, unsigned first, unsigned n, unsigned k,
              unsigned parts) {
    __shared__ int a[64][9], b[64][9];
    const unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
    const unsigned column = threadIdx.x % 16, y = threadIdx.x / 16;
    int sum[4][4] = {};
    float all[4][4] = {};
    for (unsigned z = 0; z < k; z += 32) {
        __syncthreads();
        for (unsigned w = threadIdx.x; w < 2 * 64 * 8; w += 256) {
            const bool of_a = w < 512;
            const unsigned at = w % 512 / 8, word = w % 8;
            unsigned four = 0;
            for (unsigned e = 0; e < 4; ++e) {
                const size_t row = of_a ? first + i + at : j + at;
                const int v =
                    random_integer(row * k + z + 4 * word + e, of_a ? 1u : 2u);
                four |= ((unsigned)v & 255u) << 8 * e;
            }
            (of_a ? a : b)[at][word] = (int)four;
        }
        __syncthreads();
        for (unsigned w = 0; w < 8; ++w) {
            for (unsigned p = 0; p < 4; ++p) {
                for (unsigned q = 0; q < 4; ++q) {
                    sum[p][q] = __dp4a(a[y + 16 * p][w], b[column + 16 * q][w],
                                       sum[p][q]);
                }
            }
        }
        for (unsigned x = 0; x < 16 && (z + 32) % (k / parts) == 0; ++x) {
            const float part = (float)sum[x / 4][x % 4] / 4096.0f;
            all[x / 4][x % 4] +=
                parts == 1 ? part : __uint_as_float(rounded(part) << 16);
            sum[x / 4][x % 4] = 0;
        }
    }
    for (unsigned x = 0; x < 16; ++x) {
        const unsigned p = x / 4, q = x % 4;
        want[(size_t)(i + y + 16 * p) * n + j + column + 16 * q] =
            rounded(all[p][q]);
    }
}

__global__ void compare(const half_t *got, const half_t *want, size_t n,
                        unsigned *wrong) {
    unsigned bad = 0;
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x < n;
         x += (size_t)gridDim.x * blockDim.x) {
        bad += got[x] != want[x];
    }
    if (bad) {
        atomicAdd(wrong, bad);
    }
}

// Writes rows of `width` elements of a random matrix with rows of `pitch`, from
// row `top` and column `left` on.
__global__ void fill_part(half_t *to, size_t n, unsigned width, size_t top,
                          unsigned left, unsigned pitch, unsigned seed) {
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x < n;
         x += (size_t)gridDim.x * blockDim.x) {
        const size_t at = (top + x / width) * pitch + left + x % width;
        to[x] = (half_t)(__float_as_uint(random_value(at, seed)) >> 16);
    }
}

static void fill(const shape &s) {
    each_rank([&](unsigned r) {
        const rank_memory &x = ranks[r];
        cudaStream_t stream = gpus()[r].stream;
        const unsigned wide = s.depth(), left = s.sums ? r * wide : 0;
        fill_part<<<1024, 256, 0, stream>>>(x.a, (size_t)s.m * wide, wide, 0,
                                            left, s.k, 1);
        fill_part<<<1024, 256, 0, stream>>>(x.b, (size_t)s.cols() * wide, wide,
                                            s.sums ? 0 : r * s.cols(), left,
                                            s.k, 2);
        reference<<<dim3(s.n / 64, s.rows() / 64), 256, 0, stream>>>(
            x.want, r * s.rows(), s.n, s.k, s.sums ? RANKS : 1);
    });
    wait_all();
}

// Compares C of all ranks. Returns the number of wrong elements.
static size_t wrong_c(const shape &s) {
    size_t all = 0;
    each_rank([&](unsigned r) {
        unsigned wrong = 0;
        MUST(cudaMemsetAsync(ranks[r].wrong, 0, 4, gpus()[r].stream));
        compare<<<1024, 256, 0, gpus()[r].stream>>>(
            ranks[r].c, ranks[r].want, (size_t)s.rows() * s.n, ranks[r].wrong);
        MUST(cudaMemcpyAsync(&wrong, ranks[r].wrong, 4, cudaMemcpyDeviceToHost,
                             gpus()[r].stream));
        MUST(cudaStreamSynchronize(gpus()[r].stream));
        all += wrong;
    });
    return all;
}

// Whether a rank gave up waiting, by the flags of both kernels.
static size_t late() {
    size_t all = 0;
    each_rank([&](unsigned r) {
        unsigned f[2 * EXCHANGE_FLAGS];
        MUST(cudaMemcpy(f, ranks[r].flags, sizeof f, cudaMemcpyDeviceToHost));
        all += f[RESHARD_LATE] + f[EXCHANGE_FLAGS + RESHARD_LATE];
    });
    return all;
}

// Erases C, calls run() twice and compares. Returns the number of wrong
// elements.
static size_t check(const shape &s, const char *name,
                    const std::function<void()> &run) {
    each_rank([&](unsigned r) {
        MUST(cudaMemsetAsync(ranks[r].c, 0xee, (size_t)s.rows() * s.n * 2,
                             gpus()[r].stream));
    });
    wait_all();
    run();
    run();
    wait_all();
    const size_t wrong = wrong_c(s) + late();
    if (wrong) {
        printf("%s: %zu wrong\n", name, wrong);
    }
    return wrong;
}

// ---- Ours -------------------------------------------------------------------

LL_FN ll_layout side(unsigned kind, unsigned rows, unsigned cols) {
    return sharding(kind, rows, cols, LOG_GPUS);
}

LL_FN ll_topology link() {
    return ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
}

// How the fused kernel is launched; number 99: the launcher's choice.
struct fused_choice {
    unsigned number, neighbours;
    bool stacked;
    unsigned order, pace;
};

// Starts the fused kernel on all ranks. Returns an error message, or null.
static const char *start_fused(const shape &s, const exchange_sharding &of,
                               const fused_choice &by) {
    const char *bad = NULL;
    each_rank([&](unsigned r) {
        exchange_memory m = {};
        for (unsigned q = 0; q < RANKS; ++q) {
            m.c[q] = s.sums ? ranks[q].staging : ranks[q].c;
            m.flags[q] = ranks[q].flags;
        }
        m.a = ranks[r].a, m.b = ranks[r].b, m.rank = r;
        m.order = by.order, m.pace = by.pace, m.together = true;
        launch_stream() = gpus()[r].stream;
        const gemm_problem p = {0,         1,
                                s.m,       s.cols(),
                                s.depth(), by.neighbours,
                                1,         processors_here(),
                                by.stacked};
        const char *const said =
            by.number == 99
                ? launch_matmul_exchange(of, m, s.depth())
                : launch_exchange_number(exchange_forms(), by.number, of, m, p);
        bad = bad ? bad : said;
    });
    return bad;
}

static void start_gemms(const shape &s) {
    each_rank([&](unsigned r) {
        launch_stream() = gpus()[r].stream;
        MUST(launch_matmul(ranks[r].part, ranks[r].a, ranks[r].b, s.m, s.cols(),
                           s.depth()));
    });
}

// ---- cuBLASLt ---------------------------------------------------------------

// cuBLASLt's C = A B^T of m rows; row-major C has rows of `pitch` elements.
struct lt_gemm {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algo;
};

static void run_lt(const lt_gemm &g, unsigned r, half_t *c, const half_t *a,
                   cudaStream_t stream) {
    const float one = 1, zero = 0;
    LT(cublasLtMatmul(ranks[r].lt, g.desc, &one, ranks[r].b, g.b, a, g.a, &zero,
                      c, g.c, c, g.c, &g.algo, ranks[r].workspace, WORKSPACE,
                      stream));
}

// Returns the milliseconds of an algorithm on rank 0.
static float ms_of(const lt_gemm &g) {
    float ms = 0;
    for (unsigned k = 0; k < 4; ++k) {
        if (k == 1) {
            MUST(cudaEventRecord(gpus()[0].from, gpus()[0].stream));
        }
        run_lt(g, 0, ranks[0].part, ranks[0].a, gpus()[0].stream);
    }
    MUST(cudaEventRecord(gpus()[0].to, gpus()[0].stream));
    MUST(cudaEventSynchronize(gpus()[0].to));
    MUST(cudaEventElapsedTime(&ms, gpus()[0].from, gpus()[0].to));
    return ms;
}

// Returns the GEMM with the fastest algorithm.
static lt_gemm lt_gemm_of(const shape &s, unsigned m, unsigned pitch) {
    lt_gemm g = {};
    const cublasOperation_t turned = CUBLAS_OP_T;
    const size_t most = WORKSPACE;
    cublasLtMatmulPreference_t want;
    cublasLtMatmulHeuristicResult_t found[16];
    int n = 0;
    float least = 0;
    MUST(cudaSetDevice(0));
    LT(cublasLtMatmulDescCreate(&g.desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    LT(cublasLtMatmulDescSetAttribute(g.desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                      &turned, sizeof turned));
    LT(cublasLtMatrixLayoutCreate(&g.b, CUDA_R_16BF, s.depth(), s.cols(),
                                  s.depth()));
    LT(cublasLtMatrixLayoutCreate(&g.a, CUDA_R_16BF, s.depth(), m, s.depth()));
    LT(cublasLtMatrixLayoutCreate(&g.c, CUDA_R_16BF, s.cols(), m, pitch));
    LT(cublasLtMatmulPreferenceCreate(&want));
    LT(cublasLtMatmulPreferenceSetAttribute(
        want, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
    LT(cublasLtMatmulAlgoGetHeuristic(ranks[0].lt, g.desc, g.b, g.a, g.c, g.c,
                                      want, 16, found, &n));
    lt_gemm best = g;
    for (int k = 0; k < n; ++k) {
        g.algo = found[k].algo;
        const float ms = ms_of(g);
        if (!k || ms < least) {
            least = ms, best = g;
        }
    }
    LT(cublasLtMatmulPreferenceDestroy(want));
    return best;
}

// ---- Times ------------------------------------------------------------------

// A way to compute C, or without a name a part of it, which is not checked.
struct way {
    std::string name;
    std::function<void()> run;
};

// Checks all ways and returns their microseconds; adds what is wrong.
static std::vector<double> measured(const shape &s, const std::vector<way> &all,
                                    size_t *wrong) {
    const double flops = 2.0 * s.m * s.n * s.k / RANKS;
    std::vector<std::function<void()>> runs;
    for (const way &w : all) {
        *wrong += w.name.empty() ? 0 : check(s, w.name.c_str(), w.run);
        runs.push_back(w.run);
    }
    const std::vector<double> us =
        times_of(runs, (unsigned)std::max(4.0, 4e12 / flops));
    *wrong += late();
    return us;
}

#endif
