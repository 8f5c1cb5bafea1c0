/* test_algebra.c - questions to one layout, against evaluation.
 * SPDX-License-Identifier: MIT
 *
 * The oracle is a table: what each input gives, by the definition of a layout.
 * Inverses and ranks are found by looking through tables, never by elimination.
 * All small matrices are tried, then random large ones.
 */
#include "definition.h"
#include "algebra.h"

enum { MAX_TABLE = 64 };

static unsigned image_size(const ll_layout *a) {
    unsigned char hit[MAX_TABLE] = LL_ZERO;
    unsigned n = 0;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        unsigned y = value(a, x);
        n += hit[y] ? 0u : 1u;
        hit[y] = 1;
    }
    return n;
}

/* ---- All small layouts --------------------------------------------------- */

/* Every matrix of 3x3, 2x4 and 4x2 and 4x3, split anyhow, with an offset. */
static void each_matrix(each_fn fn) {
    static const unsigned size[5][2] = {{3, 3}, {2, 4}, {4, 2}, {2, 2}, {4, 3}};
    for (unsigned s = 0; s < 5u; ++s) {
        unsigned cols = size[s][0];
        unsigned rows = size[s][1];
        for (unsigned code = 0; code < 1u << (cols * rows); ++code) {
            ll_layout a = matrix(code, cols, rows, test_random(36));
            fn(a);
            for (unsigned b = 1; s != 4u && b < 1u << rows; ++b) {
                a.offset = b;
                fn(a);
            }
        }
    }
}

/* ---- One layout ---------------------------------------------------------- */

static void check_questions(ll_layout a) {
    unsigned ins = count_of(&a.in);
    unsigned size = image_size(&a);
    const ll_map m = ll_map_of(a);
    CHECK(1u << ll_rank(a) == size);
    CHECK(ll_is_injective(a) == (size == ins));
    CHECK(ll_is_surjective(a) == (size == count_of(&a.out)));
    CHECK(ll_is_invertible(a) == (size == ins && size == count_of(&a.out)));
    for (unsigned x = 0; x < ins; ++x) {
        CHECK(ll_apply(a, x) == value(&a, x));
        CHECK(ll_map_at(m, x) == value(&a, x));
        CHECK(ll_apply(a, x | 1u << 31) == value(&a, x));
    }
    for (unsigned y = 0; y < count_of(&a.out); ++y) {
        CHECK(ll_reaches(a, y) == hits(&a, y));
    }
    int distributed = a.offset == 0 && size == count_of(&a.out);
    int memory = a.offset == 0 && size == ins && size == count_of(&a.out);
    for (unsigned k = 0; k < bits_in(&a.in); ++k) {
        distributed &= weight(a.basis[k]) <= 1u;
        memory &= weight(a.basis[k]) <= 2u;
        for (unsigned m2 = 0; m2 < k; ++m2) {
            distributed &= !a.basis[k] || a.basis[k] != a.basis[m2];
        }
    }
    CHECK(ll_is_distributed(a) == distributed);
    CHECK(ll_is_memory(a) == memory);
    CHECK(!ll_check(a).err);
}

static void questions_agree_with_tables(void) {
    each_matrix(check_questions);
    each_distributed(check_questions);
}

/* An input bit is free if an input below it has the same linear value. */
static void check_free_bits(ll_layout a) {
    unsigned expected = 0;
    for (unsigned k = 0; k < bits_in(&a.in); ++k) {
        int found = 0;
        for (unsigned x = 0; x < 1u << k; ++x) {
            found |= (value(&a, x) ^ a.offset) == a.basis[k];
        }
        expected |= found ? 1u << k : 0u;
    }
    CHECK(ll_free_bits(a) == expected);
    for (unsigned x = 0; x < count_of(&a.in); ++x) {
        int held = 0;
        for (unsigned z = 0; z < count_of(&a.in); ++z) {
            held |= !(z & expected) && value(&a, z) == value(&a, x);
        }
        CHECK(held);
    }
}

static void free_bits_hold_only_copies(void) {
    each_matrix(check_free_bits);
    each_distributed(check_free_bits);
}

/* The span of a basis layout, as a set. */
static unsigned long long span_of(const ll_layout *a) {
    unsigned long long set = 0;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        set |= 1ull << value(a, x);
    }
    return set;
}

