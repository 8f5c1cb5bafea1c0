/* test_candidates.c - what the planner tries, and which of it it takes.
 * SPDX-License-Identifier: MIT
 *
 * Each choice is made again by trying everything that it may choose from. The
 * plans themselves are run by test_plans.c.
 */
#include "machines.h"
#include "sums.h"

/* ---- Two sides in a block ------------------------------------------------ */

/* What the planner has when it looks for a way through the memory of a block:
 * an empty plan, both sides with registers, lanes and warps, and the places of
 * a that the places of b come from. */
typedef struct start {
    ll_target t;
    ll_plan p;
    ll_layout a, b, x;
    int ok;
} start;

static start start_of(ll_layout a, ll_layout b, unsigned bits, ll_target t) {
    start s = LL_ZERO;
    ll_sides_ both = LL_ZERO;
    both.a = a;
    both.b = b;
    s.t = t;
    s.p = ll_plan_begin_(&both, bits, LL_ANY, &t);
    s.ok = !s.p.err && s.p.kind != LL_CLUSTER;
    s.a = ll_in_block_(both.a);
    s.b = ll_layout_onto_(ll_in_block_(both.b), &both.a.out);
    s.x = both.x;
    return s;
}

/* Registers, lanes and warps, each with some bits of the tensor or none. */
static start random_start(unsigned bits, ll_target t) {
    start s = LL_ZERO;
    while (!s.ok) {
        const unsigned lanes = ll_log2_(t.lanes);
        const random_pair c =
            test_random(3)
                ? random_conversion(lanes, 5u + test_random(6), 6, 0)
                : random_small(&t);
        s = start_of(c.a, c.b, bits, t);
    }
    return s;
}

/* Two sides whose registers hold different bits of the tensor, so that bytes of
 * a word come from different threads. The first bits are those of a's
 * registers, the last ones those of b's; a lane may hold copies. */
static start apart_in_registers(unsigned bits, ll_target t) {
    const unsigned lanes = ll_log2_(t.lanes), warps = test_random(4);
    const unsigned from = 1u + test_random(4), to = 2u + test_random(3);
    const ll_shape none = LL_ZERO;
    const unsigned all = to + lanes + warps + test_random(2);
    const ll_shape out = ll_with(none, LL_J, 1u << all);
    ll_layout side[2];
    for (unsigned k = 0; k < 2u; ++k) {
        const unsigned regs = k ? to : from;
        ll_layout *x = &side[k];
        *x = ll_zero(ll_with(ll_with(ll_with(none, LL_REGISTER, 1u << regs),
                                     LL_LANE, t.lanes),
                             LL_WARP, 1u << warps),
                     out);
        unsigned order[32], n = 0;
        for (unsigned m = 0; m < all - regs; ++m) { /* of the threads */
            order[m] = k ? m : m + from;
        }
        for (unsigned m = 0; m < regs; ++m) {
            x->basis[m] = 1u << (k ? all - 1u - m : m);
        }
        for (unsigned m = all - regs; m-- > 1u;) {
            const unsigned other = test_random(m + 1u), y = order[m];
            order[m] = order[other];
            order[other] = y;
        }
        for (unsigned m = regs; m < regs + lanes + warps; ++m) {
            const int copies = test_random(8) == 0;
            x->basis[m] = copies || n == all - regs ? 0u : 1u << order[n++];
        }
    }
    return start_of(side[0], side[1], bits, t);
}

static ll_plan through_memory(const start *s, const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    return ll_plan_through_memory_(s->p, s->a, s->b, &s->x, &once, t);
}

/* A machine on which byte permutes take longer than they do. */
static ll_target with_dear_logic(ll_target t, unsigned by) {
    t.cost[LL_COST_LOGIC] *= by;
    return t;
}

static unsigned cheaper(ll_plan p, unsigned than) {
    return !p.err && p.cycles < than ? p.cycles : than;
}

static int same_layout(const ll_layout *a, const ll_layout *b) {
    return memcmp(a->basis, b->basis, sizeof a->basis) == 0 &&
           a->in.bits[0] == b->in.bits[0];
}

/* ---- Over-reads ---------------------------------------------------------- */

/* Do the registers of both sides have a vector other than 0 in common? */
static int share_registers(const start *s) {
    const unsigned n = s->b.in.bits[0];
    for (unsigned p = 0; p < 1u << n; ++p) {
        unsigned y = 0;
        for (unsigned k = 0; k < n; ++k) {
            y ^= p >> k & 1u ? s->b.basis[k] : 0u;
        }
        if (y && is_sum_of(s->a.basis, s->a.in.bits[0], y)) {
            return 1;
        }
    }
    return 0;
}

/* Does a bit of the thread number tell apart what registers of a hold? If data
 * stays in its warp, a warp does not know the registers of another one. */
static int tells_registers_apart(const start *s, unsigned w) {
    const unsigned y = s->b.basis[s->b.in.bits[0] + w];
    unsigned crosses = 0;
    for (unsigned k = 0; k < bits_in(&s->x.in); ++k) {
        const unsigned first = s->x.in.bits[0] + s->x.in.bits[1];
        const unsigned own = k >= first && k < first + s->x.in.bits[2]
                                 ? 1u << (k - first) : 0u;
        const unsigned warp =
            s->x.basis[k] >> (s->x.out.bits[0] + s->x.out.bits[1]) &
            ((1u << s->x.out.bits[2]) - 1u);
        crosses |= warp ^ own;
    }
    crosses |= s->x.offset >> (s->x.out.bits[0] + s->x.out.bits[1]) &
               ((1u << s->x.out.bits[2]) - 1u);
    return y && is_sum_of(s->a.basis, s->a.in.bits[0], y) &&
           (w < s->b.in.bits[1] || crosses);
}

/* Is there anything to gain? Matrices move pairs of bytes, and wide loads move
 * words. */
static int may_over_read(const start *s, const ll_plan *q) {
    const int apart = s->p.element_bits == 8u && !share_registers(s) &&
                      !s->t.forms[LL_READ][LL_FORM_BYTES];
    return !q->err && s->t.forms[LL_READ][LL_FORM_TRANS] &&
           s->p.element_bits <= 16u && s->b.in.bits[0] >= 2u &&
           (apart || q->step[3].bytes < 4u);
}

static ll_plan over_read(const start *s, const ll_plan *q, unsigned w) {
    return w == ~0u ? *q
                    : ll_plan_over_read_(&s->p, &s->a, &s->b, &s->x, w, &s->t);
}

/* At most two bits of the thread number are tried: that of the lanes 1 apart
 * or, if it tells nothing apart, 2 apart; then, from the highest bit down, the
 * first that does, or the first two. The second one is tried if the first does
 * not help or leaves stores narrower than a word. Of equal ones it is taken if
 * it makes these wider. */
