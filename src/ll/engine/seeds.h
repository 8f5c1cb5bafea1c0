/* ---- Engine: the first candidates ------------------------------------- */
#ifndef LL_ENGINE_SEEDS_H
#define LL_ENGINE_SEEDS_H

#include "candidates.h"

#ifdef LL_ENGINE

/* Private: returns the row-major layout of a value in which each lane holds
 * 2^wide neighbours along `axis`, and lanes lie side by side along it first.
 * The axis first takes `bits` bits: beyond its size there are copies, and what
 * is left of it comes last. */
LL_FN ll_engine_flat ll_engine_rows_of_(const ll_engine *e,
                                        const ll_engine_value *v, unsigned axis,
                                        unsigned wide, unsigned bits) {
    ll_engine_flat f = LL_ZERO;
    unsigned order[LL_MAX_BITS] = LL_ZERO;
    unsigned n = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < v->rank; ++k) {
        const unsigned a = k == 0               ? axis
                           : v->rank - k > axis ? v->rank - k
                                                : v->rank - k - 1u;
        for (unsigned b = 0; b < (k ? v->size[a] : bits); ++b) {
            order[n] = b < v->size[a] ? 1u << (ll_engine_low_(v, a) + b) : 0u;
            ++n;
        }
    }
    for (unsigned b = bits; b < v->size[axis]; ++b) {
        order[n] = 1u << (ll_engine_low_(v, axis) + b);
        ++n;
    }
    const unsigned threads = e->counts[1] + e->counts[2] + e->counts[3];
    wide = wide < n ? wide : n;
    f.n[0] = (unsigned char)(n > threads + wide ? n - threads : wide);
    for (unsigned d = 1; d < 4u; ++d) {
        f.n[d] = (unsigned char)e->counts[d];
    }
    for (unsigned k = 0; k < f.n[0] + threads; ++k) {
        const unsigned from = k < wide     ? k
                              : k < f.n[0] ? k + threads
                                           : k - f.n[0] + wide;
        f.basis[at] = from < n ? order[from] : 0u;
        ++at;
    }
    return f;
}

LL_FN ll_engine_flat ll_engine_rows_(const ll_engine *e,
                                     const ll_engine_value *v, unsigned axis,
                                     unsigned wide) {
    return ll_engine_rows_of_(e, v, axis, wide, v->size[axis]);
}

/* Private: offers both sides of a gather the layouts in which a warp holds
 * whole lines of its axis, so that no element comes from another warp. */
LL_FN void ll_engine_gather_lines_(ll_engine *e, ll_engine_queue_ *q,
                                   const ll_engine_op *o) {
    const ll_engine_value a = e->value[e->operand[o->at]];
    const unsigned bits = a.size[o->axis];
    const unsigned lanes = e->counts[1];
    const unsigned wide = bits > lanes ? bits - lanes : 0u;
    for (unsigned k = 0; k < 3u && bits + 10u < LL_MAX_BITS; ++k) {
        const unsigned v = e->operand[o->at + k];
        const ll_engine_value b = e->value[v];
        ll_engine_offer_(
            e, q, v,
            ll_engine_enter_(
                e, ll_engine_rows_of_(e, &b, o->axis, wide, bits)),
            0);
    }
}

/* Private: offers a value the layouts in which lanes lie along one of its axes,
 * for each axis, with one element or 16 bytes per lane. */
LL_FN void ll_engine_offer_rows_(ll_engine *e, ll_engine_queue_ *q,
                                 unsigned v) {
    const ll_engine_value a = e->value[v];
    const unsigned bytes = (a.element_bits + 7u) / 8u;
    unsigned wide = 0;
    while ((bytes << wide) < 16u) {
        ++wide;
    }
    for (unsigned k = a.rank; k-- > 0 && !e->err;) {
        for (unsigned w = 0; w <= wide; w += wide ? wide : 1u) {
            ll_engine_offer_(
                e, q, v, ll_engine_enter_(e, ll_engine_rows_(e, &a, k, w)), 0);
        }
    }
}

/* Private: offers the result of a reorder, which may come in any order, the
 * layouts in which each lane holds whole lines of an axis. */
LL_FN void ll_engine_lines_(ll_engine *e, ll_engine_queue_ *q,
                            const ll_engine_op *o) {
    const unsigned v = e->operand[o->at + 1u];
    const ll_engine_value a = e->value[v];
    for (unsigned k = 0; k < a.rank && !e->err; ++k) {
        ll_engine_offer_(
            e, q, v, ll_engine_enter_(e, ll_engine_rows_(e, &a, k, a.size[k])),
            0);
    }
}

/* Private: offers the layouts that are fixed for operation p. Fails if it lacks
 * something that the caller must give. */
