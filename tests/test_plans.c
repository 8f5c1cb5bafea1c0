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
        const unsigned thread =
            test_random(1u << (ll_shape_bits_(&c->a.in) - n));
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
    for (unsigned k = 0; k < times(6000u); ++k) {
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
            CHECK(bytes >= 4u && bytes == p.step[1].bytes);
            check_the_plan(&c, bits, &t, LL_COPIES, p);
            ++found[bytes ? ll_log2_(bytes) : 0u];
        }
    }
    COVERS(none > 500u && found[2] > 100u && found[3] > 50u && found[4] > 50u);
    COVERS(others > 100u);
}

/* Transposes of row-major tiles: a copy is as wide as the store that the plan
 * counts, so that its conflicts are those of copies. */
static void copies_are_as_wide_as_the_stores(void) {
    unsigned found = 0;
    for (unsigned k = 0; k < 288u; ++k) {
        const unsigned warps = 1u << k % 4u, bytes = 1u << k / 4u % 4u;
        const unsigned rows = 32u << k / 16u % 3u, cols = 32u << k / 48u % 3u;
        const ll_layout in = rows_of_lanes(rows, cols, bytes, 32, warps);
        const ll_layout turned = ll_trans(
            k < 144u ? rows_of_lanes(cols, rows, bytes, 32, warps) : in,
            "j i");
        const ll_plan p =
            ll_plan_by(in, turned, 8u * bytes, LL_SM90, LL_COPIES);
        const ll_tile tile = ll_tile_copied(p);
        CHECK(p.err == LL_OK || k >= 144u);
        CHECK(p.err || (p.copies && tile.bytes == p.step[1].bytes));
        found += !p.err && !tile.err;
    }
    COVERS(found > 144u);
    const ll_layout in = ll_rows(64, 128, 4);
    const ll_layout turned = ll_trans(ll_rows(128, 64, 4), "j i");
    CHECK(ll_plan_by(in, turned, 32, LL_SM80, LL_COPIES).err == LL_OK);
    CHECK(ll_plan_by(in, turned, 32, LL_SM75, LL_COPIES).err ==
          LL_ENOCOPIES);
}

