/* test_engine_results.c - results of the layout engine, and questions to them.
 * SPDX-License-Identifier: MIT
 *
 * What a pin costs is compared with what a fixed layout costs; nothing that is
 * asked changes a result.
 */
#include "engine_graphs.h"
#include "engine_said.h"

/* ---- Results ------------------------------------------------------------ */

/* Questions of what would come behind the last value, layout or conversion,
 * whatever is in memory there. */
static void nothing_is_behind_the_last(void) {
    solved("x = source 32x32:32 out0=\"" ROW "\"\nsink x in0=\"" COLUMN "\"\n",
           2, 1);
    CHECK(engine.cap_values > engine.values && engine.cap_flats > engine.flats);
    engine.value[engine.values] = engine.value[0];
    engine.flat[engine.flats] = engine.flat[0];
    ll_engine_solution_ *s = ll_engine_found_(&engine);
    CHECK(s->cap_move > s->moves);
    s->move[s->moves] = s->move[0];
    CHECK(s->move[0].to != 0);
    CHECK(ll_engine_move_at(&engine, s->moves).to == 0);
    CHECK(ll_engine_held(&engine, engine.values, 0) == LL_ENGINE_NONE);
    CHECK(ll_engine_pin(&engine, engine.values, 0) == ~0ull);
    CHECK(ll_engine_pin(&engine, 0, engine.flats) == ~0ull);
    CHECK(ll_engine_pin(&engine, 0, 0) == ll_engine_cost(&engine));
    solved("x = load 32x32:32\nsink x in0=\"" COLUMN "\"\n", 2, 1);
    CHECK(engine.cap_operands > engine.operands);
    CHECK(engine.cap_values > engine.values && engine.cap_flats > engine.flats);
    engine.value[engine.values] = engine.value[0];
    engine.flat[engine.flats] = engine.flat[1];
    engine.operand[engine.operands] = engine.values; /* its definition */
    engine.fixed[engine.operands] = LL_ENGINE_NONE;
    CHECK(ll_engine_pin(&engine, engine.values, 0) == ~0ull);
    CHECK(ll_engine_pin(&engine, 0, engine.flats) == ~0ull);
    CHECK(ll_engine_pin(&engine, 0, 1) != ~0ull);
}

/* Tables get a sixteenth of the memory, from 2^20 to 2^22 entries, unless the
 * caller says how many. */
static void tables_grow_with_the_memory(void) {
    static unsigned char large[1u << 27];
    static const struct {
        unsigned bytes, table;
    } cases[] = {{1u << 20, 1u << 20}, {1u << 24, 1u << 20},
                 {(1u << 24) + 64u, (1u << 20) + 4u},
                 {3u << 23, 3u << 19}, {1u << 25, 1u << 21},
                 {(1u << 26) - 64u, (1u << 22) - 4u},
                 {1u << 26, 1u << 22}, {1u << 27, 1u << 22}};
    for (unsigned k = 0; k < 16u; ++k) {
        const unsigned asked = k % 2u ? k : 0u;
        ll_engine_begin(&engine, large, cases[k / 2u].bytes, LL_SM90, 2, 1);
        engine.table = asked;
        CHECK(ll_engine_parse(&engine, "x = load 32x32:32\nstore x\n"));
        CHECK(ll_engine_solve(&engine));
        CHECK(engine.table == (asked ? asked : cases[k / 2u].table));
    }
}

/* Limits that the caller does not say are as documented; a graph is solved
 * again as if for the first time. */