static void check_kernel(ll_layout a) {
    const ll_layout k = ll_nullspace(a);
    const ll_layout i = ll_image(a);
    unsigned long long zeros = 0;
    unsigned long long reached = 0;
    for (unsigned x = 0; x < count_of(&a.in); ++x) {
        unsigned y = value(&a, x) ^ a.offset;
        zeros |= y == 0 ? 1ull << x : 0u;
        reached |= 1ull << y;
    }
    CHECK(!k.err && span_of(&k) == zeros && ll_is_injective(k));
    CHECK(!i.err && span_of(&i) == reached && ll_is_injective(i));
    CHECK(k.in.n == 1u && k.in.dim[0] == LL_BASIS && i.in.dim[0] == LL_BASIS);
    CHECK(bits_in(&k.in) + ll_rank(a) == bits_in(&a.in));
    CHECK(bits_in(&i.in) == ll_rank(a));
}

static void rank_and_nullity_add_up(void) {
    each_matrix(check_kernel);
    each_distributed(check_kernel);
}

static void check_inverse(ll_layout a) {
    const ll_layout g = ll_inv(a);
    unsigned ins = count_of(&a.in);
    int square = ins == count_of(&a.out) && image_size(&a) == ins;
    CHECK(g.err == (square ? LL_OK : LL_ESINGULAR));
    for (unsigned x = 0; square && x < ins; ++x) {
        CHECK(value(&g, value(&a, x)) == x);
    }
    CHECK(!square || ll_is_equal(ll_inv(g), a));
    CHECK(!square || ll_is_equal(ll_compose(g, a),
                                 ll_compose(ll_inv(a), ll_inv(g))));
}

static void inverse_of_inverse(void) {
    each_matrix(check_inverse);
    each_distributed(check_inverse);
}

static void check_right_inverse(ll_layout a) {
    const ll_layout g = ll_rinv(a);
    int onto = image_size(&a) == count_of(&a.out);
    CHECK(g.err == (onto ? LL_OK : LL_ENOTONTO));
    for (unsigned y = 0; onto && y < count_of(&a.out); ++y) {
        CHECK(value(&a, value(&g, y)) == y);
    }
    for (unsigned k = 0; onto && k < bits_in(&a.out); ++k) {
        CHECK(weight(g.basis[k]) == lightest(&a, 1u << k));
    }
    CHECK(!onto || weight(g.offset) == lightest(&a, a.offset));
}

static void right_inverse_is_identity(void) {
    each_matrix(check_right_inverse);
    each_distributed(check_right_inverse);
}

/* A layout of `rows` elements' bits and ten dependent columns more, none 0. */
static ll_layout with_ten_copies(unsigned rows) {
    const ll_shape none = LL_ZERO;
    ll_layout a = ll_zero(ll_with(none, LL_REGISTER, 1u << (rows + 10u)),
                          ll_with(none, LL_I, 1u << rows));
    for (unsigned k = 0; k < rows + 10u; ++k) {
        a.basis[k] = k < rows ? 1u << k : 1u + test_random((1u << rows) - 1u);
    }
    for (unsigned k = 0; k < 40u; ++k) {
        const unsigned p = test_random(rows + 10u);
        const unsigned q = test_random(rows + 10u);
        const unsigned swap = a.basis[p];
        a.basis[p] = a.basis[q];
        a.basis[q] = swap;
    }
    return a;
}

/* With ten columns that depend on others the answer is still the lightest one:
 * descending by single relations misses it now and then. */
