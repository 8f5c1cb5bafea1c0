/* test_swizzle.c - shared memory: counting, and the optimal swizzle.
 * SPDX-License-Identifier: MIT
 *
 * The oracle is enumeration: lanes, bytes, banks and phases are counted one by
 * one; on small tensors every memory layout there is competes with ll_swizzle.
 */
#include "machines.h"

/* The memory layout of the case, the places that a thread's registers have in
 * it, and the layout that this makes. */
typedef struct access_case {
    unsigned n, regs, lanes, warps; /* bits */
    unsigned scale;                 /* log2 of the bytes of an element */
    ll_layout x, m, a;
} access_case;

static access_case random_access(const ll_target *t, int affine) {
    access_case c = LL_ZERO;
    c.n = 5u + test_random(6);
    c.regs = test_random(5);
    c.lanes = ll_log2_(t->lanes);
    c.warps = test_random(2);
    c.scale = test_random(5);
    c.m = ll_zero(ll_with(ll_shape_of(""), LL_OFFSET, 1u << c.n),
                  ll_with(ll_shape_of("j=4"), LL_I, 1u << (c.n - 2u)));
    random_basis(c.m.basis, c.n, c.n);
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << c.regs);
    in = ll_with(ll_with(in, LL_LANE, t->lanes), LL_WARP, 1u << c.warps);
    c.x = ll_zero(in, c.m.in);
    unsigned vector = test_random(c.regs + 1u);
    unsigned columns = c.regs + c.lanes + c.warps;
    for (unsigned k = 0; k < columns; ++k) {
        unsigned y = test_random(1u << c.n) >> vector << vector;
        c.x.basis[k] = test_random(8) == 0 ? 0u : y;
        if (k < vector && test_random(16)) {
            c.x.basis[k] = 1u << k;
        }
    }
    for (unsigned k = 0; c.regs > 1u && k < c.regs; ++k) {
        unsigned p = test_random(c.regs);
        unsigned q = test_random(c.regs);
        c.x.basis[p] ^= p != q ? c.x.basis[q] : 0u;
    }
    c.m.offset = affine ? test_random(1u << c.n) : 0u;
    c.x.offset = affine ? test_random(1u << c.n) : 0u;
    c.a = ll_zero(in, c.m.out);
    c.a.offset = value(&c.m, c.x.offset);
    for (unsigned k = 0; k < columns; ++k) {
        c.a.basis[k] = value(&c.m, c.x.basis[k]) ^ c.m.offset;
    }
    return c;
}

/* Can the registers of every thread, in one order, make accesses of 2^v? */
static int can_access(const access_case *c, unsigned v) {
    unsigned threads = 1u << (c->lanes + c->warps);
    for (unsigned e = 0; e < 1u << v; ++e) {
        int found = 0;
        for (unsigned r = 0; !found && r < 1u << c->regs; ++r) {
            found = 1;
            for (unsigned p = 0; found && p < threads; ++p) {
                unsigned base = value(&c->x, p << c->regs);
                found = base % (1u << v) == 0 &&
                        value(&c->x, p << c->regs | r) == base + e;
            }
        }
        if (!found) {
            return 0;
        }
    }
    return 1;
}

static void check_access(const access_case *c, const ll_target *t,
                         unsigned bytes, int affine) {
    unsigned address[MAX_LANES];
    unsigned element = 1u << c->scale;
    unsigned v = ll_log2_(bytes) - c->scale;
    int can = bytes >= element && can_access(c, v);
    unsigned op = test_random(2);
    unsigned w = ll_wavefronts(c->a, c->m, 8u * element, bytes, op, *t);
    unsigned widest = ll_widest(c->a, c->m, 8u * element, bytes);
    if (!affine) {
        CHECK((widest == bytes) == can);
        CHECK((w != 0) == can);
    }
    if (w) {
        for (unsigned lane = 0; lane < t->lanes; ++lane) {
            unsigned x = value(&c->x, lane << c->regs) << c->scale;
            address[lane] = x & ~(bytes - 1u);
        }
        CHECK(w == served(address, bytes, op, t));
    }
}

