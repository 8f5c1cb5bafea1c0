/* test_engine_memory.c - products of the layout engine that read memory.
 * SPDX-License-Identifier: MIT
 *
 * Operands are read where a family of instructions wants them, and stored to
 * the cheapest place.
 */
#include "engine_graphs.h"

/* The family of these tests: operands in memory (bit 0: a, bit 1: b), or in
 * registers. */
static unsigned in_memory;

static ll_layout family(const char *name, unsigned n, unsigned operand,
                        unsigned rows, unsigned cols, unsigned element_bits,
                        unsigned warps) {
    ll_layout none = LL_ZERO;
    if (in_memory == 4u && operand == LL_ENGINE_A_K) { /* columns first */
        return ll_parse("offset: i0 i1 i2 i3 i4 i5 j0 j1 j2 j3 j4 j5");
    }
    const int tile = (operand == LL_ENGINE_A_K && (in_memory & 1u)) ||
                     (operand == LL_ENGINE_B_MN && (in_memory & 2u));
    CHECK(n == 3u && !strncmp(name, "abc", 3) && rows == 64u && cols == 64u);
    CHECK(element_bits == 16u || operand == LL_ENGINE_C);
    none.err = LL_EMISSING;
    if (tile) {
        return ll_parse("offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5");
    }
    if (operand == LL_ENGINE_C ||
        (operand == LL_ENGINE_A && !(in_memory & 1u)) ||
        (operand == LL_ENGINE_B && !(in_memory & 2u))) {
        return ll_parse(warps == 1u
                            ? "register: j0 j1 j2 j3 j4 i4 i5 | lane: j5 i0 i1 "
                              "i2 i3"
                            : "register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 i3 "
                              "| warp: i4 i5");
    }
    return none;
}

/* What a store of value v in layout id to `place` costs, with the barrier that
 * comes behind it. */
static unsigned long long store_cost(unsigned store, unsigned place,
                                     unsigned id) {
    engine.op[store].memory = place;
    return ll_engine_price(&engine, store, &id) + LL_SM90.cost[LL_COST_BLOCK];
}

/* Each operand is read in registers, or in memory, as its instructions say;
 * what is not there is stored, as often as it is made. */
static void operands_are_read_where_instructions_want_them(void) {
    static const char *const makes[] = {"load", "tma_load", "constant"};
    unsigned stored = 0;
    for (unsigned n = 0; n < 72u; ++n) {
        char text[700];
        const unsigned a = n % 3u;
        const unsigned b = n / 3u % 3u;
        const unsigned warps = n / 9u % 2u ? 1u : 4u;
        in_memory = n / 18u;
        if ((a == 1u && !(in_memory & 1u)) || (b == 1u && !(in_memory & 2u))) {
            continue; /* a tile that only lanes read: no place is said */
        }
        snprintf(text, sizeof text,
                 "z = load 2:8\na = %s 64x64:16\nw = load 2:8\n"
                 "b = %s 64x64:16\ny = load 64x64:16\n"
                 "local_store y memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 "
                 "i4 i5\"\nloop 3\nc = dot a b by=abc\nstore c contiguous=1x64"
                 "\nyield\n",
                 makes[a], makes[b]);
        begin(warps);
        engine.family = family;
        engine.most = 4;
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned p = 7;
        const ll_engine_op *o = &engine.op[p];
        CHECK(o->kind == LL_ENGINE_DOT && o->weight == 3u);
        CHECK(ll_engine_is_ordered_(o) == !in_memory);
        CHECK(engine.value[1].in_place == (a == 1u));
        CHECK(engine.value[3].in_place == (b == 1u));
        CHECK((o->in_place[0] != LL_ENGINE_NONE) == (a == 1u));
        CHECK((o->in_place[1] != LL_ENGINE_NONE) == (b == 1u));
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[3];
            unsigned long long sum = 0;
            ll_engine_numbers_(&engine, p, t, tuple);
            for (unsigned k = 0; k < 2u; ++k) {
                const unsigned v = k ? 3u : 1u;
                const unsigned make = k ? b : a;
                const int placed = (in_memory >> k & 1u) != 0;
                CHECK(ll_engine_is_placed_(o, k) == placed);
                if (!placed) {
                    continue;
                }
                if (make == 0) {
                    CHECK(has_candidate(v, tuple[k]));
                    sum += (store_cost(5, o->place[k][k], tuple[k]) + 2u) / 3u;
                    ++stored;
                } else {
                    CHECK(tuple[k] == o->place[k][k]);
                }
            }
            CHECK(ll_engine_price(&engine, p, tuple) == sum);
            CHECK(ll_engine_is_legal_(&engine, p, tuple));
            /* C has one layout; an operand in memory may have others */
            for (unsigned k = 0; k < 3u; ++k) {
                const unsigned was = tuple[k];
                const unsigned v = k == 0 ? 1u : k == 1u ? 3u : 4u;
                const int any =
                    k < 2u && (in_memory >> k & 1u) && (k ? b : a) != 2u;
                for (unsigned id = 0; id < engine.flats && k == 2u; ++id) {
                    tuple[k] = id;
                    CHECK(ll_engine_is_legal_(&engine, p, tuple) ==
                          (id == was));
                }
                tuple[k] = was;
                (void)v;
                if (any) { /* any lanes will do, but no other tile */
                    for (unsigned id = 0; id < engine.flats; ++id) {
                        tuple[k] = id;
                        const int lanes = engine.flat[id].n[1] != 0;
                        CHECK(ll_engine_is_legal_(&engine, p, tuple) ==
                              (lanes || id == o->in_place[k]));
                    }
                    tuple[k] = was;
                }
            }
        }
    }
    COVERS(stored > 20u);
}

