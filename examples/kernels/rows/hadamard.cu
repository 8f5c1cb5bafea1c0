/* hadamard.cu - how does a lane add the numbers of other lanes for nothing?
 * SPDX-License-Identifier: MIT
 *
 * A Hadamard transform of 2^k numbers adds and subtracts pairs that differ in
 * one bit of their index, for each of the k bits. Four bits at once are a
 * product with a matrix of 16 x 16 signs, and mma.sync adds across lanes. Words
 * of a row, as they are loaded, are its second operand: bits 0 and 1 of the
 * lane and of the register count its rows, the other bits of the lane its
 * columns. The product lies the other way round, rows on bits 2 to 4 of the
 * lane, so that a second product takes those bits and brings all of them back
 * to where they were. Each lane adds what is left among its registers. Only the
 * bits of warps need a trip through shared memory, by a plan to a layout in
 * which they are bits of registers.
 *
 * The first sums are exact. A sum enters the second product as two numbers of
 * 8 bits, which keep 16 bits of it. All additions are of 32 bits.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/hadamard.cu -o hadamard
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "hadamard.h"

using namespace ll_kernels;

/* A row takes 2^each_of(k) registers per lane and 2^far_of(k) warps. */
LL_FN unsigned each_of(unsigned k) { return k < 14 ? 5 : 6; }
LL_FN unsigned far_of(unsigned k) {
    return k < each_of(k) + 5 ? 0 : k - each_of(k) - 5;
}

/* Before a store: bits of warps are now the highest ones of the register, and
 * `low` of its bits are still the lowest ones of the index. */
LL_FN ll_layout last_of(unsigned k, unsigned warps) {
    const unsigned each = each_of(k), far = far_of(k);
    const unsigned low = far + 3 > each ? each - far : 3;
    ll_layout a = ll_mul(ll_identity(1u << low, LL_REGISTER, LL_J),
                         ll_identity(32, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(1u << far, LL_WARP, LL_J));
    a = ll_mul(a, ll_identity(1u << (each - low), LL_REGISTER, LL_J));
    a = ll_mul(a, ll_identity(warps >> far, LL_WARP, LL_J));
    return ll_mul(a, ll_identity(1, LL_WARP, LL_I));
}

/* Writes the Hadamard transform of each row of src, times `scale`, to dst. A
 * block processes ROWS_PER_BLOCK rows at a time. With PREFETCH it copies the
 * next ones meanwhile. With DRAWN rows come from a counter, and a warp waits
 * for others only before it overwrites what they have not read. */
template <class ELEMENT, unsigned K, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool DRAWN =
              PREFETCH != 0 &&
              K<15> __global__ void __launch_bounds__(
                  (32 << far_of(K)) * ROWS_PER_BLOCK,
                  16 / (ROWS_PER_BLOCK << far_of(K)))
                  hadamard(unsigned rows, unsigned n, unsigned *count,
                           ELEMENT *dst, const ELEMENT *src, float scale) {
    constexpr unsigned each = 1u << each_of(K),
                       warps = ROWS_PER_BLOCK << far_of(K);
    LL_LAYOUT(FIRST, row_of(8, each, warps, 1, 1));
    LL_LAYOUT(LAST, last_of(K, warps));
    extern __shared__ __align__(16) unsigned char smem[];
    unsigned char *const slots = smem + (far_of(K) ? warps * each * 128 : 0);
    __shared__ unsigned long long all_have_read;
    __shared__ unsigned number[2];
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&all_have_read);
    row_stream<ELEMENT, FIRST, 1, true, PREFETCH> here(rows, n);
    unsigned words[each / 2], turn = 0, mine = blockIdx.x - gridDim.x;
    float a[each], b[each];
    if (DRAWN) {
        if (threadIdx.x == 0) {
            ll_ptx_mbarrier_init(bar, warps);
            ll_ptx_fence_mbarrier_init();
            add_one(&mine, count);
        }
        LL_SYNC();
    }
    here.start(slots, src);
    here.count = count;
    do {
        here.load(words, slots, src, (ELEMENT)0.0f);
        mix_lanes<ELEMENT>(a, words);
        butterflies<(1u << (K - far_of(K) - 5)) - 8>(a);
        if (DRAWN && threadIdx.x == 0) {
            number[turn % 2] = PREFETCH * gridDim.x + mine;
            add_one(&mine, count);
        }
        DRAWN &&turn ? ll_ptx_mbarrier_wait(bar, (turn - 1) % 2) : (void)0;
        if constexpr (far_of(K) > 0) {
            LL_PLAN(TRIP, FIRST, LAST, 32, LL_SM90);
            LL_CONVERT(b, a, TRIP, smem);
            memcpy(a, b, sizeof a);
        }
        if (DRAWN) {
            __syncwarp();
            threadIdx.x % 32 ? (void)0 : ll_ptx_mbarrier_arrive(bar);
            here.coming[PREFETCH] = number[turn++ % 2];
        }
        here.fetch(slots, src);
        if constexpr (far_of(K) > 0) {
            butterflies<each - (each >> far_of(K))>(a);
        }
        put_numbers<ELEMENT>(words, [&](unsigned r) { return a[r] * scale; });
        LL_STORE_BY(words, LAST, PREFETCH ? 0 : LL_STREAM,
                    dst + (size_t)here.row * n, 0);
        PREFETCH && !DRAWN ? LL_SYNC() : (void)0;
    } while (here.next());
    here.finish();
}

