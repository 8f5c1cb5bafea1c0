/* test_amd.c - what holds of every layout that ll_amd.h makes.
 * SPDX-License-Identifier: MIT
 *
 * tests/data compares them with AMD's tables; here are the properties that an
 * operand has whatever the table says, for all parameters.
 */
#include "test.h"

#include "../ll_amd.h"

static const unsigned sizes[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 256, ~0u};
static const unsigned gfxs[] = {0x908, 0x90a, 0x942,  0x950,
                                0x1100, 0x1153, 0x1200, 0x1250};
enum { SIZES = sizeof sizes / sizeof *sizes, GFXS = sizeof gfxs / sizeof *gfxs };

static unsigned a_size(void) { return sizes[test_random(SIZES)]; }
static unsigned a_gfx(void) { return gfxs[test_random(GFXS)]; }

/* A layout, or one of the errors it may have. */
static int is_sound(ll_layout a, unsigned err) {
    return a.err ? a.err == err || a.err == LL_ESIZE || a.err == LL_EBITS
                 : ll_check(a).err == LL_OK;
}

/* ---- Any parameters ------------------------------------------------------ */

static void any_sizes_give_a_layout_or_a_reason(void) {
    for (unsigned trial = 0; trial < times(20000u); ++trial) {
        unsigned x = a_size();
        unsigned y = a_size();
        unsigned z = a_size();
        unsigned bits = a_size();
        unsigned gfx = a_gfx();
        CHECK(is_sound(ll_amd_mfma_a(x, y, z, bits), LL_EMFMA));
        CHECK(is_sound(ll_amd_mfma_b(x, y, z, bits), LL_EMFMA));
        CHECK(is_sound(ll_amd_mfma_c(x, y, z, bits), LL_EMFMA));
        CHECK(is_sound(ll_amd_mfma_scale_a(x, y), LL_EMFMA));
        CHECK(is_sound(ll_amd_mfma_scale_b(x, y), LL_EMFMA));
        CHECK(is_sound(ll_amd_smfmac_a(x, y, bits), LL_EMFMA));
        CHECK(is_sound(ll_amd_smfmac_b(x, y, bits), LL_EMFMA));
        CHECK(is_sound(ll_amd_wmma_a(gfx, x, y, bits), LL_EWMMA));
        CHECK(is_sound(ll_amd_wmma_b(gfx, x, y, bits), LL_EWMMA));
        CHECK(is_sound(ll_amd_wmma_c(gfx, x, bits), LL_EWMMA));
        CHECK(is_sound(ll_amd_swmmac_a(gfx, x, y, bits), LL_EWMMA));
        CHECK(is_sound(ll_amd_swmmac_b(gfx, x, y, bits), LL_EWMMA));
        CHECK(is_sound(ll_amd_ds_read_tr(bits), LL_ETRANSPOSE));
        CHECK(is_sound(ll_amd_ds_load_tr(bits), LL_ETRANSPOSE));
    }
}

static void modifiers_take_any_layout(void) {
    for (unsigned trial = 0; trial < times(20000u); ++trial) {
        const char *const some[] = {
            "lane: i0", "register: j0 | lane: i0 i1 i2 i3 i4 j1", "offset: i0",
            "lane: b0 i0 i1 i2 i3 j0 | register: b1 -> i=16 | b=4 | j=2"};
        ll_layout a = trial % 2u ? ll_amd_mfma_a(a_size(), a_size(), a_size(),
                                                 a_size())
                                 : ll_parse(some[test_random(4)]);
        unsigned x = test_random(2) ? test_random(20) : a_size();
        unsigned y = test_random(2) ? test_random(20) : a_size();
        CHECK(a.err ? ll_amd_cbsz(a, x, y).err == a.err
                    : is_sound(ll_amd_cbsz(a, x, y), LL_EMODIFIER));
        CHECK(a.err ? ll_amd_blgp(a, x).err == a.err
                    : is_sound(ll_amd_blgp(a, x), LL_EMODIFIER));
        CHECK(a.err ? ll_amd_index_set(a, x).err == a.err
                    : is_sound(ll_amd_index_set(a, x), LL_EMODIFIER));
        ll_layout c = ll_amd_opsel(a, x);
        CHECK(a.err ? c.err == a.err
                    : is_sound(c, LL_EMODIFIER) || c.err == LL_EMATCH);
    }
}

