/* embedding_backward.cu - how do gradients of rows that were looked up add up?
 * SPDX-License-Identifier: MIT
 *
 * The gradients of all tokens of a row are added up. If each token added its
 * own, frequent rows would be added to memory one by one. Here a block sorts
 * its tokens by their rows with LL_SORT, keys with values. Tokens of one row
 * are then neighbours: a warp adds them in registers, and memory sees one
 * addition for each run. embedding.cu is the way forward.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/embedding_backward.cu
 *        or, without a GPU, tests/emu/emucc -I. examples/embedding_backward.cu
 */
#define LL_SORTS
#include "embedding.h"

/* Adds four numbers to memory, at a multiple of 16 bytes: at once, where the
 * GPU can. */
__device__ inline void add_four(float *to, const float (&x)[4]) {
#if !LL_EMULATE && __CUDA_ARCH__ >= 900
    atomicAdd((float4 *)to, make_float4(x[0], x[1], x[2], x[3]));
#else
    for (unsigned c = 0; c < 4; ++c) {
        atomicAdd(to + c, x[c]);
    }
#endif
}

/* sums, vocabulary x n, gets the rows of dy added that belong to its rows. A
 * block has 256 tokens, and 1024 of the n columns. */
template <class T>
__global__ void __launch_bounds__(256)
    embed_back(float *sums, const T *dy, const int *index, unsigned tokens,
               unsigned n) {
    LL_LAYOUT(TOKENS, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7"));
    LL_SORT_PLAN(SORT, TOKENS, LL_I, 64, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SORT)];
    __shared__ ll_keyed<int, unsigned> sorted[256];
    const unsigned t = blockIdx.x * 256 + threadIdx.x;
    ll_keyed<int, unsigned> a[1] = {{0x7fffffff, t}};
    if (t < tokens) {
        a->key = index[t];
    }
    LL_SORT(a, a, SORT, smem, ll_up());
    sorted[threadIdx.x] = a[0];
    __syncthreads();
    const unsigned first = threadIdx.x / 32 * 32;
    const unsigned end = blockIdx.y * 1024 + 1024;
    for (unsigned j = blockIdx.y * 1024 + threadIdx.x % 32 * 4;
         j < n && j < end; j += 128) {
        float run[4] = {};
        for (unsigned k = first; k < first + 32; k += 8) {
            T x[8][4] = {};
            LL_UNROLL
            for (unsigned m = 0; m < 8; ++m) { /* loads before all else */
                if (sorted[k + m].value < tokens) {
                    memcpy(x[m], dy + (size_t)sorted[k + m].value * n + j,
                           sizeof x[m]);
                }
            }
            LL_UNROLL
            for (unsigned m = 0; m < 8; ++m) {
                const int row = sorted[k + m].key;
                const bool last = k + m == first + 31 ||
                                  sorted[k + m + 1].key != row;
                LL_UNROLL
                for (unsigned c = 0; c < 4; ++c) {
                    run[c] += (float)x[m][c];
                }
                if (last && sorted[k + m].value < tokens) {
                    add_four(sums + (size_t)row * n + j, run);
                    memset(run, 0, sizeof run);
                }
            }
        }
    }
}

/* n is a multiple of 4. */
template <class T>
const char *embed_back_by(float *sums, const T *dy, const int *index,
                          unsigned tokens, unsigned n) {
    const char *const bad = unfit_rows(sums, dy, tokens, n, 4);
    if (bad) {
        return bad;
    }
    embed_back<T><<<dim3((tokens + 255) / 256, (n + 1023) / 1024), 256>>>(
        sums, dy, index, tokens, n);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class T> unsigned check(unsigned tokens, unsigned n) {
    const table<T> dy(tokens, n, 1, -1, 1);
    const tokens_of index(tokens);
    table<float> sums(VOCABULARY, n);
    std::vector<double> want((size_t)VOCABULARY * n);
    unsigned wrong = 0;
    MUST(cudaMemset(sums.device, 0, want.size() * 4));
    MUST(embed_back_by(sums.device, dy.device, index.device, tokens, n));
    sums.fetch();
    for (unsigned t = 0; t < tokens; ++t) {
        for (unsigned j = 0; j < n; ++j) {
            want[(size_t)index.host[t] * n + j] += dy.at(t, j);
        }
    }
    for (size_t k = 0; k < want.size(); ++k) {
        wrong += !(fabs(sums.host[k] - want[k]) <=
                   1e-5 * fabs(want[k]) + 1e-4);
    }
    printf("%2u bits, gradients of %u rows of %u elements: %u wrong\n",
           8 * (unsigned)sizeof(T), tokens, n, wrong);
    return wrong;
}

/* How many sizes are not refused that the kernel cannot do. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 256}, {3, 0}, {3, 130}, {1u << 28, 512}};
    alignas(16) bf16 x[8];
    alignas(16) float sum[4];
    const int index = 0;
    unsigned wrong = !embed_back_by(sum + 1, x, &index, 3, 256);
    for (const auto &s : sizes) {
        wrong += !embed_back_by(sum, x, &index, s[0], s[1]);
    }
    return wrong;
}

int main(void) {
    return verdict(check<bf16>(300, 256) + check<float>(41, 256) +
                   check_refusals());
}

#endif
