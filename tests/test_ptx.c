/* test_ptx.c - what recorded cases leave open of ll_ptx.h's layouts: formulas of
 * the manual for whole operands, tensors over warps, descriptors and back, and
 * bad parameters.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR 1
#include "test.h"

#include "../bench/device/padded.h"
#include "../ll_amd.h"
#include "../ll_ptx.h"

static int same(ll_layout a, const char *text) {
    return ll_is_equal(a, ll_parse(text));
}

static unsigned at(ll_layout a, unsigned reg, unsigned lane, unsigned warp) {
    return ll_apply(a, ll_pack(a.in, LL_REGISTER, reg) ^
                           ll_pack(a.in, LL_LANE, lane) ^
                           ll_pack(a.in, LL_WARP, warp));
}

/* The formulas of the PTX manual, point by point. */
static void fragments_are_those_of_the_manual(void) {
    const unsigned sizes[] = {1, 4, 8, 16, 32, 64};
    for (unsigned s = 0; s < 6u; ++s) {
        unsigned bits = sizes[s];
        unsigned e = bits < 32u ? 32u / bits : 1u;
        for (unsigned k = 4u * e; k <= (bits < 64u ? 8u : 16u) * e; k *= 2u) {
            for (unsigned m = 8; m <= 16u; m *= 2u) {
                ll_layout a = ll_ptx_fragment_a(m, k, bits);
                ll_layout b = ll_ptx_fragment_b(k, 8, bits);
                unsigned rows = m / 8u;
                CHECK(ll_size(a.in, LL_REGISTER) == m * k / 32u);
                CHECK(ll_is_invertible(a) && ll_is_invertible(b));
                for (unsigned x = 0; x < m * k / 32u * 32u; ++x) {
                    unsigned lane = x & 31u;
                    unsigned i = x >> 5;
                    unsigned r = i / e;
                    unsigned across = (lane & 3u) * e + i % e;
                    unsigned y = at(a, i, lane, 0);
                    CHECK(ll_unpack(a.out, LL_I, y) ==
                          (lane >> 2) + 8u * (r % rows));
                    CHECK(ll_unpack(a.out, LL_J, y) ==
                          across + 4u * e * (r / rows));
                    y = at(b, i, lane, 0);
                    CHECK(i >= k / 4u ||
                          (ll_unpack(b.out, LL_I, y) == across + 4u * e * r &&
                           ll_unpack(b.out, LL_J, y) == lane >> 2));
                }
            }
        }
    }
}

/* The product that the lanes compute: every (row, column) once, and all of k. */
static void warps_of_a_tensor_meet(void) {
    for (unsigned warps = 1; warps <= 8u; warps *= 2u) {
        for (unsigned size = 8; size <= 128u; size *= 2u) {
            ll_layout a = ll_ptx_mma_a(size, 64, 16, warps);
            ll_layout b = ll_ptx_mma_b(64, size, 16, warps);
            ll_layout c = ll_ptx_mma_c(size, size, warps);
            CHECK(ll_is_distributed(a) && ll_is_distributed(b));
            CHECK(ll_is_distributed(c));
            for (unsigned w = 0; w < warps; ++w) {
                unsigned ya = ll_unpack(a.out, LL_I, at(a, 0, 0, w));
                CHECK(ya == ll_unpack(c.out, LL_I, at(c, 0, 0, w)));
                CHECK(at(b, 0, 0, w) == 0);
            }
        }
    }
    CHECK(same(ll_ptx_wgmma_a(64, 32, 16, 4),
               "register: j0 i3 j3 j4 | lane: j1 j2 i0 i1 i2 | warp: i4 i5"));
    CHECK(same(ll_ptx_wgmma_d(128, 8, 4), "register: j0 i3 i6 | "
                                          "lane: j1 j2 i0 i1 i2 | warp: i4 i5"));
    CHECK(same(ll_ptx_wgmma_d(128, 8, 8), "register: j0 i3 | lane: j1 j2 i0 i1 "
                                          "i2 | warp: i4 i5 i6"));
}

/* An operand of that size: each element is held, by columns that are one bit,
 * each another one, or 0 for as many copies as that. */
static int holds(ll_layout a, unsigned rows, unsigned cols, unsigned copies) {
    return !a.err && ll_is_distributed(a) && ll_size(a.out, LL_I) == rows &&
           ll_size(a.out, LL_J) == cols &&
           1u << (ll_shape_bits_(&a.in) - ll_rank(a)) == copies;
}

/* A, B and C have one m, n and k, and lanes that hold the same k in A and B. */
static int fit(ll_layout a, ll_layout b, ll_layout c) {
    int same = ll_size(a.out, LL_I) == ll_size(c.out, LL_I) &&
               ll_size(b.out, LL_J) == ll_size(c.out, LL_J) &&
               ll_size(a.out, LL_J) == ll_size(b.out, LL_I);
    for (unsigned lane = 0; lane < 32u; ++lane) {
        same = same && ll_unpack(a.out, LL_J, at(a, 0, lane, 0)) ==
                           ll_unpack(b.out, LL_I, at(b, 0, lane, 0));
    }
    return same;
}

static void operands_hold_each_element_and_fit(void) {
    const unsigned sizes[] = {1, 4, 8, 16, 32, 64};
    unsigned found = 0;
    for (unsigned x = 0; x < 6u * 2u * 7u; ++x) {
        unsigned bits = sizes[x % 6u];
        unsigned m = x / 6u % 2u ? 8 : 16;
        unsigned k = 4u << x / 12u;
        ll_layout a = ll_ptx_fragment_a(m, k, bits);
        ll_layout b = ll_ptx_fragment_b(k, 8, bits);
        ll_layout c = ll_ptx_fragment_c(m, 8);
        CHECK(holds(c, m, 8, 1));
        CHECK(b.err || a.err == (bits < 64u && k * bits > 256u ? LL_EK : 0));
        CHECK(a.err || (holds(a, m, k, 1) && holds(b, k, 8, 1)));
        CHECK(a.err || fit(a, b, c));
        found += !a.err;
    }
    CHECK(found == 2u * (2 + 2 + 2 + 2 + 2 + 3));
    for (int row = 0; row < 4; ++row) {
        ll_layout a = ll_ptx_quad_a(row & 1);
        ll_layout b = ll_ptx_quad_b(row >> 1);
        CHECK(holds(a, 8, 4, 1) && holds(b, 4, 8, 1));
        CHECK(holds(ll_ptx_quad_c(16), 8, 8, 1));
        CHECK(holds(ll_ptx_quad_c(32), 8, 8, 1));
        CHECK(ll_size(a.out, ll_dim_of("mma")) == 4u);
    }
}

/* Of a sparse product A holds half of k, which the metadata has in full; a scale
 * stands for a part of k, in A and B alike. */
static void metadata_and_scales_fit_their_operands(void) {
    for (unsigned x = 0; x < 8u; ++x) {
        unsigned bits = 4u << x % 4u;
        unsigned k = 256u / bits << x / 4u;
        ll_layout a = ll_ptx_fragment_a(16, k / 2u, bits);
        ll_layout b = ll_ptx_fragment_b(k, 8, bits);
        unsigned copies = (bits <= 8u ? 2u : 4u) >> x / 4u;
        CHECK(holds(a, 16, k / 2u, 1) && holds(b, k, 8, 1));
        CHECK(holds(ll_ptx_sparse_e(k, bits), 16, k, copies));
    }
    for (unsigned scales = 1; scales <= 4u; scales *= 2u) {
        CHECK(holds(ll_ptx_scale_a(scales), 16, scales, 2));
        CHECK(holds(ll_ptx_scale_b(scales), scales, 8, 4));
    }
}

/* Matrix loads hold all of the memory; so does tensor memory of the accumulator
 * where no lanes are left over. A load from tensor memory reads nothing twice,
 * of 16 of 32 lanes. */
static void loads_and_tensor_memory_lose_nothing(void) {
    for (unsigned n = 1; n <= 4u; n *= 2u) {
        CHECK(holds(ll_ptx_matrix(8, 16, 0, n), 8, 8, 1));
        CHECK(holds(ll_ptx_matrix(8, 16, 1, n), 8, 8, 1));
        CHECK(holds(ll_ptx_matrix(8, 8, 0, n), 8, 16, 1));
        CHECK(n == 4u || holds(ll_ptx_matrix(16, 8, 1, n), 16, 16, 1));
        CHECK(holds(ll_ptx_matrix_rows(8, n), 8, 1, 4u / n));
    }
    for (unsigned n = 1; n <= 256u; n *= 2u) {
        CHECK(holds(ll_ptx_tcgen05_d(128, n, 0), 128, n, 1));
        CHECK(holds(ll_ptx_tcgen05_d(64, n, 0), 64, n, 2));
        CHECK(n < 2u || holds(ll_ptx_tcgen05_d(64, n, 1), 64, n, 1));
        CHECK(n < 4u || holds(ll_ptx_tcgen05_d(32, n, 1), 32, n, 1));
    }
    CHECK(ll_ptx_tcgen05_d(128, 0, 0).err == LL_EN);
    CHECK(ll_ptx_tcgen05_d(64, 1, 1).err == LL_EN);
    CHECK(ll_ptx_tcgen05_d(32, 2, 1).err == LL_EN);
    for (unsigned n = 1; n <= 128u; n *= 2u) {
        for (unsigned bits = 32; bits <= 256u; bits *= 2u) {
            ll_layout a = ll_ptx_tmem(bits == 32u ? 32 : 16, bits, n, 32);
            CHECK(a.err || ll_is_injective(a));
            CHECK(a.err || ll_shape_bits_(&a.out) - ll_rank(a) ==
                               (bits == 32u ? 0u : 1u));
        }
    }
}

/* PTX, "Data path layout organization": column c and row r lie in lane r and
 * column c; 64 rows use 16 of each 32 lanes; folded, the columns of each lane
 * are a half or a quarter of n, and rows of the next ones lie above. It says so
 * for 8 columns and more, and fewer are the first of them. */
static void accumulators_of_any_columns(void) {
    for (unsigned x = 0; x < 4u * 9u; ++x) {
        const unsigned n = 1u << x / 4u;
        const unsigned m = x % 4u == 0 ? 128u : x % 4u == 3u ? 32u : 64u;
        const int folded = x % 4u > 1u;
        const unsigned each = folded ? n * m / 128u : n;
        const ll_layout a = ll_ptx_tcgen05_d(m, n, folded);
        CHECK((a.err == LL_OK) == (each > 0u));
        for (unsigned k = 0; !a.err && k < m * n; ++k) {
            const unsigned r = k % m, c = k / m;
            const unsigned dp = folded     ? r + m * (c / each)
                                : m == 64u ? r % 16u + 32u * (r / 16u)
                                           : r;
            const unsigned y =
                ll_apply(a, ll_pack(a.in, LL_TCOL, c % each) ^
                                ll_pack(a.in, LL_DP, dp));
            CHECK(ll_unpack(a.out, LL_I, y) == r);
            CHECK(ll_unpack(a.out, LL_J, y) == c);
        }
    }
}

/* CuTe's tile_to_shape of a swizzled atom: copies of the plain atom down the
 * rows and then across the columns, at multiples of its size, and then the
 * swizzle of the whole offset, bit by bit. */
static unsigned cute_swizzled(unsigned x, unsigned b, unsigned m, int s) {
    const unsigned by = s < 0 ? (unsigned)-s : (unsigned)s;
    const unsigned from = s < 0 ? m : m + by, to = s < 0 ? m + by : m;
    for (unsigned k = 0; k < b; ++k) {
        x ^= (x >> (from + k) & 1u) << (to + k);
    }
    return x;
}

