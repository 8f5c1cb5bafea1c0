/* test_plans.c - every plan moves every element to where it belongs.
 * SPDX-License-Identifier: MIT
 *
 * Plans between random layouts, and between layouts of all families, are
 * executed on arrays, step by step, as a kernel would; every register is then
 * compared with the definition of its layout.
 */
#include "machines.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

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

/* Tiles of many registers, on the machines that have matrix accesses. */
static void plans_by_matrices_move_every_element(void) {
    unsigned seen[3][LL_MAX_FORMS] = LL_ZERO;
    for (unsigned m = 0; m < 3u; ++m) {
        const ll_target t = real_machine(6u + m);
        memset(forms, 0, sizeof forms);
        for (unsigned k = 0; k < 1500u * test.effort; ++k) {
            const random_pair c = random_conversion(
                m < 2u ? 5 : 6, (m < 2u ? 9u : 10u) + test_random(3), 6,
                test_random(8) == 0);
            check_plan(&c, 8u << test_random(3), &t, LL_SHARED);
        }
        memcpy(seen[m], forms, sizeof forms);
    }
    CHECK(seen[0][LL_FORM_MATRIX] > 10u * test.effort);
    CHECK(seen[0][LL_FORM_TRANS] > 20u * test.effort);
    CHECK(seen[1][LL_FORM_BYTES] > 10u * test.effort);
    CHECK(seen[2][LL_FORM_TRANS] > 10u * test.effort);
    CHECK(seen[2][LL_FORM_BYTES] > 10u * test.effort);
    printf("accesses by matrices: ");
    for (unsigned m = 0; m < 3u; ++m) {
        printf("%u %u %u%s", seen[m][LL_FORM_MATRIX], seen[m][LL_FORM_TRANS],
               seen[m][LL_FORM_BYTES], m < 2u ? ", " : "\n");
    }
}

/* In several passes where memory is scarce: never more of it than allowed. */
static void plans_within_a_budget_move_every_element(void) {
    unsigned found[4] = {0, 0, 0, 0};
    for (unsigned k = 0; k < 4000u * test.effort; ++k) {
        const ll_target t = real_machine(test_random(2) ? 0 : 6);
        const random_pair c =
            random_conversion(5, 7u + test_random(5), 6, test_random(8) == 0);
        const unsigned bits = 8u << test_random(5);
        const ll_plan whole = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        const unsigned bytes = whole.smem_bytes >> test_random(4);
        const ll_plan p = ll_plan_within(c.a, c.b, bits, t, bytes);
        CHECK(p.err == LL_OK || p.err == LL_EBUDGET);
        if (!p.err) {
            CHECK(p.smem_bytes <= bytes || p.kind != LL_SHARED);
            check_the_plan(&c, bits, &t, LL_ANY, p);
            ++found[p.passes < 3u ? p.passes : 3];
        }
    }
    CHECK(found[0] > 500u && found[1] > 50u && found[2] > 20u && found[3] > 5u);
}

/* Filled by copies: position by position the tile is what the registers would
 * have stored; its accesses are pieces of a row, in memory as well. */
static unsigned copies_of(const random_pair *c, unsigned scale, ll_plan p) {
    const ll_tile tile = ll_tile_copied(p);
    const ll_step *s = &p.step[1];
    const unsigned n = c->a.in.bits[0];
    const unsigned side = ll_ones_(tile.at.vector);
    if (tile.err) {
        return 0;
    }
    CHECK(s->op == LL_OP_STORE && tile.bytes <= 16u);
    CHECK(tile.bytes <= s->bytes || tile.bytes == 4u);
    CHECK(tile.bytes >> scale == 1u << tile.at.vector);
    CHECK(side >> tile.col_bits == 0);
    for (unsigned k = 0; k < 64u; ++k) {
        const unsigned thread = test_random(1u << (ll_total_(&c->a.in) - n));
        const unsigned pos = test_random(1u << s->at.n);
        const unsigned reg = ll_registers(&s->at, pos);
        const unsigned y =
            ll_map_at(tile.thread, thread) ^ ll_places(&tile.at, pos);
        const unsigned byte =
            ll_map_at(s->thread, thread) ^ ll_places(&s->at, pos);
        CHECK(y == ll_apply(c->a, reg | thread << n));
        CHECK((y & side) == (pos & side));
        CHECK((byte >> scale & side) == (pos & side));
    }
    return tile.bytes;
}

