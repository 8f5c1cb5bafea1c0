/* test_engine_forms.c - texts of the layout engine have one form.
 * SPDX-License-Identifier: MIT
 *
 * Texts are compared with what they say; wrong ones say where.
 */
#include "engine_random.h"

/* What is read is written in one form: the names of results, the operation,
 * operands, the shape, and keys that say more than nothing. */
static void texts_have_one_form(void) {
    static const char *const all[][2] = {
        {"", ""},
        {"# nothing\n\n  \t\r\n#\n", ""},
        {"x=load 4x8:16", "x = load 4x8:16\n"},
        {"\tx =\tload\t4x8:16\t# a comment\r\n", "x = load 4x8:16\n"},
        {"x = load 4x8:16 align=16 contiguous=1x8 same=2x1 cost=3\n",
         "x = load 4x8:16 cost=3 align=16 contiguous=1x8 same=2x1\n"},
        {"x = load 4x8:16 contiguous=1x1 align=0 cost=0 same=1x1\n",
         "x = load 4x8:16\n"},
        {"a.b_1 = constant 1:1\nsink a.b_1\n",
         "a.b_1 = constant 1:1\nsink a.b_1\n"},
        {"x = source 16777216:128\n", "x = source 16777216:128\n"},
        {"x = load 8:32\ny = map x\nz = map x y cost=2\nw = map x cost=0\n",
         "x = load 8:32\ny = map x 8:32\nz = map x y 8:32 cost=2\n"
         "w = map x 8:32 cost=0\n"},
        {"x = load 8:32\ny = map x 8:16 cost=4096\n",
         "x = load 8:32\ny = map x 8:16 cost=4096\n"},
        {"x = load 8:32\na , b,c = map x\n",
         "x = load 8:32\na, b, c = map x 8:32\n"},
        {"x = load 2x4x8:32\ny = trans x order=2x0x1\n"
         "z = trans x order=0x1x2\n",
         "x = load 2x4x8:32\ny = trans x 8x2x4:32 order=2x0x1\n"
         "z = trans x 2x4x8:32 order=0x1x2\n"},
        {"x = load 4x8:32\ns, t = reduce x x axis=1\nu = reduce s axis=0\n"
         "v = expand t axis=0\nw = broadcast v 8x4\n",
         "x = load 4x8:32\ns, t = reduce x x axis=1\nu = reduce s\n"
         "v = expand t 1x4:32\nw = broadcast v 8x4:32\n"},
        {"x = load 4x8:32\ny = scan x axis=1\nz = reshape y 8x2x2\n"
         "r = reorder x 32\n",
         "x = load 4x8:32\ny = scan x axis=1\nz = reshape y 8x2x2:32\n"
         "r = reorder x 32:32\n"},
        {"x = load 4x8:32\np = load 4x8:64\ny = load p x 4x8:16\n"
         "store p y align=4\nat = atomic p y\nnone = gather x y axis=1\n",
         "x = load 4x8:32\np = load 4x8:64\ny = load p x 4x8:16\n"
         "store p y align=4\nat = atomic p y 4x8:64\n"
         "none = gather x y 4x8:32 axis=1\n"},
        {"x = load 4x2:8\ny = join x x\na, b = split y\nu = unpack x axis=1\n",
         "x = load 4x2:8\ny = join x x 4x2x2:8\na, b = split y 4x2:8\n"
         "u = unpack x 4x4:8 axis=1\n"},
        {"x = load 8:32\nm = merge x x\nn = map m\n",
         "x = load 8:32\nm = merge x x\nn = map m 8:32\n"},
        {"x = load 8:32\nloop 4 a = x, b = x\nc = map a b\nyield c, a -> d, f\n"
         "store d\nstore f\n",
         "x = load 8:32\nloop 4 a = x, b = x\nc = map a b 8:32\n"
         "yield c, a -> d, f\nstore d\nstore f\n"},
        {"x = load 8:32\nloop 4 a = x b = x\nc = map a b\nyield c a -> d f\n",
         "x = load 8:32\nloop 4 a = x, b = x\nc = map a b 8:32\n"
         "yield c, a -> d, f\n"},
        {"x = load 8:32\nloop 2\nloop 3 a = x\nyield a -> b\nstore b\nyield\n",
         "x = load 8:32\nloop 2\nloop 3 a = x\nyield a -> b\nstore b\nyield\n"},
        {"x = load 8:32\nloop 4 a = x\nyield a\n",
         "x = load 8:32\nloop 4 a = x\nyield a -> v2\n"},
        {"y = fixed 8x8:32 out0=\"register: j0 | lane: j1 j2 i0 i1 i2\"\n"
         "fixed y in0=\"lane: j0 j1 j2 i0 i1 | warp: i2\"\n",
         "y = fixed 8x8:32 out0=\"register: j0 | lane: j1 j2 i0 i1 i2 | "
         "warp: 0\"\nfixed y in0=\"register: | lane: j0 j1 j2 i0 i1 | "
         "warp: i2\"\n"},
        {"y = load 8x8:32\nz = fixed y in0=\"lane: j0 j1 j2 i0 i1 | warp: i2\" "
         "out0=\"lane: j0 j1 j2 i0 i1 | warp: i2\"\n",
         "y = load 8x8:32\nz = fixed y 8x8:32 in0=\"register: | lane: j0 j1 j2 "
         "i0 i1 | warp: i2\" out0=\"register: | lane: j0 j1 j2 i0 i1 | "
         "warp: i2\"\n"},
        {"y = tma_load 2x4:32 memory=\"offset: j0 i0^j1 j1\"\n"
         "local_store y memory=\"offset: i0 j1 j0\"\n",
         "y = tma_load 2x4:32 memory=\"offset: j0 j1^i0 j1\"\n"
         "local_store y memory=\"offset: i0 j1 j0\"\n"},
    };
    char said[1000], part[40];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        begin_80(2);
        const int ok = ll_engine_parse(&engine, all[n][0]);
        CHECK(ok);
        const unsigned length = ll_engine_print(&engine, said, sizeof said);
        CHECK(length == strlen(all[n][1]) && !strcmp(said, all[n][1]));
        if (!ok || strcmp(said, all[n][1])) {
            printf("%s->\n%s(character %u)\n", all[n][0], said,
                   engine.character);
        }
        /* a text that does not fit is cut, and as long */
        CHECK(ll_engine_print(&engine, part, sizeof part) == length);
        CHECK(!strncmp(part, said, sizeof part - 1u));
        CHECK(ll_engine_print(&engine, NULL, 0) == length);
        /* what was written reads as the same */
        char again[1000];
        begin_80(2);
        CHECK(ll_engine_parse(&engine, all[n][1]));
        CHECK(ll_engine_print(&engine, again, sizeof again) == length);
        CHECK(!strcmp(again, all[n][1]));
    }
}

