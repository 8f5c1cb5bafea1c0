/* test_text.c - reading, printing and errors.
 * SPDX-License-Identifier: MIT
 *
 * What is printed is read back as the same layout; what is malformed gives the
 * right code at the right character; no buffer is too small; and every
 * function refuses what it documents to refuse.
 */
#include "test.h"

#include "../ll.h"

enum { ROOM = 16384, GUARD = 0x5a };

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
    shorter.n = 1; /* what is behind the last dimension has no meaning */
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

static ll_target hopper(void) {
    ll_target t = LL_ZERO;
    t.lanes = 32;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.copies = 1;
    t.merge = 3;
    for (unsigned k = 0; k < 30u; ++k) {
        unsigned width = k / 10u;
        unsigned bit = k % 5u;
        t.phase[k / 5u % 2u][width][bit] = bit < 5u - width ? 1u << bit : 0u;
        t.banks[k / 5u % 2u][width] = 32;
    }
    return t;
}

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

#define NUMBER(arg, code, number, text) code,
static const unsigned all_errors[] = {LL_OK,
                                      LL_ERRORS(NUMBER, all) LL_N_ERRORS_};

enum { ERRORS = sizeof all_errors / sizeof *all_errors };

static void no_two_errors_have_one_number(void) {
    unsigned times[LL_N_ERRORS_ + 1u] = LL_ZERO;
    for (unsigned n = 0; n < ERRORS; ++n) {
        CHECK(all_errors[n] <= LL_N_ERRORS_);
        CHECK(times[all_errors[n]]++ == 0);
    }
    for (unsigned k = 0; k < LL_N_ERRORS_; ++k) {
        CHECK(times[k] || strcmp(ll_strerror(k), ll_strerror(~0u)) == 0);
    }
}

static void every_error_has_its_own_sentence(void) {
    for (unsigned n = 0; n < ERRORS; ++n) {
        const unsigned k = all_errors[n];
        char text[ROOM];
        const char *sentence = ll_strerror(k);
        ll_layout a = ll_zero(ll_shape_of(""), ll_shape_of(""));
        a.err = k;
        CHECK(strlen(sentence) > 5u);
        for (unsigned m = 0; m < n; ++m) {
            CHECK(strcmp(sentence, ll_strerror(all_errors[m])) != 0);
        }
        ll_error("TURN", a, text, sizeof text);
        CHECK(strncmp(text, "ll: TURN: ", 10) == 0);
        CHECK(strncmp(text + 10, sentence, strlen(sentence)) == 0);
        a.at = 17;
        ll_error("TURN", a, text, sizeof text);
        CHECK((strstr(text, " (at character 17,") != NULL) == (k != 0));
        ll_str(a, text, sizeof text);
        CHECK(k == 0 || strcmp(text, sentence) == 0);
    }
}

/* ---- What functions refuse ----------------------------------------------- */

#define REFUSES(expression, code) CHECK((expression).err == (unsigned)(code))

static void makers_refuse_what_they_say(void) {
    const unsigned twice[2] = {0, 0};
    const unsigned far[1] = {4};
    ll_layout a = L("lane: i0 i1");
    REFUSES(ll_identity(3, LL_LANE, LL_I), LL_ESIZE);
    REFUSES(ll_strided(4, 3, LL_LANE, LL_I), LL_ESTEP);
    REFUSES(ll_strided(4, 0, LL_LANE, LL_I), LL_ESTEP);
    REFUSES(ll_strided(65536, 65536, LL_LANE, LL_I), LL_OK);
    REFUSES(ll_strided(65536, 131072, LL_LANE, LL_I), LL_EBITS);
    REFUSES(ll_zeros(4, LL_LANE, LL_I, 5), LL_ESIZE);
    REFUSES(ll_zero(ll_shape_of("i i"), ll_shape_of("j")), LL_ETWICE);
    REFUSES(ll_zero(ll_shape_of("i"), ll_shape_of("j=3")), LL_ESIZE);
    REFUSES(ll_row_major(ll_shape_of("i=3")), LL_ESIZE);
    REFUSES(ll_col_major(ll_shape_of("i=3")), LL_ESIZE);
    REFUSES(ll_perm_of(2, 2, twice), LL_EPERM);
    REFUSES(ll_perm_of(4, 1, far), LL_EPERM);
    REFUSES(ll_perm_of(33, 0, twice), LL_EPERM);
    REFUSES(ll_perm_swap(3, 0, 3), LL_EPERM);
    REFUSES(ll_permute(a, LL_LANE, ll_perm_swap(3, 0, 1)), LL_EPERM);
    REFUSES(ll_permute(a, LL_WARP, ll_perm_swap(2, 0, 1)), LL_EMISSING);
    a.basis[1] = 4;
    REFUSES(ll_check(a), LL_ERANGE);
    a = L("lane: i0 i1");
    a.offset = 4;
    REFUSES(ll_check(a), LL_ERANGE);
    a = L("lane: i0 i1");
    a.in.n = 17;
    REFUSES(ll_check(a), LL_EDIMS);
    a = L("lane: i0 | warp: i1");
    a.in.dim[1] = LL_LANE;
    REFUSES(ll_check(a), LL_ETWICE);
    a.in.dim[1] = 0;
    REFUSES(ll_check(a), LL_ENAME);
    a = L("lane: i0 | warp: i1");
    a.in.bits[1] = 32;
    REFUSES(ll_check(a), LL_EBITS);
    a.in.bits[1] = 0xffff;
    REFUSES(ll_check(a), LL_EBITS);
}

