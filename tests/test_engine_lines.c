/* test_engine_lines.c - lines that the layout engine reads, and their errors.
 * SPDX-License-Identifier: MIT
 *
 * Names, numbers and lists have their limits. Sentences are compared with texts
 * that are written here.
 */
#include "engine_graphs.h"
#include "engine_text.h"

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
    RUN(texts_have_limits);
    RUN(wrong_lines_say_where);
    RUN(errors_have_one_form);
    RUN(lines_are_what_operations_take);
    RUN(blocks_have_limits);
    RUN(lines_may_say_all_they_have);
    RUN(lines_may_not_say_more);
    RUN(errors_count_lines);
    RUN(yields_have_limits);
    RUN(sentences_name_the_cure);
    return test_end();
}
