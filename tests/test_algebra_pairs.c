/* test_algebra_pairs.c - the algebra of two layouts, against evaluation.
 * SPDX-License-Identifier: MIT
 *
 * The oracle is a table: what each input gives, by the definition of a layout.
 * Preimages are found by looking through tables, never by elimination. All
 * pairs of small matrices are tried, then random ones.
 */
#include "definition.h"
#include "algebra.h"

/* ---- Two layouts --------------------------------------------------------- */

static ll_layout random_matrix(unsigned cols, unsigned rows, int affine) {
    ll_layout a =
        matrix(test_random(0), cols, rows, test_random(36));
    a.offset = affine ? test_random(1u << rows) : 0u;
    return a;
}

static void compose_is_evaluation(void) {
    for (unsigned code = 0; code < 512u * 512u; ++code) {
        ll_layout a = matrix(code & 511u, 3, 3, 6u * (code >> 3 & 3u));
        ll_layout b = matrix(code >> 9, 3, 3, 0);
        b.in = a.out;
        a.offset = code % 7u;
        b.offset = code % 5u;
        const ll_layout c = ll_compose(b, a);
        for (unsigned x = 0; x < 8u; ++x) {
            CHECK(value(&c, x) == value(&b, value(&a, x)));
        }
    }
}

static void compose_follows_labels(void) {
    for (unsigned k = 0; k < times(20000u); ++k) {
        const ll_layout a = random_matrix(3, 3, 1);
        ll_layout b = random_matrix(4, 3, 1);
        b.in = ll_shape_resized_(a.out, a.out.dim[0],
                                 2u << a.out.bits[0]); /* one is larger */
        char list[8] = "";
        for (unsigned d = 0; d < 3u; ++d) {
            const char *name = d == 0 ? "i " : d == 1u ? "k " : "j ";
            strcat(list, held_bits(&a.out, ll_axis(d == 0   ? 0
                                                    : d == 1 ? 2
                                                             : 1))
                             ? name
                             : "");
        }
        b = ll_order_in(b, list);
        const ll_layout c = ll_compose(b, a);
        CHECK(!c.err);
        for (unsigned x = 0; x < 8u; ++x) {
            unsigned y = repacked(&a.out, &b.in, value(&a, x));
            CHECK(value(&c, x) == value(&b, y));
        }
        CHECK(ll_compose(a, b).err == LL_EMATCH);
    }
}

static void compose_is_associative(void) {
    for (unsigned k = 0; k < times(20000u); ++k) {
        const ll_layout a = random_matrix(4, 3, 1);
        ll_layout b = random_matrix(3, 4, 1);
        ll_layout c = random_matrix(4, 2, 1);
        b.in = a.out;
        c.in = b.out;
        CHECK(ll_is_equal(ll_compose(ll_compose(c, b), a),
                          ll_compose(c, ll_compose(b, a))));
    }
}

/* The coordinates of a product: low bits from a, high ones from b. */
static unsigned low_part(const ll_shape *all, const ll_shape *low, unsigned x,
                         const ll_shape *part, int high) {
    unsigned y = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < part->n; ++k) {
        ll_dim d = part->dim[k];
        unsigned c = coordinate(all, d, x);
        unsigned n = held_bits(low, d);
        y |= (high ? c >> n : c & ((1u << n) - 1u)) << at;
        at += part->bits[k];
    }
    return y;
}

static void check_product(const ll_layout *a, const ll_layout *b) {
    const ll_layout c = ll_mul(*a, *b);
    CHECK(!c.err);
    CHECK(bits_in(&c.in) == bits_in(&a->in) + bits_in(&b->in));
    for (unsigned x = 0; !c.err && x < count_of(&c.in); ++x) {
        unsigned p = low_part(&c.in, &a->in, x, &a->in, 0);
        unsigned q = low_part(&c.in, &a->in, x, &b->in, 1);
        unsigned y = value(&c, x);
        CHECK(low_part(&c.out, &a->out, y, &a->out, 0) == value(a, p));
        CHECK(low_part(&c.out, &a->out, y, &b->out, 1) == value(b, q));
    }
}

static void product_is_block_diagonal(void) {
    for (unsigned k = 0; k < 65536u; ++k) {
        const ll_layout a = matrix(k & 255u, 2, 4, k % 35u);
        const ll_layout b = matrix(k >> 8, 4, 2, k % 31u);
        check_product(&a, &b);
    }
    for (unsigned k = 0; k < times(20000u); ++k) {
        const ll_layout a = random_matrix(3, 2, 1);
        const ll_layout b = random_matrix(2, 3, 1);
        check_product(&a, &b);
    }
}

