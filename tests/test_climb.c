/* test_climb.c - a hill climb looks for better memory than ll_swizzle's.
 * SPDX-License-Identifier: MIT
 *
 * Random pairs of five classes, on NVIDIA's and AMD's targets. A climb starts
 * from the memory of ll_swizzle and from random memories. It adds rows of the
 * matrix to other rows and keeps each change that does not cost more. The climb
 * prices a memory itself, by ranks; ll_plan_through prices the result.
 * Arguments: a seed; the number of pairs per class and vendor, if more than 1;
 * a third argument prints the lost pairs. `make check-swizzle` runs 10,000
 * pairs with 20,000 trials each.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

enum { MOST = 32, SIDES = 2 };
enum { PLAIN, XORS, DENSE, COPIES, REPEATED, CLASSES };

static const char *const class_name[CLASSES] = {
    "plain", "1 to 3 XORs", "dense", "copies", "repeated"};

/* ---- Pairs of layouts ---------------------------------------------------- */

static void add_columns(ll_layout *a, unsigned n, unsigned count) {
    for (unsigned k = 0; n > 1u && k < count; ++k) {
        const unsigned from = test_random(n);
        const unsigned to = test_random(n);
        a->basis[to] ^= from == to ? 0u : a->basis[from];
    }
}

/* A side holds the bits of the tensor in random columns. Columns that are left
 * are 0 (copies), or repeat another column, or the XOR of two. */
static ll_layout random_side(unsigned tensor, unsigned lanes, unsigned kind,
                             ll_shape out) {
    const unsigned warps = test_random(4);
    const unsigned least =
        tensor > lanes + warps ? tensor - lanes - warps : 0u;
    const unsigned regs =
        least + (kind >= COPIES ? test_random(3) : 0u);
    const unsigned n = regs + lanes + warps;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    ll_layout a = ll_zero(in, out);
    for (unsigned bit = 0; bit < tensor; ++bit) {
        const unsigned free = kind < COPIES && bit < regs + lanes
                                  ? regs + lanes
                                  : n; /* only warps hold copies */
        unsigned k = test_random(free);
        while (a.basis[k]) {
            k = (k + 1u) % free;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; kind == REPEATED && k < n; ++k) {
        if (a.basis[k] == 0 && test_random(4)) {
            const unsigned other = a.basis[test_random(n)];
            a.basis[k] = a.basis[test_random(n)];
            a.basis[k] ^= test_random(3) ? 0u : other;
        }
    }
    if (kind >= COPIES ? test_random(2) : kind == XORS) {
        add_columns(&a, n, 1u + test_random(3));
    }
    add_columns(&a, n, kind == DENSE ? 2u * n : 0u);
    return a;
}

typedef struct pair {
    ll_layout a, b;
    ll_target t;
    unsigned scale, kind;
} pair;

static pair random_pair(unsigned kind, int amd) {
    pair p = LL_ZERO;
    p.t = !amd ? LL_SM90 : test_random(2) ? LL_GFX942 : LL_GFX950;
    p.t = ll_without_forms_(ll_without_forms_(p.t, LL_READ), LL_WRITE);
    p.scale = test_random(5);
    p.kind = kind;
    const unsigned lanes = ll_log2_(p.t.lanes);
    const unsigned tensor = kind == PLAIN || (kind < COPIES && test_random(2))
                                ? lanes + test_random(7)
                                : 3u + test_random(lanes + 4u);
    const unsigned fast = test_random(tensor + 1u);
    const ll_shape out = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << fast),
                                 LL_I, 1u << (tensor - fast));
    p.a = random_side(tensor, lanes, kind, out);
    p.b = random_side(tensor, lanes, kind, out);
    return p;
}

/* ---- The price of a memory, by ranks ------------------------------------- */

/* What the columns of a side, in the order register, lane, warp, have for
 * places in memory. */
typedef struct places {
    unsigned n, regs, lanes;
    unsigned at[MOST];
} places;

/* Reduces v by an echelon basis, indexed by the highest bit, and keeps what is
 * left. Returns whether v was independent. */
