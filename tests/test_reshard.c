/* test_reshard.c - plans that move tensors between ranks.
 * SPDX-License-Identifier: MIT
 *
 * Random pairs of shardings are executed element by element. What a rank must
 * receive is counted by the definition: which elements it wants, which ranks
 * hold them, how far the nearest of these is. `make check-reshard` runs 100,000
 * pairs that are executed in full.
 */
#include "../ll.h"
#include "../tools/reshard/ll_reshard.h"
#include "definition.h"
#include "reshard_pairs.h"

static void random_pairs_arrive_by_the_fewest_bytes(void) {
    static held a, b;
    for (unsigned k = 0; k < times(2000); ++k) {
        ll_layout from, to;
        const unsigned bits = test_random(MOST - 2u);
        const unsigned mesh = test_random(bits < 6u ? bits + 1u : 7u);
        ll_reshard p = random_pair(bits, mesh, &from, &to);
        if (p.err == LL_OK && test_random(4) == 0) {
            p = with_sums(p, &from, to);
        }
        CHECK(p.err == LL_OK);
        if (p.err || bits_in(&p.mesh) > 6u) {
            continue;
        }
        hold(&a, &from, &p.mesh);
        hold(&b, &to, &p.mesh);
        executes(&p, &a, &b);
        is_least(&p, &a, &b);
        has_rounds(&p);
        has_runs(&p);
        has_order(&p);
        counts(&p, &a);
        names_the_busiest_rank(&p);
        CHECK((p.in_place != 0) == can_swap(&p, &a, &b));
        CHECK((ll_reshard_in_place(p).err == LL_OK) == (p.in_place != 0));
        ++met_pairs;
        met_copies += p.copies != 0;
        met_sums += p.sum != 0;
        met_places += p.in_place != 0;
    }
    COVERS(met_copies > 20u);
    COVERS(met_sums > 20u);
    COVERS(met_places > 3u);
}

/* Shardings that differ in few bits of the offset and the rank. */
static void messages_are_replaced_where_they_can_be(void) {
    static held a, b;
    unsigned found[2] = {0, 0};
    for (unsigned k = 0; k < times(3000); ++k) {
        const unsigned bits = 2u + test_random(5);
        const unsigned mesh = 1u + test_random(bits < 4u ? bits - 1u : 3u);
        const ll_topology t =
            ll_topology_with(ll_topology_of(2000), "gpu", 400, 1000);
        const ll_shape in = ll_with(ll_with(ll_shape_of(""), LL_OFFSET,
                                            1u << (bits - mesh)),
                                    ll_dim_of("gpu"), 1u << mesh);
        const ll_shape out = ll_with(ll_shape_of(""), LL_J, 1u << bits);
        ll_layout from = ll_zero(in, out);
        for (unsigned m = 0; m < bits; ++m) {
            from.basis[m] = 1u << m;
        }
        ll_layout to = from;
        for (unsigned n = 1u + test_random(3); n > 0; --n) {
            const unsigned x = test_random(bits), y = test_random(bits);
            const unsigned column = to.basis[x];
            if (test_random(3)) {
                to.basis[x] = to.basis[y];
                to.basis[y] = column;
            } else {
                to.basis[y] ^= x == y ? 0u : column;
            }
        }
        to.offset = test_random(3) ? 0u : test_random(1u << bits);
        const ll_reshard p = ll_reshard_of(from, to, 8, t);
        CHECK(p.err == LL_OK);
        hold(&a, &from, &p.mesh);
        hold(&b, &to, &p.mesh);
        const int is = can_swap(&p, &a, &b);
        CHECK((p.in_place != 0) == is);
        ++found[is];
    }
    COVERS(found[0] > 100u && found[1] > 100u);
}

/* Up to 2^16 ranks: inputs are drawn at random, and the rounds of a rank. */
static void many_ranks_find_their_elements(void) {
    for (unsigned k = 0; k < times(300); ++k) {
        ll_layout a, b;
        const unsigned mesh = test_random(17);
        const unsigned bits = mesh + test_random(29u - mesh - 2u);
        const ll_reshard p = random_pair(bits, mesh, &a, &b);
        unsigned wrong = 0;
        CHECK(p.err == LL_OK || p.err == LL_EBITS);
        for (unsigned n = 0; n < 60u && !p.err; ++n) {
            const unsigned all = bits_in(&p.source.in);
            const unsigned x = test_random(0) & (all ? ~0u >> (32u - all) : 0u);
            const unsigned s = value(&p.source, x), t = value(&p.target, x);
            const unsigned from = s >> p.source.out.bits[0];
            const unsigned to = t >> p.target.out.bits[0];
            unsigned at = ll_shape_repack_(s, &p.source.out, &a.in);
            unsigned back = ll_shape_repack_(at, &a.in, &p.source.out);
            wrong += back != s; /* the source has no such rank */
            wrong += value(&a, at) !=
                     value(&b, ll_shape_repack_(t, &p.target.out, &b.in));
            const ll_message m = ll_reshard_message(p, to, from ^ to);
            wrong += !m.exists || m.from != from ||
                     m.x >> p.message != x >> p.message;
        }
        CHECK(wrong == 0);
    }
}

/* A tile of a permutation has 16 bytes side by side on both sides, by what the
 * maps say of each of its elements. */
static void tiles_have_runs_in_both_memories(void) {
    for (unsigned k = 0; k < times(300); ++k) {
        ll_layout a, b;
        const ll_reshard p = random_pair(12u + test_random(6), 2, &a, &b);
        const ll_reshard_tile t = ll_reshard_tile_of(p, 4096, 64);
        if (p.err || t.err) {
            CHECK(p.err || t.err == (unsigned)LL_RESHARD_ETILE);
            continue;
        }
        const unsigned own[2] = {(1u << p.source.out.bits[0]) - 1u,
                                 (1u << p.target.out.bits[0]) - 1u};
        const unsigned n = 16u / (p.bits / 8u);
        unsigned base = t.origin, wrong = 0, first[2] = {0, 0};
        for (unsigned m = t.bits; m < bits_in(&p.source.in); ++m) {
            base ^= test_random(2) ? t.x[m] : 0u; /* any tile of any rank */
        }
        for (unsigned e = 0; e < 1u << t.bits; ++e) {
            unsigned to = 0, from = 0;
            for (unsigned m = 0; m < t.bits; ++m) {
                to ^= e >> m & 1u ? t.x[m] : 0u;
                from ^= e >> m & 1u ? t.x[t.order[m]] : 0u;
            }
            const unsigned y = value(&p.target, base ^ to) & own[1];
            const unsigned z = value(&p.source, base ^ from) & own[0];
            first[0] = e % n ? first[0] : z;
            first[1] = e % n ? first[1] : y;
            wrong += y != first[1] + e % n || z != first[0] + e % n;
            wrong += e % n == 0 && (y % n || z % n);
        }
        CHECK(wrong == 0);
        ++met_tiles;
    }
    COVERS(met_tiles > 5u);
}