static void the_cheapest_of_two_over_reads_is_taken(void) {
    unsigned near[2] = LL_ZERO, far[2] = LL_ZERO, none = 0, wider = 0;
    for (unsigned n = 0; n < 12000u; ++n) {
        const unsigned which = test_random(6);
        ll_target t = which < 3u   ? LL_SM90
                      : which == 3u ? LL_SM80
                      : which == 4u ? LL_SM100F
                                    : LL_GFX950;
        t = test_random(4) ? t : with_dear_logic(t, 1u + test_random(4));
        const unsigned bits = test_random(4) ? 8u : 16u << test_random(2);
        const start s = test_random(4) ? apart_in_registers(bits, t)
                                       : random_start(bits, t);
        if (!s.ok) { /* a lacks an element */
            continue;
        }
        const ll_plan q = through_memory(&s, &t);
        const ll_plan p =
            ll_plan_over_reads_(&s.p, q, &s.a, &s.b, &s.x, &t);
        const unsigned threads = s.b.in.bits[1] + s.b.in.bits[2];
        unsigned w[2] = {~0u, ~0u};
        unsigned tried = 0;
        for (unsigned k = 0; may_over_read(&s, &q) && k < 2u; ++k) {
            if (tried == 0 && tells_registers_apart(&s, k)) {
                w[tried++] = k;
            }
        }
        for (unsigned k = threads; may_over_read(&s, &q) && k-- > 2u;) {
            if (tried < 2u && tells_registers_apart(&s, k)) {
                w[tried++] = k;
            }
        }
        for (unsigned k = 0; tried && k < threads; ++k) {
            /* the byte of the other thread is in the word that is loaded */
            const ll_plan any = over_read(&s, &q, k);
            CHECK(any.err == LL_EKIND ||
                  any.step[4].flip_by >> any.step[3].pack == 0);
        }
        const ll_plan one = over_read(&s, &q, w[0]);
        const ll_plan two = over_read(&s, &q, w[1]);
        const unsigned first = cheaper(one, q.cycles);
        const int done = first < q.cycles && one.step[1].bytes >= 4u;
        const unsigned least = done ? first : cheaper(two, first);
        CHECK(p.cycles == least && p.err == q.err);
        if (q.err) {
            continue;
        }
        const unsigned flip = p.step[4].flip;
        CHECK(least < q.cycles ? flip != 0 : flip == 0);
        const int tie = !done && first < q.cycles && two.cycles == first &&
                        !two.err && w[1] != ~0u;
        const int by_two =
            !done && (least < first ||
                      (tie && two.step[1].bytes > one.step[1].bytes));
        CHECK(flip == (least == q.cycles ? 0u
                       : by_two          ? 1u << w[1]
                                         : 1u << w[0]));
        wider += tie && by_two;
        const unsigned by = by_two ? w[1] : w[0];
        ++*(least == q.cycles ? &none : by < 2u ? &near[by] : &far[by_two]);
    }
    printf("    over-reads: %u none, %u %u near, %u %u far, %u wider\n", none,
           near[0], near[1], far[0], far[1], wider);
    CHECK(near[0] > 20u && near[1] > 20u && far[0] > 5u && far[1] > 20u);
    CHECK(wider > 0);
}

/* ---- Fewer byte permutes ------------------------------------------------- */

/* Each warp holds at most 16 elements, the same ones in both layouts, in many
 * copies: its part of the memory has few columns. */
static start few_in_a_warp(unsigned bits, ll_target t) {
    const unsigned lanes = ll_log2_(t.lanes), own = 2u + test_random(3);
    const unsigned warps = 1u + test_random(3);
    const ll_shape none = LL_ZERO;
    const ll_shape out = ll_with(none, LL_J, 1u << (own + warps));
    ll_layout side[2];
    for (unsigned k = 0; k < 2u; ++k) {
        const unsigned regs = 1u + test_random(own);
        ll_layout *x = &side[k];
        *x = ll_zero(ll_with(ll_with(ll_with(none, LL_REGISTER, 1u << regs),
                                     LL_LANE, t.lanes),
                             LL_WARP, 1u << warps),
                     out);
        for (unsigned bit = 0; bit < own; ++bit) {
            unsigned m = test_random(bit < 2u ? regs : regs + 3u);
            while (x->basis[m]) {
                m = (m + 1u) % (regs + 3u);
            }
            x->basis[m] = 1u << bit;
        }
        for (unsigned w = 0; w < warps; ++w) {
            x->basis[regs + lanes + w] = 1u << (own + w);
        }
    }
    return start_of(side[0], side[1], bits, t);
}

/* The memories that have two of the lowest four columns exchanged. Where each
 * warp has its own part, the columns of the warps are the highest, and stay. */
static void two_of_the_lowest_columns_change_places(void) {
    const ll_passes_ once = LL_ZERO;
    unsigned found[2] = LL_ZERO, own_parts = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        const ll_target t = with_dear_logic(
            test_random(2) ? LL_SM90 : LL_GFX950, 1u + test_random(16));
        const unsigned bits = 8u << test_random(2);
        const start s = n % 3u ? random_start(bits, t) : few_in_a_warp(bits, t);
        ll_plan q = through_memory(&s, &t);
        const int own = !q.err && q.step[2].op == LL_OP_SYNC_WARP;
        const unsigned low =
            q.memory.in.bits[0] - (own ? s.a.in.bits[2] : 0u);
        if (own && low < 4u && s.a.in.bits[2] && n % 2u) {
            ll_plan m = s.p; /* the warps' column 0 would go back */
            m.fewest = q.fewest;
            m.memory = q.memory;
            m.memory.basis[0] = q.memory.basis[low];
            m.memory.basis[low] = q.memory.basis[0];
            m = ll_plan_by_memory_(m, &s.a, &s.b, &once, own, &t);
            q = ll_plan_may_permute_less_(&m, &t) ? m : q;
        }
        const ll_plan r = ll_plan_reordered_(&s.p, q, &s.a, &s.b, &t);
        if (q.err) {
            CHECK(r.err == q.err);
            continue;
        }
        /* Nothing is tried for a plan that is said to have the fewest. */
        const int vectors = !q.step[1].form && !q.step[3].form;
        const unsigned fewest = q.fewest;
        q.fewest = 1u << 20;
        const ll_plan same = ll_plan_reordered_(&s.p, q, &s.a, &s.b, &t);
        CHECK(!vectors || same_layout(&same.memory, &q.memory));
        q.fewest = fewest;
        unsigned least = q.cycles;
        for (unsigned i = 0; i < 4u && i < low; ++i) {
            for (unsigned j = 0; j < i; ++j) {
                ll_plan m = s.p;
                m.memory = q.memory;
                m.memory.basis[i] = q.memory.basis[j];
                m.memory.basis[j] = q.memory.basis[i];
                least = cheaper(
                    ll_plan_by_memory_(m, &s.a, &s.b, &once, own, &t), least);
            }
        }
        CHECK(!r.err && r.cycles == least && r.fewest == q.fewest);
        CHECK(r.cycles < q.cycles || same_layout(&r.memory, &q.memory));
        CHECK((r.step[2].op == LL_OP_SYNC_WARP) == own);
        ++found[r.cycles < q.cycles];
        own_parts += own && low < 4u && s.a.in.bits[2];
    }
    printf("    reordered: %u of %u, %u with few columns\n", found[1],
           found[0] + found[1], own_parts);
    CHECK(found[1] > 50u && own_parts > 5u);
}

/* Everything that may need fewer permutes: six kinds of accesses, each also
 * with low columns exchanged, and memories that end with one or two registers
 * of both sides. */
static void the_fewest_permutes_are_found(void) {
    const ll_passes_ once = LL_ZERO;
    unsigned found[2] = LL_ZERO, by[8] = LL_ZERO;
    for (unsigned n = 0; n < 2500u; ++n) {
        ll_target t = with_dear_logic(
            test_random(3) ? LL_SM90 : LL_GFX950, 1u + test_random(4));
        t.access_bytes >>= test_random(4) ? 0u : test_random(5);
        const start s = random_start(8u << test_random(2), t);
        const ll_plan q = through_memory(&s, &t);
        const ll_plan r =
            ll_plan_permuted_less_(&s.p, q, s.a, s.b, &s.x, &t);
        unsigned least = q.cycles;
        unsigned at = 8;
        ll_plan best = q;
        for (unsigned k = 0; k < 8u && ll_plan_may_permute_less_(&best, &t);
             ++k) {
            ll_target some = t;
            const int vectors = k % 2u;
            some.access_bytes >>= k < 6u ? k / 2u : 0u;
            for (unsigned form = 1; form < LL_MAX_FORMS && vectors; ++form) {
                some.forms[LL_READ][form] = some.forms[LL_WRITE][form] =
                    t.forms[LL_READ][0];
            }
            if (k < 6u && some.access_bytes == 0) {
                continue;
            }
            ll_plan m = k < 6u ? ll_plan_through_memory_(s.p, s.a, s.b, &s.x,
                                                         &once, &some)
                               : ll_plan_without_common_(&s.p, &s.a, &s.b, &s.x,
                                                         k - 5u, &t);
            m.fewest = q.fewest;
            m = k < 6u ? ll_plan_reordered_(&s.p, m, &s.a, &s.b, &some) : m;
            at = !m.err && m.cycles < least ? k : at;
            best = at == k ? m : best;
            least = cheaper(m, least);
        }
        CHECK(r.err == q.err && (q.err || r.cycles == least));
        CHECK(q.err || r.fewest == q.fewest);
        if (at < 8u) {
            ++by[at];
        }
        ++found[at < 8u];
    }
    printf("    permuted less: %u of %u; by %u %u %u %u %u %u %u %u\n",
           found[1], found[0] + found[1], by[0], by[1], by[2], by[3], by[4],
           by[5], by[6], by[7]);
    CHECK(found[1] > 50u);
}

