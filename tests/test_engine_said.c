/* test_engine_said.c - results of the layout engine, and what it says of them.
 * SPDX-License-Identifier: MIT
 *
 * Explanations are written here once more, from the public questions alone:
 * what is made where, what is converted, what a pin costs. Constants are
 * compared with the rule of which conversions can be asked for.
 */
#include "engine_graphs.h"

enum { ROOM = 40000 };

static void solved(const char *text, unsigned warps, unsigned blocks) {
    begin_on(LL_SM90, warps, blocks);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    if (engine.err) {
        printf("%s(error %u, operation %u)\n", text, engine.err, engine.wrong);
    }
}

/* ---- Explanations ------------------------------------------------------- */

static char want[ROOM], said[ROOM];

static void add(const char *text) {
    const size_t n = strlen(want);
    snprintf(want + n, sizeof want - n, "%s", text);
}

static void add_number(unsigned long long x) {
    char text[24];
    snprintf(text, sizeof text, "%llu", x);
    add(text);
}

/* Eighths of a cycle, with one digit behind the point. */
static void add_cycles(unsigned long long eighths) {
    static const char *const part[] = {"",   ".1", ".2", ".3",
                                       ".5", ".6", ".7", ".8"};
    add_number(eighths / 8u);
    add(part[eighths % 8u]);
    add(" cycles");
}

static void add_name(unsigned v) {
    char text[80];
    const ll_engine_value *x = &engine.value[v];
    if (x->name) {
        snprintf(text, sizeof text, "%.*s", (int)x->length, x->name);
    } else {
        snprintf(text, sizeof text, "v%u", v);
    }
    add(text);
}

static void add_layout(unsigned v, unsigned id) {
    char text[600];
    ll_str(ll_engine_layout(&engine, v, id), text, sizeof text);
    add(text);
}

static const char *kind_name(unsigned p) {
    switch (engine.op[p].kind) {
    case LL_ENGINE_LOAD:
        return "load ";
    case LL_ENGINE_SOURCE:
        return "source ";
    case LL_ENGINE_STORE:
        return "store ";
    case LL_ENGINE_SINK:
        return "sink ";
    case LL_ENGINE_ATOMIC:
        return "atomic ";
    case LL_ENGINE_DOT:
        return "dot ";
    case LL_ENGINE_TMA_LOAD:
        return "tma_load ";
    case LL_ENGINE_TMA_STORE:
        return "tma_store ";
    case LL_ENGINE_LOCAL_LOAD:
        return "local_load ";
    case LL_ENGINE_LOCAL_STORE:
        return "local_store ";
    case LL_ENGINE_REORDER:
        return "reorder ";
    case LL_ENGINE_FIXED:
        return "fixed ";
    case LL_ENGINE_MAP:
        return "map ";
    case LL_ENGINE_REDUCE:
        return "reduce ";
    case LL_ENGINE_SCAN:
        return "scan ";
    case LL_ENGINE_GATHER:
        return "gather ";
    case LL_ENGINE_CARRY:
        return "merge ";
    default:
        return "? ";
    }
}

/* Where a candidate comes from: operation p, and why. */
static void add_reason(unsigned v, unsigned id) {
    const ll_engine_value *x = &engine.value[v];
    for (unsigned k = 0; k < x->n; ++k) {
        const unsigned from = engine.origin[x->first + k];
        const ll_engine_op *o = &engine.op[from / 4u];
        if (engine.candidate[x->first + k] != id ||
            from % 4u == LL_ENGINE_BY_NONE_) {
            continue;
        }
        add(from % 4u == LL_ENGINE_BY_CALLER_   ? ", required by "
            : from % 4u == LL_ENGINE_BY_ACCESS_ ? ", coalesced for "
                                                : ", best order of k for ");
        add(kind_name(from / 4u));
        add_name(engine.operand[o->n_out ? o->at + o->n_in : o->at]);
    }
}

static int is_held(unsigned v, unsigned id) {
    for (unsigned k = 0; ll_engine_held(&engine, v, k) != LL_ENGINE_NONE; ++k) {
        if (ll_engine_held(&engine, v, k) == id) {
            return 1;
        }
    }
    return 0;
}

/* Whether no operand that is there brings a value its layout: each is taken in
 * a layout in which it is not made. */
