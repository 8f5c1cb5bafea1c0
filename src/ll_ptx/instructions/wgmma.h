/* ---- Instructions: wgmma ---------------------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_WGMMA_H
#define LL_PTX_INSTRUCTIONS_WGMMA_H

#include "suffix.h"

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

#endif
