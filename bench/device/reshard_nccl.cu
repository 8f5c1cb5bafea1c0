// reshard_nccl.cu - resharding by NCCL between the GPUs of a host, beside
// NCCL's own all-to-all. SPDX-License-Identifier: MIT
//
// reshard_nccl FILE [choices]: one process per GPU. Every element is compared
// with the layouts. Then bursts of calls are timed, in the same run as
// - an all-to-all of the same bytes by ncclSend and ncclRecv,
// - the messages of the plan alone, without packing,
// - the plan with 1 to 32 chunks,
// - the plan with GPUs that read each other's memory, as within a host.
// Times are of the slowest GPU, the median of several bursts. With `choices`,
// also what nccl_plan does not choose is compared and timed: the kernel on the
// other side, messages one after the other, and memory that NCCL knows
// beforehand.
#include "examples/kernels/check.h"

#include "examples/kernels/reshard/reshard_nccl.h"
#include <algorithm>
#include <atomic>
#include <functional>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ll_kernels;

#ifndef LOG_GPUS
#define LOG_GPUS 1
#endif

constexpr unsigned RANKS = 1u << LOG_GPUS, BURSTS = 5;
constexpr unsigned ALL[][2] = {{BY_ROW, BY_PIECE},   {BY_PIECE, BY_ROW},
                               {BY_ROW, BY_COLUMN},  {BY_COLUMN, BY_ROW},
                               {BY_ROW, BY_HEAD},    {BY_ROW, BY_TURNS},
                               {BY_TURNS, BY_COLUMN}};
static const char *const names[] = {"row",  "column", "block",
                                    "head", "turns",  "piece"};

LL_FN ll_layout side(unsigned kind, unsigned bits, size_t bytes) {
    unsigned all = LOG_GPUS;
    while (((size_t)(bits / 8) << all) < bytes << LOG_GPUS) {
        ++all;
    }
    return sharding(kind, all / 2, all - all / 2, LOG_GPUS);
}

LL_FN ll_reshard plan_of(unsigned from, unsigned to, unsigned bits,
                         size_t bytes) {
    return ll_reshard_of(
        side(from, bits, bytes), side(to, bits, bytes), bits,
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000));
}

// The kernels of all pairs at 64 MiB and 1 GiB, that unpack and that pack.
template <class T> struct pairs {
    static constexpr unsigned N = 4 * sizeof ALL / sizeof *ALL;
    static constexpr unsigned BITS = 17 - ll_log2_(8 * sizeof(T));
    LL_FN reshard_job of(unsigned k) {
        const unsigned from = ALL[k / 4][0], to = ALL[k / 4][1];
        const unsigned bits = 8 * sizeof(T);
        const size_t bytes = (size_t)64 << (20 + 4 * (k / 2 % 2));
        reshard_job j = {};
        j.plan = plan_of(from, to, bits, bytes);
        j.tile = reshard_pull_tile(j.plan, 16384);
        return k % 2 ? reshard_job_of(side(from, bits, bytes),
                                      side(to, bits, bytes), bits,
                                      j.plan.topology, 16384)
                     : j;
    }
};

// The memory that the processes share.
struct shared {
    ncclUniqueId id;
    std::atomic<unsigned> started; // 1: id is set
    std::atomic<unsigned> here[100000];
    cudaIpcMemHandle_t src[RANKS];
    double us[RANKS];
    std::atomic<unsigned> wrong, unknown;
};

struct process {
    shared *s;
    unsigned rank, met;
    nccl_wire w;
    cudaStream_t stream;
    cudaEvent_t from, to;
    unsigned char *src, *dst, *staging;
    unsigned char *known[3]; // the same, that NCCL knows beforehand
    unsigned *wrong;
    const void *near[RANKS]; // src of each rank
};

static void meet(process &p) {
    const unsigned k = p.met++;
    ++p.s->here[k];
    while (p.s->here[k] < RANKS) {
        usleep(10);
    }
}

// Returns microseconds per call on the slowest GPU: the median of several
// bursts of n calls.
static double time_of(process &p, const std::function<void()> &run,
                      unsigned n) {
    std::vector<double> all;
    run();
    MUST(cudaStreamSynchronize(p.stream));
    for (unsigned burst = 0; burst < BURSTS; ++burst) {
        float ms = 0;
        meet(p);
        MUST(cudaEventRecord(p.from, p.stream));
        for (unsigned k = 0; k < n; ++k) {
            run();
        }
        MUST(cudaEventRecord(p.to, p.stream));
        MUST(cudaStreamSynchronize(p.stream));
        MUST(cudaEventElapsedTime(&ms, p.from, p.to));
        p.s->us[p.rank] = 1000.0 * ms / n;
        meet(p);
        all.push_back(*std::max_element(p.s->us, p.s->us + RANKS));
        meet(p);
    }
    std::sort(all.begin(), all.end());
    return all[BURSTS / 2];
}

