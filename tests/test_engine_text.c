/* test_engine_text.c - graphs of the layout engine, and their text.
 * SPDX-License-Identifier: MIT
 *
 * What stands behind the last value or operation is none; names, numbers and
 * lists have their limits; a text is written into no more than its buffer.
 * Sentences are compared with texts that are written here.
 */
#include "engine_graphs.h"

static void parsed_for(const char *text, unsigned warps) {
    begin(warps);
    parsed(text);
}

/* ---- Graphs ------------------------------------------------------------- */

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

/* Memory is counted in bytes, of which there may be none, and more are asked
 * for than a number can hold. */
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

/* ---- Text --------------------------------------------------------------- */

/* Appends `n` times what stands in `word`, with numbers from 0 for each `#`. */
static void repeat(char *text, size_t size, const char *word, unsigned n) {
    for (unsigned k = 0; k < n; ++k) {
        for (const char *c = word; *c; ++c) {
            char one[12] = {*c, '\0'};
            if (*c == '#') {
                snprintf(one, sizeof one, "%u", k);
            }
            append(text, size, one);
        }
    }
}

static void says(const char *text, unsigned err, unsigned character) {
    begin(2);
    CHECK(ll_engine_parse(&engine, text) == !err);
    CHECK(engine.err == err && (!err || engine.character == character));
    if (engine.err != err || (err && engine.character != character)) {
        printf("%s: error %u at %u\n", text, engine.err, engine.character);
    }
}

/* Names have at most 63 characters, lines 16 names, 16 operands and a layout
 * for each; loops carry 16 values and nest 8 deep. */
static void texts_have_limits(void) {
    char text[4000];
    for (unsigned n = 62; n < 67u; ++n) {
        char name[80] = "";
        repeat(name, sizeof name, "a", n - 1u);
        append(name, sizeof name, "b");
        snprintf(text, sizeof text, "%s = load 4:32\ny = map %s\n", name, name);
        says(text, n < 64u ? 0u : (unsigned)LL_ENGINE_ELIMIT, 1);
        snprintf(text, sizeof text, "x = load 4:32\ny = map %s\n", name);
        says(text,
             n < 64u ? (unsigned)LL_ENGINE_EVALUE : (unsigned)LL_ENGINE_ELIMIT,
             23);
    }
    for (unsigned n = 14; n < 19u; ++n) {
        strcpy(text, "x = load 4:32\na");
        repeat(text, sizeof text, ", b#", n - 1u);
        append(text, sizeof text, " = map x\n");
        const unsigned at = 14u + 1u + 4u * 10u + 5u * 5u + 3u;
        says(text, n < 17u ? 0u : (unsigned)LL_ENGINE_ETEXT, at);
        CHECK(n > 16u || engine.values == n + 1u);
        strcpy(text, "x = load 4:32\na");
        repeat(text, sizeof text, ", b#", 15);
        append(text, sizeof text, " = map");
        repeat(text, sizeof text, " x", 16);
        repeat(text, sizeof text, " out#=\"lane: i0 i1\"", 16);
        const unsigned key = (unsigned)strlen(text) + 10u * 18u + 6u * 19u + 2u;
        repeat(text, sizeof text, " in#=\"lane: i0 i1\"", n);
        says(text, n < 17u ? 0u : (unsigned)LL_ENGINE_EUNKNOWN, key);
        strcpy(text, "x = load 4:32\nloop 4");
        repeat(text, sizeof text, " a# = x", n);
        append(text, sizeof text, "\nyield");
        repeat(text, sizeof text, " a#", n);
        append(text, sizeof text, "\n");
        const unsigned sign = 20u + 7u * 10u + 8u * 6u + 6u;
        says(text, n < 17u ? 0u : (unsigned)LL_ENGINE_ETEXT, sign);
    }
    for (unsigned n = 7; n < 11u; ++n) {
        strcpy(text, "x = load 4:32\n");
        repeat(text, sizeof text, "loop 2 a# = x\n", n);
        repeat(text, sizeof text, "yield x\n", n);
        const unsigned at = 14u + 8u * 14u + 6u;
        says(text, n < 9u ? 0u : (unsigned)LL_ENGINE_ETRIPS, at);
        strcpy(text, "x = load 4:32\n");
        for (unsigned k = 0; k < n; ++k) { /* as many values as there may be */
            append(text, sizeof text, "loop 2");
            for (unsigned j = 0; j < 16u; ++j) {
                char one[20];
                snprintf(one, sizeof one, " v%u_%u = x", k, j);
                append(text, sizeof text, one);
            }
            append(text, sizeof text, "\n");
        }
        for (unsigned k = 0; k < n; ++k) {
            append(text, sizeof text,
                   "yield x x x x x x x x x x x x x x x x\n");
        }
        begin(2);
        CHECK(ll_engine_parse(&engine, text) == (n < 9u));
        CHECK(engine.err == (n < 9u ? 0u : (unsigned)LL_ENGINE_ETRIPS));
    }
    says("loop 1048576\nyield\n", 0, 0);
    says("loop 1048576\nloop 2\nyield\nyield\n", LL_ENGINE_ETRIPS, 19);
    says("loop 1048576\nloop 1\nyield\nyield\n", 0, 0);
}

