/* test_edges_arguments.c - arguments beside the last valid one.
 * SPDX-License-Identifier: MIT
 *
 * The smallest change of an argument that makes it invalid is refused, and what
 * is still valid is not.
 */
#include "definition.h"
#include "edges.h"

static void sizes_are_powers_of_two_of_at_most_31_bits(void) {
    static const char *const beyond[] = {
        "i=42949672960", "i=4294967297", "i=4294967299", "i=8589934591",
        "i=8589934593",
        "i=18446744073709551616", "i=18446744073709551617",
        "i=18446744073709551619", "i=36893488147419103235",
        "i=99999999999999999999999999999999999999999"};
    for (unsigned k = 0; k < sizeof beyond / sizeof *beyond; ++k) {
        const ll_shape s = ll_shape_of(beyond[k]);
        CHECK(s.err == LL_ESIZE && s.value == ~0u);
    }
    CHECK(ll_shape_of("i=3").value == 3u);
    CHECK(ll_shape_of("i=4294967295").value == 4294967295u);
    CHECK(ll_shape_of("i=0").err == LL_ESIZE && ll_shape_of("i=0").value == 0);
    CHECK(ll_shape_of("i=4").value == 0 && ll_shape_of("i").bits[0] == 0);
    CHECK(ll_shape_of("i=4 i=2").err == LL_ETWICE);
    CHECK(ll_shape_of("i=4 i=2").value == 0);
    CHECK(ll_shape_of("i=2147483648").bits[0] == 31u);
    for (unsigned n = 0; n < 32u; ++n) {
        for (unsigned by = 0; by < 32u; ++by) {
            const ll_layout a = ll_strided(1u << n, 1u << by, LL_LANE, LL_I);
            CHECK(a.err == (n + by > 32u ? LL_EBITS : LL_OK));
            for (unsigned k = 0; k < n && n + by <= 32u; ++k) {
                CHECK(a.basis[k] == 1u << (k + by));
            }
        }
        if (n > 1u) {
            const unsigned odd = (1u << n) - 1u;
            const ll_layout a = ll_strided(odd, 1, LL_LANE, LL_I);
            const ll_layout b = ll_strided(1, odd, LL_LANE, LL_I);
            CHECK(a.err == LL_ESIZE && a.is == LL_AT_VALUE && a.at == odd);
            CHECK(b.err == LL_ESTEP && b.is == LL_AT_VALUE && b.at == odd);
            CHECK(ll_strided(odd, odd, LL_LANE, LL_I).err == LL_ESIZE);
            CHECK(ll_resize_in(L("lane: i0"), LL_LANE, odd).err == LL_ESIZE);
            CHECK(ll_resize_in(L("lane: i0"), LL_LANE, odd).at == odd);
        }
    }
    CHECK(ll_strided(0, 1, LL_LANE, LL_I).err == LL_ESIZE);
    CHECK(ll_strided(1, 0, LL_LANE, LL_I).err == LL_ESTEP);
    for (unsigned n = 0; n < 3000u; ++n) {
        const unsigned x = n < 33u ? low_ones(n) : test_random(0);
        unsigned ones = 0;
        for (unsigned rest = x; rest; rest >>= 1) {
            ones += rest & 1u;
        }
        CHECK(ll_popcount_(x) == ones);
    }
}

static void what_is_filled_in_by_hand_is_checked(void) {
    const ll_layout a = L("register: i0 i1 | lane: i2 i3 | warp: j0");
    CHECK(ll_check(a).err == LL_OK);
    for (unsigned k = 0; k < 5u; ++k) {
        ll_layout b = a;
        b.basis[k] |= 1u << 5;
        CHECK(ll_check(b).err == LL_ERANGE);
    }
    ll_layout b = a;
    b.offset = 32;
    CHECK(ll_check(b).err == LL_ERANGE);
    for (unsigned side = 0; side < 2u; ++side) {
        b = a;
        ll_shape *s = side ? &b.out : &b.in;
        s->n = 17;
        CHECK(ll_check(b).err == LL_EDIMS);
        b = a;
        s->bits[1] = 33;
        CHECK(ll_check(b).err == LL_EBITS);
        b = a;
        s->bits[0] = s->bits[1] = 20;
        CHECK(ll_check(b).err == LL_EBITS);
        b = a;
        s->dim[1] = s->dim[0];
        CHECK(ll_check(b).err == LL_ETWICE);
        b = a;
        s->dim[0] = 0;
        CHECK(ll_check(b).err == LL_ENAME);
    }
}

