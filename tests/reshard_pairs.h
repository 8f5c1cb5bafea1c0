/* reshard_pairs.h - random pairs of shardings, and plans executed on sets of
 * elements, for test_reshard.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_RESHARD_PAIRS_H
#define TEST_RESHARD_PAIRS_H

#include "definition.h"

#include "../ll.h"
#include "../tools/reshard/ll_reshard.h"

enum { MOST = 10 }; /* bits of a tensor that is executed in full */

static const char *const axes[3] = {"gpu", "node", "pod"};

/* A topology of up to three axes, and their sizes. */
static ll_topology random_topology(unsigned bits, unsigned *size, unsigned *n) {
    ll_topology t = ll_topology_of(2000);
    *n = 1u + test_random(3);
    for (unsigned k = 0; k < *n; ++k) {
        size[k] = k + 1u == *n ? bits : test_random(bits + 1u);
        bits -= size[k];
        t = ll_topology_with(t, axes[k], 400u >> (2u * k), 2000u << k);
    }
    return t;
}

/* Independent columns of `bits` bits: a permutation, or XORs of its columns. */
static void random_basis(unsigned bits, unsigned *column) {
    const unsigned mixes = test_random(2) ? 0u : 3u * bits;
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned other = test_random(k + 1u);
        column[k] = column[other];
        column[other] = 1u << k;
    }
    for (unsigned k = 0; k < mixes; ++k) {
        const unsigned a = test_random(bits), b = test_random(bits);
        column[a] ^= a == b ? 0u : column[b];
    }
}

/* A sharding of 2^bits elements over the axes, with `offset` offset bits. It
 * holds all elements if the sizes allow. Further columns are copies. */
static ll_layout random_sharding(unsigned bits, unsigned offset,
                                 const unsigned *size, unsigned n, int affine) {
    ll_layout a = LL_ZERO;
    unsigned column[64] = {0}, at = 0, all = offset;
    a.in = ll_with(a.in, LL_OFFSET, 1u << offset);
    for (unsigned k = 0; k < n; ++k) {
        a.in = ll_with(a.in, ll_dim_of(axes[k]), 1u << size[k]);
        all += size[k];
    }
    a.out = ll_with(ll_with(a.out, LL_J, 1u << bits / 2u), LL_I,
                    1u << (bits - bits / 2u));
    if (bits) {
        random_basis(bits, column);
    }
    for (unsigned k = bits; k < all; ++k) { /* copies, some of sums */
        column[k] = bits && test_random(4) == 0
                        ? column[test_random(bits)] ^ column[test_random(k)]
                        : 0u;
    }
    for (unsigned k = all; k-- > 0; ++at) { /* in any order */
        const unsigned pick = test_random(k + 1u);
        a.basis[at] = column[pick];
        column[pick] = column[k];
    }
    a.offset = affine && bits ? test_random(1u << bits) : 0u;
    return ll_check(a);
}

/* The offset and the rank of an input of a sharding. */
typedef struct place {
    unsigned offset, rank;
} place;

static place place_of(const ll_layout *a, const ll_shape *mesh, unsigned x) {
    place p = {0, 0};
    unsigned at = 0;
    for (unsigned k = 0; k < a->in.n; ++k) {
        const unsigned part = x >> at & ((1u << a->in.bits[k]) - 1u);
        p.offset |= a->in.dim[k] == LL_OFFSET ? part : 0u;
        p.rank |= placed(mesh, a->in.dim[k], part);
        at += a->in.bits[k];
    }
    return p;
}

/* Which ranks hold each element, and which element lies where. */
typedef struct held {
    unsigned long long ranks[1u << MOST]; /* of at most 64 ranks */
    unsigned element[1u << (MOST + 6)];   /* by rank and offset; ~0: none */
    unsigned offset;                      /* bits */
} held;

static void hold(held *h, const ll_layout *a, const ll_shape *mesh) {
    memset(h, 0, sizeof *h);
    memset(h->element, 0xff, sizeof h->element);
    h->offset = held_bits(&a->in, LL_OFFSET);
    for (unsigned x = 0; x < 1u << bits_in(&a->in); ++x) {
        const place p = place_of(a, mesh, x);
        const unsigned y = value(a, x);
        h->ranks[y] |= 1ull << p.rank;
        h->element[p.rank << h->offset | p.offset] = y;
    }
}