static int is_own(unsigned v) {
    unsigned tuple[20];
    const unsigned p = engine.value[v].def;
    const ll_engine_op *o = &engine.op[p];
    if (o->n < 2u) { /* there is no other */
        return 0;
    }
    for (unsigned k = 0; k < o->n_in; ++k) {
        const unsigned u = engine.operand[o->at + k];
        int other = engine.value[u].is_free != 0;
        for (unsigned t = 0; ll_engine_executed(&engine, p, t, tuple); ++t) {
            other = other || !is_held(u, tuple[k]);
        }
        if (!other) {
            return 0;
        }
    }
    return 1;
}

static void add_more(unsigned long long pin) {
    const unsigned long long cost = ll_engine_cost(&engine);
    add_cycles(pin < cost ? cost - pin : pin - cost);
    add(pin < cost ? " less, with more candidates" : " more");
}

static void add_next_best(unsigned v) {
    const ll_engine_value *x = &engine.value[v];
    unsigned long long least = ~0ull;
    unsigned which = LL_ENGINE_NONE;
    for (unsigned k = 0; k < x->n; ++k) {
        const unsigned id = engine.candidate[x->first + k];
        const unsigned long long cost = ll_engine_pin(&engine, v, id);
        if (!is_held(v, id) && cost < least) {
            least = cost;
            which = id;
        }
    }
    if (which != LL_ENGINE_NONE) {
        add("    next best: ");
        add_more(least);
        add(": ");
        add_layout(v, which);
        add_reason(v, which);
        add("\n");
    }
}

static void add_conversion(const ll_engine_move *m) {
    static const struct {
        unsigned kind;
        const char *name;
    } way[] = {{LL_NOTHING, "nothing moves"},
               {LL_REGISTERS, "between registers of a lane"},
               {LL_SHUFFLES, "between lanes"},
               {LL_SHARED, "through shared memory"},
               {LL_CLUSTER, "through the cluster's shared memory"}};
    const char *name = "without a known plan";
    for (unsigned k = 0; k < 5u; ++k) {
        name = way[k].kind == m->kind ? way[k].name : name;
    }
    add("convert ");
    add_name(m->value);
    add(": ");
    add_cycles(m->cost);
    if (m->weight > 1u) {
        add(" in ");
        add_number(m->weight);
        add(" runs");
    }
    add(", ");
    add(name);
    add("\n    to ");
    add_layout(m->value, m->to);
    add_reason(m->value, m->to);
    const unsigned long long pin = ll_engine_pin(&engine, m->value, m->to);
    add(pin == ~0ull ? "\n    it cannot be made in that layout"
                     : "\n    made there: ");
    if (pin != ~0ull) {
        add_more(pin);
        add(" in total, without the conversion");
    }
    add("\n");
}

/* Where a product reads an operand: in registers, or in memory, where a copy
 * brings it, or where it is stored. */
static void add_place(unsigned p, unsigned k) {
    const ll_engine_op *o = &engine.op[p];
    unsigned tuple[20];
    if (o->kind != LL_ENGINE_DOT || (o->place[k][0] == LL_ENGINE_NONE &&
                                     o->place[k][1] == LL_ENGINE_NONE)) {
        return;
    }
    CHECK(ll_engine_executed(&engine, p, 0, tuple));
    add("dot ");
    add_name(engine.operand[o->at + o->n_in]);
    add(" reads ");
    add_name(engine.operand[o->at + k]);
    if (tuple[k] == o->place[k][2]) {
        add(" in registers\n");
    } else if (tuple[k] == o->in_place[k]) {
        unsigned copy = engine.value[engine.operand[o->at + k]].def;
        while (engine.op[copy].kind == LL_ENGINE_TRANS) {
            copy = engine.value[engine.operand[engine.op[copy].at]].def;
        }
        add(" in shared memory, where ");
        add(kind_name(copy));
        add_name(engine.operand[engine.op[copy].at]);
        add(" brings it\n");
    } else {
        const unsigned long long both = ll_engine_price(&engine, p, tuple);
        tuple[k] = o->place[k][2]; /* what is there already costs nothing */
        add(" in shared memory, where it is stored: ");
        add_cycles((both - ll_engine_price(&engine, p, tuple)) * o->weight);
        add("\n");
    }
}

static unsigned droppings; /* lines that say what was dropped */

