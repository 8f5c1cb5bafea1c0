/* test_ptx_descriptors.c - swizzles of shared memory, and descriptors of shared
 * memory and of instructions.
 * SPDX-License-Identifier: MIT
 *
 * Swizzles and fields are compared with the manual's formulas. A descriptor
 * leads back to the layout that it describes, or is refused.
 */
#define LL_TENSOR 1
#include "test.h"

#include "../bench/device/padded.h"
#include "../ll_amd.h"
#include "../ll_ptx.h"

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

/* ---- Words of operands --------------------------------------------------- */

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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(swizzles_reach_above_their_atoms);
    RUN(swizzles_are_their_formulas);
    RUN(swizzle_modes_move_pieces_by_lines);
    RUN(descriptors_lead_back_to_their_tiles);
    RUN(other_layouts_have_no_descriptor);
    RUN(a_box_has_its_swizzle);
    RUN(any_parameters_are_answered);
    RUN(instruction_descriptors_are_those_of_the_manual);
    RUN(the_bytes_of_scales_have_their_place_in_the_descriptor);
    RUN(instruction_descriptors_refuse_what_a_kind_lacks);
    RUN(distances_of_atoms_fit_their_fields);
    RUN(boxes_of_other_sizes_have_no_descriptor);
    return test_end();
}