static void wavefronts_are_what_enumeration_counts(void) {
    for (unsigned k = 0; k < times(6000u); ++k) {
        unsigned which = test_random(N_REAL + N_TINY);
        const ll_target t = which < N_REAL ? real_machine(which)
                                           : tiny_machine(which - N_REAL);
        int affine = test_random(4) == 0;
        const access_case c = random_access(&t, affine);
        for (unsigned bytes = 1; bytes <= 16u; bytes *= 2u) {
            check_access(&c, &t, bytes, affine);
        }
        CHECK(ll_wavefronts(c.a, c.m, 8u << c.scale, 3, LL_READ, t) == 0);
        CHECK(ll_wavefronts(c.a, c.m, 8u << c.scale, 32, LL_READ, t) == 0);
        CHECK(ll_wavefronts(c.a, c.m, 8u << c.scale, 4, 2, t) == 0);
        CHECK(ll_wavefronts(c.a, c.m, 24, 4, LL_READ, t) == 0);
    }
}

/* ---- Every memory layout of a small tensor ------------------------------- */

enum { MAX_MEMORIES = 20160, MAX_SIDES = 192, BITS = 4, SPACE = 16 };

static unsigned n_memories;
static unsigned char back[MAX_MEMORIES][SPACE]; /* element -> offset */
static unsigned n_sides;
static ll_layout side[MAX_SIDES];
static unsigned char price[OPS][MAX_SIDES][MAX_MEMORIES];

/* All invertible d x d matrices; kept is the inverse. */
static void all_memories(unsigned d) {
    n_memories = 0;
    for (unsigned code = 0; code < 1u << (d * d); ++code) {
        unsigned char to[SPACE] = LL_ZERO;
        unsigned char from[SPACE] = LL_ZERO;
        unsigned hit = 0;
        for (unsigned x = 0; x < 1u << d; ++x) {
            for (unsigned k = 0; k < d; ++k) {
                unsigned column = code >> (d * k) & ((1u << d) - 1u);
                to[x] = (unsigned char)(to[x] ^ (x >> k & 1u ? column : 0u));
            }
            hit |= 1u << to[x];
            from[to[x]] = (unsigned char)x;
        }
        if (hit == (1u << (1u << d)) - 1u) {
            memcpy(back[n_memories++], from, sizeof from);
        }
    }
}

static void add_side(unsigned d, unsigned regs, unsigned lanes,
                     unsigned warps, const unsigned *column) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    side[n_sides] =
        ll_zero(in, ll_with(ll_shape_of("j=2"), LL_I, 1u << (d - 1u)));
    for (unsigned k = 0; k < regs + lanes + warps; ++k) {
        side[n_sides].basis[k] = column[k];
    }
    ++n_sides;
}

/* The columns of a distributed layout from a code: to each of d bits belongs a
 * digit that says where it goes; copies stand in registers and warps. */
static void side_of_code(unsigned d, unsigned lanes, unsigned code) {
    unsigned column[12] = LL_ZERO;
    unsigned lane[2] = LL_ZERO;
    unsigned n = test_random(3) == 0 ? 1u : 0u;
    for (unsigned part = 0; part < 2u; ++part) {
        unsigned rest = code;
        for (unsigned bit = 0; bit < d; ++bit, rest /= 2u + lanes) {
            unsigned where = rest % (2u + lanes);
            if (where < 2u && where == part) {
                column[n++] = 1u << bit;
            } else if (where >= 2u && lane[where - 2u] == 0) {
                lane[where - 2u] = 1u << bit;
            } else if (where >= 2u && lane[where - 2u] != 1u << bit) {
                return; /* two bits for one bit of the lane */
            }
        }
        if (part == 0) {
            column[10] = n; /* registers */
            column[n] = lane[0];
            column[n + lanes - 1u] = lane[lanes - 1u];
            n += lanes;
        }
    }
    unsigned regs = column[10];
    n += test_random(3) == 0 ? 1u : 0u;
    column[10] = 0;
    add_side(d, regs, lanes, n - regs - lanes, column);
}

static void all_sides(unsigned d, unsigned lanes, unsigned unlike) {
    unsigned codes = 1;
    for (unsigned k = 0; k < d; ++k) {
        codes *= 2u + lanes;
    }
    n_sides = 0;
    for (unsigned code = 0; code < codes; ++code) {
        side_of_code(d, lanes, code);
    }
    for (unsigned k = 0; k < unlike; ++k) {
        unsigned basis[BITS];
        side[n_sides] = side[test_random(n_sides)];
        random_basis(basis, d, d);
        twist(&side[n_sides], basis, d);
        ++n_sides;
    }
}