/* What is wrong with a line, and where: `^` stands before the character. */
static void wrong_lines_say_where(void) {
    static const struct {
        const char *text;
        unsigned err;
    } all[] = {
        {"x = load 4:32\ny = load 4:32\n^y = load 4:32\n", LL_ENGINE_ETWICE},
        {"x = load 4:32\nyz = load 4:32\n^yz = load 4:32\n", LL_ENGINE_ETWICE},
        {"w = load 4:32\nx = load 4:32\nabc = load 4:32\n^abc = load 4:32\n",
         LL_ENGINE_ETWICE},
        {"sink^ cost=1\n", LL_ENGINE_ECOUNT},
        {"store^ contiguous=4\n", LL_ENGINE_ECOUNT},
        {"a, b ^c, = load 4:32\n", LL_ENGINE_ETEXT},
        {"a,b ^c, = load 4:32\n", LL_ENGINE_ETEXT},
        {"x = load 4:32 out0=\"lane: i0 ^?\"", LL_ENGINE_EQUOTED},
        {"x = load 4:32 out0=\"^?\"", LL_ENGINE_EQUOTED},
        {"x = load 4:32 out0=\"lane: i0 i1|^\"", LL_ENGINE_EQUOTED},
        {"x = load 4:32\nsink x in0=\"lane: ^33 i1\"", LL_ENGINE_EQUOTED},
        {"x = load 4:32\nsink x in0=\"^lane: i0 i0\"", LL_ENGINE_ELAYOUT},
        {"x = tma_load 4:32 memory=\"offset: ^+i0 i1\"", LL_ENGINE_EMEMORY},
        {"x = tma_load 4:32 memory=\"^offset: i0\"", LL_ENGINE_EMEMORY},
        {"x = load 4:32\nloop 2 a = x\nyield x^, -> b\n", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 2 a = x\nyield x -> b^,\n", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 2 a = x\nyield x -> b ^,\n", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 2 a = x\nyield x ^> b\n", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 2 a = ^y\nyield x\n", LL_ENGINE_EVALUE},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[200];
        const unsigned at = unmarked(text, all[n].text);
        says(text, all[n].err, at);
        if (engine.err == LL_ENGINE_ELAYOUT ||
            engine.err == LL_ENGINE_EQUOTED) { /* of what it was said */
            CHECK(engine.wrong == engine.ops - 1u);
        }
    }
}

/* Each operation knows where its name ends in the text, and those of a loop
 * where its trips stand. */
static void operations_know_their_lines(void) {
    static const char text[] = "x = load 4:32\n  loop  7 a = x\nb = map a\n"
                               "yield b\n";
    parsed_for(text, 2);
    CHECK(engine.ops == 5u);
    CHECK(engine.op[0].character == 9u);  /* load */
    CHECK(engine.op[1].character == 23u); /* what the loop carries, */
    CHECK(engine.op[2].character == 23u); /* and the loop */
    CHECK(engine.op[3].character == 38u); /* map */
}

/* Blanks and commas may stand anywhere between words. */
static void blanks_do_not_matter(void) {
    static const char *const all[] = {
        "x = load 4x8:16\nloop 4 a = x, b = x\nc = map a b\n"
        "yield c, a -> d, f\nstore d\nstore f\n",
        "x=load 4x8:16\nloop 4 a=x b=x\nc=map a b\nyield c a->d f\n"
        "store d\nstore f\n",
        "x = load 4x8:16\nloop 4 a = x , b = x ,\nc = map a b\n"
        "yield c , a -> d , f \nstore d\nstore f\n",
        " x\t=\tload\t4x8:16\t\n loop\t4 a\t=\tx\t,\tb = x\nc = map a b\n"
        "yield\tc\t,\ta\t->\td\t,\tf\t\r\nstore d # no more\nstore f",
    };
    char want[400], said[400];
    says("loop 2\nyield\n", 0, 0);
    says("loop 2\nyield -> \t \n", 0, 0);
    says("loop 2\nyield \t ->", 0, 0);
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        parsed_for(all[n], 2);
        ll_engine_print(&engine, n ? said : want, 400);
        CHECK(!n || !strcmp(said, want));
    }
    CHECK(strlen(want) > 80u);
}

/* A fixed operation without a shape has that of its last operand. */
static void fixed_results_are_like_the_last_operand(void) {
    parsed_for("w = load 4:8\nx = load 8:16\ny = load 16:32\nz = fixed x y\n",
               2);
    const ll_engine_value *z = &engine.value[3];
    CHECK(z->rank == 1u && z->size[0] == 4u && z->element_bits == 32u);
    parsed_for("w = load 4:8\nx = load 8:16\nz = fixed x w 2x2:64\n", 2);
    z = &engine.value[2];
    CHECK(z->rank == 2u && z->size[1] == 1u && z->element_bits == 64u);
}

