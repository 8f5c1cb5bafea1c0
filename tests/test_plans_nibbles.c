/* test_plans_nibbles.c - plans of elements of 4 bits move every nibble.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "plans.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* A byte holds two elements, each written as 16 bits here: that of the even
 * register in the low half. Exchanges swap bits 0 and k of register numbers;
 * apart, the low elements of all bytes come first, then the high ones, and the
 * rest of a byte is of no account. */
enum { ANY_NIBBLE = 0xabcd };

static unsigned nibble_register(unsigned unit, unsigned half, unsigned bits,
                                unsigned how) {
    const unsigned reg = how == LL_APART
                             ? (unit << 1 & ((1u << bits) - 1u)) |
                                   unit >> (bits - 1u)
                             : unit * 2u + half;
    if (how == LL_APART) {
        return reg;
    }
    const unsigned differ = (reg ^ reg >> how) & 1u;
    return reg ^ differ ^ differ << how;
}

/* The element of layout a in register k % 2^regs of thread k >> regs; threads
 * are counted from the first one of the block. */
static unsigned element_of(const ll_layout *a, unsigned k, unsigned regs,
                           unsigned threads, unsigned lanes, unsigned block) {
    const unsigned thread = k >> regs;
    return value(a, packed(&a->in, k & ((1u << regs) - 1u), thread % threads,
                           lanes,
                           (block + thread / threads) &
                               ((1u << held_bits(&a->in, LL_BLOCK)) - 1u)));
}

static unsigned nibbles_of(const ll_layout *a, unsigned k, unsigned bits,
                           unsigned regs, unsigned how, unsigned threads,
                           unsigned lanes, unsigned block) {
    const unsigned unit = k & ((1u << bits) - 1u);
    unsigned held = 0;
    for (unsigned half = 0; half < 2u; ++half) {
        const int single = regs == bits;
        const unsigned reg =
            regs == 0 ? 0u : nibble_register(unit, half, bits, how);
        held |= (single && half ? (unsigned)ANY_NIBBLE
                                : element_of(a, k >> bits << regs | reg, regs,
                                             threads, lanes, block))
                << 16u * half;
    }
    return held;
}

static void check_nibble_blocks(const random_pair *c, const ll_target *t,
                                const ll_plan *p, unsigned threads,
                                unsigned block, unsigned together) {
    const unsigned regs[2] = {held_bits(&c->a.in, LL_REGISTER),
                              held_bits(&c->b.in, LL_REGISTER)};
    for (unsigned k = 0; k < threads * together << p->from_bits; ++k) {
        before[k] = nibbles_of(&c->a, k, p->from_bits, regs[0], p->before,
                               threads, t->lanes, block);
    }
    run_plan(p, t, threads, together);
    for (unsigned k = 0; k < threads * together << p->to_bits; ++k) {
        CHECK(after[k] == nibbles_of(&c->b, k, p->to_bits, regs[1], p->after,
                                     threads, t->lanes, block));
    }
}

static unsigned units_of(unsigned regs, unsigned how) {
    return regs && how != LL_APART ? regs - 1u : regs;
}

static unsigned nibble_ways[3]; /* pairs as they are, exchanged, apart */

static void check_nibbles(const random_pair *c, const ll_target *t,
                          unsigned kind, ll_plan p) {
    const unsigned from = t->lanes << held_bits(&c->a.in, LL_WARP);
    unsigned to = t->lanes << held_bits(&c->b.in, LL_WARP);
    const unsigned together = p.kind == LL_CLUSTER ? 1u << c->blocks : 1u;
    to = from > to ? from : to;
    if (p.err == LL_EKIND && kind != LL_ANY) {
        return;
    }
    CHECK(p.err == LL_OK && p.element_bits == 8u && p.nibbles);
    CHECK(p.kind <= kind);
    CHECK(p.from_bits ==
          units_of(held_bits(&c->a.in, LL_REGISTER), p.before));
    CHECK(p.to_bits == units_of(held_bits(&c->b.in, LL_REGISTER), p.after));
    ++nibble_ways[p.before == LL_APART || p.after == LL_APART ? 2u
                  : p.before || p.after                       ? 1u
                                                              : 0u];
    for (unsigned block = 0; !p.err && block < 1u << c->blocks;
         block += together) {
        check_nibble_blocks(c, t, &p, to, block, together);
    }
}