static void add_dropped(void) {
    const unsigned *n = engine.dropped;
    if (n[0] || n[1] || n[2]) {
        char line[300] = "";
        const size_t size = sizeof line;
        size_t at = 0;
        if (n[0]) {
            at += (size_t)snprintf(line, size,
                                   "%u because the value had e->most "
                                   "candidates, ",
                                   n[0]);
        }
        if (n[1]) {
            at += (size_t)snprintf(line + at, size - at,
                                   "%u because they need more registers than "
                                   "allowed, ",
                                   n[1]);
        }
        if (n[2]) {
            at += (size_t)snprintf(line + at, size - at,
                                   "%u because other values of an operation "
                                   "lack a matching layout, ",
                                   n[2]);
        }
        line[at - 2u] = '\0';
        add("layouts not tried: ");
        add(line);
        add("\n");
        ++droppings;
    }
}

/* What operations cost, in all executions and trips: what they and the
 * conversions cost together is what the graph costs. */
static void add_prices(void) {
    unsigned long long left = ll_engine_cost(&engine);
    unsigned n = 0;
    for (unsigned k = 0; k < ll_engine_moves(&engine); ++k) {
        left -= ll_engine_move_at(&engine, k).cost;
    }
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        unsigned tuple[20];
        unsigned long long cost = 0;
        for (unsigned t = 0; ll_engine_executed(&engine, p, t, tuple); ++t) {
            cost += ll_engine_price(&engine, p, tuple) * o->weight;
            cost += t ? ll_engine_again_(o) : 0u;
        }
        left -= cost;
        if (cost) {
            add(n++ ? ", " : "operations: ");
            add(kind_name(p));
            add_name(engine.operand[o->n_out ? o->at + o->n_in : o->at]);
            add(" ");
            add_cycles(cost);
        }
    }
    add(n ? "\n" : "");
    CHECK(left == 0);
}

static void explain_again(void) {
    unsigned own = 0;
    want[0] = '\0';
    add_cycles(ll_engine_cost(&engine));
    add(" per warp, ");
    if (ll_engine_optimal(&engine)) {
        add("optimal among the layouts tried");
    } else {
        add("lower bound ");
        add_cycles(ll_engine_bound(&engine));
    }
    add("; ");
    add_number(ll_engine_moves(&engine));
    add(ll_engine_moves(&engine) == 1u ? " conversion\n" : " conversions\n");
    for (unsigned v = 0; v < engine.values; ++v) {
        for (unsigned k = 0; ll_engine_held(&engine, v, k) != LL_ENGINE_NONE;
             ++k) {
            const unsigned id = ll_engine_held(&engine, v, k);
            add_name(v);
            add(k ? ", recomputed: " : ": ");
            add_layout(v, id);
            add_reason(v, id);
            add("\n");
        }
        if (!engine.value[v].is_free && own < 32u && is_own(v)) {
            add_next_best(v);
            ++own;
        }
    }
    add_prices();
    for (unsigned p = 0; p < engine.ops; ++p) {
        add_place(p, 0);
        add_place(p, 1);
    }
    for (unsigned k = 0; k < ll_engine_moves(&engine); ++k) {
        const ll_engine_move m = ll_engine_move_at(&engine, k);
        add_conversion(&m);
    }
    add_dropped();
}

static void check_explanation(void) {
    const unsigned n = ll_engine_explain(&engine, said, sizeof said);
    explain_again();
    CHECK(n == strlen(want) && n + 1u < sizeof said && !strcmp(said, want));
    if (strcmp(said, want)) {
        unsigned k = 0;
        while (said[k] == want[k]) {
            ++k;
        }
        printf("%s---- at %u: ----\n%s", said, k, want + k);
    }
}

#define ROW "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2"
#define COLUMN "register: i0 i1 i2 j3 | lane: j0 j1 j2 i3 i4 | warp: j4"
#define TILE "register: i0 i1 i2 i3 | lane: i4 j0 j1 j2 j3 | warp: j4"

