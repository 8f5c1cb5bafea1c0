/* softmax.cu - how does a row of any length stay in registers?
 * SPDX-License-Identifier: MIT
 *
 * A softmax needs the largest element of a row and the sum of all exponentials
 * before it can write the first result. Read twice, a long row comes from
 * memory twice. Here it is read once: it lies in the registers of a block, or,
 * beyond 16k elements, of a cluster of up to 16 blocks. Each lane makes a pair
 * of its own elements, the largest one and the sum relative to it, and one
 * LL_REDUCE combines the pairs of all lanes, warps and blocks of the row. The
 * layout says where they are; across blocks they go through distributed shared
 * memory.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/softmax.cu -o softmax
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "rows.h"

using namespace ll_kernels;

/* Writes the softmax of each row of src, rows x n, to dst, or with LOG its
 * logarithm. RECOMPUTE evaluates exponentials twice, which needs fewer
 * registers. With PREFETCH of 3 or more, full rows are stored in place. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, bool FULL_TILE,
          unsigned PREFETCH, bool LOG, bool RECOMPUTE>
__global__ void __launch_bounds__(32 * WARPS * ROWS_PER_BLOCK,
                                  resident(PER_LANE * 4, WARPS *ROWS_PER_BLOCK,
                                           PREFETCH))
    softmax(unsigned rows, unsigned n, unsigned *count, ELEMENT *dst,
            const ELEMENT *src) {
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), power_from(PER_LANE),
                                 WARPS, 1, ROWS_PER_BLOCK));
    __shared__ row_reducer<peak, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + (PREFETCH ? TMA_ROW_OFFSET : 0);
    constexpr unsigned some = PER_LANE == power_from(PER_LANE) ? 0 : PER_LANE;
    row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH, false,
               some, FULL_TILE && (PREFETCH > 2)>
        here(rows, n, count);
    unsigned a[here.words], turn = 0;
    team.start();
    here.start(slots, src);
    do {
        float e[PER_LANE];
        here.load(a, slots, src, (ELEMENT)-INFINITY);
        const float most = largest<ELEMENT>(a);
        const peak own = peak_of<ELEMENT>(e, a, most);
        const peak all = team.all(own, turn, merge(), here);
        here.fetch(slots, src);
        if constexpr (LOG) {
            const float whole = all.most + logarithm(all.sum) * LN2;
            put_numbers<ELEMENT>(
                a, [&](unsigned r) { return number<ELEMENT>(a, r) - whole; });
        } else if constexpr (RECOMPUTE) {
            keep_packed(a);
            const float down = fmaf(all.most, LOG2E, logarithm(all.sum));
            put_numbers<ELEMENT>(a, [&](unsigned r) {
                return power(fmaf(number<ELEMENT>(a, r), LOG2E, -down));
            });
        } else {
            const float scale =
                __fdividef(power((most - all.most) * LOG2E), all.sum);
            put_numbers<ELEMENT>(a, [&](unsigned r) { return e[r] * scale; });
        }
        here.store(dst, a, slots, src);
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Launches softmax; torch/tilings.h chooses the tiling by n. n, and up to 15
 * bytes more for rows that start anywhere, must fit the tile, 32 * PER_LANE *
 * WARPS * CLUSTER_BLOCKS elements. Returns an error message, or null. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool LOG, bool RECOMPUTE = false>
const char *softmax_by(ELEMENT *dst, const ELEMENT *src, unsigned rows,
                       unsigned n) {
    const char *const bad = misplaced(dst, src);
    row_launch all = {rows, n};
    all.more = PREFETCH ? TMA_ROW_OFFSET : 0;
    return bad ? bad
               : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                             ROWS_PER_BLOCK, PREFETCH>(
                     softmax<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                             ROWS_PER_BLOCK, true, PREFETCH, LOG, RECOMPUTE>,
                     softmax<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                             ROWS_PER_BLOCK, false, PREFETCH, LOG, RECOMPUTE>,
                     all, dst, src);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool LOG, bool RECOMPUTE = false>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> src(rows, n, 1, -10, 10);
    table<ELEMENT> dst(rows, n);
    unsigned wrong = 0;
    MUST(softmax_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK,
                    PREFETCH, LOG, RECOMPUTE>(dst.device, src.device, rows, n));
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        wrong += wrong_in_row(dst, i, softmax_by_hand(src, i, LOG),
                              sizeof(ELEMENT) == 4 ? 2e-6 : 5e-3, 1e-7);
    }
    printf("%2u bits, %s of %u rows of %u elements, %u blocks a row: %u "
           "wrong\n",
           8 * (unsigned)sizeof(ELEMENT), LOG ? "log-softmax" : "softmax", rows,
           n, CLUSTER_BLOCKS, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 1, 1, 4, 0, false>(8, 512);
    wrong += check<bf16, 16, 1, 1, 4, 0, false>(7, 505);
    wrong += check<bf16, 16, 2, 1, 1, 0, false, true>(3, 1024);
    wrong += check<float, 8, 4, 1, 1, 0, true>(3, 1024);
    wrong += check<float, 8, 4, 1, 1, 0, false>(3, 1001);
    wrong += check<f16, 16, 2, 2, 1, 2, false>(19, 2048);
    wrong += check<f16, 16, 1, 2, 1, 1, true>(19, 1013);
    wrong += check<bf16, 16, 1, 8, 1, 3, false>(2, 4085);
    wrong += check<bf16, 16, 2, 2, 1, 3, false>(40, 2048);
    wrong += check<bf16, 32, 4, 2, 1, 2, false>(19, 8192);
    wrong += check<bf16, 24, 2, 2, 1, 2, false>(19, 3001);
    wrong += check<f16, 24, 2, 1, 1, 1, true>(9, 1472);
    alignas(16) float x[8] = {};
    for (unsigned k = 0; k < 3; ++k) { /* no rows, no elements, too many */
        wrong += !softmax_by<float, 8, 4, 1, 1, 0, false>(
            x, x, k > 0, k < 2 ? (1 - k) * 8 : 1025);
    }
    wrong += !softmax_by<float, 8, 4, 1, 1, 0, false>(x, x + 1, 1, 4);
    return verdict(wrong);
}

#endif
