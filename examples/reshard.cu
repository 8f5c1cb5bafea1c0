/* reshard.cu - how does a tensor change hands between the GPUs of a host?
 * SPDX-License-Identifier: MIT
 *
 * Each GPU holds a part of a matrix: rows, columns, tiles, heads, or every so
 * many elements. To go from one sharding to another, data crosses links and is
 * permuted within each memory. One plan says both, and one kernel does both: it
 * reads 16 bytes a lane from the memory that has them, its own or a peer's,
 * converts the tile in shared memory, and writes 16 bytes a lane. Where only
 * the target has 16 bytes side by side of what a lane wants, the kernel runs on
 * the side of the source and writes to its peers instead.
 *
 * The matrix of each pair is checked element by element against the layouts.
 * Without several GPUs, all ranks are memories of one; on the emulator they run
 * one after the other.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. examples/reshard.cu -o reshard
 *        or, without a GPU, tests/emu/emucc -I. examples/reshard.cu -o ..
 * Run:   reshard [log2 of the ranks, 1 to 3], or 2, 4 and 8 ranks in turn
 */
#include "check.h"
#include "reshard.h"
#include <string.h>
#include <vector>

typedef unsigned short element;

static const char *const names[] = {"rows", "columns", "tiles", "heads",
                                    "turns"};

/* The memories of all ranks, before and after, and their flags. */
struct host {
    unsigned ranks, devices;
    size_t bytes;
    unsigned char *src[RESHARD_RANKS], *dst[RESHARD_RANKS];
    unsigned *flags[RESHARD_RANKS];
    unsigned epoch;
};

static void on(const host &h, unsigned rank) {
    if (h.devices > 1) {
        MUST(cudaSetDevice((int)(rank % h.devices)));
    }
}

static host open_host(unsigned ranks, size_t bytes) {
    host h = {};
    int devices = 1;
#if !LL_EMULATE
    MUST(cudaGetDeviceCount(&devices));
#endif
    h.ranks = ranks;
    h.bytes = bytes;
    h.devices = (unsigned)devices < ranks ? (unsigned)devices : ranks;
    for (unsigned r = 0; r < ranks; ++r) {
        on(h, r);
#if !LL_EMULATE
        for (unsigned d = 0; d < h.devices && r < h.devices; ++d) {
            if (d != r) {
                MUST(cudaDeviceEnablePeerAccess((int)d, 0));
            }
        }
#endif
        MUST(cudaMalloc((void **)&h.src[r], bytes));
        MUST(cudaMalloc((void **)&h.dst[r], bytes));
        MUST(cudaMalloc((void **)&h.flags[r], RESHARD_FLAGS * 4));
        MUST(cudaMemset(h.flags[r], 0, RESHARD_FLAGS * 4));
    }
    return h;
}

static void close_host(host &h) {
    for (unsigned r = 0; r < h.ranks; ++r) {
        on(h, r);
        MUST(cudaFree(h.src[r]));
        MUST(cudaFree(h.dst[r]));
        MUST(cudaFree(h.flags[r]));
    }
}

/* The value of an element; different for those that a mistake could confuse. */
static element value_of(unsigned y) {
    return (element)((y * 2654435761u) >> 16 ^ y);
}

/* Writes or checks the memory of every rank; returns what is wrong. */
static size_t visit(const host &h, ll_layout a, bool check) {
    const size_t n = h.bytes / sizeof(element);
    std::vector<element> data(n);
    size_t wrong = 0;
    for (unsigned r = 0; r < h.ranks; ++r) {
        const unsigned rank = ll_pack(a.in, ll_dim_of("gpu"), r);
        on(h, r);
        if (check) {
            MUST(cudaMemcpy(data.data(), h.dst[r], h.bytes,
                            cudaMemcpyDeviceToHost));
        }
        for (unsigned o = 0; o < n; ++o) {
            const element x =
                value_of(ll_apply(a, rank | ll_pack(a.in, LL_OFFSET, o)));
            wrong += check && data[o] != x;
            data[o] = x;
        }
        if (!check) {
            MUST(cudaMemcpy(h.src[r], data.data(), h.bytes,
                            cudaMemcpyHostToDevice));
            MUST(cudaMemset(h.dst[r], 0xee, h.bytes));
        }
    }
    return wrong;
}

/* Tiles whose order is in this list have a kernel. */
static bool start(const reshard_move &m, const ll_reshard_tile &t, bool push) {
    return push ? reshard_start<element, 12, true, 0x0ba987654321ull,
                                0x10ba98765432ull,
                                0x210ba9876543ull>(m, t, 0)
                : reshard_start<element, 12, false, 0x543210ba9876ull,
                                0x76543210ba98ull, 0x987ba6543210ull,
                                0xa987b6543210ull, 0x87ba96543210ull,
                                0xba9876543210ull>(m, t, 0);
}

