/* test_candidates_choices.c - pairs of layouts that need each choice of the
 * planner, and what their plans say.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "sums.h"

/* ---- Two sides in a block ------------------------------------------------ */

static int same_layout(const ll_layout *a, const ll_layout *b) {
    return memcmp(a->basis, b->basis, sizeof a->basis) == 0 &&
           a->in.bits[0] == b->in.bits[0];
}

/* ---- The order of an axis ------------------------------------------------ */

static unsigned on_axis(const ll_layout *a, unsigned column) {
    return a->basis[column] & ((1u << a->out.bits[0]) - 1u);
}

/* Where lanes, warps, blocks and registers of both sides hold different numbers
 * of the axis in the same place, the number becomes that of the other side,
 * unless what was there before says otherwise. */
static void numbers_follow_the_places_of_the_other_side(void) {
    static const unsigned order[] = {1, 2, 3, 0};
    for (unsigned n = 0; n < 600u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : LL_GFX942;
        random_pair c = n % 3u ? random_conversion(ll_log2_(t.lanes),
                                                   5u + test_random(6), 5, 0)
                               : random_conversion(ll_log2_(t.lanes), 4, 5, 1);
        unsigned from[32], to[32], pairs = 0;
        const ll_layout s = ll_absorb(c.a, c.b, LL_J);
        const ll_layout x = ll_hardware_(c.a), y = ll_hardware_(c.b);
        if (x.out.bits[0] == 0) {
            continue;
        }
        CHECK(!s.err && ll_is_invertible(s));
        for (unsigned m = 0; m < 4u; ++m) {
            const unsigned d = order[m];
            for (unsigned k = 0; k < x.in.bits[d] && k < y.in.bits[d]; ++k) {
                const unsigned u = on_axis(&x, ll_shape_start_(&x.in, d) + k);
                const unsigned v = on_axis(&y, ll_shape_start_(&y.in, d) + k);
                if (!is_sum_of(from, pairs, u) && !is_sum_of(to, pairs, v)) {
                    from[pairs] = u;
                    to[pairs++] = v;
                    CHECK(value(&s, u) == v);
                }
            }
        }
    }
    /* Registers that the two sides count differently: in their order. */
    const ll_layout s =
        ll_absorb(L("register: i0 j0 i1 | lane: j1 j2 j3 i2 i3"),
                  L("register: j0 i2 0 i3 | lane: j1 j2 j3 0 0 -> j=16 | i=16"),
                  LL_I);
    CHECK(value(&s, 1) == 4u && value(&s, 2) == 8u);
}

/* ---- Pairs that need each choice ----------------------------------------- */

/* A pair of layouts whose plan is dear, wrong or another one without a choice
 * that the comment names, with the cycles that it would cost. Each plan is also
 * run. */
typedef struct needed {
    const char *a, *b;
    unsigned bits, target, kind;         /* what is asked for */
    unsigned got, cycles;                /* kind and cycles of the plan */
    unsigned next_kind, next_cycles;     /* of its runner-up */
} needed;

enum { SM75, SM80, SM90, SM100F, GFX950, GFX1100_64, GFX1201, GFX1201_64 };

static ll_target target_number(unsigned k) {
    return k == SM75        ? LL_SM75
           : k == SM80      ? LL_SM80
           : k == SM90      ? LL_SM90
           : k == SM100F    ? LL_SM100F
           : k == GFX950    ? LL_GFX950
           : k == GFX1201   ? LL_GFX1201
           : k == GFX1201_64 ? ll_amd_target(0x1201, 64)
                            : ll_amd_target(0x1100, 64);
}