/* ---- Hops ---------------------------------------------------------------- */

/* Lane l takes the word of lane l ^ by; `by` may be of another warp. */
static ll_layout lanes_apart(unsigned lanes, unsigned by) {
    const ll_shape none = LL_ZERO;
    ll_layout m = ll_zero(ll_with(ll_with(none, LL_LANE, lanes), LL_WARP, 2),
                          ll_with(none, LL_LANE, 2u * lanes));
    for (unsigned k = 0; 1u << k < lanes; ++k) {
        m.basis[k] = 1u << k;
    }
    m.offset = by;
    return m;
}

/* A warp bit that changes the lane, whichever bit of it, takes a hop to a
 * computed lane, and so does a lane that the warp does not have. */
static void lanes_of_other_warps_have_no_hops(void) {
    const unsigned hops = LL_GFX950.hops;
    for (unsigned k = 0; k < 6u; ++k) {
        ll_layout m = lanes_apart(64, 0);
        CHECK(ll_hops_of(ll_map_of(m), 0, hops, 64).n == 0);
        m.basis[6] = 1u << k;
        const ll_hops any = ll_hops_of(ll_map_of(m), 0, hops, 64);
        CHECK(any.n == 1u && any.hop[0] == LL_HOP_ANY);
        m.basis[6] = 0;
        CHECK(ll_hops_of(ll_map_of(m), 1u << k, hops, 64).near);
    }
    ll_layout far = lanes_apart(64, 0); /* bits move by 2 and, of warps, by 1 */
    const unsigned rows = ll_amd_target(0x1100, 64).hops;
    far.basis[0] = 4;
    far.basis[2] = 1;
    CHECK(ll_hops_of(ll_map_of(far), 0, rows, 64).hop[0] == LL_HOP_ROW);
    far.basis[6] = 32;
    CHECK(ll_hops_of(ll_map_of(far), 0, rows, 64).hop[0] == LL_HOP_ANY);
    const ll_map m = ll_map_of(lanes_apart(64, 64));
    const ll_map still = ll_map_of(lanes_apart(64, 0));
    CHECK(ll_hops_of(m, 0, hops, 64).hop[0] == LL_HOP_ANY);
    CHECK(ll_hops_of(still, 64, hops, 64).hop[0] == LL_HOP_ANY);
}

/* A lane's place and the offset of the map are one number. */
static void an_offset_of_lanes_is_a_place(void) {
    const ll_target all[] = {LL_GFX908, LL_GFX942, LL_GFX950, LL_GFX1100};
    unsigned near = 0;
    for (unsigned n = 0; n < 4000u; ++n) {
        const ll_target t = all[n % 4u];
        const unsigned by = test_random(t.lanes), at = test_random(t.lanes);
        ll_layout m = lanes_apart(t.lanes, 0);
        const unsigned bits = ll_log2_(t.lanes);
        for (unsigned k = 0; k < 4u; ++k) {
            const unsigned i = test_random(bits), j = test_random(bits);
            m.basis[i] = test_random(2) ? m.basis[i] & ~(1u << j)
                                        : m.basis[i] ^ 1u << j % 4u;
        }
        const ll_hops one = ll_hops_of(ll_map_of(m), at ^ by, t.hops, t.lanes);
        m.offset = by;
        const ll_hops two = ll_hops_of(ll_map_of(m), at, t.hops, t.lanes);
        CHECK(memcmp(&one, &two, sizeof one) == 0);
        near += one.n && one.near;
    }
    CHECK(near > 100u);
}

/* v_permlane16_swap overwrites both of its registers, so that each word is
 * copied twice for it: three instructions. */
static void a_swap_as_a_hop_takes_three_instructions(void) {
    ll_step s = LL_ZERO;
    s.thread = ll_map_of(lanes_apart(64, 16));
    ll_hop_all_(&s, 2, LL_GFX950.hops, 64); /* two words each */
    CHECK(s.near == 2u && s.logic == 6u);
    s.thread = ll_map_of(lanes_apart(64, 8)); /* a rotation within a row */
    ll_hop_all_(&s, 2, LL_GFX950.hops, 64);
    CHECK(s.near == 2u && s.logic == 2u);
}

/* One instruction exchanges the halves of a wave, also on a machine that has
 * only that one. */
static void one_kind_of_swaps_is_enough(void) {
    const ll_layout a = L("register: i0 i1 | lane: i2 i3 i4 i5 i6 i7");
    for (unsigned k = 4; k < 6u; ++k) {
        ll_target t = LL_GFX950;
        ll_layout b = a;
        b.basis[0] = a.basis[2u + k];
        b.basis[2u + k] = a.basis[0];
        t.swaps = 1u << k;
        t.hops &= ~(1u << LL_HOP_SWAP);
        const ll_plan p = ll_plan_of(a, b, 32, t);
        unsigned swaps = 0;
        for (unsigned m = 0; m < p.n; ++m) {
            swaps += p.step[m].op == LL_OP_SWAP ? p.step[m].count : 0u;
        }
        CHECK(p.kind == LL_SHUFFLES && swaps == 2u);
    }
}

/* ---- As many bits as there are ------------------------------------------- */

/* Adds warps that both sides have alike until the result has 32 bits. */
static void with_warps(ll_layout *a, ll_layout *b, unsigned more) {
    const ll_shape none = LL_ZERO;
    ll_layout warps =
        ll_zero(ll_with(none, LL_WARP, 1u << more),
                ll_with(none, LL_K, 1u << more));
    for (unsigned k = 0; k < more; ++k) {
        warps.basis[k] = 1u << k;
    }
    *a = ll_mul(*a, warps);
    *b = ll_mul(*b, warps);
}

static void same_steps(const ll_plan *p, const ll_plan *q) {
    CHECK(p->err == q->err && p->cycles == q->cycles && p->n == q->n);
    for (unsigned k = 0; k < p->n; ++k) {
        CHECK(p->step[k].op == q->step[k].op);
        CHECK(p->step[k].count == q->step[k].count);
    }
}

/* Warps that both sides have alike change nothing within a warp, up to the last
 * bit of a layout. Their memory would have 2^32 bytes and more. */
static void shuffles_are_those_of_one_warp(void) {
    unsigned found = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : LL_SM80;
        random_pair c = random_conversion(5, 6u + test_random(3), 4, 0);
        const unsigned last = ll_shape_bits_(&c.b.in);
        if (c.blocks || held_bits(&c.a.in, LL_WARP) ||
            held_bits(&c.b.in, LL_WARP) ||
            held_bits(&c.a.in, LL_REGISTER) >
                held_bits(&c.b.in, LL_REGISTER) || last > 31u) {
            continue;
        }
        const ll_plan p = ll_plan_by(c.a, c.b, 32, t, LL_SHUFFLES);
        if (c.tensor + 32u - last > 32u || p.err) {
            continue;
        }
        with_warps(&c.a, &c.b, 32u - last);
        CHECK(ll_shape_bits_(&c.b.in) == 32u);
        const ll_plan q = ll_plan_by(c.a, c.b, 32, t, LL_SHUFFLES);
        if (q.err == LL_OK) { /* there is room for the registers it needs */
            same_steps(&p, &q);
            ++found;
        }
        const ll_plan m = ll_plan_by(c.a, c.b, 32, t, LL_SHARED);
        CHECK(m.kind < LL_SHARED || m.err == LL_EBITS);
    }
    CHECK(found > 5u);
}

