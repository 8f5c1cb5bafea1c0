/* test_search_spaces.c - the spaces from which the search for memory is made.
 * SPDX-License-Identifier: MIT
 *
 * Lists and spans of vectors are compared with sets of all their sums.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "choose.h"
#include "search_spans.h"

/* The lowest vectors, then lanes and warps of a, of b, then their registers. */
static void check_space(const ll_layout *a, const ll_layout *b) {
    const ll_span_ low = random_vectors(3, 1);
    const ll_layout *both[2] = {a, b};
    ll_span_ want = low;
    for (unsigned part = 0; part < 4u; ++part) {
        const ll_layout *s = both[part & 1u];
        const unsigned regs = s->in.bits[0];
        for (unsigned k = part < 2u ? regs : 0u;
             k < (part < 2u ? bits_in(&s->in) : regs); ++k) {
            append_new(&want, s->basis[k]);
        }
    }
    const ll_span_ space = ll_segments_space_(a, b, &low);
    CHECK(space.n == want.n && is_list(&space, &want, want.n));
}

/* The elements of the words of a, as far as both sides hold them, then those of
 * b, then all that both hold. */
static void check_common(const ll_layout *a, const ll_layout *b,
                         unsigned scale) {
    const ll_span_ r[2] = {columns_of(a, 0, a->in.bits[0]),
                           columns_of(b, 0, b->in.bits[0])};
    const unsigned word = scale < 2u ? 2u - scale : 0u;
    unsigned char set[2][256], all[256];
    ll_span_ want = LL_ZERO;
    span_of_list(&r[0], set[0]);
    span_of_list(&r[1], set[1]);
    for (unsigned k = 0; k < 2u; ++k) {
        for (unsigned m = 0; m < word && m < r[k].n &&
                             set[!k][r[k].v[m]]; ++m) {
            append_new(&want, r[k].v[m]);
        }
    }
    const ll_span_ common = ll_common_registers_(&r[0], &r[1], scale);
    CHECK(is_list(&common, &want, want.n));
    span_of_list(&common, all);
    for (unsigned x = 0; x < 256u; ++x) {
        CHECK(all[x] == (set[0][x] && set[1][x]));
    }
    CHECK(size_of_set(all) == 1u << common.n);
}

/* What a phase serves on sm_90: 128 bytes, and twice as many lanes of a wide
 * read that ignores lane bit 0 or 1. */
static ll_span_ served_lanes(const ll_layout *a, unsigned bytes, unsigned op) {
    const unsigned regs = a->in.bits[0];
    unsigned lanes = bytes <= 4u ? 5u : bytes == 8u ? 4u : 3u;
    lanes += op == LL_READ && bytes > 4u &&
             (!a->basis[regs] || !a->basis[regs + 1u]);
    return columns_of(a, regs, regs + lanes);
}

static void check_avoid(const ll_layout *a, unsigned scale, unsigned op) {
    const ll_target t = LL_SM90;
    const ll_span_ low = random_vectors(5, 0);
    const unsigned vector = test_random(5u - scale);
    ll_span_ want = served_lanes(a, 1u << (vector + scale), op);
    unsigned char set[2][256];
    for (unsigned k = 0; k < low.n; ++k) { /* an access, or a bank of 4 bytes */
        if (k < vector || 1u << k << scale < 4u) {
            want.v[want.n++] = low.v[k];
        }
    }
    const ll_span_ u =
        ll_segments_avoid_(a, &low, ll_way_of_vectors_(vector), scale, op, &t);
    span_of_list(&u, set[0]);
    span_of_list(&want, set[1]);
    CHECK(memcmp(set[0], set[1], sizeof set[0]) == 0);
}

/* What both hold, then columns of a until a bank is full, then what a holds in
 * registers and b in the lanes of a phase, up to 16 bytes. */