static const needed all_needed[] = {
    /* Memory that ends with a register of both sides: 14. */
    {"register: i1 i5 j2 | lane: i2 i3 i4 j0 j1 | warp: i0",
     "register: j1 i4 i5 j2 i1 | lane: i3 0 i0 i2 j0 | warp:", 8, SM100F,
     LL_SHARED, LL_SHARED, 12, LL_SHARED, 0},
    /* The same with a barrier of the warp alone: 21. */
    {"register: j0 j1 j2 i3 i4 | lane: j3 j4 i0 i1 i2 | warp:",
     "register: 0 0 j2 0 0 | lane: 0 i1 i2 i3 i4 | warp: -> 32x32", 16, SM80,
     LL_SHARED, LL_SHARED, 19, LL_SHARED, 0},
    /* Accesses of half the width: 8. */
    {"register: j0 j1 0 j4 | lane: j2 j3 i0 0 0 | warp:",
     "register: i0 0 0 j3 j4 | lane: 0 0 j0 j1 j2 | warp:", 8, SM80, LL_SHARED,
     LL_SHARED, 7, LL_SHARED, 0},
    /* Over-reads of nibbles that move apart: 14, with dearer permutes 12. */
    {"register: i6 i1 i3 | lane: 0 i0 i4 i2 i5 | warp: 0",
     "register: i0^i1 i2 i3^i4 | lane: i1 i5 i4 i6 0 | warp: 0", 4, SM90,
     LL_SHARED, LL_SHARED, 11, LL_SHARED, 0},
    /* A load brings half of a word, which takes two permutes. */
    {"register: j0 j1 i3 0 i4 i5 i6 | lane: 0 0 i0 i1 i2 | warp:",
     "register: i0 i1 i2 i3 | lane: i4 i5 i6 j0 j1 | warp:", 4, SM90, LL_SHARED,
     LL_SHARED, 46, LL_SHARED, 0},
    /* Each warp's part of the memory, which warps share otherwise. */
    {"register: | lane: i0 i1 i2 j1 j0 | warp: i3 i4 i5",
     "register: | lane: i1 j0 j1 i2 i0 | warp: i3 i4 i5", 16, SM90, LL_SHARED,
     LL_SHARED, 3, LL_SHARED, 0},
    /* Two swaps with an offset in what they move: 98 through memory. */
    {"register: i3 i9 i0 i5 i1 | lane: i4 i7 i6 i8 i10 i2 | warp: | "
     "1: i0^i2^i3^i4^i5^i6^i7^i8",
     "register: i9 i2^i10 i0 i10 i1 | lane: i4 i7 i6 i8 i1^i5 i3^i5 | warp: | "
     "1: i0^i3^i4^i5^i6^i7^i8",
     8, GFX950, LL_ANY, LL_SHUFFLES, 96, LL_SHARED, 98},
    /* Three swaps with an offset in a register: 388. */
    {"register: i0 i1 i5 i7 | lane: i2 i4 i3 i8 0 i6 | warp: | 1: i5^i6^i7^i8",
     "register: i5 i6 i7 i1^i5 | lane: i2 i4 i3 i8 i1 i0 | warp: | "
     "1: i0^i5^i6^i7^i8",
     64, GFX950, LL_SHUFFLES, LL_SHUFFLES, 192, LL_SHUFFLES, 0},
    /* Three swaps without a spare register: 52. */
    {"register: i6 i5 i1 | lane: i2 i3 i4 i7 0 i0 | warp:",
     "register: i0 i6 0 | lane: i2 i3 i4 i7 i1 i5 | warp:", 16, GFX950, LL_ANY,
     LL_SHARED, 42, LL_SHUFFLES, 48},
    /* Three swaps; the last one brings the spare vector back: 104. */
    {"register: i5 0 i4 i8 i1 | lane: i2 i0 i6 i7 i4 i3 | warp: 0",
     "register: i3 i5 i8 i1 i4 | lane: i2 i0 i6 i7 i5 0 | warp: 0", 8, GFX950,
     LL_ANY, LL_SHUFFLES, 88, LL_SHARED, 112},
    /* Elements that share a word of the result stay together: 48. */
    {"register: i2 i3 i4 i0 | lane: i1 i5 i7 i8 i6 0 | warp:",
     "register: i3 i0 i2 0 | lane: i1 i5 i7 i8 i4 i6 | warp:", 8, GFX950,
     LL_SHUFFLES, LL_SHUFFLES, 32, LL_SHUFFLES, 0},
    /* Elements that share a word of the source stay together: 124. */
    {"register: i1 i0 i2 i4 i7 0 i6 | lane: i9 i3 i8 0 i5 | warp: 0 | "
     "1: i0^i3^i5^i6^i8",
     "register: i7 i9 0 i2 i8 0 i1 | lane: i5 i4 i0 i3 i6 | warp: 0 | "
     "1: i0^i5^i6^i8",
     8, GFX1201, LL_ANY, LL_SHARED, 56, LL_SHUFFLES, 92},
    /* Words of one byte less than was tried first: 784. */
    {"register: i4 i5 0 i2 i3 i6 | lane: i9 0 i8 i0 i1 i7 | warp: 0 0",
     "register: i4^i6 i0 i1^i6 i6 i0^i5 i3 | lane: i1^i9 i8 i2 i7 0 i3 | "
     "warp: 0 0", 8, GFX950, LL_ANY, LL_SHARED, 144, LL_SHUFFLES, 272},
    /* Lanes fetch registers that others want as well: none but memory. */
    {"register: i2 i5 i1 j0 j1 i0 i3 | lane: i4 j2 i7 i6 0 | warp: 0",
     "register: j0 j1 i1 i2 | lane: i3^i4^i5 i0^i1 j2 i4 i4^i5 | warp: i6 i7",
     64, SM75, LL_ANY, LL_SHARED, 292, LL_SHUFFLES, 322},
    {"register: i1 i2 i6 i8 i9 i10 0 | lane: i0 i3 0 i5 i4 i7 | warp:",
     "register: i9 0 0 0 i6 i1 i10 | lane: i0 0 0 0 i8 0 | warp:", 4, GFX950,
     LL_ANY, LL_SHARED, 226, LL_SHUFFLES, 228},
    {"register: i6 i0 | lane: i1 i5 0 i2 i3 i4 | warp: 0",
     "register: i0^i4 i6 | lane: i1 i5 0 i2 i3^i4 i0^i3^i4 | warp: 0", 4,
     GFX950, LL_SHUFFLES, LL_SHUFFLES, 36, LL_SHUFFLES, 0},
    /* An offset is no select: 12. */
    {"register: i5 i4 | lane: i2 0 i0 i1 i3 | warp: | 1: i0^i3^i4^i5",
     "register: i4 i1 | lane: i5 i2 i0 i3 0 | warp: | 1: i0^i3^i5", 8, GFX1201,
     LL_SHUFFLES, LL_SHUFFLES, 5, LL_SHUFFLES, 0},
    /* Lanes that want the same lane read from copies: 92, 12. */
    {"register: i2 i1 i3 i4 | lane: 0 i6 i0 i5 0 | warp: 0 0 | "
     "1: i0^i1^i2^i3^i5^i6",
     "register: i6 i0 i3 i3 | lane: i3 i2 i1 i4 i5 | warp: 0 0 | "
     "1: i0^i1^i2^i3^i5^i6",
     16, GFX1201, LL_SHUFFLES, LL_SHUFFLES, 84, LL_SHUFFLES, 0},
    {"register: i0 i3 i5 | lane: i4 i6 i0 i1 i2 | warp: 0",
     "register: i5 i6 0 | lane: i1 i2 i3^i4 i0 i4 | warp: 0", 8, GFX1201,
     LL_SHUFFLES, LL_SHUFFLES, 6, LL_SHUFFLES, 0},
    /* Registers that hold copies come from one position. */
    {"register: i4 i1 i3 | lane: i5 i6 i7 i2 0 i0 | warp:",
     "register: i4 i1^i3 i4 | lane: i5 i6 i7 i2 i0 i1 | warp:", 16, GFX950,
     LL_SHUFFLES, LL_SHUFFLES, 32, LL_SHUFFLES, 0},
    /* A select cannot join permutes whose words come from two: 72. */
    {"register: i1 i0 | lane: i2 i4 i5 i6 i3 i7 | warp: 0",
     "register: i3 i5 | lane: i6 i4 i7 i2 i0^i3 i1 | warp: 0", 4, GFX950,
     LL_ANY, LL_SHARED, 40, LL_SHUFFLES, 88},
    /* Lanes that keep their numbers need no round: 32; half a wave apart is
     * one near hop for each word, and all of them are priced: 18. */
    {"register: 0 | lane: 0 0 0 0 0 j0 | warp: -> j=2 | i=1",
     "register: j0 0 | lane: 0 0 0 0 0 0 | warp: 0 0 -> j=2 | i=1", 128,
     GFX1201_64, LL_ANY, LL_SHUFFLES, 24, LL_SHARED, 56},
    /* Hops that swap halves take three instructions: 96 with a fourth. */
    {"register: i5 0 0 | lane: i3 i0 i2 i4 i1 i6 | warp: | 1: i1^i3^i4^i6",
     "register: i5 i1 i2 | lane: i3 i0 i2 i4 i1 i6 | warp: | "
     "1: i1^i2^i3^i4^i6",
     64, GFX950, LL_SHUFFLES, LL_SHUFFLES, 80, LL_SHUFFLES, 0},
    /* Byte permutes within a lane: 0 without their price. */
    {"register: i7 i0 i3 i6 | lane: i9 i4 i1 i8 i2 i5 | warp: 0",
     "register: i3 i6 i7 i0 | lane: i9 i4 i1 i8 i2 i5 | warp: 0", 8, GFX950,
     LL_ANY, LL_REGISTERS, 32, LL_REGISTERS, 0},
    /* Copies that ds_read_b64_tr and ldmatrix read: 96, 400, 24 and 80. */
    {"register: j0 j1 j2 j5 | lane: i0 i1 0 0 j3 j4 | warp: 0 0",
     "register: i0 i1 | lane: j0 j1 j2 j3 j4 j5 | warp: 0 0", 16, GFX950,
     LL_COPIES, LL_SHARED, 88, LL_SHARED, 0},
    {"register: j0 j1 j2 i5 i6 | lane: j3 j4 i0 i1 i2 i3 | warp: i4",
     "register: i0 i1 i2 i4 i5 i6 | lane: j0 j1 j2 j3 j4 i3 | warp: 0", 16,
     GFX950, LL_COPIES, LL_SHARED, 272, LL_SHARED, 0},
    {"register: j0 j1 j2 j3 | lane: i0 i1 i2 i3 i4 | warp: i5 0",
     "register: i0 i1 i2 i3 | lane: i4 i5 j0 j1 j2 | warp: j3 0 -> i=64 | j=16",
     8, SM100F, LL_COPIES, LL_SHARED, 12, LL_SHARED, 0},
    {"register: j0 j1 j2 | lane: j3 j4 j5 i0 i1 i2 | warp: i3",
     "register: i0 i1 i2 | lane: j0 j1 j2 j3 j4 i3 | warp: j5", 16, GFX950,
     LL_COPIES, LL_SHARED, 64, LL_SHARED, 0},
    /* Copies of nibbles in pairs along a row: 9 with other pairs. */
    {"register: j0 j1 j2 | lane: i0 0 0 0 0 | warp: 0",
     "register: j0 j1 j2 | lane: 0 0 0 0 0 | warp: i0", 4, SM80, LL_COPIES,
     LL_SHARED, 6, LL_SHARED, 0},
    /* Bytes in pairs of rows that both sides hold: 528 and 14. */
    {"register: j0 j1 j2 j3 i4 i5 i6 | lane: j4 j5 i0 i1 i2 i3 | warp: "
     "-> j=64 | i=128",
     "register: j0 j2 j3 j4 j5 i5 i6 | lane: j1 i0 i1 i2 i3 i4 | warp: "
     "-> j=64 | i=128",
     8, GFX950, LL_COPIES, LL_SHARED, 400, LL_SHARED, 0},
    {"register: j0 j1 i3 | lane: j2 j3 i0 i1 i2 | warp:",
     "register: i0 i1 j3 | lane: i2 i3 j0 j1 j2 | warp:", 8, SM100F, LL_COPIES,
     LL_SHARED, 8, LL_SHARED, 0},
    /* Vectors on both sides, not only where they are loaded: 22. */
    {"register: i1 j5 j3 | lane: j2 j4 j1 i0 j0 | warp: i2",
     "register: j1 i2 j5 0 j3 i0 | lane: j2 i1 j4 0 j0 | warp:", 4, SM90,
     LL_SHARED, LL_SHARED, 19, LL_SHARED, 0},
    /* Pieces of four bytes of a row; of columns there would be none. */
    {"register: j0 j1 | lane: i0 0 0 0 0 | warp:",
     "register: i0 0 j0 | lane: j1 0 0 0 0 | warp:", 8, SM100F, LL_COPIES,
     LL_SHARED, 7, LL_SHARED, 0},
};

