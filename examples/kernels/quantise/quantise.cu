/* quantise.cu - how are rows and columns quantised in one pass?
 * SPDX-License-Identifier: MIT
 *
 * Training in 8 bits multiplies a matrix and its transpose, and each has its
 * own scales: one for 128 elements of a row, one for 128 elements of a column.
 * The columns are stored as rows of the transposed result. A block reads a tile
 * of 128 x 128 once. LL_REDUCE along either axis finds the largest magnitudes.
 * Bytes scaled by rows are stored directly from registers. Bytes scaled by
 * columns go through shared memory by one plan without bank conflicts; a lane
 * holds 4 x 4 neighbours of them. While they wait there, the first bytes are
 * stored. The blocks of a cluster start together, so that adjacent
 * runs of 128 bytes are written at about the same time.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/quantise/quantise.cu -o quantise
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "quantise.h"

using namespace ll_kernels;

/* Sides of a tile; a cluster has CLUSTER_COLS x CLUSTER_ROWS blocks. */
enum { SIDE = 128, WARPS = 8, CLUSTER_COLS = 4, CLUSTER_ROWS = 2 };

LL_LAYOUT(TILE, LL_ROWS(.rows = SIDE, .cols = SIDE, .bytes = 2, .access = 16,
                        .height = 4, .warps = WARPS));
LL_LAYOUT(PAIRS, LL_ROWS(.rows = SIDE, .cols = SIDE / 2, .bytes = 4,
                         .access = 16, .height = 4, .warps = WARPS));
LL_LAYOUT(OUT, LL_ROWS(.rows = SIDE, .cols = SIDE, .bytes = 1, .access = 16,
                       .height = 4, .warps = WARPS));
LL_LAYOUT(TRANSPOSED, ll_trans(LL_GET(OUT), "j i"));
LL_PLAN(TRANSPOSE, TILE, TRANSPOSED, 8, LL_SM90);
LL_EXPECT_NO_CONFLICTS(TRANSPOSE);
LL_REDUCE_PLAN(ROWS, PAIRS, LL_J, 32, LL_SM90); /* pairs of 16 bits */
LL_REDUCE_PLAN(COLS, PAIRS, LL_I, 32, LL_SM90);
LL_LAYOUT(ROW, ll_reduce(LL_GET(PAIRS), LL_J));
LL_LAYOUT(PAIR, ll_reduce(LL_GET(PAIRS), LL_I));

/* Quantises src, m x n, by rows and by columns. m and n are multiples of 16, or
 * of 128 if FULL_TILE.
 *   by_rows  src divided by row_scales[j / 128][i]
 *   by_cols  the transpose of src divided by col_scales[i / 128][j], n x m */
template <class ELEMENT, bool FULL_TILE, bool POWER_OF_TWO>
__global__ void __cluster_dims__(CLUSTER_COLS, CLUSTER_ROWS,
                                 1) __launch_bounds__(32 * WARPS, 3)
    quantise(unsigned char *by_rows, unsigned char *by_cols, float *row_scales,
             float *col_scales, const ELEMENT *src, unsigned m, unsigned n) {
    __shared__ __align__(16) unsigned char transposed[LL_SMEM_BYTES(TRANSPOSE)];
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(COLS)];
    const size_t i = blockIdx.y * SIDE, j = blockIdx.x * SIDE;
    const unsigned down = FULL_TILE ? SIDE : (unsigned)(m - i);
    const unsigned right = FULL_TILE ? SIDE : (unsigned)(n - j);
    if (i >= m || j >= n) {
        return; /* the grid has whole clusters */
    }
    unsigned a[32], b[32], q[16], col_peak[LL_REGS(PAIR)];
    unsigned row_peak[LL_REGS(ROW)];
    float col_inverse[2 * LL_REGS(PAIR)], col_scale[2 * LL_REGS(PAIR)];
    LL_LOAD(a, TILE, src + i * n + j, n, down, right);
    LL_EACH(r, PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
    keep_packed(a);
    const auto state = LL_REDUCE_STORE(b, COLS, smem, larger_magnitudes());
    LL_REDUCE(row_peak, b, ROWS, smem, larger_magnitudes());
    LL_SYNC();
    LL_REDUCE_LOAD(col_peak, state, COLS, smem, larger_magnitudes());
    LL_EACH(r, PAIR) {
        LL_UNROLL
        for (unsigned c = 2 * r; c < 2 * r + 2; ++c) {
            col_scale[c] = scale_for<POWER_OF_TWO>(number<ELEMENT>(col_peak, c),
                                                   col_inverse + c);
        }
    }
    quantise_tile<e4m3_format, ELEMENT>(
        q, a, [&](unsigned r) { return col_inverse[r % 8]; });
    LL_STORE_SHARED(q, TRANSPOSE, transposed);
    keep_packed(a);
    float row_scale[LL_REGS(ROW)], row_inverse[LL_REGS(ROW)];
    LL_EACH(r, ROW) {
        const unsigned peak = __vmaxu2(row_peak[r], row_peak[r] >> 16);
        row_scale[r] =
            scale_for<POWER_OF_TWO>(number<ELEMENT>(&peak, 0), row_inverse + r);
    }
    LL_EACH(r, PAIR) {
        const unsigned k = (unsigned)j + 2 * LL_AT(PAIR, LL_I, r);
        if (threadIdx.x < 16 && k < n) {
            ((float2 *)(col_scales + blockIdx.y * (size_t)n + k))[0] =
                make_float2(col_scale[2 * r], col_scale[2 * r + 1]);
        }
    }
    LL_STORE(row_scale, ROW, row_scales + blockIdx.x * (size_t)m + i, 0, 1,
             down);
    quantise_tile<e4m3_format, ELEMENT>(
        q, a, [&](unsigned r) { return row_inverse[r / 8]; });
    unsigned pitch[1] = {n};
    FULL_TILE ? (void)0 : keep_packed(pitch); /* addresses are computed again */
    LL_STORE(q, TILE, by_rows + i * pitch[0] + j, pitch[0], down, right);
    LL_SYNC();
    LL_LOAD_SHARED(q, TRANSPOSE, transposed);
    LL_STORE(q, OUT, by_cols + j * m + i, m, right, down);
}

