/* transpose.cu - how does a matrix turn around at the speed of memory?
 * SPDX-License-Identifier: MIT
 *
 * A transpose moves every element once, so it can be as fast as a copy, but
 * only if both sides of it touch memory in long runs. A row of the source is a
 * column of the result: between the two, a tile has to change hands, through
 * shared memory, where a careless layout makes 32 lanes queue for one bank.
 *
 * Three versions, each checked against the CPU:
 *   naive   every lane reads one element and writes one; long runs on one side
 *   padded  the classic tile of 32 x 33: one column more, so that no bank is
 *           asked twice
 *   layout  two layouts, for the two sides, and a plan between them; vectors,
 *           swizzle and index arithmetic all come from ll.h
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. examples/transpose.cu -o transpose
 *        or, without a GPU, tests/emu/emucc -I. examples/transpose.cu -o ..
 * Run:   transpose [bits rows columns]
 */
#include "check.h"
#include "ll_ptx.h"
#include <string.h>

/* The tile of one block, lanes along the row. The square of elements that a lane
 * holds before as well as after the turn is what one access to shared memory can
 * move: 16 bytes or more. */
constexpr ll_layout rows_of(unsigned rows, unsigned cols, unsigned bytes,
                            unsigned access, unsigned warps) {
    return LL_ROWS(.rows = rows, .cols = cols, .bytes = bytes, .access = access,
                   .height = bytes < 4 ? 4u : 2u, .warps = warps);
}

/* A grid of tiles. Its second dimension ends at 65535, so that further rows of
 * tiles go to the third; of the last such layer some may lie beyond the end. */
inline dim3 tiles(unsigned rows, unsigned cols, unsigned m, unsigned n) {
    const unsigned down = (m + rows - 1) / rows, most = 32768;
    return dim3((n + cols - 1) / cols, down < most ? down : most,
                (down + most - 1) / most);
}

/* Where the tile of this block starts. */
struct corner {
    size_t i, j;
};

__device__ inline corner tile_corner(unsigned rows, unsigned cols) {
    corner c;
    c.i = (size_t)(blockIdx.z * gridDim.y + blockIdx.y) * rows;
    c.j = (size_t)blockIdx.x * cols;
    return c;
}

/* dst, n x m, becomes the transpose of src, m x n. A block turns a tile of ROWS
 * x COLS; IN and OUT bytes are what one lane reads and writes at once, and n
 * and m in bytes are multiples of them. */
template <class T, unsigned ROWS, unsigned COLS, unsigned WARPS, unsigned IN,
          unsigned OUT>
__global__ void __launch_bounds__(32 * WARPS)
    transpose(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr unsigned size = sizeof(T);
    LL_LAYOUT(FROM, rows_of(ROWS, COLS, size, IN, WARPS));
    LL_LAYOUT(TO, rows_of(COLS, ROWS, size, OUT, WARPS));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(TO), "j i"));
    LL_PLAN(TURN, FROM, TURNED, 8 * size, LL_SM90);
    LL_EXPECT_NO_CONFLICTS(TURN);

    extern __shared__ __align__(16) unsigned char smem[];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    const corner c = tile_corner(ROWS, COLS);
    if (c.i >= m) {
        return;
    }
    const unsigned down = m - (unsigned)c.i, right = n - (unsigned)c.j;
    LL_LOAD(a, FROM, src + c.i * n + c.j, n, down, right);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, TO, dst + c.j * m + c.i, m, right, down);
}

