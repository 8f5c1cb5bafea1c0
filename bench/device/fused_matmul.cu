// fused_matmul.cu - a GEMM that writes its result to the GPUs that own it,
// beside a GEMM and its all-to-all in turn.
// SPDX-License-Identifier: MIT
//
// fused_matmul FILE [choices]: rank r has all rows of A (m x k) and its columns
// of B; afterwards it has its rows of C, all columns. All are bf16. A and B are
// random, of both signs. Their products are multiples of 1 / 4096, so every
// sum is exact in f32, and each element of C is compared bit by bit with sums
// of whole numbers. Timed, in the same run:
// - the kernel of matmul_exchange.h
// - in turn: our GEMM, then our reshard from columns to rows by the kernel or
//   the copy engines, whichever is faster
// - cuBLASLt, NCCL: its GEMM, messages, and a kernel that puts the rows together
// - cuBLASLt to peers: a GEMM per owner that stores into the owner's memory
// - cuBLASLt, copies: the GEMM in blocks of rows, and the copy engine sends each
//   block while the next one is computed; the best of several sizes
// cuBLASLt takes the fastest of its algorithms. With `choices`, prints the
// times of other forms and orders of the fused kernel.
#include "fused.h"

#define LL_NO_MAIN
// The forms that choose_form takes for these shapes.
#define HOPPER_FORMS                                                        \
    form_list<gemm_form<IN, 2, 200>, gemm_form<IN, 2, 224>,                 \
              gemm_form<IN, 2, 256>>
#include "examples/kernels/matmul/matmul_hopper.cu"

#include "examples/kernels/matmul/matmul_exchange.h"
#include "examples/kernels/reshard/reshard_engine.h"
#include "examples/kernels/reshard/reshard_kernels.h"
#include <cublasLt.h>
#include <functional>
#include <nccl.h>

using namespace fused;

static const unsigned SHAPES[][3] = {
    {8192, 8192, 8192}, {8192, 8192, 4096}, {8192, 4096, 4096},
    {4096, 4096, 4096}, {8192, 8192, 2048}, {16384, 4096, 2048}};
constexpr unsigned ROWS_COLS[][2] = {{13, 13}, {13, 12}, {12, 12}, {14, 12}};

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

// The memories of a rank. b: its columns, k contiguous; part: its columns of C;
// c: its rows of C.
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

struct shape {
    unsigned m, n, k; // of all of C
    unsigned cols() const { return n / RANKS; }
    unsigned rows() const { return m / RANKS; }
};

static rank_memory ranks[RANKS];
static unsigned epoch;
constexpr size_t WORKSPACE = 64 << 20;

