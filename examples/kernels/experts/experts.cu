/* experts.cu - how do tokens reach their experts on other GPUs, and come back?
 * SPDX-License-Identifier: MIT
 *
 * A mixture of experts has its experts on all GPUs of a host, and so its
 * tokens. Three kernels per GPU do what takes permutations, all-to-alls and a
 * synchronisation of the host elsewhere. They count where each row goes, bring
 * rows of bf16 or e4m3 to the experts, grouped by expert, and bring weighted
 * sums back. How a row lies in the lanes of a warp is a layout: 16 bytes per
 * access over the link, and groups of 128 elements share a scale.
 *
 * Every element is compared with what a plain loop says. Without several GPUs,
 * all ranks are memories of one, and all send before the first one receives.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/experts/experts.cu -o experts
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "experts_check.h"

using namespace ll_kernels;

static const experts_blocks BLOCKS = {4, 2, 16};

/* What is tried: a shape, and how tokens choose experts. */
struct experts_case {
    experts_shape shape;
    bool skewed, holes;
};

static void clear_results(experts_group &g) {
    for (experts_host &a : g.ranks) {
        const size_t rows = g.shape.capacity, hidden = g.shape.hidden;
        select(a);
        MUST(cudaMemset(a.rows.elements, 0xee, 2 * rows * hidden));
        MUST(cudaMemset(a.rows.scales, 0xee, 4 * rows * (hidden / 128)));
        MUST(cudaMemset(a.out, 0xee, 2 * g.shape.tokens * hidden));
    }
    wait_for_group(g);
}

/* Launches one kernel of a rank. */
static const char *count(experts_host &a) {
    return experts_count(a.rank, a.experts, a.weights, a.stream);
}
template <class PART> const char *dispatch(experts_host &a) {
    return experts_dispatch<PART>(a.rank, (const bf16 *)a.x, a.rows, BLOCKS,
                                  a.stream);
}
template <class SUM> const char *combine(experts_host &a) {
    return experts_combine<SUM>(a.rank, (const bf16 *)a.y, (bf16 *)a.out,
                                BLOCKS, a.stream);
}

template <class PART, class SUM>
static unsigned exchange(experts_group &g, const experts_routing &r) {
    clear_results(g);
    set_routing(g, r);
    on_all_ranks(g, count);
    on_all_ranks(g, dispatch<PART>);
    on_all_ranks(g, combine<SUM>);
    wait_for_group(g);
    return wrong_rows(g, r, PART::bytes == 1) +
           wrong_sums(g, r, sizeof(SUM) == 2 ? 0x1.01p-8f : 0);
}

static unsigned check(const experts_case &c) {
    const experts_shape &s = c.shape;
    experts_group g = open_group(s);
    unsigned wrong = 0;
    for (unsigned k = 0; k < 2; ++k) { /* again with other routes */
        const experts_routing r = random_routing(s, c.skewed, c.holes, k);
        wrong += exchange<bf16_part, float>(g, r);
        if (s.hidden % 128 == 0) {
            wrong += exchange<e4m3_part, bf16>(g, r);
        }
    }
    printf("%u ranks, %u tokens of %u elements, %u of %u experts, %u rows: %u "
           "wrong\n",
           s.ranks, s.tokens, s.hidden, s.top, s.experts, s.capacity, wrong);
    close_group(g);
    return wrong;
}

#if !LL_EMULATE
/* A graph of the three kernels, launched three times. */
static unsigned check_graph(const experts_shape &s) {
    experts_group g = open_group(s);
    const experts_routing r = random_routing(s, false, false, 9);
    unsigned wrong = 0;
    std::vector<cudaGraphExec_t> graphs;
    if (!g.together) {
        close_group(g);
        return 0;
    }
    clear_results(g);
    set_routing(g, r);
    for (experts_host &a : g.ranks) {
        cudaGraph_t graph;
        cudaGraphExec_t made;
        select(a);
        MUST(
            cudaStreamBeginCapture(a.stream, cudaStreamCaptureModeThreadLocal));
        MUST(count(a));
        MUST(dispatch<bf16_part>(a));
        MUST(combine<float>(a));
        MUST(cudaStreamEndCapture(a.stream, &graph));
        MUST(cudaGraphInstantiate(&made, graph, 0));
        MUST(cudaGraphDestroy(graph));
        graphs.push_back(made);
    }
    for (unsigned k = 0; k < 3; ++k) {
        for (experts_host &a : g.ranks) {
            select(a);
            MUST(cudaGraphLaunch(graphs[a.rank.rank], a.stream));
        }
    }
    wait_for_group(g);
    wrong += wrong_rows(g, r, false) + wrong_sums(g, r, 0);
    printf("a graph, three times: %u wrong\n", wrong);
    for (cudaGraphExec_t made : graphs) {
        MUST(cudaGraphExecDestroy(made));
    }
    close_group(g);
    return wrong;
}
#endif

/* Returns the number of invalid arguments that are not refused. */
static unsigned check_refusals() {
    const experts_shape bad[] = {
        {0, 4, 64, 4, 2, 9, 1},  {17, 4, 64, 34, 2, 9, 1},
        {2, 4, 64, 5, 2, 9, 1},  {2, 4, 64, 2048, 2, 9, 1},
        {2, 4, 64, 4, 33, 9, 1}, {2, 4, 64, 4, 0, 9, 1},
        {2, 4, 60, 4, 2, 9, 1},  {2, 1 << 20, 64, 4, 2, 9, 1},
        {2, 4, 64, 4, 2, 0, 1},  {2, 4, 64, 4, 2, 9, 3}};
    alignas(256) static unsigned char memory[256];
    unsigned wrong = 0;
    for (const experts_shape &s : bad) {
        experts_rank g = {s,
                          experts_parts_of({2, 4, 64, 4, 2, 9, 1}),
                          0,
                          1,
                          EXPERTS_BOTH,
                          {memory, memory}};
        wrong += !experts_count(g, (int *)memory, (float *)memory, 0);
    }
    experts_rank g = {{2, 4, 64, 4, 2, 9, 1}, {}, 0, 5, EXPERTS_BOTH,
                      {memory, memory}};
    wrong += !experts_misfit(g);
    g.tokens = 4;
    wrong += experts_misfit(g) != nullptr;
    wrong += !experts_dispatch<e4m3_part>(g, 0, {}, BLOCKS, 0);
    wrong +=
        !experts_dispatch<bf16_part>(g, (bf16 *)(memory + 2), {}, BLOCKS, 0);
    wrong += !experts_dispatch<bf16_part>(g, 0, {}, {1, 2, 1}, 0);
    wrong += !experts_combine<bf16>(g, 0, 0, {4, 1, 33}, 0);
    g.memory[1] = nullptr;
    wrong += !experts_combine<bf16>(g, 0, 0, BLOCKS, 0);
    printf("refusals: %u wrong\n", wrong);
    return wrong;
}

int main() {
    const experts_case cases[] = {
        {{2, 37, 1152, 12, 3, 140, 8}, false, true},
        {{3, 21, 128, 6, 2, 40, 1}, true, true}, /* too few rows */
        {{4, 5, 40, 8, 8, 64, 16}, false, false},
        {{1, 9, 2048, 3, 2, 40, 4}, false, false}};
    unsigned wrong = check_refusals();
    for (const experts_case &c : cases) {
        wrong += check(c);
    }
#if LL_EMULATE
    const char *const errors = emu_errors();
    printf("%s", errors);
    wrong += errors[0] != 0;
#else
    wrong += check_graph({2, 100, 1024, 16, 4, 800, 8});
#endif
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}
