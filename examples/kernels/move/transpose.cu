/* transpose.cu - how to transpose a matrix at the speed of memory?
 * SPDX-License-Identifier: MIT
 *
 * A transpose moves every element once, so it can be as fast as a copy, but
 * only if it both reads and writes memory in long runs. A row of the source is
 * a column of the result, so lanes exchange a tile through shared memory, where
 * a careless layout makes 32 lanes queue for one bank. 02_transpose.c prints
 * the two layouts, the plan between them and pictures.
 *
 * Three versions for elements of 16 bits, each checked against the CPU:
 *   naive   every lane reads one element and writes one; only reads are in
 *           long runs
 *   padded  the classic tile of 32 x 33: the extra column avoids bank conflicts
 *   layout  two layouts, for reads and writes, and a plan between them;
 *           vectors, swizzle and index arithmetic all come from ll.h
 * bench/device/turn.h uses the same kernels for other types and sizes.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/kernels/move/transpose.cu -o transpose
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   transpose [rows columns], both multiples of 8
 */
#include "../check.h"
#include "../launch_stream.h"
#include "transpose.h"
#include <string.h>

/* Returns a grid of tiles. Its second dimension has at most 32768 rows of
 * tiles, further rows go to the third one. The last layer may have tiles beyond
 * the matrix. */
inline dim3 tile_grid(unsigned rows, unsigned cols, unsigned m, unsigned n) {
    const unsigned down = (m + rows - 1) / rows, most = 32768;
    return dim3((n + cols - 1) / cols, down < most ? down : most,
                (down + most - 1) / most);
}

struct tile_origin {
    size_t i, j;
};

/* Returns the first row and column of this block's tile. Blocks are numbered
 * along the rows of tiles; with BAND, along the columns of bands of BAND rows.
 */
template <unsigned BAND = 0>
__device__ tile_origin origin_of_tile(unsigned rows, unsigned cols) {
    unsigned y = blockIdx.z * gridDim.y + blockIdx.y, x = blockIdx.x;
    if constexpr (BAND != 0) {
        const unsigned all = gridDim.y * gridDim.z, above = y / BAND * BAND;
        const unsigned high = all - above < BAND ? all - above : BAND;
        const unsigned k = (y - above) * gridDim.x + x;
        y = above + k % high;
        x = k / high;
    }
    tile_origin c;
    c.i = (size_t)y * rows;
    c.j = (size_t)x * cols;
    return c;
}

/* Sets dst, n x m, to the transpose of src, m x n.
 *   ROWS, COLS  tile of a block
 *   IN, OUT     bytes that a lane reads and writes at once; rows of src have a
 *               multiple of IN bytes, rows of dst a multiple of OUT bytes
 *   HINT        0 or LL_STREAM
 *   BAND        order of the tiles, see above */
template <class T, unsigned ROWS, unsigned COLS, unsigned WARPS, unsigned IN,
          unsigned OUT, unsigned HINT = 0, unsigned BAND = 0>
__global__ void __launch_bounds__(32 * WARPS)
    transpose(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr unsigned size = sizeof(T);
    LL_LAYOUT(FROM, row_tile(ROWS, COLS, size, IN, WARPS));
    LL_LAYOUT(TO, row_tile(COLS, ROWS, size, OUT, WARPS));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(TO), "j i"));
    LL_PLAN(TURN, FROM, TURNED, 8 * size, LL_SM90);
    LL_EXPECT_NO_CONFLICTS(TURN);

    extern __shared__ __align__(16) unsigned char smem[];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    const tile_origin c = origin_of_tile<BAND>(ROWS, COLS);
    if (c.i >= m) {
        return;
    }
    const unsigned down = m - (unsigned)c.i, right = n - (unsigned)c.j;
    LL_LOAD_BY(a, FROM, HINT, src + c.i * n + c.j, n, down, right);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE_BY(b, TO, HINT, dst + c.j * m + c.i, m, right, down);
}

template <class T>
__global__ void naive(T *dst, const T *src, unsigned m, unsigned n) {
    const tile_origin c = origin_of_tile<>(32, 32);
    const size_t j = c.j + threadIdx.x % 32;
    for (unsigned r = threadIdx.x / 32; r < 32; r += 4) {
        const size_t i = c.i + r;
        if (i < m && j < n) {
            dst[j * m + i] = src[i * n + j];
        }
    }
}