static void ten_relations_are_all_tried(void) {
    static unsigned char least[1 << 8];
    for (unsigned n = 0; n < 300u; ++n) {
        const unsigned rows = 5u + test_random(4);
        const ll_layout a = with_ten_copies(rows);
        const ll_layout unit = ll_identity(1u << rows, LL_I, LL_I);
        const ll_layout g = ll_rinv(a);
        const ll_layout x = ll_solve(a, unit, LL_LIGHT);
        const ll_layout l = ll_solve(a, unit, LL_LOCAL);
        unsigned y = 0;
        memset(least, 99, sizeof least);
        for (unsigned gray = 1; gray < 1u << (rows + 10u); ++gray) {
            unsigned k = 0;
            while (!(gray >> k & 1u)) {
                ++k;
            }
            y ^= a.basis[k];
            const unsigned w = weight(gray ^ gray >> 1);
            least[y] = (unsigned char)(w < least[y] ? w : least[y]);
        }
        for (unsigned k = 0; k < rows; ++k) {
            CHECK(value(&a, value(&g, 1u << k)) == 1u << k);
            CHECK(weight(g.basis[k]) == least[1u << k]);
            CHECK(weight(x.basis[k]) == least[1u << k]);
            CHECK(weight(l.basis[k]) == least[1u << k]);
        }
    }
}

/* With more of them an answer is at least such that no single relation, a
 * dependent column with the first independent ones, makes it lighter. */
static void more_relations_are_tried_one_by_one(void) {
    const ll_shape none = LL_ZERO;
    const unsigned rows = 8, cols = 24;
    unsigned helped = 0;
    for (unsigned n = 0; n < 300u; ++n) {
        ll_layout a = ll_zero(ll_with(none, LL_REGISTER, 1u << cols),
                              ll_with(none, LL_I, 1u << rows));
        unsigned first[8];
        for (unsigned k = 0; k < cols; ++k) {
            a.basis[k] = k < rows ? 0xffu >> k /* k independent columns */
                                  : 1u + test_random((1u << rows) - 1u);
        }
        for (unsigned bit = 0; bit < rows; ++bit) { /* column k is 1 .. 1 */
            first[bit] = 1u << (rows - 1u - bit);
            first[bit] |= bit ? 1u << (rows - bit) : 0u;
        }
        const ll_layout g = ll_rinv(a);
        for (unsigned bit = 0; bit < rows; ++bit) {
            const unsigned x = g.basis[bit];
            CHECK(value(&a, x) == 1u << bit);
            helped += weight(x) < weight(first[bit]);
            for (unsigned k = rows; k < cols; ++k) {
                unsigned mix = 1u << k;
                for (unsigned b = 0; b < rows; ++b) {
                    mix ^= a.basis[k] >> b & 1u ? first[b] : 0u;
                }
                CHECK(value(&a, mix) == 0);
                CHECK(weight(x ^ mix) >= weight(x));
            }
        }
    }
    CHECK(helped > 10u);
}

static void check_pseudo_inverse(ll_layout a) {
    const ll_layout g = ll_pinv(a);
    unsigned free_bits = ll_free_bits(a);
    CHECK(!g.err);
    CHECK(value(&g, value(&a, 0)) == 0);
    for (unsigned x = 0; x < count_of(&a.in); ++x) {
        unsigned back = value(&g, value(&a, x));
        CHECK(value(&a, back) == value(&a, x));
        CHECK(!(back & free_bits));
    }
}

static void pseudo_inverse_undoes_what_is_reached(void) {
    each_matrix(check_pseudo_inverse);
    each_distributed(check_pseudo_inverse);
}

/* ll_contiguous: the largest identity at the head, by its definition. */
static unsigned head(const ll_layout *a, ll_dim d) {
    unsigned best = 1;
    unsigned ins = a->in.bits[0];
    for (unsigned n = 1; n <= ins && n <= held_bits(&a->out, d); ++n) {
        int ok = 1;
        for (unsigned x = 0; x < count_of(&a->in); ++x) {
            unsigned low = x & ((1u << n) - 1u);
            unsigned y = value(a, x);
            unsigned rest = value(a, x ^ low);
            ok = ok && (coordinate(&a->out, d, y) & ((1u << n) - 1u)) == low &&
                 (y ^ rest) == (value(a, low) ^ value(a, 0));
        }
        for (unsigned x = 0; x < 1u << n; ++x) {
            for (unsigned k = 0; k < a->out.n; ++k) {
                ll_dim e = a->out.dim[k];
                unsigned c = coordinate(&a->out, e, value(a, x) ^ a->offset);
                ok = ok && c == (e == d ? x : 0u);
            }
        }
        best = ok ? 1u << n : best;
    }
    return best;
}