static void algebra_refuses_what_it_says(void) {
    const ll_layout a = L("lane: i0 i1");
    const ll_layout b = L("warp: j0");
    REFUSES(ll_compose(a, b), LL_EMATCH);
    REFUSES(ll_compose(L("i: x0"), a), LL_EMATCH);
    REFUSES(ll_mul(L("lane: i0 | warp: i1"), L("warp: i0 | lane: i1")),
            LL_EORDER);
    REFUSES(ll_mul(L("lane: i19"), L("lane: i13")), LL_EBITS);
    REFUSES(ll_mul(L("a: | b: | c: | d: | e: | A: | B: | C: | D:"),
                   L("f: | g: | h: | k: | E: | F: | G: | H:")),
            LL_EDIMS);
    REFUSES(ll_div(a, b), LL_ENOTILE);
    REFUSES(ll_rdiv(a, L("lane: i0 i1 i2")), LL_ENOTILE);
    REFUSES(ll_inv(L("lane: i0 i0 -> 4")), LL_ESINGULAR);
    REFUSES(ll_inv(L("lane: i0 0")), LL_ESINGULAR);
    REFUSES(ll_rinv(L("lane: i0 -> 4")), LL_ENOTONTO);
    REFUSES(ll_solve(a, b, LL_FIRST), LL_EMATCH);
    REFUSES(ll_solve(L("lane: i0 -> 4"), a, LL_LIGHT), LL_ENOSOLUTION);
    REFUSES(ll_solve(L("lane: i0"), a, LL_LOCAL), LL_EMATCH);
}

static void surgery_refuses_what_it_says(void) {
    const ll_layout a = L("lane: i0 i1");
    const ll_layout b = L("warp: j0");
    REFUSES(ll_sub(a, "warp", "i"), LL_EMISSING);
    REFUSES(ll_sub(a, "lane", "j"), LL_EMISSING);
    REFUSES(ll_sub(a, "la?e", "i"), LL_ETEXT);
    REFUSES(ll_order_in(a, ""), LL_EMATCH);
    REFUSES(ll_order_out(a, "j"), LL_EMISSING);
    REFUSES(ll_reshape_in(a, ll_shape_of("x=8")), LL_ETOTAL);
    REFUSES(ll_reshape_out(a, ll_shape_of("x=3")), LL_ESIZE);
    REFUSES(ll_flatten_in(a, 0), LL_ENAME);
    REFUSES(ll_rename_in(a, "lane", "x y"), LL_EMATCH);
    REFUSES(ll_rename_in(L("lane: i0 | warp: i1"), "lane", "warp"), LL_ETWICE);
    REFUSES(ll_rename_out(a, "j", "x"), LL_EMISSING);
    REFUSES(ll_resize_in(a, LL_LANE, 6), LL_ESIZE);
    REFUSES(ll_resize_out(L("lane: i20 j10"), LL_J, 1u << 12), LL_EBITS);
    REFUSES(ll_concat_in(a, L("warp: i0")), LL_EMATCH);
    REFUSES(ll_concat_in(a, a), LL_ETWICE);
    REFUSES(ll_concat_out(a, b), LL_EMATCH);
    REFUSES(ll_concat_out(a, a), LL_ETWICE);
    REFUSES(ll_concat_out(L("lane: i20"), L("lane: j20")), LL_EBITS);
    REFUSES(ll_flip(a, LL_J, 1), LL_EMISSING);
    REFUSES(ll_quotient(a, "lane"), LL_ENOTTRIVIAL);
}

static void shapes_refuse_what_they_say(void) {
    const ll_layout a = L("lane: i0 i1");
    REFUSES(ll_trans(L("lane: i0 j0"), "i"), LL_EMATCH);
    REFUSES(ll_trans(L("lane: i0 j0"), "i k"), LL_EMISSING);
    REFUSES(ll_trans_back(L("lane: i0 j0"), "i"), LL_EMATCH);
    REFUSES(ll_unsqueeze(a, LL_K), LL_EAXIS);
    REFUSES(ll_unsqueeze_back(a, LL_I), LL_EONE);
    REFUSES(ll_broadcast(a, LL_I, 2), LL_EONE);
    REFUSES(ll_reduce(a, LL_J), LL_EMISSING);
    REFUSES(ll_split(a), LL_ENOTREGISTER);
    REFUSES(ll_rows(64, 64, 32), LL_EELEMENT);
    CHECK(ll_rows(64, 64, 3).err != LL_OK);
    REFUSES(ll_rows(64, 65, 4), LL_ESIZE);
}

