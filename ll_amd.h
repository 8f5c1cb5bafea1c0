/* ll_amd.h - linear layouts for AMD GPUs: targets, instructions, moves.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_AMD_H
#define LL_AMD_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- 1. What this is ---------------------------------------------------- */
/*
 * The AMD half of the library, twin of ll_ptx.h: the same sections in the same
 * order, the same names behind the prefix. It knows the targets, the operands
 * of the matrix instructions and the transposing loads; the moves of a kernel
 * are not there yet, and one that asks for them does not compile.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_amd_target, LL_GFX908 .. LL_GFX1201    |
 * | which target has what      | ll_amd_has, ll_amd_need                   |
 * | matrix operands, dense     | ll_amd_mfma_a, ll_amd_wmma_a, .. _c       |
 * | the same of a tensor       | ll_tiled                                  |
 * | matrix operands, sparse    | ll_amd_smfmac_a, ll_amd_swmmac_a, .. _k   |
 * | scales of a matrix operand | ll_amd_mfma_scale_a, .. _b                |
 * | operands under modifiers   | ll_amd_cbsz, _blgp, _index_set, _opsel    |
 * | transposing loads          | ll_amd_ds_read_tr, ll_amd_ds_load_tr      |
 * | tensor memory              | there is none                             |
 * | swizzled shared memory     | ll_swizzled, ll_rotated                   |
 * | descriptors of such memory | none are needed                           |
 * | global memory, 16 bytes    | not yet                                   |
 * | masked at ragged edges     | not yet                                   |
 * | shared memory, 16 bytes    | not yet                                   |
 * | conversion, shared memory  | not yet                                   |
 */

/* ---- 2. A complete example ---------------------------------------------- */

/* ---- 3. The functions at a glance --------------------------------------- */
/*
 * LL_GLANCE_BEGIN
 * 8. Targets
 *     ll_amd_target ll_amd_has ll_amd_need
 * 9. Register layouts of matrix instructions
 *     ll_amd_mfma_a ll_amd_mfma_b ll_amd_mfma_c ll_amd_mfma_scale_a
 *     ll_amd_mfma_scale_b ll_amd_smfmac_a ll_amd_smfmac_b ll_amd_smfmac_k
 *     ll_amd_wmma_a ll_amd_wmma_b ll_amd_wmma_c ll_amd_swmmac_a
 *     ll_amd_swmmac_b ll_amd_swmmac_k ll_amd_cbsz ll_amd_blgp ll_amd_index_set
 *     ll_amd_opsel
 * 10. Shared memory layouts the hardware reads
 *     ll_amd_ds_read_tr ll_amd_ds_load_tr
 * LL_GLANCE_END
 */

/* ---- 4. Words and bit order --------------------------------------------- */
/*
 * As in ll.h. What AMD calls a wavefront, 32 or 64 lanes, is a warp here; the
 * word wavefront is kept for a cycle of shared memory (LDS).
 */

/* ---- 5. Configuration --------------------------------------------------- */
/*
 * None of its own; see ll.h.
 */

/* ---- 6. Portability ----------------------------------------------------- */

/* ---- 7. Types and errors ------------------------------------------------ */
/*
 * Those of ll.h.
 */

/* ---- 8. Targets --------------------------------------------------------- */

/* Private: the first 2^n lanes are served together. */
LL_FN void ll_amd_phase_(ll_target *t, unsigned op, unsigned width,
                         unsigned banks, unsigned n) {
    t->banks[op][width] = banks;
    for (unsigned k = 0; k < n; ++k) {
        t->phase[op][width][k] = 1u << k;
    }
}

/* Private: is it CDNA, RDNA3 (gfx1100 and up, gfx1150 and up), RDNA4? */
LL_FN int ll_amd_cdna_(unsigned gfx) {
    return gfx == 0x908u || gfx == 0x90au || gfx == 0x950u ||
           (gfx >= 0x940u && gfx <= 0x942u);
}

LL_FN int ll_amd_rdna3_(unsigned gfx) {
    return (gfx >= 0x1100u && gfx <= 0x1103u) ||
           (gfx >= 0x1150u && gfx <= 0x1153u);
}

LL_FN int ll_amd_rdna4_(unsigned gfx) {
    return gfx == 0x1200u || gfx == 0x1201u;
}

