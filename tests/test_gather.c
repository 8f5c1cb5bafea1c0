/* test_gather.c - gathers, executed on arrays against their definition.
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"
#include "gather.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

enum { MAX_VALUES = 1 << 16, LANES = 64 };

/* What register r of a thread holds; warps beyond those of the layout hold what
 * the first ones do. */
static unsigned element_of(const ll_layout *a, unsigned r, unsigned thread,
                           unsigned block) {
    const unsigned regs = held_bits(&a->in, LL_REGISTER);
    const unsigned lanes = held_bits(&a->in, LL_LANE);
    const unsigned warps = held_bits(&a->in, LL_WARP);
    const unsigned own = thread & ((1u << (lanes + warps)) - 1u);
    return value(a, r | own << regs | block << (regs + lanes + warps));
}

/* ---- Gathers, executed --------------------------------------------------- */

static unsigned source[MAX_VALUES]; /* thread << bits | register or position */
static unsigned before[MAX_VALUES];
static unsigned index_of[MAX_VALUES];
static unsigned turned[MAX_VALUES];
static unsigned result[MAX_VALUES];
static unsigned memory[MAX_VALUES];
static unsigned writer[MAX_VALUES]; /* the warp */

static unsigned odd(unsigned x) {
    unsigned parity = 0;
    for (; x; x >>= 1) {
        parity ^= x & 1u;
    }
    return parity;
}

/* Selects: position p is what was position p ^ what the thread says. */
static unsigned selected(const ll_step *s, unsigned thread, unsigned p) {
    unsigned by = 0;
    for (unsigned k = 0; k < s->at.n; ++k) {
        by ^= odd(thread & s->at.place[k]) ? s->at.reg[k] : 0u;
    }
    CHECK(by % (1u << s->pack) == 0); /* whole words */
    return p ^ by;
}

static void run_store(const ll_gather_plan *p, const ll_step *s,
                      unsigned thread, unsigned lanes) {
    const unsigned bytes = p->element_bits / 8u;
    for (unsigned k = 0; k < 1u << s->at.n && !(thread & s->at.spare); ++k) {
        const unsigned base = ll_map_at(s->thread, thread);
        const unsigned place = ll_places(&s->at, k);
        const unsigned at = base ^ place;
        CHECK(at == (base ^ (place & s->touched)) + (place & ~s->touched));
        CHECK(k % (1u << s->at.vector) || at % s->bytes == 0);
        CHECK(at + bytes <= p->smem_bytes && at / bytes < MAX_VALUES);
        CHECK(memory[at / bytes % MAX_VALUES] == ~0u); /* stored once */
        memory[at / bytes % MAX_VALUES] = before[(thread << s->at.n) + k];
        writer[at / bytes % MAX_VALUES] = thread / lanes;
    }
}

/* The steps of the source; how its warps wait, 0 without memory. */
static unsigned run_steps(const ll_gather_plan *p, unsigned threads,
                          unsigned lanes) {
    unsigned bits = p->from_bits;
    unsigned wait = 0;
    memcpy(before, source, sizeof before);
    memset(memory, 0xff, sizeof memory);
    for (unsigned n = 0; n < p->n; ++n) {
        const ll_step *s = &p->step[n];
        static unsigned after[MAX_VALUES];
        for (unsigned t = 0; s->op == LL_OP_STORE && t < threads; ++t) {
            run_store(p, s, t, lanes);
        }
        if (s->op == LL_OP_STORE || s->op == LL_OP_SYNC_WARP ||
            s->op == LL_OP_SYNC_BLOCK) {
            wait = s->op;
            continue;
        }
        CHECK(s->op == LL_OP_RENAME || s->op == LL_OP_SELECT);
        for (unsigned k = 0; k < threads << s->bits; ++k) {
            const unsigned t = k >> s->bits;
            const unsigned at = k & ((1u << s->bits) - 1u);
            const unsigned from = s->op == LL_OP_RENAME
                                      ? ll_registers(&s->at, at)
                                      : selected(s, t, at);
            after[k] = before[(t << bits) + from];
        }
        bits = s->bits;
        memcpy(before, after, sizeof before);
    }
    return wait;
}