/* A tile has room for 16 bytes of both sides, which are the first three bits of
 * offsets, or there is none. */
static void tiles_have_room_for_both_sides(void) {
    static const char *const names[] = {"j0", "j1", "j2", "i0", "i1", "i2"};
    const ll_layout a = ll_parse("offset: j0 j1 j2 i0 i1 i2 | gpu: i3");
    const ll_topology one =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    unsigned found[2] = {0, 0};
    for (unsigned k = 0; k < 300u; ++k) {
        unsigned at[6] = {0, 1, 2, 3, 4, 5}, first = 7;
        char text[80] = "offset:";
        for (unsigned m = 6; m-- > 0;) {
            const unsigned n = test_random(m + 1u), was = at[m];
            at[m] = at[n];
            at[n] = was;
        }
        for (unsigned m = 0; m < 6u; ++m) {
            strcat(strcat(text, " "), names[at[m]]);
            first |= m < 3u ? 1u << at[m] : 0u;
        }
        const ll_layout b = ll_parse(strcat(text, " | gpu: i3"));
        const ll_reshard p = ll_reshard_of(a, b, 16, one);
        for (unsigned bits = 3; bits <= 6u; ++bits) {
            const unsigned err = ll_reshard_tile_of(p, 2u << bits, 16).err;
            unsigned n = 0;
            for (unsigned m = 0; m < 6u; ++m) {
                n += first >> m & 1u;
            }
            CHECK(err == (n <= bits ? 0u : (unsigned)LL_RESHARD_ETILE));
            ++found[err != 0];
        }
    }
    CHECK(found[0] > 300u && found[1] > 300u);
}

/* The bits of offsets, from bit 0 on, that a rank's part of the target has in
 * full: the neighbours of each element are there. */
static unsigned neighbours(const ll_reshard *p) {
    static unsigned char seen[1u << 16];
    const unsigned all = p->message + p->peers;
    unsigned n = 0, whole = 1;
    memset(seen, 0, sizeof seen);
    for (unsigned x = 0; x < 1u << all; ++x) {
        seen[(value(&p->target, x) ^ value(&p->target, 0)) &
             ((1u << p->target.out.bits[0]) - 1u)] = 1;
    }
    while (whole && n < all) {
        for (unsigned y = 1u << n; y < 2u << n; ++y) {
            whole = whole && seen[y];
        }
        n += whole;
    }
    return n;
}

/* Tiles have every input of the plan once, those of a rank side by side; the
 * first elements of a tile are neighbours, in either order. */
static void tiles_have_every_element_once(void) {
    static unsigned char seen[1u << 16];
    unsigned found[2] = {0, 0};
    for (unsigned k = 0; k < times(600); ++k) {
        ll_layout a, b;
        const ll_reshard p =
            random_pair(6u + test_random(6), test_random(3), &a, &b);
        const unsigned bytes = 8u << test_random(10);
        const unsigned run = 8u << test_random(5);
        const ll_reshard_tile t = ll_reshard_tile_of(p, bytes, run);
        if (p.err || bits_in(&p.source.in) > 16u ||
            p.target.out.bits[0] > 16u) {
            continue;
        }
        const unsigned own = p.target.out.bits[0];
        const unsigned size = p.bits / 8u, all = p.message + p.peers;
        const unsigned near = neighbours(&p), far = p.source_run;
        unsigned low = 0, side = 0, bits = 0, order = 0, wrong = 0;
        for (; size << low < 16u; ++low) {}
        for (; size << side < run || side < low; ++side) {}
        for (; (size << bits < bytes || bits < low) && bits < all; ++bits) {}
        CHECK(near >= low && far >= low && bits >= low ? 1
              : t.err == (unsigned)LL_RESHARD_ETILE);
        ++found[t.err == LL_OK];
        if (t.err) {
            continue;
        }
        CHECK(t.bits == bits && t.rest == all - bits);
        memset(seen, 0, sizeof seen);
        for (unsigned n = 0; n < 1u << bits_in(&p.source.in); ++n) {
            unsigned x = t.origin;
            for (unsigned m = 0; n >> m; ++m) {
                x ^= n >> m & 1u ? t.x[m] : 0u;
            }
            wrong += seen[x]++ != 0;
            wrong += n < 1u << all && value(&p.target, x) >> own !=
                                          value(&p.target, 0) >> own;
        }
        for (unsigned m = 0; m < bits; ++m) {
            order |= 1u << t.order[m];
        }
        CHECK(wrong == 0 && order == (1u << bits) - 1u);
        for (unsigned m = bits; m < all; ++m) { /* each numbers one input */
            unsigned others = 0;
            for (unsigned x = 0; x < 1u << bits; ++x) {
                unsigned y = t.x[m];
                for (unsigned bit = 0; bit < bits; ++bit) {
                    y ^= x >> bit & 1u ? t.x[bit] : 0u;
                }
                others += y && (y & (y - 1u)) == 0;
            }
            wrong += others == 0;
        }
        CHECK(wrong == 0);
        const unsigned most = bits >= 2u * side ? side : low;
        for (unsigned m = 0; m < most; ++m) {
            const unsigned y = value(&p.target, t.origin ^ t.x[m]);
            const unsigned z = value(&p.source, t.origin ^ t.x[t.order[m]]);
            wrong += m < near &&
                     (y ^ value(&p.target, t.origin)) != 1u << m;
            wrong += m < far && (z ^ value(&p.source, t.origin)) != 1u << m;
        }
        CHECK(wrong == 0);
    }
    COVERS(found[0] > 50u && found[1] > 50u);
}

/* If the conversion permutes bits and both memories have runs of 16 bytes, a
 * tile with room for these runs exists. The runs are longer if there is more
 * room, and the next tile is from another peer. */
