/* ---- Targets ---------------------------------------------------------- */
#ifndef LL_AMD_TARGET_H
#define LL_AMD_TARGET_H

#include "../ll/plan/target.h"

/* Private: sets the banks of an access of this width, and a phase of 2^n
 * consecutive lanes. */
LL_FN void ll_amd_phase_(ll_target *t, unsigned op, unsigned width,
                         unsigned banks, unsigned n) {
    t->banks[op][width] = banks;
    for (unsigned k = 0; k < n; ++k) {
        t->phase[op][width][k] = 1u << k;
    }
}

/* Private: each returns 1 if gfx belongs to its family: CDNA, RDNA3 (gfx1100 to
 * gfx1103, gfx1150 to gfx1153), RDNA4. */
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

/* Private: returns the hops of a target, one bit each (ISA references). DPP has
 * quad_perm, row_ror 8, row_mirror and row_half_mirror, on RDNA also row_xmask.
 * RDNA also has v_permlane16, v_permlanex16 and, with 64 lanes, v_permlane64.
 * ds_swizzle and ds_bpermute use the pipe of shared memory. The caller adds the
 * swaps of gfx950, v_permlane16_swap and v_permlane32_swap. */
LL_FN unsigned ll_amd_hops_(int rdna, unsigned lanes) {
    const unsigned all = 1u << LL_HOP_QUAD | 1u << LL_HOP_XOR | 1u << LL_HOP_32;
    const unsigned rows = 1u << LL_HOP_ROW | 1u << LL_HOP_ROWX;
    const unsigned half = lanes == 64u ? 1u << LL_HOP_HALF : 0u;
    return rdna ? all | rows | half | 0xfffe0000u : all | 0x818e0000u;
}

/* Private: sets the costs of instructions, in cycles of one busy SIMD. A vector
 * instruction of 64 lanes takes 4 cycles on CDNA and 2 on RDNA, a vector
 * instruction of 32 lanes takes 1. Shared memory serves 128 bytes per cycle to
 * the 4 SIMDs of CDNA or the 2 of RDNA together, so a wavefront costs each SIMD
 * 4 or 2 cycles (AMD's descriptions of CDNA3 and RDNA). The rest is assumed,
 * not measured: an exchange through the pipe of shared memory is one wavefront
 * per 32 lanes; a permlane or a swap costs the same as DPP; a barrier costs the
 * same number of wavefronts as on sm_90. Latencies, about 50 cycles in that
 * pipe and 4 to 12 for DPP and permlane (amd-shark-ai's guide, MI300), count as
 * hidden by other warps. */
LL_FN void ll_amd_costs_(ll_target *t, int rdna) {
    const unsigned simds = rdna ? 2u : 4u;
    t->cost[LL_COST_MEMORY] = 8u * simds;
    t->cost[LL_COST_SHUFFLE] = 8u * simds * (t->lanes / 32u);
    t->cost[LL_COST_LOGIC] = 8u * (rdna ? t->lanes / 32u : 4u);
    t->cost[LL_COST_SELECT] = t->cost[LL_COST_LOGIC];
    t->cost[LL_COST_WARP] = 4u * simds;
    t->cost[LL_COST_BLOCK] = 32u * simds;
}