static void explanations_are_what_the_questions_say(void) {
    static const struct {
        const char *text;
        unsigned warps, blocks;
    } all[] = {
        {"x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
         "store t contiguous=1x64 align=16\n",
         4, 1},
        {"x = load 64x64:16\nstore x\n", 4, 1},
        {"x = source 32x32:32 out0=\"" ROW "\"\nloop 3 a = x\n"
         "sink a in0=\"" COLUMN "\"\nb = map a out0=\"" ROW "\"\n"
         "yield b -> c\n"
         "sink c in0=\"" ROW "\"\nsink c in0=\"" COLUMN "\"\n"
         "sink c in0=\"" TILE "\"\n",
         2, 1},
        {"x = source 32x32:32 out0=\"" ROW "\"\nloop 2 a = x\n"
         "sink a in0=\"" COLUMN "\"\nb = map a\nyield b\n",
         2, 1},
        {"x = source 32x32:32 out0=\"" ROW "\"\nloop 2 a = x\n"
         "sink a in0=\"" COLUMN "\"\nb = map a out0=\"" ROW "\"\n"
         "yield b -> c\nsink c in0=\"" ROW "\"\n",
         2, 1},
        {"c = constant 32x32:32\nx = load 32x32:32 out0=\"" ROW "\"\n"
         "y = map c x in0=\"" COLUMN "\"\nstore y\n",
         2, 1},
        {"c = constant 32x32:32\nx = load 32x32:32 out0=\"" ROW "\"\n"
         "z = load 2:8\ny = map x c in1=\"" COLUMN "\"\nstore y\n",
         2, 1},
        {"c = constant 32x32:32\ny = map c\nsink y in0=\"" ROW "\"\n"
         "sink y in0=\"" COLUMN "\"\nsink y in0=\"" TILE "\"\nsink c\n",
         2, 1},
        {"a = tma_load 64x64:16\nb = tma_load 64x64:16\n"
         "bt = trans b order=1x0\nc = dot a bt by=wgmma\n"
         "store c contiguous=1x64 align=16\n",
         4, 1},
        {"a = load 64x64:16 contiguous=1x64 align=16\nb = load 64x64:16\n"
         "m = map a cost=3\nc = dot m b by=wgmma\nstore c\nstore b\n",
         4, 1},
        {"a = load 64x64:16 contiguous=1x64 align=16\nb = tma_load 64x64:16\n"
         "loop 5\nc = dot a b by=wgmma\nyield\nstore c\nlocal_store a "
         "memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5\"\n",
         4, 1},
        {"a = load 16x64:16 contiguous=1x64 align=16\n"
         "b = load 64x16:16 contiguous=64x1 align=16\nc = dot a b by=mma\n"
         "store c contiguous=1x16\nd = reorder c 4x64\nstore d\n",
         1, 1},
        {"x = source 128:32 out0=\"lane: i0 i1 i2 i3 i4 | warp: i5 | "
         "block: i6\"\nsink x in0=\"lane: i1 i0 i2 i3 i4 | warp: i6 | "
         "block: i5\"\nsink x in0=\"lane: i1 i0 i2 i3 i4 | warp: i5 | "
         "block: i6\"\n",
         2, 2},
        {"p = load 32x32:64\nx = load p 32x32:32\ny = load 32x32:32 "
         "contiguous=32x1\nz = map x y cost=2\nat = atomic p z\nstore p z "
         "contiguous=1x32\n",
         2, 1},
        {"x = load 32x32:32 contiguous=1x32 same=2x1\ns, t = reduce x x axis=1"
         "\ne = expand s axis=1\nb = broadcast e 32x32\nd = map x b\n"
         "u = scan d axis=0\nstore u contiguous=32x1\nstore t\n",
         4, 1},
    };
    unsigned less = 0;
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        solved(all[n].text, all[n].warps, all[n].blocks);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        check_explanation();
        less += strstr(said, "more candidates") != NULL;
        /* nothing of it is lost, and nothing of the result */
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
    (void)less;
}

/* The next best is said of the first 32 values that have layouts of their own;
 * with few steps the bound is said. */
static void explanations_have_limits(void) {
    static char text[8000];
    text[0] = '\0';
    for (unsigned k = 0; k < 35u; ++k) {
        char line[100];
        snprintf(line, sizeof line,
                 "c%u = constant 8x8:32\nx%u = load 16x8:32 "
                 "contiguous=1x8\nstore x%u contiguous=16x1\n",
                 k, k, k);
        append(text, sizeof text, line);
    }
    solved(text, 2, 1);
    check_explanation();
    unsigned next = 0;
    for (const char *c = said; (c = strstr(c, "next best")) != NULL; ++c) {
        ++next;
    }
    CHECK(next == 32u && strstr(said, "x34: "));
    text[0] = '\0'; /* values that have one layout alone do not count */
    for (unsigned k = 0; k < 35u; ++k) {
        char line[300];
        snprintf(line, sizeof line,
                 "x%u = source 32x32:32 out0=\"" ROW
                 "\"\nsink x%u in0=\"" COLUMN "\"\n",
                 k, k);
        append(text, sizeof text, line);
    }
    append(text, sizeof text, "y = load 32x32:32\nstore y contiguous=32x1\n");
    solved(text, 2, 1);
    check_explanation();
    CHECK(strstr(said, "next best"));
    for (unsigned n = 0; n < 20u; ++n) {
        begin(2);
        engine.table = 2;
        engine.nodes = 1;
        engine.sets = 1 + n % 3u;
        engine.most = 3 + n % 6u;
        CHECK(ll_engine_parse(&engine, "x = load 32x32:32 contiguous=1x32\n"
                                       "t = trans x order=1x0\ny = map x t\n"
                                       "u = trans y order=1x0\nz = map y u x\n"
                                       "store z contiguous=32x1\nstore y\n"
                                       "store u contiguous=1x32\n"));
        CHECK(ll_engine_solve(&engine));
        check_explanation();
    }
}

