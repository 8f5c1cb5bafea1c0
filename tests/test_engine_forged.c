/* test_engine_forged.c - certificates of the layout engine that are refused.
 * SPDX-License-Identifier: MIT
 *
 * Proofs of solved graphs are changed, and are then no proofs.
 */
#include "engine_graphs.h"
#include "engine_said.h"

static const char *const proven[] = {
    "x = load 32x32:32\ny = load 32x32:32\nt = trans x order=1x0\n"
    "z = map x y t\nw = trans z order=1x0\nv = map w y\n"
    "store z\nstore w\nsink v in0=\"" ROW "\"\n"
    "sink v in0=\"" COLUMN "\"\nsink v in0=\"" TILE "\"\n",
    "c = constant 32x32:32\nx = map c\ny = map x cost=2\nsink x in0=\"" ROW
    "\"\nsink x in0=\"" COLUMN "\"\nsink y in0=\"" TILE "\"\nsink y in0=\"" ROW
    "\"\nstore y contiguous=1x32\n",
    ("a = load 64x64:16\ny = load 64x64:32\nb = load 64x64:16\n"
     "c = dot a b y by=mma\nstore c contiguous=1x64\nstore y\n")};

static void proven_graph(unsigned n) {
    begin(n == 2u ? 4 : 2);
    engine.most = 4;
    CHECK(ll_engine_parse(&engine, proven[n]) && ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
}

/* A label is dropped once, because of another one that there is, and that was
 * not dropped before. */
static void forged_drops_are_refused(void) {
    unsigned drops = 0;
    for (unsigned n = 0; n < 3u; ++n) {
        proven_graph(n);
        ll_engine_solution_ *s = ll_engine_found_(&engine);
        for (unsigned k = 0; k < s->drops; ++k) {
            const ll_engine_drop_ was = s->drop[k];
            unsigned labels = s->var[was.var].n;
            for (unsigned j = 0; j < s->drops; ++j) {
                labels += s->drop[j].var == was.var;
            }
            s->drop[k].by = labels;
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            s->drop[k] = was;
            s->drop[k].label = labels;
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            s->drop[k] = was;
            s->drop[k].var = s->vars;
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            s->drop[k] = was;
            ++drops;
        }
        s->drop =
            ll_engine_room_drop_(&engine, s->drop, s->drops + 1u, &s->cap_drop);
        for (unsigned k = 0; k < s->drops; ++k) { /* one of them twice */
            s->drop[s->drops] = s->drop[k];
            ++s->drops;
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            --s->drops;
        }
        for (unsigned x = 0; x < s->vars; ++x) {
            for (unsigned k = 0; k < s->var[x].n; ++k) {
                unsigned *label = &s->label[s->var[x].first + k];
                const unsigned was = *label;
                *label = LL_ENGINE_NONE - 1u;
                CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_LABEL);
                *label = was;
            }
        }
    }
    COVERS(drops > 20u);
}

/* Of two labels that beat each other one stays: a proof by which both were
 * dropped is none, even if all else of it is right. */
static void labels_do_not_drop_each_other(void) {
    unsigned tried = 0;
    for (unsigned n = 0; n < 3u; ++n) {
        for (unsigned x = 0; x < 12u; ++x) {
            begin(n == 2u ? 4 : 2);
            engine.most = 4;
            CHECK(ll_engine_parse(&engine, proven[n]));
            ll_engine_prepare_(&engine);
            ll_engine_solution_ *s = ll_engine_take_found_(&engine, 1);
            engine.found = s;
            ll_engine_set_up_(&engine, s);
            unsigned a = 0;
            unsigned b = 0;
            const unsigned labels = x < s->vars ? s->var[x].n : 0u;
            for (unsigned k = 0; k < labels * labels; ++k) {
                if (k / labels < k % labels &&
                    ll_engine_is_beaten_(s, x, k / labels, k % labels) &&
                    ll_engine_is_beaten_(s, x, k % labels, k / labels)) {
                    a = k / labels;
                    b = k % labels;
                }
            }
            if (a == b || labels < 3u) {
                continue;
            }
            s->drop = ll_engine_room_drop_(&engine, s->drop, 2, &s->cap_drop);
            for (unsigned k = 0; k < 2u; ++k) {
                s->drop[k].var = x;
                s->drop[k].label = k ? b : a;
                s->drop[k].by = k ? a : b;
                s->label[s->var[x].first + (k ? b : a)] = LL_ENGINE_NONE;
            }
            s->drops = 2;
            ll_engine_compact_(s);
            ll_engine_eliminate_all_(&engine, s);
            ll_engine_search_(&engine, s);
            if (s->cost >= LL_ENGINE_MANY_) {
                continue;
            }
            for (unsigned v = 0; v < engine.values; ++v) {
                if (!engine.value[v].is_free) {
                    ll_engine_list_moves_(&engine, s, v);
                }
            }
            CHECK(!engine.err);
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            ++tried;
        }
    }
    COVERS(tried > 1u);
}

