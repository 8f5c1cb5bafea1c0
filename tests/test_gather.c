/* test_gather.c - gathers, executed on arrays against their definition, and the
 * wavefronts of random reads against counting.
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"

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

typedef struct gather_case {
    unsigned axis;   /* counted from the slowest */
    unsigned blocks; /* bits */
    ll_layout src, index;
} gather_case;

/* A layout of some tensor: its bits in random places, copies in others. */
static ll_layout random_layout(ll_shape out, unsigned blocks, unsigned lanes) {
    unsigned tensor = 0;
    for (unsigned k = 0; k < out.n; ++k) {
        tensor += out.bits[k];
    }
    tensor -= blocks;
    const unsigned warps = test_random(3);
    const unsigned least = tensor > lanes + warps ? tensor - lanes - warps : 0;
    const unsigned regs = least + test_random(2);
    const unsigned n = regs + lanes + warps;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    in = ll_with(in, LL_BLOCK, 1u << blocks);
    ll_layout a = ll_zero(in, out);
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; k < blocks; ++k) {
        a.basis[n + k] = 1u << (tensor + k);
    }
    return a;
}

/* Makes it general: columns are added to others, and an affine part. */
static void stir(ll_layout *a, unsigned blocks) {
    unsigned n = 0;
    unsigned tensor = 0;
    for (unsigned k = 0; k < a->in.n; ++k) {
        n += a->in.bits[k];
    }
    for (unsigned k = 0; k < a->out.n; ++k) {
        tensor += a->out.bits[k];
    }
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned p = test_random(n - blocks);
        const unsigned q = test_random(n - blocks);
        a->basis[p] ^= p != q ? a->basis[q] : 0u;
    }
    if (test_random(2)) {
        a->offset = test_random(1u << (tensor - blocks));
    }
}

/* Mostly the axis of the source lies where it makes shuffles possible. */
static gather_case random_gather(unsigned lanes) {
    gather_case c = LL_ZERO;
    c.blocks = test_random(6) == 0;
    const unsigned tensor = 1u + test_random(lanes + 3u);
    const unsigned j = test_random(tensor + 1u);
    const unsigned rows = tensor - j + c.blocks;
    ll_shape s = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << j), LL_I,
                         1u << rows);
    c.axis = c.blocks ? 1 : test_random(2);
    c.src = random_layout(s, c.blocks, lanes);
    if (test_random(3)) {
        c.index = c.src;
    } else {
        const unsigned other = test_random(4);
        s = c.axis ? ll_with(ll_with(ll_shape_of(""), LL_J, 1u << other), LL_I,
                             1u << rows)
                   : ll_with(ll_with(ll_shape_of(""), LL_J, 1u << j), LL_I,
                             1u << other);
        c.index = random_layout(s, c.blocks, lanes);
    }
    if (test_random(2)) {
        stir(&c.src, c.blocks);
        c.index = test_random(2) ? c.index : c.src;
    }
    if (test_random(4) == 0) {
        stir(&c.index, c.blocks);
    }
    return c;
}

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

static unsigned log2_of(unsigned x) {
    unsigned n = 0;
    while (x >> (n + 1u)) {
        ++n;
    }
    return n;
}

/* The words of 2^bits elements of which 2^pack share one. */
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

/* Stores each element once and loads each result. The wavefronts of a load are
 * those of random indices, in eighths, of which the plan shows whole ones. */
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

/* Cheap logic makes lanes take registers in orders of their own. */
static ll_target random_target(void) {
    const ll_target real = LL_SM90;
    ll_target t = test_random(4) ? LL_SM90 : ll_amd_target(0x942, 64);
    for (unsigned k = 0; k < LL_MAX_COSTS; ++k) {
        t.cost[k] = real.cost[k];
    }
    t.cost[LL_COST_LOGIC] = test_random(2) ? t.cost[LL_COST_LOGIC] : 1u;
    return t;
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

/* A row of four registers, lanes along the rest of it, warps along i. */
static ll_layout rows(unsigned m, unsigned n) {
    const unsigned across = n / 4u < 32u ? n / 4u : 32u;
    const ll_shape none = ll_shape_of("");
    return ll_blocked(ll_with(ll_with(none, LL_J, n), LL_I, m),
                      ll_with(none, LL_J, 4),
                      ll_with(ll_with(none, LL_J, across), LL_I, 32u / across),
                      ll_with(none, LL_I, 4));
}

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

/* The wavefronts of one access of 32 lanes at such addresses, sm_90: the words
 * of each phase, at most once, bank by bank. */
static unsigned counted(const unsigned *address, unsigned bytes) {
    const unsigned lanes = bytes <= 4u ? 32u : 128u / bytes;
    unsigned waves = 0;
    for (unsigned first = 0; first < 32u; first += lanes) {
        unsigned load[32] = LL_ZERO;
        unsigned worst = 0;
        for (unsigned k = first; k < first + lanes; ++k) {
            int known = 0;
            for (unsigned m = first; m < k; ++m) {
                known = known || address[m] / 4u == address[k] / 4u;
            }
            load[address[k] / 4u % 32u] += known ? 0u : 1u;
        }
        for (unsigned k = 0; k < 32u; ++k) {
            worst = load[k] > worst ? load[k] : worst;
        }
        waves += worst;
    }
    return waves;
}

/* The mean, in eighths, over random indices. */
static unsigned mean_of(const ll_gather_plan *p) {
    unsigned long long sum = 0;
    enum { TRIALS = 400 };
    for (unsigned k = 0; k < TRIALS; ++k) {
        unsigned address[32];
        for (unsigned lane = 0; lane < 32u; ++lane) {
            address[lane] = ll_map_at(p->fetch.thread, lane) ^
                            ll_map_at(p->value, test_random(0));
        }
        sum += counted(address, p->fetch.bytes);
    }
    return (unsigned)(sum * 8u / TRIALS);
}

static void random_reads_cost_what_is_estimated(void) {
    for (unsigned n = 4; n <= 64u; n *= 2u) {
        for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
            for (unsigned axis = 0; axis < 2u; ++axis) {
                const ll_layout a = rows(512, n);
                const ll_gather_plan p =
                    ll_gather_by(a, a, axis, bits, LL_SM90, LL_SHARED);
                const unsigned mean = mean_of(&p);
                const unsigned guess = 8u * p.fetch.wavefronts;
                CHECK(guess <= mean + mean / 6u + 5u);
                CHECK(mean <= guess + mean / 6u + 5u);
            }
        }
    }
}