/* Where a lane has no 4 bytes of a row there is no plan of that kind. */
static void plans_for_copies_keep_pieces_of_rows(void) {
    unsigned found[5] = {0, 0, 0, 0, 0};
    unsigned none = 0, others = 0;
    for (unsigned k = 0; k < 6000u * test.effort; ++k) {
        const ll_target t = real_machine(test_random(2) ? 0 : 6);
        const unsigned scale = test_random(5), bits = 8u << scale;
        const random_pair c =
            random_conversion(5, 7u + test_random(5), 6, test_random(4));
        if (c.blocks) {
            continue;
        }
        others += copies_of(&c, scale,
                            ll_plan_by(c.a, c.b, bits, t, LL_SHARED)) > 0u;
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, LL_COPIES);
        if (p.err) {
            CHECK(p.err == LL_EKIND);
            CHECK(ll_tile_of(c.a, bits, 16).bytes < 4u);
            ++none;
        } else {
            const unsigned bytes = copies_of(&c, scale, p);
            CHECK(bytes >= 4u);
            check_the_plan(&c, bits, &t, LL_COPIES, p);
            ++found[bytes ? ll_log2_(bytes) : 0u];
        }
    }
    CHECK(none > 500u && found[2] > 100u && found[3] > 50u && found[4] > 50u);
    CHECK(others > 100u);
}

/* ---- All families -------------------------------------------------------- */

/* The tensor and the block of a case. */
typedef struct scene {
    unsigned rows, cols, bits, lanes, warps;
} scene;

static ll_shape tensor(const scene *s) {
    return ll_with(ll_with(ll_shape_of(""), LL_J, s->cols), LL_I, s->rows);
}

static unsigned below(unsigned size) {
    return 1u << test_random(ll_log2_(size) + 1u);
}

static ll_layout random_blocked(const scene *s) {
    const ll_shape none = LL_ZERO;
    unsigned across = below(s->lanes), warps = below(s->warps);
    return ll_blocked(
        tensor(s), ll_with(ll_with(none, LL_J, below(8)), LL_I, below(8)),
        ll_with(ll_with(none, LL_J, across), LL_I, s->lanes / across),
        ll_with(ll_with(none, LL_I, warps), LL_J, s->warps / warps));
}

/* A slice of a block of rank 3: lanes along the axis that is gone hold copies. */
static ll_layout random_slice(const scene *s) {
    const unsigned sizes[3] = {s->rows, 4, s->cols};
    const ll_shape none = LL_ZERO;
    unsigned k = below(s->lanes < 4u ? s->lanes : 4u);
    return ll_reduce(
        ll_blocked(ll_tensor(3, sizes), ll_with(none, ll_axis(2), below(8)),
                   ll_with(ll_with(none, ll_axis(1), k), ll_axis(2),
                           s->lanes / k),
                   ll_with(none, LL_I, s->warps)),
        1);
}

/* A product's operand on 2 x 2 warps or the like. */
static ll_layout on_warps(const scene *s, ll_layout fragment, ll_dim d,
                          ll_dim e) {
    const ll_shape none = LL_ZERO;
    unsigned n = below(s->warps);
    return ll_tiled(fragment, tensor(s),
                    ll_with(ll_with(none, d, n), e, s->warps / n));
}

static ll_layout nvidia(const scene *s, unsigned k) {
    const unsigned bits = s->bits > 64u ? 64u : s->bits;
    const unsigned k_size = bits == 64u ? 4u : 256u / bits;
    return k == 0   ? ll_ptx_mma_a(s->rows, s->cols, bits, s->warps)
           : k == 1 ? ll_ptx_mma_b(s->rows, s->cols, bits, s->warps)
           : k == 2 ? ll_ptx_mma_c(s->rows, s->cols, s->warps)
           : k == 3 ? ll_ptx_wgmma_d(s->rows, s->cols, s->warps)
           : k == 4 ? on_warps(s, ll_ptx_fragment_a(16, k_size, bits), LL_I, LL_K)
           : k == 5 ? on_warps(s, ll_ptx_fragment_b(k_size, 8, bits), LL_J, LL_K)
                    : on_warps(s, ll_ptx_fragment_c(16, 8), LL_I, LL_J);
}