/* Of every size that a number can say. */
static void contiguous_elements_of_every_size(void) {
    const ll_dim r = LL_REGISTER;
    for (unsigned n = 0; n < 32u; ++n) {
        const ll_layout a = ll_identity(1u << n, r, LL_J);
        CHECK(ll_contiguous(a, LL_J) == 1u << n);
        if (n) { /* the last bit leads elsewhere */
            ll_layout b = ll_identity(1u << (n - 1u), r, LL_J);
            b = ll_mul(b, ll_identity(2, r, LL_I));
            CHECK(ll_contiguous(b, LL_J) == 1u << (n - 1u));
        }
    }
}

static void check_along(ll_layout a) {
    for (unsigned k = 0; k < a.out.n; ++k) {
        ll_dim d = a.out.dim[k];
        unsigned n = 0;
        unsigned long long set = 0;
        for (unsigned x = 0; x < count_of(&a.in); ++x) {
            set |= 1ull << coordinate(&a.out, d, value(&a, x) ^ a.offset);
        }
        while (n < a.out.bits[k] && set >> (1u << n) & 1u) {
            ++n;
        }
        CHECK(ll_along(a, d) == 1u << n);
        CHECK(ll_contiguous(a, d) == head(&a, d));
    }
    CHECK(ll_along(a, LL_OFFSET) == 1u);
    CHECK(ll_contiguous(a, LL_OFFSET) == 1u);
}

static void runs_agree_with_tables(void) {
    each_matrix(check_along);
    each_distributed(check_along);
}

/* Shape surgery moves coordinates and nothing else. */
static void check_order(ll_layout a) {
    ll_shape in = ll_shape_of("");
    ll_shape out = ll_shape_of("");
    char ins[64] = "";
    char outs[64] = "";
    static const char *const name[6] = {"register", "lane", "warp",
                                        "k",        "j",    "i"};
    for (unsigned k = 6; k-- > 0;) {
        ll_dim d = ll_dim_of(name[k]);
        const ll_shape *s = k < 3u ? &a.in : &a.out;
        if (ll_shape_find_(s, d) < s->n) {
            strcat(strcat(k < 3u ? ins : outs, name[k]), " ");
            in = k < 3u ? ll_with(in, d, 1u << held_bits(s, d)) : in;
            out = k < 3u ? out : ll_with(out, d, 1u << held_bits(s, d));
        }
    }
    const ll_layout p = ll_order_in(a, ins);
    const ll_layout q = ll_order_out(a, outs);
    CHECK(!p.err && !q.err);
    CHECK(ll_shape_same_names_(&p.in, &in) &&
          ll_shape_same_names_(&q.out, &out));
    CHECK(ll_shape_same_bits_(&p.in, &in) && ll_shape_same_bits_(&q.out, &out));
    for (unsigned x = 0; x < count_of(&a.in); ++x) {
        unsigned y = value(&a, x);
        CHECK(value(&p, repacked(&a.in, &in, x)) == y);
        CHECK(value(&q, x) == repacked(&a.out, &out, y));
    }
}

static void check_sub(ll_layout a) {
    static const char *const ins[3] = {"register", "lane", "warp"};
    static const char *const outs[3] = {"k", "j", "i"};
    for (unsigned k = 0; k < 9u; ++k) {
        ll_dim in = ll_dim_of(ins[k / 3u]);
        ll_dim out = ll_dim_of(outs[k % 3u]);
        int there = ll_shape_find_(&a.in, in) < a.in.n &&
                    ll_shape_find_(&a.out, out) < a.out.n;
        const ll_layout s = ll_sub(a, ins[k / 3u], outs[k % 3u]);
        CHECK(s.err == (there ? LL_OK : LL_EMISSING));
        for (unsigned x = 0; there && x < count_of(&s.in); ++x) {
            unsigned y = value(&a, repacked(&s.in, &a.in, x));
            CHECK(value(&s, x) == coordinate(&a.out, out, y));
        }
    }
}