static void permutations_have_tiles(void) {
    unsigned found = 0, peers = 0, tight = 0;
    for (unsigned k = 0; k < times(1500); ++k) {
        const unsigned bits = 8u + test_random(7), mesh = test_random(4);
        const ll_topology t =
            ll_topology_with(ll_topology_of(2000), "gpu", 400, 1000);
        const ll_shape in = ll_with(ll_with(ll_shape_of(""), LL_OFFSET,
                                            1u << (bits - mesh)),
                                    ll_dim_of("gpu"), 1u << mesh);
        ll_layout side[2];
        side[0] = ll_zero(in, ll_with(ll_shape_of(""), LL_J, 1u << bits));
        for (unsigned m = 0; m < bits; ++m) {
            side[0].basis[m] = 1u << m;
        }
        side[1] = side[0];
        const unsigned by = test_random(bits); /* rotated, some exchanged */
        for (unsigned m = 0; m < bits; ++m) {
            side[1].basis[m] = 1u << (m + by) % bits;
        }
        for (unsigned n = test_random(3); n > 0; --n) {
            const unsigned x = test_random(bits), y = test_random(bits);
            const unsigned column = side[1].basis[x];
            side[1].basis[x] = side[1].basis[y];
            side[1].basis[y] = column;
        }
        const ll_reshard p = ll_reshard_of(side[0], side[1], 32, t);
        const unsigned near = neighbours(&p), far = p.source_run;
        const unsigned log2_of = 4u + test_random(7), run = 4u + test_random(3);
        const ll_reshard_tile tile =
            ll_reshard_tile_of(p, 1u << log2_of, 1u << run);
        const unsigned all = p.message + p.peers;
        const unsigned want = log2_of - 2u < all ? log2_of - 2u : all;
        const unsigned least = run - 2u;
        if (near < 2u || far < 2u || want < 4u) {
            continue;
        }
        CHECK(tile.err == LL_OK && tile.bits == want);
        if (tile.err) {
            continue;
        }
        unsigned both[2] = {0, 0}; /* runs of the tile */
        for (unsigned m = 0; m < want; ++m) {
            const unsigned y = value(&p.target, tile.origin ^ tile.x[m]) ^
                               value(&p.target, tile.origin);
            const unsigned z =
                value(&p.source, tile.origin ^ tile.x[tile.order[m]]) ^
                value(&p.source, tile.origin);
            both[0] += both[0] == m && z == 1u << m;
            both[1] += both[1] == m && y == 1u << m;
        }
        if (want < 2u * least) { /* the target keeps 16 bytes */
            const unsigned room = least < want - 2u ? least : want - 2u;
            CHECK(both[0] >= (far < room ? far : room) && both[1] >= 2u);
            ++tight;
            continue;
        }
        CHECK(both[0] >= (far < least ? far : least));
        CHECK(both[1] >= (near < least ? near : least));
        CHECK(both[0] + both[1] >= want || both[0] == far || both[1] == near);
        /* they grow in turn: each has half of the tile, if it is that long */
        CHECK(both[0] >= (far < want / 2u ? far : want / 2u));
        CHECK(both[1] >= (near < want / 2u ? near : want / 2u));
        unsigned in_tile = 0, next = ~0u;
        for (unsigned m = 0; m < all; ++m) {
            in_tile |= m < want ? tile.x[m] : 0u;
            next = m == want ? tile.x[m] >> p.message : next;
        }
        if (all > want && p.peers && !(in_tile >> p.message)) {
            CHECK(next != 0);
            ++peers;
        }
        ++found;
    }
    COVERS(found > 200u && peers > 10u && tight > 100u);
    /* the tile has more than both runs, which end at a copy */
    const ll_reshard ends = ll_reshard_of(
        L("offset: j0 j1 j2 0 j3 j4 j5 j6"),
        L("offset: j3 j4 j5 0 j0 j1 j2 j6"), 32, ll_topology_of(2000));
    const ll_reshard_tile whole = ll_reshard_tile_of(ends, 512, 16);
    unsigned bits_of = 0;
    for (unsigned m = 0; m < 7u; ++m) {
        bits_of |= 1u << whole.order[m];
    }
    CHECK(whole.err == LL_OK && whole.bits == 7u && bits_of == 127u);
    /* runs that are the same but for their order are no permutation */
    const ll_topology none = ll_topology_of(2000);
    const ll_layout plain = L("offset: j0 j1 j2 j3 j4 j5 j6 j7");
    const ll_layout mixed = L("offset: j0 j1 j2 j3 j4 j4^j5 j6 j7");
    const ll_reshard p = ll_reshard_of(plain, mixed, 8, none);
    CHECK(ll_reshard_tile_of(p, 64, 16).err == LL_RESHARD_ETILE);
    CHECK(ll_reshard_tile_of(p, 16, 16).err == LL_OK);
    const ll_reshard_tile few = ll_reshard_tile_of(
        ll_reshard_of(plain, L("offset: j0 j1 j2 j3 j4 j4^j5 j6 j7"), 8, none),
        16, 16);
    CHECK(few.err == LL_OK && few.bits == 4u);
    for (unsigned m = 4; m < 8u; ++m) { /* single input bits number the tiles */
        CHECK((few.x[m] & (few.x[m] - 1u)) == 0);
    }
    const ll_reshard same = ll_reshard_of(plain, plain, 8, none);
    CHECK(ll_reshard_tile_of(same, 3, 16).bits == 4u);
    CHECK(ll_reshard_tile_of(same, 48, 16).err == LL_RESHARD_ETILE);
    CHECK(ll_reshard_tile_of(same, 64, 48).err == LL_RESHARD_ETILE);
    CHECK(ll_reshard_tile_of(same, 1024, 16).bits == 8u);
    ll_layout long_one = ll_zero(ll_shape_of("offset=65536"),
                                 ll_shape_of("j=65536"));
    for (unsigned m = 0; m < 16u; ++m) {
        long_one.basis[m] = 1u << m;
    }
    const ll_reshard q = ll_reshard_of(long_one, long_one, 8, none);
    CHECK(ll_reshard_tile_of(q, 32768, 16).bits == 15u);
    CHECK(ll_reshard_tile_of(q, 32768, 16).err == LL_OK);
    CHECK(ll_reshard_tile_of(q, 65536, 16).err == LL_RESHARD_ETILE);
}

/* Elements that take turns have tiles that cross ranks; also if the first rank
 * has the odd elements. */
static void turns_have_tiles(void) {
    const ll_layout rows = L("offset: j0 j1 j2 j3 j4 j5 j6 j7 i0 i1 | gpu: i2");
    const ll_topology t =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    for (unsigned odd = 0; odd < 2u; ++odd) {
        ll_layout turns =
            L("offset: j1 j2 j3 j4 j5 j6 j7 i0 i1 i2 | gpu: j0");
        turns.offset = odd;
        const ll_reshard p = ll_reshard_of(turns, rows, 16, t);
        const ll_reshard back = ll_reshard_of(rows, turns, 16, t);
        const ll_reshard_tile tile = ll_reshard_tile_of(p, 256, 64);
        CHECK(tile.err == LL_OK && tile.bits == 7 && tile.rest == 3);
        CHECK(tile.order[0] == 1 && tile.order[4] == 5);
        CHECK(ll_reshard_tile_of(p, 8, 16).bits == 3); /* 16 bytes at least */
        CHECK(ll_reshard_tile_of(back, 256, 64).err == LL_RESHARD_ETILE);
    }
}