/* Layouts in a text may be of any length. */
static void long_layouts_are_read_to_the_end(void) {
    char text[4000] = "x = load 4096:32 contiguous=4096 out0=\"register:";
    ll_engine_flat f = LL_ZERO;
    for (unsigned k = 0; k < 12u; ++k) { /* the sum of all bits up to k */
        append(text, sizeof text,
               k == 6u    ? " | lane:"
               : k == 11u ? " | warp:"
                          : "");
        append(text, sizeof text, " i0");
        for (unsigned b = 1; b <= k; ++b) {
            char one[8];
            snprintf(one, sizeof one, "^i%u", b);
            append(text, sizeof text, one);
        }
        f.basis[k] = (2u << k) - 1u;
    }
    append(text, sizeof text, "\"\n");
    CHECK(strlen(strchr(text, '"')) > 256u);
    f.n[0] = 6;
    f.n[1] = 5;
    f.n[2] = 1;
    parsed_for(text, 2);
    CHECK(engine.flats == 1u && ll_flat_is_equal_(&engine.flat[0], &f));
    char said[4000];
    CHECK(ll_engine_print(&engine, said, sizeof said) > 256u);
    begin(2);
    CHECK(ll_engine_parse(&engine, said));
    CHECK(ll_flat_is_equal_(&engine.flat[0], &f));
}

/* Text is written into the buffer alone, as much as it has room for. */
static void no_buffer_is_too_small(void) {
    static const char text[] =
        "x = load 2x4:32 out0=\"register: j0 | lane: j1 i0\" align=16 "
        "contiguous=1x4\n"
        "t = tma_load 2x4:32 memory=\"offset: j0 i0^j1 j1\"\n"
        "loop 4 a = x, b = t\ny = map a b cost=3\nyield y, b -> c, d\n"
        "store c in0=\"lane: i0 j1 | warp: j0\"\n";
    char whole[1000], part[1100];
    parsed_for(text, 2);
    const unsigned n = ll_engine_print(&engine, whole, sizeof whole);
    CHECK(n == strlen(whole) && n < 900u);
    for (unsigned size = 0; size < n + 3u; ++size) {
        memset(part, '$', sizeof part);
        CHECK(ll_engine_print(&engine, part, size) == n);
        const unsigned has = size > n ? n : size ? size - 1u : 0u;
        CHECK(!memcmp(part, whole, has) && (!size || part[has] == '\0'));
        for (unsigned k = size ? has + 1u : 0u; k < sizeof part; ++k) {
            if (part[k] != '$') {
                CHECK(0);
                break;
            }
        }
    }
}

/* Keys that an operation does not have are not written. */
static void only_what_counts_is_written(void) {
    static const struct {
        const char *text, *want;
    } all[] = {
        {"x = load 4x8:16\nz = load 8:16\nstore x contiguous=1x8 same=2x1\n"
         "store z contiguous=8\n",
         "x = load 4x8:16\nz = load 8:16\nstore x contiguous=1x8 same=2x1\n"
         "store z contiguous=8\n"},
        {"x = load 4x2:32\ns = reduce x axis=1\nloop 1\nyield\n",
         "x = load 4x2:32\ns = reduce x axis=1\nloop 1\nyield\n"},
        {"x = load 4:32\nm = merge x x\nloop 2 a = m\nyield a -> b\n",
         "x = load 4:32\nm = merge x x\nloop 2 a = m\nyield a -> b\n"},
        {"x = load 4:32\nm = merge x x\nloop 2\nyield\n",
         "x = load 4:32\nm = merge x x\nloop 2\nyield\n"},
        {"loop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\n"
         "yield\nyield\nyield\nyield\nyield\nyield\nyield\nyield\n",
         "loop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\n"
         "yield\nyield\nyield\nyield\nyield\nyield\nyield\nyield\n"},
    };
    char said[600];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        parsed_for(all[n].text, 2);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strcmp(said, all[n].want));
        if (strcmp(said, all[n].want)) {
            printf("%s->\n%s", all[n].text, said);
        }
    }
    /* lists end with the axes */
    ll_engine_spec s = LL_ZERO;
    begin(2);
    s.kind = LL_ENGINE_LOAD;
    s.rank = 1;
    s.size[0] = 2;
    s.element_bits = 8;
    s.contiguous[1] = s.same[1] = s.contiguous[11] = 1;
    ll_engine_add(&engine, s);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(!strcmp(said, "v0 = load 4:8\n"));
    begin(2);
    s.rank = 12;
    s.contiguous[1] = s.same[1] = s.contiguous[11] = 0;
    ll_engine_add(&engine, s);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(!strcmp(said, "v0 = load 4x1x1x1x1x1x1x1x1x1x1x1:8\n"));
}

/* The sentence for an error names the operation with up to four values, and
 * where it stands. */
