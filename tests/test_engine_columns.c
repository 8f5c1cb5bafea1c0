/* test_engine_columns.c - values, layouts and tiles in graphs of the layout engine.
 * SPDX-License-Identifier: MIT
 *
 * What stands behind the last value or operation is none; each element and each
 * thread has its place.
 */
#include "engine_graphs.h"
#include "engine_text.h"

/* Calls that name what would come behind the last operation, value or layout
 * fail, whatever is in memory there. */
static void nothing_is_behind_the_last(void) {
    static const char text[] =
        "x = load 64x64:16\nb = load 64x64:16\nm = merge x b\n"
        "t = tma_load 64x64:16\nc = dot x b\n";
    static const unsigned kinds[] = {LL_ENGINE_CARRY, LL_ENGINE_TMA_LOAD,
                                     LL_ENGINE_DOT};
    for (unsigned n = 0; n < 9u; ++n) {
        unsigned err = LL_ENGINE_OK;
        parsed_for(text, 4);
        CHECK(engine.cap_ops > engine.ops);
        CHECK(engine.cap_values > engine.values);
        const unsigned ops = engine.ops;
        const unsigned values = engine.values;
        for (unsigned p = 0; p < ops; ++p) { /* one that would do */
            if (engine.op[p].kind == kinds[n % 3u]) {
                engine.op[ops] = engine.op[p];
            }
        }
        engine.op[ops].character = 77;
        engine.value[values] = engine.value[0];
        engine.character = 5;
        const unsigned hints = engine.hints;
        const unsigned carry = 2;
        const unsigned id = ll_engine_id(
            &engine, 0,
            ll_parse("register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 "
                     "i3 | warp: i4 i5"));
        CHECK(!engine.err && engine.op[carry].kind == LL_ENGINE_CARRY);
        switch (n) {
        case 0:
            ll_engine_yield(&engine, ops, 0);
            err = LL_ENGINE_ELOOP;
            break;
        case 1:
            ll_engine_memory(&engine, ops,
                             ll_parse("offset: j0 j1 j2 j3 j4 j5 "
                                      "i0 i1 i2 i3 i4 i5"));
            err = LL_ENGINE_EMEMORY;
            break;
        case 2:
            ll_engine_by(&engine, ops, "mma", 3);
            err = LL_ENGINE_EFAMILY;
            break;
        case 3:
            ll_engine_yield(&engine, carry, values);
            err = LL_ENGINE_ELOOP;
            break;
        case 4:
            ll_engine_fix(&engine, ops, 0, id);
            err = LL_ENGINE_ELAYOUT;
            break;
        case 5:
            ll_engine_fix(&engine, 0, 0, engine.flats);
            err = LL_ENGINE_ELAYOUT;
            break;
        case 6:
            ll_engine_hint(&engine, values, id);
            break;
        case 7:
            ll_engine_hint(&engine, 0, engine.flats);
            break;
        default:
            CHECK(ll_engine_result(&engine, ops, 0) == LL_ENGINE_NONE);
            break;
        }
        CHECK(engine.err == err && engine.hints == hints);
        if (n < 3u || n == 4u) {
            char said[200];
            CHECK(engine.wrong == ops && engine.character == 5u);
            ll_engine_error(&engine, said, sizeof said);
            CHECK(!strncmp(said, "ll: (at character 5): ", 22));
        }
    }
    /* an operand that is no value has the name of a number */
    begin(2);
    ll_engine_spec s = LL_ZERO;
    unsigned in = 1;
    char said[200];
    CHECK(ll_engine_parse(&engine, "abc = load 4:32\n"));
    engine.value[1] = engine.value[0];
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    s.in = &in;
    ll_engine_add(&engine, s);
    CHECK(engine.err == LL_ENGINE_EVALUE);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(!strncmp(said, "ll: map v1 (operation 1, ", 25));
}

/* Memory is counted in bytes. Taking nothing needs no memory. Taking more than
 * there is fails, also if the number of bytes exceeds 64 bits. */
static void memory_is_counted(void) {
    static const unsigned long long many[] = {
        1ull << 60, 1ull << 61, 1ull << 62, ~0ull, ~0ull / 8u, ~0ull / 8u + 2u};
    begin(2);
    engine.bytes = engine.used = 0;
    CHECK(ll_engine_take_word_(&engine, 0) && !engine.err);
    for (unsigned n = 0; n < sizeof many / sizeof *many; ++n) {
        begin(2);
        CHECK(!ll_engine_take_wide_(&engine, many[n]));
        CHECK(engine.err == LL_ENGINE_EARENA);
    }
    /* after an error there is none, even if there is room */
    begin(2);
    engine.err = LL_ENGINE_EFIT;
    CHECK(!ll_engine_take_word_(&engine, 1) && engine.used == 0);
}

