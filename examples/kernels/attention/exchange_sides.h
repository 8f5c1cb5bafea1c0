/* exchange_sides.h - which rank holds what in attention_exchange.h, by the
 * layouts of its tensors; launch
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXCHANGE_SIDES_H
#define LL_EXCHANGE_SIDES_H

#include "attention_exchange.h"

namespace ll_kernels {

/* A call of one rank. The tensors are tokens x (heads * head dimension): i and
 * j. Two layouts map an offset in a rank's memory, and the rank, to an element:
 *   tokens  of Q, K and V, and of O if `back`: all columns of some tokens, row
 *           by row
 *   heads   of what a rank computes, and of O if not `back`: all tokens of some
 *           heads, row by row
 * Whole blocks of tokens and heads may be with any rank, but a rank's tokens
 * are neighbours, a multiple of 128. Pointers are of all ranks. */
struct exchange_call {
    ll_layout tokens, heads;
    unsigned rank, causal, back;
    const void *q[EXCHANGE_RANKS], *k[EXCHANGE_RANKS], *v[EXCHANGE_RANKS];
    void *o[EXCHANGE_RANKS];
    unsigned *flags[EXCHANGE_RANKS]; /* exchange_words() words, first 0 */
    void *copies;                    /* of this rank: exchange_bytes() bytes */
    unsigned call; /* 1, 2, ...: the same on all ranks, no number left out */
    unsigned wait; /* 1: end when all ranks have read what they need */
    unsigned copiers, lead; /* see exchange_move; 0: as measured best */
};

/* The sizes of a call. */
struct exchange_sizes {
    const char *bad; /* what is wrong, or null */
    unsigned ranks, tokens, rank_tokens, heads, rank_heads;
};

LL_FN exchange_sizes exchange_sizes_of(const ll_layout &tokens,
                                       const ll_layout &heads, unsigned dim) {
    const unsigned all = ll_size(tokens.out, LL_I);
    const unsigned columns = ll_size(tokens.out, LL_J);
    const unsigned here = 1u << tokens.in.bits[0];
    exchange_sizes z = {0, 1u << (ll_shape_bits_(&tokens.in) -
                                  tokens.in.bits[0]),
                        all, here / columns, columns / dim,
                        (1u << heads.in.bits[0]) / all / dim};
    z.bad = tokens.err || heads.err ? "a layout has an error"
            : !ll_shape_same_(&tokens.out, &heads.out) ||
                    tokens.in.dim[0] != LL_OFFSET ||
                    heads.in.dim[0] != LL_OFFSET || tokens.out.dim[0] != LL_J
                ? "both layouts map the offset and then the rank to j and i"
            : z.ranks > EXCHANGE_RANKS ? "there are at most 8 ranks"
            : here < 128 * columns     ? "a rank has at least 128 tokens"
            : !z.rank_heads            ? "a rank has at least one head"
                                       : 0;
    return z;
}

/* The words of a rank's flags, and the bytes of its copies, of head dimension
 * `dim`. */
LL_FN size_t exchange_words(const exchange_sizes &z) {
    return EXCHANGE_TILES + (size_t)z.rank_heads * (z.tokens / 128);
}
LL_FN size_t exchange_bytes(const exchange_sizes &z, unsigned dim) {
    return (size_t)4 * z.rank_heads * z.tokens * dim;
}

/* Sets the places of tokens. Returns what is wrong with the layout, or null. */
inline const char *read_tokens(exchange_move *m, const ll_layout &a) {
    const unsigned columns = a.out.bits[0], offset = a.in.bits[0];
    ll_layout all = ll_identity(1u << columns, LL_J, LL_J);
    all = ll_mul(all, ll_identity(1u << a.out.bits[1], LL_I, LL_I));
    const ll_layout x = ll_solve(a, all, LL_FIRST);
    bool good = !x.err && !x.offset;
    for (unsigned k = 0; good && k < columns; ++k) {
        good = x.basis[k] == 1u << k;
    }
    for (unsigned k = 0; good && k < a.out.bits[1]; ++k) {
        const unsigned at = x.basis[columns + k];
        const unsigned row = (at & ll_ones_(offset)) >> columns;
        good = k < 7 ? at == 1u << (columns + k)
                     : !(at & ll_ones_(columns));
        if (k >= 6) {
            m->bit[k - 6].rank = at >> offset;
            m->bit[k - 6].row = row;
        }
    }
    return good ? 0
                : "a rank holds all columns of 128 neighbouring tokens, row by "
                  "row";
}

/* Sets the heads of a rank. Returns what is wrong with the layout, or null. */
inline const char *read_heads(exchange_move *m, const ll_layout &a,
                              const exchange_sizes &z, unsigned dim) {
    const unsigned columns = a.out.bits[0], d = ll_log2_(dim);
    const unsigned h = d + ll_log2_(z.rank_heads);
    const unsigned first = ll_apply(a, m->rank << a.in.bits[0]);
    bool good = !(first & (dim - 1)) && !(first >> columns);
    m->head_0 = first / dim;
    for (unsigned k = 0; k < a.in.bits[0]; ++k) {
        const unsigned at = a.basis[k];
        good = good && (k < d   ? at == 1u << k
                        : k < h ? !(at & (dim - 1)) && !(at >> columns)
                                : at == 1u << (columns + k - h));
        if (k >= d && k < h) {
            m->head_bit[k - d] = at / dim;
        }
    }
    return good ? 0 : "a rank computes all tokens of whole heads, row by row";
}

