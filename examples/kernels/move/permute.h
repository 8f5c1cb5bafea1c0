/* permute.h - picks the axes of a tensor that a tile of permute.cu spans.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PERMUTE_H
#define LL_PERMUTE_H

#include "ll_ptx.h"

#include <algorithm>
#include <stddef.h>
#include <type_traits>
#include <vector>

namespace ll_kernels {

/* Up to three axes merged into one, the first fastest.
 *   all      elements
 *   n        sizes of the axes
 *   inverse  2^32 / size, rounded up; 0 for the last axis
 *   from     strides in src
 *   to       strides in dst */
struct axis_group {
    unsigned all, n[3], inverse[3];
    size_t from[3], to[3];
};

/* What the kernel permutes. A tile spans i and j.
 *   turn     i is contiguous in dst and j in src; otherwise j is contiguous in
 *            both
 *   aligned  all runs start at multiples of 16 bytes
 *   rank, size, from, to
 *            the other axes, sorted by their stride in src
 * Block numbers count the tiles along i or j, whichever has fewer, then along
 * the other one, then the other axes. */
struct permute_job {
    axis_group i, j;
    unsigned rank, size[8];
    size_t from[8], to[8];
    bool turn, aligned;
};

/* An axis of n elements with its strides in src and dst. `used`: it is part of
 * a group. */
struct tensor_axis {
    size_t n, from, to;
    bool used;
};

/* Returns the number of the unused axis whose elements follow the elements of
 * axis k in dst or in src; with ANYWHERE, of the first unused axis. Returns
 * by.size() if there is none. */
enum adjacency { IN_DST, IN_SRC, ANYWHERE };
static inline size_t adjacent_axis(const std::vector<tensor_axis> &by, size_t k,
                                   adjacency where) {
    size_t q = 0;
    while (q < by.size() &&
           (by[q].used ||
            (where == IN_DST && by[q].to != by[k].to * by[k].n) ||
            (where == IN_SRC && by[q].from != by[k].from * by[k].n))) {
        ++q;
    }
    return q;
}

/* Merges axis k with the axes that follow it until a run has `run` elements or
 * three axes are merged. Groups stay small enough for the rounded inverses to
 * divide exactly. */
static inline axis_group merged_axes(std::vector<tensor_axis> &by, size_t k,
                                     size_t run, adjacency where) {
    axis_group a = {};
    a.all = 1;
    for (unsigned count = 0;;) {
        by[k].used = true;
        a.n[count] = (unsigned)by[k].n;
        a.from[count] = by[k].from, a.to[count] = by[k].to;
        a.all *= a.n[count++];
        const size_t next = adjacent_axis(by, k, where);
        if (count == 3 || a.all >= run || next == by.size() ||
            by[next].n >= ((size_t)1 << 32) / a.all / a.all) {
            return a;
        }
        a.inverse[count - 1] = (unsigned)(((size_t)1 << 32) / by[k].n + 1);
        k = next;
    }
}

/* Checks the arguments of permute. Returns an error message, or null. */
static inline const char *permute_refusal(unsigned rank, const unsigned *size,
                                          const unsigned *order) {
    size_t all = 1;
    unsigned seen = 0;
    if (rank > 8) {
        return "a tensor has at most 8 axes";
    }
    for (unsigned k = 0; k < rank; ++k) {
        seen |= order[k] < rank ? 1u << order[k] : 0u;
        if (!size[k] || size[k] > 1u << 31 ||
            all > ((size_t)1 << 40) / size[k]) {
            return "an axis has 1 to 2^31 elements, and all have up to 2^40";
        }
        all *= size[k];
    }
    return seen == (1u << rank) - 1 ? nullptr
                                    : "the order names each axis once";
}

/* Returns the axes of the result, the last one first. Axes that stay adjacent
 * are merged; axes of one element are left out. There are at least two. */
static inline std::vector<tensor_axis>
result_axes(unsigned rank, const unsigned *size, const unsigned *order) {
    std::vector<tensor_axis> by, all(rank);
    size_t from = 1, to = 1;
    for (unsigned k = rank; k-- > 0; from *= size[k]) {
        all[k] = {size[k], from, 0, false};
    }
    for (unsigned k = rank; k-- > 0; to *= size[order[k]]) {
        const tensor_axis next = {all[order[k]].n, all[order[k]].from, to,
                                  false};
        if (next.n != 1 && by.size() &&
            next.from == by.back().from * by.back().n &&
            by.back().n * next.n <= 1u << 31) {
            by.back().n *= next.n;
        } else if (next.n != 1) {
            by.push_back(next);
        }
    }
    while (by.size() < 2) {
        by.push_back({1, to, to, false});
    }
    return by;
}