/* A conversion begins with a layout in which the value is. */
static void conversions_begin_where_values_are(void) {
    unsigned tried = 0;
    for (unsigned n = 0; n < 2u; ++n) {
        proven_graph(n);
        ll_engine_solution_ *s = ll_engine_found_(&engine);
        for (unsigned k = 0; k < s->moves; ++k) {
            const ll_engine_move was = s->move[k];
            const ll_engine_value *x = &engine.value[was.value];
            const unsigned long long cost = s->cost;
            for (unsigned c = 0; c < x->n; ++c) {
                const unsigned id = engine.candidate[x->first + c];
                int there = is_held(was.value, id) || id == was.to;
                for (unsigned j = 0; j < k; ++j) {
                    there = there || (s->move[j].value == was.value &&
                                      s->move[j].to == id);
                }
                if (there) {
                    continue;
                }
                const ll_plan p = ll_engine_plan(&engine, id, was.to, x->bits,
                                                 x->element_bits);
                s->move[k].from = id;
                s->move[k].kind = p.kind;
                s->move[k].cost = 8ull * p.cycles * x->weight;
                s->cost = cost - was.cost + s->move[k].cost;
                CHECK(!p.err);
                CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_MOVE);
                ++tried;
            }
            s->cost = cost;
            s->move[k] = was;
        }
    }
    COVERS(tried > 3u);
    /* the sum of a product is where its instructions want it */
    proven_graph(2);
    const ll_engine_op *o = &engine.op[3];
    CHECK(o->kind == LL_ENGINE_DOT && o->n_in == 3u);
    for (unsigned k = 2; k < 4u; ++k) {
        const unsigned was = engine.fixed[o->at + k];
        for (unsigned id = 0; id < engine.flats; ++id) {
            engine.fixed[o->at + k] = id;
            CHECK(ll_engine_check(&engine) ==
                  (id == was ? (unsigned)LL_ENGINE_PROVEN
                             : (unsigned)LL_ENGINE_BAD_LAYOUT));
        }
        engine.fixed[o->at + k] = was;
    }
}

/* Two unknowns with two labels each, one function of both, and one of each. */
static void two_unknowns(ll_engine_solution_ *s, int turned,
                         unsigned long long x, unsigned long long y) {
    const ll_engine_solution_ none = LL_ZERO;
    *s = none;
    for (unsigned k = 0; k < 2u; ++k) {
        ll_engine_var_new_(&engine, s, 0, k);
        ll_engine_label_(&engine, s, 0);
        ll_engine_label_(&engine, s, 1);
    }
    for (unsigned k = 0; k < 2u; ++k) {
        const unsigned f = ll_engine_fn_new_(&engine, s, 1, &k);
        s->fn[f].table[1] = k ? y : x;
    }
    const unsigned both[2] = {turned ? 1u : 0u, turned ? 0u : 1u};
    ll_engine_fn_new_(&engine, s, 2, both);
}

/* A message depends on all that went into it but the unknown that it came from;
 * it goes into none before it, nor into itself. */