static void errors_have_one_form(void) {
    static const struct {
        const char *text, *want;
    } all[] = {
        {"x = load 4:32\n", "ll: no error"},
        {"x = lood 4:32\n",
         "ll: (at character 5): unknown operation or key"},
        {"x = load 4:32\ny = map z\n", "ll: (at character 23: line 2, "
                                       "character 9): a value is used before a "
                                       "line makes it, or depends on itself"},
        {"x = load 4:32\ny = load 4:32\nz = load 8:32\n"
         "a = map x y x y x z\n",
         "ll: map x y x y (operation 3, at character 50: line 4, character "
         "8): the shapes of the operands do not match"},
        {"x = load 4:32\na, b = map x x x\nc = trans x order=1\n",
         "ll: trans x (operation 2, at character 41: line 3, character 10): "
         "the value does not have this axis, or not with this size"},
        {"x = load 4:32\nm = merge x\n",
         "ll: merge x (operation 1, at character 24: line 2, character 10): "
         "wrong number of operands or results: it takes 2 "
         "operands and 1 result"},
    };
    char said[300];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        begin(2);
        CHECK(ll_engine_parse(&engine, all[n].text) == (n == 0));
        engine.character = n ? engine.character : 0u;
        const unsigned length = ll_engine_error(&engine, said, sizeof said);
        CHECK(!strcmp(said, all[n].want) && length == strlen(said));
        if (strcmp(said, all[n].want)) {
            printf("%s\n", said);
        }
    }
    begin(2); /* numbers behind the last error */
    engine.err = LL_ENGINE_ERRORS_N_;
    ll_engine_error(&engine, said, sizeof said);
    CHECK(!strcmp(said, "ll: no error"));
    engine.err = LL_ENGINE_ERRORS_N_ + 7u;
    ll_engine_error(&engine, said, sizeof said);
    CHECK(!strcmp(said, "ll: no error"));
    /* without a text the operation alone */
    ll_engine_spec s = LL_ZERO;
    begin(2);
    s.kind = LL_ENGINE_SINK;
    ll_engine_add(&engine, s);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(!strcmp(said, "ll: sink (operation 0): wrong number of operands or "
                        "results: it takes 1 operand and 0 results"));
    begin(2);
    s.kind = LL_ENGINE_KINDS_N_;
    CHECK(ll_engine_add(&engine, s) == LL_ENGINE_NONE && engine.ops == 0);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(!strcmp(said, "ll: wrong number of operands or results"));
}

/* Lines that are understood, but are not what their operation takes: keys that
 * it does not have, or twice; lists and shapes that are not those of its
 * value; keys that are missing. `^` stands before the character. */
static void lines_are_what_operations_take(void) {
    static const struct {
        const char *text;
        unsigned err;
    } all[] = {
        {"x = load^ 64x64:32 contiguous=64\n", LL_ENGINE_ELIST},
        {"x = load^ 64x64:32 contiguous=1x64x4\n", LL_ENGINE_ELIST},
        {"x = load^ 64x64:32 contiguous=1x128\n", LL_ENGINE_ELIST},
        {"x = load^ 64x64:32 same=64\n", LL_ENGINE_ELIST},
        {"x = load^ 64x64:32 same=128x1\n", LL_ENGINE_ELIST},
        {"x = load 64x64:32\ny = trans^ x order=1\n", LL_ENGINE_ELIST},
        {"x = load 64x64:32\ny = trans^ x order=1x0x2\n", LL_ENGINE_ELIST},
        {"x = load 64x64:32\nstore^ x contiguous=64\n", LL_ENGINE_ELIST},
        {"x = load 64x64:32\ny = map^ x 64x32:32\n", LL_ENGINE_ESHAPE},
        {"x = load 64x64:32\ny = map^ x 4096:32\n", LL_ENGINE_ESHAPE},
        {"x = load 64x64:32\nstore^ x 64x64:32\n", LL_ENGINE_ESHAPE},
        {"x = load 64x64:32\ny = reduce^ x 16:16 axis=1\n", LL_ENGINE_ESHAPE},
        {"x = load 64x64:32\ny = reduce^ x 64:16 axis=1\n", LL_ENGINE_ESHAPE},
        {"x = load 64x64:32\ny = reduce^ x\n", LL_ENGINE_ENEEDS},
        {"x = load 64x64:32\ny = scan^ x\n", LL_ENGINE_ENEEDS},
        {"x = load 64x64:32\ny = sort^ x\n", LL_ENGINE_ENEEDS},
        {"x = load 64x64:32\ny = convert^ x\n", LL_ENGINE_ENEEDS},
        {"x = load 64x64:32\ny, z = reduce^ x axis=1\n", LL_ENGINE_ECOUNT},
        {"x = load 64x64:32\ny, z = scan^ x axis=1\n", LL_ENGINE_ECOUNT},
        {"x = load 64x64:32 ^align=12\n", LL_ENGINE_ELIMIT},
        {"x = load 64x64:32 align=4 ^align=4\n", LL_ENGINE_EKEY},
        {"x = load 64x64:32\ny = map x ^order=1x0\n", LL_ENGINE_EKEY},
        {"x = load 64x64:32\ny = map x ^axis=1\n", LL_ENGINE_EKEY},
        {"x = load 64x64:32 ^op=max\n", LL_ENGINE_EKEY},
        {"x = constant 64x64:32 ^same=1x64\n", LL_ENGINE_EKEY},
        {"x = load 64:32\ny = map x ^step=4\n", LL_ENGINE_EKEY},
        {"x = load 64:32\ny = reduce x op=^most\n", LL_ENGINE_EUNKNOWN},
        {"x = load 64:32\ny = reduce x op=^\n", LL_ENGINE_ETEXT},
        {"x = load 64:32 step=^1073741825\n", LL_ENGINE_ELIMIT},
        {"x = load 64:32 block=^x\n", LL_ENGINE_ETEXT},
        {"x = load 64:32 cost=1^.5\n", LL_ENGINE_ETEXT},
        {"x = load 64:32 ^contiguous = 64\n", LL_ENGINE_ETEXT},
        {"x = load 64^X64:32\n", LL_ENGINE_ETEXT},
        {"x = load 64:32 ^64:32\n", LL_ENGINE_ETEXT},
        {"x = load 64:32 out0=\"lane: i0\"^y\n", LL_ENGINE_ETEXT},
        {"x = load^ 64x64\n", LL_ENGINE_ESIZE},
        {"x = load^\n", LL_ENGINE_ESIZE},
        {"x = load 4:32\nloop 2 a = x, b = x\nyield a^\n", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 2 a = x, b = x\nyield a ^-> c\n",
         LL_ENGINE_EYIELD},
        {"x = load 4x4:32\nz = load 4:32\nloop 2 a = z\nyield ^x\n",
         LL_ENGINE_ELOOP},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[200];
        const unsigned at = unmarked(text, all[n].text);
        says(text, all[n].err, at);
    }
}

