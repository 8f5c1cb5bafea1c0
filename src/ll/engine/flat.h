/* ---- Engine: flat layouts --------------------------------------------- */
#ifndef LL_ENGINE_FLAT_H
#define LL_ENGINE_FLAT_H

#include "../layout/spans.h"
#include "types.h"

/* The caller's memory, and the flat layouts in it. Each layout is stored once,
 * under a number. */

#ifdef LL_ENGINE

/* Private: records the first error and the operation at fault. Returns
 * LL_ENGINE_NONE. */
LL_FN unsigned ll_engine_fail_(ll_engine *e, unsigned err, unsigned op) {
    if (!e->err) {
        e->err = err;
        e->wrong = op;
        e->character = op < e->ops ? e->op[op].character : e->character;
    }
    return LL_ENGINE_NONE;
}

/* Private: returns n items of `size` bytes of the caller's memory, filled with
 * zeros; 0 if there is too little left. */
static inline void *ll_engine_bytes_(ll_engine *e, unsigned long long n,
                                     unsigned size) {
    const unsigned long long bytes = (n * size + 15u) & ~15ull;
    if (e->err || n > e->bytes || bytes > e->bytes - e->used) {
        ll_engine_fail_(e, LL_ENGINE_EARENA, LL_ENGINE_NONE);
        return 0;
    }
    unsigned char *p = e->memory + e->used;
    e->used += bytes;
    for (unsigned long long k = 0; k < bytes; ++k) {
        p[k] = 0;
    }
    return p;
}

/* Private: ll_engine_take_TYPE_ returns n items; 0 if there is no room.
 * ll_engine_room_TYPE_ returns a list with room for n items: the old one, or a
 * copy of twice the size. After an error it returns the old one. */
#define LL_ENGINE_TAKE_(name, type, most, one)                              \
    LL_FN type *ll_engine_take_##name##_(ll_engine *e,                      \
                                         unsigned long long n) {            \
        if (!e->pool) {                                                     \
            return (type *)ll_engine_bytes_(e, n, sizeof(type));            \
        }                                                                   \
        if (e->err || n > most - e->pool->name##_used) {                    \
            ll_engine_fail_(e, LL_ENGINE_EARENA, LL_ENGINE_NONE);           \
            return 0;                                                       \
        }                                                                   \
        e->pool->name##_used += (unsigned)n;                                \
        return e->pool->name + (e->pool->name##_used - n);                  \
    }                                                                       \
    LL_FN type *ll_engine_room_##name##_(ll_engine *e, type *list,          \
                                         unsigned n, unsigned *cap) {       \
        if (n <= *cap) {                                                    \
            return list;                                                    \
        }                                                                   \
        const unsigned more = one && e->pool && !*cap ? most                \
                              : 2u * *cap > n         ? 2u * *cap           \
                                                      : n + 6u;             \
        type *to = ll_engine_take_##name##_(e, more);                       \
        for (unsigned k = 0; to && k < *cap; ++k) {                         \
            to[k] = list[k];                                                \
        }                                                                   \
        *cap = to ? more : *cap;                                            \
        return to ? to : list;                                              \
    }
LL_ENGINE_LISTS_(LL_ENGINE_TAKE_)
#undef LL_ENGINE_TAKE_

/* Private: starts an empty graph. */
LL_FN void ll_engine_start_(ll_engine *e, ll_target t, unsigned warps,
                            unsigned blocks) {
    e->wrong = LL_ENGINE_NONE;
    e->target = t;
    e->trips[0] = 1;
    e->counts[1] = ll_log2_(t.lanes);
    e->counts[2] = ll_log2_(warps);
    e->counts[3] = ll_log2_(blocks);
    for (unsigned k = 0; k < LL_ENGINE_HEADS_; ++k) {
        e->heads[0][k] = e->heads[1][k] = LL_ENGINE_NONE;
    }
    if (t.err || e->counts[1] > 6u || e->counts[2] > 6u || e->counts[3] > 5u ||
        e->counts[1] + e->counts[2] > 10u) {
        ll_engine_fail_(e, LL_ENGINE_ETARGET, LL_ENGINE_NONE);
    }
}

