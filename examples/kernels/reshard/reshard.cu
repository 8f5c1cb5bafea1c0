/* reshard.cu - how to reshard a tensor between the GPUs of a host?
 * SPDX-License-Identifier: MIT
 *
 * Each GPU holds a part of a matrix: rows, columns, tiles, heads, or elements
 * round-robin. To change from one sharding to another, data crosses links and
 * is permuted within each memory. One plan says both, and one kernel does both:
 * a lane reads 16 bytes, the block converts its tile in shared memory, and
 * lanes write 16 bytes to the memory of their own GPU or of a peer. If only the
 * source has 16 contiguous bytes of what a lane wants, or several ranks want an
 * element, the kernel runs on the target and reads from its peers instead. If
 * GPUs hold partial sums, it reads and adds all of them: the same kernel
 * gathers, scatters and reduces. Pairs that are known at compile time have a
 * kernel each; reshard_kernels.h has one for all others.
 *
 * The matrix of each pair is checked element by element against the layouts.
 * Without several GPUs, all ranks are memories of one; on the emulator they run
 * one after the other.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/kernels/reshard/reshard.cu -o reshard
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   reshard [log2 of the ranks, 1 to 3], or 2, 4 and 8 ranks in turn */
#include "reshard_host.h"
#include "reshard_one_buffer.h"
#include <string.h>

using namespace ll_kernels;

static const char *const names[] = {"rows",   "columns", "tiles",
                                    "heads",  "turns",   "pieces",
                                    "a grid", "copies",  "rows in copies",
                                    "a grid twice"};

/* What is asked: two shardings, over one axis or over two, which axes hold
 * partial sums of bf16, and the bytes of an element. */
struct pair {
    unsigned from, to;
    bool grid;
    const char *sums;
    unsigned size;
};

/* The job of a pair of shardings of 2^9 x 2^10 elements. */
enum { ROWS = 9, COLS = 10 };

LL_FN ll_layout side(const pair &p, unsigned kind, unsigned gpus) {
    return sharding_over(kind, ROWS, COLS, gpus, p.grid);
}

LL_FN reshard_job job_of(const pair &p, unsigned gpus) {
    const ll_topology gpu =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    return reshard_job_of(
        side(p, p.from, gpus), side(p, p.to, gpus), 8 * p.size,
        p.grid ? ll_topology_with(gpu, "node", 50, 9000) : gpu, 8192, p.sums);
}

/* The pairs that have kernels of their own, between 2, 4 and 8 ranks. */
struct known {
    static constexpr unsigned N = 18, BITS = 12;
    LL_FN reshard_job of(unsigned k) {
        const unsigned both[6][2] = {
            {BY_ROW, BY_COLUMN}, {BY_COLUMN, BY_ROW}, {BY_ROW, BY_HEAD},
            {BY_HEAD, BY_ROW},   {BY_ROW, BY_TURNS},  {BY_TURNS, BY_COLUMN}};
        return job_of({both[k % 6][0], both[k % 6][1], false, "", 2},
                      k / 6 + 1);
    }
};

/* The same of partial sums. */
struct known_sums {
    static constexpr unsigned N = 6, BITS = 12;
    LL_FN reshard_job of(unsigned k) {
        const unsigned to[2] = {BY_ROW, BY_COLUMN};
        return job_of({BY_COPY, to[k % 2], true, "gpu node", 2}, k / 2 + 1);
    }
};

/* No pair: the kernel of any order moves elements of other sizes. */
struct unknown {
    static constexpr unsigned N = 1, BITS = 0;
    LL_FN reshard_job of(unsigned) {
        reshard_job none = {};
        none.tile.err = LL_RESHARD_ETILE;
        return none;
    }
};

/* The part of a rank, or the sum of parts: a small number, which bf16 holds. */
static unsigned part_of(unsigned y, unsigned rank) {
    return ((y * 2654435761u) >> 28) + 1u + rank;
}
static void write_number(unsigned char *to, unsigned number) {
    const float x = (float)number;
    memcpy(to, (const unsigned char *)&x + 2, 2);
}

/* The element at an offset of a rank. The inputs of a sharding are the offset
 * and the axes of the ranks. */
static unsigned element_at(const ll_layout &a, unsigned rank, unsigned offset) {
    return ll_apply(a, rank << a.in.bits[0] | offset);
}

/* What each element is after the move. */
static std::vector<unsigned char> results(const pair &p, const ll_layout &a,
                                          unsigned ranks) {
    const unsigned n = 1u << (ROWS + COLS);
    std::vector<unsigned char> all((size_t)n * p.size);
    std::vector<unsigned> sum(n);
    for (unsigned r = 0; r < ranks && p.sums[0]; ++r) {
        for (unsigned o = 0; o < 1u << a.in.bits[0]; ++o) {
            const unsigned y = element_at(a, r, o);
            sum[y] += part_of(y, r);
        }
    }
    for (unsigned y = 0; y < n; ++y) {
        p.sums[0] ? write_number(&all[y * p.size], sum[y])
                  : write_value(&all[y * p.size], y, p.size);
    }
    return all;
}

