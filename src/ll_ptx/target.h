/* ---- Targets ---------------------------------------------------------- */
#ifndef LL_PTX_TARGET_H
#define LL_PTX_TARGET_H

#include "../ll/plan/target.h"

/* ll_ptx_target(sm): returns the target of compute capability sm, 75 for 7.5
 * and 120 for 12.0. LL_SM75 to LL_SM121 are the targets that the library knows.
 *
 * Shared memory has 32 banks of 4 bytes. An access of up to 4 bytes per lane is
 * served for all lanes at once, an access of 8 bytes for 16 consecutive lanes,
 * an access of 16 bytes for 8. Reads of 8 or 16 bytes whose addresses do not
 * depend on lane bit 0 or on lane bit 1 are served for twice the number of
 * lanes. From sm_90 on a cluster has up to 8 blocks, the portable maximum. Two
 * costs of clusters are assumed: 8 cycles for a wavefront of another block's
 * shared memory and 200 cycles for a barrier. The costs of issuing and of
 * starting an exchange are fitted to measured exchanges in kernels that use
 * each word once. Source (sm_75 to sm_121): measured on sm_90, assumed for the
 * others. Fails with LL_ETARGET.
 * Example: ll_ptx_target(90).banks[LL_READ][0] is 32;
 * Example: ll_ptx_target(70).err is LL_ETARGET;
 */
LL_FN ll_target ll_ptx_target(unsigned sm) {
    ll_target t = LL_ZERO;
    const unsigned known[] = {75, 80,  86,  87,  88,  89,
                              90, 100, 103, 110, 120, 121};
    t.err = LL_ETARGET;
    for (unsigned k = 0; k < sizeof known / sizeof known[0]; ++k) {
        t.err = sm == known[k] ? (unsigned)LL_OK : t.err;
    }
    t.lanes = 32;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.copies = sm >= 80u;
    t.merge = 3;
    t.forms[LL_READ][LL_FORM_MATRIX] =
        ll_form_of_(4, 2, 4, "b2 b3 r0 r1 r2", "b0 b1 r3 r4");
    t.forms[LL_READ][LL_FORM_TRANS] =
        ll_form_of_(4, 2, 4, "r1 r2 b1 b2 b3", "b0 r0 r3 r4");
    for (unsigned form = 0; form < LL_MAX_FORMS && sm >= 90u; ++form) {
        t.forms[LL_WRITE][form] = t.forms[LL_READ][form];
    }
    t.cost[LL_COST_MEMORY] = 8;
    t.cost[LL_COST_SHUFFLE] = 8;
    t.cost[LL_COST_LOGIC] = 5;
    t.cost[LL_COST_WARP] = 4;
    t.cost[LL_COST_BLOCK] = 32;
    t.cost[LL_COST_DSMEM] = 64;
    t.cost[LL_COST_CLUSTER] = 1600;
    t.cost[LL_COST_SELECT] = 3;
    t.cost[LL_COST_ISSUE] = 5;
    t.cost[LL_COST_START] = 14;
    t.blocks = sm < 90u ? 0u : 8u;
    for (unsigned op = 0; op < 2u; ++op) {
        for (unsigned width = 0; width < 3u; ++width) {
            t.banks[op][width] = 32;
            for (unsigned k = 0; k < 5u - width; ++k) {
                t.phase[op][width][k] = 1u << k;
            }
        }
    }
    return t;
}

/* ll_ptx_family(sm): returns the family-specific target of sm, such as sm_100f,
 * sm_110f or sm_120f. In addition to ll_ptx_target(sm) it has ldmatrix and
 * stmatrix for matrices of bytes. (PTX, "ldmatrix", "stmatrix".) Fails with
 * LL_ETARGET.
 * Example: ll_ptx_family(90).err is LL_ETARGET;
 */
LL_FN ll_target ll_ptx_family(unsigned sm) {
    ll_target t = ll_ptx_target(sm);
    t.err = sm < 100u ? (unsigned)LL_ETARGET : t.err;
    t.forms[LL_READ][LL_FORM_BYTES] =
        ll_form_of_(4, 3, 4, "r2 r3 b0 b1 b2", "r0 r1 b3 r4");
    t.forms[LL_WRITE][LL_FORM_BYTES] =
        ll_form_of_(4, 2, 4, "r1 r2 b0 b1 b2", "r0 b3 r3 r4");
    return t;
}

#define LL_SM75 ll_ptx_target(75)
#define LL_SM80 ll_ptx_target(80)
#define LL_SM86 ll_ptx_target(86)
#define LL_SM87 ll_ptx_target(87)
#define LL_SM88 ll_ptx_target(88)
#define LL_SM89 ll_ptx_target(89)
#define LL_SM90 ll_ptx_target(90)
#define LL_SM100 ll_ptx_target(100)
#define LL_SM103 ll_ptx_target(103)
#define LL_SM110 ll_ptx_target(110)
#define LL_SM120 ll_ptx_target(120)
#define LL_SM121 ll_ptx_target(121)
#define LL_SM100F ll_ptx_family(100)
#define LL_SM110F ll_ptx_family(110)
#define LL_SM120F ll_ptx_family(120)