static void check_reshape(ll_layout a) {
    unsigned n = bits_in(&a.in);
    unsigned m = bits_in(&a.out);
    const ll_layout p = ll_reshape_in(a, split(n, test_random(2), "x y z"));
    const ll_layout q = ll_reshape_out(a, split(m, test_random(2), "x y z"));
    const ll_layout f = ll_flatten_in(ll_flatten_out(a, LL_I), LL_LANE);
    CHECK(!p.err && !q.err && !f.err);
    CHECK(f.in.n == 1u && f.out.n == 1u && f.in.bits[0] == n);
    CHECK(f.in.dim[0] == LL_LANE && f.out.dim[0] == LL_I);
    for (unsigned x = 0; x < count_of(&a.in); ++x) {
        CHECK(value(&p, x) == value(&a, x) && value(&q, x) == value(&a, x));
        CHECK(value(&f, x) == value(&a, x));
    }
    CHECK(ll_reshape_in(a, ll_with(a.in, ll_dim_of("z"), 2)).err == LL_ETOTAL);
    CHECK(ll_is_equal(ll_reshape_out(q, a.out), a));
    const ll_layout r = ll_rename_in(p, "x", "y2");
    CHECK(!r.err && r.in.dim[0] == ll_dim_of("y2") && r.in.n == p.in.n);
    CHECK(ll_is_equal(ll_rename_in(r, "y2", "x"), p));
    const ll_layout o = ll_rename_out(q, "x", "y2");
    CHECK(!o.err && ll_is_equal(ll_rename_out(o, "y2", "x"), q));
}

/* The word with dimension d cut to its low n bits. */
static unsigned cut(const ll_shape *s, ll_dim d, unsigned n, unsigned x) {
    for (unsigned k = 0; k < 32u; ++k) {
        x &= coordinate(s, d, 1u << k) >> n ? ~(1u << k) : ~0u;
    }
    return x;
}

static void check_resize(ll_layout a) {
    for (unsigned k = 0; k < 5u * a.in.n; ++k) {
        unsigned n = k % 5u;
        ll_dim d = a.in.dim[k / 5u];
        const ll_layout r = ll_resize_in(a, d, 1u << n);
        CHECK(!r.err && held_bits(&r.in, d) == n);
        for (unsigned x = 0; x < count_of(&r.in); ++x) {
            unsigned old = cut(&r.in, d, held_bits(&a.in, d), x);
            CHECK(value(&r, x) == value(&a, repacked(&r.in, &a.in, old)));
        }
    }
    for (unsigned k = 0; k < 5u * a.out.n; ++k) {
        unsigned n = k % 5u;
        ll_dim d = a.out.dim[k / 5u];
        const ll_layout r = ll_resize_out(a, d, 1u << n);
        CHECK(!r.err && held_bits(&r.out, d) == n);
        for (unsigned x = 0; x < count_of(&a.in); ++x) {
            unsigned y = cut(&a.out, d, n, value(&a, x));
            CHECK(value(&r, x) == repacked(&a.out, &r.out, y));
        }
    }
    const ll_layout more = ll_resize_in(a, LL_BLOCK, 4);
    CHECK(held_bits(&more.in, LL_BLOCK) == 2u);
}

static void check_flip(ll_layout a) {
    for (unsigned k = 0; k < a.out.n; ++k) {
        ll_dim d = a.out.dim[k];
        for (unsigned flip = 0; flip < 1u << a.out.bits[k]; ++flip) {
            const ll_layout f = ll_flip(a, d, flip);
            for (unsigned x = 0; x < count_of(&a.in); ++x) {
                unsigned moved = value(&f, x) ^ value(&a, x);
                CHECK(coordinate(&a.out, d, moved) == flip);
                CHECK(weight(moved) == weight(flip));
            }
        }
    }
    CHECK(ll_flip(a, LL_OFFSET, 1).err == LL_EMISSING);
}

static void surgery_moves_coordinates_only(void) {
    each_matrix(check_order);
    each_matrix(check_sub);
    each_matrix(check_reshape);
    each_matrix(check_flip);
    each_distributed(check_order);
    each_distributed(check_sub);
    each_distributed(check_resize);
    each_distributed(check_flip);
}

/* ---- Random layouts of realistic sizes ----------------------------------- */

/* A shape with `bits` bits in sixteen dimensions, some of size 1. */
static ll_shape random_shape(unsigned bits, const char *names) {
    ll_shape s = ll_shape_of(names);
    for (unsigned k = 0; k < bits; ++k) {
        ++s.bits[test_random(s.n)];
    }
    return s;
}