/* ll_amd_target(gfx, lanes): the target gfx, written in hex, 0x942 for gfx942,
 * with wavefronts of so many lanes: 64 on CDNA, 32 or 64 on RDNA.
 *
 * Shared memory has 32 banks of 4 bytes, for reads on gfx950 64. The lanes that
 * are served together are not always neighbours: for reads of 16 bytes on
 * gfx942 and RDNA3 lanes 0 to 3 and 20 to 23, and so on. Assumed: gfx908 to
 * gfx941 as gfx942; writes that nobody measured, 128 bytes of neighbours at
 * once; 64 lanes on RDNA as twice 32. Source (gfx942, gfx950, RDNA3, RDNA4):
 * measurements of HipKittens and of amd-shark-ai, rocRoller's LDS model. Fails
 * with LL_ETARGET.
 * Example: ll_amd_target(0x950, 64).banks[LL_READ][2] is 64;
 * Example: ll_amd_target(0x942, 64).phase[LL_READ][2][2] is 20;
 * Example: ll_amd_target(0x942, 32).err is LL_ETARGET;
 */
LL_FN ll_target ll_amd_target(unsigned gfx, unsigned lanes) {
    ll_target t = LL_ZERO;
    int rdna = ll_amd_rdna3_(gfx) || ll_amd_rdna4_(gfx);
    int known = lanes == 64u ? rdna || ll_amd_cdna_(gfx) : lanes == 32u && rdna;
    t.err = known ? (unsigned)LL_OK : (unsigned)LL_ETARGET;
    t.lanes = lanes;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    for (unsigned width = 0; width < 3u; ++width) {
        int both = gfx == 0x950u;
        ll_amd_phase_(&t, LL_READ, width, both ? 64 : 32,
                      (both ? 6u : 5u) - width);
        ll_amd_phase_(&t, LL_WRITE, width, 32, 5u - width);
    }
    if (gfx == 0x950u) {
        t.phase[LL_READ][2][2] = 12;
        t.phase[LL_READ][2][3] = 20;
        t.forms[LL_READ][LL_FORM_TRANS] = 0x333dc9821fba0;
        t.forms[LL_READ][LL_FORM_BYTES] = 0x333dc8210fba9;
        ll_amd_phase_(&t, LL_READ, 3, 32, 2);
        t.phase[LL_READ][3][2] = 20;
    } else if (!ll_amd_rdna4_(gfx)) {
        t.phase[LL_READ][2][2] = 20;
    }
    return t;
}

#define LL_GFX908 ll_amd_target(0x908, 64)
#define LL_GFX90A ll_amd_target(0x90a, 64)
#define LL_GFX942 ll_amd_target(0x942, 64)
#define LL_GFX950 ll_amd_target(0x950, 64)
#define LL_GFX1100 ll_amd_target(0x1100, 32)
#define LL_GFX1201 ll_amd_target(0x1201, 32)

/* Private: which targets have an instruction (the ISA references of CDNA1 to
 * CDNA4, RDNA3 and RDNA4; the compiler's list of built-ins, BuiltinsAMDGPU.def
 * in LLVM, with those that clang 22 could compile). A target is meant by its
 * first digits: "94" is gfx940 to gfx942, "120" gfx1200 and gfx1201. */
#define LL_AMD_PRODUCTS_                                                    \
    {"mfma", "908 90a 94 950"}, {"mfma f64", "90a 94 950"},                 \
    {"mfma *bf16", "908 90a"}, {"mfma *bf16 1k", "90a 94 950"},             \
    {"mfma 32x32x8i8", "908 90a"}, {"mfma 16x16x16i8", "908 90a"},          \
    {"mfma 32x32x16 i8", "94 950"}, {"mfma 16x16x32 i8", "94 950"},         \
    {"mfma xf32", "94"}, {"mfma fp8", "94 950"}, {"mfma bf8", "94 950"},    \
    {"mfma 16x16x32 *f16", "950"}, {"mfma 32x32x16 *f16", "950"},           \
    {"mfma 16x16x64 i8", "950"}, {"mfma 32x32x32 i8", "950"},               \
    {"mfma scale", "950"}, {"smfmac", "94 950"},                            \
    {"smfmac 16x16x64 *f16", "950"}, {"smfmac 32x32x32 *f16", "950"},       \
    {"smfmac 16x16x128", "950"}, {"smfmac 32x32x64", "950"},                \
    {"wmma", "11"}, {"wmma 16x16x32", "1250"}, {"wmma gfx12", "120"},       \
    {"swmmac", "120"}
