/* ---- Engine: the exact solver ----------------------------------------- */
#ifndef LL_ENGINE_SOLVE_H
#define LL_ENGINE_SOLVE_H

#include "model.h"

#ifdef LL_ENGINE

/* Private: returns the place of unknown x in a function's scope. */
LL_FN unsigned ll_engine_in_scope_(const ll_engine_solution_ *s,
                                   const ll_engine_fn_ *f, unsigned x) {
    unsigned k = 0;
    while (k < f->n && s->scope[f->at + k] != x) {
        ++k;
    }
    return k;
}

/* Private: adds the minimum of f(a, ..) - f(b, ..) over the labels of the other
 * unknown, if there is one, to *gain. Returns 0 if label b is ruled out where a
 * is not. Functions have one or two unknowns. */
LL_FN int ll_engine_gains_(const ll_engine_solution_ *s, const ll_engine_fn_ *f,
                           unsigned x, unsigned a, unsigned b,
                           long long *gain) {
    const unsigned at = ll_engine_in_scope_(s, f, x);
    const unsigned other = f->n > 1u ? s->scope[f->at + !at] : x;
    const unsigned n = f->n > 1u ? s->var[other].n : 1u;
    const unsigned long long step = f->n > 1u && at == 0 ? s->var[x].n : 1u;
    const unsigned long long mine = at == 0 ? 1u : s->var[other].n;
    long long least = (long long)LL_ENGINE_MANY_;
    for (unsigned k = 0; k < n; ++k) {
        if (f->n > 1u && s->label[s->var[other].first + k] == LL_ENGINE_NONE) {
            continue; /* dropped */
        }
        const unsigned long long p = f->table[k * step + a * mine];
        const unsigned long long q = f->table[k * step + b * mine];
        if (q >= LL_ENGINE_MANY_ && p < LL_ENGINE_MANY_) {
            return 0;
        }
        if (p < LL_ENGINE_MANY_ && (long long)p - (long long)q < least) {
            least = (long long)p - (long long)q;
        }
    }
    *gain += least;
    return 1;
}

/* Private: returns whether label a of unknown x costs at least as much as label
 * b for all labels of the other unknowns. */
LL_FN int ll_engine_is_beaten_(const ll_engine_solution_ *s, unsigned x,
                               unsigned a, unsigned b) {
    long long gain = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        if (!ll_engine_gains_(s, &s->fn[s->node[k]], x, a, b, &gain)) {
            return 0;
        }
    }
    return gain >= 0;
}

/* Private: the quick test looks at no more than this many functions of an
 * unknown. */
#define LL_ENGINE_QUICK_ 48u

/* Private: where each function of an unknown has its lowest entry for label
 * a. */
typedef struct ll_engine_least_ {
    unsigned n; /* functions; 0: no quick answer */
    unsigned long long sum;
    unsigned long long at[LL_ENGINE_QUICK_]; /* of label 0 */
    const unsigned long long *table[LL_ENGINE_QUICK_];
    unsigned long long mine[LL_ENGINE_QUICK_];
} ll_engine_least_;

LL_FN void ll_engine_least_of_(const ll_engine_solution_ *s, unsigned x,
                               unsigned a, ll_engine_least_ *l) {
    unsigned n = 0;
    l->n = 0;
    l->sum = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[k]];
        const unsigned at = ll_engine_in_scope_(s, f, x);
        const unsigned other = f->n > 1u ? s->scope[f->at + !at] : x;
        const unsigned long long step = f->n > 1u && at == 0 ? s->var[x].n : 1u;
        const unsigned long long mine = at == 0 ? 1u : s->var[other].n;
        unsigned long long best = LL_ENGINE_MANY_;
        if (n == LL_ENGINE_QUICK_) {
            return;
        }
        for (unsigned j = 0; j < (f->n > 1u ? s->var[other].n : 1u); ++j) {
            const unsigned long long cost = f->table[j * step + a * mine];
            if (cost < best &&
                (f->n < 2u ||
                 s->label[s->var[other].first + j] != LL_ENGINE_NONE)) {
                best = cost;
                l->at[n] = j * step;
            }
        }
        if (best == LL_ENGINE_MANY_) {
            return;
        }
        l->table[n] = f->table;
        l->mine[n] = mine;
        l->sum += best;
        ++n;
    }
    l->n = n;
}

