/* test_edges.c - the largest layouts, and arguments beside the last valid one.
 * SPDX-License-Identifier: MIT
 *
 * Layouts of 32 bits and sixteen dimensions a side go through the functions of
 * the host and are compared with evaluation. `make sanitize` sees an access
 * behind the last of anything. Then come the smallest changes of an argument
 * that make it invalid.
 */
#include "definition.h"

#define LOW "register lane warp block a b c d"
#define HIGH "e f g h A B C D"
#define FAST "x w v u t s r q"
#define SLOW "p o n m l k j i"
static const char *const places = LOW " " HIGH;
static const char *const axes = FAST " " SLOW;

/* Ways in which 32 bits stand in sixteen dimensions. Behind the last bit there
 * may be dimensions of size 1. */
static const unsigned short ways[6][16] = {
    {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    {5, 5, 5, 5, 5, 5, 2},
    {32},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32},
    {31, 1},
    {0, 1, 0, 30, 0, 0, 0, 0, 0, 0, 1}};

static ll_shape full(const char *names, unsigned way) {
    ll_shape s = ll_shape_of(names);
    for (unsigned k = 0; k < 16u; ++k) {
        s.bits[k] = ways[way][k];
    }
    return s;
}

static unsigned low_ones(unsigned n) {
    return n < 32u ? (1u << n) - 1u : ~0u;
}

/* The coordinate of a word along dimension number k, by definition. */
static unsigned along(const ll_shape *s, unsigned k, unsigned word) {
    unsigned long long rest = word;
    for (unsigned m = 0; m < k; ++m) {
        rest >>= s->bits[m];
    }
    return (unsigned)rest & low_ones(s->bits[k]);
}

static unsigned number_of(const ll_shape *s, ll_dim d) {
    unsigned k = 0;
    while (k < s->n && s->dim[k] != d) {
        ++k;
    }
    return k;
}

/* The word of `to` with the coordinates that x has in `from`. */
static unsigned repacked(const ll_shape *from, const ll_shape *to, unsigned x) {
    unsigned long long y = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < to->n; ++k) {
        const unsigned m = number_of(from, to->dim[k]);
        const unsigned long long c = m < from->n ? along(from, m, x) : 0u;
        y |= (c & low_ones(to->bits[k])) << at;
        at += to->bits[k];
    }
    return (unsigned)y;
}

/* An invertible layout of 32 bits: columns are added to each other. */
static ll_layout square(unsigned in_way, unsigned out_way) {
    ll_layout a = ll_zero(full(places, in_way), full(axes, out_way));
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    for (unsigned k = 0; k < 200u; ++k) {
        const unsigned p = test_random(32);
        const unsigned q = test_random(32);
        a.basis[p] ^= p != q ? a.basis[q] : 0u;
    }
    a.offset = test_random(0);
    return a;
}

/* A layout of 32 bits that only renames bits. */
static ll_layout renaming(unsigned in_way, unsigned out_way) {
    ll_layout a = ll_zero(full(places, in_way), full(axes, out_way));
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    for (unsigned k = 31; k > 0; --k) {
        const unsigned q = test_random(k + 1u);
        const unsigned column = a.basis[k];
        a.basis[k] = a.basis[q];
        a.basis[q] = column;
    }
    return a;
}

static int same_values(const ll_layout *a, const ll_layout *b) {
    int same = !a->err && !b->err;
    for (unsigned k = 0; k < 12u; ++k) {
        const unsigned x = k < 2u ? 0u - k : test_random(0);
        same = same && value(a, x) == value(b, x);
    }
    return same;
}

/* ---- The largest layouts ------------------------------------------------- */

static void words_of_32_bits_are_taken_apart(void) {
    for (unsigned way = 0; way < 6u; ++way) {
        const ll_shape s = full(places, way);
        const unsigned x = test_random(0);
        unsigned all = 0;
        for (unsigned k = 0; k < 16u; ++k) {
            const unsigned part = along(&s, k, x);
            CHECK(ll_unpack(s, s.dim[k], x) == part);
            CHECK(repacked(&s, &s, ll_pack(s, s.dim[k], part)) ==
                  ll_pack(s, s.dim[k], part));
            all |= ll_pack(s, s.dim[k], part);
            CHECK(ll_size(s, s.dim[k]) ==
                  (s.bits[k] < 32u ? 1u << s.bits[k] : 0u));
        }
        CHECK(all == x);
        CHECK(ll_pack(s, LL_K, 5) == 0 && ll_unpack(s, LL_K, x) == 0);
        CHECK(ll_size(s, LL_K) == 1u);
    }
}