/* Executes a plan on all ranks. The emulator runs a kernel to its end before
 * the next, so there every rank is ready before the first starts. */
static bool execute(host &h, const ll_reshard &p, const ll_reshard_tile &t,
                    bool push) {
    bool ok = true;
    const unsigned together = h.devices == h.ranks;
    h.epoch += 1;
    for (unsigned r = 0; r < h.ranks && !together; ++r) {
        std::vector<unsigned> ready(RESHARD_RANKS, h.epoch);
        MUST(cudaMemcpy(h.flags[r], ready.data(), RESHARD_RANKS * 4,
                        cudaMemcpyHostToDevice));
    }
    for (unsigned r = 0; r < h.ranks; ++r) {
        reshard_move m = reshard_numbers(p, t, r);
        on(h, r);
        for (unsigned k = 0; k < h.ranks; ++k) {
            m.far[k] = push ? h.dst[k] : h.src[k];
            m.flags[k] = h.flags[k];
        }
        m.near = push ? h.src[r] : h.dst[r];
        m.epoch = h.epoch;
        m.wait = together;
        ok = ok && start(m, t, push);
    }
    for (unsigned r = 0; r < h.ranks; ++r) {
        unsigned flags[RESHARD_FLAGS] = {0};
        on(h, r);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(flags, h.flags[r], sizeof flags,
                        cudaMemcpyDeviceToHost));
        for (unsigned k = 0; k < h.ranks; ++k) { /* all have said so */
            ok = ok && flags[RESHARD_RANKS + k] == h.epoch;
        }
        ok = ok && !flags[RESHARD_LATE];
    }
    return ok;
}

/* One pair of shardings: pulled if the source has runs of 16 bytes, else pushed
 * by the plan of the way back. */
static size_t move(host &h, unsigned from, unsigned to, unsigned rows,
                   unsigned cols, unsigned gpus) {
    const ll_topology t =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    const ll_layout a = sharding(from, rows, cols, gpus);
    const ll_layout b = sharding(to, rows, cols, gpus);
    const unsigned bits = 8 * sizeof(element);
    const ll_reshard p = ll_reshard_of(a, b, bits, t);
    const ll_reshard back = ll_reshard_of(b, a, bits, t);
    const ll_reshard_tile pull = ll_reshard_tile_of(p, 8192, 128);
    const ll_reshard_tile push = ll_reshard_tile_of(back, 8192, 128);
    if (pull.err && push.err) {
        printf("%s\n", ll_reshard_strerror(push.err));
        return 1;
    }
    visit(h, a, false);
    const bool ran = execute(h, pull.err ? back : p, pull.err ? push : pull,
                             pull.err != 0);
    const size_t wrong = visit(h, b, true);
    char text[2000];
    ll_explain_reshard(p, text, sizeof text);
    *strchr(text, '\n') = 0;
    printf("%s -> %s, %s, %s: %zu wrong\n", names[from], names[to],
           pull.err ? "push" : "pull", text, wrong);
    if (!ran) {
        printf("no kernel for the order %llx, or a rank was late\n",
               reshard_order(pull.err ? push : pull));
    }
    return wrong + !ran;
}

/* Some pairs between 2^gpus ranks. */
static size_t move_all(unsigned gpus) {
    const unsigned rows = 9, cols = 10;
    const unsigned pairs[][2] = {{BY_ROW, BY_COLUMN}, {BY_COLUMN, BY_ROW},
                                 {BY_ROW, BY_HEAD},   {BY_HEAD, BY_ROW},
                                 {BY_ROW, BY_TURNS},  {BY_TURNS, BY_COLUMN}};
    host h = open_host(1u << gpus, (sizeof(element) << (rows + cols)) >> gpus);
    size_t wrong = 0;
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        if (on_gpu() || gpus == 1 || k % 3 == gpus % 3) { /* it is slow */
            wrong += move(h, pairs[k][0], pairs[k][1], rows, cols, gpus);
        }
    }
    close_host(h);
    return wrong;
}

int main(int argc, char **argv) {
    const unsigned only = argc > 1 ? (unsigned)atoi(argv[1]) : 0u;
    size_t wrong = 0;
    if (argc > 2 || (argc == 2 && (only < 1 || only > 3))) {
        fprintf(stderr, "usage: reshard [log2 of the ranks, 1 to 3]\n");
        return 2;
    }
    for (unsigned gpus = only ? only : 1u; gpus <= (only ? only : 3u); ++gpus) {
        wrong += move_all(gpus);
    }
#if LL_EMULATE
    const char *const errors = emu_errors();
    printf("%s", errors);
    wrong += errors[0] != 0;
#endif
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}