static void every_choice_is_needed(void) {
    for (unsigned k = 0; k < sizeof all_needed / sizeof *all_needed; ++k) {
        const needed *n = &all_needed[k];
        const ll_target t = target_number(n->target);
        random_pair c = LL_ZERO;
        c.a = L(n->a);
        c.b = L(n->b);
        const ll_plan p = ll_plan_by(c.a, c.b, n->bits, t, n->kind);
        CHECK(!c.a.err && !c.b.err && !p.err);
        CHECK(p.kind == n->got && p.cycles == n->cycles);
        CHECK(p.next_kind == n->next_kind);
        CHECK(p.next_cycles == n->next_cycles);
        if (p.cycles != n->cycles || p.next_cycles != n->next_cycles) {
            printf("    %u: %u, %u %u\n", k, p.cycles, p.next_kind,
                   p.next_cycles);
        }
        if (n->bits > 4u && !p.err) {
            c.a = ll_hardware_(c.a);
            c.b = ll_layout_onto_(ll_hardware_(c.b), &c.a.out);
            check_the_plan(&c, n->bits, &t, LL_ANY, p);
        }
    }
}

/* Only the least that a plan of a warp has in memory: its elements, once. */
static void warps_have_memory_of_their_own(void) {
    const ll_layout a =
        L("register: | lane: i0 i1 i2 j1 j0 | warp: i3 i4 i5");
    const ll_layout b =
        L("register: | lane: i1 j0 j1 i2 i0 | warp: i3 i4 i5");
    const ll_plan p = ll_plan_by(a, b, 16, LL_SM90, LL_SHARED);
    CHECK(p.smem_bytes == 512u && p.memory.in.bits[0] == 8u);
    for (unsigned k = 0; k < 3u; ++k) { /* in the order of the warps */
        CHECK(p.memory.basis[5u + k] == ll_hardware_(a).basis[5u + k]);
    }
}