/* Element of place `place` for register r of a thread, in the warp. */
static unsigned from_warp(const ll_gather_plan *p, unsigned place, unsigned r,
                          unsigned thread, unsigned lanes) {
    const unsigned bits = p->step[0].bits;
    const unsigned at = place & ((1u << bits) - 1u);
    const unsigned lane = place >> bits;
    CHECK(lane < lanes);
    CHECK(p->kind == LL_SHUFFLES || lane == thread % lanes);
    /* Only the lowest positions are chosen at run time. */
    CHECK(((at ^ ll_places(&p->fetch.at, r)) & ((1u << bits) - 1u)) >>
              p->choice == 0);
    return before[((thread - thread % lanes + lane) << bits) + at];
}

static unsigned from_memory(const ll_gather_plan *p, unsigned run, unsigned r,
                            unsigned thread, unsigned lanes, unsigned wait) {
    const unsigned bytes = p->element_bits / 8u;
    const unsigned place = ll_places(&p->fetch.at, r);
    const unsigned at = run ^ place;
    CHECK(at == (run ^ (place & p->fetch.touched)) +
                    (place & ~p->fetch.touched));
    CHECK(at % bytes == 0 && at + bytes <= p->smem_bytes);
    CHECK(wait == LL_OP_SYNC_BLOCK ||
          writer[at / bytes % MAX_VALUES] == thread / lanes);
    return memory[at / bytes % MAX_VALUES];
}

static void run_gather(const ll_gather_plan *p, unsigned threads,
                       unsigned lanes) {
    const unsigned wait = run_steps(p, threads, lanes);
    const unsigned mask = (1u << p->to_bits) - 1u;
    CHECK(p->kind != LL_SHARED || wait == LL_OP_SYNC_WARP ||
          wait == LL_OP_SYNC_BLOCK);
    for (unsigned k = 0; k < threads << p->to_bits; ++k) {
        const unsigned t = k >> p->to_bits;
        const unsigned r = selected(&p->turn, t, k & mask);
        const unsigned run = ll_map_at(p->fetch.thread, t) ^
                             ll_map_at(p->value, index_of[(k & ~mask) + r]);
        turned[k] = p->kind == LL_SHARED
                        ? from_memory(p, run, k & mask, t, lanes, wait)
                        : from_warp(p, run ^ ll_places(&p->fetch.at, k & mask),
                                    k & mask, t, lanes);
    }
    for (unsigned k = 0; k < threads << p->to_bits; ++k) {
        result[k] = turned[(k & ~mask) +
                           selected(&p->turn, k >> p->to_bits, k & mask)];
    }
}

/* ---- Random cases -------------------------------------------------------- */

/* The definition: the index's element, along the axis the index. */
static unsigned asked(const gather_case *c, unsigned y, unsigned index) {
    const ll_dim d = c->axis ? LL_J : LL_I;
    unsigned i = ll_unpack(c->index.out, LL_I, y);
    unsigned j = ll_unpack(c->index.out, LL_J, y);
    index %= 1u << held_bits(&c->src.out, d);
    i = c->axis ? i : index;
    j = c->axis ? index : j;
    return ll_pack(c->src.out, LL_I, i) | ll_pack(c->src.out, LL_J, j);
}

