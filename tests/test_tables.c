/* test_tables.c - the tables of the vendor headers against the manuals.
 * SPDX-License-Identifier: MIT
 *
 * Which targets there are, what their matrix instructions move, how a target
 * or an instruction may be written, and which arguments no instruction has.
 */
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* log2 of the most and the fewest bytes that a lane moves, and of the bytes of
 * a row, as three digits. */
static unsigned sizes_of(ll_form form) {
    return (unsigned)(form >> 40) & 0xfffu;
}

static void nvidia_targets_are_those_of_nvcc(void) {
    static const unsigned known[] = {75, 80,  86,  87,  88,  89,
                                     90, 100, 103, 110, 120, 121};
    for (unsigned sm = 0; sm < 1300u; ++sm) {
        int is = 0;
        for (unsigned k = 0; k < 12u; ++k) {
            is = is || sm == known[k];
        }
        CHECK((ll_ptx_target(sm).err == LL_OK) == is);
        CHECK((ll_ptx_family(sm).err == LL_OK) == (is && sm >= 100u));
    }
    const ll_target named[] = {LL_SM75,   LL_SM80,   LL_SM86,  LL_SM87,
                               LL_SM88,   LL_SM89,   LL_SM90,  LL_SM100,
                               LL_SM103,  LL_SM110,  LL_SM120, LL_SM121,
                               LL_SM100F, LL_SM110F, LL_SM120F};
    for (unsigned k = 0; k < 15u; ++k) {
        const ll_target t = named[k];
        const unsigned stores = k < 6u ? 0u : 0x424u; /* x1, x2, x4 */
        CHECK(t.err == LL_OK && t.lanes == 32u);
        CHECK(sizes_of(t.forms[LL_READ][LL_FORM_MATRIX]) == 0x424u);
        CHECK(sizes_of(t.forms[LL_READ][LL_FORM_TRANS]) == 0x424u);
        CHECK(sizes_of(t.forms[LL_WRITE][LL_FORM_MATRIX]) == stores);
        CHECK(sizes_of(t.forms[LL_WRITE][LL_FORM_TRANS]) == stores);
        /* ldmatrix.m16n16.x1, .x2; stmatrix.m16n8.x1, .x2, .x4 */
        CHECK(sizes_of(t.forms[LL_READ][LL_FORM_BYTES]) ==
              (k < 12u ? 0u : 0x434u));
        CHECK(sizes_of(t.forms[LL_WRITE][LL_FORM_BYTES]) ==
              (k < 12u ? 0u : 0x424u));
        CHECK(t.blocks == (k < 6u ? 0u : 8u));
    }
}

static void instructions_of_nvidia_are_known_by_name(void) {
    static const char *const every[] = {"sm_75",  "sm_80",   "sm_90",
                                        "sm_90a", "sm_100",  "sm_100a",
                                        "sm_103f", "sm_120", "sm_121a"};
    for (unsigned k = 0; k < 9u; ++k) {
        const char *sm = every[k];
        CHECK(ll_ptx_has(sm, "ld.shared.v4.b32"));
        CHECK(!ll_ptx_has(sm, "ld.shared.v4.b64"));
        CHECK(!ll_ptx_has(sm, "st.shared.v4.b64"));
        CHECK(!ll_ptx_has(sm, "ld.shared.v8.b32"));
        CHECK(!ll_ptx_has(sm, "st.shared::cluster.v8.b32"));
        CHECK(ll_ptx_has(sm, "ld.global.v4.b64") == (k > 3u));
        CHECK(ll_ptx_has(sm, "st.global.v8.b32") == (k > 3u));
        CHECK(!ll_ptx_has(sm, "no.such.instruction"));
        CHECK(ll_ptx_has(sm, "cp.async.cg 16") == (k > 0));
        CHECK(!ll_ptx_has(sm, "cp.async.cg 8"));
        CHECK(ll_ptx_has(sm, "cp.async.ca 8") == (k > 0));
    }
    static const char *const none[] = {
        "sm90",   "sm-90",   "_90",    "90",     "xx_90",  "compute_90",
        "sm_",    "sm_9",    "sm_900", "sm_091", "sm_90b", "sm_90f",
        "sm_89f", "sm_80a",  "sm_89a", "sm_90aa", "sm_100fa", "sm_100f ",
        "sm_90 ", "sm_1000", "sm_10000", "sm_1001", "sm_4294967386", ""};
    for (unsigned k = 0; k < sizeof none / sizeof *none; ++k) {
        CHECK(!ll_ptx_has(none[k], "ld"));
        CHECK(ll_ptx_need(L("lane: i0"), none[k], "ld").err == LL_ETARGET);
    }
    CHECK(ll_ptx_need(L("lane: i0"), "sm_90", "wgmma").err == LL_EARCH);
    CHECK(ll_ptx_need(L("lane: i0"), "sm_90a", "wgmma").err == LL_OK);
    /* a variant of one target is none of another */
    CHECK(ll_ptx_has("sm_100f", "redux.sync.min.f32"));
    CHECK(ll_ptx_has("sm_103a", "redux.sync.min.f32"));
    CHECK(!ll_ptx_has("sm_100", "redux.sync.min.f32"));
    CHECK(!ll_ptx_has("sm_120a", "redux.sync.min.f32"));
    CHECK(!ll_ptx_has("sm_100a", "wgmma"));
}