static void cute_swizzles_are_their_formula(void) {
    for (unsigned n = 0; n < 8u; ++n) {
        for (unsigned code = 0; code < 6u * 9u * 17u; ++code) {
            const unsigned b = code % 6u;
            const unsigned m = code / 6u % 9u;
            const int s = (int)(code / 54u) - 8;
            const unsigned by = s < 0 ? (unsigned)-s : (unsigned)s;
            const unsigned ones = (1u << b) - 1u;
            const ll_layout a = ll_cute_swizzle(1u << n, b, m, s);
            int fits = b <= by;
            for (unsigned x = 0; x < 1u << n && b <= by; ++x) {
                const unsigned y =
                    s < 0 ? x ^ (x & ones << m) << by
                          : x ^ (x & ones << (m + by)) >> by;
                fits = fits && y >> n == 0;
                CHECK(a.err || value(&a, x) == y);
            }
            CHECK(a.err == (fits ? LL_OK : LL_ECUTE));
        }
    }
    CHECK(ll_cute_swizzle(1u << 31, 0, 0, 32).err == LL_OK);
    CHECK(ll_cute_swizzle(1u << 31, 0, 32, 0).err == LL_OK);
    CHECK(ll_cute_swizzle(1u << 31, 0, 0, 33).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(1u << 31, 0, 33, 0).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(1u << 31, 1, 15, 16).err == LL_OK);
    CHECK(ll_cute_swizzle(1u << 31, 2, 15, 16).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(1u << 31, 1, 29, 2).err == LL_OK);
    CHECK(ll_cute_swizzle(1u << 31, 1, 30, 2).err == LL_ECUTE);
}

/* Memory in which the vectors of a row are permuted, by the definition. */
static void xored_rows_are_their_formula(void) {
    for (unsigned code = 0; code < 5u * 5u * 5u * 4u * 4u; ++code) {
        const unsigned v = code % 5u;
        const unsigned p = code / 5u % 5u;
        const unsigned m = code / 25u % 5u;
        const unsigned sizes[2] = {1u << code / 125u % 4u,
                                   1u << code / 500u % 4u};
        const ll_shape s = ll_tensor(2, sizes);
        const unsigned cols = sizes[1];
        const ll_layout one = ll_swizzled(s, 1u << v, 1u << p, 1u << m);
        const ll_layout two = ll_rotated(s, 1u << v, 1u << p, 1u << m);
        const int fits = 1u << (v + m) <= cols;
        CHECK(one.err == (fits ? LL_OK : LL_ESWIZZLE) && two.err == one.err);
        for (unsigned x = 0; fits && x < cols * sizes[0]; ++x) {
            const unsigned phase = x / cols >> p;
            const unsigned low = (phase & ((1u << m) - 1u)) << v;
            const unsigned high = (phase >> m & ((1u << m) - 1u)) << v;
            CHECK(value(&one, x) == (x ^ low));
            CHECK(value(&two, x) == (x ^ low ^ high));
        }
    }
    const unsigned top = 1u << 31;
    const ll_shape line = ll_shape_of("j=2147483648 i=2");
    CHECK(ll_is_equal(ll_swizzled(line, top, 1, 1), ll_row_major(line)));
    CHECK(ll_is_equal(ll_swizzled(line, 1, top, 1), ll_row_major(line)));
    CHECK(ll_is_equal(ll_swizzled(line, 1, 1, top),
                      ll_swizzled(line, 1, 1, 2)));
    CHECK(ll_swizzled(line, 2, 1, top).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(line, 3, 1, 1).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(line, 1, 3, 1).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(line, 1, 1, 3).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(line, 1, 1, 0).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(ll_shape_of("j=8"), 2, 1, 4).err == LL_OK);
    CHECK(ll_swizzled(ll_shape_of("j=8"), 2, 1, 8).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(ll_shape_of(""), 1, 1, 1).err == LL_OK);
    CHECK(ll_swizzled(ll_shape_of(""), 2, 1, 1).err == LL_ESWIZZLE);
}

