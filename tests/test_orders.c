/* test_orders.c - orders of tiles over a grid, and of an axis that is summed
 * over: each against its definition, or against all others of its size.
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* ---- Tiles of a grid ---------------------------------------------------- */

/* Each tile has one number. */
static unsigned is_order(unsigned rows, unsigned cols, unsigned group,
                         int hilbert) {
    unsigned char seen[20][20] = LL_ZERO;
    unsigned bad = 0;
    for (unsigned n = 0; n < rows * cols; ++n) {
        const ll_spot at = hilbert ? ll_grid_hilbert(n, rows, cols)
                                   : ll_grid_linear(n, rows, cols, group);
        bad += at.row >= rows || at.col >= cols || seen[at.row][at.col];
        seen[at.row % 20u][at.col % 20u] = 1;
    }
    return !bad;
}

static void every_tile_has_one_number(void) {
    for (unsigned rows = 1; rows <= 17u; ++rows) {
        for (unsigned cols = 1; cols <= 17u; ++cols) {
            CHECK(is_order(rows, cols, 0, 1));
            for (unsigned group = 1; group <= 9u; ++group) {
                CHECK(is_order(rows, cols, group, 0));
            }
        }
    }
}

/* Group by group, in a group column by column, in a column row by row. */
static void the_linear_order_is_three_loops(void) {
    for (unsigned x = 0; x < 2000u; ++x) {
        const unsigned rows = 1u + x % 13u, cols = 1u + x / 13u % 11u;
        const unsigned group = 1u + x / 143u;
        unsigned n = 0;
        for (unsigned first = 0; first < rows; first += group) {
            for (unsigned col = 0; col < cols; ++col) {
                for (unsigned i = 0; i < group && first + i < rows; ++i, ++n) {
                    const ll_spot at = ll_grid_linear(n, rows, cols, group);
                    CHECK(at.row == first + i && at.col == col);
                }
            }
        }
    }
}

static unsigned apart(ll_spot a, ll_spot b) {
    const unsigned y = a.row > b.row ? a.row - b.row : b.row - a.row;
    return y + (a.col > b.col ? a.col - b.col : b.col - a.col);
}

/* In a square each tile is beside the one before, and a quarter of the numbers
 * is a quarter of the square. */
static void hilberts_curve_goes_from_tile_to_tile(void) {
    for (unsigned side = 2; side <= 64u; side *= 2u) {
        for (unsigned n = 1; n < side * side; ++n) {
            const ll_spot at = ll_grid_hilbert(n, side, side);
            const ll_spot was = ll_grid_hilbert(n - 1u, side, side);
            const ll_spot first =
                ll_grid_hilbert(n & ~(side * side / 4u - 1u), side, side);
            CHECK(apart(at, was) == 1u);
            CHECK(at.row / (side / 2u) == first.row / (side / 2u));
            CHECK(at.col / (side / 2u) == first.col / (side / 2u));
        }
    }
}

/* An oblong is visited in the order of the square around it. */
static void hilberts_curve_of_an_oblong_leaves_out_what_is_outside(void) {
    for (unsigned x = 0; x < 200u; ++x) {
        const unsigned rows = 1u + x % 16u, cols = 1u + x / 13u;
        unsigned side = 1, n = 0;
        while (side < rows || side < cols) {
            side *= 2u;
        }
        for (unsigned k = 0; k < side * side; ++k) {
            const ll_spot all = ll_grid_hilbert(k, side, side);
            if (all.row < rows && all.col < cols) {
                const ll_spot at = ll_grid_hilbert(n, rows, cols);
                CHECK(at.row == all.row && at.col == all.col);
                ++n;
            }
        }
        CHECK(n == rows * cols);
    }
}

static void any_grid_is_answered(void) {
    const unsigned odd[] = {0, 1, 2, 3, 0x7fffffffu, 0x80000000u, 0xffffffffu};
    for (unsigned x = 0; x < 2401u; ++x) {
        const unsigned n = odd[x % 7u], rows = odd[x / 7u % 7u];
        const unsigned cols = odd[x / 49u % 7u], group = odd[x / 343u];
        const ll_spot a = ll_grid_linear(n, rows, cols, group);
        const ll_spot b = ll_grid_hilbert(n, rows, cols);
        CHECK(a.row == a.row && b.col == b.col); /* they came back */
    }
}

/* ---- The order of an axis ----------------------------------------------- */

static unsigned cycles(ll_layout a, ll_layout b, unsigned bits) {
    const ll_plan p = ll_plan_of(a, b, bits, LL_SM90);
    return p.err ? ~0u : p.cycles;
}

