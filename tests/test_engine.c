/* test_engine.c - the layout engine against enumeration.
 * SPDX-License-Identifier: MIT
 *
 * The best assignment is compared with a search over all assignments that
 * knows nothing of tables, and of bounds only that an operation costs at least
 * its least price; rules of operations with sets of elements, thread by thread;
 * certificates with what becomes of them when one number is changed. `make
 * check-engine` runs 10,800 random graphs and 3,600 changed certificates.
 */
#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#ifndef LL_SORTS
#define LL_SORTS
#endif
#include "definition.h"
#include "engine_products.h"
#include "engine_search.h"
#include "engine_threads.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include <time.h>

/* ---- All assignments ---------------------------------------------------- */

static void nothing_is_cheaper(void) {
    unsigned moved = 0;
    unsigned twice = 0;
    unsigned solved = 0;
    for (unsigned k = 0; k < times(300u); ++k) {
        random_graph(4u + test_random(9));
        CHECK(ll_engine_solve(&engine));
        if (engine.err) {
            continue;
        }
        const unsigned long long cost = ll_engine_cost(&engine);
        CHECK(ll_engine_optimal(&engine));
        CHECK(ll_engine_bound(&engine) == cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        /* from cost + 1 on, so that the engine's own is found again */
        const unsigned long long least = least_of_all(cost + 1u);
        CHECK(least == cost);
        if (least != cost) {
            printf("graph %u: cost %llu, enumeration %llu\n", k, cost, least);
        }
        moved += ll_engine_moves(&engine) != 0;
        for (unsigned v = 0; v < engine.values; ++v) {
            twice += ll_engine_held(&engine, v, 1) != LL_ENGINE_NONE;
        }
        ++solved;
    }
    COVERS(moved > solved / 4u && twice && solved > times(150u));
}

/* A value of six layouts: a product of it with itself has 36 instances, and the
 * best one is among the last. */
static void an_operation_has_many_instances(void) {
    static const char text[] =
        "v0 = load 8x8:32 align=16 contiguous=1x8 "
        "out0=\"register: | lane: i0 i1 i2 j2 j1 | warp: j0\"\n"
        "v1 = load 8x8:8 align=16 contiguous=1x8 "
        "out0=\"register: | lane: j2 j1 i2 i1 j0 | warp: i0\"\n"
        "v2 = dot v1 v0 8x8:32 "
        "in0=\"register: i2 | lane: 0 j2 j1 i0 i1 | warp: j0\" "
        "in1=\"register: j0 | lane: 0 i0 i2 j2 i1 | warp: j1\" "
        "out0=\"register: i2 | lane: j1 j0 i0 j2 i1 | warp: 0\"\n"
        "v3 = dot v2 v1 8x8:32 "
        "in0=\"register: j1 | lane: 0 i2 j0 i1 i0 | warp: j2\" "
        "in1=\"register: | lane: j2 i2 j0 j1 i1 | warp: i0\" "
        "out0=\"register: j0 | lane: 0 j2 i1 i2 j1 | warp: i0\"\n"
        "v4 = dot v1 v1 8x8:32 by=tiles\n"
        "v5 = dot v1 v3 8x8:32 "
        "in0=\"register: | lane: i0 i2 i1 j1 j0 | warp: j2\" "
        "in1=\"register: j0 | lane: 0 j2 i1 i0 j1 | warp: i2\" "
        "out0=\"register: | lane: i1 i0 j1 j2 j0 | warp: i2\"\n"
        "v6 = map v5\nv7 = map v1\nv8 = trans v2 order=1x0\n"
        "v9 = map v1 v7 cost=4\nv10 = trans v8 order=1x0\n"
        "store v10 contiguous=1x8\nstore v9 contiguous=1x8\n";
    unsigned most = 0;
    begin();
    engine.most = 3;
    engine.sets = 1;
    engine.family = tiles;
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    for (unsigned p = 0; p < engine.ops; ++p) {
        most = engine.op[p].n > most ? engine.op[p].n : most;
    }
    COVERS(most == 36u);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    const unsigned long long cost = ll_engine_cost(&engine);
    CHECK(ll_engine_optimal(&engine) && least_of_all(cost + 1u) == cost);
}

/* A value that is stored in n fixed layouts is there in each of them; with few
 * of them the conversions come in the order that costs least. */
static void a_value_is_needed_in_many_layouts(void) {
    unsigned most = 0;
    for (unsigned k = 0; k < times(30u); ++k) {
        const unsigned n = 2u + k % 12u;
        begin();
        engine.most = 3;
        engine.sets = 1;
        const unsigned v = random_load(3, 3 + test_random(2));
        for (unsigned t = 0; t < n; ++t) {
            ll_engine_spec s = LL_ZERO;
            s.kind = LL_ENGINE_STORE;
            s.n_in = 1;
            s.in = &v;
            const unsigned op = ll_engine_add(&engine, s);
            ll_engine_fix(&engine, op, 0, fixed_layout(v));
        }
        CHECK(ll_engine_solve(&engine) && ll_engine_optimal(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned long long cost = ll_engine_cost(&engine);
        CHECK(n > 5u || least_of_all(cost + 1u) == cost);
        const unsigned n_moves = ll_engine_moves(&engine);
        most = n_moves > most ? n_moves : most;
    }
    COVERS(most > 6u);
}

/* Seven stores want seven layouts, and a split can read none of them. */
static void one_set_of_layouts_serves_all_users(void) {
    char text[4000] = "x = load 16x16x2:32 contiguous=1x1x2 align=8\n"
                      "a, b = split x\n"
                      "store a contiguous=1x16 align=16\n";
    for (unsigned k = 0; k < 7u; ++k) {
        const char *bit[8] = {"i0", "i1", "i2", "i3", "j0", "j1", "j2", "j3"};
        const char *first = bit[k];
        bit[k] = bit[7];
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "store x in0=\"register: %s %s %s | lane: k0 %s %s %s %s | "
                 "warp: %s\"\n",
                 first, bit[0], bit[1], bit[2], bit[3], bit[4], bit[5], bit[6]);
    }
    begin();
    engine.most = 20;
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    CHECK(ll_engine_moves(&engine) == 7u);
}

/* What is behind a loop is not there inside it. */
static void cycles_are_refused(void) {
    begin();
    merged = 1; /* arithmetic: a branch may take what is made later */
    const unsigned v = random_load(3, 3);
    const unsigned carry = ll_engine_carry(&engine, v, 4);
    ll_engine_loop(&engine, 4);
    const unsigned next = random_binary(ll_engine_result(&engine, carry, 0),
                                        ll_engine_result(&engine, carry, 1));
    ll_engine_yield(&engine, carry, next);
    ll_engine_loop(&engine, 0);
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EVALUE);
    CHECK(engine.wrong == engine.value[next].def);
}

/* With small tables eliminations are cut and the search takes over. */
static void small_tables_find_the_same(void) {
    unsigned cut = 0;
    for (unsigned k = 0; k < times(100u); ++k) {
        random_graph(6u + test_random(9));
        if (!ll_engine_solve(&engine)) {
            continue;
        }
        const unsigned long long cost = ll_engine_cost(&engine);
        engine.table = 12;
        engine.nodes = 1000000;
        CHECK(ll_engine_solve(&engine) && ll_engine_cost(&engine) == cost);
        CHECK(ll_engine_bound(&engine) <= cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        cut += ll_engine_found_(&engine)->cut;
    }
    COVERS(cut);
}

/* ---- Rules, thread by thread -------------------------------------------- */

static void all_instances_obey_their_operation(void) {
    unsigned seen = 0;
    unsigned in_place = 0;
    unsigned orders = 0; /* other than that of the instructions */
    for (unsigned k = 0; k < times(400u); ++k) {
        random_graph(10);
        if (!ll_engine_solve(&engine)) {
            continue;
        }
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            unsigned tuple[8];
            for (unsigned t = 0; t < o->n; ++t) {
                ll_engine_numbers_(&engine, p, t, tuple);
                for (unsigned s = 0; s < o->n_in + o->n_out; ++s) {
                    const unsigned want = engine.fixed[o->at + s];
                    CHECK(want == LL_ENGINE_NONE || want == tuple[s] ||
                          (o->kind == LL_ENGINE_DOT && s < 2u));
                }
                if (o->kind == LL_ENGINE_DOT && o->by_length) {
                    in_place += reads_a_tile(o, 0, tuple[0]);
                    in_place += reads_a_tile(o, 1, tuple[1]);
                } else if (o->kind == LL_ENGINE_DOT) {
                    CHECK(same_order(o, tuple[0], tuple[1]));
                    orders += tuple[0] != engine.fixed[o->at];
                } else if (o->n_in && o->n_out && o->kind != LL_ENGINE_CARRY) {
                    obeys(p, tuple);
                    seen |= 1u << o->kind;
                }
            }
        }
    }
    COVERS(seen >> LL_ENGINE_TRANS & 1u && seen >> LL_ENGINE_REDUCE & 1u &&
           seen >> LL_ENGINE_BROADCAST & 1u && seen >> LL_ENGINE_EXPAND & 1u &&
           seen >> LL_ENGINE_CONVERT & 1u && orders && in_place);
}

/* Each choice of candidates that obeys an operation is in its list, so that the
 * search above misses none. */
static void no_instance_is_missing(void) {
    unsigned seen = 0;
    for (unsigned k = 0; k < times(200u); ++k) {
        random_graph(4u + test_random(9));
        CHECK(ll_engine_solve(&engine));
        for (unsigned p = 0; p < engine.ops && !engine.err; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const unsigned n = o->n_in + o->n_out;
            const int shape = o->n_in == 1u && o->n_out == 1u &&
                              o->kind != LL_ENGINE_MAP;
            const unsigned big = o->kind == LL_ENGINE_REDUCE ? 0u : n - 1u;
            unsigned count = 0;
            int some = n != 0;
            for (unsigned i = 0; i < n; ++i) {
                const unsigned v = engine.operand[o->at + i];
                some = some && !engine.value[v].is_free;
            }
            if (!some) {
                continue;
            }
            const ll_engine_value *a = &engine.value[engine.operand[o->at]];
            const ll_engine_value *b =
                &engine.value[engine.operand[o->at + big]];
            if (o->kind == LL_ENGINE_DOT) {
                b = &engine.value[engine.operand[o->at + 1u]];
                count = o->by_length ? (o->in_place[0] == LL_ENGINE_NONE
                                            ? a->n : 1u) *
                                           (o->in_place[1] == LL_ENGINE_NONE
                                                ? b->n : 1u)
                                     : 0u;
                for (unsigned c = 0; !o->by_length && c < a->n * b->n; ++c) {
                    count += (unsigned)same_order(
                        o, engine.candidate[a->first + c / b->n],
                        engine.candidate[b->first + c % b->n]);
                }
            }
            for (unsigned c = 0; c < b->n && o->kind != LL_ENGINE_DOT; ++c) {
                const ll_engine_flat f =
                    engine.flat[engine.candidate[b->first + c]];
                const ll_engine_flat g = shape ? image_of(o, f) : f;
                int all = 1;
                for (unsigned i = 0; i < n; ++i) {
                    all = all && is_candidate(o->at + i, i == big ? &f : &g);
                }
                count += (unsigned)all;
            }
            CHECK(count == o->n);
            seen |= 1u << o->kind;
        }
    }
    COVERS(seen >> LL_ENGINE_TRANS & 1u && seen >> LL_ENGINE_REDUCE & 1u &&
           seen >> LL_ENGINE_BROADCAST & 1u && seen >> LL_ENGINE_EXPAND & 1u &&
           seen >> LL_ENGINE_DOT & 1u && seen >> LL_ENGINE_CONVERT & 1u);
}

/* Join, split and unpack have the layouts that their definitions say. */
static void pairs_lie_in_a_register(void) {
    begin();
    CHECK(ll_engine_parse(&engine,
                          "a = load 8x8:16\nb = load 8x8:16\n"
                          "c = join a b\nd, f = split c\n"
                          "store d in0=\"lane: j0 j1 j2 i0 i1 | warp: i2\"\n"
                          "u = unpack f axis=1\nstore u\n"));
    CHECK(ll_engine_solve(&engine) && !ll_engine_moves(&engine));
    const ll_layout d = ll_engine_layout(&engine, 3, ll_engine_held(&engine, 3,
                                                                    0));
    const ll_layout c = ll_engine_layout(&engine, 2, ll_engine_held(&engine, 2,
                                                                    0));
    const ll_layout u = ll_engine_layout(&engine, 5, ll_engine_held(&engine, 5,
                                                                    0));
    CHECK(ll_is_equal(d, ll_parse("register: | lane: j0 j1 j2 i0 i1 | "
                                  "warp: i2")));
    CHECK(ll_is_equal(c, ll_parse("register: k0 | lane: j0 j1 j2 i0 i1 | "
                                  "warp: i2")));
    CHECK(ll_is_equal(u, ll_parse("register: j0 | lane: j1 j2 j3 i0 i1 | "
                                  "warp: i2")));
}

/* ---- Certificates ------------------------------------------------------- */

/* Changes one number of the certificate. Returns 0 if there is none of the
 * kind that was drawn. */
static int tamper(ll_engine_solution_ *s, unsigned *what, void **where,
                  unsigned long long *old) {
    const unsigned fn = test_random(s->fns);
    const unsigned move = s->moves ? test_random(s->moves) : 0u;
    unsigned *word = NULL;
    unsigned long long *wide = NULL;
    switch (*what = test_random(14)) {
    case 0: wide = &s->cost; break;
    case 1: wide = &s->bound; break;
    case 2: wide = &s->fn[fn].table[0]; break;
    case 3: {
        const ll_engine_fn_ *f = &s->fn[fn];
        wide = &f->table[test_random((unsigned)ll_engine_entries_(s, f))];
        break;
    }
    case 4: wide = s->moves ? &s->move[move].cost : NULL; break;
    case 5: word = s->moves ? &s->move[move].from : NULL; break;
    case 6: word = s->moves ? &s->move[move].to : NULL; break;
    case 7: word = s->moves ? &s->moves : NULL; break;
    case 8: word = s->drops ? &s->drop[test_random(s->drops)].label : NULL;
        break;
    case 9: word = s->drops ? &s->drops : NULL; break;
    case 10: word = &s->order[test_random(s->vars)]; break;
    case 11: word = &s->label[test_random(s->labels)]; break;
    case 12: word = s->fn[fn].n ? &s->fn[fn].bucket : NULL; break;
    default: word = &s->var[test_random(s->vars)].n; break;
    }
    const unsigned by = 1u + test_random(3);
    *where = word ? (void *)word : (void *)wide;
    if (word) {
        *old = *word;
        *word = *what == 7u || *what == 9u || *word ? *word - 1u : *word + by;
    } else if (wide) {
        *old = *wide;
        *wide = *wide > by && test_random(2) ? *wide - by : *wide + by;
    }
    return *where != NULL;
}

/* A label that no longer counts: those behind var.n were dropped. */
static int counts(const ll_engine_solution_ *s, const void *where) {
    for (unsigned x = 0; x < s->vars; ++x) {
        const unsigned *l = s->label + s->var[x].first;
        if ((const unsigned *)where >= l &&
            (const unsigned *)where < l + s->var[x].n) {
            return 1;
        }
    }
    return 0;
}

/* A conversion may come from any layout that is there, if it costs the same: a
 * changed source may be as true as the old one. */
static int comes_as_well(const ll_engine_solution_ *s, const void *where) {
    for (unsigned k = 0; k < s->moves; ++k) {
        const ll_engine_move *m = &s->move[k];
        const ll_engine_value *v = &engine.value[m->value];
        int held = 0;
        for (unsigned h = 0; h < 3u; ++h) {
            held |= ll_engine_held(&engine, m->value, h) == m->from;
        }
        for (unsigned h = 0; h < k; ++h) {
            held |= s->move[h].value == m->value && s->move[h].to == m->from;
        }
        if (where == (const void *)&m->from && held) {
            const ll_plan p = ll_engine_plan(&engine, m->from, m->to, v->bits,
                                             v->element_bits);
            return !p.err && 8ull * p.cycles * m->weight == m->cost &&
                   p.kind == m->kind;
        }
    }
    return 0;
}

static void changed_certificates_are_refused(void) {
    unsigned refused = 0;
    while (refused < times(100u)) {
        unsigned what = 0;
        void *where = NULL;
        unsigned long long old = 0;
        random_graph(4u + test_random(9));
        if (!ll_engine_solve(&engine)) {
            continue;
        }
        ll_engine_solution_ *s = ll_engine_found_(&engine);
        for (unsigned k = 0; k < 20u; ++k) {
            if (!tamper(s, &what, &where, &old)) {
                continue;
            }
            const int idle = (what == 11u && !counts(s, where)) ||
                             (what == 5u && comes_as_well(s, where));
            CHECK(idle || ll_engine_check(&engine) != LL_ENGINE_PROVEN);
            refused += !idle;
            if (what >= 5u) {
                *(unsigned *)where = (unsigned)old;
            } else {
                *(unsigned long long *)where = old;
            }
        }
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
}

/* ---- Text and errors ---------------------------------------------------- */

static const char layer_norm[] =
    "# one row a block of lanes\n"
    "x = load 16x1024:32 contiguous=1x1024 align=16\n"
    "s = reduce x axis=1\n"
    "m = map s\n"
    "m1 = expand m axis=1\n"
    "mb = broadcast m1 16x1024\n"
    "d = map x mb\n"
    "sq = map d\n"
    "v = reduce sq axis=1\n"
    "r = map v cost=8\n"
    "r1 = expand r axis=1\n"
    "rb = broadcast r1 16x1024\n"
    "loop 8 acc = d\n"
    "a2 = map acc rb cost=2\n"
    "yield a2 -> y\n"
    "t = trans y order=1x0\n"
    "store t contiguous=1x16 align=16\n"
    "store y contiguous=1x1024 in0=\"register: j0 j1 j9 i0 i1 i2 i3 | "
    "lane: j2 j3 j4 j5 j6 | warp: j7 j8\"\n";

static void text_is_read_and_written(void) {
    static char once[8000], again[8000];
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    CHECK(ll_engine_parse(&engine, layer_norm));
    const unsigned n = ll_engine_print(&engine, once, sizeof once);
    CHECK(n == strlen(once) && strstr(once, "loop 8 acc = d\n"));
    CHECK(strstr(once, "yield a2 -> y\n") && strstr(once, "in0=\"register:"));
    CHECK(ll_engine_solve(&engine));
    const unsigned long long cost = ll_engine_cost(&engine);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    CHECK(ll_engine_parse(&engine, once));
    ll_engine_print(&engine, again, sizeof again);
    CHECK(strcmp(once, again) == 0);
    CHECK(ll_engine_solve(&engine) && ll_engine_cost(&engine) == cost);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
}

/* ---- Constants ---------------------------------------------------------- */

#define TURNED                                                              \
    "x = load 64x64:32 contiguous=1x64 align=16\n"                          \
    "t = trans x order=1x0\n"                                               \
    "store t contiguous=1x64 align=16\n"
#define NORMED                                                              \
    "x = load 16x1024:32 contiguous=1x1024 align=16\n"                      \
    "s = reduce x axis=1\n"                                                 \
    "m = map s\n"                                                           \
    "m1 = expand m axis=1\n"                                                \
    "mb = broadcast m1 16x1024\n"                                           \
    "d = map x mb\n"                                                        \
    "v = reduce d axis=1\n"                                                 \
    "r1 = expand v axis=1\n"                                                \
    "rb = broadcast r1 16x1024\n"                                           \
    "y = map d rb cost=2\n"                                                 \
    "t = trans y order=1x0\n"                                               \
    "store t contiguous=1x16 align=16\n"
#define LOOPED                                                              \
    "a = load 32x32x4:32 contiguous=1x1x4 align=16\n"                       \
    "b = load 4x32x32:32 contiguous=1x1x32 align=16\n"                      \
    "c = trans a order=2x0x1\n"                                             \
    "d = map c b\n"                                                         \
    "e = trans d order=1x2x0\n"                                             \
    "f = map e a\n"                                                         \
    "loop 8 acc = f\n"                                                      \
    "g = map acc a\n"                                                       \
    "h = trans g order=2x1x0\n"                                             \
    "i = trans h order=2x1x0\n"                                             \
    "yield i -> o\n"                                                        \
    "j = reshape o 1024x4:32\n"                                             \
    "store j contiguous=1x4 align=16\n"                                     \
    "store d contiguous=1x1x32 align=16\n"

/* What the engine finds for the same text, within the same limits, when the
 * program runs. */
static void agrees(const char *text, ll_assignment a) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    engine.family = ll_ptx_dot;
    ll_assign_limits_(&engine);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(a.err == 0 && a.cost == ll_engine_cost(&engine) && a.cost);
    CHECK(a.conversions == ll_engine_moves(&engine));
    CHECK(a.n == engine.values);
    for (unsigned v = 0; v < a.n; ++v) {
        char name[20] = LL_ZERO;
        memcpy(name, engine.value[v].name, engine.value[v].length);
        const unsigned id = ll_engine_held(&engine, v, 0);
        CHECK(id == LL_ENGINE_NONE ||
              ll_is_equal(ll_assigned(a, name, 0),
                          ll_engine_layout(&engine, v, id)));
    }
}

#define ORDERED                                                             \
    "q = load 64x64:16 align=16 contiguous=1x64\n"                          \
    "w = load 64x64:16 align=16 contiguous=1x64\n"                          \
    "wt = trans w 64x64:16 order=1x0\n"                                     \
    "c = dot q wt by=mma\n"                                                 \
    "store c align=16 contiguous=1x64\n"
#define PLACED                                                              \
    "a = tma_load 64x64:16\n"                                               \
    "b = tma_load 64x64:16\n"                                               \
    "c = dot a b by=wgmma\n"                                                \
    "store c align=16 contiguous=1x64\n"

static void constants_are_what_the_engine_finds(void) {
    LL_ASSIGN(TURN, TURNED, 4, LL_SM90);
    LL_ASSIGNED(MADE, TURN, "t", 0);
    LL_ASSIGNED(STORED, TURN, "t", 1);
    agrees(TURNED, LL_GET(TURN));
    CHECK(ll_is_equal(LL_GET(MADE),
                      ll_parse("register: i0 i1 j3 j4 j5 | "
                               "lane: i2 i3 i4 i5 j0 | warp: j1 j2")));
    CHECK(ll_is_equal(LL_GET(STORED),
                      ll_parse("register: j0 j1 i3 i4 i5 | "
                               "lane: j2 j3 j4 j5 i0 | warp: i1 i2")));
    LL_ASSIGN_BY(PLACE, PLACED, 4, LL_SM90, ll_ptx_dot); /* a tile */
    LL_ASSIGNED(TILE, PLACE, "b", 0);
    agrees(PLACED, LL_GET(PLACE));
    CHECK(ll_is_equal(LL_GET(TILE), ll_ptx_dot("wgmma", 5, LL_ENGINE_B_MN, 64,
                                               64, 16, 4)));
    CHECK(ll_assigned(LL_GET(TURN), "t", 2).err == LL_EMISSING);
    CHECK(ll_assigned(LL_GET(TURN), "z", 0).err == LL_EMISSING);
}

/* clang++ takes three seconds for each of these: TEST_BRIEF leaves them out. */
#ifndef TEST_BRIEF
static void longer_graphs_are_constants_too(void) {
    LL_ASSIGN(NORM, NORMED, 4, LL_SM90);
    LL_ASSIGN(LOOP, LOOPED, 4, LL_SM90);
    agrees(NORMED, LL_GET(NORM));
    agrees(LOOPED, LL_GET(LOOP));
    /* a product: k in the order that needs no conversion of w */
    LL_ASSIGN_BY(ORDER, ORDERED, 4, LL_SM90, ll_ptx_dot);
    LL_ASSIGNED(SECOND, ORDER, "wt", 0);
    agrees(ORDERED, LL_GET(ORDER));
    CHECK(!ll_is_equal(LL_GET(SECOND), ll_ptx_mma_b(64, 64, 16, 4)));
}
#endif

/* A value that has as many candidates as it may takes one more where an
 * operation would be left without any. */
static void few_candidates_leave_a_solution(void) {
    unsigned long long cost = 0;
    for (unsigned most = 12; most >= 1u; --most) {
        ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
        engine.most = most;
        CHECK(ll_engine_parse(&engine, LOOPED) && ll_engine_solve(&engine));
        CHECK(ll_engine_cost(&engine) >= cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        cost = most == 12u ? ll_engine_cost(&engine) : cost;
    }
}

/* ---- Limits ------------------------------------------------------------- */

static int solve_within(const char *text, unsigned scratch,
                        unsigned registers) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    engine.scratch = scratch;
    engine.registers = registers;
    return ll_engine_parse(&engine, text) && ll_engine_solve(&engine);
}

/* Nothing that was chosen needs more than allowed, and less memory costs at
 * least as much. */
static void limits_are_kept(void) {
    unsigned long long cost = 0;
    unsigned tighter = 0;
    for (unsigned scratch = 32768; scratch >= 256u; scratch /= 2u) {
        CHECK(solve_within(TURNED, scratch, 0));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        for (unsigned k = 0; k < ll_engine_moves(&engine); ++k) {
            const ll_engine_move m = ll_engine_move_at(&engine, k);
            const ll_plan p = ll_engine_plan(&engine, m.from, m.to, 12, 32);
            CHECK(!p.err && p.smem_bytes <= scratch);
        }
        CHECK(ll_engine_cost(&engine) >= cost);
        tighter += ll_engine_cost(&engine) > cost;
        cost = ll_engine_cost(&engine);
    }
    COVERS(tighter > 1u);
    for (unsigned registers = 128; registers >= 32u; registers /= 2u) {
        CHECK(solve_within(TURNED, 0, registers));
        for (unsigned v = 0; v < engine.values; ++v) {
            const unsigned id = ll_engine_held(&engine, v, 0);
            CHECK(1u << engine.flat[id].n[0] <= registers);
        }
    }
}

/* With random limits too there is nothing cheaper, or nothing at all. */
static void limits_rule_out_what_is_cheaper(void) {
    unsigned none = 0;
    unsigned some = 0;
    for (unsigned k = 0; k < times(60u); ++k) {
        random_graph(4u + test_random(6));
        engine.scratch = 16u << test_random(6);
        const int ok = ll_engine_solve(&engine);
        const unsigned long long cost = ok ? ll_engine_cost(&engine) : 0u;
        const unsigned err = engine.err;
        const unsigned wrong = engine.wrong;
        engine.err = 0;
        CHECK(ok || (err == LL_ENGINE_ESCRATCH && wrong < engine.ops));
        CHECK(least_of_all(ok ? cost + 1u : 1ull << 55) ==
              (ok ? cost : 1ull << 55));
        none += !ok;
        some += (unsigned)ok;
    }
    COVERS(none && some > none);
}

static void limits_that_are_too_tight_name_the_operation(void) {
    char said[300];
    CHECK(!solve_within(TURNED, 0, 31));
    CHECK(engine.err == LL_ENGINE_EREGISTERS);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "load x (operation 0, at character 9): every layout of "
                       "the operation needs more registers than allowed"));
    CHECK(!solve_within("x = load 64x64:32 contiguous=1x64 align=16 "
                        "out0=\"register: j0 j1 i3 i4 i5 | lane: j2 j3 j4 j5 "
                        "i0 | warp: i1 i2\"\n"
                        "t = trans x order=1x0\n"
                        "store t in0=\"register: j0 j1 i3 i4 i5 | lane: j2 j3 "
                        "j4 j5 i0 | warp: i1 i2\"\n",
                        8, 0));
    CHECK(engine.err == LL_ENGINE_ESCRATCH && engine.wrong < engine.ops);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "needs more shared memory than allowed"));
}