static void all_to_all(process &p, size_t bytes, bool own) {
    const size_t part = bytes / RANKS;
    ncclGroupStart();
    for (unsigned r = 0; r < RANKS; ++r) {
        if (own || r != p.rank) {
            ncclSend(p.src + r * part, part, ncclUint8, (int)r, p.w.comm,
                     p.stream);
            ncclRecv(p.dst + r * part, part, ncclUint8, (int)r, p.w.comm,
                     p.stream);
        }
    }
    ncclGroupEnd();
}

__device__ unsigned hash(unsigned y) {
    y = (y ^ y >> 15) * 0x85ebca6bu;
    return y ^ y >> 13 ^ y >> 21;
}

// Writes the elements of a rank, or counts the wrong ones.
template <class T>
__global__ void visit(T *data, const ragged_map at, unsigned *wrong) {
    unsigned bad = 0;
    for (size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         o >> at.n == 0; o += (size_t)gridDim.x * blockDim.x) {
        unsigned y = at.base;
        for (unsigned k = 0; k < at.n; ++k) {
            y ^= o >> k & 1u ? at.column[k] : 0u;
        }
        if (wrong) {
            bad += data[o] != (T)hash(y);
        } else {
            data[o] = (T)hash(y);
        }
    }
    if (bad) {
        atomicAdd(wrong, bad);
    }
}

// Runs once; returns the number of wrong elements.
template <class T>
static unsigned wrong_of(process &p, const ragged_plan &g, size_t bytes,
                         const std::function<int()> &run) {
    unsigned wrong = 0;
    MUST(cudaMemset(p.dst, 0xee, bytes));
    MUST(cudaMemset(p.wrong, 0, 4));
    MUST(cudaDeviceSynchronize());
    const int err = run();
    MUST(cudaStreamSynchronize(p.stream));
    visit<T><<<1024, 256>>>((T *)p.dst, ragged_of_rank(&g.plan, &g.to, p.rank),
                            p.wrong);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&wrong, p.wrong, 4, cudaMemcpyDeviceToHost));
    meet(p);
    return wrong + (err != 0);
}

// A way to execute a plan. list: by nccl_plan; known: in such memory; equal:
// groups of one chunk.
struct choice {
    bool list, known, equal;
    unsigned way, steps;
    const char *name;
};

static const choice BY_DEFAULT = {true,         false,          false,
                                  NCCL_ANY_WAY, NCCL_ANY_STEPS, "default"};

// Compares and times a choice. Returns microseconds, or 0 if there is no such
// choice.
template <class T>
static double time_of_choice(process &p, const ragged_plan &g, size_t bytes,
                             const choice &c) {
    const unsigned n = bytes < (size_t)1 << 28 ? 10 : 3;
    transport t = nccl_transport(&p.w, p.rank, RANKS);
    nccl_run r = nccl_run_of(&t, &g, p.src, p.dst, p.staging, 0);
    if (c.list) {
        nccl_plan(&r, c.steps, c.way, c.equal);
    }
    if (c.list && (r.list.stage.empty() ||
                   (c.steps < NCCL_ANY_STEPS && r.list.how.steps < c.steps))) {
        return 0;
    }
    const std::function<int()> run = [&] {
        return nccl_start<pairs>(r, p.stream, c.steps);
    };
    const unsigned wrong = wrong_of<T>(p, g, bytes, run);
    p.s->wrong += wrong;
    if (wrong) {
        printf("rank %u, %s, %u steps: %u wrong\n", p.rank, c.name, c.steps,
               wrong);
    }
    return time_of(p, [&] { run(); }, n);
}

struct references {
    double whole, alone; // the all-to-all, with or without what stays
};

template <class T>
static void tell(const process &p, unsigned from, unsigned to, size_t bytes,
                 const choice &c, double us, const references &l) {
    if (p.rank == 0 && us > 0) {
        char steps[16];
        snprintf(steps, sizeof steps, c.steps < NCCL_ANY_STEPS ? "%u" : "-",
                 c.steps);
        printf("%6s -> %-6s %2zu bits %5zu MiB, %-12s %s steps %9.2f us, %.3f "
               "of the all-to-all, %.3f of the messages\n",
               names[from], names[to], 8 * sizeof(T), bytes >> 20, c.name,
               steps, us, l.whole / us, l.alone / us);
        fflush(stdout);
    }
}