/* Executes a plan: every place of the target gets its element, once, from where
 * the source holds it. */
static void executes(const ll_reshard *p, const held *a, const held *b) {
    static unsigned char got[1u << (MOST + 6)];
    const unsigned places = 1u << (b->offset + bits_in(&p->mesh));
    const unsigned from = p->source.out.bits[0], to = p->target.out.bits[0];
    unsigned wrong = from != a->offset || to != b->offset;
    memset(got, 0, sizeof got);
    for (unsigned x = 0; x < 1u << bits_in(&p->source.in); ++x) {
        const unsigned s = value(&p->source, x), t = value(&p->target, x);
        for (unsigned c = 0; c < 1u << p->copies; ++c) {
            unsigned at = t;
            for (unsigned k = 0; k < p->copies; ++k) {
                at ^= c >> k & 1u ? p->copy[k] : 0u;
            }
            wrong += ++got[at] != 1u || a->element[s] == ~0u ||
                     a->element[s] != b->element[at];
        }
    }
    for (unsigned at = 0; at < places; ++at) {
        wrong += got[at] != (b->element[at] != ~0u);
    }
    CHECK(wrong == 0);
}

/* The least level at which a rank finds an element; 0: its own memory. Only
 * ranks count that have `part` in the bits of sums. */
static unsigned nearest(const ll_reshard *p, unsigned long long ranks,
                        unsigned rank, unsigned part) {
    unsigned least = ~0u;
    for (unsigned r = 0; r < 64u; ++r) {
        if (!(ranks >> r & 1u) || (r & p->sum) != part) {
            continue;
        }
        unsigned level = 0, at = 0;
        for (unsigned k = 0; k < p->mesh.n; ++k) {
            const unsigned mask = ((1u << p->mesh.bits[k]) - 1u) << at;
            level = (r ^ rank) & mask ? k + 1u : level;
            at += p->mesh.bits[k];
        }
        least = level < least ? level : least;
    }
    return least;
}

/* What each rank receives is what it wants and lacks, level by level; and all
 * that is received is sent. */
static void is_least(const ll_reshard *p, const held *a, const held *b) {
    const unsigned ranks = 1u << bits_in(&p->mesh), size = p->bits / 8u;
    unsigned long long received = 0, sent = 0;
    for (unsigned r = 0; r < ranks; ++r) {
        unsigned long long bytes[LL_MAX_LEVELS + 1u] = {0};
        static unsigned char wanted[1u << MOST];
        memset(wanted, 0, sizeof wanted);
        for (unsigned o = 0; o < 1u << b->offset; ++o) {
            const unsigned y = b->element[r << b->offset | o];
            if (y == ~0u || wanted[y]) {
                continue;
            }
            wanted[y] = 1;
            for (unsigned part = 0; part < ranks; ++part) {
                if ((part & ~p->sum) == 0) {
                    bytes[nearest(p, a->ranks[y], r, part)] += size;
                }
            }
        }
        for (unsigned k = 0; k < p->mesh.n; ++k) {
            const unsigned long long is = ll_reshard_bytes(*p, r, k);
            CHECK(is == bytes[k + 1u]); /* 0 of a rank that wants nothing */
            received += is;
            sent += ll_reshard_sent(*p, r, k);
        }
        CHECK(ll_reshard_own(*p, r) == bytes[0]);
    }
    CHECK(received == sent);
}

/* Each input of the plan is part of one message of one round, and in a round a
 * rank has at most one partner. */
