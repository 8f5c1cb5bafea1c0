// fused_matmul_sums.cu - a GEMM of a part of k that writes its partial sums to
// the GPUs that own them, beside a GEMM and its reduce-scatter in turn.
// SPDX-License-Identifier: MIT
//
// fused_matmul_sums FILE: rank r has a part of k of A (m x k) and of B;
// afterwards it has its rows of C, the sums of all parts. All are bf16, partial
// sums too. Every result is compared (fused_gemm.h). Timed, in the same run:
// - the kernel of matmul_exchange.h, and the kernel that adds the parts
// - in turn: our GEMM, then our reshard that reads and adds partial sums
// - cuBLASLt, NCCL: its GEMM, and a reduce-scatter
#include "fused_gemm.h"

static const unsigned SHAPES[][3] = {{8192, 4096, 14336},
                                     {4096, 8192, 8192},
                                     {8192, 8192, 8192},
                                     {8192, 4096, 4096}};
constexpr unsigned ROWS_COLS[][2] = {{13, 12}, {12, 13}, {13, 13}};

static exchange_sharding sharding_of(const shape &s) {
    return exchange_sharding_of(parts_of_ranks(s.m, s.n, LOG_GPUS),
                                rows_of_parts(s.m, s.n, LOG_GPUS));
}

LL_FN reshard_job to_rows(unsigned rows, unsigned cols) {
    return reshard_job_of(sharding_over(BY_COPY, rows, cols, LOG_GPUS, true),
                          sharding_over(BY_ROW, rows, cols, LOG_GPUS, true), 16,
                          ll_topology_with(link(), "node", 50, 9000), 16384,
                          "gpu node");
}

struct pairs {
    static constexpr unsigned N = sizeof ROWS_COLS / sizeof *ROWS_COLS;
    static constexpr unsigned BITS = 13;
    LL_FN reshard_job of(unsigned k) {
        return to_rows(ROWS_COLS[k][0], ROWS_COLS[k][1]);
    }
};

static void start_sums(const shape &s, const exchange_sharding &of) {
    const fused_choice by = {99, 1, false, EXCHANGE_SPREAD, 0};
    MUST(start_fused(s, of, by));
    each_rank([&](unsigned r) {
        launch_stream() = gpus()[r].stream;
        MUST(launch_add_parts(ranks[r].c, ranks[r].staging,
                              (size_t)s.rows() * s.n, RANKS));
    });
}

static void start_in_turn(const shape &s, const reshard_job &j) {
    ++epoch;
    start_gemms(s);
    each_rank([&](unsigned r) {
        reshard_move m = reshard_numbers(j.plan, j.tile, r);
        for (unsigned q = 0; q < RANKS; ++q) {
            m.far[q] = (unsigned char *)ranks[q].part;
            m.flags[q] = ranks[q].flags + EXCHANGE_FLAGS;
        }
        m.near = (unsigned char *)ranks[r].c;
        m.epoch = epoch;
        m.wait = 1;
        reshard_launch<half_t, pairs, reshard_bf16>(m, j.tile, j.push,
                                                    gpus()[r].stream);
    });
}

static void start_by_nccl(const shape &s, const lt_gemm &g) {
    each_rank([&](unsigned r) {
        run_lt(g, r, ranks[r].part, ranks[r].a, gpus()[r].stream);
    });
    NCCL(ncclGroupStart());
    for (unsigned r = 0; r < RANKS; ++r) {
        NCCL(ncclReduceScatter(ranks[r].part, ranks[r].c,
                               (size_t)s.rows() * s.n, ncclBfloat16, ncclSum,
                               ranks[r].comm, gpus()[r].stream));
    }
    NCCL(ncclGroupEnd());
}

static size_t measure(FILE *f, const shape &s) {
    const exchange_sharding of = sharding_of(s);
    const reshard_job j = to_rows(ll_log2_(s.m), ll_log2_(s.n));
    size_t wrong = 0;
    char name[100];
    MUST(of.bad);
    fill(s);
    const lt_gemm whole = lt_gemm_of(s, s.m, s.n);
    const std::vector<way> ways = {
        {"fused", [&] { start_sums(s, of); }},
        {"in turn", [&] { start_in_turn(s, j); }},
        {"cuBLASLt, NCCL", [&] { start_by_nccl(s, whole); }},
        {"", [&] { start_gemms(s); }}};
    const std::vector<double> us = measured(s, ways, &wrong);
    printf("    GEMM alone %.2f us\n", us[3]);
    snprintf(name, sizeof name, "%u x %u x %u", s.m, s.n, s.k);
    write_row(f, "GEMM to sums of rows", name, wrong, us[0], us[1],
              {{ways[2].name, us[2]}});
    return wrong;
}

int main(int argc, char **argv) {
    FILE *const f = argc == 2 ? fopen(argv[1], "w") : NULL;
    size_t wrong = 0;
    if (!f) {
        fprintf(stderr, "usage: fused_matmul_sums FILE\n");
        return 2;
    }
    MUST(open_gpus());
    open_ranks();
    for (const unsigned *const s : SHAPES) {
        wrong += measure(f, {s[0], s[1], s[2], true});
    }
    fclose(f);
    printf(wrong ? "%zu wrong\n" : "0 wrong\n", wrong);
    return wrong != 0;
}