/* The wavefronts of all accesses of a warp, at the best width. `places` is the
 * set of the offsets of a lane's registers, `others` the OR of all columns of
 * lanes and warps. */
static unsigned best_width(unsigned places, const unsigned *lane,
                           unsigned others, unsigned scale, unsigned op,
                           const ll_target *t) {
    unsigned address[MAX_LANES] = LL_ZERO;
    unsigned best = ~0u;
    unsigned elements = ll_popcount_(places);
    for (unsigned l = 0; l < t->lanes; ++l) {
        address[l] = ((l & 1u ? lane[0] : 0u) ^ (l & 2u ? lane[1] : 0u))
                     << scale;
    }
    for (unsigned v = 0; v + scale <= 4u; ++v) {
        unsigned run = 1u << v;
        if (run > 16u || (run < 16u && others & (run - 1u)) ||
            (~places & ((1u << run) - 1u))) {
            break;
        }
        unsigned w = served(address, run << scale, op, t) * elements / run;
        best = w < best ? w : best;
    }
    return best;
}

/* What a side costs with a memory. Costs are kept: those of a side depend on
 * few things, which are found again and again. */
static unsigned char memo[OPS][5][SPACE][SPACE][128];
static unsigned short set_of[128];

static unsigned set_index(unsigned places) {
    unsigned k = 0;
    while (set_of[k] && set_of[k] != places) {
        ++k;
    }
    set_of[k] = (unsigned short)places;
    return k;
}

static unsigned cost(const ll_layout *a, const unsigned char *to_offset,
                     unsigned scale, unsigned op, const ll_target *t) {
    unsigned regs = a->in.bits[0];
    unsigned n = regs + a->in.bits[1] + a->in.bits[2];
    unsigned lane[2] = LL_ZERO;
    unsigned others = 0;
    unsigned places = 1;
    for (unsigned k = 0; k < regs; ++k) {
        unsigned more = 0;
        for (unsigned p = 0; p < SPACE; ++p) {
            more |= places >> p & 1u
                        ? 1u << (p ^ to_offset[a->basis[k]])
                        : 0u;
        }
        places |= more;
    }
    for (unsigned k = regs; k < n; ++k) {
        others |= to_offset[a->basis[k]];
        if (k - regs < a->in.bits[1]) {
            lane[k - regs] = to_offset[a->basis[k]];
        }
    }
    unsigned low = 0;
    while (low < 4u && !(others >> low & 1u)) {
        ++low;
    }
    unsigned char *at =
        &memo[op][low][lane[0]][lane[1]][set_index(places)];
    if (*at == 0) {
        *at = (unsigned char)best_width(places, lane, others, scale, op, t);
    }
    return *at;
}

static void price_all(unsigned scale, const ll_target *t) {
    memset(memo, 0, sizeof memo);
    for (unsigned op = 0; op < OPS; ++op) {
        for (unsigned s = 0; s < n_sides; ++s) {
            for (unsigned m = 0; m < n_memories; ++m) {
                price[op][s][m] = (unsigned char)cost(&side[s], back[m],
                                                      scale, op, t);
            }
        }
    }
}

static unsigned minimum(unsigned from, unsigned to) {
    unsigned best = ~0u;
    for (unsigned m = 0; m < n_memories; ++m) {
        unsigned both = (unsigned)price[LL_WRITE][from][m] +
                        (unsigned)price[LL_READ][to][m];
        best = both < best ? both : best;
    }
    return best;
}

static void show_pair(const ll_layout *a, const ll_layout *b,
                      const ll_layout *m, unsigned found, unsigned best,
                      unsigned scale, unsigned tiny) {
    char text[3][200];
    ll_str(*a, text[0], sizeof text[0]);
    ll_str(*b, text[1], sizeof text[1]);
    ll_str(*m, text[2], sizeof text[2]);
    printf("  machine %u, %u bytes: %s\n   -> %s\n   by %s: %u, best %u\n",
           tiny, 1u << scale, text[0], text[1], text[2], found, best);
}

