/* reshard_ragged.h - tensors whose sizes are no powers of two, by the plans of
 * ll_reshard_of.
 * SPDX-License-Identifier: MIT
 *
 * A plan is made for the tensor padded to powers of two. What lies beyond the
 * sizes is never there: it has no place in a memory, and nobody reads, sends or
 * writes it. Where an axis is shared out, its high bits count parts of `part`
 * elements, ceil(size / parts), and its low bits the elements of a part:
 *
 *     1000 rows over 4 ranks: 250 each, padded to 256   i0 .. i7 | gpu: i8 i9
 *
 * A ragged memory is an array. Bits of the offset that are neighbours of one
 * axis are a digit, the fastest first; a digit takes as many values as the rank
 * needs; a bit whose column is no bit of its own takes both. The address of an
 * element is the sum of its digits times the product of the sizes before them,
 * so that each bit of the offset has a weight. The rank above with 250 rows of
 * 777 has a row-major array of 250 x 777, and a chunk of a message is an array
 * in the same way.
 */
#ifndef LL_EXAMPLE_RESHARD_RAGGED_H
#define LL_EXAMPLE_RESHARD_RAGGED_H

#include "reshard_ranks.h"
#include <stdio.h>

/* An axis: where its bits are in an element, its size, and its parts. */
typedef struct ragged_axis {
    unsigned start, bits;
    unsigned low;  /* bits of the place in a part */
    unsigned part; /* elements of a part; the size, if there is one part */
    unsigned size;
} ragged_axis;

typedef struct ragged {
    unsigned n;
    ragged_axis axis[LL_MAX_DIMS];
} ragged;

/* A tensor without padding. */
static inline ragged ragged_of(ll_shape s) {
    ragged r = {0, {{0, 0, 0, 0, 0}}};
    for (unsigned k = 0, start = 0; k < s.n; start += s.bits[k++]) {
        const ragged_axis a = {start, s.bits[k], s.bits[k], 1u << s.bits[k],
                               1u << s.bits[k]};
        r.axis[r.n++] = a;
    }
    return r;
}

/* Gives axis d a size, in parts of `part` elements; 0: one part. A tensor of
 * size 0 is empty, and nothing moves. Returns 0 if there is no such axis, or
 * its bits are too few. */
static inline int ragged_with(ragged *r, ll_shape s, const char *name,
                              unsigned size, unsigned part) {
    unsigned k = 0, low = 0;
    while (k < s.n && s.dim[k] != ll_dim_of(name)) {
        ++k;
    }
    if (k == s.n || (size && part > size)) {
        return 0;
    }
    part = part && size ? part : size;
    while (low < 32u && (unsigned long long)part > 1ull << low) {
        ++low;
    }
    low = part == size ? s.bits[k] : low;
    if (low > s.bits[k] || (unsigned long long)part > 1ull << low ||
        ((unsigned long long)part << (s.bits[k] - low)) < size) {
        return 0;
    }
    r->axis[k].low = low;
    r->axis[k].part = part ? part : 1u;
    r->axis[k].size = size;
    return 1;
}

/* Reads sizes, "j: 777 by 195, i: 1000": axis, size, and the elements of a part
 * if there are several. Returns null, or what is wrong. */
static inline const char *ragged_read(ragged *r, ll_shape s,
                                      const char *text) {
    *r = ragged_of(s);
    for (int used = 0; *text; text += used) {
        char name[16];
        unsigned size = 0, part = 0;
        int more = 0;
        if (sscanf(text, " %15[a-z] : %u%n", name, &size, &used) != 2) {
            return "sizes are written as j: 777 by 195, i: 1000";
        }
        if (sscanf(text + used, " by %u%n", &part, &more) == 1) {
            used += more;
        }
        if (!ragged_with(r, s, name, size, part)) {
            return "a size or a part does not fit the bits of its axis";
        }
        used += text[used] == ',';
    }
    return 0;
}

