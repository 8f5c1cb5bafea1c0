/* ---- Instructions: wgmma with a sparse A ------------------------------ */
#ifndef LL_PTX_INSTRUCTIONS_WGMMA_SPARSE_H
#define LL_PTX_INSTRUCTIONS_WGMMA_SPARSE_H

#include "wgmma.h"

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

#endif
