/* test_algebra.c - the algebra and the questions, against evaluation.
 * SPDX-License-Identifier: MIT
 *
 * The oracle is a table: what each input gives, by the definition of a layout.
 * Inverses, preimages and ranks are found by looking through tables, never by
 * elimination. All small matrices are tried, then random large ones.
 */
#include "definition.h"

enum { MAX_TABLE = 64 };

/* The size of a space of n bits; n < 32. */
static unsigned count_of(const ll_shape *s) { return 1u << bits_in(s); }

static unsigned weight(unsigned x) {
    unsigned n = 0;
    for (; x; x >>= 1) {
        n += x & 1u;
    }
    return n;
}

/* The coordinate of a packed word along a dimension, by definition. */
static unsigned coordinate(const ll_shape *s, ll_dim d, unsigned word) {
    unsigned long long rest = word;
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return (unsigned)(rest & ((1ull << s->bits[k]) - 1u));
        }
        rest >>= s->bits[k];
    }
    return 0;
}

static unsigned bits_along(const ll_shape *s, ll_dim d) {
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return s->bits[k];
        }
    }
    return 0;
}

/* The word of `to` that has the same coordinates as x has in `from`. */
static unsigned repacked(const ll_shape *from, const ll_shape *to,
                         unsigned x) {
    unsigned long long y = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < to->n; ++k) {
        unsigned long long c = coordinate(from, to->dim[k], x);
        y |= (c & ((1ull << to->bits[k]) - 1u)) << at;
        at += to->bits[k];
    }
    return (unsigned)y;
}

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

static int hits(const ll_layout *a, unsigned y) {
    int hit = 0;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        hit |= value(a, x) == y;
    }
    return hit;
}

/* ---- All small layouts --------------------------------------------------- */

/* Ways to split bits among at most three dimensions; 0 stands for none. */
static const unsigned splits[3][6][3] = {
    {{2, 0, 0}, {1, 1, 0}, {0, 1, 1}, {0, 2, 0}, {1, 0, 1}, {0, 0, 2}},
    {{3, 0, 0}, {1, 2, 0}, {0, 2, 1}, {1, 1, 1}, {0, 3, 0}, {1, 0, 2}},
    {{4, 0, 0}, {1, 3, 0}, {3, 0, 1}, {2, 2, 0}, {1, 2, 1}, {0, 2, 2}}};

static ll_shape split(unsigned bits, unsigned way, const char *names) {
    const ll_shape all = ll_shape_of(names);
    ll_shape s = LL_ZERO;
    for (unsigned k = 0; k < 3u; ++k) {
        unsigned n = splits[bits - 2u][way][k];
        s = n ? ll_with(s, all.dim[k], 1u << n) : s;
    }
    return s;
}

static const char *const hardware = "register lane warp";
static const char *const tensor = "k j i";

/* The matrix of a code, its columns one after another. */
static ll_layout matrix(unsigned code, unsigned cols, unsigned rows,
                        unsigned way) {
    ll_layout a = ll_zero(split(cols, way % 6u, hardware),
                          split(rows, way / 6u % 6u, tensor));
    for (unsigned k = 0; k < cols; ++k) {
        a.basis[k] = code >> (k * rows) & ((1u << rows) - 1u);
    }
    return a;
}

typedef void (*each_fn)(ll_layout a);

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

/* Every distributed layout of four input bits, split in every way. */
static void each_distributed(each_fn fn) {
    for (unsigned code = 0; code < 625u; ++code) {
        unsigned rest = code;
        unsigned seen = 0;
        int ok = 1;
        ll_layout a = LL_ZERO;
        for (unsigned k = 0; k < 4u; ++k, rest /= 5u) {
            a.basis[k] = rest % 5u ? 1u << (rest % 5u - 1u) : 0u;
            ok = ok && !(seen & a.basis[k]);
            seen |= a.basis[k];
        }
        unsigned rows = weight(seen);
        if (!ok || seen != (1u << rows) - 1u || rows < 2u) {
            continue;
        }
        for (unsigned way = 0; way < 36u; ++way) {
            a.in = split(4, way % 6u, hardware);
            a.out = split(rows, way / 6u, tensor);
            CHECK(ll_is_distributed(a));
            fn(a);
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

/* The least weight among the x with a(x) = y, over the linear part. */
static unsigned lightest(const ll_layout *a, unsigned y) {
    unsigned best = 99;
    for (unsigned x = 0; x < count_of(&a->in); ++x) {
        unsigned w = weight(x);
        best = (value(a, x) ^ a->offset) == y && w < best ? w : best;
    }
    return best;
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
    for (unsigned n = 1; n <= ins && n <= bits_along(&a->out, d); ++n) {
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
            in = k < 3u ? ll_with(in, d, 1u << bits_along(s, d)) : in;
            out = k < 3u ? out : ll_with(out, d, 1u << bits_along(s, d));
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
        CHECK(!r.err && bits_along(&r.in, d) == n);
        for (unsigned x = 0; x < count_of(&r.in); ++x) {
            unsigned old = cut(&r.in, d, bits_along(&a.in, d), x);
            CHECK(value(&r, x) == value(&a, repacked(&r.in, &a.in, old)));
        }
    }
    for (unsigned k = 0; k < 5u * a.out.n; ++k) {
        unsigned n = k % 5u;
        ll_dim d = a.out.dim[k / 5u];
        const ll_layout r = ll_resize_out(a, d, 1u << n);
        CHECK(!r.err && bits_along(&r.out, d) == n);
        for (unsigned x = 0; x < count_of(&a.in); ++x) {
            unsigned y = cut(&a.out, d, n, value(&a, x));
            CHECK(value(&r, x) == repacked(&a.out, &r.out, y));
        }
    }
    const ll_layout more = ll_resize_in(a, LL_BLOCK, 4);
    CHECK(bits_along(&more.in, LL_BLOCK) == 2u);
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
            strcat(list, bits_along(&a.out, ll_axis(d == 0   ? 0
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
        unsigned n = bits_along(low, d);
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
            unsigned n = bits_along(part, s->dim[k]);
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
             bits_along(&a.in, d) == bits_along(&a.out, d);
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
    CHECK(!b.err && bits_along(&b.in, LL_LANE) == n);
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

/* A shape of so many bits in sixteen dimensions, some of size 1. */
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
    RUN(large_inverses_and_solutions_hold);
    RUN(large_layouts_obey_the_identities);
    RUN(sides_that_are_joined_agree);
    return test_end();
}