/* Copies fill the memory of one block, and what lies in a byte must be side by
 * side in a row. */
static void copies_are_of_one_block_and_of_rows(void) {
    const ll_layout a = L("register: | lane: j0^i0^i1 i0^i1 j0^i0^i2 i1 0 | "
                          "warp: 0 0 | block: i3");
    const ll_layout b = L("register: i0^i1^j0 | lane: i0^i2^j0 0 0 0 i1 | "
                          "warp: i0^i1 0 | block: i3 -> i=16 | j=2");
    const ll_plan p = ll_plan_by(a, b, 128, LL_SM80, LL_COPIES);
    CHECK(!p.err && p.smem_bytes == 256u); /* 16 elements of 16 bytes */
    CHECK(p.copies == 1u && p.next_kind == LL_SHARED);
    CHECK(ll_plan_by(a, b, 128, LL_SM75, LL_COPIES).err == LL_ENOCOPIES);
    const ll_layout c = L("register: j1 j3 j4 | lane: j2 j0 j5 j6 j7 | "
                          "warp: j8");
    const ll_layout d = L("register: j8 0 0 j2 j1 j0 | lane: j3 j4 j5 j7 j6 | "
                          "warp:");
    CHECK(ll_plan_by(c, d, 4, LL_SM75, LL_COPIES).err == LL_EKIND);
}

