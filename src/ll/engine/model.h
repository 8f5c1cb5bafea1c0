/* ---- Engine: the model ------------------------------------------------ */
#ifndef LL_ENGINE_MODEL_H
#define LL_ENGINE_MODEL_H

#include "price.h"

/* The unknowns are, for each operation, the set of instances in which it is
 * executed and, for each value with several users, the set of layouts in which
 * they need it. An operation may be executed in up to three instances. More
 * than one is rematerialisation: a cheap chain is computed again instead of
 * converted. A label is a possible set.
 *
 * Costs are functions of one or two unknowns. Labels that another label always
 * beats are dropped. Then the unknowns are eliminated one after another: one
 * function of its neighbours, the minimum over its labels, replaces all
 * functions of an unknown. What remains is the lowest cost. If a function would
 * get too large, it is cut into several. The sum of their minima is then a
 * lower bound, and a search guided by the bounds finds the best assignment. */
#ifdef LL_ENGINE

/* Private: returns the result of the solver; 0 before it ran. */
LL_FN ll_engine_solution_ *ll_engine_found_(const ll_engine *e) {
    return e->found;
}

LL_FN unsigned long long ll_engine_plus_(unsigned long long a,
                                         unsigned long long b) {
    return a + b < LL_ENGINE_MANY_ ? a + b : LL_ENGINE_MANY_;
}

/* Private: returns instance k of a label of an operation; LL_ENGINE_NONE if it
 * has no more. */
LL_FN unsigned ll_engine_of_label_(unsigned label, unsigned k) {
    const unsigned at = k < 3u ? label >> 10u * k & 1023u : 0u;
    return k ? at - 1u : at; /* 0 - 1 is LL_ENGINE_NONE */
}

/* Private: returns the candidates of operand `slot` under a label. */
LL_FN unsigned ll_engine_mask_(const ll_engine *e, unsigned op, unsigned slot,
                               unsigned label) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    unsigned mask = 0;
    for (unsigned k = 0; ll_engine_of_label_(label, k) != LL_ENGINE_NONE; ++k) {
        const unsigned at =
            e->instance[o->first + ll_engine_of_label_(label, k) * n + slot];
        mask |= at == LL_ENGINE_NONE ? 0u : 1u << at;
    }
    return mask;
}

/* Private: returns the candidates in which an operation uses a value. */
LL_FN unsigned ll_engine_needs_(const ll_engine *e, unsigned op, unsigned v,
                                unsigned label) {
    const ll_engine_op *o = &e->op[op];
    unsigned mask = 0;
    for (unsigned k = 0; k < o->n_in; ++k) {
        mask |=
            e->operand[o->at + k] == v ? ll_engine_mask_(e, op, k, label) : 0u;
    }
    return mask;
}

/* Private: returns the candidates in which an operation makes a value. */
LL_FN unsigned ll_engine_makes_(const ll_engine *e, unsigned op, unsigned v,
                                unsigned label) {
    const ll_engine_op *o = &e->op[op];
    unsigned mask = 0;
    for (unsigned k = o->n_in; k < o->n_in + o->n_out; ++k) {
        mask |=
            e->operand[o->at + k] == v ? ll_engine_mask_(e, op, k, label) : 0u;
    }
    return mask;
}

/* Private: the costs of conversions between the candidates of a value, over all
 * their runs. They are computed when they are first asked for. */
typedef struct ll_engine_costs_ {
    ll_engine *e;
    unsigned v, n;
    unsigned long long *known; /* cost + 1, by from * n + to; 0: not yet */
} ll_engine_costs_;

LL_FN ll_engine_costs_ ll_engine_costs_of_(ll_engine *e, unsigned v) {
    ll_engine_costs_ c = {e, v, e->value[v].n, 0};
    c.known = ll_engine_take_wide_(e, (unsigned long long)c.n * c.n);
    return c;
}

