/* ---- Engine: candidates ----------------------------------------------- */
#ifndef LL_ENGINE_CANDIDATES_H
#define LL_ENGINE_CANDIDATES_H

#include "../layout/shapes.h"
#include "../plan/absorb.h"
#include "instructions.h"
#include "links.h"

#ifdef LL_ENGINE

/* The largest number of candidates of a value; a set of them has one bit
 * each. */
#define LL_ENGINE_MOST 24u

/* Private: the origin of a candidate: 4 * operation, plus the reason. */
enum {
    LL_ENGINE_BY_CALLER_, /* fixed there, or by its instructions */
    LL_ENGINE_BY_ACCESS_, /* coalesced for its access */
    LL_ENGINE_BY_ORDER_,  /* an order of k that suits it */
    LL_ENGINE_BY_NONE_    /* a hint, or the default */
};

/* Private: the layouts that have not been followed through the graph yet. */
typedef struct ll_engine_queue_ {
    unsigned *item; /* pairs of a value and a layout */
    unsigned n, cap;
    unsigned done, grown; /* followed without new registers, and with them */
    unsigned tiles;       /* found before any had new registers */
} ll_engine_queue_;

/* Private: returns whether a lane may use the registers for a layout of a
 * value. */
LL_FN int ll_engine_holds_(const ll_engine *e, unsigned v, unsigned id) {
    const unsigned n = e->flat[id].n[0];
    return !e->registers ||
           (n < 24u && ((1ull << n) * e->value[v].element_bits + 31u) / 32u <=
                           e->registers);
}

/* Private: returns the origin of a candidate of a value. */
LL_FN unsigned ll_engine_origin_(const ll_engine *e, unsigned v, unsigned id) {
    const unsigned at = ll_engine_at_(e, v, id);
    return e->origin && at != LL_ENGINE_NONE
               ? e->origin[e->value[v].first + at]
               : (unsigned)LL_ENGINE_BY_NONE_;
}

/* Private: offers a value a candidate. always: take it even if the value has
 * e->most candidates, as a fixed layout. */
LL_FN void ll_engine_offer_(ll_engine *e, ll_engine_queue_ *q, unsigned v,
                            unsigned id, int always) {
    ll_engine_value *a = &e->value[v];
    const unsigned most = always ? LL_ENGINE_MOST : e->most;
    if (id == LL_ENGINE_NONE || a->is_free || e->err ||
        ll_engine_at_(e, v, id) != LL_ENGINE_NONE) {
        return;
    }
    if (!ll_engine_holds_(e, v, id)) {
        ++e->dropped[1];
        return;
    }
    if (a->n >= most) {
        ++e->dropped[0];
        return;
    }
    q->item = ll_engine_room_word_(e, q->item, q->n + 2u, &q->cap);
    if (!e->err) {
        e->candidate[a->first + a->n] = id;
        if (e->origin) {
            e->origin[a->first + a->n] = e->anchor;
        }
        ++a->n;
        q->item[q->n] = v;
        q->item[q->n + 1u] = id;
        q->n += 2u;
    }
}

/* Private: returns whether the layout of one operand or result determines all
 * others through the operation's link, except for free values. */
LL_FN int ll_engine_is_tied_(const ll_engine_op *o) {
    return !ll_engine_is_given_(o->kind) && o->kind != LL_ENGINE_DOT &&
           o->kind != LL_ENGINE_GATHER && o->kind != LL_ENGINE_REORDER &&
           o->kind != LL_ENGINE_CONSTANT;
}

/* Private: returns whether operand k is on the big side of the link. */
LL_FN int ll_engine_is_big_(const ll_engine_op *o, const ll_engine_link_ *l,
                            unsigned k) {
    return (k < o->n_in) == (l->big_is_in != 0);
}

/* Private: fills in the layouts of all operands and results, given the layout
 * of operand `slot`. Returns 0 if the rule forbids it, or a fixed layout
 * differs. */
