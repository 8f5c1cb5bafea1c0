/* test_gather_costs.c - what gathers cost, counted from their steps.
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"
#include "gather.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* ---- What a gather costs, counted from its steps ------------------------- */

/* The words that hold 2^bits elements, with 2^pack elements per word. */
static unsigned words_of(unsigned bits, unsigned pack, unsigned element_bits) {
    const unsigned parts = element_bits > 32u ? element_bits / 32u : 1u;
    return (bits > pack ? 1u << (bits - pack) : 1u) * parts;
}

/* The byte permutes of a renaming, looked at word by word: none if each word is
 * a whole word with its bytes in their places, one for a word of at most two
 * words, and two on average for one of more. */
static unsigned permutes_of(const ll_step *s, unsigned element_bits,
                            unsigned before_pack) {
    const unsigned held = 1u << before_pack;
    const unsigned in_word = 1u << s->pack;
    unsigned most = 0;
    int keeps = 1;
    for (unsigned word = 0; word < 1u << s->bits; word += in_word) {
        unsigned from[4] = LL_ZERO;
        unsigned n = 0;
        for (unsigned k = 0; k < in_word; ++k) {
            const unsigned r = ll_registers(&s->at, word + k);
            unsigned m = 0;
            while (m < n && from[m] != r / held) {
                ++m;
            }
            from[m] = r / held;
            n = m == n ? n + 1u : n;
            keeps = keeps && r % held == k && n == 1u;
        }
        most = n > most ? n : most;
    }
    return element_bits >= 32u || keeps
               ? 0u
               : (most > 2u ? 2u : 1u) *
                     words_of(s->bits, s->pack, element_bits);
}

/* The instructions of a lane on indices count half, since several gathers share
 * them: for each result, a shift for each distance of the index's map except 0,
 * and one that masks and XORs. */
static unsigned index_logic(const ll_gather_plan *p) {
    unsigned n = 0;
    for (unsigned k = 0; k < p->value.n; ++k) {
        n += ((p->value.shift[k] ? 2u : 1u) << p->to_bits) / 2u;
    }
    return n;
}

static unsigned cycles_of(unsigned pipe, unsigned logic, unsigned wait,
                          const ll_target *t) {
    const unsigned other = logic * t->cost[LL_COST_LOGIC] * 4u / 5u;
    return ((pipe > other ? pipe : other) + wait + 7u) / 8u;
}

/* Sends every word that may be asked for, and chooses among the words and in
 * them. More than 128 words of source, indices and results slow it down. */
static void check_cost_in_warp(const ll_gather_plan *p, const ll_target *t) {
    const unsigned e = p->element_bits;
    const unsigned parts = e > 32u ? e / 32u : 1u;
    const unsigned pack = e < 32u ? log2_of(32u / e) : 0u;
    const int sends = p->kind == LL_SHUFFLES;
    const unsigned words = p->choice > pack ? 1u << (p->choice - pack) : 1u;
    const unsigned all = words_of(p->from_bits, pack, e) +
                         words_of(p->to_bits, pack, e) + (1u << p->to_bits);
    const unsigned pipe = p->fetch.count * t->cost[LL_COST_SHUFFLE];
    CHECK(p->n == 1u && p->step[0].op == LL_OP_RENAME);
    CHECK(p->smem_bytes == 0);
    CHECK(p->fetch.op == (sends ? LL_OP_SHUFFLE : LL_OP_SELECT));
    CHECK(p->fetch.count == (sends ? words : words - 1u) * parts
                                << p->to_bits);
    CHECK(p->step[0].count ==
          permutes_of(&p->step[0], e,
                      pack < p->from_bits ? pack : p->from_bits));
    CHECK(p->fetch.pack == p->step[0].pack);
    CHECK(p->fetch.pack == (pack < p->step[0].bits ? pack : p->step[0].bits));
    CHECK(p->logic == index_logic(p) + p->step[0].count +
                          (((words - 1u) * parts + (pack ? 1u : 0u))
                           << p->to_bits));
    const unsigned cycles =
        cycles_of(sends ? pipe + pipe / 32u : 0u, p->logic, 0, t);
    CHECK(p->cycles == (all > 128u ? cycles * all / 128u : cycles));
}

/* Stores each element once and loads each result. A load costs the wavefronts
 * expected for random indices, in eighths; the plan shows a whole number. */
