/* test_hops.c - AMD's ways between lanes: the hops that are chosen, and plans
 * for each target, executed hop by hop.
 * SPDX-License-Identifier: MIT
 *
 * The oracle of the choice knows what DPP and the permlanes can do from the ISA
 * references: it lists, for targets without v_permlane16, all pairs of them, and
 * for the others goes by what such a pair cannot change.
 */
#include "machines.h"

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

/* Of gfx9, the maps of a row of 16 that one or two DPP make (1 and 2), by the
 * images of lanes 0, 1, 2, 4, 8; 0 for all others. */
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
                const unsigned n = one == 256u || two == 256u ? 1u : 2u;
                unsigned char *least = &by_dpp[key(row)];
                *least = (unsigned char)(*least == 1u ? 1u : n);
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
        const unsigned n = by_dpp[key(row)];
        return m->first >= 16u || n == 0 ? 3u : n;
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
    return ll_digest(a);
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
    list_dpp();
    memset(chosen, 0, sizeof chosen);
    for (unsigned k = 0; k < TARGETS; ++k) {
        const ll_target t = target(k);
        CHECK(k > 3u || t.hops == target(0).hops);
        for (unsigned bits = 0; bits < 1u << 16 && k >= 3u && k < 7u; ++bits) {
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
    CHECK(chosen[0] == 4u);
    CHECK(chosen[1] > 5000000u && chosen[2] > 2000000u && chosen[3] > 4000000u);
}

/* Random maps of all lane bits; those of single bits often. */
static void other_maps_are_left_to_shared_memory(void) {
    unsigned swizzles = 0;
    for (unsigned k = 0; k < 20000u * test.effort; ++k) {
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
    CHECK(swizzles > 1000u);
}

/* A lane that depends on the warp, too, is no hop. */
static void a_hop_is_the_same_in_all_warps(void) {
    ll_layout a = ll_zero(ll_with(ll_shape_of(""), LL_LANE, 128),
                          ll_with(ll_shape_of(""), LL_LANE, 64));
    for (unsigned k = 0; k < 6u; ++k) {
        a.basis[k] = 1u << k;
    }
    CHECK(ll_hops_of(ll_digest(a), 1, LL_GFX942.hops, 64).hop[0] ==
          LL_HOP_XOR);
    a.basis[6] = 2;
    CHECK(ll_hops_of(ll_digest(a), 1, LL_GFX942.hops, 64).hop[0] ==
          LL_HOP_ANY);
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
    const ll_shape tensor = ll_with(ll_with(none, LL_J, s->cols), LL_I, s->rows);
    const ll_shape turned = ll_with(ll_with(none, LL_J, s->rows), LL_I, s->cols);
    const ll_shape down = ll_with(none, LL_I, s->warps);
    const unsigned which = test_random(24);
    switch (test_random(6)) {
    case 0: return blocked(s, t);
    case 1:
        return ll_rows_by(s->rows, s->cols, s->bits / 8u, 16, 1, t->lanes,
                          s->warps);
    case 2: return ll_flip(blocked(s, t), LL_I, test_random(s->rows));
    case 3:
        return ll_trans(ll_tiled(operand(t, which), turned, down), "j i");
    default: return ll_tiled(operand(t, which), tensor, down);
    }
}

/* A permutation of a layout's bits, perhaps with one more register or less:
 * swaps of some lane bits with registers, and of lane bits. */
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
    scene s = {16u << test_random(3), 8u << test_random(4), 8u << test_random(5),
               below(4)};
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

/* Conversions that are executed for each target, in hops and accesses. */
static void plans_move_every_element_on_amd(void) {
    unsigned hops = 0;
    for (unsigned k = 0; k < TARGETS; ++k) {
        const ll_target t = target(k);
        unsigned kinds[LL_ANY] = LL_ZERO;
        for (unsigned n = 0; n < 1500u * test.effort;) {
            unsigned bits = 0;
            const random_pair c = random_case(&t, &bits);
            if (c.a.err || c.b.err || bits_in(&c.a.in) > 13u ||
                bits_in(&c.b.in) > 13u) {
                continue;
            }
            const unsigned kind = test_random(2) ? LL_ANY : LL_SHUFFLES;
            const ll_plan p = ll_plan_by(c.a, c.b, bits, t, kind);
            check_the_plan(&c, bits, &t, kind, p);
            for (unsigned m = 0; m < p.n; ++m) {
                hops += p.step[m].near != 0;
            }
            kinds[p.kind] += !p.err;
            n += !p.err;
        }
        printf("    target %u: %u nothing, %u registers, %u shuffles, "
               "%u shared\n", k, kinds[LL_NOTHING], kinds[LL_REGISTERS],
               kinds[LL_SHUFFLES], kinds[LL_SHARED]);
        CHECK(kinds[LL_SHUFFLES] > 300u && kinds[LL_SHARED] > 300u);
    }
    CHECK(hops > 1000u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(hops_are_the_fewest);
    RUN(other_maps_are_left_to_shared_memory);
    RUN(a_hop_is_the_same_in_all_warps);
    RUN(plans_move_every_element_on_amd);
    return test_end();
}