LL_FN int ll_engine_tuple_(ll_engine *e, const ll_engine_op *o, unsigned slot,
                           unsigned id, unsigned *tuple) {
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    const int from_big = ll_engine_is_big_(o, &l, slot);
    const unsigned other = ll_engine_across_(e, &l, id, from_big);
    int ok = other != LL_ENGINE_NONE;
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned want = e->fixed[o->at + k];
        tuple[k] = ll_engine_is_big_(o, &l, k) == from_big ? id : other;
        ok = ok && (want == LL_ENGINE_NONE || want == tuple[k] ||
                    e->value[e->operand[o->at + k]].is_free);
    }
    return ok;
}

/* Private: returns whether a dot may sum over k in any order, because its
 * operands are in registers. */
LL_FN int ll_engine_is_ordered_(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_DOT && !ll_engine_is_placed_(o, 0) &&
           !ll_engine_is_placed_(o, 1);
}

/* Private: the most bits of k that a dot may sum over in any order. */
#define LL_ENGINE_SUMMED_ 14u

/* Private: a linear map between coordinates of two layouts, by pairs: it maps u
 * to v. No u contains the highest bit of an earlier u. */
typedef struct ll_engine_turn_ {
    unsigned n;
    unsigned u[LL_MAX_BITS], v[LL_MAX_BITS];
} ll_engine_turn_;

LL_FN void ll_turn_reduce_(const ll_engine_turn_ *t, unsigned *u, unsigned *v) {
    for (unsigned k = 0; k < t->n; ++k) {
        const int has = (*u ^ t->u[k]) < *u;
        *v ^= has ? t->v[k] : 0u;
        *u ^= has ? t->u[k] : 0u;
    }
}

/* Private: finds the order of k that turns the layout in which a dot's
 * instructions take operand `k` (0: a, 1: b) into layout `id`. Returns 0 if the
 * two layouts differ in more than the order of k. Both hold every element, so
 * the map of k is one to one. */
LL_FN int ll_engine_turn_of_(const ll_engine *e, const ll_engine_op *o,
                             unsigned k, unsigned id, ll_engine_turn_ *t) {
    const ll_engine_flat *f = &e->flat[e->fixed[o->at + k]];
    const ll_engine_flat *g = &e->flat[id];
    const ll_engine_value *a = &e->value[e->operand[o->at + k]];
    const unsigned low = k ? a->size[1] : 0u;
    const unsigned axis = ll_ones_(a->size[k ? 0 : 1]) << low;
    const ll_engine_turn_ none = LL_ZERO;
    int ok = a->size[k ? 0 : 1] <= LL_ENGINE_SUMMED_ && f->n[0] == g->n[0];
    *t = none;
    for (unsigned c = 0; ok && c < ll_flat_total_(f); ++c) {
        unsigned u = (f->basis[c] & axis) >> low;
        unsigned v = (g->basis[c] & axis) >> low;
        ll_turn_reduce_(t, &u, &v);
        ok = (f->basis[c] & ~axis) == (g->basis[c] & ~axis) && (u || !v);
        if (ok && u) {
            t->u[t->n] = u;
            t->v[t->n] = v;
            ++t->n;
        }
    }
    return ok;
}

/* Private: returns the layout of operand `k` for an order of k. */
LL_FN unsigned ll_engine_turned_(ll_engine *e, const ll_engine_op *o,
                                 unsigned k, const ll_engine_turn_ *t) {
    ll_engine_flat f = e->flat[e->fixed[o->at + k]];
    const ll_engine_value *a = &e->value[e->operand[o->at + k]];
    const unsigned low = k ? a->size[1] : 0u;
    const unsigned axis = ll_ones_(a->size[k ? 0 : 1]) << low;
    for (unsigned c = 0; c < ll_flat_total_(&f); ++c) {
        unsigned u = (f.basis[c] & axis) >> low;
        unsigned v = 0;
        ll_turn_reduce_(t, &u, &v);
        f.basis[c] = (f.basis[c] & ~axis) | v << low;
    }
    return ll_engine_enter_(e, f);
}

/* Private: offers both operands of a dot their layouts for one order of k: the
 * order for which operand `k` has layout a. */
