/* sorted_tokens.h - sorts tokens by the row that they look up
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SORTED_TOKENS_H
#define LL_SORTED_TOKENS_H

#ifndef LL_SORTS
#define LL_SORTS
#endif
#include "embedding.h"

namespace ll_kernels {

/* One slot of the sorted token list. A row without tokens still gets one empty
 * slot. */
struct token_slot {
    int row;
    unsigned token; /* or NO_TOKEN */
};
enum : unsigned { NO_TOKEN = ~0u, SLOTS_PER_WARP = 32 };

/* The sorted token list, in global memory. */
struct sorted_tokens {
    token_slot *slots;
    unsigned *used;  /* number of slots */
    unsigned *count; /* of a row: its tokens */
    unsigned *first; /* of a row: its first slot */
    unsigned
        *earlier; /* of a token: tokens of its row in slots before its own */

    /* Returns slot k of `size` slots, or an empty one of row -1. */
    __device__ token_slot at(unsigned k, unsigned size) const {
        return k < size ? slots[k] : token_slot{-1, NO_TOKEN};
    }
};

/* Counts the tokens of each row. A block sorts 256 tokens by their rows first,
 * so that it adds to the count of a frequent row only once. */
__global__ void __launch_bounds__(256)
    count_tokens(sorted_tokens list, const int *index, unsigned tokens,
                 unsigned rows) {
    LL_LAYOUT(TOKENS, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7"));
    LL_SORT_PLAN(SORT, TOKENS, LL_I, 64, LL_SM90);
    LL_SCAN_PLAN(SCAN, TOKENS, LL_I, 32, LL_SM90);
    __shared__ __align__(16) unsigned char sort_smem[LL_SMEM_BYTES(SORT)];
    __shared__ __align__(16) unsigned char scan_smem[LL_SMEM_BYTES(SCAN)];
    __shared__ unsigned sorted[256], base[256];
    const unsigned k = threadIdx.x, t = blockIdx.x * 256 + k;
    ll_keyed<unsigned, unsigned> a[1] = {{~0u, t}};
    if (t < tokens && (unsigned)index[t] < rows) {
        a->key = (unsigned)index[t];
    }
    LL_SORT(a, a, SORT, sort_smem, ll_up());
    sorted[k] = a->key;
    __syncthreads();
    const bool is_first = k == 0 || sorted[k - 1] != a->key;
    const bool is_last = k == 255 || sorted[k + 1] != a->key;
    unsigned first[1] = {is_first ? k : 0};
    LL_SCAN(first, first, SCAN, scan_smem, ll_max());
    if (is_last && a->key < rows) {
        base[first[0]] = atomicAdd(list.count + a->key, k - first[0] + 1);
    }
    __syncthreads();
    if (a->key < rows) {
        list.earlier[a->value] = base[first[0]] + k - first[0];
    }
}

/* Gives each row its slots. Those of the 256 rows of a block follow each
 * other. */
__global__ void __launch_bounds__(256)
    assign_slots(sorted_tokens list, unsigned rows) {
    LL_LAYOUT(ROWS, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7"));
    LL_SCAN_PLAN(SCAN, ROWS, LL_I, 32, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SCAN)];
    __shared__ unsigned base;
    const unsigned row = blockIdx.x * 256 + threadIdx.x;
    const unsigned count = row < rows ? list.count[row] : 0;
    const unsigned own[1] = {row < rows ? max(count, 1u) : 0};
    unsigned end[1];
    LL_SCAN(end, own, SCAN, smem, ll_add());
    if (threadIdx.x == 255) {
        base = atomicAdd(list.used, end[0]);
    }
    __syncthreads();
    if (row < rows) {
        list.first[row] = base + end[0] - own[0];
        if (!count) {
            list.slots[list.first[row]] = {(int)row, NO_TOKEN};
        }
    }
}

/* Puts tokens into their slots. With `sums`, clears the sums of rows with slots
 * in several parts of SLOTS_PER_WARP, to which several warps will add; one warp
 * clears a row of n elements. */
__global__ void __launch_bounds__(256)
    place_tokens(sorted_tokens list, float *sums, const int *index,
                 unsigned tokens, unsigned rows, unsigned n) {
    const unsigned t = blockIdx.x * 256 + threadIdx.x, row = t / 32;
    if (t < tokens && (unsigned)index[t] < rows) {
        list.slots[list.first[index[t]] + list.earlier[t]] = {index[t], t};
    }
    if (sums && row < rows && list.count[row] > 1) {
        const unsigned first = list.first[row];
        const unsigned last = first + list.count[row] - 1;
        for (unsigned j = threadIdx.x % 32 * 4;
             first / SLOTS_PER_WARP != last / SLOTS_PER_WARP && j < n;
             j += 128) {
            *(float4 *)(sums + (size_t)row * n + j) = {0, 0, 0, 0};
        }
    }
}

/* Returns the bytes of device memory of the sorted token list. */
static inline size_t sorted_tokens_bytes(unsigned tokens, unsigned rows) {
    return 12 * (size_t)tokens + 16 * (size_t)rows + 4;
}

/* Checks the memory of the list and the number of rows. Returns an error
 * message, or null. */
static inline const char *misfit_tokens(const void *memory, unsigned rows) {
    return !memory ? "sorted tokens need memory of sorted_tokens_bytes(tokens, "
                     "rows) bytes"
           : rows == 0 || rows > 1u << 28 ? "a table has 1 to 2^28 rows"
                                          : misplaced(memory, memory);
}

/* Sorts all tokens that look up a row below `rows`. With `sums`, rows of n
 * floats, clears the sums to which several warps will add. */
static inline cudaError_t sort_tokens(sorted_tokens *list, void *memory,
                                      float *sums, const int *index,
                                      unsigned tokens, unsigned rows,
                                      unsigned n) {
    const unsigned token_blocks = (tokens + 255) / 256;
    const unsigned blocks = max(token_blocks, sums ? (rows + 7) / 8 : 1);
    const cudaStream_t on = launch_stream();
    list->slots = (token_slot *)memory;
    list->used = (unsigned *)(list->slots + tokens + rows);
    list->count = list->used + 1;
    list->first = list->count + rows;
    list->earlier = list->first + rows;
    const cudaError_t err =
        cudaMemsetAsync(list->used, 0, 4 * ((size_t)rows + 1), on);
    count_tokens<<<token_blocks, 256, 0, on>>>(*list, index, tokens, rows);
    assign_slots<<<(rows + 255) / 256, 256, 0, on>>>(*list, rows);
    place_tokens<<<blocks, 256, 0, on>>>(*list, sums, index, tokens, rows, n);
    return err ? err : cudaGetLastError();
}

} // namespace ll_kernels

#endif