// What nccl_plan does not choose.
template <class T>
static void try_choices(process &p, const ragged_plan &g, unsigned from,
                        unsigned to, size_t bytes, const references &l) {
    for (unsigned k = 0; k < 6 * 5; ++k) {
        const unsigned steps = k / 5;
        const choice all[5] = {
            {true, false, true, NCCL_ANY_WAY, steps, "equal"},
            {true, false, false, NCCL_PACKS, steps, "packs"},
            {true, false, false, NCCL_UNPACKS, steps, "unpacks"},
            {true, true, false, NCCL_ANY_WAY, steps, "known"},
            {false, false, false, NCCL_ANY_WAY, steps, "one by one"}};
        const choice &c = all[k % 5];
        if ((c.known && !p.known[0]) || (!c.list && steps > 2)) {
            continue;
        }
        process q = p;
        if (c.known) {
            q.src = p.known[0], q.dst = p.known[1], q.staging = p.known[2];
            MUST(cudaMemcpy(q.src, p.src, bytes, cudaMemcpyDeviceToDevice));
            MUST(cudaDeviceSynchronize());
        }
        tell<T>(p, from, to, bytes, c, time_of_choice<T>(q, g, bytes, c), l);
        p.met = q.met;
    }
}

template <class T>
static void measure(process &p, FILE *f, unsigned from, unsigned to,
                    size_t bytes, const references &l, bool choices,
                    const char **comma) {
    const unsigned n = bytes < (size_t)1 << 28 ? 10 : 3;
    const ll_layout a = side(from, 8 * sizeof(T), bytes);
    const ll_layout b = side(to, 8 * sizeof(T), bytes);
    const ragged_plan g = ragged_plan_of(
        plan_of(from, to, 8 * sizeof(T), bytes), a, b, ragged_of(a.out));
    transport t = nccl_transport(&p.w, p.rank, RANKS);
    visit<T><<<1024, 256>>>((T *)p.src,
                            ragged_of_rank(&g.plan, &g.from, p.rank), NULL);
    MUST(cudaDeviceSynchronize());
    const std::function<int()> whole[2] = {
        [&] {
            return nccl_reshard<pairs>(&t, &g, p.src, p.dst, p.staging,
                                       p.stream);
        },
        [&] {
            return nccl_reshard<pairs>(&t, &g, p.src, p.dst, p.staging,
                                       p.stream, NCCL_NO_SUMS, NCCL_ANY_STEPS,
                                       p.near);
        }};
    p.s->wrong += wrong_of<T>(p, g, bytes, whole[0]);
    p.s->wrong += wrong_of<T>(p, g, bytes, whole[1]);
    nccl_run beside =
        nccl_run_of(&t, &g, p.src, p.dst, p.staging, 0, p.near);
    const double near = time_of(
        p, [&] { nccl_start<pairs>(beside, p.stream, NCCL_ANY_STEPS); }, n);
    const double us = time_of_choice<T>(p, g, bytes, BY_DEFAULT);
    tell<T>(p, from, to, bytes, BY_DEFAULT, us, l);
    double best = 0;
    unsigned steps = 0;
    for (unsigned k = 0; k <= 5; ++k) {
        const choice c = {true, false, false, NCCL_ANY_WAY, k, "chunks"};
        const double one = time_of_choice<T>(p, g, bytes, c);
        tell<T>(p, from, to, bytes, c, one, l);
        if (one > 0 && (!(best > 0) || one < best)) {
            best = one;
            steps = k;
        }
    }
    if (choices) {
        try_choices<T>(p, g, from, to, bytes, l);
    }
    if (p.rank == 0) {
        fprintf(f,
                "%s\n  {\"from\": \"%s\", \"to\": \"%s\", \"bits\": %zu, "
                "\"bytes\": %zu, \"wrong\": %u, \"us\": %.2f, "
                "\"best_us\": %.2f, \"steps\": %u, \"all_to_all_us\": %.2f, "
                "\"messages_us\": %.2f, \"read_us\": %.2f}",
                *comma, names[from], names[to], 8 * sizeof(T), bytes,
                p.s->wrong.load(), us, best, steps, l.whole, l.alone, near);
        *comma = ",";
        fflush(f);
    }
    meet(p);
}