/* Memory of any invertible layout. */
static ll_layout random_memory(const ll_shape *tensor) {
    const ll_shape none = LL_ZERO;
    ll_layout m = ll_zero(none, *tensor);
    const unsigned n = ll_shape_bits_(tensor);
    m.in = ll_with(none, LL_OFFSET, 1u << n);
    for (unsigned k = 0; k < n; ++k) {
        m.basis[k] = 1u << k;
    }
    for (unsigned k = 0; n > 1u && k < 4u * n; ++k) {
        const unsigned x = test_random(n);
        const unsigned y = (x + 1u + test_random(n - 1u)) % n;
        m.basis[x] ^= m.basis[y];
    }
    m.offset = test_random(2) ? test_random(1u << n) : 0u;
    return m;
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

/* ---- Elements of 4 bits -------------------------------------------------- */

/* A byte holds two elements, each written as 16 bits here: that of the even
 * register in the low half. Exchanges swap bits 0 and k of register numbers;
 * apart, the low elements of all bytes come first, then the high ones, and the
 * rest of a byte is of no account. */
enum { ANY_NIBBLE = 0xabcd };

static unsigned nibble_register(unsigned unit, unsigned half, unsigned bits,
                                unsigned how) {
    const unsigned reg = how == LL_APART
                             ? (unit << 1 & ((1u << bits) - 1u)) |
                                   unit >> (bits - 1u)
                             : unit * 2u + half;
    if (how == LL_APART) {
        return reg;
    }
    const unsigned differ = (reg ^ reg >> how) & 1u;
    return reg ^ differ ^ differ << how;
}

/* The element of layout a in register k % 2^regs of thread k >> regs; threads
 * are counted from the first one of the block. */
static unsigned element_of(const ll_layout *a, unsigned k, unsigned regs,
                           unsigned threads, unsigned lanes, unsigned block) {
    const unsigned thread = k >> regs;
    return value(a, packed(&a->in, k & ((1u << regs) - 1u), thread % threads,
                           lanes,
                           (block + thread / threads) &
                               ((1u << held_bits(&a->in, LL_BLOCK)) - 1u)));
}

static unsigned nibbles_of(const ll_layout *a, unsigned k, unsigned bits,
                           unsigned regs, unsigned how, unsigned threads,
                           unsigned lanes, unsigned block) {
    const unsigned unit = k & ((1u << bits) - 1u);
    unsigned held = 0;
    for (unsigned half = 0; half < 2u; ++half) {
        const int single = regs == bits;
        const unsigned reg =
            regs == 0 ? 0u : nibble_register(unit, half, bits, how);
        held |= (single && half ? (unsigned)ANY_NIBBLE
                                : element_of(a, k >> bits << regs | reg, regs,
                                             threads, lanes, block))
                << 16u * half;
    }
    return held;
}

static void check_nibble_blocks(const random_pair *c, const ll_target *t,
                                const ll_plan *p, unsigned threads,
                                unsigned block, unsigned together) {
    const unsigned regs[2] = {held_bits(&c->a.in, LL_REGISTER),
                              held_bits(&c->b.in, LL_REGISTER)};
    for (unsigned k = 0; k < threads * together << p->from_bits; ++k) {
        before[k] = nibbles_of(&c->a, k, p->from_bits, regs[0], p->before,
                               threads, t->lanes, block);
    }
    run_plan(p, t, threads, together);
    for (unsigned k = 0; k < threads * together << p->to_bits; ++k) {
        CHECK(after[k] == nibbles_of(&c->b, k, p->to_bits, regs[1], p->after,
                                     threads, t->lanes, block));
    }
}

static unsigned units_of(unsigned regs, unsigned how) {
    return regs && how != LL_APART ? regs - 1u : regs;
}

static unsigned nibble_ways[3]; /* pairs as they are, exchanged, apart */

static void check_nibbles(const random_pair *c, const ll_target *t,
                          unsigned kind, ll_plan p) {
    const unsigned from = t->lanes << held_bits(&c->a.in, LL_WARP);
    unsigned to = t->lanes << held_bits(&c->b.in, LL_WARP);
    const unsigned together = p.kind == LL_CLUSTER ? 1u << c->blocks : 1u;
    to = from > to ? from : to;
    if (p.err == LL_EKIND && kind != LL_ANY) {
        return;
    }
    CHECK(p.err == LL_OK && p.element_bits == 8u && p.nibbles);
    CHECK(p.kind <= kind);
    CHECK(p.from_bits ==
          units_of(held_bits(&c->a.in, LL_REGISTER), p.before));
    CHECK(p.to_bits == units_of(held_bits(&c->b.in, LL_REGISTER), p.after));
    ++nibble_ways[p.before == LL_APART || p.after == LL_APART ? 2u
                  : p.before || p.after                       ? 1u
                                                              : 0u];
    for (unsigned block = 0; !p.err && block < 1u << c->blocks;
         block += together) {
        check_nibble_blocks(c, t, &p, to, block, together);
    }
}

static void plans_move_every_nibble(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    memset(nibble_ways, 0, sizeof nibble_ways);
    for (unsigned k = 0; k < times(8000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const random_pair c =
            test_random(3) ? random_small(&t)
                           : random_conversion(ll_log2_(t.lanes),
                                               9u + test_random(3), 6, 0);
        const ll_plan p = ll_plan_of(c.a, c.b, 4, t);
        check_nibbles(&c, &t, LL_ANY, p);
        check_nibbles(&c, &t, LL_SHUFFLES,
                      ll_plan_by(c.a, c.b, 4, t, LL_SHUFFLES));
        check_nibbles(&c, &t, LL_SHARED,
                      ll_plan_by(c.a, c.b, 4, t, LL_SHARED));
        ++kinds[p.kind];
    }
    printf("pairs %u, exchanged %u, apart %u\n", nibble_ways[0],
           nibble_ways[1], nibble_ways[2]);
    COVERS(kinds[LL_NOTHING] > 20u && kinds[LL_REGISTERS] > 100u);
    COVERS(kinds[LL_SHUFFLES] > 200u && kinds[LL_SHARED] > 200u);
    COVERS(nibble_ways[0] > 200u && nibble_ways[1] > 1000u &&
           nibble_ways[2] > 1000u);
}

/* Through any memory, and through that of ll_swizzle: a byte of memory holds a
 * pair. Where each column has one bit, that can be exactly if both sides have
 * the bit of offset 0 in a register. */
/* A memory whose lowest bits are those that registers of a have, of columns of
 * one bit each. */
static ll_layout registers_first(const random_pair *c) {
    ll_layout m = random_memory(&c->a.out);
    unsigned n = 0, done = 0;
    for (unsigned k = 0; k < 32u + c->tensor; ++k) {
        const unsigned y = k >= 32u ? 1u << (k - 32u)
                           : k < held_bits(&c->a.in, LL_REGISTER)
                               ? c->a.basis[k]
                               : 0u;
        if (y & ~done) {
            m.basis[n++] = y;
            done |= y;
        }
    }
    m.offset = 0;
    return m;
}

static int in_register(const ll_layout *a, unsigned y) {
    int is = 0;
    for (unsigned k = 0; k < held_bits(&a->in, LL_REGISTER); ++k) {
        is = is || a->basis[k] == y;
    }
    return is;
}

static void nibbles_go_through_any_memory(void) {
    unsigned found = 0, none = 0, swizzled = 0;
    for (unsigned k = 0; k < times(4000u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const unsigned kind = test_random(4);
        const random_pair c = random_conversion(
            ll_log2_(t.lanes), 5u + test_random(6), 6, kind);
        if (c.blocks) {
            continue;
        }
        ll_layout m = kind == 0 && test_random(4) ? registers_first(&c)
                                                  : random_memory(&c.a.out);
        const ll_plan p = ll_plan_through(c.a, c.b, 4, t, m);
        const int both =
            in_register(&c.a, m.basis[0]) && in_register(&c.b, m.basis[0]);
        CHECK(p.err == LL_OK ? both : p.err == LL_EPAIR);
        if (p.err == LL_OK) {
            check_nibbles(&c, &t, LL_SHARED, p);
        }
        found += p.err == LL_OK;
        none += p.err != LL_OK;
        m = ll_swizzle(c.a, c.b, 4, t);
        if (!m.err) {
            const ll_plan q = ll_plan_through(c.a, c.b, 4, t, m);
            CHECK(ll_is_invertible(m) && q.err == LL_OK);
            check_nibbles(&c, &t, LL_SHARED, q);
            ++swizzled;
        } else {
            CHECK(m.err == LL_EPAIR &&
                  ll_plan_by(c.a, c.b, 4, t, LL_SHARED).pair == 0);
        }
    }
    COVERS(found > 50u && none > 500u && swizzled > 200u);
}

/* The axis of the pair is not the slowest one; memory may name the axes in any
 * order. */
static void memory_of_nibbles_has_any_order_of_axes(void) {
    static const char *const orders[] = {"j i", "i j"};
    const ll_target t = LL_SM90;
    random_pair c = LL_ZERO;
    c.a = ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4");
    c.b = ll_parse("register: i0 j0 | lane: i1 i2 i3 i4 j1");
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_layout m = ll_order_out(
            ll_parse("offset: j0 i1 i0 i3 i2 j1 i4"), orders[k]);
        const ll_plan p = ll_plan_through(c.a, c.b, 4, t, m);
        CHECK(p.kind == LL_SHARED && p.pair);
        CHECK(ll_is_invertible(p.memory)); /* of pairs: an axis is halved */
        CHECK(p.next_kind == LL_SHARED && p.next_cycles == 0);
        check_nibbles(&c, &t, LL_SHARED, p);
    }
}

/* What stays where it is costs nothing. A plan of which there is no other kind
 * is its own runner-up. */
static void plans_without_a_rival_name_themselves(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    for (unsigned k = 0; k < 300u; ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const random_pair c = random_small(&t);
        const unsigned bits = k % 3u ? 4u << test_random(6) : 4u;
        ll_target costs = t;
        for (unsigned m = 0; m < LL_MAX_COSTS; ++m) {
            costs.cost[m] = 8;
        }
        const ll_plan stays = ll_plan_of(c.a, c.a, bits, costs);
        CHECK(stays.kind == LL_NOTHING && stays.n == 0 && stays.cycles == 0);
        CHECK(stays.before == LL_STAY && stays.after == LL_STAY);
        CHECK(stays.next_kind == LL_NOTHING && stays.next_cycles == 0);
        const unsigned regs = held_bits(&c.a.in, LL_REGISTER);
        CHECK(stays.from_bits == units_of(regs, bits == 4u ? LL_STAY
                                                           : LL_APART));
        CHECK(stays.to_bits == stays.from_bits);
        const unsigned kind = k % 2u ? LL_SHUFFLES : LL_SHARED;
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, kind);
        CHECK(p.err || (p.next_kind == p.kind && p.next_cycles == 0));
        kinds[p.err ? 0u : p.kind] += 1u;
    }
    CHECK(kinds[LL_SHUFFLES] > 10u && kinds[LL_SHARED] > 10u);
}

/* Where in memory, in elements, a register of a lane is. */
static unsigned offset_of(const random_pair *c, const ll_layout *m,
                          unsigned reg, unsigned lane) {
    const unsigned y =
        value(&c->a, packed(&c->a.in, reg, lane, 64, 0));
    unsigned x = 0;
    while (value(m, x) != y) {
        ++x;
    }
    return x;
}

/* The widest access is one whose bytes each lane holds whole; its wavefronts
 * are those of the bytes. */
static void accesses_of_nibbles_are_counted_by_bytes(void) {
    unsigned wide = 0;
    for (unsigned k = 0; k < times(800u); ++k) {
        const ll_target t = real_machine(6);
        random_pair c = random_conversion(5, 6u + test_random(4), 6, 0);
        ll_layout m = registers_first(&c);
        const unsigned swap = test_random(c.tensor);
        const unsigned first = m.basis[0];
        m.basis[0] = m.basis[swap];
        m.basis[swap] = first;
        c.a.in.n = 2; /* one warp */
        const unsigned regs = held_bits(&c.a.in, LL_REGISTER);
        if (c.blocks || !ll_is_surjective(c.a)) {
            continue;
        }
        unsigned run = 0; /* offsets that lane 0 has from the lowest on */
        for (unsigned x = 0, has = 1; has && x < 32u; ++x) {
            has = 0;
            for (unsigned r = 0; r < 1u << regs; ++r) {
                has |= offset_of(&c, &m, r, 0) == x;
            }
            run += has;
        }
        unsigned most = 16;
        while (most && 2u * most > run) {
            most /= 2u;
        }
        CHECK(ll_widest(c.a, m, 4, 16) == most);
        unsigned address[MAX_LANES];
        for (unsigned lane = 0; lane < 32u; ++lane) {
            address[lane] =
                most ? offset_of(&c, &m, 0, lane) / (2u * most) * most : 0u;
        }
        CHECK(most == 0 || ll_wavefronts(c.a, m, 4, most, LL_READ, t) ==
                               served(address, most, LL_READ, &t));
        wide += most > 1u;
    }
    COVERS(wide > 20u);
}

/* Elements of 6 bits are bytes. */
static void elements_of_6_bits_are_bytes(void) {
    for (unsigned k = 0; k < times(300u); ++k) {
        const ll_target t = real_machine(test_random(N_REAL));
        const random_pair c = random_small(&t);
        check_the_plan(&c, 8, &t, LL_ANY, ll_plan_of(c.a, c.b, 6, t));
        CHECK(ll_plan_of(c.a, c.b, 6, t).cycles ==
              ll_plan_of(c.a, c.b, 8, t).cycles);
    }
    CHECK(ll_plan_of(ll_rows(64, 64, 4), ll_rows(64, 64, 4), 5, LL_SM90).err ==
          LL_EELEMENT);
    CHECK(ll_reduce_of(ll_rows(64, 64, 4), LL_J, 4, LL_SM90).err ==
          LL_EELEMENT);
}

/* ---- Clusters ------------------------------------------------------------ */

/* Registers, lanes, warps and some of 2^blocks blocks, each bit somewhere;
 * other columns are 0 or, where `again`, hold elements a second time. */
static ll_layout random_in_cluster(const random_pair *c, unsigned lanes,
                                   unsigned blocks, int again) {
    const unsigned threads = lanes + test_random(3) + blocks;
    const unsigned least = c->tensor > threads ? c->tensor - threads : 0u;
    const unsigned regs = least + test_random(3);
    const unsigned warps = threads - lanes - blocks;
    const unsigned n = regs + threads;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    ll_layout a = ll_zero(ll_with(in, LL_BLOCK, 1u << blocks), c->out);
    for (unsigned bit = 0; bit < c->tensor; ++bit) {
        unsigned k = test_random(3) ? test_random(n)
                                    : n - 1u - test_random(blocks + 1u);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; again && k < n; ++k) {
        a.basis[k] ^= a.basis[k] == 0 && test_random(2)
                          ? test_random(1u << c->tensor)
                          : 0u;
    }
    return a;
}

static random_pair random_cluster(const ll_target *t) {
    random_pair c = LL_ZERO;
    unsigned basis[32];
    const unsigned kind = test_random(8);
    c.tensor = 1u + test_random(ll_log2_(t->lanes) + 5u);
    c.blocks = 1u + test_random(3);
    const unsigned fewer = test_random(4) ? c.blocks : test_random(c.blocks);
    const unsigned fast = test_random(c.tensor + 1u);
    c.out = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << fast), LL_I,
                    1u << (c.tensor - fast));
    c.a = random_in_cluster(&c, ll_log2_(t->lanes), c.blocks, kind & 1u);
    c.b = random_in_cluster(&c, ll_log2_(t->lanes), fewer, kind & 2u);
    random_basis(basis, c.tensor, c.tensor);
    if (kind & 4u) {
        twist(&c.b, basis, c.tensor);
    }
    if (test_random(4) == 0) {
        c.a.offset = test_random(1u << c.tensor);
        c.b.offset = test_random(1u << c.tensor);
    }
    if (test_random(2)) {
        const ll_layout swap = c.a;
        c.a = c.b;
        c.b = swap;
    }
    return c;
}