/* ll_engine_begin(e, memory, bytes, t, warps, blocks): starts an empty graph
 * for blocks of `warps` warps of target t, in clusters of `blocks` blocks. The
 * engine stores everything in `memory`; if that is too small, calls fail with
 * LL_ENGINE_EARENA. About 8 MiB are enough for 100 operations. An error of any
 * call stays in e->err, and later calls do nothing. */
static inline void ll_engine_begin(ll_engine *e, void *memory,
                                   unsigned long long bytes, ll_target t,
                                   unsigned warps, unsigned blocks) {
    const ll_engine none = LL_ZERO;
    *e = none;
    const unsigned long long skip =
        (16u - ((__UINTPTR_TYPE__)memory & 15u)) & 15u;
    e->memory = (unsigned char *)memory + skip;
    e->bytes = bytes > skip ? bytes - skip : 0u;
    ll_engine_start_(e, t, warps, blocks);
}

/* Private: returns f without register bits that have a column of 0. */
LL_FN ll_engine_flat ll_flat_tidy_(ll_engine_flat f) {
    ll_engine_flat g = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = 0; k < (unsigned)f.n[0] + f.n[1] + f.n[2] + f.n[3]; ++k) {
        if (k >= f.n[0] || f.basis[k]) {
            g.basis[n] = f.basis[k];
            g.n[0] = (unsigned char)(g.n[0] + (k < f.n[0]));
            ++n;
        }
    }
    for (unsigned d = 1; d < 4u; ++d) {
        g.n[d] = f.n[d];
    }
    return g;
}

/* Private: returns the number of columns. */
LL_FN unsigned ll_flat_total_(const ll_engine_flat *f) {
    return (unsigned)f->n[0] + f->n[1] + f->n[2] + f->n[3];
}

LL_FN int ll_flat_is_equal_(const ll_engine_flat *f, const ll_engine_flat *g) {
    int same = 1;
    for (unsigned d = 0; d < 4u; ++d) {
        same = same && f->n[d] == g->n[d];
    }
    for (unsigned k = 0; same && k < ll_flat_total_(f); ++k) {
        same = f->basis[k] == g->basis[k];
    }
    return same;
}

/* Private: returns the number of a flat layout, and adds it if it is new. */
LL_FN unsigned ll_engine_enter_(ll_engine *e, ll_engine_flat f) {
    f = ll_flat_tidy_(f);
    unsigned hash = f.n[0];
    for (unsigned k = 0; k < ll_flat_total_(&f); ++k) {
        hash = hash * 31u + f.basis[k] * 0x9e3779b9u + (hash >> 15);
    }
    unsigned *head = &e->heads[0][(hash ^ hash >> 16) % LL_ENGINE_HEADS_];
    for (unsigned k = *head; k < e->flats; k = e->flat_next[k]) {
        if (ll_flat_is_equal_(&e->flat[k], &f)) {
            return k;
        }
    }
    e->flat = ll_engine_room_flat_(e, e->flat, e->flats + 1u, &e->cap_flats);
    e->flat_next =
        ll_engine_room_word_(e, e->flat_next, e->flats + 1u, &e->cap_next);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    e->flat[e->flats] = f;
    e->flat_next[e->flats] = *head;
    *head = e->flats;
    return e->flats++;
}

/* Private: returns 1 if the columns span all `bits` bits. */
LL_FN int ll_flat_is_onto_(const ll_engine_flat *f, unsigned bits) {
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        if (f->basis[k] >> bits) {
            return 0;
        }
        ll_span_extend_(&reduced, f->basis[k]);
    }
    return reduced.n == bits;
}

/* Private: fails with LL_ENGINE_ELAYOUT, but not once the graph is solved:
 * asking for a layout that does not fit must not discard the solution. */
LL_FN unsigned ll_engine_no_layout_(ll_engine *e, unsigned v) {
    return e->found ? LL_ENGINE_NONE
                    : ll_engine_fail_(e, LL_ENGINE_ELAYOUT,
                                      v < e->values ? e->value[v].def
                                                    : LL_ENGINE_NONE);
}

#endif /* LL_ENGINE */

#endif
