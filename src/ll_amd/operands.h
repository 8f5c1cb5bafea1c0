/* ---- Register layouts of matrix instructions -------------------------- */
#ifndef LL_AMD_OPERANDS_H
#define LL_AMD_OPERANDS_H

#include "../ll/layout/shapes.h"
#include "target.h"

/* Registers count elements, even if several elements share a VGPR. The first of
 * them is in the low bits. A 64-bit element takes two VGPRs. i is the row and j
 * the column of the operand itself: A is m x k, B is k x n, and the accumulator
 * (C and D alike) is m x n. If an instruction multiplies several matrices at
 * once, b counts these blocks. Only the size of an element matters, not its
 * type. A sparse A is m x k. Names end in the letters of the manuals: _a and
 * _b, _c for the accumulator, _k for the index of a sparse A.
 *
 * These functions return the operands of one instruction. ll_tiled repeats them
 * over a tensor, here on 2 x 2 warps:
 *
 * Example: ll_tiled(ll_amd_mfma_a(32, 8, 1, 16), ll_shape_of("j=8 i=128"),
 *                   ll_shape_of("i=2 k=2")) is
 *          L("register: j0 j1 i6 | lane: i0 i1 i2 i3 i4 j2 | warp: i5 0");
 * Example: ll_tiled(ll_amd_mfma_b(8, 32, 1, 16), ll_shape_of("i=8 j=64"),
 *                   ll_shape_of("k=2 j=2")) is L("register: i0 i1 | "
 *          "lane: j0 j1 j2 j3 j4 i2 | warp: 0 j5 -> i=8 | j=64");
 *
 * In a dense matrix multiply k is only a label: the result does not change if k
 * is permuted in A and B alike. With some modifiers one register of one lane is
 * read for several elements. Then hardware to matrix is no longer a map, but
 * matrix to hardware is. The functions named after modifiers return that map:
 * for each element, the register and lane that it is read from. f8f6f4 with
 * 6-bit elements is left out: Triton and the emulator of rocm-systems, the only
 * public sources, disagree on their registers. */

/* The dimension that counts the blocks of one instruction. */
#define LL_AMD_B ll_dim_of("b")

/* Private: returns a; if there are several blocks, the next bits of its input
 * `in` count them. */
LL_FN ll_layout ll_amd_blocks_(ll_layout a, unsigned blocks, ll_dim in) {
    return blocks > 1u ? ll_layout_by_(a, blocks, in, LL_AMD_B) : a;
}

/* Private: returns 1 if there is an MFMA of these sizes. m * blocks is 16 with
 * f64. With other types it is 64 if there are several blocks. */
LL_FN int ll_amd_is_mfma_(unsigned m, unsigned blocks, unsigned element_bits) {
    return (m == 4u || m == 16u || m == 32u) &&
           (element_bits == 64u ? m < 32u && blocks == 16u / m
            : blocks == 1u      ? m >= 16u
                                : blocks == 64u / m);
}

/* Private: returns 1 if there is an MFMA whose A and B have 2^n elements per
 * lane. With one block they fill one or two VGPRs, on CDNA4 also four, or with
 * 8 bits eight. With several blocks they fill one VGPR, with 16 bits also two,
 * with 64 bits two. Elements of 4 bits always fill four. */
LL_FN int ll_amd_has_mfma_(unsigned n, unsigned blocks, unsigned element_bits) {
    const unsigned log = ll_log2_(element_bits);
    const unsigned least = log == 2u ? 7u : 5u;
    const unsigned most = log >= 5u ? 6u : log == 3u ? 8u : 7u;
    const unsigned several = log == 4u || log == 6u ? 6u : 5u;
    return n <= 6u && log >= 2u && log <= 6u && log + n >= least &&
           log + n <= (blocks > 1u ? several : most);
}

/* Private: returns A of m x k, or, with the axes exchanged, B. A lane holds
 * runs of at most 16 bytes along k. The lane bits after the rows and the blocks
 * are the bits of k after the run. */
