/* test_views.c - readers of other notations, and pictures.
 * SPDX-License-Identifier: MIT
 *
 * Random texts of CuTe are evaluated by division and remainder, coordinate by
 * coordinate. The recorded attributes of Triton are in tests/data. Pictures are
 * read back and compared with the definition of a layout and the wavefronts
 * that the addresses of a plan's steps take, counted one by one.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "machines.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];

/* ---- CuTe ---------------------------------------------------------------- */

/* Up to six sizes with strides, in up to three modes of one or two sizes. */
typedef struct cute {
    unsigned n, modes;
    unsigned size[6], stride[6], mode[6];
    unsigned b, m, s, swizzled;
} cute;

static cute random_cute(void) {
    cute c = LL_ZERO;
    unsigned place[6], bits = 0;
    c.modes = 1u + test_random(3);
    for (unsigned mode = 0; mode < c.modes; ++mode) {
        for (unsigned k = 1u + test_random(2); k > 0; --k) {
            c.mode[c.n] = mode;
            c.size[c.n] = 1u << test_random(4);
            ++c.n;
        }
    }
    for (unsigned k = 0; k < c.n; ++k) { /* strides in a random order */
        const unsigned other = test_random(k + 1u);
        place[k] = place[other];
        place[other] = k;
    }
    for (unsigned k = 0; k < c.n; ++k) {
        c.stride[place[k]] = 1u << bits;
        for (unsigned size = c.size[place[k]]; size > 1u; size /= 2u) {
            ++bits;
        }
        bits += test_random(4) == 0; /* a place that is left out */
    }
    c.swizzled = test_random(2);
    c.b = test_random(4);
    c.m = test_random(4);
    c.s = c.b + test_random(3);
    return c;
}

static void write_cute(const cute *c, int strides, char *to) {
    for (unsigned k = 0; k < c->n; ++k) {
        const int first = k == 0 || c->mode[k - 1u] != c->mode[k];
        const int last = k + 1u == c->n || c->mode[k + 1u] != c->mode[k];
        to += sprintf(to, "%s%s%s%u%s", k == 0 ? "(" : ", ",
                      first && !last ? "(" : "", test_random(2) ? "_" : "",
                      strides ? c->stride[k] : c->size[k],
                      last && !first ? ")" : "");
    }
    strcpy(to, ")");
}

/* The offset of the coordinates of each mode, by the definition. */
static unsigned place_of(const cute *c, const unsigned *at) {
    unsigned rest[3] = {at[0], at[1], at[2]};
    unsigned y = 0;
    for (unsigned k = 0; k < c->n; ++k) {
        y += rest[c->mode[k]] % c->size[k] * c->stride[k];
        rest[c->mode[k]] /= c->size[k];
    }
    const unsigned moved = y >> (c->m + c->s) & ((1u << c->b) - 1u);
    return c->swizzled ? y ^ moved << c->m : y;
}

static void offsets_are_those_of_the_definition(void) {
    for (unsigned round = 0; round < times(2000); ++round) {
        const cute c = random_cute();
        char *end = text;
        if (c.swizzled) {
            end += sprintf(end, "Swizzle<%u, %u,%u> o ", c.b, c.m, c.s);
        }
        write_cute(&c, 0, end);
        strcat(text, ":");
        write_cute(&c, 1, end + strlen(end));
        const ll_foreign f = ll_from_cute(text);
        CHECK(f.layout.err == LL_OK);
        unsigned size[3] = {1, 1, 1};
        for (unsigned k = 0; k < c.n; ++k) {
            size[c.mode[k]] *= c.size[k];
        }
        for (unsigned x = 0; x < size[0] * size[1] * size[2]; ++x) {
            const unsigned at[3] = {x % size[0], x / size[0] % size[1],
                                    x / size[0] / size[1]};
            unsigned word = 0;
            for (unsigned k = 0; k < c.modes; ++k) {
                word |= ll_pack(f.layout.in, ll_axis(k), at[k]);
            }
            CHECK(ll_apply(f.layout, word) == place_of(&c, at));
        }
    }
}

static void compositions_apply_the_last_term_first(void) {
    const ll_foreign f = ll_from_cute("(8,4):(4,1) o (4,8):(8,1)");
    for (unsigned i = 0; i < 4u; ++i) {
        for (unsigned j = 0; j < 8u; ++j) {
            const unsigned x = i * 8u + j;
            CHECK(ll_apply(f.layout, ll_pack(f.layout.in, LL_I, i) |
                                         ll_pack(f.layout.in, LL_J, j)) ==
                  x % 8u * 4u + x / 8u);
        }
    }
    CHECK(ll_apply(ll_from_cute("64 o (4,8):(8,1)").layout, 0) == 64u);
}

typedef struct wrong {
    const char *text;
    unsigned at;
    const char *why; /* a part of the sentence */
} wrong;

static void wrong_texts_of_cute_have_a_place_and_a_reason(void) {
    static const wrong list[] = {
        {"", 1, "number"},
        {"(2,3):(1,2)", 4, "power of two"},
        {"(4,4):(1,2)", 4, "meet"},
        {"(4,4):(1,4", 7, "not closed"},
        {"(4,4):((1,4),2)", 8, "parentheses"},
        {"(4,4):(1@0,4)", 9, "stride"},
        {"(4,4):(1,4) x", 13, "end"},
        {"Swizzle<3,3> o 4", 12, "Swizzle<b, m, s>"},
        {"Swizzle<3,3,2> o (8,64):(64,1)", 8, "at most |s|"},
        {"Swizzle<3,3,3>", 1, "last term"},
        {"4 o (4,4):(1,4)", 1, "meets"},
        {"(2,2) o (4,4):(1,4)", 1, "beyond"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_foreign f = ll_from_cute(list[k].text);
        const int ok = f.layout.err == LL_ETEXT && f.layout.at == list[k].at &&
                       f.why && strstr(f.why, list[k].why);
        if (!ok) {
            ll_foreign_error(list[k].text, f, text, sizeof text);
            printf("  %s\n", text);
        }
        CHECK(ok);
    }
}

/* ---- Triton -------------------------------------------------------------- */

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
        {"#ttg.blocked<{", 13, "not closed"},
        {BLOCKED " #x", 103, "continues"},
        {"#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>",
         0, "power of two"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 1]}>",
         94, "each axis once"},
        {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>",
         31, "each axis"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], ordre = [1, 0]}>",
         6, "lacks"},
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

/* Texts with a mark, ~, before the character at fault. */
#define EACH "sizePerThread = [1, 2]"
#define LANES "threadsPerWarp = [8, 4]"
#define WARPS "warpsPerCTA = [2, 1]"
#define ORDER "order = [1, 0]"
#define ALL EACH ", " LANES ", " WARPS ", " ORDER
#define PLAIN "#ttg.blocked<{" ALL "}>"
#define MMA "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [2, 1], " \
            "instrShape = [16, 8]}>"
#define WGMMA "#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], " \
              "instrShape = [16, 16, 16]}>"
#define BITS16 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"

typedef struct marked {
    const char *text, *why;
    unsigned rank; /* 0 stands for 2 */
} marked;

/* The text without the mark; returns the number of the marked character. */
static unsigned unmarked(const char *from, char *to) {
    unsigned at = 0, n = 0;
    for (const char *c = from; *c; ++c) {
        at = *c == '~' ? n + 1u : at;
        n += *c == '~' ? 0u : 1u;
        to[n - (n > 0)] = *c == '~' && n ? to[n - 1u] : *c;
    }
    to[n] = 0;
    return at;
}

