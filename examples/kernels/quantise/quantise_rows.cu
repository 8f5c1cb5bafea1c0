/* quantise_rows.cu - how is each row of any length quantised by its own scale?
 * SPDX-License-Identifier: MIT
 *
 * Products of fp8 with a scale for each token take rows of e4m3 and one float
 * for each of them. The largest magnitude of a row must be known before its
 * first byte can be written. The row is read once and stays in registers: of a
 * block, or, beyond 16k elements, of a cluster of up to 16 blocks. Magnitudes
 * of 16 bits are ordered as whole numbers are, so that one instruction compares
 * two of them. One LL_REDUCE combines lanes and warps, one more the blocks.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/quantise/quantise_rows.cu -o q
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "quantise.h"

using namespace ll_kernels;

struct largest_of {
    __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

/* dst, rows x n, becomes src divided by scales, one for each row. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, bool FULL_TILE,
          unsigned PREFETCH, bool POWER>
__global__ void __launch_bounds__(32 * WARPS * ROWS_PER_BLOCK,
                                  resident(PER_LANE * 2, WARPS *ROWS_PER_BLOCK,
                                           PREFETCH))
    quantise_rows(unsigned rows, unsigned n, unsigned *count,
                  unsigned char *dst, float *scales, const ELEMENT *src) {
    LL_LAYOUT(ROW_LAYOUT, row_of(8, PER_LANE, WARPS, 1, ROWS_PER_BLOCK));
    __shared__ row_reducer<float, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK> team;
    extern __shared__ __align__(128) unsigned char buffers[];
    row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH> here(
        rows, n, count);
    unsigned a[PER_LANE / 2], q[PER_LANE / 4], turn = 0;
    team.start();
    here.start(buffers, src);
    do {
        unsigned pair = 0;
        float by;
        here.load(a, buffers, src, (ELEMENT)0.0f);
        LL_UNROLL
        for (unsigned w = 0; w < PER_LANE / 2; ++w) {
            pair = larger()(pair, a[w] & 0x7fff7fffu);
        }
        pair = larger()(pair, pair >> 16);
        const float most =
            team.all(number<ELEMENT>(&pair, 0), turn, largest_of(), here);
        here.fetch(buffers, src);
        const float scale = scale_of<POWER>(most, &by);
        quantise_tile<as_e4m3, ELEMENT>(q, a, [&](unsigned) { return by; });
        LL_UNROLL
        for (unsigned r = 0; r < PER_LANE; r += 8) {
            if (here.has(r)) {
                *(uint2 *)(dst + (size_t)here.row * n + here.column(r)) =
                    make_uint2(q[r / 4], q[r / 4 + 1]);
            }
        }
        if (here.column(0) == 0 && here.has(0)) {
            scales[here.row] = scale;
        }
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Rows of n elements, a multiple of 16: a row has PER_LANE numbers of each
 * lane, WARPS warps and CLUSTER_BLOCKS blocks of a cluster; a block has
 * ROWS_PER_BLOCK rows, or PREFETCH rows that are brought ahead. Returns null,
 * or a sentence. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool POWER = false>
const char *quantise_rows_by(unsigned char *dst, float *scales,
                             const ELEMENT *src, unsigned rows, unsigned n) {
    const char *const bad =
        n % 16 ? "rows are multiples of 16 elements" : misplaced(dst, src);
    return bad ? bad
               : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                             ROWS_PER_BLOCK, PREFETCH>(
                     quantise_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                   ROWS_PER_BLOCK, true, PREFETCH, POWER>,
                     quantise_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                   ROWS_PER_BLOCK, false, PREFETCH, POWER>,
                     row_launch{rows, n}, dst, scales, src);
}

#ifndef LL_NO_MAIN

/* The scale of row i, by the definition. */
template <class ELEMENT>
double scale_by_hand(const table<ELEMENT> &src, unsigned i, bool power) {
    double most = 0;
    for (unsigned j = 0; j < src.cols; ++j) {
        most = fmax(most, fabs(src.at(i, j)));
    }
    return power ? ldexp(1, ilogb(most) - 8) : fmax(most, 1e-12) / 448;
}

/* Runs rows of n elements and returns how many numbers are wrong. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool POWER = false>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> src(rows, n, 1, -3, 5);
    table<unsigned char> dst(rows, n);
    table<float> scales(1, rows);
    unsigned wrong = 0;
    MUST(quantise_rows_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                          ROWS_PER_BLOCK, PREFETCH, POWER>(
        dst.device, scales.device, src.device, rows, n));
    dst.fetch(), scales.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        const double scale = scales.at(0, i);
        const double want = scale_by_hand(src, i, POWER);
        wrong += !(fabs(scale - want) <= 2e-7 * want);
        for (unsigned j = 0; j < n; ++j) {
            wrong +=
                !is_e4m3_of(dst.host[(size_t)i * n + j], scale, src.at(i, j));
        }
    }
    printf("%u rows of %u elements, %u blocks a row: %u wrong\n", rows, n,
           CLUSTER_BLOCKS, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 1, 1, 4, 0>(8, 512);
    wrong += check<bf16, 16, 1, 1, 4, 0, true>(7, 496);
    wrong += check<f16, 16, 2, 1, 1, 0>(3, 1024);
    wrong += check<bf16, 16, 4, 1, 1, 0>(3, 1040);
    wrong += check<f16, 16, 2, 2, 1, 2>(19, 2048);
    wrong += check<bf16, 16, 2, 2, 1, 3>(19, 1936);
    wrong += check<bf16, 32, 4, 2, 1, 2>(19, 8192);
    alignas(16) unsigned char x[64] = {};
    const unsigned n[] = {0, 24, 528, 16};
    for (unsigned k = 0; k < 5; ++k) { /* none, odd, too many, a wrong place */
        wrong += !quantise_rows_by<bf16, 16, 1, 1, 1, 0>(
            x + k / 4, (float *)x, (const bf16 *)x, k != 3, n[k % 4]);
    }
    return verdict(wrong);
}

#endif
