/* redistribute.h - what redistribute.py asks of a plan of ll_reshard_of: which
 * rank sends what to whom, as numbers. No CUDA, no PyTorch; C11 and C++.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_REDISTRIBUTE_H
#define LL_TORCH_REDISTRIBUTE_H

#include "../reshard_ranks.h"
#include <stdio.h>

enum { REDIST_SENTENCE = 256 };

/* The plan of a rank, and that of the way back, by which a rank may write to
 * its peers. */
typedef struct redistribution {
    ll_reshard plan, back;
    unsigned rank, ranks;
    unsigned once; /* 1: after it, each element is in one place */
    unsigned one_source; /* 1: the same before it */
    unsigned long long layouts; /* differs, in all likelihood, if they do */
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
    return ll_total_(&a->in) - ll_log2_(ll_size(a->in, LL_OFFSET));
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
    for (unsigned k = 0; k < ll_total_(&a->in); ++k) {
        h = ranks_mix(h, &a->basis[k], sizeof a->basis[k]);
    }
    return ranks_mix(h, &a->offset, sizeof a->offset);
}

/* Plans for a rank; `size` is the bytes of an element. Returns null, or a
 * sentence of at most REDIST_SENTENCE characters in `text`. */
static inline const char *redist_plan(redistribution *r, const char *from,
                                      const char *to, unsigned size,
                                      unsigned rank, unsigned ranks,
                                      char *text) {
    ll_layout a, b;
    const char *bad = redist_read(text, "from_layout", from, &a);
    bad = bad ? bad : redist_read(text, "to_layout", to, &b);
    if (bad) {
        return bad;
    }
    const ll_topology t = redist_axes(&a, &b);
    r->plan = ll_reshard_of(a, b, size * 8u, t);
    r->back = ll_reshard_of(b, a, size * 8u, t);
    r->rank = rank;
    r->ranks = ranks;
    r->layouts = redist_mix(redist_mix(0xcbf29ce484222325ull, &a), &b);
    r->once = ll_total_(&b.in) == ll_total_(&b.out);
    r->one_source = ll_total_(&a.in) == ll_total_(&a.out);
    if (r->plan.err) {
        snprintf(text, REDIST_SENTENCE, "redistribute: %s",
                 ll_reshard_strerror(r->plan.err));
        return text;
    }
    if (rank >= ranks || 1u << ll_total_(&r->plan.mesh) != ranks) {
        snprintf(text, REDIST_SENTENCE,
                 "redistribute: the layouts are for %u ranks; the group has "
                 "%u", 1u << ll_total_(&r->plan.mesh), ranks);
        return text;
    }
    if (1u << redist_ranks(&a) != ranks || 1u << redist_ranks(&b) != ranks) {
        snprintf(text, REDIST_SENTENCE,
                 "redistribute: a layout names too few ranks; a column 0, as "
                 "in gpu: 0, stands for copies");
        return text;
    }
    return 0;
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