template <class T>
__global__ void naive(T *dst, const T *src, unsigned m, unsigned n) {
    const corner c = tile_corner(32, 32);
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
    const corner c = tile_corner(32, 32);
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

/* The tile for an element size. Memory likes runs of 256 bytes on both sides;
 * a small matrix likes to be spread evenly over the multiprocessors. */
struct tile {
    unsigned rows, cols, warps;
};

constexpr tile tile_for(unsigned size, bool vectors, bool large) {
    return size == 8   ? tile{64, 32, 8}
           : !vectors  ? tile{128, 64, 8}
           : size == 1 ? large ? tile{256, 256, 16} : tile{64, 256, 4}
           : size == 2 ? large ? tile{128, 128, 8} : tile{128, 64, 8}
                       : tile{64, 64, 16};
}

constexpr bool is_large(size_t bytes) { return bytes > (size_t)1 << 27; }

template <class T, bool LARGE, unsigned IN, unsigned OUT>
void turn(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr tile t = tile_for(sizeof(T), IN == 16 && OUT == 16, LARGE);
    constexpr auto kernel = transpose<T, t.rows, t.cols, t.warps, IN, OUT>;
    const unsigned bytes = t.rows * t.cols * sizeof(T);
    const dim3 grid = tiles(t.rows, t.cols, m, n);
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<grid, 32 * t.warps, bytes>>>(dst, src, m, n);
}

/* Where rows do not start at multiples of 16 bytes, elements move one by one. */
template <class T>
void transposed(T *dst, const T *src, unsigned m, unsigned n) {
    const bool in = n * sizeof(T) % 16 == 0, out = m * sizeof(T) % 16 == 0;
    const bool large = is_large((size_t)m * n * sizeof(T));
    in && out && large ? turn<T, true, 16, 16>(dst, src, m, n)
    : in && out        ? turn<T, false, 16, 16>(dst, src, m, n)
    : in               ? turn<T, false, 16, sizeof(T)>(dst, src, m, n)
    : out              ? turn<T, false, sizeof(T), 16>(dst, src, m, n)
                       : turn<T, false, sizeof(T), sizeof(T)>(dst, src, m, n);
}

#ifndef LL_NO_MAIN

/* The plan in words, and a picture of who meets which bank. */
template <class T> void explain(unsigned m, unsigned n) {
    static char text[1 << 16];
    const unsigned size = sizeof(T), bits = 8 * size;
    const unsigned in = n * size % 16 ? size : 16, out = m * size % 16 ? size : 16;
    const tile t = tile_for(size, in == 16 && out == 16,
                            is_large((size_t)m * n * size));
    const ll_layout from = rows_of(t.rows, t.cols, size, in, t.warps);
    const ll_layout to =
        ll_trans(rows_of(t.cols, t.rows, size, out, t.warps), "j i");
    const ll_plan plan = ll_plan_of(from, to, bits, LL_SM90);
    printf("A matrix of %u x %u elements of %u bits, turned in tiles of %u x %u"
           ".\n\n", m, n, bits, t.rows, t.cols);
    ll_str(from, text, sizeof text);
    printf("A block reads a tile as\n  %s\n", text);
    ll_str(to, text, sizeof text);
    printf("and writes it as\n  %s\nBetween the two, ", text);
    ll_explain(plan, text, sizeof text);
    printf("%s\nThe first phase of a store, a line for each row of banks, with "
           "the lane at each bank:\n\n", text);
    ll_draw(from, plan.memory, bits, plan.step[0].bytes, LL_WRITE, LL_SM90,
            text, sizeof text);
    printf("%s\nand of a load:\n\n", text);
    ll_draw(to, plan.memory, bits, plan.step[2].bytes, LL_READ, LL_SM90, text,
            sizeof text);
    printf("%s\nNo column is used twice: no two lanes wait for one bank.\n\n",
           text);
}

/* Runs one version and prints a line of the table; returns the elements that
 * are wrong. */
template <class T, class F>
size_t compare(const char *name, F run, const T *src, T *dst, T *device,
               unsigned m, unsigned n) {
    const size_t bytes = (size_t)m * n * sizeof(T);
    size_t wrong = 0;
    MUST(cudaMemset(device, 0xee, bytes));
    const float ms = timed(run);
    MUST(cudaMemcpy(dst, device, bytes, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            wrong += memcmp(&dst[(size_t)j * m + i], &src[(size_t)i * n + j],
                            sizeof(T)) != 0;
        }
    }
    report(name, wrong, ms, 2.0 * (double)bytes);
    return wrong;
}

template <class T> int demonstrate(unsigned m, unsigned n) {
    const size_t count = (size_t)m * n;
    T *src = (T *)malloc(count * sizeof(T)), *dst = (T *)malloc(count * sizeof(T));
    T *a, *b;
    const dim3 grid = tiles(32, 32, m, n);
    MUST(src && dst ? cudaSuccess : cudaErrorMemoryAllocation);
    MUST(cudaMalloc((void **)&a, count * sizeof(T)));
    MUST(cudaMalloc((void **)&b, count * sizeof(T)));
    randomise(src, count * sizeof(T), 1);
    MUST(cudaMemcpy(a, src, count * sizeof(T), cudaMemcpyHostToDevice));
    explain<T>(m, n);
    report_head();
    size_t wrong = compare("naive", [=] {
        naive<T><<<grid, 128>>>(b, a, m, n);
    }, src, dst, b, m, n);
    wrong += compare("padded", [=] {
        padded<T><<<grid, 128>>>(b, a, m, n);
    }, src, dst, b, m, n);
    wrong += compare("layout", [=] { transposed(b, a, m, n); }, src, dst, b, m,
                     n);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    free(src);
    free(dst);
    printf(wrong ? "\nWRONG\n" : "\nAll three agree with the CPU.\n");
    return wrong != 0;
}

int main(int argc, char **argv) {
    const int bits = argc > 1 ? atoi(argv[1]) : 16;
    const int m = argc > 2 ? atoi(argv[2]) : on_gpu() ? 8000 : 200;
    const int n = argc > 3 ? atoi(argv[3]) : on_gpu() ? 12000 : 328;
    if (m < 1 || n < 1 || (double)m * n > 4e9) {
        fprintf(stderr, "rows and columns are positive, 4e9 elements at most\n");
        return 2;
    }
    switch (bits) {
    case 8: return demonstrate<unsigned char>((unsigned)m, (unsigned)n);
    case 16: return demonstrate<unsigned short>((unsigned)m, (unsigned)n);
    case 32: return demonstrate<unsigned>((unsigned)m, (unsigned)n);
    case 64: return demonstrate<unsigned long long>((unsigned)m, (unsigned)n);
    }
    fprintf(stderr, "usage: transpose [8|16|32|64 [rows columns]]\n");
    return 2;
}

#endif
