// reshard_nccl.cu - resharding by NCCL between the GPUs of a host, beside
// NCCL's own all-to-all. SPDX-License-Identifier: MIT
//
// reshard_nccl FILE [choices]: one process per GPU. Every element is compared
// with the layouts. Then bursts of calls are timed, in the same run as NCCL's
// all-to-all of the same bytes: the fastest of ncclAlltoAll and of ncclSend and
// ncclRecv in a group, of memory in windows. Beside it
// - the messages of the plan alone, without packing,
// - the plan by one kernel between windows, by staging memory in windows, and
//   by messages of memory that is registered, or not,
// - the plan with GPUs that read each other's memory, without NCCL.
// Times are of the slowest GPU, the median of several bursts. With `choices`,
// also what nccl_plan does not choose is compared and timed: 1 to 32 chunks,
// the kernel on the other side, and messages one after the other.
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
    std::atomic<unsigned> wrong;
};

struct process {
    shared *s;
    unsigned rank, met;
    nccl_wire w;
    cudaStream_t stream;
    cudaEvent_t from, to;
    unsigned char *src, *dst, *staging; // of cudaMalloc, or of nccl_get
    unsigned char *plain[3], *known[3];
    unsigned *wrong;
    const void *near[RANKS]; // plain[0] of each rank
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

// own: also what stays, or only messages.
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

// NCCL's own operation, where the version has it.
static void own_all_to_all(process &p, size_t bytes) {
#if NCCL_VERSION_CODE >= 22800
    ncclAlltoAll(p.src, p.dst, bytes / RANKS, ncclUint8, p.w.comm, p.stream);
#else
    all_to_all(p, bytes, true);
#endif
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

// A way to execute a plan: by nccl_plan with such arguments, or one message
// after the other (rounds). known: with which of src, dst and staging in
// windows.
enum { SRC = 1, DST = 2, STAGING = 4, ALL_KNOWN = 7 };
struct choice {
    const char *name;
    unsigned known, means, way, steps;
    bool equal, rounds;
};

constexpr unsigned ANY = NCCL_ANY_STEPS;
static const choice DIRECT = {"windows", ALL_KNOWN, NCCL_DIRECT, 0, ANY, false,
                              false},
                    STAGED = {"staged", STAGING, NCCL_ANY_MEANS, 0, ANY, false,
                              false},
                    MESSAGES = {"registered", ALL_KNOWN, NCCL_MESSAGES, 0, ANY,
                                false, false},
                    PLAIN = {"plain", 0, NCCL_MESSAGES, 0, ANY, false, false},
                    DEFAULT = {"default", ALL_KNOWN, NCCL_ANY_MEANS, 0, ANY,
                               false, false};

// Uses the memory of a choice.
static void use(process &p, unsigned known) {
    unsigned char **const memory[3] = {&p.src, &p.dst, &p.staging};
    for (unsigned k = 0; k < 3; ++k) {
        *memory[k] = known >> k & 1u ? p.known[k] : p.plain[k];
    }
}

template <class T> static void fill(process &p, const ragged_plan &g) {
    visit<T><<<1024, 256>>>((T *)p.src,
                            ragged_of_rank(&g.plan, &g.from, p.rank), NULL);
    MUST(cudaDeviceSynchronize());
}

// Compares and times a choice. Returns microseconds, or 0 if there is no such
// choice.
template <class T>
static double time_of_choice(process &p, const ragged_plan &g, size_t bytes,
                             const choice &c) {
    const unsigned n = bytes < (size_t)1 << 28 ? 20 : 5;
    transport t = nccl_transport(&p.w, p.rank, RANKS);
    use(p, c.known);
    fill<T>(p, g);
    nccl_tell_places(&t, g, p.src, p.dst, p.staging);
    p.s->wrong += nccl_agree(&t, ragged_number(&g)) != RANKS_OK;
    nccl_run r = nccl_run_of(&t, &g, p.src, p.dst, p.staging, 0);
    nccl_find_peers(&r);
    if (!c.rounds) {
        nccl_plan(&r, c.steps, c.way, c.equal, c.means);
    }
    const bool some = c.rounds || r.direct.good ||
                      (!r.list.stage.empty() &&
                       (c.steps == ANY || r.list.how.steps == c.steps));
    if (!some) {
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
    double plain;        // of memory that NCCL does not know
};

template <class T>
static double tell(process &p, const ragged_plan &g, unsigned from, unsigned to,
                   size_t bytes, const choice &c, const references &l) {
    const double us = time_of_choice<T>(p, g, bytes, c);
    if (p.rank == 0 && us > 0) {
        char steps[16];
        snprintf(steps, sizeof steps, c.steps < ANY ? "%u" : "-", c.steps);
        printf("%6s -> %-6s %2zu bits %5zu MiB, %-12s %s %s steps %9.2f us, "
               "%.3f of the all-to-all, %.3f of the messages\n",
               names[from], names[to], 8 * sizeof(T), bytes >> 20, c.name,
               c.equal ? "equal" : "grown", steps, us, l.whole / us,
               l.alone / us);
        fflush(stdout);
    }
    return us;
}

// What nccl_plan does not choose.
template <class T>
static void try_choices(process &p, const ragged_plan &g, unsigned from,
                        unsigned to, size_t bytes, const references &l) {
    for (unsigned steps = 0; steps < 6; ++steps) {
        const choice all[] = {
            {"pushes", STAGING, NCCL_PUSHES, 0, steps, false, false},
            {"pushes", STAGING, NCCL_PUSHES, 0, steps, true, false},
            {"copies", ALL_KNOWN, NCCL_COPIES, 0, steps, true, false},
            {"copies, staged", STAGING, NCCL_COPIES, 0, steps, true, false},
            {"packs", ALL_KNOWN, NCCL_MESSAGES, NCCL_PACKS, steps, false,
             false},
            {"unpacks", ALL_KNOWN, NCCL_MESSAGES, NCCL_UNPACKS, steps, false,
             false},
            {"plain", 0, NCCL_MESSAGES, NCCL_ANY_WAY, steps, false, false},
            {"one by one", ALL_KNOWN, NCCL_MESSAGES, 0, steps, false, true}};
        for (const choice &c : all) {
            if (!c.rounds || steps < 2) {
                tell<T>(p, g, from, to, bytes, c, l);
            }
        }
    }
    const choice pulls = {"reads", SRC, NCCL_DIRECT, 0, ANY, false, false};
    tell<T>(p, g, from, to, bytes, pulls, l);
}

// Compares nccl_reshard as it is called, with peers' memory or without.
template <class T>
static void check_whole(process &p, const ragged_plan &g, size_t bytes,
                        unsigned known, bool near) {
    transport t = nccl_transport(&p.w, p.rank, RANKS);
    use(p, known);
    fill<T>(p, g);
    p.s->wrong += wrong_of<T>(p, g, bytes, [&] {
        return nccl_reshard<pairs>(&t, &g, p.src, p.dst, p.staging, p.stream,
                                   NCCL_NO_SUMS, ANY, near ? p.near : NULL);
    });
}

template <class T>
static void measure(process &p, FILE *f, unsigned from, unsigned to,
                    size_t bytes, const references &l, bool choices,
                    const char **comma) {
    const unsigned n = bytes < (size_t)1 << 28 ? 20 : 5;
    const ll_layout a = side(from, 8 * sizeof(T), bytes);
    const ll_layout b = side(to, 8 * sizeof(T), bytes);
    const ragged_plan g = ragged_plan_of(
        plan_of(from, to, 8 * sizeof(T), bytes), a, b, ragged_of(a.out));
    transport t = nccl_transport(&p.w, p.rank, RANKS);
    for (const unsigned known : {0u, (unsigned)STAGING, (unsigned)ALL_KNOWN}) {
        check_whole<T>(p, g, bytes, known, false);
    }
    check_whole<T>(p, g, bytes, 0, true);
    nccl_run beside =
        nccl_run_of(&t, &g, p.src, p.dst, p.staging, 0, p.near);
    const double near =
        time_of(p, [&] { nccl_start<pairs>(beside, p.stream, ANY); }, n);
    const double us = tell<T>(p, g, from, to, bytes, DEFAULT, l);
    const double direct = tell<T>(p, g, from, to, bytes, DIRECT, l);
    const double staged = tell<T>(p, g, from, to, bytes, STAGED, l);
    const double sent = tell<T>(p, g, from, to, bytes, MESSAGES, l);
    const double plain = tell<T>(p, g, from, to, bytes, PLAIN, l);
    if (choices) {
        try_choices<T>(p, g, from, to, bytes, l);
    }
    if (p.rank == 0) {
        fprintf(f,
                "%s\n  {\"from\": \"%s\", \"to\": \"%s\", \"bits\": %zu, "
                "\"bytes\": %zu, \"wrong\": %u, \"us\": %.2f, "
                "\"windows_us\": %.2f, \"staged_us\": %.2f, "
                "\"registered_us\": %.2f, \"plain_us\": %.2f, "
                "\"all_to_all_us\": %.2f, \"plain_all_to_all_us\": %.2f, "
                "\"messages_us\": %.2f, \"read_us\": %.2f}",
                *comma, names[from], names[to], 8 * sizeof(T), bytes,
                p.s->wrong.load(), us, direct, staged, sent, plain, l.whole,
                l.plain, l.alone, near);
        *comma = ",";
        fflush(f);
    }
    meet(p);
}

// Times the all-to-all by both calls, of memory in windows or not.
static references refer(process &p, size_t bytes) {
    const unsigned n = bytes < (size_t)1 << 28 ? 20 : 5;
    references l = {};
    for (unsigned k = 0; k < 4; ++k) {
        use(p, k / 2 ? (unsigned)ALL_KNOWN : 0u);
        const double us = time_of(
            p,
            [&] {
                if (k % 2) {
                    own_all_to_all(p, bytes);
                } else {
                    all_to_all(p, bytes, true);
                }
            },
            n);
        double *const best = k / 2 ? &l.whole : &l.plain;
        *best = *best > 0 && *best < us ? *best : us;
        if (!p.rank) {
            printf("all-to-all of %zu MiB by %s, %s memory: %.2f us\n",
                   bytes >> 20, k % 2 ? "ncclAlltoAll" : "a group",
                   k / 2 ? "known" : "plain", us);
        }
    }
    l.whole = l.whole < l.plain ? l.whole : l.plain;
    l.alone = time_of(p, [&] { all_to_all(p, bytes, false); }, n);
    return l;
}

static void measure_all(process &p, FILE *f, bool choices) {
    const char *comma = "";
    for (const size_t bytes : {(size_t)64 << 20, (size_t)1 << 30}) {
        const references l = refer(p, bytes);
        for (const unsigned *const k : ALL) {
            measure<unsigned short>(p, f, k[0], k[1], bytes, l, choices,
                                    &comma);
        }
    }
}

// Allocates both kinds of memory; the staging memory holds two messages for
// each rank.
static void allocate(process &p, size_t most) {
    transport t = nccl_transport(&p.w, p.rank, RANKS);
    for (unsigned k = 0; k < 3; ++k) {
        const size_t bytes = k < 2 ? most : 2 * most;
        MUST(cudaMalloc((void **)&p.plain[k], bytes));
        p.known[k] = (unsigned char *)nccl_get(&t, bytes);
        if (!p.known[k]) {
            fprintf(stderr, "rank %u: no memory from NCCL\n", p.rank);
            exit(5);
        }
    }
}

static int rank_runs(shared *s, unsigned rank, const char *path,
                     bool choices) {
    process p = {};
    p.s = s;
    p.rank = rank;
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
    MUST(cudaMalloc((void **)&p.wrong, 4));
    if (!rank && !ncclGetUniqueId(&s->id)) {
        s->started = 1;
    }
    while (!s->started) {
        usleep(100);
    }
    if (ncclCommInitRank(&p.w.comm, (int)RANKS, s->id, (int)rank)) {
        return 4;
    }
    allocate(p, most);
    MUST(cudaIpcGetMemHandle(&s->src[rank], p.plain[0]));
    meet(p);
    for (unsigned r = 0; r < RANKS; ++r) {
        if (r != rank) {
            MUST(cudaIpcOpenMemHandle((void **)&p.near[r], s->src[r],
                                      cudaIpcMemLazyEnablePeerAccess));
        }
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
    measure_all(p, f, choices);
    nccl_close(&p.w);
    ncclCommDestroy(p.w.comm);
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
