/* test_hops.c - AMD's ways between lanes: hops and swaps that are chosen, and
 * plans for each target, executed hop by hop.
 * SPDX-License-Identifier: MIT
 *
 * The oracle of the choice knows what DPP and the permlanes can do from the ISA
 * references: for targets without v_permlane16 it lists all pairs of them, and
 * for the others it goes by what no such pair can change.
 */
#include "machines.h"
#include "sums.h"

#include "../ll_amd.h"

enum { TARGETS = 8 };

static ll_target target(unsigned k) {
    const unsigned gfx[TARGETS] = {0x908,  0x90a,  0x942,  0x950,
                                   0x1100, 0x1201, 0x1100, 0x1201};
    return ll_amd_target(gfx[k], k == 4u || k == 5u ? 32 : 64);
}

/* ---- The choice of hops -------------------------------------------------- */

/* A map of lanes, linear but for an XOR. */
typedef struct lane_map {
    unsigned column[6], first;
} lane_map;

static unsigned lane_of(const lane_map *m, unsigned l) {
    unsigned y = m->first;
    for (unsigned k = 0; k < 6u; ++k) {
        y ^= l >> k & 1u ? m->column[k] : 0u;
    }
    return y;
}

/* Are lane bits 4 and 5 kept, but for an XOR, and do the others stay among
 * themselves? No DPP, v_permlane16 or v_permlane64 does anything else. */
static int keeps_rows(const lane_map *m) {
    int keeps = m->column[4] == 16u && m->column[5] == 32u;
    for (unsigned k = 0; k < 4u; ++k) {
        keeps = keeps && m->column[k] < 16u;
    }
    return keeps;
}

/* Of gfx9, the maps of a row of 16 that none, one or two DPP make (1, 2, 3), by
 * the images of lanes 0, 1, 2, 4, 8; 0 for all others. */
static unsigned char by_dpp[1u << 20];

static unsigned key(const unsigned *row) {
    return row[0] | row[1] << 4 | row[2] << 8 | row[4] << 12 | row[8] << 16;
}

static unsigned dpp(unsigned which, unsigned l) {
    const unsigned xor_by[] = {0, 8, 15, 7};
    return which < 256u ? l / 4u * 4u + (which >> 2u * (l % 4u) & 3u)
           : which == 257u ? (l + 8u) % 16u /* row_ror 8 */
                           : l ^ xor_by[which - 256u];
}

static int is_linear(const unsigned *row) {
    int is = 1;
    for (unsigned l = 0; l < 16u; ++l) {
        const unsigned low = l & (0u - l);
        is = is && (row[l] ^ row[0]) == (row[low] ^ row[0] ^ row[l ^ low] ^
                                         row[0]);
    }
    return is;
}

static void list_dpp(void) {
    unsigned row[16];
    for (unsigned one = 0; one < 260u; ++one) {
        for (unsigned two = 0; two < 260u; ++two) {
            for (unsigned l = 0; l < 16u; ++l) {
                row[l] = dpp(one, dpp(two, l));
            }
            if (is_linear(row)) {
                const int n = 1 + (one != 256u) + (two != 256u);
                unsigned char *least = &by_dpp[key(row)];
                *least = (unsigned char)(*least && *least < n ? *least : n);
            }
        }
    }
}

/* The fewest instructions beside the pipe of shared memory; 3 if two do not
 * do. */
static unsigned fewest(const lane_map *m, const ll_target *t) {
    const int rows = t->hops >> LL_HOP_ROW & 1u;
    const int half = t->hops >> LL_HOP_HALF & 1u;
    int same = m->first == 0;
    for (unsigned k = 0; k < 6u; ++k) {
        same = same && m->column[k] == 1u << k;
    }
    if (same || !keeps_rows(m)) {
        return same ? 0u : 3u;
    }
    if (!rows) {
        unsigned row[16];
        for (unsigned l = 0; l < 16u; ++l) {
            row[l] = lane_of(m, l) % 16u;
        }
        const unsigned swaps = (m->first >> 4 & 1u) + (m->first >> 5 & 1u);
        const unsigned n = by_dpp[key(row)];
        return n == 0 || n + swaps > 3u || (swaps && !t->swaps)
                   ? 3u
                   : n - 1u + swaps;
    }
    if (m->first >= 32u) {
        lane_map in = *m;
        in.first -= 32u;
        return half ? 1u + fewest(&in, t) : 3u;
    }
    return 1u;
}

