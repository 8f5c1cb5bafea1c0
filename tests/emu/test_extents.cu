/* test_extents.cu - the rows and columns that LL_LOAD, LL_STORE and LL_COPY
 * take: numbers of any type, and none below 0.
 * SPDX-License-Identifier: MIT
 *
 * Blocks beyond the edge count their rows as `rows - row`, which is below 0
 * there. Their tiles are zeros, and they store nothing.
 */
#include "../test.h"

#include "../../ll_ptx.h"

enum { SIDE = 32 };
LL_LAYOUT(TILE, ll_rows(32, 32, 4));
LL_PLAN_BY(FEED, TILE, TILE, 32, LL_SM90, LL_COPIES);

static unsigned *source, *target, *copied;

template <class ROWS, class COLS>
__global__ void moved(unsigned *dst, unsigned *fed, const unsigned *src,
                      ROWS rows, COLS cols) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(FEED)];
    unsigned a[LL_REGS(TILE)], b[LL_REGS(TILE)];
    LL_LOAD(a, TILE, src, SIDE, rows, cols);
    LL_EACH(r, TILE) { ++a[r]; } /* 1 where nothing was loaded */
    LL_STORE_BY(a, TILE, LL_STREAM, dst, SIDE, rows, cols);
    LL_COPY(FEED, smem, src, SIDE, rows, cols);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    __syncthreads();
    LL_LOAD_SHARED(b, FEED, smem);
    LL_STORE(b, TILE, fed, SIDE);
}

/* The tile has `rows` rows and `cols` columns of the source, and no more is
 * stored. */
static unsigned wrong(unsigned rows, unsigned cols) {
    unsigned n = 0;
    for (unsigned at = 0; at < SIDE * SIDE; ++at) {
        const int in = at / SIDE < rows && at % SIDE < cols;
        n += target[at] != (in ? source[at] + 1u : 7u);
        n += copied[at] != (in ? source[at] : 0u);
    }
    return n;
}

template <class ROWS, class COLS>
static void moves(ROWS rows, COLS cols, unsigned want_rows,
                  unsigned want_cols) {
    for (unsigned at = 0; at < SIDE * SIDE; ++at) {
        source[at] = at + 100u;
        target[at] = 7u;
        copied[at] = 9u;
    }
    moved<ROWS, COLS><<<1, LL_THREADS(TILE)>>>(target, copied, source, rows,
                                               cols);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(wrong(want_rows, want_cols) == 0);
}

static void numbers_below_0_are_0(void) {
    moves(-1, 32, 0, 32);
    moves(-4, -4, 0, 0);
    moves(5, -2147483647 - 1, 5, 0);
    moves((short)-3, 32u, 0, 32);
    moves((signed char)-3, 32, 0, 32);
    moves(-3l, 32l, 0, 32);
    moves(32ll, -1ll, 32, 0);
    moves(-(1ll << 40), 32, 0, 32);
}

static void other_numbers_are_what_they_were(void) {
    moves(0, 0, 0, 0);
    moves(5, 8, 5, 8);
    moves(5u, 8u, 5, 8);
    moves(5ll, 8ull, 5, 8);
    moves((unsigned char)200, (unsigned short)40000, 32, 32);
    moves(~0u, 0xfffffff0u, 32, 32); /* of an unsigned type: large */
    moves(2147483647, 32l, 32, 32);
    moves(true, 32, 1, 32);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    cudaMallocManaged(&source, SIDE * SIDE * sizeof *source);
    cudaMallocManaged(&target, SIDE * SIDE * sizeof *target);
    cudaMallocManaged(&copied, SIDE * SIDE * sizeof *copied);
    RUN(numbers_below_0_are_0);
    RUN(other_numbers_are_what_they_were);
    return test_end();
}