/* Has each block of layout a what its lanes hold in layout b? */
static int has_its_own(const random_pair *c) {
    static unsigned char held[1 << 16];
    const unsigned all[2] = {bits_in(&c->a.in), bits_in(&c->b.in)};
    const unsigned of[2] = {held_bits(&c->a.in, LL_BLOCK),
                            held_bits(&c->b.in, LL_BLOCK)};
    for (unsigned block = 0; block < 1u << c->blocks; ++block) {
        memset(held, 0, sizeof held);
        for (unsigned side = 0; side < 2u; ++side) {
            const unsigned n = all[side] - of[side]; /* blocks are highest */
            const unsigned own = (block & ((1u << of[side]) - 1u)) << n;
            for (unsigned k = 0; k < 1u << n; ++k) {
                const unsigned y = value(side ? &c->b : &c->a, own | k);
                if (side && !held[y]) {
                    return 0;
                }
                held[y] = 1;
            }
        }
    }
    return 1;
}

/* Data leaves its block only where it must. */
static void plans_of_clusters_move_every_element(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    unsigned far[4] = LL_ZERO;
    unsigned near = 0, wide = 0;
    for (unsigned k = 0; k < times(24000u); ++k) {
        const unsigned which = test_random(N_REAL + N_TINY);
        ll_target t = which < N_REAL ? real_machine(which)
                                     : tiny_machine(which - N_REAL);
        const unsigned bits = 8u << test_random(5);
        t.blocks = 8;
        const random_pair c = random_cluster(&t);
        const ll_plan p = ll_plan_of(c.a, c.b, bits, t);
        check_the_plan(&c, bits, &t, LL_ANY, p);
        CHECK((p.blocks == 0) == has_its_own(&c));
        CHECK(p.kind < LL_CLUSTER || ll_plan_by(c.a, c.b, bits, t, LL_SHARED)
                                             .err == LL_EKIND);
        ++kinds[p.kind];
        ++far[p.blocks];
        near += p.kind == LL_CLUSTER && p.blocks == 0;
        wide += p.blocks && p.step[3].bytes == 16u;
    }
    printf("%u far, of 2, 4, 8 blocks %u %u %u; %u near; %u by 16 bytes\n",
           kinds[LL_CLUSTER] - near, far[1], far[2], far[3], near, wide);
    COVERS(far[1] > 3000u && far[2] > 3000u && far[3] > 3000u);
    COVERS(near > 500u && wide > 2000u && kinds[LL_CLUSTER] > 12000u);
}