static ll_map digested(const lane_map *m, unsigned lanes) {
    ll_layout a = ll_zero(ll_with(ll_shape_of(""), LL_LANE, lanes),
                          ll_with(ll_shape_of(""), LL_LANE, 64));
    for (unsigned k = 0; k < bits_in(&a.in); ++k) {
        a.basis[k] = m->column[k];
    }
    return ll_map_of(a);
}

static unsigned long long chosen[4]; /* maps by their near hops; 3: others */

static void check_hops(const lane_map *m, const ll_target *t,
                       const ll_map *digest) {
    const ll_hops h = ll_hops_of(*digest, m->first, t->hops, t->lanes);
    const unsigned n = fewest(m, t);
    const int any = h.n && h.hop[0] == LL_HOP_ANY;
    CHECK(h.near == (n <= 2u));
    CHECK(n > 2u || h.n == n);
    CHECK(!any || h.n == 1u);
    for (unsigned k = 0; k < h.n && n <= 2u; ++k) {
        CHECK(h.hop[k] != LL_HOP_ANY && h.hop[k] != LL_HOP_32);
    }
    for (unsigned l = 0; l < t->lanes && !any; ++l) {
        CHECK(hops_lane(&h, t, l) == lane_of(m, l));
    }
    ++chosen[n];
}

/* All maps of the lowest four lane bits, with every XOR of all of them. */
static void hops_are_the_fewest(void) {
    memset(chosen, 0, sizeof chosen);
    for (unsigned k = 0; k < TARGETS; ++k) {
        const ll_target t = target(k);
        CHECK(k > 2u || t.hops == target(0).hops);
        for (unsigned bits = 0; bits < 1u << 16 && k >= 2u && k < 7u;
             bits += test.effort ? 1u : 17u) {
            lane_map m = {{bits & 15u, bits >> 4 & 15u, bits >> 8 & 15u,
                           bits >> 12, 16, 32},
                          0};
            const ll_map digest = digested(&m, t.lanes);
            for (; m.first < t.lanes; ++m.first) {
                check_hops(&m, &t, &digest);
            }
        }
    }
    CHECK(target(7).hops == target(6).hops && target(5).hops == target(4).hops);
    COVERS(chosen[0] == 5u && chosen[1] + chosen[2] > 6291000u);
    COVERS(chosen[2] > 2000000u && chosen[3] > 8000000u);
}

/* Random maps of all lane bits; those of single bits often. */
static void other_maps_are_left_to_shared_memory(void) {
    unsigned swizzles = 0;
    for (unsigned k = 0; k < times(20000u); ++k) {
        const ll_target t = target(test_random(TARGETS));
        lane_map m = {{1, 2, 4, 8, 16, 32}, test_random(t.lanes)};
        const unsigned changes = test_random(4);
        for (unsigned c = 0; c < changes; ++c) {
            m.column[test_random(6)] =
                test_random(2) ? 0u : test_random(t.lanes);
        }
        m.column[5] = t.lanes == 32u ? 32u : m.column[5];
        const ll_map digest = digested(&m, t.lanes);
        check_hops(&m, &t, &digest);
        const ll_hops h = ll_hops_of(digest, m.first, t.hops, t.lanes);
        swizzles += h.n && h.hop[h.n - 1u] == LL_HOP_32;
    }
    COVERS(swizzles > 1000u);
}

/* A lane that depends on the warp, too, is no hop. */
static void a_hop_is_the_same_in_all_warps(void) {
    ll_layout a = ll_zero(ll_with(ll_shape_of(""), LL_LANE, 128),
                          ll_with(ll_shape_of(""), LL_LANE, 64));
    for (unsigned k = 0; k < 6u; ++k) {
        a.basis[k] = 1u << k;
    }
    CHECK(ll_hops_of(ll_map_of(a), 1, LL_GFX942.hops, 64).hop[0] == LL_HOP_XOR);
    a.basis[6] = 2;
    CHECK(ll_hops_of(ll_map_of(a), 1, LL_GFX942.hops, 64).hop[0] == LL_HOP_ANY);
}

/* ---- Plans --------------------------------------------------------------- */

/* A tensor of rows * cols, the bits of an element and the warps. */
typedef struct scene {
    unsigned rows, cols, bits, warps;
} scene;

static unsigned below(unsigned size) {
    return 1u << test_random(ll_log2_(size) + 1u);
}