/* Layouts are equal if they have as many columns of each kind, and the same. */
static void equal_layouts_have_equal_columns(void) {
    ll_engine_flat f = LL_ZERO;
    f.n[0] = 1;
    f.n[1] = 5;
    f.n[2] = 1;
    for (unsigned k = 0; k < 7u; ++k) {
        f.basis[k] = 1u << k;
    }
    CHECK(ll_flat_is_equal_(&f, &f));
    for (unsigned d = 0; d < 4u; ++d) { /* one more of a kind, of columns 0 */
        for (unsigned less = 0; less < 4u; ++less) {
            ll_engine_flat g = f;
            ++g.n[d];
            CHECK(!ll_flat_is_equal_(&f, &g) && !ll_flat_is_equal_(&g, &f));
            g.n[less] = (unsigned char)(g.n[less] - (g.n[less] != 0));
            CHECK(ll_flat_is_equal_(&f, &g) == (d == less));
        }
    }
    for (unsigned k = 0; k < 7u; ++k) {
        ll_engine_flat g = f;
        g.basis[k] ^= 1u << (k + 1u) % 7u;
        CHECK(!ll_flat_is_equal_(&f, &g));
        g = f;
        g.basis[7] = 1; /* what stands behind the last does not count */
        CHECK(ll_flat_is_equal_(&f, &g));
    }
}

/* A layout in words becomes columns of registers, lanes, warps and blocks:
 * lanes that it does not name hold copies. It may have 32 columns. */
static void layouts_have_a_column_for_each_thread(void) {
    for (unsigned n = 0; n < 400u; ++n) {
        static const char *const bit[] = {"i0", "i1", "i2", "i3", "i4", "i5"};
        const unsigned lanes = test_random(6);
        const unsigned warps = test_random(2);
        const unsigned blocks = test_random(2);
        unsigned order[6];
        unsigned at = 0;
        char text[200] = "register:";
        const unsigned registers = 6u - lanes - warps - (lanes < 5u && blocks);
        const unsigned has[4] = {registers, lanes, warps,
                                 6u - registers - lanes - warps};
        static const char *const name[] = {"",
                                           " | lane:", " | warp:", " | block:"};
        static const unsigned most[] = {6, 5, 1, 1};
        ll_engine_begin(&engine, arena, MEMORY, LL_SM90, 2, 2);
        CHECK(ll_engine_parse(&engine, "x = load 64:8\n"));
        for (unsigned k = 0; k < 6u; ++k) {
            const unsigned swap = test_random(k + 1u);
            order[k] = order[swap];
            order[swap] = k;
        }
        for (unsigned d = 0; d < 4u; ++d) {
            append(text, sizeof text, has[d] || d < 2u ? name[d] : "");
            for (unsigned k = 0; k < has[d]; ++k) {
                append(text, sizeof text, " ");
                append(text, sizeof text, bit[order[at + k]]);
            }
            at += has[d];
        }
        const unsigned id = ll_engine_id(&engine, 0, ll_parse(text));
        CHECK(!engine.err);
        if (engine.err) {
            printf("%s\n", text);
            return;
        }
        const ll_engine_flat *f = &engine.flat[id];
        unsigned to = 0;
        at = 0;
        for (unsigned d = 0; d < 4u; ++d) {
            CHECK(f->n[d] == (d ? most[d] : registers));
            for (unsigned k = 0; k < f->n[d]; ++k) {
                CHECK(f->basis[to] == (k < has[d] ? 1u << order[at + k] : 0u));
                ++to;
            }
            at += has[d];
        }
    }
    /* the longest: 24 registers, 5 lanes, 3 warps */
    char text[200] = "register:";
    for (unsigned k = 0; k < 24u; ++k) {
        char word[8];
        snprintf(word, sizeof word, " i%u", k);
        append(text, sizeof text, word);
    }
    begin(8);
    CHECK(ll_engine_parse(&engine, "x = load 16777216:8\n"));
    const unsigned id = ll_engine_id(&engine, 0, ll_parse(text));
    CHECK(!engine.err && engine.flat[id].n[0] == 24u);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        CHECK(engine.flat[id].basis[k] == (k < 24u ? 1u << k : 0u));
    }
    CHECK(ll_flat_is_onto_(&engine.flat[id], 24));
    append(text, sizeof text, " | lane: 0 0 0 0 0 0"); /* 33 columns */
    CHECK(ll_engine_id(&engine, 0, ll_parse(text)) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_ELAYOUT);
}