#define LL_AMD_MOVES_                                                       \
    {"ds bpermute", "9 10 11 12"}, {"ds bpermute fi", "12"},                \
    {"ds permute", "9 10 11 12"}, {"ds swizzle", "9 10 11 12"},             \
    {"mov dpp", "9 10 11 12"}, {"mov dpp8", "10 11 12"},                    \
    {"update dpp", "9 10 11 12"}, {"update dpp xmask", "10 11 12"},         \
    {"update dpp newbcast", "90a 94 950 10 11 12"},                         \
    {"update dpp row bcast*", "9"}, {"update dpp wave", "9"},               \
    {"permlane16", "10 11 12"}, {"permlanex16", "10 11 12"},                \
    {"permlane16 var", "12"}, {"permlanex16 var", "12"},                    \
    {"permlane64", "11 12"}, {"permlane16 swap", "950 1250"},               \
    {"permlane32 swap", "950"}, {"permlane bcast", "1250"},                 \
    {"permlane idx gen", "1250"}, {"readlane", "9 10 11 12"},               \
    {"readfirstlane", "9 10 11 12"}, {"perm", "9 10 11 12"},                \
    {"alignbyte", "9 10 11 12"}, {"wavefrontsize", "9 10 11 12"},           \
    {"bitop3", "950 1250"}, {"prng", "950 1250"}, {"ds read tr*", "950"},   \
    {"ds load tr*", "1250"}, {"global load tr", "12"},                      \
    {"global load tr8", "1250"}, {"global load lds", "9 10"},               \
    {"global load lds 12", "950"}, {"global load lds 16", "950"},           \
    {"raw buffer", "9 10 11 12"}, {"raw ptr buffer load lds", "9 10"},      \
    {"raw ptr buffer load lds 12", "950"},                                  \
    {"raw ptr buffer load lds 16", "950"}

/* Private: the digits of "gfx942"; nothing where it is not such a name. */
LL_FN const char *ll_amd_digits_(const char *target) {
    const int is_gfx = ll_is_like_(target, "gfx*");
    const char *digits = is_gfx ? target + 3 : "";
    unsigned n = 0;
    while ((digits[n] >= '0' && digits[n] <= '9') ||
           (digits[n] >= 'a' && digits[n] <= 'f')) {
        ++n;
    }
    return digits[n] == 0 && (n == 3u || n == 4u) ? digits : "";
}

/* Private: is it among those that a rule names? */
LL_FN int ll_amd_is_among_(const char *digits, const char *targets) {
    int among = 0;
    for (; *digits && *targets && !among; targets = ll_next_part_(targets)) {
        const unsigned n = ll_part_(targets);
        unsigned k = 0;
        while (k < n && digits[k] == targets[k]) {
            ++k;
        }
        among = k == n;
    }
    return among;
}

/* ll_amd_has(target, instruction): 1 if the target, written as clang does
 * ("gfx942"), has the instruction, written as the compiler's built-in without
 * __builtin_amdgcn_ and with as many of its parts as matter, behind a blank the
 * bytes of a load to LDS or the name of the dpp control. It is taken for
 * granted that the parts go together. 0 for a target or an instruction that
 * this library does not know. ll_amd_need(a, target, instruction): the layout
 * a, for LL_LAYOUT, if the target has what moves or multiplies it. (ISA
 * references; LLVM's BuiltinsAMDGPU.def.) Fails with LL_EARCH, LL_ETARGET.
 * Example: ll_amd_has("gfx950", "permlane32_swap") is 1;
 * Example: ll_amd_has("gfx908", "mfma_f64_16x16x4f64") is 0;
 * Example: ll_amd_has("gfx1201", "wmma_f32_16x16x16_f16_w32_gfx12") is 1;
 * Example: ll_amd_need(ll_amd_ds_read_tr(16), "gfx950", "ds_read_tr16_b64") is
 *          ll_amd_ds_read_tr(16);
 * Example: ll_amd_need(ll_amd_ds_read_tr(16), "gfx942",
 *          "ds_read_tr16_b64").err is LL_EARCH;
 * Example: ll_amd_need(ll_rows(8, 8, 1), "942", "perm").err is LL_ETARGET;
 */
LL_FN int ll_amd_has(const char *target, const char *instruction) {
    const ll_rule_ rules[] = {LL_AMD_PRODUCTS_, LL_AMD_MOVES_};
    return ll_amd_is_among_(
        ll_amd_digits_(target),
        ll_targets_of_(rules, sizeof rules / sizeof rules[0], instruction));
}

LL_FN ll_layout ll_amd_need(ll_layout a, const char *target,
                            const char *instruction) {
    a = ll_bad_(a, *ll_amd_digits_(target) ? LL_OK : LL_ETARGET);
    return ll_amd_has(target, instruction) ? a : ll_bad_(a, LL_EARCH);
}

/* ---- 9. Register layouts of matrix instructions ------------------------- */

