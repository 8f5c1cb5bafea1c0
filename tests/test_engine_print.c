/* test_engine_print.c - what the layout engine prints is read again.
 * SPDX-License-Identifier: MIT
 *
 * Random graphs with loops, whiles, branches and nested ones: the text of each
 * is read as a graph of the same text and of the same cost.
 */
#include "engine_graphs.h"

static unsigned list[200]; /* values that later operations may take */
static unsigned n_list;
static unsigned waiting[40][2]; /* a carried value, and what it waits for */
static unsigned n_waiting;

static unsigned any(void) { return list[test_random(n_list)]; }

static void note(unsigned v) {
    list[n_list < 200u ? n_list : 0u] = v;
    n_list += n_list < 200u;
}

static void add_some(unsigned kind, unsigned n_in, unsigned a, unsigned b) {
    const unsigned in[2] = {a, b};
    ll_engine_spec s = LL_ZERO;
    s.kind = kind;
    s.n_in = n_in;
    s.in = in;
    s.rank = 1;
    s.size[0] = 8;
    s.element_bits = 32;
    s.contiguous[0] = kind == LL_ENGINE_LOAD ? 8 : 0;
    s.align = kind == LL_ENGINE_LOAD ? 16 : 0;
    s.cost = kind == LL_ENGINE_MAP ? 4u * test_random(5) : 0u;
    const unsigned op = ll_engine_add(&engine, s);
    if (kind == LL_ENGINE_LOAD && test_random(2)) {
        const unsigned v = ll_engine_result(&engine, op, 0);
        ll_engine_fix(&engine, op, 0,
                      ll_engine_flat_id(&engine, v, random_flat(2, 5, 1)));
    }
    if (kind != LL_ENGINE_STORE) {
        note(ll_engine_result(&engine, op, 0));
    }
}

/* A few operations: arithmetic, a load, a branch, or a value that a loop
 * carries which is not there. */
static void some(unsigned n) {
    while (n-- > 0) {
        const unsigned kind = test_random(8);
        if (kind < 5u) {
            add_some(LL_ENGINE_MAP, 1u + test_random(2), any(), any());
        } else if (kind == 5u) {
            add_some(LL_ENGINE_LOAD, 0, 0, 0);
        } else {
            const unsigned trips = kind == 6u ? 0u : 3u;
            const unsigned op = ll_engine_carry(&engine, any(), trips);
            const unsigned out = ll_engine_result(&engine, op, 1);
            if (n_waiting < 40u && test_random(2)) {
                note(ll_engine_result(&engine, op, 0));
                n_list -= trips == 0; /* no value of a branch */
                waiting[n_waiting][0] = op; /* the next value comes later */
                waiting[n_waiting++][1] = out;
                add_some(LL_ENGINE_MAP, 1, any(), 0);
                continue;
            }
            ll_engine_yield(&engine, op, any());
            note(out);
            add_some(LL_ENGINE_MAP, 1, out, 0);
        }
    }
}

static void block(unsigned depth);

/* A loop, or the two halves of a while, whose second one starts with what the
 * first one carries and makes its next values. */
