/* ---- Register layouts of matrix instructions -------------------------- */
#ifndef LL_PTX_OPERANDS_H
#define LL_PTX_OPERANDS_H

#include "../ll/layout/families.h"
#include "../ll/plan/hardware.h"

/* Registers count elements, even if several elements share 32 bits: element e
 * is in 32-bit register e * element_bits / 32, in the bits from (e *
 * element_bits) % 32 on. i is the row and j the column of the operand itself: A
 * is m x k, B is k x n, and the accumulator (C and D alike) is m x n. Only the
 * size of an element matters, not its type. Elements of 4 bits that an
 * instruction takes in bytes, as kind f8f6f4 does, count as 8 bits, and so do
 * all elements of 6 bits. A sparse A is m x k/2, the elements that are stored.
 * Names end in the letters of the manual: _a and _b, _c or _d for the
 * accumulator, _e for the metadata.
 *
 * ll_ptx_fragment_* are the operands of one instruction. ll_tiled repeats them
 * over a tensor, here on 2 x 2 warps:
 *
 * Example: ll_tiled(ll_ptx_fragment_a(16, 16, 16), ll_shape_of("j=16 i=64"),
 *                   ll_shape_of("i=2 k=2")) is L("register: j0 i3 j3 i5 | "
 *          "lane: j1 j2 i0 i1 i2 | warp: i4 0");
 * Example: ll_tiled(ll_ptx_fragment_b(16, 8, 16), ll_shape_of("j=32 i=16"),
 *                   ll_shape_of("k=2 j=2")) is L("register: i0 i3 j4 | "
 *          "lane: i1 i2 j0 j1 j2 | warp: 0 j3");
 * Example: ll_tiled(ll_ptx_fragment_c(16, 8), ll_shape_of("j=32 i=64"),
 *                   ll_shape_of("i=2 j=2")) is L("register: j0 i3 j4 i5 | "
 *          "lane: j1 j2 i0 i1 i2 | warp: i4 j3");
 *
 * ll_ptx_mma_* and ll_ptx_wgmma_* stack the warps along the rows. */

/* Private: returns the arrangement that all fragments are built from: 8 rows of
 * four lanes, each lane with e neighbouring elements of its row. `along` is the
 * axis within a row, `across` the axis from row to row. */
LL_FN ll_layout ll_ptx_core_(unsigned e, ll_dim along, ll_dim across) {
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, e, LL_REGISTER, along);
    a = ll_layout_by_(a, 4, LL_LANE, along);
    return ll_layout_by_(a, 8, LL_LANE, across);
}

/* Private: returns how many elements share 32 bits, at least 1; 0 if no element
 * has that size. */
LL_FN unsigned ll_ptx_packed_(unsigned element_bits) {
    const unsigned held = ll_element_held_(element_bits);
    const unsigned log = ll_log2_(held);
    return log > 6u || log == 1u ? 0u : log > 5u ? 1u : 32u / held;
}

/* Private: returns A with `lines` rows, or, with the axes exchanged, B with
 * `lines` columns. A row has at most `most` bits; with 64-bit elements,
 * 1024. */
LL_FN ll_layout ll_ptx_fragment_(unsigned lines, unsigned k, unsigned most,
                                 unsigned element_bits, ll_dim along,
                                 ll_dim across) {
    const unsigned e = ll_ptx_packed_(element_bits);
    const unsigned long long bits = (unsigned long long)k * element_bits;
    if (e == 0 || k < 4u * e || ll_log2_(k) >= 32u ||
        bits > (element_bits == 64u ? 1024u : most)) {
        return ll_layout_none_(e ? LL_EK : LL_EOPERAND);
    }
    ll_layout a = ll_ptx_core_(e, along, across);
    a = ll_layout_by_(a, lines / 8u, LL_REGISTER, across);
    return ll_layout_by_(a, k / (4u * e), LL_REGISTER, along);
}