/* Launches hadamard. Returns an error message, or null. */
template <class ELEMENT, unsigned K, unsigned ROWS_PER_BLOCK,
          unsigned PREFETCH = (K >= 14)>
const char *hadamard_by(ELEMENT *dst, const ELEMENT *src, unsigned rows,
                        float scale) {
    constexpr unsigned warps = ROWS_PER_BLOCK << far_of(K),
                       each = 1u << each_of(K);
    constexpr unsigned n = 32 * warps * each, bytes = far_of(K) ? 4 * n : 0;
    const size_t groups = ((size_t)rows << K) / n;
    unsigned clusters, *count = nullptr;
    if (!groups || groups > 1u << 26 || groups * n != (size_t)rows << K) {
        return "rows are a multiple of those of a block, and at least one";
    }
    const char *bad = misplaced(dst, src);
    bad = bad ? bad : counter(&count, K < 15 ? PREFETCH : 0, n);
    return bad ? bad
               : launch_some(&clusters, bytes + ring(2 * each, warps, PREFETCH),
                             PREFETCH,
                             hadamard<ELEMENT, K, ROWS_PER_BLOCK, PREFETCH>,
                             (unsigned)groups, 32 * warps, 1, (unsigned)groups,
                             n, count, dst, src, scale);
}

#ifndef LL_NO_MAIN

template <class ELEMENT, unsigned K, unsigned ROWS_PER_BLOCK>
unsigned check(unsigned rows) {
    const table<ELEMENT> src(rows, 1u << K, K, -1, 1);
    table<ELEMENT> dst(rows, 1u << K);
    numbers x(1u << K);
    unsigned wrong = 0;
    MUST(hadamard_by<ELEMENT, K, ROWS_PER_BLOCK>(dst.device, src.device, rows,
                                                 0.125f));
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < x.size(); ++j) {
            x[j] = src.at(i, j) / 8;
        }
        hadamard_by_hand(x);
        wrong += wrong_in_row(dst, i, x, 5e-3, 1e-4);
    }
    printf("%2u rows of %5u: %u wrong\n", rows, 1u << K, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 8, 1>(8) + check<f16, 9, 2>(8);
    wrong += check<bf16, 10, 1>(2) + check<bf16, 11, 2>(2);
    wrong += check<bf16, 12, 1>(1) + check<f16, 13, 1>(1);
    return verdict(wrong + check<bf16, 14, 1>(70) + check<bf16, 15, 1>(9));
}

#endif