/* 27 bits of registers, of which 26 hold copies, need what one bit needs. */
static void copies_in_many_registers_cost_nothing(void) {
    ll_layout a = L("register: i0 | lane: j0 j1 j2 j3 j4");
    ll_layout b = L("register: j0 | lane: i0 j1 j2 j3 j4");
    a = ll_order_out(a, "j i");
    b = ll_order_out(b, "j i");
    const ll_plan p = ll_plan_by(a, b, 32, LL_SM90, LL_SHUFFLES);
    const ll_layout copies = ll_zeros(1u << 26, LL_REGISTER, LL_J, 1);
    a = ll_mul(a, copies);
    b = ll_mul(b, copies);
    CHECK(ll_shape_bits_(&b.in) == 32u);
    const ll_plan q = ll_plan_by(a, b, 32, LL_SM90, LL_SHUFFLES);
    CHECK(p.kind == LL_SHUFFLES);
    same_steps(&p, &q);
}

/* Lanes that want different registers of one lane fetch both, in one more
 * register. If the layout has 32 bits already, there is no such plan. */
static void a_full_layout_has_no_room_for_more_registers(void) {
    for (unsigned k = 0; k < 5u; ++k) {
        for (unsigned more = 25; more <= 26u; ++more) {
            ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4");
            ll_layout b = L("register: 0 | lane: i0 i1 i2 i3 i4 -> j=2 | i=32");
            b = ll_order_out(b, "j i");
            a = ll_order_out(a, "j i");
            b.basis[1u + k] = a.basis[0];
            CHECK(!a.err && !b.err);
            with_warps(&a, &b, more);
            const ll_plan p = ll_plan_by(a, b, 32, LL_SM90, LL_SHUFFLES);
            CHECK(p.err == (more == 25u ? LL_OK : LL_EKIND));
        }
    }
}

/* Blocks that read each other's memory, where the result has copies in all the
 * warps that 32 bits have room for. */
static void copies_in_many_warps_cost_nothing(void) {
    const ll_layout a =
        L("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5");
    ll_layout b = L("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0");
    const ll_plan p = ll_plan_of(a, b, 32, LL_SM90);
    b = ll_mul(b, ll_zeros(1u << 25, LL_WARP, LL_J, 1));
    CHECK(ll_shape_bits_(&b.in) == 32u);
    const ll_plan q = ll_plan_of(a, b, 32, LL_SM90);
    CHECK(p.kind == LL_CLUSTER && !q.err && q.smem_bytes == p.smem_bytes);
    CHECK(p.step[3].count == q.step[3].count);
    CHECK(p.step[3].wavefronts == q.step[3].wavefronts);
}

/* An axis of 32 bits: what stays where it is keeps its number. */
static void an_axis_of_32_bits_is_absorbed(void) {
    const ll_shape none = LL_ZERO;
    const ll_shape in = ll_with(ll_with(none, LL_REGISTER, 1u << 27), LL_LANE,
                                32);
    ll_shape out = ll_with(none, LL_J, 2);
    out.bits[0] = 32;
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    const ll_layout s = ll_absorb(a, a, LL_J);
    CHECK(!s.err);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(s.basis[k] == 1u << k);
    }
}

/* Memory of 2^32 bytes and more cannot be filled by copies. */
static void a_tensor_of_32_bits_is_not_copied(void) {
    const ll_shape none = LL_ZERO;
    ll_shape out = ll_with(none, LL_J, 2);
    const ll_shape in =
        ll_with(ll_with(ll_with(none, LL_REGISTER, 32), LL_LANE, 32), LL_WARP,
                1u << 22);
    out.bits[0] = 32;
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    CHECK(ll_plan_by(a, a, 8, LL_SM90, LL_COPIES).err == LL_EBITS);
}

/* With the number of a block the places of a cluster have more than 32 bits. */
static void a_cluster_has_less_than_2_to_the_32_places(void) {
    const ll_shape none = LL_ZERO;
    ll_shape out = ll_with(none, LL_J, 2);
    const ll_shape in =
        ll_with(ll_with(ll_with(ll_with(none, LL_REGISTER, 32), LL_LANE, 32),
                        LL_WARP, 1u << 21), LL_BLOCK, 2);
    out.bits[0] = 32;
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    ll_layout b = a;
    b.basis[0] = a.basis[31];
    b.basis[31] = a.basis[0];
    CHECK(ll_plan_of(a, b, 8, LL_SM90).err == LL_EBITS);
}

/* ---- The order of an axis ------------------------------------------------ */

static unsigned on_axis(const ll_layout *a, unsigned column) {
    return a->basis[column] & ((1u << a->out.bits[0]) - 1u);
}

/* Where lanes, warps, blocks and registers of both sides hold different numbers
 * of the axis in the same place, the number becomes that of the other side,
 * unless what was there before says otherwise. */
static void numbers_follow_the_places_of_the_other_side(void) {
    static const unsigned order[] = {1, 2, 3, 0};
    for (unsigned n = 0; n < 600u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : LL_GFX942;
        random_pair c = n % 3u ? random_conversion(ll_log2_(t.lanes),
                                                   5u + test_random(6), 5, 0)
                               : random_conversion(ll_log2_(t.lanes), 4, 5, 1);
        unsigned from[32], to[32], pairs = 0;
        const ll_layout s = ll_absorb(c.a, c.b, LL_J);
        const ll_layout x = ll_hardware_(c.a), y = ll_hardware_(c.b);
        if (x.out.bits[0] == 0) {
            continue;
        }
        CHECK(!s.err && ll_is_invertible(s));
        for (unsigned m = 0; m < 4u; ++m) {
            const unsigned d = order[m];
            for (unsigned k = 0; k < x.in.bits[d] && k < y.in.bits[d]; ++k) {
                const unsigned u = on_axis(&x, ll_shape_start_(&x.in, d) + k);
                const unsigned v = on_axis(&y, ll_shape_start_(&y.in, d) + k);
                if (!is_sum_of(from, pairs, u) && !is_sum_of(to, pairs, v)) {
                    from[pairs] = u;
                    to[pairs++] = v;
                    CHECK(value(&s, u) == v);
                }
            }
        }
    }
    /* Registers that the two sides count differently: in their order. */
    const ll_layout s =
        ll_absorb(L("register: i0 j0 i1 | lane: j1 j2 j3 i2 i3"),
                  L("register: j0 i2 0 i3 | lane: j1 j2 j3 0 0 -> j=16 | i=16"),
                  LL_I);
    CHECK(value(&s, 1) == 4u && value(&s, 2) == 8u);
}

/* ---- Pairs that need each choice ----------------------------------------- */

/* A pair of layouts whose plan is dear, wrong or another one without a choice
 * that the comment names, with the cycles that it would cost. Each plan is also
 * run. */
typedef struct needed {
    const char *a, *b;
    unsigned bits, target, kind;         /* what is asked for */
    unsigned got, cycles;                /* kind and cycles of the plan */
    unsigned next_kind, next_cycles;     /* of its runner-up */
} needed;

enum { SM75, SM80, SM90, SM100F, GFX950, GFX1100_64, GFX1201, GFX1201_64 };

static ll_target target_number(unsigned k) {
    return k == SM75        ? LL_SM75
           : k == SM80      ? LL_SM80
           : k == SM90      ? LL_SM90
           : k == SM100F    ? LL_SM100F
           : k == GFX950    ? LL_GFX950
           : k == GFX1201   ? LL_GFX1201
           : k == GFX1201_64 ? ll_amd_target(0x1201, 64)
                            : ll_amd_target(0x1100, 64);
}

