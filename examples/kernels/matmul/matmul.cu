/* matmul.cu - how does one source multiply matrices of any two types, in any
 * order, of any size, with mma.sync?
 * SPDX-License-Identifier: MIT
 *
 * C = A B. TYPE_A and TYPE_B are types of the table below, given by -D; with
 * COLS_A or COLS_B 1 that matrix is stored by columns. The table gives each
 * pair the cheapest instruction that holds all numbers of both exactly:
 *
 *     s8 x s8                    s8, accumulators in s32
 *     among s8, e4m3, e5m2, f16  f16, accumulators in f32
 *     among s8, e4m3, e5m2, bf16 bf16, accumulators in f32
 *     f16 x bf16                 tf32, accumulators in f32
 *     any other pair             f64
 *
 * With TYPE_C f16, products of f16 have accumulators of f16.
 *
 * A block computes a tile of C (matmul_sync_tiles.h). There are two kernels. In
 * `matmul_piped`, cp.async keeps a ring of stages filled; while one slice of k
 * is multiplied, ldmatrix loads the next, where that fits. In
 * `matmul_through_registers`, tiles pass through registers on their way to
 * shared memory: it is for rows that do not start at multiples of 16 bytes
 * (matmul_sync_load.h). Elements keep their type in shared memory. They are
 * widened in registers (matmul_sync_multiply.h).
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_80 -DTYPE_A=bf16 -DTYPE_B=s8 -I. \
 *            examples/kernels/matmul/matmul.cu -o matmul
 *        tools/emulator/emucc -I. examples/kernels/matmul/matmul.cu -o matmul
 * Run:   matmul [m n k]
 */
#include "matmul_check.h"
#include "matmul_sync_load.h"
#include "matmul_sync_multiply.h"

#ifndef TYPE_A
#define TYPE_A bf16
#endif
#ifndef TYPE_B
#define TYPE_B s8
#endif
#ifndef TYPE_C
#define TYPE_C f32
#endif
#ifndef COLS_A
#define COLS_A 0
#endif
#ifndef COLS_B
#define COLS_B 0
#endif

using namespace ll_kernels;

typedef sync_types<dtype::TYPE_A, dtype::TYPE_B, dtype::TYPE_C, COLS_A != 0,
                   COLS_B != 0>
    gemm_types;

/* ---- Tiles of C ---------------------------------------------------------- */

/* The row and column of a block's tile. Tiles are numbered in groups of GROUP
 * rows of tiles, so that tiles computed at the same time share operands in the
 * L2 cache. */
template <class T> struct tile_position {
    enum : unsigned { GROUP = 8 };
    unsigned row, col;
    __device__ tile_position(unsigned m, unsigned n) {
        const unsigned high = (m + T::ROWS - 1) / T::ROWS;
        const unsigned wide = (n + T::COLS - 1) / T::COLS;
        const unsigned first = blockIdx.x / (GROUP * wide) * GROUP;
        const unsigned in = blockIdx.x % (GROUP * wide);
        const unsigned most = high - first < GROUP ? high - first : GROUP;
        row = (first + in % most) * T::ROWS;
        col = in / most * T::COLS;
    }
};

/* Stores the accumulators of a tile in C, m x n: two of a row at a time if rows
 * are aligned to that. */
template <class T, unsigned N>
static __device__ void
store_tile(typename T::result *c, const typename T::accumulator (&sum)[N],
           const tile_position<T> &tile, unsigned m, unsigned n) {
    typedef typename tile_sums<T>::C C;
    const unsigned i = tile.row, j = tile.col;
    const unsigned pairs = n | (unsigned)((size_t)c / sizeof *c);
    if (pairs % 2 == 0 && m - i >= T::ROWS && n - j >= T::COLS) {
        LL_STORE(sum, C, c + (size_t)i * n + j, n);
    } else {
        LL_EACH(r, C) {
            const unsigned y = i + LL_AT(C, LL_I, r);
            const unsigned x = j + LL_AT(C, LL_J, r);
            if (y < m && x < n) {
                if constexpr (T::RESULT == dtype::f16) {
                    c[(size_t)y * n + x] =
                        (typename T::result)(sum[r / 2] >> r % 2 * 16);
                } else {
                    c[(size_t)y * n + x] = sum[r];
                }
            }
        }
    }
}

/* ---- The kernel with a pipeline of copies -------------------------------- */

/* A block's ring of stages. */
template <class T> struct stage_ring {
    unsigned char *memory;
    unsigned reading, filling; /* numbers of stages */
    static __device__ unsigned next(unsigned stage) {
        return stage + 1 == T::STAGES ? 0 : stage + 1;
    }
};

/* Whether operands are widened before the next slice is loaded. On an H200 that
 * is up to 8 % faster for these types, and slower for others. */
template <class T>
constexpr bool
    WIDENS_EARLY = T::WIDE == dtype::f16 ||
                   (!T::B_BY_COLUMNS &&
                    (T::WIDE == dtype::f32 ||
                     (T::WIDE == dtype::bf16 && T::TYPE_OF_A != dtype::s8 &&
                      T::TYPE_OF_B != dtype::s8)));

