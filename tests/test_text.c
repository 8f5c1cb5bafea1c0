/* test_text.c - reading and printing.
 * SPDX-License-Identifier: MIT
 *
 * What is printed is read back as the same layout; what is malformed gives the
 * right code at the right character; no buffer is too small.
 */
#include "test.h"
#include "text.h"

#include "../ll.h"

/* ---- Round trips --------------------------------------------------------- */

static void check_round_trip(ll_layout a) {
    char text[ROOM];
    unsigned n = ll_str(a, text, sizeof text);
    const ll_layout b = ll_parse(text);
    CHECK(n == strlen(text) && n + 1u < ROOM);
    CHECK(ll_is_equal(a, b) && b.at == 0);
    if (!ll_is_equal(a, b) && test.here < 5u) {
        printf("  %.70s\n", text);
    }
}

static const char *const shapes_of_3[10] = {
    "j=8",         "i=8",         "j=2 i=4",     "i=2 j=4",
    "i=4 j=2",     "j=1 i=8",     "j=8 i=1",     "lane=2 warp=4",
    "dim0=2 b2=4", "warp=2 lane=2 x_=2"};

static void small_layouts_survive_printing(void) {
    for (unsigned code = 0; code < 512u * 100u; ++code) {
        const ll_shape in = ll_shape_of(shapes_of_3[code / 512u % 10u]);
        const ll_shape out = ll_shape_of(shapes_of_3[code / 5120u]);
        ll_layout a = ll_zero(in, out);
        for (unsigned k = 0; k < 3u; ++k) {
            a.basis[k] = code >> (3u * k) & 7u;
        }
        a.offset = code % 3u ? 0u : code / 3u % 8u;
        check_round_trip(a);
    }
}

