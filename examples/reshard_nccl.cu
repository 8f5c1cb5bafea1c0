/* reshard_nccl.cu - the plans of reshard.cu by messages of NCCL.
 * SPDX-License-Identifier: MIT
 *
 * One process for each GPU. Pairs of shardings, in one piece and in chunks,
 * partial sums and matrices of any sizes: every element is compared with the
 * layouts. Then one rank has another plan, one does not come, and one is killed
 * when all have agreed: each time every other rank must return an error.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. examples/reshard_nccl.cu -lnccl -o ..
 *        or, without a GPU, tests/emu/emucc -I. examples/reshard_nccl.cu ..
 * Run:   reshard_nccl [log2 of the ranks, 1 to 3]
 */
#include "check.h"
#include "reshard_nccl.h"
#include <atomic>
#include <signal.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned short element;
enum { ROWS = 7, COLS = 10, WAIT_MS = 3000, TESTS = 64 };

/* What is asked. rows, cols: of a ragged matrix, or 0; budget: of the staging
 * memory in KiB, or 0; other: the sharding that rank 1 asks for instead. */
struct test {
    unsigned from, to, budget, rows, cols, other;
    bool sums, absent, dies;
};

/* What the processes share. */
struct shared {
    ncclUniqueId id;
    std::atomic<unsigned> started; /* 1: the id is there */
    std::atomic<unsigned> wrong[TESTS];
};

static const char *const names[] = {"rows",   "columns", "tiles",  "heads",
                                    "turns",  "pieces",  "a grid", "copies"};

/* The part that a rank has of element y; a small number, which bf16 holds. */
static element part_of(unsigned y, unsigned rank, unsigned ranks, bool sums) {
    const unsigned x = (y * 2654435761u) >> 28;
    const float all = (float)(rank == ~0u ? ranks * x + ranks * (ranks - 1) / 2
                                          : x + rank);
    unsigned word;
    memcpy(&word, &all, sizeof word);
    return (element)(sums ? word >> 16 : (y * 2654435761u) >> 16 ^ y);
}

/* The memory of a rank: in 0xeeee what holds no element. */
static std::vector<element> image(const ragged_plan &g, bool after,
                                  unsigned rank, unsigned ranks, bool sums) {
    const ragged_map at =
        ragged_of_rank(&g.plan, after ? &g.to : &g.from, rank);
    const ragged_memory m = ragged_memory_of(&g.sizes, &at);
    std::vector<element> data((size_t)1 << at.n, 0xeeee);
    for (unsigned o = 0; o >> at.n == 0; ++o) {
        const unsigned y = ragged_element(&at, o);
        if (ragged_has(&g.sizes, y)) {
            data[ragged_at(&m, o)] =
                part_of(y, after ? ~0u : rank, ranks, sums);
        }
    }
    return data;
}

static ragged_plan plan_of(const test &c, unsigned gpus, bool odd) {
    const bool grid = c.from == BY_COPY || c.to == BY_COPY;
    const unsigned n = 1u << gpus;
    const ll_layout a = sharding_over(c.from, ROWS, COLS, gpus, grid);
    const ll_layout b =
        sharding_over(odd ? c.other : c.to, ROWS, COLS, gpus, grid);
    const ll_topology gpu =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    ll_reshard p =
        ll_reshard_sum(a, c.sums ? "gpu node" : "", b, 16,
                       grid ? ll_topology_with(gpu, "node", 50, 9000) : gpu);
    p = c.budget ? ll_reshard_within(p, (size_t)c.budget << 10) : p;
    ragged sizes = ragged_of(a.out);
    if (c.rows) {
        ragged_with(&sizes, a.out, "i", c.rows, (c.rows + n - 1) / n);
        ragged_with(&sizes, a.out, "j", c.cols, (c.cols + n - 1) / n);
    }
    return ragged_plan_of(p, a, b, sizes);
}

/* Agrees with the others, and is killed. */
static int agrees_and_dies(transport *t, unsigned long long number) {
    const int err = nccl_agrees(t, number);
    raise(SIGKILL);
    return err;
}

/* A rank's part of a test; returns whether it is wrong. */
static bool runs(const test &c, nccl_wire *w, unsigned rank, unsigned gpus) {
    const unsigned n = 1u << gpus;
    const ragged_plan g = plan_of(c, gpus, c.other && rank == 1);
    const std::vector<element> src = image(g, false, rank, n, c.sums);
    const int want = c.absent || c.dies ? RANKS_LOST
                     : c.other          ? RANKS_DISAGREE
                                        : RANKS_OK;
    std::vector<element> right = image(g, true, rank, n, c.sums);
    if (want) {
        right.assign(right.size(), 0xeeee);
    }
    std::vector<element> got(right.size());
    element *from = nullptr, *to = nullptr;
    char *staging = nullptr;
    MUST(cudaMalloc((void **)&from, 2 * src.size()));
    MUST(cudaMalloc((void **)&to, 2 * got.size()));
    MUST(cudaMalloc((void **)&staging, nccl_staging(g.plan)));
    MUST(cudaMemcpy(from, src.data(), 2 * src.size(), cudaMemcpyHostToDevice));
    MUST(cudaMemset(to, 0xee, 2 * got.size()));
    MUST(cudaDeviceSynchronize());
    transport t = nccl_transport(w, rank, n);
    t.agree = c.dies && rank == 1 ? agrees_and_dies : t.agree;
    const int result =
        c.absent && rank == 1
            ? want
            : nccl_reshard(&t, &g, from, to, staging, 0,
                           c.sums ? NCCL_BF16 : NCCL_NO_SUMS, 3);
    MUST(cudaMemcpy(got.data(), to, 2 * got.size(), cudaMemcpyDeviceToHost));
    MUST(cudaFree(from));
    MUST(cudaFree(to));
    MUST(cudaFree(staging));
    return result != want || (got != right && !c.dies);
}