static void swizzles_reach_above_their_atoms(void) {
    unsigned beyond = 0;
    for (unsigned k = 0; k < times(2000u); ++k) {
        const unsigned r = 1u << test_random(4), c = 1u << test_random(4);
        const unsigned rows = r << test_random(4), cols = c << test_random(4);
        const unsigned b = test_random(4), m = test_random(4);
        const int s = (int)(b + test_random(3)) * (test_random(4) ? 1 : -1);
        const unsigned by = (unsigned)(s < 0 ? -s : s);
        const int down = test_random(2) != 0;
        const unsigned sizes[2] = {r, c};
        const ll_layout atom = down ? ll_col_major(ll_tensor(2, sizes))
                                    : ll_row_major(ll_tensor(2, sizes));
        ll_shape shape = ll_with(ll_shape_of(""), LL_I, rows);
        shape = ll_with(shape, LL_J, cols);
        const ll_layout a = ll_cute_tiled(atom, shape, b, m, s);
        const int fits = s >= 0 || b == 0 || rows * cols <= 1u << m ||
                         rows * cols >= 1u << (m + by + b);
        CHECK(a.err == (fits ? LL_OK : LL_ECUTE));
        for (unsigned x = 0; !a.err && x < rows * cols; ++x) {
            const unsigned i = x / cols, j = x % cols;
            const unsigned in = down ? i % r + r * (j % c) : i % r * c + j % c;
            const unsigned at =
                in + r * c * (i / r + rows / r * (j / c));
            const unsigned y = ll_apply(a, cute_swizzled(at, b, m, s));
            CHECK(ll_unpack(a.out, LL_I, y) == i);
            CHECK(ll_unpack(a.out, LL_J, y) == j);
        }
        beyond += fits && b && r * c < 1u << (m + by + b) &&
                  rows * cols > 1u << (m + by);
    }
    COVERS(beyond > 200u);
}

/* CUTLASS's ELayouts of sm_120, of which there is no recorded case: thread
 * (2, 2, 8) and value v are number 8 t0 + 8 k t1 + t2 + 16 v of a column-major
 * 16 x k matrix. Its ELayout_64x64 of sm_90. */
static void metadata_of_narrow_elements(void) {
    for (unsigned bits = 4; bits <= 8u; bits += 2u) { /* 6 in bytes */
        unsigned k = bits == 6u ? 64u : 512u / bits;
        ll_layout a = ll_ptx_sparse_e(k, bits);
        CHECK(ll_is_invertible(a));
        for (unsigned x = 0; x < 16u * k; ++x) {
            unsigned lane = x & 31u;
            unsigned v = x >> 5;
            unsigned to = 8u * (lane & 1u) + 8u * k * (lane >> 1 & 1u) +
                          (lane >> 2) + 16u * v;
            unsigned y = at(a, v, lane, 0);
            CHECK(ll_unpack(a.out, LL_I, y) == to % 16u);
            CHECK(ll_unpack(a.out, LL_J, y) == to / 16u);
        }
    }
    CHECK(same(ll_tiled(ll_ptx_sparse_e(64, 8), ll_shape_of("j=64 i=64"),
                        ll_shape_of("i=4")),
               "register: j0 j1 j2 j3 j4 | lane: i3 j5 i0 i1 i2 | "
               "warp: i4 i5"));
}

/* The short k is the first half of the long one, and selectors tell apart as
 * many groups of lanes as hold copies: of four lanes one where an instruction
 * has 256 bits of metadata, two for 512, all for 1024 (PTX, "Sparse matrix
 * storage"). */
static void metadata_of_a_short_k(void) {
    for (unsigned bits = 4; bits <= 32u; bits *= 2u) {
        for (unsigned k = 256u / bits; k <= 512u / bits; k *= 2u) {
            ll_layout a = ll_ptx_sparse_e(k, bits);
            unsigned each = bits == 4u ? 1u : bits == 32u ? 4u : 2u;
            unsigned speak = 16u * k * each / 2u / 32u;
            CHECK(ll_is_surjective(a) && ll_size(a.in, LL_LANE) == 32u);
            CHECK(ll_rank(ll_sub(a, "lane", "i j")) ==
                  (speak == 8u ? 3u : speak == 16u ? 4u : 5u));
            CHECK(ll_size(a.in, LL_REGISTER) * each == 64u);
            CHECK(ll_is_equal(
                a, ll_tiled(ll_ptx_sparse_e(512u / bits, bits),
                            ll_shape_matrix_(16, k), ll_shape_of(""))));
        }
        CHECK(ll_ptx_sparse_e(1024u / bits, bits).err == LL_EK);
    }
    CHECK(ll_ptx_sparse_e(256, 1).err == LL_EOPERAND);
    CHECK(ll_ptx_sparse_e(8, 64).err == LL_EOPERAND);
}

static void tiles_fill_any_tensor(void) {
    const ll_layout tile = ll_parse("register: j0 | lane: j1 i0");
    for (unsigned x = 0; x < 256u; ++x) {
        ll_shape none = LL_ZERO;
        ll_shape s = ll_with(ll_with(none, LL_J, 1u << (x & 3u)), LL_I,
                             1u << (x >> 2 & 3u));
        ll_shape w = ll_with(ll_with(none, LL_I, 1u << (x >> 4 & 3u)), LL_J,
                             1u << (x >> 6 & 3u));
        ll_layout a = ll_tiled(tile, s, w);
        CHECK(ll_is_distributed(a));
        CHECK(ll_size(a.out, LL_I) == ll_size(s, LL_I));
        CHECK(ll_size(a.out, LL_J) == ll_size(s, LL_J));
        CHECK(ll_size(a.in, LL_LANE) == 4);
        CHECK(ll_size(a.in, LL_WARP) == 1u << ((x >> 4 & 3u) + (x >> 6 & 3u)));
    }
    CHECK(ll_tiled(tile, ll_shape_of("j=4"), ll_shape_of("i=2")).err ==
          LL_EMISSING);
    CHECK(ll_tiled(tile, ll_shape_of("j=4 k=4"), ll_shape_of("i=2")).err ==
          LL_EMISSING);
}

/* Against integer arithmetic. */
static void swizzles_are_their_formulas(void) {
    for (unsigned x = 0; x < 7u * 7u * 15u; ++x) {
        unsigned b = x % 7u;
        unsigned m = x / 7u % 7u;
        int s = (int)(x / 49u) - 7;
        unsigned by = s < 0 ? (unsigned)-s : (unsigned)s;
        ll_layout a = ll_cute_swizzle(4096, b, m, s);
        unsigned mask = ((1u << b) - 1u) << (s < 0 ? m : m + by);
        unsigned highest = 0; /* of what is XORed, upwards, to some number */
        for (unsigned y = 0; s < 0 && y < 4096u; ++y) {
            const unsigned up = (y & mask) << by;
            highest = up > highest ? up : highest;
        }
        if (b > by || highest >= 4096u) {
            CHECK(a.err == LL_ECUTE);
            continue;
        }
        CHECK(a.err == LL_OK);
        for (unsigned y = 0; y < 4096u; y += 1u + test_random(9)) {
            unsigned moved = s < 0 ? (y & mask) << by : (y & mask) >> by;
            CHECK(ll_apply(a, y) == (y ^ moved));
        }
    }
    /* The highest bit may be bit 31; sums of huge arguments do not wrap. */
    const ll_layout unit = ll_identity(8, LL_OFFSET, LL_OFFSET);
    const int far = -2147483647 - 1;
    CHECK(ll_is_equal(ll_cute_swizzle(8, 0, 0, 32), unit));
    CHECK(ll_is_equal(ll_cute_swizzle(8, 0, 0, -32), unit));
    CHECK(ll_is_equal(ll_cute_swizzle(8, 0, 32, 0), unit));
    CHECK(ll_is_equal(ll_cute_swizzle(8, 2, 20, 10), unit));
    CHECK(ll_apply(ll_cute_swizzle(1u << 31, 1, 20, 10), 1u << 30) ==
          (1u << 30 | 1u << 20));
    CHECK(ll_cute_swizzle(8, 3, 20, 10).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(8, 3, 20, -10).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(8, 0, 0, 33).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(8, 0, 0, -33).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(8, 0, 33, 0).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(8, 1, ~0u, 1).err == LL_ECUTE);
    CHECK(ll_cute_swizzle(8, 1u << 31, 0, far).err == LL_ECUTE);
    for (unsigned x = 0; x < 64u; ++x) {
        unsigned vec = 1u << (x & 3u);
        unsigned per = 1u << (x >> 2 & 3u);
        unsigned max = 1u << (x >> 4 & 3u);
        ll_layout a =
            ll_swizzled(ll_shape_of("j=16 i=32 k=2"), vec, per, max);
        if (vec * max > 16u) {
            CHECK(a.err == LL_ESWIZZLE);
            continue;
        }
        for (unsigned y = 0; y < 1024u; ++y) {
            unsigned row = y / 16u % 32u;
            unsigned col = (y ^ vec * (row / per % max)) % 16u;
            CHECK(ll_apply(a, y) == (y / 16u * 16u | col));
        }
    }
    CHECK(padded_offset(31, 32, 4) == 31 && padded_offset(64, 32, 4) == 72);
    CHECK(padded_offset(5, 0, 4) == 5);
}

/* 128-byte lines: the address bits from the piece on, XORed by the line. */
static void swizzle_modes_move_pieces_by_lines(void) {
    const unsigned modes[6][2] = {{32, 16},  {64, 16},  {128, 16},
                                  {128, 32}, {128, 64}, {0, 16}};
    for (unsigned k = 0; k < 6u; ++k) {
        unsigned atom = modes[k][1];
        unsigned pieces = modes[k][0] ? modes[k][0] / atom : 1u;
        ll_layout a = ll_ptx_tma(modes[k][0], atom, 0);
        CHECK(ll_size(a.in, LL_OFFSET) == 128u * pieces);
        for (unsigned y = 0; y < 128u * pieces; ++y) {
            CHECK(ll_apply(a, y) == (y ^ (y / 128u % pieces) * atom));
        }
    }
    CHECK(ll_ptx_tma(128, 16, 8).err == LL_EMODE);
    CHECK(ll_ptx_tma(64, 32, 0).err == LL_EMODE);
    CHECK(ll_ptx_smem_mn(64, 64, 16, 128, 64).err == LL_EMODE);
}

/* The columns of the whole tile's inverse that belong to a corner of it. */
static ll_layout corner(ll_layout a, unsigned rows, unsigned cols) {
    ll_layout x = ll_resize_in(ll_inv(a), LL_I, rows);
    return ll_resize_in(x, LL_J, cols);
}

static int same_places(ll_layout p, ll_layout x) {
    int ok = !p.err && !x.err;
    for (unsigned y = 0; ok && y < 1u << ll_shape_bits_(&x.in); ++y) {
        ok = ll_apply(p, y) == ll_apply(x, y);
    }
    return ok;
}

static void descriptors_lead_back_to_their_tiles(void) {
    const unsigned sizes[] = {8, 16, 32};
    for (unsigned x = 0; x < 3u * 5u * 2u * 9u; ++x) {
        unsigned bits = sizes[x % 3u];
        unsigned mn = x / 15u % 2u;
        unsigned mode = x / 3u % (mn ? 5u : 4u);
        unsigned swizzle = mode == 0 ? 0u : mode < 4u ? 16u << mode : 128u;
        unsigned atom = mode == 4u ? 32u : 16u;
        unsigned rows = 64u << x / 30u % 3u;
        unsigned cols = 1024u / bits << x / 90u;
        unsigned k = 256u / bits;
        ll_layout a =
            mn ? ll_ptx_smem_mn(2u * rows, cols, bits, swizzle, atom)
               : ll_ptx_smem_k(rows, cols, bits, swizzle);
        ll_ptx_desc d = ll_ptx_desc_of(a, 64, k, bits);
        CHECK(ll_is_memory(a));
        CHECK(!d.err && d.swizzle == swizzle && d.atom == atom);
        CHECK(d.mn_major == mn && d.lbo < 1u << 18 && d.sbo < 1u << 18);
        CHECK(same_places(ll_ptx_desc_places(d, 64, k, bits),
                          corner(a, 64, k)));
        CHECK(!!ll_ptx_desc_wgmma(d, 0) == (atom == 16u));
        CHECK((ll_ptx_desc_tcgen05(d, 4096) & 0x3fffu) == 256u);
    }
}