/* Launches quantise. Returns an error message, or null. */
template <class ELEMENT, bool POWER_OF_TWO>
const char *quantise_by(unsigned char *by_rows, unsigned char *by_cols,
                        float *row_scales, float *col_scales,
                        const ELEMENT *src, unsigned m, unsigned n) {
    if (!m || !n || m % 16 || n % 16 || m > 65534 * SIDE || n > 1u << 24) {
        return "rows and columns are multiples of 16, at most 65534 * 128 rows "
               "and 2^24 columns";
    }
    if (misplaced(by_rows, src, by_cols) || (size_t)col_scales % 8) {
        return "matrices start at multiples of 16 bytes, scales at those of 8";
    }
    const unsigned wide = CLUSTER_COLS * SIDE, tall = CLUSTER_ROWS * SIDE;
    const dim3 grid((n + wide - 1) / wide * CLUSTER_COLS,
                    (m + tall - 1) / tall * CLUSTER_ROWS);
    const auto kernel = m % SIDE || n % SIDE
                            ? quantise<ELEMENT, false, POWER_OF_TWO>
                            : quantise<ELEMENT, true, POWER_OF_TWO>;
    kernel<<<grid, 32 * WARPS, 0, launch_stream()>>>(
        by_rows, by_cols, row_scales, col_scales, src, m, n);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class ELEMENT, bool POWER_OF_TWO>
unsigned check(unsigned m, unsigned n) {
    const table<ELEMENT> src(m, n, 1, -3, 5);
    const unsigned tall = (m + SIDE - 1) / SIDE, wide = (n + SIDE - 1) / SIDE;
    table<unsigned char> rows(m, n), cols(n, m);
    table<float> row_scales(wide, m), col_scales(tall, n);
    unsigned wrong = 0;
    MUST(quantise_by<ELEMENT, POWER_OF_TWO>(
        rows.device, cols.device, row_scales.device, col_scales.device,
        src.device, m, n));
    rows.fetch(), cols.fetch(), row_scales.fetch(), col_scales.fetch();
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            const double x = src.at(i, j);
            wrong += !is_e4m3_of(rows.host[(size_t)i * n + j],
                                 row_scales.at(j / SIDE, i), x);
            wrong += !is_e4m3_of(cols.host[(size_t)j * m + i],
                                 col_scales.at(i / SIDE, j), x);
        }
    }
    printf("%u x %u, %s: %u wrong\n", m, n,
           POWER_OF_TWO ? "scales that are powers of two" : "any scales",
           wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, false>(128, 256) + check<f16, true>(144, 80);
    wrong += check<bf16, true>(16, 144);
    for (unsigned k = 0; k < 5; ++k) { /* none, odd ones, a wrong place */
        alignas(16) bf16 x;
        alignas(8) float scale;
        alignas(16) unsigned char byte;
        const char *const bad = quantise_by<bf16, true>(
            &byte + k / 4, &byte, &scale, &scale, &x, k ? k == 1 ? 17 : 16 : 0,
            k == 2   ? 0
            : k == 3 ? 24
                     : 16);
        wrong += !bad || !strstr(bad, k < 4 ? "of 16, at most" : "of 16 bytes");
    }
    return verdict(wrong);
}

#endif