LL_FN void ll_engine_seed_op_(ll_engine *e, ll_engine_queue_ *q, unsigned p) {
    const ll_engine_op *o = &e->op[p];
    const int dot = o->kind == LL_ENGINE_DOT;
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned id = e->fixed[o->at + k];
        if ((ll_engine_is_given_(o->kind) || dot) && id == LL_ENGINE_NONE &&
            !ll_engine_is_placed_(o, k) && (!e->value[v].is_free || dot)) {
            ll_engine_fail_(e, LL_ENGINE_EFIXED, p);
        }
        ll_engine_offer_(e, q, v, id, 1);
        if (ll_engine_is_placed_(o, k)) {
            ll_engine_offer_(e, q, v, o->place[k][2], 1);
        }
    }
    if (ll_engine_is_tile_(o->kind) && o->memory == LL_ENGINE_NONE) {
        ll_engine_fail_(e, LL_ENGINE_EMEMORY, p);
    }
    if (o->kind == LL_ENGINE_SORT && !e->sort) {
        ll_engine_fail_(e, LL_ENGINE_ESORT, p);
    }
}

/* Private: offers the first candidates: fixed layouts, hints, and coalesced
 * ones. */
LL_FN void ll_engine_seed_(ll_engine *e, ll_engine_queue_ *q) {
    for (unsigned p = 0; p < e->ops; ++p) {
        e->anchor = 4u * p + LL_ENGINE_BY_CALLER_;
        ll_engine_seed_op_(e, q, p);
    }
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        if (ll_engine_is_ordered_(&e->op[p])) {
            e->anchor = 4u * p + LL_ENGINE_BY_ORDER_;
            ll_engine_shuffle_(e, q, &e->op[p]);
        }
    }
    e->anchor = LL_ENGINE_BY_NONE_;
    for (unsigned k = 0; k < e->hints; k += 2u) {
        ll_engine_offer_(e, q, e->hint[k], e->hint[k + 1u], 0);
    }
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        const ll_engine_op *o = &e->op[p];
        int any = 0;
        e->anchor = 4u * p + LL_ENGINE_BY_ACCESS_;
        for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
            any = any || e->fixed[o->at + k] != LL_ENGINE_NONE;
        }
        if (!any && (o->kind == LL_ENGINE_LOAD || o->kind == LL_ENGINE_STORE ||
                     o->kind == LL_ENGINE_ATOMIC ||
                     ll_engine_is_tile_(o->kind))) {
            ll_engine_offer_rows_(
                e, q, e->operand[o->at + (o->n_in > 1u ? 1u : 0u)]);
        }
        if (o->kind == LL_ENGINE_REORDER) {
            ll_engine_lines_(e, q, o);
        }
        if (o->kind == LL_ENGINE_GATHER) {
            ll_engine_gather_lines_(e, q, o);
        }
    }
}

/* Private: returns whether an unpack of a constant has no candidate yet with
 * the pairs in the first register. */
LL_FN int ll_engine_lacks_pairs_(const ll_engine *e, const ll_engine_op *o) {
    const ll_engine_value *a = &e->value[e->operand[o->at + o->n_in]];
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    ll_engine_flat g = LL_ZERO;
    int lacks = e->value[e->operand[o->at]].is_free != 0;
    for (unsigned k = 0; k < a->n && lacks; ++k) {
        lacks = !ll_link_shrink_(&l, &e->flat[e->candidate[a->first + k]], &g);
    }
    return lacks;
}

/* Private: returns whether a source has only layouts that came from rows or
 * columns, which give lanes more elements than they need to have. */
LL_FN int ll_engine_is_crowded_(const ll_engine *e, const ll_engine_queue_ *q,
                                unsigned v) {
    const ll_engine_value *a = &e->value[v];
    const ll_engine_op *o = &e->op[a->def];
    const unsigned threads = e->counts[1] + e->counts[2] + e->counts[3];
    int all = a->n && o->kind == LL_ENGINE_SOURCE;
    for (unsigned k = 0; all && k < a->n; ++k) {
        all = e->flat[e->candidate[a->first + k]].n[0] + threads > a->bits;
    }
    for (unsigned k = 0; all && k < q->tiles; k += 2u) {
        all = q->item[k] != v;
    }
    return all;
}

/* Private: gives a value that nothing has reached a row-major layout, and the
 * result of an unpack of a constant a layout with pairs in a register. Offers
 * rows to a source that has crowded layouts alone. */
