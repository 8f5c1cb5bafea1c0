/* test_engine_solver.c - the solver of the layout engine, and its proof.
 * SPDX-License-Identifier: MIT
 *
 * Models at random are solved here by trying all labels, what is unknown is
 * listed from its definition, and changed proofs are refused.
 */
#include "engine_random.h"

/* ---- Conversions of one value ------------------------------------------- */

/* Costs between n layouts, as the engine keeps them once they are known. */
enum { LAYOUTS = 12 };

static unsigned long long known[LAYOUTS * LAYOUTS];

static unsigned long long cost_between(unsigned from, unsigned to) {
    return known[from * LAYOUTS + to] - 1u;
}

/* The cheapest way from what is held to all of `need`, trying every order. */
static unsigned long long cheapest(unsigned held, unsigned need) {
    unsigned long long best = need & ~held ? ~0ull : 0u;
    for (unsigned to = 0; to < LAYOUTS; ++to) {
        if (!((need & ~held) >> to & 1u)) {
            continue;
        }
        unsigned long long step = ~0ull;
        for (unsigned from = 0; from < LAYOUTS; ++from) {
            if (held >> from & 1u && cost_between(from, to) < step) {
                step = cost_between(from, to);
            }
        }
        const unsigned long long all = step + cheapest(held | 1u << to, need);
        best = all < best ? all : best;
    }
    return best;
}

static unsigned long long in_order(unsigned held, const unsigned char *order,
                                   unsigned n) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < n; ++k) {
        unsigned long long step = ~0ull;
        for (unsigned from = 0; from < LAYOUTS; ++from) {
            if (held >> from & 1u && cost_between(from, order[k]) < step) {
                step = cost_between(from, order[k]);
            }
        }
        sum += step;
        held |= 1u << order[k];
    }
    return sum;
}

static void conversions_come_in_the_cheapest_order(void) {
    const ll_engine_costs_ c = {&engine, 0, LAYOUTS, known};
    unsigned orders = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        for (unsigned k = 0; k < LAYOUTS * LAYOUTS; ++k) {
            known[k] = 1u + (test_random(9) ? 10u + test_random(90) : 0u);
        }
        const unsigned made = 1u << test_random(LAYOUTS) |
                              (n % 3u ? 0u : 1u << test_random(LAYOUTS));
        unsigned need = test_random(1u << LAYOUTS);
        need &= n % 8u ? test_random(1u << LAYOUTS) : ~0u;
        ll_engine_order_ order = LL_ZERO;
        const unsigned long long sum =
            ll_engine_spread_cost_(&c, made, need, &order);
        unsigned lacks = 0;
        unsigned seen = 0;
        int ascends = 1;
        for (unsigned k = 0; k < order.n; ++k) {
            seen |= 1u << order.at[k];
            ascends = ascends && (k == 0 || order.at[k] > order.at[k - 1u]);
        }
        for (unsigned k = 0; k < LAYOUTS; ++k) {
            lacks += (need & ~made) >> k & 1u;
        }
        CHECK(order.n == lacks && seen == (need & ~made));
        CHECK(in_order(made, order.at, order.n) == sum);
        if (lacks <= 6u) {
            CHECK(sum == cheapest(made, need));
            orders += !ascends;
        } else {
            CHECK(ascends);
        }
        /* the nearest of what is held */
        unsigned from = 99;
        const unsigned to = test_random(LAYOUTS);
        const unsigned char one = (unsigned char)to;
        const unsigned long long near = ll_engine_nearest_(&c, made, to, &from);
        CHECK(near == in_order(made, &one, 1) && made >> from & 1u);
        CHECK(cost_between(from, to) == near);
    }
    COVERS(orders > 100u);
    /* what is ruled out stays so, however often it is added */
    for (unsigned k = 0; k < LAYOUTS * LAYOUTS; ++k) {
        known[k] = LL_ENGINE_MANY_ + 1u;
    }
    for (unsigned need = 2; need < 1u << LAYOUTS; need *= 2u) {
        ll_engine_order_ order = LL_ZERO;
        CHECK(ll_engine_spread_cost_(&c, 1, (need - 1u) | need, &order) ==
              LL_ENGINE_MANY_);
    }
}

/* ---- The solver alone --------------------------------------------------- */

/* A model: unknowns with a few labels, and tables of one or two of them. */
enum { VARS = 7, LABELS = 4, FNS = 14 };

typedef struct model {
    unsigned vars, fns;
    unsigned labels[VARS];
    unsigned n[FNS], var[FNS][2];
    unsigned long long table[FNS][LABELS * LABELS];
} model;

static unsigned long long random_cost(unsigned kind) {
    return test_random(12) == 0 ? (kind ? LL_ENGINE_MANY_ : 0u)
                                : test_random(kind == 2u ? 3u : 30u);
}

static model random_model(unsigned kind) {
    model m = LL_ZERO;
    m.vars = 1u + test_random(VARS);
    m.fns = m.vars + test_random(FNS - VARS + 1u);
    for (unsigned x = 0; x < m.vars; ++x) {
        m.labels[x] = 1u + test_random(LABELS);
    }
    for (unsigned f = 0; f < m.fns; ++f) {
        m.n[f] = f < m.vars || m.vars == 1u ? 1u : 2u;
        m.var[f][0] = f < m.vars ? f : test_random(m.vars);
        do {
            m.var[f][1] = test_random(m.vars);
        } while (m.n[f] > 1u && m.var[f][1] == m.var[f][0]);
        for (unsigned t = 0; t < LABELS * LABELS; ++t) {
            m.table[f][t] = random_cost(kind);
        }
    }
    return m;
}

static unsigned long long entry(const model *m, unsigned f,
                                const unsigned *label) {
    const unsigned a = label[m->var[f][0]];
    const unsigned b = m->n[f] > 1u ? label[m->var[f][1]] : 0u;
    return m->table[f][b * m->labels[m->var[f][0]] + a];
}