static ll_layout amd(const scene *s, unsigned k) {
    return k == 0   ? on_warps(s, ll_amd_mfma_a(32, 8, 1, 16), LL_I, LL_K)
           : k == 1 ? on_warps(s, ll_amd_mfma_b(16, 16, 1, 16), LL_J, LL_K)
           : k == 2 ? on_warps(s, ll_amd_mfma_c(32, 32, 1, 32), LL_I, LL_J)
           : k == 3 ? on_warps(s, ll_amd_mfma_a(16, 32, 1, 8), LL_I, LL_K)
           : k == 4 ? on_warps(s, ll_amd_smfmac_b(16, 32, 16), LL_J, LL_K)
                    : on_warps(s, ll_amd_mfma_c(16, 16, 1, 32), LL_J, LL_I);
}

static ll_layout member(const scene *s, unsigned k) {
    const unsigned bytes = s->bits / 8u;
    const scene turned = {s->cols, s->rows, s->bits, s->lanes, s->warps};
    return k < 3u    ? random_blocked(s)
           : k == 3u ? random_slice(s)
           : k == 4u ? ll_rows_by(s->rows, s->cols, bytes, 16, 1, s->lanes,
                                  s->warps)
           : k == 5u ? ll_trans(ll_rows_by(s->cols, s->rows, bytes, 16, 1,
                                           s->lanes, s->warps),
                                "j i")
           : k == 6u ? ll_trans(random_blocked(&turned), "j i")
           : k == 7u ? ll_flip(random_blocked(s), LL_I, test_random(s->rows))
           : s->lanes == 32u ? nvidia(s, k - 8u)
                             : amd(s, k - 8u);
}

static ll_target some_target(unsigned lanes) {
    const unsigned sm[] = {75, 80, 90, 100};
    const unsigned gfx[] = {0x908, 0x90a, 0x942, 0x950};
    unsigned k = test_random(4);
    return lanes == 32u ? ll_ptx_target(sm[k]) : ll_amd_target(gfx[k], 64);
}

/* Pairs of two members of some families; fewer where each step is watched. */
#if defined(__SANITIZE_ADDRESS__)
enum { PAIRS = 200000 };
#else
enum { PAIRS = 200000 };
#endif

static void all_families_convert_into_each_other(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    unsigned pairs = 0;
    while (pairs < PAIRS * test.effort) {
        scene s = {below(64), below(64), 8u << test_random(5),
                   test_random(4) ? 32u : 64u, below(4)};
        s.rows *= 2u;
        random_pair c = LL_ZERO;
        c.a = member(&s, test_random(15));
        c.b = member(&s, test_random(15));
        if (c.a.err || c.b.err || ll_total_(&c.a.in) > 14u ||
            ll_total_(&c.b.in) > 14u || s.rows * s.cols > 2048u) {
            continue;
        }
        const ll_target t = some_target(s.lanes);
        const unsigned kind = test_random(8) ? LL_ANY
                              : test_random(2) ? LL_SHUFFLES
                                               : LL_SHARED;
        check_plan(&c, s.bits, &t, kind);
        kinds[ll_plan_by(c.a, c.b, s.bits, t, kind).kind] += 1u;
        ++pairs;
    }
    printf("%u pairs: %u nothing, %u registers, %u shuffles, %u shared\n",
           pairs, kinds[LL_NOTHING], kinds[LL_REGISTERS], kinds[LL_SHUFFLES],
           kinds[LL_SHARED]);
    CHECK(kinds[LL_NOTHING] > pairs / 30u && kinds[LL_REGISTERS] > pairs / 20u);
    CHECK(kinds[LL_SHUFFLES] > pairs / 5u && kinds[LL_SHARED] > pairs / 4u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(plans_move_every_element);
    RUN(plans_by_matrices_move_every_element);
    RUN(plans_within_a_budget_move_every_element);
    RUN(plans_for_copies_keep_pieces_of_rows);
    RUN(all_families_convert_into_each_other);
    return test_end();
}
