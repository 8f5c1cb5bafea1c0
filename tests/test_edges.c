/* test_edges.c - the largest layouts.
 * SPDX-License-Identifier: MIT
 *
 * Layouts of 32 bits and sixteen dimensions a side go through the functions of
 * the host and are compared with evaluation. `make sanitize` sees an access
 * behind the last of anything.
 */
#include "definition.h"
#include "edges.h"

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
    return test_end();
}
