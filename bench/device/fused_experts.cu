// fused_experts.cu - expert dispatch and combine between the GPUs of a host
// SPDX-License-Identifier: MIT
//
// fused_experts FILE [sweep]: one process with all GPUs. Every result is
// compared with a plain loop. Then a graph of calls is timed: of each kernel,
// of all three in turn, of kernels without ll that do the same, and of a plain
// copy of as many bytes as cross the link, both ways at once. Times are of the
// slowest GPU, the median of several bursts. With `sweep`, every number of
// sending blocks is timed and printed.
#include "bench/device/experts_by_hand.h"
#include "examples/kernels/experts/experts_check.h"
#include <algorithm>
#include <functional>
#include <string.h>

using namespace ll_kernels;

enum : unsigned { BURSTS = 5, CALLS = 20 };

typedef std::function<void(experts_host &)> launch_of_rank;

// Graphs of `calls` calls on the streams of all ranks.
struct graphs {
    std::vector<cudaGraphExec_t> all;

    graphs(experts_group &g, const launch_of_rank &run, unsigned calls) {
        for (experts_host &a : g.ranks) {
            cudaGraph_t graph;
            cudaGraphExec_t made;
            select(a);
            MUST(cudaStreamBeginCapture(a.stream,
                                        cudaStreamCaptureModeThreadLocal));
            for (unsigned k = 0; k < calls; ++k) {
                run(a);
            }
            MUST(cudaStreamEndCapture(a.stream, &graph));
            MUST(cudaGraphInstantiate(&made, graph, 0));
            MUST(cudaGraphDestroy(graph));
            all.push_back(made);
        }
    }
    ~graphs() {
        for (cudaGraphExec_t made : all) {
            cudaGraphExecDestroy(made);
        }
    }
    graphs(const graphs &) = delete;
    graphs &operator=(const graphs &) = delete;
};

// Returns microseconds per call.
static double time_of(experts_group &g, const launch_of_rank &run) {
    static std::vector<cudaEvent_t> from, to;
    while (from.size() < g.ranks.size()) {
        cudaEvent_t a, b;
        select(g.ranks[from.size()]);
        MUST(cudaEventCreate(&a));
        MUST(cudaEventCreate(&b));
        from.push_back(a);
        to.push_back(b);
    }
    const graphs made(g, run, CALLS);
    std::vector<double> all;
    for (unsigned burst = 0; burst <= BURSTS; ++burst) {
        double most = 0;
        for (experts_host &a : g.ranks) {
            const unsigned r = a.rank.rank;
            select(a);
            MUST(cudaEventRecord(from[r], a.stream));
            MUST(cudaGraphLaunch(made.all[r], a.stream));
            MUST(cudaEventRecord(to[r], a.stream));
        }
        for (experts_host &a : g.ranks) {
            float ms = 0;
            const unsigned r = a.rank.rank;
            select(a);
            MUST(cudaEventSynchronize(to[r]));
            MUST(cudaEventElapsedTime(&ms, from[r], to[r]));
            most = std::max(most, 1000.0 * (double)ms / CALLS);
        }
        if (burst) { // the first one warms up
            all.push_back(most);
        }
    }
    std::sort(all.begin(), all.end());
    return all[BURSTS / 2];
}

static void count(experts_host &a) {
    a.rank.phases = EXPERTS_BOTH;
    MUST(experts_count(a.rank, a.experts, a.weights, a.stream));
}
template <class PART>
launch_of_rank dispatch(const experts_blocks &b) {
    return [=](experts_host &a) {
        a.rank.phases = EXPERTS_BOTH;
        MUST(experts_dispatch<PART>(a.rank, (const bf16 *)a.x, a.rows, b,
                                    a.stream));
    };
}
template <class SUM> launch_of_rank combine(const experts_blocks &b) {
    return [=](experts_host &a) {
        a.rank.phases = EXPERTS_BOTH;
        MUST(experts_combine<SUM>(a.rank, (const bf16 *)a.y, (bf16 *)a.out, b,
                                  a.stream));
    };
}

static void run_once(experts_group &g, const launch_of_rank &run) {
    for (experts_host &a : g.ranks) {
        select(a);
        run(a);
    }
    wait_for_group(g);
}

