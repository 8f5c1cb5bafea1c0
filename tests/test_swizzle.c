/* test_swizzle.c - shared memory: counting, the optimal swizzle, and plans.
 * SPDX-License-Identifier: MIT
 *
 * The oracle is enumeration: lanes, bytes, banks and phases are counted one by
 * one; on small tensors every memory layout there is competes with ll_swizzle;
 * plans are executed on arrays.
 */
#include "test.h"

#include "../ll.h"

enum { OPS = 2, WIDTHS = 3, MAX_LANES = 64 };

/* The value of a layout at a packed input, by its definition. */
static unsigned value(const ll_layout *a, unsigned x) {
    unsigned y = a->offset;
    for (unsigned k = 0; k < 32u; ++k) {
        y ^= x >> k & 1u ? a->basis[k] : 0u;
    }
    return y;
}

static unsigned bits_in(const ll_shape *s) {
    unsigned n = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        n += s->bits[k];
    }
    return n;
}

/* The packed word of a shape with dimension d equal to x, by definition. */
static unsigned placed(const ll_shape *s, ll_dim d, unsigned x) {
    unsigned at = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return x << at;
        }
        at += s->bits[k];
    }
    return 0;
}

static unsigned held_bits(const ll_shape *s, ll_dim d) {
    for (unsigned k = 0; k < s->n; ++k) {
        if (s->dim[k] == d) {
            return s->bits[k];
        }
    }
    return 0;
}

/* ---- Machines ------------------------------------------------------------ */

typedef struct phases {
    unsigned vector[WIDTHS][6];
} phases;

static ll_target machine(unsigned lanes, unsigned banks, unsigned merge,
                         phases read, phases write) {
    ll_target t = LL_ZERO;
    t.lanes = lanes;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.merge = merge;
    for (unsigned w = 0; w < WIDTHS; ++w) {
        t.banks[LL_READ][w] = banks;
        t.banks[LL_WRITE][w] = banks;
        for (unsigned k = 0; k < 6u; ++k) {
            t.phase[LL_READ][w][k] = read.vector[w][k];
            t.phase[LL_WRITE][w][k] = write.vector[w][k];
        }
    }
    return t;
}

static const phases p32 = {{{1, 2, 4, 8, 16, 0}, {1, 2, 4, 8, 0, 0},
                            {1, 2, 4, 0, 0, 0}}};
static const phases p32_20 = {{{1, 2, 4, 8, 16, 0}, {1, 2, 4, 8, 0, 0},
                               {1, 2, 20, 0, 0, 0}}};
static const phases p32_16 = {{{1, 2, 4, 8, 16, 0}, {1, 2, 4, 8, 0, 0},
                               {1, 2, 16, 0, 0, 0}}};
static const phases p64_12 = {{{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 0},
                               {1, 2, 12, 20, 0, 0}}};
static const phases p64_8 = {{{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 0},
                              {1, 2, 8, 16, 0, 0}}};
static const phases p4 = {{{1, 2, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0},
                           {0, 0, 0, 0, 0, 0}}};
static const phases p4_3 = {{{1, 2, 0, 0, 0, 0}, {3, 0, 0, 0, 0, 0},
                             {0, 0, 0, 0, 0, 0}}};
static const phases p2 = {{{1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0},
                           {0, 0, 0, 0, 0, 0}}};

/* The machine, whose side op meets another number of banks. */
static ll_target split(ll_target t, unsigned op, unsigned banks) {
    for (unsigned w = 0; w < WIDTHS; ++w) {
        t.banks[op][w] = banks;
    }
    return t;
}

enum { N_REAL = 7, N_TINY = 7, MERGES = 3 };

static ll_target with_matrices(ll_target t) {
    t.forms[LL_READ] = t.forms[LL_WRITE] = 7;
    return t;
}

static ll_target real_machine(unsigned k) {
    return k == 0   ? machine(32, 32, 3, p32, p32)
           : k == 6 ? with_matrices(machine(32, 32, 3, p32, p32))
           : k == 1 ? machine(64, 32, 0, p32_20, p32)
           : k == 2 ? machine(64, 64, 0, p64_12, p64_8)
           : k == 3 ? machine(64, 64, 0, p64_8, p64_12)
           : k == 5 ? split(machine(64, 64, 0, p64_12, p32), LL_WRITE, 32)
                    : machine(64, 32, 0, p32_16, p32_20);
}