/* Shardings of 2^32 elements: each rank's first and last elements come from the
 * ranks that have them. */
static void shardings_have_up_to_32_bits(void) {
    const ll_layout rows =
        L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 j12 j13 j14 j15 i0 i1 "
          "i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 | gpu: i13 i14 i15");
    ll_layout columns =
        L("offset: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13 i14 i15 j0 j1 "
          "j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 j12 | gpu: j13 j14 j15");
    for (unsigned flip = 0; flip < 2u; ++flip) {
        columns.offset = flip * 0x80010003u;
        const ll_reshard p = ll_reshard_of(
            rows, columns, 8,
            ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000));
        unsigned wrong = 0;
        CHECK(p.err == LL_OK && p.message == 26 && p.peers == 3);
        /* a rank keeps an eighth of its 2^29 bytes */
        CHECK(ll_reshard_bytes(p, 1, 0) == 7u << 26);
        CHECK(ll_reshard_sent(p, 1, 0) == 7u << 26);
        CHECK(ll_reshard_rounds(p) == 8u && ll_reshard_message(p, 1, 2).exists);
        CHECK(ll_explain_reshard(p, NULL, 0) > 100u);
        CHECK(ll_reshard_tile_of(p, 4096, 64).err == LL_OK);
        for (unsigned k = 0; k < 1000u && !p.err; ++k) {
            const unsigned x = test_random(0x10000u) << 16 |
                               test_random(0x10000u);
            const unsigned to = ll_apply(p.target, x);
            const unsigned from = ll_apply(p.source, x);
            wrong += ll_apply(rows, from) != ll_apply(columns, to);
        }
        CHECK(wrong == 0);
    }
    /* one rank turns 2^32 elements, each in a message of its own or with all */
    ll_layout a = L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 j12 j13 j14 "
                    "j15 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13 i14 "
                    "i15");
    ll_layout b = ll_trans(a, "j i");
    const ll_reshard p = ll_reshard_of(a, b, 8, ll_topology_of(2000));
    CHECK(p.err == LL_OK && p.message == 32u && p.peers == 0);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(p.source.basis[k] == 1u << k);
        CHECK(p.target.basis[k] == 1u << (k + 16u) % 32u);
    }
}

static ll_topology host(void) {
    return ll_topology_with(
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000), "node", 45,
        10000);
}

static int says(const char *a, const char *sums, const char *b,
                const char *what) {
    static char text[2000];
    ll_explain_reshard(ll_reshard_sum(L(a), sums, L(b), 32, host()), text,
                       sizeof text);
    const int found = strstr(text, what) != NULL;
    if (!found) {
        printf("%s -> %s: no \"%s\" in\n%s", a, b, what, text);
    }
    return found;
}

static void collectives_are_recognised(void) {
    const char *const rows = "offset: j0 j1 | gpu: i0 i1";
    const char *const cols = "offset: i0 i1 | gpu: j0 j1";
    const char *const all = "offset: j0 j1 i0 i1 | gpu: 0 0";
    const char *const one = "offset: j0 j1 i0 i1";
    CHECK(says(rows, "", cols, "4 ranks, all-to-all among 4\n"));
    CHECK(says(rows, "", all, "4 ranks, all-gather among 4\n"));
    CHECK(says(all, "", rows, "4 ranks, slice: nothing crosses a link\n"));
    CHECK(says(rows, "", rows, "4 ranks, local: nothing crosses a link\n"));
    CHECK(says(all, "gpu", rows, "4 ranks, reduce-scatter among 4\n"));
    CHECK(says(all, "gpu", all, "4 ranks, all-reduce among 4\n"));
    CHECK(says(one, "", all, "4 ranks, broadcast\n"));
    CHECK(says(rows, "", cols, "\n"
                               "each rank receives 3 messages of 4 bytes from "
                               "others and keeps 4 bytes: runs of "));
    CHECK(says(rows, "", rows, "\n16 bytes per rank stay: runs of "));
    CHECK(says(rows, "", "offset: j0 j1 | gpu: i1 i0",
               "\neach rank receives 1 message of 16 bytes: runs of "));
    CHECK(says(one, "", rows, "4 ranks, scatter\n"));
    CHECK(says(rows, "", one, "4 ranks, gather among 4\n"));
    CHECK(says(rows, "", "offset: j0 j1 | gpu: i1 i0", "4 ranks, permute\n"));
    CHECK(says("offset: i0 j0 | gpu: i1 j1 i2",
               "", "offset: i0 j0 i1 | gpu: 0 j1 i2", "all-gather among 2\n"));
    CHECK(says("offset: i0 j0 | gpu: i1 | node: j1", "",
               "offset: i1 j0 | gpu: i0 | node: j1",
               "over node each rank receives at most 0 bytes"));
    CHECK(says("offset: i0 j0 | gpu: i1 | node: j1", "",
               "offset: i1 j0 j1 | gpu: i0 | node: 0",
               "all-to-all among 2 and all-gather among 2\n"));
}