template <class T>
__global__ void padded(T *dst, const T *src, unsigned m, unsigned n) {
    __shared__ T tile[32][33];
    const unsigned lane = threadIdx.x % 32;
    const tile_origin c = origin_of_tile<>(32, 32);
    for (unsigned r = threadIdx.x / 32; r < 32; r += 4) {
        if (c.i + r < m && c.j + lane < n) {
            tile[r][lane] = src[(c.i + r) * n + c.j + lane];
        }
    }
    __syncthreads();
    for (unsigned r = threadIdx.x / 32; r < 32; r += 4) {
        if (c.j + r < n && c.i + lane < m) {
            dst[(c.j + r) * m + c.i + lane] = tile[lane][r];
        }
    }
}

/* Launches a block per tile, with shared memory for the tile. */
template <class T, unsigned ROWS, unsigned COLS, unsigned WARPS, unsigned IN,
          unsigned OUT, unsigned HINT = 0, unsigned BAND = 0>
void launch_transpose(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr auto kernel =
        transpose<T, ROWS, COLS, WARPS, IN, OUT, HINT, BAND>;
    const unsigned bytes = ROWS * COLS * sizeof(T);
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<tile_grid(ROWS, COLS, m, n), 32 * WARPS, bytes,
             ll_kernels::launch_stream()>>>(dst, src, m, n);
}

#ifndef LL_NO_MAIN

typedef unsigned short element;
static_assert(sizeof(element) == TILE_BYTES, "the tile of transpose.h");

/* Runs one version and prints a line of the table. Returns the number of wrong
 * elements. */
template <class F>
size_t compare(const char *name, F run, const element *src, element *dst,
               element *device, unsigned m, unsigned n) {
    const size_t bytes = (size_t)m * n * sizeof(element);
    size_t wrong = 0;
    MUST(cudaMemset(device, 0xee, bytes));
    const float ms = timed(run);
    MUST(cudaMemcpy(dst, device, bytes, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            wrong += dst[(size_t)j * m + i] != src[(size_t)i * n + j];
        }
    }
    report(name, wrong, ms, 2.0 * (double)bytes);
    return wrong;
}

/* All three versions, one after the other. */
size_t compare_all(element *src, element *dst, element *a, element *b,
                   unsigned m, unsigned n) {
    const dim3 grid = tile_grid(32, 32, m, n);
    size_t wrong = compare("naive", [=] {
        naive<element><<<grid, 128>>>(b, a, m, n);
    }, src, dst, b, m, n);
    wrong += compare("padded", [=] {
        padded<element><<<grid, 128>>>(b, a, m, n);
    }, src, dst, b, m, n);
    wrong += compare(
        "layout",
        [=] {
            launch_transpose<element, TILE_ROWS, TILE_COLS, TILE_WARPS,
                             TILE_ACCESS, TILE_ACCESS>(b, a, m, n);
        },
        src, dst, b, m, n);
    return wrong;
}

int main(int argc, char **argv) {
    const int m = argc > 2 ? atoi(argv[1]) : on_gpu() ? 8000 : 200;
    const int n = argc > 2 ? atoi(argv[2]) : on_gpu() ? 12000 : 328;
    if (argc == 2 || argc > 3 || m < 8 || n < 8 || m % 8 || n % 8 ||
        (double)m * n > 4e9) {
        fprintf(stderr, "usage: transpose [rows columns], positive multiples "
                        "of 8, 4e9 elements at most\n");
        return 2;
    }
    const size_t bytes = (size_t)m * (size_t)n * sizeof(element);
    element *src = (element *)malloc(bytes), *dst = (element *)malloc(bytes);
    element *a, *b;
    MUST(src && dst ? cudaSuccess : cudaErrorMemoryAllocation);
    MUST(cudaMalloc((void **)&a, bytes));
    MUST(cudaMalloc((void **)&b, bytes));
    randomise(src, bytes, 1);
    MUST(cudaMemcpy(a, src, bytes, cudaMemcpyHostToDevice));
    printf("A matrix of %d x %d elements of 16 bits.\n", m, n);
    report_head();
    const size_t wrong = compare_all(src, dst, a, b, (unsigned)m, (unsigned)n);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    free(src);
    free(dst);
    printf(wrong ? "\nWRONG\n" : "\nAll three agree with the CPU.\n");
    return wrong != 0;
}

#endif
