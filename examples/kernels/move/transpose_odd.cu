/* transpose_odd.cu - how to transpose a matrix whose rows are unaligned?
 * SPDX-License-Identifier: MIT
 *
 * Rows of 7001 bytes start anywhere, so neither vectors nor words are aligned.
 * Element by element, the transpose of 5003 x 7001 bytes reaches 0.48 of the
 * speed of a copy. This kernel accesses memory in words and whole sectors:
 *   load     A lane loads the aligned words around its run of a row and shifts
 *            them by 0 to 3 bytes.
 *   convert  A plan between two layouts, as if all rows were aligned.
 *   store    A row of the result is cut at sectors of 32 bytes, at another
 *            column in each row. A tile therefore loads 32 bytes of rows more
 *            than it stores, and the lanes of a row rotate their words until
 *            the first one starts a sector.
 * transpose_words.h loads and stores; this file has the kernel.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/kernels/move/transpose_odd.cu -o odd
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   odd [rows columns]
 */
#include "../check.h"
#include "ll_ptx.h"
#include "transpose_short.h"
#include "transpose_words.h"

using namespace ll_kernels;

/* Sets dst, n x m, to the transpose of src, m x n, for any m and n and elements
 * of 1, 2 or 4 bytes, and likewise the matrices that follow. A matrix takes
 * `folds` layers of blocks. A block loads ROWS x COLS elements and stores all
 * but 32 bytes of each row. The blocks at the lower end, which store single
 * elements, start first. */
template <class T, unsigned ROWS, unsigned COLS, unsigned WARPS, unsigned RUN,
          unsigned BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    transpose_odd(T *dst, const T *src, unsigned m, unsigned n,
                  unsigned folds) {
    constexpr unsigned size = sizeof(T), more = 32 / size, step = ROWS - more;
    LL_LAYOUT(FROM, LL_ROWS(.rows = ROWS, .cols = COLS, .bytes = size,
                            .access = RUN, .height = 4 / size, .warps = WARPS));
    LL_LAYOUT(TO, LL_ROWS(.rows = COLS, .cols = ROWS, .bytes = size,
                          .access = 4, .height = 4 / size, .warps = WARPS));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(TO), "j i"));
    LL_PLAN(TURN, FROM, TURNED, 8 * size, LL_SM90);
    LL_EXPECT_NO_CONFLICTS(TURN);

    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    const unsigned down = (m + more + step - 1) / step;
    const unsigned y = blockIdx.z % folds * gridDim.y + blockIdx.y;
    src += blockIdx.z / folds * (size_t)m * n;
    dst += blockIdx.z / folds * (size_t)m * n;
    if (y >= down) {
        return;
    }
    const unsigned i = (y ? y - 1 : down - 1) * step, j = blockIdx.x * COLS;
    const bool inner = i >= more && i + step < m;
    const size_t rows = i + step < m ? i + step : m;
    const bool is_at_end = (rows - 1) * n + j + COLS + 4 > (size_t)m * n;
    read_tile<FROM, RUN>(a, src, (long long)i - more, j, m, n, is_at_end);
    LL_CONVERT(b, a, TURN, smem);
    if (inner) {
        write_tile<TO, true>(dst, b, j, i, n, m);
    } else {
        write_tile<TO, false>(dst, b, j, i, n, m);
    }
}

/* Launches the kernel with the tiles that were fastest for 5003 x 7001 and
 * 255 x 32769 elements. Returns an error message, or null. */
template <class T>
const char *launch_transpose_odd(T *dst, const T *src, unsigned m, unsigned n,
                                 unsigned count = 1) {
    constexpr unsigned size = sizeof(T), cols = size == 4 ? 64 : 128;
    constexpr unsigned rows = size == 1 ? 256 : 128, run = size == 4 ? 8 : 16;
    constexpr unsigned blocks = size == 4 ? 3 : 4;
    constexpr unsigned step = rows - 32 / size, most = 32768;
    const unsigned down = (m + 32 / size + step - 1) / step;
    const unsigned folds = (down + most - 1) / most;
    if (const char *const bad =
            odd_refusal(dst, src, m, n, size, (size_t)folds * count)) {
        return bad;
    }
    if (m <= SHORT_ROWS && m >= SHORT_ROWS / 4) {
        launch_transpose_short(dst, src, m, n, count);
        return said(cudaGetLastError());
    }
    const dim3 grid((n + cols - 1) / cols, down < most ? down : most,
                    folds * count);
    transpose_odd<T, rows, cols, 8, run, blocks>
        <<<grid, 256, 0, launch_stream()>>>(dst, src, m, n, folds);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class T> size_t wrong(unsigned m, unsigned n) {
    const size_t bytes = (size_t)m * n * sizeof(T);
    T *src = (T *)malloc(bytes), *dst = (T *)malloc(bytes), *a, *b;
    MUST(src && dst ? cudaSuccess : cudaErrorMemoryAllocation);
    MUST(cudaMalloc((void **)&a, bytes));
    MUST(cudaMalloc((void **)&b, bytes));
    randomise(src, bytes, 1);
    MUST(cudaMemcpy(a, src, bytes, cudaMemcpyHostToDevice));
    MUST(cudaMemset(b, 0xee, bytes));
    MUST(launch_transpose_odd(b, a, m, n));
    MUST(cudaMemcpy(dst, b, bytes, cudaMemcpyDeviceToHost));
    size_t count = 0;
    for (size_t k = 0; k < (size_t)m * n; ++k) {
        count += dst[k % n * m + k / n] != src[k];
    }
    printf("%u x %u elements of %2u bits: %zu wrong\n", m, n,
           8 * (unsigned)sizeof(T), count);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    free(src);
    free(dst);
    return count;
}

int main(int argc, char **argv) {
    unsigned sizes[][2] = {{275, 193}, {1, 1},  {2, 131},
                           {259, 3},   {96, 64}, {255, 193}};
    unsigned count = 6, failed = 0;
    if (argc > 1) {
        const int m = atoi(argv[1]), n = argc > 2 ? atoi(argv[2]) : 0;
        if (argc != 3 || m < 1 || n < 1 || (double)m * n > 1e9) {
            fprintf(stderr, "usage: odd [rows columns], 1e9 elements at "
                            "most\n");
            return 2;
        }
        sizes[0][0] = (unsigned)m, sizes[0][1] = (unsigned)n;
        count = 1;
    }
    for (unsigned k = 0; k < count; ++k) {
        const unsigned m = sizes[k][0], n = sizes[k][1];
        failed += (wrong<unsigned char>(m, n) != 0) +
                  (wrong<unsigned short>(m, n) != 0) +
                  (wrong<unsigned>(m, n) != 0);
    }
    printf("%u passed, %u failed\n", 3 * count - failed, failed);
    return failed != 0;
}

#endif