/* Offset bits above the atom, exchanged: the distances are constant no more. */
static void other_layouts_have_no_descriptor(void) {
    ll_layout a = ll_ptx_smem_k(64, 64, 16, 128);
    ll_perm swap = ll_perm_swap(12, 9, 11);
    CHECK(ll_ptx_desc_of(ll_permute(a, LL_OFFSET, swap), 64, 16, 16).err ==
          LL_ESTRIDE);
    swap = ll_perm_swap(12, 8, 9);
    CHECK(ll_ptx_desc_of(ll_permute(a, LL_OFFSET, swap), 64, 16, 16).err ==
          LL_EATOM);
    CHECK(ll_ptx_desc_of(a, 128, 16, 16).err == LL_EBOX);
    CHECK(ll_ptx_desc_of(a, 48, 16, 16).err == LL_EBOX);
    CHECK(ll_ptx_desc_of(a, 64, 16, 12).err == LL_EOPERAND);
    CHECK(ll_ptx_desc_of(ll_flip(a, LL_I, 1), 64, 16, 16).err == LL_EAFFINE);
    CHECK(ll_ptx_tma_of(ll_flip(a, LL_I, 1), 64, 16, 16).err == LL_EAFFINE);
    CHECK(ll_ptx_desc_of(ll_parse("offset: i0 i0 -> j=1 | i=2"), 1, 1, 16).err ==
          LL_ESINGULAR);
    ll_ptx_desc d = ll_ptx_desc_of(a, 48, 16, 16);
    CHECK(ll_ptx_desc_wgmma(d, 0) == 0 && ll_ptx_desc_tcgen05(d, 0) == 0);
    CHECK(ll_ptx_desc_places(d, 64, 16, 16).err == LL_EBOX);
}

static void a_box_has_its_swizzle(void) {
    const unsigned modes[6][2] = {{0, 16},   {32, 16},  {64, 16},
                                  {128, 16}, {128, 32}, {128, 64}};
    for (unsigned k = 0; k < 24u; ++k) {
        unsigned bits = 8u << k % 4u;
        unsigned width = modes[k / 4u][0];
        unsigned cols = (width ? width : 256u) * 8u / bits;
        cols = cols < 256u ? cols : 128u;
        ll_shape s = ll_with(ll_with(ll_shape_of(""), LL_J, cols), LL_I, 64);
        ll_layout a = ll_row_major(s);
        unsigned bytes = 64u * cols * bits / 8u;
        ll_layout swizzle = ll_ptx_tma(width, modes[k / 4u][1], 0);
        unsigned element = bits / 8u;
        unsigned log = k % 4u;
        /* The same on elements: the bits within one stay where they are. */
        ll_layout on = ll_identity(bytes / element, LL_OFFSET, LL_OFFSET);
        for (unsigned bit = 0; bit < ll_shape_bits_(&on.in); ++bit) {
            on.basis[bit] = bit + log < ll_shape_bits_(&swizzle.in)
                                ? swizzle.basis[bit + log] >> log
                                : on.basis[bit];
        }
        a = ll_compose(a, on);
        ll_ptx_desc d = ll_ptx_tma_of(a, 64, cols, bits);
        CHECK(!d.err && d.swizzle == width && d.atom == modes[k / 4u][1]);
        CHECK(!d.mn_major);
        d = ll_ptx_tma_of(ll_trans(a, "j i"), cols, 64, bits);
        CHECK(!d.err && d.swizzle == width && d.mn_major);
    }
    CHECK(ll_ptx_tma_of(ll_parse("offset: j0 i0 j1 i1"), 4, 4, 32).err ==
          LL_ETENSOR);
}

/* Whatever the numbers are: an error, or a layout that is one. */
static int total(ll_layout a) {
    return a.err ? a.err < LL_N_ERRORS_ : !ll_check(a).err;
}

static unsigned any(void) {
    unsigned shift = test_random(33);
    unsigned x = shift < 32u ? 1u << shift : 0u;
    return test_random(4) ? x >> test_random(25) : x + test_random(7) - 3u;
}

static void any_parameters_are_answered(void) {
    for (unsigned n = 0; n < times(20000u); ++n) {
        unsigned a = any();
        unsigned b = any();
        unsigned c = any();
        unsigned d = any();
        CHECK(total(ll_ptx_fragment_a(a, b, c)));
        CHECK(total(ll_ptx_fragment_b(a, b, c)));
        CHECK(total(ll_ptx_fragment_c(a, b)) && total(ll_ptx_quad_c(a)));
        CHECK(total(ll_ptx_sparse_e(a, b)));
        CHECK(total(ll_ptx_scale_a(a)) && total(ll_ptx_scale_b(a)));
        CHECK(total(ll_ptx_mma_a(a, b, c, d)));
        CHECK(total(ll_ptx_mma_b(a, b, c, d)));
        CHECK(total(ll_ptx_wgmma_a(a, b, c, d)));
        CHECK(total(ll_ptx_wgmma_d(a, b, c)));
        CHECK(total(ll_ptx_matrix(a, b, (int)(c & 1u), d)));
        CHECK(total(ll_ptx_matrix_rows(a, b)));
        CHECK(total(ll_ptx_tmem(a, b, c, d)));
        CHECK(total(ll_ptx_tmem_x2(a, b, c)));
        CHECK(total(ll_ptx_tcgen05_d(a, b, (int)(c & 1u))));
        CHECK(total(ll_ptx_tma(a, b, c)));
        CHECK(total(ll_ptx_smem_k(a, b, c, d)));
        CHECK(total(ll_ptx_smem_mn(a, b, c, 32, 16)));
        CHECK(total(ll_cute_swizzle(a, b, c, (int)(d & 63u) - 32)));
        CHECK(total(ll_swizzled(ll_shape_of("j=64 i=64"), a, b, c)));
        ll_layout m = ll_ptx_smem_k(64, 64, 16, 64);
        CHECK(ll_ptx_desc_of(m, a, b, c).err < LL_N_ERRORS_);
        CHECK(ll_ptx_tma_of(m, a, b, c).err < LL_N_ERRORS_);
        ll_ptx_desc e = LL_ZERO;
        e.swizzle = 16u << (a & 3u);
        e.atom = 16;
        e.lbo = b;
        e.sbo = c;
        CHECK(total(ll_ptx_desc_places(e, 64, 16, 16)));
    }
}

/* What stands in the way of ldmatrix and stmatrix, in words. */
static int says(ll_layout a, ll_layout m, unsigned bits, unsigned op,
                unsigned form, ll_target t, const char *text) {
    char buf[200];
    unsigned n = ll_explain_matrix(a, m, bits, op, form, t, buf, sizeof buf);
    return n == strlen(buf) && strcmp(buf, text) == 0;
}

static void matrices_that_do_not_fit_have_a_reason(void) {
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    const ll_layout cols = ll_col_major(ll_shape_of("j=64 i=64"));
    const ll_layout fed = ll_for_operand(a, 16, LL_SM90);
    CHECK(says(a, fed, 16, LL_READ, LL_FORM_MATRIX, LL_SM90,
               "ldmatrix: 4 wavefronts\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX, LL_SM90, /* 8 in a bank */
               "ldmatrix: 32 wavefronts\n"));
    CHECK(says(a, cols, 16, LL_READ, LL_FORM_TRANS, LL_SM90,
               "ldmatrix.trans: 32 wavefronts\n"));
    CHECK(says(a, cols, 16, LL_READ, LL_FORM_MATRIX, LL_SM90,
               "ldmatrix: register bit 0 is at byte 128, but must be at byte "
               "2\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_TRANS, LL_SM90,
               "ldmatrix.trans: register bit 0 is at byte 2, in the rows of "
               "other lanes\n"));
    CHECK(says(ll_rows(64, 64, 2), cols, 16, LL_WRITE, LL_FORM_TRANS, LL_SM90,
               "stmatrix.trans: lane bit 2 is at byte 4096, but must be at "
               "byte 2\n"));
    CHECK(says(a, rows, 16, LL_WRITE, LL_FORM_MATRIX, LL_SM80,
               "stmatrix: not available on this target\n"));
    CHECK(says(a, rows, 64, LL_READ, LL_FORM_MATRIX, LL_SM80,
               "ldmatrix: elements must have 8, 16 or 32 bits\n"));
    CHECK(says(a, rows, 32, LL_READ, LL_FORM_TRANS, LL_SM80,
               "ldmatrix.trans: elements must have 16 bits, or be pairs of 8\n"));
    CHECK(says(a, rows, 8, LL_READ, LL_FORM_TRANS, LL_SM80,
               "ldmatrix.trans: register bit 2 is at byte 8, in the rows of "
               "other lanes\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_BYTES, LL_SM100F,
               "ldmatrix.trans of bytes: elements must have 8 bits\n"));
}

/* Where a byte stands in the row that one lane names: bit k of the byte comes
 * from a register bit of 16-bit elements, or from a lane bit. PTX ISA, ldmatrix
 * and its .trans: rows of 16 bytes; CDNA4 ISA, DS_READ_B64_TR_B16: 8 bytes. */
typedef struct row_of {
    ll_target t;
    unsigned form, registers, lanes, bytes;
    unsigned in_row[4]; /* bytes 2, 4 and 8: 0 for register 0, 1 + lane bit */
    const char *name;
} row_of;

static unsigned wanted_byte(const row_of *r, int lane, unsigned bit) {
    unsigned byte = 0;
    for (unsigned k = 0; 2u << k < r->bytes; ++k) {
        byte = (lane ? r->in_row[k] == bit + 1u : r->in_row[k] == 0 && bit == 0)
                   ? 2u << k
                   : byte;
    }
    return byte;
}

/* One column leads elsewhere: it is named, with the byte that it needs, or with
 * the fact that the byte is in another lane's row. */
static void check_misfits(const row_of *r) {
    const ll_layout m = ll_identity(1u << 14, LL_OFFSET, LL_J);
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << r->registers);
    in = ll_with(ll_with(in, LL_LANE, 1u << r->lanes), LL_WARP, 4);
    ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_J, 1u << 14));
    const unsigned n = r->registers + r->lanes + 2u;
    unsigned next = r->bytes / 2u;
    for (unsigned k = 0; k < n; ++k) {
        const int lane = k >= r->registers;
        const unsigned bit = lane ? k - r->registers : k;
        a.basis[k] = wanted_byte(r, lane, bit) / 2u;
        if (a.basis[k] == 0) {
            a.basis[k] = next;
            next *= 2u;
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        const int lane = k >= r->registers;
        const unsigned bit = lane ? k - r->registers : k;
        const unsigned wanted = wanted_byte(r, lane, bit);
        for (unsigned at = 0; at < 14u; ++at) {
            char want[200];
            ll_layout b = a;
            b.basis[k] = 1u << at;
            if (wanted ? 2u << at == wanted : 2u << at >= r->bytes) {
                continue;
            }
            unsigned len = (unsigned)snprintf(
                want, sizeof want, "%s: %s bit %u is at byte %u", r->name,
                lane ? "lane" : "register", bit, 2u << at);
            snprintf(want + len, sizeof want - len,
                     wanted ? ", but must be at byte %u\n"
                            : ", in the rows of other lanes\n", wanted);
            CHECK(says(b, m, 16, LL_READ, r->form, r->t, want));
        }
    }
}

static void the_column_that_does_not_fit_is_named(void) {
    row_of r = {LL_SM90, LL_FORM_MATRIX, 3, 5, 16, {0, 1, 2, 0}, "ldmatrix"};
    check_misfits(&r);
    r.registers = 6;
    check_misfits(&r);
    row_of trans = {LL_SM90, LL_FORM_TRANS, 1, 5, 16, {3, 4, 5, 0},
                    "ldmatrix.trans"};
    check_misfits(&trans);
    row_of amd = {LL_GFX950, LL_FORM_TRANS, 2, 6, 8, {1, 2, 0, 0},
                  "ds_read_tr"};
    check_misfits(&amd);
    amd.t.hops = 0; /* the name is that of 64 lanes */
    check_misfits(&amd);
}