static unsigned keep(unsigned *echelon, unsigned v) {
    while (v) {
        const unsigned high = 31u - (unsigned)__builtin_clz(v);
        if (!echelon[high]) {
            echelon[high] = v;
            return 1;
        }
        v ^= echelon[high];
    }
    return 0;
}

/* The wavefronts of an access of 2^v elements for each lane. */
static unsigned waves(const places *x, unsigned v, unsigned scale,
                      unsigned op, const ll_target *t) {
    const unsigned bytes = 1u << (v + scale);
    const unsigned width = bytes <= 4u ? 0u : bytes <= 8u ? 1u : 2u;
    unsigned words[MOST] = LL_ZERO;
    unsigned banks[MOST] = LL_ZERO;
    unsigned lost = 0;
    unsigned n = 0;
    int merges = 0;
    unsigned vector[10] = LL_ZERO;
    unsigned m = 0;
    for (; n < 6u && t->phase[op][width][n]; ++n) {
        for (unsigned k = 0; k < x->lanes; ++k) {
            vector[m] ^= t->phase[op][width][n] >> k & 1u
                             ? x->at[x->regs + k] << scale >> 2
                             : 0u;
        }
        ++m;
    }
    for (unsigned k = 0; op == LL_READ && width && k < x->lanes; ++k) {
        merges |= (t->merge >> k & 1u) && x->at[x->regs + k] == 0;
    }
    if (merges && 1u << n < t->lanes) {
        vector[m++] = x->at[x->regs + n] << scale >> 2;
        ++n;
    }
    for (unsigned word = 1; word * 4u < bytes; word *= 2u) {
        vector[m++] = word;
    }
    for (unsigned k = 0; k < m; ++k) {
        lost += keep(words, vector[k]);
        lost -= keep(banks, vector[k] & (t->banks[op][width] - 1u));
    }
    return t->lanes >> n << lost;
}

/* The least wavefronts of a side, and below them the accesses. */
static unsigned long long side_price(const places *x, unsigned scale,
                                     unsigned op, const ll_target *t) {
    unsigned regs[MOST] = LL_ZERO;
    unsigned others = 0;
    unsigned rank = 0;
    unsigned long long best = ~0ull;
    for (unsigned k = 0; k < x->regs; ++k) {
        rank += keep(regs, x->at[k]);
    }
    for (unsigned k = x->regs; k < x->n; ++k) {
        others |= x->at[k];
    }
    for (unsigned v = 0; v + scale <= 4u; ++v) {
        if (v && (others >> (v - 1u) & 1u)) {
            break;
        }
        if (v && keep(regs, 1u << (v - 1u))) {
            break;
        }
        const unsigned long long count = 1ull << (rank - v);
        const unsigned long long price =
            (count * waves(x, v, scale, op, t) << 32) + count;
        best = price < best ? price : best;
    }
    return best;
}

/* ---- The climb ----------------------------------------------------------- */

/* A memory, and the places that it gives the columns of both sides. */
typedef struct state {
    unsigned n;
    unsigned m[MOST];
    places side[SIDES]; /* by op */
} state;

static unsigned long long price(const state *s, const pair *p) {
    return side_price(&s->side[LL_WRITE], p->scale, LL_WRITE, &p->t) +
           side_price(&s->side[LL_READ], p->scale, LL_READ, &p->t);
}

/* Adds bit i of every place to bit j. */
static void add_bit(state *s, unsigned i, unsigned j) {
    s->m[i] ^= s->m[j];
    for (unsigned op = 0; op < SIDES; ++op) {
        for (unsigned k = 0; k < s->side[op].n; ++k) {
            s->side[op].at[k] ^= (s->side[op].at[k] >> i & 1u) << j;
        }
    }
}

static places no_places(const ll_layout *a) {
    places x = LL_ZERO;
    x.regs = a->in.bits[0];
    x.lanes = a->in.bits[1];
    x.n = bits_in(&a->in);
    return x;
}