static void measure_all(process &p, FILE *f, bool choices) {
    const char *comma = "";
    for (const size_t bytes : {(size_t)64 << 20, (size_t)1 << 30}) {
        const unsigned n = bytes < (size_t)1 << 28 ? 10 : 3;
        references l = {};
        l.whole = time_of(p, [&] { all_to_all(p, bytes, true); }, n);
        l.alone = time_of(p, [&] { all_to_all(p, bytes, false); }, n);
        if (choices && p.known[0]) {
            process q = p;
            q.src = p.known[0], q.dst = p.known[1];
            const double us =
                time_of(q, [&] { all_to_all(q, bytes, true); }, n);
            p.met = q.met;
            if (!p.rank) {
                printf("all-to-all of %zu MiB %.2f us, of known memory %.2f\n",
                       bytes >> 20, l.whole, us);
            }
        }
        for (const unsigned *const k : ALL) {
            measure<unsigned short>(p, f, k[0], k[1], bytes, l, choices,
                                    &comma);
        }
    }
}

// Returns memory that NCCL allocates and registers, or null.
static unsigned char *known_memory(process &p, size_t bytes) {
#if NCCL_VERSION_CODE >= 21900
    void *handle = NULL, *at = NULL;
    return ncclMemAlloc(&at, bytes) ||
                   ncclCommRegister(p.w.comm, at, bytes, &handle)
               ? NULL
               : (unsigned char *)at;
#else
    return (void)p, (void)bytes, (unsigned char *)NULL;
#endif
}

// Sets the known memories if all ranks have them.
static void know(process &p, size_t most) {
    for (unsigned k = 0; k < 3; ++k) {
        p.known[k] = known_memory(p, k < 2 ? most : 2 * most);
        p.s->unknown += !p.known[k];
    }
    meet(p);
    if (p.s->unknown) {
        p.known[0] = NULL;
    }
}

static int rank_runs(shared *s, unsigned rank, const char *path,
                     bool choices) {
    process p = {s, rank, 0, {}, 0, 0, 0, NULL, NULL, NULL, {}, NULL, {}};
    const size_t most = (size_t)1 << 30;
    FILE *const f = rank ? NULL : fopen(path, "w");
    if (!rank && !f) {
        return 2;
    }
    MUST(cudaSetDevice((int)rank));
    p.w.ms = 10000;
    MUST(nccl_open(&p.w, RANKS));
    MUST(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&p.from));
    MUST(cudaEventCreate(&p.to));
    MUST(cudaMalloc((void **)&p.src, most));
    MUST(cudaMalloc((void **)&p.dst, most));
    MUST(cudaMalloc((void **)&p.staging, 2 * most));
    MUST(cudaMalloc((void **)&p.wrong, 4));
    MUST(cudaIpcGetMemHandle(&s->src[rank], p.src));
    meet(p);
    for (unsigned r = 0; r < RANKS; ++r) {
        if (r != rank) {
            MUST(cudaIpcOpenMemHandle((void **)&p.near[r], s->src[r],
                                      cudaIpcMemLazyEnablePeerAccess));
        }
    }
    if (!rank && !ncclGetUniqueId(&s->id)) {
        s->started = 1;
    }
    while (!s->started) {
        usleep(100);
    }
    if (ncclCommInitRank(&p.w.comm, (int)RANKS, s->id, (int)rank)) {
        return 4;
    }
    if (f) {
        const char *const device = getenv("LL_DEVICE");
        const char *const commit = getenv("LL_COMMIT");
        int version = 0;
        ncclGetVersion(&version);
        fprintf(f,
                "{\"context\": {\"device\": \"%s\", \"gpus\": %u, "
                "\"nccl\": %d, \"command\": \"bench/run.sh nccl\", "
                "\"commit\": \"%s\"},\n \"nccl\": [",
                device ? device : "", RANKS, version, commit ? commit : "");
    }
    if (choices) {
        know(p, most);
    }
    measure_all(p, f, choices);
    if (f) {
        fprintf(f, "\n ]}\n");
        fclose(f);
    }
    return 0;
}

int main(int argc, char **argv) {
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    void *const memory = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared *const s = (shared *)memory;
    int bad = 0;
    if (argc < 2 || argc > 3 || memory == MAP_FAILED) {
        fprintf(stderr, "usage: reshard_nccl FILE [choices]\n");
        return 2;
    }
    for (unsigned r = 0; r < RANKS; ++r) {
        if (fork() == 0) {
            const int status = rank_runs(s, r, argv[1], argc > 2);
            fflush(stdout);
            _exit(status);
        }
    }
    for (unsigned r = 0; r < RANKS; ++r) {
        int status = 0;
        wait(&status);
        bad |= status;
    }
    printf(s->wrong ? "%u wrong\n" : "0 wrong\n", s->wrong.load());
    return bad || s->wrong;
}
