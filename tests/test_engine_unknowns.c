/* test_engine_unknowns.c - what the layout engine does not know before it solves.
 * SPDX-License-Identifier: MIT
 *
 * What is unknown is listed from its definition, and conversions of one value
 * are ordered by all their orders.
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(conversions_come_in_the_cheapest_order);
    RUN(unknowns_are_sets_of_instances_and_layouts);
    return test_end();
}
