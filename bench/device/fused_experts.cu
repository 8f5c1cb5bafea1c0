// fused_experts.cu - expert dispatch and combine between the GPUs of a host
// SPDX-License-Identifier: MIT
//
// fused_experts FILE [sweep]: one process with all GPUs. Every result is
// compared with a plain loop. Then a graph of calls is timed: of each kernel,
// of its two phases as kernels in turn, of kernels without ll, and of a plain
// copy of as many bytes as cross the link, both ways at once. Times are of the
// slowest GPU, the median of several bursts. With `sweep`, several numbers of
// sending warps are timed and printed, of two shapes alone.
#include "bench/device/experts_ways.h"
#include <string.h>

using namespace experts_ways;

#ifndef LOG_GPUS
#define LOG_GPUS 1
#endif

enum : unsigned { BLOCKS = 132 };

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
    const unsigned some[][2] = {
        {132, 2},  {132, 3}, {132, 4}, {132, 6}, {132, 8}, {132, 10}, {132, 12},
        {132, 16}, {66, 8},  {66, 12}, {66, 16}, {32, 32}, {48, 32}};
    for (const unsigned(&k)[2] : some) {
        const experts_blocks b = {BLOCKS, k[0], k[1]};
        printf("%u senders of %u warps: bf16 %.2f, e4m3 %.2f, combine bf16 "
               "%.2f, float %.2f us\n",
               k[0], k[1], time_of(g, dispatch<bf16_part>(b)),
               time_of(g, dispatch<e4m3_part>(b)), time_of(g, combine<bf16>(b)),
               time_of(g, combine<float>(b)));
        fflush(stdout);
    }
}

