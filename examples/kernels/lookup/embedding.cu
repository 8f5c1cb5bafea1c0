/* embedding.cu - how are rows looked up?
 * SPDX-License-Identifier: MIT
 *
 * Row t of the result is row index[t] of a table. A warp loads all of its rows
 * before it stores the first one, so that all loads are in flight at once. With
 * many tokens it pays to sort them by row first (sorted_tokens.h): each row is
 * then read once. embedding_backward.cu is the backward pass.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/lookup/embedding.cu -o embedding
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "sorted_tokens.h"

using namespace ll_kernels;

/* Which token is looked up k-th, and its row: in the given order, or sorted by
 * row. */
struct given_order {
    const int *index;
    unsigned tokens;
    __device__ token_slot at(unsigned k) const {
        return k < tokens ? token_slot{index[k], k} : token_slot{-1, NO_TOKEN};
    }
};
struct sorted_order {
    sorted_tokens list;
    __device__ token_slot at(unsigned k) const {
        return list.at(k, *list.used);
    }
};

/* Copies rows of `table` to dst, tokens x n. A warp copies 32 PER_LANE elements
 * of TOKENS_PER_WARP tokens; n is a multiple of 32 PER_LANE. */
template <unsigned PER_LANE, unsigned TOKENS_PER_WARP, class ELEMENT,
          class ORDER>
__global__ void __launch_bounds__(256)
    embed(ELEMENT *dst, const ELEMENT *table, ORDER order, unsigned n) {
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), PER_LANE, 1, 1, 1));
    LL_SCOPE(WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());
    LL_IN(WARP);
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned parts = n / (32 * PER_LANE),
                   j = warp % parts * 32 * PER_LANE;
    ELEMENT a[TOKENS_PER_WARP][LL_REGS(ROW_LAYOUT)];
    token_slot x[TOKENS_PER_WARP];
    LL_UNROLL
    for (unsigned k = 0; k < TOKENS_PER_WARP; ++k) {
        x[k] = order.at(warp / parts * TOKENS_PER_WARP + k);
        if (x[k].token != NO_TOKEN) {
            LL_LOAD(a[k], ROW_LAYOUT, table + (size_t)x[k].row * n + j, n);
        }
    }
    LL_UNROLL
    for (unsigned k = 0; k < TOKENS_PER_WARP; ++k) {
        if (x[k].token != NO_TOKEN) {
            LL_STORE_BY(a[k], ROW_LAYOUT, LL_STREAM,
                        dst + (size_t)x[k].token * n + j, n);
        }
    }
}

/* Launches embed. n is a multiple of 256 elements of 16 bits, or of 128 floats.
 * With `memory`, sorted_tokens_bytes(tokens, rows) bytes of the device, sorts
 * tokens by the rows of the table first. Returns an error message, or null. */
template <class ELEMENT>
const char *embed_by(ELEMENT *dst, const ELEMENT *table, const int *index,
                     unsigned tokens, unsigned n, unsigned rows = 0,
                     void *memory = nullptr) {
    constexpr unsigned per_lane = 16 / sizeof(ELEMENT), per_warp = 4;
    const char *bad = misfit_lookup(dst, table, tokens, n, 32 * per_lane);
    bad = !bad && memory ? misfit_tokens(memory, rows) : bad;
    if (bad) {
        return bad;
    }
    const cudaStream_t on = launch_stream();
    const unsigned slots = tokens + (memory ? rows : 0);
    const unsigned warps =
        n / (32 * per_lane) * ((slots + per_warp - 1) / per_warp);
    cudaError_t err = cudaSuccess;
    if (memory) {
        sorted_order order;
        err = sort_tokens(&order.list, memory, nullptr, index, tokens, rows, n);
        embed<per_lane, per_warp>
            <<<(warps + 7) / 8, 256, 0, on>>>(dst, table, order, n);
    } else {
        embed<per_lane, per_warp><<<(warps + 7) / 8, 256, 0, on>>>(
            dst, table, given_order{index, tokens}, n);
    }
    return said(err ? err : cudaGetLastError());
}

#ifndef LL_NO_MAIN

#include "embedding_check.h"

template <class ELEMENT>
unsigned check(unsigned tokens, unsigned n, bool sorted) {
    const table<ELEMENT> rows(VOCABULARY, n, 1, -1, 1);
    const token_index index(tokens);
    table<ELEMENT> dst(tokens, n);
    unsigned wrong = 0;
    void *memory = nullptr;
    if (sorted) {
        MUST(cudaMalloc(&memory, sorted_tokens_bytes(tokens, VOCABULARY)));
    }
    MUST(embed_by(dst.device, rows.device, index.device, tokens, n, VOCABULARY,
                  memory));
    dst.fetch();
    cudaFree(memory);
    for (unsigned t = 0; t < tokens; ++t) {
        for (unsigned j = 0; j < n; ++j) {
            wrong += dst.at(t, j) != rows.at((unsigned)index.host[t], j);
        }
    }
    printf("%2u bits, %u rows of %u elements%s: %u wrong\n",
           8 * (unsigned)sizeof(ELEMENT), tokens, n, sorted ? ", sorted" : "",
           wrong);
    return wrong;
}

/* Returns the number of invalid arguments that are not refused. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 256}, {3, 0}, {3, 132}, {1u << 28, 512}};
    alignas(16) bf16 x[8];
    const int index = 0;
    unsigned wrong = !embed_by(x, x + 1, &index, 3, 256) +
                     !embed_by(x, x, &index, 3, 256, 0, x) +
                     !embed_by(x, x, &index, 3, 256, 5, x + 1);
    for (const auto &s : sizes) {
        wrong += !embed_by(x, x, &index, s[0], s[1]);
    }
    return wrong;
}

int main(void) {
    return verdict(check<bf16>(300, 256, false) + check<float>(41, 256, false) +
                   check<bf16>(300, 512, true) + check<float>(41, 256, true) +
                   check_refusals());
}

#endif
