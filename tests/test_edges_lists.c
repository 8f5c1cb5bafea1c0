/* test_edges_lists.c - lists of vectors, and their room.
 * SPDX-License-Identifier: MIT
 *
 * Lists are compared with sets of all sums. `make sanitize` sees an access
 * behind the last of anything.
 */
#include "definition.h"
#include "edges.h"

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

/* Segments avoid both spans as long as possible: first come vectors outside
 * their sum, then XORs of a vector of one span and a vector of the other. */
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

/* The flags are different bits. LL_APART is not the number of a register bit.
 * LL_DEBUG is off by default. */
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
    RUN(lists_end_behind_their_last_vector);
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