/* Private: returns whether label b costs more than a at the place where a costs
 * least. Then b does not beat a. */
LL_FN int ll_engine_is_worse_(const ll_engine_least_ *l, unsigned b) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < l->n && sum <= l->sum; ++k) {
        sum = ll_engine_plus_(sum, l->table[k][l->at[k] + b * l->mine[k]]);
    }
    return l->n && sum > l->sum;
}

/* Private: drops labels of one unknown, which are set to LL_ENGINE_NONE.
 * Returns their number. */
LL_FN unsigned ll_engine_drop_some_(ll_engine *e, ll_engine_solution_ *s,
                                    unsigned x) {
    unsigned *label = s->label + s->var[x].first;
    unsigned found = 0;
    ll_engine_least_ least = LL_ZERO;
    for (unsigned a = s->var[x].n; a-- > 0 && !e->err;) {
        if (label[a] != LL_ENGINE_NONE) {
            ll_engine_least_of_(s, x, a, &least);
        }
        for (unsigned b = 0; b < s->var[x].n && label[a] != LL_ENGINE_NONE;
             ++b) {
            if (b == a || label[b] == LL_ENGINE_NONE ||
                ll_engine_is_worse_(&least, b) ||
                !ll_engine_is_beaten_(s, x, a, b)) {
                continue;
            }
            s->drop =
                ll_engine_room_drop_(e, s->drop, s->drops + 1u, &s->cap_drop);
            if (e->err) {
                break;
            }
            s->drop[s->drops].var = x;
            s->drop[s->drops].label = a;
            s->drop[s->drops].by = b;
            ++s->drops;
            ++found;
            label[a] = LL_ENGINE_NONE;
        }
    }
    return found;
}

/* Private: removes the dropped labels from the tables and the lists. */
LL_FN void ll_engine_compact_(ll_engine_solution_ *s) {
    for (unsigned k = 0; k < s->fns; ++k) {
        ll_engine_fn_ *f = &s->fn[k];
        const ll_engine_var_ *x = &s->var[s->scope[f->at]];
        const ll_engine_var_ *y = f->n > 1u ? &s->var[s->scope[f->at + 1u]] : x;
        unsigned long long to = 0;
        for (unsigned b = 0; b < (f->n > 1u ? y->n : 1u); ++b) {
            for (unsigned a = 0; a < x->n; ++a) {
                if (s->label[x->first + a] != LL_ENGINE_NONE &&
                    (f->n < 2u || s->label[y->first + b] != LL_ENGINE_NONE)) {
                    f->table[to] = f->table[(unsigned long long)b * x->n + a];
                    ++to;
                }
            }
        }
    }
    for (unsigned k = 0; k < s->vars; ++k) {
        ll_engine_var_ *x = &s->var[k];
        unsigned to = 0;
        for (unsigned a = 0; a < x->n; ++a) {
            if (s->label[x->first + a] != LL_ENGINE_NONE) {
                s->label[x->first + to] = s->label[x->first + a];
                ++to;
            }
        }
        x->n = to;
    }
}

/* Private: drops labels that another label beats, until there are none left or
 * for four rounds. */
LL_FN void ll_engine_drop_all_(ll_engine *e, ll_engine_solution_ *s) {
    unsigned found = 1;
    for (unsigned round = 0; round < 4u && found && !e->err; ++round) {
        found = 0;
        for (unsigned x = 0; x < s->vars && !e->err; ++x) {
            found += ll_engine_drop_some_(e, s, x);
        }
    }
    if (!e->err) {
        ll_engine_compact_(s);
    }
}

