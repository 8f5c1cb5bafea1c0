/* held_out.c - does any other form of a conversion beat the plan of the
 * library?
 * SPDX-License-Identifier: MIT
 *
 * Random pairs of layouts of all families, on six targets. The plan of
 * ll_plan_of competes with every other form that the library offers: plans of
 * one kind, plans of a target without some of its instructions, plans of the
 * tensor with its elements renamed, and plans through many memories: those of
 * ll_swizzle, row-major, column-major, XOR-swizzled and random ones, and the
 * best that a climb finds. A plan counts if it is executed and every element is
 * where the definition says, at the cycles that this file counts itself. Each
 * pair that is beaten is printed. The campaign fails if there is one; the short
 * form in `make check` executes the plans of all forms, and shows the campaign
 * a bad chooser and a wrong plan.
 *
 * The arguments are a seed, the number of pairs, if it is more than 1, and the
 * number of the only pair to be tried. `make check-held-out` runs 1,000 pairs.
 * With `pairs` in place of the last, pairs for device/held_out.cu are listed.
 */
#include "machines.h"

/* ---- Pairs of layouts ---------------------------------------------------- */

enum { TARGETS = 6, SCATTERED = 6 };

static const char *const target_name[TARGETS] = {
    "sm_80", "sm_90", "sm_100f", "gfx942", "gfx950", "gfx1201"};

static const unsigned gfx_of[TARGETS] = {0, 0, 0, 0x942, 0x950, 0x1201};

static ll_target target_of(unsigned k) {
    return k == 0   ? LL_SM80
           : k == 1 ? LL_SM90
           : k == 2 ? LL_SM100F
           : k == 3 ? LL_GFX942
           : k == 4 ? LL_GFX950
                    : LL_GFX1201;
}

/* The tensor, its elements and the block of a pair. */
typedef struct scene {
    unsigned rows, cols, bits, lanes, warps, gfx;
} scene;

typedef struct pair {
    random_pair c;
    ll_target t;
    scene s;
    unsigned number, target;
} pair;

static unsigned below(unsigned size) {
    return 1u << test_random(ll_log2_(size) + 1u);
}

static ll_shape shape_of(unsigned rows, unsigned cols) {
    return ll_with(ll_with(ll_shape_of(""), LL_J, cols), LL_I, rows);
}

static ll_layout blocked(const scene *s, unsigned rows, unsigned cols) {
    const unsigned across = below(s->lanes);
    const unsigned warps = below(s->warps);
    return ll_blocked(shape_of(rows, cols), shape_of(below(8), below(8)),
                      shape_of(s->lanes / across, across),
                      shape_of(warps, s->warps / warps));
}

/* A slice of a block of rank 3. Lanes along the axis that is gone hold
 * copies. */
static ll_layout slice(const scene *s) {
    const unsigned sizes[3] = {s->rows, 4, s->cols};
    const ll_shape none = LL_ZERO;
    const unsigned k = below(4);
    return ll_reduce(
        ll_blocked(ll_tensor(3, sizes), ll_with(none, ll_axis(2), below(8)),
                   ll_with(ll_with(none, ll_axis(1), k), ll_axis(2),
                           s->lanes / k),
                   ll_with(none, LL_I, s->warps)),
        1);
}

static ll_layout nvidia_tile(const scene *s) {
    const unsigned bits = s->bits > 64u ? 64u : s->bits;
    const unsigned k = bits == 64u ? 4u : 256u / bits;
    switch (test_random(5)) {
    case 0: return ll_ptx_fragment_a(16, k, bits);
    case 1: return ll_ptx_fragment_b(k, 8, bits);
    case 2: return ll_ptx_mma_a(s->rows, s->cols, bits, 1);
    case 3: return ll_ptx_mma_b(s->rows, s->cols, bits, 1);
    default: return ll_ptx_fragment_c(16, 8);
    }
}

