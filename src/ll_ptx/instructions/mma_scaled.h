/* ---- Instructions: mma with scales ------------------------------------ */
#ifndef LL_PTX_INSTRUCTIONS_MMA_SCALED_H
#define LL_PTX_INSTRUCTIONS_MMA_SCALED_H

#include "bodies.h"

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

#endif