/* Kinds of plans, one by one. */
static void ways_have_names(void) {
    static const char *const all[][2] = {
        {"nothing moves", "N"},
        {"between registers of a lane", "R"},
        {"between lanes", "L"},
        {"through shared memory", "S"},
        {"through the cluster's shared memory", "C"},
        {"without a known plan", "A"}};
    static const unsigned kind[] = {LL_NOTHING, LL_REGISTERS, LL_SHUFFLES,
                                    LL_SHARED,  LL_CLUSTER,   LL_ANY};
    for (unsigned n = 0; n < 6u; ++n) {
        CHECK(!strcmp(ll_engine_way_(kind[n]), all[n][0]));
    }
    for (unsigned n = 0; n < 8u; ++n) { /* each eighth has its digit */
        char text[40];
        ll_writer_ w = ll_writer_on_(text, sizeof text);
        ll_engine_write_cycles_(&w, 8u * 12u + n);
        want[0] = '\0';
        add_cycles(8u * 12u + n);
        CHECK(!strcmp(text, want));
    }
}

/* An explanation is cut where the buffer ends. */
static void no_buffer_is_too_small(void) {
    static char part[ROOM + 100];
    solved("x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
           "store t contiguous=1x64 align=16\n",
           4, 1);
    const unsigned n = ll_engine_explain(&engine, said, sizeof said);
    CHECK(n == strlen(said) && n < 1000u);
    for (unsigned size = 0; size < n + 3u; ++size) {
        memset(part, '$', 1200);
        CHECK(ll_engine_explain(&engine, part, size) == n);
        const unsigned has = size > n ? n : size ? size - 1u : 0u;
        CHECK(!memcmp(part, said, has) && (!size || part[has] == '\0'));
        for (unsigned k = size ? has + 1u : 0u; k < 1200u; ++k) {
            if (part[k] != '$') {
                CHECK(0);
                break;
            }
        }
    }
}

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