static void product_respects_both_orders(void) {
    const ll_layout a = ll_parse("warp: i0 | lane: i1");
    const ll_layout b = ll_parse("lane: i0 | warp: i1");
    const ll_layout c = ll_parse("lane: i0 | register: i1 | warp: i2");
    const ll_layout d = ll_parse("block: i0 | warp: i1");
    CHECK(ll_mul(a, b).err == LL_EORDER);
    CHECK(ll_mul(c, a).err == LL_EORDER);
    const ll_layout e = ll_mul(b, c);
    CHECK(ll_is_equal(e, ll_parse("lane: i0 i2 | register: i3 | "
                                  "warp: i1 i4")));
    const ll_layout f = ll_mul(b, d);
    CHECK(ll_is_equal(f, ll_parse("lane: i0 | block: i2 | warp: i1 i3")));
    check_product(&b, &c);
    check_product(&c, &b);
    check_product(&b, &d);
}

static void product_is_associative(void) {
    unsigned both = 0;
    for (unsigned k = 0; k < times(20000u); ++k) {
        const ll_layout a = random_matrix(3, 3, 1);
        const ll_layout b = random_matrix(2, 4, 1);
        const ll_layout c = random_matrix(4, 2, 1);
        const ll_layout p = ll_mul(ll_mul(a, b), c);
        const ll_layout q = ll_mul(a, ll_mul(b, c));
        CHECK(p.err == LL_OK || p.err == LL_EORDER);
        CHECK(q.err == LL_OK || q.err == LL_EORDER);
        if (!p.err && !q.err && ll_shape_same_names_(&p.in, &q.in) &&
            ll_shape_same_names_(&p.out, &q.out)) {
            CHECK(ll_is_equal(p, q));
            ++both;
        }
    }
    COVERS(both > 5000u);
}

static void division_undoes_product(void) {
    for (unsigned k = 0; k < times(60000u); ++k) {
        const ll_layout a = random_matrix(2u + k % 3u, 2u + k / 3u % 3u, 1);
        const ll_layout b = random_matrix(2u + k / 9u % 3u, 2, 1);
        const ll_layout c = ll_mul(a, b);
        const ll_layout q = ll_div(c, a);
        const ll_layout r = ll_rdiv(c, b);
        CHECK(!q.err && !r.err);
        CHECK(ll_is_equal(ll_mul(a, q), c));
        CHECK(ll_is_equal(ll_mul(r, b), c));
        const ll_layout again = ll_mul(a, q);
        CHECK(ll_is_equal(ll_div(again, a), q));
    }
}

/* Is a block diagonal with t in the low (or high) bits? By evaluation. */
static int has_tile(const ll_layout *a, const ll_layout *t, int high) {
    ll_shape in = a->in;
    ll_shape out = a->out;
    for (unsigned side = 0; side < 2u; ++side) {
        ll_shape *s = side ? &out : &in;
        const ll_shape *part = side ? &t->out : &t->in;
        for (unsigned k = 0; k < s->n; ++k) {
            unsigned n = held_bits(part, s->dim[k]);
            if (n > s->bits[k]) {
                return 0;
            }
            s->bits[k] = (unsigned short)(high ? s->bits[k] - n : n);
        }
        for (unsigned k = 0; k < part->n; ++k) {
            if (ll_shape_find_(s, part->dim[k]) == s->n) {
                return 0;
            }
        }
    }
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        for (unsigned z = 0; z < count_of(&a->in); ++z) {
            unsigned p = low_part(&a->in, &in, x, &a->in, !high);
            unsigned q = low_part(&a->in, &in, z, &a->in, !high);
            unsigned u = low_part(&a->out, &out, value(a, x), &a->out, !high);
            unsigned v = low_part(&a->out, &out, value(a, z), &a->out, !high);
            if (p == q && u != v) {
                return 0; /* the rest sees the tile */
            }
        }
        unsigned e = low_part(&a->in, &in, x, &t->in, high);
        unsigned y = low_part(&a->out, &out, value(a, x), &t->out, high);
        if (y != value(t, e)) {
            return 0;
        }
    }
    return 1;
}

