/* ---- Engine: instances ------------------------------------------------ */
#ifndef LL_ENGINE_INSTANCES_H
#define LL_ENGINE_INSTANCES_H

#include "seeds.h"

/* All operations and conversions have prices in one unit: eighths of a cycle
 * per warp, with many warps in flight, as the planner counts them. A
 * conversion, a reduction, a scan, a sort or a gather costs what its plan
 * costs. Arithmetic costs its instructions for each register of a lane, so
 * copies in other lanes cost more registers. An access to global memory costs
 * its instructions and the memory that they touch: lines of 128 bytes,
 * half-lines, and sectors of 32 bytes. Every price is multiplied by the trips
 * of the loops around it. */
#ifdef LL_ENGINE

/* Private: adds an instance, unless it is known or an operand lacks its
 * candidate. An instance holds indices of candidates. */
LL_FN void ll_engine_instance_(ll_engine *e, ll_engine_op *o,
                               const unsigned *tuple) {
    const unsigned n = o->n_in + o->n_out;
    e->instance = ll_engine_room_word_(e, e->instance, e->instance_words + n,
                                       &e->cap_instance);
    if (e->err) {
        return;
    }
    unsigned *to = e->instance + e->instance_words;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned v = e->operand[o->at + k];
        const int held = !e->value[v].is_free &&
                         (k >= 2u || o->in_place[k] == LL_ENGINE_NONE);
        to[k] = held ? ll_engine_at_(e, v, tuple[k]) : LL_ENGINE_NONE;
        if (held && to[k] == LL_ENGINE_NONE) {
            ++e->dropped[2];
            return;
        }
    }
    for (unsigned t = 0; t < o->n; ++t) {
        unsigned same = 0;
        while (same < n && e->instance[o->first + t * n + same] == to[same]) {
            ++same;
        }
        if (same == n) {
            return;
        }
    }
    ++o->n;
    e->instance_words += n;
}

/* Private: returns whether two layouts have equally many registers, and copies
 * in the same lanes, warps and blocks. Then one can hold the elements of the
 * other in some order. */
LL_FN int ll_engine_is_reorder_(const ll_engine *e, unsigned a, unsigned b) {
    const ll_engine_flat *f = &e->flat[a];
    const ll_engine_flat *g = &e->flat[b];
    int same = f->n[0] == g->n[0];
    for (unsigned k = f->n[0]; same && k < ll_flat_total_(f); ++k) {
        same = !f->basis[k] == !g->basis[k];
    }
    return same;
}

/* Private: lists the instances of an operation in which the first operand may
 * have a different layout; all others have the same one. */
LL_FN void ll_engine_pairs_(ll_engine *e, ll_engine_op *o, unsigned *tuple) {
    const unsigned last = o->n_in + o->n_out - 1u;
    const ll_engine_value a = e->value[e->operand[o->at]];
    const ll_engine_value b = e->value[e->operand[o->at + last]];
    for (unsigned k = 0; k < (a.is_free ? 1u : a.n) * b.n; ++k) {
        tuple[1] = tuple[last] = e->candidate[b.first + k % b.n];
        tuple[0] = a.is_free ? tuple[1] : e->candidate[a.first + k / b.n];
        int ok = o->kind == LL_ENGINE_GATHER ||
                 ll_engine_is_reorder_(e, tuple[0], tuple[1]);
        for (unsigned s = 0; s <= last; ++s) {
            ok = ok && (e->fixed[o->at + s] == LL_ENGINE_NONE ||
                        e->fixed[o->at + s] == tuple[s]);
        }
        if (ok) {
            ll_engine_instance_(e, o, tuple);
        }
    }
}

/* Private: lists the instances of a dot: the orders of k that a may have, or b
 * if a is free. The other operands have their fixed layouts. */
LL_FN void ll_engine_list_orders_(ll_engine *e, ll_engine_op *o,
                                  unsigned *tuple) {
    const unsigned side = e->value[e->operand[o->at]].is_free ? 1u : 0u;
    const ll_engine_value a = e->value[e->operand[o->at + side]];
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        tuple[k] = e->fixed[o->at + k];
    }
    if (a.is_free) {
        ll_engine_instance_(e, o, tuple);
    }
    for (unsigned k = 0; k < a.n && !a.is_free && !e->err; ++k) {
        ll_engine_turn_ t = LL_ZERO;
        tuple[side] = e->candidate[a.first + k];
        if (ll_engine_turn_of_(e, o, side, tuple[side], &t)) {
            tuple[!side] = ll_engine_turned_(e, o, !side, &t);
            ll_engine_instance_(e, o, tuple);
        }
    }
}

/* Private: returns the n-th layout that operand k of a dot may have. A tile in
 * place, a constant and an operand that the caller fixed have one layout;
 * otherwise it is each candidate. LL_ENGINE_NONE: there are no more. */
