/* ---- Engine: the proof of a result ------------------------------------ */
#ifndef LL_ENGINE_PROOF_H
#define LL_ENGINE_PROOF_H

#include "result.h"

#ifdef LL_ENGINE

/* Private: returns whether two layouts are equal, apart from redundant
 * registers. */
LL_FN int ll_engine_same_(ll_layout a, ll_layout b) {
    const ll_layout p =
        ll_drop_registers_(a, ll_unpack(a.in, LL_REGISTER, ll_free_bits(a)));
    const ll_layout q =
        ll_drop_registers_(b, ll_unpack(b.in, LL_REGISTER, ll_free_bits(b)));
    return !a.err && !b.err && ll_is_equal(p, q);
}

/* Private: returns the layout of an operation's result, computed by the public
 * functions from layout a of its operand. */
LL_FN ll_layout ll_engine_forward_(const ll_engine *e, const ll_engine_op *o,
                                   ll_layout a) {
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const ll_engine_value *out = &e->value[e->operand[o->at + o->n_in]];
    char list[2u * LL_MAX_DIMS] = LL_ZERO;
    switch (o->kind) {
    case LL_ENGINE_TRANS:
        for (unsigned k = 0; k < in->rank; ++k) {
            list[2u * k] = (char)('i' + o->order[k]);
            list[2u * k + 1u] = k + 1u < in->rank ? ' ' : '\0';
        }
        return ll_trans(a, list);
    case LL_ENGINE_RESHAPE:
        return ll_reshape_out(a, ll_engine_shape_(out));
    case LL_ENGINE_EXPAND:
        return ll_unsqueeze(a, ll_axis(o->axis));
    case LL_ENGINE_REDUCE:
        return ll_reduce(a, ll_axis(o->axis));
    case LL_ENGINE_SPLIT:
        return ll_split(a);
    default:
        return a;
    }
}

/* Private: returns the operand's layout, computed from layout b of the
 * result. */
LL_FN ll_layout ll_engine_backward_(const ll_engine *e, const ll_engine_op *o,
                                    ll_layout b) {
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const ll_engine_value *out = &e->value[e->operand[o->at + o->n_in]];
    for (unsigned k = 0; o->kind == LL_ENGINE_BROADCAST && k < in->rank; ++k) {
        b = in->size[k] != out->size[k] ? ll_broadcast_back(b, ll_axis(k)) : b;
    }
    return o->kind == LL_ENGINE_JOIN ? ll_split(b) : b;
}

/* Private: returns whether operands a and b of a dot have the layouts of its
 * instructions, apart from one order of k for both. They do if, for every set
 * of columns, the parts along k XOR to 0 exactly when they do so in the
 * instructions' layouts. */
LL_FN int ll_engine_is_in_order_(const ll_engine *e, const ll_engine_op *o,
                                 const unsigned *tuple) {
    ll_span_ rows = LL_ZERO;  /* along k: the instructions', then these */
    ll_span_ first = LL_ZERO; /* the first part alone, the second alone */
    ll_span_ last = LL_ZERO;
    int ok = 1;
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_engine_flat *f = &e->flat[e->fixed[o->at + k]];
        const ll_engine_flat *g = &e->flat[tuple[k]];
        const ll_engine_value *v = &e->value[e->operand[o->at + k]];
        const unsigned low = k ? v->size[1] : 0u;
        const unsigned n = v->size[k ? 0 : 1];
        const unsigned axis = ll_ones_(n) << low;
        ok = ok && n <= LL_ENGINE_SUMMED_;
        for (unsigned d = 0; d < 4u; ++d) {
            ok = ok && f->n[d] == g->n[d];
        }
        for (unsigned c = 0; ok && c < ll_flat_total_(f); ++c) {
            const unsigned u = (f->basis[c] & axis) >> low;
            const unsigned w = (g->basis[c] & axis) >> low;
            ok = (f->basis[c] & ~axis) == (g->basis[c] & ~axis);
            ll_span_extend_(&rows, u << LL_ENGINE_SUMMED_ | w);
            ll_span_extend_(&first, u);
            ll_span_extend_(&last, w);
        }
    }
    return ok && rows.n == first.n && rows.n == last.n;
}

/* Private: returns whether the layouts of an instance satisfy its operation's
 * rule. */
