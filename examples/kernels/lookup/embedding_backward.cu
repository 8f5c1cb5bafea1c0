/* embedding_backward.cu - how do gradients of rows that were looked up add up?
 * SPDX-License-Identifier: MIT
 *
 * The gradient of a row is the sum over all tokens that looked it up. If each
 * token added its own, memory would take one atomic addition per token. So
 * tokens are sorted by row first (sorted_tokens.h): each row counts its tokens,
 * an LL_SCAN of the counts gives each row its slots, and tokens take them. A
 * warp then adds up 32 adjacent slots in registers. It stores the sums of rows
 * whose slots it has all of; only rows that several warps share are added to
 * memory. embedding.cu is the forward pass.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/lookup/embedding_backward.cu
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "sorted_tokens.h"

using namespace ll_kernels;

/* Stores four sums (`store`), or adds them to memory: by one instruction from
 * sm_90 on. */
__device__ inline void store_or_add(float *to, const float (&x)[4],
                                    bool store) {
    if (store) {
        *(float4 *)to = {x[0], x[1], x[2], x[3]};
        return;
    }
#if !LL_EMULATE && __CUDA_ARCH__ >= 900
    atomicAdd((float4 *)to, make_float4(x[0], x[1], x[2], x[3]));
#else
    for (unsigned c = 0; c < 4; ++c) {
        atomicAdd(to + c, x[c]);
    }
#endif
}

/* Adds up the rows of dy by the sorted token list. A warp takes 128 of the n
 * columns of its slots. */
template <class ELEMENT>
__global__ void __launch_bounds__(256, 6)
    add_gradients(sorted_tokens list, float *sums, const ELEMENT *dy,
                  unsigned n) {
    LL_LAYOUT(ROW_LAYOUT, row_of(4, 4, 1, 1, 1));
    LL_SCOPE(ONE, threadIdx.x % 32, 32, LL_BARRIER_WARP());
    LL_IN(ONE);
    const unsigned parts = n / 128, j = blockIdx.x % parts * 128;
    const unsigned first =
        (blockIdx.x / parts * 8 + threadIdx.x / 32) * SLOTS_PER_WARP;
    const unsigned lane = threadIdx.x % 32, used = *list.used;
    if (first >= used) {
        return;
    }
    const token_slot mine = list.at(first + lane, used);
    const int left = list.at(first - 1, used).row;
    const int right = list.at(first + SLOTS_PER_WARP, used).row;
    const int next = __shfl_down_sync(~0u, mine.row, 1);
    const unsigned ends =
        __ballot_sync(~0u, mine.row >= 0 && (lane == 31 || mine.row != next));
    float sum[4] = {};
    LL_UNROLL
    for (unsigned k = 0; k < SLOTS_PER_WARP; k += 4) {
        ELEMENT x[4][4] = {};
        LL_UNROLL
        for (unsigned m = 0; m < 4; ++m) { /* loads first */
            const unsigned t = __shfl_sync(~0u, mine.token, k + m);
            if (t != NO_TOKEN) {
                LL_LOAD_BY(x[m], ROW_LAYOUT, LL_STREAM, dy + (size_t)t * n + j,
                           n);
            }
        }
        LL_UNROLL
        for (unsigned m = 0; m < 4; ++m) {
            LL_UNROLL
            for (unsigned c = 0; c < 4; ++c) {
                sum[c] += (float)x[m][c];
            }
            if (ends >> (k + m) & 1) {
                const int row = __shfl_sync(~0u, mine.row, k + m);
                store_or_add(sums + (size_t)row * n + j + lane * 4, sum,
                             row != left && row != right);
                memset(sum, 0, sizeof sum);
            }
        }
    }
}

/* Adds up the gradients of an embedding lookup. Returns an error message, or
 * null.
 *   sums    rows x n, the gradients of the table
 *   dy      tokens x n, the gradients of the rows that were looked up
 *   index   the row that each token looked up
 *   n       a multiple of 128
 *   memory  sorted_tokens_bytes(tokens, rows) bytes of the device */
template <class ELEMENT>
const char *embed_backward_by(float *sums, const ELEMENT *dy, const int *index,
                              unsigned tokens, unsigned rows, unsigned n,
                              void *memory) {
    const char *bad = misfit_lookup(sums, dy, tokens, n, 128);
    bad = bad ? bad : misfit_tokens(memory, rows);
    if (bad) {
        return bad;
    }
    sorted_tokens list;
    const unsigned per_block = 8 * SLOTS_PER_WARP;
    const unsigned blocks = (tokens + rows + per_block - 1) / per_block;
    const cudaError_t err =
        sort_tokens(&list, memory, sums, index, tokens, rows, n);
    add_gradients<<<blocks *(n / 128), 256, 0, launch_stream()>>>(list, sums,
                                                                   dy, n);
    return said(err ? err : cudaGetLastError());
}

#ifndef LL_NO_MAIN

#include "embedding_check.h"

template <class ELEMENT> unsigned check(unsigned tokens, unsigned n) {
    const table<ELEMENT> dy(tokens, n, 1, -1, 1);
    const token_index index(tokens);
    table<float> sums(VOCABULARY, n);
    std::vector<double> want((size_t)VOCABULARY * n);
    unsigned wrong = 0;
    void *memory;
    MUST(cudaMalloc(&memory, sorted_tokens_bytes(tokens, VOCABULARY)));
    MUST(embed_backward_by(sums.device, dy.device, index.device, tokens,
                           VOCABULARY, n, memory));
    sums.fetch();
    cudaFree(memory);
    for (unsigned t = 0; t < tokens; ++t) {
        for (unsigned j = 0; j < n; ++j) {
            want[(size_t)index.host[t] * n + j] += dy.at(t, j);
        }
    }
    for (size_t k = 0; k < want.size(); ++k) {
        wrong += !(fabs(sums.host[k] - want[k]) <= 1e-5 * fabs(want[k]) + 1e-4);
    }
    printf("%2u bits, gradients of %u rows of %u elements: %u wrong\n",
           8 * (unsigned)sizeof(ELEMENT), tokens, n, wrong);
    return wrong;
}

/* Returns the number of invalid arguments that are not refused. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 256}, {3, 0}, {3, 130}, {1u << 28, 512}};
    alignas(16) bf16 x[8];
    alignas(16) float sum[4];
    const int index = 0;
    unsigned wrong = !embed_backward_by(sum + 1, x, &index, 3, 5, 256, sum) +
                     !embed_backward_by(sum, x, &index, 3, 0, 256, sum) +
                     !embed_backward_by(sum, x, &index, 3, 5, 256, nullptr) +
                     !embed_backward_by(sum, x, &index, 3, 5, 256, x + 1);
    for (const auto &s : sizes) {
        wrong += !embed_backward_by(sum, x, &index, s[0], 5, s[1], sum);
    }
    return wrong;
}

int main(void) {
    return verdict(check<bf16>(300, 256) + check<float>(41, 256) +
                   check_refusals());
}

#endif