static void check_cost_of_memory(const ll_gather_plan *p, const ll_target *t) {
    const unsigned e = p->element_bits;
    const unsigned parts = e > 32u ? e / 32u : 1u;
    const unsigned pack = e < 32u ? log2_of(32u / e) : 0u;
    const int skewed = p->turn.at.n != 0;
    CHECK(p->n == (skewed ? 4u : 3u));
    const ll_step *store = &p->step[p->n == 4u ? 2 : 1];
    const ll_step *wait = store + 1;
    CHECK(p->step[0].op == LL_OP_RENAME && store->op == LL_OP_STORE);
    CHECK(wait->op == LL_OP_SYNC_WARP || wait->op == LL_OP_SYNC_BLOCK);
    CHECK(p->fetch.op == LL_OP_LOAD && p->fetch.bytes == e / 8u);
    CHECK(p->fetch.count == 1u << p->to_bits);
    CHECK(p->fetch.bits == p->to_bits && p->fetch.at.n == p->to_bits);
    CHECK(p->turn.op == LL_OP_SELECT && p->turn.pack == 0);
    CHECK(p->turn.count == p->turn.at.n << p->to_bits);
    CHECK(p->step[0].count ==
          permutes_of(&p->step[0], e,
                      pack < p->from_bits ? pack : p->from_bits));
    unsigned before_store = p->step[0].count;
    if (skewed) {
        CHECK(p->step[1].op == LL_OP_SELECT && p->step[1].at.n != 0);
        CHECK(p->step[1].count ==
              p->step[1].at.n * words_of(p->step[1].bits, store->pack, e));
        before_store += p->step[1].count;
    }
    CHECK(p->logic == index_logic(p) + before_store + p->turn.count / 2u +
                          p->turn.count * parts);
    const unsigned w = 8u * p->fetch.wavefronts;
    const unsigned cost = t->cost[LL_COST_MEMORY];
    const unsigned sum = store->count * store->wavefronts;
    const unsigned pause = t->cost[wait->op == LL_OP_SYNC_WARP ? LL_COST_WARP
                                                               : LL_COST_BLOCK];
    const unsigned low = w > 4u ? w - 4u : 0u;
    CHECK(p->cycles >= cycles_of((sum + p->fetch.count * low / 8u) * cost,
                                 p->logic, pause, t));
    CHECK(p->cycles <= cycles_of((sum + p->fetch.count * (w + 3u) / 8u) * cost,
                                 p->logic, pause, t));
}

/* Costs that make any one of the terms the largest. */
static ll_target priced(ll_target t) {
    static const unsigned some[] = {0, 1, 8, 40, 320};
    for (unsigned k = 0; k < LL_MAX_COSTS; ++k) {
        t.cost[k] = some[test_random(5)];
    }
    return t;
}

/* The runner-up is the plan of the other kind: in the warp or by memory. */
static void check_runner_up(const gather_case *c, unsigned bits,
                            const ll_target *t) {
    const ll_gather_plan best =
        ll_gather_of(c->src, c->index, c->axis, bits, *t);
    const ll_gather_plan m =
        ll_gather_by(c->src, c->index, c->axis, bits, *t, LL_SHARED);
    ll_gather_plan w =
        ll_gather_by(c->src, c->index, c->axis, bits, *t, LL_SHUFFLES);
    w = w.err ? ll_gather_by(c->src, c->index, c->axis, bits, *t, LL_REGISTERS)
              : w;
    CHECK(!m.err && m.next_kind == LL_SHARED && m.next_cycles == 0);
    CHECK(w.err || (w.next_kind == w.kind && w.next_cycles == 0));
    if (w.err) {
        CHECK(best.kind == LL_SHARED && best.cycles == m.cycles);
        CHECK(best.next_kind == LL_SHARED && best.next_cycles == 0);
    } else {
        const int warp = w.cycles <= m.cycles;
        CHECK(best.kind == (warp ? w.kind : m.kind));
        CHECK(best.cycles == (warp ? w.cycles : m.cycles));
        CHECK(best.next_kind == (warp ? m.kind : w.kind));
        CHECK(best.next_cycles == (warp ? m.cycles : w.cycles));
    }
}

