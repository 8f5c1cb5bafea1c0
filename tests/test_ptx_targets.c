/* test_ptx_targets.c - targets of NVIDIA: their phases, costs and modes are
 * those of the manuals.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR 1
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* ---- Targets ------------------------------------------------------------- */

/* Returns whether a phase serves `lanes` neighbouring lanes together. On
 * LL_SM90 these are all 32, 16 or 8 lanes, by the width of the access, as
 * measured (bench/results/gpu-nvidia-h200.json). */
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

/* ---- Limits of descriptors ----------------------------------------------- */

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
    RUN(targets_are_those_of_the_manuals);
    RUN(merged_phases_of_wide_reads);
    RUN(costs_of_nvidia_are_those_told);
    RUN(modes_are_those_of_the_manual);
    RUN(moves_begin_with_the_target_of_the_manual);
    RUN(a_file_without_a_target_is_for_sm_90);
    RUN(a_file_is_planned_for_its_target);
    return test_end();
}