/* Returns the kind, 0 if there is no such plan. */
static unsigned check_gather(const gather_case *c, unsigned element_bits,
                             const ll_target *t, unsigned kind) {
    const ll_gather_plan p =
        ll_gather_by(c->src, c->index, c->axis, element_bits, *t, kind);
    const unsigned from = held_bits(&c->src.in, LL_WARP);
    const unsigned to = held_bits(&c->index.in, LL_WARP);
    const unsigned threads = t->lanes << (from > to ? from : to);
    if (kind != LL_ANY && kind != LL_SHARED && p.err == LL_EKIND) {
        return 0;
    }
    CHECK(p.err == LL_OK && (kind == LL_ANY || p.kind == kind));
    for (unsigned k = 0; k < p.turn.at.n; ++k) { /* warps share their order */
        CHECK(p.turn.at.place[k] < t->lanes);
    }
    for (unsigned block = 0; !p.err && block < 1u << c->blocks; ++block) {
        for (unsigned k = 0; k < threads << p.from_bits; ++k) {
            source[k] = element_of(&c->src, k & ((1u << p.from_bits) - 1u),
                                   k >> p.from_bits, block);
        }
        for (unsigned k = 0; k < threads << p.to_bits; ++k) {
            index_of[k] = test_random(0);
        }
        run_gather(&p, threads, t->lanes);
        for (unsigned k = 0; k < p.smem_bytes / (element_bits / 8u); ++k) {
            CHECK(memory[k] != ~0u); /* there are no holes */
        }
        for (unsigned k = 0; k < threads << p.to_bits; ++k) {
            const unsigned y = element_of(&c->index,
                                          k & ((1u << p.to_bits) - 1u),
                                          k >> p.to_bits, block);
            CHECK(result[k] == asked(c, y, index_of[k]));
        }
    }
    return p.err ? 0u : p.kind;
}

/* ---- What a gather costs, counted from its steps ------------------------- */

static void gathers_fetch_what_is_asked_for(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    unsigned turns = 0;
    for (unsigned n = 0; n < times(4000u); ++n) {
        const ll_target t = random_target();
        const gather_case c = random_gather(t.lanes == 64u ? 6 : 5);
        const unsigned bits = 8u << test_random(5);
        check_gather(&c, bits, &t, LL_ANY);
        for (unsigned kind = LL_REGISTERS; kind <= LL_SHARED; ++kind) {
            ++kinds[check_gather(&c, bits, &t, kind)];
        }
        turns += ll_gather_by(c.src, c.index, c.axis, bits, t, LL_SHARED)
                     .turn.at.n != 0;
    }
    CHECK(kinds[LL_REGISTERS] > times(100u));
    CHECK(kinds[LL_SHUFFLES] > times(300u));
    CHECK(kinds[LL_SHARED] == times(4000u));
    CHECK(turns > times(30u));
}

/* ---- The cases that are measured ----------------------------------------- */

static void measured_cases_fetch_what_is_asked_for(void) {
    for (unsigned n = 4; n <= 64u; n *= 2u) {
        for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
            gather_case c = LL_ZERO;
            c.src = c.index = rows(512, n);
            for (c.axis = 0; c.axis < 2u; ++c.axis) {
                unsigned ways = 0;
                for (unsigned kind = LL_REGISTERS; kind <= LL_ANY; ++kind) {
                    const ll_target t = LL_SM90;
                    ways += check_gather(&c, bits, &t, kind) != 0;
                }
                CHECK(ways == (c.axis ? 3u : 2u));
            }
        }
    }
}

/* Lanes that ask for one row take it in orders of their own, although lanes of
 * the source hold other registers of it, mixed with theirs, or copies. */