static ll_layout amd_tile(const scene *s) {
    const unsigned bits = s->bits == 8u || s->bits == 32u ? s->bits : 16u;
    const unsigned m = test_random(2) ? 32u : 16u;
    const unsigned k = 1u << test_random(7);
    const int waves = s->lanes == 32u;
    switch (test_random(4)) {
    case 0:
        return waves ? ll_amd_wmma_a(s->gfx, 32, 16, bits)
                     : ll_amd_mfma_a(m, k, 1, bits);
    case 1:
        return waves ? ll_amd_wmma_b(s->gfx, 32, 16, bits)
                     : ll_amd_mfma_b(k, m, 1, bits);
    case 2:
        return waves ? ll_amd_swmmac_b(s->gfx, 32, 32, bits)
                     : ll_amd_smfmac_b(k, m, bits);
    default:
        return waves ? ll_amd_wmma_c(s->gfx, 32, 32)
                     : ll_amd_mfma_c(m, m, 1, 32);
    }
}

/* The fragment of an instruction on warps along rows and columns. */
static ll_layout fragments(const scene *s, unsigned rows, unsigned cols) {
    const unsigned down = below(s->warps);
    if (s->gfx == 0 && test_random(6) == 0) {
        return ll_ptx_wgmma_d(rows, cols, s->warps);
    }
    return ll_tiled(s->gfx ? amd_tile(s) : nvidia_tile(s),
                    shape_of(rows, cols), shape_of(down, s->warps / down));
}

static void add_columns(ll_layout *a, unsigned n, unsigned count) {
    for (unsigned k = 0; n > 1u && k < count; ++k) {
        const unsigned from = test_random(n);
        const unsigned to = test_random(n);
        a->basis[to] ^= from == to ? 0u : a->basis[from];
    }
}

/* Bits of the tensor in random columns. Columns that are left are 0, repeat
 * another column, or are the XOR of two; then columns are added to others. */
static ll_layout scattered(const scene *s) {
    const unsigned tensor = ll_log2_(s->rows * s->cols);
    const unsigned threads = ll_log2_(s->lanes * s->warps);
    const unsigned regs =
        (tensor > threads ? tensor - threads : 0u) + test_random(3);
    const unsigned n = regs + threads;
    const unsigned kind = test_random(4);
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, s->lanes), LL_WARP, s->warps);
    ll_layout a = ll_zero(in, shape_of(s->rows, s->cols));
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; kind == 1u && k < n; ++k) {
        if (a.basis[k] == 0 && test_random(4)) {
            const unsigned other = a.basis[test_random(n)];
            a.basis[k] = a.basis[test_random(n)];
            a.basis[k] ^= test_random(3) ? 0u : other;
        }
    }
    add_columns(&a, n, kind == 2u   ? 1u + test_random(3)
                       : kind == 3u ? 2u * n
                                    : 0u);
    return a;
}

static ll_layout member(const scene *s, unsigned family) {
    switch (family) {
    case 0: return blocked(s, s->rows, s->cols);
    case 1:
        return rows_of_lanes(s->rows, s->cols, s->bits / 8u, s->lanes,
                             s->warps);
    case 2: return slice(s);
    case 3: return ll_trans(blocked(s, s->cols, s->rows), "j i");
    case 4: return ll_trans(fragments(s, s->cols, s->rows), "j i");
    case 5: return fragments(s, s->rows, s->cols);
    default: return scattered(s);
    }
}

/* The layout with some of its columns exchanged. */
static ll_layout permuted(ll_layout a) {
    const unsigned n = bits_in(&a.in);
    for (unsigned k = 1u + test_random(5); n && k > 0; --k) {
        const unsigned p = test_random(n);
        const unsigned q = test_random(n);
        const unsigned y = a.basis[p];
        a.basis[p] = a.basis[q];
        a.basis[q] = y;
    }
    return a;
}

static int is_bad(const ll_layout *a) {
    return a->err || bits_in(&a->in) > 13u;
}