static ll_target tiny_machine(unsigned k) {
    return k == 0   ? machine(4, 4, 0, p4, p4)
           : k == 1 ? machine(2, 2, 0, p2, p2)
           : k == 2 ? machine(4, 2, 0, p2, p2)
           : k == 3 ? machine(4, 4, 1, p4, p4)
           : k == 5 ? split(machine(4, 4, 0, p4, p2), LL_WRITE, 2)
           : k == 6 ? split(machine(4, 4, 0, p2, p4), LL_READ, 2)
                    : machine(4, 4, 0, p4_3, p4);
}

/* ---- Counting wavefronts ------------------------------------------------- */

/* The most distinct words that one bank is asked for by some lanes. */
static unsigned worst_bank(const unsigned *address, const unsigned *lane,
                           unsigned n, unsigned bytes, unsigned op,
                           const ll_target *t) {
    const unsigned banks =
        t->banks[op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned word[MAX_LANES * 16];
    unsigned asked[64] = LL_ZERO;
    unsigned words = 0;
    unsigned worst = 0;
    for (unsigned k = 0; k < n; ++k) {
        for (unsigned b = 0; b < bytes; ++b) {
            unsigned w = (address[lane[k]] + b) / t->bank_bytes;
            unsigned seen = 0;
            while (seen < words && word[seen] != w) {
                ++seen;
            }
            if (seen == words) {
                word[words++] = w;
                unsigned now = ++asked[w % banks];
                worst = now > worst ? now : worst;
            }
        }
    }
    return worst;
}

/* The lanes of the phase that lane 0 belongs to. */
static unsigned phase_of_zero(const unsigned *address, unsigned bytes,
                              unsigned op, const ll_target *t,
                              unsigned *lane) {
    const unsigned *basis = t->phase[op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned n = 1;
    lane[0] = 0;
    for (unsigned k = 0; k < 6u && basis[k]; ++k) {
        for (unsigned m = 0; m < n; ++m) {
            lane[n + m] = lane[m] ^ basis[k];
        }
        n *= 2u;
    }
    int merges = 0;
    for (unsigned k = 0; op == LL_READ && bytes > 4u && k < 6u; ++k) {
        merges |= (t->merge >> k & 1u) && address[1u << k] == address[0];
    }
    for (unsigned m = 0; merges && n < t->lanes && m < n; ++m) {
        lane[n + m] = lane[m] + n;
    }
    return merges && n < t->lanes ? 2u * n : n;
}

/* The wavefronts of one access: the phases are served one after another. */
static unsigned served(const unsigned *address, unsigned bytes, unsigned op,
                       const ll_target *t) {
    unsigned phase[MAX_LANES];
    unsigned member[MAX_LANES];
    unsigned char done[MAX_LANES] = LL_ZERO;
    unsigned n = phase_of_zero(address, bytes, op, t, phase);
    unsigned sum = 0;
    for (unsigned lane = 0; lane < t->lanes; ++lane) {
        for (unsigned k = 0; !done[lane] && k < n; ++k) {
            member[k] = lane ^ phase[k];
        }
        sum += done[lane] ? 0u : worst_bank(address, member, n, bytes, op, t);
        for (unsigned k = 0; k < n; ++k) {
            done[lane ^ phase[k]] = 1;
        }
    }
    return sum;
}

/* A random matrix with n columns of `bits` bits that are independent. */
static void random_basis(unsigned *column, unsigned n, unsigned bits) {
    for (unsigned k = 0; k < n; ++k) {
        column[k] = 1u << k;
    }
    for (unsigned k = 0; k < n; ++k) {
        unsigned m = k + test_random(bits - k);
        unsigned swap = column[k];
        column[k] = m < n ? column[m] : 1u << m;
        if (m < n) {
            column[m] = swap;
        }
    }
    for (unsigned round = 0; n > 1u && round < 3u * n; ++round) {
        unsigned p = test_random(n);
        unsigned q = test_random(n);
        column[p] ^= p != q ? column[q] : 0u;
    }
}

/* The elements renamed by a matrix: a distributed layout becomes a general
 * one. */
static void twist(ll_layout *a, const unsigned *basis, unsigned n) {
    for (unsigned k = 0; k < 32u; ++k) {
        unsigned y = a->basis[k] >> n << n;
        for (unsigned bit = 0; bit < n; ++bit) {
            y ^= a->basis[k] >> bit & 1u ? basis[bit] : 0u;
        }
        a->basis[k] = y;
    }
}

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
    for (unsigned k = 0; k < 6000u * test.effort; ++k) {
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
    unsigned elements = ll_count_(places);
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

static void try_memories(unsigned d, unsigned pairs, unsigned tiny) {
    const ll_target t = tiny_machine(tiny);
    all_sides(d, ll_log2_(t.lanes), 0);
    for (unsigned scale = 0; scale < 4u; ++scale) {
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
    unsigned pairs = test.effort > 1u ? ~0u : 600u;
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
    try_memories(4, test.effort > 1u ? ~0u : 600u, MERGES);
}

/* Two sides that no renaming makes distributed at once: there is a memory for
 * each side, and most often ll_swizzle finds the best one for both. */
static void swizzle_of_unlike_layouts_is_mostly_the_best(void) {
    unsigned good = 0;
    unsigned all = 0;
    all_memories(4);
    for (unsigned tiny = 0; tiny < N_TINY; ++tiny) {
        const ll_target t = tiny_machine(tiny);
        all_sides(4, ll_log2_(t.lanes), 40);
        for (unsigned k = 0; k < 600u * test.effort; ++k, ++all) {
            unsigned scale = k / (150u * test.effort);
            if (k % (150u * test.effort) == 0) {
                price_all(scale, &t);
            }
            unsigned from = n_sides - 1u - test_random(40);
            unsigned to = test_random(n_sides);
            good += is_optimal(side[from], side[to], minimum(from, to), 4,
                               scale, tiny, 0)
                        ? 1u
                        : 0u;
        }
    }
    CHECK(4u * good > 3u * all);
}

/* ---- Plans, executed ----------------------------------------------------- */

enum { MAX_VALUES = 1 << 16 };

static unsigned before[MAX_VALUES]; /* thread * registers + register */
static unsigned after[MAX_VALUES];
static unsigned memory[MAX_VALUES];
static unsigned writer[MAX_VALUES]; /* the warp */
static unsigned forms[LL_MAX_FORMS]; /* accesses of each form that were run */
static unsigned before_bits;         /* log2 of the positions in `before` */

static unsigned packed(const ll_shape *s, unsigned reg, unsigned thread,
                       unsigned lanes, unsigned block) {
    return placed(s, LL_REGISTER, reg) | placed(s, LL_LANE, thread % lanes) |
           placed(s, LL_WARP,
                  thread / lanes & ((1u << held_bits(s, LL_WARP)) - 1u)) |
           placed(s, LL_BLOCK, block);
}

/* The byte address that a matrix access takes for a position of a thread, by
 * the manual: lane 8q + r tells where row r of matrix q is; word q of lane l is
 * bytes 4 (l % 4) of row l / 4, or, transposed, element l / 4 of rows
 * 2 (l % 4) and the next one. */
static unsigned matrix_address(const ll_step *s, const ll_plan *p,
                               unsigned thread, unsigned position) {
    const unsigned lane = thread % 32u;
    const unsigned in_word = position & ((1u << s->pack) - 1u);
    const unsigned q = (position & ((1u << s->at.vector) - 1u)) >> s->pack;
    const unsigned group = position >> s->at.vector << s->at.vector;
    const unsigned trans = s->form == LL_FORM_TRANS;
    const unsigned row = trans ? lane % 4u * 2u + in_word : lane / 4u;
    const unsigned at = trans ? lane / 4u * 2u
                              : lane % 4u * 4u + in_word * p->element_bits / 8u;
    const unsigned who = thread - lane + 8u * q + row;
    const unsigned place = ll_places(&s->at, group);
    const unsigned first = ll_map_at(s->thread, who) ^ place;
    CHECK(first ==
          (ll_map_at(s->thread, who) ^ (place & s->touched)) +
              (place & ~s->touched));
    CHECK(first % 16u == 0);
    CHECK(s->bytes == 4u << (s->at.vector - s->pack));
    return first + at;
}

/* The address of a position, checked: aligned, within the memory, and split
 * between thread and register as `touched` promises. */
static unsigned address_of(const ll_step *s, const ll_plan *p,
                           unsigned thread, unsigned position) {
    if (s->form != LL_FORM_VECTOR) {
        const unsigned byte = matrix_address(s, p, thread, position);
        CHECK(byte + p->element_bits / 8u <= p->smem_bytes);
        return byte / (p->element_bits / 8u) % MAX_VALUES;
    }
    unsigned base = ll_map_at(s->thread, thread);
    unsigned place = ll_places(&s->at, position);
    unsigned address = base ^ place;
    unsigned run = (1u << s->at.vector) - 1u;
    unsigned element = p->element_bits / 8u;
    unsigned first = base ^ ll_places(&s->at, position & ~run);
    CHECK(address == (base ^ (place & s->touched)) + (place & ~s->touched));
    CHECK(first % s->bytes == 0);
    CHECK(address == first + (position & run) * element);
    CHECK(address + element <= p->smem_bytes);
    CHECK(address / element < MAX_VALUES);
    return address / element % MAX_VALUES;
}

/* The positions of all threads before a step, and after it. */
static unsigned held_before(unsigned thread, unsigned position) {
    return before[(thread << before_bits) + position];
}

static void run_store(const ll_plan *p, const ll_step *s, unsigned threads,
                      unsigned lanes) {
    for (unsigned k = 0; k < MAX_VALUES; ++k) {
        memory[k] = ~0u;
    }
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned k = 0; k < 1u << s->at.n; ++k) {
            unsigned at = address_of(s, p, thread, k);
            if (!(thread & s->at.spare)) {
                CHECK(memory[at] == ~0u); /* stored once */
                memory[at] = held_before(thread, k);
                writer[at] = thread / lanes;
            }
        }
    }
}

static void run_load(const ll_plan *p, const ll_step *s, unsigned threads,
                     unsigned lanes, int own_warp) {
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned k = 0; k < 1u << s->at.n; ++k) {
            unsigned at = address_of(s, p, thread, k);
            CHECK(!own_warp || writer[at] == thread / lanes);
            after[(thread << s->bits) + k] = memory[at];
        }
    }
}