/* ---- What plans say ------------------------------------------------------ */

static unsigned paid(const ll_plan *p) {
    return p->step[1].count * p->step[1].wavefronts +
           p->step[3].count * p->step[3].wavefronts;
}

/* Vectors reach the bound of the memory of ll_swizzle, in passes as well. */
static void the_fewest_wavefronts_are_told(void) {
    unsigned found[2] = LL_ZERO, others = 0;
    ll_target t = LL_SM90;
    t = ll_without_forms_(ll_without_forms_(t, LL_READ), LL_WRITE);
    for (unsigned n = 0; n < 1500u; ++n) {
        const random_pair c = random_conversion(5, 7u + test_random(5), 6, 0);
        const unsigned bits = 8u << test_random(3);
        const ll_plan whole = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        const ll_plan p = ll_plan_within(c.a, c.b, bits, t,
                                         whole.smem_bytes >> test_random(3));
        if (c.blocks || whole.err || whole.kind != LL_SHARED) {
            continue;
        }
        if (whole.step[2].op == LL_OP_SYNC_BLOCK) {
            const ll_plan q = ll_plan_through(
                c.a, c.b, bits, t, ll_swizzle(c.a, c.b, bits, t));
            CHECK(whole.fewest == paid(&q));
            others += whole.cycles < q.cycles;
            /* Nothing else is taken where it does not cost less. */
            CHECK(whole.cycles < q.cycles || whole.step[4].flip ||
                  same_layout(&whole.memory, &q.memory));
        }
        if (!p.err && p.kind == LL_SHARED && p.passes) {
            CHECK(p.fewest == paid(&p));
            ++found[p.passes > 1u];
        }
    }
    printf("    passes: %u %u, permuted less: %u\n", found[0], found[1],
           others);
    CHECK(found[0] > 20u && found[1] > 5u && others > 5u);
}