LL_FN void ll_engine_offer_order_(ll_engine *e, ll_engine_queue_ *q,
                                  const ll_engine_op *o, unsigned k,
                                  ll_layout a) {
    ll_engine_turn_ t = LL_ZERO;
    const unsigned v = e->operand[o->at + k];
    const unsigned id = a.err ? LL_ENGINE_NONE : ll_engine_id(e, v, a);
    if (id != LL_ENGINE_NONE && ll_engine_turn_of_(e, o, k, id, &t)) {
        ll_engine_offer_(e, q, v, id, 0);
        ll_engine_offer_(e, q, e->operand[o->at + !k],
                         ll_engine_turned_(e, o, !k, &t), 0);
    }
}

/* Private: offers the operands of a dot the orders of k for which lanes hold
 * the longest vectors along k. */
LL_FN void ll_engine_shuffle_(ll_engine *e, ll_engine_queue_ *q,
                              const ll_engine_op *o) {
    for (unsigned k = 0; k < 2u && !e->err; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned bytes = (e->value[v].element_bits + 7u) / 8u;
        const ll_layout a = ll_engine_layout(e, v, e->fixed[o->at + k]);
        const ll_dim d = ll_axis(!k);
        ll_layout s = LL_ZERO;
        for (unsigned n = 16u / bytes; n > 1u; n /= 2u) {
            s = ll_preshuffle(a, d, n);
            if (!s.err) {
                ll_engine_offer_order_(e, q, o, k, ll_renumber(a, d, s));
                break;
            }
        }
    }
}

/* Private: follows a new candidate of operand a or b of a dot. The other
 * operand takes the same order of k. If the candidate differs in more than the
 * order of k, the order that comes nearest to it is offered. */
LL_FN void ll_engine_follow_dot_(ll_engine *e, ll_engine_queue_ *q,
                                 const ll_engine_op *o, unsigned v,
                                 unsigned id) {
    for (unsigned k = 0; k < 2u && !e->err; ++k) {
        ll_engine_turn_ t = LL_ZERO;
        if (e->operand[o->at + k] != v) {
            continue;
        }
        if (ll_engine_turn_of_(e, o, k, id, &t)) {
            ll_engine_offer_(e, q, e->operand[o->at + !k],
                             ll_engine_turned_(e, o, !k, &t), 0);
            continue;
        }
        const ll_layout a = ll_engine_layout(e, v, e->fixed[o->at + k]);
        const ll_dim d = ll_axis(!k);
        const ll_layout s = ll_absorb(a, ll_engine_layout(e, v, id), d);
        ll_engine_offer_order_(e, q, o, k, ll_renumber(a, d, s));
    }
}

/* Private: returns whether an operation gives a layout of operand `slot` new
 * registers on its other side, for the elements that only that side has. */
LL_FN int ll_engine_grows_(const ll_engine_op *o, unsigned slot) {
    return o->kind == LL_ENGINE_REDUCE      ? slot >= o->n_in
           : o->kind == LL_ENGINE_BROADCAST ? slot < o->n_in
                                            : 0;
}

/* Private: follows a new candidate of a value through one operation. With
 * `grow`, follows it only where the other side needs new registers, else only
 * elsewhere. */
LL_FN void ll_engine_follow_(ll_engine *e, ll_engine_queue_ *q, unsigned op,
                             unsigned v, unsigned id, int grow,
                             unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    for (unsigned slot = 0; slot < o->n_in + o->n_out && !e->err; ++slot) {
        if (e->operand[o->at + slot] != v || !ll_engine_is_tied_(o) ||
            ll_engine_grows_(o, slot) != grow) {
            continue;
        }
        if (ll_engine_tuple_(e, o, slot, id, tuple)) {
            for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                ll_engine_offer_(e, q, e->operand[o->at + k], tuple[k], 0);
            }
        }
    }
    if (grow) {
        return;
    }
    if (ll_engine_is_ordered_(o)) {
        const unsigned anchor = e->anchor;
        e->anchor = 4u * op + LL_ENGINE_BY_ORDER_;
        ll_engine_follow_dot_(e, q, o, v, id);
        e->anchor = anchor;
    }
    if (o->kind == LL_ENGINE_REORDER) {
        ll_engine_offer_(e, q, e->operand[o->at], id, 0);
        ll_engine_offer_(e, q, e->operand[o->at + 1u], id, 0);
    }
    if (o->kind == LL_ENGINE_GATHER && (e->operand[o->at + 1u] == v ||
                                        e->operand[o->at + 2u] == v)) {
        ll_engine_offer_(e, q, e->operand[o->at + 1u], id, 0);
        ll_engine_offer_(e, q, e->operand[o->at + 2u], id, 0);
    }
}

