/* ll_ptx.h - linear layouts for NVIDIA GPUs: targets, instructions, moves.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PTX_H
#define LL_PTX_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- 1. What this is ---------------------------------------------------- */
/*
 * The NVIDIA half of the library. ll.h decides: which layouts, which memory
 * layout, which accesses, in which order. This header knows the numbers of the
 * targets and turns a plan into straight-line PTX inside the caller's kernel.
 * Host code may include it together with ll_amd.h: up to section 10 it is
 * tables of plain numbers.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_ptx_target, LL_SM75 .. LL_SM120        |
 * | global memory, 16 bytes    | LL_LOAD, LL_STORE                         |
 * | masked at ragged edges     | LL_LOAD, LL_STORE with rows and columns   |
 * | shared memory, 16 bytes    | LL_STORE_SHARED, LL_LOAD_SHARED           |
 * | conversion, shared memory  | LL_CONVERT                                |
 */

/* ---- 2. A complete example ---------------------------------------------- */
/*
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
 * for n a multiple of 64, blocks of 128 threads, n/64 x n/64 of them.
 * examples/transpose.cu has the whole story.
 */

/* ---- 3. The functions at a glance --------------------------------------- */
/*
 * LL_GLANCE_BEGIN
 * 8. Targets
 *     ll_ptx_target
 * 12. Load, store, convert
 *     LL_LOAD LL_STORE LL_CONVERT LL_STORE_SHARED LL_LOAD_SHARED LL_VECTOR
 *     LL_EACH LL_AT
 * LL_GLANCE_END
 */

/* ---- 4. Words and bit order --------------------------------------------- */
/*
 * As in ll.h. The thread number is threadIdx.x: blocks are one-dimensional, its
 * low five bits are the lane and the others the warp. A block has exactly the
 * LL_THREADS(LAYOUT) threads of the layouts that it uses.
 *
 * Addresses of shared memory are 32-bit, in bytes. A `word` has 32 bits;
 * element k of an access lies in its bytes from k * size on, as in memory.
 */

/* ---- 5. Configuration --------------------------------------------------- */
/*
 * None of its own; see ll.h. With LL_EMULATE the instructions of section 11
 * are interpreted by an emulator on the host, which defines LL_PTX_ and the
 * operand macros beside it.
 */

/* ---- 6. Portability ----------------------------------------------------- */

/* LL_DEVICE stands before every device function. */
#if LL_EMULATE
#define LL_DEVICE static inline __attribute__((always_inline))
#elif defined(__CUDACC__) || defined(__CUDA__)
#define LL_DEVICE static __device__ __forceinline__
#endif

/* LL_PTX_(text, outputs, inputs): one instruction. The lists of operands are in
 * parentheses and made of LL_O32_(x) and LL_I32_(x), 32-bit outputs and inputs,
 * LL_IO32_ for both, and the like for 64 and 16 bits. */
#if !LL_EMULATE
#define LL_LIST_(...) __VA_ARGS__
#define LL_PTX_(text, outputs, inputs)                                      \
    asm volatile(text : LL_LIST_ outputs : LL_LIST_ inputs : "memory")
#define LL_O32_(x) "=r"(x)
#define LL_I32_(x) "r"(x)
#define LL_IO32_(x) "+r"(x)
#define LL_I64_(x) "l"(x)
#endif

/* ---- 7. Types and errors ------------------------------------------------ */
/*
 * Those of ll.h: layouts, plans, ll_words for the bytes of one access.
 */

/* ---- 8. Targets --------------------------------------------------------- */

/* ll_ptx_target(sm): the target of compute capability sm, 75 for 7.5 and so on;
 * LL_SM75 to LL_SM121 are those there are. Fails with LL_ETARGET.
 *
 * Shared memory has 32 banks of 4 bytes. An access of up to 4 bytes a lane is
 * served for all lanes at once, one of 8 bytes for 16 consecutive lanes, one of
 * 16 bytes for 8. Reads of 8 and 16 bytes that ignore lane bit 0 or lane bit 1
 * are served for twice as many. (Measured on sm_90; assumed for the others.)
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
    t.merge = 3;
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

/* ---- 9. Register layouts of matrix instructions ------------------------- */

