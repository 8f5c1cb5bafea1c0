// more.cu - the kernels of examples/ that sort, scan, move and quantise rows,
// for peers/more.py
// SPDX-License-Identifier: MIT
//
// Libraries of entries, one per LL_PART from 0 on, so that they compile in
// parallel. The longest row of an entry is its tile.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. -Iexamples -shared -DLL_PART=0
//        -Xcompiler -fPIC bench/device/more.cu -o build/more-0.so
#define LL_NO_MAIN
#define LL_SORTS
#include "examples/kernels/rows/cumsum.cu"
#include "examples/kernels/lookup/embedding.cu"
#include "examples/kernels/lookup/embedding_backward.cu"
#include "examples/kernels/lookup/gather_gemv.cu"
#include "examples/kernels/move/permute.cu"
#include "examples/kernels/rows/topk.cu"
#if LL_PART == 11
#include "examples/kernels/quantise/quantise_groups.cu"
#include "examples/kernels/quantise/quantise_rows.cu"
#endif
#include "entries.h"

#if LL_PART == 9 // the peer
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#endif

// The arguments of an entry: matrices of rows x n elements, and other arrays.
struct arguments {
    void *dst;
    const void *src;
    unsigned *columns;           // of the elements of a sorted row
    const unsigned char *starts; // of segments
    unsigned rows, n;
};

template <class T, unsigned K, unsigned EACH, unsigned WARPS, unsigned TALL>
void run_topk(const arguments &x) {
    MUST(topk_by<T, K, EACH, WARPS, TALL>(
        (T *)x.dst, x.columns, (const T *)x.src, x.rows, x.n));
}

template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD, bool SEGMENTED>
void run_cumsum(const arguments &x) {
    MUST(cumsum_by<T, EACH, WARPS, BLOCKS, AHEAD, SEGMENTED>(
        (T *)x.dst, (const T *)x.src, x.starts, x.rows, x.n));
}

