/* ---- Engine: the result ----------------------------------------------- */
#ifndef LL_ENGINE_RESULT_H
#define LL_ENGINE_RESULT_H

#include "solve.h"

/* The result is a label for each unknown. It says in which layouts each
 * operation is executed, and which conversions remain. It comes with a
 * certificate: the labels that were dropped, the order of elimination, and the
 * table of each step. ll_engine_check trusts none of it. It sets up the costs
 * again, repeats each comparison and each row of each table, tests every layout
 * with the public functions on shapes, and adds up the costs. */
#ifdef LL_ENGINE

/* Private: returns the label that was chosen for an operation. */
LL_FN unsigned ll_engine_chosen_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned op) {
    (void)e;
    const ll_engine_var_ *x = &s->var[s->op_var[op]];
    return s->label[x->first + x->label];
}

/* Private: returns the candidates in which value v is made. ll_engine_needed_
 * returns the candidates in which it is needed. v is not free, so its
 * operations have unknowns. */
LL_FN unsigned ll_engine_made_(const ll_engine *e, const ll_engine_solution_ *s,
                               unsigned v) {
    const unsigned def = e->value[v].def;
    return ll_engine_makes_(e, def, v, ll_engine_chosen_(e, s, def));
}

LL_FN unsigned ll_engine_needed_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned v) {
    if (s->value_var[v] != LL_ENGINE_NONE) {
        const ll_engine_var_ *x = &s->var[s->value_var[v]];
        return s->label[x->first + x->label];
    }
    const unsigned op = e->use[e->value[v].use]; /* the only one, if any */
    return e->value[v].uses
               ? ll_engine_needs_(e, op, v, ll_engine_chosen_(e, s, op))
               : 0u;
}

/* Private: lists the conversions of value v. */
LL_FN void ll_engine_list_moves_(ll_engine *e, ll_engine_solution_ *s,
                                 unsigned v) {
    unsigned held = ll_engine_made_(e, s, v);
    const unsigned need = ll_engine_needed_(e, s, v);
    ll_engine_order_ order = LL_ZERO;
    const ll_engine_costs_ costs = ll_engine_costs_of_(e, v);
    if (e->err) {
        return;
    }
    ll_engine_spread_cost_(&costs, held, need, &order);
    for (unsigned k = 0; k < order.n && !e->err; ++k) {
        const ll_engine_value a = e->value[v];
        const unsigned to = order.at[k];
        unsigned from = 0;
        s->move = ll_engine_room_move_(e, s->move, s->moves + 1u, &s->cap_move);
        const unsigned long long cost =
            ll_engine_nearest_(&costs, held, to, &from);
        if (e->err) {
            return;
        }
        ll_engine_move *m = &s->move[s->moves];
        m->value = v;
        m->from = e->candidate[a.first + from];
        m->to = e->candidate[a.first + to];
        m->weight = a.weight;
        m->cost = cost;
        m->kind =
            ll_engine_convert_(e, m->from, m->to, a.bits, a.element_bits)->kind;
        held |= 1u << to;
        ++s->moves;
    }
}

/* Private: returns the last operation that value v depends on. The value after
 * a loop or a merge also depends on the operation that makes the yielded value.
 * LL_ENGINE_NONE: it depends on itself. */
LL_FN unsigned ll_engine_maker_(const ll_engine *e, unsigned v) {
    unsigned last = 0;
    for (unsigned k = 0; k < e->ops; ++k) {
        const unsigned def = e->value[v].def;
        const ll_engine_op *o = &e->op[def];
        last = def > last ? def : last;
        if (o->kind != LL_ENGINE_CARRY ||
            e->operand[o->at + o->n_in + 1u] != v) {
            return last;
        }
        v = e->operand[o->at + 1u];
    }
    return LL_ENGINE_NONE;
}

/* Private: fails if an operation uses a value that is made after it, such as
 * the value after a loop before the operation that yields it. What a loop or a
 * branch yields may come later, but not depend on itself. */
LL_FN void ll_engine_no_cycles_(ll_engine *e) {
    for (unsigned p = 0; p < e->ops; ++p) {
        const ll_engine_op *o = &e->op[p];
        for (unsigned k = 0; k < o->n_in && !e->err; ++k) {
            const int later = o->kind == LL_ENGINE_CARRY && k == 1u;
            const unsigned last = ll_engine_maker_(e, e->operand[o->at + k]);
            if (later ? last == LL_ENGINE_NONE : last >= p) {
                ll_engine_fail_(e, LL_ENGINE_EVALUE, p);
            }
        }
    }
}

/* Private: finds the candidates, and the costs of the operations. */
LL_FN void ll_engine_prepare_(ll_engine *e) {
    const unsigned long long room = e->bytes / 16u;
    e->table = e->table             ? e->table
               : room < 1ull << 20 ? 1ull << 20
               : room > 1ull << 22 ? 1ull << 22
                                   : room;
    e->nodes = e->nodes ? e->nodes : 100000u;
    e->sets = e->sets ? e->sets : 3u;
    e->dropped[0] = e->dropped[1] = e->dropped[2] = 0;
    e->instance_words = e->cap_instance = 0; /* an older result keeps its own */
    if (!e->err && e->depth) {
        ll_engine_fail_(e, LL_ENGINE_ELOOP, LL_ENGINE_NONE);
    }
    ll_engine_no_cycles_(e);
    ll_engine_candidates_(e);
    ll_engine_prices_(e);
}

