/* redistribute.h - what redistribute.py asks of a plan of ll_reshard_of: which
 * rank sends what to whom, as numbers. No CUDA, no PyTorch; C11 and C++.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_REDISTRIBUTE_H
#define LL_TORCH_REDISTRIBUTE_H

#include "../kernels/reshard/reshard_ragged.h"

enum { REDIST_SENTENCE = 256 };

/* The plan of a rank, and that of the way back, by which a rank may write to
 * its peers. */
typedef struct redistribution {
    ll_reshard plan, back;
    ll_layout from, to;
    ragged sizes;
    unsigned is_ragged; /* 1: a size is no power of two */
    char sums[64];      /* the axes that hold partial sums */
    unsigned rank, ranks;
    unsigned once; /* 1: after it, each element is in one place */
    unsigned one_source; /* 1: the same before it */
    unsigned long long layouts; /* differs, in all likelihood, if they do */
    void *ready; /* what the library of kernels keeps; freed with the plan */
} redistribution;

/* One round. The rank sends a message to `peer`, taken from its memory at
 * `source` on, receives one from it, written at `target` on, or both. */
typedef struct redist_step {
    unsigned peer, sends, receives, source, target;
} redist_step;

/* The axes of a mesh, the nearest first, as the layouts name them. Only which
 * link is nearer matters to a plan. */
static inline ll_topology redist_axes(const ll_layout *a, const ll_layout *b) {
    ll_topology t = ll_topology_of(2000);
    for (unsigned k = 0; k < a->in.n + b->in.n; ++k) {
        const ll_dim d = k < a->in.n ? a->in.dim[k] : b->in.dim[k - a->in.n];
        unsigned at = 0;
        while (at < t.n && t.level[at].dim != d) {
            ++at;
        }
        if (d == LL_OFFSET || at < t.n) {
            continue;
        }
        if (at == LL_MAX_LEVELS) {
            t.err = LL_RESHARD_ELEVELS;
            return t;
        }
        t.level[at].dim = d;
        t.level[at].gbps = at ? 50u : 374u;
        t.level[at].ns = at ? 10000u : 3000u;
        t.n = at + 1u;
    }
    return t;
}

/* Null, or why a text is no layout. */
static inline const char *redist_read(char *text, const char *which,
                                      const char *from, ll_layout *a) {
    *a = ll_parse(from);
    if (!a->err) {
        return 0;
    }
    snprintf(text, REDIST_SENTENCE, "redistribute: %s, at character %u: %s",
             which, a->at, ll_strerror(a->err));
    return text;
}

/* The bits of the ranks that a layout names. */
static inline unsigned redist_ranks(const ll_layout *a) {
    return ll_shape_bits_(&a->in) - ll_log2_(ll_size(a->in, LL_OFFSET));
}

/* Adds a layout to a number. */
static inline unsigned long long redist_mix(unsigned long long h,
                                            const ll_layout *a) {
    const ll_shape *const both[2] = {&a->in, &a->out};
    for (unsigned k = 0; k < 2u; ++k) {
        h = ranks_mix(h, &both[k]->n, sizeof both[k]->n);
        for (unsigned d = 0; d < both[k]->n; ++d) {
            h = ranks_mix(h, &both[k]->dim[d], sizeof both[k]->dim[d]);
            h = ranks_mix(h, &both[k]->bits[d], sizeof both[k]->bits[d]);
        }
    }
    for (unsigned k = 0; k < ll_shape_bits_(&a->in); ++k) {
        h = ranks_mix(h, &a->basis[k], sizeof a->basis[k]);
    }
    return ranks_mix(h, &a->offset, sizeof a->offset);
}

/* What is asked: two layouts, sizes as ragged_read takes them, or "", which axes
 * hold partial sums, and the bytes of an element. */
typedef struct redist_asked {
    const char *from, *to, *sizes, *sums;
    unsigned size;
} redist_asked;