static unsigned long long cost_of_labels(const model *m,
                                         const unsigned *label) {
    unsigned long long sum = 0;
    for (unsigned f = 0; f < m->fns; ++f) {
        const unsigned long long c = entry(m, f, label);
        sum = c >= LL_ENGINE_MANY_ || sum >= LL_ENGINE_MANY_
                  ? LL_ENGINE_MANY_
                  : sum + c;
    }
    return sum;
}

static unsigned long long least_cost(const model *m) {
    unsigned label[VARS] = LL_ZERO;
    unsigned long long best = LL_ENGINE_MANY_;
    for (unsigned x = 0; x < m->vars;) {
        const unsigned long long c = cost_of_labels(m, label);
        best = c < best ? c : best;
        for (x = 0; x < m->vars && ++label[x] == m->labels[x]; ++x) {
            label[x] = 0;
        }
    }
    return best;
}

static void set_up(const model *m, ll_engine_solution_ *s) {
    const ll_engine_solution_ none = LL_ZERO;
    *s = none;
    for (unsigned x = 0; x < m->vars; ++x) {
        CHECK(ll_engine_var_new_(&engine, s, 0, x) == x);
        for (unsigned k = 0; k < m->labels[x]; ++k) {
            ll_engine_label_(&engine, s, k);
        }
    }
    for (unsigned f = 0; f < m->fns; ++f) {
        CHECK(ll_engine_fn_new_(&engine, s, m->n[f], m->var[f]) == f);
        const unsigned size =
            m->labels[m->var[f][0]] *
            (m->n[f] > 1u ? m->labels[m->var[f][1]] : 1u);
        for (unsigned t = 0; t < size; ++t) {
            CHECK(s->fn[f].table[t] == 0);
            s->fn[f].table[t] = m->table[f][t];
        }
    }
}

/* Whether label a of x costs at least as much as b with all labels of the
 * others that are left, function by function. */
static int is_beaten(const model *m, const unsigned char (*left)[LABELS],
                     unsigned x, unsigned a, unsigned b) {
    long long gain = 0;
    for (unsigned f = 0; f < m->fns; ++f) {
        const int two = m->n[f] > 1u;
        if (m->var[f][0] != x && !(two && m->var[f][1] == x)) {
            continue;
        }
        const unsigned y = m->var[f][m->var[f][0] == x && two];
        long long least = (long long)LL_ENGINE_MANY_;
        for (unsigned k = 0; k < (two ? m->labels[y] : 1u); ++k) {
            unsigned label[VARS] = LL_ZERO;
            label[y] = k;
            label[x] = a;
            const unsigned long long p = entry(m, f, label);
            label[x] = b;
            const unsigned long long q = entry(m, f, label);
            if (two && !left[y][k]) {
                continue;
            }
            if (q >= LL_ENGINE_MANY_ && p < LL_ENGINE_MANY_) {
                return 0;
            }
            if (p < LL_ENGINE_MANY_ && (long long)(p - q) < least) {
                least = (long long)(p - q);
            }
        }
        gain += least;
    }
    return gain >= 0;
}

/* A label is dropped only if another one beats it, and then it is. */
static void beaten_labels_are_dropped(void) {
    unsigned dropped = 0;
    unsigned kept = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        const model m = random_model(n % 3u);
        unsigned char left[VARS][LABELS];
        ll_engine_solution_ s;
        begin_80(2);
        set_up(&m, &s);
        memset(left, 1, sizeof left);
        ll_engine_drop_all_(&engine, &s);
        for (unsigned k = 0; k < s.drops; ++k) {
            const ll_engine_drop_ d = s.drop[k];
            CHECK(d.var < m.vars && d.label < m.labels[d.var]);
            CHECK(d.by < m.labels[d.var] && d.by != d.label);
            CHECK(left[d.var][d.label] && left[d.var][d.by]);
            CHECK(is_beaten(&m, (const unsigned char(*)[LABELS])left, d.var,
                            d.label, d.by));
            left[d.var][d.label] = 0;
        }
        dropped += s.drops;
        for (unsigned x = 0; x < m.vars; ++x) {
            unsigned to = 0;
            for (unsigned a = 0; a < m.labels[x]; ++a) {
                if (!left[x][a]) {
                    continue;
                }
                CHECK(s.label[s.var[x].first + to] == a);
                ++to;
                for (unsigned b = 0; b < m.labels[x] && n % 3u; ++b) {
                    kept += b != a && left[x][b] &&
                            is_beaten(&m, (const unsigned char(*)[LABELS])left,
                                      x, a, b);
                }
            }
            CHECK(s.var[x].n == to && to);
        }
        /* the tables are closed up */
        for (unsigned f = 0; f < m.fns; ++f) {
            const unsigned x = m.var[f][0];
            const unsigned y = m.n[f] > 1u ? m.var[f][1] : x;
            unsigned to = 0;
            for (unsigned b = 0; b < (m.n[f] > 1u ? m.labels[y] : 1u); ++b) {
                for (unsigned a = 0; a < m.labels[x]; ++a) {
                    if (left[x][a] && (m.n[f] < 2u || left[y][b])) {
                        CHECK(s.fn[f].table[to] ==
                              m.table[f][b * m.labels[x] + a]);
                        ++to;
                    }
                }
            }
        }
    }
    COVERS(dropped > 3000u);
    CHECK(kept < 10u); /* four rounds are enough nearly everywhere */
}

/* The bound is the least cost, or below it where an elimination was cut; the
 * search finds labels of the least cost. */
