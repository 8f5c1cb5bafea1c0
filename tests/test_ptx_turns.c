/* test_ptx_turns.c - tiles of shared memory that turn through registers.
 * SPDX-License-Identifier: MIT
 *
 * Their wavefronts are counted, and compared with the fewest that are possible.
 */
#define LL_TENSOR 1
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* Wavefronts of a warp that loads its part of a tile from m, or stores it. */
static unsigned fronts(ll_layout r, ll_layout m, unsigned bits, unsigned op) {
    const unsigned bytes = ll_widest(r, m, bits, 16);
    const unsigned all = ll_size(r.in, LL_REGISTER) * bits / 8u;
    return bytes < 4u ? ~0u
                      : all / bytes * ll_wavefronts(r, m, bits, bytes, op,
                                                    LL_SM90);
}

/* Each side moves 128 bytes a wavefront, of 8 and 16 bits, whatever the swizzle
 * of rows of 128 bytes; each element has one register. */
static void tiles_turn_through_registers_without_conflicts(void) {
    const unsigned sizes[] = {8, 16, 32};
    for (unsigned x = 0; x < 3u * 3u * 3u; ++x) {
        const unsigned bits = sizes[x % 3u], warps = 1u << x / 3u % 3u;
        const unsigned side = 1024u / bits, kind = x / 9u;
        const ll_layout rows =
            kind ? ll_ptx_smem_k(side, side, bits, 128)
                 : ll_row_major(ll_parse(side == 128u  ? "o: j0 -> j=128|i=128"
                                         : side == 64u ? "o: j0 -> j=64|i=64"
                                                       : "o: j0 -> j=32|i=32")
                                    .out);
        const ll_layout cols =
            kind == 2u ? ll_ptx_smem_mn(side, side, bits, 128, 16)
                       : ll_trans(ll_ptx_smem_k(side, side, bits, 128), "j i");
        const ll_layout r = ll_ptx_between(rows, cols, bits, warps, LL_SM90);
        const unsigned least = side * side * bits / 8u / warps / 128u;
        CHECK(!r.err && !ll_inv(r).err);
        CHECK(ll_size(r.in, LL_WARP) == warps);
        CHECK(ll_size(r.in, LL_LANE) == 32u);
        CHECK(fronts(r, rows, bits, LL_READ) == least);
        CHECK(fronts(r, cols, bits, LL_WRITE) == least);
        CHECK(!ll_plan_through(r, r, bits, LL_SM90, rows).err);
        CHECK(!ll_plan_through(r, r, bits, LL_SM90, cols).err);
    }
    const ll_layout a = ll_ptx_smem_k(8, 16, 8, 16);
    const ll_layout b = ll_ptx_smem_k(64, 64, 8, 64);
    CHECK(ll_ptx_between(b, b, 8, 3, LL_SM90).err == LL_EWARPS);
    CHECK(ll_ptx_between(b, b, 8, 64, LL_SM90).err == LL_EWARPS);
    CHECK(ll_ptx_between(b, b, 32, 3, LL_SM90).err == LL_EWARPS);
    CHECK(ll_ptx_between(b, b, 64, 1, LL_SM90).err == LL_EELEMENT);
    CHECK(ll_ptx_between(b, b, 4, 1, LL_SM90).err == LL_EELEMENT);
    CHECK(ll_ptx_between(b, b, 8, 1, ll_ptx_target(1)).err == LL_ETARGET);
    CHECK(ll_ptx_between(b, ll_trans(b, "j i"), 8, 32, LL_SM90).err ==
          LL_EVECTOR);
    CHECK(ll_ptx_between(a, b, 8, 1, LL_SM90).err);
    CHECK(ll_ptx_between(ll_parse("?"), b, 8, 1, LL_SM90).err);
}