static void sides_match_in_every_size_or_not_at_all(void) {
    const ll_layout a = L("lane: i0 j0 -> j=2 | i=2");
    static const char *const near[] = {
        "warp: i0 j0 -> j=2 | i=4", "warp: i0 j0 -> j=4 | i=2",
        "warp: i0 -> i=2", "warp: i0 j0 -> k=1 | j=2 | i=2",
        "warp: j0 -> j=4"};
    for (unsigned k = 0; k < sizeof near / sizeof *near; ++k) {
        const ll_layout b = L(near[k]);
        const ll_layout from_b = ll_zero(b.out, ll_shape_of("offset=4"));
        const ll_layout from_a = ll_zero(a.out, ll_shape_of("offset=4"));
        ll_layout at_b = ll_rename_out(from_b, "offset", "basis");
        CHECK(!b.err);
        CHECK(ll_concat_in(a, b).err == LL_EMATCH);
        CHECK(ll_concat_in(b, a).err == LL_EMATCH);
        CHECK(ll_concat_out(from_a, at_b).err == LL_EMATCH);
        CHECK(ll_concat_out(at_b, from_a).err == LL_EMATCH);
    }
    /* the same dimensions in another order */
    const ll_layout c = L("warp: i0 j0^i0 -> i=2 | j=2");
    const ll_layout d = ll_order_out(c, "j i");
    CHECK(c.out.dim[0] == LL_I || d.out.dim[0] == LL_J);
    const ll_layout turned = ll_order_out(c, "i j");
    const ll_layout ins = ll_concat_in(a, turned);
    CHECK(!ins.err && ins.basis[2] == placed(&ins.out, LL_I, 1) &&
          ins.basis[3] == (placed(&ins.out, LL_I, 1) |
                           placed(&ins.out, LL_J, 1)));
    const ll_layout p = L("lane: i0 | warp: i1");
    const ll_layout q = ll_order_in(L("lane: j0 | warp: j1"), "warp lane");
    const ll_layout outs = ll_concat_out(p, q);
    CHECK(!outs.err);
    CHECK(value(&outs, placed(&outs.in, LL_LANE, 1)) ==
          (placed(&outs.out, LL_I, 1) | placed(&outs.out, LL_J, 1)));
    CHECK(value(&outs, placed(&outs.in, LL_WARP, 1)) ==
          (placed(&outs.out, LL_I, 2) | placed(&outs.out, LL_J, 2)));
    const ll_layout x = ll_solve(turned, a, LL_FIRST);
    for (unsigned k = 0; k < 4u; ++k) {
        CHECK(repacked(&turned.out, &a.out, value(&turned, value(&x, k))) ==
              value(&a, k));
    }
    CHECK(ll_mul(turned, a).err == LL_EORDER);
    /* nothing to choose from */
    for (unsigned policy = 0; policy < 3u; ++policy) {
        const ll_layout none = ll_zero(ll_shape_of(""), ll_shape_of("i=2"));
        CHECK(ll_solve(none, L("lane: 0 -> i=2"), policy).err == LL_OK);
        CHECK(ll_solve(none, L("lane: i0"), policy).err == LL_ENOSOLUTION);
        CHECK(ll_solve(none, L("lane: 0 | 1: i0"), policy).err ==
              LL_ENOSOLUTION);
    }
    /* of two copies the first is read */
    CHECK(ll_is_equal(ll_rinv(L("register: i0 i0")),
                      L("i: register0 -> register=4")));
    CHECK(ll_is_equal(ll_rinv(L("register: i0 i1 i0^i1")),
                      L("i: register0 register1 -> register=8")));
    CHECK(ll_order_out(L("lane: i0 j0"), "i").err == LL_EMATCH);
    CHECK(ll_order_in(L("lane: i0 | warp: j0"), "lane").err == LL_EMATCH);
    CHECK(ll_trans(L("lane: i0 j0"), "i").err == LL_EMATCH);
    CHECK(ll_trans_back(L("lane: i0 j0"), "i i").err == LL_ETWICE);
    CHECK(ll_trans_back(L("lane: i0 j0"), "i").err == LL_EMATCH);
}