/* Words that lanes select are those that they exchange. */
static void selects_take_the_words_of_the_exchange(void) {
    unsigned found = 0, plain = 0;
    for (unsigned n = 0; n < 2000u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : ll_amd_target(0x1201, 64);
        const random_pair c =
            random_conversion(ll_log2_(t.lanes), 7u + test_random(3), 5, 0);
        const ll_plan p =
            ll_plan_by(c.a, c.b, 8u << test_random(5), t, LL_SHUFFLES);
        unsigned pack = 0, hops = t.hops;
        for (unsigned k = 0; !p.err && k < p.n; ++k) {
            pack = p.step[k].op == LL_OP_SHUFFLE ? p.step[k].pack : pack;
            hops = p.step[k].op == LL_OP_SHUFFLE ? p.step[k].hops : hops;
        }
        for (unsigned k = 0; !p.err && k < p.n; ++k) {
            if (p.step[k].op == LL_OP_SELECT && p.kind == LL_SHUFFLES) {
                CHECK(p.step[k].pack == pack);
                found += pack != 0;
            }
        }
        /* All hops of the target, or those by the pipe of shared memory. */
        CHECK(hops == t.hops ||
              hops == (t.hops & (1u << LL_HOP_ANY | 1u << LL_HOP_32 |
                                 1u << LL_HOP_HALF)));
        plain += hops != t.hops;
    }
    printf("    selects: %u, plain hops: %u\n", found, plain);
    CHECK(found > 50u && plain > 1u);
}

/* ---- Operands and nibbles ------------------------------------------------ */

/* The order of the dimensions of an operand does not matter. */
static void operands_are_fed_in_any_order_of_dimensions(void) {
    const ll_layout all[] = {
        ll_ptx_mma_a(16, 32, 16, 1), ll_ptx_mma_b(32, 16, 16, 1),
        ll_ptx_mma_a(16, 64, 8, 1), ll_ptx_mma_a(16, 64, 4, 1),
        L("register: j0 j1 j3 | lane: i0 i1 0 0 j2 | warp: 0"),
        L("register: j0 i3 i5 i6 | lane: j1 0 i0 i1 i2 | warp: i4")};
    const unsigned bits[] = {16, 16, 8, 4, 16, 32};
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        const ll_layout m = ll_for_operand(all[k], bits[k], LL_SM90);
        const ll_layout other = ll_order_in(all[k], "lane warp register");
        const ll_layout again = ll_for_operand(other, bits[k], LL_SM90);
        CHECK(!m.err && !other.err && ll_is_equal(m, again));
    }
}

/* The plan that stores rows and loads an operand from its memory. */
static ll_plan fed(const char *text, unsigned bits, ll_layout *m) {
    const ll_layout a = ll_order_in(L(text), "register lane warp");
    ll_target t = LL_SM100F;
    *m = ll_for_operand(a, bits, t);
    t = ll_without_forms_(t, LL_WRITE); /* rows are stored by vectors */
    return ll_plan_through(ll_rows_for(a, bits / 8u), a, bits, t, *m);
}

