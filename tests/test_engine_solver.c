/* test_engine_solver.c - the solver of the layout engine, and its proof.
 * SPDX-License-Identifier: MIT
 *
 * Models at random are solved here by trying all labels, and changed proofs are
 * refused.
 */
#include "engine_random.h"

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

/* ---- Certificates ------------------------------------------------------- */

/* The check finds each number that was changed, and tells what is wrong. */
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(beaten_labels_are_dropped);
    RUN(models_are_solved);
    RUN(searches_end_in_time);
    RUN(tables_have_the_least_sums);
    RUN(changed_proofs_are_refused);
    RUN(trees_need_no_larger_tables);
    RUN(tables_have_their_limit);
    RUN(certificates_are_read_to_the_end);
    return test_end();
}