static void algebra_of_32_bits_is_evaluation(void) {
    for (unsigned n = 0; n < 36u; ++n) {
        const unsigned p = n % 6u;
        const unsigned q = n / 6u;
        const ll_layout a = square(p, q);
        const ll_layout g = ll_inv(a);
        ll_layout b = square(q, p);
        b.in = ll_rename_in(b, places, axes).in;
        const ll_layout c = ll_compose(b, a);
        const ll_layout to = square(p, q);
        const ll_layout x = ll_solve(a, to, n % 3u);
        const ll_layout kernel = ll_nullspace(a);
        const ll_layout image = ll_image(a);
        CHECK(!g.err && !c.err && !x.err && !kernel.err);
        CHECK(ll_check(a).err == LL_OK);
        CHECK(ll_rank(a) == 32u && bits_in(&kernel.in) == 0);
        CHECK(bits_in(&image.in) == 32u && ll_rank(image) == 32u);
        CHECK(ll_is_invertible(a) && ll_free_bits(a) == 0);
        CHECK(ll_is_equal(a, a) && ll_is_equal(ll_inv(g), a));
        const ll_layout right = ll_rinv(a);
        const ll_layout pseudo = ll_pinv(a);
        const ll_map m = ll_map_of(a);
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned y = k ? test_random(0) : ~0u;
            CHECK(ll_apply(a, y) == value(&a, y));
            CHECK(value(&c, y) == value(&b, value(&a, y)));
            CHECK(value(&g, value(&a, y)) == y);
            CHECK(value(&a, value(&right, y)) == y);
            CHECK(value(&pseudo, value(&a, y)) == y);
            CHECK(ll_map_at(m, y) == value(&a, y));
            CHECK(ll_reaches(a, y));
            CHECK(value(&a, value(&x, y)) == value(&to, y));
        }
        ll_layout other = a;
        other.basis[31] ^= 1u;
        CHECK(!ll_is_equal(a, other) && !ll_is_equal(other, a));
        other.basis[31] = other.basis[0];
        CHECK(ll_rank(other) == 31u && ll_free_bits(other) == 1u << 31);
        CHECK(!ll_is_invertible(other) && ll_inv(other).err == LL_ESINGULAR);
    }
}

/* A layout whose inputs and outputs fall into two halves. */
static void halves_of_32_bits_are_joined_and_cut(void) {
    for (unsigned n = 0; n < 40u; ++n) {
        ll_layout a = square(n % 6u, n / 6u % 6u);
        const ll_layout back = ll_order_in(
            ll_order_in(a, "D C B A h g f e d c b a block warp lane register"),
            places);
        CHECK(ll_is_equal(back, a));
        const ll_layout turned = ll_order_out(
            a, "i j k l m n o p q r s t u v w x");
        const ll_layout other = ll_order_in(a, HIGH " " LOW);
        const ll_layout ins = ll_concat_in(ll_sub(a, LOW, axes),
                                           ll_sub(a, HIGH, axes));
        const ll_layout outs = ll_concat_out(ll_sub(a, places, FAST),
                                             ll_sub(a, places, SLOW));
        const ll_layout whole = ll_sub(a, places, axes);
        const ll_layout flat = ll_flatten_out(ll_flatten_in(a, LL_OFFSET),
                                              LL_OFFSET);
        const ll_layout named = ll_rename_out(
            ll_rename_in(a, places, HIGH " " LOW), axes,
            "i j k l m n o p q r s t u v w x");
        const unsigned shift = ins.offset;
        CHECK(shift == 0 && same_values(&outs, &a));
        a.offset = 0;
        CHECK(same_values(&ins, &a));
        a = whole;
        CHECK(same_values(&flat, &a) && same_values(&named, &a));
        CHECK(flat.in.n == 1u && flat.out.bits[0] == 32u);
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned x = test_random(0);
            CHECK(repacked(&turned.out, &a.out, value(&turned, x)) ==
                  value(&a, x));
            CHECK(value(&other, repacked(&a.in, &other.in, x)) == value(&a, x));
        }
    }
    for (unsigned n = 0; n < 36u; ++n) {
        const ll_layout all = square(n % 6u, n / 6u);
        for (unsigned k = 0; k < 16u; ++k) {
            const ll_layout one =
                ll_identity(1, all.in.dim[k], all.out.dim[15u - k]);
            CHECK(ll_is_equal(ll_mul(all, one), all));
            CHECK(ll_is_equal(ll_mul(one, all), all));
            CHECK(ll_is_equal(ll_div(all, one), all));
            CHECK(ll_is_equal(ll_rdiv(all, one), all));
        }
    }
    const ll_layout low = square(0, 0);
    ll_layout a = ll_sub(low, LOW, FAST);
    ll_layout b = ll_sub(square(0, 0), HIGH, SLOW);
    a.offset &= 0xffffu;
    const ll_layout c = ll_mul(a, b);
    const ll_layout quotient = ll_div(c, a);
    CHECK(!c.err && bits_in(&c.in) == 32u && bits_in(&c.out) == 32u);
    const ll_layout first = ll_rdiv(c, b);
    CHECK(!quotient.err && !first.err);
    for (unsigned k = 0; k < 16u; ++k) {
        const unsigned x = test_random(0);
        CHECK(value(&c, x) == (value(&a, x & 0xffffu) |
                               value(&b, x >> 16) << 16));
        CHECK(value(&quotient, repacked(&b.in, &quotient.in, x >> 16)) ==
              repacked(&b.out, &quotient.out, value(&b, x >> 16)));
        CHECK(value(&first, repacked(&a.in, &first.in, x & 0xffffu)) ==
              repacked(&a.out, &first.out, value(&a, x & 0xffffu)));
    }
}