/* Values have at most 2^24 elements and 12 axes, however they are said. */
static void sizes_have_limits(void) {
    for (unsigned n = 0; n < 60u; ++n) {
        ll_engine_spec s = LL_ZERO;
        begin(2);
        s.kind = LL_ENGINE_SOURCE;
        s.rank = 3;
        s.size[0] = 10;
        s.size[1] = (unsigned char)(n / 6u);
        s.size[2] = (unsigned char)(5u + n % 6u);
        s.element_bits = 8;
        const unsigned op = ll_engine_add(&engine, s);
        const int ok = 10u + n / 6u + 5u + n % 6u <= 24u;
        CHECK((op != LL_ENGINE_NONE) == ok);
        CHECK(engine.err == (ok ? 0u : (unsigned)LL_ENGINE_ESIZE));
    }
    for (unsigned rank = 10; rank < 16u; ++rank) { /* of a reshape */
        ll_engine_spec s = LL_ZERO;
        unsigned in = 0;
        parsed_for("x = load 1:8\n", 2);
        s.kind = LL_ENGINE_RESHAPE;
        s.n_in = 1;
        s.in = &in;
        s.rank = rank;
        ll_engine_add(&engine, s);
        CHECK(engine.err == (rank > 12u ? (unsigned)LL_ENGINE_ESIZE : 0u));
    }
    /* twelve axes, and more than those of the operand */
    for (unsigned kind = 0; kind < 4u; ++kind) {
        static const char *const last[] = {"y = broadcast x 1x1x1x1x1x1x1x1x1x1"
                                           "x1x1\n",
                                           "y = gather x x axis=11\n",
                                           "y = trans x order=1x0x2x3x4x5x6x7x8"
                                           "x9x10x11\n",
                                           "y = map x x\n"};
        char text[300] = "x = load 1x1x1x1x1x1x1x1x1x1x1x1:8\n";
        append(text, sizeof text, last[kind]);
        parsed_for(text, 2);
        CHECK(engine.values == 2u && engine.value[1].rank == 12u);
    }
}

/* What a reduction left behind its last axis is not compared. */
static void lost_axes_do_not_count(void) {
    parsed_for("x = load 4x8:32\nr = reduce x axis=0\ni = load 8:32\n"
           "g = gather r i axis=0\nm = map r i\n"
           "s = reduce x axis=1\nj = load 16:16\nh = gather s j axis=0\n",
           2);
    CHECK(engine.value[3].rank == 1u && engine.value[3].size[0] == 3u);
    CHECK(engine.value[7].rank == 1u && engine.value[7].size[0] == 4u);
    /* results that have no operand of their own are like the first */
    ll_engine_spec s = LL_ZERO;
    const unsigned in[2] = {0, 1};
    parsed_for("x = load 4x8:32\ny = load 4x8:16\n", 2);
    s.kind = LL_ENGINE_REDUCE;
    s.n_in = 1;
    s.n_out = 3;
    s.in = in;
    const unsigned op = ll_engine_add(&engine, s);
    for (unsigned k = 0; k < 3u; ++k) {
        const unsigned v = ll_engine_result(&engine, op, k);
        CHECK(engine.value[v].element_bits == 32u);
    }
}

/* Products have no tile in memory unless their instructions say so. */
static void products_begin_without_tiles(void) {
    parsed_for("a = load 16x16:16\nb = load 16x16:16\nc = dot a b\n", 4);
    const ll_engine_op *o = &engine.op[2];
    for (unsigned k = 0; k < 6u; ++k) {
        CHECK(o->place[k / 3u][k % 3u] == LL_ENGINE_NONE);
    }
    CHECK(o->in_place[0] == LL_ENGINE_NONE && o->in_place[1] == LL_ENGINE_NONE);
    CHECK(o->memory == LL_ENGINE_NONE);
}

/* The family of these tests: products whose operands lie in shared memory with
 * neighbours along the other axis than k alone. */
static unsigned family_says; /* 1: a result of another shape */