/* Registers are counted in elements, also where several share a VGPR: 8 of 4
 * bits and so on, the first one in the low bits; 64-bit elements take two. i is
 * the row and j the column of the operand itself, so that A is m x k, B is k x
 * n and the accumulator (C and D alike) m x n; where an instruction computes
 * several products at once, b counts them. The type of an element does not
 * matter, only its bits. A sparse A is m x k. The letters are those of the
 * manuals: a and b, c for the accumulator, k for the index of a sparse A.
 *
 * These are the operands of one instruction. Of a tensor, ll_tiled makes them,
 * on 2 x 2 warps:
 *
 * Example: ll_tiled(ll_amd_mfma_a(32, 8, 1, 16), ll_shape_of("j=8 i=128"),
 *                   ll_shape_of("i=2 k=2")) is
 *          L("register: j0 j1 i6 | lane: i0 i1 i2 i3 i4 j2 | warp: i5 0");
 * Example: ll_tiled(ll_amd_mfma_b(8, 32, 1, 16), ll_shape_of("i=8 j=64"),
 *                   ll_shape_of("k=2 j=2")) is L("register: i0 i1 | "
 *          "lane: j0 j1 j2 j3 j4 i2 | warp: 0 j5 -> j=64 i=8");
 *
 * In a dense product k is a mere label: the same permutation of k in A and B
 * gives the same result. Where a modifier lets several lanes read one, hardware
 * to matrix is not a map any more; the other direction always is. The functions
 * named after modifiers give it: for each element, the register and lane it is
 * read from. f8f6f4 with 6-bit elements is left out: Triton and the emulator of
 * rocm-systems, the only public sources, disagree on their registers.
 */

/* The dimension of the products. */
#define LL_AMD_B ll_dim_of("b")

/* Private: the next `blocks` of an input count the products, if there are
 * several. */
LL_FN ll_layout ll_amd_blocks_(ll_layout a, unsigned blocks, ll_dim in) {
    return blocks > 1u ? ll_by_(a, blocks, in, LL_AMD_B) : a;
}

/* Private: does an MFMA have these sizes? Those of f64 fill 16 lanes by one
 * side of the matrix, or of its blocks together, and several blocks of other
 * types fill 64. */
LL_FN int ll_amd_is_mfma_(unsigned m, unsigned blocks, unsigned element_bits) {
    return (m == 4u || m == 16u || m == 32u) &&
           (element_bits == 64u ? m < 32u && blocks == 16u / m
            : blocks == 1u      ? m >= 16u
                                : blocks == 64u / m);
}

/* Private: is there one whose A and B have 2^n elements in a lane? From one
 * VGPR up to two; of CDNA4 four, and eight for 8 bits. */
LL_FN int ll_amd_has_(unsigned n, unsigned blocks, unsigned element_bits) {
    const unsigned log = ll_log2_(element_bits);
    const unsigned least = log == 2u ? 7u : 5u;
    const unsigned most = log >= 5u ? 6u : log == 3u ? 8u : 7u;
    const unsigned several = log == 4u || log == 6u ? 6u : 5u;
    return n <= 6u && log >= 2u && log <= 6u && log + n >= least &&
           log + n <= (blocks > 1u ? several : most);
}

/* Private: A of m x k, or B with rows and columns exchanged. A lane holds runs
 * of at most 16 bytes along k; the bits of k in the lanes come behind a run. */
LL_FN ll_layout ll_amd_mfma_(unsigned m, unsigned k, unsigned blocks,
                             unsigned element_bits, ll_dim side,
                             ll_dim along) {
    const unsigned n = ll_log2_((unsigned long long)m * blocks * k) - 6u;
    if (!ll_amd_is_mfma_(m, blocks, element_bits) ||
        !ll_amd_has_(n, blocks, element_bits)) {
        return ll_none_(LL_EMFMA);
    }
    const unsigned each = 1u << n;
    const unsigned most = 128u / element_bits;
    const unsigned run = each < most ? each : most;
    ll_layout a = ll_empty_("register lane", "j i");
    a = ll_by_(a, run, LL_REGISTER, along);
    a = ll_by_(a, m, LL_LANE, side);
    a = ll_amd_blocks_(a, blocks, LL_LANE);
    a = ll_by_(a, 64u / (m * blocks), LL_LANE, along);
    return ll_by_(a, each / run, LL_REGISTER, along);
}