/* Warps have at most 64 lanes, blocks 64 warps and 1024 threads, clusters 32
 * blocks. */
static void blocks_have_limits(void) {
    for (unsigned lanes = 0; lanes < 9u; ++lanes) {
        for (unsigned warps = 0; warps < 9u; ++warps) {
            for (unsigned blocks = 3; blocks < 8u; ++blocks) {
                ll_target t = LL_SM90;
                t.lanes = 1u << lanes;
                begin_on(t, 1u << warps, 1u << blocks);
                const int ok = lanes <= 6u && warps <= 6u &&
                               lanes + warps <= 10u && blocks <= 5u;
                CHECK(engine.err == (ok ? 0u : (unsigned)LL_ENGINE_ETARGET));
            }
        }
    }
}

/* What is taken: the keys of a kind all at once, shapes with and without the
 * bits of an element, a result's layout at any place among others, values of
 * another shape than the first. */
static void lines_may_say_all_they_have(void) {
    static const char *const all[] = {
        "x = constant 64x64:32 cost=1 align=4 contiguous=1x64\n",
        "x = tma_load 64x64:16 block=4096 step=64 align=16 cost=2\n",
        "x = load 64x64:32 contiguous=1x64 same=64x1 block=0 step=4 cost=1 "
        "align=8\n",
        "x = load 64x32:32\ny = trans x 32x64 order=1x0\n",
        "x = load 64x32:32\ny = trans x 32x64:32 order=1x0\n",
        "x = load 64x64:32\ny = reduce x 64 axis=1\n",
        "x = load 64x64:32\ny = reduce x 64:32 axis=1\n",
        "x = load 64x64:32\ny = scan x 64x64 axis=1\n",
        "x = load 64x64:32\ny = map x 64x64:16\n",
        "x = load 4:32\ny = convert x out0=\"lane: i0 i1\"\n",
        "x = load 4:32\ny = convert x in0=\"lane: i0 i1\" "
        "out0=\"register: i0 i1\"\n",
        "x = load 4:32\ny = convert x out0=\"lane: i0 i1\" "
        "in0=\"register: i0 i1\"\n",
        "w = load 8:16\nx = load 4:32\nm = merge x n\nn = map m\n",
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        says(all[n], 0, 0);
    }
}

/* What each condition alone refuses. */
static void lines_may_not_say_more(void) {
    static const struct {
        const char *text;
        unsigned err;
    } all[] = {
        {"x = load 64x64:32 block=^1073741825\n", LL_ENGINE_ELIMIT},
        {"x = load 64x64:32 block=^2147483648\n", LL_ENGINE_ELIMIT},
        {"x = load 64x64:32 step=^2147483648\n", LL_ENGINE_ELIMIT},
        {"x = load^ 64x64:32 contiguous=64 same=1x64\n", LL_ENGINE_ELIST},
        {"x = load^ 64x64:32 same=64 contiguous=1x64\n", LL_ENGINE_ELIST},
        {"x = load 64x64:32\ny = map^ x 32x64:32\n", LL_ENGINE_ESHAPE},
        {"x = load 4:32 out0=\"lane: i0 i1\" cost=1 ^out0=\"lane: i0 i1\"\n",
         LL_ENGINE_EKEY},
        {"x = load 4:32\ny = map x in0=\"lane: i0 i1\" out0=\"lane: i0 i1\" "
         "^out0=\"lane: i0 i1\"\n",
         LL_ENGINE_EKEY},
        {"x = load 64x64:32\ny = scan^ x 64x64:16 axis=1\n",
         LL_ENGINE_ESHAPE},
        {"x = load 64x64:32\nstore^ x 64x64\n", LL_ENGINE_ESHAPE},
        {"x = load 4:32\ny = convert^ x in0=\"lane: i0 i1\"\n",
         LL_ENGINE_ENEEDS},
        {"x = load 4:32\ny = convert^ x out1=\"lane: i0 i1\"\n",
         LL_ENGINE_ENEEDS},
        {"x = load 4:32\ny = map x x x x x x x x x x x x x x x x ^x\n",
         LL_ENGINE_ECOUNT},
        {"x = load 4:32\ny = map x x x x x x x x x x x x x x x x ^cost = 1\n",
         LL_ENGINE_ETEXT},
    };
    char text[600];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        const unsigned at = unmarked(text, all[n].text);
        says(text, all[n].err, at);
    }
    strcpy(text, "x = load 4:32\ny = convert x");
    repeat(text, sizeof text, " in#=\"lane: i0 i1\"", 16);
    append(text, sizeof text, "\n"); /* as many as there may be */
    says(text, LL_ENGINE_ENEEDS, 26);
}