LL_FN ll_layout ll_amd_mfma_(unsigned m, unsigned k, unsigned blocks,
                             unsigned element_bits, ll_dim side,
                             ll_dim along) {
    const unsigned n = ll_log2_((unsigned long long)m * blocks * k) - 6u;
    if (!ll_amd_is_mfma_(m, blocks, element_bits) ||
        !ll_amd_has_mfma_(n, blocks, element_bits)) {
        return ll_layout_none_(LL_EMFMA);
    }
    const unsigned each = 1u << n;
    const unsigned most = 128u / element_bits;
    const unsigned run = each < most ? each : most;
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, run, LL_REGISTER, along);
    a = ll_layout_by_(a, m, LL_LANE, side);
    a = ll_amd_blocks_(a, blocks, LL_LANE);
    a = ll_layout_by_(a, 64u / (m * blocks), LL_LANE, along);
    return ll_layout_by_(a, each / run, LL_REGISTER, along);
}

/* ll_amd_mfma_a(m, k, blocks, element_bits), ll_amd_mfma_b(k, n, blocks,
 * element_bits): return operands A and B of v_mfma_*_MxNxK. ll_amd_mfma_c(m, n,
 * blocks, element_bits): returns the accumulator, of 32 or 64 bits, also for
 * v_smfmac_*. All types are covered except the 6-bit types. blocks is the
 * number before the b in the mnemonic, 4 in 16x16x4_4b, and 1 if there is none.
 * (The mnemonics of gfx908 and gfx90a omit it: it is 64/M if a lane holds all
 * of k, and 4 for f64_4x4x4.) Source (CDNA1 to 4): AMD matrix instruction
 * calculator 1.3.2; of CDNA4 Triton. Fail with LL_EMFMA.
 * Example: ll_amd_mfma_a(32, 8, 1, 16) is
 *          L("register: j0 j1 | lane: i0 i1 i2 i3 i4 j2");
 * Example: ll_amd_mfma_b(4, 16, 4, 8) is
 *          L("register: i0 i1 | lane: j0 j1 j2 j3 b0 b1");
 * Example: ll_amd_mfma_a(16, 128, 1, 8) is
 *          L("register: j0 j1 j2 j3 j6 | lane: i0 i1 i2 i3 j4 j5");
 * Example: ll_amd_mfma_c(32, 32, 1, 32) is
 *          L("register: i0 i1 i3 i4 | lane: j0 j1 j2 j3 j4 i2");
 * Example: ll_amd_mfma_c(16, 16, 1, 64) is
 *          L("register: i2 i3 | lane: j0 j1 j2 j3 i0 i1");
 * Example: ll_amd_mfma_a(8, 8, 1, 16).err is LL_EMFMA;
 */
LL_FN ll_layout ll_amd_mfma_a(unsigned m, unsigned k, unsigned blocks,
                              unsigned element_bits) {
    return ll_amd_mfma_(m, k, blocks, element_bits, LL_I, LL_J);
}

LL_FN ll_layout ll_amd_mfma_b(unsigned k, unsigned n, unsigned blocks,
                              unsigned element_bits) {
    return ll_amd_mfma_(n, k, blocks, element_bits, LL_J, LL_I);
}

LL_FN ll_layout ll_amd_mfma_c(unsigned m, unsigned n, unsigned blocks,
                              unsigned element_bits) {
    if ((element_bits != 32u && element_bits != 64u) || m != n ||
        !ll_amd_is_mfma_(m, blocks, element_bits)) {
        return ll_layout_none_(LL_EMFMA);
    }
    /* The first four rows are in registers, the next rows in lanes, and the
     * rest in registers again. With f64 the first rows are in lanes, after the
     * blocks. */
    const unsigned left = 64u / m; /* lanes that share a column */
    const unsigned first = element_bits == 64u ? 1u : 4u;
    const unsigned rows = element_bits == 64u ? left / blocks
                          : m / first < left  ? m / first
                                              : left;
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, first, LL_REGISTER, LL_I);
    a = ll_layout_by_(a, m, LL_LANE, LL_J);
    a = ll_amd_blocks_(a, left / rows, LL_LANE);
    a = ll_layout_by_(a, rows, LL_LANE, LL_I);
    a = ll_layout_by_(a, m / (first * rows), LL_REGISTER, LL_I);
    return ll_amd_blocks_(a, blocks * rows / left, LL_REGISTER);
}

