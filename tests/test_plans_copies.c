/* test_plans_copies.c - plans for copies from global memory, by pieces of rows.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "plans.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

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

/* Transposes of row-major tiles. A copy is as wide as the store that the plan
 * counts, so the plan states the conflicts of the copies. */
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

/* A copy moves 4 bytes at least, which a row of two bytes does not have. */
static void rows_of_two_bytes_are_not_copied(void) {
    const ll_plan p = ll_plan_by(
        ll_parse("register: i0 i1 | lane: i2 i3 i4 i5 j0"),
        ll_parse("register: i5 j0 | lane: i0 i1 i2 i3 i4"), 8, LL_SM90,
        LL_SHARED);
    CHECK(p.err == LL_OK && p.step[1].form == LL_FORM_VECTOR);
    CHECK(ll_tile_copied(p).err == LL_ECOPY);
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
    RUN(tiles_are_copied_by_their_widest_pieces);
    RUN(plans_for_copies_keep_pieces_of_rows);
    RUN(copies_are_as_wide_as_the_stores);
    RUN(rows_of_two_bytes_are_not_copied);
    return test_end();
}