LL_FN unsigned ll_engine_choice_(const ll_engine *e, const ll_engine_op *o,
                                 unsigned k, unsigned n) {
    const ll_engine_value *v = &e->value[e->operand[o->at + k]];
    unsigned one = o->in_place[k];
    one = one == LL_ENGINE_NONE ? e->fixed[o->at + k] : one;
    for (unsigned t = 3; t-- > 0 && v->is_free;) {
        one = one == LL_ENGINE_NONE ? o->place[k][t] : one;
    }
    return one != LL_ENGINE_NONE ? (n ? LL_ENGINE_NONE : one)
           : n < v->n            ? e->candidate[v->first + n]
                                 : LL_ENGINE_NONE;
}

/* Private: lists the instances of a dot that may read operands in shared
 * memory. */
LL_FN void ll_engine_list_places_(ll_engine *e, ll_engine_op *o,
                                  unsigned *tuple) {
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        tuple[k] = e->fixed[o->at + k];
    }
    for (unsigned a = 0; !e->err; ++a) {
        tuple[0] = ll_engine_choice_(e, o, 0, a);
        if (tuple[0] == LL_ENGINE_NONE) {
            break;
        }
        for (unsigned b = 0; !e->err; ++b) {
            tuple[1] = ll_engine_choice_(e, o, 1, b);
            if (tuple[1] == LL_ENGINE_NONE) {
                break;
            }
            ll_engine_instance_(e, o, tuple);
        }
    }
}

/* Private: returns whether an operation only stores, in whatever layout is
 * best. A sink does not: a sink of constants costs nothing. */
LL_FN int ll_engine_is_end_(const ll_engine_op *o) {
    return o->n_in && !o->n_out && ll_engine_is_tied_(o) &&
           o->kind != LL_ENGINE_SINK;
}

/* Private: returns why an operation has no instance: a limit of registers, or
 * no layout satisfies its rule and the fixed layouts. */
LL_FN unsigned ll_engine_unfit_(const ll_engine *e, const ll_engine_op *o) {
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    const unsigned more = ll_popcount_(ll_link_gone_(&l));
    unsigned wide = 0;
    for (unsigned s = 0; s < o->n_in + o->n_out && ll_engine_is_tied_(o); ++s) {
        const ll_engine_value *v = &e->value[e->operand[o->at + s]];
        const unsigned grows = ll_engine_is_big_(o, &l, s) ? 0u : more;
        for (unsigned k = 0; k < v->n; ++k) {
            const ll_engine_flat *f = &e->flat[e->candidate[v->first + k]];
            wide |= f->n[0] + grows > LL_ENGINE_WIDEST_;
        }
    }
    return wide            ? (unsigned)LL_ENGINE_EWIDE
           : e->dropped[1] ? (unsigned)LL_ENGINE_EREGISTERS
                           : (unsigned)LL_ENGINE_EFIT;
}

/* Private: lists the instances of one operation. */
LL_FN void ll_engine_list_instances_(ll_engine *e, unsigned p,
                                     unsigned *tuple) {
    ll_engine_op *o = &e->op[p];
    o->first = e->instance_words;
    o->n = 0;
    const unsigned n = o->n_in + o->n_out;
    if (ll_engine_is_ordered_(o)) {
        ll_engine_list_orders_(e, o, tuple);
    } else if (o->kind == LL_ENGINE_DOT || ll_engine_is_placed_(o, 0) ||
               ll_engine_is_placed_(o, 1)) {
        ll_engine_list_places_(e, o, tuple);
    } else if (ll_engine_is_given_(o->kind)) {
        for (unsigned k = 0; k < n; ++k) {
            tuple[k] = e->fixed[o->at + k];
        }
        ll_engine_instance_(e, o, tuple);
    }
    for (unsigned slot = 0; slot < n && ll_engine_is_tied_(o); ++slot) {
        const ll_engine_value a = e->value[e->operand[o->at + slot]];
        for (unsigned k = 0; k < a.n && !e->err; ++k) {
            if (ll_engine_tuple_(e, o, slot, e->candidate[a.first + k],
                                 tuple)) {
                ll_engine_instance_(e, o, tuple);
            }
        }
    }
    if (o->kind == LL_ENGINE_GATHER || o->kind == LL_ENGINE_REORDER) {
        ll_engine_pairs_(e, o, tuple);
    }
    int free = 1;
    for (unsigned k = 0; k < n; ++k) {
        free = free && e->value[e->operand[o->at + k]].is_free;
    }
    if (o->n == 0 && !free && o->kind != LL_ENGINE_CONSTANT) {
        ll_engine_fail_(e, ll_engine_unfit_(e, o), p);
    } else if (o->n == 0 && free && ll_engine_is_end_(o)) {
        ll_engine_instance_(e, o, tuple); /* of constants alone */
    }
}

/* Private: finds the candidates of all values and the instances of all
 * operations. */
LL_FN void ll_engine_candidates_(ll_engine *e) {
    e->most = e->most ? e->most : 8u;
    e->most = e->most < LL_ENGINE_MOST ? e->most : LL_ENGINE_MOST;
    ll_engine_list_uses_(e);
    ll_engine_find_tiles_(e);
    ll_engine_find_free_(e);
    ll_engine_spread_(e);
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        ll_engine_list_instances_(e, p, tuple);
    }
}

#endif /* LL_ENGINE */

#endif
