/* test_sort.c - sorts, executed step by step on keys with ties.
 * SPDX-License-Identifier: MIT
 *
 * Every place of a random layout starts with a key and the number of its
 * element. The steps of a plan are carried out place by place, and the result
 * is compared with qsort, line by line.
 */
#ifndef LL_SORTS
#define LL_SORTS
#endif
#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "test.h"

enum { MAX_PLACES = 1 << 15, MAX_TENSOR = 1 << 13 };

typedef struct item {
    unsigned key, id;
} item;

static item now[MAX_PLACES], then[MAX_PLACES];
static unsigned key_of[MAX_TENSOR];

/* A layout of `lanes` lane bits of one to three axes. Each element is held; the
 * other columns are 0, copies or mixtures. */
static ll_layout random_layout(unsigned lanes) {
    const unsigned rank = 1u + test_random(3);
    const unsigned regs = test_random(6), warps = test_random(4);
    const unsigned n = lanes + regs + warps;
    ll_shape in = ll_shape_of(""), out = ll_shape_of("");
    unsigned left = n < 13u ? n : 13u;
    left -= test_random(left < 3u ? left : 3u);
    for (unsigned d = rank; d-- > 0;) {
        const unsigned bits = d ? test_random(left + 1u) : left;
        out = ll_with(out, ll_axis(d), 1u << bits);
        left -= bits;
    }
    in = ll_with(ll_with(in, LL_REGISTER, 1u << regs), LL_LANE, 1u << lanes);
    in = ll_with(in, LL_WARP, 1u << warps);
    ll_layout a = ll_zero(in, out);
    const unsigned tensor = ll_shape_bits_(&out);
    for (unsigned b = 0; b < tensor; ++b) {
        unsigned to = test_random(n);
        while (a.basis[to]) {
            to = (to + 1u) % n;
        }
        a.basis[to] = 1u << b;
    }
    const unsigned mixed = test_random(2) ? 0u : test_random(2u * n);
    for (unsigned m = 0; m < mixed; ++m) {
        const unsigned to = test_random(n), from = test_random(n);
        a.basis[to] ^= from != to ? a.basis[from] : 0u;
    }
    a.offset = test_random(2) ? test_random(1u << tensor) : 0u;
    return a;
}

static unsigned thread_of(const ll_layout *a, unsigned reg, unsigned thread) {
    return reg | thread << a->in.bits[0];
}

/* Carries out one step for all places; positions are the low bits. */
static void step(const ll_sort_plan *p, ll_sort_step m, unsigned *n,
                 unsigned threads) {
    for (unsigned k = 0; k < threads << *n; ++k) {
        const unsigned position = k & ((1u << *n) - 1u);
        const item own = now[k];
        const item other = now[k ^ m.with ^ m.lane << *n];
        unsigned x = ll_map_at(p->thread, k >> *n) ^ p->first;
        for (unsigned b = 0; b < *n; ++b) {
            x ^= position >> b & 1u ? p->x[b] : 0u;
        }
        unsigned later = 0;
        for (unsigned up = x & m.up; up; up &= up - 1u) {
            later ^= 1u;
        }
        const item a = later ? other : own, b = later ? own : other;
        const int swap = b.key < a.key;
        then[k] = m.both || !later ? (swap ? b : a) : (swap ? a : b);
    }
    const unsigned left = *n - m.half;
    CHECK(!m.half || m.with == 1u << left); /* the upper half goes */
    for (unsigned k = 0; k < threads << left; ++k) {
        now[k] = then[k >> left << *n | (k & ((1u << left) - 1u))];
    }
    *n = left;
}

static int by_key(const void *x, const void *y) {
    const unsigned a = *(const unsigned *)x, b = *(const unsigned *)y;
    return a < b ? -1 : a > b;
}

/* The elements of the line of element y, which has bits of the other axes. */
static unsigned with_coordinate(unsigned y, unsigned low, unsigned bits,
                                unsigned x) {
    return (y & ~(((1u << bits) - 1u) << low)) | x << low;
}