static void names_that_are_absent_are_no_names_of_size_1(void) {
    const ll_layout out = L("lane: lane0 -> lane=2 | warp=1");
    const ll_layout in = L("lane: lane0 | warp: -> lane=2");
    const ll_layout both = L("lane: lane0 | warp: -> lane=2 | warp=1");
    CHECK(!ll_is_trivial(out, "warp") && !ll_is_trivial(in, "warp"));
    CHECK(ll_is_trivial(both, "warp") && ll_is_trivial(both, "lane warp"));
    CHECK(!ll_is_trivial(both, "warp block"));
    CHECK(!ll_is_trivial(both, "block warp"));
    CHECK(ll_quotient(out, "warp").err == LL_ENOTTRIVIAL);
    /* an axis is cut out only where a register alone runs along it */
    CHECK(ll_split(L("register: j0 | lane: i0 i1")).err == LL_OK);
    CHECK(ll_split(L("register: j0 | lane: i0 i1^j0")).err ==
          LL_ENOTREGISTER);
    CHECK(ll_split(L("register: j0 | lane: i0^j0 i1")).err ==
          LL_ENOTREGISTER);
    CHECK(ll_split(L("register: j0 | lane: i0 i1 | 1: j0")).err ==
          LL_ENOTREGISTER);
    CHECK(ll_map_of(L("lane: ?")).n == 0);
    ll_layout bad = L("lane: i0 | 1: i0");
    bad.err = LL_EMATCH;
    CHECK(ll_map_of(bad).n == 0 && ll_map_of(bad).offset == 0);
}

static void axes_are_renumbered_by_layouts_of_their_size(void) {
    const ll_layout a = L("register: j0 | lane: i0 j1^i0 j2 -> j=8 | i=2");
    const ll_layout s = L("k: k1 k2^k0 k0 | 1: k1");
    const ll_layout b = ll_renumber(a, LL_J, s);
    for (unsigned x = 0; x < 16u; ++x) {
        const unsigned y = value(&a, x);
        CHECK(value(&b, x) == (value(&s, y & 7u) | (y & 8u)));
    }
    CHECK(ll_renumber(a, LL_I, L("k: k0 | 1: k0")).offset == 8u);
    static const char *const wrong[] = {
        "k: k0 k1 k2 | l: -> k=8", "k: k0 k1 k2 -> l=1 | k=8",
        "k: k0 k1 -> k=8", "k: k0 k1 k2 -> k=16", "k: k0 k1 0 -> k=4",
        "k: k0 k1 k2 k2 -> k=8", "k: k0 k1 -> k=4"};
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        CHECK(!L(wrong[k]).err);
        CHECK(ll_renumber(a, LL_J, L(wrong[k])).err == LL_EMATCH);
    }
}

