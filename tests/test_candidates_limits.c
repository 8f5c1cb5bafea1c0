/* test_candidates_limits.c - plans of as many lanes, warps and bits as there are.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

/* ---- Hops ---------------------------------------------------------------- */

/* Lane l takes the word of lane l ^ by; `by` may be of another warp. */
static ll_layout lanes_apart(unsigned lanes, unsigned by) {
    const ll_shape none = LL_ZERO;
    ll_layout m = ll_zero(ll_with(ll_with(none, LL_LANE, lanes), LL_WARP, 2),
                          ll_with(none, LL_LANE, 2u * lanes));
    for (unsigned k = 0; 1u << k < lanes; ++k) {
        m.basis[k] = 1u << k;
    }
    m.offset = by;
    return m;
}

/* A warp bit that changes the lane, whichever bit of it, takes a hop to a
 * computed lane, and so does a lane that the warp does not have. */
static void lanes_of_other_warps_have_no_hops(void) {
    const unsigned hops = LL_GFX950.hops;
    for (unsigned k = 0; k < 6u; ++k) {
        ll_layout m = lanes_apart(64, 0);
        CHECK(ll_hops_of(ll_map_of(m), 0, hops, 64).n == 0);
        m.basis[6] = 1u << k;
        const ll_hops any = ll_hops_of(ll_map_of(m), 0, hops, 64);
        CHECK(any.n == 1u && any.hop[0] == LL_HOP_ANY);
        m.basis[6] = 0;
        CHECK(ll_hops_of(ll_map_of(m), 1u << k, hops, 64).near);
    }
    ll_layout far = lanes_apart(64, 0); /* bits move by 2 and, of warps, by 1 */
    const unsigned rows = ll_amd_target(0x1100, 64).hops;
    far.basis[0] = 4;
    far.basis[2] = 1;
    CHECK(ll_hops_of(ll_map_of(far), 0, rows, 64).hop[0] == LL_HOP_ROW);
    far.basis[6] = 32;
    CHECK(ll_hops_of(ll_map_of(far), 0, rows, 64).hop[0] == LL_HOP_ANY);
    const ll_map m = ll_map_of(lanes_apart(64, 64));
    const ll_map still = ll_map_of(lanes_apart(64, 0));
    CHECK(ll_hops_of(m, 0, hops, 64).hop[0] == LL_HOP_ANY);
    CHECK(ll_hops_of(still, 64, hops, 64).hop[0] == LL_HOP_ANY);
}

/* A lane's place and the offset of the map are one number. */
static void an_offset_of_lanes_is_a_place(void) {
    const ll_target all[] = {LL_GFX908, LL_GFX942, LL_GFX950, LL_GFX1100};
    unsigned near = 0;
    for (unsigned n = 0; n < 4000u; ++n) {
        const ll_target t = all[n % 4u];
        const unsigned by = test_random(t.lanes), at = test_random(t.lanes);
        ll_layout m = lanes_apart(t.lanes, 0);
        const unsigned bits = ll_log2_(t.lanes);
        for (unsigned k = 0; k < 4u; ++k) {
            const unsigned i = test_random(bits), j = test_random(bits);
            m.basis[i] = test_random(2) ? m.basis[i] & ~(1u << j)
                                        : m.basis[i] ^ 1u << j % 4u;
        }
        const ll_hops one = ll_hops_of(ll_map_of(m), at ^ by, t.hops, t.lanes);
        m.offset = by;
        const ll_hops two = ll_hops_of(ll_map_of(m), at, t.hops, t.lanes);
        CHECK(memcmp(&one, &two, sizeof one) == 0);
        near += one.n && one.near;
    }
    CHECK(near > 100u);
}

/* v_permlane16_swap overwrites both of its registers, so that each word is
 * copied twice for it: three instructions. */
static void a_swap_as_a_hop_takes_three_instructions(void) {
    ll_step s = LL_ZERO;
    s.thread = ll_map_of(lanes_apart(64, 16));
    ll_hop_all_(&s, 2, LL_GFX950.hops, 64); /* two words each */
    CHECK(s.near == 2u && s.logic == 6u);
    s.thread = ll_map_of(lanes_apart(64, 8)); /* a rotation within a row */
    ll_hop_all_(&s, 2, LL_GFX950.hops, 64);
    CHECK(s.near == 2u && s.logic == 2u);
}

/* One instruction exchanges the halves of a wave, also on a machine that has
 * only that one. */