static void division_exists_exactly_for_tiles(void) {
    unsigned found = 0;
    for (unsigned code = 0; code < 4096u; ++code) {
        const ll_layout left = matrix(code / 4u, 2, 2, test_random(36));
        ll_layout a = matrix(code, 4, 3, test_random(36));
        if (code % 4u == 0) {
            a = ll_mul(left, matrix(code / 64u, 2, 2, test_random(36)));
            a = a.err ? ll_mul(left, left) : a;
        }
        for (unsigned t = 0; t < 16u; ++t) {
            const ll_layout any = matrix(t, 2, 2, test_random(36));
            const ll_layout tile = t ? any : left;
            int low = has_tile(&a, &tile, 0);
            CHECK(ll_div(a, tile).err == (low ? LL_OK : LL_ENOTILE));
            int high = has_tile(&a, &tile, 1);
            CHECK(ll_rdiv(a, tile).err == (high ? LL_OK : LL_ENOTILE));
            found += low + high > 0 ? 1u : 0u;
        }
    }
    CHECK(found > 100u);
}

static void concat_is_side_by_side(void) {
    for (unsigned k = 0; k < times(20000u); ++k) {
        const ll_layout a = random_matrix(3, 3, 1);
        ll_layout b = random_matrix(2, 3, 1);
        b.out = a.out;
        b.in = split(2, test_random(6), "x y z");
        const ll_layout c = ll_concat_in(a, b);
        CHECK(!c.err && ll_concat_in(a, a).err == LL_ETWICE);
        for (unsigned x = 0; x < 32u; ++x) {
            CHECK(value(&c, x) == (value(&a, x & 7u) ^ value(&b, x >> 3)));
        }
        ll_layout d = random_matrix(3, 2, 1);
        d.in = a.in;
        d.out = split(2, test_random(6), "x y z");
        const ll_layout e = ll_concat_out(a, d);
        CHECK(!e.err && ll_concat_out(a, a).err == LL_ETWICE);
        for (unsigned x = 0; x < 8u; ++x) {
            CHECK(value(&e, x) == (value(&a, x) | value(&d, x) << 3));
        }
    }
}

/* ---- Solving ------------------------------------------------------------- */

/* Input bits of b in dimensions behind the first d. */
static unsigned beyond(const ll_shape *s, unsigned d) {
    unsigned at = 0;
    for (unsigned k = 0; k < d; ++k) {
        at += s->bits[k];
    }
    return ~((1u << at) - 1u);
}

/* Is x the lightest preimage of y (linear) that keeps to the first d
 * dimensions, other bits being `own`, for the smallest d that there is? */
static int is_local(const ll_layout *b, unsigned y, unsigned own,
                    unsigned x) {
    for (unsigned d = 1; d <= b->in.n; ++d) {
        unsigned high = beyond(&b->in, d);
        unsigned best = 99;
        for (unsigned z = 0; z < count_of(&b->in); ++z) {
            if (!((z ^ own) & high) && (value(b, z) ^ b->offset) == y) {
                best = weight(z) < best ? weight(z) : best;
            }
        }
        if (best != 99u) {
            return !((x ^ own) & high) && weight(x) == best;
        }
    }
    return 0;
}

static void check_policy(const ll_layout *b, const ll_layout *a,
                         unsigned policy, const ll_layout *x) {
    unsigned free_bits = ll_free_bits(*b);
    for (unsigned k = 0; k <= bits_in(&a->in); ++k) {
        int column = k < bits_in(&a->in);
        unsigned y = column ? a->basis[k] : a->offset ^ b->offset;
        unsigned got = column ? x->basis[k] : x->offset;
        unsigned own = column ? repacked(&a->in, &b->in, 1u << k) : 0u;
        CHECK(policy != LL_FIRST || !(got & free_bits));
        CHECK(policy != LL_LIGHT || weight(got) == lightest(b, y));
        CHECK(policy != LL_LOCAL || is_local(b, y, own, got));
    }
}

static void check_solve(const ll_layout *b, const ll_layout *a) {
    int solvable = 1;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        solvable = solvable && hits(b, value(a, x));
    }
    for (unsigned policy = LL_FIRST; policy <= LL_LOCAL; ++policy) {
        const ll_layout x = ll_solve(*b, *a, policy);
        CHECK(x.err == (solvable ? LL_OK : LL_ENOSOLUTION));
        for (unsigned p = 0; solvable && p < count_of(&a->in); ++p) {
            CHECK(value(b, value(&x, p)) == value(a, p));
        }
        if (solvable) {
            check_policy(b, a, policy, &x);
        }
    }
}

