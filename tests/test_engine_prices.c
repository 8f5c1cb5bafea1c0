/* test_engine_prices.c - prices of the layout engine.
 * SPDX-License-Identifier: MIT
 *
 * They are compared with those of single operations and of the planner.
 */
#include "engine_graphs.h"

/* Elements of any number of bits: each lane's is at an address of its own. */
static void odd_elements_are_counted_in_bytes(void) {
    for (unsigned bits = 1; bits <= 128u; ++bits) {
        for (unsigned near = 0; near < 2u; ++near) {
            ll_engine_spec s = LL_ZERO;
            begin(1);
            s.kind = LL_ENGINE_LOAD;
            s.rank = 2;
            s.size[0] = 5;
            s.size[1] = 1;
            s.element_bits = bits;
            s.contiguous[1] = (unsigned char)near;
            s.align = 1u + bits * 7u % 40u;
            ll_engine_add(&engine, s);
            const unsigned id = ll_engine_id(
                &engine, 0, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4"));
            const unsigned bytes = (bits + 7u) / 8u;
            const unsigned n =
                near && 2u * bytes <= 16u && 2u * bytes <= s.align ? 2u : 1u;
            const unsigned all = (32u * n * bits + 7u) / 8u;
            const unsigned full = (all + 127u) / 128u;
            const unsigned apart = near ? 32u : 64u; /* half-lines */
            CHECK(ll_engine_access(&engine, 0, 0, id) ==
                  2u / n *
                          (8u + (full > 32u ? full : 32u) *
                                    LL_SM90.cost[LL_COST_MEMORY]) +
                      apart * 12u);
        }
    }
    /* neighbours in lanes, a power of two of bytes each */
    for (unsigned bits = 1; bits <= 128u; ++bits) {
        ll_engine_spec s = LL_ZERO;
        begin(1);
        s.kind = LL_ENGINE_LOAD;
        s.rank = 1;
        s.size[0] = 5;
        s.element_bits = bits;
        s.contiguous[0] = 5;
        ll_engine_add(&engine, s);
        unsigned bytes = 1;
        while (bytes * 8u < bits) {
            bytes *= 2u;
        }
        const unsigned full = ((32u * bits + 7u) / 8u + 127u) / 128u;
        const unsigned sectors = bytes; /* of 32 lanes, 32 bytes each */
        const unsigned lines = (sectors + 3u) / 4u;
        const unsigned id =
            ll_engine_id(&engine, 0, ll_parse("lane: i0 i1 i2 i3 i4"));
        CHECK(ll_engine_access(&engine, 0, 0, id) ==
              8u + (full > lines ? full : lines) *
                       LL_SM90.cost[LL_COST_MEMORY] +
                  12u * ((sectors + 1u) / 2u));
    }
}

/* What the planner has no plan for costs a fixed price: scans across blocks,
 * and reductions on machines without clusters. */
static void what_has_no_plan_costs_much(void) {
    static const char *const all[] = {"y = scan x axis=0\n",
                                      "y = reduce x axis=0\n",
                                      "y = gather x x axis=0 in0=\"register: "
                                      "j0 | lane: i0 i1 i2 i3 i4 | block: i5\""
                                      " in1=\"register: j0 | lane: i0 i1 i2 i3 "
                                      "i4 | block: i5\"\n"};
    for (unsigned n = 0; n < 6u; ++n) {
        char text[400] = "x = source 64x2:32 out0=\"register: j0 | lane: i0 i1 "
                         "i2 i3 i4 | warp: | block: i5\"\n";
        const ll_target t = n % 2u ? LL_SM80 : LL_SM90;
        ll_engine_begin(&engine, arena, MEMORY, t, 1, 2);
        append(text, sizeof text, all[n / 2u]);
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        const ll_layout a =
            ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | warp: | block: i5");
        const unsigned err = n / 2u == 0 ? ll_scan_of(a, LL_I, 32, t).err
                             : n / 2u == 1u
                                 ? ll_reduce_of(a, LL_I, 32, t).err
                                 : ll_gather_of(a, a, LL_I, 32, t).err;
        CHECK((err != 0) == (n != 2u));
        CHECK((ll_engine_cost(&engine) == 80000u) == (err != 0));
    }
}

/* Constants that are stored take the layouts of the caller, and values without
 * axes are stored as well. */
static void stored_constants_take_what_is_asked(void) {
    static const char *const row =
        "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2";
    for (unsigned n = 0; n < 4u; ++n) {
        char text[600];
        unsigned tuple[2];
        snprintf(text, sizeof text,
                 "p = constant 32x32:64\nz = load 64x64:8\n"
                 "c = constant 32x32:32\ny = load 64x64:8\n"
                 "store p c contiguous=1x32%s%s%s%s%s%s\n",
                 n & 1u ? " in0=\"" : "", n & 1u ? row : "", n & 1u ? "\"" : "",
                 n & 2u ? " in1=\"" : "", n & 2u ? row : "",
                 n & 2u ? "\"" : "");
        begin(2);
        parsed(text);
        const unsigned id = ll_engine_id(&engine, 0, ll_parse(row));
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_executed(&engine, 4, 0, tuple));
        CHECK(tuple[0] == tuple[1] && (!n || tuple[0] == id));
        CHECK(ll_engine_price(&engine, 4, tuple) + 0u ==
              ll_engine_access(&engine, 4, 2, tuple[1]));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
    ll_engine_spec s = LL_ZERO;
    begin(2);
    s.kind = LL_ENGINE_CONSTANT;
    s.element_bits = 32;
    const unsigned op = ll_engine_add(&engine, s);
    const unsigned v = ll_engine_result(&engine, op, 0);
    s.kind = LL_ENGINE_STORE;
    s.n_in = 1;
    s.in = &v;
    ll_engine_add(&engine, s);
    CHECK(ll_engine_solve(&engine) && engine.value[0].rank == 0);
    unsigned tuple[1];
    CHECK(ll_engine_executed(&engine, 1, 0, tuple));
    CHECK(ll_engine_cost(&engine) ==
          8u + LL_SM90.cost[LL_COST_MEMORY] + 8u + 24u);
    /* no register is enough for an element of 128 bits */
    begin(2);
    engine.registers = 3;
    parsed("c = constant 32x32:128\nstore c\n");
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EREGISTERS);
}