static ll_layout blocked(const scene *s, const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const unsigned across = below(t->lanes);
    return ll_blocked(
        ll_with(ll_with(none, LL_J, s->cols), LL_I, s->rows),
        ll_with(ll_with(none, LL_J, below(8)), LL_I, below(8)),
        ll_with(ll_with(none, LL_J, across), LL_I, t->lanes / across),
        ll_with(none, LL_I, s->warps));
}

static unsigned gfx_of(const ll_target *t) {
    return t->phase[LL_READ][2][2] == 20u ? 0x1100 : 0x1201;
}

static ll_layout operand(const ll_target *t, unsigned which) {
    const unsigned gfx = gfx_of(t);
    const unsigned m = 16u << which % 2u;
    const unsigned bits = 8u << which / 6u % 2u;
    const unsigned k = (which / 12u % 2u + 1u) * 4096u / (m * bits);
    const int wave = t->hops >> LL_HOP_ROW & 1u;
    switch (which / 2u % 3u) {
    case 0:
        return wave ? ll_amd_wmma_a(gfx, t->lanes, 16, bits)
                    : ll_amd_mfma_a(m, k, 1, bits);
    case 1:
        return wave ? ll_amd_wmma_b(gfx, t->lanes, 16, bits)
                    : ll_amd_mfma_b(k, m, 1, bits);
    default:
        return wave ? ll_amd_wmma_c(gfx, t->lanes, 32)
                    : ll_amd_mfma_c(m, m, 1, 32);
    }
}

/* One of the families: operands, their transposes, blocks, slices, rows. */
static ll_layout member(const scene *s, const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_shape tensor =
        ll_with(ll_with(none, LL_J, s->cols), LL_I, s->rows);
    const ll_shape turned =
        ll_with(ll_with(none, LL_J, s->rows), LL_I, s->cols);
    const ll_shape down = ll_with(none, LL_I, s->warps);
    const unsigned which = test_random(24);
    switch (test_random(6)) {
    case 0: return blocked(s, t);
    case 1:
        return rows_of_lanes(s->rows, s->cols, s->bits / 8u, t->lanes,
                             s->warps);
    case 2: return ll_flip(blocked(s, t), LL_I, test_random(s->rows));
    case 3:
        return ll_trans(ll_tiled(operand(t, which), turned, down), "j i");
    default: return ll_tiled(operand(t, which), tensor, down);
    }
}

/* The layout with some of its bits, and often the last one, exchanged. */
static ll_layout permuted(ll_layout a) {
    const unsigned n = bits_in(&a.in);
    for (unsigned k = test_random(5); k > 0; --k) {
        const unsigned p = test_random(n);
        const unsigned q = test_random(2) ? test_random(n) : n - 1u;
        const unsigned y = a.basis[p];
        a.basis[p] = a.basis[q];
        a.basis[q] = y;
    }
    return a;
}

static random_pair random_case(const ll_target *t, unsigned *bits) {
    scene s = {16u << test_random(3), 8u << test_random(4),
               8u << test_random(5), below(4)};
    random_pair c = LL_ZERO;
    const unsigned kind = test_random(4);
    *bits = s.bits;
    if (kind == 0) {
        return random_small(t);
    }
    c.a = member(&s, t);
    c.b = kind == 1u ? permuted(c.a) : member(&s, t);
    return c;
}

static void count_hops(const ll_step *s, const ll_target *t, unsigned *made) {
    for (unsigned p = 0; p < 1u << s->bits && s->op == LL_OP_SHUFFLE; ++p) {
        const ll_hops h = hops_at(s, t, p);
        for (unsigned m = 0; m < h.n; ++m) {
            ++made[h.hop[m]];
        }
    }
}

/* Conversions that are executed for each target, in hops and accesses. Near
 * hops are often dearer than the shuffles that they replace, since selects take
 * the same units; every other plan is for a target with dear shuffles. (A swap
 * for one word takes three instructions, which is always dearer.) */
