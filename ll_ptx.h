/* Written from the rooms in src/ll_ptx by `make headers`: change them. */
/* ll_ptx.h - linear layouts for NVIDIA GPUs: targets, instructions, moves.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PTX_H
#define LL_PTX_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- guide: The guide ------------------------------------------------- */

/* What this is.
 *
 * The NVIDIA half of the library. ll.h chooses layouts, memory layouts,
 * accesses and their order. This header describes the targets and their
 * instructions, and executes a plan as straight-line PTX inside the caller's
 * kernel. Host code may include it together with ll_amd.h: everything but the
 * instructions and the code that uses them is plain data and plain functions.
 * `make reference` writes pages with an index of all names by room.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_ptx_target, LL_SM75 .. LL_SM121        |
 * | instructions of a target   | ll_ptx_has, ll_ptx_need                   |
 * | matrix operands, dense     | ll_ptx_fragment_a, ll_ptx_quad_a, .. _c   |
 * | operands of a whole tile   | ll_ptx_mma_a, ll_ptx_wgmma_a, .. _c or _d |
 * | matrix operands, sparse    | ll_ptx_fragment_a, ll_ptx_sparse_e        |
 * | scales of a matrix operand | ll_ptx_scale_a, .. _b                     |
 * | modifiers of operands      | none are needed                           |
 * | transposing loads          | ll_ptx_matrix, .. _rows                   |
 * | tensor memory              | ll_ptx_tmem, ll_ptx_tcgen05_d             |
 * | swizzled shared memory     | ll_ptx_smem_k, .. _mn, ll_ptx_tma         |
 * | descriptors of such memory | ll_ptx_desc_of, .. _slice, .. _wgmma      |
 * | tensor maps of such memory | ll_ptx_tma_of, ll_ptx_tensor_of, .. _box  |
 * | single instructions        | ldmatrix, shfl, cp.async, .. (ll_ptx_..)  |
 * | matrix multiply            | LL_MMA, wgmma, tcgen05 (with LL_MATRIX)   |
 * | conversions of types       | LL_CAST                                   |
 * | unpacking small numbers    | ll_ptx_twiddled, .. _untwiddle            |
 * | shared to shared memory    | ll_ptx_between                            |
 * | tensor copies, mbarrier    | cp.async.bulk, mbarrier                   |
 * | global memory, 16 bytes    | LL_LOAD, LL_STORE                         |
 * | masked at ragged edges     | LL_LOAD, LL_STORE with rows and columns   |
 * | streaming; 32 bytes        | LL_LOAD_BY, LL_STORE_BY                   |
 * | shared memory, 16 bytes    | LL_STORE_SHARED, LL_LOAD_SHARED           |
 * | global to shared memory    | LL_COPY (cp.async)                        |
 * | any layout to any other    | LL_CONVERT: shuffles, byte permutes,      |
 * |                            | ldmatrix, stmatrix, vectors               |
 * | clusters of blocks         | LL_CONVERT (sm_90 and later)              |
 * | reduction, scan on an axis | LL_REDUCE, LL_SCAN                        |
 * | gather along an axis       | LL_GATHER                                 |
 */

/* A complete example.
 *
 *     #include "ll_ptx.h"
 *
 *     LL_LAYOUT(IN, ll_rows(64, 64, 4));
 *     LL_LAYOUT(OUT, ll_rows(64, 64, 4));
 *     LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
 *     LL_PLAN(TURN, IN, TURNED, 32, LL_SM90);
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
 * n is a multiple of 64. Launch a grid of n/64 x n/64 blocks of 128 threads.
 * examples/kernels/move/transpose.cu is the complete program.
 */

/* Words and bit order.
 *
 * As in ll.h. Blocks are one-dimensional: the low five bits of threadIdx.x are
 * the lane, the bits above them the warp. A block has exactly the
 * LL_THREADS(LAYOUT) threads of the layouts that it uses.
 *
 * Shared memory addresses are 32-bit byte addresses. A `word` has 32 bits.
 * Element k of an access starts at its byte k * size, as in memory.
 */

/* ---- base: Configuration and portability ------------------------------ */

/* The macros of ll.h configure this header too. Its own are LL_PTX_WIDE and
 * LL_MATRIX. Define LL_MATRIX before including the header to get the matrix
 * instructions: mma, wgmma and tcgen05. nvcc takes about a second for them.
 * LL_TENSOR is the name of LL_MATRIX in 0.3. With LL_EMULATE, an emulator on
 * the host interprets the instructions. The emulator defines the three LL_PTX_
 * macros below and the macros of their operands. */

#if defined(LL_TENSOR) && !defined(LL_MATRIX)
#define LL_MATRIX
#endif

/* LL_PTX_WIDE is 1 if an access under LL_WIDE may have 32 bytes, which requires
 * sm_100 and PTX 8.8 (CUDA 12.9). Otherwise it is 0, and the widest access has
 * 16 bytes. */
#ifndef LL_PTX_WIDE
#if defined(__CUDA_ARCH__) && defined(__CUDACC_VER_MAJOR__)
#define LL_PTX_WIDE                                                         \
    (__CUDA_ARCH__ >= 1000 &&                                               \
     __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1209)
#else
#define LL_PTX_WIDE 0
#endif
#endif

#if !LL_EMULATE
#define LL_LIST_(...) __VA_ARGS__ /* strips the parentheses */
#endif

/* LL_PTX_(text, outputs, inputs) emits one instruction that may access memory.
 * The two operand lists are in parentheses: LL_O32_(x) is a 32-bit output,
 * LL_I32_(x) an input, LL_IO32_(x) both, LL_I64_(x) a 64-bit input, LL_IMM_(n)
 * a literal. Matrix instructions also have LL_IOS32_ for an int, LL_IOF32_ for
 * a float and LL_IOF64_ for a double, all read and written, LL_IF64_ for a
 * double input, and LL_A32_ for an input that the instruction may read after it
 * was issued.
 *
 * LL_PTX_LANES_ emits an instruction that communicates between lanes and does
 * not access memory. The instruction must stay in its place, but loads and
 * stores may move across it: nvcc keeps their order, ptxas may change it.
 *
 * LL_PTX_PURE_ emits an instruction that depends only on the registers of its
 * own lane. The compiler may move it, and may drop it if its result is
 * unused. */
#if !LL_EMULATE
#define LL_PTX_(text, outputs, inputs)                                      \
    asm volatile(text : LL_LIST_ outputs : LL_LIST_ inputs : "memory")
#define LL_PTX_LANES_(text, outputs, inputs)                                \
    asm volatile(text : LL_LIST_ outputs : LL_LIST_ inputs)
#define LL_PTX_PURE_(text, outputs, inputs)                                 \
    asm(text : LL_LIST_ outputs : LL_LIST_ inputs)
#define LL_O32_(x) "=r"(x)
#define LL_I32_(x) "r"(x)
#define LL_IO32_(x) "+r"(x)
#define LL_I64_(x) "l"(x)
#define LL_IMM_(n) "n"(n)
#define LL_I16_(x) "h"((unsigned short)(x))
#define LL_A32_(x) "r"(x)
#define LL_IOS32_(x) "+r"(x)
#define LL_IOF32_(x) "+f"(x)
#define LL_IOF64_(x) "+d"(x)
#define LL_OF32_(x) "=f"(x)
#define LL_IF32_(x) "f"(x)
#define LL_IF64_(x) "d"(x)
#endif

/* ---- target: Targets -------------------------------------------------- */

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

/* ---- operands: Register layouts of matrix instructions ---------------- */

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

/* ---- twiddle: Unpacking words of small numbers ------------------------ */

/* How to unpack a word of small numbers. Word k of the result is (x >> shift[k]
 * & mask[k]) | (any constant): one lop3, and a shift if shift[k] is not 0; a
 * negative shift[k] shifts to the left. Its numbers, in the order of their
 * elements, then start at bit at[k] of their containers, so they are 2^at[k]
 * times too large. */
typedef struct ll_ptx_twiddle {
    unsigned err;
    unsigned words, instructions;
    int shift[8];
    unsigned mask[8], at[8];
} ll_ptx_twiddle;

/* Private: returns the place in the word of bit `bit` of element e. */
LL_FN int ll_ptx_bit_at_(const ll_layout *x, unsigned e, unsigned bit) {
    return (int)ll_apply(*x, ll_pack(x->in, ll_dim_of("e"), e) ^
                                 ll_pack(x->in, ll_dim_of("bit"), bit));
}

/* Private: returns how many bits above their containers the numbers of word k
 * lie; 99 if this is not the same for all of them. */
LL_FN int ll_ptx_above_(const ll_layout *x, unsigned bits, unsigned to,
                        unsigned k) {
    const unsigned each = 32u / to;
    const int above = ll_ptx_bit_at_(x, k * each, 0);
    for (unsigned n = 0; n < each * bits; ++n) {
        const unsigned e = n / bits, bit = n % bits;
        if (ll_ptx_bit_at_(x, k * each + e, bit) !=
            above + (int)(e * to + bit)) {
            return 99;
        }
    }
    return above;
}

/* Private: sets shift, at and mask of each word of t that is not in the set
 * `done` and fits its containers after this shift. Returns the set of these
 * words. */
LL_FN unsigned ll_ptx_serve_(ll_ptx_twiddle *t, const int *above, unsigned done,
                             int shift, unsigned bits, unsigned to_bits,
                             unsigned room) {
    unsigned served = 0;
    for (unsigned k = 0; k < t->words; ++k) {
        const int at = above[k] - shift;
        if (!(done >> k & 1u) && at >= 0 && at <= (int)(room - bits)) {
            t->shift[k] = shift;
            t->at[k] = (unsigned)at;
            served |= 1u << k;
            for (unsigned e = 0; e < 32u / to_bits; ++e) {
                t->mask[k] |= ((1u << bits) - 1u)
                              << (e * to_bits + (unsigned)at);
            }
        }
    }
    return served;
}

/* ll_ptx_untwiddle(storage, to_bits, room): returns how to unpack a word into
 * containers of to_bits. storage is a layout offset -> bit, e: bit `offset` of
 * the word is bit `bit` of element e. A number may start above bit 0 of its
 * container if it ends within the lowest `room` bits: 10 for f16 and 7 for
 * bf16, which are the bits of the mantissa, to_bits for integers. The caller
 * divides by the factor 2^at[k]; an fma that subtracts a constant does so at no
 * cost. The result has the fewest instructions of this form.
 * ll_ptx_twiddled(bits, to_bits, room): returns the storage of elements of 2 or
 * 4 bits that takes the fewest instructions, out of all orders of the five bits
 * of the offset. Source (sm_75): lop3 and shifts; tests/test_ptx.c compares
 * with all orders of the numbers, and with every bit of a word. Fail with
 * LL_ETWIDDLE (sizes), LL_EMATCH (no such layout), LL_EUNPACK (a word would
 * need more than one lop3). LL_CAST unpacks LL_TWIDDLED words in a kernel.
 * Example: ll_ptx_untwiddle(ll_ptx_twiddled(4, 16, 10), 16, 10).instructions
 *          is 5;
 * Example: ll_ptx_untwiddle(ll_ptx_twiddled(4, 8, 8), 8, 8).instructions is 2;
 * Example: ll_ptx_untwiddle(L("offset: bit0 bit1 e0 e1 e2"), 16, 10).err
 *          is LL_EUNPACK;
 */
LL_FN ll_ptx_twiddle ll_ptx_untwiddle(ll_layout storage, unsigned to_bits,
                                      unsigned room) {
    ll_ptx_twiddle t = LL_ZERO;
    const ll_layout x = ll_inv(storage);
    const unsigned bits = ll_size(x.in, ll_dim_of("bit"));
    int above[8] = LL_ZERO;
    t.err = x.err || x.offset ? (unsigned)LL_EMATCH
            : ll_shape_bits_(&x.in) != 5u ||
                    ll_size(x.in, ll_dim_of("e")) * bits != 32u
                ? (unsigned)LL_EMATCH
            : (to_bits != 8u && to_bits != 16u) || bits < 2u ||
                    bits >= to_bits || room < bits || room > to_bits
                ? (unsigned)LL_ETWIDDLE
                : (unsigned)LL_OK;
    t.words = t.err ? 0u : to_bits / bits;
    for (unsigned k = 0; k < t.words && !t.err; ++k) {
        above[k] = ll_ptx_above_(&x, bits, to_bits, k);
        t.err = above[k] == 99 ? (unsigned)LL_EUNPACK : t.err;
    }
    /* the lowest word first: its shift serves all words that then fit */
    unsigned done = 0;
    t.instructions = t.err ? 0u : t.words;
    for (unsigned step = 0; step <= t.words && !t.err; ++step) {
        int shift = 0; /* first the words that need none */
        for (unsigned k = 0; k < t.words && step; ++k) {
            const int first = !(done >> k & 1u);
            shift = first && (shift == 0 || above[k] < shift) ? above[k]
                                                              : shift;
        }
        const unsigned served = ll_ptx_serve_(&t, above, done, shift, bits,
                                              to_bits, room);
        t.instructions += step && served;
        done |= served;
    }
    return t;
}

LL_FN ll_layout ll_ptx_twiddled(unsigned bits, unsigned to_bits,
                                unsigned room) {
    const ll_shape none = LL_ZERO;
    const unsigned log = ll_log2_(bits);
    if (log > 2u) {
        return ll_layout_none_(LL_ETWIDDLE);
    }
    ll_shape out = ll_shape_add_(none, ll_dim_of("bit"), log);
    out = ll_shape_add_(out, ll_dim_of("e"), 5u - log);
    ll_layout best = ll_layout_none_(LL_ETWIDDLE);
    unsigned fewest = ~0u;
    for (unsigned order = 0; order < 120u; ++order) {
        ll_layout a = ll_zero(ll_shape_add_(none, LL_OFFSET, 5), out);
        unsigned left[5] = LL_ZERO;
        unsigned rest = order;
        for (unsigned k = 0; k < 5u; ++k) {
            left[k] = 1u << k;
        }
        for (unsigned k = 0; k < 5u; ++k) {
            const unsigned at = rest % (5u - k);
            rest /= 5u - k;
            a.basis[k] = left[at];
            for (unsigned m = at; m < 4u; ++m) {
                left[m] = left[m + 1u];
            }
        }
        const ll_ptx_twiddle t = ll_ptx_untwiddle(a, to_bits, room);
        best = !t.err && t.instructions < fewest ? a : best;
        fewest = !t.err && t.instructions < fewest ? t.instructions : fewest;
    }
    return best;
}

/* ---- swizzle_modes: Shared memory layouts the hardware reads ---------- */

/* The swizzle modes. A mode divides shared memory into lines of 128 bytes. It
 * cuts each `swizzle` bytes of a line into pieces of `atom` bytes and permutes
 * the pieces by the line number: it XORs the address bits from bit 7 up into
 * the bits from log2(atom) up. */

/* Private: a mode as CuTe's Swizzle<b, m, s> of byte addresses. */
typedef struct ll_ptx_mode_ {
    unsigned err;
    unsigned width; /* bytes; 16 without a swizzle */
    unsigned b, m;
    int s;
} ll_ptx_mode_;

LL_FN ll_ptx_mode_ ll_ptx_mode_of_(unsigned swizzle, unsigned atom) {
    ll_ptx_mode_ w = LL_ZERO;
    const unsigned plain = swizzle == 0 || swizzle == 32u || swizzle == 64u;
    w.err = (atom == 16u && plain) ||
                    (swizzle == 128u &&
                     (atom == 16u || atom == 32u || atom == 64u))
                ? LL_OK
                : LL_EMODE;
    w.width = w.err || swizzle == 0 ? 16u : swizzle;
    w.m = w.err ? 4u : ll_log2_(atom);
    w.b = ll_log2_(w.width) - w.m;
    w.s = 7 - (int)w.m;
    return w;
}

/* ll_ptx_tma(swizzle, atom, flip): returns the permutation of byte addresses
 * that a swizzle mode of TMA applies within one pattern. The base must be
 * aligned to the size of the pattern. swizzle is 0, 32, 64 or 128 bytes. atom
 * is 16, or for modes of sm_100 32 (CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B) or 64
 * (_64B). flip is 8 for _ATOM_32B_FLIP_8B and 0 for all other modes.
 * ll_compose(a, ..) applies it to a layout a of bytes. Source (sm_90; atoms of
 * 32 and 64 sm_100): PTX, "Swizzling Modes". Fails with LL_EMODE.
 * Example: ll_ptx_tma(32, 16, 0) is L("offset: offset0 offset1 offset2 "
 *          "offset3 offset4 offset5 offset6 offset7^offset4");
 * Example: ll_size(ll_ptx_tma(128, 16, 0).in, LL_OFFSET) is 1024;
 * Example: ll_ptx_tma(48, 16, 0).err is LL_EMODE;
 */
LL_FN ll_layout ll_ptx_tma(unsigned swizzle, unsigned atom, unsigned flip) {
    const ll_ptx_mode_ w = ll_ptx_mode_of_(swizzle, atom);
    ll_layout a = ll_cute_swizzle(128u << w.b, w.b, w.m, w.s);
    a.basis[7] ^= flip ? 8u : 0u;
    a = flip && (flip != 8u || atom != 32u) ? ll_layout_bad_(a, LL_EMODE) : a;
    return ll_layout_bad_(a, w.err);
}

/* A descriptor tells wgmma and tcgen05.mma how an operand lies in shared
 * memory: the swizzle mode, which axis is contiguous, and LBO and SBO, the
 * distances in bytes at which atoms repeat. ll_ptx_desc_of makes one from a
 * layout. */
typedef struct ll_ptx_desc {
    unsigned err;
    unsigned swizzle;  /* 0, 32, 64, 128 bytes */
    unsigned atom;     /* 16, or 32 for a mode of tcgen05 */
    unsigned mn_major; /* 1: rows (m or n) are contiguous; 0: columns (k) */
    unsigned lbo, sbo; /* bytes; 0 where nothing repeats */
    unsigned at;       /* bytes from the tile to the slice */
} ll_ptx_desc;

/* Private: an atom in elements: 2^lines lines of 2^wide contiguous elements,
 * swizzled by b, m and s. Atoms repeat at the distance `across` along the
 * contiguous axis and `down` along the other one. */
typedef struct ll_ptx_atom_ {
    unsigned err;
    unsigned wide, lines; /* log2 */
    unsigned b, m, s;
    unsigned across, down; /* offsets */
} ll_ptx_atom_;

LL_FN ll_ptx_atom_ ll_ptx_atom_of_(unsigned swizzle, unsigned atom,
                                   unsigned element_bits) {
    const ll_ptx_mode_ w = ll_ptx_mode_of_(swizzle, atom);
    ll_ptx_atom_ t = LL_ZERO;
    t.err = ll_ptx_packed_(element_bits) ? w.err : (unsigned)LL_EOPERAND;
    const unsigned bits = t.err ? 3u : ll_log2_(element_bits);
    t.wide = ll_log2_(w.width) + 3u - bits;
    t.lines = 7u - w.m;
    t.b = w.b;
    t.m = w.m + 3u - bits;
    t.s = (unsigned)w.s;
    return t;
}

/* Private: returns the offset of bit `bit` of the coordinate on the contiguous
 * axis, or, if `contiguous` is 0, on the other axis. */
LL_FN unsigned ll_ptx_in_atom_(const ll_ptx_atom_ *t, int contiguous,
                               unsigned bit) {
    const unsigned inside = contiguous ? t->wide : t->lines;
    const unsigned at = contiguous ? bit : bit + t->wide;
    const unsigned from = t->m + t->s;
    if (bit >= inside) {
        return ll_shift_(contiguous ? t->across : t->down, bit - inside);
    }
    return 1u << at | (at >= from && at < from + t->b ? 1u << (at - t->s) : 0u);
}

/* Private: returns j, i -> offset for rows x cols in atoms at the distances in
 * t. */
LL_FN ll_layout ll_ptx_places_(const ll_ptx_atom_ *t, unsigned rows,
                               unsigned cols, int mn_major) {
    const ll_shape none = LL_ZERO;
    ll_layout a = ll_zero(ll_shape_matrix_(rows, cols), none);
    a = ll_layout_bad_(a, t->err);
    unsigned all = 0;
    for (unsigned k = 0; !a.err && k < ll_shape_bits_(&a.in); ++k) {
        const int is_row = k >= a.in.bits[0];
        const unsigned bit = is_row ? k - a.in.bits[0] : k;
        a.basis[k] = ll_ptx_in_atom_(t, (mn_major != 0) == is_row, bit);
        all |= a.basis[k];
    }
    unsigned bits = 0;
    while (bits < 32u && all >> bits) {
        ++bits;
    }
    a.out = ll_shape_add_(none, LL_OFFSET, bits);
    return a;
}

/* Private: returns offset -> i, j for a tile of atoms, each swizzled. */
LL_FN ll_layout ll_ptx_smem_(unsigned rows, unsigned cols, ll_ptx_atom_ t,
                             int mn_major) {
    const unsigned wide = 1u << t.wide;
    const unsigned lines = 1u << t.lines;
    const unsigned high = mn_major ? wide : lines; /* rows of an atom */
    const unsigned r = ll_log2_(rows);
    const unsigned c = ll_log2_(cols);
    if (t.err || rows < high || cols < wide * lines / high || r >= 31u ||
        c >= 31u || r + c >= 32u) {
        return ll_layout_none_(t.err ? t.err : (unsigned)LL_EBOX);
    }
    const ll_shape s = ll_shape_matrix_(high, wide * lines / high);
    ll_layout a = mn_major ? ll_col_major(s) : ll_row_major(s);
    a = ll_compose(a, ll_cute_swizzle(wide * lines, t.b, t.m, (int)t.s));
    a = ll_tiled(a, ll_shape_reversed_(ll_shape_matrix_(rows, cols)),
                 ll_shape_of(""));
    return ll_order_out(a, "j i");
}

/* ll_ptx_smem_k(rows, cols, element_bits, swizzle), ll_ptx_smem_mn(rows, cols,
 * element_bits, swizzle, atom): return a tile in shared memory as wgmma and
 * tcgen05.mma read it, offset -> i, j. i is m or n, and j is k, also for B. In
 * _k, neighbours along j are contiguous, in _mn neighbours along i. Atoms of 8
 * lines of `swizzle` bytes (16 for swizzle 0) follow each other along i first,
 * then along j. atom is 16, or 32 for the 128-byte mode of tcgen05 with 32-byte
 * atoms, which have 4 lines. Source (sm_90a): PTX, "Canonical Layouts" of the
 * shared memory matrix. Fail with LL_EMODE, LL_EOPERAND, LL_EBOX.
 * Example: ll_ptx_smem_k(8, 16, 16, 32) is
 *          L("offset: j0 j1 j2 j3 i0 i1 i2^j3");
 * Example: ll_ptx_smem_mn(16, 8, 16, 32, 16) is
 *          L("offset: i0 i1 i2 i3 j0 j1 j2^i3");
 * Example: ll_ptx_smem_k(8, 16, 16, 128).err is LL_EBOX;
 */
LL_FN ll_layout ll_ptx_smem_k(unsigned rows, unsigned cols,
                              unsigned element_bits, unsigned swizzle) {
    return ll_ptx_smem_(rows, cols,
                        ll_ptx_atom_of_(swizzle, 16, element_bits), 0);
}

LL_FN ll_layout ll_ptx_smem_mn(unsigned rows, unsigned cols,
                               unsigned element_bits, unsigned swizzle,
                               unsigned atom) {
    return atom > 32u
               ? ll_layout_none_(LL_EMODE)
               : ll_ptx_smem_(rows, cols,
                              ll_ptx_atom_of_(swizzle, atom, element_bits), 1);
}

/* ---- dot: Layouts of dots for the engine ------------------------------ */

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

/* ---- descriptors: Descriptors of shared memory ------------------------ */

/* Private: converts a distance from bytes to elements. */
LL_FN unsigned ll_ptx_elements_(unsigned bytes, unsigned element_bits) {
    return element_bits ? bytes / 16u * (128u / element_bits) : 0u;
}

/* ll_ptx_desc_places(d, rows, cols, element_bits): returns the place of each
 * element i, j of the operand that descriptor d describes, as j, i -> offset in
 * elements. Its inverse (ll_inv, or ll_pinv if there are gaps) is the memory
 * layout. Fails with the error of d, LL_EMODE, LL_EOPERAND.
 * Example: ll_ptx_desc_places(ll_ptx_desc_of(ll_ptx_smem_k(64, 16, 16, 32),
 *          64, 16, 16), 64, 16, 16) is
 *          ll_inv(ll_ptx_smem_k(64, 16, 16, 32));
 */
LL_FN ll_layout ll_ptx_desc_places(ll_ptx_desc d, unsigned rows, unsigned cols,
                                   unsigned element_bits) {
    ll_ptx_atom_ t = ll_ptx_atom_of_(d.swizzle, d.atom, element_bits);
    const int swap = d.mn_major && d.swizzle == 0;
    const unsigned wide = !d.mn_major && d.swizzle; /* LBO is not read */
    t.across = ll_ptx_elements_(wide ? 0 : swap ? d.sbo : d.lbo, element_bits);
    t.down = ll_ptx_elements_(swap ? d.lbo : d.sbo, element_bits);
    t.err = d.err ? d.err : t.err;
    return ll_ptx_places_(&t, rows, cols, (int)d.mn_major);
}

/* Private: returns column `bit` of input d, or 0 if there is none. */
LL_FN unsigned ll_ptx_column_(const ll_layout *x, ll_dim d, unsigned bit) {
    const unsigned at = ll_shape_find_(&x->in, d);
    return at < x->in.n && bit < x->in.bits[at]
               ? x->basis[ll_shape_start_(&x->in, at) + bit]
               : 0u;
}

/* Private: returns LL_OK if x has the columns of p, LL_EATOM if they differ
 * within an atom, LL_ESTRIDE if only the distances between atoms differ. */
LL_FN unsigned ll_ptx_compare_(const ll_layout *x, const ll_layout *p,
                               const ll_ptx_atom_ *t, int mn_major) {
    unsigned err = p->err;
    for (unsigned d = 0; d < 2u && err != LL_EATOM; ++d) {
        const unsigned inside = (d == 0) != mn_major ? t->wide : t->lines;
        for (unsigned k = 0; k < p->in.bits[d]; ++k) {
            const unsigned want = ll_ptx_column_(p, p->in.dim[d], k);
            if (ll_ptx_column_(x, p->in.dim[d], k) != want) {
                err = k < inside            ? (unsigned)LL_EATOM
                      : err == LL_EATOM ? err
                                        : (unsigned)LL_ESTRIDE;
            }
        }
    }
    return err;
}

/* Private: returns the distance between atoms along d in bytes. Returns 0 if
 * one atom suffices, or if the distance is no power of two, does not fit a
 * descriptor or is shorter than an atom; ll_ptx_compare_ reports these three
 * cases as a wrong distance. */
LL_FN unsigned ll_ptx_stride_(const ll_layout *x, const ll_ptx_atom_ *t,
                              int contiguous, ll_dim d, unsigned size,
                              unsigned element_bits) {
    const unsigned inside = contiguous ? t->wide : t->lines;
    const unsigned to = ll_ptx_column_(x, d, inside);
    const unsigned long long bytes =
        (unsigned long long)to * element_bits / 8u;
    return size <= 1u << inside || ll_log2_(to) >= 32u || bytes >> 18 ||
                   to < 1u << (t->wide + t->lines)
               ? 0u
               : (unsigned)bytes;
}

LL_FN ll_ptx_desc ll_ptx_try_(const ll_layout *x, unsigned rows, unsigned cols,
                              unsigned element_bits, ll_ptx_desc d) {
    const ll_ptx_atom_ t = ll_ptx_atom_of_(d.swizzle, d.atom, element_bits);
    const int mn = d.mn_major != 0;
    const unsigned across = ll_ptx_stride_(
        x, &t, 1, mn ? LL_I : LL_J, mn ? rows : cols, element_bits);
    const unsigned down = ll_ptx_stride_(
        x, &t, 0, mn ? LL_J : LL_I, mn ? cols : rows, element_bits);
    const int swap = mn && d.swizzle == 0;
    d.lbo = !mn && d.swizzle ? 16u : swap ? down : across;
    d.sbo = swap ? across : down;
    const ll_layout p = ll_ptx_desc_places(d, rows, cols, element_bits);
    d.err = ll_ptx_compare_(x, &p, &t, mn);
    return d;
}

/* Private: returns the error that rules out any descriptor for the lowest rows
 * x cols of a tile with inverse x, or LL_OK. */
LL_FN unsigned ll_ptx_corner_(const ll_layout *x, unsigned rows,
                              unsigned cols, unsigned element_bits) {
    const unsigned r = ll_log2_(rows);
    const unsigned c = ll_log2_(cols);
    const unsigned i = ll_shape_find_(&x->in, LL_I);
    const unsigned j = ll_shape_find_(&x->in, LL_J);
    return x->err ? x->err
           : r >= 32u || c >= 32u || i == x->in.n || j == x->in.n ||
                   r > x->in.bits[i] || c > x->in.bits[j]
               ? (unsigned)LL_EBOX
           : !ll_ptx_packed_(element_bits) ? (unsigned)LL_EOPERAND
           : x->offset                     ? (unsigned)LL_EAFFINE
                                           : (unsigned)LL_OK;
}

/* Private: returns swizzle width number k: 0, 32, 64 or 128 bytes. */
LL_FN unsigned ll_ptx_width_(unsigned k) { return k ? 16u << k : 0u; }

/* ll_ptx_desc_of(a, rows, cols, element_bits): returns the descriptor with
 * which one instruction reads its operand of rows x cols (m or n by k; k has
 * 256 bits) at the lowest corner of a memory layout a, offset -> i, j. rows and
 * cols are powers of two: for an n of 192 pass 256. For the next instructions,
 * add to the address: see ll_ptx_desc_slice. LBO is 16 if the instruction does
 * not read it. Fails with LL_ESINGULAR, LL_EBOX (a is smaller), LL_EOPERAND,
 * LL_EAFFINE, LL_EATOM (no swizzle mode has these rows), LL_ESTRIDE (a mode has
 * them, but its atoms are not at constant distances).
 * Example: ll_ptx_desc_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16).sbo
 *          is 1024;
 * Example: ll_ptx_desc_of(ll_row_major(ll_shape_of("j=64 i=64")), 64, 16,
 *          16).err is LL_EATOM;
 */
LL_FN ll_ptx_desc ll_ptx_desc_of(ll_layout a, unsigned rows, unsigned cols,
                                 unsigned element_bits) {
    const ll_layout x = ll_inv(a);
    ll_ptx_desc best = LL_ZERO;
    best.err = ll_ptx_corner_(&x, rows, cols, element_bits);
    if (best.err) {
        return best;
    }
    best.err = LL_EATOM;
    for (unsigned k = 0; k < 9u && best.err; ++k) {
        ll_ptx_desc d = LL_ZERO;
        d.swizzle = ll_ptx_width_(k < 8u ? k / 2u : 3u);
        d.atom = k >= 8u ? 32u : 16u;
        d.mn_major = k == 8u || (k & 1u);
        d = ll_ptx_try_(&x, rows, cols, element_bits, d);
        best = !d.err || (d.err == LL_ESTRIDE) ? d : best;
    }
    return best;
}

/* Private: returns the byte address that the swizzle of d maps to element
 * `offset` of a tile. */
LL_FN unsigned ll_ptx_unswizzled_(ll_ptx_desc d, unsigned offset,
                                  unsigned element_bits) {
    const ll_ptx_mode_ w = ll_ptx_mode_of_(d.swizzle, d.atom);
    const unsigned byte =
        (unsigned)((unsigned long long)offset * element_bits / 8u);
    return byte ^ (byte >> w.s & ((1u << w.b) - 1u) << w.m);
}