/* ll_amd_mfma_a(m, k, blocks, element_bits), ll_amd_mfma_b(k, n, blocks,
 * element_bits): operands A and B of v_mfma_*_MxNxK; ll_amd_mfma_c(m, n,
 * blocks, element_bits): the accumulator, also of v_smfmac_*, of 32 or 64 bits.
 * All types but those of 6 bits; blocks is the number before the b in the
 * mnemonic, as in 16x16x4_4b, 1 where there is none. (Mnemonics of gfx908 and
 * gfx90a leave it out: it is 64/M where a lane holds all of k.)
 * Source (CDNA1 to 4): AMD matrix instruction calculator 1.3.2; of CDNA4
 * Triton. Fail with LL_EMFMA.
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
        return ll_none_(LL_EMFMA);
    }
    /* Four rows in registers, the next ones in lanes; of f64 the first ones,
     * behind the blocks. */
    const unsigned left = 64u / m; /* lanes beside those of a row */
    const unsigned first = element_bits == 64u ? 1u : 4u;
    const unsigned rows = element_bits == 64u ? left / blocks
                          : m / first < left  ? m / first
                                              : left;
    ll_layout a = ll_empty_("register lane", "j i");
    a = ll_by_(a, first, LL_REGISTER, LL_I);
    a = ll_by_(a, m, LL_LANE, LL_J);
    a = ll_amd_blocks_(a, left / rows, LL_LANE);
    a = ll_by_(a, rows, LL_LANE, LL_I);
    a = ll_by_(a, m / (first * rows), LL_REGISTER, LL_I);
    return ll_amd_blocks_(a, blocks * rows / left, LL_REGISTER);
}

/* ll_amd_mfma_scale_a(m, k), ll_amd_mfma_scale_b(k, n): the scales of
 * v_mfma_scale_f32_MxNxK_f8f6f4, one byte in each lane. Those of A are an
 * m x k/32 matrix, those of B k/32 x n. The modifiers opsel choose the byte of
 * the VGPR. Source (CDNA4): Triton, chooseScaledMfmaScaleLayout. Fail with
 * LL_EMFMA.
 * Example: ll_amd_mfma_scale_a(16, 128) is
 *          L("register: | lane: i0 i1 i2 i3 j0 j1");
 * Example: ll_amd_mfma_scale_b(64, 32) is
 *          L("register: | lane: j0 j1 j2 j3 j4 i0");
 */
LL_FN ll_layout ll_amd_scale_(unsigned m, unsigned k, ll_dim side,
                              ll_dim along) {
    if ((m != 16u && m != 32u) || k != 2048u / m) {
        return ll_none_(LL_EMFMA);
    }
    const ll_layout a = ll_empty_("register lane", "j i");
    return ll_by_(ll_by_(a, m, LL_LANE, side), k / 32u, LL_LANE, along);
}

LL_FN ll_layout ll_amd_mfma_scale_a(unsigned m, unsigned k) {
    return ll_amd_scale_(m, k, LL_I, LL_J);
}

LL_FN ll_layout ll_amd_mfma_scale_b(unsigned k, unsigned n) {
    return ll_amd_scale_(n, k, LL_J, LL_I);
}

/* Sparse products: of every four columns of A two are kept. The layout of A
 * gives the first column of the four; register bit 0 counts the kept ones and
 * moves nothing, since the index says which they are. */

/* Private: the sparse A of k columns from a dense one of k/2; the B for it from
 * a dense one of k/2 rows; that half, 0 of an odd k. */
LL_FN ll_layout ll_amd_kept_(ll_layout a) {
    ll_layout wide = ll_zeros(2, LL_J, LL_J, 4);
    wide = ll_by_(wide, ll_size(a.out, LL_J) / 2u, LL_J, LL_J);
    wide = ll_by_(wide, ll_size(a.out, LL_I), LL_I, LL_I);
    return a.err ? a : ll_compose(wide, a);
}

LL_FN ll_layout ll_amd_doubled_(ll_layout b) {
    return ll_mul(ll_identity(2, LL_REGISTER, LL_I), b);
}

LL_FN unsigned ll_amd_half_(unsigned k) { return k % 2u ? 0u : k / 2u; }

/* ll_amd_smfmac_a(m, k, element_bits), ll_amd_smfmac_b(k, n, element_bits):
 * operands A and B of v_smfmac_*_MxNxK, of 8 or 16 bits; the accumulator is
 * ll_amd_mfma_c. ll_amd_smfmac_k(m, k, element_bits): the index, in 2-bit
 * elements, for an A of such elements; ll_amd_index_set says which of the 16 in
 * its VGPR. Source (CDNA3, CDNA4): AMD matrix instruction calculator 1.3.2; of
 * CDNA4 the same rule. Fail with LL_EMFMA.
 * Example: ll_amd_smfmac_a(32, 16, 16) is
 *          L("register: 0 j2 | lane: i0 i1 i2 i3 i4 j3");
 * Example: ll_amd_smfmac_b(16, 32, 16) is
 *          L("register: i0 i1 i2 | lane: j0 j1 j2 j3 j4 i3");
 * Example: ll_amd_smfmac_k(32, 16, 16) is ll_amd_smfmac_a(32, 16, 16);
 * Example: ll_amd_smfmac_a(32, 16, 32).err is LL_EMFMA;
 */