/* ll_ptx_fragment_a(m, k, element_bits), ll_ptx_fragment_b(k, n, element_bits):
 * return operands A and B of one mma.sync. ll_ptx_fragment_c(m, n): returns its
 * accumulator, of any type. k counts elements: it is the k of the instruction,
 * or half of it for a sparse A. All shapes are covered except m8n8k4 with f16;
 * see ll_ptx_quad_a for that. Source (sm_75): PTX, "Matrix Fragments for
 * mma.m8n8k4 with .f64" and the sections that follow. Fail with LL_EM, LL_EN,
 * LL_EK, LL_EOPERAND.
 * Example: ll_ptx_fragment_a(16, 16, 16) is
 *          L("register: j0 i3 j3 | lane: j1 j2 i0 i1 i2");
 * Example: ll_ptx_fragment_b(16, 8, 16) is
 *          L("register: i0 i3 | lane: i1 i2 j0 j1 j2");
 * Example: ll_ptx_fragment_c(16, 8) is
 *          L("register: j0 i3 | lane: j1 j2 i0 i1 i2");
 * Example: ll_ptx_fragment_a(16, 4, 16).err is LL_EK;
 * Example: ll_ptx_fragment_a(64, 16, 16).err is LL_EM;
 */
LL_FN ll_layout ll_ptx_fragment_a(unsigned m, unsigned k,
                                  unsigned element_bits) {
    return m == 8u || m == 16u
               ? ll_ptx_fragment_(m, k, 256, element_bits, LL_J, LL_I)
               : ll_layout_none_(LL_EM);
}

LL_FN ll_layout ll_ptx_fragment_b(unsigned k, unsigned n,
                                  unsigned element_bits) {
    return n == 8u ? ll_ptx_fragment_(n, k, 512, element_bits, LL_I, LL_J)
                   : ll_layout_none_(LL_EN);
}

LL_FN ll_layout ll_ptx_fragment_c(unsigned m, unsigned n) {
    if ((m != 8u && m != 16u) || n != 8u) {
        return ll_layout_none_(n == 8u ? LL_EM : LL_EN);
    }
    return ll_layout_by_(ll_ptx_core_(2, LL_J, LL_I), m / 8u, LL_REGISTER,
                         LL_I);
}

/* Private: returns a repeated over the four quad pairs and, along `across`,
 * over the two halves of a pair. */
LL_FN ll_layout ll_ptx_quad_(ll_layout a, ll_dim across) {
    a = ll_layout_by_(a, 4, LL_LANE, ll_dim_of("mma"));
    return ll_layout_by_(a, 2, LL_LANE, across);
}

LL_FN ll_layout ll_ptx_quad_operand_(int k_major, ll_dim k, ll_dim across) {
    ll_layout a = ll_layout_empty_("register lane", "j i mma");
    a = ll_layout_by_(a, 4, LL_REGISTER, k_major ? k : across);
    a = ll_layout_by_(a, 4, LL_LANE, k_major ? across : k);
    return ll_ptx_quad_(a, across);
}

/* ll_ptx_quad_a(row), ll_ptx_quad_b(row), ll_ptx_quad_c(element_bits): return
 * the operands of mma.m8n8k4 with f16. The instruction multiplies four pairs of
 * matrices at once, one in each quad pair. Quad pair q consists of lanes 4q ..
 * 4q + 3 and 4q + 16 .. 4q + 19; output `mma` is q. `row` is 1 for .row and 0
 * for .col. The elements of the accumulator have 16 or 32 bits. Source (sm_75;
 * slow from sm_80 on): PTX, "Matrix Fragments for mma.m8n8k4 with .f16 floating
 * point type". Fail with LL_EOPERAND.
 * Example: ll_ptx_quad_a(1) is L("register: j0 j1 | "
 *          "lane: i0 i1 mma0 mma1 i2 -> j=4 | i=8 | mma=4");
 * Example: ll_ptx_quad_b(1) is L("register: j0 j1 | "
 *          "lane: i0 i1 mma0 mma1 j2 -> j=8 | i=4 | mma=4");
 * Example: ll_ptx_quad_c(32) is L("register: j0 i1 j2 | "
 *          "lane: i0 j1 mma0 mma1 i2 -> j=8 | i=8 | mma=4");
 * Example: ll_ptx_quad_c(64).err is LL_EOPERAND;
 */
LL_FN ll_layout ll_ptx_quad_a(int row) {
    return ll_ptx_quad_operand_(row, LL_J, LL_I);
}