static void models_are_solved(void) {
    unsigned cut = 0;
    unsigned none = 0;
    unsigned searched = 0;
    for (unsigned n = 0; n < 4000u; ++n) {
        const model m = random_model(n % 3u);
        const unsigned long long least = least_cost(&m);
        unsigned label[VARS] = LL_ZERO;
        ll_engine_solution_ s;
        ll_engine_solution_ r;
        begin_80(2);
        engine.table = n % 2u ? 1u << 20 : 4u + n % 32u;
        engine.nodes = 1000000;
        set_up(&m, &s);
        set_up(&m, &r);
        if (n % 4u < 2u) {
            ll_engine_drop_all_(&engine, &s);
            ll_engine_drop_all_(&engine, &r);
        }
        ll_engine_eliminate_all_(&engine, &s);
        CHECK(!engine.err && s.orders == m.vars && s.bound <= least);
        CHECK(s.cut || s.bound == least);
        CHECK((!s.cut || n % 2u == 0) && s.cut <= m.vars);
        CHECK(s.first_message == m.fns);
        cut += s.cut;
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == least);
        none += least >= LL_ENGINE_MANY_;
        if (least >= LL_ENGINE_MANY_) {
            continue;
        }
        CHECK(s.optimal);
        CHECK(s.cut || s.visited == m.vars);
        searched += s.visited > m.vars;
        for (unsigned x = 0; x < m.vars; ++x) {
            CHECK(s.var[x].label < s.var[x].n);
            label[x] = s.label[s.var[x].first + s.var[x].label];
        }
        CHECK(cost_of_labels(&m, label) == least);
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
        /* a search to the end visits fewer nodes than are allowed */
        const unsigned long long all = s.visited;
        for (unsigned more = 0; more < 2u && s.cost > s.bound; ++more) {
            s.visited = 0;
            s.optimal = 0;
            engine.nodes = all + more;
            ll_engine_search_(&engine, &s);
            CHECK(s.optimal == (more != 0) && s.cost == least);
            CHECK(s.visited == all);
        }
        /* with few nodes some labels are found, and called the best only if
           they are */
        s.visited = 0;
        s.optimal = 0;
        engine.nodes = 1 + n % 12u;
        ll_engine_search_(&engine, &s);
        for (unsigned x = 0; x < m.vars; ++x) {
            label[x] = s.label[s.var[x].first + s.var[x].label];
        }
        CHECK(cost_of_labels(&m, label) == s.cost && s.cost >= least);
        CHECK(!s.optimal || s.cost == least);
        CHECK(s.cost > s.bound || s.optimal);
    }
    COVERS(cut > 150u && none > 150u && searched > 50u);
}

/* A search that has labels ends when the allowed nodes are visited, but for the
 * way back, which visits each unknown above once more. */
static void searches_end_in_time(void) {
    unsigned ended = 0;
    for (unsigned n = 0; n < times(3000); ++n) {
        const model m = random_model(n % 2u * 2u);
        ll_engine_solution_ s;
        begin_80(2);
        engine.table = 2u + n % 4u;
        engine.nodes = 1000000;
        set_up(&m, &s);
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        if (s.cost >= LL_ENGINE_MANY_ || s.visited == m.vars) {
            continue;
        }
        const unsigned long long all = s.visited;
        s.visited = 0;
        engine.nodes = 1;
        ll_engine_search_(&engine, &s);
        const unsigned long long first = s.visited; /* and all the way back */
        for (unsigned nodes = 2; nodes < 60u && nodes < all; ++nodes) {
            const unsigned long long most = nodes + m.vars - 1u;
            s.visited = 0;
            engine.nodes = nodes;
            ll_engine_search_(&engine, &s);
            CHECK(s.visited <= (most < first ? first : most));
            CHECK(s.visited >= nodes || s.cost == s.bound);
            ended += s.visited == most && most > first;
        }
    }
    COVERS(ended > 20u);
}

/* A table has the least sum over the first unknown, for each label of the
 * others; no term behind the last is read, no entry behind the last written. */
static void tables_have_the_least_sums(void) {
    enum { TERMS = 4, OVER = 3, MOST = 3 };
    for (unsigned n = 0; n < times(400); ++n) {
        ll_engine_var_ var[OVER] = LL_ZERO;
        ll_engine_solution_ s = LL_ZERO;
        ll_engine_scope_ u = LL_ZERO;
        ll_engine_term_ term[TERMS + 1] = LL_ZERO;
        unsigned long long table[TERMS + 1][MOST * MOST * MOST];
        unsigned long long to[MOST * MOST + 1];
        const unsigned terms = 1u + n % TERMS;
        s.var = var;
        u.n = 1u + test_random(OVER);
        u.size = 1;
        for (unsigned d = 0; d < u.n; ++d) {
            u.var[d] = u.n - 1u - d;
            var[u.var[d]].n = 1u + test_random(MOST);
            u.size *= var[u.var[d]].n;
        }
        for (unsigned k = 0; k <= terms; ++k) {
            unsigned step = 1;
            for (unsigned d = 0; d < u.n; ++d) {
                const unsigned has = k == terms || test_random(3) != 0;
                term[k].step[d] = has ? step : 0u;
                step *= has ? var[u.var[d]].n : 1u;
            }
            term[k].table = table[k];
            for (unsigned j = 0; j < MOST * MOST * MOST; ++j) {
                table[k][j] = k == terms ? 1000u : 1u + test_random(50);
            }
        }
        const unsigned size = var[u.var[0]].n;
        const unsigned rows = (unsigned)u.size / size;
        to[rows] = 77;
        ll_engine_minimise_(&s, &u, term, terms, to);
        CHECK(to[rows] == 77u);
        for (unsigned row = 0; row < rows; ++row) {
            unsigned long long least = ~0ull;
            for (unsigned a = 0; a < size; ++a) {
                unsigned long long sum = 0;
                for (unsigned k = 0; k < terms; ++k) {
                    unsigned long long at = a * term[k].step[0];
                    unsigned left = row;
                    for (unsigned d = 1; d < u.n; ++d) {
                        at += left % var[u.var[d]].n * term[k].step[d];
                        left /= var[u.var[d]].n;
                    }
                    sum += table[k][at];
                }
                least = sum < least ? sum : least;
            }
            CHECK(to[row] == least);
        }
    }
}