/* Private: lists the uses of each value. */
LL_FN void ll_engine_list_uses_(ll_engine *e) {
    unsigned n = 0;
    e->use = ll_engine_take_word_(e, e->operands + 1u);
    for (unsigned v = 0; v < e->values; ++v) {
        e->value[v].uses = 0;
    }
    for (int fill = 0; fill < 2 && !e->err; ++fill) {
        for (unsigned p = 0; p < e->ops; ++p) {
            const ll_engine_op *o = &e->op[p];
            for (unsigned k = 0; k < o->n_in; ++k) {
                ll_engine_value *v = &e->value[e->operand[o->at + k]];
                if (fill) {
                    e->use[v->use + v->uses] = p;
                }
                ++v->uses;
            }
        }
        for (unsigned v = 0; v < e->values && !fill; ++v) {
            e->value[v].use = n;
            n += e->value[v].uses;
            e->value[v].uses = 0;
        }
    }
}

LL_FN int ll_engine_is_shape_(unsigned kind) {
    return kind == LL_ENGINE_TRANS || kind == LL_ENGINE_RESHAPE ||
           kind == LL_ENGINE_EXPAND || kind == LL_ENGINE_BROADCAST ||
           kind == LL_ENGINE_JOIN || kind == LL_ENGINE_SPLIT ||
           kind == LL_ENGINE_CONVERT;
}

/* Private: the values on the way from copies to a dot that reads their tile,
 * each with the layout of the tile at that value. */
#define LL_ENGINE_WAY_ 16u

typedef struct ll_engine_way_to_ {
    unsigned n;
    unsigned value[LL_ENGINE_WAY_];
    ll_engine_flat tile[LL_ENGINE_WAY_];
} ll_engine_way_to_;

/* Private: adds a value to the way. Returns 0 if it is there with another
 * layout, or if there are too many. */
LL_FN int ll_engine_pass_(ll_engine_way_to_ *w, unsigned v,
                          const ll_engine_flat *f) {
    unsigned k = 0;
    while (k < w->n && w->value[k] != v) {
        ++k;
    }
    if (k == w->n && k < LL_ENGINE_WAY_) {
        w->value[k] = v;
        w->tile[k] = *f;
        ++w->n;
    }
    return k < w->n && ll_flat_is_equal_(&w->tile[k], f);
}

/* Private: follows tile `id` of value v back through transposes and around
 * loops. Returns 0 if not all of it comes from copies. */
LL_FN int ll_engine_brought_(const ll_engine *e, unsigned v, unsigned id,
                             ll_engine_way_to_ *w) {
    w->n = 0;
    int ok = id < e->flats && ll_engine_pass_(w, v, &e->flat[id]);
    for (unsigned k = 0; ok && k < w->n; ++k) {
        const ll_engine_op *o = &e->op[e->value[w->value[k]].def];
        ll_engine_flat f = w->tile[k];
        if (o->kind == LL_ENGINE_TRANS) {
            const ll_engine_link_ l = ll_engine_link_of_(e, o);
            ll_link_shrink_(&l, &w->tile[k], &f);
        }
        ok = o->kind == LL_ENGINE_TRANS || o->kind == LL_ENGINE_CARRY ||
             ll_engine_is_tile_(o->kind);
        for (unsigned i = 0; ok && i < o->n_in; ++i) {
            ok = ll_engine_pass_(w, e->operand[o->at + i], &f);
        }
    }
    return ok;
}

/* Private: returns the layout of a tile that copies bring and a dot can read as
 * its operand k; LL_ENGINE_NONE if there is none. */