/* ll_engine_pin returns the cost of the graph with the pin in its text. */
static void explanations_price_a_pin(void) {
    static const char graph[] = "x = load 64x64:32 contiguous=1x64 align=16%s\n"
                                "y = trans x order=1x0\n"
                                "store y contiguous=1x64 align=16\n";
    static const char pinned[] =
        " out0=\"register: i0 i1 i2 i3 i4 | lane: i5 j0 j1 j2 j3 | "
        "warp: j4 j5\"";
    char text[400], why[2000];
    begin();
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    snprintf(text, sizeof text, graph, pinned);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    const unsigned long long cost = ll_engine_cost(&engine);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    snprintf(text, sizeof text, graph, "");
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    const unsigned long long free_cost = ll_engine_cost(&engine);
    const unsigned id = ll_engine_id(
        &engine, 0, ll_parse("register: i0 i1 i2 i3 i4 | lane: i5 j0 j1 j2 j3 "
                             "| warp: j4 j5"));
    CHECK(ll_engine_pin(&engine, 0, id) == cost && cost > free_cost);
    CHECK(ll_engine_cost(&engine) == free_cost);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    const unsigned n = ll_engine_explain(&engine, why, sizeof why);
    CHECK(n == strlen(why) && strstr(why, "optimal among the layouts tried"));
    CHECK(strstr(why, "1 conversion\n") && strstr(why, "convert "));
    CHECK(strstr(why, "made there: "));
    CHECK(strstr(why, ", coalesced for load x\n"));
    CHECK(strstr(why, ", coalesced for store y\n"));
}

