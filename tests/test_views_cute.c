/* test_views_cute.c - the reader of CuTe's notation.
 * SPDX-License-Identifier: MIT
 *
 * Random texts are evaluated by division and remainder, coordinate by
 * coordinate; wrong ones have a place and a reason.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "test.h"
#include "views_marked.h"

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

static void wrong_texts_of_cute_have_a_place_and_a_reason(void) {
    static const wrong list[] = {
        {"", 1, "number"},
        {"(2,3):(1,2)", 4, "power of two"},
        {"(4,4):(1,2)", 4, "same offset"},
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
        {"(4,~4):(1,2)", "two elements have the same offset", 0},
        {"~4:3", "padded rows are a layout of memory", 0},
        {"(4,4)~x", "the end of the layout", 0},
        {"(4,4):(1,4)~)", "the end of the layout", 0},
        {"~(4,4", "this bracket is not closed", 0},
        {"(4,4):~(1,4", "this bracket is not closed", 0},
        {"Swizzle<1,2,3> o ptr[~(16b] o (4,4):(1,4)",
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
        {"0~x7f) o (4,4):(1,4)", "o was expected", 0},
        {"16 ~16 o (4,4):(1,4)", "o was expected", 0},
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
        {"p(0) o ~)", "a shape was expected", 0},
        {"S<1,2,3> o ~, 8", "a shape was expected", 0},
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

/* Rows with pads are memory: each element lies at the sum of its coordinates
 * times their strides, whatever the strides are. */
static void padded_rows_are_read_as_memory(void) {
    unsigned read = 0;
    for (unsigned n = 0; n < 20000u; ++n) {
        const unsigned inner = test_random(4), outer = test_random(4);
        const unsigned far = test_random(3);
        const unsigned stride[3] = {1u + test_random(3), test_random(40),
                                    test_random(200)};
        char strides[100];
        (void)snprintf(strides, sizeof strides, "(%u,%u,%u):(%u,%u,%u)",
                       1u << far, 1u << outer, 1u << inner, stride[2],
                       stride[1], stride[0]);
        const ll_foreign f = ll_memory_from_cute(strides);
        const ll_layout at = ll_rinv(f.layout);
        CHECK(!f.layout.err == !f.why);
        for (unsigned x = 0; !f.layout.err && x < 1u << (inner + outer + far);
             ++x) {
            const unsigned k = x & ((1u << inner) - 1u);
            const unsigned j = x >> inner & ((1u << outer) - 1u);
            const unsigned i = x >> (inner + outer);
            CHECK(ll_padded(f, ll_apply(at, x)) ==
                  k * stride[0] + j * stride[1] + i * stride[2]);
        }
        read += !f.layout.err && f.pads ? 1u : 0u;
    }
    CHECK(read > 500u);
    CHECK(ll_memory_from_cute("Swizzle<2,0,3> o (32,32):(33,1)").layout.err);
    CHECK(ll_memory_from_cute("(32,32):(33,1)").bits == 0);
    CHECK(ll_memory_from_cute("smem_ptr[16b](0x0) o (8,8):(9,1)").bits == 16);
    CHECK(ll_memory_from_cute("smem_ptr[16b](0x0) o (8,8):(8,1)").bits == 16);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(offsets_are_those_of_the_definition);
    RUN(compositions_apply_the_last_term_first);
    RUN(wrong_texts_of_cute_have_a_place_and_a_reason);
    RUN(faults_of_cute_are_found_where_they_are);
    RUN(cute_has_compact_layouts_and_pointers);
    RUN(atoms_of_hopper_are_those_of_cutlass);
    RUN(swizzles_of_pointers_move_bytes);
    RUN(padded_rows_are_read_as_memory);
    return test_end();
}