/* Private: returns the scales of the operand whose rows or columns are
 * `side`. */
LL_FN ll_layout ll_amd_scale_(unsigned m, unsigned k, ll_dim side,
                              ll_dim along) {
    if ((m != 16u && m != 32u) || k != 2048u / m) {
        return ll_layout_none_(LL_EMFMA);
    }
    const ll_layout a = ll_layout_empty_("register lane", "j i");
    return ll_layout_by_(ll_layout_by_(a, m, LL_LANE, side), k / 32u, LL_LANE,
                         along);
}

/* ll_amd_mfma_scale_a(m, k), ll_amd_mfma_scale_b(k, n): return the scales of
 * v_mfma_scale_f32_MxNxK_f8f6f4, one byte per lane. The scales of A form an m x
 * k/32 matrix, the scales of B a k/32 x n matrix. The opsel modifiers choose
 * the byte of the VGPR. Source (CDNA4): Triton, chooseScaledMfmaScaleLayout.
 * Fail with LL_EMFMA.
 * Example: ll_amd_mfma_scale_a(16, 128) is
 *          L("register: | lane: i0 i1 i2 i3 j0 j1");
 * Example: ll_amd_mfma_scale_b(64, 32) is
 *          L("register: | lane: j0 j1 j2 j3 j4 i0");
 */
LL_FN ll_layout ll_amd_mfma_scale_a(unsigned m, unsigned k) {
    return ll_amd_scale_(m, k, LL_I, LL_J);
}

LL_FN ll_layout ll_amd_mfma_scale_b(unsigned k, unsigned n) {
    return ll_amd_scale_(n, k, LL_J, LL_I);
}

/* A sparse A keeps two of every four columns. Its layout gives the first column
 * of the four. Register bit 0 counts the two elements that are kept. It maps to
 * 0, since only the index says which columns they are from. */

/* Private: ll_amd_kept_ turns a dense A of k/2 columns into a sparse A of k
 * columns, and ll_amd_doubled_ a dense B of k/2 rows into the B of k rows that
 * goes with it. ll_amd_half_ returns k/2, or 0 for an odd k. */
LL_FN ll_layout ll_amd_kept_(ll_layout a) {
    ll_layout wide = ll_zeros(2, LL_J, LL_J, 4);
    wide = ll_layout_by_(wide, ll_size(a.out, LL_J) / 2u, LL_J, LL_J);
    wide = ll_layout_by_(wide, ll_size(a.out, LL_I), LL_I, LL_I);
    return a.err ? a : ll_compose(wide, a);
}

LL_FN ll_layout ll_amd_doubled_(ll_layout b) {
    return ll_mul(ll_identity(2, LL_REGISTER, LL_I), b);
}

LL_FN unsigned ll_amd_half_(unsigned k) { return k % 2u ? 0u : k / 2u; }

/* Private: returns element_bits if there is an SMFMAC of these sizes, else
 * 0. */
LL_FN unsigned ll_amd_smfmac_bits_(unsigned m, unsigned k,
                                   unsigned element_bits) {
    const unsigned long long all = 1ull * m * k * element_bits;
    return (element_bits == 8u || element_bits == 16u) && m < 64u &&
                   (all == 8192u || all == 16384u)
               ? element_bits
               : 0u;
}