static void check_lowest(const ll_layout *a, const ll_layout *b,
                         unsigned scale) {
    const ll_target t = LL_SM90;
    const unsigned bank = scale < 2u ? 2u - scale : 0u;
    const ll_span_ common = random_vectors(2, 1);
    const ll_span_ regs = columns_of(a, 0, a->in.bits[0]);
    unsigned char held[256], avoided[256], set[256];
    ll_span_ want = common;
    for (unsigned k = 0; k < bits_in(&a->in) && want.n < bank; ++k) {
        append_new(&want, a->basis[k]);
    }
    const ll_span_ low = ll_memory_lowest_(a, b, &common, scale, LL_READ, &t);
    CHECK(is_list(&low, &want, want.n));
    const ll_span_ avoid = ll_segments_avoid_(
        b, &want, ll_way_of_vectors_(common.n), scale, LL_READ, &t);
    span_of_list(&regs, held);
    span_of_list(&avoid, avoided);
    for (unsigned k = want.n; k < low.n; ++k) {
        CHECK(held[low.v[k]] && avoided[low.v[k]]);
    }
    for (unsigned x = 0; x < 256u && want.n + scale < 4u; ++x) {
        if (held[x] && avoided[x]) {
            append_new(&want, x);
        }
    }
    CHECK(low.n == want.n);
    span_of_list(&low, set);
    CHECK(size_of_set(set) == 1u << low.n);
}

/* Segments for the side with fewer banks: in front of the others, outside of
 * all that is given, and not one more than asked for. */
static void check_more_segments(void) {
    const ll_span_ avoid = random_vectors(3, 1), low = random_vectors(2, 1);
    const ll_span_ space = random_vectors(8, 0);
    const ll_span_ old = random_vectors(2, 1);
    const unsigned n = test_random(6);
    ll_span_ high = old, all = avoid;
    for (unsigned k = 0; k < low.n; ++k) {
        append_new(&all, low.v[k]);
    }
    for (unsigned k = 0; k < old.n; ++k) {
        append_new(&all, old.v[k]);
    }
    ll_span_ more = all;
    for (unsigned k = 0; k < space.n; ++k) {
        append_new(&more, space.v[k]);
    }
    ll_more_segments_(&high, &avoid, &low, &space, n);
    const unsigned there_are = more.n - all.n;
    const unsigned missing = n > old.n ? n - old.n : 0u;
    const unsigned added = there_are < missing ? there_are : missing;
    CHECK(high.n == old.n + added);
    for (unsigned k = 0; k < high.n; ++k) {
        CHECK(k < added ? high.v[k] == more.v[all.n + k]
                        : high.v[k] == old.v[k - added]);
    }
}

static void lists_of_a_search_have_their_order(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        const unsigned scale = test_random(5);
        ll_layout a = random_nibbles(test_random(7), 5, 4, 0);
        ll_layout b = random_nibbles(test_random(7), 5, 4, &a);
        for (unsigned k = 0; k < 2u; ++k) {
            a.basis[a.in.bits[0] + k] *= test_random(3) != 0;
            b.basis[b.in.bits[0] + k] *= test_random(3) != 0;
        }
        check_space(&a, &b);
        check_common(&a, &b, scale);
        check_avoid(&a, scale, n & 1u);
        check_lowest(&a, &b, scale);
        check_more_segments();
    }
}

/* A side costs its accesses without conflicts, of the width with the fewest
 * wavefronts; phases are of any size here. */
static unsigned long long least_by_hand(const ll_layout *a, unsigned scale,
                                        unsigned most, unsigned op,
                                        const ll_target *t,
                                        const unsigned *phase) {
    unsigned char set[256];
    const ll_span_ regs = columns_of(a, 0, a->in.bits[0]);
    unsigned best = ~0u;
    span_of_list(&regs, set);
    const unsigned bytes = size_of_set(set) << scale;
    for (unsigned of = 4; of <= 16u; of *= 2u) {
        const unsigned wide = of == 4u ? 0u : of == 8u ? 1u : 2u;
        const unsigned one = of < most ? of : most;
        unsigned together = 1u << phase[wide];
        for (unsigned k = 0; k < 2u && op == LL_READ && wide; ++k) {
            if (!a->basis[a->in.bits[0] + k] && together == 1u << phase[wide] &&
                together < t->lanes) {
                together *= 2u;
            }
        }
        const unsigned all = (bytes > one ? bytes / one : 1u) * t->lanes;
        if ((of == 4u || of <= most) && all / together < best) {
            best = all / together;
        }
    }
    const unsigned n = bytes > most ? bytes / most : 1u;
    const int joins = t->pairs && n > 1u && (most == 4u || most == 8u);
    return ((unsigned long long)best << 32) + 9u * (joins ? n / 2u : n);
}