/* The elements of a tile are where the product looks for them, also behind
 * transpositions; lanes hold none of it only if nobody else reads it. */
static void tiles_are_where_products_look_for_them(void) {
    static const struct {
        const char *text;
        int alone; /* no lane holds b, or bt */
    } all[] = {
        {"c = dot a bt by=wgmma\n", 1},
        {"c = dot a bt by=wgmma\nd = dot e bt by=wgmma\n", 1},
        {"c = dot a bt by=wgmma\nstore bt\n", 0},
        {"m = map bt\nc = dot a bt by=wgmma\n", 0},
        {"z = load 32x64:8 out0=\"register: j0 j1 j2 j3 | lane: j4 j5 i0 i1 i2 "
         "| "
         "warp: i3 i4\"\nc = dot a bt by=wgmma\n",
         1},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned turns = 0; turns < 3u; ++turns) {
            char text[600];
            snprintf(text, sizeof text,
                     "a = load 64x128:16\ne = load 64x128:16\n%s%s%s",
                     turns == 1u ? "b = tma_load 32x128:16\nbt = trans b "
                                   "order=1x0\n"
                     : turns     ? "b = tma_load 128x32:16\nw = trans b "
                                   "order=1x0\nbt = trans w order=1x0\n"
                                 : "bt = tma_load 128x32:16\n",
                     all[n].text, "store c\n");
            begin(4);
            engine.most = 4;
            parsed(text);
            CHECK(ll_engine_solve(&engine));
            CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
            unsigned dot = 0;
            while (engine.op[dot].kind != LL_ENGINE_DOT) {
                ++dot;
            }
            const ll_engine_op *o = &engine.op[dot];
            const unsigned tile = 2; /* the operation that brings it */
            CHECK(engine.op[tile].kind == LL_ENGINE_TMA_LOAD);
            CHECK(o->in_place[1] != LL_ENGINE_NONE);
            const ll_engine_flat *m = &engine.flat[engine.op[tile].memory];
            const ll_engine_flat *p = &engine.flat[o->in_place[1]];
            for (unsigned k = 0; k < 12u; ++k) {
                const unsigned i = m->basis[k] >> 7; /* of 32 x 128 */
                const unsigned j = m->basis[k] & 127u;
                CHECK(p->basis[k] == (turns == 1u ? j << 5 | i : m->basis[k]));
            }
            const unsigned bt = engine.operand[o->at + 1u];
            CHECK(engine.value[bt].in_place == (unsigned)all[n].alone);
            CHECK(ll_engine_needs_(&engine, dot, bt, 0) == 0);
        }
    }
    /* lanes hold what is fixed in lanes */
    static const char lanes[] =
        "register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 i3 "
        "| warp: i4 i5";
    for (unsigned n = 0; n < 4u; ++n) {
        char text[600];
        snprintf(text, sizeof text,
                 "a = load 64x64:16\nb = tma_load 64x64:16\n"
                 "bt = trans b order=1x0%s%s%s\nz = load 2:8\n"
                 "c = dot a bt by=wgmma%s%s%s\nstore c\n",
                 n & 1u ? " in0=\"" : "", n & 1u ? lanes : "",
                 n & 1u ? "\"" : "", n & 2u ? " in1=\"" : "",
                 n & 2u ? lanes : "", n & 2u ? "\"" : "");
        begin(4);
        parsed(text);
        ll_engine_prepare_(&engine);
        CHECK(!engine.err || n == 2u || n == 3u);
        CHECK(engine.value[2].in_place == (n == 0));
        CHECK((engine.op[4].in_place[1] != LL_ENGINE_NONE) == (n < 2u));
    }
}