static void plans_of_clusters_within_a_budget(void) {
    unsigned found[3] = LL_ZERO;
    for (unsigned k = 0; k < times(6000u); ++k) {
        ll_target t = real_machine(test_random(2) ? 0 : 6);
        const unsigned bits = 8u << test_random(5);
        t.blocks = 8;
        const random_pair c = random_cluster(&t);
        const ll_plan whole = ll_plan_of(c.a, c.b, bits, t);
        const unsigned halved = test_random(3);
        const unsigned bytes = whole.smem_bytes >> halved;
        const ll_plan p = ll_plan_within(c.a, c.b, bits, t, bytes);
        CHECK(p.err == LL_OK || (p.err == LL_EBUDGET && halved));
        if (!p.err && p.kind == LL_CLUSTER) {
            CHECK(p.passes == halved);
            CHECK(p.smem_bytes <= bytes);
            check_the_plan(&c, bits, &t, LL_ANY, p);
            ++found[p.passes];
        }
    }
    COVERS(found[0] > 1000u && found[1] > 20u && found[2] > 5u);
}

/* Clusters of 16 blocks, which sm_90 has where the launch asks for more than
 * the portable 8 (CUDA C++ Programming Guide, "Thread Block Clusters"). */
static void plans_of_16_blocks_move_every_element(void) {
    unsigned far = 0;
    for (unsigned k = 0; k < times(300u); ++k) {
        ll_target t = real_machine(test_random(2) ? 0 : 6);
        const unsigned bits = 8u << test_random(5);
        random_pair c = LL_ZERO;
        c.blocks = 4;
        c.tensor = 4u + test_random(6);
        c.out = ll_with(ll_shape_of(""), LL_J, 1u << c.tensor);
        c.a = random_in_cluster(&c, 5, 4, 0);
        c.b = random_in_cluster(&c, 5, 4, 0);
        t.blocks = 16;
        const ll_plan p = ll_plan_of(c.a, c.b, bits, t);
        check_the_plan(&c, bits, &t, LL_ANY, p);
        CHECK((p.blocks == 0) == has_its_own(&c));
        CHECK(p.blocks == 0 || p.blocks == 4u);
        far += p.blocks == 4u;
        t.blocks = 8;
        CHECK(p.kind != LL_CLUSTER ||
              ll_plan_of(c.a, c.b, bits, t).err == LL_EBLOCK);
    }
    COVERS(far > 150u);
}

