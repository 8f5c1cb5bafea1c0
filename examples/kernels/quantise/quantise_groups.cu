/* quantise_groups.cu - how do 16, 32 or 128 elements share a scale?
 * SPDX-License-Identifier: MIT
 *
 * The formats are in groups.h. A GEMM takes groups along its k. So training
 * needs groups of rows, of columns, or of both from one pass over the matrix;
 * the columns are stored as rows of a transpose.
 *
 * LL_COPY brings a tile to shared memory. From there it is loaded once for
 * groups of rows, 8 or 16 elements of a row per lane, and once for groups of
 * columns, two columns per lane with the rows that make 16 bytes of the result.
 * So results are stored directly from the registers in which they are computed.
 * A group is an axis: ll_reshape_out splits columns (or rows) into groups j and
 * positions k, and LL_REDUCE along k finds the largest magnitudes within a lane
 * or by a few shuffles. Rows alone of mxfp8 and nvfp4 need no tiles: see
 * row_groups.h.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/quantise/quantise_groups.cu -o q
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "row_groups.h"

using namespace ll_kernels;

/* Sides of a tile; a cluster has CLUSTER_COLS x CLUSTER_ROWS blocks. */
enum { SIDE = 128, WARPS = 8, CLUSTER_COLS = 2, CLUSTER_ROWS = 4 };

/* What each thread copies. */
LL_LAYOUT(TILE, LL_ROWS(.rows = SIDE, .cols = SIDE, .bytes = 2, .access = 16,
                        .warps = WARPS));

/* Quantises src, m x n, by groups of rows (ROWS) to `rows` and by groups of
 * columns (COLS) to `cols`, the transpose, n x m. m and n are multiples of 32.
 * inverse_all: one over the scale of the tensor, which only nvfp4 has. */