/* No form, no such operation, no memory for an element, and 32 columns. */
static void a_matrix_without_a_form_has_a_reason(void) {
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    char want[200];
    for (unsigned form = LL_MAX_FORMS; form < LL_MAX_FORMS + 3u; ++form) {
        CHECK(says(a, rows, 16, LL_READ, form, LL_SM90,
                   "ldmatrix.trans: not available on this target\n"));
    }
    CHECK(says(a, rows, 16, LL_WRITE + 1u, LL_FORM_MATRIX, LL_SM90,
               "stmatrix: not available on this target\n"));
    snprintf(want, sizeof want, "ldmatrix: %s\n", ll_strerror(LL_ENOSOLUTION));
    CHECK(says(a, L("offset: j0 j1 -> j=64 | i=64"), 16, LL_READ,
               LL_FORM_MATRIX, LL_SM90, want));
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << 27);
    ll_layout copies = ll_zero(ll_with(in, LL_LANE, 32), rows.out);
    copies.basis[0] = 1;
    copies.basis[27] = 2;
    copies.basis[28] = 4;
    CHECK(says(copies, rows, 16, LL_READ, LL_FORM_MATRIX, LL_SM90,
               "ldmatrix: registers must fill words and hold no copies\n"));
}

/* ---- Slices and boxes of a tile ------------------------------------------ */

/* PTX ISA, "Shared memory matrix layout": bits of the address that the swizzle
 * XORs with those above. */
static unsigned swizzled_byte(unsigned byte, const ll_ptx_desc *d) {
    return d->atom == 32u         ? byte ^ (byte >> 7 & 3u) << 5
           : d->swizzle == 128u ? byte ^ (byte >> 7 & 7u) << 4
           : d->swizzle == 64u  ? byte ^ (byte >> 7 & 3u) << 4
           : d->swizzle == 32u  ? byte ^ (byte >> 7 & 1u) << 4
                                : byte;
}

static unsigned byte_of(ll_layout x, unsigned i, unsigned j, unsigned bits) {
    const unsigned at = ll_apply(x, ll_pack(x.in, LL_I, i) |
                                        ll_pack(x.in, LL_J, j));
    return at * (bits / 8u);
}

/* An instruction adds the offsets of the lowest slice to the address before the
 * swizzle; it has to find element i + r, j + c of the tile. */
static unsigned check_slices(ll_layout a, unsigned rows, unsigned cols,
                             unsigned bits) {
    const ll_layout x = ll_inv(a);
    const unsigned m = ll_size(a.out, LL_I), k = ll_size(a.out, LL_J);
    unsigned found = 0;
    const ll_ptx_desc first = ll_ptx_desc_of(a, rows, cols, bits);
    if (first.err) {
        CHECK(ll_ptx_desc_slice(a, rows, cols, bits, 0, 0).err == first.err);
        return 0;
    }
    for (unsigned i = 0; i < m + rows; i += rows) {
        for (unsigned j = 0; j < k + cols; j += cols) {
            const ll_ptx_desc d =
                ll_ptx_desc_slice(a, rows, cols, bits, i, j);
            if (i >= m || j >= k) {
                CHECK(d.err == LL_EBOX);
                continue;
            }
            CHECK(d.err || d.at % 16u == 0);
            CHECK(!d.err || (d.err == LL_ESTRIDE && i + j));
            found += d.err == LL_OK;
            for (unsigned r = 0; !d.err && r < rows; ++r) {
                for (unsigned c = 0; c < cols; ++c) {
                    const unsigned low =
                        swizzled_byte(byte_of(x, r, c, bits), &d);
                    CHECK(swizzled_byte(d.at + low, &d) ==
                          byte_of(x, i + r, j + c, bits));
                }
            }
        }
    }
    CHECK(ll_ptx_desc_slice(a, rows, cols, bits, rows / 2u, 0).err == LL_EBOX);
    CHECK(ll_ptx_desc_slice(a, rows, cols, bits, 0, cols / 2u).err == LL_EBOX);
    return found;
}

static void slices_are_found_behind_the_first(void) {
    for (unsigned swizzle = 32; swizzle <= 128u; swizzle *= 2u) {
        for (unsigned bits = 8; bits <= 32u; bits *= 2u) {
            const unsigned k = 256u / bits;
            const ll_layout a = ll_ptx_smem_k(128, 4u * k, bits, swizzle);
            CHECK(check_slices(a, 64, k, bits) == 8u);
            if (bits == 16u) {
                CHECK(check_slices(ll_ptx_smem_mn(128, 64, 16, swizzle, 16), 64,
                                   16, 16) == 8u);
            }
        }
    }
    for (unsigned k = 0; k < 10u; ++k) { /* an XOR with a row or column */
        ll_layout a = ll_ptx_smem_k(64, 64, 16, 32);
        for (unsigned b = 0; b < 12u; ++b) {
            a.basis[b] ^= a.basis[b] == ll_pack(a.out, LL_J, 16)
                              ? k < 6u ? ll_pack(a.out, LL_I, 1u << k)
                                       : ll_pack(a.out, LL_J, 1u << (k - 6u))
                              : 0u;
        }
        CHECK(ll_ptx_desc_of(a, 64, 16, 16).err == LL_OK);
        CHECK(ll_ptx_desc_slice(a, 64, 16, 16, 0, 16).err == LL_ESTRIDE);
        CHECK(check_slices(a, 64, 16, 16) == 2u); /* the first, and 32 */
    }
    const ll_layout wide = ll_ptx_smem_k(8, 1u << 17, 8, 32);
    CHECK(ll_ptx_desc_slice(wide, 8, 32, 8, 0, 1u << 16).at == 1u << 19);
    CHECK(ll_ptx_desc_slice(ll_row_major(ll_shape_of("j=64 i=64")), 64, 16, 16,
                            0, 16).err == LL_EATOM);
}

/* Boxes cover the tile once, and each lies in shared memory as the first one.
 * A box of twice the size, either way, is none. */
static void check_boxes(ll_layout a, unsigned bits, unsigned copies) {
    static unsigned char seen[1 << 16];
    const ll_layout x = ll_inv(a);
    const unsigned m = ll_size(a.out, LL_I), k = ll_size(a.out, LL_J);
    const ll_ptx_tensor t = ll_ptx_tensor_of(a, m, k, bits);
    const unsigned high = t.box[t.mn_major ? 0 : 1];
    const unsigned wide = t.box[t.mn_major ? 1 : 0];
    CHECK(t.err == LL_OK && t.copies == copies);
    CHECK(high * wide * t.copies == m * k && high <= 256u && wide <= 256u);
    CHECK(t.swizzle == 0 || t.box[0] * bits / 8u == t.swizzle);
    const ll_ptx_desc first = ll_ptx_tma_of(a, high, wide, bits);
    CHECK(first.swizzle == t.swizzle && first.atom == t.atom &&
          first.mn_major == t.mn_major);
    CHECK(high == m || ll_ptx_tma_of(a, 2u * high, wide, bits).err);
    CHECK(wide == k || ll_ptx_tma_of(a, high, 2u * wide, bits).err);
    memset(seen, 0, sizeof seen);
    for (unsigned n = 0; n < t.copies && !t.err; ++n) {
        const ll_ptx_box b = ll_ptx_tensor_box(a, t, m, bits, n);
        CHECK(b.i + high <= m && b.j + wide <= k);
        for (unsigned e = 0; e < high * wide; ++e) {
            const unsigned r = e % high, c = e / high;
            const unsigned byte = byte_of(x, b.i + r, b.j + c, bits);
            CHECK(byte == b.at + byte_of(x, r, c, bits));
            CHECK(!seen[byte * 8u / bits % sizeof seen]);
            seen[byte * 8u / bits % sizeof seen] = 1;
        }
    }
    CHECK(ll_ptx_tensor_box(a, t, m, bits, t.copies).at == ~0u);
    CHECK(ll_ptx_tensor_box(a, t, m, bits, t.copies + 1u).at == ~0u);
}

static void boxes_of_a_tensor_map_fill_the_tile(void) {
    check_boxes(ll_ptx_smem_k(64, 256, 16, 128), 16, 4);
    check_boxes(ll_ptx_smem_k(128, 64, 8, 64), 8, 1);
    check_boxes(ll_ptx_smem_k(128, 64, 16, 64), 16, 2);
    check_boxes(ll_ptx_smem_mn(64, 256, 16, 128, 16), 16, 1);
    check_boxes(ll_ptx_smem_mn(256, 64, 16, 128, 16), 16, 32);
    check_boxes(ll_row_major(ll_shape_of("j=64 i=64")), 16, 1);
    check_boxes(ll_row_major(ll_shape_of("j=64 i=512")), 16, 2);
    check_boxes(ll_col_major(ll_shape_of("j=512 i=64")), 16, 2);
    const ll_layout a = ll_row_major(ll_shape_of("j=64 i=64"));
    CHECK(ll_ptx_tensor_of(a, 128, 64, 16).err == LL_EBOX);
    const ll_layout mixed = L("offset: i0 j0 i1 j1 i2 j2 i3 j3");
    CHECK(ll_ptx_tensor_of(mixed, 16, 16, 8).err == LL_ETENSOR);
    CHECK(ll_ptx_tma_of(mixed, 16, 16, 8).swizzle == 0);
    CHECK(ll_ptx_tma_of(mixed, 16, 16, 8).mn_major == 0);
    CHECK(ll_ptx_tma_of(mixed, 16, 16, 8).atom == 0);
    ll_ptx_tensor bad = ll_ptx_tensor_of(L("offset: i0 i0 j0"), 2, 2, 16);
    CHECK(bad.err == LL_ESINGULAR && bad.copies == 0);
    CHECK(ll_ptx_tensor_box(a, bad, 2, 16, 0).at == ~0u);
    ll_ptx_tensor t = ll_ptx_tensor_of(a, 64, 64, 16);
    t.box[0] = 32; /* not whole rows: the second one lies between them */
    t.copies = 2;
    CHECK(ll_ptx_tensor_box(a, t, 64, 16, 1).at == ~0u);
}

/* ---- Targets ------------------------------------------------------------- */

/* The lanes that are served together for an access of so many bytes, written
 * down for LL_SM90 and measured there (bench/results/gpu-nvidia-h200.json):
 * all 32, 16 neighbours, 8 neighbours. */
static int are_neighbours(const unsigned *basis, unsigned lanes) {
    unsigned n = 0;
    while (n < 6u && basis[n] == 1u << n) {
        ++n;
    }
    return 1u << n == lanes && (n == 6u || basis[n] == 0);
}

/* What the manuals say of each compute capability. Banks: CUDA C++ Programming
 * Guide, "Shared Memory": 32 banks of 32-bit words. Widest access: "Device
 * Memory Accesses": 16 bytes. Forms: PTX ISA, ldmatrix from sm_75 on, stmatrix
 * from sm_90 on, matrices of bytes in the families of sm_100, sm_110, sm_120.
 * Clusters: 8 blocks are portable, from sm_90 on. */
static void targets_are_those_of_the_manuals(void) {
    const char *known = " 75 80 86 87 88 89 90 100 103 110 120 121 ";
    for (unsigned sm = 0; sm < 200u; ++sm) {
        const ll_target t = ll_ptx_target(sm);
        const ll_target f = ll_ptx_family(sm);
        char name[16];
        snprintf(name, sizeof name, " %u ", sm);
        const int is = strstr(known, name) != NULL;
        CHECK(t.err == (is ? LL_OK : LL_ETARGET));
        CHECK(f.err == (is && sm >= 100u ? LL_OK : LL_ETARGET));
        CHECK(t.lanes == 32u && t.bank_bytes == 4u && t.access_bytes == 16u);
        CHECK(t.pairs == 0 && t.hops == 0 && t.swaps == 0);
        CHECK(t.blocks == (sm >= 90u ? 8u : 0u));
        for (unsigned op = 0; op < 2u; ++op) {
            for (unsigned width = 0; width < 3u; ++width) {
                CHECK(t.banks[op][width] == 32u);
                CHECK(are_neighbours(t.phase[op][width], 32u >> width));
            }
            const int has = op == LL_READ || sm >= 90u;
            CHECK((t.forms[op][LL_FORM_MATRIX] != 0) == has);
            CHECK((t.forms[op][LL_FORM_TRANS] != 0) == has);
            CHECK(t.forms[op][LL_FORM_BYTES] == 0);
            CHECK(f.err || f.forms[op][LL_FORM_BYTES] != 0);
        }
    }
}

