/* quantise.cu - how are rows and columns quantised in one pass?
 * SPDX-License-Identifier: MIT
 *
 * Training in 8 bits multiplies a matrix and its transpose, and each has its
 * own scales: one for 128 elements of a row, one for 128 of a column, and the
 * columns become rows of the transposed result. A block reads a tile of 128 x
 * 128 once. LL_REDUCE along either axis finds the largest magnitudes. The bytes
 * scaled by rows are stored from where they are; those scaled by columns go
 * through shared memory by one plan, 4 x 4 of them side by side in a lane,
 * without bank conflicts. The first ones are stored while the others wait. The
 * blocks of a cluster start together, so that their runs of 128 bytes meet.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/quantise/quantise.cu -o quantise
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "quantise.h"

using namespace ll_kernels;

enum { SIDE = 128, WARPS = 8, ACROSS = 4, DOWN = 2 };

LL_LAYOUT(TILE, LL_ROWS(.rows = SIDE, .cols = SIDE, .bytes = 2, .access = 16,
                        .height = 4, .warps = WARPS));
LL_LAYOUT(PAIRS, LL_ROWS(.rows = SIDE, .cols = SIDE / 2, .bytes = 4,
                         .access = 16, .height = 4, .warps = WARPS));
LL_LAYOUT(OUT, LL_ROWS(.rows = SIDE, .cols = SIDE, .bytes = 1, .access = 16,
                       .height = 4, .warps = WARPS));
LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
LL_PLAN(TURN, TILE, TURNED, 8, LL_SM90);
LL_EXPECT_NO_CONFLICTS(TURN);
LL_REDUCE_PLAN(ROWS, PAIRS, LL_J, 32, LL_SM90); /* pairs of 16 bits */
LL_REDUCE_PLAN(COLS, PAIRS, LL_I, 32, LL_SM90);
LL_LAYOUT(ROW, ll_reduce(LL_GET(PAIRS), LL_J));
LL_LAYOUT(PAIR, ll_reduce(LL_GET(PAIRS), LL_I));

/* by_rows, m x n, and by_cols, n x m, become src, m x n, and its transpose,
 * divided by scales: of_rows[j / 128][i], of_cols[i / 128][j]. m and n are
 * multiples of 16, or of 128 if FULL_TILE. */
template <class ELEMENT, bool FULL_TILE, bool POWER>
__global__ void __cluster_dims__(ACROSS, DOWN, 1)
    __launch_bounds__(32 * WARPS, 3)
        quantise(unsigned char *by_rows, unsigned char *by_cols, float *of_rows,
                 float *of_cols, const ELEMENT *src, unsigned m, unsigned n) {
    __shared__ __align__(16) unsigned char turn[LL_SMEM_BYTES(TURN)];
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(COLS)];
    const size_t i = blockIdx.y * SIDE, j = blockIdx.x * SIDE;
    const unsigned down = FULL_TILE ? SIDE : (unsigned)(m - i);
    const unsigned right = FULL_TILE ? SIDE : (unsigned)(n - j);
    if (i >= m || j >= n) {
        return; /* the grid has whole clusters */
    }
    unsigned a[32], b[32], q[16], p[LL_REGS(PAIR)], row[LL_REGS(ROW)];
    float by[2 * LL_REGS(PAIR)], scale[2 * LL_REGS(PAIR)];
    LL_LOAD(a, TILE, src + i * n + j, n, down, right);
    LL_EACH(r, PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
    keep_packed(a);
    const auto state = LL_REDUCE_STORE(b, COLS, smem, larger());
    LL_REDUCE(row, b, ROWS, smem, larger());
    LL_SYNC();
    LL_REDUCE_LOAD(p, state, COLS, smem, larger());
    LL_EACH(r, PAIR) {
        scale[2 * r] = scale_of<POWER>(number<ELEMENT>(p, 2 * r), by + 2 * r);
        scale[2 * r + 1] =
            scale_of<POWER>(number<ELEMENT>(p, 2 * r + 1), by + 2 * r + 1);
    }
    quantise_tile<as_e4m3, ELEMENT>(q, a,
                                    [&](unsigned r) { return by[r % 8]; });
    LL_STORE_SHARED(q, TURN, turn);
    keep_packed(a);
    float tall[LL_REGS(ROW)], rows[LL_REGS(ROW)];
    LL_EACH(r, ROW) {
        const unsigned most = __vmaxu2(row[r], row[r] >> 16);
        tall[r] = scale_of<POWER>(number<ELEMENT>(&most, 0), rows + r);
    }
    LL_EACH(r, PAIR) {
        const unsigned k = (unsigned)j + 2 * LL_AT(PAIR, LL_I, r);
        if (threadIdx.x < 16 && k < n) {
            ((float2 *)(of_cols + blockIdx.y * (size_t)n + k))[0] =
                make_float2(scale[2 * r], scale[2 * r + 1]);
        }
    }
    LL_STORE(tall, ROW, of_rows + blockIdx.x * (size_t)m + i, 0, 1, down);
    quantise_tile<as_e4m3, ELEMENT>(q, a,
                                    [&](unsigned r) { return rows[r / 8]; });
    unsigned wide[1] = {n};
    FULL_TILE ? (void)0 : keep_packed(wide); /* addresses are computed again */
    LL_STORE(q, TILE, by_rows + i * wide[0] + j, wide[0], down, right);
    LL_SYNC();
    LL_LOAD_SHARED(q, TURN, turn);
    LL_STORE(q, OUT, by_cols + j * m + i, m, right, down);
}

