/* quantise_groups.cu - how do 16 or 32 numbers share a scale?
 * SPDX-License-Identifier: MIT
 *
 * In mxfp8, e4m3, 32 neighbours share a power of two, a byte that counts from
 * 2^-127; in nvfp4, e2m1, 16 share an e4m3, and all of the matrix a float. A
 * product takes groups along its k, so that training wants those of rows, of
 * columns, or of both from one reading, the columns as rows of a transpose.
 *
 * A group is an axis. The columns of the tile are divided into groups j and
 * places k, and LL_REDUCE along k finds the largest magnitudes; then the rows
 * are. A warp has 32 rows and 64 columns, whole groups both ways, so that a
 * reduction takes one or two shuffles and no shared memory. Only the transpose
 * goes through it, by one plan, also if elements have 4 bits. Rows alone need
 * no tiles (groups_line.h).
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/quantise_groups.cu -o q
 *        or, without a GPU, tests/emu/emucc -I. examples/quantise_groups.cu
 */
#include "groups_line.h"

enum { SIDE = 128, ACROSS = 4, DOWN = 2 };

LL_LAYOUT(TILE, ll_blocked(ll_shape_of("j=128 i=128"), ll_shape_of("j=8 i=8"),
                           ll_shape_of("j=8 i=4"), ll_shape_of("j=2 i=4")));

/* rows, m x n, and cols, n x m, become src, m x n, and its transpose; m and n
 * are multiples of 32. */
template <class F, class T, bool ROWS>
__global__ void __cluster_dims__(ACROSS, DOWN, 1)
    __launch_bounds__(32 * WARPS, 2)
    quantise_groups(quantised rows, quantised cols, const T *src, unsigned m,
                    unsigned n, float all) {
    constexpr unsigned each = 8 / F::bits, group = F::group;
    typedef typename F::memory memory;
    LL_LAYOUT(OUT, ll_bitcast(
        LL_ROWS(.rows = SIDE, .cols = SIDE / each, .bytes = 1, .access = 16,
                .height = 4 / each, .warps = WARPS), 8, F::bits));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
    LL_PLAN(TURN, TILE, TURNED, F::bits, LL_SM90);
    LL_LAYOUT(PAIRS, ll_bitcast(LL_GET(TILE), 16, 32));
    LL_LAYOUT(ALONG, ll_reshape_out(LL_GET(PAIRS),
        group == 32 ? ll_shape_of("k=16 j=4 i=128")
                    : ll_shape_of("k=8 j=8 i=128")));
    LL_LAYOUT(DOWNWARD, ll_reshape_out(LL_GET(PAIRS),
        group == 32 ? ll_shape_of("j=64 k=32 i=4")
                    : ll_shape_of("j=64 k=16 i=8")));
    LL_REDUCE_PLAN(OF_ROWS, ALONG, LL_K, 32, LL_SM90);
    LL_REDUCE_PLAN(OF_COLS, DOWNWARD, LL_K, 32, LL_SM90);
    LL_LAYOUT(ROW, ll_reduce(LL_GET(ALONG), LL_K));
    LL_LAYOUT(COL, ll_trans(ll_bitcast(ll_reduce(LL_GET(DOWNWARD), LL_K), 32,
                                       16), "j i"));
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    const size_t i = blockIdx.y * SIDE, j = blockIdx.x * SIDE;
    if (i >= m || j >= n) {
        return; /* the grid has whole clusters */
    }
    const unsigned down = (unsigned)(m - i), right = (unsigned)(n - j);
    unsigned a[32], b[32], q[LL_WORDS(TILE, F::bits)], most[8];
    unsigned char s[8];
    float large[8], by[8];
    LL_LOAD(a, TILE, src + i * n + j, n, down, right);
    LL_EACH(r, PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
    keep_packed(a);
    unsigned pairs[4];
    LL_REDUCE(pairs, b, OF_COLS, 0, larger());
    LL_EACH(r, COL) { large[r] = number<T>(pairs, r); }
    F::scale(s, by, large, all);
    LL_STORE(s, COL, cols.scales + j * (m / group) + i / group, m / group,
             right, down / group);
    quantise_tile<F, T>(q, a, [&](unsigned r) { return by[r % 8]; });
    LL_STORE_SHARED(q, TURN, smem);
    keep_packed(a);
    if constexpr (ROWS) {
        LL_REDUCE(most, b, OF_ROWS, 0, larger());
        LL_EACH(r, ROW) {
            const unsigned x = __vmaxu2(most[r], most[r] >> 16);
            large[r] = number<T>(&x, 0);
        }
        F::scale(s, by, large, all);
        LL_STORE(s, ROW, rows.scales + i * (n / group) + j / group, n / group,
                 down, right / group);
        quantise_tile<F, T>(q, a, [&](unsigned r) { return by[r / 8]; });
        LL_STORE(q, TILE, (memory *)rows.elements + (i * n + j) / each,
                 n / each, down, right / each);
    }
    LL_SYNC();
    LL_LOAD_SHARED(q, TURN, smem);
    LL_STORE(q, OUT, (memory *)cols.elements + (j * m + i) / each, m / each,
             right, down / each);
}

/* The results that have elements; the others are null. Returns null, or a
 * sentence. */
template <class F, class T>
const char *quantise_groups_by(quantised rows, quantised cols, const T *src,
                               unsigned m, unsigned n, float all) {
    if (!m || !n || m % 32 || n % 32 || m > 65534 * SIDE || n > 1u << 24) {
        return "rows and columns are multiples of 32, at most 65534 * 128 rows "
               "and 2^24 columns";
    }
    if (const char *const bad = misplaced(rows.elements, cols.elements, src)) {
        return bad;
    }
    if (!cols.elements) {
        const size_t lines = (size_t)m * n / 1024;
        quantise_line<F><<<(unsigned)((lines + WARPS - 1) / WARPS),
                           32 * WARPS>>>(rows, src, lines, all);
        return said(cudaGetLastError());
    }
    const unsigned wide = ACROSS * SIDE, tall = DOWN * SIDE;
    const dim3 grid((n + wide - 1) / wide * ACROSS,
                    (m + tall - 1) / tall * DOWN);
    const auto kernel = rows.elements ? quantise_groups<F, T, true>
                                      : quantise_groups<F, T, false>;
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
    return verdict(wrong + check_refusals());
}

#endif