LL_FN unsigned long long ll_engine_cost_at_(const ll_engine_costs_ *c,
                                            unsigned from, unsigned to) {
    unsigned long long *known = &c->known[from * c->n + to];
    if (!*known) {
        const ll_engine_value a = c->e->value[c->v];
        const ll_engine_pair_ *p = ll_engine_convert_(
            c->e, c->e->candidate[a.first + from],
            c->e->candidate[a.first + to], a.bits, a.element_bits);
        *known =
            (p ? ll_engine_times_(p->cost, a.weight) : LL_ENGINE_MANY_) + 1u;
    }
    return *known - 1u;
}

/* Private: returns the cost of the cheapest conversion to candidate `to` from
 * one of `held`, and sets *from to that one. */
LL_FN unsigned long long ll_engine_nearest_(const ll_engine_costs_ *c,
                                            unsigned held, unsigned to,
                                            unsigned *from) {
    unsigned long long best = LL_ENGINE_MANY_;
    for (unsigned k = 0; held >> k; ++k) {
        const unsigned long long cost =
            held >> k & 1u ? ll_engine_cost_at_(c, k, to) : best;
        if (cost < best) {
            best = cost;
            *from = k;
        }
    }
    return best;
}

/* Private: at most this many missing layouts of a value are put into the
 * cheapest order, and at most this many wanted layouts are combined in all
 * ways. */
#define LL_ENGINE_LACKS_ 6u

/* Private: the order of conversions: the candidates that they make. */
typedef struct ll_engine_order_ {
    unsigned n;
    unsigned char at[LL_ENGINE_MOST];
} ll_engine_order_;

/* Private: puts the layouts that a value lacks into `order`. */
LL_FN void ll_engine_lacks_(unsigned made, unsigned need,
                            ll_engine_order_ *order) {
    order->n = 0;
    for (unsigned k = 0; (need & ~made) >> k; ++k) {
        if ((need & ~made) >> k & 1u) {
            order->at[order->n] = (unsigned char)k;
            ++order->n;
        }
    }
}

/* Private: puts up to LL_ENGINE_LACKS_ missing layouts into the cheapest order,
 * and returns the cost of the conversions. least[s]: cost of holding the set s
 * of them. last[s]: the layout of s that is made last. */
LL_FN unsigned long long ll_engine_best_order_(const ll_engine_costs_ *c,
                                               unsigned made,
                                               ll_engine_order_ *order) {
    unsigned long long least[1u << LL_ENGINE_LACKS_] = LL_ZERO;
    unsigned held[1u << LL_ENGINE_LACKS_] = LL_ZERO;
    unsigned char last[1u << LL_ENGINE_LACKS_] = LL_ZERO;
    const ll_engine_order_ miss = *order;
    const unsigned all = (1u << miss.n) - 1u;
    held[0] = made;
    for (unsigned s = 1; s <= all; ++s) {
        least[s] = LL_ENGINE_MANY_;
        for (unsigned k = 0; k < miss.n; ++k) {
            const unsigned before = s & ~(1u << k);
            unsigned from = 0;
            if (before == s || least[before] >= least[s]) {
                continue;
            }
            held[s] = held[before] | 1u << miss.at[k];
            const unsigned long long sum = ll_engine_plus_(
                least[before],
                ll_engine_nearest_(c, held[before], miss.at[k], &from));
            last[s] = sum < least[s] ? (unsigned char)k : last[s];
            least[s] = sum < least[s] ? sum : least[s];
        }
    }
    unsigned s = all;
    for (unsigned n = miss.n; n-- > 0; s &= ~(1u << last[s])) {
        order->at[n] = miss.at[last[s]];
    }
    return least[all];
}

/* Private: returns the cost of holding a value in the layouts `need` if it is
 * made in the layouts `made`. Each conversion starts from a layout that is
 * there already. They are in the cheapest order or, if there are many, in the
 * candidates' order. */