static void has_rounds(const ll_reshard *p) {
    const unsigned ranks = 1u << bits_in(&p->mesh);
    unsigned long long elements = 0;
    unsigned wrong = 0;
    for (unsigned k = 0; k < ll_reshard_rounds(*p); ++k) {
        const unsigned d = ll_reshard_round(*p, k);
        for (unsigned r = 0; r < ranks; ++r) {
            const ll_message m = ll_reshard_message(*p, r, d);
            if (!m.exists) {
                continue;
            }
            const unsigned s = value(&p->source, m.x);
            const unsigned t = value(&p->target, m.x);
            const unsigned from = s >> p->source.out.bits[0];
            elements += m.elements;
            wrong += (from ^ (d & p->sum)) != m.from || (r ^ d) != m.from ||
                     t >> p->target.out.bits[0] != r ||
                     m.source != (s & ((1u << p->source.out.bits[0]) - 1u)) ||
                     m.target != (t & ((1u << p->target.out.bits[0]) - 1u));
        }
    }
    unsigned sums = 0;
    for (unsigned bit = 0; bit < 16u; ++bit) {
        sums += p->sum >> bit & 1u;
    }
    CHECK(wrong == 0);
    CHECK(elements == 1ull << (bits_in(&p->source.in) + sums));
}

/* Must a kernel read from peers? If there are sums, if a place of the source is
 * wanted several times or not at all, if a rank wants an element twice, or if
 * 16 aligned bytes of the target come from several ranks. */
static int reads(const ll_reshard *p) {
    static unsigned char wanted[1u << 18], rank[1u << 18];
    const unsigned from = p->source.out.bits[0], to = p->target.out.bits[0];
    const unsigned all = bits_in(&p->source.in), size = p->bits / 8u;
    const unsigned group = 16u / size, ranks = bits_in(&p->mesh);
    int must = p->sum || p->copies || size << to < 16u;
    memset(wanted, 0, sizeof wanted);
    memset(rank, 255, sizeof rank);
    for (unsigned x = 0; x < 1u << all; ++x) {
        const unsigned a = value(&p->source, x), b = value(&p->target, x);
        unsigned char *const one = &rank[b / group * group];
        must |= wanted[a]++ != 0;
        must |= *one != 255u && *one != a >> from;
        *one = (unsigned char)(a >> from);
    }
    for (unsigned a = 0; a < 1u << (from + ranks); ++a) {
        must |= !wanted[a];
    }
    return must;
}

/* The plan's own numbers, counted element by element: what ranks send and how
 * long that takes, runs, what a rank holds, and whether one receives nothing
 * from itself. A sum has a part from each rank that differs in its bits. */
static void counts(const ll_reshard *p, const held *a) {
    static unsigned long long sent[64][3], got[64][3], own[64], all[64];
    static unsigned char seen[1u << MOST];
    const unsigned from = p->source.out.bits[0], to = p->target.out.bits[0];
    const unsigned ranks = 1u << bits_in(&p->mesh), size = p->bits / 8u;
    memset(sent, 0, sizeof sent);
    memset(got, 0, sizeof got);
    memset(own, 0, sizeof own);
    memset(all, 0, sizeof all);
    for (unsigned n = 0; n < ranks << bits_in(&p->source.in); ++n) {
        const unsigned x = n / ranks, part = n % ranks;
        const unsigned r = value(&p->source, x) >> from ^ part;
        const unsigned t = value(&p->target, x) >> to;
        if (part & ~p->sum) {
            continue;
        }
        unsigned level = 0, at = 0;
        for (unsigned k = 0; k < p->mesh.n; ++k) {
            const unsigned mask = ((1u << p->mesh.bits[k]) - 1u) << at;
            level = (r ^ t) & mask ? k + 1u : level;
            at += p->mesh.bits[k];
        }
        own[t] += level ? 0u : 1u;
        all[t] += size;
        if (level) {
            sent[r][level - 1u] += size;
            got[t][level - 1u] += size;
        }
    }
    double worst = 0, late = p->topology.level[0].ns / 4e3; /* a launch */
    unsigned moves = 0, parts = 0;
    const int must = reads(p);
    for (unsigned r = 0; r < ranks; ++r) {
        moves |= all[r] && !own[r];
        const double local = (double)all[r] / p->topology.local / 1e3;
        worst = local > worst ? local : worst;
        for (unsigned k = 0; k < p->mesh.n; ++k) {
            const double ns = p->topology.level[k].ns / 1e3;
            const unsigned long long more =
                got[r][k] > sent[r][k] ? got[r][k] : sent[r][k];
            const double us = (double)more / p->topology.level[k].gbps / 1e3 *
                              (must ? 13.0 / 12.0 : 1.0);
            CHECK(ll_reshard_sent(*p, r, k) == sent[r][k]);
            worst = us > worst ? us : worst;
            late = got[r][k] && ns > late ? ns : late;
        }
    }
    for (unsigned r = 0; r < ranks; ++r) {
        parts += !(r & ~p->sum);
    }
    late *= parts > 2u ? parts / 2u : 1u; /* two parts at once */
    const double off = ll_reshard_us(*p) - worst - late;
    CHECK(off < 1e-9 && off > -1e-9);
    CHECK(p->sum || p->moves == moves);
    unsigned held_before = 0;
    memset(seen, 0, sizeof seen);
    for (unsigned o = 0; o < 1u << a->offset; ++o) {
        held_before += !seen[a->element[o]]++;
    }
    CHECK(1u << p->from == held_before);
    CHECK(p->sum || (1u << p->to) * size == all[0]);
    CHECK(p->chunk == p->message);
}