static void operands_have_the_sizes_of_instructions(void) {
    CHECK(ll_ptx_fragment_a(16, 8, 128).err == LL_EOPERAND);
    CHECK(ll_ptx_fragment_a(16, 64, 2).err == LL_EOPERAND);
    CHECK(ll_ptx_fragment_a(16, 256, 1).err == LL_OK);
    CHECK(ll_ptx_fragment_a(16, 512, 1).err == LL_EK);
    CHECK(ll_ptx_fragment_a(16, 16, 64).err == LL_OK);
    CHECK(ll_ptx_fragment_a(16, 32, 64).err == LL_EK);
    CHECK(ll_ptx_fragment_a(16, 12, 16).err == LL_EK);
    CHECK(ll_ptx_fragment_b(32, 8, 16).err == LL_OK);
    CHECK(ll_ptx_fragment_b(64, 8, 16).err == LL_EK);
    CHECK(ll_ptx_fragment_b(16, 16, 16).err == LL_EN);
    for (unsigned m = 1; m < 64u; ++m) {
        for (unsigned n = 1; n < 32u; ++n) {
            const unsigned err = n != 8u                ? LL_EN
                                 : m == 8u || m == 16u ? LL_OK
                                                        : LL_EM;
            CHECK(ll_ptx_fragment_c(m, n).err == err);
        }
    }
    CHECK(ll_ptx_wgmma_a(64, 16, 16, 4).err == LL_OK);
    CHECK(ll_ptx_wgmma_a(64, 8, 16, 4).err == LL_EK);
    CHECK(ll_ptx_wgmma_a(64, 16, 64, 4).err == LL_EOPERAND);
    CHECK(ll_ptx_wgmma_a(64, 1024, 16, 4).err == LL_OK);
    CHECK(ll_ptx_wgmma_d(64, 4, 4).err == LL_EN);
    CHECK(ll_ptx_wgmma_d(32, 8, 4).err == LL_EWARPS);
    for (unsigned rows = 4; rows <= 32u; rows *= 2u) {
        for (unsigned n = 1; n <= 8u; ++n) {
            const int one = (rows == 8u && (n == 1u || n == 2u || n == 4u)) ||
                            (rows == 16u && (n == 1u || n == 2u));
            CHECK((ll_ptx_matrix_rows(rows, n).err == LL_OK) == one);
            for (unsigned bits = 4; bits <= 32u; bits *= 2u) {
                for (int trans = 0; trans < 2; ++trans) {
                    const int is = one && (bits == 8u || bits == 16u) &&
                                   (rows == 8u || (trans && bits == 8u));
                    CHECK(ll_ptx_matrix(rows, bits, trans, n).err ==
                          (is ? LL_OK : LL_EMATRIX));
                }
            }
        }
    }
    for (unsigned n = 1; n <= 512u; n *= 2u) {
        /* 128 registers are the most of tcgen05.ld: x128 of 32 bits */
        CHECK(ll_ptx_tmem(32, 32, n, 32).err == (n > 128u ? LL_ETMEM : LL_OK));
        CHECK(ll_ptx_tmem(16, 64, n, 32).err == (n > 128u ? LL_ETMEM : LL_OK));
        CHECK(ll_ptx_tmem(16, 128, n, 32).err == (n > 64u ? LL_ETMEM : LL_OK));
        CHECK(ll_ptx_tmem(16, 256, n, 32).err == (n > 32u ? LL_ETMEM : LL_OK));
    }
    CHECK(ll_ptx_tmem(32, 32, 1, 8).err == LL_EOPERAND);
    for (unsigned n = 0; n < 1100u; ++n) {
        /* fewer than 8 columns are a slice; folded, 128 lanes hold them all */
        const int is = n >= 1u && n <= 256u && (n & (n - 1u)) == 0;
        CHECK(ll_ptx_tcgen05_d(64, n, 0).err == (is ? LL_OK : LL_EN));
        CHECK(ll_ptx_tcgen05_d(128, n, 1).err == (is ? LL_OK : LL_EN));
    }
    CHECK(ll_ptx_tcgen05_d(32, 8, 0).err == LL_EM);
    CHECK(ll_ptx_tcgen05_d(32, 8, 1).err == LL_OK);
    CHECK(ll_ptx_tcgen05_d(32, 4, 1).err == LL_OK);
    CHECK(ll_ptx_tcgen05_d(32, 2, 1).err == LL_EN);
    CHECK(ll_ptx_tcgen05_d(64, 1, 1).err == LL_EN);
    CHECK(ll_ptx_tcgen05_d(256, 8, 0).err == LL_EM);
    CHECK(ll_ptx_sparse_e(64, 16).err == LL_EK);
    CHECK(ll_ptx_sparse_e(32, 64).err == LL_EOPERAND);
    CHECK(ll_ptx_sparse_e(64, 2).err == LL_EOPERAND);
}

