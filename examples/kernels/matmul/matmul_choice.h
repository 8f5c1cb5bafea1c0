/* matmul_choice.h - which form and which clusters does a GEMM take?
 * SPDX-License-Identifier: MIT
 *
 * The number of blocks with neighbouring tiles, which share what they load, and
 * the number of blocks that split a tile are chosen as well. For each candidate
 * an estimate multiplies the rounds that the multiprocessors need for all tiles
 * by the cycles of a tile. The constants are fitted to an H200.
 */
#ifndef LL_MATMUL_CHOICE_H
#define LL_MATMUL_CHOICE_H

#include "matmul_forms.h"
#include "matmul_tiles.h"

namespace ll_kernels {

/* The forms that matmul_hopper.cu compiles. */
template <dtype IN>
using gemm_forms = form_list<
    gemm_form<IN, 1, 16>, gemm_form<IN, 1, 32>, gemm_form<IN, 1, 96>,
    gemm_form<IN, 1, 112>, gemm_form<IN, 1, 128>, gemm_form<IN, 2, 32>,
    gemm_form<IN, 2, 64>, gemm_form<IN, 2, 80>, gemm_form<IN, 2, 104>,
    gemm_form<IN, 2, 112>, gemm_form<IN, 2, 128>, gemm_form<IN, 2, 152>,
    gemm_form<IN, 2, 200>, gemm_form<IN, 2, 216>, gemm_form<IN, 2, 224>,
    gemm_form<IN, 2, 232>, gemm_form<IN, 2, 256>, gemm_form<IN, 3, 64>,
    gemm_form<IN, 3, 128>, gemm_form<IN, 3, 176>>;

/* Returns the number of clusters that compute C in tiles of cols x rows. */
static unsigned cluster_count(const gemm_problem &p, unsigned cols,
                              unsigned rows) {
    return p.stacked ? div_up(p.n, cols) * div_up(p.m, p.neighbours * rows)
                     : div_up(p.n, p.neighbours * cols) * div_up(p.m, rows);
}

/* Returns how many clusters run at once: as counted on an H200, whose groups of
 * multiprocessors larger clusters do not fill. There are at least as many
 * clusters of 5 and 7 blocks, which choose_form does not try, as of 6 and 8. */
static unsigned resident_clusters(const gemm_problem &p) {
    static const unsigned MOST[] = {0, 132, 66, 39, 30, 17, 17, 15, 15};
    const unsigned most = MOST[p.neighbours * p.splits] * p.processors / 132;
    return most ? most : 1;
}

/* Returns the blocks of a launch: clusters for all tiles, or the number that
 * runs at once. */
static unsigned grid_blocks(const gemm_problem &p, unsigned cols,
                            unsigned rows) {
    const unsigned all = cluster_count(p, cols, rows);
    const unsigned most = resident_clusters(p);
    return (p.splits > 1 || all < most ? all : most) * p.neighbours * p.splits;
}

/* Returns whether clusters can divide C like that: a cluster has at most 8
 * blocks, and each has a part of k, of two steps or more if k is split. */
static bool is_valid_division(const gemm_problem &p, unsigned rows,
                              unsigned depth) {
    const unsigned steps = div_up(p.k, depth);
    return p.neighbours && p.splits && p.neighbours <= 8 && p.splits <= 8 &&
           p.neighbours * p.splits <= 8 && rows % 16 == 0 &&
           (p.splits - 1) * div_up(steps, p.splits) < steps &&
           (p.splits == 1 || steps > p.splits);
}

/* Estimates the cycles of a step of k while `blocks` blocks run: the slowest of
 * tensor cores, shared memory, global memory and instructions, and a little for
 * what comes from the L2 cache. Stacked tiles take their columns of B from
 * there. Neighbours with the same rows that have one tile each wait for each
 * other (`waits`), most where products take the longest. */
static double step_cycles(const gemm_problem &p, unsigned workers,
                          unsigned rows, unsigned blocks, bool waits) {
    const unsigned cols = 64 * workers;
    const double of_a = p.stacked ? rows : rows / (double)p.neighbours;
    const double of_b = p.stacked ? cols / (double)p.neighbours : cols;
    const double weights = cols / (double)div_up(p.m, rows);
    const double takes[] = {cols * rows / 32.0, /* tensor cores */
                            1.45 * workers * (64 + rows), 5.36 * weights,
                            0.0528 * weights * blocks, 405.0};
    unsigned most = 0;
    for (unsigned x = 1; x < 5; ++x) {
        most = takes[x] > takes[most] ? x : most;
    }
    return takes[most] + 0.572 * (of_a + of_b) +
           (waits ? (most < 2 ? 0.572 : 0.268) * (rows - of_a) : 0);
}

enum : unsigned { TILE_END_CYCLES = 1831 };

/* Estimates the cycles of a GEMM: the rounds of tiles, times the steps of k and
 * the end of a tile. The constants are fitted to the times of all forms for the
 * GEMMs in bench/peers/matmul.py on an H200. The chosen form is on average
 * 0.2 % slower than the best one, at most 2 %. */
static double gemm_cycles(const gemm_problem &p, unsigned workers,
                          unsigned rows, unsigned depth) {
    const unsigned cols = 64 * workers, steps = div_up(p.k, depth);
    const unsigned count = cluster_count(p, cols, rows);
    const unsigned most = resident_clusters(p);
    const unsigned blocks =
        (count < most ? count : most) * p.neighbours * p.splits;
    const double sharing = 4451.0 + 0.286 * cols * rows;
    const double step = step_cycles(p, workers, rows, blocks, count <= most);
    return splits_last_round(p, count, most, steps)
               ? count / most * (steps * step + TILE_END_CYCLES) +
                     div_up(steps, p.neighbours) * step + TILE_END_CYCLES +
                     sharing
               : div_up(count, most) *
                         (div_up(steps, p.splits) * step + TILE_END_CYCLES) +
                     (p.splits > 1 ? sharing : 0);
}

/* Sets `neighbours`, `stacked` and `splits` of p. Returns the number of the
 * form. */
template <class... F>
static unsigned choose_form(form_list<F...>, gemm_problem &p, unsigned depth) {
    static const struct {
        unsigned neighbours;
        bool stacked;
    } CLUSTERS[] = {{1, false}, {2, false}, {3, false}, {4, false}, {2, true}};
    static const unsigned SPLITS[] = {1, 2, 3, 4, 6};
    static const unsigned SIZES[][2] = {{F::WORKERS, F::ROWS}...};
    unsigned best = 0;
    double least = 0;
    gemm_problem of_best = p;
    for (unsigned x = 0; x < sizeof...(F) * 25; ++x) {
        const unsigned *size = SIZES[x / 25];
        p.neighbours = CLUSTERS[x / 5 % 5].neighbours;
        p.stacked = CLUSTERS[x / 5 % 5].stacked;
        p.splits = SPLITS[x % 5];
        const double cycles =
            is_valid_division(p, div_up(size[1], 16) * 16, depth)
                ? gemm_cycles(p, size[0], size[1], depth)
                : 0;
        if (cycles > 0 && (!least || cycles < least)) {
            least = cycles;
            best = x / 25;
            of_best = p;
        }
    }
    p = of_best;
    return best;
}

} // namespace ll_kernels

#endif