/* The explanation names the bytes of the rank that receives, or sends, most. */
static void names_the_busiest_rank(const ll_reshard *p) {
    static char text[4000], line[200];
    ll_explain_reshard(*p, text, sizeof text);
    for (unsigned k = 0; k < p->mesh.n; ++k) {
        unsigned long long in = 0, out = 0;
        for (unsigned r = 0; r < 1u << bits_in(&p->mesh); ++r) {
            const unsigned long long got = ll_reshard_bytes(*p, r, k);
            const unsigned long long gave = ll_reshard_sent(*p, r, k);
            in = got > in ? got : in;
            out = gave > out ? gave : out;
        }
        char *to = line + sprintf(line, "over %s each rank receives at most ",
                                  axes[k]);
        to += in && in % 1024u == 0 ? sprintf(to, "%llu KiB", in / 1024u)
                                    : sprintf(to, "%llu byte%s", in,
                                              in == 1u ? "" : "s");
        to += sprintf(to, " and sends at most ");
        to += out && out % 1024u == 0 ? sprintf(to, "%llu KiB", out / 1024u)
                                      : sprintf(to, "%llu byte%s", out,
                                                out == 1u ? "" : "s");
        CHECK(strstr(text, line));
    }
}

/* 1 if each 2^n elements of a message, in its order, are neighbours in the
 * source or, as a set, in the target, or in both in the same order. */
static int runs_of(const ll_reshard *p, unsigned n, int source, int target) {
    const unsigned own[2] = {(1u << p->source.out.bits[0]) - 1u,
                             (1u << p->target.out.bits[0]) - 1u};
    unsigned wrong = 0;
    for (unsigned x = 0; x < 1u << bits_in(&p->source.in); x += 1u << n) {
        const unsigned s = value(&p->source, x) & own[0];
        const unsigned t = value(&p->target, x) & own[1];
        for (unsigned m = 0; m < 1u << n; ++m) {
            const unsigned z = value(&p->source, x | m) & own[0];
            const unsigned y = value(&p->target, x | m) & own[1];
            wrong += (source && z != (s ^ m)) ||
                     (target && y != t + m) ||
                     (target && t & ((1u << n) - 1u));
        }
    }
    return wrong == 0;
}

/* The longest run of a message in the target, in any order. */
static unsigned target_run(const ll_reshard *p) {
    static unsigned char seen[1u << MOST];
    unsigned n = 0, all = 1;
    memset(seen, 0, sizeof seen);
    for (unsigned m = 0; m < 1u << p->message; ++m) {
        seen[(value(&p->target, m) ^ value(&p->target, 0)) &
             ((1u << MOST) - 1u)] = 1;
    }
    while (all && n < p->message) {
        for (unsigned k = 1u << n; k < 2u << n; ++k) {
            all = all && seen[k];
        }
        n += all;
    }
    return n;
}

static void has_runs(const ll_reshard *p) {
    CHECK(runs_of(p, p->source_run, 1, 0));
    CHECK(p->source_run == p->message ||
          !runs_of(p, p->source_run + 1u, 1, 0));
    CHECK(runs_of(p, p->run, 1, 1));
    CHECK(p->run == p->message || !runs_of(p, p->run + 1u, 1, 1));
    CHECK(p->target_run == target_run(p));
}