/* Returns the layouts in which value 0 is made, and writes to least what the
 * cheapest pin of another layout costs; ~0 if there is none. */
static unsigned next_best_by_pins(unsigned long long *least) {
    unsigned made = 0;
    *least = ~0ull;
    while (ll_engine_held(&engine, 0, made) != LL_ENGINE_NONE) {
        ++made;
    }
    for (unsigned c = 0; c < engine.value[0].n; ++c) {
        const unsigned id = engine.candidate[engine.value[0].first + c];
        const unsigned long long pin = ll_engine_pin(&engine, 0, id);
        int held = 0;
        for (unsigned h = 0; h < made; ++h) {
            held = held || ll_engine_held(&engine, 0, h) == id;
        }
        *least = !held && pin < *least ? pin : *least;
    }
    return made;
}

/* Returns what follows the lines of value 0, one for each layout in which it is
 * made; NULL if they are not there. */
static const char *behind_the_layouts(const char *why, unsigned made) {
    const char *at = strchr(why, '\n');
    for (unsigned h = 0; h < made && at; ++h) {
        const char *const line = h ? "\nv0, recomputed: " : "\nv0: ";
        at = strncmp(at, line, strlen(line)) ? NULL : strchr(at + 1, '\n');
    }
    return at ? at + 1 : NULL;
}