LL_FN unsigned ll_amd_smfmac_bits_(unsigned m, unsigned k,
                                   unsigned element_bits) {
    const unsigned long long all = 1ull * m * k * element_bits;
    return (element_bits == 8u || element_bits == 16u) && m < 64u &&
                   (all == 8192u || all == 16384u)
               ? element_bits
               : 0u;
}

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

/* Private: has gfx WMMA with so many lanes? */
LL_FN int ll_amd_is_wmma_(unsigned gfx, unsigned lanes) {
    return (ll_amd_rdna3_(gfx) || ll_amd_rdna4_(gfx)) &&
           (lanes == 32u || lanes == 64u);
}

/* Private: A of WMMA (or B, exchanged); of RDNA4 for 32 lanes. RDNA3 wants all
 * of k in each lane and the same in all lanes that are 16 apart; RDNA4 has runs
 * of 8 bytes with bit 4 of the lane behind them. */
LL_FN ll_layout ll_amd_wmma_(unsigned gfx, unsigned lanes, unsigned k,
                             unsigned element_bits, ll_dim side,
                             ll_dim along) {
    const int rdna3 = ll_amd_rdna3_(gfx);
    if (!ll_amd_is_wmma_(gfx, lanes) ||
        (element_bits != 4u && element_bits != 8u && element_bits != 16u) ||
        !(k == 16u || (k == 32u && element_bits == 4u && !rdna3))) {
        return ll_none_(LL_EWMMA);
    }
    const unsigned each = rdna3 ? k : k / 2u;
    const unsigned most = rdna3 ? k : 64u / element_bits;
    const unsigned run = each < most ? each : most;
    ll_layout a = ll_empty_("register lane", "j i");
    a = ll_by_(a, run, LL_REGISTER, along);
    a = ll_by_(a, 16, LL_LANE, side);
    a = rdna3 ? ll_copies_(a, lanes / 16u, LL_LANE)
              : ll_by_(a, 2, LL_LANE, along);
    return ll_by_(a, each / run, LL_REGISTER, along);
}

/* Private: the layout of RDNA4 for so many lanes from that for 32. Of 64 the
 * upper half holds what was in the upper half of the registers; an operand of
 * a single VGPR stays in the lower half. */
LL_FN ll_layout ll_amd_halve_(ll_layout a, unsigned gfx, unsigned lanes,
                              unsigned element_bits) {
    const unsigned n = ll_size(a.in, LL_REGISTER);
    const ll_shape none = LL_ZERO;
    if (a.err || lanes == 32u || !ll_amd_rdna4_(gfx)) {
        return a;
    }
    if (n * element_bits < 64u) {
        return ll_copies_(a, 2, LL_LANE);
    }
    ll_shape s = ll_with(none, LL_REGISTER, n / 2u);
    a = ll_reshape_in(a, ll_with(ll_with(s, LL_WARP, 2), LL_LANE, 32));
    a = ll_order_in(a, "register lane warp");
    return ll_reshape_in(a, ll_with(s, LL_LANE, 64));
}

/* ll_amd_wmma_a(gfx, lanes, k, element_bits), ll_amd_wmma_b(gfx, lanes, k,
 * element_bits): operands A and B of v_wmma_*_16x16xK of gfx, written in hex:
 * 0x1100 and others for RDNA3, 0x1200 and 0x1201 for RDNA4; lanes: 32 or 64 in
 * a wavefront; 4, 8 or 16 bits. ll_amd_wmma_c(gfx, lanes, element_bits): the
 * accumulator, and D of v_swmmac_*, of 16 or 32 bits; RDNA3 keeps 16-bit
 * elements one to a VGPR: ll_amd_opsel. Where the columns of high lane bits are
 * 0, the lanes hold copies: RDNA3 requires them, RDNA4 (4 bits, k of 16, 64
 * lanes) does not read them. Source (RDNA3, RDNA4): AMD matrix instruction
 * calculator 1.3.2. Fail with LL_EWMMA.
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
        return ll_none_(LL_EWMMA);
    }
    /* Rows: RDNA3 has the first ones in the lanes, RDNA4 the last one. */
    const unsigned first = ll_amd_rdna3_(gfx) ? 1u : 8u;
    const unsigned rows = ll_amd_rdna3_(gfx) ? lanes / 16u : 2u;
    ll_layout a = ll_empty_("register lane", "j i");
    a = ll_by_(a, first, LL_REGISTER, LL_I);
    a = ll_by_(a, 16, LL_LANE, LL_J);
    a = ll_by_(a, rows, LL_LANE, LL_I);
    a = ll_by_(a, 16u / (first * rows), LL_REGISTER, LL_I);
    return ll_amd_halve_(a, gfx, lanes, element_bits);
}