/* ll_amd_smfmac_a(m, k, element_bits), ll_amd_smfmac_b(k, n, element_bits):
 * return operands A and B of v_smfmac_*_MxNxK, of 8 or 16 bits; the accumulator
 * is ll_amd_mfma_c. ll_amd_smfmac_k(m, k, element_bits): returns the index of
 * such an A, with 2 bits per kept element. ll_amd_index_set says which of the
 * 16 indices in a VGPR are used. Source (CDNA3, CDNA4): AMD matrix instruction
 * calculator 1.3.2; of CDNA4 the same rule. Fail with LL_EMFMA.
 * Example: ll_amd_smfmac_a(32, 16, 16) is
 *          L("register: 0 j2 | lane: i0 i1 i2 i3 i4 j3");
 * Example: ll_amd_smfmac_b(16, 32, 16) is
 *          L("register: i0 i1 i2 | lane: j0 j1 j2 j3 j4 i3");
 * Example: ll_amd_smfmac_k(32, 16, 16) is ll_amd_smfmac_a(32, 16, 16);
 * Example: ll_amd_smfmac_a(32, 16, 32).err is LL_EMFMA;
 */
LL_FN ll_layout ll_amd_smfmac_a(unsigned m, unsigned k,
                                unsigned element_bits) {
    const unsigned bits = ll_amd_smfmac_bits_(m, k, element_bits);
    return ll_amd_kept_(ll_amd_mfma_a(m, ll_amd_half_(k), 1, bits));
}

LL_FN ll_layout ll_amd_smfmac_b(unsigned k, unsigned n,
                                unsigned element_bits) {
    const unsigned bits = ll_amd_smfmac_bits_(n, k, element_bits);
    return ll_amd_doubled_(ll_amd_mfma_b(ll_amd_half_(k), n, 1, bits));
}

LL_FN ll_layout ll_amd_smfmac_k(unsigned m, unsigned k,
                                unsigned element_bits) {
    return ll_amd_smfmac_a(m, k, element_bits);
}

/* Private: returns 1 if gfx has WMMA with `lanes` lanes in a warp. */
LL_FN int ll_amd_is_wmma_(unsigned gfx, unsigned lanes) {
    return (ll_amd_rdna3_(gfx) || ll_amd_rdna4_(gfx)) &&
           (lanes == 32u || lanes == 64u);
}

/* Private: returns A of WMMA, or, with the axes exchanged, B. On RDNA4 the
 * result is for 32 lanes. On RDNA3 each lane holds all of k, and lanes that are
 * 16 apart hold copies. On RDNA4 a lane holds runs of at most 8 bytes, and bit
 * 4 of the lane is the next bit of k. */
LL_FN ll_layout ll_amd_wmma_(unsigned gfx, unsigned lanes, unsigned k,
                             unsigned element_bits, ll_dim side,
                             ll_dim along) {
    const int rdna3 = ll_amd_rdna3_(gfx);
    if (!ll_amd_is_wmma_(gfx, lanes) ||
        (element_bits != 4u && element_bits != 8u && element_bits != 16u) ||
        !(k == 16u || (k == 32u && element_bits == 4u && !rdna3))) {
        return ll_layout_none_(LL_EWMMA);
    }
    const unsigned each = rdna3 ? k : k / 2u;
    const unsigned most = rdna3 ? k : 64u / element_bits;
    const unsigned run = each < most ? each : most;
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, run, LL_REGISTER, along);
    a = ll_layout_by_(a, 16, LL_LANE, side);
    a = rdna3 ? ll_layout_copies_(a, lanes / 16u, LL_LANE)
              : ll_layout_by_(a, 2, LL_LANE, along);
    return ll_layout_by_(a, each / run, LL_REGISTER, along);
}

/* Private: returns the layout of RDNA4 for `lanes` lanes from the layout for
 * 32. With 64 lanes, the upper half of the lanes holds the upper half of the
 * registers; an operand of a single VGPR is copied instead. */
LL_FN ll_layout ll_amd_halve_(ll_layout a, unsigned gfx, unsigned lanes,
                              unsigned element_bits) {
    const unsigned n = ll_size(a.in, LL_REGISTER);
    const ll_shape none = LL_ZERO;
    if (a.err || lanes == 32u || !ll_amd_rdna4_(gfx)) {
        return a;
    }
    if (n * element_bits < 64u) {
        return ll_layout_copies_(a, 2, LL_LANE);
    }
    ll_shape s = ll_with(none, LL_REGISTER, n / 2u);
    a = ll_reshape_in(a, ll_with(ll_with(s, LL_WARP, 2), LL_LANE, 32));
    a = ll_order_in(a, "register lane warp");
    return ll_reshape_in(a, ll_with(s, LL_LANE, 64));
}