/* Families of instructions count twice, and so do random columns. */
static unsigned random_family(void) {
    const unsigned k = test_random(9);
    return k > SCATTERED ? k - 2u : k;
}

static int try_pair(pair *p) {
    scene *s = &p->s;
    s->rows = 8u << test_random(5);
    s->cols = 4u << test_random(6);
    s->bits = 8u << test_random(5);
    s->warps = below(8);
    s->lanes = p->t.lanes;
    s->gfx = gfx_of[p->target];
    p->c.tensor = ll_log2_(s->rows * s->cols);
    p->c.out = shape_of(s->rows, s->cols);
    p->c.a = member(s, random_family());
    p->c.b = test_random(4) ? member(s, random_family()) : permuted(p->c.a);
    if (test_random(8) == 0 && !p->c.b.err) { /* a part of the tensor */
        const unsigned gone = 1u << test_random(p->c.tensor);
        for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
            p->c.b.basis[k] &= ~gone;
        }
        p->c.b.offset &= ~gone;
    }
    return p->c.tensor <= 12u && !is_bad(&p->c.a) && !is_bad(&p->c.b) &&
           !ll_plan_of(p->c.a, p->c.b, s->bits, p->t).err;
}

/* Pair `number` of a seed depends on nothing but these two. */
static pair pair_of(unsigned long long seed, unsigned number) {
    pair p = LL_ZERO;
    test.random = seed * 0x2545f4914f6cdd1dull + number * 0x10001ull;
    p.number = number;
    p.target = number % TARGETS;
    p.t = target_of(p.target);
    while (!try_pair(&p)) {
        const random_pair none = LL_ZERO;
        p.c = none;
    }
    return p;
}

/* ---- The price and the truth of a plan ----------------------------------- */

/* Cycles, and below them the eighths of a cycle of pipe and logic together. The
 * pipe, the units of the lanes and the schedulers work side by side. */
static unsigned long long price_of(const ll_plan *p, const ll_target *t) {
    const unsigned *cost = t->cost;
    unsigned pipe = 0, logic = 0, wait = 0, start = 0;
    unsigned issued = 0; /* instructions, shuffles twice */
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        switch (s->op) {
        case LL_OP_STORE:
        case LL_OP_LOAD:
            pipe += s->count * s->wavefronts * cost[LL_COST_MEMORY];
            break;
        case LL_OP_SHUFFLE:
            pipe += (s->count - s->near) * cost[LL_COST_SHUFFLE];
            logic += s->logic * cost[LL_COST_LOGIC];
            issued += 2u * s->count;
            start = cost[LL_COST_START];
            break;
        case LL_OP_SYNC_WARP: wait += s->count * cost[LL_COST_WARP]; break;
        case LL_OP_SYNC_BLOCK: wait += s->count * cost[LL_COST_BLOCK]; break;
        case LL_OP_SELECT:
            logic += s->count * cost[LL_COST_SELECT];
            issued += s->count;
            break;
        default:
            logic += s->count * cost[LL_COST_LOGIC];
            issued += s->count;
            break;
        }
    }
    const unsigned issue = issued * cost[LL_COST_ISSUE] / 2u;
    const unsigned lanes =
        (logic > issue ? logic : issue) + (logic ? start : 0u);
    const unsigned long long most = (pipe > lanes ? pipe : lanes) + wait;
    return (most + 7u) / 8u << 32 | (pipe + logic);
}

static unsigned cycles_of(const ll_plan *p, const ll_target *t) {
    return (unsigned)(price_of(p, t) >> 32);
}

/* Returns whether the plan, executed, does what the definition says. */
static int is_correct(const pair *p, const ll_target *t, const ll_plan *q) {
    const unsigned here = test.here;
    check_the_plan(&p->c, p->s.bits, t, LL_ANY, *q);
    return test.here == here;
}

