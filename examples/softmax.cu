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
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/softmax.cu -o softmax
 *        or, without a GPU, tests/emu/emucc -I. examples/softmax.cu -o softmax
 */
#include "rows.h"

/* The largest of some numbers, and the sum of 2^((x - most) * LOG2E). */
struct peak {
    float most, sum;
};

#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

/* Has the same bits for (x, y) and (y, x), as all lanes need the same. */
struct merge {
    __device__ peak operator()(peak x, peak y) const {
        const bool first = x.most > y.most;
        const float less = power(-fabsf(x.most - y.most) * LOG2E);
        const float high = first ? x.sum : y.sum, low = first ? y.sum : x.sum;
        return {first ? x.most : y.most, fmaf(low, less, high)};
    }
};

/* dst, rows x n, becomes the softmax of each row of src, or its logarithm. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, bool WHOLE, bool AHEAD, bool LOG>
__global__ void __launch_bounds__(32 * WARPS * TALL,
                                  resident(EACH * sizeof(T), WARPS * TALL,
                                           AHEAD))
    softmax(T *dst, const T *src, unsigned rows, unsigned n) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, WARPS, 1, TALL));
    LL_LAYOUT(LANES, row_of(1, 1, WARPS, BLOCKS, TALL));
    LL_REDUCE_PLAN(ALL, LANES, LL_J, 64, wide_clusters());
    constexpr unsigned bytes = (LL_SMEM_BYTES(ALL) + 31) / 16 * 16;
    __shared__ __align__(16) unsigned char smem[2][bytes];
    extern __shared__ __align__(16) unsigned char slots[];
    rows_of<T, PART, BLOCKS, WHOLE, AHEAD> here(rows, n);
    unsigned a[here.words], turn = 0;
    here.template fetch<true>(slots, src);
    do {
        peak own[1] = {{-2.3e38f, 0}}, all[1];
        here.load(a, slots, src, (T)-INFINITY);
        own->most = largest<T>(a);
        here.template fetch<false>(slots, src);
        const float down = own->most * LOG2E;
        keep_packed(a);
        LL_EACH(r, PART) {
            own->sum += power(fmaf(number<T>(a, r), LOG2E, -down));
        }
        LL_REDUCE(all, own, ALL, smem[turn], merge());
        keep_packed(a);
        const float whole = all->most * LOG2E + logarithm(all->sum);
        put_numbers<T>(a, [&](unsigned r) {
            const float y = fmaf(number<T>(a, r), LOG2E, -whole);
            return LOG ? y * LN2 : power(y);
        });
        here.store(dst, a);
        turn ^= 1; /* so that no warp has to wait for the others here */
    } while (here.next());
}

/* Rows of n elements; n, and what a row may start late, at most the tile. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, bool AHEAD, bool LOG>
void softmax_by(T *dst, const T *src, unsigned rows, unsigned n) {
    constexpr unsigned tile = EACH * WARPS * 32 * BLOCKS;
    must_fit(n, tile, 16 / sizeof(T));
    launch_with(AHEAD ? tile / BLOCKS * TALL * sizeof(T) : 0, AHEAD,
                n == tile && rows % TALL == 0
                    ? softmax<T, EACH, WARPS, BLOCKS, TALL, true, AHEAD, LOG>
                    : softmax<T, EACH, WARPS, BLOCKS, TALL, false, AHEAD, LOG>,
                (rows + TALL - 1) / TALL * BLOCKS, 32 * WARPS * TALL, BLOCKS,
                dst, src, rows, n);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, bool AHEAD, bool LOG>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, -10, 10);
    table<T> dst(rows, n);
    unsigned wrong = 0;
    softmax_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD, LOG>(
        dst.device, src.device, rows, n);
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        double sum = 0;
        for (unsigned j = 0; j < n; ++j) {
            sum += exp(src.at(i, j));
        }
        for (unsigned j = 0; j < n; ++j) {
            const double x = src.at(i, j) - log(sum), want = LOG ? x : exp(x);
            const double most = sizeof(T) == 4 ? 2e-6 : 5e-3;
            wrong += !(fabs(dst.at(i, j) - want) <= most * fabs(want) + 1e-7);
        }
    }
    printf("%2u bits, %s of %u rows of %u elements, %u blocks a row: %u "
           "wrong\n",
           8 * (unsigned)sizeof(T), LOG ? "log-softmax" : "softmax", rows, n,
           BLOCKS, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 1, 1, 4, false, false>(8, 512);
    wrong += check<bf16, 16, 1, 1, 4, false, false>(7, 505);
    wrong += check<float, 8, 4, 1, 1, false, true>(3, 1024);
    wrong += check<float, 8, 4, 1, 1, false, false>(3, 1001);
    wrong += check<f16, 16, 1, 2, 1, true, false>(19, 1024);
    wrong += check<f16, 16, 1, 2, 1, true, true>(19, 1013);
    wrong += check<bf16, 16, 1, 8, 1, false, false>(2, 4085);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

#endif