static void gathers_cost_what_their_steps_do(void) {
    unsigned skewed = 0;
    for (unsigned n = 0; n < 600u; ++n) {
        const ll_target real = random_target();
        const ll_target t = n % 2u ? priced(real) : real;
        const gather_case c = random_gather(t.lanes == 64u ? 6 : 5);
        const unsigned from = held_bits(&c.src.in, LL_WARP);
        const unsigned to = held_bits(&c.index.in, LL_WARP);
        const unsigned bits = 8u << test_random(5);
        for (unsigned kind = LL_REGISTERS; kind <= LL_SHARED; ++kind) {
            const ll_gather_plan p =
                ll_gather_by(c.src, c.index, c.axis, bits, t, kind);
            if (p.err) {
                continue;
            }
            CHECK(p.lanes == t.lanes && p.kind == kind);
            CHECK(p.threads == t.lanes << (from > to ? from : to));
            CHECK(p.element_bits == bits);
            CHECK(p.to_bits == held_bits(&c.index.in, LL_REGISTER));
            CHECK(p.from_bits == held_bits(&c.src.in, LL_REGISTER));
            CHECK(p.axis_bits ==
                  held_bits(&c.src.out, c.axis ? LL_J : LL_I));
            for (unsigned r = 0; r < 1u << p.to_bits; ++r) {
                CHECK(ll_registers(&p.fetch.at, r) == r);
            }
            if (kind == LL_SHARED) {
                check_cost_of_memory(&p, &t);
                skewed += p.turn.at.n != 0;
            } else {
                check_cost_in_warp(&p, &t);
            }
        }
        check_runner_up(&c, bits, &t);
    }
    COVERS(skewed > 5u);
}

/* ---- The cases that are measured ----------------------------------------- */

/* One order of lanes after the other is tried as long as that helps: here the
 * first one does not, so that a second one, which would, is not tried. */
static void orders_are_tried_while_they_help(void) {
    const ll_target t = LL_SM90;
    ll_layout a = ll_hardware_(
        ll_parse("register: j3 i0 k0 j0 | lane: j5 j6 j1 0 j2 | warp: 0 j4 | "
                 "1: j0^j3^j4^i0"));
    ll_layout g =
        ll_in_block_(ll_gather_asked_(&a, &a, ll_axis_at_(&a.out, LL_J)));
    const ll_gather_plan p = ll_gather_by(a, a, LL_J, 64, t, LL_SHARED);
    ll_skew_ skew = LL_ZERO;
    unsigned cycles[3] = {0, 0, 0};
    a = ll_in_block_(a);
    skew.from.n = skew.to.n = bits_in(&g.in) - g.in.bits[0];
    for (unsigned k = 0; k < 3u; ++k) {
        for (unsigned v = 0; v < 2u; ++v) {
            ll_gather_plan q = p;
            q.logic = 0;
            q = ll_gather_through_(q, &a, &g, &skew, 0, v, &t);
            cycles[k] = v && cycles[k] < q.cycles ? cycles[k] : q.cycles;
        }
        CHECK(k == 2u || ll_skew_more_(&skew, &a, &g, p.to_bits));
    }
    CHECK(p.turn.at.n == 0 && p.cycles == cycles[0]);
    CHECK(cycles[1] >= cycles[0] && cycles[2] < cycles[0]);
}

/* Selects on more than 128 words would not fit in the registers of a thread. */
static void orders_of_lanes_are_for_few_words(void) {
    unsigned most = 0;
    for (unsigned n = 256; n <= 8192u; n *= 2u) {
        for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
            const ll_layout a = rows(n, 8);
            ll_target t = LL_SM90;
            t.cost[LL_COST_LOGIC] = 1;
            const ll_gather_plan p =
                ll_gather_by(a, a, LL_J, bits, t, LL_SHARED);
            const unsigned words = (bits > 32u ? bits / 32u : 1u) * n / 16u;
            CHECK(p.err == LL_OK && (words <= 128u || p.turn.at.n == 0));
            most = p.turn.at.n && words > most ? words : most;
        }
    }
    CHECK(most == 128u);
}