#define TOPK(T, K, E, W, H)                                                 \
    {TILE(E, W, 1) == K ? "sort" : "topk", type_of<T>, TILE(E, W, 1), K,    \
     #E " each, " #W " warps, " #H " rows", run_topk<T, K, E, W, H>}
#define CUMSUM(T, E, W, B, AHEAD)                                           \
    {"cumsum", type_of<T>, TILE(E, W, B), 0, TILING(E, W, B, 1, AHEAD),     \
     run_cumsum<T, E, W, B, AHEAD, false>}
#define SEGMENTS(T, E, W, B, AHEAD)                                         \
    {"segmented cumsum", type_of<T>, TILE(E, W, B), 0,                      \
     TILING(E, W, B, 1, AHEAD), run_cumsum<T, E, W, B, AHEAD, true>}
#if LL_PART == 11
// The scales are stored in `columns`.
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD>
void run_quantise_rows(const arguments &x) {
    MUST(quantise_rows_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD>(
        (unsigned char *)x.dst, (float *)x.columns, (const T *)x.src, x.rows,
        x.n));
}
#define QUANTISE(T, E, W, B, H, AHEAD)                                      \
    {"quantise each row", type_of<T>, TILE(E, W, B), 0,                     \
     TILING(E, W, B, H, AHEAD), run_quantise_rows<T, E, W, B, H, AHEAD>}
#endif
const entry entries[] = {
#if LL_PART == 0
    TOPK(bf16, 8, 8, 1, 4),
    TOPK(bf16, 32, 16, 2, 2),
    TOPK(float, 32, 32, 1, 4),
#elif LL_PART == 1
    TOPK(bf16, 32, 32, 1, 4),
    TOPK(bf16, 64, 16, 8, 1),
#elif LL_PART == 2
    TOPK(bf16, 64, 32, 4, 1),
#elif LL_PART == 10
    TOPK(bf16, 1024, 16, 2, 2),
#elif LL_PART == 3
    TOPK(bf16, 1024, 32, 1, 4),
#elif LL_PART == 4
    TOPK(bf16, 4096, 16, 8, 1),
#elif LL_PART == 5
    CUMSUM(bf16, 16, 2, 1, 0),
    CUMSUM(bf16, 8, 4, 1, 0),
    CUMSUM(bf16, 32, 4, 1, 0),
    CUMSUM(bf16, 64, 2, 1, 0),
    CUMSUM(bf16, 16, 8, 1, 0),
    CUMSUM(bf16, 32, 16, 1, 2),
    CUMSUM(bf16, 32, 8, 2, 2),
#elif LL_PART == 6
    CUMSUM(bf16, 32, 8, 8, 2),
    CUMSUM(bf16, 64, 4, 8, 3),
    CUMSUM(bf16, 32, 16, 16, 2),
    CUMSUM(bf16, 64, 8, 16, 2),
    CUMSUM(bf16, 64, 8, 16, 3),
    CUMSUM(float, 32, 8, 8, 2),
#elif LL_PART == 7
    CUMSUM(float, 16, 8, 1, 0),
    CUMSUM(float, 32, 4, 1, 2),
    CUMSUM(float, 16, 16, 1, 0),
    CUMSUM(float, 32, 8, 1, 2),
    SEGMENTS(float, 8, 16, 1, 0),
    SEGMENTS(float, 8, 16, 1, 2),
    SEGMENTS(float, 4, 32, 1, 0),
#elif LL_PART == 11
    QUANTISE(bf16, 16, 2, 1, 4, 0),
    QUANTISE(bf16, 32, 1, 1, 1, 0),
    QUANTISE(bf16, 32, 4, 1, 2, 0),
    QUANTISE(bf16, 16, 8, 1, 1, 0),
    QUANTISE(bf16, 32, 16, 1, 1, 0),
    QUANTISE(bf16, 64, 8, 1, 1, 0),
    QUANTISE(bf16, 64, 16, 2, 1, 3),
    QUANTISE(bf16, 64, 8, 4, 1, 3),
    QUANTISE(bf16, 64, 8, 16, 1, 2),
    QUANTISE(bf16, 64, 8, 16, 1, 3),
#else
    {"", "", 0, 0, "", nullptr},
#endif
};

const unsigned entry_count = LL_PART < 8 || LL_PART > 9
                                 ? sizeof entries / sizeof *entries
                                 : 0;

#if LL_PART == 8
extern "C" {
void permute_of(unsigned bytes, void *dst, const void *src, unsigned rank,
                const unsigned *size, const unsigned *order) {
    MUST(bytes == 2 ? permute((unsigned short *)dst,
                              (const unsigned short *)src, rank, size, order)
                    : permute((unsigned *)dst, (const unsigned *)src, rank,
                              size, order));
}
void embedding_of(void *dst, const void *table, const int *index,
                  unsigned tokens, unsigned n, unsigned rows, void *memory) {
    MUST(embed_by((bf16 *)dst, (const bf16 *)table, index, tokens, n, rows,
                  memory));
}
size_t embedding_bytes(unsigned tokens, unsigned rows) {
    return sorted_tokens_bytes(tokens, rows);
}
void embedding_back_of(float *sums, const void *dy, const int *index,
                       unsigned tokens, unsigned rows, unsigned n,
                       void *memory) {
    MUST(embed_backward_by(sums, (const bf16 *)dy, index, tokens, rows, n,
                       memory));
}
void gather_gemv_of(unsigned rows, float *y, const signed char *w,
                    const int *index, unsigned count, const void *x, unsigned m,
                    unsigned n) {
    const auto by = rows == 1   ? gather_gemv_by<1>
                    : rows == 2 ? gather_gemv_by<2>
                                : gather_gemv_by<4>;
    MUST(by(y, w, index, count, (const bf16 *)x, m, n));
}
}
#endif

#if LL_PART == 11
// Quantises to fp8, mxfp8 or nvfp4: groups of 128, 32 or 16 elements share a
// scale. A side whose pointers are null is left out.
extern "C" void quantise_groups_of(unsigned group, unsigned char *rows,
                                   void *of_rows, unsigned char *cols,
                                   void *of_cols, const void *src, unsigned m,
                                   unsigned n, float all) {
    const auto by = group == 128  ? quantise_groups_by<fp8, bf16>
                    : group == 32 ? quantise_groups_by<mxfp8, bf16>
                                  : quantise_groups_by<nvfp4, bf16>;
    MUST(by({rows, of_rows}, {cols, of_cols}, (const bf16 *)src, m, n, all));
}
#endif

#if LL_PART == 9
// CUB's scans and sorts of rows. Each returns the bytes of scratch memory that
// it needs, and does the work if `scratch` is not null.
struct row_number {
    unsigned n;
    __host__ __device__ unsigned operator()(unsigned k) const { return k / n; }
};

struct as_float {
    template <class T> __host__ __device__ float operator()(T x) const {
        return (float)x;
    }
};

template <class T>
static size_t sum_rows(void *scratch, size_t bytes, T *dst, const T *src,
                       unsigned rows, unsigned n) {
    const auto keys = thrust::make_transform_iterator(
        thrust::make_counting_iterator(0u), row_number{n});
    MUST(cub::DeviceScan::InclusiveSumByKey(
        scratch, bytes, keys, thrust::make_transform_iterator(src, as_float()),
        dst, rows * n));
    return bytes;
}

// The sum of some elements, and whether a segment starts among them.
struct partial {
    float sum;
    unsigned starts;
};
struct joined {
    __host__ __device__ partial operator()(partial x, partial y) const {
        return {y.starts ? y.sum : x.sum + y.sum, x.starts | y.starts};
    }
};
struct partial_at {
    const float *src;
    const unsigned char *starts;
    unsigned n;
    __host__ __device__ partial operator()(unsigned k) const {
        return {src[k], starts[k] || k % n == 0};
    }
};
struct sum_of {
    __host__ __device__ float operator()(partial x) const { return x.sum; }
};

struct start_of {
    unsigned n;
    __host__ __device__ unsigned operator()(unsigned row) const {
        return row * n;
    }
};

// Calls sort(bytes, elements, rows, starts of the rows, ends of the rows).
template <class SORT>
static size_t sort_rows(SORT sort, size_t bytes, unsigned rows, unsigned n) {
    const auto starts = thrust::make_transform_iterator(
        thrust::make_counting_iterator(0u), start_of{n});
    MUST(sort(bytes, (int)(rows * n), (int)rows, starts, starts + 1));
    return bytes;
}

extern "C" {
size_t cub_cumsum_f32(void *scratch, size_t bytes, float *dst,
                      const float *src, unsigned rows, unsigned n) {
    return sum_rows(scratch, bytes, dst, src, rows, n);
}
size_t cub_cumsum_bf16(void *scratch, size_t bytes, __nv_bfloat16 *dst,
                       const __nv_bfloat16 *src, unsigned rows, unsigned n) {
    return sum_rows(scratch, bytes, dst, src, rows, n);
}
size_t cub_segments(void *scratch, size_t bytes, float *dst, const float *src,
                    const unsigned char *starts, unsigned rows, unsigned n) {
    MUST(cub::DeviceScan::InclusiveScan(
        scratch, bytes,
        thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
                                        partial_at{src, starts, n}),
        thrust::make_transform_output_iterator(dst, sum_of()), joined(),
        rows * n));
    return bytes;
}
size_t cub_sort(void *scratch, size_t bytes, __nv_bfloat16 *dst,
                unsigned *columns, const __nv_bfloat16 *src,
                const unsigned *numbers, unsigned rows, unsigned n) {
    return sort_rows(
        [=](size_t &room, auto... of) {
            return cub::DeviceSegmentedSort::SortPairsDescending(
                scratch, room, src, dst, numbers, columns, of...);
        },
        bytes, rows, n);
}
size_t cub_radix_sort(void *scratch, size_t bytes, __nv_bfloat16 *dst,
                      unsigned *columns, const __nv_bfloat16 *src,
                      const unsigned *numbers, unsigned rows, unsigned n) {
    return sort_rows(
        [=](size_t &room, auto... of) {
            return cub::DeviceSegmentedRadixSort::SortPairsDescending(
                scratch, room, src, dst, numbers, columns, of...);
        },
        bytes, rows, n);
}
}
#endif