/* ll_amd_wmma_a(gfx, lanes, k, element_bits), ll_amd_wmma_b(gfx, lanes, k,
 * element_bits): return operands A and B of v_wmma_*_16x16xK. gfx is written in
 * hex: 0x1100 and others for RDNA3, 0x1200 and 0x1201 for RDNA4. A warp has 32
 * or 64 lanes, an element 4, 8 or 16 bits. ll_amd_wmma_c(gfx, lanes,
 * element_bits): returns the accumulator, also D of v_swmmac_*, of 16 or 32
 * bits. On RDNA3 each of its 16-bit elements has a VGPR of its own: see
 * ll_amd_opsel. Where a high lane bit maps to 0, lanes hold copies. RDNA3
 * requires the copies. RDNA4 has them with 4 bits, k of 16 and 64 lanes, and
 * does not read them. Source (RDNA3, RDNA4): AMD matrix instruction calculator
 * 1.3.2. Fail with LL_EWMMA.
 * Example: ll_amd_wmma_a(0x1100, 32, 16, 16) is
 *          L("register: j0 j1 j2 j3 | lane: i0 i1 i2 i3 0");
 * Example: ll_amd_wmma_a(0x1200, 32, 16, 16) is
 *          L("register: j0 j1 j3 | lane: i0 i1 i2 i3 j2");
 * Example: ll_amd_wmma_b(0x1200, 64, 16, 8) is
 *          L("register: i0 i1 | lane: j0 j1 j2 j3 i3 i2");
 * Example: ll_amd_wmma_c(0x1100, 32, 32) is
 *          L("register: i1 i2 i3 | lane: j0 j1 j2 j3 i0");
 * Example: ll_amd_wmma_c(0x1200, 64, 32) is
 *          L("register: i0 i1 | lane: j0 j1 j2 j3 i3 i2");
 * Example: ll_amd_wmma_a(0x942, 64, 16, 16).err is LL_EWMMA;
 */
LL_FN ll_layout ll_amd_wmma_a(unsigned gfx, unsigned lanes, unsigned k,
                              unsigned element_bits) {
    const ll_layout a = ll_amd_wmma_(gfx, lanes, k, element_bits, LL_I, LL_J);
    return ll_amd_halve_(a, gfx, lanes, element_bits);
}

LL_FN ll_layout ll_amd_wmma_b(unsigned gfx, unsigned lanes, unsigned k,
                              unsigned element_bits) {
    const ll_layout b = ll_amd_wmma_(gfx, lanes, k, element_bits, LL_J, LL_I);
    return ll_amd_halve_(b, gfx, lanes, element_bits);
}

LL_FN ll_layout ll_amd_wmma_c(unsigned gfx, unsigned lanes,
                              unsigned element_bits) {
    if ((element_bits != 16u && element_bits != 32u) ||
        !ll_amd_is_wmma_(gfx, lanes)) {
        return ll_layout_none_(LL_EWMMA);
    }
    /* The lane bits after the columns are the low bits of the row on RDNA3, its
     * high bit on RDNA4. */
    const unsigned first = ll_amd_rdna3_(gfx) ? 1u : 8u;
    const unsigned rows = ll_amd_rdna3_(gfx) ? lanes / 16u : 2u;
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, first, LL_REGISTER, LL_I);
    a = ll_layout_by_(a, 16, LL_LANE, LL_J);
    a = ll_layout_by_(a, rows, LL_LANE, LL_I);
    a = ll_layout_by_(a, 16u / (first * rows), LL_REGISTER, LL_I);
    return ll_amd_halve_(a, gfx, lanes, element_bits);
}