/* Does an element exist? Bits of two columns that meet are no index. */
static inline int ragged_has(const ragged *r, unsigned y) {
    int has = 1;
    for (unsigned k = 0; k < r->n; ++k) {
        const ragged_axis *const a = &r->axis[k];
        const unsigned x = ll_shift_down_(y, a->start) & ll_ones_(a->bits);
        const unsigned low = x & ll_ones_(a->low);
        const unsigned long long first =
            (unsigned long long)ll_shift_down_(x, a->low) * a->part;
        has = has && low < a->part && first + low < a->size;
    }
    return has;
}

/* A memory: what a bit of the offset adds to an address, and the elements. */
typedef struct ragged_memory {
    unsigned long long elements;
    unsigned n, weight[LL_MAX_BITS];
} ragged_memory;

/* Which elements lie at offsets: `base`, XORed with columns. */
typedef struct ragged_map {
    unsigned n, base, column[LL_MAX_BITS];
} ragged_map;

static inline unsigned ragged_at(const ragged_memory *m, unsigned offset) {
    unsigned at = 0;
    for (unsigned k = 0; k < m->n; ++k) {
        at += offset >> k & 1u ? m->weight[k] : 0u;
    }
    return at;
}

static inline unsigned ragged_element(const ragged_map *m, unsigned offset) {
    unsigned y = m->base;
    for (unsigned k = 0; k < m->n; ++k) {
        y ^= offset >> k & 1u ? m->column[k] : 0u;
    }
    return y;
}

/* Bits of an element that belong to one column alone, and not to the base. */
static inline unsigned ragged_plain(const ragged_map *m) {
    unsigned once = 0, twice = m->base;
    for (unsigned k = 0; k < m->n; ++k) {
        const unsigned c = m->column[k];
        twice |= once & c;
        once |= c;
        twice |= c & (c - 1u) ? c : 0u;
    }
    return once & ~twice;
}

/* The axis of an element's bit. */
static inline const ragged_axis *ragged_axis_of(const ragged *r,
                                                unsigned bit) {
    unsigned k = 0;
    while (k + 1u < r->n && bit >= 1u << r->axis[k + 1u].start) {
        ++k;
    }
    return &r->axis[k];
}

/* How many columns from number k on are one digit: neighbours within an axis.
 * A digit that does not begin with an axis ends with a part. */
static inline unsigned ragged_digit(const ragged *r, const ragged_map *m,
                                    unsigned k, unsigned plain) {
    const unsigned first = m->column[k];
    unsigned n = 1;
    if (!(first & plain) || first & (first - 1u)) {
        return 1;
    }
    const ragged_axis *const a = ragged_axis_of(r, first);
    const unsigned q = ll_log2_(first) - a->start;
    while (k + n < m->n && q + n < a->bits && m->column[k + n] == first << n &&
           m->column[k + n] & plain && (!q || q + n != a->low)) {
        ++n;
    }
    return n;
}

/* ceil(a / b), for b > 0, but at least 0 and at most `most`. */
static inline unsigned long long ragged_share(long long a, long long b,
                                              unsigned long long most) {
    const unsigned long long n =
        a <= 0 ? 0ull : (unsigned long long)((a + b - 1) / b);
    return n < most ? n : most;
}

/* The values of a digit of n bits from bit q of an axis on, beside what the
 * other bits of the axis have at least. */
static inline unsigned long long ragged_values(const ragged_axis *a, unsigned q,
                                               unsigned n, unsigned others) {
    const long long low = others & ll_ones_(a->low), part = a->part;
    const long long high = ll_shift_down_(others, a->low);
    const long long left = (long long)a->size - high * part;
    if (q >= a->low) {
        const long long parts =
            low < part ? (long long)ragged_share((long long)a->size - low, part,
                                                 ~0ull >> 2)
                       : 0;
        return ragged_share(parts - high, 1ll << (q - a->low), 1ull << n);
    }
    if (q + n > a->low) { /* q is 0 */
        return ragged_share(left, 1,
                            (unsigned long long)part << (n - a->low));
    }
    return ragged_share((left < part ? left : part) - low, 1ll << q, 1ull << n);
}