static void lanes_with_orders_of_their_own_fetch_what_is_asked_for(void) {
    unsigned turns = 0;
    for (unsigned n = 0; n < 160u; ++n) {
        const unsigned bits = 8u << n % 4u;
        const ll_layout whole =
            rows(64u << test_random(2), 8u << test_random(3));
        gather_case c = LL_ZERO;
        ll_target t = LL_SM90;
        t.cost[LL_COST_LOGIC] = 1;
        c.axis = 1;
        c.src = c.index = ll_hardware_(whole);
        const unsigned regs = c.src.in.bits[0];
        for (unsigned k = 0; k < test_random(6); ++k) {
            c.src.basis[regs + test_random(5)] ^=
                c.src.basis[test_random(regs)];
        }
        for (unsigned k = 0; n % 3u && k < regs; ++k) { /* in other words */
            const unsigned with = test_random(regs);
            const unsigned y = c.src.basis[k];
            c.src.basis[k] = c.src.basis[with];
            c.src.basis[with] = y;
        }
        if (n % 8u == 7u) { /* registers that are copies */
            c.src = ll_mul(ll_zeros(2, LL_REGISTER, LL_J, 1), c.src);
        }
        if (n % 8u == 6u) { /* one index for each lane, of its row */
            c.index = ll_zero(c.src.in, c.src.out);
            c.index.in.bits[0] = 0;
            for (unsigned k = 0; k < 7u; ++k) {
                c.index.basis[k] = c.src.basis[regs + k] &
                                   ll_pack(c.src.out, LL_I, ~0u);
            }
        }
        check_gather(&c, bits, &t, LL_SHARED);
        const unsigned by = ll_gather_by(c.src, c.index, LL_J, bits, t,
                                         LL_SHARED).turn.at.n;
        CHECK(n % 8u != 7u || by == 0); /* a copy has no turn of its own */
        turns += by != 0;
    }
    printf("%u gathers with orders of lanes\n", turns);
    COVERS(turns > 20u);
}

/* Which lane bit it is that does not change the row makes no difference. */
static void any_lane_may_have_an_order_of_its_own(void) {
    static const char *const some[] = {
        "register: j0 i4 | lane: i0 i1 i2 i3 j1",
        "register: j0 j1 i4 i5 | lane: i0 i1 i2 i3 j2"};
    ll_target t = LL_SM90;
    t.cost[LL_COST_LOGIC] = 1;
    for (unsigned n = 0; n < 10u; ++n) {
        const ll_layout a = ll_parse(some[n / 5u]);
        const unsigned regs = a.in.bits[0], lane = n % 5u;
        gather_case c = LL_ZERO;
        c.axis = 1;
        c.src = a;
        c.src.basis[regs + 4u] = a.basis[regs + lane];
        c.src.basis[regs + lane] = a.basis[regs + 4u];
        c.index = c.src;
        const ll_gather_plan p =
            ll_gather_by(c.src, c.index, LL_J, 32, t, LL_SHARED);
        CHECK(p.turn.at.n == 1u && p.turn.at.place[0] == 1u << lane);
        CHECK(p.cycles == ll_gather_by(a, a, LL_J, 32, t, LL_SHARED).cycles);
        check_gather(&c, 32, &t, LL_SHARED);
    }
}

/* ---- What cannot be ------------------------------------------------------ */

/* A row of 32 * 2^regs elements in the lanes of one warp. */
static ll_layout long_row(unsigned regs) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(in, LL_LANE, 32);
    ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_J, 32u << regs));
    for (unsigned k = 0; k < regs + 5u; ++k) {
        a.basis[k] = 1u << (k < regs ? k + 5u : k - regs);
    }
    return a;
}