/* The fewest cycles of all orders that permute the bits of j. */
static unsigned fewest(ll_layout a, ll_layout b, unsigned bits, unsigned n) {
    unsigned order[5] = {0, 1, 2, 3, 4}, at[5] = LL_ZERO;
    unsigned best = ~0u;
    for (unsigned k = 0; k < n;) { /* Heap's enumeration */
        if (k == 0) {
            ll_layout s = ll_identity(1u << n, LL_J, LL_J);
            for (unsigned x = 0; x < n; ++x) {
                s.basis[x] = 1u << order[x];
            }
            const unsigned c = cycles(ll_renumber(a, LL_J, s), b, bits);
            best = c < best ? c : best;
        }
        if (at[k] < k) {
            const unsigned other = k % 2u ? at[k] : 0u, y = order[other];
            order[other] = order[k];
            order[k] = y;
            ++at[k];
            k = 0;
        } else {
            at[k++] = 0;
        }
    }
    return best;
}

/* What sums become, and how many bits of k that is. */
static void sums_become_operands_in_their_lanes(void) {
    const unsigned sizes[] = {8, 16, 32};
    for (unsigned s = 0; s < 3u; ++s) {
        for (unsigned warps = 1; warps <= 4u; warps *= 2u) {
            const unsigned bits = sizes[s], n = 5;
            const ll_layout a = ll_ptx_mma_c(64, 1u << n, warps);
            const ll_layout b = ll_ptx_mma_a(64, 1u << n, bits, warps);
            const ll_layout order = ll_absorb(a, b, LL_J);
            const ll_layout r = ll_renumber(a, LL_J, order);
            const ll_plan p = ll_plan_of(r, b, bits, LL_SM90);
            CHECK(!b.err && !order.err && !ll_inv(order).err);
            CHECK(!p.err && p.kind <= LL_REGISTERS);
            CHECK(p.cycles == fewest(a, b, bits, n));
        }
        const ll_layout c = ll_ptx_wgmma_d(64, 64, 4);
        const ll_layout a = ll_ptx_wgmma_a(64, 64, sizes[s], 4);
        const ll_plan p = ll_plan_of(
            ll_renumber(c, LL_J, ll_absorb(c, a, LL_J)), a, sizes[s], LL_SM90);
        CHECK(!p.err && p.kind <= LL_REGISTERS);
    }
}

/* MFMA of 32 x 32: the transposed sums, as an operand of 8 elements a lane. */
static void sums_of_mfma_become_operands_too(void) {
    const ll_layout c =
        ll_parse("register: j0 j1 j3 j4 | lane: i0 i1 i2 i3 i4 j2");
    const ll_layout a =
        ll_parse("register: j0 j1 j2 j4 | lane: i0 i1 i2 i3 i4 j3");
    const ll_layout r = ll_renumber(c, LL_J, ll_absorb(c, a, LL_J));
    CHECK(ll_plan_of(c, a, 16, LL_GFX942).kind > LL_REGISTERS);
    CHECK(ll_plan_of(r, a, 16, LL_GFX942).kind == LL_NOTHING);
}

static unsigned next_;
static unsigned any(unsigned below) {
    next_ = next_ * 1664525u + 1013904223u;
    return (next_ >> 9) % below;
}

/* A layout whose columns are units in any order: registers, 5 bits of lanes and
 * a warp bit of 3 + 5 bits of i and j. */
static ll_layout shuffled(void) {
    unsigned unit[8];
    ll_layout a = ll_parse("register: j0 j1 | lane: j2 j3 j4 i0 i1 | warp: i2");
    for (unsigned k = 0; k < 8u; ++k) {
        unit[k] = 1u << k;
    }
    for (unsigned k = 8; k > 1u; --k) {
        const unsigned x = any(k), y = unit[x];
        unit[x] = unit[k - 1u];
        unit[k - 1u] = y;
    }
    for (unsigned k = 0; k < 8u; ++k) {
        a.basis[k] = unit[k];
    }
    return a;
}

/* Whatever the order of j in b, and its constant: where it alone differs, no
 * lane gives data away. Else no order of the bits gets by with a cheaper kind of plan. */
static void an_order_that_was_changed_is_found_again(void) {
    next_ = 1;
    for (unsigned x = 0; x < 300u; ++x) {
        ll_layout a = shuffled();
        ll_layout s = ll_identity(32, LL_J, LL_J);
        do {
            for (unsigned k = 0; k < 5u; ++k) {
                s.basis[k] = any(32);
            }
        } while (ll_inv(s).err);
        a.offset = x % 3u == 1u ? any(256) : 0u;
        s.offset = x % 3u ? any(32) : 0u;
        const ll_layout b = ll_renumber(a, LL_J, s);
        const ll_layout found = ll_absorb(a, b, LL_J);
        CHECK(!found.err && !ll_inv(found).err);
        CHECK(ll_plan_of(ll_renumber(a, LL_J, found), b, 32, LL_SM90).kind <=
              LL_REGISTERS);
        CHECK(ll_is_equal(ll_renumber(a, LL_J, ll_absorb(a, a, LL_J)), a));
    }
}

static unsigned kind(ll_layout a, ll_layout b) {
    return ll_plan_of(a, b, 32, LL_SM90).kind;
}