/* Multiplies slice S of a stage and the slices after it. Meanwhile loads the
 * next slice, and starts the copies of the tiles at `later` of k. */
template <class T, bool IS_WHOLE, unsigned S, unsigned N>
static __device__ void
multiply_slices(typename T::accumulator (&sum)[N], raw_slice<T> (&raw)[2],
                stage_ring<T> &ring, const tile_operands<T> &operands,
                unsigned later) {
    if constexpr (S < T::SLICES) {
        unsigned char *fill = ring.memory + ring.filling * T::STAGE;
        wide_operands<T, T::MMA_K> wide;
        if constexpr (S + 1 ==
                      T::SLICES) { /* the next slice is of a new stage */
            LL_COPY_WAIT(T::STAGES - 2);
            __syncthreads();
            ring.reading = ring.next(ring.reading);
        }
        if (WIDENS_EARLY<T>) {
            wide.set(raw[S % 2].a, raw[S % 2].b);
        }
        raw[(S + 1) % 2].template load<(S + 1) % T::SLICES>(
            ring.memory + ring.reading * T::STAGE);
        if constexpr (S == 0) {
            copy_a<T, IS_WHOLE>(fill, operands, later);
        }
        if constexpr (S == 2) {
            copy_b<T, IS_WHOLE>(fill, operands, later);
            LL_COPY_COMMIT();
            ring.filling = ring.next(ring.filling);
        }
        if (!WIDENS_EARLY<T>) {
            wide.set(raw[S % 2].a, raw[S % 2].b);
        }
        multiply(sum, wide);
        multiply_slices<T, IS_WHOLE, S + 1>(sum, raw, ring, operands, later);
    }
}

/* Computes the accumulators of a tile. IS_WHOLE: all tiles of A and B are
 * within the matrices; after the last tiles the first are copied again. */
template <class T, bool IS_WHOLE, unsigned N>
static __device__ void multiply_tile(typename T::accumulator (&sum)[N],
                                     unsigned char *memory,
                                     const tile_operands<T> &operands) {
    stage_ring<T> ring = {memory, 0, T::STAGES - 1};
    raw_slice<T> raw[2];
    for (unsigned s = 0; s < T::STAGES - 1; ++s) {
        copy_a<T, IS_WHOLE>(memory + s * T::STAGE, operands, s * T::DEPTH);
        copy_b<T, IS_WHOLE>(memory + s * T::STAGE, operands, s * T::DEPTH);
        LL_COPY_COMMIT();
    }
    LL_COPY_WAIT(T::STAGES - 2);
    __syncthreads();
    raw[0].template load<0>(memory);
    for (unsigned at = 0; at < operands.k; at += T::DEPTH) {
        const unsigned later = at + (T::STAGES - 1) * T::DEPTH;
        multiply_slices<T, IS_WHOLE, 0>(
            sum, raw, ring, operands,
            IS_WHOLE && later >= operands.k ? 0 : later);
    }
}

template <class T>
__global__ void __launch_bounds__(T::THREADS)
    matmul_piped(typename T::result *c, const void *a, const void *b,
                 unsigned m, unsigned n, unsigned k) {
    extern __shared__ __align__(128) unsigned char memory[];
    const tile_position<T> tile(m, n);
    const tile_operands<T> operands(a, b, tile.row, tile.col, m, n, k);
    typename T::accumulator sum[tile_sums<T>::COUNT] = LL_ZERO;
    if (operands.rows == T::ROWS && operands.cols == T::COLS &&
        k % T::DEPTH == 0 && k >= 4 * T::DEPTH) {
        multiply_tile<T, true>(sum, memory, operands);
        store_tile<T>(c, sum, tile, m, n);
    } else {
        multiply_tile<T, false>(sum, memory, operands);
        store_tile<T>(c, sum, tile, m, n);
    }
}

/* ---- The kernel with tiles through registers ----------------------------- */

/* Loads the tiles of A and B at `at` of k to registers. */
template <class T, class PLANS, unsigned N, unsigned M>
static __forceinline__ __device__ void
load_tiles(unsigned (&to_a)[N], unsigned (&to_b)[M], const void *a,
           const void *b, const tile_position<T> &tile, unsigned at, unsigned m,
           unsigned n, unsigned k) {
    load_rows<typename PLANS::ROWS_A, T::A_BY_COLUMNS>(
        to_a, (const typename T::element_a *)a, tile.row, at, m, k, T::ROWS,
        T::DEPTH);
    load_rows<typename PLANS::ROWS_B, T::B_BY_COLUMNS>(
        to_b, (const typename T::element_b *)b, at, tile.col, k, n, T::DEPTH,
        T::COLS);
}