/* Memories that searches found. No plan takes longer than through them. */
static void plans_are_no_dearer_than_through_known_memories(void) {
    static const struct {
        unsigned bits;
        const char *a, *b, *memory;
    } known[] = {
        /* one register of a row is held alike, the others differ */
        {8, "register: j2 j1 | lane: i0 j4 j5 j0 i1 | warp: j3 i2",
         "register: j4 j3 j0 j5 | lane: i0 i1 j2 i2 0 | warp: i2 j1",
         "offset: j5 j0 i1 j1 i0 j4 j2 j3 j4^i2"},
        {8, "register: i0 i1 j0 j1 | lane: j2 j5 j3 j4 j6",
         "register: j5 j2 j6 | lane: i0 j0 j1 j3 j4 | warp: i1",
         "offset: j1 j3 j4 j6 j2 j5 i0 i1 j0^j2"},
        {8, "register: j5 i0 i1 | lane: j2 j3 j4 j0 j1 | warp: i2 i3 i4",
         "register: j5 i2 j4 j0 | lane: j1 j2 j3 i0 i1 | warp: i3 i4",
         "offset: j5 j4 j0 j1 j2 j3 i0 i1 i4 i3 i2"},
        /* segments without what the lowest vectors have */
        {8, "register: j3 j1 | lane: i0 i1 j0 i2 j2 | warp: i3 i4 i5",
         "register: i0 i1 i2 i3 | lane: i4 j0 j1 j3 j2 | warp: i5",
         "offset: j1 j3 j2 i3 i4 i0 i1 i5 j0^i4 i2"},
        {16, "register: i1 j0 | lane: j2 j3 j4 i0^i2 j1^j3 | warp: i2",
         "register: j0 j4 | lane: i0 j1 j3^i0^i2 j0^j2 i1 | warp: i2",
         "offset: j4 i0^i2 j1^j3 j2 j3 i1 j2^i2 j0^j2^j3"},
        /* more registers than lanes have bits */
        {8, "register: i1 0 j1 i3 | lane: i5 j0 j2 i4 i6 | warp: i0 i2 i7",
         "register: i6 i0^i7 i0 i3 i5 j0 j1 | lane: i0 i1 i2 i4 j2",
         "offset: j1 i6 i3 i5 i0 i1 i2 i7 j0^i0 j2^i1 i2^i4"},
    };
    const ll_target t[2] = {LL_SM90, LL_SM100F};
    for (unsigned k = 0; k < 2u * sizeof known / sizeof *known; ++k) {
        const ll_layout a = L(known[k / 2u].a), b = L(known[k / 2u].b);
        const ll_layout m = L(known[k / 2u].memory);
        const unsigned bits = known[k / 2u].bits;
        const ll_plan p = ll_plan_by(a, b, bits, t[k % 2u], LL_SHARED);
        const ll_plan q = ll_plan_through(a, b, bits, t[k % 2u], m);
        CHECK(!p.err && !q.err && p.cycles <= q.cycles);
    }
    /* the second widths that are tried are the best */
    const ll_layout a =
        L("register: i4^i6 i3^i7^i9 | lane: i0^i1^i2^i3^i9^i10 "
          "i0^i1^i2^i4^i10 i3 i5^i9 i0 i0^i1^i4 | warp: "
          "i0^i1^i2^i5^i6^i8^i9^i10 i0^i1^i2^i3^i4^i9^i10 i3^i4^i10");
    const ll_layout b =
        L("register: i2 i2^i3^i6 i4^i7 i1^i8 i2^i6^i7^i9 | lane: i4 "
          "i0^i2^i3^i4^i8 i5 i1^i2^i3^i4 i2^i6^i10 i1^i4");
    const ll_layout m =
        L("offset: i3^i7^i9 i2^i3^i6 i2 i3^i4^i9 i4 i0^i2^i3^i4^i8 i2^i6^i10 "
          "i1^i2^i3^i4 i1^i4 i5 i1^i4^i8^i9^i10");
    const ll_plan p = ll_plan_by(a, b, 8, LL_GFX950, LL_SHARED);
    const ll_plan q = ll_plan_through(a, b, 8, LL_GFX950, m);
    CHECK(!p.err && !q.err && p.cycles <= q.cycles);
}