static void plans_refuse_what_they_say(void) {
    const ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4");
    const ll_layout b = L("register: i0 | lane: j0 i1 i2 i3 i4");
    const ll_layout c = L("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5");
    const ll_layout d = L("register: j0 | lane: i5 i1 i2 i3 i4 | block: i0");
    ll_target t = hopper();
    REFUSES(ll_plan_of(a, b, 32, t), LL_OK);
    REFUSES(ll_plan_of(a, b, 24, t), LL_EELEMENT);
    REFUSES(ll_plan_of(a, b, 4, t), LL_OK);
    REFUSES(ll_plan_of(a, b, 2, t), LL_EELEMENT);
    REFUSES(ll_plan_of(a, b, 256, t), LL_EELEMENT);
    REFUSES(ll_plan_of(a, L("lane: i0 i1 i2 i3 i4"), 32, t), LL_EMATCH);
    REFUSES(ll_plan_of(L("lane: i0 i1 i2 i3 i4 -> j=2 | i=32"), b, 32, t),
            LL_ENOSOLUTION);
    REFUSES(ll_plan_of(L("lane: i0 j0"), L("lane: j0 i0"), 32, t), LL_ELANES);
    REFUSES(ll_plan_of(L("x: i0 j0"), a, 32, t), LL_EHARDWARE);
    REFUSES(ll_plan_of(c, d, 32, t), LL_EBLOCK);
    REFUSES(ll_swizzle(a, b, 24, t), LL_EELEMENT);
    REFUSES(ll_swizzle(c, d, 32, t), LL_EBLOCK);
    REFUSES(ll_swizzle(L("lane: i0 j0"), L("lane: j0 i0"), 32, t), LL_ELANES);
    t.err = LL_EELEMENT;
    REFUSES(ll_plan_of(a, b, 32, t), LL_EELEMENT);
    CHECK(ll_wavefronts(a, L("offset: j0 i0 i1 i2 i3 i4"), 32, 4, LL_READ,
                        t) == 0);
    CHECK(ll_widest(a, L("offset: j0"), 32, 16) == 0);
    CHECK(ll_vector(L("x: i0"), 8) == 0);
}

/* What the layout knows of the mistake is in the sentence. */
static int says(ll_layout a, unsigned err, const char *tail) {
    char text[ROOM], want[ROOM];
    ll_error("A", a, text, sizeof text);
    snprintf(want, sizeof want, "ll: A: %s%s", ll_strerror(err), tail);
    return strcmp(text, want) == 0;
}

static void errors_name_the_character_or_the_value(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2");
    const unsigned sizes[2] = {4, 12};
    ll_rows_spec s = LL_ZERO;
    CHECK(says(L("2: i0"), LL_ENAME, " (at character 1, counted from 1)"));
    CHECK(says(L("lane: i0 -> 3"), LL_ESIZE,
               " (at character 13, counted from 1)"));
    CHECK(says(a, LL_OK, ""));
    CHECK(says(ll_inv(L("lane: i0 0")), LL_ESINGULAR, ""));
    CHECK(says(ll_rows(64, 96, 2), LL_ESIZE, " (got 96)"));
    CHECK(says(ll_rows(0, 64, 2), LL_ESIZE, " (got 0)"));
    CHECK(says(ll_row_major(ll_shape_of("j=6 i=3")), LL_ESIZE, " (got 6)"));
    CHECK(says(ll_row_major(ll_tensor(2, sizes)), LL_ESIZE, " (got 12)"));
    CHECK(says(ll_identity(3, LL_LANE, LL_I), LL_ESIZE, " (got 3)"));
    CHECK(says(ll_strided(4, 5, LL_LANE, LL_I), LL_ESTEP, " (got 5)"));
    CHECK(says(ll_resize_in(a, LL_LANE, 6), LL_ESIZE, " (got 6)"));
    CHECK(says(ll_resize_out(a, LL_K, 7), LL_ESIZE, " (got 7)"));
    CHECK(says(ll_unsqueeze_back(a, LL_I), LL_EONE, " (got 8)"));
    CHECK(says(ll_broadcast(a, LL_J, 2), LL_EONE, " (got 4)"));
    CHECK(says(ll_scales_of(a, LL_J, 3), LL_EGROUP, " (got 3)"));
    CHECK(says(ll_scales_of(a, LL_J, 8), LL_EGROUP, " (got 8)"));
    CHECK(says(ll_scales_of(a, LL_K, 2), LL_EMISSING, " (asked for k)"));
    CHECK(says(ll_scales_each(a, LL_J, 8), LL_EGROUP, " (got 8)"));
    CHECK(says(ll_scales_back(a, LL_J, 5), LL_EGROUP, " (got 5)"));
    CHECK(says(ll_preshuffle(a, LL_J, 8), LL_EVECTOR, " (got 8)"));
    CHECK(says(ll_bitcast(a, 16, 24), LL_ECAST, " (got 24)"));
    CHECK(says(ll_bitcast(a, 256, 16), LL_ECAST, " (got 256)"));
    CHECK(says(ll_bitcast(L("lane:"), 8, 16), LL_ENOAXIS, ""));
    CHECK(says(ll_bitcast(a, 8, 64), LL_EWHOLE, ""));
    CHECK(says(ll_rows(8, 8, 3), LL_EELEMENT, " (got 24)"));
    CHECK(says(ll_rows(8, 8, 0), LL_EELEMENT, " (got 0)"));
    CHECK(says(ll_rows_for(a, 0), LL_EELEMENT, " (got 0)"));
    CHECK(says(ll_rows_for(a, 32), LL_EELEMENT, " (got 256)"));
    s.rows = s.cols = 8;
    s.access = 2;
    CHECK(says(ll_rows_of(s), LL_EACCESS, " (got 2)"));
    s.access = 12;
    CHECK(says(ll_rows_of(s), LL_EACCESS, " (got 12)"));
}