/* The place of y in memory m, by trying: the columns of m are independent. */
static unsigned place_of(const ll_layout *m, unsigned y) {
    const ll_layout x = ll_inv(*m);
    return value(&x, y);
}

static state start_from(const pair *p, const ll_layout *m) {
    state s = LL_ZERO;
    s.n = bits_in(&m->in);
    memcpy(s.m, m->basis, s.n * sizeof *s.m);
    for (unsigned op = 0; op < SIDES; ++op) {
        const ll_layout *a = op == LL_WRITE ? &p->a : &p->b;
        s.side[op] = no_places(a);
        for (unsigned k = 0; k < s.side[op].n; ++k) {
            s.side[op].at[k] = place_of(m, a->basis[k]);
        }
    }
    return s;
}

static void move(state *s) {
    unsigned n = 1u + test_random(3);
    while (n--) {
        const unsigned i = test_random(s->n);
        const unsigned j = test_random(s->n);
        if (i != j) {
            add_bit(s, i, j);
            if (test_random(2)) { /* exchanges the bits */
                add_bit(s, j, i);
                add_bit(s, i, j);
            }
        }
    }
}

static state climb(const pair *p, state s, unsigned trials) {
    unsigned long long now = price(&s, p);
    for (unsigned k = 0; s.n > 1u && k < trials; ++k) {
        state next = s;
        move(&next);
        const unsigned long long then = price(&next, p);
        if (then <= now) {
            now = then;
            s = next;
        }
    }
    return s;
}

/* ---- The contest --------------------------------------------------------- */

/* The wavefronts of a plan, and below them its accesses, each as nine byte
 * permutes, and these. */
static unsigned long long paid(const ll_plan *q) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < q->n; ++k) {
        const ll_step *s = &q->step[k];
        const int access = s->op == LL_OP_STORE || s->op == LL_OP_LOAD;
        sum += (unsigned long long)(s->count * s->wavefronts) << 32;
        sum += access ? 9u * (s->count >> s->joined)
               : s->op == LL_OP_RENAME ? s->count : 0u;
    }
    return sum;
}

/* What ll_plan_through says about a memory. */
static unsigned long long judged(const pair *p, const ll_layout *m) {
    const ll_plan q = ll_plan_through(p->a, p->b, 8u << p->scale, p->t, *m);
    CHECK(!q.err);
    return paid(&q);
}

/* A plan may take more wavefronts than the fewest possible if it saves enough
 * byte permutes to be cheaper. */
static int permutes_less(const pair *p, const ll_plan *q) {
    const unsigned bits = 8u << p->scale;
    const ll_layout m = ll_swizzle(p->a, p->b, bits, p->t);
    const ll_plan r = ll_plan_through(p->a, p->b, bits, p->t, m);
    return !r.err && paid(q) >> 32 > q->fewest && q->cycles < r.cycles;
}

/* The bound that a plan carries is reached, and holds for every memory. */
static void check_bound(const pair *p, unsigned long long best) {
    const ll_plan q = ll_plan_by(p->a, p->b, 8u << p->scale, p->t, LL_SHARED);
    CHECK(!q.err);
    if (q.kind == LL_SHARED) {
        const int own = q.step[2].op == LL_OP_SYNC_WARP;
        CHECK(paid(&q) >> 32 == q.fewest || permutes_less(p, &q));
        CHECK(own || q.fewest <= best >> 32);
    }
}

typedef struct tally {
    unsigned pairs, beaten, by_count;
    double worst;
} tally;

static int show; /* print the pairs that are beaten */

static void show_pair(const pair *p, const ll_layout *m, const ll_layout *n,
                      unsigned long long x, unsigned long long y) {
    char text[4][400];
    ll_str(p->a, text[0], sizeof text[0]);
    ll_str(p->b, text[1], sizeof text[1]);
    ll_str(*m, text[2], sizeof text[2]);
    ll_str(*n, text[3], sizeof text[3]);
    printf("  %s, %u lanes of %u banks, %u bits: %llu+%llu > %llu+%llu\n"
           "    a %s\n    b %s\n    m %s\n    n %s\n",
           class_name[p->kind], p->t.lanes, p->t.banks[LL_READ][2],
           8u << p->scale, x >> 32, x & ~0u, y >> 32, y & ~0u, text[0],
           text[1], text[2], text[3]);
}