/* Nothing is dropped without a reason. */
static void explanations_say_what_was_dropped(void) {
    static const char text[] =
        "x = load 32x32:32\ny = load 32x32:32\nt = trans x order=1x0\n"
        "z = map x y t\nw = trans z order=1x0\nv = map w y\n"
        "store z\nstore w\nstore v in0=\"" ROW "\"\n"
        "store v in0=\"" COLUMN "\"\nstore v in0=\"" TILE "\"\n";
    unsigned seen = 0;
    for (unsigned n = 0; n < 12u; ++n) {
        const unsigned before = droppings;
        begin(2);
        engine.most = n % 6u + 1u;
        engine.registers = n < 6u ? 0u : 2u;
        if (ll_engine_parse(&engine, n < 6u ? text
                                            : "x = load 4x4:32\ny = map x\n"
                                              "store y\n") &&
            ll_engine_solve(&engine)) {
            for (unsigned k = 0; k < 3u; ++k) {
                seen |= engine.dropped[k] ? 1u << k : 0u;
            }
            check_explanation();
            CHECK((strstr(said, "layouts not tried: ") != NULL) ==
                  (droppings != before));
        }
    }
    COVERS(seen == 7u && droppings);
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

/* ---- Certificates ------------------------------------------------------- */

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

/* ---- Constants ---------------------------------------------------------- */

static const ll_assigned_value_ *named(const ll_assignment *a,
                                       const char *name) {
    for (unsigned v = 0; v < a->n; ++v) {
        if (a->value[v].length == strlen(name) &&
            !strncmp(a->value[v].name, name, strlen(name))) {
            return &a->value[v];
        }
    }
    CHECK(0);
    return &a->value[0];
}

static ll_assignment assigned(const char *text, unsigned warps) {
    begin(warps);
    ll_assign_limits_(&engine);
    ll_engine_parse(&engine, text);
    ll_engine_solve(&engine);
    return ll_assign_result_(&engine);
}

/* Layouts of a constant: those in which a value is made, then those to which it
 * is converted, at most three; of a tile that products read, the one in
 * memory. */
static void constants_list_three_layouts(void) {
    static const char *const more[] = {
        "register: i0 i1 i2 i3 | lane: i4 j0 j1 j2 j3 | warp: j4",
        "register: j0 i1 i2 i3 | lane: i4 i0 j1 j2 j3 | warp: j4",
        "register: j0 j1 i2 i3 | lane: i4 i0 i1 j2 j3 | warp: j4"};
    for (unsigned n = 0; n < 4u; ++n) {
        char text[1000] = "x = source 32x32:32 out0=\"" ROW "\"\n"
                          "sink x in0=\"" ROW "\"\n";
        for (unsigned k = 0; k < n; ++k) {
            append(text, sizeof text, "sink x in0=\"");
            append(text, sizeof text, more[k]);
            append(text, sizeof text, "\"\n");
        }
        const ll_assignment a = assigned(text, 2);
        CHECK(!a.err && a.conversions == n && a.n == 1u);
        CHECK(a.value[0].n == (n < 2u ? n + 1u : 3u));
        for (unsigned k = 0; k < a.value[0].n; ++k) {
            const ll_layout l = ll_assigned(a, "x", k);
            int some = 0;
            for (unsigned j = 0; j < n; ++j) {
                some = some || ll_is_equal(l, ll_parse(more[j]));
            }
            CHECK(k ? some : ll_is_equal(l, ll_parse(ROW)));
            CHECK(k < 2u || !ll_is_equal(l, ll_assigned(a, "x", 1)));
        }
    }
    /* constants that are executed twice, for four users */
    char text[1000] =
        "c = constant 32x32:32\nx = map c\nsink x in0=\"" ROW "\"\n";
    for (unsigned k = 0; k < 3u; ++k) {
        append(text, sizeof text, "sink x in0=\"");
        append(text, sizeof text, more[k]);
        append(text, sizeof text, "\"\n");
    }
    const ll_assignment twice = assigned(text, 2);
    CHECK(!twice.err && named(&twice, "x")->n == 3u && twice.conversions == 2u);
    CHECK(named(&twice, "c")->n == 0);
    /* tiles */
    const ll_assignment t = assigned(
        "a = tma_load 64x64:16\nb = tma_load 64x64:16\nbt = trans b order=1x0\n"
        "c = dot a bt by=wgmma\nl = local_load 64x64:16 "
        "memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5\"\n"
        "store l\nstore c align=16 contiguous=1x64\n",
        4);
    CHECK(!t.err && named(&t, "a")->n == 1u && named(&t, "b")->n == 1u);
    CHECK(named(&t, "bt")->n == 0);
    const ll_layout a = ll_assigned(t, "a", 0);
    CHECK(a.in.n == 1u && a.in.dim[0] == LL_OFFSET && a.in.bits[0] == 12u);
    const ll_layout l = ll_assigned(t, "l", 0);
    CHECK(l.in.n == 3u && held_bits(&l.in, LL_WARP) == 2u);
}

/* A constant of one warp has no warps, one of 24 values no more than that, and
 * layouts have up to 32 columns. */
static void constants_have_their_limits(void) {
    char text[2000] = "x = load 8x4:32\nsink x in0=\"lane: j0 j1 i0 i1 i2\"\n";
    ll_assignment a = assigned(text, 1);
    ll_layout l = ll_assigned(a, "x", a.value[0].n - 1u);
    CHECK(!a.err && l.in.n == 3u && held_bits(&l.in, LL_LANE) == 5u);
    CHECK(l.in.dim[0] == LL_REGISTER && l.in.dim[2] == LL_WARP);
    CHECK(held_bits(&l.in, LL_REGISTER) == 0);
    append(text, sizeof text, "b = load 1x1x1x1x1x1x1x1x1x1x1x2:32\nstore b\n");
    a = assigned(text, 1);
    CHECK(!a.err && named(&a, "b")->rank == 12u);
    CHECK(named(&a, "b")->size[11] == 1u && named(&a, "b")->size[10] == 0);
    for (unsigned k = 2; k < 24u; ++k) {
        char line[60];
        snprintf(line, sizeof line, "y%u = constant 4:32\n", k);
        append(text, sizeof text, line);
    }
    a = assigned(text, 1);
    CHECK(!a.err && a.n == 24u && a.n == LL_ASSIGN_VALUES_);
    CHECK(ll_assigned(a, "z", 0).err == LL_EMISSING);
    CHECK(ll_assigned(a, "", 0).err == LL_EMISSING);
    CHECK(ll_assigned(a, "y23", 0).err == LL_EMISSING); /* a constant */
    CHECK(!ll_assigned(a, "b", 0).err);
    a = assigned("x = source 16777216:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 "
                 "i7 i8 i9 i10 i11 i12 i13 i14 i15 i16 i17 i18 i19 i20 i21 i22 "
                 "i23\"\n",
                 8);
    l = ll_assigned(a, "x", 0);
    CHECK(!a.err && bits_in(&l.in) == 32u && held_bits(&l.in, LL_WARP) == 3u);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(l.basis[k] == (k < 24u ? 1u << k : 0u));
    }
    /* the work of a compiler is limited */
    ll_assign_limits_(&engine);
    CHECK(engine.most == 4u && engine.sets == 2u);
    CHECK(engine.table == 2048u && engine.nodes == 2000u);
    /* errors of graphs that were read and solved before */
    assigned(text, 1);
    CHECK(engine.found && !engine.err);
    engine.err = LL_ENGINE_EFIT;
    a = ll_assign_result_(&engine);
    CHECK(a.err == LL_ENGINE_EFIT && a.n == 0 && a.cost == 0);
}

