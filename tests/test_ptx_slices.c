/* test_ptx_slices.c - slices, boxes and stages of a tile in shared memory.
 * SPDX-License-Identifier: MIT
 *
 * Each is compared byte by byte with the tile that it is a part of.
 */
#define LL_TENSOR 1
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

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

/* ---- Words of operands --------------------------------------------------- */

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

/* ---- Limits of descriptors ----------------------------------------------- */

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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(slices_are_found_behind_the_first);
    RUN(boxes_of_a_tensor_map_fill_the_tile);
    RUN(slices_of_a_multicast_fill_the_tile);
    RUN(stages_are_aligned_to_their_pattern);
    RUN(slices_begin_where_their_boxes_do_not_reach);
    return test_end();
}