static void loops(unsigned depth, unsigned halves) {
    unsigned carry[2][3];
    const unsigned n = test_random(4);
    for (unsigned half = 0; half < halves; ++half) {
        const unsigned trips = 2u + test_random(4);
        for (unsigned k = 0; k < n; ++k) {
            const unsigned start =
                half ? ll_engine_result(&engine, carry[0][k], 0) : any();
            carry[half][k] = ll_engine_carry(&engine, start, trips);
        }
        for (unsigned k = 0; k < n; ++k) {
            note(ll_engine_result(&engine, carry[half][k], 0));
        }
        ll_engine_loop(&engine, trips);
        block(depth + 1u);
        ll_engine_loop(&engine, 0);
    }
    for (unsigned k = 0; k < n; ++k) {
        for (unsigned half = 0; half < halves; ++half) {
            ll_engine_yield(&engine, carry[half][k],
                            half ? ll_engine_result(&engine, carry[0][k], 0)
                                 : any());
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        note(ll_engine_result(&engine, carry[halves - 1u][k], 1));
    }
}

static void block(unsigned depth) {
    some(1u + test_random(3));
    for (unsigned n = test_random(3); n-- > 0 && depth < 2u;) {
        loops(depth, 1u + test_random(2));
        some(test_random(3));
    }
}

static void begin_small(void) {
    begin(2);
    engine.most = 3;
    engine.sets = 1;
    engine.nodes = 100;
}

static void random_loops(void) {
    begin_small();
    n_list = n_waiting = 0;
    add_some(LL_ENGINE_LOAD, 0, 0, 0);
    block(0);
    while (n_waiting-- > 0) {
        ll_engine_yield(&engine, waiting[n_waiting][0], any());
        if (test_random(2)) {
            add_some(LL_ENGINE_STORE, 1, waiting[n_waiting][1], 0);
        }
    }
    add_some(LL_ENGINE_STORE, 1, any(), 0);
}

/* The text, and what the graph costs, are the same. */
static void what_is_printed_is_read(void) {
    static char text[3][1 << 15];
    unsigned later = 0, same = 0, whiles = 0;
    for (unsigned k = 0; k < times(300u); ++k) {
        random_loops();
        CHECK(!engine.err);
        const unsigned n =
            ll_engine_print(&engine, text[0], sizeof text[0]);
        CHECK(n < sizeof text[0]);
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            whiles += o->kind == LL_ENGINE_CARRY && o->axis &&
                      engine.value[engine.operand[o->at + 1u]].def > p;
        }
        const unsigned solved = (unsigned)ll_engine_solve(&engine);
        const unsigned long long cost = solved ? ll_engine_cost(&engine) : 0;
        const unsigned err = engine.err;
        const int best = solved && ll_engine_optimal(&engine);
        begin_small();
        parsed(text[0]);
        ll_engine_print(&engine, text[1], sizeof text[1]);
        CHECK(strcmp(text[0], text[1]) == 0);
        CHECK((unsigned)ll_engine_solve(&engine) == solved &&
              engine.err == err);
        if (best && ll_engine_optimal(&engine)) {
            CHECK(ll_engine_cost(&engine) == cost);
            ++same;
        }
        later += solved;
    }
    COVERS(later > times(100u) && same > times(50u) && whiles > later);
}

/* A while is two loops: the first one's next value is made by the second. */
static void a_line_makes_the_next_value_later(void) {
    static const char text[] =
        "x = load 256:32 align=16 contiguous=256\n"
        "loop 16 a = x\nyield n -> b\n"
        "loop 16 c = a\nn = map c 256:32\nyield a -> d\n"
        "store d align=16 contiguous=256\n";
    char said[1000];
    begin(2);
    solves(text);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(strcmp(said, text) == 0);
    CHECK(engine.op[1].kind == LL_ENGINE_CARRY);
    CHECK(engine.operand[engine.op[1].at + 1u] == value_of("n"));
    CHECK(engine.operand[engine.op[4].at + 1u] == value_of("a"));
}

/* Names in a yield that no line makes, and values that would need themselves.
 */
static void next_values_are_somewhere(void) {
    static const struct {
        const char *text;
        unsigned err;
    } all[] = {
        {"x = load 4:32\nloop 2 a = x\nyield ^y\n", LL_ENGINE_EVALUE},
        {"x = load 4:32\nloop 2 a = x\nyield ^y -> b\nz = map b\n",
         LL_ENGINE_EVALUE},
        {"x = load 4:32\nloop 2 a = x, c = x\nyield x, ^d -> b, f\nz = map b\n",
         LL_ENGINE_EVALUE},
        {"x = load 4:32\nloop 2 a = x\nyield y\ny = map x cost=^\n",
         LL_ENGINE_ETEXT},
        {"x = load 4:32\ny = merge x ^z\nw = map y\n", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = merge ^z x\nz = map x\n", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map x ^z\nz = map x\n", LL_ENGINE_EVALUE},
    };
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        char text[200];
        const unsigned at = unmarked(text, all[k].text);
        begin(2);
        CHECK(!ll_engine_parse(&engine, text) && engine.err == all[k].err);
        CHECK(engine.character == at);
    }
    begin(2); /* another shape */
    CHECK(!ll_engine_parse(&engine, "x = load 4:32\nloop 2 a = x\nyield y\n"
                                    "y = load 8:32\n"));
    CHECK(engine.err == LL_ENGINE_ELOOP && engine.wrong == 1u);
    begin(2); /* what is behind the loop is not there inside it */
    CHECK(ll_engine_parse(&engine, "x = load 4:32\nloop 2 a = x\n"
                                   "yield b -> b\nstore b\n"));
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EVALUE);
    begin(2);
    CHECK(ll_engine_parse(&engine, "x = load 4:32\nloop 2 a = x\n"
                                   "yield y -> b\ny = map b\nstore b\n"));
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EVALUE);
}