static unsigned odd(unsigned x) {
    unsigned parity = 0;
    for (; x; x >>= 1) {
        parity ^= x & 1u;
    }
    return parity;
}

/* Position p of a thread after a rename, a select or a shuffle. Elements of one
 * word stay together in the last two. */
static unsigned fetched(const ll_step *s, const ll_target *t, unsigned thread,
                        unsigned p) {
    unsigned from = thread;
    unsigned at = ll_registers(&s->at, p);
    if (s->op == LL_OP_SELECT) {
        at = p;
        for (unsigned k = s->at.n; k-- > 0;) {
            at ^= odd(thread & s->at.place[k]) ? s->at.reg[k] : 0u;
        }
    }
    if (s->op == LL_OP_SHUFFLE) {
        unsigned lane = ll_map_at(s->thread, thread) ^ ll_places(&s->at, p);
        CHECK(lane < t->lanes);
        from = (thread & ~(t->lanes - 1u)) | lane;
    }
    if (s->op != LL_OP_RENAME) {
        CHECK((at ^ p) % (1u << s->pack) == 0);
    }
    CHECK(at < 1u << before_bits);
    return held_before(from, at);
}

static void run_exchange(const ll_step *s, const ll_target *t,
                         unsigned threads) {
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned k = 0; k < 1u << s->bits; ++k) {
            after[(thread << s->bits) + k] = fetched(s, t, thread, k);
        }
    }
}