static const needed all_needed[] = {
    /* Memory that ends with a register of both sides: 14. */
    {"register: i1 i5 j2 | lane: i2 i3 i4 j0 j1 | warp: i0",
     "register: j1 i4 i5 j2 i1 | lane: i3 0 i0 i2 j0 | warp:", 8, SM100F,
     LL_SHARED, LL_SHARED, 12, LL_SHARED, 0},
    /* The same with a barrier of the warp alone: 21. */
    {"register: j0 j1 j2 i3 i4 | lane: j3 j4 i0 i1 i2 | warp:",
     "register: 0 0 j2 0 0 | lane: 0 i1 i2 i3 i4 | warp: -> 32x32", 16, SM80,
     LL_SHARED, LL_SHARED, 19, LL_SHARED, 0},
    /* Accesses of half the width: 8. */
    {"register: j0 j1 0 j4 | lane: j2 j3 i0 0 0 | warp:",
     "register: i0 0 0 j3 j4 | lane: 0 0 j0 j1 j2 | warp:", 8, SM80, LL_SHARED,
     LL_SHARED, 7, LL_SHARED, 0},
    /* Over-reads of nibbles that move apart: 14, with dearer permutes 12. */
    {"register: i6 i1 i3 | lane: 0 i0 i4 i2 i5 | warp: 0",
     "register: i0^i1 i2 i3^i4 | lane: i1 i5 i4 i6 0 | warp: 0", 4, SM90,
     LL_SHARED, LL_SHARED, 11, LL_SHARED, 0},
    /* Two permutes for a word of which the load brings half. */
    {"register: j0 j1 i3 0 i4 i5 i6 | lane: 0 0 i0 i1 i2 | warp:",
     "register: i0 i1 i2 i3 | lane: i4 i5 i6 j0 j1 | warp:", 4, SM90, LL_SHARED,
     LL_SHARED, 46, LL_SHARED, 0},
    /* Each warp's part of the memory, which warps share otherwise. */
    {"register: | lane: i0 i1 i2 j1 j0 | warp: i3 i4 i5",
     "register: | lane: i1 j0 j1 i2 i0 | warp: i3 i4 i5", 16, SM90, LL_SHARED,
     LL_SHARED, 3, LL_SHARED, 0},
    /* Two swaps with an offset in what they move: 98 through memory. */
    {"register: i3 i9 i0 i5 i1 | lane: i4 i7 i6 i8 i10 i2 | warp: | "
     "1: i0^i2^i3^i4^i5^i6^i7^i8",
     "register: i9 i2^i10 i0 i10 i1 | lane: i4 i7 i6 i8 i1^i5 i3^i5 | warp: | "
     "1: i0^i3^i4^i5^i6^i7^i8",
     8, GFX950, LL_ANY, LL_SHUFFLES, 96, LL_SHARED, 98},
    /* Three swaps with an offset in a register: 388. */
    {"register: i0 i1 i5 i7 | lane: i2 i4 i3 i8 0 i6 | warp: | 1: i5^i6^i7^i8",
     "register: i5 i6 i7 i1^i5 | lane: i2 i4 i3 i8 i1 i0 | warp: | "
     "1: i0^i5^i6^i7^i8",
     64, GFX950, LL_SHUFFLES, LL_SHUFFLES, 192, LL_SHUFFLES, 0},
    /* Three swaps without a spare register: 52. */
    {"register: i6 i5 i1 | lane: i2 i3 i4 i7 0 i0 | warp:",
     "register: i0 i6 0 | lane: i2 i3 i4 i7 i1 i5 | warp:", 16, GFX950, LL_ANY,
     LL_SHARED, 42, LL_SHUFFLES, 48},
    /* Three swaps, of which the last brings the spare vector back: 104. */
    {"register: i5 0 i4 i8 i1 | lane: i2 i0 i6 i7 i4 i3 | warp: 0",
     "register: i3 i5 i8 i1 i4 | lane: i2 i0 i6 i7 i5 0 | warp: 0", 8, GFX950,
     LL_ANY, LL_SHUFFLES, 88, LL_SHARED, 112},
    /* Elements that share a word of the result stay together: 48. */
    {"register: i2 i3 i4 i0 | lane: i1 i5 i7 i8 i6 0 | warp:",
     "register: i3 i0 i2 0 | lane: i1 i5 i7 i8 i4 i6 | warp:", 8, GFX950,
     LL_SHUFFLES, LL_SHUFFLES, 32, LL_SHUFFLES, 0},
    /* Elements that share a word of the source stay together: 124. */
    {"register: i1 i0 i2 i4 i7 0 i6 | lane: i9 i3 i8 0 i5 | warp: 0 | "
     "1: i0^i3^i5^i6^i8",
     "register: i7 i9 0 i2 i8 0 i1 | lane: i5 i4 i0 i3 i6 | warp: 0 | "
     "1: i0^i5^i6^i8",
     8, GFX1201, LL_ANY, LL_SHARED, 56, LL_SHUFFLES, 92},
    /* Words of one byte less than was tried first: 784. */
    {"register: i4 i5 0 i2 i3 i6 | lane: i9 0 i8 i0 i1 i7 | warp: 0 0",
     "register: i4^i6 i0 i1^i6 i6 i0^i5 i3 | lane: i1^i9 i8 i2 i7 0 i3 | "
     "warp: 0 0", 8, GFX950, LL_ANY, LL_SHARED, 144, LL_SHUFFLES, 272},
    /* Lanes fetch registers that others want as well: none but memory. */
    {"register: i2 i5 i1 j0 j1 i0 i3 | lane: i4 j2 i7 i6 0 | warp: 0",
     "register: j0 j1 i1 i2 | lane: i3^i4^i5 i0^i1 j2 i4 i4^i5 | warp: i6 i7",
     64, SM75, LL_ANY, LL_SHARED, 292, LL_SHUFFLES, 322},
    {"register: i1 i2 i6 i8 i9 i10 0 | lane: i0 i3 0 i5 i4 i7 | warp:",
     "register: i9 0 0 0 i6 i1 i10 | lane: i0 0 0 0 i8 0 | warp:", 4, GFX950,
     LL_ANY, LL_SHARED, 226, LL_SHUFFLES, 228},
    {"register: i6 i0 | lane: i1 i5 0 i2 i3 i4 | warp: 0",
     "register: i0^i4 i6 | lane: i1 i5 0 i2 i3^i4 i0^i3^i4 | warp: 0", 4,
     GFX950, LL_SHUFFLES, LL_SHUFFLES, 36, LL_SHUFFLES, 0},
    /* An offset is no select: 12. */
    {"register: i5 i4 | lane: i2 0 i0 i1 i3 | warp: | 1: i0^i3^i4^i5",
     "register: i4 i1 | lane: i5 i2 i0 i3 0 | warp: | 1: i0^i3^i5", 8, GFX1201,
     LL_SHUFFLES, LL_SHUFFLES, 5, LL_SHUFFLES, 0},
    /* Lanes that want the same lane read from copies: 92, 12. */
    {"register: i2 i1 i3 i4 | lane: 0 i6 i0 i5 0 | warp: 0 0 | "
     "1: i0^i1^i2^i3^i5^i6",
     "register: i6 i0 i3 i3 | lane: i3 i2 i1 i4 i5 | warp: 0 0 | "
     "1: i0^i1^i2^i3^i5^i6",
     16, GFX1201, LL_SHUFFLES, LL_SHUFFLES, 84, LL_SHUFFLES, 0},
    {"register: i0 i3 i5 | lane: i4 i6 i0 i1 i2 | warp: 0",
     "register: i5 i6 0 | lane: i1 i2 i3^i4 i0 i4 | warp: 0", 8, GFX1201,
     LL_SHUFFLES, LL_SHUFFLES, 6, LL_SHUFFLES, 0},
    /* Registers that hold copies come from one position. */
    {"register: i4 i1 i3 | lane: i5 i6 i7 i2 0 i0 | warp:",
     "register: i4 i1^i3 i4 | lane: i5 i6 i7 i2 i0 i1 | warp:", 16, GFX950,
     LL_SHUFFLES, LL_SHUFFLES, 32, LL_SHUFFLES, 0},
    /* A select cannot join permutes whose words come from two: 72. */
    {"register: i1 i0 | lane: i2 i4 i5 i6 i3 i7 | warp: 0",
     "register: i3 i5 | lane: i6 i4 i7 i2 i0^i3 i1 | warp: 0", 4, GFX950,
     LL_ANY, LL_SHARED, 40, LL_SHUFFLES, 88},
    /* Lanes that keep their numbers need no round: 32; half a wave apart is
     * one near hop for each word, and all of them are priced: 18. */
    {"register: 0 | lane: 0 0 0 0 0 j0 | warp: -> j=2 | i=1",
     "register: j0 0 | lane: 0 0 0 0 0 0 | warp: 0 0 -> j=2 | i=1", 128,
     GFX1201_64, LL_ANY, LL_SHUFFLES, 24, LL_SHARED, 56},
    /* Hops that swap halves take three instructions: 96 with a fourth. */
    {"register: i5 0 0 | lane: i3 i0 i2 i4 i1 i6 | warp: | 1: i1^i3^i4^i6",
     "register: i5 i1 i2 | lane: i3 i0 i2 i4 i1 i6 | warp: | "
     "1: i1^i2^i3^i4^i6",
     64, GFX950, LL_SHUFFLES, LL_SHUFFLES, 80, LL_SHUFFLES, 0},
    /* Byte permutes within a lane: 0 without their price. */
    {"register: i7 i0 i3 i6 | lane: i9 i4 i1 i8 i2 i5 | warp: 0",
     "register: i3 i6 i7 i0 | lane: i9 i4 i1 i8 i2 i5 | warp: 0", 8, GFX950,
     LL_ANY, LL_REGISTERS, 32, LL_REGISTERS, 0},
    /* Copies that ds_read_b64_tr and ldmatrix read: 96, 400, 24 and 80. */
    {"register: j0 j1 j2 j5 | lane: i0 i1 0 0 j3 j4 | warp: 0 0",
     "register: i0 i1 | lane: j0 j1 j2 j3 j4 j5 | warp: 0 0", 16, GFX950,
     LL_COPIES, LL_SHARED, 88, LL_SHARED, 0},
    {"register: j0 j1 j2 i5 i6 | lane: j3 j4 i0 i1 i2 i3 | warp: i4",
     "register: i0 i1 i2 i4 i5 i6 | lane: j0 j1 j2 j3 j4 i3 | warp: 0", 16,
     GFX950, LL_COPIES, LL_SHARED, 272, LL_SHARED, 0},
    {"register: j0 j1 j2 j3 | lane: i0 i1 i2 i3 i4 | warp: i5 0",
     "register: i0 i1 i2 i3 | lane: i4 i5 j0 j1 j2 | warp: j3 0 -> i=64 | j=16",
     8, SM100F, LL_COPIES, LL_SHARED, 12, LL_SHARED, 0},
    {"register: j0 j1 j2 | lane: j3 j4 j5 i0 i1 i2 | warp: i3",
     "register: i0 i1 i2 | lane: j0 j1 j2 j3 j4 i3 | warp: j5", 16, GFX950,
     LL_COPIES, LL_SHARED, 64, LL_SHARED, 0},
    /* Copies of nibbles in pairs along a row: 9 with other pairs. */
    {"register: j0 j1 j2 | lane: i0 0 0 0 0 | warp: 0",
     "register: j0 j1 j2 | lane: 0 0 0 0 0 | warp: i0", 4, SM80, LL_COPIES,
     LL_SHARED, 6, LL_SHARED, 0},
    /* Bytes in pairs of rows that both sides hold: 528 and 14. */
    {"register: j0 j1 j2 j3 i4 i5 i6 | lane: j4 j5 i0 i1 i2 i3 | warp: "
     "-> j=64 | i=128",
     "register: j0 j2 j3 j4 j5 i5 i6 | lane: j1 i0 i1 i2 i3 i4 | warp: "
     "-> j=64 | i=128",
     8, GFX950, LL_COPIES, LL_SHARED, 400, LL_SHARED, 0},
    {"register: j0 j1 i3 | lane: j2 j3 i0 i1 i2 | warp:",
     "register: i0 i1 j3 | lane: i2 i3 j0 j1 j2 | warp:", 8, SM100F, LL_COPIES,
     LL_SHARED, 8, LL_SHARED, 0},
    /* Vectors on both sides, not only where they are loaded: 22. */
    {"register: i1 j5 j3 | lane: j2 j4 j1 i0 j0 | warp: i2",
     "register: j1 i2 j5 0 j3 i0 | lane: j2 i1 j4 0 j0 | warp:", 4, SM90,
     LL_SHARED, LL_SHARED, 19, LL_SHARED, 0},
    /* Pieces of four bytes of a row; of columns there would be none. */
    {"register: j0 j1 | lane: i0 0 0 0 0 | warp:",
     "register: i0 0 j0 | lane: j1 0 0 0 0 | warp:", 8, SM100F, LL_COPIES,
     LL_SHARED, 7, LL_SHARED, 0},
};