/* Returns null, or a sentence. */
template <class ELEMENT, bool POWER>
const char *quantise_by(unsigned char *by_rows, unsigned char *by_cols,
                        float *of_rows, float *of_cols, const ELEMENT *src,
                        unsigned m, unsigned n) {
    if (!m || !n || m % 16 || n % 16 || m > 65534 * SIDE || n > 1u << 24) {
        return "rows and columns are multiples of 16, at most 65534 * 128 rows "
               "and 2^24 columns";
    }
    if (misplaced(by_rows, src, by_cols) || (size_t)of_cols % 8) {
        return "matrices start at multiples of 16 bytes, scales at those of 8";
    }
    const unsigned wide = ACROSS * SIDE, tall = DOWN * SIDE;
    const dim3 grid((n + wide - 1) / wide * ACROSS,
                    (m + tall - 1) / tall * DOWN);
    const auto kernel = m % SIDE || n % SIDE ? quantise<ELEMENT, false, POWER>
                                             : quantise<ELEMENT, true, POWER>;
    kernel<<<grid, 32 * WARPS>>>(by_rows, by_cols, of_rows, of_cols, src, m, n);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class ELEMENT, bool POWER> unsigned check(unsigned m, unsigned n) {
    const table<ELEMENT> src(m, n, 1, -3, 5);
    const unsigned tall = (m + SIDE - 1) / SIDE, wide = (n + SIDE - 1) / SIDE;
    table<unsigned char> rows(m, n), cols(n, m);
    table<float> of_rows(wide, m), of_cols(tall, n);
    unsigned wrong = 0;
    MUST(quantise_by<ELEMENT, POWER>(rows.device, cols.device, of_rows.device,
                                     of_cols.device, src.device, m, n));
    rows.fetch(), cols.fetch(), of_rows.fetch(), of_cols.fetch();
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            const double x = src.at(i, j);
            wrong += !is_e4m3_of(rows.host[(size_t)i * n + j],
                                 of_rows.at(j / SIDE, i), x);
            wrong += !is_e4m3_of(cols.host[(size_t)j * m + i],
                                 of_cols.at(i / SIDE, j), x);
        }
    }
    printf("%u x %u, %s: %u wrong\n", m, n,
           POWER ? "scales that are powers of two" : "any scales", wrong);
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
