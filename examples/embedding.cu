/* embedding.cu - how are rows looked up?
 * SPDX-License-Identifier: MIT
 *
 * Row t of the result is row index[t] of a table. A tile of rows has any
 * addresses: a warp loads all of its rows before it stores the first, so that
 * they are under way at once. embedding_backward.cu brings gradients back.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/embedding.cu -o embedding
 *        or, without a GPU, tests/emu/emucc -I. examples/embedding.cu -o ..
 */
#include "embedding.h"

/* dst, tokens x n, becomes the rows of table that index names. A warp takes
 * EACH elements a lane of TALL tokens; n is a multiple of 32 EACH. */
template <class T, unsigned EACH, unsigned TALL>
__global__ void __launch_bounds__(256)
    embed(T *dst, const T *table, const int *index, unsigned tokens,
          unsigned n) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, 1, 1, 1));
    LL_SCOPE(ONE, threadIdx.x % 32, 32, LL_BARRIER_WARP());
    LL_IN(ONE);
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned parts = n / (32 * EACH), j = warp % parts * 32 * EACH;
    const unsigned t = warp / parts * TALL;
    T a[TALL][LL_REGS(PART)];
    LL_UNROLL
    for (unsigned k = 0; k < TALL; ++k) {
        if (t + k < tokens) {
            LL_LOAD(a[k], PART, table + (size_t)index[t + k] * n + j, n);
        }
    }
    LL_UNROLL
    for (unsigned k = 0; k < TALL; ++k) {
        if (t + k < tokens) {
            LL_STORE_BY(a[k], PART, LL_STREAM, dst + (size_t)(t + k) * n + j,
                        n);
        }
    }
}

/* n is a multiple of 256 elements of 16 bits, or of 128 floats. Returns null,
 * or a sentence. */
template <class T>
const char *embed_by(T *dst, const T *table, const int *index, unsigned tokens,
                     unsigned n) {
    constexpr unsigned each = 16 / sizeof(T), tall = 4;
    const char *const bad = unfit_rows(dst, table, tokens, n, 32 * each);
    if (bad) {
        return bad;
    }
    const unsigned warps = n / (32 * each) * ((tokens + tall - 1) / tall);
    embed<T, each, tall>
        <<<(warps + 7) / 8, 256>>>(dst, table, index, tokens, n);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class T> unsigned check(unsigned tokens, unsigned n) {
    const table<T> rows(VOCABULARY, n, 1, -1, 1);
    const tokens_of index(tokens);
    table<T> dst(tokens, n);
    unsigned wrong = 0;
    MUST(embed_by(dst.device, rows.device, index.device, tokens, n));
    dst.fetch();
    for (unsigned t = 0; t < tokens; ++t) {
        for (unsigned j = 0; j < n; ++j) {
            wrong += dst.at(t, j) != rows.at((unsigned)index.host[t], j);
        }
    }
    printf("%2u bits, %u rows of %u elements: %u wrong\n",
           8 * (unsigned)sizeof(T), tokens, n, wrong);
    return wrong;
}

/* How many sizes are not refused that the kernel cannot do. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 256}, {3, 0}, {3, 132}, {1u << 28, 512}};
    alignas(16) bf16 x[8];
    const int index = 0;
    unsigned wrong = !embed_by(x, x + 1, &index, 3, 256);
    for (const auto &s : sizes) {
        wrong += !embed_by(x, x, &index, s[0], s[1]);
    }
    return wrong;
}

int main(void) {
    const unsigned wrong = check<bf16>(300, 256) + check<float>(41, 256) +
                           check_refusals();
    return verdict(wrong);
}

#endif
