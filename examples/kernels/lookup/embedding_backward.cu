/* embedding_backward.cu - how do gradients of rows that were looked up add up?
 * SPDX-License-Identifier: MIT
 *
 * The gradients of all tokens of a row are added up. If each token added its
 * own, memory would see as many additions as there are tokens. Here they are
 * put in order first: rows count their tokens, an LL_SCAN of the counts gives
 * each row its seats, and tokens take them. A warp then adds up 32 neighbours
 * in registers and stores the rows that it has all of; only what warps share is
 * added to memory. embedding.cu is the way forward.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/lookup/embedding_backward.cu
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "sorted_tokens.h"

using namespace ll_kernels;

/* Stores four numbers, or adds them to memory: at once, where the GPU can. */
__device__ inline void give(float *to, const float (&x)[4], bool alone) {
    if (alone) {
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

/* A warp has 128 of the n columns of its seats. */
template <class ELEMENT>
__global__ void __launch_bounds__(256, 6)
    add_seats(seating s, float *sums, const ELEMENT *dy, unsigned n) {
    LL_LAYOUT(ROW_LAYOUT, row_of(4, 4, 1, 1, 1));
    LL_SCOPE(ONE, threadIdx.x % 32, 32, LL_BARRIER_WARP());
    LL_IN(ONE);
    const unsigned parts = n / 128, j = blockIdx.x % parts * 128;
    const unsigned first =
        (blockIdx.x / parts * 8 + threadIdx.x / 32) * PER_LANE;
    const unsigned lane = threadIdx.x % 32, taken = *s.taken;
    if (first >= taken) {
        return;
    }
    const seat mine = s.at(first + lane, taken);
    const int left = s.at(first - 1, taken).row;
    const int right = s.at(first + PER_LANE, taken).row;
    const int next = __shfl_down_sync(~0u, mine.row, 1);
    const unsigned ends =
        __ballot_sync(~0u, mine.row >= 0 && (lane == 31 || mine.row != next));
    float run[4] = {};
    LL_UNROLL
    for (unsigned k = 0; k < PER_LANE; k += 4) {
        ELEMENT x[4][4] = {};
        LL_UNROLL
        for (unsigned m = 0; m < 4; ++m) { /* loads before all else */
            const unsigned t = __shfl_sync(~0u, mine.token, k + m);
            if (t != NOBODY) {
                LL_LOAD_BY(x[m], ROW_LAYOUT, LL_STREAM, dy + (size_t)t * n + j,
                           n);
            }
        }
        LL_UNROLL
        for (unsigned m = 0; m < 4; ++m) {
            LL_UNROLL
            for (unsigned c = 0; c < 4; ++c) {
                run[c] += (float)x[m][c];
            }
            if (ends >> (k + m) & 1) {
                const int row = __shfl_sync(~0u, mine.row, k + m);
                give(sums + (size_t)row * n + j + lane * 4, run,
                     row != left && row != right);
                memset(run, 0, sizeof run);
            }
        }
    }
}

/* sums, rows x n, becomes the sums of those rows of dy, tokens x n, that index
 * names it for; n is a multiple of 128. memory has bytes_of_seats(tokens, rows)
 * bytes. Returns null, or a sentence. */
template <class ELEMENT>
const char *embed_back_by(float *sums, const ELEMENT *dy, const int *index,
                          unsigned tokens, unsigned rows, unsigned n,
                          void *memory) {
    const char *bad = unfit_rows(sums, dy, tokens, n, 128);
    bad = bad ? bad : unfit_seats(memory, rows);
    if (bad) {
        return bad;
    }
    seating s;
    const unsigned blocks = (tokens + rows + 8 * PER_LANE - 1) / (8 * PER_LANE);
    const cudaError_t err =
        take_seats(&s, memory, sums, index, tokens, rows, n);
    add_seats<<<blocks *(n / 128), 256, 0, stream_of_rows()>>>(s, sums, dy, n);
    return said(err ? err : cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class ELEMENT> unsigned check(unsigned tokens, unsigned n) {
    const table<ELEMENT> dy(tokens, n, 1, -1, 1);
    const tokens_of index(tokens);
    table<float> sums(VOCABULARY, n);
    std::vector<double> want((size_t)VOCABULARY * n);
    unsigned wrong = 0;
    void *memory;
    MUST(cudaMalloc(&memory, bytes_of_seats(tokens, VOCABULARY)));
    MUST(embed_back_by(sums.device, dy.device, index.device, tokens, VOCABULARY,
                       n, memory));
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

/* How many sizes are not refused that the kernel cannot do. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 256}, {3, 0}, {3, 130}, {1u << 28, 512}};
    alignas(16) bf16 x[8];
    alignas(16) float sum[4];
    const int index = 0;
    unsigned wrong = !embed_back_by(sum + 1, x, &index, 3, 5, 256, sum) +
                     !embed_back_by(sum, x, &index, 3, 0, 256, sum) +
                     !embed_back_by(sum, x, &index, 3, 5, 256, nullptr) +
                     !embed_back_by(sum, x, &index, 3, 5, 256, x + 1);
    for (const auto &s : sizes) {
        wrong += !embed_back_by(sum, x, &index, s[0], 5, s[1], sum);
    }
    return wrong;
}

int main(void) {
    return verdict(check<bf16>(300, 256) + check<float>(41, 256) +
                   check_refusals());
}

#endif