static void every_choice_is_needed(void) {
    for (unsigned k = 0; k < sizeof all_needed / sizeof *all_needed; ++k) {
        const needed *n = &all_needed[k];
        const ll_target t = target_number(n->target);
        random_pair c = LL_ZERO;
        c.a = L(n->a);
        c.b = L(n->b);
        const ll_plan p = ll_plan_by(c.a, c.b, n->bits, t, n->kind);
        CHECK(!c.a.err && !c.b.err && !p.err);
        CHECK(p.kind == n->got && p.cycles == n->cycles);
        CHECK(p.next_kind == n->next_kind);
        CHECK(p.next_cycles == n->next_cycles);
        if (p.cycles != n->cycles || p.next_cycles != n->next_cycles) {
            printf("    %u: %u, %u %u\n", k, p.cycles, p.next_kind,
                   p.next_cycles);
        }
        if (n->bits > 4u && !p.err) {
            c.a = ll_hardware_(c.a);
            c.b = ll_layout_onto_(ll_hardware_(c.b), &c.a.out);
            check_the_plan(&c, n->bits, &t, LL_ANY, p);
        }
    }
}

/* Only the least that a plan of a warp has in memory: its elements, once. */
static void warps_have_memory_of_their_own(void) {
    const ll_layout a =
        L("register: | lane: i0 i1 i2 j1 j0 | warp: i3 i4 i5");
    const ll_layout b =
        L("register: | lane: i1 j0 j1 i2 i0 | warp: i3 i4 i5");
    const ll_plan p = ll_plan_by(a, b, 16, LL_SM90, LL_SHARED);
    CHECK(p.smem_bytes == 512u && p.memory.in.bits[0] == 8u);
    for (unsigned k = 0; k < 3u; ++k) { /* in the order of the warps */
        CHECK(p.memory.basis[5u + k] == ll_hardware_(a).basis[5u + k]);
    }
}

/* Copies fill the memory of one block, and what lies in a byte must be side by
 * side in a row. */
static void copies_are_of_one_block_and_of_rows(void) {
    const ll_layout a = L("register: | lane: j0^i0^i1 i0^i1 j0^i0^i2 i1 0 | "
                          "warp: 0 0 | block: i3");
    const ll_layout b = L("register: i0^i1^j0 | lane: i0^i2^j0 0 0 0 i1 | "
                          "warp: i0^i1 0 | block: i3 -> i=16 | j=2");
    const ll_plan p = ll_plan_by(a, b, 128, LL_SM80, LL_COPIES);
    CHECK(!p.err && p.smem_bytes == 256u); /* 16 elements of 16 bytes */
    CHECK(p.copies == 1u && p.next_kind == LL_SHARED);
    CHECK(ll_plan_by(a, b, 128, LL_SM75, LL_COPIES).err == LL_ENOCOPIES);
    const ll_layout c = L("register: j1 j3 j4 | lane: j2 j0 j5 j6 j7 | "
                          "warp: j8");
    const ll_layout d = L("register: j8 0 0 j2 j1 j0 | lane: j3 j4 j5 j7 j6 | "
                          "warp:");
    CHECK(ll_plan_by(c, d, 4, LL_SM75, LL_COPIES).err == LL_EKIND);
}