/* A proof of a model does not survive the change of any number of it. */
static void changed_proofs_are_refused(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        const model m = random_model(0);
        ll_engine_solution_ s;
        ll_engine_solution_ r;
        begin_80(2);
        engine.table = n % 2u ? 1u << 20 : 8u;
        engine.nodes = 1000000;
        set_up(&m, &s);
        set_up(&m, &r);
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        const unsigned long long used = engine.used;
#define REFUSES(what, by)                                                   \
    do {                                                                    \
        const unsigned long long was_ = (unsigned long long)(what);         \
        (what) = by;                                                        \
        CHECK(ll_engine_check_bound_(&engine, &s, &r) !=                    \
              LL_ENGINE_PROVEN);                                            \
        engine.used = used;                                                 \
        memcpy(&(what), &was_, sizeof(what));                               \
    } while (0)
        for (unsigned f = 0; f < s.fns; ++f) {
            ll_engine_fn_ *g = &s.fn[f];
            unsigned long long size = 1;
            for (unsigned k = 0; k < g->n; ++k) {
                size *= s.var[s.scope[g->at + k]].n;
            }
            for (unsigned long long t = 0; t < size; ++t) {
                REFUSES(g->table[t], g->table[t] + 1u);
            }
            if (g->n) {
                REFUSES(g->bucket, s.vars);
                REFUSES(g->bucket, LL_ENGINE_NONE);
            }
            if (f < s.first_message) {
                REFUSES(g->n, 0u);
                REFUSES(s.scope[g->at], s.vars);
                if (g->n > 1u) {
                    REFUSES(g->n, 1u);
                    REFUSES(s.scope[g->at], s.scope[g->at + 1u]);
                }
            } else {
                REFUSES(g->from, s.vars);
                REFUSES(g->from, LL_ENGINE_NONE);
            }
        }
        for (unsigned k = 0; k < s.vars; ++k) {
            REFUSES(s.order[k], s.vars);
            REFUSES(s.order[k], s.order[k ? 0 : s.vars - 1u] +
                                    (s.vars == 1u));
        }
        REFUSES(s.orders, s.orders - 1u);
        REFUSES(s.bound, s.bound + 1u);
        if (s.bound) {
            REFUSES(s.bound, s.bound - 1u);
            REFUSES(s.cost, s.bound - 1u);
        }
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
#undef REFUSES
    }
}

/* Unknowns in a tree are eliminated from the leaves on: no table is larger
 * than those that were there. */
static void trees_need_no_larger_tables(void) {
    for (unsigned n = 0; n < 200u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        begin_80(2);
        engine.table = 1u << 20;
        engine.nodes = 1000;
        const unsigned vars = 2u + test_random(60);
        for (unsigned x = 0; x < vars; ++x) {
            ll_engine_var_new_(&engine, &s, 0, x);
            for (unsigned k = 0; k < 5u; ++k) {
                ll_engine_label_(&engine, &s, k);
            }
        }
        for (unsigned x = 1; x < vars; ++x) {
            const unsigned both[2] = {n % 2u ? test_random(x) : x - 1u, x};
            const unsigned f = ll_engine_fn_new_(&engine, &s, 2, both);
            for (unsigned t = 0; t < 25u; ++t) {
                s.fn[f].table[t] = test_random(50);
            }
        }
        ll_engine_eliminate_all_(&engine, &s);
        CHECK(s.widest == 25u && !s.cut);
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == s.bound && s.optimal && s.visited == vars);
    }
}

/* ---- What is unknown ---------------------------------------------------- */

/* The layouts of an instance's slot, as a mask of candidates. */
static unsigned candidate_in(unsigned p, unsigned t, unsigned slot) {
    const ll_engine_op *o = &engine.op[p];
    const unsigned c =
        engine.instance[o->first + t * (o->n_in + o->n_out) + slot];
    return c == LL_ENGINE_NONE ? 0u : 1u << c;
}

/* What a set of instances needs of value v (made: in what it makes v). */
static unsigned layouts_in(unsigned p, unsigned set, unsigned v, int made) {
    const ll_engine_op *o = &engine.op[p];
    unsigned mask = 0;
    for (unsigned t = 0; t < o->n; ++t) {
        for (unsigned k = made ? o->n_in : 0u;
             set >> t & 1u && k < (made ? o->n_in + o->n_out : o->n_in); ++k) {
            mask |= engine.operand[o->at + k] == v ? candidate_in(p, t, k) : 0u;
        }
    }
    return mask;
}

/* The sets of instances in which an operation may be executed. */
static unsigned sets_of(unsigned p, unsigned *set) {
    const ll_engine_op *o = &engine.op[p];
    const unsigned most = o->alone || engine.sets == 1u ? 1u
                          : o->is_light && o->n < 10u   ? engine.sets
                                                        : 2u;
    unsigned n = 0;
    for (unsigned s = 1; s < 1u << o->n; ++s) {
        if (ll_popcount_(s) <= most) {
            set[n] = s;
            ++n;
        }
    }
    return n;
}

static unsigned set_of_label(unsigned label) {
    unsigned set = 1u << (label & 1023u);
    set |= label >> 10 & 1023u ? 1u << ((label >> 10 & 1023u) - 1u) : 0u;
    return set | (label >> 20 ? 1u << ((label >> 20) - 1u) : 0u);
}

/* Whether an unknown has these labels, each once, in any order. */
static int has_labels(const ll_engine_solution_ *s, unsigned x, int ops,
                      const unsigned *want, unsigned n) {
    const ll_engine_var_ *y = &s->var[x];
    int all = y->n == n;
    for (unsigned k = 0; k < n && all; ++k) {
        unsigned found = 0;
        for (unsigned j = 0; j < n; ++j) {
            const unsigned l = s->label[y->first + j];
            found += (ops ? set_of_label(l) : l) == want[k];
        }
        all = found == 1u;
    }
    return all;
}

static unsigned long long move_cost(unsigned v, unsigned made, unsigned need) {
    const ll_engine_value *x = &engine.value[v];
    for (unsigned a = 0; a < x->n; ++a) {
        for (unsigned b = 0; b < x->n; ++b) {
            const ll_engine_pair_ *p = ll_engine_convert_(
                &engine, engine.candidate[x->first + a],
                engine.candidate[x->first + b], x->bits, x->element_bits);
            known[a * LAYOUTS + b] = p->cost * x->weight + 1u;
        }
    }
    return cheapest(made, need);
}

