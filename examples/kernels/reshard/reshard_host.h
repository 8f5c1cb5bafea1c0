/* reshard_host.h - shared by reshard.cu and reshard_ragged.cu: memories of all
 * ranks, and the beginning and end of a move.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_HOST_H
#define LL_EXAMPLE_RESHARD_HOST_H

#include "../check.h"
#include "reshard_kernels.h"
#include <vector>

namespace ll_kernels {

/* The memories of all ranks, src before and dst after the move, and flags. */
struct rank_memories {
    unsigned ranks, devices;
    size_t bytes;
    unsigned char *src[RESHARD_RANKS], *dst[RESHARD_RANKS];
    unsigned *flags[RESHARD_RANKS];
    unsigned epoch;
    bool together; /* each rank has its own GPU, so kernels wait for peers */
};

inline void select_device(const rank_memories &h, unsigned rank) {
    if (h.devices > 1) {
        MUST(cudaSetDevice((int)(rank % h.devices)));
    }
}

inline rank_memories open_host(unsigned ranks, size_t bytes) {
    rank_memories h = {};
    int devices = 1;
#if !LL_EMULATE
    MUST(cudaGetDeviceCount(&devices));
#endif
    h.ranks = ranks;
    h.bytes = bytes;
    h.devices = (unsigned)devices < ranks ? (unsigned)devices : ranks;
    h.together = h.devices == ranks;
    for (unsigned r = 0; r < ranks; ++r) {
        select_device(h, r);
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

inline void close_host(rank_memories &h) {
    for (unsigned r = 0; r < h.ranks; ++r) {
        select_device(h, r);
#if !LL_EMULATE
        for (unsigned d = 0; d < h.devices && r < h.devices; ++d) {
            if (d != r) {
                MUST(cudaDeviceDisablePeerAccess((int)d));
            }
        }
#endif
        MUST(cudaFree(h.src[r]));
        MUST(cudaFree(h.dst[r]));
        MUST(cudaFree(h.flags[r]));
    }
}

/* Writes the bytes of element y, which differ between elements that a fault
 * might confuse. */
inline void write_value(unsigned char *to, unsigned y, unsigned size) {
    for (unsigned k = 0; k < size; ++k) {
        to[k] = (unsigned char)(((y * 16u + k) * 2654435761u) >> 24 ^ y >> k);
    }
}

/* Returns the argument of a rank's kernel. */
inline reshard_move move_of_rank(const rank_memories &h, const reshard_job &j,
                                 unsigned rank) {
    reshard_move m = reshard_numbers(j.plan, j.tile, rank);
    for (unsigned k = 0; k < h.ranks; ++k) {
        m.far[k] = j.push ? h.dst[k] : h.src[k];
        m.flags[k] = h.flags[k];
    }
    m.near = j.push ? h.src[rank] : h.dst[rank];
    m.epoch = reshard_crosses(j.plan) ? h.epoch : 0;
    return m;
}

/* Begins a move of all ranks. If ranks share a GPU or run on the emulator, a
 * kernel ends before the next one starts, so all ranks are marked ready first.
 */
inline void begin_move(rank_memories &h) {
    h.epoch += 1;
    for (unsigned r = 0; r < h.ranks && !h.together; ++r) {
        std::vector<unsigned> ready(RESHARD_RANKS, h.epoch);
        MUST(cudaMemcpy(h.flags[r], ready.data(), RESHARD_RANKS * 4,
                        cudaMemcpyHostToDevice));
    }
}

/* Waits for the end of a move. Returns false if a rank was late. */
inline bool finish_move(const rank_memories &h, bool crosses) {
    bool ok = true;
    for (unsigned r = 0; r < h.ranks; ++r) {
        unsigned flags[RESHARD_FLAGS] = {0};
        select_device(h, r);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(flags, h.flags[r], sizeof flags,
                        cudaMemcpyDeviceToHost));
        for (unsigned k = 0; k < h.ranks; ++k) { /* all are done */
            ok = ok && (flags[RESHARD_RANKS + k] == h.epoch || !crosses);
        }
        ok = ok && !flags[RESHARD_LATE];
    }
    return ok;
}

/* The main function of both programs: calls move_all for 2, 4 and 8 ranks, or
 * for the number in argv. */
inline int run_for_ranks(const char *name, size_t (*move_all)(unsigned gpus),
                         int argc, char **argv) {
    const unsigned only = argc > 1 ? (unsigned)atoi(argv[1]) : 0u;
    size_t wrong = 0;
    if (argc > 2 || (argc == 2 && (only < 1 || only > 3))) {
        fprintf(stderr, "usage: %s [log2 of the ranks, 1 to 3]\n", name);
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

} // namespace ll_kernels

#endif