static void plans_move_every_element_on_amd(void) {
    unsigned made[2][LL_MAX_HOPS] = LL_ZERO;
    for (unsigned k = 0; k < TARGETS; ++k) {
        unsigned kinds[LL_ANY] = LL_ZERO;
        for (unsigned n = 0; n < times(1500u);) {
            unsigned bits = 0;
            const unsigned dear = n % 2u;
            const ll_target t =
                dear ? with_dear_shuffles(target(k)) : target(k);
            const random_pair c = random_case(&t, &bits);
            if (c.a.err || c.b.err || bits_in(&c.a.in) > 13u ||
                bits_in(&c.b.in) > 13u) {
                continue;
            }
            const unsigned kind = test_random(2) ? LL_ANY : LL_SHUFFLES;
            const ll_plan p = ll_plan_by(c.a, c.b, bits, t, kind);
            check_the_plan(&c, bits, &t, kind, p);
            for (unsigned m = 0; m < p.n; ++m) {
                count_hops(&p.step[m], &t, made[dear]);
            }
            kinds[p.kind] += !p.err;
            n += !p.err;
        }
        printf("    target %u: %u nothing, %u registers, %u shuffles, "
               "%u shared\n", k, kinds[LL_NOTHING], kinds[LL_REGISTERS],
               kinds[LL_SHUFFLES], kinds[LL_SHARED]);
        COVERS(kinds[LL_SHUFFLES] > 300u && kinds[LL_SHARED] > 300u);
    }
    for (unsigned hop = 0; hop < LL_MAX_HOPS; ++hop) {
        printf("    hop %u: %u, with dear shuffles %u\n", hop, made[0][hop],
               made[1][hop]);
        COVERS(made[0][hop] > 20u || hop == LL_HOP_SWAP);
        COVERS(made[1][hop] > 20u);
    }
}

/* ---- Swaps --------------------------------------------------------------- */

typedef struct counts {
    unsigned swaps, rounds, selects, permutes, shuffles;
} counts;

static counts counted(const ll_plan *p) {
    counts c = LL_ZERO;
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        c.rounds += s->op == LL_OP_SWAP;
        c.swaps += s->op == LL_OP_SWAP ? s->count : 0u;
        c.selects += s->op == LL_OP_SELECT ? s->count : 0u;
        c.permutes += s->op == LL_OP_RENAME ? s->count : 0u;
        c.shuffles += s->op == LL_OP_SHUFFLE ? s->count : 0u;
    }
    return c;
}

/* Accumulators that become operands of the next product, which sums over the
 * rows i: no move, one swap for two registers, two. */
static void chained_products_need_few_swaps(void) {
    const ll_shape none = ll_shape_of("");
    const ll_shape wide = ll_shape_of("j=32 i=32");
    const ll_shape narrow = ll_shape_of("j=16 i=32");
    const ll_layout c32 = ll_amd_mfma_c(32, 32, 1, 32);
    const ll_layout c16 = ll_tiled(ll_amd_mfma_c(16, 16, 1, 32), narrow, none);
    const ll_target old[2] = {LL_GFX90A, LL_GFX942};
    for (unsigned k = 0; k < 2u; ++k) {
        CHECK(ll_plan_of(c32, ll_tiled(ll_amd_mfma_b(8, 32, 1, 16), wide, none),
                         16, old[k]).kind == LL_NOTHING);
        CHECK(ll_plan_of(c16,
                         ll_tiled(ll_amd_mfma_b(16, 16, 1, 16), narrow, none),
                         16, old[k]).kind == LL_NOTHING);
    }
    for (unsigned bits = 16; bits <= 64u; bits *= 2u) {
        const ll_plan one =
            ll_plan_of(c32, ll_tiled(ll_amd_mfma_b(16, 32, 1, 16), wide, none),
                       bits, LL_GFX950);
        const ll_plan two =
            ll_plan_of(c16,
                       ll_tiled(ll_amd_mfma_b(32, 16, 1, 16), narrow, none),
                       bits, LL_GFX950);
        const counts c1 = counted(&one);
        const counts c2 = counted(&two);
        CHECK(one.kind == LL_SHUFFLES && c1.rounds == 1u);
        CHECK(c1.swaps == 16u * bits / 32u / 2u);
        CHECK(two.kind == LL_SHUFFLES && c2.rounds == 2u);
        CHECK(c2.swaps == 2u * (8u * bits / 32u / 2u));
        CHECK(c1.selects + c1.permutes + c1.shuffles == 0);
        CHECK(c2.selects + c2.permutes + c2.shuffles == 0);
    }
}

/* A layout of 2^n registers, 64 lanes and two warps, each bit one of a
 * tensor's; twice. */