static void questions_of_32_bits_are_answered(void) {
    for (unsigned n = 0; n < 36u; ++n) {
        ll_layout a = renaming(n % 6u, n / 6u);
        CHECK(ll_is_distributed(a) && ll_is_memory(a));
        a.basis[31] ^= a.basis[0];
        CHECK(!ll_is_distributed(a) && ll_is_memory(a));
        a.basis[31] ^= a.basis[1];
        CHECK(!ll_is_memory(a));
        a.basis[31] = 0;
        CHECK(!ll_is_distributed(a) && !ll_is_memory(a));
        for (unsigned k = 0; k < 16u; ++k) {
            const unsigned bits = a.out.bits[k];
            const ll_layout whole = square(n % 6u, n / 6u);
            CHECK(ll_along(whole, whole.out.dim[k]) ==
                  (bits < 32u ? 1u << bits : 0u));
        }
        CHECK(ll_along(a, LL_OFFSET) == 1u);
    }
    for (unsigned way = 0; way < 6u; ++way) {
        ll_layout a = ll_zero(full(places, way), full(places, way));
        for (unsigned k = 0; k < 32u; ++k) {
            a.basis[k] = 1u << k;
        }
        CHECK(ll_is_trivial(a, places) && ll_is_trivial(a, "D"));
        CHECK(ll_quotient(a, places).in.n == 0);
        const ll_layout rest = ll_quotient(a, LOW);
        unsigned high = 0;
        for (unsigned k = 8; k < 16u; ++k) {
            high += ways[way][k];
        }
        CHECK(!rest.err && rest.in.n == 8u && bits_in(&rest.in) == high);
        a.basis[31] = 0;
        CHECK(!ll_is_trivial(a, places));
    }
    const ll_layout line = ll_row_major(full("j", 2));
    CHECK(ll_contiguous(line, LL_J) == 1u << 31);
}

static void permutations_of_32_bits_rename_indices(void) {
    unsigned bits[33];
    for (unsigned k = 0; k < 33u; ++k) {
        bits[k] = k;
    }
    for (unsigned k = 31; k > 0; --k) {
        const unsigned q = test_random(k + 1u);
        const unsigned bit = bits[k];
        bits[k] = bits[q];
        bits[q] = bit;
    }
    const ll_perm p = ll_perm_of(32, 32, bits);
    const ll_perm back = ll_perm_inv(p);
    const ll_perm none = ll_perm_then(p, back);
    const ll_layout a = square(2, 0);
    const ll_layout b = ll_permute(a, LL_REGISTER, p);
    CHECK(p.err == LL_OK && back.err == LL_OK && none.err == LL_OK && !b.err);
    for (unsigned k = 0; k < 16u; ++k) {
        const unsigned i = test_random(0);
        unsigned old = 0;
        for (unsigned m = 0; m < 32u; ++m) {
            old |= (i >> m & 1u) << bits[m];
        }
        CHECK(ll_perm_index(p, i) == old && ll_perm_index(back, old) == i);
        CHECK(ll_perm_index(none, i) == i);
        CHECK(value(&b, i) == value(&a, old));
    }
    CHECK(ll_perm_of(33, 33, bits).err == LL_EPERM);
    CHECK(ll_perm_of(33, 32, bits).err == LL_EPERM);
    CHECK(ll_perm_swap(32, 0, 31).err == LL_OK);
    CHECK(ll_perm_index(ll_perm_swap(32, 0, 31), 1) == 1u << 31);
    for (unsigned n = 31; n < 40u; ++n) {
        CHECK(ll_perm_swap(n, 0, n).err == LL_EPERM);
        CHECK(ll_perm_swap(n, n, 0).err == LL_EPERM);
        CHECK(ll_perm_swap(n, n, n).err == LL_EPERM);
        CHECK(ll_perm_swap(n, n + 1u, n + 1u).err == LL_EPERM);
    }
    /* one that has failed stays so */
    const unsigned twice[2] = {1, 1};
    const unsigned turn[2] = {1, 0};
    const ll_perm bad = ll_perm_of(2, 2, twice);
    const ll_perm good = ll_perm_of(2, 2, turn);
    CHECK(bad.err == LL_EPERM && ll_perm_inv(bad).err == LL_EPERM);
    CHECK(ll_perm_then(bad, good).err == LL_EPERM);
    CHECK(ll_perm_then(good, bad).err == LL_EPERM);
    CHECK(ll_permute(L("lane: i0 i1"), LL_LANE, bad).err == LL_EPERM);
    CHECK(ll_perm_of(40, 2, turn).n == 0 && ll_perm_of(40, 2, turn).of == 0);
}