/* ll_amd_swmmac_a(gfx, lanes, k, element_bits), ll_amd_swmmac_b(gfx, lanes, k,
 * element_bits): operands A and B of v_swmmac_*_16x16xK, of 4, 8 or 16 bits; D
 * is ll_amd_wmma_c. ll_amd_swmmac_k(gfx, lanes, k, element_bits): the index, as
 * in ll_amd_smfmac_k. Source (RDNA4): AMD matrix instruction calculator 1.3.2.
 * Fail with LL_EWMMA.
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
                              : ll_none_(LL_EWMMA);
}

LL_FN ll_layout ll_amd_swmmac_b(unsigned gfx, unsigned lanes, unsigned k,
                                unsigned element_bits) {
    const ll_layout b = ll_amd_doubled_(ll_amd_wmma_(
        gfx, lanes, ll_amd_half_(k), element_bits, LL_J, LL_I));
    return ll_amd_rdna4_(gfx) ? ll_amd_halve_(b, gfx, lanes, element_bits)
                              : ll_none_(LL_EWMMA);
}

LL_FN ll_layout ll_amd_swmmac_k(unsigned gfx, unsigned lanes, unsigned k,
                                unsigned element_bits) {
    return ll_amd_swmmac_a(gfx, lanes, k, element_bits);
}

/* ll_amd_cbsz(a, cbsz, abid): where v_mfma_* with these modifiers finds the
 * elements of its A, which without them has the layout a: the blocks fall into
 * groups of 2^cbsz, and all of a group read its member number abid. Source
 * (CDNA1 to 3): AMD matrix instruction calculator 1.3.2. Fails with
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
        return ll_bad_(a, LL_EMODIFIER);
    }
    ll_layout read = ll_unit_(&a.out);
    const unsigned member = ll_put(a.out, LL_AMD_B, (1u << cbsz) - 1u);
    for (unsigned k = 0; k < ll_total_(&a.out); ++k) {
        read.basis[k] &= ~member;
    }
    read.offset = ll_put(a.out, LL_AMD_B, abid);
    return ll_compose(ll_pinv(a), read);
}

/* ll_amd_blgp(b, blgp): where v_mfma_* with that modifier (not one of f64 or
 * f8f6f4, where it means something else) finds the elements of its B, which
 * without it has the layout b. Lane l reads lane l of the first 32 lanes (1) or
 * of the last (2); lane l + 16 (3); lane l of the four groups of 16 (4 to 7).
 * Source (CDNA1 to 3): AMD matrix instruction calculator 1.3.2. Fails with
 * LL_EMODIFIER.
 * Example: ll_amd_blgp(ll_amd_mfma_b(2, 32, 1, 32), 3) is
 *          L("j: lane0 lane1 lane2 lane3 lane4^lane5 | i: lane5 | 1: lane4 "
 *            "-> lane=64 register=1");
 * Example: ll_amd_blgp(ll_amd_mfma_b(2, 32, 1, 32), 8).err is LL_EMODIFIER;
 */
LL_FN ll_layout ll_amd_blgp(ll_layout b, unsigned blgp) {
    const ll_layout at = ll_pinv(b);
    if (b.err) {
        return b;
    }
    if (blgp > 7u || ll_size(b.in, LL_LANE) != 64u) {
        return ll_bad_(b, LL_EMODIFIER);
    }
    ll_layout from = ll_unit_(&b.in);
    const unsigned first = ll_put(b.in, LL_LANE, 16);
    const unsigned lane = ll_log2_(first);
    from.basis[lane] = blgp == 3u ? 3u * first : blgp >= 4u ? 0u : first;
    from.basis[lane + 1u] = blgp == 0u || blgp == 3u ? 2u * first : 0u;
    from.offset = blgp >= 4u   ? (blgp - 4u) * first
                  : blgp == 3u ? first
                  : blgp == 2u ? 2u * first
                               : 0u;
    return ll_compose(from, at);
}