/* The operations that use a value, each once. */
static unsigned users_of(unsigned v, unsigned *user) {
    unsigned n = 0;
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        int uses = 0;
        for (unsigned k = 0; k < o->n_in; ++k) {
            uses = uses || engine.operand[o->at + k] == v;
        }
        if (uses && o->n) {
            user[n] = p;
            ++n;
        }
    }
    return n;
}

static unsigned sets[4096];

/* The sets of layouts of a value with several users. */
static void check_value(const ll_engine_solution_ *s, unsigned v,
                        const unsigned *user, unsigned users) {
    unsigned label[4096];
    unsigned n = 0;
    unsigned want = 0;
    unsigned must = 0;
    for (unsigned k = 0; k < users; ++k) {
        unsigned each = ~0u;
        for (unsigned t = 0; t < engine.op[user[k]].n; ++t) {
            const unsigned m = layouts_in(user[k], 1u << t, v, 0);
            want |= m;
            each &= m;
        }
        must |= each;
    }
    const unsigned wants = ll_popcount_(want);
    unsigned most = wants <= 6u ? wants : wants <= 9u ? 3u : 2u;
    most = most < ll_popcount_(must) ? ll_popcount_(must) : most;
    for (unsigned m = 1; m < 1u << LAYOUTS; ++m) {
        if ((m & ~want) == 0 && (must & ~m) == 0 && ll_popcount_(m) <= most) {
            label[n] = m;
            ++n;
        }
    }
    const unsigned x = s->value_var[v];
    CHECK(s->var[x].is_value == 1u && s->var[x].of == v);
    const unsigned first = s->label[s->var[x].first];
    if (ll_popcount_(first) > most) { /* one that serves all */
        CHECK((must & ~first) == 0 && (first & ~want) == 0);
        for (unsigned k = 0; k < users; ++k) {
            int served = 0;
            for (unsigned t = 0; t < engine.op[user[k]].n; ++t) {
                served = served ||
                         !(layouts_in(user[k], 1u << t, v, 0) & ~first);
            }
            CHECK(served);
        }
        label[n] = first;
        ++n;
    } else { /* there is one among the others */
        int some = 0;
        for (unsigned j = 0; j < n && !some; ++j) {
            some = 1;
            for (unsigned k = 0; k < users && some; ++k) {
                int served = 0;
                for (unsigned t = 0; t < engine.op[user[k]].n; ++t) {
                    served = served ||
                             !(layouts_in(user[k], 1u << t, v, 0) & ~label[j]);
                }
                some = served;
            }
        }
        CHECK(some);
    }
    CHECK(has_labels(s, x, 0, label, n));
}

/* The table of conversions between what makes v and the unknown y. */
static void check_moves(const ll_engine_solution_ *s, unsigned f, unsigned v,
                        unsigned y) {
    const unsigned def = engine.value[v].def;
    const unsigned x = s->op_var[def];
    const ll_engine_fn_ *g = &s->fn[f];
    CHECK(g->n == (x == y ? 1u : 2u) && s->scope[g->at] == x);
    CHECK(x == y || s->scope[g->at + 1u] == y);
    for (unsigned b = 0; b < s->var[y].n; ++b) {
        const unsigned want = s->label[s->var[y].first + b];
        const unsigned need =
            s->var[y].is_value
                ? want
                : layouts_in(s->var[y].of, set_of_label(want), v, 0);
        for (unsigned a = 0; a < s->var[x].n; ++a) {
            const unsigned set = set_of_label(s->label[s->var[x].first + a]);
            const unsigned made = layouts_in(def, set, v, 1);
            if (x != y) {
                CHECK(g->table[b * s->var[x].n + a] ==
                      move_cost(v, made, need));
            } else if (a == b) {
                CHECK(g->table[a] == move_cost(v, made, need));
            }
        }
    }
}

static void check_own(const ll_engine_solution_ *s, unsigned f, unsigned p) {
    const ll_engine_op *o = &engine.op[p];
    const unsigned x = s->op_var[p];
    CHECK(s->fn[f].n == 1u && s->scope[s->fn[f].at] == x);
    for (unsigned k = 0; k < s->var[x].n; ++k) {
        const unsigned set = set_of_label(s->label[s->var[x].first + k]);
        unsigned long long sum = (ll_popcount_(set) - 1ull) * o->weight;
        sum = o->kind == LL_ENGINE_CARRY ? 0u : sum;
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[8];
            ll_engine_numbers_(&engine, p, t, tuple);
            sum += set >> t & 1u
                       ? o->weight * ll_engine_price(&engine, p, tuple)
                       : 0u;
        }
        CHECK(s->fn[f].table[k] == sum);
    }
}

static void check_ruled_out(const ll_engine_solution_ *s, unsigned f,
                            unsigned v, unsigned p) {
    const unsigned x = s->op_var[p];
    const unsigned y = s->value_var[v];
    CHECK(s->fn[f].n == 2u && s->scope[s->fn[f].at] == x);
    CHECK(s->scope[s->fn[f].at + 1u] == y);
    for (unsigned b = 0; b < s->var[y].n; ++b) {
        for (unsigned a = 0; a < s->var[x].n; ++a) {
            const unsigned set = set_of_label(s->label[s->var[x].first + a]);
            const unsigned need = layouts_in(p, set, v, 0);
            CHECK(s->fn[f].table[b * s->var[x].n + a] ==
                  (need & ~s->label[s->var[y].first + b] ? LL_ENGINE_MANY_
                                                         : 0u));
        }
    }
}