/* Is the memory that ll_swizzle finds as good as the best one? */
static int is_optimal(ll_layout a, ll_layout b, unsigned best, unsigned d,
                      unsigned scale, unsigned tiny, int show) {
    const ll_target t = tiny_machine(tiny);
    unsigned char inverse[SPACE] = LL_ZERO;
    const ll_layout m = ll_swizzle(a, b, 8u << scale, t);
    unsigned hit = 0;
    CHECK(!m.err && bits_in(&m.in) == d);
    for (unsigned x = 0; !m.err && x < 1u << d; ++x) {
        unsigned y = value(&m, x);
        hit |= 1u << (y & 15u);
        inverse[y & 15u] = (unsigned char)x;
    }
    CHECK(hit == (1u << (1u << d)) - 1u);
    unsigned found = cost(&a, inverse, scale, LL_WRITE, &t) +
                     cost(&b, inverse, scale, LL_READ, &t);
    CHECK(found >= best);
    if (found != best && show) {
        show_pair(&a, &b, &m, found, best, scale, tiny);
    }
    return found == best;
}

/* One pair: both may be renamed alike, which changes no cost. */
static void check_optimal(unsigned k, unsigned d, unsigned scale,
                          unsigned tiny) {
    unsigned basis[BITS];
    ll_layout a = side[k / n_sides];
    ll_layout b = side[k % n_sides];
    unsigned best = minimum(k / n_sides, k % n_sides);
    if (test_random(2)) {
        random_basis(basis, d, d);
        twist(&a, basis, d);
        twist(&b, basis, d);
    }
    CHECK(is_optimal(a, b, best, d, scale, tiny, test.here < 3u));
}

/* A short search takes one element size for each machine. */
static int is_left_out(unsigned scale, unsigned tiny) {
    return test.effort == 0 && scale != tiny % 4u;
}

static void try_memories(unsigned d, unsigned pairs, unsigned tiny) {
    const ll_target t = tiny_machine(tiny);
    all_sides(d, ll_log2_(t.lanes), 0);
    for (unsigned scale = 0; scale < 4u; ++scale) {
        if (is_left_out(scale, tiny)) {
            continue;
        }
        price_all(scale, &t);
        for (unsigned k = 0; k < n_sides * n_sides; ++k) {
            if (pairs >= n_sides * n_sides ||
                test_random(n_sides * n_sides) < pairs) {
                check_optimal(k, d, scale, tiny);
            }
        }
    }
}

static void swizzle_beats_all_memories_of_8_elements(void) {
    all_memories(3);
    CHECK(n_memories == 168u);
    for (unsigned tiny = 0; tiny < N_TINY; ++tiny) {
        try_memories(3, tiny == MERGES ? 0u : ~0u, tiny);
    }
}

static void swizzle_beats_all_memories_of_16_elements(void) {
    const unsigned pairs = test.effort > 1u ? ~0u : times(600u);
    all_memories(4);
    CHECK(n_memories == 20160u);
    for (unsigned tiny = 0; tiny < N_TINY; ++tiny) {
        try_memories(4, tiny == MERGES ? 0u : pairs, tiny);
    }
}

static void swizzle_beats_all_memories_where_reads_merge(void) {
    all_memories(3);
    try_memories(3, ~0u, MERGES);
    all_memories(4);
    try_memories(4, test.effort > 1u ? ~0u : times(600u), MERGES);
}

/* Two sides that no renaming makes distributed at once: the best memory of all,
 * too. */
static void swizzle_of_unlike_layouts_is_the_best(void) {
    const unsigned unlike = times(40u);
    all_memories(4);
    for (unsigned tiny = 0; tiny < N_TINY; ++tiny) {
        const ll_target t = tiny_machine(tiny);
        all_sides(4, ll_log2_(t.lanes), unlike);
        for (unsigned scale = 0; scale < 4u; ++scale) {
            if (is_left_out(scale, tiny)) {
                continue;
            }
            price_all(scale, &t);
            for (unsigned k = 0; k < times(150u); ++k) {
                const unsigned from = n_sides - 1u - test_random(unlike);
                const unsigned to = test_random(n_sides);
                CHECK(is_optimal(side[from], side[to], minimum(from, to), 4,
                                 scale, tiny, test.here < 3u));
            }
        }
    }
}

/* ---- Large tensors ------------------------------------------------------- */