static void check_line(const ll_sort_plan *p, unsigned y, unsigned low,
                       const item *got, unsigned count) {
    static unsigned want[MAX_TENSOR], seen[MAX_TENSOR];
    const unsigned size = 1u << p->axis;
    memset(seen, 0, sizeof seen);
    for (unsigned x = 0; x < size; ++x) {
        want[x] = key_of[with_coordinate(y, low, p->axis, x)];
    }
    qsort(want, size, sizeof *want, by_key);
    for (unsigned x = 0; x < count; ++x) {
        const unsigned id = got[x].id;
        CHECK(got[x].key == want[x] && key_of[id] == got[x].key);
        CHECK(with_coordinate(id, low, p->axis, 0) ==
              with_coordinate(y, low, p->axis, 0));
        CHECK(!seen[id]++);
    }
}

/* Runs a plan that is not turned from layout a, and compares what the places of
 * its result layout hold. */
static void check_run(const ll_sort_plan *p, const ll_layout *a,
                      const ll_layout *to, unsigned at) {
    static item got[MAX_TENSOR];
    static unsigned has[MAX_TENSOR];
    const unsigned low = ll_shape_start_(&a->out, at);
    const unsigned threads = p->threads;
    unsigned n = p->n;
    for (unsigned k = 0; k < threads << n; ++k) {
        unsigned reg = 0;
        for (unsigned b = 0; b < n; ++b) {
            reg ^= k >> b & 1u ? p->reg[b] : 0u;
        }
        const unsigned y = ll_apply(*a, thread_of(a, reg, k >> n));
        now[k].key = key_of[y];
        now[k].id = y;
    }
    for (unsigned k = 0; k < p->steps; ++k) {
        step(p, ll_sort_step_at_(p, k), &n, threads);
    }
    CHECK(p->top == p->axis || n == p->to_bits);
    memset(has, 0, sizeof has);
    for (unsigned t = 0; t < threads; ++t) {
        for (unsigned r = 0; r < ll_size(to->in, LL_REGISTER); ++r) {
            const unsigned y = ll_apply(*to, thread_of(to, r, t));
            unsigned k = 0;
            for (unsigned b = 0; b < to->in.bits[0]; ++b) {
                k ^= r >> b & 1u ? p->at[b] : 0u;
            }
            const item x = now[t << n | k];
            CHECK(!has[y] || (got[y].id == x.id && got[y].key == x.key));
            got[y] = x;
            has[y] = 1;
        }
    }
    const unsigned lines = 1u << (ll_shape_bits_(&a->out) - p->axis);
    for (unsigned line = 0; line < lines; ++line) {
        static item row[MAX_TENSOR];
        const unsigned below = line & ((1u << low) - 1u);
        for (unsigned x = 0; x < 1u << p->top; ++x) {
            row[x] = got[line >> low << (low + p->top) | x << low | below];
        }
        check_line(p, line >> low << (low + p->axis) | below, low, row,
                   1u << p->top);
    }
}

/* The cycles from the list of steps. */
static void check_cost(const ll_sort_plan *p, const ll_target *t) {
    const unsigned words = p->element_bits > 32u ? p->element_bits / 32u : 1u;
    unsigned n = p->n, trips = 0, bytes = 0;
    unsigned long long cost = 0;
    for (unsigned k = 0; k < p->steps; ++k) {
        const ll_sort_step m = ll_sort_step_at_(p, k);
        const unsigned all = ((p->element_bits << n) + 31u) / 32u;
        n -= m.half;
        cost += ((words > 1u ? words + 1ull : 1ull) << n) *
                t->cost[LL_COST_LOGIC];
        if (m.lane >= p->lanes) {
            cost += 2ull * all * t->cost[LL_COST_MEMORY] +
                    t->cost[LL_COST_BLOCK];
            bytes = bytes > 4u * all * p->threads ? bytes
                                                  : 4u * all * p->threads;
            ++trips;
        } else if (m.lane) {
            cost += (unsigned long long)all * t->cost[LL_COST_SHUFFLE];
        }
    }
    CHECK(p->cycles == (cost + 7u) / 8u);
    CHECK(p->trips == trips && p->trip_bytes == bytes);
    /* Trips take turns in two buffers if 48 KiB have room for both. */
    const int two = trips > 1u && 2u * bytes <= 49152u;
    CHECK(p->buffers == (two ? 2u : 1u));
    CHECK(p->smem_bytes == (two ? 2u * bytes : bytes) || p->turned);
}