/* Are wavefronts, width and the least of a step what the addresses say? */
static void check_step(const ll_plan *p, const ll_step *s,
                       const ll_target *t) {
    unsigned address[MAX_LANES];
    unsigned phase[MAX_LANES];
    unsigned op = s->op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    for (unsigned lane = 0; lane < t->lanes; ++lane) {
        address[lane] = ll_map_at(s->thread, lane);
    }
    if (s->form != LL_FORM_VECTOR) { /* the rows of each matrix are a phase */
        const unsigned n = s->bytes / 4u;
        for (unsigned lane = 8u * n; lane < 32u; ++lane) {
            address[lane] = address[lane % 8u];
        }
        CHECK(s->wavefronts == served(address, 16, LL_WRITE, t) * n / 4u);
        CHECK(s->least == n);
        return;
    }
    CHECK(s->bytes == (p->element_bits / 8u) << s->at.vector);
    CHECK(s->wavefronts == served(address, s->bytes, op, t));
    CHECK(s->least ==
          t->lanes / phase_of_zero(address, s->bytes, op, t, phase));
}

/* Runs a plan of `threads` threads on `before`; the result is in `after`. */
static void run_plan(const ll_plan *p, const ll_target *t, unsigned threads) {
    int own_warp = 0;
    before_bits = p->from_bits;
    memcpy(after, before, sizeof after);
    CHECK(p->n || (p->kind == LL_NOTHING && p->from_bits == p->to_bits));
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
            check_step(p, s, t);
            ++forms[s->form];
        }
        if (s->op == LL_OP_STORE) {
            run_store(p, s, threads, t->lanes);
            continue;
        } else if (s->op == LL_OP_LOAD) {
            CHECK(p->step[k - 1u].op == LL_OP_SYNC_WARP ||
                  p->step[k - 1u].op == LL_OP_SYNC_BLOCK);
            run_load(p, s, threads, t->lanes, own_warp);
        } else if (s->op == LL_OP_SYNC_WARP || s->op == LL_OP_SYNC_BLOCK) {
            own_warp = s->op == LL_OP_SYNC_WARP;
            continue;
        } else {
            run_exchange(s, t, threads);
        }
        before_bits = s->bits;
        memcpy(before, after, (size_t)threads << s->bits << 2);
    }
}