static ll_layout family(const char *name, unsigned n, unsigned operand,
                        unsigned rows, unsigned cols, unsigned element_bits,
                        unsigned warps) {
    ll_layout none = LL_ZERO;
    CHECK(n == 3u && !strncmp(name, "abc", 3) && warps == 4u);
    CHECK(element_bits == (operand == LL_ENGINE_C ? 32u : 16u));
    CHECK(rows == 64u && cols == 64u);
    if (operand == LL_ENGINE_A_MN) {
        return ll_parse("offset: i0 i1 i2 i3 i4 i5 j0 j1 j2 j3 j4 j5");
    }
    if (operand == LL_ENGINE_B_MN) {
        return ll_parse("offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5");
    }
    if (operand == LL_ENGINE_C) {
        return ll_parse(family_says
                            ? "register: j0 j1 j2 j3 | lane: j4 i0 i1 i2 i3 | "
                              "warp: i4 i5"
                            : "register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 i3 "
                              "| warp: i4 i5");
    }
    none.err = LL_EMISSING;
    return none;
}

static void one_place_in_memory_is_enough(void) {
    static const char text[] = "a = load 64x64:16\nb = load 64x64:16\n"
                               "z = load 64x64:8\nc = dot a b by=abc\n";
    for (family_says = 0; family_says < 2u; ++family_says) {
        begin(4);
        engine.family = family;
        CHECK(ll_engine_parse(&engine, text) == !family_says);
        if (family_says) { /* no layout of the value: no such instructions */
            CHECK(engine.err == LL_ENGINE_EFAMILY && engine.wrong == 3u);
            continue;
        }
        const ll_engine_op *o = &engine.op[3];
        for (unsigned k = 0; k < 2u; ++k) {
            CHECK(ll_engine_is_placed_(o, k));
            CHECK(o->place[k][0] == LL_ENGINE_NONE);
            CHECK(o->place[k][1] < engine.flats);
            CHECK(o->place[k][2] == LL_ENGINE_NONE);
        }
        CHECK(!ll_engine_is_placed_(o, 2));
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
}

/* A tile has one place for each element, and nothing more. */
static void tiles_have_one_place_for_each_element(void) {
    static const struct {
        const char *text;
        int ok;
    } all[] = {{"offset: j0 j1 i0", 1},
               {"offset: i0 j1 j0", 1},
               {"offset: j0 j1^i0 i0", 1},
               {"offset: j0 j1", 0},
               {"offset: j0 j1 j0", 0},
               {"offset: j0 j1 0", 0},
               {"offset: j0 j1 i0 j0", 0},
               {"offset: j0 j1 i0 0", 0},
               {"lane: j0 j1 i0", 0},
               {"offset: j0 j1 i1", 0},
               {"offset: j0 j1 | lane: i0", 0},
               {"offset: j0 j1 k0", 0},
               {"offset: j0 j1 i0 -> j=8 i=2", 0},
               {"offset: j0 j1 i0 | 1: j0", 0}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        parsed_for("x = load 2x4:32\nlocal_store x\n", 2);
        ll_engine_memory(&engine, 1, ll_parse(all[n].text));
        CHECK(engine.err == (all[n].ok ? 0u : (unsigned)LL_ENGINE_EMEMORY));
    }
    /* each condition alone */
    for (unsigned n = 0; n < 3u; ++n) {
        ll_layout m = ll_parse(all[0].text);
        m.err = n == 1u ? (unsigned)LL_ETEXT : m.err;
        m.offset = n == 2u;
        parsed_for("x = load 2x4:32\nlocal_store x\n", 2);
        ll_engine_memory(&engine, 1, m);
        CHECK(engine.err == (n ? (unsigned)LL_ENGINE_EMEMORY : 0u));
        CHECK(!n || engine.wrong == 1u);
    }
    /* a value without axes has no tile */
    const ll_shape none = LL_ZERO;
    parsed_for("x = load 1:32\ns = reduce x axis=0\nlocal_store s\n", 2);
    CHECK(engine.value[1].rank == 0);
    ll_engine_memory(&engine, 2,
                     ll_zero(ll_shape_add_(none, LL_OFFSET, 0), none));
    CHECK(engine.err == LL_ENGINE_EMEMORY);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nothing_is_behind_the_last);
    RUN(memory_is_counted);
    RUN(equal_layouts_have_equal_columns);
    RUN(layouts_have_a_column_for_each_thread);
    RUN(sizes_have_limits);
    RUN(lost_axes_do_not_count);
    RUN(products_begin_without_tiles);
    RUN(one_place_in_memory_is_enough);
    RUN(tiles_have_one_place_for_each_element);
    return test_end();
}