static unsigned reach(const ll_sort_plan *p, unsigned lane) {
    return lane >= p->lanes ? 2u : lane != 0;
}

/* The rank of the columns of a before column `end` and of n vectors. */
static unsigned rank_of(const ll_layout *a, unsigned end, const unsigned *v,
                        unsigned n) {
    unsigned row[64], rank = 0;
    for (unsigned k = 0; k < end + n; ++k) {
        unsigned x = k < end ? a->basis[k] : v[k - end];
        for (unsigned m = 0; m < rank; ++m) {
            x = (x ^ row[m]) < x ? x ^ row[m] : x;
        }
        row[rank] = x;
        rank += x != 0;
    }
    return rank;
}

/* Positions are registers without copies: first those of the lowest bits of the
 * coordinate in their order. Phase p begins with a flip where it goes no
 * further than bit p does. */
static void check_places(const ll_sort_plan *p, const ll_layout *a) {
    unsigned flips = 0, all = 0, moving = 0, next = 0;
    CHECK(p->n == rank_of(a, a->in.bits[0], NULL, 0));
    for (unsigned k = 0; k < p->axis; ++k) {
        all ^= p->lane[k];
        flips |= reach(p, all) <= reach(p, p->lane[k]) ? 2u << k : 0u;
        if (k < p->top && p->lane[k] == 0) {
            CHECK(p->with[k] == 1u << next);
            ++next;
        }
    }
    CHECK(p->flips == flips);
    for (unsigned t = 0; t < p->threads; ++t) {
        moving |= ll_map_at(p->thread, t);
    }
    CHECK(p->moving == moving && p->thread.offset == 0);
}

/* Bit k of the coordinate of a place is vector k of the order: together they
 * are the part of its element along the axis. */
static void check_coordinates(const ll_sort_plan *p, const ll_layout *a,
                              const ll_span_ *order, const ll_span_ *axis) {
    unsigned mask = 0;
    for (unsigned k = 0; k < axis->n; ++k) {
        mask |= axis->v[k];
    }
    for (unsigned c = 0; c < 32u; ++c) {
        const unsigned t = test_random(p->threads);
        const unsigned at = test_random(1u << p->n);
        unsigned reg = 0, sum = 0, x = p->first ^ ll_map_at(p->thread, t);
        for (unsigned k = 0; k < p->n; ++k) {
            reg ^= at >> k & 1u ? p->reg[k] : 0u;
            x ^= at >> k & 1u ? p->x[k] : 0u;
        }
        for (unsigned k = 0; k < order->n; ++k) {
            sum ^= x >> k & 1u ? order->v[k] : 0u;
        }
        CHECK(sum == (ll_apply(*a, thread_of(a, reg, t)) & mask));
    }
}

/* `held` lists vectors along the axis: first from the registers, then from the
 * lanes, then from the warps. */
static void check_vectors(const ll_layout *a, const ll_span_ *axis,
                          const ll_span_ *held, unsigned own) {
    unsigned end = 0, mask = 0;
    for (unsigned k = 0; k < axis->n; ++k) {
        mask |= axis->v[k];
    }
    for (unsigned k = 0; k < 3u; ++k) {
        end += a->in.bits[k];
        const unsigned rank = rank_of(a, end, NULL, 0);
        unsigned n = 0; /* vectors of `held` in the span of these inputs */
        while (n < held->n && rank_of(a, end, held->v, n + 1u) == rank) {
            ++n;
        }
        CHECK(n == rank + axis->n - rank_of(a, end, axis->v, axis->n));
        CHECK(k || n == own);
    }
    for (unsigned k = 0; k < held->n; ++k) {
        CHECK((held->v[k] & ~mask) == 0);
    }
}

