/* score_tile.h - the scores Q K^T of a worker for a tile of keys, by wgmma
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SCORE_TILE_H
#define LL_SCORE_TILE_H

#include "softmax_tile.h"
#include "warpgroups.h"

namespace ll_kernels {

/* Returns the wgmma descriptor of the first 32 bytes of k of a tile at address
 * 0, or 0 if wgmma cannot read the tile or the next 32 bytes of k are not
 * `apart` bytes further, and so on.
 *   rows, cols  of the operand; cols is k
 *   bits        of an element */
LL_FN unsigned long long slices_descriptor(ll_layout tile, unsigned rows,
                                           unsigned cols, unsigned bits,
                                           unsigned apart) {
    const unsigned wide = 256 / bits;
    for (unsigned k = 0; k < cols / wide; ++k) {
        const ll_ptx_desc d =
            ll_ptx_desc_slice(tile, rows, wide, bits, 0, wide * k);
        if (d.err || d.at != apart * k) {
            return 0;
        }
    }
    return ll_ptx_desc_wgmma(ll_ptx_desc_slice(tile, rows, wide, bits, 0, 0),
                             0);
}

/* Starts scores = Q K^T. q and k are descriptors of the tiles. A product takes
 * 32 bytes of each row, which are adjacent in a box. */
template <class TILES>
static __device__ void start_scores(float *scores, unsigned long long q,
                                    unsigned long long k) {
    constexpr unsigned slices = TILES::BOX * TILES::ELEMENT_BYTES / 32;
    LL_UNROLL
    for (unsigned x = 0; x < TILES::BOXES * slices; ++x) {
        const unsigned box = x / slices, slice = 32 * (x % slices);
        TILES::multiply_scores(
            scores, q + ((TILES::BOX_BYTES_Q * box + slice) >> 4),
            k + ((TILES::BOX_BYTES_K * box + slice) >> 4), x);
    }
    ll_ptx_wgmma_commit_group();
}

/* Sets the scores of keys that a row does not see to minus infinity. Does
 * nothing in tiles that all rows see. */
template <class TILES>
static __device__ void mask_scores(float *scores, const attention_shape &s,
                                   const tile_job &t, unsigned worker,
                                   int tile) {
    LL_IN(WARPGROUP);
    typedef typename TILES::SCORES SCORES;
    const int row = t.row + (int)(64 * worker) + t.keys - t.rows;
    const int begin = tile * (int)TILES::KEYS, end = begin + (int)TILES::KEYS;
    if (end <= t.keys && (!s.causal || end - 1 <= row) &&
        (!s.window || begin + (int)s.window > row + 63)) {
        return;
    }
    int first[2], last[2]; /* columns, counted from the lane's first one */
    const int lane = begin + (int)LL_AT(SCORES, LL_J, 0);
    /* Where 128 registers hold the output, none is left for sums of rows, which
     * are 8 apart: e4m3 lost a tenth by them. */
    constexpr bool full = sizeof(typename TILES::output_registers) >= 512;
    for (unsigned k = 0; k < 2; ++k) {
        const int i = row + (int)(full ? LL_AT(SCORES, LL_I, 0) ^ 8 * k
                                       : LL_AT(SCORES, LL_I, 2 * k));
        last[k] = (s.causal && i + 1 < t.keys ? i + 1 : t.keys) - lane;
        first[k] = s.window ? i + 1 - (int)s.window - lane : 0;
    }
    LL_EACH(r, SCORES) {
        const int j = (int)register_column(r);
        const bool seen =
            j >= first[register_row(r)] && j < last[register_row(r)];
        scores[r] = seen ? scores[r] : -INFINITY;
    }
}

} // namespace ll_kernels

#endif