static void plans_are_explained(void) {
    static const struct {
        const char *a, *sums, *b;
        unsigned bits;
        const char *said;
    } plans[] = {
        {"offset: j0 j1 j2 i0 i1 | gpu: i2 i3 | node: i4", "",
         "offset: j0 i0 i1 i2 i3 | gpu: j1 j2 | node: i4", 32,
         "8 ranks, all-to-all among 4\n"
         "over gpu each rank receives at most 96 bytes and sends at most 96 "
         "bytes\n"
         "over node each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "each rank receives 3 messages of 32 bytes from others and keeps 32 "
         "bytes: runs of 8 bytes in the source, 32 bytes in the target, 8 "
         "bytes in both\n"
         "rank r receives from r ^ d for d = 0, 1, 2, 3\n"
         "about 3 us\n"},
        {"offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 i0 i1 i2 i3 i4 i5 i6 "
         "i7 i8 i9 i10 i11 | gpu: i12", "",
         "offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 i0 i1 i2 i3 i4 i5 i6 i7 "
         "i8 i9 i10 i11 i12 | gpu: j11", 32,
         "2 ranks, all-to-all among 2\n"
         "over gpu each rank receives at most 32 MiB and sends at most 32 MiB\n"
         "over node each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "each rank receives 1 message of 32 MiB from others and keeps 32 MiB: "
         "runs of 8 KiB in the source, 32 MiB in the target, 8 KiB in both\n"
         "rank r receives from r ^ d for d = 0, 1\n"
         "about 93 us\n"},
        {"offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 | gpu: i0 i1 i2 | node: i3",
         "", "offset: i0 i1 i2 i3 j0 j1 j2 j3 j4 j5 | gpu: j6 j7 j8 | node: "
         "j9", 64,
         "16 ranks, all-to-all among 16\n"
         "over gpu each rank receives at most 3584 bytes and sends at most "
         "3584 bytes\n"
         "over node each rank receives at most 4 KiB and sends at most 4 KiB\n"
         "each rank receives 15 messages of 512 bytes from others and keeps "
         "512 bytes: runs of 512 bytes in the source, 8 bytes in the target, 8 "
         "bytes in both\n"
         "rank r receives from r ^ d for d = 0, 1, 2, 3, 4, 5, 6, 7, ..\n"
         "about 10 us\n"},
        {"offset: j0 j1 | gpu: i0 i1 i2", "",
         "offset: j0 j1 i0 i1 i2 | gpu: 0 0 0", 8,
         "8 ranks, all-gather among 8\n"
         "over gpu each rank receives at most 28 bytes and sends at most 28 "
         "bytes\n"
         "over node each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "each rank receives 7 messages of 4 bytes from others and keeps 4 "
         "bytes: runs of 4 bytes in the source, 4 bytes in the target, 4 bytes "
         "in both\n"
         "rank r receives from r ^ d for d = 0, 1, 2, 3, 4, 5, 6, 7\n"
         "about 3 us\n"},
        {"offset: | gpu: i0", "", "offset: | gpu: i0", 8,
         "2 ranks, local: nothing crosses a link\n"
         "over gpu each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "over node each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "1 byte per rank stay: runs of 1 byte in the source, 1 byte in the "
         "target, 1 byte in both\n"
         "rank r receives from r ^ d for d = 0\n"
         "in place: each message replaces the one that is sent in return\n"
         "about 1 us\n"},
        {"offset: j0 j1 i0 i1 | gpu: 0 0 | node: i2", "gpu",
         "offset: j0 j1 | gpu: i0 i1 | node: i2", 32,
         "8 ranks, reduce-scatter among 4\n"
         "over gpu each rank receives at most 48 bytes and sends at most 48 "
         "bytes\n"
         "over node each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "each rank receives 1 message of 16 bytes: runs of 16 bytes in the "
         "source, 16 bytes in the target, 16 bytes in both\n"
         "rank r receives from r ^ d for d = 0, 1, 2, 3\n"
         "about 6 us\n"},
        {"offset: j0 j1 i0 i1", "", "offset: j0 j1 | gpu: i0 i1", 32,
         "4 ranks, scatter\n"
         "over gpu each rank receives at most 16 bytes and sends at most 48 "
         "bytes\n"
         "over node each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "each rank receives 1 message of 16 bytes: runs of 16 bytes in the "
         "source, 16 bytes in the target, 16 bytes in both\n"
         "rank r receives from r ^ d for d = 0, 1, 2, 3\n"
         "about 3 us\n"},
        {"offset: i0 j0 | gpu: i1 | node: j1", "",
         "offset: i0 j0 | gpu: j1 | node: i1", 32,
         "4 ranks, permute\n"
         "over gpu each rank receives at most 0 bytes and sends at most 0 "
         "bytes\n"
         "over node each rank receives at most 16 bytes and sends at most 16 "
         "bytes\n"
         "each rank receives 1 message of 16 bytes: runs of 16 bytes in the "
         "source, 16 bytes in the target, 16 bytes in both\n"
         "rank r receives from r ^ d for d = 0, 3\n"
         "about 10 us\n"},
        {"offset: j0 | gpu: i0", "", "offset: i0 | lane: j0", 8,
         "a sharding must have the input offset, and its other inputs must be "
         "axes of the topology\n"},
    };
    for (unsigned k = 0; k < sizeof plans / sizeof *plans; ++k) {
        static char text[2000];
        const ll_reshard p =
            ll_reshard_sum(L(plans[k].a), plans[k].sums, L(plans[k].b),
                           plans[k].bits, host());
        const unsigned n = ll_explain_reshard(p, text, sizeof text);
        CHECK(n == strlen(plans[k].said));
        CHECK(strcmp(text, plans[k].said) == 0);
    }
    static const char *const named[][4] = {
        /* one element to a rank */
        {"offset: | gpu: i0 i1", "", "offset: | gpu: i1 i0",
         "4 ranks, permute\n"},
        {"offset: j0 j1 | gpu: 0 | node: i0", "gpu",
         "offset: i0 | gpu: j0 | node: j1",
         "4 ranks, reduce-scatter among 2 and all-to-all among 2\n"},
        /* sums along the second axis; along the first one, with a slice */
        {"offset: j0 j1 | gpu: i0 | node: 0", "node",
         "offset: j0 | gpu: i0 | node: j1",
         "4 ranks, reduce-scatter among 2\n"},
        {"offset: j0 j1 | gpu: 0 | node: 0", "gpu",
         "offset: j0 | gpu: 0 | node: j1", "4 ranks, all-reduce among 2\n"},
        /* sums of other nodes' parts */
        {"offset: j0 | gpu: 0 | node: i0 i1", "gpu",
         "offset: j0 | gpu: 0 | node: i1 i0",
         "8 ranks, all-reduce among 2 and permute\n"},
    };
    for (unsigned k = 0; k < sizeof named / sizeof *named; ++k) {
        CHECK(says(named[k][0], named[k][1], named[k][2], named[k][3]));
    }
    CHECK(says("offset: j0 j1 j2 j3 j4 j5 j6 j7", "",
               "offset: j0 j1 j2 j3 j4 j5 j6 j7",
               "\n1 KiB per rank stay: runs of 1 KiB in the source"));
    CHECK(says("offset: j0 j1 i0 | gpu: 0 0 | node: 0", "gpu node",
               "offset: j0 j1 i0 | gpu: 0 0 | node: 0",
               "8 ranks, all-reduce among 8\n"
               "over gpu each rank receives at most 96 bytes and sends at most "
               "96 bytes\n"
               "over node each rank receives at most 128 bytes and sends at "
               "most 128 bytes\n"));
}

/* A plan with an error moves nothing, and none moves anything over a level or
 * to a rank that is not there. */