LL_FN void ll_engine_default_(ll_engine *e, ll_engine_queue_ *q) {
    e->anchor = LL_ENGINE_BY_NONE_;
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        const ll_engine_value a = e->value[v];
        const ll_engine_op *o = &e->op[a.def];
        const int pairs =
            o->kind == LL_ENGINE_UNPACK && ll_engine_lacks_pairs_(e, o);
        const unsigned axis = pairs ? o->axis : a.rank ? a.rank - 1u : 0u;
        if (!a.is_free && (a.n == 0 || pairs) && q->done == q->n) {
            ll_engine_offer_(
                e, q, v,
                ll_engine_enter_(
                    e, ll_engine_rows_(e, &a, axis, pairs ? 1u : 0u)),
                1);
        }
        if (!a.is_free && q->done == q->n && ll_engine_is_crowded_(e, q, v)) {
            ll_engine_offer_rows_(e, q, v);
        }
    }
}

/* Private: returns whether all operands and results of an operation have the
 * layouts of a list among their candidates. */
LL_FN int ll_engine_has_(const ll_engine *e, const ll_engine_op *o,
                         const unsigned *tuple) {
    int all = 1;
    for (unsigned k = 0; all && k < o->n_in + o->n_out; ++k) {
        const unsigned v = e->operand[o->at + k];
        all = e->value[v].is_free ||
              ll_engine_at_(e, v, tuple[k]) != LL_ENGINE_NONE;
    }
    return all;
}

/* Private: if values had too many candidates to take others, the operands of an
 * operation may have none in common. They then take one more. */
LL_FN void ll_engine_join_up_(ll_engine *e, ll_engine_queue_ *q,
                              unsigned *tuple) {
    for (unsigned p = 0; p < e->ops && !e->err && q->done == q->n; ++p) {
        const ll_engine_op *o = &e->op[p];
        unsigned slot = LL_ENGINE_NONE;
        unsigned id = LL_ENGINE_NONE;
        int some = !ll_engine_is_tied_(o);
        for (unsigned s = 0; s < o->n_in + o->n_out && !some; ++s) {
            const ll_engine_value a = e->value[e->operand[o->at + s]];
            for (unsigned k = 0; k < a.n && !some; ++k) {
                const unsigned c = e->candidate[a.first + k];
                if (ll_engine_tuple_(e, o, s, c, tuple)) {
                    some = ll_engine_has_(e, o, tuple);
                    slot = s;
                    id = c;
                }
            }
        }
        if (!some && slot != LL_ENGINE_NONE &&
            ll_engine_tuple_(e, o, slot, id, tuple)) {
            for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                ll_engine_offer_(e, q, e->operand[o->at + k], tuple[k], 1);
            }
        }
    }
}

/* Private: returns the largest number of operands and results of an
 * operation. */
LL_FN unsigned ll_engine_widest_op_(const ll_engine *e) {
    unsigned most = 1;
    for (unsigned p = 0; p < e->ops; ++p) {
        const unsigned n = e->op[p].n_in + e->op[p].n_out;
        most = n > most ? n : most;
    }
    return most;
}

/* Private: follows item `at` of the queue through the operations that make and
 * use its value. */
LL_FN void ll_engine_follow_all_(ll_engine *e, ll_engine_queue_ *q, unsigned at,
                                 int grow, unsigned *tuple) {
    const unsigned v = q->item[at];
    const unsigned id = q->item[at + 1u];
    e->anchor = ll_engine_origin_(e, v, id);
    ll_engine_follow_(e, q, e->value[v].def, v, id, grow, tuple);
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        ll_engine_follow_(e, q, e->use[e->value[v].use + k], v, id, grow,
                          tuple);
    }
}

/* Private: carries the candidates through the graph until nothing is new. A
 * value has room for few. So layouts of tiles reach their rows and columns
 * first. Then layouts of rows and columns reach tiles, with all new elements in
 * one lane, and both take turns. */
LL_FN void ll_engine_spread_(ll_engine *e) {
    ll_engine_queue_ q = LL_ZERO;
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    e->candidate =
        ll_engine_take_word_(e, (unsigned long long)e->values * LL_ENGINE_MOST);
    if (!e->pool) {
        e->origin = ll_engine_take_word_(
            e, (unsigned long long)e->values * LL_ENGINE_MOST);
    }
    for (unsigned v = 0; v < e->values; ++v) {
        e->value[v].first = v * LL_ENGINE_MOST;
        e->value[v].n = 0;
    }
    if (e->err) {
        return;
    }
    ll_engine_seed_(e, &q);
    do {
        while ((q.done < q.n || q.grown < q.n) && !e->err) {
            const int grow = q.done == q.n || (q.grown && q.grown < q.done);
            unsigned *next = grow ? &q.grown : &q.done;
            q.tiles = grow && !q.grown ? q.n : q.tiles;
            ll_engine_follow_all_(e, &q, *next, grow, tuple);
            *next += 2u;
        }
        ll_engine_default_(e, &q);
        if (e->dropped[0] && q.done == q.n) {
            ll_engine_join_up_(e, &q, tuple);
        }
    } while (q.done < q.n && !e->err);
}

#endif /* LL_ENGINE */

#endif