/* ll_amd_target(gfx, lanes): returns the target gfx, written in hex (0x942 for
 * gfx942), with `lanes` lanes in a warp: 64 on CDNA, 32 or 64 on RDNA.
 *
 * Shared memory has 32 banks of 4 bytes. On gfx950 it has 64 banks for reads,
 * except reads of 12 bytes. The lanes that are served together are not always
 * neighbours: for reads of 16 bytes on gfx942 and RDNA3 they are lanes 0 to 3
 * and 20 to 23, and so on. Three things are assumed: gfx908 to gfx941 behave
 * like gfx942; writes that nobody has measured serve neighbouring lanes, 128
 * bytes at once; RDNA serves 64 lanes as two halves of 32. Source (gfx942,
 * gfx950, RDNA3, RDNA4): measurements of HipKittens and of amd-shark-ai,
 * rocRoller's LDS model. Fails with LL_ETARGET.
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
    t.copies = 1;
    t.pairs = 1;
    t.swaps = gfx == 0x950u ? 48u : 0u;
    t.hops = ll_amd_hops_(rdna, lanes) | (t.swaps ? 1u << LL_HOP_SWAP : 0u);
    ll_amd_costs_(&t, rdna);
    for (unsigned width = 0; width < 3u; ++width) {
        int both = gfx == 0x950u;
        ll_amd_phase_(&t, LL_READ, width, both ? 64 : 32,
                      (both ? 6u : 5u) - width);
        ll_amd_phase_(&t, LL_WRITE, width, 32, 5u - width);
    }
    if (gfx == 0x950u) {
        t.phase[LL_READ][2][2] = 12;
        t.phase[LL_READ][2][3] = 20;
        t.forms[LL_READ][LL_FORM_TRANS] =
            ll_form_of_(3, 3, 3, "b1 b2 r0 r1 r4 r5", "b0 r2 r3");
        t.forms[LL_READ][LL_FORM_BYTES] =
            ll_form_of_(3, 3, 3, "b0 b1 b2 r0 r4 r5", "r1 r2 r3");
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

/* Private: for each instruction, the targets that have it (the ISA references
 * of CDNA1 to CDNA4, RDNA3 and RDNA4; the compiler's list of built-ins,
 * BuiltinsAMDGPU.def in LLVM, as far as clang 22 could compile them). A target
 * is given by its first digits: "94" stands for gfx940 to gfx942, "120" for
 * gfx1200 and gfx1201. If several rules match, the last one counts. */
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

/* Private: returns the digits of a name like "gfx942", or "" if it is no such
 * name. */
LL_FN const char *ll_amd_digits_(const char *target) {
    const int is_gfx = ll_name_matches_(target, "gfx*");
    const char *digits = is_gfx ? target + 3 : "";
    unsigned n = 0;
    while ((digits[n] >= '0' && digits[n] <= '9') ||
           (digits[n] >= 'a' && digits[n] <= 'f')) {
        ++n;
    }
    /* cppcheck-suppress arrayIndexOutOfBoundsCond ; n stops at the end */
    return digits[n] == 0 && (n == 3u || n == 4u) ? digits : "";
}

/* Private: returns 1 if the target is in the list `targets` of a rule. */
LL_FN int ll_amd_is_among_(const char *digits, const char *targets) {
    int among = 0;
    for (; *digits && *targets && !among;
         targets = ll_name_next_part_(targets)) {
        const unsigned n = ll_name_part_(targets);
        unsigned k = 0;
        while (k < n && digits[k] == targets[k]) {
            ++k;
        }
        among = k == n;
    }
    return among;
}

/* Private: returns 1 if the target with these digits has the instruction. */
LL_FN int ll_amd_having_(const char *digits, const char *instruction) {
    const ll_rule_ rules[] = {LL_AMD_PRODUCTS_, LL_AMD_MOVES_};
    return ll_amd_is_among_(
        digits,
        ll_rule_targets_(rules, sizeof rules / sizeof rules[0], instruction));
}

/* ll_amd_has(target, instruction): returns 1 if the target has the instruction,
 * 0 if it does not or if this library does not know the target or the
 * instruction. Write the target as for clang ("gfx942"). The first digits
 * decide, so the answer covers targets that ll_amd_target lacks, such as
 * gfx1030. Write the instruction as the compiler's built-in without
 * __builtin_amdgcn_; parts that make no difference may be left out. For a load
 * to LDS add a blank and the number of bytes, for a DPP control a blank and its
 * name. The function does not check whether the parts go together.
 * ll_amd_need(a, target, instruction): returns the layout a if the target has
 * the instruction that loads, stores or multiplies it, for use in LL_LAYOUT.
 * (ISA references; LLVM's BuiltinsAMDGPU.def.) Fails with LL_EARCH, LL_ETARGET,
 * LL_ENULL.
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
    return target && instruction &&
           ll_amd_having_(ll_amd_digits_(target), instruction);
}

LL_FN ll_layout ll_amd_need(ll_layout a, const char *target,
                            const char *instruction) {
    a = ll_layout_bad_(a, !target || !instruction    ? LL_ENULL
                          : *ll_amd_digits_(target) ? LL_OK
                                                    : LL_ETARGET);
    return ll_amd_has(target, instruction) ? a : ll_layout_bad_(a, LL_EARCH);
}

#endif