/* LL_TARGET_HERE is the target of the compiler's current pass, as in
 * LL_PLAN(TURN, IN, OUT, 32, LL_TARGET_HERE). A fat binary has a pass for each
 * target. With -arch=sm_100f or sm_100a the target includes the instructions
 * for matrices of bytes. The host pass takes the first target of the list, or
 * sm_90 if the compiler names none. It does not know the other targets: if host
 * code passes the size of dynamic shared memory, pass the largest LL_SMEM_BYTES
 * of the plans for all targets. */
#if !defined(LL_TARGET_HERE) && !defined(__HIP__)
#if defined(__CUDA_ARCH__)
#define LL_PTX_SM_ (__CUDA_ARCH__ / 10u)
#elif defined(__CUDA_ARCH_LIST__) && LL_CONSTEXPR
template <class... T_> LL_FN unsigned ll_ptx_first_(unsigned first, T_...) {
    return first;
}
#define LL_PTX_SM_ (ll_ptx_first_(__CUDA_ARCH_LIST__) / 10u)
#else
#define LL_PTX_SM_ 90u
#endif
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_SPECIFIC__)
#define LL_PTX_FAMILY_ 1
#else
#define LL_PTX_FAMILY_ 0
#endif
#define LL_TARGET_HERE                                                      \
    (LL_PTX_FAMILY_ && LL_PTX_SM_ >= 100u ? ll_ptx_family(LL_PTX_SM_)       \
                                          : ll_ptx_target(LL_PTX_SM_))
#endif

/* Private: for each instruction, the targets that have it (PTX ISA 9.0, "Target
 * ISA Notes" of the instruction). "80" stands for sm_80 and all later targets,
 * "90a" for sm_90a alone, "100f" for sm_100 and sm_103 with the suffix `a` or
 * `f`, "" for no target. If several rules match, the last one counts. */
#define LL_PTX_PRODUCTS_                                                    \
    {"mma", "75"}, {"mma m16n8*", "80"}, {"mma m16n8k8 f16", "75"},         \
    {"mma bf16", "80"}, {"mma tf32", "80"}, {"mma f64", "80"},              \
    {"mma m16n8* f64", "90"}, {"mma and", "80"}, {"mma sp*", "80"},         \
    {"mma e4m3", "89"}, {"mma e5m2", "89"}, {"mma kind::*", "120f"},        \
    {"mma kind::f8f6f4", "100f 110f 120f"},                                 \
    {"mma kind::f8f6f4 e2m*", "120f"}, {"mma kind::f8f6f4 e3m2", "120f"},   \
    {"mma sp* f16 e4m3", "120f"}, {"mma sp* f16 e5m2", "120f"},             \
    {"mma sp* kind::mxf4*", "120a 121a"},                                   \
    {"mma kind::mxf4nvf4 vec::4X ue8m0", ""}, /* PTX 9.1 has it */          \
    {"wgmma", "90a"}, {"setmaxnreg", "90a 100f 110f 120f"},                 \
    {"tcgen05", "100f 110f"}, {"tcgen05 kind::i8", "100a 110a"},            \
    {"tcgen05 shift", "100a 103a 110a"},                                    \
    {"tcgen05 sp kind::mxf4*", "100a 103a 110a"}
#define LL_PTX_MOVES_                                                       \
    {"ldmatrix", "75"}, {"ldmatrix m16n16", "100f 110f 120f"},              \
    {"ldmatrix m8n16", "100f 110f 120f"}, {"stmatrix", "90"},               \
    {"stmatrix m16n8", "100f 110f 120f"}, {"movmatrix", "75"},              \
    {"shfl", "75"}, {"match", "75"}, {"vote", "75"}, {"elect", "90"},       \
    {"redux", "80"}, {"redux f32", "100f"}, {"prmt", "75"},                 \
    {"lop3", "75"}, {"shf", "75"}, {"bfi", "75"}, {"mad", "75"},            \
    {"selp", "75"},                                                         \
    {"ld", "75"}, {"ld shared::cluster", "90"},                             \
    {"ld v8", "100"}, {"ld v4 *64", "100"}, {"ld shared* v8", ""},          \
    {"ld shared* v4 *64", ""}, {"st", "75"}, {"st v8", "100"},              \
    {"st v4 *64", "100"}, {"st shared* v8", ""},                            \
    {"st shared* v4 *64", ""}, {"st async", "90"}, {"cp async", "80"},      \
    {"cp async cg 4", ""}, {"cp async cg 8", ""}, {"cp async bulk", "90"},  \
    {"fence", "75"}, {"fence proxy async", "90"}, {"bar", "75"},            \
    {"barrier", "75"}, {"barrier cluster", "90"}, {"mapa", "90"},           \
    {"mov", "75"}, {"mov %cluster", "90"}, {"mbarrier", "80"},              \
    {"mbarrier expect_tx", "90"}, {"mbarrier try_wait", "90"},              \
    {"mbarrier shared::cluster", "90"}, {"fence mbarrier_init", "90"},      \
    {"cp async mbarrier arrive", "80"}, {"prefetch tensormap", "90"},       \
    {"griddepcontrol", "90"}, {"bar arrive", "75"}, {"ex2", "75"},          \
    {"cvt", "75"}, {"cvt f16x2 f32", "80"},                                 \
    {"cvt bf16x2 f32", "80"}, {"cvt f16x2 e4m3x2", "89"},                   \
    {"cvt rn e4m3x2", "89"}, {"cvt rn e5m2x2", "89"},                       \
    {"cvt e2m3x2", "100f 110f 120f"}, {"cvt e3m2x2", "100f 110f 120f"},     \
    {"cvt e2m1x2", "100f 110f 120f"}, {"fma", "75"},                        \
    {"fma bf16x2", "80"}