/* Adds an operation that has no name. */
static void add_map_of_first(void) {
    const unsigned first = 0;
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    s.in = &first;
    ll_engine_add(&engine, s);
}

/* A name is that of any value, also of the first, but of none behind the last;
 * others have as many underscores as it takes. */
static void made_up_names_are_of_no_other_value(void) {
    static const char *const all[] = {"v3", "v3_", "v3__"};
    for (unsigned n = 0; n < 6u; ++n) { /* in any order */
        static const unsigned order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        char text[200] = "", said[300];
        for (unsigned k = 0; k < 3u; ++k) {
            append(text, sizeof text, all[order[n][k]]);
            append(text, sizeof text, " = load 4:32\n");
        }
        parsed_for(text, 2);
        add_map_of_first();
        CHECK(engine.cap_values > engine.values);
        engine.value[4].name = "v3___ and more"; /* what stands behind */
        engine.value[4].length = 5;
        ll_engine_print(&engine, said, sizeof said);
        CHECK(strstr(said, "\nv3___ = map "));
        if (!strstr(said, "\nv3___ = map ")) {
            printf("%s", said);
        }
    }
    char text[6000] = "", said[6000];
    char name[80] = "v62"; /* of values 0 to 60, as long as a name can be */
    for (unsigned k = 0; k < 61u; ++k) {
        append(text, sizeof text, name);
        append(text, sizeof text, " = load 4:32\n");
        append(name, sizeof name, "_");
    }
    append(text, sizeof text, "y = load 4:32\n");
    parsed_for(text, 2);
    add_map_of_first();
    CHECK(engine.values == 63u && strlen(name) == 64u);
    ll_engine_print(&engine, said, sizeof said);
    append(name, sizeof name, " = map ");
    CHECK(strstr(said, name));
}

/* Of what a spec says only the keys that its operation has are written, and no
 * number behind the last of a list. */
static void only_keys_of_the_kind_are_written(void) {
    char said[300];
    for (unsigned n = 0; n < 3u; ++n) {
        ll_engine_spec s = LL_ZERO;
        const unsigned in = 0;
        parsed_for("x = load 2x4:32\n", 2);
        s.kind = n ? LL_ENGINE_MAP : LL_ENGINE_SOURCE;
        s.n_in = n != 0;
        s.in = &in;
        s.rank = 2;
        s.size[0] = 1;
        s.size[1] = 2;
        s.element_bits = 32;
        s.axis = n == 1u;
        s.order[0] = s.contiguous[0] = s.same[0] = 1;
        s.order[1] = n == 2u;
        ll_engine_add(&engine, s);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strcmp(said, n ? "x = load 2x4:32\nv1 = map x 2x4:32 cost=0\n"
                              : "x = load 2x4:32\nv1 = source 2x4:32\n"));
        if (n) {
            continue;
        }
        s.kind = LL_ENGINE_TRANS; /* of one axis, and more behind it */
        s.n_in = 1;
        s.order[0] = 0;
        s.order[1] = s.order[2] = 1;
        parsed_for("x = load 4:32\n", 2);
        ll_engine_add(&engine, s);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strcmp(said, "x = load 4:32\nv1 = trans x 4:32\n"));
    }
}

/* A carried value is one of a loop that begins behind it, not of what lies in
 * memory behind the last operation. */
static void loops_end_with_the_operations(void) {
    static const char text[] = "x = load 4:32\nloop 4 a = x\nyield a\n"
                               "loop 4 b = x\nyield b\n";
    char said[300];
    for (unsigned n = 0; n < 2u; ++n) {
        parsed_for(text, 2);
        const unsigned c = ll_engine_carry(&engine, 0, 4);
        CHECK(!engine.err && c + 1u == engine.ops);
        CHECK(engine.cap_ops > engine.ops);
        for (unsigned p = 0; n && p < engine.ops; ++p) {
            if (engine.op[p].kind == LL_ENGINE_LOOP && engine.op[p].cost) {
                engine.op[engine.ops] = engine.op[p];
            }
        }
        ll_engine_print(&engine, said, sizeof said);
        CHECK(strstr(said, "\nloop 4 v5 = x\nyield x -> v6\n"));
        if (!strstr(said, "\nloop 4 v5 = x\nyield x -> v6\n")) {
            printf("%s", said);
        }
    }
}