/* A tile in shared memory: rows of either axis, or what wgmma reads. */
static ll_layout tile_of(unsigned kind, unsigned rows, unsigned cols,
                         unsigned bits) {
    ll_shape s = LL_ZERO;
    if (kind < 2u) {
        s = ll_with(s, kind ? LL_I : LL_J, kind ? rows : cols);
        return ll_row_major(ll_with(s, kind ? LL_J : LL_I, kind ? cols : rows));
    }
    return kind < 5u ? ll_ptx_smem_k(rows, cols, bits, 16u << (kind - 1u))
                     : ll_ptx_smem_mn(rows, cols, bits, 16u << (kind - 4u), 16);
}

/* The elements that a lane has at least: a word of `from` for each element of a
 * word of `to`, counted one by one. */
static unsigned least_of_a_lane(ll_layout from, ll_layout to, unsigned bits) {
    unsigned seen[64], n = 0;
    from = ll_order_out(from, "j i");
    to = ll_order_out(to, "j i");
    for (unsigned x = 0; x < 32u / bits * (32u / bits); ++x) {
        const unsigned y = ll_apply(from, x / (32u / bits)) ^
                           ll_apply(to, x % (32u / bits));
        unsigned m = 0;
        while (m < n && seen[m] != y) {
            ++m;
        }
        seen[m] = y;
        n += m == n;
    }
    return n;
}

/* A layout exists if there is a square of words for each lane. It has every
 * element once, and in all no more wavefronts than the search found when this
 * was written. */
static void tiles_of_any_kind_turn_by_as_few_wavefronts_as_ever(void) {
    const unsigned known[3] = {11158, 22020, 38502};
    unsigned all[3] = {0, 0, 0}, found = 0;
    for (unsigned x = 0; x < 3u * 4u * 4u * 4u * 64u; x += 11u) {
        const unsigned bits = 8u << x % 3u, warps = 1u << x / 48u % 4u;
        const unsigned rows = 16u << x / 3u % 4u, cols = 16u << x / 12u % 4u;
        const ll_layout from = tile_of(x / 192u % 8u, rows, cols, bits);
        const ll_layout to = tile_of(x / 1536u, rows, cols, bits);
        if (from.err || to.err) {
            continue;
        }
        const ll_layout r = ll_ptx_between(from, to, bits, warps, LL_SM90);
        const int small =
            rows * cols / warps < 32u * least_of_a_lane(from, to, bits);
        CHECK(r.err == (small ? (unsigned)LL_EVECTOR : 0u));
        if (r.err) {
            continue;
        }
        CHECK(!ll_inv(r).err && ll_size(r.in, LL_WARP) == warps);
        CHECK(ll_size(r.in, LL_LANE) == 32u);
        all[x % 3u] += fronts(r, from, bits, LL_READ) +
                       fronts(r, to, bits, LL_WRITE);
        ++found;
    }
    CHECK(found > 600u);
    for (unsigned k = 0; k < 3u; ++k) {
        CHECK(all[k] <= known[k]);
    }
}

/* What is taken first: the registers of a word of either side, then lanes that
 * share no bank, then what is left for warps and registers. */