/* What cannot be read: the error and the character, from 1, at which the
 * reader stopped: `^` stands before it. */
static void wrong_texts_say_where(void) {
    static const struct {
        const char *text;
        unsigned err;
    } all[] = {
        {"x = ^4x4:32", LL_ENGINE_EUNKNOWN},
        {"^4 = load 4:32", LL_ENGINE_ETEXT},
        {"x, ^= load 4:32", LL_ENGINE_ETEXT},
        {"^x, x", LL_ENGINE_EUNKNOWN},
        {"x = ^loop 4", LL_ENGINE_EUNKNOWN},
        {"x = ^yield", LL_ENGINE_EUNKNOWN},
        {"x = ^loads 4:32", LL_ENGINE_EUNKNOWN},
        {"x = ^loa 4:32", LL_ENGINE_EUNKNOWN},
        {"x = ^\n", LL_ENGINE_ETEXT},
        {"x = load 4:32 ^y", LL_ENGINE_EVALUE},
        {"x = load 4x^3:32", LL_ENGINE_ESIZE},
        {"x = load 4x^:32", LL_ENGINE_ETEXT},
        {"x = load 4x^33554432:32", LL_ENGINE_ESIZE},
        {"x = load 1x1x1x1x1x1x1x1x1x1x1x1x^1:32", LL_ENGINE_ESIZE},
        {"x = load 4:^129", LL_ENGINE_ELIMIT},
        {"x = load 4:^", LL_ENGINE_ETEXT},
        {"x = load 4:32 ^4", LL_ENGINE_ETEXT},
        {"x = load 4:32 ^key=4", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^in=4", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^out=4", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^inx=\"\"", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^in0x=\"\"", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^out16=\"lane: i0 i1\"", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 out1=^\"lane: i0 i1\"", LL_ENGINE_ECOUNT},
        {"x = load 4:32 in0=^\"lane: i0 i1\"", LL_ENGINE_ECOUNT},
        {"x = load 4:32 out0=\"^lane: i0\"", LL_ENGINE_ELAYOUT},
        {"x = load 4:32 out0=^lane", LL_ENGINE_ETEXT},
        {"x = load 4:32 out0=\"lane: i0 i1^\n\"", LL_ENGINE_ETEXT},
        {"x = load 4:32 out0=\"lane: i0 i1^", LL_ENGINE_ETEXT},
        {"x = load 4:32 cost=^4097", LL_ENGINE_ELIMIT},
        {"x = load 4:32 align=^4097", LL_ENGINE_ELIMIT},
        {"x = load 4:32 align=^x", LL_ENGINE_ETEXT},
        {"x = load 4:32\ny = scan x axis=^12", LL_ENGINE_ELIMIT},
        {"x = load 4:32 by=^", LL_ENGINE_ETEXT},
        {"x = load 4:32 contiguous=^3", LL_ENGINE_ESIZE},
        {"x = load 4:32 contiguous=^", LL_ENGINE_ETEXT},
        {"x = load 4:32\ny = trans x order=^12", LL_ENGINE_ESIZE},
        {"x = load 4:32\n^x = load 4:32", LL_ENGINE_ETWICE},
        {"x = load 4:32\ny = map x ^xx", LL_ENGINE_EVALUE},
        {"xx = load 4:32\ny = map ^x", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map ^y", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map ^\"x\"", LL_ENGINE_ETEXT},
        {"loop 0^", LL_ENGINE_ETRIPS},
        {"loop ^1048577", LL_ENGINE_ELIMIT},
        {"loop ^x", LL_ENGINE_ETEXT},
        {"loop 4 ^4 = x", LL_ENGINE_ETEXT},
        {"loop 4 a ^x", LL_ENGINE_ETEXT},
        {"loop 4 a = ^x", LL_ENGINE_EVALUE},
        {"yield^", LL_ENGINE_ELOOP},
        {"loop 4\nyield ^x", LL_ENGINE_EYIELD},
        {"loop 4\n^", LL_ENGINE_ELOOP},
        {"x = load 4:32\nloop 4 a = x\nyield ^z", LL_ENGINE_EVALUE},
        {"x = load 4:32\nloop 4 a = x\nyield x -> ^4", LL_ENGINE_ETEXT},
        {"x = load 4:32\nloop 4 a = x\nyield x -> ^x", LL_ENGINE_ETWICE},
        {"x = load 4:32\nloop 4 a = x\nyield x -> b ^c", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 4 a = x\nyield x ^-", LL_ENGINE_EYIELD},
        {"x = load 4:32\nx16 = map x x x x x x x x x x x x x x x x ^x",
         LL_ENGINE_ECOUNT},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[200];
        const unsigned at = unmarked(text, all[n].text);
        begin_80(2);
        const int ok = ll_engine_parse(&engine, text);
        CHECK(!ok && engine.err == all[n].err);
        CHECK(engine.character == at);
        if (engine.err != all[n].err || engine.character != at) {
            printf("%s: error %u at %u\n", all[n].text, engine.err,
                   engine.character);
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(texts_have_one_form);
    RUN(wrong_texts_say_where);
    return test_end();
}