static void shapes_of_16_axes_move_no_element(void) {
    for (unsigned way = 0; way < 6u; ++way) {
        const ll_layout a = square(5u - way, way);
        static const char order[] = "p i x o j w n k v m l u q t r s";
        const ll_layout t = ll_trans(a, order);
        const ll_layout back = ll_trans_back(t, order);
        static const char *const now[16] = {"p", "i", "x", "o", "j", "w",
                                            "n", "k", "v", "m", "l", "u",
                                            "q", "t", "r", "s"};
        CHECK(!t.err && !back.err && ll_is_equal(back, a));
        for (unsigned k = 0; k < 16u; ++k) {
            const unsigned x = test_random(0);
            const unsigned old = ll_shape_of(now[k]).n
                                     ? number_of(&a.out, ll_dim_of(now[k]))
                                     : 0u;
            const unsigned axis = number_of(&t.out, ll_axis(k));
            CHECK(along(&t.out, axis, value(&t, x)) ==
                  along(&a.out, old, value(&a, x)));
            CHECK(t.out.bits[axis] == a.out.bits[old]);
            const ll_layout flipped =
                ll_flip(a, a.out.dim[k], low_ones(a.out.bits[k]));
            CHECK(along(&a.out, k, value(&flipped, x)) ==
                  (~along(&a.out, k, value(&a, x)) &
                   low_ones(a.out.bits[k])));
            CHECK(a.out.bits[k] > 31u ||
                  ll_flip(a, a.out.dim[k], 1u << a.out.bits[k]).err ==
                      LL_ERANGE);
        }
        CHECK(ll_unsqueeze(a, LL_I).err == LL_EDIMS);
        CHECK(ll_unsqueeze(a, ll_axis(15)).err == LL_EDIMS);
        CHECK(ll_axis(15) == ll_dim_of("x") && ll_axis(16) == 0);
        /* 15 axes become 16, and 15 again */
        const ll_layout less =
            ll_unsqueeze_back(a, way == 3u ? ll_axis(15) : LL_I);
        CHECK((less.err == LL_OK) == (way != 0));
        for (unsigned k = 0; k < 16u && way; ++k) {
            const ll_layout e = ll_unsqueeze(less, ll_axis(k));
            CHECK(less.out.n == 15u);
            CHECK(!e.err && e.out.n == 16u && same_values(&e, &a));
            CHECK(e.out.bits[number_of(&e.out, ll_axis(k))] == 0);
            CHECK(ll_is_equal(ll_unsqueeze_back(e, ll_axis(k)), less));
        }
    }
    for (unsigned way = 0; way < 6u; ++way) {
        const ll_shape s = full(axes, way);
        const ll_layout rows = ll_row_major(s);
        const ll_layout cols = ll_col_major(s);
        ll_shape turned = s;
        for (unsigned k = 0; k < 16u; ++k) {
            turned.dim[k] = s.dim[15u - k];
            turned.bits[k] = s.bits[15u - k];
        }
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned x = test_random(0);
            CHECK(value(&rows, x) == x);
            CHECK(value(&cols, x) == repacked(&turned, &s, x));
        }
    }
}

static void text_of_32_bits_is_read_back(void) {
    static char buf[8192];
    for (unsigned n = 0; n < 36u; ++n) {
        const ll_layout a = square(n % 6u, n / 6u);
        CHECK(ll_str(a, buf, sizeof buf) < sizeof buf);
        const ll_layout b = ll_parse(buf);
        CHECK(!b.err);
        CHECK(bits_in(&b.in) == 32u && b.in.n == 16u);
        for (unsigned k = 0; k < 4u && !b.err; ++k) {
            const unsigned x = test_random(0);
            const unsigned y = value(&b, repacked(&a.in, &b.in, x));
            CHECK(repacked(&b.out, &a.out, y) == value(&a, x));
        }
        ll_layout other = a;
        other.basis[31] ^= 1u;
        const unsigned len = ll_compare(a, other, buf, sizeof buf);
        CHECK(len > 0 && len < sizeof buf && strlen(buf) == len);
        CHECK(ll_error("a", a, buf, sizeof buf) < sizeof buf);
    }
}

/* The columns behind the last are 0: functions count on it. */
static int is_tidy(const ll_layout *a) {
    int tidy = 1;
    for (unsigned k = bits_in(&a->in); k < 32u; ++k) {
        tidy = tidy && a->basis[k] == 0;
    }
    return tidy;
}

static void columns_behind_the_last_are_0(void) {
    const ll_layout a = L("register: j0 i0^j0 | lane: j1 i1 i2 | warp: j2 0");
    const ll_layout square_ = L("lane: i0 i0^i1 i2");
    const ll_shape s = ll_shape_of("j=8 i=4");
    const ll_layout made[] = {
        a, ll_swizzled(ll_shape_of("j=8"), 2, 1, 4), ll_row_major(s),
        ll_col_major(s), ll_swizzled(s, 2, 1, 4),
        ll_cute_swizzle(8, 2, 0, 2), ll_cute_swizzle(16, 2, 1, 2),
        ll_cute_swizzle(8, 1, 0, -2), ll_identity(4, LL_LANE, LL_I),
        ll_zeros(4, LL_LANE, LL_I, 2), ll_rinv(a), ll_pinv(a),
        ll_inv(square_), ll_nullspace(a), ll_image(a), ll_mul(a, square_),
        ll_div(a, L("warp: ")), ll_solve(a, a, LL_LOCAL),
        ll_sub(a, "lane", "j"), ll_resize_in(a, LL_LANE, 4),
        ll_resize_out(a, LL_J, 2), ll_concat_in(a, L("block: 0 -> j=8 | i=8")),
        ll_flip(a, LL_J, 5), ll_reduce(a, LL_J), ll_trans(a, "j i"),
        ll_unsqueeze(a, LL_I), ll_broadcast_back(a, LL_I),
        ll_bitcast(a, 16, 8), ll_scales_of(a, LL_J, 2),
        ll_scales_each(a, LL_J, 2), ll_scales_back(a, LL_J, 2),
        ll_renumber(a, LL_J, L("k: k1 k0 k2")), ll_rows(16, 16, 2),
        ll_order_in(a, "warp lane register"),
        ll_rename_out(a, "i j", "j i")};
    for (unsigned k = 0; k < sizeof made / sizeof *made; ++k) {
        CHECK(!made[k].err && is_tidy(&made[k]));
    }
}

