/* ---- Layouts of dots for the engine ----------------------------------- */
#ifndef LL_PTX_DOT_H
#define LL_PTX_DOT_H

#include "../ll/engine/reader.h"
#include "swizzle_modes.h"

#ifdef LL_ENGINE
/* Private: returns the layout of an operand of a dot by mma.sync. */
LL_FN ll_layout ll_ptx_dot_mma_(unsigned operand, unsigned rows, unsigned cols,
                                unsigned element_bits, unsigned warps) {
    switch (operand) {
    case LL_ENGINE_A:
        return ll_ptx_mma_a(rows, cols, element_bits, warps);
    case LL_ENGINE_B:
        return ll_ptx_mma_b(rows, cols, element_bits, warps);
    case LL_ENGINE_SCALE_A:
        return ll_tiled(ll_ptx_scale_a(1), ll_shape_matrix_(rows, cols),
                        ll_ptx_warps_(warps, LL_I));
    case LL_ENGINE_SCALE_B: {
        const ll_layout b = ll_tiled(
            ll_ptx_scale_b(1), ll_shape_reversed_(ll_shape_matrix_(rows, cols)),
            ll_ptx_warps_(warps, LL_K)); /* tiles along k first */
        return b.err ? b : ll_order_out(b, "j i");
    }
    case LL_ENGINE_C:
        return ll_ptx_mma_c(rows, cols, warps);
    default:
        return ll_layout_none_(LL_EMISSING);
    }
}

/* Private: returns the tile of operand A or B in shared memory, with the widest
 * swizzle that its contiguous axis fills. */
LL_FN ll_layout ll_ptx_dot_tile_(unsigned operand, unsigned rows, unsigned cols,
                                 unsigned element_bits) {
    const int is_b = operand == LL_ENGINE_B_K || operand == LL_ENGINE_B_MN;
    const int is_mn = operand == LL_ENGINE_A_MN || operand == LL_ENGINE_B_MN;
    const unsigned bytes = (is_b == is_mn ? cols : rows) * element_bits / 8u;
    const unsigned swizzle = bytes >= 128u  ? 128u
                             : bytes >= 32u ? bytes
                                            : 0u;
    const unsigned i = is_b ? cols : rows;
    const unsigned j = is_b ? rows : cols;
    const ll_layout a = is_mn ? ll_ptx_smem_mn(i, j, element_bits, swizzle, 16)
                              : ll_ptx_smem_k(i, j, element_bits, swizzle);
    return is_b && !a.err ? ll_trans(a, "j i") : a;
}

/* Private: returns the registers into which tcgen05.ld.32x32b loads the
 * accumulators of a tensor. */
LL_FN ll_layout ll_ptx_dot_tcgen05_(unsigned rows, unsigned cols,
                                    unsigned warps) {
    const unsigned m = rows < 128u ? rows : 128u;
    const ll_dim d = rows > m ? LL_I : LL_J;
    const unsigned each = rows > m || warps < 8u ? cols : cols / (warps / 4u);
    const unsigned n = each < 128u ? each : 128u;
    if (warps < 4u || n < 8u) {
        return ll_layout_none_(warps < 4u ? LL_EWARPS : LL_EN);
    }
    const ll_layout a = ll_compose(ll_ptx_tcgen05_d(m, n, 0),
                                   ll_ptx_tmem(32, 32, n, 32));
    return ll_tiled(a, ll_shape_matrix_(rows, cols),
                    ll_ptx_warps_(warps / 4u, d));
}

/* Private: returns the registers from which tcgen05.st.32x32b stores the scales
 * of A or B to tensor memory. Four scales along k share a word. Rows (columns
 * of B) that are 32 apart are in words of the same lane. All warps store the
 * same. */
LL_FN ll_layout ll_ptx_dot_scales_(unsigned operand, unsigned rows,
                                   unsigned cols, unsigned warps) {
    const int is_b = operand == LL_ENGINE_SCALE_B;
    const ll_dim side = is_b ? LL_J : LL_I;
    const ll_dim along = is_b ? LL_I : LL_J;
    const unsigned n = is_b ? cols : rows;
    const unsigned k = is_b ? rows : cols;
    ll_layout a = ll_layout_empty_("register lane", "j i");
    if (warps < 4u || n < (is_b ? 8u : 128u)) {
        return ll_layout_none_(warps < 4u ? LL_EWARPS : is_b ? LL_EN : LL_EM);
    }
    a = ll_layout_by_(a, k < 4u ? k : 4u, LL_REGISTER, along);
    a = ll_layout_by_(a, n < 32u ? n : 32u, LL_LANE, side);
    a = n < 32u ? ll_layout_copies_(a, 32u / n, LL_LANE)
                : ll_layout_by_(a, n / 32u, LL_REGISTER, side);
    return ll_tiled(a, ll_shape_matrix_(rows, cols),
                    ll_ptx_warps_(warps, LL_K));
}