/* ---- The forms ----------------------------------------------------------- */

enum {
    BY_KIND, BY_COPIES, IN_PASSES, NO_MATRICES, NO_SWAPS, NO_HOPS, RENAMED,
    SWIZZLE, OPERAND, ROW_MAJOR, COL_MAJOR, XORED, RANDOM, CLIMBED, IN_WARP,
    FORMS
};

static const char *const form_name[FORMS] = {
    "a plan of one kind",  "memory for copies",  "several passes",
    "vector accesses",     "hops, not swaps",    "shuffles, not hops",
    "elements renamed",    "ll_swizzle's memory", "ll_for_operand's memory",
    "row-major memory",    "column-major memory", "XOR-swizzled memory",
    "random memory",       "searched memory",    "searched memory of a warp"};

/* A pair, the plan that was chosen for it, and the best of other forms. */
typedef struct contest {
    pair p;
    ll_plan chosen, best;
    unsigned form;     /* of best */
    unsigned compared; /* plans */
} contest;

/* Offers a plan of a form. It counts if it is valid and correct. */
static void offer(contest *c, unsigned form, const ll_target *t,
                  const ll_plan *q) {
    if (q->err) {
        return;
    }
    CHECK(q->cycles == cycles_of(q, t));
    ++c->compared;
    const int correct = is_correct(&c->p, t, q);
    CHECK(correct);
    if (correct && q->cycles < c->best.cycles) {
        c->best = *q;
        c->form = form;
    }
}

static ll_plan through(const pair *p, const ll_target *t, const ll_layout *m) {
    return ll_plan_through(p->c.a, p->c.b, p->s.bits, *t, *m);
}

static void offer_memory(contest *c, unsigned form, const ll_layout *m) {
    const ll_target plain = ll_without_forms_(
        ll_without_forms_(c->p.t, LL_READ), LL_WRITE);
    if (!m->err && bits_in(&m->in) == c->p.c.tensor) {
        const ll_plan q = through(&c->p, &c->p.t, m);
        const ll_plan r = through(&c->p, &plain, m);
        CHECK(!q.err && !r.err);
        offer(c, form, &c->p.t, &q);
        if (r.cycles != q.cycles) {
            offer(c, form, &plain, &r);
        }
    }
}

static void offer_kinds(contest *c) {
    const pair *p = &c->p;
    for (unsigned kind = LL_NOTHING; kind <= LL_COPIES; ++kind) {
        const ll_plan q = ll_plan_by(p->c.a, p->c.b, p->s.bits, p->t, kind);
        offer(c, kind == LL_COPIES ? BY_COPIES : BY_KIND, &p->t, &q);
    }
    for (unsigned bytes = c->chosen.smem_bytes / 2u, k = 0; bytes && k < 2u;
         bytes /= 2u, ++k) {
        const ll_plan q =
            ll_plan_within(p->c.a, p->c.b, p->s.bits, p->t, bytes);
        offer(c, IN_PASSES, &p->t, &q);
    }
}

/* A plan that leaves instructions of the target out costs the same on it. A
 * target without hops computes the lanes of its shuffles as one with hops
 * does: LL_HOP_ANY is left. */
static void offer_fewer_instructions(contest *c) {
    const pair *p = &c->p;
    for (unsigned k = 1; k < 16u; ++k) {
        ll_target t = p->t;
        const unsigned few =
            t.hops ? 1u << (k & 4u ? LL_HOP_ANY : LL_HOP_32) : 0u;
        t = k & 1u ? ll_without_forms_(t, LL_READ) : t;
        t = k & 2u ? ll_without_forms_(t, LL_WRITE) : t;
        t.swaps = k & 4u ? 0u : t.swaps;
        t.hops = k & 8u   ? few
                 : k & 4u ? t.hops & ~(1u << LL_HOP_SWAP)
                          : t.hops;
        const unsigned form = k & 8u   ? NO_HOPS
                              : k & 4u ? NO_SWAPS
                                       : NO_MATRICES;
        if ((k & 12u) == 0 || t.hops != p->t.hops || t.swaps != p->t.swaps) {
            for (unsigned kind = LL_SHUFFLES; kind <= LL_ANY; ++kind) {
                const ll_plan q =
                    ll_plan_by(p->c.a, p->c.b, p->s.bits, t, kind);
                offer(c, form, &t, &q);
            }
        }
    }
}

