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

/* dst, rows x n, becomes the softmax of each row of src, or its logarithm.
 * AGAIN: exponentials are made twice, which needs fewer registers. Whole rows
 * are stored from where they were copied to where three are AHEAD. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, bool WHOLE, unsigned AHEAD, bool LOG, bool AGAIN>
__global__ void __launch_bounds__(32 * WARPS * TALL,
                                  resident(EACH * 4, WARPS * TALL, AHEAD))
    softmax(unsigned rows, unsigned n, unsigned *count, T *dst, const T *src) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), power_from(EACH), WARPS, 1, TALL));
    __shared__ team_of<peak, WARPS, BLOCKS, TALL> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + (AHEAD ? OFF_LINE : 0);
    constexpr unsigned some = EACH == power_from(EACH) ? 0 : EACH;
    rows_of<T, PART, BLOCKS, WHOLE, AHEAD, false, some, WHOLE && (AHEAD > 2)>
        here(rows, n, count);
    unsigned a[here.words], turn = 0;
    team.start();
    here.start(slots, src);
    do {
        float e[EACH];
        here.load(a, slots, src, (T)-INFINITY);
        const float most = largest<T>(a);
        const peak own = peak_of<T>(e, a, most);
        const peak all = team.all(own, turn, merge(), here);
        here.fetch(slots, src);
        if constexpr (LOG) {
            const float whole = all.most + logarithm(all.sum) * LN2;
            put_numbers<T>(
                a, [&](unsigned r) { return number<T>(a, r) - whole; });
        } else if constexpr (AGAIN) {
            keep_packed(a);
            const float down = fmaf(all.most, LOG2E, logarithm(all.sum));
            put_numbers<T>(a, [&](unsigned r) {
                return power(fmaf(number<T>(a, r), LOG2E, -down));
            });
        } else {
            const float scale =
                __fdividef(power((most - all.most) * LOG2E), all.sum);
            put_numbers<T>(a, [&](unsigned r) { return e[r] * scale; });
        }
        here.store(dst, a, slots, src);
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Rows of n elements: a row has EACH numbers of each lane, WARPS warps and
 * BLOCKS blocks of a cluster; a block has TALL rows, or AHEAD rows that are
 * brought ahead (torch/tilings.h chooses by n). n, and what a row may start
 * late, are at most the tile, 32 EACH WARPS BLOCKS. Returns null, or a
 * sentence. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, bool LOG, bool AGAIN = false>
const char *softmax_by(T *dst, const T *src, unsigned rows, unsigned n) {
    const char *const bad = misplaced(dst, src);
    rows_to_do all = {rows, n};
    all.more = AHEAD ? OFF_LINE : 0;
    return bad ? bad : launch_rows<T, EACH, WARPS, BLOCKS, TALL, AHEAD>(
        softmax<T, EACH, WARPS, BLOCKS, TALL, true, AHEAD, LOG, AGAIN>,
        softmax<T, EACH, WARPS, BLOCKS, TALL, false, AHEAD, LOG, AGAIN>,
        all, dst, src);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, bool LOG, bool AGAIN = false>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, -10, 10);
    table<T> dst(rows, n);
    unsigned wrong = 0;
    MUST(softmax_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD, LOG, AGAIN>(
        dst.device, src.device, rows, n));
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        wrong += wrong_in_row(dst, i, softmax_by_hand(src, i, LOG),
                              sizeof(T) == 4 ? 2e-6 : 5e-3, 1e-7);
    }
    printf("%2u bits, %s of %u rows of %u elements, %u blocks a row: %u "
           "wrong\n",
           8 * (unsigned)sizeof(T), LOG ? "log-softmax" : "softmax", rows, n,
           BLOCKS, wrong);
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
