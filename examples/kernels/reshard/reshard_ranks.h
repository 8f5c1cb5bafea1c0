/* reshard_ranks.h - executes a plan of ll_reshard_of by messages, over any
 * transport that can send and receive.
 * SPDX-License-Identifier: MIT
 *
 * A rank packs what a message needs into a staging buffer, sends it, receives
 * a message of the same round, and unpacks it, chunk by chunk: p.chunk of the
 * plan says how much. Before anything moves the ranks compare their plans.
 */
#ifndef LL_EXAMPLE_RESHARD_RANKS_H
#define LL_EXAMPLE_RESHARD_RANKS_H

#include "tools/reshard/ll_reshard.h"
#include <string.h>

enum { RANKS_OK, RANKS_LOST, RANKS_DISAGREE, RANKS_PLAN, RANKS_PLACE };

static const char *const ranks_said[] = {
    "done", "a rank is lost, or late", "the ranks have different plans",
    "the plan is not one that messages execute",
    "source and target overlap, and the plan cannot be executed in one buffer; "
    "ll_reshard_in_place says why"};

/* The transport. send may return before the message is received; each message
 * is received once, and those of one sender in their order. agree tells whether
 * all ranks brought the same number; finish waits for all. All return RANKS_OK,
 * or after a time of their own RANKS_LOST. */
typedef struct transport {
    void *self;
    unsigned rank, ranks;
    int (*agree)(struct transport *, unsigned long long number);
    int (*send)(struct transport *, unsigned to, const void *, size_t bytes);
    int (*receive)(struct transport *, unsigned from, void *, size_t bytes);
    int (*finish)(struct transport *);
} transport;

static unsigned long long ranks_mix(unsigned long long h, const void *data,
                                    size_t bytes) {
    for (size_t k = 0; k < bytes; ++k) {
        h = (h ^ ((const unsigned char *)data)[k]) * 0x100000001b3ull;
    }
    return h;
}

/* A number that differs, in all likelihood, if the plans differ. */
static unsigned long long ranks_number(const ll_reshard *p) {
    unsigned long long h = 0xcbf29ce484222325ull;
    const ll_layout *const maps[2] = {&p->source, &p->target};
    for (unsigned k = 0; k < 2u; ++k) {
        for (unsigned d = 0; d < maps[k]->in.n; ++d) {
            h = ranks_mix(h, &maps[k]->in.bits[d], sizeof maps[k]->in.bits[d]);
            h = ranks_mix(h, &maps[k]->in.dim[d], sizeof maps[k]->in.dim[d]);
        }
        h = ranks_mix(h, maps[k]->basis, sizeof maps[k]->basis);
        h = ranks_mix(h, &maps[k]->offset, sizeof maps[k]->offset);
    }
    h = ranks_mix(h, p->copy, p->copies * sizeof *p->copy);
    h = ranks_mix(h, &p->chunk, sizeof p->chunk);
    h = ranks_mix(h, &p->sum, sizeof p->sum);
    return ranks_mix(h, &p->bits, sizeof p->bits);
}

/* The offset of element m of a message: the XOR of columns. */
static size_t ranks_offset(const ll_layout *map, unsigned base,
                           unsigned long long m) {
    for (unsigned k = 0; m >> k; ++k) {
        base ^= m >> k & 1u ? map->basis[k] : 0u;
    }
    return base;
}

static void ranks_pack(const ll_reshard *p, const ll_message *m,
                       unsigned long long first, size_t n, void *to,
                       const void *from) {
    const size_t size = p->bits / 8u;
    for (size_t k = 0; k < n; ++k) {
        memcpy((char *)to + k * size,
               (const char *)from +
                   ranks_offset(&p->source, m->source, first + k) * size,
               size);
    }
}

/* Writes elements to all their places. Partial sums are added to what is there,
 * unless they are the first. */
static void ranks_unpack(const ll_reshard *p, const ll_message *m,
                         unsigned long long first, size_t n, void *to,
                         const void *from,
                         void (*add)(void *, const void *)) {
    const size_t size = p->bits / 8u;
    for (size_t k = 0; k < n; ++k) {
        const size_t at = ranks_offset(&p->target, m->target, first + k);
        for (unsigned copy = 0; copy < 1u << p->copies; ++copy) {
            size_t place = at;
            for (unsigned bit = 0; bit < p->copies; ++bit) {
                place ^= copy >> bit & 1u ? p->copy[bit] : 0u;
            }
            void *const old = (char *)to + place * size;
            if (add) {
                add(old, (const char *)from + k * size);
            } else {
                memcpy(old, (const char *)from + k * size, size);
            }
        }
    }
}

/* One round: a rank has one partner, or is its own. */
static int ranks_round(transport *t, const ll_reshard *p, unsigned d,
                       const void *src, void *dst, void *staging,
                       void (*add)(void *, const void *)) {
    const unsigned partner = t->rank ^ d;
    const ll_message in = ll_reshard_message(*p, t->rank, d);
    const ll_message out = ll_reshard_message(*p, partner, d);
    const size_t n = (size_t)1 << p->chunk, bytes = n * (p->bits / 8u);
    int err = RANKS_OK;
    for (size_t at = 0; at < (size_t)1 << p->message && !err; at += n) {
        if (out.exists) {
            ranks_pack(p, &out, at, n, staging, src);
        }
        if (d && out.exists) {
            err = t->send(t, partner, staging, bytes);
        }
        if (d && in.exists && !err) {
            err = t->receive(t, partner, staging, bytes);
        }
        if (in.exists && !err) {
            ranks_unpack(p, &in, at, n, dst, staging,
                         d & p->sum ? add : 0);
        }
    }
    return err;
}

/* Returns RANKS_PLACE if source and target overlap and the plan, or its chunks,
 * are not those of ll_reshard_in_place. */
static int ranks_overlap(const ll_reshard *p, const void *src, void *dst) {
    const size_t size = p->bits / 8u;
    const size_t from = size << p->source.out.bits[0];
    const size_t to = size << p->target.out.bits[0];
    const char *const a = (const char *)src, *const b = (const char *)dst;
    const int apart = a + from <= b || b + to <= a;
    const int one = a == b && p->in_place && p->chunk == p->message;
    return p->err || apart || one ? RANKS_OK : RANKS_PLACE;
}

/* Executes a plan on the rank of a transport: from src to dst, by a staging
 * buffer of one chunk. `add` adds partial sums; each rank begins with its own.
 * src and dst may be one buffer if the plan is that of ll_reshard_in_place. */
static int ranks_reshard(transport *t, const ll_reshard *p, const void *src,
                         void *dst, void *staging,
                         void (*add)(void *, const void *)) {
    const int place = ranks_overlap(p, src, dst);
    const int bad = p->err || 1u << ll_shape_bits_(&p->mesh) != t->ranks ||
                    (p->sum && !add);
    int err = t->agree(t, bad || place ? 0ull : ranks_number(p));
    err = bad ? RANKS_PLAN : place ? place : err;
    const unsigned rounds = err ? 0u : ll_reshard_rounds(*p);
    for (unsigned k = 0; k < rounds && !err; ++k) {
        err = ranks_round(t, p, ll_reshard_round(*p, k), src, dst, staging,
                          add);
    }
    return err ? err : t->finish(t);
}

#endif