/* ---- Operands ------------------------------------------------------------ */

/* The lanes that hold the same k must hold it in A and in B: with a the columns
 * of a lane bit along k, each bit of k that A has in the lanes, B has there. */
static int meet(ll_layout a, ll_layout b) {
    int same = ll_size(a.in, LL_LANE) == ll_size(b.in, LL_LANE);
    unsigned ra = ll_log2_(ll_size(a.in, LL_REGISTER));
    unsigned rb = ll_log2_(ll_size(b.in, LL_REGISTER));
    for (unsigned k = 0; same && 1u << k < ll_size(a.in, LL_LANE); ++k) {
        same = ll_unpack(a.out, LL_J, a.basis[ra + k]) ==
               ll_unpack(b.out, LL_I, b.basis[rb + k]);
    }
    return same;
}

static int is_operand(ll_layout a) {
    return a.err == LL_OK && ll_is_distributed(a);
}

/* A, B and C have one m, n, k and number of blocks. */
static int fit(ll_layout a, ll_layout b, ll_layout c) {
    return ll_size(a.out, LL_I) == ll_size(c.out, LL_I) &&
           ll_size(b.out, LL_J) == ll_size(c.out, LL_J) &&
           ll_size(a.out, LL_J) == ll_size(b.out, LL_I) &&
           ll_size(a.out, LL_AMD_B) == ll_size(c.out, LL_AMD_B) &&
           ll_size(b.out, LL_AMD_B) == ll_size(c.out, LL_AMD_B);
}

static void dense_operands_hold_each_element_and_meet(void) {
    unsigned found = 0;
    for (unsigned m = 4; m <= 32u; m *= 2u) {
        for (unsigned n = 0; n < SIZES * SIZES * SIZES; ++n) {
            unsigned k = sizes[n % SIZES];
            unsigned blocks = sizes[n / SIZES % SIZES];
            unsigned bits = sizes[n / SIZES / SIZES];
            ll_layout a = ll_amd_mfma_a(m, k, blocks, bits);
            ll_layout b = ll_amd_mfma_b(k, m, blocks, bits);
            CHECK(a.err == b.err);
            if (!a.err) {
                ll_layout c =
                    ll_amd_mfma_c(m, m, blocks, bits == 64u ? 64 : 32);
                CHECK(is_operand(a) && is_operand(b) && meet(a, b));
                CHECK(is_operand(c) && fit(a, b, c));
                CHECK(ll_is_injective(a) && ll_is_injective(b));
                CHECK(ll_is_injective(c));
                ++found;
            }
        }
    }
    CHECK(found == 34);
}

static void operands_of_rdna_hold_each_element_and_meet(void) {
    unsigned found = 0;
    for (unsigned n = 0; n < GFXS * 2u * 2u * 3u; ++n) {
        unsigned gfx = gfxs[n % GFXS];
        unsigned lanes = n / GFXS % 2u ? 64 : 32;
        unsigned k = n / GFXS / 2u % 2u ? 32 : 16;
        unsigned bits = 4u << n / GFXS / 4u;
        ll_layout a = ll_amd_wmma_a(gfx, lanes, k, bits);
        ll_layout b = ll_amd_wmma_b(gfx, lanes, k, bits);
        CHECK(a.err == b.err);
        if (!a.err) {
            CHECK(ll_is_surjective(a) && ll_is_surjective(b) && meet(a, b));
            for (unsigned of = 16; of <= 32u; of *= 2u) {
                ll_layout c = ll_amd_wmma_c(gfx, lanes, of);
                CHECK(is_operand(c) && ll_is_injective(c) && fit(a, b, c));
            }
            /* Copies: 16 lanes apart of RDNA3; of RDNA4 in what 32 lanes have
             * room for. */
            unsigned all = ll_size(a.in, LL_REGISTER) * lanes;
            unsigned copies = gfx < 0x1200u ? lanes / 16u : all / (16u * k);
            CHECK(copies * 16u * k == all);
            CHECK(1u << (ll_shape_bits_(&a.in) - ll_rank(a)) == copies);
            CHECK(1u << (ll_shape_bits_(&b.in) - ll_rank(b)) == copies);
            ++found;
        }
    }
    CHECK(found == 20);
}