/* The top of a line is found by the cheapest choice of the registers whose
 * vectors are the lowest bits; of equal ones by the fewest. */
static void check_choice(const ll_sort_plan *best, const ll_layout *a,
                         unsigned at, const ll_span_ *held, unsigned own,
                         const ll_target *t) {
    ll_sort_plan first = LL_ZERO;
    for (unsigned low = 0; low <= own && low <= best->top; ++low) {
        const unsigned others = best->top - low;
        ll_span_ order = LL_ZERO;
        if (others > held->n - own) {
            continue;
        }
        for (unsigned k = 0; k < best->top; ++k) {
            ll_span_push_(&order, held->v[k < low ? k : own + k - low]);
        }
        const ll_span_ rest = ll_span_independent_(&order, held);
        for (unsigned k = 0; k < rest.n; ++k) {
            ll_span_push_(&order, rest.v[k]);
        }
        const ll_sort_plan p =
            ll_sort_plan_by_(a, at, &order, best->top, best->element_bits, t);
        first = first.threads && first.cycles <= p.cycles ? first : p;
    }
    CHECK(first.cycles == best->cycles);
    CHECK(ll_is_equal(first.to, best->to));
    CHECK(memcmp(first.with, best->with, sizeof first.with) == 0);
    CHECK(memcmp(first.lane, best->lane, sizeof first.lane) == 0);
}

static unsigned crossing, turned, halved;

static void check_sort(const ll_layout *layout, const ll_target *t) {
    const unsigned rank = layout->out.n;
    const unsigned d = test_random(rank), at = rank - 1u - d;
    const unsigned bits = 8u << test_random(5);
    const ll_layout a = ll_hardware_(*layout);
    unsigned own = 0;
    const unsigned low = ll_shape_start_(&a.out, at);
    const ll_span_ axis = ll_span_units_(low, low + a.out.bits[at]);
    const ll_span_ held = ll_sort_vectors_(&a, &axis, &own);
    CHECK(held.n == axis.n);
    check_vectors(&a, &axis, &held, own);
    for (unsigned y = 0; y < 1u << ll_shape_bits_(&a.out); ++y) {
        key_of[y] = test_random(1u << test_random(8));
    }
    const ll_sort_plan natural =
        ll_sort_plan_by_(&a, at, &axis, axis.n, bits, t);
    const ll_sort_plan named = ll_sort_plan_by_(&a, at, &held, axis.n, bits, t);
    check_run(&natural, &a, &a, at);
    check_cost(&natural, t);
    check_places(&natural, &a);
    check_places(&named, &a);
    check_coordinates(&natural, &a, &axis, &axis);
    check_coordinates(&named, &a, &held, &axis);
    const ll_sort_plan back = ll_sort_turned_(named, &a, t);
    CHECK(back.err == LL_OK && back.turned == 1u);
    check_run(&back, &a, &back.to, at);
    const ll_sort_plan p = ll_sort_of(*layout, ll_axis(d), bits, *t);
    CHECK(p.err == LL_OK && p.cycles <= natural.cycles);
    CHECK(ll_is_equal(p.to, *layout) && p.to_bits == a.in.bits[0]);
    CHECK(!p.turned || p.cycles == named.cycles + p.back.cycles);
    CHECK(p.turned == (back.cycles < natural.cycles));
    CHECK(p.turned || p.smem_bytes == natural.smem_bytes);
    turned += p.turned;
    crossing += p.trips ? 1u : 0u;
    const unsigned top = test_random(axis.n + 1u);
    const ll_sort_plan q = ll_top_of(*layout, ll_axis(d), 1u << top, bits, *t);
    CHECK(q.err == LL_OK && q.top == top && !q.turned);
    CHECK(ll_size(q.to.out, ll_axis(d)) == 1u << top);
    CHECK(q.to_bits == q.to.in.bits[0]);
    halved += q.to_bits < q.n ? 1u : 0u;
    check_run(&q, &a, &q.to, at);
    check_cost(&q, t);
    check_choice(&q, &a, at, &held, own, t);
}