/* A name of up to ten characters. */
static ll_dim random_name(void) {
    static const char any[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    char name[LL_MAX_NAME + 1u] = LL_ZERO;
    unsigned n = 1u + test_random(LL_MAX_NAME);
    for (unsigned k = 0; k < n; ++k) {
        name[k] = any[test_random(k ? 63 : 53)];
    }
    CHECK(ll_dim_of(name) != 0);
    return ll_dim_of(name);
}

static ll_shape random_shape(unsigned bits) {
    ll_shape s = ll_shape_of("");
    unsigned n = test_random(LL_MAX_DIMS + 1u);
    n = bits && n == 0 ? 1u : n;
    while (s.n < n) {
        s = ll_with(s, random_name(), 1);
        s.err = LL_OK; /* a name may come twice */
    }
    for (unsigned k = 0; k < bits; ++k) {
        ++s.bits[test_random(n)];
    }
    return s;
}

static void large_layouts_survive_printing(void) {
    for (unsigned k = 0; k < times(20000u); ++k) {
        unsigned cols = test_random(LL_MAX_BITS + 1u);
        unsigned rows = test_random(LL_MAX_BITS + 1u);
        unsigned mask = rows < 32u ? (1u << rows) - 1u : ~0u;
        ll_layout a = ll_zero(random_shape(cols), random_shape(rows));
        unsigned kind = test_random(4);
        for (unsigned c = 0; c < cols; ++c) {
            unsigned one = rows ? 1u << test_random(rows) : 0u;
            a.basis[c] = kind == 0 ? 0u : kind == 1u ? one : test_random(0);
            a.basis[c] &= mask;
        }
        a.offset = test_random(2) ? test_random(0) & mask : 0u;
        check_round_trip(a);
    }
}

/* Texts as ll_str writes them: no tail that says nothing new. */
static void printing_is_short_and_usual(void) {
    static const char *const usual[] = {
        "", "lane:", "lane: i0 | 1: j0", "1: i0",
        "register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3",
        "lane: j3^i0 0 j0 -> 4x16", "lane: dim1.0^dim0.3", "i: lane0 warp2",
        "lane: i0 -> i=2 | j=2", "lane: i0 -> j=4 | i=2",
        "x: register0 lane0 warp0 block0 k0 j0 i0 -> 2x2x4x2x2x2x2",
        "lane: a20 b9"};
    for (unsigned k = 0; k < sizeof usual / sizeof usual[0]; ++k) {
        char text[ROOM];
        ll_str(ll_parse(usual[k]), text, sizeof text);
        CHECK(strcmp(text, usual[k]) == 0);
    }
    const ll_layout a =
        ll_parse("x: i0 j0 k0 block0 warp0 lane0 register0");
    CHECK(a.out.dim[0] == LL_REGISTER && a.out.dim[1] == LL_LANE);
    CHECK(a.out.dim[2] == LL_WARP && a.out.dim[3] == LL_BLOCK);
    CHECK(a.out.dim[4] == LL_K && a.out.dim[6] == LL_I);
    ll_layout b = ll_parse("lane: i0 -> j=1 | i=2");
    char text[ROOM];
    ll_str(b, text, sizeof text);
    CHECK(strcmp(text, "lane: i0 -> j=1 | i=2") == 0);
}

/* A shape with two unlike sizes, in every place that reads or returns a list of
 * names: i is the fastest dimension, whoever lists it. */
static void lists_of_names_stand_fastest_first(void) {
    const ll_shape s = ll_shape_of("i=4 j=2");
    const ll_layout a = ll_parse("lane: i0 i1 j0 -> i=4 | j=2");
    const ll_layout b = ll_parse("lane: i0 i1 j0");
    char text[ROOM];
    CHECK(s.dim[0] == LL_I && s.bits[0] == 2u);
    CHECK(a.out.dim[0] == LL_I && a.out.bits[0] == 2u);
    CHECK(a.out.dim[1] == LL_J && a.out.bits[1] == 1u);
    CHECK(ll_shape_same_(&a.out, &s));
    CHECK(a.basis[0] == 1u && a.basis[1] == 2u && a.basis[2] == 4u);
    CHECK(b.out.dim[0] == LL_J && b.basis[0] == 2u && b.basis[2] == 1u);
    CHECK(ll_is_equal(ll_order_out(b, "i j"), a));
    CHECK(ll_is_equal(ll_order_out(a, "j i"), b));
    ll_str(a, text, sizeof text);
    CHECK(strcmp(text, "lane: i0 i1 j0 -> i=4 | j=2") == 0);
    CHECK(ll_parse("a: i0 | b: j0").in.dim[0] == ll_dim_of("a"));
    CHECK(ll_is_equal(ll_tiled(ll_parse("lane: i0"), s, ll_shape_of("")),
                      ll_parse("lane: i0 | register: i1 j0 -> i=4 | j=2")));
}

/* A list with one item for each axis stands in the order i, j, k. */
static void lists_of_axes_stand_by_their_letters(void) {
    const unsigned sizes[3] = {2, 4, 8};
    const ll_shape s = ll_shape_of("k=8 j=4 i=2");
    const ll_shape t = ll_tensor(3, sizes);
    const ll_layout a = ll_parse("lane: k0 0 -> 2x4x8");
    CHECK(ll_shape_same_(&t, &s) && ll_size(a.out, LL_J) == 1u);
    CHECK(ll_is_equal(ll_trans(ll_parse("lane: i0 j0 j1 k0 k1 k2"), "k i j"),
                      ll_parse("lane: j0 k0 k1 i0 i1 i2")));
}

static void blanks_and_orders_do_not_matter(void) {
    const ll_layout a = ll_parse("register: j0 i0 | lane: j1^i1 0 | 1: i0");
    CHECK(ll_is_equal(a, ll_parse(" register:j0\ti0|lane:  i1^j1 0\n|1:i0 ")));
    CHECK(ll_is_equal(a, ll_parse("register: j0 i0 | lane: j1^i1 0 | 1: i0"
                                  " -> 4x4")));
    CHECK(ll_is_equal(a, ll_parse("register: j0 i0 | lane: j1^i1 0 | 1: i0"
                                  " -> j=4 | i=4")));
    CHECK(!ll_is_equal(a, ll_parse("register: j0 i0 | lane: j1^i1 0 | 1: i0"
                                   " -> i=4 | j=4")));
    CHECK(ll_is_equal(ll_parse("lane: i0 j0"),
                      ll_parse("lane: i.0 j.0 -> 2x2")));
    CHECK(ll_is_equal(ll_parse("lane: j0 j0^j0"), ll_parse("lane: j0 0")));
    CHECK(ll_parse("").err == LL_OK && ll_parse("").in.n == 0);
    CHECK(ll_parse("lane:").err == LL_OK && ll_parse("lane:").in.n == 1u);
    CHECK(ll_parse("lane: 0 -> 1x").err == LL_ETEXT);
}

/* ---- Malformed text ------------------------------------------------------ */

typedef struct bad_text {
    const char *text;
    int err;
    unsigned at;
} bad_text;

static const bad_text bad_texts[] = {
    {"?", LL_ETEXT, 1},
    {"lane", LL_ETEXT, 1},
    {"lane i0", LL_ETEXT, 1},
    {"lane: ?", LL_ETEXT, 7},
    {"lane: i", LL_ETEXT, 7},
    {"lane: i0 j", LL_ETEXT, 10},
    {"lane: i0 ?", LL_ETEXT, 10},
    {"lane: i0,i1", LL_ETEXT, 9},
    {"lane: i0^", LL_ETEXT, 10},
    {"lane: i0^^i1", LL_ETEXT, 10},
    {"lane: ^i0", LL_ETEXT, 7},
    {"lane: i.", LL_ETEXT, 7},
    {"lane: i.x", LL_ETEXT, 7},
    {"lane: i0 |", LL_ETEXT, 11},
    {"lane: i0 | ", LL_ETEXT, 12},
    {"lane: i0 || warp: i1", LL_ETEXT, 11},
    {"| lane: i0", LL_ETEXT, 1},
    {"lane: i0 warp: i1", LL_ETEXT, 10},
    {"lane: i0 : i1", LL_ETEXT, 10},
    {": i0", LL_ETEXT, 1},
    {"lane: i0 -", LL_ETEXT, 10},
    {"lane: i0 - > 2", LL_ETEXT, 10},
    {"lane: i0 -> 2 2", LL_ETEXT, 15},
    {"lane: i0 -> 2x2", LL_ETEXT, 14},
    {"lane: i0 j0 -> 2", LL_ETEXT, 17},
    {"lane: i0 j0 -> 2x", LL_ESIZE, 18},
    {"lane: i0 j0 -> x2", LL_ETEXT, 16},
    {"lane: i0 -> i", LL_ETEXT, 13},
    {"lane: i0 -> i=2 ?", LL_ETEXT, 17},
    {"lane: i0 -> i=2 4", LL_ETAIL, 17},
    {"lane: i0 -> i=2 j=2", LL_ETAIL, 17},
    {"lane: i0 -> i=2 |", LL_ETEXT, 18},
    {"lane: i0 -> i=2 | 4", LL_ENAME, 19},
    {"lane: i0 -> i=2 | 2x2", LL_ENAME, 19},
    {"lane: i0 -> | i=2", LL_ERANGE, 13},
    {"lane: i0 -> i=2 || j=2", LL_ETEXT, 18},
    {"lane: i0 -> 2 |", LL_ETEXT, 15},
    {"lane: i0 | 1: i0 i0", LL_ETEXT, 18},
    {"lane: 1", LL_ENAME, 7},
    {"lane: 12", LL_ENAME, 7},
    {"lane: 00", LL_ENAME, 7},
    {"2: i0", LL_ENAME, 1},
    {"lane: i0 | 9x: i1", LL_ENAME, 12},
    {"abcdefghijk: i0", LL_ENAME, 1},
    {"lane: abcdefghijk0", LL_ENAME, 7},
    {"lane: abcdefghijk.0", LL_ENAME, 7},
    {"lane: i0 -> abcdefghijk=2", LL_ENAME, 13},
    {"lane: i0 | lane: i1", LL_ETWICE, 12},
    {"lane: i0 -> i=2 | i=2", LL_ETWICE, 19},
    {"a: | b: | c: | d: | e: | f: | g: | h: | A: | B: | C: | D: | E: | F: | G: "
     "| H: | k: i0",
     LL_EDIMS, 81},
    {"lane: a0 b0 c0 d0 e0 f0 g0 h0 A0 B0 C0 D0 E0 F0 G0 H0 k0", LL_EDIMS, 55},
    {"lane: i0 -> i=2 | a=1 | b=1 | c=1 | d=1 | e=1 | f=1 | g=1 | h=1 | A=1 | "
     "B=1 | C=1 | D=1 | E=1 | F=1 | G=1 | H=1",
     LL_EDIMS, 109},
    {"lane: i32", LL_EBITS, 7},
    {"lane: i4294967296", LL_EBITS, 7},
    {"lane: i99999999999999999999999", LL_EBITS, 7},
    {"lane: i20 j20", LL_EBITS, 11},
    {"lane: i0 -> i=65536 | j=131072", LL_EBITS, 23},
    {"lane: i0 -> 3", LL_ESIZE, 13},
    {"lane: i0 -> 0", LL_ESIZE, 13},
    {"lane: i0 -> i=3", LL_ESIZE, 13},
    {"lane: i0 -> i=", LL_ESIZE, 13},
    {"lane: i0 -> i=8589934592", LL_EBITS, 13},
    {"lane: i0 -> i=99999999999999999999999999", LL_ESIZE, 13},
    {"lane: i18446744073709551616", LL_EBITS, 7},
    {"lane: i0 -> i=18446744073709551618", LL_ESIZE, 13},
    {"lane: i1 -> 2", LL_ERANGE, 13},
    {"lane: i0 j1 -> 2x2", LL_ERANGE, 16},
    {"lane: i0 -> j=2", LL_ERANGE, 13},
    {"lane: i0 | 1: i1 -> 2", LL_ERANGE, 21},
    {"lane: i0 | 1: i0 | 1: i0", LL_ETEXT, 18},
    {"lane: dim0.3dim0.4", LL_ETEXT, 13},
    {"lane: i.0j", LL_ETEXT, 10},
    {"1: i.0j.0", LL_ETEXT, 7},
    {"lane: i0 | 1:", LL_ETEXT, 14},
    {"1: ", LL_ETEXT, 4},
    {"lane: i0 | 1: -> 2", LL_ETEXT, 15},
    {"1: i0 | lane: i0", LL_ETEXT, 7},
    {"lane: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
     LL_EBITS, 71}};

static void malformed_text_is_refused_where_it_is(void) {
    for (unsigned k = 0; k < sizeof bad_texts / sizeof bad_texts[0]; ++k) {
        const ll_layout a = ll_parse(bad_texts[k].text);
        CHECK(a.err == (unsigned)bad_texts[k].err);
        CHECK(a.at == bad_texts[k].at);
        if (a.err != (unsigned)bad_texts[k].err || a.at != bad_texts[k].at) {
            printf("  \"%s\": %u at %u, expected %d at %u\n",
                   bad_texts[k].text, a.err, a.at, bad_texts[k].err,
                   bad_texts[k].at);
        }
    }
}

/* A tail of sizes for more or fewer axes than the text has says both numbers,
 * and how to name an axis that no column has. */
static void tails_for_other_axes_are_explained(void) {
    static const struct {
        const char *text, *words;
    } list[] = {
        {"register: | lane: i0 i1 i2 i3 i4 -> 32x8",
         ": 2 sizes after ->, but 1 axis in the columns: "},
        {"lane: i0 j0 -> 2", ": 1 size after ->, but 2 axes in the columns: "},
        {"lane: i0 j0 k0 -> 2x2", ": 2 sizes after ->, but 3 axes in "},
        {"lane: i0 j0 -> 2x2x4x8", ": 4 sizes after ->, but 2 axes in "},
        {"lane: 0 -> 1x1", ": 2 sizes after ->, but 0 axes in the columns: "},
        {"lane: i0 j0 -> 2 2", ": 1 size after ->, but 2 axes in "},
        {"lane: i0 -> 2 ?", ": the text is not a layout: "},
        {"lane: i0 ?", ": the text is not a layout: "},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        char said[300];
        ll_error("A", ll_parse(list[k].text), said, sizeof said);
        CHECK(strstr(said, list[k].words) != NULL);
        CHECK((strstr(said, "as in -> j=8 | i=32 (at character ") != NULL) ==
              (k < 6u));
    }
}

/* A text cut anywhere, or with a character changed, is read or refused within
 * its characters; what is read prints as what it is. */
static void damaged_text_does_no_harm(void) {
    static const char whole[] =
        "register: j0 dim0.3^i2 | lane: 0 j1 | 1: i0^j0 -> j=4 | dim0=16 | i=8";
    static const char other[] = " 0123456789abij^|:.->=x_?\n";
    for (unsigned k = 0; k < times(100000u); ++k) {
        char text[sizeof whole];
        memcpy(text, whole, sizeof whole);
        text[test_random(sizeof whole)] = 0;
        for (unsigned n = test_random(3); n-- > 0;) {
            unsigned at = test_random((unsigned)strlen(text) + 1u);
            text[at] = text[at] ? other[test_random(sizeof other - 1u)] : '\0';
        }
        const ll_layout a = ll_parse(text);
        CHECK(a.at <= strlen(text) + 1 && (a.at != 0) == (a.err != 0));
        CHECK(a.err < LL_N_ERRORS_);
        if (!a.err) {
            CHECK(!ll_check(a).err);
            check_round_trip(a);
        }
    }
}

static void names_and_shapes_are_read_or_refused(void) {
    const unsigned sizes[3] = {4, 3, 2};
    CHECK(ll_dim_of("register") == LL_REGISTER && ll_dim_of("i") == LL_I);
    CHECK(ll_dim_of("warp") == LL_WARP && ll_dim_of("block") == LL_BLOCK);
    CHECK(ll_dim_of("offset") == LL_OFFSET && ll_dim_of("basis") == LL_BASIS);
    CHECK(ll_dim_of("") == 0 && ll_dim_of("a b") == 0 && ll_dim_of("1a") == 0);
    CHECK(ll_dim_of("abcdefghij") != 0 && ll_dim_of("abcdefghijk") == 0);
    CHECK(ll_dim_of("a") != ll_dim_of("A") && ll_dim_of("_") != 0);
    CHECK(ll_axis(2) == LL_K && ll_axis(16) == 0);
    CHECK(ll_shape_of("i=4 j").n == 2u && ll_shape_of("").n == 0);
    CHECK(ll_shape_of(" \n\ti=4  j ").n == 2u && ll_shape_of("  ").n == 0);
    CHECK(ll_shape_of("?").err == LL_ETEXT);
    CHECK(ll_shape_of("i=4,j=2").err == LL_ETEXT);
    CHECK(ll_shape_of("i=").err == LL_ESIZE);
    CHECK(ll_shape_of("i=0").err == LL_ESIZE);
    CHECK(ll_shape_of("i=6").err == LL_ESIZE);
    CHECK(ll_shape_of("1i").err == LL_ENAME);
    CHECK(ll_shape_of("abcdefghijk").err == LL_ENAME);
    CHECK(ll_shape_of("i i").err == LL_ETWICE);
    CHECK(ll_shape_of("a b c d e f g h i j k l m n o p q").err == LL_EDIMS);
    CHECK(ll_shape_of("i=65536 j=131072").err == LL_EBITS);
    CHECK(ll_with(ll_shape_of("i"), 0, 2).err == LL_ENAME);
    CHECK(ll_with(ll_shape_of("i"), LL_J, 3).err == LL_ESIZE);
    CHECK(ll_with(ll_shape_of("i"), LL_I, 2).err == LL_ETWICE);
    CHECK(ll_with(ll_shape_of("i=3"), LL_J, 2).err == LL_ESIZE);
    CHECK(ll_tensor(3, sizes).err == LL_ESIZE);
    CHECK(ll_tensor(1, sizes).bits[0] == 2u);
    CHECK(ll_unpack(ll_shape_of("i=4"), LL_J, 3) == 0);
    CHECK(ll_pack(ll_shape_of("i=4"), LL_J, 3) == 0);
    CHECK(ll_pack(ll_shape_of("i=4 j=4"), LL_J, 7) == 12u);
    CHECK(ll_size(ll_shape_of("i=4"), LL_J) == 1u);
    ll_shape shorter = ll_shape_of("i=4 j=8");
    shorter.n = 1; /* entries after the last dimension are ignored */
    CHECK(ll_size(shorter, LL_J) == 1u && ll_size(shorter, LL_K) == 1u);
}

/* 32 bits a side are allowed everywhere, 33 nowhere. */
static void sides_hold_32_bits_at_most(void) {
    const unsigned sizes[3] = {1u << 11, 1u << 11, 1u << 11};
    const unsigned fit[3] = {1u << 11, 1u << 11, 1u << 10};
    const ll_layout half = ll_identity(1u << 16, LL_LANE, LL_I);
    const ll_layout other = ll_identity(1u << 16, LL_WARP, LL_J);
    const ll_layout more = ll_identity(1u << 17, LL_WARP, LL_J);
    ll_layout a = ll_parse("lane: i15 j15");
    CHECK(!a.err && a.out.bits[0] + a.out.bits[1] == 32u);
    CHECK(ll_parse("lane: i15 j16").err == LL_EBITS);
    CHECK(ll_parse("lane: i0 -> j=65536 | i=65536").err == LL_OK);
    CHECK(ll_parse("lane: i31").err == LL_OK);
    CHECK(ll_shape_of("i=65536 j=65536").err == LL_OK);
    CHECK(ll_tensor(3, fit).err == LL_OK);
    CHECK(ll_tensor(3, sizes).err == LL_EBITS);
    CHECK(ll_mul(half, other).err == LL_OK);
    CHECK(ll_mul(half, more).err == LL_EBITS);
    CHECK(ll_resize_out(a, LL_J, 1u << 16).err == LL_OK);
    CHECK(ll_resize_out(a, LL_J, 1u << 17).err == LL_EBITS);
    CHECK(ll_resize_in(half, LL_LANE, 1u << 31).err == LL_OK);
    CHECK(ll_resize_in(ll_mul(half, other), LL_WARP, 1u << 17).err ==
          LL_EBITS);
    CHECK(ll_check(a).err == LL_OK);
    CHECK(ll_check(ll_mul(half, other)).err == LL_OK);
    a.out.bits[0] = 17;
    CHECK(ll_check(a).err == LL_EBITS);
    a = ll_parse("lane: i31");
    CHECK(ll_check(a).err == LL_OK);
    a.out.bits[0] = 33;
    CHECK(ll_check(a).err == LL_EBITS);
}

/* The first character is character 1, and is named like any other. */
static void an_error_at_the_first_character_names_it(void) {
    char text[ROOM];
    const ll_layout a = ll_parse("?");
    CHECK(a.err == LL_ETEXT && a.at == 1u);
    ll_error("TURN", a, text, sizeof text);
    CHECK(strstr(text, " (at character 1, counted from 1)") != NULL);
    ll_error("TURN", ll_parse("lane: i0"), text, sizeof text);
    CHECK(strcmp(text, "ll: TURN: no error") == 0);
}

/* A table of 2^16 elements, the most there may be, cell by cell. */
static void a_table_has_up_to_65536_cells(void) {
    static char text[1 << 20], want[1 << 20];
    const ll_layout a =
        ll_parse("register: j0 j1 j2 j3 j4 j5 | lane: i0 i1 i2 i3 i4 | "
                 "warp: i5 i6 i7 i8 i9");
    const ll_layout b = ll_mul(a, ll_identity(2, LL_WARP, LL_I));
    unsigned at = 0;
    for (unsigned y = 0; y < 65536u; ++y) {
        const unsigned row = y / 64u;
        at += (unsigned)snprintf(want + at, sizeof want - at, "%u:%02u:%u%c",
                                 row / 32u, row % 32u, y % 64u,
                                 y % 64u == 63u ? '\n' : ' ');
    }
    CHECK(ll_table(a, text, sizeof text) == at && strcmp(text, want) == 0);
    CHECK(!b.err && ll_table(b, text, sizeof text) < 200u);
}

/* ---- Buffers ------------------------------------------------------------- */

/* Prints the kind-th thing. */
static unsigned print(unsigned kind, char *buf, unsigned size) {
    const ll_layout a = ll_parse("register: j0 j1 | lane: j2 i0 i1 i2 i3");
    const ll_layout b = ll_parse("register: i0 i1 | lane: i2 i3 j0 j1 j2");
    const ll_layout m = ll_parse("offset: j0 j1 j2 i0 i1 i2 i3");
    return kind == 0   ? ll_str(a, buf, size)
           : kind == 1 ? ll_str(ll_parse("lane: ?"), buf, size)
           : kind == 2 ? ll_error("NAME", ll_parse("lane: ?"), buf, size)
           : kind == 3 ? ll_error("", a, buf, size)
           : kind == 4 ? ll_explain(ll_plan_of(a, b, 32, hopper()), buf, size)
           : kind == 5 ? ll_explain(ll_plan_of(a, a, 32, hopper()), buf, size)
           : kind == 6 ? ll_explain(ll_plan_of(a, m, 32, hopper()), buf, size)
           : kind == 7 ? ll_table(a, buf, size)
           : kind == 8 ? ll_table(ll_parse("lane: i0 -> 4"), buf, size)
           : kind == 9  ? ll_draw(a, m, 32, 16, LL_READ, hopper(), buf, size)
           : kind == 10 ? ll_draw(b, m, 32, 16, LL_READ, hopper(), buf, size)
           : kind == 11 ? ll_compare(a, b, buf, size)
                        : ll_explain_reduce(
                              ll_reduce_of(L("lane: i0 i1 i2 i3 i4 | warp: j0"),
                                           LL_J, 32, hopper()), buf, size);
}

static void no_buffer_is_too_small(void) {
    static char whole[ROOM];
    for (unsigned kind = 0; kind < 13u; ++kind) {
        unsigned n = print(kind, whole, ROOM);
        CHECK(n > 0 && n + 1u < ROOM && n == strlen(whole));
        CHECK(print(kind, NULL, 0) == n);
        for (unsigned size = 0; size < n + 3u; ++size) {
            char *buf = (char *)malloc(size + 8u);
            memset(buf, GUARD, size + 8u);
            CHECK(print(kind, buf, size) == n);
            unsigned kept = size == 0 ? 0u : size - 1u < n ? size - 1u : n;
            CHECK(memcmp(buf, whole, kept) == 0);
            CHECK(size == 0 || buf[kept] == 0);
            for (unsigned k = size; k < size + 8u; ++k) {
                CHECK(buf[k] == GUARD);
            }
            free(buf);
            buf = (char *)malloc(size + 1u); /* its end is watched */
            CHECK(print(kind, buf + 1, size) == n);
            free(buf);
        }
    }
}

/* A layout that lacks a dimension tells which one it was asked for. */
static void missing_dimensions_are_named(void) {
    const ll_layout a = ll_rows(64, 64, 4);
    const ll_dim k = LL_K, head = ll_dim_of("head");
    const ll_layout bad[] = {
        ll_reduce(a, k),        ll_flip(a, k, 1),    ll_broadcast(a, k, 2),
        ll_broadcast_back(a, k), ll_unsqueeze_back(a, k),
        ll_scales_of(a, k, 2),  ll_preshuffle(a, k, 2), ll_absorb(a, a, k),
        ll_scales_back(a, k, 2), ll_trans(a, "k i"), ll_sub(a, "k", "j"),
        ll_order_in(a, "lane k"), ll_reduce(a, head), ll_trans(a, "i head"),
        ll_reduce(a, 2),        ll_reduce(ll_reduce(a, k), head)};
    const char *name[] = {"(asked for k)", "(asked for head)", "(got 2)"};
    char text[ROOM];
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; ++n) {
        const unsigned which = n == 12u || n == 13u ? 1u : n == 14u ? 2u : 0u;
        ll_error("A", bad[n], text, sizeof text);
        CHECK(bad[n].err == LL_EMISSING);
        CHECK(strstr(text, name[which]) != NULL);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(small_layouts_survive_printing);
    RUN(large_layouts_survive_printing);
    RUN(printing_is_short_and_usual);
    RUN(lists_of_names_stand_fastest_first);
    RUN(lists_of_axes_stand_by_their_letters);
    RUN(blanks_and_orders_do_not_matter);
    RUN(malformed_text_is_refused_where_it_is);
    RUN(tails_for_other_axes_are_explained);
    RUN(damaged_text_does_no_harm);
    RUN(names_and_shapes_are_read_or_refused);
    RUN(sides_hold_32_bits_at_most);
    RUN(an_error_at_the_first_character_names_it);
    RUN(a_table_has_up_to_65536_cells);
    RUN(no_buffer_is_too_small);
    RUN(missing_dimensions_are_named);
    return test_end();
}