/* ll_amd_swmmac_a(gfx, lanes, k, element_bits), ll_amd_swmmac_b(gfx, lanes, k,
 * element_bits): return operands A and B of v_swmmac_*_16x16xK, of 4, 8 or 16
 * bits; D is ll_amd_wmma_c. ll_amd_swmmac_k(gfx, lanes, k, element_bits):
 * returns the index, in elements of 2 bits as for ll_amd_smfmac_k. Source
 * (RDNA4): AMD matrix instruction calculator 1.3.2. Fail with LL_EWMMA.
 * Example: ll_amd_swmmac_a(0x1200, 32, 32, 16) is
 *          L("register: 0 j2 j4 | lane: i0 i1 i2 i3 j3");
 * Example: ll_amd_swmmac_b(0x1200, 64, 32, 16) is
 *          L("register: i0 i1 i2 | lane: j0 j1 j2 j3 i3 i4");
 * Example: ll_amd_swmmac_a(0x1100, 32, 32, 16).err is LL_EWMMA;
 */
LL_FN ll_layout ll_amd_swmmac_a(unsigned gfx, unsigned lanes, unsigned k,
                                unsigned element_bits) {
    const ll_layout a = ll_amd_kept_(ll_amd_wmma_(
        gfx, lanes, ll_amd_half_(k), element_bits, LL_I, LL_J));
    return ll_amd_rdna4_(gfx) ? ll_amd_halve_(a, gfx, lanes, element_bits)
                              : ll_layout_none_(LL_EWMMA);
}

LL_FN ll_layout ll_amd_swmmac_b(unsigned gfx, unsigned lanes, unsigned k,
                                unsigned element_bits) {
    const ll_layout b = ll_amd_doubled_(ll_amd_wmma_(
        gfx, lanes, ll_amd_half_(k), element_bits, LL_J, LL_I));
    return ll_amd_rdna4_(gfx) ? ll_amd_halve_(b, gfx, lanes, element_bits)
                              : ll_layout_none_(LL_EWMMA);
}

LL_FN ll_layout ll_amd_swmmac_k(unsigned gfx, unsigned lanes, unsigned k,
                                unsigned element_bits) {
    return ll_amd_swmmac_a(gfx, lanes, k, element_bits);
}

/* ll_amd_cbsz(a, cbsz, abid): returns where v_mfma_* with these modifiers finds
 * the elements of A; a is the layout of A without them. The blocks form groups
 * of 2^cbsz, and all blocks of a group read block number abid of the group.
 * Source (CDNA1 to 3): AMD matrix instruction calculator 1.3.2. Fails with
 * LL_EMODIFIER.
 * Example: ll_amd_cbsz(ll_amd_mfma_a(16, 4, 4, 16), 1, 1) is
 *          L("j: register0 register1 | i: lane0 lane1 lane2 lane3 | "
 *            "b: 0 lane5 | 1: lane4");
 * Example: ll_amd_cbsz(ll_amd_mfma_a(16, 4, 4, 16), 3, 0).err is
 *          LL_EMODIFIER;
 */
LL_FN ll_layout ll_amd_cbsz(ll_layout a, unsigned cbsz, unsigned abid) {
    if (a.err) {
        return a;
    }
    if (cbsz > ll_log2_(ll_size(a.out, LL_AMD_B)) || abid >> cbsz) {
        return ll_layout_bad_(a, LL_EMODIFIER);
    }
    ll_layout read = ll_shape_identity_(&a.out);
    const unsigned member = ll_pack(a.out, LL_AMD_B, (1u << cbsz) - 1u);
    for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
        read.basis[k] &= ~member;
    }
    read.offset = ll_pack(a.out, LL_AMD_B, abid);
    return ll_compose(ll_pinv(a), read);
}

/* ll_amd_blgp(b, blgp): returns where v_mfma_* with this modifier finds the
 * elements of B; b is the layout of B without it. (With f64 and f8f6f4 the
 * modifier means something else.) With blgp 1 lane l reads lane l % 32, with 2
 * lane 32 + l % 32, with 3 lane (l + 16) % 64, with 4 to 7 lane 16 (blgp - 4) +
 * l % 16. Source (CDNA1 to 3): AMD matrix instruction calculator 1.3.2. Fails
 * with LL_EMODIFIER.
 * Example: ll_amd_blgp(ll_amd_mfma_b(2, 32, 1, 32), 3) is
 *          L("j: lane0 lane1 lane2 lane3 lane4^lane5 | i: lane5 | 1: lane4 "
 *            "-> register=1 | lane=64");
 * Example: ll_amd_blgp(ll_amd_mfma_b(2, 32, 1, 32), 8).err is LL_EMODIFIER;
 */