/* A carried value belongs to the loop that begins behind it, if that runs as
 * often, with no other operation between them. */
static void carried_values_find_their_loop(void) {
    static const struct {
        unsigned trips, cost, loop; /* of the operation in between; the loop */
        int strays;
    } all[] = {{4, 0, 4, 0}, {4, 0, 2, 1}, {2, 0, 4, 1},
               {0, 4, 4, 1}, {0, 3, 4, 1}, {0, 4, 2, 1}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        ll_engine_spec s = LL_ZERO;
        const unsigned in = 0;
        char said[300];
        parsed_for("x = load 4:32\n", 2);
        ll_engine_carry(&engine, 0, 4);
        if (all[n].trips) {
            ll_engine_carry(&engine, 0, all[n].trips);
        } else {
            s.kind = LL_ENGINE_MAP;
            s.n_in = 1;
            s.in = &in;
            s.cost = all[n].cost;
            ll_engine_add(&engine, s);
        }
        ll_engine_loop(&engine, all[n].loop);
        ll_engine_loop(&engine, 0);
        CHECK(!engine.err);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strncmp(said, "x = load 4:32\nloop 4 v1 = x", 27));
        CHECK((strstr(said, "loop 4 v1 = x\nyield x -> v2\n") != NULL) ==
              all[n].strays);
        if ((strstr(said, "loop 4 v1 = x\nyield x -> v2\n") != NULL) !=
            all[n].strays) {
            printf("%u: %s", n, said);
        }
    }
}

/* What lies in memory behind the last operation of a text is no value that it
 * carries. */
static void texts_end_with_their_operations(void) {
    parsed_for("x = load 4:32\n", 2);
    CHECK(engine.cap_ops > 3u);
    for (unsigned p = 1; p < engine.cap_ops; ++p) {
        engine.op[p].kind = LL_ENGINE_CARRY;
        engine.op[p].first = 1;
    }
    CHECK(ll_engine_parse(&engine, "y = load 4:32\n") && engine.ops == 2u);
}

/* As many results as names; one that is like an operand has all its axes. */
static void results_have_names_and_axes(void) {
    says("load 4:32\n", LL_ENGINE_ECOUNT, 5);
    says("a, b = load 4:32\n", LL_ENGINE_ECOUNT, 12);
    parsed_for("x = load 2x8:32\ny = fixed x\n", 2);
    CHECK(engine.value[1].rank == 2u && engine.value[1].size[0] == 1u);
    CHECK(engine.value[1].size[1] == 3u);
}

/* Lines are counted from the text's first character up to the one in front of
 * the error; columns from 1. */
static void errors_count_lines(void) {
    static const struct {
        const char *text, *at;
    } all[] = {
        {"\nx = lood 4:32\n", "(at character 6: line 2, character 5): "},
        {"x = load 4:32\nx = load 4:32\n",
         "(at character 15: line 2, character 1): "},
        {"\n\nx = load 4:32\nloop 2 a = x, b = x\nyield a\n",
         "(at character 44: line 5, character 8): "},
        {"# nothing\nx = load 64x64\n",
         "ll: load (operation 0, at character 19: line 2, character 9): "},
        {"x = lood 4:32\n", "ll: (at character 5): "},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char said[300];
        begin(2);
        CHECK(!ll_engine_parse(&engine, all[n].text));
        ll_engine_error(&engine, said, sizeof said);
        CHECK(strstr(said, all[n].at));
        if (!strstr(said, all[n].at)) {
            printf("%s\n", said);
        }
    }
}

/* Names in a yield have at most 63 characters. An empty graph has no layout. */
static void yields_have_limits(void) {
    char text[200] = "x = load 4:32\nloop 2 a = x\nyield ";
    const unsigned at = (unsigned)strlen(text) + 1u;
    repeat(text, sizeof text, "a", 64);
    append(text, sizeof text, "\n");
    says(text, LL_ENGINE_ELIMIT, at);
    begin(2);
    for (unsigned k = 0; k < 2u * LL_ENGINE_HEADS_; ++k) {
        CHECK(engine.heads[k % 2u][k / 2u] == LL_ENGINE_NONE);
    }
}

/* An explanation gives back its memory, and says nothing of what lies behind
 * the last value. */
static void explanations_leave_the_graph_alone(void) {
    static const char text[] =
        "x = load 64x64:16\nb = load 64x64:16\ny = trans x order=1x0\n"
        "store y contiguous=1x64\nstore b contiguous=1x64\n";
    static char want[6000], said[6000];
    parsed_for(text, 4);
    CHECK(ll_engine_solve(&engine));
    const unsigned long long used = engine.used;
    CHECK(ll_engine_explain(&engine, want, sizeof want) < sizeof want);
    CHECK(engine.used == used && strstr(want, "\noperations: "));
    CHECK(engine.cap_values > engine.values);
    engine.value[engine.values] = engine.value[0];
    ll_engine_explain(&engine, said, sizeof said);
    CHECK(!strcmp(said, want));
}