static int compares(const char *a, const char *b, const char *why) {
    char text[ROOM], want[ROOM], start[9];
    const unsigned n = ll_compare(L(a), L(b), text, sizeof text);
    snprintf(want, sizeof want, "first:  %s\nsecond: %s\n%s\n", a, b, why);
    ll_compare(L(a), L(b), start, sizeof start);
    return strcmp(text, want) == 0 && n == strlen(text) &&
           strncmp(start, text, 8) == 0 && start[8] == 0;
}

/* The reason for LL_EMATCH or LL_ENOSOLUTION comes first. */
static void a_comparison_names_the_first_difference(void) {
    char text[ROOM];
    CHECK(compares("lane: i0 j0", "lane: i0 j0 j1",
                   "j has size 2 in the first layout and has size 4 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 j0", "lane: i0 j0 j1",
                   "j has size 2 in the first layout and has size 4 in the "
                   "second"));
    CHECK(compares("lane: i0 j0", "lane: i0",
                   "j has size 2 in the first layout and is not there in the "
                   "second"));
    CHECK(compares("lane: i0", "lane: dim0.1 i0",
                   "dim0 is not there in the first layout and has size 4 in "
                   "the second"));
    CHECK(compares("lane: i0 0 -> j=2 | i=2", "lane: i0 j0",
                   "the first layout lacks the element i=0 j=1 of the second"));
    CHECK(compares("lane: k0 j0 i0 h0 g0 f0 e0 d0", "lane: k0 j0 i0 h0 c0",
                   "c is not there in the first layout and has size 2 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 0 -> j=2 | i=4", "lane: i0 i1 | 1: j0",
                   "the first layout lacks the element i=0 j=1 of the second"));
    CHECK(compares("lane: i0 i1 j0", "lane: i0 j0",
                   "i has size 4 in the first layout and has size 2 in the "
                   "second"));
    CHECK(compares("lane: i0 i1", "lane: i0 | warp: i1",
                   "warp is not there in the first layout and has size 2 in "
                   "the second"));
    CHECK(compares("register: j0 | lane: i0 i1", "register: j0 | lane: i0 j0^i1",
                   "lane bit 1 is i1 in the first layout and j0^i1 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 | 1: i0", "lane: i0 i1 | 1: i1",
                   "the affine part is i0 in the first layout and i1 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 | 1: i0", "lane: i0 i1 | 1: i0",
                   "both put each element at the same place"));
    CHECK(compares("register: j0 | lane: i0", "lane: i0 | register: j0",
                   "both put each element at the same place"));
    ll_compare(ll_parse("?"), ll_parse("lane: i0"), text, sizeof text);
    CHECK(strstr(text, "second: lane: i0\n") != NULL);
    CHECK(strstr(text, "first layout") == NULL);
}

static int explains(ll_plan p, unsigned err, const char *tail) {
    char text[ROOM], want[ROOM];
    ll_explain(p, text, sizeof text);
    snprintf(want, sizeof want, "there is no plan: %s%s\n", ll_strerror(err),
             tail);
    return strcmp(text, want) == 0;
}

/* Half of 512 bytes will not do: no register is the same on both sides. */
static void plans_that_are_none_name_the_value(void) {
    const ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4 | warp: j1");
    const ll_layout b = L("register: j1 | lane: i0 i1 i2 i3 i4 | warp: j0");
    const ll_target t = hopper();
    CHECK(explains(ll_plan_of(a, b, 24, t), LL_EELEMENT, " (got 24)"));
    CHECK(explains(ll_plan_of(L("lane: i0"), L("lane: i0"), 32, t), LL_ELANES,
                   " (the target has 32)"));
    CHECK(explains(ll_plan_within(a, b, 32, t, 256), LL_EBUDGET,
                   " (it needs 512)"));
    CHECK(explains(ll_plan_by(a, b, 32, t, LL_SHUFFLES), LL_EKIND, ""));
    CHECK(explains(ll_plan_of(L("lane: i0 i1 i2 i3 i4"), a, 32, t), LL_EMATCH,
                   " (ll_compare tells where)"));
}

/* ---- Sentences ----------------------------------------------------------- */

static void check_words(unsigned n, const char *text, const char *want) {
    CHECK(n == strlen(want) && strcmp(text, want) == 0);
    if (strcmp(text, want) != 0 && test.here < 3u) {
        printf("%s", text);
    }
}

/* The step of a plan that is filled in by hand. */
static ll_step *add_step(ll_plan *p, unsigned op, unsigned count) {
    ll_step *s = &p->step[p->n++];
    s->op = op;
    s->count = count;
    return s;
}

static void explained(ll_plan p, const char *want) {
    char text[ROOM];
    check_words(ll_explain(p, text, sizeof text), text, want);
}

/* Plans of one step, of 1 and of 2 instructions; a plan of renames alone says
 * so, and beside other steps a rename without instructions is no line. */
