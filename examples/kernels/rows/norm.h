/* norm.h - what norm.cu merges, and where it keeps gain and bias.
 * SPDX-License-Identifier: MIT
 *
 * All rows share the weights, but a row that starts anywhere has them at
 * another place of 16 bytes. A block that goes from row to row keeps them in
 * registers or shared memory where its rows start alike; others read copies,
 * one for each place, or bring 16 bytes at a time.
 */
#ifndef LL_NORM_H
#define LL_NORM_H

#include "rows.h"

namespace ll_kernels {

/* Merges the mean and the variance of two sets of equally many numbers. The
 * result has the same bits for (p, q) and (q, p). */
struct alike {
    __device__ float2 operator()(float2 p, float2 q) const {
        const float d = 0.5f * (q.x - p.x);
        return make_float2(0.5f * (p.x + q.x), fmaf(d, d, 0.5f * (p.y + q.y)));
    }
};

/* Corrects mean and variance of a zero-padded row of `tile` numbers to the n
 * real ones. */
__device__ inline float2 of_row(float2 all, float tile, float n) {
    const float by = tile / n;
    return make_float2(all.x * by, (all.y - all.x * all.x * (by - 1)) * by);
}

/* Returns how many blocks run on a multiprocessor if weights are in shared
 * memory. */
LL_FN unsigned kept_blocks(unsigned bytes, unsigned warps, unsigned ahead,
                           bool layer) {
    const unsigned most =
        ahead ? 2048 / (warps * (bytes / 4 + 40)) : 24 / warps;
    const unsigned fit = 232448 / (ring(bytes, warps, ahead) + 1500 +
                                   32 * warps * bytes * (1 + layer));
    const unsigned least = most < fit ? most : fit;
    return least > 32 ? 32 : least ? least : 1;
}

/* The same if weights are loaded 16 bytes at a time: registers decide. */
LL_FN unsigned late_blocks(unsigned each, unsigned warps) {
    const unsigned blocks = 2048 / (warps * (each + 52));
    return blocks ? blocks : 1;
}

/* The same if weights come from copies. */
LL_FN unsigned copied_blocks(unsigned warps, unsigned ahead) {
    const unsigned most = ahead ? 16 : 32;
    return warps < most ? most / warps : 1;
}

/* Returns the byte offset of rows from a 128-byte line of shared memory. A
 * layernorm is stored from registers and is fastest without one. */
LL_FN unsigned off_line(unsigned ahead, bool layer) {
    return ahead && !layer ? TMA_ROW_OFFSET : 0;
}

/* Returns the further bytes of shared memory: offset of rows and weights. */
template <class ELEMENT>
LL_FN unsigned norm_more(unsigned each, unsigned warps, unsigned ahead,
                         bool layer, unsigned keep) {
    const unsigned bytes = 32 * each * warps * (unsigned)sizeof(ELEMENT);
    return off_line(ahead, layer) + (keep == 2 ? bytes * (1 + layer) : 0);
}

/* The row_stream of a norm. With PREFETCH of 3 or more, full rows are stored in
 * place. */
template <class ELEMENT, class ROW_LAYOUT, unsigned CLUSTER_BLOCKS,
          bool FULL_TILE, unsigned PREFETCH, unsigned KEEP>
using norm_rows =
    row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH,
               KEEP == 1 || KEEP == 2, 0, FULL_TILE && (PREFETCH > 2)>;

/* Returns how many blocks run on a multiprocessor, for any KEEP. */
template <class ELEMENT>
LL_FN unsigned norm_blocks(unsigned each, unsigned warps, unsigned tall,
                           unsigned ahead, bool layer, unsigned keep,
                           bool whole) {
    const unsigned bytes = each * (unsigned)sizeof(ELEMENT), all = warps * tall;
    return keep == 3   ? copied_blocks(all, ahead)
           : keep == 2 ? kept_blocks(bytes, warps, ahead, layer)
           : layer && !whole && !ahead && !keep
               ? late_blocks(each, all)
               : resident(bytes * (2 + layer), all, ahead);
}

/* Writes copies of gain and bias; copy k is shifted by k numbers. */
template <class ELEMENT>
__global__ void copy_weights(ELEMENT *to, const ELEMENT *gain,
                             const ELEMENT *bias, unsigned n, unsigned tile) {
    const unsigned j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    const bool is_in = j >= k && j - k < n;
    if (j < tile) {
        to[k * tile + j] = is_in ? gain[j - k] : (ELEMENT)0.0f;
        to[(gridDim.y + k) * tile + j] = is_in ? bias[j - k] : (ELEMENT)0.0f;
    }
}

/* Writes copies of the weights to `work` and points gain and bias to the first
 * ones, unless all rows fill their tiles (n is `tile` and no rows are left
 * over). Returns an error message, or null. */
template <class ELEMENT>
const char *copied(const ELEMENT *&gain, const ELEMENT *&bias, ELEMENT *work,
                   unsigned n, unsigned tile, unsigned left_over) {
    constexpr unsigned wide = 16 / sizeof(ELEMENT);
    if (!work || (size_t)work % 16) {
        return "copies of the weights need room that starts at 16 bytes";
    }
    if (n != tile || left_over) {
        copy_weights<<<dim3((tile + 255) / 256, wide), 256, 0,
                       launch_stream()>>>(work, gain, bias, n, tile);
        gain = work, bias = work + wide * tile;
    }
    return nullptr;
}

/* Sets g and b to the weights of the row's columns. KEEP of 1 or 2: all rows of
 * a block have the same alignment, so weights are loaded once, to registers (1)
 * or to shared memory at of_gain (2). KEEP of 3: gain and bias are copies.
 * `loaded` is the value of `early` that they were loaded for. */
template <bool FULL_TILE, bool LAYER, unsigned KEEP, class ELEMENT, class ROWS>
__device__ void bring_weights(unsigned (&g)[ROWS::words],
                              unsigned (&b)[ROWS::words], int *loaded,
                              const ROWS &here, const ELEMENT *gain,
                              const ELEMENT *bias, unsigned char *of_gain) {
    unsigned char *const of_bias = of_gain + ROWS::warps * ROWS::room;
    constexpr bool far = KEEP == 2;
    if (KEEP == 3 && !FULL_TILE) {
        here.load_copies(g, gain);
        LAYER ? here.load_copies(b, bias) : (void)0;
    } else if (here.early != *loaded) {
        *loaded = here.early;
        far ? here.put_weights(of_gain, gain) : here.load_weights(g, gain);
        !LAYER ? (void)0
        : far  ? here.put_weights(of_bias, bias)
               : here.load_weights(b, bias);
    }
    far ? take_back(g, of_gain) : keep_packed(g);
    !LAYER ? (void)0 : far ? take_back(b, of_bias) : keep_packed(b);
}

/* Sets a to (a - down) * scale * gain + bias and loads the weights in pieces.
 * All weights of a row that starts anywhere would take twice the registers of
 * the row. */
template <class ELEMENT, class ROWS>
__device__ void weigh_late(unsigned (&a)[ROWS::words], const ROWS &here,
                           const ELEMENT *gain, const ELEMENT *bias, float down,
                           float scale) {
    LL_UNROLL
    for (unsigned w = 0; w < ROWS::words; w += 4) {
        unsigned x[4], g[4], b[4];
        memcpy(x, a + w, 16);
        here.weights_at(g, w * 4 / sizeof(ELEMENT), gain);
        here.weights_at(b, w * 4 / sizeof(ELEMENT), bias);
        put_numbers<ELEMENT>(x, [&](unsigned r) {
            return (number<ELEMENT>(a + w, r) - down) * scale *
                       number<ELEMENT>(g, r) +
                   number<ELEMENT>(b, r);
        });
        memcpy(a + w, x, 16);
    }
}

} // namespace ll_kernels

#endif