/* Of sparse operands A holds the first of every four columns; in 64 lanes a
 * small A of RDNA4 stays in the lower half, where B does not. */
static void sparse_operands_meet(void) {
    unsigned found = 0;
    for (unsigned n = 0; n < SIZES * SIZES; ++n) {
        unsigned k = sizes[n % SIZES];
        unsigned bits = sizes[n / SIZES];
        for (unsigned m = 16; m <= 32u; m *= 2u) {
            ll_layout a = ll_amd_smfmac_a(m, k, bits);
            ll_layout b = ll_amd_smfmac_b(k, m, bits);
            CHECK(a.err ? b.err != LL_OK : meet(a, b));
            CHECK(a.err || ll_rank(a) + 2u == ll_shape_bits_(&a.out));
            CHECK(a.err || fit(a, b, ll_amd_mfma_c(m, m, 1, 32)));
            CHECK(a.err || (is_operand(b) && ll_is_injective(b)));
            found += !a.err;
        }
        ll_layout a = ll_amd_swmmac_a(0x1201, 32, k, bits);
        ll_layout b = ll_amd_swmmac_b(0x1201, 32, k, bits);
        CHECK(a.err ? b.err != LL_OK : meet(a, b));
        CHECK(a.err || ll_rank(a) + 2u == ll_shape_bits_(&a.out));
        CHECK(a.err || fit(a, b, ll_amd_wmma_c(0x1201, 32, 32)));
        CHECK(a.err || (is_operand(b) && ll_is_injective(b)));
        found += !a.err;
    }
    CHECK(found == 12);
}

/* A scale for each 32 of k, in A and B alike, in the lanes of its row. */
static void scales_fit_their_operands(void) {
    for (unsigned m = 16; m <= 32u; m *= 2u) {
        unsigned k = 2048u / m;
        ll_layout a = ll_amd_mfma_scale_a(m, k);
        ll_layout b = ll_amd_mfma_scale_b(k, m);
        CHECK(ll_is_invertible(a) && ll_is_invertible(b) && meet(a, b));
        CHECK(fit(a, b, ll_amd_mfma_c(m, m, 1, 32)));
        CHECK(ll_size(a.out, LL_J) * 32u ==
              ll_size(ll_amd_mfma_a(m, k, 1, 8).out, LL_J));
        CHECK(ll_amd_mfma_scale_a(m, k + 1u).err == LL_EMFMA);
        CHECK(ll_amd_mfma_scale_a(m, 2u * k).err == LL_EMFMA);
    }
    CHECK(ll_amd_swmmac_a(0x1200, 32, 33, 16).err == LL_EWMMA);
}

/* ---- Modifiers ----------------------------------------------------------- */

