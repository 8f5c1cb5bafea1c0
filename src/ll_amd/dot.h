/* ---- Layouts of dots for the engine ----------------------------------- */
#ifndef LL_AMD_DOT_H
#define LL_AMD_DOT_H

#include "../ll/layout/families.h"
#include "../ll/engine/reader.h"
#include "operands.h"

#ifdef LL_ENGINE
/* Private: returns the layout of an operand of one MFMA with an m x m
 * result. */
LL_FN ll_layout ll_amd_dot_mfma_(unsigned m, int scaled, unsigned operand,
                                 unsigned element_bits) {
    const unsigned each = element_bits >= 32u ? 1u
                          : element_bits < 8u ? 16u
                                              : 64u / element_bits;
    const unsigned k = scaled ? 2048u / m : each * 64u / m;
    const int fits = !scaled || element_bits < 16u;
    return operand == LL_ENGINE_A && fits ? ll_amd_mfma_a(m, k, 1, element_bits)
           : operand == LL_ENGINE_B && fits
               ? ll_amd_mfma_b(k, m, 1, element_bits)
           : operand == LL_ENGINE_C ? ll_amd_mfma_c(m, m, 1, element_bits)
           : operand == LL_ENGINE_SCALE_A && scaled ? ll_amd_mfma_scale_a(m, k)
           : operand == LL_ENGINE_SCALE_B && scaled
               ? ll_amd_mfma_scale_b(k, m)
               : ll_layout_none_(LL_EMISSING);
}

/* Private: returns the layout of an operand of one WMMA. */
LL_FN ll_layout ll_amd_dot_wmma_(unsigned gfx, unsigned lanes, unsigned operand,
                                 unsigned element_bits) {
    return operand == LL_ENGINE_A ? ll_amd_wmma_a(gfx, lanes, 16, element_bits)
           : operand == LL_ENGINE_B
               ? ll_amd_wmma_b(gfx, lanes, 16, element_bits)
           : operand == LL_ENGINE_C ? ll_amd_wmma_c(gfx, lanes, element_bits)
                                    : ll_layout_none_(LL_EMISSING);
}

/* ll_amd_dot(name, n, operand, rows, cols, element_bits, warps): returns the
 * layout of an operand or the result of a dot, for the layout engine: e.family
 * = ll_amd_dot. `name` has n characters and names the instructions:
 *
 *     mfma16, mfma32                  MFMA with 16 x 16 and 32 x 32 results
 *     mfma_scale16, mfma_scale32      the same with scales, one per 32
 *                                     elements along k (CDNA4)
 *     wmma_w32, wmma_w64              WMMA of RDNA3
 *     wmma_w32_gfx12, wmma_w64_gfx12  WMMA of RDNA4
 *
 * With mfma16, four lanes share a row of A or a column of B; with mfma32, two
 * lanes. Each of them holds 8 bytes along k, or one element of 32 or 64 bits.
 * The warps take the rows of A and of the result in turn; each warp holds all
 * of B. Fails with LL_EMISSING, and as ll_amd_mfma_a, ll_amd_mfma_scale_a,
 * ll_amd_wmma_a and ll_tiled.
 * Example: ll_amd_dot("mfma32", 6, LL_ENGINE_A, 128, 8, 16, 4) is
 *          L("register: j0 j1 | lane: i0 i1 i2 i3 i4 j2 | warp: i5 i6");
 * Example: ll_amd_dot("wmma_w32", 8, LL_ENGINE_C, 32, 16, 32, 2) is
 *          L("register: i1 i2 i3 | lane: j0 j1 j2 j3 i0 | warp: i4");
 * Example: ll_amd_dot("mfma_scale16", 12, LL_ENGINE_SCALE_B, 4, 32, 8, 2) is
 *          L("register: j4 | lane: j0 j1 j2 j3 i0 i1 | warp: 0");
 * Example: ll_amd_dot("mma", 3, LL_ENGINE_A, 64, 16, 16, 4).err is
 *          LL_EMISSING;
 */
LL_FN ll_layout ll_amd_dot(const char *name, unsigned n, unsigned operand,
                           unsigned rows, unsigned cols, unsigned element_bits,
                           unsigned warps) {
    const int s16 = ll_engine_is_word_(name, n, "mfma_scale16");
    const int s32 = ll_engine_is_word_(name, n, "mfma_scale32");
    const unsigned m = s16 || ll_engine_is_word_(name, n, "mfma16")   ? 16u
                       : s32 || ll_engine_is_word_(name, n, "mfma32") ? 32u
                                                                      : 0u;
    const int rdna4 = ll_engine_is_word_(name, n, "wmma_w32_gfx12") ||
                      ll_engine_is_word_(name, n, "wmma_w64_gfx12");
    const int wmma = rdna4 || ll_engine_is_word_(name, n, "wmma_w32") ||
                     ll_engine_is_word_(name, n, "wmma_w64");
    const int is_b = operand == LL_ENGINE_B || operand == LL_ENGINE_SCALE_B;
    const ll_shape none = LL_ZERO;
    const ll_layout tile =
        m      ? ll_amd_dot_mfma_(m, s16 || s32, operand, element_bits)
        : wmma ? ll_amd_dot_wmma_(rdna4 ? 0x1200u : 0x1100u,
                                  name[6] == '6' ? 64u : 32u, operand,
                                  element_bits)
               : ll_layout_none_(LL_EMISSING);
    return ll_tiled(tile, ll_with(ll_with(none, LL_J, cols), LL_I, rows),
                    ll_with(none, is_b ? LL_K : LL_I, warps));
}
#endif /* LL_ENGINE */

#endif