/* ll_ptx_dot(name, n, operand, rows, cols, element_bits, warps): returns the
 * layout of an operand or the result of a dot, for the layout engine: e.family
 * = ll_ptx_dot. `name` has n characters and names the instructions:
 *
 *     mma         mma.sync.m16n8, as in ll_ptx_mma_a
 *     wgmma       reads B in shared memory, and A there or in registers
 *     tcgen05     reads A and B in shared memory
 *     tcgen05_ta  reads A in tensor memory and B in shared memory
 *
 * The result of tcgen05 is in the registers into which tcgen05.ld.32x32b loads
 * it from tensor memory, one row per lane. If it has more than 128 rows,
 * several warpgroups divide the rows, else the columns. For tcgen05_ta the
 * lanes store A to tensor memory in the same way, one row per lane; A has at
 * least 128 rows. A dot_scaled of mma has one scale per 32 elements along k,
 * and the scales of b are k / 32 x n. A dot_scaled of tcgen05 has the same
 * scales, and lanes store them to tensor memory; 16 elements of 4 bits along k
 * may also share a scale. Tiles in shared memory have the layout of
 * ll_ptx_smem_k. With 16 bits, for tcgen05 also with 8, they may have the
 * layout of ll_ptx_smem_mn. Fails with LL_EMISSING (no such name, or the
 * operand is not read there), LL_EM (too few rows), and as these functions and
 * ll_ptx_mma_a, ll_ptx_wgmma_a, ll_ptx_tcgen05_d.
 * Example: ll_ptx_dot("mma", 3, LL_ENGINE_A, 64, 16, 16, 4) is
 *          L("register: j0 i3 j3 | lane: j1 j2 i0 i1 i2 | warp: i4 i5");
 * Example: ll_ptx_dot("wgmma", 5, LL_ENGINE_B_K, 16, 8, 16, 4) is
 *          L("offset: i0 i1 i2 i3 j0 j1 j2^i3");
 * Example: ll_ptx_dot("tcgen05", 7, LL_ENGINE_C, 128, 8, 32, 4) is
 *          L("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | warp: i5 i6");
 * Example: ll_ptx_dot("tcgen05", 7, LL_ENGINE_A, 128, 16, 16, 4).err is
 *          LL_EMISSING;
 * Example: ll_ptx_dot("tcgen05_ta", 10, LL_ENGINE_A, 128, 8, 16, 4) is
 *          L("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | warp: i5 i6");
 * Example: ll_ptx_dot("tcgen05", 7, LL_ENGINE_SCALE_A, 128, 4, 8, 4) is
 *          L("register: j0 j1 i5 i6 | lane: i0 i1 i2 i3 i4 | warp: 0 0");
 * Example: ll_ptx_dot("mfma", 4, LL_ENGINE_A, 64, 16, 16, 4).err is
 *          LL_EMISSING;
 */
LL_FN ll_layout ll_ptx_dot(const char *name, unsigned n, unsigned operand,
                           unsigned rows, unsigned cols, unsigned element_bits,
                           unsigned warps) {
    const int wgmma = ll_engine_is_word_(name, n, "wgmma");
    const int ta = ll_engine_is_word_(name, n, "tcgen05_ta");
    const int tcgen05 = ta || ll_engine_is_word_(name, n, "tcgen05");
    const int turns = element_bits == 16u || (tcgen05 && element_bits == 8u);
    if (!wgmma && !tcgen05) {
        return ll_engine_is_word_(name, n, "mma")
                   ? ll_ptx_dot_mma_(operand, rows, cols, element_bits, warps)
                   : ll_layout_none_(LL_EMISSING);
    }
    switch (operand) {
    case LL_ENGINE_A:
        return wgmma          ? ll_ptx_wgmma_a(rows, cols, element_bits, warps)
               : !ta          ? ll_layout_none_(LL_EMISSING)
               : rows >= 128u ? ll_ptx_dot_tcgen05_(rows, cols, warps)
                              : ll_layout_none_(LL_EM);
    case LL_ENGINE_C:
        return wgmma ? ll_ptx_wgmma_d(rows, cols, warps)
                     : ll_ptx_dot_tcgen05_(rows, cols, warps);
    case LL_ENGINE_SCALE_A:
    case LL_ENGINE_SCALE_B:
        return wgmma ? ll_layout_none_(LL_EMISSING)
                     : ll_ptx_dot_scales_(operand, rows, cols, warps);
    case LL_ENGINE_A_MN:
    case LL_ENGINE_A_K:
    case LL_ENGINE_B_MN:
    case LL_ENGINE_B_K: {
        const int is_a = operand == LL_ENGINE_A_K || operand == LL_ENGINE_A_MN;
        const int is_mn =
            operand == LL_ENGINE_A_MN || operand == LL_ENGINE_B_MN;
        return element_bits > 32u || (!turns && is_mn) || (ta && is_a)
                   ? ll_layout_none_(LL_EMISSING)
                   : ll_ptx_dot_tile_(operand, rows, cols, element_bits);
    }
    default:
        return ll_layout_none_(LL_EMISSING);
    }
}
#endif /* LL_ENGINE */

#endif