LL_FN unsigned long long ll_engine_spread_cost_(const ll_engine_costs_ *c,
                                                unsigned made, unsigned need,
                                                ll_engine_order_ *order) {
    unsigned long long sum = 0;
    unsigned from = 0;
    ll_engine_lacks_(made, need, order);
    if (order->n > 1u && order->n <= LL_ENGINE_LACKS_) {
        return ll_engine_best_order_(c, made, order);
    }
    for (unsigned k = 0; k < order->n; ++k) {
        sum = ll_engine_plus_(
            sum, ll_engine_nearest_(c, made, order->at[k], &from));
        made |= 1u << order->at[k];
    }
    return sum;
}

/* Private: appends a label to the last unknown. */
LL_FN void ll_engine_label_(ll_engine *e, ll_engine_solution_ *s,
                            unsigned label) {
    s->label = ll_engine_room_word_(e, s->label, s->labels + 1u, &s->cap_label);
    if (!e->err) {
        s->label[s->labels] = label;
        ++s->labels;
        ++s->var[s->vars - 1u].n;
    }
}

LL_FN unsigned ll_engine_var_new_(ll_engine *e, ll_engine_solution_ *s,
                                  unsigned is_value, unsigned of) {
    s->var = ll_engine_room_var_(e, s->var, s->vars + 1u, &s->cap_var);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    ll_engine_var_ *x = &s->var[s->vars];
    x->is_value = is_value;
    x->of = of;
    x->first = s->labels;
    x->list = LL_ENGINE_NONE;
    return s->vars++;
}

/* Private: adds the unknown of an operation. Its labels are all instances, all
 * pairs if it may be executed twice, and all triples if it is light. */
LL_FN void ll_engine_op_var_(ll_engine *e, ll_engine_solution_ *s,
                             unsigned op) {
    const ll_engine_op *o = &e->op[op];
    if (o->n == 0) {
        return;
    }
    const unsigned sets = o->alone                    ? 1u
                          : o->is_light && o->n < 10u ? e->sets
                          : e->sets < 2u              ? e->sets
                                                      : 2u;
    s->op_var[op] = ll_engine_var_new_(e, s, 0, op);
    for (unsigned a = 0; a < o->n && !e->err; ++a) {
        ll_engine_label_(e, s, a);
    }
    for (unsigned a = 0; a < o->n && sets > 1u; ++a) {
        for (unsigned b = a + 1u; b < o->n && !e->err; ++b) {
            ll_engine_label_(e, s, a | (b + 1u) << 10);
            for (unsigned c = b + 1u; c < o->n && sets > 2u; ++c) {
                ll_engine_label_(e, s, a | (b + 1u) << 10 | (c + 1u) << 20);
            }
        }
    }
}

/* Private: lists the distinct operations that use value v, at most `most` of
 * them. Returns the number of all. */
LL_FN unsigned ll_engine_users_(const ll_engine *e, unsigned v, unsigned most,
                                unsigned *list) {
    unsigned n = 0;
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        const unsigned op = e->use[e->value[v].use + k];
        if (k == 0 || e->use[e->value[v].use + k - 1u] != op) {
            if (n < most) {
                list[n] = op;
            }
            ++n;
        }
    }
    return n;
}

/* Private: returns the layouts of v that any label of an operation needs; with
 * `all`, the layouts that every label needs. */
LL_FN unsigned ll_engine_wanted_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned op,
                                 unsigned v, int all) {
    const ll_engine_var_ *x = &s->var[s->op_var[op]];
    unsigned any = 0;
    unsigned each = ~0u;
    for (unsigned k = 0; k < x->n; ++k) {
        const unsigned m = ll_engine_needs_(e, op, v, s->label[x->first + k]);
        any |= m;
        each &= m;
    }
    return all ? each : any;
}

/* Private: returns a set of layouts of v that contains `held` and serves all
 * users. Each user takes the label that needs the fewest further layouts. */
