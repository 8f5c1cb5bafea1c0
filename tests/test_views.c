/* test_views.c - readers of other notations, and pictures.
 * SPDX-License-Identifier: MIT
 *
 * Random texts of CuTe are evaluated by division and remainder, coordinate by
 * coordinate. The recorded attributes of Triton are in tests/data.
 */
#define LL_VIEWS 1
#include "../ll.h"
#include "test.h"

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

/* ---- Triton --------------------------------------------------------------- */

#define BLOCKED                                                          \
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "    \
    "warpsPerCTA = [2, 1], order = [1, 0]}>"

static const unsigned shape[2] = {16, 16};

static void names_and_comments_are_read_in_any_order(void) {
    static const char *const texts[] = {
        BLOCKED,
        "#a = " BLOCKED "\n#a",
        "// a comment, with #b\n#b = #a #a=" BLOCKED "\n\t#b // the end",
        "#ttg.blocked<{order=[1,0],warpsPerCTA=[2,1],threadsPerWarp=[8,4],"
        "sizePerThread=[1,2]}>",
    };
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; ++k) {
        const ll_foreign f = ll_from_triton(texts[k], 2, shape);
        CHECK(ll_is_equal(f.layout,
                          ll_parse("register: j0 j3 | lane: j1 j2 i0 i1 i2 | "
                                   "warp: i3")));
    }
}

static void more_than_eight_axes_are_taken_together(void) {
    const unsigned sizes[9] = {2, 2, 1, 1, 1, 1, 1, 1, 2};
    const ll_foreign f = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [1,1,1,1,1,1,1,1,2], threadsPerWarp = "
        "[2,1,1,1,1,1,1,1,1], warpsPerCTA = [1,2,1,1,1,1,1,1,1], order = "
        "[8,7,6,5,4,3,2,1,0]}>", 9, sizes);
    CHECK(ll_size(f.layout.out, LL_I) == 4u && f.layout.out.n == 8u);
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
        {BLOCKED " #x", 103, "goes on"},
        {"#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>", 0, "power of two"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 1]}>", 94, "each axis once"},
        {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>", 31, "each axis"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], ordre = [1, 0]}>", 6, "lacks"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0], more = 1}>", 102,
         "no such key"},
        {"#ttg.slice<{dim = 3, parent = " BLOCKED "}>", 19, "no room"},
        {"#ttg.dot_op<{opIdx = 0, parent = " BLOCKED ", kWidth = 2}>", 6,
         "kWidth"},
        {"#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = x, order = "
         "[1, 0]}>", 57, "number"},
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
    const unsigned odd[2] = {16, 12};
    const ll_foreign f = ll_from_triton(BLOCKED, 2, odd);
    CHECK(f.layout.err == LL_ESIZE && f.layout.at == 12u && !f.why);
    CHECK(ll_from_triton(BLOCKED, 0, odd).layout.err == LL_EDIMS);
    CHECK(ll_from_triton(BLOCKED, 17, odd).layout.err != LL_OK);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(offsets_are_those_of_the_definition);
    RUN(compositions_apply_the_last_term_first);
    RUN(wrong_texts_of_cute_have_a_place_and_a_reason);
    RUN(names_and_comments_are_read_in_any_order);
    RUN(more_than_eight_axes_are_taken_together);
    RUN(wrong_attributes_have_a_place_and_a_reason);
    return test_end();
}
