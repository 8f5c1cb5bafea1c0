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

/* dst, rows x n, becomes the layernorm of each row of src, or the rmsnorm:
 * (x - mean) / sqrt(variance + least) * gain + bias, or x / sqrt(mean of x^2 +
 * least) * gain. KEEP: where gain and bias are kept (bring_weights). */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, bool WHOLE, unsigned AHEAD, bool LAYER, unsigned KEEP>
__global__ void __launch_bounds__(
    32 * WARPS * TALL,
    norm_blocks<T>(EACH, WARPS, TALL, AHEAD, LAYER, KEEP, WHOLE))
    norm(unsigned rows, unsigned n, unsigned *count, T *dst, const T *src,
         const T *gain, const T *bias, float least) {
    typedef std::conditional_t<LAYER, float2, float> sums;
    constexpr bool shifted = LAYER && !WHOLE;
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, WARPS, 1, TALL));
    typedef norm_rows<T, PART, BLOCKS, WHOLE, AHEAD, KEEP> part;
    __shared__ team_of<sums, WARPS, BLOCKS, TALL> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + off_line(AHEAD, LAYER);
    part here(rows, n, count, count && shifted && !KEEP);
    unsigned char *const of_gain = slots + here.bytes + threadIdx.x * 16;
    int loaded = -1; /* the `early` that g and b are for */
    unsigned a[here.words], g[here.words], b[here.words], turn = 0;
    team.start();
    here.start(slots, src);
    float shift = shifted ? here.first_of(src, here.row) : 0;
    do {
        float down = 0, scale;
        here.load(a, slots, src, (T)shift);
        if constexpr (LAYER) {
            const float from = sizeof(T) == 4 ? shift : 0; /* sums are exact */
            float mean = 0, square = 0;
            LL_EACH(r, PART) { mean += number<T>(a, r) - from; }
            const float near = mean * (1 / (float)EACH) + from;
            mean = near - shift;
            keep_packed(a);
            LL_EACH(r, PART) {
                const float x = number<T>(a, r) - near;
                square = fmaf(x, x, square);
            }
            const float2 all =
                of_row(team.all(make_float2(mean, square / (float)EACH), turn,
                                alike(), here),
                       EACH * WARPS * 32 * BLOCKS, (float)n);
            down = all.x + shift;
            scale = rsqrtf(all.y + least);
        } else {
            float squares = 0;
            LL_EACH(r, PART) {
                squares = fmaf(number<T>(a, r), number<T>(a, r), squares);
            }
            scale = rsqrtf(team.all(squares, turn, ll_add(), here) / (float)n +
                           least);
        }
        shift = shifted ? here.first_of(src, here.following()) : 0;
        here.fetch(slots, src);
        keep_packed(a);
        if constexpr (LAYER && !WHOLE && !AHEAD && !KEEP) {
            weigh_late(a, here, gain, bias, down, scale);
        } else {
            bring_weights<WHOLE, LAYER, KEEP>(g, b, &loaded, here, gain, bias,
                                              of_gain);
            put_numbers<T>(a, [&](unsigned r) {
                const float x =
                    (number<T>(a, r) - down) * scale * number<T>(g, r);
                return LAYER ? x + number<T>(b, r) : x;
            });
        }
        here.store(dst, a, slots, src);
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Rows of n elements; n, and what a row may start late, at most the tile.
 * work: with KEEP of 3, room for 32 / sizeof(T) tiles, of copies of gain and
 * bias. Returns null, or a sentence. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, bool LAYER, unsigned KEEP = 0>
const char *norm_by(T *dst, const T *src, const T *gain, const T *bias,
                    unsigned rows, unsigned n, float least, T *work = nullptr) {
    constexpr unsigned tile = EACH * WARPS * 32 * BLOCKS;
    const char *bad = misplaced(dst, src);
    bad = bad ? bad : unaligned(gain, bias);
    if constexpr (KEEP == 3) {
        bad = bad ? bad : copied(gain, bias, work, n, tile, rows % TALL);
    }
    return bad ? bad : launch_rows<T, EACH, WARPS, BLOCKS, TALL, AHEAD>(
        norm<T, EACH, WARPS, BLOCKS, TALL, true, AHEAD, LAYER, KEEP>,
        norm<T, EACH, WARPS, BLOCKS, TALL, false, AHEAD, LAYER, KEEP>,
        {rows, n, 1, ~0u, false, nullptr, KEEP == 1 || KEEP == 2,
         norm_more<T>(EACH, WARPS, AHEAD, LAYER, KEEP)},
        dst, src, gain, bias, least);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, bool LAYER, unsigned KEEP = 0>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, 30, 34), gain(1, n, 2, -1, 1);
    const table<T> bias(1, n, 3, -1, 1);
    table<T> dst(rows, n), work(32 / sizeof(T), EACH * WARPS * 32 * BLOCKS);
    MUST(norm_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD, LAYER, KEEP>(
        dst.device, src.device, gain.device, bias.device, rows, n, 1e-5f,
        work.device));
    dst.fetch();
    return wrong_norms(dst, src, gain, bias, LAYER, BLOCKS);
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