/* Private: the most unknowns that an elimination joins. */
#define LL_ENGINE_SCOPE_ 40u

typedef struct ll_engine_scope_ {
    unsigned n;
    unsigned var[LL_ENGINE_SCOPE_];
    unsigned long long size; /* of a table */
} ll_engine_scope_;

/* Private: adds the unknowns of a function to a scope. Returns 0 if there would
 * be too many, or if the table would have more than `most` entries. */
LL_FN int ll_engine_join_(const ll_engine_solution_ *s, ll_engine_scope_ *u,
                          const ll_engine_fn_ *f, unsigned long long most) {
    ll_engine_scope_ w = *u;
    for (unsigned k = 0; k < f->n; ++k) {
        const unsigned x = s->scope[f->at + k];
        unsigned at = 0;
        while (at < w.n && w.var[at] != x) {
            ++at;
        }
        if (at == w.n) {
            if (w.n == LL_ENGINE_SCOPE_ || w.size * s->var[x].n > most) {
                return 0;
            }
            w.var[w.n] = x;
            ++w.n;
            w.size *= s->var[x].n;
        }
    }
    *u = w;
    return 1;
}

/* Private: returns the number of entries that the elimination of x would
 * visit. */
LL_FN unsigned long long ll_engine_weight_(const ll_engine_solution_ *s,
                                           unsigned x) {
    ll_engine_scope_ u = LL_ZERO;
    u.size = 1;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[k]];
        if (!f->gone && !ll_engine_join_(s, &u, f, 1ull << 50)) {
            return ~0ull;
        }
    }
    return u.size;
}

/* Private: one function in a sum over the labels of a scope. */
typedef struct ll_engine_term_ {
    const unsigned long long *table;
    unsigned long long at;
    unsigned long long step[LL_ENGINE_SCOPE_];
} ll_engine_term_;

/* Private: writes the sum of the terms, minimised over the first unknown of the
 * scope, to the table of a message. */
LL_FN void ll_engine_minimise_(const ll_engine_solution_ *s,
                               const ll_engine_scope_ *u, ll_engine_term_ *term,
                               unsigned terms, unsigned long long *to) {
    unsigned at[LL_ENGINE_SCOPE_] = LL_ZERO;
    const unsigned n = s->var[u->var[0]].n;
    for (unsigned long long row = 0; row < u->size / n; ++row) {
        unsigned long long best = LL_ENGINE_MANY_;
        for (unsigned a = 0; a < n; ++a) {
            unsigned long long sum = 0;
            for (unsigned k = 0; k < terms; ++k) {
                sum += term[k].table[term[k].at + a * term[k].step[0]];
            }
            best = sum < best ? sum : best;
        }
        to[row] = best;
        for (unsigned d = 1; d < u->n; ++d) {
            const unsigned wrap = ++at[d] == s->var[u->var[d]].n;
            for (unsigned k = 0; k < terms; ++k) {
                term[k].at += term[k].step[d];
                term[k].at -= wrap ? term[k].step[d] * at[d] : 0u;
            }
            if (!wrap) {
                break;
            }
            at[d] = 0;
        }
    }
}

/* Private: sets up where a function is read for the labels of a scope. */
LL_FN void ll_engine_term_of_(const ll_engine_solution_ *s,
                              const ll_engine_scope_ *u, const ll_engine_fn_ *f,
                              ll_engine_term_ *t) {
    const ll_engine_term_ none = LL_ZERO;
    *t = none;
    t->table = f->table;
    for (unsigned d = 0; d < u->n; ++d) {
        unsigned long long step = 1;
        for (unsigned k = 0; k < f->n; ++k) {
            const unsigned x = s->scope[f->at + k];
            t->step[d] = x == u->var[d] ? step : t->step[d];
            step *= s->var[x].n;
        }
    }
}

#define LL_ENGINE_TERMS_ 64u