static void a_step_has_its_sentence(void) {
    static const struct {
        unsigned op, count, near;
        const char *words;
    } step[] = {
        {LL_OP_RENAME, 0, 0, "each lane renames its registers: no instruction"},
        {LL_OP_RENAME, 1, 0,
         "each lane moves bytes between its words by 1 byte permute"},
        {LL_OP_RENAME, 2, 0,
         "each lane moves bytes between its words by 2 byte permutes"},
        {LL_OP_SELECT, 1, 0, "each lane chooses among its words by 1 select"},
        {LL_OP_SELECT, 6, 0, "each lane chooses among its words by 6 selects"},
        {LL_OP_SHUFFLE, 1, 0, "lanes exchange words by 1 shuffle"},
        {LL_OP_SHUFFLE, 4, 0, "lanes exchange words by 4 shuffles"},
        {LL_OP_SHUFFLE, 4, 4, "lanes exchange words by 4 near moves"},
        {LL_OP_SHUFFLE, 4, 3,
         "lanes exchange words by 3 near moves and 1 shuffle"},
        {LL_OP_SHUFFLE, 4, 1,
         "lanes exchange words by 1 near move and 3 shuffles"},
        {LL_OP_SWAP, 2, 0, "lanes 32 apart exchange words in 2 swaps"},
        {LL_OP_SYNC_WARP, 1, 0, "the lanes of each warp wait for each other"},
        {LL_OP_SYNC_BLOCK, 1, 0, "the warps of the block wait for each other"},
        {LL_OP_SYNC_CLUSTER, 1, 0,
         "the blocks of the cluster wait for each other, and again when all "
         "have loaded"},
    };
    for (unsigned k = 0; k < sizeof step / sizeof step[0]; ++k) {
        ll_plan p = LL_ZERO;
        char want[ROOM];
        p.kind = p.next_kind = LL_SHUFFLES;
        ll_step *s = add_step(&p, step[k].op, step[k].count);
        s->near = step[k].near;
        s->at.n = 3;
        s->at.place[2] = 32;
        snprintf(want, sizeof want, "data stays in its warp\n  1. %s\n",
                 step[k].words);
        explained(p, want);
        add_step(&p, LL_OP_RENAME, 0);
        snprintf(want, sizeof want, "data stays in its warp\n%s%s%s",
                 k ? "  1. " : "", k ? step[k].words : "", k ? "\n" : "");
        explained(p, want);
        add_step(&p, LL_OP_RENAME, 1);
        snprintf(want, sizeof want,
                 "data stays in its warp\n%s%s%s  %u. %s\n", k ? "  1. " : "",
                 k ? step[k].words : "", k ? "\n" : "", k ? 2u : 1u,
                 step[1].words);
        explained(p, want);
    }
}

static void an_access_has_its_sentence(void) {
    static const struct {
        unsigned op, count, bits, bytes, form, dsmem, wavefronts, least;
        const char *words;
    } step[] = {
        {LL_OP_STORE, 1, 0, 4, LL_FORM_VECTOR, 0, 1, 1,
         "stores 1 element to shared memory by 1 access of 4 bytes, "
         "1 wavefront: no bank conflicts"},
        {LL_OP_STORE, 2, 3, 1, LL_FORM_VECTOR, 0, 4, 2,
         "stores 8 elements to shared memory by 2 accesses of 1 byte, "
         "4 wavefronts each where 2 would do: bank conflicts"},
        {LL_OP_LOAD, 2, 4, 16, LL_FORM_MATRIX, 0, 4, 4,
         "loads 16 elements from shared memory by 2 matrix accesses of "
         "16 bytes, 4 wavefronts each: no bank conflicts"},
        {LL_OP_LOAD, 1, 1, 16, LL_FORM_TRANS, 0, 8, 4,
         "loads 2 elements from shared memory by 1 transposing matrix access "
         "of 16 bytes, 8 wavefronts where 4 would do: bank conflicts"},
        {LL_OP_LOAD, 1, 1, 8, LL_FORM_BYTES, 0, 1, 1,
         "loads 2 elements from shared memory by 1 transposing matrix access "
         "of 8 bytes, 1 wavefront: no bank conflicts"},
        {LL_OP_LOAD, 1, 1, 8, LL_FORM_VECTOR, 9, 1, 1,
         "loads 2 elements from the cluster's shared memory by 1 access of "
         "8 bytes, 1 wavefront: no bank conflicts"},
    };
    for (unsigned k = 0; k < sizeof step / sizeof step[0]; ++k) {
        ll_plan p = LL_ZERO;
        char want[ROOM];
        p.kind = p.next_kind = LL_SHUFFLES; /* so that no memory is told */
        p.to_bits = step[k].bits;
        ll_step *s = add_step(&p, step[k].op, step[k].count);
        s->bits = step[k].bits;
        s->bytes = step[k].bytes;
        s->form = step[k].form;
        s->dsmem = step[k].dsmem;
        s->wavefronts = step[k].wavefronts;
        s->least = step[k].least;
        snprintf(want, sizeof want,
                 "data stays in its warp\n  1. each lane %s\n",
                 step[k].words);
        explained(p, want);
        p.to_bits = 0; /* more than it needs */
        snprintf(want, sizeof want,
                 "data stays in its warp\n  1. each lane %s\n%s",
                 step[k].words, s->op == LL_OP_LOAD && s->bits
                     ? "     twice what it needs: an over-read\n" : "");
        explained(p, want);
    }
}

