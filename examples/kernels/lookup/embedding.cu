/* embedding.cu - how are rows looked up?
 * SPDX-License-Identifier: MIT
 *
 * Row t of the result is row index[t] of a table. A tile of rows has any
 * addresses: a warp loads all of its rows before it stores the first, so that
 * they are under way at once. Where tokens are many, it pays to put them in the
 * order of their rows first (sorted_tokens.h): each row is then read once.
 * embedding_backward.cu brings gradients back.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/lookup/embedding.cu -o embedding
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "sorted_tokens.h"

using namespace ll_kernels;

/* The row that token t of dst becomes, and t: as tokens come, or in the order
 * of their rows. */
struct as_they_come {
    const int *index;
    unsigned tokens;
    __device__ seat at(unsigned t) const {
        return t < tokens ? seat{index[t], t} : seat{-1, NOBODY};
    }
};
struct in_order {
    seating s;
    __device__ seat at(unsigned k) const { return s.at(k, *s.taken); }
};

/* dst, tokens x n, becomes rows of table. A warp takes PER_LANE elements a lane
 * of ROWS_PER_BLOCK tokens; n is a multiple of 32 PER_LANE. */
template <unsigned PER_LANE, unsigned ROWS_PER_BLOCK, class ELEMENT, class WHO>
__global__ void __launch_bounds__(256)
    embed(ELEMENT *dst, const ELEMENT *table, WHO who, unsigned n) {
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), PER_LANE, 1, 1, 1));
    LL_SCOPE(ONE, threadIdx.x % 32, 32, LL_BARRIER_WARP());
    LL_IN(ONE);
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned parts = n / (32 * PER_LANE),
                   j = warp % parts * 32 * PER_LANE;
    ELEMENT a[ROWS_PER_BLOCK][LL_REGS(ROW_LAYOUT)];
    seat x[ROWS_PER_BLOCK];
    LL_UNROLL
    for (unsigned k = 0; k < ROWS_PER_BLOCK; ++k) {
        x[k] = who.at(warp / parts * ROWS_PER_BLOCK + k);
        if (x[k].token != NOBODY) {
            LL_LOAD(a[k], ROW_LAYOUT, table + (size_t)x[k].row * n + j, n);
        }
    }
    LL_UNROLL
    for (unsigned k = 0; k < ROWS_PER_BLOCK; ++k) {
        if (x[k].token != NOBODY) {
            LL_STORE_BY(a[k], ROW_LAYOUT, LL_STREAM,
                        dst + (size_t)x[k].token * n + j, n);
        }
    }
}

/* n is a multiple of 256 elements of 16 bits, or of 128 floats. With memory, of
 * bytes_of_seats(tokens, rows), tokens are put in order of the rows of table
 * first. Returns null, or a sentence. */
template <class ELEMENT>
const char *embed_by(ELEMENT *dst, const ELEMENT *table, const int *index,
                     unsigned tokens, unsigned n, unsigned rows = 0,
                     void *memory = nullptr) {
    constexpr unsigned each = 16 / sizeof(ELEMENT), tall = 4;
    const char *bad = unfit_rows(dst, table, tokens, n, 32 * each);
    bad = !bad && memory ? unfit_seats(memory, rows) : bad;
    if (bad) {
        return bad;
    }
    const cudaStream_t on = stream_of_rows();
    const unsigned all = tokens + (memory ? rows : 0);
    const unsigned warps = n / (32 * each) * ((all + tall - 1) / tall);
    cudaError_t err = cudaSuccess;
    if (memory) {
        in_order who;
        err = take_seats(&who.s, memory, nullptr, index, tokens, rows, n);
        embed<each, tall><<<(warps + 7) / 8, 256, 0, on>>>(dst, table, who, n);
    } else {
        embed<each, tall><<<(warps + 7) / 8, 256, 0, on>>>(
            dst, table, as_they_come{index, tokens}, n);
    }
    return said(err ? err : cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class ELEMENT>
unsigned check(unsigned tokens, unsigned n, bool sorts) {
    const table<ELEMENT> rows(VOCABULARY, n, 1, -1, 1);
    const tokens_of index(tokens);
    table<ELEMENT> dst(tokens, n);
    unsigned wrong = 0;
    void *memory = nullptr;
    if (sorts) {
        MUST(cudaMalloc(&memory, bytes_of_seats(tokens, VOCABULARY)));
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
           8 * (unsigned)sizeof(ELEMENT), tokens, n, sorts ? ", in order" : "",
           wrong);
    return wrong;
}

/* How many sizes are not refused that the kernel cannot do. */
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