static void contest(const pair *p, unsigned trials, tally *sum) {
    const ll_layout m = ll_swizzle(p->a, p->b, 8u << p->scale, p->t);
    CHECK(!m.err && ll_is_invertible(m));
    if (m.err || !ll_is_invertible(m)) {
        return;
    }
    const unsigned long long ours = judged(p, &m);
    const state first = start_from(p, &m);
    CHECK(price(&first, p) >> 32 == ours >> 32);
    unsigned long long best = ours;
    ll_layout winner = m;
    for (unsigned round = 0; round < 4u; ++round) {
        state s = first;
        for (unsigned k = 0; round && s.n > 1u && k < 40u; ++k) {
            move(&s);
        }
        s = climb(p, s, trials / 4u);
        ll_layout n = m;
        memcpy(n.basis, s.m, s.n * sizeof *s.m);
        const unsigned long long theirs = judged(p, &n);
        CHECK(price(&s, p) >> 32 == theirs >> 32);
        if (theirs < best) {
            best = theirs;
            winner = n;
        }
    }
    const double ratio = (double)(ours >> 32) / (double)(best >> 32);
    ++sum->pairs;
    sum->beaten += best < ours;
    sum->by_count += best < ours && best >> 32 == ours >> 32;
    sum->worst = ratio > sum->worst ? ratio : sum->worst;
    check_bound(p, best);
    if (show && best < ours) {
        show_pair(p, &m, &winner, ours, best);
    }
}

static void contests(int amd) {
    const unsigned pairs = test.effort > 1u   ? test.effort
                           : test.effort == 1u ? 150u
                                               : 15u;
    const unsigned trials = test.effort > 1u ? 20000u : 1200u;
    for (unsigned kind = 0; kind < CLASSES; ++kind) {
        tally sum = LL_ZERO;
        for (unsigned k = 0; k < pairs; ++k) {
            const pair p = random_pair(kind, amd);
            contest(&p, trials, &sum);
        }
        printf("%s, %s: %u of %u pairs beaten, %u of these in accesses and "
               "permutes only, at worst %.2f times the wavefronts\n",
               amd ? "AMD" : "NVIDIA", class_name[kind], sum.beaten,
               sum.pairs, sum.by_count, sum.worst);
        /* ll_swizzle promises the wavefronts. */
        CHECK(sum.beaten == sum.by_count);
        CHECK(sum.by_count <= pairs / 50u);
    }
}

static void no_climb_beats_the_swizzle_on_nvidia(void) { contests(0); }
static void no_climb_beats_the_swizzle_on_amd(void) { contests(1); }

/* The climb is worth something: it leads from random memories to ones that
 * are as good as those of ll_swizzle. */
static void the_climb_finds_the_way(void) {
    unsigned worse = 0;
    unsigned same = 0;
    for (unsigned k = 0; k < times(300u); ++k) {
        const pair p = random_pair(test_random(CLASSES), 0);
        const ll_layout m = ll_swizzle(p.a, p.b, 8u << p.scale, p.t);
        const unsigned long long best = judged(&p, &m) >> 32;
        state s = start_from(&p, &m);
        for (unsigned n = 0; s.n > 1u && n < 40u; ++n) {
            move(&s);
        }
        worse += price(&s, &p) >> 32 > best;
        s = climb(&p, s, 3000);
        same += price(&s, &p) >> 32 == best;
    }
    COVERS(worse > times(150u) && same > times(120u));
}

/* ---- The parts of the search --------------------------------------------- */

/* A pair as the search sees it: with one number of warps. */
static pair side_by_side(pair p) {
    p.a = ll_hardware_(p.a);
    p.b = ll_with_warps_(ll_hardware_(p.b), &p.a);
    p.a = ll_with_warps_(p.a, &p.b);
    return p;
}