/* ---- What plans say ------------------------------------------------------ */

static unsigned paid(const ll_plan *p) {
    return p->step[1].count * p->step[1].wavefronts +
           p->step[3].count * p->step[3].wavefronts;
}

/* Vectors reach the bound of the memory of ll_swizzle, in passes as well. */
static void the_fewest_wavefronts_are_told(void) {
    unsigned found[2] = LL_ZERO, others = 0;
    ll_target t = LL_SM90;
    t = ll_without_forms_(ll_without_forms_(t, LL_READ), LL_WRITE);
    for (unsigned n = 0; n < 1500u; ++n) {
        const random_pair c = random_conversion(5, 7u + test_random(5), 6, 0);
        const unsigned bits = 8u << test_random(3);
        const ll_plan whole = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        const ll_plan p = ll_plan_within(c.a, c.b, bits, t,
                                         whole.smem_bytes >> test_random(3));
        if (c.blocks || whole.err || whole.kind != LL_SHARED) {
            continue;
        }
        if (whole.step[2].op == LL_OP_SYNC_BLOCK) {
            const ll_plan q = ll_plan_through(
                c.a, c.b, bits, t, ll_swizzle(c.a, c.b, bits, t));
            CHECK(whole.fewest == paid(&q));
            others += whole.cycles < q.cycles;
            /* Nothing else is taken where it does not cost less. */
            CHECK(whole.cycles < q.cycles || whole.step[4].flip ||
                  same_layout(&whole.memory, &q.memory));
        }
        if (!p.err && p.kind == LL_SHARED && p.passes) {
            CHECK(p.fewest == paid(&p));
            ++found[p.passes > 1u];
        }
    }
    printf("    passes: %u %u, permuted less: %u\n", found[0], found[1],
           others);
    CHECK(found[0] > 20u && found[1] > 5u && others > 5u);
}

/* Words that lanes select are those that they exchange. */
static void selects_take_the_words_of_the_exchange(void) {
    unsigned found = 0, plain = 0;
    for (unsigned n = 0; n < 2000u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : ll_amd_target(0x1201, 64);
        const random_pair c =
            random_conversion(ll_log2_(t.lanes), 7u + test_random(3), 5, 0);
        const ll_plan p =
            ll_plan_by(c.a, c.b, 8u << test_random(5), t, LL_SHUFFLES);
        unsigned pack = 0, hops = t.hops;
        for (unsigned k = 0; !p.err && k < p.n; ++k) {
            pack = p.step[k].op == LL_OP_SHUFFLE ? p.step[k].pack : pack;
            hops = p.step[k].op == LL_OP_SHUFFLE ? p.step[k].hops : hops;
        }
        for (unsigned k = 0; !p.err && k < p.n; ++k) {
            if (p.step[k].op == LL_OP_SELECT && p.kind == LL_SHUFFLES) {
                CHECK(p.step[k].pack == pack);
                found += pack != 0;
            }
        }
        /* All hops of the target, or those by the pipe of shared memory. */
        CHECK(hops == t.hops ||
              hops == (t.hops & (1u << LL_HOP_ANY | 1u << LL_HOP_32 |
                                 1u << LL_HOP_HALF)));
        plain += hops != t.hops;
    }
    printf("    selects: %u, plain hops: %u\n", found, plain);
    CHECK(found > 50u && plain > 1u);
}

/* ---- Clusters ------------------------------------------------------------ */

/* Two elements of a byte in each block take 16 bytes, of which only the first
 * two hold something. Blocks are told apart as in the source. */
static void small_memories_of_blocks_are_padded(void) {
    const ll_layout a =
        L("register: | lane: j0 0 0 0 0 | warp: | block: i0 i1");
    const ll_layout b =
        L("register: i0 i1 | lane: j0 0 0 0 0 | warp: | block: 0 0");
    const ll_plan p = ll_plan_of(a, ll_order_out(b, "i j"), 8, LL_SM90);
    const ll_layout x = ll_hardware_(a);
    CHECK(p.kind == LL_CLUSTER && p.next_kind == LL_CLUSTER && p.blocks == 2u);
    CHECK(p.smem_bytes == 16u && p.memory.in.bits[0] == 4u);
    for (unsigned k = 0; k < 4u; ++k) {
        CHECK(p.memory.basis[k] == (k ? 0u : x.basis[0]));
    }
    for (unsigned k = 0; k < 2u; ++k) {
        CHECK(p.memory.basis[4u + k] == x.basis[5u + k]);
    }
}

/* ---- Operands and nibbles ------------------------------------------------ */

/* The order of the dimensions of an operand does not matter. */
static void operands_are_fed_in_any_order_of_dimensions(void) {
    const ll_layout all[] = {
        ll_ptx_mma_a(16, 32, 16, 1), ll_ptx_mma_b(32, 16, 16, 1),
        ll_ptx_mma_a(16, 64, 8, 1), ll_ptx_mma_a(16, 64, 4, 1),
        L("register: j0 j1 j3 | lane: i0 i1 0 0 j2 | warp: 0"),
        L("register: j0 i3 i5 i6 | lane: j1 0 i0 i1 i2 | warp: i4")};
    const unsigned bits[] = {16, 16, 8, 4, 16, 32};
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        const ll_layout m = ll_for_operand(all[k], bits[k], LL_SM90);
        const ll_layout other = ll_order_in(all[k], "lane warp register");
        const ll_layout again = ll_for_operand(other, bits[k], LL_SM90);
        CHECK(!m.err && !other.err && ll_is_equal(m, again));
    }
}

/* The plan that stores rows and loads an operand from its memory. */
static ll_plan fed(const char *text, unsigned bits, ll_layout *m) {
    const ll_layout a = ll_order_in(L(text), "register lane warp");
    ll_target t = LL_SM100F;
    *m = ll_for_operand(a, bits, t);
    t = ll_without_forms_(t, LL_WRITE); /* rows are stored by vectors */
    return ll_plan_through(ll_rows_for(a, bits / 8u), a, bits, t, *m);
}