/* log2 of the elements that a lane of a and a lane of b have in common. */
static unsigned common_registers(const ll_layout *a, const ll_layout *b) {
    static unsigned char mark[1 << 17];
    unsigned count = 0;
    memset(mark, 0, sizeof mark);
    for (unsigned x = 0; x < 1u << a->in.bits[0]; ++x) {
        mark[value(a, x)] = 1;
    }
    for (unsigned x = 0; x < 1u << b->in.bits[0]; ++x) {
        unsigned y = value(b, x);
        count += mark[y] == 1u ? 1u : 0u;
        mark[y] = mark[y] ? 2u : 0u;
    }
    return ll_log2_(count);
}

/* Is b conflict-free and not dearer than accesses of `bytes` without any? */
static unsigned free_cost(const ll_step *s, unsigned scale, unsigned bytes,
                          const ll_target *t) {
    unsigned op = s->op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    unsigned address[MAX_LANES];
    unsigned phase[MAX_LANES];
    for (unsigned lane = 0; lane < t->lanes; ++lane) {
        address[lane] = ll_map_at(s->thread, lane);
    }
    unsigned n = phase_of_zero(address, bytes, op, t, phase);
    return t->lanes / n * ((1u << (s->at.n + scale)) / bytes);
}

static unsigned paid(const ll_step *s) {
    return s->wavefronts << (s->at.n - s->at.vector);
}

static void check_bound(const random_pair *c, unsigned scale,
                        const ll_target *t) {
    const ll_plan p = ll_plan_by(c->a, c->b, 8u << scale, *t, LL_SHARED);
    CHECK(p.err == LL_OK);
    if (p.err || p.kind != LL_SHARED) {
        return;
    }
    CHECK(p.memory.in.n == 1u && p.memory.in.dim[0] == LL_OFFSET);
    CHECK(p.memory.in.bits[0] == c->tensor);
    CHECK(p.smem_bytes == 1u << (c->tensor + scale));
    CHECK(ll_is_injective(p.memory));
    unsigned bytes = 1u << (common_registers(&c->a, &c->b) + scale);
    bytes = bytes > 16u ? 16u : bytes;
    if (bytes >= 4u) {
        unsigned cost_now = paid(&p.step[1]) + paid(&p.step[3]);
        unsigned bound = free_cost(&p.step[1], scale, bytes, t) +
                         free_cost(&p.step[3], scale, bytes, t);
        CHECK(cost_now <= bound);
        CHECK(ll_conflicts(p) == 0 || p.step[1].bytes > bytes ||
              p.step[3].bytes > bytes); /* wider, so cheaper all the same */
    }
    const ll_layout m = ll_swizzle(c->a, c->b, 8u << scale, *t);
    CHECK(p.step[2].op == LL_OP_SYNC_WARP || p.step[1].form ||
          p.step[3].form || ll_is_equal(m, p.memory));
}