/* A place and an index have 32 bits together, and memory less than 4 GiB. */
static void limits_are_met_to_the_bit(void) {
    for (unsigned regs = 20; regs < 24u; ++regs) {
        const ll_layout a = long_row(regs);
        const ll_layout index =
            ll_zero(ll_shape_of("register=1 lane=32"), a.out);
        const unsigned err =
            ll_gather_of(a, index, LL_J, 32, LL_SM90).err;
        CHECK(err == (regs + 10u <= 32u ? LL_OK : LL_EBITS));
        for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
            const unsigned bytes = regs + 5u + log2_of(bits / 8u);
            const ll_gather_plan p =
                ll_gather_by(a, index, LL_J, bits, LL_SM90, LL_SHARED);
            CHECK(regs > 22u || bytes >= 32u || p.err == LL_OK);
            CHECK(p.turn.at.n == 0); /* one index has no order */
        }
    }
    ll_shape in = ll_shape_of("register=8388608 lane=32");
    ll_layout a = ll_zero(in, ll_shape_of("j=2 i=134217728"));
    a.basis[0] = 1;
    for (unsigned k = 1; k < 28u; ++k) {
        a.basis[k] = 1u << k;
    }
    for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
        const unsigned bytes = 28u + log2_of(bits / 8u);
        CHECK(ll_gather_by(a, a, LL_J, bits, LL_SM90, LL_SHARED).err ==
              (bytes < 32u ? LL_OK : LL_EBITS));
    }
    ll_layout other = ll_zero(ll_shape_of("register=1 lane=32"),
                              ll_shape_of("a b c d e f g h i j k l m n o p"));
    ll_layout src = ll_zero(ll_shape_of("register=1 lane=32"),
                            ll_shape_of("a b c d e f g h i j k l m n o q"));
    other.out.bits[0] = src.out.bits[0] = 5;
    for (unsigned k = 0; k < 5u; ++k) {
        src.basis[k] = other.basis[k] = 1u << k;
    }
    CHECK(ll_gather_of(src, other, LL_I, 32, LL_SM90).err != LL_OK);
    CHECK(ll_gather_of(src, other, ll_dim_of("q"), 32, LL_SM90).err ==
          LL_EMATCH);
}

static unsigned error(const char *src, const char *index, unsigned k,
                      unsigned bits, unsigned kind) {
    return ll_gather_by(ll_parse(src), ll_parse(index), k, bits, LL_SM90, kind)
        .err;
}

static void errors_are_named(void) {
    const char *const in_lane = "register: j0 j1 | lane: i0 i1 i2 i3 i4";
    const char *const lanes = "register: i0 | lane: j0 j1 j2 j3 j4";
    const char *const warps = "register: i0 | lane: j0 j1 j2 j3 j4 | warp: j5";
    const char *const blocks = "register: i0 | lane: j0 j1 j2 j3 j4 | "
                               "warp: | block: j5";
    CHECK(error(in_lane, in_lane, 1, 32, LL_REGISTERS) == LL_OK);
    CHECK(error(in_lane, in_lane, 1, 32, LL_SHUFFLES) == LL_EKIND);
    CHECK(error(lanes, lanes, 1, 32, LL_REGISTERS) == LL_EKIND);
    CHECK(error(lanes, lanes, 1, 32, LL_SHUFFLES) == LL_OK);
    CHECK(error(warps, warps, 1, 32, LL_SHUFFLES) == LL_EKIND);
    CHECK(error(warps, warps, 1, 32, LL_ANY) == LL_OK);
    CHECK(error(blocks, blocks, 1, 32, LL_ANY) == LL_EBLOCK);
    CHECK(error(blocks, blocks, 0, 32, LL_ANY) == LL_OK);
    CHECK(error(lanes, lanes, 2, 32, LL_ANY) == LL_EMISSING);
    CHECK(error(lanes, lanes, 1, 24, LL_ANY) == LL_EELEMENT);
    CHECK(error(lanes, in_lane, 1, 32, LL_ANY) == LL_EMATCH);
    CHECK(error(lanes, "register: k0 | lane: j0 j1 j2 j3 j4", 1, 32, LL_ANY) ==
          LL_EMATCH);
    CHECK(error("register: 0 | lane: j0 j1 j2 j3 j4 -> j=32 | i=2", lanes, 1,
                32, LL_ANY) == LL_ENOSOLUTION);
    CHECK(error("register: i0 | lane: j0 j1 j2 j3",
                "register: i0 | lane: j0 j1 j2 j3", 1, 32,
                LL_ANY) == LL_ELANES);
    CHECK(error("register: ?", lanes, 1, 32, LL_ANY) == LL_ETEXT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(gathers_fetch_what_is_asked_for);
    RUN(measured_cases_fetch_what_is_asked_for);
    RUN(lanes_with_orders_of_their_own_fetch_what_is_asked_for);
    RUN(any_lane_may_have_an_order_of_its_own);
    RUN(limits_are_met_to_the_bit);
    RUN(errors_are_named);
    return test_end();
}