/* A name that is not one of sixteen others is absent. */
static void sixteen_names_do_not_hide_one_more(void) {
    static const char *const ins = "q r s t u v w x Q R S T U V W X";
    ll_layout a = ll_zero(ll_shape_of(ins), ll_shape_of(axes));
    for (unsigned k = 0; k < 16u; ++k) {
        a.in.bits[k] = a.out.bits[k] = 1;
        a.basis[k] = 1u << (15u - k);
    }
    const ll_layout turned = ll_rename_out(a, "x", "lane");
    char buf[2048];
    CHECK(ll_unpack(a.out, LL_LANE, 65535) == 0);
    CHECK(ll_pack(a.out, LL_LANE, 1) == 0);
    CHECK(ll_size(a.out, LL_LANE) == 1u);
    CHECK(ll_along(a, LL_LANE) == 1u && ll_contiguous(a, LL_LANE) == 1u);
    CHECK(ll_compose(ll_rename_in(a, ins, places), a).err == LL_EMATCH);
    CHECK(ll_concat_in(a, ll_rename_in(turned, "q", "a")).err == LL_EMATCH);
    CHECK(ll_solve(a, turned, LL_FIRST).err == LL_EMATCH);
    CHECK(!ll_is_equal(a, turned) && !ll_is_equal(turned, a));
    CHECK(!ll_is_trivial(a, "lane") && !ll_is_trivial(a, "q"));
    CHECK(ll_quotient(a, "lane").err == LL_ENOTTRIVIAL);
    CHECK(ll_compare(a, turned, buf, sizeof buf) > 0);
    CHECK(ll_compare(turned, a, buf, sizeof buf) > 0);
    CHECK(ll_reduce(a, LL_LANE).err == LL_EMISSING);
    CHECK(ll_reduce(a, LL_I).out.n == 15u);
    CHECK(ll_broadcast(a, LL_LANE, 2).err == LL_EMISSING);
    CHECK(ll_broadcast_back(a, LL_LANE).err == LL_EMISSING);
    CHECK(ll_flip(a, LL_LANE, 1).err == LL_EMISSING);
    CHECK(ll_split(a).err == LL_ENOTREGISTER);
    CHECK(ll_scales_of(a, LL_LANE, 2).err == LL_EMISSING);
    CHECK(ll_scales_back(a, LL_LANE, 2).err == LL_EMISSING);
    CHECK(ll_permute(a, LL_LANE, ll_perm_swap(1, 0, 0)).err == LL_EMISSING);
    CHECK(ll_renumber(a, LL_LANE, L("k: k0")).err == LL_EMISSING);
    CHECK(ll_resize_in(a, LL_LANE, 2).err == LL_EDIMS);
    CHECK(ll_rdiv(a, L("lane: i0")).err == LL_ENOTILE);
    CHECK(ll_div(a, L("q: lane0")).err == LL_ENOTILE);
    CHECK(ll_sub(a, "lane", "i").err == LL_EMISSING);
    const ll_layout twice = ll_mul(a, a);
    for (unsigned n = 0; n < 1000u; ++n) {
        const unsigned x = test_random(0);
        unsigned low = 0;
        unsigned high = 0;
        for (unsigned k = 0; k < 16u; ++k) {
            low |= (x >> 2u * k & 1u) << k;
            high |= (x >> (2u * k + 1u) & 1u) << k;
        }
        low = value(&a, low);
        high = value(&a, high);
        unsigned y = 0;
        for (unsigned k = 0; k < 16u; ++k) {
            y |= (low >> k & 1u) << 2u * k | (high >> k & 1u) << (2u * k + 1u);
        }
        CHECK(value(&twice, x) == y);
    }
    CHECK(ll_mul(a, ll_identity(2, LL_LANE, LL_I)).err == LL_EDIMS);
    const ll_layout tiled = ll_tiled(
        L("lane: i0"), full(axes, 0), ll_shape_of("i=2"));
    CHECK(!tiled.err && bits_in(&tiled.in) == 32u && tiled.out.n == 16u);
    CHECK(ll_is_equal(ll_tiled(L("lane: i0"), ll_shape_of("i=4"),
                               ll_shape_of("k=2")),
                      L("lane: i0 | warp: 0 | register: i1")));
    CHECK(ll_compose(L("i: x0 | j: x1"), L("lane: i0")).err == LL_EMATCH);
}