/* A plan between renamed layouts moves the same registers. */
static void offer_renamed(contest *c) {
    const pair *p = &c->p;
    for (unsigned k = 0; k < 6u; ++k) {
        unsigned basis[32];
        random_pair r = p->c;
        random_basis(basis, r.tensor, r.tensor);
        twist(&r.a, basis, r.tensor);
        twist(&r.b, basis, r.tensor);
        for (unsigned kind = LL_SHUFFLES; kind <= LL_SHARED; ++kind) {
            const ll_plan q = ll_plan_by(r.a, r.b, p->s.bits, p->t, kind);
            offer(c, RENAMED, &p->t, &q);
        }
    }
}

static void offer_xored(contest *c) {
    const scene *s = &c->p.s;
    for (unsigned turned = 0; turned < 2u; ++turned) {
        const unsigned cols = turned ? s->rows : s->cols;
        const ll_shape shape = shape_of(turned ? s->cols : s->rows, cols);
        for (unsigned k = 0; k < 64u; ++k) {
            const unsigned vec = 1u << k % 4u;
            const unsigned turns = 2u << k / 4u % 4u;
            const unsigned per = 1u << k / 16u % 2u;
            ll_layout m = k < 32u ? ll_swizzled(shape, vec, per, turns)
                                  : ll_rotated(shape, vec, per, turns);
            m = turned ? ll_trans(m, "j i") : m;
            offer_memory(c, XORED, &m);
        }
    }
    for (unsigned width = 32; s->gfx == 0 && width <= 128u; width *= 2u) {
        const unsigned bits = s->bits > 32u ? 32u : s->bits;
        ll_layout m = ll_ptx_smem_k(s->rows, s->cols, bits, width);
        offer_memory(c, XORED, &m);
        m = ll_ptx_smem_mn(s->rows, s->cols, bits, width, 16);
        offer_memory(c, XORED, &m);
    }
}

/* ---- Searched memories --------------------------------------------------- */

enum { STARTS = 12 }; /* of climbs */

static ll_layout random_memory(const ll_shape *out) {
    ll_layout m = ll_row_major(*out);
    random_basis(m.basis, bits_in(out), bits_in(out));
    return m;
}

/* Adds one of the lowest n columns to another, or exchanges two. The columns of
 * an access are tried more often. */
static void move(ll_layout *m, unsigned n) {
    const unsigned few = n < 5u ? n : 5u;
    for (unsigned k = 1u + test_random(3); n > 1u && k > 0; --k) {
        const unsigned i = test_random(test_random(2) ? few : n);
        const unsigned j = test_random(n);
        const unsigned y = m->basis[i];
        if (i != j && test_random(2)) {
            m->basis[i] ^= m->basis[j];
        } else {
            m->basis[i] = m->basis[j];
            m->basis[j] = y;
        }
    }
}

/* The plan through memory m. If each warp keeps to itself, it waits for itself
 * only. */
static ll_plan waiting(const pair *p, const ll_target *t, const ll_layout *m,
                       int own) {
    ll_plan q = through(p, t, m);
    if (own && !q.err) {
        q.step[2].op = LL_OP_SYNC_WARP;
        q.cycles = cycles_of(&q, t);
    }
    return q;
}