/* ALIGNED: rows in memory start at multiples of 16 bytes. */
template <class T, bool ALIGNED>
__global__ void __launch_bounds__(T::THREADS)
    matmul_through_registers(typename T::result *c, const void *a,
                             const void *b, unsigned m, unsigned n,
                             unsigned k) {
    typedef register_plans<T, ALIGNED> plans;
    typedef typename plans::A A;
    typedef typename plans::B B;
    typedef typename plans::ROWS_A ROWS_A;
    typedef typename plans::ROWS_B ROWS_B;
    typedef typename plans::CONVERT_A CONVERT_A;
    typedef typename plans::CONVERT_B CONVERT_B;
    __shared__ __align__(16) unsigned char smem_a[LL_SMEM_BYTES(CONVERT_A)];
    __shared__ __align__(16) unsigned char smem_b[LL_SMEM_BYTES(CONVERT_B)];
    unsigned next_a[LL_WORDS(ROWS_A, T::BITS_A)];
    unsigned next_b[LL_WORDS(ROWS_B, T::BITS_B)];
    unsigned raw_a[LL_WORDS(A, T::BITS_A)], raw_b[LL_WORDS(B, T::BITS_B)];
    typename T::accumulator sum[tile_sums<T>::COUNT] = LL_ZERO;
    const tile_position<T> tile(m, n);
    if (ALIGNED) {
        load_tiles<T, plans>(next_a, next_b, a, b, tile, 0, m, n, k);
    }
    for (unsigned at = 0; at < k; at += T::DEPTH) {
        if (!ALIGNED) { /* addresses of elements take too many registers */
            load_tiles<T, plans>(next_a, next_b, a, b, tile, at, m, n, k);
        }
        LL_STORE_SHARED(next_a, CONVERT_A, smem_a);
        LL_STORE_SHARED(next_b, CONVERT_B, smem_b);
        __syncthreads();
        const unsigned next = at + T::DEPTH < k ? at + T::DEPTH : k;
        if (ALIGNED) { /* in flight while these tiles are multiplied */
            load_tiles<T, plans>(next_a, next_b, a, b, tile, next, m, n, k);
        }
        LL_LOAD_SHARED(raw_a, CONVERT_A, smem_a);
        LL_LOAD_SHARED(raw_b, CONVERT_B, smem_b);
        wide_operands<T, T::DEPTH> wide;
        wide.set(raw_a, raw_b);
        multiply(sum, wide);
        __syncthreads();
    }
    store_tile<T>(c, sum, tile, m, n);
}

/* ---- The launcher -------------------------------------------------------- */

/* Do rows of `elements` elements start at multiples of 16 bytes? */
static bool is_aligned(const void *p, unsigned elements, unsigned bits) {
    return (size_t)p % 16 == 0 && elements * (size_t)bits % 128 == 0;
}

template <class T> static unsigned block_count(unsigned m, unsigned n) {
    return (m + T::ROWS - 1) / T::ROWS * ((n + T::COLS - 1) / T::COLS);
}

/* Launches the kernel for aligned matrices of types P. */
template <class P>
static cudaError_t launch_aligned(typename P::result *c, const void *a,
                                  const void *b, unsigned m, unsigned n,
                                  unsigned k) {
    if constexpr (IS_PIPED<P>) {
        typedef piped_tile<P> T;
        static_assert(slice_plans<T, T::SLICES - 1>::CONFLICTS == 0,
                      "loads of operands have no bank conflicts");
        const cudaError_t err = cudaFuncSetAttribute(
            matmul_piped<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)T::SMEM);
        if (err) {
            return err;
        }
        matmul_piped<T>
            <<<block_count<T>(m, n), T::THREADS, T::SMEM, launch_stream()>>>(
                c, a, b, m, n, k);
    } else {
        typedef register_tile<P> T;
        matmul_through_registers<T, true>
            <<<block_count<T>(m, n), T::THREADS, 0, launch_stream()>>>(
                c, a, b, m, n, k);
    }
    return cudaGetLastError();
}

/* Computes C = A B. Returns an error message, or null. */
static const char *launch_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    typedef gemm_types P;
    typedef register_tile<P> T;
    P::result *to = (P::result *)c;
    if (!m || !n || !k || m > 1u << 22 || n > 1u << 22) {
        return "m, n and k are at least 1, and m and n at most 4 million";
    }
    if (is_aligned(a, COLS_A ? m : k, P::BITS_A) &&
        is_aligned(b, COLS_B ? k : n, P::BITS_B)) {
        return said(launch_aligned<P>(to, a, b, m, n, k));
    }
    matmul_through_registers<T, false>
        <<<block_count<T>(m, n), T::THREADS, 0, launch_stream()>>>(to, a, b, m,
                                                                   n, k);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {{160, 144, 80},
                                         {33, 7, 21},
                                         {1, 1, 1},
                                         {128, 256, 256},
                                         {4096, 4096, 4096}};
    const product p = {dtype::TYPE_A, dtype::TYPE_B, gemm_types::RESULT,
                       COLS_A != 0,   COLS_B != 0,   launch_matmul};
    return demonstrate_all(p, shapes, argc, argv);
}

#endif