/* Null, or why a plan is not one for a rank. */
static inline const char *redist_fits(const redistribution *r, char *text) {
    const unsigned ranks = 1u << ll_shape_bits_(&r->plan.mesh);
    if (r->plan.err) {
        snprintf(text, REDIST_SENTENCE, "redistribute: %s",
                 ll_reshard_strerror(r->plan.err));
        return text;
    }
    if (r->rank >= r->ranks || ranks != r->ranks) {
        snprintf(text, REDIST_SENTENCE,
                 "redistribute: the layouts are for %u ranks; the group has "
                 "%u", ranks, r->ranks);
        return text;
    }
    if (1u << redist_ranks(&r->from) != ranks ||
        1u << redist_ranks(&r->to) != ranks) {
        snprintf(text, REDIST_SENTENCE,
                 "redistribute: a layout names too few ranks; a column 0, as "
                 "in gpu: 0, stands for copies");
        return text;
    }
    return 0;
}

/* Plans for a rank. Returns null, or a sentence of at most REDIST_SENTENCE
 * characters in `text`. */
static inline const char *redist_plan(redistribution *r,
                                      const redist_asked *asked, unsigned rank,
                                      unsigned ranks, char *text) {
    ll_layout a, b;
    const char *bad = redist_read(text, "from_layout", asked->from, &a);
    bad = bad ? bad : redist_read(text, "to_layout", asked->to, &b);
    if (bad) {
        return bad;
    }
    const ll_topology t = redist_axes(&a, &b);
    bad = ragged_read(&r->sizes, a.out, asked->sizes);
    if (bad) {
        snprintf(text, REDIST_SENTENCE, "redistribute: %s", bad);
        return text;
    }
    if (snprintf(r->sums, sizeof r->sums, "%s", asked->sums) >=
        (int)sizeof r->sums) {
        snprintf(text, REDIST_SENTENCE, "redistribute: sums is too long");
        return text;
    }
    r->plan = ll_reshard_sum(a, r->sums, b, asked->size * 8u, t);
    r->back = ll_reshard_of(b, a, asked->size * 8u, t);
    r->from = a;
    r->to = b;
    r->is_ragged = *asked->sizes != 0;
    r->ready = 0;
    r->rank = rank;
    r->ranks = ranks;
    r->layouts = redist_mix(redist_mix(0xcbf29ce484222325ull, &a), &b);
    r->once = ll_shape_bits_(&b.in) == ll_shape_bits_(&b.out) && !r->plan.sum;
    r->one_source = ll_shape_bits_(&a.in) == ll_shape_bits_(&a.out);
    return redist_fits(r, text);
}

static inline ragged_plan redist_ragged(const redistribution *r) {
    return ragged_plan_of(r->plan, r->from, r->to, r->sizes);
}

/* A chunk of what a rank sends in a round (side 0), or receives (1), as an
 * array in its memory, at `copy` from there if it has several places: the
 * elements, the address of the first, and for each
 * digit, the fastest first, its size and stride. */
enum { REDIST_WORDS = 2 + 2 * LL_MAX_BITS };

static inline ragged_chunk redist_chunk(const ragged_plan *g,
                                        const redistribution *r,
                                        unsigned round,
                                        unsigned long long first,
                                        unsigned side) {
    const unsigned d = ll_reshard_round(g->plan, round);
    const ll_message x =
        ll_reshard_message(g->plan, side ? r->rank : r->rank ^ d, d);
    ragged_chunk c = ragged_chunk_of(g, &x, first);
    c.array.elements = x.exists ? c.array.elements : 0u;
    return c;
}

/* The bits of value v of a digit that begins with an axis, or does not leave a
 * part. */
static inline unsigned redist_bits(const ragged_axis *a, unsigned q, unsigned n,
                                   unsigned v) {
    return q == 0u && n > a->low ? v % a->part | v / a->part << a->low : v;
}

/* Do the n columns of a digit, from number k on, lie in a memory at a stride? A
 * column that is one bit of the offset of its own adds to it. */