/* ---- One step too far ---------------------------------------------------- */

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

/* Axes of 2^32 elements, and eight inputs of which none is of the hardware. */
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

/* ---- Lists of vectors ---------------------------------------------------- */

/* A list of vectors of five bits. What is behind its last one is no part of
 * it. */
static ll_span_ random_list(unsigned most) {
    ll_span_ l;
    l.n = test_random(most + 1u);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        l.v[k] = test_random(32);
    }
    return l;
}

/* The set of the vectors of a span, as a mask. */
static unsigned span_of(const ll_span_ *l, unsigned from, unsigned to) {
    unsigned set = 1;
    for (unsigned k = from; k < to; ++k) {
        unsigned more = set;
        for (unsigned y = 0; y < 32u; ++y) {
            more |= set >> y & 1u ? 1u << (y ^ l->v[k]) : 0u;
        }
        set = more;
    }
    return set;
}

/* Appends what is outside the span, one by one. */
static ll_span_ appended(ll_span_ l, const ll_span_ *from, unsigned most) {
    for (unsigned k = 0; k < from->n && l.n < most; ++k) {
        if (!(span_of(&l, 0, l.n) >> from->v[k] & 1u)) {
            l.v[l.n++] = from->v[k];
        }
    }
    return l;
}

static int is_same_list(const ll_span_ *a, unsigned from, const ll_span_ *b) {
    int same = a->n == from + b->n;
    for (unsigned k = 0; same && k < b->n; ++k) {
        same = a->v[from + k] == b->v[k];
    }
    return same;
}

static void check_lists(const ll_span_ *a, const ll_span_ *b) {
    const unsigned in_a = span_of(a, 0, a->n);
    const unsigned in_b = span_of(b, 0, b->n);
    unsigned count = 0, any = 0;
    while (count < a->n && in_b >> a->v[count] & 1u) {
        ++count;
    }
    CHECK(ll_in_span_(a, b) == count);
    const ll_span_ fresh = ll_span_independent_(a, b);
    const ll_span_ more = appended(*a, b, LL_MAX_BITS);
    CHECK(is_same_list(&more, a->n, &fresh));
    const unsigned most = test_random(8);
    ll_span_ l = *a;
    ll_span_append_(&l, b, most);
    const ll_span_ wanted = appended(*a, b, most);
    CHECK(is_same_list(&l, 0, &wanted));
    const ll_span_ both = ll_span_intersect_(a, b);
    CHECK(span_of(&both, 0, both.n) == (in_a & in_b));
    CHECK(1u << both.n == ll_popcount_(in_a & in_b));
    for (unsigned k = 0; k < a->n; ++k) {
        any |= a->v[k];
    }
    CHECK(ll_span_or_(a) == any);
}

/* The terms of what lies in the span of a list; what is left of a list when
 * the first vectors of a basis are taken out of it. */
static void check_terms(const ll_span_ *a, const ll_span_ *b) {
    const ll_span_ none = LL_ZERO;
    ll_span_ units = LL_ZERO;
    for (unsigned k = 0; k < 5u; ++k) {
        ll_span_push_(&units, 1u << k);
    }
    ll_span_ basis = appended(none, a, LL_MAX_BITS);
    const unsigned n = basis.n;
    basis = appended(basis, &units, LL_MAX_BITS);
    basis.v[5] = 1u + test_random(31);
    ll_span_ rest = *b;
    ll_span_project_low_(&rest, &basis, n);
    ll_span_ same = *b;
    ll_span_ first = basis;
    first.n = n;
    ll_span_project_(&same, &first);
    CHECK(is_same_list(&same, 0, &rest));
    const ll_span_ terms = ll_span_terms_(&basis, b);
    CHECK(rest.n == b->n && terms.n == b->n);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        unsigned sum = 0;
        for (unsigned m = 0; m < 5u; ++m) {
            sum ^= terms.v[k] >> m & 1u ? basis.v[m] : 0u;
        }
        CHECK(k >= b->n || (sum == b->v[k] && terms.v[k] < 32u));
        CHECK(k < b->n || rest.v[k] == b->v[k]);
        CHECK(span_of(&basis, 0, n) >> (rest.v[k] ^ b->v[k]) & 1u);
        CHECK(k >= b->n || (span_of(&basis, n, 5) >> rest.v[k] & 1u));
    }
}

/* Segments avoid both lists as long as that is possible: the sum of both leaves
 * a complement, and what only one of them has can be paired. */
