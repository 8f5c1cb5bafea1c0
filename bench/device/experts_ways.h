// experts_ways.h - the ways to dispatch and combine that fused_experts.cu times
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_EXPERTS_WAYS_H
#define LL_BENCH_EXPERTS_WAYS_H

#include "bench/device/experts_by_hand.h"
#include "examples/kernels/experts/experts_check.h"
#include <algorithm>
#include <functional>

namespace experts_ways {

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
inline double time_of(experts_group &g, const launch_of_rank &run) {
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

inline void count(experts_host &a) {
    a.rank.phases = EXPERTS_BOTH;
    MUST(experts_count(a.rank, a.experts, a.weights, a.stream));
}
template <class PART> launch_of_rank dispatch(const experts_blocks &b) {
    return [=](experts_host &a) {
        a.rank.phases = EXPERTS_BOTH;
        MUST(experts_dispatch<PART>(a.rank, (const bf16 *)a.x, a.rows, b,
                                    a.stream));
    };
}
// The same as two kernels, one after the other.
template <class PART> launch_of_rank dispatch_in_turn(unsigned blocks) {
    return [=](experts_host &a) {
        for (const unsigned phase : {EXPERTS_SEND, EXPERTS_RECEIVE}) {
            a.rank.phases = phase;
            MUST(experts_dispatch<PART>(a.rank, (const bf16 *)a.x, a.rows,
                                        {blocks, blocks, 32}, a.stream));
        }
    };
}
template <class SUM> launch_of_rank combine_in_turn(unsigned blocks) {
    return [=](experts_host &a) {
        for (const unsigned phase : {EXPERTS_SEND, EXPERTS_RECEIVE}) {
            a.rank.phases = phase;
            MUST(experts_combine<SUM>(a.rank, (const bf16 *)a.y, (bf16 *)a.out,
                                      {blocks, blocks, 32}, a.stream));
        }
    };
}
template <class SUM> launch_of_rank combine(const experts_blocks &b) {
    return [=](experts_host &a) {
        a.rank.phases = EXPERTS_BOTH;
        MUST(experts_combine<SUM>(a.rank, (const bf16 *)a.y, (bf16 *)a.out, b,
                                  a.stream));
    };
}

inline void run_once(experts_group &g, const launch_of_rank &run) {
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
inline double copy_us(experts_group &g, size_t bytes) {
    const auto next = [&](experts_host &a) -> experts_host & {
        return g.ranks[(a.rank.rank + 1) % g.ranks.size()];
    };
    const double kernel = time_of(g, [&](experts_host &a) {
        plain_copy<<<264, 512, 0, a.stream>>>((uint4 *)next(a).rows.elements,
                                              (const uint4 *)a.y, bytes / 16);
    });
    const double engine = time_of(g, [&](experts_host &a) {
        MUST(cudaMemcpyAsync(next(a).rows.elements, a.y, bytes,
                             cudaMemcpyDeviceToDevice, a.stream));
    });
    printf("copy of %zu bytes: %.2f us by a kernel, %.2f us by the engine\n",
           bytes, kernel, engine);
    return std::min(kernel, engine);
}

// Copies a list to a rank's GPU.
template <class T> T *copied(const std::vector<T> &list) {
    T *const to = device_array<T>(list.size());
    MUST(cudaMemcpy(to, list.data(), list.size() * sizeof(T),
                    cudaMemcpyHostToDevice));
    return to;
}

// Arguments of the kernels without ll.
inline std::vector<by_hand::job> jobs_by_hand(experts_group &g,
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
            jobs[k].staged_scales[d] =
                (float *)(a.rank.memory[d] + a.rank.parts.scales);
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

inline std::vector<hand> hands_of(const std::vector<by_hand::job> &jobs) {
    using namespace by_hand;
    const auto x = [](experts_host &a) { return (const uint4 *)a.x; };
    const auto blocks = [](const job &j) { return (j.tokens + 7) / 8; };
    return {{"dispatch", "bf16", "slots by hand",
             [=](experts_host &a) {
                 const job &j = jobs[a.rank.rank];
                 dispatch_slots<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
             }},
            {"dispatch", "bf16", "rows by hand",
             [=](experts_host &a) {
                 const job &j = jobs[a.rank.rank];
                 const dim3 others(blocks(j), j.ranks - 1);
                 dispatch_rows<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
                 expand_rows<<<others, 256, 0, a.stream>>>(j);
             }},
            {"dispatch", "e4m3", "slots by hand",
             [=](experts_host &a) {
                 const job &j = jobs[a.rank.rank];
                 dispatch_slots_e4m3<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
             }},
            {"dispatch", "e4m3", "rows by hand",
             [=](experts_host &a) {
                 const job &j = jobs[a.rank.rank];
                 const dim3 others(blocks(j), j.ranks - 1);
                 dispatch_rows_e4m3<<<blocks(j), 256, 0, a.stream>>>(j, x(a));
                 expand_rows_e4m3<<<others, 256, 0, a.stream>>>(j);
             }},
            {"combine", "float", "slots by hand",
             [=](experts_host &a) {
                 const job &j = jobs[a.rank.rank];
                 combine_slots<<<blocks(j), 256, 0, a.stream>>>(j,
                                                                (uint4 *)a.out);
             }},
            {"combine", "bf16", "rows by hand", [=](experts_host &a) {
                 const job &j = jobs[a.rank.rank];
                 const dim3 all(blocks(j), j.ranks);
                 combine_rows<<<all, 256, 0, a.stream>>>(j);
                 add_rows<<<blocks(j), 256, 0, a.stream>>>(j, (uint4 *)a.out);
             }}};
}

} // namespace experts_ways

#endif