/* A pair of any class. One of three wants only a part of the tensor. */
static pair any_pair(unsigned k) {
    pair p = side_by_side(random_pair(k % CLASSES, k & 1u));
    const unsigned gone =
        k % 3u ? 0u : test_random(1u << bits_in(&p.b.out));
    for (unsigned n = 0; n < bits_in(&p.b.in); ++n) {
        p.b.basis[n] &= ~gone;
    }
    return p;
}

static unsigned long long price_of(const pair *p, const ll_layout *m) {
    const state s = start_from(p, m);
    return price(&s, p);
}

/* The wavefronts of a side by accesses of 2^v elements; 0 if memory does not
 * align them. */
static unsigned at_width(const places *x, unsigned v, unsigned scale,
                         unsigned op, const ll_target *t) {
    unsigned regs[MOST] = LL_ZERO;
    unsigned rank = 0;
    unsigned aligned = 1;
    for (unsigned k = 0; k < x->regs; ++k) {
        rank += keep(regs, x->at[k]);
    }
    for (unsigned k = x->regs; k < x->n; ++k) {
        aligned = aligned && (x->at[k] & ((1u << v) - 1u)) == 0;
    }
    for (unsigned k = 0; k < v; ++k) {
        aligned = aligned && !keep(regs, 1u << k);
    }
    return aligned ? waves(x, v, scale, op, t) << (rank - v) : 0u;
}

/* For any two widths that are possible, memory is found that costs what the
 * lower bound says: the bound is not too low. Any other memory that aligns
 * these widths costs as much or more: the bound is not too high. */
static unsigned check_widths(const pair *p, const ll_ends_ *e, ll_widths_ w) {
    const unsigned long long bound = ll_least_cost_(e, w, p->scale, &p->t);
    const ll_ground_ g = ll_ground_of_(e, w, p->scale, &p->t);
    const ll_layout m = ll_on_ground_(e, &g, w, p->scale, &p->t);
    const unsigned v[SIDES] = {w.op == 0 ? w.a : w.b, w.op == 0 ? w.b : w.a};
    unsigned others = 0;
    state s = start_from(p, &m);
    for (unsigned n = 0; n < 9u; ++n) {
        const unsigned one = at_width(&s.side[0], v[0], p->scale, 0, &p->t);
        const unsigned two = at_width(&s.side[1], v[1], p->scale, 1, &p->t);
        CHECK(n || one + two == bound >> 32);
        CHECK(n || (one && two));
        CHECK(!one || !two || one + two >= bound >> 32);
        others += n && one && two;
        if (s.n > 1u) {
            move(&s);
        }
    }
    return others;
}

static void the_bound_of_two_widths_is_reached(void) {
    unsigned others = 0;
    for (unsigned k = 0; k < times(12000u); ++k) {
        const pair p = any_pair(k);
        const ll_ends_ e = ll_ends_of_(&p.a, &p.b, p.scale, &p.t);
        const unsigned n = (e.end[0].most + 1u) * (e.end[1].most + 1u);
        for (unsigned pairs = 0; pairs < n; ++pairs) {
            const ll_widths_ w = ll_widths_of_(&e, pairs);
            others += w.b > e.common.n ? 0u : check_widths(&p, &e, w);
        }
    }
    COVERS(others > times(10000u));
}

/* The search of widths alone, without a bound on what it may cost, finds the
 * least of these bounds. */
static ll_best_memory_ all_widths(const pair *p) {
    ll_best_memory_ best = LL_ZERO;
    best.cost = best.worth = ~0ull;
    best.apart = 1;
    ll_try_widths_(&best, &p->a, &p->b, p->scale, &p->t);
    return best;
}

static void the_search_of_widths_reaches_its_bound(void) {
    for (unsigned k = 0; k < times(12000u); ++k) {
        const pair p = any_pair(k);
        const ll_best_memory_ best = all_widths(&p);
        CHECK(price_of(&p, &best.m) >> 32 == best.cost >> 32);
        CHECK(best.cost >> 32 == best.vectors >> 32);
    }
}

/* Layouts whose columns are single bits need no search of widths: the first
 * memories that are tried have no more wavefronts. (Paper, "Optimal
 * Swizzling".) */