static void families_refuse_the_next_size(void) {
    const ll_shape s = ll_shape_of("j=8 i=8");
    const ll_shape one = ll_shape_of("j=2");
    const ll_shape odd = ll_shape_of("j=3");
    CHECK(ll_blocked(s, one, one, one).err == LL_OK);
    CHECK(ll_blocked(s, odd, one, one).err == LL_ESIZE);
    CHECK(ll_blocked(s, one, odd, one).err == LL_ESIZE);
    CHECK(ll_blocked(s, one, one, odd).err == LL_ESIZE);
    CHECK(ll_blocked(odd, one, one, one).err == LL_ESIZE);
    ll_rows_spec rows = LL_ZERO;
    rows.rows = 8;
    rows.cols = 8;
    rows.bytes = 1;
    rows.access = 8;
    const ll_layout wide = ll_rows_of(rows);
    rows.access = 1u << 31;
    CHECK(!wide.err && ll_is_equal(ll_rows_of(rows), wide));
    rows.access = (1u << 31) + 1u;
    CHECK(ll_rows_of(rows).err == LL_EACCESS);
    CHECK(ll_bitcast(L("register: j0 j1 j2 j3"), 128, 3).at == 3u);
    CHECK(ll_bitcast(L("register: j0 j1 j2 j3"), 3, 128).at == 3u);
    CHECK(ll_bitcast(L("register: j0 j1 j2 j3"), 256, 8).at == 256u);
    CHECK(ll_is_equal(ll_bitcast(L("register: j0 | lane: i0"), 16, 16),
                      L("register: j0 | lane: i0")));
}

static void text_is_refused_at_its_first_wrong_character(void) {
    static const struct {
        const char *text;
        unsigned err, at;
    } wrong[] = {
        {"lane: i32", LL_EBITS, 7},  {"lane: i31 i32", LL_EBITS, 11},
        {"lane: i33", LL_EBITS, 7},  {"lane: 5", LL_ENAME, 7},
        {"lane: .5", LL_ETEXT, 7},   {"lane: 5.", LL_ETEXT, 7},
        {"lane: i0 -> i", LL_ETEXT, 13},
        {"lane: i0 -> 2x", LL_ETEXT, 14},
        {"lane: i0 j0 -> 2x", LL_ESIZE, 18},
        {"lane: i0 j0 -> 2", LL_ETEXT, 17},
        {"lane: i0 -> i=2 | =4", LL_ETEXT, 19},
        {"lane: abcdefghijk0", LL_ENAME, 7},
        {"abcdefghijk: i0", LL_ENAME, 1},
        {"lane: i0 -> abcdefghijk=2", LL_ENAME, 13},
        {"lane: i0 j0 -> 2y2", LL_ETEXT, 17}};
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        const ll_layout a = L(wrong[k].text);
        CHECK(a.err == wrong[k].err && a.at == wrong[k].at);
        CHECK(a.is == LL_AT_CHARACTER);
    }
    CHECK(L("lane: i0").is == LL_AT_NOTHING && L("lane: i0").at == 0);
    CHECK(L("lane: i31").out.bits[0] == 32u);
    /* register, lane, warp and block are faster than any axis, in this order */
    const ll_layout a = L("k: i0 block0 zzzzzzzzzz0 lane0 register0 warp0 j0");
    static const char *const order[7] = {"register", "lane", "warp", "block",
                                         "zzzzzzzzzz", "j", "i"};
    for (unsigned k = 0; k < 7u; ++k) {
        CHECK(a.out.dim[k] == ll_dim_of(order[k]));
    }
    /* a name that ends in a digit is parted from the number of the bit */
    char buf[64];
    CHECK(ll_str(L("k: a9.0 b0.1 c.2 _0 dA3"), buf, sizeof buf) > 0);
    CHECK(strstr(buf, "a9.0") && strstr(buf, "b0.1") && strstr(buf, " c2"));
    CHECK(strstr(buf, " _0") && strstr(buf, " dA3"));
}

/* The third line of what ll_compare writes. */
static const char *difference(ll_layout a, ll_layout b) {
    static char buf[1024];
    const char *line = buf;
    ll_compare(a, b, buf, sizeof buf);
    for (unsigned k = 0; k < 2u && line; ++k) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return line ? line : "";
}