template <class FORMAT, class ELEMENT, bool ROWS, bool COLS>
__global__ void __cluster_dims__(CLUSTER_COLS, CLUSTER_ROWS, 1)
    __launch_bounds__(32 * WARPS, FORMAT::blocks)
        quantise_groups(quantised rows, quantised cols, const ELEMENT *src,
                        unsigned m, unsigned n, float inverse_all) {
    constexpr unsigned per_byte = 8 / FORMAT::bits;
    constexpr bool bytes = FORMAT::bits == 8;
    typedef typename FORMAT::memory_type memory_type;
    LL_LAYOUT(ROW, ll_parse(bytes ? "register: j0 j1 j2 i1 i2 i3 | "
                                    "lane: j3 j4 j5 j6 i0 | warp: i4 i5 i6"
                                  : "register: j0 j1 j2 j3 i2 i3 | "
                                    "lane: j4 j5 j6 i0 i1 | warp: i4 i5 i6"));
    LL_LAYOUT(COL, ll_parse(bytes ? "register: j0 i0 i1 i2 i3 j3 | "
                                    "lane: i4 i5 i6 j1 j2 | warp: j4 j5 j6"
                                  : "register: j0 i0 i1 i2 i3 i4 | "
                                    "lane: i5 i6 j1 j2 j3 | warp: j4 j5 j6"));
    LL_LAYOUT(OUT, ll_parse(bytes ? "register: j0 j1 j2 j3 i0 i3 | "
                                    "lane: j4 j5 j6 i1 i2 | warp: i4 i5 i6"
                                  : "register: j0 j1 j2 j3 j4 i0 | "
                                    "lane: j5 j6 i1 i2 i3 | warp: i4 i5 i6"));
    LL_PLAN_BY(BY_COLS, TILE, COL, 16, LL_SM90, LL_COPIES);
    LL_PLAN_THROUGH(BY_ROWS, TILE, ROW, 16, LL_SM90, LL_GET(BY_COLS).memory);
    LL_EXPECT_NO_CONFLICTS(BY_COLS);
    LL_LAYOUT(ROW_PAIRS,
              groups_of_rows(ll_bitcast(LL_GET(ROW), 16, 32), FORMAT::group));
    LL_LAYOUT(COL_PAIRS, groups_of_columns(ll_bitcast(LL_GET(COL), 16, 32),
                                           FORMAT::group));
    LL_REDUCE_PLAN(ROW_PEAKS, ROW_PAIRS, LL_K, 32, LL_SM90);
    LL_REDUCE_PLAN(COL_PEAKS, COL_PAIRS, LL_K, 32, LL_SM90);
    LL_LAYOUT(ROW_GROUPS, transposed_if(FORMAT::group_major,
                                        ll_reduce(LL_GET(ROW_PAIRS), LL_K)));
    LL_LAYOUT(
        COL_GROUPS,
        transposed_if(!FORMAT::group_major,
                      ll_bitcast(ll_reduce(LL_GET(COL_PAIRS), LL_K), 32, 16)));
    __shared__ __align__(128) unsigned char smem[LL_SMEM_BYTES(BY_COLS)];
    const size_t i = blockIdx.y * SIDE, j = blockIdx.x * SIDE;
    if (i >= m || j >= n) {
        return; /* the grid has whole clusters */
    }
    const unsigned down = (unsigned)(m - i), right = (unsigned)(n - j);
    unsigned a[32], b[32], q[2 * FORMAT::bits];
    LL_COPY(BY_COLS, smem, src + i * n + j, n, down, right);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    LL_SYNC();
    if constexpr (COLS) {
        unsigned pairs[LL_REGS(COL_GROUPS) / 2];
        float peak[LL_REGS(COL_GROUPS)], inverse[LL_REGS(COL_GROUPS)];
        const auto of_element = [&](unsigned r) {
            return inverse[r / 32 * 2 + r % 2];
        };
        const auto source = [](unsigned r) { /* in COL, of OUT's r */
                                             return bytes ? r / 32 * 32 +
                                                                r % 16 * 2 +
                                                                r / 16 % 2
                                                          : r % 32 * 2 + r / 32;
        };
        LL_LOAD_SHARED(a, BY_COLS, smem);
        LL_EACH(r, COL_PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
        LL_REDUCE(pairs, b, COL_PEAKS, 0, larger_magnitudes());
        LL_EACH(r, COL_GROUPS) { peak[r] = number<ELEMENT>(pairs, r); }
        store_scales<FORMAT, COL_GROUPS>(inverse, peak, inverse_all, cols, j, i,
                                         n, m);
        quantise_tile<FORMAT, ELEMENT>(q, a, of_element, source);
        LL_STORE(q, OUT, (memory_type *)cols.elements + (j * m + i) / per_byte,
                 m / per_byte, right, down / per_byte);
    }
    if constexpr (ROWS) {
        unsigned pairs[LL_REGS(ROW_GROUPS)];
        float peak[LL_REGS(ROW_GROUPS)], inverse[LL_REGS(ROW_GROUPS)];
        LL_LOAD_SHARED(a, BY_ROWS, smem);
        LL_EACH(r, ROW_PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
        LL_REDUCE(pairs, b, ROW_PEAKS, 0, larger_magnitudes());
        LL_EACH(r, ROW_GROUPS) {
            const unsigned x = larger_magnitudes()(pairs[r], pairs[r] >> 16);
            peak[r] = number<ELEMENT>(&x, 0);
        }
        store_scales<FORMAT, ROW_GROUPS>(inverse, peak, inverse_all, rows, i, j,
                                         m, n);
        quantise_tile<FORMAT, ELEMENT>(
            q, a, [&](unsigned r) { return inverse[r * FORMAT::bits / 64]; });
        LL_STORE(q, ROW, (memory_type *)rows.elements + (i * n + j) / per_byte,
                 n / per_byte, down, right / per_byte);
    }
}

/* Launches quantise_groups, or quantise_row_groups. A result may be null.
 * Returns an error message, or null. */
template <class FORMAT, class ELEMENT>
const char *quantise_groups_by(quantised rows, quantised cols,
                               const ELEMENT *src, unsigned m, unsigned n,
                               float inverse_all) {
    const unsigned wide = CLUSTER_COLS * SIDE, tall = CLUSTER_ROWS * SIDE;
    if (!m || !n || m % 32 || n % 32 || m > 65528 * SIDE || n > 1u << 24) {
        return "rows and columns are multiples of 32, at most 65528 * 128 rows "
               "and 2^24 columns";
    }
    if (const char *const bad = misplaced(rows.elements, cols.elements, src)) {
        return bad;
    }
    if (misplaced(rows.scales, cols.scales)) {
        return "scales start at multiples of 16 bytes";
    }
    if (!FORMAT::group_major && !cols.elements) {
        return quantise_row_groups_by<FORMAT>(rows, src, (size_t)m * n / 1024,
                                              inverse_all);
    }
    const dim3 grid((n + wide - 1) / wide * CLUSTER_COLS,
                    (m + tall - 1) / tall * CLUSTER_ROWS);
    const auto kernel =
        !cols.elements
            ? quantise_groups<FORMAT, ELEMENT, true, !FORMAT::group_major>
        : !rows.elements ? quantise_groups<FORMAT, ELEMENT, false, true>
                         : quantise_groups<FORMAT, ELEMENT, true, true>;
    kernel<<<grid, 32 * WARPS, 0, launch_stream()>>>(rows, cols, src, m, n,
                                                     inverse_all);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

#include "groups_check.h"

/* Quantises an m x n matrix. Returns the number of wrong results. */
template <class FORMAT, class ELEMENT>
unsigned check(unsigned m, unsigned n, bool by_rows, bool by_cols, float all) {
    return check_groups<FORMAT, ELEMENT>(quantise_groups_by<FORMAT, ELEMENT>, m,
                                         n, by_rows, by_cols, all);
}

/* Returns the number of invalid arguments that are not refused. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 32}, {32, 0}, {48, 32}, {32, 16}};
    alignas(16) unsigned char x[32] = {};
    const bf16 *const src = (const bf16 *)x;
    unsigned wrong = 0;
    for (const auto &s : sizes) {
        wrong += !quantise_groups_by<mxfp8>({x, x}, {x, x}, src, s[0], s[1], 1);
    }
    wrong += !quantise_groups_by<nvfp4>({x + 1, x}, {}, src, 32, 32, 1);
    wrong += !quantise_groups_by<fp8>({}, {x, x + 1}, src, 32, 32, 1);
    return wrong;
}

int main(void) {
    unsigned wrong = check<mxfp8, bf16>(128, 256, true, true, 1);
    wrong += check<mxfp8, f16>(160, 96, true, false, 1);
    wrong += check<nvfp4, bf16>(256, 128, true, true, 100);
    wrong += check<nvfp4, bf16>(32, 288, true, false, 100);
    wrong += check<nvfp4, f16>(96, 160, false, true, 2688.0f / 5);
    wrong += check<fp8, bf16>(128, 256, true, false, 1);
    wrong += check<fp8, f16>(288, 96, false, true, 1);
    wrong += check<fp8, bf16>(160, 192, true, true, 1);
    return verdict(wrong + check_refusals());
}

#endif