/* The first line, the last lines, and what is said of memory. */
static void a_plan_says_what_it_needs(void) {
    ll_plan p = LL_ZERO;
    p.memory = L("offset: j0 i0");
    explained(p, "nothing moves\n");
    p.kind = p.next_kind = LL_REGISTERS;
    p.cycles = 1;
    explained(p, "data stays in its lane, about 1 cycle a warp\n");
    p.next_kind = LL_SHARED;
    p.next_cycles = 20;
    explained(p, "data stays in its lane, about 1 cycle a warp\n"
                 "  through shared memory it would take about 20 cycles\n");
    p.kind = LL_SHARED;
    p.next_kind = LL_SHUFFLES;
    p.smem_bytes = 64;
    explained(p, "data goes through shared memory, 64 bytes, about 1 cycle a "
                 "warp\n  memory offset: j0 i0\n"
                 "  by shuffles it would take about 20 cycles\n");
    p.next_kind = LL_REGISTERS;
    p.passes = 2;
    p.pair = 1;
    explained(p, "data goes through shared memory, 64 bytes in 4 passes, about "
                 "1 cycle a warp\n  memory of pairs offset: j0 i0\n"
                 "  within each lane it would take about 20 cycles\n");
    p.next_kind = p.kind;
    p.passes = p.pair = p.cycles = 0;
    p.rank = 7;
    explained(p, "data goes through shared memory, in each block of a cluster "
                 "in its own way, 64 bytes\n  memory offset: j0 i0\n");
    p.kind = p.next_kind = LL_CLUSTER;
    p.blocks = 1;
    explained(p, "data goes through the shared memory of a cluster's blocks, "
                 "64 bytes each\n  memory offset: j0 i0\n");
}

/* Two steps take 2 and 2 x 3 wavefronts. */
static void a_plan_says_whether_less_is_possible(void) {
    static const char words[] = "data goes through shared memory, 64 bytes\n";
    char want[ROOM], text[ROOM];
    ll_plan p = LL_ZERO;
    p.kind = p.next_kind = LL_SHARED;
    p.smem_bytes = 64;
    p.memory = L("offset: j0");
    add_step(&p, LL_OP_STORE, 1)->wavefronts = 2;
    add_step(&p, LL_OP_LOAD, 2)->wavefronts = 3;
    for (unsigned fewest = 0; fewest < 10u; ++fewest) {
        p.fewest = fewest;
        ll_explain(p, text, sizeof text);
        snprintf(want, sizeof want,
                 fewest == 8u ? "  memory offset: j0\n  no memory takes fewer "
                                "wavefronts with vector accesses\n"
                 : fewest ? "  memory offset: j0\n  with vector accesses every "
                            "memory takes at least %u wavefront%s\n"
                          : "  memory offset: j0\n",
                 fewest, fewest == 1u ? "" : "s");
        CHECK(strncmp(text, words, strlen(words)) == 0);
        const char *tail = strstr(text, "  memory");
        CHECK(tail && strcmp(tail, want) == 0);
    }
}

static void nibbles_have_their_sentences(void) {
    ll_plan p = LL_ZERO;
    p.kind = p.next_kind = LL_SHUFFLES;
    p.nibbles = 1;
    ll_step *s = add_step(&p, LL_OP_STORE, 1);
    s->bits = 1;
    s->bytes = 2;
    explained(p, "data stays in its warp\n  1. each lane stores 2 bytes to "
                 "shared memory by 1 access of 2 bytes, 0 wavefronts: no bank "
                 "conflicts\n");
    s->op = LL_OP_SHUFFLE;
    p.before = LL_APART;
    explained(p, "data stays in its warp\n  1. each lane moves its elements "
                 "apart, one to a byte\n  2. lanes exchange words by 1 "
                 "shuffle\n");
    p.after = LL_APART;
    p.before = LL_STAY;
    explained(p, "data stays in its warp\n  1. lanes exchange words by 1 "
                 "shuffle\n  2. each lane joins two elements in each byte\n");
    p.before = 2;
    p.after = 3;
    explained(p, "data stays in its warp\n  1. each lane exchanges nibbles, "
                 "register bit 0 with bit 2\n  2. lanes exchange words by 1 "
                 "shuffle\n  3. each lane exchanges nibbles, register bit 0 "
                 "with bit 3\n");
}

/* Bits of an element are told where they are at fault: no power of two from 4
 * to 128. Otherwise, a plan of that kind has no elements of that size. */
static void an_odd_element_is_named(void) {
    for (unsigned bits = 1; bits < 300u; ++bits) {
        ll_plan p = LL_ZERO;
        char tail[32] = "";
        int odd = 1;
        for (unsigned good = 4; good <= 128u; good *= 2u) {
            odd = odd && bits != good;
        }
        p.element_bits = bits;
        p.err = LL_EELEMENT;
        if (odd) {
            snprintf(tail, sizeof tail, " (got %u)", bits);
        }
        CHECK(explains(p, LL_EELEMENT, tail));
        p.err = LL_EKIND;
        CHECK(explains(p, LL_EKIND, ""));
    }
}

static void gathered(ll_gather_plan p, const char *want) {
    char text[ROOM];
    check_words(ll_explain_gather(p, text, sizeof text), text, want);
}