static void forged_messages_are_refused(void) {
    for (unsigned n = 0; n < 2u; ++n) {
        ll_engine_solution_ s, r;
        begin(2);
        engine.table = 1000;
        engine.nodes = 1000;
        two_unknowns(&s, n == 1u, 1, 2);
        two_unknowns(&r, n == 1u, 1, 2);
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == 0 && s.bound == 0);
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
        ll_engine_fn_ *m = &s.fn[s.first_message];
        CHECK(m->n == 1u);
        m->n = 0; /* it is 0 everywhere, so that all sums are right */
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_BAD_BOUND);
        m->n = 1;
        for (unsigned k = 0; k < s.fns; ++k) {
            const ll_engine_fn_ *f = &s.fn[k];
            for (unsigned d = 0; d < f->n; ++d) {
                unsigned *at = &s.scope[f->at + d];
                const unsigned was = *at;
                *at = s.vars;
                CHECK(ll_engine_check_bound_(&engine, &s, &r) ==
                      LL_ENGINE_BAD_BOUND);
                *at = LL_ENGINE_NONE;
                CHECK(ll_engine_check_bound_(&engine, &s, &r) ==
                      LL_ENGINE_BAD_BOUND);
                *at = f->from == LL_ENGINE_NONE ? was : f->from;
                CHECK(ll_engine_check_bound_(&engine, &s, &r) ==
                      (f->from == LL_ENGINE_NONE
                           ? (unsigned)LL_ENGINE_PROVEN
                           : (unsigned)LL_ENGINE_BAD_BOUND));
                *at = was;
            }
        }
        for (unsigned d = 0; d < 2u; ++d) { /* the same unknown twice */
            unsigned *at = &s.scope[s.fn[2].at];
            const unsigned was = at[d];
            at[d] = at[!d];
            CHECK(ll_engine_check_bound_(&engine, &s, &r) != LL_ENGINE_PROVEN);
            at[d] = was;
        }
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
    }
    /* a message that is a part of itself: 0 + c is c, for any c */
    ll_engine_solution_ s = LL_ZERO;
    ll_engine_solution_ r = LL_ZERO;
    begin(2);
    engine.table = 1000;
    engine.nodes = 1000;
    for (unsigned k = 0; k < 2u; ++k) {
        ll_engine_solution_ *t = k ? &r : &s;
        const unsigned x = 0;
        ll_engine_var_new_(&engine, t, 0, 0);
        ll_engine_label_(&engine, t, 0);
        ll_engine_label_(&engine, t, 1);
        const unsigned f = ll_engine_fn_new_(&engine, t, 1, &x);
        t->fn[f].table[1] = 7;
    }
    ll_engine_eliminate_all_(&engine, &s);
    ll_engine_search_(&engine, &s);
    CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
    const unsigned x = 0;
    const unsigned f = ll_engine_fn_new_(&engine, &s, 1, &x);
    s.fn[f].from = s.fn[f].bucket = 0;
    s.fn[f].table[0] = s.fn[f].table[1] = 3;
    s.fn[s.first_message] = s.fn[f]; /* in the place of the right one */
    s.node[s.var[0].list] = s.first_message;
    --s.fns;
    CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_BAD_BOUND);
}

/* A graph without a solution is stuck at the first function, or message, that
 * rules everything out. */