static random_pair swapped_bits(unsigned n) {
    random_pair c = LL_ZERO;
    const ll_shape none = LL_ZERO;
    c.tensor = n + 7u;
    c.out = ll_with(none, LL_J, 1u << c.tensor);
    c.a = ll_zero(ll_with(ll_with(ll_with(none, LL_REGISTER, 1u << n), LL_LANE,
                                  64),
                          LL_WARP, 2),
                  c.out);
    for (unsigned k = 0; k < c.tensor; ++k) {
        c.a.basis[k] = 1u << k;
    }
    c.b = c.a;
    return c;
}

/* Bit k of registers and, behind them, lane bits 4 and 5. */
static unsigned *swappable(ll_layout *a, unsigned n, unsigned k) {
    return &a->basis[k < n ? k : k + 4u];
}

/* Each lane bit that changes takes one swap; two that change places, three. */
static void bits_are_permuted_by_the_fewest_swaps(void) {
    unsigned found[4] = LL_ZERO;
    for (unsigned k = 0; k < times(2000u); ++k) {
        const unsigned n = 1u + test_random(4);
        random_pair c = swapped_bits(n);
        for (unsigned m = n + 2u; m-- > 1u;) {
            unsigned *p = swappable(&c.b, n, m);
            unsigned *q = swappable(&c.b, n, test_random(m + 1u));
            const unsigned y = *p;
            *p = *q;
            *q = y;
        }
        const unsigned a4 = c.a.basis[n + 4u], a5 = c.a.basis[n + 5u];
        const unsigned b4 = c.b.basis[n + 4u], b5 = c.b.basis[n + 5u];
        const unsigned least =
            a4 == b5 && a5 == b4 ? 3u : (a4 != b4) + 0u + (a5 != b5);
        const unsigned bits = 32u << test_random(3);
        const ll_plan p = ll_plan_by(c.a, c.b, bits, LL_GFX950, LL_SHUFFLES);
        const counts by = counted(&p);
        const ll_target t = LL_GFX950;
        CHECK(!p.err && by.shuffles + by.selects + by.permutes == 0);
        CHECK(by.rounds == least);
        CHECK(by.swaps == least * (1u << n) * (bits / 32u) / 2u);
        check_the_plan(&c, bits, &t, LL_SHUFFLES, p);
        ++found[least];
    }
    COVERS(found[0] > 50u && found[1] > 300u && found[2] > 300u);
    COVERS(found[3] > 30u);
}

/* Matrices of such bits, perhaps singular, with other registers than before,
 * and elements of less than a word. */
static void swaps_mix_bits(void) {
    unsigned rounds[4] = LL_ZERO;
    unsigned offsets = 0;
    for (unsigned k = 0; k < times(20000u); ++k) {
        const unsigned n = 1u + test_random(5);
        const unsigned to = n - 1u + test_random(3);
        random_pair c = swapped_bits(n);
        unsigned basis[32];
        random_basis(basis, n + 2u, n + 2u);
        c.b = ll_resize_in(c.b, LL_REGISTER, 1u << to);
        const unsigned changes = test_random(4);
        for (unsigned m = 0; m < to + 2u; ++m) {
            unsigned *column = swappable(&c.b, to, m);
            const unsigned from = m < to ? m : m - to + n;
            unsigned y = changes && from < n + 2u ? basis[from] : 1u << from;
            y = test_random(20) ? y : 0u;
            *column = 0;
            for (unsigned b = 0; b < n + 2u && (changes || m >= to); ++b) {
                *column ^= y >> b & 1u ? *swappable(&c.a, n, b) : 0u;
            }
        }
        for (unsigned m = 0; m < changes; ++m) {
            unsigned *p = swappable(&c.b, to, test_random(to + 2u));
            unsigned *q = swappable(&c.b, to, to + test_random(2));
            const unsigned y = *p;
            *p = *q;
            *q = y;
        }
        for (unsigned m = 0; m < 4u; ++m) {
            c.b.basis[to + m] = c.a.basis[n + m];
        }
        c.b.basis[to + 6u] = c.a.basis[n + 6u];
        if (test_random(4) == 0) {
            c.b.offset = *swappable(&c.a, n, test_random(n + 2u));
        }
        ll_target t = LL_GFX950;
        if (test_random(4) == 0) {
            t.swaps = 16u << test_random(2);
            t.hops &= ~(1u << LL_HOP_SWAP);
        }
        const unsigned bits = 8u << test_random(5);
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, LL_SHUFFLES);
        const counts by = counted(&p);
        if (!p.err) {
            check_the_plan(&c, bits, &t, LL_SHUFFLES, p);
            ++rounds[by.rounds];
            offsets += by.rounds && c.b.offset;
        }
    }
    printf("    swaps: %u none, %u one, %u two, %u three; %u offsets\n",
           rounds[0], rounds[1], rounds[2], rounds[3], offsets);
    COVERS(rounds[1] > 200u && rounds[2] > 500u && rounds[3] > 1000u);
    COVERS(offsets > 100u);
}