static void comparisons_name_the_first_bit_that_differs(void) {
    static const char *const name[3] = {"register", "lane", "warp"};
    static const char *const term[6] = {"j0", "j1", "j2", "i0", "i1", "i2"};
    const ll_layout a = L("register: j0 j1 | lane: j2 i0 | warp: i1 i2");
    char text[128];
    for (unsigned k = 0; k < 5u; ++k) {
        ll_layout b = a;
        b.basis[k] = a.basis[k + 1u];
        b.basis[k + 1u] = a.basis[k];
        sprintf(text, "%s bit %u is %s in the first layout and %s in the "
                      "second\n",
                name[k / 2u], k % 2u, term[k], term[k + 1u]);
        CHECK(strcmp(difference(a, b), text) == 0);
    }
    ll_layout b = a;
    b.offset = 4;
    CHECK(strcmp(difference(a, b), "the affine part is 0 in the first layout "
                                   "and j2 in the second\n") == 0);
    CHECK(strcmp(difference(a, a),
                 "both put each element at the same place\n") == 0);
    CHECK(strncmp(difference(a, ll_resize_in(a, LL_LANE, 2)), "lane", 4) == 0);
    CHECK(strncmp(difference(ll_resize_in(a, LL_LANE, 2), a),
                  "the first layout lacks", 22) == 0);
    CHECK(strncmp(difference(ll_resize_in(a, LL_WARP, 8), a), "warp", 4) == 0);
    ll_layout less = a;
    less.basis[5] = 0;
    for (unsigned k = 0; k < 6u; ++k) {
        b = a;
        b.basis[5] = a.basis[k];
        b.basis[k] = 32u ^ 1u;
        b.offset = 3;
        CHECK(strcmp(difference(less, b), "the first layout lacks the element "
                                          "i=4 j=2 of the second\n") == 0);
    }
    b = a;
    b.offset = 32;
    CHECK(strcmp(difference(less, b), "the first layout lacks the element "
                                      "i=4 j=0 of the second\n") == 0);
}

/* Axes of 2^32 elements, and eight inputs with no hardware input among them. */
static void widths_of_the_longest_axes_are_found(void) {
    ll_layout a = ll_zero(ll_shape_of("register=65536 lane=65536"),
                          ll_shape_of("j=65536"));
    a.out.bits[0] = 32;
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    for (unsigned most = 0; most < 40u; ++most) {
        unsigned width = most ? 1u : 0u;
        while (2u * width <= most && most) {
            width *= 2u;
        }
        CHECK(ll_vector(a, most) == width);
    }
    CHECK(ll_vector(ll_parse("register: ->"), 8) == 1u);
    CHECK(ll_vector(ll_parse("x: j0"), 8) == 0);
    CHECK(ll_vector(ll_parse("?"), 8) == 0);
    CHECK(ll_vector(ll_parse("a: j0 | b: j1 | c: j2 | d: j3 | e: j4 | f: j5 | "
                             "g: j6 | h: j7"), 8) == 0);
}

/* The number of the version, also of one that has other parts. */
static void a_version_is_one_number(void) {
    CHECK(LL_VERSION / 10000 == LL_VERSION_MAJOR && LL_VERSION > 0);
    CHECK(LL_VERSION / 100 % 100 == LL_VERSION_MINOR &&
          LL_VERSION % 100 == LL_VERSION_PATCH);
#undef LL_VERSION_MAJOR
#undef LL_VERSION_MINOR
#undef LL_VERSION_PATCH
#define LL_VERSION_MAJOR 3
#define LL_VERSION_MINOR 14
#define LL_VERSION_PATCH 15
    CHECK(LL_VERSION == 31415);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(sizes_are_powers_of_two_of_at_most_31_bits);
    RUN(what_is_filled_in_by_hand_is_checked);
    RUN(cute_swizzles_are_their_formula);
    RUN(xored_rows_are_their_formula);
    RUN(sides_match_in_every_size_or_not_at_all);
    RUN(names_that_are_absent_are_no_names_of_size_1);
    RUN(axes_are_renumbered_by_layouts_of_their_size);
    RUN(families_refuse_the_next_size);
    RUN(text_is_refused_at_its_first_wrong_character);
    RUN(comparisons_name_the_first_bit_that_differs);
    RUN(widths_of_the_longest_axes_are_found);
    RUN(a_version_is_one_number);
    return test_end();
}
