/* test_views_triton.c - the reader of Triton's attributes: names, keys, faults of
 * syntax.
 * SPDX-License-Identifier: MIT
 *
 * Attributes that Triton itself evaluates are in tests/data.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "test.h"
#include "views_marked.h"

#define BLOCKED                                                       \
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], " \
    "warpsPerCTA = [2, 1], order = [1, 0]}>"

static const unsigned shape[2] = {16, 16};

static void names_and_comments_are_read_in_any_order(void) {
    static const char *const texts[] = {
        BLOCKED,
        "#a = " BLOCKED "\n#a",
        "// a comment, with #b\n#b = #a #a=" BLOCKED "\n\t#b // the end",
        ("#ttg.blocked<{order=[1,0],warpsPerCTA=[2,1],threadsPerWarp=[8,4],"
         "sizePerThread=[1,2]}>"),
    };
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; ++k) {
        const ll_foreign f = ll_from_triton(texts[k], 2, shape);
        CHECK(ll_is_equal(f.layout,
                          ll_parse("register: j0 j3 | lane: j1 j2 i0 i1 i2 | "
                                   "warp: i3")));
    }
}

static void tensors_may_have_nine_axes(void) {
    const unsigned sizes[9] = {2, 2, 1, 1, 1, 1, 1, 1, 2};
    const ll_foreign f = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [1,1,1,1,1,1,1,1,2], threadsPerWarp = "
        "[2,1,1,1,1,1,1,1,1], warpsPerCTA = [1,2,1,1,1,1,1,1,1], order = "
        "[8,7,6,5,4,3,2,1,0]}>",
        9, sizes);
    CHECK(ll_size(f.layout.out, LL_I) == 2u && f.layout.out.n == 9u);
    CHECK(f.layout.out.dim[0] == ll_dim_of("q"));
    CHECK(f.layout.basis[0] == 1u && f.layout.basis[1] == 4u &&
          f.layout.basis[2] == 2u);
}

static void wrong_attributes_have_a_place_and_a_reason(void) {
    static const wrong list[] = {
        {"", 1, "begins with #"},
        {"#a", 1, "not defined"},
        {"#a = #b #b = #a #a", 14, "stand for each other"},
        {"#ttg.bloked<{}>", 6, "no attribute"},
        {"#ttg.blocked<{}>", 6, "lacks"},
        {"#ttg.blocked<{", 14, "not closed"},
        {BLOCKED " #x", 103, "continues"},
        {"#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>",
         0, "power of two"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 1]}>",
         98, "counted from 0, once"},
        {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>",
         31, "each axis"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], ordre = [1, 0]}>",
         86, "no such key"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0], more = 1}>",
         102, "no such key"},
        {"#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 12>", 61,
         "power of two"},
        {"#ttg.padded_shared<[4:+4, 4:+8] {order = [1, 0], shape = [16, 16]}>",
         27, "twice"},
        {"#ttg.slice<{dim = 3, parent = " BLOCKED "}>", 19, "no room"},
        {"#ttg.dot_op<{opIdx = 0, parent = " BLOCKED ", kWidth = 2}>", 6,
         "kWidth"},
        {"#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = x, order = "
         "[1, 0]}>",
         57, "number"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_foreign f = ll_from_triton(list[k].text, 2, shape);
        const int ok = f.layout.err == LL_ETEXT && f.why &&
                       (!list[k].at || f.layout.at == list[k].at) &&
                       strstr(f.why, list[k].why);
        if (!ok) {
            ll_foreign_error(list[k].text, f, text, sizeof text);
            printf("  %s\n", text);
        }
        CHECK(ok);
    }
    const unsigned most[1] = {1u << 30}, over[1] = {1u << 31};
    const char *const empty =
        "#ttg.linear<{register = [], lane = [], warp = [], block = []}>";
    CHECK(ll_from_triton(empty, 1, most).layout.err == LL_OK);
    CHECK(ll_from_triton(empty, 1, over).layout.err == LL_ESIZE);
    const unsigned odd[2] = {16, 12};
    const ll_foreign f = ll_from_triton(BLOCKED, 2, odd);
    CHECK(f.layout.err == LL_ESIZE && f.layout.at == 12u && !f.why);
    CHECK(ll_from_triton(BLOCKED, 0, odd).layout.err == LL_EDIMS);
    CHECK(ll_from_triton(BLOCKED, 17, odd).layout.err != LL_OK);
}

static void faults_of_syntax_are_found_where_they_are(void) {
    static const marked list[] = {
        {"~x", "an attribute begins with #", 0},
        {"~#", "an attribute begins with #", 0},
        {"~xyz<{}>", "an attribute begins with #", 0},
        {"~x = 3", "an attribute begins with #", 0},
        {"~#ttg.blocked", "this name is not defined", 0},
        {"~#blocked<{" ALL "}>", "this name is not defined", 0},
        {"#a = ~#b\n#a", "this name is not defined", 0},
        {"#ab = " PLAIN " ~#a", "this name is not defined", 0},
        {"#a = " PLAIN " ~#ab", "this name is not defined", 0},
        {PLAIN " ~/ x", "the text continues", 0},
        {PLAIN " ~: i32", "the text continues", 0},
        {"#ttg.blocked~<{" ALL "}", "this bracket is not closed", 0},
        {"#ttg.blocked<~{" ALL, "this bracket is not closed", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", " ORDER ", ~" EACH
         "}>", "this key occurs twice", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", ~" EACH ", " WARPS ", " ORDER
         "}>", "this key occurs twice", 0},
        {"#ttg.blocked<{" EACH " ~" LANES ", " WARPS ", " ORDER "}>",
         "a comma or the end was expected", 0},
        {"#ttg.blocked<{sizePerThread = ~, " LANES "}>",
         "a value was expected", 0},
        {"#ttg.blocked<{~= 3, " ALL "}>", "a value was expected", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = ~}>",
         "a value was expected", 0},
        {"#ttg.blocked<{" ALL ", ~flag}>", "the attribute has no such key", 0},
        {"#ttg.blocked<{" ALL ", ~xxxxx = 1}>",
         "the attribute has no such key", 0},
        {"#ttg.blocked<{" ALL ", ~xrder = 1}>",
         "the attribute has no such key", 0},
        {"#ttg.blocked<{" ALL ", ~ord = 1}>",
         "the attribute has no such key", 0},
        {"#ttg.blocked<{" ALL ", ~orders = 1}>",
         "the attribute has no such key", 0},
        {"#ttg.~blocked<{" LANES ", " WARPS ", " ORDER "}>",
         "the attribute lacks a key", 0},
        {"#ttg.blocked<{sizePerThread = ~3, " LANES ", " WARPS ", " ORDER
         "}>", "a list was expected", 0},
        {"#ttg.blocked<{sizePerThread = [1 ~2], " LANES ", " WARPS ", " ORDER
         "}>", "a comma or ] was expected", 0},
        {"#ttg.blocked<{sizePerThread = [1, ~x], " LANES ", " WARPS "}>",
         "a number from 0", 0},
        {"#ttg.blocked<{sizePerThread = [1, ~1073741824], " LANES "}>",
         "a number from 0", 0},
        {"#ttg.blocked<{sizePerThread = [" BITS16 ",~1], " LANES "}>",
         "a list has at most 16 numbers", 0},
        {"#ttg.blocked<{sizePerThread = ~[" BITS16 "], " LANES "}>",
         "the list needs a number for each axis", 0},
        {"#ttg.blocked<{sizePerThread = ~[1], " LANES "}>",
         "the list needs a number for each axis", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = [~2, 0]}>",
         "an order names each axis, counted", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = [~16, 0]}>",
         "an order names each axis, counted", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = [~16, 1]}>",
         "an order names each axis, counted", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = [0, ~0]}>",
         "an order names each axis, counted", 0},
        {"#ttg.blocked<{sizePerThread = [1, ~1073741823], " LANES ", " WARPS
         ", " ORDER "}>", "this number must be a power of two", 0},
        {"#ttg.blocked<{sizePerThread = [1, ~0], " LANES ", " WARPS ", " ORDER
         "}>", "this number must be a power of two", 0},
        {"#ttg.~blocked<{sizePerThread = [65536, 131072], " LANES ", " WARPS
         ", " ORDER "}>", "the layout has more than 2^32 elements", 0},
        {"#ttg.~blocked<{sizePerThread = [1, 536870912], " LANES ", " WARPS
         ", " ORDER "}>", "the layout has more than 2^32 elements", 0},
    };
    check_marked(list, sizeof list / sizeof *list, 0);
    /* names of names, and what stands behind the end of the text */
    for (unsigned names = 22; names < 25u; ++names) {
        char *to = text;
        for (unsigned k = 0; k < names; ++k) {
            to += sprintf(to, "#n%u = ", k);
            to += k ? sprintf(to, "#n%u\n", k - 1u) : sprintf(to, PLAIN "\n");
        }
        sprintf(to, "#n%u", names - 1u);
        const ll_foreign f = ll_from_triton(text, 2, shape);
        CHECK((f.layout.err == LL_OK) == (names < 24u));
        CHECK(names < 24u || strstr(f.why, "or too many do"));
    }
    static const char *const read[] = {
        PLAIN " // the end\0 #x",
        PLAIN "//\0 #x",
        "#ttg.blocked<{ // a ] and a }\n" ALL "}>",
        "#ttg.blocked<{" EACH "," LANES ", // x\n" WARPS "\t,\r\n" ORDER "\n}>",
        "#ab = #ttg.blocked<{}>\n#a = " PLAIN "\n#a",
        "#a = #ttg.blocked<{}>\n#ab = " PLAIN "\n#ab",
        "#ba = #ttg.blocked<{}>\n#ca = " PLAIN "\n#ca",
        "#b.a-$1 = " PLAIN " #c = #b.a-$1 #c",
        ("#ttg.blocked<{sizePerThread=[1,2,],threadsPerWarp=[ 8 , 4 ],"
         "warpsPerCTA=[2,1],order=[1,0]}>"),
    };
    const ll_layout want = L("register: j0 j3 | lane: j1 j2 i0 i1 i2 | "
                             "warp: i3");
    for (unsigned k = 0; k < sizeof read / sizeof *read; ++k) {
        CHECK(ll_is_equal(ll_from_triton(read[k], 2, shape).layout, want));
    }
    const ll_foreign f = ll_from_triton("#ttg.blocked<{}>", 2, shape);
    ll_foreign_error("A", f, text, sizeof text);
    CHECK(strcmp(text, "ll: A: the attribute lacks a key: sizePerThread (at "
                       "character 6, counted from 1)") == 0);
    ll_foreign_error("A", ll_from_triton("x", 2, shape), text, sizeof text);
    CHECK(strcmp(text, "ll: A: an attribute begins with # and a name (at "
                       "character 1, counted from 1)") == 0);
}