static void random_layouts_are_sorted_line_by_line(void) {
    const ll_target nvidia = LL_SM90;
    const ll_target amd = ll_amd_target(0x942, 64);
    ll_target free = LL_SM90; /* everything is equally cheap */
    memset(free.cost, 0, sizeof free.cost);
    for (unsigned c = 0; c < times(1200); ++c) {
        const ll_layout a = random_layout(c % 6u ? 5u : 6u);
        check_sort(&a, c % 6u == 0 ? &amd : c % 6u == 3u ? &free : &nvidia);
    }
    printf("%u sorts cross warps, %u are turned, %u tops lose registers\n",
           crossing, turned, halved);
    COVERS(crossing > 200u && turned > 50u && halved > 100u);
}

/* A warp that holds a row of 1024 in order of its registers needs 15 shuffles
 * of each register: 5 bits of a lane, in phases of 1 to 5 of them. */
static void rows_of_a_warp_need_no_memory(void) {
    const ll_layout a =
        ll_parse("register: j0 j1 j2 j3 j4 | lane: j5 j6 j7 j8 j9");
    const ll_sort_plan p = ll_sort_of(a, LL_J, 32, LL_SM90);
    unsigned shuffles = 0;
    for (unsigned k = 0; k < p.steps; ++k) {
        shuffles += ll_sort_step_at_(&p, k).lane ? 1u : 0u;
    }
    CHECK(p.steps == 55u && shuffles == 15u);
    CHECK(p.trips == 0 && p.smem_bytes == 0 && !p.turned);
    CHECK(p.flips == 0x7feu);
}

/* What is left has no groups for warps and blocks that are none. */
static void tops_have_no_empty_groups(void) {
    char text[200];
    const ll_sort_plan p = ll_top_of(
        ll_parse("register: j0 j1 j2 | lane: j3 j4 j5 j6 j7"), LL_J, 4, 32,
        LL_SM90);
    ll_str(p.to, text, sizeof text);
    CHECK(strcmp(text, "register: j0 | lane: j1 0 0 0 0") == 0);
    const ll_sort_plan q = ll_top_of(
        ll_parse("register: j0 j1 | lane: j2 j3 j4 j5 j6 | warp: i0"), LL_J, 1,
        32, LL_SM90);
    ll_str(q.to, text, sizeof text);
    CHECK(strcmp(text, "register: | lane: 0 0 0 0 0 | warp: i0 -> j=1 | i=2") ==
          0);
    /* Four elements take three steps, however cheap more would be. */
    ll_target free = LL_SM90;
    memset(free.cost, 0, sizeof free.cost);
    CHECK(ll_top_of(ll_parse("register: j0 | lane: j1 i0 i1 i2 i3"), LL_J, 4,
                    32, free).steps == 3u);
    ll_target one = LL_SM90;
    one.lanes = 1;
    const ll_sort_plan r =
        ll_top_of(ll_parse("register: j0 j1 | lane:"), LL_J, 2, 32, one);
    CHECK(r.err == LL_OK && r.to.in.n == 2u && r.to.in.dim[1] == LL_LANE);
}

/* The estimate of a sort that takes longer than 2^32 cycles is the largest
 * number: here 2^32 exactly, for 2^5 comparisons of 2^30 eighths. */