/* Writes the memory of every rank before the move. */
static void fill(const rank_memories &h, const pair &p, const ll_layout &a) {
    const unsigned n = 1u << a.in.bits[0];
    std::vector<unsigned char> data((size_t)n * p.size);
    for (unsigned r = 0; r < h.ranks; ++r) {
        for (unsigned o = 0; o < n; ++o) {
            const unsigned y = element_at(a, r, o);
            p.sums[0] ? write_number(&data[o * p.size], part_of(y, r))
                      : write_value(&data[o * p.size], y, p.size);
        }
        select_device(h, r);
        MUST(cudaMemcpy(h.src[r], data.data(), data.size(),
                        cudaMemcpyHostToDevice));
        MUST(cudaMemset(h.dst[r], 0xee, h.bytes));
    }
}

/* Counts what is wrong in the memories of all ranks after it. */
static size_t wrong_in(const rank_memories &h, const pair &p,
                       const ll_layout &b,
                       const std::vector<unsigned char> &all) {
    const unsigned n = 1u << b.in.bits[0];
    std::vector<unsigned char> data((size_t)n * p.size);
    size_t wrong = 0;
    for (unsigned r = 0; r < h.ranks; ++r) {
        select_device(h, r);
        MUST(cudaMemcpy(data.data(), h.dst[r], data.size(),
                        cudaMemcpyDeviceToHost));
        for (unsigned o = 0; o < n; ++o) {
            wrong += memcmp(&data[o * p.size],
                            &all[element_at(b, r, o) * p.size], p.size) != 0;
        }
    }
    return wrong;
}

/* Starts the kernel of a rank: one of its own, or that of any order. */
static bool start(const reshard_move &m, const reshard_job &j, unsigned size) {
    return m.sum ? reshard_launch<unsigned short, known_sums, reshard_bf16>(
                       m, j.tile, j.push, 0)
           : size == 1
               ? reshard_launch<unsigned char, unknown>(m, j.tile, j.push, 0)
           : size == 2
               ? reshard_launch<unsigned short, known>(m, j.tile, j.push, 0)
           : size == 4 ? reshard_launch<unsigned, unknown>(m, j.tile, j.push, 0)
           : size == 8 ? reshard_launch<uint2, unknown>(m, j.tile, j.push, 0)
                       : reshard_launch<uint4, unknown>(m, j.tile, j.push, 0);
}

/* Executes a plan on all ranks; returns false if one was late. own: whether the
 * order of the tile has its own kernel. */
static bool execute(rank_memories &h, const reshard_job &j, bool *own) {
    begin_move(h);
    for (unsigned r = 0; r < h.ranks; ++r) {
        reshard_move m = move_of_rank(h, j, r);
        select_device(h, r);
        m.wait = h.together;
        *own = start(m, j, j.plan.bits / 8u);
    }
    return finish_move(h, reshard_crosses(j.plan));
}

/* A rank whose peer is not ready, or does not end, must say so and end. */
static size_t lonely(rank_memories &h, bool ready) {
    const reshard_job j = job_of({BY_ROW, BY_COLUMN, false, "", 2}, 1);
    unsigned flags[RESHARD_FLAGS] = {0};
    h.epoch += 1;
    flags[1] = h.epoch - !ready;
    MUST(cudaMemcpy(h.flags[0], flags, sizeof flags, cudaMemcpyHostToDevice));
    reshard_move m = move_of_rank(h, j, 0);
    m.wait = ready;
    start(m, j, 2);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(flags, h.flags[0], sizeof flags, cudaMemcpyDeviceToHost));
    const unsigned wrong = flags[RESHARD_LATE] != 1u;
    printf("a peer that %s: %u wrong\n",
           ready ? "does not end" : "is not ready", wrong);
    MUST(cudaMemset(h.flags[0], 0, sizeof flags));
    return wrong;
}

/* One pair of shardings, checked element by element. */
static size_t move(rank_memories &h, const pair &p, unsigned gpus) {
    const reshard_job j = job_of(p, gpus);
    bool own = false;
    if (j.tile.err) {
        printf("%s\n", ll_reshard_strerror(j.tile.err));
        return 1;
    }
    const ll_layout a = side(p, p.from, gpus), b = side(p, p.to, gpus);
    fill(h, p, a);
    const bool ran = execute(h, j, &own);
    const size_t wrong = wrong_in(h, p, b, results(p, a, h.ranks));
    char text[2000];
    ll_explain_reshard(j.plan, text, sizeof text);
    *strchr(text, '\n') = 0;
    printf("%s%s -> %s, %u bytes, %s%s, %s: %zu wrong%s\n",
           p.sums[0] ? "sums of " : "", names[p.from], names[p.to], p.size,
           j.push ? "push" : "pull", own ? "" : " in any order", text, wrong,
           ran ? "" : "; a rank was late");
    return wrong + !ran;
}