LL_FN ll_layout ll_ptx_quad_b(int row) {
    return ll_ptx_quad_operand_(!row, LL_I, LL_J);
}

LL_FN ll_layout ll_ptx_quad_c(unsigned element_bits) {
    ll_layout a = ll_layout_empty_("register lane", "j i mma");
    a = ll_layout_by_(a, 2, LL_REGISTER, LL_J);
    a = ll_layout_by_(a, 2, LL_LANE, LL_I);
    if (element_bits == 16u) {
        a = ll_layout_by_(a, 4, LL_REGISTER, LL_J);
        a = ll_layout_by_(a, 2, LL_LANE, LL_I);
    } else {
        a = ll_layout_by_(a, 2, LL_REGISTER, LL_I);
        a = ll_layout_by_(a, 2, LL_LANE, LL_J);
        a = ll_layout_by_(a, 2, LL_REGISTER, LL_J);
    }
    return element_bits == 16u || element_bits == 32u
               ? ll_ptx_quad_(a, LL_I)
               : ll_layout_none_(LL_EOPERAND);
}

/* Private: returns a with its five lane bits in the order of the digits in
 * `order`. */
LL_FN ll_layout ll_ptx_lanes_(ll_layout a, const char *order) {
    unsigned bits[5] = LL_ZERO;
    for (unsigned k = 0; k < 5u; ++k) {
        bits[k] = (unsigned)(order[k] - '0');
    }
    return ll_permute(a, LL_LANE, ll_perm_of(5, 5, bits));
}

/* ll_ptx_sparse_e(k, element_bits): returns the layout of the metadata of a
 * sparse A of 16 rows and k columns: the lane whose 32-bit operand, for
 * selector 0, describes element i, j. The k columns have 256 or 512 bits, in
 * elements of 4, 8, 16 or 32 bits. Registers count the elements that an operand
 * describes: an element of 32 bits has two metadata bits, one of 16 or 8 bits
 * has one, and two of 4 bits share one. Kind f8f6f4 has 64 elements, each in a
 * byte: element_bits is 8, or 6. The lanes of the other selectors hold copies.
 * Of four elements of 16 or 8 bits, elements p < q are kept: the four metadata
 * bits are p | q << 2. Of two elements of 32 bits one is kept: the bits are 4
 * for the first and 14 for the second. Source (sm_80, 6 bits sm_120a): PTX,
 * "Sparse matrix storage"; CUTLASS, ELayout, for 512 bits; products on an H200
 * for 256. Fails with LL_EOPERAND, LL_EK.
 * Example: ll_ptx_sparse_e(32, 16) is
 *          L("register: j0 j1 j2 j3 i3 | lane: j4 0 i0 i1 i2");
 * Example: ll_ptx_sparse_e(16, 16) is
 *          L("register: j0 j1 j2 j3 i3 | lane: 0 0 i0 i1 i2");
 * Example: ll_ptx_sparse_e(32, 8) is
 *          L("register: j0 j1 j2 j3 j4 | lane: i3 0 i0 i1 i2");
 * Example: ll_ptx_sparse_e(64, 6) is
 *          L("register: j0 j1 j2 j3 j4 | lane: i3 j5 i0 i1 i2");
 * Example: ll_ptx_sparse_e(32, 64).err is LL_EOPERAND;
 */
LL_FN ll_layout ll_ptx_sparse_e(unsigned k, unsigned element_bits) {
    const unsigned e = ll_ptx_packed_(element_bits) * 8u;
    const int narrow = ll_element_held_(element_bits) <= 8u;
    if (e < 8u || e > 64u || element_bits > 32u || (k != e && k != 2u * e)) {
        return ll_layout_none_(
            e < 8u || e > 64u || element_bits > 32u ? LL_EOPERAND : LL_EK);
    }
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, e, LL_REGISTER, LL_J);
    a = ll_layout_by_(a, 8, LL_LANE, LL_I);
    a = ll_layout_by_(a, 2, narrow ? LL_LANE : LL_REGISTER, LL_I);
    a = ll_layout_by_(a, k / e, LL_LANE, LL_J);
    a = ll_layout_copies_(a, 1u << (5u - a.in.bits[1]), LL_LANE);
    return ll_ptx_lanes_(a, "34012");
}