static void the_first_that_rules_all_out_is_named(void) {
    unsigned named = 0;
    unsigned none = 0;
    for (unsigned n = 0; n < 2000u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        begin(2);
        CHECK(ll_engine_parse(&engine, "x = load 4:32\nz = map x\n"
                                       "y = load 4:32\nw = load 4:32\n"));
        engine.table = n % 2u ? 1000u : 2u;
        const unsigned vars = 1u + test_random(4);
        for (unsigned k = 0; k < vars; ++k) {
            ll_engine_var_new_(&engine, &s, test_random(2), k);
            for (unsigned j = 0; j < 1u + k % 3u; ++j) {
                ll_engine_label_(&engine, &s, j);
            }
        }
        for (unsigned k = 0; k < vars + 3u; ++k) {
            unsigned both[2] = {k % vars, test_random(vars)};
            const unsigned two = k >= vars && both[0] != both[1];
            const unsigned f = ll_engine_fn_new_(&engine, &s, 1u + two, both);
            unsigned size = s.var[both[0]].n * (two ? s.var[both[1]].n : 1u);
            while (size-- > 0) {
                s.fn[f].table[size] =
                    test_random(6) < n % 6u ? LL_ENGINE_MANY_ : test_random(9);
            }
        }
        const unsigned fns = s.fns;
        ll_engine_eliminate_all_(&engine, &s);
        unsigned first = LL_ENGINE_NONE;
        for (unsigned k = s.fns; k-- > 0;) {
            const ll_engine_fn_ *f = &s.fn[k];
            unsigned size = 1;
            int all = 1;
            for (unsigned d = 0; d < f->n; ++d) {
                size *= s.var[s.scope[f->at + d]].n;
            }
            for (unsigned t = 0; t < size; ++t) {
                all = all && f->table[t] >= LL_ENGINE_MANY_;
            }
            const unsigned x = k < fns ? s.scope[f->at + f->n - 1u] : f->from;
            first = all ? s.var[x].of : first; /* value k: operation k */
        }
        CHECK(ll_engine_stuck_(&engine, &s) == first);
        named += first != LL_ENGINE_NONE;
        none += first == LL_ENGINE_NONE;
    }
    COVERS(named > 300u && none > 100u);
}

/* What uses a value before it is made is refused: as its only operand, and as
 * what another loop begins with. */
static void what_comes_behind_is_not_used(void) {
    for (unsigned n = 0; n < 3u; ++n) {
        ll_engine_spec s = LL_ZERO;
        unsigned in[1];
        begin(2);
        CHECK(ll_engine_parse(&engine, "x = load 4:32\nw = load 4:32\n"));
        ll_engine_loop(&engine, 4);
        const unsigned a = ll_engine_carry(&engine, 0, 4);
        const unsigned behind = ll_engine_result(&engine, a, 1);
        unsigned op = 0;
        s.kind = LL_ENGINE_MAP;
        s.n_in = 1;
        s.in = in;
        if (n == 0) {
            in[0] = behind;
            op = ll_engine_add(&engine, s);
        } else if (n == 1u) {
            op = ll_engine_carry(&engine, behind, 2);
            ll_engine_yield(&engine, op, 0);
        }
        in[0] = ll_engine_result(&engine, a, 0);
        const unsigned next = ll_engine_add(&engine, s);
        ll_engine_yield(&engine, a, ll_engine_result(&engine, next, 0));
        ll_engine_loop(&engine, 0);
        CHECK(!engine.err);
        CHECK(ll_engine_solve(&engine) == (n == 2u));
        CHECK(n == 2u ||
              (engine.err == LL_ENGINE_EVALUE && engine.wrong == op));
    }
}

/* Values of twelve axes are checked as well. */
static void twelve_axes_are_checked(void) {
    static const char *const all[] = {
        "x = load 2x2x1x2x1x2x1x1x2x2x1x4:32\n"
        "t = trans x order=1x0x2x3x4x5x11x6x7x8x9x10\nstore t\n",
        "x = load 2x2x1x2x1x2x1x1x2x2x1x4:32\n"
        "b = broadcast x 2x2x1x2x1x2x1x1x2x2x8x4\nstore b\n",
        "x = load 2x2x2x4x2x4:32\nt = trans x order=1x0x5x2x3x4\n"
        "r = reduce t axis=1\ne = expand r axis=2\nb = broadcast e "
        "2x4x2x2x4x2\nj = join b b\ns, u = split j\nstore s\nstore u\n"
        "v = reshape b 16x16\nstore v contiguous=1x16\n",
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        solved(all[n], 2, 1);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(forged_drops_are_refused);
    RUN(labels_do_not_drop_each_other);
    RUN(conversions_begin_where_values_are);
    RUN(forged_messages_are_refused);
    RUN(the_first_that_rules_all_out_is_named);
    RUN(what_comes_behind_is_not_used);
    RUN(twelve_axes_are_checked);
    return test_end();
}
