/* Written from the rooms in src/ll_amd by `make headers`: change them. */
/* ll_amd.h - linear layouts for AMD GPUs: targets, instructions, moves.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_AMD_H
#define LL_AMD_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- guide: The guide ------------------------------------------------- */

/* What this is.
 *
 * The AMD half of the library, the twin of ll_ptx.h. Rooms that both headers
 * have are in the same order, and functions that both have differ only in the
 * prefix; instructions have the names of the vendor. This header describes the
 * targets and their instructions, and executes a plan as straight-line code
 * inside the caller's kernel. It includes no ROCm header and works beside any
 * of them. `make reference` writes pages with an index of all names by room.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_amd_target, LL_GFX908 .. LL_GFX1201    |
 * | instructions of a target   | ll_amd_has, ll_amd_need                   |
 * | matrix operands, dense     | ll_amd_mfma_a, ll_amd_wmma_a, .. _c       |
 * | operands of a whole tile   | ll_tiled                                  |
 * | matrix operands, sparse    | ll_amd_smfmac_a, ll_amd_swmmac_a, .. _k   |
 * | scales of a matrix operand | ll_amd_mfma_scale_a, .. _b                |
 * | modifiers of operands      | ll_amd_cbsz, _blgp, _index_set, _opsel    |
 * | transposing loads          | ll_amd_ds_read_tr, ll_amd_ds_load_tr      |
 * | tensor memory              | there is none                             |
 * | swizzled shared memory     | ll_swizzled, ll_rotated                   |
 * | descriptors of such memory | none are needed                           |
 * | single instructions        | update_dpp, ds_read_tr, .. (ll_amd_..)    |
 * | matrix multiply            | mfma_f32_.., wmma_f32_.., .. (ll_amd_..)  |
 * | global memory, 16 bytes    | LL_LOAD, LL_STORE                         |
 * | masked at ragged edges     | LL_LOAD, LL_STORE with rows and columns   |
 * | streaming; 32 bytes        | LL_LOAD_BY, LL_STORE_BY (16 bytes)        |
 * | shared memory, 16 bytes    | LL_STORE_SHARED, LL_LOAD_SHARED           |
 * | global to shared memory    | LL_COPY (by registers)                    |
 * | any layout to any other    | LL_CONVERT: DPP, swaps, LDS permutes,     |
 * |                            | byte permutes, ds_read_tr, vectors        |
 * | clusters of blocks         | there are none                            |
 * | reduction, scan on an axis | LL_REDUCE, LL_SCAN                        |
 * | gather along an axis       | LL_GATHER                                 |
 */

/* A complete example.
 *
 *     #include "ll_amd.h"
 *
 *     LL_LAYOUT(IN, LL_ROWS(.rows = 64, .cols = 64, .lanes = 64));
 *     LL_LAYOUT(OUT, LL_ROWS(.rows = 64, .cols = 64, .lanes = 64));
 *     LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
 *     LL_PLAN(TURN, IN, TURNED, 32, LL_GFX942);
 *     LL_EXPECT_NO_CONFLICTS(TURN);
 *
 *     __global__ void transpose(float *dst, const float *src, unsigned n) {
 *         __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
 *         float a[LL_REGS(IN)], b[LL_REGS(OUT)];
 *         unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
 *         LL_LOAD(a, IN, src + i * n + j, n);
 *         LL_CONVERT(b, a, TURN, smem);
 *         LL_STORE(b, OUT, dst + j * n + i, n);
 *     }
 *
 * n is a multiple of 64. Launch a grid of n/64 x n/64 blocks of 256 threads.
 */

/* Words and bit order.
 *
 * As in ll.h. AMD's wavefront of 32 or 64 lanes is called a warp here; the word
 * wavefront means a cycle of shared memory (LDS). Blocks are one-dimensional:
 * the low five or six bits of threadIdx.x are the lane, the bits above them the
 * warp. Shared memory addresses are 32-bit byte addresses. All lanes of a warp
 * call LL_LOAD and the other macros of ll.h together.
 */

/* ---- base: Configuration and portability ------------------------------ */

/* The macros of ll.h configure this header too; it has none of its own. With
 * LL_EMULATE, an emulator on the host provides the compiler's built-ins. */

/* LL_AMD_(name) is the compiler's built-in of that name. LL_AMD_READ_(x, space,
 * T, address, on) reads the T at an address into x in lanes where `on` is not
 * 0; LL_AMD_WRITE_ writes x to the address in those lanes. LL_AMD_READ_NT_ and
 * LL_AMD_WRITE_NT_ add the nontemporal hint, for data that is used once.
 * Address space 1 is global memory, 3 is LDS. LL_AMD_SHARED_(p) is the LDS
 * address of a pointer, LL_AMD_THREAD_ is threadIdx.x. The emulator defines its
 * own versions of these macros, and the type of a buffer. */
#if !LL_EMULATE
#define LL_AMD_(name) __builtin_amdgcn_##name
#define LL_AMD_AT_(space, T, address)                                       \
    ((__attribute__((address_space(space))) T *)(__SIZE_TYPE__)(address))
#define LL_AMD_READ_(x, space, T, address, on)                              \
    if (on) {                                                               \
        (x) = *LL_AMD_AT_(space, const T, address);                         \
    }
#define LL_AMD_WRITE_(x, space, T, address, on)                             \
    if (on) {                                                               \
        *LL_AMD_AT_(space, T, address) = (x);                               \
    }
#define LL_AMD_READ_NT_(x, space, T, address, on)                           \
    if (on) {                                                               \
        (x) = __builtin_nontemporal_load(                                   \
            LL_AMD_AT_(space, const T, address));                           \
    }
#define LL_AMD_WRITE_NT_(x, space, T, address, on)                          \
    if (on) {                                                               \
        __builtin_nontemporal_store(x, LL_AMD_AT_(space, T, address));      \
    }
#define LL_AMD_SHARED_(p)                                                   \
    ((unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3)))            \
                               const void *)(p))
#define LL_AMD_THREAD_ __builtin_amdgcn_workitem_id_x()
#endif

/* ---- target: Targets -------------------------------------------------- */

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

/* ---- operands: Register layouts of matrix instructions ---------------- */

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

/* ---- dot: Layouts of dots for the engine ------------------------------ */

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

/* ---- shared: Shared memory layouts the hardware reads ----------------- */

/* A transposing load exchanges elements between lanes. Its layout maps the
 * register and lane that receive an element to the register and lane that would
 * have loaded it without the exchange. If the lanes address the memory as the
 * layout `at` says, ll_compose(at, load) is the layout of the result. All lanes
 * must be active. */

/* Private: returns an exchange of n elements per lane within groups of `group`
 * lanes: register r of lane l receives element l % n of lane r * group / n + l
 * / n of its group. */
LL_FN ll_layout ll_amd_turn_(unsigned n, unsigned group, unsigned lanes) {
    ll_layout a = ll_layout_empty_("register lane", "register lane");
    a = ll_layout_by_(a, n, LL_LANE, LL_REGISTER);
    a = ll_layout_by_(a, group / n, LL_LANE, LL_LANE);
    a = ll_layout_by_(a, n, LL_REGISTER, LL_LANE);
    return ll_layout_by_(a, lanes / group, LL_LANE, LL_LANE);
}

/* ll_amd_ds_read_tr(element_bits): returns the exchange of
 * ds_read_b64_tr_b{4,8,16}, in which 16 lanes exchange 8 bytes each. Source
 * (gfx950): Triton and the emulator of rocm-systems. Fails with LL_ETRANSPOSE.
 * Example: ll_amd_ds_read_tr(16) is
 *          L("register: lane2 lane3 | "
 *            "lane: register0 register1 lane0 lane1 lane4 lane5");
 * Example: ll_amd_ds_read_tr(32).err is LL_ETRANSPOSE;
 */
LL_FN ll_layout ll_amd_ds_read_tr(unsigned element_bits) {
    return element_bits == 4u || element_bits == 8u || element_bits == 16u
               ? ll_amd_turn_(64u / element_bits, 16, 64)
               : ll_layout_none_(LL_ETRANSPOSE);
}

/* ll_amd_ds_load_tr(element_bits): returns the exchange of ds_load_tr16_b128 or
 * ds_load_tr8_b64 among 32 lanes. With 16 bits, RDNA4's global_load_tr_b128 has
 * the same exchange. Source (gfx1250, RDNA4): Triton and the emulator of
 * rocm-systems. Fails with LL_ETRANSPOSE.
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
               : ll_layout_none_(LL_ETRANSPOSE);
}

/* ---- instructions/bodies: Bodies of instructions ---------------------- */