static void a_gather_has_its_sentences(void) {
    ll_gather_plan p = LL_ZERO;
    p.kind = p.next_kind = LL_REGISTERS;
    p.cycles = 5;
    p.n = 1;
    p.fetch.count = 1;
    gathered(p, "data stays in its lane, about 5 cycles a warp\n  1. each lane "
                "chooses among its words by 1 select\n");
    p.step[0].count = 3;
    p.kind = LL_SHUFFLES;
    p.fetch.count = 2;
    p.next_kind = LL_SHARED;
    p.next_cycles = 9;
    gathered(p, "data stays in its warp, about 5 cycles a warp\n  1. each lane "
                "moves bytes between its words by 3 byte permutes\n  2. lanes "
                "send what may be asked for by 2 shuffles\n  through shared "
                "memory it would take about 9 cycles\n");
    p.kind = LL_SHARED;
    p.next_kind = LL_SHUFFLES;
    p.smem_bytes = 256;
    p.step[0].count = 0;
    p.n = 2;
    p.step[1].op = LL_OP_SYNC_BLOCK;
    p.step[1].count = 1;
    p.fetch.bytes = 4;
    p.fetch.wavefronts = 3;
    gathered(p, "data goes through shared memory, 256 bytes, about 5 cycles a "
                "warp\n  1. the warps of the block wait for each other\n"
                "  2. each lane loads what its indices ask for by 2 accesses "
                "of 4 bytes, about 3 wavefronts each\n  by shuffles it would "
                "take about 9 cycles\n");
    p.next_kind = LL_SHARED;
    p.fetch.count = p.fetch.bytes = p.fetch.wavefronts = 1;
    p.turn.count = 4;
    gathered(p, "data goes through shared memory, 256 bytes, about 5 cycles a "
                "warp\n  1. the warps of the block wait for each other\n"
                "  2. each lane loads what its indices ask for by 1 access of "
                "1 byte, about 1 wavefront each, in its own order: 4 selects "
                "before and as many after\n");
    p.err = LL_EKIND;
    char want[ROOM];
    snprintf(want, sizeof want, "there is no plan: %s\n",
             ll_strerror(LL_EKIND));
    gathered(p, want);
}

/* Inputs of one bit and more: a column is named by the input that it is of. */
static void a_difference_names_its_input(void) {
    const ll_layout a = L("register: j0 | lane: j1 j2 | warp: j3 j4 j5");
    for (unsigned k = 0; k < 6u; ++k) {
        static const char *const name[] = {"register bit 0", "lane bit 0",
                                           "lane bit 1",     "warp bit 0",
                                           "warp bit 1",     "warp bit 2"};
        char text[ROOM], want[ROOM];
        ll_layout b = a;
        b.basis[k] = a.basis[k] ^ (k == 5u ? 1u : 32u);
        ll_compare(a, b, text, sizeof text);
        snprintf(want, sizeof want, "\n%s is j%u in the first layout and ",
                 name[k], k);
        CHECK(strstr(text, want) != NULL);
    }
}

/* Axes of 2^31 and of 2^32, and layouts that are no layouts. */
static void a_preshuffle_looks_before_it_shifts(void) {
    const ll_layout wide = ll_identity(1u << 31, LL_REGISTER, LL_J);
    CHECK(L("register: i31 | lane: j0").err == LL_EBITS);
    REFUSES(ll_preshuffle(L("register: i31 | lane: j0"), LL_J, 2), LL_EBITS);
    REFUSES(ll_preshuffle(L("register: i31 | lane: j0"), LL_I, 2), LL_EBITS);
    REFUSES(ll_preshuffle(L("x: j0"), LL_J, 2), LL_EHARDWARE);
    CHECK(ll_is_equal(ll_preshuffle(wide, LL_J, 4),
                      ll_identity(1u << 31, LL_J, LL_J)));
    REFUSES(ll_preshuffle(L("register: i31 i3"), LL_I, 2), LL_OK);
    CHECK(ll_apply(ll_preshuffle(L("register: i31 i3"), LL_I, 2),
                   1u << 31) == 1u);
}

/* The lanes of a target are at most 64; more never get a way of their own. */
static void hops_of_too_many_lanes_are_any(void) {
    const ll_map m = ll_map_of(ll_identity(1024, LL_LANE, LL_LANE));
    const unsigned lanes[] = {128, 256, 1024, 0, 3, 48, 1u << 31, ~0u};
    for (unsigned k = 0; k < sizeof lanes / sizeof lanes[0]; ++k) {
        const ll_hops h = ll_hops_of(m, 1, ~0u, lanes[k]);
        CHECK(h.n == 1u && h.hop[0] == LL_HOP_ANY && !h.near);
    }
}

/* Nothing dearer than a kind, and no kind that is none. */
static void plans_are_of_the_kind_that_was_asked_for(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2 i3 i4");
    const ll_layout b = L("register: j1 j0 | lane: i0 i1 i2 i3 i4");
    const ll_layout c = L("register: i0 j1 | lane: j0 i1 i2 i3 i4");
    const ll_target t = hopper();
    CHECK(ll_plan_by(a, a, 32, t, LL_NOTHING).kind == LL_NOTHING);
    REFUSES(ll_plan_by(a, a, 32, t, LL_NOTHING), LL_OK);
    REFUSES(ll_plan_by(a, b, 32, t, LL_NOTHING), LL_EKIND);
    REFUSES(ll_plan_by(a, b, 32, t, LL_REGISTERS), LL_OK);
    REFUSES(ll_plan_by(a, c, 32, t, LL_NOTHING), LL_EKIND);
    REFUSES(ll_plan_by(a, c, 32, t, LL_REGISTERS), LL_EKIND);
    REFUSES(ll_plan_by(a, c, 32, t, LL_SHUFFLES), LL_OK);
    for (unsigned kind = LL_COPIES + 1u; kind < 40u; ++kind) {
        REFUSES(ll_plan_by(a, a, 32, t, kind), LL_ENOKIND);
        REFUSES(ll_plan_by(a, b, 32, t, kind), LL_ENOKIND);
        REFUSES(ll_plan_by(a, c, 32, t, kind), LL_ENOKIND);
    }
    REFUSES(ll_plan_by(a, c, 32, t, ~0u), LL_ENOKIND);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_REGISTERS), LL_OK);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_SHARED), LL_OK);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_NOTHING), LL_EKIND);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_COPIES), LL_ENOKIND);
}