/* Operands of no instruction. */
static void unusual_operands_are_fed(void) {
    const char *const text =
        "lane: j1 j3 i0 i1 i2 | register: j0 i3 j2 | warp:";
    ll_layout m;
    ll_plan p = fed(text, 16, &m);
    CHECK(ll_is_equal(m, ll_for_operand(L(text), 16, LL_SM100F)));
    CHECK(!p.err && ll_conflicts(p) == 0);
    CHECK((m.basis[0] | m.basis[1] | m.basis[2]) == 7u); /* a whole piece */
    /* Matrices are read as fast as memory is. */
    p = fed("register: j0 i1 i2 i3 | lane: i4 i0 j1 j2 j3 | warp:", 8, &m);
    CHECK(!p.err && ll_conflicts(p) == 0 && p.step[3].form != LL_FORM_VECTOR);
    CHECK(p.step[3].count == 1u && p.step[3].wavefronts == 4u);
    /* Two stores of 8 bytes are fewer than four of 4 bytes. */
    p = fed("register: j0 i4 i5 i6 | lane: j1 i0 i1 i2 i3 | warp:", 8, &m);
    CHECK(!p.err && ll_conflicts(p) == 0 && p.step[1].count == 2u);
}

/* Two nibbles are fed as one byte. They have the memory of bytes, and offset
 * bit 0 tells the two nibbles apart. */
static void operands_of_nibbles_are_fed_as_bytes(void) {
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_layout four = k ? ll_ptx_mma_b(64, 16, 4, 1)
                                 : ll_ptx_mma_a(16, 64, 4, 1);
        const ll_layout eight = k ? ll_ptx_mma_b(32, 16, 8, 1)
                                  : ll_ptx_mma_a(16, 32, 8, 1);
        const ll_layout f = k ? ll_trans(four, "j i") : four;
        const ll_layout e = k ? ll_trans(eight, "j i") : eight;
        const ll_layout m = ll_for_operand(f, 4, LL_SM90);
        const ll_layout n = ll_for_operand(e, 8, LL_SM90);
        CHECK(!m.err && !n.err && m.basis[0] == 1u);
        CHECK(m.in.bits[0] == n.in.bits[0] + 1u);
        for (unsigned b = 0; b < n.in.bits[0]; ++b) {
            CHECK(m.basis[b + 1u] >> 1 == n.basis[b]);
        }
    }
    const ll_layout none = L("register: i0 i1 | lane: j0 j1 j2 j3 i2");
    CHECK(ll_for_operand(none, 4, LL_SM90).err == LL_EPAIR);
    CHECK(ll_for_operand(ll_layout_none_(LL_ESIZE), 4, LL_SM90).err ==
          LL_ESIZE);
}

/* Where both sides have a pair of nibbles in one byte, the plan says what the
 * two differ in; memory that has the pair must not mix it with others. */
static void nibbles_say_what_they_differ_in(void) {
    const ll_layout a = L("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4");
    const ll_layout b = L("register: j0 i0 i1 | lane: j1 j2 i2 i3 i4");
    const ll_plan p = ll_plan_of(a, b, 4, LL_SM90);
    CHECK(!p.err && p.nibbles == 1u && p.pair == 1u);
    CHECK(ll_plan_of(a, b, 8, LL_SM90).nibbles == 0);
    const ll_layout from = ll_order_out(a, "j i");
    const ll_layout good = L("offset: j0 j1 j2 i0 i1 i2 i3 i4");
    const ll_layout bad = L("offset: j0 j0^j1 j2 i0 i1 i2 i3 i4");
    const ll_layout to = ll_order_out(
        L("register: j0 0 i1 | lane: i0 j2 i2 i3 i4 -> j=8 | i=32"), "j i");
    const ll_plan q = ll_plan_through(from, to, 4, LL_SM90, good);
    CHECK(q.err == LL_OK && q.smem_bytes == 128u); /* of 256 nibbles */
    CHECK(q.memory.in.bits[0] == 7u);
    CHECK(ll_plan_through(from, to, 4, LL_SM90, bad).err == LL_EPAIR);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(numbers_follow_the_places_of_the_other_side);
    RUN(every_choice_is_needed);
    RUN(warps_have_memory_of_their_own);
    RUN(the_fewest_wavefronts_are_told);
    RUN(selects_take_the_words_of_the_exchange);
    RUN(operands_are_fed_in_any_order_of_dimensions);
    RUN(operands_of_nibbles_are_fed_as_bytes);
    RUN(nibbles_say_what_they_differ_in);
    RUN(copies_are_of_one_block_and_of_rows);
    RUN(plans_are_no_dearer_than_through_known_memories);
    RUN(unusual_operands_are_fed);
    return test_end();
}