/* ll_ptx_scale_a(scales), ll_ptx_scale_b(scales): return the block scales of an
 * mma.sync of 16 x 8, one byte each. scales: their number along k, as in
 * .scale_vec: 1, 2 or 4. Register s is byte byte-id + s of the operand. The
 * lanes of all thread-ids hold copies. Source (sm_120): PTX, "Block scaling for
 * mma.sync". Fail with LL_ESIZE.
 * Example: ll_ptx_scale_a(4) is
 *          L("register: j0 j1 | lane: i3 0 i0 i1 i2");
 * Example: ll_ptx_scale_b(4) is
 *          L("register: i0 i1 | lane: 0 0 j0 j1 j2");
 */
LL_FN ll_layout ll_ptx_scale_a(unsigned scales) {
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, scales, LL_REGISTER, LL_J);
    a = ll_layout_by_(a, 16, LL_LANE, LL_I);
    return ll_ptx_lanes_(ll_layout_copies_(a, 2, LL_LANE), "34012");
}

LL_FN ll_layout ll_ptx_scale_b(unsigned scales) {
    ll_layout a = ll_layout_empty_("register lane", "j i");
    a = ll_layout_by_(a, scales, LL_REGISTER, LL_I);
    return ll_layout_by_(ll_layout_copies_(a, 4, LL_LANE), 8, LL_LANE, LL_J);
}

/* Private: returns the shape of `warps` warps along axis d. */
LL_FN ll_shape ll_ptx_warps_(unsigned warps, ll_dim d) {
    const ll_shape none = LL_ZERO;
    return ll_log2_(warps) < 32u ? ll_with(none, d, warps)
                                 : ll_shape_bad_(none, LL_EWARPS);
}

/* ll_ptx_mma_a(rows, cols, element_bits, warps), ll_ptx_mma_b(rows, cols,
 * element_bits, warps), ll_ptx_mma_c(rows, cols, warps): return the operands of
 * a matrix multiply of whole tensors by mma.sync.m16n8. The warps take 16 rows
 * of A and of the result in turn; each warp holds all of B. A warp has its
 * further tiles in registers: tiles of A and B along k first, tiles of the
 * result along n first. Warps beyond the rows hold copies. Source (sm_75): as
 * for ll_ptx_fragment_a, and the order of CUTLASS. Fail with LL_EOPERAND,
 * LL_EWARPS, LL_ESIZE.
 * Example: ll_ptx_mma_a(64, 16, 16, 4) is L("register: j0 i3 j3 | "
 *          "lane: j1 j2 i0 i1 i2 | warp: i4 i5");
 * Example: ll_ptx_mma_b(16, 16, 16, 4) is L("register: i0 i3 j3 | "
 *          "lane: i1 i2 j0 j1 j2 | warp: 0 0");
 * Example: ll_ptx_mma_c(32, 16, 4) is L("register: j0 i3 j3 | "
 *          "lane: j1 j2 i0 i1 i2 | warp: i4 0");
 * Example: ll_ptx_mma_c(64, 16, 3).err is LL_EWARPS;
 */
LL_FN ll_layout ll_ptx_mma_a(unsigned rows, unsigned cols,
                             unsigned element_bits, unsigned warps) {
    const unsigned k = 4u * ll_ptx_packed_(element_bits);
    const ll_layout a = ll_ptx_fragment_a(16, k, element_bits);
    return ll_tiled(a, ll_shape_matrix_(rows, cols),
                    ll_ptx_warps_(warps, LL_I));
}

LL_FN ll_layout ll_ptx_mma_b(unsigned rows, unsigned cols,
                             unsigned element_bits, unsigned warps) {
    const unsigned k = 4u * ll_ptx_packed_(element_bits);
    const ll_layout b = ll_ptx_fragment_b(k, 8, element_bits);
    const ll_shape s = ll_shape_reversed_(ll_shape_matrix_(rows, cols));
    const ll_layout a = ll_tiled(b, s, ll_ptx_warps_(warps, LL_K));
    return a.err ? a : ll_order_out(a, "j i");
}