/* The memory of a rank that is source and target, by images of all memories.
 * Each rank needs a GPU of its own. */
static size_t move_in_one_buffer(rank_memories &h, const pair &p,
                                 unsigned gpus) {
    const reshard_job j = job_of(p, gpus);
    const ll_layout a = side(p, p.from, gpus), b = side(p, p.to, gpus);
    rank_memories one = h;
    unsigned char *image[RESHARD_RANKS][RESHARD_RANKS] = {};
    cudaStream_t stream[RESHARD_RANKS]; /* the default one waits for all GPUs */
    for (unsigned r = 0; r < h.ranks; ++r) {
        select_device(h, r);
        MUST(cudaStreamCreateWithFlags(&stream[r], cudaStreamNonBlocking));
        for (unsigned k = 0; k < h.ranks; ++k) {
            MUST(cudaMalloc((void **)&image[r][k], h.bytes));
        }
    }
    fill(one, p, a);
    for (unsigned r = 0; r < h.ranks; ++r) {
        one.dst[r] = one.src[r];
    }
    begin_move(one);
    for (unsigned r = 0; r < h.ranks; ++r) {
        reshard_move m = move_of_rank(one, j, r);
        m.wait = 1;
        select_device(h, r);
        MUST((reshard_in_one_buffer<unsigned short, known>(
            m, j.tile, j.push, image[r], stream[r])));
    }
    const bool ran = finish_move(one, true);
    const size_t wrong = wrong_in(one, p, b, results(p, a, h.ranks));
    printf("%s -> %s in one buffer, %s: %zu wrong%s\n", names[p.from],
           names[p.to], j.push ? "push" : "pull", wrong,
           ran ? "" : "; a rank was late");
    h.epoch = one.epoch;
    for (unsigned r = 0; r < h.ranks; ++r) {
        select_device(h, r);
        for (unsigned k = 0; k < h.ranks; ++k) {
            MUST(cudaFree(image[r][k]));
        }
        MUST(cudaStreamDestroy(stream[r]));
    }
    return wrong + !ran;
}

/* Some pairs between 2^gpus ranks. Between 4 and 8, and with sums, the emulator
 * moves a part of them. */
static size_t move_all(unsigned gpus) {
    const pair pairs[] = {{BY_ROW, BY_COLUMN, false, "", 2},
                          {BY_COLUMN, BY_ROW, false, "", 2},
                          {BY_ROW, BY_HEAD, false, "", 2},
                          {BY_HEAD, BY_ROW, false, "", 2},
                          {BY_ROW, BY_TURNS, false, "", 2},
                          {BY_TURNS, BY_COLUMN, false, "", 2},
                          {BY_HEAD, BY_TURNS, false, "", 2},
                          {BY_TURNS, BY_HEAD, false, "", 2},
                          {BY_ROW, BY_GRID, true, "", 2},
                          {BY_GRID, BY_COLUMN, true, "", 2},
                          {BY_GRID, BY_COPY, true, "", 2},
                          {BY_ROW, BY_TWICE, true, "", 2},
                          {BY_GROUP, BY_GRID, true, "gpu", 2},
                          {BY_COPY, BY_ROW, true, "gpu node", 2},
                          {BY_COPY, BY_COLUMN, true, "gpu node", 2},
                          {BY_COPY, BY_GRID, true, "gpu node", 2},
                          {BY_COPY, BY_COPY, true, "gpu node", 2},
                          {BY_ROW, BY_COLUMN, false, "", 1},
                          {BY_COLUMN, BY_HEAD, false, "", 4},
                          {BY_TURNS, BY_ROW, false, "", 8},
                          {BY_HEAD, BY_TURNS, false, "", 16}};
    rank_memories h = open_host(1u << gpus, (size_t)16 << (ROWS + COLS));
    size_t wrong = 0;
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        if (on_gpu() || gpus == 1 || k % 3 == gpus % 3) { /* it is slow */
            wrong += move(h, pairs[k], gpus);
        }
    }
    for (unsigned k = 0; k < 8u && on_gpu() && h.together; ++k) { /* 2 bytes */
        wrong += move_in_one_buffer(h, pairs[k], gpus);
    }
    wrong += !reshard_overlaps(h.src[0], 32, h.src[0] + 16, 32) ||
             reshard_overlaps(h.src[0], 16, h.src[0] + 16, 32);
    if (!on_gpu() && gpus == 1) { /* a GPU waits for seconds */
        wrong += lonely(h, false) + lonely(h, true);
    }
    close_host(h);
    return wrong;
}

int main(int argc, char **argv) {
    return run_for_ranks("reshard", move_all, argc, argv);
}