/* Private: a target's name in parts, 90 and 'a' for "sm_90a". err is LL_ETARGET
 * if there is no such target. */
typedef struct ll_ptx_arch_ {
    unsigned err;
    unsigned sm;
    char variant; /* 'a', 'f', or 0 */
} ll_ptx_arch_;

LL_FN ll_ptx_arch_ ll_ptx_arch_of_(const char *text) {
    ll_ptx_arch_ a = LL_ZERO;
    const char *p = text + ll_name_part_(text);
    const int is_sm = ll_name_matches_(text, "sm") && *p == '_';
    for (p += is_sm; *p >= '0' && *p <= '9' && a.sm < 1000u; ++p) {
        a.sm = 10u * a.sm + (unsigned)(*p - '0');
    }
    a.variant = *p;
    const int is_known = a.variant == 0 || (a.variant == 'a' && a.sm >= 90u) ||
                         (a.variant == 'f' && a.sm >= 100u);
    const int ends = a.variant == 0 || p[1] == 0;
    a.err = is_sm && is_known && ends ? ll_ptx_target(a.sm).err
                                      : (unsigned)LL_ETARGET;
    return a;
}

/* Private: returns 1 if the target is in the list `targets` of a rule. */
LL_FN int ll_ptx_is_among_(ll_ptx_arch_ a, const char *targets) {
    int among = 0;
    while (*targets && !among) {
        unsigned from = 0;
        for (; *targets >= '0' && *targets <= '9'; ++targets) {
            from = 10u * from + (unsigned)(*targets - '0');
        }
        among = *targets == 'a'   ? a.variant == 'a' && a.sm == from
                : *targets == 'f' ? a.variant && a.sm / 10u == from / 10u
                                  : a.sm >= from;
        targets = ll_name_next_part_(targets);
    }
    return among;
}

/* ll_ptx_has(target, instruction): returns 1 if the target has the instruction,
 * 0 if it does not or if this library does not know the target or the
 * instruction. Write the target as for nvcc ("sm_80", "sm_90a", "sm_100f").
 * Write the instruction as in PTX; parts that make no difference may be left
 * out. For a cp.async add a blank and its size. The function does not check
 * whether PTX allows these parts together. ll_ptx_need(a, target, instruction):
 * returns the layout a if the target has the instruction that loads, stores or
 * multiplies it, for use in LL_LAYOUT. (PTX, "Target ISA Notes".) Fails with
 * LL_EARCH, LL_ETARGET, LL_ENULL.
 * Example: ll_ptx_has("sm_90", "stmatrix") is 1;
 * Example: ll_ptx_has("sm_80", "mma.m16n8k32.row.col.f32.e4m3.e4m3.f32") is 0;
 * Example: ll_ptx_has("sm_103f", "tcgen05.ld") is 1;
 * Example: ll_ptx_has("sm_90", "wgmma") is 0;
 * Example: ll_ptx_need(ll_ptx_wgmma_d(64, 16, 4), "sm_90a", "wgmma") is
 *          ll_ptx_wgmma_d(64, 16, 4);
 * Example: ll_ptx_need(ll_rows(8, 4, 1), "sm_80", "stmatrix").err is LL_EARCH;
 * Example: ll_ptx_need(ll_rows(8, 4, 1), "sm_70", "ld").err is LL_ETARGET;
 */
LL_FN int ll_ptx_has(const char *target, const char *instruction) {
    const ll_rule_ rules[] = {LL_PTX_PRODUCTS_, LL_PTX_MOVES_};
    if (!target || !instruction) {
        return 0;
    }
    const ll_ptx_arch_ a = ll_ptx_arch_of_(target);
    return !a.err &&
           ll_ptx_is_among_(a, ll_rule_targets_(rules,
                                                sizeof rules / sizeof rules[0],
                                                instruction));
}

LL_FN ll_layout ll_ptx_need(ll_layout a, const char *target,
                            const char *instruction) {
    a = ll_layout_bad_(a, target && instruction ? ll_ptx_arch_of_(target).err
                                                : (unsigned)LL_ENULL);
    return ll_ptx_has(target, instruction) ? a : ll_layout_bad_(a, LL_EARCH);
}

#endif