// The same rows within one GPU: what its memory takes.
static void tell_alone(const experts_shape &s) {
    const experts_shape one = {1,         s.tokens * s.ranks, s.hidden,
                               s.experts, s.top / s.ranks,    s.capacity,
                               s.align};
    experts_group g = open_group(one);
    const experts_routing r = random_routing(one, false, false, 1);
    const experts_blocks b = {BLOCKS, BLOCKS, 32};
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

// The time of another way to do the same.
struct other {
    const char *name;
    double us;
};

// What is measured.
struct experts_case {
    const char *what, *type;
    launch_of_rank run, in_turn;
    size_t row_bytes; // that cross the link per row
    bool e4m3, sums;  // what is checked
    float rounding;
};

struct outcome {
    unsigned wrong;
    double us, in_turn_us, copy_us;
    std::vector<other> others;
};

// Writes a row of the record `fused`. copy_us: of a plain copy of as many bytes
// as cross the link.
static void write_row(FILE *f, const experts_shape &s, bool skewed,
                      const experts_case &c, const outcome &o) {
    char shape[80];
    snprintf(shape, sizeof shape, "%u x %u, %u of %u, %s", s.tokens, s.hidden,
             s.top, s.experts, skewed ? "skewed" : "uniform");
    fprintf(f,
            "{\"kernel\": \"expert %s, %s\", \"shape\": \"%s\", \"wrong\": %u, "
            "\"us\": %.2f, \"in_turn_us\": %.2f, \"copy_us\": %.2f, "
            "\"peers\": {",
            c.what, c.type, shape, o.wrong, o.us, o.in_turn_us, o.copy_us);
    printf("%s %s, %s: %u wrong, %.2f us, in turn %.2f, %.3f of a copy", c.what,
           c.type, shape, o.wrong, o.us, o.in_turn_us, o.copy_us / o.us);
    for (size_t k = 0; k < o.others.size(); ++k) {
        fprintf(f, "%s\"%s\": %.2f", k ? ", " : "", o.others[k].name,
                o.others[k].us);
        printf(", %s %.2f", o.others[k].name, o.others[k].us);
    }
    fprintf(f, "}}\n");
    fflush(f);
    printf("\n");
    fflush(stdout);
}

static void clear_rows(experts_group &g) {
    for (experts_host &a : g.ranks) {
        const size_t hidden = g.shape.hidden;
        select(a);
        MUST(cudaMemset(a.rows.elements, 0xee, 2 * g.shape.capacity * hidden));
        MUST(cudaMemset(a.out, 0xee, 2 * g.shape.tokens * hidden));
    }
    wait_for_group(g);
}

static std::vector<experts_case> cases_of(unsigned hidden) {
    const experts_blocks few = {BLOCKS, BLOCKS, 4}, b = {BLOCKS, BLOCKS, 8};
    const size_t n = hidden;
    return {{"dispatch", "bf16", dispatch<bf16_part>(few),
             dispatch_in_turn<bf16_part>(BLOCKS), 2 * n, false, false, 0},
            {"dispatch", "e4m3", dispatch<e4m3_part>(b),
             dispatch_in_turn<e4m3_part>(BLOCKS), n + n / 32, true, false, 0},
            {"combine", "bf16", combine<bf16>(b), combine_in_turn<bf16>(BLOCKS),
             2 * n, false, true, 0x1.01p-8f},
            {"combine", "float", combine<float>(b),
             combine_in_turn<float>(BLOCKS), 4 * n, false, true, 0}};
}

// Runs a way and returns the number of wrong elements.
static unsigned wrong_of(experts_group &g, const experts_routing &r,
                         const experts_case &c, const launch_of_rank &run) {
    clear_rows(g);
    run_once(g, run);
    return c.sums ? wrong_sums(g, r, c.rounding) : wrong_rows(g, r, c.e4m3);
}

static unsigned measure(FILE *f, experts_group &g, const experts_shape &s,
                        bool skewed, bool all) {
    set_shape(g, s);
    const experts_routing r = random_routing(s, skewed, false, 1);
    const std::vector<hand> hands = hands_of(jobs_by_hand(g, r));
    unsigned wrong = 0;
    set_routing(g, r);
    run_once(g, count);
    printf("count: %.2f us\n", time_of(g, count));
    for (const experts_case &c : cases_of(s.hidden)) {
        outcome o = {wrong_of(g, r, c, c.run),
                     time_of(g, c.run),
                     0,
                     copy_us(g, link_rows(r) * c.row_bytes),
                     {}};
        o.wrong += wrong_of(g, r, c, c.run); // after many calls
        o.wrong += wrong_of(g, r, c, c.in_turn);
        o.in_turn_us = time_of(g, c.in_turn);
        for (const hand &h : hands) {
            if (!strcmp(h.what, c.what) && !strcmp(h.type, c.type)) {
                o.wrong += wrong_of(g, r, c, h.run);
                o.others.push_back({h.name, time_of(g, h.run)});
            }
        }
        wrong += o.wrong;
        write_row(f, s, skewed, c, o);
    }
    if (all) {
        sweep(g);
    }
    return wrong;
}

int main(int argc, char **argv) {
    const unsigned ranks = 1u << LOG_GPUS;
    const bool all = argc > 2;
    unsigned wrong = 0;
    FILE *const f = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!f || experts_devices() < (int)ranks) {
        fprintf(stderr, "usage: fused_experts FILE [sweep], with %u GPUs\n",
                ranks);
        return 2;
    }
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); // loading may wait for a kernel
    const experts_shape most = {
        ranks, 4096, 7168, 32 * ranks, 8, ranks * 4096 * 8, 1};
    experts_group g = open_group(most);
    for (const unsigned hidden : {7168u, 4096u}) {
        for (const bool skewed : {false, true}) {
            experts_shape s = most;
            s.hidden = hidden;
            if (!all || (!skewed && hidden > 4096)) {
                wrong += measure(f, g, s, skewed, all);
            }
        }
    }
    experts_shape few = most;
    few.tokens = 128, few.capacity = ranks * 128 * 8;
    wrong += measure(f, g, few, false, all);
    close_group(g);
    if (all) {
        tell_alone(most);
    }
    fclose(f);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