static void plans_move_every_nibble(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    memset(nibble_ways, 0, sizeof nibble_ways);
    for (unsigned k = 0; k < times(8000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const random_pair c =
            test_random(3) ? random_small(&t)
                           : random_conversion(ll_log2_(t.lanes),
                                               9u + test_random(3), 6, 0);
        const ll_plan p = ll_plan_of(c.a, c.b, 4, t);
        check_nibbles(&c, &t, LL_ANY, p);
        check_nibbles(&c, &t, LL_SHUFFLES,
                      ll_plan_by(c.a, c.b, 4, t, LL_SHUFFLES));
        check_nibbles(&c, &t, LL_SHARED,
                      ll_plan_by(c.a, c.b, 4, t, LL_SHARED));
        ++kinds[p.kind];
    }
    printf("pairs %u, exchanged %u, apart %u\n", nibble_ways[0],
           nibble_ways[1], nibble_ways[2]);
    COVERS(kinds[LL_NOTHING] > 20u && kinds[LL_REGISTERS] > 100u);
    COVERS(kinds[LL_SHUFFLES] > 200u && kinds[LL_SHARED] > 200u);
    COVERS(nibble_ways[0] > 200u && nibble_ways[1] > 1000u &&
           nibble_ways[2] > 1000u);
}

/* Through any memory, and through that of ll_swizzle: a byte of memory holds a
 * pair. Where each column has one bit, that can be exactly if both sides have
 * the bit of offset 0 in a register. */
/* A memory whose lowest bits are those that registers of a have, of columns of
 * one bit each. */
static ll_layout registers_first(const random_pair *c) {
    ll_layout m = random_memory(&c->a.out);
    unsigned n = 0, done = 0;
    for (unsigned k = 0; k < 32u + c->tensor; ++k) {
        const unsigned y = k >= 32u ? 1u << (k - 32u)
                           : k < held_bits(&c->a.in, LL_REGISTER)
                               ? c->a.basis[k]
                               : 0u;
        if (y & ~done) {
            m.basis[n++] = y;
            done |= y;
        }
    }
    m.offset = 0;
    return m;
}

static int in_register(const ll_layout *a, unsigned y) {
    int is = 0;
    for (unsigned k = 0; k < held_bits(&a->in, LL_REGISTER); ++k) {
        is = is || a->basis[k] == y;
    }
    return is;
}

static void nibbles_go_through_any_memory(void) {
    unsigned found = 0, none = 0, swizzled = 0;
    for (unsigned k = 0; k < times(4000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const unsigned kind = test_random(4);
        const random_pair c = random_conversion(
            ll_log2_(t.lanes), 5u + test_random(6), 6, kind);
        if (c.blocks) {
            continue;
        }
        ll_layout m = kind == 0 && test_random(4) ? registers_first(&c)
                                                  : random_memory(&c.a.out);
        const ll_plan p = ll_plan_through(c.a, c.b, 4, t, m);
        const int both =
            in_register(&c.a, m.basis[0]) && in_register(&c.b, m.basis[0]);
        CHECK(p.err == LL_OK ? both : p.err == LL_EPAIR);
        if (p.err == LL_OK) {
            check_nibbles(&c, &t, LL_SHARED, p);
        }
        found += p.err == LL_OK;
        none += p.err != LL_OK;
        m = ll_swizzle(c.a, c.b, 4, t);
        if (!m.err) {
            const ll_plan q = ll_plan_through(c.a, c.b, 4, t, m);
            CHECK(ll_is_invertible(m) && q.err == LL_OK);
            check_nibbles(&c, &t, LL_SHARED, q);
            ++swizzled;
        } else {
            CHECK(m.err == LL_EPAIR &&
                  ll_plan_by(c.a, c.b, 4, t, LL_SHARED).pair == 0);
        }
    }
    COVERS(found > 50u && none > 500u && swizzled > 200u);
}

/* The axis of the pair is not the slowest one; memory may name the axes in any
 * order. */
static void memory_of_nibbles_has_any_order_of_axes(void) {
    static const char *const orders[] = {"j i", "i j"};
    const ll_target t = LL_SM90;
    random_pair c = LL_ZERO;
    c.a = ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4");
    c.b = ll_parse("register: i0 j0 | lane: i1 i2 i3 i4 j1");
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_layout m = ll_order_out(
            ll_parse("offset: j0 i1 i0 i3 i2 j1 i4"), orders[k]);
        const ll_plan p = ll_plan_through(c.a, c.b, 4, t, m);
        CHECK(p.kind == LL_SHARED && p.pair);
        CHECK(ll_is_invertible(p.memory)); /* of pairs: an axis is halved */
        CHECK(p.next_kind == LL_SHARED && p.next_cycles == 0);
        check_nibbles(&c, &t, LL_SHARED, p);
    }
}

/* A conversion to the same layout costs nothing. A plan without an alternative
 * of another kind is its own runner-up. */
static void plans_without_a_rival_name_themselves(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    for (unsigned k = 0; k < 300u; ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const random_pair c = random_small(&t);
        const unsigned bits = k % 3u ? 4u << test_random(6) : 4u;
        ll_target costs = t;
        for (unsigned m = 0; m < LL_MAX_COSTS; ++m) {
            costs.cost[m] = 8;
        }
        const ll_plan stays = ll_plan_of(c.a, c.a, bits, costs);
        CHECK(stays.kind == LL_NOTHING && stays.n == 0 && stays.cycles == 0);
        CHECK(stays.before == LL_STAY && stays.after == LL_STAY);
        CHECK(stays.next_kind == LL_NOTHING && stays.next_cycles == 0);
        const unsigned regs = held_bits(&c.a.in, LL_REGISTER);
        CHECK(stays.from_bits == units_of(regs, bits == 4u ? LL_STAY
                                                           : LL_APART));
        CHECK(stays.to_bits == stays.from_bits);
        const unsigned kind = k % 2u ? LL_SHUFFLES : LL_SHARED;
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, kind);
        CHECK(p.err || (p.next_kind == p.kind && p.next_cycles == 0));
        kinds[p.err ? 0u : p.kind] += 1u;
    }
    CHECK(kinds[LL_SHUFFLES] > 10u && kinds[LL_SHARED] > 10u);
}