/* An invalid layout comes out of every function as it went in. */
static void check_travels(const ll_layout *bad, unsigned which) {
    const ll_layout a = *bad;
    const ll_layout ok = L("lane: i0 i1");
    const ll_layout out[] = {
        ll_check(a), ll_mul(a, ok), ll_mul(ok, a), ll_compose(a, ok),
        ll_compose(ok, a), ll_div(a, ok), ll_div(ok, a), ll_rdiv(a, ok),
        ll_solve(a, ok, LL_FIRST), ll_solve(ok, a, LL_LOCAL), ll_inv(a),
        ll_rinv(a), ll_pinv(a), ll_nullspace(a), ll_image(a),
        ll_sub(a, "lane", "i"), ll_order_in(a, "lane"), ll_order_out(a, "i"),
        ll_reshape_in(a, ll_shape_of("x=4")),
        ll_reshape_out(a, ll_shape_of("x=4")), ll_flatten_in(a, LL_WARP),
        ll_flatten_out(a, LL_J), ll_rename_in(a, "lane", "warp"),
        ll_rename_out(a, "i", "j"), ll_resize_in(a, LL_LANE, 2),
        ll_resize_out(a, LL_I, 2), ll_concat_in(a, ok), ll_concat_in(ok, a),
        ll_concat_out(a, ok), ll_flip(a, LL_I, 1),
        ll_permute(a, LL_LANE, ll_perm_swap(2, 0, 1)),
        ll_quotient(a, "lane"), ll_trans(a, "i"), ll_trans_back(a, "i"),
        ll_unsqueeze(a, 0), ll_unsqueeze_back(a, 0), ll_broadcast(a, LL_I, 2),
        ll_broadcast_back(a, LL_I), ll_reduce(a, 0), ll_reduce_back(a, 0, 2),
        ll_join(a), ll_split(a), ll_swizzle(a, ok, 32, hopper()),
        ll_swizzle(ok, a, 32, hopper())};
    for (unsigned k = 0; k < sizeof out / sizeof out[0]; ++k) {
        int same = memcmp(&out[k], bad, sizeof *bad) == 0;
        CHECK(same);
        if (!same) {
            printf("  function %u of invalid layout %u\n", k, which);
        }
    }
}

static void invalid_layouts_travel_unchanged(void) {
    const ll_layout bad[4] = {L("lane: i0 ?"), L("lane: i1 -> 2"),
                              ll_inv(L("lane: i0 i0 -> 4")), L("")};
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_layout *a = &bad[k];
        CHECK(a->err);
        check_travels(a, k);
        CHECK(ll_apply(*a, 1) == 0 && ll_rank(*a) == 0);
        CHECK(!ll_is_equal(*a, *a) && !ll_is_injective(*a));
        CHECK(!ll_is_surjective(*a) && !ll_is_invertible(*a));
        CHECK(!ll_is_distributed(*a) && !ll_is_memory(*a));
        CHECK(ll_free_bits(*a) == 0 && !ll_reaches(*a, 0));
        CHECK(ll_contiguous(*a, LL_I) == 0u && ll_along(*a, LL_I) == 0u);
        CHECK(!ll_is_trivial(*a, "") && ll_map_of(*a).n == 0);
        CHECK(ll_vector(*a, 4) == 0 && ll_widest(*a, bad[3], 32, 16) == 0);
        CHECK(ll_wavefronts(*a, bad[3], 32, 4, LL_READ, hopper()) == 0);
        CHECK(ll_plan_of(*a, bad[3], 32, hopper()).err == a->err);
        CHECK(ll_plan_of(bad[3], *a, 32, hopper()).err != LL_OK);
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
    RUN(damaged_text_does_no_harm);
    RUN(names_and_shapes_are_read_or_refused);
    RUN(sides_hold_32_bits_at_most);
    RUN(an_error_at_the_first_character_names_it);
    RUN(a_table_has_up_to_65536_cells);
    RUN(no_buffer_is_too_small);
    RUN(no_two_errors_have_one_number);
    RUN(every_error_has_its_own_sentence);
    RUN(missing_dimensions_are_named);
    RUN(makers_refuse_what_they_say);
    RUN(algebra_refuses_what_it_says);
    RUN(surgery_refuses_what_it_says);
    RUN(shapes_refuse_what_they_say);
    RUN(plans_refuse_what_they_say);
    RUN(errors_name_the_character_or_the_value);
    RUN(a_comparison_names_the_first_difference);
    RUN(plans_that_are_none_name_the_value);
    RUN(a_step_has_its_sentence);
    RUN(an_access_has_its_sentence);
    RUN(a_plan_says_what_it_needs);
    RUN(a_plan_says_whether_less_is_possible);
    RUN(nibbles_have_their_sentences);
    RUN(an_odd_element_is_named);
    RUN(a_gather_has_its_sentences);
    RUN(a_difference_names_its_input);
    RUN(a_preshuffle_looks_before_it_shifts);
    RUN(hops_of_too_many_lanes_are_any);
    RUN(plans_are_of_the_kind_that_was_asked_for);
    RUN(invalid_layouts_travel_unchanged);
    return test_end();
}