/* Only the banks and phases of accesses as wide as an element count. */
static void other_widths_do_not_matter_to_random_reads(void) {
    for (unsigned n = 0; n < 200u; ++n) {
        const unsigned bits = 8u << n % 5u;
        const unsigned own = bits <= 32u ? 0u : bits == 64u ? 1u : 2u;
        const ll_layout a = rows(512, 4u << test_random(5));
        ll_target t = LL_SM90;
        const unsigned axis = test_random(2);
        const unsigned waves =
            ll_gather_by(a, a, axis, bits, t, LL_SHARED).fetch.wavefronts;
        for (unsigned w = 0; w < 3u; ++w) {
            for (unsigned k = 0; w != own && k < 6u; ++k) {
                t.phase[LL_READ][w][k] = k < 2u ? 1u << k : 0u;
            }
            t.banks[LL_READ][w] = w == own ? 32u : 4u;
        }
        const ll_gather_plan p = ll_gather_by(a, a, axis, bits, t, LL_SHARED);
        CHECK(p.fetch.wavefronts == waves || p.turn.at.n);
    }
}

/* How many rows of banks the source has does not matter once each lane may ask
 * for another. */
static void long_axes_are_as_busy_as_shorter_ones(void) {
    unsigned waves[2] = LL_ZERO;
    for (unsigned k = 0; k < 2u; ++k) {
        const unsigned regs = k ? 18u : 8u;
        ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
        in = ll_with(in, LL_LANE, 32);
        ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_J,
                                          32u << regs));
        for (unsigned bit = 0; bit < regs + 5u; ++bit) {
            a.basis[bit] = 1u << (bit < regs ? bit + 5u : bit - regs);
        }
        const ll_layout index =
            ll_zero(ll_shape_of("register=1 lane=32"), a.out);
        waves[k] = ll_gather_by(a, index, LL_J, 32, LL_SM90, LL_SHARED)
                       .fetch.wavefronts;
    }
    CHECK(waves[0] > 1u && waves[0] == waves[1]);
}

/* The most requests to one of 2^banks banks of any group, of n to each group at
 * random; the mean of many trials. */
static unsigned busiest_at_random(unsigned groups, unsigned n,
                                  unsigned banks) {
    enum { TRIALS = 1000 };
    unsigned sum = 0;
    for (unsigned k = 0; k < TRIALS; ++k) {
        unsigned worst = 0;
        for (unsigned g = 0; g < 1u << groups; ++g) {
            unsigned load[32] = LL_ZERO;
            for (unsigned m = 0; m < n; ++m) {
                const unsigned now = ++load[test_random(1u << banks)];
                worst = now > worst ? now : worst;
            }
        }
        sum += worst;
    }
    return 8u * sum / TRIALS;
}

/* Two requests of 2^groups pairs meet in a bank with a chance of one in 2^banks
 * each: the busiest bank has one request, or two. One bank of several gets more
 * than m of n requests as often as it does on average where two cannot. */
static void chances_of_banks_are_exact_for_few_requests(void) {
    for (unsigned banks = 1; banks < 6u; ++banks) {
        for (unsigned groups = 0; groups < 4u; ++groups) {
            double none = 1;
            for (unsigned k = 0; k < 1u << groups; ++k) {
                none *= 1 - 1.0 / (1u << banks);
            }
            const double want = 8 * (2 - none);
            const double got = ll_bank_busiest_(groups, 2, banks, 1u << 16);
            CHECK(got <= want && got > want - 1.01);
        }
    }
    for (unsigned n = 1; n <= 64u; ++n) {
        for (unsigned m = 1; m < n; ++m) {
            for (unsigned count = 0; count < 5u; ++count) {
                const double x = count / 4.0;
                const int two = n >= (m + 1u) + (m + 1u);
                const double want =
                    n > 4u * m ? 1
                    : two      ? x * (1 + x) / (1 + x + x * x)
                               : x;
                const double got =
                    (double)ll_one_bank_(n, m, 2, count << 14) / 65536;
                CHECK(got > want - 0.0001 && got < want + 0.0001);
            }
        }
    }
}