// Copies 16 bytes per lane in turn.
__global__ void __launch_bounds__(512)
    plain_copy(uint4 *to, const uint4 *from, size_t n) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < n;
         k += step) {
        to[k] = from[k];
    }
}

// Returns the time of the faster of two copies of `bytes` bytes by each rank to
// the next: by a kernel that writes, and by the copy engine.
static double copy_us(experts_group &g, size_t bytes) {
    const auto next = [&](experts_host &a) -> experts_host & {
        return g.ranks[(a.rank.rank + 1) % g.ranks.size()];
    };
    const double kernel = time_of(g, [&](experts_host &a) {
        plain_copy<<<264, 512, 0, a.stream>>>(
            (uint4 *)next(a).rows.elements, (const uint4 *)a.y, bytes / 16);
    });
    const double engine = time_of(g, [&](experts_host &a) {
        MUST(cudaMemcpyAsync(next(a).rows.elements, a.y, bytes,
                             cudaMemcpyDeviceToDevice, a.stream));
    });
    printf("copy of %zu bytes: %.2f us by a kernel, %.2f us by the engine\n",
           bytes, kernel, engine);
    return std::min(kernel, engine);
}

// Returns the most rows of `bytes` bytes that a rank sends to all others.
static size_t link_rows(const experts_routing &r) {
    const unsigned here = r.shape.experts / r.shape.ranks, top = r.shape.top;
    size_t most = 0;
    for (unsigned s = 0; s < r.shape.ranks; ++s) {
        size_t rows = 0;
        for (unsigned t = 0; t < r.tokens[s]; ++t) {
            unsigned ranks = 0;
            for (unsigned k = 0; k < top; ++k) {
                ranks |= 1u << (unsigned)r.experts[s][t * top + k] / here;
            }
            for (unsigned d = 0; d < r.shape.ranks; ++d) {
                rows += d != s && ranks >> d & 1u;
            }
        }
        most = std::max(most, rows);
    }
    return most;
}

static void sweep(experts_group &g) {
    const unsigned all = 132;
    for (unsigned senders = 8; senders <= 96; senders += senders < 32 ? 8 : 16) {
        const experts_blocks b = {all, senders};
        printf("%u senders: bf16 %.2f, e4m3 %.2f, combine bf16 %.2f, float "
               "%.2f us\n",
               senders, time_of(g, dispatch<bf16_part>(b)),
               time_of(g, dispatch<e4m3_part>(b)), time_of(g, combine<bf16>(b)),
               time_of(g, combine<float>(b)));
        fflush(stdout);
    }
}

// Copies a list to a rank's GPU.
template <class T> static T *copied(const std::vector<T> &list) {
    T *const to = device_array<T>(list.size());
    MUST(cudaMemcpy(to, list.data(), list.size() * sizeof(T),
                    cudaMemcpyHostToDevice));
    return to;
}

// Arguments of the kernels without ll.
static std::vector<by_hand::job> jobs_by_hand(experts_group &g,
                                              const experts_routing &r) {
    const experts_shape &s = g.shape;
    const unsigned here = s.experts / s.ranks;
    std::vector<by_hand::job> jobs(s.ranks);
    for (experts_host &a : g.ranks) {
        const unsigned d = a.rank.rank;
        select(a);
        unsigned *const flags = copied(std::vector<unsigned>(64));
        std::vector<int> owner = r.experts[d];
        for (int &e : owner) {
            e /= (int)here;
        }
        by_hand::job &j = jobs[d];
        j.rank = d, j.ranks = s.ranks, j.tokens = s.tokens;
        j.hidden = s.hidden, j.top = s.top, j.weight = a.weights;
        j.row = copied(r.row[d]), j.owner = copied(owner);
        for (unsigned k = 0; k < s.ranks; ++k) {
            std::vector<unsigned> row = r.row[k];
            for (size_t i = 0; i < row.size(); ++i) {
                row[i] = (unsigned)r.experts[k][i] / here == d ? row[i] : ~0u;
            }
            j.far_row[k] = copied(row), j.far_weight[k] = copied(r.weights[k]);
            jobs[k].experts[d] = (uint4 *)a.rows.elements;
            jobs[k].scales[d] = a.rows.scales;
            jobs[k].staging[d] =
                (uint4 *)(a.rank.memory[d] + a.rank.parts.rows);
            jobs[k].results[d] = (const uint4 *)a.y, jobs[k].flags[d] = flags;
        }
    }
    return jobs;
}