/* What combines elements and how far tiles move is read and written, and
 * changes no price. */
static void keys_of_the_kernel_cost_nothing(void) {
    static const char *const all[] = {
        "x = load 64x64:32%s contiguous=1x64\n"
        "loop 4 a = x\n"
        "y = load 64x64:32%s align=16 contiguous=1x64\n"
        "b = map a y 64x64:32\n"
        "yield b -> c\n"
        "r = reduce c axis=1%s\n"
        "s = scan c axis=0%s\n"
        "store r%s\nstore s%s\n"};
    static const char *const ops[] = {"sum", "product", "min", "max",
                                      "and", "or",      "xor"};
    char text[600], said[600];
    unsigned long long cost = 0;
    for (unsigned n = 0; n < 8u; ++n) {
        char op[20] = "";
        if (n) {
            snprintf(op, sizeof op, " op=%s", ops[n - 1u]);
        }
        snprintf(text, sizeof text, all[0], n ? " block=0" : "",
                 n ? " block=8192 step=4096" : "", op, op, n ? " step=0" : "",
                 n ? " block=1073741824" : "");
        parsed_for(text, 4);
        CHECK(ll_engine_print(&engine, said, sizeof said) == strlen(text));
        CHECK(!strcmp(said, text));
        CHECK(ll_engine_solve(&engine));
        CHECK(!n || ll_engine_cost(&engine) == cost);
        cost = ll_engine_cost(&engine);
    }
    CHECK(cost);
}

/* Sentences for what a graph lacks, in its own words. */
static void sentences_name_the_cure(void) {
    static const struct {
        const char *text, *part;
    } all[] = {
        {"x = load 64x64\n", "a shape must be like 64x64:16"},
        {"x = load 4:32 cost=4097\n", "the limits are cost 4096"},
        {"x = load 4:32 align=12\n", "a power of two"},
        {"loop 1048577\n", "2^20 trips"},
        {"x = load 4:32\nz = load 8:32\nloop 4 a = x\nyield z\n",
         "ll: loop a (operation 2, at character 48: line 4, character 7): each "
         "loop must have one yield after it, and the values that they carry "
         "must keep their shapes"},
        {"x = load 4:32\ny = dot x\n",
         "it takes 2 or 3 operands and 1 result"},
        {"x = load 4:32\ny = dot_scaled x\n",
         "it takes 4 or 5 operands and 1 result"},
        {"x = load 4:32\ny, z = reduce x\n",
         "it takes any number of operands and one result per operand"},
        {"x = load 4:32 out0=\"register: i\"\n", "must be a layout like"},
        {"x = load 4:32 out0=\"regster: i0\"\n",
         "its inputs must be register, lane, warp and block"},
        {"x = load 4x4:32\ny = dot x x\n", "or, for a dot, by="},
        {"x = load 4x4:32\ny = dot x x by=mmma\n",
         "no instructions with this name"},
    };
    char said[500];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        begin(2);
        CHECK(!ll_engine_parse(&engine, all[n].text) ||
              !ll_engine_solve(&engine));
        ll_engine_error(&engine, said, sizeof said);
        CHECK(strstr(said, all[n].part));
        if (!strstr(said, all[n].part)) {
            printf("%s-> %s\n", all[n].text, said);
        }
    }
    /* a number is not that of another text's line */
    static const char first[] = "# nothing\nx = load 4x4:32\ny = dot x x\n";
    begin(2);
    parsed(first);
    parsed("z = map y\n");
    CHECK(!ll_engine_solve(&engine) && engine.wrong == 1u);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "(operation 1, at character 34): "));
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
    RUN(texts_have_limits);
    RUN(wrong_lines_say_where);
    RUN(operations_know_their_lines);
    RUN(blanks_do_not_matter);
    RUN(fixed_results_are_like_the_last_operand);
    RUN(long_layouts_are_read_to_the_end);
    RUN(no_buffer_is_too_small);
    RUN(only_what_counts_is_written);
    RUN(errors_have_one_form);
    RUN(lines_are_what_operations_take);
    RUN(blocks_have_limits);
    RUN(lines_may_say_all_they_have);
    RUN(lines_may_not_say_more);
    RUN(made_up_names_are_of_no_other_value);
    RUN(only_keys_of_the_kind_are_written);
    RUN(loops_end_with_the_operations);
    RUN(carried_values_find_their_loop);
    RUN(texts_end_with_their_operations);
    RUN(results_have_names_and_axes);
    RUN(errors_count_lines);
    RUN(yields_have_limits);
    RUN(explanations_leave_the_graph_alone);
    RUN(keys_of_the_kernel_cost_nothing);
    RUN(sentences_name_the_cure);
    return test_end();
}