/* Returns n if the permutation transposes n matrices whose sides are 64 or
 * more, otherwise 0. */
static inline unsigned transpose_count(const std::vector<tensor_axis> &by) {
    const tensor_axis &i = by[0], &j = by[1];
    const bool all = by.size() == 2 ||
                     (by.size() == 3 && by[2].from == i.n * j.n &&
                      by[2].to == i.n * j.n && by[2].n < 32768);
    return !all || i.n < 64 || j.n < 64 || i.from != j.n || j.from != 1 ? 0
           : by.size() == 2 ? 1 : (unsigned)by[2].n;
}

/* Picks the axes of a tile for elements of `bytes`. Runs of 256 bytes are long
 * enough. */
static inline permute_job permute_job_of(std::vector<tensor_axis> by,
                                         size_t bytes) {
    size_t j = 0, steps;
    permute_job x = {};
    for (size_t k = 1; k < by.size(); ++k) {
        j = by[k].from < by[j].from ? k : j;
    }
    x.turn = j != 0;
    by[j].used = true;
    if (x.turn) {
        x.i = merged_axes(by, 0, 256 / bytes, IN_DST);
        x.j = merged_axes(by, j, 256 / bytes, IN_SRC);
    } else {
        x.j = merged_axes(by, 0, 1, IN_SRC);
        x.i = merged_axes(by, 1, 256 / bytes, ANYWHERE);
    }
    steps = x.j.all | (x.turn ? x.i.all : 0);
    std::sort(by.begin(), by.end(),
              [](const tensor_axis &a, const tensor_axis &b) {
                  return a.from < b.from;
              });
    for (const tensor_axis &a : by) {
        steps |= (a.from > 1 ? a.from : 0) | (a.to > 1 ? a.to : 0);
        if (!a.used) {
            x.size[x.rank] = (unsigned)a.n;
            x.from[x.rank] = a.from, x.to[x.rank++] = a.to;
        }
    }
    x.aligned = steps * bytes % 16 == 0;
    return x;
}

/* Returns the distance of element x of a group from its element 0. */
__device__ inline size_t axis_offset(const axis_group &a,
                                     const size_t (&step)[3], unsigned x) {
    const unsigned y = __umulhi(x, a.inverse[0]);
    const unsigned z = __umulhi(y, a.inverse[1]);
    return (x - y * a.n[0]) * step[0] + (y - z * a.n[1]) * step[1] +
           z * step[2];
}

/* Returns the tile's number along an axis with `count` tiles, and removes this
 * axis from `tile`. */
__device__ inline unsigned split_tile(unsigned &tile, unsigned count) {
    const unsigned k = tile % count;
    tile /= count;
    return k;
}

/* Returns the layout of a tile in 8 warps. A lane has up to 4 vectors in one
 * column, or 2 if elements have 4 bytes or more, but few enough that no warp
 * holds a copy of another warp's rows. */
LL_FN ll_layout permute_tile(unsigned rows, unsigned cols, unsigned bytes,
                             unsigned access) {
    const unsigned across = cols * bytes / access; /* vectors of a row */
    const unsigned most = rows / 8 / (across < 32u ? 32 / across : 1);
    const unsigned some = bytes < 4u ? 4 : 2;
    return LL_ROWS(.rows = rows, .cols = cols, .bytes = bytes, .access = access,
                   .height = most < some ? (most ? most : 1) : some,
                   .warps = 8);
}

/* Calls f(r, i, j) for each vector of the tile that lies inside the tensor:
 * r, i and j are its first register, row and column. */
template <class TILE, unsigned WIDE, class F>
__device__ void for_each_vector(const permute_job &x, unsigned i, unsigned j,
                                F f) {
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(TILE); r += WIDE) {
        const unsigned p = i + LL_AT(TILE, LL_I, r);
        const unsigned q = j + LL_AT(TILE, LL_J, r);
        if (p < x.i.all && q < x.j.all) {
            f(r, p, q);
        }
    }
}

} // namespace ll_kernels

#endif