static void check_marked(const marked *list, unsigned count, int by_cute) {
    static const unsigned sizes[3][3] = {{16}, {16, 16}, {2, 16, 16}};
    for (unsigned k = 0; k < count; ++k) {
        static char plain[2000];
        const unsigned at = unmarked(list[k].text, plain);
        const unsigned rank = list[k].rank ? list[k].rank : 2u;
        const ll_foreign f =
            by_cute ? ll_from_cute(plain)
                    : ll_from_triton(plain, rank, sizes[rank - 1u]);
        const int ok = f.layout.err == LL_ETEXT && f.layout.at == at &&
                       f.why && strstr(f.why, list[k].why) == f.why;
        if (!ok) {
            ll_foreign_error(plain, f, text, sizeof text);
            printf("  not %s at %u: %s\n", list[k].why, at, text);
        }
        CHECK(ok);
    }
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
        {"#ttg.blocked~<{" ALL, "this bracket is not closed", 0},
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
         "a list was expected", 0},
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
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = ~[2, 0]}>",
         "an order names each axis once", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = ~[16, 0]}>",
         "an order names each axis once", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = ~[16, 1]}>",
         "an order names each axis once", 0},
        {"#ttg.blocked<{" EACH ", " LANES ", " WARPS ", order = ~[0, 0]}>",
         "an order names each axis once", 0},
        {"#ttg.~blocked<{sizePerThread = [1, 1073741823], " LANES ", " WARPS
         ", " ORDER "}>", "this number must be a power of two", 0},
        {"#ttg.~blocked<{sizePerThread = [1, 0], " LANES ", " WARPS ", " ORDER
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

static void faults_of_attributes_are_named(void) {
    static const marked list[] = {
        {"#ttg.linear<{register = ~3, lane = [], warp = [], block = []}>",
         "a list of lists was expected", 0},
        {"#ttg.linear<{register = [[0, 1], ~[0, 2, 0]], lane = []}>",
         "a column needs a number", 0},
        {"#ttg.linear<{register = [[0, 1] ~[1, 0]], lane = []}>",
         "a comma or ] was expected", 0},
        {"#ttg.linear<{register = [~3], lane = []}>", "a list was expected",
         0},
        {"#ttg.~linear<{register = [[0, 3]], lane = [], warp = [], block = "
         "[]}>", "each column is 0, or one bit", 0},
        {"#ttg.~linear<{register = [[1, 1]], lane = [], warp = [], block = "
         "[]}>", "each column is 0, or one bit", 0},
        {"#ttg.~linear<{register = [[0, 1], [0, 1]], lane = [], warp = [], "
         "block = []}>", "each column is 0, or one bit", 0},
        {"#ttg.~generic_linear<{register = [[0, 2]], lane = [], warp = [], "
         "block = []}>", "the columns do not reach every element", 0},
        {"#ttg.~linear<{register = [[0, 64]], lane = [], warp = [], block = "
         "[]}>", "the columns do not reach every element", 0},
        {"#a = " PLAIN "~", "an attribute or its name stands after", 0},
        {"#a = " PLAIN " // x\n~", "an attribute or its name stands after", 0},
        {"#ttg.~swizzled_shared<{vec = 3, perPhase = 1, maxPhase = 1, order "
         "= [1, 0]}>", "vec, perPhase and maxPhase are powers of two", 0},
        {"#ttg.~swizzled_shared<{vec = 1, perPhase = 0, maxPhase = 1, order "
         "= [1, 0]}>", "vec, perPhase and maxPhase are powers of two", 0},
        {"#ttg.~swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 65536, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~nvidia_mma<{versionMajor = 1, warpsPerCTA = [1, 1], "
         "instrShape = [16, 8]}>", "versionMajor is 2 or 3", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 4, warpsPerCTA = [1, 1], "
         "instrShape = [16, 8]}>", "versionMajor is 2 or 3", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16]}>", "instrShape has rows and columns", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16, 12]}>", "instrShape has rows and columns", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [512, 8]}>", "instrShape has rows and columns", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16, 512]}>", "instrShape has rows and columns", 0},
        {"#ttg.~swizzled_shared<{vec = 65536, perPhase = 1, maxPhase = 1, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~swizzled_shared<{vec = 1, perPhase = 65536, maxPhase = 1, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1], instrShape "
         "= [16, 8]}>", "the attribute needs two axes", 1},
        {"#ttg.~amd_mfma<{version = 5, warpsPerCTA = [1, 1], instrShape = "
         "[32, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 32, 8, 1]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[128, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 128]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[2, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 2]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[12, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 12]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1], instrShape = "
         "[32, 32]}>", "the attribute needs two axes", 1},
        {"#ttg.~amd_wmma<{version = 0, warpsPerCTA = [1, 1]}>",
         "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 4, warpsPerCTA = [1, 1]}>",
         "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[128, 16, 16]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[16, 128, 16]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[16, 16, 2048]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1]}>",
         "the attribute needs two axes", 1},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = ~[], isTranspose = false}>",
         "a dictionary was expected", 0},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = {~lane = []}}>",
         "the attribute has no such key", 0},
        {"#ttg.amd_wmma<{version = 1, isTranspose = ~maybe, warpsPerCTA = "
         "[1, 1]}>", "true or false was expected", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 16, transposed = false, "
         "elementBitWidth = 16}>", "swizzlingByteWidth is 0, 32", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 256, transposed = false, "
         "elementBitWidth = 16}>", "swizzlingByteWidth is 0, 32", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 2}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 12}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 256}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 16, rank = ~3}>", "the attribute has not as many",
         0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 16}>", "the attribute has not as many", 3},
        {"#ttg.padded_shared<~4:+4>", "a list of interval:+pad", 0},
        {"#ttg.padded_shared<[4~+4] {order = [1, 0], shape = [16, 16]}>",
         "interval:+pad was expected", 0},
        {"#ttg.padded_shared<[4~:4] {order = [1, 0], shape = [16, 16]}>",
         "interval:+pad was expected", 0},
        {"#ttg.padded_shared<[~3:+4] {order = [1, 0], shape = [16, 16]}>",
         "an interval and a pad are powers of two", 0},
        {"#ttg.padded_shared<[~4:+3] {order = [1, 0], shape = [16, 16]}>",
         "an interval and a pad are powers of two", 0},
        {"#ttg.padded_shared<[4:+4, 8:+4, 16:+4, 32:+4, ~64:+4] {order = "
         "[1, 0], shape = [16, 16]}>", "there are at most 4 pads", 0},
        {"#ttg.padded_shared<[4:+4, 8:+8, ~4:+16] {order = [1, 0], shape = "
         "[16, 16]}>", "this interval occurs twice", 0},
        {"#ttg.padded_shared<[4:+4] {order = [1, 0], shape = ~[16]}>",
         "the list needs a number", 0},
        {"#ttg.~padded_shared<[4:+4] {order = [1, 0]}>",
         "the attribute lacks a key", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 32, blockN = 16, colStride "
         "= 1>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 12, colStride "
         "= 1>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 1024, "
         "colStride = 1>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= 3>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= 64>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= 1>", "tensor memory has two axes", 3},
        {"#ttng.tensor_memory_scales_encoding<blockRepOrder = ~k_then_k>",
         "k_then_mn or mn_then_k was expected", 0},
        {"#ttng.tensor_memory_scales_encoding<blockRepOrder = \"~other\">",
         "k_then_mn or mn_then_k was expected", 0},
        {"#ttng.~tensor_memory_scales_encoding<>", "scales have two axes", 3},
        {"#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = ~0>",
         "an alignment is a power of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 3, numGroups = 1, "
         "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 2, numGroups = 3, "
         "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 8, numGroups = 4, "
         "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 2, numGroups = 1, "
         "partitionDim = 2, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~dot_op<{opIdx = 2, parent = " MMA ", kWidth = 2}>",
         "opIdx is 0 or 1", 0},
        {"#ttg.~dot_op<{opIdx = 0, parent = " MMA "}>", "kWidth is needed",
         0},
        {"#ttg.~dot_op<{opIdx = 0, parent = " PLAIN ", kWidth = 2}>",
         "kWidth is needed", 0},
        {"#ttg.~dot_op<{opIdx = 1, parent = " WGMMA ", kWidth = 2}>",
         "wgmma has B in shared memory alone", 0},
        {"#ttg.~dot_op<{opIdx = 0, parent = " MMA ", kWidth = 2}>",
         "an operand has two axes", 1},
        {"#ttg.dot_op<{opIdx = 0, parent = #ttg.~linear<{register = [], lane "
         "= [], warp = [], block = []}>, kWidth = 2}>",
         "a dot_op has another kind of parent", 0},
        {"#ttg.slice<{dim = 0, parent = #ttg.~swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "a slice has a parent of registers", 1},
        {"#ttg.slice<{dim = ~2, parent = " PLAIN "}>",
         "the shape has no room", 1},
        {"#ttg.slice<{dim = 0, parent = #ttg.~blocker<{}>}>",
         "there is no attribute of this name; there are blocked, ", 1},
    };
    check_marked(list, sizeof list / sizeof *list, 0);
    ll_layout sixteen = LL_ZERO;
    char *to = text + sprintf(text, "#ttg.slice<{dim = 0, parent = " PLAIN
                                    "}>");
    unsigned sizes[17] = {0};
    CHECK(to > text);
    for (unsigned k = 0; k < 17u; ++k) {
        sizes[k] = 1;
    }
    const ll_foreign f = ll_from_triton(text, 16, sizes);
    sixteen = f.layout;
    CHECK(sixteen.err == LL_ETEXT && strstr(f.why, "at most 16 axes"));
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
        {"#ttg.nvmma_shared<{", {"swizzlingByteWidth = 64",
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

/* By the comments of the recipes. */
static void recipes_are_carried_out(void) {
    static const struct {
        unsigned i, j;
        const char *attribute, *layout;
    } list[] = {
        /* blocks: two parts along j, two copies along i */
        {16, 16, "#ttg.blocked<{" ALL ", CTAsPerCGA = [2, 2], CTASplitNum = "
                 "[1, 2], CTAOrder = [1, 0]}>",
         "register: j0 | lane: j1 j2 i0 i1 i2 | warp: i3 | block: j3 0"},
        {16, 16, "#ttg.blocked<{" ALL ", CTAsPerCGA = [4, 1], CTASplitNum = "
                 "[2, 1], CTAOrder = [0, 1]}>",
         "register: j0 j3 | lane: j1 j2 i0 i1 i2 | warp: 0 | block: i3 0"},
        /* axes are repeated in the order of the registers */
        {8, 8, "#ttg.linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], "
               "[0, 2]], warp = [], block = []}>",
         "register: i0 j0 i2 j2 | lane: i1 j1 | warp:"},
        {8, 8, "#ttg.linear<{register = [[0, 1], [1, 0]], lane = [[2, 0], "
               "[0, 2]], warp = [], block = []}>",
         "register: j0 i0 j2 i2 | lane: i1 j1 | warp:"},
        {8, 8, "#ttg.linear<{register = [[1, 0]], lane = [[0, 1], [2, 0], "
               "[0, 2]], warp = [], block = []}>",
         "register: i0 i2 j2 | lane: j0 i1 j1 | warp:"},
        {8, 8, "#ttg.linear<{register = [], lane = [[0, 1], [1, 0]], warp = "
               "[], block = []}>",
         "register: j1 j2 i1 i2 | lane: j0 i0 | warp:"},
        {2, 2, "#ttg.linear<{register = [[0, 1], [0, 2], [0, 0]], lane = "
               "[[1, 0], [2, 0]], warp = [], block = []}>",
         "register: j0 0 | lane: i0 0 | warp:"},
        {16, 16, "#ttg.swizzled_shared<{vec = 32768, perPhase = 32768, "
                 "maxPhase = 32768, order = [1, 0]}>",
         "offset: j0 j1 j2 j3 i0 i1 i2 i3"},
        {16, 16, "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, "
                 "order = [0, 1]}>",
         "offset: i0 i1 i2 i3 j0 j1^i2 j2^i3 j3"},
        /* warps go along the last axis first, of wgmma along the first */
        {32, 16, "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [2, 2], "
                 "instrShape = [16, 8]}>",
         "register: j0 i3 | lane: j1 j2 i0 i1 i2 | warp: j3 i4"},
        {64, 32, "#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 2], "
                 "instrShape = [16, 16, 16]}>",
         "register: j0 i3 j3 | lane: j1 j2 i0 i1 i2 | warp: i4 i5 j4"},
        {16, 16, "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
                 "instrShape = [16, 256]}>",
         "register: j0 i3 j3 0 0 0 0 | lane: j1 j2 i0 i1 i2 | warp:"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: j0 j1 j2 j3"},
        {128, 32, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 2>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: 0 j0 j1 j2 j3 j4"},
        {256, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 8, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: j0 j1 j2 i7 j3"},
        /* 64 rows: 16 of each quarter, and below them the next block */
        {64, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1>",
         "dp: i0 i1 i2 i3 0 i4 i5 | tcol: j0 j1 j2 j3"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i6 i4 i5 | tcol: j0 j1 j2 j3"},
        {64, 32, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1>",
         "dp: i0 i1 i2 i3 j4 i4 i5 | tcol: j0 j1 j2 j3"},
        {256, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i6 i4 i5 | tcol: j0 j1 j2 j3 i7"},
        /* a pair of blocks: the second half of the columns is below */
        {64, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1, twoCTAs = true>",
         "dp: i0 i1 i2 i3 i4 i5 j3 | tcol: j0 j1 j2"},
        {128, 16, "#ttng.tensor_memory_scales_encoding<>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 j2 j3"},
        {256, 16, "#ttng.tensor_memory_scales_encoding<>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 i7 j2 j3"},
        {256, 16, "#ttng.tensor_memory_scales_encoding<blockRepOrder = "
                  "k_then_mn>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 j2 j3 i7"},
        {256, 16, "#ttng.tensor_memory_scales_encoding<blockRepOrder = "
                  "\"mn_then_k\">",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 i7 j2 j3"},
        {64, 16, "#ttng.tensor_memory_scales_encoding<>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 j2 j3"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const unsigned sizes[2] = {list[k].i, list[k].j};
        const ll_foreign f = ll_from_triton(list[k].attribute, 2, sizes);
        const ll_layout want = ll_order_out(L(list[k].layout), "j i");
        const int ok = ll_is_equal(ll_order_out(f.layout, "j i"), want);
        if (!ok) {
            ll_str(f.layout, text, sizeof text);
            printf("  %s is %s\n", list[k].attribute,
                   f.why ? f.why : text);
        }
        CHECK(ok);
    }
    const unsigned full[2] = {65536, 65536}, more[2] = {65536, 131072};
    const unsigned row[2] = {1, 16};
    const ll_foreign f = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [65536, 65536], threadsPerWarp = [1, "
        "1], warpsPerCTA = [1, 1], order = [1, 0]}>", 2, full);
    CHECK(f.layout.err == LL_OK && f.layout.basis[31] == 1u << 31);
    CHECK(ll_from_triton(PLAIN, 2, more).layout.err == LL_EBITS);
    const ll_foreign g = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [1, 32768], threadsPerWarp = [1, "
        "32768], warpsPerCTA = [1, 1], order = [1, 0]}>", 2, row);
    CHECK(g.layout.err == LL_OK && g.layout.in.bits[1] == 15u);
}

static void faults_of_cute_are_found_where_they_are(void) {
    static const marked list[] = {
        {"(4,4):(1,~x)", "a number from 0", 0},
        {"~x", "the last term is Shape:Stride", 0},
        {"(4,~y)", "a number from 0", 0},
        {"~0:1", "this size must be a power of two", 0},
        {"(4,~_6)", "this size must be a power of two", 0},
        {"(4~@0,4)", "a stride is a number of elements", 0},
        {"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,~1)",
         "the layout has more than 16 modes", 0},
        {"(65536,~131072)", "the layout has more than 16 modes", 0},
        {"(65536,65536,~2)", "the layout has more than 16 modes", 0},
        {"~8:1073741823", "the layout has more than 16 modes", 0},
        {"(4,~4):(1,2)", "two strides meet", 0},
        {"~4:3", "two strides meet", 0},
        {"(4,4)~x", "the end of the layout", 0},
        {"(4,4):(1,4)~)", "the end of the layout", 0},
        {"~(4,4", "this bracket is not closed", 0},
        {"(4,4):~(1,4", "this bracket is not closed", 0},
        {"Swizzle<1,2,3> o ptr~[(16b] o (4,4):(1,4)",
         "this bracket is not closed", 0},
        {"Swizzle<1,2,3> o ptr~#t o (4,4):(1,4)", "o was expected", 0},
        {"Swizzle<1,2,3> o ptr[16b]~[1] o (4,4):(1,4)", "o was expected", 0},
        {"(4,4):(1,~(4))", "the stride has other", 0},
        {"(4,(2,2)):(1,~4)", "the stride has other", 0},
        {"Swizzle~(3,3,3) o 4", "Swizzle<b, m, s> was expected", 0},
        {"Swizzle<3,3,3~,1> o 4", "Swizzle<b, m, s> was expected", 0},
        {"Swizzle<3~> o 4", "Swizzle<b, m, s> was expected", 0},
        {"Swizzle<3,~x,3> o 4", "a number from 0", 0},
        {"Swizzle~<4,0,3> o (8,64):(64,1)",
         "Swizzle<b, m, s> has b at most", 0},
        {"Swizzle~<8,17,8> o (8,64):(64,1)",
         "Swizzle<b, m, s> has b at most", 0},
        {"~4 o (4,4):(1,4)", "this offset meets a bit", 0},
        {"~4 o 4 o 2:1", "this offset meets a bit", 0},
        {"~(2,2) o (4,4):(1,4)", "the following layout reaches", 0},
        {"(4,4) ~(2) o 4", "the end of the layout", 0},
        {"~: o 4", "a number from 0", 0},
        {"~* o 4", "a layout, a swizzle or an offset", 0},
        {"Sw<3,3,3> ~x o 4", "o was expected", 0},
        {"Sw<3,3,3> ~_smem_ptr[16b](unset) o 4", "o was expected", 0},
        {"Sw<3,3,3>_smem_ptr[16b](unset) ~x o 4", "o was expected", 0},
        {"Sw<3,3,3>_smem_ptr[~b](unset) o 4", "a number from 0", 0},
        {"Sw~<3,3,3> o smem_ptr[6b] o 4", "a swizzle of bytes has", 0},
        {"Sw<3,4,3> o ~smem_sparse<2>_ptr[8b](unset) o 4",
         "a pointer to sparse elements", 0},
        {"Sw<3,4,3>_~smem_sparse<2>_ptr[8b](unset) o 4",
         "a pointer to sparse elements", 0},
        {"Sw~<1,31,1> o smem_ptr[1b] o 4",
         "Swizzle<b, m, s> has b at most", 0},
        {"1 o 2 o 4 o 8 o 16 o 32 o 64 o 4:128 o ~2",
         "a composition has at most 8 terms", 0},
    };
    check_marked(list, sizeof list / sizeof *list, 1);
}

/* The offset of coordinates i, j, .. of a text. */
static unsigned at_of(const char *compact, unsigned i, unsigned j,
                      unsigned k) {
    const ll_foreign f = ll_from_cute(compact);
    CHECK(f.layout.err == LL_OK);
    return ll_apply(f.layout, ll_pack(f.layout.in, LL_I, i) |
                                  ll_pack(f.layout.in, LL_J, j) |
                                  ll_pack(f.layout.in, LL_K, k));
}

static void cute_has_compact_layouts_and_pointers(void) {
    CHECK(at_of("(4,(2,8))", 3, 0, 0) == 3u);
    CHECK(at_of("(4,(2,8))", 0, 5, 0) == 20u);
    CHECK(at_of("(65536,2)", 0, 1, 0) == 65536u);
    CHECK(at_of("(32768,32768,2)", 0, 1, 1) == (1u << 30 | 1u << 15));
    CHECK(at_of("(65536,65536)", 65535u, 65535u, 0) == 0xffffffffu);
    CHECK(at_of("8:536870912", 7, 0, 0) == 7u << 29);
    CHECK(at_of("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 0, 0, 0) == 0);
    CHECK(at_of("(_8, _4):(_4, _1)", 7, 3, 0) == 31u);
    CHECK(at_of("smem_ptr[16b](unset) o Sw<1,0,2> o (2,4):(4,1)", 1, 0, 0) ==
          5u);
    CHECK(at_of("S<1, 0, 2> o (2,4):(4,1)", 1, 3, 0) == 6u);
    CHECK(at_of("Swizzle<1,0,-2> o (2,4):(4,1)", 0, 1, 0) == 5u);
    CHECK(at_of("Swizzle<1,0,-2> o (2,4):(4,1)", 1, 0, 0) == 4u);
    CHECK(at_of("Swizzle<1,0,2> o 4 o 2:1", 0, 0, 0) == 5u);
    CHECK(at_of("_64 o 2:1", 1, 0, 0) == 65u);
    CHECK(at_of("1 o 2 o 4 o 8 o 16 o 32 o 64 o 4:128", 3, 0, 0) == 511u);
    CHECK(at_of("(8,4):(1,16) o (4,8):(8,1)", 1, 1, 0) == 17u);
    CHECK(ll_from_cute("(2,4):(8,1)").layout.out.bits[0] == 4u);
    CHECK(ll_from_cute("32 o (2,4):(8,1)").layout.out.bits[0] == 6u);
    CHECK(ll_from_cute("(2,(4,2)):(8,(1,32))").layout.in.n == 2u);
    CHECK(ll_from_cute("(2,(4,2)):(8,(1,32))").layout.in.bits[0] == 3u);
}

/* The columns of rows and of columns of an atom, as CUTLASS evaluates it
 * (tests/data/cute_swizzles.jsonl), and the text that CuTe prints for it. */
static void atoms_of_hopper_are_those_of_cutlass(void) {
    static const struct {
        const char *text;
        unsigned rows[3], cols[7]; /* offsets */
    } list[] = {
        {"(unset) o (_8,_128):(_128,_1)", {144, 288, 576},
         {1, 2, 4, 8, 16, 32, 64}},
        {"(unset) o (_8,_64):(_64,_1)", {72, 144, 288}, {1, 2, 4, 8, 16, 32}},
        {"(unset) o (_8,_32):(_32,_1)", {36, 72, 144}, {1, 2, 4, 8, 16}},
        {"(unset) o (_8,_16):(_16,_1)", {18, 36, 72}, {1, 2, 4, 8}},
        {"(unset) o (_8,_128):(_128,_1)", {128, 288, 576},
         {1, 2, 4, 8, 16, 32, 64}},
        {"(unset) o (_8,_32):(_32,_1)", {32, 72, 144}, {1, 2, 4, 8, 16}},
    };
    static const unsigned bits[6] = {8, 16, 32, 64, 4, 16};
    for (unsigned n = 0; n < 12u; ++n) {
        const unsigned k = n % 6u;
        sprintf(text, "Sw<%u,4,3>%ssmem_ptr[%ub]%s", k < 4u ? 3u : 2u,
                n < 6u ? " o " : "_", bits[k], list[k].text);
        const ll_foreign f = ll_from_cute(text);
        CHECK(f.layout.err == LL_OK && f.layout.in.bits[1] == 3u);
        for (unsigned c = 0; c < f.layout.in.bits[0]; ++c) {
            CHECK(f.layout.basis[c] == list[k].cols[c]);
        }
        for (unsigned c = 0; c < 3u; ++c) {
            CHECK(f.layout.basis[f.layout.in.bits[0] + c] == list[k].rows[c]);
        }
    }
}

/* By the address of each bit: a pointer's swizzle moves whole bytes, and what
 * it would move within an element stays. */
static void swizzles_of_pointers_move_bytes(void) {
    unsigned within = 0;
    for (unsigned n = 0; n < 8u * 4u * 5u * 3u * 2u; ++n) {
        const unsigned held = n % 8u, b = n / 8u % 4u, m = n / 32u % 5u;
        const unsigned by = b + n / 160u % 3u, up = n / 480u;
        sprintf(text, "Sw<%u,%u,%s%u>%ssmem_ptr[%ub](unset) o 1024:1", b, m,
                up && by ? "-" : "", by, test_random(2) ? " o " : "_",
                1u << held);
        const ll_foreign f = ll_from_cute(text);
        CHECK(f.layout.err == LL_OK);
        within += m + 3u < held && b;
        for (unsigned x = 0; x < 1024u; ++x) {
            const unsigned at = x << held; /* bits */
            const unsigned from = m + 3u + (up ? 0u : by);
            const unsigned moved = (at >> from & ((1u << b) - 1u))
                                   << (m + 3u + (up ? by : 0u));
            CHECK(ll_apply(f.layout, x) == (at ^ moved) >> held);
        }
    }
    CHECK(within > 5u);
    CHECK(at_of("Sw<1,1,2> o gmem_ptr[16b](0x10) o (2,4):(4,1)", 1, 0, 0) ==
          5u);
    CHECK(at_of("Sw<1,0,2> o Sw<1,1,2>_smem_ptr[16b] o (2,4):(4,1)", 1, 0,
                0) == 5u);
    CHECK(at_of("smem_ptr[16b](0x10) o (2,4):(4,1)", 1, 0, 0) == 4u);
    CHECK(at_of("Swizzle<0,16,16> o 2:1", 1, 0, 0) == 1u);
}

/* The element in a cell, which has its coordinates. */
static unsigned element_in(const ll_cell *c, const ll_shape *s) {
    const char *at = c->text;
    unsigned y = 0;
    for (unsigned k = s->n; k-- > 0;) {
        char *end = NULL;
        y |= ll_pack(*s, s->dim[k], (unsigned)strtoul(at, &end, 10));
        CHECK(end > at && *end == (k ? ',' : 0));
        at = end + 1;
    }
    return y;
}

/* ---- Pads ---------------------------------------------------------------- */

/* The place of an offset: behind each `every` elements are `pad` more. */
static unsigned place_with(const ll_foreign *f, unsigned x) {
    unsigned place = x;
    for (unsigned k = 0; k < f->pads; ++k) {
        for (unsigned at = f->every[k]; at <= x; at += f->every[k]) {
            place += f->pad[k];
        }
    }
    return place;
}

static ll_foreign padded_square(const char *pads) {
    static const unsigned sizes[2] = {32, 32};
    sprintf(text, "#ttg.padded_shared<[%s] {order = [1, 0], shape = [32, "
                  "32]}>", pads);
    return ll_from_triton(text, 2, sizes);
}

/* The wavefronts of an access, address by address. */
static unsigned wavefronts_with(const ll_view *v, const ll_foreign *f) {
    unsigned all = 0;
    for (unsigned phase = 0; phase < v->phases; ++phase) {
        unsigned seen[256];
        unsigned n = 0;
        unsigned most = 1;
        for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
            const unsigned lane = ll_lane_in_phase_(v, phase, k) & v->named;
            unsigned at = v->start;
            for (unsigned b = 0; b < 6u; ++b) {
                at ^= lane >> b & 1u ? v->lane[b] : 0u;
            }
            for (unsigned byte = 0; byte < v->bytes; byte += 4u) {
                const unsigned place = place_with(f, (at + byte) >> v->scale);
                const unsigned word = (place << v->scale) / 4u;
                unsigned m = 0;
                while (m < n && seen[m] != word) {
                    ++m;
                }
                seen[m] = word;
                n += m == n;
            }
        }
        for (unsigned bank = 0; bank < 32u; ++bank) {
            unsigned words = 0;
            for (unsigned m = 0; m < n; ++m) {
                words += seen[m] % 32u == bank;
            }
            most = words > most ? words : most;
        }
        all += most;
    }
    return all;
}

static void pads_are_counted_address_by_address(void) {
    static const char *const pads[] = {"32:+1", "32:+4", "32:+8", "64:+4",
                                       "128:+4", "32:+1, 128:+2", "4:+4",
                                       "1024:+8", "8:+2", "16:+16, 64:+4"};
    unsigned taken = 0, better = 0, refused = 0;
    for (unsigned n = 0; n < times(600); ++n) {
        const ll_foreign f = padded_square(pads[test_random(10)]);
        ll_layout a = test_random(3) ? ll_trans(ll_rows(32, 32, 4), "j i")
                                     : L("register: j0 j1 j2 j3 j4 | "
                                         "lane: i0 i1 i2 i3 i4");
        a = test_random(4) ? a : random_conversion(5, 9, 5, 1).a;
        const unsigned bits = 8u << test_random(3);
        const unsigned bytes = 1u << test_random(5);
        const ll_view plain = ll_view_banks(a, f.layout, bits, bytes,
                                            test_random(2), LL_SM90);
        const ll_view v = ll_view_padded(plain, f);
        unsigned fits = 1;
        for (unsigned k = 0; k < f.pads; ++k) {
            fits &= f.every[k] * bits / 8u >= bytes &&
                    f.pad[k] * bits / 8u >= bytes;
        }
        CHECK(plain.err ? v.err == plain.err
                        : v.err == (fits ? LL_OK : LL_EACCESS));
        refused += !plain.err && v.err;
        if (!v.err) {
            CHECK(v.rows == wavefronts_with(&v, &f));
            better += v.rows < plain.rows;
            ++taken;
            unsigned marks = 0;
            for (unsigned k = 0; k < v.rows * v.cols; ++k) {
                const ll_cell c = ll_cell_at(&v, k / v.cols, k % v.cols);
                marks += c.mark;
                CHECK(c.text[0] || !c.mark);
            }
            CHECK((marks != 0) == (v.rows > v.phases));
        }
    }
    COVERS(taken > 50u && better > 10u && refused > 5u);
}

/* Lane i reads from row i of 32 x 32 floats. */
static ll_view rows_with(const char *pads, unsigned bytes) {
    const ll_foreign f = padded_square(pads);
    return ll_view_padded(
        ll_view_banks(L("register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4"),
                      f.layout, 32, bytes, LL_READ, LL_SM90), f);
}

/* Row i begins at bank 4 i, or at bank 0. */
static void wavefronts_of_pads_are_numbered_through_the_phases(void) {
    const ll_view none = rows_with("32:+4", 16), all = rows_with("32:+32", 16);
    CHECK(none.rows == 4u && all.rows == 32u);
    for (unsigned k = 0; k < 32u * 32u; ++k) {
        const unsigned row = k / 32u, bank = k % 32u;
        char want[4] = "";
        sprintf(want, "%u", row * 8u + bank / 4u);
        ll_cell c = ll_cell_at(&none, row, bank);
        CHECK(row < 4u ? strcmp(c.text, want) == 0 && !c.mark : !c.text[0]);
        sprintf(want, "%u", row);
        c = ll_cell_at(&all, row, bank);
        CHECK(bank < 4u ? strcmp(c.text, want) == 0 && c.mark == (row % 8u != 0)
                        : !c.text[0] && !c.mark);
    }
}

static void pads_of_textbooks_have_their_wavefronts(void) {
    /* the textbook's: a column of floats, and 16 bytes a lane */
    const ll_layout rows = L("register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4");
    const ll_foreign one = padded_square("32:+1");
    const ll_foreign four = padded_square("32:+4");
    const ll_view v = ll_view_padded(
        ll_view_banks(rows, one.layout, 32, 4, LL_READ, LL_SM90), one);
    CHECK(v.rows == 1u && strcmp(ll_cell_at(&v, 0, 7).text, "7") == 0);
    CHECK(ll_cell_at(&v, 0, 7).element == 7u << 5);
    CHECK(ll_view_padded(ll_view_banks(rows, four.layout, 32, 16, LL_READ,
                                       LL_SM90), four).rows == 4u);
    CHECK(ll_view_banks(rows, one.layout, 32, 4, LL_READ, LL_SM90).rows == 32u);
    CHECK(rows_with("32:+1", 8).err == LL_EACCESS); /* two elements, one pad */
    /* column 1: lane i asks for word 34 i + 1, and bank 0 for none */
    const ll_foreign two = padded_square("32:+2");
    const ll_layout next =
        L("register: j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4 | 1: j0 -> i=32 | "
          "j=32");
    CHECK(ll_view_padded(ll_view_banks(next, two.layout, 32, 4, LL_READ,
                                       LL_SM90), two).rows == 2u);
}

static void pads_are_empty_places(void) {
    static const char *const pads[] = {"32:+4", "4:+2, 64:+8", "1024:+8",
                                       "8:+1", "256:+64", "512:+1"};
    for (unsigned n = 0; n < 6u; ++n) {
        const ll_foreign f = padded_square(pads[n]);
        const ll_view t = ll_view_padded(ll_view_tensor(f.layout), f);
        const ll_view h = ll_view_padded(ll_view_hardware(f.layout), f);
        unsigned held = 0;
        CHECK(h.cols == 32u && h.rows == place_with(&f, 1023) / 32u + 1u);
        for (unsigned x = 0; x < 1024u; ++x) {
            const unsigned at = place_with(&f, x), y = value(&f.layout, x);
            const ll_cell c = ll_cell_at(&h, at / 32u, at % 32u);
            const ll_cell d = ll_cell_at(&t, y / 32u, y % 32u);
            CHECK(ll_padded(f, x) == at);
            CHECK(c.element == y && element_in(&c, &f.layout.out) == y);
            CHECK(strtoul(d.text, NULL, 10) == at && d.element == y);
        }
        for (unsigned at = 0; at < h.rows * 32u; ++at) {
            held += ll_cell_at(&h, at / 32u, at % 32u).text[0] != 0;
        }
        CHECK(held == 1024u);
    }
}

/* A picture of memory has at most 2^20 places, and a place at most 28 bits. */
static void pads_have_limits(void) {
    static const unsigned most[2] = {1024, 1024}, twice[2] = {16, 16};
    const ll_foreign f = ll_from_triton(
        "#ttg.padded_shared<[32:+1] {order = [1, 0], shape = [1024, 1024]}>",
        2, most);
    CHECK(ll_view_padded(ll_view_hardware(f.layout), f).err == LL_ETABLE);
    CHECK(ll_view_padded(ll_view_tensor(f.layout), f).err == LL_OK);
    CHECK(ll_view_padded(ll_view_matrix(f.layout), f).rows == 20u);
    const ll_foreign g = ll_from_triton(
        "#ttg.padded_shared<[1:+536870912] {order = [1, 0], shape = [16, "
        "16]}>", 2, twice);
    CHECK(ll_view_padded(ll_view_tensor(g.layout), g).err == LL_ETABLE);
    CHECK(ll_view_padded(ll_view_tensor(g.layout), g).rows == 0);
    static const unsigned half[2] = {1024, 512};
    const ll_foreign full = ll_from_triton( /* 2^19 + 2^19 - 1 + 1 places */
        "#ttg.padded_shared<[1:+1, 262144:+1] {order = [1, 0], shape = [1024, "
        "512]}>", 2, half);
    CHECK(ll_padded(full, (1u << 19) - 1u) == (1u << 20) - 1u);
    CHECK(ll_view_padded(ll_view_hardware(full.layout), full).err == LL_OK);
    const ll_foreign far = ll_from_triton( /* more than 2^28 places */
        "#ttg.padded_shared<[1:+256] {order = [1, 0], shape = [1024, 1024]}>",
        2, most);
    CHECK(ll_view_padded(ll_view_tensor(far.layout), far).err == LL_ETABLE);
    const ll_view bad = ll_view_tensor(ll_layout_none_(LL_ESIZE));
    CHECK(ll_view_padded(bad, full).err == LL_ESIZE);
    const ll_foreign none = LL_ZERO; /* no pads, no change */
    const ll_view plain = ll_view_tensor(ll_rows(8, 8, 4));
    CHECK(ll_view_padded(plain, none).err == LL_OK);
    CHECK(ll_view_padded(plain, none).rows == plain.rows);
    const ll_foreign blocks = ll_from_triton(
        "#ttg.padded_shared<[4:+4] {order = [1, 0], shape = [16, 16], "
        "CGALayout = [[1, 0]]}>", 2, twice);
    CHECK(ll_view_padded(ll_view_tensor(blocks.layout), blocks).err ==
          LL_EMEMORY);
}

/* ---- Pictures ------------------------------------------------------------ */

static ll_target some_target(void) {
    const unsigned gfx[] = {0x908, 0x942, 0x950, 0x1100, 0x1201};
    const unsigned sm[] = {75, 80, 90, 100};
    const unsigned k = test_random(5);
    return test_random(2) ? ll_amd_target(gfx[k], k < 3u ? 64 : 32)
                          : ll_ptx_target(sm[k % 4u]);
}

static void cells_have_the_elements_and_places_of_the_layout(void) {
    for (unsigned n = 0; n < times(300); ++n) {
        const ll_target t = some_target();
        const random_pair c = random_conversion(ll_log2_(t.lanes), 9, 5, 1);
        const ll_view h = ll_view_hardware(c.a);
        CHECK(h.rows * h.cols == 1u << ll_shape_bits_(&c.a.in));
        for (unsigned row = 0; row < h.rows; ++row) {
            const unsigned col = test_random(h.cols);
            const ll_cell cell = ll_cell_at(&h, row, col);
            CHECK(element_in(&cell, &c.a.out) ==
                  value(&c.a, row * h.cols + col));
            CHECK(cell.element == element_in(&cell, &c.a.out));
        }
        const ll_view v = ll_view_tensor(c.a);
        CHECK(v.err || v.rows * v.cols == 1u << ll_shape_bits_(&c.a.out));
        for (unsigned row = 0; row < v.rows; ++row) {
            const unsigned col = test_random(v.cols);
            const ll_cell cell = ll_cell_at(&v, row, col);
            const char *at = cell.text;
            unsigned x = 0;
            for (unsigned k = c.a.in.n; k-- > 0;) {
                char *end = NULL;
                x |= ll_pack(c.a.in, c.a.in.dim[k],
                             (unsigned)strtoul(at, &end, 10));
                at = end + 1;
            }
            CHECK(value(&c.a, x) == row * v.cols + col);
        }
    }
}

/* Reads back an access: no bank serves a word twice in a phase, and each lane
 * that gives an address is served. A conflict is marked if there is one. */
static void check_access(const ll_view *v, const ll_step *s) {
    unsigned marks = 0;
    unsigned served_words = 0;
    CHECK(v->kind == LL_VIEW_BANKS && v->rows == s->wavefronts);
    for (unsigned row = 0; row < v->rows; ++row) {
        for (unsigned col = 0; col < v->cols; ++col) {
            const ll_cell c = ll_cell_at(v, row, col);
            marks += c.mark;
            served_words += c.text[0] ? 1u : 0u;
        }
    }
    CHECK((marks != 0) == (s->wavefronts > s->least));
    unsigned long long lanes = 0; /* that are in some phase */
    for (unsigned k = 0; k < v->phases << v->phase.n; ++k) {
        const unsigned lane =
            ll_lane_in_phase_(v, k >> v->phase.n, k & ll_ones_(v->phase.n));
        CHECK(lane <= v->named && !(lanes >> lane & 1u));
        lanes |= 1ull << lane;
    }
    CHECK(lanes == ~0ull >> (63u - v->named));
    /* words of all phases, counted from the addresses */
    unsigned words = 0;
    for (unsigned phase = 0; phase < v->phases; ++phase) {
        unsigned seen[256];
        unsigned n = 0;
        for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
            const unsigned lane = ll_lane_in_phase_(v, phase, k);
            unsigned at = v->start;
            for (unsigned b = 0; b < 6u; ++b) {
                at ^= (lane & v->named) >> b & 1u ? v->lane[b] : 0u;
            }
            for (unsigned byte = 0; byte < v->bytes; byte += v->bank_bytes) {
                const unsigned word = at / v->bank_bytes + byte / v->bank_bytes;
                unsigned m = 0;
                while (m < n && seen[m] != word) {
                    ++m;
                }
                seen[m] = word;
                n += m == n;
            }
        }
        words += n;
    }
    CHECK(words == served_words);
}

static int same_cells(const ll_view *v, const ll_view *w) {
    int same = v->rows == w->rows && v->cols == w->cols;
    for (unsigned k = 0; same && k < v->rows * v->cols; ++k) {
        const ll_cell x = ll_cell_at(v, k / v->cols, k % v->cols);
        const ll_cell y = ll_cell_at(w, k / v->cols, k % v->cols);
        same = strcmp(x.text, y.text) == 0 && x.element == y.element;
    }
    return same;
}

/* Notes the elements of the words that an access serves. */
static void note_elements(const ll_view *v, unsigned char *seen) {
    const unsigned all = ll_shape_bits_(&v->a.in);
    for (unsigned n = 0; n < v->rows * v->cols; ++n) {
        const ll_cell c = ll_cell_at(v, n / v->cols, n % v->cols);
        for (unsigned x = 0; c.text[0] && x < 1u << all; ++x) {
            if (value(&v->a, x) == c.element) { /* and the rest of its word */
                const unsigned word = (x << v->scale) / v->bank_bytes;
                for (unsigned y = 0; y < 1u << all; ++y) {
                    seen[value(&v->a, y)] |=
                        (y << v->scale) / v->bank_bytes == word;
                }
            }
        }
    }
}

/* All accesses of a step together serve what the lanes of warp 0 hold. */
static void check_served(const ll_plan *p, const ll_layout *side,
                         const unsigned char *seen) {
    unsigned missing = 0;
    for (unsigned x = 0; x < p->lanes << side->in.bits[0]; ++x) {
        missing += !seen[value(side, x)];
    }
    CHECK(missing == 0);
}

/* The byte address that a lane gives in an access. */
static unsigned given_address(const ll_view *v, unsigned lane) {
    unsigned at = v->start;
    for (unsigned b = 0; b < 6u; ++b) {
        at ^= (lane & v->named) >> b & 1u ? v->lane[b] : 0u;
    }
    return at;
}

/* Each lane accesses what it holds in some register, and nothing else. */
static void check_addresses(const ll_view *v, const ll_layout *side,
                            unsigned bits) {
    const unsigned regs = side->in.bits[0];
    unsigned bad = 8u << v->scale != bits;
    for (unsigned lane = 0; lane <= v->named; ++lane) {
        const unsigned at = given_address(v, lane);
        for (unsigned x = 0; x < v->bytes * 8u / bits; ++x) {
            const unsigned y = value(&v->a, at * 8u / bits + x);
            unsigned r = 0;
            while (r >> regs == 0 && value(side, lane << regs | r) != y) {
                ++r;
            }
            bad += r >> regs;
        }
    }
    CHECK(bad == 0);
}

/* Before the store each lane has what layout a gives it, in some register. */
static void check_lanes(const ll_view *v, const ll_layout *a) {
    const ll_layout side = ll_in_block_(ll_hardware_(*a));
    const unsigned regs = side.in.bits[0];
    unsigned bad = v->kind != LL_VIEW_AFTER;
    for (unsigned row = 0; row < v->rows; ++row) {
        const unsigned thread = row & ll_ones_(ll_shape_bits_(&side.in) - regs);
        for (unsigned col = 0; col < v->cols; ++col) {
            const unsigned y = ll_cell_at(v, row, col).element;
            unsigned r = 0;
            while (r >> regs == 0 && value(&side, thread << regs | r) != y) {
                ++r;
            }
            bad += r >> regs;
        }
    }
    CHECK(bad == 0);
}

static void frames_have_the_wavefronts_of_the_plan(void) {
    static unsigned char seen[1u << 12];
    unsigned accesses = 0, last_steps = 0;
    for (unsigned n = 0; n < times(400); ++n) {
        const ll_target t = some_target();
        const unsigned bits = 8u << test_random(4);
        const random_pair c =
            random_conversion(ll_log2_(t.lanes), 9, 5, test_random(4));
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        for (unsigned f = 0; f < ll_frames(p); ++f) {
            unsigned at = 0;
            const ll_view v = ll_view_frame(p, c.a, c.b, t, f);
            const unsigned k = ll_frame_step_(&p, f, &at);
            CHECK(v.err == LL_OK && v.rows && v.cols);
            if (k < p.n &&
                (p.step[k].op == LL_OP_STORE || p.step[k].op == LL_OP_LOAD)) {
                check_access(&v, &p.step[k]);
                ++accesses;
                const int store = p.step[k].op == LL_OP_STORE;
                const ll_layout side =
                    ll_in_block_(ll_hardware_(store ? c.a : c.b));
                if (at == 0) {
                    memset(seen, 0, sizeof seen);
                }
                CHECK(ll_is_equal(v.a, p.memory));
                if (ll_shape_bits_(&p.memory.in) < 9u && !p.passes &&
                    !p.nibbles && !p.blocks &&
                    ll_shape_same_(&side.out, &p.memory.out)) {
                    note_elements(&v, seen);
                    if (!p.step[k].form) {
                        check_addresses(&v, &side, bits);
                    }
                    if (at + 1u == ll_step_frames_(&p, k)) {
                        check_served(&p, &side, seen);
                    }
                }
            } else if (k == 0) {
                check_lanes(&v, &c.a);
            } else if (k == 4u && p.n == 5u && !p.nibbles) {
                const ll_view w =
                    ll_view_hardware(ll_in_block_(ll_hardware_(c.b)));
                CHECK(v.kind == LL_VIEW_HARDWARE && same_cells(&v, &w));
                ++last_steps;
            }
            const unsigned len = ll_frame_words(p, f, text, sizeof text);
            CHECK(len == strlen(text) && len && text[len - 1u] == '\n');
        }
        CHECK(ll_view_frame(p, c.a, c.b, t, ll_frames(p)).err);
    }
    COVERS(accesses > 1000u && last_steps > 5u);
}

/* ldmatrix and stmatrix: eight rows of 16 bytes in a phase, and all that a warp
 * holds in some row. */
static void matrices_are_served_row_by_row(void) {
    static unsigned char seen[1u << 12];
    unsigned steps = 0;
    for (unsigned n = 0; n < 8u; ++n) {
        const ll_layout b = n % 2u ? ll_ptx_mma_b(16, 16, 16, 1)
                                   : ll_ptx_mma_a(16, n & 4u ? 8 : 16, 16, 1);
        const ll_layout a = ll_rows_for(b, 2);
        const ll_layout from = n & 2u ? b : a, to = n & 2u ? a : b;
        const ll_plan p = ll_plan_by(from, to, 16, LL_SM90, LL_SHARED);
        const unsigned k = n & 2u ? 1u : 3u;
        memset(seen, 0, sizeof seen);
        for (unsigned f = 0; f < ll_frames(p); ++f) {
            unsigned at = 0;
            const ll_view v = ll_view_frame(p, from, to, LL_SM90, f);
            if (p.step[k].form && ll_frame_step_(&p, f, &at) == k) {
                check_access(&v, &p.step[k]);
                CHECK(v.bytes == 16u && v.phase.n == 3u);
                CHECK(v.named + 1u == p.step[k].bytes * 32u / 16u);
                note_elements(&v, seen);
                if (at + 1u == ll_step_frames_(&p, k)) {
                    const ll_layout side = ll_hardware_(b);
                    check_served(&p, &side, seen);
                    ++steps;
                }
            }
        }
    }
    CHECK(steps > 3u);
}

/* Accesses of more than one instruction, with constants, of 8 bytes; no lane
 * reads what another one wants. */
static void frames_of_known_plans_serve_what_lanes_hold(void) {
    static const struct {
        const char *a, *b;
        unsigned bits;
    } list[] = {
        {"register: j0 j1 | lane: j2 j3 i0 i1 i2",
         "register: i0 i1 | lane: i2 j0 j1 j2 j3", 32},
        {"register: j0 j1 | lane: j2 j3 i0 i1 i2 | 1: j0^i1",
         "register: i0 i1 | lane: i2 j0 j1 j2 j3 | 1: i0^j3", 32},
        {"register: j0 j1 | lane: j2 j3 i0 i1 i2 | 1: j0^i1",
         "register: i0 i1 | lane: i2 j0 j1 j2 j3 | 1: i0^j3", 64},
        {"register: j0^j2^i4 j2 i2 | lane: j1^i1^i4 j0^i2 "
         "j0^j1^j2^i1^i2^i3^i4 j0^j1^j2^i0^i1 j2^i0^i1^i2 | 1: j0^i4",
         "register: i4 0 j1 | lane: j0 i2 i0 i1 i3 | warp: j2 | "
         "1: j0^j1^i0^i1^i3", 32},
    };
    static unsigned char seen[1u << 12];
    for (unsigned n = 0; n < sizeof list / sizeof *list; ++n) {
        const ll_layout a = L(list[n].a), b = L(list[n].b);
        const ll_plan p = ll_plan_by(a, b, list[n].bits, LL_SM90, LL_SHARED);
        unsigned steps = 0;
        for (unsigned f = 1; f + 1u < ll_frames(p); ++f) {
            unsigned at = 0;
            const ll_view v = ll_view_frame(p, a, b, LL_SM90, f);
            const unsigned k = ll_frame_step_(&p, f, &at);
            const unsigned op = p.step[k].op;
            if (op != LL_OP_STORE && op != LL_OP_LOAD) {
                continue;
            }
            const ll_layout side = ll_hardware_(op == LL_OP_STORE ? a : b);
            if (at == 0) {
                memset(seen, 0, sizeof seen);
            }
            check_access(&v, &p.step[k]);
            check_addresses(&v, &side, list[n].bits);
            note_elements(&v, seen);
            if (at + 1u == ll_step_frames_(&p, k)) {
                check_served(&p, &side, seen);
                ++steps;
            }
        }
        CHECK(!p.err && steps == 2u);
    }
}

/* What lanes hold after the last step of an exchange is what b says. Returns
 * the steps. */
static unsigned check_exchange(const ll_plan *p, ll_layout a, ll_layout b,
                               ll_target t) {
    unsigned at = 0;
    const unsigned f = ll_frames(*p) - 2u, k = ll_frame_step_(p, f, &at);
    ll_view v = ll_view_frame(*p, a, b, t, f);
    b = ll_in_block_(ll_hardware_(b));
    CHECK(v.rows == p->threads || k == p->n);
    CHECK(v.kind == LL_VIEW_AFTER || k == p->n);
    CHECK(k >= p->n || v.cols == 1u << p->step[k].bits);
    if (k + 1u != p->n) { /* a step without instructions has no frame */
        v.kind = LL_VIEW_AFTER;
        v.step = p->n - 1u;
        v.p = *p;
        v.rows = p->threads;
        v.cols = 1u << p->to_bits;
    }
    for (unsigned row = 0; row < v.rows; ++row) {
        for (unsigned col = 0; col < v.cols; ++col) {
            const ll_cell cell = ll_cell_at(&v, row, col);
            const unsigned x = row << p->to_bits | col;
            CHECK(element_in(&cell, &b.out) ==
                  value(&b, x & ll_ones_(ll_shape_bits_(&b.in))));
        }
    }
    return p->n;
}

static void exchanges_end_with_the_elements_of_the_destination(void) {
    unsigned steps = 0;
    for (unsigned n = 0; n < times(1500); ++n) {
        const ll_target t = some_target();
        const random_pair c = random_small(&t);
        const ll_plan p =
            ll_plan_by(c.a, c.b, 8u << test_random(4), t, LL_SHUFFLES);
        if (!p.err && p.n && !c.blocks) {
            steps += check_exchange(&p, c.a, c.b, t);
        }
    }
    COVERS(steps > 300u);
    const ll_layout a =
        ll_parse("register: j0 i5 | lane: j1 j2 i0 i1 i2 i3 | warp: i4");
    const ll_layout b =
        ll_parse("register: j0 i3 | lane: j1 j2 i0 i1 i2 i5 | warp: i4");
    const ll_target t = ll_amd_target(0x950, 64);
    const ll_plan p = ll_plan_of(a, b, 32, t);
    unsigned swaps = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        swaps += p.step[k].op == LL_OP_SWAP;
    }
    CHECK(swaps == 1u && check_exchange(&p, a, b, t) == p.n);
}

static unsigned count_of(const char *what) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; ++at) {
        ++n;
    }
    return n;
}

static void every_form_has_every_cell(void) {
    const ll_layout a = ll_rows(16, 16, 4);
    const ll_view views[] = {
        ll_view_matrix(a), ll_view_tensor(a), ll_view_hardware(a),
        ll_view_banks(ll_trans(a, "j i"),
                      ll_row_major(ll_shape_of("j=16 i=16")), 32, 4, LL_READ,
                      LL_SM90)};
    for (unsigned k = 0; k < 4u; ++k) {
        const ll_view *v = &views[k];
        for (unsigned form = LL_AS_TEXT; form <= LL_AS_CSV; ++form) {
            char start[20];
            const unsigned n = ll_picture(*v, form, text, sizeof text);
            CHECK(n == strlen(text) && n < sizeof text);
            CHECK(ll_picture(*v, form, start, sizeof start) == n);
            CHECK(strncmp(start, text, sizeof start - 1u) == 0);
            if (form == LL_AS_TEXT) { /* each line ends in the same column */
                const char *line = text;
                const size_t wide = strcspn(text, "\n");
                for (unsigned row = 0; row <= v->rows; ++row) {
                    CHECK(strcspn(line, "\n") == wide);
                    line += wide + 1u;
                }
            }
            char legend[300];
            ll_legend(*v, legend, sizeof legend);
            if (form == LL_AS_SVG) {
                CHECK(count_of("<svg ") == 1u && count_of("</svg>") == 1u);
                CHECK(count_of("<text ") == count_of("</text>"));
                CHECK(count_of(legend) == 1u && count_of("</title>") == 1u);
            } else {
                const unsigned last = form == LL_AS_CSV ? 0u : 1u;
                CHECK(count_of("\n") == v->rows + 1u + last);
                CHECK(count_of(legend) == last);
            }
            if (form == LL_AS_CSV) {
                CHECK(count_of(",") >= v->cols * (v->rows + 1u));
            }
        }
    }
    CHECK(views[3].ways == 4u && views[3].rows == 4u);
    CHECK(ll_picture(ll_view_tensor(ll_layout_none_(LL_ESIZE)), LL_AS_SVG, text,
                     sizeof text) == strlen(ll_strerror(LL_ESIZE)) + 1u);
}

static void small_pictures_are_known(void) {
    static const struct {
        int kind; /* LL_VIEW_.. */
        const char *layout;
        unsigned form;
        const char *picture;
    } list[] = {
        {LL_VIEW_MATRIX, "lane: i0 i1", LL_AS_TEXT,
         "   lane0 lane1\n"
         "i0     1     .\n"
         "i1     .     1\n"
         "cells: 1 where a bit of the place, the column, reaches a bit of "
         "the element, the row\n"},
        {LL_VIEW_MATRIX, "lane: i0 j0 | 1: j0", LL_AS_TEXT,
         "   lane0 lane1     1\n"
         "j0     .     1     1\n"
         "i0     1     .     .\n"
         "cells: 1 where a bit of the place, the column, reaches a bit of "
         "the element, the row\n"},
        {LL_VIEW_MATRIX, "dim0: i0 i1", LL_AS_CSV,
         ",dim0.0,dim0.1\ni0,1,.\ni1,.,1\n"},
        {LL_VIEW_MATRIX, "register: | 1: i0", LL_AS_TEXT, "   1\ni0 1\n"
         "cells: 1 where a bit of the place, the column, reaches a bit of "
         "the element, the row\n"},
        {LL_VIEW_HARDWARE, "register: i0 i1 i2 i3 | lane: j0", LL_AS_TEXT,
         "        r0   r1   r2   r3   r4   r5   r6   r7   r8   r9  r10  r11  "
         "r12  r13  r14  r15\n"
         "w0 l0  0,0  1,0  2,0  3,0  4,0  5,0  6,0  7,0  8,0  9,0 10,0 11,0 "
         "12,0 13,0 14,0 15,0\n"
         "w0 l1  0,1  1,1  2,1  3,1  4,1  5,1  6,1  7,1  8,1  9,1 10,1 11,1 "
         "12,1 13,1 14,1 15,1\n"
         "cells: i,j of the element\n"},
        {LL_VIEW_TENSOR, "register: j0 | lane: i0", LL_AS_TEXT,
         "    j0  j1\n"
         "i0 0:0 0:1\n"
         "i1 1:0 1:1\n"
         "cells: lane:register\n"},
        {LL_VIEW_TENSOR, "register: i0 | lane: j0 | warp: k0", LL_AS_TEXT,
         "         k0    k1\n"
         "i0,j0 0:0:0 1:0:0\n"
         "i0,j1 0:1:0 1:1:0\n"
         "i1,j0 0:0:1 1:0:1\n"
         "i1,j1 0:1:1 1:1:1\n"
         "cells: warp:lane:register\n"},
        {LL_VIEW_TENSOR, "register: j0 | block: | lane: i0", LL_AS_TEXT,
         "    j0  j1\n"
         "i0 0:0 0:1\n"
         "i1 1:0 1:1\n"
         "cells: lane:register\n"},
        {LL_VIEW_TENSOR, "register: j0 | lane: | warp: i0", LL_AS_TEXT,
         "      j0    j1\n"
         "i0 0:0:0 0:0:1\n"
         "i1 1:0:0 1:0:1\n"
         "cells: warp:lane:register\n"},
        {LL_VIEW_TENSOR, "register: j0 | block: i0", LL_AS_CSV,
         ",j0,j1\ni0,0:0,0:1\ni1,1:0,1:1\n"},
        {LL_VIEW_HARDWARE, "register: j0 | lane: i0 | warp: i1", LL_AS_TEXT,
         "       r0  r1\n"
         "w0 l0 0,0 0,1\n"
         "w0 l1 1,0 1,1\n"
         "w1 l0 2,0 2,1\n"
         "w1 l1 3,0 3,1\n"
         "cells: i,j of the element\n"},
        {LL_VIEW_HARDWARE, "register: j0 | lane: i0", LL_AS_CSV,
         ",r0,r1\nw0 l0,\"0,0\",\"0,1\"\nw0 l1,\"1,0\",\"1,1\"\n"},
        {LL_VIEW_HARDWARE, "lane: i0 j0 | register: j1", LL_AS_TEXT,
         "   +0  +1  +2  +3\n"
         "0 0,0 1,0 0,1 1,1\n"
         "4 0,2 1,2 0,3 1,3\n"
         "cells: i,j of the element\n"},
        {LL_VIEW_HARDWARE, "register: i0 i1", LL_AS_CSV,
         ",+0,+1,+2,+3\n0,0,1,2,3\n"},
        {LL_VIEW_HARDWARE, "offset: i0 0 j0", LL_AS_CSV, /* empty places */
         ",+0,+1,+2,+3,+4,+5,+6,+7\n"
         "0,\"0,0\",\"1,0\",,,\"0,1\",\"1,1\",,\n"},
        {LL_VIEW_HARDWARE, "offset: 0 j0", LL_AS_CSV,
         ",+0,+1,+2,+3\n0,0,,1,\n"},
        {LL_VIEW_HARDWARE, "offset: j0 j1 | block: 0", LL_AS_CSV, /* both */
         ",+0,+1,+2,+3\n0,0,1,2,3\n4,0,1,2,3\n"},
        {LL_VIEW_HARDWARE, "lane: i0 0 j0", LL_AS_CSV, /* copies */
         ",+0,+1,+2,+3,+4,+5,+6,+7\n"
         "0,\"0,0\",\"1,0\",\"0,0\",\"1,0\",\"0,1\",\"1,1\",\"0,1\","
         "\"1,1\"\n"},
        {LL_VIEW_TENSOR, "register: k0 | lane: i0 | warp: j0", LL_AS_CSV,
         ",k0,k1\n\"i0,j0\",0:0:0,0:0:1\n\"i0,j1\",1:0:0,1:0:1\n"
         "\"i1,j0\",0:1:0,0:1:1\n\"i1,j1\",1:1:0,1:1:1\n"},
        {LL_VIEW_HARDWARE, "offset: i0 i1 i2 i3", LL_AS_TEXT,
         "   +0  +1  +2  +3  +4  +5  +6  +7  +8  +9 +10 +11 +12 +13 +14 +15\n"
         "0   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
         "cells: i of the element\n"},
        {LL_VIEW_HARDWARE, "register: j0 | lane: i3 | 1: i3^i1", LL_AS_TEXT,
         "        r0   r1\n"
         "w0 l0 10,0 10,1\n"
         "w0 l1  2,0  2,1\n"
         "cells: i,j of the element\n"},
        {LL_VIEW_HARDWARE, "register: j0 j1 | lane: i0 | warp: i1",
         LL_AS_TEXT,
         "       r0  r1  r2  r3\n"
         "w0 l0 0,0 0,1 0,2 0,3\n"
         "w0 l1 1,0 1,1 1,2 1,3\n"
         "w1 l0 2,0 2,1 2,2 2,3\n"
         "w1 l1 3,0 3,1 3,2 3,3\n"
         "cells: i,j of the element\n"},
        {LL_VIEW_MATRIX, "lane: i0", LL_AS_COLOUR,
         "   lane0\ni0 \033[30;48;5;115m    1\033[0m\n"
         "cells: 1 where a bit of the place, the column, reaches a bit of "
         "the element, the row\n"},
        {LL_VIEW_MATRIX, "lane: i0", LL_AS_SVG,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"66\" "
         "height=\"38\" font-family=\"monospace\" font-size=\"11\" "
         "text-anchor=\"middle\">\n<title>cells: 1 where a bit of the "
         "place, the column, reaches a bit of the element, the row</title>\n"
         "<rect width=\"100%\" height=\"100%\" "
         "fill=\"#ffffff\"/>\n<text x=\"43\" y=\"13\">lane0</text>\n"
         "<text x=\"11\" y=\"32\">i0</text>\n<rect x=\"22\" y=\"19\" "
         "width=\"43\" height=\"18\" fill=\"#96fcb2\"/><text x=\"43\" "
         "y=\"32\">1</text>\n</svg>\n"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_layout a = L(list[k].layout);
        const int kind = list[k].kind;
        const ll_view v = kind == LL_VIEW_MATRIX   ? ll_view_matrix(a)
                          : kind == LL_VIEW_TENSOR ? ll_view_tensor(a)
                                                   : ll_view_hardware(a);
        const unsigned n = ll_picture(v, list[k].form, text, sizeof text);
        CHECK(n == strlen(list[k].picture));
        CHECK(strcmp(text, list[k].picture) == 0);
    }
    /* two rows of banks: the second row of a phase is a conflict */
    ll_target two = LL_SM90;
    two.banks[LL_READ][0] = 2;
    const ll_view banks =
        ll_view_banks(L("register: | lane: j0 j1 0 0 0"), L("offset: j0 j1"),
                      32, 4, LL_READ, two);
    ll_picture(banks, LL_AS_TEXT, text, sizeof text);
    CHECK(strcmp(text, "             b0  b1\n"
                       "wavefront 0  0+  1+\n"
                       "wavefront 1 2+! 3+!\n"
                       "a read of 4 bytes a lane; cells: the lane that a "
                       "bank serves, + with others, ! after a conflict\n") == 0);
    CHECK(ll_legend(ll_view_banks(L("register: | lane: j0 j1 0 0 0"),
                                  L("offset: j0 j1"), 32, 4, LL_WRITE, two),
                    text, sizeof text));
    CHECK(strstr(text, "a write of 4 bytes a lane; cells: ") == text);
    ll_picture(banks, LL_AS_COLOUR, text, sizeof text);
    CHECK(strstr(text, " \033[1;97;48;5;160m2+!\033[0m "
                       "\033[1;97;48;5;160m3+!\033[0m\n"));
    ll_picture(banks, LL_AS_SVG, text, sizeof text);
    CHECK(strstr(text, "<text x=\"99\" y=\"13\">b0</text>\n"
                       "<text x=\"129\" y=\"13\">b1</text>\n"));
    CHECK(strstr(text, "<rect x=\"115\" y=\"38\" width=\"29\" height=\"18\" "
                       "fill=\"#ff5040\"/><text x=\"129\" y=\"51\" "
                       "font-weight=\"bold\">3+!</text>\n</svg>\n"));
    const ll_view more =
        ll_view_banks(L("register: | lane: j0 0 0 j1 0"), L("offset: j0 j1"),
                      32, 4, LL_READ, two);
    ll_picture(more, LL_AS_TEXT, text, sizeof text);
    CHECK(strcmp(text, "             b0  b1\n"
                       "wavefront 0  0+  1+\n"
                       "wavefront 1 8+! 9+!\n"
                       "a read of 4 bytes a lane; cells: the lane that a "
                       "bank serves, + with others, ! after a conflict\n") == 0);
    two.forms[LL_READ][LL_FORM_MATRIX] = 0;
    const ll_view ten =
        ll_view_banks(L("register: | lane: j0 j1 j2 j3 j4"),
                      L("offset: j0 j1 j2 j3 j4"), 32, 4, LL_READ, two);
    ll_picture(ten, LL_AS_TEXT, text, sizeof text);
    CHECK(strstr(text, "              b0  b1\n"
                       " wavefront 0   0   1\n"
                       " wavefront 1  2!  3!\n") == text);
    CHECK(strstr(text, "wavefront 15 30! 31!\n"));
    ll_layout point = L("register: i0 i1 | lane: j0");
    const ll_view bits = ll_view_matrix(point); /* heads beyond the last */
    CHECK(strcmp(ll_head_of(&bits, 1, 3).text, "i2") == 0);
    CHECK(strcmp(ll_head_of(&bits, 1, 4).text, "i3") == 0);
    point.in = point.out = ll_shape_of("");
    CHECK(ll_view_tensor(point).rows == 1u && ll_view_tensor(point).cols == 1u);
    CHECK(ll_view_hardware(point).rows == 1u);
    CHECK(ll_view_hardware(point).cols == 1u);
    CHECK(ll_view_tensor(L("offset: i0 i1 i2 i3 i4 i5")).rows == 2u);
    CHECK(ll_view_hardware(L("offset: i0 i1 i2 i3 i4 i5")).rows == 2u);
    CHECK(ll_view_hardware(L("lane: i0 i1 i2 i3 i4 i5 | register: j0")).rows ==
          4u);
    CHECK(ll_view_hardware(L("register: i0 i1 i2 i3 i4 i5 | lane: j0")).rows ==
          2u);
    const ll_layout line = L("offset: i0 i1 i2 i3 i4 i5 i6");
    const ll_view views[2] = {ll_view_tensor(line), ll_view_hardware(line)};
    for (unsigned k = 0; k < 2u; ++k) { /* 32 in a row */
        CHECK(views[k].rows == 4u && views[k].cols == 32u);
        CHECK(strcmp(ll_head_of(&views[k], 1, 3).text, "96") == 0);
        CHECK(strcmp(ll_head_of(&views[k], 0, 31).text, "+31") == 0);
        CHECK(strcmp(ll_cell_at(&views[k], 2, 5).text, "69") == 0);
        CHECK(ll_cell_at(&views[k], 4, 0).text[0] == 0);
        CHECK(ll_cell_at(&views[k], 0, 32).text[0] == 0);
        CHECK(ll_cell_at(&views[k], 4, 0).hue == LL_NO_HUE);
        CHECK(ll_cell_at(&views[k], 0, 32).element == LL_NO_ELEMENT);
    }
    ll_layout large = ll_zero(ll_shape_of("offset=1048576"),
                              ll_shape_of("i=1048576"));
    for (unsigned k = 0; k < 20u; ++k) {
        large.basis[k] = 1u << k;
    }
    CHECK(ll_view_tensor(large).err == LL_OK);
    CHECK(ll_view_hardware(large).err == LL_OK);
    large.in.bits[0] = large.out.bits[0] = 21;
    large.basis[20] = 1u << 20;
    CHECK(ll_view_tensor(large).err == LL_ETABLE);
    CHECK(ll_view_tensor(large).rows == 0 && ll_view_tensor(large).cols == 0);
    CHECK(ll_view_hardware(large).err == LL_ETABLE);
    CHECK(ll_view_hardware(large).rows == 0 &&
          ll_view_hardware(large).cols == 0);
    CHECK(LL_NO_ELEMENT + 1u == 0); /* the last number */
    CHECK(ll_view_tensor(L("lane: i0 -> 4")).err == LL_ENOTONTO);
    CHECK(ll_view_matrix(ll_layout_none_(LL_ESIZE)).rows == 0);
    CHECK(ll_view_matrix(ll_layout_none_(LL_ESIZE)).cols == 0);
}

/* A channel of colour along the circle of 1536 steps: full, falling, nothing
 * for two sixths, rising, full. */
static unsigned channel(unsigned at) {
    const unsigned part = at % 256u;
    static const unsigned start[6] = {255, 255, 0, 0, 0, 255};
    const unsigned sixth = at / 256u % 6u;
    return sixth == 1u   ? 255u - part
           : sixth == 4u ? part
                         : start[sixth];
}

static void hues_go_round_a_circle(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2 | warp: i3");
    const ll_view h = ll_view_hardware(a), t = ll_view_tensor(a);
    for (unsigned hue = 0; hue < 256u; ++hue) {
        const unsigned at = hue * 6u;
        unsigned rgb = 0;
        for (unsigned k = 0; k < 3u; ++k) { /* green is a third behind red */
            rgb = rgb << 8 | (150u + channel(at + 1536u - 512u * k) * 2u / 5u);
        }
        CHECK(ll_rgb_(hue) == rgb);
        char want[60];
        ll_cell cell = {"x", 0, 0, 0};
        ll_writer_ w = ll_writer_on_(text, sizeof text);
        cell.hue = hue; /* a cube of 6 x 6 x 6 colours */
        ll_write_cell_(&w, &cell, 1, 1);
        sprintf(want, "\033[30;48;5;%um" "x\033[0m",
                16u + (rgb >> 16) / 51u * 36u + (rgb >> 8) % 256u / 51u * 6u +
                    rgb % 256u / 51u);
        CHECK(strcmp(text, want) == 0);
    }
    for (unsigned i = 0; i < 16u; ++i) { /* rows, and lanes */
        CHECK(ll_cell_at(&h, i, 1).hue == i * 97u % 256u);
        CHECK(ll_cell_at(&t, i, 2).hue == i % 8u * 97u % 256u);
    }
    const ll_view two = ll_view_tensor(L("register: i0 i1 | lane: j0 j1"));
    for (unsigned k = 0; k < 16u; ++k) { /* two inputs: lanes */
        CHECK(ll_cell_at(&two, k / 4u, k % 4u).hue == k % 4u * 97u % 256u);
    }
    const ll_view line = ll_view_tensor(L("offset: i0 i1 i2 i3 i4"));
    const ll_view back = ll_view_hardware(L("offset: i0 i1 i2 i3 i4"));
    const ll_view m = ll_view_matrix(L("lane: k0 j0 i0"));
    for (unsigned k = 0; k < 32u; ++k) { /* eight places, eight elements */
        CHECK(ll_cell_at(&line, 0, k).hue == k / 8u * 97u % 256u);
        CHECK(ll_cell_at(&back, 0, k).hue == k / 8u * 97u % 256u);
    }
    for (unsigned k = 0; k < 9u; ++k) {
        CHECK(ll_cell_at(&m, k / 3u, k % 3u).hue ==
              (k / 3u == k % 3u ? (k / 3u + 1u) * 97u % 256u : LL_NO_HUE));
    }
}

/* What a bank serves in a wavefront, lane by lane: the words of a phase that it
 * has, one after the other, each with the first lane that asks for it. */
static void check_bank(const ll_view *v, unsigned row, unsigned bank) {
    const unsigned phase = row / v->ways, way = row % v->ways;
    const unsigned each = v->bytes < v->bank_bytes ? v->bytes : v->bank_bytes;
    unsigned seen[64], first[64], asks[64] = {0}, n = 0;
    for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
        const unsigned lane = ll_lane_in_phase_(v, phase, k);
        unsigned at = v->start;
        for (unsigned b = 0; b < 6u; ++b) {
            at ^= (lane & v->named) >> b & 1u ? v->lane[b] : 0u;
        }
        for (unsigned byte = 0; byte < v->bytes; byte += each) {
            const unsigned word = (at + byte) / v->bank_bytes;
            unsigned m = 0;
            while (m < n && seen[m] != word) {
                ++m;
            }
            if (word % v->banks == bank) {
                seen[m] = word;
                first[m] = asks[m] ? first[m] : lane;
                ++asks[m];
                n += m == n;
            }
        }
    }
    const ll_cell c = ll_cell_at(v, row, bank);
    char want[20] = "";
    if (way < n) {
        sprintf(want, "%u%s", first[way], asks[way] > 1u ? "+" : "");
    }
    CHECK(strcmp(c.text, want) == 0 && c.mark == (way < n && way > 0));
    CHECK(c.hue == (way < n ? first[way] * 97u % 256u : LL_NO_HUE));
    if (way < n) {
        const unsigned place = (seen[way] * v->bank_bytes) >> v->scale;
        CHECK(c.element ==
              value(&v->a, place & ll_ones_(ll_shape_bits_(&v->a.in))));
    } else {
        CHECK(c.element == LL_NO_ELEMENT);
    }
}

static void banks_serve_the_lanes_that_ask(void) {
    unsigned conflicts = 0, shared = 0;
    for (unsigned n = 0; n < times(400); ++n) {
        ll_target t = some_target();
        const unsigned bits = 8u << test_random(4), op = test_random(2);
        const random_pair c = random_conversion(ll_log2_(t.lanes), 8, 4, 1);
        const ll_layout m = ll_swizzle(c.b, c.b, bits, t);
        /* each lane has its own element of register 0, no matrices and no
         * over-reads */
        const int vectors =
            !c.blocks && n % 2u && (op == LL_WRITE || bits >= 32u);
        if (vectors) {
            memset(t.forms, 0, sizeof t.forms);
        }
        const unsigned bytes = bits / 8u << test_random(3);
        const ll_view v = ll_view_banks(c.a, m, bits, bytes, op, t);
        if (v.err) {
            continue;
        }
        CHECK(v.rows == v.phases * v.ways && v.cols == v.banks);
        CHECK(v.bytes == bytes && v.bank_bytes == 4u);
        CHECK(ll_is_equal(v.a, m) && 8u << v.scale == bits);
        CHECK(ll_lane_in_phase_(&v, 0, 0) == 0);
        for (unsigned lane = 0; lane < t.lanes && vectors; ++lane) {
            const unsigned x = packed(&c.a.in, 0, lane, t.lanes, 0);
            unsigned at = 0;
            while (at < 1u << ll_shape_bits_(&m.in) &&
                   value(&m, at) != value(&c.a, x)) {
                ++at;
            }
            CHECK(given_address(&v, lane) == (at * bits / 8u & ~(bytes - 1u)));
        }
        for (unsigned row = 0; row < v.rows; ++row) {
            for (unsigned bank = 0; bank < v.cols; ++bank) {
                check_bank(&v, row, bank);
                shared += strchr(ll_cell_at(&v, row, bank).text, '+') != NULL;
            }
        }
        conflicts += v.ways > 1u;
        CHECK(strncmp(ll_head_of(&v, 1, 0).text, "wavefront 0", 12) == 0);
        CHECK(strcmp(ll_head_of(&v, 0, 3).text, "b3") == 0);
    }
    COVERS(conflicts > 20u && shared > 100u);
    const ll_layout a = L("register: j0 | lane: j1 j2 i0 i1 i2");
    const ll_layout m = L("offset: j0 j1 j2 i0 i1 i2");
    CHECK(ll_view_banks(a, m, 32, 64, LL_READ, LL_SM90).err != LL_OK);
    CHECK(ll_view_banks(a, m, 32, 64, LL_READ, LL_SM90).rows == 0);
    /* ldmatrix with two banks for words: lane r names row r, of four banks */
    ll_target t = LL_SM90;
    t.banks[LL_READ][0] = 2;
    const ll_view rows = ll_view_banks(L("register: | lane: j0 j1 j2 j3 j4"),
                                       L("offset: j0 j1 j2 j3 j4"), 32, 4,
                                       LL_READ, t);
    CHECK(rows.rows == 1u && rows.cols == 32u && rows.named == 7u);
    const ll_view later = ll_view_banks(
        L("register: | lane: j0 j1 j2 j3 j4 | 1: j3"),
        L("offset: j0 j1 j2 j3 j4"), 32, 4, LL_READ, LL_SM90);
    CHECK(strcmp(ll_cell_at(&later, 0, 8).text, "0") == 0);
    CHECK(strcmp(ll_cell_at(&later, 0, 0).text, "8") == 0);
    for (unsigned bank = 0; bank < rows.cols; ++bank) {
        const ll_cell cell = ll_cell_at(&rows, 0, bank);
        CHECK(cell.text[0] == (char)('0' + bank / 4u) && cell.text[1] == 0);
        CHECK(cell.element == bank);
    }
}

/* Halves of words are permuted before words are stored. */
static void frames_of_memory_begin_with_a_permute(void) {
    const ll_layout a = L("register: j0 i3 | lane: i4 i5 i1 i2 i0");
    const ll_layout b = L("register: i4 0 j0 0 | lane: i0 i2 i3 i1 i5");
    const ll_plan p = ll_plan_by(a, b, 16, LL_SM90, LL_SHARED);
    unsigned at = 0;
    CHECK(p.step[0].count != 0 && ll_frame_step_(&p, 1, &at) == 0);
    const ll_view v = ll_view_frame(p, a, b, LL_SM90, 1);
    check_lanes(&v, &a);
}

static void words_of_frames(const ll_plan *p, const char *const *want) {
    for (unsigned f = 0; f <= ll_frames(*p); ++f) {
        ll_frame_words(*p, f, text, sizeof text);
        CHECK(strcmp(text, f < ll_frames(*p)
                               ? want[f]
                               : "there is no plan: a dimension that is asked "
                                 "for is not in the layout\n") == 0);
    }
}

static void frames_say_what_happens(void) {
    static const char *const through[] = {
        "before: data goes through shared memory, 512 bytes, about 9 cycles a "
        "warp\n",
        "store 1 of 1: each lane stores 4 elements to shared memory by 1 "
        "access of 16 bytes, 4 wavefronts: no bank conflicts\n",
        "the lanes of each warp wait for each other\n",
        "load 1 of 4: each lane loads 4 elements from shared memory by 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "load 2 of 4: each lane loads 4 elements from shared memory by 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "load 3 of 4: each lane loads 4 elements from shared memory by 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "load 4 of 4: each lane loads 4 elements from shared memory by 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "after: data goes through shared memory, 512 bytes, about 9 cycles a "
        "warp\n"};
    static const char *const within[] = {
        "before: data stays in its warp, about 4 cycles a warp\n",
        "each lane chooses among its words by 2 selects\n",
        "lanes exchange words by 1 shuffle\n",
        "each lane chooses among its words by 2 selects\n",
        "after: data stays in its warp, about 4 cycles a warp\n"};
    static const char *const none[] = {"before: nothing moves\n",
                                       "after: nothing moves\n"};
    const ll_layout a = L("register: j0 j1 | lane: j2 j3 i0 i1 i2");
    const ll_layout b = L("register: i0 i1 | lane: i2 j0 j1 j2 j3");
    ll_plan p = ll_plan_by(a, b, 32, LL_SM90, LL_SHARED);
    CHECK(ll_frames(p) == 8u);
    words_of_frames(&p, through);
    const ll_view views[3] = {ll_view_hardware(ll_hardware_(a)),
                              ll_view_hardware(p.memory),
                              ll_view_hardware(ll_hardware_(b))};
    static const unsigned frame[3] = {0, 2, 7};
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_view v = ll_view_frame(p, a, b, LL_SM90, frame[k]);
        CHECK(v.kind == LL_VIEW_HARDWARE && same_cells(&v, &views[k]));
    }
    CHECK(ll_view_frame(p, a, b, LL_SM90, 1).rows == 4u);
    CHECK(ll_view_frame(p, a, b, LL_SM90, 6).rows == 1u);
    CHECK(ll_view_frame(p, a, b, LL_SM90, 8).err == LL_EMISSING);
    const ll_layout from = L("register: j0 | lane: j1 i0 i1 i2 i3");
    const ll_layout to = L("register: j1 | lane: j0 i0 i1 i2 i3");
    p = ll_plan_by(from, to, 32, LL_SM90, LL_SHUFFLES);
    CHECK(ll_frames(p) == 5u);
    words_of_frames(&p, within);
    const ll_view v = ll_view_frame(p, from, to, LL_SM90, 3);
    const ll_view end = ll_view_hardware(ll_hardware_(to));
    CHECK(v.kind == LL_VIEW_AFTER && same_cells(&v, &end));
    p = ll_plan_of(from, from, 32, LL_SM90);
    CHECK(ll_frames(p) == 2u);
    words_of_frames(&p, none);
    const ll_layout turned = L("register: j1 j0 | lane: j2 j3 i0 i1 i2");
    p = ll_plan_of(a, turned, 32, LL_SM90); /* other names of registers */
    CHECK(ll_frames(p) == 3u && p.n == 1u && p.step[0].count == 0);
    const ll_view one = ll_view_frame(p, a, turned, LL_SM90, 1);
    const ll_view last = ll_view_hardware(ll_hardware_(turned));
    CHECK(one.kind == LL_VIEW_AFTER && same_cells(&one, &last));
    p = ll_plan_of(ll_layout_none_(LL_ESIZE), from, 32, LL_SM90);
    CHECK(ll_frames(p) == 0);
    CHECK(ll_view_frame(p, from, from, LL_SM90, 0).err == LL_ESIZE);
    ll_frame_words(p, 0, text, sizeof text);
    CHECK(strncmp(text, "there is no plan: ", 18) == 0 &&
          strstr(text, ll_strerror(LL_ESIZE)));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(offsets_are_those_of_the_definition);
    RUN(compositions_apply_the_last_term_first);
    RUN(wrong_texts_of_cute_have_a_place_and_a_reason);
    RUN(names_and_comments_are_read_in_any_order);
    RUN(tensors_may_have_nine_axes);
    RUN(wrong_attributes_have_a_place_and_a_reason);
    RUN(faults_of_syntax_are_found_where_they_are);
    RUN(numbers_may_have_types);
    RUN(faults_of_attributes_are_named);
    RUN(no_key_may_be_left_out);
    RUN(recipes_are_carried_out);
    RUN(faults_of_cute_are_found_where_they_are);
    RUN(cute_has_compact_layouts_and_pointers);
    RUN(atoms_of_hopper_are_those_of_cutlass);
    RUN(swizzles_of_pointers_move_bytes);
    RUN(pads_are_counted_address_by_address);
    RUN(wavefronts_of_pads_are_numbered_through_the_phases);
    RUN(pads_of_textbooks_have_their_wavefronts);
    RUN(pads_are_empty_places);
    RUN(pads_have_limits);
    RUN(cells_have_the_elements_and_places_of_the_layout);
    RUN(frames_have_the_wavefronts_of_the_plan);
    RUN(matrices_are_served_row_by_row);
    RUN(frames_of_known_plans_serve_what_lanes_hold);
    RUN(exchanges_end_with_the_elements_of_the_destination);
    RUN(every_form_has_every_cell);
    RUN(small_pictures_are_known);
    RUN(hues_go_round_a_circle);
    RUN(banks_serve_the_lanes_that_ask);
    RUN(frames_of_memory_begin_with_a_permute);
    RUN(frames_say_what_happens);
    return test_end();
}