static void instructions_of_amd_are_known_by_name(void) {
    static const char *const none[] = {
        "gfx",     "gfx9",    "gfx94",     "gfx94g",   "gfx94:", "gfx9422a",
        "gfx942 ", "gfx942:", "gfx942+",   "942",      "xfx942", "gf942",
        "gfx94A",  "gfx/42",  "gfx9`2",    "",         "gfx12011"};
    CHECK(ll_amd_has("gfx942", "ds_bpermute"));
    CHECK(ll_amd_has("gfx90a", "ds_bpermute"));
    CHECK(ll_amd_has("gfx908", "mfma_f32_16x16x4f32"));
    CHECK(ll_amd_has("gfx1201", "ds_bpermute"));
    for (unsigned k = 0; k < sizeof none / sizeof *none; ++k) {
        CHECK(!ll_amd_has(none[k], "ds_bpermute"));
        CHECK(ll_amd_need(L("lane: i0"), none[k], "ds_bpermute").err ==
              LL_ETARGET);
    }
    CHECK(ll_amd_has("gfx94f", "ds_bpermute")); /* f is a digit */
    static const char *const late[] = {
        "smfmac_f32_16x16x64_f16", "smfmac_f32_32x32x32_bf16",
        "smfmac_i32_16x16x128_i8", "smfmac_f32_32x32x64_fp8_bf8",
        "global_load_lds_12", "global_load_lds_16",
        "raw_ptr_buffer_load_lds_12", "raw_ptr_buffer_load_lds_16"};
    for (unsigned k = 0; k < sizeof late / sizeof *late; ++k) {
        CHECK(ll_amd_has("gfx950", late[k]));
        CHECK(!ll_amd_has("gfx942", late[k]));
    }
    CHECK(ll_amd_need(L("lane: i0"), "gfx942", "ds_bpermute").err == LL_OK);
    CHECK(ll_amd_need(L("lane: i0"), "gfx942", "no_such").err == LL_EARCH);
    const ll_target named[] = {LL_GFX908, LL_GFX90A,  LL_GFX942,
                               LL_GFX950, LL_GFX1100, LL_GFX1201};
    for (unsigned k = 0; k < 6u; ++k) {
        CHECK(named[k].err == LL_OK);
        CHECK(named[k].lanes == (k < 4u ? 64u : 32u));
        CHECK((named[k].forms[LL_READ][LL_FORM_TRANS] != 0) == (k == 3u));
    }
    /* ds_read_tr: 8 bytes a lane, rows of 8 bytes */
    for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
        const ll_form one = LL_GFX950.forms[LL_READ][form];
        CHECK(one == 0 || sizes_of(one) == 0x333u);
        CHECK(LL_GFX950.forms[LL_WRITE][form] == 0);
    }
}