static void estimates_end_at_the_largest_number(void) {
    ll_target t = LL_SM90;
    t.cost[LL_COST_LOGIC] = 1u << 30;
    const ll_layout a =
        ll_parse("register: i0 j0 j1 j2 j3 | lane: j4 j5 j6 j7 j8");
    CHECK(ll_sort_of(a, LL_I, 32, t).cycles == ~0u);
    t.cost[LL_COST_LOGIC] = (1u << 30) - 1u;
    CHECK(ll_sort_of(a, LL_I, 32, t).cycles == ~0u - 3u);
}

/* Conversions of 4 GiB have no plan, so that a line stays where it is. */
static void sorts_do_without_conversions_that_cannot_be(void) {
    ll_layout a = ll_zero(ll_shape_of("register=4194304 lane=32 warp=2"),
                          ll_shape_of("j=64 i=4194304"));
    for (unsigned k = 0; k < 28u; ++k) {
        a.basis[k] = 1u << (k < 22u ? k + 6u : 27u - k);
    }
    const ll_sort_plan p = ll_sort_of(a, LL_J, 128, LL_SM90);
    CHECK(p.err == LL_OK && !p.turned);
}

static unsigned error_of(const char *text, unsigned bits, unsigned count) {
    return count ? ll_top_of(ll_parse(text), LL_I, count, bits, LL_SM90).err
                 : ll_sort_of(ll_parse(text), LL_I, bits, LL_SM90).err;
}

static void sorts_that_cannot_be_say_why(void) {
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 32, 0) == LL_OK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 24, 0) == LL_EELEMENT);
    CHECK(error_of("lane: i0 i1 i2 i3", 32, 0) == LL_ELANES);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 -> 64", 32, 0) == LL_EHELD);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 | block: i5", 32, 0) == LL_EBLOCK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 | block: j0", 32, 0) == LL_OK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 | block: j0^i4", 32, 0) == LL_EBLOCK);
    CHECK(error_of("lane: i0^j0 i1 i2 i3 i4 | block: j0", 32, 0) == LL_EBLOCK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 32, 32) == LL_OK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 32, 64) == LL_ETOP);
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 32, 3) == LL_ETOP);
    CHECK(error_of("?", 32, 4) == LL_ETEXT);
    CHECK(ll_sort_of(ll_parse("lane: i0 i1 i2 i3 i4"), LL_J, 32, LL_SM90).err ==
          LL_EMISSING);
}

static void sorts_are_put_in_words(void) {
    char text[2000];
    const ll_sort_plan p = ll_sort_of(
        ll_parse("register: i0 | lane: i1 i2 i3 i4 i5 | warp: i6 i7"), LL_I, 32,
        LL_SM90);
    const ll_sort_plan q = ll_sort_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90);
    const ll_sort_plan none = ll_sort_of(ll_parse("?"), LL_I, 32, LL_SM90);
    const unsigned length = ll_explain_sort(p, text, sizeof text);
    CHECK(length == strlen(text));
    char cycles[64];
    snprintf(cycles, sizeof cycles,
             "2 registers, 36 steps, about %u cycles per", p.cycles);
    CHECK(strncmp(text, cycles, strlen(cycles)) == 0);
    CHECK(strstr(text, "\n  8 steps within a lane\n"
                       "  25 steps between lanes\n"
                       "  3 steps between warps, through 2048 bytes of shared "
                       "memory\n"));
    CHECK(ll_explain_sort(p, text, 10) == length && strlen(text) == 9u);
    CHECK(q.turned && ll_explain_sort(q, text, sizeof text) == strlen(text));
    CHECK(strstr(text, "  conversion back: data goes through shared"));
    CHECK(ll_explain_sort(none, text, sizeof text) == strlen(text));
    CHECK(strstr(text, ll_strerror(LL_ETEXT)));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(random_layouts_are_sorted_line_by_line);
    RUN(rows_of_a_warp_need_no_memory);
    RUN(tops_have_no_empty_groups);
    RUN(estimates_end_at_the_largest_number);
    RUN(sorts_do_without_conversions_that_cannot_be);
    RUN(sorts_that_cannot_be_say_why);
    RUN(sorts_are_put_in_words);
    return test_end();
}