/* Wide reads whose addresses ignore lane bit 0 or lane bit 1 are served for
 * twice as many lanes; those that ignore a higher bit, and writes, are not. */
static void merged_phases_of_wide_reads(void) {
    for (unsigned bit = 0; bit < 5u; ++bit) {
        for (unsigned width = 1; width <= 2u; ++width) {
            const ll_shape none = LL_ZERO;
            const unsigned bytes = 4u << width;
            ll_shape in = ll_with(none, LL_REGISTER, 1u << width);
            in = ll_with(in, LL_LANE, 32);
            ll_layout a = ll_zero(in, ll_with(none, LL_J, 16u << width));
            unsigned next = width;
            for (unsigned k = 0; k < width; ++k) {
                a.basis[k] = 1u << k;
            }
            for (unsigned k = 0; k < 5u; ++k) {
                a.basis[width + k] = k == bit ? 0u : 1u << next++;
            }
            const ll_layout m = ll_identity(16u << width, LL_OFFSET, LL_J);
            const unsigned phases = 1u << width;
            const unsigned merged = bit < 2u ? phases / 2u : phases;
            CHECK(ll_wavefronts(a, m, 32, bytes, LL_READ, LL_SM90) == merged);
            CHECK(ll_wavefronts(a, m, 32, bytes, LL_WRITE, LL_SM90) == phases);
        }
    }
}

/* What things cost, in eighths of a cycle of a multiprocessor, of a warp among
 * many. A wavefront and a word of a shuffle take the pipe of shared memory for
 * one cycle each. Byte permutes and selects have a throughput of 64 lanes a
 * cycle (CUDA C++ Programming Guide, "Arithmetic Instructions"), half a cycle
 * of a warp, and an eighth more is assumed; every other select runs in the pipe
 * of multiplications (bench/device/costs.cu: a third of a cycle each). Four schedulers
 * issue an instruction a cycle each, a shuffle in two turns; a quarter more is
 * assumed. Shuffles and logic wait for each other for 1.75 cycles (fitted to
 * conversions that were timed). To wait takes half a cycle in a warp and four
 * in a block. Of clusters ll_ptx_target assumes 8 cycles a wavefront of another
 * block's memory, and 200 to wait. */
static void costs_of_nvidia_are_those_told(void) {
    const unsigned sm[3] = {75, 90, 121};
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_target t = ll_ptx_target(sm[k]);
        CHECK(t.cost[LL_COST_MEMORY] == 8u && t.cost[LL_COST_SHUFFLE] == 8u);
        CHECK(t.cost[LL_COST_LOGIC] == 5u && t.cost[LL_COST_WARP] == 4u);
        CHECK(t.cost[LL_COST_SELECT] == 3u && t.cost[LL_COST_ISSUE] == 5u);
        CHECK(t.cost[LL_COST_START] == 14u && t.cost[LL_COST_BLOCK] == 32u);
        CHECK(t.cost[LL_COST_DSMEM] == 8u * 8u);
        CHECK(t.cost[LL_COST_CLUSTER] == 8u * 200u);
    }
}

/* The modes of descriptors: PTX ISA, "Matrix descriptor format" of wgmma, bits
 * 62 and 63: 1, 2, 3 for 128, 64, 32 bytes; "Shared memory descriptor" of
 * tcgen05, bits 61 to 63: 1 for 128 bytes of atoms of 32, then 2, 4, 6; bits 46
 * to 48 are 1. A box of the tensor copy engine has 256 elements at most along
 * each axis (CUDA driver API, cuTensorMapEncodeTiled). */
static void modes_are_those_of_the_manual(void) {
    const unsigned width[4] = {0, 128, 64, 32};
    const unsigned modes[4] = {0, 2, 4, 6};
    const ll_layout wide = ll_ptx_smem_mn(64, 64, 32, 128, 32);
    for (unsigned k = 0; k < 4u; ++k) {
        const unsigned cols = width[k] ? width[k] / 2u : 16u;
        const ll_ptx_desc d = ll_ptx_desc_of(
            ll_ptx_smem_k(64, cols, 16, width[k]), 64, cols, 16);
        CHECK(!d.err && d.swizzle == width[k]);
        CHECK(ll_ptx_desc_wgmma(d, 0) >> 62 == k);
        CHECK(ll_ptx_desc_tcgen05(d, 0) >> 61 == modes[k]);
        CHECK((ll_ptx_desc_tcgen05(d, 0) >> 46 & 7u) == 1u);
        CHECK((ll_ptx_desc_tcgen05(d, 0x3fff0) & 0x3fffu) == 0x3fffu);
    }
    const ll_ptx_desc w = ll_ptx_desc_of(wide, 64, 64, 32);
    CHECK(!w.err && w.atom == 32u && ll_ptx_desc_wgmma(w, 0) == 0);
    CHECK(ll_ptx_desc_tcgen05(w, 0) >> 61 == 1u);
    CHECK(ll_ptx_smem_mn(64, 64, 16, 128, 64).err == LL_EMODE);
    for (unsigned size = 256; size <= 512u; size *= 2u) {
        const unsigned err = size > 256u ? LL_EBOX : LL_OK;
        const unsigned tall[2] = {size, 8};
        const unsigned flat[2] = {8, size};
        CHECK(ll_ptx_tma_of(ll_row_major(ll_tensor(2, tall)), size, 8, 16)
                  .err == err);
        CHECK(ll_ptx_tma_of(ll_row_major(ll_tensor(2, flat)), 8, size, 16)
                  .err == err);
    }
}

static void matrices_of_other_targets_have_their_own_name(void) {
    const ll_layout a = ll_rows(64, 64, 2);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    char text[300];
    snprintf(text, sizeof text, "%s\n", ll_strerror(LL_ETARGET));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX, ll_ptx_target(12), text));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX,
               ll_amd_target(0x1201, 16), text));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX, LL_GFX1201,
               "transposing access: not available on this target\n"));
    CHECK(says(a, rows, 16, LL_WRITE, LL_FORM_TRANS, LL_GFX1100,
               "transposing access: not available on this target\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_TRANS, LL_GFX942,
               "ds_read_tr: not available on this target\n"));
}

/* Byte n of a lane, by the digits of a form: the lane that names its row, and
 * the byte in it. */
static unsigned from_lane(ll_form form, unsigned lane, unsigned n) {
    const unsigned x = n | lane << 4;
    unsigned from = 0;
    for (unsigned k = 0; k < 10u; ++k) {
        const unsigned digit = (unsigned)(form >> 4u * k) & 15u;
        from |= digit < 15u && x >> k & 1u ? 1u << digit : 0u;
    }
    return from; /* bits 0 up: the byte; 8 up: the lane */
}

/* Is a form what ldmatrix or stmatrix does with so many matrices? */
static int is_form(ll_form form, unsigned rows, unsigned bits, int trans,
                   unsigned n) {
    const ll_layout a = ll_ptx_matrix(rows, bits, trans, n);
    const ll_layout named = ll_ptx_matrix_rows(rows, n);
    int is = !a.err && !named.err;
    for (unsigned x = 0; is && x < 512u; ++x) {
        const unsigned lane = x % 32u;
        const unsigned byte = x / 32u;
        const unsigned reg = byte * 8u / bits;
        if (reg < ll_size(a.in, LL_REGISTER)) {
            const unsigned y = at(a, reg, lane, 0);
            const unsigned from = from_lane(form, lane, byte);
            const unsigned row = ll_apply(named, from >> 8);
            is = ll_unpack(a.out, LL_I, y) == ll_unpack(named.out, LL_I, row) &&
                 ll_unpack(a.out, ll_dim_of("matrix"), y) ==
                     ll_unpack(named.out, ll_dim_of("matrix"), row) &&
                 ll_unpack(a.out, LL_J, y) * bits / 8u + byte % (bits / 8u) ==
                     (from & 255u);
        }
    }
    return is;
}

static void forms_are_what_the_instructions_do(void) {
    const ll_target t = LL_SM100F;
    for (unsigned n = 1; n <= 4u; n *= 2u) {
        CHECK(is_form(t.forms[LL_READ][LL_FORM_MATRIX], 8, 16, 0, n));
        CHECK(is_form(t.forms[LL_WRITE][LL_FORM_MATRIX], 8, 16, 0, n));
        CHECK(is_form(t.forms[LL_READ][LL_FORM_TRANS], 8, 16, 1, n));
        CHECK(is_form(t.forms[LL_WRITE][LL_FORM_TRANS], 8, 16, 1, n));
        CHECK(is_form(t.forms[LL_WRITE][LL_FORM_BYTES], 8, 8, 1, n));
        CHECK(n == 4u || is_form(t.forms[LL_READ][LL_FORM_BYTES], 16, 8, 1, n));
    }
    CHECK(!is_form(t.forms[LL_READ][LL_FORM_MATRIX], 8, 16, 1, 1));
}

/* PTX ISA 9.0, "Target ISA Notes": the first target of each instruction that
 * moves data, or that a kernel needs to address and to wait. What is older than
 * sm_75, the first target here, is in all of them. */
static void moves_begin_with_the_target_of_the_manual(void) {
    static const struct {
        unsigned first;
        const char *instruction;
    } rows[] = {
        {75, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"},
        {75, "movmatrix.sync.aligned.m8n8.trans.b16"},
        {75, "shfl.sync.bfly.b32"}, {75, "match.any.sync.b32"},
        {75, "vote.sync.ballot.b32"}, {75, "prmt.b32"}, {75, "lop3.b32"},
        {75, "shf.l.wrap.b32"}, {75, "bfi.b32"}, {75, "mad.lo.u32"},
        {75, "ld.shared.v4.u32"}, {75, "st.shared.v4.u32"},
        {75, "fence.acq_rel.cta"}, {75, "bar.sync"}, {75, "barrier.sync"},
        {75, "mov.u32"}, {80, "redux.sync.or.b32"},
        {80, "cp.async.ca.shared.global 4"},
        {80, "cp.async.cg.shared.global 16"}, {90, "elect.sync"},
        {90, "stmatrix.sync.aligned.m8n8.x4.shared.b16"},
        {90, "ld.shared::cluster.u32"}, {90, "st.async.weak.shared::cluster"},
        {90, "cp.async.bulk.shared::cluster.global"},
        {90, "fence.proxy.async"}, {90, "barrier.cluster.arrive"},
        {90, "mapa.shared::cluster.u32"}, {90, "mov.u32 %cluster_ctarank"},
        {100, "ld.global.v8.b32"}, {100, "st.global.v8.b32"},
        {100, "ld.global.v4.b64"}, {100, "st.global.v4.b64"},
        {1000, "ld.shared.v8.b32"}, {1000, "st.shared.v8.b32"},
        {1000, "cp.async.cg.shared.global 4"},
        {1000, "cp.async.cg.shared.global 8"},
    };
    static const unsigned sm[] = {75, 80,  86,  87,  88,  89,
                                  90, 100, 103, 110, 120, 121};
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        for (unsigned n = 0; n < sizeof sm / sizeof sm[0]; ++n) {
            char target[16];
            snprintf(target, sizeof target, "sm_%u", sm[n]);
            CHECK(ll_ptx_has(target, rows[k].instruction) ==
                  (sm[n] >= rows[k].first));
        }
    }
}

/* ---- Words of operands --------------------------------------------------- */

static unsigned permutes(ll_plan p) {
    unsigned n = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        n += p.step[k].op == LL_OP_RENAME ? p.step[k].count : 0u;
    }
    return n;
}

/* Operand number f of an instruction, or its transpose. */
static ll_layout operand(unsigned f, unsigned rows, unsigned cols,
                         unsigned warps) {
    const ll_layout a = f % 5u == 0   ? ll_ptx_mma_a(rows, cols, 16, warps)
                        : f % 5u == 1 ? ll_ptx_mma_b(rows, cols, 16, warps)
                        : f % 5u == 2 ? ll_ptx_mma_c(rows, cols, warps)
                        : f % 5u == 3 ? ll_ptx_wgmma_a(rows, cols, 16, warps)
                                      : ll_ptx_wgmma_d(rows, cols, warps);
    return f < 5u ? a : ll_trans(a, "j i");
}