static ll_layout climb(const pair *p, ll_layout m, unsigned n, int own,
                       unsigned trials) {
    ll_plan q = waiting(p, &p->t, &m, own);
    unsigned long long now = price_of(&q, &p->t);
    for (unsigned k = 0; k < trials; ++k) {
        ll_layout next = m;
        move(&next, n);
        q = waiting(p, &p->t, &next, own);
        const unsigned long long then = price_of(&q, &p->t);
        if (!q.err && then <= now) {
            now = then;
            m = next;
        }
    }
    return m;
}

/* The highest columns of the memory of a plan whose warps keep to themselves
 * tell the warps apart; they stay. */
static unsigned own_bits(const contest *c) {
    const ll_layout *a = &c->p.c.a;
    const unsigned n = bits_in(&a->in) - held_bits(&a->in, LL_WARP);
    ll_span_ held = LL_ZERO;
    for (unsigned k = 0; k < n; ++k) {
        ll_span_push_(&held, a->basis[k]);
    }
    const ll_span_ whole = held;
    unsigned bits = 0;
    while (bits < c->p.c.tensor) {
        ll_span_ one = LL_ZERO;
        ll_span_push_(&one, c->chosen.memory.basis[bits]);
        if (!ll_in_span_(&one, &whole)) {
            break;
        }
        ++bits;
    }
    return bits;
}

/* `trials` for each of the climbs, which start from memories of the library, in
 * their neighbourhood and anywhere. */
static void offer_searched(contest *c, unsigned trials) {
    const pair *p = &c->p;
    const ll_plan shared =
        ll_plan_by(p->c.a, p->c.b, p->s.bits, p->t, LL_SHARED);
    const int shares = shared.kind == LL_SHARED && shared.n == 5u;
    const int own = shares && shared.step[2].op == LL_OP_SYNC_WARP;
    const int whole = bits_in(&shared.memory.in) == p->c.tensor;
    const ll_layout swizzled =
        ll_swizzle(p->c.a, p->c.b, p->s.bits, p->t);
    const ll_layout first = shares && whole ? shared.memory : swizzled;
    for (unsigned k = 0; k < STARTS && !swizzled.err; ++k) {
        ll_layout m = k == 0   ? swizzled
                      : k & 1u ? first
                               : random_memory(&p->c.out);
        for (unsigned n = 0; k > 1u && (k & 1u) && n < 20u; ++n) {
            move(&m, p->c.tensor);
        }
        if (bits_in(&m.in) == p->c.tensor) {
            offer_memory(c, k < 2u ? SWIZZLE : RANDOM, &m);
            m = climb(p, m, p->c.tensor, 0, trials);
            offer_memory(c, CLIMBED, &m);
        }
    }
    if (own && whole) {
        contest d = *c;
        d.chosen = shared;
        const ll_layout m =
            climb(p, shared.memory, own_bits(&d), 1, 2u * trials);
        const ll_plan q = waiting(p, &p->t, &m, 1);
        offer(c, IN_WARP, &p->t, &q);
    }
}

/* ---- The contest --------------------------------------------------------- */

static contest contest_of(const pair *p, const ll_plan *chosen,
                          unsigned trials) {
    contest c = LL_ZERO;
    c.p = *p;
    c.chosen = c.best = *chosen;
    c.form = FORMS;
    CHECK(chosen->cycles == cycles_of(chosen, &p->t));
    CHECK(is_correct(p, &p->t, chosen));
    offer_kinds(&c);
    if (chosen->kind <= LL_REGISTERS) {
        return c; /* nothing leaves its lane */
    }
    const ll_layout row = ll_row_major(p->c.out);
    const ll_layout col = ll_col_major(p->c.out);
    const ll_layout a = ll_for_operand(p->c.a, p->s.bits, p->t);
    const ll_layout b = ll_for_operand(p->c.b, p->s.bits, p->t);
    const ll_layout turned =
        ll_swizzle(p->c.b, p->c.a, p->s.bits, p->t);
    offer_memory(&c, ROW_MAJOR, &row);
    offer_memory(&c, COL_MAJOR, &col);
    offer_memory(&c, OPERAND, &a);
    offer_memory(&c, OPERAND, &b);
    offer_memory(&c, SWIZZLE, &turned);
    offer_fewer_instructions(&c);
    offer_renamed(&c);
    offer_xored(&c);
    offer_searched(&c, trials);
    return c;
}

