/* quantise_rows.cu - how is each row of any length quantised by its own scale?
 * SPDX-License-Identifier: MIT
 *
 * An fp8 GEMM with a scale per token takes rows of e4m3 and one float for each
 * row. The largest magnitude of a row must be known before its first byte can
 * be written. So the row is read once and stays in registers: of a block, or,
 * beyond 16k elements, of a cluster of up to 16 blocks. Magnitudes of 16 bits
 * are ordered as whole numbers are, so one instruction compares two of them.
 * One LL_REDUCE combines lanes and warps, a second one the blocks.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/quantise/quantise_rows.cu -o q
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "quantise.h"

using namespace ll_kernels;

struct larger_float {
    __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

/* Quantises src, rows x n, by one scale per row. The template parameters are
 * those of quantise_rows_by. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, bool FULL_TILE,
          unsigned PREFETCH, bool POWER_OF_TWO>
__global__ void __launch_bounds__(32 * WARPS * ROWS_PER_BLOCK,
                                  resident(PER_LANE * 2, WARPS *ROWS_PER_BLOCK,
                                           PREFETCH))
    quantise_rows(unsigned rows, unsigned n, unsigned *count,
                  unsigned char *dst, float *scales, const ELEMENT *src) {
    LL_LAYOUT(ROW_LAYOUT, row_of(8, PER_LANE, WARPS, 1, ROWS_PER_BLOCK));
    __shared__ row_reducer<float, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK>
        reducer;
    extern __shared__ __align__(128) unsigned char buffers[];
    row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH> here(
        rows, n, count);
    unsigned a[PER_LANE / 2], q[PER_LANE / 4], turn = 0;
    reducer.start();
    here.start(buffers, src);
    do {
        unsigned pair = 0;
        float inverse;
        here.load(a, buffers, src, (ELEMENT)0.0f);
        LL_UNROLL
        for (unsigned w = 0; w < PER_LANE / 2; ++w) {
            pair = larger_magnitudes()(pair, a[w] & 0x7fff7fffu);
        }
        pair = larger_magnitudes()(pair, pair >> 16);
        const float peak =
            reducer.all(number<ELEMENT>(&pair, 0), turn, larger_float(), here);
        here.fetch(buffers, src);
        const float scale = scale_for<POWER_OF_TWO>(peak, &inverse);
        quantise_tile<e4m3_format, ELEMENT>(q, a,
                                            [&](unsigned) { return inverse; });
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
    reducer.end();
}

/* Launches quantise_rows. Returns an error message, or null.
 *   n               elements of a row, a multiple of 16
 *   PER_LANE        elements of a row per lane
 *   WARPS           warps per row and block
 *   CLUSTER_BLOCKS  blocks of a cluster that share a row
 *   ROWS_PER_BLOCK  rows that a block processes at a time
 *   PREFETCH        rows that TMA brings ahead
 *   POWER_OF_TWO    scales are powers of two */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool POWER_OF_TWO = false>
const char *quantise_rows_by(unsigned char *dst, float *scales,
                             const ELEMENT *src, unsigned rows, unsigned n) {
    const char *const bad =
        n % 16 ? "rows are multiples of 16 elements" : misplaced(dst, src);
    return bad ? bad
               : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                             ROWS_PER_BLOCK, PREFETCH>(
                     quantise_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                   ROWS_PER_BLOCK, true, PREFETCH,
                                   POWER_OF_TWO>,
                     quantise_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                   ROWS_PER_BLOCK, false, PREFETCH,
                                   POWER_OF_TWO>,
                     row_launch{rows, n}, dst, scales, src);
}

#ifndef LL_NO_MAIN

/* Returns the scale of row i by its definition. */
template <class ELEMENT>
double scale_by_hand(const table<ELEMENT> &src, unsigned i, bool power_of_two) {
    double most = 0;
    for (unsigned j = 0; j < src.cols; ++j) {
        most = fmax(most, fabs(src.at(i, j)));
    }
    return power_of_two ? ldexp(1, ilogb(most) - 8) : fmax(most, 1e-12) / 448;
}

/* Quantises rows of n elements. Returns the number of wrong results. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool POWER_OF_TWO = false>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> src(rows, n, 1, -3, 5);
    table<unsigned char> dst(rows, n);
    table<float> scales(1, rows);
    unsigned wrong = 0;
    MUST(quantise_rows_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                          ROWS_PER_BLOCK, PREFETCH, POWER_OF_TWO>(
        dst.device, scales.device, src.device, rows, n));
    dst.fetch(), scales.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        const double scale = scales.at(0, i);
        const double want = scale_by_hand(src, i, POWER_OF_TWO);
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