static void what_is_not_there_moves_nothing(void) {
    const ll_layout a = L("offset: j0 | gpu: i0");
    const ll_layout b = L("offset: i0 | gpu: j0");
    const ll_reshard p = ll_reshard_of(a, b, 32, host());
    const ll_reshard bad = ll_reshard_of(a, b, 4, host());
    CHECK(ll_reshard_bytes(p, 0, 0) == 4 && ll_reshard_sent(p, 0, 0) == 4);
    CHECK(ll_reshard_bytes(p, 0, 2) == 0 && ll_reshard_sent(p, 0, 2) == 0);
    CHECK(ll_reshard_bytes(p, 0, 3) == 0 && ll_reshard_sent(p, 0, 3) == 0);
    CHECK(ll_reshard_bytes(p, 0, 16) == 0 && ll_reshard_sent(p, 0, 16) == 0);
    CHECK(ll_reshard_bytes(bad, 0, 0) == 0 && ll_reshard_own(bad, 0) == 0);
    CHECK(ll_reshard_sent(bad, 0, 0) == 0 && ll_reshard_rounds(bad) == 0);
    CHECK(ll_reshard_round(bad, 0) == 0 && ll_reshard_us(bad) <= 0.0);
    CHECK(!ll_reshard_message(bad, 0, 0).exists);
    const ll_reshard lacks = ll_reshard_of(
        L("offset: j0 | gpu: 0 -> j=2 | i=2"), a, 32, host());
    CHECK(lacks.err == LL_RESHARD_ELACKS);
    for (unsigned k = 0; k < 4u; ++k) {
        CHECK(ll_reshard_bytes(lacks, k / 2u, k % 2u) == 0);
        CHECK(ll_reshard_sent(lacks, k / 2u, k % 2u) == 0);
    }
    /* A gather to rank 0: rank 1 of the source is no rank of the target. */
    const ll_reshard gather =
        ll_reshard_of(a, L("offset: j0 i0"), 32, host());
    CHECK(ll_reshard_bytes(gather, 0, 0) == 8);
    CHECK(ll_reshard_own(gather, 0) == 8);
    CHECK(ll_reshard_bytes(gather, 1, 0) == 0);
    CHECK(ll_reshard_own(gather, 1) == 0);
    CHECK(ll_reshard_sent(gather, 1, 0) == 8);
    /* Ranks that neither side has. The last has a bit beyond any mesh. */
    static const unsigned nobody[3] = {2, 64, 0x10001u};
    for (unsigned k = 0; k < 3u; ++k) {
        CHECK(ll_reshard_bytes(p, nobody[k], 0) == 0);
        CHECK(ll_reshard_own(p, nobody[k]) == 0);
        CHECK(ll_reshard_sent(p, nobody[k], 0) == 0);
        CHECK(!ll_reshard_message(p, nobody[k], 1).exists);
    }
    CHECK(!ll_reshard_message(p, 2, 1).exists);
    CHECK(ll_reshard_message(p, 1, 1).exists);
    CHECK(ll_reshard_within(bad, 1).err == LL_RESHARD_EELEMENT);
    CHECK(ll_reshard_tile_of(bad, 256, 64).err == LL_RESHARD_EELEMENT);
}

/* Eight axes, each with another time. */
static void a_topology_has_eight_axes(void) {
    static const char *const names[9] = {"a", "b", "c", "d", "e",
                                         "f", "g", "h", "m"};
    ll_topology t = ll_topology_of(2000);
    ll_layout from = L("offset: | a: j0 | b: j1 | c: j2 | d: j3 | e: j4 | "
                       "f: j5 | g: j6 | h: j7");
    for (unsigned k = 0; k < 8u; ++k) {
        t = ll_topology_with(t, names[k], 1, 1000u * (k + 1u));
        CHECK(t.err == LL_OK && t.n == k + 1u);
        CHECK(ll_topology_with(t, names[k / 2u], 1, 1).err ==
              LL_RESHARD_ELEVELS);
        CHECK(ll_topology_with(t, "offset", 1, 1).err == LL_RESHARD_ELEVELS);
        CHECK(ll_topology_with(t, "", 1, 1).err == LL_RESHARD_ELEVELS);
        CHECK(ll_topology_with(t, "x", 0, 1).err == LL_RESHARD_ELEVELS);
    }
    CHECK(ll_topology_with(t, names[8], 1, 1).err == LL_RESHARD_ELEVELS);
    ll_layout to = from; /* a and h change places */
    to.basis[0] = from.basis[7];
    to.basis[7] = from.basis[0];
    const ll_reshard p = ll_reshard_of(from, to, 8, t);
    CHECK(p.err == LL_OK && p.message == 0);
    const double us = ll_reshard_us(p); /* one byte at 10^9 a second */
    CHECK(us > 8.0009 && us < 8.0011);
    CHECK(ll_reshard_bytes(p, 1, 7) == 1 && ll_reshard_bytes(p, 1, 0) == 0);
    CHECK(ll_reshard_bytes(p, 129, 7) == 0 && ll_reshard_own(p, 129) == 1);
}

/* Of 2^11 and 2^12 ranks some are looked at: the first, which sends everything
 * to all others, and some that differ from it in the lowest or highest bits. */
static void the_slowest_of_many_ranks_is_found(void) {
    for (unsigned bits = 11; bits < 13u; ++bits) {
        const ll_topology t = ll_topology_with(
            ll_topology_with(ll_topology_with(ll_topology_of(2000), "gpu", 400,
                                              1000), "node", 100, 5000),
            "pod", 50, 9000);
        /* 16 ranks, 2 nodes, 2^(bits - 6) pods of 2 */
        ll_shape in = ll_with(ll_with(ll_shape_of("offset=1024"),
                                      ll_dim_of("gpu"), 16),
                              ll_dim_of("node"), 2);
        in = ll_with(in, ll_dim_of("pod"), 1u << (bits - 5u));
        ll_layout all = ll_zero(in, ll_shape_of("j=1024"));
        ll_layout one = L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9");
        for (unsigned k = 0; k < 10u; ++k) {
            all.basis[k] = 1u << k;
        }
        /* rank 0 sends 4 KiB to each rank of the other pods */
        const double others = (double)((1u << bits) - 32u) * 4096.0;
        double us = ll_reshard_us(ll_reshard_of(one, all, 32, t));
        double want = others / 50.0 / 1e3 * 13.0 / 12.0 + 9.0;
        CHECK(us - want < 1e-6 && want - us < 1e-6);
        /* the first node of each pod has all: the second one receives it */
        ll_layout half = all;
        half.in = ll_resize_in(all, ll_dim_of("node"), 1).in;
        us = ll_reshard_us(ll_reshard_of(half, all, 32, t));
        want = 4096.0 / 100.0 / 1e3 * 13.0 / 12.0 + 5.0;
        CHECK(us - want < 1e-6 && want - us < 1e-6);
        /* half of the pods have all: the others receive it */
        half = all;
        half.in = ll_resize_in(all, ll_dim_of("pod"), 1u << (bits - 6u)).in;
        us = ll_reshard_us(ll_reshard_of(half, all, 32, t));
        want = 4096.0 / 50.0 / 1e3 * 13.0 / 12.0 + 9.0;
        CHECK(us - want < 1e-6 && want - us < 1e-6);
    }
}