/* ---- Random pairs -------------------------------------------------------- */

typedef struct random_pair {
    unsigned tensor, blocks; /* bits of the tensor in a block; block bits */
    ll_shape out;
    ll_layout a, b;
} random_pair;

/* A random distributed layout of the case's tensor. */
static ll_layout random_side(const random_pair *c, unsigned lanes,
                             unsigned max_warps, unsigned max_regs) {
    unsigned warps = test_random(max_warps + 1u);
    unsigned least = c->tensor > lanes + warps ? c->tensor - lanes - warps : 0;
    unsigned regs = least + test_random(3);
    regs = regs > max_regs ? least : regs;
    unsigned n = regs + lanes + warps;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    in = c->blocks ? ll_with(in, LL_BLOCK, 1u << c->blocks) : in;
    ll_layout a = ll_zero(in, c->out);
    for (unsigned bit = 0; bit < c->tensor && bit < n; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; k < c->blocks; ++k) {
        a.basis[n + k] = 1u << (c->tensor + k);
    }
    return a;
}

/* The kind says which sides are renamed: 1 a, 2 b, 3 both, alike. */
static random_pair random_conversion(unsigned lanes, unsigned tensor,
                                     unsigned max_regs, unsigned kind) {
    unsigned max_warps = 3;
    random_pair c = LL_ZERO;
    unsigned basis[32];
    c.tensor = tensor;
    c.blocks = test_random(5) == 0;
    unsigned all = c.tensor + c.blocks;
    unsigned fast = test_random(all + 1u);
    c.out = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << fast), LL_I,
                    1u << (all - fast));
    c.a = random_side(&c, lanes, max_warps, max_regs);
    c.b = random_side(&c, lanes, max_warps, max_regs);
    random_basis(basis, c.tensor, c.tensor);
    if (kind & 1u) {
        twist(&c.a, basis, c.tensor);
    }
    if (kind & 2u) {
        twist(&c.b, basis, c.tensor);
    }
    return c;
}