/* Private: returns the XOR of the columns of x that the bits of i, j select. */
LL_FN unsigned ll_ptx_place_(const ll_layout *x, unsigned i, unsigned j) {
    unsigned at = 0;
    for (unsigned k = 0; k < 32u; ++k) {
        at ^= (i >> k & 1u) * ll_ptx_column_(x, LL_I, k) ^
              (j >> k & 1u) * ll_ptx_column_(x, LL_J, k);
    }
    return at;
}

/* ll_ptx_desc_slice(a, rows, cols, element_bits, i, j): returns the descriptor
 * of ll_ptx_desc_of for the slice whose lowest corner is element i, j of the
 * memory layout a. i is a multiple of rows and j of cols. `at` is the distance
 * in bytes from the tile to the slice; a loop over slices adds it to the
 * address. Fails as ll_ptx_desc_of, and with LL_EBOX (no such slice),
 * LL_ESTRIDE (the slice is laid out differently from the lowest slice).
 * Example: ll_ptx_desc_slice(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16, 0,
 *          48).at is 96;
 * Example: ll_ptx_desc_slice(ll_ptx_smem_k(128, 64, 16, 128), 64, 16, 16, 64,
 *          16).at is 8224;
 * Example: ll_ptx_desc_slice(ll_ptx_smem_mn(128, 64, 16, 128, 16), 64, 16, 16,
 *          64, 16).at is 5120;
 * Example: ll_ptx_desc_slice(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16, 64,
 *          0).err is LL_EBOX;
 */
LL_FN ll_ptx_desc ll_ptx_desc_slice(ll_layout a, unsigned rows, unsigned cols,
                                    unsigned element_bits, unsigned i,
                                    unsigned j) {
    ll_ptx_desc d = ll_ptx_desc_of(a, rows, cols, element_bits);
    const ll_layout x = ll_inv(a);
    if (d.err) {
        return d;
    }
    if (i % rows || j % cols || i >= ll_size(x.in, LL_I) ||
        j >= ll_size(x.in, LL_J)) {
        d.err = LL_EBOX;
        return d;
    }
    d.at = ll_ptx_unswizzled_(d, ll_ptx_place_(&x, i, j), element_bits);
    for (unsigned k = 0; !d.err && k < 32u; ++k) {
        const unsigned row = k < 16u ? 1u << k : 0u;
        const unsigned col = k < 16u ? 0u : 1u << (k - 16u);
        const int inside = row < rows && col < cols;
        const unsigned step = ll_ptx_unswizzled_(
            d, ll_ptx_place_(&x, row, col), element_bits);
        d.err = inside && (step & d.at) ? (unsigned)LL_ESTRIDE : d.err;
    }
    d.err = d.at % 16u ? (unsigned)LL_ESTRIDE : d.err;
    return d;
}

/* Private: returns the bits that the descriptors of wgmma and tcgen05 share. */
LL_FN unsigned long long ll_ptx_desc_bits_(ll_ptx_desc d, unsigned address) {
    return ((address + d.at) >> 4 & 0x3fffu) |
           (unsigned long long)(d.lbo >> 4) << 16 |
           (unsigned long long)(d.sbo >> 4) << 32;
}

/* ll_ptx_desc_wgmma(d, address), ll_ptx_desc_tcgen05(d, address): return the
 * 64-bit descriptor of a tile at byte `address` of shared memory, or of its
 * slice d.at bytes later. The address must be a multiple of the swizzle's
 * pattern: 128 bytes for swizzle 0, else 8 times `swizzle`. The result is 0 if
 * d has an error or a mode that wgmma lacks. Source (sm_90a): PTX, "Matrix
 * descriptor" of wgmma, "Shared memory descriptor" of tcgen05.
 * Example: ll_ptx_desc_wgmma(ll_ptx_desc_of(
 *          ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16), 1024) is
 *          0x4000004000010040;
 */
LL_FN unsigned long long ll_ptx_desc_wgmma(ll_ptx_desc d, unsigned address) {
    const unsigned long long mode = d.swizzle == 128u  ? 1u
                                    : d.swizzle == 64u ? 2u
                                    : d.swizzle == 32u ? 3u
                                                       : 0u;
    return d.err || d.atom != 16u ? 0u
                                  : ll_ptx_desc_bits_(d, address) | mode << 62;
}

LL_FN unsigned long long ll_ptx_desc_tcgen05(ll_ptx_desc d, unsigned address) {
    const unsigned long long mode = d.atom == 32u       ? 1u
                                    : d.swizzle == 128u ? 2u
                                    : d.swizzle == 64u  ? 4u
                                    : d.swizzle == 32u  ? 6u
                                                        : 0u;
    return d.err ? 0u
                 : ll_ptx_desc_bits_(d, address) | 1ull << 46 | mode << 61;
}

/* ---- tensor_maps: Tensor maps ----------------------------------------- */

/* Private: returns 1 if one box with the swizzle mode of d fills the lowest
 * rows x cols of x. */
LL_FN int ll_ptx_is_box_(const ll_layout *x, unsigned rows, unsigned cols,
                         unsigned element_bits, ll_ptx_desc d) {
    ll_ptx_atom_ t = ll_ptx_atom_of_(d.swizzle, d.atom, element_bits);
    const unsigned inner = ll_log2_(d.mn_major ? rows : cols);
    if (t.err || inner < t.wide || (d.swizzle && inner > t.wide)) {
        return 0;
    }
    t.wide = inner;
    t.down = 1u << (t.wide + t.lines);
    const ll_layout p = ll_ptx_places_(&t, rows, cols, (int)d.mn_major);
    return !p.err && !ll_ptx_compare_(x, &p, &t, d.mn_major != 0);
}

/* ll_ptx_tma_of(a, rows, cols, element_bits): returns the swizzle mode with
 * which one tensor copy fills the lowest rows x cols of a memory layout a,
 * offset -> i, j. The result has `swizzle`, `atom` and `mn_major`, which is 1
 * if the rows are the inner dimension of the box. A swizzled box is as wide as
 * the swizzle. Fails with LL_ESINGULAR, LL_EBOX (a is smaller, or the box is
 * larger than 256 elements per side), LL_EOPERAND, LL_EAFFINE, LL_ETENSOR (no
 * swizzle mode has these rows).
 * Example: ll_ptx_tma_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 64, 16).swizzle
 *          is 128;
 * Example: ll_ptx_tma_of(ll_row_major(ll_shape_of("j=64 i=64")), 64, 64,
 *          16).swizzle is 0;
 */
LL_FN ll_ptx_desc ll_ptx_tma_of(ll_layout a, unsigned rows, unsigned cols,
                                unsigned element_bits) {
    const ll_layout x = ll_inv(a);
    ll_ptx_desc d = LL_ZERO;
    const unsigned err = ll_ptx_corner_(&x, rows, cols, element_bits);
    if (err || rows > 256u || cols > 256u) {
        d.err = err ? err : (unsigned)LL_EBOX;
        return d;
    }
    for (unsigned k = 0; k < 12u; ++k) {
        d.swizzle = k < 8u ? ll_ptx_width_(k / 2u) : 128u;
        d.atom = k < 8u ? 16u : 8u << k / 4u << (k / 2u & 1u);
        d.mn_major = k & 1u;
        if (ll_ptx_is_box_(&x, rows, cols, element_bits, d)) {
            return d;
        }
    }
    const ll_ptx_desc none = LL_ZERO;
    d = none;
    d.err = LL_ETENSOR;
    return d;
}

/* The parameters of a tensor map (cuTensorMapEncodeTiled) for tiles of an m x n
 * matrix in global memory, and how its copies fill a tile. The map has the
 * dimensions of the matrix, the contiguous one first: n and m, or m and n if
 * mn_major is 1. */
typedef struct ll_ptx_tensor {
    unsigned err;
    unsigned swizzle, atom; /* bytes, as in ll_ptx_desc */
    unsigned mn_major;      /* 1: rows are the inner dimension of the box */
    unsigned box[2];        /* elements: the inner dimension, the outer one */
    unsigned copies;        /* boxes that fill the tile */
} ll_ptx_tensor;

/* ll_ptx_tensor_of(a, rows, cols, element_bits): returns the map whose copies
 * fill the lowest rows x cols of a memory layout a, offset -> i, j, with the
 * fewest boxes. ll_ptx_tensor_box(a, t, rows, element_bits, n): returns where
 * box n lies: coordinates i, j of its lowest corner in the tile, and byte `at`
 * in shared memory. `at` is all ones if there is no box n, or if it is laid out
 * differently from the first box. Fails as ll_ptx_tma_of.
 * Example: ll_ptx_tensor_of(ll_ptx_smem_k(64, 256, 16, 128), 64, 256,
 *          16).copies is 4;
 * Example: ll_ptx_tensor_of(ll_ptx_smem_mn(64, 256, 16, 128, 16), 64, 256,
 *          16).box[1] is 256;
 * Example: ll_ptx_tensor_box(ll_ptx_smem_k(64, 256, 16, 128), ll_ptx_tensor_of(
 *          ll_ptx_smem_k(64, 256, 16, 128), 64, 256, 16), 64, 16, 3).at
 *          is 24576;
 */
LL_FN ll_ptx_tensor ll_ptx_tensor_of(ll_layout a, unsigned rows, unsigned cols,
                                     unsigned element_bits) {
    const ll_layout x = ll_inv(a);
    ll_ptx_tensor t = LL_ZERO;
    t.err = ll_ptx_corner_(&x, rows, cols, element_bits);
    for (unsigned cut = 0; !t.err && !t.copies && cut < 16u; ++cut) {
        for (unsigned down = 0; !t.copies && down <= cut; ++down) {
            const unsigned high = rows >> down, wide = cols >> (cut - down);
            const ll_ptx_desc d =
                high && wide ? ll_ptx_tma_of(a, high, wide, element_bits)
                             : ll_ptx_tma_of(a, 0, 0, element_bits);
            t.swizzle = d.swizzle;
            t.atom = d.atom;
            t.mn_major = d.mn_major;
            t.box[0] = d.mn_major ? high : wide;
            t.box[1] = d.mn_major ? wide : high;
            t.copies = d.err ? 0u : 1u << cut;
        }
    }
    t.err = t.err || t.copies ? t.err : (unsigned)LL_ETENSOR;
    return t;
}

/* Where one box of a tile lies. */
typedef struct ll_ptx_box {
    unsigned i, j, at;
} ll_ptx_box;

LL_FN ll_ptx_box ll_ptx_tensor_box(ll_layout a, ll_ptx_tensor t, unsigned rows,
                                   unsigned element_bits, unsigned n) {
    const ll_layout x = ll_inv(a);
    const unsigned high = t.mn_major ? t.box[0] : t.box[1];
    const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
    const unsigned down = high ? rows / high : 1u;
    const unsigned inside = high * wide; /* offsets of the first box */
    ll_ptx_box b = LL_ZERO;
    b.i = n % down * high;
    b.j = n / down * wide;
    const unsigned at = ll_ptx_place_(&x, b.i, b.j);
    b.at = t.err || n >= t.copies || (inside && at % inside)
               ? ~0u
               : (unsigned)((unsigned long long)at * element_bits / 8u);
    return b;
}

/* ---- slices: Slices and multicasts ------------------------------------ */

/* ll_ptx_stage(t, bytes, n): returns the byte offset of stage n in a ring of
 * stages. A stage is a tile of `bytes` bytes that copies of the tensor t fill.
 * It starts at a multiple of the swizzle's pattern, which is 8 times as wide as
 * the swizzle, at least 128 bytes. The ring must start at such a multiple too.
 * Example: ll_ptx_stage(ll_ptx_tensor_of(ll_ptx_smem_k(64, 64, 16, 128), 64,
 *          64, 16), 8192, 3) is 24576;
 * Example: ll_ptx_stage(ll_ptx_tensor_of(ll_ptx_smem_k(8, 16, 16, 32), 8, 16,
 *          16), 200, 1) is 256;
 */
LL_FN unsigned ll_ptx_stage(ll_ptx_tensor t, unsigned bytes, unsigned n) {
    const unsigned pattern = t.swizzle ? 8u * t.swizzle : 128u;
    return (bytes + pattern - 1u) / pattern * pattern * n;
}

/* Private: sets *b to where box n of a tile of `rows` rows lies. Returns 0 if
 * the box is laid out differently from the first box. */
LL_FN unsigned ll_ptx_slice_at_(const ll_layout *a, ll_ptx_tensor t,
                                unsigned rows, unsigned element_bits,
                                unsigned n, ll_ptx_box *b) {
    const ll_layout x = ll_inv(*a);
    const unsigned high = t.mn_major ? t.box[0] : t.box[1];
    const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
    b->i = n % (rows / high) * high;
    b->j = n / (rows / high) * wide;
    const unsigned at = ll_ptx_place_(&x, b->i, b->j);
    b->at = (unsigned)((unsigned long long)at * element_bits / 8u);
    return at % (high * wide) == 0;
}

/* ll_ptx_multicast_of(a, rows, cols, element_bits, blocks): returns the map of
 * a tile that the blocks of a cluster, 2, 4 or 8, load together. Each block
 * copies a slice to all blocks: rows / blocks rows, or cols / blocks columns if
 * the rows would not fill a pattern. `copies` is the number of boxes per block.
 * ll_ptx_multicast_box(a, t, rows, cols, element_bits, rank, n): returns where
 * box n of the block `rank` lies: coordinates i, j in the tile, and byte `at`
 * in shared memory, the same in all blocks. `at` is all ones if there is no
 * such box. This function is for constants; in a kernel, which knows the rank
 * only at run time, use LL_MULTICAST_BOX. Fails as ll_ptx_tma_of, and with
 * LL_EBOX (`blocks` is not 2, 4 or 8, or a slice is not made of boxes).
 * Example: ll_ptx_multicast_of(ll_ptx_smem_k(256, 64, 16, 128), 256, 64, 16,
 *          2).box[1] is 128;
 * Example: ll_ptx_multicast_box(ll_ptx_smem_k(256, 64, 16, 128),
 *          ll_ptx_multicast_of(ll_ptx_smem_k(256, 64, 16, 128), 256, 64, 16,
 *          2), 256, 64, 16, 1, 0).at is 16384;
 * Example: ll_ptx_multicast_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 64, 16,
 *          3).err is LL_EBOX;
 */
LL_FN ll_ptx_tensor ll_ptx_multicast_of(ll_layout a, unsigned rows,
                                        unsigned cols, unsigned element_bits,
                                        unsigned blocks) {
    const unsigned by = ll_log2_(blocks);
    ll_ptx_tensor t = LL_ZERO;
    t.err = LL_EBOX;
    for (unsigned side = 0; side < 2u && t.err && by >= 1u && by <= 3u;
         ++side) {
        const unsigned r = side ? rows : rows / blocks;
        const unsigned c = side ? cols / blocks : cols;
        t = ll_ptx_tensor_of(a, r, c, element_bits);
        const unsigned all = t.err ? 0u : t.copies * blocks;
        for (unsigned n = 0; n < all && !t.err; ++n) {
            ll_ptx_box b = LL_ZERO;
            const unsigned fits =
                ll_ptx_slice_at_(&a, t, rows, element_bits, n, &b);
            t.err = fits ? t.err : (unsigned)LL_EBOX;
        }
    }
    return t;
}

LL_FN ll_ptx_box ll_ptx_multicast_box(ll_layout a, ll_ptx_tensor t,
                                      unsigned rows, unsigned cols,
                                      unsigned element_bits, unsigned rank,
                                      unsigned n) {
    ll_ptx_box b = LL_ZERO;
    b.at = ~0u;
    if (t.err || n >= t.copies) {
        return b;
    }
    const unsigned down = rows / (t.mn_major ? t.box[0] : t.box[1]);
    const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
    const unsigned blocks = down * (cols / wide) / t.copies;
    if (rank >= blocks) {
        return b;
    }
    /* a slice of rows has part `rank` of each column of boxes */
    const unsigned each = down / blocks;
    const unsigned number =
        each ? n / each * down + rank * each + n % each : rank * t.copies + n;
    if (!ll_ptx_slice_at_(&a, t, rows, element_bits, number, &b)) {
        b.at = ~0u;
    }
    return b;
}

/* ---- between: Shared to shared memory --------------------------------- */

/* Private: the state of ll_ptx_between. on, back: map offsets of `from` to
 * offsets of `to`, and back. x, y: log2 of the elements of a load and of a
 * store. lanes_x, lanes_y: log2 of the lanes that shared memory serves at once
 * for such a load and store. */
typedef struct ll_ptx_between_state_ {
    ll_layout on, back;
    unsigned x, y, lanes_x, lanes_y;
    ll_span_ all, banks_x, banks_y; /* vectors taken so far, reduced */
    ll_span_ order;                 /* the vectors as they were taken */
} ll_ptx_between_state_;

LL_FN unsigned ll_ptx_image_(const ll_layout *z, unsigned v) {
    unsigned to = 0;
    for (unsigned k = 0; k < z->in.bits[0]; ++k) {
        to ^= (v >> k & 1u) * z->basis[k];
    }
    return to;
}

/* Private: takes vector v if it is independent of the vectors taken so far. If
 * `inside` is 0, it first removes the bits of v that are inside an access. */
LL_FN void ll_ptx_take_(ll_ptx_between_state_ *w, unsigned v, int inside) {
    for (unsigned k = 0; k < w->y && !inside; ++k) {
        v ^= (ll_ptx_image_(&w->on, v) >> k & 1u) * w->back.basis[k];
    }
    v = inside ? v : v >> w->x << w->x;
    if (ll_span_extend_(&w->all, v)) {
        ll_span_push_(&w->order, v);
    }
}

/* Private: takes v as a lane bit if it is independent of the vectors taken so
 * far and no part of it is inside an access. With `strict` it takes v only if
 * neither access then has a bank conflict. Returns 1 if it took v. */
LL_FN int ll_ptx_take_lane_(ll_ptx_between_state_ *w, unsigned v, int strict) {
    ll_span_ all = w->all;
    ll_span_ one = w->banks_x;
    ll_span_ two = w->banks_y;
    const unsigned from = v >> w->x & ((1u << w->lanes_x) - 1u);
    const unsigned to =
        ll_ptx_image_(&w->on, v) >> w->y & ((1u << w->lanes_y) - 1u);
    const int apart_x = one.n == w->lanes_x || ll_span_extend_(&one, from);
    const int apart_y = two.n == w->lanes_y || ll_span_extend_(&two, to);
    const unsigned inside = (v & ((1u << w->x) - 1u)) |
                            (ll_ptx_image_(&w->on, v) & ((1u << w->y) - 1u));
    if (inside || !ll_span_extend_(&all, v) ||
        (strict && (!apart_x || !apart_y))) {
        return 0;
    }
    w->banks_x = one;
    w->banks_y = two;
    ll_ptx_take_(w, v, 0);
    return 1;
}

/* Private: returns the layout register, lane, warp -> offset of `from`, with
 * loads of 2^x and stores of 2^y elements. Fails with LL_EVECTOR if the tile
 * has too few elements. */
