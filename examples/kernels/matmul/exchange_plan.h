/* exchange_plan.h - the plan of matmul_exchange.h: which rank owns a box of C,
 * where the box lies in its memory, and the order of the tiles.
 * SPDX-License-Identifier: MIT
 *
 * Two layouts describe C. `computed` maps column j and row i of rank gpu, as
 * the GEMM computes them, to an element of C. `owned` maps an offset of rank
 * gpu, as the ranks hold C afterwards, to an element. The inverse of the second
 * after the first says where each element goes:
 *
 *     j: offset0 .. | i: offset9 .. gpu0 | gpu: offset8     columns to rows
 *
 * It is linear over F2, so the place of a box is the XOR of columns. A box is
 * stored by one TMA instruction. Its columns must therefore be contiguous in
 * the memory of one rank, and its rows the same distance apart.
 */
#ifndef LL_EXCHANGE_PLAN_H
#define LL_EXCHANGE_PLAN_H

#include "ll.h"

namespace ll_kernels {

/* ---- Shardings ----------------------------------------------------------- */

enum : unsigned {
    EXCHANGE_RANKS = 16,
    EXCHANGE_FIRST = LL_MAX_BITS, /* tiles for other ranks first */
    EXCHANGE_SPREAD,              /* spread over all but the last tiles */
    CHUNK_BITS = 4,               /* 16 tiles for one owner follow each other */
    BOX_COL_BITS = 6              /* a box has 64 columns */
};

/* How C is sharded.
 *   bad    an error message, or null
 *   m, n   of the part that a rank computes
 *   where  from (j, i, gpu), as computed, to (offset, gpu), as owned */
struct exchange_sharding {
    const char *bad;
    unsigned m, n, rank_bits;
    ll_layout where;
};

/* Returns the layout of an m x n matrix: each of 2^rank_bits ranks computes all
 * rows and an equal part of the columns. */
LL_FN ll_layout columns_of_ranks(unsigned m, unsigned n, unsigned rank_bits) {
    const ll_dim gpu = ll_dim_of("gpu");
    return ll_mul(ll_mul(ll_identity(n >> rank_bits, LL_J, LL_J),
                         ll_identity(m, LL_I, LL_I)),
                  ll_identity(1u << rank_bits, gpu, LL_J));
}

/* Returns the layout of partial sums: each rank computes m x n elements from
 * its part of k. The parts are the third axis of C. */
LL_FN ll_layout parts_of_ranks(unsigned m, unsigned n, unsigned rank_bits) {
    return ll_mul(
        ll_mul(ll_identity(n, LL_J, LL_J), ll_identity(m, LL_I, LL_I)),
        ll_identity(1u << rank_bits, ll_dim_of("gpu"), ll_dim_of("part")));
}

/* Returns the layout of all parts of some rows in each rank: a matrix of these
 * rows per part. */
LL_FN ll_layout rows_of_parts(unsigned m, unsigned n, unsigned rank_bits) {
    const ll_layout one =
        ll_mul(ll_mul(ll_identity(n, LL_OFFSET, LL_J),
                      ll_identity(m >> rank_bits, LL_OFFSET, LL_I)),
               ll_identity(1u << rank_bits, LL_OFFSET, ll_dim_of("part")));
    return ll_mul(one, ll_identity(1u << rank_bits, ll_dim_of("gpu"), LL_I));
}

/* Returns the sharding of C; `bad` says what is wrong with the layouts. */
LL_FN exchange_sharding exchange_sharding_of(const ll_layout &computed,
                                             const ll_layout &owned) {
    const ll_dim gpu = ll_dim_of("gpu");
    const ll_layout back = ll_inv(owned);
    exchange_sharding s = {};
    s.where = ll_compose(back, computed);
    s.m = ll_size(computed.in, LL_I);
    s.n = ll_size(computed.in, LL_J);
    s.rank_bits = ll_log2_(ll_size(computed.in, gpu));
    s.bad = computed.err ? ll_strerror(computed.err)
            : owned.err  ? ll_strerror(owned.err)
            : back.err ? "each element of C must have one owner: `owned` must "
                         "be invertible"
            : s.where.err ? "the two layouts must be of a C of the same size"
            : ll_size(owned.in, gpu) != 1u << s.rank_bits ||
                    1u << s.rank_bits > EXCHANGE_RANKS
                ? "both layouts must have the same 1 to 16 ranks along axis gpu"
            : s.m < 16 || s.n < 64
                ? "a rank must compute at least 16 x 64 elements"
                : (const char *)0;
    return s;
}

/* ---- Places -------------------------------------------------------------- */

/* A place in the memory of a rank: its row and column there. */
struct exchange_place {
    unsigned col, row, rank;
};
LL_FN exchange_place operator^(exchange_place a, exchange_place b) {
    return exchange_place{a.col ^ b.col, a.row ^ b.row, a.rank ^ b.rank};
}

/* A tile of C, or of several neighbours of a cluster, counted in tiles. */
struct exchange_tile {
    unsigned row, col;
};

/* Rows and columns of a tile, rows that are stored together at most, and how
 * many tiles are computed at the same time. */
struct exchange_form {
    unsigned rows, cols, piece, running;
};

/* The plan of one rank.
 *   pitch, rows  columns and rows of a rank's memory
 *   zero         place of the rank's first element
 *   col_bit      contribution of the bits of a column, from bit BOX_COL_BITS on
 *   row_bit      contribution of the bits of a row
 *   bit          contribution of the bits of a tile's number
 *   first        tile 0
 *   others       chunks of tiles for other ranks, spread over `before` chunks;
 *                0 if tiles come in the order of their numbers */
struct exchange_plan {
    unsigned box_rows, pitch, rows, col_bits, row_bits, tile_bits;
    exchange_place zero, col_bit[LL_MAX_BITS], row_bit[LL_MAX_BITS];
    exchange_tile first, bit[LL_MAX_BITS];
    unsigned others, before;
};

/* Returns the place of the box at a row and a column of this rank. */
LL_FN exchange_place place_of(const exchange_plan &p, unsigned row,
                              unsigned col) {
    exchange_place at = p.zero;
    for (unsigned k = 4; k < p.row_bits; ++k) {
        at = row >> k & 1u ? at ^ p.row_bit[k] : at;
    }
    for (unsigned k = BOX_COL_BITS; k < p.col_bits; ++k) {
        at = col >> k & 1u ? at ^ p.col_bit[k] : at;
    }
    return at;
}

/* Returns the contribution of row i of a tile of at most 256 rows. */
LL_FN exchange_place row_in_tile(const exchange_plan &p, unsigned i) {
    exchange_place at = {0, 0, 0};
    LL_UNROLL
    for (unsigned k = 4; k < 8; ++k) {
        at = i >> k & 1u ? at ^ p.row_bit[k] : at;
    }
    return at;
}

/* Returns the number of the tile in place x. Numbers count the tiles for other
 * ranks first. Their chunks are spread evenly over the first `before` ones,
 * with a rank's own between them. */
LL_FN unsigned tile_number(const exchange_plan &p, unsigned x) {
    const unsigned chunk = x >> CHUNK_BITS;
    if (chunk >= p.before) {
        return x;
    }
    const unsigned sent = (chunk * p.others + p.before - 1) / p.before;
    const unsigned next = ((chunk + 1) * p.others + p.before - 1) / p.before;
    const unsigned to = next > sent ? sent : p.others + chunk - sent;
    return to << CHUNK_BITS | (x & ((1u << CHUNK_BITS) - 1u));
}

/* Returns the tile with a number. */
LL_FN exchange_tile tile_at(const exchange_plan &p, unsigned number) {
    exchange_tile at = p.first;
    for (unsigned k = 0; k < p.tile_bits; ++k) {
        at.row ^= number >> k & 1u ? p.bit[k].row : 0u;
        at.col ^= number >> k & 1u ? p.bit[k].col : 0u;
    }
    return at;
}

/* Returns the place of an element of a rank: `word` is packed (j, i, gpu). */
LL_FN exchange_place exchange_place_at(const ll_layout &where, unsigned pitch,
                                       unsigned word, bool linear) {
    const unsigned y = ll_apply(where, word) ^ (linear ? where.offset : 0u);
    const unsigned offset = ll_unpack(where.out, LL_OFFSET, y);
    return exchange_place{offset % pitch, offset / pitch,
                          ll_unpack(where.out, ll_dim_of("gpu"), y)};
}

/* Sets the contributions of rows and columns. */
LL_FN void set_places(exchange_plan *to, const exchange_sharding &s,
                      unsigned rank) {
    const ll_shape &in = s.where.in;
    const unsigned second =
        ll_apply(s.where, ll_pack(in, LL_I, 1)) ^ s.where.offset;
    const unsigned all = ll_size(s.where.out, LL_OFFSET);
    to->pitch = ll_unpack(s.where.out, LL_OFFSET, second);
    to->pitch = to->pitch < 64 ? 64 : to->pitch;
    to->rows = all / to->pitch;
    to->col_bits = ll_log2_(s.n);
    to->row_bits = ll_log2_(s.m);
    to->zero = exchange_place_at(s.where, to->pitch,
                                 ll_pack(in, ll_dim_of("gpu"), rank), false);
    for (unsigned k = 0; k < to->col_bits; ++k) {
        to->col_bit[k] = exchange_place_at(s.where, to->pitch,
                                           ll_pack(in, LL_J, 1u << k), true);
    }
    for (unsigned k = 0; k < to->row_bits; ++k) {
        to->row_bit[k] = exchange_place_at(s.where, to->pitch,
                                           ll_pack(in, LL_I, 1u << k), true);
    }
}

/* Returns whether boxes of 2^bits rows are boxes in the memory of one rank. */
LL_FN bool are_boxes(const exchange_plan &p, unsigned bits) {
    unsigned cols = p.zero.col, rows = p.zero.row;
    bool good = true;
    for (unsigned k = 0; k < p.col_bits; ++k) {
        const exchange_place b = p.col_bit[k];
        if (k < BOX_COL_BITS) {
            good = good && !b.rank && !b.row && b.col == 1u << k;
        } else {
            cols |= b.col, rows |= b.row;
        }
    }
    for (unsigned k = 0; k < p.row_bits; ++k) {
        const exchange_place b = p.row_bit[k];
        if (k < bits) {
            good = good && !b.rank && !b.col && b.row == 1u << k;
        } else {
            cols |= b.col, rows |= b.row;
        }
    }
    return good && bits <= p.row_bits && cols % 64 == 0 &&
           rows % (1u << bits) == 0;
}

/* Sets the number of rows of a box, at most `piece`. Returns an error message,
 * or null. */
LL_FN const char *set_boxes(exchange_plan *to, unsigned piece) {
    for (unsigned bits = 6; bits >= 4; --bits) {
        if (1u << bits <= piece && are_boxes(*to, bits)) {
            to->box_rows = 1u << bits;
            return 0;
        }
    }
    return "16 rows x 64 columns of C must have one owner, which holds the 64 "
           "columns contiguously and the rows the same distance apart";
}

/* ---- The order of tiles -------------------------------------------------- */

/* The bits of a tile's row and column. Eight tiles of a row come first, then
 * the rows, then further columns, so that tiles which are computed at the same
 * time share operands in the L2 cache. */
struct tile_bits {
    unsigned n;
    exchange_tile bit[LL_MAX_BITS];
};
LL_FN tile_bits tile_bits_of(unsigned row_bits, unsigned col_bits) {
    const unsigned group = col_bits < 3 ? col_bits : 3;
    tile_bits t = {};
    for (unsigned k = 0; k < col_bits + row_bits; ++k) {
        exchange_tile &b = t.bit[t.n++];
        b.row = k >= group && k < group + row_bits ? 1u << (k - group) : 0u;
        b.col = k < group               ? 1u << k
                : k >= group + row_bits ? 1u << (k - row_bits)
                                        : 0u;
    }
    return t;
}

/* Returns the layout from the bits of a tile, the last one first, to the rank
 * that owns the tile, without the affine part. */
LL_FN ll_layout owners_of_tiles(const exchange_plan &p, const tile_bits &t,
                                const exchange_form &f, unsigned rank_bits) {
    const ll_dim tile = ll_dim_of("tile"), gpu = ll_dim_of("gpu");
    ll_layout a = ll_zero(ll_with(ll_shape_of(""), tile, 1u << t.n),
                          ll_with(ll_shape_of(""), gpu, 1u << rank_bits));
    for (unsigned k = 0; k < t.n; ++k) {
        const exchange_tile &b = t.bit[t.n - 1 - k];
        a.basis[k] =
            place_of(p, b.row * f.rows, b.col * f.cols).rank ^ p.zero.rank;
    }
    return a;
}

/* Returns the tile that has the bits of `word`, the last bit first. */
LL_FN exchange_tile tile_of_word(const tile_bits &t, unsigned word) {
    exchange_tile at = {0, 0};
    for (unsigned k = 0; k < t.n; ++k) {
        if (word >> k & 1u) {
            at.row ^= t.bit[t.n - 1 - k].row;
            at.col ^= t.bit[t.n - 1 - k].col;
        }
    }
    return at;
}

/* Sets the order of tiles. If a tile has one owner, 2^order tiles for one owner
 * follow each other; rank r turns to r ^ (n - 1) first and to itself last, so
 * no two ranks send to the same one. EXCHANGE_SPREAD and EXCHANGE_FIRST number
 * all tiles for other ranks first. With EXCHANGE_SPREAD the last tiles that run
 * together are a rank's own, and the others are spread over the time before. A
 * right inverse of the owners says which bits of a tile choose the owner: in
 * the number of a tile they come above `order` other bits. The others keep the
 * owner. */
LL_FN void set_order(exchange_plan *to, const exchange_form &f,
                     unsigned rank_bits, unsigned rank, unsigned order) {
    const unsigned high = to->row_bits, wide = to->col_bits;
    const unsigned low = ll_log2_(f.rows), left = ll_log2_(f.cols);
    const tile_bits t = tile_bits_of(high > low ? high - low : 0,
                                     wide > left ? wide - left : 0);
    const ll_layout owner = owners_of_tiles(*to, t, f, rank_bits);
    const ll_layout back = ll_rinv(owner);
    const bool chooses = !back.err;
    unsigned pivots = 0, n = 0;
    for (unsigned k = 0; chooses && k < rank_bits; ++k) {
        pivots |= back.basis[k];
    }
    const unsigned others = t.n - (chooses ? rank_bits : 0);
    const unsigned from = order < others ? order : others;
    to->tile_bits = t.n;
    to->first = tile_of_word(
        t, chooses
               ? ll_apply(back, rank ^ to->zero.rank ^ ((1u << rank_bits) - 1u))
               : 0u);
    for (unsigned k = t.n; k-- > 0;) { /* from the first bit on */
        if (!(pivots >> k & 1u)) {
            const unsigned same = chooses ? ll_apply(back, owner.basis[k]) : 0u;
            to->bit[n + (n >= from && chooses ? rank_bits : 0)] =
                tile_of_word(t, 1u << k ^ same);
            ++n;
        }
    }
    for (unsigned k = 0; chooses && k < rank_bits; ++k) {
        to->bit[from + k] = tile_of_word(t, back.basis[k]);
    }
    if (chooses && order == EXCHANGE_SPREAD && others >= CHUNK_BITS) {
        const unsigned own = 1u << (others - CHUNK_BITS);
        const unsigned last =
            (f.running + (1u << CHUNK_BITS) - 1u) >> CHUNK_BITS;
        to->others = (own << rank_bits) - own;
        to->before = (own << rank_bits) - (last < own ? last : own);
    }
}

/* Makes the plan of a rank. Returns an error message, or null. */
LL_FN const char *make_exchange_plan(exchange_plan *to,
                                     const exchange_sharding &s,
                                     const exchange_form &f, unsigned rank,
                                     unsigned order) {
    set_places(to, s, rank);
    const char *const bad = set_boxes(to, f.piece);
    if (!bad) {
        set_order(to, f, s.rank_bits, rank, order);
    }
    return bad;
}

} // namespace ll_kernels

#endif