static void numbers_may_have_types(void) {
    static const char *const typed[] = {
        "#ttg.swizzled_shared<{vec = 2 : i32, perPhase = 1 : i32,maxPhase = "
        "4 :i64 , order = [1, 0]}>",
        "#ttg.swizzled_shared<{order = [1, 0], maxPhase = 4 : i32, perPhase = "
        "1, vec = 2:i32}>",
    };
    const ll_layout want =
        L("offset: j0 j1 j2 j3 i0^j1 i1^j2 i2 i3 -> i=16 | j=16");
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_foreign f = ll_from_triton(typed[k], 2, shape);
        CHECK(f.layout.err == LL_OK);
        CHECK(ll_is_equal(ll_order_out(f.layout, "i j"), want));
    }
}

/* Each entry is needed: without it the attribute lacks that key. */
static void no_key_may_be_left_out(void) {
    static const struct {
        const char *head, *entry[5], *tail;
    } list[] = {
        {"#ttg.blocked<{", {EACH, LANES, WARPS, ORDER}, "}>"},
        {"#ttg.linear<{", {"register = []", "lane = []", "warp = []",
                           "block = []"}, "}>"},
        {"#ttg.generic_linear<{", {"register = []", "lane = []", "warp = []",
                                   "block = []"}, "}>"},
        {"#ttg.nvidia_mma<{", {"versionMajor = 2", WARPS,
                               "instrShape = [16, 8]"}, "}>"},
        {"#ttg.amd_mfma<{", {WARPS, "instrShape = [32, 32]"}, "}>"},
        {"#ttg.amd_wmma<{", {"version = 1", WARPS}, "}>"},
        {"#ttg.swizzled_shared<{", {"vec = 1", "perPhase = 1", "maxPhase = 1",
                                    ORDER}, "}>"},
        {"#ttg.nvmma_shared<{", {"swizzlingByteWidth = 32",
                                 "elementBitWidth = 16"}, "}>"},
        {"#ttg.shared_linear<{", {"offset = []"}, "}>"},
        {"#ttg.padded_shared<[4:+4] {order = [1, 0]", {", shape = [16, 16]"},
         "}>"},
        {"#ttng.tensor_memory_encoding<", {"blockM = 128", "blockN = 16",
                                           "colStride = 1"}, ">"},
        {"#ttg.dot_op<{kWidth = 2, ", {"opIdx = 0", "parent = " MMA}, "}>"},
        {"#ttg.dot_op<{opIdx = 0, kWidth = 2, parent = #ttg.nvidia_mma<{",
         {"versionMajor = 2", WARPS, "instrShape = [16, 8]"}, "}>}>"},
        {"#ttg.partitioned_shared<{", {"numPartitions = 2", "numGroups = 1",
                                       "partitionDim = 0",
                                       "partitionLayout = "
                                       "#ttg.swizzled_shared<{vec = 1, "
                                       "perPhase = 1, maxPhase = 1, order = "
                                       "[1, 0]}>"}, "}>"},
        {"#ttg.blocked<{" ALL ", ", {"CTAsPerCGA = [1, 1]",
                                     "CTASplitNum = [1, 1]",
                                     "CTAOrder = [1, 0]"}, "}>"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        for (unsigned without = 0; without < 6u; ++without) {
            char *to = text + sprintf(text, "%s", list[k].head);
            const char *key = NULL;
            int first = 1;
            for (unsigned n = 0; n < 5u && list[k].entry[n]; ++n) {
                const char *entry = list[k].entry[n];
                if (n == without) {
                    key = entry + (*entry == ',' ? 2 : 0);
                } else {
                    to += sprintf(to, "%s%s", first ? "" : ", ", entry);
                    first = 0;
                }
            }
            strcpy(to, list[k].tail);
            const ll_foreign f = ll_from_triton(text, 2, shape);
            const int old = key && strncmp(key, "CTAsPer", 7) == 0;
            if (!key) {
                CHECK(f.layout.err != LL_ETEXT);
            } else if (!old) { /* without the number of blocks there is one */
                CHECK(f.layout.err == LL_ETEXT && f.why && f.key &&
                      strcmp(f.why, "the attribute lacks a key") == 0 &&
                      strncmp(f.key, key, strlen(f.key)) == 0);
            }
        }
    }
    const ll_foreign f = ll_from_triton(
        "#ttg.slice<{parent = " PLAIN "}>", 1, shape);
    CHECK(f.layout.err == LL_ETEXT && f.key && strcmp(f.key, "dim") == 0);
    const ll_foreign g = ll_from_triton("#ttg.slice<{dim = 0}>", 1, shape);
    CHECK(g.layout.err == LL_ETEXT && g.key && strcmp(g.key, "parent") == 0);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(names_and_comments_are_read_in_any_order);
    RUN(tensors_may_have_nine_axes);
    RUN(wrong_attributes_have_a_place_and_a_reason);
    RUN(faults_of_syntax_are_found_where_they_are);
    RUN(numbers_may_have_types);
    RUN(no_key_may_be_left_out);
    return test_end();
}