LL_FN int ll_engine_is_legal_(const ll_engine *e, unsigned op,
                              const unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    const int back =
        o->kind == LL_ENGINE_BROADCAST || o->kind == LL_ENGINE_JOIN;
    int ok = !ll_engine_is_ordered_(o) || ll_engine_is_in_order_(e, o, tuple);
    for (unsigned k = 0; k < n; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned want = e->fixed[o->at + k];
        const int constant = e->value[v].is_free && !e->value[v].in_place;
        if (ll_engine_is_placed_(o, k) && !constant) { /* registers or tile */
            ok = ok && tuple[k] < e->flats &&
                 (e->flat[tuple[k]].n[1] ||
                  tuple[k] == ll_engine_tile_there_(e, o, k));
        }
        if (e->value[v].is_free && (k < o->n_in || tuple[k] >= e->flats)) {
            continue;
        }
        ok = ok && (want == LL_ENGINE_NONE || want == tuple[k] ||
                    (ll_engine_is_ordered_(o) && k < 2u));
        ok = ok && (o->kind != LL_ENGINE_REORDER ||
                    ll_engine_is_reorder_(e, tuple[0], tuple[1]));
        if (!ok || !ll_engine_is_tied_(o)) {
            continue;
        }
        const unsigned first = k < o->n_in || !o->n_in ? 0u : o->n_in;
        ok = tuple[k] == tuple[first]; /* operands agree; so do results */
        const unsigned u = e->operand[o->at];
        if (k == o->n_in && o->n_in && ok && !e->value[u].is_free &&
            o->kind != LL_ENGINE_UNPACK) {
            const ll_layout a = ll_engine_layout(e, u, tuple[0]);
            const ll_layout b = ll_engine_layout(e, v, tuple[k]);
            ok = back ? ll_engine_same_(ll_engine_backward_(e, o, b), a)
                      : ll_engine_same_(ll_engine_forward_(e, o, a), b);
        }
    }
    return ok;
}

/* The results of ll_engine_check. */
enum {
    LL_ENGINE_PROVEN,
    LL_ENGINE_BAD_MEMORY, /* too little memory is left for the check */
    LL_ENGINE_BAD_LABEL,  /* an unknown has an invalid label */
    LL_ENGINE_BAD_LAYOUT, /* an instance breaks the rule of its operation */
    LL_ENGINE_BAD_MOVE,   /* a conversion is missing, or its cost is wrong */
    LL_ENGINE_BAD_SUM,    /* the costs do not add up */
    LL_ENGINE_BAD_DROP,   /* a dropped label may be the best one */
    LL_ENGINE_BAD_TABLE,  /* a table has a wrong entry */
    LL_ENGINE_BAD_BOUND   /* the bound does not follow */
};

/* Private: checks that value v is held in each layout in which it is needed,
 * and subtracts the cost of its conversions from *left. */
LL_FN int ll_engine_check_moves_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned v,
                                 unsigned *next, unsigned long long *left) {
    const ll_engine_value *a = &e->value[v];
    unsigned held = ll_engine_made_(e, s, v);
    int ok = 1;
    for (; ok && *next < s->moves && s->move[*next].value == v; ++*next) {
        const ll_engine_move *m = &s->move[*next];
        const unsigned from = ll_engine_at_(e, v, m->from);
        const unsigned to = ll_engine_at_(e, v, m->to);
        ok = from < a->n && to < a->n && held >> from & 1u;
        if (ok) {
            const ll_plan p =
                ll_engine_plan(e, m->from, m->to, a->bits, a->element_bits);
            const unsigned long long cost = ll_engine_times_(
                ll_engine_cycles_(p.err, p.cycles, 1), a->weight);
            ok = m->cost == cost && m->weight == a->weight && cost <= *left &&
                 m->kind == (p.err ? (unsigned)LL_ANY : p.kind);
            *left -= cost;
            held |= 1u << to;
        }
    }
    for (unsigned k = 0; ok && k < a->uses; ++k) {
        const unsigned op = e->use[a->use + k];
        ok = s->op_var[op] == LL_ENGINE_NONE ||
             !(ll_engine_needs_(e, op, v, ll_engine_chosen_(e, s, op)) & ~held);
    }
    return ok;
}

/* Private: checks the layouts that were chosen for operation p, and subtracts
 * their cost from *left. */