static void graphs_are_solved_again(void) {
    static const char text[] =
        "x = load 32x32:32\ny = load 32x32:32\nt = trans x order=1x0\n"
        "z = map x y t\nw = trans z order=1x0\nv = map w y\n"
        "store z\nstore w\nstore v in0=\"" ROW "\"\n"
        "store v in0=\"" COLUMN "\"\nstore v in0=\"" TILE "\"\n";
    for (unsigned n = 0; n < 12u; ++n) {
        unsigned dropped[3];
        begin(2);
        engine.most = n % 6u;
        engine.registers = n < 6u ? 0u : 16u;
        CHECK(ll_engine_parse(&engine, text));
        const int ok = ll_engine_solve(&engine);
        memcpy(dropped, engine.dropped, sizeof dropped);
        CHECK(engine.table == engine.bytes / 16u && engine.nodes == 100000u);
        CHECK(engine.sets == 3u);
        const unsigned long long cost = ll_engine_cost(&engine);
        CHECK(ok && cost);
        CHECK(ll_engine_solve(&engine) && ll_engine_cost(&engine) == cost);
        CHECK(!memcmp(dropped, engine.dropped, sizeof dropped));
        if (n % 6u == 3u) { /* some have too many, and some instances none */
            CHECK(dropped[0] != 0);
            CHECK(dropped[2] != 0 && dropped[2] < 100u);
        }
        for (unsigned k = 0; k < 3u; ++k) {
            CHECK(dropped[k] < 1000u);
        }
    }
    begin(2); /* two registers are too few for vectors of four */
    engine.registers = 2;
    CHECK(ll_engine_parse(&engine, "x = load 4x4:32\ny = map x\nstore y\n"));
    CHECK(ll_engine_solve(&engine));
    unsigned dropped[3];
    memcpy(dropped, engine.dropped, sizeof dropped);
    CHECK(dropped[1] != 0 && dropped[1] < 100u);
    CHECK(ll_engine_solve(&engine));
    CHECK(!memcmp(dropped, engine.dropped, sizeof dropped));
    begin(2); /* uses are listed anew */
    CHECK(ll_engine_parse(&engine, "x = load 4:32\ny = load 4:32\n"
                                   "z = load 4:32\nsink x\nsink x\nsink x\n"
                                   "sink x\nsink x\nsink y\nsink y\nsink y\n"
                                   "sink y\nsink y\nsink z\nsink z\nsink z\n"
                                   "sink z\nsink z\n"));
    for (unsigned n = 0; n < 3u; ++n) {
        CHECK(ll_engine_solve(&engine));
        for (unsigned v = 0; v < 3u; ++v) {
            const ll_engine_value *x = &engine.value[v];
            CHECK(x->uses == 5u);
            CHECK(x->use + x->uses <= engine.operands);
        }
    }
}

static const char *const loops[] = {
    "x = source 32x32:32 out0=\"" ROW "\"\nloop 3 a = x\nb = map a a a%s\n"
    "yield b -> c\nsink c in0=\"" TILE "\"\n",
    "x = load 32x32:32\nt = trans x order=1x0%s\nm = map t t\n"
    "sink t in0=\"" COLUMN "\"\nstore m\n"};

/* A pin costs what the graph costs whose text fixes the layout there. The
 * result stays as it is, also where there was no room to find out. */