static void check_segments(const ll_span_ *a, const ll_span_ *b) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ u = appended(none, a, LL_MAX_BITS);
    const ll_span_ v = appended(none, b, LL_MAX_BITS);
    const ll_span_ more = random_list(7);
    ll_span_ space = appended(u, &v, LL_MAX_BITS);
    const unsigned both = space.n;
    space = appended(space, &more, LL_MAX_BITS);
    const unsigned e = both - v.n, f = both - u.n;
    const unsigned apart = space.n - both + (e < f ? e : f);
    const unsigned all = space.n - both + (e > f ? e : f);
    for (unsigned n = 0; n < 7u; ++n) {
        const ll_span_ s = ll_segments_(&u, &v, &space, n);
        const unsigned set = span_of(&s, 0, s.n);
        const unsigned in_u = set & span_of(&u, 0, u.n);
        const unsigned in_v = set & span_of(&v, 0, v.n);
        CHECK(s.n == (n < all ? n : all));
        CHECK(ll_popcount_(set) == 1u << s.n);
        CHECK((set & ~span_of(&space, 0, space.n)) == 0);
        CHECK(n > apart || (in_u == 1u && in_v == 1u));
        CHECK(n <= apart || in_u == 1u || in_v == 1u);
        CHECK(s.n <= apart || ll_popcount_(in_u | in_v) == 1u << (s.n - apart));
    }
}

static void lists_end_behind_their_last_vector(void) {
    for (unsigned k = 0; k < times(4000u); ++k) {
        const ll_span_ a = random_list(7), b = random_list(7);
        check_lists(&a, &b);
        check_terms(&a, &b);
        check_segments(&a, &b);
    }
    ll_span_ full = random_list(0);
    unsigned behind = 0;
    for (full.n = 0; full.n < LL_MAX_BITS; ++behind) {
        ll_span_push_(&full, behind);
    }
    ll_span_push_(&full, 77);
    CHECK(full.n == LL_MAX_BITS && full.v[31] == 31u && behind == 32u);
}

static void names_have_their_numbers(void) {
    static const char *const text[] = {"register", "lane",  "warp", "block",
                                       "offset",   "basis", "i",    "j",
                                       "k"};
    static const ll_dim dim[] = {LL_REGISTER, LL_LANE,  LL_WARP,
                                 LL_BLOCK,    LL_OFFSET, LL_BASIS,
                                 LL_I,        LL_J,     LL_K};
    for (unsigned k = 0; k < sizeof dim / sizeof *dim; ++k) {
        char layout[32];
        snprintf(layout, sizeof layout, "%s: x0", text[k]);
        CHECK(ll_parse(layout).in.dim[0] == dim[k]);
    }
}

/* Sixteen dimensions, and a word with one that they lack: it is left out. */
static void words_lose_what_the_other_shape_lacks(void) {
    ll_shape to = ll_shape_of(places);
    ll_shape from = ll_shape_of("z=4 A=8");
    to.bits[number_of(&to, ll_dim_of("A"))] = 3;
    CHECK(to.n == LL_MAX_DIMS && ll_dim_of("A") != 0);
    for (unsigned x = 0; x < 32u; ++x) {
        CHECK(ll_shape_repack_(x, &from, &to) == x >> 2);
    }
    const ll_shape list = ll_shape_of("z A");
    CHECK(ll_shape_bits_of_(&to, &list) == 7u);
    const ll_shape absent = ll_shape_of("z y");
    CHECK(ll_shape_bits_of_(&to, &absent) == 0);
    CHECK(ll_shape_bits_of_(&from, &absent) == 3u);
}

/* As many rows as there are: 32 columns, and two for each of 33 preimages. */
static void places_of_32_bits_are_near(void) {
    for (unsigned k = 0; k < 20u; ++k) {
        ll_layout a = ll_zero(full(places, k % 6u), full(axes, k % 5u));
        for (unsigned n = 0; n < 32u; ++n) {
            a.basis[n] = 1u << n | (n ? test_random(1u << n) : 0u);
        }
        const ll_layout x = ll_solve(a, a, LL_LOCAL);
        CHECK(x.err == LL_OK);
        for (unsigned n = 0; n < 32u; ++n) {
            CHECK(x.basis[n] == 1u << n);
        }
    }
}

/* A list of rows takes as many as it has room for; what is too many is written
 * behind the last one, and lost. */
static void a_list_of_rows_does_not_overflow(void) {
    ll_echelon_ r = LL_ZERO;
    CHECK(sizeof r.row / sizeof *r.row > LL_ECHELON_ROWS_);
    for (unsigned k = 0; k < 2u * LL_ECHELON_ROWS_; ++k) {
        ll_echelon_load_(&r, k, ~k);
    }
    CHECK(r.n == LL_ECHELON_ROWS_);
    for (unsigned k = 0; k < r.n; ++k) {
        CHECK(r.row[k] == ((unsigned long long)~k << 32 | k));
    }
}

/* Of more than ten relations none that is added alone leaves fewer bits. */
static void no_relation_makes_a_sum_lighter(void) {
    unsigned twice = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        ll_relations_ r = LL_ZERO;
        r.n = 11u + test_random(6);
        for (unsigned k = 0; k < r.n; ++k) {
            r.mix[k] = test_random(0);
        }
        const unsigned x = test_random(0), least = ll_relations_lighten_(&r, x);
        unsigned once = x;
        for (unsigned k = 0; k < r.n; ++k) {
            CHECK(ll_popcount_(least ^ r.mix[k]) >= ll_popcount_(least));
            once = ll_popcount_(once ^ r.mix[k]) < ll_popcount_(once)
                       ? once ^ r.mix[k] : once;
        }
        twice += ll_popcount_(least) < ll_popcount_(once);
    }
    CHECK(twice > 20u);
}