/* Distances of rounds are different, the least one first. */
static void has_order(const ll_reshard *p) {
    for (unsigned k = 1; k < ll_reshard_rounds(*p); ++k) {
        CHECK(ll_reshard_round(*p, k) > ll_reshard_round(*p, k - 1u));
    }
}

/* In place, what a rank receives in a round lies where it sends from. */
static int swaps(const ll_reshard *p) {
    const unsigned ranks = 1u << bits_in(&p->mesh);
    unsigned wrong = 0;
    for (unsigned k = 0; k < ll_reshard_rounds(*p) * ranks; ++k) {
        static unsigned char seen[1u << (MOST + 6)];
        const unsigned d = ll_reshard_round(*p, k / ranks), r = k % ranks;
        const ll_message in = ll_reshard_message(*p, r, d);
        const ll_message out = ll_reshard_message(*p, r ^ d, d);
        memset(seen, 0, sizeof seen);
        wrong += in.exists != out.exists;
        for (unsigned m = 0; m < 1u << p->message && in.exists; ++m) {
            seen[out.source ^ value(&p->source, m) ^ p->source.offset] = 1;
        }
        for (unsigned m = 0; m < 1u << p->message && in.exists; ++m) {
            wrong += !seen[in.target ^ value(&p->target, m) ^
                           p->target.offset];
        }
    }
    return wrong == 0;
}

/* Returns 1 if the ranks hold each element once and can exchange all messages
 * in place. swaps() compares what each rank sends and receives. */
static int can_swap(const ll_reshard *p, const held *a, const held *b) {
    return a->offset == b->offset && !p->copies && !p->sum &&
           bits_in(&p->source.in) == a->offset + bits_in(&p->mesh) &&
           ll_reshard_rounds(*p) == 1u << p->peers && swaps(p);
}

static unsigned met_pairs, met_copies, met_sums, met_places, met_tiles;

/* Makes the ranks of one axis hold partial sums, where copies can take over the
 * elements that the axis told apart. */
static ll_reshard with_sums(ll_reshard p, ll_layout *from, ll_layout b) {
    const char *const name = axes[test_random(p.topology.n)];
    ll_layout a = *from;
    const unsigned at =
        ll_shape_start_(&a.in, ll_shape_find_(&a.in, ll_dim_of(name)));
    const unsigned end = at + held_bits(&a.in, ll_dim_of(name));
    for (unsigned k = at; k < end && end <= bits_in(&a.in); ++k) {
        for (unsigned m = 0; m < bits_in(&a.in) && a.basis[k]; ++m) {
            if ((m < at || m >= end) && !a.basis[m]) {
                a.basis[m] = a.basis[k];
                a.basis[k] = 0;
            }
        }
        a.basis[k] = 0;
    }
    const ll_reshard s = ll_reshard_sum(a, name, b, p.bits, p.topology);
    CHECK(!s.err || s.err == (unsigned)LL_RESHARD_ELACKS ||
          s.err == (unsigned)LL_RESHARD_ESUM);
    *from = s.err ? *from : a;
    return s.err ? p : s;
}

/* A pair of random shardings of one tensor over one mesh. */
static ll_reshard random_pair(unsigned bits, unsigned mesh, ll_layout *a,
                              ll_layout *b) {
    unsigned size[3], small[3], n;
    const ll_topology t = random_topology(mesh, size, &n);
    ll_layout *const side[2] = {a, b};
    for (unsigned k = 0; k < 2u; ++k) {
        unsigned all = 0;
        for (unsigned m = 0; m < n; ++m) {
            small[m] = test_random(6) ? size[m] : test_random(size[m] + 1u);
            all += small[m];
        }
        const unsigned least = bits > all ? bits - all : 0u;
        const unsigned more = least + test_random(3);
        *side[k] = random_sharding(bits, more, small, n, (int)test_random(2));
    }
    CHECK(a->err == LL_OK && b->err == LL_OK);
    return ll_reshard_of(*a, *b, 8u << test_random(5), t);
}

#endif