static void swizzle_meets_bound(void) {
    for (unsigned k = 0; k < times(4000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        unsigned lanes = ll_log2_(t.lanes);
        unsigned tensor = lanes + test_random(16u - lanes);
        const random_pair c =
            random_conversion(lanes, tensor, 12, 3u * test_random(2));
        check_bound(&c, test_random(5), &t);
    }
}

/* A memory made for one side alone has no conflicts there. */
static void swizzle_for_one_side_has_no_conflicts(void) {
    for (unsigned k = 0; k < times(600u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        unsigned lanes = ll_log2_(t.lanes);
        const random_pair c =
            random_conversion(lanes, lanes + test_random(6), 12, 3);
        const ll_layout m = ll_swizzle(c.a, c.a, 32, t);
        unsigned bytes = ll_widest(c.a, m, 32, 16);
        unsigned address[MAX_LANES] = LL_ZERO;
        unsigned phase[MAX_LANES];
        for (unsigned lane = 0; lane < t.lanes; ++lane) {
            address[lane] = value(&c.a, packed(&c.a.in, 0, lane, t.lanes, 0));
        }
        for (unsigned op = 0; op < OPS; ++op) {
            unsigned n = phase_of_zero(address, bytes, op, &t, phase);
            CHECK(ll_wavefronts(c.a, m, 32, bytes, op, t) == t.lanes / n);
        }
    }
}

/* What a caller may leave as it is: the order of inputs and outputs, the matrix
 * accesses of the target, warps of one side only. Blocks must not exchange
 * data. */
static void a_swizzle_is_asked_for_in_any_order(void) {
    const ll_target t = LL_SM90;
    const ll_layout a = L("register: j0 j1 i3 | lane: j2 i0 i1 i2 j3 | "
                          "warp: i4");
    const ll_layout b = L("register: j0 i0 i4 | lane: i1 i2 i3 j1 j2 | "
                          "warp: j3");
    for (unsigned bits = 4; bits <= 64u; bits *= 2u) {
        const ll_layout m = ll_swizzle(a, b, bits, t);
        CHECK(m.err == LL_OK);
        CHECK(ll_is_equal(m, ll_swizzle(ll_order_in(a, "warp lane register"),
                                        ll_order_in(b, "lane register warp"),
                                        bits, t)));
        CHECK(ll_is_equal(m, ll_swizzle(a, ll_order_out(b, "i j"), bits, t)));
    }
    const ll_layout more = L("register: j0 j1 | lane: j2 i0 i1 i2 j3 | "
                             "block: i4");
    const ll_layout less = L("register: j0 j1 i4 | lane: j2 i0 i1 i2 j3");
    CHECK(ll_swizzle(more, less, 32, t).err == LL_EBLOCK);
    CHECK(ll_swizzle(less, more, 32, t).err == LL_EBLOCK);
    CHECK(ll_swizzle(more, more, 32, t).err == LL_OK);
    unsigned forms_found = 0;
    for (unsigned k = 0; k < times(200u); ++k) {
        const ll_target with = real_machine(6u + test_random(3));
        const ll_target none = ll_without_forms_(
            ll_without_forms_(with, LL_READ), LL_WRITE);
        const unsigned lanes = ll_log2_(with.lanes);
        const unsigned bits = 8u << test_random(3);
        const random_pair c =
            random_conversion(lanes, lanes + 2u + test_random(4), 6, 0);
        const ll_layout m = ll_swizzle(c.a, c.b, bits, with);
        CHECK(m.err || ll_is_equal(m, ll_swizzle(c.a, c.b, bits, none)));
        const ll_plan p = ll_plan_by(c.a, c.b, bits, with, LL_SHARED);
        forms_found += p.step[1].form || p.step[3].form;
    }
    COVERS(forms_found > 20u);
}

/* Where both sides access memory alike and no bank is short, memory follows the
 * lanes of the stores. */
static void memory_follows_the_lanes_of_the_stores(void) {
    const ll_layout a = L("register: j0 | lane: j1 j2 j3 i0 i1");
    const ll_layout b = L("register: j0 | lane: i1 i0 j3 j2 j1");
    CHECK(ll_is_equal(ll_swizzle(a, b, 16, LL_SM90),
                      L("offset: j0 j1 j2 j3 i0 i1")));
    CHECK(ll_is_equal(ll_swizzle(b, a, 16, LL_SM90),
                      L("offset: j0 i1 i0 j3 j2 j1")));
}

/* A tensor of 2^32 elements, which is the largest: each has its place. */
static void memory_of_32_bits_is_invertible(void) {
    ll_layout a = ll_zero(ll_shape_of("lane=32 warp=1"), ll_shape_of("j=1"));
    a.in.bits[1] = 27;
    a.out.bits[0] = 32;
    ll_layout b = a;
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
        b.basis[k] = 1u << (31u - k);
    }
    const ll_layout m = ll_swizzle(a, b, 8, LL_SM90);
    CHECK(m.err == LL_OK && ll_is_invertible(m) && m.offset == 0);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(wavefronts_are_what_enumeration_counts);
    RUN(swizzle_beats_all_memories_of_8_elements);
    RUN(swizzle_beats_all_memories_of_16_elements);
    RUN(swizzle_beats_all_memories_where_reads_merge);
    RUN(swizzle_of_unlike_layouts_is_the_best);
    RUN(swizzle_meets_bound);
    RUN(swizzle_for_one_side_has_no_conflicts);
    RUN(a_swizzle_is_asked_for_in_any_order);
    RUN(memory_follows_the_lanes_of_the_stores);
    RUN(memory_of_32_bits_is_invertible);
    return test_end();
}