/* Where in memory, in elements, a register of a lane is. */
static unsigned offset_of(const random_pair *c, const ll_layout *m,
                          unsigned reg, unsigned lane) {
    const unsigned y =
        value(&c->a, packed(&c->a.in, reg, lane, 64, 0));
    unsigned x = 0;
    while (value(m, x) != y) {
        ++x;
    }
    return x;
}

/* In the widest access each lane holds whole bytes. Wavefronts are counted as
 * for an access of these bytes. */
static void accesses_of_nibbles_are_counted_by_bytes(void) {
    unsigned wide = 0;
    for (unsigned k = 0; k < times(800u); ++k) {
        const ll_target t = real_machine(6);
        random_pair c = random_conversion(5, 6u + test_random(4), 6, 0);
        ll_layout m = registers_first(&c);
        const unsigned swap = test_random(c.tensor);
        const unsigned first = m.basis[0];
        m.basis[0] = m.basis[swap];
        m.basis[swap] = first;
        c.a.in.n = 2; /* one warp */
        const unsigned regs = held_bits(&c.a.in, LL_REGISTER);
        if (c.blocks || !ll_is_surjective(c.a)) {
            continue;
        }
        unsigned run = 0; /* offsets that lane 0 has from the lowest on */
        for (unsigned x = 0, has = 1; has && x < 32u; ++x) {
            has = 0;
            for (unsigned r = 0; r < 1u << regs; ++r) {
                has |= offset_of(&c, &m, r, 0) == x;
            }
            run += has;
        }
        unsigned most = 16;
        while (most && 2u * most > run) {
            most /= 2u;
        }
        CHECK(ll_widest(c.a, m, 4, 16) == most);
        unsigned address[MAX_LANES];
        for (unsigned lane = 0; lane < 32u; ++lane) {
            address[lane] =
                most ? offset_of(&c, &m, 0, lane) / (2u * most) * most : 0u;
        }
        CHECK(most == 0 || ll_wavefronts(c.a, m, 4, most, LL_READ, t) ==
                               served(address, most, LL_READ, &t));
        wide += most > 1u;
    }
    COVERS(wide > 20u);
}

/* Elements of 6 bits are bytes. */
static void elements_of_6_bits_are_bytes(void) {
    for (unsigned k = 0; k < times(300u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const random_pair c = random_small(&t);
        check_the_plan(&c, 8, &t, LL_ANY, ll_plan_of(c.a, c.b, 6, t));
        CHECK(ll_plan_of(c.a, c.b, 6, t).cycles ==
              ll_plan_of(c.a, c.b, 8, t).cycles);
    }
    CHECK(ll_plan_of(ll_rows(64, 64, 4), ll_rows(64, 64, 4), 5, LL_SM90).err ==
          LL_EELEMENT);
    CHECK(ll_reduce_of(ll_rows(64, 64, 4), LL_J, 4, LL_SM90).err ==
          LL_EELEMENT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(plans_move_every_nibble);
    RUN(nibbles_go_through_any_memory);
    RUN(memory_of_nibbles_has_any_order_of_axes);
    RUN(plans_without_a_rival_name_themselves);
    RUN(accesses_of_nibbles_are_counted_by_bytes);
    RUN(elements_of_6_bits_are_bytes);
    return test_end();
}