/* Device code exists for the vendor whose compiler runs. Under an emulator on
 * the host it exists for the header that is included first. */
#if defined(LL_DEVICE) && (LL_EMULATE || defined(__HIP__)) &&               \
    !defined(LL_PTX_DEVICE_)
#define LL_AMD_DEVICE_ 1

/* Private: returns 0x942 for "gfx942", 0x940 for "gfx9-4-generic", 0x1100 for
 * "gfx11-generic". */
LL_FN unsigned ll_amd_gfx_(const char *name) {
    unsigned gfx = 0;
    for (name += 3; *name && *name != '-'; ++name) {
        gfx = gfx << 4 | (unsigned)(*name <= '9' ? *name - '0'
                                                 : *name - 'a' + 10);
    }
    const unsigned minor = name[0] ? (unsigned)(name[1] - '0') : 0u;
    return name[0] ? gfx << 8 | (minor < 10u ? minor << 4 : 0u) : gfx;
}

/* Private: the target of this compilation. It is 0 in the host pass, where
 * every instruction counts as present. */
#if defined(LL_AMD_GFX_)
enum : unsigned { LL_AMD_HERE_ = LL_AMD_GFX_ };
#elif defined(__amdgcn_processor__)
enum : unsigned { LL_AMD_HERE_ = ll_amd_gfx_(__amdgcn_processor__) };
#else
enum : unsigned { LL_AMD_HERE_ = 0 };
#endif

/* Private: returns 1 if the target GFX has the instruction, or if GFX is 0. */
template <unsigned GFX_> LL_FN int ll_amd_on_(const char *instruction) {
    char digits[5] = LL_ZERO;
    const unsigned n = GFX_ > 0xfffu ? 4u : 3u;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned digit = GFX_ >> (4u * (n - 1u - k)) & 15u;
        digits[k] = (char)(digit < 10u ? '0' + digit : 'a' + digit - 10u);
    }
    return GFX_ == 0 || ll_amd_having_(digits, instruction);
}

#define LL_AMD_NEEDS_(GFX_, instruction, targets)                           \
    static_assert(ll_amd_on_<GFX_>(instruction),                            \
                  "ll: " instruction " is an instruction of " targets)

/* Private: a word with a type that depends on the template argument. A compiler
 * that lacks the built-in then reports this only where the function is used. */
template <unsigned GFX_> struct ll_amd_word_ { typedef unsigned type; };
#define LL_AMD_WORD_(GFX_, x) ((typename ll_amd_word_<GFX_>::type)(x))

/* Private: the types of one access. LL_AMD_TO1_(v, x) stores x in the words v,
 * LL_AMD_OF1_(T, v) returns the words as a T; 2 and 4 are for vectors. */
typedef unsigned char ll_amd_b8_;
typedef unsigned short ll_amd_b16_ __attribute__((may_alias));
typedef unsigned ll_amd_b32_ __attribute__((may_alias));
typedef unsigned ll_amd_b64_ __attribute__((vector_size(8), may_alias));
typedef unsigned ll_amd_b128_ __attribute__((vector_size(16), may_alias));

#define LL_AMD_TO1_(v, x) (v).w[0] = (x)
#define LL_AMD_TO2_(v, x) (v).w[0] = (x)[0], (v).w[1] = (x)[1]
#define LL_AMD_TO4_(v, x)                                                   \
    LL_AMD_TO2_(v, x), (v).w[2] = (x)[2], (v).w[3] = (x)[3]
#define LL_AMD_OF1_(T_, v) ((T_)(v).w[0])
#define LL_AMD_OF2_(T_, v) (T_{(v).w[0], (v).w[1]})
#define LL_AMD_OF4_(T_, v) (T_{(v).w[0], (v).w[1], (v).w[2], (v).w[3]})

/* Private: the bodies of loads and stores of n words. NT is NT_ for data that
 * is used once, else empty. */
#define LL_AMD_LOADED_(NT, space, n, T, on)                                 \
    ll_words v = LL_ZERO;                                                   \
    T x = LL_ZERO;                                                          \
    LL_AMD_READ_##NT(x, space, T, address, on)                              \
    LL_AMD_TO##n##_(v, x);                                                  \
    return v
#define LL_AMD_STORED_(NT, space, n, T, on)                                 \
    const T x = LL_AMD_OF##n##_(T, v);                                      \
    LL_AMD_WRITE_##NT(x, space, T, address, on)

#endif

/* ---- instructions/memory: Instructions: memory ------------------------ */

#ifdef LL_AMD_DEVICE_

/* ds_read, ds_write (ds_load, ds_store from gfx11 on): the address must be a
 * multiple of the width. Loads of 8 and 16 bits fill the upper bits with
 * zeros. */