/* A word of an operand of 16 bits holds neighbours of a row or of a column.
 * With or without .trans, matrix accesses move both as they are, so that a
 * kernel written by hand permutes no bytes. */
static void operands_keep_their_words(void) {
    unsigned swizzled = 0;
    unsigned operands = 0;
    for (unsigned n = 0; n < 10u * 5u * 5u * 4u; ++n) {
        const unsigned rows = 16u << n / 10u % 5u;
        const unsigned cols = 16u << n / 50u % 5u;
        const ll_layout a = operand(n % 10u, rows, cols, 1u << n / 250u);
        const ll_layout from = ll_rows_for(a, 2);
        const ll_layout m[4] = {ll_ptx_smem_k(rows, cols, 16, 128),
                                ll_ptx_smem_k(cols, rows, 16, 128),
                                ll_ptx_smem_mn(rows, cols, 16, 128, 16),
                                ll_ptx_smem_mn(cols, rows, 16, 128, 16)};
        if (a.err) {
            continue;
        }
        ++operands;
        CHECK(permutes(ll_plan_of(from, a, 16, LL_SM90)) == 0);
        CHECK(permutes(ll_plan_of(a, from, 16, LL_SM90)) == 0);
        CHECK(permutes(ll_plan_by(from, a, 16, LL_SM90, LL_COPIES)) == 0);
        CHECK(permutes(ll_plan_of(from, a, 16, LL_SM80)) == 0 ||
              n % 10u == 1u || n % 10u > 4u); /* stores do not transpose */
        for (unsigned k = 0; k < 4u; ++k) {
            const ll_plan p = ll_plan_through(a, a, 16, LL_SM90, m[k]);
            CHECK(p.err == m[k].err || p.err == LL_EMATCH);
            CHECK(p.err || permutes(p) == 0);
            swizzled += !p.err;
        }
    }
    CHECK(operands == 720u && swizzled > 1000u);
}

static ll_ptx_desc major(unsigned mn, unsigned atom) {
    ll_ptx_desc d = LL_ZERO;
    d.swizzle = 128;
    d.atom = atom;
    d.mn_major = mn;
    return d;
}

static unsigned idesc(const char *types, unsigned blocks, unsigned m,
                      unsigned n) {
    const ll_ptx_idesc d =
        ll_ptx_idesc_of(types, blocks, m, n, major(0, 16), major(0, 16));
    CHECK(!d.err == !!d.bits);
    return d.bits;
}

static unsigned idesc_error(const char *types, unsigned blocks, unsigned m,
                            unsigned n, ll_ptx_desc a, ll_ptx_desc b) {
    const ll_ptx_idesc d = ll_ptx_idesc_of(types, blocks, m, n, a, b);
    CHECK(!d.err || d.bits == 0);
    CHECK(!d.err || d.bits == 0);
    return d.err;
}

/* PTX 9.1, tables 42 to 44, by hand: the sum in bits 4-5, A in 7-9, B in 10-12,
 * n / 8 in 17-22, m / 16 in 24-28; with scales their type in 23, m / 128 in
 * 27-28. */
static void instruction_descriptors_are_those_of_the_manual(void) {
    CHECK(idesc("kind::f16.f16.f16.f16", 1, 64, 8) == 0x04020000u);
    CHECK(idesc("kind::f16.f32.f16.f16", 1, 128, 128) == 0x08200010u);
    CHECK(idesc("kind::f16.f32.bf16.f16", 2, 256, 256) == 0x10400090u);
    CHECK(idesc("kind::tf32.f32.tf32.tf32", 1, 128, 64) == 0x08100910u);
    CHECK(idesc("kind::f8f6f4.f16.e4m3.e5m2", 1, 128, 64) == 0x08100400u);
    CHECK(idesc("kind::f8f6f4.f32.e2m3.e3m2", 1, 64, 64) == 0x04101190u);
    CHECK(idesc("kind::f8f6f4.f32.e2m1.e4m3", 2, 128, 16) == 0x08040290u);
    CHECK(idesc("kind::i8.s32.s8.u8", 1, 128, 48) == 0x080c00a0u);
    CHECK(idesc("kind::i8.s32.u8.s8", 2, 256, 32) == 0x10080420u);
    CHECK(idesc("kind::f16.f32.bf16.f16", 1, 32, 64) == 0x02100090u);
    CHECK(idesc("kind::mxf8f6f4.f32.e5m2.e2m1.ue8m0", 1, 128, 256) ==
          0x08c01480u);
    CHECK(idesc("kind::mxf4.f32.e2m1.e2m1.ue8m0", 2, 256, 64) == 0x10900480u);
    CHECK(idesc("kind::mxf4nvf4.f32.e2m1.e2m1.ue4m3", 1, 128, 64) ==
          0x08100480u);
    CHECK(idesc("kind::mxf4nvf4.f32.e2m1.e2m1.ue8m0", 1, 128, 64) ==
          0x08900480u);
    CHECK(ll_ptx_idesc_of("kind::f16.f32.f16.f16", 1, 128, 128, major(1, 16),
                          major(0, 16)).bits == 0x08208010u);
    CHECK(ll_ptx_idesc_of("kind::tf32.f32.tf32.tf32", 1, 128, 64, major(0, 16),
                          major(1, 32)).bits == 0x08110910u);
}

static void the_bytes_of_scales_have_their_place_in_the_descriptor(void) {
    ll_ptx_idesc d = ll_ptx_idesc_of("kind::mxf8f6f4.f32.e5m2.e2m1.ue8m0", 1,
                                     128, 256, major(0, 16), major(0, 16));
    CHECK(ll_ptx_idesc_scales(d, 1, 3).bits == 0x28c014b0u);
    CHECK(ll_ptx_idesc_scales(d, 3, 0).bits == 0x68c01480u);
    CHECK(ll_ptx_idesc_scales(d, 4, 0).err == LL_ESIZE);
    CHECK(ll_ptx_idesc_scales(d, 0, 4).err == LL_ESIZE);
    CHECK(ll_ptx_idesc_scales(d, 0, 4).bits == 0);
    d.err = LL_EM;
    CHECK(ll_ptx_idesc_scales(d, 0, 4).err == LL_EM);
}

static void instruction_descriptors_refuse_what_a_kind_lacks(void) {
    const ll_ptx_desc k = major(0, 16), mn = major(1, 16), wide = major(1, 32);
    const char *f16 = "kind::f16.f32.f16.f16", *i8 = "kind::i8.s32.s8.s8";
    ll_ptx_desc bad = k;
    bad.err = LL_EATOM;
    const char *const types[] = {
        "", "kind::f16", "kind::f16.f32.f16", "kind::f16.s32.f16.f16",
        "kind::f16.f32.f16.e4m3", "kind::tf32.f16.tf32.tf32",
        "kind::tf32.f32.f16.tf32", "kind::i8.f32.s8.s8", "kind::i8.s32.s8.s4",
        "kind::f8f6f4.f32.e4m3.s8", "kind::mxf8f6f4.f16.e4m3.e4m3.ue8m0",
        "kind::mxf8f6f4.f32.e4m3.e4m3", "kind::mxf8f6f4.f32.e4m3.e4m3.ue4m3",
        "kind::mxf4.f32.e4m3.e2m1.ue8m0", "kind::mxf4.f32.e2m1.e2m1.ue4m3",
        "kind::f16.f32.f16.f16.ue8m0", "kind::f4.f32.e2m1.e2m1"};
    for (unsigned t = 0; t < sizeof types / sizeof types[0]; ++t) {
        CHECK(idesc_error(types[t], 1, 128, 64, k, k) == LL_EOPERAND);
    }
    const unsigned ms[] = {0, 16, 96, 127, 256, 512};
    for (unsigned m = 0; m < 6u; ++m) {
        CHECK(idesc_error(f16, 1, ms[m], 64, k, k) == LL_EM);
        CHECK(idesc_error(f16, 3, ms[m], 64, k, k) == LL_EM);
    }
    CHECK(idesc_error(f16, 2, 64, 64, k, k) == LL_EM);
    CHECK(idesc_error(f16, 2, 32, 64, k, k) == LL_EM);
    CHECK(idesc_error(f16, 3, 32, 64, k, k) == LL_EM);
    CHECK(idesc_error("kind::mxf4.f32.e2m1.e2m1.ue8m0", 1, 32, 64, k, k) ==
          LL_EM);
    CHECK(idesc_error("kind::mxf4.f32.e2m1.e2m1.ue8m0", 1, 64, 64, k, k) ==
          LL_EM);
    CHECK(idesc_error("kind::mxf4.f32.e2m1.e2m1.ue8m0", 2, 128, 64, k, k) ==
          LL_OK);
    for (unsigned n = 0; n < 300u; ++n) {
        CHECK(idesc_error(f16, 1, 32, n, k, k) ==
              (n == 64u || n == 128u || n == 256u ? LL_OK : LL_EN));
        CHECK(!idesc_error(f16, 1, 64, n, k, k) ==
              (n >= 8u && n <= 256u && n % 8u == 0));
        CHECK(!idesc_error(f16, 2, 128, n, k, k) ==
              (n >= 16u && n <= 256u && n % 16u == 0));
        CHECK(!idesc_error(i8, 1, 128, n, k, k) ==
              (n == 8u || n == 24u ||
               (n >= 16u && n <= 256u && n % 16u == 0)));
        CHECK(!idesc_error(i8, 2, 256, n, k, k) ==
              (n >= 32u && n <= 256u && n % 32u == 0));
    }
    CHECK(idesc_error(f16, 1, 128, 64, mn, k) == LL_OK);
    CHECK(idesc_error(f16, 1, 128, 64, wide, k) == LL_EMODE);
    CHECK(idesc_error(f16, 1, 128, 64, bad, k) == LL_EATOM);
    CHECK(idesc_error(f16, 1, 128, 64, k, bad) == LL_EATOM);
    CHECK(idesc_error("kind::tf32.f32.tf32.tf32", 1, 128, 64, k, mn) ==
          LL_EMODE);
    CHECK(idesc_error("kind::f8f6f4.f32.e4m3.e2m3", 1, 128, 64, mn, k) ==
          LL_OK);
    CHECK(idesc_error("kind::f8f6f4.f32.e4m3.e2m3", 1, 128, 64, k, mn) ==
          LL_EMODE);
    CHECK(idesc_error("kind::mxf4.f32.e2m1.e2m1.ue8m0", 1, 128, 64, mn, k) ==
          LL_EMODE);
}