/* As C sees them, from a layout and a plan themselves: words that hold all
 * elements, threads, and memory that is never an array without a byte. */
static void arrays_have_room_for_a_lane(void) {
#ifndef __cplusplus /* which takes names of constants instead */
    static const unsigned sizes[] = {4, 6, 8, 16, 32, 64, 128};
    ll_plan none = LL_ZERO, some = LL_ZERO;
    some.smem_bytes = 48;
    CHECK(LL_SMEM_BYTES(none) == 1u && LL_SMEM_BYTES(some) == 48u);
    for (unsigned k = 0; k < 7u * 7u; ++k) {
        const unsigned regs = 1u << k % 7u, lanes = 1u << k / 7u;
        const unsigned bits = sizes[k / 7u], warps = 1u << k % 5u;
        const ll_layout a =
            ll_mul(ll_mul(ll_identity(regs, LL_REGISTER, LL_I),
                          ll_identity(lanes, LL_LANE, LL_I)),
                   ll_identity(warps, LL_WARP, LL_I));
        unsigned words = 0, room = 0; /* elements of 6 bits take 8 */
        for (unsigned r = 0; r < regs; ++r) {
            const unsigned takes = bits == 6u ? 8u : bits;
            for (; room < takes; room += 32u) {
                ++words;
            }
            room -= takes;
        }
        CHECK(LL_REGS(a) == regs && LL_WORDS(a, bits) == words);
        CHECK(LL_THREADS(a) == lanes * warps && LL_BLOCKS(a) == 1u);
    }
#endif
}

/* Flags can be told apart in a sum, a mark of what is no register bit is none,
 * and what a user has not asked for is off. */
static void constants_keep_apart(void) {
    CHECK(LL_STREAM != 0 && LL_WIDE != 0 && LL_STREAM != LL_WIDE);
    CHECK((LL_STREAM & (LL_STREAM - 1)) == 0 && (LL_WIDE & (LL_WIDE - 1)) == 0);
    CHECK((unsigned)LL_APART >= LL_MAX_BITS && LL_STAY == 0);
    CHECK(LL_DEBUG == 0);
}

/* A map uses the bits whose columns are not 0. */
static void maps_use_the_bits_that_move_something(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        ll_layout a =
            ll_zero(ll_shape_of("lane=64"), ll_shape_of("offset=256"));
        unsigned used = 0;
        a.offset = test_random(256);
        for (unsigned k = 0; k < 6u; ++k) {
            a.basis[k] = test_random(2) ? test_random(256) : 0u;
            used |= a.basis[k] ? 1u << k : 0u;
        }
        const ll_map m = ll_map_of(a);
        CHECK(ll_map_used_(&m) == used);
    }
}

/* An atom is memory only by its one input, and this is said before what is
 * wrong with the swizzle. */
static void atoms_are_memory_alone(void) {
    const ll_shape s = ll_shape_of("j=64 i=64");
    const unsigned high = 40; /* more bits than any memory has */
    CHECK(ll_cute_tiled(L("offset: j0 i0"), s, 1, high, 1).err == LL_ECUTE);
    CHECK(ll_cute_tiled(L("lane: j0 i0"), s, 1, high, 1).err == LL_EMATCH);
    CHECK(ll_cute_tiled(L("offset: j0 | lane: i0"), s, 1, high, 1).err ==
          LL_EMATCH);
    CHECK(ll_is_equal(ll_layout_copies_(L("register: j0"), 4, LL_LANE),
                      L("register: j0 | lane: 0 0 -> j=2")));
}

/* The element of register 0 in each thread, in the units of the tensor. */
static void threads_begin_at_register_0(void) {
    const ll_layout h = L("register: j2^i1 | lane: j0^i0 j1 | warp: i1^j1");
    const ll_layout t = ll_thread_map_(h);
    CHECK(t.err == LL_OK && ll_shape_bits_(&t.in) == 3u);
    for (unsigned k = 0; k < 8u; ++k) {
        CHECK(value(&t, k) == value(&h, k << 1));
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(words_of_32_bits_are_taken_apart);
    RUN(algebra_of_32_bits_is_evaluation);
    RUN(halves_of_32_bits_are_joined_and_cut);
    RUN(questions_of_32_bits_are_answered);
    RUN(permutations_of_32_bits_rename_indices);
    RUN(shapes_of_16_axes_move_no_element);
    RUN(text_of_32_bits_is_read_back);
    RUN(columns_behind_the_last_are_0);
    RUN(sixteen_names_do_not_hide_one_more);
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
    RUN(lists_end_behind_their_last_vector);
    RUN(a_version_is_one_number);
    RUN(names_have_their_numbers);
    RUN(words_lose_what_the_other_shape_lacks);
    RUN(places_of_32_bits_are_near);
    RUN(a_list_of_rows_does_not_overflow);
    RUN(no_relation_makes_a_sum_lighter);
    RUN(arrays_have_room_for_a_lane);
    RUN(constants_keep_apart);
    RUN(maps_use_the_bits_that_move_something);
    RUN(atoms_are_memory_alone);
    RUN(threads_begin_at_register_0);
    return test_end();
}