/* What is too large for a constant is wrong nowhere in the text; what else is
 * wrong keeps its place. */
static void large_graphs_have_no_place(void) {
    char text[2000] = "";
    for (unsigned k = 0; k < 25u; ++k) {
        char line[60];
        snprintf(line, sizeof line, "y%u = constant 4:32\n", k);
        append(text, sizeof text, line);
    }
    ll_assignment a = assigned(text, 1);
    CHECK(a.err == LL_ENGINE_ELARGE && a.character == 0 && a.n == 0);
    CHECK(engine.character && !engine.err);
    append(text, sizeof text, "?");
    a = assigned(text, 1);
    CHECK(a.err == LL_ENGINE_ETEXT && a.character == strlen(text));
}

/* The layouts in which a value is made, or needed: by any instance. */
static unsigned any_of(unsigned v, int made) {
    unsigned mask = 0;
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        const unsigned n = o->n_in + o->n_out;
        for (unsigned k = made ? o->n_in : 0; k < (made ? n : o->n_in); ++k) {
            for (unsigned t = 0; t < o->n && engine.operand[o->at + k] == v;
                 ++t) {
                const unsigned c = engine.instance[o->first + t * n + k];
                mask |= c == LL_ENGINE_NONE ? 0u : 1u << c;
            }
        }
    }
    return mask;
}

/* Conversions are priced before a constant is solved: to each layout that may
 * be needed, from each other that may be there. */
static void conversions_that_may_remain_are_priced(void) {
    static const char *const all[] = {
        "x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
        "store t contiguous=1x64 align=16\n",
        "c = constant 32x32:32\nx = map c\nsink x in0=\"" ROW "\"\n"
        "sink x in0=\"" COLUMN "\"\ny = load 32x32:32\nz = map x y\n"
        "sink z in0=\"" TILE "\"\nsink y in0=\"" ROW "\"\nsink c\n",
        "x = source 32x32:32 out0=\"" ROW "\"\nloop 3 a = x\n"
        "sink a in0=\"" COLUMN "\"\nb = map a out0=\"" TILE "\"\n"
        "yield b -> c\n"
        "sink c in0=\"" ROW "\"\nsink c in0=\"" COLUMN "\"\n",
        "x = load 32x32:32\nsink x in0=\"" ROW "\"\n",
        "a = load 64x64:16\nb = tma_load 64x64:16\nc = dot a b by=wgmma\n"
        "store c contiguous=1x64\n",
        "x = source 32x32:32 out0=\"" ROW "\"\nsink x in0=\"" COLUMN "\"\n",
        "a = load 16x8:32\nb = load 16x8:32\ny = join a b\n"
        "c, d = split y\nstore c contiguous=16x1\nstore d contiguous=1x8\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        unsigned expected = 0;
        begin(n == 0 || n == 4u ? 4 : 2);
        ll_assign_limits_(&engine);
        CHECK(ll_engine_parse(&engine, all[n]));
        if (n == 6u) { /* a layout that neither makes nor needs the pairs */
            ll_engine_hint(&engine, 2,
                           ll_engine_id(&engine, 2,
                                        ll_parse("register: j0 j1 | lane: k0 "
                                                 "j2 i0 i1 i2 | warp: i3")));
        }
        ll_engine_prepare_(&engine);
        CHECK(engine.pairs == 0 && !engine.err);
        CHECK(n != 6u || !((any_of(2, 0) | any_of(2, 1)) & 1u));
        ll_assign_pairs_(&engine);
        static unsigned char seen[64][64][8]; /* elements: log2 of their bits */
        memset(seen, 0, sizeof seen);
        for (unsigned v = 0; v < engine.values; ++v) {
            const ll_engine_value *x = &engine.value[v];
            const unsigned need = any_of(v, 0);
            const unsigned there = need | any_of(v, 1);
            for (unsigned k = 0; k < x->n * x->n; ++k) {
                const unsigned a = engine.candidate[x->first + k / x->n];
                const unsigned b = engine.candidate[x->first + k % x->n];
                const unsigned size = ll_log2_(x->element_bits);
                if (a != b && there >> k / x->n & 1u && need >> k % x->n & 1u &&
                    !x->is_free && !seen[a][b][size]) {
                    seen[a][b][size] = 1;
                    ++expected;
                }
            }
        }
        CHECK(engine.flats < 64u && engine.pairs == expected && expected);
        for (unsigned k = 0; k < engine.pairs; ++k) {
            const ll_engine_pair_ *p = &engine.pair[k];
            CHECK(seen[p->a][p->b][ll_log2_(p->element_bits)]);
        }
    }
}