static const char *const sixteen =
    "register lane warp block a b c d e f g h A B C D";
static const char *const axes = "x w v u t s r q p o n m l k j i";

static ll_layout random_large(unsigned cols, unsigned rows) {
    ll_layout a = ll_zero(random_shape(cols, sixteen), random_shape(rows, axes));
    unsigned mask = rows < 32u ? (1u << rows) - 1u : ~0u;
    unsigned kind = test_random(3);
    for (unsigned k = 0; k < cols; ++k) {
        unsigned one = rows ? 1u << test_random(rows) : 0u;
        a.basis[k] = kind ? test_random(0) & mask : one;
    }
    a.offset = test_random(2) ? test_random(0) & mask : 0u;
    return a;
}

/* An invertible layout: columns are added to each other at random. */
static ll_layout random_square(unsigned n) {
    ll_layout a = ll_zero(random_shape(n, sixteen), random_shape(n, axes));
    for (unsigned k = 0; k < n; ++k) {
        a.basis[k] = 1u << k;
    }
    for (unsigned k = 0; n > 1u && k < 6u * n; ++k) {
        unsigned p = test_random(n);
        unsigned q = test_random(n);
        a.basis[p] ^= p != q ? a.basis[q] : 0u;
    }
    a.offset = n < 32u ? test_random(1u << n) : test_random(0);
    return a;
}

static void large_inverses_and_solutions_hold(void) {
    for (unsigned k = 0; k < times(2000u); ++k) {
        unsigned n = test_random(33);
        const ll_layout a = random_square(n);
        const ll_layout g = ll_inv(a);
        ll_layout b = random_large(test_random(33), n);
        b.out = a.out;
        const ll_layout x = ll_solve(a, b, test_random(3));
        CHECK(!g.err && !x.err && ll_rank(a) == n);
        CHECK(ll_is_equal(ll_inv(g), a));
        for (unsigned m = 0; m < 8u; ++m) {
            unsigned p = test_random(0) & ll_ones_(n);
            unsigned q = test_random(0) & ll_ones_(bits_in(&b.in));
            CHECK(value(&g, value(&a, p)) == p);
            CHECK(value(&a, value(&x, q)) == value(&b, q));
            CHECK(ll_map_at(ll_map_of(a), p) == value(&a, p));
        }
    }
}

static void large_layouts_obey_the_identities(void) {
    for (unsigned k = 0; k < times(2000u); ++k) {
        unsigned cols = test_random(17);
        unsigned rows = test_random(17);
        const ll_layout a = random_large(cols, rows);
        const ll_layout b = random_large(test_random(16), test_random(16));
        const ll_layout c = ll_mul(a, b);
        const ll_layout g = ll_pinv(a);
        const ll_layout kernel = ll_nullspace(a);
        CHECK(!c.err && !g.err && !kernel.err);
        CHECK(ll_is_equal(ll_mul(a, ll_div(c, a)), c));
        CHECK(ll_rank(c) == ll_rank(a) + ll_rank(b));
        CHECK(ll_rank(a) + bits_in(&kernel.in) == cols);
        CHECK(weight(ll_free_bits(a)) == bits_in(&kernel.in));
        for (unsigned m = 0; m < 8u; ++m) {
            unsigned x = test_random(1u << cols);
            unsigned z = test_random(0) & ll_ones_(bits_in(&kernel.in));
            CHECK(value(&a, value(&g, value(&a, x))) == value(&a, x));
            CHECK(value(&a, x ^ value(&kernel, z)) == value(&a, x));
            CHECK(ll_reaches(a, value(&a, x)));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(questions_agree_with_tables);
    RUN(free_bits_hold_only_copies);
    RUN(rank_and_nullity_add_up);
    RUN(inverse_of_inverse);
    RUN(right_inverse_is_identity);
    RUN(ten_relations_are_all_tried);
    RUN(more_relations_are_tried_one_by_one);
    RUN(contiguous_elements_of_every_size);
    RUN(pseudo_inverse_undoes_what_is_reached);
    RUN(runs_agree_with_tables);
    RUN(surgery_moves_coordinates_only);
    RUN(large_inverses_and_solutions_hold);
    RUN(large_layouts_obey_the_identities);
    return test_end();
}