/* The distance in bytes between the accesses of two positions, if it is the
 * same in all threads and to the same side; 0 if not. */
static unsigned fixed_distance(const ll_step *s, unsigned threads, unsigned p,
                               unsigned q) {
    unsigned same = 0;
    for (unsigned l = 0; l < threads; ++l) {
        const unsigned at = ll_map_at(s->thread, l);
        const unsigned d =
            (at ^ ll_places(&s->at, q)) - (at ^ ll_places(&s->at, p));
        same = l == 0 || d == same ? d : 0u;
        if (same == 0) {
            break;
        }
    }
    return same >> 31 ? 0u - same : same;
}

/* Does an instruction of two accesses reach so far? (ISA references: 8 bits, in
 * accesses or, `st64`, in 64 of them.) */
static int reaches(unsigned distance, unsigned bytes) {
    const unsigned n = distance / bytes;
    return distance % bytes == 0 && n &&
           (n < 256u || (n % 64u == 0 && n / 64u < 256u));
}

static unsigned long long joined[2];

static void check_joined(const ll_step *s, unsigned threads) {
    const unsigned each = 1u << s->at.vector;
    const unsigned all = 1u << s->at.n;
    const int narrow = s->bytes == 4u || s->bytes == 8u;
    if (s->form != LL_FORM_VECTOR || !narrow) {
        CHECK(!s->joined);
        return;
    }
    for (unsigned p = 0; s->joined && p < all; p += 2u * each) {
        CHECK(reaches(fixed_distance(s, threads, p, p + each), s->bytes));
    }
    unsigned nearest = ~0u;
    for (unsigned q = each; q < all; q *= 2u) {
        const unsigned d = fixed_distance(s, threads, 0, q);
        nearest = d && d < nearest ? d : nearest;
    }
    CHECK(!s->joined || fixed_distance(s, threads, 0, each) == nearest);
    CHECK(s->joined || !reaches(nearest, s->bytes) || s->at.offset);
    ++joined[s->joined];
}

static void two_accesses_are_joined_where_they_can_be(void) {
    for (unsigned trial = 0; trial < times(2000u); ++trial) {
        const ll_target t = target(test_random(TARGETS));
        unsigned bits = 0;
        const random_pair c = random_case(&t, &bits);
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        if (!p.err && p.kind == LL_SHARED) {
            check_joined(&p.step[1], ll_map_used_(&p.step[1].thread) + 1u);
            check_joined(&p.step[3], ll_map_used_(&p.step[3].thread) + 1u);
        }
    }
    printf("    %llu sides joined, %llu not\n", joined[1], joined[0]);
    COVERS(joined[1] > 100u && joined[0] > 100u);
}

static void plans_say_how_lanes_exchange_words(void) {
    const ll_layout a = ll_parse("register: i0 i1 | lane: j0 j1 j2 j3 j4 j5");
    const ll_layout l5 = ll_parse("register: j5 i1 | lane: j0 j1 j2 j3 j4 i0");
    const ll_layout l0 = ll_parse("register: j0 i1 | lane: i0 j1 j2 j3 j4 j5");
    const ll_layout turned =
        ll_parse("register: i0 i1 | lane: j1 j0 j2 j3 j4 j5");
    char text[600];
    ll_explain(ll_plan_of(a, l5, 32, LL_GFX950), text, sizeof text);
    CHECK(strstr(text, " 1. 2 swaps exchange words between lanes 32 apart\n"));
    ll_explain(ll_plan_of(a, l0, 32, with_dear_shuffles(LL_GFX942)), text,
               sizeof text);
    CHECK(strstr(text, "2 near moves exchange words between lanes\n"));
    ll_explain(ll_plan_of(a, l0, 32, LL_GFX942), text, sizeof text);
    CHECK(strstr(text, "2 shuffles exchange words between lanes\n"));
    ll_explain(ll_plan_of(a, turned, 32, LL_GFX942), text, sizeof text);
    CHECK(strstr(text, "4 near moves exchange words between lanes\n"));
    ll_explain(ll_plan_of(a, l5, 32, LL_GFX942), text, sizeof text);
    CHECK(strstr(text, "2 shuffles exchange words between lanes\n"));
}