LL_FN unsigned ll_engine_serves_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned v,
                                 unsigned held) {
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        const unsigned op = e->use[e->value[v].use + k];
        const ll_engine_var_ *x = &s->var[s->op_var[op]];
        unsigned best = ~0u;
        for (unsigned t = 0; t < x->n; ++t) {
            const unsigned more =
                ll_engine_needs_(e, op, v, s->label[x->first + t]) & ~held;
            best = best == ~0u || ll_popcount_(more) < ll_popcount_(best) ? more
                                                                    : best;
        }
        held |= best;
    }
    return held;
}

/* Private: adds the unknown of a value with several users. Its labels are all
 * sets of layouts that they may need. If there are more than LL_ENGINE_LACKS_
 * layouts, they are the sets of up to three (up to two for more than nine
 * layouts), and one set that serves all users. */
LL_FN void ll_engine_value_var_(ll_engine *e, ll_engine_solution_ *s,
                                unsigned v) {
    unsigned want = 0;
    unsigned must = 0;
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        const unsigned op = e->use[e->value[v].use + k];
        want |= ll_engine_wanted_(e, s, op, v, 0);
        must |= ll_engine_wanted_(e, s, op, v, 1);
    }
    s->value_var[v] = ll_engine_var_new_(e, s, 1, v);
    const unsigned few = ll_popcount_(want) > 9u ? 2u : 3u;
    const unsigned most = ll_popcount_(want) <= LL_ENGINE_LACKS_
                              ? ll_popcount_(want)
                          : ll_popcount_(must) > few ? ll_popcount_(must)
                                                     : few;
    const unsigned serves = ll_engine_serves_(e, s, v, must);
    if (ll_popcount_(serves) > most) {
        ll_engine_label_(e, s, serves);
    }
    /* all subsets of `want`, from the largest down */
    for (unsigned m = want; !e->err; m = (m - 1u) & want) {
        if (m && ll_popcount_(m) <= most && (m & must) == must) {
            ll_engine_label_(e, s, m);
        }
        if (m == 0) {
            break;
        }
    }
}

/* Private: appends a function of n unknowns. The caller fills in its table. */
LL_FN unsigned ll_engine_fn_new_(ll_engine *e, ll_engine_solution_ *s,
                                 unsigned n, const unsigned *vars) {
    unsigned long long size = 1;
    s->fn = ll_engine_room_fn_(e, s->fn, s->fns + 1u, &s->cap_fn);
    s->scope = ll_engine_room_word_(e, s->scope, s->scopes + n, &s->cap_scope);
    s->node = ll_engine_room_word_(e, s->node, s->nodes + 2u * n, &s->cap_node);
    for (unsigned k = 0; k < n && !e->err; ++k) {
        size *= s->var[vars[k]].n;
    }
    unsigned long long *table = ll_engine_take_wide_(e, size);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    s->widest = size > s->widest ? size : s->widest;
    ll_engine_fn_ *f = &s->fn[s->fns];
    f->n = n;
    f->at = s->scopes;
    f->bucket = f->from = LL_ENGINE_NONE;
    f->table = table;
    for (unsigned k = 0; k < n; ++k) {
        s->scope[s->scopes + k] = vars[k];
        s->node[s->nodes] = s->fns;
        s->node[s->nodes + 1u] = s->var[vars[k]].list;
        s->var[vars[k]].list = s->nodes;
        s->nodes += 2u;
    }
    s->scopes += n;
    return s->fns++;
}

/* Private: adds the cost of an operation itself under each label. */
LL_FN void ll_engine_own_cost_(ll_engine *e, ll_engine_solution_ *s,
                               unsigned x) {
    const ll_engine_op *o = &e->op[s->var[x].of];
    const unsigned f = ll_engine_fn_new_(e, s, 1, &x);
    for (unsigned k = 0; k < s->var[x].n && !e->err; ++k) {
        const unsigned label = s->label[s->var[x].first + k];
        for (unsigned t = 0; ll_engine_of_label_(label, t) != LL_ENGINE_NONE;
             ++t) {
            s->fn[f].table[k] = ll_engine_plus_(
                s->fn[f].table[k],
                e->price[o->price + ll_engine_of_label_(label, t)] +
                    (t ? ll_engine_again_(o) : 0u));
        }
    }
}