LL_FN ll_layout ll_ptx_mma_c(unsigned rows, unsigned cols, unsigned warps) {
    return ll_tiled(ll_ptx_fragment_c(16, 8), ll_shape_matrix_(rows, cols),
                    ll_ptx_warps_(warps, LL_I));
}

/* ll_ptx_wgmma_a(rows, cols, element_bits, warps): returns operand A of wgmma
 * in registers. ll_ptx_wgmma_d(rows, cols, warps): returns its accumulator. The
 * warpgroups, of four warps each, take 64 rows in turn. cols is k or n. If it
 * exceeds the k or n of one instruction, the tiles of several instructions
 * stand side by side. Source (sm_90a): PTX, "Register Fragments and Shared
 * Memory Matrix Layouts". Fail with LL_EWARPS, LL_EOPERAND, LL_EK, LL_EN,
 * LL_ESIZE.
 * Example: ll_ptx_wgmma_d(64, 16, 4) is L("register: j0 i3 j3 | "
 *          "lane: j1 j2 i0 i1 i2 | warp: i4 i5");
 * Example: ll_ptx_wgmma_d(64, 16, 2).err is LL_EWARPS;
 * Example: ll_ptx_wgmma_a(64, 8, 16, 4).err is LL_EK;
 */
LL_FN ll_layout ll_ptx_wgmma_a(unsigned rows, unsigned cols,
                               unsigned element_bits, unsigned warps) {
    const unsigned bits = cols < 256u ? cols * element_bits : 256u;
    return warps < 4u || rows < 64u ? ll_layout_none_(LL_EWARPS)
           : element_bits > 32u     ? ll_layout_none_(LL_EOPERAND)
           : bits < 256u            ? ll_layout_none_(LL_EK)
                         : ll_ptx_mma_a(rows, cols, element_bits, warps);
}

LL_FN ll_layout ll_ptx_wgmma_d(unsigned rows, unsigned cols, unsigned warps) {
    return warps < 4u || rows < 64u ? ll_layout_none_(LL_EWARPS)
           : cols < 8u              ? ll_layout_none_(LL_EN)
                                    : ll_ptx_mma_c(rows, cols, warps);
}

/* Private: returns 1 if there is an instruction for n matrices of `rows`
 * rows. */
LL_FN int ll_ptx_is_matrix_(unsigned rows, unsigned n) {
    return (rows == 8u || rows == 16u) &&
           (n == 1u || n == 2u || (n == 4u && rows == 8u));
}

/* ll_ptx_matrix(rows, element_bits, trans, n): returns what ldmatrix loads into
 * registers and stmatrix stores from them: n matrices in shared memory, each
 * with `rows` rows of 16 bytes. i is the row and j the element in shared
 * memory; `matrix` counts the matrices. With trans 1, rows of memory are
 * columns of the fragment. element_bits is 16, or 8 for the b8 forms, which
 * include 4- and 6-bit elements unpacked to bytes. ll_ptx_matrix_rows(rows, n):
 * returns the row and the matrix whose address a lane passes; the addresses of
 * other lanes are not used. movmatrix converts ll_ptx_matrix(8, 16, 0, 1) to
 * ll_ptx_matrix(8, 16, 1, 1). Source (sm_75, b8 sm_100): PTX, "ldmatrix",
 * "stmatrix", "movmatrix". Fail with LL_EMATRIX.
 * Example: ll_ptx_matrix(8, 16, 0, 4) is L("register: j0 matrix0 matrix1 | "
 *          "lane: j1 j2 i0 i1 i2 -> j=8 | i=8 | matrix=4");
 * Example: ll_ptx_matrix(16, 8, 1, 1) is L("register: i0 i1 j3 | "
 *          "lane: i2 i3 j0 j1 j2 -> j=16 | i=16 | matrix=1");
 * Example: ll_ptx_matrix(16, 16, 1, 1).err is LL_EMATRIX;
 * Example: ll_ptx_matrix_rows(8, 2) is
 *          L("lane: i0 i1 i2 matrix0 0 -> i=8 | matrix=2");
 */