static void unknowns_are_sets_of_instances_and_layouts(void) {
    unsigned several = 0;
    unsigned many = 0;
    for (unsigned n = 0; n < 40u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        random_text(5u + n % 14u, n % 11u);
        begin_80(2);
        engine.most = 3u + n % 10u;
        engine.sets = 1u + n % 3u;
        CHECK(ll_engine_parse(&engine, graph_text));
        ll_engine_prepare_(&engine);
        CHECK(!engine.err);
        ll_engine_set_up_(&engine, &s);
        int small = 1; /* the enumeration below has room for it */
        for (unsigned p = 0; p < engine.ops; ++p) {
            small = small && engine.op[p].n <= LAYOUTS;
        }
        for (unsigned v = 0; v < engine.values; ++v) {
            small = small && engine.value[v].n <= LAYOUTS;
        }
        if (!small) {
            continue;
        }
        unsigned f = 0;
        unsigned x = 0;
        for (unsigned p = 0; p < engine.ops; ++p) {
            if (engine.op[p].n == 0) {
                CHECK(s.op_var[p] == LL_ENGINE_NONE);
                continue;
            }
            CHECK(s.op_var[p] == x && s.var[x].of == p && !s.var[x].is_value);
            CHECK(has_labels(&s, x, 1, sets, sets_of(p, sets)));
            check_own(&s, f, p);
            ++x;
            ++f;
        }
        for (unsigned v = 0; v < engine.values; ++v) {
            unsigned user[32];
            const unsigned users =
                engine.value[v].is_free ? 0u : users_of(v, user);
            if (users < 2u) {
                CHECK(s.value_var[v] == LL_ENGINE_NONE);
            }
            if (users == 0) {
                continue;
            }
            if (users == 1u) {
                check_moves(&s, f, v, s.op_var[user[0]]);
                ++f;
                continue;
            }
            CHECK(s.value_var[v] == x);
            ++x;
            ++several;
            many += engine.value[v].n > 6u;
            check_value(&s, v, user, users);
            check_moves(&s, f, v, s.value_var[v]);
            ++f;
            for (unsigned k = 0; k < users; ++k) {
                check_ruled_out(&s, f, v, user[k]);
                ++f;
            }
        }
        CHECK(f == s.fns && x == s.vars);
    }
    COVERS(several > 20u && many);
}

/* ---- Certificates ------------------------------------------------------- */

/* Every number of a certificate counts; what is wrong has its name. */
static void certificates_are_read_to_the_end(void) {
    unsigned moved = 0;
    unsigned drops = 0;
    for (unsigned n = 0; n < 16u; ++n) {
        random_text(6u + n % 5u, 5);
        begin_80(2);
        engine.most = 4;
        CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_LABEL);
        CHECK(ll_engine_parse(&engine, graph_text) && ll_engine_solve(&engine));
        ll_engine_solution_ *s = ll_engine_found_(&engine);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned long long used = engine.used;
#define SAYS(what, by, bad)                                                 \
    do {                                                                    \
        const unsigned long long was_ = (unsigned long long)(what);         \
        (what) = by;                                                        \
        CHECK(ll_engine_check(&engine) == (unsigned)(bad));                 \
        CHECK(engine.used == used);                                         \
        memcpy(&(what), &was_, sizeof(what));                               \
    } while (0)
        SAYS(s->cost, s->cost + 1u, LL_ENGINE_BAD_SUM);
        if (s->cost) {
            CHECK(s->bound == s->cost);
            s->cost -= 1u;
            const unsigned bad = ll_engine_check(&engine);
            CHECK(bad == LL_ENGINE_BAD_SUM || bad == LL_ENGINE_BAD_MOVE);
            s->cost += 1u;
        }
        SAYS(s->bound, s->bound + 1u, LL_ENGINE_BAD_BOUND);
        SAYS(s->bound, s->bound - 1u, LL_ENGINE_BAD_BOUND);
        SAYS(s->orders, s->orders - 1u, LL_ENGINE_BAD_BOUND);
        SAYS(s->vars, s->vars - 1u, LL_ENGINE_BAD_TABLE);
        SAYS(s->first_message, s->first_message - 1u, LL_ENGINE_BAD_TABLE);
        for (unsigned f = 0; f < s->fns; ++f) {
            SAYS(s->fn[f].table[0], s->fn[f].table[0] + 1u,
                 LL_ENGINE_BAD_TABLE);
        }
        for (unsigned x = 0; x < s->vars; ++x) {
            SAYS(s->var[x].label, s->var[x].n, LL_ENGINE_BAD_LABEL);
            SAYS(s->var[x].n, s->var[x].n + 1u, LL_ENGINE_BAD_DROP);
            SAYS(s->var[x].first, s->var[x].first + 1u, LL_ENGINE_BAD_DROP);
            SAYS(s->label[s->var[x].first], LL_ENGINE_NONE - 1u,
                 LL_ENGINE_BAD_LABEL);
        }
        for (unsigned k = 0; k < s->drops; ++k) {
            ll_engine_drop_ *d = &s->drop[k];
            SAYS(d->var, s->vars, LL_ENGINE_BAD_DROP);
            SAYS(d->label, 4000u, LL_ENGINE_BAD_DROP);
            SAYS(d->by, 4000u, LL_ENGINE_BAD_DROP);
            SAYS(d->by, d->label, LL_ENGINE_BAD_DROP);
            ++drops;
        }
        if (s->drops) {
            SAYS(s->drops, s->drops - 1u, LL_ENGINE_BAD_DROP);
        }
        if (s->drops > 1u) { /* what was dropped cannot be dropped again */
            const ll_engine_drop_ was = s->drop[1];
            s->drop[1] = s->drop[0];
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            s->drop[1] = was;
        }
        for (unsigned k = 0; k < s->moves; ++k) {
            ll_engine_move *m = &s->move[k];
            SAYS(m->value, engine.values, LL_ENGINE_BAD_MOVE);
            SAYS(m->from, engine.flats, LL_ENGINE_BAD_MOVE);
            SAYS(m->to, engine.flats, LL_ENGINE_BAD_MOVE);
            SAYS(m->kind, m->kind + 1u, LL_ENGINE_BAD_MOVE);
            SAYS(m->weight, m->weight + 1u, LL_ENGINE_BAD_MOVE);
            SAYS(m->cost, m->cost + 1u, LL_ENGINE_BAD_MOVE);
            ++moved;
        }
        if (s->moves) {
            SAYS(s->moves, s->moves - 1u, LL_ENGINE_BAD_MOVE);
        }
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            unsigned tuple[8];
            if (o->n_in + o->n_out > 1u && o->n &&
                ll_engine_executed(&engine, p, 0, tuple)) {
                /* a layout that was not fixed when the graph was solved */
                for (unsigned id = 0; id < engine.flats; ++id) {
                    unsigned *slot = &engine.fixed[o->at + o->n_in];
                    if (id != tuple[o->n_in]) {
                        SAYS(*slot, id, LL_ENGINE_BAD_LAYOUT);
                        break;
                    }
                }
            }
        }
        engine.bytes = engine.used; /* without memory nothing is proven */
        CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_MEMORY);
        CHECK(!engine.err);
        engine.bytes = MEMORY - 16u;
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
#undef SAYS
    }
    COVERS(moved > 8u && drops > 100u);
}

