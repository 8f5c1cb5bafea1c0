/* test_candidates.c - memories that the planner tries, and which of them it takes.
 * SPDX-License-Identifier: MIT
 *
 * Two sides in a block, over-reads and byte permutes are priced here once more;
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
 * a word come from different threads. The registers of a hold the lowest bits,
 * the registers of b the highest. A lane may hold copies. */
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(the_cheapest_of_two_over_reads_is_taken);
    RUN(two_of_the_lowest_columns_change_places);
    RUN(the_fewest_permutes_are_found);
    return test_end();
}