/* Private: returns the number of entries of a function's table. */
LL_FN unsigned long long ll_engine_entries_(const ll_engine_solution_ *s,
                                            const ll_engine_fn_ *f) {
    unsigned long long size = 1;
    for (unsigned k = 0; k < f->n; ++k) {
        size *= s->var[s->scope[f->at + k]].n;
    }
    return size;
}

/* Private: returns the operation at which every assignment is ruled out: the
 * one of the first function or message with no other entries. */
LL_FN unsigned ll_engine_stuck_(const ll_engine *e,
                                const ll_engine_solution_ *s) {
    for (unsigned k = 0; k < s->fns; ++k) {
        const ll_engine_fn_ *f = &s->fn[k];
        const unsigned long long n = ll_engine_entries_(s, f);
        unsigned long long t = 0;
        while (t < n && f->table[t] >= LL_ENGINE_MANY_) {
            ++t;
        }
        if (t == n) {
            const ll_engine_var_ *x =
                &s->var[k < s->first_message ? s->scope[f->at + f->n - 1u]
                                             : f->from];
            return x->is_value ? e->value[x->of].def : x->of;
        }
    }
    return LL_ENGINE_NONE;
}

/* Private: chooses among the candidates. Their prices are known. */
LL_FN int ll_engine_choose_(ll_engine *e) {
    ll_engine_solution_ *s = ll_engine_take_found_(e, 1);
    if (e->err) {
        return 0;
    }
    e->found = s;
    ll_engine_set_up_(e, s);
    if (!e->pool) { /* a constant has few labels and few steps */
        ll_engine_drop_all_(e, s);
    }
    ll_engine_eliminate_all_(e, s);
    if (!e->err && s->bound >= LL_ENGINE_MANY_) {
        ll_engine_fail_(e, e->scratch ? LL_ENGINE_ESCRATCH : LL_ENGINE_ENOTHING,
                        ll_engine_stuck_(e, s));
    }
    ll_engine_search_(e, s);
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        if (!e->value[v].is_free) {
            ll_engine_list_moves_(e, s, v);
        }
    }
    return !e->err;
}

/* ll_engine_solve(e): chooses layouts. Returns 1, or 0 with an error: an error
 * of the graph, LL_ENGINE_EVALUE (the operation uses a value that is made after
 * it or from it), LL_ENGINE_EFIXED, LL_ENGINE_EFIT (e->wrong is the operation),
 * LL_ENGINE_EWIDE, LL_ENGINE_EREGISTERS, LL_ENGINE_ESCRATCH,
 * LL_ENGINE_ENOTHING, LL_ENGINE_EARENA. Limits are members of e: registers and
 * scratch limit the result; most, sets, table and nodes limit the work. A graph
 * may be solved again after more layouts were fixed. */
LL_FN int ll_engine_solve(ll_engine *e) {
    if (!e->err) {
        ll_engine_prepare_(e);
    }
    return !e->err && ll_engine_choose_(e);
}

/* ll_engine_cost(e): returns the cost of the chosen layouts, in eighths of a
 * cycle. ll_engine_bound(e): returns a lower bound on the cost of every choice.
 * ll_engine_optimal(e): returns 1 if no choice is cheaper, by the bound or by a
 * complete search. All return 0 before ll_engine_solve. */
LL_FN unsigned long long ll_engine_cost(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err ? ll_engine_found_(e)->cost : 0u;
}

LL_FN unsigned long long ll_engine_bound(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err ? ll_engine_found_(e)->bound : 0u;
}

LL_FN int ll_engine_optimal(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err && ll_engine_found_(e)->optimal;
}

/* ll_engine_held(e, v, k): returns the number of the k-th layout in which value
 * v is made; LL_ENGINE_NONE if there are no more, or if v is a constant, which
 * is available in every layout. */
LL_FN unsigned ll_engine_held(const ll_engine *e, unsigned v, unsigned k) {
    const unsigned made =
        !e->found || e->err || v >= e->values || e->value[v].is_free
            ? 0u
            : ll_engine_made_(e, ll_engine_found_(e), v);
    for (unsigned c = 0; c < LL_ENGINE_MOST; ++c) {
        if (made >> c & 1u && k-- == 0) {
            return e->candidate[e->value[v].first + c];
        }
    }
    return LL_ENGINE_NONE;
}

/* ll_engine_moves(e): returns the number of conversions that remain.
 * ll_engine_move_at(e, k): returns one of them. */
LL_FN unsigned ll_engine_moves(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err ? ll_engine_found_(e)->moves : 0u;
}

LL_FN ll_engine_move ll_engine_move_at(const ll_engine *e, unsigned k) {
    const ll_engine_move none = LL_ZERO;
    return k < ll_engine_moves(e) ? ll_engine_found_(e)->move[k] : none;
}

#endif /* LL_ENGINE */

#endif