/* ---- The order of k ----------------------------------------------------- */

/* A table may have as many entries as allowed, and no more. An unknown may
 * have any number of functions. */
static void tables_have_their_limit(void) {
    for (unsigned n = 0; n < 40u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        begin_80(2);
        engine.table = 120u + n % 10u;
        engine.nodes = 10000;
        for (unsigned x = 0; x < 3u; ++x) {
            ll_engine_var_new_(&engine, &s, 0, x);
            for (unsigned k = 0; k < 5u; ++k) {
                ll_engine_label_(&engine, &s, k);
            }
        }
        for (unsigned x = 0; x < 3u; ++x) { /* each two: 5 x 5 x 5 entries */
            const unsigned both[2] = {x, (x + 1u) % 3u};
            const unsigned f = ll_engine_fn_new_(&engine, &s, 2, both);
            for (unsigned t = 0; t < 25u; ++t) {
                s.fn[f].table[t] = test_random(9);
            }
        }
        ll_engine_eliminate_all_(&engine, &s);
        CHECK((s.cut != 0) == (engine.table < 125u));
    }
    for (unsigned n = 60; n < 70u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        unsigned long long sum[3] = {0, 0, 0};
        unsigned best = 0;
        begin_80(2);
        engine.table = 1000;
        engine.nodes = 10000;
        ll_engine_var_new_(&engine, &s, 0, 0);
        for (unsigned k = 0; k < 3u; ++k) {
            ll_engine_label_(&engine, &s, k);
        }
        for (unsigned k = 0; k < n; ++k) {
            const unsigned one = 0;
            const unsigned f = ll_engine_fn_new_(&engine, &s, 1, &one);
            for (unsigned t = 0; t < 3u; ++t) {
                s.fn[f].table[t] = test_random(50);
                sum[t] += s.fn[f].table[t];
                best = sum[t] < sum[best] ? t : best;
            }
        }
        for (unsigned t = 0; t < 3u; ++t) {
            best = sum[t] < sum[best] ? t : best;
        }
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == sum[best] && s.bound <= s.cost && s.optimal);
    }
}

/* ---- Constants ---------------------------------------------------------- */

/* A graph in the steps in which a compiler solves it: lists in a pool, prices
 * one by one, then the choice in another pool. */
static ll_engine_pool_ pool[2];

static ll_assignment in_steps(const char *text, unsigned warps,
                              ll_engine_family family) {
    static unsigned long long price[400];
    static const ll_engine_pool_ empty = LL_ZERO;
    ll_engine e = LL_ZERO;
    pool[0] = empty;
    ll_engine_start_(&e, LL_SM90, warps, 1);
    e.pool = &pool[0];
    e.family = family;
    e.sort = ll_sort_cycles;
    ll_assign_limits_(&e);
    ll_engine_parse(&e, text);
    ll_engine_prepare_(&e);
    ll_assign_pairs_(&e);
    const unsigned jobs = e.err ? 0u : e.pairs + e.jobs;
    CHECK(jobs <= 400u);
    for (unsigned k = 0; k < jobs; ++k) {
        price[k] = ll_assign_price_(&e, k);
    }
    ll_engine last = e;
    pool[1] = pool[0];
    last.pool = &pool[1];
    ll_engine_move_pool_(&last, &pool[0]);
    memset(&pool[0], 0xa5, sizeof pool[0]); /* nothing is read there */
    for (unsigned k = 0; k < last.pairs && !last.err; ++k) {
        last.pair[k].cost = price[k] >> 4;
        last.pair[k].kind = (unsigned)(price[k] & 15u);
    }
    for (unsigned k = 0; k < last.jobs && !last.err; ++k) {
        last.price[last.job[4u * k]] = price[last.pairs + k];
    }
    last.priced = 1;
    ll_engine_choose_(&last);
    return ll_assign_result_(&last);
}

/* The same when the program runs. */
static ll_assignment at_once(const char *text, unsigned warps,
                             ll_engine_family family) {
#if LL_CONSTEXPR
    ll_engine_begin(&engine, arena, MEMORY, LL_SM90, warps, 1);
    engine.family = family;
    engine.sort = ll_sort_cycles;
    ll_assign_limits_(&engine);
    ll_engine_parse(&engine, text);
    ll_engine_solve(&engine);
    return ll_assign_result_(&engine);
#else
    return ll_assign_(text, warps, LL_SM90, family, ll_sort_cycles);
#endif
}