/* ---- 10. Shared memory layouts the hardware reads ----------------------- */

/* ---- 11. Instructions, one function each -------------------------------- */

#ifdef LL_DEVICE

/* ld.shared, st.shared: `address` a multiple of the width. */
LL_DEVICE ll_words ll_ptx_ld_shared_b8(unsigned address) {
    ll_words v = LL_ZERO;
    LL_PTX_("ld.shared.u8 %0, [%1];", (LL_O32_(v.w[0])), (LL_I32_(address)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_shared_b16(unsigned address) {
    ll_words v = LL_ZERO;
    LL_PTX_("ld.shared.u16 %0, [%1];", (LL_O32_(v.w[0])), (LL_I32_(address)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_shared_b32(unsigned address) {
    ll_words v = LL_ZERO;
    LL_PTX_("ld.shared.u32 %0, [%1];", (LL_O32_(v.w[0])), (LL_I32_(address)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_shared_b64(unsigned address) {
    ll_words v = LL_ZERO;
    LL_PTX_("ld.shared.v2.u32 {%0, %1}, [%2];",
            (LL_O32_(v.w[0]), LL_O32_(v.w[1])), (LL_I32_(address)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_shared_b128(unsigned address) {
    ll_words v = LL_ZERO;
    LL_PTX_("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];",
            (LL_O32_(v.w[0]), LL_O32_(v.w[1]), LL_O32_(v.w[2]),
             LL_O32_(v.w[3])),
            (LL_I32_(address)));
    return v;
}

LL_DEVICE void ll_ptx_st_shared_b8(unsigned address, ll_words v) {
    LL_PTX_("st.shared.u8 [%0], %1;", (), (LL_I32_(address), LL_I32_(v.w[0])));
}

LL_DEVICE void ll_ptx_st_shared_b16(unsigned address, ll_words v) {
    LL_PTX_("st.shared.u16 [%0], %1;", (),
            (LL_I32_(address), LL_I32_(v.w[0])));
}

LL_DEVICE void ll_ptx_st_shared_b32(unsigned address, ll_words v) {
    LL_PTX_("st.shared.u32 [%0], %1;", (),
            (LL_I32_(address), LL_I32_(v.w[0])));
}

LL_DEVICE void ll_ptx_st_shared_b64(unsigned address, ll_words v) {
    LL_PTX_("st.shared.v2.u32 [%0], {%1, %2};", (),
            (LL_I32_(address), LL_I32_(v.w[0]), LL_I32_(v.w[1])));
}

LL_DEVICE void ll_ptx_st_shared_b128(unsigned address, ll_words v) {
    LL_PTX_("st.shared.v4.u32 [%0], {%1, %2, %3, %4};", (),
            (LL_I32_(address), LL_I32_(v.w[0]), LL_I32_(v.w[1]),
             LL_I32_(v.w[2]), LL_I32_(v.w[3])));
}

/* ld.global, st.global: address a multiple of the width. Nothing happens in a
 * lane where `on` is 0; a load then gives zeros. */
#define LL_IF_(text) "{ .reg .pred p; setp.ne.u32 p, " text " }"

LL_DEVICE ll_words ll_ptx_ld_global_b8(unsigned long long address,
                                       unsigned on) {
    ll_words v = LL_ZERO;
    LL_PTX_(LL_IF_("%2, 0; @p ld.global.u8 %0, [%1];"), (LL_IO32_(v.w[0])),
            (LL_I64_(address), LL_I32_(on)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_global_b16(unsigned long long address,
                                        unsigned on) {
    ll_words v = LL_ZERO;
    LL_PTX_(LL_IF_("%2, 0; @p ld.global.u16 %0, [%1];"), (LL_IO32_(v.w[0])),
            (LL_I64_(address), LL_I32_(on)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_global_b32(unsigned long long address,
                                        unsigned on) {
    ll_words v = LL_ZERO;
    LL_PTX_(LL_IF_("%2, 0; @p ld.global.u32 %0, [%1];"), (LL_IO32_(v.w[0])),
            (LL_I64_(address), LL_I32_(on)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_global_b64(unsigned long long address,
                                        unsigned on) {
    ll_words v = LL_ZERO;
    LL_PTX_(LL_IF_("%3, 0; @p ld.global.v2.u32 {%0, %1}, [%2];"),
            (LL_IO32_(v.w[0]), LL_IO32_(v.w[1])),
            (LL_I64_(address), LL_I32_(on)));
    return v;
}

LL_DEVICE ll_words ll_ptx_ld_global_b128(unsigned long long address,
                                         unsigned on) {
    ll_words v = LL_ZERO;
    LL_PTX_(LL_IF_("%5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"),
            (LL_IO32_(v.w[0]), LL_IO32_(v.w[1]), LL_IO32_(v.w[2]),
             LL_IO32_(v.w[3])),
            (LL_I64_(address), LL_I32_(on)));
    return v;
}

LL_DEVICE void ll_ptx_st_global_b8(unsigned long long address, ll_words v,
                                   unsigned on) {
    LL_PTX_(LL_IF_("%2, 0; @p st.global.u8 [%0], %1;"), (),
            (LL_I64_(address), LL_I32_(v.w[0]), LL_I32_(on)));
}

LL_DEVICE void ll_ptx_st_global_b16(unsigned long long address, ll_words v,
                                    unsigned on) {
    LL_PTX_(LL_IF_("%2, 0; @p st.global.u16 [%0], %1;"), (),
            (LL_I64_(address), LL_I32_(v.w[0]), LL_I32_(on)));
}

LL_DEVICE void ll_ptx_st_global_b32(unsigned long long address, ll_words v,
                                    unsigned on) {
    LL_PTX_(LL_IF_("%2, 0; @p st.global.u32 [%0], %1;"), (),
            (LL_I64_(address), LL_I32_(v.w[0]), LL_I32_(on)));
}

LL_DEVICE void ll_ptx_st_global_b64(unsigned long long address, ll_words v,
                                    unsigned on) {
    LL_PTX_(LL_IF_("%3, 0; @p st.global.v2.u32 [%0], {%1, %2};"), (),
            (LL_I64_(address), LL_I32_(v.w[0]), LL_I32_(v.w[1]),
             LL_I32_(on)));
}

LL_DEVICE void ll_ptx_st_global_b128(unsigned long long address, ll_words v,
                                     unsigned on) {
    LL_PTX_(LL_IF_("%5, 0; @p st.global.v4.u32 [%0], {%1, %2, %3, %4};"), (),
            (LL_I64_(address), LL_I32_(v.w[0]), LL_I32_(v.w[1]),
             LL_I32_(v.w[2]), LL_I32_(v.w[3]), LL_I32_(on)));
}

/* bar.warp.sync, bar.sync: the lanes of a warp, the warps of a block wait. */
LL_DEVICE void ll_ptx_bar_warp(void) {
    LL_PTX_("bar.warp.sync 0xffffffff;", (), ());
}

LL_DEVICE void ll_ptx_bar(void) { LL_PTX_("bar.sync 0;", (), ()); }

/* ---- 12. Load, store, convert ------------------------------------------- */

/* The registers of a lane are an array of elements of any type whose size is
 * that of the layout's elements: LL_REGS(LAYOUT) of them.
 *
 * LL_LOAD(a, LAYOUT, src, ld): fills a with a tile of a row-major matrix; src
 * points to the tile's first element, ld is the distance of rows in elements.
 * LL_LOAD(a, LAYOUT, src, ld, rows, cols) loads only the first rows and cols of
 * it and gives zeros elsewhere. LL_STORE(a, LAYOUT, dst, ld [, rows, cols]) is
 * the way back; of copies, one is stored. src, dst, ld and cols are multiples
 * of what one access moves, LL_VECTOR(LAYOUT, T) elements: 16 bytes, or less
 * where the layout has less side by side.
 *
 * LL_CONVERT(b, a, PLAN, smem): registers a of the plan's first layout become
 * registers b of its second. smem points to LL_SMEM_BYTES(PLAN) bytes of shared
 * memory, 16-byte aligned; when it was in use before, the caller waits first.
 * LL_STORE_SHARED(a, PLAN, smem) and LL_LOAD_SHARED(b, PLAN, smem) are its
 * halves, for kernels that put other work or other barriers between them.
 *
 * LL_EACH(r, LAYOUT) loops over the registers; LL_AT(LAYOUT, d, r) is the
 * coordinate d of register r in this thread. */
#define LL_LOAD(a, LAYOUT, ...) ll_ptx_load_<LAYOUT>(a, __VA_ARGS__)
#define LL_STORE(a, LAYOUT, ...) ll_ptx_store_<LAYOUT>(a, __VA_ARGS__)
#define LL_CONVERT(b, a, PLAN, smem)                                        \
    ll_ptx_convert_<PLAN>(b, a, ll_ptx_shared_(smem))
#define LL_STORE_SHARED(a, PLAN, smem)                                      \
    ll_ptx_store_shared_<PLAN>(a, ll_ptx_shared_(smem))
#define LL_LOAD_SHARED(b, PLAN, smem)                                       \
    ll_ptx_load_shared_<PLAN>(b, ll_ptx_shared_(smem))
#define LL_VECTOR(LAYOUT, T)                                                \
    (ll_tile_of(LL_GET(LAYOUT), 8u * (unsigned)sizeof(T), 16).bytes /       \
     (unsigned)sizeof(T))
#define LL_EACH(r, LAYOUT)                                                  \
    LL_UNROLL for (unsigned r = 0; r < LL_REGS(LAYOUT); ++r)
#define LL_AT(LAYOUT, d, r) ll_ptx_at_<LAYOUT, d>(r)

LL_DEVICE unsigned ll_ptx_shared_(const void *smem) {
    return (unsigned)__cvta_generic_to_shared(smem);
}

LL_DEVICE void ll_ptx_to_shared_(unsigned bytes, unsigned address,
                                 ll_words v) {
    bytes == 1   ? ll_ptx_st_shared_b8(address, v)
    : bytes == 2 ? ll_ptx_st_shared_b16(address, v)
    : bytes == 4 ? ll_ptx_st_shared_b32(address, v)
    : bytes == 8 ? ll_ptx_st_shared_b64(address, v)
                 : ll_ptx_st_shared_b128(address, v);
}

LL_DEVICE ll_words ll_ptx_from_shared_(unsigned bytes, unsigned address) {
    return bytes == 1   ? ll_ptx_ld_shared_b8(address)
           : bytes == 2 ? ll_ptx_ld_shared_b16(address)
           : bytes == 4 ? ll_ptx_ld_shared_b32(address)
           : bytes == 8 ? ll_ptx_ld_shared_b64(address)
                        : ll_ptx_ld_shared_b128(address);
}

LL_DEVICE void ll_ptx_to_global_(unsigned bytes, unsigned long long address,
                                 ll_words v, unsigned on) {
    bytes == 1   ? ll_ptx_st_global_b8(address, v, on)
    : bytes == 2 ? ll_ptx_st_global_b16(address, v, on)
    : bytes == 4 ? ll_ptx_st_global_b32(address, v, on)
    : bytes == 8 ? ll_ptx_st_global_b64(address, v, on)
                 : ll_ptx_st_global_b128(address, v, on);
}

LL_DEVICE ll_words ll_ptx_from_global_(unsigned bytes,
                                       unsigned long long address,
                                       unsigned on) {
    return bytes == 1   ? ll_ptx_ld_global_b8(address, on)
           : bytes == 2 ? ll_ptx_ld_global_b16(address, on)
           : bytes == 4 ? ll_ptx_ld_global_b32(address, on)
           : bytes == 8 ? ll_ptx_ld_global_b64(address, on)
                        : ll_ptx_ld_global_b128(address, on);
}

template <class LAYOUT, ll_dim D> LL_DEVICE unsigned ll_ptx_at_(unsigned r) {
    typedef typename ll_upto_<ll_log2_(LL_REGS(LAYOUT))>::type bits;
    return ll_coordinate_<LAYOUT, D>(threadIdx.x, r, bits());
}

/* The address in shared memory of position P: bits that depend on the thread
 * are XORed, the others added, so that they become immediates. */
template <class S, unsigned P>
LL_DEVICE unsigned ll_ptx_place_(unsigned thread, unsigned smem) {
    return (thread ^ ll_position_<S, P>::moved) + smem +
           ll_position_<S, P>::fixed;
}

template <class S, class T, unsigned... G>
LL_DEVICE void ll_ptx_put_all_(const T *a, unsigned smem, ll_seq_<G...>) {
    const unsigned thread = ll_thread_at_<S>(threadIdx.x);
    if ((threadIdx.x & S::spare) == 0) {
        const int each[] = {
            (ll_ptx_to_shared_(S::bytes,
                               ll_ptx_place_<S, G * S::vector>(thread, smem),
                               ll_gather_<S, G * S::vector>(a)),
             0)...};
        (void)each;
    }
}

template <class S, class T, unsigned... G>
LL_DEVICE void ll_ptx_take_all_(T *b, unsigned smem, ll_seq_<G...>) {
    const unsigned thread = ll_thread_at_<S>(threadIdx.x);
    const int each[] = {
        (ll_spread_<S, G * S::vector>(
             b, ll_ptx_from_shared_(
                    S::bytes, ll_ptx_place_<S, G * S::vector>(thread, smem))),
         0)...};
    (void)each;
}

/* All registers are read before the first is written: a and b may be one. */
template <class S, class T, unsigned... P>
LL_DEVICE void ll_ptx_rename_all_(T *b, const T *a, ll_seq_<P...>) {
    const T from[] = {a[ll_position_<S, P>::reg]...};
    const int each[] = {(b[P] = from[P], 0)...};
    (void)each;
}

/* What a plan demands of arrays of registers. */
template <class PLAN, class T, unsigned KIND, unsigned NEEDED, unsigned N>
LL_DEVICE void ll_ptx_expect_() {
    static_assert(8 * sizeof(T) == LL_GET(PLAN).element_bits,
                  "ll: the registers' type must have the plan's element bits");
    static_assert(N == NEEDED,
                  "ll: the array must have LL_REGS elements of its layout");
    static_assert(KIND == LL_GET(PLAN).kind,
                  "ll: the plan does not go through shared memory");
}

template <class PLAN, class T, unsigned N>
LL_DEVICE void ll_ptx_store_shared_(const T (&a)[N], unsigned smem) {
    typedef ll_move_<ll_step_of_<PLAN, 0>> S;
    ll_ptx_expect_<PLAN, T, LL_SHARED, 1u << LL_GET(PLAN).from_bits, N>();
    ll_ptx_put_all_<S>(a, smem, typename ll_upto_<S::groups>::type());
}

template <class PLAN, class T, unsigned N>
LL_DEVICE void ll_ptx_load_shared_(T (&b)[N], unsigned smem) {
    typedef ll_move_<ll_step_of_<PLAN, 2>> S;
    ll_ptx_expect_<PLAN, T, LL_SHARED, 1u << LL_GET(PLAN).to_bits, N>();
    ll_ptx_take_all_<S>(b, smem, typename ll_upto_<S::groups>::type());
}

/* The three kinds of plans. */
template <unsigned KIND> struct ll_ptx_kind_ {};

template <class PLAN, class T>
LL_DEVICE void ll_ptx_do_(T *b, const T *a, unsigned,
                          ll_ptx_kind_<LL_NOTHING>) {
    LL_UNROLL
    for (unsigned r = 0; r < 1u << LL_GET(PLAN).to_bits; ++r) {
        b[r] = a[r];
    }
}

template <class PLAN, class T>
LL_DEVICE void ll_ptx_do_(T *b, const T *a, unsigned,
                          ll_ptx_kind_<LL_REGISTERS>) {
    typedef ll_move_<ll_step_of_<PLAN, 0>> S;
    ll_ptx_rename_all_<S>(b, a, typename ll_upto_<S::groups>::type());
}

template <class PLAN, class T>
LL_DEVICE void ll_ptx_do_(T *b, const T *a, unsigned smem,
                          ll_ptx_kind_<LL_SHARED>) {
    typedef ll_move_<ll_step_of_<PLAN, 0>> STORE;
    typedef ll_move_<ll_step_of_<PLAN, 2>> LOAD;
    ll_ptx_put_all_<STORE>(a, smem, typename ll_upto_<STORE::groups>::type());
    if (LL_GET(PLAN).step[1].op == LL_OP_SYNC_WARP) {
        ll_ptx_bar_warp();
    } else {
        ll_ptx_bar();
    }
    ll_ptx_take_all_<LOAD>(b, smem, typename ll_upto_<LOAD::groups>::type());
}

template <class PLAN, class T, unsigned N, unsigned M>
LL_DEVICE void ll_ptx_convert_(T (&b)[M], const T (&a)[N], unsigned smem) {
    constexpr unsigned kind = LL_GET(PLAN).kind;
    ll_ptx_expect_<PLAN, T, kind, 1u << LL_GET(PLAN).from_bits, N>();
    ll_ptx_expect_<PLAN, T, kind, 1u << LL_GET(PLAN).to_bits, M>();
    ll_ptx_do_<PLAN>(b, a, smem, ll_ptx_kind_<kind>());
}

template <class S, unsigned P, class T>
LL_DEVICE void ll_ptx_load_one_(T *a, unsigned thread, const T *src,
                                unsigned ld, unsigned rows, unsigned cols) {
    ll_spot_ s = ll_spot_at_<S, P>(thread, src, ld, rows, cols);
    ll_spread_<S, P>(a, ll_ptx_from_global_(S::bytes, s.address, s.on));
}

template <class S, class T, unsigned... G>
LL_DEVICE void ll_ptx_load_all_(T *a, const T *src, unsigned ld, unsigned rows,
                                unsigned cols, ll_seq_<G...>) {
    const unsigned thread = ll_thread_at_<S>(threadIdx.x);
    const int each[] = {(ll_ptx_load_one_<S, G * S::vector>(a, thread, src, ld,
                                                            rows, cols),
                         0)...};
    (void)each;
}

template <class LAYOUT, class T, unsigned N>
LL_DEVICE void ll_ptx_load_(T (&a)[N], const T *src, unsigned ld,
                            unsigned rows = ~0u, unsigned cols = ~0u) {
    typedef ll_move_<ll_tile_for_<LAYOUT, 8 * sizeof(T)>> S;
    static_assert(N == LL_REGS(LAYOUT),
                  "ll: the array must have LL_REGS(LAYOUT) elements");
    ll_ptx_load_all_<S>(a, src, ld, rows, cols,
                        typename ll_upto_<S::groups>::type());
}

template <class S, unsigned P, class T>
LL_DEVICE void ll_ptx_store_one_(const T *a, unsigned thread, T *dst,
                                 unsigned ld, unsigned rows, unsigned cols) {
    ll_spot_ s = ll_spot_at_<S, P>(thread, dst, ld, rows, cols);
    ll_ptx_to_global_(S::bytes, s.address, ll_gather_<S, P>(a),
                      s.on && (threadIdx.x & S::spare) == 0);
}

template <class S, class T, unsigned... G>
LL_DEVICE void ll_ptx_store_all_(const T *a, T *dst, unsigned ld,
                                 unsigned rows, unsigned cols,
                                 ll_seq_<G...>) {
    const unsigned thread = ll_thread_at_<S>(threadIdx.x);
    const int each[] = {(ll_ptx_store_one_<S, G * S::vector>(a, thread, dst, ld,
                                                             rows, cols),
                         0)...};
    (void)each;
}

template <class LAYOUT, class T, unsigned N>
LL_DEVICE void ll_ptx_store_(const T (&a)[N], T *dst, unsigned ld,
                             unsigned rows = ~0u, unsigned cols = ~0u) {
    typedef ll_move_<ll_tile_for_<LAYOUT, 8 * sizeof(T)>> S;
    static_assert(N == LL_REGS(LAYOUT),
                  "ll: the array must have LL_REGS(LAYOUT) elements");
    ll_ptx_store_all_<S>(a, dst, ld, rows, cols,
                         typename ll_upto_<S::groups>::type());
}

#endif

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
