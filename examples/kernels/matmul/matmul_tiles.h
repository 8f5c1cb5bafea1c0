/* matmul_tiles.h - which tiles of C a block computes, in which order, and which
 * tile and part of k it shares with other blocks
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_TILES_H
#define LL_MATMUL_TILES_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"

namespace ll_kernels {

/* C = scale A B, and how clusters divide it.
 *   neighbours  blocks of a cluster with neighbouring tiles, of the same rows,
 *               or, if `stacked`, of the same columns
 *   splits      blocks of a cluster with the same tile and a part of k each
 *   processors  multiprocessors of the GPU */
struct gemm_problem {
    void *c;
    float scale;
    unsigned m, n, k, neighbours, splits, processors;
    bool stacked;
};

LL_FN unsigned div_up(unsigned x, unsigned by) { return (x + by - 1) / by; }

/* Returns the rows of a box if `count` neighbours load `rows` rows together: an
 * equal part for each if the parts are groups of 8, otherwise 16. */
LL_FN unsigned box_rows(unsigned rows, unsigned count) {
    return rows % (8 * count) ? 16 : rows / count;
}

/* Returns whether the last round has so few tiles that the neighbours of a
 * cluster split each of them along k.
 *   tiles     of C, in units of `neighbours`
 *   clusters  that run at once
 *   steps     stages of k */
LL_FN bool splits_last_round(const gemm_problem &p, unsigned tiles,
                             unsigned clusters, unsigned steps) {
    return p.splits == 1 && p.neighbours > 1 && !p.stacked &&
           tiles > clusters && tiles % clusters * p.neighbours <= clusters &&
           (p.neighbours - 1) * div_up(steps, p.neighbours) < steps &&
           steps > p.neighbours;
}

/* The tiles of a block. They are numbered in groups of GROUP columns of tiles,
 * so that tiles computed at the same time share operands in the L2 cache. After
 * its whole tiles a cluster may have one more, which its blocks split along
 * k. */
template <class T> struct tile_scheduler {
    enum : unsigned { GROUP = 8 };
    unsigned high, wide; /* C in tiles; tiles of neighbours count once */
    unsigned whole, first, stride, number; /* of tiles: end, first, step, now */
    bool has_split_tile;
    unsigned neighbours, rank, splits, split; /* of the current tile */
    unsigned begin, steps, row, col;          /* of the current tile */
    bool stacked;
    unsigned box_a, box_b;
    __device__ tile_scheduler(const gemm_problem &p)
        : high(div_up(p.m, (p.stacked ? p.neighbours : 1) * T::ROWS)),
          wide(div_up(p.n, (p.stacked ? 1 : p.neighbours) * T::COLS)),
          whole(high * wide), first(blockIdx.x / (p.neighbours * p.splits)),
          stride(gridDim.x / (p.neighbours * p.splits)), number(first - stride),
          has_split_tile(p.splits > 1), neighbours(p.neighbours),
          rank(ll_ptx_cluster_ctarank() % p.neighbours), splits(1), split(0),
          begin(0), steps(div_up(p.k, T::DEPTH)), row(0), col(0),
          stacked(p.stacked),
          box_a(box_rows(T::PADDED_ROWS, p.stacked ? 1 : p.neighbours)),
          box_b(box_rows(T::COLS, p.stacked ? p.neighbours : 1)) {
        steps = steps < T::MIN_STEPS ? T::MIN_STEPS : steps; /* zeros */
        const bool last = splits_last_round(p, whole, stride, steps);
        const unsigned rest = last ? whole % stride : 0;
        has_split_tile |= first < rest * p.neighbours;
        whole = p.splits > 1 ? 0 : whole - rest;
    }
    /* Goes to a tile: sets its row and column. */
    __device__ void find(unsigned tile) { find(tile, rank); }
    __device__ void find(unsigned tile, unsigned neighbour) {
        const unsigned left = tile / (GROUP * high) * GROUP;
        const unsigned in = tile % (GROUP * high);
        const unsigned most = wide - left < GROUP ? wide - left : GROUP;
        row = in / most, col = left + in % most;
        row = (stacked ? row * neighbours + neighbour : row) * T::ROWS;
        col = (stacked ? col : col * neighbours + neighbour) * T::COLS;
    }
    /* Goes to the tile that blocks split along k. Neighbours keep a tile each,
     * or, in a last round, have one tile together. */
    __device__ void find_split_tile(const gemm_problem &p) {
        const bool last = p.splits == 1;
        find(last ? whole + first / p.neighbours : first,
             last ? first % p.neighbours : rank);
        neighbours = last ? 1 : p.neighbours;
        splits = last ? p.neighbours : p.splits;
        split = ll_ptx_cluster_ctarank() / neighbours;
        rank = ll_ptx_cluster_ctarank() % neighbours;
        const unsigned all = steps, each = div_up(all, splits);
        begin = split * each;
        steps = all - begin < each ? all - begin : each;
        steps = steps < T::MIN_STEPS ? T::MIN_STEPS : steps;
    }
    /* Goes to the next tile, at first to the first one. Returns false if there
     * is none. */
    __device__ bool next(const gemm_problem &p) {
        number += stride;
        if (number < whole) {
            find(number);
            return true;
        }
        if (has_split_tile && splits == 1) {
            find_split_tile(p);
            return true;
        }
        return false;
    }
};

} // namespace ll_kernels

#endif