/* What is next best costs the least of all pins of another layout. */
static void explanations_say_what_is_next_best(void) {
    unsigned said = 0;
    for (unsigned k = 0; k < times(20u); ++k) {
        char why[20000], next[100], part[4] = "";
        unsigned long long least;
        random_graph(4u + test_random(6));
        if (!ll_engine_solve(&engine) || engine.value[0].n < 2u) {
            continue;
        }
        const unsigned made = next_best_by_pins(&least);
        const unsigned n = ll_engine_explain(&engine, why, sizeof why);
        CHECK(n == strlen(why) && !strstr(why, "230584300"));
        const char *const at = behind_the_layouts(why, made);
        CHECK(made && at);
        const unsigned long long cost = ll_engine_cost(&engine);
        const unsigned long long more =
            least < cost ? cost - least : least - cost;
        if (more % 8u) { /* one digit of the eighths */
            snprintf(part, sizeof part, ".%llu", more % 8u * 10u / 8u);
        }
        snprintf(next, sizeof next, "    next best: %llu%s cycles %s: ",
                 more / 8u, part,
                 least < cost ? "less, with more candidates" : "more");
        if (least != ~0ull && engine.op[0].n > 1u) {
            CHECK(at && strncmp(at, next, strlen(next)) == 0);
            ++said;
        }
    }
    COVERS(said);
}

