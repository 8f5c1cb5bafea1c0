/* test_plans.c - every plan moves every element to where it belongs.
 * SPDX-License-Identifier: MIT
 *
 * Plans between random layouts, and between layouts of all families, are
 * executed on arrays, step by step, as a kernel would; every register is then
 * compared with the definition of its layout.
 */
#include "machines.h"
#include "plans.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

static void plans_move_every_element(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    for (unsigned k = 0; k < times(20000u); ++k) {
        unsigned which = test_random(2 * N_REAL + N_TINY);
        const ll_target t = which < 2 * N_REAL ? real_machine(which / 2u)
                                               : tiny_machine(which - 2u * N_REAL);
        const random_pair c = random_small(&t);
        unsigned element_bits = 8u << test_random(5);
        ++kinds[check_plan(&c, element_bits, &t, LL_ANY)];
        check_plan(&c, element_bits, &t, LL_SHUFFLES);
        check_plan(&c, element_bits, &t, LL_SHARED);
    }
    COVERS(kinds[LL_NOTHING] > 100u && kinds[LL_REGISTERS] > 100u);
    COVERS(kinds[LL_SHUFFLES] > 600u && kinds[LL_SHARED] > 600u);
}

/* The bits of the tensor stand in sixteen axes. */
static void plans_of_16_axes_move_every_element(void) {
    const char *const axes = "x w v u t s r q p o n m l k j i";
    for (unsigned k = 0; k < times(2000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const unsigned element_bits = 8u << test_random(5);
        random_pair c = random_small(&t);
        const ll_plan two = ll_plan_of(c.a, c.b, element_bits, t);
        c.out = ll_shape_of(axes);
        for (unsigned bit = 0; bit < c.tensor + c.blocks; ++bit) {
            ++c.out.bits[test_random(16)];
        }
        c.a.out = c.b.out = c.out;
        check_plan(&c, element_bits, &t, LL_ANY);
        check_plan(&c, element_bits, &t, LL_SHARED);
        const ll_plan p = ll_plan_of(c.a, c.b, element_bits, t);
        CHECK(p.kind == two.kind && p.cycles == two.cycles);
        CHECK(ll_conflicts(p) == ll_conflicts(two));
    }
}

/* A result that holds only a part of the tensor: some bits are 0 in it. */
static void plans_move_a_part_of_the_tensor(void) {
    unsigned shared = 0;
    for (unsigned k = 0; k < times(4000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const unsigned bits = 8u << test_random(5);
        random_pair c = random_small(&t);
        const unsigned gone = test_random(1u << c.tensor);
        for (unsigned m = 0; m < 32u; ++m) {
            c.b.basis[m] &= ~gone;
        }
        shared += check_plan(&c, bits, &t, LL_ANY) == LL_SHARED;
    }
    COVERS(shared > 500u);
}

/* Tiles of many registers, on the machines that have matrix accesses. */
static void plans_by_matrices_move_every_element(void) {
    unsigned seen[3][LL_MAX_FORMS] = LL_ZERO;
    for (unsigned m = 0; m < 3u; ++m) {
        const ll_target t = real_machine(6u + m);
        memset(forms, 0, sizeof forms);
        for (unsigned k = 0; k < times(1500u); ++k) {
            const random_pair c = random_conversion(
                m < 2u ? 5 : 6, (m < 2u ? 9u : 10u) + test_random(3), 6,
                test_random(8) == 0);
            check_plan(&c, 8u << test_random(3), &t, LL_SHARED);
        }
        memcpy(seen[m], forms, sizeof forms);
    }
    COVERS(seen[0][LL_FORM_MATRIX] > times(10u));
    COVERS(seen[0][LL_FORM_TRANS] > times(20u));
    COVERS(seen[1][LL_FORM_BYTES] > times(10u));
    COVERS(seen[2][LL_FORM_TRANS] > times(10u));
    COVERS(seen[2][LL_FORM_BYTES] > times(10u));
    printf("accesses by matrices: ");
    for (unsigned m = 0; m < 3u; ++m) {
        printf("%u %u %u%s", seen[m][LL_FORM_MATRIX], seen[m][LL_FORM_TRANS],
               seen[m][LL_FORM_BYTES], m < 2u ? ", " : "\n");
    }
}

/* In several passes where memory is scarce: never more of it than allowed. */
static void plans_within_a_budget_move_every_element(void) {
    unsigned found[4] = {0, 0, 0, 0};
    for (unsigned k = 0; k < times(4000u); ++k) {
        const ll_target t = real_machine(test_random(2) ? 0 : 6);
        const random_pair c =
            random_conversion(5, 7u + test_random(5), 6, test_random(8) == 0);
        const unsigned bits = 8u << test_random(5);
        const ll_plan whole = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        const unsigned halved = test_random(4);
        const unsigned bytes = whole.smem_bytes >> halved;
        const ll_plan p = ll_plan_within(c.a, c.b, bits, t, bytes);
        CHECK(p.err == LL_OK || (p.err == LL_EBUDGET && halved));
        if (!p.err) {
            CHECK(p.smem_bytes <= bytes || p.kind != LL_SHARED);
            /* Passes halve the memory: as many as that takes, and no more. */
            CHECK(p.kind != LL_SHARED || p.passes == halved);
            check_the_plan(&c, bits, &t, LL_ANY, p);
            ++found[p.passes < 3u ? p.passes : 3];
        }
    }
    COVERS(found[0] > 500u && found[1] > 50u && found[2] > 20u && found[3] > 5u);
}

static void plans_through_any_memory_move_every_element(void) {
    unsigned found = 0;
    for (unsigned k = 0; k < times(3000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const unsigned bits = 8u << test_random(5);
        const random_pair c = random_conversion(
            ll_log2_(t.lanes), 5u + test_random(6), 6, test_random(4));
        if (c.blocks || c.a.err || c.b.err) {
            continue;
        }
        const ll_layout m = random_memory(&c.a.out);
        const ll_plan p = ll_plan_through(c.a, c.b, bits, t, m);
        CHECK(p.kind == LL_SHARED && ll_is_equal(p.memory, m));
        check_the_plan(&c, bits, &t, LL_SHARED, p);
        ++found;
    }
    COVERS(found > 500u);
}

/* Operands of mma are loaded by ldmatrix, whose lanes hold words of a row: each
 * warp's 16 rows of 128 bytes by 4 accesses of 4 matrices, without
 * conflicts. */
static void operands_are_loaded_as_matrices(void) {
    for (unsigned bits = 8; bits <= 32u; bits *= 2u) {
        const unsigned cols = 1024u / bits;
        const ll_layout a = ll_ptx_mma_a(64, cols, bits, 4);
        const ll_plan p =
            ll_plan_of(ll_rows(64, cols, bits / 8u), a, bits, LL_SM90);
        CHECK(p.kind == LL_SHARED && p.smem_bytes == 64u * 128u);
        CHECK(p.step[3].form == LL_FORM_MATRIX && p.step[3].count == 4u);
        CHECK(p.step[3].bytes == 16u && p.step[3].wavefronts == 4u);
        CHECK(p.step[1].bytes == 16u && p.step[1].wavefronts == 4u);
    }
}

/* A byte less than the memory takes one pass more; a byte more saves none. */
static void budgets_are_met_to_the_byte(void) {
    const ll_layout a = ll_rows(64, 64, 2);
    const ll_layout b = ll_ptx_mma_a(64, 64, 16, 4);
    const unsigned whole = 64u * 64u * 2u;
    const unsigned bytes[] = {whole + 1u,      whole,       whole - 1u,
                              whole / 2u + 1u, whole / 2u, whole / 2u - 1u};
    const unsigned passes[] = {0, 0, 1, 1, 1, 2};
    for (unsigned k = 0; k < 6u; ++k) {
        const ll_plan p = ll_plan_within(a, b, 16, LL_SM90, bytes[k]);
        CHECK(p.err || p.kind == LL_SHARED);
        CHECK(p.err ? p.err == LL_EBUDGET && k == 5u
                    : p.passes == passes[k] &&
                          p.smem_bytes == whole >> passes[k]);
    }
}

/* Memory for ll_plan_through holds each element of the tensor once. */
static void memory_lacks_no_element(void) {
    const ll_layout a = ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4");
    const struct {
        const char *memory;
        unsigned err;
    } is[] = {{"offset: j0 j1 i0 i1 i2 i3 i4", LL_OK},
              {"offset: i0 i1 i2 i3 i4 j0^i0 j1", LL_OK},
              {"offset: j0 j1 i0 i1 i2 i3", LL_EMATCH}, /* half the rows */
              {"offset: j0 j1 i0 i1 i2 i3 i4 i5", LL_EMATCH},
              {"offset: j0 i0 i1 i2 i3 i4", LL_EMATCH},
              {"offset: j0 j1 i0 i1 i2 i3 i4 k0", LL_EMATCH},
              {"offset: i0 i1 i2 i3 i4", LL_EMATCH},
              {"offset: j0 j1 i0 i1 i2 i3 -> i=32 | j=4", LL_EMEMORY},
              {"offset: j0 j1 i0 i1 i2 i3 0 -> i=32 | j=4", LL_EMEMORY},
              {"offset: j0 j1 i0 i1 i2 i3 i4 0", LL_EMEMORY},
              {"offset: j0 j1 i0 i1 i2 i3 i4 i4", LL_EMEMORY},
              {"offset: j0 j1 i0 i1 i2 i3 i3 -> i=32 | j=4", LL_EMEMORY},
              {"lane: j0 j1 i0 i1 i2 i3 i4", LL_EMEMORY},
              {"offset: j0 j1 i0 i1 i2 i3 | lane: i4", LL_EMEMORY}};
    for (unsigned k = 0; k < sizeof is / sizeof is[0]; ++k) {
        const ll_layout m = ll_parse(is[k].memory);
        CHECK(!m.err);
        CHECK(ll_plan_through(a, a, 32, LL_SM90, m).err == is[k].err);
    }
    CHECK(ll_plan_through(a, a, 32, LL_SM90, ll_parse("?")).err == LL_ETEXT);
}

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
           : k == 4u
               ? rows_of_lanes(s->rows, s->cols, bytes, s->lanes, s->warps)
           : k == 5u ? ll_trans(rows_of_lanes(s->cols, s->rows, bytes, s->lanes,
                                              s->warps),
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

enum { PAIRS = 200000 }; /* of two members of some families */

static void all_families_convert_into_each_other(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    unsigned pairs = 0;
    while (pairs < times(PAIRS)) {
        scene s = {below(64), below(64), 8u << test_random(5),
                   test_random(4) ? 32u : 64u, below(4)};
        s.rows *= 2u;
        random_pair c = LL_ZERO;
        c.a = member(&s, test_random(15));
        c.b = member(&s, test_random(15));
        if (c.a.err || c.b.err || ll_shape_bits_(&c.a.in) > 14u ||
            ll_shape_bits_(&c.b.in) > 14u || s.rows * s.cols > 2048u) {
            continue;
        }
        const ll_target t = some_target(s.lanes);
        const unsigned kind = test_random(8) ? LL_ANY
                              : test_random(2) ? LL_SHUFFLES
                                               : LL_SHARED;
        ++kinds[check_plan(&c, s.bits, &t, kind)];
        ++pairs;
    }
    printf("%u pairs: %u nothing, %u registers, %u shuffles, %u shared\n",
           pairs, kinds[LL_NOTHING], kinds[LL_REGISTERS], kinds[LL_SHUFFLES],
           kinds[LL_SHARED]);
    COVERS(kinds[LL_NOTHING] > pairs / 30u && kinds[LL_REGISTERS] > pairs / 20u);
    COVERS(kinds[LL_SHUFFLES] > pairs / 5u && kinds[LL_SHARED] > pairs / 4u);
}

/* ldmatrix hands out words of two 16-bit elements. Where registers 0 and 1 of
 * both layouts can make such a word, nothing is left to permute within words.
 * (On sm_90, the registers of a step are permuted at a price per word.) */
static void words_of_matrices_are_not_permuted(void) {
    const ll_plan p = ll_plan_by(
        ll_parse("register: j2 i1 | lane: i2 i3 i0 i4 j0 | warp: i5 j1"),
        ll_parse("register: j0 j1 i1 0 | lane: i0 i2 j2 i3 i4 | warp: i5"), 16,
        LL_SM90, LL_SHARED);
    unsigned matrices = 0;
    CHECK(p.err == LL_OK);
    for (unsigned k = 0; k < p.n; ++k) {
        matrices += p.step[k].form != LL_FORM_VECTOR;
        CHECK(p.step[k].op != LL_OP_RENAME || p.step[k].count == 0);
    }
    CHECK(matrices == 1u);
}

/* Each access of each step loses what it takes beyond the fewest wavefronts.
 * Whoever compares plans by their conflicts relies on the sum. */
static void conflicts_are_the_sum_of_what_steps_lose(void) {
    ll_plan p = LL_ZERO;
    CHECK(ll_conflicts(p) == 0);
    p.n = 3;
    p.step[0].wavefronts = 5;
    p.step[0].least = 2;
    p.step[0].count = 4;
    p.step[1].wavefronts = p.step[1].least = 8;
    p.step[1].count = 16;
    p.step[2].wavefronts = 2;
    p.step[2].least = 1;
    p.step[2].count = 7;
    p.step[3].wavefronts = p.step[3].count = 9; /* no step: p.n is 3 */
    CHECK(ll_conflicts(p) == 4u * 3u + 7u);
}

/* The size of shared memory is a number of 32 bits: 2^31 bytes are the last
 * that it can be. Elements of 16 bytes, `bits` bits of them. */
static ll_plan plan_of_size(unsigned bits) {
    const ll_shape in = ll_with(
        ll_with(ll_with(ll_shape_of(""), LL_REGISTER, 4), LL_LANE, 32), LL_WARP,
        1u << (bits - 7u));
    ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_I, 1u << bits));
    ll_layout b = a;
    for (unsigned k = 0; k < bits; ++k) {
        a.basis[k] = 1u << k;
        b.basis[k] = 1u << (bits - 1u - k);
    }
    return ll_plan_by(a, b, 128, LL_SM90, LL_SHARED);
}

static void memory_has_less_than_2_to_the_32_bytes(void) {
    CHECK(plan_of_size(27).err == LL_OK);
    CHECK(plan_of_size(27).smem_bytes == 1u << 31);
    CHECK(plan_of_size(28).err == LL_EBITS);
    CHECK(plan_of_size(29).err == LL_EBITS);
}

/* Where no byte shares a register with a partner of its word on both sides,
 * each lane may read the bytes of two warps and keep its own: a step with a
 * flip. It is taken where it is cheaper than what a machine without ldmatrix
 * does, and it moves every element. */
static void bytes_of_two_warps_are_read_where_that_is_cheaper(void) {
    const ll_target t = LL_SM90;
    ll_target without = t;
    memset(without.forms, 0, sizeof without.forms);
    random_pair c = LL_ZERO;
    c.tensor = 7;
    c.out = ll_shape_of("j=64 i=2");
    c.a = ll_parse("register: j1 | lane: j4 j5 j2 j3 i0 | warp: j0");
    c.b = ll_parse("register: j2 j3 | lane: 0 j0 j4 j5 i0 | warp: j1");
    const ll_plan p = ll_plan_by(c.a, c.b, 8, t, LL_SHARED);
    CHECK(p.err == LL_OK && p.step[4].flip == 32u);
    CHECK(p.step[4].count == 1u); /* one permute for the word of each lane */
    CHECK(p.cycles < ll_plan_by(c.a, c.b, 8, without, LL_SHARED).cycles);
    check_plan(&c, 8, &t, LL_SHARED);
    unsigned flips = 0;
    for (unsigned k = 0; k < times(2000u); ++k) {
        c = random_conversion(5, 7u + test_random(2), 6, 0);
        flips += ll_plan_by(c.a, c.b, 8, t, LL_SHARED).step[4].flip != 0;
        check_plan(&c, 8, &t, LL_SHARED);
    }
    COVERS(flips > times(40u));
}

/* Neighbouring lanes that read the same 16 bytes share their wavefronts: twice
 * the bytes cost nothing, where each lane would load byte by byte. */
static void bytes_of_two_lanes_are_read_at_once(void) {
    const ll_target t = LL_SM90;
    random_pair c = LL_ZERO;
    c.tensor = 10;
    c.out = ll_shape_of("j=1024 i=1");
    c.a = ll_parse("register: j0 j1 j2 j3 j4 | lane: j5 j6 j7 j8 j9");
    c.b = ll_parse("register: j5 j6 j7 j8 j9 | lane: j0 j1 j2 j3 j4");
    const ll_plan p = ll_plan_of(c.a, c.b, 8, t);
    CHECK(p.err == LL_OK && p.step[4].flip == 1u && p.step[4].flip_by == 1u);
    CHECK(p.step[3].count == 4u && p.step[3].wavefronts == 2u);
    CHECK(p.step[2].op == LL_OP_SYNC_WARP && ll_conflicts(p) == 0);
    check_plan(&c, 8, &t, LL_SHARED);
}

/* From an accumulator of 8 bits to operand A, each pair of words takes two
 * selects before its two shuffles and two byte permutes behind them; the way
 * back the other way round. Other selects become selectors of the permutes. */
static void selects_join_byte_permutes(void) {
    const ll_target t = LL_SM90;
    const ll_layout c = ll_parse("register: j0 i3 j3 j4 j5 | "
                                 "lane: j1 j2 i0 i1 i2");
    const ll_layout a = ll_parse("register: j0 j1 i3 j4 j5 | "
                                 "lane: j2 j3 i0 i1 i2");
    const ll_plan forth = ll_plan_of(c, a, 8, t);
    const ll_plan back = ll_plan_of(a, c, 8, t);
    const ll_step *late = &forth.step[forth.n - 1u];
    CHECK(forth.kind == LL_SHUFFLES && back.kind == LL_SHUFFLES);
    CHECK(late->count == 8u && late->flip && late->flip_by == 4u);
    CHECK(back.step[0].count == 8u && back.step[0].flip);
    for (unsigned k = 1; k < forth.n; ++k) {
        CHECK(forth.step[k].op != LL_OP_SELECT || forth.step[k].count == 8u);
    }
    unsigned flips = 0;
    for (unsigned k = 0; k < times(2000u); ++k) {
        const random_pair r = random_conversion(5, 6u + test_random(3), 5, 0);
        const ll_plan p = ll_plan_by(r.a, r.b, 8u << test_random(2), t,
                                     LL_SHUFFLES);
        if (!p.err && p.n && (p.step[0].flip || p.step[p.n - 1u].flip)) {
            check_plan(&r, p.element_bits, &t, LL_SHUFFLES);
            ++flips;
        }
    }
    COVERS(flips > times(20u));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(plans_move_every_element);
    RUN(plans_of_16_axes_move_every_element);
    RUN(plans_move_a_part_of_the_tensor);
    RUN(plans_by_matrices_move_every_element);
    RUN(plans_within_a_budget_move_every_element);
    RUN(operands_are_loaded_as_matrices);
    RUN(budgets_are_met_to_the_byte);
    RUN(memory_lacks_no_element);
    RUN(plans_through_any_memory_move_every_element);
    RUN(words_of_matrices_are_not_permuted);
    RUN(conflicts_are_the_sum_of_what_steps_lose);
    RUN(memory_has_less_than_2_to_the_32_bytes);
    RUN(bytes_of_two_warps_are_read_where_that_is_cheaper);
    RUN(bytes_of_two_lanes_are_read_at_once);
    RUN(selects_join_byte_permutes);
    RUN(all_families_convert_into_each_other);
    return test_end();
}