/* The memory that holds the elements of a map. */
static inline ragged_memory ragged_memory_of(const ragged *r,
                                             const ragged_map *m) {
    const unsigned plain = ragged_plain(m);
    ragged_memory to = {1, m->n, {0}};
    unsigned covered = 0;
    for (unsigned k = 0; k < m->n; ++k) {
        covered |= m->column[k];
    }
    const unsigned least = m->base & ~covered;
    for (unsigned k = 0; k < m->n;) {
        const unsigned n = ragged_digit(r, m, k, plain), c = m->column[k];
        unsigned long long values = 2;
        const int own = c & plain && !(c & (c - 1u));
        const ragged_axis *const a = ragged_axis_of(r, own ? c : 1u);
        const unsigned q = own ? ll_log2_(c) - a->start : 0u;
        if (own) {
            values = ragged_values(
                a, q, n, ll_shift_down_(least, a->start) & ll_ones_(a->bits));
        }
        for (unsigned b = 0; b < n; ++b) {
            const int part = own && q < a->low && q + b >= a->low;
            to.weight[k + b] = (unsigned)(to.elements *
                                          (part ? (unsigned long long)a->part
                                                      << (q + b - a->low)
                                                : 1ull << b));
        }
        to.elements *= values;
        k += n;
    }
    to.elements = ragged_has(r, least) ? to.elements : 0ull;
    return to;
}

/* A reshard of a ragged tensor between two shardings. */
typedef struct ragged_plan {
    ll_reshard plan;
    ll_layout from, to; /* with the same axes, in the same order */
    ragged sizes;
} ragged_plan;

static inline ragged_plan ragged_plan_of(ll_reshard p, ll_layout from,
                                         ll_layout to, ragged sizes) {
    const ragged_plan g = {p, from, p.err ? to : ll_layout_onto_(to, &from.out),
                           sizes};
    return g;
}

/* Which elements a rank has at the offsets of a sharding. */
static inline ragged_map ragged_of_rank(const ll_reshard *p, const ll_layout *a,
                                        unsigned rank) {
    ragged_map m = {0, 0, {0}};
    m.n = ll_log2_(ll_size(a->in, LL_OFFSET));
    m.base = ll_apply(*a, ll_shape_repack_(rank, &p->mesh, &a->in));
    for (unsigned k = 0; k < m.n; ++k) {
        m.column[k] =
            ll_apply(*a, ll_pack(a->in, LL_OFFSET, 1u << k)) ^ a->offset;
    }
    return m;
}

/* The memory of a rank before or after. */
static inline ragged_memory ragged_before(const ragged_plan *g, unsigned rank) {
    const ragged_map m = ragged_of_rank(&g->plan, &g->from, rank);
    return ragged_memory_of(&g->sizes, &m);
}

static inline ragged_memory ragged_after(const ragged_plan *g, unsigned rank) {
    const ragged_map m = ragged_of_rank(&g->plan, &g->to, rank);
    return ragged_memory_of(&g->sizes, &m);
}

/* A chunk of a message: its elements, the array that it is sent as, and its
 * offsets before and after. */
typedef struct ragged_chunk {
    ragged_map elements;
    ragged_memory array;
    unsigned source, target;
} ragged_chunk;

/* That of a message from its element `first` on, which exists. */
static inline ragged_chunk ragged_chunk_of(const ragged_plan *g,
                                           const ll_message *x,
                                           unsigned long long first) {
    const ll_reshard *const p = &g->plan;
    const ragged_map rank = ragged_of_rank(p, &g->from, x->from);
    const unsigned own = ll_ones_(rank.n);
    ragged_chunk c = {{p->chunk, 0, {0}}, {0, 0, {0}}, x->source, x->target};
    for (unsigned k = 0; k < p->message; ++k) {
        if (k < p->chunk) {
            c.elements.column[k] =
                ragged_element(&rank, p->source.basis[k] & own) ^ rank.base;
        } else if (first >> k & 1u) {
            c.source ^= p->source.basis[k];
            c.target ^= p->target.basis[k];
        }
    }
    c.elements.base = ragged_element(&rank, c.source & own);
    c.array = ragged_memory_of(&g->sizes, &c.elements);
    return c;
}

/* Packs a chunk, or without `pack` unpacks it to all its places. Partial sums
 * are added to what is there, unless they are the first. */