/* ---- Operands in shared memory ------------------------------------------ */

static void bad_graphs_name_the_operation(void) {
    static const struct {
        const char *text;
        unsigned err;
        const char *part; /* of the sentence */
    } bad[] = {
        {"x = load 4x4:32\ny = map x z\n", LL_ENGINE_EVALUE, "character 27"},
        {"y = map y\n", LL_ENGINE_EVALUE, "used before"},
        {"x = load 4x4:32\nx = map x\n", LL_ENGINE_ETWICE, "character 17"},
        {"x = load 4x4:32\ny = load 4x8:32\nz = map x y\n", LL_ENGINE_ESHAPE,
         "map x y (operation 2"},
        {"x = load 4x4:32\ny = reduce x axis=2\n", LL_ENGINE_EAXIS,
         "reduce x (operation 1"},
        {"x = load 4x3:32\n", LL_ENGINE_ESIZE, "powers of two"},
        {"x = load 4x4\n", LL_ENGINE_ESIZE, "load"},
        {"x = lood 4x4:32\n", LL_ENGINE_EUNKNOWN, "character 5"},
        {"x = load 4x4:32 colour=4\n", LL_ENGINE_EUNKNOWN, "character 17"},
        {"x = load 4x4:32\ny, z = trans x order=1x0\n", LL_ENGINE_ECOUNT,
         "trans x"},
        {"x = load 4x4:32\ny = trans x order=1x1\n", LL_ENGINE_EAXIS,
         "trans x"},
        {"x = load 4x4:32\ny = fixed x x x 4x4:32\n", LL_ENGINE_EFIXED,
         "fixed x x x"},
        {"x = load 4x4:32\ny = dot x x x\n", LL_ENGINE_EFIXED, "dot x x x"},
        {"x = load 4x4:32\ny = dot x\n", LL_ENGINE_ECOUNT, "dot x"},
        {"x = load 4x4:32\nz = load 8x4:32\ny = dot x z\n",
         LL_ENGINE_ESHAPE, "dot x z"},
        {"x = load 4x4:32\ny = dot x x by=\n", LL_ENGINE_ETEXT,
         "character 32"},
        {"x = local_load 4x4:32\n", LL_ENGINE_EMEMORY, "local_load x"},
        {"x = tma_load 4x4:32 memory=\"offset: j0 j1 i0\"\n",
         LL_ENGINE_EMEMORY, "character 29"},
        {"x = load 4x4:32\nlocal_store x memory=\"lane: j0 j1 i0 i1\"\n",
         LL_ENGINE_EMEMORY, "local_store x"},
        {"x = tma_load 4x4:32 memory=\"offset: j0 j1 i0 i1\"\n"
         "tma_store x memory=4\n",
         LL_ENGINE_ETEXT, "character"},
        {"x = load 4x4:32 memory=\"offset: j0 j1 i0 i1\"\n",
         LL_ENGINE_EMEMORY, "character 25"},
        {"x = load 4x4:32\nstore x memory=\"offset: j0 j1 i0 i1\"\n",
         LL_ENGINE_EMEMORY, "store x"},
        {"x = load 4x4:32\ny = split x\n", LL_ENGINE_EAXIS, "split x"},
        {"x = load 4x4:32 out0=\"lane: j0 j1\"\n", LL_ENGINE_ELAYOUT,
         "character 23"},
        {"x = load 4x4:32 out0=\"lane: j0 j1 i0 i1 0 | warp: 0\"\n"
         "y = map x in0=\"lane: i0 i1 j0 j1 0 | warp: 0\" "
         "out0=\"lane: j0 j1 0 i0 i1 | warp: 0\"\n",
         LL_ENGINE_EFIT, "map x y (operation 1"},
        {"loop 4\nx = load 4x4:32\n", LL_ENGINE_ELOOP, "loop"},
        {"x = load 4x4:32\nyield x\n", LL_ENGINE_ELOOP, "loop"},
        {"x = load 4x4:32\nz = load 4:32\nloop 4 a = x\nyield z\n",
         LL_ENGINE_ELOOP, "carry"},
        {"x = load 4x4:32 out0=\"lane: j0\n", LL_ENGINE_ETEXT, "character"},
        {"= map\n", LL_ENGINE_ETEXT, "character 1"},
    };
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char sentence[400];
        begin();
        CHECK(!ll_engine_parse(&engine, bad[k].text) ||
              !ll_engine_solve(&engine));
        ll_engine_error(&engine, sentence, sizeof sentence);
        if (engine.err != bad[k].err ||
            !(strstr(sentence, bad[k].part) ||
              (engine.err == LL_ENGINE_ELOOP && strstr(sentence, "merge")))) {
            printf("%s -> %u: %s\n", bad[k].text, engine.err, sentence);
            CHECK(0);
        }
    }
}