/* Instructions for each register are whole, or eighths. */
static void costs_are_eighths(void) {
    static const struct {
        const char *text;
        unsigned cost; /* 0: refused */
    } all[] = {{"1", 8},        {"3/8", 3},     {"8/8", 8},   {"17/8", 17},
               {"4096", 32768}, {"32768/8", 32768}, {"^4097", 0},
               {"^32769/8", 0}, {"3^/4", 0},    {"3^/", 0},   {"^/8", 0}};
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        char text[100], marked[100], said[200];
        snprintf(marked, sizeof marked, "x = load 4:32\ny = map x cost=%s%s\n",
                 all[k].text, all[k].cost ? "^" : "");
        const unsigned at = unmarked(text, marked);
        begin(2);
        CHECK(ll_engine_parse(&engine, text) == (all[k].cost != 0));
        if (!all[k].cost) {
            CHECK(engine.character == at);
            continue;
        }
        CHECK(engine.op[1].cost == all[k].cost);
        ll_engine_print(&engine, said, sizeof said);
        begin(2);
        CHECK(ll_engine_parse(&engine, said));
        CHECK(engine.op[1].cost == all[k].cost);
    }
}

/* A value without a name has one that no other value has. */
static void names_are_not_given_twice(void) {
    char said[300];
    begin(2);
    parsed("v2 = load 4:32\nv2_ = map v2\nloop 2 a = v2\nyield a\n"
           "v4 = map a\nv4_ = map a\nv4__ = map a\n");
    CHECK(engine.values == 7u && !engine.value[3].name);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(strstr(said, "yield a -> v3\n"));
    begin(2);
    parsed("v2 = load 4:32\nloop 2 a = v2\nyield a\nv2_ = map a\n");
    CHECK(!engine.value[2].name);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(strstr(said, "yield a -> v2__\n"));
    begin(2);
    parsed(said);
}

/* Loops that follow each other without an operation between them stay apart:
 * the second one starts with what the first one leaves. */
static void loops_without_a_body_stay_apart(void) {
    begin(2);
    CHECK(ll_engine_parse(&engine, "x = load 4:32\ny = load 4:32\n"));
    const unsigned a = ll_engine_carry(&engine, 0, 4);
    ll_engine_yield(&engine, a, 1);
    const unsigned b = ll_engine_carry(&engine, ll_engine_result(&engine, a, 1),
                                       4);
    const unsigned c = ll_engine_carry(&engine, 1, 4);
    ll_engine_loop(&engine, 4);
    const unsigned in = ll_engine_result(&engine, b, 0);
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    s.in = &in;
    const unsigned next = ll_engine_add(&engine, s);
    ll_engine_yield(&engine, b, ll_engine_result(&engine, next, 0));
    ll_engine_yield(&engine, c, in);
    ll_engine_loop(&engine, 0);
    char text[400];
    ll_engine_print(&engine, text, sizeof text);
    const char *first = strstr(text, "loop 4 v2 = x\nyield y -> v3\n");
    CHECK(first && strstr(first, "loop 4 v4 = v3, v6 = y\n"));
    begin(2);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(what_is_printed_is_read);
    RUN(a_line_makes_the_next_value_later);
    RUN(next_values_are_somewhere);
    RUN(costs_are_eighths);
    RUN(names_are_not_given_twice);
    RUN(loops_without_a_body_stay_apart);
    return test_end();
}