/* Memories that searches found. No plan takes longer than through them. */
static void plans_are_no_dearer_than_through_known_memories(void) {
    static const struct {
        unsigned bits;
        const char *a, *b, *memory;
    } known[] = {
        /* one register of a row is held alike, the others differ */
        {8, "register: j2 j1 | lane: i0 j4 j5 j0 i1 | warp: j3 i2",
         "register: j4 j3 j0 j5 | lane: i0 i1 j2 i2 0 | warp: i2 j1",
         "offset: j5 j0 i1 j1 i0 j4 j2 j3 j4^i2"},
        {8, "register: i0 i1 j0 j1 | lane: j2 j5 j3 j4 j6",
         "register: j5 j2 j6 | lane: i0 j0 j1 j3 j4 | warp: i1",
         "offset: j1 j3 j4 j6 j2 j5 i0 i1 j0^j2"},
        {8, "register: j5 i0 i1 | lane: j2 j3 j4 j0 j1 | warp: i2 i3 i4",
         "register: j5 i2 j4 j0 | lane: j1 j2 j3 i0 i1 | warp: i3 i4",
         "offset: j5 j4 j0 j1 j2 j3 i0 i1 i4 i3 i2"},
        /* segments without what the lowest vectors have */
        {8, "register: j3 j1 | lane: i0 i1 j0 i2 j2 | warp: i3 i4 i5",
         "register: i0 i1 i2 i3 | lane: i4 j0 j1 j3 j2 | warp: i5",
         "offset: j1 j3 j2 i3 i4 i0 i1 i5 j0^i4 i2"},
        {16, "register: i1 j0 | lane: j2 j3 j4 i0^i2 j1^j3 | warp: i2",
         "register: j0 j4 | lane: i0 j1 j3^i0^i2 j0^j2 i1 | warp: i2",
         "offset: j4 i0^i2 j1^j3 j2 j3 i1 j2^i2 j0^j2^j3"},
        /* more registers than lanes have bits */
        {8, "register: i1 0 j1 i3 | lane: i5 j0 j2 i4 i6 | warp: i0 i2 i7",
         "register: i6 i0^i7 i0 i3 i5 j0 j1 | lane: i0 i1 i2 i4 j2",
         "offset: j1 i6 i3 i5 i0 i1 i2 i7 j0^i0 j2^i1 i2^i4"},
    };
    const ll_target t[2] = {LL_SM90, LL_SM100F};
    for (unsigned k = 0; k < 2u * sizeof known / sizeof *known; ++k) {
        const ll_layout a = L(known[k / 2u].a), b = L(known[k / 2u].b);
        const ll_layout m = L(known[k / 2u].memory);
        const unsigned bits = known[k / 2u].bits;
        const ll_plan p = ll_plan_by(a, b, bits, t[k % 2u], LL_SHARED);
        const ll_plan q = ll_plan_through(a, b, bits, t[k % 2u], m);
        CHECK(!p.err && !q.err && p.cycles <= q.cycles);
    }
    /* the second widths that are tried are the best */
    const ll_layout a =
        L("register: i4^i6 i3^i7^i9 | lane: i0^i1^i2^i3^i9^i10 "
          "i0^i1^i2^i4^i10 i3 i5^i9 i0 i0^i1^i4 | warp: "
          "i0^i1^i2^i5^i6^i8^i9^i10 i0^i1^i2^i3^i4^i9^i10 i3^i4^i10");
    const ll_layout b =
        L("register: i2 i2^i3^i6 i4^i7 i1^i8 i2^i6^i7^i9 | lane: i4 "
          "i0^i2^i3^i4^i8 i5 i1^i2^i3^i4 i2^i6^i10 i1^i4");
    const ll_layout m =
        L("offset: i3^i7^i9 i2^i3^i6 i2 i3^i4^i9 i4 i0^i2^i3^i4^i8 i2^i6^i10 "
          "i1^i2^i3^i4 i1^i4 i5 i1^i4^i8^i9^i10");
    const ll_plan p = ll_plan_by(a, b, 8, LL_GFX950, LL_SHARED);
    const ll_plan q = ll_plan_through(a, b, 8, LL_GFX950, m);
    CHECK(!p.err && !q.err && p.cycles <= q.cycles);
}

/* Operands of no instruction. */
static void unusual_operands_are_fed(void) {
    const char *const text =
        "lane: j1 j3 i0 i1 i2 | register: j0 i3 j2 | warp:";
    ll_layout m;
    ll_plan p = fed(text, 16, &m);
    CHECK(ll_is_equal(m, ll_for_operand(L(text), 16, LL_SM100F)));
    CHECK(!p.err && ll_conflicts(p) == 0);
    CHECK((m.basis[0] | m.basis[1] | m.basis[2]) == 7u); /* a whole piece */
    /* Matrices are read as fast as memory is. */
    p = fed("register: j0 i1 i2 i3 | lane: i4 i0 j1 j2 j3 | warp:", 8, &m);
    CHECK(!p.err && ll_conflicts(p) == 0 && p.step[3].form != LL_FORM_VECTOR);
    CHECK(p.step[3].count == 1u && p.step[3].wavefronts == 4u);
    /* Two stores of 8 bytes are fewer than four of 4 bytes. */
    p = fed("register: j0 i4 i5 i6 | lane: j1 i0 i1 i2 i3 | warp:", 8, &m);
    CHECK(!p.err && ll_conflicts(p) == 0 && p.step[1].count == 2u);
}

/* Two nibbles are a byte: their memory is that of bytes, below it the bit that
 * tells the two apart. */
static void operands_of_nibbles_are_fed_as_bytes(void) {
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_layout four = k ? ll_ptx_mma_b(64, 16, 4, 1)
                                 : ll_ptx_mma_a(16, 64, 4, 1);
        const ll_layout eight = k ? ll_ptx_mma_b(32, 16, 8, 1)
                                  : ll_ptx_mma_a(16, 32, 8, 1);
        const ll_layout f = k ? ll_trans(four, "j i") : four;
        const ll_layout e = k ? ll_trans(eight, "j i") : eight;
        const ll_layout m = ll_for_operand(f, 4, LL_SM90);
        const ll_layout n = ll_for_operand(e, 8, LL_SM90);
        CHECK(!m.err && !n.err && m.basis[0] == 1u);
        CHECK(m.in.bits[0] == n.in.bits[0] + 1u);
        for (unsigned b = 0; b < n.in.bits[0]; ++b) {
            CHECK(m.basis[b + 1u] >> 1 == n.basis[b]);
        }
    }
    const ll_layout none = L("register: i0 i1 | lane: j0 j1 j2 j3 i2");
    CHECK(ll_for_operand(none, 4, LL_SM90).err == LL_EPAIR);
    CHECK(ll_for_operand(ll_layout_none_(LL_ESIZE), 4, LL_SM90).err ==
          LL_ESIZE);
}

/* Where both sides have a pair of nibbles in one byte, the plan says what the
 * two differ in; memory that has the pair must not mix it with others. */
static void nibbles_say_what_they_differ_in(void) {
    const ll_layout a = L("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4");
    const ll_layout b = L("register: j0 i0 i1 | lane: j1 j2 i2 i3 i4");
    const ll_plan p = ll_plan_of(a, b, 4, LL_SM90);
    CHECK(!p.err && p.nibbles == 1u && p.pair == 1u);
    CHECK(ll_plan_of(a, b, 8, LL_SM90).nibbles == 0);
    const ll_layout from = ll_order_out(a, "j i");
    const ll_layout good = L("offset: j0 j1 j2 i0 i1 i2 i3 i4");
    const ll_layout bad = L("offset: j0 j0^j1 j2 i0 i1 i2 i3 i4");
    const ll_layout to = ll_order_out(
        L("register: j0 0 i1 | lane: i0 j2 i2 i3 i4 -> j=8 | i=32"), "j i");
    const ll_plan q = ll_plan_through(from, to, 4, LL_SM90, good);
    CHECK(q.err == LL_OK && q.smem_bytes == 128u); /* of 256 nibbles */
    CHECK(q.memory.in.bits[0] == 7u);
    CHECK(ll_plan_through(from, to, 4, LL_SM90, bad).err == LL_EPAIR);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(the_cheapest_of_two_over_reads_is_taken);
    RUN(two_of_the_lowest_columns_change_places);
    RUN(the_fewest_permutes_are_found);
    RUN(lanes_of_other_warps_have_no_hops);
    RUN(an_offset_of_lanes_is_a_place);
    RUN(a_swap_as_a_hop_takes_three_instructions);
    RUN(one_kind_of_swaps_is_enough);
    RUN(shuffles_are_those_of_one_warp);
    RUN(a_full_layout_has_no_room_for_more_registers);
    RUN(copies_in_many_warps_cost_nothing);
    RUN(an_axis_of_32_bits_is_absorbed);
    RUN(a_tensor_of_32_bits_is_not_copied);
    RUN(a_cluster_has_less_than_2_to_the_32_places);
    RUN(numbers_follow_the_places_of_the_other_side);
    RUN(every_choice_is_needed);
    RUN(warps_have_memory_of_their_own);
    RUN(the_fewest_wavefronts_are_told);
    RUN(selects_take_the_words_of_the_exchange);
    RUN(small_memories_of_blocks_are_padded);
    RUN(operands_are_fed_in_any_order_of_dimensions);
    RUN(operands_of_nibbles_are_fed_as_bytes);
    RUN(nibbles_say_what_they_differ_in);
    RUN(copies_are_of_one_block_and_of_rows);
    RUN(copies_in_many_registers_cost_nothing);
    RUN(plans_are_no_dearer_than_through_known_memories);
    RUN(unusual_operands_are_fed);
    return test_end();
}