static void one_kind_of_swaps_is_enough(void) {
    const ll_layout a = L("register: i0 i1 | lane: i2 i3 i4 i5 i6 i7");
    for (unsigned k = 4; k < 6u; ++k) {
        ll_target t = LL_GFX950;
        ll_layout b = a;
        b.basis[0] = a.basis[2u + k];
        b.basis[2u + k] = a.basis[0];
        t.swaps = 1u << k;
        t.hops &= ~(1u << LL_HOP_SWAP);
        const ll_plan p = ll_plan_of(a, b, 32, t);
        unsigned swaps = 0;
        for (unsigned m = 0; m < p.n; ++m) {
            swaps += p.step[m].op == LL_OP_SWAP ? p.step[m].count : 0u;
        }
        CHECK(p.kind == LL_SHUFFLES && swaps == 2u);
    }
}

/* ---- As many bits as there are ------------------------------------------- */

/* Adds warps that both sides have alike until the result has 32 bits. */
static void with_warps(ll_layout *a, ll_layout *b, unsigned more) {
    const ll_shape none = LL_ZERO;
    ll_layout warps =
        ll_zero(ll_with(none, LL_WARP, 1u << more),
                ll_with(none, LL_K, 1u << more));
    for (unsigned k = 0; k < more; ++k) {
        warps.basis[k] = 1u << k;
    }
    *a = ll_mul(*a, warps);
    *b = ll_mul(*b, warps);
}

static void same_steps(const ll_plan *p, const ll_plan *q) {
    CHECK(p->err == q->err && p->cycles == q->cycles && p->n == q->n);
    for (unsigned k = 0; k < p->n; ++k) {
        CHECK(p->step[k].op == q->step[k].op);
        CHECK(p->step[k].count == q->step[k].count);
    }
}

/* Warps that both sides have alike change nothing within a warp, up to the last
 * bit of a layout. Their memory would have 2^32 bytes and more. */
static void shuffles_are_those_of_one_warp(void) {
    unsigned found = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : LL_SM80;
        random_pair c = random_conversion(5, 6u + test_random(3), 4, 0);
        const unsigned last = ll_shape_bits_(&c.b.in);
        if (c.blocks || held_bits(&c.a.in, LL_WARP) ||
            held_bits(&c.b.in, LL_WARP) ||
            held_bits(&c.a.in, LL_REGISTER) >
                held_bits(&c.b.in, LL_REGISTER) || last > 31u) {
            continue;
        }
        const ll_plan p = ll_plan_by(c.a, c.b, 32, t, LL_SHUFFLES);
        if (c.tensor + 32u - last > 32u || p.err) {
            continue;
        }
        with_warps(&c.a, &c.b, 32u - last);
        CHECK(ll_shape_bits_(&c.b.in) == 32u);
        const ll_plan q = ll_plan_by(c.a, c.b, 32, t, LL_SHUFFLES);
        if (q.err == LL_OK) { /* there is room for the registers it needs */
            same_steps(&p, &q);
            ++found;
        }
        const ll_plan m = ll_plan_by(c.a, c.b, 32, t, LL_SHARED);
        CHECK(m.kind < LL_SHARED || m.err == LL_EBITS);
    }
    CHECK(found > 5u);
}

/* 27 register bits, 26 of them for copies, need the same steps as one bit. */
static void copies_in_many_registers_cost_nothing(void) {
    ll_layout a = L("register: i0 | lane: j0 j1 j2 j3 j4");
    ll_layout b = L("register: j0 | lane: i0 j1 j2 j3 j4");
    a = ll_order_out(a, "j i");
    b = ll_order_out(b, "j i");
    const ll_plan p = ll_plan_by(a, b, 32, LL_SM90, LL_SHUFFLES);
    const ll_layout copies = ll_zeros(1u << 26, LL_REGISTER, LL_J, 1);
    a = ll_mul(a, copies);
    b = ll_mul(b, copies);
    CHECK(ll_shape_bits_(&b.in) == 32u);
    const ll_plan q = ll_plan_by(a, b, 32, LL_SM90, LL_SHUFFLES);
    CHECK(p.kind == LL_SHUFFLES);
    same_steps(&p, &q);
}

/* Lanes that want different registers of one lane fetch both, in one more
 * register. If the layout has 32 bits already, there is no such plan. */
static void a_full_layout_has_no_room_for_more_registers(void) {
    for (unsigned k = 0; k < 5u; ++k) {
        for (unsigned more = 25; more <= 26u; ++more) {
            ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4");
            ll_layout b = L("register: 0 | lane: i0 i1 i2 i3 i4 -> j=2 | i=32");
            b = ll_order_out(b, "j i");
            a = ll_order_out(a, "j i");
            b.basis[1u + k] = a.basis[0];
            CHECK(!a.err && !b.err);
            with_warps(&a, &b, more);
            const ll_plan p = ll_plan_by(a, b, 32, LL_SM90, LL_SHUFFLES);
            CHECK(p.err == (more == 25u ? LL_OK : LL_EKIND));
        }
    }
}