static void pins_cost_what_fixed_layouts_cost(void) {
    static const char *const layout[] = {ROW, COLUMN, TILE};
    char text[1000];
    static ll_engine_value values[40];
    static ll_engine_op ops[40];
    for (unsigned n = 0; n < 6u; ++n) {
        const unsigned v = n % 2u ? 1u : 3u; /* t, or b */
        char fix[100];
        snprintf(fix, sizeof fix, " out0=\"%s\"", layout[n / 2u]);
        snprintf(text, sizeof text, loops[n % 2u], fix);
        solved(text, 2, 1);
        const unsigned long long cost = ll_engine_cost(&engine);
        snprintf(text, sizeof text, loops[n % 2u], "");
        solved(text, 2, 1);
        const unsigned id = ll_engine_id(&engine, v, ll_parse(layout[n / 2u]));
        const unsigned long long free_cost = ll_engine_cost(&engine);
        memcpy(values, engine.value, engine.values * sizeof *values);
        memcpy(ops, engine.op, engine.ops * sizeof *ops);
        CHECK(ll_engine_pin(&engine, v, id) == cost && cost >= free_cost);
        CHECK(!memcmp(values, engine.value, engine.values * sizeof *values));
        CHECK(!memcmp(ops, engine.op, engine.ops * sizeof *ops));
        CHECK(ll_engine_cost(&engine) == free_cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned long long bytes = engine.bytes;
        for (unsigned k = 0; k < 40u; ++k) {
            engine.bytes = engine.used + 256u * k;
            const unsigned long long pin = ll_engine_pin(&engine, v, id);
            CHECK(pin == ~0ull || (pin == cost && k > 3u));
        }
        engine.bytes = bytes;
        CHECK(!memcmp(values, engine.value, engine.values * sizeof *values));
    }
    begin(2); /* there is no memory for the conversion */
    engine.scratch = 1;
    CHECK(ll_engine_parse(&engine,
                          "x = load 32x32:32\nsink x in0=\"" ROW "\"\n"));
    CHECK(ll_engine_solve(&engine));
    const unsigned id = ll_engine_id(&engine, 0, ll_parse(COLUMN));
    CHECK(ll_engine_pin(&engine, 0, id) == ~0ull);
    /* how much more it is, or less */
    for (unsigned n = 0; n < 5u; ++n) {
        static const char *const more[] = {
            "2 cycles less, with more candidates",
            "1 cycles less, with more candidates", "0 cycles more",
            "1 cycles more", "2 cycles more"};
        solved("x = source 32x32:32 out0=\"" ROW "\"\nsink x in0=\"" COLUMN
               "\"\n",
               2, 1);
        ll_writer_ w = ll_writer_on_(said, sizeof said);
        ll_engine_write_more_(&w, &engine,
                              ll_engine_cost(&engine) + 8u * n - 16u);
        CHECK(!strcmp(said, more[n]));
    }
}

/* ---- What is asked of a result ------------------------------------------ */

/* A layout that does not fit, when it is asked about, leaves the result; an
 * operation more leaves none. */
static void questions_do_not_lose_the_result(void) {
    solved("x = load 64x64:32 contiguous=1x64 align=16\n"
           "t = trans x order=1x0\nstore t contiguous=1x64 align=16\n", 4, 1);
    const unsigned long long cost = ll_engine_cost(&engine);
    ll_engine_flat f = LL_ZERO;
    CHECK(ll_engine_id(&engine, 1, ll_parse("lane: i0")) == LL_ENGINE_NONE);
    CHECK(ll_engine_id(&engine, 1, ll_parse("lame: i0")) == LL_ENGINE_NONE);
    CHECK(ll_engine_flat_id(&engine, 1, f) == LL_ENGINE_NONE);
    CHECK(ll_engine_pin(&engine, 1, LL_ENGINE_NONE) == ~0ull);
    CHECK(!engine.err && cost && ll_engine_cost(&engine) == cost);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    CHECK(ll_engine_explain(&engine, said, sizeof said));
    CHECK(ll_engine_parse(&engine, "u = map t\nstore u\n"));
    CHECK(!ll_engine_cost(&engine) && !ll_engine_moves(&engine));
    CHECK(!ll_engine_explain(&engine, said, sizeof said));
    CHECK(ll_engine_held(&engine, 2, 0) == LL_ENGINE_NONE);
    CHECK(ll_engine_solve(&engine) && ll_engine_cost(&engine) > cost);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
}

/* After an error nothing is done, whichever it was, and however much of the
 * graph is there. */
static void solving_a_bad_graph_does_nothing(void) {
    static const char text[] = "x = load 64x64:32 contiguous=1x64 align=16\n"
                               "a = load 64x64:16\nb = load 64x64:16\n"
                               "c = dot a b by=mma\n"
                               "s = reduce x axis=1\nstore s\nstore c\n";
    unsigned bad = 0;
    for (unsigned bytes = 0; bytes < 1u << 14; bytes += 16u) {
        ll_engine_begin(&engine, arena, bytes, LL_SM90, 4, 1);
        engine.family = ll_ptx_dot;
        if (!ll_engine_parse(&engine, text)) {
            CHECK(engine.err == LL_ENGINE_EARENA);
            CHECK(!ll_engine_solve(&engine) && !ll_engine_cost(&engine));
            CHECK(engine.err == LL_ENGINE_EARENA);
            ++bad;
        }
    }
    COVERS(bad > 100u);
    ll_engine_spec s = LL_ZERO; /* operands that are nowhere */
    begin(4);
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    CHECK(ll_engine_add(&engine, s) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_EVALUE);
    begin(64); /* 2048 threads */
    CHECK(engine.err == LL_ENGINE_ETARGET);
    CHECK(!ll_engine_solve(&engine));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nothing_is_behind_the_last);
    RUN(tables_grow_with_the_memory);
    RUN(graphs_are_solved_again);
    RUN(pins_cost_what_fixed_layouts_cost);
    RUN(questions_do_not_lose_the_result);
    RUN(solving_a_bad_graph_does_nothing);
    return test_end();
}