LL_FN unsigned ll_engine_tile_there_(const ll_engine *e, const ll_engine_op *o,
                                     unsigned k) {
    ll_engine_way_to_ w = LL_ZERO;
    unsigned found = LL_ENGINE_NONE;
    for (unsigned t = 0; t < 2u; ++t) {
        int there = ll_engine_brought_(e, e->operand[o->at + k],
                                       o->place[k][t], &w);
        for (unsigned j = 0; there && j < w.n; ++j) {
            const ll_engine_op *copy = &e->op[e->value[w.value[j]].def];
            there = !ll_engine_is_tile_(copy->kind) ||
                    (copy->memory < e->flats &&
                     ll_flat_is_equal_(&e->flat[copy->memory], &w.tile[j]));
        }
        found = there ? o->place[k][t] : found;
    }
    return found;
}

/* Private: gives copies without memory= the layout in which a dot reads their
 * tile, if rows of the tensor are contiguous there. */
LL_FN void ll_engine_place_tile_(ll_engine *e, const ll_engine_op *o,
                                 unsigned k) {
    ll_engine_way_to_ w = LL_ZERO;
    for (unsigned t = 0; t < 2u && ll_engine_is_placed_(o, k); ++t) {
        const int all = ll_engine_brought_(e, e->operand[o->at + k],
                                           o->place[k][t], &w);
        for (unsigned j = 0; all && j < w.n; ++j) {
            const unsigned copy = e->value[w.value[j]].def;
            if (ll_engine_is_tile_(e->op[copy].kind) &&
                e->op[copy].memory == LL_ENGINE_NONE &&
                w.tile[j].basis[0] == 1u) {
                e->op[copy].memory = ll_engine_enter_(e, w.tile[j]);
            }
        }
    }
}

/* Private: returns whether no lane needs a value: each use reads its tile in
 * place, or passes it on to a value that is in place. */
LL_FN int ll_engine_all_in_place_(const ll_engine *e, unsigned v) {
    const ll_engine_value *a = &e->value[v];
    int all = 1;
    for (unsigned k = 0; k <= a->uses; ++k) {
        const unsigned op = k < a->uses ? e->use[a->use + k] : a->def;
        const ll_engine_op *o = &e->op[op];
        all = all && (ll_engine_is_dot_(o->kind) ||
                      o->kind == LL_ENGINE_TRANS ||
                      o->kind == LL_ENGINE_CARRY || k == a->uses);
        for (unsigned i = 0; all && i < o->n_in + o->n_out; ++i) {
            const unsigned u = e->operand[o->at + i];
            all = ll_engine_is_dot_(o->kind)
                      ? u != v || (i < 2u && o->in_place[i] != LL_ENGINE_NONE)
                      : i < o->n_in || e->value[u].in_place;
        }
    }
    return all;
}

/* Private: marks the values on the way to operand k of a dot as in place. An
 * unused value of a loop is in place if its other value is. */
LL_FN void ll_engine_mark_way_(ll_engine *e, const ll_engine_op *o,
                               unsigned k) {
    ll_engine_way_to_ w = LL_ZERO;
    ll_engine_brought_(e, e->operand[o->at + k], o->in_place[k], &w);
    for (unsigned j = 0; j < w.n && o->in_place[k] != LL_ENGINE_NONE; ++j) {
        const ll_engine_op *made = &e->op[e->value[w.value[j]].def];
        int fixed = 0;
        for (unsigned i = 0; i < made->n_in + made->n_out; ++i) {
            fixed = fixed || e->fixed[made->at + i] != LL_ENGINE_NONE;
        }
        for (unsigned i = 0; i < made->n_out && !fixed; ++i) {
            const unsigned v = e->operand[made->at + made->n_in + i];
            e->value[v].in_place |= v == w.value[j] || !e->value[v].uses;
        }
    }
}

/* Private: undoes the transposes that made v. Returns the value before them,
 * and changes *id from a layout of v's tile to one of that value's. */