/* With any amount of memory there is an answer or the error. */
static void too_little_memory_is_an_error(void) {
    unsigned enough = 0;
    for (unsigned bytes = 0; bytes < 1u << 19; bytes += 1777u) {
        ll_engine_begin(&engine, memory, bytes, LL_SM90, 4, 1);
        if (ll_engine_parse(&engine, layer_norm) && ll_engine_solve(&engine)) {
            const unsigned bad = ll_engine_check(&engine);
            CHECK(bad == LL_ENGINE_PROVEN || bad == LL_ENGINE_BAD_MEMORY);
            ++enough;
        } else {
            CHECK(engine.err == LL_ENGINE_EARENA);
        }
        CHECK(engine.used <= engine.bytes);
    }
    COVERS(enough);
}

/* ---- Size --------------------------------------------------------------- */

/* A chain of n operations with a class of its own for every third one. */
static double seconds_for(unsigned n) {
    static unsigned char *room;
    const unsigned long long bytes = 1ull << 30;
    room = room ? room : (unsigned char *)malloc(bytes);
    ll_engine_begin(&engine, room, room ? bytes : 0u, LL_SM90, 4, 1);
    unsigned v[2] = {0, 0};
    for (unsigned k = 0; engine.ops < n && !engine.err; ++k) {
        ll_engine_spec s = LL_ZERO;
        if (k % 10u == 0) {
            s.kind = LL_ENGINE_LOAD;
            s.rank = 2;
            s.size[0] = 5;
            s.size[1] = 6;
            s.contiguous[1] = 6;
            s.align = 16;
            s.element_bits = 32;
        } else if (k % 3u == 0) {
            s.kind = LL_ENGINE_TRANS;
            s.n_in = 1;
            s.in = v;
            s.order[0] = 1;
        } else {
            s.kind = LL_ENGINE_MAP;
            s.cost = 8;
            s.in = v;
            s.n_in = ll_engine_alike_(&engine.value[v[0]],
                                      &engine.value[v[1]])
                         ? 2u
                         : 1u;
        }
        v[1] = v[0];
        v[0] = result_of(s);
    }
    const clock_t start = clock();
    CHECK(ll_engine_solve(&engine));
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void large_graphs_are_solved(void) {
    for (unsigned n = 100; n <= (test.effort > 1u ? 10000u : 1000u);
         n *= 10u) {
        const double seconds = seconds_for(n);
        printf("%u operations: %.3f s, %.1f MiB\n", n, seconds,
               (double)engine.used / (1 << 20));
        CHECK(ll_engine_optimal(&engine));
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nothing_is_cheaper);
    RUN(an_operation_has_many_instances);
    RUN(a_value_is_needed_in_many_layouts);
    RUN(one_set_of_layouts_serves_all_users);
    RUN(cycles_are_refused);
    RUN(small_tables_find_the_same);
    RUN(all_instances_obey_their_operation);
    RUN(no_instance_is_missing);
    RUN(pairs_lie_in_a_register);
    RUN(changed_certificates_are_refused);
    RUN(text_is_read_and_written);
    RUN(constants_are_what_the_engine_finds);
#ifndef TEST_BRIEF
    RUN(longer_graphs_are_constants_too);
#endif
    RUN(few_candidates_leave_a_solution);
    RUN(limits_are_kept);
    RUN(limits_rule_out_what_is_cheaper);
    RUN(limits_that_are_too_tight_name_the_operation);
    RUN(tiles_cost_their_wavefronts);
    RUN(constants_are_stored);
    RUN(products_know_their_instructions);
    RUN(scaled_products_know_their_instructions);
    RUN(tiles_have_descriptors);
    RUN(accumulators_are_rows_of_tensor_memory);
    RUN(tiles_are_read_in_place);
    RUN(tiles_are_stored_once);
    RUN(operands_are_stored_where_products_read_them);
    RUN(amd_products_know_their_instructions);
    RUN(sorts_cost_what_their_plans_cost);
    RUN(explanations_price_a_pin);
    RUN(explanations_say_what_is_next_best);
    RUN(bad_graphs_name_the_operation);
    RUN(too_little_memory_is_an_error);
    RUN(large_graphs_are_solved);
    return test_end();
}