static ll_target random_phases(unsigned phase[2][3]) {
    ll_target t = test_random(2) ? LL_GFX942 : LL_SM90;
    t.merge = 3;
    t.access_bytes = 1u << (2u + test_random(3));
    for (unsigned k = 0; k < 6u; ++k) {
        phase[k / 3u][k % 3u] = 2u + test_random(t.lanes == 64u ? 5 : 4);
        for (unsigned m = 0; m < 6u; ++m) {
            t.phase[k / 3u][k % 3u][m] =
                m < phase[k / 3u][k % 3u] ? 1u << m : 0u;
        }
    }
    return t;
}

static void check_start(const ll_layout *a, const ll_layout *b, unsigned scale,
                        const ll_target *t, unsigned phase[2][3]) {
    const unsigned size = 1u << scale, most = t->access_bytes;
    const unsigned long long store =
        least_by_hand(a, scale, most, LL_WRITE, t, phase[LL_WRITE]);
    const unsigned long long load =
        least_by_hand(b, scale, most, LL_READ, t, phase[LL_READ]);
    const unsigned long long x =
        store + least_by_hand(b, scale, size, LL_READ, t, phase[LL_READ]);
    const unsigned long long y =
        load + least_by_hand(a, scale, size, LL_WRITE, t, phase[LL_WRITE]);
    const unsigned long long narrow = x < y ? x : y;
    const ll_span_ common = random_vectors(2, 1);
    const ll_best_memory_ best = ll_best_memory_start_(a, b, &common, scale, t);
    CHECK(best.cost == ~0ull && best.worth == ~0ull);
    CHECK(best.least[LL_WRITE] == store && best.least[LL_READ] == load);
    CHECK(best.vectors == (common.n ? store + load : narrow));
    CHECK(
        best.both ==
        (common.n || !ll_forms_are_paired_(scale, t) ? store + load : narrow));
    CHECK(best.apart == ll_is_apart_anyway_(a, b, &common, scale));
}

/* The memory of the first of two orders is kept unless the second costs less. A
 * bound must undercut the cost, or its wavefronts if permutes are in it. */
static void check_tries(const ll_layout *a, const ll_layout *b,
                        unsigned scale) {
    const ll_target t = LL_SM90;
    const ll_span_ none = LL_ZERO;
    ll_best_memory_ best = ll_best_memory_start_(a, b, &none, scale, &t);
    best.apart = (int)test_random(2);
    best.least[0] = best.least[1] = 0;
    unsigned long long least = ~0ull;
    for (unsigned n = 0; n < 3u; ++n) {
        ll_layout m = ll_identity(1u << a->out.bits[0], LL_OFFSET, LL_OFFSET);
        for (unsigned k = 0; k < 6u; ++k) {
            const unsigned x = test_random(a->out.bits[0]);
            const unsigned y = test_random(a->out.bits[0]);
            const unsigned column = m.basis[x];
            m.basis[x] = m.basis[y];
            m.basis[y] = column;
        }
        const ll_step store = ll_step_between_(a, &m, scale, LL_WRITE, &t);
        const ll_step load = ll_step_between_(b, &m, scale, LL_READ, &t);
        const unsigned long long bare =
            ll_step_bare_cost_(&store) + ll_step_bare_cost_(&load);
        const unsigned long long cost =
            best.apart ? bare : ll_step_cost_(&store) + ll_step_cost_(&load);
        ll_try_memory_(&best, &m, a, b, n & 1u, scale, &t);
        if (cost < least) {
            least = cost;
            CHECK(best.worth == (best.apart || cost == bare
                                     ? cost
                                     : cost - (unsigned)cost));
            CHECK(ll_is_equal(best.m, m));
        }
        CHECK(best.cost == least);
    }
}