static void no_permutation_of_the_axis_has_a_cheaper_kind(void) {
    next_ = 2;
    for (unsigned x = 0; x < 12u; ++x) {
        const ll_layout a = shuffled(), b = shuffled();
        const unsigned own =
            kind(ll_renumber(a, LL_J, ll_absorb(a, b, LL_J)), b);
        for (unsigned y = 0; y < 120u; ++y) {
            ll_layout s = ll_identity(32, LL_J, LL_J);
            unsigned left[5] = {1, 2, 4, 8, 16}, rest = y;
            for (unsigned k = 5; k > 0; --k) {
                const unsigned at = rest % k;
                rest /= k;
                s.basis[k - 1u] = left[at];
                left[at] = left[k - 1u];
            }
            CHECK(own <= kind(ll_renumber(a, LL_J, s), b));
        }
    }
}

/* The result has a constant where those of the two sides differ. */
static void constants_of_both_sides_are_absorbed(void) {
    const ll_layout a = L("lane: j0 j1 j2 j3 j4");
    const ll_layout b = L("lane: j0 j1 j2 j3 j4 | 1: j0");
    const ll_layout other = L("j: j0 j1 j2 j3 j4 | 1: j0");
    CHECK(ll_is_equal(ll_absorb(a, b, LL_J), other));
    CHECK(ll_is_equal(ll_absorb(b, a, LL_J), other));
    CHECK(ll_is_equal(ll_absorb(b, b, LL_J), L("j: j0 j1 j2 j3 j4")));
    CHECK(kind(ll_renumber(a, LL_J, other), b) == LL_NOTHING);
    /* 1 + j of the one side meets 2 + j of the other, and i is another axis */
    CHECK(ll_is_equal(ll_absorb(L("register: j0 i0 | lane: j1 | 1: j0^i0"),
                                L("register: j1 i0 | lane: j0 | 1: j0"), LL_J),
                      L("j: j1 j0 | 1: j0^j1")));
}

static void axes_that_do_not_match_are_refused(void) {
    const ll_layout a = ll_parse("register: j0 | lane: j1 i0");
    const ll_layout b = ll_parse("register: j0 j1 | lane: j2 i0");
    const ll_layout bad = ll_parse("register: ?");
    CHECK(ll_absorb(a, b, LL_J).err == LL_EMATCH);
    CHECK(ll_absorb(a, b, LL_K).err == LL_EMISSING);
    CHECK(ll_absorb(a, b, LL_I).err == LL_OK);
    CHECK(ll_absorb(bad, b, LL_J).err == bad.err && bad.err);
    CHECK(ll_absorb(a, bad, LL_J).err == bad.err);
}

static void lanes_and_warps_are_absorbed_before_registers(void) {
    const ll_layout turned = L("j: j1 j0");
    /* lane, or warp, j1 becomes j0; register j0 what is left, j1 */
    CHECK(ll_is_equal(ll_absorb(L("register: j0 | lane: j1"),
                                L("register: j0 j1 | lane: j0"), LL_J),
                      turned));
    CHECK(ll_is_equal(ll_absorb(L("register: j0 | warp: j1"),
                                L("register: j0 j1 | warp: j0"), LL_J),
                      turned));
    CHECK(ll_is_equal(ll_absorb(L("register: j0 j1"), L("register: j1 j0"),
                                LL_J),
                      turned));
    /* neither side holds j0 */
    const ll_layout some = L("lane: j1 -> j=4");
    CHECK(ll_is_equal(ll_absorb(some, some, LL_J), L("j: j0 j1")));
    CHECK(ll_absorb(L("lane: i0"), L("lane: j0"), LL_J).err == LL_EMISSING);
    CHECK(ll_absorb(L("lane: j0"), L("lane: i0"), LL_J).err == LL_EMISSING);
}

/* The curve of a square begins in its first tile and ends in the first tile of
 * the last row; a grid in groups of no rows stays at its first tile. */
static void hilberts_curve_ends_in_the_first_column(void) {
    for (unsigned side = 1; side <= 64u; side *= 2u) {
        const ll_spot first = ll_grid_hilbert(0, side, side);
        const ll_spot last = ll_grid_hilbert(side * side - 1u, side, side);
        CHECK(first.row == 0 && first.col == 0);
        CHECK(last.row == side - 1u && last.col == 0);
    }
    for (unsigned n = 0; n < 20u; ++n) {
        const ll_spot at = ll_grid_linear(n, 4, 5, 0);
        CHECK(at.row == 0 && at.col == 0);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(every_tile_has_one_number);
    RUN(the_linear_order_is_three_loops);
    RUN(hilberts_curve_goes_from_tile_to_tile);
    RUN(hilberts_curve_of_an_oblong_leaves_out_what_is_outside);
    RUN(any_grid_is_answered);
    RUN(sums_become_operands_in_their_lanes);
    RUN(sums_of_mfma_become_operands_too);
    RUN(an_order_that_was_changed_is_found_again);
    RUN(no_permutation_of_the_axis_has_a_cheaper_kind);
    RUN(constants_of_both_sides_are_absorbed);
    RUN(axes_that_do_not_match_are_refused);
    RUN(lanes_and_warps_are_absorbed_before_registers);
    RUN(hilberts_curve_ends_in_the_first_column);
    return test_end();
}