/* ---- What swaps and rounds are made of ----------------------------------- */

/* A solution between registers and lanes, with any columns. */
static ll_layout any_solution(unsigned to, unsigned from, unsigned lanes) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << to);
    ll_shape out = ll_with(ll_shape_of(""), LL_REGISTER, 1u << from);
    ll_layout x = ll_zero(ll_with(in, LL_LANE, 1u << lanes),
                          ll_with(out, LL_LANE, 1u << lanes));
    for (unsigned k = 0; k < to + lanes; ++k) {
        x.basis[k] = test_random(1u << (from + lanes));
    }
    return x;
}

/* A lane that fetches from its own number wants C H = 1 + D: the registers of H
 * lead from the lane that D names back to the lane itself. */
static void lanes_keep_their_numbers_where_they_can(void) {
    unsigned found[2] = LL_ZERO;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned to = test_random(5), lanes = 1u + test_random(4);
        const unsigned from = 1u + test_random(3);
        ll_layout x = any_solution(to, from, lanes);
        ll_span_ regs = LL_ZERO, late = LL_ZERO;
        unsigned lane[5] = LL_ZERO;
        int can = 1;
        for (unsigned k = 0; k < to; ++k) {
            regs.v[regs.n++] = 1u << k;
            lane[k] = x.basis[k] >> from;
        }
        for (unsigned t = 0; t < lanes && n % 2u; ++t) { /* D = 1 + C h */
            x.basis[to + t] = 1u << (from + t);
            for (unsigned k = 0; k < to; ++k) {
                x.basis[to + t] ^= test_random(2) ? lane[k] << from : 0u;
            }
        }
        late.n = test_random(5); /* what was there before does not count */
        for (unsigned t = 0; t < lanes; ++t) {
            can = can && is_sum_of(lane, to, x.basis[to + t] >> from ^ 1u << t);
        }
        const int is = ll_exchange_late_same_(&x, &regs, &late);
        CHECK(is == can && late.n == lanes);
        for (unsigned t = 0; is && t < lanes; ++t) {
            unsigned at = x.basis[to + t] >> from;
            for (unsigned k = 0; k < to; ++k) {
                at ^= late.v[t] >> k & 1u ? lane[k] : 0u;
            }
            CHECK(at == 1u << t && late.v[t] < 1u << to);
        }
        ++found[is != 0];
    }
    CHECK(found[0] > 50u && found[1] > 50u);
}

/* A basis: first what stays in a word and the register parts of what the two
 * lane bits get, then the spare vector, then the rest of the space. The spare
 * vector is in registers at the end too, if there is one of that sort. */
static void the_spare_vector_is_apart_from_what_is_kept(void) {
    unsigned useful = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned regs = 2u + test_random(3), lanes = 2u + test_random(3);
        const unsigned mask = (1u << regs) - 1u, all = regs + lanes;
        const ll_layout x = any_solution(regs, regs, lanes);
        ll_swaps_ w = LL_ZERO;
        ll_span_ wanted = LL_ZERO;
        unsigned have[8] = LL_ZERO, at = 99, first = 0;
        w.n = 3;
        w.pack = test_random(3);
        w.lane[0] = w.lane[2] = 1u << test_random(lanes);
        w.lane[1] = 1u << test_random(lanes);
        for (unsigned k = 0; k < regs; ++k) {
            wanted.v[wanted.n++] = x.basis[k] & (test_random(3) ? mask : ~0u);
        }
        for (unsigned k = 0; k < w.pack; ++k) {
            wanted.v[k] = 1u << k;
            have[first++] = wanted.v[k];
        }
        have[first++] = x.basis[regs + ll_log2_(w.lane[0])] & mask;
        have[first++] = x.basis[regs + ll_log2_(w.lane[1])] & mask;
        const ll_span_ basis = ll_spare_basis_(&x, &wanted, &w, &at);
        CHECK(basis.n == all && at <= first && at < basis.n);
        for (unsigned k = 0; k < basis.n && k < 10u; ++k) {
            CHECK(basis.v[k] < 1u << all && !is_sum_of(basis.v, k, basis.v[k]));
        }
        for (unsigned k = 0; k < first; ++k) {
            CHECK(is_sum_of(basis.v, at, have[k]));
        }
        for (unsigned k = 0; k < at; ++k) {
            CHECK(is_sum_of(have, first, basis.v[k]));
        }
        /* The first wanted one that registers hold and that is not kept. */
        unsigned k = 0;
        while (k < wanted.n && (wanted.v[k] > mask ||
                                is_sum_of(have, first, wanted.v[k]))) {
            ++k;
        }
        CHECK(k == wanted.n || basis.v[at] == wanted.v[k]);
        /* Otherwise the first bit outside, be it of a lane. */
        for (unsigned bit = 0; k == wanted.n && bit < all; ++bit) {
            if (!is_sum_of(have, first, 1u << bit)) {
                CHECK(basis.v[at] == 1u << bit);
                break;
            }
        }
        useful += k < wanted.n;
    }
    CHECK(useful > 50u);
}