/* Private: eliminates x from as many of its functions as fit into one table.
 * Their minimum is a new function. Returns the number of functions used. */
LL_FN unsigned ll_engine_part_(ll_engine *e, ll_engine_solution_ *s, unsigned x,
                               unsigned part) {
    ll_engine_term_ term[LL_ENGINE_TERMS_] = LL_ZERO;
    unsigned list[LL_ENGINE_TERMS_] = LL_ZERO;
    ll_engine_scope_ u = LL_ZERO;
    unsigned n = 0;
    u.n = 1;
    u.var[0] = x;
    u.size = s->var[x].n;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        ll_engine_fn_ *f = &s->fn[s->node[k]];
        const unsigned long long most = n ? e->table : 1ull << 50;
        if (!f->gone && n < LL_ENGINE_TERMS_ &&
            ll_engine_join_(s, &u, f, most)) {
            f->gone = 1;
            f->bucket = x;
            f->part = part;
            list[n] = s->node[k];
            ++n;
        }
    }
    const unsigned m = ll_engine_fn_new_(e, s, u.n - 1u, u.var + 1);
    if (e->err) {
        return 0;
    }
    s->fn[m].from = x;
    s->fn[m].of = part;
    for (unsigned k = 0; k < n; ++k) {
        ll_engine_term_of_(s, &u, &s->fn[list[k]], &term[k]);
    }
    ll_engine_minimise_(s, &u, term, n, s->fn[m].table);
    if (u.n == 1u) {
        s->bound = ll_engine_plus_(s->bound, s->fn[m].table[0]);
        s->fn[m].gone = 1;
    }
    return n;
}

/* Private: eliminates x. */
LL_FN void ll_engine_eliminate_var_(ll_engine *e, ll_engine_solution_ *s,
                                    unsigned x) {
    unsigned left = 0;
    unsigned part = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        left += !s->fn[s->node[k]].gone;
    }
    while (left && !e->err) {
        left -= ll_engine_part_(e, s, x, part);
        ++part;
    }
    s->cut += part > 1u;
    s->var[x].gone = 1;
    s->order[s->orders] = x;
    ++s->orders;
}

/* Private: eliminates all unknowns, smallest tables first. */
LL_FN void ll_engine_eliminate_all_(ll_engine *e, ll_engine_solution_ *s) {
    unsigned long long limit = 16;
    s->first_message = s->fns;
    s->order = ll_engine_take_word_(e, s->vars + 1u);
    while (s->orders < s->vars && !e->err) {
        unsigned long long least = ~0ull;
        unsigned which = LL_ENGINE_NONE;
        unsigned any = 0;
        for (unsigned x = 0; x < s->vars && !e->err; ++x) {
            if (s->var[x].gone) {
                continue;
            }
            const unsigned long long w = ll_engine_weight_(s, x);
            if (w <= limit) {
                ll_engine_eliminate_var_(e, s, x);
                any = 1;
            } else if (w < least || which == LL_ENGINE_NONE) {
                least = w;
                which = x;
            }
        }
        if (!any && which != LL_ENGINE_NONE && !e->err) {
            ll_engine_eliminate_var_(e, s, which);
        }
        limit = any ? limit : least;
    }
}

/* Private: returns the entry of a function for the labels chosen so far. */
LL_FN unsigned long long ll_engine_entry_(const ll_engine_solution_ *s,
                                          const ll_engine_fn_ *f) {
    unsigned long long at = 0;
    unsigned long long step = 1;
    for (unsigned k = 0; k < f->n; ++k) {
        const ll_engine_var_ *x = &s->var[s->scope[f->at + k]];
        at += step * x->label;
        step *= x->n;
    }
    return f->table[at];
}

