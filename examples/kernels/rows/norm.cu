/* norm.cu - how are several sums of a row made in one pass?
 * SPDX-License-Identifier: MIT
 *
 * A layernorm needs the mean and the variance of a row. Made from the sums of
 * the elements and of their squares, the variance loses its digits where the
 * mean is large. Here each lane takes the mean of its own elements and their
 * squared distances from it, and one LL_REDUCE merges these pairs (Chan, Golub
 * and LeVeque): the element of a reduction can be any struct of 1, 2, 4, 8 or
 * 16 bytes. All lanes have as many elements. In rows that do not fill the tile
 * the others are equal to the row's first one, which is subtracted from all, so
 * that they count as 0. An rmsnorm needs the sum of squares alone. Rows lie in
 * registers as in softmax.cu.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/norm.cu -o norm
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "norm.h"

using namespace ll_kernels;

/* Writes the layernorm of each row of src, rows x n, to dst, or the rmsnorm: (x
 * - mean) / sqrt(variance + least) * gain + bias, or x / sqrt(mean of x^2 +
 * least) * gain. KEEP: where gain and bias are kept (bring_weights). */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, bool FULL_TILE,
          unsigned PREFETCH, bool LAYER, unsigned KEEP>
__global__ void __launch_bounds__(32 * WARPS * ROWS_PER_BLOCK,
                                  norm_blocks<ELEMENT>(PER_LANE, WARPS,
                                                       ROWS_PER_BLOCK, PREFETCH,
                                                       LAYER, KEEP, FULL_TILE))
    norm(unsigned rows, unsigned n, unsigned *count, ELEMENT *dst,
         const ELEMENT *src, const ELEMENT *gain, const ELEMENT *bias,
         float least) {
    typedef std::conditional_t<LAYER, float2, float> sums;
    constexpr bool shifted = LAYER && !FULL_TILE;
    LL_LAYOUT(ROW_LAYOUT,
              row_of(16 / sizeof(ELEMENT), PER_LANE, WARPS, 1, ROWS_PER_BLOCK));
    typedef norm_rows<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH,
                      KEEP>
        part;
    __shared__ row_reducer<sums, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + off_line(PREFETCH, LAYER);
    part here(rows, n, count, count && shifted && !KEEP);
    unsigned char *const of_gain = slots + here.bytes + threadIdx.x * 16;
    int loaded = -1; /* the `early` that g and b are for */
    unsigned a[here.words], g[here.words], b[here.words], turn = 0;
    team.start();
    here.start(slots, src);
    float shift = shifted ? here.first_of(src, here.row) : 0;
    do {
        float down = 0, scale;
        here.load(a, slots, src, (ELEMENT)shift);
        if constexpr (LAYER) {
            const float from =
                sizeof(ELEMENT) == 4 ? shift : 0; /* sums are exact */
            float mean = 0, square = 0;
            LL_EACH(r, ROW_LAYOUT) { mean += number<ELEMENT>(a, r) - from; }
            const float near = mean * (1 / (float)PER_LANE) + from;
            mean = near - shift;
            keep_packed(a);
            LL_EACH(r, ROW_LAYOUT) {
                const float x = number<ELEMENT>(a, r) - near;
                square = fmaf(x, x, square);
            }
            const float2 all =
                of_row(team.all(make_float2(mean, square / (float)PER_LANE),
                                turn, alike(), here),
                       PER_LANE * WARPS * 32 * CLUSTER_BLOCKS, (float)n);
            down = all.x + shift;
            scale = rsqrtf(all.y + least);
        } else {
            float squares = 0;
            LL_EACH(r, ROW_LAYOUT) {
                squares =
                    fmaf(number<ELEMENT>(a, r), number<ELEMENT>(a, r), squares);
            }
            scale = rsqrtf(team.all(squares, turn, ll_add(), here) / (float)n +
                           least);
        }
        shift = shifted ? here.first_of(src, here.following()) : 0;
        here.fetch(slots, src);
        keep_packed(a);
        if constexpr (LAYER && !FULL_TILE && !PREFETCH && !KEEP) {
            weigh_late(a, here, gain, bias, down, scale);
        } else {
            bring_weights<FULL_TILE, LAYER, KEEP>(g, b, &loaded, here, gain,
                                                  bias, of_gain);
            put_numbers<ELEMENT>(a, [&](unsigned r) {
                const float x = (number<ELEMENT>(a, r) - down) * scale *
                                number<ELEMENT>(g, r);
                return LAYER ? x + number<ELEMENT>(b, r) : x;
            });
        }
        here.store(dst, a, slots, src);
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Launches norm for rows of n elements, which must fit the tile as in
 * softmax_by. With KEEP of 3, `work` has room for 32 / sizeof(ELEMENT) tiles,
 * for copies of gain and bias. Returns an error message, or null. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool LAYER, unsigned KEEP = 0>
const char *norm_by(ELEMENT *dst, const ELEMENT *src, const ELEMENT *gain,
                    const ELEMENT *bias, unsigned rows, unsigned n, float least,
                    ELEMENT *work = nullptr) {
    constexpr unsigned tile = PER_LANE * WARPS * 32 * CLUSTER_BLOCKS;
    const char *bad = misplaced(dst, src);
    bad = bad ? bad : unaligned(gain, bias);
    if constexpr (KEEP == 3) {
        bad = bad ? bad
                  : copied(gain, bias, work, n, tile, rows % ROWS_PER_BLOCK);
    }
    return bad ? bad
               : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                             ROWS_PER_BLOCK, PREFETCH>(
                     norm<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                          ROWS_PER_BLOCK, true, PREFETCH, LAYER, KEEP>,
                     norm<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                          ROWS_PER_BLOCK, false, PREFETCH, LAYER, KEEP>,
                     {rows, n, 1, ~0u, false, nullptr, KEEP == 1 || KEEP == 2,
                      norm_more<ELEMENT>(PER_LANE, WARPS, PREFETCH, LAYER,
                                         KEEP)},
                     dst, src, gain, bias, least);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned ROWS_PER_BLOCK, unsigned PREFETCH,
          bool LAYER, unsigned KEEP = 0>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> src(rows, n, 1, 30, 34), gain(1, n, 2, -1, 1);
    const table<ELEMENT> bias(1, n, 3, -1, 1);
    table<ELEMENT> dst(rows, n),
        work(32 / sizeof(ELEMENT), PER_LANE * WARPS * 32 * CLUSTER_BLOCKS);
    MUST(norm_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK,
                 PREFETCH, LAYER, KEEP>(dst.device, src.device, gain.device,
                                        bias.device, rows, n, 1e-5f,
                                        work.device));
    dst.fetch();
    return wrong_norms(dst, src, gain, bias, LAYER, CLUSTER_BLOCKS);
}

int main(void) {
    unsigned wrong = check<bf16, 16, 1, 1, 4, 0, true>(8, 512);
    wrong += check<bf16, 16, 1, 1, 1, 1, false>(70, 505);
    wrong += check<float, 8, 4, 1, 1, 0, true>(3, 1001);
    wrong += check<f16, 16, 1, 2, 1, 3, false>(19, 1024);
    wrong += check<bf16, 16, 2, 2, 1, 3, true>(40, 2048);
    wrong += check<f16, 16, 1, 2, 1, 2, true>(19, 1013);
    wrong += check<bf16, 64, 4, 2, 1, 2, false>(19, 8201);
    wrong += check<bf16, 16, 2, 1, 1, 0, true, 2>(70, 1013);
    wrong += check<bf16, 64, 4, 1, 1, 1, true, 2>(35, 8185);
    wrong += check<f16, 32, 4, 2, 1, 1, false, 1>(35, 8179);
    wrong += check<bf16, 16, 1, 2, 1, 1, true, 2>(19, 1024);
    wrong += check<bf16, 16, 2, 1, 1, 0, true, 3>(9, 1013);
    wrong += check<f16, 16, 1, 2, 1, 2, true, 3>(19, 1009);
    alignas(16) float x[8] = {};
    wrong += !norm_by<float, 8, 4, 1, 1, 0, true>(x + 1, x, x, x, 1, 4, 1);
    wrong += !norm_by<float, 8, 4, 1, 1, 0, true>(x, x, x, x + 1, 1, 8, 1);
    wrong += !norm_by<float, 8, 4, 1, 1, 0, true, 3>(x, x, x, x, 1, 8, 1);
    return verdict(wrong);
}

#endif
