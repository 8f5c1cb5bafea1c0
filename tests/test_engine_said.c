/* test_engine_said.c - what the layout engine says of its results.
 * SPDX-License-Identifier: MIT
 *
 * Explanations are written here once more, from the public questions alone:
 * what is made where, what is converted, what was dropped.
 */
#include "engine_graphs.h"
#include "engine_said.h"

/* ---- Explanations ------------------------------------------------------- */

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

/* Undoes the transposes of operand k of product p: returns the value before. */
static unsigned transposed(unsigned p, unsigned k) {
    unsigned v = engine.operand[engine.op[p].at + k];
    while (engine.op[engine.value[v].def].kind == LL_ENGINE_TRANS) {
        v = engine.operand[engine.op[engine.value[v].def].at];
    }
    return v;
}

/* Whether an earlier operand, which has no place in registers, is stored in the
 * tile that operand k of product p reads. In a product, b comes first. */
static int is_stored_already(unsigned p, unsigned k) {
    for (unsigned q = 0; q <= p; ++q) {
        for (unsigned j = 0; j < 2u && engine.op[q].kind == LL_ENGINE_DOT;
             ++j) {
            if ((q < p || j > k) && transposed(q, j) == transposed(p, k) &&
                engine.op[q].place[j][0] != LL_ENGINE_NONE &&
                engine.op[q].place[j][2] == LL_ENGINE_NONE) {
                return 1;
            }
        }
    }
    return 0;
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
    } else if (is_stored_already(p, k)) {
        add(" in shared memory, where it is stored already\n");
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
        {"a = load 64x64:16 contiguous=1x64 align=16\nb = load 64x64:16\n"
         "t = trans a order=1x0\nc = dot a t by=wgmma\nd = dot b a by=wgmma\n"
         "f = dot a b by=wgmma\nstore c\nstore d\nstore f\n",
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

/* ---- What is asked of a result ------------------------------------------ */

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
    RUN(explanations_say_what_was_dropped);
    RUN(explanations_need_no_more_memory);
    return test_end();
}