static void solve_of_all_3x3_pairs(void) {
    for (unsigned code = 0; code < 512u * 512u; code += 1u + code % 3u) {
        ll_layout a = matrix(code & 511u, 3, 3, code % 11u % 6u);
        ll_layout b = matrix(code >> 9, 3, 3, code % 13u % 6u);
        b.offset = code % 3u ? 0u : code % 8u;
        check_solve(&b, &a);
    }
}

static ll_layout kept[2000];
static unsigned n_kept;

static void keep(ll_layout a) {
    if (bits_in(&a.out) == 3u && a.out.bits[0] == 3u &&
        a.out.dim[0] == LL_K && n_kept < 2000u) {
        kept[n_kept++] = a;
    }
}

/* Every solution between distributed layouts, over dimensions that differ. */
static void solve_of_distributed_pairs(void) {
    n_kept = 0;
    each_distributed(keep);
    CHECK(n_kept > 100u);
    for (unsigned k = 0; k < times(60000u); ++k) {
        const ll_layout *a = &kept[test_random(n_kept)];
        check_solve(&kept[test_random(n_kept)], a);
    }
    for (unsigned k = 0; k < times(20000u); ++k) {
        ll_layout a = random_matrix(4, 3, 1);
        ll_layout b = random_matrix(4, 3, 1);
        b.out = a.out;
        check_solve(&b, &a);
    }
}

/* A layout that meets another in every dimension stays where it is. */
static void local_solution_of_itself_is_identity(void) {
    n_kept = 0;
    each_distributed(keep);
    for (unsigned k = 0; k < n_kept; ++k) {
        const ll_layout x = ll_solve(kept[k], kept[k], LL_LOCAL);
        for (unsigned d = 1; !x.err && d < kept[k].in.n; ++d) {
            unsigned start = 0;
            for (unsigned e = 0; e < d; ++e) {
                start += kept[k].in.bits[e];
            }
            for (unsigned bit = 0; bit < kept[k].in.bits[d]; ++bit) {
                CHECK(x.basis[start + bit] == 1u << (start + bit));
            }
        }
        CHECK(!x.err);
    }
}

/* ---- Trivial dimensions and permutations --------------------------------- */

/* The word with dimension d set to 0. */
static unsigned without(const ll_shape *s, ll_dim d, unsigned x) {
    for (unsigned k = 0; k < 32u; ++k) {
        x &= coordinate(s, d, 1u << k) ? ~(1u << k) : ~0u;
    }
    return x;
}

static void check_trivial(ll_layout a, const char *name) {
    ll_dim d = ll_dim_of(name);
    int ok = ll_shape_find_(&a.in, d) < a.in.n &&
             ll_shape_find_(&a.out, d) < a.out.n &&
             held_bits(&a.in, d) == held_bits(&a.out, d);
    const ll_layout q = ll_quotient(a, name);
    for (unsigned x = 0; ok && x < count_of(&a.in); ++x) {
        unsigned y = value(&a, x);
        unsigned z = value(&a, without(&a.in, d, x));
        ok = coordinate(&a.out, d, y) == coordinate(&a.in, d, x) &&
             without(&a.out, d, y) == without(&a.out, d, z);
    }
    CHECK(ll_is_trivial(a, name) == ok);
    CHECK(q.err == (ok ? LL_OK : LL_ENOTTRIVIAL));
    for (unsigned x = 0; ok && x < count_of(&q.in); ++x) {
        unsigned y = value(&a, repacked(&q.in, &a.in, x));
        CHECK(value(&q, x) == repacked(&a.out, &q.out, y));
    }
}

static void quotient_leaves_out_what_is_trivial(void) {
    unsigned found = 0;
    for (unsigned code = 0; code < 512u; ++code) {
        for (unsigned way = 0; way < 8u * 36u; ++way) {
            ll_layout a = matrix(code, 3, 3, way % 36u);
            a.out = split(3, way / 6u % 6u, hardware);
            a.offset = way / 36u;
            check_trivial(a, "register");
            check_trivial(a, "lane");
            check_trivial(a, "warp");
            found += ll_is_trivial(a, "warp lane") ? 1u : 0u;
        }
    }
    CHECK(found > 1u);
    CHECK(ll_is_trivial(ll_parse("lane: lane0 | warp: warp0"), "lane warp"));
}