// Kernels without ll: a name, a type, and the launch.
struct hand {
    const char *what, *type, *name;
    launch_of_rank run;
};

static std::vector<hand> hands_of(const std::vector<by_hand::job> &jobs) {
    using namespace by_hand;
    const auto x = [](experts_host &a) { return (const uint4 *)a.x; };
    const auto blocks = [](const job &j) { return (j.tokens + 7) / 8; };
    return {
        {"dispatch", "bf16", "slots",
         [=](experts_host &a) {
             const job &j = jobs[a.rank.rank];
             dispatch_slots<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
         }},
        {"dispatch", "bf16", "rows",
         [=](experts_host &a) {
             const job &j = jobs[a.rank.rank];
             const dim3 others(blocks(j), j.ranks - 1);
             dispatch_rows<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
             expand_rows<<<others, 256, 0, a.stream>>>(j);
         }},
        {"dispatch", "e4m3", "slots",
         [=](experts_host &a) {
             const job &j = jobs[a.rank.rank];
             dispatch_slots_e4m3<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
         }},
        {"combine", "float", "slots",
         [=](experts_host &a) {
             const job &j = jobs[a.rank.rank];
             combine_slots<<<blocks(j), 256, 0, a.stream>>>(j, (uint4 *)a.out);
         }},
        {"combine", "bf16", "rows", [=](experts_host &a) {
             const job &j = jobs[a.rank.rank];
             const dim3 all(blocks(j), j.ranks);
             combine_rows<<<all, 256, 0, a.stream>>>(j);
             add_rows<<<blocks(j), 256, 0, a.stream>>>(j, (uint4 *)a.out);
         }}};
}

// The same rows within one GPU: what its memory takes.
static void tell_alone(const experts_shape &s) {
    const experts_shape one = {1,         s.tokens * s.ranks, s.hidden,
                               s.experts, s.top / s.ranks,    s.capacity,
                               s.align};
    experts_group g = open_group(one);
    const experts_routing r = random_routing(one, false, false, 1);
    const experts_blocks b = {132, 1};
    set_routing(g, r);
    run_once(g, count);
    printf("alone: bf16 %.2f, e4m3 %.2f, combine bf16 %.2f, float %.2f us\n",
           time_of(g, dispatch<bf16_part>(b)),
           time_of(g, dispatch<e4m3_part>(b)), time_of(g, combine<bf16>(b)),
           time_of(g, combine<float>(b)));
    const size_t bytes = (size_t)one.tokens * one.top * one.hidden * 2;
    printf("local copy of %zu bytes: %.2f us\n", bytes,
           time_of(g, [&](experts_host &a) {
               plain_copy<<<1056, 512, 0, a.stream>>>(
                   (uint4 *)a.rows.elements, (const uint4 *)a.y, bytes / 16);
           }));
    close_group(g);
}

struct outcome {
    unsigned wrong;
    double us, copy_us, slots_us, rows_us; // the last two: without ll
};

static void row(FILE *f, const char **comma, const experts_shape &s,
                bool skewed, const char *what, const char *type,
                const outcome &o) {
    fprintf(f,
            "%s\n  {\"what\": \"%s\", \"type\": \"%s\", \"tokens\": %u, "
            "\"hidden\": %u, \"experts\": %u, \"top\": %u, \"routing\": "
            "\"%s\", \"wrong\": %u, \"us\": %.2f, \"copy_us\": %.2f, "
            "\"hand_slots_us\": %.2f, \"hand_rows_us\": %.2f}",
            *comma, what, type, s.tokens, s.hidden, s.experts, s.top,
            skewed ? "skewed" : "uniform", o.wrong, o.us, o.copy_us, o.slots_us,
            o.rows_us);
    *comma = ",";
    printf("%s %s, %u tokens of %u, %s: %u wrong, %.2f us, %.3f of a copy, by "
           "hand %.2f (slots) %.2f (rows) us\n",
           what, type, s.tokens, s.hidden, skewed ? "skewed" : "uniform",
           o.wrong, o.us, o.copy_us / o.us, o.slots_us, o.rows_us);
    fflush(f);
    fflush(stdout);
}