LL_FN ll_layout ll_ptx_matrix(unsigned rows, unsigned element_bits, int trans,
                              unsigned n) {
    const ll_dim along = trans ? LL_I : LL_J;
    const ll_dim across = trans ? LL_J : LL_I;
    const unsigned cols = element_bits == 16u ? 8u : 16u;
    if (!ll_ptx_is_matrix_(rows, n) ||
        (element_bits != 8u && element_bits != 16u) ||
        (rows == 16u && (!trans || element_bits != 8u))) {
        return ll_layout_none_(LL_EMATRIX);
    }
    ll_layout a = ll_ptx_core_((trans ? rows : cols) / 4u, along, across);
    a = ll_layout_by_(a, (trans ? cols : rows) / 8u, LL_REGISTER, across);
    return ll_layout_by_(a, n, LL_REGISTER, ll_dim_of("matrix"));
}

LL_FN ll_layout ll_ptx_matrix_rows(unsigned rows, unsigned n) {
    if (!ll_ptx_is_matrix_(rows, n)) {
        return ll_layout_none_(LL_EMATRIX);
    }
    ll_layout a = ll_identity(rows, LL_LANE, LL_I);
    a = ll_layout_by_(a, n, LL_LANE, ll_dim_of("matrix"));
    return ll_layout_copies_(a, 32u / (rows * n), LL_LANE);
}

/* The dimensions of tensor memory: its lanes and its columns. */
#define LL_DP ll_dim_of("dp")
#define LL_TCOL ll_dim_of("tcol")

/* Private: returns the layout of a warpgroup from a, one warp's tile: n tiles
 * side by side, and 32 lanes of tensor memory for each of the four warps. It
 * leaves out lanes of tensor memory that the tile does not reach. */
LL_FN ll_layout ll_ptx_tmem_warpgroup_(ll_layout a, unsigned n,
                                       unsigned element_bits) {
    const unsigned packed = element_bits == 16u ? 2u : 1u;
    a = ll_layout_by_(a, n, LL_REGISTER, LL_TCOL);
    const unsigned registers = ll_size(a.in, LL_REGISTER);
    a = ll_mul(ll_identity(packed, LL_REGISTER, LL_TCOL), a);
    a = ll_layout_by_(ll_resize_out(a, LL_DP, 32), 4, LL_WARP, LL_DP);
    a = registers > 128u ? ll_layout_bad_(a, LL_ETMEM) : a;
    return element_bits == 32u || packed == 2u ? a
                                               : ll_layout_bad_(a, LL_EOPERAND);
}

/* ll_ptx_tmem(lanes, bits, n, element_bits): returns what
 * tcgen05.ld.LANESxBITSb.xN loads from tensor memory and tcgen05.st stores
 * there. `dp` is the lane of tensor memory, `tcol` its 32-bit column, counted
 * from the address. Each of the four warps of a warpgroup reaches 32 lanes.
 * element_bits is 32, or 16 for .pack::16b and .unpack::16b. ll_ptx_tmem_x2(n,
 * element_bits, split): returns the layout of .16x32bx2, whose upper 16 lanes
 * start `split` columns later. Source (sm_100a): CUTLASS, and the figures of
 * PTX, "tcgen05.ld" and "Data Movement Shape". Fail with LL_ETMEM, LL_EOPERAND,
 * LL_ESIZE.
 * Example: ll_ptx_tmem(32, 32, 4, 32) is L("register: tcol0 tcol1 | "
 *          "lane: dp0 dp1 dp2 dp3 dp4 | warp: dp5 dp6");
 * Example: ll_ptx_tmem(16, 64, 1, 16) is L("register: tcol0 | "
 *          "lane: dp3 tcol1 dp0 dp1 dp2 | warp: dp5 dp6");
 * Example: ll_ptx_tmem(16, 32, 1, 32).err is LL_ETMEM;
 */