static void modifiers_read_what_they_promise(void) {
    ll_layout a = ll_amd_mfma_a(4, 4, 16, 16);
    for (unsigned x = 0; x < 1u << ll_shape_bits_(&a.out); ++x) {
        unsigned b = ll_unpack(a.out, LL_AMD_B, x);
        for (unsigned cbsz = 0; cbsz < 5u; ++cbsz) {
            unsigned abid = test_random(1u << cbsz);
            unsigned at = ll_apply(ll_amd_cbsz(a, cbsz, abid), x);
            unsigned same = ll_pack(a.out, LL_AMD_B, b);
            unsigned from = ll_pack(a.out, LL_AMD_B, (b >> cbsz << cbsz) + abid);
            CHECK(ll_apply(a, at) == (x ^ same ^ from));
        }
    }
    ll_layout b = ll_amd_mfma_b(4, 16, 4, 16);
    const ll_layout plain = ll_pinv(b);
    for (unsigned x = 0; x < 1u << ll_shape_bits_(&b.out); ++x) {
        unsigned lane = ll_unpack(b.in, LL_LANE, ll_apply(plain, x));
        for (unsigned p = 0; p < 8u; ++p) {
            unsigned from = p == 0   ? lane
                            : p <= 2 ? lane % 32u + (p - 1u) * 32u
                            : p == 3 ? (lane + 16u) % 64u
                                     : lane % 16u + (p - 4u) * 16u;
            unsigned at = ll_apply(ll_amd_blgp(b, p), x);
            CHECK(ll_unpack(b.in, LL_LANE, at) == from);
        }
    }
}

/* ---- Shared memory ------------------------------------------------------- */

static void transposing_loads_exchange_and_lose_nothing(void) {
    for (unsigned bits = 4; bits <= 16u; bits *= 2u) {
        ll_layout a = ll_amd_ds_read_tr(bits);
        CHECK(ll_is_invertible(a) && ll_size(a.in, LL_REGISTER) * bits == 64u);
        a = ll_amd_ds_load_tr(bits);
        CHECK(bits == 4u ? a.err == LL_ETRANSPOSE : ll_is_invertible(a));
    }
}

/* Of 2^cbsz blocks all read block abid of theirs, wherever the blocks stand
 * among the axes. */
static void blocks_are_read_in_any_order_of_axes(void) {
    const char *order[3] = {"j i b", "b j i", "j b i"};
    const ll_dim b = ll_dim_of("b");
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_layout a =
            ll_order_out(ll_amd_mfma_a(16, 4, 4, 16), order[k]);
        for (unsigned n = 0; n < 7u; ++n) {
            const unsigned cbsz = n == 0 ? 0 : n < 3u ? 1 : 2;
            const unsigned abid = n == 0 ? 0 : n < 3u ? n - 1u : n - 3u;
            const ll_layout read = ll_amd_cbsz(a, cbsz, abid);
            CHECK(!a.err && !read.err);
            for (unsigned y = 0; y < 256u; ++y) {
                const unsigned block = ll_unpack(a.out, b, y);
                const unsigned from = (block >> cbsz << cbsz) | abid;
                const unsigned want = (y & ~ll_pack(a.out, b, ~0u)) |
                                      ll_pack(a.out, b, from);
                CHECK(ll_apply(a, ll_apply(read, y)) == want);
            }
        }
    }
}

/* ---- Targets ------------------------------------------------------------- */

static void a_transpose_has_no_conflicts_on_any_target(void) {
    for (unsigned k = 0; k < GFXS * 2u; ++k) {
        unsigned lanes = k % 2u ? 64 : 32;
        ll_target t = ll_amd_target(gfxs[k / 2u], lanes);
        ll_layout a = ll_parse(
            lanes == 64u
                ? "register: j0 j1 i4 i5 | lane: j2 j3 j4 j5 i0 i1 | warp: i2 i3"
                : "register: j0 j1 i4 i5 | lane: j2 j3 j4 j5 i0 | "
                  "warp: i1 i2 i3");
        ll_plan p = ll_plan_of(a, ll_trans(a, "j i"), 32, t);
        unsigned known = gfxs[k / 2u] < 0x1000u ? lanes == 64u
                                                : gfxs[k / 2u] != 0x1250u;
        CHECK(t.err == (known ? LL_OK : LL_ETARGET));
        CHECK(t.err || (p.err == LL_OK && ll_conflicts(p) == 0));
    }
}