/* Private: returns how much the label of x, chosen last, adds to the bound. */
LL_FN unsigned long long ll_engine_adds_(const ll_engine_solution_ *s,
                                         unsigned x,
                                         unsigned long long messages) {
    unsigned long long sum = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[k]];
        sum += f->bucket == x ? ll_engine_entry_(s, f) : 0u;
    }
    return sum >= LL_ENGINE_MANY_ ? LL_ENGINE_MANY_ : sum - messages;
}

/* Private: chooses the next label of a level, in increasing order of what
 * labels add to the bound. Returns 0 if none is left that stays below
 * `best`. */
LL_FN int ll_engine_next_label_(ll_engine_solution_ *s, unsigned x,
                                ll_engine_level_ *l, unsigned long long best) {
    unsigned long long least = LL_ENGINE_MANY_;
    unsigned which = LL_ENGINE_NONE;
    for (unsigned a = 0; a < s->var[x].n; ++a) {
        s->var[x].label = a;
        const unsigned long long add = ll_engine_adds_(s, x, l->messages);
        const int later =
            !l->some || add > l->last || (add == l->last && a > l->tried);
        if (later && add < least) {
            least = add;
            which = a;
        }
    }
    if (which == LL_ENGINE_NONE || l->bound + least >= best) {
        return 0;
    }
    l->some = 1;
    l->last = least;
    l->tried = s->var[x].label = which;
    return 1;
}

/* Private: returns the sum of the messages that unknown x sent, for the labels
 * chosen so far. first[x] is the first message. */
LL_FN unsigned long long ll_engine_sent_(const ll_engine_solution_ *s,
                                         const unsigned *first, unsigned x) {
    unsigned long long sum = 0;
    for (unsigned m = first[x]; m < s->fns && s->fn[m].from == x; ++m) {
        sum += ll_engine_entry_(s, &s->fn[m]);
    }
    return sum;
}

/* Private: searches for labels of all unknowns that cost less than `best`, and
 * replaces it, until the bound is reached. */
LL_FN void ll_engine_descend_(const ll_engine *e, ll_engine_solution_ *s,
                              const unsigned *first, ll_engine_level_ *level,
                              unsigned *best) {
    unsigned depth = 0;
    int down = 1;
    while (s->vars) {
        const unsigned x = s->order[s->vars - 1u - depth];
        ll_engine_level_ *l = &level[depth];
        if (down) {
            l->some = 0;
            l->messages = ll_engine_sent_(s, first, x);
        }
        ++s->visited;
        down = ll_engine_next_label_(s, x, l, s->cost) &&
               (s->visited < e->nodes || s->cost == LL_ENGINE_MANY_);
        if (!down && depth == 0) {
            break;
        }
        if (!down) {
            --depth;
            continue;
        }
        if (depth + 1u < s->vars) {
            level[depth + 1u].bound = l->bound + l->last;
            ++depth;
            continue;
        }
        s->cost = l->bound + l->last;
        for (unsigned k = 0; k < s->vars; ++k) {
            best[k] = s->var[k].label;
        }
        down = 0;
        if (s->cost == s->bound) {
            break;
        }
    }
}

/* Private: finds the best labels by a search guided by the messages. If no
 * elimination was cut, it never goes back. */
LL_FN void ll_engine_search_(ll_engine *e, ll_engine_solution_ *s) {
    unsigned *first = ll_engine_take_word_(e, s->vars + 1u);
    unsigned *best = ll_engine_take_word_(e, s->vars + 1u);
    ll_engine_level_ *level = ll_engine_take_level_(e, s->vars + 1u);
    if (e->err) {
        return;
    }
    for (unsigned m = s->fns; m-- > s->first_message;) {
        first[s->fn[m].from] = m;
    }
    s->cost = s->vars ? LL_ENGINE_MANY_ : 0u;
    level[0].bound = s->bound;
    ll_engine_descend_(e, s, first, level, best);
    s->optimal = s->cost == s->bound || s->visited < e->nodes;
    for (unsigned k = 0; k < s->vars; ++k) {
        s->var[k].label = best[k];
    }
}

#endif /* LL_ENGINE */

#endif