/* What a lane of b's holds after the plan, against the definition. */
static void check_plan(const random_pair *c, unsigned element_bits,
                       const ll_target *t, unsigned kind) {
    const ll_plan p = ll_plan_by(c->a, c->b, element_bits, *t, kind);
    /* A block has the warps of both; further ones hold copies. */
    unsigned from = t->lanes << held_bits(&c->a.in, LL_WARP);
    unsigned to = t->lanes << held_bits(&c->b.in, LL_WARP);
    from = to = from > to ? from : to;
    if (kind == LL_SHUFFLES && p.err == LL_EKIND) {
        return;
    }
    CHECK(p.err == LL_OK && p.element_bits == element_bits);
    CHECK(p.from_bits == held_bits(&c->a.in, LL_REGISTER));
    CHECK(p.to_bits == held_bits(&c->b.in, LL_REGISTER));
    for (unsigned block = 0; !p.err && block < 1u << c->blocks; ++block) {
        for (unsigned k = 0; k < from << p.from_bits; ++k) {
            before[k] = value(&c->a, packed(&c->a.in,
                                            k & ((1u << p.from_bits) - 1u),
                                            k >> p.from_bits, t->lanes,
                                            block));
        }
        run_plan(&p, t, to);
        for (unsigned k = 0; k < to << p.to_bits; ++k) {
            CHECK(after[k] == value(&c->b,
                                    packed(&c->b.in,
                                           k & ((1u << p.to_bits) - 1u),
                                           k >> p.to_bits, t->lanes, block)));
        }
    }
}

static random_pair random_small(const ll_target *t) {
    unsigned lanes = ll_log2_(t->lanes);
    unsigned tensor = 1u + test_random(lanes + 4u);
    random_pair c = random_conversion(lanes, tensor, 6, test_random(4));
    if (c.blocks == 0 && test_random(4) == 0) {
        c.a.offset = test_random(1u << tensor);
        c.b.offset = test_random(1u << tensor);
    }
    if (c.blocks && test_random(2)) {
        c.a.offset = 1u << tensor; /* the blocks are exchanged in both */
        c.b.offset = 1u << tensor;
    }
    if (test_random(4) == 0) {
        c.b = c.a; /* only registers or nothing */
        for (unsigned k = 0; k < c.b.in.bits[0]; ++k) {
            unsigned m = test_random(c.b.in.bits[0]);
            unsigned y = c.b.basis[k];
            c.b.basis[k] = c.b.basis[m];
            c.b.basis[m] = y;
        }
    }
    return c;
}

static void plans_move_every_element(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    for (unsigned k = 0; k < 20000u * test.effort; ++k) {
        unsigned which = test_random(2 * N_REAL + N_TINY);
        const ll_target t = which < 2 * N_REAL ? real_machine(which / 2u)
                                               : tiny_machine(which - 2u * N_REAL);
        const random_pair c = random_small(&t);
        unsigned element_bits = 8u << test_random(5);
        check_plan(&c, element_bits, &t, LL_ANY);
        check_plan(&c, element_bits, &t, LL_SHUFFLES);
        check_plan(&c, element_bits, &t, LL_SHARED);
        ++kinds[ll_plan_of(c.a, c.b, element_bits, t).kind];
    }
    CHECK(kinds[LL_NOTHING] > 100u && kinds[LL_REGISTERS] > 100u);
    CHECK(kinds[LL_SHUFFLES] > 600u && kinds[LL_SHARED] > 600u);
}

/* Tiles of many registers, on the machine that has matrix accesses. */
static void plans_by_matrices_move_every_element(void) {
    const ll_target t = real_machine(6);
    memset(forms, 0, sizeof forms);
    for (unsigned k = 0; k < 1500u * test.effort; ++k) {
        const random_pair c =
            random_conversion(5, 9u + test_random(3), 6, test_random(8) == 0);
        check_plan(&c, 8u << test_random(3), &t, LL_SHARED);
    }
    CHECK(forms[LL_FORM_MATRIX] > 10u * test.effort);
    CHECK(forms[LL_FORM_TRANS] > 20u * test.effort);
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
    for (unsigned k = 0; k < 4000u * test.effort; ++k) {
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
    for (unsigned k = 0; k < 600u * test.effort; ++k) {
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(wavefronts_are_what_enumeration_counts);
    RUN(swizzle_beats_all_memories_of_8_elements);
    RUN(swizzle_beats_all_memories_of_16_elements);
    RUN(swizzle_beats_all_memories_where_reads_merge);
    RUN(swizzle_of_unlike_layouts_is_mostly_the_best);
    RUN(plans_move_every_element);
    RUN(plans_by_matrices_move_every_element);
    RUN(swizzle_meets_bound);
    RUN(swizzle_for_one_side_has_no_conflicts);
    return test_end();
}