/* The lowest target of an instruction that needs no variant, by the sentence
 * "Target ISA Notes" of the PTX manual. */
typedef struct first_target {
    const char *instruction;
    unsigned sm;
} first_target;

static void instructions_begin_at_their_first_target(void) {
    static const first_target table[] = {
        {"selp.b32", 75}, {"ex2.approx.f32", 75}, {"bar.arrive", 75},
        {"fma.rn.f32", 75}, {"mov.u32", 75}, {"cvt.f32.f16", 75},
        {"mbarrier.init.shared.b64", 80},
        {"cp.async.mbarrier.arrive.shared.b64", 80},
        {"cvt.rn.f16x2.f32", 80}, {"cvt.rn.bf16x2.f32", 80},
        {"fma.rn.bf16x2", 80}, {"cvt.rn.f16x2.e4m3x2", 89},
        {"cvt.rn.satfinite.e4m3x2.f32", 89},
        {"cvt.rn.satfinite.e5m2x2.f32", 89},
        {"mbarrier.expect_tx.relaxed.cta.shared.b64", 90},
        {"mbarrier.try_wait.shared.b64", 90},
        {"mbarrier.arrive.release.cluster.shared::cluster.b64", 90},
        {"fence.mbarrier_init.release.cluster", 90},
        {"prefetch.tensormap", 90}, {"griddepcontrol.wait", 90}};
    static const unsigned sm[] = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120};
    for (unsigned k = 0; k < sizeof table / sizeof table[0]; ++k) {
        for (unsigned t = 0; t < sizeof sm / sizeof sm[0]; ++t) {
            char name[16];
            snprintf(name, sizeof name, "sm_%u", sm[t]);
            CHECK(ll_ptx_has(name, table[k].instruction) ==
                  (sm[t] >= table[k].sm));
        }
    }
}

/* What the manual grants to a family (f) or to one architecture alone (a), no
 * target without that letter has. */
typedef struct variant {
    const char *instruction, *has, *lacks;
} variant;

static void letters_of_targets_are_needed(void) {
    static const variant table[] = {
        {"cvt.rn.satfinite.e2m1x2.f32", "sm_100f", "sm_100"},
        {"cvt.rn.satfinite.e2m3x2.f32", "sm_100f", "sm_100"},
        {"cvt.rn.satfinite.e3m2x2.f32", "sm_100f", "sm_100"},
        {"tcgen05.ld", "sm_100f", "sm_100"},
        {"tcgen05.shift", "sm_100a", "sm_100f"},
        {"tcgen05.mma.kind::i8", "sm_100a", "sm_100f"},
        {"mma.sync.kind::f8f6f4.f32.e2m1.e2m1.f32", "sm_120f", "sm_120"},
        {"mma.sync.kind::f8f6f4.f32.e4m3.e4m3.f32", "sm_100f", "sm_100"},
        {"mma.sync.kind::f8f6f4.f32.e3m2.e3m2.f32", "sm_120f", "sm_120"},
        {"mma.sp::ordered_metadata.f16.e4m3.e4m3.f16", "sm_120f", "sm_120"},
        {"mma.sp::ordered_metadata.f16.e5m2.e5m2.f16", "sm_120f", "sm_120"},
        {"mma.sp::ordered_metadata.kind::mxf4", "sm_120a", "sm_120f"}};
    for (unsigned k = 0; k < sizeof table / sizeof table[0]; ++k) {
        CHECK(ll_ptx_has(table[k].has, table[k].instruction));
        CHECK(!ll_ptx_has(table[k].lacks, table[k].instruction));
        CHECK(!ll_ptx_has("sm_90a", table[k].instruction));
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nvidia_targets_are_those_of_nvcc);
    RUN(instructions_of_nvidia_are_known_by_name);
    RUN(operands_have_the_sizes_of_instructions);
    RUN(instructions_of_amd_are_known_by_name);
    RUN(instructions_begin_at_their_first_target);
    RUN(letters_of_targets_are_needed);
    return test_end();
}