LL_FN ll_layout ll_ptx_through_(ll_ptx_between_state_ w, unsigned warps) {
    const unsigned n = w.on.in.bits[0];
    const ll_shape none = LL_ZERO;
    for (unsigned k = 0; k < w.x; ++k) {
        ll_ptx_take_(&w, 1u << k, 1);
    }
    for (unsigned k = 0; k < w.y; ++k) {
        ll_ptx_take_(&w, w.back.basis[k], 1);
    }
    const unsigned regs = w.order.n;
    if (regs + 5u + warps > n) {
        return ll_layout_none_(LL_EVECTOR);
    }
    for (unsigned lane = 0; lane < 5u; ++lane) {
        int taken = 0;
        for (unsigned k = 0; k < 2u * n * n && !taken; ++k) {
            const unsigned i = k % n, j = k / n % n;
            taken = ll_ptx_take_lane_(&w, 1u << i | 1u << j, k < n * n);
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        ll_ptx_take_(&w, 1u << k, 0);
    }
    if (w.order.n < n) {
        return ll_layout_none_(LL_EVECTOR);
    }
    ll_shape in = ll_shape_add_(none, LL_REGISTER, n - 5u - warps);
    in = ll_shape_add_(in, LL_LANE, 5);
    in = ll_shape_add_(in, LL_WARP, warps);
    ll_layout a = ll_zero(in, w.on.in);
    for (unsigned k = 0; k < n; ++k) {
        const unsigned at = k < regs            ? k
                            : k < regs + 5u + warps ? n - 5u - warps + k - regs
                                                : k - 5u - warps;
        a.basis[at] = w.order.v[k];
    }
    return a;
}

/* Private: returns the wavefronts of all accesses of a warp to m; 0xffff if
 * there is no such access. */
LL_FN unsigned ll_ptx_fronts_(ll_layout a, ll_layout m, unsigned element_bits,
                              unsigned op, ll_target t) {
    const unsigned bytes = ll_widest(a, m, element_bits, 16);
    const unsigned all = ll_size(a.in, LL_REGISTER) * element_bits / 8u;
    return bytes ? all / bytes * ll_wavefronts(a, m, element_bits, bytes, op, t)
                 : 0xffffu;
}

/* ll_ptx_between(from, to, element_bits, warps, t): returns the registers
 * through which the warps of a block copy a tile from shared memory of layout
 * `from` to shared memory of layout `to`, both offset -> i, j. It is for
 * transposes, such as the one before a matrix multiply of 8-bit types, whose
 * operands must be contiguous along k. Each lane has a small square of both
 * layouts. So it loads and stores whole words, if possible without bank
 * conflicts, and transposes them by byte permutes. Load with LL_LOAD_SHARED and
 * LL_PLAN_THROUGH(IN, R, R, bits, target, from), and store with LL_STORE_SHARED
 * and the same plan through `to`. The result has the fewest wavefronts of all
 * accesses of 4, 8 and 16 bytes on either side. Source (sm_75): ll_wavefronts.
 * Fails with LL_EMATCH, LL_ENOSOLUTION, LL_ESINGULAR, LL_EELEMENT, LL_EWARPS,
 * LL_EVECTOR (the tile has too few elements for the warps).
 * Example: ll_ptx_between(ll_ptx_smem_k(64, 64, 8, 64), ll_ptx_smem_k(64, 64,
 *          8, 64), 8, 3, LL_SM90).err is LL_EWARPS;
 */
LL_FN ll_layout ll_ptx_between(ll_layout from, ll_layout to,
                               unsigned element_bits, unsigned warps,
                               ll_target t) {
    ll_ptx_between_state_ w = LL_ZERO;
    const unsigned size = ll_log2_(element_bits / 8u);
    w.on = ll_solve(to, from, LL_FIRST);
    w.back = ll_inv(w.on);
    ll_layout best = ll_layout_bad_(ll_layout_bad_(w.back, t.err), from.err);
    if (ll_log2_(warps) > 5u || size > 2u || best.err) {
        return best.err ? best
                        : ll_layout_none_(size > 2u ? LL_EELEMENT : LL_EWARPS);
    }
    unsigned fewest = ~0u;
    best = ll_layout_none_(LL_EVECTOR);
    for (unsigned k = 0; k < 9u; ++k) { /* the smallest squares first */
        const unsigned wide_x = 2u + k % 3u, wide_y = 2u + k / 3u;
        w.x = wide_x - size;
        w.y = wide_y - size;
        w.lanes_x = 7u - wide_x;
        w.lanes_y = 7u - wide_y;
        const ll_layout r = ll_ptx_through_(w, ll_log2_(warps));
        if (r.err) {
            continue;
        }
        const ll_layout a = ll_compose(from, r);
        const unsigned fronts =
            ll_ptx_fronts_(a, from, element_bits, LL_READ, t) +
            ll_ptx_fronts_(a, to, element_bits, LL_WRITE, t);
        best = fronts < fewest ? a : best;
        fewest = fronts < fewest ? fronts : fewest;
    }
    return best;
}

/* ---- idesc: Instruction descriptors ----------------------------------- */

/* The instruction descriptor of tcgen05.mma: shape, types, and which axis of
 * each operand is contiguous. */
typedef struct ll_ptx_idesc {
    unsigned err;
    unsigned bits; /* the operand of the instruction */
} ll_ptx_idesc;

/* Private: returns the code of a type in the descriptor of a kind; 99 if the
 * kind lacks the type. is_sum is 1 for the accumulator d. */
LL_FN unsigned ll_ptx_type_bits_(const char *kind, const char *type,
                                 int is_sum) {
    const int is_mx = ll_name_matches_(kind, "kind::mx*");
    const int bytes = ll_name_matches_(kind, "kind::f8f6f4") ||
                      ll_name_matches_(kind, "kind::mxf8f6f4");
    const int f16 = ll_name_matches_(kind, "kind::f16");
    if (is_sum) {
        return ll_name_matches_(kind, "kind::i8")
                   ? ll_name_matches_(type, "s32") ? 2u : 99u
               : ll_name_matches_(type, "f32") ? is_mx ? 0u : 1u
               : ll_name_matches_(type, "f16") && (f16 || (bytes && !is_mx))
                   ? 0u
                   : 99u;
    }
    return ll_name_matches_(kind, "kind::i8")
               ? ll_name_matches_(type, "s8")   ? 1u
                 : ll_name_matches_(type, "u8") ? 0u
                                                : 99u
           : ll_name_matches_(kind, "kind::tf32")
               ? ll_name_matches_(type, "tf32") ? 2u : 99u
           : f16   ? ll_name_matches_(type, "f16")    ? 0u
                     : ll_name_matches_(type, "bf16") ? 1u
                                                      : 99u
           : bytes ? ll_name_matches_(type, "e4m3")   ? 0u
                     : ll_name_matches_(type, "e5m2") ? 1u
                     : ll_name_matches_(type, "e2m3") ? 3u
                     : ll_name_matches_(type, "e3m2") ? 4u
                     : ll_name_matches_(type, "e2m1") ? 5u
                                                      : 99u
           : is_mx && ll_name_matches_(type, "e2m1") ? 1u
                                                     : 99u;
}

/* Private: returns LL_OK if the kind takes an operand laid out as d says; else
 * the error of d, or LL_EMODE. */
LL_FN unsigned ll_ptx_major_error_(const char *kind, const char *type,
                                   ll_ptx_desc d) {
    const int fp8 =
        ll_name_matches_(type, "e4m3") || ll_name_matches_(type, "e5m2");
    const int turns = fp8 || ll_name_matches_(kind, "kind::f16") ||
                      ll_name_matches_(kind, "kind::i8");
    const int wide = ll_name_matches_(kind, "kind::tf32");
    return d.err         ? d.err
           : !d.mn_major ? (unsigned)LL_OK
           : wide        ? d.atom == 32u ? (unsigned)LL_OK : (unsigned)LL_EMODE
           : turns && d.atom != 32u ? (unsigned)LL_OK
                                    : (unsigned)LL_EMODE;
}

/* Private: returns LL_OK if a kind has m x n; else LL_EM or LL_EN. Only
 * tcgen05.mma.ws has 32 rows. */
LL_FN unsigned ll_ptx_shape_error_(const char *kind, unsigned blocks,
                                   unsigned m, unsigned n) {
    const int is_i8 = ll_name_matches_(kind, "kind::i8");
    const int is_mx = ll_name_matches_(kind, "kind::mx*");
    const int is_ws = m == 32u && blocks == 1u && !is_mx;
    const unsigned least = is_mx ? 128u : 64u * blocks;
    const unsigned step = is_i8 && n > 32u * (2u - blocks) ? 16u * blocks
                                                           : 8u * blocks;
    return (blocks != 1u && blocks != 2u) ||
                   (!is_ws && (m < least ||
                               (m != 64u * blocks && m != 128u * blocks)))
               ? (unsigned)LL_EM
           : n < step || n > 256u || n % step ||
                   (is_ws && n != 64u && n != 128u && n != 256u)
               ? (unsigned)LL_EN
               : (unsigned)LL_OK;
}

/* ll_ptx_idesc_of(types, blocks, m, n, a, b): returns the instruction
 * descriptor of tcgen05.mma for a result of m x n. types: the kind, the types
 * of d, a and b, and in a kind mx also the type of the scales, such as
 * "kind::f16.f32.bf16.bf16" or "kind::mxf4nvf4.f32.e2m1.e2m1.ue4m3". blocks: 1
 * for .cta_group::1, 2 for .cta_group::2. a, b: the descriptors of the
 * operands; for A in tensor memory any descriptor without mn_major. An m of 32,
 * with n 64, 128 or 256, is for tcgen05.mma.ws. ll_ptx_idesc_scales(d, a, b):
 * returns d with the first byte of the scales of A and of B in their words of
 * tensor memory. Source (sm_100a): PTX, "Instruction descriptor" and "Matrix
 * Shape". Fail with LL_EOPERAND (the kind lacks these types), LL_EM, LL_EN,
 * LL_EMODE (the kind does not take an operand laid out so), LL_ESIZE (no such
 * byte).
 * Example: ll_ptx_idesc_of("kind::f16.f32.bf16.bf16", 1, 128, 256,
 *          ll_ptx_desc_of(ll_ptx_smem_k(128, 16, 16, 32), 128, 16, 16),
 *          ll_ptx_desc_of(ll_ptx_smem_k(256, 16, 16, 32), 256, 16, 16)).bits
 *          is 0x8400490;
 * Example: ll_ptx_idesc_of("kind::f16.f32.bf16.f16x2", 1, 128, 256,
 *          ll_ptx_desc_of(ll_ptx_smem_k(128, 16, 16, 32), 128, 16, 16),
 *          ll_ptx_desc_of(ll_ptx_smem_k(256, 16, 16, 32), 256, 16, 16)).err
 *          is LL_EOPERAND;
 */
LL_FN ll_ptx_idesc ll_ptx_idesc_of(const char *types, unsigned blocks,
                                   unsigned m, unsigned n, ll_ptx_desc a,
                                   ll_ptx_desc b) {
    ll_ptx_idesc d = LL_ZERO;
    d.err = LL_ENULL;
    if (!types) {
        return d;
    }
    const char *sum = ll_name_next_part_(types);
    const char *left = ll_name_next_part_(sum);
    const char *right = ll_name_next_part_(left);
    const char *scale = ll_name_next_part_(right);
    const int is_mx = ll_name_matches_(types, "kind::mx*");
    const int by_e4m3 = ll_name_matches_(scale, "ue4m3");
    const unsigned d_bits = ll_ptx_type_bits_(types, sum, 1);
    const unsigned a_bits = ll_ptx_type_bits_(types, left, 0);
    const unsigned b_bits = ll_ptx_type_bits_(types, right, 0);
    const int scales = is_mx ? ll_name_matches_(scale, "ue8m0") ||
                                   (by_e4m3 &&
                                    ll_name_matches_(types, "kind::mxf4nvf4"))
                             : !*scale;
    const unsigned lies = ll_ptx_major_error_(types, left, a);
    d.err = d_bits == 99u || a_bits == 99u || b_bits == 99u || !scales
                ? (unsigned)LL_EOPERAND
                : ll_ptx_shape_error_(types, blocks, m, n);
    d.err = d.err  ? d.err
            : lies ? lies
                   : ll_ptx_major_error_(types, right, b);
    d.bits = d_bits << 4 | a_bits << 7 | b_bits << 10 |
             (unsigned)(a.mn_major != 0) << 15 |
             (unsigned)(b.mn_major != 0) << 16 | n >> 3 << 17 |
             (is_mx ? (unsigned)!by_e4m3 << 23 | m >> 7 << 27 : m >> 4 << 24);
    d.bits = d.err ? 0u : d.bits;
    return d;
}

LL_FN ll_ptx_idesc ll_ptx_idesc_scales(ll_ptx_idesc d, unsigned a,
                                       unsigned b) {
    d.err = d.err || (a < 4u && b < 4u) ? d.err : (unsigned)LL_ESIZE;
    d.bits = d.err ? 0u : d.bits | b << 4 | a << 29;
    return d;
}

/* ---- constants: Constants for the parameters of hardware -------------- */

/* Constants for the parameters of hardware.
 *
 * These macros declare a constant, as LL_LAYOUT does for a layout. The compiler
 * computes the value once, and LL_GET(NAME) is the value. If the value has an
 * error, the compiler stops with a sentence that says why.
 *
 *     LL_DESCRIPTOR(NAME, d)   d of ll_ptx_desc_of, _slice or ll_ptx_tma_of
 *     LL_TENSOR_MAP(NAME, t)   t of ll_ptx_tensor_of or ll_ptx_multicast_of
 *     LL_TWIDDLE(NAME, t)      t of ll_ptx_untwiddle
 *     LL_INSTRUCTION(NAME, d)  d of ll_ptx_idesc_of
 *
 * For example:
 *
 *     LL_LAYOUT(TILE, ll_ptx_smem_k(64, 64, 16, 128));
 *     LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(TILE), 64, 16, 16));
 *     LL_DESCRIPTOR(NEXT, ll_ptx_desc_slice(LL_GET(TILE), 64, 16, 16, 0, 16));
 *     LL_TENSOR_MAP(BOXES, ll_ptx_tensor_of(LL_GET(TILE), 64, 64, 16));
 *
 *     const unsigned long long a = ll_ptx_desc_wgmma(LL_GET(SLICE), address);
 *     const unsigned long long b = a + (LL_GET(NEXT).at >> 4);
 *
 * A loop over an array of a constant copies the constant first, see LL_GET:
 *
 *     LL_TWIDDLE(T, ll_ptx_untwiddle(ll_ptx_twiddled(4, 16, 10), 16, 10));
 *
 *     constexpr ll_ptx_twiddle t = LL_GET(T);
 *     for (unsigned p = 0; p < 4; ++p) {
 *         y[p] = x >> t.shift[p] & t.mask[p];
 *     }
 */
#define LL_DESCRIPTOR(NAME, ...) LL_DECLARE_(NAME, ll_ptx_desc, __VA_ARGS__)
#define LL_TENSOR_MAP(NAME, ...) LL_DECLARE_(NAME, ll_ptx_tensor, __VA_ARGS__)

#define LL_TWIDDLE(NAME, ...) LL_DECLARE_(NAME, ll_ptx_twiddle, __VA_ARGS__)
#define LL_INSTRUCTION(NAME, ...) LL_DECLARE_(NAME, ll_ptx_idesc, __VA_ARGS__)

/* ---- instructions/bodies: Bodies of instructions ---------------------- */

/* Device code exists for the vendor whose compiler runs. Under an emulator on
 * the host it exists for the header that is included first. */
#if defined(LL_DEVICE) && !defined(__HIP__) && !defined(LL_AMD_DEVICE_)
#define LL_PTX_DEVICE_ 1

/* Private: an operand list of the first n words of v: LL_W4_(LL_O32_, v). */
#define LL_W1_(op, v) op((v).w[0])
#define LL_W2_(op, v) op((v).w[0]), op((v).w[1])
#define LL_W4_(op, v) LL_W2_(op, v), op((v).w[2]), op((v).w[3])
#define LL_W8_(op, v)                                                       \
    LL_W4_(op, v), op((v).w[4]), op((v).w[5]), op((v).w[6]), op((v).w[7])

/* Private: the bodies of loads and stores of n words by the instruction `text`.
 * Bodies with _IF_ are for global memory, and only lanes where `on` is not 0
 * execute the instruction. LL_SHFL_ is the body of a shuffle. */
#define LL_LOADED_(n, text)                                                 \
    ll_words v = LL_ZERO;                                                   \
    LL_PTX_(text, (LL_W##n##_(LL_O32_, v)), (LL_I32_(address)));            \
    return v
#define LL_STORED_(n, text)                                                 \
    LL_PTX_(text, (), (LL_I32_(address), LL_W##n##_(LL_I32_, v)))
#define LL_IF_(text) "{ .reg .pred p; setp.ne.u32 p, " text " }"
#define LL_LOADED_IF_(n, text)                                              \
    ll_words v = LL_ZERO;                                                   \
    LL_PTX_(LL_IF_(text), (LL_W##n##_(LL_IO32_, v)),                        \
            (LL_I64_(address), LL_I32_(on)));                               \
    return v
#define LL_STORED_IF_(n, text)                                              \
    LL_PTX_(LL_IF_(text), (),                                               \
            (LL_I64_(address), LL_W##n##_(LL_I32_, v), LL_I32_(on)))
#define LL_SHFL_(text)                                                      \
    unsigned y = 0;                                                         \
    LL_PTX_LANES_(text, (LL_O32_(y)), (LL_I32_(x), LL_I32_(lane)));         \
    return y

/* Private: LL_X: an operand list of n elements of the array v from k on. LL_R:
 * the text of the first n operands. */
#define LL_X1_(op, v, k) op((v)[k])
#define LL_X2_(op, v, k) op((v)[k]), op((v)[(k) + 1])
#define LL_X4_(op, v, k) LL_X2_(op, v, k), LL_X2_(op, v, (k) + 2)
#define LL_X8_(op, v, k) LL_X4_(op, v, k), LL_X4_(op, v, (k) + 4)
#define LL_X16_(op, v, k) LL_X8_(op, v, k), LL_X8_(op, v, (k) + 8)
#define LL_X32_(op, v, k) LL_X16_(op, v, k), LL_X16_(op, v, (k) + 16)
#define LL_X64_(op, v, k) LL_X32_(op, v, k), LL_X32_(op, v, (k) + 32)
#define LL_X128_(op, v, k) LL_X64_(op, v, k), LL_X64_(op, v, (k) + 64)
#define LL_R2_ "%0, %1"
#define LL_R4_ LL_R2_ ", %2, %3"
#define LL_R8_ LL_R4_ ", %4, %5, %6, %7"
#define LL_R16_ LL_R8_ ", %8, %9, %10, %11, %12, %13, %14, %15"
#define LL_R32_ LL_R16_                                                     \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "        \
    "%28, %29, %30, %31"
#define LL_R64_ LL_R32_                                                     \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "        \
    "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "          \
    "%56, %57, %58, %59, %60, %61, %62, %63"
#define LL_R128_ LL_R64_                                                    \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, "        \
    "%76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, "          \
    "%88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "          \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "          \
    "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "          \
    "%120, %121, %122, %123, %124, %125, %126, %127"

#endif

/* ---- instructions/suffix: Instructions of targets with a suffix ------- */

#ifdef LL_PTX_DEVICE_

/* Private: sm_90a has wgmma and setmaxnreg, sm_90 does not; tcgen05 needs a
 * suffix as well. With -arch=sm_90a nvcc compiles a file for compute_90 too; in
 * that pass nothing tells that the other one exists. So that pass accepts
 * these functions: a call prints a sentence and stops the kernel. A kernel that
 * was built for sm_90 alone therefore fails when it runs. A target that lacks
 * the instruction under every suffix is refused when a product of wgmma or a
 * load or store of tensor memory is compiled. NVRTC and clang have one pass
 * and refuse sm_90 as well.
 *
 * LL_PTX_BARE_ is 1 in a pass of nvcc for a target from sm_90 on without a
 * suffix. LL_SFX_ is LL_PTX_, but stops the kernel in that pass. LL_WGMMA_HERE_
 * and LL_TCGEN05_HERE_ are 0 where the target is refused. */
#if defined(__CUDA_ARCH__) && !defined(LL_PTX_ANY_TARGET_)
#define LL_PTX_AMONG_(from, to)                                             \
    (__CUDA_ARCH__ >= (from) && __CUDA_ARCH__ < (to))
#if !LL_PTX_FAMILY_ && !defined(__CUDA_ARCH_FEAT_SM90_ALL) &&               \
    LL_PTX_AMONG_(900, 9999) && !defined(__clang__) &&                      \
    !defined(__CUDACC_RTC__)
#define LL_PTX_BARE_ 1
#else
#define LL_PTX_BARE_ 0
#endif
#if LL_PTX_AMONG_(900, 901) &&                                              \
    (LL_PTX_BARE_ || defined(__CUDA_ARCH_FEAT_SM90_ALL))
#define LL_WGMMA_HERE_ 1
#else
#define LL_WGMMA_HERE_ 0
#endif
#if LL_PTX_AMONG_(1000, 1200) && (LL_PTX_FAMILY_ || LL_PTX_BARE_)
#define LL_TCGEN05_HERE_ 1
#else
#define LL_TCGEN05_HERE_ 0
#endif
#else
#define LL_PTX_BARE_ 0
#define LL_WGMMA_HERE_ 1
#define LL_TCGEN05_HERE_ 1
#endif

#if LL_PTX_BARE_
LL_DEVICE void ll_ptx_stop_(void) {
    if (threadIdx.x % 32u == 0) {
        (void)printf("ll: this kernel was built for sm_%u; it needs "
                     "-arch=sm_%ua\n",
                     LL_PTX_SM_, LL_PTX_SM_);
    }
    __trap();
    __builtin_unreachable();
}
#define LL_SFX_(text, outputs, inputs) ll_ptx_stop_()
#else
#define LL_SFX_ LL_PTX_
#endif

#endif

/* ---- instructions/memory: Instructions: memory ------------------------ */

#ifdef LL_PTX_DEVICE_

/* ld.shared, st.shared: the address is a multiple of the width. */
LL_DEVICE ll_words ll_ptx_ld_shared_b8(unsigned address) {
    LL_LOADED_(1, "ld.shared.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b16(unsigned address) {
    LL_LOADED_(1, "ld.shared.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b32(unsigned address) {
    LL_LOADED_(1, "ld.shared.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b64(unsigned address) {
    LL_LOADED_(2, "ld.shared.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b128(unsigned address) {
    LL_LOADED_(4, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];");
}

LL_DEVICE void ll_ptx_st_shared_b8(unsigned address, ll_words v) {
    LL_STORED_(1, "st.shared.u8 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_shared_b16(unsigned address, ll_words v) {
    LL_STORED_(1, "st.shared.u16 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_shared_b32(unsigned address, ll_words v) {
    LL_STORED_(1, "st.shared.u32 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_shared_b64(unsigned address, ll_words v) {
    LL_STORED_(2, "st.shared.v2.u32 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_st_shared_b128(unsigned address, ll_words v) {
    LL_STORED_(4, "st.shared.v4.u32 [%0], {%1, %2, %3, %4};");
}

/* ldmatrix, stmatrix: all lanes of a warp execute them. Lane r passes the
 * address of row r, counted through all matrices. The address is a multiple of
 * 16, on sm_75 in every lane. Word k of a lane is register k. m16n16 has 16
 * rows of 16 bytes, the others have 8. ll_ptx_matrix and ll_ptx_matrix_rows are
 * the layouts. */
LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x1(unsigned address) {
    LL_LOADED_(1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x2(unsigned address) {
    LL_LOADED_(2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x4(unsigned address) {
    LL_LOADED_(4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
               "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x1_trans(unsigned address) {
    LL_LOADED_(1, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x2_trans(unsigned address) {
    LL_LOADED_(2, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
               "{%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x4_trans(unsigned address) {
    LL_LOADED_(4, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m16n16_x1_trans(unsigned address) {
    LL_LOADED_(2, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 "
               "{%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m16n16_x2_trans(unsigned address) {
    LL_LOADED_(4, "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 "
               "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x1(unsigned address, ll_words v) {
    LL_STORED_(1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x2(unsigned address, ll_words v) {
    LL_STORED_(2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x4(unsigned address, ll_words v) {
    LL_STORED_(4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 "
               "[%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x1_trans(unsigned address, ll_words v) {
    LL_STORED_(1, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x2_trans(unsigned address, ll_words v) {
    LL_STORED_(2, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
               "[%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x4_trans(unsigned address, ll_words v) {
    LL_STORED_(4, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "[%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_stmatrix_m16n8_x1_trans(unsigned address, ll_words v) {
    LL_STORED_(1, "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};");
}

LL_DEVICE void ll_ptx_stmatrix_m16n8_x2_trans(unsigned address, ll_words v) {
    LL_STORED_(2, "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 "
               "[%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_stmatrix_m16n8_x4_trans(unsigned address, ll_words v) {
    LL_STORED_(4, "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 "
               "[%0], {%1, %2, %3, %4};");
}

/* ld.global, st.global: the address is a multiple of the width. A lane with
 * `on` 0 accesses nothing, and its load returns zeros. no_allocate is for data
 * that is used once: it does not displace other data from the caches.
 * ld.global.nc is for memory that nobody writes while the kernel runs. */
LL_DEVICE ll_words ll_ptx_ld_global_b8(unsigned long long address,
                                       unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b16(unsigned long long address,
                                        unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b32(unsigned long long address,
                                        unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b64(unsigned long long address,
                                        unsigned on) {
    LL_LOADED_IF_(2, "%3, 0; @p ld.global.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b128(unsigned long long address,
                                         unsigned on) {
    LL_LOADED_IF_(4, "%5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b256(unsigned long long address,
                                         unsigned on) {
    LL_LOADED_IF_(8, "%9, 0; @p ld.global.v8.b32 "
                  "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b8(unsigned long long address,
                                                   unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.L1::no_allocate.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b16(unsigned long long address,
                                                    unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.L1::no_allocate.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b32(unsigned long long address,
                                                    unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.L1::no_allocate.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b64(unsigned long long address,
                                                    unsigned on) {
    LL_LOADED_IF_(2,
                  "%3, 0; @p ld.global.L1::no_allocate.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b128(unsigned long long address,
                                                     unsigned on) {
    LL_LOADED_IF_(4, "%5, 0; @p ld.global.L1::no_allocate.v4.u32 "
                  "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b256(unsigned long long address,
                                                     unsigned on) {
    LL_LOADED_IF_(8, "%9, 0; @p ld.global.L1::no_allocate.v8.b32 "
                  "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8];");
}

LL_DEVICE ll_words ll_ptx_ld_global_nc_b128(unsigned long long address,
                                            unsigned on) {
    LL_LOADED_IF_(4, "%5, 0; @p ld.global.nc.L1::no_allocate.L2::128B.v4.b32 "
                  "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE void ll_ptx_st_global_b8(unsigned long long address,
                                   ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.u8 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_b16(unsigned long long address,
                                    ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.u16 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_b32(unsigned long long address,
                                    ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.u32 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_b64(unsigned long long address,
                                    ll_words v, unsigned on) {
    LL_STORED_IF_(2, "%3, 0; @p st.global.v2.u32 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_st_global_b128(unsigned long long address,
                                     ll_words v, unsigned on) {
    LL_STORED_IF_(4, "%5, 0; @p st.global.v4.u32 [%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_st_global_b256(unsigned long long address,
                                     ll_words v, unsigned on) {
    LL_STORED_IF_(8, "%9, 0; @p st.global.v8.b32 "
                  "[%0], {%1, %2, %3, %4, %5, %6, %7, %8};");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b8(unsigned long long address,
                                               ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.L1::no_allocate.u8 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b16(unsigned long long address,
                                                ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.L1::no_allocate.u16 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b32(unsigned long long address,
                                                ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.L1::no_allocate.u32 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b64(unsigned long long address,
                                                ll_words v, unsigned on) {
    LL_STORED_IF_(2,
                  "%3, 0; @p st.global.L1::no_allocate.v2.u32 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b128(unsigned long long address,
                                                 ll_words v, unsigned on) {
    LL_STORED_IF_(4, "%5, 0; @p st.global.L1::no_allocate.v4.u32 "
                  "[%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b256(unsigned long long address,
                                                 ll_words v, unsigned on) {
    LL_STORED_IF_(8, "%9, 0; @p st.global.L1::no_allocate.v8.b32 "
                  "[%0], {%1, %2, %3, %4, %5, %6, %7, %8};");
}

/* cp.async copies from global address `from` to shared address `to`, both
 * multiples of the width. _fill reads only the first `bytes` bytes and writes
 * zeros for the rest; with 0 it reads nothing. commit_group makes a group of
 * the copies since the last group. wait_group<N> waits until at most N groups
 * of this lane are pending. */
LL_DEVICE void ll_ptx_cp_async_ca_b32(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 4;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b64(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 8;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b128(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 16;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_cg_b128(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.cg.shared.global [%0], [%1], 16;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b32_fill(unsigned to,
                                           unsigned long long from,
                                           unsigned bytes) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 4, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b64_fill(unsigned to,
                                           unsigned long long from,
                                           unsigned bytes) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 8, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b128_fill(unsigned to,
                                            unsigned long long from,
                                            unsigned bytes) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 16, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_cg_b128_fill(unsigned to,
                                            unsigned long long from,
                                            unsigned bytes) {
    LL_PTX_("cp.async.cg.shared.global [%0], [%1], 16, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_commit_group(void) {
    LL_PTX_("cp.async.commit_group;", (), ());
}

template <unsigned N_> LL_DEVICE void ll_ptx_cp_async_wait_group(void) {
    LL_PTX_("cp.async.wait_group %0;", (), (LL_IMM_(N_)));
}

/* fence.proxy.async makes this lane's stores to shared memory visible to wgmma,
 * tcgen05 and tensor copies that start after the next barrier. */
LL_DEVICE void ll_ptx_fence_proxy_async(void) {
    LL_PTX_("fence.proxy.async.shared::cta;", (), ());
}

#endif

/* ---- instructions/lanes: Instructions: lanes and barriers ------------- */

#ifdef LL_PTX_DEVICE_

/* bar.warp.sync is a barrier for the lanes of a warp, bar.sync for the warps of
 * a block. */
LL_DEVICE void ll_ptx_bar_warp(void) {
    LL_PTX_("bar.warp.sync 0xffffffff;", (), ());
}

LL_DEVICE void ll_ptx_bar(void) { LL_PTX_("bar.sync 0;", (), ()); }

/* bar.sync on the named barrier ID, or id, for THREADS threads of the block, a
 * multiple of 32. */
template <unsigned ID_, unsigned THREADS_>
LL_DEVICE void ll_ptx_bar_named(void) {
    LL_PTX_("bar.sync %0, %1;", (), (LL_IMM_(ID_), LL_IMM_(THREADS_)));
}

template <unsigned THREADS_> LL_DEVICE void ll_ptx_bar_at(unsigned id) {
    LL_PTX_("bar.sync %0, %1;", (), (LL_I32_(id), LL_IMM_(THREADS_)));
}

/* %cluster_ctarank is the rank of the block in its cluster. mapa returns the
 * cluster address of `address` in the shared memory of block `block`; offsets
 * may be added to it. ld.shared::cluster loads from such an address; the block
 * that owns it must not have exited. */
LL_DEVICE unsigned ll_ptx_cluster_ctarank(void) {
    unsigned y = 0;
    LL_PTX_PURE_("mov.u32 %0, %%cluster_ctarank;", (LL_O32_(y)), ());
    return y;
}

LL_DEVICE unsigned ll_ptx_mapa(unsigned address, unsigned block) {
    unsigned y = 0;
    LL_PTX_PURE_("mapa.shared::cluster.u32 %0, %1, %2;", (LL_O32_(y)),
                 (LL_I32_(address), LL_I32_(block)));
    return y;
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b8(unsigned address) {
    LL_LOADED_(1, "ld.shared::cluster.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b16(unsigned address) {
    LL_LOADED_(1, "ld.shared::cluster.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b32(unsigned address) {
    LL_LOADED_(1, "ld.shared::cluster.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b64(unsigned address) {
    LL_LOADED_(2, "ld.shared::cluster.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b128(unsigned address) {
    LL_LOADED_(4, "ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];");
}

/* barrier.cluster is a barrier for the blocks of a cluster, in two halves. What
 * a lane did before its arrive is visible to all lanes after their wait. With
 * _relaxed its writes are not, except for mbarriers before
 * ll_ptx_fence_mbarrier_init. */
LL_DEVICE void ll_ptx_barrier_cluster_arrive(void) {
    LL_PTX_("barrier.cluster.arrive.release.aligned;", (), ());
}

LL_DEVICE void ll_ptx_barrier_cluster_arrive_relaxed(void) {
    LL_PTX_("barrier.cluster.arrive.relaxed.aligned;", (), ());
}

LL_DEVICE void ll_ptx_barrier_cluster_wait(void) {
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
}

/* shfl.sync returns the x of another lane: of lane number `lane` (idx), or of
 * its own number XOR `lane` (bfly), minus `lane` (up) or plus `lane` (down). If
 * there is no such lane, it returns its own x. */
LL_DEVICE unsigned ll_ptx_shfl_idx(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_shfl_bfly(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_shfl_up(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_shfl_down(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;");
}

/* redux.sync combines x over all lanes of a warp; each lane gets the result. It
 * needs sm_80. */
#define LL_REDUX_(text)                                                     \
    unsigned y = 0;                                                         \
    LL_PTX_LANES_(text, (LL_O32_(y)), (LL_I32_(x)));                        \
    return y

LL_DEVICE unsigned ll_ptx_redux_add_u32(unsigned x) {
    LL_REDUX_("redux.sync.add.u32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_min_u32(unsigned x) {
    LL_REDUX_("redux.sync.min.u32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_max_u32(unsigned x) {
    LL_REDUX_("redux.sync.max.u32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_min_s32(unsigned x) {
    LL_REDUX_("redux.sync.min.s32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_max_s32(unsigned x) {
    LL_REDUX_("redux.sync.max.s32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_and_b32(unsigned x) {
    LL_REDUX_("redux.sync.and.b32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_or_b32(unsigned x) {
    LL_REDUX_("redux.sync.or.b32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_xor_b32(unsigned x) {
    LL_REDUX_("redux.sync.xor.b32 %0, %1, 0xffffffff;");
}

/* movmatrix transposes an 8 x 8 matrix of 16-bit elements, from fragment to
 * fragment. */
LL_DEVICE unsigned ll_ptx_movmatrix(unsigned x) {
    unsigned y = 0;
    LL_PTX_LANES_("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;",
                  (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

/* prmt: byte k of the result is byte (select >> 4k) & 7 of the eight bytes of a
 * (0 to 3) and b (4 to 7). If bit 4k + 3 of select is set, all bits of byte k
 * are the sign of that byte. */
LL_DEVICE unsigned ll_ptx_prmt(unsigned a, unsigned b, unsigned select) {
    unsigned y = 0;
    LL_PTX_PURE_("prmt.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(select)));
    return y;
}

/* selp returns a if `on` is not 0, else b. */
LL_DEVICE unsigned ll_ptx_selp(unsigned a, unsigned b, unsigned on) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .pred p; setp.ne.u32 p, %3, 0; "
                 "selp.b32 %0, %1, %2, p; }", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(on)));
    return y;
}

/* mad returns the low 32 bits of a * b + c. mad_if returns the low 32 bits of a
 * * b if `on` is not 0, else y. */
LL_DEVICE unsigned ll_ptx_mad(unsigned a, unsigned b, unsigned c) {
    unsigned y = 0;
    LL_PTX_PURE_("mad.lo.u32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(c)));
    return y;
}

LL_DEVICE unsigned ll_ptx_mad_if(unsigned y, unsigned a, unsigned b,
                                 unsigned on) {
    LL_PTX_PURE_("{ .reg .pred p; setp.ne.u32 p, %3, 0; "
                 "@p mad.lo.u32 %0, %1, %2, 0; }", (LL_IO32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(on)));
    return y;
}

/* Private: returns 1. The compiler does not know the value, so it keeps
 * multiplications by it. A grid has 1 to 2^31 - 1 blocks in x. */
LL_DEVICE unsigned ll_ptx_one_(void) {
    unsigned blocks = 0;
    LL_PTX_PURE_("mov.u32 %0, %%nctaid.x;", (LL_O32_(blocks)), ());
    return (blocks + 0x7fffffffu) >> 31;
}

#undef LL_LOADED_
#undef LL_STORED_
#undef LL_LOADED_IF_
#undef LL_STORED_IF_
#undef LL_SHFL_
#undef LL_REDUX_

#endif

/* ---- instructions/copies: Instructions: copies and mbarriers ---------- */

/* Barriers in shared memory (mbarrier) and copies by the tensor memory
 * accelerator (TMA). examples/kernels/matmul shows how they are used. */
#ifdef LL_PTX_DEVICE_

/* mbarrier: a barrier of 64 bits in shared memory, at a multiple of 8. It
 * counts arrivals and the bytes of copies. A phase ends when all arrivals and
 * all expected bytes are complete; the next phase expects `count` arrivals
 * again. The parity of a phase is the parity of its number, counted from 0.
 *
 * init: one thread calls it; fence_mbarrier_init and a barrier of the block or
 * cluster follow. arrive: what the thread did before is visible to threads
 * whose wait for this phase succeeds. arrive_expect_tx: the same, and the phase
 * waits for `bytes` more bytes. arrive_cluster: arrives at an address from
 * ll_ptx_mapa; it waits until all stores of the thread are visible in the
 * cluster, which is slow. _relaxed: without that wait, to announce that a
 * completed wgmma has read its operands. try_wait, test_wait: return 1 if the
 * phase of that parity has ended. try_wait may take a while before it returns
 * 0, so it stands in a loop. cp.async.mbarrier.arrive: arrives when all
 * cp.async that this lane has started are complete. */
LL_DEVICE void ll_ptx_mbarrier_init(unsigned bar, unsigned count) {
    LL_PTX_("mbarrier.init.shared::cta.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I32_(count)));
}

LL_DEVICE void ll_ptx_mbarrier_inval(unsigned bar) {
    LL_PTX_("mbarrier.inval.shared::cta.b64 [%0];", (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_fence_mbarrier_init(void) {
    LL_PTX_("fence.mbarrier_init.release.cluster;", (), ());
}

LL_DEVICE void ll_ptx_mbarrier_expect_tx(unsigned bar, unsigned bytes) {
    LL_PTX_("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive(unsigned bar) {
    LL_PTX_("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }",
            (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive_expect_tx(unsigned bar, unsigned bytes) {
    LL_PTX_("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, "
            "[%0], %1;",
            (), (LL_I32_(bar), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive_cluster(unsigned bar) {
    LL_PTX_("mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
            "[%0];",
            (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive_cluster_relaxed(unsigned bar) {
    LL_PTX_("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, "
            "[%0];",
            (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_cp_async_mbarrier_arrive(unsigned bar) {
    LL_PTX_("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];",
            (), (LL_I32_(bar)));
}

LL_DEVICE unsigned ll_ptx_mbarrier_try_wait(unsigned bar, unsigned parity) {
    unsigned y = 0;
    LL_PTX_("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 "
            "p, [%1], %2; selp.u32 %0, 1, 0, p; }",
            (LL_O32_(y)), (LL_I32_(bar), LL_I32_(parity)));
    return y;
}

LL_DEVICE unsigned ll_ptx_mbarrier_test_wait(unsigned bar, unsigned parity) {
    unsigned y = 0;
    LL_PTX_("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 "
            "p, [%1], %2; selp.u32 %0, 1, 0, p; }",
            (LL_O32_(y)), (LL_I32_(bar), LL_I32_(parity)));
    return y;
}

/* ll_ptx_mbarrier_wait(bar, parity): waits until the phase of that parity has
 * ended. */
LL_DEVICE void ll_ptx_mbarrier_wait(unsigned bar, unsigned parity) {
    while (!ll_ptx_mbarrier_try_wait(bar, parity)) {
    }
}

/* st.async stores to shared memory of a block of the cluster, and reports the
 * bytes to an mbarrier of that block. Both addresses are from ll_ptx_mapa; `to`
 * is a multiple of the width. The thread waits for nothing, not even for its
 * earlier stores. A thread that waits for that phase of the mbarrier sees the
 * bytes. A block must not exit while others store to it. */
LL_DEVICE void ll_ptx_st_async_b32(unsigned to, ll_words v, unsigned bar) {
    LL_PTX_("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 "
            "[%0], %1, [%2];",
            (), (LL_I32_(to), LL_W1_(LL_I32_, v), LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_st_async_b64(unsigned to, ll_words v, unsigned bar) {
    LL_PTX_("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
            "[%0], {%1, %2}, [%3];",
            (), (LL_I32_(to), LL_W2_(LL_I32_, v), LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_st_async_b128(unsigned to, ll_words v, unsigned bar) {
    LL_PTX_("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
            "[%0], {%1, %2, %3, %4}, [%5];",
            (), (LL_I32_(to), LL_W4_(LL_I32_, v), LL_I32_(bar)));
}

/* cp.async.bulk: TMA copies `bytes` bytes between global and shared memory;
 * both addresses and `bytes` are multiples of 16. One thread starts a copy for
 * all. A load reports its bytes to an mbarrier. With `blocks`, a mask with a
 * bit for each block of the cluster, the bytes arrive at the same address in
 * each of these blocks, and are reported to the mbarrier of each. A store reads
 * what was stored to shared memory before ll_ptx_fence_proxy_async and a
 * barrier. commit_group makes a group of this thread's stores since the last
 * group. wait_group_read<N> waits until at most N groups still read shared
 * memory, wait_group<N> until at most N groups are not yet in global memory. */
LL_DEVICE void ll_ptx_cp_async_bulk_load(unsigned to, unsigned long long from,
                                         unsigned bytes, unsigned bar) {
    LL_PTX_("cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes), LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_load_multicast(unsigned to,
                                                   unsigned long long from,
                                                   unsigned bytes,
                                                   unsigned bar,
                                                   unsigned blocks) {
    LL_PTX_("cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1], %2, [%3], %4;",
            (),
            (LL_I32_(to), LL_I64_(from), LL_I32_(bytes), LL_I32_(bar),
             LL_I16_(blocks)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_store(unsigned long long to,
                                          unsigned from, unsigned bytes) {
    LL_PTX_("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
            "%2;",
            (), (LL_I64_(to), LL_I32_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_commit_group(void) {
    LL_PTX_("cp.async.bulk.commit_group;", (), ());
}

template <unsigned N_>
LL_DEVICE void ll_ptx_cp_async_bulk_wait_group(void) {
    LL_PTX_("cp.async.bulk.wait_group %0;", (), (LL_IMM_(N_)));
}

template <unsigned N_>
LL_DEVICE void ll_ptx_cp_async_bulk_wait_group_read(void) {
    LL_PTX_("cp.async.bulk.wait_group.read %0;", (), (LL_IMM_(N_)));
}

/* cp.async.bulk.tensor: the same for a box of a tensor of 1 to 5 dimensions in
 * global memory. `map` is the address of its CUtensorMap, a __grid_constant__
 * parameter of the kernel; c0 is the coordinate of the innermost dimension, in
 * elements. Elements outside of the tensor are loaded as zeros, which count as
 * bytes, and are not stored. A swizzled box in shared memory is aligned to its
 * pattern: 256, 512 or 1024 bytes for 32, 64 and 128; any other to 128.
 * ll_ptx_tensor_of has the parameters of the map. */
LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_1d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0) {
    LL_PTX_("cp.async.bulk.tensor.1d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_2d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1) {
    LL_PTX_("cp.async.bulk.tensor.2d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_3d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1, int c2) {
    LL_PTX_("cp.async.bulk.tensor.3d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
            "[%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1), LL_I32_(c2)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_4d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1, int c2, int c3) {
    LL_PTX_("cp.async.bulk.tensor.4d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
            "%6}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1), LL_I32_(c2), LL_I32_(c3)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_5d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1, int c2, int c3,
                                                   int c4) {
    LL_PTX_("cp.async.bulk.tensor.5d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
            "%7}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1), LL_I32_(c2), LL_I32_(c3), LL_I32_(c4)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_1d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0) {
    LL_PTX_("cp.async.bulk.tensor.1d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_2d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1) {
    LL_PTX_("cp.async.bulk.tensor.2d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_3d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1,
                                                             int c2) {
    LL_PTX_("cp.async.bulk.tensor.3d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5, %6}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1), LL_I32_(c2)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_4d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1,
                                                             int c2, int c3) {
    LL_PTX_("cp.async.bulk.tensor.4d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5, %6, %7}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1), LL_I32_(c2),
             LL_I32_(c3)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_5d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1,
                                                             int c2, int c3,
                                                             int c4) {
    LL_PTX_("cp.async.bulk.tensor.5d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5, %6, %7, %8}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1), LL_I32_(c2),
             LL_I32_(c3), LL_I32_(c4)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_1d(const void *map,
                                                    unsigned from, int c0) {
    LL_PTX_("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group "
            "[%0, {%2}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_2d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1) {
    LL_PTX_("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
            "[%0, {%2, %3}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_3d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1, int c2) {
    LL_PTX_("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group "
            "[%0, {%2, %3, %4}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1), LL_I32_(c2)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_4d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1, int c2, int c3) {
    LL_PTX_("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
            "[%0, {%2, %3, %4, %5}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1), LL_I32_(c2), LL_I32_(c3)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_5d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1, int c2, int c3,
                                                    int c4) {
    LL_PTX_("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group "
            "[%0, {%2, %3, %4, %5, %6}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1), LL_I32_(c2), LL_I32_(c3), LL_I32_(c4)));
}

LL_DEVICE void ll_ptx_prefetch_tensormap(const void *map) {
    LL_PTX_("prefetch.tensormap [%0];", (), (LL_I64_((unsigned long long)map)));
}

/* cp.async.bulk.prefetch: TMA brings bytes, or a box of a tensor, to the L2
 * cache. Nothing waits for it. All blocks read through that cache, so a kernel
 * may prefetch before ll_ptx_griddepcontrol_wait, even bytes that the preceding
 * kernel still writes. */
LL_DEVICE void ll_ptx_cp_async_bulk_prefetch(unsigned long long from,
                                             unsigned bytes) {
    LL_PTX_("cp.async.bulk.prefetch.L2.global [%0], %1;", (),
            (LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_prefetch_tensor_2d(const void *map, int c0,
                                                       int c1) {
    LL_PTX_("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];", (),
            (LL_I64_((unsigned long long)map), LL_I32_(c0), LL_I32_(c1)));
}

#endif

/* ---- instructions/threads: Instructions: threads and launches --------- */

#ifdef LL_PTX_DEVICE_

/* setmaxnreg: the warps of a warpgroup release registers (dec) or request more
 * (inc), so that each thread has REGS_, 24 to 256 in steps of 8. The kernel
 * needs __launch_bounds__: ptxas drops setmaxnreg if it does not know the
 * registers of a thread at the start. griddepcontrol: wait waits for the grids
 * that this one depends on; launch_dependents lets the grids that depend on
 * this one start. elect.sync returns 1 in one lane of the warp and 0 in the
 * others. */
template <unsigned REGS_>
LL_DEVICE void ll_ptx_setmaxnreg_inc(void) {
    LL_SFX_("setmaxnreg.inc.sync.aligned.u32 %0;", (), (LL_IMM_(REGS_)));
}

template <unsigned REGS_>
LL_DEVICE void ll_ptx_setmaxnreg_dec(void) {
    LL_SFX_("setmaxnreg.dec.sync.aligned.u32 %0;", (), (LL_IMM_(REGS_)));
}

LL_DEVICE void ll_ptx_griddepcontrol_wait(void) {
    LL_PTX_("griddepcontrol.wait;", (), ());
}

LL_DEVICE void ll_ptx_griddepcontrol_launch_dependents(void) {
    LL_PTX_("griddepcontrol.launch_dependents;", (), ());
}

LL_DEVICE unsigned ll_ptx_elect(void) {
    unsigned y = 0;
    LL_PTX_("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, "
            "1, 0, p; }",
            (LL_O32_(y)), ());
    return y;
}

/* bar.arrive counts the threads of a warp at named barrier `id` and continues.
 * Other warps wait there with ll_ptx_bar_at. THREADS_ is the number of all
 * threads that arrive or wait, the same in both calls. */
template <unsigned THREADS_> LL_DEVICE void ll_ptx_bar_arrive_at(unsigned id) {
    LL_PTX_("bar.arrive %0, %1;", (), (LL_I32_(id), LL_IMM_(THREADS_)));
}

#endif

/* ---- instructions/convert: Instructions: conversions of numbers ------- */

#ifdef LL_PTX_DEVICE_

/* ex2: approximates 2^x; denormals count as 0. */
LL_DEVICE float ll_ptx_ex2(float x) {
    float y = 0;
    LL_PTX_PURE_("ex2.approx.ftz.f32 %0, %1;", (LL_OF32_(y)), (LL_IF32_(x)));
    return y;
}

/* cvt: rounds two floats to the nearest numbers of 16 bits, `low` in the low
 * half of the word. */
LL_DEVICE unsigned ll_ptx_cvt_f16x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rn.f16x2.f32 %0, %1, %2;", (LL_O32_(y)),
                 (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_bf16x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rn.bf16x2.f32 %0, %1, %2;", (LL_O32_(y)),
                 (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

/* cvt: converts numbers of a word to wider ones. f16x2_e4m3x2 takes the two in
 * the low half; f32_f16_low and _high take that half of x. */
LL_DEVICE unsigned ll_ptx_cvt_f16x2_e4m3x2(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rn.f16x2.e4m3x2 %0, %1;", (LL_O32_(y)), (LL_I16_(x)));
    return y;
}

LL_DEVICE float ll_ptx_cvt_f32_f16_low(unsigned x) {
    float y = 0;
    LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }",
                 (LL_OF32_(y)), (LL_I32_(x)));
    return y;
}

LL_DEVICE float ll_ptx_cvt_f32_f16_high(unsigned x) {
    float y = 0;
    LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }",
                 (LL_OF32_(y)), (LL_I32_(x)));
    return y;
}

/* cvt: rounds two floats, or the two f16 of a word, to the nearest numbers of 8
 * bits or fewer, `low` in the low bits of the result: 8 bits each, 4 for e2m1.
 * A number that is too large gives the largest number; so does NaN if the type
 * has none. */
LL_DEVICE unsigned ll_ptx_cvt_e4m3x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e4m3x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e5m2x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e5m2x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e2m3x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e2m3x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e3m2x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e3m2x2.f32 d, %1, %2; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e2m1x2(float low, float high) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b8 d; cvt.rn.satfinite.e2m1x2.f32 d, %1, %2; "
                 "cvt.u32.u8 %0, d; }",
                 (LL_O32_(y)), (LL_IF32_(high), LL_IF32_(low)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e4m3x2_f16x2(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e4m3x2.f16x2 d, %1; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_e5m2x2_f16x2(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 d; cvt.rn.satfinite.e5m2x2.f16x2 d, %1; "
                 "cvt.u32.u16 %0, d; }",
                 (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

/* cvt.rni: rounds to the nearest integer, ties to even; NaN gives 0. cvt.pack:
 * saturates two integers to 8 or 4 bits and puts them into the lowest bits,
 * with the low bits of `rest` above them. */
LL_DEVICE int ll_ptx_cvt_rni_s32(float x) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.rni.s32.f32 %0, %1;", (LL_O32_(y)), (LL_IF32_(x)));
    return (int)y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_s8(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_u8(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_s4(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

LL_DEVICE unsigned ll_ptx_cvt_pack_u4(int low, int high, unsigned rest) {
    unsigned y = 0;
    LL_PTX_PURE_("cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_((unsigned)high), LL_I32_((unsigned)low),
                  LL_I32_(rest)));
    return y;
}

/* fma: a b + c, rounded once, for both numbers of a word. */
LL_DEVICE unsigned ll_ptx_fma_f16x2(unsigned a, unsigned b, unsigned c) {
    unsigned y = 0;
    LL_PTX_PURE_("fma.rn.f16x2 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(c)));
    return y;
}

LL_DEVICE unsigned ll_ptx_fma_bf16x2(unsigned a, unsigned b, unsigned c) {
    unsigned y = 0;
    LL_PTX_PURE_("fma.rn.bf16x2 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(c)));
    return y;
}

#endif

/* ---- instructions/mma: Instructions: mma ------------------------------ */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* mma.sync: all lanes of a warp together compute c = a b + c for one tile. a
 * and b are the words of ll_ptx_fragment_a and _b, c the elements of
 * ll_ptx_fragment_c (two 16-bit elements per word). The name has the shape and
 * the types: of c, of a, and of b if it differs. and_popc and xor_popc count
 * the ones of a AND b, or of a XOR b. Before sm_80, only m8n8 and m16n8k8 with
 * f16 exist. On sm_90, mma.sync on 4 bits, 1 bit and fp8 is emulated with other
 * instructions and slow. */
#define LL_MMA_BODY_(text, c, oc, nc, a, oa, na, b, ob, nb, list)           \
    LL_PTX_LANES_("mma.sync.aligned." text list, (LL_X##nc##_(oc, c, 0)),   \
                  (LL_X##na##_(oa, a, 0), LL_X##nb##_(ob, b, 0)))
#define LL_MMA_2_1_1_ " {%0, %1}, {%2}, {%3}, {%0, %1};"
#define LL_MMA_4_2_1_ " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
#define LL_MMA_4_4_2_                                                       \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define LL_MMA_2_2_1_ " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
#define LL_MMA_2_4_2_ " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
#define LL_MMA_4_2_2_                                                       \
    " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
#define LL_MMA_8_2_2_                                                       \
    " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "             \
    "{%0, %1, %2, %3, %4, %5, %6, %7};"
#define LL_MMA_4_8_4_                                                       \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "               \
    "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
#define LL_MMA_F32_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IOF32_, nc, a, LL_I32_, na, b, LL_I32_, nb,    \
            LL_MMA_##nc##_##na##_##nb##_)
#define LL_MMA_S32_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IOS32_, nc, a, LL_I32_, na, b, LL_I32_, nb,    \
            LL_MMA_##nc##_##na##_##nb##_)
#define LL_MMA_F16_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IO32_, nc, a, LL_I32_, na, b, LL_I32_, nb,     \
            LL_MMA_##nc##_##na##_##nb##_)
#define LL_MMA_F64_(text, nc, na, nb)                                       \
    LL_MMA_BODY_(text, c, LL_IOF64_, nc, a, LL_IF64_, na, b, LL_IF64_, nb,  \
            LL_MMA_##nc##_##na##_##nb##_)

LL_DEVICE void ll_ptx_mma_m16n8k8_f32_f16(float *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_F32_("m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_f16(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f32_bf16(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_bf16(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f16_f16(unsigned *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_F16_("m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_f16(unsigned *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k4_f32_tf32(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f32_tf32(float *c, const unsigned *a,
                                           const unsigned *b) {
    LL_MMA_F32_("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f64_f64(double *c, const double *a,
                                         const double *b) {
    LL_MMA_F64_("m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k4_f64_f64(double *c, const double *a,
                                          const double *b) {
    LL_MMA_F64_("m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k8_f64_f64(double *c, const double *a,
                                          const double *b) {
    LL_MMA_F64_("m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f64_f64(double *c, const double *a,
                                           const double *b) {
    LL_MMA_F64_("m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4);
}

/* mma.m8n8k4 with f16: four 8 x 8 tiles at once, one in each quad pair, with
 * the operands ll_ptx_quad_a, _b and _c. The name says which of a and b are
 * row-major. Slow from sm_80 on. */
LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_row_row(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.row.row.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_row_col(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_col_row(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.col.row.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f32_f16_col_col(float *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m8n8k4.col.col.f32.f16.f16.f32", 8, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_row_row(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.row.row.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_row_col(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.row.col.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_col_row(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.col.row.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k4_f16_f16_col_col(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m8n8k4.col.col.f16.f16.f16.f16", 4, 2, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_s8(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_s8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.s8.s8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_s8_u8(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.s8.u8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_s8_u8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.s8.u8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s8_u8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s8.u8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_u8_s8(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.u8.s8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_u8_s8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.u8.s8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u8_s8(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u8.s8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k16_s32_u8(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k16.row.col.s32.u8.u8.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_s32_u8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k16.row.col.s32.u8.u8.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u8(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u8.u8.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_s4(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.s4.s4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s4.s4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_s4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.s4.s4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_s4_u4(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.s4.u4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_s4_u4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.s4.u4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_s4_u4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.s4.u4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_u4_s4(int *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.u4.s4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u4_s4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u4.s4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_u4_s4(int *c, const unsigned *a,
                                             const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.u4.s4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k32_s32_u4(int *c, const unsigned *a,
                                         const unsigned *b) {
    LL_MMA_S32_("m8n8k32.row.col.s32.u4.u4.s32", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_s32_u4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k32.row.col.s32.u4.u4.s32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k64_s32_u4(int *c, const unsigned *a,
                                          const unsigned *b) {
    LL_MMA_S32_("m16n8k64.row.col.s32.u4.u4.s32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k128_s32_b1_and_popc(int *c, const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_S32_("m8n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k128_s32_b1_and_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k128.row.col.s32.b1.b1.s32.and.popc", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k256_s32_b1_and_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m8n8k128_s32_b1_xor_popc(int *c, const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_S32_("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k128_s32_b1_xor_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k256_s32_b1_xor_popc(int *c, const unsigned *a,
                                                    const unsigned *b) {
    LL_MMA_S32_("m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e4m3(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e4m3.e4m3.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e4m3(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e4m3.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e4m3_e5m2(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e4m3.e5m2.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e4m3_e5m2(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e4m3.e5m2.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e5m2(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e5m2(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e4m3.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e5m2_e4m3(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e5m2.e4m3.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e5m2_e4m3(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e5m2.e4m3.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e4m3(float *c, const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e4m3(unsigned *c,
                                                 const unsigned *a,
                                                 const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e5m2.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f32_e5m2(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k16.row.col.f32.e5m2.e5m2.f32", 4, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k16_f16_e5m2(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k16.row.col.f16.e5m2.e5m2.f16", 2, 2, 1);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2(float *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2(unsigned *c, const unsigned *a,
                                            const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.f16.e5m2.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e5m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e2m1_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m1.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e2m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e3m2_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e3m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e4m3_f8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e4m3.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_f8f6f4(float *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F32_("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e5m2.f32", 4, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m1_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e2m3_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e3m2_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e4m3_e5m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e5m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e2m1_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e2m1.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e2m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e2m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e3m2_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e3m2.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_e4m3_f8f6f4(unsigned *c,
                                                        const unsigned *a,
                                                        const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e4m3.f16", 2, 4, 2);
}

LL_DEVICE void ll_ptx_mma_m16n8k32_f16_e5m2_f8f6f4(unsigned *c,
                                                   const unsigned *a,
                                                   const unsigned *b) {
    LL_MMA_F16_("m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e5m2.f16", 2, 4, 2);
}

#endif

/* ---- instructions/mma_sparse: Instructions: mma with a sparse A ------- */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* mma.sp: mma.sync with a sparse A, which stores half of its k columns. (PTX,
 * "mma.sp".) a holds the stored elements, as the fragment of half the k. Of
 * each group of four neighbours along k two are stored (of 32 bits, one of two;
 * of 4 bits, two of four pairs). e is the metadata: for each stored element, in
 * increasing order, two bits with its number in the group. ll_ptx_sparse_e says
 * which lane describes which element. If only some lanes of a quad are needed
 * to describe A, SELECT_ says which: one lane, 0 to 3, for m16n8k16 with 16
 * bits and m16n8k8; one pair of lanes, 0 or 1, for m16n8k32 with 16 and 8 bits,
 * m16n8k16 with 32 and m16n8k64 with 4. */
#define LL_MMA_SP_(text, op, nc, na, nb)                                    \
    LL_PTX_LANES_("mma.sp::ordered_metadata.sync.aligned." text             \
                      LL_MMA_SP_##nc##_##na##_,                             \
                  (LL_X##nc##_(op, c, 0)),                                  \
                  (LL_X##na##_(LL_I32_, a, 0), LL_X##nb##_(LL_I32_, b, 0),  \
                   LL_I32_(e), LL_IMM_(SELECT_)))
#define LL_MMA_SP_4_2_                                                      \
    " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, %9;"
#define LL_MMA_SP_2_2_ " {%0, %1}, {%2, %3}, {%4, %5}, {%0, %1}, %6, %7;"
#define LL_MMA_SP_4_4_                                                      \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, "             \
    "{%0, %1, %2, %3}, %12, %13;"
#define LL_MMA_SP_2_4_                                                      \
    " {%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%0, %1}, %10, %11;"
#define LL_MMA_SP_F32_(text, nc, na, nb)                                    \
    LL_MMA_SP_(text, LL_IOF32_, nc, na, nb)
#define LL_MMA_SP_S32_(text, nc, na, nb)                                    \
    LL_MMA_SP_(text, LL_IOS32_, nc, na, nb)
#define LL_MMA_SP_F16_(text, nc, na, nb)                                    \
    LL_MMA_SP_(text, LL_IO32_, nc, na, nb)

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f32_f16(float *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f16_f16(unsigned *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f32_bf16(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_f32_f16(float *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_f16_f16(unsigned *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k32.row.col.f16.f16.f16.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_f32_bf16(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k8_f32_tf32(float *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k16_f32_tf32(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_s8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_s8_u8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_u8_s8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.u8.s8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k32_s32_u8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k32.row.col.s32.u8.u8.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s8.s8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s8_u8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s8.u8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u8_s8(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u8.s8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u8(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u8.u8.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s4(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_s4_u4(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.s4.u4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u4_s4(int *c, const unsigned *a,
                                                const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u4.s4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_s32_u4(int *c, const unsigned *a,
                                             const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k64.row.col.s32.u4.u4.s32", 4, 2, 2);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_s4(int *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.s4.s4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_s4_u4(int *c, const unsigned *a,
                                                 const unsigned *b,
                                                 unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.s4.u4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_u4_s4(int *c, const unsigned *a,
                                                 const unsigned *b,
                                                 unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.u4.s4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_s32_u4(int *c, const unsigned *a,
                                              const unsigned *b, unsigned e) {
    LL_MMA_SP_S32_("m16n8k128.row.col.s32.u4.u4.s32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3(unsigned *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e4m3.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2(float *c, const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e4m3.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e5m2(unsigned *c,
                                                    const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e4m3.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3(float *c, const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e5m2.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e4m3(unsigned *c,
                                                    const unsigned *a,
                                                    const unsigned *b,
                                                    unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e5m2.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2(float *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.f32.e5m2.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2(unsigned *c, const unsigned *a,
                                               const unsigned *b, unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.f16.e5m2.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m1_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e2m3.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e2m3_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e3m2_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e3m2.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e4m3_e5m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e4m3.e5m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m1_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e2m1.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e2m1_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e2m1.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e2m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e2m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e3m2_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e3m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e3m2_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e3m2.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3_f8f6f4(float *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e4m3.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_e4m3_f8f6f4(unsigned *c,
                                                           const unsigned *a,
                                                           const unsigned *b,
                                                           unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e4m3.f16", 2, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_f8f6f4(float *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F32_("m16n8k64.row.col.kind::f8f6f4.f32.e5m2.e5m2.f32", 4, 4, 4);
}

template <unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f16_e5m2_f8f6f4(unsigned *c,
                                                      const unsigned *a,
                                                      const unsigned *b,
                                                      unsigned e) {
    LL_MMA_SP_F16_("m16n8k64.row.col.kind::f8f6f4.f16.e5m2.e5m2.f16", 2, 4, 4);
}

#endif

/* ---- instructions/mma_scaled: Instructions: mma with scales ----------- */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* mma with block_scale: mma.sync with a scale for each block of neighbours
 * along k in each row of A and column of B. (PTX, "mma" and "Block scaling for
 * mma.sync".) A row has one scale in kind mxf8f6f4, two in mxf4 and _2x, four
 * in _4x. Scales of _4x are e4m3 without a sign, all others are powers of two
 * (ue8m0). ll_ptx_scale_a and _b say which byte of sa and sb in which lane is
 * which scale. BYTE_A_, BYTE_B_: the first byte, a multiple of the number of
 * scales. LANE_A_ (0, 1), LANE_B_ (0 to 3): the lanes of a quad that have the
 * scales. */
#define LL_MMA_MX_IDS_                                                      \
    LL_I32_(sa), LL_IMM_(BYTE_A_), LL_IMM_(LANE_A_), LL_I32_(sb),           \
        LL_IMM_(BYTE_B_), LL_IMM_(LANE_B_)
#define LL_MMA_MX_(text)                                                    \
    LL_PTX_LANES_("mma.sync.aligned." text                                  \
                  " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "         \
                  "{%0, %1, %2, %3}, {%10}, {%11, %12}, {%13}, "            \
                  "{%14, %15};",                                            \
                  (LL_X4_(LL_IOF32_, c, 0)),                                \
                  (LL_X4_(LL_I32_, a, 0), LL_X2_(LL_I32_, b, 0),            \
                   LL_MMA_MX_IDS_))
#define LL_MMA_SP_MX_(text)                                                 \
    LL_PTX_LANES_("mma.sp::ordered_metadata.sync.aligned." text             \
                  " {%0, %1, %2, %3}, {%4, %5, %6, %7}, "                   \
                  "{%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0, {%13}, "   \
                  "{%14, %15}, {%16}, {%17, %18};",                         \
                  (LL_X4_(LL_IOF32_, c, 0)),                                \
                  (LL_X4_(LL_I32_, a, 0), LL_X4_(LL_I32_, b, 0),            \
                   LL_I32_(e), LL_MMA_MX_IDS_))

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_mxf8f6f4(float *c,
                                                     const unsigned *a,
                                                     const unsigned *b,
                                                     unsigned sa, unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m1.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e2m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m1.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e3m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m1.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e4m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m1.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m1_e5m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m1.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e2m1_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m3.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_mxf8f6f4(float *c,
                                                     const unsigned *a,
                                                     const unsigned *b,
                                                     unsigned sa, unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m3.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e3m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m3.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e4m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m3.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e2m3_e5m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e2m3.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e2m1_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e3m2.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e2m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e3m2.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_mxf8f6f4(float *c,
                                                     const unsigned *a,
                                                     const unsigned *b,
                                                     unsigned sa, unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e3m2.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e3m2.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e3m2_e5m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e3m2.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e2m1_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e4m3.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e2m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e4m3.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e3m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e4m3.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_mxf8f6f4(float *c,
                                                     const unsigned *a,
                                                     const unsigned *b,
                                                     unsigned sa, unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e4m3.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e4m3_e5m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e4m3.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e2m1_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e5m2.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e2m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e5m2.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e3m2_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e5m2.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_e4m3_mxf8f6f4(float *c,
                                                          const unsigned *a,
                                                          const unsigned *b,
                                                          unsigned sa,
                                                          unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e5m2.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k32_f32_e5m2_mxf8f6f4(float *c,
                                                     const unsigned *a,
                                                     const unsigned *b,
                                                     unsigned sa, unsigned sb) {
    LL_MMA_MX_("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32"
               ".e5m2.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k64_f32_e2m1_mxf4(float *c, const unsigned *a,
                                                 const unsigned *b, unsigned sa,
                                                 unsigned sb) {
    LL_MMA_MX_("m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1"
               ".e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_2x(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned sa,
                                                        unsigned sb) {
    LL_MMA_MX_("m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32"
               ".e2m1.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned sa,
                                                        unsigned sb) {
    LL_MMA_MX_("m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32"
               ".e2m1.e2m1.f32.ue4m3");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_mxf8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned e, unsigned sa,
                                                        unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m1.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e2m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m1.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e3m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m1.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e4m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m1.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m1_e5m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m1.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e2m1_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m3.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_mxf8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned e, unsigned sa,
                                                        unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m3.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e3m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m3.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e4m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m3.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e2m3_e5m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e2m3.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m1_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e3m2.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e3m2.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_mxf8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned e, unsigned sa,
                                                        unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e3m2.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e4m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e3m2.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e3m2_e5m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e3m2.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m1_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e4m3.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e4m3.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e3m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e4m3.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_mxf8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned e, unsigned sa,
                                                        unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e4m3.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e4m3.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m1_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e5m2.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e5m2.e2m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e3m2_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e5m2.e3m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3_mxf8f6f4(float *c,
                                                             const unsigned *a,
                                                             const unsigned *b,
                                                             unsigned e,
                                                             unsigned sa,
                                                             unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e5m2.e4m3.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k64_f32_e5m2_mxf8f6f4(float *c,
                                                        const unsigned *a,
                                                        const unsigned *b,
                                                        unsigned e, unsigned sa,
                                                        unsigned sb) {
    LL_MMA_SP_MX_("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
                  ".f32.e5m2.e5m2.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4(float *c,
                                                     const unsigned *a,
                                                     const unsigned *b,
                                                     unsigned e, unsigned sa,
                                                     unsigned sb) {
    LL_MMA_SP_MX_("m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32"
                  ".e2m1.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4nvf4_2x(float *c,
                                                            const unsigned *a,
                                                            const unsigned *b,
                                                            unsigned e,
                                                            unsigned sa,
                                                            unsigned sb) {
    LL_MMA_SP_MX_("m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X"
                  ".f32.e2m1.e2m1.f32.ue8m0");
}

template <unsigned BYTE_A_ = 0, unsigned LANE_A_ = 0, unsigned BYTE_B_ = 0,
          unsigned LANE_B_ = 0>
LL_DEVICE void ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4nvf4_4x(float *c,
                                                            const unsigned *a,
                                                            const unsigned *b,
                                                            unsigned e,
                                                            unsigned sa,
                                                            unsigned sb) {
    LL_MMA_SP_MX_("m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
                  ".f32.e2m1.e2m1.f32.ue4m3");
}

#endif

/* ---- instructions/wgmma: Instructions: wgmma -------------------------- */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* wgmma: the four warps of a warpgroup multiply 64 rows of A by COLS_ columns
 * of B. COLS_ is 8 to 256, a power of two to have a layout; k has 256 bits. d
 * is the accumulator in the registers of ll_ptx_wgmma_d(64, COLS_, 4). Other
 * multiples of 8 (for accumulators of s32, 24 and multiples of 16) have no
 * layout: their registers are ll_ptx_wgmma_d(64, 8, 4) for every 8 columns, one
 * after another. a and b are descriptors of shared memory, from
 * ll_ptx_desc_wgmma; tiles with a swizzle start at multiples of its pattern:
 * 256, 512 or 1024 bytes for 32, 64 and 128. Functions that end in _ra take the
 * words of A from registers, four of ll_ptx_wgmma_a(64, k, .., 4). With keep 0
 * the result overwrites d, else it is added. MN_A_ and MN_B_ are mn_major of
 * the descriptors; types of 8 and 32 bits are k-major. Compile with
 * -arch=sm_90a; built for sm_90, these functions stop the kernel.
 *
 * wgmma is asynchronous: the threads continue while it runs. fence comes before
 * the first wgmma, and after other instructions that write registers that it
 * takes. commit_group makes a group of the wgmmas since the last group. Until
 * wait_group<N_> leaves at most N_ newer groups running, do not touch d, the
 * registers of A, or the shared memory that is read. */
LL_DEVICE void ll_ptx_wgmma_fence(void) {
    LL_SFX_("wgmma.fence.sync.aligned;", (), ());
}

LL_DEVICE void ll_ptx_wgmma_commit_group(void) {
    LL_SFX_("wgmma.commit_group.sync.aligned;", (), ());
}

template <unsigned N_> LL_DEVICE void ll_ptx_wgmma_wait_group(void) {
    LL_SFX_("wgmma.wait_group.sync.aligned %0;", (), (LL_IMM_(N_)));
}

/* The same, and no register of x is read before it. The compiler knows of no
 * tie between an accumulator and the wait for it, and may otherwise move a read
 * of the accumulator before the wait. */
template <unsigned N_, unsigned COUNT_>
LL_DEVICE void ll_ptx_wgmma_wait_group(float (&x)[COUNT_]) {
    ll_ptx_wgmma_wait_group<N_>();
    LL_UNROLL
    for (unsigned k = 0; k < COUNT_; ++k) {
        LL_PTX_("", (LL_IOF32_(x[k])), ());
    }
}

template <unsigned N_, unsigned COUNT_>
LL_DEVICE void ll_ptx_wgmma_wait_group(unsigned (&x)[COUNT_]) {
    ll_ptx_wgmma_wait_group<N_>();
    LL_UNROLL
    for (unsigned k = 0; k < COUNT_; ++k) {
        LL_PTX_("", (LL_IO32_(x[k])), ());
    }
}

template <unsigned N_, unsigned COUNT_>
LL_DEVICE void ll_ptx_wgmma_wait_group(int (&x)[COUNT_]) {
    ll_ptx_wgmma_wait_group<N_>();
    LL_UNROLL
    for (unsigned k = 0; k < COUNT_; ++k) {
        LL_PTX_("", (LL_IOS32_(x[k])), ());
    }
}

/* Private: lists for r accumulators, r = 10 t + u, u from 2 to 10. t is empty
 * for 0, so that it can stand before another digit. LL_WR_: the text of the
 * operands. LL_WX_: the operands. LL_WP_: the texts of the nine operands after
 * them, with t1 = t + 1. */
#define LL_WR2_(t) "%" #t "0, %" #t "1"
#define LL_WR4_(t) LL_WR2_(t) ", %" #t "2, %" #t "3"
#define LL_WR6_(t) LL_WR4_(t) ", %" #t "4, %" #t "5"
#define LL_WR8_(t) LL_WR6_(t) ", %" #t "6, %" #t "7"
#define LL_WR10_(t) LL_WR8_(t) ", %" #t "8, %" #t "9"
#define LL_WT__
#define LL_WT_1_ "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
#define LL_WT_2_ LL_WT_1_ "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
#define LL_WT_3_ LL_WT_2_ "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
#define LL_WT_4_ LL_WT_3_ "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
#define LL_WT_5_ LL_WT_4_ "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
#define LL_WT_6_ LL_WT_5_ "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
#define LL_WT_7_ LL_WT_6_ "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
#define LL_WT_8_ LL_WT_7_ "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
#define LL_WT_9_ LL_WT_8_ "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "
#define LL_WT_10_ LL_WT_9_ "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "
#define LL_WT_11_ LL_WT_10_                                                 \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
#define LL_WT_12_ LL_WT_11_                                                 \
    "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "
#define LL_WR_(t, u) LL_WT_##t##_ LL_WR##u##_(t)
#define LL_WX2_(op, v, t) op(v[t##0]), op(v[t##1])
#define LL_WX4_(op, v, t) LL_WX2_(op, v, t), op(v[t##2]), op(v[t##3])
#define LL_WX6_(op, v, t) LL_WX4_(op, v, t), op(v[t##4]), op(v[t##5])
#define LL_WX8_(op, v, t) LL_WX6_(op, v, t), op(v[t##6]), op(v[t##7])
#define LL_WX10_(op, v, t) LL_WX8_(op, v, t), op(v[t##8]), op(v[t##9])
#define LL_WY__(op, v)
#define LL_WY_1_(op, v) LL_WX10_(op, v, ),
#define LL_WY_2_(op, v) LL_WY_1_(op, v) LL_WX10_(op, v, 1),
#define LL_WY_3_(op, v) LL_WY_2_(op, v) LL_WX10_(op, v, 2),
#define LL_WY_4_(op, v) LL_WY_3_(op, v) LL_WX10_(op, v, 3),
#define LL_WY_5_(op, v) LL_WY_4_(op, v) LL_WX10_(op, v, 4),
#define LL_WY_6_(op, v) LL_WY_5_(op, v) LL_WX10_(op, v, 5),
#define LL_WY_7_(op, v) LL_WY_6_(op, v) LL_WX10_(op, v, 6),
#define LL_WY_8_(op, v) LL_WY_7_(op, v) LL_WX10_(op, v, 7),
#define LL_WY_9_(op, v) LL_WY_8_(op, v) LL_WX10_(op, v, 8),
#define LL_WY_10_(op, v) LL_WY_9_(op, v) LL_WX10_(op, v, 9),
#define LL_WY_11_(op, v) LL_WY_10_(op, v) LL_WX10_(op, v, 10),
#define LL_WY_12_(op, v) LL_WY_11_(op, v) LL_WX10_(op, v, 11),
#define LL_WX_(op, v, t, u) LL_WY_##t##_(op, v) LL_WX##u##_(op, v, t)
#define LL_WP2_(t, t1)                                                      \
    "%" #t "2", "%" #t "3", "%" #t "4", "%" #t "5", "%" #t "6",             \
    "%" #t "7", "%" #t "8", "%" #t "9", "%" #t1 "0"
#define LL_WP4_(t, t1)                                                      \
    "%" #t "4", "%" #t "5", "%" #t "6", "%" #t "7", "%" #t "8",             \
    "%" #t "9", "%" #t1 "0", "%" #t1 "1", "%" #t1 "2"
#define LL_WP6_(t, t1)                                                      \
    "%" #t "6", "%" #t "7", "%" #t "8", "%" #t "9", "%" #t1 "0",            \
    "%" #t1 "1", "%" #t1 "2", "%" #t1 "3", "%" #t1 "4"
#define LL_WP8_(t, t1)                                                      \
    "%" #t "8", "%" #t "9", "%" #t1 "0", "%" #t1 "1", "%" #t1 "2",          \
    "%" #t1 "3", "%" #t1 "4", "%" #t1 "5", "%" #t1 "6"
#define LL_WP10_(t, t1)                                                     \
    "%" #t1 "0", "%" #t1 "1", "%" #t1 "2", "%" #t1 "3", "%" #t1 "4",        \
    "%" #t1 "5", "%" #t1 "6", "%" #t1 "7", "%" #t1 "8"
/* Private: the end of an instruction's text. */
#define LL_END_TRANS_(x, y) ", p, 1, 1, " x ", " y "; }"
#define LL_END_TRANS_B_(x, y) ", p, 1, 1, " x "; }"
#define LL_END_FLOAT_(x, y) ", p, 1, 1; }"
#define LL_END_INT_(x, y) ", p; }"
#define LL_WGMMA_SS_(name, list, end, p0, p1, p2, p3, p4, p5, p6, p7, p8)   \
    "{ .reg .pred p; setp.ne.u32 p, " p2 ", 0; "                            \
    "wgmma.mma_async.sync.aligned." name " {" list "}, " p0 ", " p1         \
    end(p3, p4)
#define LL_WGMMA_RS_(name, list, end, p0, p1, p2, p3, p4, p5, p6, p7, p8)   \
    "{ .reg .pred p; setp.ne.u32 p, " p5 ", 0; "                            \
    "wgmma.mma_async.sync.aligned." name " {" list "}, "                    \
    "{" p0 ", " p1 ", " p2 ", " p3 "}, " p4 end(p6, p6)
#define LL_WGMMA_SPARSE_SS_(name, list, end, p0, p1, p2, p3, p4, p5, p6, p7, \
                            p8)                                             \
    "{ .reg .pred p; setp.ne.u32 p, " p2 ", 0; "                            \
    "wgmma.mma_async.sp.sync.aligned." name " {" list "}, " p0 ", " p1      \
    ", " p3 ", " p4 end(p5, p6)
#define LL_WGMMA_SPARSE_RS_(name, list, end, p0, p1, p2, p3, p4, p5, p6, p7, \
                            p8)                                             \
    "{ .reg .pred p; setp.ne.u32 p, " p5 ", 0; "                            \
    "wgmma.mma_async.sp.sync.aligned." name " {" list "}, "                 \
    "{" p0 ", " p1 ", " p2 ", " p3 "}, " p4 ", " p6 ", " p7 end(p8, p8)
#define LL_WGMMA_TEXT_(form, ...) LL_WGMMA_##form(__VA_ARGS__)
#define LL_WGMMA_IN_SS_ LL_I64_(a), LL_I64_(b), LL_I32_(keep)
#define LL_WGMMA_IN_RS_ LL_X4_(LL_A32_, a, 0), LL_I64_(b), LL_I32_(keep)
#define LL_WGMMA_IN_SPARSE_SS_                                              \
    LL_WGMMA_IN_SS_, LL_I32_(e), LL_IMM_(SELECT_)
#define LL_WGMMA_IN_SPARSE_RS_                                              \
    LL_WGMMA_IN_RS_, LL_I32_(e), LL_IMM_(SELECT_)
/* The host pass of a CUDA compiler drops device code, so it gets none of the
 * many operands. */
#if defined(__CUDACC__) && !defined(__CUDA_ARCH__) && !LL_EMULATE
#define LL_WGMMA_IF_(...)
#else
#define LL_WGMMA_IF_(n, t, u, t1, op, form, k, types, end, ...)             \
    if constexpr (COLS_ == n) {                                             \
        LL_SFX_(LL_WGMMA_TEXT_(form, "m64n" #n k types, LL_WR_(t, u), end,  \
                               LL_WP##u##_(t, t1)),                         \
                (LL_WX_(op, d, t, u)), (LL_WGMMA_IN_##form __VA_ARGS__));   \
    }
#endif
#define LL_WGMMA_SIZES_(step)                                               \
    LL_END_LINE_                                                            \
    static_assert(LL_WGMMA_HERE_ || !COLS_,                                 \
                  "ll: wgmma: this target lacks it; compile with "          \
                  "-arch=sm_90a");                                          \
    LL_END_LINE_                                                            \
    static_assert(COLS_ >= 8 && COLS_ <= 256 &&                             \
                      (COLS_ % step == 0 || COLS_ == 8 || COLS_ == 24),     \
                  "ll: wgmma: COLS_ must be a multiple of 8 from 8 to 256 " \
                  "(for s32 accumulators: 8, 24 or a multiple of 16)");     \
    LL_END_LINE_
#define LL_WGMMA_32_(op, step, ...)                                         \
    LL_WGMMA_SIZES_(step)                                                   \
    LL_WGMMA_IF_(8, , 4, 1, op, __VA_ARGS__)                                \
    LL_WGMMA_IF_(16, , 8, 1, op, __VA_ARGS__)                               \
    LL_WGMMA_IF_(24, 1, 2, 2, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(32, 1, 6, 2, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(40, 1, 10, 2, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(48, 2, 4, 3, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(56, 2, 8, 3, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(64, 3, 2, 4, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(72, 3, 6, 4, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(80, 3, 10, 4, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(88, 4, 4, 5, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(96, 4, 8, 5, op, __VA_ARGS__)                              \
    LL_WGMMA_IF_(104, 5, 2, 6, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(112, 5, 6, 6, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(120, 5, 10, 6, op, __VA_ARGS__)                            \
    LL_WGMMA_IF_(128, 6, 4, 7, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(136, 6, 8, 7, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(144, 7, 2, 8, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(152, 7, 6, 8, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(160, 7, 10, 8, op, __VA_ARGS__)                            \
    LL_WGMMA_IF_(168, 8, 4, 9, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(176, 8, 8, 9, op, __VA_ARGS__)                             \
    LL_WGMMA_IF_(184, 9, 2, 10, op, __VA_ARGS__)                            \
    LL_WGMMA_IF_(192, 9, 6, 10, op, __VA_ARGS__)                            \
    LL_WGMMA_IF_(200, 9, 10, 10, op, __VA_ARGS__)                           \
    LL_WGMMA_IF_(208, 10, 4, 11, op, __VA_ARGS__)                           \
    LL_WGMMA_IF_(216, 10, 8, 11, op, __VA_ARGS__)                           \
    LL_WGMMA_IF_(224, 11, 2, 12, op, __VA_ARGS__)                           \
    LL_WGMMA_IF_(232, 11, 6, 12, op, __VA_ARGS__)                           \
    LL_WGMMA_IF_(240, 11, 10, 12, op, __VA_ARGS__)                          \
    LL_WGMMA_IF_(248, 12, 4, 13, op, __VA_ARGS__)                           \
    LL_WGMMA_IF_(256, 12, 8, 13, op, __VA_ARGS__)
#define LL_WGMMA_16_(...)                                                   \
    LL_WGMMA_SIZES_(8)                                                      \
    LL_WGMMA_IF_(8, , 2, 1, LL_IO32_, __VA_ARGS__)                          \
    LL_WGMMA_IF_(16, , 4, 1, LL_IO32_, __VA_ARGS__)                         \
    LL_WGMMA_IF_(24, , 6, 1, LL_IO32_, __VA_ARGS__)                         \
    LL_WGMMA_IF_(32, , 8, 1, LL_IO32_, __VA_ARGS__)                         \
    LL_WGMMA_IF_(40, , 10, 1, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(48, 1, 2, 2, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(56, 1, 4, 2, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(64, 1, 6, 2, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(72, 1, 8, 2, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(80, 1, 10, 2, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(88, 2, 2, 3, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(96, 2, 4, 3, LL_IO32_, __VA_ARGS__)                        \
    LL_WGMMA_IF_(104, 2, 6, 3, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(112, 2, 8, 3, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(120, 2, 10, 3, LL_IO32_, __VA_ARGS__)                      \
    LL_WGMMA_IF_(128, 3, 2, 4, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(136, 3, 4, 4, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(144, 3, 6, 4, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(152, 3, 8, 4, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(160, 3, 10, 4, LL_IO32_, __VA_ARGS__)                      \
    LL_WGMMA_IF_(168, 4, 2, 5, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(176, 4, 4, 5, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(184, 4, 6, 5, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(192, 4, 8, 5, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(200, 4, 10, 5, LL_IO32_, __VA_ARGS__)                      \
    LL_WGMMA_IF_(208, 5, 2, 6, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(216, 5, 4, 6, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(224, 5, 6, 6, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(232, 5, 8, 6, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(240, 5, 10, 6, LL_IO32_, __VA_ARGS__)                      \
    LL_WGMMA_IF_(248, 6, 2, 7, LL_IO32_, __VA_ARGS__)                       \
    LL_WGMMA_IF_(256, 6, 4, 7, LL_IO32_, __VA_ARGS__)

template <unsigned COLS_, unsigned MN_A_ = 0, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_f32_f16(float *d, unsigned long long a,
                                    unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k16", ".f32.f16.f16", LL_END_TRANS_,
                            , LL_IMM_(MN_A_), LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_f32_f16_ra(float *d, const unsigned *a,
                                       unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k16", ".f32.f16.f16", LL_END_TRANS_B_,
                            , LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned MN_A_ = 0, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_f32_bf16(float *d, unsigned long long a,
                                     unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k16", ".f32.bf16.bf16", LL_END_TRANS_,
                            , LL_IMM_(MN_A_), LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_f32_bf16_ra(float *d, const unsigned *a,
                                        unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k16", ".f32.bf16.bf16", LL_END_TRANS_B_,
                            , LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned MN_A_ = 0, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_f16_f16(unsigned *d, unsigned long long a,
                                    unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(SS_, "k16", ".f16.f16.f16", LL_END_TRANS_,
                 , LL_IMM_(MN_A_), LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_f16_f16_ra(unsigned *d, const unsigned *a,
                                       unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(RS_, "k16", ".f16.f16.f16", LL_END_TRANS_B_,
                 , LL_IMM_(MN_B_))
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_tf32(float *d, unsigned long long a,
                                     unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k8", ".f32.tf32.tf32", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_tf32_ra(float *d, const unsigned *a,
                                        unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k8", ".f32.tf32.tf32", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e4m3(float *d, unsigned long long a,
                                     unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k32", ".f32.e4m3.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e4m3_ra(float *d, const unsigned *a,
                                        unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k32", ".f32.e4m3.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e4m3_e5m2(float *d, unsigned long long a,
                                          unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k32", ".f32.e4m3.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e4m3_e5m2_ra(float *d, const unsigned *a,
                                             unsigned long long b,
                                             unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k32", ".f32.e4m3.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e5m2_e4m3(float *d, unsigned long long a,
                                          unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k32", ".f32.e5m2.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e5m2_e4m3_ra(float *d, const unsigned *a,
                                             unsigned long long b,
                                             unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k32", ".f32.e5m2.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e5m2(float *d, unsigned long long a,
                                     unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SS_, "k32", ".f32.e5m2.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f32_e5m2_ra(float *d, const unsigned *a,
                                        unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, RS_, "k32", ".f32.e5m2.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e4m3(unsigned *d, unsigned long long a,
                                     unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(SS_, "k32", ".f16.e4m3.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e4m3_ra(unsigned *d, const unsigned *a,
                                        unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(RS_, "k32", ".f16.e4m3.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e4m3_e5m2(unsigned *d, unsigned long long a,
                                          unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(SS_, "k32", ".f16.e4m3.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e4m3_e5m2_ra(unsigned *d, const unsigned *a,
                                             unsigned long long b,
                                             unsigned keep) {
    LL_WGMMA_16_(RS_, "k32", ".f16.e4m3.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e5m2_e4m3(unsigned *d, unsigned long long a,
                                          unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(SS_, "k32", ".f16.e5m2.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e5m2_e4m3_ra(unsigned *d, const unsigned *a,
                                             unsigned long long b,
                                             unsigned keep) {
    LL_WGMMA_16_(RS_, "k32", ".f16.e5m2.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e5m2(unsigned *d, unsigned long long a,
                                     unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(SS_, "k32", ".f16.e5m2.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_f16_e5m2_ra(unsigned *d, const unsigned *a,
                                        unsigned long long b, unsigned keep) {
    LL_WGMMA_16_(RS_, "k32", ".f16.e5m2.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_s8(int *d, unsigned long long a,
                                   unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SS_, "k32", ".s32.s8.s8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_s8_ra(int *d, const unsigned *a,
                                      unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, RS_, "k32", ".s32.s8.s8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_s8_u8(int *d, unsigned long long a,
                                      unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SS_, "k32", ".s32.s8.u8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_s8_u8_ra(int *d, const unsigned *a,
                                         unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, RS_, "k32", ".s32.s8.u8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_u8_s8(int *d, unsigned long long a,
                                      unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SS_, "k32", ".s32.u8.s8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_u8_s8_ra(int *d, const unsigned *a,
                                         unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, RS_, "k32", ".s32.u8.s8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_u8(int *d, unsigned long long a,
                                   unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SS_, "k32", ".s32.u8.u8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_u8_ra(int *d, const unsigned *a,
                                      unsigned long long b, unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, RS_, "k32", ".s32.u8.u8", LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_b1_and_popc(int *d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SS_, "k256", ".s32.b1.b1.and.popc",
                 LL_END_INT_, )
}

template <unsigned COLS_>
LL_DEVICE void ll_ptx_wgmma_s32_b1_and_popc_ra(int *d, const unsigned *a,
                                               unsigned long long b,
                                               unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, RS_, "k256", ".s32.b1.b1.and.popc",
                 LL_END_INT_, )
}

#endif

/* ---- instructions/wgmma_sparse: Instructions: wgmma with a sparse A --- */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* wgmma with a sparse A: k has 512 bits. A stores half of them, 32 bytes per
 * row: two of every four numbers, of 32 bits one of two. e is the metadata of
 * the lane, for the 16 rows of its warp as in ll_ptx_sparse_e(k, element_bits).
 * SELECT_ says which lanes pass it: 0 or 1 for numbers of 16 and 32 bits, 0 for
 * all others. */
template <unsigned COLS_, unsigned SELECT_ = 0, unsigned MN_A_ = 0,
          unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_f16(float *d, unsigned long long a,
                                       unsigned long long b, unsigned e,
                                       unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k32", ".f32.f16.f16", LL_END_TRANS_,
                 , LL_IMM_(MN_A_), LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned SELECT_ = 0, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_f16_ra(float *d, const unsigned *a,
                                          unsigned long long b, unsigned e,
                                          unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k32", ".f32.f16.f16",
                 LL_END_TRANS_B_,
                 , LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned SELECT_ = 0, unsigned MN_A_ = 0,
          unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_bf16(float *d, unsigned long long a,
                                        unsigned long long b, unsigned e,
                                        unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k32", ".f32.bf16.bf16",
                 LL_END_TRANS_,
                 , LL_IMM_(MN_A_), LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned SELECT_ = 0, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_bf16_ra(float *d, const unsigned *a,
                                           unsigned long long b, unsigned e,
                                           unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k32", ".f32.bf16.bf16",
                 LL_END_TRANS_B_, , LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned SELECT_ = 0, unsigned MN_A_ = 0,
          unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_f16(unsigned *d, unsigned long long a,
                                       unsigned long long b, unsigned e,
                                       unsigned keep) {
    LL_WGMMA_16_(SPARSE_SS_, "k32", ".f16.f16.f16", LL_END_TRANS_,
                 , LL_IMM_(MN_A_), LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned SELECT_ = 0, unsigned MN_B_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_f16_ra(unsigned *d, const unsigned *a,
                                          unsigned long long b, unsigned e,
                                          unsigned keep) {
    LL_WGMMA_16_(SPARSE_RS_, "k32", ".f16.f16.f16", LL_END_TRANS_B_,
                 , LL_IMM_(MN_B_))
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_tf32(float *d, unsigned long long a,
                                        unsigned long long b, unsigned e,
                                        unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k16", ".f32.tf32.tf32",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_tf32_ra(float *d, const unsigned *a,
                                           unsigned long long b, unsigned e,
                                           unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k16", ".f32.tf32.tf32",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e4m3(float *d, unsigned long long a,
                                        unsigned long long b, unsigned e,
                                        unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k64", ".f32.e4m3.e4m3",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e4m3_ra(float *d, const unsigned *a,
                                           unsigned long long b, unsigned e,
                                           unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k64", ".f32.e4m3.e4m3",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e4m3_e5m2(float *d, unsigned long long a,
                                             unsigned long long b, unsigned e,
                                             unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k64", ".f32.e4m3.e5m2",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e4m3_e5m2_ra(float *d, const unsigned *a,
                                                unsigned long long b,
                                                unsigned e, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k64", ".f32.e4m3.e5m2",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e5m2_e4m3(float *d, unsigned long long a,
                                             unsigned long long b, unsigned e,
                                             unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k64", ".f32.e5m2.e4m3",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e5m2_e4m3_ra(float *d, const unsigned *a,
                                                unsigned long long b,
                                                unsigned e, unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k64", ".f32.e5m2.e4m3",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e5m2(float *d, unsigned long long a,
                                        unsigned long long b, unsigned e,
                                        unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_SS_, "k64", ".f32.e5m2.e5m2",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f32_e5m2_ra(float *d, const unsigned *a,
                                           unsigned long long b, unsigned e,
                                           unsigned keep) {
    LL_WGMMA_32_(LL_IOF32_, 8, SPARSE_RS_, "k64", ".f32.e5m2.e5m2",
                 LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e4m3(unsigned *d, unsigned long long a,
                                        unsigned long long b, unsigned e,
                                        unsigned keep) {
    LL_WGMMA_16_(SPARSE_SS_, "k64", ".f16.e4m3.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e4m3_ra(unsigned *d, const unsigned *a,
                                           unsigned long long b, unsigned e,
                                           unsigned keep) {
    LL_WGMMA_16_(SPARSE_RS_, "k64", ".f16.e4m3.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e4m3_e5m2(unsigned *d, unsigned long long a,
                                             unsigned long long b, unsigned e,
                                             unsigned keep) {
    LL_WGMMA_16_(SPARSE_SS_, "k64", ".f16.e4m3.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e4m3_e5m2_ra(unsigned *d, const unsigned *a,
                                                unsigned long long b,
                                                unsigned e, unsigned keep) {
    LL_WGMMA_16_(SPARSE_RS_, "k64", ".f16.e4m3.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e5m2_e4m3(unsigned *d, unsigned long long a,
                                             unsigned long long b, unsigned e,
                                             unsigned keep) {
    LL_WGMMA_16_(SPARSE_SS_, "k64", ".f16.e5m2.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e5m2_e4m3_ra(unsigned *d, const unsigned *a,
                                                unsigned long long b,
                                                unsigned e, unsigned keep) {
    LL_WGMMA_16_(SPARSE_RS_, "k64", ".f16.e5m2.e4m3", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e5m2(unsigned *d, unsigned long long a,
                                        unsigned long long b, unsigned e,
                                        unsigned keep) {
    LL_WGMMA_16_(SPARSE_SS_, "k64", ".f16.e5m2.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_f16_e5m2_ra(unsigned *d, const unsigned *a,
                                           unsigned long long b, unsigned e,
                                           unsigned keep) {
    LL_WGMMA_16_(SPARSE_RS_, "k64", ".f16.e5m2.e5m2", LL_END_FLOAT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_s8(int *d, unsigned long long a,
                                      unsigned long long b, unsigned e,
                                      unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_SS_, "k64", ".s32.s8.s8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_s8_ra(int *d, const unsigned *a,
                                         unsigned long long b, unsigned e,
                                         unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_RS_, "k64", ".s32.s8.s8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_s8_u8(int *d, unsigned long long a,
                                         unsigned long long b, unsigned e,
                                         unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_SS_, "k64", ".s32.s8.u8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_s8_u8_ra(int *d, const unsigned *a,
                                            unsigned long long b, unsigned e,
                                            unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_RS_, "k64", ".s32.s8.u8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_u8_s8(int *d, unsigned long long a,
                                         unsigned long long b, unsigned e,
                                         unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_SS_, "k64", ".s32.u8.s8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_u8_s8_ra(int *d, const unsigned *a,
                                            unsigned long long b, unsigned e,
                                            unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_RS_, "k64", ".s32.u8.s8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_u8(int *d, unsigned long long a,
                                      unsigned long long b, unsigned e,
                                      unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_SS_, "k64", ".s32.u8.u8", LL_END_INT_, )
}

template <unsigned COLS_, unsigned SELECT_ = 0>
LL_DEVICE void ll_ptx_wgmma_sp_s32_u8_ra(int *d, const unsigned *a,
                                         unsigned long long b, unsigned e,
                                         unsigned keep) {
    LL_WGMMA_32_(LL_IOS32_, 16, SPARSE_RS_, "k64", ".s32.u8.u8", LL_END_INT_, )
}

#endif

/* ---- instructions/tcgen05: Instructions: tensor memory ---------------- */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* tcgen05: the tensor cores of sm_100, sm_103 and sm_110, and their tensor
 * memory of 128 lanes and 512 columns of 32 bits in each block. (PTX,
 * "TensorCore 5th Generation Family Instructions".) An address has the lane in
 * its upper half and the column in its lower half. Functions that end in _cta2
 * are of .cta_group::2: they work for the two blocks of a cluster whose ranks
 * differ in the last bit. A kernel uses one kind only. Compile with
 * -arch=sm_100a, sm_103a or sm_110a, or f; built for sm_100, these functions
 * stop the kernel.
 *
 * alloc: one warp allocates 32 to 512 columns, a power of two, and writes their
 * address to shared memory at `to`. dealloc frees them, before the kernel ends.
 * relinquish_alloc_permit: this block allocates no more.
 *
 * One thread starts mma, cp and shift, which run asynchronously, in the order
 * in which that thread starts them. commit: the mbarrier gets one arrival when
 * all that this thread has started is done; multicast: the mbarriers at this
 * address in all blocks of a mask. ld and st are asynchronous as well: wait_ld
 * and wait_st wait for the loads and stores of the thread. To order such work
 * between threads, put fence_before_thread_sync before the barrier or mbarrier,
 * and fence_after_thread_sync after it. A commit needs no fence before it. */
LL_DEVICE void ll_ptx_tcgen05_alloc(unsigned to, unsigned columns) {
    LL_SFX_("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;",
            (), (LL_I32_(to), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_dealloc(unsigned address, unsigned columns) {
    LL_SFX_("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;",
            (), (LL_I32_(address), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_relinquish_alloc_permit(void) {
    LL_SFX_("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
            (), ());
}

LL_DEVICE void ll_ptx_tcgen05_alloc_cta2(unsigned to, unsigned columns) {
    LL_SFX_("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;",
            (), (LL_I32_(to), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_dealloc_cta2(unsigned address, unsigned columns) {
    LL_SFX_("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;",
            (), (LL_I32_(address), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_relinquish_alloc_permit_cta2(void) {
    LL_SFX_("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
            (), ());
}

LL_DEVICE void ll_ptx_tcgen05_commit(unsigned bar) {
    LL_SFX_("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
            ".b64 [%0];", (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_tcgen05_commit_multicast(unsigned bar, unsigned blocks) {
    LL_SFX_("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
            ".multicast::cluster.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I16_(blocks)));
}

LL_DEVICE void ll_ptx_tcgen05_commit_cta2(unsigned bar) {
    LL_SFX_("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
            ".b64 [%0];", (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_tcgen05_commit_multicast_cta2(unsigned bar,
                                                    unsigned blocks) {
    LL_SFX_("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
            ".multicast::cluster.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I16_(blocks)));
}

LL_DEVICE void ll_ptx_tcgen05_wait_ld(void) {
    LL_SFX_("tcgen05.wait::ld.sync.aligned;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_wait_st(void) {
    LL_SFX_("tcgen05.wait::st.sync.aligned;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_fence_before_thread_sync(void) {
    LL_SFX_("tcgen05.fence::before_thread_sync;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_fence_after_thread_sync(void) {
    LL_SFX_("tcgen05.fence::after_thread_sync;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_shift_down(unsigned address) {
    LL_SFX_("tcgen05.shift.cta_group::1.down [%0];", (), (LL_I32_(address)));
}

LL_DEVICE void ll_ptx_tcgen05_shift_down_cta2(unsigned address) {
    LL_SFX_("tcgen05.shift.cta_group::2.down [%0];", (), (LL_I32_(address)));
}

/* tcgen05.cp: copies the matrix of a descriptor (ll_ptx_desc_tcgen05) from
 * shared to tensor memory. The name has the number of lanes and of bits per
 * lane. warpx2 and warpx4 copy the same data to two groups of 32 lanes (02_13:
 * to 0 and 2, and to 1 and 3; 01_23: to 0 and 1, and to 2 and 3), or to all
 * four. b8x16_b4x16_p64 and _b6x16_p32 expand 16 numbers of 4 or 6 bits, which
 * take 16 bytes in shared memory, to a byte each. */
LL_DEVICE void ll_ptx_tcgen05_cp_128x256b(unsigned to,
                                          unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_cta2(unsigned to,
                                               unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b(unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.4x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_cta2(unsigned to,
                                             unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.4x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.4x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.4x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.4x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.4x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b(unsigned to,
                                          unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x128b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_cta2(unsigned to,
                                               unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x128b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x128b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13(unsigned to,
                                                      unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23(unsigned to,
                                                      unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4(unsigned to,
                                                unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_cta2(unsigned to,
                                                     unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.32x128b.warpx4.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.32x128b.warpx4.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

/* tcgen05.ld, tcgen05.st: a warp loads or stores N times 32 lanes of 32 bits
 * (or 16 lanes of 64, 128, 256 or twice 32 bits) of tensor memory. N is a power
 * of two. ll_ptx_tmem(lanes, bits, N, 32) is the layout of the registers.
 * ll_ptx_tmem_x2 is the layout for 16x32bx2, whose other half lies SPLIT_
 * columns further. The address is the same in all lanes; its lane is the first
 * of the warp's own 32: 32 times the warp's number in its warpgroup. _pack and
 * _unpack (element_bits 16): two columns of 16 bits share a word. Loaded
 * registers are valid after wait_ld, and stores are complete after wait_st. */
#define LL_TCGEN05_N_(most)                                                 \
    LL_END_LINE_                                                            \
    static_assert(LL_TCGEN05_HERE_ || !X##most##_,                          \
                  "ll: tcgen05: this target lacks it; compile with "        \
                  "-arch=sm_100a, sm_103a or sm_110a");                     \
    LL_END_LINE_                                                            \
    static_assert(X##most##_ && X##most##_ <= most &&                       \
                      !(X##most##_ & (X##most##_ - 1)),                     \
                  "ll: tcgen05.ld, tcgen05.st: the repetitions must be a "  \
                  "power of two, with at most 128 registers");                 \
    LL_END_LINE_
#define LL_TCGEN05_LD_(n, most, r, name, split, ...)                        \
    if constexpr (X##most##_ == n) {                                        \
        LL_SFX_("tcgen05.ld.sync.aligned." name                             \
                " {" LL_R##r##_ "}, [" LL_AT##r##_ "]" split(LL_BY##r##_)   \
                ";",                                                        \
                (LL_X##r##_(LL_O32_, to, 0)), (LL_I32_(from) __VA_ARGS__)); \
    }
#define LL_TCGEN05_ST_(n, most, r, name, split, ...)                        \
    if constexpr (X##most##_ == n) {                                        \
        LL_SFX_("tcgen05.st.sync.aligned." name " [" LL_AT##r##_ "]"        \
                split(LL_BY##r##_) ", {" LL_R##r##_ "};",                   \
                (), (LL_X##r##_(LL_I32_, from, 0), LL_I32_(to)              \
                         __VA_ARGS__));                                     \
    }
#define LL_AT1_ "%1"
#define LL_BY1_ "%2"
#define LL_AT2_ "%2"
#define LL_BY2_ "%3"
#define LL_AT4_ "%4"
#define LL_BY4_ "%5"
#define LL_AT8_ "%8"
#define LL_BY8_ "%9"
#define LL_AT16_ "%16"
#define LL_BY16_ "%17"
#define LL_AT32_ "%32"
#define LL_BY32_ "%33"
#define LL_AT64_ "%64"
#define LL_BY64_ "%65"
#define LL_AT128_ "%128"
#define LL_BY128_ "%129"
#define LL_R1_ "%0"
#define LL_NO_SPLIT_(by)
#define LL_SPLIT_(by) ", " by
#define LL_TCGEN05_LD128_(shape, end, split, ...)                           \
    LL_TCGEN05_N_(128)                                                      \
    LL_TCGEN05_LD_(1, 128, 1, shape ".x1" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(2, 128, 2, shape ".x2" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(4, 128, 4, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(8, 128, 8, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(16, 128, 16, shape ".x16" end, split, __VA_ARGS__)       \
    LL_TCGEN05_LD_(32, 128, 32, shape ".x32" end, split, __VA_ARGS__)       \
    LL_TCGEN05_LD_(64, 128, 64, shape ".x64" end, split, __VA_ARGS__)       \
    LL_TCGEN05_LD_(128, 128, 128, shape ".x128" end, split, __VA_ARGS__)
#define LL_TCGEN05_ST128_(shape, end, split, ...)                           \
    LL_TCGEN05_N_(128)                                                      \
    LL_TCGEN05_ST_(1, 128, 1, shape ".x1" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(2, 128, 2, shape ".x2" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(4, 128, 4, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(8, 128, 8, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(16, 128, 16, shape ".x16" end, split, __VA_ARGS__)       \
    LL_TCGEN05_ST_(32, 128, 32, shape ".x32" end, split, __VA_ARGS__)       \
    LL_TCGEN05_ST_(64, 128, 64, shape ".x64" end, split, __VA_ARGS__)       \
    LL_TCGEN05_ST_(128, 128, 128, shape ".x128" end, split, __VA_ARGS__)
#define LL_TCGEN05_LD64_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(64)                                                       \
    LL_TCGEN05_LD_(1, 64, 2, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(2, 64, 4, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(4, 64, 8, shape ".x4" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(8, 64, 16, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(16, 64, 32, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_LD_(32, 64, 64, shape ".x32" end, split, __VA_ARGS__)        \
    LL_TCGEN05_LD_(64, 64, 128, shape ".x64" end, split, __VA_ARGS__)
#define LL_TCGEN05_ST64_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(64)                                                       \
    LL_TCGEN05_ST_(1, 64, 2, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(2, 64, 4, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(4, 64, 8, shape ".x4" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(8, 64, 16, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(16, 64, 32, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_ST_(32, 64, 64, shape ".x32" end, split, __VA_ARGS__)        \
    LL_TCGEN05_ST_(64, 64, 128, shape ".x64" end, split, __VA_ARGS__)
#define LL_TCGEN05_LD32_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(32)                                                       \
    LL_TCGEN05_LD_(1, 32, 4, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(2, 32, 8, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(4, 32, 16, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(8, 32, 32, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(16, 32, 64, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_LD_(32, 32, 128, shape ".x32" end, split, __VA_ARGS__)
#define LL_TCGEN05_ST32_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(32)                                                       \
    LL_TCGEN05_ST_(1, 32, 4, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(2, 32, 8, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(4, 32, 16, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(8, 32, 32, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(16, 32, 64, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_ST_(32, 32, 128, shape ".x32" end, split, __VA_ARGS__)

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_32x32b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("32x32b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_32x32b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("32x32b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x64b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x64b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x64b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x64b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x128b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD64_("16x128b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x128b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD64_("16x128b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x256b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD32_("16x256b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x256b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD32_("16x256b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x32bx2(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x32bx2", ".b32", LL_SPLIT_, , LL_IMM_(SPLIT_))
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x32bx2_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x32bx2", ".pack::16b.b32", LL_SPLIT_, ,
                       LL_IMM_(SPLIT_))
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_32x32b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST128_("32x32b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_32x32b_unpack(unsigned to,
                                               const unsigned *from) {
    LL_TCGEN05_ST128_("32x32b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_16x64b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST128_("16x64b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_16x64b_unpack(unsigned to,
                                               const unsigned *from) {
    LL_TCGEN05_ST128_("16x64b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_st_16x128b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST64_("16x128b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_st_16x128b_unpack(unsigned to,
                                                const unsigned *from) {
    LL_TCGEN05_ST64_("16x128b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_st_16x256b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST32_("16x256b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_st_16x256b_unpack(unsigned to,
                                                const unsigned *from) {
    LL_TCGEN05_ST32_("16x256b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_st_16x32bx2(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST128_("16x32bx2", ".b32", LL_SPLIT_, , LL_IMM_(SPLIT_))
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_st_16x32bx2_unpack(unsigned to,
                                                 const unsigned *from) {
    LL_TCGEN05_ST128_("16x32bx2", ".unpack::16b.b32", LL_SPLIT_, ,
                       LL_IMM_(SPLIT_))
}

#endif

/* ---- instructions/tcgen05_mma: Instructions: tcgen05.mma -------------- */

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* tcgen05.mma: d = a b + d in tensor memory, of M x N x K as the instruction
 * descriptor says (ll_ptx_idesc_of). a and b are descriptors of shared memory
 * (ll_ptx_desc_tcgen05). Functions with _ta take a from tensor memory, row i in
 * lane i and k packed in words. With keep 0 the result overwrites d.
 * ll_ptx_tcgen05_d is the layout of d. In kinds mx, sa and sb are the addresses
 * of the scales in tensor memory. The scale of row (or column) n is in lane n %
 * 32, the same in all four groups of 32 lanes, and in column n / 32; the
 * instruction descriptor says in which bytes. block32 and block16: the elements
 * per scale. */
#define LL_TCGEN05_MMA_(name, a)                                            \
    "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, %3, p; }"
#define LL_TCGEN05_MX_(name, a)                                             \
    "{ .reg .pred p; setp.ne.u32 p, %6, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, %3, [%4], [%5], p; }"
#define LL_TCGEN05_PRODUCT_(name, at, in)                                   \
    LL_SFX_(LL_TCGEN05_MMA_(name, at), (),                                  \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(idesc), LL_I32_(keep)))
#define LL_TCGEN05_SCALED_(name, at, in)                                    \
    LL_SFX_(LL_TCGEN05_MX_(name, at), (),                                   \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(idesc), LL_I32_(sa),    \
             LL_I32_(sb), LL_I32_(keep)))

LL_DEVICE void ll_ptx_tcgen05_mma_f16(unsigned d, unsigned long long a,
                                      unsigned long long b, unsigned idesc,
                                      unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f16_cta2(unsigned d, unsigned long long a,
                                           unsigned long long b, unsigned idesc,
                                           unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f16_ta(unsigned d, unsigned a,
                                         unsigned long long b, unsigned idesc,
                                         unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f16_ta_cta2(unsigned d, unsigned a,
                                              unsigned long long b,
                                              unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32(unsigned d, unsigned long long a,
                                       unsigned long long b, unsigned idesc,
                                       unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32_cta2(unsigned d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32_ta(unsigned d, unsigned a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32_ta_cta2(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4(unsigned d, unsigned long long a,
                                         unsigned long long b, unsigned idesc,
                                         unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4_cta2(unsigned d, unsigned long long a,
                                              unsigned long long b,
                                              unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4_ta(unsigned d, unsigned a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4_ta_cta2(unsigned d, unsigned a,
                                                 unsigned long long b,
                                                 unsigned idesc,
                                                 unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8(unsigned d, unsigned long long a,
                                     unsigned long long b, unsigned idesc,
                                     unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8_cta2(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8_ta(unsigned d, unsigned a,
                                        unsigned long long b, unsigned idesc,
                                        unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8_ta_cta2(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4(unsigned d, unsigned long long a,
                                           unsigned long long b, unsigned idesc,
                                           unsigned sa, unsigned sb,
                                           unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf8f6f4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4_cta2(unsigned d,
                                                unsigned long long a,
                                                unsigned long long b,
                                                unsigned idesc, unsigned sa,
                                                unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf8f6f4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4_ta(unsigned d, unsigned a,
                                              unsigned long long b,
                                              unsigned idesc, unsigned sa,
                                              unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf8f6f4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4_ta_cta2(unsigned d, unsigned a,
                                                   unsigned long long b,
                                                   unsigned idesc, unsigned sa,
                                                   unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf8f6f4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4(unsigned d, unsigned long long a,
                                       unsigned long long b, unsigned idesc,
                                       unsigned sa, unsigned sb,
                                       unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4_cta2(unsigned d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned sa,
                                            unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4_ta(unsigned d, unsigned a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned sa, unsigned sb,
                                          unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4_ta_cta2(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned idesc, unsigned sa,
                                               unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32(unsigned d,
                                                   unsigned long long a,
                                                   unsigned long long b,
                                                   unsigned idesc, unsigned sa,
                                                   unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32_cta2(unsigned d,
                                                        unsigned long long a,
                                                        unsigned long long b,
                                                        unsigned idesc,
                                                        unsigned sa,
                                                        unsigned sb,
                                                        unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32_ta(unsigned d, unsigned a,
                                                      unsigned long long b,
                                                      unsigned idesc,
                                                      unsigned sa, unsigned sb,
                                                      unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32_ta_cta2(unsigned d,
                                                           unsigned a,
                                                           unsigned long long b,
                                                           unsigned idesc,
                                                           unsigned sa,
                                                           unsigned sb,
                                                           unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16(unsigned d,
                                                   unsigned long long a,
                                                   unsigned long long b,
                                                   unsigned idesc, unsigned sa,
                                                   unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block16",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16_cta2(unsigned d,
                                                        unsigned long long a,
                                                        unsigned long long b,
                                                        unsigned idesc,
                                                        unsigned sa,
                                                        unsigned sb,
                                                        unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block16",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16_ta(unsigned d, unsigned a,
                                                      unsigned long long b,
                                                      unsigned idesc,
                                                      unsigned sa, unsigned sb,
                                                      unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block16",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16_ta_cta2(unsigned d,
                                                           unsigned a,
                                                           unsigned long long b,
                                                           unsigned idesc,
                                                           unsigned sa,
                                                           unsigned sb,
                                                           unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block16",
                       "[%1]", LL_I32_);
}

/* tcgen05.mma.sp: tcgen05.mma with a sparse a, which stores two elements of
 * four (mxf4 and mxf4nvf4: two pairs of four; tf32: one of two); b has twice
 * the k of a. meta: the address in tensor memory of the positions of the stored
 * elements; the instruction descriptor has the selector in its first two bits
 * and 1 in its third. tcgen05.mma.ws: for one block and 32, 64 or 128 rows; a
 * stays in the tensor cores while b changes. ws_sp is both. (PTX,
 * "tcgen05.mma.sp", "tcgen05.mma.ws".) */
#define LL_TCGEN05_SP_(name, a)                                             \
    "{ .reg .pred p; setp.ne.u32 p, %5, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, [%3], %4, p; }"
#define LL_TCGEN05_SP_MX_(name, a)                                          \
    "{ .reg .pred p; setp.ne.u32 p, %7, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, [%3], %4, [%5], [%6], p; }"
#define LL_TCGEN05_SPARSE_(name, at, in)                                    \
    LL_SFX_(LL_TCGEN05_SP_(name, at), (),                                   \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(meta), LL_I32_(idesc),  \
             LL_I32_(keep)))
#define LL_TCGEN05_SP_SCALED_(name, at, in)                                 \
    LL_SFX_(LL_TCGEN05_SP_MX_(name, at), (),                                \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(meta), LL_I32_(idesc),  \
             LL_I32_(sa), LL_I32_(sb), LL_I32_(keep)))

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16(unsigned d, unsigned long long a,
                                         unsigned long long b, unsigned meta,
                                         unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16_cta2(unsigned d, unsigned long long a,
                                              unsigned long long b,
                                              unsigned meta, unsigned idesc,
                                              unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16_ta(unsigned d, unsigned a,
                                            unsigned long long b, unsigned meta,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16_ta_cta2(unsigned d, unsigned a,
                                                 unsigned long long b,
                                                 unsigned meta, unsigned idesc,
                                                 unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned meta,
                                          unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32_cta2(unsigned d, unsigned long long a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32_ta(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32_ta_cta2(unsigned d, unsigned a,
                                                  unsigned long long b,
                                                  unsigned meta, unsigned idesc,
                                                  unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4(unsigned d, unsigned long long a,
                                            unsigned long long b, unsigned meta,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4_cta2(unsigned d,
                                                 unsigned long long a,
                                                 unsigned long long b,
                                                 unsigned meta, unsigned idesc,
                                                 unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4_ta(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4_ta_cta2(unsigned d, unsigned a,
                                                    unsigned long long b,
                                                    unsigned meta,
                                                    unsigned idesc,
                                                    unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8(unsigned d, unsigned long long a,
                                        unsigned long long b, unsigned meta,
                                        unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8_cta2(unsigned d, unsigned long long a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8_ta(unsigned d, unsigned a,
                                           unsigned long long b, unsigned meta,
                                           unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8_ta_cta2(unsigned d, unsigned a,
                                                unsigned long long b,
                                                unsigned meta, unsigned idesc,
                                                unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4(unsigned d, unsigned long long a,
                                              unsigned long long b,
                                              unsigned meta, unsigned idesc,
                                              unsigned sa, unsigned sb,
                                              unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf8f6f4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4_cta2(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf8f6f4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4_ta(unsigned d, unsigned a,
                                                 unsigned long long b,
                                                 unsigned meta, unsigned idesc,
                                                 unsigned sa, unsigned sb,
                                                 unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf8f6f4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4_ta_cta2(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf8f6f4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned meta,
                                          unsigned idesc, unsigned sa,
                                          unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4_cta2(unsigned d, unsigned long long a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned sa, unsigned sb,
                                               unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4_ta(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned sa, unsigned sb,
                                             unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4_ta_cta2(unsigned d, unsigned a,
                                                  unsigned long long b,
                                                  unsigned meta, unsigned idesc,
                                                  unsigned sa, unsigned sb,
                                                  unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_cta2(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_ta(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_ta_cta2(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block16",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_cta2(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block16",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_ta(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block16",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_ta_cta2(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block16",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f16(unsigned d, unsigned long long a,
                                         unsigned long long b, unsigned idesc,
                                         unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f16_ta(unsigned d, unsigned a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_tf32(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_tf32_ta(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f8f6f4(unsigned d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f8f6f4_ta(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_i8(unsigned d, unsigned long long a,
                                        unsigned long long b, unsigned idesc,
                                        unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_i8_ta(unsigned d, unsigned a,
                                           unsigned long long b, unsigned idesc,
                                           unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f16(unsigned d, unsigned long long a,
                                            unsigned long long b, unsigned meta,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f16_ta(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_tf32(unsigned d, unsigned long long a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_tf32_ta(unsigned d, unsigned a,
                                                unsigned long long b,
                                                unsigned meta, unsigned idesc,
                                                unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f8f6f4(unsigned d, unsigned long long a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f8f6f4_ta(unsigned d, unsigned a,
                                                  unsigned long long b,
                                                  unsigned meta, unsigned idesc,
                                                  unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_i8(unsigned d, unsigned long long a,
                                           unsigned long long b, unsigned meta,
                                           unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_i8_ta(unsigned d, unsigned a,
                                              unsigned long long b,
                                              unsigned meta, unsigned idesc,
                                              unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::i8", "[%1]", LL_I32_);
}

#endif

/* ---- hooks: Hooks of ll.h: NVIDIA's instructions ---------------------- */

/* The instructions behind the loads, stores and conversions of ll.h on NVIDIA
 * GPUs. Under LL_WIDE an access has up to 32 bytes on sm_100 and later with
 * CUDA 12.9, elsewhere up to 16. */
#ifdef LL_PTX_DEVICE_

#undef LL_BY_VENDOR_
#undef LL_SHARED_ADDRESS_
#define LL_BY_VENDOR_(...) __VA_ARGS__
#define LL_SHARED_ADDRESS_(smem) ((unsigned)__cvta_generic_to_shared(smem))

/* Private: each picks the instruction for an access of BYTES_ bytes per lane,
 * by the bits at the end of its name or by its number of matrices. A matrix has
 * 4 bytes per lane. Width, form and hint are template arguments, so that even a
 * build without optimisation contains only the instruction that is asked
 * for. */
#define LL_PTX_OF_(bytes, ...)                                              \
    if constexpr (BYTES_ == bytes) {                                        \
        return __VA_ARGS__;                                                 \
    }
#define LL_PTX_BITS_(name, ...)                                             \
    LL_PTX_OF_(1, name##8(__VA_ARGS__))                                     \
    LL_PTX_OF_(2, name##16(__VA_ARGS__))                                    \
    LL_PTX_OF_(4, name##32(__VA_ARGS__))                                    \
    LL_PTX_OF_(8, name##64(__VA_ARGS__))                                    \
    LL_PTX_OF_(16, name##128(__VA_ARGS__))
#define LL_PTX_WIDE_BITS_(name, ...)                                        \
    LL_PTX_BITS_(name, __VA_ARGS__)                                         \
    LL_PTX_OF_(32, name##256(__VA_ARGS__))
#define LL_PTX_MATRICES_(name, end, ...)                                    \
    LL_PTX_OF_(4, name##1##end(__VA_ARGS__))                                \
    LL_PTX_OF_(8, name##2##end(__VA_ARGS__))                                \
    LL_PTX_OF_(16, name##4##end(__VA_ARGS__))

/* Private: the operations that loads, stores and conversions of ll.h are made
 * of. The host pass, which names no GPU, assumes that every instruction is
 * present. */
#ifdef __CUDA_ARCH__
#define LL_PTX_HERE_ __CUDA_ARCH__
#else
#define LL_PTX_HERE_ 9999
#endif
#if LL_EMULATE
struct ll_ptx_moves_ : emu_moves {
#else
struct ll_ptx_moves_ {
#endif
    enum : unsigned {
        lanes = 32,
        threads = 0,
        named = 1,
        widest = LL_PTX_WIDE ? 32 : 16,
        loads = LL_PTX_HERE_ < 1000 ? 7 : 15,
        stores = LL_PTX_HERE_ < 900 ? 1 : loads,
        copies = LL_PTX_HERE_ >= 800,
        reduces = LL_PTX_HERE_ >= 800,
        clusters = LL_PTX_HERE_ >= 900
    };
    LL_DEVICE unsigned thread() { return threadIdx.x; }
    LL_DEVICE unsigned permute(unsigned a, unsigned b, unsigned selector) {
        return ll_ptx_prmt(a, b, selector);
    }
    /* Returns the bits of a where the mask is set, and the bits of b elsewhere.
     * (For two masks in C the compiler emits two instructions.) */
    LL_DEVICE unsigned merge(unsigned a, unsigned b, unsigned mask) {
        unsigned y = 0;
        LL_PTX_PURE_("lop3.b32 %0, %1, %2, %3, 0xca;", (LL_O32_(y)),
                     (LL_I32_(mask), LL_I32_(a), LL_I32_(b)));
        return y;
    }
    /* Returns the low halves of a and b. Multiply-adds relieve the pipe of
     * permutes: y holds the high halves of a and b, so b - y is b's low half
     * minus a's high half. Shifted up by 16 bits and added to a, it replaces
     * a's high half by b's low half. */
    LL_DEVICE unsigned low_halves(unsigned a, unsigned b) {
        return ll_ptx_mad(ll_ptx_mad(ll_ptx_prmt(a, b, 0x7632), ~0u, b),
                          0x10000, a);
    }
    /* Selects and byte permutes share a pipe with half the rate of the
     * schedulers, so every other select goes through the pipe of multiply-adds.
     * A conversion by 8 shuffles and 16 selects takes a quarter less time. */
    template <bool OTHER_>
    LL_DEVICE unsigned choose(unsigned a, unsigned b, unsigned on) {
        if constexpr (OTHER_) {
            return ll_ptx_mad_if(a, b, ll_ptx_one_(), on);
        } else {
            return ll_ptx_selp(b, a, on);
        }
    }
    /* Returns x, but nvcc takes the result for an unknown number; ptxas sees
     * that it is x. (An empty asm would stop nvcc from unrolling loops.) */
    LL_DEVICE unsigned long long keep(unsigned long long x) {
#if LL_EMULATE
        return x;
#else
        return (unsigned long long)__cvta_generic_to_global((const void *)x);
#endif
    }
    template <unsigned XOR_> LL_DEVICE unsigned exchange(unsigned x) {
        return ll_ptx_shfl_bfly(x, XOR_);
    }
    LL_DEVICE unsigned shuffle(unsigned x, unsigned lane) {
        return ll_ptx_shfl_idx(x, lane);
    }
    template <unsigned IS_, bool SIGNED_>
    LL_DEVICE unsigned redux(unsigned x) {
        if constexpr (IS_ == LL_IS_ADD_) {
            return ll_ptx_redux_add_u32(x);
        } else if constexpr (IS_ == LL_IS_MIN_) {
            return SIGNED_ ? ll_ptx_redux_min_s32(x) : ll_ptx_redux_min_u32(x);
        } else if constexpr (IS_ == LL_IS_MAX_) {
            return SIGNED_ ? ll_ptx_redux_max_s32(x) : ll_ptx_redux_max_u32(x);
        } else if constexpr (IS_ == LL_IS_AND_) {
            return ll_ptx_redux_and_b32(x);
        } else if constexpr (IS_ == LL_IS_OR_) {
            return ll_ptx_redux_or_b32(x);
        } else {
            return ll_ptx_redux_xor_b32(x);
        }
    }
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE void put(unsigned address, const ll_words &v) {
        if constexpr (FORM_ == LL_FORM_VECTOR) {
            LL_PTX_BITS_(ll_ptx_st_shared_b, address, v)
        } else if constexpr (FORM_ == LL_FORM_MATRIX) {
            LL_PTX_MATRICES_(ll_ptx_stmatrix_m8n8_x, , address, v)
        } else if constexpr (FORM_ == LL_FORM_TRANS) {
            LL_PTX_MATRICES_(ll_ptx_stmatrix_m8n8_x, _trans, address, v)
        } else {
            LL_PTX_MATRICES_(ll_ptx_stmatrix_m16n8_x, _trans, address, v)
        }
    }
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE ll_words take(unsigned address) {
        if constexpr (FORM_ == LL_FORM_VECTOR) {
            LL_PTX_BITS_(ll_ptx_ld_shared_b, address)
        } else if constexpr (FORM_ == LL_FORM_MATRIX) {
            LL_PTX_MATRICES_(ll_ptx_ldmatrix_m8n8_x, , address)
        } else if constexpr (FORM_ == LL_FORM_TRANS) {
            LL_PTX_MATRICES_(ll_ptx_ldmatrix_m8n8_x, _trans, address)
        } else {
            LL_PTX_OF_(8, ll_ptx_ldmatrix_m16n16_x1_trans(address))
            LL_PTX_OF_(16, ll_ptx_ldmatrix_m16n16_x2_trans(address))
        }
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE ll_words load(unsigned long long address, unsigned on) {
        if constexpr ((HOW_ & LL_STREAM) != 0) {
            LL_PTX_WIDE_BITS_(ll_ptx_ld_global_no_allocate_b, address, on)
        } else {
            LL_PTX_WIDE_BITS_(ll_ptx_ld_global_b, address, on)
        }
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE void store(unsigned long long address, const ll_words &v,
                         unsigned on) {
        if constexpr ((HOW_ & LL_STREAM) != 0) {
            LL_PTX_WIDE_BITS_(ll_ptx_st_global_no_allocate_b, address, v, on)
        } else {
            LL_PTX_WIDE_BITS_(ll_ptx_st_global_b, address, v, on)
        }
    }
    /* Copies of 16 bytes bypass the L1 cache. */
    template <unsigned BYTES_>
    LL_DEVICE void copy(unsigned to, unsigned long long from) {
        LL_PTX_OF_(4, ll_ptx_cp_async_ca_b32(to, from))
        LL_PTX_OF_(8, ll_ptx_cp_async_ca_b64(to, from))
        LL_PTX_OF_(16, ll_ptx_cp_async_cg_b128(to, from))
    }
    template <unsigned BYTES_>
    LL_DEVICE void copy_some(unsigned to, unsigned long long from,
                             unsigned on) {
        const unsigned read = on ? BYTES_ : 0u;
        LL_PTX_OF_(4, ll_ptx_cp_async_ca_b32_fill(to, from, read))
        LL_PTX_OF_(8, ll_ptx_cp_async_ca_b64_fill(to, from, read))
        LL_PTX_OF_(16, ll_ptx_cp_async_cg_b128_fill(to, from, read))
    }
    LL_DEVICE void commit() { ll_ptx_cp_async_commit_group(); }
    template <unsigned N_> LL_DEVICE void wait_copies() {
        ll_ptx_cp_async_wait_group<N_>();
    }
    LL_DEVICE void wait_warp() { ll_ptx_bar_warp(); }
    LL_DEVICE void wait_block() { ll_ptx_bar(); }
    template <unsigned ID_, unsigned THREADS_> LL_DEVICE void wait_named() {
        ll_ptx_bar_named<ID_, THREADS_>();
    }
    template <unsigned THREADS_> LL_DEVICE void wait_named_at(unsigned id) {
        ll_ptx_bar_at<THREADS_>(id);
    }
    LL_DEVICE unsigned block() { return ll_ptx_cluster_ctarank(); }
    LL_DEVICE unsigned dsmem(unsigned address, unsigned block) {
        return ll_ptx_mapa(address, block);
    }
    template <unsigned BYTES_> LL_DEVICE ll_words take_dsmem(unsigned address) {
        LL_PTX_BITS_(ll_ptx_ld_shared_cluster_b, address)
    }
    LL_DEVICE void wait_cluster() {
        ll_ptx_barrier_cluster_arrive();
        ll_ptx_barrier_cluster_wait();
    }
#ifdef LL_CLUSTERS
    /* mbarriers that wait for bytes from other blocks. One thread arrives at
     * once; the bytes complete the phase. */
    LL_DEVICE void arm_bar(unsigned bar, unsigned bytes) {
        ll_ptx_mbarrier_arrive_expect_tx(bar, bytes);
    }
    LL_DEVICE void init_bar(unsigned bar, unsigned bytes) {
        ll_ptx_mbarrier_init(bar, 1);
        arm_bar(bar, bytes);
    }
    LL_DEVICE void fence_bars() { ll_ptx_fence_mbarrier_init(); }
    LL_DEVICE void wait_bar(unsigned bar, unsigned parity) {
        ll_ptx_mbarrier_wait(bar, parity);
    }
    template <unsigned BYTES_>
    LL_DEVICE void push(unsigned to, const ll_words &v, unsigned bar) {
        LL_PTX_OF_(4, ll_ptx_st_async_b32(to, v, bar))
        LL_PTX_OF_(8, ll_ptx_st_async_b64(to, v, bar))
        LL_PTX_OF_(16, ll_ptx_st_async_b128(to, v, bar))
    }
#endif
};

#undef LL_PTX_OF_
#undef LL_PTX_BITS_
#undef LL_PTX_WIDE_BITS_
#undef LL_PTX_MATRICES_

struct ll_vendor_ {
    template <unsigned> using moves = ll_ptx_moves_;
};

template <class SCOPE_> struct ll_vendor_in_ {
    template <unsigned> using moves = ll_scoped_hooks_<ll_ptx_moves_, SCOPE_>;
};

/* The scope outside any LL_IN. It is in a namespace, so that compilers do not
 * warn when LL_IN shadows it. */
namespace ll_default_ {
typedef ll_vendor_ ll_scope_;
}
using namespace ll_default_;

#endif

/* ---- multicast: Multicast boxes by block rank ------------------------- */

/* Multicast boxes by block rank.
 *
 * LL_MULTICAST_BOX(TILE, rows, cols, element_bits, blocks, rank, n) is
 * ll_ptx_multicast_box for a rank and a box number n that are known only at run
 * time. For each set bit of rank and n it XORs a constant into the result.
 *
 *     LL_LAYOUT(TILE, ll_ptx_smem_k(256, 64, 16, 128));
 *
 *     const ll_ptx_box b = LL_MULTICAST_BOX(TILE, 256, 64, 16, 2, rank, 0);
 */
#ifdef LL_PTX_DEVICE_

/* Private: the boxes of a tile, one for each bit of the rank and of the box
 * number. */
template <class A_, unsigned ROWS_, unsigned COLS_, unsigned BITS_,
          unsigned BLOCKS_>
struct ll_ptx_boxes_ {
    static constexpr ll_ptx_tensor map =
        ll_ptx_multicast_of(LL_GET(A_), ROWS_, COLS_, BITS_, BLOCKS_);
    static_assert(!map.err,
                  "ll: LL_MULTICAST_BOX: blocks must be 2, 4 or 8 and cut TILE "
                  "into slices of whole boxes: see ll_ptx_multicast_of");
    static constexpr unsigned blocks = map.err ? 1u : BLOCKS_;
    static constexpr unsigned ranks = ll_log2_(blocks);
    static constexpr unsigned numbers = map.err ? 0u : ll_log2_(map.copies);
    /* The box of one bit: the bits of the rank come first, then those of the
     * number. */
    template <unsigned BIT_>
    static constexpr ll_ptx_box box = ll_ptx_multicast_box(
        LL_GET(A_), map, ROWS_, COLS_, BITS_, BIT_ < ranks ? 1u << BIT_ : 0u,
        BIT_ < ranks ? 0u : 1u << (BIT_ - ranks));
};

template <class T_, unsigned... BIT_>
LL_DEVICE ll_ptx_box ll_ptx_box_of_(unsigned rank, unsigned n,
                                    ll_seq_<BIT_...>) {
    const unsigned bits = rank | n << T_::ranks;
    ll_ptx_box b = {};
    ((b.i ^= bits >> BIT_ & 1u ? T_::template box<BIT_>.i : 0u), ...);
    ((b.j ^= bits >> BIT_ & 1u ? T_::template box<BIT_>.j : 0u), ...);
    ((b.at ^= bits >> BIT_ & 1u ? T_::template box<BIT_>.at : 0u), ...);
    b.at = rank < T_::blocks && n >> T_::numbers == 0 ? b.at : ~0u;
    return b;
}

template <class T_>
LL_DEVICE ll_ptx_box ll_ptx_box_of_(unsigned rank, unsigned n) {
    return ll_ptx_box_of_<T_>(
        rank, n, typename ll_seq_upto_<T_::ranks + T_::numbers>::type());
}
#define LL_MULTICAST_BOX(TILE, rows, cols, element_bits, blocks, rank, n)   \
    ll_ptx_box_of_<ll_ptx_boxes_<LL_TYPE_(TILE), rows, cols, element_bits,  \
                                 blocks>>(rank, n)
#endif

/* ---- multiply: Matrix multiply by layout ------------------------------ */

/* Matrix multiply by layout.
 *
 * LL_MMA(c, C, a, A, b, B, element_bits, instruction), with LL_MATRIX, computes
 * c = a b + c for tensors in registers.
 *
 *     c, a, b       arrays of registers: words for a, b and accumulators of
 *                   f16
 *     C, A, B       their layouts, made of fragments of the instruction:
 *                   ll_ptx_mma_c, _a and _b, or tiles of ll_ptx_fragment_c,
 *                   _a and _b
 *     element_bits  bits of an element of A and of B; 8 if the name of the
 *                   instruction has f8f6f4, where 6 and 4 bits take a byte
 *     instruction   the function ll_ptx_mma_.. of one mma.sync
 *
 * The instructions for one slice of k are independent of each other.
 *
 *     LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
 *     LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
 *     LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));
 *
 *     unsigned a[LL_WORDS(A, 16)], b[LL_WORDS(B, 16)];
 *     float c[LL_REGS(C)];
 *     LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
 *
 * For a sparse A, pass its metadata as well; for an instruction with scales,
 * the scales of A and of B. They are arrays of words, each followed by its
 * layout: tiles of ll_ptx_sparse_e, with all of k as columns, or tiles of
 * ll_ptx_scale_a and _b:
 *
 *     LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_sp_m16n8k32_f32_f16, e, E);
 *     LL_MMA(c, C, a, A, b, B, 4, ll_ptx_mma_m16n8k64_f32_e2m1_mxf4,
 *            sa, SA, sb, SB);
 *
 * An instruction with both takes e, E, sa, SA, sb, SB. Lanes that hold copies
 * in these fragments may hold the metadata or scales for other instructions:
 * LL_MMA finds the selector of each instruction, or its first byte and lanes,
 * from the layouts.
 */
#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* Private: the three layouts of a matrix multiply by an mma.sync of m x 8 and
 * k. A has `stored` columns of each k, half of them if it is sparse. */
typedef struct ll_ptx_operands_ {
    ll_layout c, a, b;
    unsigned element_bits, m, k, stored;
} ll_ptx_operands_;

/* Private: e: the metadata of a sparse A. sa, sb: the scales of A and B. which:
 * what is given: 1 the metadata, 2 the scales, 3 both. scales: the number of
 * scales along k that one instruction takes. */
typedef struct ll_ptx_extra_ {
    ll_layout e, sa, sb;
    unsigned which, scales;
} ll_ptx_extra_;

/* Private: returns the number after `letter` in the name of an instruction: 16
 * for m in "ll_ptx_mma_m16n8k8_f32_tf32". */
LL_FN unsigned ll_ptx_shape_(const char *name, char letter) {
    unsigned n = 0;
    while (*name && !(name[0] == letter && name[1] >= '0' && name[1] <= '9')) {
        ++name;
    }
    while (*name && name[1] >= '0' && name[1] <= '9') {
        n = 10u * n + (unsigned)(*++name - '0');
    }
    return n;
}

/* Private: returns the part of an instruction's name after the shape: the type
 * of the accumulator, then the type of A. */
LL_FN const char *ll_ptx_types_(const char *name) {
    while (*name && !(name[0] == 'k' && name[1] >= '0' && name[1] <= '9')) {
        ++name;
    }
    while (*name && *name != '_') {
        ++name;
    }
    return *name ? name + 1 : name;
}

/* Private: returns the bits of an element of A and of B, from the name of an
 * instruction: 8 for f8f6f4, whose smaller numbers take a byte. */
LL_FN unsigned ll_ptx_operand_bits_(const char *name) {
    const char *type = ll_ptx_types_(name);
    unsigned n = 0;
    for (const char *x = type; *x; ++x) {
        if (x[0] == 'f' && x[1] == '8' && x[2] == 'f') {
            return 8;
        }
    }
    while (*type && *type != '_') { /* the accumulator's type */
        ++type;
    }
    type += *type ? 1 : 0;
    if (*type == 'e') { /* e4m3: 4, 3 and the sign */
        return (unsigned)(type[1] - '0') + (unsigned)(type[3] - '0') + 1u;
    }
    while (*type > '9') {
        ++type;
    }
    for (; *type >= '0' && *type <= '9'; ++type) {
        n = 10u * n + (unsigned)(*type - '0');
    }
    return n;
}

/* Private: the type that holds the accumulators, from the name of an
 * instruction: 's' for s32, else the first digit of f16, f32 or f64. */
LL_FN char ll_ptx_sums_(const char *name) {
    const char *type = ll_ptx_types_(name);
    return *type == 's' || !*type ? *type : type[1];
}
template <char SUMS_> struct ll_ptx_sum_ { typedef float type; };
template <> struct ll_ptx_sum_<'1'> { typedef unsigned type; };
template <> struct ll_ptx_sum_<'6'> { typedef double type; };
template <> struct ll_ptx_sum_<'s'> { typedef int type; };

/* Private: returns coordinate d of column `bit` of input `in`. */
LL_FN unsigned ll_ptx_part_(const ll_layout &a, ll_dim in, unsigned bit,
                            ll_dim d) {
    return ll_unpack(a.out, d, ll_ptx_column_(&a, in, bit));
}

/* Private: returns the register of a that holds i, j in lane 0 of warp 0; all
 * ones if there is none. */
LL_FN unsigned ll_ptx_register_(const ll_layout &a, unsigned i, unsigned j) {
    unsigned want = ll_pack(a.out, LL_I, i) ^ ll_pack(a.out, LL_J, j), at = 0;
    for (unsigned r = 0; r < 10u; ++r) {
        const unsigned column = ll_ptx_column_(&a, LL_REGISTER, r);
        if (column && (column & want) == column) {
            want ^= column;
            at |= 1u << r;
        }
    }
    return want ? ~0u : at;
}

/* Private: returns the coordinate d of register r in lane 0 of warp 0. */
LL_FN unsigned ll_ptx_reaches_(const ll_layout &a, unsigned r, ll_dim d) {
    unsigned at = 0;
    for (unsigned bit = 0; bit < 10u; ++bit) {
        at ^= (r >> bit & 1u) * ll_ptx_part_(a, LL_REGISTER, bit, d);
    }
    return at;
}

/* Private: returns 1 if the first registers and the lanes of a are the fragment
 * f. With `free`, lane bits that only make copies in f may hold other elements
 * in a: each instruction says which lanes it takes. */
LL_FN bool ll_ptx_begins_(const ll_layout &a, const ll_layout &f, bool free) {
    bool same = !a.err && !f.err;
    for (unsigned d = 0; d < 2u; ++d) {
        const ll_dim in = d ? LL_REGISTER : LL_LANE;
        for (unsigned bit = 0; bit < ll_log2_(ll_size(f.in, in)); ++bit) {
            const bool any = free && !d && !ll_ptx_column_(&f, in, bit);
            same = same &&
                   (any || (ll_ptx_part_(a, in, bit, LL_I) ==
                                ll_ptx_part_(f, in, bit, LL_I) &&
                            ll_ptx_part_(a, in, bit, LL_J) ==
                                ll_ptx_part_(f, in, bit, LL_J)));
        }
    }
    return same && ll_size(a.in, LL_LANE) == 32u;
}

/* Private: returns 1 if each warp has the part of x that its accumulators need.
 * x is A (along I) or B (along J): the part has the rows or columns of C, and
 * all of k. */
LL_FN bool ll_ptx_warps_match_(const ll_ptx_operands_ &p, const ll_layout &x,
                               ll_dim along, ll_dim k) {
    bool same = ll_size(x.out, along) == ll_size(p.c.out, along);
    for (unsigned bit = 0; bit < 5u; ++bit) {
        same = same && !ll_ptx_part_(x, LL_WARP, bit, k) &&
               ll_ptx_part_(x, LL_WARP, bit, along) ==
                   ll_ptx_part_(p.c, LL_WARP, bit, along);
    }
    return same;
}

/* Private: returns the number of the sentence in ll_ptx_say_ that says why
 * these layouts do not fit together; 0 if they do. */
LL_FN unsigned ll_ptx_wrong_(const ll_ptx_operands_ &p) {
    const ll_layout c = ll_ptx_fragment_c(p.m, 8);
    const ll_layout a = ll_ptx_fragment_a(p.m, p.stored, p.element_bits);
    const ll_layout b = ll_ptx_fragment_b(p.k, 8, p.element_bits);
    const bool is_a = ll_ptx_begins_(p.a, a, false);
    const bool is_b = ll_ptx_begins_(p.b, b, false);
    return !is_a && !is_b && ll_ptx_begins_(p.a, b, false) &&
                   ll_ptx_begins_(p.b, a, false)
               ? 4u
           : !ll_ptx_begins_(p.c, c, false)                 ? 5u
           : !is_a                                          ? 6u
           : !is_b                                          ? 7u
           : ll_size(p.a.out, LL_J) * (p.k / p.stored) !=
                   ll_size(p.b.out, LL_I)                   ? 8u
           : !ll_ptx_warps_match_(p, p.a, LL_I, LL_J)       ? 9u
           : !ll_ptx_warps_match_(p, p.b, LL_J, LL_I)       ? 10u
                                                            : 0u;
}

/* Private: returns the fragment of the metadata (0), of the scales of A (1) or
 * of the scales of B (2). */
LL_FN ll_layout ll_ptx_extra_of_(const ll_ptx_operands_ &p,
                                 const ll_ptx_extra_ &x, unsigned which) {
    return which == 0   ? ll_ptx_sparse_e(p.k, p.element_bits)
           : which == 1 ? ll_ptx_scale_a(x.scales)
                        : ll_ptx_scale_b(x.scales);
}

/* Private: returns 1 if the layout a of metadata or scales is made of fragments
 * f, covers all of k (`length` along `along`), and gives each warp the part for
 * its rows of A (`of` is I) or columns of B (`of` is J). */
LL_FN bool ll_ptx_has_extra_(const ll_ptx_operands_ &p, const ll_layout &a,
                             const ll_layout &f, ll_dim of, ll_dim along,
                             unsigned length) {
    bool same = ll_ptx_begins_(a, f, true) && ll_size(a.out, along) == length;
    for (unsigned bit = 0; bit < 5u; ++bit) {
        same = same && !ll_ptx_part_(a, LL_WARP, bit, along) &&
               ll_ptx_part_(a, LL_WARP, bit, of) ==
                   ll_ptx_part_(p.c, LL_WARP, bit, of);
    }
    return same;
}

/* Private: the same as ll_ptx_wrong_ for the metadata and the scales. */
LL_FN unsigned ll_ptx_wrong_extra_(const ll_ptx_operands_ &p,
                                   const ll_ptx_extra_ &x) {
    const unsigned k = ll_size(p.b.out, LL_I), blocks = k / p.k * x.scales;
    return (x.which & 1u) &&
                   !ll_ptx_has_extra_(p, x.e, ll_ptx_extra_of_(p, x, 0), LL_I,
                                      LL_J, k)
               ? 11u
           : (x.which & 2u) &&
                   !ll_ptx_has_extra_(p, x.sa, ll_ptx_extra_of_(p, x, 1), LL_I,
                                      LL_J, blocks)
               ? 12u
           : (x.which & 2u) &&
                   !ll_ptx_has_extra_(p, x.sb, ll_ptx_extra_of_(p, x, 2), LL_J,
                                      LL_I, blocks)
               ? 13u
               : 0u;
}

/* Private: returns the number of instructions. ll_ptx_first_of_ returns the
 * first register of c (0), a (1) or b (2) of instruction n, counted in
 * elements. */
LL_FN unsigned ll_ptx_count_(const ll_ptx_operands_ &p) {
    return ll_size(p.c.in, LL_REGISTER) / (p.m / 4u) *
           ll_size(p.a.out, LL_J) / p.stored;
}

LL_FN unsigned ll_ptx_first_of_(const ll_ptx_operands_ &p, unsigned which,
                                unsigned n) {
    const unsigned each = p.m / 4u; /* elements of c per lane */
    const unsigned tiles = ll_size(p.c.in, LL_REGISTER) / each;
    const unsigned c = each * (n % tiles), slice = n / tiles;
    return which == 0   ? c
           : which == 1 ? ll_ptx_register_(p.a,
                                           ll_ptx_reaches_(p.c, c, LL_I),
                                           slice * p.stored)
                        : ll_ptx_register_(p.b, slice * p.k,
                                           ll_ptx_reaches_(p.c, c, LL_J));
}

/* Private: returns the register of a that holds i, j, plus 65536 * the bits of
 * the lane, for lane bits that f leaves free; all ones if there is none. */
LL_FN unsigned ll_ptx_source_(const ll_layout &a, const ll_layout &f,
                              unsigned i, unsigned j) {
    unsigned want = ll_pack(a.out, LL_I, i) ^ ll_pack(a.out, LL_J, j), at = 0;
    for (unsigned n = 0; n < 15u; ++n) {
        const unsigned bit = n < 10u ? n : n - 10u;
        const ll_dim in = n < 10u ? LL_REGISTER : LL_LANE;
        const unsigned column = ll_ptx_column_(&a, in, bit);
        const bool free = n < 10u || !ll_ptx_column_(&f, LL_LANE, bit);
        if (free && column && (column & want) == column) {
            want ^= column;
            at |= n < 10u ? 1u << bit : 65536u << bit;
        }
    }
    return want ? ~0u : at;
}

/* Private: returns where the metadata (0) or the scales (1, 2) of instruction n
 * are, as ll_ptx_source_ does. */
LL_FN unsigned ll_ptx_extra_at_(const ll_ptx_operands_ &p,
                                const ll_ptx_extra_ &x, unsigned which,
                                unsigned n) {
    const unsigned each = p.m / 4u;
    const unsigned tiles = ll_size(p.c.in, LL_REGISTER) / each;
    const unsigned c = each * (n % tiles), slice = n / tiles;
    const unsigned i = ll_ptx_reaches_(p.c, c, LL_I);
    const ll_layout f = ll_ptx_extra_of_(p, x, which);
    return which == 0 ? ll_ptx_source_(x.e, f, i, slice * p.k)
           : which == 1
               ? ll_ptx_source_(x.sa, f, i, slice * x.scales)
               : ll_ptx_source_(x.sb, f, slice * x.scales,
                                ll_ptx_reaches_(p.c, c, LL_J));
}

/* Private: returns which of the lanes that f leaves free `at` has. */
LL_FN unsigned ll_ptx_choice_(const ll_layout &f, unsigned at) {
    unsigned free = 0;
    while (free < 5u && ll_ptx_column_(&f, LL_LANE, free)) {
        ++free;
    }
    return at >> 16 >> free;
}

/* Private: returns 1 if the target of this compilation has the instruction of
 * the function `name`, as ll_ptx_has says. */
LL_FN bool ll_ptx_here_has_(const char *name) {
    char text[64] = {}, target[8] = {'s', 'm', '_'};
    unsigned n = 0, sm = LL_PTX_SM_, at = 3;
    for (name += 7; *name && n < 50u; ++name) { /* after "ll_ptx_" */
        const bool is_kind = name[-1] == '_' &&
                             ((name[0] == 'f' && name[1] == '8') ||
                              (name[0] == 'm' && name[1] == 'x'));
        for (const char *kind = "kind::"; is_kind && *kind; ++kind) {
            text[n++] = *kind;
        }
        text[n++] = *name == '_' ? '.' : *name;
    }
    for (unsigned by = sm >= 100u ? 100u : 10u; by; by /= 10u) {
        target[at++] = (char)('0' + sm / by % 10u);
    }
    target[at] = LL_PTX_FAMILY_ && sm >= 90u ? 'a' : (char)0;
#if defined(__CUDA_ARCH__)
    return ll_ptx_has(target, text);
#else
    return target[0] && text[0]; /* the host pass names no GPU */
#endif
}

/* Private: returns the number of scales along k that an instruction takes, from
 * its name. */
LL_FN unsigned ll_ptx_scales_(const char *name) {
    unsigned n = 0, is = 2;
    while (name[n]) {
        ++n;
    }
    for (unsigned k = 0; k + 3u < n; ++k) {
        is = name[k] == 'm' && name[k + 1u] == 'x' && name[k + 3u] == '8' ? 1u
                                                                         : is;
    }
    return n > 1u && name[n - 1u] == 'x' && name[n - 2u] == '4' ? 4u : is;
}

/* Private: the layout of an operand that an instruction does not take. */
struct ll_ptx_absent_ {
    LL_HOST_DEVICE_ static constexpr ll_layout get() { return ll_layout(); }
};

/* Private: packs the facts in the name of an instruction into one number: m, k,
 * the bits of an operand, the scales along k, the type of the accumulators, and
 * whether the target has the instruction. */
LL_FN unsigned long long ll_ptx_facts_(const char *name) {
    return ll_ptx_shape_(name, 'm') | (ll_ptx_shape_(name, 'k') << 8) |
           (ll_ptx_operand_bits_(name) << 20) | (ll_ptx_scales_(name) << 28) |
           (unsigned long long)(unsigned char)ll_ptx_sums_(name) << 32 |
           (unsigned long long)ll_ptx_here_has_(name) << 40;
}

/* Private: a matrix multiply by the names of its layouts. A stores k / HALF_
 * columns of each k. WHICH_ says which of E_ (the metadata) and SA_, SB_ (the
 * scales) are given, as in ll_ptx_extra_. */
template <class C_, class A_, class B_, unsigned BITS_,
          unsigned long long FACTS_, unsigned HALF_,
          class E_ = ll_ptx_absent_, class SA_ = ll_ptx_absent_,
          class SB_ = ll_ptx_absent_, unsigned WHICH_ = 0>
struct ll_ptx_of_ {
    enum : unsigned {
        m = FACTS_ & 255u,
        k = FACTS_ >> 8 & 4095u,
        scales = FACTS_ >> 28 & 15u
    };
    typedef typename ll_ptx_sum_<(char)(FACTS_ >> 32 & 127u)>::type sum;
    static constexpr ll_ptx_operands_ value = {
        LL_GET(C_), LL_GET(A_), LL_GET(B_), BITS_, m, k, k / HALF_};
    static constexpr ll_ptx_extra_ extra = {LL_GET(E_), LL_GET(SA_),
                                            LL_GET(SB_), WHICH_, scales};
    static constexpr unsigned layouts = ll_ptx_wrong_(value);
    static constexpr unsigned extras =
        layouts ? 0u : ll_ptx_wrong_extra_(value, extra);
    static constexpr unsigned wrong = m == 0                           ? 1u
                                      : (FACTS_ >> 20 & 255u) != BITS_ ? 3u
                                      : layouts                        ? layouts
                                      : extras                         ? extras
                                      : !(FACTS_ >> 40)                ? 2u
                                                                       : 0u;
    template <unsigned WHAT_, unsigned N_>
    static constexpr unsigned first = ll_ptx_first_of_(value, WHAT_, N_);
};

template <class P_, unsigned PACKED_, class T_, class W_, class F_,
          unsigned... N_>
LL_DEVICE void ll_ptx_multiply_(T_ *c, const W_ *a, const W_ *b, F_ multiply,
                                ll_seq_<N_...>) {
    constexpr unsigned bits = P_::value.element_bits, word = 8u * sizeof(W_);
    (multiply(c + P_::template first<0, N_> / PACKED_,
              a + P_::template first<1, N_> * bits / word,
              b + P_::template first<2, N_> * bits / word),
     ...);
}

/* Private: the errors of the layouts. LL_MMA_BITS_ has number 3. */
template <class P_> LL_HOST_DEVICE_ constexpr void ll_ptx_say_() {
    constexpr unsigned wrong = P_::wrong;
    static_assert(wrong != 1, "ll: LL_MMA: instruction must be a function of "
                               "ll_ptx.h for one mma.sync, such as "
                               "ll_ptx_mma_m16n8k16_f32_bf16");
    static_assert(wrong != 2, "ll: LL_MMA: the target of this compilation "
                               "lacks the instruction: see ll_ptx_has");
    static_assert(wrong != 4, "ll: LL_MMA: A and B are swapped: A must have "
                               "tiles of operand a of the instruction, and B "
                               "of operand b");
    static_assert(wrong != 5, "ll: LL_MMA: C must have tiles of the "
                               "instruction's accumulator: ll_ptx_mma_c, or "
                               "tiles of ll_ptx_fragment_c(m, 8) with the m "
                               "in its name");
    static_assert(wrong != 6, "ll: LL_MMA: A must have tiles of operand a of "
                               "the instruction: ll_ptx_mma_a, or tiles of "
                               "ll_ptx_fragment_a(m, k, element_bits) with "
                               "the m and k in its name; a sparse A has k / 2, "
                               "and its metadata follow B");
    static_assert(wrong != 7, "ll: LL_MMA: B must have tiles of operand b of "
                               "the instruction: ll_ptx_mma_b, or tiles of "
                               "ll_ptx_fragment_b(k, 8, element_bits) with "
                               "the k in its name");
    static_assert(wrong != 8, "ll: LL_MMA: A and B differ in k: the columns of "
                               "A (doubled if A is sparse) must equal the "
                               "rows of B");
    static_assert(wrong != 9, "ll: LL_MMA: each warp must have, in A, the "
                               "rows of its accumulators in C, and all of k");
    static_assert(wrong != 10, "ll: LL_MMA: each warp must have, in B, the "
                                "columns of its accumulators in C, and all of "
                                "k");
    static_assert(wrong != 11, "ll: LL_MMA: E must have the metadata of all "
                                "rows of A and all of k: tiles of "
                                "ll_ptx_sparse_e");
    static_assert(wrong != 12, "ll: LL_MMA: SA must have the scales of all "
                                "rows of A and all of k: tiles of "
                                "ll_ptx_scale_a");
    static_assert(wrong != 13, "ll: LL_MMA: SB must have the scales of all "
                                "columns of B and all of k: tiles of "
                                "ll_ptx_scale_b");
}

/* Private: returns 1 if the arrays fit their layouts; else says which array
 * does not. */
template <class P_, class T_, unsigned NC_, class A_, unsigned NA_, class B_,
          unsigned NB_>
LL_HOST_DEVICE_ constexpr bool ll_ptx_arrays_fit_() {
    constexpr ll_ptx_operands_ of = P_::value;
    constexpr bool is = P_::wrong == 0;
    typedef typename ll_ptx_sum_<of.element_bits == 64 ? '6' : '1'>::type word;
    constexpr unsigned bits = 8u * sizeof(word);
    constexpr bool pairs = ll_is_same_<typename P_::sum, unsigned>::value;
    constexpr bool sums = ll_is_same_<T_, typename P_::sum>::value;
    constexpr bool words =
        ll_is_same_<A_, word>::value && ll_is_same_<B_, word>::value;
    constexpr bool c =
        NC_ * (pairs ? 2u : 1u) == ll_size(of.c.in, LL_REGISTER);
    constexpr bool a =
        NA_ * bits == of.element_bits * ll_size(of.a.in, LL_REGISTER);
    constexpr bool b =
        NB_ * bits == of.element_bits * ll_size(of.b.in, LL_REGISTER);
    static_assert(!is || sums,
                  "ll: LL_MMA: array c must have the type of the instruction's "
                  "accumulator: float for f32, int for s32, double for f64, "
                  "unsigned for two of f16");
    static_assert(!is || words, "ll: LL_MMA: arrays a and b must be of "
                                "unsigned, but of double for f64");
    static_assert(!is || !sums || c,
                  "ll: LL_MMA: array c must have the registers of C: "
                  "LL_REGS(C), but for accumulators of f16 LL_WORDS(C, 16)");
    static_assert(!is || !words || a,
                  "ll: LL_MMA: array a must have the words of A: "
                  "LL_WORDS(A, element_bits)");
    static_assert(!is || !words || b,
                  "ll: LL_MMA: array b must have the words of B: "
                  "LL_WORDS(B, element_bits)");
    return is && sums && words && a && b && c;
}

template <class P_, class T_, unsigned NC_, class A_, unsigned NA_, class B_,
          unsigned NB_, class F_>
LL_DEVICE void ll_ptx_product_by_(T_ (&c)[NC_], const A_ (&a)[NA_],
                                  const B_ (&b)[NB_], F_ multiply) {
    ll_ptx_say_<P_>();
    if constexpr (ll_ptx_arrays_fit_<P_, T_, NC_, A_, NA_, B_, NB_>()) {
        ll_ptx_multiply_<P_, ll_size(P_::value.c.in, LL_REGISTER) / NC_>(
            c, a, b, multiply,
            typename ll_seq_upto_<ll_ptx_count_(P_::value)>::type());
    }
}

/* Private: for arguments that are not arrays. */
template <class P_, class C_, class A_, class B_, class F_>
LL_DEVICE void ll_ptx_product_by_(const C_ &, const A_ &, const B_ &, F_) {
    static_assert(!sizeof(C_), "ll: LL_MMA(c, C, a, A, b, B, element_bits, "
                               "instruction): c, a and b must be arrays of "
                               "registers, not pointers");
}

/* Private: the immediate operands of instruction N_, and the words that hold
 * its metadata and scales. */
template <class P_, unsigned N_> struct ll_ptx_ids_ {
    template <unsigned WHICH_>
    static constexpr unsigned at =
        ll_ptx_extra_at_(P_::value, P_::extra, WHICH_, N_);
    template <unsigned WHICH_>
    static constexpr unsigned choice = ll_ptx_choice_(
        ll_ptx_extra_of_(P_::value, P_::extra, WHICH_), at<WHICH_>);
    static constexpr bool sparse = P_::extra.which & 1u;
    static constexpr bool scaled = P_::extra.which & 2u;
    static constexpr unsigned each =
        sparse ? ll_size(ll_ptx_extra_of_(P_::value, P_::extra, 0).in,
                         LL_REGISTER)
               : 1u;
    enum : unsigned {
        select = sparse ? choice<0> : 0,
        byte_a = scaled ? at<1> % 4u : 0,
        lane_a = scaled ? choice<1> : 0,
        byte_b = scaled ? at<2> % 4u : 0,
        lane_b = scaled ? choice<2> : 0,
        word_e = sparse ? (at<0> & 65535u) / each : 0,
        word_a = scaled ? (at<1> & 65535u) / 4u : 0,
        word_b = scaled ? (at<2> & 65535u) / 4u : 0
    };
};

template <class P_, unsigned PACKED_, class T_, class W_, class F_,
          unsigned... N_>
LL_DEVICE void ll_ptx_multiply_more_(T_ *c, const W_ *a, const W_ *b,
                                     const unsigned *e, const unsigned *sa,
                                     const unsigned *sb, F_ multiply,
                                     ll_seq_<N_...>) {
    constexpr unsigned bits = P_::value.element_bits, word = 8u * sizeof(W_);
    (multiply(ll_ptx_ids_<P_, N_>(),
              c + P_::template first<0, N_> / PACKED_,
              a + P_::template first<1, N_> * bits / word,
              b + P_::template first<2, N_> * bits / word,
              e[ll_ptx_ids_<P_, N_>::word_e],
              sa[ll_ptx_ids_<P_, N_>::word_a],
              sb[ll_ptx_ids_<P_, N_>::word_b]),
     ...);
}

/* Private: returns 1 if arrays of these numbers of words hold the metadata and
 * the scales; else says which array does not. */
template <class P_, unsigned NE_, unsigned NSA_, unsigned NSB_>
LL_HOST_DEVICE_ constexpr bool ll_ptx_extras_fit_() {
    constexpr ll_ptx_extra_ x = P_::extra;
    constexpr bool is = P_::wrong == 0;
    constexpr unsigned each =
        ll_size(ll_ptx_extra_of_(P_::value, x, 0).in, LL_REGISTER);
    constexpr bool e =
        !(x.which & 1u) || NE_ * each == ll_size(x.e.in, LL_REGISTER);
    constexpr bool scales =
        !(x.which & 2u) ||
        (NSA_ == (ll_size(x.sa.in, LL_REGISTER) + 3u) / 4u &&
         NSB_ == (ll_size(x.sb.in, LL_REGISTER) + 3u) / 4u);
    static_assert(!is || e,
                  "ll: LL_MMA: array e must have the words of E: one word for "
                  "the registers of each ll_ptx_sparse_e");
    static_assert(!is || scales,
                  "ll: LL_MMA: arrays sa and sb must have the words of SA and "
                  "SB: one word for four registers");
    return is && e && scales;
}

template <class P_, class T_, unsigned NC_, class A_, unsigned NA_, class B_,
          unsigned NB_, unsigned NE_, unsigned NSA_, unsigned NSB_, class F_>
LL_DEVICE void ll_ptx_product_more_(T_ (&c)[NC_], const A_ (&a)[NA_],
                                    const B_ (&b)[NB_],
                                    const unsigned (&e)[NE_],
                                    const unsigned (&sa)[NSA_],
                                    const unsigned (&sb)[NSB_], F_ multiply) {
    constexpr bool fit = ll_ptx_arrays_fit_<P_, T_, NC_, A_, NA_, B_, NB_>();
    ll_ptx_say_<P_>();
    if constexpr (ll_ptx_extras_fit_<P_, NE_, NSA_, NSB_>() && fit) {
        ll_ptx_multiply_more_<P_, ll_size(P_::value.c.in, LL_REGISTER) / NC_>(
            c, a, b, e, sa, sb, multiply,
            typename ll_seq_upto_<ll_ptx_count_(P_::value)>::type());
    }
}

template <class P_, class C_, class A_, class B_, class E_, class SA_,
          class SB_, class F_>
LL_DEVICE void ll_ptx_product_more_(const C_ &, const A_ &, const B_ &,
                                    const E_ &, const SA_ &, const SB_ &, F_) {
    static_assert(!sizeof(C_), "ll: LL_MMA(c, C, a, A, b, B, element_bits, "
                               "instruction, ..): c, a, b, e, sa and sb must "
                               "be arrays of registers; e, sa and sb of "
                               "unsigned");
}

#define LL_MMA_OF_(C, A, B, bits, name, ...)                                \
    ll_ptx_of_<LL_TYPE_(C), LL_TYPE_(A), LL_TYPE_(B), bits,                 \
               ll_ptx_facts_(name), __VA_ARGS__>

/* The check is in a lambda of its own: if the arrays do not fit, the compiler
 * does not reach the functions that multiply. */
#define LL_MMA_BITS_(bits, name)                                            \
    [] {                                                                    \
        static_assert(ll_ptx_operand_bits_(name) == (bits) ||               \
                          !ll_ptx_shape_(name, 'm'),                        \
                      "ll: LL_MMA: element_bits is " #bits ", but the "     \
                      "operands of " name " have another size");            \
    }()
#define LL_MMA_DENSE_(c, C, a, A, b, B, element_bits, instruction)          \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_by_<LL_MMA_OF_(C, A, B, element_bits, #instruction, 1)>(\
        c, a, b, [](auto *c_, auto *a_, auto *b_) {                         \
            instruction(c_, a_, b_);                                        \
        }))
#define LL_MMA_SPARSE_(c, C, a, A, b, B, element_bits, instruction, e, E)   \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_more_<                                                  \
        LL_MMA_OF_(C, A, B, element_bits, #instruction, 2, LL_TYPE_(E),     \
                   ll_ptx_absent_, ll_ptx_absent_, 1)>(                     \
        c, a, b, e, e, e,                                                   \
        [](auto ids_, auto *c_, auto *a_, auto *b_, unsigned e_, unsigned,  \
           unsigned) {                                                      \
            instruction<decltype(ids_)::select>(c_, a_, b_, e_);            \
        }))
#define LL_MMA_SCALED_(c, C, a, A, b, B, element_bits, instruction, sa, SA, \
                       sb, SB)                                              \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_more_<                                                  \
        LL_MMA_OF_(C, A, B, element_bits, #instruction, 1, ll_ptx_absent_,  \
                   LL_TYPE_(SA), LL_TYPE_(SB), 2)>(                         \
        c, a, b, sa, sa, sb,                                                \
        [](auto ids_, auto *c_, auto *a_, auto *b_, unsigned, unsigned sa_, \
           unsigned sb_) {                                                  \
            typedef decltype(ids_) is_;                                     \
            instruction<is_::byte_a, is_::lane_a, is_::byte_b,              \
                        is_::lane_b>(c_, a_, b_, sa_, sb_);                 \
        }))
#define LL_MMA_BOTH_(c, C, a, A, b, B, element_bits, instruction, e, E, sa, \
                     SA, sb, SB)                                            \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_more_<                                                  \
        LL_MMA_OF_(C, A, B, element_bits, #instruction, 2, LL_TYPE_(E),     \
                   LL_TYPE_(SA), LL_TYPE_(SB), 3)>(                         \
        c, a, b, e, sa, sb,                                                 \
        [](auto ids_, auto *c_, auto *a_, auto *b_, unsigned e_,            \
           unsigned sa_, unsigned sb_) {                                    \
            typedef decltype(ids_) is_;                                     \
            instruction<is_::byte_a, is_::lane_a, is_::byte_b,              \
                        is_::lane_b>(c_, a_, b_, e_, sa_, sb_);             \
        }))
#define LL_MMA_NO_BITS_(...)                                                \
    static_assert(false, "ll: LL_MMA: element_bits is missing before the "  \
                         "instruction: LL_MMA(c, C, a, A, b, B, "           \
                         "element_bits, instruction)")
#define LL_MMA_TWO_() , /* two arguments if there is none */
#define LL_MMA_PICKED_(a, b, c, d, e, f, g, pick, ...) pick
#define LL_MMA_PICK_(...) LL_MMA_PICKED_(__VA_ARGS__)
#define LL_MMA(c, C, a, A, b, B, element_bits, ...)                         \
    LL_MMA_PICK_(LL_MMA_TWO_ __VA_ARGS__(), LL_MMA_BOTH_, LL_MMA_NO_BITS_,  \
                 LL_MMA_SCALED_, LL_MMA_NO_BITS_, LL_MMA_SPARSE_,           \
                 LL_MMA_NO_BITS_, LL_MMA_DENSE_, 0)                         \
    (c, C, a, A, b, B, element_bits, __VA_ARGS__)

#elif defined(LL_PTX_DEVICE_)
#define LL_MMA(...)                                                         \
    static_assert(false, "ll: LL_MMA: define LL_MATRIX before ll_ptx.h is " \
                         "included")
#endif

/* ---- cast_order: Conversions of numbers in another order -------------- */

#ifdef LL_PTX_DEVICE_

/* The types of LL_CAST. */
typedef struct ll_s4 ll_s4;
typedef struct ll_u4 ll_u4;
typedef struct ll_s8 ll_s8;
typedef struct ll_u8 ll_u8;
typedef struct ll_e2m1 ll_e2m1;
typedef struct ll_e2m3 ll_e2m3;
typedef struct ll_e3m2 ll_e3m2;
typedef struct ll_e4m3 ll_e4m3;
typedef struct ll_e5m2 ll_e5m2;
typedef struct ll_f16 ll_f16;
typedef struct ll_bf16 ll_bf16;
typedef struct ll_f32 ll_f32;
typedef struct ll_f64 ll_f64;

/* Private: the bits that a number takes; 8 for 6-bit types, 0 for a type that
 * LL_CAST does not convert from. */
template <class T_> struct ll_ptx_bits_of_ { enum : unsigned { value = 0 }; };
template <> struct ll_ptx_bits_of_<ll_s4> { enum : unsigned { value = 4 }; };
template <> struct ll_ptx_bits_of_<ll_u4> { enum : unsigned { value = 4 }; };
template <> struct ll_ptx_bits_of_<ll_e2m1> { enum : unsigned { value = 4 }; };
template <> struct ll_ptx_bits_of_<ll_s8> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_u8> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e2m3> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e3m2> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e4m3> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_e5m2> { enum : unsigned { value = 8 }; };
template <> struct ll_ptx_bits_of_<ll_f16> { enum : unsigned { value = 16 }; };
template <> struct ll_ptx_bits_of_<ll_bf16> { enum : unsigned { value = 16 }; };
template <> struct ll_ptx_bits_of_<ll_f32> { enum : unsigned { value = 32 }; };

/* Private: numbers FROM_ in words of storage ORDER_, and what FROM_ says. */
template <class FROM_, class ORDER_> struct ll_ptx_in_order_ {};
template <class FROM_, class ORDER_>
struct ll_ptx_bits_of_<ll_ptx_in_order_<FROM_, ORDER_>> {
    enum : unsigned { value = ll_ptx_bits_of_<FROM_>::value };
};
template <class FROM_> struct ll_ptx_order_in_ { enum : bool { is = false }; };
template <class FROM_, class ORDER_>
struct ll_ptx_order_in_<ll_ptx_in_order_<FROM_, ORDER_>> {
    enum : bool { is = true };
    typedef FROM_ from;
    typedef ORDER_ order;
};

/* Private: whether LL_CAST converts these types from words in an order. */
template <class TO_, class FROM_> struct ll_ptx_ordered_types_ {
    enum : bool {
        s4 = ll_is_same_<FROM_, ll_s4>::value,
        u4 = ll_is_same_<FROM_, ll_u4>::value,
        wide = ll_is_same_<TO_, ll_f16>::value ||
               ll_is_same_<TO_, ll_bf16>::value,
        value = (wide && (s4 || u4 || ll_is_same_<FROM_, ll_e2m1>::value)) ||
                (ll_is_same_<TO_, ll_s8>::value && (s4 || u4)) ||
                (ll_is_same_<TO_, ll_u8>::value && u4)
    };
};

/* Private: how to unpack a word of storage ORDER_ into numbers TO_. The integer
 * may start above bit 0 of a mantissa, but not of a byte. */
template <class TO_, class ORDER_> LL_FN ll_ptx_twiddle ll_ptx_order_of_() {
    return ll_ptx_untwiddle(LL_GET(ORDER_), ll_ptx_bits_of_<TO_>::value,
                            ll_is_same_<TO_, ll_f16>::value    ? 10u
                            : ll_is_same_<TO_, ll_bf16>::value ? 7u
                                                               : 4u);
}

/* Private: asserts that LL_CAST can read words of storage ORDER_. */
template <class TO_, class FROM_, class ORDER_>
LL_FN bool ll_ptx_order_is_good_() {
    LL_WANTS_CONSTANT_(ORDER_, ll_layout,
                        "LL_TWIDDLED takes the name of a layout of LL_LAYOUT");
    constexpr bool types = ll_ptx_ordered_types_<TO_, FROM_>::value;
    static_assert(types,
                  "ll: LL_CAST: from LL_TWIDDLED numbers, FROM must be ll_s4, "
                  "ll_u4 or ll_e2m1 and TO ll_f16 or ll_bf16, or FROM ll_s4 "
                  "and TO ll_s8, or FROM ll_u4 and TO ll_s8 or ll_u8");
    if constexpr (types && ll_constant_is_good_<ORDER_, ll_layout>()) {
        constexpr ll_ptx_twiddle t = ll_ptx_order_of_<TO_, ORDER_>();
        constexpr bool good =
            !t.err && t.words * 4u == ll_ptx_bits_of_<TO_>::value;
        static_assert(good,
                      "ll: LL_CAST: the order must be one that a shift and a "
                      "mask unpack, as that of ll_ptx_twiddled(4, 16, 10) for "
                      "16 bits, or (4, 8, 8) for 8 bits");
        return good;
    } else {
        return false;
    }
}

/* Private: returns x moved down by S_ bits, or up by -S_ bits. */
template <int S_> LL_DEVICE unsigned ll_ptx_moved_(unsigned x) {
    if constexpr (S_ < 0) {
        return x << -S_;
    } else {
        return x >> S_;
    }
}

/* Private: returns two numbers as f16x2 or bf16x2. MASK_ is where integers lie
 * after a shift by SHIFT_, AT_ the lowest bit in its half. They go into the
 * mantissa of 2^MAN_, which is then subtracted. */
template <class TO_, class FROM_, int SHIFT_, unsigned MASK_, unsigned AT_>
LL_DEVICE unsigned ll_ptx_ordered_pair_(unsigned x) {
    constexpr bool half = ll_is_same_<TO_, ll_f16>::value;
    constexpr unsigned man = half ? 10u : 7u, both = 0x10001u;
    constexpr unsigned bias = half ? 15u : 127u;
    constexpr int low = SHIFT_ + (int)AT_;
    unsigned z = 0, factor = 0, minus = 0;
    if constexpr (ll_is_same_<FROM_, ll_e2m1>::value) {
        z = (ll_ptx_moved_<low - (int)man + 1>(x) & (7u << (man - 1u)) * both) |
            (ll_ptx_moved_<low - 12>(x) & 0x80008000u);
        factor = (2u * bias - 1u) << man;
        minus = 0x8000u;
    } else {
        constexpr unsigned sign = ll_is_same_<FROM_, ll_s4>::value ? 8u << AT_
                                                                   : 0u;
        z = (ll_ptx_moved_<SHIFT_>(x) & MASK_) ^
            (((bias + man) << man) | sign) * both;
        factor = (bias - AT_) << man;
        minus = 0x8000u | (bias + man - AT_) << man | sign;
    }
    return half ? ll_ptx_fma_f16x2(z, factor * both, minus * both)
                : ll_ptx_fma_bf16x2(z, factor * both, minus * both);
}

/* Private: returns word K_ of the numbers in word x of storage ORDER_. A
 * multiplication extends the signs. */
template <class TO_, class FROM_, class ORDER_, unsigned K_>
LL_DEVICE unsigned ll_ptx_ordered_word_(unsigned x) {
    constexpr ll_ptx_twiddle t = ll_ptx_order_of_<TO_, ORDER_>();
    constexpr int shift = t.shift[K_];
    constexpr unsigned mask = t.mask[K_], at = t.at[K_];
    if constexpr (ll_ptx_bits_of_<TO_>::value == 16) {
        return ll_ptx_ordered_pair_<TO_, FROM_, shift, mask, at>(x);
    } else {
        const unsigned y = ll_ptx_moved_<shift>(x) & mask;
        return ll_is_same_<FROM_, ll_u4>::value
                   ? y
                   : y | (y & 0x8080808u) * 0x1eu;
    }
}

template <class TO_, class FROM_, class ORDER_, class T_, unsigned M_, class A_,
          unsigned N_, unsigned... I_>
LL_DEVICE void ll_ptx_cast_ordered_(T_ (&b)[M_], const A_ (&a)[N_],
                                    ll_seq_<I_...>) {
    if constexpr (ll_ptx_order_is_good_<TO_, FROM_, ORDER_>()) {
        constexpr unsigned each = M_ / N_;
        ((b[I_] = ll_ptx_ordered_word_<TO_, FROM_, ORDER_, I_ % each>(
              a[I_ / each])),
         ...);
    }
}

#endif

/* ---- cast: Conversions of number types -------------------------------- */

#ifdef LL_PTX_DEVICE_

/* Private: returns nibbles 2k and 2k + 1 of x, each in the low bits of a
 * half. */
LL_DEVICE unsigned ll_ptx_nibbles_(unsigned x, unsigned k) {
    const unsigned from = 8u * (k % 2u); /* nibbles 0 and 4, or 2 and 6 */
    return ll_ptx_prmt(x >> from & 0xf000fu, x >> (from + 4u) & 0xf000fu,
                       k < 2u ? 0x5410u : 0x7632u);
}

/* Private: returns ll_ptx_cvt_f16x2_e4m3x2 of the high half of x, without a
 * shift. */
LL_DEVICE unsigned ll_ptx_f16x2_high_(unsigned x) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .b16 l, h; mov.b32 {l, h}, %1; "
                 "cvt.rn.f16x2.e4m3x2 %0, h; }",
                 (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

/* Private: returns pair k of the numbers in word x as f16x2; ll_ptx_bf16_pair_
 * returns it as bf16x2. An integer goes into the low mantissa bits of a number
 * with a known exponent, and that number is subtracted. A small float is moved
 * to the place of the wider one, and a multiplication corrects its exponent. */
template <class FROM_>
LL_DEVICE unsigned ll_ptx_f16_pair_(unsigned x, unsigned k) {
    const unsigned one = 0x3c003c00u;
    if constexpr (ll_is_same_<FROM_, ll_u8>::value) {
        const unsigned y = ll_ptx_prmt(x, 0x64646464u, k ? 0x4342u : 0x4140u);
        return ll_ptx_fma_f16x2(y, one, 0xe400e400u); /* - 1024 */
    } else if constexpr (ll_is_same_<FROM_, ll_u4>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k) | 0x64006400u;
        return ll_ptx_fma_f16x2(y, one, 0xe400e400u);
    } else if constexpr (ll_is_same_<FROM_, ll_e2m3>::value) {
        const unsigned y = ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
        const unsigned z = (y >> 1 & 0xf800f80u) | (y & 0x20002000u) << 2;
        return ll_ptx_fma_f16x2(z, 0x74007400u, 0x80008000u); /* 2^14 */
    } else if constexpr (ll_is_same_<FROM_, ll_e3m2>::value) {
        const unsigned y = ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
        const unsigned z = (y & 0x1f001f00u) | (y & 0x20002000u) << 2;
        return ll_ptx_fma_f16x2(z, 0x6c006c00u, 0x80008000u); /* 2^12 */
    } else if constexpr (ll_is_same_<FROM_, ll_s8>::value) {
        const unsigned y = ll_ptx_prmt(x ^ 0x80808080u, 0x64646464u,
                                       k ? 0x4342u : 0x4140u);
        return ll_ptx_fma_f16x2(y, one, 0xe480e480u); /* - 1152 */
    } else if constexpr (ll_is_same_<FROM_, ll_s4>::value) {
        const unsigned y = ll_ptx_nibbles_(x ^ 0x88888888u, k) | 0x64006400u;
        return ll_ptx_fma_f16x2(y, one, 0xe408e408u); /* - 1032 */
    } else if constexpr (ll_is_same_<FROM_, ll_e2m1>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k);
        const unsigned z = (y & 0x70007u) << 9 | (y & 0x80008u) << 12;
        return ll_ptx_fma_f16x2(z, 0x74007400u, 0x80008000u); /* 2^14 */
    } else if constexpr (ll_is_same_<FROM_, ll_e5m2>::value) {
        return ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
    } else if constexpr (ll_is_same_<FROM_, ll_e4m3>::value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
        return k ? ll_ptx_f16x2_high_(x) : ll_ptx_cvt_f16x2_e4m3x2(x);
#else
        const unsigned y = ll_ptx_prmt(x, 0u, k ? 0x3424u : 0x1404u);
        const unsigned z = (y & 0x80008000u) | (y >> 1 & 0x3f803f80u);
        return ll_ptx_fma_f16x2(z, 0x5c005c00u, 0x80008000u); /* 2^8 */
#endif
    } else {
        return x;
    }
}

/* Private: returns number k of word x as a float. */
template <class FROM_> LL_DEVICE float ll_ptx_f32_of_(unsigned x, unsigned k) {
    unsigned y = 0;
    float f = 0;
    if constexpr (ll_is_same_<FROM_, ll_bf16>::value) {
        y = k ? x & 0xffff0000u : x << 16;
        LL_MEMCPY_(&f, &y, 4);
        return f;
    } else if constexpr (ll_is_same_<FROM_, ll_s8>::value) {
        y = ll_ptx_prmt(x ^ 0x80808080u, 0x4b000000u, 0x7540u | k);
        LL_MEMCPY_(&f, &y, 4);
        return f - 8388736.0f; /* 2^23 + 128 */
    } else if constexpr (ll_is_same_<FROM_, ll_u8>::value) {
        y = ll_ptx_prmt(x, 0x4b000000u, 0x7540u | k);
        LL_MEMCPY_(&f, &y, 4);
        return f - 8388608.0f; /* 2^23 */
    } else {
        y = ll_ptx_f16_pair_<FROM_>(x, k / 2u);
        return k % 2u ? ll_ptx_cvt_f32_f16_high(y) : ll_ptx_cvt_f32_f16_low(y);
    }
}

template <class FROM_>
LL_DEVICE unsigned ll_ptx_bf16_pair_(unsigned x, unsigned k) {
    if constexpr (ll_is_same_<FROM_, ll_bf16>::value) {
        return x;
    } else if constexpr (ll_is_same_<FROM_, ll_u4>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k) | 0x43004300u;
        return ll_ptx_fma_bf16x2(y, 0x3f803f80u, 0xc300c300u); /* - 128 */
    } else if constexpr (ll_is_same_<FROM_, ll_s4>::value) {
        const unsigned y = ll_ptx_nibbles_(x ^ 0x88888888u, k) | 0x43004300u;
        return ll_ptx_fma_bf16x2(y, 0x3f803f80u, 0xc308c308u); /* - 136 */
    } else if constexpr (ll_is_same_<FROM_, ll_e2m1>::value) {
        const unsigned y = ll_ptx_nibbles_(x, k);
        const unsigned z = (y & 0x70007u) << 6 | (y & 0x80008u) << 12;
        return ll_ptx_fma_bf16x2(z, 0x7e807e80u, 0x80008000u); /* 2^126 */
    } else {
        const float low = ll_ptx_f32_of_<FROM_>(x, 2u * k);
        const float high = ll_ptx_f32_of_<FROM_>(x, 2u * k + 1u);
        unsigned a = 0, b = 0;
        LL_MEMCPY_(&a, &low, 4);
        LL_MEMCPY_(&b, &high, 4);
        return ll_ptx_prmt(a, b, 0x7632u);
    }
}

/* Private: returns number n of array a as a float. */
template <class FROM_, class A_>
LL_DEVICE float ll_ptx_number_(const A_ *a, unsigned n) {
    constexpr unsigned each = 32u / ll_ptx_bits_of_<FROM_>::value;
    if constexpr (ll_is_same_<FROM_, ll_f32>::value) {
        return a[n];
    } else {
        return ll_ptx_f32_of_<FROM_>(a[n / each], n % each);
    }
}

/* Private: a small float. bits: its bits without the sign. man: its mantissa
 * bits. top: the largest number, as a float's bit pattern. nan: the result for
 * NaN. */
template <class T_> struct ll_ptx_float_ { enum : unsigned { bits = 0 }; };
template <> struct ll_ptx_float_<ll_e2m1> {
    enum : unsigned { bits = 3, man = 1, top = 0x40c00000u, nan = 7 };
};
template <> struct ll_ptx_float_<ll_e2m3> {
    enum : unsigned { bits = 5, man = 3, top = 0x40f00000u, nan = 31 };
};
template <> struct ll_ptx_float_<ll_e3m2> {
    enum : unsigned { bits = 5, man = 2, top = 0x41e00000u, nan = 31 };
};
template <> struct ll_ptx_float_<ll_e4m3> {
    enum : unsigned { bits = 7, man = 3, top = 0x43e00000u, nan = 127 };
};
template <> struct ll_ptx_float_<ll_e5m2> {
    enum : unsigned { bits = 7, man = 2, top = 0x47600000u, nan = 127 };
};

/* Private: rounds a float to the nearest small float, as cvt does on targets
 * that have it. Below the normal numbers it adds a float whose last place has
 * the value of the small float's last place; else it rounds the bit pattern. */
template <class TO_> LL_DEVICE unsigned ll_ptx_round_(float x) {
    typedef ll_ptx_float_<TO_> to;
    constexpr unsigned exponent = to::bits - to::man;
    constexpr unsigned bias = (1u << (exponent - 1u)) - 1u;
    constexpr unsigned least = (128u - bias) << 23; /* the smallest normal */
    constexpr unsigned magic = (151u - bias - to::man) << 23;
    unsigned u = 0, y = 0;
    LL_MEMCPY_(&u, &x, 4);
    const unsigned sign = u >> 31 << to::bits, a = u & 0x7fffffffu;
    const unsigned b = a < to::top ? a : (unsigned)to::top;
    const unsigned half = (1u << (22u - to::man)) - 1u;
    const unsigned last = b >> (23u - to::man) & 1u;
    const unsigned normal = ((b + half + last) >> (23u - to::man)) -
                            ((127u - bias) << to::man);
    float f = 0, m = 0;
    const unsigned of_m = magic;
    LL_MEMCPY_(&f, &b, 4);
    LL_MEMCPY_(&m, &of_m, 4);
    f += m;
    LL_MEMCPY_(&y, &f, 4);
    const unsigned z = b < least ? y - magic : normal;
    return a > 0x7f800000u ? (unsigned)to::nan : z | sign;
}

/* Private: whether the target has cvt to fp8, and to numbers of 6 and 4
 * bits. */
#if defined(__CUDA_ARCH__)
#define LL_PTX_CVT_8_ (__CUDA_ARCH__ >= 890)
#define LL_PTX_CVT_6_ (LL_PTX_FAMILY_ && __CUDA_ARCH__ >= 1000)
#else
#define LL_PTX_CVT_8_ 1
#define LL_PTX_CVT_6_ 1
#endif

/* Private: converts two floats to small floats, side by side in the low
 * bits. */
template <class TO_> LL_DEVICE unsigned ll_ptx_small_pair_(float x, float y) {
    constexpr bool is_8 = ll_ptx_float_<TO_>::bits == 7;
#if LL_PTX_CVT_8_
    if constexpr (ll_is_same_<TO_, ll_e4m3>::value) {
        return ll_ptx_cvt_e4m3x2(x, y);
    } else if constexpr (ll_is_same_<TO_, ll_e5m2>::value) {
        return ll_ptx_cvt_e5m2x2(x, y);
    }
#endif
#if LL_PTX_CVT_6_
    if constexpr (ll_is_same_<TO_, ll_e2m3>::value) {
        return ll_ptx_cvt_e2m3x2(x, y);
    } else if constexpr (ll_is_same_<TO_, ll_e3m2>::value) {
        return ll_ptx_cvt_e3m2x2(x, y);
    } else if constexpr (ll_is_same_<TO_, ll_e2m1>::value) {
        return ll_ptx_cvt_e2m1x2(x, y);
    }
#endif
    if constexpr (is_8 ? !LL_PTX_CVT_8_ : !LL_PTX_CVT_6_) {
        return ll_ptx_round_<TO_>(x) | ll_ptx_round_<TO_>(y)
                                           << ll_ptx_bits_of_<TO_>::value;
    } else {
        return 0;
    }
}

/* Private: converts four floats to 8-bit floats. Both pairs are in one asm
 * text, so that the assembler lets each cvt write its half of the word. */
template <class TO_>
LL_DEVICE unsigned ll_ptx_small_quad_(float a, float b, float c, float d) {
    unsigned y = 0;
    if constexpr (ll_is_same_<TO_, ll_e4m3>::value) {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e4m3x2.f32 l, %2, %1; "
                     "cvt.rn.satfinite.e4m3x2.f32 h, %4, %3; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(y)),
                     (LL_IF32_(a), LL_IF32_(b), LL_IF32_(c), LL_IF32_(d)));
    } else {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e5m2x2.f32 l, %2, %1; "
                     "cvt.rn.satfinite.e5m2x2.f32 h, %4, %3; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(y)),
                     (LL_IF32_(a), LL_IF32_(b), LL_IF32_(c), LL_IF32_(d)));
    }
    return y;
}

/* Private: the same for the f16 numbers in two words. */
template <class TO_> LL_DEVICE unsigned ll_ptx_small_pairs_(unsigned x,
                                                            unsigned y) {
    unsigned z = 0;
    if constexpr (ll_is_same_<TO_, ll_e4m3>::value) {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e4m3x2.f16x2 l, %1; "
                     "cvt.rn.satfinite.e4m3x2.f16x2 h, %2; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(z)), (LL_I32_(x), LL_I32_(y)));
    } else {
        LL_PTX_PURE_("{ .reg .b16 l, h; "
                     "cvt.rn.satfinite.e5m2x2.f16x2 l, %1; "
                     "cvt.rn.satfinite.e5m2x2.f16x2 h, %2; "
                     "mov.b32 %0, {l, h}; }",
                     (LL_O32_(z)), (LL_I32_(x), LL_I32_(y)));
    }
    return z;
}

/* Private: rounds two floats to 16 bits. */
template <class TO_> LL_DEVICE unsigned ll_ptx_half_pair_(float x, float y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return ll_is_same_<TO_, ll_f16>::value ? ll_ptx_cvt_f16x2(x, y)
                                            : ll_ptx_cvt_bf16x2(x, y);
#else
    unsigned a = 0, b = 0;
    if constexpr (ll_is_same_<TO_, ll_f16>::value) {
        LL_PTX_PURE_("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; "
                     "cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }",
                     (LL_O32_(a)), (LL_IF32_(x), LL_IF32_(y)));
        return a;
    }
    LL_MEMCPY_(&a, &x, 4);
    LL_MEMCPY_(&b, &y, 4);
    a = (a & 0x7fffffffu) > 0x7f800000u ? a | 0x400000u
                                        : a + 0x7fffu + (a >> 16 & 1u);
    b = (b & 0x7fffffffu) > 0x7f800000u ? b | 0x400000u
                                        : b + 0x7fffu + (b >> 16 & 1u);
    return ll_ptx_prmt(a, b, 0x7632u);
#endif
}

/* Private: rounds a pair to integers and puts them into the lowest bits of a
 * word, with `rest` above them. So callers pack the last pair of a word
 * first. */
template <class TO_>
LL_DEVICE unsigned ll_ptx_pack_(float x, float y, unsigned rest) {
    const int low = ll_ptx_cvt_rni_s32(x), high = ll_ptx_cvt_rni_s32(y);
    if constexpr (ll_is_same_<TO_, ll_s8>::value) {
        return ll_ptx_cvt_pack_s8(low, high, rest);
    } else if constexpr (ll_is_same_<TO_, ll_u8>::value) {
        return ll_ptx_cvt_pack_u8(low, high, rest);
    } else if constexpr (ll_is_same_<TO_, ll_s4>::value) {
        return ll_ptx_cvt_pack_s4(low, high, rest);
    } else {
        return ll_ptx_cvt_pack_u4(low, high, rest);
    }
}

/* Private: returns word n of numbers of up to 8 bits, from the numbers in a.
 * From e2m1 to fp8, a table of two words has the magnitudes, and the signs are
 * added. From s4 to s8, a multiplication extends the signs. */
template <class TO_, class FROM_, class A_>
LL_DEVICE unsigned ll_ptx_small_word_(const A_ *a, unsigned n) {
    constexpr unsigned bits = ll_ptx_bits_of_<TO_>::value, each = 32u / bits;
    unsigned y = 0;
    if constexpr (ll_is_same_<TO_, FROM_>::value) {
        return a[n];
    } else if constexpr (ll_is_same_<FROM_, ll_e2m1>::value && bits == 8 &&
                         ll_ptx_float_<TO_>::bits == 7) {
        const bool e4m3 = ll_is_same_<TO_, ll_e4m3>::value;
        const unsigned x = a[n / 2u] >> 16u * (n % 2u);
        y = ll_ptx_prmt(e4m3 ? 0x3c383000u : 0x3e3c3800u,
                        e4m3 ? 0x4c484440u : 0x46444240u, x & 0x7777u);
        return y | (ll_ptx_prmt(0x80808080u, 0x80808080u, x) & 0x1010101u) << 7;
    } else if constexpr (ll_is_same_<FROM_, ll_s4>::value &&
                         ll_is_same_<TO_, ll_s8>::value) {
        const unsigned x = a[n / 2u];
        y = ll_ptx_prmt(x & 0xf0f0f0fu, x >> 4 & 0xf0f0f0fu,
                        n % 2u ? 0x7362u : 0x5140u);
        return y | (y & 0x8080808u) * 0x1eu;
    } else if constexpr (ll_ptx_float_<TO_>::bits == 0) {
        for (unsigned k = each; k; k -= 2u) {
            y = ll_ptx_pack_<TO_>(ll_ptx_number_<FROM_>(a, n * each + k - 2u),
                                  ll_ptx_number_<FROM_>(a, n * each + k - 1u),
                                  y);
        }
        return y;
    } else if constexpr (LL_PTX_CVT_8_ && ll_is_same_<FROM_, ll_f16>::value &&
                         ll_ptx_float_<TO_>::bits == 7) {
        return ll_ptx_small_pairs_<TO_>(a[2u * n], a[2u * n + 1u]);
    } else if constexpr (LL_PTX_CVT_8_ && ll_ptx_float_<TO_>::bits == 7) {
        return ll_ptx_small_quad_<TO_>(ll_ptx_number_<FROM_>(a, 4u * n),
                                       ll_ptx_number_<FROM_>(a, 4u * n + 1u),
                                       ll_ptx_number_<FROM_>(a, 4u * n + 2u),
                                       ll_ptx_number_<FROM_>(a, 4u * n + 3u));
    } else {
        for (unsigned k = 0; k < each; k += 2u) {
            y |= ll_ptx_small_pair_<TO_>(
                     ll_ptx_number_<FROM_>(a, n * each + k),
                     ll_ptx_number_<FROM_>(a, n * each + k + 1u))
                 << k * bits;
        }
        return y;
    }
}

/* Private: returns result n of a conversion: a word, or one wider number. */
template <class TO_, class FROM_, class T_, class A_>
LL_DEVICE T_ ll_ptx_cast_one_(const A_ *a, unsigned n) {
    constexpr unsigned each = 32u / ll_ptx_bits_of_<FROM_>::value;
    constexpr bool half = ll_is_same_<TO_, ll_f16>::value;
    constexpr bool rounds = ll_is_same_<FROM_, ll_f32>::value ||
                            ll_is_same_<FROM_, ll_bf16>::value == half;
    if constexpr (!ll_is_same_<T_, unsigned>::value) {
        return (T_)ll_ptx_number_<FROM_>(a, n);
    } else if constexpr (ll_ptx_bits_of_<TO_>::value < 16) {
        return ll_ptx_small_word_<TO_, FROM_>(a, n);
    } else if constexpr (rounds && ll_ptx_bits_of_<FROM_>::value >= 16 &&
                         !ll_is_same_<TO_, FROM_>::value) {
        return ll_ptx_half_pair_<TO_>(ll_ptx_number_<FROM_>(a, 2u * n),
                                      ll_ptx_number_<FROM_>(a, 2u * n + 1u));
    } else if constexpr (half) {
        return ll_ptx_f16_pair_<FROM_>(a[2u * n / each], n % (each / 2u));
    } else {
        return ll_ptx_bf16_pair_<FROM_>(a[2u * n / each], n % (each / 2u));
    }
}

template <class TO_, class FROM_, class T_, unsigned M_, class A_, unsigned N_,
          unsigned... I_>
LL_DEVICE void ll_ptx_cast_all_(T_ (&b)[M_], const A_ (&a)[N_],
                                ll_seq_<I_...>) {
    ((b[I_] = ll_ptx_cast_one_<TO_, FROM_, T_>(a, I_)), ...);
}

/* Private: the type of an element of an array of such numbers. */
template <class TO_> struct ll_ptx_wide_ { typedef unsigned type; };
template <> struct ll_ptx_wide_<ll_f32> { typedef float type; };
template <> struct ll_ptx_wide_<ll_f64> { typedef double type; };

template <class TO_, class FROM_, class T_, unsigned M_, class A_, unsigned N_>
LL_DEVICE void ll_ptx_cast_(T_ (&b)[M_], const A_ (&a)[N_]) {
    constexpr unsigned from = ll_ptx_bits_of_<FROM_>::value;
    constexpr bool wide = ll_is_same_<TO_, ll_f64>::value ||
                          ll_is_same_<TO_, ll_f32>::value;
    constexpr unsigned to = wide ? 32u : (unsigned)ll_ptx_bits_of_<TO_>::value;
    static_assert(from && to,
                  "ll: LL_CAST: TO and FROM must be ll_s4, ll_u4, ll_s8, "
                  "ll_u8, ll_e2m1, ll_e2m3, ll_e3m2, ll_e4m3, ll_e5m2, ll_f16, "
                  "ll_bf16 or ll_f32; TO may be ll_f64");
    constexpr bool is =
        ll_is_same_<T_, typename ll_ptx_wide_<TO_>::type>::value &&
        ll_is_same_<A_, typename ll_ptx_wide_<FROM_>::type>::value;
    static_assert(is || !from || !to,
                  "ll: LL_CAST: b and a must be arrays of unsigned, but of "
                  "float for ll_f32 and of double for ll_f64");
    constexpr bool fit = M_ * from == N_ * to;
    static_assert(fit || !is || !from || !to,
                  "ll: LL_CAST: b and a must have the same number of "
                  "elements");
    typedef typename ll_seq_upto_<M_>::type words;
    if constexpr (!(from && to && is && fit)) {
        return;
    } else if constexpr (ll_ptx_order_in_<FROM_>::is) {
        typedef ll_ptx_order_in_<FROM_> in;
        ll_ptx_cast_ordered_<TO_, typename in::from, typename in::order>(
            b, a, words());
    } else {
        ll_ptx_cast_all_<TO_, FROM_>(b, a, words());
    }
}

/* LL_CAST(b, a, TO, FROM) converts the numbers of array a, in registers, to the
 * numbers of array b. TO and FROM are types: ll_s4, ll_u4, ll_s8, ll_u8,
 * ll_e2m1, ll_e2m3, ll_e3m2, ll_e4m3, ll_e5m2, ll_f16 and ll_bf16, in words,
 * packed as in memory (6-bit numbers in the low bits of a byte), ll_f32 in
 * floats, and for TO ll_f64 in doubles. The numbers of a lane stay in order.
 *
 * If TO has all values of FROM, the result is exact. Else it is the nearest
 * number, ties to even. A number that is too large is set to the largest
 * number if TO is an integer or a float of 8 bits or fewer, and to infinity if
 * TO is ll_f16 or ll_bf16. NaN turns into 0 in an integer, and into the
 * largest number in a float without NaN. Up to sm_88, the NaN of e4m3 turns
 * into 480 in a wider number. A pair takes two to four instructions. A number
 * takes about ten if the target has no cvt: to fp8 up to sm_88, to 6 and 4
 * bits without sm_100f, sm_110f or sm_120f.
 *
 *     unsigned a[LL_WORDS(A, 8)], wide[LL_WORDS(A, 16)];
 *     LL_CAST(wide, a, ll_f16, ll_s8);
 *
 * FROM is LL_TWIDDLED(ll_s4, ORDER) if the bits of a word are in another order.
 * The numbers in b are in the order of their elements. ORDER is the name of a
 * layout offset -> bit, e, such as that of ll_ptx_twiddled. From ll_s4, ll_u4
 * and ll_e2m1 TO may be ll_f16 or ll_bf16, from ll_s4 also ll_s8, and from
 * ll_u4 ll_s8 or ll_u8. To 16 bits, signed numbers take no more instructions
 * than unsigned ones.
 *
 *     LL_LAYOUT(ORDER, ll_ptx_twiddled(4, 16, 10));
 *     unsigned a[LL_WORDS(A, 4)], wide[LL_WORDS(A, 16)];
 *     LL_CAST(wide, a, ll_f16, LL_TWIDDLED(ll_s4, ORDER));
 */
#define LL_CAST(b, a, TO, FROM) ll_ptx_cast_<TO, FROM>(b, a)
#define LL_TWIDDLED(FROM, ORDER)                                            \
    decltype(ll_ptx_in_order_<FROM, LL_TYPE_(ORDER)>())

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
