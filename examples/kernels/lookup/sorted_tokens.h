/* sorted_tokens.h - sorts tokens by the row that they look up.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SORTED_TOKENS_H
#define LL_SORTED_TOKENS_H

#define LL_SORTS
#include "embedding.h"

namespace ll_kernels {

/* One slot of the sorted token list. A row without tokens still gets one empty
 * slot. */
struct seat {
    int row;
    unsigned token;
};
enum : unsigned { NOBODY = ~0u, PER_LANE = 32 /* seats of a warp */ };

/* How many seats are taken, and by whom; of each row how many tokens it has,
 * and its first seat; of each token how many of its row come before it. */
struct seating {
    seat *in_order;
    unsigned *taken, *count, *first, *before;

    /* Who has a seat, of those that are taken. */
    __device__ seat at(unsigned k, unsigned all) const {
        return k < all ? in_order[k] : seat{-1, NOBODY};
    }
};

/* A block sorts 256 tokens by their rows, so that frequent rows, too, are
 * counted once by each block. */
__global__ void __launch_bounds__(256)
    count_tokens(seating s, const int *index, unsigned tokens, unsigned rows) {
    LL_LAYOUT(TOKENS, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7"));
    LL_SORT_PLAN(SORT, TOKENS, LL_I, 64, LL_SM90);
    LL_SCAN_PLAN(SCAN, TOKENS, LL_I, 32, LL_SM90);
    __shared__ __align__(16) unsigned char exchanged[LL_SMEM_BYTES(SORT)];
    __shared__ __align__(16) unsigned char firsts[LL_SMEM_BYTES(SCAN)];
    __shared__ unsigned sorted[256], base[256];
    const unsigned k = threadIdx.x, t = blockIdx.x * 256 + k;
    ll_keyed<unsigned, unsigned> a[1] = {{~0u, t}};
    if (t < tokens && (unsigned)index[t] < rows) {
        a->key = (unsigned)index[t];
    }
    LL_SORT(a, a, SORT, exchanged, ll_up());
    sorted[k] = a->key;
    __syncthreads();
    const bool is_first = k == 0 || sorted[k - 1] != a->key;
    const bool is_last = k == 255 || sorted[k + 1] != a->key;
    unsigned first[1] = {is_first ? k : 0};
    LL_SCAN(first, first, SCAN, firsts, ll_max());
    if (is_last && a->key < rows) {
        base[first[0]] = atomicAdd(s.count + a->key, k - first[0] + 1);
    }
    __syncthreads();
    if (a->key < rows) {
        s.before[a->value] = base[first[0]] + k - first[0];
    }
}

/* A block has 256 rows, whose seats follow each other. */
__global__ void __launch_bounds__(256) seat_rows(seating s, unsigned rows) {
    LL_LAYOUT(ROWS, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7"));
    LL_SCAN_PLAN(SCAN, ROWS, LL_I, 32, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SCAN)];
    __shared__ unsigned base;
    const unsigned row = blockIdx.x * 256 + threadIdx.x;
    const unsigned has = row < rows ? s.count[row] : 0;
    const unsigned own[1] = {row < rows ? max(has, 1u) : 0};
    unsigned end[1];
    LL_SCAN(end, own, SCAN, smem, ll_add());
    if (threadIdx.x == 255) {
        base = atomicAdd(s.taken, end[0]);
    }
    __syncthreads();
    if (row < rows) {
        s.first[row] = base + end[0] - own[0];
        if (!has) {
            s.in_order[s.first[row]] = {(int)row, NOBODY};
        }
    }
}

/* Tokens take their seats. Rows whose seats several warps have become 0, each
 * by a warp. */
__global__ void __launch_bounds__(256)
    seat_tokens(seating s, float *sums, const int *index, unsigned tokens,
                unsigned rows, unsigned n) {
    const unsigned t = blockIdx.x * 256 + threadIdx.x, row = t / 32;
    if (t < tokens && (unsigned)index[t] < rows) {
        s.in_order[s.first[index[t]] + s.before[t]] = {index[t], t};
    }
    if (sums && row < rows && s.count[row] > 1) {
        const unsigned first = s.first[row], last = first + s.count[row] - 1;
        for (unsigned j = threadIdx.x % 32 * 4;
             first / PER_LANE != last / PER_LANE && j < n; j += 128) {
            *(float4 *)(sums + (size_t)row * n + j) = {0, 0, 0, 0};
        }
    }
}

/* The bytes of memory that the seats take. */
static inline size_t bytes_of_seats(unsigned tokens, unsigned rows) {
    return 12 * (size_t)tokens + 16 * (size_t)rows + 4;
}

/* Null, or why there are no seats. */
static inline const char *unfit_seats(const void *memory, unsigned rows) {
    return !memory ? "seats take memory of bytes_of_seats(tokens, rows) bytes"
           : rows == 0 || rows > 1u << 28 ? "a table has 1 to 2^28 rows"
                                          : misplaced(memory, memory);
}

/* Seats all tokens that ask for a row below `rows`. Rows of sums, n numbers
 * each, become 0 if they are to be added to. */
static inline cudaError_t take_seats(seating *s, void *memory, float *sums,
                                     const int *index, unsigned tokens,
                                     unsigned rows, unsigned n) {
    const unsigned of_tokens = (tokens + 255) / 256;
    const unsigned of_all = max(of_tokens, sums ? (rows + 7) / 8 : 1);
    const cudaStream_t on = stream_of_rows();
    s->in_order = (seat *)memory;
    s->taken = (unsigned *)(s->in_order + tokens + rows);
    s->count = s->taken + 1;
    s->first = s->count + rows;
    s->before = s->first + rows;
    const cudaError_t err =
        cudaMemsetAsync(s->taken, 0, 4 * ((size_t)rows + 1), on);
    count_tokens<<<of_tokens, 256, 0, on>>>(*s, index, tokens, rows);
    seat_rows<<<(rows + 255) / 256, 256, 0, on>>>(*s, rows);
    seat_tokens<<<of_all, 256, 0, on>>>(*s, sums, index, tokens, rows, n);
    return err ? err : cudaGetLastError();
}

} // namespace ll_kernels

#endif