/* Sets which tiles are of this rank's tokens. */
inline const char *find_own(exchange_move *m) {
    bool good = true;
    m->own = m->tiles;
    m->own_tiles = 0;
    for (unsigned t = 0; t < m->tiles; ++t) {
        unsigned rank = 0;
        for (unsigned k = 0; 2 * t >> k; ++k) {
            rank ^= 2 * t >> k & 1u ? m->bit[k].rank : 0;
        }
        if (rank == m->rank) {
            m->own = m->own_tiles ? m->own : t;
            good = good && t == m->own + m->own_tiles;
            ++m->own_tiles;
        }
    }
    return good && m->own_tiles ? 0 : "the tokens of a rank are neighbours";
}

/* Sets the maps of all ranks. */
template <class TILES>
const char *map_ranks(exchange_move *m, const exchange_call &c,
                      const exchange_sizes &z) {
    const char *bad = 0;
    const unsigned here = z.rank_tokens, heads = z.heads;
    for (unsigned r = 0; r < z.ranks && !bad; ++r) {
        bad = map_of_heads<TILES>(&m->q[r], c.q[r], 1, here, heads, 64, false);
        bad = bad ? bad
                  : map_of_heads<TILES>(&m->k[r], c.k[r], 1, here, heads,
                                        TILES::KEYS, false);
        bad = bad ? bad
                  : map_of_heads<TILES>(&m->v[r], c.v[r], 1, here, heads,
                                        TILES::KEYS, false);
        if (bad || (!c.back && r != c.rank)) {
            continue;
        }
        bad = c.back ? map_of_heads<TILES>(&m->o[r], c.o[r], 1, here, heads,
                                           64, true)
                     : map_of_heads<TILES>(&m->o[r], c.o[r], 1, z.tokens,
                                           z.rank_heads, 64, true);
    }
    return bad;
}

/* Sets what is measured best: heads whose keys stay in the L2 cache together,
 * blocks that copy, and blocks of own rows that come first, where the rows that
 * see the most keys are of another rank. */
inline void choose(exchange_move *m, const exchange_call &c,
                   const exchange_sizes &z, unsigned dim) {
    const unsigned fit = (1u << 23) / dim / z.tokens;
    const bool below = m->own + m->own_tiles < m->tiles;
    m->group = c.causal && fit ? fit : 1;
    m->group = m->group < m->heads ? m->group : m->heads;
    m->copiers = c.copiers                          ? c.copiers
                 : c.causal || z.tokens <= 1u << 12 ? 64
                                                    : 32;
    m->lead = !below ? 0 : c.lead ? c.lead : dim == 64 ? 8 : 16;
}

/* Launches a call of one rank. Returns what is wrong, or null. */
template <class KERNEL>
const char *launch_exchange(const exchange_call &c, cudaStream_t stream) {
    typedef typename KERNEL::tiles tiles;
    constexpr unsigned dim = tiles::HEAD_DIM;
    static_assert(tiles::KEYS == 128, "a flag is of 128 keys");
    exchange_move m = {};
    const exchange_sizes z = exchange_sizes_of(c.tokens, c.heads, dim);
    m.rank = c.rank;
    m.ranks = z.ranks;
    m.call = c.call;
    m.wait = c.wait;
    m.back = c.back;
    m.heads = z.rank_heads;
    m.tiles = z.tokens / tiles::KEYS;
    m.copies = (unsigned char *)c.copies;
    for (unsigned r = 0; r < EXCHANGE_RANKS; ++r) {
        m.flags[r] = c.flags[r];
    }
    const char *bad = z.bad;
    bad = bad ? bad : read_tokens(&m, c.tokens);
    bad = bad ? bad : read_heads(&m, c.heads, z, dim);
    bad = bad ? bad : find_own(&m);
    bad = bad ? bad : map_ranks<tiles>(&m, c, z);
    if (bad) {
        return bad;
    }
    choose(&m, c, z, dim);
    attention_shape s = {};
    s.batch = 1;
    s.heads = s.kv_heads = z.rank_heads;
    s.rows = s.keys = z.tokens;
    s.causal = c.causal;
    s.scale = 1.44269504f / sqrtf((float)dim);
    const unsigned rows = (z.tokens + tiles::ROWS - 1) / tiles::ROWS;
    const unsigned near = m.own_tiles * tiles::KEYS / tiles::ROWS;
    m.lead = m.lead < near ? m.lead : near;
    constexpr unsigned bytes = exchange_memory<tiles>::SMEM;
    (void)cudaFuncSetAttribute(attention_exchange<KERNEL>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)bytes); /* or the launch fails */
    attention_exchange<KERNEL>
        <<<rows * z.rank_heads, tiles::THREADS, bytes, stream>>>(m, s);
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