static void check_perm(ll_perm p, const unsigned *bits, unsigned of,
                       unsigned n) {
    unsigned columns[4] = {1, 2, 4, 8};
    ll_layout a = ll_zero(ll_with(ll_shape_of("x=2"), LL_LANE, 1u << of),
                          ll_shape_of("i=16 j=2"));
    a = ll_resize_in(a, LL_WARP, 2);
    memcpy(a.basis + 1, columns, of * sizeof(unsigned));
    a.basis[0] = 16;
    a.basis[1u + of] = 17;
    const ll_layout b = ll_permute(a, LL_LANE, p);
    CHECK(!b.err && held_bits(&b.in, LL_LANE) == n);
    for (unsigned i = 0; i < 1u << n; ++i) {
        unsigned old = 0;
        for (unsigned k = 0; k < n; ++k) {
            old |= (i >> k & 1u) << bits[k];
        }
        CHECK(ll_perm_index(p, i) == old);
        for (unsigned w = 0; w < 4u; ++w) {
            unsigned x = (w & 1u) | i << 1 | (w >> 1) << (n + 1u);
            unsigned z = (w & 1u) | old << 1 | (w >> 1) << (of + 1u);
            CHECK(value(&b, x) == value(&a, z));
        }
    }
    const ll_perm inverse = ll_perm_inv(p);
    CHECK(inverse.err == (n == of ? LL_OK : LL_EPERM));
    if (n == of) {
        const ll_perm one = ll_perm_then(p, inverse);
        for (unsigned i = 0; i < 1u << n; ++i) {
            CHECK(ll_perm_index(one, i) == i);
        }
        CHECK(ll_is_equal(ll_permute(b, LL_LANE, inverse), a));
    }
}

static void permutations_rename_indices(void) {
    for (unsigned code = 0; code < 5u * 625u; ++code) {
        unsigned bits[4];
        unsigned n = code / 625u;
        unsigned rest = code;
        unsigned seen = 0;
        int ok = 1;
        for (unsigned k = 0; k < 4u; ++k, rest /= 5u) {
            bits[k] = rest % 5u;
            if (k < n) {
                ok = ok && bits[k] < 4u && !(seen >> bits[k] & 1u);
                seen |= 1u << bits[k];
            }
        }
        const ll_perm p = ll_perm_of(4, n, bits);
        CHECK(p.err == (ok ? LL_OK : LL_EPERM));
        if (ok) {
            check_perm(p, bits, 4, n);
        }
    }
    const unsigned pick[2] = {3, 1};
    const unsigned turn[2] = {1, 0};
    const ll_perm then =
        ll_perm_then(ll_perm_of(4, 2, pick), ll_perm_of(2, 2, turn));
    CHECK(then.of == 4u && then.n == 2u);
    CHECK(then.bit[0] == 1u && then.bit[1] == 3u);
    CHECK(ll_perm_then(ll_perm_of(2, 2, turn), ll_perm_of(4, 2, pick)).err ==
          LL_EPERM);
}

/* ---- Random layouts of realistic sizes ----------------------------------- */

/* Sides that are put together agree in names and sizes, and bring no error. */
static void sides_that_are_joined_agree(void) {
    const ll_layout two = L("lane: i0"), four = L("warp: i0 i1");
    const ll_layout bad = L("?");
    CHECK(ll_concat_in(two, four).err == LL_EMATCH);
    CHECK(ll_concat_in(four, two).err == LL_EMATCH);
    CHECK(ll_concat_in(L("lane: i0 j0"), four).err == LL_EMATCH);
    CHECK(ll_concat_out(L("lane: i0"), L("lane: j0 j1")).err == LL_EMATCH);
    CHECK(ll_concat_out(L("lane: i0 i1"), L("lane: j0")).err == LL_EMATCH);
    CHECK(ll_concat_in(bad, bad).err == LL_ETEXT);
    CHECK(ll_concat_out(bad, bad).err == LL_ETEXT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(compose_is_evaluation);
    RUN(compose_follows_labels);
    RUN(compose_is_associative);
    RUN(product_is_block_diagonal);
    RUN(product_respects_both_orders);
    RUN(product_is_associative);
    RUN(division_undoes_product);
    RUN(division_exists_exactly_for_tiles);
    RUN(concat_is_side_by_side);
    RUN(solve_of_all_3x3_pairs);
    RUN(solve_of_distributed_pairs);
    RUN(local_solution_of_itself_is_identity);
    RUN(quotient_leaves_out_what_is_trivial);
    RUN(permutations_rename_indices);
    RUN(sides_that_are_joined_agree);
    return test_end();
}