LL_FN ll_layout ll_ptx_tmem(unsigned lanes, unsigned bits, unsigned n,
                            unsigned element_bits) {
    const unsigned c = bits / 32u;
    if ((lanes != 32u || bits != 32u) &&
        (lanes != 16u || (bits != 64u && bits != 128u && bits != 256u))) {
        return ll_layout_none_(LL_ETMEM);
    }
    ll_layout a = ll_layout_empty_("register lane", "tcol dp");
    a = ll_layout_by_(a, c > 4u ? c / 4u : 1u, LL_REGISTER, LL_TCOL);
    if (lanes == 32u) {
        a = ll_layout_by_(a, 32, LL_LANE, LL_DP);
    } else {
        a = ll_layout_by_(a, c < 4u ? c : 4u, LL_LANE, LL_TCOL);
        a = ll_layout_by_(a, 8, LL_LANE, LL_DP);
        a = ll_layout_by_(a, 2, c < 4u ? LL_LANE : LL_REGISTER, LL_DP);
    }
    a = lanes == 16u && c == 2u ? ll_ptx_lanes_(a, "40123") : a;
    return ll_ptx_tmem_warpgroup_(a, n, element_bits);
}

LL_FN ll_layout ll_ptx_tmem_x2(unsigned n, unsigned element_bits,
                               unsigned split) {
    const unsigned packed = element_bits == 16u ? 2u : 1u;
    ll_layout a = ll_layout_empty_("register lane warp", "tcol dp");
    a = ll_ptx_tmem_warpgroup_(ll_layout_by_(a, 16, LL_LANE, LL_DP), n,
                               element_bits);
    const unsigned cols = n * packed > split ? n * packed : split;
    const ll_layout upper = ll_strided(2, split, LL_LANE, LL_TCOL);
    a = ll_layout_bad_(ll_resize_out(a, LL_TCOL, 2u * cols), upper.err);
    a = ll_layout_copies_(a, 2, LL_LANE);
    const unsigned at =
        ll_shape_start_(&a.in, ll_shape_find_(&a.in, LL_LANE)) + 4u;
    a.basis[at < LL_MAX_BITS ? at : 0u] = ll_pack(a.out, LL_TCOL, split);
    return a;
}

/* ll_ptx_tcgen05_d(m, n, folded): returns where tensor memory holds the
 * accumulator of tcgen05.mma in one block, as (tcol, dp) -> i, j; tcol counts
 * elements here. m and n are the rows and columns of this block; with
 * .cta_group::2, m is half of the instruction's m. With folded 1, as for .ws
 * and .cta_group::2, the last columns use the lanes that the rows leave free.
 * With folded 0, 64 rows use 16 of every 32 lanes. An instruction has at least
 * 8 columns; a smaller n is a slice of tensor memory in the same order. Source
 * (sm_100a): CUTLASS, and the figures of PTX, "Data path layout organization".
 * Fails with LL_EM, LL_EN.
 * Example: ll_ptx_tcgen05_d(64, 8, 0) is
 *          L("tcol: j0 j1 j2 | dp: i0 i1 i2 i3 0 i4 i5");
 * Example: ll_ptx_tcgen05_d(64, 8, 1) is
 *          L("tcol: j0 j1 | dp: i0 i1 i2 i3 i4 i5 j2");
 * Example: ll_ptx_tcgen05_d(128, 2, 0) is
 *          L("tcol: j0 | dp: i0 i1 i2 i3 i4 i5 i6");
 * Example: ll_ptx_tcgen05_d(32, 2, 1).err is LL_EN;
 */
LL_FN ll_layout ll_ptx_tcgen05_d(unsigned m, unsigned n, int folded) {
    if ((m != 32u || !folded) && m != 64u && m != 128u) {
        return ll_layout_none_(LL_EM);
    }
    const unsigned low = folded || m == 128u ? m : 16u;
    const unsigned over = folded ? 128u / m : 1u;
    if (n < over || n > 256u || ll_log2_(n) >= 32u) {
        return ll_layout_none_(LL_EN);
    }
    ll_layout a = ll_layout_empty_("tcol dp", "j i");
    a = ll_layout_by_(a, n / over, LL_TCOL, LL_J);
    a = ll_layout_by_(a, low, LL_DP, LL_I);
    a = low < m ? ll_layout_copies_(a, 2, LL_DP) : a;
    a = ll_layout_by_(a, m / low, LL_DP, LL_I);
    return ll_layout_by_(a, over, LL_DP, LL_J);
}

#endif
