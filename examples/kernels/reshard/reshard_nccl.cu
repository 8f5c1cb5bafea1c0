/* reshard_nccl.cu - the plans of reshard.cu by messages of NCCL.
 * SPDX-License-Identifier: MIT
 *
 * One process for each GPU. Pairs of shardings, in one piece and in chunks,
 * partial sums and matrices of any sizes: every element is compared with the
 * layouts. Then one rank has another plan, one does not come, and one is killed
 * when all have agreed: each time every other rank must return an error. Then
 * ranks are GPUs of hosts: within a host they read each other's memory, and no
 * more is sent than the plan says that crosses between hosts. Last, arrays are
 * in windows of NCCL: nothing is sent, and calls on several streams follow each
 * other there and back.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/kernels/reshard/reshard_nccl.cu -lnccl -o ..
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   reshard_nccl [log2 of the ranks, 1 to 3], or 2 ranks and 2 hosts of 2
 */
#define NCCL_SEGMENT_BYTES 2048 /* small matrices have segments */
#include "../check.h"
#include "reshard_nccl.h"
#include <atomic>
#include <signal.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ll_kernels;

typedef unsigned char byte;
enum { ROWS = 7, COLS = 10, WAIT_MS = 3000, TESTS = 64 };
enum { ROUND_TRIPS = 4, ALARM_S = 90 };
enum { LISTED = 8 }; /* of 16 bytes, all but those to turns and to copies */
static const size_t MEMORY = (size_t)16 << (ROWS + COLS); /* of a rank */

/* What is asked. rows, cols: of a ragged matrix, or 0; budget: of the staging
 * memory in KiB, or 0; size: bytes of an element; other: the sharding that rank
 * 1 asks for instead; sums: axes along which there are partial sums of bf16;
 * hosts: ranks that differ in the axis gpu alone read each other's memory;
 * windows: the arrays that are in windows. */
enum { NO_WINDOWS, SRC = 1, DST = 2, STAGING = 4, SENDS = 8, NO_TEAM = 16 };
struct test {
    unsigned from, to, budget, rows, cols, size, other;
    const char *sums;
    bool absent, dies, hosts;
    unsigned windows; /* SENDS: messages are needed all the same */
};

/* What the processes share. */
struct shared {
    ncclUniqueId id;
    std::atomic<unsigned> started; /* 1: the id is there */
    std::atomic<unsigned> opened;  /* ranks whose memory may be read */
    std::atomic<unsigned> wrong[TESTS];
    std::atomic<unsigned long long> sent[TESTS];
#if LL_EMULATE
    alignas(16) byte memory[EMU_NCCL_RANKS][MEMORY];
#else
    cudaIpcMemHandle_t memory[8];
#endif
};

static const char *const names[] = {
    "rows",   "columns", "tiles",  "heads",          "turns",
    "pieces", "a grid",  "copies", "rows in copies", "a grid twice"};