static void open_rank(unsigned r) {
    rank_memory &x = ranks[r];
    const size_t most = (size_t)8192 * 8192 * 2;
    x.a = memory_of<half_t>(r, most);
    x.b = memory_of<half_t>(r, most / RANKS);
    x.part = memory_of<half_t>(r, most / RANKS);
    x.c = memory_of<half_t>(r, most / RANKS);
    x.staging = memory_of<half_t>(r, most / RANKS);
    x.want = memory_of<half_t>(r, most / RANKS);
    x.workspace = memory_of<unsigned char>(r, WORKSPACE);
    // Of the fused kernel, then of the reshard.
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

// Writes `high` rows of C from row `first` on: exact sums of 64 x 64 elements
// per block, 4 x 4 per thread.
__global__ void __launch_bounds__(256)
    reference(half_t *want, unsigned first, unsigned n, unsigned k) {
    __shared__ int a[64][9], b[64][9];
    const unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    int sum[4][4] = {};
    for (unsigned z = 0; z < k; z += 32) {
        __syncthreads();
        for (unsigned w = threadIdx.x; w < 2 * 64 * 8; w += 256) {
            const bool of_a = w < 512;
            const unsigned at = w % 512 / 8, word = w % 8;
            unsigned four = 0;
            for (unsigned e = 0; e < 4; ++e) {
                const size_t row = of_a ? first + i + at : j + at;
                const int v = random_integer(row * k + z + 4 * word + e,
                                             of_a ? 1u : 2u);
                four |= ((unsigned)v & 255u) << 8 * e;
            }
            (of_a ? a : b)[at][word] = (int)four;
        }
        __syncthreads();
        for (unsigned w = 0; w < 8; ++w) {
            for (unsigned p = 0; p < 4; ++p) {
                for (unsigned q = 0; q < 4; ++q) {
                    sum[p][q] = __dp4a(a[y + 16 * p][w], b[x + 16 * q][w],
                                       sum[p][q]);
                }
            }
        }
    }
    for (unsigned p = 0; p < 4; ++p) {
        for (unsigned q = 0; q < 4; ++q) {
            const unsigned bits = __float_as_uint((float)sum[p][q] / 4096.0f);
            want[(size_t)(i + y + 16 * p) * n + j + x + 16 * q] =
                (half_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
        }
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

static void fill(const shape &s) {
    each_rank([&](unsigned r) {
        const rank_memory &x = ranks[r];
        cudaStream_t stream = gpus()[r].stream;
        fill_bf16<<<1024, 256, 0, stream>>>(x.a, (size_t)s.m * s.k, 0, 1);
        fill_bf16<<<1024, 256, 0, stream>>>(x.b, (size_t)s.cols() * s.k,
                                            (size_t)r * s.cols() * s.k, 2);
        reference<<<dim3(s.n / 64, s.rows() / 64), 256, 0, stream>>>(
            x.want, r * s.rows(), s.n, s.k);
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

LL_FN reshard_job to_rows(unsigned rows, unsigned cols) {
    return reshard_job_of(
        side(BY_PIECE, rows, cols), side(BY_ROW, rows, cols), 16,
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000), 16384);
}

struct pairs {
    static constexpr unsigned N = sizeof ROWS_COLS / sizeof *ROWS_COLS;
    static constexpr unsigned BITS = 13;
    LL_FN reshard_job of(unsigned k) {
        return to_rows(ROWS_COLS[k][0], ROWS_COLS[k][1]);
    }
};

// How the fused kernel is launched; number 99: the launcher's choice.
struct fused_choice {
    unsigned number, neighbours;
    bool stacked;
    unsigned order, most_rows;
};

static exchange_sharding sharding_of(const shape &s) {
    return exchange_sharding_of(
        columns_of_ranks(s.m, s.n, LOG_GPUS),
        side(BY_ROW, ll_log2_(s.m), ll_log2_(s.n)));
}

static const char *start_fused(const shape &s, const exchange_sharding &of,
                               const fused_choice &by) {
    const char *bad = NULL;
    each_rank([&](unsigned r) {
        exchange_memory m = {};
        for (unsigned q = 0; q < RANKS; ++q) {
            m.c[q] = ranks[q].c;
            m.flags[q] = ranks[q].flags;
        }
        m.a = ranks[r].a, m.b = ranks[r].b, m.rank = r;
        m.order = by.order, m.most_rows = by.most_rows, m.together = true;
        launch_stream() = gpus()[r].stream;
        const gemm_problem p = {0, 1, s.m, s.cols(), s.k, by.neighbours, 1,
                                processors_here(), by.stacked};
        const char *const said =
            by.number == 99
                ? launch_matmul_exchange(of, m, s.k)
                : launch_exchange_number(exchange_forms(), by.number, of, m, p);
        bad = bad ? bad : said;
    });
    return bad;
}

static void start_gemms(const shape &s) {
    each_rank([&](unsigned r) {
        launch_stream() = gpus()[r].stream;
        MUST(launch_matmul(ranks[r].part, ranks[r].a, ranks[r].b, s.m,
                           s.cols(), s.k));
    });
}

static void start_in_turn(const shape &s, const reshard_job &j, bool engine) {
    unsigned char *dst[RANKS];
    ++epoch;
    start_gemms(s);
    each_rank([&](unsigned r) {
        reshard_move m = reshard_numbers(j.plan, j.tile, r);
        for (unsigned q = 0; q < RANKS; ++q) {
            dst[q] = (unsigned char *)ranks[q].c;
            m.far[q] = j.push ? dst[q] : (unsigned char *)ranks[q].part;
            m.flags[q] = ranks[q].flags + EXCHANGE_FLAGS;
        }
        m.near = (unsigned char *)(j.push ? ranks[r].part : ranks[r].c);
        m.epoch = epoch;
        m.wait = 1;
        if (engine) {
            const ll_reshard forth = ll_reshard_of(
                side(BY_PIECE, ll_log2_(s.m), ll_log2_(s.n)),
                side(BY_ROW, ll_log2_(s.m), ll_log2_(s.n)), 16,
                j.plan.topology);
            MUST(reshard_by_copy_engine(forth, m,
                                        (unsigned char *)ranks[r].part, dst,
                                        ranks[r].copies, gpus()[r].stream));
        } else {
            reshard_launch<half_t, pairs>(m, j.tile, j.push, gpus()[r].stream);
        }
    });
}

// ---- Peers ------------------------------------------------------------------

// cuBLASLt's C = A B^T of m rows; row-major C has rows of `pitch` elements.
struct lt_gemm {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algo;
};

static void run_lt(const lt_gemm &g, unsigned r, half_t *c, const half_t *a,
                   cudaStream_t stream) {
    const float one = 1, zero = 0;
    LT(cublasLtMatmul(ranks[r].lt, g.desc, &one, ranks[r].b, g.b, a, g.a,
                      &zero, c, g.c, c, g.c, &g.algo, ranks[r].workspace,
                      WORKSPACE, stream));
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
    LT(cublasLtMatrixLayoutCreate(&g.b, CUDA_R_16BF, s.k, s.cols(), s.k));
    LT(cublasLtMatrixLayoutCreate(&g.a, CUDA_R_16BF, s.k, m, s.k));
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

// Puts the rows of C together: its own part, and those of other ranks.
__global__ void unpack(uint4 *c, const uint4 *own, const uint4 *staging,
                       unsigned rank, unsigned rows, unsigned wide) {
    const size_t part = (size_t)rows * wide;
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         x < part * RANKS; x += (size_t)gridDim.x * blockDim.x) {
        const size_t row = x / (wide * RANKS), col = x % (wide * RANKS);
        const size_t from = col / wide, at = row * wide + col % wide;
        c[x] = from == rank ? own[rank * part + at] : staging[from * part + at];
    }
}

static void start_by_nccl(const shape &s, const lt_gemm &g) {
    const size_t part = (size_t)s.rows() * s.cols();
    each_rank([&](unsigned r) {
        run_lt(g, r, ranks[r].part, ranks[r].a, gpus()[r].stream);
    });
    NCCL(ncclGroupStart());
    for (unsigned r = 0; r < RANKS; ++r) {
        for (unsigned q = 0; q < RANKS; ++q) {
            if (q != r) {
                NCCL(ncclSend(ranks[r].part + q * part, part, ncclBfloat16,
                              (int)q, ranks[r].comm, gpus()[r].stream));
                NCCL(ncclRecv(ranks[r].staging + q * part, part, ncclBfloat16,
                              (int)q, ranks[r].comm, gpus()[r].stream));
            }
        }
    }
    NCCL(ncclGroupEnd());
    each_rank([&](unsigned r) {
        unpack<<<1056, 256, 0, gpus()[r].stream>>>(
            (uint4 *)ranks[r].c, (const uint4 *)ranks[r].part,
            (const uint4 *)ranks[r].staging, r, s.rows(), s.cols() / 8);
    });
}

// Every stream waits for what all streams have started.
static void meet(cudaEvent_t rank_memory::*event) {
    each_rank([&](unsigned r) {
        MUST(cudaEventRecord(ranks[r].*event, gpus()[r].stream));
    });
    each_rank([&](unsigned r) {
        for (unsigned q = 0; q < RANKS; ++q) {
            MUST(cudaStreamWaitEvent(gpus()[r].stream, ranks[q].*event, 0));
        }
    });
}

// Where rows of C from row i on, computed by rank r, begin in the owner's
// memory.
static half_t *place_in_c(const shape &s, unsigned r, unsigned i) {
    return ranks[i / s.rows()].c + (size_t)(i % s.rows()) * s.n + r * s.cols();
}

// A GEMM per owner, other ranks first.
static void start_to_peers(const shape &s, const lt_gemm &g) {
    meet(&rank_memory::begin);
    each_rank([&](unsigned r) {
        for (unsigned d = RANKS; d-- > 0;) {
            const unsigned i = (r ^ d) * s.rows();
            run_lt(g, r, place_in_c(s, r, i), ranks[r].a + (size_t)i * s.k,
                   gpus()[r].stream);
        }
    });
    meet(&rank_memory::end);
}

// The GEMM of `blocks` blocks of rows per owner; the copy engine sends a block
// while the next one is computed.
static void start_copies(const shape &s, const lt_gemm &block,
                         const lt_gemm &own, unsigned blocks) {
    const unsigned high = s.rows() / blocks;
    meet(&rank_memory::begin);
    each_rank([&](unsigned r) {
        rank_memory &x = ranks[r];
        cudaStream_t stream = gpus()[r].stream;
        for (unsigned z = 0; z < (RANKS - 1) * blocks; ++z) {
            const unsigned q = r ^ (RANKS - 1 - z / blocks);
            const unsigned i = q * s.rows() + z % blocks * high;
            half_t *const part = x.part + (size_t)i * s.cols();
            run_lt(block, r, part, x.a + (size_t)i * s.k, stream);
            MUST(cudaEventRecord(x.block, stream));
            MUST(cudaStreamWaitEvent(x.side, x.block, 0));
            MUST(cudaMemcpy2DAsync(place_in_c(s, r, i), (size_t)s.n * 2, part,
                                   s.cols() * 2, s.cols() * 2, high,
                                   cudaMemcpyDefault, x.side));
        }
        const unsigned i = r * s.rows();
        run_lt(own, r, place_in_c(s, r, i), x.a + (size_t)i * s.k, stream);
        MUST(cudaEventRecord(x.block, x.side));
        MUST(cudaStreamWaitEvent(stream, x.block, 0));
    });
    meet(&rank_memory::end);
}

// ---- Measurements -----------------------------------------------------------

// Checks a way and returns its microseconds; adds what is wrong.
static double measured(const shape &s, const char *name, size_t *wrong,
                       const std::function<void()> &run) {
    const double flops = 2.0 * s.m * s.n * s.k / RANKS;
    const unsigned n = (unsigned)std::max(4.0, 4e12 / flops);
    *wrong += check(s, name, run);
    const double us = time_of(run, n);
    *wrong += late();
    return us;
}

static double time_fused(const shape &s, size_t *wrong,
                         const fused_choice &by) {
    const exchange_sharding of = sharding_of(s);
    const char *const bad = start_fused(s, of, by);
    if (bad) {
        printf("fused: %s\n", bad);
        ++*wrong;
        return 0;
    }
    return measured(s, "fused", wrong, [&] { start_fused(s, of, by); });
}

// The same as a graph of each rank, launched again and again.
static double time_graphs(const shape &s, size_t *wrong,
                          const fused_choice &by) {
    const exchange_sharding of = sharding_of(s);
    cudaGraphExec_t exec[RANKS];
    each_rank([&](unsigned r) {
        MUST(cudaStreamBeginCapture(gpus()[r].stream,
                                    cudaStreamCaptureModeRelaxed));
    });
    start_fused(s, of, by);
    each_rank([&](unsigned r) {
        cudaGraph_t graph;
        MUST(cudaStreamEndCapture(gpus()[r].stream, &graph));
        MUST(cudaGraphInstantiate(&exec[r], graph, 0));
        MUST(cudaGraphDestroy(graph));
    });
    const double us = measured(s, "graphs", wrong, [&] {
        each_rank([&](unsigned r) {
            MUST(cudaGraphLaunch(exec[r], gpus()[r].stream));
        });
    });
    each_rank([&](unsigned r) { MUST(cudaGraphExecDestroy(exec[r])); });
    return us;
}

static void try_choices(const shape &s, size_t *wrong) {
    static const unsigned orders[] = {EXCHANGE_FIRST, 3, 4, 5, 6, 7};
    for (unsigned number = 0; number < 2; ++number) {
        for (unsigned cluster = 0; cluster < 3; ++cluster) {
            for (const unsigned order : orders) {
                const fused_choice by = {number, cluster ? 2u : 1u,
                                         cluster == 2, order, 0};
                const double us = time_fused(s, wrong, by);
                printf("    form %u, %u neighbours%s, order %2u: %.2f us\n",
                       number, by.neighbours, by.stacked ? " stacked" : "",
                       order, us);
            }
        }
    }
    for (const unsigned rows : {16u, 32u}) {
        const fused_choice by = {99, 1, false, EXCHANGE_FIRST, rows};
        printf("    boxes of %u rows: %.2f us\n", rows,
               time_fused(s, wrong, by));
    }
}

// The best size of blocks.
static double time_copies(const shape &s, size_t *wrong, const lt_gemm &own) {
    double best = 0;
    for (const unsigned blocks : {1u, 2u, 4u, 8u}) {
        const lt_gemm block = lt_gemm_of(s, s.rows() / blocks, s.cols());
        const double us = measured(s, "copies", wrong, [&] {
            start_copies(s, block, own, blocks);
        });
        printf("    copies of %u blocks: %.2f us\n", blocks, us);
        best = best > 0 ? std::min(best, us) : us;
    }
    return best;
}

static size_t measure(FILE *f, const shape &s, bool choices) {
    const fused_choice by = {99, 1, false, EXCHANGE_DEFAULT, 0};
    const reshard_job j = to_rows(ll_log2_(s.m), ll_log2_(s.n));
    size_t wrong = 0;
    char name[100];
    fill(s);
    const lt_gemm whole = lt_gemm_of(s, s.m, s.cols());
    const lt_gemm own = lt_gemm_of(s, s.rows(), s.n);
    const double us = time_fused(s, &wrong, by);
    const double alone = time_of([&] { start_gemms(s); }, 10);
    const double turn[2] = {
        measured(s, "in turn", &wrong, [&] { start_in_turn(s, j, false); }),
        measured(s, "by engines", &wrong, [&] { start_in_turn(s, j, true); })};
    const std::vector<peer> peers = {
        {"cuBLASLt, NCCL", measured(s, "NCCL", &wrong,
                                    [&] { start_by_nccl(s, whole); })},
        {"cuBLASLt to peers", measured(s, "to peers", &wrong,
                                       [&] { start_to_peers(s, own); })},
        {"cuBLASLt, copies", time_copies(s, &wrong, own)}};
    const double again = time_fused(s, &wrong, by);
    printf("    GEMM alone %.2f us; in turn by the kernel %.2f, by copy "
           "engines %.2f; fused again %.2f, as graphs %.2f\n",
           alone, turn[0], turn[1], again, time_graphs(s, &wrong, by));
    if (choices) {
        try_choices(s, &wrong);
    }
    snprintf(name, sizeof name, "%u x %u x %u", s.m, s.n, s.k);
    write_row(f, "GEMM to rows", name, wrong, us, std::min(turn[0], turn[1]),
              peers);
    return wrong;
}

int main(int argc, char **argv) {
    FILE *const f = argc == 2 || argc == 3 ? fopen(argv[1], "w") : NULL;
    size_t wrong = 0;
    if (!f) {
        fprintf(stderr, "usage: fused_matmul FILE [choices]\n");
        return 2;
    }
    MUST(open_gpus());
    open_ranks();
    for (const unsigned *const s : SHAPES) {
        wrong += measure(f, {s[0], s[1], s[2]}, argc > 2);
    }
    fclose(f);
    printf(wrong ? "%zu wrong\n" : "0 wrong\n", wrong);
    return wrong != 0;
}