static const char *kind_name(unsigned kind) {
    return kind == LL_NOTHING     ? "nothing"
           : kind == LL_REGISTERS ? "registers"
           : kind == LL_SHUFFLES  ? "shuffles"
                                  : "memory";
}

static void show_layout(const char *name, const ll_layout *a) {
    char text[600];
    ll_str(*a, text, sizeof text);
    printf("    %s %s\n", name, text);
}

static void show(const contest *c) {
    const ll_plan *q = &c->chosen;
    printf("pair %u, %s, %u bits: %u cycles by %s; %u by %s: %s\n",
           c->p.number, target_name[c->p.target], c->p.s.bits, q->cycles,
           kind_name(q->kind), c->best.cycles, kind_name(c->best.kind),
           form_name[c->form]);
    show_layout("a", &c->p.c.a);
    show_layout("b", &c->p.c.b);
    if (q->kind == LL_SHARED) {
        show_layout("memory", &q->memory);
    }
    if (c->best.kind == LL_SHARED) {
        show_layout("better", &c->best.memory);
    }
}

typedef struct tally {
    unsigned pairs, beaten, compared;
    unsigned kinds[LL_ANY];
    double worst;
} tally;

static void count(tally *sum, const contest *c) {
    const int beaten = c->best.cycles < c->chosen.cycles;
    const double ratio =
        beaten ? (double)c->chosen.cycles / c->best.cycles : 1.0;
    ++sum->pairs;
    sum->beaten += (unsigned)beaten;
    sum->compared += c->compared;
    ++sum->kinds[c->chosen.kind];
    sum->worst = ratio > sum->worst ? ratio : sum->worst;
}

static unsigned long long seed;
static unsigned only = ~0u; /* number of the pair to be tried; ~0: all */

static void no_other_form_beats_the_plan(void) {
    const unsigned pairs = test.effort > 1u   ? test.effort
                           : test.effort == 1u ? 36u
                                               : 12u;
    const unsigned trials = test.effort > 1u ? 200u : 4u;
    tally sum[TARGETS + 1] = LL_ZERO;
    unsigned by_form[FORMS + 1] = LL_ZERO;
    for (unsigned k = 0; k < pairs; ++k) {
        if (only != ~0u && k != only) {
            continue;
        }
        const pair p = pair_of(seed, k);
        const ll_plan q = ll_plan_of(p.c.a, p.c.b, p.s.bits, p.t);
        const contest c = contest_of(&p, &q, trials);
        count(&sum[p.target], &c);
        count(&sum[TARGETS], &c);
        ++by_form[c.form];
        if (c.best.cycles < c.chosen.cycles) {
            show(&c);
        }
    }
    printf("target   pairs  nothing registers shuffles memory   compared  "
           "beaten  worst\n");
    for (unsigned k = 0; k <= TARGETS; ++k) {
        const tally *s = &sum[k];
        printf("%-8s %5u  %7u %9u %8u %6u %10u  %6u  %5.2f\n",
               k < TARGETS ? target_name[k] : "all", s->pairs,
               s->kinds[LL_NOTHING], s->kinds[LL_REGISTERS],
               s->kinds[LL_SHUFFLES], s->kinds[LL_SHARED], s->compared,
               s->beaten, s->worst);
    }
    for (unsigned k = 0; k < FORMS; ++k) {
        if (by_form[k]) {
            printf("beaten by %s: %u\n", form_name[k], by_form[k]);
        }
    }
    const tally *all = &sum[TARGETS];
    CHECK(test.effort <= 1u || all->beaten == 0);
    COVERS(only != ~0u || all->compared > 50u * all->pairs);
    COVERS(only != ~0u || all->kinds[LL_SHARED] * 3u > all->pairs);
}