/* ---- Targets ------------------------------------------------------------- */

/* A target, and what AMD's documents say of it: the family, the lanes of a
 * wavefront (ISA references). */
typedef struct known_target {
    unsigned gfx;
    char family; /* C: CDNA, 3: RDNA3, 4: RDNA4 */
} known_target;

static const known_target known_targets[] = {
    {0x908, 'C'},  {0x90a, 'C'},  {0x940, 'C'},  {0x941, 'C'},  {0x942, 'C'},
    {0x950, 'C'},  {0x1100, '3'}, {0x1101, '3'}, {0x1102, '3'}, {0x1103, '3'},
    {0x1150, '3'}, {0x1151, '3'}, {0x1152, '3'}, {0x1153, '3'}, {0x1200, '4'},
    {0x1201, '4'}};

enum { KNOWN = sizeof known_targets / sizeof *known_targets };

static char family_of(unsigned gfx) {
    for (unsigned k = 0; k < KNOWN; ++k) {
        if (known_targets[k].gfx == gfx) {
            return known_targets[k].family;
        }
    }
    return 0;
}

static void targets_are_those_of_the_manuals(void) {
    for (unsigned gfx = 0x800; gfx < 0x1300u; ++gfx) {
        const char family = family_of(gfx);
        CHECK((ll_amd_target(gfx, 64).err == LL_OK) == (family != 0));
        CHECK((ll_amd_target(gfx, 32).err == LL_OK) ==
              (family == '3' || family == '4'));
        CHECK(ll_amd_target(gfx, 16).err == LL_ETARGET);
        CHECK(ll_amd_target(gfx, 128).err == LL_ETARGET);
    }
}

/* What the local data share does. 32 banks of 4 bytes, 64 of them for reads on
 * gfx950 (CDNA4 ISA, "LDS"); 128 bytes at once otherwise, so half as many lanes
 * for twice the width. Lanes 4 to 7 change places with lanes 20 to 23 where
 * the phase's third number is 20, in reads of 16 bytes (amd_lds_phases.jsonl in
 * tests/data has the measurements, of four targets; others as those). */
static void banks_and_phases_of_all_targets(void) {
    for (unsigned k = 0; k < KNOWN; ++k) {
        const known_target *g = &known_targets[k];
        const ll_target t = ll_amd_target(g->gfx, 64);
        const int cdna4 = g->gfx == 0x950u;
        CHECK(t.lanes == 64u && t.bank_bytes == 4u && t.access_bytes == 16u);
        CHECK(t.pairs == 1u); /* ds_read2_b32, ds_read2_b64 */
        CHECK(t.merge == 0 && t.blocks == 0);
        for (unsigned width = 0; width < 3u; ++width) {
            const unsigned read = (cdna4 ? 6u : 5u) - width;
            for (unsigned n = 0; n < 6u; ++n) {
                unsigned number = n < read ? 1u << n : 0u;
                if (width == 2u && cdna4) {
                    number = n == 2u ? 12u : n == 3u ? 20u : number;
                } else if (width == 2u && g->family != '4') {
                    number = n == 2u ? 20u : number;
                }
                CHECK(t.phase[LL_READ][width][n] == number);
                CHECK(t.phase[LL_WRITE][width][n] ==
                      (n < 5u - width ? 1u << n : 0u));
            }
            CHECK(t.banks[LL_READ][width] == (cdna4 ? 64u : 32u));
            CHECK(t.banks[LL_WRITE][width] == 32u);
        }
    }
}

/* Ways between lanes. All have DPP's quad_perm and ds_swizzle; of its XORs
 * within a row of 16 CDNA has those by 1, 2, 3 (quad_perm), 7
 * (row_half_mirror), 8 (row_ror 8) and 15 (row_mirror), RDNA all, by
 * row_xmask. RDNA has v_permlane16 and v_permlanex16, and of 64 lanes
 * v_permlane64; gfx950 swaps lane bits 4 and 5 (ISA references). */