static unsigned only_tuple[8];

static void executed(const char *text, unsigned op) {
    begin(2);
    parsed(text);
    CHECK(ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    memset(only_tuple, 255, sizeof only_tuple);
    CHECK(ll_engine_executed(&engine, op, 0, only_tuple));
}

/* A constant is there in the layout that the rule of the operation says, or the
 * caller. */
static void constants_take_the_layouts_of_others(void) {
#define ODD "register: i0 j1 i3 i4 | lane: j2 j3 j4 j0 i1 | warp: i2"
#define ROW "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2"
    static const char *const both[] = {"s, t = reduce c x axis=1\n",
                                       "s, t = reduce x c axis=1\n",
                                       "s, t = scan c x axis=1\n"};
    char text[1000];
    for (unsigned n = 0; n < 3u; ++n) {
        snprintf(text, sizeof text,
                 "c = constant 32x32:32\nx = source "
                 "32x32:32 out0=\"%s\"\nz = load 2:8\n%sstore s\nstore t\n",
                 ODD, both[n]);
        executed(text, 3);
        CHECK(only_tuple[0] == only_tuple[1] && only_tuple[2] == only_tuple[3]);
        CHECK(n == 2u || only_tuple[0] == engine.fixed[engine.op[1].at]);
    }
    executed("c = constant 16x8:32\nr = reorder c 8x16\nstore r\n", 1);
    CHECK(only_tuple[0] == only_tuple[1] && only_tuple[0] < engine.flats);
    executed("c = constant 32x32:32\nz = load 2:8\nd = fixed c in0=\"" ODD
             "\" out0=\"" ROW "\"\nstore d\n",
             2);
    const ll_engine_op *o = &engine.op[2];
    CHECK(only_tuple[0] == engine.fixed[o->at] && only_tuple[0] < engine.flats);
    CHECK(only_tuple[1] == engine.fixed[o->at + 1u]);
    CHECK(only_tuple[0] != only_tuple[1]);
    executed("x = source 32x32:32 out0=\"" ROW "\"\nc = constant 32x32:32\n"
             "z = load 2:8\nd = fixed x c in0=\"" ROW "\" in1=\"" ODD
             "\" out0=\"" ROW "\"\nstore d\n",
             3);
    o = &engine.op[3];
    CHECK(only_tuple[1] == engine.fixed[o->at + 1u]);
    CHECK(only_tuple[1] != only_tuple[0]);
    executed("c = constant 32x32:32\nd = fixed c out0=\"" ODD "\"\n", 1);
    CHECK(only_tuple[0] == only_tuple[1]);
    begin(4);
    parsed("a = load 32x64:16\nz = load 2:8\nb = load 64x16:16\n"
           "y = constant 32x16:32\nw = load 2:8\nc = dot a b y by=mma\n"
           "store c\n");
    CHECK(ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    CHECK(ll_engine_executed(&engine, 5, 0, only_tuple));
    o = &engine.op[5];
    CHECK(only_tuple[2] == engine.fixed[o->at + 2u]);
    CHECK(only_tuple[3] == engine.fixed[o->at + 3u]);
    unsigned turned = 0; /* in any order of k */
    for (unsigned t = 0; t < o->n; ++t) {
        ll_engine_numbers_(&engine, 5, t, only_tuple);
        CHECK(only_tuple[2] == engine.fixed[o->at + 2u]);
        turned += only_tuple[0] != engine.fixed[o->at];
    }
    CHECK(turned);
    /* stores of constants: the cheapest rows, the layout of the caller */
    for (unsigned n = 0; n < 60u; ++n) {
        const unsigned bits = 8u << n % 5u;
        snprintf(text, sizeof text,
                 "z = load 2:8\np = constant 32x16:64\nc = constant 32x16:%u\n"
                 "y = load 64x64:8\nstore p c contiguous=%s align=%u\n",
                 bits, n / 5u % 2u ? "1x16" : "32x1",
                 n / 10u % 3u == 0    ? 16u
                 : n / 10u % 3u == 1u ? 4u
                                      : bits / 8u);
        executed(text, 4);
        const ll_engine_value x = engine.value[2];
        unsigned long long least = ~0ull;
        for (unsigned k = 0; k < 10u; ++k) {
            const unsigned id = ll_engine_flat_id(
                &engine, 2, ll_engine_rows_(&engine, &x, k / 5u, k % 5u));
            const unsigned long long cost = ll_engine_access(&engine, 4, 2, id);
            least = cost < least ? cost : least;
        }
        CHECK(only_tuple[0] == only_tuple[1]);
        CHECK(ll_engine_access(&engine, 4, 2, only_tuple[1]) == least);
    }
    static const char *const stores[] = {
        "c = constant 512:32\ny = load 2:8\nstore c contiguous=512 align=4\n",
        "c = constant 512:64\ny = load 2:8\nstore c contiguous=512 align=8\n",
        ("c = constant 64x32:8\ny = load 2:8\n"
         "store c contiguous=1x32 align=16\n"),
        ("c = constant 64x64:8\ny = load 2:8\n"
         "store c contiguous=1x64 align=16\n")};
    for (unsigned n = 0; n < 4u; ++n) { /* single elements, and 16 bytes */
        executed(stores[n], 2);
        const ll_engine_value x = engine.value[0];
        unsigned long long least = ~0ull;
        unsigned best = 0;
        for (unsigned k = 0; k < 5u * x.rank; ++k) {
            const unsigned id = ll_engine_flat_id(
                &engine, 0, ll_engine_rows_(&engine, &x, k / 5u, k % 5u));
            const unsigned long long cost = ll_engine_access(&engine, 2, 0, id);
            best = cost < least ? k % 5u : best;
            least = cost < least ? cost : least;
        }
        CHECK(best == (n < 2u ? 0u : 4u));
        CHECK(ll_engine_access(&engine, 2, 0, only_tuple[0]) == least);
    }
    for (unsigned n = 0; n < 4u; ++n) { /* four operands fill their list */
        snprintf(text, sizeof text,
                 "z = source 32x32:8 out0=\"%s\"\nc = constant 32x32:32\n"
                 "y = load 2:8\nstore c c c c in%u=\"%s\"\nstore z\n",
                 ROW, n, ODD);
        executed(text, 3);
        const unsigned id = ll_engine_id(&engine, 0, ll_parse(ODD));
        for (unsigned k = 0; k < 4u; ++k) {
            CHECK(only_tuple[k] == id);
        }
        snprintf(text, sizeof text,
                 "z = source 32x32:8 out0=\"%s\"\nc = constant 32x32:32\n"
                 "y = load 2:8\nstore c c c c\nstore z\n",
                 ROW);
        executed(text, 3);
        CHECK(only_tuple[0] < engine.flats && only_tuple[3] == only_tuple[0]);
    }
}

/* A layout in registers alone is not that of a tile, which has no lanes. */
static void tiles_are_in_no_order(void) {
    begin(2);
    parsed("a = source 8x8:16\nz = load 2:8\nb = source 8x8:16\nw = load 2:8\n"
           "c = dot a b\nlocal_store a memory=\"offset: j0 j1 j2 i0 i1 i2\"\n");
    ll_engine_flat f = LL_ZERO;
    f.n[0] = 6;
    f.n[1] = 5;
    f.n[2] = 1;
    for (unsigned k = 0; k < 6u; ++k) {
        f.basis[k] = 1u << k;
    }
    const unsigned id = ll_engine_flat_id(&engine, 0, f);
    ll_engine_fix(&engine, 4, 0, id);
    ll_engine_fix(&engine, 4, 1, id);
    const unsigned tuple[3] = {id, id, id};
    const unsigned tile[3] = {engine.op[5].memory, id, id};
    CHECK(ll_engine_is_in_order_(&engine, &engine.op[4], tuple));
    CHECK(!ll_engine_is_in_order_(&engine, &engine.op[4], tile));
}

/* What is light costs one instruction, and results of constants are free one by
 * one; loops carry values at no cost, however often. */
static void light_and_free_operations(void) {
    for (unsigned cost = 0; cost < 20u; ++cost) {
        ll_engine_spec s = LL_ZERO;
        unsigned in = 0;
        begin(2);
        parsed("c = constant 8x2:32\n");
        s.kind = LL_ENGINE_MAP;
        s.n_in = 1;
        s.in = &in;
        s.cost = cost;
        ll_engine_add(&engine, s);
        ll_engine_prepare_(&engine);
        CHECK(engine.op[1].is_light == (cost <= 8u));
        CHECK(engine.value[1].is_free == (cost == 0));
    }
    begin(2);
    prepared("x = load 8:32\nc = constant 8x2:32\nz = load 8x2:32\n"
             "a, b = split c\nd, e = split z\n");
    CHECK(engine.value[3].is_free && engine.value[4].is_free);
    CHECK(!engine.value[5].is_free && !engine.value[6].is_free);
    CHECK(engine.value[1].is_free && !engine.value[2].is_free);
    begin(2);
    prepared("c = constant 8x8:32\nx = map c\nloop 5 a = x\nb = map a\n"
             "yield b -> d\nstore d\n");
    for (unsigned p = 0; p < engine.ops; ++p) {
        CHECK(
            ll_engine_again_(&engine.op[p]) ==
            (engine.op[p].kind == LL_ENGINE_CARRY ? 0u : engine.op[p].weight));
    }
}

/* Plans that are priced later cost what they cost at once, each its own; what
 * was not asked for in time is an error. */
static void plans_are_priced_later(void) {
    static ll_engine_pool_ pool;
    static const ll_engine_pool_ empty = LL_ZERO;
    ll_engine e = LL_ZERO;
    pool = empty;
    ll_engine_start_(&e, LL_SM90, 2, 1);
    e.pool = &pool;
    e.sort = ll_sort_cycles;
    CHECK(ll_engine_parse(&e, "x = source 32x32:32 out0=\"" ROW "\"\n"
                              "i = source 32x32:16 out0=\"" ODD "\"\n"
                              "z = load 2:8\ng = gather x i axis=1 in0=\"" ROW
                              "\" in1=\"" ODD "\"\ns = scan g axis=0\n"
                              "h = gather i x axis=0 in0=\"" ROW "\" in1=\"" ODD
                              "\"\nr = reduce h axis=1\nt = sort x axis=0\n"));
    ll_engine_prepare_(&e);
    CHECK(!e.err && e.jobs >= 4u && e.pairs == 0);
    unsigned job = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const unsigned kind = e.op[p].kind;
        const int later = kind == LL_ENGINE_GATHER || kind == LL_ENGINE_SCAN ||
                          kind == LL_ENGINE_SORT || kind == LL_ENGINE_REDUCE;
        for (unsigned t = 0; t < e.op[p].n && later; ++t) {
            unsigned tuple[4];
            ll_engine_numbers_(&e, p, t, tuple);
            CHECK(ll_assign_price_(&e, job) == ll_engine_price(&e, p, tuple));
            CHECK(e.job[4u * job] == e.op[p].price + t);
            CHECK(e.job[4u * job + 1u] == p);
            CHECK(e.job[4u * job + 2u] == tuple[0]);
            CHECK(kind != LL_ENGINE_GATHER || e.job[4u * job + 3u] == tuple[1]);
            ++job;
        }
    }
    CHECK(job == e.jobs);
    e.priced = 1;
    CHECK(ll_engine_convert_(&e, 0, 1, 10, 32) && e.err == LL_ENGINE_EARENA);
}

/* The lists of a constant have an end: 40 values, 32 operations. */
static void constants_have_room_for_so_many(void) {
    static ll_engine_pool_ pool;
    static const ll_engine_pool_ empty = LL_ZERO;
    for (unsigned n = 20; n < 45u; ++n) {
        char text[2000] = "";
        for (unsigned k = 0; k < n; k += 2u) {
            char line[60];
            snprintf(line, sizeof line, "a%u = load 4:32\n", k);
            append(text, sizeof text, line);
        }
        append(text, sizeof text, "x, y, z = fixed 4:32\n");
        ll_engine e = LL_ZERO;
        pool = empty;
        ll_engine_start_(&e, LL_SM90, 2, 1);
        e.pool = &pool;
        const unsigned ops = (n + 1u) / 2u + 1u;
        CHECK(ll_engine_parse(&e, text) == (ops <= 32u));
        CHECK(!e.err && e.values == ops + 2u);
    }
    ll_engine e = LL_ZERO;
    ll_engine_start_(&e, LL_SM90, 2, 1);
    pool = empty;
    e.pool = &pool;
    char text[2000] = "";
    for (unsigned k = 0; k < 14u; ++k) { /* three values each */
        char line[60];
        snprintf(line, sizeof line, "a%u, b%u, c%u = fixed 4:32\n", k, k, k);
        append(text, sizeof text, line);
    }
    CHECK(!ll_engine_parse(&e, text) && e.err == LL_ENGINE_EARENA);
}

/* Layouts of a reordering have as many registers. */
static void reorders_of_other_registers_are_illegal(void) {
    begin(2);
    engine.most = 24;
    parsed("x = load 16x8:32 out0=\"register: j0 | lane: j1 j2 i0 i1 i2 | "
           "warp: i3\"\ny = reorder x 8x16\nstore y\n");
    CHECK(ll_engine_solve(&engine));
    unsigned tuple[4];
    CHECK(ll_engine_executed(&engine, 1, 0, tuple));
    const unsigned wide = ll_engine_id(
        &engine, 0, ll_parse("register: j0 i3 | lane: j1 j2 i0 i1 i2"));
    CHECK(wide != LL_ENGINE_NONE && engine.flat[wide].n[0] == 2u);
    CHECK(ll_engine_is_legal_(&engine, 1, tuple));
    tuple[2] = tuple[3] = tuple[0];
    tuple[1] = wide;
    CHECK(!ll_engine_is_legal_(&engine, 1, tuple));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(odd_elements_are_counted_in_bytes);
    RUN(what_has_no_plan_costs_much);
    RUN(stored_constants_take_what_is_asked);
    RUN(constants_take_the_layouts_of_others);
    RUN(tiles_are_in_no_order);
    RUN(light_and_free_operations);
    RUN(plans_are_priced_later);
    RUN(constants_have_room_for_so_many);
    RUN(reorders_of_other_registers_are_illegal);
    return test_end();
}