/* As many blocks as a target has in a cluster, and no more. */
static void clusters_have_their_limits(void) {
    const char *from = "register: j0 | lane: i0 i1 i2 i3 i4 | block: ";
    const char *to = "register: i5 | lane: i0 i1 i2 i3 i4 | block: j0";
    char a[96], b[96];
    const char *more[] = {"i5", "i5 i6", "i5 i6 i7", "i5 i6 i7 i8"};
    const char *less[] = {"", " i6", " i6 i7", " i6 i7 i8"};
    for (unsigned k = 0; k < 4u; ++k) {
        snprintf(a, sizeof a, "%s%s", from, more[k]);
        snprintf(b, sizeof b, "%s%s", to, less[k]);
        const ll_plan p = ll_plan_of(ll_parse(a), ll_parse(b), 32, LL_SM90);
        CHECK(p.err == (k < 3u ? LL_OK : LL_EBLOCK));
        CHECK(p.err || (p.kind == LL_CLUSTER && p.smem_bytes == 256u));
        CHECK(ll_plan_of(ll_parse(a), ll_parse(b), 32, LL_SM89).err ==
              LL_EBLOCK);
        CHECK(ll_plan_by(ll_parse(a), ll_parse(b), 32, LL_SM90, LL_SHARED)
                  .err == (k < 3u ? LL_EKIND : LL_EBLOCK));
        CHECK(ll_plan_by(ll_parse(a), ll_parse(b), 32, LL_SM90, LL_CLUSTER)
                  .err == p.err);
    }
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

/* A copy moves 4 bytes at least, which a row of two bytes does not have. */
static void rows_of_two_bytes_are_not_copied(void) {
    const ll_plan p = ll_plan_by(
        ll_parse("register: i0 i1 | lane: i2 i3 i4 i5 j0"),
        ll_parse("register: i5 j0 | lane: i0 i1 i2 i3 i4"), 8, LL_SM90,
        LL_SHARED);
    CHECK(p.err == LL_OK && p.step[1].form == LL_FORM_VECTOR);
    CHECK(ll_tile_copied(p).err == LL_ECOPY);
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

/* Memory that keeps 2^n places of a row together, and any order of them. */
static ll_layout memory_of_pieces(const ll_shape *tensor, unsigned n) {
    ll_layout m = random_memory(tensor);
    const unsigned all = ll_shape_bits_(tensor);
    for (unsigned k = 0; k < all; ++k) {
        m.basis[k] = 1u << k;
    }
    for (unsigned k = 0; all > n + 1u && k < 2u * all; ++k) {
        const unsigned x = n + test_random(all - n);
        const unsigned y = n + test_random(all - n);
        const unsigned column = m.basis[x];
        m.basis[x] = m.basis[y];
        m.basis[y] = column;
        m.basis[x] ^= x != y && test_random(4) == 0 ? m.basis[y] : 0u;
        m.basis[x] ^= n && test_random(12) == 0 ? 1u << test_random(n) : 0u;
    }
    m.offset = test_random(2) ? m.offset >> n << n : 0u;
    return m;
}

/* What position `pos` of a thread is in the tile and in memory, in elements. */
static unsigned in_tile(const ll_tile *tile, unsigned thread, unsigned pos) {
    return ll_map_at(tile->thread, thread) ^ ll_places(&tile->at, pos);
}

static unsigned in_memory(const ll_step *s, unsigned thread, unsigned pos,
                          unsigned scale) {
    return (ll_map_at(s->thread, thread) ^ ll_places(&s->at, pos)) >> scale;
}

/* Do 2^v positions at a time lie side by side, in a row and in memory? */
static int lie_together(const ll_tile *tile, const ll_step *s, unsigned v,
                        unsigned threads, unsigned scale) {
    const unsigned in = (1u << v) - 1u;
    int together = v <= s->at.n && v <= tile->col_bits;
    for (unsigned k = 0; together && k < threads << s->at.n; ++k) {
        const unsigned thread = k >> s->at.n;
        const unsigned pos = k & ((1u << s->at.n) - 1u);
        const unsigned y = in_tile(tile, thread, pos & ~in);
        const unsigned place = in_memory(s, thread, pos & ~in, scale);
        together = (y & in) == 0 && (place & in) == 0 &&
                   in_tile(tile, thread, pos) == (y | (pos & in)) &&
                   in_memory(s, thread, pos, scale) == (place | (pos & in));
    }
    return together;
}

static void check_copied(const random_pair *c, unsigned scale,
                         const ll_plan *p) {
    const ll_step *s = &p->step[1];
    const unsigned n = c->a.in.bits[0];
    const unsigned threads = 1u << (bits_in(&c->a.in) - n);
    const unsigned word = scale < 2u ? 2u - scale : 0u;
    const unsigned most = s->at.vector > word ? s->at.vector : word;
    const ll_tile tile = ll_tile_copied(*p);
    unsigned widest = 0, touched = 0;
    CHECK(tile.col_bits == p->memory.out.bits[0]);
    for (unsigned k = 0; k < threads << s->at.n; ++k) {
        const unsigned thread = k >> s->at.n;
        const unsigned pos = k & ((1u << s->at.n) - 1u);
        const unsigned y = in_tile(&tile, thread, pos);
        CHECK(y == value(&c->a, ll_registers(&s->at, pos) | thread << n));
        CHECK(value(&p->memory, in_memory(s, thread, pos, scale)) == y);
        touched |= ll_map_at(tile.thread, thread);
    }
    CHECK(tile.touched == touched && tile.at.n == s->at.n);
    while (widest < most &&
           lie_together(&tile, s, widest + 1u, threads, scale)) {
        ++widest;
    }
    CHECK(tile.at.vector == widest && tile.bytes == 1u << (widest + scale));
    CHECK(tile.err == (tile.bytes < 4u ? LL_ECOPY : LL_OK));
}

/* The tile of a store by vectors, through any memory: element by element what
 * the registers store, by the widest pieces there are. */
static void tiles_are_copied_by_their_widest_pieces(void) {
    unsigned found[8] = LL_ZERO;
    for (unsigned k = 0; k < times(3000u); ++k) {
        const unsigned scale = test_random(5), piece = test_random(4);
        random_pair c = random_conversion(5, 5u + test_random(4), 5,
                                          test_random(6) == 0);
        if (c.blocks || c.a.out.bits[0] < piece ||
            c.a.in.bits[0] < c.b.in.bits[0]) {
            continue;
        }
        c.a.offset = test_random(3) ? 0u : test_random(1u << c.tensor);
        c.b.offset = c.a.offset;
        for (unsigned m = 0; m < piece && c.a.in.bits[0] > piece &&
                             test_random(4); ++m) { /* whole pieces */
            unsigned at = 0;
            while (at < 31u && c.a.basis[at] != 1u << m) {
                ++at;
            }
            const unsigned to = test_random(8) ? m : c.a.in.bits[0] - 1u - m;
            const unsigned column = c.a.basis[to];
            c.a.basis[to] = c.a.basis[at];
            c.a.basis[at] = column;
        }
        const ll_layout m = memory_of_pieces(&c.a.out, piece);
        ll_target t = LL_SM75;
        t.access_bytes = test_random(2) ? 16u : 1u << scale;
        const ll_plan p = ll_plan_through(c.a, c.b, 8u << scale, t, m);
        if (!p.err && p.step[1].form == LL_FORM_VECTOR) {
            check_copied(&c, scale, &p);
            ++found[ll_tile_copied(p).at.vector];
        }
    }
    COVERS(found[0] > 300u && found[1] > 50u && found[2] > 5u && found[3]);
    ll_plan p = ll_plan_by(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
                           LL_SM80, LL_COPIES);
    CHECK(ll_tile_copied(p).err == LL_OK);
    ll_plan q = p;
    q.passes = 1;
    CHECK(ll_tile_copied(q).err == LL_EKIND);
    q = p;
    q.step[1].form = LL_FORM_MATRIX;
    CHECK(ll_tile_copied(q).err == LL_EKIND);
    q = p;
    q.kind = LL_CLUSTER;
    CHECK(ll_tile_copied(q).err == LL_EKIND);
    q = p;
    q.err = LL_EBITS;
    CHECK(ll_tile_copied(q).err == LL_EBITS);
    for (unsigned pair = 0; pair < 4u; ++pair) { /* of columns 2j and 2j + 1 */
        q = p;
        q.nibbles = 1;
        q.pair = pair;
        CHECK(ll_tile_copied(q).err == (pair == 1u ? LL_OK : LL_EKIND));
    }
    q = p;
    q.memory.out = ll_with(q.memory.out, LL_K, 1);
    CHECK(ll_tile_copied(q).err == LL_EAXES);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(plans_move_every_element);
    RUN(plans_of_16_axes_move_every_element);
    RUN(plans_move_a_part_of_the_tensor);
    RUN(plans_by_matrices_move_every_element);
    RUN(plans_within_a_budget_move_every_element);
    RUN(plans_for_copies_keep_pieces_of_rows);
    RUN(copies_are_as_wide_as_the_stores);
    RUN(operands_are_loaded_as_matrices);
    RUN(budgets_are_met_to_the_byte);
    RUN(memory_lacks_no_element);
    RUN(plans_through_any_memory_move_every_element);
    RUN(plans_move_every_nibble);
    RUN(nibbles_go_through_any_memory);
    RUN(memory_of_nibbles_has_any_order_of_axes);
    RUN(plans_without_a_rival_name_themselves);
    RUN(accesses_of_nibbles_are_counted_by_bytes);
    RUN(elements_of_6_bits_are_bytes);
    RUN(plans_of_clusters_move_every_element);
    RUN(plans_of_clusters_within_a_budget);
    RUN(plans_of_16_blocks_move_every_element);
    RUN(clusters_have_their_limits);
    RUN(words_of_matrices_are_not_permuted);
    RUN(conflicts_are_the_sum_of_what_steps_lose);
    RUN(memory_has_less_than_2_to_the_32_bytes);
    RUN(rows_of_two_bytes_are_not_copied);
    RUN(bytes_of_two_warps_are_read_where_that_is_cheaper);
    RUN(bytes_of_two_lanes_are_read_at_once);
    RUN(selects_join_byte_permutes);
    RUN(all_families_convert_into_each_other);
    RUN(tiles_are_copied_by_their_widest_pieces);
    return test_end();
}