static void a_search_starts_from_its_bounds(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        unsigned phase[2][3];
        const unsigned scale = test_random(5);
        ll_target t = random_phases(phase);
        const unsigned lanes = t.lanes == 64u ? 6u : 5u;
        ll_layout a = random_nibbles(test_random(6), lanes, 4, 0);
        ll_layout b = random_nibbles(test_random(6), lanes, 4, &a);
        a.basis[a.in.bits[0]] *= test_random(3) != 0;
        b.basis[b.in.bits[0] + 1u] *= test_random(3) != 0;
        if (t.access_bytes >= 1u << scale) {
            check_start(&a, &b, scale, &t, phase);
        }
        const unsigned regs = 1u + test_random(4);
        const ll_layout x = sums_of_places(regs, 5, 0);
        const ll_layout y = sums_of_places(regs, 5, n & 1u);
        check_tries(&x, &y, scale);
    }
    /* Whether a lane bit is ignored is a question of its whole column. */
    ll_layout far = ll_zero(ll_shape_of("register=1 lane=32"),
                            ll_shape_of("offset=1"));
    far.out.bits[0] = 32;
    for (unsigned k = 0; k < 5u; ++k) {
        far.basis[k] = 1u << (31u - k);
    }
    const ll_target t = LL_SM90;
    CHECK(ll_cost_bound_(&far, 3, 16, LL_READ, &t) >> 32 == 2u);
    unsigned long long bounds[5] = {7, 3, 9, 3, 5};
    CHECK(ll_cost_smallest_(bounds, 5) == 1u &&
          ll_cost_smallest_(bounds, 1) == 0);
    bounds[0] = 3;
    CHECK(ll_cost_smallest_(bounds, 5) == 0);
}

/* Where matrices take no more wavefronts than the bytes of both sides fill,
 * other widths are not looked at: `fewest` is that number, 32 lanes by 4 bytes
 * each. */
static void a_search_ends_at_its_bound(void) {
    static const char *const pairs[][2] = {
        {"register: j0 j1 | lane: j2 i0 i1 i2 i3 | warp: i4 i5 i6",
         "register: j0 i4 i0 | lane: i1 i2 j1 j2 i3 | warp: i5 i6"},
        {"register: i1 i3 i4 i6 | lane: i7 i2 i5 i0 j0 | warp: i8",
         "register: j0 i4 i5 | lane: i0 i2 i1 i6 i3 | warp: i7 i8"},
        {"register: i1 i0 i3 | lane: i4 i5 i6 j0 i2 | warp: i7 i8",
         "register: i6 i7 i0 j0 | lane: i1 i2 i3 i4 i5 | warp: i8"},
    };
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        const ll_layout a = L(pairs[k][0]), b = L(pairs[k][1]);
        const ll_plan p = ll_plan_by(a, b, 8, LL_SM90, LL_SHARED);
        const unsigned words = (registers(&a) + registers(&b)) / 4u;
        CHECK(!p.err && p.step[1].form + p.step[3].form != 0);
        CHECK(p.step[1].count * p.step[1].wavefronts +
                  p.step[3].count * p.step[3].wavefronts == words);
        CHECK(p.fewest == words);
    }
}

/* Each two widths once; of equal ones the stores are the wider. */
static void widths_are_counted_once(void) {
    for (unsigned most = 0; most < 25u; ++most) {
        ll_ends_ e = LL_ZERO;
        unsigned char seen[5][5] = LL_ZERO;
        e.end[LL_READ].most = most % 5u;
        e.end[LL_WRITE].most = most / 5u;
        const unsigned n = (most % 5u + 1u) * (most / 5u + 1u);
        for (unsigned k = 0; k < n; ++k) {
            const ll_widths_ w = ll_widths_of_(&e, k);
            const unsigned store = w.op == LL_WRITE ? w.a : w.b;
            const unsigned load = w.op == LL_WRITE ? w.b : w.a;
            CHECK(load <= most % 5u && store <= most / 5u);
            CHECK(w.op == (store >= load ? LL_WRITE : LL_READ));
            CHECK(!seen[store][load]++);
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(lists_of_a_search_have_their_order);
    RUN(a_search_starts_from_its_bounds);
    RUN(a_search_ends_at_its_bound);
    RUN(widths_are_counted_once);
    return test_end();
}