/* As a constant too several values may be reduced at once; without a family
 * there are no instructions. clang++ takes seconds: TEST_BRIEF leaves it out.
 */
#ifndef TEST_BRIEF
static void constants_reduce_several_values(void) {
    LL_ASSIGN(TWO,
              "x = load 64x64:32 contiguous=1x64 align=16\n"
              "y = load 64x64:32 contiguous=1x64 align=16\n"
              "s, t = reduce x y axis=1\nstore s\nstore t\n",
              4, LL_SM90);
    const ll_assignment a =
        assigned("x = load 64x64:32 contiguous=1x64 align=16\n"
                 "y = load 64x64:32 contiguous=1x64 align=16\n"
                 "s, t = reduce x y axis=1\nstore s\nstore t\n",
                 4);
    CHECK(!LL_GET(TWO).err && LL_GET(TWO).cost == a.cost && a.cost);
#if !LL_CONSTEXPR
    LL_ASSIGN(NONE, "x = load 64x64:16\nc = dot x x by=mma\n", 4, LL_SM90);
    CHECK(LL_GET(NONE).err == LL_ENGINE_EFAMILY);
#endif
}
#endif

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

/* Without memory for what operations cost, an explanation is without it. */
static void explanations_need_no_more_memory(void) {
    solved("x = load 64x64:32 contiguous=1x64 align=16\nstore x\n", 4, 1);
    CHECK(ll_engine_explain(&engine, said, sizeof said));
    CHECK(strstr(said, "operations: load x "));
    engine.bytes = engine.used;
    CHECK(ll_engine_explain(&engine, said, sizeof said) && !engine.err);
    CHECK(!strstr(said, "operations: "));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(explanations_are_what_the_questions_say);
    RUN(explanations_have_limits);
    RUN(ways_have_names);
    RUN(no_buffer_is_too_small);
    RUN(nothing_is_behind_the_last);
    RUN(explanations_say_what_was_dropped);
    RUN(tables_grow_with_the_memory);
    RUN(graphs_are_solved_again);
    RUN(pins_cost_what_fixed_layouts_cost);
    RUN(forged_drops_are_refused);
    RUN(labels_do_not_drop_each_other);
    RUN(conversions_begin_where_values_are);
    RUN(forged_messages_are_refused);
    RUN(the_first_that_rules_all_out_is_named);
    RUN(what_comes_behind_is_not_used);
    RUN(twelve_axes_are_checked);
    RUN(constants_list_three_layouts);
    RUN(constants_have_their_limits);
    RUN(large_graphs_have_no_place);
    RUN(conversions_that_may_remain_are_priced);
#ifndef TEST_BRIEF
    RUN(constants_reduce_several_values);
#endif
    RUN(questions_do_not_lose_the_result);
    RUN(solving_a_bad_graph_does_nothing);
    RUN(explanations_need_no_more_memory);
    return test_end();
}