/* ---- The campaign can lose ----------------------------------------------- */

/* A chooser that always goes through row-major memory is beaten. */
static void a_bad_chooser_is_seen(void) {
    unsigned beaten = 0, moved = 0;
    for (unsigned k = 0; k < 12u; ++k) {
        const pair p = pair_of(seed + 1u, k);
        const ll_layout m = ll_row_major(p.c.out);
        const ll_plan q = through(&p, &p.t, &m);
        const contest c = contest_of(&p, &q, 2);
        ++moved;
        beaten += c.best.cycles < c.chosen.cycles;
    }
    COVERS(beaten * 2u > moved);
}

/* A plan that costs nothing because it leaves a step out is not correct. */
static void a_wrong_plan_is_seen(void) {
    unsigned seen = 0, tried = 0;
    for (unsigned k = 0; k < 12u; ++k) {
        const pair p = pair_of(seed + 2u, k);
        ll_plan q = ll_plan_by(p.c.a, p.c.b, p.s.bits, p.t, LL_SHARED);
        if (q.n == 5u) {
            const unsigned here = test.here;
            q.step[1].at.place[0] = 0; /* registers on top of each other */
            q.step[3].thread.offset ^= 16u;
            test.here = 1000; /* says nothing */
            seen += !is_correct(&p, &p.t, &q);
            ++tried;
            test.here = here;
        }
    }
    CHECK(tried > 2u && seen == tried);
}

/* ---- Pairs for the GPU --------------------------------------------------- */

/* A block of 128 threads holds each element once. */
static int is_timed(const pair *p) {
    const unsigned threads = p->s.lanes * p->s.warps;
    const unsigned n = bits_in(&p->c.a.in);
    return p->target == 1u && p->s.bits <= 64u && threads == 128u &&
           n == p->c.tensor && bits_in(&p->c.b.in) == n && n > 8u &&
           ll_is_invertible(p->c.a) && ll_is_invertible(p->c.b);
}

/* Both by shuffles and through memory, forth and back. */
static int has_two_kinds(const pair *p) {
    const ll_plan forth =
        ll_plan_by(p->c.a, p->c.b, p->s.bits, p->t, LL_SHUFFLES);
    const ll_plan back =
        ll_plan_by(p->c.b, p->c.a, p->s.bits, p->t, LL_SHUFFLES);
    return !forth.err && !back.err && forth.kind == LL_SHUFFLES &&
           back.kind == LL_SHUFFLES;
}

/* As many of each width of 8 to 64 bits. */
static void list_pairs(unsigned pairs) {
    unsigned left[4];
    for (unsigned k = 0; k < 4u; ++k) {
        left[k] = (pairs + 3u - k) / 4u;
    }
    for (unsigned k = 1; left[0] + left[1] + left[2] + left[3]; k += TARGETS) {
        const pair p = pair_of(seed, k);
        if (is_timed(&p) && has_two_kinds(&p) &&
            left[ll_log2_(p.s.bits) - 3u]) {
            char a[600], b[600];
            ll_str(p.c.a, a, sizeof a);
            ll_str(p.c.b, b, sizeof b);
            printf("X(%u, %u, \"%s\", \"%s\")\n", k, p.s.bits, a, b);
            --left[ll_log2_(p.s.bits) - 3u];
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[3], "pairs") == 0) {
        seed = strtoul(argv[1], NULL, 10);
        list_pairs((unsigned)strtoul(argv[2], NULL, 10));
        return 0;
    }
    test_begin(argc, argv);
    seed = test.random;
    only = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : ~0u;
    if (test.effort <= 1u) {
        RUN(a_bad_chooser_is_seen);
        RUN(a_wrong_plan_is_seen);
    }
    RUN(no_other_form_beats_the_plan);
    return test_end();
}