/* The boxes of all blocks fill the tile once, each where the tile lies. */
static void slices_of_a_multicast_fill_the_tile(void) {
    const unsigned widths[] = {0, 32, 64, 128};
    unsigned made = 0;
    for (unsigned x = 0; x < 4u * 4u * 2u * 3u; ++x) {
        const unsigned heights[] = {8, 64, 128, 256}; /* 8: slices of columns */
        const unsigned swizzle = widths[x % 4u], rows = heights[x / 4u % 4u];
        const unsigned mn = x / 16u % 2u, blocks = 2u << x / 32u, cols = 128;
        const ll_layout a = mn ? ll_ptx_smem_mn(rows, cols, 16, swizzle, 16)
                               : ll_ptx_smem_k(rows, cols, 16, swizzle);
        const ll_layout places = ll_inv(a);
        const ll_ptx_tensor t = ll_ptx_multicast_of(a, rows, cols, 16, blocks);
        unsigned char seen[256][128] = LL_ZERO;
        unsigned bad = 0, all = 0;
        if (t.err) {
            continue;
        }
        ++made;
        for (unsigned k = 0; k < blocks * t.copies; ++k) {
            const ll_ptx_box b = ll_ptx_multicast_box(
                a, t, rows, cols, 16, k / t.copies, k % t.copies);
            const unsigned high = t.mn_major ? t.box[0] : t.box[1];
            const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
            const unsigned first = b.at / 2u, rank = k / t.copies;
            /* a slice of rows, or of columns where they hold no box */
            bad += b.i + high > rows || b.j + wide > cols;
            const unsigned at = high <= rows / blocks ? b.i / (rows / blocks)
                                                      : b.j / (cols / blocks);
            bad += at != rank;
            for (unsigned i = 0; i < high && b.at != ~0u; ++i) {
                for (unsigned j = 0; j < wide; ++j) {
                    const unsigned to =
                        ll_apply(places, ll_pack(places.in, LL_I, b.i + i) ^
                                             ll_pack(places.in, LL_J, b.j + j));
                    bad += to < first || to >= first + high * wide ||
                           seen[(b.i + i) % 256u][(b.j + j) % 128u];
                    seen[(b.i + i) % 256u][(b.j + j) % 128u] = 1;
                    ++all;
                }
            }
        }
        CHECK(!bad && all == rows * cols);
        CHECK(ll_ptx_multicast_box(a, t, rows, cols, 16, blocks, 0).at == ~0u);
        CHECK(ll_ptx_multicast_box(a, t, rows, cols, 16, 0, t.copies).at ==
              ~0u);
    }
    CHECK(made > 75u);
    /* the last bit of a column is swizzled too: no boxes behind the first */
    const ll_layout even = ll_ptx_smem_k(64, 256, 16, 128);
    ll_layout odd = ll_inv(even);
    odd.basis[7] ^= 8u;
    odd = ll_inv(odd);
    const ll_ptx_tensor of_even = ll_ptx_multicast_of(even, 64, 256, 16, 8);
    CHECK(!of_even.err && of_even.copies == 4u);
    CHECK(ll_ptx_multicast_of(odd, 64, 256, 16, 8).err);
    for (unsigned n = 0; n < 4u; ++n) {
        CHECK(ll_ptx_multicast_box(even, of_even, 64, 256, 16, 1, n).at != ~0u);
        CHECK((ll_ptx_multicast_box(odd, of_even, 64, 256, 16, 1, n).at ==
               ~0u) == (n >= 2u));
    }
    const ll_layout a = ll_ptx_smem_k(64, 64, 16, 128);
    ll_ptx_tensor t = ll_ptx_multicast_of(a, 64, 64, 16, 2);
    CHECK(ll_ptx_multicast_box(a, t, 64, 64, 16, 1, 0).at == 4096u);
    t.err = LL_EBOX;
    CHECK(ll_ptx_multicast_box(a, t, 64, 64, 16, 1, 0).at == ~0u);
    const unsigned bad[] = {0, 1, 3, 16, 0x80000000u};
    for (unsigned k = 0; k < 5u; ++k) {
        CHECK(ll_ptx_multicast_of(a, 64, 64, 16, bad[k]).err == LL_EBOX);
    }
    CHECK(ll_ptx_multicast_of(ll_parse("?"), 64, 64, 16, 2).err);
}

/* Stages lie one behind the other, at multiples of the pattern. */
static void stages_are_aligned_to_their_pattern(void) {
    ll_ptx_tensor t = LL_ZERO;
    for (unsigned w = 0; w < 4u; ++w) {
        t.swizzle = w ? 16u << w : 0u;
        const unsigned pattern = w ? 128u << w : 128u;
        for (unsigned bytes = 1; bytes < 3000u; bytes += 7u) {
            const unsigned one = ll_ptx_stage(t, bytes, 1);
            CHECK(one % pattern == 0 && one >= bytes && one < bytes + pattern);
            CHECK(ll_ptx_stage(t, bytes, 0) == 0);
            CHECK(ll_ptx_stage(t, bytes, 5) == 5u * one);
        }
    }
}

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

/* The sums of mma.sync and wgmma become operand A of the next product, in types
 * of 4 to 32 bits, once its k is counted in the order that ll_absorb finds:
 * while they are floats, only registers get other names. */
static void sums_become_an_operand_in_the_order_of_absorb(void) {
    for (unsigned x = 0; x < 4u * 4u * 4u; ++x) {
        const unsigned bits = 4u << (x & 3u), groups = x >> 2 & 1u;
        const unsigned warps = groups ? 4u : 1u << (x >> 3 & 1u);
        const unsigned rows = 16u * warps << (x >> 4 & 1u);
        const unsigned cols = 64u << (x >> 5 & 1u);
        const ll_layout sums = groups ? ll_ptx_wgmma_d(rows, cols, warps)
                                      : ll_ptx_mma_c(rows, cols, warps);
        const ll_layout a = groups ? ll_ptx_wgmma_a(rows, cols, bits, warps)
                                   : ll_ptx_mma_a(rows, cols, bits, warps);
        const ll_layout s = ll_absorb(sums, a, LL_J);
        const ll_plan p =
            ll_plan_of(ll_renumber(sums, LL_J, s), a, 32, LL_SM90);
        CHECK(!s.err && ll_is_invertible(s) && !p.err);
        CHECK(p.kind == LL_REGISTERS || p.kind == LL_NOTHING);
        CHECK(p.cycles == 0);
        /* in their own order, only those of 16 bits stay where they are */
        const ll_plan q = ll_plan_of(sums, a, 32, LL_SM90);
        CHECK((q.kind == LL_REGISTERS || q.kind == LL_NOTHING) ==
              (bits == 16u));
    }
}

/* What untwiddling makes of word x. */
static unsigned untwiddled(const ll_ptx_twiddle *t, unsigned k, unsigned x) {
    const int s = t->shift[k];
    return (s < 0 ? x << -s : x >> s) & t->mask[k];
}

/* Instructions and results are linear in the bits of a word: that each single
 * bit comes where it belongs is the proof for all 2^32 words. */
static void each_bit_of_a_twiddled_word_comes_where_it_belongs(void) {
    for (unsigned x = 0; x < 4u * 12u; ++x) {
        const unsigned bits = x & 1u ? 4 : 2, to = x & 2u ? 16 : 8;
        const unsigned room = x / 4u % 12u + 4u;
        const ll_layout s = ll_ptx_twiddled(bits, to, room < to ? room : to);
        const ll_ptx_twiddle t =
            ll_ptx_untwiddle(s, to, room < to ? room : to);
        CHECK(!s.err && !t.err && t.words == to / bits);
        for (unsigned o = 0; o < 32u; ++o) {
            const unsigned y = ll_apply(s, o);
            const unsigned e = ll_unpack(s.out, ll_dim_of("e"), y);
            const unsigned b = ll_unpack(s.out, ll_dim_of("bit"), y);
            for (unsigned k = 0; k < t.words; ++k) {
                const unsigned each = 32u / to;
                const unsigned want =
                    e / each == k ? 1u << (e % each * to + t.at[k] + b) : 0u;
                CHECK(untwiddled(&t, k, 1u << o) == want);
                CHECK(t.at[k] + bits <= room);
            }
        }
    }
}

/* The fewest shifts for words whose numbers lie `above` their places: of all
 * sets of up to `most` shifts. */
static unsigned shifts_for(const int *above, unsigned words, int spare) {
    unsigned best = 99;
    for (unsigned set = 0; set < 1u << words; ++set) {
        unsigned served = 0, n = 0;
        for (unsigned k = 0; k < words; ++k) {
            n += set >> k & 1u;
            served += above[k] >= 0 && above[k] <= spare;
            for (unsigned m = 0; m < words && !(above[k] >= 0 &&
                                                above[k] <= spare); ++m) {
                if ((set >> m & 1u) && above[k] >= above[m] &&
                    above[k] <= above[m] + spare) {
                    ++served;
                    break;
                }
            }
        }
        best = served == words && n < best ? n : best;
    }
    return best;
}