/* Blocks that read each other's memory, where the result has copies in all the
 * warps that 32 bits have room for. */
static void copies_in_many_warps_cost_nothing(void) {
    const ll_layout a =
        L("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5");
    ll_layout b = L("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0");
    const ll_plan p = ll_plan_of(a, b, 32, LL_SM90);
    b = ll_mul(b, ll_zeros(1u << 25, LL_WARP, LL_J, 1));
    CHECK(ll_shape_bits_(&b.in) == 32u);
    const ll_plan q = ll_plan_of(a, b, 32, LL_SM90);
    CHECK(p.kind == LL_CLUSTER && !q.err && q.smem_bytes == p.smem_bytes);
    CHECK(p.step[3].count == q.step[3].count);
    CHECK(p.step[3].wavefronts == q.step[3].wavefronts);
}

/* An axis of 32 bits: what stays where it is keeps its number. */
static void an_axis_of_32_bits_is_absorbed(void) {
    const ll_shape none = LL_ZERO;
    const ll_shape in = ll_with(ll_with(none, LL_REGISTER, 1u << 27), LL_LANE,
                                32);
    ll_shape out = ll_with(none, LL_J, 2);
    out.bits[0] = 32;
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    const ll_layout s = ll_absorb(a, a, LL_J);
    CHECK(!s.err);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(s.basis[k] == 1u << k);
    }
}

/* Memory of 2^32 bytes and more cannot be filled by copies. */
static void a_tensor_of_32_bits_is_not_copied(void) {
    const ll_shape none = LL_ZERO;
    ll_shape out = ll_with(none, LL_J, 2);
    const ll_shape in =
        ll_with(ll_with(ll_with(none, LL_REGISTER, 32), LL_LANE, 32), LL_WARP,
                1u << 22);
    out.bits[0] = 32;
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    CHECK(ll_plan_by(a, a, 8, LL_SM90, LL_COPIES).err == LL_EBITS);
}

/* With the number of a block the places of a cluster have more than 32 bits. */
static void a_cluster_has_less_than_2_to_the_32_places(void) {
    const ll_shape none = LL_ZERO;
    ll_shape out = ll_with(none, LL_J, 2);
    const ll_shape in =
        ll_with(ll_with(ll_with(ll_with(none, LL_REGISTER, 32), LL_LANE, 32),
                        LL_WARP, 1u << 21), LL_BLOCK, 2);
    out.bits[0] = 32;
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
    }
    ll_layout b = a;
    b.basis[0] = a.basis[31];
    b.basis[31] = a.basis[0];
    CHECK(ll_plan_of(a, b, 8, LL_SM90).err == LL_EBITS);
}

/* ---- Clusters ------------------------------------------------------------ */

/* Each block holds two elements of a byte and pads them to 16 bytes. Its block
 * bits have the same columns as in the source. */
static void small_memories_of_blocks_are_padded(void) {
    const ll_layout a =
        L("register: | lane: j0 0 0 0 0 | warp: | block: i0 i1");
    const ll_layout b =
        L("register: i0 i1 | lane: j0 0 0 0 0 | warp: | block: 0 0");
    const ll_plan p = ll_plan_of(a, ll_order_out(b, "i j"), 8, LL_SM90);
    const ll_layout x = ll_hardware_(a);
    CHECK(p.kind == LL_CLUSTER && p.next_kind == LL_CLUSTER && p.blocks == 2u);
    CHECK(p.smem_bytes == 16u && p.memory.in.bits[0] == 4u);
    for (unsigned k = 0; k < 4u; ++k) {
        CHECK(p.memory.basis[k] == (k ? 0u : x.basis[0]));
    }
    for (unsigned k = 0; k < 2u; ++k) {
        CHECK(p.memory.basis[4u + k] == x.basis[5u + k]);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(lanes_of_other_warps_have_no_hops);
    RUN(an_offset_of_lanes_is_a_place);
    RUN(a_swap_as_a_hop_takes_three_instructions);
    RUN(one_kind_of_swaps_is_enough);
    RUN(shuffles_are_those_of_one_warp);
    RUN(a_full_layout_has_no_room_for_more_registers);
    RUN(copies_in_many_warps_cost_nothing);
    RUN(an_axis_of_32_bits_is_absorbed);
    RUN(a_tensor_of_32_bits_is_not_copied);
    RUN(a_cluster_has_less_than_2_to_the_32_places);
    RUN(small_memories_of_blocks_are_padded);
    RUN(copies_in_many_registers_cost_nothing);
    return test_end();
}