static float number_of(unsigned bf16) {
    const unsigned word = bf16 << 16;
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

/* To the nearest bf16, of two to the even one. */
static unsigned rounded(float x) {
    unsigned word;
    memcpy(&word, &x, sizeof word);
    return (word + 0x7fffu + (word >> 16 & 1u)) >> 16;
}

/* The part that a rank has of element y of a sum: 2^30, -2^30, or a number that
 * is lost beside them, so that the order of additions matters. */
static unsigned part_of(unsigned y, unsigned rank) {
    const unsigned h = (y * 2654435761u + rank * 40503u) * 2246822519u >> 16;
    const float small = (float)(int)(h % 255u) - 127.0f;
    return rounded(h & 0x4000u ? small : h & 0x8000u ? 0x1p30f : -0x1p30f);
}

/* The sum over ranks that differ in the bits `sum`, added as floats in the
 * order of the ranks, or against it. */
static unsigned sum_of(unsigned y, unsigned rank, unsigned sum,
                       bool backwards) {
    const unsigned first = rank & ~sum, last = rank | sum;
    float all = number_of(part_of(y, backwards ? last : first));
    for (unsigned k = first + 1; k <= last; ++k) {
        const unsigned r = backwards ? first + last - k : k;
        if ((r & ~sum) == first) {
            all += number_of(part_of(y, r));
        }
    }
    return rounded(all);
}

/* The memory of a rank: in 0xee what holds no element. */
static std::vector<byte> image(const ragged_plan &g, bool after, unsigned rank,
                               bool backwards = false) {
    const ragged_map at =
        ragged_of_rank(&g.plan, after ? &g.to : &g.from, rank);
    const ragged_memory m = ragged_memory_of(&g.sizes, &at);
    const unsigned sum = g.plan.sum, size = g.plan.bits / 8u;
    std::vector<byte> data((size_t)size << at.n, 0xee);
    for (unsigned o = 0; o >> at.n == 0; ++o) {
        const unsigned y = ragged_element(&at, o);
        const unsigned x = !sum    ? 0
                           : after ? sum_of(y, rank, sum, backwards)
                                   : part_of(y, rank);
        for (unsigned k = 0; k < size && ragged_has(&g.sizes, y); ++k) {
            const unsigned any = (y * 16 + k) * 2654435761u >> 24 ^ y >> k;
            data[ragged_at(&m, o) * size + k] = (byte)(sum ? x >> 8 * k : any);
        }
    }
    return data;
}

static ragged_plan plan_of(const test &c, unsigned gpus, bool odd) {
    const bool grid = c.hosts || c.from >= SHARDINGS || c.to >= SHARDINGS;
    const unsigned n = 1u << gpus;
    const ll_layout a = sharding_over(c.from, ROWS, COLS, gpus, grid);
    const ll_layout b =
        sharding_over(odd ? c.other : c.to, ROWS, COLS, gpus, grid);
    const ll_topology gpu =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    ll_reshard p =
        ll_reshard_sum(a, c.sums, b, 8 * c.size,
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
    const int err = nccl_agree(t, number);
    raise(SIGKILL);
    return err;
}

/* What of the memories of all ranks a rank reads: those of its host. */
static std::vector<const void *> near_of(const ragged_plan &g, unsigned rank,
                                         const std::vector<byte *> &memory) {
    std::vector<const void *> near;
    for (unsigned r = 0; r < memory.size(); ++r) {
        near.push_back((r ^ rank) >> g.plan.mesh.bits[0] ? NULL : memory[r]);
    }
    return near;
}

/* The arrays of a rank on its GPU. */
struct arrays {
    byte *src, *dst, *staging;
};

/* Returns an array in a window if `known`, else `other`, or memory of
 * cudaMalloc. The window's memory is the caller's, or of nccl_get. */
static byte *array_of(transport *t, size_t bytes, bool known, bool callers,
                      byte *other) {
    byte *at = other;
    if (known && callers) {
#if NCCL_WINDOWS
        MUST((cudaError_t)ncclMemAlloc((void **)&at, bytes));
        MUST((cudaError_t)nccl_know(t, at, bytes));
#endif
    } else if (known) {
        at = (byte *)nccl_get(t, bytes);
    } else if (!other) {
        MUST(cudaMalloc((void **)&at, bytes));
    }
    return at;
}

static arrays arrays_of(transport *t, const test &c, const ragged_plan &g,
                        size_t src, size_t dst, byte *own) {
    const size_t staging = nccl_staging(g.plan);
#if LL_EMULATE
    ((nccl_wire *)t->self)->comm->lsa_ranks =
        c.windows & NO_TEAM ? 1 : (int)t->ranks;
#endif
    return {array_of(t, src, c.windows & SRC, true, own),
            array_of(t, dst, c.windows & DST, false, NULL),
            array_of(t, staging, c.windows & STAGING, false, NULL)};
}

static void free_arrays(transport *t, const test &c, const arrays &a) {
    nccl_wire *const w = (nccl_wire *)t->self;
    for (byte *const p : {a.staging, a.dst}) {
        if (!nccl_forget(w, p)) {
            MUST(cudaFree(p));
        }
    }
    if (c.windows & SRC) {
        nccl_forget(w, a.src);
#if NCCL_WINDOWS
        MUST((cudaError_t)ncclMemFree(a.src));
#endif
    }
}

/* Moves an array there and back several times, each twice, by some means and in
 * chunks, on two streams and without waiting for the GPU. Each array is
 * overwritten before it receives, so a kernel that begins or ends too early
 * destroys elements. */
static int travels(transport *t, const ragged_plan &there, const arrays &a,
                   size_t src, size_t dst, unsigned means) {
    const ragged_plan back =
        ragged_plan_of(ll_reshard_of(there.to, there.from, there.plan.bits,
                                     there.plan.topology),
                       there.to, there.from, there.sizes);
    byte *const memory[2] = {a.src, a.dst};
    const size_t bytes[2] = {src, dst};
    std::vector<nccl_run> runs;
    cudaStream_t streams[2];
    cudaEvent_t done;
    int err = 0;
    MUST(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (unsigned k = 0; k < 2; ++k) {
        const ragged_plan &g = k ? back : there;
        MUST(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
        runs.push_back(nccl_run_of(t, &g, memory[k], memory[1 - k], a.staging,
                                   NCCL_NO_SUMS));
        nccl_tell_places(t, g, memory[k], memory[1 - k], a.staging);
        err = err ? err : nccl_agree(t, k);
        nccl_find_peers(&runs[k]);
        nccl_plan(&runs[k], means == NCCL_DIRECT ? NCCL_ANY_STEPS : 2u,
                  NCCL_ANY_WAY, false, means);
        if (!runs[k].direct.good && runs[k].list.stage.empty()) {
            err = RANKS_PLAN;
        }
    }
    for (unsigned k = 0; k < 4 * ROUND_TRIPS + 2 && !err; ++k) {
        const unsigned way = k / 2 % 2;
        MUST(cudaMemsetAsync(memory[1 - way], 0xee, bytes[1 - way],
                             streams[way]));
        err =
            nccl_start<nccl_no_pairs>(runs[way], streams[way], NCCL_ANY_STEPS);
        MUST(cudaEventRecord(done, streams[way]));
        MUST(cudaStreamWaitEvent(streams[1 - way], done, 0));
    }
    err = err ? err : t->finish(t);
    for (const cudaStream_t s : streams) {
        MUST(cudaStreamDestroy(s));
    }
    MUST(cudaEventDestroy(done));
    return err;
}

/* Can it be moved back and forth through windows by some means? */
static bool can_travel(const test &c, const ragged_plan &g, unsigned means) {
    const bool both = (c.windows & (SRC | DST)) == (SRC | DST);
    const bool some = means == NCCL_DIRECT ? both : !!(c.windows & STAGING);
    return some && !(c.windows & (SENDS | NO_TEAM)) && !g.plan.sum &&
           !g.plan.copies && !c.rows;
}

/* A rank's part of a test; returns whether it is wrong. The order of sums of
 * more than two parts must matter. */
static bool runs(const test &c, nccl_wire *w, unsigned rank, unsigned gpus,
                 const std::vector<byte *> &memory) {
    const unsigned n = 1u << gpus;
    const ragged_plan g = plan_of(c, gpus, c.other && rank == 1);
    const std::vector<byte> src = image(g, false, rank);
    const std::vector<const void *> near = near_of(g, rank, memory);
    const int want = c.absent || c.dies ? RANKS_LOST
                     : c.other          ? RANKS_DISAGREE
                                        : RANKS_OK;
    std::vector<byte> right = image(g, true, rank);
    const bool plain = ll_popcount_(g.plan.sum) > 1 && !want &&
                       right == image(g, true, rank, true);
    if (want) {
        right.assign(right.size(), 0xee);
    }
    std::vector<byte> got(right.size());
    transport t = nccl_transport(w, rank, n);
    const arrays a = arrays_of(&t, c, g, src.size(), got.size(), memory[rank]);
    MUST(cudaMemcpy(a.src, src.data(), src.size(), cudaMemcpyHostToDevice));
    MUST(cudaMemset(a.dst, 0xee, got.size()));
    MUST(cudaDeviceSynchronize());
    t.agree = c.dies && rank == 1 ? agrees_and_dies : t.agree;
    int result = c.absent && rank == 1
                     ? want
                     : nccl_reshard(&t, &g, a.src, a.dst, a.staging, 0,
                                    g.plan.sum ? NCCL_BF16 : NCCL_NO_SUMS,
                                    c.windows ? NCCL_ANY_STEPS : 3,
                                    c.hosts ? near.data() : nullptr);
    MUST(cudaMemcpy(got.data(), a.dst, got.size(), cudaMemcpyDeviceToHost));
    bool bad = plain || result != want || (got != right && !c.dies);
    for (const unsigned means : {NCCL_DIRECT, NCCL_PUSHES, NCCL_COPIES}) {
        if (can_travel(c, g, means) && !bad) {
            result = travels(&t, g, a, src.size(), got.size(), means);
            MUST(cudaMemcpy(got.data(), a.dst, got.size(),
                            cudaMemcpyDeviceToHost));
            bad = result || got != right;
        }
    }
    free_arrays(&t, c, a);
    return bad;
}

static std::vector<test> test_that_dies(bool hosts) {
    return {
        {BY_ROW, BY_COLUMN, 0, 0, 0, 2, 0, "", false, true, hosts, NO_WINDOWS}};
}

static std::vector<test> tests_of_messages() {
    const unsigned pairs[][2] = {{BY_ROW, BY_COLUMN}, {BY_COLUMN, BY_ROW},
                                 {BY_ROW, BY_HEAD},   {BY_HEAD, BY_TURNS},
                                 {BY_TURNS, BY_ROW},  {BY_ROW, BY_PIECE},
                                 {BY_PIECE, BY_ROW},  {BY_BLOCK, BY_COLUMN},
                                 {BY_ROW, BY_COPY},   {BY_COLUMN, BY_HEAD}};
    const char *const all = "gpu node";
    std::vector<test> tests;
    for (const unsigned *const p : pairs) {
        const unsigned size = 1u << tests.size() / 2 % 5;
        tests.push_back(
            {p[0], p[1], 0, 0, 0, 2, 0, "", false, false, false, NO_WINDOWS});
        tests.push_back({p[0], p[1], 16, 0, 0, size, 0, "", false, false, false,
                         NO_WINDOWS});
        tests.push_back(
            {p[0], p[1], 0, 0, 0, 16, 0, "", false, false, false, NO_WINDOWS});
    }
    for (unsigned k = 0; k < 3; ++k) {
        const unsigned to = k == 0 ? BY_ROW : k == 1 ? BY_COLUMN : BY_COPY;
        tests.push_back(
            {BY_COPY, to, 0, 0, 0, 2, 0, all, false, false, false, NO_WINDOWS});
        tests.push_back({BY_COPY, to, 0, 101, 999, 2, 0, all, false, false,
                         false, NO_WINDOWS});
    }
    for (unsigned k = 0; k < 5; ++k) { /* of 1 to 16 bytes */
        const unsigned to = k < 3 ? BY_PIECE : k == 3 ? BY_COLUMN : BY_COPY;
        tests.push_back({BY_ROW, to, 0, 77 + 8 * k, 777 - k, 1u << k, 0, "",
                         false, false, false, NO_WINDOWS});
    }
    tests.push_back({BY_ROW, BY_COLUMN, 0, 0, 0, 2, BY_HEAD, "", false, false,
                     false, NO_WINDOWS});
    tests.push_back(
        {BY_ROW, BY_COLUMN, 0, 0, 0, 2, 0, "", true, false, false, NO_WINDOWS});
    return tests;
}

/* Those in which ranks are the GPUs of hosts. */
static std::vector<test> tests_of_hosts() {
    struct {
        unsigned from, to, budget, rows, cols, size;
        const char *sums;
    } const all[] = {{BY_ROW, BY_COLUMN, 0, 0, 0, 2, ""},
                     {BY_HEAD, BY_TURNS, 16, 0, 0, 1, ""},
                     {BY_TURNS, BY_ROW, 0, 0, 0, 4, ""},
                     {BY_GRID, BY_COPY, 0, 0, 0, 2, ""},
                     {BY_ROW, BY_TWICE, 0, 0, 0, 2, ""},
                     {BY_ROW, BY_COLUMN, 0, 77, 777, 8, ""},
                     {BY_PIECE, BY_COPY, 16, 101, 999, 1, ""},
                     {BY_COPY, BY_ROW, 0, 0, 0, 2, "gpu node"},
                     {BY_COPY, BY_COLUMN, 16, 0, 0, 2, "gpu node"},
                     {BY_COPY, BY_COPY, 0, 0, 0, 2, "gpu node"},
                     {BY_COPY, BY_COLUMN, 0, 101, 999, 2, "gpu node"},
                     {BY_COPY, BY_ROW, 0, 0, 0, 2, "node"},
                     {BY_GROUP, BY_GRID, 0, 0, 0, 2, "gpu"}};
    std::vector<test> tests;
    for (const auto &a : all) {
        tests.push_back({a.from, a.to, a.budget, a.rows, a.cols, a.size, 0,
                         a.sums, false, false, true, NO_WINDOWS});
    }
    return tests;
}

/* Those with arrays in windows. Between 8 ranks, pieces of such small arrays
 * are too short to be pushed into staging memory. */
static std::vector<test> tests_of_windows(unsigned gpus) {
    struct {
        unsigned from, to, rows, cols, size;
        const char *sums;
        unsigned windows;
    } const all[] = {
        {BY_ROW, BY_COLUMN, 0, 0, 2, "", SRC | DST},
        {BY_COLUMN, BY_ROW, 0, 0, 1, "", SRC | DST},
        {BY_ROW, BY_HEAD, 0, 0, 4, "", SRC | DST},
        {BY_HEAD, BY_TURNS, 0, 0, 2, "", SRC | DST},
        {BY_TURNS, BY_ROW, 0, 0, 2, "", SRC | DST},
        {BY_ROW, BY_PIECE, 0, 0, 16, "", SRC | DST},
        {BY_PIECE, BY_ROW, 0, 0, 8, "", SRC | DST},
        {BY_BLOCK, BY_COLUMN, 0, 0, 2, "", SRC | DST},
        {BY_ROW, BY_COPY, 0, 0, 2, "", SRC | DST},
        {BY_ROW, BY_COLUMN, 0, 0, 2, "", DST},
        {BY_ROW, BY_COLUMN, 0, 0, 2, "", SRC},
        {BY_TURNS, BY_ROW, 0, 0, 2, "", SRC},
        {BY_TURNS, BY_ROW, 0, 0, 2, "", DST | SENDS},
        {BY_ROW, BY_COLUMN, 0, 0, 16, "", STAGING},
        {BY_ROW, BY_HEAD, 0, 0, 16, "", STAGING},
        {BY_ROW, BY_PIECE, 0, 0, 4, "", STAGING},
        {BY_PIECE, BY_ROW, 0, 0, 2, "", STAGING},
        {BY_TURNS, BY_ROW, 0, 0, 2, "", STAGING | SENDS},
        {BY_ROW, BY_PIECE, 0, 0, 2, "", SRC | DST | STAGING},
        {BY_ROW, BY_COLUMN, 0, 0, 16, "", SRC | DST | STAGING},
        {BY_COPY, BY_ROW, 0, 0, 2, "gpu node", SRC | DST},
        {BY_COPY, BY_COLUMN, 0, 0, 2, "gpu node", SRC},
        {BY_COPY, BY_COPY, 0, 0, 2, "gpu node", SRC | DST},
        {BY_ROW, BY_PIECE, 77, 777, 2, "", SRC | DST},
        {BY_COPY, BY_ROW, 101, 999, 2, "gpu node", SRC | DST},
        {BY_ROW, BY_COLUMN, 0, 0, 2, "", SRC | DST | SENDS | NO_TEAM}};
    std::vector<test> tests;
    for (const auto &a : all) {
        if ((LL_EMULATE || !(a.windows & NO_TEAM)) &&
            (gpus < 3 || !(a.windows & STAGING))) {
            tests.push_back({a.from, a.to, 0, a.rows, a.cols, a.size, 0, a.sums,
                             false, false, false, a.windows});
        }
    }
    return tests;
}

/* What a rank reads: its own memory, and those of the others. */
static std::vector<byte *> memories(shared *s, unsigned rank, unsigned ranks) {
    std::vector<byte *> memory(ranks);
#if LL_EMULATE
    for (unsigned r = 0; r < ranks; ++r) {
        memory[r] = s->memory[r];
        emu_global_add(memory[r], MEMORY);
    }
    s->opened += rank < ranks;
#else
    MUST(cudaMalloc((void **)&memory[rank], MEMORY));
    MUST(cudaIpcGetMemHandle(&s->memory[rank], memory[rank]));
    s->opened += 1;
    while (s->opened < ranks) {
        usleep(100);
    }
    for (unsigned r = 0; r < ranks; ++r) {
        if (r != rank) {
            MUST(cudaIpcOpenMemHandle((void **)&memory[r], s->memory[r],
                                      cudaIpcMemLazyEnablePeerAccess));
        }
    }
#endif
    return memory;
}

/* The process of a rank. */
static int rank_runs(shared *s, unsigned rank, unsigned gpus,
                     const std::vector<test> &tests) {
    int devices = 1 << gpus;
#if !LL_EMULATE
    MUST(cudaGetDeviceCount(&devices));
    if (devices < 1 << gpus) {
        return 3;
    }
    MUST(cudaSetDevice((int)rank));
    alarm(ALARM_S); /* ends a rank that hangs */
#endif
    nccl_wire w = {};
    w.ms = WAIT_MS;
    MUST(nccl_open(&w, 1u << gpus));
    if (!LL_EMULATE && !rank && !ncclGetUniqueId(&s->id)) {
        s->started = 1;
    }
    while (!s->started) {
        usleep(100);
    }
    if (ncclCommInitRank(&w.comm, 1 << gpus, s->id, (int)rank)) {
        return 4;
    }
    const std::vector<byte *> memory = memories(s, rank, 1u << gpus);
    for (size_t k = 0; k < tests.size(); ++k) {
        w.out = 0;
        s->wrong[k] += runs(tests[k], &w, rank, gpus, memory);
        s->sent[k] += w.out;
    }
#if LL_EMULATE
    const char *const errors = emu_errors();
    printf("%s", errors);
    return errors[0] != 0;
#else
    return 0;
#endif
}

/* Is its plan one of nccl_plan? */
static bool is_listed(const test &c, unsigned gpus) {
    const ragged_plan g = plan_of(c, gpus, false);
    nccl_wire w = {};
    transport t = nccl_transport(&w, 0, 1u << gpus);
    nccl_run r = nccl_run_of(&t, &g, NULL, NULL, NULL, 0);
    nccl_plan(&r, 3);
    return !c.hosts && !c.windows && !r.list.stage.empty();
}

static const char *windows_said(const test &c) {
    const bool src = c.windows & SRC, dst = c.windows & DST;
    return c.windows & NO_TEAM ? ", no team of windows"
           : src && dst        ? ", both in windows"
           : src               ? ", src in a window"
           : dst               ? ", dst in a window"
           : c.windows         ? ", staging in a window"
                               : "";
}

/* Says what came of a test; returns what is wrong. Between hosts the ranks send
 * the bytes of the plan, of a ragged tensor no more; and none, or some, of
 * arrays in windows. */
static unsigned shows(const shared *s, const test &c, size_t k, unsigned gpus) {
    const ll_reshard p = plan_of(c, gpus, false).plan;
    const std::string size =
        c.rows ? ", " + std::to_string(c.rows) + " x " + std::to_string(c.cols)
               : "";
    unsigned long long far = 0;
    for (unsigned r = 0; r < 1u << gpus; ++r) {
        far += ll_reshard_bytes(p, r, 1);
    }
    const bool more = c.windows
                          ? !s->sent[k] != !(c.windows & SENDS)
                          : c.hosts && !c.dies &&
                                (c.rows ? s->sent[k] > far : s->sent[k] != far);
    printf("%u ranks%s%s, %s%s -> %s%s, %u bytes%s: %u wrong", 1u << gpus,
           c.hosts ? " of hosts" : "", windows_said(c),
           c.sums[0] ? "sums of " : "", names[c.from], names[c.to],
           size.c_str(), c.size,
           c.budget   ? ", in chunks"
           : c.other  ? ", another plan"
           : c.absent ? ", one does not come"
           : c.dies   ? ", one is killed"
                      : "",
           s->wrong[k].load() + more);
    printf(!more       ? "\n"
           : c.windows ? ", %llu bytes sent\n"
                       : ", %llu bytes between hosts, not %llu\n",
           s->sent[k].load(), far);
    return s->wrong[k] + more;
}

/* Runs tests by a process for each rank; dies: one is killed. */
static unsigned run(unsigned gpus, const std::vector<test> &tests, bool dies) {
    void *const memory = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared *const s = (shared *)memory;
    unsigned wrong = 0, killed = 0, listed = 0;
    if (memory == MAP_FAILED) {
        return 1;
    }
#if LL_EMULATE /* whose processes share what there is before they part */
    s->started = ncclGetUniqueId(&s->id) == ncclSuccess;
#endif
    fflush(stdout);
    for (unsigned r = 0; r < 1u << gpus; ++r) {
        if (fork() == 0) {
            const int status = rank_runs(s, r, gpus, tests);
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
    for (size_t k = 0; k < tests.size() && !wrong; ++k) {
        wrong += shows(s, tests[k], k, gpus);
        listed += is_listed(tests[k], gpus);
    }
    if (tests.size() > 1 && !tests[0].hosts && !tests[0].windows &&
        listed < LISTED && !wrong) {
        printf("%u plans are of chunks for all peers, not %u\n", listed,
               (unsigned)LISTED);
        ++wrong;
    }
    munmap(memory, sizeof *s);
    return wrong;
}

int main(int argc, char **argv) {
    const unsigned only = argc > 1 ? (unsigned)atoi(argv[1]) : 0u;
    const unsigned gpus = only ? only : 1u;
    const unsigned wide = only || !LL_EMULATE ? gpus : 2u;
    unsigned wrong = 0;
    if (argc > 2 || (argc == 2 && (only < 1 || only > 3))) {
        fprintf(stderr, "usage: reshard_nccl [log2 of the ranks, 1 to 3]\n");
        return 2;
    }
    /* A rank that aborts tries for a minute to reach one that was killed. */
    setenv("NCCL_SOCKET_RETRY_CNT", "2", 0);
    wrong += run(gpus, tests_of_messages(), false);
    if (NCCL_WINDOWS) {
        wrong += run(wide, tests_of_windows(wide), false);
    }
    if (only || LL_EMULATE) {
        wrong += run(wide, tests_of_hosts(), false);
        wrong += run(wide, test_that_dies(true), true);
    }
    wrong += run(gpus, test_that_dies(false), true);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}