/* The stores that are the cheaper of one word and the widest. */
static void stores_of_gathers_are_as_wide_as_is_cheap(void) {
    unsigned wide = 0;
    for (unsigned n = 0; n < 300u; ++n) {
        const ll_target t = priced(random_target());
        const gather_case c = random_gather(t.lanes == 64u ? 6 : 5);
        const unsigned scale = test_random(5), bits = 8u << scale;
        const unsigned pack = scale < 2u ? 2u - scale : 0u;
        const ll_gather_plan p =
            ll_gather_by(c.src, c.index, c.axis, bits, t, LL_SHARED);
        ll_layout a = ll_hardware_(c.src);
        const ll_layout b = ll_with_warps_(ll_hardware_(c.index), &a);
        a = ll_with_warps_(a, &b);
        const ll_layout g = ll_in_block_(
            ll_gather_asked_(&a, &b, ll_axis_at_(&a.out, c.axis)));
        a = ll_in_block_(a);
        ll_skew_ none = LL_ZERO;
        none.from.n = none.to.n = bits_in(&g.in) - g.in.bits[0];
        const int own = p.step[p.n - 1u].op == LL_OP_SYNC_WARP;
        unsigned cycles[2];
        for (unsigned k = 0; k < 2u; ++k) {
            ll_gather_plan q = LL_ZERO;
            q.element_bits = bits;
            q.from_bits = a.in.bits[0];
            q.to_bits = b.in.bits[0];
            q.axis_bits = p.axis_bits;
            q = ll_gather_through_(q, &a, &g, &none, own,
                                   k ? 4u - scale : pack, &t);
            CHECK(q.err == LL_OK);
            cycles[k] = q.cycles;
        }
        const unsigned least = cycles[1] < cycles[0] ? cycles[1] : cycles[0];
        CHECK(p.turn.at.n ? p.cycles < least : p.cycles == least);
        wide += p.turn.at.n == 0 && cycles[1] < cycles[0];
    }
    printf("%u wide stores\n", wide);
    COVERS(wide > 2u);
}

/* The memory of a gather: a lane's elements first, then the columns in their
 * order, within a row of banks and above it, so that bits of an index move
 * together. Parts of warps come last. */
static void memory_of_a_gather_is_in_order(void) {
    const ll_span_ none = LL_ZERO;
    for (unsigned n = 0; n < 400u; ++n) {
        const ll_target t = random_target();
        const gather_case c = random_gather(t.lanes == 64u ? 6 : 5);
        const unsigned scale = test_random(5), bits = 8u << scale;
        const unsigned pack = scale < 2u ? 2u - scale : 0u;
        const ll_gather_plan p =
            ll_gather_by(c.src, c.index, c.axis, bits, t, LL_SHARED);
        const int own = p.step[p.n - 1u].op == LL_OP_SYNC_WARP;
        const unsigned v = n % 2u ? pack : 4u - scale;
        ll_layout a = ll_hardware_(c.src);
        const ll_layout b = ll_with_warps_(ll_hardware_(c.index), &a);
        a = ll_with_warps_(a, &b);
        ll_layout g = ll_in_block_(
            ll_gather_asked_(&a, &b, ll_axis_at_(&a.out, c.axis)));
        a = ll_in_block_(a);
        const ll_layout m = ll_gather_memory_(a, g, own, v, scale, &t);
        const ll_span_ regs = ll_span_of_columns_(&a, 0, a.in.bits[0]);
        ll_span_ low = ll_span_independent_(&none, &regs);
        low.n = low.n < v ? low.n : v;
        const unsigned first = low.n > pack ? low.n : pack;
        const unsigned end = m.in.bits[0] - (own ? a.in.bits[2] : 0u);
        unsigned width = bits <= 32u ? 0u : bits == 64u ? 1u : 2u;
        width = log2_of(t.banks[LL_READ][width] * t.bank_bytes) - scale;
        for (unsigned k = 0; k < low.n; ++k) {
            CHECK(m.basis[k] == low.v[k]);
        }
        for (unsigned k = first + 1u; k < end; ++k) {
            CHECK(k == width || m.basis[k] > m.basis[k - 1u]);
        }
        const unsigned warps = a.in.bits[0] + a.in.bits[1];
        for (unsigned k = end; k < m.in.bits[0]; ++k) {
            CHECK(m.basis[k] == a.basis[warps + k - end]);
        }
        a.in.n = g.in.n = own ? 2u : 3u;
        const ll_layout raw =
            ll_memory_arrange_(&a, &g, &low, ll_way_of_vectors_(low.n),
                               ll_way_of_vectors_(0), scale, &t);
        for (unsigned k = 0; k < first && k < end; ++k) { /* of one word */
            CHECK(m.basis[k] == raw.basis[k]);
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(gathers_cost_what_their_steps_do);
    RUN(orders_are_tried_while_they_help);
    RUN(orders_of_lanes_are_for_few_words);
    RUN(stores_of_gathers_are_as_wide_as_is_cheap);
    RUN(memory_of_a_gather_is_in_order);
    return test_end();
}