static std::vector<test> tests_of(bool dies) {
    if (dies) {
        return {{BY_ROW, BY_COLUMN, 0, 0, 0, 0, false, false, true}};
    }
    const unsigned pairs[][2] = {{BY_ROW, BY_COLUMN}, {BY_COLUMN, BY_ROW},
                                 {BY_ROW, BY_HEAD},   {BY_HEAD, BY_TURNS},
                                 {BY_TURNS, BY_ROW},  {BY_ROW, BY_PIECE},
                                 {BY_PIECE, BY_ROW},  {BY_BLOCK, BY_COLUMN},
                                 {BY_ROW, BY_COPY},   {BY_COLUMN, BY_HEAD}};
    std::vector<test> tests;
    for (const unsigned *const p : pairs) {
        tests.push_back({p[0], p[1], 0, 0, 0, 0, false, false, false});
        tests.push_back({p[0], p[1], 16, 0, 0, 0, false, false, false});
    }
    for (unsigned k = 0; k < 3; ++k) {
        const unsigned to = k == 0 ? BY_ROW : k == 1 ? BY_COLUMN : BY_COPY;
        tests.push_back({BY_COPY, to, 0, 0, 0, 0, true, false, false});
        tests.push_back({BY_COPY, to, 0, 101, 999, 0, true, false, false});
        tests.push_back({BY_ROW, k ? to : BY_PIECE, 0, 77 + 8 * k, 777 - k, 0,
                         false, false, false});
    }
    tests.push_back({BY_ROW, BY_COLUMN, 0, 0, 0, BY_HEAD, false, false, false});
    tests.push_back({BY_ROW, BY_COLUMN, 0, 0, 0, 0, false, true, false});
    return tests;
}

/* The process of a rank. */
static int rank_runs(shared *s, unsigned rank, unsigned gpus, bool dies) {
    const std::vector<test> tests = tests_of(dies);
    int devices = 1 << gpus;
#if !LL_EMULATE
    MUST(cudaGetDeviceCount(&devices));
    if (devices < 1 << gpus) {
        return 3;
    }
    MUST(cudaSetDevice((int)rank));
#endif
    nccl_wire w = {};
    w.ms = WAIT_MS;
    MUST(nccl_opens(&w, 1u << gpus));
    if (!LL_EMULATE && !rank && !ncclGetUniqueId(&s->id)) {
        s->started = 1;
    }
    while (!s->started) {
        usleep(100);
    }
    if (ncclCommInitRank(&w.comm, 1 << gpus, s->id, (int)rank)) {
        return 4;
    }
    for (size_t k = 0; k < tests.size(); ++k) {
        s->wrong[k] += runs(tests[k], &w, rank, gpus);
    }
#if LL_EMULATE
    const char *const errors = emu_errors();
    printf("%s", errors);
    return errors[0] != 0;
#else
    return 0;
#endif
}

/* All tests, or that of a rank that is killed. */
static unsigned run(unsigned gpus, bool dies) {
    void *const memory = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared *const s = (shared *)memory;
    unsigned wrong = 0, killed = 0;
    if (memory == MAP_FAILED) {
        return 1;
    }
#if LL_EMULATE /* whose processes share what there is before they part */
    s->started = ncclGetUniqueId(&s->id) == ncclSuccess;
#endif
    fflush(stdout);
    for (unsigned r = 0; r < 1u << gpus; ++r) {
        if (fork() == 0) {
            const int status = rank_runs(s, r, gpus, dies);
            fflush(stdout);
            _exit(status);
        }
    }
    for (unsigned r = 0; r < 1u << gpus; ++r) {
        int status = 0;
        wait(&status);
        killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        wrong += status != 0 && !WIFSIGNALED(status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3 && r == 0) {
            printf("reshard_nccl: it takes %u GPUs\n", 1u << gpus);
        }
    }
    wrong += killed != dies;
    for (size_t k = 0; k < tests_of(dies).size() && !wrong; ++k) {
        const test c = tests_of(dies)[k];
        const std::string size =
            c.rows ? ", " + std::to_string(c.rows) + " x " +
                         std::to_string(c.cols)
                   : "";
        printf("%u ranks, %s%s -> %s%s%s: %u wrong\n", 1u << gpus,
               c.sums ? "sums of " : "", names[c.from], names[c.to],
               size.c_str(),
               c.budget   ? ", in chunks"
               : c.other  ? ", another plan"
               : c.absent ? ", one does not come"
               : c.dies   ? ", one is killed"
                          : "",
               s->wrong[k].load());
        wrong += s->wrong[k];
    }
    return wrong;
}

int main(int argc, char **argv) {
    const unsigned only = argc > 1 ? (unsigned)atoi(argv[1]) : 1u;
    if (argc > 2 || only < 1 || only > 3) {
        fprintf(stderr, "usage: reshard_nccl [log2 of the ranks, 1 to 3]\n");
        return 2;
    }
    const unsigned wrong = run(only, false) + run(only, true);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}
