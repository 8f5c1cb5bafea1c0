/* cumsum.cu - how do running sums cross lanes, warps and blocks?
 * SPDX-License-Identifier: MIT
 *
 * The row lies in the registers of a block or, beyond 16k elements, of a
 * cluster of blocks. LL_SCAN combines within each lane, between lanes by
 * shuffles, and one total for each warp through shared memory, whatever the
 * layout. The blocks then send one total each to all others. So a row that fits
 * into a cluster is read and written once, copied ahead as in softmax.cu.
 *
 * Across blocks, only the sums of 16 bytes are scanned, so that two blocks of a
 * multiprocessor have room; each lane then adds up its elements from there.
 *
 * In a segmented scan the sums are pairs, of a sum and whether a segment starts
 * in it. Whether one starts in a vector of a lane is a bit of a ballot, so that
 * within a warp only sums are shuffled (segments.h). LL_SCAN combines warps.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/cumsum.cu -o cumsum
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "segments.h"

using namespace ll_kernels;

/* Writes the running sums of each row of src, rows x n, to dst. With SEGMENTED
 * they restart wherever `starts`, rows x n, is not 0. An element takes 6 bytes
 * of registers, or 4 if only the sums of 16 bytes are scanned. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, bool FULL_TILE, unsigned PREFETCH,
          bool SEGMENTED>
__global__ void
__launch_bounds__(32 * WARPS, resident(PER_LANE *(CLUSTER_BLOCKS > 1 ? 4 : 6),
                                       WARPS, PREFETCH))
    cumsum(unsigned rows, unsigned n, unsigned *count, ELEMENT *dst,
           const ELEMENT *src, const unsigned char *starts) {
    typedef std::conditional_t<SEGMENTED, since, float> value;
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), PER_LANE, WARPS, 1, 1));
    constexpr unsigned wide = 16 / sizeof(ELEMENT);
    constexpr bool sums = CLUSTER_BLOCKS > 1 && !SEGMENTED; /* of 16 bytes */
    LL_LAYOUT(SCANNED, SEGMENTED ? totals_of(WARPS)
                       : sums    ? row_of(1, PER_LANE / wide, WARPS, 1, 1)
                                 : LL_GET(ROW_LAYOUT));
    LL_SCAN_PLAN(RUN, SCANNED, LL_J, 8 * sizeof(value), LL_SM90);
    __shared__ __align__(
        16) unsigned char smem[2][(LL_SMEM_BYTES(RUN) + 15) / 16 * 16];
    __shared__ row_reducer<value, WARPS, CLUSTER_BLOCKS, 1> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + (PREFETCH ? TMA_ROW_OFFSET : 0);
    constexpr bool back =
        FULL_TILE && PREFETCH > 2 && CLUSTER_BLOCKS < 16 && !SEGMENTED;
    row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH, false,
               0, back>
        here(rows, n, count);
    unsigned a[here.words], turn = 0;
    team.start(PREFETCH);
    here.start(slots, src);
    do {
        value x[LL_REGS(SCANNED)] = {}, own[LL_REGS(SCANNED)];
        float y[PER_LANE];
        here.load(a, slots, src, (ELEMENT)0.0f);
        if constexpr (SEGMENTED) {
            unsigned on[PER_LANE / 4];
            since of[PER_LANE / wide] = {}, near[PER_LANE / wide];
            here.load_bytes(on, starts);
            LL_EACH(r, ROW_LAYOUT) {
                since &s = of[r / wide];
                s.sum =
                    next_sum(s.sum, number<ELEMENT>(a, r), on[r / 4], r % 4);
                s.start |= on[r / 4];
            }
            own[0] = in_warp(near, of);
            team.draw(turn, here);
            LL_SCAN_BEFORE(x, own, RUN, smem[turn % 2], join(), since());
            const since far = join()(
                team.before(join()(x[0], own[0]), turn, join(), here), x[0]);
            here.fetch(slots, src);
            LL_EACH(r, ROW_LAYOUT) {
                y[r] = next_sum(r % wide ? y[r - 1]
                                         : join()(far, near[r / wide]).sum,
                                number<ELEMENT>(a, r), on[r / 4], r % 4);
            }
        } else {
            LL_EACH(r, ROW_LAYOUT) {
                x[sums ? r / wide : r] += number<ELEMENT>(a, r);
            }
            memcpy(own, x, sizeof x);
            team.draw(turn, here);
            LL_SCAN(x, x, RUN, smem[turn % 2], join());
            const float before =
                team.before(x[LL_REGS(SCANNED) - 1], turn, join(), here);
            here.fetch(slots, src);
            sums ? keep_packed(a) : (void)0;
            LL_EACH(r, ROW_LAYOUT) {
                y[r] = number<ELEMENT>(a, r) + (r % wide ? y[r - 1] : 0);
            }
            LL_EACH(r, ROW_LAYOUT) {
                y[r] = sums ? y[r] + (before + (x[r / wide] - own[r / wide]))
                            : x[r];
            }
        }
        put_numbers<ELEMENT>(a, [&](unsigned r) { return y[r]; });
        here.store(dst, a, slots, src);
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Launches cumsum for rows of n elements, which must fit the tile as in
 * softmax_by. Returns an error message, or null. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH, bool SEGMENTED>
const char *cumsum_by(ELEMENT *dst, const ELEMENT *src,
                      const unsigned char *starts, unsigned rows, unsigned n) {
    const char *const bad = misplaced(dst, src, SEGMENTED ? starts : nullptr);
    return bad ? bad
               : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, 1,
                             PREFETCH>(
                     cumsum<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, true,
                            PREFETCH, SEGMENTED>,
                     cumsum<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, false,
                            PREFETCH, SEGMENTED>,
                     {rows, n, 1, ~0u, false, nullptr, false,
                      PREFETCH ? +TMA_ROW_OFFSET : 0u},
                     dst, src, starts);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH, bool SEGMENTED>
unsigned check(unsigned rows, unsigned n) {
    table<ELEMENT> src(rows, n, 1, -1, 1), dst(rows, n);
    const table<unsigned char> starts(rows, n, 2, 0, 1.01f); /* mostly 0 */
    const double most = sizeof(ELEMENT) == 4 ? 1e-6 : 5e-3;
    unsigned wrong = 0;
    MUST(cumsum_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, PREFETCH,
                   SEGMENTED>(dst.device, src.device, starts.device, rows, n));
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        double sum = 0;
        for (unsigned j = 0; j < n; ++j) {
            sum = src.at(i, j) + (SEGMENTED && starts.at(i, j) > 0 ? 0 : sum);
            wrong += !(fabs(dst.at(i, j) - sum) <= most * fabs(sum) + 2e-4);
        }
    }
    printf("%s of %u rows of %u elements, %u blocks a row: %u wrong\n",
           SEGMENTED ? "segmented sums" : "sums", rows, n, CLUSTER_BLOCKS,
           wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 2, 1, 0, false>(3, 1024) +
                     check<float, 8, 4, 1, 0, true>(3, 1001) +
                     check<float, 8, 2, 4, 0, false>(2, 2048) +
                     check<bf16, 16, 1, 4, 2, true>(35, 2035) +
                     check<bf16, 16, 2, 2, 2, false>(35, 2048) +
                     check<bf16, 8, 1, 2, 3, false>(35, 512) +
                     check<bf16, 8, 1, 1, 1, false>(33, 256);
    alignas(16) float x[8] = {};
    wrong += !cumsum_by<float, 8, 2, 1, 0, false>(x, x + 1, nullptr, 1, 4);
    return verdict(wrong);
}

#endif