static void plain_layouts_are_served_by_the_first_memories(void) {
    for (unsigned k = 0; k < times(20000u); ++k) {
        const pair p = side_by_side(random_pair(PLAIN, k & 1u));
        const ll_span_ ra = ll_span_of_columns_(&p.a, 0, p.a.in.bits[0]);
        const ll_span_ rb = ll_span_of_columns_(&p.b, 0, p.b.in.bits[0]);
        const ll_span_ common = ll_common_registers_(&ra, &rb, p.scale);
        ll_best_memory_ best =
            ll_best_memory_start_(&p.a, &p.b, &common, p.scale, &p.t);
        ll_try_vectors_(&best, &p.a, &p.b, common, p.scale, &p.t);
        CHECK(price_of(&p, &best.m) >> 32 == all_widths(&p).vectors >> 32);
    }
}

/* ---- Plans that may use matrices ----------------------------------------- */

static ll_target with_forms(const pair *p) {
    const unsigned which = test_random(2);
    return p->t.lanes == 32u ? which ? LL_SM90 : LL_SM100F
           : which           ? LL_GFX942
                             : LL_GFX950;
}

/* A plain pair of many registers. */
static pair of_many_registers(unsigned k) {
    pair p = random_pair(PLAIN, k & 1u);
    const unsigned lanes = ll_log2_(p.t.lanes);
    const unsigned tensor = lanes + 8u + test_random(3);
    const unsigned fast = test_random(tensor + 1u);
    const ll_shape out = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << fast),
                                 LL_I, 1u << (tensor - fast));
    p.a = random_side(tensor, lanes, PLAIN, out);
    p.b = random_side(tensor, lanes, PLAIN, out);
    return side_by_side(p);
}

/* The same in another order of the registers. */
static ll_layout reversed(ll_layout a) {
    const unsigned n = a.in.bits[0];
    for (unsigned k = 0; k < n / 2u; ++k) {
        const unsigned column = a.basis[k];
        a.basis[k] = a.basis[n - 1u - k];
        a.basis[n - 1u - k] = column;
    }
    return a;
}

static unsigned long long by_matrices(const pair *p) {
    const ll_span_ none = LL_ZERO;
    ll_best_memory_ best =
        ll_best_memory_start_(&p->a, &p->b, &none, p->scale, &p->t);
    best.both = 0;
    ll_try_matrices_(&best, &p->a, &p->b, LL_WRITE, p->scale, &p->t);
    ll_try_matrices_(&best, &p->b, &p->a, LL_READ, p->scale, &p->t);
    return best.cost;
}

/* Registers are taken in any order, so that it decides nothing where a register
 * is a word. The first memories reach the bound with many registers as well. */
static void the_order_of_many_registers_does_not_matter(void) {
    unsigned found = 0;
    for (unsigned k = 0; k < times(3000u); ++k) {
        pair p = of_many_registers(k);
        const ll_span_ ra = ll_span_of_columns_(&p.a, 0, p.a.in.bits[0]);
        const ll_span_ rb = ll_span_of_columns_(&p.b, 0, p.b.in.bits[0]);
        const ll_span_ common = ll_common_registers_(&ra, &rb, p.scale);
        ll_best_memory_ best =
            ll_best_memory_start_(&p.a, &p.b, &common, p.scale, &p.t);
        ll_try_vectors_(&best, &p.a, &p.b, common, p.scale, &p.t);
        CHECK(best.cost >> 32 == all_widths(&p).vectors >> 32);
        p.t = with_forms(&p);
        p.scale = 2;
        const unsigned long long cost = by_matrices(&p);
        found += cost != ~0ull;
        p.a = reversed(p.a);
        CHECK(by_matrices(&p) == cost);
        p.b = reversed(p.b);
        CHECK(by_matrices(&p) == cost);
    }
    COVERS(found > 100u);
}