static void the_nearest_copy_is_read(void) {
    const ll_reshard p = ll_reshard_of(
        L("offset: j0 j1 | gpu: 0 | node: i0"),
        L("offset: j0 j1 i0 | gpu: 0 | node: 0"), 32, host());
    for (unsigned r = 0; r < 4u; ++r) {
        CHECK(ll_reshard_bytes(p, r, 0) == 0);
        CHECK(ll_reshard_bytes(p, r, 1) == 16);
        CHECK(ll_reshard_own(p, r) == 16);
    }
}

/* An all-reduce by two plans moves 2 (n - 1) / n of the bytes to each rank; by
 * one plan n - 1 times the bytes. */
static void sums_that_many_want_take_two_plans(void) {
    const ll_layout sums = L("offset: j0 j1 j2 j3 j4 j5 | gpu: 0 0 0");
    const ll_layout part = L("offset: j0 j1 j2 | gpu: j3 j4 j5");
    const ll_reshard one = ll_reshard_sum(sums, "gpu", sums, 32, host());
    const ll_reshard a = ll_reshard_sum(sums, "gpu", part, 32, host());
    const ll_reshard b = ll_reshard_of(part, sums, 32, host());
    for (unsigned r = 0; r < 8u; ++r) {
        CHECK(ll_reshard_bytes(one, r, 0) == 7u * 256u);
        CHECK(ll_reshard_bytes(a, r, 0) == 7u * 32u);
        CHECK(ll_reshard_bytes(b, r, 0) == 7u * 32u);
    }
}

static void faults_are_named(void) {
    const ll_layout a = L("offset: j0 | gpu: i0");
    const ll_topology t = host();
#define ERR(x, y, bits, t) ll_reshard_of(x, y, bits, t).err
    CHECK(ERR(a, L("offset: i0 | lane: j0"), 32, t) == LL_RESHARD_EMESH);
    CHECK(ERR(a, L("gpu: i0 j0"), 32, t) == LL_RESHARD_EMESH);
    CHECK(ERR(a, L("offset: i0 j0 j1"), 32, t) == LL_RESHARD_EOUT);
    CHECK(ERR(L("offset: j0 | gpu: 0 -> j=2 | i=2"), a, 32, t) ==
          LL_RESHARD_ELACKS);
    CHECK(ERR(a, a, 4, t) == LL_RESHARD_EELEMENT);
    CHECK(ERR(a, a, 24, t) == LL_RESHARD_EELEMENT);
    CHECK(ERR(a, L("offset: j0 ?"), 32, t) == LL_ETEXT);
    CHECK(ERR(L("offset: j0 | gpu: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"),
              L("offset: j0 | gpu: 0"), 32, t) == LL_RESHARD_ERANKS);
    CHECK(ERR(a, a, 32, ll_topology_with(t, "gpu", 1, 1)) ==
          LL_RESHARD_ELEVELS);
    CHECK(ERR(a, a, 32, ll_topology_of(0)) == LL_RESHARD_ELEVELS);
#undef ERR
    CHECK(ll_reshard_sum(a, "gpu", a, 32, t).err == LL_RESHARD_ESUM);
    CHECK(ll_reshard_sum(a, "node", a, 32, t).err == LL_RESHARD_ESUM);
    const ll_layout sum = L("offset: j0 | gpu: 0 | node: i0");
    CHECK(ll_reshard_sum(sum, "gpu", sum, 32, t).err == LL_OK);
    CHECK(ll_reshard_sum(sum, "gpu node", sum, 32, t).err == LL_RESHARD_ESUM);
    CHECK(ll_reshard_sum(sum, "gpu pod", sum, 32, t).err == LL_RESHARD_ESUM);
    CHECK(ll_reshard_sum(sum, "gpu gpu", sum, 32, t).err != LL_OK);
    CHECK(ll_reshard_sum(L("offset: j0 | gpu: 0 i0"), "gpu",
                         L("offset: j0 i0"), 32, t).err == LL_RESHARD_ESUM);
    CHECK(ll_reshard_of(a, a, 256, t).err == LL_RESHARD_EELEMENT);
    CHECK(ll_reshard_of(a, a, 128, t).err == LL_OK);
    ll_layout large = ll_zero(ll_shape_of("offset=1"), ll_shape_of("j=1"));
    ll_layout ranks = large;
    large.in.bits[0] = 20;
    ranks.in = ll_with(ranks.in, ll_dim_of("gpu"), 1u << 13);
    CHECK(ll_reshard_of(large, ranks, 32, t).err == LL_EBITS);
    CHECK(ll_reshard_of(ranks, large, 32, t).err == LL_EBITS);
    const ll_topology peers =
        ll_topology_with(ll_topology_of(2000), "peer", 100, 1);
    CHECK(ll_reshard_of(L("offset: j0 | peer: i0"), L("offset: i0 | peer: j0"),
                        32, peers).err != LL_OK);
    CHECK(LL_RESHARD_EMESH > (int)LL_N_ERRORS_);
    CHECK(strcmp(ll_reshard_strerror(LL_RESHARD_ERANKS),
                 "a reshard may have at most 2^16 ranks") == 0);
    CHECK(strcmp(ll_reshard_strerror(LL_ESIZE), ll_strerror(LL_ESIZE)) == 0);
    for (unsigned e = LL_RESHARD_EMESH; e < LL_N_RESHARD_ERRORS_; ++e) {
        CHECK(strlen(ll_reshard_strerror(e)) > 20u);
    }
}

/* One buffer as source and target: what cannot be replaced, and why. */
static void one_buffer_is_refused_with_a_reason(void) {
    const ll_layout a = L("offset: j0 j1 | gpu: i0");
    const ll_layout sums = L("offset: j0 j1 | gpu: 0");
#define PLACE(x, names, y)                                                  \
    ll_reshard_in_place(ll_reshard_sum(x, names, y, 32, host())).err
    CHECK(PLACE(a, "", L("offset: j0 i0 | gpu: j1")) == LL_OK);
    CHECK(PLACE(a, "", L("offset: i0 j0 | gpu: j1")) == LL_RESHARD_EPLACE);
    CHECK(PLACE(sums, "gpu", sums) == LL_RESHARD_EPLACESUM);
    CHECK(PLACE(sums, "", L("offset: j0 | gpu: j1")) ==
          LL_RESHARD_EPLACESIZE);
    CHECK(PLACE(a, "", L("offset: j0 0 | gpu: i0")) != LL_OK);
    CHECK(PLACE(L("offset: j0 | gpu: i0"), "", L("offset: j0 0 | gpu: i0")) ==
          LL_RESHARD_EPLACESIZE);
    CHECK(PLACE(a, "gpu", a) == LL_RESHARD_ESUM);
#undef PLACE
    ll_reshard p = ll_reshard_of(a, L("offset: j0 i0 | gpu: j1"), 32, host());
    p.chunk = 0;
    CHECK(ll_reshard_in_place(p).chunk == p.message && p.message == 1u);
}

