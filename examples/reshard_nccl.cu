/* reshard_nccl.cu - the plans of reshard.cu by messages of NCCL.
 * SPDX-License-Identifier: MIT
 *
 * One thread for each GPU. Every element is compared with the layouts; then one
 * rank has another plan, and one does not come: each time every other rank must
 * return an error.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. examples/reshard_nccl.cu -lnccl -o ..
 */
#include "check.h"
#include "reshard.h"
#include "reshard_nccl.h"
#include <atomic>

typedef unsigned short element;
enum { ROWS = 9, COLS = 10, WAIT_MS = 3000 };

static element value_of(unsigned y) {
    return (element)((y * 2654435761u) >> 16 ^ y);
}

struct test {
    unsigned from, to, other, absent;
};

/* A rank's part of a test; returns whether it is wrong. */
static bool runs(const test &c, nccl_wire *w, unsigned rank, unsigned gpus) {
    const unsigned odd = c.other && rank == 1u;
    const ll_layout a = sharding(c.from, ROWS, COLS, gpus);
    const ll_layout b = sharding(odd ? c.other : c.to, ROWS, COLS, gpus);
    const ll_topology links =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    const ll_reshard p =
        ll_reshard_within(ll_reshard_of(a, b, 16, links), 1 << 16);
    const size_t n = ((size_t)1 << (ROWS + COLS)) >> gpus;
    std::vector<element> data(n), got(n);
    element *memory = nullptr;
    for (unsigned o = 0; o < n; ++o) {
        data[o] = value_of(ll_apply(a, ll_pack(a.in, ll_dim_of("gpu"), rank) |
                                           ll_pack(a.in, LL_OFFSET, o)));
    }
    MUST(cudaMalloc((void **)&memory, 4 * n * sizeof(element)));
    MUST(cudaMemcpy(memory, data.data(), n * 2, cudaMemcpyHostToDevice));
    MUST(cudaMemset(memory + n, 0xee, n * 2));
    transport t = nccl_transport(w, rank, 1u << gpus);
    const int want = c.absent  ? RANKS_LOST
                     : c.other ? RANKS_DISAGREE
                               : RANKS_OK;
    const int result = c.absent && rank == 1u
                           ? want
                           : nccl_reshard(&t, &p, memory, memory + n,
                                          memory + 2 * n, w->stream);
    MUST(cudaMemcpy(got.data(), memory + n, n * 2, cudaMemcpyDeviceToHost));
    size_t wrong = result != want;
    for (unsigned o = 0; o < n; ++o) {
        const unsigned y = ll_apply(b, ll_pack(b.in, ll_dim_of("gpu"), rank) |
                                           ll_pack(b.in, LL_OFFSET, o));
        wrong += got[o] != (want ? 0xeeeeu : value_of(y));
    }
    MUST(cudaFree(memory));
    return wrong != 0;
}

static void rank_runs(const std::vector<test> &tests, ncclComm_t comm,
                      unsigned rank, unsigned gpus, std::atomic<int> *wrong) {
    nccl_wire w = {comm, nullptr, nullptr, WAIT_MS, nullptr, 0, 0};
    MUST(cudaSetDevice((int)rank));
    MUST(cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&w.numbers, 8 * ((1u << gpus) + 1u)));
    for (const test &c : tests) {
        const bool bad = runs(c, &w, rank, gpus);
        printf("rank %u: sharding %u to %u%s: %s\n", rank, c.from, c.to,
               c.other    ? ", another plan"
               : c.absent ? ", one does not come"
                          : "",
               bad ? "WRONG" : "right");
        *wrong += bad;
    }
}

int main(void) {
    int devices = 0;
    MUST(cudaGetDeviceCount(&devices));
    const unsigned gpus = devices >= 8 ? 3u : devices >= 4 ? 2u : 1u;
    if (devices < 2) {
        printf("reshard_nccl: it takes two GPUs\n");
        return 1;
    }
    std::vector<test> tests;
    for (unsigned from = 0; from < SHARDINGS; ++from) {
        for (unsigned to = 0; to < SHARDINGS; ++to) {
            tests.push_back({from, to, 0, 0});
        }
    }
    tests.push_back({BY_ROW, BY_COLUMN, BY_TURNS, 0});
    tests.push_back({BY_ROW, BY_COLUMN, 0, 1});
    std::vector<ncclComm_t> comms(1u << gpus);
    if (ncclCommInitAll(comms.data(), 1 << gpus, nullptr)) {
        printf("reshard_nccl: NCCL does not start\n");
        return 1;
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> ranks;
    for (unsigned r = 0; r < 1u << gpus; ++r) {
        ranks.emplace_back(rank_runs, tests, comms[r], r, gpus, &wrong);
    }
    for (std::thread &r : ranks) {
        r.join();
    }
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}