LL_FN unsigned ll_engine_check_op_(ll_engine *e, const ll_engine_solution_ *s,
                                   unsigned p, unsigned *tuple,
                                   unsigned long long *left) {
    const unsigned label = ll_engine_chosen_(e, s, p);
    for (unsigned k = 0; ll_engine_of_label_(label, k) != LL_ENGINE_NONE; ++k) {
        ll_engine_numbers_(e, p, ll_engine_of_label_(label, k), tuple);
        if (!ll_engine_is_legal_(e, p, tuple)) {
            return LL_ENGINE_BAD_LAYOUT;
        }
        const unsigned long long cost =
            ll_engine_times_(ll_engine_price(e, p, tuple), e->op[p].weight) +
            (k ? ll_engine_again_(&e->op[p]) : 0u);
        if (cost > *left) {
            return LL_ENGINE_BAD_SUM;
        }
        *left -= cost;
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks all layouts that were chosen, and that the costs add up. */
LL_FN unsigned ll_engine_check_choice_(ll_engine *e,
                                       const ll_engine_solution_ *s) {
    unsigned long long left = s->cost;
    unsigned next = 0;
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    for (unsigned x = 0; x < s->vars && tuple; ++x) {
        if (s->var[x].label >= s->var[x].n) {
            return LL_ENGINE_BAD_LABEL;
        }
    }
    for (unsigned p = 0; p < e->ops && tuple; ++p) {
        const unsigned bad = s->op_var[p] == LL_ENGINE_NONE
                                 ? (unsigned)LL_ENGINE_PROVEN
                                 : ll_engine_check_op_(e, s, p, tuple, &left);
        if (bad) {
            return bad;
        }
    }
    for (unsigned v = 0; v < e->values && tuple; ++v) {
        if (!e->value[v].is_free &&
            !ll_engine_check_moves_(e, s, v, &next, &left)) {
            return LL_ENGINE_BAD_MOVE;
        }
    }
    return !tuple             ? LL_ENGINE_BAD_MEMORY
           : next != s->moves ? LL_ENGINE_BAD_MOVE
           : left || e->err   ? LL_ENGINE_BAD_SUM
                              : LL_ENGINE_PROVEN;
}

/* Private: sets up the costs again in r, repeats the drops, and compares. */
LL_FN unsigned ll_engine_check_model_(ll_engine *e,
                                      const ll_engine_solution_ *s,
                                      ll_engine_solution_ *r) {
    ll_engine_set_up_(e, r);
    if (e->err) {
        return LL_ENGINE_BAD_MEMORY;
    }
    if (r->vars != s->vars || r->fns != s->first_message) {
        return LL_ENGINE_BAD_TABLE;
    }
    for (unsigned k = 0; k < s->drops; ++k) {
        const ll_engine_drop_ d = s->drop[k];
        if (d.var >= r->vars || d.label >= r->var[d.var].n ||
            d.by >= r->var[d.var].n || d.label == d.by) {
            return LL_ENGINE_BAD_DROP;
        }
        unsigned *label = r->label + r->var[d.var].first;
        if (label[d.label] == LL_ENGINE_NONE || label[d.by] == LL_ENGINE_NONE ||
            !ll_engine_is_beaten_(r, d.var, d.label, d.by)) {
            return LL_ENGINE_BAD_DROP;
        }
        label[d.label] = LL_ENGINE_NONE;
    }
    ll_engine_compact_(r);
    for (unsigned x = 0; x < s->vars; ++x) {
        if (r->var[x].n != s->var[x].n || r->var[x].first != s->var[x].first) {
            return LL_ENGINE_BAD_DROP;
        }
        for (unsigned k = 0; k < s->var[x].n; ++k) {
            if (r->label[r->var[x].first + k] !=
                s->label[s->var[x].first + k]) {
                return LL_ENGINE_BAD_LABEL;
            }
        }
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks the scopes of functions. The functions of the model are as
 * set up, and each function is used when the first of its unknowns in the order
 * is eliminated. */
LL_FN unsigned ll_engine_check_scopes_(const ll_engine_solution_ *s,
                                       const ll_engine_solution_ *r,
                                       const unsigned *when) {
    for (unsigned k = 0; k < s->fns; ++k) {
        const ll_engine_fn_ *f = &s->fn[k];
        if (f->n && ll_engine_in_scope_(s, f, f->bucket) == f->n) {
            return LL_ENGINE_BAD_BOUND;
        }
        for (unsigned d = 0; d < f->n; ++d) {
            if (s->scope[f->at + d] >= s->vars ||
                when[s->scope[f->at + d]] < when[f->bucket]) {
                return LL_ENGINE_BAD_BOUND;
            }
        }
        if (k >= s->first_message) {
            continue;
        }
        const ll_engine_fn_ *g = &r->fn[k];
        int same = f->n == g->n && f->n;
        for (unsigned d = 0; same && d < f->n; ++d) {
            same = s->scope[f->at + d] == r->scope[g->at + d];
        }
        for (unsigned long long t = 0; same && t < ll_engine_entries_(s, f);
             ++t) {
            same = f->table[t] == g->table[t];
        }
        if (!same) {
            return LL_ENGINE_BAD_TABLE;
        }
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks each row of a message: it is the lowest sum of the functions
 * that went into it. Writes the labels of a row to r. */
LL_FN unsigned ll_engine_check_message_(const ll_engine_solution_ *s,
                                        ll_engine_solution_ *r,
                                        const ll_engine_fn_ *m) {
    const unsigned x = m->from;
    for (unsigned long long row = 0; row < ll_engine_entries_(s, m); ++row) {
        unsigned long long rest = row;
        unsigned long long best = LL_ENGINE_MANY_;
        for (unsigned d = 0; d < m->n; ++d) {
            ll_engine_var_ *y = &r->var[s->scope[m->at + d]];
            y->label = (unsigned)(rest % y->n);
            rest /= y->n;
        }
        for (unsigned a = 0; a < r->var[x].n; ++a) {
            unsigned long long sum = 0;
            r->var[x].label = a;
            for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
                 k = s->node[k + 1u]) {
                const ll_engine_fn_ *f = &s->fn[s->node[k]];
                if (f->bucket != x || f->part != m->of) {
                    continue;
                }
                unsigned long long at = 0;
                unsigned long long step = 1;
                for (unsigned d = 0; d < f->n; ++d) {
                    const ll_engine_var_ *y = &r->var[s->scope[f->at + d]];
                    at += step * y->label;
                    step *= y->n;
                }
                sum += f->table[at];
            }
            best = sum < best ? sum : best;
        }
        if (m->table[row] != best) {
            return LL_ENGINE_BAD_TABLE;
        }
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks that the functions that went into message k are older than
 * it, and depend only on its unknowns and on the eliminated one. */
LL_FN unsigned ll_engine_check_parts_(const ll_engine_solution_ *s,
                                      unsigned k) {
    const ll_engine_fn_ *m = &s->fn[k];
    int ok = 1;
    for (unsigned j = s->var[m->from].list; j != LL_ENGINE_NONE;
         j = s->node[j + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[j]];
        const int part = f->bucket == m->from && f->part == m->of;
        for (unsigned d = 0; part && d < f->n; ++d) {
            const unsigned y = s->scope[f->at + d];
            ok = ok && (y == m->from || ll_engine_in_scope_(s, m, y) < m->n);
        }
        ok = ok && (s->node[j] < k || f->bucket != m->from);
    }
    return ok ? LL_ENGINE_PROVEN : LL_ENGINE_BAD_BOUND;
}

/* Private: checks that every function went into exactly one message, which
 * depends on all of its other unknowns, and that the bound is the sum of the
 * messages without unknowns. */
LL_FN unsigned ll_engine_check_bound_(ll_engine *e,
                                      const ll_engine_solution_ *s,
                                      ll_engine_solution_ *r) {
    unsigned *when = ll_engine_take_word_(e, s->vars + 1u);
    unsigned long long bound = 0;
    unsigned bad = when ? LL_ENGINE_PROVEN : LL_ENGINE_BAD_MEMORY;
    for (unsigned k = 0; !bad && k < s->vars; ++k) {
        const unsigned x = s->order[k];
        bad = x >= s->vars || when[x] ? (unsigned)LL_ENGINE_BAD_BOUND : bad;
        if (!bad) {
            when[x] = k + 1u;
        }
    }
    bad = bad                    ? bad
          : s->orders != s->vars ? (unsigned)LL_ENGINE_BAD_BOUND
                                 : ll_engine_check_scopes_(s, r, when);
    for (unsigned k = s->first_message; !bad && k < s->fns; ++k) {
        const ll_engine_fn_ *m = &s->fn[k];
        if (m->from >= s->vars) {
            return LL_ENGINE_BAD_BOUND;
        }
        bad = ll_engine_check_parts_(s, k);
        bad = bad ? bad : ll_engine_check_message_(s, r, m);
        bound += !bad && m->n == 0 ? m->table[0] : 0u;
    }
    return bad                  ? bad
           : bound != s->bound  ? (unsigned)LL_ENGINE_BAD_BOUND
           : s->bound > s->cost ? (unsigned)LL_ENGINE_BAD_BOUND
                                : (unsigned)LL_ENGINE_PROVEN;
}

/* ll_engine_check(e): checks the certificate of ll_engine_solve. Returns
 * LL_ENGINE_PROVEN, or what is wrong. If it is proven, the layouts are legal
 * and cost what ll_engine_cost says. No choice among the candidates costs less
 * than ll_engine_bound, unless it holds a value in more layouts at the same
 * time. The check needs as much memory as the solver, and gives it back. */
LL_FN unsigned ll_engine_check(ll_engine *e) {
    const unsigned long long used = e->used;
    if (e->err || !e->found) {
        return LL_ENGINE_BAD_LABEL;
    }
    const ll_engine_solution_ *s = ll_engine_found_(e);
    ll_engine_solution_ r = LL_ZERO;
    unsigned bad = ll_engine_check_model_(e, s, &r); /* labels are these */
    bad = bad ? bad : ll_engine_check_choice_(e, s);
    bad = bad ? bad : ll_engine_check_bound_(e, s, &r);
    if (e->err) {
        e->err = LL_ENGINE_OK;
        bad = LL_ENGINE_BAD_MEMORY;
    }
    e->used = used;
    return bad;
}

/* ll_engine_executed(e, op, k, tuple): writes the numbers of the layouts of all
 * operands and results in the k-th execution of an operation to tuple, which
 * has room for them. Returns 0 if there is no k-th execution, or if the
 * operation is a constant, which has no layout of its own. */
LL_FN int ll_engine_executed(ll_engine *e, unsigned op, unsigned k,
                             unsigned *tuple) {
    const ll_engine_solution_ *s = ll_engine_found_(e);
    if (e->err || !s || op >= e->ops || s->op_var[op] == LL_ENGINE_NONE) {
        return 0;
    }
    const unsigned t = ll_engine_of_label_(ll_engine_chosen_(e, s, op), k);
    if (t != LL_ENGINE_NONE) {
        ll_engine_numbers_(e, op, t, tuple);
    }
    return t != LL_ENGINE_NONE && !e->err;
}

/* ll_engine_pin(e, v, id): returns the lowest cost of the graph, in eighths of
 * a cycle, if value v must be made in layout `id` alone; ~0 if that is not
 * possible, or if there is too little memory to find out. The result of
 * ll_engine_solve stays. */
LL_FN unsigned long long ll_engine_pin(ll_engine *e, unsigned v, unsigned id) {
    if (e->err || !e->found || v >= e->values || id >= e->flats) {
        return ~0ull;
    }
    const ll_engine saved = *e;
    const unsigned op = e->value[v].def;
    unsigned slot = e->op[op].at + e->op[op].n_in;
    ll_engine_value *values = ll_engine_take_value_(e, e->values);
    ll_engine_op *ops = ll_engine_take_op_(e, e->ops);
    unsigned long long cost = ~0ull;
    while (e->operand[slot] != v) {
        ++slot;
    }
    if (!e->err) {
        const unsigned was = e->fixed[slot];
        LL_MEMCPY_(values, e->value, e->values * sizeof *values);
        LL_MEMCPY_(ops, e->op, e->ops * sizeof *ops);
        e->fixed[slot] = id;
        cost = was != LL_ENGINE_NONE && was != id ? ~0ull
               : ll_engine_solve(e)               ? ll_engine_found_(e)->cost
                                                  : ~0ull;
        e->fixed[slot] = was;
        LL_MEMCPY_(saved.value, values, e->values * sizeof *values);
        LL_MEMCPY_(saved.op, ops, e->ops * sizeof *ops);
    }
    *e = saved;
    return cost;
}

#endif /* LL_ENGINE */

#endif
