// fused_matmul.cu - a GEMM that writes its result to the GPUs that own it,
// beside a GEMM and its all-to-all in turn.
// SPDX-License-Identifier: MIT
//
// fused_matmul FILE [choices]: rank r has all rows of A (m x k) and its columns
// of B; afterwards it has its rows of C, all columns. All are bf16. Every
// result is compared (fused_gemm.h). Timed, in the same run:
// - the kernel of matmul_exchange.h
// - in turn: our GEMM, then our reshard from columns to rows by the kernel or
//   the copy engines, whichever is faster
// - cuBLASLt, NCCL: its GEMM, messages, and a kernel that puts rows together
// - cuBLASLt to peers: a GEMM per owner that stores into the owner's memory
// - cuBLASLt, copies: the GEMM in blocks of rows, and the copy engine sends
//   each block while the next one is computed; the best of several sizes
// cuBLASLt takes the fastest of its algorithms. With `choices`, prints the
// times of other forms and orders of the fused kernel.
#include "fused_gemm.h"

static const unsigned SHAPES[][3] = {{8192, 8192, 8192}, {8192, 8192, 4096},
                                     {8192, 4096, 4096}, {4096, 4096, 4096},
                                     {8192, 8192, 2048}, {16384, 4096, 2048}};
constexpr unsigned ROWS_COLS[][2] = {{13, 13}, {13, 12}, {12, 12}, {14, 12}};

// ---- Ours -------------------------------------------------------------------

LL_FN reshard_job to_rows(unsigned rows, unsigned cols) {
    return reshard_job_of(side(BY_PIECE, rows, cols), side(BY_ROW, rows, cols),
                          16, link(), 16384);
}

struct pairs {
    static constexpr unsigned N = sizeof ROWS_COLS / sizeof *ROWS_COLS;
    static constexpr unsigned BITS = 13;
    LL_FN reshard_job of(unsigned k) {
        return to_rows(ROWS_COLS[k][0], ROWS_COLS[k][1]);
    }
};

static exchange_sharding sharding_of(const shape &s) {
    return exchange_sharding_of(columns_of_ranks(s.m, s.n, LOG_GPUS),
                                side(BY_ROW, ll_log2_(s.m), ll_log2_(s.n)));
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
                side(BY_ROW, ll_log2_(s.m), ll_log2_(s.n)), 16, link());
            MUST(reshard_by_copy_engine(forth, m,
                                        (unsigned char *)ranks[r].part, dst,
                                        ranks[r].copies, gpus()[r].stream));
        } else {
            reshard_launch<half_t, pairs>(m, j.tile, j.push, gpus()[r].stream);
        }
    });
}

// ---- Peers ------------------------------------------------------------------

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

static way fused_way(const shape &s, const fused_choice &by) {
    const exchange_sharding of = sharding_of(s);
    return {"fused", [=] { MUST(start_fused(s, of, by)); }};
}

// The same as a graph of each rank, launched again and again.
static way graph_way(const shape &s, const fused_choice &by) {
    std::vector<cudaGraphExec_t> exec(RANKS);
    each_rank([&](unsigned r) {
        MUST(cudaStreamBeginCapture(gpus()[r].stream,
                                    cudaStreamCaptureModeRelaxed));
    });
    MUST(start_fused(s, sharding_of(s), by));
    each_rank([&](unsigned r) {
        cudaGraph_t graph;
        MUST(cudaStreamEndCapture(gpus()[r].stream, &graph));
        MUST(cudaGraphInstantiate(&exec[r], graph, 0));
        MUST(cudaGraphDestroy(graph));
    });
    return {"graph", [=] {
                each_rank([&](unsigned r) {
                    MUST(cudaGraphLaunch(exec[r], gpus()[r].stream));
                });
            }};
}

// Prints the times of other clusters, orders and paces.
static void try_choices(const shape &s, size_t *wrong) {
    static const unsigned orders[] = {3, 4, EXCHANGE_FIRST, EXCHANGE_SPREAD};
    const unsigned steps = s.k / 64;
    std::vector<fused_choice> choices;
    std::vector<way> ways;
    for (unsigned cluster = 0; cluster < 3; ++cluster) {
        for (const unsigned order : orders) {
            for (const unsigned pace : {1u, steps / 5, steps / 4}) {
                choices.push_back(
                    {0, cluster ? 2u : 1u, cluster == 2, order, pace});
                ways.push_back(fused_way(s, choices.back()));
            }
        }
    }
    const std::vector<double> us = measured(s, ways, wrong);
    for (size_t k = 0; k < us.size(); ++k) {
        printf("%s%u%s, order %2u, pace %2u: %.2f us%s", k % 3 ? "" : "    ",
               choices[k].neighbours, choices[k].stacked ? " stacked" : "",
               choices[k].order, choices[k].pace, us[k],
               k % 3 == 2 ? "\n" : "; ");
    }
}

// The copies with the best number of blocks.
static way copies_way(const shape &s, const lt_gemm &own, size_t *wrong) {
    std::vector<way> ways;
    for (const unsigned blocks : {1u, 2u, 4u, 8u}) {
        const lt_gemm block = lt_gemm_of(s, s.rows() / blocks, s.cols());
        ways.push_back(
            {"cuBLASLt, copies", [=] { start_copies(s, block, own, blocks); }});
    }
    const std::vector<double> us = measured(s, ways, wrong);
    printf("    copies of 1, 2, 4, 8 blocks: %.2f, %.2f, %.2f, %.2f us\n",
           us[0], us[1], us[2], us[3]);
    return ways[(size_t)(std::min_element(us.begin(), us.end()) - us.begin())];
}

static size_t measure(FILE *f, const shape &s, bool choices) {
    const fused_choice by = {99, 1, false, EXCHANGE_SPREAD, 0};
    const reshard_job j = to_rows(ll_log2_(s.m), ll_log2_(s.n));
    size_t wrong = 0;
    char name[100];
    fill(s);
    const lt_gemm whole = lt_gemm_of(s, s.m, s.cols());
    const lt_gemm own = lt_gemm_of(s, s.rows(), s.n);
    const std::vector<way> ways = {
        fused_way(s, by),
        {"in turn", [&] { start_in_turn(s, j, false); }},
        {"by engines", [&] { start_in_turn(s, j, true); }},
        {"cuBLASLt, NCCL", [&] { start_by_nccl(s, whole); }},
        {"cuBLASLt to peers", [&] { start_to_peers(s, own); }},
        copies_way(s, own, &wrong),
        graph_way(s, by),
        {"", [&] { start_gemms(s); }}};
    const std::vector<double> us = measured(s, ways, &wrong);
    const std::vector<peer> peers = {
        {ways[3].name, us[3]}, {ways[4].name, us[4]}, {ways[5].name, us[5]}};
    printf("    GEMM alone %.2f us; in turn by the kernel %.2f, by copy "
           "engines %.2f; fused as graphs %.2f\n",
           us[7], us[1], us[2], us[6]);
    if (choices) {
        try_choices(s, &wrong);
    }
    snprintf(name, sizeof name, "%u x %u x %u", s.m, s.n, s.k);
    write_row(f, "GEMM to rows", name, wrong, us[0], std::min(us[1], us[2]),
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
        wrong += measure(f, {s[0], s[1], s[2], false}, argc > 2);
    }
    fclose(f);
    printf(wrong ? "%zu wrong\n" : "0 wrong\n", wrong);
    return wrong != 0;
}