LL_FN unsigned ll_engine_root_(ll_engine *e, unsigned v, unsigned *id) {
    const ll_engine_op *o = &e->op[e->value[v].def];
    for (; o->kind == LL_ENGINE_TRANS; o = &e->op[e->value[v].def]) {
        const ll_engine_link_ l = ll_engine_link_of_(e, o);
        *id = *id < e->flats ? ll_engine_across_(e, &l, *id, 1) : *id;
        v = e->operand[o->at];
    }
    return v;
}

/* Private: finds the operands that need no tile of their own, because one
 * before them always stores the same value. A dot's b comes before its a. */
LL_FN void ll_engine_share_tiles_(ll_engine *e) {
    for (unsigned x = 0; x < 2u * e->ops && !e->err; ++x) {
        ll_engine_op *o = &e->op[x / 2u];
        const unsigned k = !(x % 2u);
        if (ll_engine_is_placed_(o, k)) {
            unsigned m[2] = {o->place[k][0], o->place[k][1]};
            const unsigned u = e->operand[o->at + k];
            ll_engine_root_(e, u, &m[0]);
            unsigned *t = e->value[ll_engine_root_(e, u, &m[1])].tile;
            o->shares[k] = t[0] && (m[0] == t[1] ? m[1] == t[2]
                                    : m[0] == t[2] && m[1] == t[1]);
            if (!t[0] && o->place[k][2] == LL_ENGINE_NONE) {
                t[0] = (x ^ 1u) + 1u;
                t[1] = m[0];
                t[2] = m[1];
            }
        }
    }
}

/* Private: finds the tiles that dots read in place, and the values that no lane
 * has to hold. */
LL_FN void ll_engine_find_tiles_(ll_engine *e) {
    for (unsigned v = 0; v < e->values; ++v) {
        e->value[v].in_place = e->value[v].tile[0] = 0;
    }
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        ll_engine_op *o = &e->op[p];
        for (unsigned k = 0; k < 2u && ll_engine_is_dot_(o->kind); ++k) {
            ll_engine_place_tile_(e, o, k);
            o->in_place[k] = e->fixed[o->at + k] != LL_ENGINE_NONE
                                 ? LL_ENGINE_NONE
                                 : ll_engine_tile_there_(e, o, k);
            ll_engine_mark_way_(e, o, k);
        }
    }
    for (unsigned change = 1; change && !e->err;) {
        change = 0;
        for (unsigned v = 0; v < e->values; ++v) {
            if (e->value[v].in_place && !ll_engine_all_in_place_(e, v)) {
                e->value[v].in_place = 0;
                change = 1;
            }
        }
    }
    ll_engine_share_tiles_(e);
}

/* Private: finds free values: constants are available in any layout, and so are
 * results of operations without cost, such as shape operations, on free values.
 * Also finds light operations. */
LL_FN void ll_engine_find_free_(ll_engine *e) {
    for (unsigned p = 0; p < e->ops; ++p) {
        const ll_engine_op *o = &e->op[p];
        int all = o->kind == LL_ENGINE_CONSTANT ||
                  (o->n_in && o->n_out && !o->cost &&
                   (o->kind == LL_ENGINE_MAP || ll_engine_is_shape_(o->kind)));
        for (unsigned k = 0; k < o->n_in; ++k) {
            all = all && e->value[e->operand[o->at + k]].is_free;
        }
        for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
            all = all && e->fixed[o->at + k] == LL_ENGINE_NONE;
        }
        int light = o->n_in && o->n_out && o->cost <= 8u &&
                    (o->kind == LL_ENGINE_MAP || ll_engine_is_shape_(o->kind));
        for (unsigned k = 0; k < o->n_in; ++k) {
            const ll_engine_value *v = &e->value[e->operand[o->at + k]];
            light = light && (v->is_free || e->op[v->def].is_light);
        }
        e->op[p].is_light = (unsigned)light;
        for (unsigned k = 0; k < o->n_out; ++k) {
            ll_engine_value *r = &e->value[e->operand[o->at + o->n_in + k]];
            r->is_free = (unsigned)all | r->in_place;
        }
    }
}

#endif /* LL_ENGINE */

#endif