/* The order in which a layout lists its axes makes no difference. */
static void axes_come_in_any_order(void) {
    for (unsigned k = 0; k < 100u; ++k) {
        ll_layout a, b;
        const ll_reshard p = random_pair(6, 2, &a, &b);
        const ll_reshard q = ll_reshard_of(a, ll_order_out(b, "i j"), p.bits,
                                           p.topology);
        CHECK(p.err == q.err);
        CHECK(p.err || (ll_is_equal(p.source, q.source) &&
                        ll_is_equal(p.target, q.target)));
    }
}

static void staging_stays_within_its_budget(void) {
    const ll_reshard p = ll_reshard_of(
        L("offset: j0 j1 j2 j3 i0 i1 i2 | gpu: i3"),
        L("offset: i0 i1 i2 i3 j0 j1 j2 | gpu: j3"), 32, host());
    CHECK(ll_reshard_within(p, 1u << 20).staging == 4u * 64u * 4u);
    CHECK(ll_reshard_within(p, 512).staging == 512u);
    CHECK(ll_reshard_within(p, 512).chunk == 5u);
    CHECK(ll_reshard_within(p, 15).err == LL_RESHARD_EBUDGET);
    const ll_reshard q = ll_reshard_of(L("offset: j0 j1 i0 | gpu: i1"),
                                       L("offset: j0 j1 i1 | gpu: i0"), 32,
                                       host());
    CHECK(q.in_place && ll_reshard_within(q, 0).staging == 0);
    /* both ends are packed: four buffers of 2^chunk elements of 4 bytes */
    for (unsigned n = 0; n < 7u; ++n) {
        const unsigned bytes = 16u << n;
        const ll_reshard r = ll_reshard_within(p, bytes);
        CHECK(r.err == LL_OK && r.chunk == n && r.staging == bytes);
        CHECK(ll_reshard_within(p, bytes + 15u).chunk == n);
    }
    const ll_reshard small = ll_reshard_within(p, 64);
    CHECK(small.chunk == 2u && ll_reshard_within(small, 1024).chunk == 6u);
    /* what is copied within a rank is unpacked: two buffers */
    const ll_reshard c = ll_reshard_of(L("offset: j0 j1 | gpu: i0"),
                                       L("offset: j0 j1 0 | gpu: i0"), 32,
                                       host());
    CHECK(c.copies == 1 && c.run == c.message);
    CHECK(ll_reshard_within(c, 1u << 20).staging == 2u * 16u);
}

static void time_is_that_of_the_slowest_link(void) {
    const ll_reshard p = ll_reshard_of(
        L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 i0 i1 i2 i3 i4 i5 i6 "
          "i7 i8 i9 i10 i11 | gpu: i12"),
        L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 i0 i1 i2 i3 i4 i5 i6 i7 "
          "i8 i9 i10 i11 i12 | gpu: j11"),
        32, host());
    /* half of 64 MiB at 374 GB/s, and 3 us */
    CHECK(ll_reshard_us(p) > 92.7 && ll_reshard_us(p) < 92.8);
}

/* Axes of one host share links, and a launch takes its time. */
static void axes_share_links(void) {
    const ll_topology one =
        ll_topology_with(ll_topology_of(2000), "gpu", 350, 12000);
    const ll_topology two = ll_topology_beside(one, "node");
    const ll_topology far = ll_topology_with(one, "node", 350, 12000);
    const ll_layout a = L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 i0 i1 "
                          "i2 i3 i4 i5 i6 i7 i8 i9 | gpu: i10 | node: i11");
    const ll_layout b = L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 i0 i1 i2 i3 "
                          "i4 i5 i6 i7 i8 i9 i10 i11 | gpu: j10 | node: j11");
    CHECK(two.err == LL_OK && two.n == 2 && two.level[1].gbps == 0);
    CHECK(two.level[0].gbps == 350 && two.level[0].ns == 12000);
    CHECK(ll_topology_beside(one, "gpu").err == LL_RESHARD_ELEVELS);
    CHECK(ll_topology_beside(ll_topology_of(2000), "gpu").err ==
          LL_RESHARD_ELEVELS);
    CHECK(ll_topology_beside(ll_topology_of(0), "gpu").err != LL_OK);
    /* a quarter of 16 MiB to each of three others, of which one is near */
    const double part = 4.0 * 1048576.0 / 350.0 / 1e3;
    const double shared = ll_reshard_us(ll_reshard_of(a, b, 32, two));
    const double apart = ll_reshard_us(ll_reshard_of(a, b, 32, far));
    CHECK(shared > 3.0 * part + 11.99 && shared < 3.0 * part + 12.01);
    CHECK(apart > 2.0 * part + 11.99 && apart < 2.0 * part + 12.01);
    const double still = ll_reshard_us(ll_reshard_of(a, a, 32, two));
    const double local = 16.0 * 1048576.0 / 2000.0 / 1e3 + 3.0;
    CHECK(still > local - 0.01 && still < local + 0.01);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(random_pairs_arrive_by_the_fewest_bytes);
    RUN(messages_are_replaced_where_they_can_be);
    RUN(many_ranks_find_their_elements);
    RUN(tiles_have_runs_in_both_memories);
    RUN(tiles_have_room_for_both_sides);
    RUN(tiles_have_every_element_once);
    RUN(permutations_have_tiles);
    RUN(turns_have_tiles);
    RUN(shardings_have_up_to_32_bits);
    RUN(collectives_are_recognised);
    RUN(plans_are_explained);
    RUN(what_is_not_there_moves_nothing);
    RUN(a_topology_has_eight_axes);
    RUN(the_slowest_of_many_ranks_is_found);
    RUN(the_nearest_copy_is_read);
    RUN(sums_that_many_want_take_two_plans);
    RUN(faults_are_named);
    RUN(one_buffer_is_refused_with_a_reason);
    RUN(axes_come_in_any_order);
    RUN(staging_stays_within_its_budget);
    RUN(time_is_that_of_the_slowest_link);
    RUN(axes_share_links);
    if (test.effort > 1u) {
        printf("%u pairs: %u with copies, %u with sums, %u in place\n",
               met_pairs, met_copies, met_sums, met_places);
    }
    return test_end();
}