/* All 8! orders of the numbers of 4 bits in a word, layouts or not. */
static unsigned fewest_of_all_orders(unsigned to, unsigned room) {
    unsigned order[8] = {0, 1, 2, 3, 4, 5, 6, 7}, at[8] = LL_ZERO;
    unsigned best = ~0u;
    const unsigned each = 32u / to, words = to / 4u;
    for (unsigned k = 0; k < 8u;) {
        if (k == 0) { /* order[e]: the place of element e */
            int above[8] = LL_ZERO;
            unsigned alike = 1;
            for (unsigned e = 0; e < 8u; ++e) {
                const int d = (int)(4u * order[e]) - (int)(e % each * to);
                alike = alike && (e % each == 0 || above[e / each] == d);
                above[e / each] = d;
            }
            if (alike) {
                const unsigned n =
                    words + shifts_for(above, words, (int)room - 4);
                best = n < best ? n : best;
            }
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

static void no_order_of_a_word_unpacks_in_fewer_instructions(void) {
    const unsigned known[][3] = {
        {16, 10, 5}, {16, 7, 7}, {16, 16, 4}, {8, 8, 2}, {8, 4, 3}, {16, 4, 7}};
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned to = known[k][0], room = known[k][1];
        const ll_ptx_twiddle t =
            ll_ptx_untwiddle(ll_ptx_twiddled(4, to, room), to, room);
        CHECK(!t.err && t.instructions == known[k][2]);
        CHECK(t.instructions == fewest_of_all_orders(to, room));
    }
}

/* Weights lie in files in the order of a storage: it must not change. */
static void storages_are_as_they_ever_were(void) {
    static const struct {
        unsigned bits, to;
        const char *storage;
    } list[] = {
        {2, 8, "offset: bit0 e2 e3 e0 e1 -> bit=2 | e=16"},
        {2, 16, "offset: bit0 e1 e2 e3 e0 -> bit=2 | e=16"},
        {4, 8, "offset: bit0 bit1 e2 e0 e1 -> bit=4 | e=8"},
        {4, 16, "offset: bit0 bit1 e1 e2 e0 -> bit=4 | e=8"},
    };
    for (unsigned k = 0; k < 4u; ++k) {
        for (unsigned room = list[k].bits; room <= list[k].to; ++room) {
            CHECK(ll_is_equal(ll_ptx_twiddled(list[k].bits, list[k].to, room),
                              L(list[k].storage)));
        }
    }
}

static void words_that_cannot_be_untwiddled_are_refused(void) {
    static const struct {
        const char *storage;
        unsigned to, err;
    } list[] = {
        {"offset: bit0 bit1 e0 e1 e2 | 1: e0", 8, LL_EMATCH},
        {"offset: bit0 bit0 e0 e1 e2 -> bit=4 | e=8", 8, LL_EMATCH},
        {"offset: bit0 bit1 e0 e1 e2 k0", 8, LL_EMATCH},
        {"offset: bit0 bit1 e0 e1", 8, LL_EMATCH},
        {"offset: bit0 bit1 bit2 e0 e1", 8, LL_ETWIDDLE},
        {"offset: e0 e1 e2 e3 e4", 8, LL_ETWIDDLE},
        {"offset: bit0 bit1 e0 e1 e2", 8, LL_EUNPACK},
        /* word 1 would do, but word 0 would not */
        {"offset: bit0 e2 bit1^e2 e0 e1", 8, LL_EUNPACK},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_ptx_twiddle t =
            ll_ptx_untwiddle(L(list[k].storage), list[k].to, list[k].to);
        CHECK(t.err == list[k].err && t.instructions == 0);
        CHECK(t.words == 0 || t.err == LL_EUNPACK);
    }
    const ll_layout plain = ll_parse("offset: bit0 bit1 e0 e1 e2");
    const ll_layout good = ll_ptx_twiddled(4, 16, 10);
    CHECK(ll_ptx_untwiddle(plain, 16, 10).err == LL_EUNPACK);
    CHECK(ll_ptx_untwiddle(plain, 8, 8).err == LL_EUNPACK);
    CHECK(ll_ptx_untwiddle(good, 8, 8).err == LL_EUNPACK);
    CHECK(ll_ptx_untwiddle(good, 32, 8).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(good, 0, 8).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(good, 16, 3).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(good, 16, 17).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(ll_parse("?"), 16, 10).err == LL_EMATCH);
    CHECK(ll_ptx_untwiddle(ll_parse("offset: e0 e1 e2"), 16, 10).err ==
          LL_EMATCH);
    CHECK(ll_ptx_untwiddle(ll_parse("offset: i0 i1 i2 i3 i4"), 16, 10).err);
    CHECK(ll_ptx_twiddled(8, 16, 10).err == LL_ETWIDDLE);
    CHECK(ll_ptx_twiddled(1, 16, 10).err == LL_ETWIDDLE);
    CHECK(ll_ptx_twiddled(4, 4, 4).err == LL_ETWIDDLE);
}

/* ---- Limits of descriptors ----------------------------------------------- */

/* K-major tiles of 16 bits with the 128-byte swizzle: an atom is 8 rows of 64,
 * 1024 bytes. Row bit 3 lies at offset bit 9 + up, so that the box of 16 rows
 * has two atoms that are 1024 << up bytes apart. */
static void distances_of_atoms_fit_their_fields(void) {
    for (unsigned up = 0; up < 11u; ++up) {
        ll_layout a = ll_ptx_smem_k(8u << 11, 64, 16, 128);
        const unsigned third = a.basis[9];
        a.basis[9] = a.basis[9u + up];
        a.basis[9u + up] = third;
        const ll_ptx_desc d = ll_ptx_desc_of(a, 16, 64, 16);
        const unsigned bytes = 1024u << up;
        CHECK(d.err ==
              (bytes < 1u << 18 ? (unsigned)LL_OK : (unsigned)LL_ESTRIDE));
        CHECK(d.err || (d.sbo == bytes && d.swizzle == 128u));
    }
    /* the second atom begins inside of another one */
    ll_layout x = ll_inv(ll_ptx_smem_k(32, 64, 16, 128));
    x.basis[6 + 3] ^= x.basis[6 + 4];
    CHECK(ll_ptx_desc_of(ll_inv(x), 16, 64, 16).err == LL_ESTRIDE);
    CHECK(ll_ptx_desc_of(ll_inv(x), 8, 64, 16).err == LL_OK);
    /* 4 rows of 16 bytes, where an atom has 8 */
    CHECK(ll_ptx_desc_of(L("offset: j0 j1 j2 i0 i1 j3"), 4, 16, 16).err ==
          LL_ESTRIDE);
    CHECK(ll_ptx_desc_of(L("offset: j0 j1 j2 i0 i1 i2 j3"), 4, 16, 16).lbo ==
          128u);
}

/* A descriptor adds the start of the slice to what its box reaches: the two may
 * not have bits in common. In a K-major atom, place i, j is at byte 128 i + 2 j
 * before the swizzle, which XORs i to the number of the piece of 8 elements; in
 * one that is M-major, i and j change places. One piece needs no swizzle. */
static void slices_begin_where_their_boxes_do_not_reach(void) {
    const ll_layout k = ll_ptx_smem_k(8, 64, 16, 128);
    const ll_layout mn = ll_ptx_smem_mn(64, 8, 16, 128, 16);
    for (unsigned n = 0; n < 64u; ++n) {
        const unsigned line = n % 8u;
        const unsigned piece = n / 8u * 8u;
        const unsigned at = 128u * line + 2u * (piece ^ 8u * line);
        CHECK(ll_ptx_desc_slice(k, 1, 8, 16, line, piece).at == at);
        CHECK(ll_ptx_desc_slice(mn, 8, 1, 16, piece, line).at == at);
        CHECK(ll_ptx_desc_slice(k, 1, 64, 16, line, 0).at == 128u * line);
        CHECK(ll_ptx_desc_slice(mn, 64, 1, 16, 0, line).at == 128u * line);
    }
    CHECK(ll_ptx_desc_slice(k, 8, 4, 16, 0, 4).err == LL_ESTRIDE); /* byte 8 */
    for (unsigned major = 0; major < 2u; ++major) {
        const ll_layout a = major ? ll_ptx_smem_mn(128, 64, 16, 128, 16)
                                  : ll_ptx_smem_k(64, 128, 16, 128);
        const ll_layout plain = ll_inv(a); /* j from bit 0, then i */
        const unsigned cols = plain.in.bits[0];
        const unsigned last = cols + plain.in.bits[1] - 1u; /* behind the box */
        for (unsigned bit = 0; bit < last; ++bit) {
            ll_layout x = plain;
            x.basis[last] ^= x.basis[bit];
            const unsigned rows = 1u << (plain.in.bits[1] - 1u);
            const ll_layout b = ll_inv(x);
            CHECK(ll_ptx_desc_slice(b, rows, 1u << cols, 16, rows, 0).err ==
                  LL_ESTRIDE);
            /* a box of one column, or of one row, meets only its own bits */
            const unsigned narrow = ll_ptx_desc_slice(b, rows, 1, 16, rows,
                                                      0).err;
            CHECK(bit < cols || narrow == LL_ESTRIDE);
        }
        for (unsigned bit = 0; bit + 1u < cols; ++bit) {
            ll_layout x = plain;
            x.basis[cols - 1u] ^= x.basis[bit];
            const ll_layout b = ll_inv(x);
            const unsigned half = 1u << (cols - 1u);
            CHECK(ll_ptx_desc_slice(b, 1, half, 16, 0, half).err ==
                  LL_ESTRIDE);
        }
    }
}

static void boxes_of_other_sizes_have_no_descriptor(void) {
    CHECK(ll_ptx_smem_k(24, 64, 16, 128).err == LL_EBOX);
    CHECK(ll_ptx_smem_k(64, 96, 16, 128).err == LL_EBOX);
    CHECK(ll_ptx_smem_k(1u << 25, 64, 16, 128).err == LL_OK);
    CHECK(ll_ptx_smem_k(1u << 26, 64, 16, 128).err == LL_EBOX);
    CHECK(ll_ptx_smem_k(8, 1u << 28, 16, 128).err == LL_OK);
    CHECK(ll_ptx_smem_k(8, 1u << 29, 16, 128).err == LL_EBOX);
    /* one axis is missing */
    CHECK(ll_ptx_desc_of(L("offset: j0 j1 j2 j3 j4 j5"), 1, 64, 16).err ==
          LL_EBOX);
    CHECK(ll_ptx_desc_of(L("offset: i0 i1 i2 i3 i4 i5"), 64, 1, 16).err ==
          LL_EBOX);
    /* 2^32 places: the axes end with the last column */
    const ll_layout most = L("offset: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 j12"
                             " j13 j14 j15 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 "
                             "i11 i12 i13 i14 i15");
    CHECK(ll_ptx_desc_of(most, 1, 8, 16).err == LL_OK);
    CHECK(ll_ptx_desc_slice(most, 1, 8, 16, 0, 8).at == 16u);
    ll_ptx_desc d = ll_ptx_desc_of(ll_ptx_smem_k(8, 64, 16, 128), 8, 64, 16);
    CHECK(ll_size(ll_ptx_desc_places(d, 1, 1, 16).out, LL_OFFSET) == 1u);
    d = ll_ptx_desc_slice(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16, 0, 16);
    CHECK((ll_ptx_desc_wgmma(d, 1024) & 0x3fffu) == (1024u + 32u) / 16u);
}

/* Register r of a lane of the upper half holds column r + split. */
static void halves_of_tensor_memory_overlap(void) {
    for (unsigned bits = 16; bits <= 32u; bits += 16u) {
        for (unsigned n = 1; n <= 32u; n *= 2u) {
            for (unsigned split = 1; split <= 32u; split *= 2u) {
                const unsigned columns = n * (32u / bits);
                const unsigned most = columns > split ? columns : split;
                const ll_layout a = ll_ptx_tmem_x2(n, bits, split);
                CHECK(a.err == LL_OK);
                CHECK(ll_size(a.in, LL_REGISTER) == columns);
                CHECK(ll_size(a.out, LL_TCOL) == 2u * most);
                const unsigned y = ll_apply(
                    a, ll_pack(a.in, LL_REGISTER, columns - 1u) |
                           ll_pack(a.in, LL_LANE, 16));
                CHECK(ll_unpack(a.out, LL_TCOL, y) ==
                      ((columns - 1u) ^ split));
            }
        }
    }
}

/* A file that no compiler for GPUs reads is for sm_90, without a suffix and
 * without accesses of 32 bytes. */
static void a_file_without_a_target_is_for_sm_90(void) {
    const ll_target here = LL_TARGET_HERE, sm_90 = LL_SM90;
    CHECK(LL_PTX_SM_ == 90u && !LL_PTX_FAMILY_ && !LL_PTX_WIDE);
    CHECK(here.err == LL_OK && here.blocks == sm_90.blocks);
}

/* What a compiler for a target defines, here by hand. */
#undef LL_PTX_SM_
#undef LL_PTX_FAMILY_
#define LL_PTX_SM_ sm
#define LL_PTX_FAMILY_ family

static int is_target(ll_target a, ll_target b) {
    return a.err == b.err && a.lanes == b.lanes && a.copies == b.copies &&
           a.blocks == b.blocks && memcmp(a.forms, b.forms, sizeof a.forms) ==
           0 && memcmp(a.cost, b.cost, sizeof a.cost) == 0;
}

/* The suffix `a` or `f` brings matrices of bytes from sm_100 on; sm_90a has the
 * forms of sm_90 (PTX ISA, ldmatrix). */
static void a_file_is_planned_for_its_target(void) {
    static const unsigned all[] = {75, 80, 86, 89, 90, 100, 103, 110, 120};
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        for (unsigned family = 0; family < 2u; ++family) {
            const unsigned sm = all[k];
            const ll_target here = LL_TARGET_HERE;
            CHECK(here.err == LL_OK);
            CHECK((here.forms[LL_READ][LL_FORM_BYTES] != 0) ==
                  (family && sm >= 100u));
            CHECK(is_target(here, family && sm >= 100u ? ll_ptx_family(sm)
                                                       : ll_ptx_target(sm)));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(fragments_are_those_of_the_manual);
    RUN(warps_of_a_tensor_meet);
    RUN(operands_hold_each_element_and_fit);
    RUN(metadata_and_scales_fit_their_operands);
    RUN(loads_and_tensor_memory_lose_nothing);
    RUN(metadata_of_narrow_elements);
    RUN(accumulators_of_any_columns);
    RUN(swizzles_reach_above_their_atoms);
    RUN(metadata_of_a_short_k);
    RUN(tiles_fill_any_tensor);
    RUN(swizzles_are_their_formulas);
    RUN(swizzle_modes_move_pieces_by_lines);
    RUN(descriptors_lead_back_to_their_tiles);
    RUN(other_layouts_have_no_descriptor);
    RUN(a_box_has_its_swizzle);
    RUN(any_parameters_are_answered);
    RUN(matrices_that_do_not_fit_have_a_reason);
    RUN(slices_are_found_behind_the_first);
    RUN(boxes_of_a_tensor_map_fill_the_tile);
    RUN(the_column_that_does_not_fit_is_named);
    RUN(a_matrix_without_a_form_has_a_reason);
    RUN(targets_are_those_of_the_manuals);
    RUN(merged_phases_of_wide_reads);
    RUN(costs_of_nvidia_are_those_told);
    RUN(modes_are_those_of_the_manual);
    RUN(matrices_of_other_targets_have_their_own_name);
    RUN(forms_are_what_the_instructions_do);
    RUN(moves_begin_with_the_target_of_the_manual);
    RUN(operands_keep_their_words);
    RUN(instruction_descriptors_are_those_of_the_manual);
    RUN(the_bytes_of_scales_have_their_place_in_the_descriptor);
    RUN(instruction_descriptors_refuse_what_a_kind_lacks);
    RUN(slices_of_a_multicast_fill_the_tile);
    RUN(stages_are_aligned_to_their_pattern);
    RUN(tiles_turn_through_registers_without_conflicts);
    RUN(tiles_of_any_kind_turn_by_as_few_wavefronts_as_ever);
    RUN(tiles_that_turn_are_known);
    RUN(sums_become_an_operand_in_the_order_of_absorb);
    RUN(each_bit_of_a_twiddled_word_comes_where_it_belongs);
    RUN(no_order_of_a_word_unpacks_in_fewer_instructions);
    RUN(storages_are_as_they_ever_were);
    RUN(words_that_cannot_be_untwiddled_are_refused);
    RUN(distances_of_atoms_fit_their_fields);
    RUN(slices_begin_where_their_boxes_do_not_reach);
    RUN(boxes_of_other_sizes_have_no_descriptor);
    RUN(halves_of_tensor_memory_overlap);
    RUN(a_file_without_a_target_is_for_sm_90);
    RUN(a_file_is_planned_for_its_target);
    return test_end();
}