static void hops_of_all_targets(void) {
    for (unsigned k = 0; k < KNOWN; ++k) {
        const known_target *g = &known_targets[k];
        for (unsigned lanes = 32; lanes <= 64u; lanes *= 2u) {
            const ll_target t = ll_amd_target(g->gfx, lanes);
            const int rdna = g->family != 'C';
            const int swaps = g->gfx == 0x950u;
            CHECK(t.swaps == (swaps ? 16u + 32u : 0u));
            unsigned want = 1u << LL_HOP_QUAD | 1u << LL_HOP_XOR |
                            1u << LL_HOP_32;
            want |= rdna ? 1u << LL_HOP_ROW | 1u << LL_HOP_ROWX : 0u;
            want |= rdna && lanes == 64u ? 1u << LL_HOP_HALF : 0u;
            want |= swaps ? 1u << LL_HOP_SWAP : 0u;
            for (unsigned by = 1; by < 16u; ++by) {
                const int mirror = by == 7u || by == 8u || by == 15u;
                want |= rdna || by < 4u || mirror ? 1u << (16u + by) : 0u;
            }
            CHECK(t.hops == want);
        }
    }
}

/* In eighths of a cycle of one SIMD, of a warp among many: the local data share
 * serves 128 bytes a cycle to the 4 SIMDs of CDNA's compute unit or the 2 of
 * RDNA's, so a wavefront costs each of them 4 or 2; a shuffle a wavefront for
 * each 32 lanes; an instruction 4 cycles on CDNA (64 lanes on 16), on RDNA 1
 * for each 32 lanes. (AMD's descriptions of CDNA3 and RDNA.) Waits are to a
 * wavefront as on sm_90, a half and four of them. */
static void costs_of_all_targets(void) {
    for (unsigned k = 0; k < KNOWN; ++k) {
        const known_target *g = &known_targets[k];
        for (unsigned lanes = 32; lanes <= 64u; lanes *= 2u) {
            const ll_target t = ll_amd_target(g->gfx, lanes);
            const unsigned simds = g->family == 'C' ? 4u : 2u;
            const unsigned wavefront = 8u * simds;
            const unsigned halves = lanes == 64u ? 2u : 1u;
            CHECK(t.err || t.cost[LL_COST_MEMORY] == wavefront);
            CHECK(t.err || t.cost[LL_COST_SHUFFLE] == wavefront * halves);
            CHECK(t.err || t.cost[LL_COST_LOGIC] ==
                               (g->family == 'C' ? 8u * 4u : 8u * halves));
            CHECK(t.err || (t.cost[LL_COST_SELECT] == t.cost[LL_COST_LOGIC] &&
                            !t.cost[LL_COST_ISSUE] && !t.cost[LL_COST_START]));
            CHECK(t.err || t.cost[LL_COST_WARP] == wavefront / 2u);
            CHECK(t.err || t.cost[LL_COST_BLOCK] == wavefront * 4u);
        }
    }
}

/* The digits of a form (ll.h) say what the layout of the load says. */
static void forms_are_what_the_loads_do(void) {
    const ll_target t = LL_GFX950;
    for (unsigned bits = 8; bits <= 16u; bits *= 2u) {
        const ll_layout a = ll_amd_ds_read_tr(bits);
        const ll_form form =
            t.forms[LL_READ][bits == 8u ? LL_FORM_BYTES : LL_FORM_TRANS];
        for (unsigned x = 0; x < 512u; ++x) {
            const unsigned byte = x / 64u;
            const unsigned y =
                ll_apply(a, ll_pack(a.in, LL_REGISTER, byte * 8u / bits) |
                                ll_pack(a.in, LL_LANE, x % 64u));
            unsigned from = 0;
            for (unsigned k = 0; k < 10u; ++k) {
                const unsigned digit = (unsigned)(form >> 4u * k) & 15u;
                from |= digit < 15u && (byte | x % 64u << 4) >> k & 1u
                            ? 1u << digit
                            : 0u;
            }
            CHECK(from >> 8 == ll_unpack(a.out, LL_LANE, y));
            CHECK((from & 255u) == ll_unpack(a.out, LL_REGISTER, y) * bits / 8u +
                                       byte % (bits / 8u));
        }
    }
}