LL_FN ll_layout ll_amd_blgp(ll_layout b, unsigned blgp) {
    const ll_layout at = ll_pinv(b);
    if (b.err) {
        return b;
    }
    if (blgp > 7u || ll_size(b.in, LL_LANE) != 64u) {
        return ll_layout_bad_(b, LL_EMODIFIER);
    }
    ll_layout from = ll_shape_identity_(&b.in);
    const unsigned first = ll_pack(b.in, LL_LANE, 16);
    const unsigned lane = ll_log2_(first);
    from.basis[lane] = blgp == 3u ? 3u * first : blgp >= 4u ? 0u : first;
    from.basis[lane + 1u] = blgp == 0u || blgp == 3u ? 2u * first : 0u;
    from.offset = blgp >= 4u   ? (blgp - 4u) * first
                  : blgp == 3u ? first
                  : blgp == 2u ? 2u * first
                               : 0u;
    return ll_compose(from, at);
}

/* ll_amd_index_set(k, set): returns where v_smfmac_* (modifier abid) or
 * v_swmmac_* (index_key, opsel) finds the indices of a sparse A if it uses that
 * set. k is the layout of the indices. The VGPR holds 16 indices; the sets
 * follow each other without gaps. A group of four columns has two indices, and
 * the result gives the first. Source (CDNA3, RDNA4): AMD matrix instruction
 * calculator 1.3.2. Fails with LL_EMODIFIER.
 * Example: ll_amd_index_set(ll_amd_smfmac_k(32, 16, 16), 3) is
 *          L("j: 0 0 register1 lane5 | i: lane0 lane1 lane2 lane3 lane4 | "
 *            "1: register2^register3");
 * Example: ll_amd_index_set(ll_amd_smfmac_k(32, 16, 16), 4).err is
 *          LL_EMODIFIER;
 */
LL_FN ll_layout ll_amd_index_set(ll_layout k, unsigned set) {
    const unsigned size = ll_size(k.in, LL_REGISTER);
    if (k.err) {
        return k;
    }
    if (size > 16u || set >= 16u / size) {
        return ll_layout_bad_(k, LL_EMODIFIER);
    }
    ll_layout at = ll_resize_out(ll_pinv(k), LL_REGISTER, 16);
    at.offset = ll_pack(at.out, LL_REGISTER, set * size);
    return at;
}

/* ll_amd_opsel(c, high): returns where v_wmma_* of RDNA3 finds the 16-bit
 * elements of C and D; c is their layout. They are in the low halves of the
 * VGPRs, or, with `high` 1 (modifier opsel), in the high halves. Registers
 * count halves here, as in the vectors that the compiler's built-in takes.
 * Source (RDNA3): AMD matrix instruction calculator 1.3.2. Fails with
 * LL_EMODIFIER.
 * Example: ll_amd_opsel(ll_amd_wmma_c(0x1100, 32, 16), 1) is
 *          L("j: lane0 lane1 lane2 lane3 | "
 *            "i: lane4 register1 register2 register3 | 1: register0");
 */
LL_FN ll_layout ll_amd_opsel(ll_layout c, unsigned high) {
    if (c.err) {
        return c;
    }
    if (high > 1u) {
        return ll_layout_bad_(c, LL_EMODIFIER);
    }
    const unsigned lanes = ll_size(c.in, LL_LANE);
    const unsigned n = ll_size(c.in, LL_REGISTER);
    ll_layout half = ll_mul(ll_strided(n, 2, LL_REGISTER, LL_REGISTER),
                            ll_identity(lanes, LL_LANE, LL_LANE));
    half.offset = high;
    return ll_compose(half, ll_pinv(c));
}

#endif
