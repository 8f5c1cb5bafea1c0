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

/* Of as many numbers x each: their mean, and the mean of (x - mean)^2. Has the
 * same bits for (p, q) and (q, p). */
struct alike {
    __device__ float2 operator()(float2 p, float2 q) const {
        const float d = 0.5f * (q.x - p.x);
        return make_float2(0.5f * (p.x + q.x),
                           fmaf(d, d, 0.5f * (p.y + q.y)));
    }
};

/* The mean of a row of n numbers, and the mean of (x - mean)^2, from those of
 * `tile` numbers, of which the others are 0. */
__device__ inline float2 of_row(float2 all, float tile, float n) {
    const float by = tile / n;
    return make_float2(all.x * by, (all.y - all.x * all.x * (by - 1)) * by);
}

/* How many blocks a multiprocessor holds whose weights are in shared memory. */
LL_FN unsigned kept_blocks(unsigned bytes, unsigned warps, unsigned ahead,
                           bool layer) {
    const unsigned most =
        ahead ? 2048 / (warps * (bytes / 4 + 40)) : 24 / warps;
    const unsigned fit = 232448 / (ring(bytes, warps, ahead) + 1500 +
                                   32 * warps * bytes * (1 + layer));
    const unsigned least = most < fit ? most : fit;
    return least > 32 ? 32 : least ? least : 1;
}

/* The same where weights are brought 16 bytes at a time: by registers. */
LL_FN unsigned late_blocks(unsigned each, unsigned warps) {
    const unsigned blocks = 2048 / (warps * (each + 52));
    return blocks ? blocks : 1;
}

/* The same where weights come from copies of them. */
LL_FN unsigned copied_blocks(unsigned warps, unsigned ahead) {
    const unsigned most = ahead ? 16 : 32;
    return warps < most ? most / warps : 1;
}

/* How far from a multiple of 128 bytes rows start in shared memory. Those of a
 * layernorm, which are stored from registers, like it best there. */
LL_FN unsigned off_line(unsigned ahead, bool layer) {
    return ahead && !layer ? OFF_LINE : 0;
}

/* Further bytes of shared memory: where rows start, and weights. */
template <class T>
LL_FN unsigned norm_more(unsigned each, unsigned warps, unsigned ahead,
                         bool layer, unsigned keep) {
    const unsigned bytes = 32 * each * warps * (unsigned)sizeof(T);
    return off_line(ahead, layer) + (keep == 2 ? bytes * (1 + layer) : 0);
}

/* The rows of a norm: whole ones go back where three are ahead. */
template <class T, class PART, unsigned BLOCKS, bool WHOLE, unsigned AHEAD,
          unsigned KEEP>
using norm_rows = rows_of<T, PART, BLOCKS, WHOLE, AHEAD, KEEP == 1 || KEEP == 2,
                          0, WHOLE && (AHEAD > 2)>;

/* How many blocks a multiprocessor holds, of any kind. */
template <class T>
LL_FN unsigned norm_blocks(unsigned each, unsigned warps, unsigned tall,
                           unsigned ahead, bool layer, unsigned keep,
                           bool whole) {
    const unsigned bytes = each * (unsigned)sizeof(T), all = warps * tall;
    return keep == 3   ? copied_blocks(all, ahead)
           : keep == 2 ? kept_blocks(bytes, warps, ahead, layer)
           : layer && !whole && !ahead && !keep
               ? late_blocks(each, all)
               : resident(bytes * (2 + layer), all, ahead);
}

/* Copy k of gain, and of bias, starts k numbers late. */
template <class T>
__global__ void copy_weights(T *to, const T *gain, const T *bias, unsigned n,
                             unsigned tile) {
    const unsigned j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    const bool is_in = j >= k && j - k < n;
    if (j < tile) {
        to[k * tile + j] = is_in ? gain[j - k] : (T)0.0f;
        to[(gridDim.y + k) * tile + j] = is_in ? bias[j - k] : (T)0.0f;
    }
}

/* Makes the copies in `work`, and gain and bias the first ones of them, unless
 * all rows fill their tiles: n is `tile`, and no rows are left over. Returns
 * null, or a sentence. */
template <class T>
const char *copied(const T *&gain, const T *&bias, T *work, unsigned n,
                   unsigned tile, unsigned left_over) {
    constexpr unsigned wide = 16 / sizeof(T);
    if (!work || (size_t)work % 16) {
        return "copies of the weights need room that starts at 16 bytes";
    }
    if (n != tile || left_over) {
        copy_weights<<<dim3((tile + 255) / 256, wide), 256, 0,
                       stream_of_rows()>>>(work, gain, bias, n, tile);
        gain = work, bias = work + wide * tile;
    }
    return nullptr;
}

/* g and b become the weights of the row's columns. KEEP: all rows of a block
 * start alike, so that they are loaded once, to registers (1) or to shared
 * memory from of_gain on (2); or gain and bias are copies of them (3). loaded:
 * the `early` that they were loaded for. */
template <bool WHOLE, bool LAYER, unsigned KEEP, class T, class ROWS>
__device__ void bring_weights(unsigned (&g)[ROWS::words],
                              unsigned (&b)[ROWS::words], int *loaded,
                              const ROWS &here, const T *gain, const T *bias,
                              unsigned char *of_gain) {
    unsigned char *const of_bias = of_gain + ROWS::warps * ROWS::room;
    constexpr bool far = KEEP == 2;
    if (KEEP == 3 && !WHOLE) {
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

/* a becomes (a - down) * scale * gain + bias. All weights of a row that starts
 * anywhere would take twice the registers that the row does. */
template <class T, class ROWS>
__device__ void weigh_late(unsigned (&a)[ROWS::words], const ROWS &here,
                           const T *gain, const T *bias, float down,
                           float scale) {
    LL_UNROLL
    for (unsigned w = 0; w < ROWS::words; w += 4) {
        unsigned x[4], g[4], b[4];
        memcpy(x, a + w, 16);
        here.weights_at(g, w * 4 / sizeof(T), gain);
        here.weights_at(b, w * 4 / sizeof(T), bias);
        put_numbers<T>(x, [&](unsigned r) {
            return (number<T>(a + w, r) - down) * scale * number<T>(g, r) +
                   number<T>(b, r);
        });
        memcpy(a + w, x, 16);
    }
}

#endif