static inline void ragged_carries(const ragged_plan *g, const ragged_chunk *c,
                                  const ragged_memory *memory, void *array,
                                  void *data, int pack,
                                  void (*add)(void *, const void *)) {
    const ll_reshard *const p = &g->plan;
    const ll_layout *const map = pack ? &p->source : &p->target;
    const size_t size = p->bits / 8u;
    for (unsigned x = 0; x >> p->chunk == 0; ++x) {
        if (!ragged_has(&g->sizes, ragged_element(&c->elements, x))) {
            continue;
        }
        char *const at = (char *)array + ragged_at(&c->array, x) * size;
        const size_t offset =
            ranks_offset(map, pack ? c->source : c->target, x);
        for (unsigned copy = 0; copy < (pack ? 1u : 1u << p->copies); ++copy) {
            unsigned place = (unsigned)offset;
            for (unsigned bit = 0; bit < p->copies; ++bit) {
                place ^= copy >> bit & 1u ? p->copy[bit] : 0u;
            }
            char *const there = (char *)data + ragged_at(memory, place) * size;
            if (add) {
                add(there, at);
            } else {
                memcpy(pack ? at : there, pack ? there : at, size);
            }
        }
    }
}

/* A number that differs, in all likelihood, if plans or sizes do. */
static inline unsigned long long ragged_number(const ragged_plan *g) {
    unsigned long long h = ranks_number(&g->plan);
    for (unsigned k = 0; k < g->sizes.n; ++k) {
        h = ranks_mix(h, &g->sizes.axis[k], sizeof g->sizes.axis[k]);
    }
    return h;
}

/* One round, as in reshard_ranks.h. A chunk without any element is not
 * sent. */
static inline int ragged_round(transport *t, const ragged_plan *g, unsigned d,
                               const void *src, void *dst, void *staging,
                               void (*add)(void *, const void *)) {
    const unsigned partner = t->rank ^ d;
    const ll_message in = ll_reshard_message(g->plan, t->rank, d);
    const ll_message out = ll_reshard_message(g->plan, partner, d);
    const ragged_memory from = ragged_before(g, t->rank);
    const ragged_memory to = ragged_after(g, t->rank);
    const size_t size = g->plan.bits / 8u, n = (size_t)1 << g->plan.chunk;
    int err = RANKS_OK;
    for (size_t at = 0; at < (size_t)1 << g->plan.message && !err; at += n) {
        const ragged_chunk a = ragged_chunk_of(g, &in, at);
        const ragged_chunk b = ragged_chunk_of(g, &out, at);
        const size_t comes = in.exists ? a.array.elements * size : 0u;
        const size_t goes = out.exists ? b.array.elements * size : 0u;
        if (goes) {
            ragged_carries(g, &b, &from, staging, (void *)(size_t)src, 1, 0);
        }
        if (d && goes) {
            err = t->send(t, partner, staging, goes);
        }
        if (d && comes && !err) {
            err = t->receive(t, partner, staging, comes);
        }
        if (comes && !err) {
            ragged_carries(g, &a, &to, staging, dst, 0,
                           d & g->plan.sum ? add : 0);
        }
    }
    return err;
}

/* Executes a plan, as ranks_reshard does; src and dst are ragged memories, two
 * buffers. */
static inline int ragged_reshard(transport *t, const ragged_plan *g,
                                 const void *src, void *dst, void *staging,
                                 void (*add)(void *, const void *)) {
    const ll_reshard *const p = &g->plan;
    const int place = src == dst ? RANKS_PLACE : RANKS_OK;
    const int bad = p->err || 1u << ll_shape_bits_(&p->mesh) != t->ranks ||
                    (p->sum && !add);
    int err = t->agree(t, bad || place ? 0ull : ragged_number(g));
    err = bad ? RANKS_PLAN : place ? place : err;
    const unsigned rounds = err ? 0u : ll_reshard_rounds(*p);
    for (unsigned k = 0; k < rounds && !err; ++k) {
        err = ragged_round(t, g, ll_reshard_round(*p, k), src, dst, staging,
                           add);
    }
    return err ? err : t->finish(t);
}

#endif