/* ll_amd_index_set(k, set): where v_smfmac_* (modifier abid) or v_swmmac_*
 * (index_key, opsel) finds the indices, whose layout is k, when told to use
 * that set: the VGPR holds 16 indices, and a set starts where the one before it
 * ends. Of the two indices for a group of four columns this is the first.
 * Source (CDNA3, RDNA4): AMD matrix instruction calculator 1.3.2. Fails with
 * LL_EMODIFIER.
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
        return ll_bad_(k, LL_EMODIFIER);
    }
    ll_layout at = ll_resize_out(ll_pinv(k), LL_REGISTER, 16);
    at.offset = ll_put(at.out, LL_REGISTER, set * size);
    return at;
}

/* ll_amd_opsel(c, high): where v_wmma_* of RDNA3 finds the 16-bit elements of
 * C and D, whose layout is c, among the halves of its VGPRs: the low halves,
 * or with `high` (modifier opsel) the high ones. Registers are counted in
 * halves here, as in the vectors that the compiler's built-in takes. Source
 * (RDNA3): AMD matrix instruction calculator 1.3.2. Fails with LL_EMODIFIER.
 * Example: ll_amd_opsel(ll_amd_wmma_c(0x1100, 32, 16), 1) is
 *          L("j: lane0 lane1 lane2 lane3 | "
 *            "i: lane4 register1 register2 register3 | 1: register0");
 */
LL_FN ll_layout ll_amd_opsel(ll_layout c, unsigned high) {
    if (c.err) {
        return c;
    }
    if (high > 1u) {
        return ll_bad_(c, LL_EMODIFIER);
    }
    const unsigned lanes = ll_size(c.in, LL_LANE);
    const unsigned n = ll_size(c.in, LL_REGISTER);
    ll_layout half = ll_mul(ll_strided(n, 2, LL_REGISTER, LL_REGISTER),
                            ll_identity(lanes, LL_LANE, LL_LANE));
    half.offset = high;
    return ll_compose(half, ll_pinv(c));
}

/* ---- 10. Shared memory layouts the hardware reads ----------------------- */

/* A transposing load exchanges elements between lanes on the way. Its layout
 * leads from the register and lane that receive an element to those that would
 * have loaded it without the exchange: with `at` the memory that the lanes
 * address, ll_compose(at, load) is what arrives. All lanes must be active. */

/* Private: n elements of a lane and n lanes change places, in groups of so many
 * lanes. */
LL_FN ll_layout ll_amd_turn_(unsigned n, unsigned group, unsigned lanes) {
    ll_layout a = ll_empty_("register lane", "register lane");
    a = ll_by_(a, n, LL_LANE, LL_REGISTER);
    a = ll_by_(a, group / n, LL_LANE, LL_LANE);
    a = ll_by_(a, n, LL_REGISTER, LL_LANE);
    return ll_by_(a, lanes / group, LL_LANE, LL_LANE);
}

/* ll_amd_ds_read_tr(element_bits): ds_read_b64_tr_b{4,8,16}: 16 lanes exchange
 * 8 bytes each. Source (gfx950): Triton and the emulator of rocm-systems. Fails
 * with LL_ETRANSPOSE.
 * Example: ll_amd_ds_read_tr(16) is
 *          L("register: lane2 lane3 | "
 *            "lane: register0 register1 lane0 lane1 lane4 lane5");
 * Example: ll_amd_ds_read_tr(32).err is LL_ETRANSPOSE;
 */
LL_FN ll_layout ll_amd_ds_read_tr(unsigned element_bits) {
    return element_bits == 4u || element_bits == 8u || element_bits == 16u
               ? ll_amd_turn_(64u / element_bits, 16, 64)
               : ll_none_(LL_ETRANSPOSE);
}

/* ll_amd_ds_load_tr(element_bits): ds_load_tr16_b128 and ds_load_tr8_b64, and
 * global_load_tr_b128 of RDNA4 for 16 bits, with 32 lanes. Source (gfx1250,
 * RDNA4): Triton and the emulator of rocm-systems. Fails with LL_ETRANSPOSE.
 * Example: ll_amd_ds_load_tr(16) is
 *          L("register: lane0 lane1 lane2 | "
 *            "lane: register0 register1 register2 lane3 lane4");
 * Example: ll_amd_ds_load_tr(4).err is LL_ETRANSPOSE;
 */
LL_FN ll_layout ll_amd_ds_load_tr(unsigned element_bits) {
    return element_bits == 16u ? ll_amd_turn_(8, 8, 32)
           : element_bits == 8u
               ? ll_parse("register: lane0 lane1 lane3 | lane: register0 "
                          "register1 register2 lane2 lane4")
               : ll_none_(LL_ETRANSPOSE);
}

/* ---- 11. Instructions, one function each -------------------------------- */

/* ---- 12. Load, store, convert ------------------------------------------- */

/* ---- 13. Licence -------------------------------------------------------- */
/*
 * MIT License
 *
 * Copyright (c) 2026 the ll authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in
 * all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

#endif
