/* quantise_groups.cu - how do 16, 32 or 128 numbers share a scale?
 * SPDX-License-Identifier: MIT
 *
 * In fp8 128 neighbours share a float, in mxfp8 32 a power of two, in nvfp4 16
 * an e4m3 (groups.h). A product takes groups along its k, so that training
 * wants those of rows, of columns, or of both from one reading, the columns as
 * rows of a transpose.
 *
 * LL_COPY brings a tile to shared memory, from where each way loads it as it
 * wants it: 8 or 16 numbers of a row in a lane, or, of two columns, as many
 * rows as make 16 bytes of the result. Results are then stored from where they
 * are made, a transpose in lines, too. A group is an axis: columns are divided
 * into groups j and places k, and LL_REDUCE along k finds the largest
 * magnitudes, in a lane or by a few shuffles; then rows are. Of mxfp8 and nvfp4
 * rows alone need no tiles (row_groups.h).
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/quantise/quantise_groups.cu -o q
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "row_groups.h"

using namespace ll_kernels;

enum { SIDE = 128, ACROSS = 2, DOWN = 4 };

/* Who copies what. */
LL_LAYOUT(TILE, LL_ROWS(.rows = SIDE, .cols = SIDE, .bytes = 2, .access = 16,
                        .warps = WARPS));

/* rows, m x n, and cols, n x m, become src, m x n, and its transpose; m and n
 * are multiples of 32. */
template <class F, class ELEMENT, bool ROWS, bool COLS>
__global__ void __cluster_dims__(ACROSS, DOWN, 1)
    __launch_bounds__(32 * WARPS, F::blocks)
        quantise_groups(quantised rows, quantised cols, const ELEMENT *src,
                        unsigned m, unsigned n, float all) {
    constexpr unsigned each = 8 / F::bits;
    constexpr bool bytes = F::bits == 8;
    typedef typename F::memory memory;
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
    LL_PLAN_BY(TURN, TILE, COL, 16, LL_SM90, LL_COPIES);
    LL_PLAN_THROUGH(STAY, TILE, ROW, 16, LL_SM90, LL_GET(TURN).memory);
    LL_EXPECT_NO_CONFLICTS(TURN);
    LL_LAYOUT(ALONG, grouped(ll_bitcast(LL_GET(ROW), 16, 32), F::group));
    LL_LAYOUT(DOWNWARD,
              grouped_down(ll_bitcast(LL_GET(COL), 16, 32), F::group));
    LL_REDUCE_PLAN(OF_ROWS, ALONG, LL_K, 32, LL_SM90);
    LL_REDUCE_PLAN(OF_COLS, DOWNWARD, LL_K, 32, LL_SM90);
    LL_LAYOUT(OF_ROW, turned_if(F::across, ll_reduce(LL_GET(ALONG), LL_K)));
    LL_LAYOUT(OF_COL,
              turned_if(!F::across,
                        ll_bitcast(ll_reduce(LL_GET(DOWNWARD), LL_K), 32, 16)));
    __shared__ __align__(128) unsigned char smem[LL_SMEM_BYTES(TURN)];
    const size_t i = blockIdx.y * SIDE, j = blockIdx.x * SIDE;
    if (i >= m || j >= n) {
        return; /* the grid has whole clusters */
    }
    const unsigned down = (unsigned)(m - i), right = (unsigned)(n - j);
    unsigned a[32], b[32], q[2 * F::bits];
    LL_COPY(TURN, smem, src + i * n + j, n, down, right);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    LL_SYNC();
    if constexpr (COLS) {
        unsigned pairs[LL_REGS(OF_COL) / 2];
        float most[LL_REGS(OF_COL)], by[LL_REGS(OF_COL)];
        LL_LOAD_SHARED(a, TURN, smem);
        LL_EACH(r, DOWNWARD) { b[r] = a[r] & 0x7fff7fffu; }
        LL_REDUCE(pairs, b, OF_COLS, 0, larger());
        LL_EACH(r, OF_COL) { most[r] = number<ELEMENT>(pairs, r); }
        put_scales<F, OF_COL>(by, most, all, cols, j, i, n, m);
        const auto f = [&](unsigned r) { return by[r / 32 * 2 + r % 2]; };
        quantise_tile<F, ELEMENT>(
            q, a, f, [](unsigned r) { /* COL's of OUT's r */
                                      return bytes ? r / 32 * 32 + r % 16 * 2 +
                                                         r / 16 % 2
                                                   : r % 32 * 2 + r / 32;
            });
        LL_STORE(q, OUT, (memory *)cols.elements + (j * m + i) / each, m / each,
                 right, down / each);
    }
    if constexpr (ROWS) {
        unsigned pairs[LL_REGS(OF_ROW)];
        float most[LL_REGS(OF_ROW)], by[LL_REGS(OF_ROW)];
        LL_LOAD_SHARED(a, STAY, smem);
        LL_EACH(r, ALONG) { b[r] = a[r] & 0x7fff7fffu; }
        LL_REDUCE(pairs, b, OF_ROWS, 0, larger());
        LL_EACH(r, OF_ROW) {
            const unsigned x = larger()(pairs[r], pairs[r] >> 16);
            most[r] = number<ELEMENT>(&x, 0);
        }
        put_scales<F, OF_ROW>(by, most, all, rows, i, j, m, n);
        const auto f = [&](unsigned r) { return by[r * F::bits / 64]; };
        quantise_tile<F, ELEMENT>(q, a, f);
        LL_STORE(q, ROW, (memory *)rows.elements + (i * n + j) / each, n / each,
                 down, right / each);
    }
}

/* A result may be null. Returns null, or a sentence. */
template <class F, class ELEMENT>
const char *quantise_groups_by(quantised rows, quantised cols,
                               const ELEMENT *src, unsigned m, unsigned n,
                               float all) {
    const unsigned wide = ACROSS * SIDE, tall = DOWN * SIDE;
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
    if (!F::across && !cols.elements) {
        return quantise_line_by<F>(rows, src, (size_t)m * n / 1024, all);
    }
    const dim3 grid((n + wide - 1) / wide * ACROSS,
                    (m + tall - 1) / tall * DOWN);
    const auto kernel =
        !cols.elements   ? quantise_groups<F, ELEMENT, true, !F::across>
        : !rows.elements ? quantise_groups<F, ELEMENT, false, true>
                         : quantise_groups<F, ELEMENT, true, true>;
    kernel<<<grid, 32 * WARPS>>>(rows, cols, src, m, n, all);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

#include "groups_check.h"

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