/* Memory has a place for each element that the warps hold, and no other. */
static void memory_has_no_holes(void) {
    const ll_layout a = ll_parse("register: | lane: i0 j0 i2 i0 i1 | warp: j1");
    const ll_layout b =
        ll_parse("register: i2 i1 | lane: i2 j1 i2 0 j0 | warp: i0");
    CHECK(ll_plan_of(a, b, 8, LL_SM90).smem_bytes == 32u);
    CHECK(ll_plan_within(a, b, 8, LL_SM90, 32).err == LL_OK);
    for (unsigned k = 0; k < times(4000u); ++k) {
        const pair p = random_pair(test_random(CLASSES), k & 1u);
        const ll_plan q =
            ll_plan_by(p.a, p.b, 8u << p.scale, with_forms(&p), LL_SHARED);
        CHECK(!q.err);
        if (q.kind == LL_SHARED) {
            CHECK(q.smem_bytes == 1u << (bits_in(&p.a.out) + p.scale));
            CHECK(ll_is_invertible(q.memory));
        }
    }
}

/* Memory that each warp has to itself may order bytes in another way, which
 * can cost a byte permute more; it takes no more wavefronts. */
static void no_plan_costs_more_than_through_the_swizzle(void) {
    unsigned matrices = 0;
    for (unsigned k = 0; k < times(4000u); ++k) {
        const pair p = random_pair(test_random(CLASSES), k & 1u);
        const ll_target t = with_forms(&p);
        const unsigned bits = 8u << p.scale;
        const ll_layout m = ll_swizzle(p.a, p.b, bits, t);
        const ll_plan q = ll_plan_by(p.a, p.b, bits, t, LL_SHARED);
        const ll_plan r = ll_plan_through(p.a, p.b, bits, t, m);
        CHECK(!q.err && !r.err);
        const int own = q.n == 5u && q.step[2].op == LL_OP_SYNC_WARP;
        CHECK(q.cycles <= r.cycles || (own && paid(&q) <= paid(&r)));
        matrices += q.n == 5u && (q.step[1].form || q.step[3].form);
    }
    COVERS(matrices > times(50u));
}

/* No exchange of two of the four lowest columns of memory, where byte permutes
 * are decided, makes a plan cheaper. */
static void the_lowest_columns_have_their_best_order(void) {
    unsigned dearer = 0;
    for (unsigned k = 0; k < 4000u + times(8000u); ++k) { /* it is rare */
        pair p = random_pair(k % CLASSES, k & 1u);
        p.scale = test_random(2);
        p.t = with_forms(&p);
        const ll_plan q =
            ll_plan_by(p.a, p.b, 8u << p.scale, p.t, LL_SHARED);
        const int is_one = !q.err && q.kind == LL_SHARED &&
                           q.step[2].op == LL_OP_SYNC_BLOCK &&
                           q.step[4].flip == 0;
        const unsigned low = is_one ? bits_in(&q.memory.in) : 0u;
        for (unsigned i = 0; i < 4u && i < low; ++i) {
            for (unsigned j = 0; j < i; ++j) {
                ll_layout m = q.memory;
                m.basis[i] = q.memory.basis[j];
                m.basis[j] = q.memory.basis[i];
                const ll_plan r =
                    ll_plan_through(p.a, p.b, 8u << p.scale, p.t, m);
                CHECK(!r.err && r.cycles >= q.cycles);
                dearer += r.cycles > q.cycles;
            }
        }
    }
    COVERS(dearer > times(1000u));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    show = argc > 3;
    if (test.effort <= 1u) {
        RUN(the_climb_finds_the_way);
        RUN(memory_has_no_holes);
        RUN(no_plan_costs_more_than_through_the_swizzle);
    }
    RUN(no_climb_beats_the_swizzle_on_nvidia);
    RUN(no_climb_beats_the_swizzle_on_amd);
    if (test.effort <= 1u) {
        RUN(the_bound_of_two_widths_is_reached);
        RUN(the_search_of_widths_reaches_its_bound);
        RUN(plain_layouts_are_served_by_the_first_memories);
        RUN(the_lowest_columns_have_their_best_order);
        RUN(the_order_of_many_registers_does_not_matter);
    }
    return test_end();
}