/* ---- Limits -------------------------------------------------------------- */

static void modifiers_and_sizes_end_at_their_limits(void) {
    const ll_layout c = ll_amd_wmma_c(0x1100, 32, 16);
    CHECK(ll_amd_opsel(c, 1).err == LL_OK);
    CHECK(ll_amd_opsel(c, 2).err == LL_EMODIFIER);
    CHECK(ll_amd_mfma_c(32, 32, 0, 64).err == LL_EMFMA);
    /* 8,192 bits are 16x16x32 elements of 16 bits; a half is no instruction */
    CHECK(ll_amd_smfmac_a(16, 32, 16).err == LL_OK);
    CHECK(ll_amd_smfmac_a(16, 16, 16).err == LL_EMFMA);
    CHECK(ll_amd_smfmac_a(16, 64, 16).err == LL_OK);
    CHECK(ll_amd_smfmac_a(16, 128, 16).err == LL_EMFMA);
    /* 16 indices in a VGPR: one set of 16, or 16 sets of one */
    const ll_layout all = L("register: j0 j1 j2 j3 | lane: i0");
    const ll_layout one = L("lane: i0");
    CHECK(ll_is_equal(ll_amd_index_set(all, 0),
                      L("j: register0 register1 register2 register3 | "
                        "i: lane0 -> register=16 | lane=2")));
    CHECK(ll_amd_index_set(all, 1).err == LL_EMODIFIER);
    CHECK(ll_amd_index_set(one, 15).err == LL_OK);
    CHECK(ll_amd_index_set(one, 16).err == LL_EMODIFIER);
    /* 32 bits: the axes end with the last column */
    const ll_layout most = L("lane: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 "
                             "i13 i14 i15 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 "
                             "b11 b12 b13 b14 b15");
    CHECK(ll_is_equal(ll_amd_cbsz(most, 0, 0), ll_inv(most)));
    /* bytes of 4, 8 and 16 have banks; of transposed reads only on gfx950 */
    for (unsigned k = 0; k < GFXS; ++k) {
        const ll_target t = ll_amd_target(gfxs[k], 64);
        CHECK(t.banks[LL_READ][3] == (gfxs[k] == 0x950u ? 32u : 0u));
        CHECK(t.banks[LL_WRITE][3] == 0);
    }
}

#define TEXT_OF_(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT_OF_(__VA_ARGS__)

/* LDS is address space 3 (LLVM, "User Guide for AMDGPU Backend"). */
static void shared_memory_is_address_space_3(void) {
    const char *text = TEXT_OF(LL_AMD_SHARED_(p));
    CHECK(strstr(text, "address_space(3)") && strstr(text, "(p)"));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(any_sizes_give_a_layout_or_a_reason);
    RUN(modifiers_take_any_layout);
    RUN(dense_operands_hold_each_element_and_meet);
    RUN(operands_of_rdna_hold_each_element_and_meet);
    RUN(sparse_operands_meet);
    RUN(scales_fit_their_operands);
    RUN(modifiers_read_what_they_promise);
    RUN(transposing_loads_exchange_and_lose_nothing);
    RUN(a_transpose_has_no_conflicts_on_any_target);
    RUN(forms_are_what_the_loads_do);
    RUN(blocks_are_read_in_any_order_of_axes);
    RUN(targets_are_those_of_the_manuals);
    RUN(banks_and_phases_of_all_targets);
    RUN(hops_of_all_targets);
    RUN(costs_of_all_targets);
    RUN(modifiers_and_sizes_end_at_their_limits);
    RUN(shared_memory_is_address_space_3);
    return test_end();
}