static void tiles_that_turn_are_known(void) {
    static const struct {
        unsigned from, to, rows, cols, bits, warps;
        const char *layout;
    } list[] = {
        {4, 7, 128, 64, 16, 4, "register: j0 i0 j5 i4 i5 i6 | lane: j1 j1^j2 "
                               "j3^j4^i1 j4^j5^i2 j5^i3 | warp: j3 j4"},
        {0, 1, 64, 64, 32, 2, "register: j1 j2 j3 j4 j5 i5 | lane: j0^i0 j1^i1 "
                              "j2^i2 j3^i3 j4^i4 | warp: j0"},
        {2, 6, 64, 128, 8, 4, "register: j0 j1 j2 j3 i0 i1 | lane: i2 j4 j4^i3 "
                              "j4^i4 j4^i5 | warp: j5 j6"},
        {0, 1, 16, 32, 8, 1, "register: j0 j1 i0 i1 | lane: j2 j3^i2 j4^i3 "
                             "j2^j3 j2^j4 | warp:"},
        {0, 0, 16, 16, 32, 1, "register: i1 i2 i3 | lane: j0 j0^j1 j0^j2 j0^j3 "
                              "j0^i0 | warp:"},
        {6, 2, 32, 16, 16, 2, "register: i0 j0 j3 | lane: i1 i1^i2 j1 j2 i1^i3 "
                              "| warp: i4"},
    };
    /* memories of sums: nothing of an access is left in the other bits */
    static const struct {
        const char *from, *to;
        unsigned bits, warps;
        const char *layout;
    } sums[] = {
        {"offset: j0 j1^i0 j2 j3 i0 i1 i2 i3",
         "offset: i0 i1 i2 i3 j0 j1 j2 j3", 16, 2,
         "register: j0 i0 | lane: j1 j2^i1 j2^i2 j3^i3 j2 | warp: j3"},
        {"offset: j0 j1 j2 j3 j4^i2 i0 i1^i2 i2 i3 i4",
         "offset: i0 i1 i2 i3 i4 j0 j1 j2 j3 j4", 8, 2,
         "register: j0 j1 i0 i1 | lane: j2^j4^i2 j2^i3 j3^i4 j2 j2^j3 | "
         "warp: i2"},
        {"offset: j0 j1 j2 j3^i0^i3 i0 i1 i2 i0^i3",
         "offset: i0 i1^i2 i2 i3 j0 j1 j2 j3", 16, 2,
         "register: j0 i0 | lane: j1 j1^i1 j2^i2 j3^i3 j1^j2 | warp: i3"},
        {"offset: j0 j1 j0^j2 j3^i3 j0^i0 i1 j0^j2^i2 i3 i4",
         "offset: j0 j1^i4 j2 j3 i0^i2 i1 i2 i3 i3^i4", 16, 2,
         "register: j0 j1^i4 j0^j2 | lane: j2^i0 j3^i3 j3^i1^i3 i2 j3 | "
         "warp: i4"},
        {"offset: j0 j1 j2 i0 i1 i2 j0^i3",
         "offset: j0 j1 j2 i0^i1 i1 j2^i2 i2^i3", 16, 1,
         "register: j0 j0^i3 | lane: j1 j1^j2 j1^i0 j1^i1 j1^i2 | warp:"},
        {"offset: j0^j3 j1 j2 j3 j3^j4 i0 j0^j3^i1 i2 i3 i4",
         "offset: j3^i0 j0^j1^i0^i1^i3^i4 j3^j4^i0 j2^j3^i2^i3 j3^i0^i1^i2^i3 "
         "j0^j2^j3^i0^i2^i4 i0^i3 j2^j3^i0^i2^i3 j4^i0^i4 j0^j4^i1", 16, 1,
         "register: j0^j3 j1 j2 j3^i0 j0^j1^i0^i1^i3^i4 | lane: j3^i2 j3^j4 "
         "j3^j4^i0 j3^i4 j0^j4^i1 | warp:"},
    };
    for (unsigned k = 0; k < sizeof sums / sizeof *sums; ++k) {
        const ll_layout r = ll_ptx_between(
            ll_order_out(L(sums[k].from), "j i"),
            ll_order_out(L(sums[k].to), "j i"), sums[k].bits, sums[k].warps,
            LL_SM90);
        CHECK(ll_is_equal(r, ll_order_out(L(sums[k].layout), "j i")));
    }
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const unsigned bits = list[k].bits;
        const ll_layout from =
            tile_of(list[k].from, list[k].rows, list[k].cols, bits);
        const ll_layout to =
            tile_of(list[k].to, list[k].rows, list[k].cols, bits);
        const ll_layout r =
            ll_ptx_between(from, to, bits, list[k].warps, LL_SM90);
        CHECK(ll_is_equal(r, ll_order_out(L(list[k].layout), "j i")) ||
              ll_is_equal(r, ll_order_out(L(list[k].layout), "i j")));
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(tiles_turn_through_registers_without_conflicts);
    RUN(tiles_of_any_kind_turn_by_as_few_wavefronts_as_ever);
    RUN(tiles_that_turn_are_known);
    return test_end();
}