LL_DEVICE ll_words ll_amd_ds_read_b8(unsigned address) {
    LL_AMD_LOADED_(, 3, 1, ll_amd_b8_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b16(unsigned address) {
    LL_AMD_LOADED_(, 3, 1, ll_amd_b16_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b32(unsigned address) {
    LL_AMD_LOADED_(, 3, 1, ll_amd_b32_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b64(unsigned address) {
    LL_AMD_LOADED_(, 3, 2, ll_amd_b64_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b128(unsigned address) {
    LL_AMD_LOADED_(, 3, 4, ll_amd_b128_, 1);
}

LL_DEVICE void ll_amd_ds_write_b8(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 1, ll_amd_b8_, 1)
}

LL_DEVICE void ll_amd_ds_write_b16(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 1, ll_amd_b16_, 1)
}

LL_DEVICE void ll_amd_ds_write_b32(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 1, ll_amd_b32_, 1)
}

LL_DEVICE void ll_amd_ds_write_b64(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 2, ll_amd_b64_, 1)
}

LL_DEVICE void ll_amd_ds_write_b128(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 4, ll_amd_b128_, 1)
}

/* ds_read2, ds_write2 access two places: at `address` plus A and plus B times
 * the width of a place. The words of the first place come first. The functions
 * make two accesses; the compiler joins them into one instruction. */
#define LL_AMD_READ2_(n, read)                                              \
    ll_words v = read(address + 4 * n * A_);                                \
    const ll_words b = read(address + 4 * n * B_);                          \
    static_assert(A_ < 256 && B_ < 256,                                     \
                  "ll: ds_read2: A_ and B_ must be below 256");             \
    for (unsigned k = 0; k < n; ++k) {                                      \
        v.w[n + k] = b.w[k];                                                \
    }                                                                       \
    return v
#define LL_AMD_WRITE2_(n, write)                                            \
    ll_words b = LL_ZERO;                                                   \
    static_assert(A_ < 256 && B_ < 256,                                     \
                  "ll: ds_write2: A_ and B_ must be below 256");            \
    for (unsigned k = 0; k < n; ++k) {                                      \
        b.w[k] = v.w[n + k];                                                \
    }                                                                       \
    write(address + 4 * n * A_, v);                                         \
    write(address + 4 * n * B_, b)

template <unsigned A_, unsigned B_>
LL_DEVICE ll_words ll_amd_ds_read2_b32(unsigned address) {
    LL_AMD_READ2_(1, ll_amd_ds_read_b32);
}

template <unsigned A_, unsigned B_>
LL_DEVICE ll_words ll_amd_ds_read2_b64(unsigned address) {
    LL_AMD_READ2_(2, ll_amd_ds_read_b64);
}

template <unsigned A_, unsigned B_>
LL_DEVICE void ll_amd_ds_write2_b32(unsigned address, ll_words v) {
    LL_AMD_WRITE2_(1, ll_amd_ds_write_b32);
}

template <unsigned A_, unsigned B_>
LL_DEVICE void ll_amd_ds_write2_b64(unsigned address, ll_words v) {
    LL_AMD_WRITE2_(2, ll_amd_ds_write_b64);
}

/* ds_read_b64_tr_b16, _b8, _b4: all 64 lanes must call them. Each lane passes
 * the address of 8 bytes, a multiple of 8, and groups of 16 lanes exchange
 * their elements. ll_amd_ds_read_tr returns the layout. (The layouts of 8 and 4
 * bits are Triton's; no public source confirms them on hardware.) */
#if !LL_EMULATE
template <unsigned GFX_> struct ll_amd_tr_ {
    typedef short v4i16 __attribute__((vector_size(8)));
    typedef int v2i32 __attribute__((vector_size(8)));
};
#define LL_AMD_READ_TR_(name, T_, address)                                  \
    ((ll_amd_b64_)LL_AMD_(ds_read_##name##_##T_)(                           \
        LL_AMD_AT_(3, typename ll_amd_tr_<GFX_>::T_, address)))
#endif
#define LL_AMD_TURNED_(name, T, text)                                       \
    LL_AMD_NEEDS_(GFX_, text, "gfx950");                                    \
    const ll_amd_b64_ x =                                                   \
        LL_AMD_READ_TR_(name, T, LL_AMD_WORD_(GFX_, address));              \
    ll_words v = LL_ZERO;                                                   \
    LL_AMD_TO2_(v, x);                                                      \
    return v

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_words ll_amd_ds_read_tr16_b64(unsigned address) {
    LL_AMD_TURNED_(tr16_b64, v4i16, "ds_read_tr16_b64");
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_words ll_amd_ds_read_tr8_b64(unsigned address) {
    LL_AMD_TURNED_(tr8_b64, v2i32, "ds_read_tr8_b64");
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_words ll_amd_ds_read_tr4_b64(unsigned address) {
    LL_AMD_TURNED_(tr4_b64, v2i32, "ds_read_tr4_b64");
}

/* global_load, global_store: the address must be a multiple of the width. A
 * lane with `on` 0 accesses nothing, and its load returns zeros. _nt is for
 * data that is used once: it does not displace other data from the caches (bits
 * nt, slc or th: NT of the instruction). */
LL_DEVICE ll_words ll_amd_global_load_b8(unsigned long long address,
                                         unsigned on) {
    LL_AMD_LOADED_(, 1, 1, ll_amd_b8_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b16(unsigned long long address,
                                          unsigned on) {
    LL_AMD_LOADED_(, 1, 1, ll_amd_b16_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b32(unsigned long long address,
                                          unsigned on) {
    LL_AMD_LOADED_(, 1, 1, ll_amd_b32_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b64(unsigned long long address,
                                          unsigned on) {
    LL_AMD_LOADED_(, 1, 2, ll_amd_b64_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b128(unsigned long long address,
                                           unsigned on) {
    LL_AMD_LOADED_(, 1, 4, ll_amd_b128_, on);
}

LL_DEVICE void ll_amd_global_store_b8(unsigned long long address, ll_words v,
                                      unsigned on) {
    LL_AMD_STORED_(, 1, 1, ll_amd_b8_, on)
}

LL_DEVICE void ll_amd_global_store_b16(unsigned long long address, ll_words v,
                                       unsigned on) {
    LL_AMD_STORED_(, 1, 1, ll_amd_b16_, on)
}

LL_DEVICE void ll_amd_global_store_b32(unsigned long long address, ll_words v,
                                       unsigned on) {
    LL_AMD_STORED_(, 1, 1, ll_amd_b32_, on)
}

LL_DEVICE void ll_amd_global_store_b64(unsigned long long address, ll_words v,
                                       unsigned on) {
    LL_AMD_STORED_(, 1, 2, ll_amd_b64_, on)
}

LL_DEVICE void ll_amd_global_store_b128(unsigned long long address, ll_words v,
                                        unsigned on) {
    LL_AMD_STORED_(, 1, 4, ll_amd_b128_, on)
}

LL_DEVICE ll_words ll_amd_global_load_nt_b8(unsigned long long address,
                                            unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 1, ll_amd_b8_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b16(unsigned long long address,
                                             unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 1, ll_amd_b16_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b32(unsigned long long address,
                                             unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 1, ll_amd_b32_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b64(unsigned long long address,
                                             unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 2, ll_amd_b64_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b128(unsigned long long address,
                                              unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 4, ll_amd_b128_, on);
}

LL_DEVICE void ll_amd_global_store_nt_b8(unsigned long long address, ll_words v,
                                         unsigned on) {
    LL_AMD_STORED_(NT_, 1, 1, ll_amd_b8_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b16(unsigned long long address,
                                          ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 1, ll_amd_b16_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b32(unsigned long long address,
                                          ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 1, ll_amd_b32_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b64(unsigned long long address,
                                          ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 2, ll_amd_b64_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b128(unsigned long long address,
                                           ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 4, ll_amd_b128_, on)
}

/* buffer_load, buffer_store access a buffer of global memory, `offset` bytes
 * from its start. p and the size in bytes must be the same in all lanes. Beyond
 * the end a load returns zeros and a store does nothing; no access may straddle
 * the end. Word 3 of the resource is the same as in LLVM's MLIR: elements of 32
 * bits; from gfx10 on the hardware checks only the offset. */
#if LL_EMULATE || __clang_major__ >= 19
#if !LL_EMULATE
typedef __amdgpu_buffer_rsrc_t ll_amd_buffer;
#endif

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_amd_buffer ll_amd_make_buffer_rsrc(const void *p,
                                                unsigned bytes) {
    return LL_AMD_(make_buffer_rsrc)(const_cast<void *>(p), 0, (int)bytes,
                                     GFX_ < 0x1000u ? 0x27000 : 0x31027000);
}

#define LL_AMD_FETCHED_(load, n, T)                                         \
    const T x = LL_AMD_(load)(buffer, (int)offset, 0, 0);                   \
    ll_words v = LL_ZERO;                                                   \
    LL_AMD_TO##n##_(v, x);                                                  \
    return v

LL_DEVICE ll_words ll_amd_raw_buffer_load_b8(ll_amd_buffer buffer,
                                             unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b8, 1, ll_amd_b8_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b16(ll_amd_buffer buffer,
                                              unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b16, 1, ll_amd_b16_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b32(ll_amd_buffer buffer,
                                              unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b32, 1, ll_amd_b32_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b64(ll_amd_buffer buffer,
                                              unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b64, 2, ll_amd_b64_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b128(ll_amd_buffer buffer,
                                               unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b128, 4, ll_amd_b128_);
}

LL_DEVICE void ll_amd_raw_buffer_store_b8(ll_amd_buffer buffer, unsigned offset,
                                          ll_words v) {
    LL_AMD_(raw_buffer_store_b8)
    (LL_AMD_OF1_(ll_amd_b8_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b16(ll_amd_buffer buffer,
                                           unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b16)
    (LL_AMD_OF1_(ll_amd_b16_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b32(ll_amd_buffer buffer,
                                           unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b32)
    (LL_AMD_OF1_(ll_amd_b32_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b64(ll_amd_buffer buffer,
                                           unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b64)
    (LL_AMD_OF2_(ll_amd_b64_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b128(ll_amd_buffer buffer,
                                            unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b128)
    (LL_AMD_OF4_(ll_amd_b128_, v), buffer, (int)offset, 0, 0);
}
#endif

/* global_load_lds copies BYTES bytes from each lane's global address `from` to
 * LDS, in the order of the lanes: the bytes of lane l go to `to` + BYTES * l.
 * `to` must be the same in all lanes. BYTES is 1, 2 or 4 on gfx9 and gfx10, on
 * gfx950 also 12 or 16. The data has arrived after the next
 * ll_amd_s_barrier. */
template <unsigned BYTES_, unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE void ll_amd_global_load_lds(unsigned to, unsigned long long from) {
    constexpr bool wide = BYTES_ > 4;
    static_assert(wide || ll_amd_on_<GFX_>("global_load_lds"),
                  "ll: global_load_lds of 1, 2 or 4 bytes is an instruction of "
                  "gfx9 and gfx10");
    static_assert(!wide || ll_amd_on_<GFX_>("global_load_lds 16"),
                  "ll: global_load_lds of 12 or 16 bytes is an instruction of "
                  "gfx950");
    static_assert(BYTES_ == 1 || BYTES_ == 2 || BYTES_ == 4 || BYTES_ == 12 ||
                      BYTES_ == 16,
                  "ll: global_load_lds: BYTES_ must be 1, 2, 4, 12 or 16");
    LL_AMD_(global_load_lds)(LL_AMD_AT_(1, void, from),
                             LL_AMD_AT_(3, void, LL_AMD_WORD_(GFX_, to)),
                             ll_amd_on_<GFX_>("global_load_lds 16") || !wide
                                 ? BYTES_
                                 : 4,
                             0, 0);
}

#undef LL_AMD_LOADED_
#undef LL_AMD_STORED_
#undef LL_AMD_READ2_
#undef LL_AMD_WRITE2_
#undef LL_AMD_TURNED_
#undef LL_AMD_FETCHED_

#endif

/* ---- instructions/lanes: Instructions: lanes -------------------------- */

#ifdef LL_AMD_DEVICE_

/* s_barrier is a barrier for the warps of a workgroup, like __syncthreads: what
 * they stored before it is visible after it. wave_barrier does this for the
 * lanes of one warp. It emits no instruction, because the LDS accesses of a
 * warp stay in order, but the compiler moves no access across it. */
LL_DEVICE void ll_amd_s_barrier(void) {
    LL_AMD_(fence)(__ATOMIC_RELEASE, "workgroup");
    LL_AMD_(s_barrier)();
    LL_AMD_(fence)(__ATOMIC_ACQUIRE, "workgroup");
}

LL_DEVICE void ll_amd_wave_barrier(void) {
    LL_AMD_(fence)(__ATOMIC_ACQ_REL, "wavefront");
    LL_AMD_(wave_barrier)();
}

/* The controls of update_dpp. Lane l = 16 r + p is at place p of row r; a row
 * is 16 lanes. It reads:
 *     QUAD_PERM(a, b, c, d)     lane a, b, c or d of its four, by l & 3
 *     ROW_SHL + n, ROW_SHR + n  place p + n, p - n; 0 if outside of the row
 *     ROW_ROR + n               place (p - n) & 15
 *     WAVE_SHL, WAVE_SHR        lane l + 1, l - 1; 0 at the end
 *     WAVE_ROL, WAVE_ROR        lane l + 1, l - 1; at the end the other end
 *     ROW_MIRROR                place p ^ 15
 *     ROW_HALF_MIRROR           place p ^ 7
 *     ROW_BCAST15               the last lane of row r - 1; 0 in row 0
 *     ROW_BCAST31               lane 31 in rows 2 and 3; 0 in rows 0 and 1
 *     ROW_NEWBCAST + n          place n (also called row_share)
 *     ROW_XMASK + n             place p ^ n */
#define LL_AMD_QUAD_PERM(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)
enum : unsigned {
    LL_AMD_ROW_SHL = 0x100,
    LL_AMD_ROW_SHR = 0x110,
    LL_AMD_ROW_ROR = 0x120,
    LL_AMD_WAVE_SHL = 0x130,
    LL_AMD_WAVE_ROL = 0x134,
    LL_AMD_WAVE_SHR = 0x138,
    LL_AMD_WAVE_ROR = 0x13c,
    LL_AMD_ROW_MIRROR = 0x140,
    LL_AMD_ROW_HALF_MIRROR = 0x141,
    LL_AMD_ROW_BCAST15 = 0x142,
    LL_AMD_ROW_BCAST31 = 0x143,
    LL_AMD_ROW_NEWBCAST = 0x150,
    LL_AMD_ROW_XMASK = 0x160
};

/* Private: returns the instruction that a control needs; "" if there is no such
 * control. */
LL_FN const char *ll_amd_control_(unsigned control) {
    const unsigned row = control >> 4;
    const int shifts = row >= 0x10u && row <= 0x12u && control % 16u;
    return control < 0x100u || shifts || control == LL_AMD_ROW_MIRROR ||
                   control == LL_AMD_ROW_HALF_MIRROR
               ? "update_dpp"
           : row == 0x13u && control % 4u == 0 ? "update_dpp wave"
           : control == LL_AMD_ROW_BCAST15 || control == LL_AMD_ROW_BCAST31
               ? "update_dpp row_bcast15"
           : row == LL_AMD_ROW_NEWBCAST >> 4 ? "update_dpp newbcast"
           : row == LL_AMD_ROW_XMASK >> 4    ? "update_dpp xmask"
                                             : "";
}

/* update_dpp, a v_mov_b32 with a DPP control, returns the x of another lane, or
 * 0 if that lane is not active. */
template <unsigned CONTROL_, unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_update_dpp(unsigned x) {
    static_assert(*ll_amd_control_(CONTROL_),
                  "ll: update_dpp: CONTROL_ must be a DPP control: "
                  "LL_AMD_QUAD_PERM or LL_AMD_ROW_SHL to LL_AMD_ROW_XMASK");
    static_assert(ll_amd_on_<GFX_>(ll_amd_control_(CONTROL_)),
                  "ll: update_dpp: the target lacks this control: wave_* and "
                  "row_bcast* need gfx9, row_newbcast gfx90a or later, "
                  "row_xmask gfx10 or later");
    return (unsigned)LL_AMD_(update_dpp)(0, (int)x, CONTROL_, 0xf, 0xf, true);
}

/* mov_dpp8: lane l reads lane SELECTOR >> 3p & 7 of its group of eight, p = l &
 * 7. */
template <unsigned SELECTOR_, unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_mov_dpp8(unsigned x) {
    LL_AMD_NEEDS_(GFX_, "mov_dpp8", "gfx10, gfx11 and gfx12");
    return LL_AMD_(mov_dpp8)(LL_AMD_WORD_(GFX_, x), SELECTOR_);
}

/* v_permlane16, v_permlanex16: place p of each row of 16 lanes reads place
 * (high:low) >> 4p & 15. permlane16 reads in its own row, permlanex16 in the
 * other row of its pair, the row of l ^ 16. low and high must be the same in
 * all lanes. */
template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_permlane16(unsigned x, unsigned low,
                                     unsigned high) {
    LL_AMD_NEEDS_(GFX_, "permlane16", "gfx10, gfx11 and gfx12");
    return LL_AMD_(permlane16)(LL_AMD_WORD_(GFX_, 0), x, low, high, false,
                               true);
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_permlanex16(unsigned x, unsigned low,
                                      unsigned high) {
    LL_AMD_NEEDS_(GFX_, "permlanex16", "gfx10, gfx11 and gfx12");
    return LL_AMD_(permlanex16)(LL_AMD_WORD_(GFX_, 0), x, low, high, false,
                                true);
}

/* v_permlane64: lane l of 64 reads lane l ^ 32, even if that lane is not
 * active. */
template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_permlane64(unsigned x) {
    LL_AMD_NEEDS_(GFX_, "permlane64", "gfx11 and gfx12");
    return LL_AMD_(permlane64)(LL_AMD_WORD_(GFX_, x));
}

/* v_permlane16_swap exchanges two words of each pair of lanes l and l ^ 16:
 * word a of the lane with bit 4 set, and word b of the lane with bit 4 clear.
 * v_permlane32_swap does the same for l ^ 32 and bit 5. */
#define LL_AMD_SWAPPED_(name)                                               \
    const auto both =                                                       \
        LL_AMD_(name)(LL_AMD_WORD_(GFX_, a), b, false, false);              \
    a = both[0];                                                            \
    b = both[1]

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE void ll_amd_permlane16_swap(unsigned &a, unsigned &b) {
    LL_AMD_NEEDS_(GFX_, "permlane16_swap", "gfx950 and gfx1250");
    LL_AMD_SWAPPED_(permlane16_swap);
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE void ll_amd_permlane32_swap(unsigned &a, unsigned &b) {
    LL_AMD_NEEDS_(GFX_, "permlane32_swap", "gfx950");
    LL_AMD_SWAPPED_(permlane32_swap);
}

/* ds_swizzle: if bit 15 of the pattern is 0, lane l of each 32 reads lane ((l &
 * pattern) | pattern >> 5) ^ pattern >> 10, with fields of 5 bits. If bit 15 is
 * 1 and bits 8 to 14 are 0, lane l reads lane pattern >> 2 (l & 3) & 3 of its
 * group of four. */
template <unsigned PATTERN_> LL_DEVICE unsigned ll_amd_ds_swizzle(unsigned x) {
    static_assert(PATTERN_ < 0x8100,
                  "ll: ds_swizzle: PATTERN_ must have 15 bits, or be 0x8000 "
                  "plus 8 bits");
    return (unsigned)LL_AMD_(ds_swizzle)((int)x, PATTERN_);
}

/* ds_bpermute returns the x of lane address / 4, or 0 if that lane is not
 * active. On gfx10 and gfx11 with 64 lanes, each half reads only itself: the
 * lane number counts modulo 32. ds_permute sends x to lane address / 4. A lane
 * receives the x of the last lane that sends to it, or 0 if none does. */
LL_DEVICE unsigned ll_amd_ds_bpermute(unsigned address, unsigned x) {
    return (unsigned)LL_AMD_(ds_bpermute)((int)address, (int)x);
}

LL_DEVICE unsigned ll_amd_ds_permute(unsigned address, unsigned x) {
    return (unsigned)LL_AMD_(ds_permute)((int)address, (int)x);
}

/* v_readlane returns the x of lane `lane`, which must be the same number in all
 * lanes. v_readfirstlane returns the x of the first active lane. */
LL_DEVICE unsigned ll_amd_readlane(unsigned x, unsigned lane) {
    return (unsigned)LL_AMD_(readlane)((int)x, (int)lane);
}

LL_DEVICE unsigned ll_amd_readfirstlane(unsigned x) {
    return (unsigned)LL_AMD_(readfirstlane)((int)x);
}

/* v_perm: byte k of `select` selects byte k of the result: 0 to 3 are the bytes
 * of b, 4 to 7 the bytes of a, 12 gives 0 and more gives 0xff. */
LL_DEVICE unsigned ll_amd_perm(unsigned a, unsigned b, unsigned select) {
    return LL_AMD_(perm)(a, b, select);
}

#undef LL_AMD_SWAPPED_

#endif

/* ---- instructions/mfma: Instructions: mfma and wmma ------------------- */

#ifdef LL_AMD_DEVICE_

/* mfma, wmma: all lanes of a warp together compute C += A B. ll_amd_NAME(c, a,
 * b) has the NAME of the compiler's built-in. The arrays c, a and b hold the
 * registers of ll_amd_mfma_c, _a and _b (for WMMA, of ll_amd_wmma_c, _a and _b)
 * in that order. They hold words, as LL_LOAD and LL_CONVERT fill them, or
 * elements. They may hold several tiles, as ll_tiled arranges them with a shape
 * in the order "j i"; the function then executes one instruction for each pair
 * of tiles to multiply. Arrays of sizes that do not fit together do not
 * compile. The order of k does not matter if a and b agree. 8-bit integers are
 * signed in v_mfma_i32. fp8 and bf8 are the fnuz types (bias 8 and 16) on
 * gfx940 to gfx942 and the OCP types (bias 7 and 15) elsewhere. (ISA
 * references.) */

/* Private: one operand of N elements, a vector unless N is 1. Its type depends
 * on GFX. A compiler that lacks the built-in then reports this only where the
 * function is used. */
template <unsigned GFX_, class T_, unsigned N_> struct ll_amd_operand_ {
#if LL_EMULATE
    struct type {
        T_ x[N_];
    };
#else
    typedef T_ type __attribute__((vector_size(N_ * sizeof(T_))));
#endif
};
template <unsigned GFX_, class T_> struct ll_amd_operand_<GFX_, T_, 1> {
    typedef T_ type;
};

#if LL_EMULATE
typedef short ll_amd_f16_;
typedef short ll_amd_bf16_;
#else
typedef _Float16 ll_amd_f16_;
#if __clang_major__ >= 19
typedef __bf16 ll_amd_bf16_;
#else
typedef short ll_amd_bf16_;
#endif
#define LL_AMD_MFMA_(name, a, b, c) LL_AMD_(name)(a, b, c, 0, 0, 0)
#define LL_AMD_WMMA_(name, a, b, c) LL_AMD_(name)(a, b, c)
#define LL_AMD_WMMA_INT_(name, sa, a, sb, b, c)                             \
    LL_AMD_(name)(sa, a, sb, b, c, false)
#define LL_AMD_MFMA_SCALE_(name, a, b, c, ta, tb, oa, sa, ob, sb)           \
    LL_AMD_(name)(a, b, c, ta, tb, oa, (int)(sa), ob, (int)(sb))
#endif

/* Private: ll_amd_part_ returns part n of an array as an operand,
 * ll_amd_put_part_ stores it there. */
template <class V_, class T_>
LL_DEVICE V_ ll_amd_part_(const T_ &a, unsigned n) {
    V_ v = LL_ZERO;
    LL_MEMCPY_(&v, (const char *)a + n * sizeof(v), sizeof(v));
    return v;
}

template <class V_, class T_>
LL_DEVICE void ll_amd_put_part_(T_ &a, unsigned n, V_ v) {
    LL_MEMCPY_((char *)a + n * sizeof v, &v, sizeof v);
}

/* Private: returns the number k of tiles along k if A has a tiles, B has b and
 * C has c: k^2 c = a b. */
LL_FN unsigned ll_amd_depth_(unsigned a, unsigned b, unsigned c) {
    unsigned k = 1;
    while (k < a && k * k * c < a * b) {
        ++k;
    }
    return k;
}

/* Private: a matrix multiply by tiles; the arrays C, A and B hold several.
 * `one` multiplies an OPERAND by an OPERAND and adds a RESULT. X is the number
 * of the instruction: from one to the next, n changes fastest and k slowest. */
template <class OPERAND_, class RESULT_, class C_, class A_, class B_>
struct ll_amd_tiles_ {
    enum : unsigned {
        na = sizeof(A_) / sizeof(OPERAND_),
        nb = sizeof(B_) / sizeof(OPERAND_),
        nc = sizeof(C_) / sizeof(RESULT_),
        depth = ll_amd_depth_(na, nb, nc),
        rows = na / depth,
        cols = nb / depth
    };
    static_assert(nc > 0 && rows * cols == nc && rows * depth == na &&
                      cols * depth == nb &&
                      sizeof(A_) == na * sizeof(OPERAND_) &&
                      sizeof(B_) == nb * sizeof(OPERAND_) &&
                      sizeof(C_) == nc * sizeof(RESULT_),
                  "ll: c, a and b must hold the registers of m x n, m x k and "
                  "k x n tiles of the instruction");
    template <unsigned X_, class ONE_>
    LL_DEVICE void tile(C_ &c, const A_ &a, const B_ &b, ONE_ one) {
        constexpr unsigned n = X_ % cols, m = X_ / cols % rows, k = X_ / nc;
        ll_amd_put_part_(c, n + cols * m,
                         one(ll_amd_part_<OPERAND_>(a, k + depth * m),
                             ll_amd_part_<OPERAND_>(b, n + cols * k),
                             ll_amd_part_<RESULT_>(c, n + cols * m)));
    }
    template <class ONE_, unsigned... X_>
    LL_DEVICE void all(C_ &c, const A_ &a, const B_ &b, ONE_ one,
                       ll_seq_<X_...>) {
        (tile<X_>(c, a, b, one), ...);
    }
};

/* Private: the body of an instruction with operands of ka elements TA and a
 * result of kc elements TC. `one` computes a result from operands x and y and
 * result z. */
#define LL_AMD_PRODUCT_(text, targets, TA, ka, TC, kc, one)                 \
    LL_AMD_NEEDS_(GFX_, text, targets);                                     \
    typedef typename ll_amd_operand_<GFX_, TA, ka>::type operand;           \
    typedef typename ll_amd_operand_<GFX_, TC, kc>::type result;            \
    typedef ll_amd_tiles_<operand, result, C_, A_, B_> tiles;               \
    tiles::all(                                                             \
        c, a, b,                                                            \
        [](operand x, operand y, result z) -> result { return one; },       \
        ll_seq_below_<tiles::nc * tiles::depth>())

#define LL_AMD_CDNA_ "gfx908, gfx90a, gfx940 to gfx942 and gfx950"
#define LL_AMD_CDNA12_ "gfx908 and gfx90a"
#define LL_AMD_CDNA2_ "gfx90a, gfx940 to gfx942 and gfx950"
#define LL_AMD_CDNA3_ "gfx940 to gfx942 and gfx950"
template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x2f32(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x2f32", LL_AMD_CDNA_,
                    float, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x2f32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x4f32(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x4f32", LL_AMD_CDNA_,
                    float, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x4f32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x8f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x8f16", LL_AMD_CDNA_,
                    ll_amd_f16_, 4, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x8f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x16f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x16f16", LL_AMD_CDNA_,
                    ll_amd_f16_, 4, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x16f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_f16", "gfx950",
                    ll_amd_f16_, 8, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_f16", "gfx950",
                    ll_amd_f16_, 8, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x4bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x4bf16", LL_AMD_CDNA12_,
                    short, 2, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x4bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x8bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x8bf16", LL_AMD_CDNA12_,
                    short, 2, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x8bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x8bf16_1k(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x8bf16_1k", LL_AMD_CDNA2_,
                    short, 4, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x8bf16_1k, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x16bf16_1k(C_ &c, const A_ &a,
                                               const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x16bf16_1k", LL_AMD_CDNA2_,
                    short, 4, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x16bf16_1k, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_bf16", "gfx950",
                    ll_amd_bf16_, 8, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_bf16", "gfx950",
                    ll_amd_bf16_, 8, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_32x32x8i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_32x32x8i8", LL_AMD_CDNA12_,
                    int, 1, int, 16,
                    LL_AMD_MFMA_(mfma_i32_32x32x8i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_16x16x16i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_16x16x16i8", LL_AMD_CDNA12_,
                    int, 1, int, 4,
                    LL_AMD_MFMA_(mfma_i32_16x16x16i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_32x32x16_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_32x32x16_i8", LL_AMD_CDNA3_,
                    long, 1, int, 16,
                    LL_AMD_MFMA_(mfma_i32_32x32x16_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_16x16x32_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_16x16x32_i8", LL_AMD_CDNA3_,
                    long, 1, int, 4,
                    LL_AMD_MFMA_(mfma_i32_16x16x32_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_32x32x32_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_32x32x32_i8", "gfx950",
                    int, 4, int, 16,
                    LL_AMD_MFMA_(mfma_i32_32x32x32_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_16x16x64_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_16x16x64_i8", "gfx950",
                    int, 4, int, 4,
                    LL_AMD_MFMA_(mfma_i32_16x16x64_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_fp8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_fp8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_fp8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_fp8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_fp8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_fp8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_bf8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_bf8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_bf8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_bf8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_bf8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_bf8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_fp8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_fp8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_fp8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_fp8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_fp8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_fp8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_bf8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_bf8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_bf8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_bf8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_bf8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_bf8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f64_16x16x4f64(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f64_16x16x4f64", LL_AMD_CDNA2_,
                    double, 1, double, 4,
                    LL_AMD_MFMA_(mfma_f64_16x16x4f64, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_f16_w32(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_f16_w32", "gfx11",
                    ll_amd_f16_, 16, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_f16_w32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf16_w32(C_ &c, const A_ &a,
                                                 const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf16_w32", "gfx11",
                    short, 16, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf16_w32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_f16_w32_gfx12(C_ &c, const A_ &a,
                                                      const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_f16_w32_gfx12", "gfx120",
                    ll_amd_f16_, 8, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_f16_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf16_w32_gfx12(C_ &c, const A_ &a,
                                                       const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf16_w32_gfx12", "gfx120",
                    short, 8, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf16_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_fp8_fp8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_fp8_fp8_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_fp8_bf8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_fp8_bf8_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf8_fp8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf8_fp8_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf8_bf8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf8_bf8_w32_gfx12, x, y, z));
}

/* 8-bit integers. SA and SB: whether A and B are signed. */
template <bool SA_ = true, bool SB_ = true, unsigned GFX_ = LL_AMD_HERE_,
          class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_i32_16x16x16_iu8_w32(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("wmma_i32_16x16x16_iu8_w32", "gfx11", int, 4, int, 8,
                    LL_AMD_WMMA_INT_(wmma_i32_16x16x16_iu8_w32, SA_, x,
                                     SB_, y, z));
}

template <bool SA_ = true, bool SB_ = true, unsigned GFX_ = LL_AMD_HERE_,
          class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_i32_16x16x16_iu8_w32_gfx12(C_ &c, const A_ &a,
                                                      const B_ &b) {
    LL_AMD_PRODUCT_("wmma_i32_16x16x16_iu8_w32_gfx12", "gfx120", int, 2, int, 8,
                    LL_AMD_WMMA_INT_(wmma_i32_16x16x16_iu8_w32_gfx12, SA_, x,
                                     SB_, y, z));
}

/* Scaled matrix multiply of one tile by one instruction. TA, TB: the types of
 * the elements of A and B. scale_a, scale_b: words of each lane; byte BA of
 * scale_a and byte BB of scale_b are the scales that ll_amd_mfma_scale_a and _b
 * give to this lane, as exponents with bias 127. An operand has 8 words, or 4
 * if its type is fp4. (6-bit types are left out: see operands.) */
enum : unsigned { LL_AMD_FP8 = 0, LL_AMD_BF8 = 1, LL_AMD_FP4 = 4 };

LL_FN unsigned ll_amd_scaled_words_(unsigned type) {
    return type <= LL_AMD_BF8 ? 8u : type == LL_AMD_FP4 ? 4u : 0u;
}

template <class V_, unsigned N_>
LL_DEVICE V_ ll_amd_eight_(const unsigned (&a)[N_]) {
    V_ v = LL_ZERO;
    LL_MEMCPY_(&v, a, N_ <= 8 ? sizeof(a) : sizeof(v));
    return v;
}
#define LL_AMD_SCALED_(name, text, nc)                                      \
    LL_AMD_NEEDS_(GFX_, text, "gfx950");                                    \
    typedef typename ll_amd_operand_<GFX_, int, 8>::type operand;           \
    typedef typename ll_amd_operand_<GFX_, float, nc>::type result;         \
    static_assert(NA_ == ll_amd_scaled_words_(TA_) &&                       \
                      NB_ == ll_amd_scaled_words_(TB_) && BA_ < 4 &&        \
                      BB_ < 4 && sizeof(c) == sizeof(result),               \
                  "ll: mfma_scale: TA_ and TB_ must be LL_AMD_FP8, _BF8 "   \
                  "(8 words) or _FP4 (4 words), BA_ and BB_ 0 to 3, c one " \
                  "tile");                                                  \
    ll_amd_put_part_(                                                       \
        c, 0,                                                               \
        LL_AMD_MFMA_SCALE_(name, ll_amd_eight_<operand>(a),                 \
                           ll_amd_eight_<operand>(b),                       \
                           ll_amd_part_<result>(c, 0), TA_, TB_, BA_,       \
                           scale_a, BB_, scale_b))

template <unsigned TA_ = LL_AMD_FP8, unsigned TB_ = LL_AMD_FP8,
          unsigned BA_ = 0, unsigned BB_ = 0, unsigned GFX_ = LL_AMD_HERE_,
          class C_, unsigned NA_, unsigned NB_>
LL_DEVICE void ll_amd_mfma_scale_f32_32x32x64_f8f6f4(C_ &c,
                                                     const unsigned (&a)[NA_],
                                                     const unsigned (&b)[NB_],
                                                     unsigned scale_a,
                                                     unsigned scale_b) {
    LL_AMD_SCALED_(mfma_scale_f32_32x32x64_f8f6f4,
                   "mfma_scale_f32_32x32x64_f8f6f4", 16);
}

template <unsigned TA_ = LL_AMD_FP8, unsigned TB_ = LL_AMD_FP8,
          unsigned BA_ = 0, unsigned BB_ = 0, unsigned GFX_ = LL_AMD_HERE_,
          class C_, unsigned NA_, unsigned NB_>
LL_DEVICE void ll_amd_mfma_scale_f32_16x16x128_f8f6f4(C_ &c,
                                                      const unsigned (&a)[NA_],
                                                      const unsigned (&b)[NB_],
                                                      unsigned scale_a,
                                                      unsigned scale_b) {
    LL_AMD_SCALED_(mfma_scale_f32_16x16x128_f8f6f4,
                   "mfma_scale_f32_16x16x128_f8f6f4", 4);
}

#undef LL_AMD_PRODUCT_
#undef LL_AMD_SCALED_

#endif

/* ---- hooks: Hooks of ll.h: AMD's instructions ------------------------- */

/* The instructions behind the loads, stores and conversions of ll.h on AMD
 * GPUs. Under LL_WIDE an access has up to 16 bytes. LL_COPY copies through
 * registers here, so there is nothing to wait for. A warp has as many lanes as
 * the plan's target. If that is 64 on RDNA, compile with -mwavefrontsize64.
 * Without __launch_bounds__(LL_THREADS(LAYOUT)) the compiler budgets registers
 * for 1024 threads, and large tiles spill. If the headers of both vendors are
 * included, LL_LOAD and the other macros use the header of the vendor whose
 * compiler runs; under an emulator, the header that is included first. */
#ifdef LL_AMD_DEVICE_

#undef LL_BY_VENDOR_
#undef LL_SHARED_ADDRESS_
#define LL_BY_VENDOR_(...) __VA_ARGS__
#define LL_SHARED_ADDRESS_(smem) LL_AMD_SHARED_(smem)

/* LL_TARGET_HERE is the target of the compiler's current pass, as in
 * LL_PLAN(TURN, IN, OUT, 32, LL_TARGET_HERE). A file that is compiled for
 * several targets has a pass for each. RDNA has 32 lanes there, or 64 with
 * -mwavefrontsize64. The host pass takes gfx942. So give layouts
 * LL_TARGET_HERE.lanes lanes, and expect LL_SMEM_BYTES in host code to be the
 * size for gfx942. Clang 21 deprecates its macro for the lanes of a warp and
 * warns at each use, so it is read only once, here. */
#ifndef LL_AMD_LANES_
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wdeprecated-pragma"
#endif
enum {
#if defined(__AMDGCN_WAVEFRONT_SIZE__)
    LL_AMD_LANES_ = __AMDGCN_WAVEFRONT_SIZE__
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
    LL_AMD_LANES_ = __AMDGCN_WAVEFRONT_SIZE
#else
    LL_AMD_LANES_ = 64
#endif
};
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif
#define LL_TARGET_HERE                                                      \
    (LL_AMD_HERE_ ? ll_amd_target(LL_AMD_HERE_, LL_AMD_LANES_)              \
                  : ll_amd_target(0x942, 64))

/* Private: one access per function: _to_ stores, _from_ loads. _once_ adds the
 * nontemporal hint, _kept_ does not. Width and hint are template arguments, so
 * that even a build without optimisation contains only the instruction that is
 * asked for. */
template <unsigned BYTES_>
LL_DEVICE void ll_amd_to_shared_(unsigned address, const ll_words &v) {
    if constexpr (BYTES_ == 1) {
        ll_amd_ds_write_b8(address, v);
    } else if constexpr (BYTES_ == 2) {
        ll_amd_ds_write_b16(address, v);
    } else if constexpr (BYTES_ == 4) {
        ll_amd_ds_write_b32(address, v);
    } else if constexpr (BYTES_ == 8) {
        ll_amd_ds_write_b64(address, v);
    } else {
        ll_amd_ds_write_b128(address, v);
    }
}

template <unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_shared_(unsigned address) {
    if constexpr (BYTES_ == 1) {
        return ll_amd_ds_read_b8(address);
    } else if constexpr (BYTES_ == 2) {
        return ll_amd_ds_read_b16(address);
    } else if constexpr (BYTES_ == 4) {
        return ll_amd_ds_read_b32(address);
    } else if constexpr (BYTES_ == 8) {
        return ll_amd_ds_read_b64(address);
    } else {
        return ll_amd_ds_read_b128(address);
    }
}

template <unsigned BYTES_>
LL_DEVICE void ll_amd_to_kept_(unsigned long long address, const ll_words &v,
                            unsigned on) {
    if constexpr (BYTES_ == 1) {
        ll_amd_global_store_b8(address, v, on);
    } else if constexpr (BYTES_ == 2) {
        ll_amd_global_store_b16(address, v, on);
    } else if constexpr (BYTES_ == 4) {
        ll_amd_global_store_b32(address, v, on);
    } else if constexpr (BYTES_ == 8) {
        ll_amd_global_store_b64(address, v, on);
    } else {
        ll_amd_global_store_b128(address, v, on);
    }
}

template <unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_kept_(unsigned long long address, unsigned on) {
    if constexpr (BYTES_ == 1) {
        return ll_amd_global_load_b8(address, on);
    } else if constexpr (BYTES_ == 2) {
        return ll_amd_global_load_b16(address, on);
    } else if constexpr (BYTES_ == 4) {
        return ll_amd_global_load_b32(address, on);
    } else if constexpr (BYTES_ == 8) {
        return ll_amd_global_load_b64(address, on);
    } else {
        return ll_amd_global_load_b128(address, on);
    }
}

template <unsigned BYTES_>
LL_DEVICE void ll_amd_to_once_(unsigned long long address, const ll_words &v,
                            unsigned on) {
    if constexpr (BYTES_ == 1) {
        ll_amd_global_store_nt_b8(address, v, on);
    } else if constexpr (BYTES_ == 2) {
        ll_amd_global_store_nt_b16(address, v, on);
    } else if constexpr (BYTES_ == 4) {
        ll_amd_global_store_nt_b32(address, v, on);
    } else if constexpr (BYTES_ == 8) {
        ll_amd_global_store_nt_b64(address, v, on);
    } else {
        ll_amd_global_store_nt_b128(address, v, on);
    }
}

template <unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_once_(unsigned long long address, unsigned on) {
    if constexpr (BYTES_ == 1) {
        return ll_amd_global_load_nt_b8(address, on);
    } else if constexpr (BYTES_ == 2) {
        return ll_amd_global_load_nt_b16(address, on);
    } else if constexpr (BYTES_ == 4) {
        return ll_amd_global_load_nt_b32(address, on);
    } else if constexpr (BYTES_ == 8) {
        return ll_amd_global_load_nt_b64(address, on);
    } else {
        return ll_amd_global_load_nt_b128(address, on);
    }
}

template <unsigned HOW_, unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_global_(unsigned long long address,
                                       unsigned on) {
    if constexpr ((HOW_ & LL_STREAM) != 0) {
        return ll_amd_from_once_<BYTES_>(address, on);
    } else {
        return ll_amd_from_kept_<BYTES_>(address, on);
    }
}

template <unsigned HOW_, unsigned BYTES_>
LL_DEVICE void ll_amd_to_global_(unsigned long long address, const ll_words &v,
                                 unsigned on) {
    if constexpr ((HOW_ & LL_STREAM) != 0) {
        ll_amd_to_once_<BYTES_>(address, v, on);
    } else {
        ll_amd_to_kept_<BYTES_>(address, v, on);
    }
}

/* Private: the hops of a plan, one instruction each (the table above LL_HOP_ANY
 * says which lane each hop reads). ll_amd_xor_control_ returns the DPP control
 * that reads lane l ^ x for x below 16. From gfx10 on every x has a control. On
 * gfx9 only 0, 1, 2, 3, 7, 8 and 15 do, and the result is ~0u for the
 * others. */
LL_FN unsigned ll_amd_xor_control_(unsigned x, unsigned gfx) {
    return gfx >= 0x1000u ? LL_AMD_ROW_XMASK + x
           : x < 4u       ? LL_AMD_QUAD_PERM(x, x ^ 1u, x ^ 2u, x ^ 3u)
           : x == 7u      ? (unsigned)LL_AMD_ROW_HALF_MIRROR
           : x == 8u      ? LL_AMD_ROW_ROR + 8u
           : x == 15u     ? (unsigned)LL_AMD_ROW_MIRROR
                          : ~0u;
}

template <unsigned HOP_, unsigned long long CONTROL_, unsigned GFX_>
LL_DEVICE unsigned ll_amd_hop_(unsigned x) {
    constexpr unsigned low = (unsigned)(CONTROL_ & 0xffffffffu);
    constexpr unsigned high = (unsigned)(CONTROL_ >> 32);
    if constexpr (HOP_ == LL_HOP_QUAD) {
        return ll_amd_update_dpp<low, GFX_>(x);
    } else if constexpr (HOP_ == LL_HOP_XOR) {
        return ll_amd_update_dpp<ll_amd_xor_control_(low, GFX_), GFX_>(x);
    } else if constexpr (HOP_ == LL_HOP_ROW) {
        return ll_amd_permlane16<GFX_>(x, low, high);
    } else if constexpr (HOP_ == LL_HOP_ROWX) {
        return ll_amd_permlanex16<GFX_>(x, low, high);
    } else if constexpr (HOP_ == LL_HOP_HALF) {
        return ll_amd_permlane64<GFX_>(x);
    } else {
        static_assert(HOP_ == LL_HOP_32, "ll: the hop has no instruction");
        return ll_amd_ds_swizzle<low>(x);
    }
}

template <unsigned LANE_, unsigned GFX_>
LL_DEVICE void ll_amd_swap_(unsigned &a, unsigned &b) {
    if constexpr (LANE_ == 16) {
        ll_amd_permlane16_swap<GFX_>(a, b);
    } else {
        static_assert(LANE_ == 32, "ll: only lane bits 4 and 5 can be swapped");
        ll_amd_permlane32_swap<GFX_>(a, b);
    }
}

/* Private: how lane l reads the word of lane l ^ XOR. The hop `how` covers the
 * bits `part` of XOR, further hops cover the rest. DPP covers lane bits 0 to 3.
 * For lane bits 4 and 5 gfx950 swaps, RDNA uses v_permlanex16 and v_permlane64,
 * and other targets use ds_swizzle and ds_bpermute. DPP on gfx9 has no control
 * for some XORs: 4 to 6 begin with 7, 9 to 11 with 8, 12 to 14 with 15. */
enum : unsigned { LL_AMD_BY_SWAP_ = 64 };

LL_FN unsigned ll_amd_near_(unsigned x) {
    return x < 4u ? x : x < 8u ? 7u : x < 12u ? 8u : 15u;
}

template <unsigned XOR_, unsigned GFX_> struct ll_amd_way_ {
    enum : unsigned {
        rdna = GFX_ >= 0x1000u,
        swaps = GFX_ && ll_amd_on_<GFX_>("permlane32_swap"),
        high = XOR_ & 32u ? 32u : XOR_ & 16u,
        how = high == 0      ? (unsigned)LL_HOP_XOR
              : swaps != 0   ? (unsigned)LL_AMD_BY_SWAP_
              : high == 16u  ? (unsigned)(rdna != 0 ? LL_HOP_ROWX : LL_HOP_32)
                             : (unsigned)(rdna != 0 ? LL_HOP_HALF : LL_HOP_ANY),
        part = how == LL_HOP_XOR && rdna == 0 ? ll_amd_near_(XOR_)
               : how == LL_AMD_BY_SWAP_ || how == LL_HOP_HALF ? high
                                                              : XOR_
    };
    static constexpr unsigned long long control =
        (unsigned)how == LL_HOP_ROWX
            ? 0xfedcba9876543210u ^ (XOR_ & 15u) * 0x1111111111111111u
        : (unsigned)how == LL_HOP_32 ? (unsigned)(part << 10 | 0x1fu)
                                     : (unsigned)part;
};

template <class V_, unsigned XOR_>
LL_DEVICE unsigned ll_amd_exchange_(unsigned x) {
    if constexpr (XOR_ != 0) {
        typedef ll_amd_way_<XOR_, V_::gfx> way;
        constexpr unsigned part = way::part;
        if constexpr (way::how == (unsigned)LL_AMD_BY_SWAP_) {
            unsigned a = x;
            unsigned b = x;
            V_::template swap<part>(a, b);
            x = V_::thread() & part ? a : b;
        } else if constexpr (way::how == (unsigned)LL_HOP_ANY) {
            x = V_::shuffle(x, V_::thread() ^ part);
        } else {
            x = V_::template hop<way::how, way::control>(x);
        }
        return ll_amd_exchange_<V_, XOR_ ^ part>(x);
    } else {
        return x;
    }
}

/* Private: returns the word x of any lane. With HALVES, ds_bpermute reads only
 * lanes of its own half of 64 lanes; a second one, after v_permlane64, reads
 * the other half. */
template <unsigned GFX_, bool HALVES_>
LL_DEVICE unsigned ll_amd_shuffle_(unsigned x, unsigned lane,
                                   unsigned thread) {
    const unsigned own = ll_amd_ds_bpermute(4 * lane, x);
    if constexpr (HALVES_) {
        const unsigned other =
            ll_amd_ds_bpermute(4 * lane, ll_amd_permlane64<GFX_>(x));
        return (lane ^ thread) & 32u ? other : own;
    } else {
        return own;
    }
}

/* Private: widens the four selectors of a byte permute from 4 bits each to the
 * 8 bits that v_perm takes. */
LL_DEVICE unsigned ll_amd_selector_(unsigned selector) {
    unsigned s = selector & 0x7777u;
    s = (s | s << 8) & 0x00ff00ffu;
    return (s | s << 4) & 0x0f0f0f0fu;
}

/* Private: a byte permute, written with shifts. The compiler turns them into
 * v_perm, and removes permutes that bring all bytes back to their old places.
 * It cannot do that with the built-in of v_perm. */
LL_DEVICE unsigned ll_amd_bytes_(unsigned a, unsigned b, unsigned selector) {
    unsigned y = 0;
    for (unsigned k = 0; k < 16; k += 4) {
        const unsigned byte = selector >> k & 7u;
        y |= ((byte < 4 ? a : b) >> 8 * (byte & 3u) & 0xffu) << 2 * k;
    }
    return y;
}

/* Private: the memory accesses that loads, stores and conversions of ll.h are
 * made of, for target GFX. The host pass, which names no GPU, assumes that
 * every instruction is present. */
#if LL_EMULATE
template <unsigned GFX_> struct ll_amd_accesses_ : emu_moves {
#else
template <unsigned GFX_> struct ll_amd_accesses_ {
#endif
    enum : unsigned {
        widest = 16,
        stores = 1u << LL_FORM_VECTOR,
        loads = stores | (ll_amd_on_<GFX_>("ds_read_tr16_b64")
                              ? 1u << LL_FORM_TRANS | 1u << LL_FORM_BYTES
                              : 0u)
    };
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE void put(unsigned address, const ll_words &v) {
        ll_amd_to_shared_<BYTES_>(address, v);
    }
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE ll_words take(unsigned address) {
        if constexpr (FORM_ == LL_FORM_VECTOR) {
            return ll_amd_from_shared_<BYTES_>(address);
        } else if constexpr (FORM_ == LL_FORM_TRANS) {
            return ll_amd_ds_read_tr16_b64<GFX_>(address);
        } else {
            return ll_amd_ds_read_tr8_b64<GFX_>(address);
        }
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE ll_words load(unsigned long long address, unsigned on) {
        return ll_amd_from_global_<HOW_, BYTES_>(address, on);
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE void store(unsigned long long address, const ll_words &v,
                         unsigned on) {
        ll_amd_to_global_<HOW_, BYTES_>(address, v, on);
    }
    template <unsigned BYTES_>
    LL_DEVICE void copy(unsigned to, unsigned long long from) {
        copy_some<BYTES_>(to, from, 1);
    }
    template <unsigned BYTES_>
    LL_DEVICE void copy_some(unsigned to, unsigned long long from,
                             unsigned on) {
        ll_amd_to_shared_<BYTES_>(to, ll_amd_from_kept_<BYTES_>(from, on));
    }
};

/* Private: the operations that loads, stores and conversions of ll.h are made
 * of, for warps of LANES lanes. */
template <unsigned LANES_, unsigned GFX_ = LL_AMD_HERE_>
struct ll_amd_moves_ : ll_amd_accesses_<GFX_> {
    static_assert(LANES_ == 32 || LANES_ == 64,
                  "ll: the target must have 32 or 64 lanes: use an AMD target");
    enum : unsigned {
        lanes = LANES_,
        threads = 0,
        named = 0,
        copies = 1,
        reduces = 0,
        clusters = 0,
        gfx = GFX_,
        halves = LANES_ == 64 && GFX_ >= 0x1000u && GFX_ < 0x1200u
    };
    LL_DEVICE unsigned thread() { return LL_AMD_THREAD_; }
    LL_DEVICE void commit() {}
    template <unsigned> LL_DEVICE void wait_copies() {}
    LL_DEVICE void wait_warp() { ll_amd_wave_barrier(); }
    LL_DEVICE void wait_block() { ll_amd_s_barrier(); }
    LL_DEVICE unsigned permute(unsigned a, unsigned b, unsigned selector) {
        return __builtin_constant_p(selector)
                   ? ll_amd_bytes_(a, b, selector)
                   : ll_amd_perm(b, a, ll_amd_selector_(selector));
    }
    LL_DEVICE unsigned merge(unsigned a, unsigned b, unsigned mask) {
        return (a & mask) | (b & ~mask); /* v_bfi */
    }
    LL_DEVICE unsigned low_halves(unsigned a, unsigned b) {
        return permute(a, b, 0x5410);
    }
    template <bool> LL_DEVICE unsigned choose(unsigned a, unsigned b,
                                              unsigned on) {
        return on ? b : a;
    }
    /* Hides nothing: LLVM itself splits addresses into a scalar and a vector
     * part. */
    LL_DEVICE unsigned long long keep(unsigned long long x) { return x; }
    template <unsigned HOP_, unsigned long long CONTROL_>
    LL_DEVICE unsigned hop(unsigned x) {
        return ll_amd_hop_<HOP_, CONTROL_, GFX_>(x);
    }
    template <unsigned LANE_> LL_DEVICE void swap(unsigned &a, unsigned &b) {
        ll_amd_swap_<LANE_, GFX_>(a, b);
    }
    template <unsigned XOR_> LL_DEVICE unsigned exchange(unsigned x) {
        static_assert(XOR_ < LANES_, "ll: an exchange must stay in its warp");
        return ll_amd_exchange_<ll_amd_moves_, XOR_>(x);
    }
    LL_DEVICE unsigned shuffle(unsigned x, unsigned lane) {
        return ll_amd_shuffle_<GFX_, halves != 0>(x, lane, thread());
    }
};

/* Private: the same in a scope. Exchanges use the thread's number in it. */
template <class V_, class SCOPE_>
struct ll_amd_scoped_ : ll_scoped_hooks_<V_, SCOPE_> {
    template <unsigned XOR_> LL_DEVICE unsigned exchange(unsigned x) {
        return ll_amd_exchange_<ll_amd_scoped_, XOR_>(x);
    }
    LL_DEVICE unsigned shuffle(unsigned x, unsigned lane) {
        return ll_amd_shuffle_<V_::gfx, V_::halves != 0>(x, lane,
                                                         SCOPE_::ll_thread_());
    }
};

struct ll_vendor_ {
    template <unsigned LANES_> using moves = ll_amd_moves_<LANES_>;
};

template <class SCOPE_> struct ll_vendor_in_ {
    template <unsigned LANES_>
    using moves = ll_amd_scoped_<ll_amd_moves_<LANES_>, SCOPE_>;
};

/* The scope outside any LL_IN. It is in a namespace, so that compilers do not
 * warn when LL_IN shadows it. */
namespace ll_default_ {
typedef ll_vendor_ ll_scope_;
}
using namespace ll_default_;

#endif

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