/* Vectors lose their part along one vector of a basis, and no other. */
static void one_part_of_a_vector_is_left_out(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        ll_span_ basis = LL_ZERO, list = LL_ZERO;
        const unsigned bits = 1u + test_random(6);
        random_basis(basis.v, bits, bits);
        basis.n = bits;
        list.n = 1u + test_random(5);
        const unsigned at = test_random(bits);
        unsigned others[8];
        for (unsigned k = 0; k + 1u < bits; ++k) {
            others[k] = basis.v[k < at ? k : k + 1u];
        }
        for (unsigned k = 0; k < list.n; ++k) {
            list.v[k] = test_random(1u << bits);
        }
        const ll_span_ rest = ll_span_less_(&list, &basis, at);
        CHECK(rest.n == list.n);
        for (unsigned k = 0; k < list.n; ++k) {
            const unsigned x = list.v[k];
            CHECK(rest.v[k] == (is_sum_of(others, bits - 1u, x)
                                    ? x : x ^ basis.v[at]));
        }
    }
}

/* Lane bits that stay, or are cleared below bit 5; swaps that move registers
 * and some lane bits only. */
static void maps_of_lanes_are_told_apart(void) {
    for (unsigned n = 0; n < 4000u; ++n) {
        const unsigned bits = 1u + test_random(6);
        unsigned column[6] = LL_ZERO;
        int diagonal = 1;
        for (unsigned k = 0; k < bits; ++k) {
            column[k] = test_random(6) == 0 ? test_random(64)
                        : test_random(3)    ? 1u << k : 0u;
            diagonal = diagonal && (k == 5u ? column[k] == 32u
                                            : column[k] == 0 ||
                                                  column[k] == 1u << k);
        }
        CHECK((ll_map_is_diagonal_(column, bits) != 0) == diagonal);
    }
    for (unsigned n = 0; n < 4000u; ++n) {
        const unsigned to = test_random(4), from = test_random(4);
        const unsigned lanes = 1u + test_random(5);
        const unsigned swaps = test_random(1u << lanes);
        ll_layout x = any_solution(to, from, lanes);
        const unsigned free = ((1u << from) - 1u) | swaps << from;
        int is = 1;
        for (unsigned k = 0; k < to + lanes; ++k) {
            const int lane = k >= to && !(swaps >> (k - to) & 1u);
            x.basis[k] = test_random(8) == 0 ? x.basis[k]
                         : lane              ? 1u << (k - to + from)
                                             : x.basis[k] & free;
            is = is && (lane ? x.basis[k] == 1u << (k - to + from)
                             : (x.basis[k] & ~free) == 0);
        }
        CHECK((ll_is_swap_(&x, swaps) != 0) == is);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    list_dpp();
    RUN(hops_are_the_fewest);
    RUN(other_maps_are_left_to_shared_memory);
    RUN(a_hop_is_the_same_in_all_warps);
    RUN(plans_move_every_element_on_amd);
    RUN(chained_products_need_few_swaps);
    RUN(bits_are_permuted_by_the_fewest_swaps);
    RUN(swaps_mix_bits);
    RUN(two_accesses_are_joined_where_they_can_be);
    RUN(plans_say_how_lanes_exchange_words);
    RUN(lanes_keep_their_numbers_where_they_can);
    RUN(the_spare_vector_is_apart_from_what_is_kept);
    RUN(one_part_of_a_vector_is_left_out);
    RUN(maps_of_lanes_are_told_apart);
    return test_end();
}