static void constants_are_solved_in_steps(void) {
    static const struct {
        const char *text;
        unsigned n; /* of values */
    } all[] = {
        {"x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
         "store t contiguous=1x64 align=16\n", 2},
        {"x = load 16x1024:32 contiguous=1x1024 align=16\n"
         "s = reduce x axis=1\nm = map s\nm1 = expand m axis=1\n"
         "mb = broadcast m1 16x1024\nd = map x mb\nv = reduce d axis=1\n"
         "c = scan d axis=1 cost=2\nt = trans c order=1x0\n"
         "store t contiguous=1x16 align=16\nstore v\n", 9},
        {"x = load 32x32:32 contiguous=1x32 align=16\n"
         "i = load 32x32:32 contiguous=32x1 align=16\n"
         "loop 4 a = x\ng = gather a i axis=1\nyield g -> b\n"
         "store b contiguous=1x32\n", 5},
        {"q = load 64x64:16 align=16 contiguous=1x64\n"
         "w = load 64x64:16 align=16 contiguous=1x64\n"
         "wt = trans w order=1x0\nc = dot q wt by=mma\n"
         "store c align=16 contiguous=1x64\n", 4},
        {"a = tma_load 64x64:16\nb = tma_load 64x64:16\nc = dot a b by=wgmma\n"
         "store c align=16 contiguous=1x64\n", 3},
        {"x = load 32x32:32 contiguous=1x32 align=16\ns = sort x axis=1\n"
         "t = sort s axis=0\nstore t contiguous=1x32 align=16\n", 3},
        {"c = constant 32x16:8\nu = unpack c axis=1\nt = sort u axis=0\n"
         "store t contiguous=1x32 align=16\n", 3},
        {"a = tma_load 64x64:16\nb = tma_load 64x64:16\nz = constant 64x64:32"
         "\nloop 8 t = b, s = z\nn = tma_load 64x64:16\n"
         "d = dot a t s by=wgmma\nyield n, d -> u, c\n"
         "store c contiguous=1x64\n", 9},
        {"k = constant 32x32:32\nl = map k\n"
         "store l contiguous=1x32\nstore l contiguous=32x1\nstore k\n", 2}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        const ll_assignment a = in_steps(all[n].text, 4, ll_ptx_dot);
        const ll_assignment b = at_once(all[n].text, 4, ll_ptx_dot);
        CHECK(!a.err && !b.err && a.cost && a.cost == b.cost);
        CHECK(a.conversions == b.conversions && a.n == b.n);
        CHECK(a.n == all[n].n && a.character == b.character);
        CHECK(memcmp(a.value, b.value, sizeof a.value) == 0);
        for (unsigned v = 0; v < a.n; ++v) {
            char name[8] = LL_ZERO;
            memcpy(name, a.value[v].name, a.value[v].length);
            for (unsigned k = 0; k < 4u; ++k) {
                const ll_layout l = ll_assigned(a, name, k);
                CHECK((l.err == 0) == (k < a.value[v].n));
                CHECK(ll_assigned_has_(a, name, k) == !l.err);
            }
        }
    }
    CHECK(in_steps("x = load 4:32\ny = map z\n", 4, 0).err ==
          LL_ENGINE_EVALUE);
    CHECK(in_steps("x = load 4:32\ny = map z\n", 4, 0).character == 23u);
    CHECK(at_once("x = load 4:32\ny = map z\n", 4, 0).err ==
          LL_ENGINE_EVALUE);
    char many[1000] = "x = load 4:32\n"; /* more values than are kept */
    for (unsigned k = 0; k < 24u; ++k) {
        snprintf(many + strlen(many), sizeof many - strlen(many),
                 "y%u = map x\n", k);
        const ll_assignment a = at_once(many, 4, 0);
        CHECK(a.err == (k == 23u ? (unsigned)LL_ENGINE_ELARGE : 0u));
        CHECK(a.n == (k == 23u ? 0u : k + 2u));
    }
}

#define SORTED                                                              \
    "x = load 64x32:32 contiguous=1x32 align=16\n"                          \
    "s = sort x axis=1\nt = sort s axis=0\n"                                \
    "store t contiguous=1x32 align=16\n"

/* Sorts have their price in a constant: the layouts are those that the engine
 * finds when the program runs, and the sum is that of their plans. */
static void sorts_are_constants_too(void) {
    LL_ASSIGN(BEST, SORTED, 4, LL_SM90);
    LL_ASSIGNED(S, BEST, "s", 0);
    LL_ASSIGNED(T, BEST, "t", 0);
    const ll_assignment a = at_once(SORTED, 4, 0);
    const ll_assignment b = LL_GET(BEST);
    const ll_layout s = LL_GET(S);
    const ll_layout t = LL_GET(T);
    unsigned long long sum = 0;
    unsigned tuple[4];
    CHECK(!b.err && b.cost == a.cost && b.conversions == a.conversions);
    CHECK(ll_is_equal(s, ll_assigned(a, "s", 0)));
    CHECK(ll_is_equal(t, ll_assigned(a, "t", 0)));
    begin_on(LL_SM90, 4, 1);
    engine.sort = ll_sort_cycles;
    solves(SORTED);
    for (unsigned p = 0; p < engine.ops; ++p) {
        CHECK(ll_engine_executed(&engine, p, 0, tuple));
        sum += p == 1u || p == 2u ? 0u : ll_engine_price(&engine, p, tuple);
    }
    for (unsigned k = 0; k < ll_engine_moves(&engine); ++k) {
        sum += ll_engine_move_at(&engine, k).cost;
    }
    sum += 8ull * ll_sort_of(s, LL_J, 32, LL_SM90).cycles;
    sum += 8ull * ll_sort_of(t, LL_I, 32, LL_SM90).cycles;
    CHECK(ll_engine_cost(&engine) == sum && sum <= b.cost);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(conversions_come_in_the_cheapest_order);
    RUN(beaten_labels_are_dropped);
    RUN(models_are_solved);
    RUN(searches_end_in_time);
    RUN(tables_have_the_least_sums);
    RUN(changed_proofs_are_refused);
    RUN(trees_need_no_larger_tables);
    RUN(tables_have_their_limit);
    RUN(unknowns_are_sets_of_instances_and_layouts);
    RUN(certificates_are_read_to_the_end);
    RUN(constants_are_solved_in_steps);
    RUN(sorts_are_constants_too);
    return test_end();
}