static void clear_rows(experts_group &g) {
    for (experts_host &a : g.ranks) {
        select(a);
        MUST(cudaMemset(a.rows.elements, 0xee,
                        (size_t)2 * g.shape.capacity * g.shape.hidden));
        MUST(cudaMemset(a.out, 0xee,
                        (size_t)2 * g.shape.tokens * g.shape.hidden));
    }
    wait_for_group(g);
}

static unsigned measure(FILE *f, const char **comma, const experts_shape &s,
                        bool skewed, bool all) {
    experts_group g = open_group(s);
    if (!g.together) {
        fprintf(stderr, "fused_experts: needs %u GPUs\n", s.ranks);
        exit(2);
    }
    const experts_routing r = random_routing(s, skewed, false, 1);
    const experts_blocks b = {132, 32}, c = {132, 64};
    const size_t rows = link_rows(r), n = s.hidden;
    unsigned wrong = 0;
    set_routing(g, r);
    outcome o = {0, 0, 0, 0, 0};
    const std::vector<hand> hands = hands_of(jobs_by_hand(g, r));
    run_once(g, count);
    o.us = time_of(g, count);
    row(f, comma, s, skewed, "count", "", o);

    const auto check = [&](const char *what, const char *type,
                           const launch_of_rank &run, double copy, bool e4m3,
                           bool sums, float rounding) {
        clear_rows(g);
        run_once(g, run);
        const auto bad = [&] {
            return sums ? wrong_sums(g, r, rounding) : wrong_rows(g, r, e4m3);
        };
        outcome x = {bad(), 0, copy, 0, 0};
        x.us = time_of(g, run);
        x.wrong += bad();
        for (const hand &h : hands) {
            if (!strcmp(h.what, what) && !strcmp(h.type, type)) {
                clear_rows(g);
                run_once(g, h.run);
                x.wrong += bad();
                (strcmp(h.name, "slots") ? x.rows_us : x.slots_us) =
                    time_of(g, h.run);
            }
        }
        wrong += x.wrong;
        row(f, comma, s, skewed, what, type, x);
    };
    const double two = copy_us(g, rows * n * 2);
    const double one = copy_us(g, rows * (n + n / 32));
    const double four = copy_us(g, rows * n * 4);
    check("dispatch", "bf16", dispatch<bf16_part>(b), two, false, false, 0);
    check("dispatch", "e4m3", dispatch<e4m3_part>(b), one, true, false, 0);
    check("combine", "bf16", combine<bf16>(c), two, false, true, 0x1.01p-8f);
    check("combine", "float", combine<float>(c), four, false, true, 0);
    if (all) {
        sweep(g);
        tell_alone(s);
    }
    close_group(g);
    return wrong;
}

int main(int argc, char **argv) {
    FILE *const f = argc > 1 ? fopen(argv[1], "w") : NULL;
    const bool all = argc > 2;
    const char *comma = "";
    unsigned wrong = 0;
    if (!f) {
        fprintf(stderr, "usage: fused_experts FILE [sweep]\n");
        return 2;
    }
    const char *const device = getenv("LL_DEVICE");
    const char *const commit = getenv("LL_COMMIT");
    const unsigned ranks = (unsigned)experts_devices();
    fprintf(f,
            "{\"context\": {\"device\": \"%s\", \"gpus\": %u, \"command\": "
            "\"bench/run.sh fused\", \"commit\": \"%s\"},\n \"experts\": [",
            device ? device : "", ranks, commit ? commit : "");
    for (const unsigned hidden : {7168u, 4096u}) {
        for (const bool skewed : {false, true}) {
            const experts_shape s = {ranks, 4096, hidden, 32 * ranks, 8,
                                     ranks * 4096 * 8, 1};
            wrong += measure(f, &comma, s, skewed, all && !skewed);
        }
    }
    const experts_shape few = {ranks, 128, 7168, 32 * ranks, 8,
                               ranks * 128 * 8, 1};
    wrong += measure(f, &comma, few, false, all);
    fprintf(f, "\n ]}\n");
    fclose(f);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