/* A value that a product reads both in place and in lanes is held by lanes. */
static void tiles_may_be_read_twice(void) {
    static const char *const all[] = {"c = dot x x by=abc\n",
                                      "y = load 64x64:16\n"
                                      "c = dot y x by=abc\n"};
    in_memory = 2;
    for (unsigned n = 0; n < 2u; ++n) {
        char text[300] = "x = tma_load 64x64:16\nz = load 2:8\n";
        append(text, sizeof text, all[n]);
        begin(4);
        engine.family = family;
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        CHECK(engine.value[0].in_place == n);
        CHECK(engine.op[2u + n].in_place[1] != LL_ENGINE_NONE);
    }
    /* registers are no tile: of a copy that nobody else places there is none */
    for (in_memory = 0; in_memory < 5u; in_memory += 4u) {
        begin(4);
        engine.family = family;
        parsed("x = tma_load 64x64:16\nb = load 64x64:16\n"
               "c = dot x b by=abc\n");
        CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EMEMORY);
    }
    /* what is added is held by lanes */
    in_memory = 2;
    begin(4);
    engine.family = family;
    parsed("x = tma_load 64x64:16\ny = load 64x64:16\nz = load 2:8\n"
           "c = dot y x x by=abc\n");
    ll_engine_prepare_(&engine);
    CHECK(engine.value[0].in_place == 0);
}

/* A stored operand goes to the cheapest of the places that will do. */
static void operands_are_stored_to_the_cheapest_place(void) {
    begin(4);
    engine.most = 24;
    parsed(
        "a = load 64x64:16\nx = load 2:8\nb = load 64x64:16\n"
        "w = load 64x64:16\nlocal_store w memory=\"offset: j0 j1 j2 j3 j4 j5 "
        "i0 i1 i2 i3 i4 i5\"\nc = dot a b by=wgmma\nstore a\nstore b "
        "contiguous=64x1\n");
    CHECK(ll_engine_solve(&engine));
    const ll_engine_op *o = &engine.op[5];
    unsigned costs = 0;
    for (unsigned k = 0; k < 2u; ++k) {
        CHECK(o->place[k][0] != LL_ENGINE_NONE);
        CHECK(o->place[k][1] != LL_ENGINE_NONE);
        for (unsigned id = 0; id < engine.flats; ++id) {
            if (!engine.flat[id].n[1]) {
                continue;
            }
            const unsigned long long one = store_cost(4, o->place[k][0], id);
            const unsigned long long two = store_cost(4, o->place[k][1], id);
            CHECK(ll_engine_stores_(&engine, o, k, id) == (id == o->place[k][2]
                                                               ? 0u
                                                           : one < two ? one
                                                                       : two));
            ++costs;
        }
        CHECK(ll_engine_stores_(&engine, o, k, LL_ENGINE_NONE) == 0);
    }
    CHECK(costs > 10u);
    /* layouts in any order; a layout in registers is no place */
    unsigned cheaper = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned id =
            ll_engine_flat_id(&engine, 0, random_flat(5, 5, 2));
        const unsigned third = o->place[0][2];
        const unsigned long long one = store_cost(4, o->place[0][0], id);
        const unsigned long long two = store_cost(4, o->place[0][1], id);
        const unsigned long long least = one < two ? one : two;
        if (id != third) {
            CHECK(ll_engine_stores_(&engine, o, 0, id) == least);
            cheaper += store_cost(4, third, id) < least;
        }
    }
    COVERS(cheaper > 0);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(operands_are_read_where_instructions_want_them);
    RUN(tiles_are_where_products_look_for_them);
    RUN(tiles_may_be_read_twice);
    RUN(operands_are_stored_to_the_cheapest_place);
    return test_end();
}