static inline int redist_strided(const ragged_chunk *c, const ragged_memory *m,
                                 const unsigned *column, unsigned k, unsigned n,
                                 unsigned offset) {
    const size_t near = ragged_at(m, column[k]), unit = c->array.weight[k];
    int good = 1;
    for (unsigned b = k; b < k + n; ++b) {
        const unsigned o = column[b];
        good = good && o && !(o & (o - 1u)) && !(offset & o) &&
               ragged_at(m, o) * unit == near * c->array.weight[b];
        offset |= o;
    }
    return good;
}

/* Returns the digits of such an array, or LL_NO_BITS_ if the chunk has none:
 * strides do not say it, or some of its cells; the last one is the
 * highest, do not exist. */
static inline unsigned redist_array(const redistribution *r, unsigned round,
                                    unsigned long long first, unsigned side,
                                    unsigned copy, unsigned long long *word) {
    const ragged_plan g = redist_ragged(r);
    const ragged_chunk c = redist_chunk(&g, r, round, first, side);
    const ragged_memory m = side ? ragged_after(&g, r->rank)
                                 : ragged_before(&g, r->rank);
    const unsigned *const column = (side ? g.plan.target : g.plan.source).basis;
    const unsigned plain = ragged_plain(&c.elements);
    unsigned offset = (side ? c.target : c.source) ^ copy;
    unsigned digits = 0, last = 0;
    word[0] = c.array.elements;
    word[1] = ragged_at(&m, offset);
    for (unsigned k = 0, n = 1; k < c.array.n && word[0]; k += n) {
        const unsigned y = c.elements.column[k];
        n = ragged_digit(&r->sizes, &c.elements, k, plain);
        if (!(y & plain) || y & (y - 1u) ||
            !redist_strided(&c, &m, column, k, n, offset)) {
            return LL_NO_BITS_;
        }
        const unsigned long long values =
            (k + n < c.array.n ? c.array.weight[k + n] : word[0]) /
            c.array.weight[k];
        const ragged_axis *const a = ragged_axis_of(&r->sizes, y);
        last |= redist_bits(a, ll_log2_(y) - a->start, n,
                            (unsigned)values - 1u)
                << k;
        for (unsigned b = k; b < k + n; ++b) {
            offset |= column[b];
        }
        word[2u + 2u * digits] = values;
        word[3u + 2u * digits++] = ragged_at(&m, column[k]);
    }
    return word[0] && !ragged_has(&r->sizes,
                                  ragged_element(&c.elements, last))
               ? LL_NO_BITS_
               : digits;
}

/* The addresses of a chunk's elements in the same memory; returns how many. */
static inline unsigned long long redist_listed(const redistribution *r,
                                               unsigned round,
                                               unsigned long long first,
                                               unsigned side, unsigned copy,
                                               unsigned long long *address) {
    const ragged_plan g = redist_ragged(r);
    const ragged_chunk c = redist_chunk(&g, r, round, first, side);
    const ragged_memory m = side ? ragged_after(&g, r->rank)
                                 : ragged_before(&g, r->rank);
    const ll_layout *const map = side ? &g.plan.target : &g.plan.source;
    unsigned long long n = 0;
    for (unsigned x = 0; x >> g.plan.chunk == 0 && c.array.elements; ++x) {
        if (ragged_has(&r->sizes, ragged_element(&c.elements, x))) {
            address[n++] = ragged_at(
                &m, copy ^ (unsigned)ranks_offset(
                               map, side ? c.target : c.source, x));
        }
    }
    return n;
}

/* Round k of the plan. Where `peer` is the rank itself, it copies. */
static inline redist_step redist_round(const redistribution *r, unsigned k) {
    const unsigned d = ll_reshard_round(r->plan, k);
    const ll_message in = ll_reshard_message(r->plan, r->rank, d);
    const ll_message out = ll_reshard_message(r->plan, r->rank ^ d, d);
    const redist_step s = {r->rank ^ d, out.exists, in.exists, out.source,
                           in.target};
    return s;
}

#endif