/* A phase of all 64 lanes, of banks for each of them. */
static void whole_wavefronts_are_one_phase(void) {
    const ll_layout a = ll_parse("register: i0 | lane: j0 j1 j2 j3 j4 j5");
    ll_target t = LL_GFX950;
    for (unsigned k = 0; k < 6u; ++k) {
        t.phase[LL_READ][0][k] = 1u << k;
    }
    t.banks[LL_READ][0] = 64;
    const ll_gather_plan p = ll_gather_by(a, a, LL_I, 32, t, LL_SHARED);
    CHECK(p.err == LL_OK && p.fetch.wavefronts - 1u < 2u); /* two words */
}

/* Exactly where nothing is random, and near a count where something is. */
static void the_busiest_bank_is_as_busy_as_at_random(void) {
    for (unsigned banks = 0; banks <= 5u; ++banks) {
        for (unsigned n = 1; n <= 32u; n *= 2u) {
            for (unsigned groups = 0; groups < 3u; ++groups) {
                const unsigned guess =
                    ll_bank_busiest_(groups, n, banks, 1u << 16);
                const unsigned mean = busiest_at_random(groups, n, banks);
                CHECK(n > 1u || guess == 8u);
                CHECK(banks || guess == 8u * n);
                CHECK(guess <= mean + mean / 16u + 1u &&
                      mean <= guess + mean / 8u + 1u);
            }
        }
        CHECK(ll_bank_busiest_(3, 1, banks, 1u << 16) == 8u);
        CHECK(banks ||
              ll_bank_busiest_(2, 32, 0, 5) == 40u); /* but five words */
    }
}

/* Where a lane's bank does not depend on indices no read waits. */
static void reads_do_not_conflict_where_they_need_not(void) {
    for (unsigned n = 4; n <= 64u; n *= 2u) { /* 128 bytes are asked of */
        const ll_layout a = rows(512, n);
        const ll_gather_plan p =
            ll_gather_by(a, a, LL_J, 8, LL_SM90, LL_SHARED);
        CHECK(mean_of(&p) == 8u && p.fetch.wavefronts == 1u);
    }
    for (unsigned n = 4; n <= 8u; n *= 2u) { /* each row has banks of its own */
        const ll_layout a = rows(512, n);
        const ll_gather_plan p =
            ll_gather_by(a, a, LL_J, 32, LL_SM90, LL_SHARED);
        CHECK(mean_of(&p) == 8u && p.fetch.wavefronts == 1u);
        CHECK((p.turn.at.n != 0) == (n == 8u));
    }
}

/* The fastest of all kinds on an H200, bench/results/gather-*. */
static void the_fastest_kind_is_chosen(void) {
    static const unsigned fastest[][5] = {
        {LL_REGISTERS, LL_SHUFFLES, LL_SHUFFLES, LL_SHARED, LL_SHARED},
        {LL_REGISTERS, LL_SHARED, LL_SHUFFLES, LL_SHARED, LL_SHARED},
        {LL_REGISTERS, LL_SHARED, LL_SHARED, LL_SHARED, LL_SHARED}};
    for (unsigned b = 0; b < 3u; ++b) {
        for (unsigned k = 0; k < 5u; ++k) {
            const ll_layout a = rows(512, 4u << k);
            const ll_gather_plan p = ll_gather_of(a, a, LL_J, 8u << b, LL_SM90);
            CHECK(p.kind == fastest[b][k]);
        }
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
    RUN(gathers_cost_what_their_steps_do);
    RUN(gathers_fetch_what_is_asked_for);
    RUN(measured_cases_fetch_what_is_asked_for);
    RUN(lanes_with_orders_of_their_own_fetch_what_is_asked_for);
    RUN(any_lane_may_have_an_order_of_its_own);
    RUN(orders_are_tried_while_they_help);
    RUN(orders_of_lanes_are_for_few_words);
    RUN(stores_of_gathers_are_as_wide_as_is_cheap);
    RUN(memory_of_a_gather_is_in_order);
    RUN(random_reads_cost_what_is_estimated);
    RUN(other_widths_do_not_matter_to_random_reads);
    RUN(long_axes_are_as_busy_as_shorter_ones);
    RUN(chances_of_banks_are_exact_for_few_requests);
    RUN(whole_wavefronts_are_one_phase);
    RUN(the_busiest_bank_is_as_busy_as_at_random);
    RUN(reads_do_not_conflict_where_they_need_not);
    RUN(the_fastest_kind_is_chosen);
    RUN(limits_are_met_to_the_bit);
    RUN(errors_are_named);
    return test_end();
}
