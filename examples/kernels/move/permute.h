/* permute.h - which axes of a tensor the tiles of permute.cu lie along.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PERMUTE_H
#define LL_PERMUTE_H

#include "ll_ptx.h"

#include <algorithm>
#include <stddef.h>
#include <type_traits>
#include <vector>

/* Up to three axes as one, of `all` elements, the first fastest: their sizes,
 * 2^32 over those (rounded up; 0 for the last), and steps in src and dst. */
struct axes {
    unsigned all, n[3], inverse[3];
    size_t from[3], to[3];
};

/* TURN: i is contiguous in dst and j in src; otherwise j is in both. Blocks
 * count the tiles along the one of i and j that has fewer, those along the
 * other one, and then the other axes, those first whose elements are close in
 * src. */
struct job {
    axes i, j;
    unsigned rank, size[8];
    size_t from[8], to[8];
    bool turn, aligned; /* all runs start at multiples of 16 bytes */
};

struct axis {
    size_t n, from, to;
    bool used;
};

/* The axis whose elements follow those of axis k, in dst or in src; any other
 * one, if it need not. */
enum next_to { IN_DST, IN_SRC, ANYWHERE };
static inline size_t neighbour(const std::vector<axis> &by, size_t k,
                               next_to where) {
    size_t q = 0;
    while (q < by.size() &&
           (by[q].used ||
            (where == IN_DST && by[q].to != by[k].to * by[k].n) ||
            (where == IN_SRC && by[q].from != by[k].from * by[k].n))) {
        ++q;
    }
    return q;
}

/* Axis k and, while a run has less than `run` elements, its neighbours. What is
 * divided by 2^32 over a size is small enough for the rounding. */
static inline axes with_neighbours(std::vector<axis> &by, size_t k, size_t run,
                                   next_to where) {
    axes a = {};
    a.all = 1;
    for (unsigned count = 0;;) {
        by[k].used = true;
        a.n[count] = (unsigned)by[k].n;
        a.from[count] = by[k].from, a.to[count] = by[k].to;
        a.all *= a.n[count++];
        const size_t next = neighbour(by, k, where);
        if (count == 3 || a.all >= run || next == by.size() ||
            by[next].n >= ((size_t)1 << 32) / a.all / a.all) {
            return a;
        }
        a.inverse[count - 1] = (unsigned)(((size_t)1 << 32) / by[k].n + 1);
        k = next;
    }
}

/* Null, or why axes cannot be permuted. */
static inline const char *unfit(unsigned rank, const unsigned *size,
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

/* The axes of the result from the last one on, those that stay neighbours as
 * one. There are at least two. */
static inline std::vector<axis> axes_of(unsigned rank, const unsigned *size,
                                        const unsigned *order) {
    std::vector<axis> by, all(rank);
    size_t from = 1, to = 1;
    for (unsigned k = rank; k-- > 0; from *= size[k]) {
        all[k] = {size[k], from, 0, false};
    }
    for (unsigned k = rank; k-- > 0; to *= size[order[k]]) {
        const axis next = {all[order[k]].n, all[order[k]].from, to, false};
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

/* How many matrices, of sides of 64 at least, are each transposed; 0 if that is
 * not all. */
static inline unsigned transposes(const std::vector<axis> &by) {
    const axis &i = by[0], &j = by[1];
    const bool all = by.size() == 2 ||
                     (by.size() == 3 && by[2].from == i.n * j.n &&
                      by[2].to == i.n * j.n && by[2].n < 32768);
    return !all || i.n < 64 || j.n < 64 || i.from != j.n || j.from != 1 ? 0
           : by.size() == 2 ? 1 : (unsigned)by[2].n;
}

/* Elements have `bytes`, and runs of 256 bytes are long. */
static inline job job_of(std::vector<axis> by, size_t bytes) {
    size_t j = 0, steps;
    job x = {};
    for (size_t k = 1; k < by.size(); ++k) {
        j = by[k].from < by[j].from ? k : j;
    }
    x.turn = j != 0;
    by[j].used = true;
    if (x.turn) {
        x.i = with_neighbours(by, 0, 256 / bytes, IN_DST);
        x.j = with_neighbours(by, j, 256 / bytes, IN_SRC);
    } else {
        x.j = with_neighbours(by, 0, 1, IN_SRC);
        x.i = with_neighbours(by, 1, 256 / bytes, ANYWHERE);
    }
    steps = x.j.all | (x.turn ? x.i.all : 0);
    std::sort(by.begin(), by.end(), [](const axis &a, const axis &b) {
        return a.from < b.from;
    });
    for (const axis &a : by) {
        steps |= (a.from > 1 ? a.from : 0) | (a.to > 1 ? a.to : 0);
        if (!a.used) {
            x.size[x.rank] = (unsigned)a.n;
            x.from[x.rank] = a.from, x.to[x.rank++] = a.to;
        }
    }
    x.aligned = steps * bytes % 16 == 0;
    return x;
}

/* How far element x of some axes is from element 0. */
__device__ inline size_t far_of(const axes &a, const size_t (&step)[3],
                                unsigned x) {
    const unsigned y = __umulhi(x, a.inverse[0]);
    const unsigned z = __umulhi(y, a.inverse[1]);
    return (x - y * a.n[0]) * step[0] + (y - z * a.n[1]) * step[1] +
           z * step[2];
}

/* The number of a tile along an axis, which leaves that of the others. */
__device__ inline unsigned take(unsigned &tile, unsigned count) {
    const unsigned k = tile % count;
    tile /= count;
    return k;
}

/* Rows of a tile by 8 warps, up to 4 or 2 vectors below each other in a lane:
 * so many that no warp holds copies of what another has. */
LL_FN ll_layout tile_of(unsigned rows, unsigned cols, unsigned bytes,
                        unsigned access) {
    const unsigned across = cols * bytes / access; /* vectors of a row */
    const unsigned most = rows / 8 / (across < 32u ? 32 / across : 1);
    const unsigned some = bytes < 4u ? 4 : 2;
    return LL_ROWS(.rows = rows, .cols = cols, .bytes = bytes, .access = access,
                   .height = most < some ? (most ? most : 1) : some,
                   .warps = 8);
}

/* f(r, i, j) for each vector of a tile that exists: its first register, row and
 * column. */
template <class TILE, unsigned WIDE, class F>
__device__ void each_vector(const job &x, unsigned i, unsigned j, F f) {
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(TILE); r += WIDE) {
        const unsigned p = i + LL_AT(TILE, LL_I, r);
        const unsigned q = j + LL_AT(TILE, LL_J, r);
        if (p < x.i.all && q < x.j.all) {
            f(r, p, q);
        }
    }
}

#endif