/* Private: adds the cost of the conversions of value v: a function of the
 * operation that makes it and of the unknown `y` that needs it. */
LL_FN void ll_engine_moves_cost_(ll_engine *e, ll_engine_solution_ *s,
                                 unsigned v, unsigned y) {
    const unsigned def = e->value[v].def;
    const unsigned x = s->op_var[def];
    const unsigned vars[2] = {x, y};
    const unsigned n = s->var[x].n;
    ll_engine_order_ order = LL_ZERO;
    const ll_engine_costs_ costs = ll_engine_costs_of_(e, v);
    unsigned *made = ll_engine_take_word_(e, n);
    const unsigned f = ll_engine_fn_new_(e, s, 2, vars);
    for (unsigned a = 0; a < n && !e->err; ++a) {
        made[a] = ll_engine_makes_(e, def, v, s->label[s->var[x].first + a]);
    }
    for (unsigned b = 0; b < s->var[y].n && !e->err; ++b) {
        const unsigned want = s->label[s->var[y].first + b];
        const unsigned need = s->var[y].is_value
                                  ? want
                                  : ll_engine_needs_(e, s->var[y].of, v, want);
        for (unsigned a = 0; a < n; ++a) {
            s->fn[f].table[b * n + a] =
                need & ~made[a]
                    ? ll_engine_spread_cost_(&costs, made[a], need, &order)
                    : 0u;
        }
    }
}

/* Private: rules out that a user needs a layout in which a value is not
 * held. */
LL_FN void ll_engine_rule_out_(ll_engine *e, ll_engine_solution_ *s, unsigned v,
                               unsigned user) {
    const unsigned x = s->op_var[user];
    const unsigned y = s->value_var[v];
    const unsigned vars[2] = {x, y};
    const unsigned f = ll_engine_fn_new_(e, s, 2, vars);
    for (unsigned b = 0; b < s->var[y].n && !e->err; ++b) {
        const unsigned held = s->label[s->var[y].first + b];
        for (unsigned a = 0; a < s->var[x].n; ++a) {
            const unsigned need =
                ll_engine_needs_(e, user, v, s->label[s->var[x].first + a]);
            s->fn[f].table[b * s->var[x].n + a] =
                need & ~held ? LL_ENGINE_MANY_ : 0u;
        }
    }
}

/* Private: sets up all unknowns and functions. */
LL_FN void ll_engine_set_up_(ll_engine *e, ll_engine_solution_ *s) {
    s->op_var = ll_engine_take_word_(e, e->ops + 1u);
    s->value_var = ll_engine_take_word_(e, e->values + 1u);
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        s->op_var[p] = LL_ENGINE_NONE;
        ll_engine_op_var_(e, s, p);
        if (s->op_var[p] != LL_ENGINE_NONE) {
            ll_engine_own_cost_(e, s, s->op_var[p]);
        }
    }
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        unsigned user = 0;
        s->value_var[v] = LL_ENGINE_NONE;
        const unsigned n =
            e->value[v].is_free ? 0u : ll_engine_users_(e, v, 1, &user);
        if (n == 1u && user != e->value[v].def) {
            ll_engine_moves_cost_(e, s, v, s->op_var[user]);
        } else if (n > 1u) { /* a loop alone takes its own result as it is */
            ll_engine_value_var_(e, s, v);
            if (!e->err) {
                ll_engine_moves_cost_(e, s, v, s->value_var[v]);
            }
            for (unsigned k = 0; k < e->value[v].uses && !e->err; ++k) {
                const unsigned op = e->use[e->value[v].use + k];
                if (k == 0 || e->use[e->value[v].use + k - 1u] != op) {
                    ll_engine_rule_out_(e, s, v, op);
                }
            }
        }
    }
}

#endif /* LL_ENGINE */

#endif
